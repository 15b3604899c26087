# SPDX-License-Identifier: Apache-2.0
"""Which values and sets of choices the RTL builds, and the messages for all others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aesforge.design.fields import (
    ALLOWED,
    DEFAULTS,
    FIELD_NAMES,
    FULL,
    OPTIONAL,
    RANGES,
    STANDARD_SCHEME,
    text_of,
)
from aesforge.design.reserved_words import RESERVED_WORDS
from aesforge.design.sbox import sbox_stage_range
from aesforge.errors import nearest, one_of

# Nr, the number of rounds of each key size (FIPS 197 Sec. 5).
ROUNDS = {128: 10, 192: 12, 256: 14}
_MAX_NAME = 48


def divisors(number: int) -> tuple[int, ...]:
    """Return the divisors of a positive number, in rising order."""
    return tuple(d for d in range(1, number + 1) if number % d == 0)


# --- What excludes what -------------------------------------------------------------------------

Rule = Callable[..., str | None]
RULES: list[tuple[tuple[str, ...], Rule]] = []


def _rule(*fields: str) -> Callable[[Rule], Rule]:
    """Register a rule over the values of some fields; it gives a message when they clash."""

    def register(rule: Rule) -> Rule:
        RULES.append((fields, rule))
        return rule

    return register


# --- What does not apply to an architecture -----------------------------------------------------


@dataclass(frozen=True)
class Only:
    """The values of a choice that an architecture takes, and why no others."""

    values: tuple[Any, ...]
    reason: str


_FULL = (FULL, *ROUNDS.values())
TAKES: dict[str, dict[str, Only]] = {
    "pipeline": {
        "key_slots": Only((None, *range(2, 17)), "it stores 2 to 16 keys"),
        "shift_rows": Only((None,), "where a whole state comes at once, ShiftRows is wires"),
    },
    "column_serial": {
        "unroll": Only(_FULL, "it has all rounds in hardware"),
        "tiles": Only((1,), "it is built once"),
        "key_schedule": Only(("stored",), "it expands a key once and stores it"),
        "key_slots": Only((None, 1), "it stores 1 key"),
        "scheme": Only((STANDARD_SCHEME,), "only the standard's key expansion is built for it"),
        "error_detection": Only(("none",), "it is built without error detection"),
    },
    "key_expand": {
        "unroll": Only(
            (*_FULL, 1), "all its steps are in a row, or one is used again: unroll is full or 1"
        ),
        "direction": Only(
            ("encrypt",), "a key is expanded forwards, whatever its round keys are for"
        ),
        "mix_columns": Only(("xtime",), "it has no MixColumns"),
        "key_schedule": Only(("agile",), "it keeps no keys; it takes the next when it is free"),
        "key_slots": Only((None,), "it keeps no keys"),
        "key_sbox": Only(("same",), "sbox is the key expansion's S-box"),
        "tiles": Only((1,), "it has one pipeline"),
        "delay_line": Only(("ram",), "it has no long delays"),
        "shift_rows": Only((None,), "it has no ShiftRows"),
        "scheme": Only((STANDARD_SCHEME,), "alone, only the standard's key expansion is built"),
        "research": Only((False,), "alone, only the standard's key expansion is built"),
        "error_detection": Only(("none",), "it is built without error detection"),
    },
}


def _takes(architecture: str, field: str, value: Any) -> bool:
    only = TAKES[architecture].get(field)
    return only is None or value in only.values


def _add_rule_about(field: str) -> None:
    @_rule("architecture", field)
    def rule(architecture: str, value: Any) -> str | None:
        if _takes(architecture, field, value):
            return None
        only = TAKES[architecture][field]
        if DEFAULTS[field] in only.values:
            do = f"leave {field} out"
        else:
            do = f"set {field} = {one_of(map(text_of, only.values))}"
        if others := [other for other in TAKES if _takes(other, field, value)]:
            do += f", or set architecture = {one_of(others)}"
        return (
            f"{field} = {text_of(value)} does not apply to architecture = {architecture}: "
            f"{only.reason}; {do}"
        )


for _field in FIELD_NAMES:
    if any(_field in fields for fields in TAKES.values()):
        _add_rule_about(_field)

# The choices that say nothing about a key expansion.
KEY_EXPANSION_LEAVES_OUT = tuple(
    field for field, only in TAKES["key_expand"].items() if len(only.values) == 1
)


@_rule("key_bits", "unroll")
def _unroll_divides_rounds(key_bits: int, unroll: int | str) -> str | None:
    rounds = ROUNDS[key_bits]
    if unroll == FULL or (isinstance(unroll, int) and rounds % unroll == 0):
        return None
    allowed = one_of([FULL, *divisors(rounds)])
    return (
        f"unroll = {unroll} and key_bits = {key_bits} exclude each other: AES-{key_bits} has "
        f"{rounds} rounds, and unroll must divide them; with key_bits = {key_bits}, unroll may be "
        f"{allowed}"
    )


@_rule("sbox", "direction", "sbox_stages")
def _sbox_holds_stages(sbox: str, direction: str, sbox_stages: int) -> str | None:
    low, high = sbox_stage_range(sbox, direction)
    if low <= sbox_stages <= high:
        return None
    return (
        f"sbox_stages = {sbox_stages} and sbox = {sbox} exclude each other: with direction = "
        f"{direction}, the {sbox} S-box takes {low} to {high} pipeline stages"
    )


@_rule("key_bits", "unroll", "sbox_stages", "linear_stages")
def _ring_has_a_register(
    key_bits: int, unroll: int | str, sbox_stages: int, linear_stages: int
) -> str | None:
    if sbox_stages + linear_stages >= 1 or unroll in (FULL, ROUNDS[key_bits]):
        return None
    return (
        f"sbox_stages = 0, linear_stages = 0 and unroll = {unroll} exclude each other: a round "
        "that is used again needs a pipeline stage; set sbox_stages or linear_stages to 1 or "
        "more, or unroll to full"
    )


@_rule("key_schedule", "sbox_stages", "linear_stages")
def _stored_keys_come_a_cycle_late(
    key_schedule: str, sbox_stages: int, linear_stages: int
) -> str | None:
    if sbox_stages + linear_stages >= 1 or key_schedule != "stored":
        return None
    return (
        "sbox_stages = 0, linear_stages = 0 and key_schedule = stored exclude each other: a stored "
        "round key is read a cycle after its block came, and without a pipeline stage the block is "
        "through by then; set sbox_stages or linear_stages to 1 or more, or key_schedule to agile"
    )


@_rule("key_schedule", "key_slots")
def _slots_are_stored(key_schedule: str, key_slots: int | None) -> str | None:
    if key_schedule == "stored" or key_slots is None:
        return None
    return (
        f"key_slots = {key_slots} and key_schedule = agile exclude each other: only a stored key "
        "schedule has slots; set key_schedule = stored, or leave key_slots out"
    )


@_rule("key_sbox", "sbox_stages")
def _key_ram_is_clocked(key_sbox: str, sbox_stages: int) -> str | None:
    if key_sbox != "bram" or sbox_stages >= 1:
        return None
    return (
        "key_sbox = bram and sbox_stages = 0 exclude each other: a block RAM has at least one "
        "pipeline stage; set sbox_stages to 1 or more, or key_sbox to "
        f"{one_of(style for style in ALLOWED['key_sbox'] if style != 'bram')}"
    )


@_rule("scheme", "research")
def _research_is_meant(scheme: str, research: bool) -> str | None:
    if scheme == STANDARD_SCHEME or research:
        return None
    return (
        f"scheme = {scheme} and research = false exclude each other: this key expansion is not "
        "AES, and weak (a 128-bit key keeps 64 bits of strength); set research = true "
        f"(--set research=true) to build it for research, or scheme = {STANDARD_SCHEME}"
    )


@_rule("scheme", "key_bits")
def _scheme_takes_key(scheme: str, key_bits: int) -> str | None:
    if scheme == STANDARD_SCHEME or key_bits == 128:
        return None
    return (
        f"scheme = {scheme} and key_bits = {key_bits} exclude each other: this key expansion is "
        f"defined for 128-bit keys only; set key_bits = 128, or scheme = {STANDARD_SCHEME}"
    )


@_rule("scheme", "key_schedule", "direction")
def _scheme_runs_backwards(scheme: str, key_schedule: str, direction: str) -> str | None:
    if scheme == STANDARD_SCHEME or key_schedule == "stored" or direction == "encrypt":
        return None
    return (
        f"scheme = {scheme}, key_schedule = agile and direction = {direction} exclude each other: "
        "this key expansion cannot be run backwards, beside a block that is deciphered; set "
        "key_schedule = stored, which keeps the round keys"
    )


@_rule("error_detection", "key_schedule")
def _keys_come_twice(error_detection: str, key_schedule: str) -> str | None:
    if error_detection == "none" or key_schedule == "agile":
        return None
    return (
        f"error_detection = {error_detection} and key_schedule = stored exclude each other: one "
        "expansion would fill both copies, and an SEU in it would agree in both; set "
        "key_schedule = agile, or error_detection = none"
    )


@_rule("error_detection", "scheme")
def _aes_is_checked(error_detection: str, scheme: str) -> str | None:
    if error_detection == "none" or scheme == STANDARD_SCHEME:
        return None
    return (
        f"error_detection = {error_detection} and scheme = {scheme} exclude each other: error "
        "detection is built for the standard's key expansion only; set scheme = "
        f"{STANDARD_SCHEME}, or error_detection = none"
    )


@_rule("error_detection", "direction")
def _parity_goes_forwards(error_detection: str, direction: str) -> str | None:
    if error_detection != "parity" or direction == "encrypt":
        return None
    return (
        f"error_detection = parity and direction = {direction} exclude each other: parity is "
        "predicted through the rounds of the cipher only, not of its inverse; set direction = "
        "encrypt, or error_detection = inverse"
    )


@_rule("error_detection", "sbox_stages", "linear_stages")
def _parity_has_a_register(
    error_detection: str, sbox_stages: int, linear_stages: int
) -> str | None:
    if error_detection != "parity" or sbox_stages + linear_stages >= 1:
        return None
    return (
        "error_detection = parity, sbox_stages = 0 and linear_stages = 0 exclude each other: "
        "without a pipeline stage in a round there is nothing to compare after it; set "
        "sbox_stages or linear_stages to 1 or more, or error_detection to inverse"
    )


@_rule("error_detection", "key_bits", "unroll", "tiles")
def _parity_has_one_ring(
    error_detection: str, key_bits: int, unroll: int | str, tiles: int
) -> str | None:
    if error_detection != "parity" or tiles == 1 or unroll in (FULL, ROUNDS[key_bits]):
        return None
    return (
        f"error_detection = parity, unroll = {unroll} and tiles = {tiles} exclude each other: a "
        "looped core with parity is one ring; set tiles = 1, unroll = full, or "
        "error_detection = inverse"
    )


def _why_value_illegal(field: str, value: Any) -> str | None:
    """Say what is wrong with one field's value on its own, or give None."""
    if field == "name":
        return why_name_illegal(value)
    if field == "unroll":
        if value == FULL or (_is_int(value) and value >= 1):
            return None
        return f"unroll = {value!r}: allowed are full or a divisor of the number of rounds"
    if field in OPTIONAL and value is None:
        return None
    if field in ALLOWED:
        allowed = ALLOWED[field]
        if any(type(value) is type(choice) and value == choice for choice in allowed):
            return None
        hint = nearest(value, map(text_of, allowed)) if isinstance(value, str) else ""
        return f"{field} = {value!r}: allowed are {one_of(map(text_of, allowed))}{hint}"
    if not _is_int(value):
        return f"{field} = {value!r}: it must be a whole number"
    if field in RANGES:
        low, high = RANGES[field]
        if not low <= value <= high:
            return f"{field} = {value} is out of range: allowed are {low} to {high}"
    elif value < 0:
        return f"{field} = {value} is out of range: it counts pipeline stages, 0 or more"
    return None


def why_name_illegal(name: Any) -> str | None:
    """Say why a design or an engine cannot be called so, or give None when it can."""
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        return (
            f"name = {name!r}: a name starts with a small letter and holds only small letters, "
            "digits and '-'"
        )
    if len(name) > _MAX_NAME:
        return f"name = {name!r} has {len(name)} characters: at most {_MAX_NAME} are allowed"
    # The name becomes the wrapper module's name, which must not hide a word of the language or
    # a module of the library.
    module = name.replace("-", "_")
    if module in RESERVED_WORDS:
        return f"name = {name!r} is a reserved word of SystemVerilog; choose another name"
    if module.split("_")[0] in ("aesforge", "tb"):
        return f"name = {name!r}: names that start with 'aesforge' or 'tb' are taken by the library"
    return None


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def why_illegal(choices: Mapping[str, Any]) -> str | None:
    """Say why a set of choices, whole or partial, cannot be built, or give None when it can.

    Only what is present is judged: a rule over fields of which one is absent is skipped, so that
    a generator of combinations can filter while it fills them in.

    Args:
        choices: field name to value; unknown field names are refused with the nearest name.
    """
    known = FIELD_NAMES
    for field in choices:
        if field not in known:
            return f"there is no choice named '{field}'{nearest(field, known)} ({one_of(known)})"
    for field, value in choices.items():
        if why := _why_value_illegal(field, value):
            return why
    for fields, rule in RULES:
        if all(field in choices for field in fields):
            why = rule(*(choices[field] for field in fields))
            if why:
                return why
    return None

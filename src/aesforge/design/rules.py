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
    ROUNDS,
    STANDARD_SCHEME,
    text_of,
)
from aesforge.design.reserved_words import RESERVED_WORDS
from aesforge.design.sbox import sbox_stage_range
from aesforge.errors import nearest, one_of

_MAX_NAME = 48


def divisors(number: int) -> tuple[int, ...]:
    """Return the divisors of a positive number, in rising order."""
    return tuple(d for d in range(1, number + 1) if number % d == 0)


# --- What excludes what -------------------------------------------------------------------------

Rule = Callable[..., str | None]
# The rules for all designs are here; those of an architecture are in its module.
RULES: list[tuple[tuple[str, ...], Rule]] = []


def rule(*fields: str) -> Callable[[Rule], Rule]:
    """Register a rule over the values of some fields; it gives a message when they clash."""

    def register(message_of: Rule) -> Rule:
        RULES.append((fields, message_of))
        return message_of

    return register


@dataclass(frozen=True)
class Only:
    """The values of a choice that an architecture takes, and why no others."""

    values: tuple[Any, ...]
    reason: str


def add_architectures(takes: Mapping[str, Mapping[str, Only]]) -> None:
    """Register a rule for each choice that does not apply to each architecture.

    They come first, so that a message names the architecture before anything else.

    Args:
        takes: architecture to field to the values that it takes.
    """
    fields = [field for field in FIELD_NAMES if any(field in only for only in takes.values())]
    RULES[:0] = [(("architecture", field), _rule_about(field, takes)) for field in fields]


def _rule_about(field: str, takes: Mapping[str, Mapping[str, Only]]) -> Rule:
    def applies(architecture: str, value: Any) -> bool:
        return field not in takes[architecture] or value in takes[architecture][field].values

    def message_of(architecture: str, value: Any) -> str | None:
        if applies(architecture, value):
            return None
        only = takes[architecture][field]
        if DEFAULTS[field] in only.values:
            do = f"leave {field} out"
        else:
            do = f"set {field} = {one_of(map(text_of, only.values))}"
        if others := [other for other in takes if applies(other, value)]:
            do += f", or set architecture = {one_of(others)}"
        return (
            f"{field} = {text_of(value)} does not apply to architecture = {architecture}: "
            f"{only.reason}; {do}"
        )

    return message_of


@rule("key_bits", "unroll")
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


@rule("sbox", "direction", "sbox_stages")
def _sbox_holds_stages(sbox: str, direction: str, sbox_stages: int) -> str | None:
    low, high = sbox_stage_range(sbox, direction)
    if low <= sbox_stages <= high:
        return None
    return (
        f"sbox_stages = {sbox_stages} and sbox = {sbox} exclude each other: with direction = "
        f"{direction}, the {sbox} S-box takes {low} to {high} pipeline stages"
    )


@rule("key_bits", "unroll", "sbox_stages", "linear_stages")
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


@rule("architecture", "key_schedule", "sbox_stages", "linear_stages")
def _stored_keys_come_a_cycle_late(
    architecture: str, key_schedule: str, sbox_stages: int, linear_stages: int
) -> str | None:
    # In column_serial, ShiftRows alone takes four cycles or five.
    if sbox_stages + linear_stages >= 1 or key_schedule != "stored":
        return None
    if architecture == "column_serial":
        return None
    return (
        "sbox_stages = 0, linear_stages = 0 and key_schedule = stored exclude each other: a stored "
        "round key is read a cycle after its block came, and without a pipeline stage the block is "
        "through by then; set sbox_stages or linear_stages to 1 or more, or key_schedule to agile"
    )


@rule("key_schedule", "key_slots")
def _slots_are_stored(key_schedule: str, key_slots: int | None) -> str | None:
    if key_schedule == "stored" or key_slots is None:
        return None
    return (
        f"key_slots = {key_slots} and key_schedule = agile exclude each other: only a stored key "
        "schedule has slots; set key_schedule = stored, or leave key_slots out"
    )


@rule("key_sbox", "sbox_stages")
def _key_ram_is_clocked(key_sbox: str, sbox_stages: int) -> str | None:
    if key_sbox != "bram" or sbox_stages >= 1:
        return None
    return (
        "key_sbox = bram and sbox_stages = 0 exclude each other: a block RAM has at least one "
        "pipeline stage; set sbox_stages to 1 or more, or key_sbox to "
        f"{one_of(style for style in ALLOWED['key_sbox'] if style != 'bram')}"
    )


@rule("scheme", "research")
def _research_is_meant(scheme: str, research: bool) -> str | None:
    if scheme == STANDARD_SCHEME or research:
        return None
    return (
        f"scheme = {scheme} and research = false exclude each other: this key expansion is not "
        "AES, and weak (a 128-bit key keeps 64 bits of strength); set research = true "
        f"(--set research=true) to build it for research, or scheme = {STANDARD_SCHEME}"
    )


@rule("scheme", "key_bits")
def _scheme_takes_key(scheme: str, key_bits: int) -> str | None:
    if scheme == STANDARD_SCHEME or key_bits == 128:
        return None
    return (
        f"scheme = {scheme} and key_bits = {key_bits} exclude each other: this key expansion is "
        f"defined for 128-bit keys only; set key_bits = 128, or scheme = {STANDARD_SCHEME}"
    )


def _why_value_illegal(field: str, value: Any) -> str | None:
    """Return what is wrong with one field's value alone, or None."""
    if field == "name":
        return why_name_illegal(value)
    if field == "unroll":
        if value == FULL or (_is_int(value) and value >= 1):
            return None
        return why_a_string(field, value) or (
            f"unroll = {value!r}: allowed are full or a divisor of the number of rounds"
        )
    if field in OPTIONAL and value is None:
        return None
    if field in ALLOWED:
        allowed = ALLOWED[field]
        if any(type(value) is type(choice) and value == choice for choice in allowed):
            return None
        if not isinstance(allowed[0], str) and (why := why_a_string(field, value)):
            return why
        hint = nearest(value, map(text_of, allowed)) if isinstance(value, str) else ""
        return f"{field} = {value!r}: allowed are {one_of(map(text_of, allowed))}{hint}"
    if not _is_int(value):
        return why_a_string(field, value) or f"{field} = {value!r}: it must be a whole number"
    if field in RANGES:
        low, high = RANGES[field]
        if not low <= value <= high:
            return f"{field} = {value} is out of range: allowed are {low} to {high}"
    elif value < 0:
        return f"{field} = {value} is out of range: it counts pipeline stages, 0 or more"
    return None


def why_name_illegal(name: Any) -> str | None:
    """Return why a design or an engine cannot be called so, or None if it can."""
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


def why_a_string(field: str, value: Any) -> str | None:
    """Return what is wrong with a number or a truth value that stands in quotes, or None."""
    if isinstance(value, str):
        if re.fullmatch(r"-?[0-9]+", value):
            return (
                f"{field} = {value!r}: it is a string and should be a number; write it without "
                f"quotes: {field} = {value}"
            )
        if value in ("true", "false"):
            return (
                f"{field} = {value!r}: it is a string and should be a truth value; write it "
                f"without quotes: {field} = {value}"
            )
    return None


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def why_illegal(choices: Mapping[str, Any]) -> str | None:
    """Return why a set of choices, whole or partial, cannot be built, or None if it can.

    Only present fields are checked: a rule with an absent field is skipped, so that
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
    for fields, message_of in RULES:
        if all(field in choices for field in fields):
            why = message_of(*(choices[field] for field in fields))
            if why:
                return why
    return None

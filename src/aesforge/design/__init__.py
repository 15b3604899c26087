# SPDX-License-Identifier: Apache-2.0
"""A design: the small set of independent choices that fixes a core, and what follows from them.

`Design` is the one source of truth for parameters: the command line's options, the tables of the
documentation and the generated SystemVerilog wrappers derive from it. It refuses, with a message
that names the choices at odds and what is allowed, every set that the RTL does not build.
"""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from aesforge.design.reserved_words import RESERVED_WORDS
from aesforge.design.sbox_levels import TOWER_LEVELS
from aesforge.errors import UsageError, nearest, one_of

FULL = "full"
SBOX_STYLES = ("table", "split4", "split6", "tower", "bram")

# The values of each field that is a plain choice.
ALLOWED: dict[str, tuple[Any, ...]] = {
    "key_bits": (128, 192, 256),
    "direction": ("encrypt", "decrypt", "both"),
    "sbox": SBOX_STYLES,
    "mix_columns": ("xtime", "table", "shared"),
    "key_schedule": ("agile", "stored"),
    "key_sbox": ("same", *SBOX_STYLES),
    "delay_line": ("register", "ram"),
    "datapath_bits": (128, 32),
    "shift_rows": ("registers", "addressed"),
    "scheme": ("fips197", "hu2009", "liu2014"),
    "research": (False, True),
    "core": ("cipher", "key_expand"),
    "check": ("none", "parity", "inverse"),
}

# The lowest and highest value of each field that is a number. What `sbox_stages` and `unroll`
# allow depends on other fields: the rules below say so.
RANGES: dict[str, tuple[int, int]] = {
    "linear_stages": (0, 4),
    "key_slots": (1, 16),
    "tiles": (1, 16),
    "tag_bits": (1, 64),
}

# The one key expansion that is AES.
STANDARD_SCHEME = "fips197"

_KEY_WORDS = {128: 4, 192: 6, 256: 8}
_ROUNDS = {128: 10, 192: 12, 256: 14}
_MAX_NAME = 48
# Cycles in which a result that was taken back is compared (aesforge_inverse_core).
COMPARE_CYCLES = 2
# The slots of a stored key schedule that does not say how many.
_DEFAULT_SLOTS = {128: 2, 32: 1}
# Cycles that a column takes through ShiftRows (aesforge_shift_rows), and the longest that anything
# stays in there.
_SHIFT_LATENCY = {"registers": 5, "addressed": 4}
_SHIFT_DEPTH = {"registers": 5, "addressed": 7}


def sbox_stage_range(sbox: str, direction: str) -> tuple[int, int]:
    """Give the fewest and the most register ranks an S-box style can hold.

    Args:
        sbox: one of `SBOX_STYLES`.
        direction: `encrypt`, `decrypt` or `both`; a combined S-box can be a level deeper.
    """
    both = direction == "both"
    return {
        "table": (0, 1),
        "split4": (0, 6 if both else 5),
        "split6": (0, 3 if both else 2),
        "tower": (0, TOWER_LEVELS[direction]),
        "bram": (1, 2),
    }[sbox]


def divisors(number: int) -> tuple[int, ...]:
    """Give the divisors of a positive number, in rising order."""
    return tuple(d for d in range(1, number + 1) if number % d == 0)


# --- What excludes what -------------------------------------------------------------------------

Rule = Callable[..., str | None]
_RULES: list[tuple[tuple[str, ...], Rule]] = []


def _rule(*fields: str) -> Callable[[Rule], Rule]:
    """Register a rule over the values of some fields; it gives a message when they clash."""

    def register(rule: Rule) -> Rule:
        _RULES.append((fields, rule))
        return rule

    return register


@_rule("key_bits", "unroll")
def _unroll_divides_rounds(key_bits: int, unroll: int | str) -> str | None:
    rounds = _ROUNDS[key_bits]
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
        f"{direction}, the {sbox} S-box takes {low} to {high} register ranks"
    )


@_rule("key_bits", "unroll", "sbox_stages", "linear_stages")
def _ring_has_a_register(
    key_bits: int, unroll: int | str, sbox_stages: int, linear_stages: int
) -> str | None:
    if sbox_stages + linear_stages >= 1 or unroll in (FULL, _ROUNDS[key_bits]):
        return None
    return (
        f"sbox_stages = 0, linear_stages = 0 and unroll = {unroll} exclude each other: a round "
        "that is used again needs a register rank; set sbox_stages or linear_stages to 1 or "
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
        "round key is read a cycle after its block came, and without a register rank the block is "
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
        "register rank; set sbox_stages to 1 or more, or key_sbox to "
        f"{one_of(style for style in ALLOWED['key_sbox'] if style != 'bram')}"
    )


@_rule("datapath_bits", "unroll")
def _columns_pass_all_rounds(datapath_bits: int, unroll: int | str) -> str | None:
    if datapath_bits == 128 or unroll == FULL or unroll in _ROUNDS.values():
        return None
    return (
        f"unroll = {unroll} and datapath_bits = 32 exclude each other: the 32-bit data path has "
        "all rounds in hardware; set unroll = full, or datapath_bits = 128"
    )


@_rule("datapath_bits", "tiles")
def _columns_have_one_tile(datapath_bits: int, tiles: int) -> str | None:
    if datapath_bits == 128 or tiles == 1:
        return None
    return (
        f"tiles = {tiles} and datapath_bits = 32 exclude each other: the 32-bit data path is built "
        "once; set tiles = 1, or datapath_bits = 128"
    )


@_rule("datapath_bits", "key_schedule")
def _columns_meet_stored_keys(datapath_bits: int, key_schedule: str) -> str | None:
    if datapath_bits == 128 or key_schedule == "stored":
        return None
    return (
        "key_schedule = agile and datapath_bits = 32 exclude each other: the 32-bit data path "
        "expands a key once and stores it; set key_schedule = stored, or datapath_bits = 128"
    )


@_rule("datapath_bits", "key_slots")
def _slots_fit_the_data_path(datapath_bits: int, key_slots: int | None) -> str | None:
    if key_slots is None or (key_slots == 1) == (datapath_bits == 32):
        return None
    allowed = "2 to 16" if datapath_bits == 128 else "1"
    return (
        f"key_slots = {key_slots} and datapath_bits = {datapath_bits} exclude each other: with "
        f"datapath_bits = {datapath_bits}, key_slots may be {allowed}"
    )


@_rule("datapath_bits", "shift_rows")
def _only_columns_are_gathered(datapath_bits: int, shift_rows: str | None) -> str | None:
    if datapath_bits == 32 or shift_rows is None:
        return None
    return (
        f"shift_rows = {shift_rows} and datapath_bits = 128 exclude each other: where a whole "
        "state comes at once, ShiftRows is wires; set datapath_bits = 32, or leave shift_rows out"
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


@_rule("scheme", "datapath_bits")
def _scheme_takes_whole_states(scheme: str, datapath_bits: int) -> str | None:
    if scheme == STANDARD_SCHEME or datapath_bits == 128:
        return None
    return (
        f"scheme = {scheme} and datapath_bits = 32 exclude each other: this key expansion is built "
        f"for the 128-bit data path only; set datapath_bits = 128, or scheme = {STANDARD_SCHEME}"
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


@_rule("check", "datapath_bits")
def _whole_states_are_checked(check: str, datapath_bits: int) -> str | None:
    if check == "none" or datapath_bits == 128:
        return None
    return (
        f"check = {check} and datapath_bits = 32 exclude each other: only the 128-bit data path is "
        "built with a check; set datapath_bits = 128, or check = none"
    )


@_rule("check", "key_schedule")
def _keys_come_twice(check: str, key_schedule: str) -> str | None:
    if check == "none" or key_schedule == "agile":
        return None
    return (
        f"check = {check} and key_schedule = stored exclude each other: one expansion would fill "
        "both sides of the check, and an upset in it be right on both; set key_schedule = agile, "
        "or check = none"
    )


@_rule("check", "scheme")
def _aes_is_checked(check: str, scheme: str) -> str | None:
    if check == "none" or scheme == STANDARD_SCHEME:
        return None
    return (
        f"check = {check} and scheme = {scheme} exclude each other: the check is built for the "
        f"standard's key expansion only; set scheme = {STANDARD_SCHEME}, or check = none"
    )


@_rule("check", "direction")
def _parity_goes_forwards(check: str, direction: str) -> str | None:
    if check != "parity" or direction == "encrypt":
        return None
    return (
        f"check = parity and direction = {direction} exclude each other: parity is predicted "
        "through the rounds of the cipher only, not of its inverse; set direction = encrypt, or "
        "check = inverse"
    )


@_rule("check", "sbox_stages", "linear_stages")
def _parity_has_a_register(check: str, sbox_stages: int, linear_stages: int) -> str | None:
    if check != "parity" or sbox_stages + linear_stages >= 1:
        return None
    return (
        "check = parity, sbox_stages = 0 and linear_stages = 0 exclude each other: without a "
        "register rank in a round there is nothing to compare behind it; set sbox_stages or "
        "linear_stages to 1 or more, or check to inverse"
    )


@_rule("check", "key_bits", "unroll", "tiles")
def _parity_has_one_ring(check: str, key_bits: int, unroll: int | str, tiles: int) -> str | None:
    if check != "parity" or tiles == 1 or unroll in (FULL, _ROUNDS[key_bits]):
        return None
    return (
        f"check = parity, unroll = {unroll} and tiles = {tiles} exclude each other: a looped core "
        "with parity is one ring; set tiles = 1, unroll = full, or check = inverse"
    )


@_rule("core", "key_bits", "unroll")
def _key_expansion_loops_or_not(core: str, key_bits: int, unroll: int | str) -> str | None:
    if core != "key_expand" or unroll in (FULL, 1, _ROUNDS[key_bits]):
        return None
    return (
        f"core = key_expand and unroll = {unroll} exclude each other: a key expansion has all its "
        "steps in a row or one that is used again; set unroll to full or 1"
    )


# What a key expansion has no use for: the field, the value that says nothing, and why.
_CIPHER_ONLY = (
    ("direction", "encrypt", "a key is expanded forwards, whatever its round keys are for"),
    ("mix_columns", "xtime", "a key expansion has no MixColumns"),
    ("key_schedule", "agile", "a key expansion keeps no keys; it takes the next when it is free"),
    ("key_slots", None, "a key expansion keeps no keys"),
    ("key_sbox", "same", "sbox is the key expansion's S-box"),
    ("tiles", 1, "a key expansion has one lane"),
    ("delay_line", "ram", "a key expansion has no long delays"),
    ("datapath_bits", 128, "a key expansion has no data path"),
    ("shift_rows", None, "a key expansion has no ShiftRows"),
    ("scheme", STANDARD_SCHEME, "alone, only the standard's key expansion is built"),
    ("research", False, "alone, only the standard's key expansion is built"),
    ("check", "none", "a key expansion alone is built without a check"),
)


def _refuse_for_key_expansion(field: str, default: Any, reason: str) -> None:
    @_rule("core", field)
    def rule(core: str, value: Any) -> str | None:
        if core != "key_expand" or value == default:
            return None
        return (
            f"core = key_expand and {field} = {value} exclude each other: {reason}; leave {field} "
            "out, or set core to cipher"
        )


for _field, _default, _reason in _CIPHER_ONLY:
    _refuse_for_key_expansion(_field, _default, _reason)

# The fields that say nothing about a key expansion.
KEY_EXPANSION_LEAVES_OUT = tuple(field for field, _, _ in _CIPHER_ONLY)


def _why_value_illegal(field: str, value: Any) -> str | None:
    """Say what is wrong with one field's value on its own, or give None."""
    if field == "name":
        return why_name_illegal(value)
    if field == "unroll":
        if value == FULL or (_is_int(value) and value >= 1):
            return None
        return f"unroll = {value!r}: allowed are full or a divisor of the number of rounds"
    if field in ("key_slots", "shift_rows") and value is None:
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
        return f"{field} = {value} is out of range: it counts register ranks, 0 or more"
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


def text_of(value: Any) -> str:
    """Give a choice's value as design files and the command line spell it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


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
    for fields, rule in _RULES:
        if all(field in choices for field in fields):
            why = rule(*(choices[field] for field in fields))
            if why:
                return why
    return None


# --- The design ---------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, kw_only=True)
class Design:
    """One set of choices; immutable, hashable, and legal by construction.

    Args:
        name: small letters, digits and '-'; names the bundle's wrapper module.
        key_bits: 128, 192 or 256.
        direction: `encrypt`, `decrypt`, or `both` (chosen block by block).
        unroll: how many rounds exist in hardware: `full` or a divisor of the number of rounds.
        sbox: how the S-box is built: `table`, `split4`, `split6`, `tower` or `bram`.
        sbox_stages: register ranks in SubBytes.
        linear_stages: register ranks in ShiftRows, MixColumns and AddRoundKey, 0 to 4.
        mix_columns: how MixColumns is built: `xtime`, `table` or `shared`.
        key_schedule: `agile` (a key with every block) or `stored` (keys kept in slots).
        key_slots: 2 to 16, only with `stored` (2 when left out); 1 with a 32-bit data path.
        key_sbox: the key schedule's S-box style, or `same` as the data path's.
        tiles: whole pipelines side by side, 1 to 16.
        tag_bits: width of the tag that travels with a block, 1 to 64.
        delay_line: how long delays are built: `register` or `ram`.
        datapath_bits: 128, or 32: a round takes a column a cycle, a block every four cycles.
        shift_rows: only with 32: what gathers the columns, `registers` (two of a whole state, the
            default) or `addressed` (shift registers, one a row).
        scheme: the key expansion: `fips197`, or `hu2009` or `liu2014`, which are not AES.
        research: whether a scheme that is not AES is meant; without it, such a one is refused.
        core: `cipher`, or `key_expand`, the key expansion alone. Of that,
            `unroll` is `full` (a key every cycle) or 1, `sbox` with its ranks is SubWord's, and
            what else belongs to a cipher is left out.
        check: `none`; `parity`, predicted for every byte through each round; or `inverse`: each
            result is taken back and compared with its block. With either, `alarm` says of a block
            that leaves whether it may be wrong.

    Raises:
        UsageError: a value is out of range, or two choices exclude each other.
    """

    name: str = "custom"
    key_bits: int = 128
    direction: str = "encrypt"
    unroll: int | str = FULL
    sbox: str = "tower"
    sbox_stages: int = 1
    linear_stages: int = 1
    mix_columns: str = "xtime"
    key_schedule: str = "agile"
    key_slots: int | None = None
    key_sbox: str = "same"
    tiles: int = 1
    tag_bits: int = 8
    delay_line: str = "ram"
    datapath_bits: int = 128
    shift_rows: str | None = None
    scheme: str = STANDARD_SCHEME
    research: bool = False
    core: str = "cipher"
    check: str = "none"

    tops: ClassVar[dict[str, str]] = {
        "cipher": "aesforge_core",
        "serial": "aesforge_serial",
        "key_expand": "aesforge_key_core",
        "parity": "aesforge_parity_core",
        "inverse": "aesforge_inverse_core",
    }

    def __post_init__(self) -> None:
        if why := why_illegal(self.choices()):
            raise UsageError(why)
        # Two spellings of one design must be equal.
        if self.unroll == self.rounds:
            object.__setattr__(self, "unroll", FULL)
        if self.key_schedule == "stored" and self.key_slots is None:
            object.__setattr__(self, "key_slots", _DEFAULT_SLOTS[self.datapath_bits])
        if self.is_serial and self.shift_rows is None:
            object.__setattr__(self, "shift_rows", ALLOWED["shift_rows"][0])

    def choices(self) -> dict[str, Any]:
        """Give all fields by name, in their order."""
        return {field: getattr(self, field) for field in FIELD_NAMES}

    def to_toml(self) -> str:
        """Give the text of a design file that loads as this very design."""
        lines = []
        for field, value in self.choices().items():
            if value is not None:
                text = f'"{value}"' if isinstance(value, str) else text_of(value)
                lines.append(f"{field} = {text}")
        return "\n".join(lines) + "\n"

    def summary(self) -> str:
        """Give the design in one line of words."""
        if self.is_key_expansion:
            return self._summary_of_key_expansion()
        ranks = f"{self.sbox_stages} + {self.linear_stages} register ranks a round"
        if self.is_serial:
            buffer = "registers" if self.shift_rows == "registers" else "addressed shift registers"
            ranks += f", ShiftRows in {buffer}"
            shape = f"32-bit data path ({self.rounds} rounds)"
            tiles = ""
        elif self.is_unrolled:
            shape = f"unrolled ({self.rounds} rounds)"
            tiles = f", {self.tiles} lanes" if self.tiles > 1 else ""
        else:
            shape = f"looped ({self.unrolled_rounds} of {self.rounds} rounds)"
            tiles = f", {self.tiles} tiles" if self.tiles > 1 else ""
        keys = "a key with every block" if self.is_agile else f"keys in {self.key_slots} slots"
        if self.key_slots == 1:
            keys = "one stored key"
        rate = f"{self.blocks_per_cycle:.4g}"
        checked = {
            "none": "",
            "parity": ", checked by parity",
            "inverse": ", checked by taking each result back",
        }[self.check]
        return (
            f"{self.cipher_name} {self.direction}, {shape}{tiles}, {self.sbox} S-box, {ranks}, "
            f"{keys}{checked}; latency {self.latency_cycles} cycles, {rate} "
            f"block{'s' if rate != '1' else ''} a cycle"
        )

    # --- What it is

    @property
    def is_standard(self) -> bool:
        """Whether it is AES, as FIPS 197 has it."""
        return self.scheme == STANDARD_SCHEME

    @property
    def cipher_name(self) -> str:
        """The cipher's name, as each label of a design begins."""
        if self.is_standard:
            return f"AES-{self.key_bits}"
        return f"NON-STANDARD cipher (key scheme {self.scheme}, not AES)"

    @property
    def warning(self) -> str | None:
        """What whoever sees a design that is not AES has to know; None for AES."""
        if self.is_standard:
            return None
        return (
            f"this is not AES: its key expansion is the non-standard scheme {self.scheme}, which "
            "leaves a 128-bit key 64 bits of strength; for research only"
        )

    def _summary_of_key_expansion(self) -> str:
        shape = f"all {self.rounds} steps in a row" if self.is_unrolled else "one step"
        every = "every cycle" if self.interval == 1 else f"every {self.interval:g} cycles"
        return (
            f"key expansion of AES-{self.key_bits}, {shape}, {self.sbox} S-box, "
            f"{self.sbox_stages} + {self.linear_stages} register ranks a step; all round keys in "
            f"{self.latency_cycles} cycles, a key {every}"
        )

    # --- Shape

    @property
    def top(self) -> str:
        """The module of the RTL that the design is, once its parameters are set."""
        if self.is_checked:
            return self.tops[self.check]
        return self.tops["serial" if self.is_serial else self.core]

    @property
    def is_checked(self) -> bool:
        """Whether it says by `alarm` that a block may be wrong."""
        return self.check != "none"

    @property
    def is_serial(self) -> bool:
        """Whether a round takes a state column by column."""
        return self.datapath_bits < 128

    @property
    def is_key_expansion(self) -> bool:
        """Whether it is a key expansion alone: no blocks, round keys come out."""
        return self.core == "key_expand"

    @property
    def rounds(self) -> int:
        """Nr, the number of rounds (FIPS 197 Sec. 5): 10, 12 or 14."""
        return _ROUNDS[self.key_bits]

    @property
    def key_words(self) -> int:
        """Nk, the number of 32-bit words of the key: 4, 6 or 8."""
        return _KEY_WORDS[self.key_bits]

    @property
    def unrolled_rounds(self) -> int:
        """How many rounds exist in hardware: 1 to Nr."""
        return self.rounds if isinstance(self.unroll, str) else self.unroll

    @property
    def is_unrolled(self) -> bool:
        """Whether all rounds exist in hardware."""
        return self.unroll == FULL

    @property
    def is_agile(self) -> bool:
        """Whether a key comes with every block."""
        return self.key_schedule == "agile"

    @property
    def passes(self) -> int:
        """How often a block goes through the rounds that exist in hardware."""
        return self.rounds // self.unrolled_rounds

    @property
    def stages(self) -> int:
        """Register ranks in a round, in SubBytes and the linear part together."""
        return self.sbox_stages + self.linear_stages

    @property
    def key_runs_ahead(self) -> bool:
        """Whether the key makes a forward run of its own before the block starts.

        An agile core that can decrypt must know the last round key first; an encrypting block of
        such a core waits as long, so that the latency stays one number.
        """
        return self.is_agile and self.direction != "encrypt"

    @property
    def lanes(self) -> int:
        """Blocks side by side on the data ports: the tiles of an unrolled core, otherwise 1."""
        return self.tiles if self.is_unrolled else 1

    @property
    def slot_bits(self) -> int:
        """Width of the slot ports, at least 1."""
        return max(1, ((self.key_slots or 1) - 1).bit_length())

    @property
    def shift_rows_latency(self) -> int:
        """Cycles that a column takes through ShiftRows: 0 where a whole state comes at once."""
        return _SHIFT_LATENCY[self.shift_rows] if self.shift_rows else 0

    @property
    def round_latency(self) -> int:
        """Cycles that a state, or a column of it, takes through a round."""
        return self.stages + self.shift_rows_latency

    # --- Time

    @property
    def latency_cycles(self) -> int:
        """Cycles from the one in which a block is accepted to the one in which it comes out.

        Of a key expansion: to the one in which the last round key comes out. Its round key r comes
        out r x `stages` cycles after the key.
        """
        if self.is_key_expansion:
            return self.rounds * self.stages
        if self.check == "inverse":
            return sum(core.latency_cycles for core in self.checked_by_inverse) + COMPARE_CYCLES
        runs = 2 if self.key_runs_ahead else 1
        # A column has a rank of its own before the first round, and waits for the other three.
        return runs * self.rounds * self.round_latency + (5 if self.is_serial else 1)

    @property
    def checked_by_inverse(self) -> tuple[Design, Design]:
        """The core whose results are taken back, and the one that does it."""
        opposite = {"encrypt": "decrypt", "decrypt": "encrypt", "both": "both"}[self.direction]
        there = dataclasses.replace(self, check="none")
        return there, dataclasses.replace(there, direction=opposite)

    @property
    def latency_sum(self) -> str:
        """How the latency comes about: rounds x register ranks of a round + what is around."""
        runs = "2 x " if self.key_runs_ahead else ""
        ranks = f"{self.sbox_stages} + {self.linear_stages}"
        if self.is_serial:
            return f"{self.rounds} x ({ranks} + {self.shift_rows_latency}) + 5"
        if self.check == "inverse":
            there, back = self.checked_by_inverse
            return (
                f"{there.latency_sum} there, {back.latency_sum} back, {COMPARE_CYCLES} to compare"
            )
        return f"{runs}{self.rounds} x ({ranks}) + 1"

    @property
    def interval(self) -> float:
        """Cycles from one accepted beat (`lanes` blocks) to the next, on average, at full load.

        A looped core's port is one block wide, so that more tiles than passes do not help. A looped
        key expansion makes a pass more than it has steps, and looks for the next key behind it.
        """
        if self.is_serial:
            return 128 / self.datapath_bits
        if self.is_key_expansion and not self.is_unrolled:
            return float((self.rounds + 1) * self.stages + 1)
        return 1.0 if self.is_unrolled else max(1.0, self.passes / self.tiles)

    @property
    def blocks_per_cycle(self) -> float:
        """Blocks, or keys to be expanded, accepted each cycle, on average, at full load."""
        return self.lanes / self.interval

    @property
    def blocks_in_flight(self) -> int:
        """Blocks, or keys under way, that the core holds at once at full load.

        A tile without ranks holds one, in its output register.
        """
        if self.is_serial:
            return -(-self.latency_cycles * self.datapath_bits // 128)
        if self.is_key_expansion and not self.is_unrolled:
            return 1
        if self.check == "inverse":
            # A block keeps its place in the delays from one end to the other.
            return int(-(-self.latency_cycles // self.interval)) * self.lanes
        runs = 2 if self.key_runs_ahead else 1
        return max(1, runs * self.unrolled_rounds * self.stages) * self.tiles

    @property
    def clear_cycles(self) -> int:
        """The most cycles from a `clear` pulse until no register depends on a secret any more."""
        if self.shift_rows is not None:
            # The last round key first, then a column of zeros through all.
            return self.rounds * (self.stages + _SHIFT_DEPTH[self.shift_rows] + 1) + 3
        if self.check == "inverse":
            # The first core, then what its last words and those of the delays pass through.
            return self.checked_by_inverse[0].clear_cycles + self.latency_cycles
        ring = self.unrolled_rounds * self.stages
        if self.is_key_expansion:
            return ring + 2
        depth = 0
        if self.key_slots is not None:
            slots = 1 << (self.key_slots - 1).bit_length()
            passes = 1 << (self.passes - 1).bit_length()
            depth = slots * passes * (2 if self.direction == "both" else 1)
        return max(ring, depth) + 4

    @property
    def key_load_cycles(self) -> int | None:
        """Cycles from accepting a stored key to accepting the first block under it.

        That is for an empty slot. One that holds a key is filled `latency_cycles` later, when no
        block under the old key is left. None where keys are agile. With a 32-bit data path a key
        is not accepted before, and its first blocks are encrypted while it is being expanded.
        """
        if self.is_serial:
            return self.rounds + 1 if self.direction == "decrypt" else 4
        return None if self.is_agile else self.rounds * self.stages + 2

    @property
    def key_expansion_cycles(self) -> int | None:
        """Cycles until all round keys stand, the one in which the key is accepted included.

        None where keys are agile.
        """
        if self.is_agile:
            return None
        # One more than the steps where a row of them holds the round keys; else the store's too.
        return self.rounds + 2 if self.is_serial else self.rounds * self.stages + 2

    # --- Size

    @property
    def key_chains(self) -> int:
        """Key schedules that run beside the data: lanes share one, looped tiles have one each."""
        if not self.is_agile:
            return 0
        return 1 if self.is_unrolled else self.tiles

    @property
    def data_sbox_count(self) -> int:
        """S-boxes of the data path, one for each byte of a round's data path."""
        if self.is_key_expansion:
            return 0
        if self.check == "inverse":
            return sum(core.data_sbox_count for core in self.checked_by_inverse)
        return self.datapath_bits // 8 * self.unrolled_rounds * self.tiles

    @property
    def sub_words_per_step(self) -> int:
        """SubWord circuits of a step of the key schedule that has any."""
        return 2 if self.scheme == "liu2014" else 1

    @property
    def key_sbox_style(self) -> str:
        """The style of the key schedule's S-boxes."""
        return self.sbox if self.key_sbox == "same" else self.key_sbox

    @property
    def key_sbox_count(self) -> int:
        """S-boxes of the key schedule: 4 a round and run, or the stored loader's 4.

        An unrolled schedule of a 192- or 256-bit key has steps without SubWord, which count none.
        Scheme liu2014 has two SubWords a step.
        """
        if self.check == "inverse":
            return sum(core.key_sbox_count for core in self.checked_by_inverse)
        if not self.is_agile and not self.is_serial:
            return 4 * self.sub_words_per_step
        if not self.is_standard:
            return 4 * self.sub_words_per_step * self.unrolled_rounds * self.key_chains
        runs = 2 if self.key_runs_ahead else 1
        if not self.is_unrolled:
            return 4 * self.unrolled_rounds * self.key_chains * runs
        from aesforge.design.flip_flops import unrolled_key_steps

        way = "encrypt" if self.is_serial else self.direction
        steps = unrolled_key_steps(self.key_bits, way)
        if self.key_runs_ahead:
            steps += unrolled_key_steps(self.key_bits, "encrypt", round_keys=False)
        return 4 * sum(step.sub_word for step in steps)

    @property
    def sbox_count(self) -> int:
        """S-boxes of the whole core."""
        return self.data_sbox_count + self.key_sbox_count

    # --- RTL

    def rtl_parameters(self) -> dict[str, int]:
        """Give the parameters of the design's module, by name, in the module's order."""
        if self.is_key_expansion:
            return {
                "KeyBits": self.key_bits,
                "Unroll": self.unrolled_rounds,
                "SboxStyle": SBOX_STYLES.index(self.sbox),
                "SboxStages": self.sbox_stages,
                "LinearStages": self.linear_stages,
                "TagBits": self.tag_bits,
            }
        values = {
            "KeyBits": self.key_bits,
            "Direction": ALLOWED["direction"].index(self.direction),
            "Unroll": self.unrolled_rounds,
            "SboxStyle": SBOX_STYLES.index(self.sbox),
            "KeySboxStyle": SBOX_STYLES.index(self.key_sbox_style),
            "SboxStages": self.sbox_stages,
            "LinearStages": self.linear_stages,
            "MixStyle": ALLOWED["mix_columns"].index(self.mix_columns),
            "ShiftStyle": ALLOWED["shift_rows"].index(self.shift_rows) if self.shift_rows else 0,
            "KeySlots": self.key_slots or 0,
            "Tiles": self.tiles,
            "TagBits": self.tag_bits,
            "DelayStyle": ALLOWED["delay_line"].index(self.delay_line),
            "KeyScheme": ALLOWED["scheme"].index(self.scheme),
        }
        others: tuple[str, ...] = ("ShiftStyle",)
        if self.is_serial:
            others = ("Unroll", "KeySlots", "Tiles", "KeyScheme")
        elif self.is_checked:
            others = ("ShiftStyle", "KeySlots", "KeyScheme")
            if self.check == "parity":
                others += ("Direction",)
        return {name: value for name, value in values.items() if name not in others}


FIELD_NAMES: tuple[str, ...] = tuple(field.name for field in dataclasses.fields(Design))

# Representative values of each field: every choice, every divisor class of unroll, the ends and
# a middle of each range. A test that fills them in pairwise filters with `why_illegal`.
CHOICES: dict[str, tuple[Any, ...]] = {
    "key_bits": ALLOWED["key_bits"],
    "direction": ALLOWED["direction"],
    "unroll": (FULL, 1, 2, 3, 5, 7),
    "sbox": ALLOWED["sbox"],
    "sbox_stages": (0, 1, 2, 3, 5, max(TOWER_LEVELS.values())),
    "linear_stages": (0, 1, 2, 4),
    "mix_columns": ALLOWED["mix_columns"],
    "key_schedule": ALLOWED["key_schedule"],
    "key_slots": (None, 1, 2, 3, 16),
    "key_sbox": ALLOWED["key_sbox"],
    "tiles": (1, 2, 3),
    "tag_bits": (1, 8, 64),
    "delay_line": ALLOWED["delay_line"],
    "datapath_bits": ALLOWED["datapath_bits"],
    "shift_rows": (None, *ALLOWED["shift_rows"]),
    "scheme": ALLOWED["scheme"],
    "research": ALLOWED["research"],
    "core": ALLOWED["core"],
    "check": ALLOWED["check"],
}


# --- From names, files and overrides ------------------------------------------------------------


def load(
    name_or_path: str | os.PathLike[str],
    overrides: Mapping[str, Any] | Iterable[str] = (),
) -> Design:
    """Give the design that a preset's name or a TOML file means, with overrides applied.

    A preset with overrides is named `<preset>-custom`, unless an override sets the name.

    Args:
        name_or_path: a preset's name, or the path of a `.toml` file whose keys are the fields.
        overrides: field name to value, or `key=value` texts as `--set` takes them.

    Raises:
        UsageError: there is no such preset or file, a key is unknown or given twice, a value is
            out of range, or two choices exclude each other.
    """
    from aesforge.design.presets import PRESETS, of_group

    changes = parse_overrides(overrides)
    text = os.fspath(name_or_path)
    if text in PRESETS:
        choices = {k: v for k, v in PRESETS[text].choices().items() if v is not None}
        if changes:
            choices["name"] = f"{text}-custom"
    elif isinstance(name_or_path, str) and not set(text) & {".", "/", "\\"}:
        hint = nearest(text, PRESETS)
        if Path(text).is_file():
            hint = "; to be read as a design, the file of that name must end in .toml"
        raise UsageError(
            f"there is no preset named '{text}'{hint}\n"
            f"presets: {', '.join(one.name for one in of_group('general'))}, and those of the "
            "papers (`aesforge presets`); a design may also be a .toml file"
        )
    else:
        choices = read_toml(Path(text))
    choices.update(changes)
    return load_choices(text, choices)


def load_choices(source: str, choices: Mapping[str, Any]) -> Design:
    """Give the design of some choices by name; what is left out has its default.

    Args:
        source: where they come from, for messages.
        choices: field name to value.

    Raises:
        UsageError: a field is unknown, a value is out of range, or two choices exclude each other.
    """
    if why := why_illegal(choices):
        raise UsageError(f"{source}: {why}")
    return Design(**choices)


def read_toml(path: Path) -> dict[str, Any]:
    """Read a design file's keys and values; what they mean is judged by the caller.

    Raises:
        UsageError: it cannot be read, or is not TOML.
    """
    if path.suffix != ".toml":
        raise UsageError(
            f"'{path}' is neither a preset nor a design file: a design file ends in .toml"
        )
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"there is no design file '{path}'") from None
    except OSError as error:
        raise UsageError(f"cannot read the design file '{path}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"the design file '{path}' is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"the design file '{path}' is not valid TOML: {error}") from None


def parse_overrides(overrides: Mapping[str, Any] | Iterable[str]) -> dict[str, Any]:
    """Give overrides as field name to value; texts of numbers and truth values become these.

    Raises:
        UsageError: a text is not `key=value`, or a key is given twice.
    """
    if isinstance(overrides, Mapping):
        return {field: _parse_value(field, value) for field, value in overrides.items()}
    changes: dict[str, Any] = {}
    for text in overrides:
        field, equals, value = (part.strip() for part in text.partition("="))
        if not (field and equals and value):
            raise UsageError(f"--set '{text}': write it as key=value, for example key_bits=256")
        if field in changes:
            raise UsageError(f"--set {field} is given twice: {changes[field]} and {value}")
        changes[field] = _parse_value(field, value)
    return changes


def _parse_value(field: str, value: Any) -> Any:
    if field == "research" and value in ("false", "true"):
        return value == "true"
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,9}", value):
        return int(value)
    return value

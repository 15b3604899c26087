# SPDX-License-Identifier: Apache-2.0
"""The choices of a design, each declared once: default, legal values and effect.

The value checks, the table of choices in the documentation, the columns of the report and the
representative values of the tests derive from `Choices`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aesforge.design.sbox import SBOX_STYLES
from aesforge.design.sbox_levels import TOWER_LEVELS

FULL = "full"
# The one key expansion that is AES.
STANDARD_SCHEME = "fips197"
_SBOX_CONSTANTS = {style: f"Sbox{style.capitalize()}" for style in SBOX_STYLES}
# Nr, the number of rounds of each key size (FIPS 197 Sec. 5).
ROUNDS = {128: 10, 192: 12, 256: 14}


@dataclass(frozen=True)
class Field:
    """The properties of a choice other than its name, type and default.

    Args:
        help: its effect, in one line; Markdown without links.
        allowed: all values, of a plain choice; left out, those of `constants`.
        span: the lowest and highest value, of a number.
        samples: representative values; left out, those of `allowed`.
        values: how the documentation writes the legal values where neither says all.
        filled_in: the default where the choice applies, of one that does not always.
        link: Markdown that the documentation adds to `help`.
        parameter: of the RTL that it sets.
        constants: value to constant of aesforge_pkg, in the order of the numbers that these are.
    """

    help: str
    allowed: tuple[Any, ...] = ()
    span: tuple[int, int] | None = None
    samples: tuple[Any, ...] = ()
    values: str = ""
    filled_in: Any = None
    link: str = ""
    parameter: str = ""
    constants: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def values_text(self) -> str:
        """Return the legal values as the documentation writes them."""
        if self.values:
            return self.values
        if self.span:
            return "{} to {}".format(*self.span)
        return ", ".join(f"`{text_of(value)}`" for value in self.allowed)


def text_of(value: Any) -> str:
    """Return a choice's value as design files and the command line spell it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def choice(default: Any, text: str, **more: Any) -> Any:
    """Declare a choice: a field of a dataclass, with what a `Field` says of it."""
    if "constants" in more:
        more.setdefault("allowed", tuple(more["constants"]))
    return dataclasses.field(default=default, metadata={"choice": Field(text, **more)})


@dataclass(frozen=True, kw_only=True)
class Choices:
    """The choices themselves, and what each says alone.

    `Design` adds the rules, and the figures derived from all choices.
    """

    name: str = choice(
        "custom", "small letters, digits and `-`; names the wrapper module of the bundle"
    )
    architecture: str = choice(
        "pipeline",
        "`pipeline`: 128-bit data path; `column_serial`: 32-bit data path, all rounds in hardware, "
        "a block every four cycles, one stored key; `key_expand`: a key expansion alone, for which "
        "few of these choices apply",
        allowed=("pipeline", "column_serial", "key_expand"),
    )
    key_bits: int = choice(
        128,
        "AES-128, AES-192, AES-256",
        allowed=(128, 192, 256),
        parameter="KeyBits",
    )
    direction: str = choice(
        "encrypt",
        "`both`: selected for each block, on shared hardware",
        parameter="Direction",
        constants={"encrypt": "Encrypt", "decrypt": "Decrypt", "both": "Both"},
    )
    # The samples hold every divisor class of the rounds.
    unroll: int | str = choice(
        FULL,
        "rounds in hardware: all of them, or fewer that a block passes several times",
        values="`full` or a divisor of the rounds",
        samples=(FULL, 1, 2, 3, 5, 7),
        parameter="Unroll",
    )
    sbox: str = choice(
        "tower",
        "how SubBytes is built",
        parameter="SboxStyle",
        constants=_SBOX_CONSTANTS,
    )
    # What it may be depends on the style: `sbox_stage_range`.
    sbox_stages: int = choice(
        1,
        "pipeline stages in SubBytes",
        samples=(0, 1, 2, 3, 5, max(TOWER_LEVELS.values())),
        parameter="SboxStages",
    )
    linear_stages: int = choice(
        1,
        "pipeline stages in the rest of a round",
        span=(0, 4),
        samples=(0, 1, 2, 4),
        parameter="LinearStages",
    )
    mix_columns: str = choice(
        "xtime",
        "how MixColumns is built",
        parameter="MixStyle",
        constants={"xtime": "MixXtime", "table": "MixTable", "shared": "MixShared"},
    )
    key_schedule: str = choice(
        "agile",
        "`agile`: a new key with any block, at full rate; `stored`: keys loaded into slots",
        allowed=("agile", "stored"),
    )
    key_slots: int | None = choice(
        None,
        "`stored` only: number of key slots",
        span=(1, 16),
        samples=(None, 1, 2, 3, 16),
        values="2 to 16; 1 where `architecture` is `column_serial`",
        filled_in=2,
        parameter="KeySlots",
    )
    key_sbox: str = choice(
        "same",
        "the S-boxes of the key schedule, and of the second core of an engine",
        allowed=("same", *SBOX_STYLES),
        values="`same` or a style",
        parameter="KeySboxStyle",
        constants=_SBOX_CONSTANTS,
    )
    tiles: int = choice(
        1,
        "parallel pipelines",
        span=(1, 16),
        samples=(1, 2, 3),
        parameter="Tiles",
    )
    tag_bits: int = choice(
        8,
        "width of the tag that travels with a block",
        span=(1, 64),
        samples=(1, 8, 64),
        parameter="TagBits",
    )
    delay_line: str = choice(
        "ram",
        "how delay lines are built",
        parameter="DelayStyle",
        constants={"register": "DelayRegister", "ram": "DelayRam"},
    )
    shift_rows: str | None = choice(
        None,
        "`column_serial` only: how ShiftRows buffers the columns",
        samples=(None, "shift_register", "addressed"),
        filled_in="shift_register",
        parameter="ShiftStyle",
        constants={"shift_register": "ShiftRegister", "addressed": "ShiftAddressed"},
    )
    scheme: str = choice(
        STANDARD_SCHEME,
        "the key expansion; all but `fips197` are **not AES** and weak, and need `research`",
        allowed=(STANDARD_SCHEME, "hu2009", "liu2014"),
        link="([why](docs/papers/liu2014-security.md))",
    )
    research: bool = choice(False, "allow a scheme that is not AES", allowed=(False, True))
    error_detection: str = choice(
        "none",
        "an `alarm` with a block that may be wrong: parity of every byte through each round, "
        "or an inverse check of each result",
        allowed=("none", "parity", "inverse"),
        link="([what they find](docs/faults.md))",
    )

    @property
    def is_standard(self) -> bool:
        """Whether it is AES, as FIPS 197 has it."""
        return self.scheme == STANDARD_SCHEME

    @property
    def research_scheme(self) -> str | None:
        """The scheme whose RTL takes the place of the standard's key expansion, if any."""
        return None if self.is_standard else self.scheme

    @property
    def cipher_name(self) -> str:
        """The cipher's name, as each label of a design begins."""
        if self.is_standard:
            return f"AES-{self.key_bits}"
        return f"NON-STANDARD cipher (key scheme {self.scheme}, not AES)"

    @property
    def warning(self) -> str | None:
        """A warning for users of a design that is not AES; None for AES."""
        if self.is_standard:
            return None
        return (
            f"this is not AES: its key expansion is the non-standard scheme {self.scheme}, which "
            "leaves a 128-bit key 64 bits of strength; for research only"
        )

    @property
    def is_checked(self) -> bool:
        """Whether it says by `alarm` that a block may be wrong."""
        return self.error_detection != "none"

    @property
    def is_serial(self) -> bool:
        """Whether a round takes a state column by column."""
        return self.architecture == "column_serial"

    @property
    def is_key_expansion(self) -> bool:
        """Whether it is a key expansion alone: round keys, no blocks."""
        return self.architecture == "key_expand"

    @property
    def rounds(self) -> int:
        """Nr, the number of rounds (FIPS 197 Sec. 5): 10, 12 or 14."""
        return ROUNDS[self.key_bits]

    @property
    def key_words(self) -> int:
        """Nk, the number of 32-bit words of the key: 4, 6 or 8."""
        return self.key_bits // 32

    @property
    def unrolled_rounds(self) -> int:
        """How many rounds exist in hardware: 1 to Nr."""
        return self.rounds if isinstance(self.unroll, str) else self.unroll

    @property
    def is_unrolled(self) -> bool:
        """Whether all rounds exist in hardware."""
        return self.unroll == FULL

    @property
    def passes(self) -> int:
        """How often a block goes through the rounds that exist in hardware."""
        return self.rounds // self.unrolled_rounds

    @property
    def stages(self) -> int:
        """Pipeline stages in a round, in SubBytes and the linear part together."""
        return self.sbox_stages + self.linear_stages

    @property
    def is_agile(self) -> bool:
        """Whether a key comes with every block."""
        return self.key_schedule == "agile"

    @property
    def slot_bits(self) -> int:
        """Width of the slot ports, at least 1."""
        return max(1, ((self.key_slots or 1) - 1).bit_length())

    @property
    def key_sbox_style(self) -> str:
        """The style of the key schedule's S-boxes."""
        return self.sbox if self.key_sbox == "same" else self.key_sbox

    @property
    def sub_words_per_step(self) -> int:
        """SubWord circuits of a step of the key schedule that has any."""
        return 2 if self.scheme == "liu2014" else 1


_DECLARED = dataclasses.fields(Choices)
FIELDS: Mapping[str, Field] = {field.name: field.metadata["choice"] for field in _DECLARED}
DEFAULTS: Mapping[str, Any] = {field.name: field.default for field in _DECLARED}
FIELD_NAMES: tuple[str, ...] = tuple(FIELDS)

# The values of each field that is a plain choice; the ends of each that is a number with a range.
ALLOWED: dict[str, tuple[Any, ...]] = {
    name: field.allowed for name, field in FIELDS.items() if field.allowed
}
RANGES: dict[str, tuple[int, int]] = {
    name: field.span for name, field in FIELDS.items() if field.span
}
# Fields that a design may leave open.
OPTIONAL: tuple[str, ...] = tuple(name for name, default in DEFAULTS.items() if default is None)
# Representative values of each field: every choice, every divisor class of unroll, the ends and
# a middle of each range. A test that fills them in pairwise filters with `why_illegal`.
CHOICES: dict[str, tuple[Any, ...]] = {
    name: field.samples or field.allowed for name, field in FIELDS.items() if name != "name"
}

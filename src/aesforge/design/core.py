# SPDX-License-Identifier: Apache-2.0
"""A design: the small set of independent choices that fixes a core, and what follows from them.

`Design` is the one source of truth for parameters: the command line's options, the tables of the
documentation and the generated SystemVerilog wrappers derive from it. It refuses, with a message
that names the choices at odds and what is allowed, every set that the RTL does not build.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

from aesforge.design.fields import (
    ALLOWED,
    FIELD_NAMES,
    FULL,
    STANDARD_SCHEME,
    Choices,
    text_of,
)
from aesforge.design.key_steps import unrolled_key_steps
from aesforge.design.rules import ROUNDS, why_illegal
from aesforge.design.sbox import SBOX_STYLES
from aesforge.errors import UsageError

_KEY_WORDS = {128: 4, 192: 6, 256: 8}
# Cycles in which the inverse check compares (aesforge_inverse_core).
COMPARE_CYCLES = 2
# The slots of a stored key schedule that does not say how many.
_DEFAULT_SLOTS = {"pipeline": 2, "column_serial": 1}
# Cycles that a column takes through ShiftRows (aesforge_shift_rows), and the longest that anything
# stays in there.
_SHIFT_LATENCY = {"shift_register": 5, "addressed": 4}
_SHIFT_DEPTH = {"shift_register": 5, "addressed": 7}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Design(Choices):
    """One set of choices; immutable, hashable, and legal by construction.

    The choices are the fields of `Choices`.

    Raises:
        UsageError: a value is out of range, or two choices exclude each other.
    """

    tops: ClassVar[dict[str, str]] = {
        "pipeline": "aesforge_core",
        "column_serial": "aesforge_serial",
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
            object.__setattr__(self, "key_slots", _DEFAULT_SLOTS[self.architecture])
        if self.is_serial and self.shift_rows is None:
            object.__setattr__(self, "shift_rows", ALLOWED["shift_rows"][0])

    def choices(self) -> dict[str, Any]:
        """Return all fields by name, in their order."""
        return {field: getattr(self, field) for field in FIELD_NAMES}

    def to_toml(self) -> str:
        """Return the text of a design file that loads as this very design."""
        lines = []
        for field, value in self.choices().items():
            if value is not None:
                text = f'"{value}"' if isinstance(value, str) else text_of(value)
                lines.append(f"{field} = {text}")
        return "\n".join(lines) + "\n"

    def summary(self) -> str:
        """Return the design in one line of words."""
        if self.is_key_expansion:
            return self._summary_of_key_expansion()
        stages = f"{self.sbox_stages} + {self.linear_stages} pipeline stages per round"
        if self.is_serial:
            buffer = (
                "a shift register"
                if self.shift_rows == "shift_register"
                else "addressed shift registers"
            )
            stages += f", ShiftRows in {buffer}"
            shape = f"32-bit data path ({self.rounds} rounds)"
            tiles = ""
        elif self.is_unrolled:
            shape = f"unrolled ({self.rounds} rounds)"
            tiles = f", {self.tiles} blocks" if self.tiles > 1 else ""
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
        }[self.error_detection]
        return (
            f"{self.cipher_name} {self.direction}, {shape}{tiles}, {self.sbox} S-box, {stages}, "
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
            f"{self.sbox_stages} + {self.linear_stages} pipeline stages per step; "
            f"all round keys in {self.latency_cycles} cycles, a key {every}"
        )

    # --- Shape

    @property
    def top(self) -> str:
        """The module of the RTL that the design is, once its parameters are set."""
        if self.is_checked:
            return self.tops[self.error_detection]
        return self.tops[self.architecture]

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
        """Whether it is a key expansion alone: no blocks, round keys come out."""
        return self.architecture == "key_expand"

    @property
    def rounds(self) -> int:
        """Nr, the number of rounds (FIPS 197 Sec. 5): 10, 12 or 14."""
        return ROUNDS[self.key_bits]

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
        """Pipeline stages in a round, in SubBytes and the linear part together."""
        return self.sbox_stages + self.linear_stages

    @property
    def key_runs_ahead(self) -> bool:
        """Whether the key makes a forward run of its own before the block starts.

        An agile core that can decrypt must know the last round key first; an encrypting block of
        such a core waits as long, so that the latency stays one number.
        """
        return self.is_agile and self.direction != "encrypt"

    @property
    def blocks_per_beat(self) -> int:
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
        if self.error_detection == "inverse":
            return sum(core.latency_cycles for core in self.checked_by_inverse) + COMPARE_CYCLES
        runs = 2 if self.key_runs_ahead else 1
        # A column has a stage of its own before the first round, and waits for the other three.
        return runs * self.rounds * self.round_latency + (5 if self.is_serial else 1)

    @property
    def checked_by_inverse(self) -> tuple[Design, Design]:
        """The core, and the inverse core that checks its results."""
        opposite = {"encrypt": "decrypt", "decrypt": "encrypt", "both": "both"}[self.direction]
        there = dataclasses.replace(self, error_detection="none")
        return there, dataclasses.replace(there, direction=opposite)

    @property
    def latency_sum(self) -> str:
        """How the latency comes about: rounds x pipeline stages of a round + what is around."""
        runs = "2 x " if self.key_runs_ahead else ""
        stages = f"{self.sbox_stages} + {self.linear_stages}"
        if self.is_serial:
            return f"{self.rounds} x ({stages} + {self.shift_rows_latency}) + 5"
        if self.error_detection == "inverse":
            there, back = self.checked_by_inverse
            return (
                f"{there.latency_sum} there, {back.latency_sum} back, {COMPARE_CYCLES} to compare"
            )
        return f"{runs}{self.rounds} x ({stages}) + 1"

    @property
    def interval(self) -> float:
        """Cycles from one accepted beat (`blocks` blocks) to the next, on average, at full load.

        A looped core's port is one block wide, so that more tiles than passes do not help. A looped
        key expansion makes a pass more than it has steps, and looks for the next key after it.
        """
        if self.is_serial:
            return 4.0
        if self.is_key_expansion and not self.is_unrolled:
            return float((self.rounds + 1) * self.stages + 1)
        return 1.0 if self.is_unrolled else max(1.0, self.passes / self.tiles)

    @property
    def blocks_per_cycle(self) -> float:
        """Blocks, or keys to be expanded, accepted each cycle, on average, at full load."""
        return self.blocks_per_beat / self.interval

    @property
    def blocks_in_flight(self) -> int:
        """Blocks, or keys under way, that the core holds at once at full load.

        A tile without stages holds one, in its output register.
        """
        if self.is_serial:
            return -(-self.latency_cycles // 4)
        if self.is_key_expansion and not self.is_unrolled:
            return 1
        if self.error_detection == "inverse":
            # A block keeps its place in the delays from one end to the other.
            return int(-(-self.latency_cycles // self.interval)) * self.blocks_per_beat
        runs = 2 if self.key_runs_ahead else 1
        return max(1, runs * self.unrolled_rounds * self.stages) * self.tiles

    @property
    def zeroize_cycles(self) -> int:
        """The most cycles from a `zeroize` pulse until no register depends on a secret any more."""
        if self.shift_rows is not None:
            # The last round key first, then a column of zeros through all.
            return self.rounds * (self.stages + _SHIFT_DEPTH[self.shift_rows] + 1) + 3
        if self.error_detection == "inverse":
            # The first core, then what its last words and those of the delays pass through.
            return self.checked_by_inverse[0].zeroize_cycles + self.latency_cycles
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
        """Key schedules that run beside the data: blocks share one, looped tiles have one each."""
        if not self.is_agile:
            return 0
        return 1 if self.is_unrolled else self.tiles

    @property
    def data_sbox_count(self) -> int:
        """S-boxes of the data path, one for each byte of a round's data path."""
        if self.is_key_expansion:
            return 0
        if self.error_detection == "inverse":
            return sum(core.data_sbox_count for core in self.checked_by_inverse)
        return (4 if self.is_serial else 16) * self.unrolled_rounds * self.tiles

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
        if self.error_detection == "inverse":
            return sum(core.key_sbox_count for core in self.checked_by_inverse)
        if not self.is_agile and not self.is_serial:
            return 4 * self.sub_words_per_step
        if not self.is_standard:
            return 4 * self.sub_words_per_step * self.unrolled_rounds * self.key_chains
        runs = 2 if self.key_runs_ahead else 1
        if not self.is_unrolled:
            return 4 * self.unrolled_rounds * self.key_chains * runs
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
        """Return the parameters of the design's module, by name, in the module's order."""
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
            if self.error_detection == "parity":
                others += ("Direction",)
        return {name: value for name, value in values.items() if name not in others}


def load_choices(source: str, choices: Mapping[str, Any]) -> Design:
    """Return the design of some choices by name; what is left out has its default.

    Args:
        source: where they come from, for messages.
        choices: field name to value.

    Raises:
        UsageError: a field is unknown, a value is out of range, or two choices exclude each other.
    """
    if why := why_illegal(choices):
        raise UsageError(f"{source}: {why}")
    return Design(**choices)

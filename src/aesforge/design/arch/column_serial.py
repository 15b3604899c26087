# SPDX-License-Identifier: Apache-2.0
"""A column per cycle through all rounds, a block every four cycles: aesforge_serial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from aesforge.design.arch.base import ALL_ROUNDS, BLOCK_BITS, Architecture, sub_word_steps
from aesforge.design.fields import ALLOWED, STANDARD_SCHEME, Choices
from aesforge.design.rules import Only

# Columns of a state.
_COLUMNS = 4
_COLUMN_BITS = 32
# Cycles that a column takes through ShiftRows (aesforge_shift_rows); the longest that anything
# stays in there; its flip-flops, two states or the bytes of its rows.
_SHIFT_LATENCY = {"shift_register": 5, "addressed": 4}
_SHIFT_DEPTH = {"shift_register": 5, "addressed": 7}
_SHIFT_BITS = {"shift_register": 2 * BLOCK_BITS, "addressed": 8 * (4 + 7 + 6 + 5)}


class ColumnSerial(Architecture):
    """Rounds of a column each, with one stored key."""

    takes: ClassVar[Mapping[str, Only]] = {
        "unroll": Only(ALL_ROUNDS, "it has all rounds in hardware"),
        "tiles": Only((1,), "it is built once"),
        "key_schedule": Only(("stored",), "it expands a key once and stores it"),
        "key_slots": Only((None, 1), "it stores 1 key"),
        "scheme": Only((STANDARD_SCHEME,), "only the standard's key expansion is built for it"),
        "error_detection": Only(("none",), "it is built without error detection"),
    }
    top = "aesforge_serial"
    parameters: ClassVar[tuple[str, ...]] = (
        *("KeyBits", "Direction", "SboxStyle", "KeySboxStyle", "SboxStages", "LinearStages"),
        *("MixStyle", "ShiftStyle", "TagBits", "DelayStyle"),
    )

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        self.roles = {"clock": "clk", "block": "in_block", "key": "key", "result": "out_block"}
        assert choices.shift_rows is not None
        rounds, stages = choices.rounds, choices.stages
        self.shift_rows_latency = _SHIFT_LATENCY[choices.shift_rows]

        # A column has an extra stage before the first round, and waits for the other three.
        self.latency_cycles = rounds * (stages + self.shift_rows_latency) + 5
        self.latency_sum = (
            f"{rounds} x ({choices.sbox_stages} + {choices.linear_stages} + "
            f"{self.shift_rows_latency}) + 5"
        )
        self.interval = float(_COLUMNS)
        self.blocks_in_flight = -(-self.latency_cycles // _COLUMNS)
        # A step of the key expansion has stages in SubWord and one after the new words.
        step = choices.sbox_stages + 1
        # The last round key first, then a column of zeros through all.
        self.zeroize_cycles = rounds * (step + stages + _SHIFT_DEPTH[choices.shift_rows]) + 3
        # Blocks to encrypt follow their key; the inverse cipher begins with the last round key.
        self.key_load_cycles = (rounds if choices.direction == "decrypt" else 3) * step + 1
        self.key_expansion_cycles = rounds * step + 2

        self.data_sbox_count = _COLUMN_BITS // 8 * rounds
        self.key_sbox_count = 4 * sub_word_steps(choices.key_bits, last_window=False)
        # A column per stage; the columns in front of the first round and the block after the last;
        # a window of the key expansion and a column of its round key per round.
        a_round = _COLUMN_BITS * choices.linear_stages + _SHIFT_BITS[choices.shift_rows]
        a_round += choices.key_bits + _COLUMN_BITS * (2 if choices.direction == "both" else 1)
        self.flip_flops_about = (
            rounds * a_round
            + 2 * BLOCK_BITS
            + choices.key_bits
            + self.data_sbox_flip_flops()
            + self.key_sbox_flip_flops()
            + self.delay_flip_flops(choices.tag_bits, self.latency_cycles)
        )

    @staticmethod
    def filled_in(choices: Choices) -> Mapping[str, Any]:
        """Return the one slot, and the first of the buffers for ShiftRows."""
        return {"key_slots": 1, "shift_rows": ALLOWED["shift_rows"][0]}

    def meanings(self) -> dict[str, str]:
        """Return what each choice means here, by name."""
        return super().meanings() | {
            "architecture": "32-bit data path",
            "unroll": f"{self.choices.rounds} rounds in hardware, a block makes 1 pass",
            "key_slots": "number of key slots",
            "shift_rows": "how ShiftRows buffers the columns",
        }

    def summary(self) -> str:
        """Return the design in one line of words."""
        buffer = {
            "shift_register": "a shift register",
            "addressed": "addressed shift registers",
        }[self.choices.shift_rows or ""]
        return self.summary_of_cipher(
            f"32-bit data path ({self.choices.rounds} rounds)",
            f", ShiftRows in {buffer}",
            "one stored key",
        )

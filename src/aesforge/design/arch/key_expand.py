# SPDX-License-Identifier: Apache-2.0
"""The key expansion alone, iterative or pipelined: aesforge_key_core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from aesforge.design.arch.base import ALL_ROUNDS, Architecture, sub_word_steps
from aesforge.design.fields import STANDARD_SCHEME, Choices
from aesforge.design.rules import Only

_STANDARD = "alone, only the standard's key expansion is built"


class KeyExpand(Architecture):
    """A key expansion alone: keys in, round keys out."""

    takes: ClassVar[Mapping[str, Only]] = {
        "unroll": Only(
            (*ALL_ROUNDS, 1),
            "all its steps are in a row, or one is used again: unroll is full or 1",
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
        "scheme": Only((STANDARD_SCHEME,), _STANDARD),
        "research": Only((False,), _STANDARD),
        "error_detection": Only(("none",), "it is built without error detection"),
    }
    top = "aesforge_key_core"
    parameters: ClassVar[tuple[str, ...]] = (
        "KeyBits",
        "Unroll",
        "SboxStyle",
        "SboxStages",
        "LinearStages",
        "TagBits",
    )

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        self.roles = {"clock": "clk", "key": "in_key", "result": "out_round_keys"}
        rounds, stages = choices.rounds, choices.stages
        self.latency_cycles = rounds * stages
        self.latency_sum = f"{rounds} x ({choices.sbox_stages} + {choices.linear_stages})"
        ring = choices.unrolled_rounds * stages
        self.zeroize_cycles = ring + 2
        self.data_sbox_count = 0
        if choices.is_unrolled:
            self.interval = 1.0
            self.blocks_in_flight = max(1, ring)
            self.key_sbox_count = 4 * sub_word_steps(choices.key_bits, last_window=False)
        else:
            # A pass more than there are steps, and then it looks for the next key.
            self.interval = float((rounds + 1) * stages + 1)
            self.blocks_in_flight = 1
            self.key_sbox_count = 4
        # A window a stage, with its tag; of a step that is used again, one tag for all.
        tags = ring if choices.is_unrolled else 1
        self.flip_flops_about = (
            choices.key_bits * ring + choices.tag_bits * tags + self.key_sbox_flip_flops()
        )

    def meanings(self) -> dict[str, str]:
        """Return what each choice means here, by name."""
        one = self.choices
        return super().meanings() | {
            "architecture": "key expansion alone",
            "unroll": "all steps unrolled" if one.is_unrolled else f"one step, {one.rounds} times",
            "sbox": "how SubWord is built",
            "sbox_stages": "pipeline stages in SubWord",
            "linear_stages": "pipeline stages in the rest of a step",
            "tag_bits": "width of the tag that travels with a key",
        }

    def summary(self) -> str:
        """Return the design in one line of words."""
        one = self.choices
        shape = f"all {one.rounds} steps in a row" if one.is_unrolled else "one step"
        every = "every cycle" if self.interval == 1 else f"every {self.interval:g} cycles"
        return (
            f"key expansion of AES-{one.key_bits}, {shape}, {one.sbox} S-box, "
            f"{one.sbox_stages} + {one.linear_stages} pipeline stages per step; "
            f"all round keys in {self.latency_cycles} cycles, a key {every}"
        )

# SPDX-License-Identifier: Apache-2.0
"""Whole states through rounds in a row, or through a ring of fewer: aesforge_core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from aesforge.design.arch.base import BLOCK_BITS, Architecture, sub_word_steps
from aesforge.design.fields import STANDARD_SCHEME, Choices
from aesforge.design.rules import Only, rule


class Pipeline(Architecture):
    """A 128-bit data path, unrolled or looped; a key with each block, or keys stored in slots."""

    takes: ClassVar[Mapping[str, Only]] = {
        "key_slots": Only((None, *range(2, 17)), "it stores 2 to 16 keys"),
        "shift_rows": Only((None,), "where a whole state comes at once, ShiftRows is wires"),
    }
    top = "aesforge_core"
    parameters: ClassVar[tuple[str, ...]] = (
        *("KeyBits", "Direction", "Unroll", "SboxStyle", "KeySboxStyle", "SboxStages"),
        *("LinearStages", "MixStyle", "KeySlots", "Tiles", "TagBits", "DelayStyle"),
    )

    meaning_of_protection = "no alarm"

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        key = "in_key" if choices.is_agile else "key"
        self.roles = {"clock": "clk", "block": "in_block", "key": key, "result": "out_block"}
        rounds, stages, tiles = choices.rounds, choices.stages, choices.tiles
        # An agile core that can decrypt must know the last round key first; an encrypting block
        # of such a core waits as long, so that the latency stays one number.
        self.key_runs_ahead = choices.is_agile and choices.direction != "encrypt"
        runs = 2 if self.key_runs_ahead else 1
        # The stages of a tile, each of which can hold a block.
        self.ring = choices.unrolled_rounds * stages

        self.latency_cycles = runs * rounds * stages + 1
        self.latency_sum = (
            f"{'2 x ' if self.key_runs_ahead else ''}{rounds} x "
            f"({choices.sbox_stages} + {choices.linear_stages}) + 1"
        )
        # A looped core's port is one block wide: more tiles than passes do not help.
        self.interval = 1.0 if choices.is_unrolled else max(1.0, choices.passes / tiles)
        self.blocks_per_beat = tiles if choices.is_unrolled else 1
        # A tile without stages holds one block, in its output register.
        self.blocks_in_flight = max(1, runs * self.ring) * tiles
        self.zeroize_cycles = max(self.ring, self._stored_words()) + 4
        if not choices.is_agile:
            # A register in front of the stores.
            self.key_load_cycles = self.key_expansion_cycles = rounds * stages + 3
            if choices.is_unrolled:
                # What enters before its slot is zeroized goes to the end.
                self.zeroize_cycles = self.ring + self._stored_words() + 5

        self.data_sbox_count = 16 * choices.unrolled_rounds * tiles
        self.key_sbox_count = 4 * choices.sub_words_per_step * self._sub_words(runs)
        self.flip_flops_about = self._flip_flops_about(runs)

    @staticmethod
    def filled_in(choices: Choices) -> Mapping[str, Any]:
        """Return how many slots a stored key schedule has that does not say it."""
        return {} if choices.is_agile else {"key_slots": 2}

    def meanings(self) -> dict[str, str]:
        """Return what each choice means here, by name."""
        one = self.choices
        passes = "1 pass" if one.passes == 1 else f"{one.passes} passes"
        rounds = "1 round" if one.unrolled_rounds == 1 else f"{one.unrolled_rounds} rounds"
        tiles = "blocks that share one key" if one.is_unrolled else "pipelines fed in turn"
        return super().meanings() | {
            "architecture": "128-bit data path",
            "unroll": f"{rounds} in hardware, a block makes {passes}",
            "key_schedule": "a key with every block" if one.is_agile else "keys are stored",
            "key_slots": "no key is stored" if one.is_agile else "number of key slots",
            "tiles": tiles if one.tiles > 1 else "one pipeline",
            "scheme": "key expansion of FIPS 197 Sec. 5.2" if one.is_standard else "NOT AES",
            "error_detection": self.meaning_of_protection,
        }

    def summary(self) -> str:
        """Return the design in one line of words."""
        one = self.choices
        shape = (
            f"unrolled ({one.rounds} rounds)"
            if one.is_unrolled
            else f"looped ({one.unrolled_rounds} of {one.rounds} rounds)"
        )
        if one.tiles > 1:
            shape += f", {one.tiles} {'blocks' if one.is_unrolled else 'tiles'}"
        keys = "a key with every block" if one.is_agile else f"keys in {one.key_slots} slots"
        return self.summary_of_cipher(shape, "", keys + self.summary_of_protection())

    def summary_of_protection(self) -> str:
        """Return the summary's text about error detection."""
        return ""

    def _stored_words(self) -> int:
        """Return the words of a memory of round keys: slot, pass and direction are its address."""
        if self.choices.key_slots is None:
            return 0
        slots = 1 << (self.choices.key_slots - 1).bit_length()
        passes = 1 << (self.choices.passes - 1).bit_length()
        return slots * passes * (2 if self.choices.direction == "both" else 1)

    def _sub_words(self, runs: int) -> int:
        """Return the steps of the key schedule in hardware that have a SubWord."""
        one = self.choices
        if not one.is_agile:
            return 1  # the key loader's
        # The blocks of an unrolled core share a key; each looped tile has its own schedule.
        if not one.is_unrolled:
            return one.unrolled_rounds * one.tiles * runs
        if not one.is_standard:
            return one.rounds
        return runs * sub_word_steps(one.key_bits, last_window=one.direction != "encrypt")

    def _flip_flops_about(self, runs: int) -> int:
        """Return a closed form: a state or a window of keys per stage, the output, delays."""
        one = self.choices
        rings = 1 if one.is_unrolled else one.tiles
        states = one.unrolled_rounds * one.linear_stages * one.tiles
        bits = BLOCK_BITS * (states + one.tiles)
        bits += self.data_sbox_flip_flops() + self.key_sbox_flip_flops()
        bits += rings * self.delay_flip_flops(one.tag_bits, self.ring)
        if one.key_slots is None:
            bits += runs * rings * one.key_bits * self.ring
        else:
            # The loader's windows and, in a ring, its output; a first round key a slot, and the
            # output of each memory.
            ways = 2 if one.direction == "both" else 1
            bits += one.key_bits * (one.stages + 1) + (0 if one.is_unrolled else BLOCK_BITS)
            bits += ways * BLOCK_BITS * (one.key_slots + rings * one.unrolled_rounds)
        if self.key_runs_ahead:
            waiting = BLOCK_BITS * self.blocks_per_beat + one.tag_bits
            bits += rings * self.delay_flip_flops(waiting, self.ring)
        return bits


@rule("scheme", "key_schedule", "direction")
def _scheme_runs_backwards(scheme: str, key_schedule: str, direction: str) -> str | None:
    if scheme == STANDARD_SCHEME or key_schedule == "stored" or direction == "encrypt":
        return None
    return (
        f"scheme = {scheme}, key_schedule = agile and direction = {direction} exclude each other: "
        "this key expansion cannot be run backwards, beside a block that is deciphered; set "
        "key_schedule = stored, which keeps the round keys"
    )

# SPDX-License-Identifier: Apache-2.0
"""What each architecture defines: legal choices, times, sizes and module."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any, ClassVar

from aesforge.design.fields import FIELDS, FULL, ROUNDS, Choices
from aesforge.design.rules import Only
from aesforge.design.sbox import sbox_flip_flops

ALL_ROUNDS = (FULL, *ROUNDS.values())
BLOCK_BITS = 128
# aesforge_delay: shallower delays are flip-flops whatever the style.
_RAM_DELAY_FROM = 8


class Architecture(abc.ABC):
    """A module of the RTL under a set of choices.

    `takes` limits the values of choices; `parameters` names the module's parameters in its order.
    `Design` has properties of the other names, which say what each is.
    """

    takes: ClassVar[Mapping[str, Only]]
    top: ClassVar[str]
    roles: Mapping[str, str]
    parameters: ClassVar[tuple[str, ...]]

    latency_cycles: int
    latency_sum: str
    interval: float
    zeroize_cycles: int
    key_load_cycles: int | None = None
    key_expansion_cycles: int | None = None
    key_runs_ahead: bool = False
    blocks_per_beat: int = 1
    blocks_in_flight: int
    shift_rows_latency: int = 0
    data_sbox_count: int
    key_sbox_count: int
    flip_flops_about: int

    def __init__(self, choices: Choices) -> None:
        self.choices = choices

    @staticmethod
    def filled_in(choices: Choices) -> Mapping[str, Any]:
        """Return the values of choices that this architecture has and that were left open."""
        return {}

    def meanings(self) -> dict[str, str]:
        """Return the meaning of each choice here, by name: its help, or a text in its place."""
        one = self.choices
        return {
            **{name: field.help for name, field in FIELDS.items()},
            "key_bits": f"Nk = {one.key_words}, Nr = {one.rounds}",
            "direction": "selected for each block" if one.direction == "both" else "",
            "sbox": "how SubBytes is built",
            "research": "allows a scheme that is not AES",
            **{name: only.reason for name, only in self.takes.items() if len(only.values) == 1},
        }

    @abc.abstractmethod
    def summary(self) -> str:
        """Return the design in one line of words."""

    def rtl_parameters(self) -> dict[str, int]:
        """Return the parameters of the module, by name, in the module's order."""
        one = self.choices
        spelled: dict[str, Any] = {"unroll": one.unrolled_rounds, "key_sbox": one.key_sbox_style}
        values: dict[str, int] = {}
        for name, field in FIELDS.items():
            value = spelled.get(name, getattr(one, name))
            if field.constants and value is not None:
                value = list(field.constants).index(value)
            values[field.parameter] = value or 0
        return {name: values[name] for name in self.parameters}

    def summary_of_cipher(self, shape: str, stages: str, keys: str) -> str:
        """Return one line of words about an architecture that takes blocks.

        Args:
            shape: its rounds and tiles.
            stages: contents of a round other than its pipeline stages.
            keys: where keys are, and how blocks are checked.
        """
        one = self.choices
        rate = f"{self.blocks_per_beat / self.interval:.4g}"
        return (
            f"{one.cipher_name} {one.direction}, {shape}, {one.sbox} S-box, "
            f"{one.sbox_stages} + {one.linear_stages} pipeline stages per round{stages}, {keys}; "
            f"latency {self.latency_cycles} cycles, {rate} block{'s' if rate != '1' else ''} "
            "a cycle"
        )

    # --- Flip-flops, about

    def data_sbox_flip_flops(self) -> int:
        """Return the flip-flops inside the S-boxes of the data path."""
        one = self.choices
        return self.data_sbox_count * sbox_flip_flops(one.sbox, one.sbox_stages, one.direction)

    def key_sbox_flip_flops(self) -> int:
        """Return the flip-flops inside the S-boxes of the key schedule."""
        one = self.choices
        each = sbox_flip_flops(one.key_sbox_style, one.sbox_stages, "encrypt")
        return self.key_sbox_count * each

    def delay_flip_flops(self, width: int, cycles: int) -> int:
        """Return the flip-flops of a delay: all of it, or the output register of a RAM."""
        if self.choices.delay_line == "ram" and cycles >= _RAM_DELAY_FROM:
            return width
        return width * cycles


def sub_word_steps(key_bits: int, *, last_window: bool) -> int:
    """Return how many of the Nr steps of a key schedule have a SubWord (FIPS 197 Sec. 5.2).

    Args:
        key_bits: 128, 192 or 256.
        last_window: whether all words of the last step are used, with which a decrypting schedule
            begins, or only those of the last round key.
    """
    nk, rounds = key_bits // 32, ROUNDS[key_bits]
    words = nk + 4 * rounds if last_window else 4 * (rounds + 1)
    return sum(i % nk == 0 or (nk > 6 and i % nk == 4) for i in range(nk, words))

# SPDX-License-Identifier: Apache-2.0
"""Error detection around a pipeline: parity of each byte, or an inverse check of each result."""

from __future__ import annotations

import dataclasses

from aesforge.design.arch.base import BLOCK_BITS
from aesforge.design.arch.pipeline import Pipeline
from aesforge.design.fields import FULL, ROUNDS, STANDARD_SCHEME, Choices
from aesforge.design.rules import rule

# Cycles in which the inverse check compares (aesforge_inverse_core).
COMPARE_CYCLES = 2
_OPPOSITE = {"encrypt": "decrypt", "decrypt": "encrypt", "both": "both"}


class Parity(Pipeline):
    """A pipeline that predicts the parity of each byte through each round."""

    top = "aesforge_parity_core"
    parameters = tuple(
        name for name in Pipeline.parameters if name not in ("Direction", "KeySlots")
    )

    meaning_of_protection = "a bit per byte, predicted through each round"

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        # A bit for each byte of a state or a key.
        inside = self.data_sbox_flip_flops() + self.key_sbox_flip_flops()
        self.flip_flops_about += (self.flip_flops_about - inside) // 8

    def summary_of_protection(self) -> str:
        """Return what the summary says of error detection."""
        return ", checked by parity"


class Inverse(Pipeline):
    """A pipeline, and the inverse pipeline that checks its results."""

    top = "aesforge_inverse_core"
    parameters = tuple(name for name in Pipeline.parameters if name != "KeySlots")

    meaning_of_protection = "inverse check: each result is decrypted again and compared"

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        plain = dataclasses.replace(choices, error_detection="none")
        there = Pipeline(plain)
        back = Pipeline(dataclasses.replace(plain, direction=_OPPOSITE[choices.direction]))

        self.latency_cycles = there.latency_cycles + back.latency_cycles + COMPARE_CYCLES
        self.latency_sum = (
            f"{there.latency_sum} there, {back.latency_sum} back, {COMPARE_CYCLES} to compare"
        )
        # A block keeps its place in the delays from one end to the other.
        self.blocks_in_flight = int(-(-self.latency_cycles // self.interval)) * self.blocks_per_beat
        # The first core, then the stages after it and after the delays.
        self.zeroize_cycles = there.zeroize_cycles + self.latency_cycles
        self.data_sbox_count = there.data_sbox_count + back.data_sbox_count
        self.key_sbox_count = there.key_sbox_count + back.key_sbox_count
        # Two pipelines; beside them the key for the second, the block, its result with a parity
        # bit per byte, and the tag.
        data = BLOCK_BITS * self.blocks_per_beat
        self.flip_flops_about = (
            there.flip_flops_about
            + back.flip_flops_about
            + self.delay_flip_flops(choices.key_bits, there.latency_cycles)
            + self.delay_flip_flops(data, there.latency_cycles + back.latency_cycles)
            + self.delay_flip_flops(data + data // 8, back.latency_cycles + COMPARE_CYCLES)
            + self.delay_flip_flops(choices.tag_bits, self.latency_cycles)
        )

    def summary_of_protection(self) -> str:
        """Return what the summary says of error detection."""
        return ", checked by taking each result back"


PROTECTIONS: dict[str, type[Pipeline]] = {"parity": Parity, "inverse": Inverse}


# --- What excludes what -------------------------------------------------------------------------


@rule("error_detection", "key_schedule")
def _keys_come_twice(error_detection: str, key_schedule: str) -> str | None:
    if error_detection == "none" or key_schedule == "agile":
        return None
    return (
        f"error_detection = {error_detection} and key_schedule = stored exclude each other: one "
        "expansion would fill both copies, and an SEU in it would agree in both; set "
        "key_schedule = agile, or error_detection = none"
    )


@rule("error_detection", "scheme")
def _aes_is_checked(error_detection: str, scheme: str) -> str | None:
    if error_detection == "none" or scheme == STANDARD_SCHEME:
        return None
    return (
        f"error_detection = {error_detection} and scheme = {scheme} exclude each other: error "
        "detection is built for the standard's key expansion only; set scheme = "
        f"{STANDARD_SCHEME}, or error_detection = none"
    )


@rule("error_detection", "direction")
def _parity_goes_forwards(error_detection: str, direction: str) -> str | None:
    if error_detection != "parity" or direction == "encrypt":
        return None
    return (
        f"error_detection = parity and direction = {direction} exclude each other: parity is "
        "predicted through the rounds of the cipher only, not of its inverse; set direction = "
        "encrypt, or error_detection = inverse"
    )


@rule("error_detection", "sbox_stages", "linear_stages")
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


@rule("error_detection", "key_bits", "unroll", "tiles")
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

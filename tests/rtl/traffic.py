# SPDX-License-Identifier: Apache-2.0
"""Blocks through a cipher, tile or core at its own ports: random traffic, and what must come out.

These are smoke tests: the many designs, published vectors and long runs are tested through
`aesforge.simulate`, whose driver checks the same things faster.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from fips197 import decrypt, encrypt, last_window, rounds, summed
from rtl_bench import Driver, Faults, Instance, Outputs

TAG_BITS = 11


def stages(one: Instance) -> int:
    return one["SboxStages"] + one["LinearStages"]


def passes(one: Instance) -> int:
    return rounds(one["KeyBits"]) // one["Unroll"]


def stored(one: Instance) -> bool:
    return one.parameters.get("KeySlots", 0) > 1


def slot_bits(parameters: Mapping[str, int]) -> int:
    slots = parameters.get("KeySlots", 0)
    return (slots - 1).bit_length() if slots > 1 else 1


class Traffic:
    """What one instance is given and must give back.

    Args:
        one: the instance; its ports are those of aesforge_core, or of aesforge_cipher with
            ``in_window`` and ``zeroize``.
        latency: cycles from a block's acceptance to its leaving.
        blocks: blocks side by side.
        rings: cores only: rings that take blocks in turn.
    """

    def __init__(
        self, one: Instance, latency: int, blocks_per_beat: int = 1, rings: int = 1
    ) -> None:
        self.one = one
        self.latency = latency
        self.blocks_per_beat = blocks_per_beat
        self.rings = rings
        self.bits = one["KeyBits"]
        self.keys: dict[int, int] = {}  # by slot, of those that hold one
        self.under_way: dict[int, tuple[int, int]] = {}  # cycle of leaving -> block, tag
        self.entered: list[list[int]] = [[] for _ in range(rings)]
        self.given: dict[str, int] = {}
        self.left = 0
        self.full = 0

    def offer(self, draw: random.Random, share: float) -> dict[str, int]:
        """Values for this instance's own inputs of the next cycle."""
        one = self.one
        self.key = draw.getrandbits(self.bits)
        self.given = {
            "in_valid": int(draw.random() < share),
            "in_decrypt": draw.randrange(2),
            "in_tag": draw.getrandbits(TAG_BITS),
            "in_block": draw.getrandbits(128 * self.blocks_per_beat),
        }
        if "in_slot" in one.inputs:
            self.given["in_slot"] = draw.randrange(2 ** one.inputs["in_slot"][1])
        if "in_window" in one.inputs and stored(one):
            # Whether the slot holds a key is the core's business, not the cipher's.
            self.given["in_slot"] = draw.choice([*self.keys] or [0])
            self.given["in_valid"] &= bool(self.keys)
        if "in_key" in one.inputs:
            self.given["in_key"] = self.key
        if "in_window" in one.inputs:
            window = last_window(self.key, self.bits) if self.decrypts() else self.key
            self.given["in_window"] = summed(window) if one.parameters.get("Summed") else window
        return self.given

    def decrypts(self) -> bool:
        direction = self.one["Direction"]
        return direction == 1 or (direction == 2 and self.given["in_decrypt"] == 1)

    def cycle(self, now: int, outputs: Outputs, faults: Faults, *, zeroize: bool = False) -> None:
        """Compare a cycle's outputs; note what was accepted."""
        one, given = self.one, self.given
        where = f"cycle {now}"
        places, life = one["Unroll"] * stages(one), passes(one) * one["Unroll"] * stages(one)
        free = [
            ring
            for ring in range(self.rings)
            if not any(now - t < life and (now - t) % places == 0 for t in self.entered[ring])
        ]
        slot_ready = not stored(one) or given["in_slot"] in self.keys
        ready = bool(free) and not zeroize and (slot_ready or "in_window" in one.inputs)
        got = outputs.of(one, "in_ready")
        faults.check(one, got, int(ready), f"in_ready in {where}")
        self.full += not free
        leaving = self.under_way.pop(now, None)
        faults.check(
            one, outputs.of(one, "out_valid"), int(leaving is not None), f"valid in {where}"
        )
        if leaving is not None:
            faults.check(one, outputs.of(one, "out_block"), leaving[0], f"block in {where}")
            faults.check(one, outputs.of(one, "out_tag"), leaving[1], f"tag in {where}")
            self.left += 1
        if zeroize:
            self.forget()
        elif given["in_valid"] and ready:
            function = decrypt if self.decrypts() else encrypt
            key = self.keys[given["in_slot"]] if stored(one) else self.key
            block = 0
            for block_index in range(self.blocks_per_beat):
                part = (given["in_block"] >> (128 * block_index)) % 2**128
                block |= function(part, key, self.bits) << (128 * block_index)
            self.under_way[now + self.latency] = (block, given["in_tag"])
            ring = self.entered[free[0]]
            ring[:] = [then for then in ring if now - then < life]
            ring.append(now)

    def forget(self) -> None:
        """All blocks under way are gone; one at the output in this very cycle has left."""
        for ring in self.entered:
            ring.clear()
        self.under_way.clear()


async def run(
    driver: Driver,
    traffics: Sequence[Traffic],
    draw: random.Random,
    share: float,
    cycles: int,
    faults: Faults,
    extra: Callable[[], dict[str, int]] = dict,
) -> None:
    """Random traffic on all instances; ``extra`` gives shared inputs."""
    for _ in range(cycles):
        own = {t.one.name: t.offer(draw, share) for t in traffics}
        now = driver.number
        shared = extra()
        outputs = await driver.cycle(shared, own)
        for traffic in traffics:
            traffic.cycle(now, outputs, faults, zeroize=bool(shared.get("zeroize")))

# SPDX-License-Identifier: Apache-2.0
"""The ports of a mode around a core that this side of the bench stands for."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence

from rtl_bench import Bench, Driver, Faults, Instance, Outputs

FULL = 0xFFFF


def mask(keep: int, blocks: int = 1) -> int:
    """Return the bits of a beat that are kept; byte 0 at the top."""
    return int.from_bytes(bytes(0xFF * (keep >> i & 1) for i in range(16 * blocks)), "big")


def split(data: int, blocks: int) -> list[int]:
    """Return the blocks of a beat; the first is at the top."""
    return [data >> 128 * (blocks - 1 - b) & (1 << 128) - 1 for b in range(blocks)]


def joined(blocks: Sequence[int]) -> int:
    """Return the beat of some blocks."""
    return sum(block << 128 * (len(blocks) - 1 - b) for b, block in enumerate(blocks))


class ModePorts:
    """Beats in; the core of a mode; and what each beat must come out as.

    Args:
        one: the instance, with the parameter `Latency`, and `Blocks` where a beat may have several.
        seed: of its traffic.
        turn: a block through the core, from its block, its side and whether it is decrypted.
    """

    def __init__(self, one: Instance, seed: int, turn: Callable[[int, int, int], int]) -> None:
        self.one, self.draw, self.turn = one, random.Random(seed), turn
        self.beat_blocks = one.parameters.get("Blocks", 1)
        self.left = 0
        self.reset()

    def reset(self) -> None:
        self.queue: deque[dict[str, int]] = deque()
        self.core: deque[int | None] = deque([None] * self.one["Latency"])
        self.xors: deque[tuple[int, int]] = deque()  # of the beats inside, with what is kept
        self.expected: deque[int | None] = deque()  # None: whatever comes out
        self.offered: dict[str, int] = {}
        self.entered = self.blocks = 0  # cycles with blocks: of the core; of the beats

    def packet(self) -> None:
        """Queue a random packet, with what its beats must come out as."""
        raise NotImplementedError

    def blocks_of(self, beat: dict[str, int]) -> int:
        """Return in how many cycles blocks enter the core for a beat."""
        return beat["beat_block"]

    def fill(self) -> None:
        while len(self.queue) < 4:
            self.packet()

    def offer(self, share: float) -> dict[str, int]:
        if self.queue and (self.offered or self.draw.random() < share):
            self.offered = self.queue[0]
        block = self.core.popleft()
        out = self.draw.getrandbits(128 * self.beat_blocks) if block is None else block
        return {**self.offered, "out_block": out}

    def after(self, now: int, outputs: Outputs, faults: Faults) -> None:
        def got(port: str) -> int:
            return outputs.of(self.one, port)

        def wrong(text: str) -> None:
            faults.first.setdefault(self.one.name, f"cycle {now}: {text}")

        way = got("core_decrypt") if "core_decrypt" in self.one.outputs else 0
        blocks = split(got("core_block"), self.beat_blocks)
        turned = joined([self.turn(block, got("core_side"), way) for block in blocks])
        self.core.append(turned if got("core_valid") else None)
        self.entered += got("core_valid")
        if self.offered and got("beat_ready"):
            self.queue.popleft()
            self.blocks += self.blocks_of(self.offered)
            xor = got("beat_xor") if "beat_xor" in self.one.outputs else 0
            self.xors.append((xor, self.offered["beat_keep"]))
            self.offered = {}
        if got("result_valid"):
            if not self.xors:
                wrong("a result too many")
                return
            xor, keep = self.xors.popleft()
            due = self.expected.popleft()
            found = (got("result") ^ xor) & mask(keep, self.beat_blocks)
            if due is not None and found != due:
                wrong(f"{found:032x}, expected {due:032x}")
            self.left += 1


async def traffic(driver: Driver, bench: Bench, models: Sequence[ModePorts]) -> None:
    """Idle x a restart with blocks inside x random packets; judge what has come out."""
    faults = Faults()

    async def step(share: float) -> None:
        now = driver.number
        own = {model.one.name: model.offer(share) for model in models}
        outputs = await driver.cycle({}, own)
        for model in models:
            model.after(now, outputs, faults)

    for restart in ("rst", "zeroize") * 3:
        for share in (1.0, 0.5, 0.2):
            for _ in range(100 if restart == "zeroize" else 1):
                await driver.cycle({restart: 1})
            for model in models:
                model.reset()
            # A reset does not wait: what was in the core must not come out.
            for _ in range(300):
                for model in models:
                    model.fill()
                await step(share)
            for _ in range(150):
                await step(share)
            for model in models:
                if model.queue or model.xors:
                    faults.first.setdefault(model.one.name, f"{len(model.xors)} beats stay inside")
                if model.entered != model.blocks:
                    text = f"{model.entered} blocks entered the core, not {model.blocks}"
                    faults.first.setdefault(model.one.name, text)
            for _ in range(25):
                for model in models:
                    model.fill()
                await step(1.0)
    bench.judge(faults)
    for model in models:
        if model.one.mutation is None:
            assert model.left > 1000, model.one.name

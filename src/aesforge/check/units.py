# SPDX-License-Identifier: Apache-2.0
"""One check of an engine whose packets are data units (XTS): what `EngineRun` does not send."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from aesforge.check.run_engine import CHUNK_BEATS, LONG, EngineRun
from aesforge.design.engine import BLOCK_BYTES
from aesforge.design.modes import MODES
from aesforge.simulate.packets import Context, KeyLoad, Packet

# Data units of a sequence under one context, at most.
_SEQUENCE = 5


class UnitRun(EngineRun):
    """One check: data units of every length, and several under one context."""

    def published(self) -> Iterator[list[Packet | KeyLoad]]:
        """Return NIST's records of whole bytes, as data units."""
        self.report.sources = "NIST"
        return super().published()

    def full_load(self, blocks: int) -> Iterator[list[Packet | KeyLoad]]:
        """Return data units of whole beats, long enough for a beat in each cycle."""
        # The rate shows when the queues have filled.
        per_beat = self.engine.blocks_per_beat
        blocks = max(blocks, 3 * per_beat * (self.engine.depth or 0))
        while blocks > 0:
            items: list[Packet | KeyLoad] = []
            self._random_key(items)
            while blocks > 0 and self.beats_of(items) < CHUNK_BEATS:
                count = self.draw.choice((LONG, 2 * LONG))
                data = self.draw.randbytes(self.engine.beat_bytes * count)
                items.append(self._made(data, self._context()))
                self.report.random_packets += 1
                blocks -= per_beat * count
            yield items

    def directed(self) -> Iterator[list[Packet | KeyLoad]]:
        """Return data units of each length up to five blocks, and such under equal keys."""
        key = self.draw.randbytes(self.engine.key_bits // 8)
        half = len(key) // 2
        # The last bit apart, and then not at all.
        near = key[:half] + key[: half - 1] + bytes([key[half - 1] ^ 1])
        for pair, most in ((key, 5 * BLOCK_BYTES), (near, 40), (key[:half] * 2, 40), (key, 40)):
            items: list[Packet | KeyLoad] = []
            slot = self._key(items, pair)
            step = 1 if self.engine.stealing else BLOCK_BYTES
            for length in range(BLOCK_BYTES, most + 1, step):
                for way in self.engine.ways(self.engine.modes[0]):
                    number = self.draw.randbytes(BLOCK_BYTES)
                    context = Context(0, way == "decrypt", number, pair, slot)
                    items.append(self._made(self.draw.randbytes(length), context))
                    self.report.random_packets += 1
                    self.report.error_packets += pair[:half] == pair[half:]
            yield items

    def _packets(self) -> list[Packet]:
        """Return a data unit, or several with numbers in sequence under one context."""
        draw = self.draw
        first = self._packet()
        if first.context is None or draw.random() < 0.7:
            return [first]
        more = draw.randrange(1, _SEQUENCE)
        number = int.from_bytes(first.context.iv, "little")
        mode = MODES[self.engine.modes[0]]
        packets = [first.in_context(more=more)]
        for place in range(1, more + 1):
            one = (number + place) % 2 ** (8 * BLOCK_BYTES)
            context = dataclasses.replace(
                first.context, iv=one.to_bytes(BLOCK_BYTES, "little"), follows=True
            )
            packets.append(self._made(draw.randbytes(self._length(mode)), context))
        return packets

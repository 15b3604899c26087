# SPDX-License-Identifier: Apache-2.0
"""Blocks through a cipher: the published ones, then random ones, compared with OpenSSL."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aesforge.check.report import Progress
from aesforge.check.run import CHUNK_BEATS, CheckReport, CoreRun
from aesforge.design import Design

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from aesforge.simulate import SimResult, Simulator


class CipherRun(CoreRun):
    """The check of a cipher: blocks in, each out in its cycle with its tag."""

    def __init__(
        self, design: Design, simulator: Simulator, report: CheckReport, progress: Progress
    ) -> None:
        super().__init__(design, simulator, report, progress)
        # Stored keys: what each slot holds; None before the first load.
        self.slot_keys: list[NDArray[np.uint8]] | None = None

    # --- Published vectors

    def _directions(self) -> tuple[bool, ...]:
        return {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}[
            self.design.direction
        ]

    def vector_count(self) -> int:
        """Return the number of beats of :meth:`published_vectors`."""
        from aesforge.reference.vectors import records

        blocks = sum(len(r.plaintext) // 16 for r in records(self.design.key_bits))
        return blocks * len(self._directions())

    def published_vectors(self) -> None:
        """Send every record, in each direction; a beat of several blocks carries it in each."""
        import numpy as np

        from aesforge.reference.vectors import blocks_of, records

        keys, plain, cipher, names = blocks_of(records(self.design.key_bits))
        directions = self._directions()
        # Directions alternate, so that neither has the core for itself.
        decrypt = np.tile(np.array(directions), len(keys))
        index = np.repeat(np.arange(len(keys)), len(directions))
        sent = np.where(decrypt[:, None], cipher[index], plain[index])
        wanted = np.where(decrypt[:, None], plain[index], cipher[index])
        copies = (1, self.design.blocks_per_beat)

        for start in range(0, len(index), CHUNK_BEATS):
            part = slice(start, start + CHUNK_BEATS)
            beats = _Beats(
                np.tile(sent[part], copies),
                keys[index[part]],
                decrypt[part],
                self.tags(len(sent[part])),
            )
            ops, slots = self._sequence(beats)
            result = self.simulator.run(ops)
            if slots is not None:
                self._loads_took_place(result, slots)
            named = [f"the published vector {names[i]}" for i in index[part]]
            self._compare(result, beats, np.tile(wanted[part], copies), named.__getitem__)
            self.report.vector_blocks += len(beats) * self.design.blocks_per_beat
            self.advance(len(beats))

    def _sequence(self, beats: _Beats) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Return BLOCK operations, and before each new key a LOAD where keys are stored."""
        import numpy as np

        from aesforge.simulate import LOAD, WAIT

        count = len(beats)
        if self.design.is_agile:
            ops = self.simulator.new_ops(count + 1)
            beats.fill(ops, np.arange(count))
            ops["op"][count] = WAIT
            return ops, None
        new_key = np.ones(count, dtype=bool)
        new_key[1:] = (beats.keys[1:] != beats.keys[:-1]).any(axis=1)
        number = np.cumsum(new_key)
        ops = self.simulator.new_ops(count + int(number[-1]) + 1)
        block_at = np.arange(count) + number
        load_at = block_at[new_key] - 1
        assert self.design.key_slots is not None
        # The slots in turn: the next key is loaded while the last one is in use.
        beats.slots = (number % self.design.key_slots).astype(np.uint8)
        beats.fill(ops, block_at)
        # A stored core must not look at in_key.
        ops["key"][block_at] = self.rng.integers(0, 256, (count, 32), dtype=np.uint8)
        ops["op"][load_at] = LOAD
        ops["slot"][load_at] = beats.slots[new_key]
        ops["key"][load_at] = beats.keys[new_key]
        ops["op"][-1] = WAIT
        self.slot_keys = None
        return ops, beats.slots[new_key]

    def _loads_took_place(self, result: SimResult, slots: NDArray[Any]) -> None:
        from aesforge.simulate import LOADED

        loaded = result.of(LOADED)
        if loaded["slot"].tolist() != slots.tolist():
            self.fault("loads", f"{len(slots)} keys were to be loaded, {len(loaded)} were accepted")

    # --- Random blocks

    def random_traffic(self, count: int, bubbles: float, random_keys: bool) -> None:
        """Send ``count`` random beats, with pauses at the rate of ``bubbles``."""
        for start in range(0, count, CHUNK_BEATS):
            beats = self._random_beats(min(CHUNK_BEATS, count - start), random_keys)
            if self.design.is_agile:
                self._send_agile(beats, bubbles)
            else:
                self._send_stored(beats, bubbles, random_keys)
            self.report.random_blocks += len(beats) * self.design.blocks_per_beat
            self.advance(len(beats))

    def _random_beats(self, count: int, random_keys: bool) -> _Beats:
        import numpy as np

        design, rng = self.design, self.rng
        keys = rng.integers(0, 256, (count if random_keys else 1, 32), dtype=np.uint8)
        # A core of one direction must not look at in_decrypt: it gets random values too.
        decrypt = rng.integers(0, 2, count).astype(bool)
        beats = _Beats(
            rng.integers(0, 256, (count, 16 * design.blocks_per_beat), dtype=np.uint8),
            np.broadcast_to(keys, (count, 32)),
            decrypt,
            self.tags(count),
        )
        if design.key_slots is not None:
            slots = rng.integers(0, design.key_slots, count, dtype=np.uint8)
            beats.slots = slots if random_keys else np.zeros_like(slots)
        return beats

    def _send_agile(self, beats: _Beats, bubbles: float) -> None:
        import numpy as np

        from aesforge.simulate import IDLE, WAIT

        pauses = self.pauses(len(beats), bubbles)
        block_at = np.arange(len(beats)) + np.cumsum(pauses > 0)
        ops = self.simulator.new_ops(int(block_at[-1]) + 2)
        beats.fill(ops, block_at)
        idle_at = block_at[pauses > 0] - 1
        ops["op"][idle_at] = IDLE
        ops["arg"][idle_at] = pauses[pauses > 0]
        ops["op"][-1] = WAIT
        result = self.simulator.run(ops)
        decrypt = self._as_core(beats.decrypt)
        wanted = self._reference(beats.keys, beats.blocks, decrypt)
        self._compare(result, beats, wanted, self.random_name, paused=bubbles > 0)

    def _send_stored(self, beats: _Beats, bubbles: float, random_keys: bool) -> None:
        import numpy as np

        from aesforge.simulate import BESIDE, IDLE, LOAD, LOADED, WAIT

        slots_count = self.design.key_slots
        assert slots_count is not None
        if self.slot_keys is None:
            self._fill_slots()
            assert self.slot_keys is not None
        pauses = self.pauses(len(beats), bubbles)
        # New keys arrive while blocks go on, under the slot of one of them or another.
        often = 1 / (3 * self.design.latency_cycles) if bubbles > 0 and random_keys else 0.0
        loads = self.rng.random(len(beats)) < often
        before = (pauses > 0).astype(np.int64) + loads
        block_at = np.arange(len(beats)) + np.cumsum(before)
        ops = self.simulator.new_ops(int(block_at[-1]) + 2)
        beats.fill(ops, block_at)
        load_at = block_at[loads] - 1
        ops["op"][load_at] = LOAD
        ops["flags"][load_at] = BESIDE
        load_slots = self.rng.integers(0, slots_count, len(load_at), dtype=np.uint8)
        load_keys = self.rng.integers(0, 256, (len(load_at), 32), dtype=np.uint8)
        ops["slot"][load_at] = load_slots
        ops["key"][load_at] = load_keys
        idle_at = (block_at - 1 - loads)[pauses > 0]
        ops["op"][idle_at] = IDLE
        ops["arg"][idle_at] = pauses[pauses > 0]
        ops["op"][-1] = WAIT
        result = self.simulator.run(ops)
        self._loads_took_place(result, load_slots)
        if len(result.rows) != len(beats):
            self._compare(result, beats, beats.blocks, self.random_name)
            return
        # A block belongs to the last key that its slot had accepted before the block's own cycle.
        loaded = result.of(LOADED)
        beats.keys = np.empty((len(beats), 32), np.uint8)
        for slot in range(slots_count):
            mine = beats.slots == slot
            here = loaded["slot"] == slot
            known = np.concatenate([self.slot_keys[slot][None], load_keys[load_slots == slot]])
            which = np.searchsorted(loaded["cycle"][here], result.rows["in_cycle"][mine], "left")
            beats.keys[mine] = known[np.minimum(which, len(known) - 1)]
            self.slot_keys[slot] = known[-1]
        decrypt = self._as_core(beats.decrypt)
        # Sorted by key, OpenSSL sets each one up once.
        order = np.lexsort((decrypt, *beats.keys.T[:8]))
        wanted = np.empty_like(beats.blocks)
        wanted[order] = self._reference(beats.keys[order], beats.blocks[order], decrypt[order])
        self._compare(result, beats, wanted, self.random_name, paused=bubbles > 0)

    # --- Blocks that never leave

    def discarded_traffic(self) -> None:
        """Fill the core, then pulse `zeroize` or `rst`: `out_valid` must stay low.

        Once in the last cycle before the first block leaves, when every place up to the output
        holds one, and once in a random cycle before that. The stored keys are gone afterwards.
        """
        import numpy as np

        from aesforge.simulate import IDLE, RESET, SPURIOUS, ZEROIZE

        design = self.design
        # In so many cycles from the first block on, blocks go in and none leaves.
        inside = design.latency_cycles - 1
        if inside < 1:
            return
        # An empty ring takes one block per cycle until all its places are taken.
        every = int(design.interval) if design.is_serial else 1
        places = inside if design.is_unrolled or design.is_serial else self._places()
        count = min(places, (inside - 1) // every + 1)
        rng = np.random.default_rng((self.report.seed, count))
        for op, name in ((ZEROIZE, "zeroize"), (RESET, "rst")):
            for last in (True, False):
                if not design.is_agile:
                    self._fill_slots()
                cycles = (count - 1) * every + 1
                idle = inside - cycles if last else int(rng.integers(0, inside - cycles + 1))
                ops = self.simulator.new_ops(count + 3)
                ops["block"][:count] = rng.integers(0, 256, (count, ops["block"].shape[1]))
                ops["op"][count:] = IDLE, op, IDLE
                # Until all places have been emptied, and a block more.
                after = design.zeroize_cycles + 2 * design.latency_cycles
                ops["arg"][count:] = idle, 1, after
                result = self.simulator.run(ops)
                self.slot_keys = None
                spurious = result.of(SPURIOUS)
                if len(spurious):
                    self.fault(
                        "discarded",
                        f"{len(spurious)} times out_valid was high after {name}, first in cycle "
                        f"{spurious['cycle'][0]}: the blocks of before must not leave",
                    )

    def _fill_slots(self) -> None:
        import numpy as np

        from aesforge.simulate import IDLE, LOAD, WAIT

        count = self.design.key_slots
        assert count is not None
        keys = self.rng.integers(0, 256, (count, 32), dtype=np.uint8)
        ops = self.simulator.new_ops(count + 2)
        ops["op"][:count] = LOAD
        ops["slot"][:count] = np.arange(count)
        ops["key"][:count] = keys
        ops["op"][count] = WAIT
        # Where blocks are encrypted before the key is expanded, those to decrypt wait for its end.
        ops["op"][count + 1] = IDLE
        ops["arg"][count + 1] = self.design.key_expansion_cycles
        result = self.simulator.run(ops)
        self._loads_took_place(result, np.arange(count))
        self.report.count(result)
        self.slot_keys = list(keys)

    def _reference(
        self, keys: NDArray[np.uint8], blocks: NDArray[np.uint8], decrypt: NDArray[np.bool_]
    ) -> NDArray[np.uint8]:
        """Return what blocks must become: by OpenSSL, or by our model where the core is not AES."""
        from aesforge.reference.openssl import ecb_each
        from aesforge.reference.vectors import model_each

        if self.design.is_standard:
            return ecb_each(keys, blocks, decrypt, self.design.key_bits)
        return model_each(keys, blocks, decrypt, self.design.scheme)

    def _as_core(self, decrypt: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the direction that the core takes, whatever in_decrypt says."""
        import numpy as np

        if self.design.direction == "both":
            return decrypt
        return np.full_like(decrypt, self.design.direction == "decrypt")

    # --- Comparison

    def _compare(
        self,
        result: SimResult,
        beats: _Beats,
        wanted: NDArray[np.uint8],
        name: Callable[[int], str],
        *,
        paused: bool = True,
    ) -> None:
        """Compare the outputs, in order, with the expected ones."""
        import numpy as np

        from aesforge.simulate import ALARM, SPURIOUS

        report, design, rows = self.report, self.design, result.rows
        report.count(result)
        if len(spurious := result.of(SPURIOUS)):
            self.fault(
                "spurious",
                f"{len(spurious)} times out_valid was high without a block in flight, first in "
                f"cycle {spurious['cycle'][0]}",
            )
        if len(alarms := result.of(ALARM)):
            self.fault(
                "alarm",
                f"the core raised its alarm {len(alarms)} times, first in cycle "
                f"{alarms['cycle'][0]}",
            )
        if len(rows) != len(beats):
            report.wrong_blocks += abs(len(beats) - len(rows)) * design.blocks_per_beat
            self.fault("count", f"{len(beats)} beats went in, {len(rows)} came out")
            return

        latency = rows["out_cycle"].astype(np.int64) - rows["in_cycle"].astype(np.int64)
        self.note_latency(latency)
        for at in np.flatnonzero(latency != design.latency_cycles)[:1]:
            self.fault(
                "latency",
                f"{name(at)} took {latency[at]} cycles; the design computes "
                f"{design.latency_cycles}",
            )
        mask = np.uint64(2**design.tag_bits - 1)
        for at in np.flatnonzero(rows["tag"] != beats.tags & mask)[:1]:
            self.fault(
                "tag",
                f"{name(at)} came out with the tag {int(rows['tag'][at]):#x}; it went in with "
                f"{int(beats.tags[at] & mask):#x} (order or tag is wrong)",
            )

        wrong = (rows["block"] != wanted).reshape(len(rows), design.blocks_per_beat, 16).any(axis=2)
        report.wrong_blocks += int(wrong.sum())
        for at, block_index in np.argwhere(wrong)[:1]:
            part = slice(16 * block_index, 16 * block_index + 16)
            decrypt = self._as_core(beats.decrypt[at : at + 1])[0]
            lines = [
                f"{name(int(at))}"
                f"{f', block {block_index}' if design.blocks_per_beat > 1 else ''} came out wrong "
                f"({'decrypting' if decrypt else 'encrypting'})",
                # Test keys, published or drawn here: nobody's secret.
                f"key       {beats.keys[at, : design.key_bits // 8].tobytes().hex()}",
                f"block     {beats.blocks[at, part].tobytes().hex()}",
                f"expected  {wanted[at, part].tobytes().hex()}",
                f"got       {rows['block'][at, part].tobytes().hex()}",
            ]
            if not design.is_agile:
                lines.insert(2, f"slot      {beats.slots[at]}")
            self.fault("block", "\n  ".join(lines))
        if not paused:
            self.measure_rate(rows["in_cycle"].astype(np.int64), self._places())

    def _places(self) -> int:
        """Return how many beats the core accepts in a turn at full load: one for each place."""
        design = self.design
        return 1 if design.is_unrolled else design.unrolled_rounds * design.stages * design.tiles


class _Beats:
    """Beats to send: blocks (n, 16 * blocks_per_beat), keys (n, 32), decrypt, tags, slots (n,)."""

    def __init__(
        self,
        blocks: NDArray[np.uint8],
        keys: NDArray[np.uint8],
        decrypt: NDArray[np.bool_],
        tags: NDArray[np.uint64],
    ) -> None:
        import numpy as np

        self.blocks = blocks
        self.keys = keys
        self.decrypt = decrypt
        self.tags = tags
        self.slots: NDArray[np.uint8] = np.zeros(len(blocks), np.uint8)

    def __len__(self) -> int:
        return len(self.blocks)

    def fill(self, ops: NDArray[Any], at: NDArray[Any]) -> None:
        """Write the beats as BLOCK operations to the places ``at``."""
        from aesforge.simulate import BLOCK

        ops["op"][at] = BLOCK
        ops["block"][at] = self.blocks
        ops["key"][at] = self.keys
        ops["decrypt"][at] = self.decrypt
        ops["tag"][at] = self.tags
        ops["slot"][at] = self.slots

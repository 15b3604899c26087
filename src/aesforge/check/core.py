# SPDX-License-Identifier: Apache-2.0
"""Simulate a core against the published vectors and against OpenSSL, and time it.

A core that is not AES (`Design.scheme`) is compared with our own model instead, which the report
says.

Everything that comes out is compared: the block, its tag, and the cycle in which it came. Every
random choice follows from the seed, so that a run can be repeated exactly.
"""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesforge.design import Design
from aesforge.errors import CheckFailed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from aesforge.simulate import SimResult, Simulator
    from aesforge.simulate.build import Optimize

Progress = Callable[[int, int], None]

_STANDARD_REFERENCE = "published vectors (NIST) and OpenSSL"
_RESEARCH_REFERENCE = (
    "aesforge's own model of scheme {}; not with NIST's vectors or OpenSSL, since this is not AES"
)

# Beats of one call of the simulator: bounds what is held in memory.
_CHUNK_BEATS = 8192
# A failing core gives one message for each kind of fault, not one for each block.
_MAX_FAILURES = 4


@dataclass
class CheckReport:
    """What a check found; every field is JSON-able."""

    design: str
    """The design's name."""
    summary: str
    """The design in one line of words."""
    choices: dict[str, Any]
    """All choices of the design."""
    seed: int
    command: str
    """What repeats the run."""
    passed: bool = True
    failures: list[str] = field(default_factory=list)
    """The first fault of each kind, in words."""
    vector_blocks: int = 0
    """Blocks of published vectors that were sent."""
    random_blocks: int = 0
    """Random blocks that were sent."""
    wrong_blocks: int = 0
    """Blocks that came out wrong."""
    error_percent: float = 0.0
    """Wrong blocks in percent of all blocks."""
    cycles: int = 0
    """Clock cycles simulated."""
    latency_cycles: int = 0
    """What the design computes."""
    latency_cycles_seen: tuple[int, int] | None = None
    """The least and the most that a block took."""
    blocks_per_cycle: float = 0.0
    """What the design computes for full load."""
    blocks_per_cycle_seen: float | None = None
    """Measured at full load; None when too few blocks were sent back to back to tell."""
    build_seconds: float = 0.0
    """Time the model's compilation took; 0 when it was found in the cache."""
    simulation_seconds: float = 0.0
    """Time the model ran."""
    unit: str = "blocks"
    """What is sent: blocks, or keys to be expanded; all figures count these."""
    cycles_per_second: float = 0.0
    blocks_per_second: float = 0.0
    """Simulation speed."""
    reference: str = _STANDARD_REFERENCE
    """What the blocks were compared with."""
    warning: str | None = None
    """Set when the core is not AES."""

    @property
    def blocks(self) -> int:
        """All blocks that were sent."""
        return self.vector_blocks + self.random_blocks

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {**dataclasses.asdict(self), "blocks": self.blocks}

    def text(self) -> str:
        """Return the report for people, several lines."""
        seen = self.latency_cycles_seen
        if seen is None:
            latency = "not measured"
        elif seen[0] == seen[1]:
            latency = f"{seen[0]} cycles"
        else:
            latency = f"{seen[0]} to {seen[1]} cycles"
        rate = self.blocks_per_cycle_seen
        lines = [
            f"design      {self.design}: {self.summary}",
            f"compared    with {self.reference}",
            f"{self.unit:<12}{self.blocks:,} ({self.vector_blocks:,} of published vectors, "
            f"{self.random_blocks:,} random) in {self.cycles:,} cycles",
            f"latency     {latency} (computed: {self.latency_cycles})",
            f"throughput  {'not measured' if rate is None else f'{rate:.4g}'} {self.unit} a cycle "
            f"(computed: {self.blocks_per_cycle:.4g})",
            f"errors      {self.wrong_blocks:,} wrong {self.unit}, {self.error_percent:.4g} %",
            f"simulation  {self.cycles_per_second:,.0f} cycles/s, "
            f"{self.blocks_per_second:,.0f} {self.unit}/s",
            f"seed        {self.seed}",
        ]
        if self.warning is not None:
            lines.append(f"warning     {self.warning}")
        for failure in self.failures:
            lines += ["", f"WRONG: {failure}"]
        if self.failures:
            lines += ["", f"repeat it with: {self.command}"]
        else:
            lines.append("result      passed")
        return "\n".join(lines)


def check(
    design: Design,
    *,
    seed: int | None = None,
    blocks: int = 1000,
    bubbles: float = 0.2,
    random_keys: bool = True,
    vectors: bool = True,
    progress: Progress | None = None,
    optimize: Optimize = "speed",
    rtl: Sequence[Path] | None = None,
    command: str | None = None,
) -> CheckReport:
    """Simulate a core and compare every block.

    The published vectors come first, all those of the design's key size, in each direction the
    core has. Then come random blocks: half of them back to back, where the rate is measured too,
    half with pauses (all back to back when ``bubbles`` is 0). A stored core gets new keys in the
    middle of this traffic. In a core with blocks per beat counts as that many blocks.

    A key expansion gets keys in place of blocks: those of the standard's Appendix A and of the
    published vectors, then random ones. All their round keys are compared with the model's, and
    each with the cycle in which it has to leave.

    Args:
        design: the core.
        seed: fixes every random choice; drawn and reported when left out.
        blocks: how many random blocks, or keys, to send, rounded up to whole beats.
        bubbles: how likely a pause follows a block, 0 to below 1.
        random_keys: a new random key (stored: slot) with every beat, or one for all.
        vectors: send the published vectors; there are none for a core that is not AES.
        progress: called with blocks done and blocks in all.
        optimize: see :class:`aesforge.simulate.Simulator`.
        rtl: source files in compile order instead of the package's own, to test changed RTL.
        command: what a user types for a check of this design, to be extended to the report's
            ``command``.

    Raises:
        ToolMissing: something to simulate with is not installed.
        AesforgeError: the model does not compile.
    """
    from aesforge.simulate import Simulator

    if seed is None:
        seed = secrets.randbits(32)
    vectors = vectors and design.is_standard
    report = CheckReport(
        design=design.name,
        summary=design.summary(),
        unit="keys" if design.is_key_expansion else "blocks",
        choices=design.choices(),
        seed=seed,
        command=f"{command or f'aesforge check {design.name}'} --seed {seed} --blocks {blocks} "
        f"--bubbles {bubbles:g}{'' if random_keys else ' --one-key'}"
        f"{'' if vectors or not design.is_standard else ' --no-vectors'}",
        reference=(
            _STANDARD_REFERENCE if design.is_standard else _RESEARCH_REFERENCE.format(design.scheme)
        ),
        warning=design.warning,
        latency_cycles=design.latency_cycles,
        blocks_per_cycle=design.blocks_per_cycle,
    )
    with Simulator(design, optimize=optimize, seed=seed, rtl=rtl) as simulator:
        assert simulator.model is not None
        report.build_seconds = simulator.model.build_seconds
        kind = _KeyExpansionRun if design.is_key_expansion else _Run
        run = kind(design, simulator, report, seed, progress or (lambda _done, _total: None))
        beats = -(-blocks // design.blocks_per_beat)
        run.expect(beats + (run.vector_count() if vectors else 0))
        try:
            if vectors:
                run.published_vectors()
            paused = beats // 2 if bubbles > 0 else 0
            run.random_traffic(beats - paused, 0.0, random_keys)
            run.random_traffic(paused, bubbles, random_keys)
        except CheckFailed as error:
            run.fault("simulation", error.message)
    if report.blocks:
        report.error_percent = 100 * report.wrong_blocks / report.blocks
    if report.simulation_seconds:
        report.cycles_per_second = report.cycles / report.simulation_seconds
        report.blocks_per_second = report.blocks / report.simulation_seconds
    return report


class _Run:
    """One check: makes operations, has them carried out, compares."""

    def __init__(
        self,
        design: Design,
        simulator: Simulator,
        report: CheckReport,
        seed: int,
        progress: Progress,
    ) -> None:
        import numpy as np

        self.design = design
        self.simulator = simulator
        self.report = report
        self.progress = progress
        self.rng = np.random.default_rng(seed)
        self.kinds: set[str] = set()
        self.total_beats = 0
        self.done_beats = 0
        # Stored keys: what each slot holds; None before the first load.
        self.slot_keys: list[NDArray[np.uint8]] | None = None

    # --- Bookkeeping

    def expect(self, beats: int) -> None:
        """Say how many beats will be sent, for the progress bar."""
        self.total_beats = beats

    def fault(self, kind: str, message: str) -> None:
        """Note that the core is wrong; only the first fault of a kind is put into words."""
        self.report.passed = False
        if kind not in self.kinds and len(self.report.failures) < _MAX_FAILURES:
            self.kinds.add(kind)
            self.report.failures.append(message)

    # --- Published vectors

    def _directions(self) -> tuple[bool, ...]:
        return {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}[
            self.design.direction
        ]

    def vector_count(self) -> int:
        """Count the beats of :meth:`published_vectors`."""
        from aesforge.reference.vectors import records

        blocks = sum(len(r.plaintext) // 16 for r in records(self.design.key_bits))
        return blocks * len(self._directions())

    def published_vectors(self) -> None:
        """Send every record, in each direction; in a core with blocks, in all blocks at once."""
        import numpy as np

        from aesforge.reference.vectors import blocks_of, records

        keys, plain, cipher, names = blocks_of(records(self.design.key_bits))
        directions = self._directions()
        # Directions alternate, so that neither has the core for itself.
        decrypt = np.tile(np.array(directions), len(keys))
        index = np.repeat(np.arange(len(keys)), len(directions))
        sent = np.where(decrypt[:, None], cipher[index], plain[index])
        wanted = np.where(decrypt[:, None], plain[index], cipher[index])
        blocks_per_beat = (1, self.design.blocks_per_beat)

        for start in range(0, len(index), _CHUNK_BEATS):
            part = slice(start, start + _CHUNK_BEATS)
            beats = _Beats(
                np.tile(sent[part], blocks_per_beat),
                keys[index[part]],
                decrypt[part],
                self._tags(len(sent[part])),
            )
            ops, slots = self._sequence(beats)
            result = self.simulator.run(ops)
            if slots is not None:
                self._loads_took_place(result, slots)
            named = [f"the published vector {names[i]}" for i in index[part]]
            self._compare(result, beats, np.tile(wanted[part], blocks_per_beat), named.__getitem__)
            self.report.vector_blocks += len(beats) * self.design.blocks_per_beat
            self._advance(len(beats))

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
        for start in range(0, count, _CHUNK_BEATS):
            beats = self._random_beats(min(_CHUNK_BEATS, count - start), random_keys)
            if self.design.is_agile:
                self._send_agile(beats, bubbles)
            else:
                self._send_stored(beats, bubbles, random_keys)
            self.report.random_blocks += len(beats) * self.design.blocks_per_beat
            self._advance(len(beats))

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
            self._tags(count),
        )
        if design.key_slots is not None:
            slots = rng.integers(0, design.key_slots, count, dtype=np.uint8)
            beats.slots = slots if random_keys else np.zeros_like(slots)
        return beats

    def _tags(self, count: int) -> NDArray[np.uint64]:
        import numpy as np

        return self.rng.integers(0, 2**64, count, dtype=np.uint64)

    def _pauses(self, count: int, bubbles: float) -> NDArray[Any]:
        """Return how many cycles pass idle before each of ``count`` beats."""
        import numpy as np

        rng = self.rng
        pauses = np.where(rng.random(count) < bubbles, rng.integers(1, 5, count), 0)
        # Now and then long enough for the core to run empty.
        long = rng.integers(1, 2 * self.design.latency_cycles + 2, count)
        return np.where((rng.random(count) < 0.02) & (pauses > 0), long, pauses)

    def _send_agile(self, beats: _Beats, bubbles: float) -> None:
        import numpy as np

        from aesforge.simulate import IDLE, WAIT

        pauses = self._pauses(len(beats), bubbles)
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
        self._compare(result, beats, wanted, self._random_name, paused=bubbles > 0)

    def _send_stored(self, beats: _Beats, bubbles: float, random_keys: bool) -> None:
        import numpy as np

        from aesforge.simulate import BESIDE, IDLE, LOAD, LOADED, WAIT

        slots_count = self.design.key_slots
        assert slots_count is not None
        if self.slot_keys is None:
            self._fill_slots()
            assert self.slot_keys is not None
        pauses = self._pauses(len(beats), bubbles)
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
            self._compare(result, beats, beats.blocks, self._random_name)
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
        self._compare(result, beats, wanted, self._random_name, paused=bubbles > 0)

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
        self.report.cycles += result.cycles
        self.report.simulation_seconds += result.simulation_seconds
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

    def _random_name(self, at: int) -> str:
        number = self.report.random_blocks // self.design.blocks_per_beat + at
        return f"random beat {number} of seed {self.report.seed}"

    # --- Comparison

    def _advance(self, beats: int) -> None:
        self.done_beats += beats
        blocks_per_beat = self.design.blocks_per_beat
        self.progress(self.done_beats * blocks_per_beat, self.total_beats * blocks_per_beat)

    def _compare(
        self,
        result: SimResult,
        beats: _Beats,
        wanted: NDArray[np.uint8],
        name: Callable[[int], str],
        *,
        paused: bool = True,
    ) -> None:
        """Compare what came out, in order, with what had to."""
        import numpy as np

        from aesforge.simulate import ALARM, SPURIOUS

        report, design, rows = self.report, self.design, result.rows
        report.cycles += result.cycles
        report.simulation_seconds += result.simulation_seconds
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
        if len(latency):
            low, high = int(latency.min()), int(latency.max())
            seen = report.latency_cycles_seen or (low, high)
            report.latency_cycles_seen = (min(seen[0], low), max(seen[1], high))
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
            self._measure_rate(rows["in_cycle"].astype(np.int64), self._places())

    def _places(self) -> int:
        """Return how many beats the core accepts in a turn at full load: one for each place."""
        design = self.design
        return 1 if design.is_unrolled else design.unrolled_rounds * design.stages * design.tiles

    def _measure_rate(self, in_cycle: NDArray[np.int64], places: int) -> None:
        """Compare the rate at full load, over whole turns."""
        design = self.design
        turns = (len(in_cycle) - 1) // places
        if turns < 1:
            return
        cycles = int(in_cycle[turns * places] - in_cycle[0])
        self.report.blocks_per_cycle_seen = turns * places * design.blocks_per_beat / cycles
        wanted = turns * places * design.interval
        if cycles != round(wanted):
            self.fault(
                "rate",
                f"{turns * places} beats back to back took {cycles} cycles to accept; the design "
                f"computes {wanted:.0f}",
            )


class _KeyExpansionRun(_Run):
    """The check of a key expansion: keys in, their round keys out, each in its cycle."""

    # Byte of a row's last block that counts round keys that no key had asked for.
    _STRAYS = 15
    _NEVER = 255

    def vector_count(self) -> int:
        """Count the keys of :meth:`published_vectors`."""
        return len(self._published())

    def _published(self) -> list[tuple[str, bytes]]:
        """Return names and keys: Appendix A's, then each that the published records use."""
        from aesforge.reference.vectors import KEY_EXPANSIONS, records

        bits = self.design.key_bits
        keys = {KEY_EXPANSIONS[bits][0]: "the key of FIPS 197 Appendix A"}
        for record in records(bits):
            keys.setdefault(record.key, f"the key of the published vector {record.name}")
        return [(name, key) for key, name in keys.items()]

    def published_vectors(self) -> None:
        """Send every published key."""
        from aesforge.reference.vectors import KEY_EXPANSIONS

        published = self._published()
        keys = [key for _, key in published]
        wanted = self._round_keys(keys)
        # The one expansion that the standard prints ends as it says, whatever our model is.
        wanted[0, -1] = list(KEY_EXPANSIONS[self.design.key_bits][1])
        self._send(keys, wanted, 0.0, [name for name, _ in published].__getitem__)
        self.report.vector_blocks += len(keys)
        self._advance(len(keys))

    def random_traffic(self, count: int, bubbles: float, random_keys: bool) -> None:
        """Send ``count`` random keys, or one again and again, with pauses."""
        size = self.design.key_bits // 8
        for start in range(0, count, _CHUNK_BEATS):
            number = min(_CHUNK_BEATS, count - start)
            keys = [self.rng.bytes(size) for _ in range(number if random_keys else 1)]
            keys = keys if random_keys else keys * number
            self._send(keys, self._round_keys(keys), bubbles, self._random_name)
            self.report.random_blocks += number
            self._advance(number)

    def _round_keys(self, keys: Sequence[bytes]) -> NDArray[np.uint8]:
        """Return the model's round keys (n, Nr + 1, 16) of each key."""
        import numpy as np

        from aesforge.reference import key_expansion

        known = {key: b"".join(key_expansion(key)) for key in set(keys)}
        data = b"".join(known[key] for key in keys)
        return np.frombuffer(data, np.uint8).reshape(len(keys), -1, 16).copy()

    def _send(
        self,
        keys: Sequence[bytes],
        wanted: NDArray[np.uint8],
        bubbles: float,
        name: Callable[[int], str],
    ) -> None:
        import numpy as np

        from aesforge.simulate import BLOCK, IDLE, SPURIOUS, WAIT

        report, design = self.report, self.design
        pauses = self._pauses(len(keys), bubbles)
        key_at = np.arange(len(keys)) + np.cumsum(pauses > 0)
        tags = self._tags(len(keys))
        ops = self.simulator.new_ops(int(key_at[-1]) + 2)
        ops["op"][key_at] = BLOCK
        ops["key"][key_at, : design.key_bits // 8] = np.frombuffer(
            b"".join(keys), np.uint8
        ).reshape(len(keys), -1)
        ops["tag"][key_at] = tags
        idle_at = key_at[pauses > 0] - 1
        ops["op"][idle_at] = IDLE
        ops["arg"][idle_at] = pauses[pauses > 0]
        ops["op"][-1] = WAIT
        result = self.simulator.run(ops)

        rows = result.rows
        report.cycles += result.cycles
        report.simulation_seconds += result.simulation_seconds
        if len(rows) != len(keys):
            report.wrong_blocks += abs(len(keys) - len(rows))
            self.fault("count", f"{len(keys)} keys went in, {len(rows)} last round keys came out")
            return
        last = rows["block"].reshape(len(rows), -1, 16)[:, -1].astype(np.int64)
        strays = int(last[:, self._STRAYS].sum()) + len(result.of(SPURIOUS))
        if strays:
            self.fault("spurious", f"{strays} round keys came out that no key had asked for")
        self._compare_cycles(last[:, : design.rounds + 1], name)
        mask = np.uint64(2**design.tag_bits - 1)
        for at in np.flatnonzero(rows["tag"] != tags & mask)[:1]:
            self.fault(
                "tag",
                f"{name(at)}: the last round key came out with the tag {int(rows['tag'][at]):#x}; "
                f"the key went in with {int(tags[at] & mask):#x} (order or tag is wrong)",
            )
        got = rows["block"].reshape(len(rows), -1, 16)[:, :-1]
        wrong = (got != wanted).any(axis=2)
        report.wrong_blocks += int(wrong.any(axis=1).sum())
        for at, r in np.argwhere(wrong)[:1]:
            lines = (
                f"{name(int(at))}: round key {r} came out wrong",
                # Test keys, published or drawn here: nobody's secret.
                f"key       {keys[at].hex()}",
                f"expected  {wanted[at, r].tobytes().hex()}",
                f"got       {got[at, r].tobytes().hex()}",
            )
            self.fault("block", "\n  ".join(lines))
        if bubbles == 0:
            self._measure_rate(rows["in_cycle"].astype(np.int64), 1)

    def _compare_cycles(self, cycles: NDArray[np.int64], name: Callable[[int], str]) -> None:
        """Compare how many cycles after its key each round key (n, Nr + 1) left."""
        import numpy as np

        report, design = self.report, self.design
        low, high = int(cycles[:, -1].min()), int(cycles[:, -1].max())
        seen = report.latency_cycles_seen or (low, high)
        report.latency_cycles_seen = (min(seen[0], low), max(seen[1], high))
        expected = design.stages * np.arange(design.rounds + 1)
        for at, r in np.argwhere(cycles != expected)[:1]:
            took = "never came" if cycles[at, r] == self._NEVER else f"took {cycles[at, r]} cycles"
            self.fault(
                "latency",
                f"{name(int(at))}: round key {r} {took}; the design computes {expected[r]}",
            )


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

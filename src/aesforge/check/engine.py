# SPDX-License-Identifier: Apache-2.0
"""Simulate an engine against the published vectors and against OpenSSL, packet by packet.

Everything that comes out is compared: data, `tkeep`, `tlast`, `tid`, `tuser` with the error flag,
their order, and that what waits at the output stays as it is. Every random choice follows from the
seed, so that a run can be repeated exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aesforge.check.report import Progress, chosen_optimize, chosen_seed, repeat_command
from aesforge.check.run_engine import EngineRun, StreamReport
from aesforge.design.engine import Engine
from aesforge.design.kinds import KINDS
from aesforge.design.modes import MODES
from aesforge.errors import CheckFailed
from aesforge.simulate.engine import engine_module
from aesforge.simulate.packets import KeyLoad, Packet

if TYPE_CHECKING:
    from aesforge.simulate.build import Optimize


def _runs() -> dict[str, type[EngineRun]]:
    """Return what checks an engine, by its kind."""
    from aesforge.check.sealed import SealedRun
    from aesforge.check.units import UnitRun

    runs: dict[str, type[EngineRun]] = {
        kind: SealedRun
        if any(m.authenticates for m in MODES.values() if m.kind == kind)
        else EngineRun
        for kind in KINDS
    }
    return runs | {"data-unit": UnitRun}


def check_engine(
    engine: Engine,
    *,
    seed: int | None = None,
    blocks: int = 1000,
    stall: float = 0.5,
    random_keys: bool = True,
    vectors: bool = True,
    most_records: int | None = 256,
    progress: Progress | None = None,
    optimize: Optimize | None = None,
    rtl: Sequence[Path] | None = None,
    command: str | None = None,
) -> StreamReport:
    """Simulate an engine and compare every beat.

    The published vectors come first, all those of its modes and key size, a packet each. Then
    packets of whole blocks back to back, where latency and rate are measured. Then random packets
    of all its modes and of any length, some of them wrong in each way that an engine has to flag,
    with waits on all sides and new keys for slots between them; others to a reader so slow that
    all queues are full; and last a `zeroize` with packets inside.

    Args:
        engine: the engine.
        seed: fixes every random choice; drawn and reported when left out.
        blocks: about how many random blocks to send.
        stall: how likely either side waits in a cycle, 0 to below 1; 0 leaves waits out altogether.
        random_keys: a new key (stored: slot) with every packet, or one for all.
        vectors: send the published vectors.
        most_records: of NIST's for a mode that authenticates, drawn by the seed; None: all.
        progress: called with blocks done and blocks in all.
        optimize: see :class:`aesforge.simulate.stream.StreamSimulator`; None: by the blocks.
        rtl: source files in compile order instead of the package's own, to test changed RTL.
        command: what a user types for a check of this engine, to be extended to the report's
            ``command``.

    Raises:
        ToolMissing: something to simulate with is not installed.
        AesforgeError: the model does not compile.
    """
    from aesforge.simulate.stream import StreamSimulator

    seed = chosen_seed(seed)
    report = StreamReport(
        engine=engine.name,
        summary=engine.summary(),
        choices=engine.choices(),
        seed=seed,
        command=repeat_command(
            command or f"aesforge check {engine.name}",
            seed=seed,
            blocks=blocks,
            bubbles=stall,
            random_keys=random_keys,
            vectors=vectors,
        ),
        stall=stall,
        latency_cycles=engine.latency_cycles,
        blocks_per_cycle=engine.blocks_per_cycle,
    )
    # As many beats, whatever they hold: a rate shows when the queues are full.
    blocks *= engine.blocks_per_beat
    optimize = chosen_optimize(optimize, blocks, vectors=vectors)
    module = engine_module(engine, optimize=optimize, files=rtl)
    with StreamSimulator(module, optimize=optimize, seed=seed) as simulator:
        assert simulator.model is not None
        report.build_seconds = simulator.model.build_seconds
        run = _runs()[engine.kind.name](engine, simulator, report, random_keys, most_records)
        # At half the rate at which results come, the queues fill up to the last place.
        slow = 1 - engine.beats_per_cycle / 2
        parts: list[tuple[str, Iterator[list[Packet | KeyLoad]], tuple[float, float]]] = []
        if vectors:
            parts.append(("published vectors", run.published(), (0.0, 0.0)))
        parts.append(("full load", run.full_load(blocks // 2), (0.0, 0.0)))
        parts.append(("directed packets", run.directed(), (0.0, 0.0)))
        parts.append(("random packets", run.random(blocks // 4), (stall, stall)))
        if stall:
            parts.append(("slow reader", run.random(blocks - 3 * (blocks // 4)), (0.0, slow)))
        chunks = [(name, list(given), share) for name, given, share in parts]
        total = sum(run.beats_of(items) for _, given, _ in chunks for items in given)
        done = 0
        try:
            for name, given, share in chunks:
                for items in given:
                    run.send(name, items, share)
                    done += run.beats_of(items)
                    if progress is not None:
                        progress(done, total)
            run.zeroize()
        except CheckFailed as error:
            run.fault("simulation", error.message)
    return report

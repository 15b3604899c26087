# SPDX-License-Identifier: Apache-2.0
"""Engines with `release = withheld`: whole packets leave, or one beat of zeros; mutants are found.

The traffic is that of `aesforge check`, with every kind of error and packets that are too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from aesforge.check.engine import check_engine
from aesforge.design import Engine
from aesforge.simulate.engine import RESULTS, engine_module
from aesforge.simulate.packets import Context, KeyLoad, SealedPacket
from aesforge.simulate.stream import StreamSimulator
from aesforge.simulate.traffic import Traffic
from cores import changed_rtl
from engines import HELD, HELD_OFFSETS, HELD_STREAMS

ENGINES = pytest.mark.parametrize(
    "engine", [HELD, HELD_OFFSETS, HELD_STREAMS], ids=lambda one: one.name
)
# Words of the sources: they are those of streams where the engine has streams.
MUTANTS = {
    "an error is not told": (".s_error({from}_user[0])", ".s_error(1'b0)"),
    "the error flag is lost": (
        ".m_error(m_axis_tuser[0])\n{indent});",
        ".m_error()\n{indent});\n  assign m_axis_tuser[0] = 1'b0;",
    ),
    "tkeep and the rest change places": (
        "{m_axis_tkeep, {tid}m_axis_tuser[UserBits:1]}",
        "{{tid}m_axis_tuser[UserBits:1], m_axis_tkeep}",
    ),
}
NOT_ZEROIZED = {
    False: (
        ".zeroize(zeroize || zeroizing),\n      .s_valid(held_valid)",
        ".zeroize(1'b0),\n      .s_valid(held_valid)",
    ),
    True: ("zeroize_q <= (zeroize || zeroizing) && !rst", "zeroize_q <= 1'b0"),
}


def words_of(engine: Engine, text: str) -> str:
    """Return a mutant's words as an engine's source spells them."""
    streams = engine.is_interleaved
    text = text.replace("{from}", "shell" if streams else "held")
    text = text.replace("{indent}", "    " if streams else "  ")
    return text.replace("{tid}", "" if streams else "m_axis_tid, ")


@ENGINES
def test_whole_packets_leave(engine: Engine) -> None:
    report = check_engine(engine, seed=3, blocks=4000)
    assert report.passed, report.text()
    assert report.vector_records > (256 if engine is HELD else 3)
    assert report.error_packets > 100


@ENGINES
@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_found(engine: Engine, name: str, tmp_path: Path) -> None:
    words = [words_of(engine, text) for text in MUTANTS[name]]
    rtl = changed_rtl(tmp_path, f"{engine.top}.sv", *words)
    report = check_engine(engine, seed=3, blocks=2000, vectors=False, rtl=rtl, optimize="build")
    assert not report.passed


@ENGINES
def test_zeroize_drops_what_waits_at_the_output(engine: Engine, tmp_path: Path) -> None:
    assert left_after_zeroize(engine, None) == 0
    rtl = changed_rtl(tmp_path, f"{engine.top}.sv", *NOT_ZEROIZED[engine.is_interleaved])
    assert left_after_zeroize(engine, rtl) > 0


def left_after_zeroize(engine: Engine, rtl: Sequence[Path] | None) -> int:
    """Return the beats that leave after `zeroize`, of packets that waited at the output."""
    module = engine_module(engine, optimize="build", files=rtl)
    with StreamSimulator(module, optimize="build", seed=1) as simulator:
        traffic = Traffic(simulator, engine)
        context = Context(0, False, iv=bytes(12))
        packets = [SealedPacket(bytes(40), context) for _ in range(2)]
        transfers, due = traffic.transfers([KeyLoad(0, bytes(engine.key_bits // 8)), *packets])
        # The receiver is never ready, until nothing moves; then always.
        never = {RESULTS: 0.9999}
        result = simulator.run(transfers, stalls=never, wanted=len(due), watchdog_cycles=500)
        assert result.stopped
        assert len(result.rows) < len(due)
        wait = 2 * engine.zeroize_cycles
        result = simulator.run({}, zeroize=True, wanted=len(due), watchdog_cycles=wait)
        return len(result.rows)

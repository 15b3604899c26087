# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_gcm_hold: whole packets leave, or one beat of zeros; mutants of it are found.

The traffic is that of `aesforge check`, with every kind of error and packets that are too long.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from aesforge.check.engine import check_engine
from aesforge.simulate.packets import (
    RESULTS,
    Context,
    KeyLoad,
    SealedPacket,
    Traffic,
    engine_module,
)
from aesforge.simulate.stream import StreamSimulator
from cores import changed_rtl
from engines import HELD

FILE = "aesforge_engine_gcm_hold.sv"
MUTANTS = {
    "an error is not told": (".s_error(held_user[0])", ".s_error(1'b0)"),
    "the error flag is lost": ("{user, error}", "{user, 1'b0}"),
    "tkeep and tid change places": (
        "{m_axis_tkeep, m_axis_tid, user}",
        "{m_axis_tid, m_axis_tkeep, user}",
    ),
}
NOT_ZEROIZED = (".zeroize(zeroize || zeroize_q)", ".zeroize(1'b0)")


def test_aesforge_engine_gcm_hold() -> None:
    """With a sample of the published records; tests/python/test_check_sealed.py sends all."""
    report = check_engine(HELD, seed=3, blocks=4000, optimize="build")
    assert report.passed, report.text()
    assert report.vector_records > 256
    assert report.error_packets > 100


def left_after_zeroize(rtl: Sequence[Path] | None) -> int:
    """Return the beats that leave after `zeroize`, of packets that waited at the output."""
    module = engine_module(HELD, optimize="build", files=rtl)
    with StreamSimulator(module, optimize="build", seed=1) as simulator:
        traffic = Traffic(simulator, HELD)
        packets = [SealedPacket(bytes(40), Context(0, False)) for _ in range(2)]
        transfers, due = traffic.transfers([KeyLoad(0, bytes(16)), *packets])
        # The receiver is never ready, until nothing moves; then always.
        never = {RESULTS: 0.9999}
        result = simulator.run(transfers, stalls=never, wanted=len(due), watchdog_cycles=500)
        assert result.stopped
        assert len(result.rows) < len(due)
        wait = 2 * HELD.zeroize_cycles
        result = simulator.run({}, zeroize=True, wanted=len(due), watchdog_cycles=wait)
        return len(result.rows)


def test_zeroize_drops_what_waits_at_the_output(tmp_path: Path) -> None:
    assert left_after_zeroize(None) == 0
    assert left_after_zeroize(changed_rtl(tmp_path, FILE, *NOT_ZEROIZED)) > 0


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_found(name: str, tmp_path: Path) -> None:
    old, new = MUTANTS[name]
    rtl = changed_rtl(tmp_path, FILE, old, new)
    report = check_engine(HELD, seed=3, blocks=2000, vectors=False, rtl=rtl, optimize="build")
    assert not report.passed

# SPDX-License-Identifier: Apache-2.0
"""The harness under load: engines lose nothing, and a core that loses beats is found out."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aesforge.check.load import EngineLoad, ForeignLoad, engine_load, run
from aesforge.check.packet_rate import new_key_rates, packet_rates
from aesforge.errors import UsageError
from cores import changed_rtl
from engines import SEALED, SEALED_RING, SEALED_WIDE, SMALL, WIDE
from project import REPO

LOSSY = Path(__file__).parent / "data" / "lossy_stream.sv"
PORTS = {"clock": "aclk", "reset_n": "aresetn", "s_axis": "in", "m_axis": "out"}


def foreign(**changes: Any) -> ForeignLoad:
    options: dict[str, Any] = {
        **{"files": [LOSSY], "top": "lossy_stream", "ports": PORTS, "mode": "copy"},
        **{"parameters": {}, "ties": {}},
        **changes,
    }
    return ForeignLoad(**options)


@pytest.mark.parametrize("engine", [SMALL, WIDE], ids=lambda one: one.name)
def test_an_engine_loses_nothing(engine: Any) -> None:
    for one in run(EngineLoad(engine, "build"), blocks=2000, stalls=(0.0, 0.5, 0.97)):
        assert one.fault is None
        assert one.beats_in == one.beats_out == 2000
        # A side that is ready in 3 % of the cycles is slower than the core.
        low, high = (33, 45) if one.stall == 0.97 else (9.9, 10.5)
        assert low < one.cycles_per_block < high


@pytest.mark.parametrize("engine", [SEALED, SEALED_RING], ids=lambda one: one.name)
def test_an_engine_with_tags_loses_nothing(engine: Any) -> None:
    for one in run(engine_load(engine, "build"), blocks=3000, stalls=(0.0, 0.5, 0.9)):
        assert one.fault is None
        assert one.beats_in == one.beats_out == one.blocks == 3000
        assert one.packets > 3000 / 27
        if not one.stall and engine is SEALED:
            # No bubble between packets: but for the way through, a beat a cycle.
            assert one.cycles < 3000 + 2 * engine.latency_cycles


def test_packets_of_one_size_have_no_bubbles() -> None:
    sizes = ((64, 20), (16, 0), (0, 0))
    rates = packet_rates(SEALED, sizes, packets=200)
    # A packet of a tag alone holds the next one back for a cycle.
    for one, beats, bubbles in zip(rates, (7, 2, 1), (0, 0, 1), strict=True):
        assert one.beats == beats
        assert bubbles <= one.bubbles < bubbles + 0.01
    (ring,) = packet_rates(SEALED_RING, ((16, 0),), packets=50)
    assert ring.cycles == pytest.approx(20, rel=0.05)


def test_a_new_key_with_each_packet_costs_its_powers() -> None:
    """One after the other, whatever the packets are: a product of 18 cycles for each."""
    one, other = new_key_rates(SEALED, ((16, 0), (64, 20)), packets=30)
    assert one.cycles == other.cycles > other.beats
    (wide,) = new_key_rates(SEALED_WIDE, ((16, 0),), packets=30)
    assert wide.cycles == one.cycles + 4 * (128 // 8 + 2)


def test_a_core_that_loses_beats_is_found_out() -> None:
    without, with_stalls = run(foreign(), blocks=2000, stalls=(0.0, 0.25))
    assert without.fault is None
    assert without.beats_in == without.beats_out == 2000
    assert without.cycles_per_block == pytest.approx(1, rel=0.01)
    assert with_stalls.fault is not None
    assert re.search(r"beat (\d+) is lost or late: beat \d+ comes in its place", with_stalls.fault)
    assert with_stalls.beats_out < with_stalls.beats_in == 2000


def test_an_engine_that_loses_beats_is_found_out(tmp_path: Path) -> None:
    rtl = changed_rtl(
        tmp_path, "aesforge_axis_shell.sv", "rst || zeroize || !credit", "rst || zeroize"
    )
    source = EngineLoad(SMALL, "build")
    source.module = dataclasses.replace(source.module, files=tuple(rtl))
    (one,) = run(source, blocks=500, stalls=(0.97,))
    assert one.fault is not None
    assert "beat" in one.fault


REFUSALS: list[tuple[dict[str, Any], str]] = [
    ({"ports": {"clok": "aclk"}}, "no role 'clok' for a port; did you mean 'clock'"),
    ({"ports": {**PORTS, "reset": "rst"}}, "reset and reset_n exclude each other"),
    ({"ties": {"in_tlast": "high"}}, "neither a whole number nor the word key"),
    ({"files": [LOSSY.with_name("absent.v")]}, "cannot read"),
]


@pytest.mark.parametrize(("changes", "words"), REFUSALS, ids=lambda v: str(v)[:30])
def test_what_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        foreign(**changes)


def test_the_script(tmp_path: Path) -> None:
    def script(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(REPO / "scripts" / "bench_streams.py"), *words],
            capture_output=True,
            text=True,
            check=False,
        )

    rtl = ("--rtl", str(LOSSY), "--top", "lossy_stream", "--mode", "copy", "--blocks", "500")
    ports = ",".join(f"{role}={port}" for role, port in PORTS.items())
    done = script(*rtl, "--ports", ports, "--stall", "0.25")
    assert done.returncode == 1, done.stderr
    assert "25 % stalls: 500 blocks" in done.stdout
    assert "WRONG: cycle" in done.stdout
    done = script(*rtl, "--ports", "clock=aclk,s_axis=input", "--stall", "0")
    assert done.returncode == 2
    assert "lossy_stream has no port 'input_tvalid'" in done.stderr
    assert "Traceback" not in done.stderr
    done = script(*rtl, "--keep", "lossy")
    assert done.returncode == 2
    assert "goes with --rtl, and with --source" in done.stderr
    done = script("--engine", "compact")
    assert done.returncode == 2
    assert "give it modes" in done.stderr

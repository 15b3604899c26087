# SPDX-License-Identifier: Apache-2.0
"""Raising the clock of a routed core; the timed simulation of it beside its RTL."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from aesforge.cli import main as cli
from aesforge.design import load
from aesforge.devices import device
from aesforge.errors import CheckFailed
from aesforge.research.margin import margin, random_traffic
from aesforge.simulate import WAIT, Simulator
from aesforge.simulate.timed import bench as benches
from aesforge.simulate.timed.bench import Bench, bench_of, blocks_out, corrupt, enters_in, traffic
from aesforge.simulate.timed.circuit import Circuit, Node, Register
from aesforge.simulate.timed.simulator import Simulation

DESIGN = load("compact", {"name": "little"})
DEVICE = "LFE5U-25F-6"


# --- A routed core -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def routed() -> Bench:
    return bench_of(DESIGN, device(DEVICE), 1)


def test_the_static_bound_is_the_clock_that_nextpnr_reports(routed: Bench) -> None:
    """The netlist and its delays were read right: the two agree to the rounding of each delay."""
    assert 1e6 / routed.circuit.static_ps() == pytest.approx(routed.reported_mhz, rel=1e-3)


def test_at_a_slow_clock_it_does_what_the_rtl_does(routed: Bench) -> None:
    """Block for block and cycle for cycle, beside Verilator's simulation of the RTL."""
    count = 25
    payload = random_traffic(count)
    sent = traffic(routed, payload.blocks, payload.keys[:, :16])
    with Simulation(routed.circuit, sent.stimulus) as simulation:
        slow = simulation.run(2 * routed.circuit.static_ps())
    with Simulator(DESIGN) as functional:
        ops = functional.new_ops(count + 1)
        ops["block"][:count] = payload.blocks
        ops["key"][:count, :16] = payload.keys[:, :16]
        ops["op"][count] = WAIT
        rows = functional.run(ops).rows
    assert (blocks_out(routed, sent, slow.values) == rows["block"]).all()
    assert (sent.expected == rows["block"]).all()
    assert not corrupt(routed, sent, slow.values).any()
    # A block comes out where the RTL has it, and nowhere else.
    valid = np.flatnonzero(benches.read(routed, "out_valid", slow.values)[:, 0])
    assert (np.diff(valid) == np.diff(rows["out_cycle"].astype(int))).all()
    assert len(valid) == count
    assert (np.diff(enters_in(DESIGN, count)) == np.diff(rows["in_cycle"].astype(int))).all()
    latency = rows["out_cycle"].astype(int) - rows["in_cycle"].astype(int)
    assert (sent.leaves - sent.leaves[0] == valid - valid[0]).all()
    assert set(latency.tolist()) == {DESIGN.latency_cycles}


def stretched(circuit: Circuit, cell: str, more_ps: int) -> Circuit:
    """Return the circuit with longer wires after a cell."""
    delay = circuit.delay.copy()
    parts: list[Node | Register] = [*circuit.parts.nodes, *circuit.parts.registers]
    for n in (n for n, part in enumerate(parts) if part.cell == cell):
        delay[circuit.first[n] : circuit.first[n + 1]] += more_ps
    return dataclasses.replace(circuit, delay=delay)


def test_a_stretched_delay_makes_it_fail(routed: Bench) -> None:
    payload = random_traffic(10)
    sent = traffic(routed, payload.blocks, payload.keys[:, :16])
    period = routed.circuit.static_ps()
    with Simulation(routed.circuit, sent.stimulus) as simulation:
        right = simulation.run(period)
    assert not corrupt(routed, sent, right.values).any()
    assert 0 < right.latest_ps <= period
    longer = stretched(routed.circuit, right.latest, period)
    with Simulation(longer, sent.stimulus) as simulation:
        assert corrupt(routed, sent, simulation.run(period).values).any()
        # At a clock that allows for it, all is well again.
        assert not corrupt(routed, sent, simulation.run(3 * period).values).any()


def test_a_netlist_that_is_wrong_at_a_slow_clock_is_an_error(
    routed: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = routed.circuit.parts
    node = parts.nodes[len(parts.nodes) // 2]
    broken = dataclasses.replace(node, table=node.table ^ 0xFFFF)
    nodes = [broken if one is node else one for one in parts.nodes]
    circuit = dataclasses.replace(routed.circuit, parts=dataclasses.replace(parts, nodes=nodes))
    bench = dataclasses.replace(routed, circuit=circuit)
    monkeypatch.setattr("aesforge.research.margin.bench_of", lambda *_: bench)
    with pytest.raises(CheckFailed, match="half the clock"):
        margin(DESIGN, device(DEVICE), random_traffic(3))


# --- The command ---------------------------------------------------------------------------------


def call(*words: str) -> Any:
    return CliRunner().invoke(cli.main, ["margin", *words])


def test_the_command_finds_the_first_failing_clock(routed: Bench, tmp_path: Path) -> None:
    words = ("compact", "--device", DEVICE, "--blocks", "6", "-o", str(tmp_path), "--json")
    result = call(*words)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["reported_mhz"] == pytest.approx(routed.reported_mhz, abs=0.01)
    # Nothing fails below the static bound, and one picosecond parts the two clocks.
    assert found["static_mhz"] - 0.01 <= found["highest_mhz"] < found["failing_mhz"]
    assert 1e6 / found["highest_mhz"] - 1e6 / found["failing_mhz"] == pytest.approx(1, abs=0.5)
    curve = [(point["mhz"], point["corrupt"]) for point in found["curve"]]
    assert curve == sorted(curve)
    assert all((mhz > found["failing_mhz"] - 0.001) == (wrong > 0) for mhz, wrong in curve)
    assert curve[-1][1] == 6
    again = found["origin"]["command"].split()
    assert again[1:] == ["margin", *words[:3], "--seed", "1", *words[3:5]]
    assert "<svg" in (tmp_path / "curve.svg").read_text()
    assert not (tmp_path / "sheet.png").exists()
    # The table for people says the same.
    text = call(*words[:5]).stdout
    assert f"{found['failing_mhz']:.3f} MHz" in text


def test_a_picture_gives_a_sheet(tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    Image.linear_gradient("L").resize((8, 8)).save(picture)
    out = tmp_path / "out"
    result = call("compact", "--device", DEVICE, "--picture", str(picture), "-o", str(out))
    assert result.exit_code == 0, result.output
    assert "8 x 8 pixels" in result.stdout
    assert "12 blocks" in result.stdout
    with Image.open(out / "sheet.png") as sheet:
        assert sheet.width > 900


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("compact",), ("--device", "LFE5U-25F-6")),
        (("compact", "--device", "HX8K"), ("ECP5 only", "LFE5U")),
        (("compact", "--device", DEVICE, "--blocks", "0"), ("0 is not in the range",)),
        (("compact", "--device", DEVICE, "--blocks", "3", "--picture", "x"), ("exclude",)),
        (("compact", "--device", DEVICE, "--picture", "absent.png"), ("absent.png",)),
        (
            ("compact", "--set", "key_schedule=stored", "--device", DEVICE),
            ("key_schedule = agile", "tiles = 1"),
        ),
    ],
)
def test_bad_input_is_refused_in_words(words: tuple[str, ...], told: tuple[str, ...]) -> None:
    result = call(*words)
    assert result.exit_code == 2
    assert all(word in result.output for word in told), result.output

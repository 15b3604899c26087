# SPDX-License-Identifier: Apache-2.0
"""Transitions of a routed core: netlists whose count is known by hand, and a real core."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from aesforge.cli import main as cli
from aesforge.design import load
from aesforge.devices import device
from aesforge.energy.count import spend, tally
from aesforge.energy.model import Energy, Tally
from aesforge.errors import CheckFailed, UsageError
from aesforge.measure import Database, Target, measure
from aesforge.measure.record import Measurement
from aesforge.netlist.module import Bit, Cell, Module, Wire
from aesforge.simulate.timed import ecp5
from aesforge.simulate.timed.bench import Bench, bench_of, enters_in, traffic
from aesforge.simulate.timed.circuit import Circuit, Node, Register, connect
from aesforge.simulate.timed.delays import Delays
from aesforge.simulate.timed.routing import Net, clock_pins_of, nets_of, tiles_of
from aesforge.simulate.timed.simulator import Counts, Simulation
from ecp5_cells import comb, flip_flop

# As in `test_margin.py`, so that both use one placement.
DESIGN = load("compact", {"name": "little"})
DEVICE = "LFE5U-25F-6"

# --- By hand -------------------------------------------------------------------------------------

# Both inputs of the gate follow the same register, one of them later than the gate can pass on.
XOR = {
    "a": flip_flop(Q=1),
    "xor": comb({"INITVAL": "0110011001100110"}, A=1, B=1, F=2),
    "same": comb({"INITVAL": "1010101010101010"}, A=1, F=4),
    "out": flip_flop(Q=3, DI=2),
    "copy": flip_flop(Q=5, DI=4),
}
XOR_DELAYS = Delays(
    wire={("xor", "A"): 100, ("xor", "B"): 300},
    path={("a", "CLK", "Q"): 10, ("xor", "A", "F"): 50, ("xor", "B", "F"): 50},
)


def counted(
    cells: dict[str, Cell], delays: Delays, sent: list[int], window: range
) -> dict[str, tuple[int, int]]:
    """Return transitions and those without glitches of each source, by its cell."""
    circuit = connect(ecp5.parts_of(cells, delays), cells, delays, ["a"], ["out", "copy"])
    with Simulation(circuit, np.array([sent], np.uint8).T.copy()) as simulation:
        counts = simulation.run(1000, window).counts
    assert counts is not None
    sources: list[Node | Register] = [*circuit.parts.nodes, *circuit.parts.registers]
    pairs = zip(counts.transitions.tolist(), counts.needed.tolist(), strict=True)
    return dict(zip((source.cell for source in sources), pairs, strict=True))


def test_transitions_and_glitches_are_those_of_the_waves() -> None:
    """`a` changes three times; each time the gate pulses, and its output stays low."""
    found = counted(XOR, XOR_DELAYS, [0, 1, 1, 0, 1, 1, 1], range(1, 6))
    assert found == {"a": (3, 3), "xor": (6, 0), "same": (3, 3), "out": (0, 0), "copy": (3, 3)}


def test_without_delays_there_are_no_glitches() -> None:
    found = counted(XOR, Delays(), [0, 1, 1, 0, 1, 1, 1], range(1, 6))
    assert found == {"a": (3, 3), "xor": (0, 0), "same": (3, 3), "out": (0, 0), "copy": (3, 3)}


def test_only_the_window_counts() -> None:
    """The edges of rows 3 and 4, and what follows from them; nothing before or after."""
    sent = [0, 1, 0, 1, 1, 0, 1, 0]
    found = counted(XOR, XOR_DELAYS, sent, range(3, 5))
    # `copy` takes at row 3 what `a` had at row 2, and at row 4 what it had at row 3.
    assert found == {"a": (1, 1), "xor": (2, 0), "same": (1, 1), "out": (0, 0), "copy": (2, 2)}


def test_what_never_changes_counts_nothing() -> None:
    found = counted(XOR, XOR_DELAYS, [1] * 6, range(2, 5))
    assert set(found.values()) == {(0, 0)}


def test_wires_are_as_long_as_their_names_say() -> None:
    """Names are Project Trellis's; the clock network and wires inside a tile have no length."""
    routing = (
        "X3/Y4/Q0_SLICE;;1;X3/Y4/Q0;X3/Y4/0_0_Q0_SLICE->0_0_Q0;1;X3/Y2/V02N0601;x;1;"
        "X9/Y2/H06E0303;x;1;X9/Y3/V01S0100;x;1;X9/Y3/H00R0100;x;1;X9/Y3/D4;x;1;X9/Y3/G_HPBX0000;x;1"
    )
    assert tiles_of(routing) == 2 + 6 + 1
    assert tiles_of("") == 0


def module(**routing: str) -> Module:
    """Return `XOR` as nextpnr writes it, with what drives a net as `y2` for net 2."""
    wires = {
        f"n{n}": Wire([n], attributes={"ROUTING": routing.get(f"n{n}", "")}) for n in range(1, 6)
    }
    return Module({}, {f"u_core.{name}": cell for name, cell in XOR.items()}, wires)


def test_a_net_has_its_wires_and_its_pins() -> None:
    found = nets_of(module(n1="X1/Y1/H02E0001;x;1;X1/Y1/H06E0003;x;1", n2="X1/Y1/V01N0001;x;1"))
    assert found == {1: Net(8, 3), 2: Net(1, 1), 3: Net(0, 0), 4: Net(0, 1), 5: Net(0, 0)}


def test_clock_pins_are_the_cores() -> None:
    cells = {
        "u_core.q": flip_flop(Q=1, CLK=9),
        "u_core.ram": comb({"MODE": "DPRAM"}, F=2, WCK=9),
        "u_core.lut": comb({}, F=3),
        "in_q": flip_flop(Q=4, CLK=9),
    }
    assert clock_pins_of(cells, "u_core.") == 2


def test_the_energy_of_a_small_netlist_is_known_by_hand() -> None:
    """In five cycles `a`, of the harness, changes three times; it is not the core's.

    xor: 6 transitions on 3 tiles and 1 pin; same: 3 on 0 tiles and 1 pin; out: none; copy: 3 on 7
    tiles and 2 pins. That is 12 outputs, 18 + 0 + 21 = 39 tiles, 6 + 3 + 6 = 15 pins. Without
    glitches: 6 outputs, 21 tiles, 9 pins. Two clock pins in five cycles: 20.
    """
    cells = {name if name == "a" else f"u_core.{name}": cell for name, cell in XOR.items()}
    delays = Delays(
        wire={("u_core.xor", "A"): 100, ("u_core.xor", "B"): 300},
        path={("a", "CLK", "Q"): 10, **{("u_core.xor", pin, "F"): 50 for pin in "AB"}},
    )
    watched = ["u_core.out", "u_core.copy"]
    circuit = connect(ecp5.parts_of(cells, delays), cells, delays, ["a"], watched)
    sent = np.array([[0, 1, 1, 0, 1, 1, 1]], np.uint8).T.copy()
    with Simulation(circuit, sent) as simulation:
        counts = simulation.run(1000, range(1, 6)).counts
    assert counts is not None
    nets: dict[Bit, Net] = {1: Net(9, 9), 2: Net(3, 1), 3: Net(5, 5), 4: Net(0, 1), 5: Net(7, 2)}
    found = Energy(
        keys="each",
        traffic_seed=1,
        blocks=5,
        cycles=5,
        transitions=tally(circuit, nets, counts.transitions),
        settled=tally(circuit, nets, counts.needed),
        writes=0,
        clock=2 * 5 * 2,
        nets=4,
        clock_pins=2,
    )
    assert found.transitions == Tally(outputs=12, tiles=39, pins=15)
    assert found.settled == Tally(outputs=6, tiles=21, pins=9)
    assert found.per_block == (12 + 39 + 15 + 20) / 5
    assert found.glitch_share == pytest.approx((12 + 39 + 15 - 6 - 21 - 9) / 86)


# --- A routed core -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def routed() -> Bench:
    return bench_of(DESIGN, device(DEVICE), 1)


def test_the_count_is_the_same_each_time_and_near_that_of_twice_the_blocks(routed: Bench) -> None:
    one = spend(routed, blocks=20)
    assert spend(routed, blocks=20) == one
    assert (one.blocks, one.cycles) == (20, 200)
    assert one.clock == 2 * 200 * routed.clock_pins
    twice = spend(routed, blocks=40)
    assert twice.per_block == pytest.approx(one.per_block, rel=0.03)
    other = spend(routed, blocks=20, seed=5)
    assert other != one
    assert other.per_block == pytest.approx(one.per_block, rel=0.03)
    # A key that stays saves a little: the loop expands it anew for each block all the same.
    assert 0.9 < spend(routed, blocks=20, keys="one").per_block / one.per_block < 1.0


def test_deep_logic_has_glitches_and_all_of_the_core_is_counted(routed: Bench) -> None:
    """The S-boxes of a round are one long combinational path."""
    found = spend(routed, blocks=10)
    assert found.glitches > found.settled.outputs > 0
    assert 0.3 < found.glitch_share < 0.95
    assert sum(found.shares.values()) == pytest.approx(1.0)
    parts = routed.circuit.parts
    drivers = [node.cell for node in parts.nodes] + [one.cell for one in parts.registers]
    assert found.nets == sum(cell.startswith("u_core.") for cell in drivers)


def without_delays(circuit: Circuit) -> Circuit:
    nodes = [
        dataclasses.replace(node, pins=tuple((port, 0) for port, _ in node.pins))
        for node in circuit.parts.nodes
    ]
    parts = dataclasses.replace(circuit.parts, nodes=nodes)
    return dataclasses.replace(circuit, parts=parts, delay=np.zeros_like(circuit.delay))


def test_without_its_delays_the_core_has_no_glitches(
    routed: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left is what the count with delays says is needed."""
    ideal = dataclasses.replace(routed, circuit=without_delays(routed.circuit))
    monkeypatch.setattr(Circuit, "static_ps", lambda _circuit: 500)
    found = spend(ideal, blocks=10)
    monkeypatch.undo()
    assert found.glitches == 0
    assert found.glitch_share == pytest.approx(0.0)
    assert found.settled == found.transitions == spend(routed, blocks=10).settled


def idle(bench: Bench) -> Counts:
    """Return what changes in a core that gets no block, its inputs at rest after a reset."""
    some = np.zeros((30, 16), np.uint8)
    sent = traffic(bench, some, some[:1])
    still = np.zeros_like(sent.stimulus)
    for column in bench.inputs["rst"]:
        assert column is not None
        still[:4, column] = 1
    with Simulation(bench.circuit, still) as simulation:
        counts = simulation.run(2 * bench.circuit.static_ps(), range(60, 260)).counts
    assert counts is not None
    return counts


def test_an_idle_core_spends_only_the_clock(routed: Bench) -> None:
    """And a half percent beside it: the counter for `zeroize` never stops."""
    counts, parts = idle(routed), routed.circuit.parts
    of_registers = counts.transitions[len(parts.nodes) :]
    moving = {one.cell for one, n in zip(parts.registers, of_registers, strict=True) if n}
    labels = routed.placement.synthesis.labels
    assert {labels.place(cell).split("_")[0] for cell in moving} == {"zeroize"}
    assert counts.transitions.sum() < 0.01 * 2 * 200 * routed.clock_pins
    assert counts.writes.sum() == 0


def test_counting_begins_when_the_core_is_full_and_takes_whole_fillings(routed: Bench) -> None:
    """A ring with four places is filled in turns of four blocks."""
    from aesforge.energy.count import _window

    four = load("compact", {"unroll": 2, "sbox_stages": 1})
    bench = dataclasses.replace(routed, design=four)
    assert _window(bench, 1) == (8, 4) == _window(bench, 4)
    assert _window(bench, 5)[1] == 8
    enters = enters_in(four, 20).tolist()
    assert enters[8] >= four.latency_cycles + 1 > enters[4]
    assert _window(routed, 7) == (2, 7)


def test_a_wrong_netlist_is_an_error(routed: Bench) -> None:
    node = routed.circuit.parts.nodes[len(routed.circuit.parts.nodes) // 2]
    broken = dataclasses.replace(node, table=node.table ^ 0xFFFF)
    nodes = [broken if one is node else one for one in routed.circuit.parts.nodes]
    parts = dataclasses.replace(routed.circuit.parts, nodes=nodes)
    circuit = dataclasses.replace(routed.circuit, parts=parts)
    with pytest.raises(CheckFailed, match="OpenSSL"):
        spend(dataclasses.replace(routed, circuit=circuit), blocks=3)


def test_no_blocks_are_refused(routed: Bench) -> None:
    with pytest.raises(UsageError, match="at least one block"):
        spend(routed, blocks=0)


def test_a_measurement_has_the_energy_of_each_run(routed: Bench, tmp_path: Any) -> None:
    """And keeps it: the second call places and simulates nothing."""
    database = Database(tmp_path / "measurements.sqlite")
    target, where = Target.of(DESIGN), device(DEVICE)
    said: list[str] = []

    def once(**options: Any) -> Measurement:
        return measure(target, where, seeds=(1,), database=database, say=said.append, **options)

    found = once(energy=True)
    assert found.clock is not None
    alone = spend(routed)
    assert found.clock.runs[0].energy == alone
    assert found.energy_per_block == alone.per_block
    assert found.provenance.command.endswith("--energy --seeds 1")
    assert Measurement.from_json(found.to_json()) == found
    assert any("for its energy" in line for line in said)
    said.clear()
    assert once(energy=True) == found
    assert once() == found
    assert said == []
    assert found.as_dict()["energy_per_block"] == found.energy_per_block


def test_a_run_without_energy_leaves_the_median_out(routed: Bench) -> None:
    from explored import made_up

    two = made_up(DESIGN, device(DEVICE), (1, 2), placed=True)
    assert two.energy_per_block is not None
    assert two.clock is not None
    runs = [two.clock.runs[0], msgspec.structs.replace(two.clock.runs[1], energy=None)]
    clock = msgspec.structs.replace(two.clock, runs=runs)
    assert msgspec.structs.replace(two, clock=clock).energy_per_block is None


# --- The command ---------------------------------------------------------------------------------


def call(*words: str) -> Any:
    return CliRunner().invoke(cli.main, list(words))


def test_the_command_gives_shares_and_the_ratio(routed: Bench) -> None:
    words = ("energy", "compact", "--device", DEVICE, "--blocks", "6", "--against", "compact")
    result = call(*words, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["energy"]["per_block"] == pytest.approx(spend(routed, blocks=6).per_block)
    assert found["ratio"] == {"energy": 1.0, "low": 1.0, "high": 1.0}
    assert found["against"]["energy"] == found["energy"]
    again = found["origin"]["command"].split()
    assert again == ["aesforge", *words[:4], "--seed", "1", "--blocks", "6"]
    assert "simulation" in result.stderr
    text = call(*words).stdout
    assert f"{found['energy']['per_block']:,.0f} weighted transitions per block" in text
    assert "1 times what compact spends" in text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("compact",), ("--device", "LFE5U-85F-8")),
        (("compact", "--device", "HX8K"), ("ECP5 only", "LFE5U")),
        (("compact", "--device", DEVICE, "--blocks", "0"), ("0 is not in the range",)),
        (("compact", "--device", DEVICE, "--against", "compct"), ("did you mean 'compact'",)),
        (("ctr-stream", "--device", DEVICE), ("ctr-stream", "engine")),
        (
            ("compact", "--device", DEVICE, "--against", "line-rate", "--set", "tiles=2"),
            ("key_schedule = agile", "tiles = 1"),
        ),
        (("kiran-looped", "--device", DEVICE), ("architecture = pipeline",)),
        (("rahman2010-addressed", "--device", DEVICE), ("architecture = pipeline",)),
        (("compact-bram", "--device", DEVICE, "--set", "key_schedule=agile"), ("no block RAM",)),
        (
            ("compact", "--set", "key_schedule=stored", "--device", DEVICE),
            ("key_schedule = agile", "tiles = 1"),
        ),
        (
            ("compact", "--set", "research=true", "--set", "scheme=liu2014", "--device", DEVICE),
            ("OpenSSL", "scheme = fips197"),
        ),
    ],
)
def test_bad_input_is_refused_in_words(words: tuple[str, ...], told: tuple[str, ...]) -> None:
    result = call("energy", *words)
    assert result.exit_code == 2
    assert all(word in result.output for word in told), result.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("ctr-stream", "--device", DEVICE, "--energy"), ("engine",)),
        (("compact", "--device", "HX8K", "--energy"), ("ECP5 only",)),
        (("compact", "--device", DEVICE, "--energy", "--synthesis-only"), ("--energy",)),
    ],
)
def test_measure_refuses_what_it_cannot_count(
    words: tuple[str, ...], told: tuple[str, ...]
) -> None:
    result = call("measure", *words)
    assert result.exit_code == 2
    assert all(word in result.output for word in told), result.output

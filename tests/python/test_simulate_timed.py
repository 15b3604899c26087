# SPDX-License-Identifier: Apache-2.0
"""Timed simulation: small netlists whose result is known by hand."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from aesforge.errors import AesforgeError, UsageError
from aesforge.netlist.module import Cell
from aesforge.simulate.timed import ecp5
from aesforge.simulate.timed.circuit import connect
from aesforge.simulate.timed.delays import Delays, read_delays
from aesforge.simulate.timed.simulator import Simulation
from ecp5_cells import cell, comb, flip_flop


def run(
    cells: dict[str, Cell],
    delays: Delays,
    stimulus: dict[str, list[int]],
    observed: list[str],
    period_ps: int,
) -> list[list[int]]:
    """Return the observed registers after each clock edge."""
    circuit = connect(ecp5.parts_of(cells, delays), cells, delays, list(stimulus), observed)
    rows = np.array(list(stimulus.values()), np.uint8).T.copy()
    with Simulation(circuit, rows) as simulation:
        values: list[list[int]] = simulation.run(period_ps).values.tolist()
    return values


# in -> a -> inverter -> out: 100 to the output of a, 200 and 30 of wire, 60 through, 10 of setup.
CHAIN = {
    "a": flip_flop(Q=1),
    "not": comb({"INITVAL": "0101010101010101"}, A=1, F=2),
    "out": flip_flop(Q=3, DI=2),
}
CHAIN_DELAYS = Delays(
    wire={("not", "A"): 200, ("out", "DI"): 30},
    path={("a", "CLK", "Q"): 100, ("not", "A", "F"): 60},
    setup={("out", "DI"): 10},
)


@pytest.mark.parametrize(("period_ps", "late"), [(400, 0), (399, 1), (201, 1), (200, 1), (199, 2)])
def test_a_register_takes_what_arrived_a_setup_time_before_the_edge(
    period_ps: int, late: int
) -> None:
    sent = [0, 0, 1, 0, 0, 0, 1, 1, 0, 1]
    got = run(CHAIN, CHAIN_DELAYS, {"a": sent}, ["out"], period_ps)
    # What the inverter shows comes one edge after its cause, and one more for each period missed.
    want = [1 - value for value in [0] * (1 + late) + sent][: len(sent)]
    assert [row[0] for row in got] == want


def test_a_pulse_shorter_than_the_way_through_a_cell_is_lost() -> None:
    """An exclusive or of a register with itself, by wires of different length."""

    def pulses(through: int) -> int:
        cells = {
            "a": flip_flop(Q=1),
            "xor": comb({"INITVAL": "0110011001100110"}, A=1, B=1, F=2),
            "out": flip_flop(Q=3, DI=2),
        }
        delays = Delays(
            wire={("xor", "A"): 100, ("xor", "B"): 150},
            path={("a", "CLK", "Q"): 10, ("xor", "A", "F"): through, ("xor", "B", "F"): through},
        )
        # The edge falls into the pulse, if there is one.
        rows = run(cells, delays, {"a": [0, 1, 0, 1, 0]}, ["out"], 130 + through)
        return sum(row[0] for row in rows)

    assert pulses(49) == 3
    assert pulses(51) == 0


def test_carry_cells_add() -> None:
    """Two bits of the sum of two numbers, and its carry, as `CCU2C` is split into two cells."""
    adder = {"INITVAL": "1001011010101010", "MODE": "CCU2"}  # as Yosys writes a sum: A xor B
    cells = {
        **{name: flip_flop(Q=net) for name, net in (("a0", 1), ("b0", 2), ("a1", 3), ("b1", 4))},
        "zero": comb({"INITVAL": "0" * 16, "MODE": "LOGIC"}, F=9),
        "s0": comb(adder, A=1, B=2, C=9, FCI=9, F=5, FCO=6),
        "s1": comb(adder, A=3, B=4, C=9, FCI=6, F=7, FCO=8),
        "carry": comb({"INITVAL": "0000000000000000", "MODE": "CCU2"}, FCI=8, F=10),
        "q0": flip_flop(Q=11, DI=5),
        "q1": flip_flop(Q=12, DI=7),
        "q2": flip_flop(Q=13, DI=10),
    }
    pairs = list(itertools.product(range(4), repeat=2))
    stimulus = {
        "a0": [a & 1 for a, _ in pairs],
        "a1": [a >> 1 for a, _ in pairs],
        "b0": [b & 1 for _, b in pairs],
        "b1": [b >> 1 for _, b in pairs],
    }
    got = run(cells, Delays(), stimulus, ["q0", "q1", "q2"], 1000)
    sums = [row[0] + 2 * row[1] + 4 * row[2] for row in got]
    assert sums[1:] == [a + b for a, b in pairs][:-1]


def test_wide_multiplexers_choose() -> None:
    cells = {
        **{name: flip_flop(Q=net) for name, net in (("x", 1), ("y", 2), ("select", 3))},
        "other": comb({"INITVAL": "1100110011001100"}, B=2, F=4),
        "five": comb({"INITVAL": "1010101010101010"}, A=1, F=5, F1=4, M=3, OFX=6),
        "six": comb({"INITVAL": "0000000000000000"}, FXA=6, FXB=2, M=3, OFX=7),
        "five_q": flip_flop(Q=8, DI=6),
        "six_q": flip_flop(Q=9, DI=7),
    }
    every = list(itertools.product((0, 1), repeat=3))
    stimulus = {name: [row[n] for row in every] for n, name in enumerate(("x", "y", "select"))}
    got = run(cells, Delays(), stimulus, ["five_q", "six_q"], 1000)
    for (x, y, select), (five, six) in zip(every[:-1], got[1:], strict=True):
        assert (five, six) == ((y, y) if select else (x, x))


def test_memory_in_look_up_tables_keeps_what_was_written() -> None:
    """Every address is written, with the enable low once, then all are read."""
    read = {
        "A": 3,
        "B": 1,
        "C": 2,
        "D": 0,
    }  # as nextpnr joins the read address: its bits at D B C A
    cells = {f"address{n}": flip_flop(Q=10 + n) for n in range(4)}
    cells["data"] = flip_flop(Q=20)
    cells["enable"] = flip_flop(Q=21)
    through = {"D0": 10, "B0": 11, "C0": 12, "A0": 13, "C1": 20}
    through |= {"WADO0": 30, "WADO1": 31, "WADO2": 32, "WADO3": 33, "WDO0": 34}
    cells["pass"] = cell("TRELLIS_RAMW", {}, through)
    write = {"WAD0": 30, "WAD1": 31, "WAD2": 32, "WAD3": 33, "WD": 34, "WRE": 21}
    ports = {port: 10 + bit for port, bit in read.items()}
    cells["memory"] = comb({"MODE": "DPRAM", "INITVAL": "0" * 16}, F=40, **ports, **write)
    cells["q"] = flip_flop(Q=41, DI=40)
    content = [1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0]
    addresses = [*range(16), 3, *range(16)]
    stimulus = {f"address{n}": [a >> n & 1 for a in addresses] for n in range(4)}
    stimulus["data"] = [*content, 0, *[1 - bit for bit in content]]
    stimulus["enable"] = [1] * 16 + [0] * 17
    got = run(cells, Delays(), stimulus, ["q"], 1000)
    # Read a cycle after the address stands there.
    assert [row[0] for row in got[18:]] == content[:-1]


def test_reset_comes_before_enable() -> None:
    cells = {
        **{name: flip_flop(Q=net) for name, net in (("d", 1), ("enable", 2), ("reset", 3))},
        "q": cell(
            "TRELLIS_FF",
            {"SD": "0 ", "CEMUX": "CE", "LSRMUX": "LSR", "REGSET": "SET"},
            {"Q": 4, "M": 1, "CE": 2, "LSR": 3},
        ),
    }
    rows = [(0, 1, 0), (1, 0, 0), (0, 0, 1), (0, 0, 0), (0, 1, 0), (0, 1, 0)]
    stimulus = {name: [row[n] for row in rows] for n, name in enumerate(("d", "enable", "reset"))}
    got = run(cells, Delays(), stimulus, ["q"], 1000)
    # It starts set; then: take 0, hold, set, hold, take 0.
    assert [row[0] for row in got] == [1, 0, 0, 1, 1, 0]


@pytest.mark.parametrize(
    ("unknown", "words"),
    [
        (cell("DP16KD", {}, {}), ("block RAM", "sbox = tower")),
        (cell("MULT18X18D", {}, {}), ("MULT18X18D",)),
        (cell("TRELLIS_FF", {"CLKMUX": "INV"}, {"Q": 1}), ("falling",)),
        (cell("TRELLIS_FF", {"SRMODE": "ASYNC"}, {"Q": 1, "LSR": 2}), ("asynchronous",)),
    ],
)
def test_what_the_simulation_does_not_know_is_refused(
    unknown: Cell, words: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError) as refusal:
        ecp5.parts_of({"x": unknown}, Delays())
    assert all(word in refusal.value.message for word in words)


def test_the_longest_of_each_delay_is_read(tmp_path: Path) -> None:
    path = tmp_path / "delays.sdf"
    path.write_text(
        "(DELAYFILE\n(TIMESCALE 1ps)\n(CELL\n(INSTANCE )\n"
        "(INTERCONNECT a\\[0\\].b/F c\\$d/DI (1:2:3) (1:2:4))\n)\n"
        "(CELL\n(INSTANCE c\\$d)\n(IOPATH CLK Q (5:6:7) (5:6:7))\n"
        "(SETUPHOLD (posedge DI) (posedge CLK) (8:9:10) (90:91:92))\n)\n)\n"
    )
    assert read_delays(path) == Delays(
        wire={("c$d", "DI"): 4}, path={("c$d", "CLK", "Q"): 7}, setup={("c$d", "DI"): 10}
    )
    path.write_text("(DELAYFILE (TIMESCALE 1ns))")
    with pytest.raises(AesforgeError, match="picoseconds"):
        read_delays(path)

# SPDX-License-Identifier: Apache-2.0
"""Circuits of RTL and of netlists, with RAM and ROM, clocks and copies of modules."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aesforge.devices.families import family
from aesforge.errors import AesforgeError, ToolFailed
from aesforge.measure.synthesis import MAPPED
from aesforge.netlist.aig import Aig, Builder
from aesforge.prove import circuit, synthesis_of
from aesforge.prove.analysis.unroll import Unrolling
from aesforge.prove.engines import equal
from aesforge.prove.properties import control
from aesforge.reference.sbox import SBOX
from proofs import LITTLE, SYNTHESIS, mapped_by, mapped_rom

TWO_WORDS = """
module core (input logic clk, we, w, r, input logic [3:0] d, output logic [3:0] q);
  (* ram_style = "distributed" *) logic [3:0] memory[0:1];
  always_ff @(posedge clk) if (we) memory[w] <= d;
  assign q = memory[r];
endmodule
"""


IN_TURN = """
module core (input logic clk, rst, input logic [1:0] key, output logic [1:0] q);
  logic [1:0] memory[0:3];
  logic [1:0] place;
  always_ff @(posedge clk) begin
    memory[place] <= key;
    place <= rst || place == LAST ? 2'd0 : place + 2'd1;
    q <= memory[place];
  end
endmodule
"""


# A register in front of the memory, of which a reset fixes nothing.
LATER = IN_TURN.replace(
    "memory[place] <= key;", "memory[follow] <= late; follow <= place; late <= key;"
).replace("logic [1:0] place;", "logic [1:0] place, follow, late;")


@pytest.mark.parametrize("last", [1, 2, 3])
@pytest.mark.parametrize(("text", "first"), [(IN_TURN, 0), (LATER, 1)], ids=["at once", "later"])
def test_places_after_the_last_of_a_counter_are_never_written(
    text: str, first: int, last: int, tmp_path: Path
) -> None:
    (tmp_path / "core.sv").write_text(text.replace("LAST", f"2'd{last}"), encoding="utf-8")
    found = circuit.of_module("core", {}, [tmp_path / "core.sv"]).aig
    at = {name: v for v, name in enumerate(found.registers, found.first_register)}
    reachable_states = [
        {at[f"place[{bit}]"]: bool(n >> bit & 1) for bit in (0, 1)} for n in range(last + 1)
    ]
    tainted = {v for name, v in at.items() if not name.startswith(("place", "follow"))}
    core: Any = SimpleNamespace(
        aig=found,
        after_reset=reachable_states[0],
        tainted=tainted,
        invariant={},
        rst=found.bits_in("rst")[0] >> 1,
        secrets=[literal >> 1 for literal in found.bits_in("key")],
    )
    every = control.moments(core, reachable_states)
    # Nothing has come after the reset yet where it is not known which place is written.
    assert [moment.tainted for moment in every] == [set()] * first + [tainted] * (last + 1)
    never = control.never_written(core, every, sorted(tainted))
    assert {name for name, v in at.items() if v in never} == {
        f"memory[{place}][{bit}]" for place in range(last + 1, 4) for bit in (0, 1)
    }


def read_back(mapped: Path, name: str) -> Aig:
    given: Any = SimpleNamespace(
        family=family(name), run=lambda: None, folder=mapped.parent, recipe=None
    )
    return circuit.of_netlist(given, mapped).aig


# That of iCE40 has inputs that nothing drives: `prove compact-bram --family ice40` is about it.
@pytest.mark.parametrize("name", [name for name in SYNTHESIS if name != "ice40"])
def test_block_ram_holds_the_sbox(name: str, tmp_path: Path) -> None:
    """The contents, by the family's model of its block RAM."""
    mapped = mapped_rom(tmp_path, name)
    text = mapped.read_text(encoding="utf-8")
    assert re.search(r"DP16KD|DP16K|DPX9B|pROM|SDPX9B|CC_BRAM|RAMB18E1|SB_RAM40", text)
    found = read_back(mapped, name)
    for port in range(2):
        names = [f"x[{8 * port + bit}]@0" for bit in range(8)]
        builder = Builder(names)
        unrolling = Unrolling(found, [{}, {}], {}, builder)
        outputs = found.bits_out("y")[8 * port : 8 * port + 8]
        graph = builder.finish(
            (f"result[{bit}]", unrolling.value(1, literal)) for bit, literal in enumerate(outputs)
        )
        # The byte of the cycle before, and nothing else.
        assert graph.inputs == names
        graph.inputs = [f"b[{bit}]" for bit in range(8)]
        assert circuit.table_of(graph) == SBOX


def test_a_block_ram_used_beyond_its_model_is_refused(tmp_path: Path) -> None:
    mapped = mapped_rom(tmp_path, "ecp5")
    text = mapped.read_text(encoding="utf-8")
    assert "connect \\RSTA 1'0" in text
    mapped.write_text(text.replace("\\RSTA 1'0", "\\RSTA \\x [0]"), encoding="utf-8")
    with pytest.raises(AesforgeError, match="does not cover how it is used"):
        read_back(mapped, "ecp5")


@pytest.mark.parametrize(("name", "cell"), [("ecp5", "TRELLIS_DPR16X4"), ("nexus", "DPR16X4")])
def test_places_that_no_address_reaches_keep_what_they_hold(
    name: str, cell: str, tmp_path: Path
) -> None:
    """Distributed RAM of two words in a cell with places for more."""
    (tmp_path / "two_words.sv").write_text(TWO_WORDS, encoding="utf-8")
    mapped = mapped_by(tmp_path, ["read_verilog -sv two_words.sv", f"{SYNTHESIS[name]} -top core"])
    assert cell in mapped.read_text(encoding="utf-8")
    found = read_back(mapped, name)
    changing = [
        register
        for variable, register in enumerate(found.registers, found.first_register)
        if found.next_state[variable - found.first_register] != 2 * variable
    ]
    # Two words of four bits, of 16.
    assert len(found.registers) == 64
    assert len(changing) == 8


TWO_CLOCKS = """
module two_clocks (input logic clk, other, d, output logic q);
  logic middle;
  always_ff @(posedge clk) middle <= d;
  always_ff @({edge} {clock}) q <= middle;
endmodule
"""


@pytest.mark.parametrize(("edge", "clock"), [("posedge", "other"), ("negedge", "clk")])
def test_another_clock_is_refused(edge: str, clock: str, tmp_path: Path) -> None:
    source = tmp_path / "two_clocks.sv"
    source.write_text(TWO_CLOCKS.format(edge="posedge", clock="clk"), encoding="utf-8")
    assert len(circuit.of_module("two_clocks", {}, [source]).aig.registers) == 2
    source.write_text(TWO_CLOCKS.format(edge=edge, clock=clock), encoding="utf-8")
    with pytest.raises(AesforgeError, match=r"q has another clock|_DFF_N_"):
        circuit.of_module("two_clocks", {}, [source])


COPIES = """
module inner (input logic clk, a, output logic same, again, high, last, open);
  logic kept;
  always_ff @(posedge clk) kept <= a;
  assign same = a;
  assign again = same;
  assign high = 1'b1;
  assign last = kept;
endmodule
module copies (input logic clk, input logic [1:0] x, output logic [9:0] y);
  for (genvar i = 0; i < 2; i++) begin : gen
    inner u (
        .clk, .a(x[i]), .same(y[5*i]), .again(y[5*i+1]), .high(y[5*i+2]), .last(y[5*i+3]),
        .open(y[5*i+4])
    );
  end
endmodule
"""


def test_copies_of_a_module_are_put_together(tmp_path: Path) -> None:
    """What passes through a module, what is constant in it, and what nothing drives."""
    source = tmp_path / "copies.sv"
    source.write_text(COPIES, encoding="utf-8")
    found = circuit.of_module("copies", {}, [source]).aig
    assert found.inputs == ["clk", "x[0]", "x[1]", "undefined 0", "undefined 1"]
    assert len(found.registers) == 2
    x = [found.input_at[f"x[{i}]"] for i in range(2)]
    kept = [2 * (found.first_register + i) for i in range(2)]
    free = [found.input_at[f"undefined {i}"] for i in range(2)]
    assert found.next_state == x
    assert found.output == [x[0], x[0], 1, kept[0], free[0], x[1], x[1], 1, kept[1], free[1]]
    assert not found.gates


# Six words from place 2 on, of which the last is not given; read by any line, and by two of three.
ONLY_READ = """
module only_read (input logic clk, input logic [2:0] x, output logic [4:0] y, z);
  logic [4:0] memory[2:7];
  initial begin
    memory[2] = 5'd9; memory[3] = 5'd17; memory[4] = 5'd30; memory[5] = 5'd9; memory[6] = 5'd4;
  end
  assign y = memory[x];
  assign z = memory[{x[2], 1'b1, x[0]}];
endmodule
"""


def test_a_memory_that_is_only_read_holds_what_it_is_given(tmp_path: Path) -> None:
    source = tmp_path / "only_read.sv"
    source.write_text(ONLY_READ, encoding="utf-8")
    found = circuit.of_module("only_read", {}, [source]).aig
    given = {2: 9, 3: 17, 4: 30, 5: 9, 6: 4}
    others = [name for name in found.inputs if name.startswith("undefined")]
    assert not found.registers
    for fill in (False, True):
        free = dict.fromkeys(others, fill)
        for x in range(8):
            lines = {f"x[{bit}]": bool(x >> bit & 1) for bit in range(3)}
            got = equal.outputs_at(found, {**lines, **free})
            for port, place in (("y", x), ("z", x | 2)):
                value = sum(got[f"{port}[{bit}]"] << bit for bit in range(5))
                assert value == given.get(place, 31 * fill)


def test_a_cell_without_a_model_is_named(tmp_path: Path) -> None:
    synthesis = synthesis_of(LITTLE, "ecp5")
    synthesis.run()
    mapped = tmp_path / MAPPED
    text = (synthesis.folder / MAPPED).read_text(encoding="utf-8")
    mapped.write_text(text.replace("cell \\LUT4 ", "cell \\LUT9 ", 1), encoding="utf-8")
    with pytest.raises(ToolFailed, match="LUT9"):
        circuit.of_netlist(synthesis, mapped)

# SPDX-License-Identifier: Apache-2.0
"""The hash of an elaborated circuit changes with the circuit, and with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesforge.design import load
from aesforge.netlist.module import read_modules
from aesforge.netlist.structure import structure
from aesforge.prove.circuit import structure_of
from aesforge.toolchain import programs

SOURCE = """
module inner #(parameter int unsigned Inverted = 0) (input logic clk, a, output logic y);
  always_ff @(posedge clk) y <= Inverted ? !a : a;
endmodule
module top (input logic clk, a, b, output logic y);
  logic both;
  assign both = a & b;
  inner #(.Inverted(1)) u_inner (.clk(clk), .a(both), .y(y));
endmodule
"""


def hashed(folder: Path, text: str) -> str:
    (folder / "top.sv").write_text(text, encoding="utf-8")
    script = ["read_verilog -sv top.sv", "hierarchy -top top", "proc", "opt_clean"]
    (folder / "top.ys").write_text("\n".join([*script, "write_json top.json"]), encoding="utf-8")
    programs.run("yosys", ["top.ys"], folder, folder / "log")
    return structure(read_modules(folder / "top.json"), "top")


# The same circuit, written differently.
SAME = {
    "comments": ("module top", "// a comment\n\nmodule top"),
    "a net's name": ("both", "product"),
    "a parameter that is not used": ("Inverted = 0)", "Inverted = 0, Unused = 5)"),
    "a module's name": ("inner", "core"),
    "the order of statements": (
        "  assign both = a & b;\n  inner #(.Inverted(1)) u_inner (.clk(clk), .a(both), .y(y));\n",
        "  inner #(.Inverted(1)) u_inner (.clk(clk), .a(both), .y(y));\n  assign both = a & b;\n",
    ),
    "code that is not generated": (
        "assign both",
        "generate if (0) begin : g logic c; assign c = a; end endgenerate\n  assign both",
    ),
}
# One thing changed.
OTHER = {
    "a gate": ("a & b", "a | b"),
    "a parameter": ("Inverted(1)", "Inverted(0)"),
    "a connection": (".a(both)", ".a(b)"),
    "a register's edge": ("posedge", "negedge"),
    "an operand's inversion": ("a & b", "a & ~b"),
    "an output": (".y(y));", ".y());\n  assign y = both;"),
}


@pytest.mark.parametrize("change", SAME)
def test_the_hash_of_the_same_circuit_stays(change: str, tmp_path: Path) -> None:
    old, new = SAME[change]
    text = SOURCE.replace(old, new)
    assert text != SOURCE
    # The instance keeps its name.
    text = text.replace("u_core", "u_inner")
    assert hashed(tmp_path, text) == hashed(tmp_path, SOURCE)


@pytest.mark.parametrize("change", OTHER)
def test_the_hash_of_another_circuit_differs(change: str, tmp_path: Path) -> None:
    old, new = OTHER[change]
    assert old in SOURCE
    assert hashed(tmp_path, SOURCE.replace(old, new)) != hashed(tmp_path, SOURCE)


def test_the_contents_of_a_memory_count(tmp_path: Path) -> None:
    text = """
module top (input logic clk, input logic [1:0] a, output logic y);
  logic rom [4];
  initial begin rom[0] = 0; rom[1] = 1; rom[2] = 1; rom[3] = 0; end
  always_ff @(posedge clk) y <= rom[a];
endmodule
"""
    changed = text.replace("rom[3] = 0", "rom[3] = 1")
    assert hashed(tmp_path, text) != hashed(tmp_path, changed)
    # What is read before it and belongs to nothing does not count; which word comes last does.
    before = "module other (input logic a, b, output logic y); assign y = a & b; endmodule\n"
    assert hashed(tmp_path, before + text) == hashed(tmp_path, text)
    twice = text.replace("rom[3] = 0;", "rom[3] = 0; rom[3] = 1;")
    other = text.replace("rom[3] = 0;", "rom[3] = 1; rom[3] = 0;")
    assert hashed(tmp_path, twice) != hashed(tmp_path, other)


def test_designs_with_other_choices_differ() -> None:
    compact = load("compact")
    others = [load("compact", {"key_bits": 192, "name": "other"}), load("compact-bram")]
    found = {structure_of(one) for one in (compact, *others)}
    assert len(found) == 3
    assert structure_of(load("compact")) == structure_of(compact)

# SPDX-License-Identifier: Apache-2.0
"""What tests of bitstreams and routed netlists share: a design, its files, a call, a change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from aesforge.cli.main import main
from aesforge.devices import Device
from aesforge.prove.implementation.make import pack
from aesforge.toolchain import programs

# Look-up tables, flip-flops with reset, set, enable and a falling edge, a carry chain, a memory.
SMALL_ICE40 = """
module top (input clk, input din, input rst, output dout, output other);
  reg [7:0] count, word, data;
  reg [15:0] shift;
  reg fall;
  reg [7:0] memory [0:255];
  integer i;
  initial for (i = 0; i < 256; i = i + 1) memory[i] = 37 * i;
  always @(posedge clk) begin
    shift <= {shift, din};
    data <= memory[shift[14:7]];
    if (shift[15]) memory[shift[7:0]] <= count;
    if (shift[3]) word <= data ^ {word, din};
  end
  always @(posedge clk) if (rst) count <= 8'h5a; else count <= count + data + din;
  always @(negedge clk or posedge rst) if (rst) fall <= 1'b1; else fall <= ^data;
  assign dout = ^word;
  assign other = fall;
endmodule
"""
# Pins without a place, and any clock.
_PLACEMENT = {
    "ice40": ("--pcf-allow-unconstrained", "--timing-allow-fail"),
    "ecp5": ("--lpf-allow-unconstrained", "--timing-allow-fail"),
}


def run(bitstream: Path, routed: Path, where: str, *more: str) -> Result:
    """Return what `prove --bitstream` says."""
    return CliRunner().invoke(
        main,
        [
            *("prove", "--bitstream", str(bitstream), "--routed", str(routed)),
            *("--device", where, *more),
        ],
    )


def synthesize(folder: Path, text: str, family: str) -> Path:
    """Return the netlist of a Verilog text."""
    (folder / "top.v").write_text(text, encoding="ascii")
    script = f"read_verilog -sv top.v\nsynth_{family} -top top -json top.json\n"
    (folder / "top.ys").write_text(script, encoding="ascii")
    programs.run("yosys", ["top.ys"], folder, folder / "top.log")
    return folder / "top.json"


def packed(folder: Path, where: Device, netlist: Path) -> Path:
    """Place, route and pack a netlist; return the folder with the files of `pack`."""
    pack(netlist, where, _PLACEMENT[where.family], folder)
    return folder


def changed(folder: Path, source: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Return a routed netlist with something changed in its module."""
    data = json.loads((source / "routed.json").read_bytes())
    change(next(iter(data["modules"].values())))
    (folder / "changed.json").write_text(json.dumps(data), encoding="utf-8")
    return folder / "changed.json"

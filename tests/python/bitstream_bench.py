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
# Trees of look-up tables, a multiplexer, a carry chain and a full adder, flip-flops of each kind, a
# latch, pins of each direction; no block RAM.
SMALL_GATEMATE = """
module top (input clk, input din, input rst, output dout, output other, inout both);
  reg [7:0] count, word;
  reg [15:0] shift;
  reg fall, set, held, open;
  wire chosen, carry;
  CC_MX4 u_mux (.D0(count[0]), .D1(word[7]), .D2(shift[12]), .D3(shift[1]), .S0(shift[10]),
      .S1(count[3]), .Y(chosen));
  CC_ADDF u_add (.A(word[1]), .B(word[2]), .CI(word[3]), .CO(carry), .S());
  always @* if (shift[5]) open = shift[9] ^ word[6];
  assign both = shift[6] ? carry : 1'bz;
  always @(posedge clk) begin
    shift <= {shift, din};
    if (shift[3]) word <= count ^ {word, din};
    held <= shift[shift[3:2] + 4] ^ (&shift[9:4]) ^ (|shift[15:11]);
  end
  always @(posedge clk) if (rst) count <= 8'h5a; else count <= count + shift[7:0] + din;
  always @(negedge clk or posedge rst) if (rst) fall <= 1'b1; else fall <= ^word;
  always @(posedge clk or negedge rst) if (!rst) set <= 1'b0; else if (din) set <= held;
  assign dout = ^word ^ set ^ chosen;
  assign other = fall ^ open ^ both;
endmodule
"""
# Look-up tables, flip-flops of each kind, a carry chain whose carry in comes from logic, wide
# multiplexers, a RAM in look-up tables, a block RAM.
SMALL_GOWIN = """
module top (input clk, input din, input rst, output dout, output other);
  reg [9:0] count;
  reg [7:0] word;
  reg [15:0] shift;
  reg fall, early, late, sets, enabled, chosen;
  reg [3:0] memory [0:15];
  reg [3:0] data;
  integer i;
  initial for (i = 0; i < 16; i = i + 1) memory[i] = 7 * i + 2;
  always @(posedge clk) begin
    shift <= {shift, din};
    if (shift[3]) word <= shift[15] ? {word, din} : {shift[4:0] == 5'd9, word[7:1]};
    if (shift[9]) memory[shift[3:0]] <= shift[7:4];
    data <= memory[shift[11:8]];
  end
  always @(posedge clk) if (rst) count <= 10'h15a; else count <= count + shift[9:0] + din;
  always @(negedge clk or posedge rst) if (rst) fall <= 1'b1; else fall <= ^count;
  always @(posedge clk or posedge rst)
    if (rst) early <= 1'b0; else if (shift[2]) early <= word[shift[7:5]];
  always @(negedge clk) if (rst) late <= 1'b0; else late <= shift[1] ^ ^count[9:7];
  always @(posedge clk) if (!din) sets <= 1'b1; else if (shift[5]) sets <= early;
  always @(posedge clk) if (shift[6]) enabled <= 1'b0; else if (shift[8]) enabled <= late;
  // A multiplexer of each width, over the one before.
  wire [15:0] f;
  wire [7:0] g;
  wire [3:0] h;
  wire [1:0] k;
  wire l;
  genvar n;
  generate
    for (n = 0; n < 16; n = n + 1) begin : tables
      LUT4 #(.INIT(16'h1357 * (n + 3))) u (.F(f[n]), .I0(word[0]), .I1(word[1]), .I2(word[2]),
                                           .I3(word[3]));
      if (n < 8) MUX2_LUT5 m (.O(g[n]), .I0(f[2 * n]), .I1(f[2 * n + 1]), .S0(word[4]));
      if (n < 4) MUX2_LUT6 m (.O(h[n]), .I0(g[2 * n]), .I1(g[2 * n + 1]), .S0(word[5]));
      if (n < 2) MUX2_LUT7 m (.O(k[n]), .I0(h[2 * n]), .I1(h[2 * n + 1]), .S0(word[6]));
    end
  endgenerate
  MUX2_LUT8 m (.O(l), .I0(k[0]), .I1(k[1]), .S0(word[7]));
  always @(posedge clk) chosen <= l;
  wire [17:0] left, right;
  DPX9B #(.BIT_WIDTH_0(9), .BIT_WIDTH_1(18), .WRITE_MODE0(2'b01), .WRITE_MODE1(2'b10),
          .READ_MODE0(1'b0), .READ_MODE1(1'b0), .BLK_SEL_0(3'b000), .BLK_SEL_1(3'b010),
          .RESET_MODE("ASYNC"), .INIT_RAM_00({9{32'h13579bdf}}),
          .INIT_RAM_2A({9{32'hfedcba98}})) blocks (
    .DOA(left), .DOB(right), .ADA({shift[10:0], 3'b0}), .ADB({shift[9:0], 2'b0, 2'b11}),
    .DIA({shift, 2'b0}), .DIB({2'b0, shift}), .CLKA(clk), .CLKB(clk), .CEA(shift[2]),
    .CEB(shift[3]), .OCEA(shift[4]), .OCEB(shift[7]), .RESETA(rst), .RESETB(din),
    .WREA(shift[5]), .WREB(shift[6]),
    .BLKSELA(3'b0), .BLKSELB({1'b0, shift[11], 1'b0}));
  assign dout = ^word ^ early ^ sets ^ ^data ^ ^left ^ ^right[17:4] ^ (right[3] & right[2]);
  assign other = fall ^ late ^ enabled ^ chosen;
endmodule
"""
# Gowin's pins need places, which these are on each package that is placed for here.
_PINS_GOWIN = """IO_LOC "clk" 52;
IO_LOC "din" 25;
IO_PORT "din" IO_TYPE=LVCMOS33 PULL_MODE=NONE;
IO_LOC "rst" 26;
IO_PORT "rst" IO_TYPE=LVCMOS33 PULL_MODE=UP;
IO_LOC "dout" 27;
IO_PORT "dout" IO_TYPE=LVCMOS33 PULL_MODE=DOWN DRIVE=12;
IO_LOC "other" 28;
IO_PORT "other" IO_TYPE=LVCMOS33 SLEW_RATE=SLOW;
"""
# Pins without a place, and any clock.
_PLACEMENT = {
    "ice40": ("--pcf-allow-unconstrained", "--timing-allow-fail"),
    "ecp5": ("--lpf-allow-unconstrained", "--timing-allow-fail"),
    "gowin": ("--vopt", "cst=top.cst", "--timing-allow-fail"),
    "gatemate": ("--vopt", "allow-unconstrained", "--timing-allow-fail"),
}
_SYNTHESIS = {"gatemate": "-luttree -nomx8"}


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
    options = _SYNTHESIS.get(family, "")
    script = f"read_verilog -sv top.v\nsynth_{family} {options} -top top -json top.json\n"
    (folder / "top.ys").write_text(script, encoding="ascii")
    programs.run("yosys", ["top.ys"], folder, folder / "top.log")
    return folder / "top.json"


def packed(folder: Path, where: Device, netlist: Path) -> Path:
    """Place, route and pack a netlist; return the folder with the files of `pack`."""
    if where.family == "gowin":
        (folder / "top.cst").write_text(_PINS_GOWIN, encoding="ascii")
    pack(netlist, where, _PLACEMENT[where.family], folder)
    return folder


def whole_table(module: dict[str, Any]) -> dict[str, Any]:
    """Return a look-up table of a routed netlist for Gowin, all of whose ports are connected."""
    ports = ("I0", "I1", "I2", "I3", "F")
    tables = (cell for cell in module["cells"].values() if cell["type"] == "LUT4")
    return next(one for one in tables if all(one["connections"].get(port) for port in ports))


def changed(folder: Path, source: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Return a routed netlist with something changed in its module."""
    data = json.loads((source / "routed.json").read_bytes())
    change(next(iter(data["modules"].values())))
    (folder / "changed.json").write_text(json.dumps(data), encoding="utf-8")
    return folder / "changed.json"

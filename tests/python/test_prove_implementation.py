# SPDX-License-Identifier: Apache-2.0
"""A routed netlist is what nextpnr was given, and that holds the core that is proved."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import mapped
from aesforge.cli.main import main
from aesforge.devices import device
from aesforge.devices.families import family
from aesforge.errors import UsageError
from aesforge.measure import Target
from aesforge.measure.synthesis import Synthesis
from aesforge.netlist.aig import Builder
from aesforge.netlist.module import read_modules
from aesforge.prove.implementation import Contradiction, chain, ecp5, follow, gowin, ice40
from aesforge.prove.implementation.checks import Checks
from aesforge.prove.implementation.compare import Correspondence, compare
from aesforge.prove.implementation.contents import read_top
from aesforge.prove.implementation.core import Found, find_core, flat_core, mapped_core
from bitstream_bench import SMALL_GOWIN, SMALL_ICE40, packed, synthesize, whole_table
from mapped import module as module_of

UP5K, LFE5U, GW1N = device("iCE40UP5K"), device("LFE5U-25F-6"), device("GW1N-9")
Json = dict[str, Any]
Change = Callable[[Json], None]

# As SMALL_ICE40, with wide multiplexers, a RAM in look-up tables and an enable with a reset.
SMALL_ECP5 = """
module top (input clk, input din, input rst, output dout, output other, output third);
  reg [7:0] count, word, data;
  reg [15:0] shift;
  reg fall, sets, picked;
  reg [7:0] memory [0:1023];
  reg [3:0] small [0:15];
  reg [3:0] read;
  integer i;
  initial for (i = 0; i < 1024; i = i + 1) memory[i] = 37 * i;
  wire [255:0] table = 256'h637c777bf26b6fc53001672bfed7ab76ca82c97dfa5947f0add4a2af9ca472c0;
  always @(posedge clk) begin
    shift <= {shift, din};
    data <= memory[shift[14:5]];
    if (shift[15]) memory[shift[9:0]] <= count;
    if (shift[3]) word <= data ^ {word, din};
    if (shift[7]) small[shift[3:0]] <= count[3:0];
    read <= small[shift[11:8]];
    picked <= table[shift[7:0]];
  end
  always @(posedge clk) if (rst) count <= 8'h5a; else count <= count + data + din;
  always @(negedge clk or posedge rst) if (rst) fall <= 1'b1; else fall <= ^data;
  always @(posedge clk) if (!rst) sets <= 1'b1; else if (shift[2]) sets <= picked;
  assign dout = ^word ^ sets;
  assign other = fall ^ picked;
  assign third = ^read;
endmodule
"""

# A core with an input that it does not read and one that is tied.
TOY = """
module toy (input clk, input [7:0] block, input [7:0] key, input idle, input mode,
            output [7:0] result, output ready);
  reg [7:0] state;
  wire [7:0] mixed;
  mixer u_mixer (.x(state ^ key), .y(mixed));
  always @(posedge clk) state <= mode ? block + key : mixed;
  assign result = mixed;
  assign ready = 1'b1;
endmodule
module mixer (input [7:0] x, output [7:0] y);
  assign y = {x[0], x[7:1]} ^ (x & {x[3:0], x[7:4]});
endmodule
"""


def modules_of(folder: Path) -> tuple[Json, Json]:
    """Return the modules of a netlist and of its routed netlist, as JSON."""
    netlist = json.loads((folder / "netlist.json").read_bytes())["modules"]["top"]
    (routed,) = json.loads((folder / "routed.json").read_bytes())["modules"].values()
    return netlist, routed


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    return packed(folder, UP5K, synthesize(folder, SMALL_ICE40, "ice40"))


@pytest.fixture(scope="module")
def small_ecp5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ecp5")
    return packed(folder, LFE5U, synthesize(folder, SMALL_ECP5, "ecp5"))


@pytest.fixture(scope="module")
def small_gowin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gowin")
    # Without a carry in from logic, of which nextpnr 0.11.1 makes another carry.
    text = SMALL_GOWIN.replace(" + shift[9:0] + din", " + shift[9:0]")
    assert text != SMALL_GOWIN
    return packed(folder, GW1N, synthesize(folder, text, "gowin"))


def compared(of: Any, netlist: Json, routed: Json) -> Correspondence:
    """Compare two modules as the verb does."""
    given, made = of.synthesized(module_of(netlist)), of.routed(module_of(routed))
    found = compare(given, made, of.SUFFIXES)
    found.checks.settle(seconds=60, megabytes=4000)
    return found


def cells(module: Json, kind: str, **parameters: str) -> list[Json]:
    """Return the cells of a kind, with these beginnings of their parameters."""
    return [
        cell
        for cell in module["cells"].values()
        if cell["type"] == kind
        and all(cell["parameters"].get(k, "").startswith(v) for k, v in parameters.items())
    ]


def flip(cell: Json, parameter: str, place: int = -1) -> None:
    """Invert a digit of a parameter."""
    digits = list(cell["parameters"][parameter])
    digits[place] = "10"[int(digits[place])]
    cell["parameters"][parameter] = "".join(digits)


def swap(one: Json, first: str, second: str, other: Json | None = None) -> None:
    """Exchange what is connected to two ports, of one cell or of two."""
    a, b = one["connections"], (other or one)["connections"]
    a[first], b[second] = b[second], a[first]


def driven(module: Json, kind: str, port: str) -> list[Json]:
    """Return the cells of a kind that have something at a port."""
    return [cell for cell in cells(module, kind) if cell["connections"].get(port)]


# --- The netlist and the routed netlist, iCE40


def table_bit(m: Json) -> None:
    flip(driven(m, "ICESTORM_LC", "I3")[0], "LUT_INIT")


def table_inputs(m: Json) -> None:
    # Of a table that is not symmetric in the two.
    for cell in driven(m, "ICESTORM_LC", "I3"):
        table = int(cell["parameters"]["LUT_INIT"], 2)
        if all(cell["connections"][f"I{k}"] for k in (0, 1)) and any(
            table >> (4 * k + 1) & 1 != table >> (4 * k + 2) & 1 for k in range(4)
        ):
            return swap(cell, "I0", "I1")
    raise AssertionError("the design has no such table")


def edge(m: Json) -> None:
    flip(cells(m, "ICESTORM_LC", DFF_ENABLE="1")[0], "NEG_CLK")


def no_edge(m: Json) -> None:
    flip(cells(m, "ICESTORM_LC", NEG_CLK="1")[0], "NEG_CLK")


def set_for_reset(m: Json) -> None:
    flip(driven(m, "ICESTORM_LC", "SR")[0], "SET_NORESET")


def asynchronous(m: Json) -> None:
    flip(cells(m, "ICESTORM_LC", DFF_ENABLE="1", ASYNC_SR="0")[0], "ASYNC_SR")


def no_reset(m: Json) -> None:
    driven(m, "ICESTORM_LC", "SR")[0]["connections"]["SR"] = []


def no_enable(m: Json) -> None:
    driven(m, "ICESTORM_LC", "CEN")[0]["connections"]["CEN"] = []


def other_enable(m: Json) -> None:
    cell = driven(m, "ICESTORM_LC", "CEN")[0]
    other = next(c for c in driven(m, "ICESTORM_LC", "SR"))
    cell["connections"]["CEN"] = other["connections"]["SR"]


def other_clock(m: Json) -> None:
    cell = cells(m, "ICESTORM_LC", DFF_ENABLE="1")[0]
    cell["connections"]["CLK"] = driven(m, "ICESTORM_LC", "CEN")[0]["connections"]["CEN"]


def nets(m: Json) -> None:
    one, other = cells(m, "ICESTORM_LC", DFF_ENABLE="0", CARRY_ENABLE="0")[:2]
    swap(one, "O", "O", other)


def carry_input(m: Json) -> None:
    one, other = cells(m, "ICESTORM_LC", CARRY_ENABLE="1", CIN_CONST="0")[:2]
    swap(one, "I1", "I1", other)


def carry_constant(m: Json) -> None:
    flip(cells(m, "ICESTORM_LC", CIN_CONST="1")[0], "CIN_SET")


def carry_in(m: Json) -> None:
    # The carry that enters the chain goes to another cell of it too.
    enters = cells(m, "ICESTORM_LC", CIN_CONST="1")[0]["connections"]["COUT"]
    cell = next(c for c in driven(m, "ICESTORM_LC", "CIN") if c["connections"]["CIN"] != enters)
    cell["connections"]["CIN"] = enters


def content(m: Json) -> None:
    flip(cells(m, "ICESTORM_RAM")[0], "INIT_2", 7)


def width(m: Json) -> None:
    flip(cells(m, "ICESTORM_RAM")[0], "READ_MODE")


def read_data(m: Json) -> None:
    swap(cells(m, "ICESTORM_RAM")[0], "RDATA_2", "RDATA_4")


def write_data(m: Json) -> None:
    swap(cells(m, "ICESTORM_RAM")[0], "WDATA_2", "WDATA_4")


def read_address(m: Json) -> None:
    swap(cells(m, "ICESTORM_RAM")[0], "RADDR_2", "RADDR_4")


def write_enable(m: Json) -> None:
    cell = cells(m, "ICESTORM_RAM")[0]
    cell["connections"]["WCLKE"] = []


def missing(m: Json) -> None:
    flip(cells(m, "ICESTORM_LC", DFF_ENABLE="1")[3], "DFF_ENABLE")


def one_more(m: Json) -> None:
    cell = cells(m, "ICESTORM_LC", DFF_ENABLE="0", CARRY_ENABLE="0")[0]
    flip(cell, "DFF_ENABLE")
    cell["connections"]["CLK"] = cells(m, "ICESTORM_LC", DFF_ENABLE="1")[0]["connections"]["CLK"]


def constant_input(m: Json) -> None:
    driven(m, "ICESTORM_LC", "I3")[0]["connections"]["I3"] = []


def pads(m: Json) -> None:
    one, other = driven(m, "SB_IO", "D_OUT_0")[:2]
    swap(one, "PACKAGE_PIN", "PACKAGE_PIN", other)


def inputs(m: Json) -> None:
    one, other = driven(m, "SB_IO", "D_IN_0")[:2]
    swap(one, "D_IN_0", "D_IN_0", other)


def pin(m: Json) -> None:
    m["ports"]["more"] = {"direction": "input", "bits": [99_999]}


ROUTED: list[tuple[Change, str]] = [
    (table_bit, "is another function"),
    (table_inputs, "is another function"),
    (edge, "clock edge is falling, must be rising"),
    (no_edge, "clock edge is rising, must be falling"),
    (set_for_reset, "set or reset is"),
    (asynchronous, "timing of the set or reset is asynchronous, must be synchronous"),
    (no_reset, ": set or reset is another function"),
    (no_enable, ": enable is another function"),
    (other_enable, ": enable is another function"),
    (other_clock, ": clock is another function"),
    (nets, "is another function"),
    (carry_input, ": D is another function"),
    (carry_constant, ": D is another function"),
    (carry_in, ": D is another function"),
    (content, "block RAM memory.0.0: INIT_2 is"),
    (width, "block RAM memory.0.0: READ_MODE is"),
    (read_data, "is another function"),
    (write_data, "block RAM memory.0.0: WDATA[2] is another function"),
    (read_address, "block RAM memory.0.0: RADDR[2] is another function"),
    (write_enable, "block RAM memory.0.0: write enable is another function"),
    (missing, "of the netlist is missing in the routed netlist"),
    (one_more, "of the routed netlist is none of the netlist"),
    (constant_input, "is another function"),
    (pads, "pin dout is another function"),
    (inputs, "is another function"),
    (pin, "pin more is only in the routed netlist"),
]


def test_a_routed_netlist_equals_the_netlist(small: Path) -> None:
    found = compared(ice40, *modules_of(small))
    assert found.checks.differences == []
    assert found.checks.undecided == ""
    assert found.elements == {"block RAM": 1, "flip-flop": 51}
    # Four of each flip-flop, those of the memory, two output pins.
    assert found.checks.same + found.checks.open_inputs == 4 * 51 + 58 + 2
    assert found.pins == 5


@pytest.mark.parametrize(("change", "words"), ROUTED, ids=[c.__name__ for c, _ in ROUTED])
def test_a_wrong_routed_netlist(small: Path, change: Change, words: str) -> None:
    netlist, routed = modules_of(small)
    change(routed)
    differences = compared(ice40, netlist, routed).checks.differences
    assert any(words in line for line in differences), differences


def test_a_start_value_that_ice40_has_not(small: Path) -> None:
    netlist, routed = modules_of(small)
    netlist["netnames"]["word"]["attributes"]["init"] = "00000001"
    (line,) = compared(ice40, netlist, routed).checks.differences
    assert "value after configuration is 0, must be 1" in line


def test_what_a_netlist_leaves_open_may_be_anything(small: Path) -> None:
    netlist, routed = modules_of(small)
    memory = cells(netlist, "SB_RAM40_4K")[0]
    memory["connections"]["WDATA"][2] = "x"
    memory["parameters"]["INIT_2"] = "x" * 256
    found = compared(ice40, netlist, routed)
    assert found.checks.differences == []
    assert found.checks.open_inputs == 1
    # But not a clock.
    memory["connections"]["WCLK"] = ["x"]
    assert "write clock" in compared(ice40, netlist, routed).checks.differences[0]


def test_another_structure_is_proved_equal_by_abc(small: Path) -> None:
    """A table and its inputs in another order are one literal; a table split in two is not."""
    netlist, routed = modules_of(small)
    for cell in driven(routed, "ICESTORM_LC", "I3"):
        if cell["connections"]["I0"] and cell["parameters"]["CARRY_ENABLE"] == "0":
            table = int(cell["parameters"]["LUT_INIT"], 2)
            swap(cell, "I0", "I3")
            moved = 0
            for case in range(16):
                bits = [case >> k & 1 for k in (3, 1, 2, 0)]
                moved |= (table >> case & 1) << sum(bit << k for k, bit in enumerate(bits))
            cell["parameters"]["LUT_INIT"] = f"{moved:016b}"
    found = compared(ice40, netlist, routed)
    assert (found.checks.differences, found.checks.proved) == ([], 0)
    builder = Builder(["a", "b", "c"])
    a, b, c = (builder.input_named(name) for name in "abc")
    checks = Checks(builder)
    left = builder.conjunction(builder.conjunction(a, b), c)
    right = builder.conjunction(a, builder.conjunction(b, c))
    checks.require("a AND b AND c", left, right)
    assert len(checks.open) == 1
    checks.settle(seconds=60, megabytes=4000)
    assert (checks.proved, checks.differences, checks.undecided) == (1, [], "")
    # A difference that no sample meets: for one of 2^64 inputs.
    wide = Builder([])
    every = left = wide.input_named("0")
    for number in range(1, 64):
        every = wide.conjunction(every, wide.input_named(str(number)))
    checks = Checks(wide)
    checks.require("all but one", left, wide.conjunction(left, every ^ 1))
    checks.settle(seconds=60, megabytes=4000)
    assert checks.differences == ["all but one is another function"]


def test_a_netlist_that_is_none(small: Path) -> None:
    netlist, routed = modules_of(small)

    def refused(change: Change, words: str) -> None:
        wrong = copy.deepcopy(routed)
        change(wrong)
        with pytest.raises(Contradiction, match=words):
            compared(ice40, netlist, wrong)

    def two_drivers(m: Json) -> None:
        one, other = driven(m, "ICESTORM_LC", "O")[:2]
        one["connections"]["O"] = other["connections"]["O"]

    def loop(m: Json) -> None:
        cell = cells(m, "ICESTORM_LC", DFF_ENABLE="0", CARRY_ENABLE="0")[0]
        cell["connections"]["I0"] = cell["connections"]["O"]
        cell["parameters"]["LUT_INIT"] = "0110100110010110"

    def carry(m: Json) -> None:
        cell = next(c for c in driven(m, "ICESTORM_LC", "CIN") if "CARRY_ENABLE" in c["parameters"])
        cell["parameters"]["CARRY_ENABLE"] = "1"
        cell["connections"]["CIN"] = []
        cell["attributes"]["NEXTPNR_BEL"] = "X1/Y1/lc3"

    refused(two_drivers, "has two drivers")
    refused(loop, "depends on itself without a")
    refused(carry, "has no carry in, and is not the lowest of its tile")


# --- The netlist and the routed netlist, ECP5


def e_whole_table(m: Json) -> Json:
    """Return a look-up table all of whose inputs are connected."""
    return next(
        cell
        for cell in driven(m, "TRELLIS_COMB", "D")
        if "MODE" not in cell["parameters"] and all(cell["connections"][port] for port in "ABC")
    )


def e_table_bit(m: Json) -> None:
    flip(e_whole_table(m), "INITVAL")


def e_start_value(m: Json) -> None:
    cells(m, "TRELLIS_FF", REGSET="RESET")[0]["parameters"]["REGSET"] = "SET"


def e_edge(m: Json) -> None:
    cells(m, "TRELLIS_FF", CLKMUX="INV")[0]["parameters"]["CLKMUX"] = "CLK"


def e_enable(m: Json) -> None:
    cells(m, "TRELLIS_FF", CEMUX="CE")[0]["parameters"]["CEMUX"] = "INV"


def e_no_enable(m: Json) -> None:
    cells(m, "TRELLIS_FF", CEMUX="CE")[0]["parameters"]["CEMUX"] = "1 "


def e_reset(m: Json) -> None:
    driven(m, "TRELLIS_FF", "LSR")[0]["parameters"]["LSRMUX"] = "INV"


def e_asynchronous(m: Json) -> None:
    cells(m, "TRELLIS_FF", SRMODE="ASYNC")[0]["parameters"]["SRMODE"] = "OTHER"


def e_global_reset(m: Json) -> None:
    cells(m, "TRELLIS_FF")[0]["parameters"]["GSR"] = "ENABLED"


def e_data(m: Json) -> None:
    cell = cells(m, "TRELLIS_FF", SD="0")[0]
    cell["parameters"]["SD"] = "1 "


def e_wide(m: Json) -> None:
    cell = driven(m, "TRELLIS_COMB", "FXA")[0]
    swap(cell, "FXA", "FXB")


def e_pair(m: Json) -> None:
    one, other = driven(m, "TRELLIS_COMB", "F1")[:2]
    swap(one, "M", "M", other)


def e_carry(m: Json) -> None:
    flip(cells(m, "TRELLIS_COMB", MODE="CCU2", CCU2_INJECT1="NO")[1], "INITVAL")


def e_inject(m: Json) -> None:
    cell = cells(m, "TRELLIS_COMB", MODE="CCU2", CCU2_INJECT1="NO", INITVAL="0110")[1]
    cell["parameters"]["CCU2_INJECT1"] = "YES"


def e_written_address(m: Json) -> None:
    swap(cells(m, "TRELLIS_COMB", MODE="DPRAM")[0], "WAD0", "WAD1")


def e_write_port(m: Json) -> None:
    swap(cells(m, "TRELLIS_RAMW")[0], "A1", "B1")


def e_read_address(m: Json) -> None:
    swap(cells(m, "TRELLIS_COMB", MODE="DPRAM")[0], "A", "D")


def e_written_edge(m: Json) -> None:
    cells(m, "TRELLIS_COMB", MODE="DPRAM")[0]["parameters"]["WCKMUX"] = "INV"


def e_content(m: Json) -> None:
    flip(cells(m, "DP16KD")[0], "INITVAL_03")


def e_mode(m: Json) -> None:
    cells(m, "DP16KD")[0]["parameters"]["WRITEMODE_A"] = "NORMAL"


def e_constant(m: Json) -> None:
    cells(m, "DP16KD")[0]["parameters"]["WEBMUX"] = "WEB"


def e_words(m: Json) -> None:
    cells(m, "DP16KD")[0]["parameters"]["DATA_WIDTH_A"] = "00010010"


def e_missing(m: Json) -> None:
    # A wire in its place: a look-up table that passes one input on.
    cell = cells(m, "TRELLIS_FF", SD="1")[0]
    cell["connections"] = {"A": cell["connections"]["DI"], "F": cell["connections"]["Q"]}
    cell["port_directions"] = {"A": "input", "F": "output"}
    cell["type"], cell["parameters"] = "TRELLIS_COMB", {"INITVAL": "10" * 8}


ROUTED_ECP5: list[tuple[Change, str]] = [
    (e_table_bit, "is another function"),
    (e_start_value, "REGSET is SET, must be RESET"),
    (e_edge, "clock edge is rising, must be falling"),
    (e_enable, ": enable is another function"),
    (e_no_enable, ": enable is another function"),
    (e_reset, ": set or reset is another function"),
    (e_asynchronous, "SRMODE is OTHER, must be ASYNC"),
    (e_global_reset, "GSR is ENABLED, must be DISABLED"),
    (e_data, ": D is another function"),
    (e_wide, "is another function"),
    (e_pair, "is another function"),
    (e_carry, "is another function"),
    (e_inject, "is another function"),
    (e_written_address, "RAM in a look-up table small.0.0.0: write address 0 is another function"),
    (e_write_port, ": data is another function"),
    (e_read_address, ": D is another function"),
    (e_written_edge, "small.0.0.0: clock edge is falling, must be rising"),
    (e_content, "block RAM memory.0.0: INITVAL_03 is"),
    (e_mode, "block RAM memory.0.0: WRITEMODE_A is NORMAL"),
    (e_constant, "block RAM memory.0.0: WEB is another function"),
    (e_words, "block RAM memory.0.0: DATA_WIDTH_A is"),
    (e_missing, "of the netlist is missing in the routed netlist"),
]


def test_a_routed_netlist_of_ecp5(small_ecp5: Path) -> None:
    netlist, routed = modules_of(small_ecp5)
    found = compared(ecp5, netlist, routed)
    assert found.checks.differences == []
    assert found.elements == {"RAM in a look-up table": 4, "block RAM": 1, "flip-flop": 57}
    # The design has each kind of cell that is compared.
    assert {cell["type"] for cell in netlist["cells"].values()} >= {
        *("LUT4", "PFUMX", "L6MUX21", "CCU2C", "TRELLIS_FF", "DP16KD", "TRELLIS_DPR16X4")
    }
    for change, words in ROUTED_ECP5:
        wrong = copy.deepcopy(routed)
        change(wrong)
        differences = compared(ecp5, netlist, wrong).checks.differences
        assert any(words in line for line in differences), (change.__name__, differences)


def test_an_ecp5_netlist_that_is_none(small_ecp5: Path) -> None:
    netlist, routed = modules_of(small_ecp5)

    def refused(change: Change, words: str) -> None:
        wrong = copy.deepcopy(routed)
        change(wrong)
        with pytest.raises(Contradiction, match=words):
            compared(ecp5, netlist, wrong)

    def table(m: Json) -> None:
        cell = e_whole_table(m)
        cell["connections"]["D"] = []
        cell["parameters"]["INITVAL"] = "1111111100000000"

    def carry(m: Json) -> None:
        cell = next(c for c in driven(m, "TRELLIS_COMB", "FCI") if c["connections"]["F"])
        cell["connections"]["FCI"] = []

    refused(table, "depends on an input without a net")
    refused(carry, "depends on a carry in without a net")


# --- The netlist and the routed netlist, Gowin


def g_table_bit(m: Json) -> None:
    flip(whole_table(m), "INIT")


def g_edge(m: Json) -> None:
    cells(m, "DFFNR")[0]["type"] = "DFFR"


def g_set(m: Json) -> None:
    cell = cells(m, "DFFNP")[0]
    cell["type"] = "DFFNC"
    cell["connections"]["CLEAR"] = cell["connections"].pop("PRESET")
    cell["port_directions"]["CLEAR"] = "input"


def g_asynchronous(m: Json) -> None:
    cell = cells(m, "DFFCE")[0]
    cell["type"] = "DFFRE"
    cell["connections"]["RESET"] = cell["connections"].pop("CLEAR")
    cell["port_directions"]["RESET"] = "input"


def g_no_enable(m: Json) -> None:
    cell = cells(m, "DFFE")[0]
    cell["type"] = "DFF"
    del cell["connections"]["CE"]


def g_no_reset(m: Json) -> None:
    cells(m, "DFFR")[0]["connections"]["RESET"] = []


def g_clock(m: Json) -> None:
    cell = cells(m, "DFF")[0]
    cell["connections"]["CLK"] = cells(m, "DFFE")[0]["connections"]["CE"]


def g_wide(m: Json) -> None:
    swap(cells(m, "MUX2_LUT7")[0], "I0", "I1")


def g_widest(m: Json) -> None:
    swap(cells(m, "MUX2_LUT8")[0], "S0", "S0", cells(m, "MUX2_LUT6")[0])


def g_mode(m: Json) -> None:
    driven(m, "ALU", "SUM")[2]["parameters"] = {"ALU_MODE": "0"}
    driven(m, "ALU", "SUM")[3]["parameters"] = {"ALU_MODE": "1"}


def g_carry_in(m: Json) -> None:
    # The carry that enters the chain goes to another cell of it too.
    head = next(c for c in cells(m, "ALU", ALU_MODE="C2L") if c["connections"].get("COUT"))
    enters = head["connections"]["COUT"]
    cell = next(c for c in driven(m, "ALU", "CIN") if c["connections"]["CIN"] != enters)
    cell["connections"]["CIN"] = enters


def g_begin(m: Json) -> None:
    head = next(c for c in cells(m, "ALU", ALU_MODE="C2L") if c["connections"].get("COUT"))
    head["parameters"]["ALU_MODE"] = "ONE2C"


def g_written_data(m: Json) -> None:
    bits = cells(m, "RAM16SDP4")[0]["connections"]["DI"]
    bits[0], bits[1] = bits[1], bits[0]


def g_written_address(m: Json) -> None:
    bits = cells(m, "RAM16SDP4")[0]["connections"]["WAD"]
    bits[0], bits[1] = bits[1], bits[0]


def g_read_address(m: Json) -> None:
    bits = cells(m, "RAM16SDP4")[0]["connections"]["RAD"]
    bits[0], bits[1] = bits[1], bits[0]


def g_write_enable(m: Json) -> None:
    cell = cells(m, "RAM16SDP4")[0]
    cell["connections"]["WRE"] = cell["connections"]["CE"]


def g_content(m: Json) -> None:
    flip(cells(m, "RAM16SDP4")[0], "INIT_2")


def g_block_content(m: Json) -> None:
    flip(cells(m, "DP")[0], "INIT_RAM_2A", 7)


def g_block_mode(m: Json) -> None:
    cells(m, "DP")[0]["parameters"]["WRITE_MODE0"] = "10"


def g_block_address(m: Json) -> None:
    swap(cells(m, "DP")[0], "ADA4", "ADA5")


def g_block_data(m: Json) -> None:
    swap(cells(m, "DP")[0], "DIB1", "DIB2")


def g_block_select(m: Json) -> None:
    cells(m, "DP")[0]["parameters"]["BLK_SEL_1"] = "011"


def g_block_enable(m: Json) -> None:
    cell = cells(m, "DP")[0]
    cell["connections"]["CEB"] = cell["connections"]["CEA"]


def g_block_output(m: Json) -> None:
    swap(cells(m, "DP")[0], "DOB3", "DOB4")


def g_missing(m: Json) -> None:
    # A wire in its place: a look-up table that passes one input on.
    cell = cells(m, "DFF")[0]
    cell["connections"] = {"I0": cell["connections"]["D"], "F": cell["connections"]["Q"]}
    cell["port_directions"] = {"I0": "input", "F": "output"}
    cell["type"], cell["parameters"] = "LUT1", {"INIT": "10"}


ROUTED_GOWIN: list[tuple[Change, str]] = [
    (g_table_bit, "is another function"),
    (g_edge, "clock edge is rising, must be falling"),
    (g_set, "set or reset is reset, must be set"),
    (g_set, "value after configuration is 0, must be 1"),
    (g_asynchronous, "timing of the set or reset is synchronous, must be asynchronous"),
    (g_no_enable, ": enable is another function"),
    (g_no_reset, ": set or reset is another function"),
    (g_clock, ": clock is another function"),
    (g_wide, "is another function"),
    (g_widest, "is another function"),
    (g_mode, "is another function"),
    (g_carry_in, "is another function"),
    (g_begin, "is another function"),
    (g_written_data, "RAM in a look-up table memory.0.0.0: data is another function"),
    (g_written_address, "memory.0.0.0: write address 0 is another function"),
    (g_read_address, ": D is another function"),
    (g_write_enable, "memory.0.0.0: write enable is another function"),
    (g_content, "RAM in a look-up table memory.0.0.2: content is"),
    (g_block_content, "block RAM blocks: INIT_RAM_2A is"),
    (g_block_mode, "block RAM blocks: WRITE_MODE0 is 2, must be 1"),
    (g_block_address, "block RAM blocks: ADA4 is another function"),
    (g_block_data, "block RAM blocks: DIB1 is another function"),
    (g_block_select, "block RAM blocks: BLK_SEL_1 is 3, must be 2"),
    (g_block_enable, "block RAM blocks: CEB is another function"),
    (g_block_output, "is another function"),
    (g_missing, "of the netlist is missing in the routed netlist"),
]


def test_a_routed_netlist_of_gowin(small_gowin: Path) -> None:
    netlist, routed = modules_of(small_gowin)
    found = compared(gowin, netlist, routed)
    assert found.checks.differences == []
    assert found.elements == {"RAM in a look-up table": 4, "block RAM": 1, "flip-flop": 44}
    # The design has each kind of cell that is compared.
    kinds = {cell["type"] for cell in netlist["cells"].values()}
    assert kinds >= {"LUT4", "ALU", "RAM16SDP4", *(f"MUX2_LUT{n}" for n in range(5, 9))}
    for change, words in ROUTED_GOWIN:
        wrong = copy.deepcopy(routed)
        change(wrong)
        differences = compared(gowin, netlist, wrong).checks.differences
        assert any(words in line for line in differences), (change.__name__, differences)


def test_a_start_value_that_gowin_has_not(small_gowin: Path) -> None:
    """Whatever a parameter says: nextpnr passes it on, and no bit has it."""
    netlist, routed = modules_of(small_gowin)
    for module in (netlist, routed):
        cells(module, "DFFR")[0]["parameters"]["INIT"] = "1"
    (line,) = compared(gowin, netlist, routed).checks.differences
    assert "value after configuration is 0, must be 1" in line


def test_a_carry_from_logic_that_nextpnr_gets_wrong(tmp_path: Path) -> None:
    """Of nextpnr 0.11.1 (its issue 1799): with a version that is right, the list is empty."""
    packed(tmp_path, GW1N, synthesize(tmp_path, SMALL_GOWIN, "gowin"))
    netlist, routed = modules_of(tmp_path)
    (line,) = compared(gowin, netlist, routed).checks.differences
    assert "depends on the carry of its neighbour" in line
    (head,) = cells(routed, "ALU", CIN_NETTYPE="LOGIC")
    assert head["parameters"]["RAW_ALU_LUT"].endswith(f"{0x505A:016b}")
    # As nextpnr's later versions have it.
    head["parameters"]["RAW_ALU_LUT"] = f"{0x000A:016b}"
    assert compared(gowin, netlist, routed).checks.differences == []


def test_a_gowin_netlist_that_is_not_compared(small_gowin: Path) -> None:
    netlist, routed = modules_of(small_gowin)

    def refused(change: Change, words: str) -> None:
        wrong = copy.deepcopy(routed)
        change(wrong)
        with pytest.raises(UsageError, match=words):
            compared(gowin, netlist, wrong)

    def open_input(m: Json) -> None:
        whole = whole_table(m)
        whole["connections"]["I0"] = []
        whole["parameters"]["INIT"] = "10" * 8

    def third(m: Json) -> None:
        cell = driven(m, "ALU", "SUM")[0]
        cell["parameters"]["RAW_ALU_LUT"] = f"{0x6060:016b}"
        cell["connections"]["I2"] = cell["connections"]["I1"]

    def latch(m: Json) -> None:
        cells(m, "DFF")[0]["attributes"]["LATCH"] = f"{1:032b}"

    def reset(m: Json) -> None:
        cells(m, "GSR")[0]["connections"]["GSRI"] = cells(m, "DFFR")[0]["connections"]["RESET"]

    def kind(m: Json) -> None:
        cells(m, "DFF")[0]["type"] = "OSER4"

    def unknown(m: Json) -> None:
        driven(m, "ALU", "SUM")[0]["parameters"] = {"ALU_MODE": f"{10:b}"}

    def registers(m: Json) -> None:
        cells(m, "DP")[0]["parameters"]["READ_MODE1"] = "1"

    refused(registers, "block RAM blocks has output registers, which nextpnr replaces")
    refused(open_input, "depends on an input that nothing is connected to")
    refused(third, "the third input of the carry")
    refused(latch, "is a latch, which is not compared")
    refused(reset, "the global set and reset is used")
    refused(kind, "is a OSER4, which is not compared")
    refused(unknown, "has the mode 10, which is not compared")


# --- The core in the netlist


class Toy:
    """A small core in the harness, synthesized for iCE40."""

    def __init__(self, folder: Path) -> None:
        (folder / "toy.v").write_text(TOY, encoding="ascii")
        roles = {"clock": "clk", "block": "block", "key": "key", "result": "result"}
        target = Target.of_rtl((folder / "toy.v",), "toy", roles, ties={"mode": 1})
        data = family("ice40")
        self.synthesis = Synthesis(target, "ice40", data, data.recipe_named(None))
        self.modules = mapped_core(self.synthesis)
        self.netlist: Json = json.loads(self.synthesis.netlist.read_bytes())["modules"]["harness"]

    def found(self, change: Change = lambda _: None) -> Found:
        """Find the core in its netlist, changed."""
        netlist = copy.deepcopy(self.netlist)
        change(netlist)
        module = module_of(netlist)
        found = find_core(module, ice40.synthesized(module), self.synthesis, self.modules)
        found.checks.settle(seconds=60, megabytes=4000)
        return found


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return Toy(tmp_path_factory.mktemp("toy"))


def driver(m: Json, name: str, place: int = 0) -> Json:
    """Return the cell that drives a bit of a wire."""
    net = m["netnames"][name]["bits"][place]
    return next(
        c
        for c in m["cells"].values()
        for port, bits in c["connections"].items()
        if c["port_directions"][port] == "output" and bits == [net]
    )


def c_table(m: Json) -> None:
    flip(driver(m, "u_core.result", 2), "LUT_INIT")


def c_inputs(m: Json) -> None:
    swap(driver(m, "u_core.result", 2), "I2", "I3")


def c_kind(m: Json) -> None:
    driver(m, "u_core.state")["type"] = "SB_DFFN"


def c_output(m: Json) -> None:
    one, other = driver(m, "u_core.result", 2), driver(m, "u_core.result", 3)
    swap(one, "O", "O", other)


def c_carry(m: Json) -> None:
    one = next(c for c in m["cells"].values() if c["type"] == "SB_CARRY")
    swap(one, "I0", "I1")


def c_key(m: Json) -> None:
    wire = m["netnames"]["u_core.key"]["bits"]
    wire[0], wire[1] = wire[1], wire[0]


def c_port(m: Json) -> None:
    register = driver(m, "in_q", 1)
    swap(register, "D", "D", driver(m, "in_q", 2))


def c_shift(m: Json) -> None:
    data = driver(m, "shift_q", 3)["connections"]["D"]
    flip(next(c for c in m["cells"].values() if c["connections"].get("O") == data), "LUT_INIT")


def c_result(m: Json) -> None:
    swap(driver(m, "out_q", 1), "D", "D", driver(m, "out_q", 2))


def c_dout(m: Json) -> None:
    m["ports"]["dout"]["bits"] = m["netnames"]["fold_q"]["bits"][:1]


def c_more(m: Json) -> None:
    m["cells"]["more"] = copy.deepcopy(driver(m, "in_q", 1))
    m["cells"]["more"]["connections"]["Q"] = [99_999]


def c_enable(m: Json) -> None:
    register = driver(m, "in_q", 1)
    register["type"] = "SB_DFFE"
    register["port_directions"]["E"] = "input"
    register["connections"]["E"] = register["connections"]["D"]


def c_missing(m: Json) -> None:
    register = driver(m, "shift_q", 1)
    name = next(n for n, c in m["cells"].items() if c is register)
    del m["cells"][name]


CORE: list[tuple[Change, str]] = [
    (c_table, "has another LUT_INIT in the netlist"),
    (c_inputs, "in the netlist"),
    (c_kind, "is a SB_DFF, in the netlist a SB_DFFN"),
    (c_output, "in the netlist"),
    (c_carry, "in the netlist"),
    (c_key, "is on another net in the netlist"),
    (c_port, "harness: in_q[1]: D is another function"),
    (c_shift, "harness: shift_q[3]: D is another function"),
    (c_result, "harness: out_q[1]: D is another function"),
    (c_dout, "harness: pin dout is another function"),
    (c_more, "flip-flop more belongs neither to the core nor to the harness"),
    (c_enable, "harness: in_q[1]: enable is another function"),
    (c_missing, "D is another function"),
]


def test_the_core_in_its_harness(toy: Toy) -> None:
    found = toy.found()
    assert found.checks.differences == []
    core, _ = flat_core(toy.modules)
    assert found.cells == len(core.cells) > 20
    # 16 inputs that are read, after 16 of the shift register; 9 outputs twice.
    assert found.harness == 16 + 16 + 9 + 9


def test_a_core_of_modules() -> None:
    """What was mapped alone is a module in what is proved, and none in the netlist."""

    def table(output: int, *nets: int | str) -> Json:
        return mapped.cell("LUT4", {"Z": output}, **dict(zip("ABCD", nets, strict=False)))

    def ports(**bits: Any) -> Json:
        return {
            name: {"direction": "output" if name in "yzc" else "input", "bits": nets}
            for name, nets in bits.items()
        }

    def instance(**bits: list[Any]) -> Json:
        directions = {name: port["direction"] for name, port in inner["ports"].items()}
        return {"type": "part", "port_directions": directions, "connections": bits}

    # z is an input passed on, c a constant; the second instance reads the first.
    inner = {"ports": ports(x=[2, 3], y=[4], z=[2], c=["1"]), "cells": {"a": table(4, 2, 3)}}
    whole = {
        "ports": ports(x=[10, 11], y=[14], z=[15]),
        "cells": {
            "p": instance(x=[10, 11], y=[12], z=[13], c=[16]),
            "q": instance(x=[12, 13], y=[14], z=[15], c=[17]),
            "b": table(18, 16, 17, 13),
        },
    }
    core, bits = flat_core({"core": module_of(whole), "part": module_of(inner)})
    assert set(core.cells) == {"p.a", "q.a", "b"}
    one, other, last = (core.cells[name].connections for name in ("p.a", "q.a", "b"))
    assert (one["A"], one["B"]) == (bits["x"][:1], bits["x"][1:])
    assert (other["A"], other["B"], other["Z"]) == (one["Z"], bits["x"][:1], bits["y"])
    assert bits["z"] == one["Z"]
    assert (last["A"], last["B"], last["C"]) == (["1"], ["1"], bits["x"][:1])


@pytest.mark.parametrize(("change", "words"), CORE, ids=[c.__name__ for c, _ in CORE])
def test_another_core_or_harness(toy: Toy, change: Change, words: str) -> None:
    differences = toy.found(change).checks.differences
    assert any(words in line for line in differences), differences


def test_each_bit_of_a_table_counts(toy: Toy, tmp_path: Path) -> None:
    """Of tables before and after which there are flip-flops: each case of the inputs occurs."""
    packed(tmp_path, UP5K, toy.synthesis.netlist)
    (routed,) = json.loads((tmp_path / "routed.json").read_bytes())["modules"].values()
    registers = cells(routed, "ICESTORM_LC", DFF_ENABLE="1")
    stored = {net for cell in registers for net in cell["connections"]["O"]}
    tables = []
    for cell in registers:
        nets = {k: net for k in range(4) for net in cell["connections"][f"I{k}"]}
        if len(nets) > 1 and stored.issuperset(nets.values()):
            tables.append((cell, nets))
    assert len(tables) > 20
    for cell, nets in tables[::5]:
        for case in range(16):
            flip(cell, "LUT_INIT", 15 - case)
            # An input that is not connected is 0.
            counts = all(k in nets for k in range(4) if case >> k & 1)
            differences = compared(ice40, toy.netlist, routed).checks.differences
            assert len(differences) == counts, differences
            flip(cell, "LUT_INIT", 15 - case)


# --- The verb


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["prove", *map(str, arguments)])


def test_the_verb_compares_netlists(small: Path, small_ecp5: Path, tmp_path: Path) -> None:
    files = ("--routed", small / "routed.json", "--netlist", small / "netlist.json")
    result = run(*files, "--device", "iCE40UP5K")
    assert result.exit_code == 0, result.output
    assert "the routed netlist equals the netlist: 1 block RAM, 51 flip-flops, 5 pins" in (
        result.output
    )
    result = run(*files, "--device", "iCE40UP5K", "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["result"]) == (0, "equal")
    assert found["netlist"]["differences"] == []
    files = ("--routed", small_ecp5 / "routed.json", "--netlist", small_ecp5 / "netlist.json")
    result = run(*files, "--bitstream", small_ecp5 / "core.bit", "--device", "LFE5U-25F-6")
    assert result.exit_code == 0, result.output
    assert "the bitstream configures the routed netlist" in result.output
    assert "10 inputs are left open, all equal" in result.output

    data = json.loads((small / "routed.json").read_bytes())
    table_bit(next(iter(data["modules"].values())))
    (tmp_path / "wrong.json").write_text(json.dumps(data), encoding="utf-8")
    files = ("--routed", tmp_path / "wrong.json", "--netlist", small / "netlist.json")
    result = run(*files, "--device", "iCE40UP5K")
    assert result.exit_code == 1
    assert "the routed netlist does not equal the netlist" in result.output


def test_the_verb_compares_netlists_and_a_bitstream(small: Path) -> None:
    files = ("--routed", small / "routed.json", "--netlist", small / "netlist.json")
    result = run(*files, "--bitstream", small / "core.bin", "--device", "iCE40UP5K")
    assert result.exit_code == 0, result.output
    assert "the bitstream configures the routed netlist" in result.output
    assert "the routed netlist equals the netlist" in result.output


def test_from_fips_197_to_the_bitstream_of_a_core(tmp_path: Path) -> None:
    """All four links in one call; then with another core, key size and recipe."""
    device = ("--device", "iCE40HX8K")
    result = run("compact", *device, "--implement", tmp_path / "out", "--json")
    netlist, routed, bitstream = (
        tmp_path / "out" / name for name in ("netlist.json", "routed.json", "core.bin")
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["result"] == found["bitstream"]["result"] == "equal"
    assert found["netlist"]["elements"] == {"flip-flop": 1232}
    assert found["netlist"]["differences"] == found["core"]["differences"] == []
    assert found["core"]["cells"] > 2000
    assert found["proof"]["result"] == "proved"
    assert found["proof"]["family"] == "ice40"

    # The netlist of the design is another one: the routed one does not equal it.
    files = ["--routed", routed, "--bitstream", bitstream, *device]
    result = run("compact", *files, "--set", "sbox=table")
    assert result.exit_code == 1, result.output
    assert "the routed netlist does not equal the netlist" in result.output
    files += ["--netlist", netlist]
    for choices in (("--set", "sbox=table"), ("--recipe", "area")):
        result = run("compact", *files, *choices)
        assert result.exit_code == 1, result.output
        assert "the routed netlist equals the netlist" in result.output
        assert "the netlist is not the harness around the core of this design" in result.output
        assert "proved" not in result.stdout
    result = run("compact", *files, "--set", "key_bits=256")
    assert result.exit_code == 2
    assert "no core u_core with a port in_key of 256 bits" in result.output


def test_files_that_are_no_netlists(small: Path, small_ecp5: Path, tmp_path: Path) -> None:
    routed, netlist = small / "routed.json", small / "netlist.json"
    (tmp_path / "text").write_text("nothing of the kind\n", encoding="ascii")
    (tmp_path / "empty.json").write_text('{"modules": {"top": {}}}', encoding="ascii")
    data = json.loads(netlist.read_bytes())
    names = data["modules"]["top"]["netnames"]
    data["modules"]["top"]["netnames"] = {f"other_{name}": w for name, w in names.items()}
    (tmp_path / "other.json").write_text(json.dumps(data), encoding="ascii")
    data["modules"]["top"]["cells"]["memory.0.0"]["type"] = "SB_SPRAM256KA"
    (tmp_path / "cell.json").write_text(json.dumps(data), encoding="ascii")
    ice = ("--device", "iCE40UP5K")
    for result, words in (
        (run("--routed", tmp_path / "none", "--netlist", netlist, *ice), "cannot read"),
        (run("--routed", routed, "--netlist", tmp_path / "none", *ice), "cannot read"),
        (run("--routed", routed, "--netlist", tmp_path / "text", *ice), "is no netlist in JSON"),
        (run("--routed", tmp_path / "text", "--netlist", netlist, *ice), "is no netlist in JSON"),
        (
            run("--routed", routed, "--netlist", tmp_path / "empty.json", *ice),
            "is no netlist of one design",
        ),
        (
            run("--routed", routed, "--netlist", tmp_path / "other.json", *ice),
            "the routed netlist is of another design",
        ),
        (
            run("--routed", routed, "--netlist", tmp_path / "cell.json", *ice),
            "cell memory.0.0 is a SB_SPRAM256KA, which is not compared",
        ),
        (run("--routed", netlist, "--netlist", netlist, *ice), "is no routed netlist"),
        (
            run("--routed", small_ecp5 / "routed.json", "--netlist", netlist, *ice),
            "is a DCCA, which is not compared",
        ),
        (
            run("--routed", routed, "--netlist", netlist, "--device", "CCGM1A1"),
            "the families ice40, ecp5 or gowin",
        ),
        (run("--routed", routed, "--netlist", netlist), "name --device DEV"),
        (run("--netlist", netlist, *ice), "and --routed JSON"),
        (run("--implement", tmp_path, *ice), "--implement DIR goes with a design"),
        (run("compact", "--implement", tmp_path, "--routed", routed, *ice), "leave these out"),
        (
            run("compact", "--implement", tmp_path, "--device", "CCGM1A1"),
            "families ice40, ecp5 or gowin",
        ),
        (run("compact", "--implement", netlist, *ice), "netlist.json"),
        (run("--routed", routed, "--netlist", netlist, *ice, "--recipe", "area"), "with a design"),
        (run("--routed", routed, "--netlist", netlist, *ice, "-o", "x"), "there is no -o"),
        (run("compact", "--routed", routed, *ice, "--route", "x"), "there is no route 'x'"),
        (run("gcm-stream", "--routed", routed, *ice), "is an engine"),
        (run("compact", "--routed", routed, *ice, "--recipe", "x"), "there is no recipe 'x'"),
    ):
        assert result.exit_code == 2, result.output
        assert words in result.output, result.output
    assert chain.follow is follow
    assert read_modules(netlist)
    assert read_top(netlist).cells

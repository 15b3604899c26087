# SPDX-License-Identifier: Apache-2.0
"""What cells compute, in the comparison of netlists, beside Yosys's models of the same cells."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pyosys

from aesforge.devices.families import family
from aesforge.netlist import elaborate
from aesforge.netlist.aig import Aig, Builder
from aesforge.netlist.module import read_module, read_modules
from aesforge.prove.bitstream.gowin.chip import Chip
from aesforge.prove.engines import equal
from aesforge.prove.implementation import ecp5, gowin, ice40
from aesforge.prove.implementation.contents import Contents, Logic
from aesforge.toolchain import programs

PINS = "abcdefgh"


class Bench:
    """A module with cells between its inputs and its outputs, of which cell n drives y[n].

    Args:
        name: of the family.
        cells: each a kind, parameters, and the connections; `@` stands for the output.
        wires: more declarations.
    """

    def __init__(self, name: str, cells: list[tuple[str, str, str]], wires: str = "") -> None:
        self.family = family(name)
        self.text = f"module top (input clk, {', '.join(f'input {pin}' for pin in PINS)}, "
        self.text += f"output [{len(cells) - 1}:0] y);\n{wires}\n"
        for place, (kind, parameters, pins) in enumerate(cells):
            joined = pins.replace("@", f"y[{place}]")
            self.text += f"  {kind} #({parameters}) u{place} ({joined});\n"
        self.text += "endmodule\n"

    def run(self, folder: Path) -> None:
        """Write `cells.json`, with the cells, and `gates.json`, with Yosys's models of them."""
        (folder / "top.v").write_text(self.text, encoding="ascii")
        files = " ".join(self.family.read_back)
        if self.family.program == "nextpnr-ice40":
            # Yosys cannot read the question whether an input is open; here none is.
            text = (Path(pyosys.__file__).parent / "share/ice40/cells_sim.v").read_text("utf-8")
            text = re.sub(r"\((\w+) === 1'bz\) \? 1'b[01] : \1", r"\1", text)
            (folder / "cells_sim.v").write_text(text, encoding="utf-8")
            files = "cells_sim.v"
        script = [
            f"read_verilog -lib -sv -overwrite {files}",
            "read_verilog -sv top.v",
            "hierarchy -check -top top",
            "select top",
            "write_json -selected cells.json",
            "design -reset",
            f"read_verilog -sv -overwrite -defer {files}",
            "read_verilog -sv top.v",
            "hierarchy -check -top top",
            "proc",
            "flatten",
            *("opt_expr", "opt_clean", "memory -nomap", "memory_map", "dffunmap", "techmap"),
            *("simplemap", "opt_expr", "opt_clean", "aigmap", "opt_clean"),
            "write_json gates.json",
        ]
        (folder / "top.ys").write_text("\n".join(script) + "\n", encoding="ascii")
        programs.run("yosys", ["top.ys"], folder, folder / "log")


def ours(contents: Contents, states: dict[str, str]) -> tuple[Logic, Builder]:
    """Return the functions of the cells, over pins and the states by name of element and output."""
    builder = Builder([*PINS, *states.values()])
    leaves = {net: builder.input_named(name) for name, net in contents.inputs.items()}
    for element in contents.elements.values():
        for port, net in element.outputs.items():
            leaves[net] = builder.input_named(states[f"{element.name}.{port}"])
    return Logic(contents, builder, leaves), builder


def theirs(folder: Path, names: list[str]) -> Aig:
    """Return y and then the next values of the states, as Yosys has them."""
    found = elaborate.elaborate(read_modules(folder / "gates.json"))
    builder = Builder(names)
    known = [builder.input_named(name) for name in (*found.inputs, *found.registers)]
    graph = Aig(
        [*found.inputs, *found.registers],
        gates=found.gates,
        outputs=[*found.outputs, *found.registers],
        output=[*found.output, *found.next_state],
    )
    return builder.finish(zip(graph.outputs, builder.copy(graph, known), strict=True))


def same(one: Aig, other: Aig) -> None:
    """See that two graphs are equal for every input."""
    ordered = dict(zip(one.outputs, one.output, strict=True))
    assert ordered.keys() == set(other.outputs)
    first = Aig(
        one.inputs,
        gates=one.gates,
        outputs=other.outputs,
        output=[ordered[name] for name in other.outputs],
    )
    found = equal.compare(first, other, algebra=False)
    assert found.equal, found.difference


def check_logic(folder: Path, bench: Bench, read: ModuleType, *, packed: bool) -> None:
    """See that cells without storage compute what Yosys's models do."""
    bench.run(folder)
    module = read_module(folder / "cells.json", "top")
    contents = read.routed(module) if packed else read.synthesized(module)
    logic, builder = ours(contents, {})
    names = [*PINS]
    graph = builder.finish((name, logic.bit(bit)) for name, bit in contents.outputs.items())
    same(graph, theirs(folder, names))


def tables(count: int, seed: int) -> list[str]:
    """Return parameters of look-up tables."""
    values = random.Random(seed).sample(range(1 << 16), count)
    return [f"16'h{value:04x}" for value in values]


def test_ice40_logic(tmp_path: Path) -> None:
    cells = [
        ("SB_LUT4", f".LUT_INIT({one})", ".O(@), .I0(a), .I1(b), .I2(c), .I3(d)")
        for one in tables(4, 1)
    ]
    cells.append(("SB_CARRY", "", ".CO(@), .I0(a), .I1(b), .CI(c)"))
    cells.append(("SB_GB", "", ".GLOBAL_BUFFER_OUTPUT(@), .USER_SIGNAL_TO_GLOBAL_BUFFER(h)"))
    check_logic(tmp_path, Bench("ice40", cells), ice40, packed=False)


def test_ice40_packed_logic(tmp_path: Path) -> None:
    pins = ".I0(a), .I1(b), .I2(c), .I3(d), .CIN(e)"
    cells = [("ICESTORM_LC", f".LUT_INIT({one})", f".O(@), {pins}") for one in tables(3, 2)]
    cells += [("ICESTORM_LC", f".LUT_INIT({tables(1, 3)[0]})", f".LO(@), {pins}")]
    cells += [("ICESTORM_LC", ".CARRY_ENABLE(1)", f".COUT(@), {pins}")]
    check_logic(tmp_path, Bench("ice40", cells), ice40, packed=True)


def test_ecp5_logic(tmp_path: Path) -> None:
    cells = [("LUT4", f".INIT({one})", ".Z(@), .A(a), .B(b), .C(c), .D(d)") for one in tables(4, 4)]
    cells.append(("PFUMX", "", ".Z(@), .ALUT(a), .BLUT(b), .C0(c)"))
    cells.append(("L6MUX21", "", ".Z(@), .D0(a), .D1(b), .SD(c)"))
    carried = ".A0(a), .B0(b), .C0(c), .D0(d), .A1(e), .B1(f), .C1(g), .D1(h), .CIN(clk)"
    for number, (first, second) in enumerate(zip(tables(4, 5), tables(4, 6), strict=True)):
        inject = [f'.INJECT1_{half}("{"YES" if number >> half & 1 else "NO"}")' for half in (0, 1)]
        cells += [
            ("CCU2C", f".INIT0({first}), .INIT1({second}), {', '.join(inject)}", pins)
            for pins in (f".{port}(@), {carried}" for port in ("S0", "S1", "COUT"))
        ]
    bench = Bench("ecp5", cells)
    bench.text = bench.text.replace("input clk,", "input i,").replace("(clk)", "(i)")
    bench.run(tmp_path)
    contents = ecp5.synthesized(read_module(tmp_path / "cells.json", "top"))
    logic, builder = ours(contents, {})
    graph = builder.finish((name, logic.bit(bit)) for name, bit in contents.outputs.items())
    same(graph, theirs(tmp_path, graph.inputs))


def test_ecp5_packed_logic(tmp_path: Path) -> None:
    pins = ".A(a), .B(b), .C(c), .D(d)"
    cells = [("TRELLIS_COMB", f".INITVAL({one})", f".F(@), {pins}") for one in tables(3, 7)]
    wide = tables(2, 8)
    cells += [
        ("TRELLIS_COMB", f".INITVAL({wide[0]})", f".OFX(@), .F1(e), .M(f), {pins}"),
        ("TRELLIS_COMB", f".INITVAL({wide[1]}), .IS_Z1(1)", ".OFX(@), .FXA(e), .FXB(g), .M(f)"),
    ]
    # In a carry cell of Yosys's model FCO is a wire of the generate block: not connected.
    for number, one in enumerate(tables(4, 9)):
        mode = f'.MODE("CCU2"), .CCU2_INJECT1("{"YES" if number & 1 else "NO"}")'
        cells.append(("TRELLIS_COMB", f".INITVAL({one}), {mode}", f".F(@), .FCI(e), {pins}"))
    check_logic(tmp_path, Bench("ecp5", cells), ecp5, packed=True)


def test_gowin_logic(tmp_path: Path) -> None:
    pins = [".I0(a)", ".I1(b)", ".I2(c)", ".I3(d)"]
    cells = [
        (f"LUT{size}", f".INIT({one})", ", ".join([".F(@)", *pins[:size]]))
        for size, one in zip(
            (1, 2, 3, 4, 4), ["2'h1", "4'h6", "8'h9c", *tables(2, 11)], strict=True
        )
    ]
    for kind in ("MUX2", *(f"MUX2_LUT{size}" for size in (5, 6, 7, 8))):
        cells.append((kind, "", ".O(@), .I0(a), .I1(b), .S0(c)"))
    lines = ".I0(a), .I1(b), .I3(c), .CIN(d)"
    for mode in range(10):
        cells += [("ALU", f".ALU_MODE({mode})", f".{port}(@), {lines}") for port in ("SUM", "COUT")]
    check_logic(tmp_path, Bench("gowin", cells), gowin, packed=False)


def test_gowin_carries_as_nextpnr_packs_them() -> None:
    """The tables of Apicula's database are those of Yosys's model, for each mode that it has."""
    found = Chip("GW1N-9C").kind((4, 4)).modes["ALU0"]
    assert found.keys() >= {*"01234", *"6789"}
    for mode, (low, high, carry) in gowin._MODES.items():
        if str(mode) in found:
            table = found[str(mode)]
            assert (table >> 4 & 0xF, table >> 12, table & 0xF) == (low, high, carry), mode
    assert found["C2L"] & 0xF0FF == 0
    assert found["ONE2C"] & 0xF0FF == 0xF


def check_registers(folder: Path, bench: Bench, contents: Contents, *, enable_first: bool) -> None:
    """See that the settings and inputs of flip-flops mean what Yosys's models do."""
    found = theirs(folder, [])
    at = dict(zip(found.outputs, found.output, strict=True))
    # y[n] is a register: the state of cell n has its name in Yosys's graph.
    names = {2 * (1 + place): name for place, name in enumerate(found.inputs)}
    states = {f"u{place}.Q": names[at[f"y[{place}]"]] for place in range(len(contents.outputs))}
    logic, builder = ours(contents, states)

    def choice(chooser: int, high: int, low: int) -> int:
        one = builder.conjunction(chooser, high)
        other = builder.conjunction(chooser ^ 1, low)
        return builder.conjunction(one ^ 1, other ^ 1) ^ 1

    results = []
    for place in range(len(contents.outputs)):
        element = contents.elements[f"u{place}"]
        values = {name: logic.function(one) for name, one in element.inputs.items()}
        state = builder.input_named(states[f"u{place}.Q"])
        chosen = element.settings.get("REGSET", element.settings.get("set or reset"))
        first = int(chosen in ("SET", "set"))
        reset, enable = values["set or reset"], values["enable"]
        if enable_first:
            value = choice(enable, choice(reset, first, values["D"]), state)
        else:
            value = choice(reset, first, choice(enable, values["D"], state))
        results += [(f"y[{place}]", state), (states[f"u{place}.Q"], value)]
    graph = builder.finish(results)
    graph.inputs, other = list(graph.inputs), theirs(folder, graph.inputs)
    same(graph, other)


def test_ice40_flip_flops(tmp_path: Path) -> None:
    cells = []
    for kind in ("", "E", "SR", "SS", "ESR", "ESS"):
        pins = ".Q(@), .C(clk), .D(a)" + (", .E(b)" if kind.startswith("E") else "")
        pins += f", .{kind[-1]}(c)" if kind[-2:] in ("SR", "SS") else ""
        cells.append((f"SB_DFF{kind}", "", pins))
    bench = Bench("ice40", cells)
    bench.run(tmp_path)
    contents = ice40.synthesized(read_module(tmp_path / "cells.json", "top"))
    check_registers(tmp_path, bench, contents, enable_first=True)


def test_ice40_packed_flip_flops(tmp_path: Path) -> None:
    cells = [
        (
            "ICESTORM_LC",
            f".LUT_INIT({table}), .DFF_ENABLE(1), .SET_NORESET({number & 1})",
            ".O(@), .CLK(clk), .I0(a), .I1(b), .I2(c), .I3(d), .CEN(e), .SR(f)",
        )
        for number, table in enumerate(tables(4, 10))
    ]
    bench = Bench("ice40", cells)
    bench.run(tmp_path)
    contents = ice40.routed(read_module(tmp_path / "cells.json", "top"))
    check_registers(tmp_path, bench, contents, enable_first=True)


def test_ecp5_flip_flops(tmp_path: Path) -> None:
    cells = [
        (
            "TRELLIS_FF",
            f'.CEMUX("{enable}"), .LSRMUX("{reset}"), .REGSET("{value}"), .GSR("DISABLED")',
            ".Q(@), .CLK(clk), .DI(a), .CE(b), .LSR(c)",
        )
        for enable in ("CE", "INV", "1")
        for reset in ("LSR", "INV")
        for value in ("SET", "RESET")
    ]
    bench = Bench("ecp5", cells)
    bench.run(tmp_path)
    module = read_module(tmp_path / "cells.json", "top")
    for contents in (ecp5.synthesized(module), ecp5.routed(module)):
        check_registers(tmp_path, bench, contents, enable_first=False)


def test_gowin_flip_flops(tmp_path: Path) -> None:
    cells = []
    for kind in ("", "S", "R"):
        for enable in ("", "E"):
            pins = ".Q(@), .CLK(clk), .D(a)" + (", .CE(b)" if enable else "")
            pins += {"": "", "S": ", .SET(c)", "R": ", .RESET(c)"}[kind]
            cells.append((f"DFF{kind}{enable}", "", pins))
    bench = Bench("gowin", cells)
    bench.run(tmp_path)
    module = read_module(tmp_path / "cells.json", "top")
    for contents in (gowin.synthesized(module), gowin.routed(module)):
        check_registers(tmp_path, bench, contents, enable_first=False)


def check_memory(folder: Path, contents: Contents, names: Sequence[tuple[str, str]]) -> None:
    """See that a RAM in look-up tables reads and writes as Yosys's model does.

    Args:
        folder: with Yosys's model.
        contents: of the cells; each output y[n] has a RAM of its own.
        names: for each RAM the element, and what its words are called in Yosys's graph.
    """
    states = {
        f"{element}.word {word}": f"{prefix}[{word}]"
        for element, prefix in names
        for word in range(16)
    }
    logic, builder = ours(contents, states)
    results = [(name, logic.bit(bit)) for name, bit in contents.outputs.items()]
    for element, _ in names:
        values = {
            name: logic.function(one)
            for name, one in contents.elements[element].inputs.items()
            if name != "clock"
        }
        for word in range(16):
            chosen = values["write enable"]
            for place in range(4):
                line = values[f"write address {place}"]
                chosen = builder.conjunction(chosen, line if word >> place & 1 else line ^ 1)
            state = builder.input_named(states[f"{element}.word {word}"])
            written = builder.conjunction(chosen, values["data"])
            kept = builder.conjunction(chosen ^ 1, state)
            value = builder.conjunction(written ^ 1, kept ^ 1) ^ 1
            results.append((states[f"{element}.word {word}"], value))
    graph = builder.finish(results)
    same(graph, theirs(folder, graph.inputs))


def test_the_read_address_of_a_ram_in_a_look_up_table(tmp_path: Path) -> None:
    """Which input of the packed cell is which line of the address, and what it writes where."""
    pins = ".F(@), .A(a), .B(b), .C(c), .D(d), .WD(e), .WRE(f), .WCK(clk), "
    pins += ".WAD0(g), .WAD1(h), .WAD2(a), .WAD3(b)"
    bench = Bench("ecp5", [("TRELLIS_COMB", '.MODE("DPRAM")', pins)])
    bench.run(tmp_path)
    contents = ecp5.routed(read_module(tmp_path / "cells.json", "top"))
    words = [name for name in theirs(tmp_path, []).inputs if "ram[" in name]
    assert len(words) == 16
    check_memory(tmp_path, contents, [("u0", words[0].partition("[")[0])])


def test_a_ram_of_gowin(tmp_path: Path) -> None:
    """Which line of the address is which, and which bit of a word."""
    pins = ".DO({y[1], y[0]}), .RAD({d, c, b, a}), .DI({f, e}), .WRE(g), .CLK(clk), "
    pins += ".WAD({b, a, h, g})"
    bench = Bench("gowin", [("RAM16SDP2", "", pins)])
    bench.text = bench.text.replace("output [0:0] y", "output [1:0] y")
    bench.run(tmp_path)
    module = read_module(tmp_path / "cells.json", "top")
    words = sorted(
        {name.partition("[")[0] for name in theirs(tmp_path, []).inputs if "mem" in name}
    )
    assert len(words) == 2
    names = [(f"u0.{place}", word) for place, word in enumerate(words)]
    for contents in (gowin.synthesized(module), gowin.routed(module)):
        check_memory(tmp_path, contents, names)

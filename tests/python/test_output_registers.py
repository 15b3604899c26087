# SPDX-License-Identifier: Apache-2.0
"""Registers after block RAM become its output register, those that it can do and no others."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aesforge.devices.families import family
from aesforge.errors import ToolFailed
from aesforge.measure.synthesis import MAPPED, Synthesis
from aesforge.measure.target import Target
from aesforge.netlist import output_registers
from aesforge.netlist.aig import Aig, value_of
from aesforge.netlist.output_registers import COMMAND, VERSION, Cell, Module
from aesforge.prove import circuit
from aesforge.toolchain import programs

# A memory read through two registers, in ways that its output register can or cannot do.
VARIANTS = {
    "enable": "always_ff @(posedge clk) if (out) q <= a;",
    "no_enable": "always_ff @(posedge clk) q <= a;",
    "inverted_enable": "always_ff @(posedge clk) if (!out) q <= a;",
    "reset": "always_ff @(posedge clk) if (rst) q <= '0; else q <= a;",
    "asynchronous_reset": "always_ff @(posedge clk, posedge rst) if (rst) q <= '0; else q <= a;",
    "initial_value": "initial q = '0; always_ff @(posedge clk) q <= a;",
    "other_user": "assign more = a[3]; always_ff @(posedge clk) q <= a;",
    "kept": "(* keep *) logic [17:0] held; assign held = a; always_ff @(posedge clk) q <= a;",
    "other_clock": "always_ff @(posedge other) q <= a;",
    "other_edge": "always_ff @(negedge clk) q <= a;",
    "logic_between": "always_ff @(posedge clk) q <= ~a;",
    "two_enables": "always_ff @(posedge clk) begin q[0] <= a[0]; if (out) q[17:1] <= a[17:1]; end",
    "another_enable": "always_ff @(posedge clk) begin"
    " if (we) q[0] <= a[0]; if (out) q[17:1] <= a[17:1]; end",
    "opposite_enable": "always_ff @(posedge clk) begin"
    " if (!out) q[0] <= a[0]; if (out) q[17:1] <= a[17:1]; end",
    "twice": "logic [17:0] r; assign more = ^r;"
    "always_ff @(posedge clk) begin q <= a; if (out) r <= a; end",
}
MERGED = {"enable", "no_enable", "inverted_enable"}
VARIANT = """
module {name} (input logic clk, other, we, out, rst, input logic [5:0] wa, ra,
               input logic [17:0] d, output logic [17:0] q, output logic more);
  (* no_rw_check, ram_style = "block" *) logic [17:0] memory[0:63];
  logic [17:0] a;
  always_ff @(posedge clk) begin
    if (we) memory[wa] <= d;
    {read}
  end
  {after}
endmodule
"""
READ = "a <= memory[ra];"
# The first register has a reset here, which would empty the second too.
RESET_BEFORE = f"if (rst) a <= '0; else {READ}"


def mapped(folder: Path, text: str, command: str = f"{COMMAND} {VERSION}") -> dict[str, Any]:
    """Map the modules of a source, each on its own, and give them as Yosys's JSON."""
    (folder / "rtl.sv").write_text(text, encoding="utf-8")
    # They have no top module: what calls none of them comes out empty.
    lines = [
        "read_verilog -sv rtl.sv",
        "setattr -mod -set keep_hierarchy 1 *",
        "synth_ecp5 -noabc9 -run begin:map_ffs",
        command,
        "synth_ecp5 -noabc9 -run map_ffs:",
        "write_json mapped.json",
    ]
    (folder / "map.ys").write_text("\n".join(lines), encoding="utf-8")
    programs.run("yosys", ["map.ys"], folder, folder / "map.log")
    modules: dict[str, Any] = json.loads((folder / "mapped.json").read_bytes())["modules"]
    return modules


def test_a_register_is_merged_only_where_the_ram_can_do_all_of_it(tmp_path: Path) -> None:
    texts = {name: VARIANT.format(name=name, read=READ, after=b) for name, b in VARIANTS.items()}
    texts["reset_before"] = VARIANT.format(
        name="reset_before", read=RESET_BEFORE, after=VARIANTS["no_enable"]
    )
    ports = "(.clk, .other, .we, .out, .rst, .wa, .ra, .d, .q(q[{}]), .more(more[{}]))"
    calls = "\n".join(f"  {name} u_{name} {ports.format(n, n)};" for n, name in enumerate(texts))
    top = f"""
module top (input logic clk, other, we, out, rst, input logic [5:0] wa, ra, input logic [17:0] d,
            output logic [{len(texts) - 1}:0][17:0] q, output logic [{len(texts) - 1}:0] more);
{calls}
endmodule
"""
    modules = mapped(tmp_path, "".join(texts.values()) + top)
    found = set()
    for name in texts:
        cells = modules[name]["cells"].values()
        [ram] = [cell for cell in cells if cell["type"] == "DP16KD"]
        kinds = [cell["type"] for cell in cells]
        assert ram["parameters"]["REGMODE_A"] == "NOREG"
        if ram["parameters"]["REGMODE_B"] == "OUTREG":
            found.add(name)
            assert "TRELLIS_FF" not in kinds
        else:
            assert kinds.count("TRELLIS_FF") >= 18
            assert ram["connections"]["OCEB"] == ["1"]
    assert found == MERGED


PINS: dict[str, list[Hashable]] = {
    **{"CLKA": ["clk"], "RSTA": ["0"], "OCEA": ["1"], "DOA0": ["a0"], "DOA1": ["a1"]},
    **{"CLKB": ["clk"], "RSTB": ["0"], "OCEB": ["1"], "DOB0": ["b0"], "DOB1": ["unread"]},
}
PARAMETERS = {
    **{"REGMODE_A": "NOREG", "REGMODE_B": "NOREG", "CLKAMUX": "CLKA", "CLKBMUX": "CLKB"},
    "DATA_WIDTH_A": "18",
}
RAM = Cell("\\DP16KD", PINS, PARAMETERS, kept=False)
FLIP_FLOPS = {
    name: Cell("$_DFF_P_", {"C": ["clk"], "D": [name], "Q": [f"q_{name}"]}, {}, kept=False)
    for name in ("a0", "a1", "b0")
}


def merged(ram: Cell, flip_flops: dict[str, Cell]) -> list[str]:
    """Return the sides of the block RAM that take registers over."""
    found = output_registers.merges(Module({"ram": ram, **flip_flops}))
    assert all(one.flip_flops.keys() <= ram.pins.keys() for one in found)
    return [one.sides for one in found]


def test_each_side_of_a_block_ram_is_judged_alone() -> None:
    assert merged(RAM, FLIP_FLOPS) == ["A", "B"]
    for pin, net in (("OCEB", "0"), ("RSTB", "reset"), ("CLKB", "other")):
        assert merged(replace(RAM, pins={**PINS, pin: [net]}), FLIP_FLOPS) == ["A"]
    for parameters in ({"REGMODE_B": "OUTREG"}, {"CLKBMUX": "INV"}):
        ram = replace(RAM, parameters={**PARAMETERS, **parameters})
        assert merged(ram, FLIP_FLOPS) == ["A"]
    held = {**FLIP_FLOPS, "a1": replace(FLIP_FLOPS["a1"], kept=True)}
    assert merged(RAM, held) == ["B"]
    assert merged(replace(RAM, kept=True), FLIP_FLOPS) == []
    assert merged(RAM, {**FLIP_FLOPS, "more": FLIP_FLOPS["b0"]}) == ["A"]
    assert merged(RAM, {}) == []


def test_words_of_36_bits_are_one_register_of_port_b() -> None:
    whole = replace(RAM, parameters={**PARAMETERS, "DATA_WIDTH_A": "36"})
    assert merged(whole, FLIP_FLOPS) == ["AB"]
    for name in FLIP_FLOPS:
        assert merged(whole, {**FLIP_FLOPS, name: replace(FLIP_FLOPS[name], kind="$_DFF_N_")}) == []
    assert merged(replace(whole, pins={**PINS, "CLKA": ["other"]}), FLIP_FLOPS) == ["AB"]
    assert merged(replace(whole, pins={**PINS, "CLKB": ["other"]}), FLIP_FLOPS) == []


def test_another_version_of_the_step_is_refused(tmp_path: Path) -> None:
    """The version is in the recipes, and so in the key of what they make."""
    for recipe in family("ecp5").recipe:
        assert (f"{COMMAND} {VERSION}" in recipe.synthesis) == (recipe.name != "stock")
    with pytest.raises(ToolFailed, match="this is version"):
        mapped(tmp_path, VARIANT.format(name="v", read=READ, after=""), f"{COMMAND} 0")


# --- What comes out is what went in ---------------------------------------------------------------

# Words of 36 bits take both ports of a block RAM, those of 18 one; a ROM is read at both.
CORE = """
module memories (
    input logic clk, we, first, second, input logic [3:0] wa, ra, input logic [35:0] d,
    output logic [35:0] q, output logic [17:0] half, output logic [17:0] bytes
);
  (* no_rw_check, ram_style = "block" *) logic [35:0] memory[0:15];
  logic [35:0] a;
  always_ff @(posedge clk) begin
    if (we) memory[wa] <= d;
    if (first) a <= memory[ra];
    if (second) q <= a;
  end

  (* no_rw_check, ram_style = "block" *) logic [17:0] halves[0:15];
  logic [17:0] h;
  always_ff @(posedge clk) begin
    if (we) halves[wa] <= d[17:0];
    if (first) h <= halves[ra];
    half <= h;
  end

  (* rom_style = "block" *) logic [8:0] rom[0:255];
  initial for (int i = 0; i < 256; i++) rom[i] = 9'(37 * i + 5);
  logic [17:0] b;
  always_ff @(posedge clk) begin
    b <= {rom[{ra, wa}], rom[d[7:0]]};
    if (!second) bytes <= b;
  end
endmodule
"""
CYCLES, WORDS = 80, 4


def run(graph: Aig, traffic: dict[str, NDArray[np.uint64]]) -> dict[str, NDArray[np.uint64]]:
    """Run a graph from zeros; a free input, which stands for what is undefined, is random."""
    rng = np.random.default_rng(5)
    state = np.zeros((len(graph.registers), WORDS), np.uint64)
    outputs = []
    for cycle in range(CYCLES):
        given = {name: bits[cycle] for name, bits in traffic.items()}
        leaves = [
            given[name] if name in given else rng.integers(0, 1 << 64, WORDS, np.uint64)
            for name in graph.inputs
        ]
        values = graph.simulate(np.concatenate([np.array(leaves), state]))
        outputs.append(value_of(values, graph.output))
        state = value_of(values, graph.next_state)
    return {name: np.array(outputs)[:, n] for n, name in enumerate(graph.outputs)}


def traffic(widths: Mapping[str, int], places: int) -> dict[str, NDArray[np.uint64]]:
    """Return random inputs, bit by bit; nothing is read in the cycle in which it is written.

    Args:
        widths: of the ports, `we`, `wa` and `ra` among them.
        places: so many are written and read.
    """
    rng = np.random.default_rng(3)
    ports = {
        name: rng.integers(
            0, places if name in ("wa", "ra") else 1 << width, (CYCLES, 64 * WORDS), np.uint64
        )
        for name, width in widths.items()
    }
    ports["we"] &= ports["wa"] != ports["ra"]
    return {
        name if width == 1 else f"{name}[{bit}]": np.packbits(
            (ports[name] >> np.uint64(bit) & np.uint64(1)).astype(np.uint8),
            axis=1,
            bitorder="little",
        ).view(np.uint64)
        for name, width in widths.items()
        for bit in range(width)
    }


def test_the_mapped_netlist_does_what_its_source_does(tmp_path: Path) -> None:
    source = tmp_path / "memories.sv"
    source.write_text(CORE, encoding="utf-8")
    roles = {"clock": "clk", "block": "d", "result": "q"}
    target = Target.of_rtl((source,), "memories", roles, is_cipher=False)
    ecp5 = family("ecp5")
    synthesis = Synthesis(target, "ecp5", ecp5, ecp5.recipe_named("area"))
    area = synthesis.examine().area
    # Counted are 72 registers less than the source has: block RAM holds them now.
    assert (area.ff, area.block_ram) == (0, 3)

    widths = {"clk": 1, "we": 1, "first": 1, "second": 1, "wa": 4, "ra": 4, "d": 36}
    inputs = traffic(widths, places=16)
    wanted = run(circuit.of_module("memories", {}, [source]).aig, inputs)
    assert len(wanted) == 72
    # From the third cycle on: undefined until then.
    assert all(len(np.unique(bits[3:])) > CYCLES for bits in wanted.values())

    def differing(text: str) -> set[str]:
        changed = tmp_path / MAPPED
        changed.write_text(text, encoding="utf-8")
        got = run(circuit.of_netlist(synthesis, changed).aig, inputs)
        assert got.keys() == wanted.keys()
        return {name[:1] for name in got if (got[name] != wanted[name])[3:].any()}

    text = (synthesis.folder / MAPPED).read_text(encoding="utf-8")
    assert differing(text) == set()
    # Mutants of the step: an enable left out; registers thrown away; and half of a word per cycle
    # before the other, for which there is no model.
    head, *rams = text.split("cell \\DP16KD ")
    wrong = [
        ram.replace(" \\second\n", " 1'1\n")
        if " \\second\n" in ram
        else ram.replace("OUTREG", "NOREG")
        for ram in rams
    ]
    assert sum(one != other for one, other in zip(rams, wrong, strict=True)) == 3
    assert differing("cell \\DP16KD ".join([head, *wrong])) == {"q", "h", "b"}
    with pytest.raises(ToolFailed, match="without a model"):
        differing(text.replace('\\REGMODE_A "OUTREG"', '\\REGMODE_A "NOREG"'))

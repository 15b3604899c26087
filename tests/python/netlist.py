# SPDX-License-Identifier: Apache-2.0
"""Count the registers that Yosys keeps; run as a process of its own, since Yosys is talkative.

python netlist.py core DESIGN.toml RESULT.json
python netlist.py sbox STYLE STAGE DIRECTION RESULT.json
"""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
from pathlib import Path

from pyosys import libyosys as ys

from aesforge.bundle import render
from aesforge.bundle.files import module_name
from aesforge.design import ALLOWED, SBOX_STYLES, Design, load
from aesforge.toolchain.rtl import filelist, rtl_dir

# In place of SubWord, so that S-boxes, which cost most of the time, are counted apart. The inner
# module keeps what feeds it, as an S-box would.
STUB = """
(* blackbox *)
module opaque (input logic clk, inverse, input logic [31:0] x, output logic [31:0] y);
endmodule
module aesforge_sub_word #(parameter int unsigned Style = 0, parameter int unsigned Stages = 0,
                           parameter int unsigned Direction = 0)
  (input logic clk, inverse, input logic [31:0] x, output logic [31:0] y);
  opaque u_opaque (.clk(clk), .inverse(Direction == 2 && inverse), .x(x), .y(y));
endmodule
"""

# Bit by bit: a word of registers is otherwise kept whole when one bit of it is read.
OPTIMIZE = (
    "proc -norom",
    "flatten",
    "opt_expr",
    "opt_clean",
    "opt_merge",
    "opt_dff",
    "opt_clean",
    "memory_collect",
    "opt_clean",
    "simplemap",
    "opt -full -purge",
)


@dataclasses.dataclass
class Counts:
    flip_flops: int = 0
    ram_bits: int = 0
    sub_words: int = 0


def count(commands: list[str]) -> Counts:
    """Run Yosys and count the cells of the top module."""
    design = ys.Design()
    for command in commands:
        ys.run_pass(command, design)
    counts = Counts()
    for cell in design.top_module().cells_.values():
        kind = cell.type.str()
        if "DFF" in kind:
            counts.flip_flops += 1
        elif kind.startswith("$mem"):
            width, size = (
                cell.getParam(ys.IdString(name)).as_int() for name in ("\\WIDTH", "\\SIZE")
            )
            counts.ram_bits += width * size
        elif kind == "\\opaque":
            counts.sub_words += 1
    return counts


def count_core(design: Design, folder: Path) -> Counts:
    """Count flip-flops and RAM bits outside the S-boxes, and the SubWord modules."""
    stub = folder / "stub.sv"
    stub.write_text(STUB, encoding="utf-8")
    wrapper = folder / "wrapper.sv"
    top = module_name(design)
    wrapper.write_text(render(design)[f"rtl/{top}.sv"], encoding="utf-8")
    sources = [path for path in filelist(design.research_scheme) if path.parent.name != "sbox"]
    read = [f"read_verilog -sv {path}" for path in (sources[0], stub, *sources[1:], wrapper)]
    return count([*read, f"hierarchy -top {top}", *OPTIMIZE])


def count_sbox(style: str, stages: int, direction: str, folder: Path) -> Counts:
    """Count the flip-flops that one S-box more costs beside another one."""
    counts = []
    for number in (1, 2):
        source = folder / f"sboxes_{number}.sv"
        source.write_text(
            f"module sboxes (input logic clk, inverse, input logic [{8 * number - 1}:0] x,\n"
            f"               output logic [{8 * number - 1}:0] y);\n"
            f"  for (genvar i = 0; i < {number}; i++) begin : gen_sbox\n"
            f"    aesforge_sbox #(.Style({SBOX_STYLES.index(style)}), .Stages({stages}),\n"
            f"        .Direction({ALLOWED['direction'].index(direction)})) u_sbox (.clk(clk),\n"
            "        .inverse(inverse), .x(x[8*i+:8]), .y(y[8*i+:8]));\n"
            "  end\n"
            "endmodule\n",
            encoding="utf-8",
        )
        sources = [path for path in filelist() if path.parent in (rtl_dir(), rtl_dir() / "sbox")]
        read = [f"read_verilog -sv {path}" for path in (*sources, source)]
        counts.append(count([*read, "hierarchy -top sboxes", *OPTIMIZE]).flip_flops)
    return Counts(counts[1] - counts[0])


def main(arguments: list[str]) -> None:
    *what, result = arguments
    with tempfile.TemporaryDirectory() as folder:
        if what[0] == "core":
            counts = count_core(load(what[1]), Path(folder))
        else:
            counts = count_sbox(what[1], int(what[2]), what[3], Path(folder))
    Path(result).write_text(json.dumps(dataclasses.asdict(counts)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

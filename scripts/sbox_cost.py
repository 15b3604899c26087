# SPDX-License-Identifier: Apache-2.0
"""Measure the S-box modules with Yosys (pyosys) and write the cost tables of docs/cores.

    python scripts/sbox_cost.py            prints the tables, minutes
    python scripts/sbox_cost.py --write    also puts them into docs/cores, between their markers

One row is one module with one set of parameters, synthesized alone: LUT4 and registers by
``synth_ecp5 -noabc9 -nowidelut``, LUT6 and MUXF7/F8 by ``synth_xilinx -family xc7``.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import itertools
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aesforge.design.sbox_levels import TOWER_LEVELS
from aesforge.netlist.module import read_module

ROOT = Path(__file__).resolve().parent.parent
SBOX_DIR = ROOT / "rtl" / "sbox"
DOCS = ROOT / "docs" / "cores"
BEGIN = "<!-- begin generated: scripts/sbox_cost.py -->\n"
END = "<!-- end generated -->\n"
SOURCES = (
    "aesforge_sbox_table.sv",
    "aesforge_sbox_split.sv",
    "aesforge_sbox_tower.sv",
    "aesforge_sbox_bram.sv",
    "aesforge_sbox.sv",
    "aesforge_sub_word.sv",
)
FLOWS = {
    "ecp5": "synth_ecp5 -noabc9 -nowidelut -top {top}",
    "xc7": "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {top}",
    "ice40": "synth_ice40 -top {top}",
    "nexus": "synth_nexus -top {top}",
    "gowin": "synth_gowin -noiopads -top {top}",
    "gatemate": "synth_gatemate -nomx8 -luttree -top {top}",
}
BLOCK_RAMS = {
    "ecp5": {"DP16KD"},
    "xc7": {"RAMB18E1", "RAMB36E1"},
    "ice40": {"SB_RAM40_4K"},
    "nexus": {"DP16K", "PDP16K", "PDPSC16K", "SP16K"},
    "gowin": {"DPB", "DPX9B", "SP", "SPX9", "SDPB", "SDPX9B", "pROM", "pROMX9"},
    "gatemate": {"CC_BRAM_20K", "CC_BRAM_40K"},
}


@dataclass(frozen=True)
class Cost:
    """Cells of one synthesized module; a LUT used as a shift register is a LUT."""

    luts: int
    wide_muxes: int
    registers: int
    block_rams: int
    cells: dict[str, int]


def measure(module: str, parameters: dict[str, int], flow: str) -> Cost:
    """Synthesize ``module`` alone; flow is a key of FLOWS."""
    from pyosys import libyosys

    with quiet():
        return _measure(libyosys, module, parameters, flow)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what Yosys writes on its own away from standard output."""
    sys.stdout.flush()
    saved = os.dup(1)
    with open(os.devnull, "wb") as sink:  # noqa: PTH123  (a device, not a file)
        os.dup2(sink.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(saved, 1)
        os.close(saved)


def _measure(libyosys: Any, module: str, parameters: dict[str, int], flow: str) -> Cost:
    design = libyosys.Design()
    package = SBOX_DIR.parent / "aesforge_pkg.sv"
    files = " ".join(map(str, [package, *(SBOX_DIR / name for name in SOURCES)]))
    libyosys.run_pass("tee -q read_verilog -sv " + files, design)
    sets = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    libyosys.run_pass(f"tee -q chparam {sets} {module}", design)
    libyosys.run_pass(f"tee -q hierarchy -top {module}", design)
    libyosys.run_pass(f"tee -q rename -top {module}_measured", design)
    libyosys.run_pass("tee -q " + FLOWS[flow].format(top=f"{module}_measured"), design)
    # By way of a file: in a process that has held other netlists too, pyosys 0.70 may fail to
    # iterate over cells.
    with tempfile.TemporaryDirectory() as folder:
        netlist = Path(folder) / "netlist.json"
        libyosys.run_pass(f"tee -q write_json {netlist}", design)
        measured = read_module(netlist, f"{module}_measured")
    kinds = [cell.kind for cell in measured.cells.values()]
    cells = dict(collections.Counter(kind.lstrip("\\$") for kind in kinds))
    return Cost(
        luts=sum(n for kind, n in cells.items() if "LUT" in kind or kind[:3] in ("INV", "SRL")),
        wide_muxes=sum(n for kind, n in cells.items() if kind.startswith("MUXF")),
        registers=sum(n for kind, n in cells.items() if is_register(kind)),
        block_rams=sum(n for kind, n in cells.items() if kind in BLOCK_RAMS[flow]),
        cells=cells,
    )


def is_register(kind: str) -> bool:
    """Whether a cell of any family is one flip-flop."""
    return kind.startswith(("TRELLIS_FF", "FD", "SB_DFF", "DFF", "CC_DFF"))


STYLES = ("table", "split4", "split6", "tower", "bram")
DIRECTIONS = ("forward", "inverse", "both")
TOWER = 3


def deepest(style: int, direction: int) -> int:
    """Return the most stages that fall inside an S-box."""
    both = int(direction == 2)
    tower = TOWER_LEVELS[("encrypt", "decrypt", "both")[direction]]
    return (1, 5 + both, 2 + both, tower, 2)[style]


@dataclass(frozen=True)
class Row:
    """One line of a table: what its first cells say, and what is measured."""

    labels: tuple[str, ...]
    module: str
    parameters: dict[str, int]


def rows_of(page: str) -> tuple[tuple[str, ...], list[Row]]:
    """Return the head and the rows of a module's table."""
    rows = []
    if page == "aesforge_sbox_table":
        for direction, name in enumerate(DIRECTIONS):
            for stages in (0, 1):
                parameters = {"Stages": stages, "Direction": direction}
                rows.append(Row((name, str(stages)), page, parameters))
        return ("Direction", "Stages"), rows
    if page == "aesforge_sbox_split":
        for k, direction in itertools.product((4, 6), range(3)):
            limit = deepest(1 if k == 4 else 2, direction)
            for stages in sorted({0, 1, 2, limit}):
                parameters = {"K": k, "Stages": stages, "Direction": direction}
                rows.append(Row((str(k), DIRECTIONS[direction], str(stages)), page, parameters))
        return ("K", "Direction", "Stages"), rows
    if page == "aesforge_sbox_tower":
        for direction, name in enumerate(DIRECTIONS):
            for stages in range(deepest(TOWER, direction) + 1):
                parameters = {"Stages": stages, "Direction": direction}
                rows.append(Row((name, str(stages)), page, parameters))
        return ("Direction", "Stages"), rows
    if page == "aesforge_sub_word":
        for style, stages in ((0, 1), (1, 5), (2, 2), (TOWER, 0), (TOWER, 4), (4, 1)):
            parameters = {"Style": style, "Stages": stages, "Direction": 0}
            rows.append(Row((STYLES[style], str(stages)), page, parameters))
        return ("Style", "Stages"), rows
    raise KeyError(page)


def logic_table(page: str) -> str:
    """Return the table of a module made of LUTs (or, SubWord, of what it is given)."""
    head, rows = rows_of(page)
    columns = (*head, "ECP5 LUT4", "ECP5 registers", "7-series LUT6", "7-series MUXF7/F8")
    if page == "aesforge_sub_word":
        columns += ("ECP5 block RAMs",)
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for row in rows:
        ecp5 = measure(row.module, row.parameters, "ecp5")
        xc7 = measure(row.module, row.parameters, "xc7")
        cells = [*row.labels, ecp5.luts, ecp5.registers, xc7.luts, xc7.wide_muxes]
        if page == "aesforge_sub_word":
            cells.append(ecp5.block_rams)
        lines.append("| " + " | ".join(map(str, cells)) + " |")
        print(lines[-1], file=sys.stderr)
    return "\n".join(lines) + "\n"


def ram_table() -> str:
    """Return the block RAMs and registers of the ROM on each family."""
    names = {
        "ecp5": "ECP5",
        "xc7": "7-series",
        "ice40": "iCE40",
        "nexus": "Nexus",
        "gowin": "Gowin",
        "gatemate": "GateMate",
    }
    lines = [
        "| Family | Cells | Ports 1 | Ports 2 | LUTs | Registers, 2 ports, 1 stage | 2 stages |",
        "|---" * 7 + "|",
    ]
    for flow, name in names.items():
        # The larger ROM; one direction alone takes as many.
        one = measure("aesforge_sbox_bram", {"Ports": 1, "Stages": 1, "Direction": 2}, flow)
        two = measure("aesforge_sbox_bram", {"Ports": 2, "Stages": 1, "Direction": 2}, flow)
        late = measure("aesforge_sbox_bram", {"Ports": 2, "Stages": 2, "Direction": 2}, flow)
        kinds = ", ".join(sorted((one.cells | two.cells).keys() & BLOCK_RAMS[flow]))
        cells = (
            name,
            kinds,
            one.block_rams,
            two.block_rams,
            two.luts,
            two.registers,
            late.registers,
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
        print(lines[-1], file=sys.stderr)
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure all pages and print or write their tables."""
    parser = argparse.ArgumentParser(description="Measure the S-box modules.")
    parser.add_argument("pages", nargs="*", help="modules, all when none is named")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/cores")
    given = parser.parse_args()
    pages = ("table", "split", "tower", "bram")
    modules = [f"aesforge_sbox_{page}" for page in pages] + ["aesforge_sub_word"]
    for module in given.pages or modules:
        table = ram_table() if module == "aesforge_sbox_bram" else logic_table(module)
        print(f"{module}\n{table}")
        if given.write:
            path = DOCS / f"{module}.md"
            head, rest = path.read_text().split(BEGIN)
            path.write_text(head + BEGIN + table + END + rest.split(END)[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""A board's top in simulation: oscillator, PLL, pads, UART, button and LEDs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import standalone
from aesforge.board.files import NETLIST, Project
from aesforge.devices.families import MODELS as CELLS
from aesforge.toolchain import programs

MODELS = Path(__file__).parent / "board_models"
LINES = 6
_LINE = re.compile(
    r"blocks ([0-9a-f]{10}) rate ([0-9a-f]{8}) errors ([0-9a-f]{16}) passes ([0-9a-f]{6}) "
    r"mismatches ([0-9a-f]{6}) (run |good|FAIL|done)\r?\nled ([01]+)\n"
)


@dataclass(frozen=True)
class Line:
    """A report of the self-test, and the LEDs after it, LED 0 last."""

    blocks: int
    rate: int
    errors: int
    passes: int
    mismatches: int
    word: str
    led: str


def run(
    project: Project, folder: Path, *, change: Mapping[str, str] | None = None, twin: bool = False
) -> list[Line]:
    """Simulate a board's top, from the files that `aesforge board` writes, with Verilator.

    Args:
        project: what runs on it; `sizes` should be small.
        folder: an empty folder.
        change: path to text that takes the place of a file.
        twin: the PLL's portable twin in place of the vendor's primitive.

    Returns:
        What its UART said.
    """
    files = {**project.files, **(change or {})}
    sources = project.files["files.f"].split()
    if twin:
        files["rtl/pll.v"] = files["sim/pll.sv"]
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return simulate(project, folder, [*sources, *([] if twin else pll_models(project))], twin=twin)


def pll_models(project: Project) -> list[str]:
    """Return the sources of the model of a board's PLL."""
    cell = project.board.pll.cell
    shared = ["pll40_model"] if cell.startswith("SB_PLL40") else []
    return [str(MODELS / f"{name}.sv") for name in ("pll_model", *shared, cell)]


def simulate(
    project: Project, folder: Path, sources: list[str], *, twin: bool = False
) -> list[Line]:
    """Simulate a top whose sources are there; arguments as of `run`."""
    board = project.board
    mhz = project.setting.mhz if twin else board.clock.mhz
    # At a low clock the divider rounds the short bits of these tests.
    bit_ns = 1000 * round(project.setting.mhz * 1e6 / project.sizes.baud) / project.setting.mhz
    options = [
        *("-Wno-fatal", "-Wno-lint", "-Wno-style", "--timescale", "1ns/1ps"),
        *("-x-initial", "unique"),
        *(["-DBUTTON"] if board.button else []),
        f"-GPeriod={1000 / mhz}",
        f"-GBit={bit_ns}",
        f"-GLeds={min(4, len(board.leds))}",
        f"-GReleased={int(bool(board.button and board.button.pin.low))}",
        f"-GLines={LINES}",
    ]
    done = standalone.build_and_run(
        folder,
        "bench",
        *sources,
        str(MODELS / "bench.sv"),
        *options,
        arguments=("+verilator+rand+reset+2", "+verilator+seed+197"),
    )
    text = done.stdout
    assert done.returncode == 0, text + done.stderr
    found = []
    for row in _LINE.findall(text):
        blocks, rate, errors, passes, mismatches = (int(digits, 16) for digits in row[:5])
        found.append(Line(blocks, rate, errors, passes, mismatches, row[5], row[6]))
    assert len(found) == LINES, text
    return found


def mapped(project: Project, folder: Path, *, twin: bool = False) -> list[str]:
    """Synthesize a top as for its bitstream, and write the netlist with models of its cells.

    Args:
        project: what runs on the board.
        folder: an empty folder.
        twin: the PLL's portable twin in place of the vendor's primitive.

    Returns:
        The sources, paths from the folder; the primitive of the PLL stays one.
    """
    files = dict(project.files)
    if twin:
        files["rtl/pll.v"] = files["sim/pll.sv"]
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    (folder / "build").mkdir()
    programs.run("yosys", ["yosys.ys"], folder, folder / "synthesis.log")
    family = project.family
    models = [*family.read_back, *(str(CELLS / name) for name in family.models)]
    script = [
        f"read_json {NETLIST}",
        f"delete =A:blackbox ={project.board.pll.cell} %d",
        f"read_verilog -sv -overwrite -defer {' '.join(models)}",
        "hierarchy -top top",
        *("proc", "flatten", "delete t:unmodelled", "opt_clean -purge", "rename -hide"),
        "write_verilog -noattr build/top.v",
    ]
    (folder / "readback.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
    programs.run("yosys", ["readback.ys"], folder, folder / "readback.log")
    return ["build/top.v", *([] if twin else pll_models(project))]

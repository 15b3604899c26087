# SPDX-License-Identifier: Apache-2.0
"""The scripts for vendors' tools, run by a Tcl interpreter in which their commands only note words.

None of these tools is here: what is checked is that the scripts are Tcl, that files, ports and part
exist, and that the clock is there before synthesis.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from aesforge.bundle import build
from aesforge.bundle.ports import core_ports, engine_ports
from aesforge.design import Design
from aesforge.design.engine import Engine
from aesforge.design.presets import PRESETS
from aesforge.devices import device
from aesforge.errors import UsageError
from engines import SMALL

DESIGNS: tuple[Design | Engine, ...] = (PRESETS["compact"], PRESETS["kiran-looped"], SMALL)
SYNTHESIS = ("synth_design", "execute_flow", "prj_run")
CONSTRAINTS = {
    "vivado": "synth/clock.xdc",
    "quartus": "synth/clock.sdc",
    "radiant": "synth/clock.sdc",
    "diamond": "synth/clock.sdc",
}
PARTS = {
    "vivado": "xc7a100tcsg324-1",
    "quartus": "5CSEMA5F31C6",
    "radiant": "LIFCL-40-9BG400C",
    "diamond": "LFE5U-85F-8BG381C",
}


def commands(path: Path, *arguments: str) -> list[list[str]]:
    """Run a script, and return the commands that Tcl does not know, as words."""
    tkinter = pytest.importorskip("tkinter", reason="Python was built without Tcl")
    tcl = tkinter.Tcl()
    tcl.eval("set noted {}; proc unknown args { global noted; lappend noted $args; return $args }")
    # What Quartus has in packages.
    tcl.eval("rename package {}")
    tcl.call("set", "argv", arguments)
    tcl.call("set", "argc", len(arguments))
    tcl.eval(path.read_text(encoding="utf-8"))
    return [list(map(str, tcl.splitlist(one))) for one in tcl.splitlist(tcl.eval("set noted"))]


@pytest.mark.parametrize("tool", PARTS)
@pytest.mark.parametrize("design", DESIGNS, ids=lambda one: one.name)
def test_a_script_names_what_exists_and_the_clock_before_synthesis(
    design: Design | Engine, tool: str, tmp_path: Path
) -> None:
    build(design, tmp_path)
    module = design.name.replace("-", "_")
    run = commands(tmp_path / "synth" / f"{tool}.tcl")
    words = [word for command in run for part in command for word in part.split()]
    named = [word for word in words if "/" in word]
    assert all((tmp_path / name).is_file() for name in named), named
    sources = (tmp_path / "files.f").read_text(encoding="utf-8").split()
    assert [name for name in named if name.startswith("rtl/")] == sources
    assert PARTS[tool] in words
    assert module in words

    # Each constraint stands before the synthesis, and nothing else is read after it.
    at = next(i for i, command in enumerate(run) if command[0] in SYNTHESIS)
    before = [word for command in run[:at] for part in command for word in part.split()]
    assert CONSTRAINTS[tool] in before
    assert not [word for command in run[at:] for word in command if "/" in word]

    # Another part, from the command line.
    other = commands(tmp_path / "synth" / f"{tool}.tcl", "OTHER")
    assert "OTHER" in [word for command in other for word in command]


def test_virtual_pins_are_all_ports_but_the_clock(tmp_path: Path) -> None:
    for design in DESIGNS:
        ports = core_ports(design) if isinstance(design, Design) else engine_ports(design)
        build(design, tmp_path / design.name)
        run = commands(tmp_path / design.name / "synth" / "quartus.tcl")
        pins = [command[-1] for command in run if "VIRTUAL_PIN" in command]
        assert pins == [port.name for port in ports if port.used and port.name != "clk"]


@pytest.mark.parametrize("name", ["clock.xdc", "clock.sdc", "clock.lpf"])
def test_the_clock_is_the_same_in_every_file_and_its_port_exists(name: str, tmp_path: Path) -> None:
    build(SMALL, tmp_path)
    if name == "clock.lpf":
        text = (tmp_path / "synth" / name).read_text(encoding="utf-8")
        assert text.splitlines()[-1] == 'FREQUENCY PORT "clk" 250.0 MHZ;'
        return
    run = commands(tmp_path / "synth" / name)
    assert run == [
        ["get_ports", "clk"],
        ["create_clock", "-name", "clk", "-period", "4.0", "get_ports clk"],
    ]
    assert "clk" in {port.name for port in engine_ports(SMALL)}


def test_parts_are_order_numbers_of_devices_that_aesforge_knows() -> None:
    """The part of Quartus is of no device here: it is the Cyclone V of a DE1-SoC."""
    for tool, known in (
        ("vivado", "XC7A100T-1"),
        ("radiant", "LIFCL-40-9"),
        ("diamond", "LFE5U-85F-8"),
    ):
        with pytest.raises(UsageError, match=f"did you mean '{known}'"):
            device(PARTS[tool])

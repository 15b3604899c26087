# SPDX-License-Identifier: Apache-2.0
"""The folder of a board: RTL, top, PLL, constraints, and commands that build the bitstream."""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from aesforge import __version__
from aesforge.board.applications import (
    APPLICATIONS,
    Application,
    Cores,
    Sizes,
    environment,
)
from aesforge.board.data import Board
from aesforge.board.parameters import Parameter
from aesforge.board.pll import Setting
from aesforge.design.engine import Engine
from aesforge.devices.families import Family, Recipe, family
from aesforge.errors import UsageError

CONSTRAINTS = {"ecp5": "lpf", "ice40": "pcf", "gowin": "cst", "gatemate": "ccf"}
NETLIST = "build/top.json"
REPORT = "build/report.json"
ROUTED = "build/routed.json"
"""What placement and routing made of the netlist, which `aesforge prove --bitstream` reads."""
SEED = 1
# Yosys commands of a recipe that only our measurements need: names for reports, a pass of ours, and
# the harness's pins.
_NOT_HERE = ("name registers", "dp16kd_output_registers", "setattr -set BEL")


@dataclass(frozen=True)
class Project:
    """One application on one board at one clock.

    Args:
        board: where.
        application_name: of `APPLICATIONS`.
        cores: of the application.
        setting: of the PLL.
        sizes: how long things take.
    """

    board: Board
    application_name: str
    cores: Cores
    setting: Setting
    sizes: Sizes = field(default_factory=Sizes)

    @property
    def application(self) -> Application:
        """The application."""
        return APPLICATIONS[self.application_name]

    @property
    def family(self) -> Family:
        """The family of the part."""
        return family(self.board.on.family)

    @property
    def recipe(self) -> Recipe:
        """How it is synthesized: as in our measurements."""
        return self.family.recipe[0]

    @cached_property
    def parameters(self) -> list[Parameter]:
        """The parameters of the top, and of the application's module."""
        return self.application.parameters(self.cores, self.setting.mhz, self.sizes)

    # --- Commands

    @property
    def constraints(self) -> str:
        """The name of the constraints file."""
        return f"constraints.{CONSTRAINTS[self.board.on.family]}"

    @property
    def bitstream(self) -> str:
        """The path of the bitstream."""
        ending = {"ecp5": "bit", "ice40": "bin", "gowin": "fs", "gatemate": "bit"}
        return f"build/{self.board.name}.{ending[self.board.on.family]}"

    @property
    def pack_program(self) -> str:
        """The packer."""
        packers = {"ecp5": "ecppack", "ice40": "icepack", "gowin": "gowin_pack"}
        return packers.get(self.board.on.family, "gmpack")

    def place_arguments(self) -> list[str]:
        """Return the placement tool's arguments."""
        name = self.board.on.family
        common = [*self.board.place, "--json", NETLIST, "--report", REPORT, "--seed", str(SEED)]
        # A clock that the tool does not derive gets the frequency of the design.
        common += ["--freq", f"{self.setting.mhz:.4f}", "--write", ROUTED]
        if name == "ecp5":
            return [*common, "--lpf", self.constraints, "--textcfg", "build/top.config"]
        if name == "ice40":
            return [*common, "--pcf", self.constraints, "--asc", "build/top.asc"]
        common += ["--sdc", "clock.sdc"]
        if name == "gowin":
            return [*common, "--vopt", f"cst={self.constraints}"]
        return [*common, "--vopt", f"ccf={self.constraints}", "--vopt", "out=build/top.txt"]

    def pack_arguments(self) -> list[str]:
        """Return the packer's arguments."""
        name = self.board.on.family
        if name == "ecp5":
            return ["--compress", "build/top.config", self.bitstream]
        if name == "ice40":
            return ["build/top.asc", self.bitstream]
        if name == "gowin":
            part = self.board.place[self.board.place.index("--device") + 1]
            return ["-d", part, "-o", self.bitstream, ROUTED]
        return ["build/top.txt", self.bitstream]

    def load_command(self, folder: Path | None = None) -> str:
        """Return what loads the bitstream."""
        path = folder / self.bitstream if folder else Path(self.bitstream)
        return shlex.join(["openFPGALoader", *self.board.load, str(path)])

    def synthesis_script(self, sources: list[str]) -> list[str]:
        """Return the commands of Yosys."""
        return [
            f"read_verilog -sv {' '.join(sources)}",
            *(
                line.format(top="top")
                for line in self.recipe.synthesis
                if not line.startswith(_NOT_HERE)
            ),
            # GateMate's placement takes a cell with a hierarchical name for a module.
            "setattr -unset hdlname t:*",
            f"write_json {NETLIST}",
        ]

    # --- Files

    @cached_property
    def files(self) -> dict[str, str]:
        """Every file of the folder: path to text.

        Raises:
            UsageError: the board lacks a pin that the application needs.
        """
        self.require_pins()
        files = self._sources()
        sources = [path for path in files if path.endswith((".sv", ".v"))]
        context = self._context()
        fill = environment().get_template
        files["sim/pll.sv"] = fill("pll_twin.sv.j2").render(context)
        files[self.constraints] = fill(f"{self.constraints}.j2").render(context)
        if self.board.on.family in ("gowin", "gatemate"):
            files["clock.sdc"] = fill("clock.sdc.j2").render(context)
        files["yosys.ys"] = "\n".join(self.synthesis_script(sources)) + "\n"
        files["build.sh"] = fill("build.sh.j2").render(context)
        files["README.md"] = fill("README.md.j2").render(context)
        files["files.f"] = "\n".join(sources) + "\n"
        files["LICENSE"] = _license()
        manifest = [
            f"{hashlib.sha256(text.encode()).hexdigest()}  {path}\n"
            for path, text in sorted(files.items())
        ]
        return files | {"MANIFEST": "".join(manifest)}

    def require_pins(self) -> None:
        """Refuse a board without a pin that the application needs.

        Raises:
            UsageError: it lacks one.
        """
        lacks = [pin for pin in self.application.needs if pin not in self.board.pins]
        if lacks:
            raise UsageError(
                f"{self.board.title} lacks what the application {self.application_name} needs: "
                f"{', '.join(lacks)} (its pins: {', '.join(self.board.pins)}); choose another "
                "application or board"
            )

    def _sources(self) -> dict[str, str]:
        """Return the sources in compile order."""
        from aesforge.bundle import render
        from aesforge.bundle.files import module_name
        from aesforge.toolchain.rtl import needed_by

        cores: dict[str, str] = {}
        for core in self.cores.all:
            wrapper = f"rtl/{module_name(core)}.sv"
            cores[wrapper] = render(core)[wrapper]
        tops = [one.wrapped if isinstance(one, Engine) else one.top for one in self.cores.all]
        modules = needed_by(*tops, *self.application.modules, "aesforge_board_reset")
        files = {f"rtl/{path.name}": path.read_text(encoding="utf-8") for path in modules}
        fill, context = environment().get_template, self._context()
        return {
            **files,
            **cores,
            "rtl/pll.v": fill(f"pll_{self.board.on.family}.v.j2").render(context),
            "rtl/application.sv": self.application.render(self.cores, self.parameters),
            "rtl/top.sv": fill("top.sv.j2").render(context),
        }

    def _context(self) -> dict[str, Any]:
        board = self.board
        names = self.application.leds
        leds = board.leds[: len(names)]
        programs = ["yosys", str(self.family.program), self.pack_program]
        return {
            "version": __version__,
            "board": board,
            "pins": {
                port: pin
                for port, pin in board.pins.items()
                if not port.startswith("led[") or int(port[4:-1]) < len(leds)
            },
            "mhz": self.setting.mhz,
            "baud": self.sizes.baud,
            "application_name": self.application_name,
            "parameters": self.parameters,
            "leds": len(leds),
            "led_names": ", ".join(
                f"{led.name} {name}" for led, name in zip(leds, names, strict=False)
            ),
            "led_mask": "".join("1" if led.pin.low else "0" for led in reversed(leds)),
            "low_leds": ", ".join(led.name for led in leds if led.pin.low),
            "programs": programs,
            "native_nextpnr": programs[1].removesuffix("-gowin").removesuffix("-gatemate"),
            "wheel_pack": self.pack_program
            if self.pack_program == "gowin_pack"
            else f"yowasp-{self.pack_program}",
            "place": shlex.join(self.place_arguments()),
            "pack": shlex.join(self.pack_arguments()),
            "load": self.load_command(),
            "bitstream": self.bitstream,
            "gowin_device": board.pll.device,
            "cores": self.cores,
            **self.setting.values,
        }


def _license() -> str:
    from aesforge.toolchain.rtl import license_text

    return license_text()

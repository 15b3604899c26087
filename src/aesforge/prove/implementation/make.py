# SPDX-License-Identifier: Apache-2.0
"""Place, route and pack a core in its harness, and keep the files that the chain compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from aesforge.design import Design
from aesforge.devices import Device
from aesforge.devices.families import family
from aesforge.errors import UsageError, one_of
from aesforge.prove.bitstream import gowin
from aesforge.prove.properties import claim
from aesforge.prove.steps import Say
from aesforge.prove.synthesis import synthesis_of
from aesforge.toolchain import programs
from aesforge.toolchain.files import require_folder

NETLIST, ROUTED = "netlist.json", "routed.json"
SEED = 1


@dataclass(frozen=True)
class _Packer:
    """How a family's bitstream is packed.

    Args:
        written: nextpnr's arguments for the file that is packed; none where it is the routed
            netlist.
        program: the packer.
        arguments: its arguments.
        bitstream: the file that it writes.
    """

    written: tuple[str, ...]
    program: str
    arguments: tuple[str, ...]
    bitstream: str


def _gowin_pack(device: Device) -> _Packer:
    chip = gowin.chip_of(device)
    return _Packer((), "gowin_pack", ("-d", chip, "-o", "core.fs", ROUTED), "core.fs")


_ICEPACK = _Packer(("--asc", "core.asc"), "icepack", ("core.asc", "core.bin"), "core.bin")
_ECPPACK = _Packer(("--textcfg", "core.config"), "ecppack", ("core.config", "core.bit"), "core.bit")
_GMPACK = _Packer(("--vopt", "out=core.txt"), "gmpack", ("core.txt", "core.bit"), "core.bit")
_PACKERS: dict[str, Callable[[Device], _Packer]] = {
    "ice40": lambda _device: _ICEPACK,
    "ecp5": lambda _device: _ECPPACK,
    "gowin": _gowin_pack,
    "gatemate": lambda _device: _GMPACK,
}
# Whose routed netlists are read back to gates.
_FAMILIES = ("ice40", "ecp5", "gowin")


@dataclass(frozen=True)
class Files:
    """The netlist that nextpnr was given, the routed netlist, and the bitstream."""

    netlist: Path
    routed: Path
    bitstream: Path


def make(
    design: Design,
    device: Device,
    folder: Path,
    *,
    recipe: str | None = None,
    say: Say = lambda _: None,
) -> Files:
    """Make the bitstream of a core in the harness of `measure`.

    Args:
        design: the core.
        device: whose family is iCE40, ECP5 or Gowin.
        folder: is made; what it holds under the same names is replaced.
        recipe: of synthesis and placement; None for the first one.
        say: called with each step.

    Raises:
        UsageError: the device is of another family, the design is not covered by proofs, there is
            no such recipe, or the folder cannot be written.
        ToolMissing: a tool is not installed.
        ToolFailed: a tool ended with an error; one does where the core does not fit.
    """
    if device.family not in _FAMILIES:
        raise UsageError(
            f"--implement takes devices of the families {one_of(_FAMILIES)}; that of "
            f"{device.part.part} is {device.family}"
        )
    claim.require_supported(design)
    synthesis = synthesis_of(design, device.family, recipe)
    require_folder(folder)
    say("synthesizing the core")
    synthesis.run()
    folder.mkdir(parents=True, exist_ok=True)
    say(f"placing and routing it on {device.part.part}")
    return pack(synthesis.netlist, device, synthesis.recipe.place, folder)


def placement(device: Device, options: Sequence[str]) -> list[str]:
    """Return nextpnr's arguments for a netlist, with options of a recipe."""
    return [
        *(*device.options, "--json", NETLIST, "--seed", str(SEED), *options),
        *("--write", ROUTED, *_PACKERS[device.family](device).written),
    ]


def pack(netlist: Path, device: Device, options: Sequence[str], folder: Path) -> Files:
    """Place, route and pack a netlist; the logs are in the folder too.

    Args:
        netlist: as Yosys wrote it, for the device's family: iCE40, ECP5, Gowin or GateMate.
        device: where it is placed.
        options: of the placement, as a recipe has them.
        folder: it is there; what it holds under the same names is replaced.

    Raises:
        ToolMissing: a tool is not installed.
        ToolFailed: a tool ended with an error.
    """
    packer = _PACKERS[device.family](device)
    program = family(device.family).program
    assert program is not None
    (folder / NETLIST).write_bytes(netlist.read_bytes())
    programs.run(program, placement(device, options), folder, folder / f"{program}.log")
    log = folder / f"{packer.program}.log"
    programs.run(packer.program, list(packer.arguments), folder, log)
    return Files(folder / NETLIST, folder / ROUTED, folder / packer.bitstream)

# SPDX-License-Identifier: Apache-2.0
"""Place, route and pack a core in its harness, and keep the files that the chain compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aesforge.design import Design
from aesforge.devices import Device
from aesforge.devices.families import family
from aesforge.errors import UsageError, one_of
from aesforge.prove.properties import claim
from aesforge.prove.steps import Say
from aesforge.prove.synthesis import synthesis_of
from aesforge.toolchain import programs
from aesforge.toolchain.files import require_folder

NETLIST, ROUTED = "netlist.json", "routed.json"
SEED = 1
# Of a family: nextpnr's option for the file that is packed, that file, the packer, the bitstream.
_PACKERS = {
    "ice40": ("--asc", "core.asc", "icepack", "core.bin"),
    "ecp5": ("--textcfg", "core.config", "ecppack", "core.bit"),
}


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
        device: whose family is iCE40 or ECP5.
        folder: is made; what it holds under the same names is replaced.
        recipe: of synthesis and placement; None for the first one.
        say: called with each step.

    Raises:
        UsageError: the device is of another family, the design is not covered by proofs, there is
            no such recipe, or the folder cannot be written.
        ToolMissing: a tool is not installed.
        ToolFailed: a tool ended with an error; one does where the core does not fit.
    """
    if device.family not in _PACKERS:
        raise UsageError(
            f"--implement takes devices of the families {one_of(_PACKERS)}; that of "
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
    option, configured, _, _ = _PACKERS[device.family]
    return [
        *(*device.options, "--json", NETLIST, "--seed", str(SEED), *options),
        *("--write", ROUTED, option, configured),
    ]


def pack(netlist: Path, device: Device, options: Sequence[str], folder: Path) -> Files:
    """Place, route and pack a netlist; the logs are in the folder too.

    Args:
        netlist: as Yosys wrote it, for the device's family, which is iCE40 or ECP5.
        device: where it is placed.
        options: of the placement, as a recipe has them.
        folder: it is there; what it holds under the same names is replaced.

    Raises:
        ToolMissing: a tool is not installed.
        ToolFailed: a tool ended with an error.
    """
    _, configured, packer, packed = _PACKERS[device.family]
    program = family(device.family).program
    assert program is not None
    (folder / NETLIST).write_bytes(netlist.read_bytes())
    programs.run(program, placement(device, options), folder, folder / f"{program}.log")
    programs.run(packer, [configured, packed], folder, folder / f"{packer}.log")
    return Files(folder / NETLIST, folder / ROUTED, folder / packed)

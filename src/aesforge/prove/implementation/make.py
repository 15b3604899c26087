# SPDX-License-Identifier: Apache-2.0
"""Place, route and pack a core in its harness, and keep the files that the chain compares."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from aesforge.design import Design
from aesforge.devices import Device
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
    option, configured, packer, packed = _PACKERS[device.family]
    synthesis = synthesis_of(design, device.family, recipe)
    program = synthesis.family.program
    assert program is not None
    require_folder(folder)
    say("synthesizing the core")
    synthesis.run()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NETLIST).write_bytes(synthesis.netlist.read_bytes())
    say(f"placing and routing it on {device.part.part}")
    arguments = [*device.options, "--json", NETLIST, "--seed", str(SEED), *synthesis.recipe.place]
    arguments += ["--write", ROUTED, option, configured]
    programs.run(program, arguments, folder, folder / f"{program}.log")
    programs.run(packer, [configured, packed], folder, folder / f"{packer}.log")
    return Files(folder / NETLIST, folder / ROUTED, folder / packed)

# SPDX-License-Identifier: Apache-2.0
"""Bitstreams of ECP5: what they configure, and what a routed netlist needs."""

from __future__ import annotations

from pathlib import Path

from aesforge.devices import Device
from aesforge.errors import UsageError, one_of
from aesforge.prove.bitstream.ecp5 import config as bitstreams
from aesforge.prove.bitstream.ecp5.chip import Chip
from aesforge.prove.bitstream.ecp5.config import Config
from aesforge.prove.bitstream.ecp5.routed import read_routed
from aesforge.prove.bitstream.routed import Expected

# nextpnr's option for a device -> the chip, as the database names it.
_CHIP_OF = {
    "--25k": "LFE5U-25F",
    "--45k": "LFE5U-45F",
    "--85k": "LFE5U-85F",
    "--um5g-85k": "LFE5UM5G-85F",
}


def chip_of(device: Device) -> str:
    """Return the name of a device's chip in the database.

    Raises:
        UsageError: bitstreams of this device are not read back.
    """
    for option in device.options:
        if option in _CHIP_OF:
            return _CHIP_OF[option]
    chips = one_of(list(_CHIP_OF.values()))
    raise UsageError(f"--bitstream reads the ECP5 chips {chips}, not {device.part.part}")


def read_files(bitstream: Path, routed: Path, device: Device) -> tuple[Chip, Config, Expected]:
    """Read a bitstream, and the routed netlist beside it.

    Args:
        bitstream: as `ecppack` wrote it.
        routed: as nextpnr wrote it.
        device: that both are for.

    Raises:
        UsageError: a file is missing or of another form, or for another device; or the netlist has
            a cell that is not read back.
        ToolMissing: nextpnr for ECP5 is not installed.
    """
    chip = Chip(chip_of(device))
    return chip, bitstreams.read(bitstream, chip, device.part.part), read_routed(routed, chip)

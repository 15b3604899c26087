# SPDX-License-Identifier: Apache-2.0
"""Bitstreams of iCE40: what they configure, and what a routed netlist needs."""

from __future__ import annotations

from pathlib import Path

from aesforge.devices import Device
from aesforge.errors import UsageError, one_of
from aesforge.prove.bitstream.ice40 import config as bitstreams
from aesforge.prove.bitstream.ice40.chip import Chip
from aesforge.prove.bitstream.ice40.config import Config
from aesforge.prove.bitstream.ice40.routed import CHIPS, read_routed
from aesforge.prove.bitstream.routed import Expected

# nextpnr's option for a device -> the database that it takes.
_CHIP_OF = {"--hx8k": "8k", "--lp8k": "8k", "--up5k": "5k"}


def chip_of(device: Device) -> str:
    """Return the name of a device's chip in the database.

    Raises:
        UsageError: bitstreams of this device are not read back.
    """
    for option in device.options:
        if option in _CHIP_OF:
            return _CHIP_OF[option]
    raise UsageError(f"--bitstream reads the iCE40 chips {one_of(CHIPS)}, not {device.part.part}")


def read_files(bitstream: Path, routed: Path, device: Device) -> tuple[Chip, Config, Expected]:
    """Read a bitstream, and the routed netlist beside it.

    Args:
        bitstream: packed or unpacked.
        routed: as nextpnr wrote it.
        device: that both are for.

    Raises:
        UsageError: a file is missing or of another form, or for another device; or the netlist has
            a cell that is not read back.
        ToolMissing: nextpnr for iCE40 is not installed.
    """
    chip = Chip(chip_of(device))
    return chip, bitstreams.read(bitstream, chip, device.part.part), read_routed(routed, chip)

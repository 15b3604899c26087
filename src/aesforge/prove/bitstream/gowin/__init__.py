# SPDX-License-Identifier: Apache-2.0
"""Bitstreams of Gowin: what they configure, and what a routed netlist needs."""

from __future__ import annotations

from pathlib import Path

from aesforge.devices import Device
from aesforge.errors import UsageError
from aesforge.prove.bitstream.gowin import config as bitstreams
from aesforge.prove.bitstream.gowin.chip import Chip
from aesforge.prove.bitstream.gowin.config import Config
from aesforge.prove.bitstream.gowin.routed import read_routed
from aesforge.prove.bitstream.routed import Expected

_FAMILY = "family="


def chip_of(device: Device) -> str:
    """Return the name of a device's chip in the database, as nextpnr's options have it.

    Raises:
        UsageError: the options name none.
    """
    for option in device.options:
        if option.startswith(_FAMILY):
            return option.removeprefix(_FAMILY)
    raise UsageError(f"the options of {device.part.part} name no Gowin chip ({_FAMILY}...)")


def read_files(bitstream: Path, routed: Path, device: Device) -> tuple[Chip, Config, Expected]:
    """Read a bitstream, and the routed netlist beside it.

    Args:
        bitstream: as `gowin_pack` wrote it.
        routed: as nextpnr wrote it.
        device: that both are for.

    Raises:
        UsageError: a file is missing or of another form, or for another device; or the netlist has
            a cell that is not read back.
        ToolMissing: nextpnr for Gowin is not installed.
    """
    chip = Chip(chip_of(device))
    return chip, bitstreams.read(bitstream, chip, device.part.part), read_routed(routed, chip)

# SPDX-License-Identifier: Apache-2.0
"""Bitstreams of GateMate: what they configure, and what a routed netlist needs."""

from __future__ import annotations

from pathlib import Path

from aesforge.devices import Device
from aesforge.prove.bitstream.gatemate import config as bitstreams
from aesforge.prove.bitstream.gatemate.chip import Chip
from aesforge.prove.bitstream.gatemate.config import Config
from aesforge.prove.bitstream.gatemate.routed import read_routed
from aesforge.prove.bitstream.routed import Expected


def read_files(bitstream: Path, routed: Path, device: Device) -> tuple[Chip, Config, Expected]:
    """Read a bitstream, and the routed netlist beside it.

    Args:
        bitstream: as `gmpack` wrote it.
        routed: as nextpnr wrote it.
        device: that both are for.

    Raises:
        UsageError: a file is missing or of another form, or for another device; or the netlist has
            a cell that is not read back.
        ToolMissing: nextpnr for GateMate is not installed.
    """
    chip = Chip(device.part.part)
    # The netlist first: `gmunpack` ends with a fault of its own at the content of block RAM.
    expected = read_routed(routed, chip)
    return chip, bitstreams.read(bitstream, chip), expected

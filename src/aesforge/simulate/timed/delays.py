# SPDX-License-Identifier: Apache-2.0
"""Read the delays that nextpnr writes (`--sdf`), in picoseconds.

SDF gives three numbers a delay: shortest, typical and longest at the worst case of voltage,
temperature and process that the tool's database knows. Its report, and so this module, take the
longest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from aesforge.errors import AesforgeError

_TRIPLES = r"\(\d+:\d+:(\d+)\) \(\d+:\d+:(\d+)\)\)"
_WIRE = re.compile(rf"\(INTERCONNECT (\S+) (\S+) {_TRIPLES}")
_PATH = re.compile(rf"\(IOPATH (\S+) (\S+) {_TRIPLES}")
_CHECK = re.compile(rf"\(SETUPHOLD \(\w+ (\S+)\) \(posedge \S+\) {_TRIPLES}")
_INSTANCE = re.compile(r"\(INSTANCE (\S+)\)")
_ESCAPE = re.compile(r"\\(.)")


@dataclass(frozen=True)
class Delays:
    """What takes time in a routed netlist; all in ps, a cell and a port by their names."""

    wire: dict[tuple[str, str], int] = field(default_factory=dict)
    """From the net's driver to a cell's input."""
    path: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """From a cell's input (a register's clock) to its output."""
    setup: dict[tuple[str, str], int] = field(default_factory=dict)
    """Of a register's input before the clock edge."""


def read_delays(path: Path) -> Delays:
    """Read an SDF file of nextpnr's.

    Raises:
        AesforgeError: it is not such a file.
    """
    delays = Delays()
    cell = ""
    text = path.read_text(encoding="utf-8")
    if "(TIMESCALE 1ps)" not in text[:1000]:
        raise AesforgeError(f"{path} is no SDF file in picoseconds, as nextpnr writes them")
    for line in text.splitlines():
        if found := _WIRE.search(line):
            sink, _, port = _plain(found[2]).rpartition("/")
            delays.wire[sink, port] = max(int(found[3]), int(found[4]))
        elif found := _PATH.search(line):
            delays.path[cell, found[1], found[2]] = max(int(found[3]), int(found[4]))
        elif found := _CHECK.search(line):
            key = (cell, found[1])
            delays.setup[key] = max(int(found[2]), delays.setup.get(key, 0))
        elif found := _INSTANCE.search(line):
            cell = _plain(found[1])
    return delays


def _plain(name: str) -> str:
    return _ESCAPE.sub(r"\1", name)

# SPDX-License-Identifier: Apache-2.0
"""S-boxes keep to their size limits, and the ROM becomes block RAM on every family."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "scripts"))

import sbox_cost  # noqa: E402  (a script, not a package)

LIMITS = tomllib.loads((REPO / "bench" / "limits.toml").read_text(encoding="utf-8"))["sbox"]

pytest.importorskip("pyosys")


def excess(found: dict[str, int], limit: dict[str, int]) -> dict[str, int]:
    """Return what is over its limit, and by how much."""
    return {what: found[what] - most for what, most in limit.items() if found[what] > most}


@pytest.mark.parametrize("name", LIMITS)
def test_size(name: str) -> None:
    module, style, direction, stages = name.split()
    limit = LIMITS[name]
    parameters = {
        "Style": sbox_cost.STYLES.index(style),
        "Stages": int(stages),
        "Direction": sbox_cost.DIRECTIONS.index(direction),
    }
    unit = "lut6" if "lut6" in limit else "lut4"
    cost = sbox_cost.measure(module, parameters, "xc7" if unit == "lut6" else "ecp5")
    found = {unit: cost.luts, "registers": cost.registers}
    assert cost.luts > 0
    assert excess(found, limit) == {}
    # The limit is not idle: an S-box a quarter smaller would want a new one.
    assert cost.luts > 0.75 * limit[unit]


@pytest.mark.parametrize("flow", sbox_cost.FLOWS)
def test_rom_becomes_block_ram(flow: str) -> None:
    parameters = {"Ports": 2, "Stages": 1, "Direction": 2}
    cost = sbox_cost.measure("aesforge_sbox_bram", parameters, flow)
    # iCE40's block RAM has one read port.
    assert cost.block_rams == (2 if flow == "ice40" else 1)
    assert (cost.luts, cost.registers) == (0, 0)


def test_pages_show_what_the_limits_allow() -> None:
    """The generated table of the tower says no more than the limits, where both speak."""
    page = (REPO / "docs" / "cores" / "aesforge_sbox_tower.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \|", page, re.M)
    shown = {f"aesforge_sbox tower {row[0]} {row[1]}": row[2:] for row in rows}
    compared = 0
    for name, limit in LIMITS.items():
        if name in shown:
            lut4, registers = map(int, shown[name])
            assert excess({"lut4": lut4, "registers": registers}, limit) == {}
            compared += 1
    assert compared >= 6

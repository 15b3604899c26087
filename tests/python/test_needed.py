# SPDX-License-Identifier: Apache-2.0
"""The clock that a throughput needs on a device without one."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from aesforge.cli.main import main
from aesforge.devices import device
from aesforge.explore.needed import needed_clocks

DEVICE = device("XC7A100T-2")


def test_a_block_a_cycle_at_ten_gigabits() -> None:
    found = {one.blocks_per_cycle: one for one in needed_clocks(DEVICE, 10)}
    assert found[1].mhz == pytest.approx(78.125)
    assert found[1].design.blocks_per_cycle == 1
    assert found[1].cap is not None
    limit = 461.0 if found[1].design.sbox == "bram" else 628.0
    assert found[1].share == pytest.approx(78.125 / limit)
    assert found[1 / 10].mhz == pytest.approx(781.25)
    assert not found[1 / 10].is_legal


def test_block_ram_has_a_limit_of_its_own() -> None:
    with_ram = {one.cap.mhz for one in needed_clocks(DEVICE, 1) if one.cap}
    without = {one.cap.mhz for one in needed_clocks(DEVICE, 1, block_ram=False) if one.cap}
    assert with_ram >= {461.0}
    assert without == {628.0}


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_keys_and_directions(bits: int) -> None:
    for one in needed_clocks(DEVICE, 1, key_bits=bits, decrypt=True, agile=True):
        assert (one.design.key_bits, one.design.direction) == (bits, "decrypt")
        assert one.design.is_agile


def ask(*argv: str) -> tuple[int, str]:
    shown = CliRunner().invoke(main, ["suggest", "--device", "XC7A100T-2", *argv])
    return shown.exit_code, shown.stdout


def test_the_verb_shows_the_clocks_that_are_legal() -> None:
    status, text = ask("--throughput", "10")
    assert status == 0
    assert "78.1" in text
    assert "12 % of 628 MHz, clock tree" in text or "17 % of 461 MHz, block RAM" in text
    assert "781.2" not in text
    assert "--synthesis-only" in text
    status, text = ask("--throughput", "2000")
    assert status == 1
    assert "none of these clocks is legal" in text


def test_the_verb_gives_them_to_programs() -> None:
    status, text = ask("--throughput", "10", "--json")
    assert status == 0
    rows = json.loads(text)
    assert [row["needed_mhz"] for row in rows] == sorted(row["needed_mhz"] for row in rows)
    assert any(row["needed_mhz"] == 78.125 and row["is_legal"] for row in rows)

# SPDX-License-Identifier: Apache-2.0
"""Bitstreams of GateMate, read back and compared with the routed netlist."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from aesforge.devices import device
from aesforge.errors import AesforgeError
from aesforge.prove.bitstream.flips import campaign
from aesforge.prove.bitstream.gatemate import config as bitstreams
from aesforge.prove.bitstream.gatemate.chip import Chip
from aesforge.prove.bitstream.gatemate.flips import Faults, Flip
from aesforge.prove.bitstream.gatemate.readback import DEVICE
from aesforge.prove.bitstream.gatemate.routed import _Routed, read_routed
from aesforge.prove.bitstream.routed import placed_module
from bitstream_bench import SMALL_GATEMATE, changed, packed, run, synthesize

CCGM1A1 = device("CCGM1A1")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    return packed(folder, CCGM1A1, synthesize(folder, SMALL_GATEMATE, "gatemate"))


@pytest.fixture(scope="module")
def faults(small: Path) -> Faults:
    chip = Chip("CCGM1A1")
    config = bitstreams.read(small / "core.bit", chip)
    return Faults(chip, config, read_routed(small / "routed.json", chip))


def test_a_gatemate_bitstream_equals_the_routed_netlist(small: Path) -> None:
    result = run(small / "core.bit", small / "routed.json", "CCGM1A1", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["result"], found["chip"], found["unused"]) == ("equal", "CCGM1A1", [])
    assert found["cells"] > 40
    assert found["wires"] > found["nets"] > 80
    assert "all equal" in run(small / "core.bit", small / "routed.json", "CCGM1A1").output


def test_the_gatemate_design_uses_each_kind_of_setting(small: Path, faults: Faults) -> None:
    """The comparison would be worth little if the design used none of them."""
    names = {name for settings in faults.expected.cells.values() for name in settings}
    assert names >= {
        *(f"INIT_L{table}" for table in ("00", "01", "02", "03", "10", "11", "20")),
        *("C_O1", "C_O2", "C_FUNCTION", "C_CPE_CLK", "C_CPE_EN", "C_CPE_RES", "C_CPE_SET"),
        *("C_EN_SR", "C_2D_IN", "C_RAM_O1", "C_PY1_I", "C_I1", "C_I3"),
        *("INPUT_ENABLE", "OE_ENABLE", "DELAY_IBF", "GLBOUT.GLB0_EN"),
    }
    kinds = {cell.kind for cell in placed_module(small / "routed.json", "").cells.values()}
    assert kinds == set(_Routed.kinds)
    wires = {faults.chip.wires[wire].partition("/")[2] for wire in faults.expected.nets}
    assert {name.partition(".")[0] for name in wires} >= {
        *("CPE", "IM", "SB_BIG", "SB_SML", "SB_DRIVE", "IOES", "GPIO")
    }


def test_flipped_bits_of_gatemate_that_matter_are_found(faults: Faults) -> None:
    counts = campaign(faults, used=30, others=30, seed=3)
    assert (counts.used, counts.found, counts.wrong) == (30, 30, [])
    assert counts.named == counts.unused == 30


def test_each_word_of_a_used_place_is_compared(faults: Faults) -> None:
    """A bit of each word that a cell has; those of the device and of the pins."""
    words = [
        (place, name)
        for place, settings in faults.expected.cells.items()
        for name in settings
        if place.startswith("X")
    ]
    for place, name in random.Random(1).sample(words, 25):
        x, y = map(int, place[1:].split("Y"))
        spot, word = faults._chip.word((x, y), f"CPE.{name}")
        flip = Flip(spot, word, 0, (x, y), f"CPE.{name}")
        assert faults.matters(flip)
        (line,) = faults.compare(flip).differences
        assert f"at {place}: {name} is" in line
    config = faults._config
    for name in ("GLBOUT.GLB0_EN", "GPIO.BANK_"):
        word = next(one for one in faults.expected.cells[DEVICE] if one.startswith(name))
        config.device[word] = 1 - config.device.get(word, 0)
        (line,) = faults.compare().differences
        assert f"at {DEVICE}: {word} is" in line
        config.device[word] = 1 - config.device[word]
    assert faults.compare().same


@pytest.mark.parametrize(
    ("place", "name", "spot", "word"),
    [
        ((20, 22), "P07.D1", (11, 10), "P07.D3"),
        ((9, 13), "P01.D1", (4, 6), "P01.D1"),
        ((31, 35), "P07.D2", (15, 19), "P07.D4"),
        ((22, 32), "P08.D2", (10, 15), "P08.D2"),
        ((26, 36), "P03.D3", (10, 17), "P03.D1"),
        ((27, 35), "P05.D3", (13, 17), "P05.D3"),
        ((37, 33), "P01.D4", (18, 14), "P01.D2"),
        ((8, 30), "P01.D4", (3, 14), "P01.D4"),
    ],
)
def test_where_a_driver_has_its_word(
    place: tuple[int, int], name: str, spot: tuple[int, int], word: str, faults: Faults
) -> None:
    """As nextpnr 0.11.1 wrote `compact`: the small design uses none of those that lie elsewhere."""
    chip = faults._chip
    assert chip.word(place, f"SB_DRIVE.{name}") == (spot, f"SB_DRIVE.{word}")
    assert chip.words(spot)[f"SB_DRIVE.{word}"] == (place, f"SB_DRIVE.{name}")


def test_what_no_design_asks_for_is_a_difference(faults: Faults) -> None:
    faults._config.others[".serdes 0"] = {"SERDES_ENABLE": 1}
    (line,) = faults.compare().differences
    assert ".serdes 0: " in line
    assert "no cell of the design asks for it" in line
    faults._config.others.clear()
    spot = next(iter(faults._config.spots))
    faults._config.spots[spot]["UNNAMED.WORD"] = 1
    (line,) = faults.compare().differences
    assert "UNNAMED.WORD = 1, of which the database says nothing" in line
    del faults._config.spots[spot]["UNNAMED.WORD"]
    faults._config.spots[80, 60] = {"UNNAMED.WORD": 1}
    (line,) = faults.compare().unused
    assert "words at 80 60: UNNAMED.WORD = 1" in line
    del faults._config.spots[80, 60]
    assert faults.compare().same


# A command of the file: its number, how many bytes follow, CRC, these bytes, CRC.
_SPOT, _BITS = bytes([0xC8, 2]), 0xCA
_SPOT_BYTES = 112


def _crc(data: bytes) -> bytes:
    """Return CRC-16/X-25, which counts from the beginning of a command."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x8408 if crc & 1 else 0)
    return (crc ^ 0xFFFF).to_bytes(2, "little")


def _flipped(data: bytes, chosen: random.Random) -> tuple[bytes, set[tuple[int, int]]]:
    """Return a bitstream with a random bit flipped in each block, and the blocks' spots."""
    start = _SPOT + _crc(_SPOT)
    head, *blocks = data.split(start)
    result, spots = head, set()
    for block in blocks:
        at, command, count = 4, block[4], block[5]
        assert (_crc(start + block[:2]), command) == (block[2:4], _BITS)
        bits = bytearray(block[at + 4 : at + 4 + count].ljust(_SPOT_BYTES, b"\0"))
        bits[chosen.randrange(_SPOT_BYTES)] ^= 1 << chosen.randrange(8)
        own = bytes([_BITS, _SPOT_BYTES])
        own += _crc(own) + bits
        result += start + block[:at] + own + _crc(own) + block[at + 6 + count :]
        spots.add((block[0], block[1]))
    return result, spots


def test_each_bit_of_a_block_is_one_of_a_word(small: Path, faults: Faults, tmp_path: Path) -> None:
    """`gmunpack` gives each bit a name: none that is flipped would be lost."""
    chip, chosen = Chip("CCGM1A1"), random.Random(2)
    for _ in range(2):
        data, spots = _flipped((small / "core.bit").read_bytes(), chosen)
        assert len(spots) > 20
        (tmp_path / "flipped.bit").write_bytes(data)
        found = bitstreams.read(tmp_path / "flipped.bit", chip).spots
        same = [s for s in spots if found.get(s, {}) == faults._config.spots.get(s, {})]
        assert same == []


def _cell(module: dict[str, Any], kind: str) -> dict[str, Any]:
    return next(cell for cell in module["cells"].values() if cell["type"] == kind)


def _other_table(module: dict[str, Any]) -> None:
    tables = (cell for cell in module["cells"].values() if cell["type"] == "CPE_L2T4")
    table = next(cell for cell in tables if cell["parameters"]["INIT_L10"] == "1000")
    table["parameters"]["INIT_L10"] = "0111"


def _other_clock(module: dict[str, Any]) -> None:
    parameters = _cell(module, "CPE_FF")["parameters"]
    parameters["C_CPE_CLK"] = {"10": "01", "01": "10"}[parameters["C_CPE_CLK"]]


def _other_slew(module: dict[str, Any]) -> None:
    pins = (cell for cell in module["cells"].values() if cell["type"] == "IOSEL")
    pin = next(cell for cell in pins if "SLEW" in cell["parameters"])
    pin["parameters"]["SLEW"] = "0"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_other_table, "INIT_L1"),
        (_other_clock, "C_CPE_CLK is"),
        (_other_slew, "SLEW is 0x1, must be 0x0"),
    ],
    ids=["look-up table", "clock", "pin"],
)
def test_another_netlist_is_found(change: Any, words: str, small: Path, tmp_path: Path) -> None:
    routed = changed(tmp_path, small, change)
    result = run(small / "core.bit", routed, "CCGM1A1")
    assert result.exit_code == 1, result.output
    assert words in result.output


def test_another_wire_is_found(small: Path, tmp_path: Path) -> None:
    """A net whose last switch takes another of its inputs."""

    def change(module: dict[str, Any]) -> None:
        for net in module["netnames"].values():
            routing = net["attributes"].get("ROUTING", "")
            if "/IM.P01.Y/" in routing:
                net["attributes"]["ROUTING"] = routing.replace("/IM.P01.Y/", "/IM.P02.Y/")
                return
        raise AssertionError

    chip = Chip("CCGM1A1")
    with pytest.raises(AesforgeError, match=r"does not drive|has the pip"):
        read_routed(changed(tmp_path, small, change), chip)


def _block_ram(module: dict[str, Any]) -> None:
    _cell(module, "CPE_FF")["type"] = "RAM"


def _nowhere(module: dict[str, Any]) -> None:
    _cell(module, "CPE_FF")["attributes"]["NEXTPNR_BEL"] = "X999Y1/CPE_FF_U"


def _loose_pin(module: dict[str, Any]) -> None:
    flip_flops = [c for c in module["cells"].values() if c["type"] == "CPE_FF"]
    first, second = flip_flops[:2]
    first["connections"]["DIN"] = second["connections"]["DIN"]


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        (_block_ram, 2, "is a RAM, which is not read back"),
        (_nowhere, 2, "was not routed for the GateMate CCGM1A1"),
        (_loose_pin, 2, "pin DIN of cell"),
    ],
    ids=["block RAM", "place", "pin"],
)
def test_what_is_not_read_back(
    change: Any, status: int, words: str, small: Path, tmp_path: Path
) -> None:
    result = run(small / "core.bit", changed(tmp_path, small, change), "CCGM1A1")
    assert result.exit_code == status
    assert words in result.output


def test_files_that_are_no_bitstream(small: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.bit").write_bytes((small / "core.bit").read_bytes()[:300])
    flipped = bytearray((small / "core.bit").read_bytes())
    flipped[len(flipped) // 2] ^= 1
    (tmp_path / "flipped.bit").write_bytes(flipped)
    for name, words in (
        ("missing.bit", "cannot read"),
        ("flipped.bit", "is no intact GateMate bitstream"),
    ):
        result = run(tmp_path / name, small / "routed.json", "CCGM1A1")
        assert result.exit_code == 2, name
        assert words in result.output
    result = run(tmp_path / "cut.bit", small / "routed.json", "CCGM1A1")
    assert result.exit_code in (1, 2)

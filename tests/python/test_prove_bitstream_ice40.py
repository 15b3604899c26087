# SPDX-License-Identifier: Apache-2.0
"""Bitstreams of iCE40, read back and compared with the routed netlist."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from aesforge.design import load
from aesforge.devices import device
from aesforge.devices.families import family
from aesforge.errors import AesforgeError, UsageError
from aesforge.measure import Target
from aesforge.measure.synthesis import Synthesis
from aesforge.prove.bitstream import compare
from aesforge.prove.bitstream.flips import campaign
from aesforge.prove.bitstream.ice40 import chip_of
from aesforge.prove.bitstream.ice40 import config as bitstreams
from aesforge.prove.bitstream.ice40.chip import Chip
from aesforge.prove.bitstream.ice40.flips import Faults, Flip, every, matters
from aesforge.prove.bitstream.ice40.readback import Reader, logic_settings
from aesforge.prove.bitstream.ice40.routed import read_routed
from aesforge.toolchain import programs
from bitstream_bench import SMALL_ICE40, changed, packed, run, synthesize

HX8K, UP5K = device("iCE40HX8K"), device("iCE40UP5K")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    return packed(folder, HX8K, synthesize(folder, SMALL_ICE40, "ice40"))


@pytest.fixture(scope="module")
def chip() -> Chip:
    return Chip("8k")


def test_a_packed_and_an_unpacked_bitstream_equal_the_routed_netlist(small: Path) -> None:
    for name in ("core.bin", "core.asc"):
        result = run(small / name, small / "routed.json", "iCE40HX8K", "--json")
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        assert found["result"] == "equal"
        assert found["cells"] > 80
        assert found["wires"] > found["nets"] > 80
        # Everything else in the file are buffers that nextpnr switches on in each column.
        assert all("column buffers" in line for line in found["unused"])


def test_each_kind_of_setting_is_read(small: Path, chip: Chip) -> None:
    """The comparison would be worth little if the design used none of them."""
    config = bitstreams.read(small / "core.bin", chip, "iCE40HX8K")
    cells = Reader(chip).layout(config).cells
    names = {
        (place.rsplit("/", 1)[-1].rstrip("01234567"), name)
        for place, settings in cells.items()
        for name in settings
    }
    assert names >= {
        *(("lc", name) for name in ("LUT_INIT", "CARRY_ENABLE", "DFF_ENABLE", "SET_NORESET")),
        *(("lc", "ASYNC_SR"), ("tile", "NegClk"), ("tile", "CarryInSet")),
        *(("io", "PIN_TYPE"), ("io", "input enable"), ("ram", "power"), ("ram", "INIT_0")),
    }


def test_up5k(tmp_path: Path) -> None:
    folder = packed(tmp_path, UP5K, synthesize(tmp_path, SMALL_ICE40, "ice40"))
    result = run(folder / "core.bin", folder / "routed.json", "iCE40UP5K")
    assert result.exit_code == 0, result.output
    assert "all equal" in result.output
    chip = Chip("5k")
    config = bitstreams.read(folder / "core.bin", chip, "iCE40UP5K")
    faults = Faults(chip, config, read_routed(folder / "routed.json", chip))
    counts = campaign(faults, used=2, others=20, seed=3)
    assert (counts.found, counts.wrong) == (2, [])


def test_a_core_in_its_harness(tmp_path: Path, chip: Chip) -> None:
    """20 bits that matter are flipped; each is found, and the others are named as unused."""
    data = family("ice40")
    synthesis = Synthesis(Target.of(load("compact")), "ice40", data, data.recipe_named("area"))
    synthesis.run()
    folder = packed(tmp_path, HX8K, synthesis.netlist)
    config = bitstreams.read(folder / "core.bin", chip, "iCE40HX8K")
    expected = read_routed(folder / "routed.json", chip)
    whole = compare(chip, Reader(chip).layout(config), expected)
    assert whole.differences == []
    assert whole.cells > 2500
    counts = campaign(Faults(chip, config, expected), used=20, others=100, seed=2)
    assert (counts.used, counts.found) == (20, 20)
    assert counts.unused == counts.named > 20
    assert counts.wrong == []


def test_flipped_bits_that_matter_are_found_and_others_named(small: Path, chip: Chip) -> None:
    config = bitstreams.read(small / "core.bin", chip, "iCE40HX8K")
    expected = read_routed(small / "routed.json", chip)
    reader = Reader(chip)
    whole = compare(chip, reader.layout(config), expected)
    used = unused = 0
    # Bits of some tiles: with a cell, of a pin and of both halves of a memory.
    ram = next(place for place in expected.cells if place.endswith("/ram"))
    x, y = (int(part[1:]) for part in ram.split("/")[:2])
    logic = next(place for place in expected.cells if "/lc" in place)
    pin = next(place for place in expected.cells if "/io" in place)
    places = {(x, y), (x, y + 1)} | {
        (int(one.split("/")[0][1:]), int(one.split("/")[1][1:])) for one in (logic, pin)
    }
    every_bit = [
        Flip(place, (row, column))
        for place in sorted(places)
        for row in range(chip.sizes[chip.tiles[place]][0])
        for column in range(chip.sizes[chip.tiles[place]][1])
    ]
    for flip in random.Random(1).sample(every_bit, 200):
        result = compare(chip, reader.layout(flip.apply(config)), expected)
        if matters(chip, config, expected, flip):
            used += 1
            assert result.differences, flip.text()
        else:
            unused += 1
            assert not result.differences, (flip.text(), result.differences)
            assert result.unused != whole.unused, flip.text()
    assert used > 20
    assert unused > 20


def test_a_bit_of_the_memory(small: Path, chip: Chip) -> None:
    config = bitstreams.read(small / "core.bin", chip, "iCE40HX8K")
    expected = read_routed(small / "routed.json", chip)
    used = next(place for place in expected.cells if place.endswith("/ram"))
    for place, memory, *_ in every(chip)[0]:
        if not memory:
            continue
        flip = Flip(place, (3, 9), memory=True)
        result = compare(chip, Reader(chip).layout(flip.apply(config)), expected)
        is_used = used == f"X{place[0]}/Y{place[1]}/ram"
        assert matters(chip, config, expected, flip) == is_used
        assert result.same != is_used
        if is_used:
            assert "INIT_3" in result.differences[0]
            break


def test_a_flipped_bit_in_the_file(small: Path, tmp_path: Path, chip: Chip) -> None:
    """From the file to the exit status: an entry of a look-up table, then a damaged file."""
    expected = read_routed(small / "routed.json", chip)
    place = next(name for name in expected.cells if "/lc" in name)
    x, y, z = (int(part.strip("XYlc")) for part in place.split("/"))
    row, column = chip.entries["logic"][f"LC_{z}"][4]
    lines = (small / "core.asc").read_text(encoding="ascii").splitlines()
    at = lines.index(f".logic_tile {x} {y}") + 1 + row
    old = lines[at]
    lines[at] = f"{old[:column]}{'10'[int(old[column])]}{old[column + 1 :]}"
    (tmp_path / "flipped.asc").write_text("\n".join(lines) + "\n", encoding="ascii")
    programs.run("icepack", ["flipped.asc", "flipped.bin"], tmp_path, tmp_path / "log")
    result = run(tmp_path / "flipped.bin", small / "routed.json", "iCE40HX8K")
    assert result.exit_code == 1
    assert f"at {place}: LUT_INIT is" in result.output
    data = bytearray((small / "core.bin").read_bytes())
    data[len(data) // 2] ^= 4
    (tmp_path / "damaged.bin").write_bytes(data)
    result = run(tmp_path / "damaged.bin", small / "routed.json", "iCE40HX8K")
    assert result.exit_code == 2
    assert "no intact iCE40 bitstream" in result.output


def test_another_netlist_is_not_equal(small: Path, tmp_path: Path) -> None:
    """A mutant of each kind in the routed netlist: a table, an edge, a connection, a wire."""

    def table(module: dict[str, Any]) -> None:
        cell = next(c for c in module["cells"].values() if c["type"] == "ICESTORM_LC")
        last = cell["parameters"]["LUT_INIT"]
        cell["parameters"]["LUT_INIT"] = last[:-1] + "10"[int(last[-1])]

    def edge(module: dict[str, Any]) -> None:
        for cell in module["cells"].values():
            if cell["parameters"].get("NEG_CLK") == "1":
                cell["parameters"]["NEG_CLK"] = "0"

    def content(module: dict[str, Any]) -> None:
        cell = next(c for c in module["cells"].values() if c["type"] == "ICESTORM_RAM")
        row = cell["parameters"]["INIT_2"]
        cell["parameters"]["INIT_2"] = row[:5] + "10"[int(row[5])] + row[6:]

    for change, word in ((table, "LUT_INIT"), (edge, "NegClk"), (content, "INIT_2")):
        result = run(small / "core.bin", changed(tmp_path, small, change), "iCE40HX8K")
        assert result.exit_code == 1, result.output
        assert word in result.output

    def unplugged(module: dict[str, Any]) -> None:
        cells = [c for c in module["cells"].values() if c["type"] == "ICESTORM_LC"]
        one, two = [c for c in cells if c["connections"]["I3"]][:2]
        ends = (one["connections"], two["connections"])
        ends[0]["I3"], ends[1]["I3"] = ends[1]["I3"], ends[0]["I3"]

    result = run(small / "core.bin", changed(tmp_path, small, unplugged), "iCE40HX8K")
    assert result.exit_code == 2
    assert "contradicts itself: port I3 of cell" in result.output


def test_another_design(small: Path, tmp_path: Path) -> None:
    other = SMALL_ICE40.replace("37 * i", "11 * i").replace(
        "data ^ {word, din}", "data + {word, din}"
    )
    folder = packed(tmp_path, HX8K, synthesize(tmp_path, other, "ice40"))
    result = run(folder / "core.bin", small / "routed.json", "iCE40HX8K")
    assert result.exit_code == 1
    assert "another design or seed?" in result.output


def test_bad_input(small: Path, tmp_path: Path) -> None:
    bitstream, routed = small / "core.bin", small / "routed.json"
    (tmp_path / "text").write_text("nothing of the kind\n", encoding="ascii")
    (tmp_path / "short.asc").write_text(".device 8k\n.logic_tile 1 1\n01\n", encoding="ascii")
    (tmp_path / "odd.asc").write_text(".device 8k\n.strange 1\n", encoding="ascii")
    (tmp_path / "empty.json").write_text('{"modules": {"top": {}}}', encoding="ascii")
    for result, word in (
        (run(tmp_path / "none.bin", routed, "iCE40HX8K"), "cannot read"),
        (run(tmp_path / "text", routed, "iCE40HX8K"), "no intact iCE40 bitstream"),
        (run(tmp_path / "short.asc", routed, "iCE40HX8K"), "incomplete"),
        (run(tmp_path / "odd.asc", routed, "iCE40HX8K"), "unknown line '.strange 1'"),
        (run(bitstream, routed, "iCE40UP5K"), "is for the iCE40 chip '8k'"),
        (run(bitstream, tmp_path / "none.json", "iCE40HX8K"), "cannot read"),
        (run(bitstream, tmp_path / "text", "iCE40HX8K"), "no netlist in JSON"),
        (run(bitstream, tmp_path / "empty.json", "iCE40HX8K"), "no routed netlist"),
        (run(bitstream, small / "netlist.json", "iCE40HX8K"), "no routed netlist"),
    ):
        assert result.exit_code == 2, result.output
        assert word in result.output


def test_cells_that_are_not_read_back_are_refused(small: Path, tmp_path: Path, chip: Chip) -> None:
    def change(module: dict[str, Any]) -> None:
        next(iter(module["cells"].values()))["type"] = "ICESTORM_PLL"

    with pytest.raises(UsageError, match="ICESTORM_PLL, which is not read back"):
        read_routed(changed(tmp_path, small, change), chip)


def test_a_routed_netlist_of_another_chip(small: Path) -> None:
    with pytest.raises(UsageError, match="was not routed for the iCE40 chip '5k'"):
        read_routed(small / "routed.json", Chip("5k"))


def test_chips() -> None:
    assert (chip_of(HX8K), chip_of(UP5K)) == ("8k", "5k")
    with pytest.raises(AesforgeError, match="no database of the iCE40 chip '9k'"):
        Chip("9k")


def test_the_bits_of_a_logic_cell() -> None:
    """One entry of the table, and each of the other bits, as Project IceStorm lists them."""
    assert logic_settings(1 << 4)["LUT_INIT"] == 1
    assert logic_settings(1 << 0)["LUT_INIT"] == 0x8000
    for bit, name in (
        (8, "CARRY_ENABLE"),
        (9, "DFF_ENABLE"),
        (18, "SET_NORESET"),
        (19, "ASYNC_SR"),
    ):
        assert logic_settings(1 << bit)[name] == 1

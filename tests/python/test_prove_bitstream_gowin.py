# SPDX-License-Identifier: Apache-2.0
"""Bitstreams of Gowin, read back and compared with the routed netlist."""

from __future__ import annotations

import functools
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from aesforge.design import Design, load
from aesforge.devices import device
from aesforge.errors import AesforgeError, UsageError
from aesforge.prove.bitstream import compare
from aesforge.prove.bitstream.flips import campaign
from aesforge.prove.bitstream.gowin import chip_of, read_files
from aesforge.prove.bitstream.gowin import config as bitstreams
from aesforge.prove.bitstream.gowin.chip import Chip, place_name
from aesforge.prove.bitstream.gowin.flips import Faults, Flip
from aesforge.prove.bitstream.gowin.memory import Content
from aesforge.prove.bitstream.gowin.readback import Reader
from aesforge.prove.bitstream.gowin.routed import read_routed
from aesforge.prove.certificate import Proof
from aesforge.prove.implementation import chain
from aesforge.prove.implementation.make import make
from aesforge.toolchain import programs
from bitstream_bench import SMALL_GOWIN, changed, packed, run, synthesize, whole_table

GW1N, GW2A = device("GW1N-9"), device("GW2A-18")
_CHIPS = functools.cache(Chip)


@pytest.fixture(autouse=True)
def chips_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call of the command would read the whole database."""
    monkeypatch.setattr("aesforge.prove.bitstream.gowin.Chip", _CHIPS)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    return packed(folder, GW1N, synthesize(folder, SMALL_GOWIN, "gowin"))


@pytest.fixture(scope="module")
def chip() -> Chip:
    return _CHIPS("GW1N-9C")


@pytest.fixture(scope="module")
def faults(small: Path, chip: Chip) -> Faults:
    routed = read_routed(small / "routed.json", chip)
    return Faults(chip, bitstreams.read(small / "core.fs", chip, "GW1N-9"), routed)


def test_a_gowin_bitstream_equals_the_routed_netlist(small: Path, tmp_path: Path) -> None:
    (tmp_path / "routed.json").write_bytes((small / "routed.json").read_bytes())
    arguments = ["--compress", "-d", "GW1N-9C", "-o", "compressed.fs", "routed.json"]
    programs.run("gowin_pack", arguments, tmp_path, tmp_path / "log")
    assert (tmp_path / "compressed.fs").stat().st_size < (small / "core.fs").stat().st_size
    for bitstream in (small / "core.fs", tmp_path / "compressed.fs"):
        result = run(bitstream, small / "routed.json", "GW1N-9", "--json")
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        assert (found["result"], found["chip"]) == ("equal", "GW1N-9C")
        assert found["cells"] > 150
        assert found["wires"] > found["nets"] > 150
        # Everything else in the file is what the packer sets in each bitstream.
        idle = re.compile(
            r"X\d+Y\d+/IOB[AB]: bits = \w+|X\d+Y\d+/tile: constant bits = \w+"
            r"|X\d+Y\d+/BANK: bank \d = \w+"
        )
        assert [line for line in found["unused"] if not idle.fullmatch(line)] == []
    assert "all equal" in run(small / "core.fs", small / "routed.json", "GW1N-9").output


def test_the_gowin_design_uses_each_kind_of_setting(faults: Faults) -> None:
    """The comparison would be worth little if the design used none of them."""
    found = {
        (place.rsplit("/", 1)[-1].rstrip("01234567"), name)
        for place, settings in faults.layout(None).cells.items()
        for name in settings
    }
    assert found >= {
        *(("LUT", "INIT"), ("IOBA", "bits"), ("IOBB", "bits"), ("GSR", "bits")),
        *(("CLS", name) for name in ("MODE=ALU", "MODE=SSRAM", "SRMODE=ASYNC")),
        *(("CLS", name) for name in ("LSRONMUX!=LSRMUX", "REGMODE=FF CLKMUX_1=0")),
        *(("CLS", name) for name in ("REG0_REGSET=RESET", "REG1_REGSET=RESET")),
        *(("CLS", "LSR_MUX_1=0"), ("CFG", "GSR=USED"), ("header", "command 4")),
        *(("BSRAM", "bits"), ("content", "INIT_RAM_2A")),
    }
    wires = {faults.chip.wires[wire].rsplit("/", 1)[-1] for wire in faults.expected.nets}
    assert wires >= {"OF7", "SEL7", "SEL3", "SEL1", "COUT5", "XD0", "LSR2", "CE2"}


# A block RAM of each kind, and its widths. Their many enables and resets take the long wires.
KINDS = (
    *("SP 1", "SP 16", "SP 32", "SPX9 9", "SPX9 36", "SDPB 8 16", "SDPB 1 32", "SDPX9B 36 36"),
    *("DPB 16 8", "DPX9B 9 18", "pROM 8", "pROMX9 36"),
)


def _block_rams(chosen: random.Random) -> str:
    """Return a design with all of `KINDS`, their parameters and inputs chosen at random."""
    lines = ["module top (input clk, input din, input rst, output dout, output other);"]
    lines.append("reg [63:0] s;\nreg q;\nalways @(posedge clk) s <= {s, din};")
    sums = []

    def some(width: int) -> str:
        first = chosen.randrange(64 - width + 1)
        return f"s[{first + width - 1}:{first}]"

    for number, text in enumerate(KINDS):
        kind, *widths = text.split()
        bits = 288 if "X9" in kind else 256
        is_dual = kind.startswith(("SDP", "DP"))
        data = (18 if bits == 288 else 16) * (1 if kind.startswith("DP") else 2)
        parameters = {f"READ_MODE{s}": "1'b0" for s in (("0", "1") if kind[:2] == "DP" else ("",))}
        if kind[:2] != "DP":  # nextpnr 0.11.1 ends at some of two ports with output registers
            parameters["READ_MODE"] = f"1'b{chosen.randrange(2)}"
        parameters["RESET_MODE"] = chosen.choice(('"SYNC"', '"ASYNC"'))
        for row in range(64):
            if row == 0 or chosen.random() < 0.8:
                value = chosen.getrandbits(bits)
                parameters[f"INIT_RAM_{row:02X}"] = f"{bits}'h{value:0{bits // 4}x}"
        pins: dict[str, str] = {}
        for side, width in zip(("A", "B") if is_dual else ("",), widths, strict=True):
            low = {1: 0, 2: 1, 4: 2, 8: 3, 9: 3, 16: 4, 18: 4}.get(int(width), 5)
            ones = int(width) // 8 if int(width) > 9 else 0
            below = "".join("1" if place < ones else "0" for place in reversed(range(low)))
            pins[f"AD{side}"] = f"{{{some(14 - low)}, {low}'b{below}}}" if low else some(14)
            suffix = {"A": "_0", "B": "_1", "": ""}[side]
            parameters[f"BIT_WIDTH{suffix}"] = width
            pins |= {f"CLK{side}": "clk", f"CE{side}": some(1), f"RESET{side}": some(1)}
            if not kind.startswith("pROM"):
                pins[f"BLKSEL{side}"] = some(3)
                parameters[f"BLK_SEL{suffix}"] = f"3'd{chosen.randrange(8)}"
            if kind.startswith(("SP", "DP")):
                pins[f"WRE{side}"] = some(1)
                mode = f"WRITE_MODE{suffix.removeprefix('_')}"
                parameters[mode] = f"2'd{chosen.randrange(3)}"
        ports = ("A", "B") if kind.startswith("DP") else ("",)
        for side in ports:
            pins[f"OCE{side}"] = some(1)
            pins[f"DO{side}"] = f"o{number}{side}"
            if not kind.startswith("pROM"):
                pins[f"DI{side}"] = some(data)
            lines.append(f"wire [{data - 1}:0] o{number}{side};")
            sums.append(f"^o{number}{side}")
        given = ", ".join(f".{name}({value})" for name, value in parameters.items())
        joined = ", ".join(f".{name}({value})" for name, value in pins.items())
        lines.append(f"{kind} #({given}) u{number} ({joined});")
    lines.append(f"always @(posedge clk) q <= {' ^ '.join(sums)};")
    lines.append("assign dout = q;\nassign other = rst;\nendmodule\n")
    return "\n".join(lines)


def test_block_rams_and_long_wires(tmp_path: Path, chip: Chip) -> None:
    """Each kind of block RAM, its content, and nets on long wires that are cut at one end."""
    text = _block_rams(random.Random(5))
    folder = packed(tmp_path, GW1N, synthesize(tmp_path, text, "gowin"))
    found = Faults(*read_files(folder / "core.fs", folder / "routed.json", GW1N))
    whole = found.compare()
    assert whole.differences == []
    contents = [place for place in found.expected.cells if place.endswith("/content")]
    assert len(contents) == len(KINDS)
    cut = [
        (place, name, value)
        for place, settings in found.layout(None).cells.items()
        if place.endswith("/isolation")
        for name, value in settings.items()
    ]
    assert cut
    assert all(name in found.expected.cells[place] for place, name, _ in cut)
    counts = campaign(found, used=10, others=10, seed=1)
    assert (counts.used, counts.found, counts.wrong) == (10, 10, [])
    # A bit of the content; where the design leaves it open, none is a difference.
    memory = next(place for place in chip.places if place_name(place, "content") in contents)
    row, bit = "INIT_RAM_00", 17
    where = next(at for at, known in Content(chip).where.items() if known == (row, bit))
    flip = Flip(memory, where, memory=True)
    assert found.matters(flip)
    (line,) = found.compare(flip).differences
    assert f"at {place_name(memory, 'content')}: {row} is" in line
    found.expected.undefined[place_name(memory, "content"), row] = 1 << bit
    assert not found.matters(flip)
    # A bit between the columns of content is of no memory.
    config = bitstreams.read(folder / "core.fs", chip, "GW1N-9")
    config.memories[memory] ^= {(3, 0)}
    config.stray.append((800, 1))
    lines = compare(chip, Reader(chip).layout(config), found.expected).unused
    assert any(f"{place_name(memory, 'content')}: bit R3C0" in one for one in lines)
    assert any("content: bit R800C1" in one for one in lines)


def test_gw2a(tmp_path: Path) -> None:
    folder = packed(tmp_path, GW2A, synthesize(tmp_path, SMALL_GOWIN, "gowin"))
    result = run(folder / "core.fs", folder / "routed.json", "GW2A-18")
    assert result.exit_code == 0, result.output
    assert "all equal" in result.output
    found = Faults(*read_files(folder / "core.fs", folder / "routed.json", GW2A))
    counts = campaign(found, used=2, others=10, seed=4)
    assert (counts.found, counts.wrong) == (2, [])


def test_a_core_of_gowin_in_its_harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A core with S-boxes in block RAM, from its netlist to its bitstream; bits of it are flipped.

    That the core computes FIPS 197 is proved elsewhere: here it is only seen that it would be.
    """
    proved = Proof({}, "", "gowin", None, "", {}, {}, {}, result="proved")
    asked: list[str] = []

    def prove(_design: Design, *, family: str, **_more: Any) -> Proof:
        asked.append(family)
        return proved

    monkeypatch.setattr(chain, "prove", prove)
    design = load("compact-bram")
    made = make(design, GW1N, tmp_path)
    found = chain.follow(made.netlist, made.routed, GW1N, bitstream=made.bitstream, design=design)
    assert (found.proof, asked) == (proved, ["gowin"])
    assert found.netlist.elements == {"block RAM": 10, "flip-flop": 1112}
    assert found.netlist.checks.differences == []
    assert found.core is not None
    assert found.core.checks.differences == []
    assert found.core.cells > 1000
    assert found.bitstream is not None
    assert found.bitstream.same
    faults = Faults(*read_files(tmp_path / "core.fs", tmp_path / "routed.json", GW1N))
    counts = campaign(faults, used=10, others=30, seed=2)
    assert (counts.used, counts.found) == (10, 10)
    assert counts.unused == counts.named > 10
    assert counts.unknown == counts.told
    assert counts.wrong == []


def test_flipped_bits_of_gowin_that_matter_are_found(faults: Faults, chip: Chip) -> None:
    """Bits of some tiles: of look-up tables, of a memory, of pins, of the device's settings."""
    whole = faults.compare()
    assert whole.same
    by_bel: dict[str, str] = {}
    for place in faults.expected.cells:
        if "/" in place:
            by_bel.setdefault(place.rsplit("/", 1)[1], place)
    kinds = ("LUT0", "CLS2", "CLS3", "IOBA", "IOBB", "GSR", "CFG", "BANK")
    names = {by_bel[kind].split("/")[0] for kind in kinds}
    tiles = [place for place in chip.places if f"X{place[1]}Y{place[0]}" in names]
    every_bit = [
        Flip(place, (row, column))
        for place in tiles
        for row in range(chip.kind(place).rows)
        for column in range(chip.kind(place).columns)
    ]
    used = unused = 0
    matters = [flip for flip in every_bit if faults.matters(flip)]
    for flip in random.Random(1).sample(every_bit, 150) + random.Random(2).sample(matters, 80):
        result = faults.compare(flip)
        if faults.matters(flip) or faults.is_unknown(flip):
            used += 1
            assert result.differences, flip.text()
        else:
            unused += 1
            assert not result.differences, (flip.text(), result.differences)
            assert result.unused != whole.unused, flip.text()
    assert used > 80
    assert unused > 20


def test_a_flipped_bit_in_a_gowin_file(small: Path, tmp_path: Path, chip: Chip) -> None:
    """From the file to the exit status: with its CRC and sum made anew, and without."""
    text = (small / "core.fs").read_text(encoding="ascii").splitlines()
    row = next(number for number, line in enumerate(text) if len(line) > 2000)
    damaged = list(text)
    at = row + 300
    damaged[at] = damaged[at][:100] + "10"[int(damaged[at][100])] + damaged[at][101:]
    (tmp_path / "damaged.fs").write_text("\n".join(damaged) + "\n", encoding="ascii")
    result = run(tmp_path / "damaged.fs", small / "routed.json", "GW1N-9")
    assert result.exit_code == 2
    assert "no intact Gowin bitstream: the CRC of a row is wrong" in result.output
    # The sum at the end of the file is of all rows.
    last = next(number for number, line in enumerate(text) if line.startswith("00001010" + "0" * 8))
    text[last] = text[last][:-1] + "10"[int(text[last][-1])]
    (tmp_path / "sum.fs").write_text("\n".join(text) + "\n", encoding="ascii")
    result = run(tmp_path / "sum.fs", small / "routed.json", "GW1N-9")
    assert result.exit_code == 2
    assert "the sum of its rows is wrong" in result.output
    # Another netlist packed: its file is intact, and one entry of a table is another.
    table = tmp_path / "table"
    table.mkdir()
    changed(table, small, _table).rename(table / "routed.json")
    arguments = ["-d", chip.name, "-o", "core.fs", "routed.json"]
    programs.run("gowin_pack", arguments, table, table / "log")
    result = run(table / "core.fs", small / "routed.json", "GW1N-9")
    assert result.exit_code == 1
    assert "1 differences" in result.output
    assert "INIT is" in result.output


def _cell(module: dict[str, Any], *kinds: str) -> dict[str, Any]:
    return next(cell for cell in module["cells"].values() if cell["type"] in kinds)


def _table(module: dict[str, Any]) -> None:
    cell = whole_table(module)
    last = cell["parameters"]["INIT"]
    cell["parameters"]["INIT"] = last[:-1] + "10"[int(last[-1])]


def _edge(module: dict[str, Any]) -> None:
    _cell(module, "DFFNR")["type"] = "DFFR"


def _sets(module: dict[str, Any]) -> None:
    cell = _cell(module, "DFFNP")
    cell["type"] = "DFFNC"
    cell["connections"]["CLEAR"] = cell["connections"].pop("PRESET")
    cell["port_directions"]["CLEAR"] = "input"


def _carry(module: dict[str, Any]) -> None:
    # Subtraction, whatever the third input is, in place of a choice.
    carries = (c for c in module["cells"].values() if c["type"] == "ALU")
    next(c for c in carries if c["connections"].get("SUM"))["parameters"]["ALU_MODE"] = "1"


def _pull(module: dict[str, Any]) -> None:
    for cell in module["cells"].values():
        if cell["type"] == "IBUF":
            for name in list(cell["attributes"]):
                if name.startswith("&PULL_MODE"):
                    cell["attributes"]["&PULL_MODE=DOWN"] = cell["attributes"].pop(name)


def _voltage(module: dict[str, Any]) -> None:
    for cell in module["cells"].values():
        for name in list(cell["attributes"]):
            if name.startswith("&IO_TYPE"):
                cell["attributes"]["&IO_TYPE=LVCMOS25"] = cell["attributes"].pop(name)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_table, "INIT is"),
        (_edge, "CLKMUX_1=0 is 0x1, must be 0x0"),
        (_sets, "_REGSET=RESET is 0x0, must be 0x1"),
        (_carry, "INIT is"),
        (_pull, "bits is"),
        (_voltage, "/IOBB: bits is"),
    ],
)
def test_another_gowin_netlist_is_not_equal(
    small: Path, tmp_path: Path, change: Any, words: str
) -> None:
    result = run(small / "core.fs", changed(tmp_path, small, change), "GW1N-9")
    assert result.exit_code == 1, result.output
    assert words in result.output


def test_a_gowin_netlist_that_contradicts_itself(small: Path, tmp_path: Path) -> None:
    def swapped(module: dict[str, Any]) -> None:
        ends = whole_table(module)["connections"]
        ends["I0"], ends["I3"] = ends["I3"], ends["I0"]

    def content(module: dict[str, Any]) -> None:
        cell = _cell(module, "RAM16SDP4")
        cell["parameters"]["INIT_3"] = cell["parameters"]["INIT_3"][::-1]

    def moved(module: dict[str, Any]) -> None:
        cells = [c for c in module["cells"].values() if c["type"].startswith("LUT")]
        cells[0]["attributes"]["NEXTPNR_BEL"] = cells[1]["attributes"]["NEXTPNR_BEL"]

    def unplugged(module: dict[str, Any]) -> None:
        _cell(module, "DFFCE")["connections"]["CE"] = []

    def driven(module: dict[str, Any]) -> None:
        for wire in module["netnames"].values():
            routing = wire["attributes"].get("ROUTING", "")
            if "/XD" in routing:
                wire["attributes"]["ROUTING"] = routing.replace("/F", "/Q")
                return

    def cut(module: dict[str, Any]) -> None:
        wire = next(w for w in module["netnames"].values() if w["attributes"].get("ROUTING"))
        wire["attributes"]["SEG_WIRES_TO_ISOLATE"] = "X1Y0/LT13"

    for change, words in (
        (cut, "the wire X1Y0/LT13 is to be cut, but is on no net"),
        (swapped, "is not reached on net"),
        (content, "look-up table 3 of memory"),
        (moved, "contradicts itself"),
        (unplugged, "port CE of cell"),
        (driven, "GW1N-9C"),
    ):
        result = run(small / "core.fs", changed(tmp_path, small, change), "GW1N-9")
        assert result.exit_code == 2, (change, result.output)
        assert words in result.output, result.output


def test_what_is_not_read_back_of_gowin_is_refused(small: Path, tmp_path: Path, chip: Chip) -> None:
    def kind(module: dict[str, Any]) -> None:
        _cell(module, "DFFNR")["type"] = "DLNR"

    def latch(module: dict[str, Any]) -> None:
        _cell(module, "DFFNR")["attributes"]["LATCH"] = f"{1:032b}"

    def constraint(module: dict[str, Any]) -> None:
        _cell(module, "IBUF")["attributes"]["&SINGLE_RESISTOR=ON"] = "x"

    def standard(module: dict[str, Any]) -> None:
        _cell(module, "IBUF")["attributes"]["&IO_TYPE=SSTL15"] = "x"

    def value(module: dict[str, Any]) -> None:
        _cell(module, "OBUF")["attributes"]["&DRIVE=many"] = "x"

    def width(module: dict[str, Any]) -> None:
        _cell(module, "DP")["parameters"]["BIT_WIDTH_0"] = f"{7:b}"

    def row(module: dict[str, Any]) -> None:
        _cell(module, "DP")["parameters"]["INIT_RAM_03"] = "12"

    def kind_of_ram(module: dict[str, Any]) -> None:
        _cell(module, "DP")["type"] = "SDPX"

    def clock_buffer(module: dict[str, Any]) -> None:
        cell = _cell(module, "GSR")
        cell["type"], cell["port_directions"] = "BUFG", {"O": "output"}
        cell["connections"] = {"O": cell["connections"]["GSRI"]}

    for change, words in (
        (kind, "is a DLNR, which is not read back"),
        (latch, "is a latch, which is not read back"),
        (constraint, "has the constraint SINGLE_RESISTOR, which is not read back"),
        (standard, "is SSTL15, which is not read back"),
        (value, "which the database does not have"),
        (width, "has the width 7, which is not read back"),
        (row, "is not written in binary"),
        (kind_of_ram, "is a SDPX, which is not read back"),
        (clock_buffer, "has an output, which is not read back"),
    ):
        with pytest.raises(UsageError, match=words):
            read_routed(changed(tmp_path, small, change), chip)


def test_bad_gowin_input(small: Path, tmp_path: Path) -> None:
    bitstream, routed = small / "core.fs", small / "routed.json"
    (tmp_path / "text").write_text("nothing of the kind\n", encoding="ascii")
    (tmp_path / "empty").write_text("", encoding="ascii")
    lines = bitstream.read_text(encoding="ascii").splitlines()
    (tmp_path / "short.fs").write_text("\n".join(lines[:200]) + "\n", encoding="ascii")
    for result, word in (
        (run(tmp_path / "none.fs", routed, "GW1N-9"), "cannot read"),
        (run(tmp_path / "text", routed, "GW1N-9"), "no intact Gowin bitstream"),
        (run(tmp_path / "empty", routed, "GW1N-9"), "no intact Gowin bitstream"),
        (run(tmp_path / "short.fs", routed, "GW1N-9"), "incomplete"),
        (run(bitstream, routed, "GW2A-18"), "GW2A-18 has the chip 'GW2A-18'"),
        (run(bitstream, tmp_path / "none.json", "GW1N-9"), "cannot read"),
        (run(bitstream, tmp_path / "text", "GW1N-9"), "no netlist in JSON"),
        (run(bitstream, small / "netlist.json", "GW1N-9"), "no routed netlist"),
    ):
        assert result.exit_code == 2, result.output
        assert word in result.output, result.output


def test_a_routed_netlist_of_another_gowin_chip(small: Path) -> None:
    with pytest.raises(UsageError, match="was not routed for the Gowin chip 'GW2A-18'"):
        read_routed(small / "routed.json", _CHIPS("GW2A-18"))


def test_gowin_chips() -> None:
    assert (chip_of(GW1N), chip_of(GW2A)) == ("GW1N-9C", "GW2A-18")
    with pytest.raises(UsageError, match="name no Gowin chip"):
        chip_of(device("iCE40HX8K"))
    with pytest.raises(AesforgeError, match="no database of the Gowin chip 'GW1N-7'"):
        Chip("GW1N-7")


def test_a_wire_between_tiles_has_one_name(chip: Chip) -> None:
    """A wire of one, two and eight tiles, the ones that lead both ways, and a turn at the edge."""
    for first, other in (
        (((5, 7), "N100"), ((4, 7), "N101")),
        (((5, 7), "E230"), ((5, 9), "E232")),
        (((5, 7), "S810"), ((13, 7), "S818")),
        (((5, 7), "SN10"), ((4, 7), "N111")),
        (((5, 7), "SN10"), ((6, 7), "S111")),
        (((5, 7), "EW20"), ((5, 6), "W121")),
        (((0, 7), "N200"), ((0, 7), "S201")),
        (((5, 46), "E260"), ((5, 46), "W261")),
        (((5, 7), "COUT2"), ((5, 7), "CIN3")),
        (((5, 7), "COUT5"), ((5, 8), "CIN0")),
        (((5, 7), "VCC"), ((9, 1), "VCC")),
    ):
        assert chip.wire(*first) == chip.wire(*other), (first, other)
    assert chip.wire((5, 7), "E230") != chip.wire((5, 8), "E230")

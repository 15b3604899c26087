# SPDX-License-Identifier: Apache-2.0
"""What a cell of a routed netlist for GateMate configures, and which switches its nets need."""

from __future__ import annotations

import re
from pathlib import Path

from aesforge.netlist.module import Cell, Module
from aesforge.prove.bitstream.gatemate.chip import CELL, Chip, Place, Switch
from aesforge.prove.bitstream.gatemate.readback import DEVICE, cell_place, pins_place, words_place
from aesforge.prove.bitstream.routed import Expected, Routed, Wires, placed_module

_BEL = re.compile(r"X(\d+)Y(\d+)/(\w+)")
_WIRE = re.compile(r"X(\d+)Y(\d+)/([\w.\[\]]+)")
_PIP = re.compile(r"X(\d+)Y(\d+)/([\w.\[\]]+)/([\w.\[\]]+)(/INV)?")
_UPPER, _LOWER, _WHOLE = "CPE_LT_U", "CPE_LT_L", "CPE_LT_FULL"
# The lower half of a place has the last words of its look-up tables.
_RENAMED = {
    _LOWER: {"INIT_L00": "INIT_L02", "INIT_L01": "INIT_L03", "INIT_L10": "INIT_L11"},
    "CPE_RAMIO_U": {"C_RAM_I": "C_RAM_I2", "C_RAM_O": "C_RAM_O2"},
    "CPE_RAMIO_L": {"C_RAM_I": "C_RAM_I1", "C_RAM_O": "C_RAM_O1"},
}
# What only tells how the netlist came about.
_NO_WORDS = ("L2T4_UPPER", "MULT_INVERT")
# The inputs of each small look-up table: its word, and the input that a word of the cell replaces.
_TABLES = {
    _UPPER: (
        ("INIT_L00", "IN1", "IN2", "C_I1", "PINY1"),
        ("INIT_L01", "IN3", "IN4", "C_I2", "CINX"),
    ),
    _LOWER: (
        ("INIT_L00", "IN1", "IN2", "C_I3", "PINY1"),
        ("INIT_L01", "IN3", "IN4", "C_I4", "PINX"),
    ),
    _WHOLE: (
        ("INIT_L00", "IN1", "IN2", "C_I1", "PINY1"),
        ("INIT_L01", "IN3", "IN4", "C_I2", "CINX"),
        ("INIT_L02", "IN5", "IN6", "C_I3", "PINY1"),
        ("INIT_L03", "IN7", "IN8", "C_I4", "PINX"),
    ),
}
# The word of a cell that chooses what drives a wire inside, for switches without one of their own.
_CHOSEN_BY = {
    **{f"CPE.TI{2 * number}_int": f"C_I{number}" for number in range(1, 5)},
    **{"CPE.CLK_int": "C_CLKSEL", "CPE.EN_int": "C_ENSEL"},
}
_MULTIPLEXER = "CPE_MX4"
_FLIP_FLOPS = ("CPE_FF", "CPE_LATCH")
# The wire of a pin, by the place of its cell, where it has not the name of the pin.
_WIRES = {
    _UPPER: {
        **{f"IN{n}": f"IN{n}_int" for n in range(1, 5)},
        "OUT": "COMBOUT2_int",
        "CPOUT": "CPOUT2_int",
    },
    _LOWER: {
        **{f"IN{n}": f"IN{n + 4}_int" for n in range(1, 5)},
        "OUT": "COMBOUT1_int",
        "CPOUT": "CPOUT1_int",
        "COMBIN": "COMBIN_int",
    },
    _WHOLE: {
        **{f"IN{n}": f"IN{n}_int" for n in range(1, 9)},
        **{"OUT1": "COMBOUT1_int", "OUT2": "COMBOUT2_int", "MUXOUT": "MUXOUT_int"},
        **{"CPOUT1": "CPOUT1_int", "CPOUT2": "CPOUT2_int"},
    },
    "CPE_FF_U": {"DIN": "DIN2_int", "DOUT": "DOUT2_int", "CLK": "CLK_int", "EN": "EN_int"},
    "CPE_FF_L": {"DIN": "DIN1_int", "DOUT": "DOUT1_int", "CLK": "CLK_int", "EN": "EN_int"},
    "CPE_RAMIO_U": {"I": "OUT2_int", "OUT": "OUT2", "RAM_I": "RAM_I2", "RAM_O": "RAM_O2"},
    "CPE_RAMIO_L": {"I": "OUT1_int", "OUT": "OUT1", "RAM_I": "RAM_I1", "RAM_O": "RAM_O1"},
    "CPE_BRIDGE": {**{f"IN{n}": f"IN{n}_int" for n in range(1, 9)}, "MUXOUT": "MUXOUT_int"},
    "CPE_CPLINES": {"OUT1": "OUT1_IN_int", "OUT2": "OUT2_IN_int", "COMPOUT": "COMPOUT_IN_int"},
}


def read_routed(path: Path, chip: Chip) -> Expected:
    """Read a routed netlist.

    Args:
        path: of the file that `nextpnr-himbaechel --write` wrote.
        chip: of the device that it was routed for.

    Raises:
        UsageError: there is no such file, it is not routed, is for another device, or has a cell
            that is not read back.
        AesforgeError: it is no netlist, or contradicts itself.
    """
    return _Routed(path, placed_module(path, "nextpnr-himbaechel-gatemate"), chip).expected()


class _Routed(Routed):
    kinds = (
        *("CPE_L2T4", "CPE_ADDF", "CPE_ADDF2", "CPE_MX4", "CPE_CPLINES", "CPE_BRIDGE", "CPE_RAMO"),
        *(*_FLIP_FLOPS, "IOSEL", "CPE_IBUF", "CPE_OBUF", "CPE_IOBUF", "GLBOUT"),
    )

    def __init__(self, path: Path, module: Module, chip: Chip) -> None:
        super().__init__(path, module, f"GateMate {chip.name}", chip.wires)
        self.chip = chip
        # The switch that drives a wire, and its tile.
        self.ways: dict[int, tuple[Place, Switch]] = {}
        # What drives the first wire of a net, through a cell.
        self.before: dict[int, int] = {}
        self.net_of: dict[int, int] = {}
        # The words of cells that nets need.
        self.chosen: list[tuple[Place, str, dict[str, int]]] = []
        # Cells wait until all nets are known: a net passes cells, and is inverted on its way.
        self.cells: list[tuple[str, Cell, Place, str]] = []

    def _split(self, pattern: re.Pattern[str], name: str) -> tuple[Place, re.Match[str]] | None:
        """Return the place in a name, and its other parts; None where it is no such name."""
        match = pattern.fullmatch(name)
        if match is None or not self.chip.has((int(match[1]), int(match[2]))):
            return None
        return (int(match[1]), int(match[2])), match

    # --- Nets ------------------------------------------------------------------------------------

    def wire(self, name: str) -> int:
        found = self._split(_WIRE, name)
        if found is None or found[1][3] not in self.chip.kind(found[0]).number:
            raise self.other_chip(f"there is no wire {name}")
        return self.chip.wire(found[0], found[1][3])

    def pip(self, net: str, wire: int, text: str) -> int:
        found = self._split(_PIP, text)
        if found is None:
            raise self.wrong(f"net {net} has the pip '{text}'")
        place, match = found
        ways = self.chip.kind(place).into.get(match[3], [])
        turned = match[5] is not None
        own = (way for way in ways if way.source == match[4] and way.inverts == turned)
        way = next(own, None)
        if way is None:
            raise self.other_chip(f"net {net} has the pip {text}")
        if self.chip.wire(place, match[3]) != wire:
            raise self.wrong(f"the pip {text} of net {net} does not drive {self.names[wire]}")
        self.ways[wire] = place, way
        for other in ways:
            if other.word and other.value == 0:
                self.chip.resting[wire] = self.chip.wire(place, other.source)
        return self.chip.wire(place, way.source)

    def part(self, own: Wires) -> None:
        # A net that passes a cell became two: the switch in this cell leads from the one before.
        for wire, source in own.items():
            if source is not None and source not in own:
                self.before[wire] = source
                own[wire] = None

    def keep(self, net: str, own: Wires, wire: int) -> None:
        source = self.before.get(wire, own[wire])
        place, way = self.ways.get(wire, ((0, 0), None))
        if way is not None and (way.word.startswith(CELL) or way.sink in _CHOSEN_BY):
            # A word of a cell leads to several wires, of which one counts.
            word = _CHOSEN_BY.get(way.sink, way.word.removeprefix(CELL))
            self.chosen.append((place, net, {word: way.value}))
        if way is not None and way.word:
            self.found.tiles.add(words_place(self.chip.word(place, way.word)[0]))
        switched = way is not None and way.word and not way.word.startswith(CELL)
        self.add_wire(net, wire, source if switched else None)

    def _siblings(self) -> None:
        """Add the wires that a word drives besides one of a net: one word, and two outputs."""
        for wire, (place, way) in self.ways.items():
            if not way.word or way.word.startswith(CELL):
                continue
            for other in self.chip.kind(place).words[way.word]:
                number = self.chip.wire(place, other.sink)
                if other.value == way.value and number not in self.found.nets:
                    source = self.chip.wire(place, other.source)
                    self.add_wire(self.found.nets[wire], number, source)

    # --- Cells -----------------------------------------------------------------------------------

    def place(self, name: str, cell: Cell, place: str) -> None:
        found = self._split(_BEL, place)
        if found is None:
            raise self.other_chip(f"cell {name} is at '{place}'")
        self.cells.append((name, cell, found[0], found[1][3]))

    def _pin(self, place: Place, bel: str, port: str) -> int | None:
        """Return the wire of a pin."""
        prefix = CELL if bel.startswith("CPE") else f"{bel}."
        name = prefix + _WIRES.get(bel, {}).get(port, port)
        return self.chip.wire(place, name) if name in self.chip.kind(place).number else None

    def end(self) -> None:
        self.net_of = {wire: net for net, own in self.wires.items() for wire in own}
        self._siblings()
        for name, cell, place, bel in self.cells:
            for port, bits in cell.connections.items():
                if bits and isinstance(bits[0], int) and bits[0] in self.wires:
                    is_output = cell.directions[port] == "output"
                    self._reach(name, place, bel, port, bits[0], is_output=is_output)
            settings = {
                key: int(value, 2) for key, value in cell.parameters.items() if key not in _NO_WORDS
            }
            self._invert(cell, place, bel, settings)
            self.found.tiles.add(words_place(self.chip.tile(place).spot))
            renamed = {_RENAMED.get(bel, {}).get(k, k): v for k, v in settings.items()}
            if bel.startswith("CPE"):
                self.share(cell_place(place), name, renamed)
            elif bel == "IOSEL":
                self.share(pins_place(self.chip.tile(place).spot), name, renamed)
                self.share(DEVICE, name, {f"GPIO.BANK_{self.chip.bank_of[place]}": 1})
            elif bel == "GLBOUT":
                own = {f"{bel}.{key}": value for key, value in renamed.items()}
                self.share(DEVICE, name, own)

        for place, net, words in self.chosen:
            self.share(cell_place(place), f"of net {net}", words)

    def _reach(
        self, name: str, place: Place, bel: str, port: str, net: int, *, is_output: bool
    ) -> None:
        wire = self._pin(place, bel, port)
        if wire is None or not self.is_reached(net, wire, at_driver=is_output):
            raise self.wrong(f"pin {port} of cell {name} is not on net {self.net_names[net]}")
        self.found.pins += 1

    def _inverted(self, cell: Cell, place: Place, bel: str, port: str) -> bool:
        """Return whether a net reaches a pin inverted."""
        bits = cell.connections.get(port)
        wire = self._pin(place, bel, port)
        if not bits or bits[0] not in self.wires or wire is None:
            return False
        at, result = wire, False
        passed = {wire}
        while at in self.ways:
            result ^= self.ways[at][1].inverts
            at = self.before.get(at, self.wires[self.net_of[at]][at]) or -1
            if at in passed or at not in self.net_of:
                raise self.wrong(f"what drives {self.names[wire]} leads nowhere")
            passed.add(at)
        return result

    def _invert(self, cell: Cell, place: Place, bel: str, settings: dict[str, int]) -> None:
        """Change what a cell computes by the inversions on the way to its pins."""

        def inverted(port: str) -> bool:
            return self._inverted(cell, place, bel, port)

        if cell.kind in _FLIP_FLOPS:
            word = "C_CPE_SET" if settings.get("C_EN_SR", 0) == 1 else "C_CPE_RES"
            for port, own in (("CLK", "C_CPE_CLK"), ("EN", "C_CPE_EN"), ("SR", word)):
                if inverted(port):
                    settings[own] = 3 - settings.get(own, 0)
            return
        for word, first, second, replaced, other in _TABLES.get(bel, ()):
            if cell.kind == _MULTIPLEXER and word in ("INIT_L00", "INIT_L01"):
                continue
            value = settings.get(word, 0)
            if inverted(first):
                value = (value & 0b1010) >> 1 | (value & 0b0101) << 1
            if inverted(other if settings.get(replaced) else second):
                value = (value & 0b0011) << 2 | (value & 0b1100) >> 2
            if word in settings or value:
                settings[word] = value
        if cell.kind == _MULTIPLEXER:
            turned = sum(inverted(f"IN{number + 1}") << number for number in range(4))
            settings["INIT_L11"] = settings.get("INIT_L11", 0) ^ turned

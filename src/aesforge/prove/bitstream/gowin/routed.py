# SPDX-License-Identifier: Apache-2.0
"""What a cell of a routed netlist for Gowin configures, and which switches its nets need."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from aesforge.errors import UsageError
from aesforge.netlist.module import Cell, Module
from aesforge.prove.bitstream.gowin import memory, pins
from aesforge.prove.bitstream.gowin.chip import (
    CONSTANTS,
    ISOLATION,
    MEMORY,
    NEXT_OF3,
    PIN_ROLES,
    Bit,
    Chip,
    Place,
    bank_setting,
    place_name,
)
from aesforge.prove.bitstream.gowin.config import kept
from aesforge.prove.bitstream.gowin.readback import CONTENT, HEADER
from aesforge.prove.bitstream.routed import Expected, Routed, Wires, placed_module

_BEL = re.compile(r"X(\d+)Y(\d+)/(\w+)")
_PIP = re.compile(r"X(\d+)Y(\d+)/(\w+)/(\w+)")
FLIP_FLOP = re.compile(r"DFF(N?)([SRPC]?)(E?)")
"""The kind of a flip-flop: a falling edge, set or reset, an enable."""
_FLIP_FLOPS = tuple(
    f"DFF{falling}{kind}{enable}"
    for falling in ("", "N")
    for kind in ("", "S", "R", "P", "C")
    for enable in ("", "E")
)
RESET_PORTS = {"S": "SET", "R": "RESET", "P": "PRESET", "C": "CLEAR"}
"""The port of a flip-flop's set or reset, by the letter in its kind."""
_LUTS = ("LUT1", "LUT2", "LUT3", "LUT4")
_MUXES = ("MUX2_LUT5", "MUX2_LUT6", "MUX2_LUT7", "MUX2_LUT8")
_MEMORIES = ("RAM16SDP1", "RAM16SDP2", "RAM16SDP4")
_CONSTANT_CELLS = ("GOWIN_VCC", "GOWIN_GND")
_INPUTS = "ABCD"
_BOTTOM = ("BOTTOM_IO_PORT_A", "BOTTOM_IO_PORT_B")
_THE_DEVICE = "the device"
_CHIP_SETTING = "packer.chipdb"


def read_routed(path: Path, chip: Chip) -> Expected:
    """Read a routed netlist.

    Args:
        path: of the file that `nextpnr-himbaechel --write` wrote.
        chip: of the device that it was routed for.

    Raises:
        UsageError: there is no such file, it is not routed, is for another chip, or has a cell that
            is not read back.
        AesforgeError: it is no netlist, or contradicts itself.
    """
    found = _Routed(path, placed_module(path, "nextpnr-himbaechel-gowin"), chip)
    made_for = found.module.settings.get(_CHIP_SETTING, "").strip()
    if made_for != chip.name:
        raise found.other_chip(f"{_CHIP_SETTING} is '{made_for}'")
    return found.expected()


class _Routed(Routed):
    kinds = (
        *(*_LUTS, *_FLIP_FLOPS, "ALU", *_MUXES, *_MEMORIES, *memory.KINDS, *pins.DIRECTIONS),
        *("BUFG", "GSR", *_CONSTANT_CELLS),
    )

    def __init__(self, path: Path, module: Module, chip: Chip) -> None:
        super().__init__(path, module, f"Gowin chip '{chip.name}'", chip.wires)
        self.chip = chip
        self.at: dict[tuple[Place, str], str] = {}
        # The tile of each wire's switch, and its names there; None without a bit.
        self.switch: dict[int, tuple[Place, str, str] | None] = {}
        # The look-up table through which a net reaches a flip-flop, and which input it takes.
        self.through: dict[tuple[Place, int], int] = {}
        # What each look-up table holds; what memories need it to.
        self.tables: dict[tuple[Place, int], int] = {}
        self.contents: dict[tuple[Place, int], tuple[str, int]] = {}
        # What each slice is configured to.
        self.slices: dict[tuple[Place, int], dict[str, str]] = {}
        # The set bits of each tile, and the settings that count, with the cell that needs each.
        self.bits: dict[Place, set[Bit]] = {}
        self.needed: dict[tuple[Place, str, str], str] = {}
        self.banks: dict[int, pins.Bank] = {}
        self.pins: list[tuple[str, Place, str, int, dict[str, str]]] = []
        self.constants: set[str] = set()

    # --- Nets ------------------------------------------------------------------------------------

    def wire(self, name: str) -> int:
        match = _BEL.fullmatch(name)
        if match is None or not self.chip.has(int(match[2]), int(match[1])):
            raise self.other_chip(f"there is no wire {name}")
        return self.chip.wire((int(match[2]), int(match[1])), match[3])

    def is_branch(self, name: str, pip: str) -> bool:
        # Each tile has constants of its own.
        constant = name.rsplit("/", 1)[-1]
        if pip or constant not in CONSTANTS:
            return False
        known = constant in self.constants
        self.constants.add(constant)
        return known

    def pip(self, net: str, wire: int, text: str) -> int:
        match = _PIP.fullmatch(text)
        if match is None or not self.chip.has(int(match[2]), int(match[1])):
            raise self.wrong(f"net {net} has the pip '{text}'")
        place, sink, source = (int(match[2]), int(match[1])), match[3], match[4]
        if self.chip.wire(place, sink) != wire:
            raise self.wrong(f"the pip {text} of net {net} does not drive {self.names[wire]}")
        if sink.startswith("XD") and source[0] in f"F{_INPUTS}" and source[1:] == sink[2:]:
            # What a flip-flop stores is what its look-up table puts out.
            if source[0] != "F":
                self.through[place, int(sink[2:])] = _INPUTS.index(source[0])
            self.switch[wire] = None
        else:
            switch = self.chip.kind(place).switches.get(sink)
            if switch is None or source not in switch.patterns:
                raise self.other_chip(f"net {net} has the pip {text}")
            self.switch[wire] = place, sink, source
        return self.chip.wire(place, source)

    def keep(self, net: str, own: Wires, wire: int) -> None:
        found = self.switch.get(wire)
        if own[wire] is None or found is None:
            self.add_wire(net, wire, None)
            return
        place, sink, source = found
        # Sources that set the same bits cannot be told apart: the first one stands for all.
        switch = self.chip.kind(place).switches[sink]
        first = switch.sources[switch.patterns[source]]
        self.add_wire(net, wire, self.chip.wire(place, first))
        self.found.tiles.add(place_name(place, "tile"))

    def _isolate(self) -> None:
        """Ask for the ends of long wires at which they are cut from what drives them there."""
        cut = {
            name
            for wire in self.module.wires.values()
            for name in wire.attributes.get("SEG_WIRES_TO_ISOLATE", "").strip().split(";")
            if name
        }
        for number, net in list(self.found.nets.items()):
            for place, wire in self.chip.ends(number):
                bits = self.chip.kind(place).settings.get((ISOLATION, wire))
                name = place_name(place, wire)
                if bits is not None:
                    own = set(bits) if name in cut else set()
                    self._need(f"net {net}", place, ISOLATION, own, wire)
                elif name in cut:
                    raise self.other_chip(f"the wire {name} cannot be cut")
                cut.discard(name)
        if cut:
            raise self.wrong(f"the wire {min(cut)} is to be cut, but is on no net")

    # --- Cells -----------------------------------------------------------------------------------

    def place(self, name: str, cell: Cell, place: str) -> None:
        match = _BEL.fullmatch(place)
        if match is None or not self.chip.has(int(match[2]), int(match[1])):
            raise self.other_chip(f"cell {name} lies at '{place}'")
        at, bel = (int(match[2]), int(match[1])), match[3]
        if cell.kind in _CONSTANT_CELLS:
            return
        if cell.kind == "BUFG":
            # nextpnr routes the clock's own net through it, and leaves it without an output.
            if cell.connections.get("O"):
                raise UsageError(f"the clock buffer {name} has an output, which is not read back")
            return
        if cell.kind == "GSR":
            self._reach(name, cell, at, {"GSRI": self._global_reset(at)})
            return
        # The database has no place of a wide multiplexer, and one of a memory under another name.
        needed = {**dict.fromkeys(_MUXES, "LUT0"), **dict.fromkeys(_MEMORIES, "RAM16")}
        if needed.get(cell.kind, bel) not in self.chip.kind(at).bels:
            raise self.other_chip(f"cell {name} lies at '{place}'")
        self._take(name, at, bel)
        if cell.kind in _LUTS:
            self._table(name, cell, at, bel)
        elif cell.kind in _FLIP_FLOPS:
            self._flip_flop(name, cell, at, bel)
        elif cell.kind == "ALU":
            self._carry(name, cell, at, bel)
        elif cell.kind in _MEMORIES:
            self._memory(name, cell, at)
        elif cell.kind in memory.KINDS:
            self._block_ram(name, cell, at)
        elif cell.kind in _MUXES:
            self._reach(name, cell, at, _mux_pins(int(bel[3:])))
        else:
            self._pin(name, cell, at, bel)

    def _take(self, name: str, at: Place, bel: str) -> None:
        if (at, bel) in self.at:
            raise self.wrong(f"cells {self.at[at, bel]} and {name} lie at {place_name(at, bel)}")
        self.at[at, bel] = name

    def _reach(
        self,
        name: str,
        cell: Cell,
        at: Place,
        wires: Mapping[str, str | tuple[str, ...]],
        *,
        pad: str = "",
    ) -> None:
        """Check that the pins of a cell lie on their nets.

        Args:
            name: of the cell.
            cell: the cell.
            at: its tile.
            wires: the wire, or all wires, at each port; one of several bits is as `DI[0]`.
            pad: the port of a pin that is outside, and on no wire.
        """
        pins = {
            f"{port}[{index}]" if f"{port}[0]" in wires else port: (port, net)
            for port, bits in cell.connections.items()
            if port != pad
            for index, net in enumerate(bits)
        }
        for pin, (port, net) in pins.items():
            if not isinstance(net, int):
                raise self.wrong(f"port {pin} of cell {name} has the constant {net}")
            if pin not in wires:
                raise UsageError(f"port {pin} of cell {name} is connected, which is not read back")
            drives = cell.directions[port] == "output"
            if net not in self.wires:
                if drives:
                    continue  # nothing reads it
                raise self.wrong(f"port {pin} of cell {name} is on a net without wires")
            # A carry, and what a wide multiplexer chooses from, comes without a switch.
            at_driver = drives or port == "CIN" or (cell.kind in _MUXES and port in ("I0", "I1"))
            own = wires[pin]
            for wire in (own,) if isinstance(own, str) else own:
                if not self.is_reached(net, self.chip.wire(at, wire), at_driver=at_driver):
                    raise self.wrong(
                        f"port {pin} of cell {name} is not {'the driver' if drives else 'reached'} "
                        f"on net {self.net_names[net]}"
                    )
                self.found.pins += 1

    def _need(self, owner: str, at: Place, bel: str, bits: set[Bit], setting: str = "") -> None:
        """Ask for set bits of a tile, and for the settings of a place there.

        Args:
            owner: the cell.
            at: the tile.
            bel: the place.
            bits: that must be set.
            setting: the one that counts; if empty, all of the place.
        """
        self.bits.setdefault(at, set()).update(bits)
        for place, name in self.chip.kind(at).settings:
            if place == bel and setting in ("", name):
                self.needed.setdefault((at, place, name), owner)

    def _content(self, owner: str, at: Place, index: int, table: int) -> None:
        """Ask for the content of a look-up table, where a bit that is set is a 0."""
        bel = f"LUT{index}"
        self.tables[at, index] = table
        order = self.chip.kind(at).settings[bel, "INIT"]
        self._need(owner, at, bel, {bit for n, bit in enumerate(order) if not table >> n & 1})
        self.slices.setdefault((at, index // 2), {})

    def _independent(self, name: str, cell: Cell, table: int, ports: tuple[str, ...]) -> None:
        """Check that a table does not depend on inputs that no net reaches."""
        for index, port in enumerate(ports):
            step = 1 << index
            if not cell.connections.get(port) and any(
                (table >> n & 1) != (table >> (n ^ step) & 1) for n in range(16)
            ):
                raise UsageError(
                    f"cell {name} depends on its input {port}, which has no net; that is not read "
                    "back"
                )

    def _table(self, name: str, cell: Cell, at: Place, bel: str) -> None:
        index = int(bel[3:])
        wires = _table_pins(index)
        self._reach(name, cell, at, {**wires, "F": f"F{index}"})
        table = _entries(cell.parameters["INIT"])
        if cell.connections.get("F"):
            self._independent(name, cell, table, tuple(wires))
        self._content(name, at, index, table)

    def _flip_flop(self, name: str, cell: Cell, at: Place, bel: str) -> None:
        match = FLIP_FLOP.fullmatch(cell.kind)
        assert match is not None
        falling, kind, enable = match.groups()
        if int(cell.attributes.get("LATCH", "0"), 2):
            raise UsageError(f"cell {name} is a latch, which is not read back")
        index = int(bel[3:])
        row = index // 2
        reset = RESET_PORTS.get(kind)
        wires = {"D": f"XD{index}", "Q": f"Q{index}", "CLK": f"CLK{row}"}
        wires |= {reset: f"LSR{row}"} if reset else {}
        wires |= {"CE": f"CE{row}"} if enable else {}
        self._reach(name, cell, at, wires)
        for port in wires:
            if port != "Q" and not cell.connections.get(port):
                raise self.wrong(f"port {port} of cell {name} has no net")
        own = {
            "REGMODE": "FF",
            "CLKMUX_CLK": "INV" if falling else "SIG",
            "CEMUX_CE": "SIG",
            "SRMODE": "ASYNC" if kind in ("P", "C") else "UNKNOWN",
            "LSRONMUX": "LSRMUX" if kind else "0",
        }
        known = self.slices.setdefault((at, row), {})
        for attribute, value in own.items():
            if known.setdefault(attribute, value) != value:
                raise self.wrong(
                    f"cell {name} and the other of its slice need {attribute} both ways"
                )
        known[f"REG{index % 2}_REGSET"] = "SET" if kind in ("S", "P") else "RESET"
        if not enable:
            self._enabled(name, at, row)
        self.needed.setdefault((at, f"CLS{row}", ""), name)

    def _enabled(self, name: str, at: Place, row: int) -> None:
        """Ask for the constant at an enable that no net reaches."""
        wire = self.chip.wire(at, f"CE{row}")
        if self.found.nets.get(wire, CONSTANTS[0]) != CONSTANTS[0]:
            raise self.wrong(f"cell {name} has no enable, but its slice has")
        if wire not in self.found.nets:
            self.add_wire(CONSTANTS[0], wire, self.chip.wire(at, CONSTANTS[0]))

    def _carry(self, name: str, cell: Cell, at: Place, bel: str) -> None:
        index = int(bel[3:])
        self._take(name, at, f"LUT{index}")
        wires = _table_pins(index)
        more = {"CIN": f"CIN{index}", "COUT": f"COUT{index}", "SUM": f"F{index}"}
        self._reach(name, cell, at, {**wires, **more})
        if "RAW_ALU_LUT" in cell.parameters:
            table = _entries(cell.parameters["RAW_ALU_LUT"])
        else:
            mode = cell.parameters["ALU_MODE"].strip()
            modes = self.chip.kind(at).modes[bel]
            mode = mode if mode in modes else str(int(mode, 2))
            if mode not in modes:
                raise UsageError(f"cell {name} has the mode {mode}, which is not read back")
            table = modes[mode]
        if any(cell.connections.get(port) for port in ("SUM", "COUT")):
            # The lowest four entries make the carry, whatever the fourth input is.
            self._independent(name, cell, table & 0xF0FF | (table & 0xF) << 8, tuple(wires))
        self._content(name, at, index, table)
        self.slices[at, index // 2]["MODE"] = "ALU"
        self.needed.setdefault((at, f"CLS{index // 2}", ""), name)

    def _memory(self, name: str, cell: Cell, at: Place) -> None:
        """Add a RAM in look-up tables: four hold its bits, two are its write port."""
        # nextpnr has a cell for each look-up table of bits, with the content.
        for n in range(int(cell.kind[-1])):
            content = int(cell.parameters.get(f"INIT_{n}", "0"), 2)
            self.contents[at, n] = name, content
        wires: dict[str, str | tuple[str, ...]] = {"CLK": "CLK2", "WRE": "LSR2", "CE": "CE2"}
        for n, letter in enumerate(_INPUTS):
            wires[f"WAD[{n}]"], wires[f"DI[{n}]"] = f"{letter}4", f"{letter}5"
            wires[f"RAD[{n}]"] = tuple(f"{letter}{m}" for m in range(4))
            wires[f"DO[{n}]"] = f"F{n}"
        self._reach(name, cell, at, wires)
        for n in (4, 5):
            self._take(name, at, f"LUT{n}")
        for row in range(4):
            self.slices.setdefault((at, row), {})["MODE"] = "SSRAM"
            self.needed.setdefault((at, f"CLS{row}", ""), name)
        write = {"LSRONMUX": "LSRMUX", "LSR_MUX_LSR": "INV", "CLKMUX_CLK": "SIG"}
        self.slices[at, 2].update(write)

    @cached_property
    def _constant_nets(self) -> set[int]:
        return {
            bits[0]
            for cell in self.module.cells.values()
            if cell.kind in _CONSTANT_CELLS
            for bits in cell.connections.values()
            if bits and isinstance(bits[0], int)
        }

    def _block_ram(self, name: str, cell: Cell, at: Place) -> None:
        self._reach(name, cell, at, self.chip.kind(at).ports[MEMORY])
        attributes = memory.attributes_of(name, cell, self._constant_nets)
        for tile in ((at[0], at[1] + n) for n in range(memory.TILES)):
            image = self.chip.image(tile, f"{MEMORY}_{cell.kind}", "BSRAM", attributes)
            self._need(name, tile, MEMORY, image)
        place = place_name(at, CONTENT)
        for row, (value, opened) in (memory.content_of(name, cell) or {}).items():
            self.found.need(place, name, {row: value})
            if opened:
                self.found.undefined[place, row] = opened

    def _pin(self, name: str, cell: Cell, at: Place, bel: str) -> None:
        ports = self.chip.kind(at).ports[bel]
        inner = "O" if cell.kind == "IBUF" else "I"
        outer = "I" if inner == "O" else "O"
        if not cell.connections.get(outer):
            raise UsageError(f"pin {name} has no pad")
        # An output at the bottom of some chips needs constants at two wires.
        constants = zip(_BOTTOM, self.chip.data.bottom_io, strict=False)
        bottom = {port: wire for port, wire in constants if wire}
        self._reach(name, cell, at, {**bottom, inner: ports[inner]}, pad=outer)
        bank = self.chip.bank(at)
        if bank is None:
            raise self.other_chip(f"pin {name} lies at {place_name(at, bel)}, which has no bank")
        attributes = pins.attributes_of(name, cell)
        self.banks.setdefault(bank, pins.Bank()).pins.append((cell.kind, attributes))
        self.pins.append((name, at, bel, bank, attributes))

    def _global_reset(self, at: Place) -> str:
        found = self.chip.data.extra_func.get(at, {}).get("gsr")
        if not found:
            raise self.other_chip(f"the global reset lies at X{at[1]}Y{at[0]}")
        return str(found["wire"])

    # --- What only all cells tell ----------------------------------------------------------------

    def end(self) -> None:
        self._isolate()
        for (at, index), taken in self.through.items():
            table = sum((n >> taken & 1) << n for n in range(16))
            self._take("a way through its look-up table", at, f"LUT{index}")
            self._content("a way through its look-up table", at, index, table)
        for (at, index), (name, content) in self.contents.items():
            if self.tables.get((at, index)) != content:
                raise self.wrong(f"look-up table {index} of memory {name} has another content")
        for (at, row), attributes in self.slices.items():
            self._slice(at, row, attributes)
        try:
            for name, at, bel, number, attributes in self.pins:
                bank = self.banks[number]
                for of_pin in (bank.of_pin(attributes), bank.of_unused()):
                    self._need(name, at, bel, self.chip.image(at, bel, "IOB", of_pin))
            for number, bank in self.banks.items():
                at = self.chip.banks[number]
                image = self.chip.image(at, "BANK", "IOB", bank.attributes(), bank=number)
                self._need(_THE_DEVICE, at, "BANK", image, bank_setting(number))
        except KeyError as error:
            raise UsageError(f"a pin has {error}, which the database does not have") from None
        for at in self.chip.places:
            self._whole_device(at)
        for at in {at for at, *_ in self.needed}:
            self._need(_THE_DEVICE, at, "tile", self.chip.constant(at))
        for (at, bel, setting), owner in self.needed.items():
            if setting:
                value = self.chip.kind(at).value(bel, setting, self.bits[at])
                self.found.need(place_name(at, bel), owner, {setting: value})
            self.found.tiles.add(place_name(at, "tile"))
        header = {f"command {n}": kept(line).hex() for n, line in enumerate(self.chip.header)}
        self.found.need(HEADER, _THE_DEVICE, header)

    def _slice(self, at: Place, row: int, attributes: dict[str, str]) -> None:
        """Ask for the settings of a slice: of its look-up tables, carries and flip-flops."""
        table = f"CLS{row}"
        if not any(bel == table for bel, _ in self.chip.kind(at).settings):
            return
        is_memory = attributes.get("MODE") == "SSRAM"
        if "REGMODE" not in attributes and not is_memory:
            attributes |= {"LSRONMUX": "0", "CLKMUX_1": "1"}
        for half in (0, 1):
            attributes.setdefault(f"REG{half}_REGSET", "UNKNOWN" if is_memory else "RESET")
        owner = self.needed.pop((at, table, ""), "")
        owner = owner or self.at.get((at, f"LUT{2 * row}")) or self.at[at, f"LUT{2 * row + 1}"]
        self._need(owner, at, table, self.chip.image(at, table, "SLICE", attributes))

    def _whole_device(self, at: Place) -> None:
        """Ask for the global set and reset, and for what the end of configuration waits for."""
        places = {bel for bel, _ in self.chip.kind(at).settings}
        if "GSR" in places:
            own = {"GSRMODE": "ACTIVE_LOW"}
            self._need(_THE_DEVICE, at, "GSR", self.chip.image(at, "GSR", "GSR", own))
        if "CFG" in places:
            first = dict.fromkeys(("GSR", "GOE", "DONE", "GWD"), "F0")
            bits = self.chip.image(at, "CFG", "CFG", first)
            bits |= self.chip.image(at, "CFG", "CFG", {"GSR": "USED"})
            self._need(_THE_DEVICE, at, "CFG", bits)
            # The packer's options give a configuration pin to the design, not the netlist.
            self.needed.pop((at, "CFG", PIN_ROLES), None)


def _table_pins(index: int) -> dict[str, str]:
    """Return the wire at each input of a look-up table."""
    return {f"I{n}": f"{letter}{index}" for n, letter in enumerate(_INPUTS)}


def _entries(text: str) -> int:
    """Return the 16 entries of a look-up table; one of fewer inputs depends on no other."""
    digits = text.strip()[-16:]
    return int(digits * (16 // len(digits)), 2)


def _mux_pins(index: int) -> dict[str, str]:
    """Return the wire at each port of a wide multiplexer; the inputs are outputs of others."""
    inputs = {1: ("OF2", "OF0"), 3: ("OF5", "OF1"), 5: ("OF6", "OF4"), 7: (NEXT_OF3, "OF3")}
    low, high = inputs.get(index, (f"F{index}", f"F{index + 1}"))
    return {"I0": low, "I1": high, "S0": f"SEL{index}", "O": f"OF{index}"}

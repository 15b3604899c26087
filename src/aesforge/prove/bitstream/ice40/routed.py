# SPDX-License-Identifier: Apache-2.0
"""What a cell of a routed netlist for iCE40 configures, and which switches its nets need."""

from __future__ import annotations

import re
from pathlib import Path

from aesforge.errors import UsageError
from aesforge.netlist.module import Cell, Module
from aesforge.prove.bitstream.ice40.chip import Chip
from aesforge.prove.bitstream.layout import Settings
from aesforge.prove.bitstream.routed import Expected, Routed, Wires, placed_module

_PIP = re.compile(r"X(\d+)/Y(\d+)/(\d+)\.(\d+)\.(.+)\.->\.(\d+)\.(\d+)\.(.+)")
_LUT_INPUT = re.compile(r"(X\d+/Y\d+)/lutff_(\d):in_(\d)(_lut)?")
_IO_PINS = {
    "D_IN_0": "io_{z}:D_IN_0",
    "D_IN_1": "io_{z}:D_IN_1",
    "D_OUT_0": "io_{z}:D_OUT_0",
    "D_OUT_1": "io_{z}:D_OUT_1",
    "OUTPUT_ENABLE": "io_{z}:OUT_ENB",
    "INPUT_CLK": "io_global:inclk",
    "OUTPUT_CLK": "io_global:outclk",
    "CLOCK_ENABLE": "io_global:cen",
    "LATCH_INPUT_VALUE": "io_global:latch",
}
_LC_PINS = {
    **{f"I{k}": f"lutff_{{z}}:in_{k}_lut" for k in range(4)},
    "O": "lutff_{z}:out",
    "LO": "lutff_{z}:lout",
    "COUT": "lutff_{z}:cout",
    "CLK": "lutff_global:clk",
    "CEN": "lutff_global:cen",
    "SR": "lutff_global:s_r",
}
# Which row of a column drives the global networks of which rows: from Project IceStorm's `.colbuf`.
_COLUMN_BUFFERS = {
    "8k": ((8, 0, 8), (9, 9, 16), (24, 17, 24), (25, 25, 33)),
    "5k": ((4, 0, 4), (5, 5, 10), (14, 11, 14), (15, 15, 20), (26, 21, 26), (27, 27, 31)),
}
CHIPS = tuple(_COLUMN_BUFFERS)


def read_routed(path: Path, chip: Chip) -> Expected:
    """Read a routed netlist.

    Args:
        path: of the file that `nextpnr-ice40 --write` wrote.
        chip: of the device that it was routed for.

    Raises:
        UsageError: there is no such file, it is not routed, is for another chip, or has a cell that
            is not read back.
        AesforgeError: it is no netlist, or contradicts itself.
    """
    return _Routed(path, placed_module(path, "nextpnr-ice40"), chip).expected()


class _Routed(Routed):
    """A routed netlist on its way to what it needs."""

    kinds = ("ICESTORM_LC", "SB_IO", "SB_GB", "ICESTORM_RAM")

    def __init__(self, path: Path, module: Module, chip: Chip) -> None:
        super().__init__(path, module, f"iCE40 chip '{chip.name}'", chip.wires)
        self.chip = chip
        # Which input of a look-up table takes which of the cell's inputs, by place.
        self.order: dict[tuple[str, int], int] = {}
        self.through: dict[str, int] = {}

    def wire(self, name: str) -> int:
        number = self.chip.wire_numbers.get(name)
        if number is None:
            raise self.other_chip(f"there is no wire {name}")
        return number

    def end(self) -> None:
        for place, way in self.through.items():
            if place in self.found.cells:
                raise self.wrong(f"a net leads through {place}, which holds a cell")
            zeros = ("CARRY_ENABLE", "DFF_ENABLE", "SET_NORESET", "ASYNC_SR")
            settings: Settings = {"LUT_INIT": 1 << (1 << way), **dict.fromkeys(zeros, 0)}
            self.found.need(place, "a way through its look-up table", settings)

    def pip(self, net: str, wire: int, text: str) -> int:
        match = _PIP.fullmatch(text)
        if match is None:
            raise self.wrong(f"net {net} has the pip '{text}'")
        if match[5].startswith("glb_netwk_"):
            self._column_buffer(net, int(match[1]), int(match[2]), match[5])
        return self.wire(f"X{match[3]}/Y{match[4]}/{match[5]}")

    def keep(self, net: str, own: Wires, wire: int) -> None:
        text, source = self.names[wire], own[wire]
        if source is not None and (source, wire) in self.chip.inner:
            before = _LUT_INPUT.fullmatch(self.names[source])
            assert before is not None
            place = f"{before[1]}/lc{before[2]}"
            if before[4] is None:
                self.order[place, int(text[-5])] = int(before[3])
                return
            # Through the table, to its output: what comes after is driven by the table.
            entered = own[source]
            assert entered is not None
            self.through[place] = int(self.names[entered][-1])
            source = None
        self.add_wire(net, wire, source)

    def _column_buffer(self, net: str, x: int, y: int, network: str) -> None:
        for row, first, last in _COLUMN_BUFFERS[self.chip.name]:
            if first <= y <= last:
                self.found.need(f"X{x}/Y{row}/column buffers", f"net {net}", {network: 1})

    def place(self, name: str, cell: Cell, place: str) -> None:
        if place not in self.chip.bels:
            raise self.other_chip(f"cell {name} lies at '{place}'")
        if self.found.owners.get(place) is not None:
            raise self.wrong(f"cells {self.found.owners[place]} and {name} lie at {place}")
        self._check_pins(name, cell, place)
        {
            "ICESTORM_LC": self._logic,
            "SB_IO": self._pin,
            "SB_GB": self._buffer,
            "ICESTORM_RAM": self._memory,
        }[cell.kind](name, cell, place)

    def _check_pins(self, name: str, cell: Cell, place: str) -> None:
        pins = {self.chip.wires[wire].rsplit("/", 1)[1]: wire for wire in self.chip.bels[place]}
        pins |= {pin[:-2]: wire for pin, wire in pins.items() if pin.startswith("glb_netwk_")}
        z = int(place[-1]) if place[-1].isdigit() else 0
        for port, bits in cell.connections.items():
            if not bits or port == "PACKAGE_PIN":
                continue
            if not isinstance(bits[0], int):
                raise self.wrong(f"port {port} of cell {name} has the constant {bits[0]}")
            drives = cell.directions[port] == "output"
            if bits[0] not in self.wires:
                if drives:
                    continue  # nothing reads it
                raise self.wrong(f"port {port} of cell {name} is on a net without wires")
            pin = self._pin_of(cell.kind, port, z)
            wire = pins.get(pin, -1)
            # A carry goes into the next cell of its tile on the wire on which it comes out.
            at_driver = drives or (port == "CIN" and z > 0)
            if not self.is_reached(bits[0], wire, at_driver=at_driver):
                raise self.wrong(
                    f"port {port} of cell {name} is not {'the driver' if drives else 'reached'} "
                    f"on net {self.net_names[bits[0]]}"
                )
            self.found.pins += 1

    def _pin_of(self, kind: str, port: str, z: int) -> str:
        if kind == "ICESTORM_LC":
            if port == "CIN":
                return f"lutff_{z - 1}:cout" if z else "carry_in_mux"
            return _LC_PINS[port].format(z=z)
        if kind == "SB_IO":
            return _IO_PINS[port].format(z=z)
        if kind == "SB_GB":
            return "fabout" if port == "USER_SIGNAL_TO_GLOBAL_BUFFER" else "glb_netwk"
        return f"ram:{port}"

    def _logic(self, name: str, cell: Cell, place: str) -> None:
        value = _values(cell)
        order = {k: self.order[place, k] for k in range(4) if (place, k) in self.order}
        free = [k for k in range(4) if k not in order.values()]
        for k in range(4):
            if k not in order:
                order[k] = free.pop(0)
        # The carry is a majority: it takes these two in any order, but no other.
        if value["CARRY_ENABLE"] and any(
            (place, k) in self.order and order[k] not in (1, 2) for k in (1, 2)
        ):
            raise self.wrong(f"an input of the carry {name} does not reach it")
        table = 0
        for address in range(16):
            if value["LUT_INIT"] >> address & 1:
                table |= 1 << sum((address >> k & 1) << order[k] for k in range(4))
        names = ("CARRY_ENABLE", "DFF_ENABLE", "SET_NORESET", "ASYNC_SR")
        self.found.need(place, name, {"LUT_INIT": table, **{one: value[one] for one in names}})
        tile = f"{place.rsplit('/', 1)[0]}/tile"
        own: Settings = {}
        if value["DFF_ENABLE"]:
            own["NegClk"] = value["NEG_CLK"]
        if place.endswith("lc0") and (value["CARRY_ENABLE"] or value["CIN_CONST"]):
            own["CarryInSet"] = value["CIN_SET"] if value["CIN_CONST"] else 0
        self.share(tile, name, own)

    def _pin(self, name: str, cell: Cell, place: str) -> None:
        value = _values(cell)
        if "LVDS" in cell.parameters.get("IO_STANDARD", "") or value["PULLUP"]:
            raise UsageError(f"pin {name} is differential or has a pull-up, which is not read back")
        read = any(
            isinstance(bit, int) and bit in self.wires
            for port in ("D_IN_0", "D_IN_1")
            for bit in cell.connections.get(port, [])
        )
        settings = {
            "PIN_TYPE": value["PIN_TYPE"] & 63,
            "input enable": int(read),
            "no pull-up": 1,
        }
        if self.chip.name == "5k":
            settings["pull-up resistor"] = 8
        self.found.need(place, name, settings)
        tile = f"{place.rsplit('/', 1)[0]}/tile"
        shared: Settings = {"LVDS": 0, "Icegate": 0, "test and alternate input": 0}
        if cell.connections.get("INPUT_CLK") or cell.connections.get("OUTPUT_CLK"):
            shared["NegClk"] = 3 * value["NEG_TRIGGER"]
        self.share(tile, name, shared)

    def _buffer(self, name: str, cell: Cell, place: str) -> None:
        if not cell.connections.get("USER_SIGNAL_TO_GLOBAL_BUFFER"):
            raise UsageError(
                f"global buffer {name} is driven by its pin directly (SB_GB_IO), which is not read "
                "back"
            )
        # Its only setting, the way from its pin, is one of the bits outside the tiles.
        self.found.need(place, name, {})

    def _memory(self, name: str, cell: Cell, place: str) -> None:
        value = _values(cell)
        names = ("WRITE_MODE", "READ_MODE", "NEG_CLK_R", "NEG_CLK_W")
        settings = {one: value[one] for one in names} | {"power": 1}
        settings |= {f"upper cascade {index}": 0 for index in range(4, 8)}
        for row in range(16):
            text = cell.parameters.get(f"INIT_{row:X}", "0")
            setting = f"INIT_{row:X}"
            settings[setting] = int(re.sub("[xz]", "0", text), 2)
            self.found.undefined[place, setting] = int(
                re.sub("[xz]", "2", text).replace("1", "0").replace("2", "1"), 2
            )
        self.found.need(place, name, settings)


class _Values(dict[str, int]):
    def __missing__(self, key: str) -> int:
        return 0


def _values(cell: Cell) -> _Values:
    """Return a cell's parameters that are numbers; those that are left out are 0."""
    found = _Values()
    for name, text in cell.parameters.items():
        digits = text.strip()
        if digits and set(digits) <= {"0", "1"}:
            found[name] = int(digits, 2)
    return found

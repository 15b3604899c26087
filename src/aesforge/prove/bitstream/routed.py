# SPDX-License-Identifier: Apache-2.0
"""From nextpnr's routed netlist to the cells and wires that a bitstream must configure.

Each cell has its place in the attribute `NEXTPNR_BEL`; each net has its wires, and what drives each
of them, in the attribute `ROUTING`. The netlist is checked first: each pin of a net must lie on the
net's wires, which all must lead back to the pin that drives it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from aesforge.errors import AesforgeError, UsageError, one_of
from aesforge.netlist.module import Cell, Module, read_modules
from aesforge.prove.bitstream.chip import Chip
from aesforge.prove.bitstream.readback import Settings

_PIP = re.compile(r"X(\d+)/Y(\d+)/(\d+)\.(\d+)\.(.+)\.->\.(\d+)\.(\d+)\.(.+)")
_LUT_INPUT = re.compile(r"(X\d+/Y\d+)/lutff_(\d):in_(\d)(_lut)?")
_KINDS = ("ICESTORM_LC", "SB_IO", "SB_GB", "ICESTORM_RAM")
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


@dataclass
class Expected:
    """What a bitstream must configure.

    Args:
        cells: the settings of each place that is used, by its name.
        owners: the name of the cell at each place.
        drivers: the wire that is switched onto each wire of a net; None at the net's own driver.
        nets: the name of the net of each wire.
        pins: how many pins of cells lie on nets.
        undefined: bits of a memory's row that the design leaves open, by place and setting.
    """

    cells: dict[str, Settings] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    drivers: dict[int, int | None] = field(default_factory=dict)
    nets: dict[int, str] = field(default_factory=dict)
    pins: int = 0
    undefined: dict[tuple[str, str], int] = field(default_factory=dict)

    def need(self, place: str, owner: str, settings: Settings) -> None:
        """Add settings of a place."""
        self.cells.setdefault(place, {}).update(settings)
        self.owners.setdefault(place, owner)


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
    try:
        modules = read_modules(path)
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror or error}") from None
    placed = [
        module
        for module in modules.values()
        if any("NEXTPNR_BEL" in cell.attributes for cell in module.cells.values())
    ]
    if len(placed) != 1:
        raise UsageError(
            f"'{path}' is no routed netlist: {len(placed)} of its modules have placed cells, one "
            "must; write it with `nextpnr-ice40 --write`"
        )
    return _Routed(path, placed[0], chip).expected()


class _Routed:
    """A routed netlist on its way to what it needs."""

    def __init__(self, path: Path, module: Module, chip: Chip) -> None:
        self.path, self.module, self.chip = path, module, chip
        self.found = Expected()
        # Which input of a look-up table takes which of the cell's inputs, by place.
        self.order: dict[tuple[str, int], int] = {}
        self.through: dict[str, int] = {}
        # The wires of each net, by its number; with those within logic cells.
        self.wires: dict[int, dict[int, int | None]] = {}
        self.names: dict[int, str] = {}

    def wrong(self, what: str) -> AesforgeError:
        return AesforgeError(f"the routed netlist '{self.path}' contradicts itself: {what}")

    def wire(self, name: str) -> int:
        number = self.chip.wire_numbers.get(name)
        if number is None:
            raise UsageError(
                f"'{self.path}' was not routed for the iCE40 chip '{self.chip.name}': there is no "
                f"wire {name}"
            )
        return number

    def expected(self) -> Expected:
        for name, wire in self.module.wires.items():
            routing = wire.attributes.get("ROUTING", "").strip()
            if routing and isinstance(wire.bits[0], int):
                self._route(name, wire.bits[0], routing)
        for name, cell in self.module.cells.items():
            self._place(name, cell)
        for place, way in self.through.items():
            if place in self.found.cells:
                raise self.wrong(f"a net leads through {place}, which holds a cell")
            zeros = ("CARRY_ENABLE", "DFF_ENABLE", "SET_NORESET", "ASYNC_SR")
            settings = {"LUT_INIT": 1 << (1 << way), **dict.fromkeys(zeros, 0)}
            self.found.need(place, "a way through its look-up table", settings)
        return self.found

    def _route(self, name: str, net: int, routing: str) -> None:
        parts = routing.split(";")
        if len(parts) % 3:
            raise self.wrong(f"the ROUTING of net {name} is no list of wire, pip and strength")
        own = self.wires.setdefault(net, {})
        self.names[net] = name
        for wire_name, pip in zip(parts[::3], parts[1::3], strict=True):
            wire = self.wire(wire_name)
            if wire in own:
                raise self.wrong(f"net {name} has the wire {wire_name} twice")
            own[wire] = None
            if pip:
                match = _PIP.fullmatch(pip)
                if match is None:
                    raise self.wrong(f"net {name} has the pip '{pip}'")
                source = self.wire(f"X{match[3]}/Y{match[4]}/{match[5]}")
                own[wire] = source
                if match[5].startswith("glb_netwk_"):
                    self._column_buffer(name, int(match[1]), int(match[2]), match[5])
        roots = [wire for wire, source in own.items() if source is None]
        if len(roots) != 1:
            raise self.wrong(f"net {name} has {len(roots)} wires that nothing drives")
        if missing := {source for source in own.values() if source is not None} - own.keys():
            wire_name = self.chip.wires[min(missing)]
            raise self.wrong(f"net {name} is driven by {wire_name}, which is not one of its wires")
        for start in own:
            passed: set[int] = set()
            at: int | None = start
            while at is not None:
                if at in passed:
                    raise self.wrong(f"net {name} drives itself at {self.chip.wires[start]}")
                passed.add(at)
                at = own[at]
        for wire, driver in own.items():
            self._keep(name, own, wire, driver)

    def _keep(self, name: str, own: dict[int, int | None], wire: int, source: int | None) -> None:
        text = self.chip.wires[wire]
        if source is not None and (source, wire) in self.chip.inner:
            before = _LUT_INPUT.fullmatch(self.chip.wires[source])
            assert before is not None
            place = f"{before[1]}/lc{before[2]}"
            if before[4] is None:
                self.order[place, int(text[-5])] = int(before[3])
                return
            # Through the table, to its output: what comes after is driven by the table.
            entered = own[source]
            assert entered is not None
            self.through[place] = int(self.chip.wires[entered][-1])
            source = None
        if wire in self.found.nets:
            raise self.wrong(f"nets {self.found.nets[wire]} and {name} share the wire {text}")
        self.found.nets[wire] = name
        self.found.drivers[wire] = source

    def _column_buffer(self, net: str, x: int, y: int, network: str) -> None:
        for row, first, last in _COLUMN_BUFFERS[self.chip.name]:
            if first <= y <= last:
                self.found.need(f"X{x}/Y{row}/column buffers", f"net {net}", {network: 1})

    def _place(self, name: str, cell: Cell) -> None:
        place = cell.attributes.get("NEXTPNR_BEL", "")
        if cell.kind not in _KINDS:
            raise UsageError(
                f"cell {name} is a {cell.kind}, which is not read back; {one_of(_KINDS)} are"
            )
        if place not in self.chip.bels:
            raise UsageError(
                f"'{self.path}' was not routed for the iCE40 chip '{self.chip.name}': cell {name} "
                f"lies at '{place}'"
            )
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
            own = self.wires.get(bits[0])
            if own is None:
                if drives:
                    continue  # nothing reads it
                raise self.wrong(f"port {port} of cell {name} is on a net without wires")
            pin = self._pin_of(cell.kind, port, z)
            wire = pins.get(pin, -1)
            # A carry goes into the next cell of its tile on the wire on which it comes out.
            at_driver = drives or (port == "CIN" and z > 0)
            if wire not in own or at_driver != (own[wire] is None):
                raise self.wrong(
                    f"port {port} of cell {name} is not {'the driver' if drives else 'reached'} "
                    f"on net {self.names[bits[0]]}"
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
        self._share(tile, name, own)

    def _share(self, tile: str, name: str, own: Settings) -> None:
        """Add settings that the cells of a tile share."""
        known = self.found.cells.get(tile, {})
        for setting, value in own.items():
            if known.get(setting, value) != value:
                raise self.wrong(
                    f"cells {self.found.owners[tile]} and {name} need {setting} both ways"
                )
        if own:
            self.found.need(tile, name, own)

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
        self._share(tile, name, shared)

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

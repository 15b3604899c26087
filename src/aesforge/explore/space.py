# SPDX-License-Identifier: Apache-2.0
"""A space: values for each choice of a design, the devices to try them on, and constraints.

A space file is TOML:

    base = "compact"                    # a preset or design file; choices not listed are its
    devices = ["HX8K", "LFE5U-25F-6"]
    seeds = 3                           # so many placements, or a list of their seeds
    constraints = ["lut <= 4000"]
    objectives = ["throughput_gbps", "lut"]

    [choices]                           # or [[choices]] several times: the union is explored
    sbox = ["table", "tower"]
    unroll = [1, 2]
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aesforge import devices as device_files
from aesforge.design import FIELD_NAMES, Design, load, why_illegal
from aesforge.design.presets import PRESETS
from aesforge.devices import Device
from aesforge.energy.model import FAMILIES
from aesforge.errors import AesforgeError, UsageError, nearest, one_of
from aesforge.explore.figures import ENERGY, Constraint, figure_named, parse_constraint
from aesforge.measure import SEEDS

KEYS = ("base", "devices", "seeds", "constraints", "objectives", "choices")
# Without block RAM among them, cores that need it would hide all that do without.
OBJECTIVES = ("throughput_gbps", "lut", "block_ram")
# What a device without placement is compared by.
OBJECTIVES_WITHOUT_CLOCK = ("bits_per_cycle", "depth", "lut", "block_ram")
# What a core does, as its user sees it; all other choices are how it does it. Points are compared
# with those that do the same.
SERVICE = ("key_bits", "direction", "key_schedule", "key_slots", "tag_bits")
CHOICES = tuple(name for name in FIELD_NAMES if name != "name")
MAX_POINTS = 100_000
MAX_SEED = 2**31 - 1


@dataclass(frozen=True)
class Space:
    """What to explore.

    Args:
        name: the file's stem.
        blocks: each a value list for every choice; their products together are the space.
        devices: where to measure.
        seeds: of the placements of every point.
        constraints: what a point has to meet.
        objectives: the figures that points are compared by.
        service: the choices that have to be the same in points that are compared.
    """

    name: str
    blocks: tuple[Mapping[str, tuple[Any, ...]], ...]
    devices: tuple[Device, ...]
    seeds: tuple[int, ...] = SEEDS
    constraints: tuple[Constraint, ...] = ()
    objectives: tuple[str, ...] = OBJECTIVES
    service: tuple[str, ...] = SERVICE

    def group(self, design: Design, device: Device) -> tuple[Any, ...]:
        """Return the group of a point: its device and the function of its core."""
        return (device.name, *(getattr(design, name) for name in self.service))

    def objectives_on(self, device: Device) -> tuple[str, ...]:
        """Return the figures that points on this device are compared by."""
        return self.objectives if has_clock(device) else OBJECTIVES_WITHOUT_CLOCK

    @property
    def wants_energy(self) -> bool:
        """Whether the energy of each core is an objective or constrained, and so counted."""
        asked = {*self.objectives, *(constraint.figure for constraint in self.constraints)}
        return ENERGY in asked

    def designs(self) -> Designs:
        """Return all designs that can be built, each once, and the others with reasons.

        Raises:
            UsageError: nothing is left, or far too much is.
        """
        illegal: Counter[str] = Counter()
        found: dict[Design, None] = {}
        repeated = 0
        for block in self.blocks:
            for choices in _legal(block, illegal):
                design = named(Design(**choices))
                repeated += design in found
                found[design] = None
                if len(found) > MAX_POINTS:
                    raise UsageError(
                        f"the space {self.name} has more than {MAX_POINTS:,} designs: list fewer "
                        "values"
                    )
        if not found:
            reasons = "".join(f"\n  {count:,} times: {why}" for why, count in _often(illegal))
            raise UsageError(
                f"the space {self.name} is empty: none of its {illegal.total():,} combinations can "
                f"be built{reasons}"
            )
        return Designs(tuple(found), illegal, repeated)


@dataclass(frozen=True)
class Designs:
    """The designs of a space.

    Args:
        legal: those that can be built, each once.
        illegal: how many combinations were left out for each reason.
        repeated: how many more combinations mean a design that is there already.
    """

    legal: tuple[Design, ...]
    illegal: Counter[str]
    repeated: int


def has_clock(device: Device) -> bool:
    """Whether cores are placed on this device; otherwise they are only synthesized."""
    return device.part.flow == "place"


def _often(reasons: Counter[str], most: int = 5) -> list[tuple[str, int]]:
    return reasons.most_common(most)


def _legal(block: Mapping[str, tuple[Any, ...]], illegal: Counter[str]) -> Iterator[dict[str, Any]]:
    """Fill in a block's choices one by one, and leave a branch as soon as it cannot be built."""
    names = list(block)
    below = [math.prod(len(block[name]) for name in names[i + 1 :]) for i in range(len(names))]

    def fill(i: int, chosen: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if i == len(names):
            yield chosen
            return
        for value in block[names[i]]:
            more = {**chosen, names[i]: value}
            if why := why_illegal(more):
                illegal[why] += below[i]
            else:
                yield from fill(i + 1, more)

    return fill(0, {})


def _cipher_word(design: Design) -> str:
    """Return the first word of a name: the kind of core."""
    if design.is_key_expansion:
        return f"keys{design.key_bits}"
    return f"aes{design.key_bits}" if design.is_standard else f"{design.scheme}-not-aes"


def named(design: Design) -> Design:
    """Return a design the name of the preset it is, or one made from its choices."""
    choices = {**design.choices()}
    for preset in PRESETS.values():
        if {**choices, "name": preset.name} == preset.choices():
            return preset
    parts = [
        _cipher_word(design),
        {"encrypt": "e", "decrypt": "d", "both": "ed"}[design.direction],
        f"u{design.unroll}" if not design.is_unrolled else "full",
        f"{design.sbox}{design.sbox_stages}-{design.linear_stages}",
    ]
    if design.mix_columns != "xtime":
        parts.append(f"m{design.mix_columns}")
    if not design.is_agile:
        parts.append(f"s{design.key_slots}")
    if design.key_sbox != "same":
        parts.append(f"k{design.key_sbox}")
    if design.tiles > 1:
        parts.append(f"t{design.tiles}")
    if design.tag_bits != 8:
        parts.append(f"g{design.tag_bits}")
    if design.delay_line != "ram":
        parts.append("reg")
    if design.is_serial:
        parts.append("b32")
    if design.shift_rows == "addressed":
        parts.append("addr")
    if design.is_checked:
        parts.append(design.error_detection)
    if design.research and design.is_standard:
        parts.append("research")
    return Design(**{**choices, "name": "-".join(parts)})


# --- From a file --------------------------------------------------------------------------------


def spaces_dir() -> Path:
    """Return the folder of the shipped spaces: inside an installed package, or of a checkout.

    Raises:
        AesforgeError: neither exists; the installation is broken.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_spaces", package.parent.parent / "spaces"):
        if folder.is_dir():
            return folder
    raise AesforgeError(
        "the shipped spaces are missing; install aesforge again, or run it from a full checkout"
    )


def shipped() -> dict[str, Path]:
    """Return the shipped spaces by name."""
    return {path.stem: path for path in sorted(spaces_dir().glob("*.toml"))}


def read_space(name_or_path: str) -> Space:
    """Read a space: the name of a shipped one, or the path of a `.toml` file.

    Raises:
        UsageError: there is no such file, or something in it is not allowed.
    """
    if not set(name_or_path) & {".", "/", "\\"}:
        known = shipped()
        if name_or_path not in known:
            raise UsageError(
                f"there is no space named '{name_or_path}'{nearest(name_or_path, known)}\n"
                f"spaces: {', '.join(known)}; a space may also be a .toml file"
            )
        path = known[name_or_path]
    else:
        path = Path(name_or_path)
    return space_of(_read_toml(path), path)


def _read_toml(path: Path) -> dict[str, Any]:
    if path.suffix != ".toml":
        raise UsageError(f"'{path}' is no space file: its name must end in .toml")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"there is no space file '{path}'; shipped spaces: {', '.join(shipped())}"
        ) from None
    except OSError as error:
        raise UsageError(f"cannot read the space file '{path}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"the space file '{path}' is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"the space file '{path}' is not valid TOML: {error}") from None


def space_of(data: Mapping[str, Any], path: Path) -> Space:
    """Return the space that a file's keys and values mean.

    Raises:
        UsageError: a key is unknown or missing, or a value is not allowed.
    """
    try:
        for key in data:
            if key not in KEYS:
                hint = nearest(key, KEYS)
                if key in CHOICES:
                    hint = f"; '{key}' is a choice: put it under [choices]"
                raise UsageError(f"there is no key '{key}'{hint}\nkeys: {', '.join(KEYS)}")
        base = _base(data.get("base"), path)
        found = _devices(data.get("devices"))
        constraints = tuple(map(parse_constraint, _texts("constraints", data)))
        _refuse_clock_without_place(constraints, found)
        space = Space(
            name=path.stem,
            blocks=_blocks(data.get("choices"), base),
            devices=found,
            seeds=_seeds(data.get("seeds", len(SEEDS))),
            constraints=constraints,
            objectives=_objectives(data),
        )
        _refuse_energy_without_simulation(space)
        return space
    except UsageError as error:
        raise UsageError(f"{path}: {error.message}") from None


def _base(base: Any, path: Path) -> dict[str, Any]:
    if base is None:
        return {}
    if not isinstance(base, str):
        raise UsageError(f"base = {base!r}: it must be a preset's name or a design file")
    # A design file is meant as seen from the space's own file.
    where = base if base in PRESETS or not base.endswith(".toml") else str(path.parent / base)
    choices = load(where).choices()
    return {name: value for name, value in choices.items() if value is not None and name != "name"}


def _devices(names: Any) -> tuple[Device, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or not names:
        known = ", ".join(device_files.devices())
        raise UsageError(
            f"devices must be a list of one or more names, such as devices = "
            f'["{next(iter(device_files.devices()), "DEV")}"]\ndevices: {known}'
        )
    # Each device once, in the order of the file.
    return tuple(
        {device_files.device(name).name: device_files.device(name) for name in names}.values()
    )


def _seeds(seeds: Any) -> tuple[int, ...]:
    if _is_int(seeds) and 1 <= seeds <= 99:
        return tuple(range(1, seeds + 1))
    if isinstance(seeds, list) and seeds and all(_is_int(seed) for seed in seeds):
        if len(set(seeds)) < len(seeds):
            raise UsageError(f"seeds = {seeds}: a seed is listed twice")
        if all(0 <= seed <= MAX_SEED for seed in seeds):
            return tuple(seeds)
    raise UsageError(
        f"seeds = {seeds!r}: it must be how many (1 to 99), or a list of whole numbers from 0 up"
    )


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _texts(key: str, data: Mapping[str, Any]) -> list[Any]:
    texts = data.get(key, [])
    if not isinstance(texts, list):
        raise UsageError(f"{key} must be a list of texts, not {texts!r}")
    return texts


def _objectives(data: Mapping[str, Any]) -> tuple[str, ...]:
    if "objectives" not in data:
        return OBJECTIVES
    names = _texts("objectives", data)
    if not names or len(set(map(str, names))) < len(names):
        raise UsageError("objectives must be a list of one or more figures, each once")
    for name in names:
        figure_named(str(name), "objectives")
    return tuple(names)


def _refuse_clock_without_place(
    constraints: Sequence[Constraint], devices: Sequence[Device]
) -> None:
    for constraint in constraints:
        if not figure_named(constraint.figure, "constraints").needs_clock:
            continue
        for device in devices:
            if not has_clock(device):
                raise UsageError(
                    f"constraint '{constraint}': {device.name} is synthesis only and has no clock; "
                    "leave the device or the constraint out"
                )


def _refuse_energy_without_simulation(space: Space) -> None:
    for device in space.devices:
        if space.wants_energy and device.family not in FAMILIES:
            raise UsageError(
                f"{ENERGY}: transitions are counted on {one_of(FAMILIES)} only, and {device.name} "
                f"is of the family {device.family}; leave the device or the figure out"
            )


def _blocks(choices: Any, base: Mapping[str, Any]) -> tuple[Mapping[str, tuple[Any, ...]], ...]:
    tables = choices if isinstance(choices, list) else [choices]
    if not tables or not all(isinstance(table, dict) for table in tables):
        raise UsageError(
            "choices must be a table with a list of values for each choice, such as\n"
            '[choices]\nsbox = ["table", "tower"]'
        )
    return tuple(_block(table, base) for table in tables)


def _block(table: Mapping[str, Any], base: Mapping[str, Any]) -> Mapping[str, tuple[Any, ...]]:
    block: dict[str, tuple[Any, ...]] = {}
    for name, values in table.items():
        if name == "name":
            raise UsageError("a space names its designs itself: leave 'name' out")
        if name not in CHOICES:
            raise UsageError(
                f"there is no choice named '{name}'{nearest(name, CHOICES)}\n"
                f"choices: {', '.join(CHOICES)}"
            )
        listed = values if isinstance(values, list) else [values]
        if not listed:
            raise UsageError(f"{name} = []: list one or more values, or leave the choice out")
        # A value that no design can have is a slip; one that clashes with others is only skipped.
        for value in listed:
            if why := why_illegal({name: value}):
                raise UsageError(why)
        block[name] = tuple(dict.fromkeys(listed))
    for name, value in base.items():
        # These belong to the base's own schedule and architecture, not to others listed here.
        bound = {
            "key_slots": {"key_schedule", "architecture"},
            "shift_rows": {"architecture"},
        }
        if name not in block and not bound.get(name, set()) & set(table):
            block[name] = (value,)
    # What neither lists is as in any design that leaves it out; rules see only what is there.
    for field in dataclasses.fields(Design):
        if field.name not in ("name", "key_slots", "shift_rows"):
            block.setdefault(field.name, (field.default,))
    if "key_expand" in block["architecture"]:
        raise UsageError(
            "architecture = key_expand: a space holds ciphers, since its figures are about blocks; "
            "measure key expansions one by one with `aesforge measure`"
        )
    return {name: block[name] for name in CHOICES if name in block}

# SPDX-License-Identifier: Apache-2.0
"""The ready-made designs, in groups: our own, and the systems of each paper; and engines.

A group is a data file beside this one, named after it: a table for each preset, with a `summary`
in one line and the choices that differ from a design's defaults.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from aesforge.design.core import Design, load_choices
from aesforge.design.engine import Engine, load_engine_choices
from aesforge.design.fields import DEFAULTS
from aesforge.errors import UsageError, nearest

# The first group is ours, from the fastest to the smallest; the others are named after their paper.
GROUPS: tuple[str, ...] = ("general", "liu2014", "rahman2010", "saggese2003", "sama", "kiran")

PRESETS: dict[str, Design] = {}
SUMMARIES: dict[str, str] = {}
# Preset name to group.
GROUP_OF: dict[str, str] = {}


# Engines: cores with modes with AXI4-Stream interfaces.
ENGINES: dict[str, Engine] = {}
ENGINE_SUMMARIES: dict[str, str] = {}
_ENGINE_CHOICES: dict[str, dict[str, Any]] = {}


def _tables(file: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads(resources.files(__name__).joinpath(file).read_text(encoding="utf-8"))


def _read(group: str) -> None:
    for name, choices in _tables(f"{group}.toml").items():
        SUMMARIES[name] = choices.pop("summary")
        PRESETS[name] = load_choices(f"preset {name}", {"name": name, **choices})
        GROUP_OF[name] = group


def _read_engines() -> None:
    for name, choices in _tables("engines.toml").items():
        ENGINE_SUMMARIES[name] = choices.pop("summary")
        _ENGINE_CHOICES[name] = choices
        source = f"preset {name}"
        ENGINES[name] = load_engine_choices(source, with_base(source, {"name": name, **choices}))


def with_base(source: str, choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return an engine's choices, with those of the core preset that `base` names filled in.

    What the preset leaves at its default stays open, and so does its encrypt direction: the modes
    decide it.

    Args:
        source: where they come from, for messages.
        choices: field name to value; `base` is optional and is not in the result.

    Raises:
        UsageError: `base` is not a preset of a core.
    """
    own = dict(choices)
    base = own.pop("base", None)
    if base is None:
        return own
    if not isinstance(base, str) or base not in PRESETS:
        hint = nearest(base, PRESETS) if isinstance(base, str) else ""
        raise UsageError(f"{source}: base = {base!r} is no preset of a core{hint}")
    return {
        name: value
        for name, value in PRESETS[base].choices().items()
        if name not in ("name", "tag_bits") and value != DEFAULTS[name]
    } | own


for _group in GROUPS:
    _read(_group)
_read_engines()


def engine_choices(name: str) -> dict[str, Any]:
    """Return the choices of an engine's preset, without the derived ones."""
    return dict(_ENGINE_CHOICES[name])


def of_group(group: str) -> list[Design]:
    """Return the presets of a group, in the order of its file."""
    return [design for name, design in PRESETS.items() if GROUP_OF[name] == group]

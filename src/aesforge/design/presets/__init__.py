# SPDX-License-Identifier: Apache-2.0
"""The ready-made designs, in groups: our own, and the systems of each paper; and engines.

A group is a data file beside this one, named after it: a table for each preset, with a `summary`
in one line and the choices that differ from a design's defaults.
"""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

from aesforge.design import Design, load_choices
from aesforge.design.engine import Engine, load_engine_choices

# The first group is ours, from the fastest to the smallest; the others are named after their paper.
GROUPS: tuple[str, ...] = ("general", "liu2014", "rahman2010", "saggese2003", "sama", "kiran")

PRESETS: dict[str, Design] = {}
SUMMARIES: dict[str, str] = {}
# Preset name to group.
GROUP_OF: dict[str, str] = {}


# Engines: cores with modes behind AXI4-Stream.
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
        ENGINES[name] = load_engine_choices(f"preset {name}", {"name": name, **choices})


for _group in GROUPS:
    _read(_group)
_read_engines()


def engine_choices(name: str) -> dict[str, Any]:
    """Give what the preset of an engine chooses; what follows from that is left open."""
    return dict(_ENGINE_CHOICES[name])


def of_group(group: str) -> list[Design]:
    """Give the presets of a group, in the order of its file."""
    return [design for name, design in PRESETS.items() if GROUP_OF[name] == group]

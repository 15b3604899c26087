# SPDX-License-Identifier: Apache-2.0
"""The ready-made designs, in groups: our own, and the systems of each paper.

A group is a data file beside this one, named after it: a table for each preset, with a `summary`
in one line and the choices that differ from a design's defaults.
"""

from __future__ import annotations

import tomllib
from importlib import resources

from aesforge.design import Design, load_choices

# The first group is ours, from the fastest to the smallest; the others are named after their paper.
GROUPS: tuple[str, ...] = ("general", "liu2014", "rahman2010", "saggese2003", "sama", "kiran")

PRESETS: dict[str, Design] = {}
SUMMARIES: dict[str, str] = {}
# Preset name to group.
GROUP_OF: dict[str, str] = {}


def _read(group: str) -> None:
    text = resources.files(__name__).joinpath(f"{group}.toml").read_text(encoding="utf-8")
    for name, choices in tomllib.loads(text).items():
        SUMMARIES[name] = choices.pop("summary")
        PRESETS[name] = load_choices(f"preset {name}", {"name": name, **choices})
        GROUP_OF[name] = group


for _group in GROUPS:
    _read(_group)


def of_group(group: str) -> list[Design]:
    """Give the presets of a group, in the order of its file."""
    return [design for name, design in PRESETS.items() if GROUP_OF[name] == group]

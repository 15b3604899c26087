# SPDX-License-Identifier: Apache-2.0
"""What a shell completes: presets, choices and their values, devices, and other names.

Click calls these functions when the shell asks (docs/cli.md says how it comes to ask). Heavy
imports are inside, as in the verbs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

Complete = Callable[[click.Context, click.Parameter, str], list[Any]]


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    start = incomplete.lower()
    return [name for name in names if name.lower().startswith(start)]


def _names_or_files(names: Iterable[str], incomplete: str) -> list[Any]:
    """Return names, or where there is none such, let the shell complete files."""
    from click.shell_completion import CompletionItem

    found: list[Any] = _starting(names, incomplete)
    here = Path(incomplete).parent
    if "/" not in incomplete and here.is_dir():
        found += _starting(sorted(path.name for path in here.glob("*.toml")), incomplete)
    return found or [CompletionItem(incomplete, type="file")]


def designs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Complete a design: presets of cores and engines, and TOML files."""
    from aesforge.design.presets import ENGINES, PRESETS

    return _names_or_files((*PRESETS, *ENGINES), incomplete)


def cores(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Complete a core: presets without the engines, and TOML files."""
    from aesforge.design.presets import PRESETS

    return _names_or_files(PRESETS, incomplete)


def overrides(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete a KEY=VALUE of --set: the names of choices, then the values of one."""
    from aesforge.design.engine import FIELDS as ENGINE_FIELDS
    from aesforge.design.fields import FIELDS

    fields = {**FIELDS, **ENGINE_FIELDS}
    key, equals, value = incomplete.partition("=")
    keys = [key] if equals else _starting(fields, key)
    if len(keys) != 1 or keys[0] not in fields:
        return [f"{one}=" for one in keys if one in fields]
    # Only one is left: a shell that sees it alone would put a space after the equals sign.
    (key,) = keys
    return [f"{key}={one}" for one in _starting(_values(key, fields[key]), value)]


def _values(name: str, field: Any) -> list[str]:
    from aesforge.design.fields import text_of
    from aesforge.design.modes import MODES

    if name == "modes":
        return list(MODES)
    values = field.allowed or field.samples or field.span or ()
    return [text_of(value) for value in values if value is not None]


def boards(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Complete a board, or the file of one."""
    from aesforge.board.data import boards as known

    return _names_or_files(known(), incomplete)


def applications(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete what runs on a board."""
    from aesforge.board.applications import APPLICATIONS

    return _starting(APPLICATIONS, incomplete)


def devices(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete a device."""
    from aesforge.devices import devices as known

    return _starting(known(), incomplete)


def ecp5_devices(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete a device of the one family whose routed cores are simulated."""
    from aesforge.devices import devices as known

    return _starting((name for name, one in known().items() if one.family == "ecp5"), incomplete)


def families(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete a family."""
    from aesforge.devices import FAMILIES

    return _starting(FAMILIES, incomplete)


def recipes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete a recipe: of the family or the device that stands before it, else of any."""
    from aesforge.devices import FAMILIES, devices
    from aesforge.devices.families import family

    known = devices().get(str(ctx.params.get("device")))
    asked = known.family if known is not None else ctx.params.get("family")
    chosen = [asked] if asked in FAMILIES else list(FAMILIES)
    names = dict.fromkeys(recipe.name for one in chosen for recipe in family(one).recipe)
    return _starting(names, incomplete)


def spaces(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Complete a space: the shipped ones, and TOML files."""
    from aesforge.explore.space import shipped

    return _names_or_files(shipped(), incomplete)


def papers(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete a paper's key."""
    from aesforge.research.papers.published import published

    return _starting((paper.key for paper in published().paper), incomplete)


def repair_bash() -> None:
    """Let click see KEY=VALUE as one word, which bash splits at the equals sign."""
    from click.shell_completion import BashComplete, CompletionItem, add_completion_class

    class Bash(BashComplete):
        def get_completion_args(self) -> tuple[list[str], str]:
            arguments, incomplete = super().get_completion_args()
            words = [*arguments, incomplete]
            whole: list[str] = []
            for word in words:
                joins = word == "=" or (whole and whole[-1].endswith("="))
                if whole and joins and not whole[-1].startswith("-"):
                    whole[-1] += word
                else:
                    whole.append(word)
            # What bash replaces is what comes after the equals sign.
            self._known = whole[-1][: len(whole[-1]) - len(incomplete.removeprefix("="))]
            return whole[:-1], whole[-1]

        def format_completion(self, item: CompletionItem) -> str:
            if self._known.endswith("=") and item.type == "plain":
                item.value = item.value.removeprefix(self._known)
            return super().format_completion(item)

    add_completion_class(Bash, "bash")

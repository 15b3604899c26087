# SPDX-License-Identifier: Apache-2.0
"""Load a design or an engine from a preset's name or a TOML file, with overrides.

The module is not called `load`: the package has a function of that name.
"""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from aesforge.design.core import Design, load_choices
from aesforge.design.engine import FIELDS as ENGINE_FIELDS
from aesforge.design.engine import Engine, load_engine_choices
from aesforge.design.fields import text_of
from aesforge.design.modes import nearest_mode
from aesforge.design.presets import ENGINES, PRESETS, engine_choices, of_group, with_base
from aesforge.errors import UsageError

# Choices that are true or false.
_TRUTHS = {
    field.name
    for chosen in (Design, Engine)
    for field in dataclasses.fields(chosen)
    if isinstance(field.default, bool)
}


def load_any(
    name_or_path: str | os.PathLike[str],
    overrides: Mapping[str, Any] | Iterable[str] = (),
) -> Design | Engine:
    """Return the design or the engine of a preset's name or a TOML file, with overrides applied.

    It is an engine where `modes` are chosen. A preset with overrides is named `<preset>-custom`,
    unless an override sets the name.

    Args:
        name_or_path: a preset's name, or the path of a `.toml` file whose keys are the choices.
        overrides: field name to value, or `key=value` texts as `--set` takes them.

    Raises:
        UsageError: there is no such preset or file, a key is unknown or given twice, a value is
            out of range, or two choices exclude each other.
    """
    changes = parse_overrides(overrides)
    if isinstance(changes.get("modes"), str):
        changes["modes"] = [part for part in re.split(r"[,+ ]+", changes["modes"]) if part]
    text = os.fspath(name_or_path)
    name = {"name": f"{text}-custom" if changes else text}
    if text in ENGINES:
        choices = engine_choices(text) | name
    elif text in PRESETS and "modes" in changes:
        choices = {"base": text} | name
    elif text in PRESETS:
        choices = {k: v for k, v in PRESETS[text].choices().items() if v is not None} | name
    elif isinstance(name_or_path, str) and not set(text) & {".", "/", "\\"}:
        raise UsageError(_no_preset(text))
    else:
        choices = read_toml(Path(text))
    choices |= changes
    if "modes" in choices:
        return load_engine_choices(text, with_base(text, choices))
    for field in choices:
        if field in ENGINE_FIELDS:
            raise UsageError(
                f"{text}: {field} is a choice of engines, which have modes: give them too, for "
                "example --set modes=ctr"
            )
    return load_choices(text, choices)


def load(
    name_or_path: str | os.PathLike[str],
    overrides: Mapping[str, Any] | Iterable[str] = (),
    taker: str = "this",
) -> Design:
    """Return the design that :func:`load_any` finds, where only a core will do.

    Args:
        name_or_path: as of `load_any`.
        overrides: as of `load_any`.
        taker: what takes it, for the message.

    Raises:
        UsageError: as `load_any`, or it is an engine.
    """
    chosen = load_any(name_or_path, overrides)
    if isinstance(chosen, Engine):
        raise UsageError(
            f"'{chosen.name}' is an engine, and {taker} takes a core: name the one inside, by a "
            "preset or by a design file without modes"
        )
    return chosen


def argv_of(chosen: Design | Engine) -> tuple[str, ...]:
    """Return the arguments that name this very design or engine: a preset and what differs."""

    def changes(preset: Design | Engine) -> dict[str, Any]:
        theirs = preset.choices()
        return {
            name: value
            for name, value in chosen.choices().items()
            if name != "name" and (name not in theirs or value != theirs[name])
        }

    # No argument takes a choice away that only another architecture or another engine has, and what
    # is AES does not start from what is not.
    kind = (type(chosen), chosen.core.architecture, chosen.core.scheme)
    presets: tuple[Design | Engine, ...] = (*PRESETS.values(), *ENGINES.values())
    alike = [
        one
        for one in presets
        if (type(one), one.core.architecture, one.core.scheme) == kind
        and (isinstance(one, Design) or _stated(one) <= chosen.choices().keys())
    ]
    preset = min(alike, key=lambda one: len(changes(one)))
    argv = [preset.name]
    for name, value in changes(preset).items():
        if value is not None:  # key_slots = None follows from key_schedule = agile
            text = ",".join(value) if isinstance(value, list) else text_of(value)
            argv += ["--set", f"{name}={text}"]
    return tuple(argv)


def _stated(preset: Engine) -> set[str]:
    """Return the engine's own choices that a preset states; the others are filled in."""
    return ENGINE_FIELDS.keys() & engine_choices(preset.name).keys()


def _no_preset(text: str) -> str:
    # What is not AES is never suggested.
    hint = nearest_mode(text, [*ENGINES, *(n for n, one in PRESETS.items() if one.is_standard)])
    if Path(text).is_file():
        hint = "; to be read as a design, the file of that name must end in .toml"
    return (
        f"there is no preset named '{text}'{hint}\n"
        f"presets: {', '.join(one.name for one in of_group('general'))}, and those of engines and "
        "papers (`aesforge presets`); a design may also be a .toml file"
    )


def read_toml(path: Path) -> dict[str, Any]:
    """Read a design file's keys and values; what they mean is judged by the caller.

    Raises:
        UsageError: it cannot be read, or is not TOML.
    """
    if path.suffix != ".toml":
        raise UsageError(
            f"'{path}' is neither a preset nor a design file: a design file ends in .toml"
        )
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"there is no design file '{path}'") from None
    except OSError as error:
        raise UsageError(f"cannot read the design file '{path}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"the design file '{path}' is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"the design file '{path}' is not valid TOML: {error}") from None


def parse_overrides(overrides: Mapping[str, Any] | Iterable[str]) -> dict[str, Any]:
    """Return overrides as field name to value; texts of numbers and truth values become these.

    Raises:
        UsageError: a text is not `key=value`, or a key is given twice.
    """
    if isinstance(overrides, Mapping):
        return {field: _parse_value(field, value) for field, value in overrides.items()}
    changes: dict[str, Any] = {}
    for text in overrides:
        field, equals, value = (part.strip() for part in text.partition("="))
        if not (field and equals and value):
            raise UsageError(f"--set '{text}': write it as key=value, for example key_bits=256")
        if field in changes:
            raise UsageError(f"--set {field} is given twice: {changes[field]} and {value}")
        changes[field] = _parse_value(field, value)
    return changes


def _parse_value(field: str, value: Any) -> Any:
    if field in _TRUTHS and value in ("false", "true"):
        return value == "true"
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,9}", value):
        return int(value)
    return value

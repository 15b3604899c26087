# SPDX-License-Identifier: Apache-2.0
"""The page of the Python API: its program runs, and what it says of arguments is so."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from aesforge.cli.main import main
from project import REPO

PAGE = (REPO / "docs" / "api.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^### (\w+)\n\n```python\nfrom ([\w.]+) import \1\n", PAGE, re.M)
# The entry that a verb is a thin call of; the others only list what is there.
CALLED = {
    "describe": "describe",
    "build": "build",
    "check": "check",
    "crypt": "crypt_file",
    "prove": "prove",
    "devices": "devices",
    "measure": "measure",
    "energy": "energy",
    "explore": "explore",
    "suggest": "suggest",
    "report": "collect",
}


def member(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def section(name: str, module: str) -> str:
    start = PAGE.index(f"### {name}\n\n```python\nfrom {module} import")
    return re.split(r"^##", PAGE[start + 3 :], maxsplit=1, flags=re.M)[0]


def test_the_verbs_calls_are_there() -> None:
    assert set(CALLED) <= set(main.commands)
    assert set(CALLED.values()) <= {name for name, _ in ENTRIES}


@pytest.mark.parametrize(("name", "module"), ENTRIES)
def test_every_argument_is_explained_or_none_is(name: str, module: str) -> None:
    found = member(module, name)
    text = section(name, module)
    first = inspect.cleandoc(found.__doc__).splitlines()[0]
    assert re.split(r"[:`]", first)[0].strip() in text
    listed = re.search(r"^Args:\n\n((?:- .*\n)+)", text, re.M)
    if listed is None or not inspect.isfunction(found):
        return
    assert re.findall(r"^- `(\w+)`", listed[1], re.M) == [*inspect.signature(found).parameters]


def test_no_argument_of_a_long_list_is_left_unexplained() -> None:
    """A call with three arguments or more has a list; the reference model says it in words."""
    for name, module in ENTRIES:
        found = member(module, name)
        if module == "aesforge.reference":
            continue
        if inspect.isfunction(found) and len(inspect.signature(found).parameters) > 2:
            assert "Args:" in section(name, module), name


def test_no_address_and_no_role_of_another_markup_is_left() -> None:
    assert not re.search(r"0x[0-9a-f]{6}|:(?:class|func|mod|meth):|``(?!`)(?<!```)\w", PAGE)


def test_the_first_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = re.search(r"```python\n(.*?)```", PAGE, re.S)
    assert program
    monkeypatch.chdir(tmp_path)
    exec(compile(program[1], "docs/api.md", "exec"), {})
    assert (tmp_path / "aes256" / "README.md").is_file()

# SPDX-License-Identifier: Apache-2.0
"""What messages advise to install: by the interpreter in use, and never aesforge from an index."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

import project
from aesforge.errors import ToolMissing
from aesforge.jobs import pool
from aesforge.research import pictures
from aesforge.simulate import verilator
from aesforge.toolchain import doctor, install, programs
from project import REPO

EXTRAS = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]


def packages(line: str) -> list[str]:
    """Return what a line installs, and check that it is one for this interpreter."""
    words = shlex.split(line)
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    return [word for word in words[4:] if not word.startswith("--")]


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_checkout_is_installed_with_its_extra(extra: str) -> None:
    assert packages(install.extra_command(extra)) == [f"{REPO}[{extra}]"]


@pytest.mark.parametrize("extra", EXTRAS)
def test_without_a_checkout_the_packages_are_named(
    extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def requires(name: str) -> list[str]:
        assert name == "aesforge"
        others = ["click>=8.1", 'other>=1; extra == "other"']
        return others + [f'{one}; extra == "{extra}"' for one in EXTRAS[extra]]

    monkeypatch.setattr(install, "checkout", lambda: None)
    monkeypatch.setattr(metadata, "requires", requires)
    assert packages(install.extra_command(extra)) == EXTRAS[extra]


def test_an_installed_package_has_no_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert install.checkout() == REPO
    monkeypatch.setattr(install, "__file__", str(tmp_path / "a" / "b" / "c" / "install.py"))
    assert install.checkout() is None
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "other"\n')
    assert install.checkout() is None


def _without_verilator() -> None:
    verilator._find_verilator()


MISSING: dict[str, tuple[Callable[[], object], str]] = {
    "verilator": (_without_verilator, install.command("verilator")),
    "pictures": (pictures._pillow, install.extra_command("pictures")),
    "distributed": (pool._need_distributed, install.extra_command("measure")),
    "pyosys": (lambda: programs.version("yosys"), install.command("pyosys")),
}


@pytest.mark.parametrize("name", MISSING)
def test_each_missing_package_gives_its_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setattr(metadata, "version", missing)
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    call, line = MISSING[name]
    with pytest.raises(ToolMissing) as caught:
        call()
    assert f"`{line}`" in caught.value.message


def test_the_doctor_names_this_interpreter() -> None:
    lines = [one.how_to_get for one in doctor.doctor() if "pip install" in one.how_to_get]
    assert lines
    for line in lines:
        assert line.startswith(f"{sys.executable} -m pip install ")


@pytest.mark.parametrize(
    "path",
    [path for path in project.files() if "tests" not in path.relative_to(REPO).parts],
    ids=lambda path: path.relative_to(REPO).as_posix(),
)
def test_no_page_and_no_message_installs_aesforge_from_an_index(path: Path) -> None:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    assert not re.search(r"pip install[^`\n]*[ '\"]aesforge(?![\w/.])", text)

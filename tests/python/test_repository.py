# SPDX-License-Identifier: Apache-2.0
"""Habits that hold in every file: where things lie, what stands at the top, what stands nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import project
from project import REPO

# New files count before they are committed, so that a mistake shows early.
FILES = project.files()
SOURCE_SUFFIXES = {".py", ".sv", ".svh", ".v", ".c", ".cpp", ".h", ".sh", ".toml", ".lock", ".in"}
RTL = sorted((REPO / "rtl").rglob("*.sv"))
# The research schemes' modules have the names of those whose place they take.
MODULES = [path for path in RTL if "research" not in path.parts]


def relative(path: Path) -> str:
    return path.relative_to(REPO).as_posix()


def text_of(path: Path) -> str | None:
    """Return a file's text, or None for a picture and the like."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


# --- What stands where ---------------------------------------------------------------------------


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_one_stem_leads_to_every_room(module: Path) -> None:
    """A module has a page and a test of its own name."""
    text = module.read_text(encoding="utf-8")
    if "endpackage" in text:
        return
    assert re.findall(r"^module (\w+)", text, re.M) == [module.stem], "one module a file, same name"
    assert (REPO / "docs" / "cores" / f"{module.stem}.md").is_file()
    assert (REPO / "tests" / "rtl" / f"test_{module.stem}.py").is_file()


def test_no_room_is_left_without_its_module() -> None:
    stems = {path.stem for path in MODULES}
    for page in (REPO / "docs" / "cores").glob("aesforge_*.md"):
        assert page.stem in stems
    for test in (REPO / "tests" / "rtl").glob("test_aesforge_*.py"):
        assert test.stem.removeprefix("test_") in stems


def test_the_file_list_names_every_source_once() -> None:
    listed = [
        line.strip()
        for line in (REPO / "rtl" / "filelist.f").read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.lstrip().startswith(("//", "#"))
    ]
    assert sorted(listed) == sorted(path.relative_to(REPO / "rtl").as_posix() for path in MODULES)


def test_every_folder_says_what_it_is_for() -> None:
    folders = {folder for path in FILES for folder in path.relative_to(REPO).parents}
    for folder in sorted(folders - {Path()}):
        # A package says it in its docstring; folders with a dot are the tools' own.
        if folder.parts[0] == "src" or folder.name.startswith("."):
            continue
        if folder.as_posix() == "docs/images":
            continue
        readme = REPO / folder / "README.md"
        assert readme.is_file(), f"{folder} has no README.md"
        lines = readme.read_text(encoding="utf-8").splitlines()
        if "adr" not in folder.parts and folder.as_posix() not in (
            "docs",
            "docs/cores",
            "docs/modes",
        ):  # these are indexes
            assert len(lines) <= 10, f"{folder}/README.md has {len(lines)} lines"


# --- What stands at the top ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in FILES
        if path.suffix in SOURCE_SUFFIXES or relative(path) in ("Makefile", ".ci/run", ".gitignore")
    ],
    ids=relative,
)
def test_a_source_says_its_licence(path: Path) -> None:
    head = path.read_text(encoding="utf-8").splitlines()[:3]
    assert any("SPDX-License-Identifier: Apache-2.0" in line for line in head)


@pytest.mark.parametrize("module", RTL, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_rtl_keeps_to_its_form(module: Path) -> None:
    lines = module.read_text(encoding="utf-8").splitlines()
    code = [line for line in lines if line and not line.startswith("//")]
    assert code[0] == "`default_nettype none"
    assert code[-1] == "`default_nettype wire"
    assert max(map(len, lines)) <= 100
    assert not any("\t" in line or line != line.rstrip() for line in lines)
    assert not [line for line in code if UNARY_BEFORE_CAST.search(line)]


# Yosys takes an operator before a cast into its size: `~4'(x)` is `(~4)'(x)`, without a message.
UNARY_BEFORE_CAST = re.compile(r"[~!]\s*\w+'\(|[=(,?:{<>]\s*[-+^&|]\s*\w+'\(")


def test_an_operator_before_a_cast_is_found() -> None:
    for wrong in ("a == ~Bits'(1)", "!1'(x)", "y = -4'(x)", "{a, ^8'(x)}"):
        assert UNARY_BEFORE_CAST.search(wrong)
    for right in ("a - 4'(x)", "a && 32'(x) == 1", "~(4'(x))", "x ^ 4'(y)", "a[3:0] + 4'(y)"):
        assert not UNARY_BEFORE_CAST.search(right)


# --- What stands nowhere -------------------------------------------------------------------------

# In pieces, so that this file passes its own test.
NOWHERE = {
    "a package registry": [
        "pypi." + "org",
        "python" + "hosted.org",
        "npm" + "js.",
        "crates." + "io",
    ],
    "a place on this machine": [
        f"{REPO}/",
        "/" + "work/",
        "/" + "root/",
        "/" + "home/",
        "/" + "Users/",
        "/opt/" + "wheels",
    ],
}


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_what_no_file_may_hold(path: Path) -> None:
    text = text_of(path)
    if text is None or path.name == "LICENSE":
        return
    for what, words in NOWHERE.items():
        for word in words:
            assert word.lower() not in text.lower(), f"{relative(path)} holds {what}: {word}"
    claim = re.search(r"\b(valid" + r"ated|certi" + r"fied)\b", text, re.I)
    assert not claim, f"{relative(path)} claims what a laboratory has to: {claim}"


def test_no_large_file_slipped_in() -> None:
    """A megabyte; two for results, which hold the commands of each measurement."""
    for path in FILES:
        most = 2_000_000 if relative(path).startswith("bench/results/") else 1_000_000
        assert path.stat().st_size < most, f"{relative(path)} is larger than {most:,} bytes"

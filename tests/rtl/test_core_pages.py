# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/cores/ agree with the sources: parameters, defaults, ports and widths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from aesforge.toolchain import rtl

PAGES = Path(__file__).resolve().parents[2] / "docs" / "cores"
SECTIONS = ["Parameters", "Ports", "Architecture", "Timing", "Cost"]
MODULES = [path for path in rtl.filelist() if not path.stem.endswith("_pkg")]
PACKAGE = (rtl.rtl_dir() / "aesforge_pkg.sv").read_text()


@dataclass(frozen=True)
class Port:
    name: str
    direction: str
    width: str


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", re.sub(r"//[^\n]*", "", text), flags=re.S)


def header(module: Path) -> str:
    """The module's text up to the end of its port list."""
    text = without_comments(module.read_text())
    start = text.index(f"module {module.stem}")
    # A module without parameters begins with its ports.
    ports_from = text.index(") (") if f"module {module.stem} #(" in text else start
    return text[start : text.index(");", ports_from) + 2]


def value(text: str) -> int:
    """A default: a number, or a constant of the package."""
    if text.startswith("aesforge_pkg::"):
        name = text.removeprefix("aesforge_pkg::")
        found = re.search(rf"localparam int unsigned {name} = (\d+);", PACKAGE)
        assert found, text
        return int(found[1])
    return int(text.removeprefix("1'b").removeprefix("'"))


def parameters(module: Path) -> dict[str, int]:
    """Parameter -> default, in order."""
    kinds = r"int unsigned|bit(?: \[.+\])?"
    found = re.findall(rf"parameter (?:{kinds}) (\w+) = ([\w:']+)", header(module))
    return {name: value(default) for name, default in found}


def width(high: str) -> str:
    """Width of `[high:0]` as the pages write it."""
    high = high.replace(" ", "")
    if high.isdigit():
        return str(int(high) + 1)
    return high.removesuffix("-1") if high.endswith("-1") else f"{high}+1"


def ports(module: Path) -> list[Port]:
    """Ports in order."""
    pattern = r"\b(input|output) +logic *(?:\[ *([^\]]+):0\])? *(\w+)(?=\s*[,)])"
    return [
        Port(name, direction, width(high) if high else "1")
        for direction, high, name in re.findall(pattern, header(module))
    ]


def page(module: Path) -> str:
    return (PAGES / f"{module.stem}.md").read_text()


def table(text: str, section: str) -> list[list[str]]:
    """Rows of the first table of a section, without its head."""
    part = text[text.index(f"## {section}\n") :]
    part = part[: part.find("\n## ", 3)]
    rows = re.findall(r"^\|(.+)\|$", part, re.M)
    return [[cell.strip() for cell in row.split("|")] for row in rows[2:]]


def code(cell: str) -> str:
    """A cell without its backquotes and spaces."""
    return cell.replace("`", "").replace(" ", "")


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_page_keeps_the_order(module: Path) -> None:
    text = page(module)
    assert text.startswith(f"# `{module.stem}`\n")
    assert re.findall(r"^## (.+)$", text, re.M) == SECTIONS


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_parameters_agree(module: Path) -> None:
    rows = {code(row[0]): int(row[1].split()[0]) for row in table(page(module), "Parameters")}
    assert list(rows.items()) == list(parameters(module).items())


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_ports_agree(module: Path) -> None:
    rows = [
        Port(code(row[0]), {"in": "input", "out": "output"}[row[1]], code(row[2]))
        for row in table(page(module), "Ports")
    ]
    assert rows == ports(module)
    assert ports(module), "the test reads no ports"


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_derived_widths_are_explained(module: Path) -> None:
    """Names that the port list derives from the parameters stand in the page."""
    for name in re.findall(r"localparam int unsigned (\w+)", header(module)):
        assert f"`{name}`" in page(module), name


def test_index_lists_every_module() -> None:
    index = (PAGES / "README.md").read_text()
    linked = re.findall(r"^\| \[`(\w+)`\]\((\w+)\.md\) \|", index, re.M)
    assert all(name == target for name, target in linked)
    assert sorted(name for name, _ in linked) == sorted(path.stem for path in MODULES)

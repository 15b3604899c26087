# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/cores/ agree with the sources: parameters, defaults, ports and widths."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aesforge.toolchain import header, rtl

PAGES = Path(__file__).resolve().parents[2] / "docs" / "cores"
SECTIONS = ["Parameters", "Ports", "Architecture", "Timing", "Cost"]
MODULES = [path for path in rtl.filelist() if not path.stem.endswith("_pkg")]


def header_text(module: Path) -> str:
    """The module's text up to the end of its port list, without comments."""
    text = rtl.without_comments(module.read_text())
    return text[text.index(f"module {module.stem}") : text.index("\n);") + 2]


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
def test_every_parameter_and_port_says_what_it_is(module: Path) -> None:
    """The tables of the pages are made of these comments; test_docs.py compares them."""
    interface, text = header.read(module), header_text(module)
    assert len(interface.ports) == len(re.findall(r"\b(?:input|output)\b", text)) > 0
    assert len(interface.parameters) == len(re.findall(r"\bparameter\b", text))
    if module.stem in ("aesforge_csr", "aesforge_packet_csr"):  # written by make_csr.py
        return
    for port in interface.ports:
        assert port.meaning, port.name
    for parameter in interface.parameters:
        assert parameter.meaning, parameter.name
        assert parameter.legal, parameter.name


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_names_and_widths_agree(module: Path) -> None:
    interface, text = header.read(module), page(module)
    assert [code(row[0]) for row in table(text, "Parameters")] == [
        one.name for one in interface.parameters
    ]
    assert [(code(row[0]), f"{row[1]}put", code(row[2])) for row in table(text, "Ports")] == [
        (one.name, one.direction, one.width) for one in interface.ports
    ]


def test_a_comment_belongs_to_its_line_or_to_the_next(tmp_path: Path) -> None:
    module = tmp_path / "small.sv"
    module.write_text(
        """module small #(
    parameter int unsigned A = 3,  // [1 to 4] bits of a
    // [0, 1] a bit
    // of b
    parameter bit B = 1'b0,
    localparam int unsigned C = A > 1 ? 2 : 1
) (
    input  logic           clk,  // clock
    // in, and
    // more
    input  logic [2*A-1:0] x,
    output logic [    C:0] y,
    output logic [    7:0] z  // out
);
endmodule
"""
    )
    assert header.read(module) == header.Header(
        (
            header.Parameter("A", "3", "1 to 4", "bits of a"),
            header.Parameter("B", "1'b0", "0, 1", "a bit of b"),
        ),
        (
            header.Port("clk", "input", "1", "clock"),
            header.Port("x", "input", "2*A", "in, and more"),
            header.Port("y", "output", "C+1", ""),
            header.Port("z", "output", "8", "out"),
        ),
    )


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_derived_widths_are_explained(module: Path) -> None:
    """Names that the port list derives from the parameters stand in the page."""
    for name in re.findall(r"localparam int unsigned (\w+)", header_text(module)):
        assert f"`{name}`" in page(module), name


def test_index_lists_every_module() -> None:
    index = (PAGES / "README.md").read_text()
    linked = re.findall(r"^\| \[`(\w+)`\]\((\w+)\.md\) \|", index, re.M)
    assert all(name == target for name, target in linked)
    assert sorted(name for name, _ in linked) == sorted(path.stem for path in MODULES)

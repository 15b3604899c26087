# SPDX-License-Identifier: Apache-2.0
"""Write the generated parts of the documentation, each between two marker comments.

    python scripts/docs.py [--check]

`--check` writes nothing and fails when a part is out of date; the tests ask for that.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import api_page
import bench_whole_device as whole
from pages import (
    boards,
    byte_order,
    designs,
    devices,
    energy,
    faults,
    modules,
    papers,
    proofs,
    results,
    streams,
)
from pages.markdown import REPO
from waves import svg

from aesforge.report import ratios
from aesforge.toolchain import rtl

PAGES = (designs, byte_order, streams, results, papers, energy, devices, faults, proofs, boards)
SECTIONS = tuple(section for page in PAGES for section in page.SECTIONS)


def updated(text: str, marker: str, content: str) -> str:
    """Return a page with new content between the markers.

    Raises:
        ValueError: the page lacks the markers.
    """
    start, end = f"<!-- {marker}: written by scripts/docs.py -->", f"<!-- end of {marker} -->"
    if text.count(start) != 1 or text.count(end) != 1:
        raise ValueError(f"the markers '{start}' and '{end}' must stand in the page once")
    before, rest = text.split(start)
    return f"{before}{start}\n{content}\n{end}{rest.split(end)[1]}"


def main(check: bool) -> int:
    """Write all parts, or only compare them, and give the exit status."""
    stale: list[str] = []

    def keep(file: Path, new: str, marker: str = "") -> None:
        """Write a file, or only say that it is out of date."""
        if file.exists() and file.read_text(encoding="utf-8") == new:
            return
        stale.append(f"{file.relative_to(REPO)}{marker}")
        if not check:
            file.write_text(new, encoding="utf-8")

    for name, marker, content in SECTIONS:
        page = REPO / name
        keep(page, updated(page.read_text(encoding="utf-8"), marker, content()), f" ({marker})")
    sources = rtl.filelist()
    lines = "".join(f"{path.relative_to(rtl.rtl_dir()).as_posix()}\n" for path in sources)
    keep(REPO / "rtl" / "filelist.f", lines)
    for path in sources:
        page = REPO / "docs" / "cores" / f"{path.stem}.md"
        if page.exists():
            keep(page, modules.module_page(path, page.read_text(encoding="utf-8")))
    keep(REPO / "docs" / "api.md", api_page.page())
    # The papers' ratios against ours.
    keep(REPO / "docs" / "papers" / "ratios.svg", ratios.svg(papers.comparisons()))
    keep(REPO / "docs" / "images" / "whole-device.svg", whole.svg(whole.every()))
    # The timing diagrams, beside the records that they are drawn from.
    for source in sorted((REPO / "docs" / "modes").glob("*.json")):
        keep(source.with_suffix(".svg"), svg(json.loads(source.read_bytes())))
    if stale:
        print(("out of date: " if check else "wrote ") + ", ".join(stale), file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))

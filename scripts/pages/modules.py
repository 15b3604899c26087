# SPDX-License-Identifier: Apache-2.0
"""The tables of a module's page."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from aesforge.design.fields import FIELDS
from aesforge.toolchain import header, rtl
from pages.markdown import table


@functools.cache
def _package_constants() -> dict[str, int]:
    return header.constants(rtl.file_of("aesforge_pkg"))


def module_page(path: Path, text: str) -> str:
    """Return a page of `docs/cores` with the tables of its module's parameters and ports.

    They follow from the comments in the module's header. A generated module has none, and its page
    keeps its tables.

    Args:
        path: of the module.
        text: of its page.

    Raises:
        ValueError: the page lacks a section.
    """
    interface = header.read(path)
    if not all(port.meaning for port in interface.ports):
        return text
    known = _package_constants()
    chosen = {name: value for one in FIELDS.values() for value, name in one.constants.items()}

    def default(text: str) -> str:
        name = text.removeprefix("aesforge_pkg::")
        if name == text:
            return text.removeprefix("1'b").removeprefix("'")
        return f"{known[name]} ({chosen[name]})" if name in chosen else str(known[name])

    def linked(text: str) -> str:
        return re.sub(
            r"\baesforge_\w+",
            lambda found: (
                f"`{found[0]}`"
                if found[0] in (path.stem, "aesforge_pkg")
                else f"[`{found[0]}`]({found[0]}.md)"
            ),
            text,
        )

    def width(text: str) -> str:
        return text if text.isdigit() else "`" + re.sub(r"([*+])", r" \1 ", text) + "`"

    tables = {
        "Parameters": table(
            ("parameter", "default", "legal", "meaning"),
            (
                (f"`{one.name}`", default(one.default), linked(one.legal), linked(one.meaning))
                for one in interface.parameters
            ),
        ),
        "Ports": table(
            ("port", "direction", "width", "meaning"),
            (
                (
                    f"`{one.name}`",
                    one.direction.removesuffix("put"),
                    width(one.width),
                    linked(one.meaning),
                )
                for one in interface.ports
            ),
        ),
    }
    for section, content in tables.items():
        if section == "Parameters" and not interface.parameters:
            continue
        parts = re.split(rf"(?<=^## {section}\n\n)(?:(?:\|[^\n]*\n)+\n)?", text, flags=re.M)
        if len(parts) != 2:
            raise ValueError(f"the page of {path.stem} has no section of {section.lower()}")
        text = f"{parts[0]}{content}\n\n{parts[1]}"
    return text

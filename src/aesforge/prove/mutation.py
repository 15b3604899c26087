# SPDX-License-Identifier: Apache-2.0
"""Mutants of a core: a change of its RTL or its netlist, which a proof must refute."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aesforge.errors import UsageError
from aesforge.measure.harness import CORE
from aesforge.measure.synthesis import MAPPED, Synthesis, read_mapped, without_remarks
from aesforge.toolchain import programs

Change = dict[str, str]
"""A change of a core's sources: `file`, and `new` in place of the text `old`, which occurs once."""

FLAT = "flat.il"


def changed_files(folder: Path, files: Sequence[Path], changes: Sequence[Change]) -> list[Path]:
    """Copy files with some changes made.

    Raises:
        UsageError: a file is not there, or does not hold a change's old text once.
    """
    texts = {path.name: path.read_text(encoding="utf-8") for path in files}
    for change in changes:
        file, old, new = change["file"], change["old"], change["new"]
        count = texts.get(file, "").count(old)
        if count != 1:
            raise UsageError(f"{file} holds {old!r} {count} times, not once: no change is made")
        texts[file] = texts[file].replace(old, new)
    written = []
    for path in files:
        written.append(folder / path.name)
        written[-1].write_text(texts[path.name], encoding="utf-8")
    return written


def changed_netlist(folder: Path, synthesis: Synthesis, changes: Sequence[Change]) -> Path:
    """Return a mapped netlist; with changes made to it in a folder, if there are any.

    Raises:
        UsageError: it does not hold a change's old text once.
    """
    synthesis.run()
    if not changes:
        return synthesis.folder / MAPPED
    (mapped,) = changed_files(folder, [flat(synthesis, folder)], changes)
    return mapped


def flat(synthesis: Synthesis, folder: Path) -> Path:
    """Write the netlist of a core as one module, of which any cell can be changed alone."""
    synthesis.run()
    script = [
        *read_mapped(synthesis.folder / MAPPED),
        "flatten",
        f"select {CORE}",
        f"write_rtlil -selected {FLAT}",
    ]
    (folder / "flat.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
    programs.run("yosys", ["flat.ys"], folder, folder / "flat.log")
    without_remarks(folder / FLAT)
    return folder / FLAT

# SPDX-License-Identifier: Apache-2.0
"""A whole core as one file of plain Verilog (IEEE 1364-2005), for tools that read no SystemVerilog.

Yosys elaborates the bundle's sources and writes them: the same modules, registers and ports, with
parameters and generate blocks resolved.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from aesforge import __version__
from aesforge.errors import CheckFailed, ToolFailed
from aesforge.toolchain import programs

# A bracket in a name, as of an instance in a generate block, is an escaped name in Verilog, which
# some tools take badly.
_ELABORATE = ("proc", "opt_clean", "rename -unescape")
# Names of the elaborated modules: with the parameters, or a digest of them.
_MODULE = re.compile(r"\\\$paramod\S*\\(?P<escaped>\w+)(?:\\\S*)? |\b(?P<plain>aesforge_\w+)\b")


def plain_verilog(files: Mapping[str, str], module: str) -> str:
    """Return the text of a bundle's core as one file.

    The module of the wrapper keeps its name; those below it have the wrapper's name before theirs,
    and a number where there are several variants, so that two such cores fit in one project.

    Args:
        files: of the bundle, path to text.
        module: the wrapper.

    Raises:
        ToolMissing: pyosys is not installed.
        ToolFailed: Yosys refused the sources.
    """
    with tempfile.TemporaryDirectory(prefix="aesforge-") as folder:
        script = [*_read(files, module, Path(folder)), *_ELABORATE, "write_verilog -noattr out.v"]
        _yosys(script, Path(folder))
        text = (Path(folder) / "out.v").read_text(encoding="utf-8")
    bodies = _by_module(text)
    names = _new_names(bodies, module)

    def renamed(found: re.Match[str]) -> str:
        return names.get(found[0].strip(), found[0]) + " " * found[0].endswith(" ")

    parts = [_unescaped(_MODULE.sub(renamed, bodies[old])) for old in names]
    head = (
        "// SPDX-License-Identifier: Apache-2.0\n"
        f"// {module} in plain Verilog (IEEE 1364-2005): the sources in rtl/, elaborated.\n"
        f"// Written by aesforge {__version__} with Yosys {programs.version('yosys')}.\n"
    )
    return "\n".join([head, *parts])


def require_equal(files: Mapping[str, str], text: str, module: str) -> int:
    """Prove that a single file is the circuit of a bundle's sources.

    Registers and outputs are matched by name: from equal states, for every input, the next states
    and the outputs are equal (Yosys' `equiv_make` and `equiv_simple`).

    Args:
        files: of the bundle, path to text.
        text: the single file.
        module: the wrapper.

    Returns:
        How many registers' and nets' bits were proved equal.

    Raises:
        CheckFailed: they are not equal.
        ToolFailed: Yosys refused one of them.
    """
    flat = ("flatten", "opt_clean", "memory_map", "opt_clean", "rename -unescape")
    with tempfile.TemporaryDirectory(prefix="aesforge-") as folder:
        script = [
            *(*_read(files, module, Path(folder)), *_ELABORATE, *flat),
            *(f"rename {module} gold", "design -stash gold"),
            *("read_verilog single.v", f"hierarchy -check -top {module}", "proc", *flat),
            *(f"rename {module} gate", "design -stash gate"),
            *("design -copy-from gold -as gold gold", "design -copy-from gate -as gate gate"),
            *("equiv_make gold gate equiv", "hierarchy -top equiv", "opt_clean"),
            *("equiv_struct -icells", "equiv_simple", "equiv_status -assert"),
        ]
        (Path(folder) / "single.v").write_text(text, encoding="utf-8")
        try:
            log = _yosys(script, Path(folder))
        except ToolFailed as error:
            found = re.findall(r"Unproven \$equiv \S+: (\S+)", error.message)
            if not found:
                raise
            raise CheckFailed(
                f"the single file is not the circuit of the sources; {found[0]} differs"
            ) from None
    return int(re.findall(r"cells (\d+) are proven and 0 are unproven", log)[-1])


def _read(files: Mapping[str, str], module: str, folder: Path) -> list[str]:
    """Put a bundle's sources into a folder, and return the commands that read them."""
    sources = files["files.f"].split()
    for path in sources:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(files[path], encoding="utf-8")
    return [*(f"read_verilog -sv {path}" for path in sources), f"hierarchy -check -top {module}"]


def _yosys(script: list[str], folder: Path) -> str:
    """Run a script, and return what Yosys said."""
    (folder / "run.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
    log = folder / "yosys.log"
    programs.run("yosys", ["run.ys"], folder, log)
    return log.read_text(encoding="utf-8", errors="replace")


def _unescaped(body: str) -> str:
    """Return a module whose memories have plain names, as all else has, and its tables too.

    Tables are what Yosys makes of case statements, and names after a line of its own sources.
    """
    for number, name in enumerate(dict.fromkeys(re.findall(r"\\\$auto\$proc_rom\S+ ", body)), 1):
        body = body.replace(name, f"rom_{number} ")
    return re.sub(r"\\([a-z][\w.]*(?:\[\d+\][\w.]*)*) ", lambda found: _plain(found[1]), body)


def _plain(name: str) -> str:
    return re.sub(r"\W", "_", name) + " "


def _by_module(text: str) -> dict[str, str]:
    """Return the modules of a file that Yosys wrote: name to text."""
    found = re.findall(r"^module (\S+?)\s*\(.*?^endmodule\n", text, re.MULTILINE | re.DOTALL)
    bodies = re.findall(r"^module .*?^endmodule\n", text, re.MULTILINE | re.DOTALL)
    return dict(zip(found, bodies, strict=True))


def _new_names(bodies: Mapping[str, str], top: str) -> dict[str, str]:
    """Return the names that modules get, by their old ones, the top first."""
    order = [top]
    for name in order:
        for found in _MODULE.finditer(bodies[name]):
            old = found[0].strip()
            if old in bodies and old not in order:
                order.append(old)
    variants: dict[str, list[str]] = defaultdict(list)
    for old in order[1:]:
        match = _MODULE.match(f"{old} ")
        assert match is not None
        variants[match["escaped"] or match["plain"]].append(old)
    names = {top: top}
    for base, olds in variants.items():
        for number, old in enumerate(olds, 1):
            names[old] = f"{top}_{base}" + (f"_{number}" if len(olds) > 1 else "")
    return {old: names[old] for old in order}

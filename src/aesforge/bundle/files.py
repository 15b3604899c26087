# SPDX-License-Identifier: Apache-2.0
"""The files of a bundle, whatever is in it: templates filled in, a manifest, a folder written."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesforge import __version__
from aesforge.bundle.interfaces import LITEX_BUS, interfaces
from aesforge.bundle.ip_xact import buses
from aesforge.bundle.ports import csr_bytes
from aesforge.bundle.simulators import recorded, runs_of
from aesforge.errors import UsageError
from aesforge.toolchain import templates as filling
from aesforge.toolchain.files import require_folder, write_folder
from aesforge.toolchain.rtl import license_text, needed_by

if TYPE_CHECKING:
    from jinja2 import Environment

    from aesforge.bundle.ports import Port
    from aesforge.design import Design
    from aesforge.design.engine import Engine

MANIFEST = "MANIFEST"
# The streams of an engine, which are records in VHDL.
_CHANNELS = ("s_key", "s_ctx", "s_axis", "m_axis", "m_iv")


def module_name(design: Design | Engine) -> str:
    """Return the name of the wrapper module."""
    return design.name.replace("-", "_")


def _hex(digits: str) -> str:
    return f"{4 * len(digits)}'h{digits}"


def _hex_blocks(blocks: tuple[str, ...]) -> str:
    """Return the blocks of a beat as one literal: block 0 is last, at the low end."""
    if len(blocks) == 1:
        return _hex(blocks[0])
    return "{" + ", ".join(_hex(block) for block in reversed(blocks)) + "}"


def _channel_of(port: Port) -> str | None:
    """Return the stream that a port of an engine belongs to, None if it is of none."""
    return next((name for name in _CHANNELS if port.name.startswith(f"{name}_")), None)


def _vhdl_type(port: Port) -> str:
    return "std_logic" if port.bits == 1 else f"std_logic_vector({port.bits - 1} downto 0)"


@cache
def environment() -> Environment:
    """Return what fills the templates in."""
    filled = filling.environment(Path(__file__).parent / "templates")
    filled.filters["hex"] = _hex
    filled.filters["hex_blocks"] = _hex_blocks
    filled.filters["vhdl"] = _vhdl_type
    return filled


def fill(
    design: Design | Engine,
    top: str,
    ports: Sequence[Port],
    templates: tuple[str, str, str],
    context: Mapping[str, Any],
    more: Mapping[str, str] | None = None,
    *,
    single_file: bool = False,
) -> dict[str, str]:
    """Return the files of a bundle: path inside the bundle to text.

    Args:
        design: the design to build.
        top: the module of the RTL that the wrapper holds.
        ports: of the wrapped module.
        templates: of the wrapper, the test bench and the README.
        context: variables of these templates, in addition to the common ones.
        more: files that only some designs have: path to text.
        single_file: with the whole core as one file of plain Verilog.
    """
    module = module_name(design)
    used = [port for port in ports if port.used]
    sources = needed_by(top, scheme=design.core.research_scheme)
    library = [f"rtl/{path.name}" for path in sources]
    context = {
        "version": __version__,
        "name": design.name,
        "module": module,
        "ports": used,
        "unused_ports": [port for port in ports if not port.used],
        "range_width": max(len(port.range) for port in used),
        "library": library,
        "files": [*library, f"rtl/{module}.sv"],
        "camel": "".join(word.capitalize() for word in module.split("_")),
        "interfaces": interfaces(used),
        "litex_bus": LITEX_BUS,
        "csr_bytes": csr_bytes(ports),
        "attributes": dict.fromkeys([port.name for port in used], ()),
        "single_file": single_file,
        "runs": runs_of(design),
        "all_runs": recorded(),
        "buses": buses(used),
        "channels": [name for name in _CHANNELS if name in map(_channel_of, used)],
        "fields": {
            port.name: f"{channel}.{port.name.removeprefix(f'{channel}_')}"
            for port in used
            if (channel := _channel_of(port)) and not port.name.endswith("_tready")
        },
        **context,
    }
    filled = environment()
    files = {f"rtl/{path.name}": path.read_text(encoding="utf-8") for path in sources}
    wrapper, bench, readme = templates
    # The bench in VHDL sends beats of blocks.
    vhdl_bench = ((f"vhdl/tb_{module}.vhd", "tb.vhd.j2"),) if "beats" in context else ()
    for path, template in (
        *vhdl_bench,
        (f"rtl/{module}.sv", wrapper),
        (f"verilog/{module}_top.v", "top.v.j2"),
        (f"vhdl/{module}_pkg.vhd", "pkg.vhd.j2"),
        (f"vhdl/{module}_example.vhd", "example.vhd.j2"),
        (f"tb/tb_{module}.sv", bench),
        ("files.f", "files.f.j2"),
        ("component.xml", "component.xml.j2"),
        (f"{module}.core", "fusesoc.core.j2"),
        ("Bender.yml", "Bender.yml.j2"),
        (f"litex/{module}.py", "litex.py.j2"),
        (f"amaranth/{module}.py", "amaranth.py.j2"),
        ("synth/yosys.ys", "yosys.ys.j2"),
        ("synth/vivado.tcl", "vivado.tcl.j2"),
        ("synth/quartus.tcl", "quartus.tcl.j2"),
        ("synth/radiant.tcl", "radiant.tcl.j2"),
        ("synth/diamond.tcl", "diamond.tcl.j2"),
        ("synth/clock.xdc", "clock.xdc.j2"),
        ("synth/clock.sdc", "clock.sdc.j2"),
        ("synth/clock.lpf", "clock.lpf.j2"),
        ("README.md", readme),
    ):
        files[path] = filled.get_template(template).render(context)
    if single_file:
        from aesforge.bundle.single_file import plain_verilog

        files[f"verilog/{module}.v"] = plain_verilog(files, module)
    files |= {"design.toml": design.to_toml(), "LICENSE": license_text(), **(more or {})}
    files[MANIFEST] = "".join(
        f"{_digest(text.encode())}  {path}\n" for path, text in sorted(files.items())
    )
    return files


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_bundle(
    files: Mapping[str, str], out_dir: str | os.PathLike[str], *, force: bool = False
) -> list[Path]:
    """Write a bundle into a folder and return the files' paths.

    A folder that holds an earlier bundle is brought up to date; files that others put there stay.

    Args:
        files: as of :func:`fill`.
        out_dir: made when it does not exist.
        force: write into a folder that holds other things, over files of the same names.

    Raises:
        UsageError: the folder holds other things or an edited bundle, or cannot be written;
            nothing has been written then.
    """
    out = Path(out_dir)
    stale = _refuse_or_list_stale(out, files, force)
    try:
        write_folder(out, files)
    except OSError as error:
        raise UsageError(f"cannot write '{out}': {error.strerror}") from None
    for path in stale:
        path.unlink(missing_ok=True)
    return [out / path for path in files]


def _refuse_or_list_stale(out: Path, files: Mapping[str, str], force: bool) -> list[Path]:
    """Return the files of an earlier bundle that the new one lacks; refuse other files."""
    require_folder(out)
    present = list(out.iterdir()) if out.is_dir() else []
    manifest = out / MANIFEST
    if not present:
        return []
    if not manifest.is_file():
        if force:
            return []
        raise UsageError(
            f"'{out}' is not empty and holds no earlier bundle; choose another folder, or give "
            "--force to write among what is there"
        )
    earlier: dict[str, str] = {}
    for line in manifest.read_text(encoding="utf-8", errors="replace").splitlines():
        # Only paths that stay inside the folder.
        if ".." not in line and (match := re.fullmatch(r"([0-9a-f]{64})  (\w[\w./-]*)", line)):
            earlier[match[2]] = match[1]
    edited = []
    for path, digest in earlier.items():
        with contextlib.suppress(FileNotFoundError):
            if _digest((out / path).read_bytes()) != digest:
                edited.append(path)
    foreign = [p for p in files if p not in earlier and p != MANIFEST and (out / p).exists()]
    if (edited or foreign) and not force:
        raise UsageError(
            f"'{out}' holds a bundle that was changed by hand ({', '.join(edited + foreign)}); "
            "choose another folder, or give --force to lose the changes"
        )
    return [out / path for path in earlier if path not in files and path not in edited]

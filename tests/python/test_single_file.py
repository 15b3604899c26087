# SPDX-License-Identifier: Apache-2.0
"""A whole core as one file of plain Verilog: read by Icarus, passed by the bench, proved equal."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from aesforge.bundle import build, render
from aesforge.bundle.single_file import require_equal
from aesforge.design import Design
from aesforge.design.engine import Engine
from aesforge.design.presets import PRESETS
from aesforge.errors import CheckFailed
from engines import COUNTED, OFFSETS, SEALED, SMALL, UNITS

TINY = Design(name="tiny", unroll=1, sbox="table", sbox_stages=0)
DESIGNS: tuple[Design | Engine, ...] = (
    TINY,
    PRESETS["compact-bram"],
    PRESETS["rahman2010-rom"],
    PRESETS["kiran-looped"],
    Design(name="parity", unroll=1, error_detection="parity", sbox="bram"),
    Design(name="inverse", unroll=1, error_detection="inverse", sbox="table", tiles=2),
    *(SMALL, SEALED, COUNTED, UNITS, OFFSETS),
)
icarus = pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog, 11 or newer) is missing"
)


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    return done.stdout + done.stderr


@icarus
@pytest.mark.parametrize("design", DESIGNS, ids=lambda one: one.name)
def test_icarus_reads_it_and_the_bench_passes(design: Design | Engine, tmp_path: Path) -> None:
    build(design, tmp_path, single_file=True)
    module = design.name.replace("-", "_")
    # As Verilog of 2005, without one warning: none of SystemVerilog is left.
    assert run(tmp_path, "iverilog", "-g2005", "-Wall", "-t", "null", f"verilog/{module}.v") == ""
    sources = (f"verilog/{module}_top.v", f"verilog/{module}.v", f"tb/tb_{module}.sv")
    run(tmp_path, "iverilog", "-g2012", "-s", f"tb_{module}", "-o", "bench", *sources)
    said = run(tmp_path, "vvp", "-n", "bench")
    assert re.search(r"^PASS: \d+ (blocks|beats|round keys)$", said, re.MULTILINE), said


@icarus
def test_a_wrong_file_fails_the_bench(tmp_path: Path) -> None:
    build(TINY, tmp_path, single_file=True)
    path = tmp_path / "verilog" / "tiny.v"
    text = path.read_text(encoding="utf-8")
    path.write_text(mutant(text), encoding="utf-8")
    sources = ("verilog/tiny.v", "tb/tb_tiny.sv")
    run(tmp_path, "iverilog", "-g2012", "-s", "tb_tiny", "-o", "bench", *sources)
    done = subprocess.run(
        ["vvp", "-n", "bench"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "FAIL: cycle" in done.stdout
    assert done.returncode != 0


def mutant(text: str) -> str:
    """Return the file with another S-box."""
    assert text.count("2048'h16bb54b0") == 1
    return text.replace("2048'h16bb54b0", "2048'h17bb54b0")


SMALLEST = PRESETS["compact-bram"]


def test_it_is_proved_equal_to_the_sources() -> None:
    files = render(SMALLEST, single_file=True)
    # The state, the key and the result, at the least.
    assert require_equal(files, files["verilog/compact_bram.v"], "compact_bram") > 384


def test_what_differs_is_not_proved_equal() -> None:
    files = render(SMALLEST, single_file=True)
    text = files["verilog/compact_bram.v"]
    wrong = text.replace("rst ? 1'h0", "rst ? 1'h1", 1)
    assert wrong != text
    with pytest.raises(CheckFailed, match="the single file is not the circuit of the sources"):
        require_equal(files, wrong, "compact_bram")


def test_names_are_those_of_the_sources_and_none_is_escaped() -> None:
    files = render(TINY, single_file=True)
    text = files["verilog/tiny.v"]
    modules = re.findall(r"^module (\S+?)\s*\(", text, re.MULTILINE)
    assert modules[:4] == ["tiny", "tiny_aesforge_core", "tiny_aesforge_tile", *modules[3:4]]
    assert all(re.fullmatch(r"tiny(_aesforge_[a-z_]+(_\d+)?)?", name) for name in modules)
    assert "\\" not in text
    assert "$paramod" not in text
    # The bundle lists it, and is otherwise the same.
    assert "verilog/tiny.v" in files["MANIFEST"]
    assert files == render(TINY, single_file=True)
    without = render(TINY)
    changed = {path for path in files if without.get(path) != files[path]}
    assert changed == {"verilog/tiny.v", "MANIFEST", "README.md"}

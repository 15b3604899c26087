# SPDX-License-Identifier: Apache-2.0
"""`check` passes what is right, finds what is wrong, and can be repeated."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from aesforge.check.core import check
from aesforge.check.run import CheckReport
from aesforge.design import Design, load
from aesforge.reference import vectors
from cores import SMALL, SMALL_BOTH, SMALL_STORED, TWO_BLOCKS, changed_rtl


def quick(design: Design, **options: object) -> CheckReport:
    """Check without the published vectors."""
    return check(design, **{"vectors": False, "seed": 1, "blocks": 400, **options})  # type: ignore[arg-type]


def test_a_right_core_passes_and_the_report_says_what_was_done() -> None:
    report = check(SMALL, seed=7, blocks=500)
    assert report.passed
    assert report.failures == []
    blocks = sum(len(r.plaintext) // 16 for r in vectors.records(128))
    assert (report.vector_blocks, report.random_blocks) == (blocks, 500)
    assert report.blocks == blocks + 500
    assert (report.wrong_blocks, report.error_percent) == (0, 0.0)
    assert report.latency_cycles_seen == (11, 11)
    assert report.latency_cycles == 11
    assert report.blocks_per_cycle_seen == report.blocks_per_cycle == 0.1
    assert report.cycles > 10 * report.blocks
    assert report.cycles_per_second > 0
    assert report.blocks_per_second > 0
    text = report.text()
    for words in ("little: AES-128 encrypt", "0 %", "latency     11 cycles", "seed        7"):
        assert words in text
    assert json.loads(json.dumps(report.as_dict()))["blocks"] == report.blocks


def test_vectors_in_both_directions_and_stored_keys() -> None:
    blocks = sum(len(r.plaintext) // 16 for r in vectors.records(128))
    report = check(SMALL_BOTH, seed=1, blocks=0)
    assert report.passed, report.text()
    assert report.vector_blocks == 2 * blocks
    report = check(SMALL_STORED, seed=1, blocks=600)
    assert report.passed, report.text()
    assert report.vector_blocks == blocks


@pytest.mark.parametrize(
    "options",
    [
        {"bubbles": 0.0},
        {"bubbles": 0.9},
        {"random_keys": False},
        {"blocks": 0},
        {"blocks": 1},
        {"blocks": 20_000},
    ],
    ids=str,
)
@pytest.mark.parametrize("design", [SMALL, SMALL_BOTH, SMALL_STORED], ids=lambda d: d.name)
def test_options(design: Design, options: dict[str, object]) -> None:
    report = quick(design, **options)
    assert report.passed, report.text()
    assert report.random_blocks == options.get("blocks", 400)


def test_the_seed_fixes_everything() -> None:
    first, again, other = (quick(SMALL_STORED, seed=seed) for seed in (5, 5, 6))
    assert first.cycles == again.cycles != other.cycles


def test_a_seed_is_drawn_and_told() -> None:
    one, other = (check(SMALL, vectors=False, blocks=10) for _ in range(2))
    assert one.seed != other.seed
    assert f"--seed {one.seed} " in one.command


def test_progress_ends_at_its_total() -> None:
    seen: list[tuple[int, int]] = []
    check(SMALL, seed=1, blocks=300, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


# --- What is wrong is found ----------------------------------------------------------------------


def wrong(
    folder: Path, design: Design, file: str, old: str, new: str, **more: object
) -> CheckReport:
    files = changed_rtl(folder, file, old, new)
    report = quick(design, rtl=files, optimize="build", **more)
    assert not report.passed
    assert report.failures
    assert f"repeat it with: aesforge check {design.name} --seed 1 --blocks" in report.text()
    return report


def test_a_wrong_bit_in_the_s_box(tmp_path: Path) -> None:
    report = wrong(
        tmp_path, SMALL, "aesforge_sbox_table.sv", "fc20ed00d153", "fc20ec00d153", vectors=True
    )
    # 160 S-boxes of the data path and 40 of the key's: SBOX(53) is met in every second block.
    assert 30 < report.error_percent < 70
    text = report.text()
    assert "the published vector ECB" in text
    assert "--no-vectors" not in text
    for word in ("key  ", "block  ", "expected  ", "got  "):
        assert word in report.failures[0]


def test_a_wrong_tag(tmp_path: Path) -> None:
    report = wrong(
        tmp_path,
        SMALL,
        "aesforge_core.sv",
        "assign out_tag = ring_tag[0];",
        "assign out_tag = {ring_tag[0][TagBits-1:1], 1'b0};",
    )
    assert report.wrong_blocks == 0
    assert "came out with the tag" in report.failures[0]


def test_a_checked_core_is_silent_and_takes_as_long_as_computed() -> None:
    """All vectors, with no alarm; the latency of taking each result back included."""
    design = dataclasses.replace(SMALL, name="little-inverse", error_detection="inverse")
    report = check(design, seed=1, blocks=200, optimize="build")
    assert report.passed, report.text()
    assert report.latency_cycles_seen == (34, 34)


def test_a_fault_raises_the_alarm(tmp_path: Path) -> None:
    """A wrong bit of an S-box's result now and then, which parity finds."""
    design = dataclasses.replace(SMALL, name="little-parity", error_detection="parity")
    report = wrong(tmp_path, design, "aesforge_sbox_table.sv", "fc20ed00d153", "fc20ec00d153")
    assert report.wrong_blocks > 0
    assert any("raised its alarm" in failure for failure in report.failures)


def test_a_core_that_looks_at_data_without_valid(tmp_path: Path) -> None:
    """The idle pins carry noise, so that this shows in the first pause."""
    files = changed_rtl(
        tmp_path,
        "aesforge_core.sv",
        "slot_ready && !zeroize && ring_ready != '0;",
        "ring_ready != '0;",
    )
    report = quick(SMALL_STORED, rtl=files, optimize="build")
    assert not report.passed


@pytest.mark.parametrize(
    ("core", "file", "old", "new", "when"),
    [
        (
            "pipeline",
            "aesforge_core.sv",
            "assign out_valid = !zeroizing_q && ring_valid_o != '0;",
            "assign out_valid = ring_valid_o != '0;",
            "zeroize",
        ),
        (
            "ring",
            "aesforge_core.sv",
            "assign out_valid = !zeroizing_q && ring_valid_o != '0;",
            "assign out_valid = ring_valid_o != '0;",
            "zeroize",
        ),
        ("pipeline", "aesforge_cipher.sv", "    if (rst) out_valid <= 1'b0;\n", "", "rst"),
        ("ring", "aesforge_cipher.sv", "    if (rst) out_valid <= 1'b0;\n", "", "rst"),
        (
            "columns",
            "aesforge_serial.sv",
            "if (rst || zeroizing_q) {valid_q, more_q} <= '0;",
            "if (zeroizing_q) {valid_q, more_q} <= '0;",
            "rst",
        ),
    ],
)
def test_a_block_that_leaves_after_zeroize_or_rst(
    tmp_path: Path, core: str, file: str, old: str, new: str, when: str
) -> None:
    design = {
        "pipeline": dataclasses.replace(SMALL, name="pipeline", unroll=10, sbox_stages=1),
        "ring": dataclasses.replace(SMALL, name="ring", unroll=1),
        "columns": load("rahman2010-composite", {"direction": "encrypt"}),
    }[core]
    report = wrong(tmp_path, design, file, old, new, blocks=50)
    assert report.wrong_blocks == 0
    assert all(f"out_valid was high after {when}" in failure for failure in report.failures)


def test_latency_is_held_against_the_design() -> None:
    """A design that computes another latency than its core has."""

    class Slower(Design):
        @property
        def latency_cycles(self) -> int:
            return super().latency_cycles + 1

        @property
        def interval(self) -> float:
            return super().interval + 1

    report = quick(Slower(**SMALL.choices()))
    assert not report.passed
    assert report.latency_cycles_seen == (11, 11)
    assert "took 11 cycles; the design computes 12" in report.failures[0]
    assert "beats back to back took" in report.failures[1]


def test_a_deadlock_is_a_failed_check(tmp_path: Path) -> None:
    files = changed_rtl(
        tmp_path,
        "aesforge_core.sv",
        "assign in_ready = slot_ready && !zeroize && ring_ready != '0;",
        "assign in_ready = slot_ready && !zeroize && ring_ready != '0 && in_tag != '1;",
    )
    report = quick(SMALL, rtl=files, optimize="build", blocks=2000)
    assert not report.passed
    assert "no progress" in report.failures[0]


def test_lanes_count_as_blocks_and_are_named(tmp_path: Path) -> None:
    files = changed_rtl(
        tmp_path,
        "aesforge_core.sv",
        "assign out_block = ring_block[0];",
        "assign out_block = ring_block[0] ^ (384'd1 << 200);",
    )
    report = quick(TWO_BLOCKS, rtl=files, optimize="build", blocks=302)
    assert report.random_blocks == 303
    assert report.wrong_blocks == 101
    assert report.error_percent == pytest.approx(100 / 3)
    assert ", block 1 came out wrong" in report.failures[0]

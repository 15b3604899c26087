# SPDX-License-Identifier: Apache-2.0
"""The registers counted from a design's structure are those that synthesis keeps."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

from aesforge.design import ALLOWED, SBOX_STYLES, Design, sbox_stage_range
from aesforge.design.flip_flops import flip_flops
from aesforge.design.key_steps import unrolled_key_steps
from aesforge.design.sbox import sbox_register_bits


def yosys(tmp_path: Path, *arguments: str) -> dict[str, int]:
    """Return what netlist.py counts."""
    result = tmp_path / "result.json"
    program = Path(__file__).with_name("netlist.py")
    done = subprocess.run(
        [sys.executable, str(program), *arguments, str(result)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    counts: dict[str, int] = json.loads(result.read_text(encoding="utf-8"))
    return counts


SERIAL = Design(
    direction="both",
    architecture="column_serial",
    key_schedule="stored",
    sbox_stages=0,
    linear_stages=3,
    mix_columns="shared",
)
DESIGNS = (
    Design(unroll=1, sbox_stages=0),
    Design(unroll=1, sbox_stages=3, linear_stages=2, direction="decrypt", key_bits=192),
    Design(unroll=2, sbox_stages=0, linear_stages=4, mix_columns="table", delay_line="register"),
    Design(unroll=1, linear_stages=3, mix_columns="table", direction="both", key_bits=256),
    Design(unroll=2, linear_stages=3, mix_columns="shared", direction="both"),
    Design(direction="decrypt", linear_stages=3, mix_columns="shared", delay_line="register"),
    Design(unroll=2, key_schedule="stored", key_slots=3),
    Design(
        unroll=2,
        key_bits=192,
        direction="both",
        key_schedule="stored",
        key_slots=5,
        linear_stages=2,
        tiles=2,
    ),
    Design(key_bits=256, sbox_stages=0),
    SERIAL,
    dataclasses.replace(SERIAL, shift_rows="addressed", direction="encrypt", mix_columns="xtime"),
    dataclasses.replace(
        SERIAL, direction="decrypt", sbox_stages=2, linear_stages=4, key_sbox="bram", key_bits=192
    ),
    dataclasses.replace(SERIAL, shift_rows="addressed", linear_stages=4, key_bits=256),
    dataclasses.replace(SERIAL, shift_rows="addressed", sbox_stages=1, linear_stages=0),
    dataclasses.replace(
        SERIAL, direction="encrypt", linear_stages=4, sbox_stages=2, delay_line="register"
    ),
    # Schemes that are not AES: unrolled, looped and stored.
    Design(scheme="hu2009", research=True, sbox_stages=0, linear_stages=2),
    Design(scheme="hu2009", research=True, unroll=2, linear_stages=3),
    Design(scheme="hu2009", research=True, unroll=1, key_schedule="stored", direction="decrypt"),
    Design(scheme="liu2014", research=True),
    Design(scheme="liu2014", research=True, unroll=2, linear_stages=2),
    Design(scheme="liu2014", research=True, unroll=5, key_schedule="stored", sbox_stages=2),
    Design(sbox_stages=0, linear_stages=0, direction="both"),
    Design(architecture="key_expand", key_bits=192, linear_stages=3),
    Design(unroll=1, sbox_stages=0, error_detection="parity"),
    Design(unroll=1, sbox_stages=0, error_detection="inverse"),
    Design(architecture="key_expand", key_bits=256, unroll=1, tag_bits=3),
)


@pytest.mark.parametrize(
    "design",
    DESIGNS,
    ids=lambda d: "-".join(
        map(
            str,
            (
                d.architecture,
                d.key_bits,
                d.direction,
                d.shift_rows or d.unroll,
                d.key_schedule,
                d.scheme,
            ),
        )
    ),
)
def test_a_core_keeps_the_registers_that_are_counted(design: Design, tmp_path: Path) -> None:
    path = tmp_path / "design.toml"
    path.write_text(design.to_toml(), encoding="utf-8")
    kept = yosys(tmp_path, "core", str(path))
    blocks = [block for block in flip_flops(design) if not block.block.startswith("S-boxes")]
    counted = sum(block.flip_flop_bits for block in blocks)
    # Yosys folds some of the logic after the step's number only in later passes.
    assert counted == pytest.approx(kept["flip_flops"], rel=0.003)
    assert sum(block.ram_bits for block in blocks) == kept["ram_bits"]
    assert design.sbox_count == 4 * kept["sub_words"]


CASES = [
    (style, direction, stages)
    for style in SBOX_STYLES
    if style != "bram"  # its first stage lies in the RAM, which Yosys maps later
    for direction in ALLOWED["direction"]
    # The deepest, one in between, one more than there are levels.
    for high in [sbox_stage_range(style, direction)[1]]
    for stages in sorted({high // 2, high, high + 1} - {0})
]


@pytest.mark.parametrize(("style", "direction", "stages"), CASES)
def test_an_sbox_keeps_the_registers_that_are_counted(
    style: str, direction: str, stages: int, tmp_path: Path
) -> None:
    kept = yosys(tmp_path, "sbox", style, str(stages), direction)
    # After the last level, a combined S-box delays only the result.
    assert sbox_register_bits(style, stages, direction) == (kept["flip_flops"], 0)


def test_block_ram_holds_the_first_stage() -> None:
    assert sbox_register_bits("bram", 1, "encrypt") == (0, 8)
    assert sbox_register_bits("bram", 3, "both") == (16, 8)


def test_blocks_of_a_pipeline_by_hand() -> None:
    # AES-128, one stage in the S-box, one before it: ten states, ten keys of two stages.
    bits = {block.block: block.flip_flop_bits for block in flip_flops(Design(sbox="table"))}
    assert bits["state before SubBytes"] == 10 * 128
    assert bits["S-boxes of SubBytes"] == 160 * 8
    assert bits["key schedule"] == 10 * 2 * 128
    assert bits["S-boxes of SubWord"] == 40 * 8
    assert "round keys" not in bits


def test_the_last_step_of_a_long_key_is_half_a_step() -> None:
    steps = unrolled_key_steps(256, "encrypt")
    assert [step.sub_word for step in steps] == [True] * 13 + [False]
    assert (steps[-1].waiting, steps[-1].pre, steps[-1].post) == (4, 4, 4)
    assert {step.pre for step in steps[:-1]} == {8}

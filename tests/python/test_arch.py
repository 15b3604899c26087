# SPDX-License-Identifier: Apache-2.0
"""Flip-flops and S-boxes as the closed forms have them, beside those that synthesis keeps."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

from aesforge.design import ALLOWED, SBOX_STYLES, Design, sbox_stage_range
from aesforge.design.arch.base import sub_word_steps
from aesforge.design.sbox import sbox_flip_flops


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
    dataclasses.replace(SERIAL, linear_stages=0),
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
def test_a_core_keeps_about_the_flip_flops_of_the_closed_form(
    design: Design, tmp_path: Path
) -> None:
    path = tmp_path / "design.toml"
    path.write_text(design.to_toml(), encoding="utf-8")
    kept = yosys(tmp_path, "core", str(path))
    built = design.built
    inside = built.data_sbox_flip_flops()
    if not design.is_serial:  # whose key schedule has no stage in an S-box
        inside += built.key_sbox_flip_flops()
    # Not in it: control, MixColumns' stages inside, what synthesis drops of a long key's last step.
    assert design.flip_flops_about - inside == pytest.approx(kept["flip_flops"], rel=0.25)
    assert design.sbox_count == 4 * kept["sub_words"]
    # Long delays and stored keys lie in RAM.
    # A delay takes a pass; the inverse check keeps a block for all of them. In the 32-bit data path
    # a tag waits for ShiftRows as well.
    checked = design.error_detection == "inverse"
    delayed = (design.rounds if checked else design.unrolled_rounds) * design.stages
    delayed = design.latency_cycles if design.is_serial else delayed
    long_delays = design.delay_line == "ram" and delayed >= 8
    stored = design.key_slots is not None and not design.is_serial
    assert (kept["ram_bits"] > 0) == (stored or (long_delays and not design.is_key_expansion))


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
def test_an_sbox_keeps_the_flip_flops_that_are_counted(
    style: str, direction: str, stages: int, tmp_path: Path
) -> None:
    kept = yosys(tmp_path, "sbox", style, str(stages), direction)
    # After the last level, a combined S-box delays only the result.
    assert sbox_flip_flops(style, stages, direction) == kept["flip_flops"]


def test_block_ram_holds_the_first_stage() -> None:
    assert sbox_flip_flops("bram", 1, "encrypt") == 0
    assert sbox_flip_flops("bram", 3, "both") == 16


def test_a_pipeline_by_hand() -> None:
    # AES-128, one stage in the S-box, one before it: ten states and the output, ten keys of two
    # stages, eight bits in each S-box, a tag at the output of its RAM.
    states, keys, sboxes, tag = 11 * 128, 10 * 2 * 128, 200 * 8, 8
    assert Design(sbox="table").flip_flops_about == states + keys + sboxes + tag


def test_steps_with_sub_word() -> None:
    # 44, 52 and 60 words (FIPS 197 Sec. 5.2): every Nk-th passes SubWord, and with eight every
    # fourth.
    assert [sub_word_steps(bits, last_window=False) for bits in (128, 192, 256)] == [10, 8, 13]
    assert [sub_word_steps(bits, last_window=True) for bits in (128, 192, 256)] == [10, 8, 14]

# SPDX-License-Identifier: Apache-2.0
"""Sama's two architectures: everything between two registers, and pipelined inside and outside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aesforge.check.core import check
from aesforge.design import Design, load
from aesforge.reference import vectors
from aesforge.simulate import BLOCK, IDLE, RESET, SPURIOUS, WAIT, ZEROIZE, Simulator
from cores import changed_rtl, send_one


@pytest.mark.parametrize("suffix", ["", "-decrypt"])
def test_the_standard_architecture(suffix: str) -> None:
    """Fig. 15: not pipelined. All rounds and the key expansion stand before one register."""
    design = load(f"sama-standard{suffix}")
    assert (design.stages, design.latency_cycles, design.interval) == (0, 1, 1)
    # The key runs forwards first where blocks are decrypted.
    assert design.sbox_count == 160 + (40 if not suffix else 80)
    report = check(design, seed=1, blocks=100, optimize="build")
    assert report.passed, report.text()
    assert report.vector_blocks == sum(len(r.plaintext) // 16 for r in vectors.records(128))
    assert report.latency_cycles_seen == (1, 1)


def test_the_modified_architecture() -> None:
    """Sec. III: outer registers, inner ones in the S-box and MixColumns, products by tables."""
    for name in ("sama-modified", "sama-modified-decrypt"):
        design = load(name)
        assert (design.sbox, design.sbox_stages) == ("split6", 2)
        assert (design.mix_columns, design.linear_stages) == ("table", 2)
        assert design.is_unrolled
        assert design.is_agile


STRAIGHT = Design(
    name="straight", direction="both", sbox="table", sbox_stages=0, linear_stages=0, key_bits=192
)


def test_both_directions_and_long_keys_without_a_stage() -> None:
    report = check(STRAIGHT, seed=2, blocks=200, vectors=False, optimize="build")
    assert report.passed, report.text()
    assert report.latency_cycles_seen == (1, 1)


def test_zeroize_and_reset_drop_what_stands_at_the_output() -> None:
    design = load("sama-standard")
    with Simulator(design, optimize="build", seed=1) as simulator:
        key, block = bytes(range(16)), bytes.fromhex("00112233445566778899aabbccddeeff")
        for what in (ZEROIZE, RESET):
            ops = simulator.new_ops(6)
            ops["op"] = BLOCK, what, IDLE, BLOCK, IDLE, WAIT
            ops["arg"] = 0, 1, 8, 0, 0, 0
            ops["block"] = list(block)
            ops["key"][:, :16] = list(key)
            result = simulator.run(ops)
            # The block before the zeroization is lost or stands at the output in its very cycle;
            # the one after it comes out as always.
            assert result.dropped == 1
            assert result.left == 1
            late = result.of(SPURIOUS)["cycle"].astype(np.int64)
            assert all(late <= int(result.events["cycle"][0]))
            (row,) = result.rows
            assert row["block"].tobytes().hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"
            assert row["out_cycle"] - row["in_cycle"] == 1


def test_a_register_too_many_is_found(tmp_path: Path) -> None:
    """Were there a stage in it after all, the check would say so."""
    files = changed_rtl(
        tmp_path,
        "aesforge_core.sv",
        "assign out_block = ring_block[0];",
        "logic [127:0] late; always_ff @(posedge clk) late <= ring_block[0];\n"
        "    assign out_block = late;",
    )
    design = load("sama-standard")
    report = check(design, seed=1, blocks=50, vectors=False, rtl=files, optimize="build")
    assert not report.passed
    with Simulator(design, optimize="build") as simulator:
        assert len(send_one(simulator, bytes(16), bytes(16)).rows) == 1


def test_the_input_path_of_the_paper() -> None:
    """33.7 ns that Fig. 15 leaves out: ten key steps, with no register from key to round key."""
    design = load("sama-key-input")
    assert (design.architecture, design.stages, design.latency_cycles) == ("key_expand", 0, 0)
    assert design.sbox_count == load("sama-standard").key_sbox_count
    report = check(design, seed=1, blocks=50, optimize="build")
    assert report.passed, report.text()
    assert report.latency_cycles_seen == (0, 0)


def test_a_cone_of_all_rounds_is_mapped_by_its_tables() -> None:
    """As one piece it would take ABC far longer; other cores keep their scripts."""
    from aesforge.devices.families import family
    from aesforge.measure import Target
    from aesforge.measure.synthesis import Synthesis

    recipes = family("ecp5")

    def script(name: str) -> str:
        target = Target.of(load(name))
        return "\n".join(
            Synthesis(target, "ecp5", recipes, recipes.recipe_named(None)).synthesis_script()
        )

    assert "keep_hierarchy 1 *aesforge_sbox_tower*" in script("sama-standard")
    assert "*aesforge_sbox_table*" in script("sama-standard")
    assert "*aesforge_sbox_table*" in script("sama-key-input")
    assert "*aesforge_sbox" not in script("compact")
    # Between stages, all S-boxes are mapped alone; without them, a table as well as a tower is not.
    assert "*aesforge_sbox_table*" in script("liu2014-two-stage")
    assert "*aesforge_sbox" not in script("liu2014-original")

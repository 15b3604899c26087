# SPDX-License-Identifier: Apache-2.0
"""The check of engines with tags passes where they are right, and finds what is wrong."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from aesforge.check.engine import check_engine
from aesforge.check.sealed import WRONG, WRONG_IN, WRONG_IVS
from aesforge.design.engine import Engine
from aesforge.reference.vectors import KEY_BITS
from cores import changed_rtl
from engines import (
    CCM,
    CCM_RING,
    COUNTED,
    HELD,
    SEALED,
    SEALED_RING,
    SEALED_SERIAL,
    SEALED_WIDE,
    SEALED_WIDEST,
)


@pytest.mark.parametrize(
    "engine",
    [
        *(SEALED, SEALED_RING, SEALED_SERIAL, dataclasses.replace(HELD, hold_beats=32)),
        *(CCM, CCM_RING, SEALED_WIDE, SEALED_WIDEST),
    ],
    ids=lambda one: one.name,
)
def test_check_passes(engine: Engine) -> None:
    report = check_engine(engine, seed=4, blocks=2000)
    assert report.passed, report.text()
    if engine is not CCM_RING:
        assert report.latency_cycles_seen == engine.latency_cycles
    assert report.blocks_per_cycle_seen == pytest.approx(engine.blocks_per_cycle, rel=0.04)
    # 256 of NIST's, and all of Wycheproof's that have an IV.
    assert report.vector_records > 256 + 90
    assert report.vector_packets > 1.5 * report.vector_records
    assert "NIST CAVP, Wycheproof" in report.text()
    assert f"{report.left_out:,} others have IVs or tags of lengths" in report.text()


@pytest.mark.parametrize("engine", [SEALED, SEALED_WIDE, CCM_RING], ids=lambda one: one.name)
def test_every_error_is_sent(engine: Engine) -> None:
    report = check_engine(engine, seed=4, blocks=12_000, vectors=False)
    assert report.passed, report.text()
    more = {"a tag length that is not legal", "a slot without a key"}
    (cipher,) = engine.modes
    more |= {*WRONG_IVS} if cipher == "gcm" else set()
    assert set(report.errors) == {*WRONG, *WRONG_IN[cipher]} | more
    assert sum(report.errors.values()) == report.error_packets > 100
    assert min(report.errors.values()) >= 3


@pytest.mark.parametrize("stages", [1, 6, 7, 10])
def test_cycles_are_those_that_the_engine_computes(stages: int) -> None:
    engine = dataclasses.replace(SEALED, multiply_stages=stages, short_tags=False, depth=None)
    report = check_engine(engine, seed=stages, blocks=1000, vectors=False)
    assert report.passed, report.text()
    assert report.latency_cycles_seen == engine.latency_cycles
    assert report.blocks_per_cycle_seen == pytest.approx(1)


@pytest.mark.parametrize("stages", [1, 6, 7])
def test_beats_of_several_blocks_are_withheld_under_counted_ivs(stages: int) -> None:
    """With each number of beats ahead, and large keys."""
    core = dataclasses.replace(COUNTED.core, tiles=4, key_bits=256)
    engine = dataclasses.replace(
        COUNTED, core=core, multiply_stages=stages, depth=None, hold_beats=128
    )
    report = check_engine(engine, seed=stages, blocks=2000, vectors=False)
    assert report.passed, report.text()
    assert report.blocks_per_cycle_seen == pytest.approx(4)


@pytest.mark.parametrize(
    ("digit", "unroll"), [(1, 1), (2, 10), (4, 2), (8, 5), (16, 1), (32, 10), (32, 2)]
)
def test_cycles_of_a_digit_serial_multiplier(digit: int, unroll: int) -> None:
    core = dataclasses.replace(SEALED_SERIAL.core, unroll=unroll)
    engine = dataclasses.replace(SEALED_SERIAL, core=core, multiply_digit=digit, depth=None)
    # One interval may be lost before the queues have filled: enough beats after that.
    report = check_engine(engine, seed=digit, blocks=2000, vectors=False)
    assert report.passed, report.text()
    assert report.latency_cycles_seen == engine.latency_cycles
    assert report.blocks_per_cycle_seen == pytest.approx(engine.blocks_per_cycle, rel=0.02)


@pytest.mark.parametrize("key_bits", KEY_BITS)
def test_every_published_record(key_bits: int) -> None:
    """All 47,250 of NIST and those of Wycheproof that have an IV, in both directions if valid."""
    core = dataclasses.replace(SEALED.core, key_bits=key_bits, unroll="full", key_slots=16)
    engine = dataclasses.replace(SEALED, name=f"little-gcm-{key_bits}", core=core, depth=None)
    report = check_engine(engine, seed=1, blocks=200, stall=0, most_records=None)
    assert report.passed, report.text()
    assert report.vector_records > 2 * 7875 + 90
    assert report.left_out < 5
    # IVs of other lengths than 12 bytes, in two of three records, are packets of their own.
    assert report.vector_packets > 2.5 * 2 * 7875


@pytest.mark.parametrize("key_bits", KEY_BITS)
def test_every_published_record_of_ccm(key_bits: int) -> None:
    """All 2,880 of NIST and Wycheproof's 552 but 36, in both directions if valid."""
    core = dataclasses.replace(CCM.core, key_bits=key_bits, unroll="full")
    engine = dataclasses.replace(CCM, name=f"little-ccm-{key_bits}", core=core, depth=None)
    report = check_engine(engine, seed=1, blocks=200, stall=0, most_records=None)
    assert report.passed, report.text()
    # A nonce of 16 bytes and more no context can say.
    assert (report.vector_records, report.left_out) == (960 + 184 - 6, 6)
    assert report.vector_packets > 1.8 * 960


MUTANTS = {
    "a byte of the tag is not compared": (
        "aesforge_gcm_tag.sv",
        "differs_q != '0",
        "differs_q[14:0] != '0",
        "(is wrong|lost or late)",
    ),
    "the hash takes bytes that are not kept": (
        "aesforge_axis_shell.sv",
        "side_kept[i] ? side_xor[8*i+:8]",
        "side_kept[Bytes-1] ? side_xor[8*i+:8]",
        "(is wrong|lost or late)",
    ),
    "associated data after text": (
        "aesforge_section_check.sv",
        "(aad && text_q)",
        "1'b0",
        "(is wrong|lost or late)",
    ),
    "any length of the tag": (
        "aesforge_section_check.sv",
        "(length & (s_first ? s_tag_length : tag_length_q)) != '0",
        "length != '0",
        "(is wrong|lost or late)",
    ),
    "the plaintext is hashed": (
        "aesforge_gcm_tag.sv",
        "(in_aad || in_decrypt) && !in_tag;\n    from_data = !in_aad && !in_decrypt",
        "in_aad && !in_tag;\n    from_data = !in_aad",
        "(is wrong|lost or late)",
    ),
    "a power of H too low": (
        "aesforge_gcm_powers.sv",
        "final_q <= write_power == '1;",
        "final_q <= write_power == 2'd2;",
        "(is wrong|never came)",
    ),
}


CCM_MUTANTS = {
    "a byte of the tag is not compared": (
        "aesforge_mode_ccm.sv",
        "differs_q != '0",
        "differs_q[15:1] != '0",
    ),
    "lengths are not looked at": (
        "aesforge_mode_ccm.sv",
        "wrong_q <= look_error",
        "wrong_q <= 1'b0",
    ),
    "any nonce": (
        "aesforge_engine_ccm.sv",
        "s_ctx_iv_bytes >= 4'd7 && s_ctx_iv_bytes <= 4'd13\n      &&",
        "",
    ),
    "counters from 0 on": (
        "aesforge_mode_ccm.sv",
        "first && !second ? 28'd1",
        "first && !second ? 28'd0",
    ),
}


WIDE_MUTANTS = {
    "all beats count as full": (
        "aesforge_engine_gcm.sv",
        "size += SizeBits'(s_axis_tkeep[16*b]);",
        "size += SizeBits'(1);",
    ),
    "no beat has many after it": (
        "aesforge_engine_gcm.sv",
        "{beats_left[$clog2(Ahead)], sum}",
        "{1'b0, sum}",
    ),
    "too few powers": (
        "aesforge_engine_gcm.sv",
        ".Ahead(Ahead * Tiles)\n  ) u_powers",
        ".Ahead(Ahead)\n  ) u_powers",
    ),
    "a partial beat in the middle has all blocks": (
        "aesforge_packet_lookahead.sv",
        "m_sum - SumBits'(m_size) - 1'b1",
        "m_sum - SumBits'(Blocks)",
    ),
    "the tag has the counter of text": (
        "aesforge_gcm_counter.sv",
        "beat_tag ? j0[LowBits-1:0] : first",
        "first",
    ),
    "a tag may have more bytes than a block": (
        "aesforge_section_check.sv",
        "& ~{longer, s_keep",
        "& ~{1'b0, s_keep",
    ),
}


@pytest.mark.parametrize("name", WIDE_MUTANTS)
def test_check_of_beats_of_several_blocks_names_what_is_wrong(name: str, tmp_path: Path) -> None:
    rtl = changed_rtl(tmp_path, *WIDE_MUTANTS[name])
    report = check_engine(SEALED_WIDE, seed=4, blocks=6000, vectors=False, rtl=rtl)
    assert not report.passed
    assert any(re.search("(is wrong|lost or late|never came)", one) for one in report.failures)


@pytest.mark.parametrize("name", CCM_MUTANTS)
def test_check_of_ccm_names_what_is_wrong(name: str, tmp_path: Path) -> None:
    rtl = changed_rtl(tmp_path, *CCM_MUTANTS[name])
    report = check_engine(CCM, seed=4, blocks=4000, vectors=False, rtl=rtl)
    assert not report.passed
    assert any(re.search("(is wrong|lost or late)", one) for one in report.failures)


@pytest.mark.parametrize("name", MUTANTS)
def test_check_names_what_is_wrong(name: str, tmp_path: Path) -> None:
    file, old, new, words = MUTANTS[name]
    rtl = changed_rtl(tmp_path, file, old, new)
    report = check_engine(SEALED, seed=4, blocks=4000, vectors=False, rtl=rtl)
    assert not report.passed
    assert any(re.search(words, failure) for failure in report.failures), report.failures

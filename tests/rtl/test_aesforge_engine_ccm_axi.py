# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_ccm_axi: keys, contexts and results through AXI4-Lite, beside OpenSSL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
import pytest
from named_ports import NamedBench
from packet_axi import CCM, SMALL, PacketBench, PacketConfig, Shape
from rtl_bench import Mutation

M = "aesforge_engine_ccm_axi"
TAGS = sum(1 << size for size in range(4, 17, 2))
RING = {**SMALL, "Unroll": 1, "Depth": 16}
SHAPES = {
    "agile": Shape(
        M,
        {**RING, "KeyBits": 128, "KeySlots": 0, "Streams": 3, "HoldBeats": 16},
        PacketConfig(CCM, 16, 0, TAGS, True, True, False),
    ),
    "stored": Shape(
        M,
        {**RING, "KeyBits": 256, "KeySlots": 2, "Streams": 4, "Results": 4},
        PacketConfig(CCM, 32, 2, TAGS, True, True, False),
    ),
}
MUTANTS = {
    "no associated data": (
        "agile",
        Mutation(M, ".s_ctx_aad_bytes(ctx_aad_bytes)", ".s_ctx_aad_bytes('0)"),
    ),
    "no text": ("agile", Mutation(M, ".s_ctx_text_bytes(ctx_text_bytes)", ".s_ctx_text_bytes('0)")),
    "one key": ("agile", Mutation(M, ".s_ctx_key(ctx_key)", ".s_ctx_key('0)")),
    "one slot": ("stored", Mutation(M, ".s_ctx_slot(ctx_slot)", ".s_ctx_slot('0)")),
    "one length of nonces": (
        "agile",
        Mutation(M, ".s_ctx_iv_bytes(ctx_iv_bytes)", ".s_ctx_iv_bytes(4'd12)"),
    ),
    "one length of tags": (
        "agile",
        Mutation(M, ".s_ctx_tag_bytes(ctx_tag_bytes)", ".s_ctx_tag_bytes(5'd16)"),
    ),
    "one direction": ("agile", Mutation(M, ".s_ctx_decrypt(ctx_decrypt)", ".s_ctx_decrypt(1'b0)")),
}
BENCH = PacketBench(SHAPES, MUTANTS)


def make_bench() -> NamedBench:
    """Return the bench, with its mutants."""
    return BENCH.bench


@cocotb.test()
async def packets_and_results(dut: Any) -> None:
    await BENCH.packets(dut)


@cocotb.test()
async def waits_and_zeroizes(dut: Any) -> None:
    await BENCH.waits_and_zeroizes(dut)


@pytest.mark.usefixtures("mutants")
def test_aesforge_engine_ccm_axi(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

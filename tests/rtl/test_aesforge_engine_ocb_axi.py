# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_ocb_axi: keys, contexts and results through AXI4-Lite, beside OpenSSL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
import pytest
from named_ports import NamedBench
from packet_axi import OCB, SMALL, PacketBench, PacketConfig, Shape
from rtl_bench import Mutation

M = "aesforge_engine_ocb_axi"
TAGS = 1 << 8 | 1 << 12 | 1 << 16
SHAPES = {
    "both": Shape(
        M,
        {**SMALL, "KeyBits": 128, "Direction": 2, "KeySlots": 3, "Depth": 32, "HoldBeats": 16},
        PacketConfig(OCB, 16, 3, TAGS, True, True, False),
    ),
}
MUTANTS = {
    "one length of nonces": (
        "both",
        Mutation(M, ".s_ctx_iv_bytes(ctx_iv_bytes)", ".s_ctx_iv_bytes(4'd12)"),
    ),
    "one length of tags": (
        "both",
        Mutation(M, ".s_ctx_tag_bytes(ctx_tag_bytes)", ".s_ctx_tag_bytes(5'd16)"),
    ),
    "one direction": ("both", Mutation(M, ".s_ctx_decrypt(ctx_decrypt)", ".s_ctx_decrypt(1'b0)")),
    "the key of slot 0": ("both", Mutation(M, ".s_ctx_slot(ctx_slot)", ".s_ctx_slot('0)")),
    "one nonce": ("both", Mutation(M, ".s_ctx_iv(ctx_iv)", ".s_ctx_iv('0)")),
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
def test_aesforge_engine_ocb_axi(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

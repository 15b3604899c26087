# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_gcm_axi: keys, contexts and results through AXI4-Lite, beside OpenSSL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
import pytest
from named_ports import NamedBench
from packet_axi import GCM, SMALL, PacketBench, PacketConfig, Shape
from rtl_bench import Mutation

M = "aesforge_engine_gcm_axi"
RING = {**SMALL, "Unroll": 1, "MultiplyStages": 0, "MultiplyDigit": 32, "Depth": 16}
TAGS = 0b11111 << 12
SHAPES = {
    "given": Shape(
        M,
        {**RING, "KeyBits": 128, "KeySlots": 2, "ShortTags": 1},
        PacketConfig(GCM, 16, 2, TAGS | 1 << 4 | 1 << 8, True, True, False),
    ),
    "counted": Shape(
        M,
        {**RING, "KeyBits": 256, "KeySlots": 3, "HoldBeats": 16, "Counted": 1, "Results": 4},
        PacketConfig(GCM, 32, 3, TAGS, True, True, True),
    ),
}
MUTANTS = {
    "no counted IV in the results": (
        "counted",
        Mutation(M, ".Counted (Counted)", ".Counted(1'b0)"),
    ),
    "given where they are counted": ("counted", Mutation(M, "if (Counted) begin", "if (0) begin")),
    "counted where they are given": ("given", Mutation(M, "if (Counted) begin", "if (1) begin")),
    "no fixed fields": (
        "counted",
        Mutation(M, ".iv_fixed,\n        .s", ".iv_fixed('0),\n        .s"),
    ),
    "no IV leaves": ("counted", Mutation(M, ".m_iv_tdata(iv_data)", ".m_iv_tdata()")),
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
def test_aesforge_engine_gcm_axi(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

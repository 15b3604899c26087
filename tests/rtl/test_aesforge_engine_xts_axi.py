# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_xts_axi: keys, contexts and results through AXI4-Lite, beside OpenSSL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
import pytest
from named_ports import NamedBench
from packet_axi import SMALL, XTS, PacketBench, PacketConfig, Shape
from rtl_bench import Mutation

M = "aesforge_engine_xts_axi"
SHAPES = {
    "both": Shape(
        M,
        {**SMALL, "KeyBits": 128, "Direction": 2, "KeySlots": 2, "Depth": 32, "Results": 4},
        PacketConfig(XTS, 32, 2, 0, True, True, False),
    ),
}
MUTANTS = {
    "no more units": ("both", Mutation(M, ".s_ctx_more(ctx_more)", ".s_ctx_more('0)")),
    "one number": ("both", Mutation(M, ".s_ctx_iv(ctx_iv)", ".s_ctx_iv('0)")),
    "one direction": ("both", Mutation(M, ".s_ctx_decrypt(ctx_decrypt)", ".s_ctx_decrypt(1'b0)")),
    "one slot": ("both", Mutation(M, ".s_key_slot(key_slot)", ".s_key_slot('0)")),
    "with a tag": ("both", Mutation(M, ".Tags    (1'b0)", ".Tags    (1'b1)")),
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
def test_aesforge_engine_xts_axi(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

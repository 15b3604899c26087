# SPDX-License-Identifier: Apache-2.0
"""aesforge_packet_csr beside the module that PeakRDL makes of the same description."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
from csr_bank import BankBench
from make_csr import BANKS
from rtl_bench import Mutation

M = "aesforge_packet_csr"
MUTANTS = {
    "no strobes": Mutation(M, "mask[8*i+:8] = {8{s_axil_wstrb[i]}}", "mask[8*i+:8] = '1"),
    "a flag too few": Mutation(M, "value[2] = status_result_waits;", ""),
    "a word of the tag twice": Mutation(
        M, "value = result_tag_word[96+:32]", "value = result_tag_word[64+:32]"
    ),
    "pops on each write": Mutation(
        M, "s_axil_wdata[0] && mask[0];\n    if (rst) pop_next", "mask[0];\n    if (rst) pop_next"
    ),
}
BENCH = BankBench(BANKS[1], MUTANTS)


@cocotb.test()
async def the_same_as_peakrdl(dut: Any) -> None:
    await BENCH.compare(dut)


def test_aesforge_packet_csr(tmp_path: Path) -> None:
    BENCH.run(__file__, tmp_path)

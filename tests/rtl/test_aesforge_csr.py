# SPDX-License-Identifier: Apache-2.0
"""aesforge_csr: what scripts/make_csr.py makes of the description, and the same bank
made of it by PeakRDL, answer the same random accesses with the same values at every field.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import cocotb
from csr_bank import REPO, BankBench
from make_csr import BANKS
from rtl_bench import Mutation

M = "aesforge_csr"
MUTANTS = {
    "no strobes": Mutation(M, "mask[8*i+:8] = {8{s_axil_wstrb[i]}}", "mask[8*i+:8] = '1"),
    "a flag too few": Mutation(M, "value[2] = errors_key_dropped;", ""),
    "counts by one": Mutation(M, "32'(blocks_count_incrvalue)", "32'd1"),
}
BENCH = BankBench(BANKS[0], MUTANTS)


@cocotb.test()
async def the_same_as_peakrdl(dut: Any) -> None:
    await BENCH.compare(dut)


def test_aesforge_csr(tmp_path: Path) -> None:
    BENCH.run(__file__, tmp_path)


def test_the_files_are_what_the_descriptions_make() -> None:
    script = REPO / "scripts" / "make_csr.py"
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

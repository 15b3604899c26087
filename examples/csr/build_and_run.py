# SPDX-License-Identifier: Apache-2.0
"""Build an engine with AXI4-Lite CSRs and run the test bench of its bundle."""

import subprocess
import tempfile
from pathlib import Path

from aesforge.bundle import build
from aesforge.design import load_any
from aesforge.simulate import verilator as toolchain

# All modes of its kind, three keys; one round, used ten times.
engine = load_any(
    "modes-stream",
    {
        **{"name": "stream", "contexts": "csr", "unroll": 1, "sbox": "table"},
        **{"key_schedule": "stored", "key_slots": 3, "sbox_stages": 0},
    },
)
tools = toolchain.find()
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    build(engine, folder / "stream")
    command = [
        *(str(tools.verilator), "--binary", "--timing", "-Wall", "-f", "files.f"),
        *("tb/tb_stream.sv", "--top-module", "tb_stream", "--output-split", "0", "-j", "2"),
        *("-CFLAGS", "-std=c++20 -DVL_TIME_CONTEXT -O0"),
        *("-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"),
    ]
    for line in (command, [str(folder / "stream" / "obj_dir" / "Vtb_stream")]):
        done = subprocess.run(
            line,
            cwd=folder / "stream",
            env=tools.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
print(next(line for line in done.stdout.splitlines() if line.startswith("PASS")))

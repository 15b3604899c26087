# SPDX-License-Identifier: Apache-2.0
"""Run the bench of every preset's bundle in each simulator that is found, and record what it said.

    python scripts/bench_simulators.py [--tool T] [--icarus PREFIX] [PRESET ...]

Tools: `verilator` and `icarus` read the sources, `icarus-single` the single file. Icarus is the one
on PATH, or that of an installation elsewhere. What is recorded of other tools, versions and presets
stays. The result goes to bench/results/simulators.json, from which a bundle's README takes it.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from aesforge.bundle import build
from aesforge.bundle.files import module_name
from aesforge.bundle.simulators import Run
from aesforge.design import Design
from aesforge.design.engine import Engine
from aesforge.design.presets import ENGINES, PRESETS
from aesforge.errors import AesforgeError, ToolMissing, UsageError
from aesforge.measure import commit_or_version
from aesforge.simulate import verilator

RESULT = Path(__file__).resolve().parent.parent / "bench" / "results" / "simulators.json"
TOOLS = ("verilator", "icarus", "icarus-single")
LONGEST_SECONDS = 900


def main() -> int:
    """Run, record, and give the exit status: 1 if a bench failed or was not read."""
    parser = argparse.ArgumentParser(description="Run the benches of bundles in simulators.")
    parser.add_argument("presets", nargs="*", metavar="PRESET", help="default: all")
    parser.add_argument("--tool", choices=TOOLS, action="append", help="default: all")
    parser.add_argument("--icarus", metavar="PREFIX", help="where Icarus Verilog is installed")
    given = parser.parse_args()
    every: dict[str, Design | Engine] = {**PRESETS, **ENGINES}
    if unknown := set(given.presets) - every.keys():
        raise UsageError(f"no such preset: {', '.join(sorted(unknown))}")
    failed = 0
    for tool in given.tool or TOOLS:
        said = {}
        for name in given.presets or every:
            with tempfile.TemporaryDirectory() as folder:
                build(every[name], folder, single_file=tool == "icarus-single")
                said[name] = _run(tool, Path(folder), module_name(every[name]), given.icarus)
            print(f"{tool} {name}: {said[name]}", flush=True)
            failed += not said[name].startswith("PASS")
        _record(tool, _version(tool, given.icarus), said)
    return 1 if failed else 0


def _icarus(prefix: str | None, program: str) -> str:
    found = shutil.which(program, path=f"{prefix}/bin" if prefix else None)
    if found is None:
        raise ToolMissing(f"'{program}' was not found; install Icarus Verilog, or give --icarus")
    return found


def _version(tool: str, prefix: str | None) -> str:
    if tool == "verilator":
        return verilator.find().verilator_version
    done = subprocess.run(
        [_icarus(prefix, "vvp"), "-V"], capture_output=True, text=True, check=False
    )
    found = re.search(r"version ([\d.]+)", done.stdout + done.stderr)
    return found[1] if found else "unknown"


def _run(tool: str, folder: Path, module: str, prefix: str | None) -> str:
    """Run one bench as the bundle's README says; return its last word, or why there is none."""
    bench = f"tb/tb_{module}.sv"
    environment = None
    if tool == "verilator":
        tools = verilator.find()
        environment = tools.environment()
        command = [str(tools.verilator), "--binary", "--timing", "-j", "0", "-f", "files.f", bench]
        command += ["--top-module", f"tb_{module}", "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"]
        command += ["-CFLAGS", "-std=c++20 -DVL_TIME_CONTEXT"]
        run = [f"obj_dir/Vtb_{module}"]
    else:
        sources = [f"verilog/{module}.v"] if tool == "icarus-single" else ["-f", "files.f"]
        sources = [f"verilog/{module}_top.v", *sources]
        command = [_icarus(prefix, "iverilog"), "-g2012", "-s", f"tb_{module}", "-o", "bench"]
        command += [*sources, bench]
        run = [_icarus(prefix, "vvp"), "-n", "bench"]
    if (text := _said(command, folder, environment)) is not None:
        return f"not read: {text}"
    text = _said(run, folder, environment, of_bench=True)
    return text if text is not None else "no answer"


def _said(
    command: list[str], folder: Path, environment: dict[str, str] | None, of_bench: bool = False
) -> str | None:
    """Return the bench's answer, or the first line of a compiler that failed."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment or dict(os.environ),
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"more than {LONGEST_SECONDS} s"
    if of_bench:
        found = re.findall(r"^(?:PASS|FAIL): .*", done.stdout, re.MULTILINE)
        return found[-1] if found else None
    return None if done.returncode == 0 else (done.stderr.strip() or "no message").splitlines()[0]


def _record(tool: str, version: str, said: dict[str, str]) -> None:
    """Put answers into the record, beside the others."""
    name = "Verilator" if tool == "verilator" else "Icarus Verilog"
    files = "single file" if tool == "icarus-single" else "files.f"
    runs = []
    if RESULT.is_file():
        runs = msgspec.json.decode(RESULT.read_bytes(), type=list[Run])
    key = (name, version, files)
    earlier = [one.said for one in runs if (one.tool, one.version, one.files) == key]
    new = Run(
        tool=name,
        version=version,
        files=files,
        command=f"python scripts/bench_simulators.py --tool {tool}",
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        commit=commit_or_version(),
        said=dict(sorted({**(earlier[0] if earlier else {}), **said}.items())),
    )
    runs = [one for one in runs if (one.tool, one.version, one.files) != key] + [new]
    runs.sort(key=lambda one: (one.tool, one.files, one.version))
    text = msgspec.json.format(msgspec.json.encode(runs), indent=1)
    RESULT.write_bytes(text + b"\n")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AesforgeError as error:
        print(f"bench_simulators: {error.message}", file=sys.stderr)
        sys.exit(error.exit_code)

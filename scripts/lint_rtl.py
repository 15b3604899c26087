# SPDX-License-Identifier: Apache-2.0
"""Lint the RTL with `verilator --lint-only -Wall` and with slang; nothing may warn.

    python scripts/lint_rtl.py [-j PROCESSES] [-v]

Verilator knows what is risky, slang what the standard refuses. Every preset is read as the bundle
that `aesforge build` makes of it, with its wrapper, and by slang with its bench; every module as a
top of its own with its default parameters, the core with those of `DESIGNS`, and the engines with
those of `ENGINES`, `INTERLEAVED`, `AUTHENTICATED`, `CCM`, `DATA_UNITS`, `OFFSETS` and those
with registers, which together elaborate every branch. A waiver names a rule and a file and says
why; a waiver that nothing needs any more is an error too.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from aesforge.bundle import build
from aesforge.bundle.files import module_name
from aesforge.design import ALLOWED, Design, Engine
from aesforge.design.presets import ENGINES as ENGINE_PRESETS
from aesforge.design.presets import PRESETS
from aesforge.errors import AesforgeError
from aesforge.simulate import verilator as toolchain
from aesforge.toolchain import rtl


@dataclasses.dataclass(frozen=True)
class Waiver:
    """A rule that need not hold in one file, and why."""

    rule: str
    file: str  # its name
    reason: str


WAIVERS: tuple[Waiver, ...] = ()

# Small rings elaborate in a blink, and so do tower S-boxes; the presets are unrolled too.
DESIGNS = (
    Design(sbox="tower", sbox_stages=1, linear_stages=0, tiles=2),
    Design(unroll=1, direction="decrypt", sbox="table", sbox_stages=0, mix_columns="table"),
    Design(unroll=2, direction="both", sbox="split4", sbox_stages=6, mix_columns="shared"),
    Design(unroll=2, direction="both", sbox="tower", sbox_stages=3, linear_stages=4, tiles=2),
    Design(unroll=1, sbox="split6", sbox_stages=2, linear_stages=3, mix_columns="table", tiles=8),
    Design(
        unroll=1, direction="both", sbox="split6", sbox_stages=3, linear_stages=0, key_sbox="table"
    ),
    Design(unroll=1, direction="decrypt", sbox="bram", sbox_stages=2, linear_stages=4),
    Design(unroll=2, key_schedule="stored", key_slots=5, sbox="bram", key_sbox="tower"),
    Design(unroll=1, direction="both", key_schedule="stored", sbox_stages=2, linear_stages=2),
    Design(direction="decrypt", key_schedule="stored", sbox="split4", sbox_stages=1, tag_bits=1),
    Design(key_bits=192, unroll=1, direction="both", sbox="bram", linear_stages=2),
    Design(key_bits=192, unroll=3, sbox="split4", sbox_stages=5, linear_stages=0),
    Design(key_bits=192, unroll=4, direction="decrypt", sbox="table", delay_line="register"),
    Design(key_bits=192, unroll=6, key_schedule="stored", key_slots=16, direction="decrypt"),
    Design(
        key_bits=256, unroll=1, direction="decrypt", sbox_stages=5, linear_stages=3, tag_bits=64
    ),
    Design(key_bits=256, unroll=2, direction="both", mix_columns="table", delay_line="register"),
    Design(key_bits=256, unroll=7, sbox="bram", sbox_stages=1, tiles=2),
    Design(unroll=2, scheme="hu2009", research=True, linear_stages=3),
    Design(unroll=1, scheme="liu2014", research=True, sbox="bram", linear_stages=0),
    Design(key_bits=256, direction="both", key_schedule="stored", sbox="bram", sbox_stages=1),
    Design(
        architecture="column_serial",
        key_schedule="stored",
        sbox="bram",
        sbox_stages=2,
        linear_stages=0,
        shift_rows="addressed",
    ),
    Design(
        architecture="column_serial",
        key_bits=192,
        direction="decrypt",
        key_schedule="stored",
        sbox="table",
        key_sbox="split6",
        linear_stages=4,
        tag_bits=1,
    ),
    Design(
        architecture="column_serial",
        key_bits=256,
        direction="decrypt",
        key_schedule="stored",
        sbox="table",
        sbox_stages=0,
        shift_rows="addressed",
        mix_columns="table",
    ),
    Design(architecture="column_serial", key_bits=256, key_schedule="stored", linear_stages=4),
    Design(unroll=1, key_bits=192, error_detection="parity", sbox="table", linear_stages=4),
    Design(unroll=2, key_bits=256, error_detection="parity", sbox="bram", linear_stages=0),
    Design(
        error_detection="parity", tiles=2, sbox_stages=0, linear_stages=2, delay_line="register"
    ),
    Design(unroll=1, direction="both", error_detection="inverse", tiles=2),
    Design(direction="decrypt", error_detection="inverse", sbox_stages=0, linear_stages=0, tiles=2),
)

# Engines: each mode alone and all together, agile and stored keys, a pipeline and rings.
ENGINES: tuple[dict[str, int], ...] = (
    {"Modes": 15, "Direction": 2, "Unroll": 1, "KeySlots": 3},
    {"Modes": 15, "Direction": 2, "Unroll": 2, "KeyBits": 256, "ContextTimeout": 0},
    {"Modes": 1, "Direction": 1, "Unroll": 5, "Tiles": 2},
    {"Modes": 2, "SboxStyle": 0, "KeySlots": 16, "UserBits": 8, "IdBits": 8},
    {"Modes": 4, "Direction": 1, "Unroll": 1, "KeySlots": 2},
    {"Modes": 8, "KeyBits": 192, "Unroll": 3, "Depth": 8},
)
# Interleaved engines, likewise.
INTERLEAVED: tuple[dict[str, int], ...] = (
    {"Modes": 252, "Unroll": 1, "KeySlots": 3, "Streams": 5},
    {"Modes": 252, "Unroll": 2, "KeyBits": 256, "ContextTimeout": 0, "Streams": 1, "Depth": 4},
    {"Modes": 4, "SboxStyle": 0, "KeySlots": 16, "UserBits": 8, "Streams": 256, "Depth": 256},
    {"Modes": 8, "Unroll": 5, "Tiles": 2},
    {"Modes": 16, "Unroll": 1, "KeySlots": 2},
    {"Modes": 32, "KeyBits": 192, "Unroll": 3},
    {"Modes": 64, "Unroll": 2, "KeyBits": 256},
    {"Modes": 128, "Unroll": 1, "Streams": 16},
)

# Authenticated engines: each lookahead, several numbers of slots, an unrolled core and rings.
AUTHENTICATED: tuple[dict[str, int], ...] = (
    {"MultiplyStages": 2, "Unroll": 1, "KeySlots": 3, "ShortTags": 1, "Depth": 8},
    {"MultiplyStages": 1, "KeyBits": 192, "Unroll": 6, "KeySlots": 5, "QueueStyle": 1},
    {"KeyBits": 192, "Unroll": 3, "HoldBeats": 8, "IdBits": 3},
    {"MultiplyStages": 3, "KeyBits": 256, "Unroll": 2, "UserBits": 8, "IdBits": 8},
    {"MultiplyStages": 0, "MultiplyDigit": 16, "Unroll": 1, "KeySlots": 3, "Depth": 8},
    {"MultiplyStages": 0, "MultiplyDigit": 1, "KeyBits": 256, "Unroll": 7, "QueueStyle": 1},
    {"MultiplyStages": 10, "SboxStyle": 0, "SboxStages": 0, "KeySlots": 16, "CountBits": 4},
    {"Tiles": 2, "MultiplyStages": 1, "KeySlots": 3, "CountBits": 4, "IdBits": 2},
    {"Tiles": 4, "KeyBits": 256, "Unroll": 14, "HoldBeats": 8, "QueueStyle": 1, "UserBits": 5},
)
# Engines of data units: each direction, with and without stealing.
DATA_UNITS: tuple[dict[str, int], ...] = (
    {"Direction": 0, "KeyBits": 256, "Stealing": 0, "KeySlots": 16, "QueueStyle": 1},
    {"Direction": 1, "SboxStyle": 0, "SboxStages": 0, "KeySlots": 3, "UnitBits": 3, "Depth": 8},
    {"Direction": 2, "UserBits": 8, "IdBits": 8, "QueueStyle": 1, "ContextTimeout": 0},
)
# Engines of OCB, which only encrypt or do both.
OFFSETS: tuple[dict[str, int], ...] = (
    {"Direction": 0, "KeyBits": 192, "KeySlots": 16, "QueueStyle": 1, "CountBits": 6},
    {"Direction": 2, "KeyBits": 256, "SboxStyle": 0, "SboxStages": 0, "Depth": 8, "IdBits": 8},
    {"Direction": 2, "HoldBeats": 8, "IdBits": 3},
)
# Registers that keep results: with tags, of data units, of several streams.
RESULTS: tuple[dict[str, int], ...] = (
    {"KeyBits": 256, "KeySlots": 5, "Counted": 1, "IdBits": 8, "UserBits": 3, "Results": 4},
    {"KeyBits": 512, "KeySlots": 4, "Tags": 0, "IdBits": 1},
    {"KeyBits": 192, "KeySlots": 0, "Streams": 5, "IdBits": 3, "Results": 64},
)
AUTHENTICATED_CSR: tuple[dict[str, int], ...] = (
    {"MultiplyStages": 2, "Unroll": 1, "KeySlots": 3, "Counted": 1, "HoldBeats": 8, "IdBits": 9},
)
OFFSETS_CSR: tuple[dict[str, int], ...] = ({"Direction": 2, "HoldBeats": 8, "Results": 4},)
DATA_UNITS_CSR: tuple[dict[str, int], ...] = ({"KeyBits": 256, "Stealing": 0, "IdBits": 9},)
CCM_CSR: tuple[dict[str, int], ...] = (
    {"Unroll": 1, "Streams": 3, "UserBits": 4, "HoldBeats": 8},
    {"Unroll": 2, "Streams": 1, "KeySlots": 3, "Results": 4},
)
# Engines of CCM.
CCM: tuple[dict[str, int], ...] = (
    {"Unroll": 1, "KeySlots": 3, "Streams": 5, "HoldBeats": 16},
    {"Unroll": 2, "KeyBits": 256, "ContextTimeout": 0, "Streams": 1, "Depth": 4, "HoldBeats": 8},
    {"SboxStyle": 0, "KeySlots": 16, "UserBits": 8, "Streams": 256, "Depth": 256},
    {"KeyBits": 192, "Unroll": 3, "Tiles": 2, "Streams": 16},
)

MESSAGE = re.compile(
    r"%(?:Warning|Error)(?:-(?P<rule>\w+))?:"
    r"(?: (?P<file>\S+?):(?P<line>\d+):\d+:)? (?P<text>.*)"
)


# slang is a library: this is its program.
SLANG = """
import shlex, sys
from pyslang.driver import Driver
driver = Driver()
driver.addStandardArgs()
given = driver.parseCommandLine(shlex.join(sys.argv)) and driver.processOptions()
sys.exit(0 if given and driver.parseAllSources() and driver.runFullCompilation(True) else 1)
"""
SLANG_MESSAGE = re.compile(
    r"(?P<file>\S+?):(?P<line>\d+):\d+: (?:error|warning): (?P<text>.*?)(?: \[-W(?P<rule>\S+)\])?$"
)


@dataclasses.dataclass(frozen=True)
class Job:
    """One run of either tool; without a bundle, over the sources of this repository."""

    what: str
    top: str
    parameters: tuple[tuple[str, int], ...] = ()
    bundle: Path | None = None
    scheme: str | None = None


def jobs(folder: Path) -> list[Job]:
    """Return all runs, the long ones first so that two processes end together.

    Args:
        folder: where bundles go.
    """
    presets = sorted(PRESETS.values(), key=lambda one: -one.sbox_count * one.stages)
    chosen: list[Design | Engine] = [*presets, *ENGINE_PRESETS.values()]
    for one in chosen:
        build(one, folder / one.name)
    modules = [path.stem for path in rtl.filelist() if not path.stem.endswith("_pkg")]
    return [
        *(Job(f"preset {one.name}", module_name(one), bundle=folder / one.name) for one in chosen),
        *(
            Job(
                ", ".join(_unusual(one)),
                one.top,
                tuple(one.rtl_parameters().items()),
                scheme=one.research_scheme,
            )
            for one in DESIGNS
        ),
        *(
            Job(f"{top} {given}", top, tuple(given.items()))
            for top, shapes in {
                "aesforge_engine": ENGINES,
                "aesforge_engine_interleaved": INTERLEAVED,
                "aesforge_engine_ccm": CCM,
                "aesforge_engine_gcm": AUTHENTICATED,
                "aesforge_engine_gcm_axi": AUTHENTICATED_CSR,
                "aesforge_packet_registers": RESULTS,
                "aesforge_engine_ocb_axi": OFFSETS_CSR,
                "aesforge_engine_xts_axi": DATA_UNITS_CSR,
                "aesforge_engine_ccm_axi": CCM_CSR,
                "aesforge_engine_xts": DATA_UNITS,
                "aesforge_engine_ocb": OFFSETS,
            }.items()
            for given in shapes
        ),
        *(Job(f"module {module}", module) for module in modules),
        *(
            Job(f"scheme {scheme}", "aesforge_key_round", scheme=scheme)
            for scheme in ALLOWED["scheme"][1:]
        ),
    ]


def _unusual(design: Design) -> list[str]:
    default = Design().choices()
    return [f"{k} = {v}" for k, v in design.choices().items() if v != default[k]]


Found = list[tuple[str, str, str]]


def lint(job: Job) -> Found:
    """Run both tools once.

    Returns:
        What they found: rule, name of the file, and `line: text`. An error without a rule has the
        rule `ERROR`.
    """
    root = job.bundle or rtl.rtl_dir()
    sources = [f"-G{name}={value}" for name, value in job.parameters]
    if job.bundle:
        sources += ["-f", "files.f"]
    else:
        sources += [str(path.relative_to(root)) for path in rtl.filelist(job.scheme)]
    tools = toolchain.find()
    verilator = [str(tools.verilator), "--lint-only", "-Wall", "-Wno-fatal"]
    found = _run(
        [*verilator, "--top-module", job.top, *sources], root, MESSAGE, tools.environment()
    )
    slang = [sys.executable, "-c", SLANG]
    if job.bundle:
        sources += [f"verilog/{job.top}_top.v", f"tb/tb_{job.top}.sv"]
        sources += ["--top", f"tb_{job.top}", "--top", f"{job.top}_top"]
    return found + _run([*slang, "--top", job.top, *sources], root, SLANG_MESSAGE)


def _run(
    command: list[str],
    root: Path,
    message: re.Pattern[str],
    environment: dict[str, str] | None = None,
) -> Found:
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, env=environment, check=False
    )
    found = []
    for line in done.stderr.splitlines():
        match = message.match(line)
        # "Exiting due to 1 error(s)" only counts what was said before.
        if match and not match["text"].startswith("Exiting due to"):
            place = match["line"] or "-"
            found.append(
                (
                    match["rule"] or "ERROR",
                    Path(match["file"] or "-").name,
                    f"{place}: {match['text']}",
                )
            )
    if done.returncode != 0 and not found:
        found.append(("ERROR", "-", (done.stderr or f"exit status {done.returncode}").strip()))
    return found


def main() -> int:
    """Lint everything and give the exit status."""
    parser = argparse.ArgumentParser(description="Lint the RTL; nothing may warn.")
    parser.add_argument("-j", "--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("-v", "--verbose", action="store_true", help="say what is being read")
    arguments = parser.parse_args()

    start = time.monotonic()
    used: set[Waiver] = set()
    seen: dict[tuple[str, str, str], str] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(arguments.processes) as pool,
    ):
        work = jobs(Path(folder))
        for job, found in zip(work, pool.map(lint, work), strict=True):
            if arguments.verbose:
                print(f"  {job.what}: {len(found)}", file=sys.stderr)
            for rule, file, text in found:
                waiver = next((w for w in WAIVERS if (w.rule, w.file) == (rule, file)), None)
                if waiver:
                    used.add(waiver)
                else:
                    seen.setdefault((rule, file, text), job.what)
    for (rule, file, text), what in sorted(seen.items()):
        print(f"{file}:{text} [{rule}] (first seen in: {what})")
    for waiver in WAIVERS:
        if waiver not in used:
            print(f"waiver of {waiver.rule} in {waiver.file} is not needed any more: take it out")
    bad = len(seen) + sum(waiver not in used for waiver in WAIVERS)
    print(
        f"RTL lint: {bad} findings in {len(work)} readings ({time.monotonic() - start:.0f} s)",
        file=sys.stderr,
    )
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AesforgeError as error:
        sys.exit(f"lint_rtl: {error.message}")

# SPDX-License-Identifier: Apache-2.0
"""Build the bitstreams of the boards, with the clock of each found by placement.

    python scripts/build_boards.py [--app selftest|uart] [NAME...]

Without --app every application is built. The folders are build/boards/NAME for the self-test and
build/boards/NAME-APP for another one. What was found goes to bench/results/boards.json, from which
`make docs` writes the tables of docs/boards/building.md. Exit status 1 when a clock is not met, or
a design does not fit, or a tool fails.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from pathlib import Path
from typing import Any

from aesforge.board.applications import APPLICATIONS
from aesforge.board.build import Built, build, default_design, project
from aesforge.board.data import Board, board, boards
from aesforge.board.files import Project
from aesforge.errors import AesforgeError, CheckFailed, DoesNotFit, ToolFailed
from aesforge.measure import commit_or_version
from aesforge.toolchain.files import write_whole

REPO = Path(__file__).resolve().parent.parent
FILE = REPO / "bench" / "results" / "boards.json"


def folder_name(one: Board, application: str) -> str:
    """Return the name of the folder of an application on a board, below build/boards."""
    return one.name if application == "selftest" else f"{one.name}-{application}"


def head(one: Project) -> dict[str, Any]:
    """Return what is known of a bitstream before it is built."""
    name = one.application_name
    design = one.application.default(one.board).text
    found = {
        "device": one.board.device,
        "package": one.board.package,
        "application": name,
        "design": design,
    }
    if name == "selftest":
        found["reference"] = (
            "itself" if one.cores.decrypt is None else one.board.reference or design
        )
        found["sampled"] = 2**one.cores.sample_bits
    return found


def tail(one: Board, application: str) -> dict[str, Any]:
    """Return where a result comes from."""
    option = "" if application == "selftest" else f" --app {application}"
    folder = folder_name(one, application)
    return {
        "command": f"aesforge board {one.name}{option} -o build/boards/{folder}",
        "commit": commit_or_version(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def figures(built: Built) -> dict[str, Any]:
    """Return what was found of a bitstream."""
    return {
        "clock_mhz": round(built.project.setting.mhz, 4),
        "fmax_mhz": round(built.fmax_mhz, 2),
        "luts": built.luts,
        "ff": built.ff,
        "block_ram": built.block_ram,
        "seconds": round(built.seconds),
        "cpu_seconds": round(built.cpu_seconds),
        "tools": built.tools,
    }


def reason(message: str) -> str:
    """Return the first line of an error's message, or of a tool's log the line that says why."""
    first, _, log = message.partition("\n")
    said = [line.partition("ERROR: ")[2] for line in log.splitlines() if "ERROR: " in line]
    if said:
        first = f"{first.partition('. The end of its log')[0]}: {said[0]}"
    return first.rstrip(".")


def build_one(one: Board, application: str) -> bool:
    """Build a bitstream, and record it or why there is none; return whether there is one."""
    first = project(one, default_design(one, application), application, reference=one.reference)
    row = head(first)
    name = folder_name(one, application)
    try:
        built = build(
            first,
            REPO / "build" / "boards" / name,
            force=True,
            say=lambda text: print(text, file=sys.stderr),
        )
    except (CheckFailed, DoesNotFit, ToolFailed) as error:
        print(f"build_boards: {error.message}", file=sys.stderr)
        row["failed"] = reason(error.message)
    else:
        row = head(built.project) | figures(built)
        print(f"{name}: {built.project.setting.mhz:g} MHz, Fmax {built.fmax_mhz:.2f} MHz")
    record(name, row | tail(one, application))
    return "failed" not in row


def record(name: str, row: dict[str, Any]) -> None:
    """Write a result beside the others."""
    found = json.loads(FILE.read_bytes()) if FILE.exists() else {"boards": {}}
    found["boards"][name] = row
    found["boards"] = dict(sorted(found["boards"].items()))
    write_whole(FILE, json.dumps(found, indent=2) + "\n")


def main(arguments: list[str]) -> int:
    """Build some boards, or all, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="a board; all by default")
    parser.add_argument("--app", choices=list(APPLICATIONS), help="one application")
    options = parser.parse_args(arguments)
    failed = 0
    for name in options.names or list(boards()):
        for application in [options.app] if options.app else list(APPLICATIONS):
            failed |= not build_one(board(name), application)
    return failed


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except AesforgeError as error:
        sys.exit(f"build_boards: {error.message}")

# SPDX-License-Identifier: Apache-2.0
"""What tests of `prove --bitstream` share: the call, the design, and a change of its netlist."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from aesforge.cli.main import main
from aesforge.toolchain import programs


def run(bitstream: Path, routed: Path, where: str, *more: str) -> Result:
    """Return what `prove --bitstream` says."""
    return CliRunner().invoke(
        main,
        [
            *("prove", "--bitstream", str(bitstream), "--routed", str(routed)),
            *("--device", where, *more),
        ],
    )


def synthesize(folder: Path, text: str, family: str) -> Path:
    """Return the netlist of a Verilog text."""
    (folder / "top.v").write_text(text, encoding="ascii")
    script = f"read_verilog -sv top.v\nsynth_{family} -top top -json top.json\n"
    (folder / "top.ys").write_text(script, encoding="ascii")
    programs.run("yosys", ["top.ys"], folder, folder / "top.log")
    return folder / "top.json"


def changed(folder: Path, source: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Return a routed netlist with something changed in its module."""
    data = json.loads((source / "routed.json").read_bytes())
    change(next(iter(data["modules"].values())))
    (folder / "changed.json").write_text(json.dumps(data), encoding="utf-8")
    return folder / "changed.json"

# SPDX-License-Identifier: Apache-2.0
"""Which simulators ran the benches of bundles, with which version: as recorded.

`scripts/bench_simulators.py` runs them and writes the record, `bench/results/simulators.json`.
"""

from __future__ import annotations

import functools
from pathlib import Path

import msgspec

from aesforge.design import Design
from aesforge.design.engine import Engine
from aesforge.design.presets import ENGINES, PRESETS


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """The benches of some designs in one simulator."""

    tool: str
    version: str
    files: str
    """What it read besides the bench: `files.f`, or the `single file`."""
    command: str
    """The script that ran them."""
    date: str
    commit: str
    said: dict[str, str]
    """By preset, the bench's last word: `PASS: ...`, or why there is none."""

    @property
    def passed(self) -> int:
        """How many presets passed."""
        return sum(text.startswith("PASS") for text in self.said.values())


@functools.cache
def recorded() -> tuple[Run, ...]:
    """Return all that is recorded, each simulator, version and kind of files once."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_bench", package.parent.parent / "bench"):
        record = folder / "results" / "simulators.json"
        if record.is_file():
            return tuple(msgspec.json.decode(record.read_bytes(), type=list[Run]))
    return ()


def runs_of(design: Design | Engine) -> list[Run]:
    """Return the runs in which the bench of this very design passed: none unless it is a preset."""
    preset = PRESETS.get(design.name) or ENGINES.get(design.name)
    if design != preset:
        return []
    return [one for one in recorded() if one.said.get(design.name, "").startswith("PASS")]

# SPDX-License-Identifier: Apache-2.0
"""Search for a violation, from a reset on, of what the outside of an engine or a part sees."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aesforge.design import Engine
from aesforge.prove import interleaved
from aesforge.prove.engines import induction, random_search
from aesforge.prove.mutation import Change
from aesforge.prove.parts import Part
from aesforge.prove.stream_circuit import files_of, part_files_of, part_script_of, read, script_of

# Latencies for which random inputs are tried first.
_TRIED_CYCLES = 12


@dataclass(frozen=True)
class Violation:
    """What the outside of an engine sees that must not be.

    Args:
        claim: the statement of `prove_engine.sv`, or of another claim, that is violated.
        cycle: cycles after the reset.
    """

    claim: str
    cycle: int

    def text(self) -> str:
        """Return it as a sentence."""
        return f"violated {self.cycle} cycles after a reset: {self.claim}"


def refute(
    engine: Engine,
    changes: Sequence[Change] = (),
    *,
    cycles: int,
    cover: bool = False,
    seconds: float = 600.0,
    megabytes: int = 8000,
) -> Violation | None:
    """Search for a violation, from a reset on, of what the outside of an engine sees.

    The RAM of the queues is the engine's own here; the core is any function with its latency, in an
    interleaved engine a certain one.

    Args:
        engine: the engine.
        changes: to be made to the RTL first.
        cycles: how far to search.
        cover: search for what must be reachable instead: a block, an error and the last beat of a
            longer packet at the output.
        seconds: the longest that the search may take.
        megabytes: the most memory that it may address.

    Returns:
        The violation; None where there is none in these cycles.

    Raises:
        UsageError: a change does not fit.
        ToolMissing: a tool is not installed.
        ToolFailed: the RTL could not be read, or the search came to no end.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = files_of(folder, changes, steps=False, top=engine.top)
        read(folder, script_of(engine, files, steps=False, cover=cover))
        found = None
        if interleaved.covers(engine):
            # Most are found so, in seconds.
            claimed = induction.read(folder / "claim.aig")
            tried = _TRIED_CYCLES * engine.latency_cycles
            inputs = interleaved.drawn(engine)
            found = random_search.search(claimed, folder / "claim.json", tried, inputs)
        found = found or induction.violation(
            folder / "claim.aig", cycles, seconds=seconds, megabytes=megabytes
        )
        return None if found is None else violation_of(folder, files[-1], *found)


def refute_part(
    part: Part,
    changes: Sequence[Change] = (),
    *,
    cycles: int,
    cover: bool = False,
    seconds: float = 600.0,
    megabytes: int = 8000,
) -> Violation | None:
    """Search for a violation, from a reset on, of what the outside of a part sees.

    Args:
        part: the part.
        changes: to be made to the RTL first.
        cycles: how far to search.
        cover: search for what must be reachable instead.
        seconds: the longest that the search may take.
        megabytes: the most memory that it may address.

    Returns:
        The violation; None where there is none in these cycles.

    Raises:
        UsageError: a change does not fit.
        ToolMissing: a tool is not installed.
        ToolFailed: the RTL could not be read, or the search came to no end.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = part_files_of(part, folder, changes)
        read(folder, part_script_of(part, files, steps=False, cover=cover))
        found = induction.violation(
            folder / "claim.aig", cycles, seconds=seconds, megabytes=megabytes
        )
        return None if found is None else violation_of(folder, files[-1], *found)


def violation_of(folder: Path, claim_file: Path, number: int, cycle: int) -> Violation:
    """Return the violation of an assertion, with its statement."""
    names = json.loads((folder / "claim.json").read_text(encoding="utf-8"))["asserts"]
    place = re.search(rf"{claim_file.name}:(\d+)", names[number][0])
    assert place is not None
    lines = claim_file.read_text(encoding="utf-8").splitlines()
    return Violation(statement_at(lines, int(place[1]) - 1), cycle)


def statement_at(lines: Sequence[str], first: int) -> str:
    """Return a statement that begins in a line."""
    text = lines[first].strip()
    while not text.endswith(";"):
        first += 1
        text += " " + lines[first].strip()
    return text

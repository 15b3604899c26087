# SPDX-License-Identifier: Apache-2.0
"""What a proof found, and the certificate that lets anyone run it again."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aesforge.errors import UsageError
from aesforge.toolchain.files import write_whole

FORMAT = 3
# Without `route`, which then was RECOGNIZE, and without what is assumed and what is not covered.
_OLDER = 2

RECOGNIZE = "recognize"
"""S-boxes are recognized and exchanged, then algebra compares, and ABC what is left."""
ABC = "abc"
"""ABC alone compares, the core with its own S-boxes."""
ROUTES = (RECOGNIZE, ABC)


@dataclass
class Step:
    """One step of a proof; all have to be proved."""

    name: str
    result: str = "not finished"
    """`proved`, `not proved` or `not finished`."""
    cases: int = 0
    """Cases it splits into."""
    proofs: int = 0
    """Cases that differ from each other and so were proved one by one."""
    sat_calls: int = 0
    seconds: float = 0.0
    megabytes: float = 0.0
    """The most memory that the checker held."""


@dataclass
class CounterExample:
    """An input for which a core is not as claimed; numbers in hex, as in FIPS 197."""

    case: str
    decrypt: bool
    out_valid: bool
    key: str = ""
    block: str = ""
    tag: str = ""
    slot: int = 0
    """Of the stored key."""
    got: str = ""
    wanted: str = ""
    others: dict[str, bool] = field(default_factory=dict)
    """Other inputs and start values of registers that have a bearing on it."""
    simulated: str = ""
    """What a simulation from a reset gave: `wrong`, and in which situation, or `right`; nothing
    where there was none."""


@dataclass
class Proof:
    """Claim, commands and result of a proof; every field is JSON-able."""

    design: dict[str, Any]
    summary: str
    family: str | None
    """None for the RTL."""
    recipe: str | None
    claim: str
    hashes: dict[str, str]
    """SHA-256 of the core's sources (of the RTL or the netlist) and of the specification; of an
    engine's sources and its queues' RAM, with the models in the proof."""
    commands: dict[str, list[str]]
    versions: dict[str, str]
    result: str = "not finished"
    """`proved`, `not proved` or `not finished`."""
    reason: str = ""
    steps: list[Step] = field(default_factory=list)
    counterexample: CounterExample | None = None
    route: str = RECOGNIZE
    """How graphs were compared: one of :data:`ROUTES`."""
    assumptions: list[dict[str, str]] = field(default_factory=list)
    """What it relies on, `id` and `text` of each: `aesforge.prove.assumptions`."""
    not_covered: list[dict[str, str]] = field(default_factory=list)
    """What it says nothing of, likewise."""
    changes: list[dict[str, str]] = field(default_factory=list)
    """What was changed in the sources, to see that the proof fails: `file`, `old` and `new`."""
    seconds: float = 0.0
    format: int = FORMAT

    @property
    def megabytes(self) -> float:
        """The most memory that the checker held."""
        return max((step.megabytes for step in self.steps), default=0.0)

    @property
    def sat_calls(self) -> int:
        """How often a SAT solver was asked."""
        return sum(step.sat_calls for step in self.steps)

    @property
    def is_of_engine(self) -> bool:
        """Whether it is about an engine, with the core inside."""
        return "engine" in self.hashes

    def as_dict(self) -> dict[str, Any]:
        """Return the proof for JSON."""
        return dataclasses.asdict(self)

    def write(self, path: Path) -> None:
        """Write the certificate, whole or not at all."""
        write_whole(path, json.dumps(self.as_dict(), indent=2) + "\n")

    def core_words(self) -> str:
        """Return a description of the core: RTL or netlist, and any change."""
        what = f"netlist for {self.family}, recipe {self.recipe}" if self.family else "RTL"
        return what + (f", {len(self.changes)} change in it" if self.changes else "")

    def text(self) -> str:
        """Return the proof for people, several lines."""
        lines = [
            f"design    {self.design['name']}: {self.summary}",
            *([f"engine    RTL, sha256 {self.hashes['engine']}"] if self.is_of_engine else []),
            f"core      {self.core_words()}, sha256 {self.hashes.get('core', '')}",
            f"claim     {self.claim}",
            f"route     {self.route}",
        ]
        for step in self.steps:
            count = f"{step.cases} cases, {step.proofs} proofs, {step.sat_calls:,} SAT calls"
            lines.append(f"{step.result:9} {step.name} ({count}, {step.seconds:.1f} s)")
        lines.append(
            f"tools     {', '.join(f'{name} {text}' for name, text in self.versions.items())}"
        )
        lines.append(f"took      {self.seconds:.1f} s, at most {self.megabytes:.0f} MB in ABC")
        if self.counterexample is not None:
            lines.append(_example_text(self.counterexample))
        lines.append(f"result    {self.result}{f': {self.reason}' if self.reason else ''}")
        if self.result != "proved":
            done = [step.name for step in self.steps if step.result == "proved"]
            lines.append(f"so far    {'; '.join(done) if done else 'no step'} proved")
        return "\n".join(lines)


def _example_text(example: CounterExample) -> str:
    inputs = " ".join(
        f"{name} {value}" for name in ("key", "block", "tag") if (value := getattr(example, name))
    )
    valid = "" if example.out_valid else ", without out_valid"
    simulated = f"simulated from a reset: {example.simulated}; " if example.simulated else ""
    return (
        f"example   {'decrypt ' if example.decrypt else ''}{inputs}: gives {example.got}{valid}, "
        f"wanted {example.wanted}; {simulated}repeat it with `aesforge check --replay CERT` "
        "(prove -o CERT)"
    )


def read(path: Path) -> Proof:
    """Read a certificate.

    Raises:
        UsageError: the file is none, or of another format.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        steps = [Step(**step) for step in data.pop("steps")]
        example = data.pop("counterexample")
        proof = Proof(
            **data, steps=steps, counterexample=CounterExample(**example) if example else None
        )
        for one in (*proof.assumptions, *proof.not_covered):
            one["id"], one["text"]
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror or error}") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"'{path}' is not a certificate of aesforge: {error}") from None
    if proof.format not in (_OLDER, FORMAT):
        raise UsageError(
            f"'{path}' has the format {proof.format}; this version of aesforge reads {_OLDER} "
            f"and {FORMAT}"
        )
    return proof

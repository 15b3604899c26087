# SPDX-License-Identifier: Apache-2.0
"""A circuit with assertions: they hold in every cycle, or one is violated after a reset.

Yosys writes the circuit as AIGER, with its assertions (as bad states) and what it assumes (as
constraints). Kissat, a SAT solver inside ABC, answers in one call whether an assertion can be
violated in a cycle after one, or some, in which all hold. ABC's bounded model checker (`bmc3`)
searches for a violation from the first cycle on.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from pathlib import Path

from aesforge.errors import ToolFailed
from aesforge.netlist.aig import FALSE, TRUE, Aig, Builder, parse_binary
from aesforge.prove.engines.equal import Command
from aesforge.toolchain import programs

STEP = Command("&r step.aig; &kissat")
SEARCH = "read_aiger {name}; fold; bmc3 -g -F {cycles}"
# One assertion alone, in one way after another, and then in each for longer: which of them ends
# soon is chance.
ALWAYS = "read_aiger {name}; fold; scleanup; &get -n; &cone -O {number} -R 1; &put; scleanup; {way}"
WAYS = ("pdr -a -r -T {seconds}", "pdr -t -r -T {seconds}", "scorr; pdr -t -T {seconds}")
_FIRST_SECONDS = (4, 16)
_ANSWER = re.compile(r"Result: (Satisfiable|Unsatisfiable|Undecided)\.")
_VIOLATED = re.compile(r"^Output (\d+) .*was asserted in frame (\d+)\.", re.M)
_NONE = re.compile(r"^No output asserted in (\d+) frames\.", re.M)
# Of one assertion, which may be constant; the second words are those of `pdr -a`.
_REFUTED = re.compile(r"^Output +0 .*?was asserted in frame +(\d+)", re.M)
_HOLDS = re.compile(r"^(Property proved\.|Proved output +0 )", re.M)
_OPEN = re.compile(r"^(Property UNDECIDED\.|Properties: .*Undecided = 1\.)", re.M)
# Of a small circuit: fewer frames are all there are.
_EVERY = re.compile(r"^Explored all reachable states", re.M)


@dataclass(frozen=True)
class Claim:
    """A circuit with assertions.

    Args:
        cycle: one cycle of it. Inputs: those of the cycle, then the registers. Outputs: the next
            value of each register, then the assertions (1: violated), then what is assumed.
        registers: how many registers it has.
        assertions: how many assertions.
    """

    cycle: Aig
    registers: int
    assertions: int

    def step(self, cycles: int = 1) -> Aig:
        """Return whether an assertion can be violated next, as a graph without registers.

        Its output is 1 if, from some state on, all assertions hold for so many cycles, what is
        assumed holds in them and in the next one, and there an assertion is violated.
        """
        builder = Builder([])
        inputs = len(self.cycle.inputs) - self.registers
        state = [builder.input_named(f"state {n}") for n in range(self.registers)]
        legal, held = TRUE, TRUE
        for when in range(cycles + 1):
            legal = builder.conjunction(legal, held)
            free = [builder.input_named(f"{when} {n}") for n in range(inputs)]
            found = builder.copy(self.cycle, [*free, *state])
            state = found[: self.registers]
            last = self.registers + self.assertions
            for literal in found[last:]:
                legal = builder.conjunction(legal, literal)
            held = TRUE
            for literal in found[self.registers : last]:
                held = builder.conjunction(held, literal ^ TRUE)
        graph = builder.finish([("violated", builder.conjunction(legal, held ^ TRUE))])
        # ABC makes one bus of some names, and cuts others short.
        graph.inputs = [f"i{n}" for n in range(len(graph.inputs))]
        return graph


def read(path: Path) -> Claim:
    """Read a circuit with assertions.

    Raises:
        ToolFailed: the file is no such thing.
    """
    try:
        return _parse(path.read_bytes())
    except (ValueError, IndexError) as error:
        raise ToolFailed(f"'{path.name}' is not an AIGER file with assertions: {error}") from None


def _parse(data: bytes) -> Claim:
    found = parse_binary(data)
    if len(found.header) != 7:
        raise ValueError("it has another header")
    _, inputs, registers, outputs, _, bad, _ = found.header
    rows = found.rows[:registers] + found.rows[registers + outputs :]
    cycle = Aig(
        inputs=[*(f"input {n}" for n in range(inputs)), *(f"state {n}" for n in range(registers))],
        gates=found.gates,
        output=rows,
        outputs=[f"output {n}" for n in range(len(rows))],
    )
    return Claim(cycle, registers, bad)


@dataclass(frozen=True)
class Answer:
    """What a solver says of a step: `holds`, and what it took."""

    holds: bool
    seconds: float
    megabytes: float


def is_inductive(
    claim: Claim, folder: Path, *, seconds: float, megabytes: int, cycles: int = 1
) -> Answer:
    """Ask whether all assertions hold in each cycle after some in which they hold.

    Args:
        claim: the circuit.
        folder: for files of the call.
        seconds: the longest that the solver may take.
        megabytes: the most memory that it may address.
        cycles: in so many they hold; the first ones after a reset have to be searched.

    Raises:
        ToolMissing: ABC is not installed.
        ToolFailed: it ended with an error or gave no answer.
    """
    step = claim.step(cycles)
    if step.output == [FALSE]:
        return Answer(True, 0.0, 0.0)
    step.write(folder / "step.aig")
    log = folder / "step.log"
    used = programs.run("abc", ["-c", STEP.text], folder, log, seconds=seconds, megabytes=megabytes)
    text = log.read_text(encoding="utf-8", errors="replace")
    found = _ANSWER.search(text)
    if found is None or found[1] == "Undecided":
        raise ToolFailed(f"abc gave no answer:\n{text[-1000:]}")
    return Answer(found[1] == "Unsatisfiable", used.seconds, used.megabytes)


def violation(path: Path, cycles: int, *, seconds: float, megabytes: int) -> tuple[int, int] | None:
    """Search for a violated assertion, from the first cycle on.

    Args:
        path: the circuit, as Yosys wrote it.
        cycles: how many are searched.
        seconds: the longest that the search may take.
        megabytes: the most memory that it may address.

    Returns:
        The number of the assertion and the cycle, both counted from 0; None where no assertion is
        violated in these cycles.

    Raises:
        ToolMissing: ABC is not installed.
        ToolFailed: it ended with an error or gave no answer.
    """
    log = path.with_suffix(".log")
    command = SEARCH.format(name=path.name, cycles=cycles)
    programs.run("abc", ["-c", command], path.parent, log, seconds=seconds, megabytes=megabytes)
    text = log.read_text(encoding="utf-8", errors="replace")
    found, none = _VIOLATED.search(text), _NONE.search(text)
    if found:
        return int(found[1]), int(found[2])
    if _EVERY.search(text) or (none and int(none[1]) >= cycles):
        return None
    raise ToolFailed(f"abc gave no answer:\n{text[-1000:]}")


@dataclass(frozen=True)
class Always:
    """What a search for invariants says of an assertion.

    Args:
        holds: it does, in every cycle after a reset.
        cycle: in which it is violated, counted from 0; None where none was found.
    """

    holds: bool
    cycle: int | None = None


def always(path: Path, *, seconds: float, megabytes: int) -> tuple[list[Always], float]:
    """Ask of each assertion whether it holds in every cycle, from the first one on.

    Where one is found violated, the search ends.

    Args:
        path: the circuit, as Yosys wrote it.
        seconds: the longest that the search may take for one of them.
        megabytes: the most memory that it may address.

    Returns:
        The answers, in the order of the assertions, and the most memory, in megabytes.

    Raises:
        ToolMissing: ABC is not installed.
        ToolFailed: it ended with an error or gave no answer.
    """
    found = dict.fromkeys(range(read(path).assertions), Always(False))
    most = 0.0
    for share, way in itertools.product((*_FIRST_SECONDS, int(seconds / len(WAYS))), WAYS):
        for number in found:
            # One violated assertion is enough.
            if found[number].holds or any(one.cycle is not None for one in found.values()):
                continue
            command = ALWAYS.format(name=path.name, number=number, way=way.format(seconds=share))
            found[number], used = _asked(path, command, megabytes)
            most = max(most, used)
    return list(found.values()), most


def _asked(path: Path, command: str, megabytes: int) -> tuple[Always, float]:
    """Return ABC's answer about one assertion, and the memory that it took, in megabytes."""
    log = path.with_suffix(".log")
    used = programs.run("abc", ["-c", command], path.parent, log, megabytes=megabytes)
    text = log.read_text(encoding="utf-8", errors="replace")
    if refuted := _REFUTED.search(text):
        return Always(False, int(refuted[1])), used.megabytes
    if not _HOLDS.search(text) and not _OPEN.search(text):
        raise ToolFailed(f"abc gave no answer:\n{text[-1000:]}")
    return Always(bool(_HOLDS.search(text))), used.megabytes

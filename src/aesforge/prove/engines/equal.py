# SPDX-License-Identifier: Apache-2.0
"""Two graphs without registers: equal for every input, or an input for which they differ.

Random inputs come first, since they find most differences at once, and algebra next, which says of
most graphs in a second that they are equal (:mod:`aesforge.prove.engines.anf`). What is left is
for ABC's combinational equivalence checker to prove, which finds inner points that are equal and
goes from one to the next.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aesforge.errors import ToolFailed
from aesforge.netlist.aig import FALSE, Aig, value_of
from aesforge.prove.engines import anf
from aesforge.toolchain import programs


@dataclass(frozen=True)
class Command:
    """Options of ABC.

    Args:
        text: in the words of ABC.
        share: of the time that a call may take. One that may not take all of it is a short cut:
            when one does not finish, the next one is tried.
    """

    text: str
    share: float = 1.0


# The newer engine of `&cec` proves in a second what takes the older one minutes; but where two
# graphs differ it only gives up, and the older one has to say for which input.
OF_RTL = (
    Command("&r one.aig; &cec -x -v -C 100000 other.aig"),
    Command("&r one.aig; &cec -C 100000 other.aig"),
)
# Where one comes of look-up tables, both are made smaller first: those, written out gate by gate,
# hide the points that are equal. That halves the time, but of some InvMixColumns it takes away what
# the two have in common, and no end is seen.
OF_NETLIST = (
    Command(
        "&r other.aig; &syn2; &w small.aig; &r one.aig; &syn2; &cec -x -v -C 100000 small.aig", 0.1
    ),
    *OF_RTL,
)
# Of graphs that hardly differ, almost every point of the one is found in the other at once.
OF_CASES_ALIKE = (Command("&r one.aig; &cec -x -v -C 100 other.aig", 0.1),)
# Of a few signals of control there are no points to go by: one question to a solver is quicker.
OF_CONTROL = (Command("miter one.aig other.aig; sat -C 100000"), OF_RTL[-1])
_WORDS = 16
_EQUAL = re.compile(r"^(Networks are equivalent\.|UNSATISFIABLE)", re.M)
_DIFFERENT = re.compile(r"^Networks are NOT EQUIVALENT", re.M)
_INPUT = re.compile(r"^INPUT: (.*?)\.", re.M)
_BIT = re.compile(r"\bi(\d+) = 1'h([01])\b")
_CALLS = re.compile(r"^SAT calls = (\d+):", re.M)


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Args:
        equal: for every input; None when the checker gave up.
        difference: an input for which they differ, when one was found.
        sat_calls: how often a SAT solver was asked.
        seconds: of the checker.
        megabytes: of the checker.
    """

    equal: bool | None
    difference: dict[str, bool] | None = None
    sat_calls: int = 0
    seconds: float = 0.0
    megabytes: float = 0.0


def compare(
    one: Aig,
    other: Aig,
    commands: Sequence[Command] = OF_RTL,
    *,
    algebra: bool = True,
    seed: int = 1,
    seconds: float = 600.0,
    megabytes: int = 8000,
) -> Comparison:
    """Compare two graphs whose inputs and outputs have the same names in the same order.

    Args:
        one: the first graph.
        other: the second graph.
        commands: each is tried when those before it gave up; none for algebra alone.
        algebra: whether normal forms are compared first.
        seed: fixes the random inputs.
        seconds: the longest that the checker may take.
        megabytes: the most memory that it may address.

    Raises:
        ToolMissing: ABC is not installed.
        ToolFailed: it ended with an error, or needed more time or memory than it may.
    """
    assert one.inputs == other.inputs
    assert one.outputs == other.outputs
    found = sampled(one, other, seed)
    if found is not None:
        return Comparison(False, found)
    if algebra and anf.alike(one, other):
        return Comparison(True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for graph, path in ((one, "one.aig"), (other, "other.aig")):
            # ABC makes one bus of some names, and cuts others short.
            plain = replace(graph, inputs=[f"i{n}" for n in range(len(graph.inputs))])
            plain.write(folder / path)
        calls, spent, most = 0, 0.0, 0.0
        for command in commands:
            log = folder / "abc.log"
            try:
                used = programs.run(
                    "abc",
                    ["-c", command.text],
                    folder,
                    log,
                    seconds=command.share * seconds,
                    megabytes=megabytes,
                )
            except ToolFailed:
                if command.share == 1:
                    raise
                continue
            text = log.read_text(encoding="utf-8", errors="replace")
            spent, most = spent + used.seconds, max(most, used.megabytes)
            match = _CALLS.search(text)
            calls += int(match[1]) if match else 0
            equal, different = bool(_EQUAL.search(text)), bool(_DIFFERENT.search(text))
            if equal and different:
                raise ToolFailed(f"abc contradicts itself:\n{text[-1000:]}")
            if equal:
                return Comparison(True, None, calls, spent, most)
            if different:
                return Comparison(False, _example(one, other, text), calls, spent, most)
    return Comparison(None, None, calls, spent, most)


def _example(one: Aig, other: Aig, text: str) -> dict[str, bool] | None:
    """Read the input that ABC prints, if it is one for which the graphs do differ."""
    printed = _INPUT.search(text)
    if printed is None:
        return None
    bits = dict(_BIT.findall(printed[1]))
    found = {name: bits.get(str(n)) == "1" for n, name in enumerate(one.inputs)}
    return found if outputs_at(one, found) != outputs_at(other, found) else None


def sampled(one: Aig, other: Aig, seed: int) -> dict[str, bool] | None:
    """Return an input for which two graphs differ, if one of some random inputs does.

    Args:
        one: the first graph.
        other: the second graph, with the same inputs and outputs.
        seed: fixes the inputs.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    leaves = rng.integers(0, 1 << 64, (len(one.inputs), _WORDS), dtype=np.uint64)
    got = value_of(one.simulate(leaves), one.output)
    wanted = value_of(other.simulate(leaves), other.output)
    places = np.argwhere(got != wanted)
    if not len(places):
        return None
    row, word = places[0]
    bit = int(got[row, word] ^ wanted[row, word]).bit_length() - 1
    return {
        name: bool(int(leaves[number, word]) >> bit & 1) for number, name in enumerate(one.inputs)
    }


def outputs_at(graph: Aig, inputs: dict[str, bool]) -> dict[str, bool]:
    """Return the outputs of a graph for one input; inputs that are not given are false."""
    import numpy as np

    leaves = np.array([[inputs.get(name, False)] for name in graph.inputs], dtype=np.uint64)
    values = value_of(graph.simulate(leaves), graph.output or [FALSE])
    return {name: bool(values[n, 0] & 1) for n, name in enumerate(graph.outputs)}

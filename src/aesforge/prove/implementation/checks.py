# SPDX-License-Identifier: Apache-2.0
"""Pairs of functions that must be equal: by structure, else by ABC.

Both functions of a pair are literals of one graph, in which each gate exists once. So a pair that
was built of the same tables is one literal. What is left is tried with random inputs, then proved
by ABC's equivalence checker.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from aesforge.errors import ToolFailed
from aesforge.netlist.aig import Aig, Builder, value_of
from aesforge.prove.engines import equal

_WORDS = 16


@dataclass
class Checks:
    """Functions that must be equal.

    Args:
        builder: of the graph.
        same: how many pairs were one literal.
        proved: how many pairs ABC proved.
        open_inputs: how many inputs the netlist leaves open, so that any value is right.
        differences: a line for each pair that differs, and for all else that does.
        undecided: why nothing is known of the other pairs; empty when all is.
        open: the pairs that are not settled: what they are, and their literals.
    """

    builder: Builder
    same: int = 0
    proved: int = 0
    open_inputs: int = 0
    differences: list[str] = field(default_factory=list)
    undecided: str = ""
    open: list[tuple[str, int, int]] = field(default_factory=list)

    def require(self, what: str, must: int, got: int) -> None:
        """Demand that two literals are equal for every state and input."""
        if must == got:
            self.same += 1
        else:
            self.open.append((what, must, got))

    def settle(self, *, seconds: float, megabytes: int) -> None:
        """Decide the pairs that are open.

        Args:
            seconds: the longest that one call of ABC may take.
            megabytes: the most memory that it may address.

        Raises:
            ToolMissing: ABC is not installed.
        """
        pairs, self.open = self.open, []
        if not pairs:
            return
        graph = self.builder.finish(
            (f"{side} {number}", literal)
            for number, pair in enumerate(pairs)
            for side, literal in zip(("must", "got"), pair[1:], strict=True)
        )
        must, got = _side(graph, 0), _side(graph, 1)
        wrong = _sampled(must, got)
        if not wrong:
            wrong = self._proved(must, got, seconds, megabytes)
        self.differences += [f"{pairs[number][0]} is another function" for number in wrong]
        if not wrong and not self.undecided:
            self.proved += len(pairs)

    def _proved(self, must: Aig, got: Aig, seconds: float, megabytes: int) -> list[int]:
        """Return the outputs that differ, by ABC."""
        try:
            found = equal.compare(
                must, got, equal.OF_RTL, algebra=False, seconds=seconds, megabytes=megabytes
            )
        except ToolFailed as error:
            self.undecided = error.message
            return []
        if found.equal:
            return []
        if found.difference is not None:
            one = equal.outputs_at(must, found.difference)
            other = equal.outputs_at(got, found.difference)
            return [place for place, name in enumerate(must.outputs) if one[name] != other[name]]
        self.undecided = "ABC found neither a proof nor an input for which they differ"
        return []


def _side(graph: Aig, first: int) -> Aig:
    """Return one of the two sides of a graph of pairs, with the inputs of both."""
    literals = graph.output[first::2]
    names = [f"o{number}" for number in range(len(literals))]
    return Aig(graph.inputs, gates=graph.gates, outputs=names, output=literals)


def _sampled(must: Aig, got: Aig) -> list[int]:
    """Return the outputs that differ for some random input."""
    import numpy as np

    rng = np.random.default_rng(1)
    leaves = rng.integers(0, 1 << 64, (len(must.inputs), _WORDS), dtype=np.uint64)
    values = must.simulate(leaves)
    unequal = value_of(values, must.output) != value_of(values, got.output)
    return [int(place) for place in np.flatnonzero(unequal.any(axis=1))]

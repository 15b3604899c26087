# SPDX-License-Identifier: Apache-2.0
"""A case of the claim: a graph of the outputs, and the graph that it must equal."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from aesforge.errors import CheckFailed
from aesforge.netlist.aig import TRUE, Aig, Builder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Sample:
    """Some random inputs of a case, 64 to a word, and their outputs."""

    inputs: NDArray[np.uint64]
    """(inputs of the case, words)."""
    outputs: NDArray[np.uint64]
    """(output bits, words)."""
    valid: NDArray[np.uint64]
    """(words)."""
    reached: NDArray[np.uint64]
    """(words): whether the case can come about with the input; where not, the rest is idle."""


@dataclass(frozen=True)
class Case:
    """One case of the claim."""

    label: str
    """What sets it apart."""
    inverse: bool
    """Whether the block is decrypted."""
    inputs: tuple[str, ...]
    """Key, block and tag by the names of the graph's inputs, each lowest bit first."""
    slot: int
    """Of the stored key, 0 where keys are agile."""
    about: str
    """`block`, `words` (the round keys) or `tag`."""
    build: Callable[[], Aig]
    """Returns :attr:`graph`."""
    sample: Callable[[int], Sample] | None = None
    """Returns the outputs for some random inputs, by a seed, where that is fast."""
    known: Mapping[int, bool] = field(default_factory=dict)
    """Registers of the core whose values are known when the block is accepted."""

    @cached_property
    def graph(self) -> Aig:
        """The outputs: `valid`, and `tag[...]`, `block[...]` or the round keys, `words[...]`."""
        return self.build()

    @property
    def has_block(self) -> bool:
        """Whether this is about blocks."""
        return self.about == "block"

    @property
    def has_round_keys(self) -> bool:
        """Whether this is about round keys."""
        return self.about == "words"

    @property
    def foreign(self) -> set[str]:
        """Other inputs that the outputs may depend on; seldom any."""
        return self.graph.used_inputs() - set(self.inputs)

    @cached_property
    def alone(self) -> Aig:
        """The graph, other inputs false: once it is proved that they have no bearing on it."""
        return self.graph.fixed(dict.fromkeys(self.foreign, False))

    @cached_property
    def digest(self) -> str:
        """A hash of the graph and the direction: cases alike need one proof.

        It does not depend on the order of the gates, which a case's known values change.
        """
        graph = self.graph
        text = repr((self.inverse, graph.inputs, graph.outputs, graph.structure))
        return hashlib.sha256(text.encode()).hexdigest()


class NotAccepted(CheckFailed):
    """A core accepts no key, or no block under it.

    Args:
        message: which of them, and when.
        slot: the slot of the key.
    """

    def __init__(self, message: str, slot: int) -> None:
        super().__init__(message)
        self.slot = slot


def wanted_of(case: Case, specification: Aig | None) -> Aig:
    """Return what a case must be equal to: a graph with its inputs and outputs."""
    builder = Builder(case.graph.inputs)
    given = [builder.input_named(name) for name in case.inputs]
    wanted: dict[str, int] = {"valid": TRUE}
    if case.has_block or case.has_round_keys:
        assert specification is not None
        key, block = (given[:-128], given[-128:]) if case.has_block else (given, [])
        passed = {f"key[{i}]": bit for i, bit in enumerate(key)}
        passed |= {f"block[{i}]": bit for i, bit in enumerate(block)}
        result = builder.copy(specification, [passed[name] for name in specification.inputs])
        for name, bit in zip(specification.outputs, result, strict=True):
            wanted[name.replace("result", "block")] = bit
    else:
        wanted |= {f"tag[{i}]": bit for i, bit in enumerate(given)}
    # The tag of a round key is that of the key: `tag[3] of 7`.
    return builder.finish((name, wanted[name.partition(" ")[0]]) for name in case.graph.outputs)


def as_reference(before: Case, case: Case) -> Aig:
    """Return a case that was proved as a graph with the inputs and outputs of another one."""
    graph = before.alone
    builder = Builder(case.graph.inputs)
    names = dict(zip(before.inputs, case.inputs, strict=True))
    found = builder.copy(graph, [builder.input_named(names[name]) for name in graph.inputs])
    return builder.finish(zip(graph.outputs, found, strict=True))

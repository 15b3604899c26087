# SPDX-License-Identifier: Apache-2.0
"""The checker says equal only of what is equal."""

from __future__ import annotations

import pytest

from aesforge.errors import ToolFailed
from aesforge.netlist.aig import Aig, Builder
from aesforge.prove.engines import equal


@pytest.mark.parametrize("commands", [equal.OF_RTL, equal.OF_NETLIST, equal.OF_CONTROL])
@pytest.mark.parametrize("name", ["x[{}]", "key[{}]@load 3", "in_valid@{}"])
def test_the_checker_finds_what_samples_do_not(
    name: str, commands: tuple[equal.Command, ...]
) -> None:
    """Two graphs that differ for one input of 2^24."""
    names = [name.format(bit) for bit in range(24)]
    one, other = Builder(names), Builder(names)
    every = 1
    for name in names:
        every = other.conjunction(every, other.input_named(name))
    same = one.input_named(names[3])
    odd = other.conjunction(other.input_named(names[3]), every ^ 1)
    graphs = one.finish([("y", same)]), other.finish([("y", odd)])
    assert equal.sampled(*graphs, seed=1) is None
    found = equal.compare(*graphs, commands)
    assert found.equal is False
    assert found.difference == dict.fromkeys(names, True)
    assert equal.compare(graphs[1], graphs[1], commands).equal


def product_of_three(last_first: bool) -> Aig:
    """Of which algebra does not say that the order makes no difference."""
    builder = Builder(["a", "b", "c"])
    a, b, c = (builder.input_named(name) for name in builder.inputs)
    first, second, third = (c, b, a) if last_first else (a, b, c)
    both = builder.conjunction(first, second)
    return builder.finish([("y", builder.conjunction(both, third))])


def test_a_short_cut_without_an_end_is_left_for_the_next_command() -> None:
    graphs = product_of_three(last_first=False), product_of_three(last_first=True)
    endless = equal.Command(equal.OF_RTL[0].text, share=1e-7)
    assert equal.compare(*graphs, (endless, *equal.OF_RTL)).equal is True
    assert equal.compare(*graphs, (endless,)).equal is None
    with pytest.raises(ToolFailed, match="took more than"):
        equal.compare(*graphs, seconds=1e-5)

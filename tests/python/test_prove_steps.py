# SPDX-License-Identifier: Apache-2.0
"""A case is compared with what was proved before, or with the RTL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from aesforge.design import load
from aesforge.netlist.aig import Aig, Builder
from aesforge.prove.certificate import Proof
from aesforge.prove.engines import equal
from aesforge.prove.properties import claim
from aesforge.prove.properties.case import Case
from aesforge.prove.properties.core import Core
from aesforge.prove.steps import Steps
from proofs import LITTLE

TAG = [f"in_tag[{bit}]@0" for bit in range(24)]


def tag_case(words: str, gate: Callable[[Builder, int], int]) -> Case:
    """A case in which each bit of a tag comes out, but for what a gate makes of the first."""
    builder = Builder(TAG)
    tag = [builder.input_named(name) for name in TAG]
    outputs = [gate(builder, tag[0]), *tag[1:]]
    named = [(f"tag[{bit}]", literal) for bit, literal in enumerate(outputs)]
    graph = builder.finish([*named, ("valid", 1)])
    return Case(words, False, tuple(TAG), 0, "tag", lambda: graph)


def read_beside(builder: Builder, first: int) -> int:
    """The first bit, with another input read that has no bearing on it."""
    never = builder.conjunction(builder.input_named(TAG[1]), first ^ 1)
    return builder.conjunction(first, builder.conjunction(builder.input_named("x"), never) ^ 1)


def wrong_once(builder: Builder, first: int) -> int:
    """The first bit, unless all are true, which no sample is."""
    every = 1
    for name in TAG:
        every = builder.conjunction(every, builder.input_named(name))
    return builder.conjunction(first, every ^ 1)


def test_a_case_is_compared_with_one_that_was_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one reads more than the others, which does not matter; the last one is wrong."""
    gates = (read_beside, lambda _, bit: bit, wrong_once)
    every = [tag_case(f"{number}", gate) for number, gate in enumerate(gates)]
    asked: list[tuple[equal.Command, ...]] = []

    def compare(one: Aig, other: Aig, commands: Any, **rest: Any) -> equal.Comparison:
        asked.append(commands)
        return actual(one, other, commands, **rest)

    actual = equal.compare
    monkeypatch.setattr(equal, "compare", compare)
    proof = Proof({}, "", None, None, "", {}, {}, {})
    run = Steps(proof, load("compact"), 50, 1000, lambda _: None)
    monkeypatch.setattr(claim, "cases", lambda core, *_: iter(core))
    assert run.block(cast("Core", every[:2]))
    assert asked == [equal.OF_RTL, equal.OF_CASES_ALIKE]
    assert proof.steps[0].proofs == 2
    assert not run.block(cast("Core", every))
    assert asked[4:] == [equal.OF_CASES_ALIKE, equal.OF_RTL]
    assert proof.counterexample is not None
    assert proof.counterexample.tag == "ffffff"


GIVEN = [f"in_key[{bit}]@0" for bit in range(128)] + [f"in_block[{bit}]@0" for bit in range(128)]


def keyed(names: list[str], wrong: bool, last_first: bool) -> tuple[Builder, list[int]]:
    """Key and block exclusive or, which stands for a cipher; wrong for one input if need be.

    In one bit there is a product of three bits, of which algebra does not know the order.
    """
    builder = Builder(names)

    def differ(a: int, b: int) -> int:
        either = builder.conjunction(a ^ 1, b ^ 1) ^ 1
        return builder.conjunction(either, builder.conjunction(a, b) ^ 1)

    given = [builder.input_named(name) for name in names]
    result = [differ(a, b) for a, b in zip(given[:128], given[128:], strict=True)]
    first, second, third = given[2::-1] if last_first else given[:3]
    both = builder.conjunction(first, second)
    result[1] = differ(result[1], builder.conjunction(both, third))
    if wrong:
        every = 1
        for literal in given:
            every = builder.conjunction(every, literal)
        result[0] = differ(result[0], every)
    return builder, result


def block_case(words: str, wrong: bool = False) -> Case:
    """A case in which a block is decrypted."""
    builder, result = keyed(GIVEN, wrong, last_first=True)
    named = [(f"block[{bit}]", literal) for bit, literal in enumerate(result)]
    graph = builder.finish([*named, ("valid", 1)])
    return Case(words, True, tuple(GIVEN), 0, "block", lambda: graph)


@pytest.mark.parametrize("rtl_is_wrong", [False, True])
@pytest.mark.parametrize("netlist_is_wrong", [False, True])
def test_a_netlist_that_decrypts_is_compared_with_its_rtl(
    rtl_is_wrong: bool, netlist_is_wrong: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And with the specification where the RTL is not proved: what is wrong never passes."""
    names = [f"{port}[{bit}]" for port in ("key", "block") for bit in range(128)]
    builder, result = keyed(names, wrong=False, last_first=False)
    right = builder.finish((f"result[{bit}]", literal) for bit, literal in enumerate(result))
    monkeypatch.setattr(claim, "core_of", lambda *_: [block_case("of the RTL", rtl_is_wrong)])
    monkeypatch.setattr(claim, "cases", lambda core, *_, **__: iter(core))
    monkeypatch.setattr(Steps, "_specification", lambda *_: right)
    proof = Proof({}, "", "ecp5", None, "", {}, {}, {})
    said: list[str] = []
    run = Steps(proof, LITTLE, 50, 1000, said.append)
    core = [block_case("of the netlist", netlist_is_wrong)]
    assert run.block(cast("Core", core)) is not netlist_is_wrong
    assert [line for line in said if line.startswith("its RTL")]
    assert proof.steps[0].proofs == 2
    if netlist_is_wrong:
        example = proof.counterexample
        assert example is not None
        assert (example.key, example.block) == ("ff" * 16, "ff" * 16)
        # Beside the product of three.
        assert (example.got, example.wanted) == ("00" * 15 + "03", "00" * 15 + "02")

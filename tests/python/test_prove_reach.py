# SPDX-License-Identifier: Apache-2.0
"""Machines whose outputs can be high are told from those whose outputs cannot."""

from __future__ import annotations

import pytest

from aesforge.errors import ToolFailed
from aesforge.prove.engines import reach
from aesforge.prove.engines.equal import Command
from aesforge.prove.engines.reach import Machine, reaches


def counter(bits: int, start: int, end: int) -> tuple[Machine, list[int]]:
    """A counter from ``start`` on, which goes back there after ``end``."""
    machine = Machine()
    value = [machine.register(f"bit {n}", bool(start >> n & 1)) for n in range(bits)]
    last, carry = machine.equals(value, end), 1
    for n, bit in enumerate(value):
        more = machine.choice(carry, bit ^ 1, bit)
        carry = machine.all_of(carry, bit)
        machine.follows(f"bit {n}", machine.choice(last, start >> n & 1, more))
    return machine, value


@pytest.mark.parametrize(("number", "cycle"), [(3, 0), (4, 1), (11, 8)])
def test_a_value_is_reached_in_its_cycle(number: int, cycle: int) -> None:
    machine, value = counter(4, 3, 11)
    found = reaches(machine, machine.equals(value, number), seconds=60, megabytes=2000)
    assert (found.never, found.cycle) == (False, cycle)


@pytest.mark.parametrize("number", [0, 2, 12, 15])
def test_other_values_are_not_reached(number: int) -> None:
    machine, value = counter(4, 3, 11)
    assert reaches(machine, machine.equals(value, number), seconds=60, megabytes=2000).never


@pytest.mark.parametrize(("start", "never"), [(False, True), (True, False), (None, False)])
def test_a_register_starts_as_it_is_told(start: bool | None, never: bool) -> None:
    machine = Machine()
    kept = machine.register("kept", start)
    machine.follows("kept", kept)
    assert reaches(machine, kept, seconds=60, megabytes=2000).never == never


def test_a_register_with_any_start_value_keeps_it() -> None:
    """Its first value is chosen once, not in each cycle."""
    machine = Machine()
    kept = machine.register("kept", None)
    machine.follows("kept", kept)
    before = machine.delayed("before", kept)
    first = machine.delayed("first", 0, True)
    changed = machine.all_of(
        first ^ 1,
        machine.any_of(*(machine.all_of(kept, before ^ 1), machine.all_of(kept ^ 1, before))),
    )
    assert reaches(machine, changed, seconds=60, megabytes=2000).never


def test_inputs_are_free_in_each_cycle() -> None:
    machine = Machine()
    given = machine.builder.input_named("given")
    before = machine.delayed("before", given)
    rises = machine.all_of(given, before ^ 1)
    twice = machine.all_of(machine.delayed("rose", rises), rises)
    assert not reaches(machine, rises, seconds=60, megabytes=2000).never
    assert reaches(machine, twice, seconds=60, megabytes=2000).never


def test_no_answer_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "REACH", Command("read machine.aig; print_stats"))
    machine, value = counter(4, 3, 11)
    with pytest.raises(ToolFailed, match="no answer"):
        reaches(machine, machine.equals(value, 0), seconds=60, megabytes=2000)

# SPDX-License-Identifier: Apache-2.0
"""Stored keys: the state in which a block meets its key."""

from __future__ import annotations

import dataclasses
import sys
from itertools import islice
from pathlib import Path

import pytest

from aesforge.design import Design
from aesforge.errors import UsageError
from aesforge.netlist.aig import Aig
from aesforge.prove import circuit, prove
from aesforge.prove.certificate import CounterExample
from aesforge.prove.counterexample import find_mismatch
from aesforge.prove.engines import equal
from aesforge.prove.engines.reach import reaches
from aesforge.prove.mutation import Change, changed_files
from aesforge.prove.properties import key_load
from aesforge.prove.properties.case import NotAccepted
from aesforge.prove.properties.claim import cases, core_of
from aesforge.prove.replay import replay
from aesforge.toolchain import rtl
from project import REPO
from proofs import READY, SERIAL, STORED, change, specified

sys.path.insert(0, str(REPO / "scripts"))

import prove_mutants


@pytest.mark.parametrize(
    "design",
    [
        STORED,
        SERIAL,
    ],
    ids=lambda design: design.summary()[:40],
)
def test_cores_with_stored_keys_have_cases_and_no_sample_goes_wrong(design: Design) -> None:
    """All but the comparison of a proof: that takes minutes for each of them."""
    core = core_of(circuit.of_design(design).aig, design)
    wanted = {way: specified(design.key_bits, bool(way)) for way in core.directions}
    of_blocks = list(islice((case for case in cases(core) if case.has_block), 4))
    assert {(case.slot, case.inverse) for case in of_blocks} == {
        (slot, bool(way)) for slot in range(design.key_slots or 1) for way in core.directions
    }
    for case in of_blocks:
        assert case.sample is not None
        assert find_mismatch(case, case.sample(1), wanted[case.inverse]) is None, case.label


def test_a_key_that_is_not_at_rest_is_not_carried_over(monkeypatch: pytest.MonkeyPatch) -> None:
    core = core_of(circuit.of_design(SERIAL).aig, SERIAL)
    # The last round key stands eleven cycles after the key.
    monkeypatch.setattr(key_load, "ready_after", lambda design: 8)
    with pytest.raises(UsageError, match="longer than its design says to come to rest"):
        next(cases(core))


def test_a_slot_that_takes_no_block_is_named(tmp_path: Path) -> None:
    """Its example is repeated with a key in that slot alone."""
    aig = circuit.of_design(STORED).aig
    # The same as the text below, in the circuit: to read it once more would take longer.
    ready = aig.outputs.index("in_ready")
    gates = [*aig.gates, (aig.output[ready], aig.bits_in("in_slot")[0] ^ 1)]
    output = list(aig.output)
    output[ready] = 2 * (aig.first_gate + len(aig.gates))
    with pytest.raises(NotAccepted, match="ready for a block") as refused:
        list(cases(core_of(dataclasses.replace(aig, gates=gates, output=output), STORED)))
    assert refused.value.slot == 1
    only_one = change("aesforge_core.sv", READY, f"{READY} && in_slot != 1'd1")
    files = changed_files(tmp_path, rtl.needed_by(STORED.top), [only_one])
    for slot, how in ((0, "among other blocks"), (1, "alone after a reset")):
        example = CounterExample("", False, False, key="00" * 16, slot=slot)
        assert replay(STORED, example, files).how.startswith(how)


def test_registers_follow_a_key_whatever_their_logic_reads_besides() -> None:
    """As look-up tables do: d and x, or d and not x. And one that hangs on x indeed."""
    aig = circuit.of_design(SERIAL).aig

    def kept(found: Aig) -> set[int]:
        return key_load.load_key(core_of(found, SERIAL), 0, equal.compare).kept

    before = kept(aig)
    last = max(before)
    assert aig.next_state[last - aig.first_register] != 2 * last
    x, d, end = aig.bits_in("in_valid")[0], aig.next_state[last - aig.first_register], 2 * aig.size
    both = [(d, x), (d, x ^ 1), (end ^ 1, (end + 2) ^ 1)]
    for gates, literal, alike in ((both, (end + 4) ^ 1, True), (both[:1], end, False)):
        following = list(aig.next_state)
        following[last - aig.first_register] = literal
        changed = dataclasses.replace(aig, gates=[*aig.gates, *gates], next_state=following)
        found = kept(changed)
        assert found == before if alike else found <= before - {last}


LOADS = [one for one in prove_mutants.rtl_mutants() if one.kind == "other key loads"]


def wrong_loads(design: Design, *files: Path) -> list[str]:
    """Return what is wrong of key loads while others are in use; the blocks are not looked at."""
    core = core_of(circuit.of_design(design, files or None, frozenset()).aig, design)
    if design.is_serial:
        questions = [key_load.accepted_too_soon(core)]
    else:
        questions = [
            key_load.changed(core, slot, key_load.load_key(core, slot, equal.compare))
            for slot in range(design.key_slots or 1)
        ]
    return [
        question.words
        for question in questions
        if not reaches(question.machine, question.wrong, seconds=200, megabytes=4000).never
    ]


@pytest.mark.parametrize("core", ["stored", "one key"])
def test_keys_stay_while_others_are_loaded(core: str) -> None:
    assert wrong_loads(prove_mutants.DESIGNS[core]) == []


@pytest.mark.parametrize(
    ("core", "name", "words"),
    [
        ("stored", "a new key does not wait for blocks", "changes the key of slot 0 too soon"),
        ("stored", "a new key waits too short", "changes the key of slot 1 too soon"),
        ("one key", "a new key does not wait for blocks", "key_ready is high while a block"),
        ("stored", "the first round key goes to all slots", "changes the key of slot 0 too soon"),
    ],
)
def test_a_key_that_is_replaced_too_soon_is_seen(
    core: str, name: str, words: str, tmp_path: Path
) -> None:
    mutant = next(one for one in LOADS if (one.core, one.name) == (core, name))
    files = changed_files(tmp_path, rtl.needed_by(mutant.design.top), [mutant.change])
    assert any(words in found for found in wrong_loads(mutant.design, *files))


@pytest.mark.parametrize(
    "name",
    [
        "a first round key is mixed up during a write",
        "a round key is read from the slot that is written",
    ],
)
def test_a_write_to_another_slot_is_seen_in_a_block(name: str) -> None:
    mutant = next(one for one in LOADS if (one.core, one.name) == ("stored", name))
    proof = prove(mutant.design, changes=[mutant.change], seconds=60)
    assert proof.result == "not proved"
    assert proof.reason.endswith("it differs from the specification")


# What a store that is read past a write compares: the whole address, or only the place within a
# slot, which is a fault.
COMPARED = {"address": "write_address == address", "place": "write_pass == pass"}


def past_a_write(what: str) -> Change:
    """Let a read of a store that is written give something else than the round key."""
    compared = COMPARED[what]
    read = f"(write_valid && mine && {compared}) ? ~write_key : memory[address]"
    return change("aesforge_key_store.sv", "round_key <= memory[address]", f"round_key <= {read}")


@pytest.mark.parametrize("what", COMPARED)
def test_a_store_that_is_read_past_a_write_needs_its_key_to_stay(what: str, tmp_path: Path) -> None:
    """As a netlist may: what is read at an address that is written never matters."""
    right = what == "address"
    files = changed_files(tmp_path, rtl.needed_by(STORED.top), [past_a_write(what)])
    core = core_of(circuit.of_design(STORED, files).aig, STORED)
    of_blocks = [case for case in cases(core) if case.has_block]
    assert {case.slot for case in of_blocks} == {0, 1}
    assert [not case.foreign for case in of_blocks] == [right] * len(of_blocks)
    for case in of_blocks:
        assert case.sample is not None
        found = find_mismatch(case, case.sample(1), specified(128, False))
        assert (found is None) == right


@pytest.mark.parametrize("what", COMPARED)
def test_a_core_that_reads_its_store_past_a_write_is_proved_or_refuted(what: str) -> None:
    proof = prove(STORED, changes=[past_a_write(what)], seconds=100)
    assert proof.result == ("proved" if what == "address" else "not proved"), proof.text()
    if proof.counterexample is not None:
        assert proof.counterexample.simulated.startswith("wrong")

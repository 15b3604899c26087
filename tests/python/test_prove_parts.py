# SPDX-License-Identifier: Apache-2.0
"""Proofs of parts of GCM, OCB, XTS and CCM engines: claims, covers, mutants, records."""

from __future__ import annotations

import dataclasses
import json

import pytest

from aesforge.design import Engine, load_any
from aesforge.errors import UsageError
from aesforge.prove import certificate, parts, streams
from aesforge.toolchain import rtl
from project import script

SCRIPT = script("prove_modes")


def engine_of(preset: str, *choices: str) -> Engine:
    engine = load_any(preset, choices)
    assert isinstance(engine, Engine)
    return engine


# --- What is claimed, and of what


@pytest.mark.parametrize(
    ("preset", "choices", "covered"),
    [
        ("gcm-stream", (), True),
        ("gcm-dual", (), True),
        ("gcm-wide", (), True),
        ("gcm-stream", ("iv=counted",), True),
        ("ocb-stream", (), True),
        ("xts-stream", (), True),
        ("xts-dual", (), True),
        ("gcm-compact", (), True),
        ("ccm-compact", (), True),
        ("ccm-interleaved", (), True),
        ("ctr-stream", (), False),
    ],
)
def test_engines_that_are_proved_in_parts(
    preset: str, choices: tuple[str, ...], covered: bool
) -> None:
    assert parts.covers(engine_of(preset, *choices)) == covered


@pytest.mark.parametrize("preset", ["gcm-stream", "xts-stream", "ccm-interleaved"])
def test_the_claim_says_that_it_is_about_parts(preset: str) -> None:
    engine = engine_of(preset)
    claim = streams.claim_text(engine)
    assert claim.startswith("Parts of an engine")
    assert claim.endswith("is tested, not proved.")
    left = {one["id"] for one in streams.not_covered(engine, certificate.RECOGNIZE)}
    assert {"part-connections", "part-others", "engine-zeroize", "engine-netlist"} <= left
    assumed = {one["id"] for one in streams.assumed(engine, certificate.RECOGNIZE)}
    assert ("part-latency" in assumed) == (preset == "xts-stream")
    assert ("gcm-neighbours" in assumed) == (preset == "gcm-stream")
    assert ("ccm-neighbours" in assumed) == (preset == "ccm-interleaved")
    assert ("holds in the engine" in claim) == (preset != "ccm-interleaved")
    assert "core-model" not in assumed


def test_a_part_has_the_parameters_of_its_engine() -> None:
    found = {part.top: part.parameters for part in parts.parts_of(engine_of("gcm-dual"))}
    assert found["prove_ghash"] == {"Ahead": 8, "Stages": 6, "Blocks": 2}
    assert found["prove_gcm_powers"]["Ahead"] == 16
    of_xts = {part.top: part.parameters for part in parts.parts_of(engine_of("xts-stream"))}
    assert of_xts["prove_unit_lookahead"] == {"UnitBits": 20, "Blocks": 1, "Stealing": 1}
    wide = {part.top: part.parameters for part in parts.parts_of(engine_of("xts-dual"))}
    assert wide["prove_mode_xts"] == {"Latency": 4, "Stealing": 1, "Blocks": 2}
    counted = [part.top for part in parts.parts_of(engine_of("gcm-stream", "iv=counted"))]
    assert counted[-1] == "prove_gcm_iv"
    assert "prove_gcm_iv" not in found
    # Lengths are counted in beats of 32 bytes.
    counters = [p.parameters["Bits"] for p in parts.of_gcm(6, 2) if p.top == "prove_staged_counter"]
    assert counters == [31, 56]
    compact = {part.top: part.parameters for part in parts.parts_of(engine_of("gcm-compact"))}
    assert compact["prove_ghash_serial"] == {"Digit": 16}
    assert compact["prove_gcm_counter"] == {"Blocks": 1, "Stages": 1}
    assert compact["prove_gcm_tag"]["Ahead"] == 1
    assert [one.parameters for one in parts.multipliers_of(engine_of("gcm-compact"))] == [
        {"Digit": 16}
    ]


# --- Proofs and covers


def small(key: str) -> parts.Part:
    part: parts.Part = SCRIPT.SMALL[key]
    return part


# Those of whole modes and of the lookahead take minutes: `make prove-modes` runs them.
LONG = {"prove_packet_lookahead", "prove_mode_ccm", "prove_mode_ocb", "prove_mode_xts"}


@pytest.mark.parametrize("key", [key for key in SCRIPT.SMALL if key not in LONG])
def test_a_part_is_proved_and_its_cover_reached(key: str) -> None:
    step, reason, *_ = streams.prove_part(small(key))
    assert (step.result, reason) == ("proved", "")
    assert step.cases > {"prove_tag_compare": 2, "prove_long_delay": 4}.get(key, 5)
    assert SCRIPT.covered(key)


def test_xts_without_stealing_is_proved() -> None:
    step, *_ = streams.prove_part(parts.xts(stealing=False))
    assert step.result == "proved"


def test_a_proof_needs_its_cycles() -> None:
    """What is in the pipelines at first is anything, so fewer cycles prove nothing."""
    part = dataclasses.replace(small("prove_gcm_counter"), cycles=2)
    step, reason, *_ = streams.prove_part(part)
    assert step.result == "not finished"
    assert "does not follow from the cycles before" in reason


def test_a_fault_after_a_reset_is_not_proved() -> None:
    """Where the induction holds, the first cycles are searched as well."""
    part = small("prove_staged_counter")
    change = {
        "file": "aesforge_staged_counter.sv",
        "old": "carry_q <= sum[Size]",
        "new": "carry_q <= 1'b0",
    }
    step, reason, *_ = streams.prove_part(part, [change])
    assert step.result == "not proved"
    assert "cycles after a reset: " in reason


# --- Mutants


@pytest.mark.parametrize(
    "name",
    [
        *("a power of H too high", "text starts at J0", "a carry is lost", "one power too few"),
        *("text starts at counter block 0", "a packet may be shorter than its length"),
    ],
)
def test_a_mutant_is_refuted(name: str) -> None:
    key, change = SCRIPT.MUTANTS[name]
    assert SCRIPT.search(key, change) is not None


def test_each_mutant_is_one_change() -> None:
    for key, change in SCRIPT.MUTANTS.values():
        part = SCRIPT.SMALL[key]
        files = {path.name: path for path in rtl.needed_by(part.module, without=part.models)}
        assert files[change["file"]].read_text(encoding="utf-8").count(change["old"]) == 1


def test_a_change_of_another_module_is_left_out() -> None:
    """A change of the core's RTL is none of a part."""
    change = {"file": "aesforge_core.sv", "old": "x", "new": "y"}
    assert streams.prove_part(small("prove_gcm_powers"), [change])[0].result == "proved"
    with pytest.raises(UsageError, match="not once"):
        streams.prove_part(
            small("prove_gcm_powers"), [{**change, "file": "aesforge_gcm_powers.sv"}]
        )


# --- Records


def test_records_are_of_what_is_there() -> None:
    said = json.loads(SCRIPT.OUTPUT.read_text(encoding="utf-8"))
    assert [one["part"] for one in said["proofs"]] == list(SCRIPT.proved_parts())
    assert [one["mutant"] for one in said["mutants"]] == list(SCRIPT.MUTANTS)
    assert {one["result"] for one in said["proofs"]} == {"proved"}
    assert {one["result"] for one in said["mutants"]} == {"refuted"}
    for one in said["mutants"]:
        change = SCRIPT.MUTANTS[one["mutant"]][1]
        assert {key: one[key] for key in change} == change

# SPDX-License-Identifier: Apache-2.0
"""What claims about parts assume of their neighbours is proved in engines, and can fail."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import engines
from aesforge.errors import ToolFailed, UsageError
from aesforge.prove import neighbours, stream_circuit
from aesforge.prove.circuit import formal_dir
from aesforge.prove.engines import induction
from aesforge.prove.engines.induction import Always
from aesforge.prove.neighbours import Found, Place
from project import script

SCRIPT = script("prove_neighbours")
# Claims with assumptions that no engine is asked for, and those of which some are not.
UNPROVED = {"ghash", "ghash_sum", "mode_ccm"}
PARTLY = {"gcm_tag": ("in_data", "aads_d")}


def assumptions(place: Place) -> list[str]:
    return re.findall(r"assert \((.*)\);", neighbours.asserted(place))


# --- Which assumptions are proved


def test_each_assumption_of_a_claim_is_proved_or_known_not_to_be() -> None:
    places = [*neighbours.SERIAL_GCM, *(one for own in neighbours.PLACES.values() for one in own)]
    placed = {place.claim for place in places}
    assert not placed & UNPROVED
    for path in sorted((formal_dir() / "modes").glob("prove_*.sv")):
        claim = path.stem.removeprefix("prove_")
        wanted = assumptions(Place(claim))
        if claim in UNPROVED:
            assert wanted
            continue
        found = {text for one in places if one.claim == claim for text in assumptions(one)}
        left = [text for text in wanted if text not in found]
        assert all(any(name in text for name in PARTLY.get(claim, ())) for text in left), left


def test_what_a_claim_says_of_its_own_free_nets_is_no_assumption() -> None:
    text = neighbours.asserted(Place("mode_xts"))
    assert "once_result == again_result" not in text
    assert "assume (" not in text
    assert "beat_valid && beat == held" in text


def test_a_claim_without_an_assumption_of_a_reset_is_refused() -> None:
    with pytest.raises(ValueError, match="reset"):
        neighbours.each_assumption("always_comb assume (valid);", str)


@pytest.mark.parametrize(
    ("name", "claims"),
    [
        ("SEALED", ["gcm_powers", "staged_counter", "gcm_tag"]),
        ("SEALED_SERIAL", ["gcm_powers", "staged_counter", "gcm_tag", "gcm_tag", "ghash_serial"]),
        ("OFFSETS", ["mode_ocb", "ocb_table", "context_cipher"]),
        ("UNITS", ["mode_xts", "context_cipher"]),
        ("CCM", []),
    ],
)
def test_the_claims_of_an_engine(name: str, claims: list[str]) -> None:
    assert [place.claim for place in neighbours.places_of(getattr(engines, name))] == claims


def test_an_engine_that_counts_ivs_has_the_other_inside() -> None:
    around, inside = (neighbours.places_of(one) for one in (engines.COUNTED, engines.SEALED))
    assert [one.path for one in around] == [f"u_engine.{one.path}" for one in inside]


def test_a_change_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    change = {"file": "aesforge_engine_xts.sv", "old": "no such text", "new": ""}
    with pytest.raises(UsageError):
        neighbours.with_claims(engines.UNITS, tmp_path, [change])


# --- Proofs and mutants


def test_an_engine_of_whole_units_is_proved() -> None:
    found = neighbours.prove(engines.WHOLE_UNITS)
    assert found.holds
    assert (found.violated(), found.undecided()) == ("", "")
    assert {text.split(":")[0] for text, _ in found.assumptions} == {"mode_xts", "context_cipher"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SEALED_SERIAL", "OFFSETS"])
def test_an_engine_is_proved(name: str) -> None:
    found = neighbours.prove(getattr(engines, name))
    assert found.holds, found.violated() or found.undecided()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mutant", "violated"),
    [
        ("every beat of XTS steals", "mode_xts: "),
        ("the shell does not wait for the mode", "mode_xts: "),
    ],
)
def test_a_changed_connection_violates_an_assumption(mutant: str, violated: str) -> None:
    _, change = SCRIPT.MUTANTS[mutant]
    found = neighbours.refute(SCRIPT.engine_of("mutants", mutant), [change], cycles=SCRIPT.CYCLES)
    assert found is not None
    assert found.claim.startswith(violated)


@pytest.mark.slow
def test_a_violated_assumption_ends_a_proof() -> None:
    _, change = SCRIPT.MUTANTS["every beat of XTS steals"]
    found = neighbours.prove(engines.UNITS, [change])
    assert not found.holds
    assert re.match(r"violated \d+ cycles after a reset: mode_xts: ", found.violated())


def test_each_mutant_changes_a_text_that_is_there(tmp_path: Path) -> None:
    for number, (name, (_, change)) in enumerate(SCRIPT.MUTANTS.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        neighbours.with_claims(SCRIPT.engine_of("mutants", name), folder, [change])


# --- The records


def test_the_records_are_of_what_the_script_runs() -> None:
    found = json.loads(SCRIPT.OUTPUT.read_text(encoding="utf-8"))
    assert [one["engine"] for one in found["proofs"]] == list(SCRIPT.PROVED)
    assert all(one["result"] == "proved" for one in found["proofs"])
    assert [one["mutant"] for one in found["mutants"]] == list(SCRIPT.MUTANTS)
    assert all(one["result"] == "refuted" and one["violated"] for one in found["mutants"])


# --- The search

COUNTER = """
module counter #(
    parameter int unsigned End = 2
) (
    input logic clk,
    input logic step
);
  logic [1:0] count = '0;
  always_ff @(posedge clk) if (step) count <= count == 2'(End) ? '0 : count + 1'b1;
  always_comb begin
    assert (count != 2'd3);
    assert (count != 2'd2);
  end
endmodule
"""


def test_the_search_tells_apart_what_holds_and_what_does_not(tmp_path: Path) -> None:
    file = tmp_path / "counter.sv"
    file.write_text(COUNTER, encoding="utf-8")
    stream_circuit.read(tmp_path, stream_circuit.script_from("counter", {"End": 2}, {}, [file]))
    found, _ = induction.always(tmp_path / "claim.aig", seconds=10, megabytes=1000)
    assert Always(False, 2) in found
    assert set(found) <= {Always(True), Always(False, 2), Always(False)}


def test_a_file_that_is_no_circuit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "claim.aig"
    path.write_bytes(b"no circuit")
    with pytest.raises(ToolFailed, match="not an AIGER file"):
        induction.always(path, seconds=10, megabytes=1000)


def test_what_is_undecided_is_said() -> None:
    found = Found(
        [("a", Always(True)), ("b", Always(False)), ("c", Always(False, 3))], "", [], 0, 0
    )
    assert not found.holds
    assert found.violated() == "violated 3 cycles after a reset: c"
    assert found.undecided() == "b"

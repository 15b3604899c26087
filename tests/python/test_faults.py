# SPDX-License-Identifier: Apache-2.0
"""SEUs of registers: what they do, what the checks detect, and that the campaign can fail."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np
import pytest

from aesforge.design import Design, load
from aesforge.errors import CheckFailed, UsageError
from aesforge.netlist.aig import Aig
from aesforge.prove import circuit
from aesforge.research import faults
from aesforge.toolchain import rtl
from project import script

PLAIN = load("compact")
PARITY = load("compact", {"error_detection": "parity"})
SAMPLES = 500


@functools.cache
def aig_of(design: Design) -> Aig:
    return circuit.of_design(design).aig


def test_seus_of_a_plain_core_pass_and_of_one_with_parity_do_not() -> None:
    (plain,) = faults.campaign(PLAIN, aig_of(PLAIN), samples=SAMPLES, seed=1)
    assert plain.population == len(aig_of(PLAIN).registers)
    assert plain.seus == plain.effective + plain.harmless == SAMPLES
    assert plain.wrong_block > SAMPLES / 3
    assert plain.wrong_control > 0
    assert plain.missed == plain.effective
    assert plain.false_alarm == 0

    (parity,) = faults.campaign(PARITY, aig_of(PARITY), samples=SAMPLES, seed=1)
    assert parity.wrong_block > SAMPLES / 3
    assert parity.missed == 0
    assert parity.coverage_percent == 100.0
    assert parity.false_alarm > 0
    # The same seed gives the same sample.
    assert faults.campaign(PARITY, aig_of(PARITY), samples=SAMPLES, seed=1) == [parity]


def test_an_alarm_that_looks_away_is_found_out(tmp_path: Path) -> None:
    """With the comparison of the state taken out, SEUs of the state pass."""
    files = []
    for path in rtl.filelist():
        text = path.read_text(encoding="utf-8")
        if path.stem == "aesforge_parity_round":
            assert text.count("wrong = differ != '0") == 1
            text = text.replace("wrong = differ != '0", "wrong = differ[0]")
        files.append(tmp_path / path.name)
        files[-1].write_text(text, encoding="utf-8")
    aig = circuit.of_design(PARITY, files).aig
    (found,) = faults.campaign(PARITY, aig, samples=SAMPLES, seed=1)
    assert found.missed_block > 0


def test_a_core_that_is_wrong_by_itself_is_refused() -> None:
    sent = faults.traffic(PLAIN, 1)
    other = faults.Traffic(sent.ports, [block ^ 1 for block in sent.expected])
    seu = faults.Seu(0, 20)
    with pytest.raises(CheckFailed, match="without an SEU"):
        faults.run(PLAIN, aig_of(PLAIN), other, [seu], 1)


def test_effects_are_sorted_into_classes() -> None:
    block, control, missed, alarm, refused = (
        faults.WRONG_BLOCK,
        faults.WRONG_CONTROL,
        faults.MISSED,
        faults.ALARM,
        faults.REFUSED,
    )
    effects = [0, alarm, refused, block | alarm, block | control | missed | alarm, control | missed]
    found = faults.count("flip-flop", 9, np.array(effects, np.uint8))
    assert (found.wrong_block, found.wrong_control, found.harmless) == (2, 1, 3)
    assert (found.missed_block, found.missed_control) == (1, 1)
    assert (found.false_alarm, found.refused) == (1, 1)
    assert found.coverage_percent == pytest.approx(100 / 3)


@pytest.mark.parametrize("choices", [{"key_schedule": "stored"}, {"architecture": "key_expand"}])
def test_other_cores_are_refused(choices: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="agile keys"):
        faults.traffic(Design(**choices), 1)  # type: ignore[arg-type]


def test_the_records_hold_what_was_promised() -> None:
    """At least 10,000 SEUs of each core; with each result taken back, none passes."""
    campaign = script("fault_campaign")
    records = json.loads(campaign.FILE.read_text(encoding="utf-8"))
    assert records.keys() == campaign.CORES.keys()
    for name, record in records.items():
        design = campaign.design_of(name)
        assert record["latency_cycles"] == design.latency_cycles
        assert record["error_detection"] == design.error_detection
        for one in record["counts"]:
            assert one["seus"] >= 10_000
            assert one["wrong_block"] + one["wrong_control"] + one["harmless"] == one["seus"]
            assert one["missed"] == 0 or design.error_detection != "inverse"

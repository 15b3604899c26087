# SPDX-License-Identifier: Apache-2.0
"""The recorded measurements can be repeated, and hold what a reader can use."""

from __future__ import annotations

import json
import re

import pytest

from aesforge.measure.bench import Campaign
from aesforge.measure.record import Measurement
from project import REPO

CAMPAIGNS = ("cores", "modes", "papers")
MEASUREMENTS = {
    campaign: Campaign.read(REPO / "bench" / "results" / f"{campaign}.json").measurements
    for campaign in CAMPAIGNS
}
RESULTS = [
    pytest.param(one, id=f"{campaign}-{name}")
    for campaign, measurements in MEASUREMENTS.items()
    for name, one in measurements.items()
]


def test_each_campaign_has_results() -> None:
    assert all(MEASUREMENTS.values())
    assert len(RESULTS) > 80


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_results_name_a_commit_without_other_changes(campaign: str) -> None:
    unclean = {
        name
        for name, one in MEASUREMENTS[campaign].items()
        if not re.fullmatch("[0-9a-f]{12}", one.provenance.commit)
    }
    assert not unclean, "measure from a clean tree"


@pytest.mark.parametrize("one", RESULTS)
def test_stages_have_names_and_stand_once(one: Measurement) -> None:
    stages = [stage.stage for stage in one.depth]
    assert len(stages) == len(set(stages))
    assert not [stage for stage in stages if re.search(r"\bff\d", stage)]


def test_energies_are_of_one_clean_commit_and_of_the_cores_that_the_page_compares() -> None:
    found = json.loads((REPO / "bench" / "results" / "energy.json").read_bytes())["cores"]
    every = [spent for both in found.values() for spent in both.values()]
    assert len({one["origin"]["commit"] for one in every}) == 1
    assert re.fullmatch("[0-9a-f]{12}", every[0]["origin"]["commit"]), "count from a clean tree"
    assert {one["device"] for one in every} == {"LFE5U-85F-8"}
    assert {"liu2014-original", "liu2014-two-stage", "compact"} <= found.keys()
    assert all(both.keys() == {"each", "one"} for both in found.values())

# SPDX-License-Identifier: Apache-2.0
"""A certificate says what its proof assumes and does not cover, and docs/proof.md says the same."""

from __future__ import annotations

import pytest

from aesforge.design import Design, load
from aesforge.prove.assumptions import (
    ASSUMPTIONS,
    ENGINE_ASSUMPTIONS,
    ENGINE_NOT_COVERED,
    NOT_COVERED,
    PART_ASSUMPTIONS,
    PART_NOT_COVERED,
    of_proof,
)
from project import REPO
from proofs import EXPANSION, LITTLE, STORED

# Some are of engines and of parts of engines.
EVERY = dict.fromkeys(
    (
        *(*ASSUMPTIONS, *ENGINE_ASSUMPTIONS, *PART_ASSUMPTIONS),
        *(*NOT_COVERED, *ENGINE_NOT_COVERED, *PART_NOT_COVERED),
    )
)
COMMON = {"yosys", "abc", "clock"}
NEVER = {"placement", "physical", "secrets-before-reset"}


@pytest.mark.parametrize(
    ("design", "family", "route", "assumed", "left"),
    [
        (LITTLE, None, "recognize", {"aesforge-recognize"}, set()),
        (LITTLE, None, "abc", {"aesforge-abc"}, set()),
        (
            STORED,
            "ecp5",
            "recognize",
            {"aesforge-recognize", "cell-models"},
            {"flattening", "second-key", "early-block"},
        ),
        (EXPANSION, None, "recognize", {"aesforge-recognize"}, set()),
        (load("kiran-pipelined"), None, "recognize", {"aesforge-recognize"}, set()),
    ],
)
def test_each_proof_has_its_own(
    design: Design, family: str | None, route: str, assumed: set[str], left: set[str]
) -> None:
    found = [
        {one["id"] for one in of_proof(every, design, family, route)}
        for every in (ASSUMPTIONS, NOT_COVERED)
    ]
    assert found == [COMMON | assumed, NEVER | left]


def test_ids_are_unique() -> None:
    ids = [one.id for one in EVERY]
    assert len(ids) == len(set(ids))


def test_the_page_has_each() -> None:
    page = (REPO / "docs" / "proof.md").read_text(encoding="utf-8")
    for one in EVERY:
        assert f"`{one.id}`" in page
        assert one.text in page

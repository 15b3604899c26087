# SPDX-License-Identifier: Apache-2.0
"""A foreign core by every recipe: the best one first, and why others gave nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from aesforge.devices import device
from aesforge.devices.families import family
from aesforge.errors import DoesNotFit, ToolFailed
from aesforge.measure import Measurement, Target, recipes
from report_records import record

DEVICE = device("LFE5U-85F-8")
RECIPES = [recipe.name for recipe in family(DEVICE.family).recipe]
TARGET = Target.of_rtl((Path(__file__),), "core", {"clock": "c", "block": "b", "result": "r"})
Asked = list[tuple[str, tuple[int, ...]]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Recipes and seeds that were asked for; `wide` is the fastest, `area` does not fit."""
    calls: Asked = []
    speeds = {"wide": 2.0, "stock": 1.5}

    def measure(
        _target: Target, _device: Any, *, recipe: str, seeds: Sequence[int] = ()
    ) -> Measurement:
        calls.append((recipe, tuple(seeds)))
        if recipe == "area":
            raise DoesNotFit("it does not fit\nmore")
        speed = speeds.get(recipe, 1.0)
        one = record(random.Random(1), None, DEVICE.name, "ecp5", speed, 370.0, True)
        return msgspec.structs.replace(
            one, provenance=msgspec.structs.replace(one.provenance, recipe=recipe)
        )

    monkeypatch.setattr(recipes, "measure", measure)
    monkeypatch.setattr(recipes, "estimate", measure)
    return calls


def test_the_best_recipe_gets_all_seeds(asked: Asked) -> None:
    found, failed = recipes.by_every_recipe(TARGET, DEVICE, seeds=(4, 5, 6))
    assert asked == [*((name, (4,)) for name in RECIPES), ("wide", (4, 5, 6))]
    assert [one.provenance.recipe for one in found[:2]] == ["wide", "stock"]
    assert len(found) == len(RECIPES) - 1
    assert failed == {"area": "it does not fit"}


def test_recipes_that_differ_in_the_placement_are_one_synthesis(asked: Asked) -> None:
    found, _ = recipes.by_every_recipe(TARGET, DEVICE)
    assert [name for name, _ in asked] == [
        "depth",
        "speed",
        "speed-soft-resets",
        "area",
        "stock",
        "wide",
    ]
    assert len(found) == 5


def test_without_a_recipe_that_works_the_last_error_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: Any, recipe: str, **__: Any) -> Measurement:
        raise ToolFailed(f"{recipe} ended with an error")

    monkeypatch.setattr(recipes, "measure", fails)
    with pytest.raises(ToolFailed, match=RECIPES[-1]):
        recipes.by_every_recipe(TARGET, DEVICE, seeds=(1,))

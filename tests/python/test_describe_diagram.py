# SPDX-License-Identifier: Apache-2.0
"""A block diagram shows every stage of a design, as text and as a picture."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from aesforge.describe import diagram_svg, diagram_text
from aesforge.design import Design
from aesforge.design.presets import PRESETS
from test_describe_core import DESIGNS


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.summary())
def test_the_text_diagram_marks_every_stage(design: Design) -> None:
    text = diagram_text(design)
    assert max(map(len, text.splitlines())) <= 120
    assert not any(line != line.rstrip() for line in text.splitlines())
    assert f"= {design.latency_cycles} cycles" in text
    if design.is_key_expansion:
        assert "SubWord" in text
        assert ("round keys 0 to" in text) == (not design.is_unrolled)
        # The stages of the one step, or of the first and the last; one in the legend.
        steps = 2 if design.is_unrolled else 1
        assert text.count("▮") == steps * design.stages + 1
        return
    for word in ("in_block", "out_block", "SubBytes"):
        assert word in text
    # One box, or the first and the last; the stages of each, one at the output, one in the legend.
    boxes = 1 if design.unrolled_rounds == 1 else 2
    expected = boxes * design.stages + 2
    if design.is_agile:
        expected += boxes * design.stages
    if design.is_serial:
        # A stage for each key step, one before them, one before the first round.
        expected += boxes + 2
    if design.key_runs_ahead:
        expected += 2
    assert text.count("▮") == expected
    assert ("passes" in text) == (not design.is_unrolled)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.summary())
def test_the_picture_is_well_formed(design: Design) -> None:
    text = diagram_svg(design)
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == f"{design.name}: {design.summary()}"
    # As many bars as the text has.
    bars = [r for r in root.iter("{http://www.w3.org/2000/svg}rect") if r.get("width") == "5"]
    assert len(bars) == diagram_text(design).count("▮")
    assert diagram_svg(design) == text


def test_a_drawing_as_people_see_it() -> None:
    assert diagram_text(PRESETS["compact"]) == (
        """\
                          ┌──────────────────┐
                          │                  │
                          │ ┌─────────────┐  │
in_key ╶───────────┬──────┴▶│ key round   ├──┘
                   │        │ SubWord     │
                   │        │ XOR ▮       │
                   │        └──────┬──────┘
                   │               │
                   ▼               ▼
             ┌───────────┐  ┌─────────────┐
in_block ╶──▶│ ⊕ or ring ├─▶│ round       ├──┬─▶ ▮ out_block
             └───────────┘  │ ▮           │  │
                   ▲        │ SubBytes    │  │
                   │        │ ShiftRows   │  │
                   │        │ MixColumns  │  │
                   │        │ AddRoundKey │  │
                   │        └─────────────┘  │
                   │                         │
                   └─────────────────────────┘
                            10 passes

▮ a pipeline stage; latency 10 x (0 + 1) + 1 = 11 cycles
"""
    )

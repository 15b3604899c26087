# SPDX-License-Identifier: Apache-2.0
"""A description of an engine says all of it, in tables and drawn."""

from __future__ import annotations

import pytest

from aesforge.describe import diagram_svg, diagram_text
from aesforge.describe.engine import describe_engine
from aesforge.design.engine import Engine
from aesforge.design.presets import ENGINES
from engines import SMALL, WIDE


@pytest.mark.parametrize("engine", [SMALL, WIDE, *ENGINES.values()], ids=lambda one: one.name)
def test_a_description_says_all(engine: Engine) -> None:
    found = describe_engine(engine)
    data = found.as_dict()
    assert data["latency_cycles"] == engine.latency_cycles
    assert [mode["name"] for mode in data["modes"]] == list(engine.modes)
    assert {row[0] for row in found.choice_rows()} == set(engine.choices())
    assert len(found.mode_rows()) == len(engine.modes)
    assert data["core"]["flip_flops_about"] == engine.core.flip_flops_about
    drawn = diagram_text(engine)
    assert all(word in drawn for word in ("s_axis", "s_ctx", "m_axis", "queues", *engine.modes))
    assert ("key-update interlock" in drawn) == (not engine.core.is_agile)
    assert max(map(len, drawn.splitlines())) <= 140
    assert diagram_svg(engine).startswith("<svg")

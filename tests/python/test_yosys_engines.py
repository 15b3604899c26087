# SPDX-License-Identifier: Apache-2.0
"""What Yosys makes of an engine does what the RTL does: cores are proved so, engines are simulated.

Verilator and Yosys have read one expression differently before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from aesforge.check.engine import check_engine
from aesforge.design import Engine
from aesforge.simulate.engine import engine_module
from aesforge.simulate.stream import Module
from aesforge.toolchain import programs
from aesforge.toolchain.rtl import needed_by, rtl_dir
from engines import (
    BROAD,
    CCM,
    CCM_RING,
    COUNTED,
    FEEDBACK,
    HELD,
    HELD_OFFSETS,
    OFFSETS,
    SEALED,
    SEALED_RING,
    SEALED_SERIAL,
    SEALED_WIDE,
    SEALED_WIDEST,
    SEALING_OFFSETS,
    SMALL,
    UNITS,
    WHOLE_UNITS,
    WIDE,
)

ENGINES = [
    *(BROAD, CCM, CCM_RING, COUNTED, FEEDBACK, HELD, HELD_OFFSETS, OFFSETS, SEALED, SEALED_RING),
    *(SEALED_SERIAL, SEALED_WIDE, SEALED_WIDEST, SEALING_OFFSETS, SMALL, UNITS, WHOLE_UNITS, WIDE),
]


def netlist(engine: Engine, folder: Path, sources: Sequence[Path]) -> Path:
    """Return the flat netlist of an engine as Yosys elaborates it, written as Verilog."""
    script = [
        f"read_verilog -sv {' '.join(map(str, sources))}",
        "chparam "
        + " ".join(f"-set {name} {value}" for name, value in engine.rtl_parameters().items())
        + f" {engine.top}",
        f"hierarchy -check -top {engine.top}",
        *("proc", "flatten", "opt", "memory_collect"),
        # The top has a name of its own for its parameters.
        f"rename -top {engine.top}",
        "write_verilog -noattr netlist.v",
    ]
    (folder / "netlist.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
    programs.run("yosys", ["netlist.ys"], folder, folder / "yosys.log")
    return folder / "netlist.v"


@pytest.fixture
def without_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the netlist built as it is: its parameters are in it."""

    def module(*given: Any, **options: Any) -> Module:
        return dataclasses.replace(engine_module(*given, **options), parameters={}, style=())

    monkeypatch.setattr("aesforge.check.engine.engine_module", module)


@pytest.mark.usefixtures("without_parameters")
@pytest.mark.parametrize("engine", ENGINES, ids=lambda one: one.name)
def test_the_netlist_passes_the_check(engine: Engine, tmp_path: Path) -> None:
    rtl = [netlist(engine, tmp_path, needed_by(engine.top))]
    report = check_engine(engine, seed=3, blocks=3000, rtl=rtl)
    assert report.passed, report.text()


@pytest.mark.usefixtures("without_parameters")
def test_what_yosys_reads_otherwise_is_found(tmp_path: Path) -> None:
    """`~Bits'(1)`, as it once stood there: Yosys takes it for `(~Bits)'(1)`."""
    name = "aesforge_gcm_tag.sv"
    text = (rtl_dir() / "mode" / name).read_text(encoding="utf-8")
    right = "&text_beats[TextBits-1:1] && !text_beats[0]"
    assert text.count(right) == 1
    odd = tmp_path / name
    odd.write_text(text.replace(right, "text_beats == ~TextBits'(1)"), encoding="utf-8")
    sources = [odd if path.name == name else path for path in needed_by(SEALED.top)]
    rtl = [netlist(SEALED, tmp_path, sources)]
    report = check_engine(SEALED, seed=3, blocks=3000, rtl=rtl)
    assert not report.passed

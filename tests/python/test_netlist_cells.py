# SPDX-License-Identifier: Apache-2.0
"""Area, depth and dependence of a mapped netlist's cells."""

from __future__ import annotations

from aesforge.netlist.cells import Netlist, StageDepth, by_stage
from mapped import CELLS, PIPELINE, WORDS, cell, module


def test_area_counts_the_core_alone() -> None:
    area = Netlist(PIPELINE, CELLS, "u_core.", WORDS).area(4)
    assert (area.lut4, area.lut6, area.wide_mux, area.ff, area.block_ram) == (3, None, 1, 2, 0)
    assert area.cells == {"FFX": 2, "LUT4": 3, "MUX": 1}
    assert Netlist(PIPELINE, CELLS, "", WORDS).area(6).ff == 3


def test_depth_by_stage() -> None:
    stages = Netlist(PIPELINE, CELLS, "u_core.", WORDS).depth()
    assert [(one.stage, one.depth, one.registers) for one in stages] == [
        ("round / state", 2, 1),
        ("result", 1, 1),
    ]


def test_narrow_registers_count_as_control_of_their_module() -> None:
    registers = [
        StageDepth(stage="round / state", depth=2, registers=128),
        StageDepth(stage="shell / head", depth=3, registers=1),
        StageDepth(stage="shell / ff93", depth=5, registers=31),
        StageDepth(stage="ff7", depth=1, registers=1),
    ]
    assert [(one.stage, one.depth, one.registers) for one in by_stage(registers)] == [
        ("shell / control", 5, 32),
        ("round / state", 2, 128),
        ("control", 1, 1),
    ]


def test_a_memory_of_luts_reads_in_one_level_and_writes_at_the_clock() -> None:
    memory = {
        "cells": {
            "a": cell("LUT4", {"Z": 20}, A=10),
            "b": cell("LUT4", {"Z": 21}, A=20),
            "ram": cell("DPR", {"DO": 30}, DI=21, RA=20),
            "ff0": cell("FF", {"Q": 31}, D=30),
        }
    }
    netlist = Netlist(module(memory), CELLS, "", WORDS)
    assert {one.stage: one.depth for one in netlist.depth()} == {"harness": 2}
    assert netlist.area(4).lut4 == 4
    assert netlist.area(4).lut_ram == 2


def test_sources_go_through_registers_and_loops() -> None:
    netlist = Netlist(PIPELINE, CELLS, "", WORDS)
    assert netlist.sources([32, 30, 40, 99], [10, 11]) == [2, 2, 2, 0]
    ring = {
        "cells": {
            "x": cell("LUT4", {"Z": 2}, A=1, B=4),
            "y": cell("FF", {"Q": 3}, D=2),
            "z": cell("LUT4", {"Z": 4}, A=3, B=5),
        }
    }
    assert Netlist(module(ring), CELLS, "", WORDS).sources([2, 4], [1, 5]) == [2, 2]

# SPDX-License-Identifier: Apache-2.0
"""Small mapped netlists, as Yosys writes them in JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from aesforge.devices.families import Cells
from aesforge.netlist.labels import Labels
from aesforge.netlist.module import Module


def module(data: dict[str, Any]) -> Module:
    """Return a module of Yosys's JSON."""
    return msgspec.convert(data, Module)


CELLS = Cells(
    lut={"LUT4": 1},
    wide_mux=["MUX"],
    ff=["FF*"],
    block_ram=["RAM"],
    lut_ram={"DPR": 2},
    lut_ram_read=["RA"],
    carry=["CARRY"],
)


def cell(kind: str, outputs: dict[str, int], **inputs: int | str) -> dict[str, Any]:
    """Make a cell of a netlist with one net at each port."""
    return {
        "type": kind,
        "parameters": {},
        "port_directions": {
            **dict.fromkeys(inputs, "input"),
            **dict.fromkeys(outputs, "output"),
        },
        "connections": {port: [net] for port, net in {**inputs, **outputs}.items()},
    }


# Two inputs (10, 11) -> LUT -> LUT -> MUX -> register "state"; register -> LUT -> register "out".
PIPELINE_JSON: dict[str, Any] = {
    "ports": {},
    "cells": {
        "u_core.a": cell("LUT4", {"Z": 20}, A=10, B=11),
        "u_core.b": cell("LUT4", {"Z": 21}, A=20, B="0"),
        "u_core.m": cell("MUX", {"Z": 22}, A=21, B=20),
        "u_core.ff0": cell("FFX", {"Q": 30}, D=22, C=1),
        "u_core.c": cell("LUT4", {"Z": 31}, A=30),
        "u_core.ff1": cell("FFX", {"Q": 32}, D=31, C=1),
        "fold_FFX_Q": cell("FFX", {"Q": 40}, D=32, C=1),
    },
    "netnames": {
        "u_core.block": {"bits": [10, 11], "hide_name": 0},
        "u_core.key": {"bits": [11], "hide_name": 0},
        "u_core.result": {"bits": [32], "hide_name": 0},
    },
}
PIPELINE = module(PIPELINE_JSON)
WORDS = Labels(
    {"core": {"ff0": "gen_round[2].u_round.u_state.q[5]", "ff1": "result_q"}}, {"u_core": "core"}
)

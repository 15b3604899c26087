# SPDX-License-Identifier: Apache-2.0
"""Yosys reads the RTL as Verilator does: every name found, every wire driven, no latch, no loop.

Yosys takes a name that it meets before its declaration for a new wire, one bit wide and undriven,
and only warns: the logic after it is gone from the netlist. So its warnings are read here.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from aesforge.design import Design
from aesforge.toolchain.rtl import filelist

DESIGNS = (
    Design(unroll=1, sbox="tower", sbox_stages=0),
    Design(unroll=2, direction="both", sbox="split4", sbox_stages=3, mix_columns="shared", tiles=2),
    Design(key_bits=192, unroll=3, direction="decrypt", sbox="bram", linear_stages=0),
    Design(
        key_bits=256,
        unroll=2,
        direction="both",
        key_schedule="stored",
        key_slots=3,
        sbox="split6",
        mix_columns="table",
        linear_stages=3,
    ),
    Design(key_bits=192, sbox="tower", sbox_stages=4, linear_stages=4, direction="decrypt"),
    Design(direction="both", sbox="table", key_schedule="stored", architecture="column_serial"),
    Design(
        direction="decrypt",
        sbox="table",
        key_schedule="stored",
        architecture="column_serial",
        shift_rows="addressed",
        linear_stages=4,
    ),
)

ENGINES = (
    {"Modes": 15, "Direction": 2, "Unroll": 1, "KeySlots": 3},
    {"Modes": 2, "Unroll": 2, "KeyBits": 256},
    {"Modes": 4, "Direction": 1, "Unroll": 1},
)

SCRIPT = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for line in sys.stdin.read().splitlines():
    ys.run_pass(line, design)
"""

BAD = re.compile(r"implicitly declared|has no driver|no driver|Latch inferred|ERROR|logic loop")


def read(top: str, given: Mapping[str, int], sources: list[str]) -> list[str]:
    """Return Yosys's complaints about a module with its parameters."""
    parameters = " ".join(f"-set {name} {value}" for name, value in given.items())
    commands = [
        "read_verilog -sv " + " ".join(sources),
        f"chparam {parameters} {top}",
        f"hierarchy -check -top {top}",
        "proc",
        "check -assert",
        "select -assert-none t:$dlatch",
    ]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input="\n".join(commands),
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (done.stdout + done.stderr).splitlines()
    found = [line for line in lines if BAD.search(line)]
    if done.returncode != 0 and not found:
        found = lines[-5:]
    return found


@pytest.mark.parametrize(
    "design", DESIGNS, ids=lambda d: f"{d.top}-{d.key_bits}-{d.direction}-{d.sbox}"
)
def test_yosys_finds_every_name(design: Design) -> None:
    sources = [str(path) for path in filelist()]
    assert read(design.top, design.rtl_parameters(), sources) == []


@pytest.mark.parametrize("given", ENGINES, ids=str)
def test_yosys_finds_every_name_of_an_engine(given: dict[str, int]) -> None:
    assert read("aesforge_engine", given, [str(path) for path in filelist()]) == []


def test_a_name_before_its_declaration_is_noticed(tmp_path: Path) -> None:
    # The mutant: the end of the ring is named before the loop that declares it.
    sources = []
    for path in filelist():
        text = path.read_text(encoding="utf-8")
        if path.stem == "aesforge_cipher":
            changed = text.replace(": state_end;", ": gen_round[Unroll-1].state_o;")
            assert changed != text
            path = tmp_path / path.name
            path.write_text(changed, encoding="utf-8")
        sources.append(str(path))
    complaints = read(DESIGNS[0].top, DESIGNS[0].rtl_parameters(), sources)
    assert any("implicitly declared" in line for line in complaints)

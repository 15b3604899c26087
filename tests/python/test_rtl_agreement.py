# SPDX-License-Identifier: Apache-2.0
"""The RTL's parameters, ports and encodings are those that Python hands out."""

from __future__ import annotations

import re

import pytest

from aesforge import rtl
from aesforge.bundle import _all_ports, parameters
from aesforge.design import ALLOWED, SBOX_STYLES, Design, sbox_stage_range

CORE = (rtl.rtl_dir() / "core" / "aesforge_core.sv").read_text(encoding="utf-8")
PACKAGE = (rtl.rtl_dir() / "aesforge_pkg.sv").read_text(encoding="utf-8")


def constants() -> dict[str, int]:
    found = re.findall(r"localparam int unsigned (\w+) = (\d+);", PACKAGE)
    return {name: int(value) for name, value in found}


def test_the_file_list_is_complete() -> None:
    listed = rtl.filelist()
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(rtl.rtl_dir().rglob("*.sv"))
    for path in listed:
        assert re.search(rf"^(module|package) {path.stem}\b", path.read_text(), re.MULTILINE)


def test_parameters_have_the_same_names_in_the_same_order() -> None:
    header = CORE[CORE.index("#(") : CORE.index(") (")]
    names = re.findall(r"^\s*parameter int unsigned (\w+) =", header, re.MULTILINE)
    assert names == list(Design().rtl_parameters())


def test_parameter_defaults_are_a_legal_design() -> None:
    header = CORE[CORE.index("#(") : CORE.index(") (")]
    defaults = dict(
        re.findall(r"^\s*parameter int unsigned (\w+) = ([\w:]+)", header, re.MULTILINE)
    )
    known = constants()
    values = {
        name: int(text) if text.isdigit() else known[text.removeprefix("aesforge_pkg::")]
        for name, text in defaults.items()
    }
    assert values == Design().rtl_parameters()


def test_ports_are_the_same_in_the_same_order() -> None:
    header = CORE[CORE.index(") (") :].split(");")[0]
    found = re.findall(r"^\s*(input|output)\s+logic\s*(?:\[[^]]*\])?\s*(\w+),?", header, re.M)
    ports = [(port.direction, port.name) for port in _all_ports(Design())]
    assert found == ports


@pytest.mark.parametrize(
    "design",
    [Design(tiles=3), Design(tiles=3, unroll=2, key_schedule="stored", key_slots=5, key_bits=256)],
)
def test_port_widths_follow_the_parameters(design: Design) -> None:
    bits = {port.name: port.bits for port in _all_ports(design)}
    assert bits["in_block"] == bits["out_block"] == 128 * design.lanes
    assert bits["in_key"] == bits["key"] == design.key_bits
    assert bits["in_tag"] == bits["out_tag"] == design.tag_bits
    assert bits["in_slot"] == bits["key_slot"] == (1 if design.is_agile else 3)


@pytest.mark.parametrize("direction", ALLOWED["direction"])
@pytest.mark.parametrize("sbox", SBOX_STYLES)
def test_names_in_wrappers_have_the_values_of_the_parameters(sbox: str, direction: str) -> None:
    known = constants()
    for mix_columns in ALLOWED["mix_columns"]:
        for delay_line in ALLOWED["delay_line"]:
            design = Design(
                sbox=sbox, direction=direction, mix_columns=mix_columns, delay_line=delay_line
            )
            values = design.rtl_parameters()
            for name, text, _ in parameters(design):
                if not text.isdigit():
                    assert known[text.removeprefix("aesforge_pkg::")] == values[name]
                    word = text.removeprefix("aesforge_pkg::").lower()
                    choice = {
                        "Direction": direction,
                        "SboxStyle": sbox,
                        "KeySboxStyle": sbox,
                        "MixStyle": mix_columns,
                        "DelayStyle": delay_line,
                        "KeyScheme": "fips197",
                    }[name]
                    assert word.endswith(choice)


def test_the_sbox_modules_have_the_levels_that_python_allows() -> None:
    text = (rtl.rtl_dir() / "sbox" / "aesforge_sbox.sv").read_text(encoding="utf-8")
    found = re.search(r"TowerLevels = \(Both == 1\) \? (\d+) : (\d+)", text)
    assert found is not None
    assert int(found[1]) == sbox_stage_range("tower", "both")[1]
    assert int(found[2]) == sbox_stage_range("tower", "encrypt")[1]
    assert int(found[2]) == sbox_stage_range("tower", "decrypt")[1]

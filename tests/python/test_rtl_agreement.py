# SPDX-License-Identifier: Apache-2.0
"""The RTL's parameters, ports and encodings are those that Python hands out."""

from __future__ import annotations

import re

import pytest

from aesforge.bundle.parameters import parameter_rows
from aesforge.bundle.ports import core_ports
from aesforge.design import ALLOWED, SBOX_STYLES, Design, sbox_stage_range
from aesforge.toolchain import rtl
from aesforge.toolchain.header import constants

# Each top, and the design that has its defaults.
TOPS = {
    "core/pipeline/aesforge_core.sv": Design(),
    "core/serial/aesforge_serial.sv": Design(architecture="column_serial", key_schedule="stored"),
    "protect/aesforge_parity_core.sv": Design(error_detection="parity"),
    "protect/aesforge_inverse_core.sv": Design(error_detection="inverse"),
}
CONSTANTS = constants(rtl.file_of("aesforge_pkg"))


def top_text(top: str) -> str:
    return (rtl.rtl_dir() / top).read_text(encoding="utf-8")


def test_the_file_list_is_complete() -> None:
    listed = rtl.filelist()
    assert len(set(listed)) == len(listed)
    research = set((rtl.rtl_dir() / "research").rglob("*.sv"))
    assert set(listed) == set(rtl.rtl_dir().rglob("*.sv")) - research
    for path in listed:
        assert re.search(rf"^(module|package) {path.stem}\b", path.read_text(), re.MULTILINE)


@pytest.mark.parametrize("top", TOPS)
def test_parameters_have_the_same_names_in_the_same_order(top: str) -> None:
    core = top_text(top)
    header = core[core.index("#(") : core.index(") (")]
    names = re.findall(r"^\s*parameter int unsigned (\w+) =", header, re.MULTILINE)
    assert names == list(TOPS[top].rtl_parameters())
    assert TOPS[top].top in top


@pytest.mark.parametrize("top", TOPS)
def test_parameter_defaults_are_a_legal_design(top: str) -> None:
    core = top_text(top)
    header = core[core.index("#(") : core.index(") (")]
    defaults = dict(
        re.findall(r"^\s*parameter int unsigned (\w+) = ([\w:]+)", header, re.MULTILINE)
    )
    values = {
        name: int(text) if text.isdigit() else CONSTANTS[text.removeprefix("aesforge_pkg::")]
        for name, text in defaults.items()
    }
    assert values == TOPS[top].rtl_parameters()


@pytest.mark.parametrize("top", TOPS)
def test_ports_are_the_same_in_the_same_order(top: str) -> None:
    core = top_text(top)
    header = core[core.index(") (") :].split(");")[0]
    found = re.findall(r"^\s*(input|output)\s+logic\s*(?:\[[^]]*\])?\s*(\w+),?", header, re.M)
    ports = [(port.direction, port.name) for port in core_ports(TOPS[top])]
    assert found == ports


@pytest.mark.parametrize(
    "design",
    [Design(tiles=3), Design(tiles=3, unroll=2, key_schedule="stored", key_slots=5, key_bits=256)],
)
def test_port_widths_follow_the_parameters(design: Design) -> None:
    bits = {port.name: port.bits for port in core_ports(design)}
    assert bits["in_block"] == bits["out_block"] == 128 * design.blocks_per_beat
    assert bits["in_key"] == bits["key"] == design.key_bits
    assert bits["in_tag"] == bits["out_tag"] == design.tag_bits
    assert bits["in_slot"] == bits["key_slot"] == (1 if design.is_agile else 3)


@pytest.mark.parametrize("direction", ALLOWED["direction"])
@pytest.mark.parametrize("sbox", SBOX_STYLES)
def test_names_in_wrappers_have_the_values_of_the_parameters(sbox: str, direction: str) -> None:
    for mix_columns in ALLOWED["mix_columns"]:
        for delay_line in ALLOWED["delay_line"]:
            design = Design(
                sbox=sbox, direction=direction, mix_columns=mix_columns, delay_line=delay_line
            )
            values = design.rtl_parameters()
            for name, text, _ in parameter_rows(design, design.rtl_parameters()):
                if not text.isdigit():
                    assert CONSTANTS[text.removeprefix("aesforge_pkg::")] == values[name]
                    word = text.removeprefix("aesforge_pkg::").lower()
                    choice = {
                        "Direction": direction,
                        "SboxStyle": sbox,
                        "KeySboxStyle": sbox,
                        "MixStyle": mix_columns,
                        "DelayStyle": delay_line,
                    }[name]
                    assert word.endswith(choice)


@pytest.mark.parametrize("shift_rows", ALLOWED["shift_rows"])
def test_the_buffer_in_wrappers_has_the_value_of_the_parameter(shift_rows: str) -> None:
    design = Design(architecture="column_serial", key_schedule="stored", shift_rows=shift_rows)
    named = {name: text for name, text, _ in parameter_rows(design, design.rtl_parameters())}
    word = named["ShiftStyle"].removeprefix("aesforge_pkg::")
    assert CONSTANTS[word] == design.rtl_parameters()["ShiftStyle"]
    assert word.lower().endswith(shift_rows.replace("_", ""))


def test_the_sbox_modules_have_the_levels_that_python_allows() -> None:
    text = rtl.file_of("aesforge_sbox").read_text(encoding="utf-8")
    found = re.search(r"TowerLevels = \(Both == 1\) \? (\d+) : (\d+)", text)
    assert found is not None
    assert int(found[1]) == sbox_stage_range("tower", "both")[1]
    assert int(found[2]) == sbox_stage_range("tower", "encrypt")[1]
    assert int(found[2]) == sbox_stage_range("tower", "decrypt")[1]


def test_choices_are_compared_with_names_and_never_with_numbers() -> None:
    choices = r"(?:\bDirection|Style) *(?:[<>=!]=|[<>]) *\d"
    for path in rtl.filelist():
        text = rtl.without_comments(path.read_text(encoding="utf-8"))
        assert not re.search(choices, text), path.name
    assert re.search(choices, "if (SboxStyle == 3) begin")

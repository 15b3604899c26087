# SPDX-License-Identifier: Apache-2.0
"""The device files: complete, with a source for every figure, and found by name."""

from __future__ import annotations

import itertools
import re

import msgspec
import pytest

from aesforge.devices import FAMILIES, Device, Part, device, devices, parts
from aesforge.devices.families import family
from aesforge.errors import UsageError
from project import REPO

PLACED = [part for part in parts() if part.flow == "place"]


def by_part(part: Part) -> str:
    return part.part


def each(items: list[Device]) -> list[object]:
    return [pytest.param(item, id=item.name) for item in items]


def test_every_family_has_a_part() -> None:
    assert {part.family for part in parts()} == set(FAMILIES)


def test_names_are_unique_in_any_case() -> None:
    names = [
        "-".join(filter(None, (part.part, grade.name))) for part in parts() for grade in part.grades
    ]
    assert len({name.lower() for name in names}) == len(names) == len(devices())
    # A name that is a part of several grades would hide the hint that names the grades.
    several = {part.part.lower() for part in parts() if len(part.grades) > 1}
    assert not several & {name.lower() for name in names}


@pytest.mark.parametrize("part", parts(), ids=by_part)
def test_every_figure_has_a_source(part: Part) -> None:
    sources = [part.capacity.source, part.timing.source]
    sources += [cap.source for grade in part.grades for cap in grade.caps]
    for source in sources:
        assert len(source.split()) >= 3, f"{part.part}: '{source}' is no source"


@pytest.mark.parametrize("part", parts(), ids=by_part)
def test_figures_are_possible(part: Part) -> None:
    assert part.grades
    assert min(part.capacity.luts, part.capacity.ff, part.capacity.block_ram) > 0
    # The same size of look-up table as the family's synthesis maps to.
    assert part.lut_inputs == family(part.family).lut_inputs
    for grade in part.grades:
        kinds = [cap.what for cap in grade.caps]
        assert len(set(kinds)) == len(kinds)
        assert all(100 <= cap.mhz <= 1000 for cap in grade.caps)


@pytest.mark.parametrize("part", parts(), ids=by_part)
def test_a_faster_grade_is_not_held_to_a_lower_clock_tree(part: Part) -> None:
    tree = [cap.mhz for grade in part.grades for cap in grade.caps if cap.what == "clock tree"]
    assert tree == sorted(tree)


@pytest.mark.parametrize("part", parts(), ids=by_part)
def test_warnings_are_one_short_sentence_each(part: Part) -> None:
    for warning in part.timing.notes + part.timing.warnings:
        assert len(warning) <= 160
        assert not warning.endswith(".")


@pytest.mark.parametrize("part", PLACED, ids=by_part)
def test_a_part_that_is_placed_names_itself_to_the_tool(part: Part) -> None:
    assert family(part.family).program
    for grade in part.grades:
        assert [*part.options, *grade.options]


@pytest.mark.parametrize("part", [part for part in parts() if part not in PLACED], ids=by_part)
def test_a_part_that_is_only_synthesized_tells_no_tool(part: Part) -> None:
    assert family(part.family).program is None
    assert not [*part.options, *itertools.chain(*(grade.options for grade in part.grades))]


# --- Limits ---------------------------------------------------------------------------------------


def test_the_block_rams_limit_holds_only_with_block_ram() -> None:
    ecp5 = device("LFE5U-85F-8")
    with_ram, without = ecp5.cap(block_ram=True), ecp5.cap(block_ram=False)
    assert with_ram
    assert without
    assert (with_ram.what, without.what) == ("block RAM", "clock tree")
    assert with_ram.mhz < without.mhz == 370


def test_a_part_without_a_known_limit_has_none() -> None:
    assert device("GW1N-9").cap(block_ram=True) is None


# --- Names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("one", each(list(devices().values())))
def test_every_device_is_found_in_any_case(one: Device) -> None:
    for name in (one.name, one.name.lower(), one.name.upper()):
        assert device(name) is one


def test_the_end_of_a_name_will_do_when_only_one_has_it() -> None:
    assert device("hx8k").name == "iCE40HX8K"
    assert device("45f-8").name == "LFE5U-45F-8"
    with pytest.raises(UsageError, match="there is no device '5F-8'"):
        device("5F-8")


def test_a_misspelt_name_gives_the_nearest_and_all() -> None:
    with pytest.raises(UsageError) as caught:
        device("LFE5U-85-8")
    assert "there is no device 'LFE5U-85-8'; did you mean 'LFE5U-85F-8'?" in caught.value.message
    assert all(name in caught.value.message for name in devices())


@pytest.mark.parametrize(
    ("ordered", "meant"),
    [
        ("LFE5U-25F-6BG381C", "LFE5U-25F-6"),
        ("lfe5u-85f-7bg756i", "LFE5U-85F-7"),
        ("LIFCL-40-9BG400C", "LIFCL-40-9"),
        ("XC7A100T-2CSG324C", "XC7A100T-2"),
        ("XC7A35TCPG236-1", "XC7A35T-1"),
        ("iCE40UP5K-SG48I", "iCE40UP5K"),
    ],
)
def test_an_order_number_gives_the_part_and_the_grade_that_it_names(
    ordered: str, meant: str
) -> None:
    with pytest.raises(UsageError) as caught:
        device(ordered)
    assert f"there is no device '{ordered}'; did you mean '{meant}'?" in caught.value.message


def test_an_order_number_of_an_unknown_grade_is_not_read_as_another() -> None:
    with pytest.raises(UsageError) as caught:
        device("LFE5U-25F-66BG381C")
    assert "did you mean 'LFE5U-25F-6'" not in caught.value.message


def test_a_part_without_its_grade_gives_the_grades() -> None:
    with pytest.raises(UsageError, match=r"LIFCL-40-7, LIFCL-40-8, LIFCL-40-9"):
        device("lifcl-40")


# --- Files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"^verified = .*\n", ""),
        (r"^part = ", "prat = "),
        (r"^luts = \d+", 'luts = "many"'),
        (r'^family = "\w+"', 'family = "ecp6"'),
    ],
)
def test_a_file_with_a_wrong_field_is_refused(old: str, new: str) -> None:
    text = (REPO / "src/aesforge/devices/lfe5u-85f.toml").read_text(encoding="utf-8")
    msgspec.toml.decode(text, type=Part)
    changed, times = re.subn(old, new, text, count=1, flags=re.M)
    assert times == 1
    with pytest.raises(msgspec.ValidationError):
        msgspec.toml.decode(changed, type=Part)


def test_each_file_is_named_after_its_part() -> None:
    files = {path.stem for path in (REPO / "src/aesforge/devices").glob("*.toml")}
    assert files == {part.part.lower() for part in parts()}


def test_the_page_names_every_device_and_every_source() -> None:
    page = (REPO / "docs" / "devices.md").read_text(encoding="utf-8")
    for name, one in devices().items():
        assert f"`{name}`" in page
        assert one.part.capacity.source in page
        assert all(cap.source in page for cap in one.grade.caps)
        timing = one.part.timing
        assert all(warning in page for warning in timing.notes + timing.warnings)

# SPDX-License-Identifier: Apache-2.0
"""Space files: what they mean, and what is said of one that makes no sense."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aesforge.design import Design, why_illegal
from aesforge.design.presets import PRESETS
from aesforge.errors import UsageError
from aesforge.explore.space import CHOICES, Space, named, read_space, shipped

DEVICES = 'devices = ["LFE5U-85F-8"]\n'


def space(folder: Path, text: str) -> Space:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return read_space(str(path))


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(UsageError) as error:
        space(folder, text).designs()
    assert error.value.exit_code == 2
    return error.value.message


def test_a_space_is_the_product_of_its_values(tmp_path: Path) -> None:
    found = space(
        tmp_path,
        DEVICES
        + """
        seeds = [7, 8]
        constraints = ["throughput_gbps >= 40", "lut<=20_000"]
        [choices]
        sbox = ["table", "tower"]
        linear_stages = [1, 2, 2]
        """,
    )
    designs = found.designs()
    assert {(d.sbox, d.linear_stages) for d in designs.legal} == {
        ("table", 1),
        ("table", 2),
        ("tower", 1),
        ("tower", 2),
    }
    assert designs.illegal.total() == designs.repeated == 0
    assert found.seeds == (7, 8)
    assert [str(c) for c in found.constraints] == ["throughput_gbps >= 40", "lut <= 20000"]
    assert [device.name for device in found.devices] == ["LFE5U-85F-8"]
    assert all(design.direction == "encrypt" for design in designs.legal)


def test_combinations_that_cannot_be_built_are_counted_with_their_reason(tmp_path: Path) -> None:
    values: dict[str, list[Any]] = {
        "key_bits": [128, 256],
        "unroll": [1, 5, 7, "full"],
        "sbox": ["table", "bram"],
        "sbox_stages": [0, 1, 2],
        "linear_stages": [0, 1],
        "key_sbox": ["same", "bram"],
    }
    table = "\n".join(f"{name} = {listed!r}" for name, listed in values.items())
    designs = space(tmp_path, f"{DEVICES}[choices]\n{table}").designs()
    assert len(designs.legal) + designs.illegal.total() + designs.repeated == 2 * 4 * 2 * 3 * 2 * 2
    assert any("exclude each other" in why for why in designs.illegal)
    # The count is that of trying every combination.
    legal = sum(
        not why_illegal({**Design().choices(), **dict(zip(values, combination, strict=True))})
        for combination in itertools.product(*values.values())
    )
    assert len(designs.legal) == legal > 0


def test_two_spellings_of_a_design_are_one(tmp_path: Path) -> None:
    designs = space(tmp_path, DEVICES + '[choices]\nunroll = [10, "full", 5]').designs()
    assert len(designs.legal) == 2
    assert designs.repeated == 1


def test_several_tables_are_joined(tmp_path: Path) -> None:
    text = DEVICES + (
        '[[choices]]\nsbox = "tower"\nsbox_stages = [4, 5]\n'
        '[[choices]]\nsbox = ["bram", "tower"]\nsbox_stages = [1, 4]\n'
        "[[choices]]\nkey_schedule = 'stored'\nkey_slots = [2, 4]\n"
    )
    designs = space(tmp_path, text).designs()
    assert {(d.sbox, d.sbox_stages, d.key_slots) for d in designs.legal} == {
        ("tower", 4, None),
        ("tower", 5, None),
        ("tower", 1, None),
        ("bram", 1, None),
        ("tower", 1, 2),
        ("tower", 1, 4),
    }
    assert designs.repeated == 1
    assert designs.illegal.total() == 1  # a block RAM has no four pipeline stages


def test_a_base_gives_what_is_not_listed(tmp_path: Path) -> None:
    found = space(tmp_path, DEVICES + 'base = "compact"\n[choices]\nsbox = ["table", "tower"]')
    assert {design.unroll for design in found.designs().legal} == {1}
    (tmp_path / "slots.toml").write_text('key_schedule = "stored"\nkey_slots = 5\nunroll = 2\n')
    text = DEVICES + 'base = "slots.toml"\n[choices]\n'
    (only,) = space(tmp_path, text).designs().legal
    assert (only.unroll, only.key_slots) == (2, 5)
    both = space(tmp_path, text + 'key_schedule = ["agile", "stored"]').designs()
    assert {design.key_schedule for design in both.legal} == {"agile", "stored"}


def test_names_tell_designs_apart() -> None:
    from aesforge.design import CHOICES as VALUES

    seen: dict[str, Design] = {}
    for field, values in VALUES.items():
        for other, more in VALUES.items():
            for value in values:
                for another in more:
                    choices = {**Design().choices(), field: value, other: another}
                    if why_illegal(choices):
                        continue
                    design = named(Design(**choices))
                    assert seen.setdefault(design.name, design) == design
    assert len(seen) > 200


def test_a_preset_keeps_its_name() -> None:
    """Or of the first of several that are the same core."""
    for preset in PRESETS.values():
        found = named(Design(**{**preset.choices(), "name": "other"}))
        assert found.name in PRESETS
        assert replace(found, name=preset.name) == preset


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('device = ["iCE40HX8K"]', ["'device'", "did you mean 'devices'?"]),
        (DEVICES + "sbox = ['table']\n[choices]", ["'sbox' is a choice", "[choices]"]),
        (DEVICES + "[choices]\nsboxes = ['table']", ["'sboxes'", "did you mean 'sbox'?"]),
        (DEVICES + "[choices]\nname = ['a']", ["leave 'name' out"]),
        (DEVICES + "[choices]\nsbox = ['towr']", ["sbox = 'towr'", "did you mean 'tower'?"]),
        (DEVICES + "[choices]\nsbox = []", ["sbox = []"]),
        (DEVICES + "[choices]\nlinear_stages = [1.5]", ["must be a whole number"]),
        (DEVICES + "[choices]\nsbox = [['table']]", ["allowed are table"]),
        (DEVICES, ["choices must be a table"]),
        (DEVICES + "choices = 3", ["choices must be a table"]),
        ("[choices]\nsbox = 'table'", ["devices must be a list"]),
        ("devices = []\n[choices]", ["devices must be a list"]),
        ("devices = ['LFE5U-85F-9']\n[choices]", ["LFE5U-85F-9", "did you mean 'LFE5U-85F-8'?"]),
        (DEVICES + "seeds = 0\n[choices]", ["seeds = 0"]),
        (DEVICES + "seeds = [1, 1]\n[choices]", ["listed twice"]),
        (DEVICES + "seeds = [-1]\n[choices]", ["seeds = [-1]"]),
        (DEVICES + "seeds = true\n[choices]", ["seeds = True"]),
        (DEVICES + "constraints = 'lut < 3'\n[choices]", ["constraints must be a list"]),
        (
            DEVICES + "constraints = ['lut']\n[choices]",
            ["'lut'", ">=, <=, >, < or ==", "figures: "],
        ),
        (DEVICES + "constraints = ['lut = 4']\n[choices]", ["'lut = 4'", "such as"]),
        (DEVICES + "constraints = ['luts <= 4']\n[choices]", ["did you mean 'lut'?", "figures: "]),
        (DEVICES + "constraints = ['lut <= big']\n[choices]", ["a number"]),
        (DEVICES + "constraints = [4]\n[choices]", ["write it as a text"]),
        (DEVICES + "objectives = []\n[choices]", ["objectives must be a list"]),
        (DEVICES + "objectives = ['speed']\n[choices]", ["no figure 'speed'"]),
        (
            "devices = ['LFE5U-85F-8', 'iCE40HX8K']\nobjectives = ['lut', 'energy_per_block']\n"
            "[choices]\nsbox = 'tower'",
            ["energy_per_block", "ecp5 only", "iCE40HX8K"],
        ),
        (
            "devices = ['LIFCL-40-9']\nconstraints = ['energy_per_block < 9']\n"
            "[choices]\nsbox = 'tower'",
            ["energy_per_block", "ecp5 only", "LIFCL-40-9"],
        ),
        (DEVICES + "base = 'compct'\n[choices]", ["did you mean 'compact'?"]),
        (DEVICES + "base = 'gone.toml'\n[choices]", ["gone.toml"]),
        (
            DEVICES + "[choices]\nsbox = 'bram'\nsbox_stages = [0, 3, 4]",
            ["empty", "none of its 3 combinations", "1 times: sbox_stages = 0 and sbox = bram"],
        ),
        (DEVICES + "[choices\n", ["not valid TOML"]),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, text: str, words: list[str]) -> None:
    message = refusal(tmp_path, text)
    assert message.startswith((str(tmp_path / "mine.toml"), "the space", "the space file"))
    for word in words:
        assert word in message


def test_far_too_many_designs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aesforge.explore.space.MAX_POINTS", 10)
    text = DEVICES + "[choices]\ntag_bits = [" + ", ".join(map(str, range(1, 12))) + "]"
    assert "more than 10 designs" in refusal(tmp_path, text)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for name, words in (
        (str(tmp_path / "gone.toml"), "there is no space file"),
        (str(tmp_path / "gone.txt"), "must end in .toml"),
        ("quikc", "did you mean 'quick'?"),
        (str(tmp_path), "must end in .toml"),
    ):
        with pytest.raises(UsageError, match=words.replace("?", r"\?")):
            read_space(name)
    (tmp_path / "latin.toml").write_bytes(b"# \xe9")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_space(str(tmp_path / "latin.toml"))


@pytest.mark.parametrize("name", ["quick", "full", "candidates"])
def test_the_shipped_spaces_can_be_built(name: str) -> None:
    assert name in shipped()
    designs = read_space(name).designs()
    assert len(designs.legal) > 5
    # A value that no combination can use is a slip in the file.
    for field in CHOICES:
        listed = {value for block in read_space(name).blocks for value in block.get(field, ())}
        used = {getattr(design, field) for design in designs.legal}
        assert listed <= used | {"full", 10, 12, 14}, field

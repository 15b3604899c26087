# SPDX-License-Identifier: Apache-2.0
"""A design computes what follows from its choices and refuses, clearly, what cannot be."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import pytest

from aesforge.design import (
    ALLOWED,
    CHOICES,
    FIELD_NAMES,
    RANGES,
    SBOX_STYLES,
    Design,
    divisors,
    load,
    sbox_stage_range,
    why_illegal,
)
from aesforge.design.arch import ARCHITECTURES
from aesforge.design.presets import PRESETS, SUMMARIES, of_group
from aesforge.errors import UsageError

SERIAL: dict[str, Any] = {"architecture": "column_serial", "key_schedule": "stored"}

# --- What is computed -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "latency", "interval", "in_flight", "sboxes"),
    [
        ({"sbox_stages": 1, "linear_stages": 1}, 21, 1, 20, 200),
        ({"sbox_stages": 4, "linear_stages": 2}, 61, 1, 60, 200),
        ({"direction": "decrypt"}, 41, 1, 40, 240),
        ({"direction": "both", "key_schedule": "stored"}, 21, 1, 20, 164),
        ({"unroll": 1, "sbox_stages": 0}, 11, 10, 1, 20),
        ({"unroll": 1, "sbox_stages": 0, "direction": "both"}, 21, 10, 2, 24),
        ({"unroll": 2, "key_bits": 256}, 29, 7, 4, 40),
        ({"unroll": 2, "tiles": 2}, 21, 2.5, 8, 80),
        ({"unroll": 5, "tiles": 4}, 21, 1, 40, 400),
        ({"tiles": 3}, 21, 1, 60, 520),
        (SERIAL, 75, 4, 19, 80),
        (SERIAL | {"shift_rows": "addressed"}, 65, 4, 17, 80),
        (SERIAL | {"key_bits": 256}, 103, 4, 26, 56 + 52),
        # Without stages: all rounds between the input and the output register.
        ({"sbox_stages": 0, "linear_stages": 0}, 1, 1, 1, 200),
        ({"sbox_stages": 0, "linear_stages": 0, "direction": "decrypt"}, 1, 1, 1, 240),
        ({"architecture": "key_expand"}, 20, 1, 20, 40),
        (
            {"architecture": "key_expand", "sbox": "bram", "sbox_stages": 2, "linear_stages": 0},
            20,
            1,
            20,
            40,
        ),
        ({"architecture": "key_expand", "unroll": 1}, 20, 23, 1, 4),
        ({"architecture": "key_expand", "key_bits": 256, "sbox_stages": 0}, 14, 1, 14, 52),
        (
            {"architecture": "key_expand", "key_bits": 192, "unroll": 1, "sbox_stages": 0},
            12,
            14,
            1,
            4,
        ),
        ({"architecture": "key_expand", "sbox_stages": 0, "linear_stages": 0}, 0, 1, 1, 40),
    ],
)
def test_times_and_sizes(
    choices: dict[str, Any], latency: int, interval: float, in_flight: int, sboxes: int
) -> None:
    design = Design(**choices)
    assert design.latency_cycles == latency
    assert design.interval == interval
    assert design.blocks_per_cycle == design.blocks_per_beat / interval
    assert design.blocks_in_flight == in_flight
    assert design.sbox_count == sboxes


def test_unrolled_schedules_of_long_keys_have_steps_without_sub_word() -> None:
    # FIPS 197 Algorithm 2: 8 of the 192-bit schedule's words pass SubWord, 13 of the 256-bit one's.
    assert Design(key_bits=192).key_sbox_count == 4 * 8
    assert Design(key_bits=256).key_sbox_count == 4 * 13
    assert Design(key_bits=256, unroll=1).key_sbox_count == 4


def test_zeroize_covers_ring_and_stores() -> None:
    assert Design().zeroize_cycles == 24
    assert Design(key_schedule="stored", key_slots=16, unroll=1).zeroize_cycles == 16 * 16 + 4


def test_loading_a_key_takes_one_run_of_the_schedule() -> None:
    # The bundle's test bench measures it.
    assert Design().key_load_cycles is None
    assert Design(key_schedule="stored", unroll=1).key_load_cycles == 10 * 2 + 3


def test_columns_are_encrypted_before_the_key_is_expanded() -> None:
    # Rahman et al., Sec. III-E: after the fourth of twelve cycles. Stages in SubWord come on top.
    for direction, cycles, staged in (("encrypt", 4, 7), ("both", 4, 7), ("decrypt", 11, 21)):
        design = Design(**SERIAL, direction=direction, sbox_stages=0)
        assert (design.key_load_cycles, design.key_expansion_cycles) == (cycles, 12)
        design = Design(**SERIAL, direction=direction, sbox_stages=1)
        assert (design.key_load_cycles, design.key_expansion_cycles) == (staged, 22)
    assert Design().key_expansion_cycles is None


def test_the_data_path_names_the_top() -> None:
    assert Design().top == "aesforge_core"
    design = Design(**SERIAL)
    assert design.top == "aesforge_serial"
    assert (design.key_slots, design.slot_bits, design.shift_rows) == (1, 1, "shift_register")
    assert design == Design(**SERIAL, key_slots=1, shift_rows="shift_register", unroll=10)
    assert set(Design().rtl_parameters()) - set(design.rtl_parameters()) == {
        "Unroll",
        "KeySlots",
        "Tiles",
    }


def test_a_check_names_the_top_and_its_latency() -> None:
    plain = Design()
    parity, inverse = Design(error_detection="parity"), Design(error_detection="inverse")
    assert parity.top == "aesforge_parity_core"
    assert parity.latency_cycles == plain.latency_cycles
    assert inverse.top == "aesforge_inverse_core"
    # There, back with the key's run to its end, and two cycles to compare.
    assert inverse.latency_cycles == 21 + 41 + 2
    assert Design(error_detection="inverse", direction="decrypt").latency_cycles == 41 + 21 + 2
    assert Design(error_detection="inverse", direction="both").latency_cycles == 41 + 41 + 2
    assert inverse.sbox_count == plain.sbox_count + Design(direction="decrypt").sbox_count
    assert "checked by taking each result back" in inverse.summary()


def test_lanes_stand_side_by_side_only_when_unrolled() -> None:
    assert Design(tiles=4).blocks_per_beat == 4
    assert Design(tiles=4, unroll=5).blocks_per_beat == 1


def test_two_spellings_of_a_design_are_equal() -> None:
    assert Design(unroll=10) == Design(unroll="full") == Design()
    assert Design(key_schedule="stored") == Design(key_schedule="stored", key_slots=2)
    assert len({Design(), Design(unroll=10)}) == 1


def test_a_design_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Design().tiles = 2  # type: ignore[misc]


# --- What is refused ------------------------------------------------------------------------------

REFUSALS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"key_bits": 129}, ("key_bits = 129", "128, 192 or 256")),
    ({"key_bits": 128.0}, ("key_bits = 128.0", "128, 192 or 256")),
    ({"direction": "encrpyt"}, ("'encrpyt'", "did you mean 'encrypt'")),
    ({"sbox": "towr"}, ("'towr'", "table, split4, split6, tower or bram", "'tower'")),
    ({"unroll": 0}, ("unroll = 0", "full or a divisor")),
    ({"unroll": 3}, ("unroll = 3", "key_bits = 128", "10 rounds", "full, 1, 2, 5 or 10")),
    ({"unroll": 5, "key_bits": 256}, ("unroll = 5", "key_bits = 256", "full, 1, 2, 7 or 14")),
    ({"sbox_stages": -1}, ("sbox_stages = -1", "0 or more")),
    ({"sbox": "table", "sbox_stages": 2}, ("sbox_stages = 2", "sbox = table", "0 to 1")),
    ({"sbox": "bram", "sbox_stages": 0}, ("sbox_stages = 0", "sbox = bram", "1 to 2")),
    ({"sbox": "split4", "sbox_stages": 6}, ("sbox_stages = 6", "direction = encrypt", "0 to 5")),
    ({"sbox_stages": True}, ("sbox_stages = True", "whole number")),
    (
        {"sbox_stages": 0, "linear_stages": 0, "unroll": 5},
        ("sbox_stages = 0", "linear_stages = 0", "unroll = 5", "exclude each other", "full"),
    ),
    (
        {"sbox_stages": 0, "linear_stages": 0, "key_schedule": "stored"},
        ("sbox_stages = 0", "linear_stages = 0", "key_schedule = stored", "agile"),
    ),
    (
        {"sbox_stages": 0, "linear_stages": 0, "unroll": 1, "architecture": "key_expand"},
        ("sbox_stages = 0", "unroll = 1", "exclude each other"),
    ),
    (
        {"architecture": "key_expansion"},
        ("'key_expansion'", "pipeline, column_serial or key_expand", "'key_expand'"),
    ),
    (
        {"architecture": "key_expand", "unroll": 2},
        ("architecture = key_expand", "unroll = 2", "full or 1"),
    ),
    ({"architecture": "key_expand", "direction": "decrypt"}, ("direction = decrypt", "forwards")),
    (
        {"architecture": "key_expand", "mix_columns": "table"},
        ("mix_columns = table", "no MixColumns"),
    ),
    (
        {"architecture": "key_expand", "key_schedule": "stored"},
        ("key_schedule = stored", "keeps no keys"),
    ),
    ({"architecture": "key_expand", "key_sbox": "bram"}, ("key_sbox = bram", "sbox is the key")),
    (
        {"architecture": "key_expand", "tiles": 2},
        (
            "tiles = 2 does not apply to architecture = key_expand",
            "one pipeline; leave tiles out",
            "set architecture = pipeline",
        ),
    ),
    (
        {"architecture": "key_expand", "delay_line": "register"},
        ("delay_line = register", "no long delays"),
    ),
    ({"linear_stages": 5}, ("linear_stages = 5", "0 to 4")),
    ({"key_slots": 4}, ("key_slots = 4", "key_schedule = agile", "exclude each other")),
    ({"key_slots": 1, "key_schedule": "stored"}, ("key_slots = 1", "2 to 16")),
    ({"key_sbox": "bram", "sbox_stages": 0}, ("key_sbox = bram", "sbox_stages = 0")),
    ({"tiles": 17}, ("tiles = 17", "1 to 16")),
    ({"tag_bits": 65}, ("tag_bits = 65", "1 to 64")),
    ({"tag_bits": "8 bits"}, ("tag_bits = '8 bits'", "whole number")),
    ({"name": "Core"}, ("name = 'Core'", "small letter")),
    ({"name": "table"}, ("'table'", "reserved word")),
    ({"name": "always-ff"}, ("'always-ff'", "reserved word")),
    ({"name": "aesforge-core"}, ("'aesforge-core'", "taken")),
    ({"name": "a" * 49}, ("49 characters", "48")),
    ({"mix_columns": ["xtime"]}, ("mix_columns", "xtime, table or shared")),
    ({"architecture": "serial"}, ("architecture = 'serial'", "did you mean 'column_serial'")),
    (
        {"architecture": "column_serial"},
        ("key_schedule = agile", "architecture = column_serial", "stored"),
    ),
    (SERIAL | {"unroll": 5}, ("unroll = 5", "architecture = column_serial", "leave unroll out")),
    (SERIAL | {"tiles": 2}, ("tiles = 2", "architecture = column_serial", "leave tiles out")),
    (SERIAL | {"key_slots": 2}, ("key_slots = 2", "architecture = column_serial", "stores 1 key")),
    ({"shift_rows": "addressed"}, ("shift_rows = addressed", "architecture = pipeline")),
    ({"error_detection": "parities"}, ("'parities'", "none, parity or inverse", "'parity'")),
    (
        {"error_detection": "parity", "direction": "both"},
        ("error_detection = parity", "direction = both", "inverse"),
    ),
    (
        {"error_detection": "parity", "sbox_stages": 0, "linear_stages": 0},
        ("pipeline stage", "inverse"),
    ),
    (
        {"error_detection": "parity", "unroll": 2, "tiles": 2},
        ("unroll = 2", "tiles = 2", "one ring"),
    ),
    (
        {"error_detection": "inverse", "key_schedule": "stored"},
        ("error_detection = inverse", "agile", "both copies"),
    ),
    (
        SERIAL | {"error_detection": "inverse"},
        (
            "error_detection = inverse",
            "architecture = column_serial",
            "set architecture = pipeline",
        ),
    ),
    (
        {"error_detection": "parity", "scheme": "hu2009", "research": True},
        ("error_detection = parity", "scheme = hu2009", "fips197"),
    ),
    (
        {"architecture": "key_expand", "error_detection": "inverse"},
        ("architecture = key_expand", "without error detection"),
    ),
    (SERIAL | {"shift_rows": "adressed"}, ("'adressed'", "did you mean 'addressed'")),
]


@pytest.mark.parametrize(("choices", "words"), REFUSALS)
def test_refusals_name_the_choices_and_what_is_allowed(
    choices: dict[str, Any], words: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError) as error:
        Design(**choices)
    for word in words:
        assert word in error.value.message
    assert error.value.exit_code == 2


def test_partial_sets_are_judged_by_what_is_there() -> None:
    assert why_illegal({}) is None
    assert why_illegal({"sbox_stages": 5}) is None
    assert why_illegal({"sbox_stages": 5, "sbox": "table"}) is None  # direction still open
    assert why_illegal({"sbox_stages": 5, "sbox": "table", "direction": "encrypt"}) is not None
    assert "did you mean 'tiles'" in (why_illegal({"tile": 1}) or "")


def test_every_representative_value_is_part_of_a_legal_design() -> None:
    assert list(CHOICES) == [field for field in FIELD_NAMES if field != "name"]
    rng = random.Random(1)
    unseen = {(field, value) for field, values in CHOICES.items() for value in values}
    for _ in range(20000):
        choices = {field: rng.choice(values) for field, values in CHOICES.items()}
        # So much excludes others that chance would seldom find a legal set.
        if choices["error_detection"] != "none":
            choices |= {"architecture": "pipeline", "key_schedule": "agile", "scheme": "fips197"}
        for field, only in ARCHITECTURES[choices["architecture"]].takes.items():
            choices[field] = rng.choice([one for one in CHOICES[field] if one in only.values])
        if choices["key_schedule"] == "agile":
            choices["key_slots"] = None
        if why_illegal(choices) is None:
            Design(**choices)
            unseen -= set(choices.items())
        if not unseen:
            break
    assert not unseen


def test_representative_values_cover_all_styles_and_the_ends_of_the_ranges() -> None:
    for field, values in ALLOWED.items():
        assert tuple(value for value in CHOICES[field] if value is not None) == values
    for field in ("linear_stages", "key_slots", "tag_bits"):
        low, high = RANGES[field]
        assert low in CHOICES[field]
        assert high in CHOICES[field]
    deepest = max(sbox_stage_range(s, d)[1] for s in SBOX_STYLES for d in ALLOWED["direction"])
    assert deepest in CHOICES["sbox_stages"]


def test_divisors() -> None:
    assert divisors(12) == (1, 2, 3, 4, 6, 12)


# --- Presets, files, overrides --------------------------------------------------------------------


def test_presets_are_named_and_summarized() -> None:
    ours = [design.name for design in of_group("general")]
    names = ["line-rate", "balanced", "compact", "compact-pipelined", "compact-bram"]
    assert ours == list(PRESETS)[:5] == names
    for name, design in PRESETS.items():
        assert design.name == name
        assert SUMMARIES[name]
        assert load(name) is not None
        assert load(name) == design


def test_toml_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "design.toml"
    designs = [
        *PRESETS.values(),
        Design(name="mine", key_bits=192, unroll=3, key_schedule="stored", key_slots=5, tiles=2),
    ]
    for design in designs:
        path.write_text(design.to_toml(), encoding="utf-8")
        assert load(path) == design
        assert load(str(path)) == design


def test_a_file_may_leave_choices_out(tmp_path: Path) -> None:
    path = tmp_path / "d.toml"
    path.write_text('unroll = 2\nsbox = "bram"\n', encoding="utf-8")
    assert load(path) == Design(unroll=2, sbox="bram")


def test_overrides_rename_a_preset() -> None:
    assert load("balanced", ["key_bits=256"]) == dataclasses.replace(
        PRESETS["balanced"], key_bits=256, name="balanced-custom"
    )
    assert load("balanced", ["key_bits=256", "name=mine"]).name == "mine"
    assert load("balanced", {"unroll": 5}).unroll == 5
    assert load("balanced", [" unroll = full "]).unroll == "full"


@pytest.mark.parametrize(
    ("name", "overrides", "words"),
    [
        (
            "line-rat",
            [],
            ("no preset named 'line-rat'", "did you mean 'line-rate'", "compact-bram"),
        ),
        ("zzz", [], ("no preset named 'zzz'", "line-rate", ".toml")),
        ("design.json", [], ("'design.json'", ".toml")),
        ("absent.toml", [], ("no design file 'absent.toml'",)),
        ("compact", ["unroll=4"], ("compact: unroll = 4", "key_bits = 128")),
        ("compact", ["sbx=table"], ("no choice named 'sbx'", "did you mean 'sbox'")),
        ("compact", ["tiles=1", "tiles=2"], ("tiles", "given twice")),
        ("compact", ["tiles"], ("'tiles'", "key=value")),
        ("compact", ["tiles="], ("'tiles='", "key=value")),
        ("line-rate", ["sbox=table"], ("sbox_stages = 7", "sbox = table", "0 to 1")),
        ("compact-bram", ["sbox_stages=0", "linear_stages=1"], ("sbox = bram", "1 to 2")),
    ],
)
def test_wrong_names_and_overrides(name: str, overrides: list[str], words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as error:
        load(name, overrides)
    for word in words:
        assert word in error.value.message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"key_bit = 128\n", ("no choice named 'key_bit'", "did you mean 'key_bits'")),
        (b"key_bits = 512\n", ("key_bits = 512", "128, 192 or 256")),
        (b"key_bits = = 1\n", ("not valid TOML",)),
        (b"name = '\xff'\n", ("not UTF-8",)),
        (b'key_schedule = "agile"\nkey_slots = 2\n', ("key_slots = 2", "key_schedule = agile")),
        (b"[sbox]\nstyle = 1\n", ("sbox = {'style': 1}", "table, split4")),
        (b'key_bits = "256"\n', ("a string and should be a number", "key_bits = 256")),
        (b'unroll = "2"\n', ("a string and should be a number", "unroll = 2")),
        (b'tiles = "2"\n', ("a string and should be a number", "tiles = 2")),
        (b'research = "true"\n', ("a string and should be a truth value", "research = true")),
    ],
)
def test_wrong_files(tmp_path: Path, content: bytes, words: tuple[str, ...]) -> None:
    path = tmp_path / "d.toml"
    path.write_bytes(content)
    with pytest.raises(UsageError) as error:
        load(path)
    for word in (str(path), *words):
        assert word in error.value.message
    if b'"' in content:
        assert "did you mean" not in error.value.message


def test_a_folder_is_no_design_file(tmp_path: Path) -> None:
    folder = tmp_path / "d.toml"
    folder.mkdir()
    with pytest.raises(UsageError, match="cannot read"):
        load(folder)


def test_a_file_without_extension_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"must end in \.toml"):
        load("mine")

# SPDX-License-Identifier: Apache-2.0
"""Engines as designs: their tables fit the RTL, what cannot be built is refused clearly."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from aesforge.describe.engine import describe_engine
from aesforge.design import Design, argv_of, load, load_any
from aesforge.design.engine import CORE_FIELDS, FIELDS, NOT_IN_AN_ENGINE, Engine
from aesforge.design.kinds import KINDS, beats_ahead
from aesforge.design.modes import MODES, direction_for
from aesforge.design.presets import ENGINE_SUMMARIES, ENGINES, PRESETS
from aesforge.errors import UsageError
from aesforge.measure.target import Target
from aesforge.toolchain.rtl import file_of
from engines import COUNTED, HELD, RING, SEALED_SERIAL, SMALL, WIDE
from project import REPO


def rtl(module: str) -> str:
    return file_of(module).read_text(encoding="utf-8")


# --- Tables and RTL -------------------------------------------------------------------------------


def test_mode_codes_are_the_packages() -> None:
    codes = dict(re.findall(r"localparam int unsigned Mode(\w+) = (\d+);", rtl("aesforge_pkg")))
    for mode in MODES.values():
        if not KINDS[mode.kind].mode_bits:  # a kind of one mode has no such port
            assert mode.code == 0
            continue
        name = "".join(part.capitalize() for part in mode.cipher.split("-"))
        assert int(codes[name]) == mode.code, mode.name


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_parameters_are_those_of_the_module(kind: Any) -> None:
    declared = re.findall(r"^\s+parameter (?:int unsigned|bit) (\w+) =", rtl(kind.top), re.M)
    (engine, *_) = (one for one in [*ENGINES.values(), WIDE] if one.kind == kind)
    # For tests only: a full counter of 32 bits takes too long to reach.
    for name in ("CountBits", "UnitBits"):
        if name in declared:
            declared.remove(name)
    if kind.name == "authenticated":
        # Of the multiplier that this one has not.
        assert engine.multiply_digit is None
        declared.remove("MultiplyDigit")
    assert list(engine.rtl_parameters()) == declared


def test_an_engine_that_counts_ivs_has_the_parameters_of_its_module() -> None:
    counted = load_any("gcm-stream", ["iv=counted"])
    assert isinstance(counted, Engine)
    assert counted.top == counted.wrapped == "aesforge_engine_gcm_counted"
    declared = re.findall(r"^\s+parameter (?:int unsigned|bit) (\w+) =", rtl(counted.top), re.M)
    # The counters have fewer bits in tests only.
    left_out = {"CountBits", "InvocationBits", "MultiplyDigit"}
    assert list(counted.rtl_parameters()) == [one for one in declared if one not in left_out]
    given = ENGINES["gcm-stream"]
    assert counted.rtl_parameters() == given.rtl_parameters()
    assert (counted.latency_cycles, counted.depth) == (given.latency_cycles, given.depth)
    assert (given.iv, given.top) == ("given", "aesforge_engine_gcm")
    assert "IVs counted inside" in counted.summary()


RESULTS = [kind for kind in KINDS.values() if kind.keeps_results]


@pytest.mark.parametrize("kind", RESULTS, ids=lambda kind: kind.name)
def test_registers_with_results_have_the_parameters_of_their_module(kind: Any) -> None:
    of_kind = (name for name, one in ENGINES.items() if one.kind == kind)
    name = next(name for name in of_kind if ENGINES[name].blocks_per_beat == 1)
    engine = load_any(name, ["contexts=csr"])
    assert isinstance(engine, Engine)
    assert (engine.has_results, engine.wrapped) == (True, kind.csr_top)
    # A packet waits for its context without a limit.
    assert (ENGINES[name].context_timeout, engine.context_timeout) == (1024, 0)
    declared = re.findall(r"^\s+parameter (?:int unsigned|bit) (\w+) =", rtl(engine.wrapped), re.M)
    left_out = {"Results", *({"MultiplyDigit"} if kind.counted_top else ())}
    assert list(engine.wrapped_parameters()) == [one for one in declared if one not in left_out]
    # What is checked and measured is the engine inside.
    assert engine.top == ENGINES[name].top
    assert ENGINES[name].wrapped_parameters() == ENGINES[name].rtl_parameters()


def test_counted_ivs_are_in_the_registers() -> None:
    engine = load_any("gcm-stream", ["contexts=csr", "iv=counted"])
    assert isinstance(engine, Engine)
    assert (engine.wrapped, engine.wrapped_parameters()["Counted"]) == (
        "aesforge_engine_gcm_axi",
        1,
    )
    assert (engine.counts_ivs, engine.iv_leaves) == (True, False)


def test_every_mode_of_a_kind_has_a_code_of_its_own() -> None:
    seen = {(mode.kind, mode.code) for mode in MODES.values()}
    assert len(seen) == len(MODES)
    assert {mode.kind for mode in MODES.values()} == set(KINDS)


def test_every_choice_of_a_core_is_taken_or_refused() -> None:
    fields = {field.name for field in dataclasses.fields(Design)}
    assert fields == {"name", *CORE_FIELDS, *NOT_IN_AN_ENGINE}
    assert not set(FIELDS) & fields


# --- Presets and files ----------------------------------------------------------------------------


def test_presets() -> None:
    assert set(ENGINES) == set(ENGINE_SUMMARIES)
    assert not set(ENGINES) & set(PRESETS)
    for name, engine in ENGINES.items():
        assert engine.name == name
        assert engine.depth == engine.full_rate_depth
        assert load_any(name) == engine
    ctr = ENGINES["ctr-stream"]
    core = dataclasses.replace(PRESETS["line-rate"], name="core", tag_bits=1)
    assert ctr.core == core
    assert (ctr.latency_cycles, ctr.depth, ctr.blocks_per_cycle) == (108, 128, 1.0)


@pytest.mark.parametrize(
    "engine", [*ENGINES.values(), WIDE, HELD, COUNTED, SEALED_SERIAL], ids=lambda one: one.name
)
def test_an_engine_is_read_back_as_itself(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "engine.toml"
    path.write_text(engine.to_toml(), encoding="utf-8")
    assert load_any(path) == engine
    words = argv_of(engine)
    found = load_any(words[0], [word for word in words[1:] if word != "--set"])
    assert isinstance(found, Engine)
    assert found.choices() == engine.choices()


def test_a_core_with_modes_is_an_engine() -> None:
    engine = load_any("compact", ["modes=ecb+ctr", "depth=16"])
    assert isinstance(engine, Engine)
    assert (engine.modes, engine.depth, engine.name) == (("ecb", "ctr"), 16, "compact-custom")
    assert load_any("compact") == load("compact")
    # The direction follows from the modes, whatever the preset of the engine had.
    other = load_any("ctr-stream", {"modes": "cbc-decrypt"})
    assert isinstance(other, Engine)
    assert other.core.direction == "decrypt"
    assert direction_for(["ctr", "cbc-decrypt"]) == "both"
    assert direction_for(["ecb"]) == direction_for(["cfb-decrypt"]) == "encrypt"


REFUSALS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("ctr-strem", {}, ("no preset named 'ctr-strem'", "did you mean 'ctr-stream'")),
    ("ctr-stream", {"modes": "cbc-dec"}, ("no mode 'cbc-dec'", "did you mean 'cbc-decrypt'")),
    ("ctr-stream", {"modes": "ctr,ctr"}, ("ctr is named twice",)),
    ("ctr-stream", {"modes": []}, ("modes = []", "a list of modes")),
    ("ctr-stream", {"direction": "decrypt"}, ("ctr", "forward cipher", "encrypt or both")),
    (
        "cbc-decrypt-stream",
        {"direction": "encrypt"},
        ("cbc-decrypt", "inverse cipher", "decrypt or both"),
    ),
    ("ctr-stream", {"depth": 100}, ("depth = 100", "power of two", "64 or 128")),
    ("ctr-stream", {"depth": 1}, ("depth = 1 is out of range", "8 to 4096")),
    ("ctr-stream", {"depht": 64}, ("no choice named 'depht'", "did you mean 'depth'")),
    ("ctr-stream", {"user_bits": "many"}, ("user_bits = 'many'", "whole number")),
    ("ctr-stream", {"tag_bits": 4}, ("tag_bits", "id_bits, user_bits")),
    ("ctr-stream", {"scheme": "hu2009"}, ("scheme", "an engine is AES")),
    ("cbc-interleaved", {"tiles": 2}, ("tiles = 2", "a beat is one block")),
    ("ctr-stream", {"key_bits": 100}, ("key_bits = 100", "128, 192 or 256")),
    ("ctr-stream", {"base": "compcat"}, ("'compcat'", "did you mean 'compact'")),
    ("ctr-stream", {"name": "tb_x"}, ("name = 'tb_x'",)),
    (
        "ctr-stream",
        {"streams": 4},
        ("streams is a choice of interleaved and ccm engines", "id_bits"),
    ),
    ("ctr-stream", {"contexts": "axi"}, ("contexts = 'axi'", "ports or csr")),
    (
        "cbc-interleaved",
        {"id_bits": 4},
        ("id_bits is a choice of forward, authenticated, data-unit and offset engines", "streams"),
    ),
    ("cbc-interleaved", {"direction": "both"}, ("cbc-encrypt", "forwards only")),
    ("ctr-stream", {"modes": "ctr,cmac"}, ("ctr and cmac exclude each other", "two engines")),
    ("gcm-stream", {"modes": "gcm,ctr"}, ("gcm and ctr exclude each other", "two engines")),
    (
        "gcm-stream",
        {"key_schedule": "agile"},
        ("key_schedule = agile", "set key_schedule = stored"),
    ),
    ("gcm-stream", {"tiles": 3}, ("modes = gcm, tiles = 3", "1, 2 or 4 blocks")),
    ("gcm-stream", {"tiles": 2, "unroll": 1}, ("tiles = 2 and unroll = 1", "one at a time")),
    ("gcm-wide", {"multiply_digit": 8}, ("multiply_digit = 8", "one block at a time")),
    ("gcm-wide", {"contexts": "csr"}, ("contexts = csr", "beats of one block", "set tiles = 1")),
    ("gcm-stream", {"direction": "both"}, ("direction = both", "encrypts counter blocks")),
    (
        "gcm-stream",
        {"contexts": "csr", "context_timeout": 99},
        ("contexts = csr and context_timeout = 99 exclude each other", "without a limit"),
    ),
    ("gcm-stream", {"queue_ram": "lut"}, ("queue_ram = 'lut'", "block or distributed")),
    (
        "ctr-stream",
        {"contexts": "csr", "queue_ram": "distributed"},
        ("contexts = csr and queue_ram = distributed exclude each other",),
    ),
    ("cbc-interleaved", {"queue_ram": "distributed"}, ("queue_ram is a choice of forward,",)),
    ("gcm-stream", {"release": "later"}, ("release = 'later'", "withheld or flagged")),
    (
        "gcm-stream",
        {"hold_beats": 64, "release": "flagged"},
        ("hold_beats = 64 and release = flagged", "withheld"),
    ),
    (
        "gcm-stream",
        {"release": "withheld", "hold_beats": 100},
        ("hold_beats = 100", "power of two", "64 or 128"),
    ),
    (
        "ctr-stream",
        {"release": "withheld"},
        ("release is a choice of authenticated, offset and ccm engines",),
    ),
    ("gcm-stream", {"iv": "counter"}, ("iv = 'counter'", "given or counted")),
    (
        "gcm-stream",
        {"iv": "counted", "release": "flagged"},
        ("iv = counted and release = flagged exclude", "set release = withheld"),
    ),
    ("gcm-compact", {"iv": "counted"}, ("iv = counted and release = flagged exclude",)),
    ("ccm-compact", {"iv": "counted"}, ("iv is a choice of authenticated engines", "ccm ones")),
    ("ocb-stream", {"iv": "counted"}, ("iv is a choice of authenticated engines",)),
    ("ctr-stream", {"iv": "counted"}, ("iv is a choice of authenticated engines",)),
    ("compact", {"iv": "counted"}, ("iv is a choice of engines", "--set modes=ctr")),
    ("gcm-stream", {"multiply_stages": 11}, ("multiply_stages = 11 is out of range", "1 to 10")),
    ("gcm-stream", {"multiply_digit": 64}, ("multiply_digit = 64 is out of range", "1 to 32")),
    ("gcm-stream", {"multiply_digit": 12}, ("multiply_digit = 12", "8 or 16")),
    (
        "gcm-compact",
        {"multiply_stages": 2},
        ("multiply_digit = 16 and multiply_stages = 2 exclude", "leave one of them out"),
    ),
    ("ctr-stream", {"multiply_digit": 8}, ("multiply_digit is a choice of authenticated",)),
    ("gcm-stream", {"short_tags": "yes"}, ("short_tags = 'yes'", "true or false")),
    ("gcm-stream", {"key_slots": 1}, ("key_slots = 1", "2 to 16 keys")),
    ("ctr-stream", {"short_tags": True}, ("short_tags is a choice of authenticated engines",)),
    ("ctr-stream", {"multiply_stages": 4}, ("multiply_stages is a choice of authenticated",)),
    ("ccm-compact", {"modes": "ccm,cmac"}, ("ccm and cmac exclude each other", "two engines")),
    ("ccm-compact", {"direction": "both"}, ("direction = both", "CCM encrypts in both ways")),
    ("ccm-interleaved", {"tiles": 2}, ("tiles = 2", "a beat is one block")),
    ("ccm-compact", {"short_tags": True}, ("short_tags is a choice of authenticated engines",)),
    ("ccm-compact", {"hold_beats": 64}, ("hold_beats = 64 and release = flagged", "withheld")),
    ("ccm-interleaved", {"hold_beats": 48}, ("hold_beats = 48", "power of two", "32 or 64")),
    ("cbc-interleaved", {"hold_beats": 64}, ("hold_beats is a choice of authenticated, offset",)),
    ("compact", {"depth": 64}, ("depth is a choice of engines", "--set modes=ctr")),
]


@pytest.mark.parametrize(("name", "choices", "words"), REFUSALS, ids=lambda v: str(v)[:40])
def test_refusals(name: str, choices: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        load_any(name, choices)
    for word in words:
        assert word in caught.value.message


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('depth = "8"', ("should be a number", "depth = 8")),
        ('key_bits = "256"', ("should be a number", "key_bits = 256")),
        ('short_tags = "true"', ("should be a truth value", "short_tags = true")),
    ],
)
def test_a_number_in_quotes_is_named(tmp_path: Path, line: str, words: tuple[str, ...]) -> None:
    path = tmp_path / "d.toml"
    path.write_text(f'modes = ["gcm"]\n{line}\n', encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load_any(path)
    for word in ("it is a string", *words):
        assert word in caught.value.message


def test_streams_follow_from_the_pipeline() -> None:
    cbc = ENGINES["cbc-interleaved"]
    # docs/cores/aesforge_engine_interleaved.md, Timing: L + 11, and L + 5 streams for full rate.
    assert (cbc.core.latency_cycles, cbc.latency_cycles, cbc.streams) == (21, 32, 26)
    assert (cbc.loop_cycles, cbc.blocks_per_cycle, cbc.tid_bits) == (26, 1.0, 5)
    alone = load_any("cbc-interleaved", ["streams=1"])
    assert isinstance(alone, Engine)
    assert alone.blocks_per_cycle == pytest.approx(1 / 26)
    assert "IdBits" not in alone.rtl_parameters()


def test_ccm_calls_the_core_twice() -> None:
    ccm = ENGINES["ccm-interleaved"]
    # docs/cores/aesforge_engine_ccm.md, Timing: 2 L + 14, 6 more where withheld, a beat every
    # 2 L + 8 of one stream, and L + 5 streams for full rate.
    assert (ccm.core.latency_cycles, ccm.latency_cycles, ccm.streams) == (21, 62, 26)
    assert (ccm.loop_cycles, ccm.blocks_per_cycle, ccm.tid_bits) == (50, 0.5, 5)
    assert ccm.tag_bytes == (4, 6, 8, 10, 12, 14, 16)
    assert ccm.core.is_agile
    compact = ENGINES["ccm-compact"]
    assert compact.blocks_per_cycle == pytest.approx(compact.core.blocks_per_cycle / 2)
    assert (compact.streams, compact.core.key_slots) == (4, 4)
    text = (REPO / "docs" / "modes" / "ccm.md").read_text(encoding="utf-8")
    for words in ("after L + 11 cycles", "after 2 L + 14", "every 2 L + 8 cycles", "L + 5 streams"):
        assert words in text


def test_keys_of_authenticated_packets_are_stored() -> None:
    # As the direction, the key schedule follows from the mode.
    engine = load_any("balanced", ["modes=gcm", "short_tags=true", "multiply_stages=2"])
    assert isinstance(engine, Engine)
    assert (engine.core.key_schedule, engine.core.key_slots) == ("stored", 2)
    assert engine.tag_bytes == (4, 8, 12, 13, 14, 15, 16)
    assert "tags of 4, 8, 12, 13, 14, 15 or 16 bytes" in engine.summary()
    assert ENGINES["gcm-stream"].tag_bytes == (12, 13, 14, 15, 16)
    assert ENGINES["ctr-stream"].tag_bytes == ()
    assert beats_ahead(engine) == 4


@pytest.mark.parametrize("name", ["gcm-stream", "ocb-stream"])
def test_text_is_withheld_unless_a_design_says_otherwise(name: str) -> None:
    engine, flagged = ENGINES[name], load_any(name, ["release=flagged"])
    assert isinstance(flagged, Engine)
    assert (engine.release, engine.hold_beats) == ("withheld", 512)
    assert (engine.most_beats, flagged.most_beats) == (508, None)
    assert (engine.rtl_parameters()["HoldBeats"], flagged.rtl_parameters()["HoldBeats"]) == (512, 0)
    # The places of the queues are not concerned.
    assert engine.latency_cycles == flagged.latency_cycles + 6
    assert engine.depth == flagged.depth
    names = re.findall(r"^\s+parameter (?:int unsigned|bit) (\w+) =", rtl(engine.top), re.M)
    left_out = {"CountBits", "MultiplyDigit"}
    assert list(engine.rtl_parameters()) == [one for one in names if one not in left_out]


def test_text_of_streams_is_withheld_in_places_of_their_own() -> None:
    engine = ENGINES["ccm-interleaved"]
    flagged = load_any("ccm-interleaved", ["release=flagged"])
    assert isinstance(flagged, Engine)
    assert (engine.release, engine.hold_beats, engine.most_beats) == ("withheld", 128, 124)
    # 26 streams: 5 bits of tid.
    assert (engine.hold_places, flagged.hold_places) == (32 * 128, 0)
    assert engine.latency_cycles == flagged.latency_cycles + 6
    assert (engine.depth, engine.streams) == (flagged.depth, flagged.streams)
    assert engine.zeroize_cycles >= engine.core.zeroize_cycles + engine.hold_places
    assert flagged.zeroize_cycles < engine.core.zeroize_cycles + 100
    assert ENGINES["ccm-compact"].release == "flagged"
    names = re.findall(r"^\s+parameter (?:int unsigned|bit) (\w+) =", rtl(engine.top), re.M)
    assert list(engine.rtl_parameters()) == names
    shown = dict(row[:2] for row in describe_engine(engine).choice_rows())
    words = {row[0]: row[2] for row in describe_engine(engine).choice_rows()}
    assert shown["hold_beats"] == "128"
    assert "of each of 32 streams, 4,096 in all; packets of up to 124 beats" in words["hold_beats"]


def test_an_engine_that_only_encrypts_withholds_nothing() -> None:
    engine = load_any("ocb-stream", ["direction=encrypt"])
    assert isinstance(engine, Engine)
    assert (engine.release, engine.hold_beats) == ("flagged", None)
    waits = load_any("ocb-stream", ["direction=encrypt", "hold_beats=64"])
    assert isinstance(waits, Engine)
    assert waits.release == "withheld"


def test_the_multiplier_has_the_powers_that_it_needs() -> None:
    text = rtl("aesforge_engine_gcm")
    assert "Serial ? 1 : MultiplyStages <= 2 ? 4 : MultiplyStages <= 6 ? 8 : 16;" in text
    for stages in range(1, 11):
        engine = load_any("gcm-stream", {"multiply_stages": stages})
        assert isinstance(engine, Engine)
        assert beats_ahead(engine) == (4 if stages <= 2 else 8 if stages <= 6 else 16)


def test_a_digit_serial_multiplier_has_no_stages() -> None:
    small = ENGINES["gcm-compact"]
    parameters = small.rtl_parameters()
    assert (small.multiply_stages, small.multiply_digit) == (None, 16)
    assert (parameters["MultiplyStages"], parameters["MultiplyDigit"]) == (0, 16)
    assert "multiply_stages" not in small.choices()
    assert beats_ahead(small) == 0
    # As many cycles as a block is in the ring: its rate stays.
    assert small.blocks_per_cycle == pytest.approx(1 / 10)
    slow = load_any("gcm-compact", {"multiply_digit": 4})
    assert isinstance(slow, Engine)
    assert slow.blocks_per_cycle == pytest.approx(1 / 34)
    assert "MultiplyDigit" not in ENGINES["gcm-stream"].rtl_parameters()


def test_an_engine_cannot_be_made_wrong() -> None:
    with pytest.raises(UsageError, match="power of two"):
        Engine(core=RING, modes=("ctr",), depth=12)
    with pytest.raises(UsageError, match="an engine is AES"):
        Engine(core=dataclasses.replace(RING, scheme="hu2009", research=True), modes=("ctr",))
    with pytest.raises(UsageError, match="an engine's core is a pipeline"):
        Engine(core=Design(architecture="column_serial", key_schedule="stored"), modes=("ctr",))


def test_the_mode_that_is_asked_for() -> None:
    assert WIDE.mode_for("cbc", decrypt=True).name == "cbc-decrypt"
    assert WIDE.mode_for("ecb", decrypt=False).name == "ecb"
    assert ENGINES["gcm-stream"].mode_for("gcm", decrypt=True).name == "gcm"
    with pytest.raises(UsageError, match="an engine with modes = gcm does"):
        WIDE.mode_for("gcm", decrypt=False)
    with pytest.raises(UsageError, match=r"does not encrypt cbc: it has .*cbc \(decrypt\)"):
        WIDE.mode_for("cbc", decrypt=False)
    with pytest.raises(UsageError, match="an engine with modes = cbc-decrypt does"):
        SMALL.mode_for("cbc", decrypt=True)
    one_way = Engine(core=RING, modes=("ecb",))
    with pytest.raises(UsageError, match="--set direction=decrypt"):
        one_way.mode_for("ecb", decrypt=True)


# --- Measurements ---------------------------------------------------------------------------------


def test_what_enters_the_cipher_is_measured() -> None:
    roles = Target.of(ENGINES["ctr-stream"]).roles
    assert roles["block"] == "s_ctx_iv"
    assert roles["key"] == "s_ctx_key"
    assert Target.of(ENGINES["gcm-stream"]).roles == {
        "clock": "clk",
        "block": "s_axis_tdata",
        "key": "s_key_tdata",
        "result": "m_axis_tdata",
    }
    roles = Target.of(WIDE).roles
    assert roles["block"] == "s_axis_tdata"
    assert roles["key"] == "s_key_tdata"
    subject = Target.of(WIDE).subject()
    assert subject.design is None
    assert subject.engine == WIDE.choices()


@pytest.mark.parametrize(
    ("page", "name"),
    [
        *(("ecb", "ecb-stream"), ("ctr", "ctr-stream")),
        *(("cfb", "cfb-decrypt-stream"), ("cbc", "cbc-interleaved")),
    ],
)
def test_the_pages_of_the_modes_say_how_long_a_beat_takes(page: str, name: str) -> None:
    engine = ENGINES[name]
    beside = engine.latency_cycles - engine.core.latency_cycles
    text = (REPO / "docs" / "modes" / f"{page}.md").read_text(encoding="utf-8")
    assert f"L + {beside} cycles" in text


def test_the_page_of_gcm_says_how_long_a_beat_takes() -> None:
    text = (REPO / "docs" / "modes" / "gcm.md").read_text(encoding="utf-8")
    assert "takes L + 34 + M + A cycles" in text
    assert "4 for M up to 2, 8 up to 6, 16\nup to 10" in text
    for stages in (1, 3, 9):
        engine = load_any("gcm-stream", {"multiply_stages": stages, "release": "flagged"})
        assert isinstance(engine, Engine)
        beside = engine.latency_cycles - engine.core.latency_cycles
        assert beside == 34 + stages + beats_ahead(engine)
    assert "takes L + 15 + 128 / D cycles" in text
    for digit in (1, 8, 32):
        engine = load_any("gcm-compact", {"multiply_digit": digit, "release": "flagged"})
        assert isinstance(engine, Engine)
        assert engine.latency_cycles - engine.core.latency_cycles == 15 + 128 // digit


def test_the_streams_page_has_every_mode() -> None:
    text = (REPO / "docs" / "streams.md").read_text(encoding="utf-8")
    for mode in MODES.values():
        if mode.kind == "forward":
            assert f"| {mode.code} |" in text
            assert mode.cipher.upper() in text

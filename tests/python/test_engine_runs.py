# SPDX-License-Identifier: Apache-2.0
"""Engines in simulation: their check finds what is wrong, files go through them as packets."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aesforge.check.engine import check_engine
from aesforge.crypt.engine import crypt_file_as_packets
from aesforge.design import Design
from aesforge.design.engine import Engine
from aesforge.errors import CheckFailed, UsageError
from aesforge.reference import openssl
from aesforge.simulate.packets import (
    BEATS,
    Context,
    Packet,
    Traffic,
    engine_module,
    fault_text,
    first_fault,
)
from aesforge.simulate.stream import Channel, Module, StreamSimulator
from cores import changed_rtl
from engines import BROAD, FEEDBACK, SMALL, WIDE

KEY = bytes(range(16))
IV = b"\xff" * 15 + b"\xfa"

# --- Check ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", [SMALL, WIDE], ids=lambda one: one.name)
def test_check_passes(engine: Any) -> None:
    report = check_engine(engine, seed=4, blocks=1200, optimize="build")
    assert report.passed, report.text()
    assert report.latency_cycles_seen == engine.latency_cycles
    assert report.blocks_per_cycle_seen == pytest.approx(engine.blocks_per_cycle)
    assert report.error_packets > 20
    # CTR both ways; of the others 588 records each, ECB both ways.
    assert report.vector_packets == (6 if engine is SMALL else 6 + 4 * 588)
    assert "no beat lost" in report.text()


def test_a_run_is_repeated_by_its_seed() -> None:
    def run(seed: int) -> tuple[int, int]:
        report = check_engine(SMALL, seed=seed, blocks=200, vectors=False, optimize="build")
        return report.cycles, report.random_packets

    assert run(1) == run(1) != run(2)


SHELL = "aesforge_axis_shell.sv"
MUTANTS = {
    "no credits": (
        SHELL,
        "ready_q <= credit_q &&",
        "ready_q <=",
        "(is lost or late|is wrong|never came|is repeated)",
    ),
    "no error flag": (
        SHELL,
        "<= {side_error, side_last, side_keep}",
        "<= {1'b0, side_last, side_keep}",
        "is wrong",
    ),
    "output moves on": (
        SHELL,
        ".m_ready(m_axis_tready)",
        ".m_ready(1'b1)",
        "(lost|changed|never)",
    ),
    "counter of 96 bits": (
        "aesforge_mode_counter.sv",
        "load[i] ? value :",
        "load[i] || i == 6 ? value :",
        "is wrong",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_check_names_what_is_wrong(name: str, tmp_path: Path) -> None:
    file, old, new, words = MUTANTS[name]
    rtl = changed_rtl(tmp_path, file, old, new)
    report = check_engine(SMALL, seed=4, blocks=400, rtl=rtl, optimize="build")
    assert not report.passed
    assert any(re.search(words, failure) for failure in report.failures), report.failures
    assert "repeat it with: aesforge check little-ctr --seed 4" in report.text()


@pytest.mark.parametrize(
    ("engine", "options"),
    [
        (BROAD, {}),
        # The inverse cipher, and two blocks.
        (
            Engine(
                name="little-broad-inverse",
                core=Design(
                    unroll="full",
                    tiles=2,
                    sbox="table",
                    sbox_stages=0,
                    linear_stages=1,
                    direction="decrypt",
                    key_schedule="stored",
                ),
                modes=("ecb", "cbc-decrypt"),
            ),
            {"vectors": False},
        ),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_beats_of_several_blocks(engine: Any, options: dict[str, Any]) -> None:
    report = check_engine(engine, seed=4, blocks=800, optimize="build", **options)
    assert report.passed, report.text()
    assert report.latency_cycles_seen == engine.latency_cycles
    assert engine.beat_bytes == 16 * engine.core.tiles
    assert report.blocks_per_cycle_seen == pytest.approx(engine.core.tiles)
    assert report.error_packets > 20
    assert f"a beat of {engine.beat_bytes} bytes every cycle" in report.text()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("aesforge_mode_counter.sv", "Bits'(over[i][b])", "'0"),
        ("aesforge_mode_counter.sv", "+ (Bits + 1)'(Blocks)", "+ (Bits + 1)'(4)"),
        (
            "aesforge_mode_forward.sv",
            "previous_q <= beat_data[127:0]",
            "previous_q <= beat_data[255:128]",
        ),
        ("aesforge_axis_shell.sv", "      || (part && !partial_q);", ";"),
    ],
)
def test_check_names_what_is_wrong_in_beats_of_several_blocks(
    file: str, old: str, new: str, tmp_path: Path
) -> None:
    rtl = changed_rtl(tmp_path, file, old, new)
    engine = BROAD
    if file == "aesforge_axis_shell.sv":
        # CTR and CFB take any length.
        engine = Engine(name="little-broad-ecb", core=BROAD.core, modes=("ecb",))
    report = check_engine(engine, seed=4, blocks=400, vectors=False, rtl=rtl, optimize="build")
    assert not report.passed
    assert any("is wrong" in failure for failure in report.failures), report.failures


def test_modes_with_feedback() -> None:
    report = check_engine(FEEDBACK, seed=4, blocks=1500, optimize="build")
    assert report.passed, report.text()
    # CBC one way, CFB, CFB8 and OFB both, and four examples of CMAC.
    assert report.vector_packets == 7 * 588 + 4
    assert report.error_packets > 20
    one = Engine(name="little-cbc", core=FEEDBACK.core, modes=("cbc-encrypt",))
    report = check_engine(one, seed=4, blocks=1500, vectors=False, optimize="build")
    assert report.passed, report.text()
    assert report.blocks_per_cycle_seen == pytest.approx(one.blocks_per_cycle, rel=0.05)


# --- Files ----------------------------------------------------------------------------------------


def through(tmp_path: Path, data: bytes, engine: Any = SMALL, **options: Any) -> tuple[bytes, Any]:
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(data)
    options = {"cipher": "ctr", "key": KEY, "iv": IV, "optimize": "build", **options}
    report = crypt_file_as_packets(engine, source, target, **options)
    return target.read_bytes(), report


@pytest.mark.parametrize("size", [0, 1, 16, 1000])
def test_counter_mode_across_packets(size: int, tmp_path: Path) -> None:
    data = os.urandom(size)
    out, report = through(tmp_path, data, packet_bytes=48, stall=0.4, seed=7)
    assert out == openssl.crypt("ctr", KEY, data, IV)
    assert report.packets == -(-size // 48)
    assert report.beats == -(-size // 16)
    assert "equal to OpenSSL's" in report.text()


@pytest.mark.parametrize("size", [0, 1, 48, 49, 1000])
def test_counter_mode_in_beats_of_three_blocks(size: int, tmp_path: Path) -> None:
    data = os.urandom(size)
    for packet_bytes in (96, None):
        out, report = through(tmp_path, data, BROAD, packet_bytes=packet_bytes, stall=0.4, seed=7)
        assert out == openssl.crypt("ctr", KEY, data, IV)
        assert report.beats == -(-size // 48)
        assert report.packets == -(-size // (packet_bytes or 4080))
    if size:
        assert report.cycles_per_block == pytest.approx(report.cycles / -(-size // 16))


@pytest.mark.parametrize("cipher", ["ecb", "cbc", "cfb"])
def test_messages_of_other_modes(cipher: str, tmp_path: Path) -> None:
    plain = os.urandom(333)
    fill = 16 - len(plain) % 16
    padded = plain if cipher == "cfb" else plain + bytes([fill]) * fill
    given = openssl.crypt(cipher, KEY, padded, IV)
    iv = None if cipher == "ecb" else IV
    options = {"cipher": cipher, "iv": iv, "decrypt": True, "packet_bytes": 64, "stall": 0.3}
    out, _ = through(tmp_path, given, WIDE, **options)
    assert out == plain
    if cipher != "cfb":
        out, _ = through(tmp_path, given, WIDE, pad=False, **options)
        assert out == padded
        with pytest.raises(UsageError, match="5 bytes stand after the last block"):
            through(tmp_path, given[:-11], WIDE, **options)
        with pytest.raises(UsageError, match=r"PKCS#7 padding.*nothing was written"):
            through(tmp_path, given[:-16], WIDE, **options)


@pytest.mark.parametrize(("cipher", "decrypt"), [("cbc", False), ("cfb", False), ("ofb", True)])
def test_messages_with_feedback(cipher: str, decrypt: bool, tmp_path: Path) -> None:
    text = os.urandom(160)
    options = {"cipher": cipher, "decrypt": decrypt, "packet_bytes": 48, "pad": cipher != "cbc"}
    out, _ = through(tmp_path, text, FEEDBACK, stall=0.3, **options)
    assert out == openssl.crypt(cipher, KEY, text, IV, decrypt=decrypt)


def test_stalls_follow_the_seed(tmp_path: Path) -> None:
    data = bytes(1600)
    cycles = [through(tmp_path, data, stall=0.9, seed=seed)[1].cycles for seed in (1, 1, 2)]
    assert cycles[0] == cycles[1] != cycles[2]


REFUSALS: list[tuple[dict[str, Any], str]] = [
    ({"iv": None}, "ctr needs an IV, the first counter block"),
    ({"pad": False}, "ctr and no padding exclude each other"),
    ({"key": bytes(24)}, "the key has 24 bytes; key_bits = 128 takes 16"),
    ({"packet_bytes": 100}, "a multiple of 16, for example 96 or 112"),
    ({"packet_bytes": 8}, "a multiple of 16, for example 16 or 32"),
    ({"engine": BROAD, "packet_bytes": 64}, "a multiple of 48, for example 48 or 96"),
    ({"cipher": "cbc"}, "does not encrypt cbc: it has ctr"),
    ({"engine": WIDE, "cipher": "ecb"}, "ecb and an IV exclude each other"),
]


@pytest.mark.parametrize(("options", "words"), REFUSALS, ids=lambda v: str(v)[:30])
def test_what_a_file_is_refused_for(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        through(tmp_path, bytes(40), **options)
    assert words in caught.value.message
    assert not (tmp_path / "out").exists()


def test_a_wrong_engine_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, old, new, _ = MUTANTS["no credits"]
    rtl = changed_rtl(tmp_path / "rtl", file, old, new)
    monkeypatch.setattr(
        "aesforge.crypt.engine.engine_module",
        lambda engine, optimize: engine_module(engine, optimize=optimize, files=rtl),
    )
    with pytest.raises(CheckFailed, match=r"beat \d+ is (lost|wrong)") as caught:
        through(tmp_path, os.urandom(3200), stall=0.96)
    assert "'little-ctr' is wrong: cycle" in caught.value.message
    assert caught.value.message.endswith("nothing was written")
    assert not (tmp_path / "out").exists()


# --- The harness itself ---------------------------------------------------------------------------


def rows_of(simulator: StreamSimulator, values: list[int]) -> Any:
    rows = np.zeros(len(values), simulator.row_dtype)
    rows["m_axis_tid"] = values
    return rows


def test_the_first_fault_is_named() -> None:
    with StreamSimulator(engine_module(SMALL, optimize="build"), optimize="build") as simulator:
        traffic = Traffic(simulator, SMALL)
        packets = [Packet(os.urandom(40), Context(1, False, IV, KEY)) for _ in range(4)]
        transfers, due = traffic.transfers(packets)
        result = simulator.run(transfers, wanted=len(due), tail_cycles=10)
        got = result.rows
        assert first_fault(got, due) is None
        assert fault_text(result) is None
        lost = first_fault(np.delete(got, 5), due, first=100)
        assert lost is not None
        assert "beat 105 is lost or late: beat 106 comes in its place" in lost
        again = first_fault(np.insert(got, 5, got[4]), due)
        assert again is not None
        assert "beat 4 is repeated in place of beat 5" in again
        assert "never came" in (first_fault(got[:-1], due) or "")
        assert "too many" in (first_fault(np.append(got, got[-1:]), due) or "")
        wrong = got.copy()
        wrong["m_axis_tdata"][3, 0] ^= 1
        assert "beat 3 is wrong" in (first_fault(wrong, due) or "")
        # Words can be taken back into a run of their own: nothing is left over.
        assert simulator.moved[BEATS] == len(due)


def test_ports_that_are_not_there_are_named(tmp_path: Path) -> None:
    source = tmp_path / "thing.sv"
    source.write_text(
        "module thing (input clk, input a_valid, output a_ready, output b_valid, input b_ready,"
        " output [7:0] b_data);\nassign a_ready = b_ready; assign b_valid = a_valid;"
        " assign b_data = {8{clk}};\nendmodule\n",
        encoding="utf-8",
    )

    def thing(**changes: Any) -> Module:
        options: dict[str, Any] = {
            "sources": (Channel("a", "a_valid", "a_ready", ()),),
            "sink": Channel("b", "b_valid", "b_ready", ("b_data",)),
            "reset": None,
            "files": (source,),
            **changes,
        }
        return Module(name="thing", top="thing", **options)

    for changes, words in (
        ({"reset": "rst"}, "thing has no port 'rst'"),
        ({"clock": "b_data"}, "port 'b_data' of thing is an output"),
        ({"sources": (Channel("a", "a_vlid", None, ()),)}, "did you mean 'a_valid'"),
        ({"ties": {"b_ready": 2}}, "is 1 bit wide: 0x2 does not fit"),
    ):
        with pytest.raises(UsageError) as caught, StreamSimulator(thing(**changes)):
            pass
        assert words in caught.value.message

# SPDX-License-Identifier: Apache-2.0
"""Engines with `iv = counted`: each packet is encrypted under the IV that leaves, and none twice.

The traffic is that of `aesforge check`; mutants are found. A counter that comes to its end is in
tests/rtl/test_aesforge_engine_gcm_counted.py.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aesforge.bundle import build
from aesforge.bundle.packets import bench_passes
from aesforge.check.engine import check_engine
from aesforge.check.load import engine_load, run
from aesforge.check.packet_rate import packet_rates
from aesforge.check.sealed import WRONG, WRONG_COUNTED, WRONG_IN
from aesforge.cli.main import main
from aesforge.crypt import crypt_file
from aesforge.crypt.sealed import crypt_sealed_file
from aesforge.describe import diagram_text
from aesforge.design import Engine
from aesforge.errors import CheckFailed, UsageError
from aesforge.measure.target import Target
from aesforge.simulate.engine import CONTEXTS, IVS, engine_module, fixed_fields
from aesforge.simulate.packets import Context, KeyLoad, SealedPacket
from aesforge.simulate.stream import StreamSimulator
from aesforge.simulate.traffic import Traffic, fault_text
from cores import changed_rtl
from engines import COUNTED, COUNTED_SERIAL, HELD
from test_bundle import simulate

M = "aesforge_gcm_iv.sv"
KEY = bytes(range(16))
# What is changed, and words of the fault that is found.
MUTANTS = {
    "does not count": ("count_q + 1'b1}", "count_q}", "IV 1 at m_iv is"),
    "zeroize restarts the count": (
        "if (rst) {spent_q, count_q}",
        "if (rst || zeroize) {spent_q, count_q}",
        "after zeroize",
    ),
    "an IV is used that does not leave": (
        "encrypts ? {32'b0, iv}",
        "encrypts ? {32'b0, iv[95:89], ~iv[88], iv[87:0]}",
        "is wrong",
    ),
    "the IV of the context is used": ("encrypts ? {32'b0, iv} : s_ctx_iv", "s_ctx_iv", "is wrong"),
    "an IV of its own passes": (" || s_ctx_iv_kind != IvGiven", "", "due is .*, tuser 1"),
    "one field for all slots": ("fields[field_at+:32]", "fields[31:0]", "at m_iv is"),
    "the counter's bytes turned round": (
        "64'(aesforge_pkg::byte_swap(256'(count_q), 8))",
        "64'(count_q)",
        "IV 1 at m_iv is",
    ),
    "an IV for a decryption": ("m_iv_tvalid <= encrypts", "m_iv_tvalid <= 1'b1", "one too many"),
    "an IV is lost": (
        "s_ctx_tready = !m_ctx_tvalid && !m_iv_tvalid",
        "s_ctx_tready = !m_ctx_tvalid",
        "at m_iv",
    ),
    "an IV does not wait": (
        "if (m_iv_tready) m_iv",
        "if (m_ctx_tready) m_iv",
        "at m_iv is|never left m_iv",
    ),
    "no error at m_iv": ("m_iv_tuser <= refused", "m_iv_tuser <= 1'b0", "tuser 0; due is .*user 1"),
}


@pytest.mark.parametrize("engine", [COUNTED, COUNTED_SERIAL], ids=lambda one: one.name)
def test_check_passes(engine: Engine) -> None:
    report = check_engine(engine, seed=3, blocks=6000)
    assert report.passed, report.text()
    assert report.ivs > 200
    assert f"IVs         {report.ivs:,} made inside, none twice" in report.text()
    assert report.as_dict()["ivs"] == report.ivs
    assert set(WRONG_COUNTED) < set(report.errors)
    assert set(report.errors) >= {*WRONG, *WRONG_IN["gcm"]}
    # As fast as with IVs that are given.
    assert report.blocks_per_cycle_seen == pytest.approx(engine.blocks_per_cycle, rel=0.001)
    assert report.vector_records > 256


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_found(name: str, tmp_path: Path) -> None:
    old, new, words = MUTANTS[name]
    rtl = changed_rtl(tmp_path, M, old, new)
    report = check_engine(COUNTED, seed=3, blocks=2000, vectors=False, rtl=rtl, optimize="build")
    assert not report.passed
    assert re.search(words, report.text()), report.text()


# --- The second channel out -----------------------------------------------------------------------


def ivs_of(rtl: Sequence[Path] | None, stall: float) -> tuple[Any, Traffic, str | None]:
    """Return a run of 20 packets that encrypt, its traffic, and a fault of a handshake."""
    module = engine_module(COUNTED, optimize="build", files=rtl)
    with StreamSimulator(module, optimize="build", seed=1) as simulator:
        traffic = Traffic(simulator, COUNTED)
        packets = [SealedPacket(bytes(16), Context(0, False)) for _ in range(20)]
        words, due = traffic.transfers([KeyLoad(0, KEY), *packets])
        result = simulator.run(words, wanted=len(due), stalls={IVS: stall})
        assert simulator.moved[IVS] == len(result.more_rows[IVS])
        return result, traffic, fault_text(result)


@pytest.mark.parametrize("stall", [0.0, 0.5, 0.98])
def test_a_run_ends_when_the_last_iv_has_left(stall: float) -> None:
    result, traffic, fault = ivs_of(None, stall)
    assert len(result.more_rows[IVS]) == len(result.taken[CONTEXTS]) == 20
    assert fault is None
    assert traffic.iv_fault(result) is None
    assert traffic.counted == traffic.ivs_seen == 20
    assert not traffic.ivs
    # The same rows again are too many.
    assert "IV 20 at m_iv is one too many" in (traffic.iv_fault(result) or "")


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("m_iv_tvalid <= 1'b0; else m_iv_tdata[0] <= !m_iv_tdata[0]", "beat 0 of m_iv changed"),
        ("m_iv_tvalid <= 1'b0; else m_iv_tvalid <= !m_iv_tvalid", "tvalid of m_iv fell before"),
    ],
    ids=["changes", "falls"],
)
def test_breaches_of_the_handshake_are_found(new: str, words: str, tmp_path: Path) -> None:
    rtl = changed_rtl(tmp_path, M, "m_iv_tvalid <= 1'b0;", f"{new};")
    _, _, fault = ivs_of(rtl, 0.8)
    assert fault is not None
    assert words in fault


def test_packets_under_load_have_their_ivs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (load,) = run(engine_load(COUNTED), blocks=4000, stalls=(0.4,))
    assert load.fault is None
    (rate,) = packet_rates(COUNTED, [(16, 0)], packets=50)
    assert rate.cycles == rate.beats == 2
    rtl = changed_rtl(tmp_path, M, "count_q + 1'b1}", "count_q + 2'd2}")
    for name in ("load", "packet_rate"):
        monkeypatch.setattr("aesforge.check.load.engine_module", with_files(rtl))
        if name == "load":
            (load,) = run(engine_load(COUNTED), blocks=400, stalls=(0.4,))
            assert "at m_iv is" in (load.fault or "")
        else:
            with pytest.raises(CheckFailed, match="at m_iv is"):
                packet_rates(COUNTED, [(16, 0)], packets=50)


def with_files(rtl: Sequence[Path]) -> Any:
    """Return `engine_module` with other sources."""
    return lambda engine, optimize: engine_module(engine, optimize=optimize, files=rtl)


# --- Bundle ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "if (rst) {spent_q, count_q}",
            "if (rst || zeroize) {spent_q, count_q}",
            "IV 0 is 0+805a01c0 ",
        ),
        ("m_iv_tuser <= refused", "m_iv_tuser <= 1'b0", r"\(tuser 0\)"),
        ("encrypts ? {32'b0, iv}", "encrypts ? {32'b0, iv[95:89], ~iv[88], iv[87:0]}", "beat 2 is"),
        ("m_iv_tvalid <= encrypts", "m_iv_tvalid <= encrypts && !refused", "IVs left, .* are due"),
        ("if (m_iv_tready) m_iv", "if (m_iv_tready || m_iv_tvalid) m_iv", "m_iv_tvalid fell"),
    ],
    ids=["zeroize restarts the count", "no error", "another IV", "an IV is missing", "falls"],
)
def test_the_bench_of_a_bundle_finds_mutants(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    build(COUNTED, out)
    path = out / "rtl" / M
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    done = simulate(out, "little_gcm_counted")
    assert done.returncode != 0
    assert re.search(words, done.stdout), done.stdout


def test_no_iv_of_the_bench_leaves_twice() -> None:
    passes = bench_passes(COUNTED)
    out = [one.iv_out[0] for packets in passes for one in packets if one.iv_out]
    good = [iv for iv in out if int(iv, 16)]
    assert len(passes) == 3
    assert len(good) == len(set(good)) == 3 * (len(out) // 3 - 1)
    # Only what leaves differs.
    inputs = [[(one.context, one.beats) for one in packets] for packets in passes]
    assert inputs[0] == inputs[1] == inputs[2]
    assert bench_passes(HELD)[1:] == []
    first = passes[0][0]
    assert "under a counted IV" in first.source
    iv = fixed_fields(COUNTED)[0] + bytes(8)
    assert first.iv_out == (iv[::-1].hex(), 0)


def test_the_files_of_a_bundle_have_the_channel(tmp_path: Path) -> None:
    build(COUNTED, tmp_path)
    files = {
        path: (tmp_path / path).read_text(encoding="utf-8")
        for path in (
            *("README.md", "component.xml", "vhdl/little_gcm_counted_pkg.vhd"),
            *("verilog/little_gcm_counted_top.v", "rtl/little_gcm_counted.sv"),
        )
    }
    assert "each configuration of the device start the counter again" in files["README.md"]
    assert "<spirit:name>m_iv</spirit:name>" in files["component.xml"]
    assert "s_axis:m_axis:m_iv" in files["component.xml"]
    assert "type m_iv_t is record" in files["vhdl/little_gcm_counted_pkg.vhd"]
    assert 'axis:1.0 m_iv TDATA"' in files["verilog/little_gcm_counted_top.v"]
    assert "aesforge_engine_gcm_counted #(" in files["rtl/little_gcm_counted.sv"]


# --- Files ----------------------------------------------------------------------------------------


def through(folder: Path, data: bytes, **options: Any) -> tuple[bytes, Any]:
    source, target = folder / "in", folder / "out"
    source.write_bytes(data)
    options = {"cipher": "gcm", "key": KEY, "optimize": "build", **options}
    report = crypt_sealed_file(COUNTED, source, target, **options)
    return target.read_bytes(), report


def test_a_file_is_encrypted_under_the_iv_that_is_reported(tmp_path: Path) -> None:
    data = os.urandom(100)
    ivs = set()
    for _ in range(2):
        sealed, report = through(tmp_path, data, stall=0.3)
        iv = bytes.fromhex(report.iv)
        # The count starts at 0 in each simulation, so the field is drawn anew.
        assert iv[4:] == bytes(8)
        ivs.add(iv)
        assert sealed == AESGCM(KEY).encrypt(iv, data, None)
        assert f"IV          {report.iv}, made by the engine" in report.text()
        opened, report = through(tmp_path, sealed, iv=iv, decrypt=True)
        assert (opened, report.iv) == (data, None)
    assert len(ivs) == 2
    sealed, report = through(tmp_path, data, iv_fixed=b"node")
    assert report.iv == (b"node" + bytes(8)).hex()
    assert sealed == AESGCM(KEY).encrypt(b"node" + bytes(8), data, None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"iv": bytes(12)}, "makes the IV of what it encrypts"),
        ({"decrypt": True}, "gcm needs an IV: --iv"),
        ({"iv_fixed": bytes(3)}, "a fixed field of 3 bytes: it has 4"),
        ({"iv_fixed": bytes(4), "iv": bytes(12), "decrypt": True}, "that encrypts"),
    ],
    ids=str,
)
def test_what_is_refused(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        through(tmp_path, bytes(40), **options)
    assert not (tmp_path / "out").exists()


def test_only_such_an_engine_takes_a_fixed_field(tmp_path: Path) -> None:
    for design, mode in ((HELD, "gcm"), (HELD.core, "ctr")):
        with pytest.raises(UsageError, match="--iv-fixed is for encryption with iv = counted"):
            crypt_file(design, tmp_path, tmp_path, mode=mode, key=KEY, iv_fixed=bytes(4))
    with pytest.raises(UsageError, match="--iv and iv = counted exclude each other"):
        crypt_file(COUNTED, tmp_path, tmp_path, mode="gcm", key=KEY, iv=bytes(12))


def test_a_wrong_iv_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rtl = changed_rtl(tmp_path / "rtl", M, "<= refused ? '0 : iv;", "<= '0;")
    monkeypatch.setattr("aesforge.crypt.sealed.engine_module", with_files(rtl))
    with pytest.raises(
        CheckFailed, match=r"'little-gcm-counted' is wrong: cycle \d+: IV 0 at m_iv"
    ):
        through(tmp_path, bytes(100), iv_fixed=b"node")
    assert not (tmp_path / "out").exists()


def test_the_command_prints_the_iv_and_takes_it(tmp_path: Path) -> None:
    design, source = tmp_path / "d.toml", tmp_path / "in"
    design.write_text(COUNTED.to_toml(), encoding="utf-8")
    source.write_bytes(b"text")
    sealed, opened = tmp_path / "sealed", tmp_path / "opened"
    argv = ["crypt", str(design), str(source), str(sealed), "--mode", "gcm", "--key", KEY.hex()]
    done = CliRunner().invoke(main, argv)
    assert done.exit_code == 0, done.stderr
    iv = done.stdout.removesuffix("\n")
    assert re.fullmatch(r"[0-9a-f]{8}0{16}", iv)
    back = ["crypt", str(design), str(sealed), str(opened), *argv[4:], "--decrypt", "--iv", iv]
    done = CliRunner().invoke(main, back)
    assert (done.exit_code, done.stdout) == (0, ""), done.stderr
    assert opened.read_bytes() == b"text"
    for more, words in (
        (["--iv", iv], "keep the IV that is printed"),
        (["--iv-fixed", "12345"], "the fixed field has 5 hexadecimal digits; it takes 8"),
        (["--decrypt"], "gcm needs an IV"),
        (["--iv", iv, "--decrypt", "--iv-fixed", "01020304"], "to decrypt, give --iv"),
    ):
        done = CliRunner().invoke(main, [*argv, *more])
        assert (done.exit_code, done.stdout) == (2, "")
        assert words in done.stderr


# --- Other verbs ----------------------------------------------------------------------------------


def test_it_is_measured_and_drawn_as_what_it_is() -> None:
    target = Target.of(COUNTED)
    assert target.top == "aesforge_engine_gcm_counted"
    assert {"aesforge_gcm_iv.sv", "aesforge_engine_gcm.sv"} <= {path.name for path in target.files}
    assert target.subject().engine is not None
    assert target.subject().engine["iv"] == "counted"  # type: ignore[index]
    text = diagram_text(COUNTED)
    assert "iv_fixed ╶" in text
    assert "m_iv ◀" in text
    assert "m_iv" not in diagram_text(dataclasses.replace(COUNTED, iv="given"))

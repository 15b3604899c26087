# SPDX-License-Identifier: Apache-2.0
"""The bundle of an engine is whole, and its bench passes and fails where it must."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

from aesforge.bundle import build, render
from aesforge.bundle.files import MANIFEST
from aesforge.bundle.packets import bench_packets
from aesforge.bundle.ports import engine_ports
from aesforge.design import load_any
from aesforge.design.engine import Engine
from aesforge.design.presets import ENGINES
from aesforge.toolchain import programs
from engines import (
    BROAD,
    CCM,
    CCM_RING,
    COUNTED,
    COUNTED_SERIAL,
    FEEDBACK,
    HELD,
    HELD_STREAMS,
    OFFSETS,
    RING,
    SEALED,
    SEALED_SERIAL,
    SEALED_WIDEST,
    SEALING_OFFSETS,
    SMALL,
    UNITS,
    WHOLE_UNITS,
    WHOLE_WIDE_UNITS,
    WIDE,
    WIDE_UNITS,
)
from standalone import build_and_run, require_no_complaint, require_verilog_top
from test_bundle import YOSYS, simulate, tree

NARROW = Engine(
    name="cbc", core=dataclasses.replace(RING, direction="decrypt"), modes=("cbc-decrypt",)
)
REGISTERS = dataclasses.replace(WIDE, name="registers", contexts="csr")
LANE_REGISTERS = dataclasses.replace(FEEDBACK, name="stream-registers", contexts="csr")
BROAD_REGISTERS = dataclasses.replace(BROAD, name="broad-registers", contexts="csr")
# Whose registers keep results.
SEALED_REGISTERS = dataclasses.replace(SEALED_SERIAL, name="gcm-registers", contexts="csr")
COUNTED_REGISTERS = dataclasses.replace(COUNTED_SERIAL, name="counted-registers", contexts="csr")
WITH_RESULTS = (
    *(SEALED_REGISTERS, COUNTED_REGISTERS),
    dataclasses.replace(CCM_RING, name="ccm-registers", contexts="csr"),
    dataclasses.replace(OFFSETS, name="ocb-registers", contexts="csr"),
    dataclasses.replace(UNITS, name="xts-registers", contexts="csr"),
)
# With benches of their own.
BENCHED = (
    *(SMALL, NARROW, BROAD, REGISTERS, FEEDBACK, LANE_REGISTERS, BROAD_REGISTERS, SEALED, HELD),
    *(COUNTED, HELD_STREAMS, UNITS, WHOLE_UNITS, OFFSETS, SEALING_OFFSETS, SEALED_WIDEST),
    *(WIDE_UNITS, WHOLE_WIDE_UNITS, *WITH_RESULTS),
)
ALL = (*ENGINES.values(), WIDE, *BENCHED)


@pytest.mark.parametrize("engine", ALL, ids=lambda one: one.name)
def test_a_bundle_holds_what_its_lists_name(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(engine, out)
    files = tree(out)
    module = engine.name.replace("-", "_")
    listed = files["files.f"].decode().split()
    assert sorted(listed) == [name for name in files if name.startswith("rtl/")]
    scripts = [f"synth/{tool}" for tool in ("yosys.ys", "vivado.tcl", "quartus.tcl")]
    for other in (f"{module}.core", *scripts, "synth/radiant.tcl", "synth/diamond.tcl"):
        assert re.findall(r"rtl/\w+\.sv", files[other].decode()) == listed, other
    assert load_any(out / "design.toml") == engine
    assert MANIFEST in files
    assert render(engine) == render(engine)
    wrapper = files[f"rtl/{module}.sv"].decode()
    fixed = re.findall(r"^\s+\.([A-Z]\w+)\((\S+)\)", wrapper, re.MULTILINE)
    assert [name for name, _ in fixed] == list(engine.wrapped_parameters())
    readme = files["README.md"].decode()
    for port in (port for port in engine_ports(engine) if port.used):
        assert f"| `{port.name}` | {port.direction} | {port.bits} |" in readme
    for text in files.values():
        assert text.endswith(b"\n")
        assert b"\t" not in text


@pytest.mark.parametrize("engine", BENCHED, ids=lambda one: one.name)
def test_verilator_has_no_complaint(engine: Engine, tmp_path: Path) -> None:
    build(engine, tmp_path / "out")
    module = engine.name.replace("-", "_")
    require_no_complaint(tmp_path / "out", module)


@pytest.mark.parametrize("engine", [SMALL, REGISTERS], ids=lambda one: one.name)
def test_the_top_in_verilog_has_vivados_interfaces(engine: Engine, tmp_path: Path) -> None:
    build(engine, tmp_path / "out")
    module = engine.name.replace("-", "_")
    text = require_verilog_top(tmp_path / "out", module)
    for port in (port for port in engine_ports(engine) if port.used):
        assert re.search(rf"^    {port.direction} +wire +.*\b{port.name},?$", text, re.MULTILINE)
    found = re.findall(r'X_INTERFACE_INFO = "xilinx\.com:interface:axis:1\.0 (\w+) (\w+)"', text)
    signals = ("TDATA", "TKEEP", "TLAST", "TREADY", "TUSER", "TVALID")
    for channel in ("s_axis", "m_axis"):
        assert {(channel, signal) for signal in signals} <= set(found)
    assert ("xilinx.com:interface:aximm:1.0 s_axil AWVALID" in text) == engine.has_csr
    assert "X_INTERFACE" not in (tmp_path / "out" / "rtl" / f"{module}.sv").read_text()


def test_the_bench_finds_a_wrong_beat(tmp_path: Path) -> None:
    """The bench of an engine with registers runs in examples/csr."""
    out = tmp_path / "out"
    build(SMALL, out)
    bench = out / "tb" / "tb_little_ctr.sv"
    beats = [beat for packet in bench_packets(SMALL) for beat in packet.due]
    # The last beat that has bytes: all before it have passed when it fails.
    last = max(number for number, (due, *_) in enumerate(beats) if int(due, 16))
    assert last > 20
    text = bench.read_text(encoding="utf-8")
    line = f"out_data[{last}] = 128'h{beats[last][0]};"
    assert text.count(line) == 1
    bench.write_text(text.replace(line, f"out_data[{last}] = 128'h1;"), encoding="utf-8")
    done = simulate(out, "little_ctr")
    assert f"beat {last} is {beats[last][0]}" in done.stdout
    assert "PASS" not in done.stdout
    assert done.returncode != 0


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_packets_with_tags_are_those_of_the_authors_of_gcm(key_bits: int) -> None:
    core = dataclasses.replace(SEALED.core, key_bits=key_bits, unroll="full")
    packets = bench_packets(dataclasses.replace(SEALED, core=core))
    sealed, opened = packets[:2]
    # Test cases 4, 10 and 16.
    tag = {
        128: "5bc94fbc3221a5db94fae95ae7121a47",
        192: "2519498e80f1478f37ba55bd6d27618c",
        256: "76fc6ece0f4e1768cddf8853bb2d551b",
    }[key_bits]
    assert bytes.fromhex(sealed.due[-1][0])[::-1].hex() == tag
    assert bytes.fromhex(opened.beats[-1][0])[::-1].hex() == tag
    assert [beat[2] for beat in sealed.beats] == [1, 1, 0, 0, 0, 0, 0]
    hashed = next(packet for packet in packets if packet.context.iv_kind == 2)
    tag = {
        128: "3612d2e79e3b0785561be14aaca2fccb",
        192: "65dcc57fcf623a24094fcca40d3533f8",
        256: "3a337dbf46a792c45e454913fe2ea8f2",
    }[key_bits]
    assert bytes.fromhex(hashed.due[-1][0])[::-1].hex() == tag
    wrong = [packet for packet in packets if packet.due[-1][2]]
    assert [packet.source.endswith(": error") for packet in packets] == [
        packet in wrong for packet in packets
    ]
    assert len(wrong) == 6


def test_packets_of_ccm_are_those_of_the_standard() -> None:
    packets = bench_packets(CCM_RING)
    # SP 800-38C Appendix C: ciphertext and tag of the first three examples.
    due = [
        "7162015b4dac255d",
        "d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd",
        "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951",
    ]
    for sealed, opened, text in zip(packets[:6:2], packets[1:6:2], due, strict=True):
        assert "SP 800-38C example" in sealed.source
        for beats in ([one[:2] for one in sealed.due], [one[:2] for one in opened.beats]):
            kept = b"".join(bytes.fromhex(data)[::-1][: keep.bit_count()] for data, keep in beats)
            assert kept.hex().endswith(text)
    wrong = [packet for packet in packets if packet.due[-1][2]]
    assert [packet.source.endswith(": error") for packet in packets] == [
        packet in wrong for packet in packets
    ]
    assert len(wrong) == 10


@pytest.mark.parametrize(
    "engine",
    [
        *(BROAD_REGISTERS, LANE_REGISTERS, SEALED, HELD, CCM, CCM_RING, UNITS, WHOLE_UNITS),
        *(WIDE_UNITS, WHOLE_WIDE_UNITS),
        *(COUNTED, OFFSETS, SEALING_OFFSETS, SEALED_WIDEST, *WITH_RESULTS),
    ],
    ids=lambda one: one.name,
)
def test_the_bench_of_others_passes(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(engine, out)
    done = simulate(out, engine.name.replace("-", "_"))
    assert "PASS" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("engine", WITH_RESULTS[1:3], ids=lambda one: one.name)
def test_yosys_builds_registers_as_the_rtl_says(engine: Engine, tmp_path: Path) -> None:
    """The bench passes on the netlist: of counted IVs, and of several streams."""
    out = tmp_path / "out"
    build(engine, out)
    module = engine.name.replace("-", "_")
    files = (out / "files.f").read_text(encoding="utf-8").split()
    script = [
        f"read_verilog -sv {' '.join(files)}",
        f"hierarchy -check -top {module}",
        *("proc", "flatten", "opt", "check -assert", "memory_collect"),
        *("select -assert-none t:$dlatch", "write_verilog -noattr netlist.v"),
    ]
    (out / "netlist.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
    programs.run("yosys", ["netlist.ys"], out, out / "yosys.log")
    quiet = ("-Wno-fatal", "-Wno-lint", "-Wno-style")
    done = build_and_run(out, f"tb_{module}", "netlist.v", f"tb/tb_{module}.sv", *quiet)
    assert "PASS" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            ("result_tag_word(result_waits ? made_tag", "result_tag_word(result_waits ? ~made_tag"),
            "result",
        ),
        (("made ? result_iv : '0", "made ? ~result_iv : '0"), "the IV of result"),
        (("assign replaces = s_axis_tlast &&", "assign replaces = 1'b0 &&"), ""),
    ],
)
def test_the_bench_finds_a_wrong_result(wrong: tuple[str, str], said: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(COUNTED_REGISTERS, out)
    file = out / "rtl" / "aesforge_packet_registers.sv"
    text = file.read_text(encoding="utf-8")
    assert text.count(wrong[0]) == 1
    file.write_text(text.replace(*wrong), encoding="utf-8")
    done = simulate(out, "counted_registers")
    assert f"FAIL: {said}" in done.stdout, done.stdout


def test_yosys_reads_the_bundle(tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(WIDE, out)
    done = subprocess.run(
        [sys.executable, "-c", YOSYS], cwd=out, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    assert "implicitly declared" not in done.stdout

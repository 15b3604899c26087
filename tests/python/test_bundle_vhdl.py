# SPDX-License-Identifier: Apache-2.0
"""The VHDL of a bundle: GHDL and NVC analyse it, and its bench passes on a VHDL netlist.

Debian 12 has no package of NVC: its tests are skipped where no `nvc` is on PATH.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from aesforge.bundle import build, render
from aesforge.bundle.ports import core_ports
from aesforge.design import Design
from aesforge.design.engine import Engine
from aesforge.design.presets import ENGINES, PRESETS
from engines import COUNTED
from test_bundle_engine import REGISTERS


def analyser(name: str) -> object:
    missing = pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is missing")
    return pytest.param(name, marks=missing)


analysers = pytest.mark.parametrize("tool", [analyser("ghdl"), analyser("nvc")])
icarus = pytest.mark.skipif(
    # Later versions have no VHDL any more.
    not list(Path("/usr/lib").glob("*/ivl/vhdl.conf")),
    reason="Icarus Verilog 11, which writes VHDL, is missing",
)


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def analyse(folder: Path, tool: str, standard: str, *files: str) -> str:
    """Analyse files in order; return what the tool says."""
    # NVC has years, and options before the command.
    years = {"93": "1993", "08": "2008"}
    options = (f"--std={years[standard]}", "-a") if tool == "nvc" else ("-a", f"--std={standard}")
    done = run(folder, tool, *options, *files)
    assert done.returncode == 0, done.stderr
    return done.stderr


@analysers
@pytest.mark.parametrize("standard", ["93", "08"])
def test_package_and_example_are_analysed(standard: str, tool: str, tmp_path: Path) -> None:
    every: list[Design | Engine] = [*PRESETS.values(), *ENGINES.values(), REGISTERS, COUNTED]
    for design in every:
        module = design.name.replace("-", "_")
        files = render(design)
        (tmp_path / module / "vhdl").mkdir(parents=True)
        names = [f"vhdl/{module}_pkg.vhd", f"vhdl/{module}_example.vhd"]
        if standard == "08" and f"vhdl/tb_{module}.vhd" in files:
            names.append(f"vhdl/tb_{module}.vhd")
        for name in names:
            (tmp_path / module / name).write_text(files[name], encoding="utf-8")
        assert analyse(tmp_path / module, tool, standard, *names) == "", design.name


def test_records_have_every_signal_but_tready() -> None:
    module = "ctr_stream"
    files = render(ENGINES["ctr-stream"])
    package = files[f"vhdl/{module}_pkg.vhd"]
    for channel in ("s_axis", "m_axis"):
        record = package.partition(f"type {channel}_t is record")[2].partition("end record")[0]
        fields = re.findall(r"^\s+(\w+) :", record, re.MULTILINE)
        assert fields == ["tvalid", "tdata", "tkeep", "tlast", "tid", "tuser"]
    example = files[f"vhdl/{module}_example.vhd"]
    assert "s_axis_tdata => s_axis.tdata," in example
    assert "m_axis_tready => m_axis_tready," in example
    assert "s_ctx : in  s_ctx_t;" in example
    assert "s_ctx_iv => s_ctx.iv," in example
    assert "s_ctx_tready => s_ctx_tready," in example
    assert "record" not in render(PRESETS["compact"])["vhdl/compact_pkg.vhd"]


def test_keys_and_contexts_are_records_where_an_engine_has_such_ports() -> None:
    package = render(ENGINES["gcm-stream"])["vhdl/gcm_stream_pkg.vhd"]
    for channel, due in (
        ("s_key", ["tvalid", "slot", "tdata"]),
        ("s_ctx", ["tvalid", "slot", "iv", "iv_kind", "decrypt", "tag_bytes"]),
    ):
        record = package.partition(f"type {channel}_t is record")[2].partition("end record")[0]
        assert re.findall(r"^\s+(\w+) :", record, re.MULTILINE) == due
    agile = render(ENGINES["ctr-stream"])["vhdl/ctr_stream_pkg.vhd"]
    assert "type s_key_t" not in agile, "an agile key comes with its context"
    registers = render(REGISTERS)
    module = REGISTERS.name.replace("-", "_")
    assert "type s_ctx_t" not in registers[f"vhdl/{module}_pkg.vhd"]


# --- The bench, on VHDL that is made of the single file -------------------------------------------


def netlist(folder: Path, design: Design) -> None:
    """Write the core as VHDL: Icarus translates the single file, its ports become vectors."""
    module = design.name.replace("-", "_")
    command = ("iverilog", "-tvhdl", "-o", "netlist.vhd", f"verilog/{module}.v")
    done = run(folder, *command)
    assert done.returncode == 0, done.stderr
    path = folder / "netlist.vhd"
    text = path.read_text(encoding="utf-8")
    # The top gets another name, and a shell with the ports of the component around it.
    text = re.sub(rf"\b(entity|of) {module}\b", rf"\1 {module}_netlist", text)
    path.write_text(text, encoding="utf-8")
    component = (folder / "vhdl" / f"{module}_pkg.vhd").read_text(encoding="utf-8")
    ports = component.partition("    port (")[2].partition("    );")[0]
    wires = []
    for port in (port for port in core_ports(design) if port.used):
        if port.bits == 1:
            wires.append(f"{port.name} => {port.name}")
        elif port.direction == "input":
            wires.append(f"{port.name} => unsigned({port.name})")
        else:
            wires.append(f"std_logic_vector({port.name}) => {port.name}")
    head = "library ieee;\nuse ieee.std_logic_1164.all;\nuse ieee.numeric_std.all;\n"
    shell = f"{head}entity {module} is port ({ports});\nend entity;\n"
    shell += f"architecture shell of {module} is begin\n"
    shell += (
        f"  u : entity work.{module}_netlist port map ({', '.join(wires)});\nend architecture;\n"
    )
    (folder / "shell.vhd").write_text(shell, encoding="utf-8")


# Icarus 11 crashes on stored keys, and makes no legal VHDL of column_serial.
SIMULATED = (
    PRESETS["compact"],
    PRESETS["compact-bram"],
    Design(name="both", direction="both", unroll=1, key_bits=256, tag_bits=1, tiles=2),
    Design(name="parity", unroll=1, error_detection="parity", sbox="split4"),
)


@analysers
@icarus
@pytest.mark.parametrize("design", SIMULATED, ids=lambda one: one.name)
def test_the_bench_passes_on_a_netlist_and_can_fail(
    design: Design, tool: str, tmp_path: Path
) -> None:
    build(design, tmp_path, single_file=True)
    netlist(tmp_path, design)
    module = design.name.replace("-", "_")
    bench = tmp_path / "vhdl" / f"tb_{module}.vhd"
    files = ("netlist.vhd", "shell.vhd", f"vhdl/{module}_pkg.vhd")

    def simulate() -> subprocess.CompletedProcess[str]:
        analyse(tmp_path, tool, "08", *files, f"vhdl/{bench.name}")
        top = f"tb_{module}_vhdl"
        if tool == "nvc":
            return run(tmp_path, tool, "--std=2008", "-e", top, "-r", "--ieee-warnings=off", top)
        return run(tmp_path, tool, "--elab-run", "--std=08", top, "--ieee-asserts=disable")

    done = simulate()
    assert re.search(r"PASS: \d+ beats", done.stdout + done.stderr), done.stdout + done.stderr
    assert done.returncode == 0
    text = bench.read_text(encoding="utf-8")
    last = re.findall(r'^ +x"(\w+)"\);$', text, re.MULTILINE)[-1]
    wrong = f"{int(last, 16) ^ 1:0{len(last)}x}"
    bench.write_text(text.replace(f'x"{last}");', f'x"{wrong}");'), encoding="utf-8")
    done = simulate()
    assert "FAIL: vector" in done.stdout + done.stderr
    assert done.returncode != 0


def test_an_engine_has_no_bench_in_vhdl() -> None:
    engine: Engine = ENGINES["ctr-stream"]
    assert not [path for path in render(engine) if "tb_" in path and path.endswith(".vhd")]

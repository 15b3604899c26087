# SPDX-License-Identifier: Apache-2.0
"""The paths of docs/integration.md, word by word: commands and code do what their section says."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from project import REPO
from test_bundle_builders import environment
from test_bundle_scripts import commands

PAGE = (REPO / "docs" / "integration.md").read_text(encoding="utf-8")
needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs a C compiler, gcc")
needs_ghdl = pytest.mark.skipif(not shutil.which("ghdl"), reason="needs GHDL, ghdl")
# A design around the lines of the page.
VHDL = """
library ieee;
use ieee.std_logic_1164.all;
use work.aes_pkg.all;

entity top is
  port (
    clk, rst, valid : in std_logic;
    ready, done : out std_logic;
    plaintext, key : in std_logic_vector(127 downto 0);
    number : in std_logic_vector(7 downto 0);
    ciphertext : out std_logic_vector(127 downto 0);
    done_number : out std_logic_vector(7 downto 0)
  );
end entity;

architecture rtl of top is
begin
{lines}
end architecture;
"""
# A SoC around the lines of the page.
LITEX = """
import migen
from litex.build.generic_platform import Pins
from litex.build.lattice import LatticePlatform
from litex.soc.integration.builder import Builder
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import axi, wishbone

class Soc(SoCMini):
    def __init__(self):
        io = [("clk", 0, Pins("P3"))]
        platform = LatticePlatform("LFE5U-85F-6BG381C", io, toolchain="trellis")
        self.cd_sys = migen.ClockDomain("sys")
        self.comb += self.cd_sys.clk.eq(platform.request("clk"))
        SoCMini.__init__(self, platform, int(50e6), with_uart=False)
        self.bus.add_master("host", wishbone.Interface())
        dma_reader = axi.AXIStreamInterface(128, 16, 1, user_width=1)
        dma_writer = axi.AXIStreamInterface(128, 16, 1, user_width=2)
{lines}

Builder(Soc(), output_dir="soc", compile_software=False).build(run=False)
"""
AMARANTH = """
from amaranth import hdl
from amaranth.back import rtlil

class Top(hdl.Elaboratable):
    def __init__(self):
        self.ports = [hdl.Signal(128, name=name) for name in ("block", "key", "ciphertext")]

    def elaborate(self, platform):
        block, key, ciphertext = self.ports
        m = hdl.Module()
{lines}
        return m

top = Top()
print(rtlil.convert(top, ports=top.ports))
"""
COCOTB = """
import asyncio

class AxiLiteMaster:
    words = {{0: 0x41455346, 0x10: 7}}

    async def read_dword(self, address):
        return self.words.get(address, 0)

    async def write_dword(self, address, value):
        self.words[address] = value
        self.words[0x10] += address == 0x54  # a packet comes out at once

async def main():
    axil_master, iv, key = AxiLiteMaster(), bytes(16), bytes(range(16))
{lines}
    print(axil_master.words[0x10], axil_master.words[0x2C])

asyncio.run(main())
"""


def blocks(section: str, kind: str) -> list[str]:
    """Return the code blocks of a section."""
    (text,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    return re.findall(rf"```{kind}\n(.*?)```", text, re.S)


def run(
    folder: Path, *argv: str | Path, path: str = "", status: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder."""
    done = subprocess.run(
        argv,
        cwd=folder,
        env={
            **environment(folder / "home"),
            "PYTHONPATH": os.pathsep.join([path, str(REPO / "src")]),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, (done.stdout + done.stderr)[-3000:]
    return done


def build(section: str, folder: Path) -> None:
    """Run the section's `aesforge build`."""
    (line,) = [line for line in blocks(section, "sh")[0].splitlines() if "aesforge build" in line]
    run(folder, sys.executable, "-m", "aesforge", *shlex.split(line)[1:])


def fill(program: str, section: str, indent: int) -> str:
    """Return a program with the section's Python in it."""
    (lines,) = blocks(section, "python")
    return program.format(lines=textwrap.indent(lines, " " * indent))


def test_vivado(tmp_path: Path) -> None:
    build("Vivado", tmp_path)
    (lines,) = blocks("Vivado", "tcl")
    (tmp_path / "console.tcl").write_text(lines, encoding="utf-8")
    repository, update, cell = (
        run for run in commands(tmp_path / "console.tcl") if run != ["current_project"]
    )
    component = (tmp_path / repository[2] / "component.xml").read_text(encoding="utf-8")
    identity = [
        re.findall(rf"<spirit:{tag}>(.*?)</spirit:{tag}>", component)[0]
        for tag in ("vendor", "library", "name", "version")
    ]
    assert update == ["update_ip_catalog"]
    assert cell == ["create_bd_cell", "-type", "ip", "-vlnv", ":".join(identity), "aes"]

    # The line for a shell, in the bundle's folder.
    argv = shlex.split(blocks("Vivado", "sh")[1])
    script, part = argv[argv.index("-source") + 1], argv[argv.index("-tclargs") + 1]
    noted = commands(tmp_path / "ctr" / script, part)
    assert ["synth_design", "-top", "ctr", "-part", part] in [run[:5] for run in noted]


@needs_ghdl
def test_vhdl(tmp_path: Path) -> None:
    build("VHDL", tmp_path)
    (lines,) = blocks("VHDL", "vhdl")
    (tmp_path / "top.vhd").write_text(VHDL.format(lines=lines), encoding="utf-8")
    for standard in ("93", "08"):
        run(tmp_path, "ghdl", "-a", f"--std={standard}", "aes/vhdl/aes_pkg.vhd", "top.vhd")


def test_litex(tmp_path: Path) -> None:
    build("LiteX", tmp_path)
    path = str(tmp_path / "ctr" / "litex")
    run(tmp_path, sys.executable, "-c", fill(LITEX, "LiteX", 8), path=path)
    (soc,) = (tmp_path / "soc" / "gateware").glob("*.v")
    assert "ctr ctr(" in soc.read_text(encoding="utf-8")


def test_amaranth(tmp_path: Path) -> None:
    build("Amaranth", tmp_path)
    path = str(tmp_path / "compact" / "amaranth")
    done = run(tmp_path, sys.executable, "-c", fill(AMARANTH, "Amaranth", 8), path=path)
    assert re.search(r"^ *cell \\compact ", done.stdout, re.M)
    assert "\\ciphertext" in done.stdout


@pytest.mark.parametrize("target", ["lint", "sim"])
def test_fusesoc(target: str, tmp_path: Path) -> None:
    build("FuseSoC, Edalize, Bender", tmp_path)
    lines = blocks("FuseSoC, Edalize, Bender", "sh")[0].splitlines()
    (line,) = [line for line in lines if f"--target {target} " in line]
    done = run(tmp_path, sys.executable, "-m", "fusesoc.main", *shlex.split(line)[1:])
    assert target == "lint" or "PASS: 18 blocks" in done.stdout


@needs_gcc
def test_bare_metal(tmp_path: Path) -> None:
    build("Bare metal", tmp_path)
    (code,) = blocks("Bare metal", "c")
    (tmp_path / "main.c").write_text(
        code + "int main(void) {\n  static uint32_t csrs[32] = {0x41455346u};\n"
        "  const uint8_t bytes[16] = {0};\n"
        "  return encrypt(csrs, bytes, bytes) == AESFORGE_TIMEOUT ? 0 : 1;\n}\n",
        encoding="utf-8",
    )
    sources = ("main.c", "ctr/software/c/aesforge_engine.c")
    run(tmp_path, "gcc", "-std=c99", "-Wall", "-Wextra", "-Ictr/software/c", *sources, "-o", "main")
    run(tmp_path, tmp_path / "main")


@needs_gcc
def test_bare_metal_with_results(tmp_path: Path) -> None:
    build("Bare metal, with results", tmp_path)
    (code,) = blocks("Bare metal, with results", "c")
    (tmp_path / "main.c").write_text(
        code + "int main(void) {\n  static uint32_t csrs[64] = {0x41455350u};\n"
        "  const uint8_t bytes[16] = {0};\n  uint8_t tag[16];\n"
        # A result waits, whatever was written: its tag is that of the memory.
        "  csrs[2] = 4u;\n  csrs[0xb0 / 4] = 0x04030201u;\n"
        "  if (seal(csrs, bytes, bytes, tag) != AESFORGE_OK || tag[0] != 1u) { return 1; }\n"
        "  csrs[0xa0 / 4] = 1u;\n"
        "  if (seal(csrs, bytes, bytes, tag) != AESFORGE_PACKET_ERROR) { return 2; }\n"
        "  csrs[2] = 0u;\n"
        "  return seal(csrs, bytes, bytes, tag) == AESFORGE_TIMEOUT ? 0 : 3;\n}\n",
        encoding="utf-8",
    )
    folder = "gcm/software/c"
    sources = ("main.c", f"{folder}/aesforge_packet_engine.c", f"{folder}/aesforge_engine.c")
    run(tmp_path, "gcc", "-std=c99", "-Wall", "-Wextra", f"-I{folder}", *sources, "-o", "main")
    run(tmp_path, tmp_path / "main")


def test_cocotb(tmp_path: Path) -> None:
    build("Bare metal", tmp_path)
    path = str(tmp_path / "ctr" / "software" / "python")
    done = run(tmp_path, sys.executable, "-c", fill(COCOTB, "cocotb", 4), path=path)
    assert done.stdout.split() == ["8", str(int.from_bytes(bytes([12, 13, 14, 15]), "little"))]


@needs_gcc
def test_linux(tmp_path: Path) -> None:
    build("Bare metal", tmp_path)
    compile_it, start_it = blocks("Linux", "sh")[0].splitlines()
    bundle = tmp_path / "ctr"
    run(bundle, *shlex.split(compile_it))
    (bundle / "key.hex").write_text(bytes(range(16)).hex() + "\n")
    # No engine: a page of zeros.
    (bundle / "uio0").write_bytes(bytes(4096))
    done = run(bundle, "sh", "-c", start_it.replace("/dev/uio0", "./uio0"), status=1)
    assert done.stdout == "./uio0: no engine at this address\n"

# SPDX-License-Identifier: Apache-2.0
"""Every port of a wrapper is in one interface; LiteX and Amaranth elaborate what a bundle has."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from aesforge.bundle import build
from aesforge.bundle.files import module_name
from aesforge.bundle.interfaces import interfaces
from aesforge.bundle.ports import core_ports, engine_ports
from aesforge.design import Design
from aesforge.design.engine import Engine
from aesforge.design.presets import PRESETS
from engines import CCM, COUNTED, FEEDBACK, SEALED, SMALL, UNITS
from standalone import verilator
from test_bundle import DESIGNS
from test_bundle_engine import ALL, BROAD_REGISTERS, LANE_REGISTERS, REGISTERS

# A core, an engine, an engine with CSRs; and others, with every kind of port.
TINY = Design(sbox="table", sbox_stages=0, linear_stages=1, unroll=1)
WRAPPED: tuple[Design | Engine, ...] = (
    *(PRESETS["compact"], SMALL, REGISTERS),
    replace(TINY, name="slots", direction="both", key_schedule="stored", key_slots=3),
    replace(TINY, name="checked", error_detection="parity"),
    replace(TINY, name="keys", architecture="key_expand", unroll="full"),
    replace(TINY, name="keys-one-by-one", architecture="key_expand"),
    *(FEEDBACK, SEALED, COUNTED, CCM, UNITS, LANE_REGISTERS, BROAD_REGISTERS),
)


@pytest.mark.parametrize("design", [*DESIGNS, *ALL, *WRAPPED], ids=lambda one: one.name)
def test_every_port_is_in_one_interface(design: Design | Engine) -> None:
    ports = core_ports(design) if isinstance(design, Design) else engine_ports(design)
    used = [port for port in ports if port.used]
    found = interfaces(used)
    named = [port.name for _, port in found.bus] + [port.name for port in found.signals]
    for one in found.streams:
        named += [port.name for port in (one.valid, one.ready, *(p for _, p in one.fields)) if port]
        assert one.valid.direction == ("input" if one.into else "output")
        assert one.ready is None or one.ready.direction != one.valid.direction
        assert {port.direction for _, port in one.fields} <= {one.valid.direction}
    assert sorted(named) == sorted(port.name for port in used if port.name not in ("clk", "rst"))
    names = [one.name for one in found.streams] + [port.name for port in found.signals]
    assert len(set(names)) == len(names)
    # Nothing with a handshake is left among the signals, but the keys that leave one by one.
    left = {port.name for port in found.signals}
    assert not {name for name in left if name.endswith(("valid", "ready"))} - {"out_valid"}
    if isinstance(design, Engine):
        assert {"sink", "source"} <= {one.name for one in found.streams if one.is_axis}
        assert bool(found.bus) == design.has_csr


# Writes the Verilog of a LiteX module, alone and with a SoC around it where it has a bus.
LITEX = """
import sys
from runpy import run_path

import migen
from litex.build.generic_platform import Pins
from litex.build.lattice import LatticePlatform
from litex.gen.fhdl.verilog import convert

path, name, out = sys.argv[1:]
made = run_path(path)[name]
io = [("clk", 0, Pins("P3"))]
platform = LatticePlatform("LFE5U-85F-6BG381C", io, toolchain="trellis")
top = made(platform)
top.cd_sys = migen.ClockDomain("sys")
ios = {top.cd_sys.clk, top.cd_sys.rst}
for one in vars(top).values():
    if isinstance(one, migen.Signal):
        ios.add(one)
    elif hasattr(one, "flatten"):
        ios |= {*one.flatten()}
    for channel in ("aw", "w", "b", "ar", "r"):
        if hasattr(one, channel):
            ios |= {*getattr(one, channel).flatten()}
convert(top, ios, name="top", platform=platform).write(out)
print(*(source[0] for source in platform.sources))

if hasattr(top, "bus"):
    from litex.soc.integration.builder import Builder
    from litex.soc.integration.soc import SoCRegion
    from litex.soc.integration.soc_core import SoCMini
    from litex.soc.interconnect import wishbone

    class Soc(SoCMini):
        def __init__(self):
            platform = LatticePlatform("LFE5U-85F-6BG381C", io, toolchain="trellis")
            self.cd_sys = migen.ClockDomain("sys")
            self.comb += self.cd_sys.clk.eq(platform.request("clk"))
            SoCMini.__init__(self, platform, int(50e6), ident="aesforge", with_uart=False)
            self.bus.add_master("host", wishbone.Interface())
            self.aes = made(platform)
            region = SoCRegion(origin=0x40000000, size=0x80, cached=False)
            self.bus.add_slave("aes", self.aes.bus, region)

    Builder(Soc(), output_dir="soc", compile_software=False).build(run=False)
"""
# Writes the Verilog of an Amaranth component, by way of RTLIL, which Yosys reads with the sources.
AMARANTH = """
import sys
from runpy import run_path

from amaranth import hdl
from amaranth.back import rtlil
from amaranth.lib import stream, wiring
from pyosys import libyosys

path, name, out = sys.argv[1:]


class Platform:
    files = []

    def add_file(self, name, text):
        assert text.endswith("\\n")
        self.files.append(name)


top = run_path(path)[name]()
assert isinstance(top, wiring.Component)
members = top.signature.members.values()
assert any(isinstance(one.signature, stream.Signature) for one in members if one.is_signature)
ports = {}
for path, _, value in top.signature.flatten(top):
    value = hdl.Value.cast(value)
    # `ready` of a stream that is always ready is a constant, which rtlil.convert() cannot export.
    if isinstance(value, hdl.Signal):
        ports["__".join(map(str, path))] = (value, None)
with open("top.il", "w") as file:
    file.write(rtlil.convert(top, platform=Platform(), ports=ports))
design = libyosys.Design()
libyosys.run_pass("read_rtlil top.il", design)
libyosys.run_pass("write_verilog -noattr " + out, design)
libyosys.run_pass("read_verilog -sv " + open("files.f").read().replace("\\n", " "), design)
libyosys.run_pass("hierarchy -check -top top", design)
print(*Platform.files)
"""


def run(folder: Path, code: str, *words: str | Path) -> str:
    """Run a program, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def complaints(bundle: Path, *sources: str, top: str) -> list[str]:
    """Return what Verilator says of ports of another width, or of ports that are missing."""
    done = verilator(
        bundle, "--lint-only", "-Wno-fatal", "-f", "files.f", *sources, "--top-module", top
    )
    assert done.returncode == 0, done.stderr
    return re.findall(r"^%Warning-(?:WIDTH|PIN|IMPLICIT|MULTIDRIVEN|UNDRIVEN).*", done.stderr, re.M)


def place(port: str) -> str:
    """Return where a port must be found: its interface, and the name there."""
    if port in ("key", "alarm"):
        return {"key": "key.key", "alarm": "source.alarm"}[port]
    for start, name in (
        *(("s_axis_t", "sink"), ("m_axis_t", "source"), ("m_iv_t", "iv"), ("s_axil_", "bus")),
        *(("s_key_", "key"), ("s_ctx_", "context")),
        *(("in_", "sink"), ("key_", "key"), ("out_", "source")),
    ):
        if port.startswith(start):
            handshake = {"tvalid": "valid", "tready": "ready", "tdata": "data"}
            rest = port.removeprefix(start)
            return f"{name}.{handshake.get(rest, rest)}"
    return port


def connections(text: str, module: str) -> dict[str, str]:
    """Return the expression at each port of the instance of a module."""
    (instance,) = re.findall(rf"^ *{module} {module} ?\((.*?)\);", text, re.M | re.S)
    found = re.findall(r"^\s*\.(\w+) *\((.*?)\),?$", instance, re.M)
    return {port: signal for port, signal in found if port not in ("clk", "rst")}


def require_places(found: dict[str, str], design: Design | Engine) -> None:
    """Want each port at its interface, by name."""
    ports = core_ports(design) if isinstance(design, Design) else engine_ports(design)
    used = [port for port in ports if port.used]
    lone = {port.name for port in interfaces(used).signals}
    names = [port.name for port in used if port.name not in ("clk", "rst")]
    seen = {name: at.replace(".", "_") if name in lone else at for name, at in found.items()}
    assert seen == {name: name if name in lone else place(name) for name in names}


def litex_places(text: str, module: str) -> dict[str, str]:
    """Return the place of each port in the Verilog of LiteX."""
    places = {}
    for port, signal in connections(text, module).items():
        name = re.sub(r"_(?:payload|param)_|_(?=(?:valid|ready|last)$)", ".", signal)
        name = re.sub(r"\[\d+:0\]$", "", name)
        places[port] = re.sub(r"^(aw|w|b|ar|r)\.", r"bus.\1", name)
    return places


def amaranth_places(text: str, module: str) -> dict[str, str]:
    """Return the place of each port in the Verilog of Amaranth."""
    fields = {
        signal: f"{name}.{field}"
        for name, field, signal in re.findall(
            r"^  assign \\(\w+)__payload\.(\w+) += (.*);", text, re.M
        )
    }
    return {
        port: fields.get(signal, signal.replace("__", "."))
        for port, signal in connections(text, module).items()
    }


def wrapped(design: Design | Engine, folder: Path, tool: str) -> tuple[Path, str]:
    """Return a bundle, and the name of the class that a tool's module in it has."""
    build(design, folder)
    text = (folder / tool / f"{module_name(design)}.py").read_text(encoding="utf-8")
    (name,) = re.findall(r"^class (\w+)\(", text, re.M)
    return folder, str(name)


@pytest.mark.parametrize("design", WRAPPED, ids=lambda one: one.name)
def test_litex_elaborates_it(design: Design | Engine, tmp_path: Path) -> None:
    bundle, name = wrapped(design, tmp_path / "out", "litex")
    path = f"litex/{module_name(design)}.py"
    printed = run(bundle, LITEX, path, name, "litex_top.v")
    sources = [str(bundle / line) for line in (bundle / "files.f").read_text().split()]
    assert printed.split()[: len(sources)] == sources
    assert complaints(bundle, "litex_top.v", top="top") == []
    text = (bundle / "litex_top.v").read_text(encoding="utf-8")
    require_places(litex_places(text, module_name(design)), design)
    if isinstance(design, Engine) and design.has_csr:
        (soc,) = (bundle / "soc" / "gateware").glob("*.v")
        text = soc.read_text(encoding="utf-8")
        assert re.search(rf"^{module_name(design)} {module_name(design)}\(", text, re.M)
        script = next((bundle / "soc" / "gateware").glob("*.ys")).read_text(encoding="utf-8")
        assert all(source in script for source in sources)
        # LiteX' own code has widths that Verilator warns of; ours are those of the instance.
        found = complaints(bundle, str(soc), top=soc.stem)
        assert [one for one in found if "port connection" in one or "WIDTH" not in one] == []


@pytest.mark.parametrize("design", WRAPPED, ids=lambda one: one.name)
def test_amaranth_elaborates_it(design: Design | Engine, tmp_path: Path) -> None:
    bundle, name = wrapped(design, tmp_path / "out", "amaranth")
    printed = run(bundle, AMARANTH, f"amaranth/{module_name(design)}.py", name, "amaranth_top.v")
    sources = [Path(line).name for line in (bundle / "files.f").read_text().split()]
    assert printed.split()[-len(sources) :] == sources
    assert complaints(bundle, "amaranth_top.v", top="top") == []
    text = (bundle / "amaranth_top.v").read_text(encoding="utf-8")
    require_places(amaranth_places(text, module_name(design)), design)


@pytest.mark.parametrize("tool", ["litex", "amaranth"])
def test_a_wrong_width_shows(tool: str, tmp_path: Path) -> None:
    bundle, name = wrapped(SMALL, tmp_path / "out", tool)
    path = bundle / tool / "little_ctr.py"
    text = path.read_text(encoding="utf-8")
    changed = text.replace("data_width=128", "data_width=120").replace('"data": 128', '"data": 120')
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    run(bundle, LITEX if tool == "litex" else AMARANTH, str(path), name, "top.v")
    found = complaints(bundle, "top.v", top="top")
    assert [one for one in found if "WIDTH" in one and "port connection" in one]

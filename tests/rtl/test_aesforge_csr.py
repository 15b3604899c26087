# SPDX-License-Identifier: Apache-2.0
"""aesforge_csr: what scripts/make_csr.py makes of the description, and the same bank
made of it by PeakRDL, answer the same random accesses with the same values at every field.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from named_ports import Named, NamedBench, axi_lite
from rtl_bench import Mutation

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "scripts"))
from make_csr import SOURCE, field_ports, read  # noqa: E402

M = "aesforge_csr"
THEIRS = "peakrdl_registers"
MUTANTS = {
    "no strobes": Mutation(M, "mask[8*i+:8] = {8{s_axil_wstrb[i]}}", "mask[8*i+:8] = '1"),
    "a flag too few": Mutation(M, "value[2] = errors_key_dropped;", ""),
    "counts by one": Mutation(M, "32'(blocks_count_incrvalue)", "32'd1"),
}
_TOP, REGISTERS = read()
FIELDS = [
    (way, bits, name)
    for register in REGISTERS
    for field in register.fields
    for way, bits, name in field_ports(field)
]
PORTS = [*axi_lite(7), *FIELDS]
INSTANCES = [
    Named("ours", M, {}, PORTS),
    Named("theirs", "wrapped", {}, PORTS),
    *(Named(f"m{i}", M, {}, PORTS, mutation) for i, mutation in enumerate(MUTANTS.values())),
]


def peakrdl(folder: Path) -> str:
    """Text of PeakRDL's package and module, and of a wrapper with our ports around them."""
    from peakrdl_regblock import RegblockExporter
    from peakrdl_regblock.cpuif.axi4lite import AXI4Lite_Cpuif_flattened
    from peakrdl_regblock.udps import ALL_UDPS
    from systemrdl.compiler import RDLCompiler

    compiler = RDLCompiler()
    for one in ALL_UDPS:
        compiler.register_udp(one)
    compiler.compile_file(str(SOURCE))
    RegblockExporter().export(
        compiler.elaborate(),
        str(folder),
        cpuif_cls=AXI4Lite_Cpuif_flattened,
        module_name=THEIRS,
        package_name=f"{THEIRS}_pkg",
        default_reset_activelow=False,
        default_reset_async=False,
    )
    wires = []
    for register in REGISTERS:
        for field in register.fields:
            for way, _, name in field_ports(field):
                what = name.removeprefix(field.port).lstrip("_") or (
                    "value" if way == "output" else "next"
                )
                for number in range(field.count):
                    index = f"[{number}]" if field.count > 1 else ""
                    struct = f"hwif_{way[:-3] if way == 'output' else 'in'}"
                    there = f"{struct}.{register.name}{index}.{field.name}.{what}"
                    wide = what in ("value", "next") and field.count > 1
                    here = f"{name}[{field.bits * number}+:{field.bits}]" if wide else name
                    pair = (there, here) if way == "input" else (here, there)
                    wires.append("  assign {} = {};".format(*pair))
    ports = ",\n".join(
        f"  {way} logic [{bits - 1}:0] {name}"
        for way, bits, name in [("input", 1, "clk"), ("input", 1, "rst"), *PORTS]
    )
    bus = ", ".join(f".{name}" for _, _, name in axi_lite(7))
    files = (folder / f"{THEIRS}_pkg.sv", folder / f"{THEIRS}.sv")
    lines = "\n".join(wires)
    return "".join(path.read_text() for path in files) + (
        f"\nmodule wrapped (\n{ports}\n);\n"
        f"  {THEIRS}_pkg::{M}__in_t hwif_in;\n  {THEIRS}_pkg::{M}__out_t hwif_out;\n"
        f"{lines}\n  {THEIRS} u_bank (.clk, .rst, {bus}, .hwif_in, .hwif_out);\nendmodule\n"
    )


@cocotb.test()
async def the_same_as_peakrdl(dut: Any) -> None:
    draw = random.Random(3)
    for one in INSTANCES:
        for way, _, name in one.ports:
            if way == "input":
                getattr(dut, f"{one.name}_{name}").value = 0
    names = [one.name for one in INSTANCES]
    buses = {
        name: AxiLiteMaster(AxiLiteBus.from_prefix(dut, f"{name}_s_axil"), dut.clk, dut.rst)
        for name in names
    }
    Clock(dut.clk, 10, "ns").start()
    dut.rst.value = 1
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    wrong: dict[str, str] = {}
    pulses = [name for way, bits, name in FIELDS if way == "input" and bits == 1]
    values = [(bits, name) for way, bits, name in FIELDS if way == "input" and bits > 1]
    for step in range(400):
        if draw.random() < 0.5:
            # Hardware does something, for one cycle.
            two = draw.sample(pulses, 2)
            if {port.removesuffix("_hwclr") + "_hwset" for port in two} & {*two}:
                # SystemRDL leaves open what a set and zeroization in one cycle leave.
                two = [port for port in two if port.endswith("_hwset")]
            for port in two:
                for name in names:
                    getattr(dut, f"{name}_{port}").value = 1
            for bits, port in values:
                value = draw.getrandbits(bits)
                for name in names:
                    getattr(dut, f"{name}_{port}").value = value
            await RisingEdge(dut.clk)
            for port in pulses:
                for name in names:
                    getattr(dut, f"{name}_{port}").value = 0
        address = 4 * draw.randrange(23)
        if draw.random() < 0.5:
            # Any bytes of a word.
            first = draw.randrange(4)
            data = draw.randbytes(draw.randint(1, 4 - first))
            for name in names:
                await buses[name].write(address + first, data)
        seen = {name: int(await buses[name].read_dword(address)) for name in names}
        await RisingEdge(dut.clk)
        for name in names:
            if seen[name] != seen["theirs"]:
                wrong.setdefault(name, f"step {step}: {address:#x} reads {seen}")
            for way, _, port in FIELDS:
                if way == "output":
                    got, due = (getattr(dut, f"{n}_{port}").value for n in (name, "theirs"))
                    if got != due:
                        wrong.setdefault(name, f"step {step}: {port} is {got}, theirs {due}")
    assert set(wrong) == {f"m{i}" for i in range(len(MUTANTS))}, wrong


def test_aesforge_registers(tmp_path: Path) -> None:
    NamedBench(INSTANCES).run(__file__, tmp_path, peakrdl(tmp_path))


def test_the_files_are_what_the_description_makes() -> None:
    script = REPO / "scripts" / "make_csr.py"
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

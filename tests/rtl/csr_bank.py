# SPDX-License-Identifier: Apache-2.0
"""A CSR module of scripts/make_csr.py beside the one that PeakRDL makes of the same description."""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
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
from make_csr import Bank, address_bits, field_ports, read  # noqa: E402

THEIRS = "peakrdl_registers"


class BankBench:
    """Both modules of a description, and mutants of ours.

    Args:
        bank: the description.
        mutants: name to mutation.
    """

    def __init__(self, bank: Bank, mutants: Mapping[str, Mutation]) -> None:
        self.bank = bank
        _, self.registers = read(bank)
        self.fields = [
            (way, bits, name)
            for register in self.registers
            for field in register.fields
            for way, bits, name in field_ports(field)
        ]
        self.pulses = [
            name
            for register in self.registers
            for field in register.fields
            for way, _, name in field_ports(field)
            if way == "output" and (field.has("singlepulse") or name.endswith("_swmod"))
        ]
        self.bus = axi_lite(address_bits(self.registers))
        self.ports = [*self.bus, *self.fields]
        self.mutants = {f"m{i}" for i in range(len(mutants))}
        self.instances = [
            Named("ours", bank.module, {}, self.ports),
            Named("theirs", "wrapped", {}, self.ports),
            *(
                Named(f"m{i}", bank.module, {}, self.ports, mutation)
                for i, mutation in enumerate(mutants.values())
            ),
        ]

    def run(self, file: str, folder: Path) -> None:
        """Run the cocotb test of a file on both."""
        NamedBench(self.instances).run(file, folder, self.peakrdl(folder))

    def peakrdl(self, folder: Path) -> str:
        """Return PeakRDL's package and module, and a wrapper with our ports around them."""
        from peakrdl_regblock import RegblockExporter
        from peakrdl_regblock.cpuif.axi4lite import AXI4Lite_Cpuif_flattened
        from peakrdl_regblock.udps import ALL_UDPS
        from systemrdl.compiler import RDLCompiler

        compiler = RDLCompiler()
        for one in ALL_UDPS:
            compiler.register_udp(one)
        compiler.compile_file(str(self.bank.path))
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
        for register in self.registers:
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
            for way, bits, name in [("input", 1, "clk"), ("input", 1, "rst"), *self.ports]
        )
        bus = ", ".join(f".{name}" for _, _, name in self.bus)
        files = (folder / f"{THEIRS}_pkg.sv", folder / f"{THEIRS}.sv")
        lines = "\n".join(wires)
        return "".join(path.read_text() for path in files) + (
            f"\nmodule wrapped (\n{ports}\n);\n"
            f"  {THEIRS}_pkg::{self.bank.module}__in_t hwif_in;\n"
            f"  {THEIRS}_pkg::{self.bank.module}__out_t hwif_out;\n"
            f"{lines}\n  {THEIRS} u_bank (.clk, .rst, {bus}, .hwif_in, .hwif_out);\nendmodule\n"
        )

    @property
    def words(self) -> int:
        """Words from the first register to one after the last."""
        return max(one.address // 4 + one.count for one in self.registers) + 1

    async def compare(self, dut: Any) -> None:
        """Make random accesses and events; all must see the same, but the mutants."""
        draw = random.Random(3)
        for one in self.instances:
            for way, _, name in one.ports:
                if way == "input":
                    getattr(dut, f"{one.name}_{name}").value = 0
        names = [one.name for one in self.instances]
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
        levels = {
            field.port
            for register in self.registers
            for field in register.fields
            if field.from_hardware
        }
        inputs = [(bits, name) for way, bits, name in self.fields if way == "input"]
        pulses = [name for bits, name in inputs if bits == 1 and name not in levels]
        values = [one for one in inputs if one[1] not in pulses]
        counts = dict.fromkeys(names, 0)

        async def count(name: str) -> None:
            """Count the cycles in which some pulse of software is high."""
            while True:
                await RisingEdge(dut.clk)
                for port in self.pulses:
                    counts[name] += int(getattr(dut, f"{name}_{port}").value)

        for name in names:
            cocotb.start_soon(count(name))
        for step in range(20 * self.words):
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
            address = 4 * draw.randrange(self.words)
            if draw.random() < 0.5:
                # Any bytes of a word.
                first = draw.randrange(4)
                data = draw.randbytes(draw.randint(1, 4 - first))
                for name in names:
                    await buses[name].write(address + first, data)
            seen = {name: int(await buses[name].read_dword(address)) for name in names}
            await RisingEdge(dut.clk)
            await RisingEdge(dut.clk)
            for name in names:
                if counts[name] != counts["theirs"]:
                    wrong.setdefault(name, f"step {step}: pulses {counts}")
                if seen[name] != seen["theirs"]:
                    wrong.setdefault(name, f"step {step}: {address:#x} reads {seen}")
                for way, _, port in self.fields:
                    if way == "output":
                        got, due = (getattr(dut, f"{n}_{port}").value for n in (name, "theirs"))
                        if got != due:
                            wrong.setdefault(name, f"step {step}: {port} is {got}, theirs {due}")
        assert set(wrong) == self.mutants, wrong

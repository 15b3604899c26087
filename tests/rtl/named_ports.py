# SPDX-License-Identifier: Apache-2.0
"""A bench whose ports have names, for the bus models of cocotbext-axi.

Instance ports come out as `<instance>_<port>`; all share `clk` and `rst`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rtl_bench import Mutation, is_left_out, run_on


@dataclass(frozen=True)
class Named:
    """An instance.

    Args:
        name: what its ports are named after.
        module: the module.
        parameters: of the module.
        ports: (direction, width, name) of all ports but `clk` and `rst`.
        mutation: makes it a mutant.
        connect: names in the module of ports that it calls otherwise.
        probes: name to path and width of internal signals, which come out like ports.
    """

    name: str
    module: str
    parameters: Mapping[str, int]
    ports: Sequence[tuple[str, int, str]]
    mutation: Mutation | None = None
    connect: Mapping[str, str] | None = None
    probes: Mapping[str, tuple[str, int]] | None = None


def axi_lite(address_bits: int) -> list[tuple[str, int, str]]:
    """Return the ports of an AXI4-Lite with 32 bits of data."""
    given = [("awvalid", 1), ("awaddr", address_bits), ("awprot", 3), ("wvalid", 1)]
    given += [("wdata", 32), ("wstrb", 4), ("bready", 1), ("arvalid", 1)]
    given += [("araddr", address_bits), ("arprot", 3), ("rready", 1)]
    taken = [("awready", 1), ("wready", 1), ("bvalid", 1), ("bresp", 2), ("arready", 1)]
    taken += [("rvalid", 1), ("rdata", 32), ("rresp", 2)]
    ports = [("input", bits, f"s_axil_{name}") for name, bits in given]
    return ports + [("output", bits, f"s_axil_{name}") for name, bits in taken]


def axi_stream(id_bits: int, user_bits: int, blocks: int = 1) -> list[tuple[str, int, str]]:
    """Return the ports of both streams of an engine, with so many blocks per beat."""
    beat = [("tvalid", 1), ("tdata", 128 * blocks), ("tkeep", 16 * blocks), ("tlast", 1)]
    beat.append(("tid", id_bits))
    ports = [("input", bits, f"s_axis_{name}") for name, bits in [*beat, ("tuser", user_bits)]]
    ports += [("output", 1, "s_axis_tready"), ("input", 1, "m_axis_tready")]
    return ports + [
        ("output", bits, f"m_axis_{name}") for name, bits in [*beat, ("tuser", user_bits + 1)]
    ]


class NamedBench:
    """Instances whose ports have names; without the mutants where benches leave them out.

    Args:
        instances: of the bench.
    """

    def __init__(self, instances: Iterable[Named]) -> None:
        self.instances = [one for one in instances if not is_left_out(one.mutation)]

    @property
    def mutants(self) -> set[str]:
        """Names of the mutants."""
        return {one.name for one in self.instances if one.mutation}

    def text(self, more: str = "") -> str:
        """Return the text of the module `bench`; ``more`` stands before it."""
        ports = ["  input logic clk /*verilator public_flat_rw*/"]
        ports.append("  input logic rst /*verilator public_flat_rw*/")
        body, copies = [], []
        for one in self.instances:
            module = one.module
            if one.mutation is not None:
                text, rename = one.mutation.files()
                copies.append(text)
                module = rename(module)
            connections = [".clk(clk)", ".rst(rst)"]
            for way, bits, name in one.ports:
                public = "public_flat_rw" if way == "input" else "public_flat_rd"
                port = f"{one.name}_{name}"
                ports.append(f"  {way} logic [{bits - 1}:0] {port} /*verilator {public}*/")
                inside = (one.connect or {}).get(name, name)
                connections.append(f".{inside}({port})")
            parameters = ", ".join(f".{name}({value})" for name, value in one.parameters.items())
            body.append(f"  {module} #({parameters}) u_{one.name} ({', '.join(connections)});")
            for name, (path, bits) in (one.probes or {}).items():
                port = f"{one.name}_{name}"
                ports.append(f"  output logic [{bits - 1}:0] {port} /*verilator public_flat_rd*/")
                body.append(f"  assign {port} = u_{one.name}.{path};")
        joined = ",\n".join(ports)
        lines = "\n".join(body)
        return f"{more}{''.join(copies)}\nmodule bench (\n{joined}\n);\n{lines}\nendmodule\n"

    def run(self, file: str, folder: Path, more: str = "") -> None:
        """Compile the model and run the cocotb tests of a Python file on it.

        Args:
            file: the file, beside this one.
            folder: an empty folder for results.
            more: text that stands before the module `bench`.
        """
        run_on(self.text(more), file, folder)

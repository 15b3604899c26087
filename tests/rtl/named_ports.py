# SPDX-License-Identifier: Apache-2.0
"""A bench whose ports have names, for the bus models of cocotbext-axi.

Instance ports come out as `<instance>_<port>`; all share `clk` and `rst`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rtl_bench import Mutation


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
    """

    name: str
    module: str
    parameters: Mapping[str, int]
    ports: Sequence[tuple[str, int, str]]
    mutation: Mutation | None = None
    connect: Mapping[str, str] | None = None


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


def bench_text(instances: Sequence[Named], more: str = "") -> str:
    """Return the text of the module `bench`.

    Args:
        instances: in it.
        more: text that stands before it.
    """
    ports = ["  input logic clk /*verilator public_flat_rw*/"]
    ports.append("  input logic rst /*verilator public_flat_rw*/")
    body, copies = [], []
    for one in instances:
        module = one.module
        if one.mutation is not None:
            text, rename = one.mutation.files()
            copies.append(text)
            module = rename(module)
        connections = [".clk(clk)", ".rst(rst)"]
        for way, bits, name in one.ports:
            public = "public_flat_rw" if way == "input" else "public_flat_rd"
            ports.append(f"  {way} logic [{bits - 1}:0] {one.name}_{name} /*verilator {public}*/")
            inside = (one.connect or {}).get(name, name)
            connections.append(f".{inside}({one.name}_{name})")
        parameters = ", ".join(f".{name}({value})" for name, value in one.parameters.items())
        body.append(f"  {module} #({parameters}) u_{one.name} ({', '.join(connections)});")
    joined = ",\n".join(ports)
    lines = "\n".join(body)
    return f"{more}{''.join(copies)}\nmodule bench (\n{joined}\n);\n{lines}\nendmodule\n"

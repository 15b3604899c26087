# SPDX-License-Identifier: Apache-2.0
"""The files of an engine's bundle: a wrapper with AXI4-Stream ports, and what a project needs."""

from __future__ import annotations

from aesforge.bundle.files import fill
from aesforge.bundle.packets import bench_passes
from aesforge.bundle.parameters import parameter_rows
from aesforge.bundle.ports import engine_ports
from aesforge.bundle.pushes import with_pushes
from aesforge.bundle.software import packet_config, software_files
from aesforge.design.engine import BLOCK_BYTES, Engine
from aesforge.design.modes import MODES
from aesforge.errors import one_of
from aesforge.simulate.engine import fixed_fields
from aesforge.toolchain.rtl import csr_page

# --- Files --------------------------------------------------------------------------------------

# Vivado's names for ports, by which it joins them to interfaces.
_INTERFACES = {
    "clk": "xilinx.com:signal:clock:1.0 clk CLK",
    "rst": "xilinx.com:signal:reset:1.0 rst RST",
}
_INTERFACE_PARAMETERS = {
    "clk": "ASSOCIATED_BUSIF {buses}, ASSOCIATED_RESET rst",
    "rst": "POLARITY ACTIVE_HIGH",
}


def _attributes(engine: Engine, port: str) -> list[str]:
    """Return the attributes of a port that Vivado's block design reads; others ignore them."""
    lines = []
    channel, _, signal = port.rpartition("_")
    if channel in ("s_axis", "m_axis", "m_iv"):
        lines.append(
            f'X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 {channel} {signal.upper()}"'
        )
    elif channel == "s_axil":
        lines.append(f'X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil {signal.upper()}"')
    elif port in _INTERFACES:
        lines.append(f'X_INTERFACE_INFO = "{_INTERFACES[port]}"')
    if port in _INTERFACE_PARAMETERS:
        buses = "s_axil:s_axis:m_axis" if engine.has_csr else "s_axis:m_axis"
        buses += ":m_iv" if engine.iv_leaves else ""
        words = _INTERFACE_PARAMETERS[port].format(buses=buses)
        lines.append(f'X_INTERFACE_PARAMETER = "{words}"')
    return lines


def render(engine: Engine, *, single_file: bool = False) -> dict[str, str]:
    """Return the bundle's files: path inside the bundle to text."""
    ports = engine_ports(engine)
    passes = bench_passes(engine)
    pushes = []
    if engine.has_results:
        pushed = [with_pushes(engine, packets) for packets in passes]
        passes = [[packet for packet, _ in one] for one in pushed]
        pushes = [[push for _, push in one] for one in pushed]
    packets = passes[0]
    count = sum(len(packet.beats) for packet in packets)
    context = {
        "engine": engine,
        "design": engine.core,
        "title": f"AES-{engine.core.key_bits} {engine.mode_label} with AXI4-Stream interfaces",
        "standard": MODES[engine.modes[0]].source.partition(" Sec.")[0],
        "numbers": _numbers(engine),
        "modes": [MODES[name] for name in engine.modes],
        "config": packet_config(engine) if engine.has_results else {},
        "whole_blocks": [name for name in engine.modes if not engine.ends_in_part(name)],
        "used": {port.name for port in ports if port.used},
        "attributes": {port.name: _attributes(engine, port.name) for port in ports},
        "parameters": parameter_rows(engine.core, engine.wrapped_parameters(), _meanings(engine)),
        "registers": csr_text(engine) if engine.has_csr else "",
        "packets": packets,
        "passes": passes,
        "pushes": pushes,
        "iv_count": sum(packet.iv_out is not None for packet in packets),
        "iv_fixed_hex": b"".join(fixed_fields(engine).values())[::-1].hex(),
        "beat_count": count,
        "out_count": sum(len(packet.due) for packet in packets),
        "slots": {packet.context.slot: packet.context.key for packet in packets},
        "key_hex": {packet.context.key: packet.context.key[::-1].hex() for packet in packets},
        "iv_hex": {one.context.iv: _iv_hex(one.context.iv) for one in packets},
        "timeout": 20_000
        + 20 * count * round(1 + engine.core.interval)
        # Registers, a few cycles each.
        + 3 * 400 * len(packets) * engine.has_results
        + 5 * sum(len(one.beats) * engine.loop_cycles * 18 for one in packets if engine.streams)
        + 8 * (engine.latency_cycles + engine.zeroize_cycles),
    }
    templates = "engine.sv.j2", "tb_engine.sv.j2", "README_engine.md.j2"
    software = software_files(engine) if engine.has_csr else {}
    return fill(
        engine, engine.wrapped, ports, templates, context, software, single_file=single_file
    )


def _iv_hex(iv: bytes) -> str:
    """Return an IV as its port's hex literal: byte 0 at the low end."""
    return iv[:BLOCK_BYTES].ljust(BLOCK_BYTES, b"\0")[::-1].hex()


def _numbers(engine: Engine) -> dict[str, int]:
    """Return the bits of the ports of a context that hold lengths and kinds; `s_ctx_` left out."""
    return {
        name: port.bits
        for port in engine_ports(engine)
        if (name := port.name.removeprefix("s_ctx_")).endswith(("_bytes", "_kind"))
    }


def csr_text(engine: Engine) -> str:
    """Return the table of the engine's registers, of the page that is made of descriptions."""
    sections = csr_page().split("\n## ")[1:]
    section = sections[1 if engine.has_results else 0]
    return section[section.index("| address |") :].rstrip()


def _meanings(engine: Engine) -> dict[str, str]:
    """Return the meaning of the engine's own parameters."""
    wait = engine.context_timeout
    return {
        "MultiplyStages": "pipeline stages of the multiplier in GHASH"
        if engine.multiply_stages
        else "the multiplier in GHASH is digit-serial",
        "MultiplyDigit": "bits that it takes per cycle",
        "Stealing": "packets may end in part of a block" if engine.stealing else "whole blocks",
        "ShortTags": "tags: " + one_of(engine.tag_bytes or "-") + " bytes",
        "Modes": "modes built in: " + ", ".join(engine.modes),
        "Streams": "streams that may have a packet open at a time",
        "Counted": "IVs of packets that encrypt are made inside"
        if engine.counts_ivs
        else "each context brings its IV",
        "IdBits": "width of tid",
        "UserBits": "width of tuser without the error flag",
        "Depth": "beats that may be inside",
        "HoldBeats": "places for beats that wait for their tag",
        "QueueStyle": "memory of the queues",
        "ContextTimeout": "cycles that a packet waits for its context" if wait else "no limit",
    }

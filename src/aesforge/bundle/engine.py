# SPDX-License-Identifier: Apache-2.0
"""The files of an engine's bundle: a wrapper with AXI4-Stream ports, and what a project needs."""

from __future__ import annotations

import dataclasses

from aesforge.bundle.files import fill
from aesforge.bundle.parameters import parameter_rows
from aesforge.bundle.ports import engine_ports
from aesforge.bundle.vectors import VECTORS
from aesforge.design.engine import BLOCK_BYTES, Engine
from aesforge.design.modes import MODES, Mode
from aesforge.reference import openssl
from aesforge.simulate.packets import Context, Packet, first_bad_beat, full_keep, reference
from aesforge.toolchain.rtl import csr_page

# --- Test bench ---------------------------------------------------------------------------------

# SP 800-38A Appendix F: number of a mode's part, of its first section by way.
_SECTIONS = {
    "ecb": ("F.1", {"encrypt": 1, "decrypt": 2}),
    "ctr": ("F.5", {"encrypt": 1, "decrypt": 2}),
    "cbc-encrypt": ("F.2", {"encrypt": 1}),
    "cbc-decrypt": ("F.2", {"decrypt": 2}),
    "cfb": ("F.3", {"encrypt": 13, "decrypt": 14}),
    "cfb-decrypt": ("F.3", {"decrypt": 14}),
    "ofb": ("F.4", {"encrypt": 1, "decrypt": 2}),
}
_IV = bytes(range(16))
_COUNTER = bytes(range(0xF0, 0x100))


@dataclasses.dataclass(frozen=True)
class BenchPacket:
    """A packet of the test bench: input and expected output; data in hex as on the bus.

    Args:
        source: origin of the data.
        context: key or slot, IV, mode, direction.
        beats: (data, tkeep) of each beat.
        due: (data, tkeep, error, number of the beat whose tid and tuser it has) of each beat out.
    """

    source: str
    context: Context
    beats: tuple[tuple[str, int], ...]
    due: tuple[tuple[str, int, int, int], ...]


def _on_bus(data: bytes, size: int) -> str:
    """Return a beat's bytes as the port's hex literal: byte 0 at the low end."""
    return data.ljust(size, b"\0")[::-1].hex()


def bench_packets(engine: Engine) -> list[BenchPacket]:
    """Return the packets of the test bench: SP 800-38A's, and others around them.

    After each of the standard's come its first block alone, its first 20 bytes where the mode
    takes them, a packet that is wrong and one without bytes.
    """
    bits = engine.core.key_bits
    vectors = [v for v in VECTORS[bits] if v.source.startswith("SP 800-38A")]
    plaintext = bytes.fromhex("".join(vector.plaintext for vector in vectors))
    keys = [bytes.fromhex(vectors[0].key), bytes(range(bits // 8))]
    beat = engine.beat_bytes
    found: list[BenchPacket] = []
    for name in engine.modes:
        mode = MODES[name]
        for way in engine.ways(name):
            section = f"{mode.label} of the plaintext of SP 800-38A Appendix F"
            if name in _SECTIONS:
                part, first = _SECTIONS[name]
                section = f"SP 800-38A {part}.{first[way] + 2 * (bits // 64 - 2)}"
            iv = _COUNTER if mode.chain == "counter" else _IV
            decrypt = way == "decrypt"
            data = plaintext
            if decrypt:
                data = openssl.crypt(mode.cipher, keys[0], plaintext, iv)

            def packet(
                source: str,
                packet: bytes,
                key: int = 0,
                keeps: dict[int, int] | None = None,
                *,
                mode: Mode = mode,
                decrypt: bool = decrypt,
                iv: bytes = iv,
            ) -> None:
                slot = 0 if key == 0 else (engine.core.key_slots or 1) - 1
                context = Context(mode.code, decrypt, iv, keys[key], slot)
                sent = Packet(packet, context, keeps=keeps or {}, beat_bytes=beat)
                found.append(_bench_packet(source, sent, context, mode))

            packet(f"{section}, four blocks", data)
            packet(f"first block of {section}", data[:BLOCK_BYTES])
            packet(f"data of {section} under another key", data[: 2 * BLOCK_BYTES], 1)
            if mode.partial:
                packet(f"first 20 bytes of {section}", data[:20])
            packet("tkeep has a hole: error", data[: 3 * beat], 0, {1: full_keep(beat) ^ 4})
            packet("no bytes", b"")
    return found


def _bench_packet(source: str, packet: Packet, context: Context, mode: Mode) -> BenchPacket:
    good = first_bad_beat(packet, mode)
    data, last = bytes(packet.data), packet.beats - 1
    beat = packet.beat_bytes
    parts = [data[beat * i : beat * (i + 1)] for i in range(packet.beats)]
    keeps = [packet.keeps.get(i, full_keep(len(part))) for i, part in enumerate(parts)]
    right = good if not mode.digest else good if good == packet.beats else 0
    result = b""
    if right:
        sent = data[: beat * right]
        result = reference(mode, context.decrypt, context.key, context.iv, sent)
    due = [
        (_on_bus(result[beat * i :][:beat], beat), keep, int(i >= good), i)
        for i, keep in enumerate(keeps)
    ]
    if mode.digest:
        due = [(_on_bus(result, beat), full_keep(beat), int(not right), last)]
    beats = tuple((_on_bus(part, beat), keep) for part, keep in zip(parts, keeps, strict=True))
    return BenchPacket(source, context, beats, tuple(due))


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
    if channel in ("s_axis", "m_axis"):
        lines.append(
            f'X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 {channel} {signal.upper()}"'
        )
    elif channel == "s_axil":
        lines.append(f'X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil {signal.upper()}"')
    elif port in _INTERFACES:
        lines.append(f'X_INTERFACE_INFO = "{_INTERFACES[port]}"')
    if port in _INTERFACE_PARAMETERS:
        buses = "s_axil:s_axis:m_axis" if engine.has_csr else "s_axis:m_axis"
        words = _INTERFACE_PARAMETERS[port].format(buses=buses)
        lines.append(f'X_INTERFACE_PARAMETER = "{words}"')
    return lines


def render(engine: Engine) -> dict[str, str]:
    """Return the bundle's files: path inside the bundle to text."""
    ports = engine_ports(engine)
    packets = bench_packets(engine)
    count = sum(len(packet.beats) for packet in packets)
    context = {
        "engine": engine,
        "design": engine.core,
        "title": f"AES-{engine.core.key_bits} {engine.mode_label} with AXI4-Stream interfaces",
        "modes": [MODES[name] for name in engine.modes],
        "used": {port.name for port in ports if port.used},
        "attributes": {port.name: _attributes(engine, port.name) for port in ports},
        "parameters": parameter_rows(engine.core, engine.rtl_parameters(), _meanings(engine)),
        "registers": csr_text() if engine.has_csr else "",
        "packets": packets,
        "beat_count": count,
        "out_count": sum(len(packet.due) for packet in packets),
        "slots": {packet.context.slot: packet.context.key for packet in packets},
        "key_hex": {packet.context.key: packet.context.key[::-1].hex() for packet in packets},
        "iv_hex": {packet.context.iv: packet.context.iv[::-1].hex() for packet in packets},
        "timeout": 20_000
        + 20 * count * round(1 + engine.core.interval)
        + 5 * sum(len(one.beats) * engine.loop_cycles * 18 for one in packets if engine.streams)
        + 8 * (engine.latency_cycles + engine.zeroize_cycles),
    }
    templates = "engine.sv.j2", "tb_engine.sv.j2", "README_engine.md.j2"
    return fill(engine, engine.wrapped, ports, templates, context)


def csr_text() -> str:
    """Return the table of the registers, of the page that is made of their description."""
    page = csr_page()
    return page[page.index("| address |") :].rstrip()


def _meanings(engine: Engine) -> dict[str, str]:
    """Return the meaning of the engine's own parameters."""
    wait = engine.context_timeout
    return {
        "Modes": "modes built in: " + ", ".join(engine.modes),
        "Streams": "streams that may have a packet open at a time",
        "IdBits": "width of tid",
        "UserBits": "width of tuser without the error flag",
        "Depth": "beats that may be inside",
        "ContextTimeout": "cycles that a packet waits for its context" if wait else "no limit",
    }

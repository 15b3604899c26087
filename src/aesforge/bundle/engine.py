# SPDX-License-Identifier: Apache-2.0
"""The files of an engine's bundle: a wrapper with AXI4-Stream ports, and what a project needs."""

from __future__ import annotations

import dataclasses
from typing import Any

from aesforge import __version__
from aesforge.bundle.core import VECTORS, Port, finished, module_name, parameters_text
from aesforge.bundle.core import environment as templates
from aesforge.design.engine import BLOCK_BYTES, MODES, Engine, Mode
from aesforge.reference import openssl
from aesforge.simulate.packets import Context, Packet, first_bad_beat, full_keep, reference
from aesforge.toolchain.rtl import csr_page, needed_by

# --- Ports --------------------------------------------------------------------------------------


def _axis(name: str, engine: Engine, *, into: bool) -> list[Port]:
    """Return the ports of an AXI4-Stream of beats."""
    given, taken = ("input", "output") if into else ("output", "input")
    group = f"packets {'in' if into else 'out; bit 0 of tuser is the error flag'}"
    user = engine.user_bits + (not into)
    rows = [
        (given, "tvalid", 1, "a beat is meant"),
        (taken, "tready", 1, "it is taken in this cycle"),
        (
            given,
            "tdata",
            8 * engine.beat_bytes,
            "byte 0 in bits 7 to 0" + ("" if into else "; 0 where not kept"),
        ),
        (
            given,
            "tkeep",
            engine.beat_bytes,
            "a bit for each byte: all but in a last beat, there the first ones",
        ),
        (given, "tlast", 1, "the packet ends with this beat"),
        (given, "tid", engine.tid_bits, _tid_text(engine, into=into)),
        (
            given,
            "tuser",
            user,
            "comes out with its beat, a bit further up"
            if into
            else "bit 0: the packet is wrong so far; above it s_axis_tuser",
        ),
    ]
    return [Port(group, way, f"{name}_{port}", bits, words) for way, port, bits, words in rows]


def _tid_text(engine: Engine, *, into: bool) -> str:
    if engine.streams is not None and into:
        return f"its stream, 0 to {engine.streams - 1}"
    if engine.streams is not None:
        return "its stream; those of one stream leave in their order"
    return "comes out with its beat" if into else "as it came"


def _all_ports(engine: Engine) -> list[Port]:
    """Return every port of the engine's module, in its order, with this engine's widths."""
    if engine.has_csr:
        return _csr_ports(engine)
    core = engine.core
    codes = ", ".join(f"{MODES[name].code} {name}" for name in engine.modes)
    key = f"byte 0 in bits 7 to 0 of {core.key_bits}"
    groups: tuple[tuple[Any, ...], ...] = (
        (
            "clock, synchronous reset, and the zeroization of all keys, contexts and data",
            ("input", "clk", 1, "clock; every port is sampled and driven on its rising edge"),
            ("input", "rst", 1, "synchronous reset, active high; drops packets and keys"),
            (
                "input",
                "zeroize",
                1,
                f"pulse: zeroizes everything; beats are taken again within {engine.zeroize_cycles} "
                "cycles",
            ),
        ),
        (
            "keys in",
            ("input", "s_key_tvalid", 1, "a key is meant"),
            ("output", "s_key_tready", 1, "it is taken in this cycle"),
            ("input", "s_key_slot", core.slot_bits, "the slot to fill"),
            ("input", "s_key_tdata", core.key_bits, f"the key, {key}"),
        ),
        (
            "contexts in, one for each packet",
            ("input", "s_ctx_tvalid", 1, "a context is meant"),
            ("output", "s_ctx_tready", 1, "it is taken in this cycle"),
            ("input", "s_ctx_key", core.key_bits, f"the packet's key, {key}"),
            ("input", "s_ctx_slot", core.slot_bits, "the slot of the packet's key"),
            ("input", "s_ctx_iv", 128, "IV or first counter block, byte 0 in bits 7 to 0"),
            ("input", "s_ctx_mode", engine.kind.mode_bits, codes),
            ("input", "s_ctx_decrypt", 1, "1: decrypt; 0: encrypt"),
        ),
    )
    ports = [Port(group, *port) for group, *rows in groups for port in rows]
    return ports + _axis("s_axis", engine, into=True) + _axis("m_axis", engine, into=False)


# AXI4-Lite: (direction, bits, signal).
_AXI_LITE = (
    *(("input", 1, "awvalid"), ("output", 1, "awready"), ("input", 7, "awaddr")),
    *(("input", 3, "awprot"), ("input", 1, "wvalid"), ("output", 1, "wready")),
    *(("input", 32, "wdata"), ("input", 4, "wstrb"), ("output", 1, "bvalid")),
    *(("input", 1, "bready"), ("output", 2, "bresp"), ("input", 1, "arvalid")),
    *(("output", 1, "arready"), ("input", 7, "araddr"), ("input", 3, "arprot")),
    *(("output", 1, "rvalid"), ("input", 1, "rready"), ("output", 32, "rdata")),
    ("output", 2, "rresp"),
)


def _csr_ports(engine: Engine) -> list[Port]:
    """Return every port of the engine's module with registers around it."""
    clock = "clock and synchronous reset"
    ports = [
        Port(
            clock, "input", "clk", 1, "clock; every port is sampled and driven on its rising edge"
        ),
        Port(clock, "input", "rst", 1, "synchronous reset, active high; drops packets and keys"),
    ]
    group = "registers: keys, contexts, status, counters"
    for way, bits, name in _AXI_LITE:
        ports.append(Port(group, way, f"s_axil_{name}", bits, f"AXI4-Lite {name.upper()}"))
    return ports + _axis("s_axis", engine, into=True) + _axis("m_axis", engine, into=False)


def _is_used(engine: Engine, port: str) -> bool:
    if engine.has_csr:
        return True
    if port == "s_ctx_key":
        return engine.core.is_agile
    if port.startswith("s_key") or port == "s_ctx_slot":
        return not engine.core.is_agile
    if port == "s_ctx_iv":
        return engine.takes_iv
    if port == "s_ctx_mode":
        return len(engine.modes) > 1
    if port == "s_ctx_decrypt":
        # Where every mode goes one way, or does not look, there is nothing to say.
        return engine.constant_decrypt is None
    return True


def ports(engine: Engine) -> list[Port]:
    """Return the ports of the wrapper: those of its module that this engine uses."""
    return [port for port in _all_ports(engine) if _is_used(engine, port.name)]


def _constant(engine: Engine, port: Port) -> str:
    """Return what an input that the wrapper leaves out is tied to."""
    if port.name == "s_ctx_mode":
        return f"{engine.kind.mode_bits}'d{MODES[engine.modes[0]].code}"
    if port.name == "s_ctx_decrypt" and engine.constant_decrypt:
        return "1'b1"
    return "'0"


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
    """A packet of the test bench: what goes in, and what must come out; data in hex as on the bus.

    Args:
        source: what it is.
        context: what it runs under.
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


def render_engine(engine: Engine) -> dict[str, str]:
    """Return the bundle's files: path inside the bundle to text."""
    module = module_name(engine)
    sources = needed_by(engine.wrapped)
    library = [f"rtl/{path.name}" for path in sources]
    used = ports(engine)
    packets = bench_packets(engine)
    count = sum(len(packet.beats) for packet in packets)
    outs = sum(len(packet.due) for packet in packets)
    slots = {packet.context.slot: packet.context.key for packet in packets}
    context = {
        "version": __version__,
        "engine": engine,
        "design": engine.core,
        "name": engine.name,
        "title": f"AES-{engine.core.key_bits} {engine.mode_label} with AXI4-Stream interfaces",
        "modes": [MODES[name] for name in engine.modes],
        "module": module,
        "ports": used,
        "used": {port.name for port in used},
        "attributes": {port.name: _attributes(engine, port.name) for port in used},
        "range_width": max(len(port.range) for port in used),
        "unused_ports": [
            (port, _constant(engine, port))
            for port in _all_ports(engine)
            if not _is_used(engine, port.name)
        ],
        "parameters": parameters_text(engine.core, engine.rtl_parameters(), _meanings(engine)),
        "library": library,
        "registers": csr_text() if engine.has_csr else "",
        "files": [*library, f"rtl/{module}.sv"],
        "packets": packets,
        "beat_count": count,
        "out_count": outs,
        "slots": slots,
        "key_hex": {packet.context.key: packet.context.key[::-1].hex() for packet in packets},
        "iv_hex": {packet.context.iv: packet.context.iv[::-1].hex() for packet in packets},
        "timeout": 20_000
        + 20 * count * round(1 + engine.core.interval)
        + 5 * sum(len(one.beats) * engine.loop_cycles * 18 for one in packets if engine.streams)
        + 8 * (engine.latency_cycles + engine.zeroize_cycles),
    }
    files = {f"rtl/{path.name}": path.read_text(encoding="utf-8") for path in sources}
    for path, template in (
        (f"rtl/{module}.sv", "engine.sv.j2"),
        (f"tb/tb_{module}.sv", "tb_engine.sv.j2"),
        ("files.f", "files.f.j2"),
        (f"{module}.core", "fusesoc.core.j2"),
        ("synth/yosys.ys", "yosys.ys.j2"),
        ("synth/vivado.tcl", "vivado.tcl.j2"),
        ("README.md", "README_engine.md.j2"),
    ):
        files[path] = templates().get_template(template).render(context)
    return finished(files, engine.to_toml())


def csr_text() -> str:
    """Return the table of the registers, of the page that is made of their description."""
    page = csr_page()
    return page[page.index("| address |") :].rstrip()


def _meanings(engine: Engine) -> dict[str, str]:
    """Say what the engine's own parameters mean."""
    wait = engine.context_timeout
    return {
        "Modes": "modes built in: " + ", ".join(engine.modes),
        "Streams": "streams that may have a packet open at a time",
        "IdBits": "width of tid",
        "UserBits": "width of tuser without the error flag",
        "Depth": "beats that may be inside",
        "ContextTimeout": "cycles that a packet waits for its context" if wait else "no limit",
    }

# SPDX-License-Identifier: Apache-2.0
"""The ports of a wrapper: those of its module, with the widths and meanings of a design."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from aesforge.design import Design
from aesforge.design.engine import Engine
from aesforge.design.modes import MODES
from aesforge.errors import one_of

_CLOCK = ("input", "clk", 1, "clock; every port is sampled and driven on its rising edge")


@dataclasses.dataclass(frozen=True)
class Port:
    """A port of the wrapped module.

    Args:
        group: purpose of it and its neighbours.
        direction: `input` or `output`.
        name: of the port.
        bits: its width.
        meaning: its meaning, in one line.
        used: the wrapper has it too.
        constant: value of an input that the wrapper hides.
    """

    group: str
    direction: str
    name: str
    bits: int
    meaning: str
    used: bool = True
    constant: str = "'0"

    @property
    def range(self) -> str:
        """The packed range as SystemVerilog writes it; empty for one bit."""
        return f"[{self.bits - 1}:0]" if self.bits > 1 else ""


def core_ports(design: Design) -> list[Port]:
    """Return every port of the design's module, in its order, with this design's widths."""
    if design.is_key_expansion:
        return _key_expansion_ports(design)
    blocks_per_beat = design.blocks_per_beat
    block = 128 * blocks_per_beat
    where = (
        f"; block i at [128*i +: 128], i = 0 to {blocks_per_beat - 1}"
        if blocks_per_beat > 1
        else ""
    )
    whole = "the blocks" if blocks_per_beat > 1 else "the block"
    way = {"encrypt": "plaintext", "decrypt": "ciphertext", "both": "text"}[design.direction]
    back = {"encrypt": "ciphertext", "decrypt": "plaintext", "both": "result"}[design.direction]
    alarm = (("output", "alarm", 1, f"with out_valid: {whole} or the tag may be wrong"),)
    groups = (
        (
            "clock, synchronous reset, and the zeroization of all keys and blocks",
            _CLOCK,
            ("input", "rst", 1, "synchronous reset, active high; drops all blocks and keys"),
            (
                "input",
                "zeroize",
                1,
                "pulse: zeroizes every key and state register within "
                f"{design.zeroize_cycles} cycles",
            ),
        ),
        (
            f"{whole} in: taken in a cycle with in_valid and in_ready high",
            ("input", "in_valid", 1, f"{whole} and all other in_* ports are valid"),
            ("output", "in_ready", 1, f"the core accepts {whole} in this cycle"),
            ("input", "in_block", block, f"{way}, bit 127 is the first bit of byte 0{where}"),
            (
                "input",
                "in_key",
                design.key_bits,
                f"the key of this block, bit {design.key_bits - 1} is the first bit of byte 0",
            ),
            ("input", "in_slot", design.slot_bits, "the slot of the key to use"),
            ("input", "in_decrypt", 1, "1: decrypt this block; 0: encrypt it"),
            ("input", "in_tag", design.tag_bits, "any value; returned with the block"),
        ),
        (
            "key input: accepted in a cycle with key_valid and key_ready high",
            ("input", "key_valid", 1, "the key is valid"),
            ("output", "key_ready", 1, "the core accepts the key in this cycle"),
            ("input", "key_slot", design.slot_bits, "the slot to fill"),
            (
                "input",
                "key",
                design.key_bits,
                f"the key, bit {design.key_bits - 1} is the first bit of byte 0",
            ),
        ),
        (
            f"{whole} out: there is no back-pressure",
            ("output", "out_valid", 1, "the other out_* ports are valid"),
            ("output", "out_block", block, f"{back}, bit 127 is the first bit of byte 0{where}"),
            ("output", "out_tag", design.tag_bits, "the tag of the block"),
            *(alarm if design.is_checked else ()),
        ),
    )
    return [
        Port(group, way, name, bits, meaning, _core_uses(design, name))
        for group, *rows in groups
        for way, name, bits, meaning in rows
    ]


def _key_expansion_ports(design: Design) -> list[Port]:
    """Return every port of `aesforge_key_core`, in its order, with this design's widths."""
    last = design.rounds
    if design.is_unrolled:
        count = last + 1
        valid = f"bit r: round key r is valid, r = 0 to {last}"
        keys = f"round key r at [128*r +: 128], r = 0 to {last}"
        tags = f"the tag of round key r's key at [{design.tag_bits}*r +: {design.tag_bits}]"
    else:
        count = 1
        valid = "a round key is at the output; the other out_* ports are valid"
        keys = "the round key, bit 127 is the first bit of byte 0"
        tags = "the tag of its key"
    groups = (
        (
            "clock, synchronous reset, and the zeroization of all keys",
            _CLOCK,
            ("input", "rst", 1, "synchronous reset, active high; drops all keys"),
            (
                "input",
                "zeroize",
                1,
                f"pulse: zeroizes every key register within {design.zeroize_cycles} cycles",
            ),
        ),
        (
            "key input: accepted in a cycle with in_valid and in_ready high",
            ("input", "in_valid", 1, "in_key and in_tag are valid"),
            ("output", "in_ready", 1, "the core accepts the key in this cycle"),
            (
                "input",
                "in_key",
                design.key_bits,
                f"the key, bit {design.key_bits - 1} is the first bit of byte 0",
            ),
            ("input", "in_tag", design.tag_bits, "any value; returned with the round keys"),
        ),
        (
            "round key output, without back-pressure",
            ("output", "out_valid", count, valid),
            ("output", "out_round", 4, f"the number of the round key, 0 to {last}"),
            ("output", "out_round_keys", 128 * count, keys),
            ("output", "out_tag", design.tag_bits * count, tags),
        ),
    )
    return [
        Port(group, way, name, bits, meaning, _core_uses(design, name))
        for group, *rows in groups
        for way, name, bits, meaning in rows
    ]


def _core_uses(design: Design, port: str) -> bool:
    if port == "out_round":
        return not design.is_unrolled
    if port == "in_key":
        return design.is_agile
    if port in ("in_slot", "key_slot"):
        return design.key_slots is not None and design.key_slots > 1
    if port.startswith("key"):
        return not design.is_agile
    if port == "in_decrypt":
        return design.direction == "both"
    return True


# --- Engines ------------------------------------------------------------------------------------


def _axis(name: str, engine: Engine, *, into: bool) -> list[Port]:
    """Return the ports of an AXI4-Stream of beats."""
    given, taken = ("input", "output") if into else ("output", "input")
    group = f"packets {'in' if into else 'out; bit 0 of tuser is the error flag'}"
    user = engine.user_bits + (not into)
    sections = engine.authenticates
    mark = "bit 0: associated data; " if sections else ""
    tag = ", or a wrong tag" if sections else ""
    end = f", {'its tag or a place for it' if into else 'which has its tag or zeros'}" * sections
    rows = [
        (given, "tvalid", 1, "the beat is valid"),
        (taken, "tready", 1, "the beat is accepted in this cycle"),
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
            "a bit for each byte; all ones, except in the last beat" + " of a section" * sections,
        ),
        (given, "tlast", 1, "the packet ends with this beat" + end),
        (given, "tid", engine.tid_bits, _tid_text(engine, into=into)),
        (
            given,
            "tuser",
            user,
            mark + "returned with the beat, shifted left by one bit"
            if into
            else "bit 0: an error in the packet so far" + tag + "; above it s_axis_tuser",
        ),
    ]
    return [Port(group, way, f"{name}_{port}", bits, words) for way, port, bits, words in rows]


def _tid_text(engine: Engine, *, into: bool) -> str:
    if engine.streams is not None and into:
        return f"its stream, 0 to {engine.streams - 1}"
    if engine.streams is not None:
        return "its stream; order is kept within a stream"
    return "returned with its beat" if into else "tid of the input beat"


def engine_ports(engine: Engine) -> list[Port]:
    """Return every port of the engine's module, in its order, with this engine's widths."""
    if engine.has_csr:
        return _csr_ports(engine)
    core = engine.core
    codes = ", ".join(f"{MODES[name].code} {name}" for name in engine.modes)
    key = f"byte 0 in bits 7 to 0 of {core.key_bits}"
    if engine.keys > 1:
        key += "; above it that of the tweaks; equal keys leave the slot empty"
    mode, tags = MODES[engine.modes[0]], engine.authenticates
    iv = "IV or first counter block, byte 0 in bits 7 to 0"
    if mode.iv_lengths:
        iv = "nonce, byte 0 in bits 7 to 0; bytes above its length are not used"
    elif tags:
        iv = "IV of 12 bytes, byte 0 in bits 7 to 0; the upper 32 bits are not used"
        if engine.counts_ivs:
            iv += "; to encrypt, none of it is"
    if engine.keys > 1:
        iv = "number of the data unit, a binary number"
    one = "one for each data unit, or for several" if engine.keys > 1 else "one for each packet"
    groups: tuple[tuple[Any, ...], ...] = (
        (
            "clock, synchronous reset, and the zeroization of all keys, contexts and data",
            _CLOCK,
            ("input", "rst", 1, "synchronous reset, active high; drops packets and keys"),
            (
                "input",
                "zeroize",
                1,
                f"pulse: zeroizes everything; accepts beats again within {engine.zeroize_cycles} "
                "cycles",
            ),
        ),
        (
            "keys in",
            ("input", "s_key_tvalid", 1, "the key is valid"),
            ("output", "s_key_tready", 1, "the key is accepted in this cycle"),
            ("input", "s_key_slot", core.slot_bits, "the slot to fill"),
            ("input", "s_key_tdata", engine.key_bits, f"the key, {key}"),
        ),
        (
            "the fixed fields of IVs that are made inside: for each key and reset one never used",
            (
                "input",
                "iv_fixed",
                32 * (core.key_slots or 0),
                "of each slot 32 bits, slot 0 lowest; byte 0 of a field in its bits 7 to 0",
            ),
        ),
        (
            f"contexts in, {one}",
            ("input", "s_ctx_tvalid", 1, "the context is valid"),
            ("output", "s_ctx_tready", 1, "the context is accepted in this cycle"),
            ("input", "s_ctx_key", core.key_bits, f"the packet's key, {key}"),
            ("input", "s_ctx_slot", core.slot_bits, "the slot of the packet's key"),
            ("input", "s_ctx_iv", 128, iv),
            ("input", "s_ctx_more", 16, "data units that follow, each with the next number"),
            ("input", "s_ctx_iv_bytes", 4, f"bytes of the nonce: {one_of(mode.iv_lengths or '-')}"),
            (
                "input",
                "s_ctx_iv_kind",
                2,
                "0: in s_ctx_iv; 1: this packet is an IV; 2: that IV"
                + "; to encrypt 0" * engine.counts_ivs,
            ),
            ("input", "s_ctx_mode", engine.kind.mode_bits, codes),
            ("input", "s_ctx_decrypt", 1, f"1: decrypt{' and verify' * tags}; 0: encrypt"),
            ("input", "s_ctx_tag_bytes", 5, f"bytes of the tag: {one_of(engine.tag_bytes or '-')}"),
            ("input", "s_ctx_aad_bytes", 32, "bytes of the associated data"),
            ("input", "s_ctx_text_bytes", 32, "bytes of the text"),
        ),
    )
    context = {f"s_ctx_{name}" for name in ("tvalid", "tready", *engine.kind.context)}
    ports = [
        Port(group, way, name, bits, meaning, _engine_uses(engine, name), _constant(engine, name))
        for group, *rows in groups
        for way, name, bits, meaning in rows
        if (name in context or not name.startswith("s_ctx_"))
        and (engine.counts_ivs or name != "iv_fixed")
    ]
    ports += _axis("s_axis", engine, into=True) + _axis("m_axis", engine, into=False)
    return ports + (_iv_ports() if engine.counts_ivs else [])


def _iv_ports() -> list[Port]:
    """Return the ports of the AXI4-Stream of IVs that are made inside."""
    group = "IVs out, one for each packet that encrypts, in order; the next context waits for it"
    rows = (
        ("output", "tvalid", 1, "the IV is valid"),
        ("input", "tready", 1, "the IV is accepted in this cycle"),
        ("output", "tdata", 96, "IV of the packet, byte 0 in bits 7 to 0"),
        ("output", "tuser", 1, "1: there is no IV, and the packet is an error"),
    )
    return [Port(group, way, f"m_iv_{port}", bits, words) for way, port, bits, words in rows]


# AXI4-Lite: (direction, bits, signal); an address has as many as the registers need.
_AXI_LITE = (
    *(("input", 1, "awvalid"), ("output", 1, "awready"), ("input", None, "awaddr")),
    *(("input", 3, "awprot"), ("input", 1, "wvalid"), ("output", 1, "wready")),
    *(("input", 32, "wdata"), ("input", 4, "wstrb"), ("output", 1, "bvalid")),
    *(("input", 1, "bready"), ("output", 2, "bresp"), ("input", 1, "arvalid")),
    *(("output", 1, "arready"), ("input", None, "araddr"), ("input", 3, "arprot")),
    *(("output", 1, "rvalid"), ("input", 1, "rready"), ("output", 32, "rdata")),
    ("output", 2, "rresp"),
)


def csr_bytes(ports: Iterable[Port]) -> int:
    """Return the bytes that an AXI4-Lite port can address; 0 without one."""
    return next((1 << port.bits for port in ports if port.name == "s_axil_awaddr"), 0)


def _csr_ports(engine: Engine) -> list[Port]:
    """Return every port of the engine's module with registers around it."""
    clock = "clock and synchronous reset"
    ports = [
        Port(clock, *_CLOCK),
        Port(clock, "input", "rst", 1, "synchronous reset, active high; drops packets and keys"),
    ]
    group = "registers: keys, contexts, status, counters" + ", results" * engine.has_results
    address = 8 if engine.has_results else 7
    for way, bits, name in _AXI_LITE:
        words = f"AXI4-Lite {name.upper()}"
        ports.append(Port(group, way, f"s_axil_{name}", bits or address, words))
    return ports + _axis("s_axis", engine, into=True) + _axis("m_axis", engine, into=False)


def _engine_uses(engine: Engine, port: str) -> bool:
    if port == "s_ctx_key":
        return engine.core.is_agile
    if port.startswith("s_key") or port == "s_ctx_slot":
        return not engine.core.is_agile
    if port == "s_ctx_iv":
        return engine.takes_iv
    if port == "s_ctx_mode":
        return len(engine.modes) > 1
    if port == "s_ctx_decrypt":
        # If no mode depends on the direction, the port needs no explanation.
        return engine.constant_decrypt is None
    return True


def _constant(engine: Engine, port: str) -> str:
    """Return what an input that the wrapper leaves out is tied to."""
    if port == "s_ctx_mode":
        return f"{engine.kind.mode_bits}'d{MODES[engine.modes[0]].code}"
    if port == "s_ctx_decrypt" and engine.constant_decrypt:
        return "1'b1"
    return "'0"

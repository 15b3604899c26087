# SPDX-License-Identifier: Apache-2.0
"""Send a file through a simulated engine as one packet with a tag, and compare it with OpenSSL's.

The message stays in memory until its tag is known: nothing of it is written before.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesforge.crypt.engine import StreamCryptReport
from aesforge.crypt.files import new_output, open_input, refuse_bad_output
from aesforge.crypt.keys import refuse_other_length
from aesforge.crypt.message import Progress
from aesforge.design.engine import BLOCK_BYTES, FIXED_BYTES, Engine
from aesforge.design.modes import Mode
from aesforge.errors import CheckFailed, NotAuthentic, UsageError, one_of
from aesforge.reference.ccm import most_text_bytes
from aesforge.simulate.engine import BEATS, IVS, RESULTS, counted_iv, engine_module
from aesforge.simulate.packets import Context, KeyLoad, SealedPacket, kind_of_iv, with_its_iv
from aesforge.simulate.traffic import Traffic, fault_text, first_fault
from aesforge.toolchain.files import write_all

if TYPE_CHECKING:
    from aesforge.simulate.build import Optimize

TAG_BITS = 8 * BLOCK_BYTES
# Text, or associated data, of a packet of OCB: the engine's table has no word for more.
MOST_OCB_BYTES = BLOCK_BYTES * 2**14 - 1


@dataclass(frozen=True, kw_only=True)
class SealedCryptReport(StreamCryptReport):
    """What an engine did with a file and its tag."""

    aad_bytes: int
    """Bytes of associated data."""
    tag_bits: int
    """Length of the tag, which is the end of the encrypted file."""

    def data_line(self) -> str:
        """Return the line about what went in and came out."""
        return f"{super().data_line()}, a tag of {self.tag_bits} bits over it and " + (
            f"{self.aad_bytes:,} bytes of associated data" if self.aad_bytes else "no other data"
        )

    def text(self) -> str:
        """Return the report for people, several lines."""
        made = "" if self.iv is None else f"\nIV          {self.iv}, made by the engine"
        return super().text() + made


def crypt_sealed_file(
    engine: Engine,
    src: Path,
    dst: Path,
    *,
    cipher: str,
    key: bytes,
    iv: bytes | None = None,
    iv_fixed: bytes | None = None,
    decrypt: bool = False,
    pad: bool = True,
    packet_bytes: int | None = None,
    aad: Path | None = None,
    tag_bits: int | None = None,
    stall: float = 0.0,
    seed: int = 1,
    progress: Progress | None = None,
    optimize: Optimize | None = None,
) -> SealedCryptReport:
    """Encrypt or decrypt a file with a tag, as one packet, and write the output.

    An encrypted file is the ciphertext and then the tag. The output appears under its name only
    when it is complete and equal to OpenSSL's, and a decrypted one only if its tag is right: before
    that no part of it is in any file.

    Args:
        engine: the engine.
        src: the input, of any size that fits into memory; it is read once, from start to end.
        dst: the output.
        cipher: the mode of operation.
        key: as many bytes as the engine's keys have.
        iv: never used before under this key. GCM: 12 bytes, or any other number, which a packet of
            its own brings; CCM: 7 to 13 bytes. None where the engine makes it.
        iv_fixed: the first 4 bytes of an IV that the engine makes, never used before under this
            key: a simulation starts from a reset, and so the count from 0. None: drawn at random,
            which repeats one after some ten thousand files.
        decrypt: verify and decrypt.
        pad: must be left at True: the mode takes any length and never pads.
        packet_bytes: must be left at None: a message is one packet.
        aad: a file of additional authenticated data; None: there are none.
        tag_bits: length of the tag; None: 128.
        stall: how likely either side waits in a cycle, 0 to below 1.
        seed: of these waits.
        progress: called with bytes done and bytes in all.
        optimize: see :class:`aesforge.simulate.stream.StreamSimulator`; None: by the bytes.

    Raises:
        UsageError: the request cannot be carried out; nothing was written.
        NotAuthentic: the tag is wrong; nothing was written.
        ToolMissing: something to simulate with is not installed.
        CheckFailed: a beat was lost, repeated, reordered or wrong; nothing was written.
        AesforgeError: the model does not compile, or the output cannot be written.
    """
    from aesforge.simulate.build import optimize_for
    from aesforge.simulate.stream import StreamSimulator

    mode = engine.mode_for(cipher, decrypt)
    tag_bits = TAG_BITS if tag_bits is None else tag_bits
    counted = engine.counts_ivs and not decrypt
    if iv_fixed is not None and (not counted or len(iv_fixed) != FIXED_BYTES):
        raise UsageError(
            f"a fixed field of {len(iv_fixed)} bytes: it has {FIXED_BYTES}, of an engine with "
            "iv = counted that encrypts"
        )
    if counted:
        if iv is not None:
            raise UsageError(f"'{engine.name}' makes the IV of what it encrypts; give none")
        fixed = secrets.token_bytes(FIXED_BYTES) if iv_fixed is None else iv_fixed
        # The first after a reset.
        iv = counted_iv(fixed, 0)
    else:
        fixed = bytes(FIXED_BYTES)
    refuse_other_length(key, engine.key_bits)
    iv = refuse_bad_iv(mode, iv, pad, packet_bytes)
    short = "short_tags" in engine.kind.choices and tag_bits in (32, 64)
    hint = "; for short ones use --set short_tags=true" if short else ""
    refuse_bad_tag(engine.name, tag_bits, engine.tag_bytes, hint)
    tag_bytes = tag_bits // 8
    aad_data = read_aad(aad)
    with open_input(src) as source:
        target = refuse_bad_output(source, src, dst)
        try:
            message = source.read()
        except OSError as error:
            raise UsageError(f"cannot read the input '{src}': {error.strerror}") from None
    text, tag = split_tag(message, src, tag_bytes, decrypt)
    if cipher == "ocb" and (most := max(len(text), len(aad_data))) > MOST_OCB_BYTES:
        what = "the message has" if most == len(text) else "the associated data have"
        raise UsageError(
            f"{what} {most:,} bytes: a packet of ocb takes up to {MOST_OCB_BYTES:,} of either"
        )
    if mode.states_lengths and len(text) > (most := most_text_bytes(len(iv))):
        raise UsageError(
            f"the message has {len(text):,} bytes: with an IV of {len(iv)} bytes {cipher} takes up "
            f"to {most:,}; a shorter IV leaves more"
        )
    kind = kind_of_iv(iv, mode)
    context = Context(mode.code, decrypt, iv, key, tag_bytes=tag_bytes, iv_kind=kind)
    packet = SealedPacket(text, context, beat_bytes=engine.beat_bytes, aad=aad_data, tag=tag)
    packets = with_its_iv(packet)
    if engine.most_beats is not None and packet.beats > engine.most_beats:
        enough = 1 << (packet.beats + 3).bit_length()
        raise UsageError(
            f"the message takes {packet.beats:,} beats: '{engine.name}' holds packets of up to "
            f"{engine.most_beats:,}; use --set hold_beats={enough}, or release = flagged"
        )
    optimize = optimize or optimize_for((len(text) + len(aad_data)) // BLOCK_BYTES)
    with StreamSimulator(
        engine_module(engine, optimize=optimize), optimize=optimize, seed=seed
    ) as simulator:
        assert simulator.model is not None
        started = time.monotonic()
        fields = dict.fromkeys(range(engine.core.key_slots or 0), fixed)
        traffic = Traffic(simulator, engine, fixed=fields)
        if not engine.core.is_agile:
            transfers, _ = traffic.transfers([KeyLoad(0, key)])
            simulator.run(transfers)
        transfers, due = traffic.transfers(packets)
        result = simulator.run(
            transfers,
            wanted=len(due),
            stalls={BEATS: stall, IVS: stall, RESULTS: stall},
            tail_cycles=engine.latency_cycles + 20,
            watchdog_cycles=20_000 + 2 * engine.context_timeout,
        )
        fault = traffic.iv_fault(result) or first_fault(result.rows, due)
        if fault := fault or fault_text(result):
            raise CheckFailed(f"'{engine.name}' is wrong: {fault}\nnothing was written")
        if _flagged(result.rows):
            raise wrong_tag(src)
        out = _output(result.rows[-packet.beats :], packet, decrypt)
        with new_output(target, dst) as sink:
            write_all(sink, out)
        if progress is not None:
            progress(len(message), len(message))
        return SealedCryptReport(
            engine=engine.name,
            summary=engine.summary(),
            mode=cipher,
            decrypt=decrypt,
            input_bytes=len(message),
            output_bytes=len(out),
            packets=len(packets),
            beats=len(due),
            blocks=-(-len(text) // BLOCK_BYTES),
            cycles=int(result.rows["cycle"][-1]) - int(result.taken[BEATS][0]) + 1,
            stall=stall,
            seed=seed,
            aad_bytes=len(aad_data),
            tag_bits=tag_bits,
            iv=iv.hex() if counted else None,
            build_seconds=simulator.model.build_seconds,
            simulation_seconds=result.simulation_seconds,
            seconds=time.monotonic() - started,
        )


def refuse_bad_iv(
    mode: Mode, iv: bytes | None, pad: bool = True, packet_bytes: int | None = None
) -> bytes:
    """Return the IV of a message with a tag if it can be sent as one packet.

    Args:
        mode: of the message.
        iv: None if none is given.
        pad: false if padding is not wanted.
        packet_bytes: None; anything else is refused.

    Raises:
        UsageError: there is no IV, or it is too short or too long, or padding or packets are asked
            for.
    """
    if iv is None:
        least = f"{2 * mode.iv_lengths[0]} to " if mode.iv_lengths else ""
        raise UsageError(
            f"mode = {mode.cipher} needs an IV: --iv with {least}{2 * mode.iv_bytes} hexadecimal "
            "digits, never used before under this key"
        )
    if mode.iv_lengths and len(iv) not in mode.iv_lengths:
        raise UsageError(
            f"the IV has {len(iv)} byte{'' if len(iv) == 1 else 's'}; mode = {mode.cipher} takes "
            f"{one_of(mode.iv_lengths)}"
        )
    if not iv:
        raise UsageError(
            f"the IV has no bytes; mode = {mode.cipher} takes {mode.iv_bytes} or others"
        )
    if not pad:
        raise UsageError(
            f"mode = {mode.cipher} and no padding exclude each other: it takes any length and "
            "never pads"
        )
    if packet_bytes is not None:
        raise UsageError(
            f"mode = {mode.cipher} and packets of {packet_bytes} bytes exclude each other: a "
            "message with its tag is one packet; leave --packet out"
        )
    return iv


def refuse_bad_tag(name: str, tag_bits: int, allowed: Iterable[int], hint: str = "") -> None:
    """Refuse a length of a tag that an engine does not have.

    Args:
        name: of the engine, for the message.
        tag_bits: asked for.
        allowed: legal lengths in bytes.
        hint: further words of the message.

    Raises:
        UsageError: it is none of them.
    """
    lengths = [8 * size for size in allowed]
    if tag_bits not in lengths:
        raise UsageError(
            f"a tag of {tag_bits} bits: '{name}' has tags of {one_of(lengths)} bits{hint}"
        )


def read_aad(path: Path | None) -> bytes:
    """Return the associated data, none without a file.

    Raises:
        UsageError: it cannot be read.
    """
    if path is None:
        return b""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the associated data '{path}': {error.strerror}") from None


def split_tag(message: bytes, src: Path, tag_bytes: int, decrypt: bool) -> tuple[bytes, bytes]:
    """Return the text of a message, and its tag; zeros for one that is to be made.

    Args:
        message: what was read.
        src: where, for the message.
        tag_bytes: of the tag.
        decrypt: or encrypt.

    Raises:
        UsageError: it is shorter than its tag.
    """
    if not decrypt:
        return message, bytes(tag_bytes)
    if len(message) < tag_bytes:
        raise UsageError(
            f"the input '{src}' has {len(message)} bytes: it must end in its tag, {tag_bytes} "
            f"bytes for --tag-bits {8 * tag_bytes}; is it complete?"
        )
    at = len(message) - tag_bytes
    return message[:at], message[at:]


def wrong_tag(src: Path) -> NotAuthentic:
    """Return the error of a file with a wrong tag."""
    return NotAuthentic(
        f"the tag of '{src}' is wrong: it, its associated data, the IV or the key is not what it "
        "was encrypted with; nothing was written"
    )


def _flagged(rows: Any) -> bool:
    """Return whether the last beat has the error flag."""
    return bool(int(rows["m_axis_tuser"][-1].tolist()) & 1)


def _output(rows: Any, packet: SealedPacket, decrypt: bool) -> bytes:
    """Return the text, and what was made of the tag when encrypting."""
    data: bytes = rows["m_axis_tdata"].tobytes()
    start = packet.beat_bytes * packet.section_beats()[0]
    text = data[start : start + len(packet.data)]
    if decrypt:
        return text
    return text + data[-packet.beat_bytes :][: len(packet.tag)]

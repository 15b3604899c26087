# SPDX-License-Identifier: Apache-2.0
"""Send a file through a simulated engine as packets, and compare every byte with OpenSSL's."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesforge.crypt.files import new_output, open_input, refuse_bad_output
from aesforge.crypt.keys import refuse_other_length
from aesforge.crypt.message import Message, Progress
from aesforge.crypt.report import Report
from aesforge.design.engine import BLOCK_BYTES, Engine
from aesforge.design.modes import Mode
from aesforge.errors import CheckFailed, UsageError
from aesforge.reference import openssl
from aesforge.simulate.engine import BEATS, RESULTS, engine_module
from aesforge.simulate.packets import AFTER_RESULT, Context, KeyLoad, Packet, next_iv
from aesforge.simulate.traffic import Traffic, fault_text, first_fault

if TYPE_CHECKING:
    from aesforge.simulate.build import Optimize
    from aesforge.simulate.stream import StreamSimulator

PACKET_BYTES = 4096
# About a megabyte at a time: enough for the transport not to count, little to hold.
_CHUNK_BYTES = 1 << 20
# IEEE Std 1619 Sec. 5.1: a data unit has at most 2^20 blocks.
_MOST_UNIT_BYTES = BLOCK_BYTES << 20
# A context serves at most so many data units.
_MOST_UNITS = 1 << 16


@dataclass(frozen=True, kw_only=True)
class StreamCryptReport(Report):
    """What an engine did with a file; its cycles are those from the first packet on."""

    engine: str
    """The engine's name."""
    packets: int
    beats: int
    stall: float
    """How likely either side waited in a cycle."""
    seed: int
    """Of the waits."""

    @property
    def cycles_per_block(self) -> float:
        """Cycles on the bus for each block, 0 without blocks."""
        return self.cycles / self.blocks if self.blocks else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {
            "engine": self.engine,
            **super().as_dict(),
            "cycles_per_block": self.cycles_per_block,
            "equals_openssl": True,
        }

    def text(self) -> str:
        """Return the report for people, several lines."""
        waits = ""
        if self.stall:
            waits = f", each side waiting in {100 * self.stall:g} % of them (seed {self.seed})"
        return "\n".join(
            (
                f"engine      {self.engine}: {self.summary}",
                f"{self.data_line()}, equal to OpenSSL's",
                f"bus         {self.packets:,} packet{'s' if self.packets != 1 else ''}, "
                f"{self.beats:,} beats in {self.cycles:,} cycles{waits}: "
                f"{self.cycles_per_block:.4g} cycles per block",
                self.speed_line(),
            )
        )


def crypt_file_as_packets(
    engine: Engine,
    src: Path,
    dst: Path,
    *,
    cipher: str,
    key: bytes,
    iv: bytes | None = None,
    decrypt: bool = False,
    pad: bool = True,
    packet_bytes: int | None = None,
    sector_size: int | None = None,
    sector: int | None = None,
    stall: float = 0.0,
    seed: int = 1,
    progress: Progress | None = None,
    optimize: Optimize | None = None,
) -> StreamCryptReport:
    """Send a file through an engine as packets and write the output.

    The packets are one message: each has the IV that follows from the previous data, or is a data
    unit with the next number. The output appears under its name only when it is complete and equal
    to OpenSSL's.

    Args:
        engine: the engine.
        src: the input, of any size; it is read once, from start to end.
        dst: the output.
        cipher: the mode of operation, one of `aesforge.design.engine.CIPHERS`.
        key: as many bytes as the engine's keys have.
        iv: 16 bytes, where the mode takes one.
        decrypt: undo the encryption.
        pad: PKCS#7 padding where the mode takes whole blocks: added when encrypting, checked and
            removed when decrypting.
        packet_bytes: length of a packet, whole beats; the last may be shorter. None: as many beats
            as :data:`PACKET_BYTES` has room for.
        sector_size: bytes of a data unit, in place of a packet's; None: :data:`PACKET_BYTES`.
        sector: number of the first data unit, in place of the IV; None: 0.
        stall: how likely either side waits in a cycle, 0 to below 1.
        seed: of these waits.
        progress: called with bytes done and bytes in all.
        optimize: see :class:`aesforge.simulate.stream.StreamSimulator`; None: by the bytes.

    Raises:
        UsageError: the request cannot be carried out; nothing was written.
        ToolMissing: something to simulate with is not installed.
        CheckFailed: a beat was lost, repeated, reordered or wrong; nothing was written.
        AesforgeError: the model does not compile, or the output cannot be written.
    """
    mode = engine.mode_for(cipher, decrypt)
    if mode.is_unit:
        refuse_other_length(key, engine.key_bits)
        iv = refuse_bad_units(
            *(mode, engine.name, key, iv, packet_bytes, sector_size, sector),
            stealing=bool(engine.stealing),
        )
        packet_bytes = sector_size or PACKET_BYTES
    elif packet_bytes is None:
        packet_bytes = PACKET_BYTES - PACKET_BYTES % engine.beat_bytes
    refuse_other_length(key, engine.key_bits)
    refuse_bad_message(mode, iv, pad, packet_bytes, engine.beat_bytes)
    from aesforge.simulate.build import optimize_for
    from aesforge.simulate.stream import StreamSimulator

    with open_input(src) as source:
        message = Message(
            source,
            src,
            whole_blocks=not mode.partial,
            decrypt=decrypt,
            pad=pad,
            # Only the message's last beat, or data unit, may be short.
            chunk_bytes=_chunk_bytes(engine, mode, packet_bytes),
            least_end=_least_end(engine, mode, packet_bytes),
            secrets="key or IV",
        )
        target = refuse_bad_output(source, src, dst)
        optimize = optimize or optimize_for(message.blocks)
        with (
            new_output(target, dst) as sink,
            StreamSimulator(
                engine_module(engine, optimize=optimize), optimize=optimize, seed=seed
            ) as simulator,
        ):
            assert simulator.model is not None
            started = time.monotonic()
            iv = iv or bytes(BLOCK_BYTES)
            job = _Job(engine, mode, simulator, key, iv, decrypt, stall, packet_bytes)
            message.through(job.send, sink, progress)
            seconds = time.monotonic() - started
            return StreamCryptReport(
                engine=engine.name,
                summary=engine.summary(),
                mode=cipher,
                decrypt=decrypt,
                input_bytes=message.input_bytes,
                output_bytes=os.fstat(sink.fileno()).st_size,
                packets=job.packets,
                beats=job.beats,
                blocks=job.blocks,
                cycles=job.cycles,
                stall=stall,
                seed=seed,
                build_seconds=simulator.model.build_seconds,
                simulation_seconds=job.simulation_seconds,
                seconds=seconds,
            )


def _chunk_bytes(engine: Engine, mode: Mode, packet_bytes: int) -> int:
    if not mode.is_unit:
        return _CHUNK_BYTES - _CHUNK_BYTES % engine.beat_bytes
    return min(max(1, _CHUNK_BYTES // packet_bytes), _MOST_UNITS) * packet_bytes


def _least_end(engine: Engine, mode: Mode, packet_bytes: int) -> tuple[int, int, int]:
    """Return the bytes of a packet, the fewest of the last one, and what they are whole of."""
    if not mode.is_unit:
        return 1, 0, 1
    return packet_bytes, mode.least_bytes, 1 if engine.stealing else BLOCK_BYTES


def refuse_bad_units(
    mode: Mode,
    name: str,
    key: bytes,
    iv: bytes | None,
    packet_bytes: int | None,
    sector_size: int | None,
    sector: int | None,
    *,
    stealing: bool,
) -> bytes:
    """Return the number of the first data unit as the IV.

    Args:
        mode: of the message.
        name: of the engine, for messages.
        key: both keys.
        iv: the number, 16 bytes, lowest first; None if it is not given so.
        packet_bytes: None; anything else is refused.
        sector_size: bytes of a data unit; None: :data:`PACKET_BYTES`.
        sector: the number as such; None: 0.
        stealing: whether a data unit may end in part of a block.

    Raises:
        UsageError: the data units cannot be sent.
    """
    if packet_bytes is not None:
        raise UsageError(
            f"mode = {mode.cipher} and --packet exclude each other: a packet is a data unit; use "
            "--sector-size"
        )
    if iv is not None and sector is not None:
        raise UsageError("--iv and --sector exclude each other: both are the number of a data unit")
    size = PACKET_BYTES if sector_size is None else sector_size
    if not mode.least_bytes <= size <= _MOST_UNIT_BYTES:
        raise UsageError(
            f"data units of {size:,} bytes: {mode.cipher} takes {mode.least_bytes} to "
            f"{_MOST_UNIT_BYTES:,} ({mode.source})"
        )
    if size % BLOCK_BYTES and not stealing:
        raise UsageError(
            f"data units of {size:,} bytes: '{name}' takes whole blocks; leave "
            "stealing = false out, or use a multiple of 16"
        )
    half = len(key) // 2
    if key[:half] == key[half:]:
        raise UsageError(
            f"the two keys of mode = {mode.cipher} are the same: they must differ ({mode.source})"
        )
    return iv if iv is not None else (sector or 0).to_bytes(BLOCK_BYTES, "little")


def refuse_bad_message(
    mode: Mode, iv: bytes | None, pad: bool, packet_bytes: int, beat_bytes: int
) -> None:
    """Refuse a message that cannot be sent as packets in a mode.

    Args:
        mode: of the message.
        iv: None if none is given.
        pad: false if padding is not wanted.
        packet_bytes: of all packets but the last.
        beat_bytes: of a beat.

    Raises:
        UsageError: the IV, the padding or the length does not fit.
    """
    if mode.takes_iv and iv is None:
        what = "the first counter block" if mode.chain == "counter" else "one block"
        raise UsageError(
            f"mode = {mode.cipher} needs an IV, {what}: --iv with {2 * BLOCK_BYTES} hexadecimal "
            "digits"
        )
    if not mode.takes_iv and iv is not None:
        raise UsageError(
            f"mode = {mode.cipher} and an IV exclude each other: leave the IV out, or use another "
            "mode"
        )
    if mode.partial and not pad:
        raise UsageError(
            f"mode = {mode.cipher} and no padding exclude each other: it takes any length and "
            "never pads"
        )
    if mode.is_unit:
        return
    if packet_bytes < beat_bytes or packet_bytes % beat_bytes:
        below = max(beat_bytes, packet_bytes - packet_bytes % beat_bytes)
        raise UsageError(
            f"packets of {packet_bytes} bytes: only the last packet of a message may end in a "
            f"beat that is not full, so it must be a multiple of {beat_bytes}, for example {below} "
            f"or {below + beat_bytes}"
        )


class _Job:
    """One message on its way through an engine."""

    def __init__(
        self,
        engine: Engine,
        mode: Mode,
        simulator: StreamSimulator,
        key: bytes,
        iv: bytes,
        decrypt: bool,
        stall: float,
        packet_bytes: int,
    ) -> None:
        self.engine = engine
        self.mode = mode
        self.simulator = simulator
        self.traffic = Traffic(simulator, engine)
        self.key = key
        self.iv = iv
        self.decrypt = decrypt
        self.stall = stall
        self.packet_bytes = packet_bytes
        # The message as a whole, which the packets must add up to.
        self.reference = (
            openssl.Units(key, iv, packet_bytes, decrypt=decrypt)
            if mode.is_unit
            else openssl.stream(mode.cipher, key, iv, decrypt=decrypt)
        )
        self.packets = self.beats = self.blocks = self.cycles = 0
        self.simulation_seconds = 0.0
        self.loaded = engine.core.is_agile

    def send(self, data: bytes, last: bool) -> bytes:
        """Send a part of the message and return the output.

        Raises:
            CheckFailed: it is not what OpenSSL gives.
        """
        if not self.loaded:
            self.loaded = True
            transfers, _ = self.traffic.transfers([KeyLoad(0, self.key)])
            self.simulator.run(transfers)
        size = self.packet_bytes
        parts = [data[at : at + size] for at in range(0, len(data), size)]
        if self.mode.chain not in AFTER_RESULT:
            return self._run(parts, last)
        # The IV of a packet is known when the one before is through.
        return b"".join(
            self._run([part], last and number == len(parts) - 1)
            for number, part in enumerate(parts)
        )

    def _run(self, parts: list[bytes], last: bool) -> bytes:
        packets: list[Packet] = []
        for part in parts:
            context = Context(self.mode.code, self.decrypt, self.iv, self.key)
            if self.mode.is_unit:
                more = 0 if packets else len(parts) - 1
                context = replace(context, more=more, follows=bool(packets))
            packets.append(Packet(part, context, beat_bytes=self.engine.beat_bytes))
            if self.mode.chain not in AFTER_RESULT:
                self.iv = next_iv(self.mode, self.decrypt, self.iv, part, b"")
        if not packets:
            return b""
        transfers, due = self.traffic.transfers(packets)
        first = self.simulator.moved[RESULTS]
        result = self.simulator.run(
            transfers,
            wanted=len(due),
            stalls={BEATS: self.stall, RESULTS: self.stall},
            tail_cycles=self.engine.latency_cycles + 20 if last else 0,
            watchdog_cycles=20_000 + 2 * self.engine.context_timeout,
        )
        if fault := first_fault(result.rows, due, first) or fault_text(result):
            raise CheckFailed(f"'{self.engine.name}' is wrong: {fault}\nnothing was written")
        data = b"".join(parts)
        out = self._bytes_of(result.rows["m_axis_tdata"].tobytes(), packets)
        if out != self.reference.update(data):
            raise CheckFailed(
                f"'{self.engine.name}': the packets are right, each for itself, but do not add up "
                "to OpenSSL's output; nothing was written"
            )
        if self.mode.chain in AFTER_RESULT:
            self.iv = next_iv(self.mode, self.decrypt, self.iv, data, out)
        self.packets += len(packets)
        self.beats += len(due)
        self.blocks += -(-len(data) // BLOCK_BYTES)
        # Without the cycles in which nothing more was awaited.
        self.cycles += int(result.rows["cycle"][-1]) - int(result.taken[BEATS][0]) + 1
        self.simulation_seconds += result.simulation_seconds
        return out

    @staticmethod
    def _bytes_of(bus: bytes, packets: list[Packet]) -> bytes:
        """Return the bytes that are kept of the beats of some packets."""
        parts = []
        at = 0
        for packet in packets:
            parts.append(bus[at : at + len(packet.data)])
            at += packet.beats * packet.beat_bytes
        return b"".join(parts)

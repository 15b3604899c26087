# SPDX-License-Identifier: Apache-2.0
"""Send a file through a simulated engine as packets, and compare every byte with OpenSSL's."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from aesforge.crypt.core import (
    new_output,
    open_input,
    refuse_bad_output,
    refuse_bad_size,
    without_padding,
)
from aesforge.design.engine import BLOCK_BYTES, Engine
from aesforge.design.modes import Mode
from aesforge.errors import CheckFailed, UsageError
from aesforge.reference import openssl
from aesforge.simulate.packets import (
    AFTER_RESULT,
    BEATS,
    RESULTS,
    Context,
    KeyLoad,
    Packet,
    Traffic,
    engine_module,
    fault_text,
    first_fault,
    next_iv,
)
from aesforge.toolchain.files import write_all

if TYPE_CHECKING:
    from aesforge.simulate.build import Optimize
    from aesforge.simulate.stream import StreamSimulator

Progress = Callable[[int, int], None]

PACKET_BYTES = 4096
# About a megabyte at a time: enough for the transport not to count, little to hold.
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class StreamCryptReport:
    """What was done with a file; every field is JSON-able."""

    engine: str
    """The engine's name."""
    summary: str
    """The engine in one line of words."""
    mode: str
    decrypt: bool
    input_bytes: int
    output_bytes: int
    packets: int
    beats: int
    blocks: int
    cycles: int
    """From the first packet on, filling and draining included."""
    stall: float
    """How likely either side waited in a cycle."""
    seed: int
    """Of the waits."""
    build_seconds: float
    """Time the model's compilation took; 0 when it was found in the cache."""
    simulation_seconds: float
    """Time the model ran."""
    seconds: float
    """Time from the first byte read to the output in its place, without the compilation."""

    @property
    def cycles_per_block(self) -> float:
        """Cycles on the bus for each block, 0 without blocks."""
        return self.cycles / self.blocks if self.blocks else 0.0

    def as_dict(self) -> dict[str, object]:
        """Return the report for JSON."""
        return {
            **dataclasses.asdict(self),
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
                f"data        {self.input_bytes:,} bytes in, {self.output_bytes:,} bytes out "
                f"({self.mode.upper()}, {'decrypted' if self.decrypt else 'encrypted'}), equal to "
                "OpenSSL's",
                f"bus         {self.packets:,} packet{'s' if self.packets != 1 else ''}, "
                f"{self.beats:,} beats in {self.cycles:,} cycles{waits}: "
                f"{self.cycles_per_block:.4g} cycles per block",
                f"simulation  {self.blocks / self.seconds if self.seconds else 0:,.0f} blocks/s, "
                f"{self.seconds:.2f} s",
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
    stall: float = 0.0,
    seed: int = 1,
    progress: Progress | None = None,
    optimize: Optimize = "speed",
) -> StreamCryptReport:
    """Send a file through an engine as packets and write what comes out.

    The packets carry one message on: each has the IV that follows from what is before it. The
    output appears under its name only when it is complete and equal to OpenSSL's.

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
        stall: how likely either side waits in a cycle, 0 to below 1.
        seed: of these waits.
        progress: called with bytes done and bytes in all.
        optimize: see :class:`aesforge.simulate.stream.StreamSimulator`.

    Raises:
        UsageError: the request cannot be carried out; nothing was written.
        ToolMissing: something to simulate with is not installed.
        CheckFailed: a beat was lost, repeated, reordered or wrong; nothing was written.
        AesforgeError: the model does not compile, or the output cannot be written.
    """
    mode = engine.mode_for(cipher, decrypt)
    if packet_bytes is None:
        packet_bytes = PACKET_BYTES - PACKET_BYTES % engine.beat_bytes
    _refuse_bad_request(engine, mode, key, iv, pad, packet_bytes)
    from aesforge.simulate.stream import StreamSimulator

    with open_input(src) as source:
        target = refuse_bad_output(source, src, dst)
        # Only the message's last beat may be short.
        chunk = _CHUNK_BYTES - _CHUNK_BYTES % engine.beat_bytes
        message = _Message(source, src, mode, decrypt, pad and not mode.partial, chunk)
        with (
            new_output(target, dst) as sink,
            StreamSimulator(
                engine_module(engine, optimize=optimize), optimize=optimize, seed=seed
            ) as simulator,
        ):
            assert simulator.model is not None
            started = time.monotonic()
            job = _Job(engine, mode, simulator, key, iv or bytes(BLOCK_BYTES), decrypt, stall)
            size = os.fstat(source.fileno()).st_size
            for data, last in message.chunks():
                write_all(sink, message.unpadded(job.send(data, packet_bytes, last), last))
                if progress is not None:
                    progress(message.input_bytes, max(size, message.input_bytes))
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


def _refuse_bad_request(
    engine: Engine, mode: Mode, key: bytes, iv: bytes | None, pad: bool, packet_bytes: int
) -> None:
    if 8 * len(key) != engine.core.key_bits:
        raise UsageError(
            f"the key has {len(key)} bytes; key_bits = {engine.core.key_bits} takes "
            f"{engine.core.key_bits // 8}"
        )
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
    beat = engine.beat_bytes
    if packet_bytes < beat or packet_bytes % beat:
        below = max(beat, packet_bytes - packet_bytes % beat)
        raise UsageError(
            f"packets of {packet_bytes} bytes: only the last packet of a message may end in a "
            f"beat that is not full, so it must be a multiple of {beat}, for example {below} or "
            f"{below + beat}"
        )


class _Message:
    """The input, padded where it is to be, in chunks; and the padding of what comes out."""

    def __init__(
        self, source: IO[bytes], src: Path, mode: Mode, decrypt: bool, pad: bool, chunk_bytes: int
    ) -> None:
        self.source = source
        self.chunk_bytes = chunk_bytes
        self.src = src
        self.mode = mode
        self.decrypt = decrypt
        self.pad = pad
        self.input_bytes = 0
        self.waiting = b""  # decrypting: the last block out, which may be padding

    def chunks(self) -> Iterator[tuple[bytes, bool]]:
        """Return the input and whether it ends there."""
        chunk = self._read()
        while True:
            # A short read is the end; after a full one only the next tells.
            following = self._read() if len(chunk) == self.chunk_bytes else b""
            if not following:
                yield self._last(chunk), True
                return
            yield chunk, False
            chunk = following

    def _read(self) -> bytes:
        data = b""
        try:
            while missing := self.chunk_bytes - len(data):
                more = self.source.read(missing)
                if not more:
                    break
                data += more
        except OSError as error:
            raise UsageError(f"cannot read the input '{self.src}': {error.strerror}") from None
        self.input_bytes += len(data)
        return data

    def _last(self, chunk: bytes) -> bytes:
        if self.mode.partial:
            return chunk
        if self.pad and not self.decrypt:
            fill = BLOCK_BYTES - len(chunk) % BLOCK_BYTES
            return chunk + bytes([fill]) * fill
        refuse_bad_size(self.input_bytes, self.decrypt, self.pad)
        return chunk

    def unpadded(self, data: bytes, last: bool) -> bytes:
        """Return what may be written, of what came out."""
        if not (self.pad and self.decrypt):
            return data
        data = self.waiting + data
        if not last:
            self.waiting = data[-BLOCK_BYTES:]
            return data[:-BLOCK_BYTES]
        return data[:-BLOCK_BYTES] + without_padding(data[-BLOCK_BYTES:], "key or IV")


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
    ) -> None:
        self.engine = engine
        self.mode = mode
        self.simulator = simulator
        self.traffic = Traffic(simulator, engine)
        self.key = key
        self.iv = iv
        self.decrypt = decrypt
        self.stall = stall
        # The message as a whole, which the packets must add up to.
        self.reference = openssl.stream(mode.cipher, key, iv, decrypt=decrypt)
        self.packets = self.beats = self.blocks = self.cycles = 0
        self.simulation_seconds = 0.0
        self.loaded = engine.core.is_agile

    def send(self, data: bytes, packet_bytes: int, last: bool) -> bytes:
        """Send a part of the message and give what comes out.

        Raises:
            CheckFailed: it is not what OpenSSL gives.
        """
        if not self.loaded:
            self.loaded = True
            transfers, _ = self.traffic.transfers([KeyLoad(0, self.key)])
            self.simulator.run(transfers)
        parts = [data[at : at + packet_bytes] for at in range(0, len(data), packet_bytes)]
        if self.mode.chain not in AFTER_RESULT:
            return self._run(parts, last)
        # The IV of a packet is known when the one before is through.
        return b"".join(
            self._run([part], last and number == len(parts) - 1)
            for number, part in enumerate(parts)
        )

    def _run(self, parts: list[bytes], last: bool) -> bytes:
        packets = []
        for part in parts:
            context = Context(self.mode.code, self.decrypt, self.iv, self.key)
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
        out: bytes = result.rows["m_axis_tdata"].tobytes()[: len(data)]
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

# SPDX-License-Identifier: Apache-2.0
"""Encrypt or decrypt a file through a simulated core, streamed, in ECB or counter mode."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from aesforge.crypt.files import new_output, open_input, refuse_bad_output
from aesforge.crypt.keys import refuse_other_length
from aesforge.crypt.message import BLOCK_BYTES, Message, Progress
from aesforge.crypt.report import Report
from aesforge.design import Design
from aesforge.errors import CheckFailed, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from aesforge.simulate import Simulator
    from aesforge.simulate.build import Optimize

    Bytes = NDArray[np.uint8]

Mode = Literal["ecb", "ctr"]

# About a megabyte at a time: enough for the transport not to count, little to hold.
_CHUNK_BLOCKS = 1 << 16


@dataclass(frozen=True, kw_only=True)
class CryptReport(Report):
    """What a core did with a file."""

    design: str
    """The design's name."""
    latency_cycles: int
    blocks_per_cycle: float
    """Blocks over cycles of the whole run, filling and draining included."""
    warning: str | None = None
    """Set when the core is not AES."""

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {
            "design": self.design,
            **super().as_dict(),
            "blocks_per_second": self.blocks_per_second,
        }

    def text(self) -> str:
        """Return the report for people, several lines."""
        return "\n".join(
            (
                f"design      {self.design}: {self.summary}",
                self.data_line(),
                f"core        {self.blocks:,} blocks in {self.cycles:,} cycles, "
                f"{self.blocks_per_cycle:.4g} blocks per cycle, "
                f"latency {self.latency_cycles} cycles",
                self.speed_line(),
            )
        )


def crypt_file(
    design: Design,
    src: Path,
    dst: Path,
    *,
    mode: str,
    key: bytes,
    iv: bytes | None = None,
    decrypt: bool = False,
    pad: bool = True,
    progress: Progress | None = None,
    optimize: Optimize | None = None,
) -> CryptReport:
    """Send a file through a core and write the output.

    The output appears under its name only when it is complete; on any error, and on an
    interrupt, nothing is left and an older file of that name stays as it was.

    Args:
        design: the core.
        src: the input, of any size; it is read once, from start to end.
        dst: the output.
        mode: ``ecb``, or ``ctr`` with the counter over all 128 bits, as OpenSSL counts.
        key: as many bytes as the design's key has.
        iv: the first counter block, 16 bytes; only with ``ctr``.
        decrypt: undo the encryption. In ``ctr`` that is the same operation.
        pad: ``ecb`` only: PKCS#7 padding, added when encrypting, checked and removed when
            decrypting. Without it the input must be whole blocks.
        progress: called with bytes done and bytes in all.
        optimize: see :class:`aesforge.simulate.Simulator`; None: by the bytes.

    Raises:
        UsageError: the request cannot be carried out; nothing was written.
        ToolMissing: something to simulate with is not installed.
        CheckFailed: the core differs from its design.
        AesforgeError: the model does not compile, or the output cannot be written.
    """
    _refuse_bad_request(design, mode, key, iv, decrypt, pad)
    from aesforge.simulate import Simulator
    from aesforge.simulate.build import optimize_for

    with open_input(src) as source:
        message = Message(
            source,
            src,
            whole_blocks=mode == "ecb",
            decrypt=decrypt,
            pad=pad,
            chunk_bytes=BLOCK_BYTES
            * (_CHUNK_BLOCKS // design.blocks_per_beat * design.blocks_per_beat),
            secrets="key",
        )
        target = refuse_bad_output(source, src, dst)
        optimize = optimize or optimize_for(message.blocks)
        with (
            new_output(target, dst) as sink,
            # The seed only fills registers and idle pins; a fixed one makes runs repeatable.
            Simulator(design, optimize=optimize, seed=1) as simulator,
        ):
            assert simulator.model is not None
            started = time.monotonic()
            job = _Job(design, simulator, mode, key, iv, decrypt)
            message.through(job.send, sink, progress)
            seconds = time.monotonic() - started
            return CryptReport(
                design=design.name,
                summary=design.summary(),
                mode=mode,
                decrypt=decrypt,
                input_bytes=message.input_bytes,
                output_bytes=os.fstat(sink.fileno()).st_size,
                blocks=job.blocks_in,
                cycles=job.cycles,
                latency_cycles=design.latency_cycles,
                blocks_per_cycle=job.blocks_in / job.cycles if job.cycles else 0.0,
                build_seconds=simulator.model.build_seconds,
                simulation_seconds=job.simulation_seconds,
                seconds=seconds,
                warning=design.warning,
            )


# --- What is asked for ---------------------------------------------------------------------------


def _refuse_bad_request(
    design: Design, mode: str, key: bytes, iv: bytes | None, decrypt: bool, pad: bool
) -> None:
    if mode not in ("ecb", "ctr"):
        raise UsageError(
            f"mode = {mode}: a core alone does ecb and ctr; the other modes are those of engines, "
            "for example --set modes=cbc-decrypt"
        )
    if design.is_key_expansion:
        raise UsageError(
            f"'{design.name}' is a key expansion: it makes round keys and takes no blocks; crypt "
            "needs a design with architecture = pipeline"
        )
    refuse_other_length(key, design.key_bits)
    if mode == "ecb" and iv is not None:
        raise UsageError("mode = ecb and an IV exclude each other: leave the IV out, or use ctr")
    if mode == "ctr" and iv is None:
        raise UsageError(
            "mode = ctr needs an IV, the first counter block: 32 hexadecimal digits, never used "
            "twice with one key"
        )
    if iv is not None and len(iv) != BLOCK_BYTES:
        raise UsageError(f"the IV has {len(iv)} bytes; counter mode takes {BLOCK_BYTES}")
    if mode == "ctr" and not pad:
        raise UsageError(
            "mode = ctr and no padding exclude each other: counter mode takes any length and never "
            "pads"
        )
    if mode == "ctr" and design.direction == "decrypt":
        raise UsageError(
            "mode = ctr and direction = decrypt exclude each other: counter mode encrypts "
            f"counters, in both ways, and '{design.name}' cannot encrypt; use "
            "--set direction=encrypt or --set direction=both"
        )
    if mode == "ecb" and decrypt and design.direction == "encrypt":
        raise UsageError(
            f"decrypting ECB and direction = encrypt exclude each other: '{design.name}' cannot "
            "decrypt; use --set direction=decrypt or --set direction=both"
        )
    if mode == "ecb" and not decrypt and design.direction == "decrypt":
        raise UsageError(
            f"encrypting ECB and direction = decrypt exclude each other: '{design.name}' cannot "
            "encrypt; use --set direction=encrypt or --set direction=both, or give --decrypt"
        )


# --- The work ------------------------------------------------------------------------------------


class _Job:
    """One file on its way through a core."""

    def __init__(
        self,
        design: Design,
        simulator: Simulator,
        mode: str,
        key: bytes,
        iv: bytes | None,
        decrypt: bool,
    ) -> None:
        import numpy as np

        self.design = design
        self.simulator = simulator
        self.mode = mode
        self.key = np.frombuffer(key, np.uint8)
        self.iv = iv
        self.decrypt = decrypt
        self.blocks_in = 0
        self.beats_in = 0
        self.beats_out = 0
        self.cycles = 0
        self.simulation_seconds = 0.0
        # Counter mode: input that waits for its key stream.
        self.waiting = bytearray()
        if not design.is_agile:
            self._load_key()

    def _load_key(self) -> None:
        from aesforge.simulate import LOAD, WAIT

        ops = self.simulator.new_ops(2)
        ops["op"] = LOAD, WAIT
        ops["key"][0, : len(self.key)] = self.key
        self.cycles += self.simulator.run(ops).cycles

    def send(self, chunk: bytes, last: bool) -> bytes:
        """Send a chunk and return the output bytes that are ready.

        Raises:
            CheckFailed: blocks were lost or mixed up.
        """
        import numpy as np

        from aesforge.simulate import BLOCK, SPURIOUS, WAIT

        blocks_per_beat = self.design.blocks_per_beat
        blocks = -(-len(chunk) // BLOCK_BYTES)
        beats = -(-blocks // blocks_per_beat)
        # The last beat's free blocks carry zeros, whose results are dropped.
        data = np.zeros(beats * blocks_per_beat * BLOCK_BYTES, np.uint8)
        if self.mode == "ctr":
            self.waiting += chunk
            data[: blocks * BLOCK_BYTES] = self._counters(blocks)
        else:
            data[: len(chunk)] = np.frombuffer(chunk, np.uint8)
        ops = self.simulator.new_ops(beats + last)
        ops["op"][:beats] = BLOCK
        ops["block"][:beats] = data.reshape(beats, blocks_per_beat * BLOCK_BYTES)
        ops["tag"][:beats] = np.arange(self.beats_in, self.beats_in + beats, dtype=np.uint64)
        if self.design.is_agile:
            ops["key"][:beats, : len(self.key)] = self.key
        ops["decrypt"][:beats] = self.decrypt and self.mode == "ecb"
        if last:
            ops["op"][beats] = WAIT
        result = self.simulator.run(ops)

        self.cycles += result.cycles
        self.simulation_seconds += result.simulation_seconds
        self.blocks_in += blocks
        self.beats_in += beats
        self._refuse_wrong_order(result.rows["tag"], len(result.of(SPURIOUS)))
        self.beats_out += len(result.rows)
        if last and self.beats_out != self.beats_in:
            raise CheckFailed(
                f"the core lost data: {self.beats_in:,} beats went in, {self.beats_out:,} came out"
            )
        return self._output(result.rows["block"].reshape(-1), last).tobytes()

    def _refuse_wrong_order(self, tags: NDArray[np.uint64], spurious: int) -> None:
        import numpy as np

        mask = np.uint64(2**self.design.tag_bits - 1)
        wanted = np.arange(self.beats_out, self.beats_out + len(tags), dtype=np.uint64) & mask
        if spurious or (tags != wanted).any():
            raise CheckFailed(
                f"the core '{self.design.name}' mixed up its blocks (tags out of order); run "
                f"`aesforge check` on it"
            )

    def _counters(self, count: int) -> Bytes:
        """Return the next counter blocks: the IV plus a block's number, modulo 2^128."""
        import numpy as np

        assert self.iv is not None
        first = int.from_bytes(self.iv, "big") + self.blocks_in
        low = np.arange(count, dtype=np.uint64) + np.uint64(first % 2**64)
        carry = (low < np.uint64(first % 2**64)).astype(np.uint64)
        high = carry + np.uint64((first >> 64) % 2**64)
        return np.stack([high, low], axis=1).astype(">u8").view(np.uint8).reshape(-1)

    def _output(self, out: Bytes, last: bool) -> Bytes:
        """Return the part of the core's output that may be written."""
        import numpy as np

        if self.mode == "ctr":
            size = min(len(out), len(self.waiting))
            text = np.frombuffer(bytes(self.waiting[:size]), np.uint8)
            del self.waiting[:size]
            return out[:size] ^ text
        if last:  # drop the results of the padding blocks
            surplus = self.beats_in * self.design.blocks_per_beat - self.blocks_in
            out = out[: len(out) - surplus * BLOCK_BYTES]
        return out

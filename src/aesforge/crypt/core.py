# SPDX-License-Identifier: Apache-2.0
"""Encrypt or decrypt a file through a simulated core, streamed, in ECB or counter mode."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from aesforge.design import Design
from aesforge.errors import AesforgeError, CheckFailed, UsageError
from aesforge.toolchain import files

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from aesforge.simulate import Simulator
    from aesforge.simulate.build import Optimize

    Bytes = NDArray[np.uint8]

Progress = Callable[[int, int], None]
Mode = Literal["ecb", "ctr"]

BLOCK_BYTES = 16
# About a megabyte at a time: enough for the transport not to count, little to hold.
_CHUNK_BLOCKS = 1 << 16


@dataclass(frozen=True)
class CryptReport:
    """What was done with a file; every field is JSON-able."""

    design: str
    """The design's name."""
    summary: str
    """The design in one line of words."""
    mode: str
    decrypt: bool
    input_bytes: int
    output_bytes: int
    blocks: int
    """Blocks that went through the core."""
    cycles: int
    latency_cycles: int
    blocks_per_cycle: float
    """Blocks over cycles of the whole run, filling and draining included."""
    build_seconds: float
    """Time the model's compilation took; 0 when it was found in the cache."""
    simulation_seconds: float
    """Time the model ran."""
    seconds: float
    """Time from the first byte read to the output in its place, without the compilation."""
    blocks_per_second: float
    """Blocks over ``seconds``."""
    warning: str | None = None
    """Set when the core is not AES."""

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return dataclasses.asdict(self)

    def text(self) -> str:
        """Return the report for people, several lines."""
        return "\n".join(
            (
                f"design      {self.design}: {self.summary}",
                f"data        {self.input_bytes:,} bytes in, {self.output_bytes:,} bytes out "
                f"({self.mode.upper()}, {'decrypted' if self.decrypt else 'encrypted'})",
                f"core        {self.blocks:,} blocks in {self.cycles:,} cycles, "
                f"{self.blocks_per_cycle:.4g} blocks per cycle, "
                f"latency {self.latency_cycles} cycles",
                f"simulation  {self.blocks_per_second:,.0f} blocks/s, {self.seconds:.2f} s",
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
    optimize: Optimize = "speed",
) -> CryptReport:
    """Send a file through a core and write what comes out.

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
        optimize: see :class:`aesforge.simulate.Simulator`.

    Raises:
        UsageError: the request cannot be carried out; nothing was written.
        ToolMissing: something to simulate with is not installed.
        CheckFailed: the core does not do what its design says.
        AesforgeError: the model does not compile, or the output cannot be written.
    """
    _refuse_bad_request(design, mode, key, iv, decrypt, pad)
    with open_input(src) as source:
        size = _known_size(source)
        if mode == "ecb" and size is not None:
            refuse_bad_size(size, decrypt, pad)
        target = refuse_bad_output(source, src, dst)
        job = _Job(design, mode, key, iv, decrypt, pad, size, progress)
        with new_output(target, dst) as sink:
            return job.run(source, src, sink, optimize)


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
    if 8 * len(key) != design.key_bits:
        raise UsageError(
            f"the key has {len(key)} bytes; key_bits = {design.key_bits} takes "
            f"{design.key_bits // 8}"
        )
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


def refuse_bad_size(size: int, decrypt: bool, pad: bool) -> None:
    """Refuse an input of a mode of whole blocks that cannot be right, once its length is known.

    Raises:
        UsageError: it is none that padding or its absence would give.
    """
    if size % BLOCK_BYTES and (decrypt or not pad):
        what = "the ciphertext" if decrypt else "the input, which is not to be padded,"
        more = size % BLOCK_BYTES
        raise UsageError(
            f"{what} has {size:,} bytes, which is not a whole number of blocks: {more} "
            f"byte{'s' if more != 1 else ''} stand after the last block of {BLOCK_BYTES}"
            + ("; is it complete and made in this mode?" if decrypt else "; let it be padded")
        )
    if size == 0 and decrypt and pad:
        raise UsageError(
            "the ciphertext is empty; a padded one has at least one block (without padding, an "
            "empty ciphertext gives an empty file)"
        )


def without_padding(block: bytes | bytearray, secrets: str = "key") -> bytes:
    """Return the last block of a message without its PKCS#7 padding.

    Args:
        block: that block, or nothing.
        secrets: what the message must have been decrypted with, for the error's words.

    Raises:
        UsageError: it does not end in padding.
    """
    fill = block[-1] if block else 0
    if not 1 <= fill <= BLOCK_BYTES or block[-fill:] != bytes([fill]) * fill:
        # One message for whatever is wrong with it.
        raise UsageError(
            f"the decrypted data does not end in PKCS#7 padding: wrong {secrets}, damaged "
            "ciphertext, or encrypted without padding; nothing was written"
        )
    return bytes(block[:-fill])


# --- Files ---------------------------------------------------------------------------------------


def open_input(src: Path) -> IO[bytes]:
    """Open the input of a command.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return src.open("rb")
    except FileNotFoundError:
        raise UsageError(f"the input '{src}' does not exist") from None
    except IsADirectoryError:
        raise UsageError(f"the input '{src}' is a folder; give a file") from None
    except OSError as error:
        raise UsageError(f"cannot read the input '{src}': {error.strerror}") from None


def _known_size(source: IO[bytes]) -> int | None:
    """Return the length of a regular file; a pipe's shows only at its end."""
    status = os.fstat(source.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def refuse_bad_output(source: IO[bytes], src: Path, dst: Path) -> Path:
    """Return the path to write, links followed.

    Raises:
        UsageError: it cannot be written, or is the input.
    """
    # A link is kept, and what it points to is replaced, as if it had been opened for writing.
    target = Path(os.path.realpath(dst))
    try:
        status = target.stat()
    except FileNotFoundError:
        status = None
    except OSError as error:
        raise UsageError(f"cannot write the output '{dst}': {error.strerror}") from None
    if status is not None:
        if os.path.samestat(status, os.fstat(source.fileno())):
            raise UsageError(
                f"the input '{src}' and the output '{dst}' are the same file; give the output "
                "another name"
            )
        if stat.S_ISDIR(status.st_mode):
            raise UsageError(f"the output '{dst}' is a folder; give the name of a file in it")
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(
                f"the output '{dst}' is a device or a pipe; give the name of an ordinary file, "
                "since the output is put in its place only when it is complete"
            )
        if not os.access(target, os.W_OK):
            raise UsageError(f"the output '{dst}' exists and may not be written")
    if not target.parent.is_dir():
        raise UsageError(f"the folder of the output '{dst}' does not exist; make it first")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write the output '{dst}': its folder may not be written")
    return target


@contextlib.contextmanager
def new_output(target: Path, shown: Path) -> Iterator[IO[bytes]]:
    """Open the output as `aesforge.toolchain.files.new_file` does, with a command's messages."""
    try:
        with files.new_file(target) as sink:
            yield sink
    except OSError as error:
        raise AesforgeError(
            f"cannot write the output '{shown}': {error.strerror or error}; nothing was left "
            "under that name that was not there before"
        ) from None


# --- The work ------------------------------------------------------------------------------------


class _Job:
    """One file on its way through a core."""

    def __init__(
        self,
        design: Design,
        mode: str,
        key: bytes,
        iv: bytes | None,
        decrypt: bool,
        pad: bool,
        size: int | None,
        progress: Progress | None,
    ) -> None:
        import numpy as np

        self.design = design
        self.mode = mode
        self.key = np.frombuffer(key, np.uint8)
        self.iv = iv
        self.decrypt = decrypt
        self.pad = pad and mode == "ecb"
        self.size = size
        self.progress = progress or (lambda _done, _total: None)
        self.chunk_bytes = BLOCK_BYTES * (
            _CHUNK_BLOCKS // design.blocks_per_beat * design.blocks_per_beat
        )
        self.input_bytes = 0
        self.output_bytes = 0
        self.blocks_in = 0
        self.beats_in = 0
        self.beats_out = 0
        self.cycles = 0
        self.simulation_seconds = 0.0
        # Counter mode: input that waits for its key stream. ECB decryption: the last block, which
        # may be padding.
        self.waiting = bytearray()

    def run(self, source: IO[bytes], src: Path, sink: IO[bytes], optimize: Optimize) -> CryptReport:
        from aesforge.simulate import Simulator

        # The seed only fills registers and idle pins; a fixed one makes runs repeatable.
        with Simulator(self.design, optimize=optimize, seed=1) as simulator:
            assert simulator.model is not None
            started = time.monotonic()
            if not self.design.is_agile:
                self._load_key(simulator)
            for chunk, last in self._chunks(source, src):
                files.write_all(sink, self._through_core(simulator, chunk, last).data)
                self.progress(self.input_bytes, self.size or self.input_bytes)
            if self.pad and self.decrypt:
                files.write_all(sink, without_padding(self.waiting))
            seconds = time.monotonic() - started
            build_seconds = simulator.model.build_seconds
        self.output_bytes = os.fstat(sink.fileno()).st_size
        return CryptReport(
            design=self.design.name,
            summary=self.design.summary(),
            mode=self.mode,
            decrypt=self.decrypt,
            input_bytes=self.input_bytes,
            output_bytes=self.output_bytes,
            blocks=self.blocks_in,
            cycles=self.cycles,
            latency_cycles=self.design.latency_cycles,
            blocks_per_cycle=self.blocks_in / self.cycles if self.cycles else 0.0,
            build_seconds=build_seconds,
            simulation_seconds=self.simulation_seconds,
            seconds=seconds,
            blocks_per_second=self.blocks_in / seconds if seconds else 0.0,
            warning=self.design.warning,
        )

    # --- Input

    def _chunks(self, source: IO[bytes], src: Path) -> Iterator[tuple[bytes, bool]]:
        """Return the input, padded where it is to be, and whether more follows."""
        chunk = self._read(source, src)
        while True:
            # A short read is the end; after a full one only the next tells.
            following = self._read(source, src) if len(chunk) == self.chunk_bytes else b""
            last = not following
            if last and self.mode == "ecb":
                if self.pad and not self.decrypt:
                    fill = BLOCK_BYTES - len(chunk) % BLOCK_BYTES
                    chunk += bytes([fill]) * fill
                else:
                    refuse_bad_size(self.input_bytes, self.decrypt, self.pad)
            yield chunk, last
            if last:
                return
            chunk = following

    def _read(self, source: IO[bytes], src: Path) -> bytes:
        try:
            data = source.read(self.chunk_bytes)
        except OSError as error:
            raise UsageError(f"cannot read the input '{src}': {error.strerror}") from None
        self.input_bytes += len(data)
        return data

    # --- Core

    def _load_key(self, simulator: Simulator) -> None:
        from aesforge.simulate import LOAD, WAIT

        ops = simulator.new_ops(2)
        ops["op"] = LOAD, WAIT
        ops["key"][0, : len(self.key)] = self.key
        self.cycles += simulator.run(ops).cycles

    def _through_core(self, simulator: Simulator, chunk: bytes, last: bool) -> Bytes:
        """Send a chunk and give the output bytes that are ready."""
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
        ops = simulator.new_ops(beats + last)
        ops["op"][:beats] = BLOCK
        ops["block"][:beats] = data.reshape(beats, blocks_per_beat * BLOCK_BYTES)
        ops["tag"][:beats] = np.arange(self.beats_in, self.beats_in + beats, dtype=np.uint64)
        if self.design.is_agile:
            ops["key"][:beats, : len(self.key)] = self.key
        ops["decrypt"][:beats] = self.decrypt and self.mode == "ecb"
        if last:
            ops["op"][beats] = WAIT
        result = simulator.run(ops)

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
        return self._output(result.rows["block"].reshape(-1), last)

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

    # --- Output

    def _output(self, out: Bytes, last: bool) -> Bytes:
        """Return what may be written, of what came out of the core."""
        import numpy as np

        if self.mode == "ctr":
            size = min(len(out), len(self.waiting))
            text = np.frombuffer(bytes(self.waiting[:size]), np.uint8)
            del self.waiting[:size]
            return out[:size] ^ text
        if last:  # drop what the free blocks gave
            surplus = self.beats_in * self.design.blocks_per_beat - self.blocks_in
            out = out[: len(out) - surplus * BLOCK_BYTES]
        if self.pad and self.decrypt:
            self.waiting += out.tobytes()
            ready = max(0, len(self.waiting) - BLOCK_BYTES)
            out = np.frombuffer(bytes(self.waiting[:ready]), np.uint8)
            del self.waiting[:ready]
        return out

# SPDX-License-Identifier: Apache-2.0
"""A file as a message: read in chunks, padded and unpadded where its mode takes whole blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from aesforge.crypt.files import known_size, read_up_to
from aesforge.errors import UsageError
from aesforge.toolchain.files import write_all

Progress = Callable[[int, int], None]

BLOCK_BYTES = 16


class Message:
    """The input in chunks, padded if required; and the padding of the output.

    Args:
        source: the open input; it is read once, from start to end.
        src: its path, for messages.
        whole_blocks: the mode takes whole blocks alone.
        decrypt: or encrypt.
        pad: PKCS#7 padding, where the mode takes whole blocks: added when encrypting, checked and
            removed when decrypting.
        chunk_bytes: length of all chunks but the last.
        secrets: what the message must have been decrypted with, for messages.
        least_end: bytes of a packet, the fewest that the last may have, and what they are whole of.

    Raises:
        UsageError: the input has a length that cannot be right.
    """

    def __init__(
        self,
        source: IO[bytes],
        src: Path,
        *,
        whole_blocks: bool,
        decrypt: bool,
        pad: bool,
        chunk_bytes: int,
        secrets: str,
        least_end: tuple[int, int, int] = (1, 0, 1),
    ) -> None:
        self.source = source
        self.src = src
        self.whole_blocks = whole_blocks
        self.decrypt = decrypt
        self.pad = pad and whole_blocks
        self.chunk_bytes = chunk_bytes
        self.secrets = secrets
        self.input_bytes = 0
        self.size = known_size(source)
        self.least_end = least_end
        self._waiting = b""  # decrypting: the last block out, which may be padding
        if whole_blocks and self.size is not None:
            refuse_bad_size(self.size, decrypt, pad)
        if self.size is not None:
            refuse_bad_end(self.size, *least_end)

    @property
    def blocks(self) -> int | None:
        """Blocks of the input, None where its size is not known."""
        return None if self.size is None else -(-self.size // BLOCK_BYTES)

    def through(
        self,
        send: Callable[[bytes, bool], bytes],
        sink: IO[bytes],
        progress: Progress | None,
    ) -> None:
        """Send all chunks and write the output.

        Args:
            send: takes a chunk and whether it is the last, and returns the output that is ready.
            sink: the open output.
            progress: called with bytes done and bytes in all.

        Raises:
            UsageError: the input cannot be read, or is no message of its mode.
        """
        for chunk, last in self._chunks():
            write_all(sink, self._unpadded(send(chunk, last), last))
            if progress is not None:
                progress(self.input_bytes, max(self.size or 0, self.input_bytes))

    def _chunks(self) -> Iterator[tuple[bytes, bool]]:
        """Yield the input, padded where it is to be, and whether it ends there."""
        chunk = self._read()
        while True:
            # A short read is the end; after a full one, only the next read shows it.
            following = self._read() if len(chunk) == self.chunk_bytes else b""
            if not following:
                yield self._padded(chunk), True
                return
            yield chunk, False
            chunk = following

    def _read(self) -> bytes:
        try:
            data = read_up_to(self.source, self.chunk_bytes)
        except OSError as error:
            raise UsageError(f"cannot read the input '{self.src}': {error.strerror}") from None
        self.input_bytes += len(data)
        return data

    def _padded(self, chunk: bytes) -> bytes:
        """Return the last chunk with its padding."""
        refuse_bad_end(self.input_bytes, *self.least_end)
        if not self.whole_blocks:
            return chunk
        if self.pad and not self.decrypt:
            fill = BLOCK_BYTES - len(chunk) % BLOCK_BYTES
            return chunk + bytes([fill]) * fill
        refuse_bad_size(self.input_bytes, self.decrypt, self.pad)
        return chunk

    def _unpadded(self, data: bytes, last: bool) -> bytes:
        """Return the part of the output that may be written."""
        if not (self.pad and self.decrypt):
            return data
        data = self._waiting + data
        self._waiting = data[-BLOCK_BYTES:]
        done = data[:-BLOCK_BYTES]
        return done + without_padding(self._waiting, self.secrets) if last else done


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


def refuse_bad_end(size: int, packet_bytes: int, least: int, whole: int) -> None:
    """Refuse an input whose last data unit cannot be one.

    Args:
        size: of the input.
        packet_bytes: of a data unit.
        least: bytes that the last must have.
        whole: what its bytes are a multiple of.

    Raises:
        UsageError: it has fewer, or others.
    """
    end = size % packet_bytes
    if 0 < end < least:
        raise UsageError(
            f"the last data unit would have {end} byte{'s' if end != 1 else ''}; it must have "
            f"{least} or more: use another --sector-size"
        )
    if end % whole:
        raise UsageError(
            f"the last data unit would have {end} bytes, which is not a whole number of blocks; "
            "leave stealing = false out"
        )


def without_padding(block: bytes | bytearray, secrets: str) -> bytes:
    """Return the last block of a message without its PKCS#7 padding.

    Args:
        block: that block, or nothing.
        secrets: what the message must have been decrypted with, for the message.

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

# SPDX-License-Identifier: Apache-2.0
"""Send a file through a device with the UART service, and compare every packet with OpenSSL's.

Packets of data, and data units; `aesforge.board.run_sealed` has packets with a tag.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aesforge.board.frames import Identity
from aesforge.board.host import Device
from aesforge.crypt.engine import PACKET_BYTES, refuse_bad_message, refuse_bad_units
from aesforge.crypt.files import new_output, open_input, refuse_bad_output
from aesforge.crypt.keys import refuse_other_length
from aesforge.crypt.message import BLOCK_BYTES, Message, Progress
from aesforge.design.modes import Mode
from aesforge.errors import AesforgeError, CheckFailed, UsageError
from aesforge.reference import openssl
from aesforge.simulate.packets import next_iv


@dataclass(frozen=True, kw_only=True)
class BoardReport:
    """What a device did with a file; every field is JSON-able."""

    device: str
    """The name of its design."""
    key_bits: int
    mode: str
    decrypt: bool
    input_bytes: int
    output_bytes: int
    packets: int
    repeated: int
    """Commands that had to be sent again."""
    seconds: float
    """From the first packet sent to the last byte written."""

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {**dataclasses.asdict(self), "equals_openssl": True}

    def data_line(self) -> str:
        """Return the line about what went in and came out."""
        return (
            f"data        {self.input_bytes:,} bytes in, {self.output_bytes:,} bytes out "
            f"({self.mode.upper()}, {'decrypted' if self.decrypt else 'encrypted'})"
        )

    def text(self) -> str:
        """Return the report for people, several lines."""
        rate = self.input_bytes / self.seconds if self.seconds else 0.0
        again = f", {self.repeated} commands sent again" if self.repeated else ""
        return "\n".join(
            (
                f"device      {self.device}, AES-{self.key_bits}",
                f"{self.data_line()}, equal to OpenSSL's",
                f"line        {self.packets:,} packet{'s' if self.packets != 1 else ''}{again}, "
                f"{rate:,.0f} bytes/s, {self.seconds:.2f} s",
            )
        )


def run_file(
    device: Device,
    identity: Identity,
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
    progress: Progress | None = None,
) -> BoardReport:
    """Send a file through a device and write the output.

    The packets are one message, as `crypt_file_as_packets` makes it. The output appears under its
    name only when it is complete and equal to OpenSSL's. The device is zeroized at the end,
    whatever happened.

    Args:
        device: the device.
        identity: what it said of itself.
        src: the input, of any size; it is read once, from start to end.
        dst: the output.
        cipher: the mode of operation, one without a tag.
        key: as many bytes as the device's keys have.
        iv: 16 bytes, where the mode takes one.
        decrypt: undo the encryption.
        pad: PKCS#7 padding where the mode takes whole blocks.
        packet_bytes: of all packets but the last; None: as many as the device takes.
        sector_size: bytes of a data unit, in place of a packet's; None: as for
            `crypt_file_as_packets`.
        sector: number of the first data unit, in place of the IV; None: 0.
        progress: called with bytes done and bytes in all.

    Raises:
        UsageError: the request cannot be carried out; nothing was written.
        DeviceFailed: the device does not answer, or refuses a command; nothing was written.
        CheckFailed: a packet is wrong; nothing was written.
        AesforgeError: the output cannot be written.
    """
    mode = identity.mode_for(cipher, decrypt)
    refuse_other_length(key, identity.key_bits)
    least_end = (1, 0, 1)
    if mode.is_unit:
        iv = refuse_bad_units(
            *(mode, identity.design, key, iv, packet_bytes, sector_size, sector), stealing=True
        )
        packet_bytes = sector_size or PACKET_BYTES
        least_end = (packet_bytes, mode.least_bytes, 1)
    packet_bytes = identity.packet_bytes if packet_bytes is None else packet_bytes
    refuse_bad_message(mode, iv, pad, packet_bytes, BLOCK_BYTES)
    if packet_bytes > identity.packet_bytes and not mode.is_unit:
        raise UsageError(
            f"packets of {packet_bytes} bytes: the device ({identity.design}) takes at most "
            f"{identity.packet_bytes}"
        )
    with open_input(src) as source:
        message = Message(
            source,
            src,
            whole_blocks=not mode.partial,
            decrypt=decrypt,
            pad=pad,
            chunk_bytes=packet_bytes,
            secrets="key or IV",
            least_end=least_end,
        )
        target = refuse_bad_output(source, src, dst)
        with new_output(target, dst) as sink, zeroized_at_end(device):
            device.load_key(key)
            started = time.monotonic()
            job = _Job(device, identity, mode, key, iv or bytes(BLOCK_BYTES), decrypt, packet_bytes)
            message.through(job.send, sink, progress)
            return BoardReport(
                device=identity.design,
                key_bits=identity.key_bits,
                mode=cipher,
                decrypt=decrypt,
                input_bytes=message.input_bytes,
                output_bytes=os.fstat(sink.fileno()).st_size,
                packets=job.packets,
                repeated=device.repeated,
                seconds=time.monotonic() - started,
            )


@contextlib.contextmanager
def zeroized_at_end(device: Device) -> Iterator[None]:
    """Zeroize the device at the end; its failure must not hide another."""
    try:
        yield
    except BaseException:
        # The first attempt is lost on a device that is at work still.
        device.attempts = min(device.attempts, 2)
        with contextlib.suppress(AesforgeError):
            device.zeroize()
        raise
    device.zeroize()


def refuse_other_result(packet: int, out: bytes, due: bytes) -> None:
    """Refuse a result that is not OpenSSL's.

    Args:
        packet: its number, from 1.
        out: the device's.
        due: OpenSSL's.

    Raises:
        CheckFailed: they differ.
    """
    if out == due:
        return
    pairs = enumerate(zip(out, due, strict=False))
    at = next((i for i, (got, want) in pairs if got != want), min(len(out), len(due)))
    raise CheckFailed(
        f"packet {packet}: the device's result differs from OpenSSL's from byte {at} on "
        f"({len(out)} bytes, {len(due)} expected); nothing was written"
    )


class _Job:
    """One message on its way through a device."""

    def __init__(
        self,
        device: Device,
        identity: Identity,
        mode: Mode,
        key: bytes,
        iv: bytes,
        decrypt: bool,
        packet_bytes: int,
    ) -> None:
        self.device, self.mode, self.iv, self.decrypt = device, mode, iv, decrypt
        self.identity = identity
        self.reference = (
            openssl.Units(key, iv, packet_bytes, decrypt=decrypt)
            if mode.is_unit
            else openssl.stream(mode.cipher, key, iv, decrypt=decrypt)
        )
        self.packets = 0

    def send(self, data: bytes, _last: bool) -> bytes:
        """Send a packet and return its result.

        Raises:
            UsageError: a data unit is too long for the device.
            CheckFailed: it is not what OpenSSL gives.
        """
        if not data:
            return b""
        if len(data) > (most := self.identity.unit_bytes):
            raise UsageError(
                f"a data unit of {len(data):,} bytes: the device ({self.identity.design}) takes up "
                f"to {most:,}; use --sector-size, the same to encrypt and to decrypt"
            )
        self.packets += 1
        out, error = self.device.run(self.mode, self.iv, data, decrypt=self.decrypt)
        if error:
            raise CheckFailed(
                f"packet {self.packets}: the engine set its error flag; nothing was written"
            )
        refuse_other_result(self.packets, out, self.reference.update(data))
        self.iv = next_iv(self.mode, self.decrypt, self.iv, data, out)
        return out

# SPDX-License-Identifier: Apache-2.0
"""The frames between a host and the UART service (docs/boards/uart.md), as bytes and back."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum

from aesforge.design.modes import MODES, Mode
from aesforge.errors import AesforgeError, UsageError, one_of

START = 0xA5
VERSION = 2
ANSWER = 0x80
"""An answer has the command's kind with this bit."""
FAILED = 0xFF
"""The kind of an answer that is an error; its payload is the error's code."""
MOST_BYTES = 32768
"""Most bytes of a payload, whatever the device."""
_HEAD = struct.Struct("<BBBH")
_CRC = struct.Struct("<I")
_IDENTITY = struct.Struct("<BBBBBHBH32s")
IDENTITY_BYTES = _IDENTITY.size
_RUN = struct.Struct("<BBB16s")
RUN_HEADER_BYTES = _RUN.size
# Lengths of IV, tag and associated data; after `_RUN` where packets have sections.
_SECTIONS = struct.Struct("<BBH")
SECTION_HEADER_BYTES = RUN_HEADER_BYTES + _SECTIONS.size
# What packets are, by the kind of their engine.
PACKETS = {
    "forward": 0,
    "interleaved": 0,
    "authenticated": 1,
    "ccm": 2,
    "offset": 3,
    "data-unit": 4,
}
MOST_IV_BYTES = 128
"""Of GCM; the other modes have their own limits."""


class Command(IntEnum):
    """What a host can ask for."""

    IDENTIFY = 1
    LOAD_KEY = 2
    RUN_PACKET = 3
    ZEROIZE = 4


class Error(IntEnum):
    """Why a device does not do what it was asked for."""

    WRONG_CRC = 1
    WRONG_LENGTH = 2
    UNKNOWN_COMMAND = 3
    CUT_OFF = 4
    NO_STOP_BIT = 5
    WRONG_ARGUMENT = 6
    NO_KEY = 7
    ENGINE_STANDS = 8


ERROR_TEXTS: dict[int, str] = {
    Error.WRONG_CRC: "the CRC of the frame is wrong",
    Error.WRONG_LENGTH: "the length of the frame is not that of its command",
    Error.UNKNOWN_COMMAND: "the command is unknown",
    Error.CUT_OFF: "the frame is cut off",
    Error.NO_STOP_BIT: "a byte of the frame has no stop bit",
    Error.WRONG_ARGUMENT: "the slot, the mode or a length is none that it has",
    Error.NO_KEY: "no key was loaded into the slot",
    Error.ENGINE_STANDS: "its engine does not answer; it was zeroized",
}
# What the line may have done to a frame: it is worth another attempt.
TRANSIENT: set[int] = {Error.WRONG_CRC, Error.WRONG_LENGTH, Error.CUT_OFF, Error.NO_STOP_BIT}


@dataclass(frozen=True)
class Frame:
    """A frame: what it is, its sequence number, and its payload."""

    kind: int
    number: int
    payload: bytes = b""

    def encoded(self) -> bytes:
        """Return the bytes on the line."""
        text = _HEAD.pack(START, self.kind, self.number, len(self.payload)) + self.payload
        return text + _CRC.pack(zlib.crc32(text[1:]))


OVERHEAD_BYTES = len(Frame(0, 0).encoded())


def next_frame(buffer: bytearray, most_bytes: int) -> Frame | None:
    """Take the first whole frame out of the bytes that came, with all that stands before it.

    Args:
        buffer: the bytes; what may be the beginning of a frame stays.
        most_bytes: of a payload.

    Returns:
        The frame, or None if there is none yet.
    """
    at = buffer.find(START)
    while at >= 0:
        if len(buffer) - at >= _HEAD.size:
            _, kind, number, length = _HEAD.unpack_from(buffer, at)
            body = at + _HEAD.size
            end = body + length
            if length <= most_bytes and len(buffer) >= end + _CRC.size:
                (crc,) = _CRC.unpack_from(buffer, end)
                if crc == zlib.crc32(buffer[at + 1 : end]):
                    frame = Frame(kind, number, bytes(buffer[body:end]))
                    del buffer[: end + _CRC.size]
                    return frame
        at = buffer.find(START, at + 1)
    # Noise must not pile up.
    del buffer[: max(0, len(buffer) - most_bytes - OVERHEAD_BYTES)]
    return None


def run_payload(mode: Mode, slot: int, decrypt: bool, iv: bytes, data: bytes) -> bytes:
    """Return the payload of `Command.RUN_PACKET`.

    Args:
        mode: of the packet.
        slot: of its key; 0 where keys are agile.
        decrypt: or encrypt.
        iv: 16 bytes.
        data: of the packet.
    """
    return _RUN.pack(slot, mode.code, decrypt, iv) + data


def sealed_payload(
    mode: Mode, slot: int, decrypt: bool, iv: bytes, aad: bytes, text: bytes, tag: bytes
) -> bytes:
    """Return the payload of `Command.RUN_PACKET` for a packet with a tag.

    Args:
        mode: of the packet.
        slot: of its key; 0 where keys are agile.
        decrypt: or encrypt.
        iv: as long as the mode allows; of GCM at most `MOST_IV_BYTES`.
        aad: additional authenticated data.
        text: plaintext or ciphertext.
        tag: received; to encrypt, as many zeros.
    """
    alone = hashes_iv(mode, iv)
    head = _RUN.pack(slot, mode.code, decrypt, b"" if alone else iv)
    head += _SECTIONS.pack(len(iv), len(tag), len(aad))
    return head + (iv if alone else b"") + aad + text + tag


def hashes_iv(mode: Mode, iv: bytes) -> bool:
    """Whether an IV does not fit into a context, and stands before the associated data."""
    return not mode.iv_lengths and len(iv) != mode.iv_bytes


@dataclass(frozen=True)
class Identity:
    """What a device says of itself.

    Args:
        design: the name of its design.
        key_bits: of its keys.
        key_slots: 0: agile keys.
        encrypt: a bit for each code of a mode that it encrypts.
        decrypt: likewise, decrypts.
        buffer_bytes: most bytes of a payload.
        packets: what they are, a value of `PACKETS`.
        tag_bytes: legal lengths of a tag; none where packets have none.
    """

    design: str
    key_bits: int
    key_slots: int
    encrypt: int
    decrypt: int
    buffer_bytes: int
    packets: int = 0
    tag_bytes: tuple[int, ...] = ()

    @classmethod
    def decoded(cls, payload: bytes) -> Identity:
        """Return what the payload of an answer says.

        Raises:
            AesforgeError: it is that of another version, or of another program.
        """
        if not payload or payload[0] != VERSION or len(payload) != _IDENTITY.size:
            version = f"version {payload[0]}" if payload else "no version"
            raise AesforgeError(
                f"the device speaks {version} of the protocol, and this program version {VERSION}: "
                "build its bitstream with this version of aesforge"
            )
        _, key_bytes, slots, encrypt, decrypt, size, packets, tags, name = _IDENTITY.unpack(payload)
        text = name.strip(b"\0").decode("ascii", errors="replace")
        lengths = tuple(at + 1 for at in range(16) if tags >> at & 1)
        return cls(text, 8 * key_bytes, slots, encrypt, decrypt, size, packets, lengths)

    @property
    def keys(self) -> int:
        """How many keys of the cipher make one of the device's."""
        return 2 if self.packets == PACKETS["data-unit"] else 1

    @property
    def packet_bytes(self) -> int:
        """Most data of a packet, in whole blocks."""
        return self.unit_bytes // 16 * 16

    @property
    def unit_bytes(self) -> int:
        """Most data of a packet."""
        return self.buffer_bytes - RUN_HEADER_BYTES

    def sealed_bytes(self, mode: Mode, iv: bytes) -> int:
        """Most associated data, text and tag of a packet, together.

        Args:
            mode: of the packet.
            iv: of the packet.
        """
        extra = len(iv) if hashes_iv(mode, iv) else 0
        return self.buffer_bytes - SECTION_HEADER_BYTES - extra

    def mode_for(self, cipher: str, decrypt: bool) -> Mode:
        """Return the mode for a request.

        Args:
            cipher: as `--mode` names it.
            decrypt: or encrypt.

        Raises:
            UsageError: the device has none; the message lists its modes.
        """
        has: dict[str, list[str]] = {}
        for way, codes in (("encrypt", self.encrypt), ("decrypt", self.decrypt)):
            for mode in MODES.values():
                # MACs are no ciphers of files.
                if mode.digest or PACKETS[mode.kind] != self.packets:
                    continue
                ways = mode.ways or ("encrypt", "decrypt")
                if not codes >> mode.code & 1 or way not in ways:
                    continue
                if mode.cipher == cipher and way == ("decrypt" if decrypt else "encrypt"):
                    return mode
                if way not in has.setdefault(mode.cipher, []):
                    has[mode.cipher].append(way)
        modes = [f"{name} ({' and '.join(ways)})" for name, ways in has.items()]
        raise UsageError(
            f"the device ({self.design}) does not {'decrypt' if decrypt else 'encrypt'} {cipher}: "
            f"it has {one_of(modes or ['no mode'])}"
        )

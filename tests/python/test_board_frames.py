# SPDX-License-Identifier: Apache-2.0
"""Frames of the UART service as bytes and back, and the same numbers as in the RTL."""

from __future__ import annotations

import re
import struct

import pytest

from aesforge.board import frames
from aesforge.board.frames import (
    ERROR_TEXTS,
    OVERHEAD_BYTES,
    Command,
    Error,
    Frame,
    Identity,
    next_frame,
    sealed_payload,
)
from aesforge.design.modes import MODES
from aesforge.errors import AesforgeError, UsageError
from aesforge.toolchain import rtl

FRAME = Frame(3, 7, b"payload \xa5 with a start byte")
IDENTITY = Identity("compact-stream", 128, 0, 0b11, 0b111, 1024)


def test_a_frame_is_the_bytes_of_the_page() -> None:
    # The CRC by another program: `printf '\1\7\0\0' | gzip -c | tail -c8 | od -tx1`.
    assert Frame(1, 7).encoded().hex() == "a501070000" + "fcaeb79c"
    assert len(Frame(1, 7).encoded()) == OVERHEAD_BYTES == 9


def test_a_frame_is_found() -> None:
    buffer = bytearray(FRAME.encoded())
    assert next_frame(buffer, 100) == FRAME
    assert not buffer


def test_a_frame_is_found_after_noise_and_before_more() -> None:
    # Among the noise is what looks like the start of a long frame.
    buffer = bytearray(b"noise\xa5\x01\x02\x40\x00" + FRAME.encoded() + b"more")
    assert next_frame(buffer, 100) == FRAME
    assert buffer == b"more"
    assert next_frame(buffer, 100) is None


def test_part_of_a_frame_is_kept() -> None:
    buffer = bytearray()
    text = FRAME.encoded()
    for byte in text[:-1]:
        buffer.append(byte)
        assert next_frame(buffer, 100) is None
    buffer.append(text[-1])
    assert next_frame(buffer, 100) == FRAME


def test_a_flipped_bit_is_found() -> None:
    for bit in range(8 * len(FRAME.encoded())):
        buffer = bytearray(FRAME.encoded())
        buffer[bit // 8] ^= 1 << bit % 8
        assert next_frame(buffer, 100) is None, bit


def test_a_payload_that_is_too_long_is_no_frame() -> None:
    size = len(FRAME.payload)
    assert next_frame(bytearray(FRAME.encoded()), size - 1) is None
    assert next_frame(bytearray(FRAME.encoded()), size) == FRAME


def test_noise_does_not_pile_up() -> None:
    buffer = bytearray(b"\xa5" * 5000)
    assert next_frame(buffer, 100) is None
    assert len(buffer) == 100 + OVERHEAD_BYTES


def test_an_identity_is_decoded() -> None:
    name = b"compact-stream".rjust(32, b"\0")
    text = struct.pack("<BBBBBHBH32s", 2, 16, 0, 3, 7, 1024, 0, 0, name)
    assert Identity.decoded(text) == IDENTITY
    # The context takes 19 bytes of the buffer.
    assert IDENTITY.packet_bytes == 992
    assert IDENTITY.unit_bytes == 1005


def test_an_identity_says_what_packets_are() -> None:
    text = struct.pack("<BBBBBHBH32s", 2, 16, 2, 1, 1, 1024, 1, 0xF800, b"gcm")
    one = Identity.decoded(text)
    assert (one.packets, one.tag_bytes, one.keys) == (1, (12, 13, 14, 15, 16), 1)
    mode = one.mode_for("gcm", True)
    # The header takes 23 bytes of the buffer, and an IV that has not 12 bytes its own.
    assert one.sealed_bytes(mode, bytes(12)) == 1001
    assert one.sealed_bytes(mode, bytes(20)) == 981
    with pytest.raises(UsageError, match=r"does not encrypt ctr: it has gcm \(encrypt and decrypt"):
        one.mode_for("ctr", False)
    assert Identity("d", 256, 2, 1, 1, 1024, 4).keys == 2


def test_sections_are_the_bytes_of_the_page() -> None:
    gcm, ccm = MODES["gcm"], MODES["ccm"]
    iv, tag = bytes(range(12)), bytes(16)
    head = b"\1\0\1" + iv + bytes(4) + b"\x0c\x10\3\0"
    assert sealed_payload(gcm, 1, True, iv, b"aad", b"text", tag) == head + b"aadtext" + tag
    head = b"\0\0\0" + bytes(16) + b"\2\x10\0\1"
    assert sealed_payload(gcm, 0, False, b"iv", bytes(256), b"", tag) == (
        head + b"iv" + bytes(256) + tag
    )
    head = b"\0\0\0" + iv[:7] + bytes(9) + b"\7\x10\0\0"
    assert sealed_payload(ccm, 0, False, iv[:7], b"", b"text", tag) == head + b"text" + tag


@pytest.mark.parametrize("payload", [b"", b"\x01" + bytes(38), b"\x02", b"\x02" + bytes(40)])
def test_another_version_is_refused(payload: bytes) -> None:
    with pytest.raises(AesforgeError, match="of the protocol"):
        Identity.decoded(payload)


def test_modes_are_those_of_the_device() -> None:
    assert IDENTITY.mode_for("ctr", False).name == "ctr"
    assert IDENTITY.mode_for("ecb", True).name == "ecb"
    assert IDENTITY.mode_for("cbc", True).name == "cbc-decrypt"
    both = Identity("d", 128, 2, 0b111100, 0b111000, 1024)
    assert both.mode_for("cbc", False).name == "cbc-encrypt"
    with pytest.raises(UsageError, match="does not encrypt cbc: it has ") as failed:
        IDENTITY.mode_for("cbc", False)
    for has in ("ecb (encrypt and decrypt)", "ctr (encrypt and decrypt)", "cbc (decrypt)"):
        assert has in failed.value.message
    with pytest.raises(UsageError, match="it has no mode"):
        Identity("d", 128, 0, 0, 0, 64).mode_for("ecb", False)


def test_every_error_has_a_text() -> None:
    assert set(ERROR_TEXTS) == set(Error)
    assert set(Error) > frames.TRANSIENT


def test_the_numbers_are_those_of_the_rtl() -> None:
    service = rtl.file_of("aesforge_uart_service").read_text()
    receiver = rtl.file_of("aesforge_frame_rx").read_text()
    sender = rtl.file_of("aesforge_frame_tx").read_text()

    def number(text: str, name: str) -> int:
        found = re.search(rf"\b{name} = \d+'([dh])(\w+)", text)
        assert found, name
        return int(found[2], 16 if found[1] == "h" else 10)

    commands = ("Identify", "LoadKey", "RunPacket", "Zeroize")
    assert [number(service, name) for name in commands] == list(Command)
    assert number(service, "Failed") == frames.FAILED
    for text, names in (
        (service, ("WrongLength", "UnknownCommand", "WrongArgument", "NoKey", "EngineStands")),
        (receiver, ("WrongCrc", "WrongLength", "CutOff", "NoStopBit")),
    ):
        for name in names:
            spelled = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
            assert number(text, name) == Error[spelled]
    assert number(receiver, "StartByte") == number(sender, "StartByte") == frames.START
    assert "DataHeader = 19, SectionHeader = 23;" in service
    assert (frames.RUN_HEADER_BYTES, frames.SECTION_HEADER_BYTES) == (19, 23)
    assert "IdentityBytes = 10 + 32" in service
    assert frames.IDENTITY_BYTES == 42
    assert f"MostIv = Gcm ? {frames.MOST_IV_BYTES} :" in service

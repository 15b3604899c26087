# SPDX-License-Identifier: Apache-2.0
"""Packets with a tag on the bus, and what must come of them, by hand."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aesforge.design.modes import MODES
from aesforge.simulate.packets import Context, SealedPacket
from engines import SEALED

KEY, IV = bytes(range(16)), bytes(range(12))
TEXT, AAD = bytes(range(100, 140)), bytes(range(20))
CIPHER = AESGCM(KEY).encrypt(IV, TEXT, AAD)
ENCRYPT = Context(0, False, IV + b"what", tag_bytes=16)
DECRYPT = dataclasses.replace(ENCRYPT, decrypt=True)
# Beats: 0 and 1 of associated data, 2 to 4 of text, 5 the tag.
SEALED_PACKET = SealedPacket(
    TEXT, ENCRYPT, user=0b1010, fill=0xEE, aad=AAD, tag=b"placeholder 16 b"
)
OPENED_PACKET = dataclasses.replace(
    SEALED_PACKET, data=CIPHER[:40], tag=CIPHER[40:], context=DECRYPT
)


def answer(packet: SealedPacket) -> tuple[bytes, int]:
    found = packet.answer(SEALED, MODES["gcm"], KEY)
    return found.data, found.good


def test_on_the_bus() -> None:
    assert SEALED_PACKET.beats == 6
    bus = SEALED_PACKET.on_bus()
    assert bus[:32] == AAD + b"\xee" * 12
    assert bus[32:80] == TEXT + b"\xee" * 8
    assert bus[80:] == b"placeholder 16 b"
    assert SEALED_PACKET.part_keeps() == {1: 0xF, 4: 0xFF, 5: 0xFFFF}
    assert SEALED_PACKET.users() == [0b1011, 0b1011, 0b1010, 0b1010, 0b1010, 0b1010]
    alone = dataclasses.replace(SEALED_PACKET, aad=b"", data=b"", tag=bytes(12))
    assert (alone.beats, alone.part_keeps(), alone.users()) == (1, {0: 0xFFF}, [0b1010])


def test_what_comes_out() -> None:
    aad = AAD.ljust(32, b"\0")
    assert answer(SEALED_PACKET) == (aad + CIPHER[:40].ljust(48, b"\0") + CIPHER[40:], 6)
    opened = aad + TEXT.ljust(48, b"\0")
    assert answer(OPENED_PACKET) == (opened + bytes(16), 6)
    # With a wrong tag, all but its beat is as before.
    for wrong in (bytes(16), CIPHER[40:55] + b"\0"):
        assert answer(dataclasses.replace(OPENED_PACKET, tag=wrong)) == (opened, 5)
    short = dataclasses.replace(ENCRYPT, tag_bytes=12)
    data, good = answer(dataclasses.replace(SEALED_PACKET, context=short, tag=bytes(12)))
    assert (data[80:], good) == (CIPHER[40:52] + bytes(4), 6)


@pytest.mark.parametrize(
    ("changes", "good"),
    [
        ({"keeps": {0: 0xFFFB}}, 0),
        ({"keeps": {3: 0xFFFE}}, 3),
        ({"keeps": {4: 0}}, 4),
        # Not full before the last of its section: the next of that section is the error.
        ({"keeps": {0: 0x7FFF}}, 1),
        ({"keeps": {2: 1}}, 3),
        ({"keeps": {1: 1, 4: 1}}, 6),
        ({"marks": {3: True}}, 3),
        ({"marks": {5: True}}, 5),
        ({"marks": {0: False}}, 1),
        # The first beat of text, marked, is after associated data that are not full.
        ({"marks": {2: True}}, 2),
        ({"tag": bytes(15)}, 5),
        ({"tag": b""}, 5),
        ({"context": dataclasses.replace(ENCRYPT, tag_bytes=11), "tag": bytes(11)}, 0),
        ({"context": dataclasses.replace(ENCRYPT, tag_bytes=0), "tag": b""}, 0),
        ({"most_blocks": 3}, 6),
        ({"most_blocks": 2}, 4),
    ],
)
def test_where_the_first_error_is(changes: dict[str, Any], good: int) -> None:
    data, found = answer(dataclasses.replace(SEALED_PACKET, **changes))
    assert found == good
    assert len(data) == 16 * good


def test_as_many_bytes_as_are_kept() -> None:
    """A shorter last beat is a shorter section."""
    data, _ = answer(dataclasses.replace(SEALED_PACKET, keeps={1: 0x3, 4: 0x7F}))
    assert data[80:] == AESGCM(KEY).encrypt(IV, TEXT[:39], AAD[:18])[39:]

# SPDX-License-Identifier: Apache-2.0
"""CCM: the reference against published records and OpenSSL's; long associated data in an engine."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

from aesforge.reference import ccm, sealed, vectors
from aesforge.simulate.engine import engine_module
from aesforge.simulate.packets import Context, SealedPacket
from aesforge.simulate.stream import StreamSimulator
from aesforge.simulate.traffic import Traffic, fault_text, first_fault
from cores import changed_rtl
from engines import CCM

KEY = bytes(range(0x40, 0x50))
# SP 800-38C Appendix C: bytes of nonce, associated data and text; ciphertext and tag.
EXAMPLES = (
    (7, 8, 4, "7162015b4dac255d"),
    (8, 16, 16, "d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd"),
    (12, 20, 24, "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951"),
    (
        *(13, 65_536, 32),
        "69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72"
        "b4ac6bec93e8598e7f0dadbcea5b",
    ),
)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: str(one[0]))
def test_examples_of_the_standard(example: tuple[int, int, int, str]) -> None:
    nonce_bytes, aad_bytes, text_bytes, due = example
    nonce = bytes(range(0x10, 0x10 + nonce_bytes))
    aad = (bytes(range(256)) * 256)[:aad_bytes]
    text = bytes(range(0x20, 0x20 + text_bytes))
    tag_bytes = len(due) // 2 - text_bytes
    cipher, tag = ccm.ccm(KEY, nonce, text, aad, tag_bytes=tag_bytes)
    assert (cipher + tag).hex() == due
    again = ccm.ccm(KEY, nonce, cipher, aad, tag_bytes=tag_bytes, decrypt=True)
    assert again == (text, tag)


def test_our_ccm_is_that_of_openssl() -> None:
    draw = random.Random(2)
    for nonce_bytes in ccm.NONCE_BYTES:
        for tag_bytes in ccm.TAG_BYTES:
            nonce, key = draw.randbytes(nonce_bytes), draw.randbytes(draw.choice((16, 24, 32)))
            text, aad = draw.randbytes(draw.randrange(80)), draw.randbytes(draw.randrange(80))
            cipher, tag = ccm.ccm(key, nonce, text, aad, tag_bytes=tag_bytes)
            assert cipher + tag == AESCCM(key, tag_bytes).encrypt(nonce, text, aad)
            assert ccm.ccm(key, nonce, cipher, aad, tag_bytes=tag_bytes, decrypt=True) == (
                text,
                tag,
            )


@pytest.mark.parametrize("aad_bytes", [65_279, 65_280, 70_000])
def test_long_associated_data_are_those_of_openssl(aad_bytes: int) -> None:
    aad = bytes(range(250)) * 280
    sealed_text = AESCCM(KEY).encrypt(bytes(13), b"text", aad[:aad_bytes])
    assert b"".join(ccm.ccm(KEY, bytes(13), b"text", aad[:aad_bytes])) == sealed_text


@pytest.mark.parametrize("key_bits", vectors.KEY_BITS)
def test_published_records(key_bits: int) -> None:
    """NIST's 960 of a key size, and those of Wycheproof whose lengths are legal."""
    records = [*sealed.nist("ccm", key_bits), *sealed.wycheproof("ccm", key_bits)]
    assert len(records) == 960 + 184
    checked = wrong = 0
    for record in records:
        if len(record.iv) not in ccm.NONCE_BYTES or len(record.tag) not in ccm.TAG_BYTES:
            assert not record.valid, record.name
            continue
        given = record.key, record.iv
        size = len(record.tag)
        text, tag = ccm.ccm(*given, record.ciphertext, record.aad, tag_bytes=size, decrypt=True)
        assert (tag == record.tag) == record.valid, record.name
        wrong += not record.valid
        if record.plaintext is not None:
            assert text == record.plaintext, record.name
            made = ccm.ccm(*given, record.plaintext, record.aad, tag_bytes=size)
            assert made == (record.ciphertext, record.tag), record.name
        checked += 1
    assert checked > 960 + 150
    assert wrong > 100


def test_published_records_have_every_length() -> None:
    every = [one for bits in vectors.KEY_BITS for one in sealed.nist_ccm(bits)]
    assert len(every) == 2_880
    assert {len(one.iv) for one in every} == {*ccm.NONCE_BYTES}
    assert {len(one.tag) for one in every} == {*ccm.TAG_BYTES}
    assert {len(one.aad) for one in every} == {*range(33)}
    texts = {len(one.plaintext) for one in every if one.plaintext is not None}
    assert texts == {*range(25)} | {32} or texts == {*range(25)}


# Up to 65,279 bytes the length takes 2 bytes, then 6. Their last beat has room for what the length
# moved into it, or not.
LONG = (65_279, 65_280, 65_280 + 10, 65_280 + 11)


def long_packets(size: int) -> list[SealedPacket]:
    """Return a packet of so much associated data, encrypted and decrypted."""
    draw = random.Random(size)
    nonce, aad, text = draw.randbytes(13), draw.randbytes(size), draw.randbytes(20)
    made = AESCCM(KEY).encrypt(nonce, text, aad)
    packets = []
    for decrypt in (False, True):
        data, tag = (made[:20], made[20:]) if decrypt else (text, bytes(16))
        context = Context(0, decrypt, nonce, KEY)
        packets.append(SealedPacket(data, context, aad=aad, tag=tag))
    return packets


def fault_of_long_packets(sizes: tuple[int, ...], rtl: list[Path] | None = None) -> str | None:
    module = engine_module(CCM, optimize="build", files=rtl)
    with StreamSimulator(module, optimize="build", seed=1) as simulator:
        traffic = Traffic(simulator, CCM)
        packets = [packet for size in sizes for packet in long_packets(size)]
        transfers, due = traffic.transfers(packets)
        # Their tags are OpenSSL's, not only ours.
        assert not any(int(user) & 1 for user in due["m_axis_tuser"].ravel())
        result = simulator.run(transfers, wanted=len(due), watchdog_cycles=20_000)
        return first_fault(result.rows, due) or fault_text(result)


def test_long_associated_data() -> None:
    assert fault_of_long_packets(LONG) is None


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("aesforge_mode_ccm.sv", "beat_long ? beat_keep[10]", "1'b0 ? beat_keep[10]"),
        ("aesforge_mode_ccm.sv", "second ? {back_tail, 80'h0}", "second ? 128'h0"),
        ("aesforge_engine_ccm.sv", "s_ctx_aad_bytes[15:8] == '1", "1'b0"),
    ],
)
def test_long_associated_data_that_are_wrong(file: str, old: str, new: str, tmp_path: Path) -> None:
    assert fault_of_long_packets(LONG, changed_rtl(tmp_path, file, old, new)) is not None

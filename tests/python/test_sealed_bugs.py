# SPDX-License-Identifier: Apache-2.0
"""Bugs that users met in other GCM cores and libraries, each looked for in ours."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aesforge.reference import openssl
from aesforge.simulate.engine import BEATS, RESULTS, engine_module
from aesforge.simulate.packets import Context, KeyLoad, Packet, SealedPacket
from aesforge.simulate.stream import StreamSimulator
from aesforge.simulate.traffic import Traffic, fault_text, first_fault
from cores import changed_rtl
from engines import SEALED

KEYS = {slot: bytes(range(slot, 16 + slot)) for slot in range(3)}
IV = bytes(range(100, 112))
TEXT, AAD = bytes(range(50)), bytes(range(200, 240))


class Engine:
    """The simulated engine with a key in each slot."""

    def __init__(self, simulator: StreamSimulator) -> None:
        self.simulator = simulator
        self.traffic = Traffic(simulator, SEALED)
        self.load(*KEYS)

    def load(self, *slots: int) -> None:
        transfers, _ = self.traffic.transfers([KeyLoad(slot, KEYS[slot]) for slot in slots])
        self.simulator.run(transfers)

    def send(self, *packets: Packet, stall: float = 0.0, right: bool = True) -> list[Any]:
        """Return the rows that come of each packet, after they were compared with OpenSSL's."""
        first = self.simulator.moved[RESULTS]
        transfers, due = self.traffic.transfers(packets)
        result = self.simulator.run(
            transfers,
            wanted=len(due),
            stalls={BEATS: stall, RESULTS: stall},
            tail_cycles=SEALED.latency_cycles + 20,
        )
        assert not result.stopped, "it hangs"
        assert fault_text(result) is None
        if right:
            assert first_fault(result.rows, due, first) is None
        rows, start = [], 0
        for packet in packets:
            rows.append(result.rows[start : start + packet.beats])
            start += packet.beats
        return rows


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with StreamSimulator(engine_module(SEALED)) as simulator:
        yield Engine(simulator)


def packet(
    data: bytes = TEXT, aad: bytes = AAD, *, decrypt: bool = False, slot: int = 0, **options: Any
) -> SealedPacket:
    """Return a packet; to be decrypted, that which encrypts `data`."""
    tag_bytes = options.pop("tag_bytes", 16)
    tag = bytes(16)
    if decrypt:
        data, tag = openssl.gcm(KEYS[slot], IV, data, aad)
    context = Context(0, decrypt, IV.ljust(16, b"\0"), slot=slot, tag_bytes=tag_bytes)
    return SealedPacket(data, context, aad=aad, **{"tag": tag[:tag_bytes], **options})


def tag_of(rows: Any) -> bytes:
    """Return the tag, which no error flag may spoil."""
    assert flags(rows)[-1] == 0
    found: bytes = rows["m_axis_tdata"][-1].tobytes()
    return found


def flags(rows: Any) -> list[int]:
    """Return the error flag of each beat."""
    return [int(user) & 1 for user in rows["m_axis_tuser"]]


def test_bytes_that_are_not_kept_leave_the_tag_alone(engine: Engine) -> None:
    """BLu85 issue 4: garbage in masked bytes of associated data changed the tag."""
    rows = engine.send(*(packet(fill=fill) for fill in (0, 0xFF, 0x5A)))
    assert len({tag_of(one) for one in rows}) == 1
    assert tag_of(rows[0]) == AESGCM(KEYS[0]).encrypt(IV, TEXT, AAD)[-16:]


@pytest.mark.parametrize("tag_bytes", SEALED.tag_bytes)
def test_a_truncated_tag_verifies(tag_bytes: int, engine: Engine) -> None:
    """caliptra-sw issue 4182: it never did."""
    (rows,) = engine.send(packet(decrypt=True, tag_bytes=tag_bytes))
    assert not any(flags(rows))


@pytest.mark.parametrize("aad_bytes", [1, 16, 40])
def test_associated_data_without_text(aad_bytes: int, engine: Engine) -> None:
    """caliptra-sw issue 4182: the decryption of associated data alone hung (GMAC)."""
    aad = bytes(range(aad_bytes))
    sealed, opened = engine.send(packet(b"", aad), packet(b"", aad, decrypt=True))
    assert tag_of(sealed) == AESGCM(KEYS[0]).encrypt(IV, b"", aad)
    assert not any(flags(opened))


@pytest.mark.parametrize("aad_bytes", [0, 16, 32, 48, 80, 160])
def test_whole_blocks_of_associated_data_get_no_more(aad_bytes: int, engine: Engine) -> None:
    """wolfssl issue 10439: an extra zero block was hashed where they fill their blocks."""
    aad = bytes(aad_bytes)
    for text_bytes in (0, 16, 33):
        data = bytes(text_bytes)
        sealed, opened = engine.send(packet(data, aad), packet(data, aad, decrypt=True))
        assert tag_of(sealed) == AESGCM(KEYS[0]).encrypt(IV, data, aad)[-16:]
        assert not any(flags(opened))


@pytest.mark.parametrize("text_bytes", [*range(1, 18), 31, 33])
def test_a_partial_block_has_the_right_tag(text_bytes: int, engine: Engine) -> None:
    """wolfssl issue 2123: it was wrong."""
    data = bytes(range(text_bytes))
    sealed, opened = engine.send(packet(data), packet(data, decrypt=True))
    assert tag_of(sealed) == AESGCM(KEYS[0]).encrypt(IV, data, AAD)[-16:]
    assert not any(flags(opened))


@pytest.mark.parametrize("tag_bytes", [0, 1, 3, 5, 7, 9, 11, 17, 31])
def test_tags_of_other_lengths_accept_nothing(tag_bytes: int, engine: Engine) -> None:
    """AArch64cryptolib issue 5: a length of 0 accepted everything."""
    given = packet(decrypt=True)
    other = given.in_context(tag_bytes=tag_bytes)
    for tag in {given.tag[: max(1, min(tag_bytes, 16))], given.tag, b""}:
        (rows,) = engine.send(dataclasses.replace(other, tag=tag))
        assert all(flags(rows))
        assert not rows["m_axis_tdata"].any()


def test_an_empty_tag_beat_is_an_error(engine: Engine) -> None:
    """The same, where the packet leaves the tag out: its last beat has no bytes, or is text."""
    given = packet(decrypt=True)
    for wrong in (
        dataclasses.replace(given, keeps={given.beats - 1: 0}),
        # Its last beat is of text, 2 bytes of 50, and of 4 bytes, which a tag could have.
        dataclasses.replace(given, data=given.data[:48], tag=bytes(given.data[48:])),
        dataclasses.replace(packet(TEXT + b"ab", decrypt=True, tag_bytes=4), tag=b"1234"),
    ):
        (rows,) = engine.send(wrong)
        assert flags(rows)[-1] == 1


def test_a_second_packet_needs_no_reset(engine: Engine) -> None:
    """BLu85 issue 13: it was wrong until a reset was pulsed."""
    given = [packet(bytes(size), bytes(size // 2), slot=size % 3) for size in range(40)]
    for stall in (0.0, 0.5):
        rows = engine.send(*given, *reversed(given), stall=stall)
        tags = [tag_of(one) for one in rows]
        assert tags[:40] == tags[40:][::-1]


@pytest.mark.parametrize("fault", ["wrong tag", "hole", "no text"])
def test_a_wrong_packet_leaves_the_next_alone(fault: str, engine: Engine) -> None:
    """The same, after a packet that is refused."""
    good = packet(decrypt=True)
    wrong = {
        "wrong tag": dataclasses.replace(good, tag=bytes(16)),
        "hole": dataclasses.replace(good, keeps={1: 0b101}),
        "no text": dataclasses.replace(good, data=b""),
    }[fault]
    rows = engine.send(good, wrong, good, wrong, wrong, good)
    assert [any(flags(one)) for one in rows] == [False, True, False, True, True, False]


def test_bytes_after_the_end_do_not_count(engine: Engine) -> None:
    """BLu85 issue 15: they did: here other bytes follow the last ones that are kept."""
    short, long = packet(TEXT[:35]), packet(TEXT[:48])
    keep = dataclasses.replace(long, keeps={5: 0b111})
    rows = engine.send(short, keep)
    assert tag_of(rows[0]) == tag_of(rows[1])
    # And the beats of a next packet.
    alone, followed = engine.send(short)[0], engine.send(short, long, long)[0]
    assert tag_of(alone) == tag_of(followed)


def test_zeroize_leaves_no_key(engine: Engine) -> None:
    """An audit of a MACsec prototype found none: every slot is without a key afterwards."""
    wait = 2 * SEALED.zeroize_cycles
    result = engine.simulator.run({}, zeroize=True, wanted=1, watchdog_cycles=wait)
    assert not len(result.rows)
    engine.traffic.slots.clear()
    for rows in engine.send(*(packet(slot=slot) for slot in KEYS)):
        assert all(flags(rows))
    engine.load(*KEYS)
    engine.send(*(packet(slot=slot) for slot in KEYS))


# --- Long messages --------------------------------------------------------------------------------


def product(a: bytes, b: bytes) -> bytes:
    """The product of SP 800-38D Sec. 6.3."""
    x, v, z = int.from_bytes(a, "big"), int.from_bytes(b, "big"), 0
    for i in range(127, -1, -1):
        if x >> i & 1:
            z ^= v
        v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
    return z.to_bytes(16, "big")


def run_changed(folder: Path, old: str, new: str, packets: Sequence[Packet]) -> Any:
    rtl = changed_rtl(folder, "aesforge_gcm_tag.sv", old, new)
    module = engine_module(SEALED, optimize="build", files=rtl)
    with StreamSimulator(module, optimize="build") as simulator:
        return Engine(simulator).send(*packets, right=False)


def test_the_length_of_associated_data_passes_512_megabytes(tmp_path: Path) -> None:
    """intel-ipsec-mb issue 47: it was cut to 32 bits, of bits.

    The counter of a changed engine begins a block before that. The lengths are what is hashed last,
    so the tag differs from the right one by the product of their change and H.
    """
    blocks = 2**25 - 1
    aad = bytes(40)
    given = packet(TEXT, aad)
    rows = run_changed(
        tmp_path,
        ".in_value('0),\n      .in_add(aad_add)",
        f".in_value(AadBits'({blocks})),\n      .in_add(aad_add)",
        [given],
    )
    right = AESGCM(KEYS[0]).encrypt(IV, TEXT, aad)[-16:]
    before, after = 8 * len(aad), 8 * (len(aad) + 16 * blocks)
    assert before >> 32 != after >> 32
    change = ((before ^ after) << 64).to_bytes(16, "big")
    moved = product(change, openssl.ecb(KEYS[0], bytes(16)))
    assert tag_of(rows[0]) == bytes(a ^ b for a, b in zip(right, moved, strict=True))


def test_too_much_text_is_an_error() -> None:
    """SP 800-38D Sec. 5.2.1.1; with a counter of 4 bits, since 64 GiB take too long."""
    most = 2**4 - 2
    module = engine_module(SEALED, optimize="build")
    module = dataclasses.replace(module, parameters={**module.parameters, "CountBits": 4})
    with StreamSimulator(module, optimize="build") as simulator:
        small = Engine(simulator)
        for size in (16 * most, 16 * most + 1, 16 * most + 16, 16 * most + 90, 16 * most - 3):
            for decrypt in (False, True):
                data = bytes(size)
                (rows,) = small.send(packet(data, decrypt=decrypt, most_blocks=most))
                assert flags(rows)[-1] == (size > 16 * most)
        # The limit is one of text, not of associated data.
        (rows,) = small.send(packet(b"", bytes(16 * 40), most_blocks=most))
        assert not any(flags(rows))

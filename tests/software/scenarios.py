# SPDX-License-Identifier: Apache-2.0
"""What a driver must do with simulated engines, whatever language it is written in.

Each scenario returns what is wrong; it takes the driver of an engine, already initialized with the
number of polls that it asks for.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from cocotb.triggers import ClockCycles, SimTimeoutError
from rig import Rig

from aesforge.design.kinds import KINDS
from aesforge.design.modes import MODES
from aesforge.reference.vectors import Record, mode_records

ECB, CTR, CBC, CFB, OFB, CFB8, CBC_MAC, CMAC = range(8)
IV = bytes(range(16))
POLLS = 60
CIPHERS = {
    **{"agile": {CTR: "ctr"}, "stored": {ECB: "ecb", CTR: "ctr", CBC: "cbc", CFB: "cfb"}},
    "streams": {CBC: "cbc", CFB: "cfb", OFB: "ofb", CFB8: "cfb8", CMAC: "cmac"},
}
# Modes whose context brings an IV, of the engines that may have these CSRs.
WITH_IV = {
    one.code
    for one in MODES.values()
    if one.takes_iv and KINDS[one.kind].csr_top and not KINDS[one.kind].keeps_results
}
# Records of a mode that go through: MMT's last ones are the longest.
RECORDS = 4


class Driver(Protocol):
    """A driver under test; statuses are named as in C, without the prefix."""

    async def init(self, config: tuple[int, ...], polls: int, offset: int = 0) -> str:
        """Find the engine `offset` bytes after the bus' first word."""

    async def load_key(self, slot: int, key: bytes) -> str:
        """Load a stored key."""

    async def begin(
        self, mode: int, *, decrypt: bool = False, iv: bytes = b"", key: bytes = b"", slot: int = 0
    ) -> str:
        """Begin a packet; an IV or key of no bytes is none."""

    async def finish(self) -> str:
        """Wait for the packets."""

    async def take_errors(self) -> int:
        """Return the flags, and take them back."""

    async def zeroize(self) -> str:
        """Zeroize the engine."""


class _Notes(list[str]):
    """What is wrong."""

    def same(self, what: str, got: object, due: object) -> None:
        if got != due:
            self.append(f"{what}: {got}, not {due}")


def _chosen(cipher: str, bits: int) -> list[Record]:
    # cocotbext-axi sends no packet without bytes.
    records = [record for record in mode_records(cipher, bits) if record.plaintext]
    return [*records[:RECORDS], *records[-RECORDS:]]


async def vectors(rig: Rig, driver: Driver) -> list[str]:
    """Published vectors of every mode, in every direction."""
    notes, (key_bytes, slots, encrypt, decrypt) = _Notes(), rig.config
    notes.same("init", await driver.init(rig.config, POLLS), "OK")
    number = 0
    for mode, cipher in CIPHERS[rig.name].items():
        for record in _chosen(cipher, 8 * key_bytes):
            number += 1
            slot = number % slots if slots else 0
            if slots:
                notes.same("load_key", await driver.load_key(slot, record.key), "OK")
            for way, modes in enumerate((encrypt, decrypt)):
                if not modes >> mode & 1:
                    continue
                sides = record.plaintext, record.ciphertext
                key = b"" if slots else record.key
                status = await driver.begin(
                    mode, decrypt=bool(way), iv=record.iv, key=key, slot=slot
                )
                notes.same("begin", status, "OK")
                await rig.send(sides[way])
                try:
                    got = await rig.receive()
                except SimTimeoutError:
                    return [*notes, f"{record.name}: nothing came out"]
                notes.same(record.name, got.hex(), sides[1 - way].hex())
                notes.same("finish", await driver.finish(), "OK")
    notes.same("errors", await driver.take_errors(), 0)
    return notes


async def refused(rig: Rig, driver: Driver) -> list[str]:
    """Every bad input is refused, and nothing is written."""
    notes, (key_bytes, slots, encrypt, decrypt) = _Notes(), rig.config
    key = b"" if slots else bytes(key_bytes)
    mode = (encrypt & -encrypt).bit_length() - 1

    for bad in ((20, 0, 2, 2), (16, 1, 2, 2), (16, 17, 2, 2), (16, 0, 0, 0)):
        notes.same(f"config {bad}", await driver.init(bad, POLLS), "BAD_CONFIG")
    notes.same("another address", await driver.init(rig.config, POLLS, offset=4), "NO_ENGINE")
    notes.same("init", await driver.init(rig.config, POLLS), "OK")
    for other in (8, 9, 15, 16, 31, 32, 2**32 - 1):
        notes.same(f"mode {other}", await driver.begin(other, iv=IV, key=key), "BAD_MODE")
    for other in range(8):
        for way, modes in enumerate((encrypt, decrypt)):
            if not modes >> other & 1:
                due = "BAD_DIRECTION" if (encrypt | decrypt) >> other & 1 else "BAD_MODE"
                status = await driver.begin(other, decrypt=bool(way), iv=IV, key=key)
                notes.same(f"mode {other} in direction {way}", status, due)
            elif other in WITH_IV:
                status = await driver.begin(other, decrypt=bool(way), key=key)
                notes.same(f"mode {other} without an IV", status, "BAD_IV")
    for size in (8, 16, 24, 32, 40):
        if size != key_bytes or slots:
            status = await driver.begin(mode, iv=IV, key=bytes(size))
            notes.same(f"a key of {size} bytes", status, "BAD_KEY")
        if slots and size != key_bytes:
            notes.same(f"{size} bytes", await driver.load_key(0, bytes(size)), "BAD_KEY")
    if not slots:
        notes.same("no key", await driver.begin(mode, iv=IV), "BAD_KEY")
    for slot in (max(slots, 1), 16, 2**32 - 1):
        notes.same(f"slot {slot}", await driver.begin(mode, iv=IV, key=key, slot=slot), "BAD_SLOT")
        notes.same(f"slot {slot}", await driver.load_key(slot, bytes(key_bytes)), "BAD_SLOT")
    # Were a context or a key among these, it would have been taken, and the counters would move.
    notes.same("finish", await driver.finish(), "OK")
    notes.same("errors", await driver.take_errors(), 0)
    return notes


async def busy(rig: Rig, driver: Driver) -> list[str]:
    """More contexts than can wait: the driver says so, and nothing is dropped."""
    notes, (key_bytes, slots, *_) = _Notes(), rig.config
    key = b"" if slots else bytes(key_bytes)
    notes.same("init", await driver.init(rig.config, POLLS), "OK")
    for slot in range(slots):
        notes.same("load_key", await driver.load_key(slot, bytes(key_bytes)), "OK")
    for number in range(3):
        notes.same(f"context {number}", await driver.begin(CTR, iv=IV, key=key), "OK")
    notes.same("a fourth", await driver.begin(CTR, iv=IV, key=key), "BUSY")
    notes.same("errors", await driver.take_errors(), 0)
    notes.same("finish", await driver.finish(), "TIMEOUT")
    for number in range(3):
        notes.same(f"finish before packet {number}", await driver.finish(), "TIMEOUT")
        await rig.send(bytes(16))
        await rig.receive()
    notes.same("finish", await driver.finish(), "OK")
    notes.same("a fifth", await driver.begin(CTR, iv=IV, key=key), "OK")
    return notes


async def keys_wait(rig: Rig, driver: Driver) -> list[str]:
    """A key for a slot in use waits: the load is not done in time, and the next one is refused."""
    notes = _Notes()
    notes.same("init", await driver.init(rig.config, POLLS), "OK")
    notes.same("load_key", await driver.load_key(0, bytes(16)), "OK")
    rig.sink.pause = True
    notes.same("begin", await driver.begin(ECB), "OK")
    await rig.send(bytes(16 * 40))
    await ClockCycles(rig.dut.clk, 400)
    notes.same("into the slot in use", await driver.load_key(0, bytes(16)), "OK")
    notes.same("after it", await driver.load_key(1, bytes(16)), "TIMEOUT")
    notes.same("after both", await driver.load_key(2, bytes(16)), "BUSY")
    notes.same("errors", await driver.take_errors(), 0)
    rig.sink.pause = False
    await rig.receive()
    notes.same("finish", await driver.finish(), "OK")
    notes.same("later", await driver.load_key(2, bytes(16)), "OK")
    return notes


async def errors(rig: Rig, driver: Driver) -> list[str]:
    """Packets with the error flag, and zeroization."""
    notes = _Notes()
    notes.same("init", await driver.init(rig.config, POLLS), "OK")
    # No slot has a key.
    for count in (1, 2):
        for _ in range(count):
            notes.same("begin", await driver.begin(CTR, iv=IV, slot=3), "OK")
            await rig.send(bytes(16))
            await rig.receive()
        notes.same("finish", await driver.finish(), "PACKET_ERROR")
        notes.same("errors", await driver.take_errors(), 1)
        notes.same("errors, taken", await driver.take_errors(), 0)
    notes.same("load_key", await driver.load_key(3, IV), "OK")
    for due in ("OK", "PACKET_ERROR"):
        notes.same("begin", await driver.begin(CTR, iv=IV, slot=3), "OK")
        await rig.send(bytes(16))
        await rig.receive()
        notes.same("finish", await driver.finish(), due)
        # After the first packet the key is gone, and the counters are back at 0.
        notes.same("zeroize", await driver.zeroize(), "OK")
        notes.same("finish", await driver.finish(), "OK")
        await ClockCycles(rig.dut.clk, 200)
    # A packet that never got a context, and comes out with the flag.
    await rig.send(bytes(16))
    await rig.receive()
    notes.same("errors", await driver.take_errors(), 1)
    # Nothing is polled: what takes time is not done.
    notes.same("init", await driver.init(rig.config, 0), "OK")
    notes.same("begin", await driver.begin(CTR, iv=IV, slot=3), "BUSY")
    notes.same("load_key", await driver.load_key(3, IV), "BUSY")
    notes.same("zeroize", await driver.zeroize(), "TIMEOUT")
    return notes


async def zeroized_under_way(rig: Rig, driver: Driver) -> list[str]:
    """Zeroization while packets leave: none of them is counted as one of those that follow."""
    notes = _Notes()
    notes.same("init", await driver.init(rig.config, POLLS), "OK")
    # Then all three are inside, and one after the other leaves.
    for wait in range(12, 72, 2):
        notes.same("load_key", await driver.load_key(0, IV), "OK")
        for _ in range(3):
            notes.same("begin", await driver.begin(ECB), "OK")
            await rig.send(bytes(16))
        await ClockCycles(rig.dut.clk, wait)
        notes.same(f"zeroize after {wait} cycles", await driver.zeroize(), "OK")
        await ClockCycles(rig.dut.clk, 150)
        rig.sink.clear()
        notes.same("load_key", await driver.load_key(0, IV), "OK")
        notes.same("begin", await driver.begin(ECB), "OK")
        notes.same(f"finish, zeroized after {wait} cycles", await driver.finish(), "TIMEOUT")
        await rig.send(bytes(16))
        await rig.receive()
        notes.same("finish", await driver.finish(), "OK")
    return notes


Scenario = Callable[[Rig, Driver], Awaitable[list[str]]]
# Scenario and engines.
ALL: tuple[tuple[Scenario, tuple[str, ...]], ...] = (
    (vectors, ("agile", "stored", "streams")),
    (refused, ("agile", "stored", "streams")),
    (busy, ("agile", "stored")),
    (keys_wait, ("stored",)),
    (errors, ("stored",)),
    (zeroized_under_way, ("stored",)),
)

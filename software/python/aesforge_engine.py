# SPDX-License-Identifier: Apache-2.0
"""Driver of aesforge_engine_axi, an AES engine with AXI4-Lite CSRs: for cocotb, and for Linux.

It loads keys, gives each packet its context, and waits for the packets. Their data go through the
AXI4-Stream ports, which a bench's bus models or a DMA controller serve. Never use an IV twice under
one key.

The methods are coroutines, so that the same class runs in both places. In a cocotb bench::

    engine = Engine(MasterBus(axil_master), CONFIG)
    await engine.open()
    await engine.begin(CTR, iv=iv, key=key)
    ...                                        # send the packet
    await engine.finish()

On Linux, as root, with the device bound to a UIO driver::

    async def main() -> None:
        with UioBus("/dev/uio0") as bus:
            engine = Engine(bus, CONFIG)
            ...

    asyncio.run(main())
"""

from __future__ import annotations

import enum
import mmap
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

ECB, CTR, CBC, CFB, OFB, CFB8, CBC_MAC, CMAC = range(8)
IV_BYTES = 16

# Offsets in bytes; docs/csr.md, or the README of a bundle, has the fields.
_ID, _CONTROL, _STATUS, _ERRORS, _PACKETS, _IN_ERROR = 0x00, 0x04, 0x08, 0x0C, 0x10, 0x14
_KEY, _IV, _LOAD, _PUSH = 0x20, 0x40, 0x50, 0x54
_LETTERS = int.from_bytes(b"AESF", "big")
_CONTEXT_WAITS, _KEY_WAITS = 1, 2
_COUNT = 1 << 32
_MOST_SLOTS = 16


class Status(enum.Enum):
    """Why an operation was not done."""

    NO_ENGINE = "no engine at this address"
    BAD_CONFIG = "no engine has this configuration"
    BAD_MODE = "the engine has no such mode"
    BAD_DIRECTION = "the engine has the mode, but not this direction"
    BAD_IV = f"the mode takes an IV of {IV_BYTES} bytes"
    BAD_KEY = "a key of another length, or with stored keys in a context"
    BAD_SLOT = "the engine has no such slot"
    BUSY = "what was handed over before still waits; nothing has been written"
    TIMEOUT = "not done in time"
    PACKET_ERROR = "a packet came out with the error flag; do not use its data"
    BAD_TAG = "a tag of another length, or one when encrypting"
    BAD_LENGTH = "a length that the mode has not, or does not ask for"


class EngineError(Exception):
    """An operation was not done; `status` says why."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.value)
        self.status = status


class Bus(Protocol):
    """Access to the CSRs, 32 bits at a time; offsets in bytes."""

    async def read(self, offset: int) -> int:
        """Return a word."""

    async def write(self, offset: int, value: int) -> None:
        """Write a word."""


class MasterBus:
    """CSRs on cocotbext-axi's `AxiLiteMaster`.

    Args:
        master: the bus model.
        base: address of the first word.
    """

    def __init__(self, master: Any, base: int = 0) -> None:
        self._master, self._base = master, base

    async def read(self, offset: int) -> int:
        """Return a word."""
        return int(await self._master.read_dword(self._base + offset))

    async def write(self, offset: int, value: int) -> None:
        """Write a word."""
        await self._master.write_dword(self._base + offset, value)


class UioBus:
    """CSRs that a UIO driver maps; a context manager.

    Args:
        path: of the device.
        size: bytes to map, a whole number of pages.

    Raises:
        OSError: the device cannot be opened or mapped.
    """

    def __init__(self, path: str | os.PathLike[str] = "/dev/uio0", size: int = 4096) -> None:
        file = os.open(path, os.O_RDWR | os.O_SYNC)
        try:
            self._map = mmap.mmap(file, size)
        finally:
            os.close(file)
        # Items of four bytes: each access is one of 32 bits.
        self._words = memoryview(self._map).cast("I")

    def __enter__(self) -> UioBus:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Unmap the device."""
        self._words.release()
        self._map.close()

    async def read(self, offset: int) -> int:
        """Return a word."""
        return self._words[offset // 4]

    async def write(self, offset: int, value: int) -> None:
        """Write a word."""
        self._words[offset // 4] = value


@dataclass(frozen=True)
class Config:
    """How the engine was built; a bundle has the values.

    Args:
        key_bytes: 16, 24 or 32.
        key_slots: stored keys, 2 to 16; 0: a key with each context.
        encrypt_modes: bit m: mode m encrypts, or makes a digest.
        decrypt_modes: bit m: mode m decrypts.
    """

    key_bytes: int
    key_slots: int
    encrypt_modes: int
    decrypt_modes: int


class Csrs:
    """How a driver of any engine writes its CSRs, and waits for them.

    Args:
        bus: the CSRs.
        polls: most reads of a register in one call, which bounds every wait.
    """

    def __init__(self, bus: Bus, polls: int) -> None:
        self._bus, self._polls = bus, polls

    async def _write_bytes(self, offset: int, data: bytes) -> None:
        """Write four bytes a word, the first in bits 7 to 0."""
        for at in range(0, len(data), 4):
            await self._bus.write(offset + at, int.from_bytes(data[at : at + 4], "little"))

    async def _until_low(self, mask: int, otherwise: Status) -> None:
        async def is_low() -> bool:
            return not await self._bus.read(_STATUS) & mask

        await self._until(is_low, otherwise)

    async def _until(self, condition: Callable[[], Awaitable[bool]], otherwise: Status) -> None:
        for _ in range(self._polls):
            if await condition():
                return
        raise EngineError(otherwise)


class Engine(Csrs):
    """An engine; calls for one engine must not overlap. Every method may raise `EngineError`.

    Args:
        bus: its CSRs.
        config: how it was built.
        polls: most reads of a register in one call, which bounds every wait.
    """

    def __init__(self, bus: Bus, config: Config, polls: int = 1000) -> None:
        super().__init__(bus, polls)
        self._config = config
        self._due = self._in_error = 0

    async def open(self) -> None:
        """Find the engine, and take its counters as they are.

        Packets of an earlier program that are still inside would count as ours; `zeroize` drops
        them.

        Raises:
            EngineError: `NO_ENGINE` or `BAD_CONFIG`.
        """
        config = self._config
        slots = config.key_slots != 1 and 0 <= config.key_slots <= _MOST_SLOTS
        modes = config.encrypt_modes | config.decrypt_modes
        _want(config.key_bytes in (16, 24, 32) and slots and modes != 0, Status.BAD_CONFIG)
        _want(await self._bus.read(_ID) == _LETTERS, Status.NO_ENGINE)
        self._due = await self._bus.read(_PACKETS)
        self._in_error = await self._bus.read(_IN_ERROR)

    async def load_key(self, slot: int, key: bytes) -> None:
        """Load a stored key; packets that are begun after it use it.

        Raises:
            EngineError: `BAD_SLOT`, `BAD_KEY`, `BUSY` or `TIMEOUT`.
        """
        _want(0 <= slot < self._config.key_slots, Status.BAD_SLOT)
        _want(len(key) == self._config.key_bytes, Status.BAD_KEY)
        await self._until_low(_KEY_WAITS, Status.BUSY)
        await self._write_bytes(_KEY, key)
        await self._bus.write(_LOAD, slot)
        # A context that overtook the key would run under the old one.
        await self._until_low(_KEY_WAITS, Status.TIMEOUT)

    async def begin(
        self,
        mode: int,
        *,
        decrypt: bool = False,
        iv: bytes = b"",
        key: bytes = b"",
        slot: int = 0,
    ) -> None:
        """Begin a packet: hand its context over. Three contexts may wait.

        Args:
            mode: `ECB` to `CMAC`.
            decrypt: or encrypt, or make a digest.
            iv: 16 bytes; none in modes without an IV.
            key: of the engine's length; none with stored keys.
            slot: of the key; 0 without stored keys.

        Raises:
            EngineError: `BAD_MODE`, `BAD_DIRECTION`, `BAD_IV`, `BAD_KEY`, `BAD_SLOT` or `BUSY`.
        """
        config = self._config
        modes = config.decrypt_modes if decrypt else config.encrypt_modes
        known = 0 <= mode < 16 and (config.encrypt_modes | config.decrypt_modes) >> mode & 1
        _want(bool(known), Status.BAD_MODE)
        _want(bool(modes >> mode & 1), Status.BAD_DIRECTION)
        lengths = (IV_BYTES,) if CTR <= mode <= CFB8 else (0, IV_BYTES)
        _want(len(iv) in lengths, Status.BAD_IV)
        _want(len(key) == (0 if config.key_slots else config.key_bytes), Status.BAD_KEY)
        _want(0 <= slot < max(config.key_slots, 1), Status.BAD_SLOT)
        await self._until_low(_CONTEXT_WAITS, Status.BUSY)
        await self._write_bytes(_IV, iv)
        await self._write_bytes(_KEY, key)
        await self._bus.write(_PUSH, mode | decrypt << 4 | slot << 8)
        self._due = (self._due + 1) % _COUNT

    async def finish(self) -> None:
        """Wait until all packets that were begun are out.

        Raises:
            EngineError: `TIMEOUT`; or `PACKET_ERROR`: all are out, and at least one since the last
                call has the error flag in its last beat.
        """

        async def are_out() -> bool:
            # Counters count modulo 2^32.
            lacking = (self._due - await self._bus.read(_PACKETS)) % _COUNT
            return not 0 < lacking < _COUNT // 2

        await self._until(are_out, Status.TIMEOUT)
        before, self._in_error = self._in_error, await self._bus.read(_IN_ERROR)
        _want(self._in_error == before, Status.PACKET_ERROR)

    async def take_errors(self) -> int:
        """Return the flags of the register `errors`, and take them back."""
        flags = await self._bus.read(_ERRORS)
        await self._bus.write(_ERRORS, flags)
        return flags

    async def zeroize(self) -> None:
        """Zeroize keys, contexts and data, and drop all packets.

        The engine takes no context and no beat until it is done.

        Raises:
            EngineError: `TIMEOUT`: a context or a key still waits, or packets still leave.
        """

        async def is_done() -> bool:
            # A packet that is leaving may still be counted: wait until the count is the same twice.
            waits = await self._bus.read(_STATUS) & (_CONTEXT_WAITS | _KEY_WAITS)
            before, self._due = self._due, await self._bus.read(_PACKETS)
            return not waits and self._due == before

        await self._bus.write(_CONTROL, 1)
        self._due = await self._bus.read(_PACKETS)
        await self._until(is_done, Status.TIMEOUT)
        self._in_error = await self._bus.read(_IN_ERROR)


def _want(condition: bool, otherwise: Status) -> None:
    if not condition:
        raise EngineError(otherwise)

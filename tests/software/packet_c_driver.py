# SPDX-License-Identifier: Apache-2.0
"""The C driver of engines whose CSRs keep results, compiled and called through ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_uint8, c_uint32
from functools import partial
from pathlib import Path
from typing import Any

from c_driver import READ, STATUSES, WRITE, Bus, compile_driver

SOURCES = ("aesforge_packet_engine.c", "aesforge_engine.c")
compile_packet_driver = partial(compile_driver, sources=SOURCES)


class _Config(Structure):
    _fields_ = (
        *((name, c_uint32) for name in ("mode", "key_bytes", "key_slots", "tag_lengths")),
        *((name, c_bool) for name in ("encrypts", "decrypts", "counted")),
    )


class _Context(Structure):
    _fields_ = (
        *(("decrypt", c_bool), ("slot", c_uint32), ("key", c_char_p), ("key_bytes", c_uint32)),
        *(("iv_kind", c_uint32), ("iv", POINTER(c_uint8)), ("iv_bytes", c_uint32)),
        *(("tag_bytes", c_uint32), ("tag", POINTER(c_uint8))),
        *((name, c_uint32) for name in ("aad_bytes", "text_bytes", "more")),
    )


class _Result(Structure):
    _fields_ = (
        *((name, c_bool) for name in ("error", "authentic", "iv_made")),
        *(("id", c_uint32), ("tag", c_uint8 * 16), ("iv", c_uint8 * 12)),
    )


class _Engine(Structure):
    _fields_ = (("bus", Bus), ("config", _Config), ("polls", c_uint32))


def _array(data: bytes) -> Any:
    return (c_uint8 * len(data))(*data) if data else None


class PacketCDriver:
    """The driver of one engine; each method returns the name of a status.

    Args:
        library: compiled driver.
        read: returns the word at an offset.
        write: writes one.
    """

    def __init__(
        self, library: Path, read: Callable[[int], int], write: Callable[[int, int], None]
    ) -> None:
        self._c = ctypes.CDLL(str(library))
        self._c.aesforge_packet_init.argtypes = [POINTER(_Engine), Bus, _Config, c_uint32]
        self._c.aesforge_packet_take_errors.restype = c_uint32
        self._engine = _Engine()
        self._bus = Bus(
            READ(lambda _, offset: read(offset)),
            WRITE(lambda _, offset, value: write(offset, value)),
            None,
        )

    def init(self, config: Sequence[int], polls: int) -> str:
        """Find the engine; the configuration is in the order of its fields."""
        given = _Config(*config)
        done = self._c.aesforge_packet_init(byref(self._engine), self._bus, given, polls)
        return STATUSES[done]

    def load_key(self, slot: int, key: bytes, iv_fixed: bytes) -> str:
        """Load a stored key."""
        fixed = c_uint32(int.from_bytes(iv_fixed, "little"))
        done = self._c.aesforge_packet_load_key(
            byref(self._engine), slot, _array(key), len(key), fixed
        )
        return STATUSES[done]

    def begin(self, **given: Any) -> str:
        """Begin a packet; arguments as of the driver in Python."""
        iv, tag, key = (given.get(name, b"") for name in ("iv", "tag", "key"))
        context = _Context(
            decrypt=given.get("decrypt", False),
            key=key or None,
            key_bytes=len(key),
            iv=_array(iv),
            iv_bytes=len(iv),
            tag=_array(tag),
            **{
                name: given.get(name, 0)
                for name in ("slot", "iv_kind", "tag_bytes", "aad_bytes", "text_bytes", "more")
            },
        )
        return STATUSES[self._c.aesforge_packet_begin(byref(self._engine), byref(context))]

    def finish(self) -> tuple[str, Any]:
        """Take the oldest result."""
        result = _Result()
        done = self._c.aesforge_packet_finish(byref(self._engine), byref(result))
        return STATUSES[done], result

    def take_errors(self) -> int:
        """Return the flags, and take them back."""
        return int(self._c.aesforge_packet_take_errors(byref(self._engine)))

    def zeroize(self) -> str:
        """Zeroize the engine."""
        return STATUSES[self._c.aesforge_packet_zeroize(byref(self._engine))]

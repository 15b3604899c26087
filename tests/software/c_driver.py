# SPDX-License-Identifier: Apache-2.0
"""The C driver, compiled with the strictest warnings and called through ctypes."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Sequence
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_int, c_uint8, c_uint32, c_void_p
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "software" / "c"
# Every warning that gcc has and that a driver can be held to; the analyzer follows the paths.
STRICT = (
    *("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", "-fanalyzer"),
    *("-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wundef", "-Wcast-align=strict"),
    *("-Wcast-qual", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wold-style-definition"),
    *("-Wdouble-promotion", "-Wfloat-equal", "-Wformat=2", "-Wswitch-enum", "-Wswitch-default"),
    *("-Wredundant-decls", "-Wnull-dereference", "-Wlogical-op", "-Wduplicated-cond"),
    *("-Wduplicated-branches", "-Wbad-function-cast", "-Wwrite-strings", "-Wunused-macros"),
    *("-Wvla", "-Wc++-compat"),
)
STATUSES = (
    *("OK", "NO_ENGINE", "BAD_CONFIG", "BAD_MODE", "BAD_DIRECTION", "BAD_IV", "BAD_KEY"),
    *("BAD_SLOT", "BUSY", "TIMEOUT", "PACKET_ERROR", "BAD_TAG", "BAD_LENGTH"),
)


def gcc(*arguments: str | Path) -> None:
    """Run the C compiler."""
    done = subprocess.run(["gcc", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def compile_driver(
    folder: Path,
    mutant: tuple[str, str] | None = None,
    sources: Sequence[str] = ("aesforge_engine.c",),
) -> Path:
    """Compile a driver to a shared library.

    Args:
        folder: gets it.
        mutant: a part of the driver, and what stands in its place.
        sources: of the driver; the first has the mutant.
    """
    source, *others = (FOLDER / name for name in sources)
    options: tuple[str, ...] = STRICT
    if mutant:
        options = ("-std=c99", "-w")
        text = source.read_text(encoding="utf-8")
        assert text.count(mutant[0]) == 1, mutant
        source = folder / "mutant.c"
        source.write_text(text.replace(*mutant), encoding="utf-8")
    library = folder / "driver.so"
    gcc(*options, "-fPIC", "-shared", "-I", FOLDER, source, *others, "-o", library)
    return library


READ = ctypes.CFUNCTYPE(c_uint32, c_void_p, c_uint32)
WRITE = ctypes.CFUNCTYPE(None, c_void_p, c_uint32, c_uint32)


class Bus(Structure):
    _fields_ = (("read", READ), ("write", WRITE), ("context", c_void_p))


class _Config(Structure):
    _fields_ = tuple(
        (name, c_uint32) for name in ("key_bytes", "key_slots", "encrypt_modes", "decrypt_modes")
    )


class _Context(Structure):
    _fields_ = (
        *(("mode", c_uint32), ("decrypt", c_bool), ("iv", c_char_p), ("key", c_char_p)),
        *(("key_bytes", c_uint32), ("slot", c_uint32)),
    )


class _Engine(Structure):
    _fields_ = (
        *(("bus", Bus), ("config", _Config)),
        *(("polls", c_uint32), ("due", c_uint32), ("in_error", c_uint32)),
    )


class CDriver:
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
        self._c.aesforge_init.argtypes = [POINTER(_Engine), Bus, _Config, c_uint32]
        self._c.aesforge_take_errors.restype = c_uint32
        self._c.aesforge_status_text.restype = c_char_p
        self._c.aesforge_memory_bus.restype = Bus
        self._c.aesforge_memory_bus.argtypes = [c_void_p]
        self._engine = _Engine()
        self._bus = Bus(
            READ(lambda _, offset: read(offset)),
            WRITE(lambda _, offset, value: write(offset, value)),
            None,
        )

    def init(self, config: Sequence[int], polls: int) -> str:
        """Find the engine at the bus; the configuration is in the order of its fields."""
        return STATUSES[
            self._c.aesforge_init(byref(self._engine), self._bus, _Config(*config), polls)
        ]

    def init_in_memory(self, words: ctypes.Array[c_uint32], config: Sequence[int]) -> str:
        """Find an engine in memory."""
        self._bus = self._c.aesforge_memory_bus(ctypes.addressof(words))
        return self.init(config, 5)

    def load_key(self, slot: int, key: bytes) -> str:
        """Load a stored key."""
        given = (c_uint8 * len(key))(*key)
        return STATUSES[self._c.aesforge_load_key(byref(self._engine), slot, given, len(key))]

    def begin(self, mode: int, decrypt: bool, iv: bytes, key: bytes, slot: int) -> str:
        """Begin a packet; an IV or a key of no bytes is none."""
        # ctypes keeps the bytes alive as long as the structure.
        context = _Context(mode, decrypt, iv or None, key or None, len(key), slot)
        return STATUSES[self._c.aesforge_begin(byref(self._engine), byref(context))]

    def finish(self) -> str:
        """Wait for the packets."""
        return STATUSES[self._c.aesforge_finish(byref(self._engine))]

    def take_errors(self) -> int:
        """Return the flags, and take them back."""
        return int(self._c.aesforge_take_errors(byref(self._engine)))

    def zeroize(self) -> str:
        """Zeroize the engine."""
        return STATUSES[self._c.aesforge_zeroize(byref(self._engine))]

    def text(self, status: int) -> str:
        """Return the text of a status."""
        return str(self._c.aesforge_status_text(c_int(status)).decode())

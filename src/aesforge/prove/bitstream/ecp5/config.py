# SPDX-License-Identifier: Apache-2.0
"""A bitstream of an ECP5 device, unpacked: the bits of each frame and of each memory.

The file is a sequence of commands. Those that ECP5 devices are configured with are read here, since
`ecpunpack` prints settings, and leaves out those at their default: a bit that it takes for one is
lost. Each frame and each block of memory has its CRC, which is checked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from aesforge.errors import UsageError
from aesforge.prove.bitstream.ecp5.chip import Chip, Tile

_PREAMBLE = b"\xff\xff\xbd\xb3"
_POLYNOMIAL = 0x8005
# The commands, as Lattice names them.
_DUMMY = 0xFF
_LSC_RESET_CRC, _VERIFY_ID, _LSC_INIT_ADDRESS = 0x3B, 0xE2, 0x46
_LSC_WRITE_COMP_DIC, _LSC_PROG_INCR_CMP, _LSC_PROG_INCR_RTI = 0x02, 0xB8, 0x82
_LSC_EBR_ADDRESS, _LSC_EBR_WRITE = 0xF6, 0xB2
_ISC_PROGRAM_USERCODE = 0xC2
# How many bytes follow a command that configures no bit of a tile or memory: control register 0,
# done, security, SPI mode.
_OTHERS = {0x22: 7, 0x5E: 3, 0xCE: 3, 0x79: 3}
MEMORY_WORDS, MEMORY_BITS = 2048, 9


@dataclass
class Config:
    """What a bitstream holds.

    Args:
        frames: the bits of each frame, as a number: bit 0 is the lowest.
        memories: the 2,048 words of 9 bits of each block RAM that has content, by its number.
    """

    frames: list[int]
    memories: dict[int, list[int]] = field(default_factory=dict)

    def ones(self, tile: Tile) -> frozenset[tuple[int, int]]:
        """Return the set bits of a tile."""
        mask = (1 << tile.bits) - 1
        found = []
        for frame in range(tile.frames):
            part = self.frames[tile.frame + frame] >> tile.bit & mask
            while part:
                bit = part & -part
                found.append((frame, bit.bit_length() - 1))
                part ^= bit
        return frozenset(found)


def read(path: Path, chip: Chip, device: str) -> Config:
    """Read a bitstream, as `ecppack` writes it, compressed or not.

    Args:
        path: of the file.
        chip: that it must be for.
        device: the device's name, for messages.

    Raises:
        UsageError: there is no such file, it is no bitstream of ECP5, is damaged, or is for another
            chip.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror or error}") from None
    start = data.find(_PREAMBLE)
    if start < 0:
        raise UsageError(f"'{path}' is no ECP5 bitstream: it has no preamble FF FF BD B3")
    stream = _Stream(data, start + len(_PREAMBLE))
    try:
        config = stream.config(chip)
    except _OtherChip as other:
        raise UsageError(
            f"'{path}' is for the chip with the code {other.code:#010x}; {device} has "
            f"{chip.code:#010x}: name the device that it was built for"
        ) from None
    except IndexError:
        raise UsageError(f"'{path}' is no intact ECP5 bitstream: it ends too early") from None
    except ValueError as error:
        raise UsageError(f"'{path}' is no intact ECP5 bitstream: {error}") from None
    return config


class _OtherChip(Exception):
    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code


def _table() -> list[int]:
    found = []
    for byte in range(256):
        value = byte << 8
        for _ in range(8):
            value = (value << 1 ^ (_POLYNOMIAL if value & 0x8000 else 0)) & 0xFFFF
        found.append(value)
    return found


_CRC = _table()


class _Stream:
    """The commands of a bitstream; each byte that is taken goes into the CRC."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at
        self.crc = 0
        self.dictionary = b""

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise IndexError
        found = self.data[self.at : self.at + count]
        self.at += count
        for byte in found:
            self.crc = (self.crc << 8 ^ _CRC[self.crc >> 8 ^ byte]) & 0xFFFF
        return found

    def check_crc(self, of: str) -> None:
        must, self.crc = self.crc, 0
        if int.from_bytes(self.take(2)) != must:
            raise ValueError(f"the CRC of {of} is wrong")
        self.crc = 0

    def config(self, chip: Chip) -> Config:
        config = Config([])
        is_known = False
        memory = 0
        while self.at < len(self.data):
            if self.data[self.at] == _DUMMY:  # not part of the CRC
                self.at += 1
                continue
            command = self.take(1)[0]
            if command in _OTHERS:
                self.take(_OTHERS[command])
            elif command in (_LSC_RESET_CRC, _LSC_INIT_ADDRESS):
                self.take(3)
                if command == _LSC_RESET_CRC:
                    self.crc = 0
            elif command == _VERIFY_ID:
                code = int.from_bytes(self.take(7)[3:])
                if code != chip.code:
                    raise _OtherChip(code)
                is_known = True
            elif command in (_LSC_PROG_INCR_RTI, _LSC_PROG_INCR_CMP):
                self._frames(chip, config, is_compressed=command == _LSC_PROG_INCR_CMP)
            elif command == _LSC_WRITE_COMP_DIC:
                has_crc = self.take(3)[0] & 0x80
                self.dictionary = self.take(8)[::-1]
                if has_crc:
                    self.check_crc("the dictionary")
            elif command == _ISC_PROGRAM_USERCODE:
                has_crc = self.take(3)[0] & 0x80
                self.take(4)
                if has_crc:
                    self.check_crc("the user code")
            elif command == _LSC_EBR_ADDRESS:
                memory = int.from_bytes(self.take(7)[3:])
            elif command == _LSC_EBR_WRITE:
                memory = self._memory(config, memory)
            else:
                raise ValueError(f"unknown command {command:#04x} at byte {self.at - 1}")
        if not is_known or not config.frames:
            raise ValueError("it names no chip, or has no frames")
        return config

    def _frames(self, chip: Chip, config: Config, *, is_compressed: bool) -> None:
        checks, *counts = self.take(3)
        count = int.from_bytes(bytes(counts))
        if count != chip.frames:
            raise ValueError(f"it has {count} frames, {chip.name} has {chip.frames}")
        size = (chip.frame_bits + chip.padding + 7) // 8
        mask = (1 << chip.frame_bits) - 1
        has_crc, has_each = checks & 0x80, not checks & 0x40
        found = []
        for number in range(count):
            data = self._unpacked(-(-size // 8) * 8) if is_compressed else self.take(size)
            # A compressed frame is padded in front, to whole groups of 8 bytes.
            found.append(int.from_bytes(data[-size:]) >> chip.padding & mask)
            if has_crc and (has_each or number == count - 1):
                self.check_crc(f"frame {count - 1 - number}")
            self.take(checks & 0x0F)
        config.frames = found[::-1]  # the last frame comes first

    def _unpacked(self, count: int) -> bytes:
        """Return bytes of a compressed frame; it ends at a whole byte."""
        held = bits = 0

        def take(number: int) -> int:
            nonlocal held, bits
            while bits < number:
                held, bits = held << 8 | self.take(1)[0], bits + 8
            bits -= number
            value = held >> bits
            held &= (1 << bits) - 1
            return value

        found = bytearray()
        for _ in range(count):
            if not take(1):
                found.append(0)
            elif take(1):
                found.append(take(8))
            elif take(1):
                index = take(3)
                if not self.dictionary:
                    raise ValueError("it has compressed frames, but no dictionary")
                found.append(self.dictionary[index])
            else:
                found.append(1 << take(3))
        return bytes(found)

    def _memory(self, config: Config, address: int) -> int:
        """Read words of memories; return the address after them."""
        count = int.from_bytes(self.take(3)[1:])
        for _ in range(count):
            number, word = address >> 11 & 0x3FF, address & 0x7FF
            words = config.memories.setdefault(number, [0] * MEMORY_WORDS)
            group = int.from_bytes(self.take(9))
            for index in range(8):
                words[word + index] = group >> MEMORY_BITS * (7 - index) & 0x1FF
            address += 8
        self.check_crc(f"memory {address - 1 >> 11}")
        return address

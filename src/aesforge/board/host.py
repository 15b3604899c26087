# SPDX-License-Identifier: Apache-2.0
"""The host's side of the UART service: commands with answers, another attempt where one is lost."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Protocol

from aesforge.board.frames import (
    ANSWER,
    ERROR_TEXTS,
    FAILED,
    IDENTITY_BYTES,
    MOST_BYTES,
    OVERHEAD_BYTES,
    TRANSIENT,
    Command,
    Frame,
    Identity,
    next_frame,
    run_payload,
    sealed_payload,
)
from aesforge.design.modes import Mode
from aesforge.errors import AesforgeError, ToolMissing, UsageError

BAUD = 115200
TIMEOUT_SECONDS = 1.0
ATTEMPTS = 4
# More than a device waits for the end of a frame (`uart_service.TIMEOUT_SECONDS`); twice as long
# before each further attempt.
SILENCE_SECONDS = 0.25
_POLL_SECONDS = 0.02
# What pyserial lets through where a port has gone; Windows has no such module.
try:
    from termios import error as _termios_error

    _TERMIOS: tuple[type[Exception], ...] = (_termios_error,)
except ImportError:
    _TERMIOS = ()


class DeviceFailed(AesforgeError):
    """A device does not answer, or not as the protocol has it (exit 2)."""


class Line(Protocol):
    """What a serial port of pyserial can do; a test may put another thing in its place."""

    def read(self, size: int = 1) -> bytes:
        """Return bytes that came, none after a short time."""

    def write(self, data: bytes, /) -> int | None:
        """Send bytes."""

    def reset_input_buffer(self) -> None:
        """Drop what came so far."""


@contextlib.contextmanager
def open_line(port: str, baud: int = BAUD) -> Iterator[Line]:
    """Open a serial port.

    Args:
        port: its name, for example `/dev/ttyUSB0`.
        baud: bits per second.

    Raises:
        ToolMissing: pyserial is not installed.
        UsageError: there is no such port, or it cannot be opened at this rate.
    """
    try:
        import serial
    except ImportError:
        from aesforge.toolchain import install

        raise ToolMissing(
            "serial ports need the package pyserial; install it with "
            f"`{install.extra_command('board')}`"
        ) from None
    try:
        line = serial.Serial(
            port,
            baud,
            timeout=_POLL_SECONDS,
            write_timeout=30,
            exclusive=True if os.name == "posix" else None,
        )
    except (ValueError, OSError) as error:  # SerialException is an OSError
        number = error.errno if isinstance(error, OSError) else None
        reason = os.strerror(number) if number else str(error)
        raise UsageError(
            f"cannot open the serial port '{port}' at {baud} baud: {reason}; "
            "`python -m serial.tools.list_ports` lists the ports"
        ) from None
    with line:
        try:
            yield line
        except (serial.SerialException, *_TERMIOS) as error:
            raise DeviceFailed(
                f"the serial port '{port}' failed: {error}; was the cable pulled?"
            ) from None


class Device:
    """A device with the UART service.

    Args:
        line: to it.
        baud: of the line, from which follows how long an answer takes.
        timeout_seconds: most that the device may take in addition.
        attempts: how often a command is sent before it is given up.
    """

    def __init__(
        self,
        line: Line,
        *,
        baud: int = BAUD,
        timeout_seconds: float = TIMEOUT_SECONDS,
        attempts: int = ATTEMPTS,
    ) -> None:
        self.line = line
        self.baud = baud
        self.timeout_seconds = timeout_seconds
        self.attempts = attempts
        self.repeated = 0
        """Commands that had to be sent again."""
        self._number = 0

    # --- Commands

    def identify(self) -> Identity:
        """Return what the device says of itself.

        Raises:
            DeviceFailed: it does not answer.
            AesforgeError: it speaks another version of the protocol.
        """
        return Identity.decoded(self._ask(Command.IDENTIFY))

    def load_key(self, key: bytes, slot: int = 0) -> None:
        """Load a key into a slot; 0 where keys are agile.

        Raises:
            DeviceFailed: the device does not answer, or refuses it.
        """
        self._ask(Command.LOAD_KEY, bytes([slot]) + key)

    def run(
        self, mode: Mode, iv: bytes, data: bytes, *, decrypt: bool, slot: int = 0
    ) -> tuple[bytes, bool]:
        """Send a packet through the engine.

        Args:
            mode: of the packet.
            iv: 16 bytes.
            data: at most `Identity.packet_bytes`.
            decrypt: or encrypt.
            slot: of its key.

        Returns:
            The result, and whether the engine set its error flag.

        Raises:
            DeviceFailed: the device does not answer, or refuses it.
        """
        return self._run(run_payload(mode, slot, decrypt, iv, data))

    def run_sealed(
        self,
        mode: Mode,
        iv: bytes,
        aad: bytes,
        text: bytes,
        tag: bytes,
        *,
        decrypt: bool,
        slot: int = 0,
    ) -> tuple[bytes, bool]:
        """Send a packet with a tag through the engine.

        Args:
            mode: of the packet.
            iv: as long as the mode allows.
            aad: additional authenticated data.
            text: plaintext or ciphertext; with `aad` and `tag` at most `Identity.sealed_bytes`.
            tag: received; to encrypt, as many zeros.
            decrypt: or encrypt.
            slot: of its key.

        Returns:
            The text, and the tag after it when encrypting; and whether the engine set its error
            flag, as it does with a wrong tag. Then there is no text.

        Raises:
            DeviceFailed: the device does not answer, or refuses it.
        """
        return self._run(sealed_payload(mode, slot, decrypt, iv, aad, text, tag))

    def _run(self, payload: bytes) -> tuple[bytes, bool]:
        answer = self._ask(Command.RUN_PACKET, payload)
        if not answer:
            raise DeviceFailed("the device's answer to a packet is empty: it has no status byte")
        return answer[1:], bool(answer[0] & 1)

    def zeroize(self) -> None:
        """Let the device zeroize its keys and its data.

        Raises:
            DeviceFailed: it does not answer.
        """
        self._ask(Command.ZEROIZE)

    # --- Frames

    def _ask(self, command: Command, payload: bytes = b"") -> bytes:
        """Send a command, and return the payload of its answer.

        Raises:
            DeviceFailed: none came in all attempts, or it was refused.
        """
        last = ""
        for attempt in range(self.attempts):
            if attempt:
                self.repeated += 1
                time.sleep(SILENCE_SECONDS * 2 ** (attempt - 1))
            # A new number: an answer to an earlier attempt may still come.
            self._number = self._number % 255 + 1
            self.line.reset_input_buffer()
            frame = Frame(command, self._number, payload)
            self.line.write(frame.encoded())
            answer, came = self._answer(frame)
            if answer is None:
                last = f"{came} bytes came that are no answer" if came else "nothing came"
                continue
            if answer.kind == command | ANSWER:
                return answer.payload
            code = answer.payload[0] if answer.payload else 0
            why = ERROR_TEXTS.get(code, f"error {code}")
            if code not in TRANSIENT:
                raise DeviceFailed(f"the device refuses {_name(command)}: {why}")
            last = f"it says: {why}"
        raise DeviceFailed(
            f"the device does not answer {_name(command)}: after {self.attempts} attempts {last}; "
            f"is this its port, was the bitstream with the UART service loaded, and has the line "
            f"{self.baud} baud at both ends?"
        )

    def _answer(self, asked: Frame) -> tuple[Frame | None, int]:
        """Return the answer to a frame, or None in time, and the bytes that came."""
        # No answer is longer than what was asked, but that of an identity.
        size = 2 * len(asked.payload) + IDENTITY_BYTES + 2 * OVERHEAD_BYTES
        end = time.monotonic() + 10 * size / self.baud + self.timeout_seconds
        buffer, came = bytearray(), 0
        while time.monotonic() < end:
            part = self.line.read(max(1, getattr(self.line, "in_waiting", 0)))
            came += len(part)
            buffer += part
            while (frame := next_frame(buffer, MOST_BYTES)) is not None:
                # A frame that was cut off before its number came is answered with 0.
                if frame.kind == FAILED and frame.number in (asked.number, 0):
                    return frame, came
                if frame.kind == asked.kind | ANSWER and frame.number == asked.number:
                    return frame, came
        return None, came


def _name(command: Command) -> str:
    return command.name.lower().replace("_", " ")

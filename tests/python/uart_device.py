# SPDX-License-Identifier: Apache-2.0
"""Devices with the UART service on pseudo-terminals: simulated RTL, and programs in its place."""

from __future__ import annotations

import os
import pty
import select
import struct
import threading
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Self

from aesforge.board import uart_service
from aesforge.board.frames import ANSWER, Command, Frame, next_frame
from aesforge.bundle import render
from aesforge.bundle.files import module_name
from aesforge.design.engine import Engine
from aesforge.reference import openssl
from aesforge.simulate.uart import UartModule, UartSimulator
from aesforge.toolchain.rtl import needed_by

DIVIDER = 4
# Real time. The silence that ends a frame, 0.1 s, is as on a board.
HERTZ = 400_000.0


def device(engine: Engine, folder: Path, hertz: float = HERTZ) -> UartSimulator:
    """Return the simulation of an engine with the UART service.

    Args:
        engine: that it serves.
        folder: for the sources.
        hertz: cycles per second; a large engine is simulated more slowly.
    """
    service = uart_service.parameters(engine, hertz / 1e6, round(hertz / DIVIDER))
    wrapper = f"{module_name(engine)}.sv"
    (folder / wrapper).write_text(render(engine)[f"rtl/{wrapper}"])
    (folder / "application.sv").write_text(uart_service.application(engine, service))
    files = [
        *needed_by(engine.wrapped, uart_service.MODULE),
        folder / wrapper,
        folder / "application.sv",
    ]
    module = UartModule(f"{engine.name} on a board", "application", files, DIVIDER)
    return UartSimulator(module, hertz=hertz, optimize="speed")


class Program:
    """A program at the other end of a pseudo-terminal, in place of a device; use it with `with`.

    Args:
        answer: what it sends for each part that comes; what it returns None for is not answered.
    """

    def __init__(self, answer: Callable[[bytes], bytes | None]) -> None:
        self.answer = answer
        self.port = ""

    def __enter__(self) -> Self:
        self._ours, self._hosts = pty.openpty()
        tty.setraw(self._hosts)
        self.port = os.ttyname(self._hosts)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def _run(self) -> None:
        while not self._stop.is_set():
            if not select.select([self._ours], [], [], 0.02)[0]:
                continue
            if (text := self.answer(os.read(self._ours, 4096))) is not None:
                os.write(self._ours, text)

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        os.close(self._ours)
        os.close(self._hosts)


class Twin:
    """What the RTL does, in Python, for one mode: CTR, with OpenSSL; and what it does wrong.

    Args:
        spoil: what it makes of the payload of an answer to a packet.
    """

    def __init__(self, spoil: Callable[[bytes], bytes] = bytes) -> None:
        self.spoil = spoil
        self.buffer = bytearray()
        self.asked: list[Frame] = []
        self.key = b""

    def answer(self, part: bytes) -> bytes | None:
        """Return the answer to the frame that a part completes."""
        self.buffer += part
        if (frame := next_frame(self.buffer, 1024)) is None:
            return None
        self.asked.append(frame)
        payload = b""
        if frame.kind == Command.IDENTIFY:
            payload = struct.pack("<BBBBBHBH32s", 2, 16, 0, 2, 2, 1024, 0, 0, b"twin")
        elif frame.kind == Command.LOAD_KEY:
            self.key = frame.payload[1:]
        elif frame.kind == Command.RUN_PACKET:
            iv, data = frame.payload[3:19], frame.payload[19:]
            payload = self.spoil(b"\0" + openssl.crypt("ctr", self.key, data, iv))
        return Frame(frame.kind | ANSWER, frame.number, payload).encoded()

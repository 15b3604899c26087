# SPDX-License-Identifier: Apache-2.0
"""A simulated device with the UART service, on a pseudo-terminal."""

from __future__ import annotations

from pathlib import Path

from aesforge.board import uart_service
from aesforge.bundle import render
from aesforge.bundle.files import module_name
from aesforge.design.engine import Engine
from aesforge.simulate.uart import UartModule, UartSimulator
from aesforge.toolchain.rtl import needed_by

DIVIDER = 4
# Real time. The silence that ends a frame, 0.1 s, is as on a board.
HERTZ = 400_000.0
BAUD = 115200


def device(engine: Engine, folder: Path) -> UartSimulator:
    """Return the simulation of an engine with the UART service.

    Args:
        engine: that it serves.
        folder: for the sources.
    """
    service = uart_service.parameters(engine, HERTZ / 1e6, round(HERTZ / DIVIDER))
    wrapper = f"{module_name(engine)}.sv"
    (folder / wrapper).write_text(render(engine)[f"rtl/{wrapper}"])
    (folder / "application.sv").write_text(uart_service.application(engine, service))
    files = [
        *needed_by(engine.wrapped, uart_service.MODULE),
        folder / wrapper,
        folder / "application.sv",
    ]
    module = UartModule(f"{engine.name} on a board", "application", files, DIVIDER)
    return UartSimulator(module, hertz=HERTZ, optimize="speed")

# SPDX-License-Identifier: Apache-2.0
"""A module with a UART in simulation, on a pseudo-terminal: a serial port for any program."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aesforge.errors import UsageError
from aesforge.simulate.build import Model, Optimize, Subject, compile_subject
from aesforge.simulate.stream import ports_of

UART_DRIVER = ("uart.cpp", "uart.h")
_PREFIX = "Vuart"
# Raised when `_shim` gives another text for the same module.
_SHIM = 1


@dataclass(frozen=True)
class UartModule:
    """A module with a UART.

    Args:
        name: for messages.
        top: the module.
        files: its sources in compile order.
        divider: clock cycles per bit.
        clock: its clock.
        reset: its reset, active high, or None.
        style: Verilator's options in addition to the common ones.
    """

    name: str
    top: str
    files: Sequence[Path]
    divider: int
    clock: str = "clk"
    reset: str | None = "rst"
    style: tuple[str, ...] = ()


def _shim(module: UartModule, header: str) -> str:
    ports = ports_of(header)
    pins = {"clk": module.clock, "rst": module.reset, "rxd": "rxd", "txd": "txd"}
    for name in pins.values():
        if name is not None and ports.get(name, ("", 0))[1] != 1:
            raise UsageError(f"{module.top} has no port '{name}' of one bit")
    lines = "\n".join(
        f"    ports.{pin} = {'&nothing' if name is None else f'&model->{name}'};"
        for pin, name in pins.items()
    )
    return f"""\
#include "uart.h"

#include "{_PREFIX}.h"

#include "verilated.h"

namespace {{
{_PREFIX}* model;
std::uint8_t nothing = 0;
}}  // namespace

void uart_open(UartPorts& ports, std::uint64_t seed) {{
    auto* context = new VerilatedContext;
    // Registers start at random, as in a chip: what the reset does not set must not matter.
    context->randReset(2);
    context->randSeed(static_cast<int>(seed & 0x7fffffff));
    model = new {_PREFIX}{{context}};
{lines}
}}

void uart_eval() {{ model->eval(); }}
"""


class UartSimulator:
    """A module with a UART in a child process; use it in a ``with`` statement.

    Args:
        module: the simulated module.
        hertz: most clock cycles per second of real time.
        optimize: ``build`` for the fastest compilation, ``middle`` for thousands of blocks,
            ``speed`` for more.
        seed: of the registers' start values.

    Raises:
        ToolMissing: Verilator or the C++ compiler is not installed.
        UsageError: the module lacks a port.
        AesforgeError: the model does not compile.
    """

    def __init__(
        self, module: UartModule, *, hertz: float, optimize: Optimize = "speed", seed: int = 1
    ) -> None:
        self.module, self.hertz, self.seed = module, hertz, seed
        self._optimize: Optimize = optimize
        self._process: subprocess.Popen[bytes] | None = None
        self._ends: tuple[int, int] | None = None
        self.port = ""
        """The serial port: a path."""

    def __enter__(self) -> UartSimulator:
        import pty
        import tty

        model = self._compile()
        model_end, host_end = self._ends = pty.openpty()
        # Without echo, whoever opens it.
        tty.setraw(host_end)
        os.set_blocking(model_end, False)
        self.port = os.ttyname(host_end)
        self._process = subprocess.Popen(
            [str(model.program), str(self.seed), str(self.module.divider), str(self.hertz)],
            stdin=model_end,
            stdout=model_end,
            # An interrupt from the keyboard is for Python, which then ends this process.
            start_new_session=True,
        )
        return self

    def _compile(self) -> Model:
        module = self.module
        return compile_subject(
            Subject(
                name=module.name,
                top=module.top,
                prefix=_PREFIX,
                parameters={},
                driver=UART_DRIVER,
                shim=lambda header: _shim(module, header),
                key=repr((_SHIM, module.clock, module.reset)),
                style=module.style,
            ),
            optimize=self._optimize,
            rtl=module.files,
        )

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        for end in self._ends or ():
            os.close(end)
        self._process = self._ends = None

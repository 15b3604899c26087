# SPDX-License-Identifier: Apache-2.0
"""What runs on a board. An application is a row of `APPLICATIONS` and a template.

Its template writes a module `application` with the ports `clk`, `rst`, `rxd`, `txd`, `button` (1
while it is pressed) and `led[3:0]` (1 lights), and with the parameters that `parameters` gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aesforge.board import uart_service
from aesforge.board.data import Board, Choice
from aesforge.board.parameters import Parameter, number, uart_divider
from aesforge.board.signature import signature
from aesforge.bundle.files import module_name
from aesforge.bundle.ports import core_ports
from aesforge.design import Design, load
from aesforge.design.engine import Engine
from aesforge.errors import UsageError
from aesforge.toolchain import templates

if TYPE_CHECKING:
    from jinja2 import Environment

BAUD = 115200
BUTTON_SECONDS = 0.02
# 2^32 blocks in all.
PASS_BITS = 16
PASSES = 1 << 16
REFERENCE = "compact"


@dataclass(frozen=True)
class Cores:
    """The cores of an application.

    Args:
        encrypt: the core under test.
        decrypt: what decrypts its blocks; None where the application has none, or where one core of
            direction both does it.
        sample_bits: logarithm of how many blocks there are to one that is decrypted.
    """

    encrypt: Design | Engine
    decrypt: Design | None = None
    sample_bits: int = 0

    @property
    def all(self) -> list[Design | Engine]:
        """Every core that the application needs."""
        return [self.encrypt, *([self.decrypt] if self.decrypt else [])]


@dataclass(frozen=True)
class Sizes:
    """How long things take; tests shorten them.

    Args:
        pass_bits: logarithm of the blocks of a pass.
        passes: of a self-test.
        second: seconds between reports.
        baud: bits per second of the UART.
    """

    pass_bits: int = PASS_BITS
    passes: int = PASSES
    second: float = 1.0
    baud: int = BAUD


@dataclass(frozen=True)
class Application:
    """One application.

    Args:
        about: what it does, in a line.
        default: the design that it has on a board.
        modules: of the RTL library that it needs.
        leds: what the LEDs mean.
        needs: pins without which it is of no use: `txd`, `rxd`, `button`, `led[0]`.
        cores: from a design, the board's reference and whether both cores are too large together.
        parameters: of its module, from cores, clock in MHz and sizes.
        render: text of its module, from cores and parameters.
    """

    about: str
    default: Callable[[Board], Choice]
    modules: tuple[str, ...]
    leds: tuple[str, str, str, str]
    needs: tuple[str, ...]
    cores: Callable[[Design | Engine, str | None, bool], Cores]
    parameters: Callable[[Cores, float, Sizes], list[Parameter]]
    render: Callable[[Cores, list[Parameter]], str]


def self_test_cores(chosen: Design | Engine, reference: str | None, small: bool) -> Cores:
    """Return an encryption core and the core that decrypts its blocks, or one that does both.

    Args:
        chosen: the encryption core.
        reference: the design that decrypts; None for the same as encrypts.
        small: the two do not fit: the smallest reference, which takes a part of the blocks.

    Raises:
        UsageError: the self-test cannot drive it.
    """
    why = None
    if isinstance(chosen, Engine):
        why = "an engine; name its core"
    elif chosen.is_key_expansion or not chosen.is_standard:
        why = "no AES cipher"
    elif chosen.direction == "decrypt":
        why = "of direction decrypt; take direction=encrypt, or both for one core that does both"
    elif not chosen.is_agile:
        why = "a core with stored keys, and each block has a key of its own; take agile keys"
    elif chosen.blocks_per_beat > 1:
        why = f"a core that takes {chosen.blocks_per_beat} blocks at once; take tiles=1"
    if why is not None or not isinstance(chosen, Design):
        raise UsageError(f"the self-test cannot use {chosen.name}: it is {why}")
    if chosen.direction == "both":
        if reference is not None:
            raise UsageError(
                f"{chosen.name} is of direction both and decrypts itself; leave the reference out, "
                "or take direction=encrypt"
            )
        return Cores(replace(chosen, name="self-test-both"))
    name = REFERENCE if small else reference
    other = chosen if name is None else load(name)
    decrypt = replace(
        other, direction="decrypt", key_bits=chosen.key_bits, name="self-test-decrypt"
    )
    # The decryption core takes one of 2^n blocks where it is the slower one.
    slower = max(1.0, decrypt.interval / chosen.interval)
    encrypt = replace(chosen, name="self-test-encrypt")
    return Cores(encrypt, decrypt, math.ceil(math.log2(slower)))


def self_test_parameters(cores: Cores, mhz: float, sizes: Sizes) -> list[Parameter]:
    """Return the parameters of the self-test's module."""
    design = cores.encrypt
    assert isinstance(design, Design)
    hertz = mhz * 1e6
    expected = signature(design.key_bits, sizes.pass_bits)
    return [
        uart_divider(mhz, sizes.baud),
        number("SecondCycles", max(4, round(hertz * sizes.second)), "cycles between reports"),
        number(
            "ButtonCycles",
            max(2, round(hertz * sizes.second * BUTTON_SECONDS)),
            "cycles for which the button must not bounce",
        ),
        number("PassBits", sizes.pass_bits, "2^PassBits blocks a pass"),
        number("Passes", sizes.passes, "passes to make"),
        Parameter("bit [127:0]", "Signature", f"128'h{expected:032x}", "of a pass, by OpenSSL"),
    ]


def self_test(cores: Cores, parameters: list[Parameter]) -> str:
    """Return the self-test's module."""
    assert isinstance(cores.encrypt, Design)
    return (
        environment()
        .get_template("self_test.sv.j2")
        .render(
            cores=cores,
            parameters=parameters,
            modules=[module_name(one) for one in cores.all],
            ports=[
                [port for port in core_ports(one) if port.used]
                for one in cores.all
                if isinstance(one, Design)
            ],
        )
    )


def uart_cores(chosen: Design | Engine, reference: str | None, small: bool) -> Cores:
    """Return the engine of the UART service; arguments as of `self_test_cores`.

    Raises:
        UsageError: the service cannot serve it, or a reference is given.
    """
    if reference is not None or small:
        raise UsageError("the application uart has no reference: the host compares with OpenSSL")
    return Cores(uart_service.require_engine(chosen))


def uart_parameters(cores: Cores, mhz: float, sizes: Sizes) -> list[Parameter]:
    """Return the parameters of the UART service's module."""
    engine = uart_service.require_engine(cores.encrypt)
    cycles = round(mhz * 1e6 * uart_service.TIMEOUT_SECONDS * sizes.second)
    return uart_service.parameters(engine, mhz, sizes.baud, cycles)


def uart(cores: Cores, parameters: list[Parameter]) -> str:
    """Return the UART service's module."""
    return uart_service.application(uart_service.require_engine(cores.encrypt), parameters)


APPLICATIONS: dict[str, Application] = {
    "selftest": Application(
        about="encrypts 2^32 blocks, takes them back, and counts errors",
        default=lambda board: board.self_test,
        leds=("good (blinks until done)", "failed", "done", "heartbeat"),
        modules=(
            "aesforge_self_test",
            "aesforge_self_test_line",
            "aesforge_button",
            "aesforge_uart_rx",
            "aesforge_uart_tx",
        ),
        needs=("txd",),
        cores=self_test_cores,
        parameters=self_test_parameters,
        render=self_test,
    ),
    "uart": Application(
        about="an engine that `aesforge board run` sends files through",
        default=lambda board: board.service,
        modules=(uart_service.MODULE,),
        leds=("(not used)", "(not used)", "busy", "heartbeat"),
        needs=("txd", "rxd"),
        cores=uart_cores,
        parameters=uart_parameters,
        render=uart,
    ),
}


def environment() -> Environment:
    """Return what fills the templates of a board in."""
    return templates.environment(Path(__file__).parent / "templates")

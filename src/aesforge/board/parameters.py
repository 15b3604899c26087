# SPDX-License-Identifier: Apache-2.0
"""The parameters of a board's top, and the one that every application with a UART has."""

from __future__ import annotations

from typing import NamedTuple

# Fewer cycles per bit leave the receiver no time to take a bit in its middle.
LEAST_DIVIDER = 4


class Parameter(NamedTuple):
    """A parameter of the top: SystemVerilog's type, name and value, and its meaning."""

    kind: str
    name: str
    value: str
    meaning: str


def number(name: str, value: int, meaning: str) -> Parameter:
    """Return a parameter that is a whole number."""
    return Parameter("int unsigned", name, str(value), meaning)


def uart_divider(mhz: float, baud: int) -> Parameter:
    """Return the divider of a UART.

    Args:
        mhz: the clock, in MHz.
        baud: bits per second.
    """
    cycles = max(LEAST_DIVIDER, round(mhz * 1e6 / baud))
    return number("Divider", cycles, f"cycles per bit, {baud} baud")

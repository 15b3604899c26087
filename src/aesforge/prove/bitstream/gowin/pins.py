# SPDX-License-Identifier: Apache-2.0
"""What the pins of a Gowin device and their banks are configured to, in the database's attributes.

A pin that the design does not use is configured too; so is each pin that it uses, before its own
attributes, since the packer of Project Apicula sets the bits of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aesforge.errors import UsageError, one_of
from aesforge.netlist.module import Cell

DIRECTIONS = ("IBUF", "OBUF")
_VOLTAGES = {
    "LVCMOS10": "1.0",
    "LVCMOS12": "1.2",
    "LVCMOS15": "1.5",
    "LVCMOS18": "1.8",
    "LVCMOS25": "2.5",
    "LVCMOS33": "3.3",
}
_DEFAULT_TYPE = "LVCMOS18"
_TYPE_WITHOUT_OUTPUTS = "LVCMOS12"
_SHARED = {"HYSTERESIS": "NONE", "PULLMODE": "UP", "CLAMP": "OFF", "OPENDRAIN": "OFF"}
_ATTRIBUTES = {
    "IBUF": {
        **_SHARED,
        "PADDI": "PADDI",
        "SLEWRATE": "SLOW",
        "DRIVE": "0",
        "DIFFRESISTOR": "OFF",
        "VREF": "OFF",
        "LVDS_OUT": "OFF",
    },
    "OBUF": {
        **_SHARED,
        "ODMUX_1": "1",
        "SLEWRATE": "FAST",
        "DRIVE": "8",
        "SINGLERESISTOR": "OFF",
        "LVDS_OUT": "OFF",
        "DDR_DYNTERM": "NA",
        "TO": "INV",
    },
}
# A constraint's name for an attribute, and the database's.
_CONSTRAINTS = {
    "IO_TYPE": "IO_TYPE",
    "PULL_MODE": "PULLMODE",
    "SLEW_RATE": "SLEWRATE",
    "DRIVE": "DRIVE",
    "OPEN_DRAIN": "OPENDRAIN",
    "HYSTERESIS": "HYSTERESIS",
}
_OF_BANK = ("IO_TYPE", "DRIVE", "OPENDRAIN")


@dataclass
class Bank:
    """The pins of a bank that a design uses, in the netlist's order: direction and attributes."""

    pins: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The standard of its outputs; of a bank without any, the one with the lowest voltage."""
        for direction, attributes in self.pins:
            if direction == "OBUF":
                return attributes["IO_TYPE"]
        return _TYPE_WITHOUT_OUTPUTS

    @property
    def voltage(self) -> str:
        """The voltage of its outputs."""
        return _VOLTAGES[self.kind]

    def of_pin(self, attributes: Mapping[str, str]) -> dict[str, str]:
        """Return the attributes of one of its pins."""
        return {**attributes, "BANK_VCCIO": self.voltage}

    def of_unused(self) -> dict[str, str]:
        """Return the attributes of a pin that the design does not use."""
        return {"IO_TYPE": self.kind, "BANK_VCCIO": self.voltage}

    def attributes(self) -> dict[str, str]:
        """Return those of the bank: what its last pin has counts."""
        found = {"BANK_VCCIO": self.voltage}
        for _, attributes in self.pins:
            found |= {name: attributes[name] for name in _OF_BANK}
        return found


def attributes_of(name: str, cell: Cell) -> dict[str, str]:
    """Return the attributes of a pin.

    Args:
        name: of its cell, for messages.
        cell: an input or output buffer.

    Raises:
        UsageError: it has a constraint, or a standard, that is not read back.
    """
    found = {**_ATTRIBUTES[cell.kind], "IO_TYPE": _DEFAULT_TYPE}
    for attribute in cell.attributes:
        constraint, equal, value = attribute.removeprefix("&").partition("=")
        if not attribute.startswith("&") or not equal:
            continue
        if constraint not in _CONSTRAINTS:
            raise UsageError(
                f"pin {name} has the constraint {constraint}, which is not read back; "
                f"{one_of(_CONSTRAINTS)} are"
            )
        found[_CONSTRAINTS[constraint]] = value
    if found["IO_TYPE"] not in _VOLTAGES:
        raise UsageError(
            f"pin {name} is {found['IO_TYPE']}, which is not read back; {one_of(_VOLTAGES)} are"
        )
    return found

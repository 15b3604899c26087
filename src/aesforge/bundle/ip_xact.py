# SPDX-License-Identifier: Apache-2.0
"""The bus interfaces of a wrapper for IP-XACT: clock, reset, AXI4-Stream and AXI4-Lite."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from aesforge.bundle.ports import Port, csr_bytes

# Of synth/clock.xdc; a block design sets its own.
CLOCK_HZ = 250_000_000
_CHANNELS = {"s_axil": "aximm", "s_axis": "axis", "m_axis": "axis", "m_iv": "axis"}


@dataclasses.dataclass(frozen=True)
class Interface:
    """A bus interface: a bus definition of Vivado's, and which port is which of its signals."""

    name: str
    library: str
    kind: str
    ports: Mapping[str, str]
    """By the bus's name of a signal, the port."""
    parameters: Mapping[str, str]
    is_master: bool = False
    memory_map: int = 0
    """Bytes of its registers; 0 without."""


def buses(ports: Sequence[Port]) -> list[Interface]:
    """Return the interfaces of a wrapper's ports: those that its design uses."""
    names = [port.name for port in ports]
    found = []
    for channel, kind in _CHANNELS.items():
        signals = {
            name.removeprefix(f"{channel}_").upper(): name
            for name in names
            if name.startswith(f"{channel}_")
        }
        if signals:
            memory = csr_bytes(ports) if kind == "aximm" else 0
            parameters = {"PROTOCOL": "AXI4LITE"} if memory else {}
            is_master = channel.startswith("m_")
            found.append(
                Interface(channel, "interface", kind, signals, parameters, is_master, memory)
            )
    associated = {"ASSOCIATED_BUSIF": ":".join(bus.name for bus in found)} if found else {}
    clock = {**associated, "ASSOCIATED_RESET": "rst", "FREQ_HZ": str(CLOCK_HZ)}
    return [
        *found,
        Interface("clk", "signal", "clock", {"CLK": "clk"}, clock),
        Interface("rst", "signal", "reset", {"RST": "rst"}, {"POLARITY": "ACTIVE_HIGH"}),
    ]

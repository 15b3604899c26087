# SPDX-License-Identifier: Apache-2.0
"""The ports of a wrapper as interfaces that SoC builders have: streams, a bus, single signals."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aesforge.bundle.ports import Port

# Start of the ports' names, name of the stream, and whether it goes into the design.
_STREAMS = (
    ("s_axis_t", "sink", True),
    ("m_axis_t", "source", False),
    ("m_iv_t", "iv", False),
    ("s_key_", "key", True),
    ("s_ctx_", "context", True),
    ("in_", "sink", True),
    ("key", "key", True),
    ("out_", "source", False),
)
_BUS = "s_axil_"
# A signal of AXI4-Lite: its channel in LiteX, and its name there.
LITEX_BUS = {
    f"{channel}{signal}": f"{channel}.{signal}"
    for channel, signals in {
        "aw": ("valid", "ready", "addr", "prot"),
        "w": ("valid", "ready", "data", "strb"),
        "b": ("valid", "ready", "resp"),
        "ar": ("valid", "ready", "addr", "prot"),
        "r": ("valid", "ready", "data", "resp"),
    }.items()
    for signal in signals
}
# Driven by the clock domain of the SoC.
_CLOCK = ("clk", "rst")


@dataclasses.dataclass(frozen=True)
class Stream:
    """Ports with a handshake.

    Args:
        name: `sink`, `source`, `iv`, `key` or `context`.
        into: whether it goes into the design.
        valid: its port.
        ready: its port, or None without back-pressure.
        fields: name of the field and its port.
        is_axis: whether it is an AXI4-Stream with packets.
    """

    name: str
    into: bool
    valid: Port
    ready: Port | None
    fields: tuple[tuple[str, Port], ...]
    is_axis: bool

    def bits(self, field: str) -> int:
        """Return the width of a field."""
        return dict(self.fields)[field].bits


@dataclasses.dataclass(frozen=True)
class Interfaces:
    """All ports but clock and reset, each once.

    Args:
        streams: those that have a handshake.
        bus: name of the signal in AXI4-Lite, and its port; none without CSRs.
        signals: the others.
    """

    streams: tuple[Stream, ...]
    bus: tuple[tuple[str, Port], ...]
    signals: tuple[Port, ...]


def interfaces(ports: Sequence[Port]) -> Interfaces:
    """Return the interfaces that some ports make.

    Args:
        ports: of a wrapper.
    """
    left = {port.name: port for port in ports if port.name not in _CLOCK}
    bus = [left.pop(name) for name in [*left] if name.startswith(_BUS)]
    streams = []
    for start, name, into in _STREAMS:
        found = {port: left[port] for port in left if port.startswith(start)}
        if start == "out_" and "alarm" in left:
            found["alarm"] = left["alarm"]
        valid = _handshake(found, "valid")
        # The round keys of an unrolled key expansion leave one by one, each with its own bit.
        if valid is None or valid.bits > 1:
            continue
        ready = _handshake(found, "ready")
        fields = tuple(
            (_field(start, port.name), port)
            for port in found.values()
            if port not in (valid, ready)
        )
        streams.append(Stream(name, into, valid, ready, fields, start.endswith("axis_t")))
        for port in found:
            del left[port]
    return Interfaces(
        tuple(streams),
        tuple((port.name.removeprefix(_BUS), port) for port in bus),
        tuple(left.values()),
    )


def _handshake(ports: dict[str, Port], end: str) -> Port | None:
    return next((port for name, port in ports.items() if name.endswith(end)), None)


def _field(start: str, port: str) -> str:
    """Return the name of a stream's field: `s_key_tdata` and `s_axis_tdata` are `data`."""
    name = port.removeprefix(start).removeprefix("_") or start
    return "data" if name == "tdata" else name

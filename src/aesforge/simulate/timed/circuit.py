# SPDX-License-Identifier: Apache-2.0
"""A routed netlist as the timed simulation takes it: functions, registers, and delays between them.

Nodes, registers and write ports of memories are numbered in that order, as sinks; the first two,
in the same order, are the sources. The delay of a connection holds the wire, the way from clock to
output before it and the setup time after it; the way through a node is the node's (see
`timed.cpp`).
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from aesforge.errors import AesforgeError
from aesforge.netlist.module import Bit, Cell
from aesforge.simulate.timed.delays import Delays

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Pin = tuple[str, int]  # a port of the cell, and its delay there: through the cell, or its setup


@dataclass(frozen=True)
class Node:
    """A function of up to six pins.

    Args:
        cell: its name.
        net: what it drives.
        table: bit i is the output where the pins, the first the lowest, spell i.
        pins: with the delay from each to the output.
        tied: the pins, as a number, that are constant one.
    """

    cell: str
    net: Bit
    table: int
    pins: tuple[Pin, ...]
    tied: int = 0


@dataclass(frozen=True)
class Register:
    """A flip-flop; `pins` are data, enable and reset, None where it has none of them.

    Args:
        cell: its name.
        net: what it drives.
        pins: with the setup time of each.
        launch: from the clock edge to the output.
        flags: of `timed.cpp`.
    """

    cell: str
    net: Bit
    pins: tuple[Pin | None, ...]
    launch: int
    flags: int = 0


@dataclass(frozen=True)
class WritePort:
    """What writes a bit a cycle into a memory of 16, which is read as a node.

    Args:
        cell: of the memory; its node has the same name.
        pins: data, enable, and four of the address, with the setup time of each.
        store: from the clock edge to the memory's output.
    """

    cell: str
    pins: tuple[Pin, ...]
    store: int


HAS_ENABLE, HAS_RESET, RESET_VALUE, NOT_ENABLE, NOT_RESET = 1, 2, 4, 8, 16


@dataclass
class Parts:
    """All cells of a netlist that the simulation knows."""

    nodes: list[Node] = field(default_factory=list)
    registers: list[Register] = field(default_factory=list)
    ports: list[WritePort] = field(default_factory=list)


@dataclass(frozen=True)
class Circuit:
    """What `timed.cpp` reads; `first`, `target` and `delay` are its connections by source.

    Args:
        parts: what is simulated.
        stimulus: names of the registers that take the stimulus instead of their data.
        observed: names of the registers to report.
        first: for each source the place of its first connection, and the end.
        target: 8 x sink + pin.
        delay: in ps.
    """

    parts: Parts
    stimulus: tuple[str, ...]
    observed: tuple[str, ...]
    first: NDArray[np.uint32]
    target: NDArray[np.uint32]
    delay: NDArray[np.uint32]

    def static_ps(self) -> int:
        """Return the longest path from register to register, whatever the data: the bound."""
        nodes = len(self.parts.nodes)
        sinks = self.target >> 3
        waiting = [0] * nodes
        for sink in sinks:
            if sink < nodes:
                waiting[sink] += 1
        arrival = [0] * (nodes + len(self.parts.registers))
        longest = 0
        ready = [n for n in range(nodes) if not waiting[n]]
        ready += range(nodes, nodes + len(self.parts.registers))
        while ready:
            source = ready.pop()
            for k in range(self.first[source], self.first[source + 1]):
                sink = int(sinks[k])
                here = arrival[source] + int(self.delay[k])
                if sink >= nodes:
                    longest = max(longest, here)
                    continue
                here += self.parts.nodes[sink].pins[int(self.target[k]) & 7][1]
                arrival[sink] = max(arrival[sink], here)
                waiting[sink] -= 1
                if not waiting[sink]:
                    ready.append(sink)
        return longest

    def write(self, path: Path) -> None:
        """Write the file that `timed.cpp` reads."""
        import numpy as np

        nodes, registers, ports = self.parts.nodes, self.parts.registers, self.parts.ports
        number = {node.cell: n for n, node in enumerate(nodes)}
        index = {register.cell: n for n, register in enumerate(registers)}
        sizes = (
            *(len(nodes), len(registers), len(ports), len(self.target)),
            *(len(self.stimulus), len(self.observed)),
        )
        through = np.zeros((len(nodes), 8), "<u4")
        for n, node in enumerate(nodes):
            through[n, : len(node.pins)] = [delay for _, delay in node.pins]
        start = [bool(register.flags & RESET_VALUE) for register in registers]
        columns = (
            np.array(sizes, "<u4"),
            np.array([node.table for node in nodes], "<u8"),
            through,
            np.array([node.tied for node in nodes] + [0] * (len(registers) + len(ports)), "u1"),
            np.array([0] * len(nodes) + start, "u1"),
            np.array([register.flags for register in registers], "u1"),
            np.array([number[port.cell] for port in ports], "<u4"),
            np.array([port.store for port in ports], "<u4"),
            *(self.first, self.target, self.delay),
            np.array([index[name] for name in self.stimulus], "<u4"),
            np.array([index[name] for name in self.observed], "<u4"),
        )
        path.write_bytes(b"".join(column.tobytes() for column in columns))


def connect(
    parts: Parts,
    cells: Mapping[str, Cell],
    delays: Delays,
    stimulus: Sequence[str],
    observed: Sequence[str],
) -> Circuit:
    """Join the parts that have a bearing on the observed registers.

    Args:
        parts: of the whole netlist.
        cells: of the routed netlist, by name.
        delays: of its wires.
        stimulus: registers that take the stimulus: what leads to them is left out.
        observed: registers to report.

    Raises:
        AesforgeError: something of unknown kind drives a part.
    """
    import numpy as np

    everything: list[Node | Register] = [*parts.nodes, *parts.registers]
    driver = {part.net: part for part in everything}
    writers = collections.defaultdict(list)
    for port in parts.ports:
        writers[port.cell].append(port)

    def net_of(cell: str, port: str) -> Bit | None:
        bits = cells[cell].connections.get(port, [])
        return bits[0] if bits else None

    def pins_of(part: Node | Register | WritePort) -> Iterable[tuple[int, Pin]]:
        return ((n, pin) for n, pin in enumerate(part.pins) if pin is not None)

    chosen = set(stimulus)
    by_name = {register.cell: register for register in parts.registers}
    kept: dict[Bit, Node | Register] = {}
    ports: list[WritePort] = []
    waiting: list[Node | Register] = [by_name[name] for name in (*observed, *stimulus)]
    while waiting:
        part = waiting.pop()
        if part.net in kept:
            continue
        kept[part.net] = part
        if part.cell in chosen:
            continue
        here = writers.get(part.cell, [])
        ports += here
        for sink in (part, *here):
            for _, (name, _) in pins_of(sink):
                net = net_of(sink.cell, name)
                if net is None:
                    continue
                if net not in driver:
                    raise AesforgeError(
                        f"the timed simulation does not know what drives {sink.cell}, port {name}"
                    )
                waiting.append(driver[net])

    nodes = [node for node in parts.nodes if node.net in kept]
    registers = [register for register in parts.registers if register.net in kept]
    used = Parts(nodes, registers, sorted(ports, key=lambda port: port.cell))
    sources: list[Node | Register] = [*nodes, *registers]
    source = {part.net: n for n, part in enumerate(sources)}
    launch = [0] * len(nodes) + [register.launch for register in registers]
    sinks: list[Node | Register | WritePort] = [*sources, *used.ports]
    rows = []
    for number, sink in enumerate(sinks):
        if sink.cell in chosen:
            continue
        for pin, (name, inside) in pins_of(sink):
            net = net_of(sink.cell, name)
            if net is not None:
                setup = 0 if isinstance(sink, Node) else inside
                way = launch[source[net]] + delays.wire.get((sink.cell, name), 0) + setup
                rows.append((source[net], 8 * number + pin, way))
    table = np.array(sorted(rows), np.uint32).reshape(-1, 3)
    first = np.searchsorted(table[:, 0], np.arange(len(source) + 1)).astype("<u4")
    return Circuit(
        used,
        tuple(stimulus),
        tuple(observed),
        first,
        table[:, 1].astype("<u4"),
        table[:, 2].astype("<u4"),
    )

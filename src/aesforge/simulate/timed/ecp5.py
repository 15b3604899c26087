# SPDX-License-Identifier: Apache-2.0
"""What the cells of a routed ECP5 netlist do; the same as Yosys's models of them say.

nextpnr splits slices into `TRELLIS_COMB` (a look-up table, with its part of the carry chain, of the
wide multiplexers, or as memory) and `TRELLIS_FF`. An input without a wire is high.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aesforge.errors import UsageError
from aesforge.netlist.module import Cell
from aesforge.simulate.timed.circuit import (
    HAS_ENABLE,
    HAS_RESET,
    NOT_ENABLE,
    NOT_RESET,
    RESET_VALUE,
    Node,
    Parts,
    Pin,
    Register,
    WritePort,
)
from aesforge.simulate.timed.delays import Delays

_LUT = ("A", "B", "C", "D")
# Of the memory in look-up tables: address bits, the lowest first, at the inputs it is read by.
_READ = ("D", "B", "C", "A")
_WRITE = ("WD", "WRE", "WAD0", "WAD1", "WAD2", "WAD3")
_RAM_WRITE = {
    **{"WADO0": "D0", "WADO1": "B0", "WADO2": "C0", "WADO3": "A0"},
    **{"WDO0": "C1", "WDO1": "A1", "WDO2": "D1", "WDO3": "B1"},
}
_IGNORED = ("TRELLIS_IO", "DCCA")  # pins and clock buffers: nothing of them is simulated
_BUFFER = 0b10


def parts_of(cells: Mapping[str, Cell], delays: Delays) -> Parts:
    """Return what the simulation needs to know of every cell.

    Args:
        cells: of the routed netlist, by name.
        delays: of these cells.

    Raises:
        UsageError: there is a kind of cell that the simulation does not know.
    """
    parts = Parts()
    for name, cell in cells.items():
        if cell.kind == "TRELLIS_COMB":
            _comb(parts, name, cell, delays)
        elif cell.kind == "TRELLIS_FF":
            _register(parts, name, cell, delays)
        elif cell.kind == "TRELLIS_RAMW":
            for output, port in _RAM_WRITE.items():
                _node(parts, name, cell, delays, output, (port,), lambda x: x & 1)
        elif cell.kind not in _IGNORED:
            raise (
                no_block_ram()
                if cell.kind == "DP16KD"
                else _unknown(f"cells of the kind {cell.kind}")
            )
    return parts


def no_block_ram() -> UsageError:
    """Return the refusal of a core with block RAM."""
    return _unknown("block RAM")


def _unknown(what: str) -> UsageError:
    return UsageError(
        f"the timed simulation knows no {what}; choose a design with its S-boxes in logic "
        "(sbox = tower, table, split4 or split6)"
    )


def _node(
    parts: Parts,
    name: str,
    cell: Cell,
    delays: Delays,
    output: str,
    ports: tuple[str, ...],
    function: Callable[[int], int],
) -> None:
    """Add what drives an output, if anything hangs on it.

    Args:
        parts: to add to.
        name: of the cell.
        cell: the cell.
        delays: of its paths.
        output: a port.
        ports: the inputs it depends on, the first the lowest bit of the function's argument.
        function: gives 0 or 1.
    """
    connections = cell.connections
    if not connections.get(output):
        return
    pins: tuple[Pin, ...] = tuple(
        (port, delays.path.get((name, port, output), 0)) for port in ports
    )
    tied = sum(1 << n for n, port in enumerate(ports) if not connections.get(port))
    table = sum(function(i) << i for i in range(1 << len(ports)))
    parts.nodes.append(Node(name, connections[output][0], table, pins, tied))


def _comb(parts: Parts, name: str, cell: Cell, delays: Delays) -> None:
    parameters, connections = cell.parameters, cell.connections
    init = int(parameters.get("INITVAL", "0"), 2)
    mode = parameters.get("MODE", "LOGIC")

    def lut(x: int) -> int:
        return init >> (x & 15) & 1

    if mode == "DPRAM":
        if parameters.get("WREMUX", "WRE") != "WRE" or parameters.get("WCKMUX", "WCK") != "WCK":
            raise UsageError(f"the timed simulation knows no inverted write port ({name})")
        _node(parts, name, cell, delays, "F", _READ, lambda x: 0)
        read = [delays.path.get((name, port, "F"), 0) for port in _READ]
        write = tuple((port, delays.setup.get((name, port), 0)) for port in _WRITE)
        # The file has no delay from the write clock to the output: as if the address had changed.
        parts.ports.append(WritePort(name, write, max(read)))
    elif mode == "CCU2":
        stop = parameters.get("CCU2_INJECT1") == "YES"

        def carry_in(x: int) -> int:
            return x >> 4 & 1

        def carry_out(x: int) -> int:
            low = 0 if stop else init >> (x & 3) & 1
            return carry_in(x) if lut(x) else low

        inputs = (*_LUT, "FCI")
        _node(parts, name, cell, delays, "F", inputs, lambda x: lut(x) ^ (carry_in(x) & (not stop)))
        _node(parts, name, cell, delays, "FCO", inputs, carry_out)
    elif mode == "LOGIC":
        _node(parts, name, cell, delays, "F", _LUT, lut)
        if connections.get("FXA") or connections.get("FXB"):
            ports: tuple[str, ...] = ("FXA", "FXB", "M")
            _node(parts, name, cell, delays, "OFX", ports, lambda x: x >> (x >> 2 & 1) & 1)
        else:
            ports = (*_LUT, "F1", "M")
            _node(
                *(parts, name, cell, delays, "OFX", ports),
                lambda x: x >> 4 & 1 if x >> 5 & 1 else lut(x),
            )


def _register(parts: Parts, name: str, cell: Cell, delays: Delays) -> None:
    parameters, connections = cell.parameters, cell.connections
    if not connections.get("Q"):
        return
    if parameters.get("CLKMUX", "CLK") != "CLK":
        raise UsageError(f"the timed simulation knows no falling clock edges ({name})")
    if delays.wire.get((name, "CLK"), 0):
        raise UsageError(f"the timed simulation knows one ideal clock; {name} has a late one")

    def pin(port: str) -> Pin:
        return port, delays.setup.get((name, port), 0)

    flags = RESET_VALUE if parameters.get("REGSET") == "SET" else 0
    enable = reset = None
    multiplexer = parameters.get("CEMUX", "1").strip()
    if multiplexer != "1" and connections.get("CE"):
        enable = pin("CE")
        flags |= HAS_ENABLE | (NOT_ENABLE if multiplexer == "INV" else 0)
    if connections.get("LSR"):
        if parameters.get("SRMODE", "LSR_OVER_CE") != "LSR_OVER_CE":
            raise UsageError(f"the timed simulation knows no asynchronous reset ({name})")
        reset = pin("LSR")
        flags |= HAS_RESET | (NOT_RESET if parameters.get("LSRMUX") == "INV" else 0)
    data = pin("DI" if parameters.get("SD", "1").strip() == "1" else "M")
    launch = delays.path.get((name, "CLK", "Q"), 0)
    parts.registers.append(
        Register(name, connections["Q"][0], (data, enable, reset), launch, flags)
    )

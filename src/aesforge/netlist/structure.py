# SPDX-License-Identifier: Apache-2.0
"""A hash of an elaborated design that stays the same as long as the circuit does.

Comments, line numbers, names of nets, the order of statements and files, unused source and
parameters that change nothing do not count. Cells, how they are connected, and the names of
instances and ports do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from aesforge.netlist.module import Bit, Module


def structure(modules: Mapping[str, Module], top: str) -> str:
    """Return the SHA-256 of a module with all that it instantiates.

    Args:
        modules: elaborated, by name.
        top: name of the module.
    """
    return _structure(modules, top, {})


def _structure(modules: Mapping[str, Module], name: str, known: dict[str, str]) -> str:
    if name not in known:
        known[name] = _digest(modules, modules[name], known)
    return known[name]


def _digest(modules: Mapping[str, Module], module: Module, known: dict[str, str]) -> str:
    """Hash a complete description of the module: equal only if cells and connections are.

    Yosys numbers nets and orders cells by names that hold line numbers. So cells are ordered by
    what they are and what is around them, and nets are numbered in that order.
    """
    ports = [(name, port.direction, port.bits) for name, port in module.ports.items()]
    cells = []
    places = _places(module)
    for name, cell in module.cells.items():
        kind = cell.kind
        inside = _structure(modules, kind, known) if kind in modules else kind
        public = "" if name.startswith("$") else name
        parameters = {} if kind in modules else _parameters(cell.parameters)
        if name in places:
            parameters["PRIORITY"] = places[name]
        head = json.dumps((public, inside, parameters), sort_keys=True)
        cells.append((head, sorted(cell.connections.items())))
    labels = _labels(ports, cells)
    numbers: dict[int, int] = {}

    def net(bit: Bit) -> Bit:
        return numbers.setdefault(bit, len(numbers)) if isinstance(bit, int) else bit

    def numbered(connections: list[tuple[str, list[Bit]]]) -> list[Any]:
        return [(port, [net(bit) for bit in bits]) for port, bits in connections]

    order = sorted(range(len(cells)), key=lambda cell: labels[cell])
    text = json.dumps(
        (
            [(name, direction, [net(bit) for bit in bits]) for name, direction, bits in ports],
            [(cells[cell][0], numbered(cells[cell][1])) for cell in order],
        )
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _labels(
    ports: Sequence[tuple[str, str, list[Bit]]],
    cells: Sequence[tuple[str, list[tuple[str, list[Bit]]]]],
) -> list[bytes]:
    """Return a label for each cell that does not depend on names of nets nor on the cells' order.

    A cell takes the labels of its nets in, a net those of its cells, until no more are told apart.
    """

    def mixed(*parts: bytes) -> bytes:
        return hashlib.blake2b(b"|".join(parts), digest_size=12).digest()

    at_net: dict[Bit, bytes] = {}
    for name, _, bits in ports:
        for number, bit in enumerate(bits):
            at_net[bit] = mixed(at_net.get(bit, b""), f"{name}[{number}]".encode())
    labels: list[bytes] = []
    different = -1
    while (now := len({*labels, *at_net.values()})) > different:
        different = now
        labels = []
        around: dict[Bit, list[bytes]] = {}
        for head, connections in cells:
            nets = [
                (bit, at_net.get(bit, str(bit if isinstance(bit, str) else "").encode()))
                for _, bits in connections
                for bit in bits
            ]
            label = mixed(head.encode(), *(label for _, label in nets))
            labels.append(label)
            for number, (bit, _) in enumerate(nets):
                around.setdefault(bit, []).append(mixed(label, str(number).encode()))
        for bit, found in around.items():
            if isinstance(bit, int):
                at_net[bit] = mixed(at_net.get(bit, b""), *sorted(found))
    return labels


def _parameters(parameters: Mapping[str, str]) -> dict[str, str]:
    """Return a primitive's parameters without the memory's name, which is made of a line number."""
    return {name: value for name, value in parameters.items() if name != "MEMID"}


def _places(module: Module) -> dict[str, str]:
    """Return the place of each cell with a priority among those of its kind.

    What sets a memory's first content gets a number that counts what Yosys has read before.
    """
    kinds: dict[str, list[tuple[int, str]]] = {}
    for name, cell in module.cells.items():
        if "PRIORITY" in cell.parameters:
            kinds.setdefault(cell.kind, []).append((int(cell.parameters["PRIORITY"], 2), name))
    return {
        name: str(place)
        for found in kinds.values()
        for place, (_, name) in enumerate(sorted(found))
    }

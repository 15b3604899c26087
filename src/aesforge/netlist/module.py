# SPDX-License-Identifier: Apache-2.0
"""A netlist as Yosys and nextpnr write it in JSON; nothing else knows this format.

A module has ports, cells and wires. Each of their bits is a net, by its number, or a constant. A
file of another form is refused here, with what is wrong.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from aesforge.errors import AesforgeError

Net = int
Bit = Net | Literal["0", "1", "x", "z"]
_Decoded = TypeVar("_Decoded")

REMARK = "$scopeinfo"
"""The kind of a cell that is no circuit: it tells where a part of the RTL was."""


def nets_of(bits: Iterable[Bit]) -> list[Net]:
    """Return the nets among some bits; constants are left out."""
    return [bit for bit in bits if isinstance(bit, int)]


class Port(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A port of a module; bits lowest first, with indices as of a wire."""

    direction: Literal["input", "output", "inout"]
    bits: list[Bit]
    offset: int = 0
    upto: int = 0

    @property
    def width(self) -> int:
        """The number of bits."""
        return len(self.bits)


class Wire(msgspec.Struct, frozen=True, gc=False):
    """A wire of a module; bits lowest first.

    The lowest index is `offset`: of the first bit, or of the last one where `upto` is 1.
    """

    bits: list[Bit]
    hidden: int = msgspec.field(name="hide_name", default=0)
    offset: int = 0
    upto: int = 0
    attributes: dict[str, str] = msgspec.field(default_factory=dict)


class Cell(msgspec.Struct, frozen=True, gc=False):
    """A cell, with the bits at each of its ports, lowest first."""

    kind: str = msgspec.field(name="type")
    connections: dict[str, list[Bit]]
    # Yosys gives none to a cell of a kind that it does not know; that is refused below.
    directions: dict[str, str] = msgspec.field(name="port_directions", default_factory=dict)
    parameters: dict[str, str] = msgspec.field(default_factory=dict)
    attributes: dict[str, str] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.connections.keys() <= self.directions.keys():
            missing = sorted(self.connections.keys() - self.directions.keys())
            raise ValueError(f"a cell of the kind {self.kind} has no direction for {missing[0]}")

    def outputs(self) -> Iterator[Bit]:
        """Yield the bits at the outputs."""
        for port, bits in self.connections.items():
            if self.directions[port] == "output":
                yield from bits


class Module(msgspec.Struct, frozen=True, gc=False):
    """One module of a netlist."""

    ports: dict[str, Port] = msgspec.field(default_factory=dict)
    cells: dict[str, Cell] = msgspec.field(default_factory=dict)
    wires: dict[str, Wire] = msgspec.field(name="netnames", default_factory=dict)
    attributes: dict[str, str] = msgspec.field(default_factory=dict)
    settings: dict[str, str] = msgspec.field(default_factory=dict)
    """Those of nextpnr, in a netlist that it wrote."""

    def digest(self) -> str:
        """Return a hash of cells and their nets; comments and file names do not count."""
        cells = {
            name: (cell.kind, cell.parameters, cell.connections)
            for name, cell in self.cells.items()
            if cell.kind != REMARK
        }
        text = json.dumps((cells, msgspec.to_builtins(self.ports)), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]


class _File(msgspec.Struct):
    modules: dict[str, msgspec.Raw]


def read_modules(path: Path, *, unfinished: bool = False) -> dict[str, Module]:
    """Return the modules of a netlist's file, by name.

    Args:
        path: of the file.
        unfinished: it was written during synthesis. Cells of kinds that Yosys has yet to map have
            no directions, and are left out.

    Raises:
        AesforgeError: it is no netlist in JSON, with what is wrong.
    """
    texts = _texts(path)
    if unfinished:
        texts = {name: _mapped(path, text) for name, text in texts.items()}
    return {name: _decoded(path, text, Module) for name, text in texts.items()}


def _mapped(path: Path, text: msgspec.Raw) -> msgspec.Raw:
    """Return a module without the cells that have no directions."""
    module = _decoded(path, text, dict[str, Any])
    cells = module.get("cells", {}).items()
    module["cells"] = {name: cell for name, cell in cells if "port_directions" in cell}
    return msgspec.Raw(msgspec.json.encode(module))


def read_module(path: Path, name: str) -> Module:
    """Return one module of a netlist's file.

    Raises:
        AesforgeError: it is no netlist in JSON, with what is wrong; or has no such module.
    """
    texts = _texts(path)
    if name not in texts:
        known = ", ".join(texts) or "none"
        raise AesforgeError(f"the netlist {path} has no module '{name}'; its modules: {known}")
    return _decoded(path, texts[name], Module)


def _texts(path: Path) -> dict[str, msgspec.Raw]:
    return _decoded(path, path.read_bytes(), _File).modules


def _decoded(path: Path, text: bytes | msgspec.Raw, kind: type[_Decoded]) -> _Decoded:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AesforgeError(f"{path} is no netlist in JSON: {error}") from None


def with_attribute(path: Path, name: str, attribute: str, values: Mapping[str, str]) -> str:
    """Return a netlist's file with an attribute more at some cells of a module."""
    data = json.loads(path.read_bytes())
    cells = data["modules"][name]["cells"]
    for cell, value in values.items():
        cells[cell].setdefault("attributes", {})[attribute] = value
    return json.dumps(data)

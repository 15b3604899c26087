# SPDX-License-Identifier: Apache-2.0
"""A hash of an elaborated design that stays the same as long as the circuit does.

Comments, line numbers, names of nets, unused source and parameters that change nothing do not
count. Cells, how they are connected, their order, and the names of instances and ports do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

Modules = Mapping[str, Mapping[str, Any]]
"""The modules of a file of Yosys' `write_json`, by name."""


def structure(modules: Modules, top: str) -> str:
    """Return the SHA-256 of a module with all that it instantiates.

    Args:
        modules: elaborated, as `write_json` gives them.
        top: name of the module.
    """
    return _structure(modules, top, {})


def _structure(modules: Modules, name: str, known: dict[str, str]) -> str:
    if name not in known:
        known[name] = _digest(modules, modules[name], known)
    return known[name]


def _digest(modules: Modules, module: Mapping[str, Any], known: dict[str, str]) -> str:
    # Yosys numbers nets by their names' order; ours are numbered by where they come up.
    numbers: dict[int, int] = {}

    def net(bit: int | str) -> int | str:
        return numbers.setdefault(bit, len(numbers)) if isinstance(bit, int) else bit

    ports = [
        (name, port["direction"], [net(bit) for bit in port["bits"]])
        for name, port in module["ports"].items()
    ]
    cells = []
    for name, cell in module["cells"].items():
        kind = cell["type"]
        inside = _structure(modules, kind, known) if kind in modules else kind
        # Yosys makes names that begin with $ of line numbers and counters.
        public = "" if name.startswith("$") else name
        parameters = {} if kind in modules else _parameters(cell["parameters"])
        connections = [
            (port, [net(bit) for bit in bits]) for port, bits in sorted(cell["connections"].items())
        ]
        cells.append((public, inside, parameters, connections))
    text = json.dumps((ports, cells), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a primitive's parameters without the memory's name, which is made of a line number."""
    return {name: value for name, value in parameters.items() if name != "MEMID"}

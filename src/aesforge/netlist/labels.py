# SPDX-License-Identifier: Apache-2.0
"""Return a cell's place as labels: `round 7 / state`, from the wires it drives in the RTL.

Mapping leaves a register one name of many, and rarely the telling one. So synthesis numbers the
registers while all names are still there, and `register_names` keeps the best of each.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Mapping

from aesforge.netlist.module import Module, nets_of

# What an instance or a generate block is called; an empty word is left out. A foreign core has
# none of them and keeps its instances' names.
_WORDS = {
    "u_core": "",
    "u_tile": "",
    "u_cipher": "",
    "u_round": "",
    "u_key_round": "",
    "u_sbox": "",
    "u_mix_column": "",
    "u_key_expand": "",
    "u_sub_word": "SubWord",
    "u_sub_bytes": "SubBytes",
    "u_shift_rows": "ShiftRows",
    "u_mix_columns": "MixColumns",
    "u_key_pipeline": "",
    "gen_sub_bytes": "SubBytes",
    "gen_mix_columns": "MixColumns",
    "u_state": "state",
    "u_shifted": "ShiftRows",
    "u_mixed": "MixColumns",
    "u_key_last": "last round key",
    "u_key_store": "round keys",
    "u_key_loader": "key loader",
    "u_sequencer": "sequencer",
    "u_tag": "tag",
    "u_parity_round": "",
    "u_parity_key": "",
    "u_there": "there",
    "u_back": "back",
}
_NUMBERED = {
    "gen_round": "round",
    "gen_key_round": "key round",
    "gen_step": "key round",
    "gen_store": "round keys",
}
_REGISTER = re.compile(r"^ff\d+$")
# A register that has become part of a shift register keeps its number; mapping nests names in it.
_MAPPED_REGISTER = re.compile(r"^(.*\bff\d+)\.genblk\d+\..*$")
# Yosys appends kind and port to what it names after a wire: `sum_LUT4_Z_1`.
_CELL = re.compile(r"_\$?[A-Z].*$")
_INDEXED = re.compile(r"^(\w+?)\[(\d+)\]$")
# Wires of a register in our RTL: the output of a delay, its stages, a stage of an S-box, others.
_DELAY = re.compile(r"^(?:q|stage_q)$")
_CUT = re.compile(r"^cut(\d+)_q$")


def register_names(module: Module) -> dict[str, str]:
    """Return the telling name of each register of a module that synthesis has numbered.

    Args:
        module: as it is before wires lose their names.
    """
    aliases: dict[int, list[str]] = collections.defaultdict(list)
    for name, wire in module.wires.items():
        if not wire.hidden:
            for net in nets_of(wire.bits):
                aliases[net].append(name)
    names = {}
    for cell_name, cell in module.cells.items():
        if not _REGISTER.match(cell_name):
            continue
        known = [name for net in nets_of(cell.outputs()) for name in aliases.get(net, ())]
        if known:
            names[cell_name] = min(known, key=_preference)
    return names


def _preference(name: str) -> tuple[int, int, str]:
    """Order the names of one register: the most telling first."""
    wire = _INDEXED.sub(r"\1", name.rsplit(".", 1)[-1])
    if _DELAY.match(wire):
        kind = 0
    elif wire.endswith("_q"):
        kind = 1
    else:
        kind = 2
    return kind, name.count("."), name


def scopes_of(netlist: Module) -> dict[str, str]:
    """Return the module of each instance by its path, in a flat netlist."""
    return {
        name: cell.attributes["module"]
        for name, cell in netlist.cells.items()
        if cell.kind == "$scopeinfo" and "module" in cell.attributes
    }


class Labels:
    """Names for the places in a core.

    Args:
        registers: by module, as `register_names` gives them.
        scopes: module by path of an instance, as `scopes_of` gives them.
    """

    def __init__(
        self,
        registers: Mapping[str, Mapping[str, str]] | None = None,
        scopes: Mapping[str, str] | None = None,
    ) -> None:
        self._registers = registers or {}
        self._scopes = scopes or {}

    def _register(self, cell: str) -> str | None:
        """Return a numbered register's telling name with its path, or None."""
        path, _, number = _MAPPED_REGISTER.sub(r"\1", cell).rpartition(".")
        name = self._registers.get(self._scopes.get(path, ""), {}).get(number)
        return None if name is None else f"{path}.{name}"

    def place(self, cell: str, *, numbers: bool = True) -> str:
        """Return where a cell is: `round 7 / MixColumns`; `harness` outside the core.

        A register's place ends in its name, that of logic in the module it was named after.

        Args:
            cell: its name in the netlist.
            numbers: whether rounds and tiles are told apart.
        """
        if not cell.startswith("u_core."):
            return "harness"
        register = self._register(cell)
        *instances, wire = (register or cell).split(".")
        words = _instances(instances, numbers)
        if register is None and not _REGISTER.match(wire):
            return " / ".join(words) or "core"
        wire = _INDEXED.sub(r"\1", _CELL.sub("", wire))
        cut = _CUT.match(wire)
        if cut:
            words.append(f"level {cut[1]}")
        elif not (_DELAY.match(wire) and words):
            words.append(wire.removesuffix("_q"))
        return " / ".join(words)


def _instances(instances: list[str], numbers: bool) -> list[str]:
    words: list[str] = []
    for part in instances:
        match = _INDEXED.match(part)
        base, index = (match[1], int(match[2])) if match else (part, 0)
        if base in _NUMBERED:
            word = f"{_NUMBERED[base]} {index + 1}" if numbers else _NUMBERED[base]
        elif base in ("gen_tile", "gen_block"):
            word = f"{base[4:]} {index + 1}" if index and numbers else ""
        elif base in _WORDS:
            word = _WORDS[base]
        else:
            word = "" if base.startswith("gen") else base.removeprefix("u_").replace("_", " ")
        # SubWord inside SubBytes is a column of it.
        if word and not (word == "SubWord" and "SubBytes" in words):
            words.append(word)
    return words

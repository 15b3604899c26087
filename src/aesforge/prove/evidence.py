# SPDX-License-Identifier: Apache-2.0
"""The evidence of a proof, for a program that shares no code with this one.

`formal/check_evidence.py` reads it; docs/proof.md says what it shows. A folder holds

- `evidence.json`: the claim, and the known values of registers, in general and in each case;
- `circuit.json`: the circuit as Yosys wrote it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aesforge.design import Design
from aesforge.errors import UsageError
from aesforge.prove import circuit as circuits
from aesforge.prove.analysis.unroll import Known
from aesforge.prove.circuit import Circuit
from aesforge.prove.engines.equal import compare
from aesforge.prove.mutation import Change, changed_files, changed_netlist
from aesforge.prove.properties import claim
from aesforge.prove.properties.core import Core
from aesforge.prove.properties.counters import account_states
from aesforge.prove.properties.ready import ready_cases
from aesforge.prove.properties.setting import Setting
from aesforge.prove.synthesis import synthesis_of
from aesforge.toolchain import programs
from aesforge.toolchain.files import write_whole
from aesforge.toolchain.rtl import needed_by

FORMAT = 3


def require_covered(design: Design) -> None:
    """See that evidence can be written of a design.

    Raises:
        UsageError: it cannot, with the reason.
    """
    reasons = {
        "a key expansion": design.is_key_expansion,
        "a column-serial core": design.is_serial,
        "stored keys": not design.is_agile,
        "more than one block in a cycle": design.blocks_per_beat > 1,
        "several rings": design.tiles > 1 and not design.is_unrolled,
    }
    for words, found in reasons.items():
        if found:
            raise UsageError(
                f"--evidence does not cover {words}; it covers looped and unrolled cores with a "
                "key beside each block (docs/proof.md)"
            )


def write(
    design: Design,
    folder: Path,
    *,
    family: str | None = None,
    recipe: str | None = None,
    changes: Sequence[Change] = (),
) -> None:
    """Write the evidence that the RTL of a design, or its netlist, is FIPS 197.

    Args:
        design: a core that was proved.
        folder: is made; what it holds under the same names is replaced.
        family: whose netlist it is; None for the RTL.
        recipe: how the netlist is made.
        changes: to be made to the RTL or the netlist: evidence of a mutant is to be refused.

    Raises:
        UsageError: evidence does not cover the design.
        ToolFailed: Yosys does not read the sources.
    """
    require_covered(design)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        if family is None:
            sources = changed_files(work, needed_by(design.top), changes)
            circuit = circuits.of_design(design, sources)
        else:
            synthesis = synthesis_of(design, family, recipe)
            mapped = changed_netlist(work, synthesis, changes)
            circuit = circuits.of_netlist(synthesis, mapped)
            sources = [*circuits.models_of(synthesis), mapped]
        digest = _write_circuit(circuit, sources, work, folder)
    core = claim.core_of(circuit.aig, design)
    ready, cases, counters = _cases(core)
    facts = {
        "format": FORMAT,
        "design": design.choices(),
        "family": family,
        "direction": design.direction,
        "key_bits": design.key_bits,
        "latency": design.latency_cycles,
        "circuit": digest,
        "invariant": _named(core, core.invariant),
        "ready": ready,
        "turn": 1 if design.is_unrolled else design.unrolled_rounds * design.stages,
        "counters": counters,
        "cases": cases,
    }
    write_whole(folder / "evidence.json", json.dumps(facts, indent=1) + "\n")


def _write_circuit(circuit: Circuit, sources: Sequence[Path], work: Path, folder: Path) -> str:
    """Write the circuit again as Yosys writes it; return its hash."""
    for path in sources:
        if path.parent != work:
            shutil.copy(path, work)
    (work / "circuit.ys").write_text("\n".join(circuit.script) + "\n", encoding="utf-8")
    programs.run("yosys", ["circuit.ys"], work, work / "circuit.log")
    shutil.copy(work / "circuit.json", folder)
    return hashlib.sha256((folder / "circuit.json").read_bytes()).hexdigest()


def _named(core: Core, known: Mapping[int, bool]) -> dict[str, int]:
    """Return known values of registers by their names."""
    first = core.aig.first_register
    return {core.aig.registers[v - first]: int(value) for v, value in known.items()}


def _cases(core: Core) -> tuple[list[str], list[Any], dict[str, Any]]:
    """Return what in_ready depends on, what is known in each case, and states of counters."""
    setting = Setting(core, 0, compare)
    ready = {v for way in core.directions for of in ready_cases(setting, way) for v in of}
    counters: dict[str, list[Known]] = {}
    cases: list[Any] = []
    for case in claim.cases(core):
        apart = {v: value for v, value in case.known.items() if v not in core.invariant}
        counter = {v: value for v, value in apart.items() if v not in ready}
        if counter and counter not in counters.setdefault(case.about, []):
            counters[case.about].append(counter)
        # Of a core of both directions, each case is one of either.
        found = {"about": case.about, "known": _named(core, apart)}
        if found not in cases:
            cases.append(found)
    states = {about: _states(core, found) for about, found in counters.items()}
    return sorted(_named(core, dict.fromkeys(ready, False))), cases, states


def _states(core: Core, found: list[Known]) -> list[dict[str, int]]:
    """Return every state of the registers that tell some cases apart."""
    group = sorted({v for state in found for v in state})
    if core.fed & {*group}:
        # They depend on other blocks. A case leaves out what does not matter in it.
        found = [
            {v: bool(value) for v, value in zip(group, values, strict=True)}
            for values in sorted(account_states(core, group))
        ]
    return [_named(core, state) for state in found]

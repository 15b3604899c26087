# SPDX-License-Identifier: Apache-2.0
"""The evidence of a proof, for a program that shares no code with this one.

`formal/check_evidence.py` reads it; docs/proof.md says what it shows. A folder holds

- `evidence.json`: the claim, the S-boxes and their places, and the known values of registers;
- `circuit.json`: the netlist as Yosys wrote it;
- `sbox.aig`: the form of the S-box in all graphs;
- for each case its graph and that of the specification.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from aesforge.design import SBOX_STYLES, Design
from aesforge.errors import UsageError
from aesforge.netlist.aig import FALSE, Aig, Builder
from aesforge.prove import circuit as circuits
from aesforge.prove.analysis import sboxes
from aesforge.prove.analysis.sboxes import Sbox
from aesforge.prove.circuit import Circuit
from aesforge.prove.engines import anf
from aesforge.prove.engines.equal import compare
from aesforge.prove.properties import claim
from aesforge.prove.properties.case import Case, wanted_of
from aesforge.prove.properties.core import Core
from aesforge.prove.properties.ready import ready_cases
from aesforge.prove.properties.setting import Setting
from aesforge.toolchain import programs, rtl
from aesforge.toolchain.files import write_whole

FORMAT = 1


def require_covered(design: Design, family: str | None) -> None:
    """See that evidence can be written of a design.

    Raises:
        UsageError: it cannot, with the reason.
    """
    reasons = {
        "a netlist of a family": family is not None,
        "a key expansion": design.is_key_expansion,
        "a column-serial core": design.is_serial,
        "stored keys": not design.is_agile,
        "decryption": design.direction != "encrypt",
        "more than one block in a cycle": design.blocks_per_beat > 1,
        "several rings": design.tiles > 1 and not design.is_unrolled,
    }
    for words, found in reasons.items():
        if found:
            raise UsageError(
                f"--evidence does not cover {words}; it covers the RTL of a looped or "
                "unrolled core that encrypts, with a key beside each block (docs/proof.md)"
            )


def write(design: Design, folder: Path) -> None:
    """Write the evidence that the RTL of a design is FIPS 197.

    Args:
        design: a core that was proved.
        folder: is made; what it holds under the same names is replaced.

    Raises:
        UsageError: evidence does not cover the design.
        ToolFailed: Yosys does not read the RTL.
    """
    require_covered(design, None)
    circuit = circuits.of_design(design)
    kinds = {sboxes.kind_of_style(style) for style in (design.sbox, design.key_sbox_style)}
    if circuit.cut is None or kinds != {sbox.kind for sbox in circuit.sboxes}:
        raise UsageError("--evidence does not cover S-boxes that are not recognized by themselves")
    core = claim.core_of(circuit.cut, design)
    folder.mkdir(parents=True, exist_ok=True)
    digest, modules = _netlist(design, circuit, folder)
    form = circuits.of_module("aesforge_sbox_tower", {"Stages": 0, "Direction": sboxes.SBOX}).aig
    builder = Builder([f"x[{bit}]" for bit in range(8)])
    bits = builder.copy(form, [builder.input_named(n) if "x" in n else FALSE for n in form.inputs])
    builder.finish(zip(form.outputs, bits, strict=True)).write(folder / "sbox.aig")
    tower = SBOX_STYLES.index("tower")
    forms = circuits.Forms(tower, tower)
    specification = circuits.specification("CIPHER", design.key_bits, forms).aig
    cases, counters = _cases(core, specification, folder)
    facts = {
        "format": FORMAT,
        "design": design.choices(),
        "key_bits": design.key_bits,
        "latency": design.latency_cycles,
        "circuit": digest,
        "table": circuits.specified_tables()[0].hex(),
        "sboxes": _places(modules, circuit.sboxes),
        "invariant": _named(core, core.invariant),
        "counters": counters,
        "cases": cases,
    }
    write_whole(folder / "evidence.json", json.dumps(facts, indent=1) + "\n")


def _netlist(design: Design, circuit: Circuit, folder: Path) -> tuple[str, dict[str, Any]]:
    """Write the netlist again as Yosys writes it; return its hash and its modules."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for path in rtl.needed_by(design.top, scheme=design.research_scheme):
            (work / path.name).write_bytes(path.read_bytes())
        (work / "circuit.ys").write_text("\n".join(circuit.script) + "\n", encoding="utf-8")
        programs.run("yosys", ["circuit.ys"], work, work / "circuit.log")
        shutil.copy(work / "circuit.json", folder)
    path = folder / "circuit.json"
    return hashlib.sha256(path.read_bytes()).hexdigest(), json.loads(path.read_bytes())["modules"]


def _places(modules: Mapping[str, Any], found: tuple[Sbox, ...]) -> dict[str, Any]:
    """Return each module that is an S-box, with its stages and the places where it stands."""
    stages = {sbox.kind: sbox.stages for sbox in found}
    result: dict[str, Any] = {}

    def instances(module: str, path: str) -> Iterator[tuple[str, str]]:
        for name, cell in modules[module]["cells"].items():
            kind = cell["type"]
            if sboxes.kind_of(kind) in stages:
                yield kind, path + name
            elif kind in modules:
                yield from instances(kind, f"{path}{name}.")

    (top,) = (n for n, of in modules.items() if int(of["attributes"].get("top", "0"), 2))
    for kind, place in instances(top, ""):
        about = {"stages": stages[sboxes.kind_of(kind)], "places": []}
        result.setdefault(kind, about)["places"].append(place)
    return result


def _named(core: Core, known: Mapping[int, bool]) -> dict[str, int]:
    """Return known values of registers by their names."""
    first = core.aig.first_register
    return {core.aig.registers[v - first]: int(value) for v, value in known.items()}


def _cases(core: Core, specification: Aig, folder: Path) -> tuple[list[Any], dict[str, Any]]:
    """Write the graphs of each case; return what is known in them, and the counters."""
    setting = Setting(core, 0, compare)
    ready = {v for way in ready_cases(setting, 0) for v in way}
    counters: dict[str, list[dict[str, int]]] = {}
    cases: list[Any] = []
    written: dict[tuple[str, str], dict[str, str]] = {}
    for case in claim.cases(core):
        apart = {v: value for v, value in case.known.items() if v not in core.invariant}
        counter = _named(core, {v: value for v, value in apart.items() if v not in ready})
        if counter and counter not in counters.setdefault(case.about, []):
            counters[case.about].append(counter)
        # Cases alike share their files.
        key = case.about, case.digest
        if key not in written:
            written[key] = _write_case(case, specification, folder, len(written))
        cases.append({"about": case.about, "known": _named(core, apart), **written[key]})
    return cases, counters


def _write_case(case: Case, specification: Aig, folder: Path, number: int) -> dict[str, str]:
    wanted = wanted_of(case, specification if case.has_block else None)
    if case.foreign or not anf.alike(case.graph, wanted):
        raise UsageError(
            f"--evidence covers only what algebra proves; of the case '{case.label}' the sums "
            "differ, and a solver proved it"
        )
    names = {"core": f"case-{number}-core.aig", "fips197": f"case-{number}-fips197.aig"}
    case.graph.write(folder / names["core"])
    wanted.write(folder / names["fips197"])
    return names

# SPDX-License-Identifier: Apache-2.0
"""The sources of a core that is proved: its RTL, or the netlist that `measure` would place."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from aesforge.design import Design
from aesforge.devices.families import family as family_named
from aesforge.measure.synthesis import Synthesis
from aesforge.measure.target import Target
from aesforge.prove.circuit import models_of, read_back
from aesforge.prove.mutation import Change, changed_files, changed_netlist
from aesforge.toolchain import programs, rtl

# Block RAM is modelled as far as it is used (families/models), and every cell must have a model.
_MODELLED = [
    "opt_expr",
    "opt_clean",
    "select -assert-none t:unmodelled %ci1:+unmodelled[condition] t:unmodelled %d",
    "delete t:unmodelled",
    "select -assert-none t:* t:$* %d",
]


def synthesis_of(design: Design, family: str, recipe: str | None = None) -> Synthesis:
    """Return the synthesis whose netlist is proved: the one that `measure` would place.

    Raises:
        UsageError: there is no such recipe.
    """
    data = family_named(family)
    return Synthesis(Target.of(design), family, data, data.recipe_named(recipe))


def sources(
    folder: Path,
    design: Design,
    family: str | None,
    recipe: str | None,
    changes: Sequence[Change],
) -> list[Path]:
    """Return the Verilog files of a core that was proved or refuted, in compile order.

    Args:
        folder: takes what has to be written.
        design: the core.
        family: None for the RTL.
        recipe: how the netlist was made.
        changes: to be made to the RTL or the netlist.

    Raises:
        UsageError: a change does not fit.
    """
    if family is None:
        return changed_files(folder, rtl.needed_by(design.top), changes)
    synthesis = synthesis_of(design, family, recipe)
    return [netlist_as_verilog(folder, synthesis, changes)]


def netlist_as_verilog(folder: Path, synthesis: Synthesis, changes: Sequence[Change]) -> Path:
    """Write a mapped netlist as Verilog without a family's cells, under the name of the RTL."""
    mapped = changed_netlist(folder, synthesis, changes)
    design = synthesis.target.design
    assert design is not None
    text = netlist_text(synthesis, mapped)
    names = ", ".join(
        f"parameter {name} = {value}" for name, value in synthesis.target.parameters.items()
    )
    # The simulation sets the RTL's parameters, which a netlist has not.
    head = f"module {design.top} #({names}) ("
    path = folder / "netlist.v"
    path.write_text(text.replace("module core(", head, 1), encoding="utf-8")
    return path


def netlist_text(synthesis: Synthesis, mapped: Path) -> str:
    """Return a mapped core as Verilog without cells of the family, to simulate it.

    Raises:
        ToolFailed: as for :func:`aesforge.prove.circuit.of_netlist`.
    """
    plain = "plain.v"
    # Short names, and words rather than gates: it compiles in a fraction of the time.
    mapping = ("simplemap", "opt_merge", "opt_expr -mux_bool")
    lines = [line for line in read_back(synthesis, mapped) if line not in mapping]
    script = [
        *lines,
        "flatten",
        *_MODELLED,
        "opt_clean -purge",
        "rename -hide",
        f"write_verilog -noattr {plain}",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in (*models_of(synthesis), mapped):
            (folder / path.name).write_bytes(path.read_bytes())
        (folder / "plain.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
        programs.run("yosys", ["plain.ys"], folder, folder / "plain.log")
        return (folder / plain).read_text(encoding="utf-8")

# SPDX-License-Identifier: Apache-2.0
"""What is known of each FPGA family: how its cells count, and the recipes that make them.

A family is a data file beside this one, named after it.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from aesforge.devices import Record
from aesforge.errors import UsageError, nearest

MODELS = Path(__file__).resolve().parent / "models"


class Cells(Record, frozen=True, kw_only=True):
    """The kinds of cells in a mapped netlist, by what they count as.

    Args:
        lut: look-up tables of the full size and smaller, with how many each takes.
        wide_mux: multiplexers after look-up tables.
        ff: flip-flops; a name that ends in `*` matches all that begin with it.
        block_ram: block RAMs.
        lut_ram: memories made of look-up tables, with how many each takes.
        lut_ram_read: their ports (beginnings of names) that lead to the output without a clock.
        carry: carry chains.
    """

    lut: dict[str, int]
    wide_mux: list[str]
    ff: list[str]
    block_ram: list[str]
    lut_ram: dict[str, int]
    lut_ram_read: list[str]
    carry: list[str]


class Recipe(Record, frozen=True, kw_only=True):
    """A way to make a netlist and to place it.

    Args:
        name: as `--recipe` takes it.
        about: its purpose, in one line.
        like: an earlier recipe, whose other fields hold here too where they are left out.
        synthesis: Yosys commands; `{top}` is the module to map.
        alone: modules (patterns) that are mapped on their own, once for all instances, in designs
            whose S-boxes hold registers: little could be gained across their borders.
        place: options of the placement tool.
    """

    name: str
    about: str
    like: str | None = None
    synthesis: list[str]
    alone: list[str] = msgspec.field(default_factory=list)
    place: list[str]


class Family(Record, frozen=True, kw_only=True):
    """One data file.

    Args:
        program: the placement tool, None where there is none that can be trusted.
        lut_inputs: 4, 6, or 8 where a cell takes so many.
        shift_register: places of the longest shift register in a look-up table, 0 where there is
            none. All of them shift, whichever is read.
        read_back: Yosys's files with models of the cells, to simulate or prove a netlist.
        models: files of :data:`MODELS` with models that Yosys lacks, to be read after them.
        cells: how cells count.
        recipe: the first is the default.
    """

    program: str | None
    lut_inputs: int
    shift_register: int = 0
    read_back: list[str]
    models: list[str] = msgspec.field(default_factory=list)
    cells: Cells
    recipe: list[Recipe]

    @property
    def shift_register_cycles(self) -> int:
        """For how many cycles longer than a register a shift register holds what passed it."""
        return max(0, self.shift_register - 1)

    def recipe_named(self, name: str | None) -> Recipe:
        """Return the recipe of this name, the default one for None.

        Raises:
            UsageError: there is none; the message gives the nearest.
        """
        if name is None:
            return self.recipe[0]
        known = {recipe.name: recipe for recipe in self.recipe}
        if name not in known:
            raise UsageError(
                f"there is no recipe '{name}' for this family{nearest(name, known)}\n"
                f"recipes: {', '.join(known)}"
            )
        return known[name]


@cache
def family(name: str) -> Family:
    """Read a family's data file.

    Args:
        name: one of `aesforge.devices.FAMILIES`.

    Raises:
        msgspec.ValidationError: the file has a field too many, too few, or of the wrong type.
        KeyError: a recipe is like one that is not there before it.
    """
    text = resources.files(__name__).joinpath(f"{name}.toml").read_bytes()
    # TOML has no null: a family without a placement tool leaves `program` out.
    data = {"program": None, **msgspec.toml.decode(text)}
    recipes: dict[str, dict[str, Any]] = {}
    for recipe in data["recipe"]:
        recipes[recipe["name"]] = {
            **(recipes[recipe["like"]] if "like" in recipe else {}),
            **recipe,
        }
    return msgspec.convert({**data, "recipe": list(recipes.values())}, Family)


def shift_register_cycles() -> int:
    """Return for how many cycles longer a shift register in a look-up table holds what passed.

    Only 7-series has them; its synthesis makes them of delays. All places shift, whichever is read.
    """
    return family("xc7").shift_register_cycles

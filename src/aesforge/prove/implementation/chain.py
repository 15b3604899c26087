# SPDX-License-Identifier: Apache-2.0
"""The chain from FIPS 197 to a bitstream, link by link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from aesforge.design import Design
from aesforge.devices import Device
from aesforge.errors import AesforgeError, UsageError, one_of
from aesforge.prove.bitstream import Comparison, compare_files
from aesforge.prove.certificate import RECOGNIZE, Proof
from aesforge.prove.implementation import core as cores
from aesforge.prove.implementation import ecp5, gowin, ice40
from aesforge.prove.implementation.checks import Checks
from aesforge.prove.implementation.compare import Correspondence, compare
from aesforge.prove.implementation.contents import read_placed, read_top
from aesforge.prove.properties import claim
from aesforge.prove.run import prove
from aesforge.prove.steps import Say
from aesforge.prove.synthesis import synthesis_of

_FAMILIES: dict[str, ModuleType] = {"ice40": ice40, "ecp5": ecp5, "gowin": gowin}
_SHOWN = 20


@dataclass
class Chain:
    """What was found of each link; None for one that was not asked for, or not reached.

    Args:
        netlist: whether the routed netlist is the netlist that nextpnr was given.
        core: whether that netlist is the harness around the core that is proved.
        bitstream: whether the bitstream configures the routed netlist.
        proof: whether that core computes FIPS 197.
    """

    netlist: Correspondence
    core: cores.Found | None = None
    bitstream: Comparison | None = None
    proof: Proof | None = None

    @property
    def result(self) -> str:
        """Return `equal`, `different` or `not finished`: the worst of all links."""
        checks = [self.netlist.checks, *([self.core.checks] if self.core else [])]
        proof = self.proof.result if self.proof else "proved"
        if (
            any(one.differences for one in checks)
            or (self.bitstream is not None and not self.bitstream.same)
            or proof == "not proved"
        ):
            return "different"
        if any(one.undecided for one in checks) or proof != "proved":
            return "not finished"
        return "equal"

    def text(self) -> str:
        """Return the result for a person."""
        lines = []
        if self.bitstream is not None:
            lines.append(self.bitstream.text())
        counts = ", ".join(
            f"{count:,} {kind}{'' if kind.startswith('RAM') else 's' if count != 1 else ''}"
            for kind, count in self.netlist.elements.items()
        )
        lines += _link(
            "the routed netlist equals the netlist",
            "the routed netlist does not equal the netlist",
            f"{counts}, {self.netlist.pins} pins",
            self.netlist.checks,
        )
        if self.core is not None:
            lines += _link(
                "the netlist is the harness around the core of this design",
                "the netlist is not the harness around the core of this design",
                f"{self.core.cells:,} cells of the core, {self.core.harness:,} flip-flops around "
                "it",
                self.core.checks,
            )
            if self.core.checks.differences:
                lines.append(
                    "is it the netlist of another design, recipe or version? `--recipe` names the "
                    "recipe"
                )
        if self.proof is not None:
            lines.append(self.proof.text())
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as data for JSON."""
        found: dict[str, Any] = {
            "result": self.result,
            "netlist": {
                "elements": self.netlist.elements,
                "pins": self.netlist.pins,
                "cells": {"netlist": self.netlist.cells[0], "routed": self.netlist.cells[1]},
                **_checks(self.netlist.checks),
            },
        }
        if self.core is not None:
            found["core"] = {
                "cells": self.core.cells,
                "cells that no output depends on": self.core.unread,
                "flip-flops of the harness": self.core.harness,
                **_checks(self.core.checks),
            }
        if self.bitstream is not None:
            found["bitstream"] = self.bitstream.as_dict()
        if self.proof is not None:
            found["proof"] = self.proof.as_dict()
        return found


def _link(equal: str, different: str, size: str, checks: Checks) -> list[str]:
    functions = f"{checks.same + checks.proved:,} functions"
    if checks.proved:
        functions += f", {checks.proved:,} of them proved by ABC"
    if checks.open_inputs:
        functions += f"; {checks.open_inputs:,} inputs are left open"
    if checks.differences:
        count = len(checks.differences)
        lines = [
            f"{different}: {count:,} difference{'s' if count != 1 else ''} in {size}",
            *(f"  {line}" for line in checks.differences[:_SHOWN]),
        ]
        if len(checks.differences) > _SHOWN:
            lines.append(f"  and {len(checks.differences) - _SHOWN:,} more")
        return lines
    if checks.undecided:
        return [f"not finished: whether {equal}: {checks.undecided}"]
    return [f"{equal}: {size}, {functions}, all equal"]


def _checks(checks: Checks) -> dict[str, Any]:
    return {
        "functions equal by structure": checks.same,
        "functions equal by ABC": checks.proved,
        "inputs left open": checks.open_inputs,
        "differences": checks.differences,
        "undecided": checks.undecided,
    }


def follow(
    netlist: Path | None,
    routed: Path,
    device: Device,
    *,
    bitstream: Path | None = None,
    design: Design | None = None,
    recipe: str | None = None,
    route: str = RECOGNIZE,
    seconds: float = 600.0,
    megabytes: int = 8000,
    say: Say = lambda _: None,
) -> Chain:
    """Follow the chain from a design's proof to its bitstream, as far as it is given.

    Args:
        netlist: that nextpnr was given, as Yosys wrote it; None for that of the design.
        routed: the netlist that nextpnr wrote.
        device: that both are for.
        bitstream: to be compared with the routed netlist.
        design: a core that is to be found in the netlist, and proved.
        recipe: of the design's synthesis; None for the first one.
        route: of its proof.
        seconds: the longest that one call of the checker may take, and the longest of the proof.
        megabytes: the most memory that one call of the checker may address.
        say: called with each step.

    Raises:
        UsageError: a file is missing or of another form, or for another device or family; or it
            has a cell that is not compared.
        Contradiction: one of the netlists is none.
        ToolMissing: a tool is not installed.
        ToolFailed: the core cannot be synthesized.
    """
    family = _FAMILIES.get(device.family)
    if family is None:
        raise UsageError(
            f"--netlist compares netlists of the families {one_of(_FAMILIES)}; that of "
            f"{device.part.part} is {device.family}"
        )
    if design is not None:
        claim.require_supported(design)
    synthesis = synthesis_of(design, device.family, recipe) if design is not None else None
    if netlist is None:
        if synthesis is None:
            raise UsageError("without a design, --netlist names the netlist that nextpnr was given")
        say("synthesizing the core")
        synthesis.run()
        netlist = synthesis.netlist
    say("comparing the routed netlist with the netlist")
    module = read_top(netlist)
    given = _within(netlist, lambda: family.synthesized(module))
    made = _within(routed, lambda: family.routed(read_placed(routed)))
    found = Chain(compare(given, made, family.SUFFIXES))
    found.netlist.checks.settle(seconds=seconds, megabytes=megabytes)
    if synthesis is not None:
        say("finding the core in the netlist")
        found.core = cores.find_core(module, given, synthesis, cores.mapped_core(synthesis))
        found.core.checks.settle(seconds=seconds, megabytes=megabytes)
    if bitstream is not None:
        say("comparing the bitstream with the routed netlist")
        found.bitstream = compare_files(bitstream, routed, device)
    if design is not None and found.result == "equal":
        found.proof = prove(
            design,
            family=device.family,
            recipe=recipe,
            route=route,
            seconds=seconds,
            timeout=seconds,
            megabytes=megabytes,
            say=say,
        )
    return found


def _within(path: Path, read: Callable[[], Any]) -> Any:
    """Return what is read from a file, whose name an error is to have."""
    try:
        return read()
    except AesforgeError as error:
        if str(path) in error.message:
            raise
        raise type(error)(f"'{path}': {error.message}") from None

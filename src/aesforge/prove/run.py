# SPDX-License-Identifier: Apache-2.0
"""Prove a core."""

from __future__ import annotations

import platform
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from aesforge import __version__
from aesforge.design import Design
from aesforge.errors import AesforgeError, CheckFailed, ToolFailed, UsageError, nearest, one_of
from aesforge.prove import circuit as circuits
from aesforge.prove.analysis import sboxes
from aesforge.prove.assumptions import ASSUMPTIONS, NOT_COVERED, of_proof
from aesforge.prove.certificate import (
    RECOGNIZE,
    ROUTES,
    CounterExample,
    Proof,
    Step,
)
from aesforge.prove.circuit import Circuit
from aesforge.prove.mutation import Change, changed_files, changed_netlist
from aesforge.prove.properties import claim
from aesforge.prove.properties.case import NotAccepted
from aesforge.prove.replay import replay_of
from aesforge.prove.steps import Say, Steps, all_commands
from aesforge.prove.synthesis import synthesis_of
from aesforge.prove.time_limit import OutOfTime, time_limit
from aesforge.toolchain import programs
from aesforge.toolchain.rtl import needed_by


def prove(
    design: Design,
    *,
    family: str | None = None,
    recipe: str | None = None,
    route: str = RECOGNIZE,
    changes: Sequence[Change] = (),
    seconds: float = 600.0,
    timeout: float | None = None,
    megabytes: int = 8000,
    say: Say = lambda _: None,
) -> Proof:
    """Prove a design's RTL, or its netlist for a family, equal to FIPS 197.

    A core with a counterexample is `not proved` where a simulation from a reset repeats it, and
    else `not finished`: the proof starts in any state that its invariants allow.

    Args:
        design: the core.
        family: one of `aesforge.devices.FAMILIES`: its netlist, as `measure` would place it;
            None for the RTL.
        recipe: how the netlist is made; None for the family's first recipe.
        route: how graphs are compared, one of `aesforge.prove.certificate.ROUTES`.
        changes: to be made to the RTL or the netlist first, to see that the proof fails.
        seconds: the longest that one call of the checker may take.
        timeout: the longest that all may take, in seconds; only heeded in the main thread.
        megabytes: the most memory that one call of the checker may address.
        say: called with each step.

    Raises:
        ToolMissing: a tool is not installed.
        ToolFailed: the core could not be read, or not in time.
        UsageError: the design is of a kind that the proof does not cover, or there is no such
            route.
    """
    started = time.monotonic()
    require_route(route)
    claim.require_supported(design)
    say(f"reading {design.name}" + (f", netlist for {family}" if family else ", RTL"))
    try:
        with time_limit(timeout), tempfile.TemporaryDirectory() as folder:
            found, recipe = _circuit_of(Path(folder), design, family, recipe, route, changes)
            proof = prove_circuit(
                design,
                found,
                family=family,
                recipe=recipe,
                route=route,
                seconds=seconds,
                megabytes=megabytes,
                say=say,
            )
            proof.changes = list(changes)
            confirm(proof, design, say)
    except OutOfTime as error:
        raise ToolFailed(f"reading the core: {error.message}; nothing is proved") from None
    proof.seconds = time.monotonic() - started
    return proof


def confirm(proof: Proof, design: Design, say: Say = lambda _: None) -> None:
    """Simulate the counterexample of a core that is not proved; if that is right, it is undecided.

    Args:
        proof: with the changes to the core, if any.
        design: the core.
        say: called before the simulation.
    """
    example = proof.counterexample
    if proof.result != "not proved" or example is None or not example.key:
        return
    try:
        say("simulating the counterexample from a reset")
        found = replay_of(proof, design, example)
    except AesforgeError as error:
        why = f"the counterexample was not simulated: {error.message.splitlines()[0]}"
    else:
        example.simulated = f"wrong, {found.how}" if found.reproduced else "right"
        if found.reproduced:
            return
        why = (
            "its counterexample starts in a state that a reset may never lead to: simulated from "
            "a reset, the block is right"
        )
    proof.result = "not finished"
    for step in proof.steps:
        if step.result == "not proved":
            step.result = "not finished"
    proof.reason = f"{proof.reason}; undecided, as {why}"


def require_route(route: str) -> None:
    """See that there is a route.

    Raises:
        UsageError: there is none of this name.
    """
    if route not in ROUTES:
        raise UsageError(f"there is no route '{route}'{nearest(route, ROUTES)} ({one_of(ROUTES)})")


def versions() -> dict[str, str]:
    """Return the versions of the programs that a proof uses.

    Raises:
        ToolMissing: one is not installed.
    """
    return {
        "aesforge": __version__,
        "yosys": programs.version("yosys"),
        "abc": f"of pyosys {programs.version('abc')}",
        "python": platform.python_version(),
    }


def _circuit_of(
    folder: Path,
    design: Design,
    family: str | None,
    recipe: str | None,
    route: str,
    changes: Sequence[Change],
) -> tuple[Circuit, str | None]:
    """Read a design's RTL, or its netlist for a family, and give the recipe's name with it."""
    kinds = sboxes.KINDS if route == RECOGNIZE else frozenset[str]()
    if family is None:
        files = changed_files(folder, needed_by(design.top), changes)
        return circuits.of_design(design, files, kinds), None
    synthesis = synthesis_of(design, family, recipe)
    mapped = changed_netlist(folder, synthesis, changes)
    return circuits.of_netlist(synthesis, mapped, kinds), synthesis.recipe.name


def prove_circuit(
    design: Design,
    circuit: Circuit,
    *,
    family: str | None = None,
    recipe: str | None = None,
    route: str = RECOGNIZE,
    seconds: float = 600.0,
    megabytes: int = 8000,
    say: Say = lambda _: None,
) -> Proof:
    """Prove that the circuit of a design equals FIPS 197; see :func:`prove`.

    Raises:
        ToolMissing: a tool is not installed.
        UsageError: the design is of a kind that the proof does not cover, or there is no such
            route.
    """
    started = time.monotonic()
    require_route(route)
    proof = Proof(
        design=design.choices(),
        summary=design.summary(),
        family=family,
        recipe=recipe,
        route=route,
        assumptions=of_proof(ASSUMPTIONS, design, family, route),
        not_covered=of_proof(NOT_COVERED, design, family, route),
        claim=claim.claim_text(design),
        hashes={"core": circuit.digest},
        commands={
            "core": list(circuit.script),
            "abc": [command.text for command in all_commands(family)],
        },
        versions=versions(),
    )
    recognized = circuit.sboxes if route == RECOGNIZE else ()
    steps = Steps(proof, design, seconds, megabytes, say, recognized)
    if recognized:
        name = f"S-boxes: {len(recognized)} found, each tried for every byte"
        proof.steps.append(Step(name, "proved", cases=len(recognized)))
    try:
        # A core that gets blocks wrong is not worth the rest.
        core = claim.core_of((recognized and circuit.cut) or circuit.aig, design)
        if steps.block(core):
            steps.other_keys(core)
            core = claim.core_of(circuit.aig, design)
            steps.control(core)
            steps.handshakes(core)
    except NotAccepted as error:
        proof.result = "not proved"
        proof.reason = error.message
        # A core that accepts nothing: any block will show it.
        proof.counterexample = CounterExample(
            case=error.message,
            decrypt=design.direction == "decrypt",
            out_valid=False,
            key="00" * (design.key_bits // 8),
            block="00" * 16,
            slot=error.slot,
        )
    except CheckFailed as error:
        proof.result = "not proved"
        proof.reason = error.message
    except OutOfTime as error:
        proof.result = "not finished"
        step = next((step.name for step in proof.steps if step.result == "not finished"), "")
        proof.reason = f"{step or 'control after a reset'}: {error.message}"
    except ToolFailed as error:
        proof.result = "not finished"
        proof.reason = error.message
    else:
        if all(step.result == "proved" for step in proof.steps):
            proof.result = "proved"
        else:
            proof.result = "not proved"
    if proof.result == "not proved" and circuit.wrong and route == RECOGNIZE:
        proof.reason = "; ".join([proof.reason, *circuit.wrong])
    proof.seconds = time.monotonic() - started
    return proof

# SPDX-License-Identifier: Apache-2.0
"""Prove a core, and run the proof of a certificate again."""

from __future__ import annotations

import contextlib
import os
import platform
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from aesforge import __version__
from aesforge.design import Design, load_choices
from aesforge.errors import CheckFailed, ToolFailed, UsageError
from aesforge.prove import circuit as circuits
from aesforge.prove.certificate import CounterExample, Proof, Step, read
from aesforge.prove.circuit import Circuit
from aesforge.prove.mutation import Change, changed_files, changed_netlist
from aesforge.prove.properties import claim
from aesforge.prove.properties.case import NotAccepted
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
    changes: Sequence[Change] = (),
    seconds: float = 600.0,
    timeout: float | None = None,
    megabytes: int = 8000,
    say: Say = lambda _: None,
) -> Proof:
    """Prove a design's RTL, or its netlist for a family, equal to FIPS 197.

    Args:
        design: the core.
        family: one of `aesforge.devices.FAMILIES`: its netlist, as `measure` would place it;
            None for the RTL.
        recipe: how the netlist is made; None for the family's first recipe.
        changes: to be made to the RTL or the netlist first, to see that the proof fails.
        seconds: the longest that one call of the checker may take.
        timeout: the longest that all may take, in seconds; only heeded in the main thread.
        megabytes: the most memory that one call of the checker may address.
        say: called with each step.

    Raises:
        ToolMissing: a tool is not installed.
        ToolFailed: the core could not be read, or not in time.
        UsageError: the design is of a kind that the proof does not cover.
    """
    started = time.monotonic()
    claim.require_supported(design)
    say(f"reading {design.name}" + (f", netlist for {family}" if family else ", RTL"))
    try:
        with time_limit(timeout), tempfile.TemporaryDirectory() as folder:
            found, recipe = _circuit_of(Path(folder), design, family, recipe, changes)
            proof = prove_circuit(
                design,
                found,
                family=family,
                recipe=recipe,
                seconds=seconds,
                megabytes=megabytes,
                say=say,
            )
    except OutOfTime as error:
        raise ToolFailed(f"reading the core: {error.message}; nothing is proved") from None
    proof.changes = list(changes)
    proof.seconds = time.monotonic() - started
    return proof


def _circuit_of(
    folder: Path,
    design: Design,
    family: str | None,
    recipe: str | None,
    changes: Sequence[Change],
) -> tuple[Circuit, str | None]:
    """Read a design's RTL, or its netlist for a family, and give the recipe's name with it."""
    if family is None:
        files = changed_files(folder, needed_by(design.top), changes)
        return circuits.of_design(design, files), None
    synthesis = synthesis_of(design, family, recipe)
    mapped = changed_netlist(folder, synthesis, changes)
    return circuits.of_netlist(synthesis, mapped), synthesis.recipe.name


def prove_circuit(
    design: Design,
    circuit: Circuit,
    *,
    family: str | None = None,
    recipe: str | None = None,
    seconds: float = 600.0,
    megabytes: int = 8000,
    say: Say = lambda _: None,
) -> Proof:
    """Prove that the circuit of a design equals FIPS 197; see :func:`prove`.

    Raises:
        ToolMissing: a tool is not installed.
        UsageError: the design is of a kind that the proof does not cover.
    """
    started = time.monotonic()
    proof = Proof(
        design=design.choices(),
        summary=design.summary(),
        family=family,
        recipe=recipe,
        claim=claim.claim_text(design),
        hashes={"core": circuit.digest},
        commands={
            "core": list(circuit.script),
            "abc": [command.text for command in all_commands(family)],
        },
        versions={
            "aesforge": __version__,
            "yosys": programs.version("yosys"),
            "abc": f"of pyosys {programs.version('abc')}",
            "python": platform.python_version(),
        },
    )
    steps = Steps(proof, design, seconds, megabytes, say, circuit.sboxes)
    if circuit.sboxes:
        name = f"S-boxes: {len(circuit.sboxes)} found, each tried for every byte"
        proof.steps.append(Step(name, "proved", cases=len(circuit.sboxes)))
    try:
        # A core that gets blocks wrong is not worth the rest.
        core = claim.core_of(circuit.cut or circuit.aig, design)
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
    if proof.result == "not proved" and circuit.wrong:
        proof.reason = "; ".join([proof.reason, *circuit.wrong])
    proof.seconds = time.monotonic() - started
    return proof


def verify(path: Path, *, say: Say = lambda _: None) -> Proof:
    """Run the proof of a certificate again.

    Raises:
        CheckFailed: the core or the specification is not the one of the certificate, or the proof
            does not come out.
        UsageError: the file is no certificate, or does not say that anything was proved.
    """
    old = read(path)
    if old.result != "proved":
        raise UsageError(f"'{path}' does not say that anything was proved: {old.result}")
    design = load_choices(str(path), {k: v for k, v in old.design.items() if v is not None})
    # From the sources on: a cache that someone else filled proves nothing.
    with tempfile.TemporaryDirectory() as folder, _environment("AESFORGE_CACHE", folder):
        new = prove(design, family=old.family, recipe=old.recipe, changes=old.changes, say=say)
    for what in sorted({*old.hashes, *new.hashes}):
        if old.hashes.get(what) != new.hashes.get(what):
            raise CheckFailed(
                f"'{path}' is about another {what}: sha256 {old.hashes.get(what)}, here it is "
                f"{new.hashes.get(what)}. What was proved for the one says nothing of the other"
            )
    if new.claim != old.claim:
        raise CheckFailed(f"'{path}' claims something else than this version proves: {old.claim}")
    if new.result != "proved":
        raise CheckFailed(f"the repeated proof has another result: {new.result}, {new.reason}")
    return new


@contextlib.contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before

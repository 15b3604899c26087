# SPDX-License-Identifier: Apache-2.0
"""Prove that an engine computes its mode, for packets of any length.

`formal/engines/prove_engine.sv` states the claim around `aesforge_engine`, `prove_interleaved.sv`
that around `aesforge_engine_interleaved` (:mod:`aesforge.prove.interleaved`). One beat is followed,
any beat, from the input to the output. Three proofs make the whole:

- the core's own proof: it is CIPHER() or INVCIPHER() of FIPS 197, with its latency;
- `aesforge_queue_ram` does nothing that its model does not; an interleaved engine keeps the RAM;
- the engine with models in place of the core and of the queues' RAM: the model of the core is any
  function of block, key and direction, with the core's latency; a looped one may be full at any
  time, and a key load may take any time. The assertions hold in a cycle if
  they held in the one before: one question to a SAT solver, from any state whatever.

Of engines of GCM, OCB, XTS and CCM, parts are proved in place of the last two
(:mod:`aesforge.prove.parts`), and of all but those of CCM what the parts' claims assume of their
neighbours (:mod:`aesforge.prove.neighbours`).

The assertions are about registers of the engine, so one that does not follow from the cycle before
refutes nothing. Only a violation at the ports, from a reset on, does
(:mod:`aesforge.prove.stream_refute`).
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aesforge.design import Engine
from aesforge.errors import ToolFailed
from aesforge.prove import interleaved, multiplier, neighbours, parts, run
from aesforge.prove.assumptions import (
    ASSUMPTIONS,
    ENGINE_ASSUMPTIONS,
    ENGINE_NOT_COVERED,
    NOT_COVERED,
    OCB_AND_XTS,
    ONLY_CCM,
    ONLY_GCM,
    PART_ASSUMPTIONS,
    PART_NOT_COVERED,
    Statement,
    of_engine,
    of_proof,
)
from aesforge.prove.certificate import RECOGNIZE, Proof, Step
from aesforge.prove.circuit import digest_of
from aesforge.prove.engines import induction
from aesforge.prove.multiplier import Multiplier
from aesforge.prove.mutation import Change, changed_files
from aesforge.prove.parts import Part
from aesforge.prove.properties import claim
from aesforge.prove.shells import without_a_context
from aesforge.prove.steps import Say
from aesforge.prove.stream_circuit import (
    QUEUE_STYLES,
    files_of,
    part_files_of,
    part_script_of,
    ram_files_of,
    ram_script_of,
    read,
    script_of,
    without_folders,
)
from aesforge.prove.stream_refute import refute, refute_part, violation_of
from aesforge.prove.time_limit import OutOfTime, time_limit
from aesforge.toolchain import rtl

# Cycles after the latency in which a violation is searched where the proof fails.
_SEARCHED = 6


def claim_text(engine: Engine) -> str:
    """Return the claim for an engine."""
    if interleaved.covers(engine):
        return interleaved.claim_text(engine)
    if parts.covers(engine):
        return parts.claim_text(engine)
    late = without_a_context(engine)
    key = (
        ""
        if engine.core.is_agile
        else "The key of a packet is the last one accepted at s_key for its slot in a cycle before "
        "its first beat was, whatever is loaded later; it is an error if there is none. "
    )
    return (
        "Since the last reset, if zeroize was low and senders held tvalid until accepted: the "
        f"beats of {engine.beat_bytes} bytes at m_axis are those accepted at s_axis, in order, "
        "none lost, repeated or invented, "
        "each with its tkeep, tlast, tid and tuser. The "
        f"kept bytes of a beat without error are {engine.mode_label} of SP 800-38A of its packet, "
        f"under the packet's key and IV, with AES-{engine.core.key_bits} of FIPS 197; all other "
        "bytes are 0. A packet has the first context that was accepted before its first beat and "
        f"that no other packet has; {late} is one accepted without a context. {key}The error flag "
        "is high from the beat in which an error of the packet is known to its last one, and low "
        "otherwise. What is at m_axis stays until it is accepted. All this for every key, IV and "
        "text, packets of any length, any tkeep, any stalls at s_ctx, s_axis and m_axis"
        f"{'' if engine.core.is_agile else ', and any keys at s_key'}, over any number of cycles."
    )


def prove_stream(
    engine: Engine,
    *,
    route: str = RECOGNIZE,
    changes: Sequence[Change] = (),
    seconds: float = 3600.0,
    timeout: float | None = None,
    megabytes: int = 8000,
    say: Say = lambda _: None,
) -> Proof:
    """Prove that an engine's RTL computes its mode, around its core, which is proved too.

    Args:
        engine: the engine.
        route: of the core's proof, one of `aesforge.prove.certificate.ROUTES`.
        changes: to be made to the RTL first, but not to the core's, to see that the proof fails.
        seconds: the longest that one call of a solver may take.
        timeout: the longest that all may take, in seconds; only heeded in the main thread.
        megabytes: the most memory that one call may address.
        say: called with each step.

    Raises:
        UsageError: a change does not fit.
        ToolMissing: a tool is not installed.
        ToolFailed: the RTL could not be read, or not in time.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = files_of(folder, changes, top=engine.top)
        proof = _begun(engine, route, files)
        proof.changes = list(changes)
        limits = (seconds, megabytes, say)
        try:
            with time_limit(timeout):
                done = _core(proof, engine, *limits) and (
                    _parts(proof, engine, changes, *limits)
                    if parts.covers(engine)
                    else (interleaved.covers(engine) or _queue_ram(proof, engine, changes, *limits))
                    and _mode(proof, engine, folder, files, *limits)
                )
        except OutOfTime as error:
            last = next((one.name for one in proof.steps if one.result == "not finished"), "")
            proof.reason = f"{last or 'reading the RTL'}: {error.message}"
        except ToolFailed as error:
            proof.reason = error.message
        else:
            if done:
                proof.result = "proved"
                if parts.covers(engine):
                    proof.reason = "parts of the engine, each by itself"
            elif any(one.result == "not proved" for one in proof.steps):
                proof.result = "not proved"
    proof.seconds = time.monotonic() - started
    return proof


def assumed(engine: Engine, route: str) -> list[dict[str, str]]:
    """Return what the proof of an engine assumes: `id` and `text` of each.

    Args:
        engine: the engine.
        route: of the core's proof, one of `aesforge.prove.certificate.ROUTES`.
    """
    return _statements(engine, route, ASSUMPTIONS, ENGINE_ASSUMPTIONS, PART_ASSUMPTIONS)


def not_covered(engine: Engine, route: str) -> list[dict[str, str]]:
    """Return what the proof of an engine does not cover: `id` and `text` of each.

    Args:
        engine: the engine.
        route: of the core's proof, one of `aesforge.prove.certificate.ROUTES`.
    """
    return _statements(engine, route, NOT_COVERED, ENGINE_NOT_COVERED, PART_NOT_COVERED)


def _statements(
    engine: Engine,
    route: str,
    of_cores: tuple[Statement, ...],
    of_engines: tuple[Statement, ...],
    of_parts: tuple[Statement, ...],
) -> list[dict[str, str]]:
    """Return what is to be said of the core, and of an engine or of its parts."""
    said = of_proof(of_cores, engine.core, None, route)
    if parts.covers(engine):
        kinds = {parts.OCB: OCB_AND_XTS, parts.XTS: OCB_AND_XTS, parts.CCM: ONLY_CCM}
        others = {OCB_AND_XTS, ONLY_GCM, ONLY_CCM} - {kinds.get(engine.top, ONLY_GCM)}
        own = tuple(one for one in of_parts if one.about not in others)
        return [*said, *of_proof(own, engine.core, None, route)]
    woven = interleaved.covers(engine)
    return [*said, *of_engine(of_engines, engine.core, route, interleaved=woven)]


def _begun(engine: Engine, route: str, files: Sequence[Path]) -> Proof:
    """Return a proof in which nothing is proved yet."""
    core = engine.core
    return Proof(
        design={"name": engine.name, **engine.choices()},
        summary=engine.summary(),
        family=None,
        recipe=None,
        route=route,
        assumptions=assumed(engine, route),
        not_covered=not_covered(engine, route),
        claim=f"{claim_text(engine)} The core inside: {claim.claim_text(core)}",
        hashes={"engine": digest_of(files)},
        commands={},
        versions=run.versions(),
    )


def _step(proof: Proof, name: str, say: Say) -> Step:
    say(name)
    step = Step(name=name)
    proof.steps.append(step)
    return step


def _core(proof: Proof, engine: Engine, seconds: float, megabytes: int, say: Say) -> bool:
    """Prove the core inside, step by step; return whether it is proved."""
    found = run.prove(engine.core, route=proof.route, seconds=seconds, megabytes=megabytes, say=say)
    for step in found.steps:
        proof.steps.append(replace(step, name=f"core, {step.name}"))
    proof.hashes |= found.hashes
    proof.commands |= found.commands
    if found.result != "proved":
        proof.reason = f"core: {found.reason}"
    return found.result == "proved"


def _parts(
    proof: Proof,
    engine: Engine,
    changes: Sequence[Change],
    seconds: float,
    megabytes: int,
    say: Say,
) -> bool:
    """Prove the parts of an engine, one by one."""
    limits = (seconds, megabytes, say)
    return (
        all(_multiplier(proof, one, changes, say) for one in parts.multipliers_of(engine))
        and all(_part(proof, one, changes, *limits) for one in parts.parts_of(engine))
        and (not neighbours.places_of(engine) or _neighbours(proof, engine, changes, *limits))
    )


def _multiplier(proof: Proof, one: Multiplier, changes: Sequence[Change], say: Say) -> bool:
    """Prove that a multiplier gives the product, by algebra."""
    step = _step(proof, f"{one.module}: the product of all factors", say)
    with tempfile.TemporaryDirectory() as name:
        own = [change for change in changes if change["file"] == f"{one.module}.sv"]
        files = changed_files(Path(name), rtl.needed_by(one.module), own)
        found = multiplier.prove(one, files=files)
        proof.hashes[one.module] = digest_of(files)
    step.result, step.seconds, step.sat_calls = found.result, found.seconds, found.sat_calls
    step.cases = step.proofs = 1
    proof.reason = found.reason
    return found.result == "proved"


def _part(
    proof: Proof,
    part: Part,
    changes: Sequence[Change],
    seconds: float,
    megabytes: int,
    say: Say,
) -> bool:
    """Prove a part as a step of an engine's proof."""
    say(part.name)
    step, proof.reason, proof.hashes[part.name], proof.commands[part.name] = prove_part(
        part, changes, seconds=seconds, megabytes=megabytes
    )
    proof.steps.append(step)
    return step.result == "proved"


def _neighbours(
    proof: Proof,
    engine: Engine,
    changes: Sequence[Change],
    seconds: float,
    megabytes: int,
    say: Say,
) -> bool:
    """Prove in the engine what the claims about its parts assume."""
    step = _step(proof, "what the parts' claims assume of their neighbours", say)
    found = neighbours.prove(engine, changes, seconds=seconds, megabytes=megabytes)
    step.cases = step.proofs = len(found.assumptions)
    step.seconds, step.megabytes = found.seconds, found.megabytes
    proof.hashes["neighbours"], proof.commands["neighbours"] = found.digest, list(found.commands)
    step.result = "proved" if found.holds else "not proved" if found.violated() else "not finished"
    proof.reason = found.violated() or found.undecided()
    return found.holds


def prove_part(
    part: Part, changes: Sequence[Change] = (), *, seconds: float = 3600.0, megabytes: int = 8000
) -> tuple[Step, str, str, list[str]]:
    """Prove a part by induction over some cycles, and search the first ones after a reset.

    Args:
        part: the part.
        changes: to be made to the RTL first.
        seconds: the longest that one call of a solver may take.
        megabytes: the most memory that it may address.

    Returns:
        The step of the proof, why it is not proved, SHA-256 of the sources, and Yosys' commands.

    Raises:
        UsageError: a change does not fit.
        ToolMissing: a tool is not installed.
        ToolFailed: the RTL could not be read, or a search came to no end.
    """
    step, reason = Step(name=part.name), ""
    started = time.monotonic()
    limits = (seconds, megabytes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = part_files_of(part, folder, changes)
        script = part_script_of(part, files)
        digest, commands = digest_of(files), without_folders(folder, script)
        holds = _inductive(step, folder, script, *limits, part.cycles)
        if holds and part.cycles > 1:
            step.sat_calls += 1
            first = induction.violation(
                folder / "claim.aig", part.cycles, seconds=seconds, megabytes=megabytes
            )
            if first is not None:
                reason = violation_of(folder, files[-1], *first).text()
    if not holds:
        reason = "an assertion about registers does not follow from the cycles before"
        cycles = part.cycles + _SEARCHED
        found = refute_part(part, changes, cycles=cycles, seconds=seconds, megabytes=megabytes)
        if found is None:
            reason += f"; the ports show no fault in the first {cycles} cycles"
        else:
            step.result, reason = "not proved", found.text()
    elif reason:
        step.result = "not proved"
    else:
        step.result = "proved"
    step.seconds = time.monotonic() - started
    return step, reason, digest, commands


def _queue_ram(
    proof: Proof,
    engine: Engine,
    changes: Sequence[Change],
    seconds: float,
    megabytes: int,
    say: Say,
) -> bool:
    """Prove that the queues' RAM does nothing that its model does not."""
    step = _step(proof, "queue RAM: a read returns the last word of its place", say)
    started = time.monotonic()
    values = engine.rtl_parameters()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = ram_files_of(folder, changes)
        style = values.get("QueueStyle", QUEUE_STYLES.index("block"))
        # Each bit of a word is on its own: 148 bits take a hundred times as long.
        script = ram_script_of(1, values["Depth"], style, files)
        proof.hashes["queue RAM"] = digest_of(files)
        proof.commands["queue RAM"] = without_folders(folder, script)
        holds = _inductive(step, folder, script, seconds, megabytes)
        step.result = "proved" if holds else "not proved"
    if not holds:
        proof.reason = "a read of the queues' RAM may give something else than was written"
    step.seconds = time.monotonic() - started
    return holds


def _mode(
    proof: Proof,
    engine: Engine,
    folder: Path,
    files: Sequence[Path],
    seconds: float,
    megabytes: int,
    say: Say,
) -> bool:
    """Prove the engine around models of its core and its RAM."""
    step = _step(proof, "mode: every beat and its sidebands, from each cycle to the next", say)
    started = time.monotonic()
    script = script_of(engine, files)
    proof.commands["engine"] = without_folders(folder, script)
    proof.commands["abc"] = [*proof.commands.get("abc", []), induction.STEP.text]
    holds = _inductive(step, folder, script, seconds, megabytes)
    step.result = "proved" if holds else "not finished"
    step.seconds = time.monotonic() - started
    if not holds:
        proof.reason = "an assertion about registers does not follow from the cycle before"
        cycles = engine.latency_cycles + _SEARCHED
        say(f"{proof.reason}; searching {cycles} cycles after a reset")
        found = refute(engine, proof.changes, cycles=cycles, seconds=seconds, megabytes=megabytes)
        step.seconds = time.monotonic() - started
        if found is None:
            proof.reason += f"; the ports show no fault in the first {cycles} cycles"
        else:
            step.result = "not proved"
            proof.reason = found.text()
    return holds


def _inductive(
    step: Step, folder: Path, script: list[str], seconds: float, megabytes: int, cycles: int = 1
) -> bool:
    """Return whether the assertions of a script hold after each cycle, or some, that they hold."""
    read(folder, script)
    claimed = induction.read(folder / "claim.aig")
    found = induction.is_inductive(
        claimed, folder, seconds=seconds, megabytes=megabytes, cycles=cycles
    )
    step.cases += claimed.assertions
    step.proofs += 1
    step.sat_calls += 1
    step.megabytes = max(step.megabytes, found.megabytes)
    return found.holds

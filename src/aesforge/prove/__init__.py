# SPDX-License-Identifier: Apache-2.0
"""Prove that a core, as RTL or as the netlist for a device family, computes FIPS 197.

    proof = prove(load("compact"), family="ecp5")
    assert proof.result == "proved"

The claim is in :mod:`aesforge.prove.properties.claim`, the argument in docs/proof.md.
"""

from __future__ import annotations

import contextlib
import os
import platform
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from aesforge import __version__
from aesforge.design import SBOX_STYLES, Design, load_choices
from aesforge.errors import AesforgeError, CheckFailed, ToolFailed, UsageError
from aesforge.netlist.aig import TRUE, Aig, Builder, value_of
from aesforge.prove import circuit as circuits
from aesforge.prove.analysis import sboxes
from aesforge.prove.analysis.sboxes import Sbox
from aesforge.prove.certificate import CounterExample, Proof, Step, read
from aesforge.prove.circuit import Circuit
from aesforge.prove.engines import equal
from aesforge.prove.properties import claim as claims
from aesforge.prove.properties import control
from aesforge.prove.properties.claim import Case, Core, NotAccepted, Sample
from aesforge.prove.replay import Change, changed_files, changed_netlist, synthesis_of
from aesforge.toolchain import programs
from aesforge.toolchain.rtl import needed_by

__all__ = ["Proof", "prove", "prove_circuit", "synthesis_of", "verify"]

Say = Callable[[str], None]

# An S-box in block RAM is a table; its form without registers is that of the tables.
_STAND_IN = {"bram": "table"}


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
    claims.require_supported(design)
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


def _commands(family: str | None) -> tuple[equal.Command, ...]:
    """Return what ABC is told to compare a core with the specification."""
    return equal.OF_NETLIST if family else equal.OF_RTL


def _abc_commands(family: str | None) -> Iterator[equal.Command]:
    """Return all that ABC may be told in a proof, each once."""
    every = *_commands(family), *equal.OF_CASES_ALIKE, *equal.OF_CONTROL
    yield from dict.fromkeys(every)


class OutOfTime(AesforgeError):
    """More time has gone by than a proof may take."""


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise :class:`OutOfTime` when what is inside takes longer; a tool that runs is ended.

    Only in the main thread, where a signal can interrupt; elsewhere there is no limit.
    """
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise OutOfTime(f"it took more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


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
    """Prove a circuit that stands for a design equal to FIPS 197; see :func:`prove`.

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
        claim=claim_text(design),
        hashes={"core": circuit.digest},
        commands={
            "core": list(circuit.script),
            "abc": [command.text for command in _abc_commands(family)],
        },
        versions={
            "aesforge": __version__,
            "yosys": programs.version("yosys"),
            "abc": f"of pyosys {programs.version('abc')}",
            "python": platform.python_version(),
        },
    )
    run = _Run(proof, design, seconds, megabytes, say, circuit.sboxes)
    if circuit.sboxes:
        name = f"S-boxes: {len(circuit.sboxes)} found, each tried for every byte"
        proof.steps.append(Step(name, "proved", cases=len(circuit.sboxes)))
    try:
        # A core that gets blocks wrong is not worth the rest.
        if run.block(claims.core_of(circuit.cut or circuit.aig, design)):
            run.control(claims.core_of(circuit.aig, design))
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
    proof.seconds = time.monotonic() - started
    return proof


def claim_text(design: Design) -> str:
    """Return the claim for a design, as the certificate states it."""
    if design.is_key_expansion:
        where = "its output r" if design.is_unrolled else "the output, with out_round = r,"
        return (
            "After a reset, whenever in_valid and in_ready are up in a cycle t, and neither rst "
            f"nor zeroize is up from t to t + {design.latency_cycles}: for each r from 0 to "
            f"{design.rounds}, at t + {design.stages} r, out_valid of {where} is up, out_tag is "
            f"the in_tag of t, and the round key is w[4r..4r+3] of KEYEXPANSION(in_key) of FIPS "
            f"197 with {design.key_bits}-bit keys, for every key and tag and whatever else comes "
            "in at any time."
            + (
                ""
                if design.is_unrolled
                else " In no other cycle up to "
                f"t + {design.latency_cycles + design.stages} is out_valid up."
            )
        )
    function = {
        "encrypt": "CIPHER(block, key)",
        "decrypt": "INVCIPHER(block, key)",
        "both": "INVCIPHER(block, key) if in_decrypt came with it, else CIPHER(block, key)",
    }[design.direction]
    key = (
        "key = in_key"
        if design.is_agile
        else "key = the one for the block's slot accepted as soon as key_ready is up after the "
        "reset, at least "
        f"{claims.ready_after(design)} cycles before t, and no zeroize and no other key since"
    )
    each = " in each block" if design.blocks_per_beat > 1 else ""
    return (
        "After a reset, whenever in_valid and in_ready are up in a cycle t, with block = in_block "
        f"and {key}, and neither rst nor zeroize is high from t to t + {design.latency_cycles}: at "
        "t + "
        f"{design.latency_cycles} out_valid is up, out_tag is the in_tag of t, and "
        f"out_block{each} is {function} of FIPS 197 with {design.key_bits}-bit keys, for every "
        "block, key and tag and whatever else comes in at any time."
    )


def verify(path: Path, *, say: Say = lambda _: None) -> Proof:
    """Run the proof that a certificate tells of again.

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
        raise CheckFailed(f"the proof did not come out again: {new.result}, {new.reason}")
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


@dataclass
class _Run:
    """The steps of one proof."""

    proof: Proof
    design: Design
    seconds: float
    megabytes: int
    say: Say
    sboxes: tuple[Sbox, ...] = ()
    _rtl: Case | None = None
    _rtl_is_right: bool = False

    def _step(self, name: str) -> Step:
        self.say(name)
        step = Step(name=name)
        self.proof.steps.append(step)
        return step

    def _compare(
        self,
        step: Step,
        one: Aig,
        other: Aig,
        commands: Sequence[equal.Command] | None = None,
    ) -> equal.Comparison:
        """Compare two graphs within a step, which fails when a tool does."""
        try:
            found = equal.compare(
                one,
                other,
                _commands(self.proof.family) if commands is None else commands,
                seconds=self.seconds,
                megabytes=self.megabytes,
            )
        except ToolFailed as error:
            step.result = "not finished"
            raise ToolFailed(f"{step.name}: {error.message}") from None
        step.proofs += found.equal is not None
        step.sat_calls += found.sat_calls
        step.megabytes = max(step.megabytes, found.megabytes)
        return found

    @property
    def _kinds(self) -> set[str]:
        """The kinds of S-boxes for which another form stands."""
        return {sbox.kind for sbox in self.sboxes}

    def _form(self, style: str) -> int:
        """Return the form of S-boxes in the specification for those of a style in the core."""
        if sboxes.kind_of_style(style) in self._kinds:
            style = "tower"
        return SBOX_STYLES.index(_STAND_IN.get(style, style))

    def _specification(self, inverse: bool) -> Aig:
        design = self.design
        data, key = (self._form(style) for style in (design.sbox, design.key_sbox_style))
        if self.design.is_key_expansion:
            name = "KEYEXPANSION"
        else:
            name = "INVCIPHER" if inverse else "CIPHER"
        forms = circuits.Forms(data, key, both=design.direction == "both")
        found = circuits.specification(name, design.key_bits, forms)
        self.proof.hashes["specification"] = found.digest
        self.proof.commands[name] = list(found.script)
        return found.aig

    # --- The block

    def _by_rtl(self, step: Step, case: Case, specification: Aig | None) -> Aig:
        """Return what else a case of a netlist can be compared with: it is what is wanted, too.

        A netlist that decrypts differs from the specification so much that ABC searches for
        minutes. It has more in common with its RTL, and that with the specification.
        """
        if self._rtl is None:
            rtl = circuits.of_design(self.design, kinds=self._kinds)
            core = claims.core_of(rtl.cut or rtl.aig, self.design)
            every = core.cases(compare=partial(self._compare, step))
            self._rtl = next(of for of in every if of.has_block and of.inverse)
            self.say(f"its RTL: {len(self._rtl.graph.gates)} gates")
            wanted = wanted_of(self._rtl, specification)
            self._rtl_is_right = bool(
                self._compare(step, self._rtl.graph, wanted, equal.OF_RTL).equal
            )
        return (
            as_reference(self._rtl, case) if self._rtl_is_right else wanted_of(case, specification)
        )

    def block(self, core: Core) -> bool:
        """Show that blocks come out right, case by case, and say whether they do."""
        step = self._step(
            "every key: out_valid, out_tag and each round key at its computed cycle"
            if self.design.is_key_expansion
            else "every block: out_valid, out_tag, out_block at the computed cycle"
        )
        started = time.monotonic()
        specifications: dict[bool, Aig] = {}
        seen: set[str] = set()
        shown: dict[tuple[bool, str], Case] = {}
        tried: set[tuple[int, bool, str]] = set()
        for case in core.cases(self.say, partial(self._compare, step)):
            step.cases += 1
            if case.inverse not in specifications and (case.has_block or case.has_round_keys):
                specifications[case.inverse] = self._specification(case.inverse)
            # The first case of its kind is simulated: most faults show at once.
            kind = case.slot, case.inverse, case.label.partition(",")[0]
            if kind not in tried and case.has_block and case.sample is not None:
                tried.add(kind)
                wrong = find_mismatch(case, case.sample(1), specifications[case.inverse])
                if wrong is not None:
                    step.result = "not proved"
                    self.proof.reason = f"{case.label}: it differs from the specification"
                    self.proof.counterexample = wrong
                    break
            if case.digest in seen:
                continue
            seen.add(case.digest)
            self.say(f"{case.label}: {len(case.graph.gates)} gates")
            # Cases hardly differ: what is equal to one that was proved needs no specification.
            about = case.inverse, case.about
            if about in shown:
                same = as_reference(shown[about], case)
                if self._compare(step, case.graph, same, equal.OF_CASES_ALIKE).equal:
                    continue
            specification = specifications.get(case.inverse)
            wanted = wanted_of(case, specification)
            deciphers = self.proof.family is not None and case.inverse
            found = self._compare(step, case.graph, wanted, () if deciphers else None)
            if found.equal is None and deciphers:
                wanted = self._by_rtl(step, case, specification)
                found = self._compare(step, case.graph, wanted)
            if found.equal:
                shown[about] = case
            else:
                step.result = "not proved"
                self.proof.reason = f"{case.label}: " + (
                    "it differs from the specification"
                    if found.equal is False
                    else "the checker gave up"
                )
                if found.difference is not None:
                    self.proof.counterexample = counterexample(
                        case, wanted, found.difference, self.design.key_bits // 8
                    )
                break
        else:
            step.result = "proved"
        step.seconds = time.monotonic() - started
        return step.result == "proved"

    # --- Control

    def control(self, core: Core) -> None:
        """Show that control does not depend on secrets, and that `zeroize` leaves none."""
        step = self._step("constant time: in_ready, out_valid and key_ready depend on no secret")
        started = time.monotonic()
        secrets = control.secrets_in_control(core)
        self._finish(step, started, secrets, "control outputs depend on")
        step = self._step(
            "zeroize: no trace of a key or block in a register after "
            f"{self.design.zeroize_cycles} cycles"
        )
        started = time.monotonic()
        left = control.secrets_after_zeroize(core)
        self._finish(step, started, left, "after zeroization there may be a trace in")

    def _finish(self, step: Step, started: float, found: list[str], words: str) -> None:
        step.cases = 1
        step.seconds = time.monotonic() - started
        step.result = "not proved" if found else "proved"
        if found and not self.proof.reason:
            more = f" and {len(found) - 4} more" if len(found) > 4 else ""
            self.proof.reason = f"{words} {', '.join(found[:4])}{more}"


def wanted_of(case: Case, specification: Aig | None) -> Aig:
    """Return what a case must be equal to: a graph with its inputs and outputs."""
    builder = Builder(case.graph.inputs)
    given = [builder.input_named(name) for name in case.inputs]
    wanted: dict[str, int] = {"valid": TRUE}
    if case.has_block or case.has_round_keys:
        assert specification is not None
        key, block = (given[:-128], given[-128:]) if case.has_block else (given, [])
        passed = {f"key[{i}]": bit for i, bit in enumerate(key)}
        passed |= {f"block[{i}]": bit for i, bit in enumerate(block)}
        result = builder.copy(specification, [passed[name] for name in specification.inputs])
        for name, bit in zip(specification.outputs, result, strict=True):
            wanted[name.replace("result", "block")] = bit
    else:
        wanted |= {f"tag[{i}]": bit for i, bit in enumerate(given)}
    # The tag of a round key is that of the key: `tag[3] of 7`.
    return builder.finish((name, wanted[name.partition(" ")[0]]) for name in case.graph.outputs)


def as_reference(before: Case, case: Case) -> Aig:
    """Return a case that was proved as a graph with the inputs and outputs of another one."""
    graph = before.alone
    builder = Builder(case.graph.inputs)
    names = dict(zip(before.inputs, case.inputs, strict=True))
    found = builder.copy(graph, [builder.input_named(names[name]) for name in graph.inputs])
    return builder.finish(zip(graph.outputs, found, strict=True))


def find_mismatch(case: Case, sample: Sample, specification: Aig) -> CounterExample | None:
    """Return one of some random blocks that comes out wrong, if there is one."""
    import numpy as np

    keys = len(case.inputs) - 128
    names = [f"key[{bit}]" for bit in range(keys)] + [f"block[{bit}]" for bit in range(128)]
    rows = dict(zip(names, sample.inputs, strict=True))
    values = specification.simulate(np.array([rows[name] for name in specification.inputs]))
    wanted = value_of(values, specification.bits_out("result"))
    wrong = np.bitwise_or.reduce(sample.outputs ^ wanted, axis=0) | ~sample.valid
    if not wrong.any():
        return None
    word = int(np.flatnonzero(wrong)[0])
    place = int(wrong[word]).bit_length() - 1

    def hexed(bits: Any) -> str:
        number = sum((int(bit) >> place & 1) << n for n, bit in enumerate(bits))
        return number.to_bytes(len(bits) // 8, "big").hex()

    return CounterExample(
        case=case.label,
        decrypt=case.inverse,
        out_valid=bool(int(sample.valid[word]) >> place & 1),
        key=hexed(sample.inputs[:keys, word]),
        block=hexed(sample.inputs[keys:, word]),
        slot=case.slot,
        got=hexed(sample.outputs[:, word]),
        wanted=hexed(wanted[:, word]),
    )


def counterexample(
    case: Case, wanted: Aig, inputs: dict[str, bool], key_bytes: int
) -> CounterExample:
    """Return an input in which a case goes wrong, in words and hex strings."""

    def number(bits: Sequence[bool]) -> int:
        return sum(int(bit) << place for place, bit in enumerate(bits))

    got, right = equal.outputs_at(case.graph, inputs), equal.outputs_at(wanted, inputs)
    given = [inputs[name] for name in case.inputs]
    example = CounterExample(
        case=case.label,
        decrypt=case.inverse,
        out_valid=got["valid"],
        slot=case.slot,
        others={name: inputs[name] for name in sorted(case.foreign)},
    )
    if case.has_block:
        example.key = number(given[:-128]).to_bytes(key_bytes, "big").hex()
        example.block = number(given[-128:]).to_bytes(16, "big").hex()
        for what, outputs in (("got", got), ("wanted", right)):
            value = number([outputs[f"block[{bit}]"] for bit in range(128)])
            setattr(example, what, value.to_bytes(16, "big").hex())
    elif case.has_round_keys:
        example.key = number(given).to_bytes(key_bytes, "big").hex()
        width = sum(name.startswith("words[") for name in right)
        for what, outputs in (("got", got), ("wanted", right)):
            value = number([outputs[f"words[{bit}]"] for bit in range(width)])
            setattr(example, what, value.to_bytes(width // 8, "big").hex())
    else:
        # Any key and block will show it.
        example.key, example.block = "00" * key_bytes, "00" * 16
        example.tag = f"{number(given):x}"
        names = [name for name in right if name != "valid"]
        for what, outputs in (("got", got), ("wanted", right)):
            setattr(example, what, f"{number([outputs[name] for name in names]):x}")
    return example

# SPDX-License-Identifier: Apache-2.0
"""The steps of one proof: every block, constant time, zeroize, the handshakes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from aesforge.design import SBOX_STYLES, Design
from aesforge.devices.families import family
from aesforge.errors import ToolFailed
from aesforge.netlist.aig import Aig
from aesforge.prove import circuit as circuits
from aesforge.prove.analysis import sboxes
from aesforge.prove.analysis.sboxes import Sbox
from aesforge.prove.certificate import RECOGNIZE, Proof, Step
from aesforge.prove.counterexample import counterexample, find_mismatch
from aesforge.prove.engines import equal, reach
from aesforge.prove.properties import claim, control, handshake, key_load
from aesforge.prove.properties.case import Case, as_reference, wanted_of
from aesforge.prove.properties.core import Core

Say = Callable[[str], None]

# An S-box in block RAM is a table; its form without registers is that of the tables.
_STAND_IN = {"bram": "table"}


def commands_for(family: str | None) -> tuple[equal.Command, ...]:
    """Return ABC's commands to compare a core with the specification."""
    return equal.OF_NETLIST if family else equal.OF_RTL


def all_commands(family: str | None) -> Iterator[equal.Command]:
    """Return all commands of ABC that a proof may use, each once."""
    every = *commands_for(family), *equal.OF_CASES_ALIKE, *equal.OF_CONTROL, reach.REACH
    yield from dict.fromkeys(every)


@dataclass
class Steps:
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
                commands_for(self.proof.family) if commands is None else commands,
                algebra=self.proof.route == RECOGNIZE,
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
        """The kinds of S-boxes that another form replaces."""
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
            core = claim.core_of(rtl.cut or rtl.aig, self.design)
            every = claim.cases(core, compare=partial(self._compare, step))
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
        """Prove the output blocks, case by case; return whether they are right."""
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
        for case in claim.cases(core, self.say, partial(self._compare, step)):
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
            # Cases hardly differ: one equal to a proved case needs no specification.
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
        words = "zeroize: no trace of a key or block in a register after"
        cycles = self.design.zeroize_cycles
        step = self._step(f"{words} {cycles} cycles")
        started = time.monotonic()
        left = control.secrets_after_zeroize(core, cycles)
        more = family(self.proof.family).shift_register_cycles if self.proof.family else 0
        if left and more:
            # A shift register in a look-up table keeps what has passed the place that is read.
            cycles += more
            step.name = f"{words} {cycles} cycles, {more} of them for shift registers"
            left = control.secrets_after_zeroize(core, cycles)
        self._finish(step, started, left, "after zeroization there may be a trace in")

    def handshakes(self, core: Core) -> None:
        """Prove when `out_valid` is low and when `in_ready` is high, from a reset on."""
        idle = self._step("idle: out_valid is low when nothing is due")
        self._never(idle, [handshake.idle(core)])
        ready = self._step(
            "ready: in_ready is low only with a reason, for blocks at most "
            f"{handshake.longest_wait(self.design)} cycles in a row"
        )
        self._never(ready, handshake.ready(core))

    def other_keys(self, core: Core) -> None:
        """Prove that a key load changes no key that a block may need; of the core of the blocks."""
        if self.design.is_agile:
            return
        if core.has_slots:
            step = self._step(
                "key loads: a key stays, whatever is loaded into other slots; a new key for its "
                "slot waits for blocks under it"
            )
            loads = core.key_loads.items()
            self._never(step, (key_load.changed(core, slot, load) for slot, load in loads))
        else:
            step = self._step("key loads: no key is accepted while a block is in the core")
            self._never(step, [key_load.accepted_too_soon(core)])

    def _never(self, step: Step, questions: Iterable[handshake.Question]) -> None:
        """Prove that what is asked for never happens."""
        started = time.monotonic()
        step.result = "proved"
        for question in questions:
            step.cases += 1
            found = self._reached(step, question)
            if not found.never and question.exact is not None:
                question = question.exact()
                found = self._reached(step, question)
            if not found.never:
                step.result = "not proved"
                reason = f"{question.words}, {found.cycle + 1} cycles after a reset"
                self.proof.reason = self.proof.reason or reason
                break
        step.seconds = time.monotonic() - started

    def _reached(self, step: Step, question: handshake.Question) -> reach.Answer:
        """Ask whether what a question is about can happen, within a step."""
        try:
            found = reach.reaches(
                question.machine, question.wrong, seconds=self.seconds, megabytes=self.megabytes
            )
        except ToolFailed as error:
            step.result = "not finished"
            raise ToolFailed(f"{step.name}: {error.message}") from None
        step.proofs += found.never
        step.megabytes = max(step.megabytes, found.megabytes)
        return found

    def _finish(self, step: Step, started: float, found: list[str], words: str) -> None:
        step.cases = 1
        step.seconds = time.monotonic() - started
        step.result = "not proved" if found else "proved"
        if found and not self.proof.reason:
            more = f" and {len(found) - 4} more" if len(found) > 4 else ""
            self.proof.reason = f"{words} {', '.join(found[:4])}{more}"

# SPDX-License-Identifier: Apache-2.0
"""Repeat a counterexample in simulation: the core that was refuted, compiled by Verilator.

A proof that fails names a key and a block, for a core in any state. The simulation starts from a
reset: it sends the block alone, then many times among others, with other keys, tags and slots, at
other distances, and every second time beside loads of other keys. What is wrong with it then does
not hang on the prover.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesforge.design import Design, load_choices
from aesforge.errors import AesforgeError, CheckFailed, UsageError
from aesforge.prove.certificate import CounterExample, Proof, read
from aesforge.prove.synthesis import sources

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aesforge.simulate import Simulator

_AMONG_OTHERS = 48


@dataclass
class Replay:
    """What came of it; every field is JSON-able."""

    design: str
    core: str
    """RTL, or the family whose netlist it is, and how many changes were made to it."""
    case: str
    key: str
    block: str
    decrypt: bool
    expected: str
    got: str
    """The first wrong answer, or the right one."""
    reproduced: bool
    how: str
    """In which situation it went wrong."""

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return dataclasses.asdict(self)

    def text(self) -> str:
        """Return it for people, several lines."""
        verdict = f"a fault, {self.how}" if self.reproduced else "right: no fault is reproduced"
        return "\n".join(
            [
                f"core      {self.design}, {self.core}",
                f"case      {self.case}",
                f"key       {self.key}",
                f"block     {self.block}, to be {'de' if self.decrypt else 'en'}crypted",
                f"expected  {self.expected}",
                f"got       {self.got}",
                f"result    {verdict}",
            ]
        )


def replay_file(path: Path) -> Replay:
    """Repeat the counterexample of a certificate.

    Args:
        path: as `aesforge prove -o` writes it for a core that is not proved.

    Raises:
        UsageError: the file is no certificate, or has no counterexample with a key.
    """
    proof = read(path)
    example = proof.counterexample
    if example is None or not example.key:
        raise UsageError(
            f"'{path}' holds no counterexample with a key to replay: its result is "
            f"'{proof.result}'{f', {proof.reason}' if proof.reason else ''}"
        )
    design = load_choices(str(path), {k: v for k, v in proof.design.items() if v is not None})
    size = design.key_bits // 8
    for what, text, length in (
        ("key", example.key, size),
        ("block", example.block or "00" * 16, 16),
    ):
        try:
            right = len(bytes.fromhex(text)) == length
        except ValueError:
            right = False
        if not right:
            raise UsageError(f"'{path}': the counterexample's {what} is not {length} bytes in hex")
    return replay_of(proof, design, example)


def replay_of(proof: Proof, design: Design, example: CounterExample) -> Replay:
    """Repeat a counterexample on the core that a proof is about.

    Args:
        proof: which names the family, the recipe and the changes.
        design: the core.
        example: with a key.

    Raises:
        ToolFailed: the netlist was not written, or the simulation not compiled.
        ToolMissing: a tool is not installed.
    """
    with tempfile.TemporaryDirectory() as name:
        files = sources(Path(name), design, proof.family, proof.recipe, proof.changes)
        return replay(design, example, files, core=proof.core_words())


def replay(
    design: Design, example: CounterExample, files: Sequence[Path] | None = None, core: str = "RTL"
) -> Replay:
    """Send a counterexample's block through a simulated core, alone and among others.

    Args:
        design: the core.
        example: with a key.
        files: the sources that were refuted, instead of the package's own.
        core: description of them, for messages.
    """
    from aesforge.simulate import Simulator

    key, block = bytes.fromhex(example.key), bytes.fromhex(example.block or "00" * 16)
    expected = expected_of(design, key, block, example.decrypt)
    found = Replay(
        design=design.name,
        core=core,
        case=example.case,
        key=example.key,
        block=block.hex(),
        decrypt=example.decrypt,
        expected=expected.hex(),
        got=expected.hex(),
        reproduced=False,
        how="",
    )
    with Simulator(design, optimize="build", rtl=files) as simulator:
        for number in range(1 + _AMONG_OTHERS):
            try:
                wrong = _try(simulator, design, example, key, block, expected, number)
            except CheckFailed as error:
                wrong = error.message.split("\n")[0]
            except AesforgeError as error:
                wrong = f"the simulation ended: {error.message.splitlines()[0]}"
            if wrong:
                found.got, found.reproduced = wrong, True
                found.how = f"among other blocks, try {number}" if number else "alone after a reset"
                break
    return found


def expected_of(design: Design, key: bytes, block: bytes, decrypt: bool) -> bytes:
    """Return what a core should answer, as OpenSSL has it (round keys: as our model has it)."""
    if design.is_key_expansion:
        from aesforge.reference import key_expansion

        return b"".join(key_expansion(key))
    from aesforge.reference import openssl

    return openssl.ecb(key, block, decrypt=decrypt)


def _try(
    simulator: Simulator,
    design: Design,
    example: CounterExample,
    key: bytes,
    block: bytes,
    expected: bytes,
    number: int,
) -> str:
    """Send the block, and return what is wrong with the answer, or nothing.

    Try 0 is the block alone. Later ones have others before and after it, with other keys in other
    slots; every second one loads keys into other slots meanwhile, and a new one into the block's
    slot after it. In the rest the others' answers must be right too.
    """
    import numpy as np

    from aesforge.reference.openssl import ecb_each
    from aesforge.simulate import BESIDE, BLOCK, IDLE, LOAD, RESET, WAIT

    rng = np.random.default_rng(number)
    rows: list[dict[str, Any]] = [{"op": RESET, "arg": 1}, {"op": IDLE, "arg": 2 + number % 5}]
    slot = example.slot
    loaded = {"op": LOAD, "slot": slot, "key": key}
    tag = int(example.tag or "0", 16) if number == 0 else int(rng.integers(0, 1 << 62))
    tag &= (1 << design.tag_bits) - 1
    ours = {
        "op": BLOCK,
        "slot": slot,
        "key": key if design.is_agile else rng.bytes(32),
        "block": block * design.blocks_per_beat,
        "decrypt": example.decrypt,
        "tag": tag,
    }
    every = [slot] if design.is_agile else list(range(design.key_slots or 1))
    keys = {slot: key}
    # A slot without a key takes one at once; another one waits until the blocks are out. So a key
    # and a block meet at each distance, once, and else anywhere.
    spaced = number % 4 == 1
    slots = [slot] if number == 0 or spaced else every
    if not design.is_agile:
        for other in slots:
            if other != slot:
                keys[other] = rng.bytes(32)[: len(key)]
                rows.append({"op": LOAD, "slot": other, "key": keys[other]})
        rows += [loaded, {"op": WAIT}]

    def others(count: int) -> list[dict[str, Any]]:
        return [
            {
                "op": BLOCK,
                "slot": int(rng.choice(slots)),
                "key": rng.bytes(32),
                "block": rng.bytes(16 * design.blocks_per_beat),
                "decrypt": (bool(rng.integers(0, 2)) and design.direction == "both")
                or design.direction == "decrypt",
                "tag": int(rng.integers(0, 1 << 62)) & ((1 << design.tag_bits) - 1),
            }
            for _ in range(count)
        ]

    def load_beside(slot: int) -> list[dict[str, Any]]:
        longest = design.latency_cycles + (design.key_load_cycles or 0)
        wait = number // 4 if spaced else int(rng.integers(0, longest + 2))
        load = {"op": LOAD, "slot": slot, "key": rng.bytes(32), "flags": BESIDE}
        return [load, {"op": IDLE, "arg": wait}]

    before = others(int(rng.integers(0, 2 + 2 * number))) if number else []
    rows += before
    if number % 3 == 2:
        rows.append({"op": IDLE, "arg": int(rng.integers(1, 2 * design.latency_cycles + 2))})
    beside = number % 2 == 1 and not design.is_agile
    if beside and len(every) > 1:
        if spaced:
            rows.append({"op": WAIT})
        rows += load_beside(int(rng.choice([other for other in every if other != slot])))
    rows.append(ours)
    if beside:
        rows += load_beside(int(rng.choice(every)))
    rows += others(int(rng.integers(0, 2 + 2 * number))) if number else []
    if design.is_key_expansion:
        # A spurious output is reported with the next key.
        rows += [{"op": WAIT}, *others(1)]
    rows.append({"op": WAIT})
    ops = _ops(simulator, rows)
    answers, sent = simulator.run(ops).rows, ops[ops["op"] == BLOCK]
    if len(answers) != len(sent):
        return f"{len(answers)} answers to {len(sent)} blocks"
    answer = answers[len(before)]
    took = int(answer["out_cycle"]) - int(answer["in_cycle"])
    data = bytes(answer["block"])
    if design.is_key_expansion:
        strays = sum(int(bytes(row["block"])[-1]) for row in answers)
        if strays:
            return f"{strays} round keys that no key had asked for"
        data, cycles = data[: len(expected)], list(data[len(expected) :][: design.rounds + 1])
        if cycles != [number * design.stages for number in range(design.rounds + 1)]:
            return f"round keys after {cycles} cycles"
    elif took != design.latency_cycles:
        return f"an answer after {took} cycles, not {design.latency_cycles}"
    if int(answer["tag"]) != tag:
        return f"tag {int(answer['tag']):x} in place of {tag:x}"
    if data != expected * design.blocks_per_beat:
        return data.hex()
    if beside or design.is_key_expansion:
        return ""
    own = sent["key"].copy()
    if not design.is_agile:
        for each, its_key in keys.items():
            own[sent["slot"] == each, : len(key)] = list(its_key)
    right = ecb_each(own, sent["block"], sent["decrypt"].astype(bool), design.key_bits)
    wrong = answers["block"][(answers["block"] != right).any(axis=1)]
    return f"right, but another block came out as {bytes(wrong[0]).hex()}" if len(wrong) else ""


def _ops(simulator: Simulator, rows: Sequence[dict[str, Any]]) -> NDArray[Any]:
    """Return operations by their fields."""
    ops = simulator.new_ops(len(rows))
    for place, row in enumerate(rows):
        for field, value in row.items():
            if isinstance(value, bytes):
                ops[field][place][: len(value)] = list(value[: ops[field].shape[1]])
            else:
                ops[field][place] = value
    return ops

# SPDX-License-Identifier: Apache-2.0
"""One core undoes the other: decrypt(encrypt(x, k), k) = x, for every block and key.

No single comparison shows it of two cores. It follows from lemmas, each proved: the one core is
CIPHER(), the other is INVCIPHER(), and INVCIPHER() undoes CIPHER(), which is a statement about the
specification alone and is shown transformation by transformation.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aesforge.design import SBOX_STYLES, Design
from aesforge.errors import AesforgeError, UsageError
from aesforge.netlist.aig import Aig, Builder
from aesforge.prove import circuit
from aesforge.prove.certificate import Proof
from aesforge.prove.engines import equal


@dataclass
class Lemma:
    """A statement, and what became of it."""

    statement: str
    result: str
    """`proved`, `not proved` or `not finished`."""
    reason: str = ""
    specification: str = ""
    """SHA-256 of the specification that it speaks of."""
    sat_calls: int = 0
    seconds: float = 0.0


@dataclass
class Chain:
    """Lemmas, and their conclusion; every field is JSON-able."""

    statement: str
    lemmas: list[Lemma] = field(default_factory=list)

    @property
    def result(self) -> str:
        """`proved` when every lemma is and all speak of one specification."""
        results = {lemma.result for lemma in self.lemmas}
        if len({lemma.specification for lemma in self.lemmas}) > 1:
            return "not proved"
        for worst in ("not proved", "not finished"):
            if worst in results:
                return worst
        return "proved"

    def as_dict(self) -> dict[str, Any]:
        """Return the chain for JSON."""
        return {**dataclasses.asdict(self), "result": self.result}

    def text(self) -> str:
        """Return the chain for people, a line for each lemma."""
        lines = []
        for number, lemma in enumerate(self.lemmas, start=1):
            spent = f"{lemma.sat_calls:,} SAT calls, {lemma.seconds:.1f} s"
            reason = f": {lemma.reason}" if lemma.reason else ""
            lines.append(f"lemma {number}   {lemma.result}{reason}: {lemma.statement} ({spent})")
        lines.append(f"all of     the specification with SHA-256 {self.lemmas[0].specification}")
        lines.append(f"hence     {self.statement}")
        lines.append(f"result    {self.result}")
        return "\n".join(lines)


def prove_inverse(
    design: Design,
    by: Design,
    prove: Callable[[Design], Proof],
    *,
    seconds: float = 600.0,
    megabytes: int = 8000,
) -> Chain:
    """Show that one core undoes another.

    Args:
        design: encrypts.
        by: decrypts; the same design when it does both.
        prove: gives the proof of a design.
        seconds: the longest that one call of the checker may take.
        megabytes: the most memory that it may address.

    Raises:
        UsageError: the two are not such a pair.
    """
    for one, direction in ((design, "encrypt"), (by, "decrypt")):
        if one.is_key_expansion or one.direction not in (direction, "both"):
            raise UsageError(
                f"{one.name} does not {direction}: name a core that encrypts, and --inverse-of one "
                "that decrypts"
            )
    if design.key_bits != by.key_bits:
        raise UsageError(
            f"{design.name} has {design.key_bits}-bit keys, {by.name} {by.key_bits}-bit keys: "
            "neither undoes the other"
        )
    chain = Chain(
        f"when {by.name} gets what {design.name} makes of a block, with the same key, it gives "
        "the block back, for every block and key"
    )
    pairs = [(design, "CIPHER"), (by, "INVCIPHER")]
    proofs: dict[int, Proof] = {}
    for one, function in pairs:
        proof = proofs.get(id(one)) or prove(one)
        proofs[id(one)] = proof
        chain.lemmas.append(
            Lemma(
                f"{one.name} is {function}: {proof.summary}",
                proof.result,
                proof.reason.split("\n")[0],
                proof.hashes.get("specification", ""),
                proof.sat_calls,
                proof.seconds,
            )
        )
    chain.lemmas += of_specification(design.key_bits, seconds=seconds, megabytes=megabytes)
    return chain


# --- The specification alone

Step = tuple[str, int]
"""A transformation, and of ADDROUNDKEY the number of the round key."""

_UNDOES = {
    "INVSUBBYTES": "SUBBYTES",
    "INVSHIFTROWS": "SHIFTROWS",
    "INVMIXCOLUMNS": "MIXCOLUMNS",
    "ADDROUNDKEY": "ADDROUNDKEY",
}


def cipher_steps(rounds: int) -> list[Step]:
    """Return the transformations of CIPHER() in their order (Algorithm 1)."""
    steps = [("ADDROUNDKEY", 0)]
    for number in range(1, rounds + 1):
        steps += [("SUBBYTES", 0), ("SHIFTROWS", 0)]
        steps += [("MIXCOLUMNS", 0)] if number < rounds else []
        steps += [("ADDROUNDKEY", number)]
    return steps


def inv_cipher_steps(rounds: int) -> list[Step]:
    """Return the transformations of INVCIPHER() in their order (Algorithm 3)."""
    steps = [("ADDROUNDKEY", rounds)]
    for number in range(rounds - 1, -1, -1):
        steps += [("INVSHIFTROWS", 0), ("INVSUBBYTES", 0), ("ADDROUNDKEY", number)]
        steps += [("INVMIXCOLUMNS", 0)] if number > 0 else []
    return steps


def cancelled(steps: list[Step]) -> list[Step]:
    """Leave out each transformation with one right after it that undoes it, again and again."""
    left: list[Step] = []
    for name, number in steps:
        if left and left[-1] == (_UNDOES.get(name, ""), number):
            left.pop()
        else:
            left.append((name, number))
    return left


def of_specification(
    key_bits: int, *, seconds: float = 600.0, megabytes: int = 8000
) -> list[Lemma]:
    """Prove INVCIPHER(CIPHER(x, w), w) = x for every block x and all words w of a key schedule.

    More than is needed: the words need not come of a key.
    """
    started = time.monotonic()
    rounds, tower = key_bits // 32 + 6, SBOX_STYLES.index("tower")
    forms = circuit.Forms(tower, tower)
    circuits = {
        name: circuit.specification(name, key_bits, forms)
        for name in ("SUBBYTES", "INVSUBBYTES", "MIXCOLUMNS", "INVMIXCOLUMNS")
    }
    digest = circuits["SUBBYTES"].digest
    lemmas: list[Lemma] = []

    def lemma(statement: str, holds: bool, reason: str = "", sat_calls: int = 0) -> None:
        nonlocal started
        now = time.monotonic()
        result = "proved" if holds else "not proved"
        spent = now - started
        lemmas.append(Lemma(statement, result, "" if holds else reason, digest, sat_calls, spent))
        started = now

    forward, backward = circuit.specified_tables()
    lemma(
        "INVSBOX(SBOX(b)) = b, for each of 256 bytes; so INVSUBBYTES() undoes SUBBYTES()",
        all(backward[forward[byte]] == byte for byte in range(256)),
        "it differs",
    )
    there, back = shift_rows(1), shift_rows(-1)
    lemma(
        "INVSHIFTROWS() undoes SHIFTROWS(), byte by byte",
        all(there[back[place]] == place for place in range(16)),
        "it differs",
    )
    lemma(
        "INVMIXCOLUMNS() undoes MIXCOLUMNS(): both are sums of input bits, and one matrix times "
        "the other is the identity",
        undoes(
            linear_forms(circuits["INVMIXCOLUMNS"].aig), linear_forms(circuits["MIXCOLUMNS"].aig)
        ),
        "the product is another matrix",
    )
    for name, steps in (
        ("CIPHER", cipher_steps(rounds)),
        ("INVCIPHER", inv_cipher_steps(rounds)),
    ):
        whole = circuit.specification(f"{name} of words", key_bits, forms).aig
        parts = {part: found.aig for part, found in circuits.items()}
        made = composed(steps, parts, whole.inputs, rounds)
        found = equal.compare(whole, made, seconds=seconds, megabytes=megabytes)
        lemma(
            f"{name}() with {rounds} rounds is these transformations and ADDROUNDKEY(), "
            f"{len(steps)} of them in the standard's order",
            found.equal is True,
            "it differs" if found.equal is False else "the checker gave up",
            found.sat_calls,
        )
    steps = cipher_steps(rounds) + inv_cipher_steps(rounds)
    lemma(
        f"so INVCIPHER(CIPHER(x, w), w) = x: of {len(steps)} transformations each meets the one "
        "that undoes it, from the middle outwards, and nothing is left",
        not cancelled(steps),
        f"{cancelled(steps)} is left",
    )
    return lemmas


def shift_rows(sign: int) -> list[int]:
    """Return for each byte the one that replaces it (Sec. 5.1.2; 5.3.1 for a sign of -1)."""
    return [r + 4 * ((c + sign * r) % 4) for c in range(4) for r in range(4)]


def composed(steps: list[Step], parts: dict[str, Aig], inputs: list[str], rounds: int) -> Aig:
    """Return the graph of transformations one after the other, of a block and words."""
    builder = Builder(inputs)
    state = [builder.input_named(f"block[{bit}]") for bit in range(128)]
    for name, number in steps:
        if name == "ADDROUNDKEY":
            low = 128 * (rounds - number)
            words = [builder.input_named(f"words[{low + bit}]") for bit in range(128)]
            state = [_sum(builder, a, b) for a, b in zip(state, words, strict=True)]
        elif name.endswith("SHIFTROWS"):
            # Byte 0 is at the top.
            source = shift_rows(-1 if name.startswith("INV") else 1)
            state = [state[8 * (15 - source[15 - bit // 8]) + bit % 8] for bit in range(128)]
        else:
            given = {f"s[{bit}]": literal for bit, literal in enumerate(state)}
            part = parts[name]
            at = dict(
                zip(
                    part.outputs,
                    builder.copy(part, [given[name] for name in part.inputs]),
                    strict=True,
                )
            )
            state = [at[f"result[{bit}]"] for bit in range(128)]
    return builder.finish((f"result[{bit}]", literal) for bit, literal in enumerate(state))


def _sum(builder: Builder, a: int, b: int) -> int:
    """Return a XOR b."""
    return builder.conjunction(builder.conjunction(a, b) ^ 1, builder.conjunction(a ^ 1, b ^ 1) ^ 1)


def linear_forms(graph: Aig) -> list[int]:
    """Return each output of a graph of sums as the set of inputs it adds up: bit n for `s[n]`.

    Exact: a gate is followed only where it is the sum of two literals, or a part of one.

    Raises:
        AesforgeError: the graph has something else in it.
    """
    one = 1 << 128  # the constant term
    forms: dict[int, int] = {0: 0}
    for place, name in enumerate(graph.inputs):
        forms[1 + place] = 1 << int(name[2:-1])

    def gate(literal: int) -> tuple[int, int] | None:
        number = (literal >> 1) - graph.first_gate
        return graph.gates[number] if number >= 0 else None

    def form(literal: int) -> int:
        return forms[literal >> 1] ^ (one if literal & 1 else 0)

    for number, (a, b) in enumerate(graph.gates):
        inner = gate(a), gate(b)
        if not (a & b & 1) or inner[0] is None or inner[1] is None:
            continue
        # NOT(x y) NOT(NOT x NOT y) is x + y.
        if {literal ^ 1 for literal in inner[0]} == set(inner[1]):
            x, y = inner[0]
            if x >> 1 in forms and y >> 1 in forms:
                forms[graph.first_gate + number] = form(x) ^ form(y)
    missing = [lit for lit in graph.output if lit >> 1 not in forms]
    if missing:
        raise AesforgeError(f"{len(missing)} bits are no sums of input bits")
    at = dict(zip(graph.outputs, graph.output, strict=True))
    return [form(at[f"result[{bit}]"]) for bit in range(len(at))]


def undoes(second: list[int], first: list[int]) -> bool:
    """Return whether one list of sums after another gives every bit back."""
    for bit, terms in enumerate(second):
        total = terms & (1 << 128)
        for place in range(128):
            if terms >> place & 1:
                total ^= first[place]
        if total != 1 << bit:
            return False
    return True

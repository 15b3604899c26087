# SPDX-License-Identifier: Apache-2.0
"""Find, record and write the tower-field S-box of ``rtl/sbox/aesforge_sbox_tower.sv``.

The algebra. GF(2^8) holds one field of 16 elements, GF(16), and that holds GF(4). Every element X
has its norm N = X^17 in GF(16), and 1/X = X^16 / N: one inversion of four bits, which is one
4-input LUT a bit, and products by its result. An element is written as two coordinates in GF(16),

    h = T(theta_0 X),  l = T(theta_1 X),      T(z) = z + z^16,

and a coordinate as its three GF(4) values phi_j(z) = t(k_j z), t(z) = z + z^4, of which any two are
a basis and the third saves a product (Karatsuba). A bit of a product of two GF(4) elements is one
4-input LUT. All bases of GF(256) over GF(16) and of GF(16) over GF(4), normal and polynomial ones
among them, are choices of theta and k: 136 pairs of lines times 25 scalings times 10 triples =
34,000 representations for each direction. The circuit has these wires, in this order:

    u   linear forms of x             q  GF(4) products of h by l, bit by bit
    d   the norm (sums of q)          e  the inverse of the norm
    p   products of h and l by e and their sums, the last of which are the output bits

The search. ``search`` ranks all representations by an estimate (forms that are not an input bit,
LUTs for p), builds starting circuits for the best, with random bases of the norm, and improves
each with ``tower_anneal.cpp``: simulated annealing that re-expresses one LUT at a time over the
others, judged on the whole truth table. The best is kept in ``tower_sbox.toml``; ``emit`` writes
the SystemVerilog from that record alone. The norm's four bits are never changed by the search;
every other wire is classified again afterwards (``wire_kinds``).

    python scripts/tower_sbox.py search forward     prints what it tries, minutes (needs g++)
    python scripts/tower_sbox.py emit               writes the .sv and sbox_levels.py (or --check)
    python scripts/tower_sbox.py show               levels, LUTs and registers of the record
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from make_sbox_tables import forward_table, inverse_table, multiply

SCRIPTS = Path(__file__).resolve().parent
RECORD = SCRIPTS / "tower_sbox.toml"
TARGET = SCRIPTS.parent / "rtl" / "sbox" / "aesforge_sbox_tower.sv"
LEVELS_TARGET = SCRIPTS.parent / "src" / "aesforge" / "design" / "sbox_levels.py"
DIRECTIONS = ("forward", "inverse", "both")
# LUT levels of MixColumns and AddRoundKey, which follow an S-box in a round.
LINEAR_LEVELS = 3

# ---- the fields ------------------------------------------------------------------------------

MUL = [[multiply(a, b) for b in range(256)] for a in range(256)]


def power(a: int, exponent: int) -> int:
    """a^exponent in GF(2^8)."""
    result = 1
    for _ in range(exponent):
        result = MUL[result][a]
    return result


def product(*factors: int) -> int:
    """Product of any number of elements of GF(2^8)."""
    result = 1
    for factor in factors:
        result = MUL[result][factor]
    return result


SQUARE = [MUL[a][a] for a in range(256)]
CONJUGATE = [power(a, 16) for a in range(256)]
RECIPROCAL = [power(a, 254) for a in range(256)]
NORM = [MUL[a][CONJUGATE[a]] for a in range(256)]
GF16 = [a for a in range(256) if CONJUGATE[a] == a]
GF4 = [a for a in GF16 if SQUARE[SQUARE[a]] == a]
UNITS16 = [a for a in GF16 if a]
UNITS4 = [a for a in GF4 if a]
OMEGA = next(a for a in GF4 if a > 1)


def trace_256_16(z: int) -> int:
    """T: GF(256) -> GF(16)."""
    return z ^ CONJUGATE[z]


def trace_16_4(z: int) -> int:
    """t: GF(16) -> GF(4)."""
    return z ^ SQUARE[SQUARE[z]]


def trace_4(z: int) -> int:
    """GF(4) -> GF(2)."""
    return z ^ SQUARE[z]


def trace_16(z: int) -> int:
    """GF(16) -> GF(2)."""
    return trace_4(trace_16_4(z))


def trace_256(z: int) -> int:
    """GF(256) -> GF(2)."""
    return trace_16(trace_256_16(z))


FORWARD = forward_table()
AFFINE = [FORWARD[RECIPROCAL[v]] ^ 0x63 for v in range(256)]
AFFINE_INVERSE = [AFFINE.index(v) for v in range(256)]


def output_functional(bit_of: Sequence[int], bit: int) -> int:
    """Return the gamma for which ``bit`` of ``bit_of`` of X is trace_256(gamma X)."""
    return next(
        g
        for g in range(256)
        if all(trace_256(MUL[g][1 << k]) == bit_of[1 << k] >> bit & 1 for k in range(8))
    )


# Functionals of 1/X that are the output bits: of the forward S-box (but for 0x63), of the inverse.
GAMMA = (
    [output_functional(AFFINE, i) for i in range(8)],
    [output_functional(list(range(256)), i) for i in range(8)],
)


def form_of(theta: int, inverse: int) -> tuple[int, int]:
    """Return trace_256(theta X) as (mask, constant) over x.

    X is x, or for the inverse A^-1(x + 0x63).
    """
    if not inverse:
        return sum(trace_256(MUL[theta][1 << k]) << k for k in range(8)), 0
    mask = sum(trace_256(MUL[theta][AFFINE_INVERSE[1 << k]]) << k for k in range(8))
    return mask, trace_256(MUL[theta][AFFINE_INVERSE[0x63]])


FORM = [[form_of(theta, inverse) for theta in range(256)] for inverse in (0, 1)]


def solve(vectors: Sequence[int], target: int) -> int | None:
    """Mask of ``vectors`` that sum to ``target`` over GF(2), or None."""
    basis: dict[int, tuple[int, int]] = {}
    for i, vector in enumerate(vectors):
        mask = 1 << i
        while vector:
            top = vector.bit_length()
            if top not in basis:
                basis[top] = (vector, mask)
                break
            vector, mask = vector ^ basis[top][0], mask ^ basis[top][1]
    result = 0
    while target:
        top = target.bit_length()
        if top not in basis:
            return None
        target, result = target ^ basis[top][0], result ^ basis[top][1]
    return result


def lines_of(units: Sequence[int], scalars: Sequence[int]) -> list[int]:
    """One element of each class of ``units`` up to a factor in ``scalars``."""
    found: list[int] = []
    seen: set[int] = set()
    for unit in units:
        if unit not in seen:
            found.append(unit)
            seen |= {MUL[unit][scalar] for scalar in scalars}
    return found


LINES256 = lines_of(range(1, 256), UNITS16)
LINES16 = lines_of(UNITS16, UNITS4)
BASIS16 = next(
    basis
    for basis in itertools.combinations(UNITS16, 4)
    if all(solve(basis, a) is not None for a in GF16)
)
NORM_BASES = [
    basis
    for basis in itertools.combinations(UNITS16, 4)
    if all(solve(basis, a) is not None for a in GF16)
]


def bilinear(form: Callable[[int, int], int]) -> int:
    """Return a bilinear form on GF(16) x GF(16) as 16 bits, its values on a basis."""
    pairs = itertools.product(BASIS16, BASIS16)
    return sum((form(a, b) & 1) << i for i, (a, b) in enumerate(pairs))


def karatsuba(triple: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Return c -> g with trace_16(c a b) = sum over j of trace_4(g_j phi_j(a) phi_j(b))."""
    labels = [(j, g) for j in range(3) for g in (1, OMEGA)]

    def small(j: int, g: int) -> int:
        k = triple[j]
        return bilinear(
            lambda a, b: trace_4(product(g, trace_16_4(MUL[k][a]), trace_16_4(MUL[k][b])))
        )

    vectors = [small(j, g) for j, g in labels]
    result: dict[int, tuple[int, ...]] = {0: (0, 0, 0)}
    for c in UNITS16:
        mask = solve(vectors, bilinear(lambda a, b: trace_16(product(c, a, b))))  # noqa: B023
        assert mask is not None  # three distinct lines always suffice
        factors = [0, 0, 0]
        for i, (j, g) in enumerate(labels):
            factors[j] ^= g if mask >> i & 1 else 0
        result[c] = (factors[0], factors[1], factors[2])
    return result


TRIPLES = [(triple, karatsuba(triple)) for triple in itertools.combinations(LINES16, 3)]


@dataclass(frozen=True)
class Representation:
    """Coordinates: theta (two elements of different lines over GF(16)), index into TRIPLES."""

    theta: tuple[int, int]
    triple: int

    def coordinates(self, element: int) -> tuple[int, int]:
        """(h, l) of an element of GF(256)."""
        h, l = (trace_256_16(MUL[t][element]) for t in self.theta)  # noqa: E741
        return h, l

    def split(self, functional: int) -> tuple[int, int]:
        """Return (a, b) in GF(16) with functional = a theta_0 + b theta_1."""
        t, s = self.theta
        scale = RECIPROCAL[MUL[t][CONJUGATE[s]] ^ MUL[s][CONJUGATE[t]]]
        g, g16 = functional, CONJUGATE[functional]
        a = MUL[MUL[g][CONJUGATE[s]] ^ MUL[g16][s]][scale]
        b = MUL[MUL[g][CONJUGATE[t]] ^ MUL[g16][t]][scale]
        return a, b

    def norm_form(self) -> tuple[int, int, int]:
        """(alpha, delta, beta) in GF(16) with N = alpha h^2 + delta h l + beta l^2."""
        points = [(*self.coordinates(x), NORM[x]) for x in range(1, 256)]
        alpha = next(MUL[n][RECIPROCAL[SQUARE[h]]] for h, low, n in points if not low)
        beta = next(MUL[n][RECIPROCAL[SQUARE[low]]] for h, low, n in points if not h)
        for h, low, n in points:
            if h and low:
                rest = n ^ MUL[alpha][SQUARE[h]] ^ MUL[beta][SQUARE[low]]
                return alpha, product(rest, RECIPROCAL[h], RECIPROCAL[low]), beta
        raise AssertionError


# The tower, built from below with no use of the polynomial of FIPS 197:
# GF(4) = GF(2)[w]/(w^2 + w + 1), GF(16) = GF(4)[v]/(v^2 + v + w), then pairs (h, l) over GF(16).


def multiply_4(a: int, b: int) -> int:
    """Product of two GF(4) elements a_1 w + a_0, as two bits."""
    high = (a >> 1) & (b >> 1)
    low = a & b & 1
    middle = ((a >> 1) ^ (a & 1)) & ((b >> 1) ^ (b & 1))
    return (middle ^ low) << 1 | (high ^ low)


def multiply_16(a: int, b: int) -> int:
    """Product of two GF(16) elements a_1 v + a_0, as two GF(4) elements of two bits."""
    high = multiply_4(a >> 2, b >> 2)
    low = multiply_4(a & 3, b & 3)
    middle = multiply_4(a >> 2 ^ a & 3, b >> 2 ^ b & 3)
    return (middle ^ low) << 2 | (multiply_4(2, high) ^ low)


def embedding_16() -> dict[int, int]:
    """GF(16) inside GF(256) -> four bits of the tower."""
    root = next(a for a in GF16 if SQUARE[a] ^ a == OMEGA)
    four = {0: 0, 1: 1, OMEGA: 2, OMEGA ^ 1: 3}
    return {MUL[a][root] ^ b: four[a] << 2 | four[b] for a in GF4 for b in GF4}


class Tower:
    """GF(256) as pairs (h, l) over the tower's GF(16), eight bits h << 4 | l."""

    def __init__(self, rep: Representation) -> None:
        """Set up the isomorphism ``of`` (a list: element -> pair) and the products of the basis."""
        small = embedding_16()
        self.of = [small[h] << 4 | small[low] for h, low in map(rep.coordinates, range(256))]
        back = {pair: element for element, pair in enumerate(self.of)}
        basis = (back[0x10], back[0x01])
        self.products = [[self.of[MUL[a][b]] for b in basis] for a in basis]

    def multiply(self, a: int, b: int) -> int:
        """Product of two pairs."""
        result = 0
        for i, left in enumerate((a >> 4, a & 15)):
            for j, right in enumerate((b >> 4, b & 15)):
                scale = multiply_16(left, right)
                constant = self.products[i][j]
                result ^= multiply_16(scale, constant >> 4) << 4
                result ^= multiply_16(scale, constant & 15)
        return result


def output_terms(rep: Representation, gamma: int) -> list[tuple[int, int, int]]:
    """trace_256(gamma / X) = sum over (side, j, g) of trace_4(g phi_j(h or l) phi_j(e))."""
    factors = TRIPLES[rep.triple][1]
    # trace(gamma X^16 e) = trace(gamma^16 X e), e in GF(16).
    parts = rep.split(CONJUGATE[gamma])
    return [(s, j, g) for s in (0, 1) for j, g in enumerate(factors[parts[s]]) if g]


def all_representations() -> Iterable[Representation]:
    """Return the 34,000 representations."""
    for one, two in itertools.combinations(LINES256, 2):
        for c, d in itertools.product(LINES16, LINES16):
            for triple in range(len(TRIPLES)):
                yield Representation((MUL[c][one], MUL[d][two]), triple)


# ---- circuits --------------------------------------------------------------------------------


def bits_of(mask: int) -> list[int]:
    """Positions of the ones."""
    return [k for k in range(mask.bit_length()) if mask >> k & 1]


@dataclass
class Circuit:
    """LUTs over ``inputs`` inputs (x[0..7], then ``inverse``): wire i < inputs is an input.

    ``luts[i]`` drives wire inputs + i: (fan-ins, truth table; bit m is the output where bit k of m
    is the value of fan-in k). ``outputs`` are the wires of y[0..7], ``norm`` those of d.
    """

    inputs: int
    luts: list[tuple[list[int], int]] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    norm: list[int] = field(default_factory=list)
    _known: dict[tuple[tuple[int, ...], int], int] = field(default_factory=dict)

    def add(self, fanin: Sequence[int], value: Callable[[Sequence[int]], int]) -> int:
        """Return a LUT with ``value`` of the fan-ins' bits; the wire it drives."""
        rows = itertools.product((0, 1), repeat=len(fanin))
        table = sum((value(row[::-1]) & 1) << m for m, row in enumerate(rows))
        key = (tuple(fanin), table)
        if key not in self._known:
            self.luts.append((list(fanin), table))
            self._known[key] = self.inputs + len(self.luts) - 1
        return self._known[key]

    def xor(self, wires: Iterable[int], constant: int = 0) -> int:
        """Sum of wires, as a tree of LUTs of up to four inputs."""
        left = sorted(wires)
        if len(left) == 1 and not constant:
            return left[0]
        while len(left) > 4:
            groups = [left[i : i + 4] for i in range(0, len(left), 4)]
            left = [self.xor(group) for group in groups]
        return self.add(left, lambda row: sum(row) + constant)

    def simulate(self) -> list[int]:
        """Truth table over all inputs of every wire."""
        size = 1 << self.inputs
        ones = (1 << size) - 1
        values = [sum((m >> i & 1) << m for m in range(size)) for i in range(self.inputs)]
        for fanin, table in self.luts:
            result = 0
            for m in bits_of(table):
                term = ones
                for k, wire in enumerate(fanin):
                    term &= values[wire] if m >> k & 1 else ~values[wire] & ones
                result |= term
            values.append(result)
        return values

    def is_sbox(self, direction: str) -> bool:
        """Whether all outputs are right for all inputs."""
        tables = {"forward": forward_table(), "inverse": inverse_table()}
        tables["both"] = tables["forward"] + tables["inverse"]
        values = self.simulate()
        return all(
            values[wire] == sum((y >> bit & 1) << x for x, y in enumerate(tables[direction]))
            for bit, wire in enumerate(self.outputs)
        )


def element4(basis: Sequence[int], bits: Sequence[int]) -> int:
    """Return the GF(4) element z with trace_4(basis_i z) = bits_i."""
    return next(
        z for z in GF4 if all(trace_4(MUL[g][z]) == b for g, b in zip(basis, bits, strict=True))
    )


def mux_cost(theta: int) -> int:
    """LUTs of a form that depends on the direction, without sharing."""
    forward, inverse = FORM[0][theta][0], FORM[1][theta][0]
    parts = (forward & ~inverse, inverse & ~forward, forward & inverse)
    if (forward | inverse).bit_count() <= 3:
        return 1
    return 1 + sum(part.bit_count() > 1 for part in parts)


def form_cost(theta: int, direction: str) -> int:
    """LUTs of the form trace_256(theta X)."""
    if direction == "both":
        return mux_cost(theta)
    return int(FORM[direction == "inverse"][theta][0].bit_count() > 1)


def line_costs(rep: Representation, side: int, direction: str) -> list[int]:
    """For each j the cost of the two cheapest forms of phi_j of h (side 0) or l (side 1)."""
    return [
        sum(sorted(form_cost(product(g, k, rep.theta[side]), direction) for g in UNITS4)[:2])
        for k in TRIPLES[rep.triple][0]
    ]


def estimate(rep: Representation, direction: str) -> float:
    """LUTs of u, p and z, roughly: what a representation decides (d and e cost much the same)."""
    forms = 0.0
    for side in (0, 1):
        costs = line_costs(rep, side, direction)
        if direction == "both":
            forms += 0.8 * (sum(sorted(costs)[:2]) + 2)  # the third pair is sums of the others
        else:
            heavy = sum(
                sorted(
                    FORM[direction == "inverse"][product(g, k, rep.theta[side])][0].bit_count() > 4
                    for g in UNITS4
                )[1]
                for k in TRIPLES[rep.triple][0]
            )
            forms += sum(costs) + 0.25 * heavy
    return forms + min(output_cost(rep, gamma) for gamma in gammas_for(direction))


def gammas_for(direction: str) -> list[list[int]]:
    """Return the output functionals a circuit may be built on."""
    return {"forward": [GAMMA[0]], "inverse": [GAMMA[1]], "both": [GAMMA[1], GAMMA[0]]}[direction]


def output_cost(rep: Representation, gamma: Sequence[int]) -> int:
    """LUTs of p and z without sharing of sums."""
    terms = [output_terms(rep, g) for g in gamma]
    return len(set(itertools.chain(*terms))) + sum((len(t) + 1) // 3 for t in terms)


def starting_circuit(rep: Representation, direction: str, rng: random.Random) -> Circuit:
    """Return a circuit as the module docstring has it, with a random basis of the norm."""
    circuit = Circuit(9 if direction == "both" else 8)
    triple, factors = TRIPLES[rep.triple]
    kappa = rng.choice(NORM_BASES)

    def form(theta: int) -> int:
        if direction != "both":
            mask, constant = FORM[direction == "inverse"][theta]
            return circuit.xor(bits_of(mask), constant)
        (forward, c0), (inverse, c1) = FORM[0][theta], FORM[1][theta]
        parts = [bits_of(p) for p in (forward & ~inverse, inverse & ~forward, forward & inverse)]
        if sum(map(len, parts)) > 3:
            parts = [[circuit.xor(part)] if part else [] for part in parts]
        a, b = len(parts[0]), len(parts[0]) + len(parts[1])

        def value(row: Sequence[int]) -> int:
            chosen = sum(row[a:b]) + c1 if row[-1] else sum(row[:a]) + c0
            return chosen + sum(row[b:-1])

        return circuit.add([*itertools.chain(*parts), 8], value)

    # Forms: two for each phi_j(h) and phi_j(l); with both directions the dearest pair are sums.
    forms: list[list[list[int]]] = []
    scales: list[list[list[int]]] = []
    known: dict[int, int] = {}
    for side, theta in enumerate(rep.theta):
        costs = [cost + rng.random() / 2 for cost in line_costs(rep, side, direction)]
        derived = costs.index(max(costs)) if direction == "both" else -1
        chosen: list[list[int]] = [[], [], []]
        wires: list[list[int]] = [[], [], []]
        own: dict[int, int] = {}
        for j in sorted(range(3), key=lambda j: j == derived):
            k = triple[j]

            def sum_of(element: int, own: dict[int, int] = own) -> list[int]:
                mask = solve(list(own), element)
                return [list(own.values())[i] for i in bits_of(mask or 0)]

            def weight(g: int, k: int = k, theta: int = theta) -> tuple[float, ...]:
                element = product(g, k, theta)
                if direction == "both":
                    return (form_cost(element, direction), rng.random())
                size = FORM[direction == "inverse"][element][0].bit_count()
                return (size > 1, size > 4, rng.random())

            if j == derived:
                chosen[j] = sorted(
                    UNITS4, key=lambda g: (len(sum_of(product(g, k, theta))), rng.random())
                )[:2]
                wires[j] = [circuit.xor(sum_of(product(g, k, theta))) for g in chosen[j]]
            else:
                chosen[j] = sorted(UNITS4, key=weight)[:2]
                wires[j] = [form(product(g, k, theta)) for g in chosen[j]]
                own |= {product(g, k, theta): w for g, w in zip(chosen[j], wires[j], strict=True)}
        forms.append(wires)
        scales.append(chosen)
        known |= own

    def small_product(
        a: Sequence[int], sa: Sequence[int], b: Sequence[int], sb: Sequence[int], g: int
    ) -> int:
        return circuit.add(
            [*a, *b],
            lambda row: trace_4(product(g, element4(sa, row[:2]), element4(sb, row[2:]))),
        )

    alpha, delta, beta = rep.norm_form()
    for c in kappa:
        terms = [
            small_product(forms[0][j], scales[0][j], forms[1][j], scales[1][j], g)
            for j, g in enumerate(factors[MUL[c][delta]])
            if g
        ]
        # trace(c alpha h^2) = trace((c alpha)^8 h)
        linear = [
            product(power(MUL[c][s], 8), t) for s, t in zip((alpha, beta), rep.theta, strict=True)
        ]
        if direction == "both":
            mask = solve(list(known), linear[0] ^ linear[1]) or 0  # the eight span all forms
            if mask:
                terms.append(circuit.xor([list(known.values())[i] for i in bits_of(mask)]))
        elif linear[0] ^ linear[1]:
            terms.append(form(linear[0] ^ linear[1]))
        circuit.norm.append(circuit.xor(terms))

    def inverse_bit(k: int, g: int, row: Sequence[int]) -> int:
        norm = next(v for v in GF16 if [trace_16(MUL[c][v]) for c in kappa] == list(row))
        return trace_4(MUL[g][trace_16_4(MUL[k][RECIPROCAL[norm]])])

    inverses = [
        [circuit.add(circuit.norm, partial(inverse_bit, k, g)) for g in (1, OMEGA)] for k in triple
    ]

    gamma = min(gammas_for(direction), key=lambda one: output_cost(rep, one))
    sums = [
        {
            small_product(forms[s][j], scales[s][j], inverses[j], (1, OMEGA), g)
            for s, j, g in output_terms(rep, one)
        }
        for one in gamma
    ]
    share_pairs(circuit, sums, rng)
    if direction != "both":
        constants = 0x63 if direction == "forward" else 0
        circuit.outputs = [circuit.xor(s, constants >> i & 1) for i, s in enumerate(sums)]
    else:
        finish_both(circuit, [circuit.xor(s) for s in sums], gamma is GAMMA[0])
    return circuit


def share_pairs(circuit: Circuit, sums: list[set[int]], rng: random.Random) -> None:
    """Replace the pair of wires that most sums share by its sum, while at least three share it."""
    while True:
        counts: dict[tuple[int, int], int] = {}
        for one in sums:
            for pair in itertools.combinations(sorted(one), 2):
                counts[pair] = counts.get(pair, 0) + 1
        most = max(counts.values(), default=0)
        if most < 3:
            return
        pair = rng.choice([p for p, n in counts.items() if n == most])
        wire = circuit.xor(pair)
        for one in sums:
            if one.issuperset(pair):
                one.difference_update(pair)
                one.add(wire)


def finish_both(circuit: Circuit, z: list[int], z_is_affine: bool) -> None:
    """Return outputs to the combined S-box from z = A/X (``z_is_affine``) or z = 1/X."""

    def from_affine(constant: int, row: Sequence[int]) -> int:
        return row[1] if row[2] else row[0] ^ constant

    def from_reciprocal(constant: int, row: Sequence[int]) -> int:
        return row[0] if row[3] else row[0] ^ row[1] ^ row[2] ^ constant

    pairs = [] if z_is_affine else [circuit.xor([z[i], z[(i + 1) % 8]]) for i in range(8)]
    for i in range(8):
        constant = 0x63 >> i & 1
        if z_is_affine:
            other = circuit.xor([z[k] for k in range(8) if AFFINE_INVERSE[1 << k] >> i & 1])
            wire = circuit.add([z[i], other, 8], partial(from_affine, constant))
        else:
            fanin = [z[i], pairs[(i + 4) % 8], pairs[(i + 6) % 8], 8]
            wire = circuit.add(fanin, partial(from_reciprocal, constant))
        circuit.outputs.append(wire)


def normal_form(table: int, fanins: int) -> list[int]:
    """Monomials (masks of fan-ins) of a LUT's algebraic normal form."""
    coefficients = [table >> m & 1 for m in range(1 << fanins)]
    for k in range(fanins):
        for m in range(1 << fanins):
            if m >> k & 1:
                coefficients[m] ^= coefficients[m ^ 1 << k]
    return [m for m, coefficient in enumerate(coefficients) if coefficient]


def simplest_tables(circuit: Circuit) -> None:
    """Set LUT entries that no input reaches so that the formula is the shortest."""
    values = circuit.simulate()
    ones = (1 << (1 << circuit.inputs)) - 1
    for i, (fanin, table) in enumerate(circuit.luts):
        free = []
        for m in range(1 << len(fanin)):
            term = ones
            for k, wire in enumerate(fanin):
                term &= values[wire] if m >> k & 1 else ~values[wire] & ones
            if not term:
                free.append(m)

        def length(candidate: int, fanins: int = len(fanin)) -> tuple[int, int]:
            terms = normal_form(candidate, fanins)
            return sum(1 + m.bit_count() for m in terms), candidate

        fixed = table & ~sum(1 << m for m in free)
        choices = (
            fixed | sum(1 << m for m in some)
            for count in range(len(free) + 1)
            for some in itertools.combinations(free, count)
        )
        circuit.luts[i] = (fanin, min(choices, key=length))


def fitted_table(fanin: Sequence[int], values: Sequence[int], target: int, ones: int) -> int | None:
    """Return a LUT's table that makes ``target`` of the fan-ins' values, if there is one."""
    table = 0
    for m in range(1 << len(fanin)):
        term = ones
        for k, wire in enumerate(fanin):
            term &= values[wire] if m >> k & 1 else ~values[wire] & ones
        if term & target and term & ~target:
            return None
        table |= bool(term & target) << m
    return table


def inverse_bits(circuit: Circuit, direction: str) -> list[int]:
    """Return the truth tables of trace_16(c / N) for each c of UNITS16."""
    norms = [NORM[element_of(m, direction)] for m in range(1 << circuit.inputs)]
    bits = {(c, n): trace_16(MUL[c][RECIPROCAL[n]]) for c in UNITS16 for n in GF16}
    return [sum(bits[c, norm] << m for m, norm in enumerate(norms)) for c in UNITS16]


def straighten(circuit: Circuit, direction: str) -> None:
    """Make LUTs of the norm bits of 1/N again where all their readers can live with it.

    The search may leave there another function of the norm, which differs where nobody looks.
    """
    ones = (1 << (1 << circuit.inputs)) - 1
    bits = inverse_bits(circuit, direction)
    for i, (fanin, _) in enumerate(circuit.luts):
        values = circuit.simulate()
        wire = circuit.inputs + i
        right = {values[wire], values[wire] ^ ones} & set(bits)
        if right or not set(fanin) <= set(circuit.norm) or wire in circuit.outputs:
            continue
        readers = [j for j, (f, _) in enumerate(circuit.luts) if wire in f]
        for bit in bits:
            own = fitted_table(fanin, values, bit, ones)
            changed = [*values[:wire], bit, *values[wire + 1 :]]
            tables = [
                fitted_table(circuit.luts[j][0], changed, values[circuit.inputs + j], ones)
                for j in readers
            ]
            if own is not None and None not in tables:
                circuit.luts[i] = (fanin, own)
                for j, table in zip(readers, tables, strict=True):
                    circuit.luts[j] = (circuit.luts[j][0], table or 0)
                break


# ---- levels and registers ---------------------------------------------------------------------


def earliest_levels(circuit: Circuit) -> list[int]:
    """Level of each wire, inputs at 0, every LUT as early as it can be."""
    levels = [0] * circuit.inputs
    for fanin, _ in circuit.luts:
        levels.append(1 + max(levels[wire] for wire in fanin))
    return levels


def last_uses(circuit: Circuit, levels: Sequence[int]) -> list[int]:
    """Level of the last reader of each wire; outputs are read after the last level."""
    last = [0] * len(levels)
    for i, (fanin, _) in enumerate(circuit.luts):
        for wire in fanin:
            last[wire] = max(last[wire], levels[circuit.inputs + i])
    for wire in circuit.outputs:
        last[wire] = max(levels) + 1
    return last


def cut(levels: Sequence[int], last: Sequence[int], level: int) -> list[int]:
    """Wires that a stage after ``level`` holds."""
    return [wire for wire in range(len(levels)) if levels[wire] <= level < last[wire]]


def stage_positions(widths: Sequence[int], stages: int) -> tuple[int, ...]:
    """Return the levels after which ``stages`` stages stand.

    A single one halves what an S-box and the linear part after it take together. Of several, one
    is at the output, no stage is longer than need be, and registers are fewest. ``widths[i]`` is
    the width of a cut after level i + 1.
    """
    depth = len(widths)
    if stages == 0:
        return ()
    if stages == 1:
        return (-(-(depth + LINEAR_LEVELS) // 2),)
    longest = -(-depth // stages)
    choices = []
    for inner in itertools.combinations(range(1, depth), stages - 1):
        ends = (0, *inner, depth)
        if max(b - a for a, b in itertools.pairwise(ends)) <= longest:
            choices.append((sum(widths[end - 1] for end in ends[1:]), ends[1:]))
    return min(choices)[1]


def cut_widths(circuit: Circuit, levels: Sequence[int]) -> list[int]:
    """Bits a stage after level 1, 2, ... holds."""
    last = last_uses(circuit, levels)
    return [len(cut(levels, last, level)) for level in range(1, max(levels) + 1)]


def register_counts(circuit: Circuit, levels: Sequence[int]) -> list[int]:
    """Return registers for 0, 1, ... up to as many stages as levels.

    The copies of ``inverse`` are not counted: all S-boxes of a core share them.
    """
    last = last_uses(circuit, levels)
    widths = cut_widths(circuit, levels)
    return [
        sum(
            sum(wire != 8 or circuit.inputs == 8 for wire in cut(levels, last, end))
            for end in stage_positions(widths, stages)
        )
        for stages in range(len(widths) + 1)
    ]


def register_weight(circuit: Circuit, levels: Sequence[int]) -> float:
    """Return what ``schedule`` minimises: registers at four stages, half of those at full depth."""
    widths = cut_widths(circuit, levels)
    four = stage_positions(widths, 4) if len(widths) >= 4 else tuple(range(1, len(widths) + 1))
    return sum(widths[end - 1] for end in four) + sum(widths) / 2


def schedule(circuit: Circuit, tries: int = 6000) -> list[int]:
    """Return each wire a level that keeps the depth and needs few registers (by annealing)."""
    rng = random.Random(0)
    levels = earliest_levels(circuit)
    depth = max(levels)
    readers: list[list[int]] = [[] for _ in levels]
    for i, (fanin, _) in enumerate(circuit.luts):
        for wire in fanin:
            readers[wire].append(circuit.inputs + i)
    current = register_weight(circuit, levels)
    best = (current, list(levels))
    for step in range(tries):
        temperature = 2.0 * (1 - step / tries) + 0.05
        i = rng.randrange(len(circuit.luts))
        wire = circuit.inputs + i
        low = 1 + max(levels[f] for f in circuit.luts[i][0])
        high = min([levels[r] - 1 for r in readers[wire]], default=depth)
        old, levels[wire] = levels[wire], rng.randint(low, high)
        weight = register_weight(circuit, levels)
        if weight <= current or rng.random() < math.exp((current - weight) / temperature):
            current = weight
        else:
            levels[wire] = old
        best = min(best, (current, list(levels)))
    return best[1]


# ---- the algebra of a recorded circuit --------------------------------------------------------


def wire_kinds(circuit: Circuit, direction: str) -> list[str]:
    """Return what each LUT's wire is as a function of the input (see the module docstring).

    u: affine in X; q: quadratic in X; d: a recorded bit of the norm; e: a bit of 1/N or its
    complement; p: a sum of terms (coordinate of X) * (bit of 1/N), the products and all
    after them. With both directions each may be chosen by ``inverse``. "?" is none of them.
    """
    size = 1 << circuit.inputs
    ones = (1 << size) - 1
    values = circuit.simulate()
    elements = [element_of(x, direction) for x in range(size)]

    coordinates = [sum((x >> i & 1) << m for m, x in enumerate(elements)) for i in range(8)]
    selector = [ones, ones ^ (ones >> 256)] if direction == "both" else [ones]
    squares = [a & b for a, b in itertools.combinations(coordinates, 2)]
    inverse = [inverse_bits(circuit, direction)[UNITS16.index(c)] for c in BASIS16]
    products = [a & b for a in inverse for b in (ones, *coordinates)]
    spaces = {
        "u": [ones, *coordinates],
        "q": [ones, *coordinates, *squares],
        "e": [ones, *inverse],
        "p": [ones, *coordinates, *products],
    }
    bases = {
        kind: [v & s for v in vectors for s in (selector if kind != "e" else [ones])]
        for kind, vectors in spaces.items()
    }
    kinds = []
    for wire in range(circuit.inputs, len(values)):
        if wire in circuit.norm:
            kinds.append("d")
            continue
        inside = (k for k, basis in bases.items() if solve(basis, values[wire]) is not None)
        kinds.append(next(inside, "?"))
    return kinds


def element_of(x: int, direction: str) -> int:
    """Return the X whose reciprocal the S-box takes for x (bit 8 is ``inverse``, with both)."""
    inverse = x >> 8 if direction == "both" else int(direction == "inverse")
    return AFFINE_INVERSE[x & 0xFF ^ 0x63] if inverse else x & 0xFF


# ---- search -----------------------------------------------------------------------------------


def circuit_text(circuit: Circuit) -> str:
    """Return the form in which tower_anneal.cpp reads and writes a circuit."""
    lines = [f"{circuit.inputs} {len(circuit.luts)} {len(circuit.outputs)} {len(circuit.norm)}"]
    lines += [f"{len(f)} {' '.join(map(str, f))} {table:x}" for f, table in circuit.luts]
    lines += [" ".join(map(str, circuit.outputs)), " ".join(map(str, circuit.norm)), ""]
    return "\n".join(lines)


def circuit_from_text(text: str) -> Circuit:
    """Read what ``circuit_text`` or tower_anneal.cpp wrote."""
    lines = text.splitlines()
    inputs, count, _, _ = map(int, lines[0].split())
    circuit = Circuit(inputs)
    for line in lines[1 : 1 + count]:
        words = line.split()
        circuit.luts.append((list(map(int, words[1:-1])), int(words[-1], 16)))
    circuit.outputs = list(map(int, lines[1 + count].split()))
    circuit.norm = list(map(int, lines[2 + count].split()))
    return circuit


def search(direction: str, tops: int, seeds: int, moves: int, depth: int) -> None:
    """Anneal ``seeds`` starting circuits for each of the ``tops`` best representations.

    The record changes when a circuit has fewer LUTs than it, or as many and fewer registers.
    """
    all_of_them = enumerate(all_representations())
    ranked = sorted((estimate(rep, direction), i, rep) for i, rep in all_of_them)
    print(f"{len(ranked)} representations, estimates {ranked[0][0]} to {ranked[-1][0]}")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        program = work / "anneal"
        words = 8 if direction == "both" else 4
        source = SCRIPTS / "tower_anneal.cpp"
        command = ["g++", "-O3", f"-DWORDS={words}", "-o", str(program), str(source)]
        subprocess.run(command, check=True)
        best: tuple[int, float] | None = None
        if RECORD.exists() and direction in load():
            entry = load()[direction]
            best = (len(entry.circuit.luts), register_weight(entry.circuit, entry.levels))
        for seed, (place, (guess, _, rep)) in itertools.product(
            range(1, seeds + 1), enumerate(ranked[:tops])
        ):
            rng = random.Random(1000 * seed + place)
            starts = [starting_circuit(rep, direction, rng) for _ in range(12)]
            start = min(starts, key=lambda one: len(one.luts))
            assert start.is_sbox(direction)
            (work / "in").write_text(circuit_text(start))
            arguments = [work / "in", work / "out", seed, moves, depth]
            subprocess.run([str(a) for a in (program, *arguments)], check=True)
            found = circuit_from_text((work / "out").read_text())
            straighten(found, direction)
            simplest_tables(found)
            assert found.is_sbox(direction)
            levels = earliest_levels(found)
            note = f"theta {rep.theta} triple {rep.triple} estimate {guess}"
            note += f": {len(start.luts)} LUTs -> {len(found.luts)}, depth {max(levels)}"
            print(note, end="")
            if max(levels) <= depth and "?" not in wire_kinds(found, direction):
                scheduled = schedule(found, 1500)
                weight = (len(found.luts), register_weight(found, scheduled))
                print(f", registers {register_counts(found, scheduled)}", end="")
                if best is None or weight < best:
                    best = weight
                    save(direction, rep, found)
                    print(" recorded", end="")
            print(flush=True)


# ---- record -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """A recorded circuit with its levels."""

    representation: Representation
    circuit: Circuit
    levels: list[int]


def load(path: Path = RECORD) -> dict[str, Entry]:
    """Return direction -> recorded circuit."""
    entries = {}
    for direction, data in tomllib.loads(path.read_text()).items():
        circuit = Circuit(9 if direction == "both" else 8)
        circuit.outputs, circuit.norm = data["outputs"], data["norm"]
        levels = [0] * circuit.inputs
        for line in data["luts"]:
            level, table, *fanin = line.split()
            levels.append(int(level))
            circuit.luts.append((list(map(int, fanin)), int(table, 16)))
        rep = Representation(tuple(data["theta"]), data["triple"])
        entries[direction] = Entry(rep, circuit, levels)
    return entries


def save(direction: str, rep: Representation, circuit: Circuit) -> None:
    """Replace one direction of the record."""
    entries = load() if RECORD.exists() else {}
    entries[direction] = Entry(rep, circuit, schedule(circuit))
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Circuits found by scripts/tower_sbox.py, which says what they are. One LUT a line:",
        "# level, truth table, fan-ins. Wires 0 to 7 are x, in [both] 8 is `inverse`, then come",
        "# the LUTs in order.",
    ]
    for name in DIRECTIONS:
        if name in entries:
            entry = entries[name]
            lines += ["", f"[{name}]", f"theta = {list(entry.representation.theta)}"]
            lines.append(f"triple = {entry.representation.triple}")
            lines.append(f"norm = {entry.circuit.norm}")
            lines.append(f"outputs = {entry.circuit.outputs}")
            lines.append("luts = [")
            own = entry.levels[entry.circuit.inputs :]
            for level, (fanin, table) in zip(own, entry.circuit.luts, strict=True):
                lines.append(
                    f'  "{level} {table:0{max(1, 2 ** len(fanin) // 4)}x} '
                    f'{" ".join(map(str, fanin))}",'
                )
            lines.append("]")
    RECORD.write_text("\n".join(lines) + "\n")


# ---- SystemVerilog ----------------------------------------------------------------------------

KIND_TITLES = {
    "u": "linear forms",
    "q": "products in the norm",
    "d": "norm",
    "e": "its inverse",
    "p": "products and their sums",
}

HEADER = """\
// SPDX-License-Identifier: Apache-2.0
// S-box of FIPS 197 Sec. 5.1.1 and 5.3.2 by one inversion in GF(2^4), in levels of 4-input LUTs.
// Latency: Stages cycles. Throughput: one byte per cycle.
// Written by scripts/tower_sbox.py, which explains u, q, d, e, p. Do not edit.
`default_nettype none

module aesforge_sbox_tower #(
    // [0 to the levels] pipeline stages; levels: {levels}
    parameter int unsigned Stages = 0,
    // [0, 1, 2] 0 forward, 1 inverse, 2 both (one inversion, linear maps chosen by `inverse`)
    parameter int unsigned Direction = aesforge_pkg::Encrypt
) (
    input  logic       clk,  // clock
    input  logic       inverse,  // 1: inverse S-box for the byte (`Direction` 2 only, else ignored)
    input  logic [7:0] x,  // byte in
    output logic [7:0] y  // byte out, `Stages` cycles later
);
  /* verilator no_inline_module */

  generate
"""

FOOTER = """\
    end else begin : gen_bad_direction
      $error("aesforge_sbox_tower: Direction must be Encrypt, Decrypt or Both.");
    end
  endgenerate

  logic unused_inputs;
  assign unused_inputs = &{1'b0, clk, inverse};
endmodule

`default_nettype wire
"""


def expression(names: Sequence[str], table: int) -> str:
    """Return a LUT as a sum of products (its algebraic normal form)."""
    monomials = normal_form(table, len(names))
    terms = []
    for m in sorted(monomials, key=lambda m: (-m.bit_count(), m)):
        factors = " & ".join(names[k] for k in bits_of(m))
        if m:
            terms.append(f"({factors})" if m.bit_count() > 1 else factors)
    total = " ^ ".join(terms)
    if 0 not in monomials:
        return total
    return f"~{total}" if len(terms) == 1 else f"~({total})"


def wrapped(first: str, items: Sequence[str], last: str, indent: int) -> list[str]:
    """``first`` item, item, ... ``last`` in lines of at most 100 columns."""
    lines = [" " * indent + first]
    for i, item in enumerate(items):
        piece = item + (", " if i < len(items) - 1 else last)
        if len(lines[-1]) + len(piece.rstrip()) > 100:
            lines[-1] = lines[-1].rstrip()
            lines.append(" " * (indent + 4))
        lines[-1] += piece
    return lines


def direction_text(direction: str, entry: Entry) -> list[str]:
    """Return the body of one generate branch."""
    circuit, levels = entry.circuit, entry.levels
    depth = max(levels)
    last = last_uses(circuit, levels)
    widths = cut_widths(circuit, levels)
    kinds = wire_kinds(circuit, direction)
    names = [f"x[{i}]" for i in range(8)] + ["inverse"][: circuit.inputs - 8]
    stems = [f"x{i}" for i in range(8)] + ["inverse"][: circuit.inputs - 8]
    counts: dict[str, int] = {}
    for wire in sorted(range(circuit.inputs, len(levels)), key=lambda w: (levels[w], w)):
        kind = kinds[wire - circuit.inputs]
        stems += [""] * (wire + 1 - len(stems))
        index = circuit.norm.index(wire) if kind == "d" else counts.get(kind, 0)
        stems[wire] = f"{kind}{index}"
        counts[kind] = counts.get(kind, 0) + 1
    names += stems[len(names) :]

    lines = ["      // Bit l of StageMask: pipeline stage after level l + 1."]
    choices = []
    for stages in range(1, depth + 1):
        ends = stage_positions(widths, stages)
        mask = "".join("1" if level in ends else "0" for level in range(depth, 0, -1))
        choices.append(f"(Stages == {stages}) ? {depth}'b{mask} :")
    lines.append(f"      localparam logic [{depth - 1}:0] StageMask =")
    lines += [f"          {choice}" for choice in choices] + [f"          {depth}'b{'0' * depth};"]
    lines += [f"      if (Stages > {depth}) begin : gen_bad_stages"]
    lines += [f'        $error("aesforge_sbox_tower: Stages must be 0 to {depth}.");', "      end"]

    for level in range(1, depth + 1):
        here = [w for w in range(circuit.inputs, len(levels)) if levels[w] == level]
        present = {kinds[w - circuit.inputs]: None for w in here}
        title = ", ".join(KIND_TITLES[kind] for kind in present)
        lines += ["", f"      // Level {level}: {title}."]
        lines += wrapped("logic ", [stems[w] for w in here], ";", 6)
        for wire in here:
            fanin, table = circuit.luts[wire - circuit.inputs]
            value = expression([names[f] for f in fanin], table)
            if kinds[wire - circuit.inputs] == "e" and len(fanin) == 4:  # clearer than its formula
                constant = stems[wire].upper()
                value = f"{constant}[{{{', '.join(names[f] for f in reversed(fanin))}}}]"
                lines.append(f"      localparam logic [15:0] {constant} = 16'h{table:04x};")
            lines.append(f"      assign {stems[wire]} = {value};")
        held = cut(levels, last, level)
        if level == depth:
            held = circuit.outputs  # as y
        names = [stems[w] if w in here else names[w] for w in range(len(names))]
        d, q = f"cut{level}_d", f"cut{level}_q"
        lines.append(f"      logic [{len(held) - 1}:0] {d}, {q};")
        lines += wrapped(f"assign {d} = {{", [names[w] for w in reversed(held)], "};", 6)
        lines.append(f"      if (StageMask[{level - 1}]) begin : gen_stage{level}")
        lines.append(f"        always_ff @(posedge clk) {q} <= {d};")
        lines.append(f"      end else begin : gen_wire{level}")
        lines += [f"        assign {q} = {d};", "      end"]
        if level < depth:
            names = [f"{stems[w]}_{level}" if w in held else names[w] for w in range(len(names))]
            after = [names[w] for w in reversed(held)]
            lines += wrapped("logic ", after, ";", 6)
            lines += wrapped("assign {", after, f"}} = {q};", 6)
    lines += ["", f"      assign y = cut{depth}_q;"]
    return lines


def module_text(entries: dict[str, Entry]) -> str:
    """Return the whole of aesforge_sbox_tower.sv."""
    depths = ", ".join(f"{name} {max(entries[name].levels)}" for name in DIRECTIONS)
    lines = []
    for i, direction in enumerate(DIRECTIONS):
        opening = "if" if i == 0 else "end else if"
        name = ("Encrypt", "Decrypt", "Both")[i]
        lines.append(f"    {opening} (Direction == aesforge_pkg::{name}) begin : gen_{direction}")
        lines += direction_text(direction, entries[direction])
    return HEADER.replace("{levels}", depths) + "\n".join(lines) + "\n" + FOOTER


LEVELS_TEXT = '''\
# SPDX-License-Identifier: Apache-2.0
"""Levels and registers of the tower S-box. Written by scripts/tower_sbox.py; do not edit."""

from __future__ import annotations

TOWER_LEVELS = {levels}
"""Direction -> LUT levels of the tower S-box, the most pipeline stages that fall inside it."""

TOWER_REGISTER_BITS: dict[str, tuple[int, ...]] = {{
{registers}
}}
"""Direction -> register bits of one tower S-box for 0, 1, 2, ... stages.

The copies of the direction that a combined S-box delays are not counted: all S-boxes of a round
share them.
"""
'''


def levels_text(entries: dict[str, Entry]) -> str:
    """Return the whole of sbox_levels.py."""
    words = dict(zip(DIRECTIONS, ("encrypt", "decrypt", "both"), strict=True))
    levels = ", ".join(f'"{words[name]}": {max(entries[name].levels)}' for name in DIRECTIONS)
    registers = []
    for name in DIRECTIONS:
        counts = register_counts(entries[name].circuit, entries[name].levels)
        registers.append(f'    "{words[name]}": {tuple(counts)},')
    return LEVELS_TEXT.format(levels="{" + levels + "}", registers="\n".join(registers))


def main() -> int:
    """Command line; 1 when ``emit --check`` finds a difference."""
    parser = argparse.ArgumentParser(description="Find and write the tower-field S-box.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    finder = verbs.add_parser("search", help="search and record one direction")
    finder.add_argument("direction", choices=DIRECTIONS)
    finder.add_argument("--tops", type=int, default=24, help="representations tried")
    finder.add_argument("--seeds", type=int, default=2, help="starting circuits for each")
    finder.add_argument("--moves", type=int, default=20000, help="annealing steps")
    finder.add_argument("--depth", type=int, help="LUT levels allowed (default 7, both: 10)")
    emitter = verbs.add_parser("emit", help="write the SystemVerilog from the record")
    emitter.add_argument("--check", action="store_true", help="only say what would change")
    verbs.add_parser("show", help="levels, LUTs and registers of the record")
    given = parser.parse_args()
    if given.verb == "search":
        depth = given.depth or (10 if given.direction == "both" else 7)
        search(given.direction, given.tops, given.seeds, given.moves, depth)
        return 0
    entries = load()
    if given.verb == "show":
        for direction, entry in entries.items():
            kinds = wire_kinds(entry.circuit, direction)
            shares = ", ".join(f"{kinds.count(k)} {k}" for k in "uqdep")
            counts = register_counts(entry.circuit, entry.levels)
            print(f"{direction}: {len(kinds)} LUTs ({shares}), {max(entry.levels)} levels")
            print(f"  registers for 0, 1, ... stages: {counts}")
        return 0
    stale = False
    for path, text in ((TARGET, module_text(entries)), (LEVELS_TARGET, levels_text(entries))):
        if path.exists() and path.read_text() == text:
            continue
        stale = True
        print(f"{path.name}: {'differs' if given.check else 'written'}", file=sys.stderr)
        if not given.check:
            path.write_text(text)
    return 1 if given.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())

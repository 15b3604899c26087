# SPDX-License-Identifier: Apache-2.0
"""Prove that a multiplier gives the product of SP 800-38D Sec. 6.3, for all pairs of factors.

The product is bilinear: bit k of it is a sum of products of a bit of ``a`` and a bit of ``b``. The
RTL is unrolled from the cycle of the factors to that of the product, every register free before;
then all 128 x 128 coefficients of each bit are read off the graph, and compared with those of the
standard's algorithm (:mod:`aesforge.prove.engines.bilinear`). A netlist is compared with its RTL.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from aesforge.devices.families import family as family_named
from aesforge.measure.synthesis import Synthesis
from aesforge.measure.target import Target
from aesforge.netlist.aig import TRUE, Aig, Builder
from aesforge.prove import circuit
from aesforge.prove.analysis.unroll import Unrolling
from aesforge.prove.engines import equal
from aesforge.prove.engines.bilinear import NotBilinear, coefficients
from aesforge.reference import block_product
from aesforge.toolchain import rtl

BITS = 128
PIPELINED, SERIAL = "aesforge_gf128_multiply", "aesforge_gf128_serial"
_FACTORS = [f"{port}[{bit}]@0" for port in "ab" for bit in range(BITS)]


@dataclass(frozen=True)
class Multiplier:
    """A multiplier of the RTL: module and its parameter, `Stages` or `Digit`."""

    module: str
    parameter: int

    @property
    def parameters(self) -> dict[str, int]:
        """The parameter by its name in the RTL."""
        return {"Stages" if self.module == PIPELINED else "Digit": self.parameter}

    @property
    def latency(self) -> int:
        """Cycles from the factors to the product."""
        return self.parameter if self.module == PIPELINED else BITS // self.parameter + 1

    def graph(self, aig: Aig) -> Aig:
        """Return the product, and whether `busy` and `done` are right, as a function of the inputs.

        The factors come in cycle 0, of a serial multiplier with `start`; it is not started, reset
        or zeroized until its product is there. Any other input or start value that the outputs
        depend on is an input too, after the factors.
        """
        controls = {name: aig.input_at.get(name, 0) >> 1 for name in ("start", "rst", "zeroize")}
        first = {v: name == "start" for name, v in controls.items() if v}
        later = {**first, **{v: False for name, v in controls.items() if v}}
        builder = Builder(_FACTORS)
        unrolling = Unrolling(aig, [first, *[later] * self.latency], {}, builder)
        right = TRUE
        if self.module == SERIAL:
            for cycle in range(1, self.latency + 1):
                for port in ("busy", "done"):
                    value = unrolling.value(cycle, aig.output_at[port])
                    high = (port == "done") == (cycle == self.latency)
                    right = builder.conjunction(right, value if high else value ^ 1)
        product = [unrolling.value(self.latency, bit) for bit in aig.bits_out("product")]
        outputs = [(f"product[{k}]", literal) for k, literal in enumerate(product)]
        return builder.finish([*outputs, ("right", right)])

    def synthesis(self, family: str) -> Synthesis:
        """Return the synthesis of the netlist that is proved: `measure --part` would place it."""
        data = family_named(family)
        target = Target(
            name=self.module,
            summary=f"{self.module}, {self.parameters}",
            files=tuple(rtl.needed_by(self.module)),
            top=self.module,
            parameters=self.parameters,
            roles={"clock": "clk", "block": "a", "key": "b", "result": "product"},
            is_cipher=False,
        )
        return Synthesis(target, family, data, data.recipe_named(None))


@cache
def specified() -> tuple[int, ...]:
    """Return the coefficients of each bit of the product: bit 128 i + j for a[i] b[j].

    Algorithm 1 of the standard is linear in each factor: it is asked for each pair of blocks that
    have a single bit.
    """
    wanted = [0] * BITS
    for i in range(BITS):
        for j in range(BITS):
            product = block_product(1 << i, 1 << j)
            for k in range(BITS):
                wanted[k] |= (product >> k & 1) << (BITS * i + j)
    return tuple(wanted)


@dataclass(frozen=True)
class Proof:
    """What a proof found.

    Args:
        result: `proved`, `not proved` or `not finished`.
        reason: why not, else empty.
        gates: of the RTL's graph, and of the netlist's.
        sat_calls: how often a SAT solver was asked; algebra alone asks none.
        seconds: of wall-clock time, with synthesis where there is no netlist yet.
    """

    result: str
    reason: str
    gates: tuple[int, ...]
    sat_calls: int
    seconds: float


def prove(
    multiplier: Multiplier,
    family: str | None = None,
    files: Sequence[Path] | None = None,
    mapped: Path | None = None,
) -> Proof:
    """Prove a multiplier's RTL, and the netlist for a family where one is named.

    Args:
        multiplier: which.
        family: of the netlist.
        files: sources in compile order instead of the package's own.
        mapped: another netlist in place of the family's own.

    Raises:
        ToolMissing: Yosys or ABC is not installed.
        ToolFailed: a tool ended with an error, or does not understand the sources.
    """
    begun = time.monotonic()
    rtl_aig = circuit.of_module(multiplier.module, multiplier.parameters, files).aig
    graph = multiplier.graph(rtl_aig)
    (result, reason), gates, calls = _judged(graph), [len(graph.gates)], 0
    if not reason and family is not None:
        mapped_aig = circuit.of_netlist(multiplier.synthesis(family), mapped).aig
        netlist = multiplier.graph(mapped_aig)
        gates.append(len(netlist.gates))
        reason = _foreign(netlist)
        found = None if reason else equal.compare(graph, netlist, equal.OF_NETLIST)
        if found is None:
            result = "not proved"
        elif found.equal is None:
            result, reason = "not finished", "the netlist is not proved equal to the RTL"
        elif not found.equal:
            result, reason = "not proved", "the netlist differs from the RTL"
        calls = found.sat_calls if found else 0
    return Proof(result, reason, tuple(gates), calls, round(time.monotonic() - begun, 1))


def _judged(graph: Aig) -> tuple[str, str]:
    """Return result and reason of the graph of an RTL."""
    reason = _foreign(graph)
    if reason:
        return "not proved", reason
    if graph.output_at["right"] != TRUE:
        return "not proved", "busy or done may be wrong"
    try:
        product = replace(graph, outputs=graph.outputs[:BITS], output=graph.output[:BITS])
        found = coefficients(product, BITS)
    except NotBilinear as error:
        return "not finished", str(error)
    for k, (got, wanted) in enumerate(zip(found, specified(), strict=True)):
        if got != wanted:
            differs = got ^ wanted
            i, j = divmod((differs & -differs).bit_length() - 1, BITS)
            has = "has" if got >> (BITS * i + j) & 1 else "lacks"
            return "not proved", f"product[{k}] {has} the term a[{i}] b[{j}]"
    return "proved", ""


def _foreign(graph: Aig) -> str:
    """Return what is wrong when the outputs depend on more than the factors."""
    others = graph.inputs[2 * BITS :]
    return f"the outputs depend on {', '.join(others[:5])} as well" if others else ""

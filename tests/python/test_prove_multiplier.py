# SPDX-License-Identifier: Apache-2.0
"""Multipliers of GF(2^128) are proved for all factors, and broken ones are refuted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aesforge.netlist.aig import Aig, Builder
from aesforge.prove.engines.bilinear import NotBilinear, coefficients
from aesforge.prove.multiplier import PIPELINED, SERIAL, Multiplier, prove
from aesforge.prove.mutation import changed_files, flat
from aesforge.reference import block_product
from aesforge.toolchain import rtl

MUTANTS = {
    "one product of two bits": (
        *(Multiplier(PIPELINED, 5), "(a_2_q[2*n+1] ?", "(a_2_q[2*n+1] && n != 100 ?"),
        r"product\[\d+\] (has|lacks) the term a\[\d+\] b\[\d+\]",
    ),
    "one bit of a sum": (
        *(
            Multiplier(PIPELINED, 5),
            "low} = c_8_q;",
            "low} = {c_8_q[254:1], c_8_q[0] ^ c_8_q[254]};",
        ),
        r"product\[127\] (has|lacks) the term a\[0\] b\[0\]",
    ),
    "a tap of the reduction": (
        *(Multiplier(PIPELINED, 5), "^ {high, 7'h0}", "^ {1'b0, high, 6'h0}"),
        r"product\[\d+\] (has|lacks) the term",
    ),
    "a product of three": (
        *(Multiplier(PIPELINED, 5), "low_q ^ once_q", "low_q & once_q"),
        "multiplies products",
    ),
    "a stage less": (
        *(Multiplier(PIPELINED, 5), "5 ? 10'b10_1010", "5 ? 10'b10_1000"),
        r"depend on .*a\[0\]@1",
    ),
    "a tap of the serial one": (
        *(Multiplier(SERIAL, 32), "128'he1 << 120", "128'hc1 << 120"),
        r"product\[\d+\] (has|lacks) the term",
    ),
    "done too late": (
        *(Multiplier(SERIAL, 32), "busy && last && !start", "!busy && last && !start"),
        "busy or done may be wrong",
    ),
    "the product before": (
        *(Multiplier(SERIAL, 32), "      product <= '0;\n", ""),
        r"depend on product\[\d+\]@start",
    ),
}


def product_of_polynomials(size: int) -> Aig:
    """The product of two polynomials over GF(2), term by term."""
    names = [f"{port}[{n}]" for port in "ab" for n in range(size)]
    builder = Builder(names)
    at = [builder.input_named(name) for name in names]
    outputs = []
    for k in range(2 * size - 1):
        total = 0
        for i in range(max(0, k - size + 1), min(size, k + 1)):
            term = builder.conjunction(at[i], at[size + k - i])
            both, none = builder.conjunction(total, term), builder.conjunction(total ^ 1, term ^ 1)
            total = builder.conjunction(both ^ 1, none ^ 1)
        outputs.append((f"c[{k}]", total))
    return builder.finish(outputs)


def test_coefficients_are_those_of_a_product() -> None:
    found = coefficients(product_of_polynomials(5), 5)
    wanted = [
        sum(1 << (5 * i + j) for i in range(5) for j in range(5) if i + j == k) for k in range(9)
    ]
    assert found == wanted


@pytest.mark.parametrize(
    ("output", "gates", "why"),
    [
        (2, [], "terms that are no products"),  # an input
        (1, [], "terms that are no products"),  # the constant
        (10, [(2, 4)], "two bits of one vector"),
        (12, [(2, 6), (8, 10)], "multiplies products"),
    ],
)
def test_other_functions_are_refused(output: int, gates: list[tuple[int, int]], why: str) -> None:
    graph = Aig(["a0", "a1", "b0", "b1"], outputs=["c"], output=[output], gates=gates)
    with pytest.raises(NotBilinear, match=why):
        coefficients(graph, 2)


def test_the_standard_has_the_products_of_the_specification() -> None:
    """Test case 2 of the GCM specification: its hash key H, and H times its first block."""
    h, block = 0x66E94BD4EF8A2C3B884CFA59CA342B2E, 0x0388DACE60B6A392F328C2B971B2FE78
    assert block_product(block, h) == 0x5E2EC746917062882C85B0685353DEB7
    assert block_product(h, block) == 0x5E2EC746917062882C85B0685353DEB7


@pytest.mark.parametrize(
    "multiplier", [Multiplier(PIPELINED, 5), Multiplier(SERIAL, 32)], ids=lambda one: one.module
)
def test_a_multiplier_is_proved(multiplier: Multiplier) -> None:
    proof = prove(multiplier)
    assert (proof.result, proof.reason) == ("proved", "")


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_refuted(name: str, tmp_path: Path) -> None:
    multiplier, old, new, why = MUTANTS[name]
    change = {"file": f"{multiplier.module}.sv", "old": old, "new": new}
    files = changed_files(tmp_path, rtl.needed_by(multiplier.module), [change])
    proof = prove(multiplier, files=files)
    assert proof.result != "proved"
    assert re.search(why, proof.reason), proof.reason


def test_a_netlist_is_proved_and_one_with_a_wrong_look_up_table_is_refuted(tmp_path: Path) -> None:
    multiplier = Multiplier(SERIAL, 4)
    proof = prove(multiplier, "ecp5")
    assert (proof.result, proof.reason) == ("proved", "")
    text = flat(multiplier.synthesis("ecp5"), tmp_path).read_text()
    tables = list(re.finditer(r"parameter \\INIT 16'([01]{16})", text))
    assert len(tables) > 400
    # Its value when no input is high.
    at = tables[300].end(1) - 1
    changed = tmp_path / "changed.il"
    changed.write_text(text[:at] + str(1 - int(text[at])) + text[at + 1 :])
    proof = prove(multiplier, "ecp5", mapped=changed)
    assert (proof.result, proof.reason) == ("not proved", "the netlist differs from the RTL")

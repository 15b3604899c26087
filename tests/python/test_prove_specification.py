# SPDX-License-Identifier: Apache-2.0
"""The specification is FIPS 197, and says of each part what it must be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aesforge.design import SBOX_STYLES
from aesforge.netlist.aig import Aig, Builder
from aesforge.prove import circuit
from aesforge.prove.engines import equal
from aesforge.reference import vectors
from aesforge.reference.sbox import INV_SBOX, SBOX
from aesforge.toolchain import rtl
from proofs import TOWER, run, specified


@pytest.mark.parametrize("key_bits", vectors.KEY_BITS)
def test_the_specification_gives_every_published_vector(key_bits: int) -> None:
    keys, plain, cipher, _ = vectors.blocks_of(vectors.records(key_bits))
    keys = keys[:, : key_bits // 8]
    assert (run(specified(key_bits, False), keys, plain) == cipher).all()
    assert (run(specified(key_bits, True), keys, cipher) == plain).all()


def test_the_specified_sboxes_are_those_of_the_standard() -> None:
    assert circuit.table_of(circuit.specified_sbox("fips197_sbox").aig) == SBOX
    assert circuit.table_of(circuit.specified_sbox("fips197_inv_sbox").aig) == INV_SBOX


def test_the_specification_shares_nothing_with_the_cores() -> None:
    text = (circuit.formal_dir() / circuit.SPECIFICATION).read_text(encoding="utf-8")
    assert "aesforge_" not in text
    assert "`include" not in text


@pytest.mark.parametrize("direction", [0, 1])
@pytest.mark.parametrize("style", [name for name in SBOX_STYLES if name != "bram"])
def test_an_sbox_is_proved_for_every_byte(style: str, direction: int) -> None:
    found = circuit.of_module(
        "aesforge_sbox",
        {"Style": SBOX_STYLES.index(style), "Stages": 0, "Direction": direction},
    )
    name = circuit.SBOXES[direction]
    assert circuit.table_of(found.aig) == circuit.table_of(circuit.specified_sbox(name).aig)


def as_function(found: Aig, fixed: dict[str, int], output: str) -> Aig:
    """Return a module without registers as a graph of its free inputs, some ports fixed."""
    names = [
        name
        for name in found.inputs
        if name.partition("[")[0] not in fixed and name not in ("clk", "rst")
    ]
    builder = Builder(names)
    given = []
    for name in found.inputs:
        port, _, rest = name.partition("[")
        if port in fixed:
            given.append(fixed[port] >> int(rest.rstrip("]") or 0 if rest else 0) & 1)
        else:
            given.append(builder.input_named(name) if name in names else 0)
    at = dict(zip(found.outputs, builder.copy(found, given), strict=True))
    wanted = [name for name in found.outputs if name.partition("[")[0] == output]
    return builder.finish((name, at[name]) for name in wanted)


ROUND = """
module specified_round (input logic [127:0] state_i, round_key_post, output logic [127:0] state_o);
  logic [127:0] substituted, mixed;
  fips197_sub_bytes u_sub_bytes (.s(state_i), .result(substituted));
  fips197_mix_columns u_mix_columns (
      .s(fips197_transformations::shift_rows(substituted)), .result(mixed));
  assign state_o = mixed ^ round_key_post;
endmodule
module specified_step (input logic [127:0] window_i, output logic [127:0] window_o);
  logic [1407:0] words;
  fips197_key_expansion u_key_expansion (.key(window_i), .words(words));
  assign window_o = words[1279-:128];
endmodule
module round (input logic [127:0] state_i, round_key_post, output logic [127:0] state_o);
  aesforge_round #(.SboxStyle(3), .SboxStages(0), .LinearStages(0)) u_round (
      .clk(1'b0), .decrypt(1'b0), .last(1'b0), .state_i, .round_key_pre(128'h0), .round_key_post,
      .state_o);
endmodule
module step (input logic [127:0] window_i, output logic [127:0] window_o);
  aesforge_key_round #(.SboxStyle(3), .SboxStages(0), .LinearStages(0)) u_key_round (
      .clk(1'b0), .decrypt(1'b0), .hold(1'b0), .step(4'd1), .window_i, .round_key_pre(),
      .round_key_post(), .window_o);
endmodule
"""


def with_specification(folder: Path, more: str = "") -> list[Path]:
    """Return the RTL and the specification, which uses its S-boxes, as one list of files."""
    text = (circuit.formal_dir() / circuit.SPECIFICATION).read_text(encoding="utf-8")
    for name in circuit.SBOXES:
        text, found = re.subn(rf"^module {name} .*?^endmodule\n", "", text, flags=re.S | re.M)
        assert found == 1
    source = folder / "specification.sv"
    source.write_text(text + TOWER.text + more)
    return [*rtl.filelist(), source]


@pytest.mark.parametrize(("top", "output"), [("round", "state_o"), ("step", "window_o")])
def test_a_round_and_a_key_step_are_proved(top: str, output: str, tmp_path: Path) -> None:
    files = with_specification(tmp_path, ROUND)
    one, other = (
        as_function(circuit.of_module(name, {}, files).aig, {}, output)
        for name in (f"specified_{top}", top)
    )
    assert equal.compare(one, other, seconds=50).equal is True
    wrong = Builder(other.inputs)
    at = wrong.copy(other, [wrong.input_named(name) for name in other.inputs])
    at[17] = wrong.conjunction(at[17], at[18] ^ 1)
    mutant = wrong.finish(zip(other.outputs, at, strict=True))
    assert equal.compare(one, mutant, seconds=50).equal is False

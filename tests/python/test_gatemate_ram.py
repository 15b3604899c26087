# SPDX-License-Identifier: Apache-2.0
"""The model of GateMate's block RAM that is written: a mapped memory does what its source does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aesforge.errors import ToolFailed
from aesforge.prove import circuit
from proofs import SYNTHESIS, mapped_by
from test_output_registers import run, traffic
from test_prove_circuit import read_back

# `mask` says which bits of a word are written.
CORE = """
module core (input logic clk, we, re, input logic [5:0] wa, ra, input logic [{high}:0] d, mask,
             output logic [{high}:0] q);
  (* ram_style = "block", no_rw_check *) logic [{high}:0] memory[0:63];
  always_ff @(posedge clk) begin
    for (int i = 0; i <= {high}; i++) if (we && mask[i]) memory[wa][i] <= d[i];
    if (re) q <= memory[ra];
  end
endmodule
"""
# What is connected to a pin of the mapped cell, and what is wrong then.
MUTANTS = {
    "always enabled": ("B_EN", ".*", "1'1"),
    "never written": ("A_WE", ".*", "1'0"),
    "bits that are not to be written": ("A_BM", ".*", "20'11111111111111111111"),
    "another place": ("B_ADDR", r"\\ra", r"\\wa"),
}


@pytest.mark.parametrize("width", [9, 20])
def test_a_mapped_memory_does_what_its_source_does(width: int, tmp_path: Path) -> None:
    source = tmp_path / "core.sv"
    source.write_text(CORE.format(high=width - 1), encoding="utf-8")
    mapped = mapped_by(tmp_path, ["read_verilog -sv core.sv", f"{SYNTHESIS['gatemate']} -top core"])
    text = mapped.read_text(encoding="utf-8")
    assert text.count("cell \\CC_BRAM_20K ") == 1
    widths = {"clk": 1, "we": 1, "re": 1, "wa": 6, "ra": 6, "d": width, "mask": width}
    # Few places, so that what was written is read.
    inputs = traffic(widths, places=8)
    wanted = run(circuit.of_module("core", {}, [source]).aig, inputs)

    def differs(changed: str) -> bool:
        mapped.write_text(changed, encoding="utf-8")
        got = run(read_back(mapped, "gatemate"), inputs)
        assert got.keys() == wanted.keys()
        return any((got[name] != wanted[name]).any() for name in got)

    assert not differs(text)
    for what, (pin, old, new) in MUTANTS.items():
        (line,) = re.findall(rf"connect \\{pin} .*", text)
        head, connected = line.split(f"{pin} ", 1)
        wrong = f"{head}{pin} {re.sub(old, new, connected, count=1)}"
        assert wrong != line, what
        assert differs(text.replace(line, wrong)), what
    with pytest.raises(ToolFailed, match="without a model"):
        differs(text.replace("\\A_RD_WIDTH 0", "\\A_RD_WIDTH 10"))

# SPDX-License-Identifier: Apache-2.0
"""Mutants of RTL and of netlists are refuted."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from aesforge.cli import main as cli
from aesforge.design import load
from aesforge.measure.synthesis import MAPPED
from aesforge.prove import circuit, prove, prove_circuit, synthesis_of
from aesforge.toolchain import rtl
from project import REPO
from proofs import LITTLE, mutant

sys.path.insert(0, str(REPO / "scripts"))

import prove_mutants


@pytest.mark.parametrize(
    ("kind", "core"),
    [("Rcon bit", "agile"), ("pass off by one", "agile")],
)
def test_a_wrong_core_is_not_proved(kind: str, core: str) -> None:
    wrong = mutant(kind, core)
    proof = prove(wrong.design, changes=[wrong.change], seconds=60)
    assert proof.result == "not proved", proof.text()
    found = proof.counterexample
    assert found is not None
    assert not found.out_valid or found.got != found.wanted


def test_mutants_are_many_and_differ() -> None:
    every = prove_mutants.rtl_mutants()
    assert len({one.label for one in every}) == len(every) >= 100
    for one in every:
        # Of the files of this core: a mutant elsewhere breaks nothing.
        path = next(path for path in rtl.needed_by(one.design.top) if path.name == one.file)
        assert path.read_text(encoding="utf-8").count(one.old) == 1, one.label


def test_a_flipped_bit_of_a_look_up_table_is_refuted() -> None:
    wrong = prove_mutants.lut_mutants(1)[0]
    proof = prove(LITTLE, family="ecp5", changes=[wrong.change])
    assert proof.result == "not proved", proof.text()
    assert proof.counterexample is not None
    # The campaign reads all of them at once: the same circuit.
    luts = prove_mutants.LutMutants([wrong])
    again = prove_mutants.prove_lut(wrong, luts, 100)
    assert again.hashes == proof.hashes
    assert again.result == proof.result
    assert again.counterexample is not None


def test_the_campaign_sees_why_a_bit_does_not_matter() -> None:
    """Of two bits of one table, one is never read and one is."""
    tied, read = (_lut_mutant(bit) for bit in ("never", "read"))
    luts = prove_mutants.LutMutants([tied, read])
    found = luts.explained(tied)
    assert found["tied"] == ["A"]
    assert found["differences"] == 0
    assert found["blocks"] > 1000
    found = luts.explained(read)
    assert found["tied"] == []
    assert found["differences"] > 0


def _lut_mutant(which: str) -> prove_mutants.Mutant:
    """Return a mutant whose table has input A tied to 0: of a bit with A high, or with A low."""
    for one in prove_mutants.lut_mutants(100):
        bit = int(one.name.rpartition(" ")[2])
        if prove_mutants.tied_inputs(one, prove_mutants._netlist()) == ["A"]:
            if which == "never":
                return one
            table = int(one.old[-17:-1], 2) ^ 1 << bit - 1
            return replace(one, name=f"{one.name} - 1", new=f"{one.old[:-17]}{table:016b}\n")
    raise AssertionError("no table has input A tied to 0")


@pytest.mark.parametrize(
    ("text", "words"),
    [("{}", "cannot read"), ('{"mutants": [], "unbroken": {}}', "another netlist")],
)
def test_records_of_another_netlist_are_not_explained(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mutants.json"
    path.write_text(text, encoding="utf-8")
    assert prove_mutants.explain(path) == 2
    assert words in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("where", ["nowhere", "core", "aesforge_sbox_tower"])
def test_a_bit_of_a_netlist_whose_s_boxes_are_modules(where: str, tmp_path: Path) -> None:
    """Flipped in an S-box, which then is none, or beside it: neither passes."""
    design = load("compact", {"name": "ranked", "sbox_stages": 1})
    synthesis = synthesis_of(design, "ecp5")
    synthesis.run()
    modules = re.split(r"^(?=module )", (synthesis.folder / MAPPED).read_text("utf-8"), flags=re.M)
    for number, module in enumerate(modules):
        if module.partition("\n")[0].endswith(where):
            # Of the first exclusive or of four, which is in the way of data.
            modules[number] = module.replace("16'0110100110010110", "16'0110100110010111", 1)
            assert modules[number] != module
    mapped = tmp_path / MAPPED
    mapped.write_text("".join(modules), encoding="utf-8")
    found = circuit.of_netlist(synthesis, mapped)
    assert len(found.sboxes) == (where != "aesforge_sbox_tower")
    proof = prove_circuit(design, found, family="ecp5", recipe=synthesis.recipe.name)
    assert (proof.result == "proved") == (where == "nowhere"), proof.text()
    assert (proof.counterexample is None) == (where == "nowhere")


def test_a_wrong_gate_in_the_tower_s_box_of_the_rtl_itself_is_refuted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form that stands for the specification's S-boxes comes of the same file."""
    root = tmp_path / rtl.rtl_dir().name
    shutil.copytree(rtl.rtl_dir(), root)
    tower = root / "sbox" / "aesforge_sbox_tower.sv"
    right = "assign q0 = (u1_1 & x6_1) ^ (x7_1 & u0_1);"
    text = tower.read_text(encoding="utf-8")
    assert text.count(right) == 1
    tower.write_text(text.replace(right, right.replace("x7_1 &", "x7_1 |")), encoding="utf-8")
    monkeypatch.setattr(rtl, "rtl_dir", lambda: root)
    done = CliRunner().invoke(cli.main, ["prove", "compact"])
    assert done.exit_code == 1, done.output
    assert "aesforge_sbox_tower: SBOX({02}) is {a2}, and should be {77}; 128 of" in done.stdout
    assert "wanted" in done.stdout
    # A core without that S-box still finds its own, and what stands for them is right.
    found = circuit.of_design(load("compact", {"name": "tabled", "sbox": "table"}))
    assert len(found.sboxes) == 1
    assert found.wrong == ()
    assert found.cut is not None

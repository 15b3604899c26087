# SPDX-License-Identifier: Apache-2.0
"""The specification is the standard; proofs come out for good cores, and not for bad ones."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from click.testing import CliRunner

from aesforge.cli import main as cli
from aesforge.design import SBOX_STYLES, Design, load
from aesforge.devices.families import family
from aesforge.errors import AesforgeError, CheckFailed, ToolFailed, UsageError
from aesforge.measure.synthesis import MAPPED
from aesforge.netlist.aig import Aig, Builder, read, value_of
from aesforge.prove import circuit, prove, prove_circuit, synthesis_of, verify
from aesforge.prove.analysis import rings
from aesforge.prove.analysis.tables import cubes
from aesforge.prove.analysis.unroll import Unrolling, carried_forward, carried_together, leaves
from aesforge.prove.certificate import CounterExample, Proof
from aesforge.prove.counterexample import find_mismatch
from aesforge.prove.engines import anf, equal
from aesforge.prove.mutation import changed_files
from aesforge.prove.properties import claim, control, inverse, key_load
from aesforge.prove.properties.case import Case, NotAccepted
from aesforge.prove.properties.claim import cases, core_of
from aesforge.prove.properties.core import Core
from aesforge.prove.properties.counters import account_states
from aesforge.prove.replay import replay
from aesforge.prove.steps import Steps
from aesforge.reference import vectors
from aesforge.reference.sbox import INV_SBOX, SBOX
from aesforge.toolchain import programs, rtl
from project import REPO

sys.path.insert(0, str(REPO / "scripts"))

import prove_mutants

LITTLE = load("compact", {"name": "little"})
STORED = load("compact", {"name": "stored", "key_schedule": "stored"})
# Without the counter of a delay line in RAM, each state of which is a case.
SERIAL = load("rahman2010-composite", {"direction": "decrypt", "delay_line": "register"})
# The smallest that has steps: all of them in one round's hardware.
EXPANSION = Design(
    name="steps", architecture="key_expand", unroll=1, sbox="tower", sbox_stages=0, linear_stages=1
)
READY = "assign in_ready = slot_ready && !zeroize && ring_ready != '0"


def change(file: str, old: str, new: str) -> dict[str, str]:
    return {"file": file, "old": old, "new": new}


# --- The specification ---------------------------------------------------------------------------


TOWER = circuit.Forms(SBOX_STYLES.index("tower"), SBOX_STYLES.index("tower"))


def specified(key_bits: int, inverse: bool) -> Aig:
    part = "INVCIPHER" if inverse else "CIPHER"
    return circuit.specification(part, key_bits, TOWER).aig


def bits_of(data: np.ndarray) -> np.ndarray:
    """(n, bytes) -> (8 bytes, words of 64 cases), the port's lowest bit first."""
    bits = np.unpackbits(data, axis=1)[:, ::-1]
    cases = np.zeros((-len(bits) % 64 + len(bits), bits.shape[1]), np.uint8)
    cases[: len(bits)] = bits
    packed = np.packbits(cases, axis=0, bitorder="little")
    return np.ascontiguousarray(packed.T).view(np.uint64)


def run(graph: Aig, keys: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """Evaluate the specification; (n, bytes of the key) and (n, 16) give (n, 16)."""
    rows = {}
    for port, data in (("key", keys), ("block", blocks)):
        for bit, row in enumerate(bits_of(data)):
            rows[f"{port}[{bit}]"] = row
    values = graph.simulate(np.array([rows[name] for name in graph.inputs]))
    out = value_of(values, graph.bits_out("result"))
    bits = np.unpackbits(out.view(np.uint8), axis=1, bitorder="little")[:, : len(keys)]
    return np.packbits(bits.T[:, ::-1], axis=1)


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


# --- Parts ---------------------------------------------------------------------------------------


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


def test_key_expansion_is_proved_alone_and_its_certificate_holds(tmp_path: Path) -> None:
    """Each round key at its cycle, whatever other keys come; and all of it once more."""
    proof = prove(EXPANSION, seconds=100)
    assert proof.result == "proved", proof.text()
    assert "KEYEXPANSION" in proof.commands
    path = tmp_path / "certificate.json"
    proof.write(path)
    assert verify(path).result == "proved"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["hashes"]["core"] = data["hashes"]["core"][::-1]
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(CheckFailed, match="another core"):
        verify(path)
    data["result"] = "not proved"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(UsageError, match="does not say that anything was proved"):
        verify(path)


# --- Block RAM -----------------------------------------------------------------------------------

# As `measure` maps it: to a ROM of 256 bytes with its register.
SYNTHESIS = {
    "ecp5": "synth_ecp5",
    "nexus": "synth_nexus -noiopad",
    "gowin": "synth_gowin -noiopads",
    "gatemate": "synth_gatemate -noiopad -noclkbuf",
    "xc7": "synth_xilinx -family xc7 -noiopad -noclkbuf",
    "ice40": "synth_ice40",
}


def mapped_rom(folder: Path, name: str) -> Path:
    """Map an S-box to a family's block RAM and give the netlist."""
    parameters = {"Ports": 2, "Stages": 1, "Direction": 0}
    sets = " ".join(f"-set {key} {value}" for key, value in parameters.items())
    lines = [
        f"read_verilog -sv {' '.join(map(str, rtl.filelist()))}",
        f"chparam {sets} aesforge_sbox_bram",
        "hierarchy -top aesforge_sbox_bram",
        "proc",
        "rename -top core",
        f"{SYNTHESIS[name]} -top core -flatten"
        if name == "xc7"
        else f"{SYNTHESIS[name]} -top core",
    ]
    return mapped_by(folder, lines)


def mapped_by(folder: Path, lines: list[str]) -> Path:
    """Run Yosys and give the netlist that it is left with."""
    (folder / "map.ys").write_text(
        "\n".join([*lines, "select core", f"write_rtlil -selected {MAPPED}\n"])
    )
    programs.run("yosys", ["map.ys"], folder, folder / "map.log")
    return folder / MAPPED


TWO_WORDS = """
module core (input logic clk, we, w, r, input logic [3:0] d, output logic [3:0] q);
  (* ram_style = "distributed" *) logic [3:0] memory[0:1];
  always_ff @(posedge clk) if (we) memory[w] <= d;
  assign q = memory[r];
endmodule
"""


IN_TURN = """
module core (input logic clk, rst, input logic [1:0] key, output logic [1:0] q);
  logic [1:0] memory[0:3];
  logic [1:0] place;
  always_ff @(posedge clk) begin
    memory[place] <= key;
    place <= rst || place == LAST ? 2'd0 : place + 2'd1;
    q <= memory[place];
  end
endmodule
"""


# A register in front of the memory, of which a reset fixes nothing.
LATER = IN_TURN.replace(
    "memory[place] <= key;", "memory[follow] <= late; follow <= place; late <= key;"
).replace("logic [1:0] place;", "logic [1:0] place, follow, late;")


@pytest.mark.parametrize("last", [1, 2, 3])
@pytest.mark.parametrize(("text", "first"), [(IN_TURN, 0), (LATER, 1)], ids=["at once", "later"])
def test_places_after_the_last_of_a_counter_are_never_written(
    text: str, first: int, last: int, tmp_path: Path
) -> None:
    (tmp_path / "core.sv").write_text(text.replace("LAST", f"2'd{last}"), encoding="utf-8")
    found = circuit.of_module("core", {}, [tmp_path / "core.sv"]).aig
    at = {name: v for v, name in enumerate(found.registers, found.first_register)}
    reachable_states = [
        {at[f"place[{bit}]"]: bool(n >> bit & 1) for bit in (0, 1)} for n in range(last + 1)
    ]
    tainted = {v for name, v in at.items() if not name.startswith(("place", "follow"))}
    core: Any = SimpleNamespace(
        aig=found,
        after_reset=reachable_states[0],
        tainted=tainted,
        invariant={},
        rst=found.bits_in("rst")[0] >> 1,
        secrets=[literal >> 1 for literal in found.bits_in("key")],
    )
    every = control.moments(core, reachable_states)
    # Nothing has come after the reset yet where it is not known which place is written.
    assert [moment.tainted for moment in every] == [set()] * first + [tainted] * (last + 1)
    never = control.never_written(core, every, sorted(tainted))
    assert {name for name, v in at.items() if v in never} == {
        f"memory[{place}][{bit}]" for place in range(last + 1, 4) for bit in (0, 1)
    }


@pytest.mark.parametrize("known", [{}, {0: True}, {0: False}])
@pytest.mark.parametrize("values", [(0, 0), (0, 1), (1, 0), (1, 1), (None, 1), (0, None)])
def test_a_choice_between_two_alike_is_known(
    values: tuple[int | None, int | None], known: dict[int, bool]
) -> None:
    """s ? x : y, three-valued, as an inverted output and not."""
    graph = Aig(
        inputs=["s", "x", "y"],
        gates=[(2 * 1, 2 * 2 + 1), (2 * 1 + 1, 2 * 3 + 1), (2 * 4 + 1, 2 * 5 + 1)],
    )
    sides = {2 + n: bool(value) for n, value in enumerate(values) if value is not None}
    given = {1 + n: value for n, value in known.items()} | sides
    can = graph.possible(leaves(graph, given))
    chosen = [values[1 - s] for s in (0, 1) if known.get(0, s) == s]
    for value in (0, 1):
        assert can[2 * 6 + 1 - value] == any(side in (value, None) for side in chosen)


def test_what_is_subsumed_is_the_same_and_known_sooner() -> None:
    """NOT (s AND w) AND w, in each order and with each sign, among random gates."""
    rng = np.random.default_rng(5)
    graph = Aig(inputs=[f"x{n}" for n in range(6)])
    for _ in range(200):
        s, w = (int(literal) for literal in rng.choice(np.arange(2, 2 * graph.size), 2, False))
        graph.gates.append((s, w))
        pair = 2 * (graph.size - 1) + 1, (s, w)[rng.integers(2)]
        graph.gates.append(pair if rng.integers(2) else pair[::-1])
    graph.outputs = [str(v) for v in range(graph.first_gate, graph.size)]
    graph.output = [2 * v for v in range(graph.first_gate, graph.size)]
    fewer = graph.subsumed()
    assert fewer.gates != graph.gates
    every = np.array([[sum(1 << n for n in range(64) if n >> bit & 1)] for bit in range(6)])
    given = every.astype(np.uint64)
    assert (graph.simulate(given) == fewer.simulate(given)).all()
    little = Aig(inputs=["s", "w"], gates=[(2, 4), (7, 4)])
    known = {1: True}
    assert little.possible(leaves(little, known))[8]
    assert not little.subsumed().possible(leaves(little, known))[8]


def test_what_chooses_between_two_alike_is_not_built() -> None:
    """NOT (block ? x AND x : x), the sides of which are the same once a graph is made of them."""
    circuit = Aig(
        inputs=["block", "x"], gates=[(4, 4), (2, 6), (3, 4), (9, 11)], by_data={6: (2, 6, 4)}
    )
    for by_data, inputs in ((circuit.by_data, ["x@0"]), ({}, ["block@0", "x@0"])):
        builder = Builder([])
        unrolling = Unrolling(dataclasses.replace(circuit, by_data=by_data), [{}], {}, builder)
        assert unrolling.value(0, 13) == builder.input_named("x@0")
        assert builder.inputs == inputs


def read_back(mapped: Path, name: str) -> Aig:
    given: Any = SimpleNamespace(
        family=family(name), run=lambda: None, folder=mapped.parent, recipe=None
    )
    return circuit.of_netlist(given, mapped).aig


# That of iCE40 has inputs that nothing drives: `prove compact-bram --family ice40` is about it.
@pytest.mark.parametrize("name", [name for name in SYNTHESIS if name != "ice40"])
def test_block_ram_holds_the_sbox(name: str, tmp_path: Path) -> None:
    """The contents, by the family's model of its block RAM."""
    mapped = mapped_rom(tmp_path, name)
    text = mapped.read_text(encoding="utf-8")
    assert re.search(r"DP16KD|DP16K|DPX9B|pROM|SDPX9B|CC_BRAM|RAMB18E1|SB_RAM40", text)
    found = read_back(mapped, name)
    for port in range(2):
        names = [f"x[{8 * port + bit}]@0" for bit in range(8)]
        builder = Builder(names)
        unrolling = Unrolling(found, [{}, {}], {}, builder)
        outputs = found.bits_out("y")[8 * port : 8 * port + 8]
        graph = builder.finish(
            (f"result[{bit}]", unrolling.value(1, literal)) for bit, literal in enumerate(outputs)
        )
        # The byte of the cycle before, and nothing else.
        assert graph.inputs == names
        graph.inputs = [f"b[{bit}]" for bit in range(8)]
        assert circuit.table_of(graph) == SBOX


def test_a_block_ram_used_beyond_its_model_is_refused(tmp_path: Path) -> None:
    mapped = mapped_rom(tmp_path, "ecp5")
    text = mapped.read_text(encoding="utf-8")
    assert "connect \\RSTA 1'0" in text
    mapped.write_text(text.replace("\\RSTA 1'0", "\\RSTA \\x [0]"), encoding="utf-8")
    with pytest.raises(AesforgeError, match="does not cover how it is used"):
        read_back(mapped, "ecp5")


@pytest.mark.parametrize(("name", "cell"), [("ecp5", "TRELLIS_DPR16X4"), ("nexus", "DPR16X4")])
def test_places_that_no_address_reaches_keep_what_they_hold(
    name: str, cell: str, tmp_path: Path
) -> None:
    """Distributed RAM of two words in a cell with places for more."""
    (tmp_path / "two_words.sv").write_text(TWO_WORDS, encoding="utf-8")
    mapped = mapped_by(tmp_path, ["read_verilog -sv two_words.sv", f"{SYNTHESIS[name]} -top core"])
    assert cell in mapped.read_text(encoding="utf-8")
    found = read_back(mapped, name)
    changing = [
        register
        for variable, register in enumerate(found.registers, found.first_register)
        if found.next_state[variable - found.first_register] != 2 * variable
    ]
    # Two words of four bits, of 16.
    assert len(found.registers) == 64
    assert len(changing) == 8


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


def test_a_structure_is_the_same_in_any_order() -> None:
    """a and not b, c and d; and what differs from it by an inversion, an input, an output."""

    def made(order: str, pairs: dict[str, str], outputs: str = "yz") -> list[bytes]:
        builder = Builder(list("abcd"))
        inputs = {name: builder.input_named(name) for name in "abcd"}
        at = {}
        for name in order:
            one, other = (inputs[letter.lower()] ^ letter.isupper() for letter in pairs[name])
            at[name] = builder.conjunction(one, other)
        return builder.finish([(name, at[name] ^ 1) for name in outputs]).structure

    pairs = {"y": "aB", "z": "cd"}
    first = made("yz", pairs)
    assert made("zy", pairs) == first
    assert made("zy", {"y": "Ba", "z": "dc"}) == first
    for other in ({"y": "ab"}, {"z": "Cd"}, {"y": "cB"}):
        assert made("zy", pairs | other) != first
    assert made("yz", pairs, "zy") == first[::-1] != first


def test_a_part_of_a_circuit_holds_what_it_depends_on_over_all_cycles() -> None:
    """Two registers, one after the other and each after a gate, beside one that stands apart."""
    whole = Aig(
        inputs=["a", "b", "c"],
        registers=["apart", "first", "second"],
        next_state=[2 * 2, 2 * 7, 2 * 8 + 1],
        gates=[(2 * 1, 2 * 3), (2 * 5 + 1, 2 * 1), (2 * 4, 2 * 2)],
    )
    part = whole.part([2 * 6 + 1])
    assert part.aig == Aig(
        inputs=["a", "c"],
        registers=["first", "second"],
        next_state=[2 * 5, 2 * 6 + 1],
        gates=[(2 * 1, 2 * 2), (2 * 3 + 1, 2 * 1)],
    )
    assert part.of == [0, 1, 3, 5, 6, 7, 8]
    assert part.known({1: True, 2: True, 4: False, 6: False}) == {1: True, 4: False}


@pytest.mark.parametrize("commands", [equal.OF_RTL, equal.OF_NETLIST, equal.OF_CONTROL])
@pytest.mark.parametrize("name", ["x[{}]", "key[{}]@load 3", "in_valid@{}"])
def test_the_checker_finds_what_samples_do_not(
    name: str, commands: tuple[equal.Command, ...]
) -> None:
    """Two graphs that differ for one input of 2^24."""
    names = [name.format(bit) for bit in range(24)]
    one, other = Builder(names), Builder(names)
    every = 1
    for name in names:
        every = other.conjunction(every, other.input_named(name))
    same = one.input_named(names[3])
    odd = other.conjunction(other.input_named(names[3]), every ^ 1)
    graphs = one.finish([("y", same)]), other.finish([("y", odd)])
    assert equal.sampled(*graphs, seed=1) is None
    found = equal.compare(*graphs, commands)
    assert found.equal is False
    assert found.difference == dict.fromkeys(names, True)
    assert equal.compare(graphs[1], graphs[1], commands).equal


def test_states_carried_forward_together_are_as_each_alone() -> None:
    """Nineteen, more than fit into one number, and back to the first once more."""
    aig = circuit.of_design(LITTLE).aig
    rng = np.random.default_rng(3)
    registers = range(aig.first_register, aig.first_gate)
    states = [{v: bool(rng.integers(2)) for v in registers if rng.integers(2)} for _ in range(19)]
    cycles = [{v: bool(rng.integers(2)) for v in rng.integers(1, 9, 3)} for _ in range(5)]
    proved = [{aig.first_gate + cycle: True} for cycle in range(5)]
    together = carried_together(aig, cycles, states, proved)
    for number in (*range(19), 0):
        alone = carried_forward(aig, cycles, leaves(aig, states[number]), proved)
        for one, other in zip(together(number), alone, strict=True):
            assert (one == other).all()


def product_of_three(last_first: bool) -> Aig:
    """Of which algebra does not say that the order makes no difference."""
    builder = Builder(["a", "b", "c"])
    a, b, c = (builder.input_named(name) for name in builder.inputs)
    first, second, third = (c, b, a) if last_first else (a, b, c)
    both = builder.conjunction(first, second)
    return builder.finish([("y", builder.conjunction(both, third))])


def test_a_short_cut_without_an_end_is_left_for_the_next_command() -> None:
    graphs = product_of_three(last_first=False), product_of_three(last_first=True)
    endless = equal.Command(equal.OF_RTL[0].text, share=1e-7)
    assert equal.compare(*graphs, (endless, *equal.OF_RTL)).equal is True
    assert equal.compare(*graphs, (endless,)).equal is None
    with pytest.raises(ToolFailed, match="took more than"):
        equal.compare(*graphs, seconds=1e-5)


TAG = [f"in_tag[{bit}]@0" for bit in range(24)]


def tag_case(words: str, gate: Callable[[Builder, int], int]) -> Case:
    """A case in which each bit of a tag comes out, but for what a gate makes of the first."""
    builder = Builder(TAG)
    tag = [builder.input_named(name) for name in TAG]
    outputs = [gate(builder, tag[0]), *tag[1:]]
    named = [(f"tag[{bit}]", literal) for bit, literal in enumerate(outputs)]
    graph = builder.finish([*named, ("valid", 1)])
    return Case(words, False, tuple(TAG), 0, "tag", lambda: graph)


def read_beside(builder: Builder, first: int) -> int:
    """The first bit, with another input read that has no bearing on it."""
    never = builder.conjunction(builder.input_named(TAG[1]), first ^ 1)
    return builder.conjunction(first, builder.conjunction(builder.input_named("x"), never) ^ 1)


def wrong_once(builder: Builder, first: int) -> int:
    """The first bit, unless all are true, which no sample is."""
    every = 1
    for name in TAG:
        every = builder.conjunction(every, builder.input_named(name))
    return builder.conjunction(first, every ^ 1)


def test_a_case_is_compared_with_one_that_was_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one reads more than the others, which does not matter; the last one is wrong."""
    gates = (read_beside, lambda _, bit: bit, wrong_once)
    every = [tag_case(f"{number}", gate) for number, gate in enumerate(gates)]
    asked: list[tuple[equal.Command, ...]] = []

    def compare(one: Aig, other: Aig, commands: Any, **rest: Any) -> equal.Comparison:
        asked.append(commands)
        return actual(one, other, commands, **rest)

    actual = equal.compare
    monkeypatch.setattr(equal, "compare", compare)
    proof = Proof({}, "", None, None, "", {}, {}, {})
    run = Steps(proof, load("compact"), 50, 1000, lambda _: None)
    monkeypatch.setattr(claim, "cases", lambda core, *_: iter(core))
    assert run.block(cast("Core", every[:2]))
    assert asked == [equal.OF_RTL, equal.OF_CASES_ALIKE]
    assert proof.steps[0].proofs == 2
    assert not run.block(cast("Core", every))
    assert asked[4:] == [equal.OF_CASES_ALIKE, equal.OF_RTL]
    assert proof.counterexample is not None
    assert proof.counterexample.tag == "ffffff"


GIVEN = [f"in_key[{bit}]@0" for bit in range(128)] + [f"in_block[{bit}]@0" for bit in range(128)]


def keyed(names: list[str], wrong: bool, last_first: bool) -> tuple[Builder, list[int]]:
    """Key and block exclusive or, which stands for a cipher; wrong for one input if need be.

    In one bit there is a product of three bits, of which algebra does not know the order.
    """
    builder = Builder(names)

    def differ(a: int, b: int) -> int:
        either = builder.conjunction(a ^ 1, b ^ 1) ^ 1
        return builder.conjunction(either, builder.conjunction(a, b) ^ 1)

    given = [builder.input_named(name) for name in names]
    result = [differ(a, b) for a, b in zip(given[:128], given[128:], strict=True)]
    first, second, third = given[2::-1] if last_first else given[:3]
    both = builder.conjunction(first, second)
    result[1] = differ(result[1], builder.conjunction(both, third))
    if wrong:
        every = 1
        for literal in given:
            every = builder.conjunction(every, literal)
        result[0] = differ(result[0], every)
    return builder, result


def block_case(words: str, wrong: bool = False) -> Case:
    """A case in which a block is decrypted."""
    builder, result = keyed(GIVEN, wrong, last_first=True)
    named = [(f"block[{bit}]", literal) for bit, literal in enumerate(result)]
    graph = builder.finish([*named, ("valid", 1)])
    return Case(words, True, tuple(GIVEN), 0, "block", lambda: graph)


@pytest.mark.parametrize("rtl_is_wrong", [False, True])
@pytest.mark.parametrize("netlist_is_wrong", [False, True])
def test_a_netlist_that_decrypts_is_compared_with_its_rtl(
    rtl_is_wrong: bool, netlist_is_wrong: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And with the specification where the RTL is not proved: what is wrong never passes."""
    names = [f"{port}[{bit}]" for port in ("key", "block") for bit in range(128)]
    builder, result = keyed(names, wrong=False, last_first=False)
    right = builder.finish((f"result[{bit}]", literal) for bit, literal in enumerate(result))
    monkeypatch.setattr(claim, "core_of", lambda *_: [block_case("of the RTL", rtl_is_wrong)])
    monkeypatch.setattr(claim, "cases", lambda core, *_, **__: iter(core))
    monkeypatch.setattr(Steps, "_specification", lambda *_: right)
    proof = Proof({}, "", "ecp5", None, "", {}, {}, {})
    said: list[str] = []
    run = Steps(proof, LITTLE, 50, 1000, said.append)
    core = [block_case("of the netlist", netlist_is_wrong)]
    assert run.block(cast("Core", core)) is not netlist_is_wrong
    assert [line for line in said if line.startswith("its RTL")]
    assert proof.steps[0].proofs == 2
    if netlist_is_wrong:
        example = proof.counterexample
        assert example is not None
        assert (example.key, example.block) == ("ff" * 16, "ff" * 16)
        # Beside the product of three.
        assert (example.got, example.wanted) == ("00" * 15 + "03", "00" * 15 + "02")


TWO_CLOCKS = """
module two_clocks (input logic clk, other, d, output logic q);
  logic middle;
  always_ff @(posedge clk) middle <= d;
  always_ff @({edge} {clock}) q <= middle;
endmodule
"""


@pytest.mark.parametrize(("edge", "clock"), [("posedge", "other"), ("negedge", "clk")])
def test_another_clock_is_refused(edge: str, clock: str, tmp_path: Path) -> None:
    source = tmp_path / "two_clocks.sv"
    source.write_text(TWO_CLOCKS.format(edge="posedge", clock="clk"), encoding="utf-8")
    assert len(circuit.of_module("two_clocks", {}, [source]).aig.registers) == 2
    source.write_text(TWO_CLOCKS.format(edge=edge, clock=clock), encoding="utf-8")
    with pytest.raises(AesforgeError, match=r"q has another clock|_DFF_N_"):
        circuit.of_module("two_clocks", {}, [source])


COPIES = """
module inner (input logic clk, a, output logic same, again, high, last, open);
  logic kept;
  always_ff @(posedge clk) kept <= a;
  assign same = a;
  assign again = same;
  assign high = 1'b1;
  assign last = kept;
endmodule
module copies (input logic clk, input logic [1:0] x, output logic [9:0] y);
  for (genvar i = 0; i < 2; i++) begin : gen
    inner u (
        .clk, .a(x[i]), .same(y[5*i]), .again(y[5*i+1]), .high(y[5*i+2]), .last(y[5*i+3]),
        .open(y[5*i+4])
    );
  end
endmodule
"""


def test_copies_of_a_module_are_put_together(tmp_path: Path) -> None:
    """What passes through a module, what is constant in it, and what nothing drives."""
    source = tmp_path / "copies.sv"
    source.write_text(COPIES, encoding="utf-8")
    found = circuit.of_module("copies", {}, [source]).aig
    assert found.inputs == ["clk", "x[0]", "x[1]", "undefined 0", "undefined 1"]
    assert len(found.registers) == 2
    x = [found.input_at[f"x[{i}]"] for i in range(2)]
    kept = [2 * (found.first_register + i) for i in range(2)]
    free = [found.input_at[f"undefined {i}"] for i in range(2)]
    assert found.next_state == x
    assert found.output == [x[0], x[0], 1, kept[0], free[0], x[1], x[1], 1, kept[1], free[1]]
    assert not found.gates


# Six words from place 2 on, of which the last is not given; read by any line, and by two of three.
ONLY_READ = """
module only_read (input logic clk, input logic [2:0] x, output logic [4:0] y, z);
  logic [4:0] memory[2:7];
  initial begin
    memory[2] = 5'd9; memory[3] = 5'd17; memory[4] = 5'd30; memory[5] = 5'd9; memory[6] = 5'd4;
  end
  assign y = memory[x];
  assign z = memory[{x[2], 1'b1, x[0]}];
endmodule
"""


def test_a_memory_that_is_only_read_holds_what_it_is_given(tmp_path: Path) -> None:
    source = tmp_path / "only_read.sv"
    source.write_text(ONLY_READ, encoding="utf-8")
    found = circuit.of_module("only_read", {}, [source]).aig
    given = {2: 9, 3: 17, 4: 30, 5: 9, 6: 4}
    others = [name for name in found.inputs if name.startswith("undefined")]
    assert not found.registers
    for fill in (False, True):
        free = dict.fromkeys(others, fill)
        for x in range(8):
            lines = {f"x[{bit}]": bool(x >> bit & 1) for bit in range(3)}
            got = equal.outputs_at(found, {**lines, **free})
            for port, place in (("y", x), ("z", x | 2)):
                value = sum(got[f"{port}[{bit}]"] << bit for bit in range(5))
                assert value == given.get(place, 31 * fill)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("assign y = y ^ x;", "depends on itself"),
        ("assign y = x; and u (y, x, clk);", "two drivers"),
        ("always_latch if (clk) y = x;", "_FF_"),
        ("logic c; assign c = clk & x; always_ff @(posedge c) y <= x;", "another clock"),
        ("unmodelled u (.condition(x)); assign y = x;", "u: the model of its cell does not cover"),
    ],
)
def test_what_is_no_graph_is_refused(body: str, words: str, tmp_path: Path) -> None:
    source = tmp_path / "bad.sv"
    source.write_text(
        "(* blackbox, keep *) module unmodelled (input wire condition); endmodule\n"
        f"module bad (input logic clk, x, output logic y); {body} endmodule\n",
        encoding="utf-8",
    )
    with pytest.raises(AesforgeError, match=words):
        circuit.of_module("bad", {}, [source])


def test_a_core_that_accepts_nothing_is_not_proved() -> None:
    proof = prove(
        LITTLE, changes=[change("aesforge_core.sv", f"{READY};", f"{READY} && zeroizing_q;")]
    )
    assert proof.result == "not proved"
    assert "ready for a block" in proof.reason


def test_two_things_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.aig"
    text = "aig 2 0 2 0 0\n0\n0\nl0 a[0] b\nl1 {}\n"
    path.write_text(text.format("a[1] c"), encoding="utf-8")
    assert read(path).registers == ["a[0]", "a[1]"]
    path.write_text(text.format("a[0]"), encoding="utf-8")
    with pytest.raises(AesforgeError, match="one name"):
        read(path)


def test_cubes_are_disjoint_and_cover_what_is_true() -> None:
    rng = np.random.default_rng(7)
    table = rng.integers(0, 2, (2,) * 5).astype(bool)
    count = np.zeros_like(table, dtype=int)
    for cube in cubes(table):
        count[tuple(int(cube[v]) if v in cube else slice(None) for v in range(5))] += 1
    assert (count == table).all()


# --- Whole cores ---------------------------------------------------------------------------------


def test_an_iterative_core_is_proved(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    done = CliRunner().invoke(cli.main, ["prove", "compact", "-o", str(path)])
    assert done.exit_code == 0, done.output
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["result"] == "proved"
    assert [step["result"] for step in data["steps"]] == ["proved"] * 4
    assert data["steps"][0]["name"].startswith("S-boxes: 1 found")
    assert data["steps"][1]["proofs"] == 2


@pytest.mark.parametrize(
    "design",
    [
        STORED,
        SERIAL,
    ],
    ids=lambda design: design.summary()[:40],
)
def test_cores_with_stored_keys_have_cases_and_no_sample_goes_wrong(design: Design) -> None:
    """All but the comparison of a proof: that takes minutes for each of them."""
    core = core_of(circuit.of_design(design).aig, design)
    wanted = {way: specified(design.key_bits, bool(way)) for way in core.directions}
    of_blocks = list(islice((case for case in cases(core) if case.has_block), 4))
    assert {(case.slot, case.inverse) for case in of_blocks} == {
        (slot, bool(way)) for slot in range(design.key_slots or 1) for way in core.directions
    }
    for case in of_blocks:
        assert case.sample is not None
        assert find_mismatch(case, case.sample(1), wanted[case.inverse]) is None, case.label


def test_a_key_that_is_not_at_rest_is_not_carried_over(monkeypatch: pytest.MonkeyPatch) -> None:
    core = core_of(circuit.of_design(SERIAL).aig, SERIAL)
    # The last round key stands eleven cycles after the key.
    monkeypatch.setattr(key_load, "ready_after", lambda design: 8)
    with pytest.raises(UsageError, match="longer than its design says to come to rest"):
        next(cases(core))


def test_a_slot_that_takes_no_block_is_named(tmp_path: Path) -> None:
    """Its example is repeated with a key in that slot alone."""
    aig = circuit.of_design(STORED).aig
    # The same as the text below, in the circuit: to read it once more would take longer.
    ready = aig.outputs.index("in_ready")
    gates = [*aig.gates, (aig.output[ready], aig.bits_in("in_slot")[0] ^ 1)]
    output = list(aig.output)
    output[ready] = 2 * (aig.first_gate + len(aig.gates))
    with pytest.raises(NotAccepted, match="ready for a block") as refused:
        list(cases(core_of(dataclasses.replace(aig, gates=gates, output=output), STORED)))
    assert refused.value.slot == 1
    only_one = change("aesforge_core.sv", READY, f"{READY} && in_slot != 1'd1")
    files = changed_files(tmp_path, rtl.needed_by(STORED.top), [only_one])
    for slot, how in ((0, "among other blocks"), (1, "alone after a reset")):
        example = CounterExample("", False, False, key="00" * 16, slot=slot)
        assert replay(STORED, example, files).how.startswith(how)


def test_registers_follow_a_key_whatever_their_logic_reads_besides() -> None:
    """As look-up tables do: d and x, or d and not x. And one that hangs on x indeed."""
    aig = circuit.of_design(SERIAL).aig

    def kept(found: Aig) -> set[int]:
        return key_load.load_key(core_of(found, SERIAL), 0, equal.compare).kept

    before = kept(aig)
    last = max(before)
    assert aig.next_state[last - aig.first_register] != 2 * last
    x, d, end = aig.bits_in("in_valid")[0], aig.next_state[last - aig.first_register], 2 * aig.size
    both = [(d, x), (d, x ^ 1), (end ^ 1, (end + 2) ^ 1)]
    for gates, literal, alike in ((both, (end + 4) ^ 1, True), (both[:1], end, False)):
        following = list(aig.next_state)
        following[last - aig.first_register] = literal
        changed = dataclasses.replace(aig, gates=[*aig.gates, *gates], next_state=following)
        found = kept(changed)
        assert found == before if alike else found <= before - {last}


def mutant(kind: str, core: str) -> prove_mutants.Mutant:
    return next(m for m in prove_mutants.rtl_mutants() if (m.kind, m.core) == (kind, core))


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
        path = next(path for path in rtl.filelist() if path.name == one.file)
        assert path.read_text(encoding="utf-8").count(one.old) == 1, one.label


def test_a_counterexample_is_repeated_in_simulation(tmp_path: Path) -> None:
    wrong = mutant("ShiftRows", "agile")
    proof = prove(wrong.design, changes=[wrong.change], seconds=60)
    path = tmp_path / "certificate.json"
    proof.write(path)
    done = CliRunner().invoke(cli.main, ["check", "--replay", str(path)])
    assert done.exit_code == 1, done.output
    assert proof.counterexample is not None
    assert f"expected  {proof.counterexample.wanted}" in done.stdout
    assert f"got       {proof.counterexample.got}" in done.stdout
    # The core that is right gives what is wanted.
    proof.changes = []
    proof.write(path)
    done = CliRunner().invoke(cli.main, ["check", "--replay", str(path)])
    assert done.exit_code == 0, done.output
    assert "no fault is reproduced" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--replay", "no.json"], "cannot read"),
        (["compact", "--replay", "no.json"], "takes the design from the certificate"),
        ([], "name a design D"),
    ],
)
def test_a_replay_of_nothing_is_refused(arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(cli.main, ["check", *arguments])
    assert done.exit_code == 2
    assert words in done.stderr


def test_a_secret_in_control_is_seen() -> None:
    """A core that takes a cycle more for some keys."""
    wrong = change("aesforge_core.sv", f"{READY};", f"{READY} && in_key[3:0] != 4'h9;")
    proof = prove(LITTLE, changes=[wrong], seconds=60)
    assert proof.result == "not proved"
    assert "in_key" in proof.reason


def test_a_zeroize_that_clears_nothing_is_seen() -> None:
    wrong = change(
        "aesforge_cipher.sv",
        "if (Passes > 1 && zeroize) out_block",
        "if (Passes > 99) out_block",
    )
    proof = prove(LITTLE, changes=[wrong], seconds=60)
    zeroize = next(step for step in proof.steps if step.name.startswith("zeroize"))
    assert zeroize.result == "not proved"
    assert proof.result == "not proved"


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


def test_a_cell_without_a_model_is_named(tmp_path: Path) -> None:
    synthesis = synthesis_of(LITTLE, "ecp5")
    synthesis.run()
    mapped = tmp_path / MAPPED
    text = (synthesis.folder / MAPPED).read_text(encoding="utf-8")
    mapped.write_text(text.replace("cell \\LUT4 ", "cell \\LUT9 ", 1), encoding="utf-8")
    with pytest.raises(ToolFailed, match="LUT9"):
        circuit.of_netlist(synthesis, mapped)


# --- Several looped tiles ------------------------------------------------------------------------

TWO_RINGS = load("compact", {"tiles": 2})


def test_each_ring_takes_blocks_that_come_out_alone() -> None:
    core = core_of(circuit.of_design(TWO_RINGS).aig, TWO_RINGS)
    every = list(cases(core))
    assert [case.label.partition(" zeroizing")[0] for case in every] == [
        f"{what}, ring {ring}" for ring in (0, 0, 1, 1) for what in ("tag", "block")
    ]
    of_blocks = [case for case in every if case.has_block]
    # What the other ring holds has no bearing on them.
    assert not any(case.foreign for case in every)
    assert len({case.digest for case in of_blocks}) == 1
    alone = core_of(circuit.of_design(LITTLE).aig, LITTLE)
    (one, _) = (case for case in cases(alone) if case.has_block)
    assert len(of_blocks[0].graph.gates) == len(one.graph.gates)
    for case in of_blocks:
        assert case.sample is not None
        assert find_mismatch(case, case.sample(1), specified(128, False)) is None


def test_what_a_ring_keeps_account_of_never_passes_its_last_pass() -> None:
    core = core_of(circuit.of_design(TWO_RINGS).aig, TWO_RINGS)
    first = core.aig.first_register
    group = [
        first + n
        for n, name in enumerate(core.aig.registers)
        if name.startswith("gen_tile[1].") and re.search(r"\.(valid|pass)_end\b", name)
    ]
    names = [core.aig.registers[v - first].rpartition(".")[2] for v in group]
    assert len(group) == 5
    held = [dict(zip(names, values, strict=True)) for values in account_states(core, group)]
    passes = [sum(at[f"pass_end[{bit}]"] << bit for bit in range(4)) for at in held]
    assert {number for number, at in zip(passes, held, strict=True) if at["valid_end"]} == set(
        range(10)
    )


@pytest.mark.parametrize(
    ("name", "text", "other"),
    [
        # It takes blocks for which no ring has a place.
        ("aesforge_core.sv", "&& ring_ready != '0;", ";"),
        # A ring shows what it holds once on the way: with one ring, nobody would have to look.
        (
            "aesforge_sequencer.sv",
            "valid_end && !again && !zeroize && !hold",
            "valid_end && (!again || pass_end == PassBits'(3)) && !zeroize && !hold",
        ),
        # What stands at the end of the second ring comes out, whichever ring is through.
        ("aesforge_core.sv", "if (ring_valid_o[i]) begin", "if (ring_valid_o[i] || i == 1) begin"),
        # A block passes through the ring twice.
        ("aesforge_sequencer.sv", "pass_end != PassBits'(Passes - 1)", "pass_end != '1"),
    ],
)
def test_a_fault_in_one_of_several_rings_is_refuted(
    name: str, text: str, other: str, tmp_path: Path
) -> None:
    files = changed_files(tmp_path, rtl.needed_by(TWO_RINGS.top), [change(name, text, other)])
    proof = prove_circuit(TWO_RINGS, circuit.of_design(TWO_RINGS, files))
    assert proof.result == "not proved", proof.text()


def test_ways_into_rings_are_all_there_are() -> None:
    """Two rings of one register each, and what says that one is ready."""
    names = {1: "one", 2: "other"}
    accounts = [rings.Account((v,), frozenset({(0,), (1,)})) for v in names]

    def ways(busy: Callable[[Builder, int, int], int]) -> list[tuple[int, dict[int, bool]]]:
        builder = Builder(list(names.values()))
        both = busy(builder, *map(builder.input_named, names.values()))
        graph = builder.finish([("ready", both ^ 1)])
        found = rings.ways_in(graph, accounts, names, equal.compare)
        return [(ring, known) for ring, known, _ in found]

    assert ways(Builder.conjunction) == [(0, {1: False}), (1, {2: False})]
    with pytest.raises(CheckFailed, match="though no ring is ready"):
        # If just one of them is busy, neither is ready for certain.
        ways(
            lambda b, x, y: b.conjunction(b.conjunction(x, y ^ 1) ^ 1, b.conjunction(x ^ 1, y) ^ 1)
        )


# --- One core undoes the other -------------------------------------------------------------------


def test_the_inverse_is_made_of_lemmas_that_can_fail() -> None:
    steps = inverse.cipher_steps(10) + inverse.inv_cipher_steps(10)
    assert len(steps) == 80
    assert inverse.cancelled(steps) == []
    assert inverse.cancelled([*steps[:-1], ("ADDROUNDKEY", 1)]) != []
    parts = {
        name: circuit.specification(name, 128, TOWER).aig
        for name in ("SUBBYTES", "INVSUBBYTES", "MIXCOLUMNS", "INVMIXCOLUMNS")
    }
    mix, back = (inverse.linear_forms(parts[name]) for name in ("MIXCOLUMNS", "INVMIXCOLUMNS"))
    assert inverse.undoes(back, mix)
    assert not inverse.undoes(back, [mix[1], mix[0], *mix[2:]])
    with pytest.raises(AesforgeError, match="no sums"):
        inverse.linear_forms(parts["SUBBYTES"])
    whole = circuit.specification("CIPHER of words", 128, TOWER).aig
    order = inverse.cipher_steps(10)
    assert equal.sampled(whole, inverse.composed(order, parts, whole.inputs, 10), 1) is None
    order[1], order[3] = order[3], order[1]
    assert equal.sampled(whole, inverse.composed(order, parts, whole.inputs, 10), 1) is not None


def test_a_pair_that_is_none_is_refused() -> None:
    for name in ("balanced", "kiran-looped"):
        done = CliRunner().invoke(cli.main, ["prove", "compact", "--inverse-of", name])
        assert done.exit_code == 2
        assert "does not decrypt" in done.stderr


# --- Bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["name a design D"]),
        (["compact", "--family", "ecp4"], ["no family", "did you mean 'ecp5'"]),
        (["compact", "--recipe", "area"], ["--recipe goes with --family"]),
        (["compact", "--verify", "x.json"], ["takes everything from the certificate"]),
        (["--verify", "no.json"], ["cannot read"]),
        (["compakt"], ["did you mean 'compact'"]),
        (["liu2014-two-stage-hu2009"], ["nothing to prove", "not AES", "aesforge check"]),
        (["liu2014-five-stage", "--timeout", "0.02"], ["reading the core", "nothing is proved"]),
    ],
)
def test_bad_input_is_refused(arguments: list[str], words: list[str]) -> None:
    done = CliRunner().invoke(cli.main, ["prove", *arguments])
    assert done.exit_code == 2, done.output
    for word in words:
        assert word in done.stderr
    assert done.stdout == ""


def test_a_proof_without_time_is_not_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anf, "alike", lambda *_: False)
    proof = prove(LITTLE, seconds=0.05)
    assert proof.result == "not finished"
    assert "it took more than 0.05 s" in proof.reason
    assert [step.result for step in proof.steps] == ["proved", "not finished"]
    path = tmp_path / "certificate.json"
    proof.write(path)
    with pytest.raises(UsageError, match="does not say that anything was proved: not finished"):
        verify(path)


def test_a_file_that_is_no_certificate_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text in ("", "[]", '{"steps": []}'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match="not a certificate"):
            verify(path)

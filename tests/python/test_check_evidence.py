# SPDX-License-Identifier: Apache-2.0
"""The independent checker accepts evidence, and refuses what is broken, each for its reason."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from aesforge.cli.main import main
from aesforge.design import Design, load
from aesforge.prove import evidence
from aesforge.prove.mutation import Change
from project import REPO
from proofs import LITTLE, change, mutant

sys.path.insert(0, str(REPO / "scripts"))

import prove_mutants

CHECKER = REPO / "formal" / "check_evidence.py"


# Where a block goes on from one ring to the other depends on other blocks.
DECRYPT = load("compact", {"direction": "decrypt"})


def written(folder: Path, design: Design, family: str | None = None, *changes: Change) -> Path:
    evidence.write(design, folder, family=family, changes=changes)
    return folder


@pytest.fixture(scope="module")
def decrypt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("evidence"), DECRYPT)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("evidence"), LITTLE)


def check(folder: Path) -> tuple[int, str]:
    ran = subprocess.run(
        [sys.executable, "-I", str(CHECKER), str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return ran.returncode, ran.stdout


@pytest.mark.parametrize("kind", ["good", "decrypt"])
def test_evidence_is_accepted(kind: str, request: pytest.FixtureRequest) -> None:
    code, text = check(request.getfixturevalue(kind))
    assert code == 0, text
    assert text.endswith("the evidence shows the claim\n")


def checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location(CHECKER.stem, CHECKER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("key_bits", "result"),
    [
        (128, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        (192, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (256, "8ea2b7ca516745bfeafc49904b496089"),
    ],
)
def test_the_checker_computes_the_examples_of_fips_197(key_bits: int, result: str) -> None:
    def bits(text: bytes) -> list[list[int]]:
        return [[byte >> bit & 1 for bit in range(8)] for byte in text]

    module = checker()
    key, block = bits(bytes(range(key_bits // 8))), bits(bytes(17 * i for i in range(16)))
    wanted = bits(bytes.fromhex(result))
    assert module.cipher(module.Sums([]), key, block, 0) == wanted
    assert module.cipher(module.Sums([]), key, wanted, 1) == block


def lines_of_code(source: str) -> int:
    """Return the lines without blank ones, comments, and docstrings."""
    text = {
        number
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for number in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    lines = enumerate(source.splitlines(), 1)
    return sum(
        bool(line.strip()) and line.strip()[0] != "#" and number not in text
        for number, line in lines
    )


def test_the_checker_is_short() -> None:
    assert lines_of_code(CHECKER.read_text(encoding="utf-8")) <= 500


def test_the_checker_imports_nothing_of_ours() -> None:
    assert "import aesforge" not in CHECKER.read_text(encoding="utf-8")
    assert "from aesforge" not in CHECKER.read_text(encoding="utf-8")


Facts = dict[str, Any]


def facts(change: Callable[[Facts], None]) -> Callable[[Path], None]:
    def broken(folder: Path) -> None:
        path = folder / "evidence.json"
        data = json.loads(path.read_bytes())
        change(data)
        path.write_text(json.dumps(data), encoding="utf-8")

    return broken


def netlist(change: Callable[[Facts], None]) -> Callable[[Path], None]:
    def broken(folder: Path) -> None:
        path = folder / "circuit.json"
        data = json.loads(path.read_bytes())
        change(data["modules"])
        path.write_text(json.dumps(data), encoding="utf-8")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        facts(lambda all_: all_.update(circuit=digest))(folder)

    return broken


def cell(modules: Facts, kind: str, module: str = "") -> Facts:
    return next(
        c
        for name, m in modules.items()
        for c in m["cells"].values()
        if module in name and c["type"] == kind
    )


def core(modules: Facts) -> Facts:
    found: Facts = next(m for m in modules.values() if "top" in m["attributes"])
    return found


def connect(kind: str, module: str, port: str, to: str) -> Callable[[Facts], None]:
    """Return a change that connects a port of a cell with a constant, or with another port."""

    def broken(modules: Facts) -> None:
        at = cell(modules, kind, module)["connections"]
        at[port] = at.get(to, [to])

    return broken


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def no_top(modules: Facts) -> None:
    for module in modules.values():
        module["attributes"].pop("top", None)


def swap_tag(modules: Facts) -> None:
    bits = core(modules)["ports"]["in_tag"]["bits"]
    bits[0], bits[1] = bits[1], bits[0]


def one_tag(modules: Facts) -> None:
    bits = core(modules)["ports"]["in_tag"]["bits"]
    bits[0] = bits[1]


def misuse(modules: Facts) -> None:
    """Put in what stands for a cell whose model does not say what it does."""
    wrong = {"type": "unmodelled", "connections": {"condition": ["1"]}}
    core(modules)["cells"]["wrong"] = wrong


def write_memory(modules: Facts) -> None:
    cell(modules, "$mem_v2")["parameters"]["WR_PORTS"] = "1"


def swap_bytes(modules: Facts) -> None:
    bits = core(modules)["ports"]["out_block"]["bits"]
    bits[:16] = bits[8:16] + bits[:8]


def drop_state(valid: int) -> Callable[[Facts], None]:
    """Return a change that takes out a state with or without a block at the end of the ring."""

    def broken(data: Facts) -> None:
        states = data["counters"]["tag"]
        (name,) = (name for name in states[0] if name.endswith("valid_end"))
        states.remove(next(state for state in states if state[name] == valid))

    return broken


Broken = dict[str, tuple[Callable[[Path], None], str]]

BROKEN: Broken = {
    "no facts": (without("evidence.json"), "evidence.json: No such file"),
    "no netlist": (without("circuit.json"), "circuit.json: No such file"),
    "another format": (facts(lambda d: d.update(format=1)), "format 3 is needed"),
    "another netlist": (facts(lambda d: d.update(circuit="0" * 64)), "not the netlist of"),
    "no key size": (facts(lambda d: d.update(key_bits=100)), "no such key size"),
    "another key size": (facts(lambda d: d.update(key_bits=256)), "in_key has not 256 bits"),
    "no direction": (facts(lambda d: d.update(direction="x")), "no such direction"),
    "another direction": (
        facts(lambda d: d.update(direction="decrypt")),
        "block of INVCIPHER(): the netlist gives another block[0]",
    ),
    "both directions": (facts(lambda d: d.update(direction="both")), "INVCIPHER(): the netlist"),
    "negative latency": (facts(lambda d: d.update(latency=-1)), "no such latency"),
    "shorter latency": (facts(lambda d: d.update(latency=10)), "the netlist gives another"),
    "longer latency": (facts(lambda d: d.update(latency=12)), "the netlist gives another"),
    "no turn": (facts(lambda d: d.update(turn=0)), "no such turn"),
    "unknown invariant": (facts(lambda d: d["invariant"].update(x=0)), "there is no register x"),
    "wrong invariant": (
        facts(lambda d: d["invariant"].update(d["cases"][0]["known"])),
        "invariant:",
    ),
    "no cases": (facts(lambda d: d.update(cases=[])), "has no case of tag"),
    "missing case": (facts(lambda d: d["cases"].pop()), "has no case of block"),
    "value of no bit": (
        facts(lambda d: d["cases"][0]["known"].update(dict.fromkeys(d["cases"][0]["known"], 2))),
        "no value of a bit",
    ),
    "case of another kind": (
        facts(lambda d: d["cases"].append({**d["cases"][0], "about": "x"})),
        "a case of neither tag nor block",
    ),
    "case without facts": (
        facts(lambda d: d["cases"].append({**d["cases"][0], "known": {}})),
        "tag of CIPHER(): the netlist gives another tag[0]",
    ),
    "unknown cell": (
        netlist(lambda m: cell(m, "$_NOT_").update(type="$_AND_x")),
        "a cell of the kind $_AND_x",
    ),
    "no top": (netlist(no_top), "not one module is the top"),
    "two drivers": (netlist(connect("$_AND_", "", "Y", "A")), "a net has two drivers"),
    "loop": (netlist(connect("$_AND_", "sbox_tower", "A", "Y")), "a loop without a register"),
    "another clock": (
        netlist(connect("$_DFF_P_", "", "C", "D")),
        "a register has another clock",
    ),
    "stopped clock": (netlist(connect("$_DFF_P_", "", "C", "0")), "a register has another clock"),
    "wrong S-box": (
        netlist(connect("$_AND_", "sbox_tower", "A", "1")),
        "the netlist gives another block",
    ),
    "wrong use of a cell": (netlist(misuse), "a cell is used as no model says"),
    "written memory": (netlist(write_memory), "a memory is written"),
    "swapped bytes": (netlist(swap_bytes), "the netlist gives another block[0]"),
    "swapped tag": (netlist(swap_tag), "the netlist gives another tag[0]"),
    "one bit twice": (netlist(one_tag), "a net has two drivers"),
}

# Of registers that tell cases apart, in a core that decrypts.
STATES: Broken = {
    "missing state": (facts(drop_state(1)), "after one of them is missing"),
    "missing first state": (facts(drop_state(0)), "a state after a reset is missing"),
    "other registers": (facts(lambda d: d["counters"]["tag"][-1].popitem()), "of other registers"),
    "missing case": (facts(lambda d: d["cases"].pop(2)), "has no case of tag"),
    "less for in_ready": (
        facts(lambda d: d["ready"].pop()),
        "in_ready depends on more than these registers",
    ),
    "too much for in_ready": (
        facts(lambda d: d.update(ready=17 * d["ready"][:1])),
        "in_ready depends on too many registers",
    ),
    "unknown register for in_ready": (
        facts(lambda d: d["ready"].append("x")),
        "there is no register x",
    ),
    "another direction": (
        facts(lambda d: d.update(direction="encrypt")),
        "block of CIPHER(): the netlist gives another block[0]",
    ),
    "wrong S-box": (
        netlist(connect("$_AND_", "sbox_tower", "A", "1")),
        "the netlist gives another block",
    ),
}


def refused(good: Path, folder: Path, broken: Callable[[Path], None], message: str) -> None:
    shutil.copytree(good, folder)
    broken(folder)
    code, text = check(folder)
    assert code == 1
    assert text.splitlines()[-1].startswith("refused: ")
    assert message in text.splitlines()[-1]


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_evidence_is_refused(kind: str, good: Path, tmp_path: Path) -> None:
    refused(good, tmp_path / "evidence", *BROKEN[kind])


@pytest.mark.parametrize("kind", STATES)
def test_broken_states_are_refused(kind: str, decrypt: Path, tmp_path: Path) -> None:
    refused(decrypt, tmp_path / "evidence", *STATES[kind])


@pytest.mark.parametrize(
    ("design", "family", "changes"),
    [
        ("line-rate", None, {}),
        ("balanced", None, {}),
        ("compact", None, {"key_bits": 256}),
        ("compact", None, {"direction": "both"}),
        ("compact-bram", None, {}),
        ("compact", "ecp5", {}),
        ("compact", "ice40", {}),
        ("compact-pipelined", "ecp5", {}),
    ],
    ids=["line-rate", "balanced", "AES-256", "both", "bram", "ecp5", "ice40", "ecp5 five-stage"],
)
def test_evidence_of_other_cores_is_accepted(
    design: str, family: str | None, changes: dict[str, Any], tmp_path: Path
) -> None:
    code, text = check(written(tmp_path, load(design, changes), family))
    assert code == 0, text
    assert text.endswith("the evidence shows the claim\n")


def wrong_last_round() -> Change:
    """Let the last round of an unrolled core leave two bytes where they are."""
    line = "assign shifted_d = aesforge_pkg::shift_rows(substituted);"
    return change(
        "aesforge_round.sv",
        line,
        "logic [127:0] s;\n    assign s = aesforge_pkg::shift_rows(substituted);\n"
        "    assign shifted_d = control_shift[0] ? {s[119:112], s[127:120], s[111:0]} : s;",
    )


def test_a_swap_in_the_last_round_is_refused(tmp_path: Path) -> None:
    code, text = check(written(tmp_path, LITTLE, None, wrong_last_round()))
    assert code == 1
    assert "the netlist gives another block[112]" in text


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("Rcon bit", "gives another block"),
        ("pass off by one", "gives another"),
    ],
)
def test_a_mutant_is_refused(kind: str, message: str, tmp_path: Path) -> None:
    wrong = mutant(kind, "agile")
    code, text = check(written(tmp_path, wrong.design, None, wrong.change))
    assert code == 1
    assert message in text.splitlines()[-1]


def test_a_flipped_bit_of_a_look_up_table_is_refused(tmp_path: Path) -> None:
    wrong = prove_mutants.lut_mutants(1)[0]
    code, text = check(written(tmp_path, LITTLE, "ecp5", wrong.change))
    assert code == 1
    assert "the netlist gives another" in text.splitlines()[-1]


@pytest.mark.parametrize(
    ("design", "words"),
    [
        ("saggese2003-iterative-stored", "stored keys"),
        ("kiran-looped", "a key expansion"),
    ],
)
def test_other_kinds_are_refused(design: str, words: str, tmp_path: Path) -> None:
    given = ["prove", design, "-o", str(tmp_path / "c"), "--evidence", str(tmp_path / "e")]
    ran = CliRunner().invoke(main, given)
    assert ran.exit_code == 2
    assert f"--evidence does not cover {words}" in ran.output


@pytest.mark.parametrize("given", [["compact"], ["compact", "--family", "ecp5"]])
def test_prove_writes_evidence(given: list[str], tmp_path: Path) -> None:
    where = ["-o", str(tmp_path / "c.json"), "--evidence", str(tmp_path / "e")]
    ran = CliRunner().invoke(main, ["prove", *given, *where])
    assert ran.exit_code == 0, ran.output
    code, text = check(tmp_path / "e")
    assert code == 0, text

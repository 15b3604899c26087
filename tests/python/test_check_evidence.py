# SPDX-License-Identifier: Apache-2.0
"""The independent checker accepts evidence, and refuses what is broken, each for its reason."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aesforge.cli.main import main
from aesforge.design import load
from aesforge.prove import evidence

CHECKER = Path(__file__).resolve().parents[2] / "formal" / "check_evidence.py"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evidence")
    evidence.write(load("compact"), folder)
    return folder


def check(folder: Path) -> tuple[int, str]:
    ran = subprocess.run(
        [sys.executable, "-I", str(CHECKER), str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return ran.returncode, ran.stdout


def test_evidence_is_accepted(good: Path) -> None:
    code, text = check(good)
    assert code == 0, text
    assert text.endswith("the evidence shows the claim\n")


def test_evidence_of_an_unrolled_core_is_accepted(tmp_path: Path) -> None:
    evidence.write(load("line-rate"), tmp_path)
    code, text = check(tmp_path)
    assert code == 0, text
    assert "claim: AES-128, encrypting, latency 91" in text


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


def sbox(data: Facts) -> Facts:
    found: Facts = next(iter(data["sboxes"].values()))
    return found


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


def flipped(name: str, at: int) -> Callable[[Path], None]:
    def broken(folder: Path) -> None:
        path = folder / name
        head, rest = path.read_bytes().split(b"\n", 1)
        lines = rest.split(b"\n")
        lines[at] = str(int(lines[at]) ^ 1).encode()
        path.write_bytes(head + b"\n" + b"\n".join(lines))

    return broken


def cut(name: str) -> Callable[[Path], None]:
    def broken(folder: Path) -> None:
        path = folder / name
        path.write_bytes(path.read_bytes()[:300])

    return broken


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def drop_sbox_gate(modules: Facts) -> None:
    cell(modules, "$_NOT_", "aesforge_sbox_tower")["type"] = "$_AND_x"


def no_top(modules: Facts) -> None:
    for module in modules.values():
        module["attributes"].pop("top", None)


BROKEN: dict[str, tuple[Callable[[Path], None], str]] = {
    "no facts": (without("evidence.json"), "evidence.json: No such file"),
    "no netlist": (without("circuit.json"), "circuit.json: No such file"),
    "another format": (facts(lambda d: d.update(format=9)), "format 1 is needed"),
    "another netlist": (facts(lambda d: d.update(circuit="0" * 64)), "not the netlist of"),
    "no key size": (facts(lambda d: d.update(key_bits=100)), "no such key size"),
    "another key size": (facts(lambda d: d.update(key_bits=256)), "in_key has not 256 bits"),
    "negative latency": (facts(lambda d: d.update(latency=-1)), "no such latency"),
    "shorter latency": (facts(lambda d: d.update(latency=10)), "the netlist gives another"),
    "longer latency": (facts(lambda d: d.update(latency=12)), "the netlist gives another"),
    "wrong table": (facts(lambda d: d.update(table="00" * 256)), "table is not that of SBOX()"),
    "S-box stages": (facts(lambda d: sbox(d).update(stages=99)), "too many stages"),
    "missing place": (facts(lambda d: sbox(d)["places"].pop()), "other places"),
    "wrong place": (facts(lambda d: sbox(d)["places"].append("u_x")), "other places"),
    "unknown S-box": (
        facts(lambda d: d["sboxes"].update(x={"stages": 0, "places": []})),
        "no such module",
    ),
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
        "about neither tag nor block",
    ),
    "case without facts": (
        facts(lambda d: d["cases"].append({**d["cases"][0], "known": {}})),
        "case 4 (tag): the netlist gives another",
    ),
    "flipped S-box": (flipped("sbox.aig", 0), "not SBOX() of"),
    "cut S-box": (cut("sbox.aig"), "sbox.aig: no AIGER file"),
    "flipped core": (flipped("case-1-core.aig", 5), "case-1-core.aig has other sums"),
    "flipped specification": (flipped("case-1-fips197.aig", 5), "has other sums"),
    "cut core": (cut("case-1-core.aig"), "case-1-core.aig: "),
    "unknown cell": (netlist(drop_sbox_gate), "a cell of the kind $_AND_x"),
    "no top": (
        netlist(no_top),
        "not one module is the top",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_evidence_is_refused(kind: str, good: Path, tmp_path: Path) -> None:
    folder = tmp_path / "evidence"
    shutil.copytree(good, folder)
    broken, message = BROKEN[kind]
    broken(folder)
    code, text = check(folder)
    assert code == 1
    assert "refused: " in text
    assert message in text.splitlines()[-1]


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


def test_decryption_is_refused(tmp_path: Path) -> None:
    given = ["prove", "compact", "--set", "direction=decrypt", "-o", str(tmp_path / "c")]
    ran = CliRunner().invoke(main, [*given, "--evidence", str(tmp_path / "e")])
    assert ran.exit_code == 2
    assert "--evidence does not cover decryption" in ran.output

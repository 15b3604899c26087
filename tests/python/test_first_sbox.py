# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING's walk-through, applied word by word to a copy of the repository, works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
WALK = (REPO / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Your first S-box")[2]


def apply_walk_through(root: Path) -> list[str]:
    """Do in a checkout what the page says, and give the paths that were touched."""
    touched = []
    path = None
    # A path in running text says where the code blocks that follow belong.
    pieces = re.findall(r"`([\w/.]+\.(?:sv|f|py))`|```(\w+)\n(.*?)```", WALK, re.S)
    for mentioned, language, code in pieces:
        if mentioned:
            path = root / mentioned
        elif language == "systemverilog":
            assert path
            assert not path.exists()
            path.write_text(code, encoding="utf-8")
            touched.append(str(path.relative_to(root)))
        elif language == "diff":
            assert path
            lines = code.splitlines(keepends=True)
            old = "".join(line[1:] for line in lines if line[0] in " -")
            new = "".join(line[1:] for line in lines if line[0] in " +")
            text = path.read_text(encoding="utf-8")
            assert text.count(old) == 1, f"{path.relative_to(root)} does not hold once:\n{old}"
            path.write_text(text.replace(old, new), encoding="utf-8")
            touched.append(str(path.relative_to(root)))
    return touched


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("checkout")
    for folder in ("src", "rtl"):
        shutil.copytree(REPO / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPO / "LICENSE", root)
    assert len(apply_walk_through(root)) == 4
    return root


def aesforge(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "aesforge", *arguments],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_the_new_style_passes_the_vectors_as_the_page_says(checkout: Path) -> None:
    block = WALK.partition("### 3.")[2].partition("```sh\n")[2].partition("```")[0]
    commands = [line.split()[1:] for line in block.splitlines()]
    assert len(commands) == 2
    for command in commands:
        aesforge(checkout, *command)


def test_a_wrong_bit_in_it_is_noticed(checkout: Path, tmp_path: Path) -> None:
    root = tmp_path / "mutant"
    shutil.copytree(checkout, root)
    module = root / "rtl" / "sbox" / "aesforge_sbox_power.sv"
    text = module.read_text(encoding="utf-8")
    assert text.count("8'h63") == 1
    module.write_text(text.replace("8'h63", "8'h62"), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"(?i)wrong|differ"):
        aesforge(root, "check", "compact", "--set", "sbox=power", "--blocks", "10")


def test_it_lints_builds_and_describes(checkout: Path, tmp_path: Path) -> None:
    aesforge(checkout, "describe", "compact", "--set", "sbox=power", "--set", "sbox_stages=1")
    out = tmp_path / "bundle"
    aesforge(checkout, "build", "compact", "--set", "sbox=power", "-o", str(out))
    assert "sbox_power" in (out / "files.f").read_text(encoding="utf-8")
    from aesforge.simulate import verilator as toolchain

    tools = toolchain.find()
    (wrapper,) = (out / "rtl").glob("compact*.sv")
    command = [str(tools.verilator), "--lint-only", "-Wall", "--top-module", wrapper.stem]
    done = subprocess.run(
        [*command, "-f", "files.f"],
        cwd=out,
        env=tools.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr

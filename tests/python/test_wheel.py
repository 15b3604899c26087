# SPDX-License-Identifier: Apache-2.0
"""The wheel, in an environment of its own and outside the repository, builds and checks cores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]


def pip(*arguments: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, REPO)
    (path,) = folder.glob("aesforge-*.whl")
    return path


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the `aesforge` command of an environment that holds the wheel.

    Its other packages are those of this environment, by a path file: nothing is downloaded, and
    an editable aesforge beside them does not count, since path files are not followed twice.
    """
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    pip("--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "beside.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "aesforge"


def run(command: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command outside the repository, without a trace of it around."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(
        [command, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_carries_the_rtl_the_licence_and_the_types(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for source in (REPO / "rtl").rglob("*.sv"):
        assert f"aesforge/_rtl/{source.relative_to(REPO / 'rtl').as_posix()}" in names
    assert "aesforge/_formal/fips197.sv" in names
    assert "aesforge/_rtl/software/c/aesforge_engine.c" in names
    assert "aesforge/_boards/ulx3s.toml" in names
    assert "aesforge/board/templates/top.sv.j2" in names
    assert {"aesforge/_rtl/filelist.f", "aesforge/_rtl/LICENSE", "aesforge/py.typed"} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not any("/tests/" in name or name.startswith("examples") for name in names)


def test_it_does_not_lean_on_the_checkout(command: Path, tmp_path: Path) -> None:
    code = "from aesforge.toolchain.rtl import rtl_dir; print(rtl_dir())"
    done = run(command.with_name("python"), tmp_path, "-c", code)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(command.parent.parent)


def test_presets(command: Path, tmp_path: Path) -> None:
    done = run(command, tmp_path, "presets")
    assert done.returncode == 0, done.stderr
    assert "line-rate" in done.stdout


def test_papers(command: Path, tmp_path: Path) -> None:
    done = run(command, tmp_path, "papers", "liu2014", "--json", "--database", "none")
    assert done.returncode == 0, done.stderr
    assert any(one["verdict"] == "reproduced" for one in json.loads(done.stdout))


def test_build(command: Path, tmp_path: Path) -> None:
    done = run(command, tmp_path, "build", "compact", "-o", "core")
    assert done.returncode == 0, done.stderr
    for line in (tmp_path / "core" / "files.f").read_text().split():
        assert (tmp_path / "core" / line).is_file()


def test_check(command: Path, tmp_path: Path) -> None:
    done = run(command, tmp_path, "check", "compact", "--blocks", "200", "--seed", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["passed"] is True


def test_doctor(command: Path, tmp_path: Path) -> None:
    done = run(command, tmp_path, "doctor")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_demo_without_its_picture_says_what_to_do(command: Path, tmp_path: Path) -> None:
    done = run(command, tmp_path, "demo")
    assert done.returncode == 2
    assert "--picture" in done.stderr

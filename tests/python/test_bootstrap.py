# SPDX-License-Identifier: Apache-2.0
"""`scripts/bootstrap.sh` on machines that lack something: it says what, or installs it.

Each machine is a folder of stand-in programs that is the whole PATH; nothing is downloaded.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
SH = shutil.which("sh") or "/bin/sh"
SYSTEM = ("dirname", "grep", "awk", "date", "head", "tail", "mktemp", "rm", "cat")


class Machine:
    """A checkout's set-up files, and a PATH that the test fills."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.checkout = folder / "checkout"
        self.bin.mkdir()
        (self.checkout / "scripts").mkdir(parents=True)
        shutil.copy(REPO / "scripts" / "bootstrap.sh", self.checkout / "scripts")
        shutil.copy(REPO / "requirements.lock", self.checkout)
        for name in SYSTEM:
            (self.bin / name).symlink_to(shutil.which(name) or f"/usr/bin/{name}")
        for name in ("g++", "make", "perl", "git"):
            self.program(name, "")
        self.user(1000)
        self.python("3.12.1")

    def program(self, name: str, body: str) -> None:
        path = self.bin / name
        path.write_text(f"#!{SH}\n{body}\n")
        path.chmod(0o755)

    def user(self, number: int) -> None:
        self.program("id", f"echo {number}")

    def python(self, version: str, *, modules: bool = True) -> None:
        """Put a python3 there that knows its version, whether it has venv, and no more."""
        new = tuple(map(int, version.split("."))) >= (3, 11)
        self.program(
            "python3",
            f"""case "$*" in
            *version_info\\ \\<*) exit {0 if new else 1} ;;
            *"import venv"*) exit {0 if modules else 1} ;;
            *"%d.%d"*) echo {".".join(version.split(".")[:2])} ;;
            --version) echo Python {version} ;;
            *) echo "python3 $*" >&2; exit 77 ;;
            esac""",
        )

    def run(self, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [SH, str(self.checkout / "scripts" / "bootstrap.sh")],
            env={"PATH": str(self.bin), **environment},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("program", ["g++", "make", "perl", "git"])
def test_a_missing_program_is_named_with_how_to_get_it(machine: Machine, program: str) -> None:
    (machine.bin / program).unlink()
    done = machine.run()
    assert done.returncode == 2
    assert f"'{program}' is missing" in done.stderr
    assert f"apt-get install {program}" in done.stderr
    assert not (machine.checkout / ".venv").exists()


def test_root_on_debian_gets_it_installed(machine: Machine) -> None:
    (machine.bin / "perl").unlink()
    machine.user(0)
    machine.program(
        "apt-get",
        f"""echo "apt-get $*" >>"{machine.bin}/calls"
        case "$*" in
        *install*perl*) echo "#!{SH}" >"{machine.bin}/perl"; chmod 755 "{machine.bin}/perl" ;;
        esac""",
    )
    (machine.bin / "chmod").symlink_to(shutil.which("chmod") or "/bin/chmod")
    done = machine.run()
    assert "installing perl" in done.stderr
    assert "is missing" not in done.stderr
    calls = (machine.bin / "calls").read_text().splitlines()
    assert calls[0] == "apt-get update"
    assert re.fullmatch(r"apt-get install -y .*perl", calls[1])


def test_an_installation_that_fails_is_shown_and_named(machine: Machine) -> None:
    (machine.bin / "git").unlink()
    machine.user(0)
    machine.program("apt-get", "echo no such package; exit 100")
    done = machine.run()
    assert done.returncode == 2
    assert "no such package" in done.stderr
    assert "'git' is missing" in done.stderr


def test_an_old_python_is_refused(machine: Machine) -> None:
    machine.python("3.9.2")
    done = machine.run()
    assert done.returncode == 2
    assert "3.11 or newer is needed, found: Python 3.9.2" in done.stderr
    assert "PYTHON=" in done.stderr


def test_no_python_is_refused(machine: Machine) -> None:
    (machine.bin / "python3").unlink()
    done = machine.run()
    assert done.returncode == 2
    assert "3.11 or newer is needed, found:" in done.stderr


def test_an_interpreter_that_was_named_is_the_only_one_tried(machine: Machine) -> None:
    done = machine.run(PYTHON="/nowhere/python3")
    assert done.returncode == 2
    assert "3.11 or newer is needed" in done.stderr


def test_a_missing_venv_module_is_named(machine: Machine) -> None:
    machine.python("3.11.2", modules=False)
    done = machine.run()
    assert done.returncode == 2
    assert "venv and ensurepip modules are missing" in done.stderr
    assert "python3.11-venv" in done.stderr


def test_pips_failure_is_explained(machine: Machine) -> None:
    """The environment's python is a stand-in whose pip fails."""
    python = machine.checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(
        f'#!{SH}\ncase "$*" in *"-m pip"*) echo "ERROR: no route" >&2; exit 1 ;; esac\n'
    )
    python.chmod(0o755)
    done = machine.run()
    assert done.returncode == 2
    assert "no route" in done.stderr
    assert "mirror or a proxy" in done.stderr
    assert not (machine.checkout / ".venv" / ".aesforge-ready").exists()


def test_the_lock_file_pins_everything_and_names_no_place() -> None:
    lines = (REPO / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert len(pins) > 20
    for pin in pins:
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*", pin), pin


def test_the_lock_file_covers_what_the_project_asks_for() -> None:
    import tomllib

    def canonical(requirement: str) -> str:
        name = re.match(r"[A-Za-z0-9_.-]+", requirement)
        assert name
        return re.sub(r"[-_.]+", "-", name[0]).lower()

    project = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = list(project["project"]["dependencies"]) + project["build-system"]["requires"]
    for line in (REPO / "requirements.in").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            wanted.append(line)
    lock = (REPO / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pinned = {canonical(line) for line in lock if not line.startswith("#")}
    assert {canonical(requirement) for requirement in wanted} <= pinned


def test_ci_calls_the_same_targets() -> None:
    run = REPO / ".ci" / "run"
    assert os.access(run, os.X_OK)
    text = run.read_text(encoding="utf-8")
    assert "make lint" in text
    assert "make test" in text

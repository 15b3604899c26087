# SPDX-License-Identifier: Apache-2.0
"""The command line: right answers, clear refusals with exit status 2, and nothing written then."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import aesforge
from aesforge.cli import main as cli
from aesforge.design import FIELD_NAMES
from aesforge.design.engine import CORE_FIELDS, FIELDS
from aesforge.design.kinds import KINDS
from aesforge.design.presets import ENGINES, PRESETS
from aesforge.errors import AesforgeError, CheckFailed, ToolMissing

REPO = Path(__file__).resolve().parent.parent.parent
KEY = "000102030405060708090a0b0c0d0e0f"


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli.main, arguments, input=stdin)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, and an input file of two and a half blocks beside it."""
    here = tmp_path / "here"
    here.mkdir()
    (tmp_path / "data").write_bytes(bytes(40))
    monkeypatch.chdir(here)
    return here


# --- Right ----------------------------------------------------------------------------------------


def test_version() -> None:
    assert run("--version").output == f"aesforge {aesforge.__version__}\n"


def test_presets_are_listed() -> None:
    shown = run("presets")
    assert shown.exit_code == 0
    assert all(f"  {name}: " in shown.stdout for name in (*PRESETS, *ENGINES))
    data = json.loads(run("presets", "--json").stdout)
    assert [entry["name"] for entry in data] == [*PRESETS, *ENGINES]


def test_describe(folder: Path) -> None:
    shown = run("describe", "line-rate", "--set", "key_bits=256")
    assert shown.exit_code == 0
    assert all(field in shown.stdout for field in FIELD_NAMES if field != "name")
    assert "line-rate-custom" in shown.stdout
    assert "▮ a pipeline stage" in shown.stdout
    assert "▮ a pipeline stage" not in run("describe", "line-rate", "--no-diagram").stdout
    data = json.loads(run("describe", "line-rate", "--json").stdout)
    assert data["latency_cycles"] == 91
    assert list(folder.iterdir()) == []
    assert run("describe", "compact", "--svg", "core.svg").exit_code == 0
    assert (folder / "core.svg").read_text(encoding="utf-8").startswith("<svg")


def test_build(folder: Path) -> None:
    done = run("build", "compact", "-o", "out")
    assert done.exit_code == 0
    assert done.stdout == "out\n"
    assert (folder / "out" / "README.md").is_file()
    data = json.loads(run("build", "compact", "-o", "out", "--json").stdout)
    assert sorted(data["files"]) == sorted(
        str(path.relative_to(folder)) for path in (folder / "out").rglob("*") if path.is_file()
    )


def test_engines_take_the_same_verbs(folder: Path) -> None:
    small = ("compact-stream", "--set", "sbox=table")
    shown = run("describe", *small)
    assert shown.exit_code == 0
    others = {name for kind in KINDS.values() for name in kind.choices}
    own = {*FIELDS, *CORE_FIELDS} - (others - set(KINDS["forward"].choices))
    assert [name for name in own if f" {name} " not in shown.stdout] == []
    assert "compact-stream-custom" in shown.stdout
    assert json.loads(run("describe", *small, "--json").stdout)["latency_cycles"] == 28
    assert run("build", *small, "-o", "out").stdout == "out\n"
    assert (folder / "out" / "rtl" / "aesforge_engine.sv").is_file()
    done = run("check", *small, "--blocks", "200", "--seed", "3", "--no-vectors")
    assert done.exit_code == 0, done.output
    assert "result      passed" in done.stdout
    words = ("../data", "aes", "--mode", "ctr", "--key", KEY, "--iv", "ff" * 16)
    done = run("crypt", *small, *words, "--packet", "16", "--stall", "0.5", "--seed", "7")
    assert done.exit_code == 0, done.output
    assert "equal to OpenSSL's" in done.stderr
    assert "3 packets, 3 beats" in done.stderr
    assert "(seed 7)" in done.stderr
    one = (folder / "aes").read_bytes()
    assert run("crypt", "compact", "--set", "sbox=table", *words).exit_code == 0
    assert (folder / "aes").read_bytes() == one
    done = run("crypt", *small, *words, "--decrypt", "--json")
    assert json.loads(done.stdout)["equals_openssl"] is True


# --- Refused --------------------------------------------------------------------------------------

CTR = ("--mode", "ctr")
ECB = ("--mode", "ecb")
IV = ("--iv", "00" * 16)
KEY_OPTION = ("--key", KEY)
FILES = ("../data", "out")

REFUSALS: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    (("chek", "compact"), ("no command 'chek'", "did you mean 'check'", "doctor")),
    (("describe", "lin-rate"), ("no preset named 'lin-rate'", "did you mean 'line-rate'")),
    (("describe", "core.yaml"), ("'core.yaml'", ".toml")),
    (("describe",), ("Missing argument 'D'",)),
    (("describe", "compact", "--svg", "a", "--svg", "b"), ("--svg", "2 times")),
    (("describe", "compact", "--svg", "no/x.svg"), ("cannot write", "there is no folder 'no'")),
    (("describe", "compact", "--svg", ".."), ("cannot write '..'", "it is a folder; name a file")),
    (
        ("build", "compact", "-o", "../data/x"),
        ("cannot make the folder '../data/x'", "'../data' is a file", "name another folder"),
    ),
    (("margin", "compact", "--device", "LFE5U-25F-6", "-o", "../data"), ("'../data' is not a fo",)),
    (("prove", "compact", "-o", ".."), ("cannot write '..'", "it is a folder; name a file")),
    (("prove", "compact", "-o", "no/x.json"), ("there is no folder 'no'",)),
    (("prove", "compact", "--timeout", "nan"), ("--timeout", "nan is not a number")),
    (("prove", "compact", "--timeout", "1e300"), ("--timeout", "0<x<=31536000")),
    (("prove", "compact", "--megabytes", "9" * 20), ("--megabytes", "100<=x<=1000000000")),
    (("build", "compact"), ("Missing option '-o'",)),
    (("build", "compact", "-o", "a", "-o", "b"), ("'-o'", "2 times")),
    (("build", "compact", "-o", "out", "--set", "unroll=3"), ("unroll = 3", "key_bits = 128")),
    (("build", "compact", "-o", "out", "--set", "sbx=tower"), ("'sbx'", "did you mean 'sbox'")),
    (("build", "compact", "-o", "out", "--set", "tiles=99"), ("tiles = 99", "1 to 16")),
    (("build", "compact", "-o", "../data"), ("../data", "not a folder")),
    (("build", "compact", "-o", ".."), ("'..'", "not empty", "--force")),
    (("check", "compact", "--blocks", "-1"), ("--blocks", "0<=x<=10000000000")),
    (("check", "compact", "--blocks", "9" * 20), ("--blocks", "0<=x<=10000000000")),
    (("check", "compact", "--bubbles", "nan"), ("--bubbles", "nan is not a number")),
    (("margin", "compact", "--blocks", "9" * 20), ("--blocks", "1<=x<=10000000000")),
    (("energy", "compact", "--blocks", "9" * 20), ("--blocks", "1<=x<=10000000000")),
    (("measure", "compact", "--seed", "9" * 20), ("--seed", "0<=x<=2147483647")),
    (("measure", "--interval", "inf"), ("--interval", "inf is not a number")),
    (
        ("measure", "compact", "--device", "LFE5U-25F-6BG381C"),
        ("no device 'LFE5U-25F-6BG381C'", "did you mean 'LFE5U-25F-6'?"),
    ),
    (("check", "compact", "--bubbles", "1"), ("--bubbles", "0<=x<1")),
    (("check", "compact", "--seed", "1", "--seed", "2"), ("--seed", "2 times")),
    (("check", "compact", "--sed", "1"), ("No such option '--sed'", "--seed")),
    (("crypt", "compact", *FILES, *KEY_OPTION), ("Missing option '--mode'",)),
    (("crypt", "compact", *FILES, *KEY_OPTION, "--mode", "xtr"), ("'xtr'", "'ecb', 'ctr'")),
    (("crypt", "compact", *FILES, *KEY_OPTION, "--mode", "cbc"), ("cbc", "--set modes=cbc-de")),
    (
        ("crypt", "compact", *FILES, *CTR, *KEY_OPTION, *IV, "--stall", "0.5"),
        ("--stall is for engines", "--set modes=ctr"),
    ),
    (("crypt", "ctr-stream", *FILES, "--mode", "cbc"), ("does not encrypt cbc", "ctr")),
    (("crypt", "ctr-stream", *FILES, *CTR), ("no key", "--key-file")),
    (
        ("crypt", "ctr-stream", *FILES, *CTR, *KEY_OPTION, *IV, "--packet", "20"),
        ("packets of 20 bytes", "16 or 32"),
    ),
    (
        ("crypt", "ctr-stream", *FILES, *CTR, *KEY_OPTION, *IV, "--stall", "nan"),
        ("--stall", "nan is not a number"),
    ),
    (
        ("crypt", "ctr-stream", *FILES, *CTR, *KEY_OPTION, *IV, "--packet", "0"),
        ("--packet", "x>=1"),
    ),
    (("crypt", "ctr-stream", *FILES, *CTR, *KEY_OPTION), ("ctr needs an IV",)),
    (("describe", "ctr-stream", "--set", "modes=ctx"), ("no mode 'ctx'", "did you mean 'ctr'")),
    (("describe", "ctr-strem"), ("no preset named 'ctr-strem'", "did you mean 'ctr-stream'")),
    (("describe", "gcm-strem"), ("no preset named 'gcm-strem'", "did you mean 'gcm-stream'")),
    (("crypt", "compact", *FILES, *ECB), ("no key", "--key-file", "32 hex")),
    (
        ("crypt", "compact", *FILES, *ECB, *KEY_OPTION, "--key-file", "-"),
        ("--key and --key-file exclude each other",),
    ),
    (("crypt", "compact", *FILES, *ECB, *KEY_OPTION, *KEY_OPTION), ("--key", "2 times")),
    (("crypt", "compact", *FILES, *ECB, "--key", KEY[2:]), ("30 hex", "takes a key of 32")),
    (("crypt", "compact", *FILES, *ECB, "--key", KEY * 2), ("64 hex", "--set key_bits=256")),
    (("crypt", "compact", *FILES, *ECB, "--key", "g" * 32), ("not hex", "character 1")),
    (("crypt", "compact", *FILES, *ECB, "--key-file", "absent"), ("no key file 'absent'",)),
    (("crypt", "compact", *FILES, *ECB, *KEY_OPTION, *IV), ("ecb", "IV", "exclude each other")),
    (("crypt", "compact", *FILES, *CTR, *KEY_OPTION), ("ctr needs an IV", "32 hex")),
    (("crypt", "compact", *FILES, *CTR, *KEY_OPTION, *IV, *IV), ("--iv", "2 times")),
    (("crypt", "compact", *FILES, *CTR, *KEY_OPTION, "--iv", "00"), ("IV has 2", "32")),
    (("crypt", "compact", *FILES, *CTR, *KEY_OPTION, "--iv", "xx" * 16), ("IV", "not hex")),
    (("crypt", "compact", *FILES, *CTR, *KEY_OPTION, *IV, "--no-pad"), ("ctr", "padding")),
    (("crypt", "compact", "absent", "out", *ECB, *KEY_OPTION), ("'absent' does not exist",)),
    (("crypt", "compact", "../data", "../data", *ECB, *KEY_OPTION), ("same file",)),
    (("crypt", "compact", "../data", "no/out", *ECB, *KEY_OPTION), ("folder", "'no/out'")),
    (("crypt", "compact", *FILES, *ECB, *KEY_OPTION, "--no-pad"), ("40 bytes", "8 bytes")),
    (("crypt", "compact", *FILES, *ECB, *KEY_OPTION, "--decrypt"), ("direction = encrypt",)),
    (
        (
            *("crypt", "compact", *FILES, *ECB, *KEY_OPTION, "--decrypt"),
            *("--set", "direction=decrypt"),
        ),
        ("40 bytes", "not a whole number of blocks"),
    ),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSALS, ids=lambda v: " ".join(v)[:60])
def test_refusals(folder: Path, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    for word in words:
        assert word in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.output
    assert KEY not in done.output
    # Nothing written, and the input is as it was.
    assert list(folder.iterdir()) == []
    assert [path.name for path in folder.parent.iterdir() if path != folder] == ["data"]
    assert (folder.parent / "data").read_bytes() == bytes(40)


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (ToolMissing("Verilator is missing; install it"), 2, "Verilator is missing; install it"),
        (CheckFailed("the core hangs"), 1, "the core hangs"),
        (AesforgeError("the disk is full"), 2, "the disk is full"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (PermissionError(13, "Permission denied", "/there"), 2, "Permission denied: '/there'"),
        (ZeroDivisionError("division by zero"), 70, "internal error, ZeroDivisionError"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_become_one_message(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, message: str
) -> None:
    def check(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.delenv(cli.TRACEBACK_VARIABLE, raising=False)
    monkeypatch.setattr("aesforge.check.core.check", check)
    done = run("check", "compact")
    assert done.exit_code == status
    assert done.stderr.startswith("aesforge: ")
    assert message in done.stderr
    assert "Traceback" not in done.output


def test_a_fault_of_ours_shows_its_traceback_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setenv(cli.TRACEBACK_VARIABLE, "1")
    monkeypatch.setattr("aesforge.check.core.check", check)
    assert isinstance(run("check", "compact").exception, ZeroDivisionError)


# --- Help -----------------------------------------------------------------------------------------


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from aesforge.cli.main import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "except SystemExit:\n"
        "    pass\n"
        "print(sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "Commands:" in done.stdout
    loaded = done.stderr
    for name in ("numpy", "rich", "cryptography", "jinja2", "PIL", "platformdirs", "verilator"):
        assert f"'{name}'" not in loaded
    assert "aesforge.design" not in loaded


def test_the_module_runs_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "aesforge", "presets"], capture_output=True, text=True, check=True
    )
    assert "line-rate" in done.stdout


@pytest.mark.parametrize("name", cli.main.commands)
def test_every_command_and_option_is_explained(name: str) -> None:
    command = cli.main.commands[name]
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
    assert run(name, "--help").exit_code == 0
    assert run(name, "-h").output == run(name, "--help").output


def test_the_reference_page_is_up_to_date() -> None:
    program = REPO / "scripts" / "cli_reference.py"
    done = subprocess.run(
        [sys.executable, str(program), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    page = (REPO / "docs" / "cli.md").read_text(encoding="utf-8")
    for name in cli.main.commands:
        assert f"\n## aesforge {name}\n" in page

# SPDX-License-Identifier: Apache-2.0
"""What the shell completes, asked for as a shell does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from aesforge.cli.main import main
from aesforge.design import FIELDS, load_any
from aesforge.design.engine import FIELDS as ENGINE_FIELDS
from aesforge.design.presets import ENGINES, PRESETS
from aesforge.devices import devices


def completed(*words: str) -> list[str]:
    """Return what the last word may become."""
    asked = ShellComplete(main, {}, "aesforge", "_AESFORGE_COMPLETE")
    return [item.value for item in asked.get_completions(list(words[:-1]), words[-1])]


def test_verbs_and_options() -> None:
    assert completed("pr") == ["presets", "prove"]
    assert "--random-keys" in completed("check", "compact", "--r")


@pytest.mark.parametrize("verb", ["describe", "build", "check", "crypt", "measure"])
def test_presets(verb: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert completed(verb, "") == [*PRESETS, *ENGINES]
    assert completed(verb, "gcm") == ["gcm-stream", "gcm-dual", "gcm-wide", "gcm-compact"]
    (tmp_path / "compost.toml").touch()
    assert completed(verb, "comp") == [
        *("compact", "compact-pipelined", "compact-bram", "compact-stream", "compost.toml"),
    ]


@pytest.mark.parametrize(
    "words", [("prove", ""), ("prove", "--inverse-of", ""), ("energy", "x", "--against", "")]
)
def test_verbs_for_cores_alone(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert completed(*words) == [*PRESETS]


def test_a_path_is_left_to_the_shell() -> None:
    asked = ShellComplete(main, {}, "aesforge", "_AESFORGE_COMPLETE")
    (item,) = asked.get_completions(["describe"], "some/folder")
    assert item.type == "file"


def test_choices_and_their_values() -> None:
    names = completed("build", "compact", "--set", "")
    assert names == [f"{name}=" for name in {**FIELDS, **ENGINE_FIELDS}]
    assert completed("build", "compact", "--set", "sbox") == ["sbox=", "sbox_stages="]
    assert completed("build", "compact", "--set", "key_bits=") == [
        *("key_bits=128", "key_bits=192", "key_bits=256"),
    ]
    assert completed("build", "compact", "--set", "key_b") == completed(
        "build", "compact", "--set", "key_bits="
    )
    assert completed("build", "compact", "--set", "sbox=t") == ["sbox=table", "sbox=tower"]
    assert completed("build", "compact", "--set", "research=t") == ["research=true"]
    assert "modes=gcm" in completed("build", "compact", "--set", "modes=")
    assert completed("build", "compact", "--set", "nothing=") == []


@pytest.mark.parametrize("name", [name for name in {**FIELDS, **ENGINE_FIELDS} if name != "name"])
def test_every_choice_has_values(name: str) -> None:
    assert completed("build", "compact", "--set", f"{name}=")


@pytest.mark.parametrize("name", ["key_bits", "direction", "key_slots", "mix_columns"])
def test_every_value_can_be_chosen(name: str) -> None:
    for text in completed("describe", "compact", "--set", f"{name}="):
        more = ("key_schedule=stored",) if name == "key_slots" else ()
        if text != "key_slots=1":  # of column_serial
            load_any("compact", (text, *more))


def test_devices_recipes_and_the_rest() -> None:
    for verb in ("measure", "suggest", "report"):
        assert completed(verb, "--device", "") == [*devices()]
    assert completed("measure", "--device", "lfe5u-25f") == [
        *("LFE5U-25F-6", "LFE5U-25F-7", "LFE5U-25F-8"),
    ]
    assert all(name.startswith("LFE5U") for name in completed("margin", "x", "--device", ""))
    assert completed("prove", "--family", "g") == ["gowin", "gatemate"]
    assert "wide-heap" in completed("prove", "x", "--family", "ecp5", "--recipe", "")
    assert "wide" not in completed("measure", "x", "--device", "iCE40HX8K", "--recipe", "")
    assert completed("explore", "qu") == ["quick"]
    assert completed("papers", "s") == ["sama", "saggese2003"]
    assert completed("crypt", "x", "a", "b", "--mode", "c") == ["ctr", "cbc", "cfb", "cfb8", "ccm"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("words", "replies"),
    [
        (("describe", "gcm-s"), ["gcm-stream"]),
        (("describe", "compact", "--set", "sbox"), ["sbox=", "sbox_stages="]),
        # Bash has three words here, and replaces the last of them.
        (("describe", "compact", "--set", "key_bits", "=", "2"), ["256"]),
        (("describe", "compact", "--set", "key_bits", "="), ["128", "192", "256"]),
        (("describe", "--set", "key_bits", "=", "256", "compact-b"), ["compact-bram"]),
        (("measure", "compact", "--device", "HX8"), []),
    ],
)
def test_in_bash(words: tuple[str, ...], replies: list[str], tmp_path: Path) -> None:
    """The line of the documentation, and then what bash does when Tab is pressed."""
    program = tmp_path / "aesforge"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m aesforge "$@"\n')
    program.chmod(0o755)
    quoted = " ".join(f"'{word}'" for word in ("aesforge", *words))
    script = (
        'eval "$(_AESFORGE_COMPLETE=bash_source aesforge)"\n'
        f"COMP_WORDS=({quoted}) COMP_CWORD={len(words)}\n"
        "_aesforge_completion aesforge\n"
        "printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    assert done.stderr == ""
    assert done.stdout.split() == replies


def test_the_page_has_the_line() -> None:
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    for shell in ("bash", "zsh", "fish"):
        assert f"_AESFORGE_COMPLETE={shell}_source aesforge" in page

# SPDX-License-Identifier: Apache-2.0
"""The verb crypt: what it hands on and prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from test_cli import KEY, run


def test_crypt_hands_its_options_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []

    class Report:
        iv = None

        def as_dict(self) -> dict[str, int]:
            return {"blocks": 3}

        def text(self) -> str:
            return "3 blocks"

    def crypt_file(*arguments: Any, **options: Any) -> Report:
        asked.append((*arguments[1:], options))
        return Report()

    monkeypatch.setattr("aesforge.crypt.core.crypt_file", crypt_file)
    iv = "ff" * 16
    done = run("crypt", "compact", "in", "out", "--mode", "ctr", "--key", KEY, "--iv", iv)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "3 blocks\n")
    done = run(
        *("crypt", "compact", "in", "out", "--mode", "ecb", "--key-file", "-", "--decrypt"),
        *("--no-pad", "--json"),
        stdin=KEY.upper() + "\n",
    )
    assert json.loads(done.stdout) == {"blocks": 3}
    common = {"key": bytes(range(16)), "progress": None}
    assert asked == [
        (
            Path("in"),
            Path("out"),
            {"mode": "ctr", "iv": b"\xff" * 16, "decrypt": False, "pad": True, **common},
        ),
        (
            Path("in"),
            Path("out"),
            {"mode": "ecb", "iv": None, "decrypt": True, "pad": False, **common},
        ),
    ]

# SPDX-License-Identifier: Apache-2.0
"""The examples run as their READMEs say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from aesforge.toolchain.rtl import rtl_dir
from standalone import build_and_run

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_counter_mode(tmp_path: Path) -> None:
    folder = EXAMPLES / "counter_mode"
    sources = ["-F", str(rtl_dir() / "filelist.f")]
    sources += [str(folder / name) for name in ("counter_mode.sv", "tb_counter_mode.sv")]
    ran = build_and_run(tmp_path, "tb_counter_mode", "-Wno-fatal", *sources)
    assert ran.returncode == 0, ran.stdout
    assert "PASS: 4 blocks" in ran.stdout


def test_from_python() -> None:
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / "from_python" / "encrypt_block.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "3925841d02dc09fbdc118597196a0b32 after 11 cycles" in ran.stdout


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("ctr_stream/file_as_packets.py", "the same text again"),
        ("cbc_decrypt_stream/three_senders.py", "60 packets under 3 keys: a beat every 10 cycles"),
        ("stored_stream/new_keys.py", "packet 3: "),
        ("streams_in_turn/streams_in_turn.py", "CBC, streams in turn: 4, a beat every 10 cycles"),
        ("csr/build_and_run.py", "PASS: "),
    ],
)
def test_engines(script: str, words: str) -> None:
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / script)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert words in ran.stdout

# SPDX-License-Identifier: Apache-2.0
"""Designs and helpers that several tests of whole cores share."""

from __future__ import annotations

import shutil
from pathlib import Path

from aesforge.design import Design
from aesforge.simulate import BLOCK, SimResult, Simulator
from aesforge.toolchain import rtl

# Quick to compile, and shared by all tests that need no core in particular.
SMALL = Design(name="little", unroll=1, sbox="table", sbox_stages=0, linear_stages=1)
SMALL_BOTH = Design(
    name="little-both", direction="both", unroll=1, sbox="table", sbox_stages=0, linear_stages=1
)
SMALL_STORED = Design(
    name="little-stored",
    unroll=1,
    sbox="table",
    sbox_stages=0,
    linear_stages=1,
    key_schedule="stored",
    key_slots=3,
)
# Block RAM compiles fastest where all rounds exist.
TWO_BLOCKS = Design(name="two-blocks", sbox="bram", sbox_stages=1, linear_stages=0, tiles=3)


def changed_rtl(folder: Path, file: str, old: str, new: str) -> list[Path]:
    """Copy the RTL into ``folder`` with ``old``, which must occur once, changed in one file."""
    source = rtl.rtl_dir()
    files = []
    for path in rtl.filelist():
        copy = folder / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        files.append(copy)
        if path.name == file:
            text = path.read_text(encoding="utf-8")
            assert text.count(old) == 1, f"{file} holds {old!r} {text.count(old)} times"
            copy.write_text(text.replace(old, new), encoding="utf-8")
    assert any(path.name == file for path in files)
    return files


def send_one(simulator: Simulator, block: bytes, key: bytes, *, decrypt: bool = False) -> SimResult:
    """Send one block, in every place of the beat, and wait for it."""
    from aesforge.simulate import WAIT

    ops = simulator.new_ops(2)
    ops["op"] = BLOCK, WAIT
    ops["block"][0] = list(block) * simulator.design.blocks_per_beat
    ops["key"][0, : len(key)] = list(key)
    ops["decrypt"][0] = decrypt
    return simulator.run(ops)

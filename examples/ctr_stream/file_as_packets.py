# SPDX-License-Identifier: Apache-2.0
"""Encrypt a file as packets through a simulated counter-mode engine, and decrypt it again."""

import tempfile
from pathlib import Path

from aesforge.crypt.engine import crypt_file_as_packets
from aesforge.design import load_any
from aesforge.design.engine import Engine

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
COUNTER = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
TEXT = b"Every beat that is taken comes out, once, in order, whatever the reader does. " * 5

# The smallest engine, with S-boxes that compile fast; `ctr-stream` takes a beat every cycle.
engine = load_any("compact-stream", ["sbox=table", "depth=8"])
assert isinstance(engine, Engine)
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "plain").write_bytes(TEXT)
    for source, target, decrypt in (("plain", "secret", False), ("secret", "again", True)):
        report = crypt_file_as_packets(
            engine,
            folder / source,
            folder / target,
            cipher="ctr",
            key=KEY,
            iv=COUNTER,
            decrypt=decrypt,
            packet_bytes=48,
            stall=0.5,
            seed=7,
        )
        print(report.text())
    assert (folder / "again").read_bytes() == TEXT
print("the same text again")

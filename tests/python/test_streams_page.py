# SPDX-License-Identifier: Apache-2.0
"""The worked packet of docs/streams.md: what OpenSSL gives, in the byte order of the page."""

from __future__ import annotations

import re

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC

from project import REPO

ROW = re.compile(r"^\| ([\w ,]+) \| `([0-9a-f]+)` \| `\w+` = `128'h([0-9a-f]{32})`(.*) \|$", re.M)


def test_the_worked_packet_is_right() -> None:
    text = (REPO / "docs" / "streams.md").read_text(encoding="utf-8")
    rows = {name: (bytes.fromhex(data), port, rest) for name, data, port, rest in ROW.findall(text)}
    assert len(rows) == 6
    for data, port, _ in rows.values():
        assert int(port, 16) == int.from_bytes(data, "little")
    key, iv = rows["key"][0], rows["first counter block"][0]
    cipher = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor()
    for way in ("in", "out"):
        for number in (0, 1):
            data, _, rest = rows[f"{way}, beat {number}"]
            assert f"`tkeep` = `16'h{(1 << len(data)) - 1:04x}`, `tlast` = {number}" in rest
    plain = rows["in, beat 0"][0] + rows["in, beat 1"][0]
    assert cipher.update(plain) == rows["out, beat 0"][0] + rows["out, beat 1"][0]


def test_the_interleaved_packets_are_right() -> None:
    text = (REPO / "docs" / "streams.md").read_text(encoding="utf-8")
    key = bytes.fromhex(re.findall(r"all under the key `(\w{32})`", text)[0])
    iv = bytes.fromhex(re.findall(r"CBC, IV `(\w{32})`", text)[0])
    beats: dict[tuple[str, int], bytes] = {}
    for way, stream, data in re.findall(r"^\| (in|out) \| (\d) \| \d \| `(\w+)` \|$", text, re.M):
        at = way, int(stream)
        beats[at] = beats.get(at, b"") + bytes.fromhex(data)
    cipher = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    assert cipher.update(beats["in", 0]) == beats["out", 0]
    mac = CMAC(algorithms.AES(key))
    mac.update(beats["in", 1])
    assert mac.finalize() == beats["out", 1]
    assert len(beats) == 4

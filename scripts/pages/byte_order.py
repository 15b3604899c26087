# SPDX-License-Identifier: Apache-2.0
"""Byte order: the worked vector, and the mistakes with what they give."""

from __future__ import annotations

from collections.abc import Callable

from aesforge.reference import cipher
from pages.markdown import Section, table

# FIPS 197 Appendix B: unlike counting bytes, no order but the right one gives its ciphertext.
KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
PLAINTEXT = bytes.fromhex("3243f6a8885a308d313198a2e0370734")


def vector() -> str:
    """Return the worked vector: every byte of it, and where it stands on the ports."""
    ciphertext = cipher(PLAINTEXT, KEY)
    rows = [
        (
            str(i),
            f"row {i % 4}, column {i // 4}",
            f"`[{127 - 8 * i}:{120 - 8 * i}]`",
            f"`{PLAINTEXT[i]:02x}`",
            f"`{KEY[i]:02x}`",
            f"`{ciphertext[i]:02x}`",
        )
        for i in range(16)
    ]
    return table(("byte", "state", "bits", "`in_block`", "`in_key`", "`out_block`"), rows)


def _bytes_reversed(data: bytes) -> bytes:
    return data[::-1]


def _words_reversed(data: bytes) -> bytes:
    return b"".join(data[i : i + 4] for i in range(len(data) - 4, -1, -4))


def _bytes_reversed_in_words(data: bytes) -> bytes:
    return b"".join(data[i : i + 4][::-1] for i in range(0, len(data), 4))


def _bits_reversed(data: bytes) -> bytes:
    return int(f"{int.from_bytes(data, 'big'):0{8 * len(data)}b}"[::-1], 2).to_bytes(
        len(data), "big"
    )


def _rows_first(data: bytes) -> bytes:
    return bytes(data[4 * (i % 4) + i // 4] for i in range(16))


MISTAKES: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("byte 0 at the low end (`[7:0]`), as AXI4-Stream has it", _bytes_reversed),
    ("32-bit words in reversed order, each right in itself", _words_reversed),
    ("words in order, the bytes of each reversed (a little-endian bus)", _bytes_reversed_in_words),
    ("all 128 bits reversed (`[0:127]` wired to `[127:0]`)", _bits_reversed),
    ("the state filled row by row instead of column by column", _rows_first),
)


def mistakes() -> str:
    """Return the table of `out_block` for block and key, or the block only, in a wrong order."""
    rows = []
    for words, twist in MISTAKES:
        raw = cipher(twist(PLAINTEXT), twist(KEY))
        rows.append((words, f"`{raw.hex()}`", f"`{cipher(twist(PLAINTEXT), KEY).hex()}`"))
    return table(
        ("order of the input", "`out_block`, block and key swapped", "`out_block`, block swapped"),
        rows,
    )


SECTIONS: tuple[Section, ...] = (
    ("docs/byte-order.md", "vector", vector),
    ("docs/byte-order.md", "mistakes", mistakes),
)

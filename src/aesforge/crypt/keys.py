# SPDX-License-Identifier: Apache-2.0
"""Read keys and initialization vectors as people write them: hexadecimal digits.

No message of this module repeats what it was given, not even in part: keys must not end up in a
terminal's history or a log.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

from aesforge.design.engine import FIXED_BYTES
from aesforge.errors import UsageError, one_of

KEY_BITS = (128, 192, 256)
IV_BYTES = 16
# Far more than any key with spaces around it; a bigger file was named by mistake.
_MAX_FILE_BYTES = 4096


def parse_key(text: str, key_bits: int, *, keys: int = 1, source: str = "the key") -> bytes:
    """Turn hexadecimal digits into a key, or several one after another.

    Args:
        text: the digits, in either case; white space around them is ignored.
        key_bits: 128, 192 or 256, what the design takes.
        keys: how many keys of so many bits make one of the mode.
        source: how messages call it.

    Raises:
        UsageError: it is not hexadecimal, or has another number of digits.
    """
    digits = _hex_digits(text, source)
    wanted = keys * key_bits // 4
    if len(digits) != wanted:
        what = f"a key of {wanted}" if keys == 1 else f"{keys} keys, {wanted} in all"
        message = f"{source} has {_count(len(digits))}; key_bits = {key_bits} takes {what}"
        other, rest = divmod(4 * len(digits), keys)
        if other in KEY_BITS and not rest:
            message += (
                f" (it would do for a design with key_bits = {other}: --set key_bits={other})"
            )
        raise UsageError(message)
    return bytes.fromhex(digits)


def refuse_other_length(key: bytes, key_bits: int) -> None:
    """Refuse a key that does not have ``key_bits`` bits.

    Raises:
        UsageError: it has others.
    """
    if 8 * len(key) != key_bits:
        raise UsageError(
            f"the key has {len(key)} bytes; key_bits = {key_bits} takes {key_bits // 8}"
        )


def parse_iv(text: str, *, any_length: bool = False) -> bytes:
    """Turn hexadecimal digits into an initialization vector.

    Args:
        text: the digits.
        any_length: the mode takes any number of bytes; otherwise 16.

    Raises:
        UsageError: it is not hexadecimal, or has another number of digits.
    """
    digits = _hex_digits(text, "the IV")
    if any_length and len(digits) % 2:
        raise UsageError(f"the IV has {_count(len(digits))}; two make a byte")
    if not any_length and len(digits) != 2 * IV_BYTES:
        raise UsageError(
            f"the IV has {_count(len(digits))}; it takes {2 * IV_BYTES}: {IV_BYTES} bytes, for ctr "
            "the first counter block"
        )
    return bytes.fromhex(digits)


def parse_fixed_field(text: str) -> bytes:
    """Turn hexadecimal digits into the fixed field of an IV, 4 bytes.

    Raises:
        UsageError: it is not hexadecimal, or has not 8 digits.
    """
    return _exactly(FIXED_BYTES, text, "the fixed field")


def parse_block(text: str) -> bytes:
    """Turn hexadecimal digits into a block.

    Raises:
        UsageError: it is not hexadecimal, or has not 32 digits.
    """
    return _exactly(IV_BYTES, text, "the block")


def read_key(
    source: str | Path, key_bits: int, stdin: IO[bytes] | None = None, *, keys: int = 1
) -> bytes:
    """Read a key in hexadecimal from a file, or from standard input when ``source`` is ``-``.

    Args:
        source: a path, or ``-``.
        key_bits: 128, 192 or 256, what the design takes.
        stdin: the stream to read for ``-``, the process's own when left out.
        keys: how many keys make one of the mode.

    Raises:
        UsageError: it cannot be read, is not one line of hexadecimal digits, or has the wrong
            length.
    """
    name = str(source)
    if name == "-":
        return parse_key(
            _decoded((stdin or sys.stdin.buffer).read(_MAX_FILE_BYTES + 1), "standard input"),
            key_bits,
            keys=keys,
            source="the key on standard input",
        )
    try:
        with Path(source).open("rb") as handle:
            data = handle.read(_MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise UsageError(f"there is no key file '{name}'") from None
    except OSError as error:
        raise UsageError(f"cannot read the key file '{name}': {error.strerror}") from None
    return parse_key(
        _decoded(data, f"the key file '{name}'"),
        key_bits,
        keys=keys,
        source=f"the key in '{name}'",
    )


def choose_key(
    text: str | None,
    file: str | Path | None,
    key_bits: int,
    stdin: IO[bytes] | None = None,
    *,
    keys: int = 1,
) -> bytes:
    """Return the key from exactly one of a hexadecimal text and a file (``-``: standard input).

    Raises:
        UsageError: none or both are given, or the one given is no key of ``key_bits`` bits.
    """
    if text is not None and file is not None:
        raise UsageError("--key and --key-file exclude each other: give the key once")
    if text is not None:
        return parse_key(text, key_bits, keys=keys)
    if file is not None:
        return read_key(file, key_bits, stdin, keys=keys)
    raise UsageError(
        f"there is no key: give --key HEX or --key-file FILE ('-' is standard input), with "
        f"{keys * key_bits // 4} hexadecimal digits for {'two keys of ' * (keys > 1)}key_bits = "
        f"{key_bits}"
    )


def _exactly(count: int, text: str, source: str) -> bytes:
    digits = _hex_digits(text, source)
    if len(digits) != 2 * count:
        raise UsageError(f"{source} has {_count(len(digits))}; it takes {2 * count}")
    return bytes.fromhex(digits)


def _hex_digits(text: str, source: str) -> str:
    digits = text.strip()
    if not digits:
        raise UsageError(f"{source} is empty: write it as hexadecimal digits")
    for place, digit in enumerate(digits, start=1):
        if digit not in "0123456789abcdefABCDEF":
            hint = " (leave the 0x out)" if place == 2 and digits[:2].lower() == "0x" else ""
            raise UsageError(
                f"{source} is not hexadecimal: its character {place} is none of 0-9, a-f and A-F"
                f"{hint}"
            )
    return digits


def _decoded(data: bytes, source: str) -> str:
    if len(data) > _MAX_FILE_BYTES:
        raise UsageError(
            f"{source} holds more than {_MAX_FILE_BYTES} bytes: that is no key. A key is "
            f"{one_of(bits // 4 for bits in KEY_BITS)} hexadecimal digits on one line"
        )
    try:
        return data.decode("ascii")
    except UnicodeDecodeError:
        raise UsageError(
            f"{source} is not text: write the key as hexadecimal digits, not as raw bytes"
        ) from None


def _count(digits: int) -> str:
    return f"{digits} hexadecimal digit{'s' if digits != 1 else ''}"

# SPDX-License-Identifier: Apache-2.0
"""The modes of operation, one entry for each: what an engine needs and does for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from aesforge.errors import nearest, one_of

_BOTH = ("encrypt", "decrypt")


@dataclasses.dataclass(frozen=True)
class Mode:
    """A mode of operation as an engine builds it.

    Args:
        name: as a design spells it.
        cipher: the mode itself, as `crypt --mode` spells it; several of the names may share one.
        kind: the kind of engine that has it.
        code: `s_ctx_mode`; an engine's parameter `Modes` has this bit.
        ways: `encrypt`, `decrypt` or both; None: those of the core.
        needs: which function of the cipher it uses: `encrypt`, `decrypt`; None: that of the way.
        partial: whether the last beat of a packet may hold fewer than 16 bytes.
        takes_iv: whether a context brings an IV, or a first counter block.
        chain: what the IV of the packet is that carries a message on: `none`, `counter` (the first
            plus the blocks before), or the last block of `input` (what went in), `output` (what
            came out), `ciphertext` (whichever of these it is), `keystream` (the sum of both), or
            the next `number` of a data unit, which the packet is.
        source: where it is defined.
        digest: it makes one block of a packet.
        calls: how often a whole beat goes through the cipher: in a last one CMAC has one more.
        authenticates: a packet has associated data, text and a tag.
        iv_bytes: bytes of an IV that a context brings, at most.
        iv_lengths: lengths of an IV that a context says; none where it always has `iv_bytes`.
        tag_bytes: legal lengths of a tag, if it authenticates.
        states_lengths: whether a context says how long associated data and text are.
        keys: how many of the cipher's keys make one of the mode.
        key_bits: of each of them.
        least_bytes: of a packet.
    """

    name: str
    cipher: str
    kind: str
    code: int
    ways: tuple[str, ...] | None
    needs: str | None
    partial: bool
    takes_iv: bool
    chain: str
    source: str
    digest: bool = False
    calls: int = 1
    authenticates: bool = False
    iv_bytes: int = 16
    iv_lengths: tuple[int, ...] = ()
    tag_bytes: tuple[int, ...] = ()
    states_lengths: bool = False
    keys: int = 1
    key_bits: tuple[int, ...] = (128, 192, 256)
    least_bytes: int = 0

    @property
    def looks(self) -> bool:
        """Whether it goes both ways, and a context says which."""
        both = self.chain == "ciphertext" or self.authenticates
        return self.needs is None or (both and self.ways in (None, _BOTH))

    @property
    def is_unit(self) -> bool:
        """Whether a packet is a data unit, with a number."""
        return self.chain == "number"

    @property
    def label(self) -> str:
        """The mode as people write it."""
        cipher, _, way = self.name.partition("-")
        return f"{cipher.upper()} {way}ion" if way in ("encrypt", "decrypt") else self.name.upper()


_38A = "SP 800-38A Sec. 6."
MODES: dict[str, Mode] = {
    mode.name: mode
    for mode in (
        Mode("ecb", "ecb", "forward", 0, None, None, False, False, "none", _38A + "1"),
        Mode(
            *("ctr", "ctr", "forward", 1, ("encrypt", "decrypt"), "encrypt"),
            *(True, True, "counter", _38A + "5"),
        ),
        Mode(
            *("cbc-decrypt", "cbc", "forward", 2, ("decrypt",), "decrypt"),
            *(False, True, "input", _38A + "2"),
        ),
        Mode(
            *("cfb-decrypt", "cfb", "forward", 3, ("decrypt",), "encrypt"),
            *(True, True, "input", _38A + "3"),
        ),
        Mode(
            *("cbc-encrypt", "cbc", "interleaved", 2, ("encrypt",), "encrypt"),
            *(False, True, "ciphertext", _38A + "2"),
        ),
        Mode(
            *("cfb", "cfb", "interleaved", 3, _BOTH, "encrypt"),
            *(True, True, "ciphertext", _38A + "3"),
        ),
        Mode(
            *("ofb", "ofb", "interleaved", 4, _BOTH, "encrypt"),
            *(True, True, "keystream", _38A + "4"),
        ),
        Mode(
            *("cfb8", "cfb8", "interleaved", 5, _BOTH, "encrypt"),
            *(True, True, "ciphertext", _38A + "3"),
            calls=16,
        ),
        Mode(
            *("cbc-mac", "cbc-mac", "interleaved", 6, ("encrypt",), "encrypt"),
            *(False, False, "none", "FIPS 113 with AES"),
            digest=True,
        ),
        Mode(
            *("cmac", "cmac", "interleaved", 7, ("encrypt",), "encrypt"),
            *(True, False, "none", "SP 800-38B Sec. 6.2"),
            digest=True,
            calls=2,
        ),
        Mode(
            *("gcm", "gcm", "authenticated", 0, _BOTH, "encrypt"),
            *(True, True, "none", "SP 800-38D"),
            authenticates=True,
            iv_bytes=12,
            tag_bytes=(12, 13, 14, 15, 16),
        ),
        Mode(
            *("ccm", "ccm", "ccm", 0, _BOTH, "encrypt"),
            *(True, True, "none", "SP 800-38C"),
            calls=2,
            authenticates=True,
            iv_bytes=13,
            iv_lengths=tuple(range(7, 14)),
            tag_bytes=tuple(range(4, 17, 2)),
            states_lengths=True,
        ),
        Mode(
            *("ocb", "ocb", "offset", 0, None, "encrypt"),
            *(True, True, "none", "RFC 7253"),
            authenticates=True,
            iv_bytes=15,
            iv_lengths=tuple(range(1, 16)),
            tag_bytes=(8, 12, 16),
        ),
        Mode(
            *("xts", "xts", "data-unit", 0, None, None),
            *(True, True, "number", "SP 800-38E, IEEE Std 1619"),
            keys=2,
            key_bits=(128, 256),
            least_bytes=16,
        ),
    )
}
# What `crypt --mode` may be, whatever has it: the modes that make text of text.
CIPHERS = tuple(dict.fromkeys(mode.cipher for mode in MODES.values() if not mode.digest))

# Those of these that make or compare a tag.
SEALED = {mode.cipher for mode in MODES.values() if mode.authenticates}

# Those whose packets are data units, with numbers in sequence.
UNITS = {mode.cipher for mode in MODES.values() if mode.is_unit}


# How much a mode protects, those included that no engine has: 0 leaves equal blocks equal, or is
# broken for messages of several lengths; 2 keeps secret and authenticates.
_STRENGTHS = {
    **dict.fromkeys(("ecb", "cbc-mac"), 0),
    **dict.fromkeys(("cbc", "cfb", "cfb8", "ofb", "ctr", "xts", "cmac", "gmac"), 1),
    **dict.fromkeys(("gcm", "ccm", "ocb", "eax", "siv"), 2),
}


def nearest_mode(name: str, known: Iterable[str]) -> str:
    """Return what `nearest` does, but never a name of a mode other than the one that was meant.

    Names are those of modes, or of designs whose names have a mode's as a part. Whoever asks for
    one mode must not be led to another, which may be weaker.

    Args:
        name: as it was given.
        known: the names that there are.
    """
    meant = _modes_in(name, within_one_edit=True)
    most = max((_STRENGTHS[mode] for mode in meant), default=0)
    meant = {mode for mode in meant if _STRENGTHS[mode] == most}
    return nearest(name, (other for other in known if _fits(_modes_in(other), meant)))


def _fits(modes: set[str], meant: set[str]) -> bool:
    return modes <= meant and bool(modes) == bool(meant)


def _modes_in(name: str, *, within_one_edit: bool = False) -> set[str]:
    """Return the modes whose names begin a name, or else a part of it between hyphens."""
    name = name.lower()
    parts = name.split("-")
    for part in (name, *parts):
        if begins := [mode for mode in _STRENGTHS if part.startswith(mode)]:
            return {max(begins, key=len)}
    if not within_one_edit:
        return set()
    return {mode for mode in _STRENGTHS for part in parts if _one_edit(part, mode)}


def _one_edit(word: str, other: str) -> bool:
    """Whether a letter more, less or else, or two that changed places, tell two words apart."""
    while word and other and word[0] == other[0]:
        word, other = word[1:], other[1:]
    while word and other and word[-1] == other[-1]:
        word, other = word[:-1], other[:-1]
    return max(len(word), len(other)) <= 1 or (len(word) == 2 and word == other[::-1])


def why_modes_illegal(modes: Any) -> str | None:
    """Return why an engine cannot have these modes together, or None if it can."""
    example = 'modes = ["ctr"]'
    if not isinstance(modes, list | tuple) or not modes:
        return f"modes = {modes!r}: it must be a list of modes, for example {example}"
    for mode in modes:
        if not isinstance(mode, str) or mode not in MODES:
            hint = nearest_mode(mode, MODES) if isinstance(mode, str) else ""
            return f"modes: there is no mode {mode!r}{hint} (modes are {one_of(MODES)})"
    for mode in modes:
        if modes.count(mode) > 1:
            return f"modes: {mode} is named twice"
    kinds = {MODES[mode].kind: mode for mode in modes}
    if len(kinds) > 1:
        first, second = list(kinds.values())[:2]
        return (
            f"modes {first} and {second} exclude each other: {MODES[first].kind} and "
            f"{MODES[second].kind} engines are different modules; build two engines"
        )
    return None


def direction_for(modes: Iterable[str]) -> str:
    """Return the direction of the smallest core that some modes need."""
    needed = {MODES[name].needs for name in modes} - {None}
    if len(needed) == 2:
        return "both"
    return "decrypt" if needed == {"decrypt"} else "encrypt"

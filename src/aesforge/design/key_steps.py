# SPDX-License-Identifier: Apache-2.0
"""The steps of an unrolled key schedule: which words each keeps."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

# What a step makes of the window's words: for each word of the new window the old words it needs,
# "t" standing for the word that comes out of SubWord; the words SubWord takes; where the round
# key stands in the new window. See rtl/key/aesforge_key_round.sv.
_Words = frozenset[int | str]


@dataclasses.dataclass(frozen=True)
class _Step:
    new: tuple[_Words, ...]
    sub_in: _Words
    round_key: tuple[int, ...] = (0, 1, 2, 3)


def _words(*words: int | str) -> _Words:
    return frozenset(words)


def _sums(first: Iterable[int | str], count: int) -> list[_Words]:
    """Return n_0, n_1, ...: each new word is the one before it plus the next old word."""
    run: set[int | str] = set(first)
    sums = []
    for i in range(count):
        sums.append(frozenset(run | set(range(i + 1))))
    return sums


def _forward_step(key_bits: int, step: int) -> _Step:
    if key_bits == 128:
        return _Step(tuple(_sums("t", 4)), _words(3))
    if key_bits == 256:
        return _Step((*map(_words, (4, 5, 6, 7)), *_sums("t", 4)), _words(7))
    phase = (step - 1) % 3
    n = _sums((5,) if phase == 1 else ("t",), 6)
    if phase == 0:
        return _Step((_words(4), _words(5), *n[:4]), _words(5))
    if phase == 1:
        return _Step((*map(_words, (2, 3, 4, 5)), *n[:2]), _words(5), (2, 3, 4, 5))
    return _Step(tuple(n), _words(5))


def _backward_step(key_bits: int, step: int) -> _Step:
    pairs = [_words(i, i + 1) for i in range(7)]
    if key_bits == 128:
        return _Step((_words(0, "t"), *pairs[:3]), _words(2, 3))
    if key_bits == 256:
        return _Step((_words(4, "t"), *pairs[4:7], *map(_words, (0, 1, 2, 3))), _words(3))
    phase = (step - 1) % 3
    if phase == 0:
        return _Step((_words(2, "t"), *pairs[2:5], _words(0), _words(1)), _words(1))
    if phase == 1:
        return _Step((*pairs[3:5], *map(_words, (0, 1, 2, 3))), _words())
    return _Step((_words(0, "t"), *pairs[:5]), _words(4, 5), (2, 3, 4, 5))


@dataclasses.dataclass(frozen=True)
class KeyStep:
    """What one key step of an unrolled core keeps, in words of 32 bits.

    Args:
        entry: words of the old window in a stage before SubWord.
        waiting: words beside SubWord.
        pre: words of the new window in the first stage after SubWord.
        post: words of the new window in the stages after that.
        sub_word: whether SubWord is used at all.
    """

    entry: int
    waiting: int
    pre: int
    post: int
    sub_word: bool


def unrolled_key_steps(key_bits: int, direction: str, *, round_keys: bool = True) -> list[KeyStep]:
    """Return what is kept of each step of an unrolled key schedule.

    Args:
        key_bits: 128, 192 or 256.
        direction: which way the steps run; `both` keeps what either way needs.
        round_keys: whether they are read; if not, the whole last window is.
    """
    rounds = key_bits // 32 + 6
    all_words = frozenset(range(key_bits // 32))
    needed: set[int | str] = set() if round_keys else set(all_words)
    kept: list[KeyStep] = []
    for u in reversed(range(rounds)):
        ways = []
        if direction != "decrypt":
            ways.append(("forward", _forward_step(key_bits, u + 1)))
        if direction != "encrypt":
            ways.append(("backward", _backward_step(key_bits, rounds - u)))
        pre, post = set(needed), set(needed)
        for way, step in ways:
            if round_keys:
                pre |= set(step.round_key)
                if way == "forward":
                    post |= set(step.round_key)
        waiting: set[int | str] = set()
        entry: set[int | str] = set()
        sub_word = False
        for _, step in ways:
            used = set().union(*(step.new[word] for word in pre if isinstance(word, int)))
            if "t" in used:
                sub_word = True
                entry |= step.sub_in
            waiting |= used - {"t"}
        needed = waiting | entry
        kept.append(KeyStep(len(needed), len(waiting), len(pre), len(post), sub_word))
    return kept[::-1]

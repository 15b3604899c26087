# SPDX-License-Identifier: Apache-2.0
"""Packets of additional authenticated data, text and a tag, and which of their beats are legal.

A beat is a tuple of its ``tkeep``, its mark (1: associated data) and ``tlast``.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

FULL = 2**16 - 1
# Bytes of the tag for each bit of `tag_length`.
LENGTHS = (4, 8, 12, 13, 14, 15, 16)


def packet(draw: random.Random, tag: int) -> list[tuple[int, int, int]]:
    """Return tkeep, the mark and last of the beats of a packet, often with one of them wrong."""
    beats = []
    for mark in (1, 0):
        count = draw.choice((0, 0, 1, 2, 3))
        beats += [(FULL, mark, 0)] * count
        if count and draw.random() < 0.5:
            beats[-1] = (2 ** draw.randrange(1, 16) - 1, mark, 0)
    beats.append((2**tag - 1, 0, 1))
    if draw.random() < 0.7:
        at = draw.randrange(len(beats))
        keep, mark, last = beats[at]
        match draw.randrange(4):
            case 0:
                keep = draw.getrandbits(16)
            case 1:
                keep = 2 ** draw.randrange(17) - 1
            case 2:
                mark ^= 1
            case _:
                at, (keep, mark, last) = len(beats) - 1, beats[-1]
                keep = 2 ** draw.choice((*LENGTHS, 0, 1, 3, 5, 7, 9, 11)) - 1
        beats[at] = (keep, mark, last)
    return beats


class Rules:
    """What is legal: SP 800-38D's order of the sections, one block a beat."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self.text, self.partial = False, -1

    def is_wrong(self, beat: tuple[int, int, int], tag: int) -> bool:
        keep, mark, last = beat
        wrong = keep == 0 or bool(keep & (keep + 1))
        if last:
            return wrong or bool(mark) or keep != 2**tag - 1
        return wrong or bool(mark and self.text) or self.partial == mark

    def passes(self, beat: tuple[int, int, int]) -> None:
        keep, mark, last = beat
        self.text = not last and (self.text or not mark)
        self.partial = mark if not last and not keep >> 15 else -1


def in_left(sizes: Sequence[int], ahead: int, blocks: int) -> int:
    """Return `in_left` of aesforge_ghash: how much of a packet follows a beat.

    Args:
        sizes: blocks of the beat, and of each one after it.
        ahead: beats that the end of a packet is known ahead.
        blocks: the most of a beat.
    """
    more = len(sizes) - 1
    if blocks == 1:
        return min(more, ahead)
    return (more >= ahead) * ahead * blocks + sum(sizes[:ahead]) - 1

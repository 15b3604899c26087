# SPDX-License-Identifier: Apache-2.0
"""aesforge_section_check: random packets, most of them wrong in some beat, with pauses and waits."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_section_check"
FULL = 2**16 - 1
# Bytes of the tag for each bit of `tag_length`.
LENGTHS = (4, 8, 12, 13, 14, 15, 16)
MUTATIONS = {
    "holes pass": Mutation(M, "((s_keep >> 1) & ~s_keep) != '0 ||", ""),
    "an empty beat passes": Mutation(M, " || !s_keep[0];", ";"),
    "a tag of any length": Mutation(M, "(length_q & tag_length_q) == '0", "1'b0"),
    "a tag of 16 bytes is longer": Mutation(
        M, "        s_keep[15], s_keep[14:11]", "        1'b1, s_keep[14:11]"
    ),
    "a tag of 12 bytes is longer": Mutation(M, "& ~s_keep[15:12]", "& ~{s_keep[15:13], 1'b0}"),
    "a tag of 8 bytes is longer": Mutation(M, "s_keep[7] && !s_keep[8]", "s_keep[7]"),
    "a tag of 4 bytes is longer": Mutation(M, "s_keep[3] && !s_keep[4]", "s_keep[3]"),
    "the length of the packet before": Mutation(
        M, "if (tag_valid) tag_length_q", "if (!tag_valid) tag_length_q"
    ),
    "associated data as a tag": Mutation(M, "last ? aad || (", "last ? ("),
    "associated data after text": Mutation(M, "(aad && text_q) ||", ""),
    "text ends with a beat of text": Mutation(M, "(text_q || !aad)", "!aad"),
    "text goes on in the next packet": Mutation(M, "text_q <= !last && (", "text_q <= ("),
    "partial beats within a section": Mutation(M, " || (part_q && part_aad_q == aad)", ""),
    "a partial beat ends the packet": Mutation(M, "part_q && part_aad_q == aad", "part_q"),
    "a partial tag": Mutation(M, "part_q <= !last && !full_q", "part_q <= !full_q"),
    "a beat that did not come": Mutation(M, "if (s_valid) begin", "begin"),
    "a beat that waits": Mutation(M, "if (valid) begin", "begin"),
    "a reset keeps the section": Mutation(
        M, "if (rst) {text_q, part_q} <= '0;", "if (rst) part_q <= 1'b0;"
    ),
    "a reset keeps the partial beat": Mutation(
        M, "if (rst) {text_q, part_q} <= '0;", "if (rst) text_q <= 1'b0;"
    ),
}


def make_bench() -> Bench:
    bench = Bench(
        {
            **{"rst": 1, "s_valid": 1, "s_keep": 16, "tag_valid": 1, "tag_length": 7},
            **{"valid": 1, "aad": 1, "last": 1},
        }
    )
    for name, mutation in {"true": None, **MUTATIONS}.items():
        bench.add(name, M, {}, outputs={"error": 1}, mutation=mutation)
    return bench


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


@cocotb.test()
async def every_rule(dut: Any) -> None:
    """As the shell drives it: a beat is taken, stays while the next stage waits, and leaves."""
    bench, draw, faults = make_bench(), random.Random(38), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    rules = Rules()
    beats: list[tuple[int, int, int]] = []
    held: tuple[int, int, int] | None = None
    tag, next_tag, first, wrongs = 0, 16, True, 0
    for _ in range(6000):
        if not beats:
            next_tag = draw.choice(LENGTHS)
            beats, first = packet(draw, next_tag), True
        # Steps move on all at once; a step may bring no beat, whose `tkeep` then means nothing.
        step = draw.random() < 0.7
        comes = step and draw.random() < 0.8
        rst = draw.random() < 0.01
        given = {
            "rst": int(rst),
            "s_valid": int(step),
            "s_keep": beats[0][0] if comes else draw.getrandbits(16),
            "tag_valid": int(comes and first),
            "tag_length": 1 << LENGTHS.index(next_tag) if first else draw.getrandbits(7),
            "valid": int(step and held is not None),
            "aad": held[1] if held else draw.getrandbits(1),
            "last": held[2] if held else draw.getrandbits(1),
        }
        outputs = await driver.cycle(given)
        if held is not None:
            wrong = rules.is_wrong(held, tag)
            wrongs += wrong
            for one in bench.instances:
                where = f"cycle {driver.number}, beat {held}, tag of {tag}"
                faults.check(one, outputs.of(one, "error"), int(wrong), where)
        if step:
            if held is not None:
                rules.passes(held)
            held = None
            if comes:
                held = beats.pop(0)
                if first:
                    tag, first = next_tag, False
        if rst:
            rules.restart()
            held, beats = None, []
    assert wrongs > 500, wrongs
    bench.judge(faults)


def test_aesforge_section_check(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

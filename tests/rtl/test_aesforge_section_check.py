# SPDX-License-Identifier: Apache-2.0
"""aesforge_section_check: random packets, most of them wrong somewhere, with pauses and waits."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation
from sections import LENGTHS, Rules, packet

M = "aesforge_section_check"
MUTATIONS = {
    "holes pass": Mutation(M, "((s_keep >> 1) & ~s_keep) != '0 ||", ""),
    "an empty beat passes": Mutation(M, " || !s_keep[0];", ";"),
    "a tag of any length": Mutation(M, "!fits_q", "1'b0"),
    "a tag of 15 bytes has 16": Mutation(M, "s_keep[15:11] &", "{1'b1, s_keep[14:11]} &"),
    "a tag of 12 bytes is longer": Mutation(
        M, "& ~{longer, s_keep[15:12]}", "& ~{longer, s_keep[15:13], 1'b0}"
    ),
    "a tag of 8 bytes is longer": Mutation(M, "s_keep[7] && !s_keep[8]", "s_keep[7]"),
    "a tag of 4 bytes is longer": Mutation(M, "s_keep[3] && !s_keep[4]", "s_keep[3]"),
    "the length of the packet before": Mutation(
        M, "s_first ? s_tag_length : tag_length_q", "tag_length_q"
    ),
    "the length of a packet comes late": Mutation(
        M, "if (s_first) tag_length_q", "if (!s_first) tag_length_q"
    ),
    "associated data as a tag": Mutation(M, "last ? aad || !fits_q", "last ? !fits_q"),
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


# Of beats of several blocks.
WIDE = 32
WIDE_MUTATIONS = {
    "a tag of 16 bytes is longer": Mutation(M, "& ~{longer, s_keep", "& ~{1'b0, s_keep"),
    "the first block is full": Mutation(M, "full_q <= s_keep[Bytes-1]", "full_q <= s_keep[15]"),
}


def make_bench() -> Bench:
    bench = Bench(
        {
            **{"rst": 1, "s_valid": 1, "s_first": 1, "s_tag_length": 7},
            **{"valid": 1, "aad": 1, "last": 1},
        }
    )

    def add(name: str, size: int, mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            {"Bytes": size},
            inputs={"s_keep": size},
            outputs={"error": 1},
            mutation=mutation,
        )

    for name, mutation in {"true": None, **MUTATIONS}.items():
        add(name, 16, mutation)
    for name, mutation in {"wide": None, **WIDE_MUTATIONS}.items():
        add(name, WIDE, mutation)
    return bench


def widened(draw: random.Random, keep: int, last: int, tag: int) -> int:
    """Return the `tkeep` of a beat of two blocks that is as legal as one of a beat of one block."""
    if not last:
        return sum(0b11 << 2 * i for i in range(16) if keep >> i & 1)
    if keep & (keep + 1) == 0 and keep.bit_count() != tag and draw.random() < 0.5:
        # A tag that is too long.
        return int(2 ** draw.randrange(17, WIDE + 1)) - 1
    return keep


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
            "s_first": int(first),
            "s_tag_length": (
                1 << LENGTHS.index(next_tag) if comes and first else draw.getrandbits(7)
            ),
            "valid": int(step and held is not None),
            "aad": held[1] if held else draw.getrandbits(1),
            "last": held[2] if held else draw.getrandbits(1),
        }
        keep = beats[0][0] if comes else draw.getrandbits(16)
        last = beats[0][2] if comes else draw.getrandbits(1)
        keeps = {16: keep, WIDE: widened(draw, keep, last, next_tag)}
        own = {one.name: {"s_keep": keeps[one["Bytes"]]} for one in bench.instances}
        outputs = await driver.cycle(given, own)
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

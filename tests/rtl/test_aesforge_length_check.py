# SPDX-License-Identifier: Apache-2.0
"""aesforge_length_check: beats of several streams against the lengths of their packets."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_length_check"
STREAMS = 3
MUTATIONS = {
    "an error is forgotten": Mutation(M, "bad = bad_q ||", "bad ="),
    "an error of the packet before": Mutation(
        M, "? {2'b01, beat_aad", "? {state_q[33], 1'b1, beat_aad"
    ),
    "a packet without associated data": Mutation(M, "beat_aad_bytes != '0 ?", "1'b1 ?"),
    "another stream's packet": Mutation(
        M, "state_q <= states[head_stream]", "state_q <= states[0]"
    ),
    "another stream's answer": Mutation(M, "verdicts[look_stream]", "verdicts[0]"),
    "any mark": Mutation(M, "due_mark_q != due_aad_q ||", ""),
    "any end": Mutation(M, " || due_last_q != tag", ""),
    "a tag of 16 bytes": Mutation(M, "tag ? due_tag_q :", "tag ? 5'd16 :"),
    "a byte more": Mutation(M, "size_q > 5'(i)", "size_q >= 5'(i)"),
    "holes": Mutation(M, "keep_q != due_keep", "keep_q[15] != due_keep[15]"),
    "sections of whole blocks end a beat late": Mutation(
        M, " || (due_blocks_q == 28'd1 && due_bytes_q == '0)", ""
    ),
    "the tag ends a section": Mutation(M, "end_q <= !tag && (", "end_q <= ("),
    "no text after associated data": Mutation(M, "end_q && aad_q ? text_q", "1'b0 ? text_q"),
    "text after text": Mutation(M, "end_q && aad_q ? text_q", "end_q ? text_q"),
    "blocks are not counted": Mutation(M, "due_blocks_q - 28'd1", "due_blocks_q"),
    "the answer before the last one": Mutation(M, "valid_q && stream_q == look_stream ?", "1'b0 ?"),
    "few blocks": Mutation(M, "full = due_blocks_q != '0", "full = due_blocks_q[11:0] != '0"),
}


def make_bench() -> Bench:
    bench = Bench(
        {
            **{"head_stream": 2, "beat_valid": 1, "beat_stream": 2, "beat_first": 1},
            **{"beat_last": 1, "beat_aad": 1, "beat_keep": 16, "beat_aad_bytes": 32},
            **{"beat_text_bytes": 32, "beat_tag_bytes": 5, "look_stream": 2},
        }
    )
    for name, mutation in {"true": None, **MUTATIONS}.items():
        bench.add(
            name,
            M,
            {"Streams": STREAMS},
            outputs={"look_end": 1, "look_error": 1},
            mutation=mutation,
        )
    return bench


def beats_of(draw: random.Random, aad: int, text: int, tag: int) -> list[tuple[int, int, int, int]]:
    """Return tkeep, mark, last and whether the section ends, of all beats; of the first of many."""
    beats = []
    for size, mark in ((aad, 1), (text, 0)):
        for at in range(0, min(size, 200), 16):
            keep = 2 ** min(16, size - at) - 1
            beats.append((keep, mark, 0, int(at + 16 >= size)))
        if size > 200:
            return beats
    return [*beats, (2**tag - 1, 0, 1, 0)]


def spoil(draw: random.Random, beat: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return a beat with something changed, its first byte kept."""
    keep, mark, last, end = beat
    match draw.randrange(4):
        case 0:
            keep = draw.getrandbits(16) | 1
        case 1:
            keep = 2 ** draw.randrange(1, 17) - 1
        case 2:
            mark ^= 1
        case _:
            last ^= 1
    return keep, mark, last, end


@cocotb.test()
async def every_rule(dut: Any) -> None:
    bench, draw, faults = make_bench(), random.Random(11), Faults()
    driver = Driver(dut, bench)
    packets: list[dict[str, Any] | None] = [None] * STREAMS
    free = [0] * STREAMS  # the cycle from which a stream's next beat may come
    since = [0] * STREAMS  # the cycle of its last one
    head = 0
    asked: tuple[int, int, int, bool] | None = None
    wrongs = rights = 0
    for now in range(12_000):
        given = {"head_stream": draw.randrange(STREAMS), "look_stream": draw.randrange(STREAMS)}
        stream = head
        head = given["head_stream"]
        for port in ("beat_last", "beat_aad"):
            given[port] = draw.getrandbits(1)
        given |= {"beat_stream": stream, "beat_keep": draw.getrandbits(16)}
        if now >= free[stream] and draw.random() < 0.7:
            packet = packets[stream]
            first = packet is None or not packet["beats"]
            if packet is None or first:
                sizes = (0, 0, 1, 15, 16, 17, 32, 40, 48, 65, 2**16, 2**32 - 1, 2**17 + 5)
                aad, text = draw.choice(sizes), draw.choice(sizes)
                tag = draw.choice((4, 6, 8, 10, 12, 14, 16))
                packet = {"aad": aad, "text": text, "tag": tag, "bad": False}
                packet["beats"] = beats_of(draw, aad, text, tag)
                packets[stream] = packet
            due = packet["beats"].pop(0)
            sent = spoil(draw, due) if draw.random() < 0.15 else due
            packet["bad"] |= sent[:3] != due[:3]
            packet["end"] = due[3]
            # A packet may end at any beat.
            if sent[2]:
                packet["beats"] = []
            keep, mark, last, _ = sent
            given |= {"beat_valid": 1, "beat_first": int(first), "beat_keep": keep}
            given |= {"beat_aad": mark, "beat_last": last, "beat_aad_bytes": packet["aad"]}
            given |= {"beat_text_bytes": packet["text"], "beat_tag_bytes": packet["tag"]}
            free[stream], since[stream] = now + 4, now
        outputs = await driver.cycle(given)
        if asked is not None:
            number, end, bad, known = asked
            for one in bench.instances if known else ():
                got = outputs.of(one, "look_error"), outputs.of(one, "look_end") if not bad else end
                faults.check(one, got, (bad, end), f"stream {number}, cycle {now}")
            wrongs, rights = wrongs + (known and bad), rights + (known and not bad)
        number = given["look_stream"]
        packet = packets[number]
        known = packet is not None and now >= since[number] + 2
        asked = (number, int(packet["end"]), int(packet["bad"]), known) if packet else None
    assert wrongs > 500, wrongs
    assert rights > 500, rights
    bench.judge(faults)


def test_aesforge_length_check(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

# SPDX-License-Identifier: Apache-2.0
"""aesforge_gcm_tag: packets with a played cipher, against SP 800-38D Sec. 6.4 and 7."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import gf128
from rtl_bench import Bench, Driver, Faults, Instance, Mutation

M = "aesforge_gcm_tag"
BYTES, SIDE = 16, 6
FULL = 2**BYTES - 1
# Slots, Ahead, Stages, CountBits
SHAPES = {
    "4, 2": (4, 4, 2, 32),
    "8, 6": (3, 8, 6, 32),
    "16, 9": (2, 16, 9, 32),
    "few blocks": (2, 4, 1, 4),
}
MUTATIONS = {
    "plaintext is hashed": Mutation(M, "in_aad || in_decrypt ?", "in_aad ?"),
    "packets have no first block": Mutation(
        M, "if (in_valid) first_q <= in_tag;", "first_q <= in_tag;"
    ),
    "the length of a partial block is a byte too much": Mutation(
        M, "bytes_q <= 4'(i);", "bytes_q <= 4'(i + 1);"
    ),
    "partial blocks count": Mutation(
        M, "aad_add  = block_aad_q && full_q", "aad_add  = block_aad_q"
    ),
    "partial blocks of text count": Mutation(M, "!block_tag_q && full_q", "!block_tag_q"),
    "the tag is text": Mutation(
        M, "!block_aad_q && !block_tag_q && full_q", "!block_aad_q && full_q"
    ),
    "associated data are text": Mutation(
        M, "!block_aad_q && !block_tag_q && full_q", "!block_tag_q && full_q"
    ),
    "the bytes of the packet before": Mutation(M, "aad_bytes  = hash_first ? '0 :", "aad_bytes  ="),
    "the bytes of the text before": Mutation(M, "text_bytes = hash_first ? '0 :", "text_bytes ="),
    "the lengths change places": Mutation(
        M, "{aad_length, text_length}", "{text_length, aad_length}"
    ),
    "the lengths are in bytes": Mutation(
        M, "{text_blocks, text_bytes, 3'b000}", "{text_blocks, text_bytes}"
    ),
    "no lengths": Mutation(M, "hash_tag ? {aad_length, text_length} : hash_block", "hash_block"),
    "the slot of the next beat": Mutation(M, ".in_slot(hash_slot)", ".in_slot(slot_q)"),
    "no hash in the tag": Mutation(M, "(tag && keep[i] ?", "(1'b0 ?"),
    "the hash in every beat": Mutation(M, "(tag && keep[i] ?", "(keep[i] ?"),
    "tags are longer": Mutation(M, "(tag && keep[i] ?", "(tag ?"),
    "a wrong tag passes": Mutation(M, "(compare_q && differs_q != '0)", "1'b0"),
    "a byte of the tag is not compared": Mutation(M, "differs_q != '0", "differs_q[14:0] != '0"),
    "tags are compared when encrypting": Mutation(M, "tag && decrypt}", "tag}"),
    "texts are compared": Mutation(M, "tag && decrypt}", "decrypt}"),
    "a tag that was compared leaves": Mutation(M, "sum_error_q || compare_q ?", "sum_error_q ?"),
    "errors leave": Mutation(M, "sum_error_q || compare_q ?", "compare_q ?"),
    "errors are forgotten": Mutation(M, "out_error <= sum_error_q ||", "out_error <="),
    "too many blocks": Mutation(M, "? text_blocks == '1", "? 1'b0"),
    "one block too few": Mutation(M, "? text_blocks == '1", "? text_blocks == ~CountBits'(1)"),
    "one block too many, if partial": Mutation(M, ": text_blocks == ~CountBits'(1))", ": 1'b0)"),
    "too many blocks are forgotten": Mutation(
        M, "over || (over_q && !hash_first);\n    end", "over;\n    end"
    ),
    "too many blocks are too many in the next packet": Mutation(
        M, "late_over_q, over || (over_q && !hash_first)}", "late_over_q, over || over_q}"
    ),
    "a reset keeps beats": Mutation(
        M, "    if (rst || zeroize) valid_q <= '0;\n", "    if (zeroize) valid_q <= '0;\n"
    ),
    "zeroization keeps beats": Mutation(
        M, "    if (rst || zeroize) valid_q <= '0;\n", "    if (rst) valid_q <= '0;\n"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int, int, int], mutation: Mutation | None = None) -> None:
        slots, ahead, _, _ = shape
        width, power = (slots - 1).bit_length(), (ahead - 1).bit_length()
        bench.add(
            name,
            M,
            {
                **dict(zip(("Slots", "Ahead", "Stages", "CountBits"), shape, strict=True)),
                "SideBits": SIDE,
            },
            inputs={
                **{"in_valid": 1, "in_aad": 1, "in_tag": 1, "in_error": 1, "in_decrypt": 1},
                **{"in_slot": width, "in_left": power + 1, "in_data": 128, "in_xor": 128},
                **{"in_keep": BYTES, "in_side": SIDE, "write_valid": 1, "write_slot": width},
                **{"write_power": power, "write_value": 128},
            },
            outputs={"out_valid": 1, "out_error": 1, "out_data": 128, "out_side": SIDE},
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["few blocks"], mutation)
    return bench


def mask(keep: int) -> int:
    """Return ones in the bytes that are kept, byte 0 at the top."""
    return sum(0xFF << 8 * (BYTES - 1 - i) for i in range(BYTES) if keep >> i & 1)


class Side:
    """One instance: packets in, and what must come out of them."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.good = self.bad = self.over = 0
        self.restart()

    def restart(self) -> None:
        one = self.one
        self.keys = [self.draw.getrandbits(128) for _ in range(one["Slots"])]
        self.writes = []
        for slot, key in enumerate(self.keys):
            power = key
            for number in range(one["Ahead"]):
                self.writes.append(
                    {
                        **{"write_valid": 1, "write_slot": slot},
                        **{"write_power": number, "write_value": power},
                    }
                )
                power = gf128.product(power, key)
        self.beats: list[tuple[dict[str, int], tuple[int, int, int]]] = []
        self.due: dict[int, tuple[int, int, int]] = {}

    def packet(self) -> None:
        """Queue a packet: its beats, and error, data and side bits of each as it leaves."""
        draw, one = self.draw, self.one
        slot, decrypt = draw.randrange(one["Slots"]), draw.getrandbits(1)
        counts = (0, 0, 1, 2, 3, 9)
        lengths = [draw.choice(counts), draw.choice((*counts, 13, 14, 15, 16))]
        # From one beat on, the shell may have found an error.
        broken = draw.randrange(sum(lengths) + 1) if draw.random() < 0.2 else 99
        blocks, bits, texts, over = [], [0, 0], 0, False
        most = 2 ** one["CountBits"] - 2
        beats: list[tuple[int, int, int, int, int, int]] = []
        for section, length in enumerate(lengths):
            for number in range(length):
                partial = number == length - 1 and draw.random() < 0.5
                keep = 2 ** draw.randrange(1, 16) - 1 if partial else FULL
                data, other = (draw.getrandbits(128) & mask(keep) for _ in range(2))
                if len(beats) >= broken:
                    data = other = 0
                blocks.append(other if section == 0 or decrypt else data)
                bits[section] += 8 * keep.bit_count()
                texts += section
                over |= texts > most
                error = int(over or len(beats) >= broken)
                # Associated data bypass the core.
                data = other if section == 0 else data
                beats.append((1 - section, 0, data, other, keep, error))
        value = 0
        for block in (*blocks, bits[0] << 64 | bits[1]):
            value = gf128.product(value ^ block, self.keys[slot])
        keep = 2 ** draw.choice((4, 8, 12, 13, 14, 15, 16)) - 1
        j0 = draw.getrandbits(128)
        tag = (value ^ j0) & mask(keep)
        given = tag if decrypt else 0
        if decrypt and draw.random() < 0.4:
            at = draw.randrange(keep.bit_count())
            given ^= 1 << 8 * (BYTES - 1 - at) + draw.randrange(8)
        error = int(over or broken < 99 or (decrypt and given != tag))
        data = (given ^ j0) & mask(keep)
        if broken < 99:
            data = given = 0
        beats.append((0, 1, data, given, keep, error))
        self.over += over
        self.bad += error
        self.good += not error
        for number, (aad, last, data, other, keep, error) in enumerate(beats):
            side = draw.getrandbits(SIDE)
            leaves = (0 if decrypt else tag) if last else data
            self.beats.append(
                (
                    {
                        **{"in_valid": 1, "in_aad": aad, "in_tag": last, "in_decrypt": decrypt},
                        **{"in_error": int(number >= broken), "in_slot": slot},
                        "in_left": min(len(beats) - 1 - number, one["Ahead"]),
                        **{"in_data": data, "in_xor": other, "in_keep": keep, "in_side": side},
                    },
                    (error, 0 if error else leaves, side),
                )
            )

    def offer(self, now: int, share: float) -> dict[str, int]:
        draw, one = self.draw, self.one
        if self.writes:
            return self.writes.pop(0)
        while not self.beats:
            self.packet()
        if draw.random() < share:
            values, leaves = self.beats.pop(0)
            self.due[now + one["Stages"] + 10] = leaves
            return values
        # Without a beat, the rest means nothing.
        noise = {"in_data": 128, "in_xor": 128, "in_keep": BYTES, "in_tag": 1, "in_aad": 1}
        return {port: draw.getrandbits(width) for port, width in noise.items()}

    def check(self, faults: Faults, outputs: Any, now: int) -> None:
        due = self.due.pop(now, None)
        got = outputs.of(self.one, "out_valid")
        faults.check(self.one, got, int(due is not None), f"valid in cycle {now}")
        if due is not None:
            beat = tuple(outputs.of(self.one, f"out_{name}") for name in ("error", "data", "side"))
            faults.check(self.one, beat, due, f"beat in cycle {now}")


@cocotb.test()
async def tags_are_right(dut: Any) -> None:
    """Both directions, all lengths of tags, wrong tags, errors, too many blocks; with gaps."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    sides = [Side(one, 50 + i) for i, one in enumerate(bench.instances)]
    for restart, share in (("rst", 1.0), ("zeroize", 0.5), ("rst", 1.0)):
        # Beats are inside when it comes.
        await driver.cycle({restart: 1})
        for side in sides:
            side.restart()
        for _ in range(260):
            now = driver.number
            own = {side.one.name: side.offer(now, share) for side in sides}
            outputs = await driver.cycle({}, own)
            for side in sides:
                side.check(faults, outputs, now)
    for side in sides:
        if side.one.mutation is None:
            assert min(side.good, side.bad) > 10, (side.one.name, side.good, side.bad)
            assert side.over > 5 or side.one["CountBits"] > 4, (side.one.name, side.over)
    bench.judge(faults)


def test_aesforge_gcm_tag(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

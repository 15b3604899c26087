# SPDX-License-Identifier: Apache-2.0
"""aesforge_gcm_tag: packets with a played cipher, against SP 800-38D Sec. 6.4 and 7."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation
from sections import in_left

from aesforge.reference import block_product

M = "aesforge_gcm_tag"
BLOCK_BYTES, SIDE = 16, 6
NAMES = ("Slots", "Ahead", "Stages", "CountBits", "Digit", "Blocks")
SHAPES = {
    "4, 2": (4, 4, 2, 32, 8, 1),
    "8, 6": (3, 8, 6, 32, 8, 1),
    "16, 9": (2, 16, 9, 32, 8, 1),
    "few blocks": (2, 4, 1, 4, 8, 1),
    "two blocks a beat, few": (2, 4, 2, 4, 8, 2),
    "four blocks a beat, few": (3, 8, 4, 5, 8, 4),
    "four blocks a beat": (2, 8, 6, 32, 8, 4),
    "by 16": (3, 1, 6, 32, 16, 1),
    "by 32, few blocks": (2, 1, 6, 4, 32, 1),
}
# Both kinds of multipliers have each mutant.
MUTANT_SHAPES = ("few blocks", "by 32, few blocks")
MUTATIONS = {
    "plaintext is hashed": Mutation(
        M,
        "from_xor  = (in_aad || in_decrypt) && !in_tag;\n    from_data = !in_aad && !in_decrypt",
        "from_xor  = in_aad && !in_tag;\n    from_data = !in_aad",
    ),
    "a tag that came is hashed": Mutation(
        M, "(in_aad || in_decrypt) && !in_tag", "(in_aad || in_decrypt)"
    ),
    "a tag that leaves is hashed": Mutation(M, "!in_decrypt && !in_tag", "!in_decrypt"),
    "packets have no first block": Mutation(
        M, "if (in_valid) first_q <= in_tag;", "first_q <= in_tag;"
    ),
    "the length of a partial block is not that of its bytes": Mutation(
        M, "in_keep[(2*m+1)*2**i-1] &&", "in_keep[(2*m+1)*2**i] &&"
    ),
    "partial blocks count": Mutation(
        M, "aad_add  = block_aad && block_full", "aad_add  = block_aad"
    ),
    "partial blocks of text count": Mutation(M, "!block_tag && block_full", "!block_tag"),
    "the tag is text": Mutation(
        M, "!block_aad && !block_tag && block_full", "!block_aad && block_full"
    ),
    "associated data are text": Mutation(
        M, "!block_aad && !block_tag && block_full", "!block_tag && block_full"
    ),
    "the bytes of the packet before": Mutation(M, "aad_bytes  = hash_first ? '0 :", "aad_bytes  ="),
    "the bytes of the text before": Mutation(M, "text_bytes = hash_first ? '0 :", "text_bytes ="),
    "the lengths change places": Mutation(
        M, "{aad_length, text_length}", "{text_length, aad_length}"
    ),
    "the lengths are in bytes": Mutation(
        M, "{text_beats, text_bytes, 3'b000}", "{text_beats, text_bytes}"
    ),
    "no lengths": Mutation(M, "hash_tag ? length_block : '0", "'0"),
    "the slot of the next beat": Mutation(M, ".in_slot(hash_slot)", ".in_slot(in_slot)"),
    "no hash in the tag": Mutation(M, "(tag_keep[i] ?", "(1'b0 ?"),
    "the hash in every beat": Mutation(M, "{16{in_tag && !in_iv}}", "{16{!in_iv}}"),
    "tags are longer": Mutation(M, "(tag_keep[i] ?", "(tag_keep[0] ?"),
    "a wrong tag passes": Mutation(M, "(compare_q && differs_q != '0)", "1'b0"),
    "a byte of the tag is not compared": Mutation(M, "differs_q != '0", "differs_q[14:0] != '0"),
    "tags are compared when encrypting": Mutation(M, "<= tag && decrypt;", "<= tag;"),
    "texts are compared": Mutation(M, "<= tag && decrypt;", "<= decrypt;"),
    "a tag that was compared leaves": Mutation(
        M, "blank_q <= error || (tag && decrypt);", "blank_q <= error;"
    ),
    "what came is part of the tag": Mutation(
        M, "made = in_tag && (!in_decrypt || in_iv)", "made = 1'b0"
    ),
    "a tag that came is taken out": Mutation(
        M, "made = in_tag && (!in_decrypt || in_iv)", "made = in_tag"
    ),
    "what came for an IV leaves": Mutation(
        M, "made = in_tag && (!in_decrypt || in_iv)", "made = in_tag && !in_decrypt"
    ),
    "errors leave": Mutation(
        M, "blank_q <= error || (tag && decrypt);", "blank_q <= tag && decrypt;"
    ),
    "errors are forgotten": Mutation(M, "out_error <= sum_error_q ||", "out_error <="),
    "too many blocks": Mutation(M, "full_q ? all_ones_q", "full_q ? 1'b0"),
    "one block too few": Mutation(M, "full_q ? all_ones_q", "full_q ? but_one_q"),
    "one block too many, if partial": Mutation(M, ": but_one_q)", ": 1'b0)"),
    "too many blocks are forgotten": Mutation(M, "over_q <= over_d;", "over_q <= over;"),
    "too many blocks are too many in the next packet": Mutation(
        M, "over_d = over || (over_q && !late_first_q)", "over_d = over || over_q"
    ),
    "the hash of an IV leaves": Mutation(M, "{16{in_tag && !in_iv}}", "{16{in_tag}}"),
    "any packet is an IV": Mutation(M, "bare_d = bare_q ||", "bare_d ="),
    "every packet brings an IV": Mutation(
        M, "iv_done <= hash_valid && tag && iv", "iv_done <= hash_valid && tag"
    ),
    "J0 of another packet": Mutation(M, "&& iv) iv_hash <= hash", ") iv_hash <= ~hash"),
}
# These show seldom: where a beat comes per cycle, in a run that is short enough.
RARE_MUTATIONS = {
    "an IV of 96 bits is hashed": Mutation(M, "text_bytes == ByteBits'(12)", "text_bytes == '0"),
    "a reset keeps the packet": Mutation(M, "if (rst || zeroize) first_q", "if (zeroize) first_q"),
    "zeroization keeps the packet": Mutation(M, "if (rst || zeroize) first_q", "if (rst) first_q"),
    "a reset keeps beats": Mutation(
        M, "if (rst || zeroize) {sum_valid_q", "if (zeroize) {sum_valid_q"
    ),
    "zeroization keeps beats": Mutation(
        M, "if (rst || zeroize) {sum_valid_q", "if (rst) {sum_valid_q"
    ),
}
# Of several blocks in a beat.
WIDE_SHAPES = ("two blocks a beat, few", "four blocks a beat, few")
WIDE_MUTATIONS = {
    "full beats: too many blocks": Mutation(M, "full_q ? zeros_q", "full_q ? 1'b0"),
    "partial beats: too many blocks": Mutation(
        M, "zeros_q : all_ones_q && many_q", "zeros_q : 1'b0"
    ),
    "the lengths are in the last block": Mutation(M, " << (DataBits - 128)", ""),
    "full where the first block is": Mutation(
        M, "in_tag, in_keep[16*Blocks-1], bytes", "in_tag, in_keep[15], bytes"
    ),
    "the hash in the last block": Mutation(
        M,
        "sum[DataBits-1-8*i-:8] ^=",
        "sum[127-8*i-:8] ^=",
    ),
    "another block is compared": Mutation(
        M, "differs_q[i] <= sum[DataBits-128+8*i+:8]", "differs_q[i] <= sum[8*i+:8]"
    ),
}
# Of four blocks alone: of two, none of the last beat is legal.
FOUR_MUTATIONS = {
    "partial beats: a block too few": Mutation(
        M, "zeros_q : all_ones_q && many_q", "zeros_q : all_ones_q"
    ),
    "partial beats: a block too many": Mutation(M, "16 * (Blocks - 2)", "16 * (Blocks - 1)"),
}
# Of the digit-serial multiplier alone.
SERIAL_MUTATIONS = {
    "the sum of the packet before": Mutation(M, "block_valid && block_first", "1'b0"),
    "zeroization keeps the beat that waits": Mutation(M, "if (zeroize) beat_q <= '0;", ""),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        slots, ahead, _, _, _, blocks = shape
        width, power = (slots - 1).bit_length(), max(1, (ahead * blocks - 1).bit_length())
        bench.add(
            name,
            M,
            {
                **dict(zip(NAMES, shape, strict=True)),
                "SideBits": SIDE,
            },
            inputs={
                **{"in_valid": 1, "in_aad": 1, "in_tag": 1, "in_error": 1, "in_decrypt": 1},
                **{
                    "in_iv": 1,
                    "in_slot": width,
                    "in_left": power + 1,
                    "in_data": 128 * blocks,
                    "in_xor": 128 * blocks,
                },
                **{"in_keep": BLOCK_BYTES * blocks, "in_side": SIDE},
                **{"write_valid": 1, "write_slot": width},
                **{"write_power": power, "write_value": 128},
            },
            outputs={
                **{"iv_done": 1, "iv_error": 1, "iv_hash": 128},
                **{"out_valid": 1, "out_error": 1, "out_data": 128 * blocks, "out_side": SIDE},
            },
            probes={"waits": ("data", 128)} if ahead == 1 else None,
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for shape_name in MUTANT_SHAPES:
        for name, mutation in MUTATIONS.items():
            add(f"{name}: {shape_name}", SHAPES[shape_name], mutation)
    for shape_name in WIDE_SHAPES:
        for name, mutation in WIDE_MUTATIONS.items():
            add(f"{name}: {shape_name}", SHAPES[shape_name], mutation)
    for name, mutation in FOUR_MUTATIONS.items():
        add(name, SHAPES["four blocks a beat, few"], mutation)
    for name, mutation in RARE_MUTATIONS.items():
        add(name, SHAPES["few blocks"], mutation)
    for name, mutation in SERIAL_MUTATIONS.items():
        add(name, SHAPES["by 32, few blocks"], mutation)
    return bench


Leaves = tuple[int, int, int, tuple[int, int] | None]


def mask(keep: int, size: int = BLOCK_BYTES) -> int:
    """Return ones in the bytes that are kept of so many, byte 0 at the top."""
    return sum(0xFF << 8 * (size - 1 - i) for i in range(size) if keep >> i & 1)


class Side:
    """One instance: packets in, and what must come out of them."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.good = self.bad = self.over = self.ivs = 0
        self.bytes = BLOCK_BYTES * one["Blocks"]
        serial, cycles = one["Ahead"] == 1, 128 // one["Digit"]
        self.latency = cycles + 4 if serial else one["Stages"] + 13
        self.interval = cycles + 2 if serial else 1
        self.restart()

    def restart(self) -> None:
        one = self.one
        self.keys = [self.draw.getrandbits(128) for _ in range(one["Slots"])]
        self.writes = []
        for slot, key in enumerate(self.keys):
            power = key
            for number in range(one["Ahead"] * one["Blocks"]):
                self.writes.append(
                    {
                        **{"write_valid": 1, "write_slot": slot},
                        **{"write_power": number, "write_value": power},
                    }
                )
                power = block_product(power, key)
        self.beats: list[tuple[dict[str, int], Leaves]] = []
        self.due: dict[int, Leaves] = {}
        self.next = 0

    def packet(self) -> None:
        """Queue a packet: its beats, and error, data and side bits of each as it leaves."""
        draw, one = self.draw, self.one
        slot, decrypt = draw.randrange(one["Slots"]), draw.getrandbits(1)
        iv = draw.random() < 0.2
        counts = (0, 0, 1, 2, 3, 9)
        size, full = self.bytes, 2**self.bytes - 1
        # As many beats as a counter of few bits takes, or about as many.
        near = 2 ** min(one["CountBits"], 4 + (one["Blocks"] > 1)) // one["Blocks"]
        some = (near - 3, near - 2, near - 1, near - 1, near - 1, near)
        if one["Blocks"] > 1:
            some = (near - 1, near - 1, near, near, near, near + 1)
        lengths = [draw.choice(counts), draw.choice((*counts, *some))]
        if iv and draw.random() < 0.5:
            lengths = [0, draw.choice((1, 1, 2))]
        # From one beat on, the shell may have found an error.
        broken = draw.randrange(sum(lengths) + 1) if draw.random() < 0.2 else 99
        blocks, sizes, bits, texts, over = list[int](), list[int](), [0, 0], 0, False
        most = 2 ** one["CountBits"] - 2
        beats: list[tuple[int, int, int, int, int, int]] = []
        for section, length in enumerate(lengths):
            for number in range(length):
                partial = number == length - 1 and draw.random() < 0.5
                keep = 2 ** draw.randrange(1, size) - 1 if partial else full
                if partial and size > BLOCK_BYTES and draw.getrandbits(1):
                    # At the border of two blocks.
                    keep = 2 ** (draw.randrange(16, size, 16) + draw.getrandbits(1)) - 1
                if iv and partial and draw.random() < 0.5:
                    keep = 2**12 - 1
                data, other = (draw.getrandbits(8 * size) & mask(keep, size) for _ in range(2))
                if len(beats) >= broken:
                    data = other = 0
                hashed_beat = other if section == 0 or decrypt or iv else data
                count = -(-keep.bit_count() // BLOCK_BYTES)
                sizes.append(count)
                for at in range(count):
                    blocks.append(hashed_beat >> 128 * (one["Blocks"] - 1 - at) & 2**128 - 1)
                bits[section] += 8 * keep.bit_count()
                texts += section * count
                over |= texts > most
                error = int(over or len(beats) >= broken)
                # Associated data and IVs bypass the core.
                data = other if section == 0 or iv else data
                beats.append((1 - section, 0, data, other, keep, error))
        value = 0
        for block in (*blocks, bits[0] << 64 | bits[1]):
            value = block_product(value ^ block, self.keys[slot])
        keep = 2 ** draw.choice((4, 8, 12, 13, 14, 15, 16)) - 1
        j0 = draw.getrandbits(128)
        tag = (value ^ j0) & mask(keep)
        # Where the tag is made, anything may have come.
        given = tag if decrypt and not iv else draw.getrandbits(128) & mask(keep)
        if iv:
            tag = j0 = 0
        if decrypt and not iv and draw.random() < 0.4:
            count = keep.bit_count()
            at = draw.choice((0, count - 1, draw.randrange(count)))
            given ^= 1 << 8 * (BLOCK_BYTES - 1 - at) + draw.randrange(8)
        error = int(over or broken < 99 or (decrypt and not iv and given != tag))
        # An IV is text alone, and not of 96 bits.
        error |= iv and (lengths[0] > 0 or bits[1] in (0, 96))
        data = (given ^ j0) & mask(keep)
        if broken < 99:
            data = given = 0
        sizes.append(1)
        # It is in the first block.
        low = 8 * size - 128
        beats.append((0, 1, data << low, given << low, keep, error))
        self.over += over
        self.bad += error
        self.good += not error
        for number, (aad, last, data, other, keep, error) in enumerate(beats):
            side = draw.getrandbits(SIDE)
            leaves = (0 if decrypt else tag << low) if last else data
            hashed = (error, value) if last and iv else None
            self.beats.append(
                (
                    {
                        **{"in_valid": 1, "in_aad": aad, "in_tag": last, "in_decrypt": decrypt},
                        "in_iv": int(iv),
                        **{"in_error": int(number >= broken), "in_slot": slot},
                        "in_left": in_left(sizes[number:], one["Ahead"], one["Blocks"]),
                        **{"in_data": data, "in_xor": other, "in_keep": keep, "in_side": side},
                    },
                    (error, 0 if error else leaves, side, hashed),
                )
            )

    def offer(self, now: int, share: float) -> dict[str, int]:
        draw = self.draw
        if self.writes:
            return self.writes.pop(0)
        while not self.beats:
            self.packet()
        if now >= self.next and draw.random() < share:
            self.next = now + self.interval
            values, leaves = self.beats.pop(0)
            self.due[now + self.latency] = leaves
            return values
        # Without a beat, the rest means nothing.
        noise = {"in_data": 8 * self.bytes, "in_xor": 8 * self.bytes, "in_keep": self.bytes}
        noise |= {"in_tag": 1, "in_aad": 1}
        return {port: draw.getrandbits(width) for port, width in noise.items()}

    def check(self, faults: Faults, outputs: Any, now: int) -> None:
        due = self.due.pop(now, None)
        # An IV is known a cycle before its last beat leaves.
        early = self.due.get(now + 1)
        hashed = early[3] if early else None
        got = outputs.of(self.one, "iv_done")
        faults.check(self.one, got, int(hashed is not None), f"an IV in cycle {now}")
        if hashed is not None:
            error = outputs.of(self.one, "iv_error")
            faults.check(self.one, error, hashed[0], f"error of an IV in cycle {now}")
            if not error:
                value = outputs.of(self.one, "iv_hash")
                faults.check(self.one, value, hashed[1], f"J0 in cycle {now}")
                self.ivs += 1
        got = outputs.of(self.one, "out_valid")
        faults.check(self.one, got, int(due is not None), f"valid in cycle {now}")
        if due is not None:
            beat = tuple(outputs.of(self.one, f"out_{name}") for name in ("error", "data", "side"))
            faults.check(self.one, beat, due[:3], f"beat in cycle {now}")


@cocotb.test()
async def tags_are_right(dut: Any) -> None:
    """Both directions, all lengths of tags, wrong tags, errors, too many blocks; with gaps."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    sides = [Side(one, 50 + i) for i, one in enumerate(bench.instances)]
    phases = (("rst", 1.0), ("zeroize", 1.0), ("rst", 0.5), ("zeroize", 1.0)) * 4
    everyone = sides
    for number, (restart, share) in enumerate(phases):
        # Those that take a beat per cycle have had enough before the others.
        sides = everyone if number < 8 else [side for side in everyone if side.interval > 1]
        # Beats are inside when it comes.
        await driver.cycle({restart: 1})
        for side in sides:
            side.restart()
        for cycle in range(340):
            now = driver.number
            own = {side.one.name: side.offer(now, share) for side in sides}
            outputs = await driver.cycle({}, own, probes=cycle == 0)
            for side in sides:
                side.check(faults, outputs, now)
                for port in side.one.probes if cycle == 0 and restart == "zeroize" else ():
                    faults.check(side.one, outputs.of(side.one, port), 0, f"{port} in cycle {now}")
    for side in everyone:
        if side.one.mutation is None:
            assert min(side.good, side.bad) > 8, (side.one.name, side.good, side.bad)
            assert side.ivs > (3 if side.interval == 1 else 1), (side.one.name, side.ivs)
            assert side.over > 2 or side.one["CountBits"] > 4, (side.one.name, side.over)
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_gcm_tag(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

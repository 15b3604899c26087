# SPDX-License-Identifier: Apache-2.0
"""aesforge_ghash: against GHASH as SP 800-38D Sec. 6.4 writes it, one product after the other."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate
from sections import in_left

from aesforge.reference import block_product

M = "aesforge_ghash"
NAMES = ("Slots", "Ahead", "Stages", "Digit", "Blocks")
SHAPES = {
    "4, 1": (2, 4, 1, 8, 1),
    "4, 2": (3, 4, 2, 8, 1),
    "8, 3": (2, 8, 3, 8, 1),
    "8, 6": (4, 8, 6, 8, 1),
    "16, 7": (2, 16, 7, 8, 1),
    "16, 10": (5, 16, 10, 8, 1),
    "two blocks": (3, 4, 2, 8, 2),
    "four blocks": (2, 8, 6, 8, 4),
    # One sum.
    "by 32": (3, 1, 6, 32, 1),
    "by 16": (5, 1, 6, 16, 1),
    "by 4": (2, 1, 6, 4, 1),
}
MUTANT_SHAPE = SHAPES["4, 2"]
MUTATIONS = {
    "the sums of the packet before": Mutation(M, "!in_first && seen_q", "seen_q"),
    "sums of blocks that were not": Mutation(M, "!in_first && seen_q[SumBits]", "!in_first"),
    "seen too few": Mutation(
        M, "if (in_first) seen_q <= (SumBits + 1)'(1)", "if (in_first) seen_q <= '0"
    ),
    "no sums": Mutation(M, "(wait_add_q ? sums[wait_sum_q] : '0)", "'0"),
    "the sum of another block": Mutation(M, "sums[wait_sum_q]", "sums[wait_sum_q+1'b1]"),
    "a sum too few": Mutation(M, "sum_q <= sum_q + 1'b1", "sum_q <= sum_q + 2'd2"),
    "the sum of a later block": Mutation(M, ": sum_at_q[Stages-1];", ": sum_at_q[Stages];"),
    "the highest power for all": Mutation(
        M, "Blocks > 1 || is_final ? in_left[PowerBits-1:0] - PowerBits'(b) : '1", "'1"
    ),
    "a power too low": Mutation(M, "- PowerBits'(b) : '1", "- PowerBits'(b) : '1 - 1"),
    "the powers of another slot": Mutation(
        M, ".read_place({slot_q, power_q[b]})", ".read_place(WalkBits'(power_q[b]))"
    ),
    "powers are not written": Mutation(M, ".write(write_valid || zeroize)", ".write(zeroize)"),
    "a block is hashed later": Mutation(
        M, "out_valid <= valid_at_q[Stages];", "out_valid <= valid_at_q[Stages-1];"
    ),
    "a reset keeps blocks": Mutation(
        M, "if (rst || zeroize) valid_at_q", "if (zeroize) valid_at_q"
    ),
    "gaps count": Mutation(M, "valid_q <= in_valid;", "valid_q <= 1'b1;"),
    "the hash of the packet before": Mutation(M, "(in_first || !some_final_q)", "!some_final_q"),
    "the hash of a packet that went on": Mutation(M, "(in_first || !some_final_q)", "in_first"),
    "each product is a hash of its own": Mutation(M, "start_at_q[Stages] ? '0 : out_hash", "'0"),
    "zeroization keeps powers": Mutation(
        M, ".write_place(zeroize ? walk_q :", ".write_place(zeroize ? walk_q & 1'b1 :"
    ),
    "zeroization keeps some powers": Mutation(
        M, "zeroize ? walk_q + 1'b1", "zeroize ? walk_q + 2'd2"
    ),
    "zeroization keeps sums": Mutation(
        M, "sum_write_q <= valid_at_q[Stages-1] || zeroize;", "sum_write_q <= valid_at_q[Stages-1];"
    ),
    "zeroization keeps the block": Mutation(
        M, "if (zeroize) {block_q, add_q}", "if (zeroize) add_q"
    ),
    "zeroization keeps the hash": Mutation(M, "if (zeroize) out_hash <= '0;", ""),
}
WIDE_SHAPE = SHAPES["two blocks"]
WIDE_MUTATIONS = {
    "blocks: the power of the first": Mutation(
        M, "in_left[PowerBits-1:0] - PowerBits'(b)", "in_left[PowerBits-1:0]"
    ),
    "blocks: the powers of final beats for all": Mutation(
        M, "Blocks > 1 || is_final ? in_left", "is_final ? in_left"
    ),
    "blocks: the product of the first": Mutation(
        M, "for (int b = 1; b < Blocks; b++) product ^= products[b];", ""
    ),
    "blocks: the sum is added to the last": Mutation(
        M,
        "left_q[128*Blocks-1-:128] <= wait_block_q[128*Blocks-1-:128]",
        "left_q[127:0] <= wait_block_q[127:0]",
    ),
    "blocks: they change places": Mutation(
        M, ".a(left_q[128*(Blocks-1-b)+:128])", ".a(left_q[128*b+:128])"
    ),
    "blocks: zeroization keeps powers": Mutation(
        M,
        "zeroize ? walk_q + 1'b1",
        "zeroize && walk_q != WalkBits'(Powers - Ahead) ? walk_q + 1'b1",
    ),
}
SERIAL_SHAPE = SHAPES["by 32"]
SERIAL_MUTATIONS = {
    "one sum: the packet before": Mutation(M, "zeroize || begin_packet", "zeroize"),
    "one sum: no sum": Mutation(M, "in_block ^ out_hash", "in_block"),
    "one sum: another subkey": Mutation(M, ".b(keys[in_slot])", ".b(keys[0])"),
    "one sum: subkeys are not written": Mutation(
        M, "if (write_valid || zeroize) keys", "if (zeroize) keys"
    ),
    "one sum: subkeys of one slot": Mutation(
        M, "keys[zeroize?key_walk_q : write_slot]", "keys[zeroize ? key_walk_q : '0]"
    ),
    "one sum: zeroization keeps subkeys": Mutation(
        M, "if (write_valid || zeroize) keys", "if (write_valid) keys"
    ),
    "one sum: zeroization keeps some subkeys": Mutation(
        M, "zeroize ? key_walk_q + 1'b1", "zeroize ? '0"
    ),
    "one sum: zeroization keeps the sum": Mutation(
        M, ".zeroize(zeroize || begin_packet)", ".zeroize(begin_packet)"
    ),
}


def slot_bits(one: Instance) -> int:
    return (one["Slots"] - 1).bit_length()


def make_bench() -> Bench:
    bench = Bench({"rst": 1})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        slots, ahead, _, _, blocks = shape
        width, power = (slots - 1).bit_length(), max(1, (ahead * blocks - 1).bit_length())
        if ahead > 1:
            inner = [f"sums[{i}]" for i in range(ahead)]
            for block in range(blocks):
                own = f"gen_block[{block}]"
                places = range(2**width * ahead * blocks)
                inner += [f"{own}.u_powers.gen_block.memory[{i}]" for i in places]
                inner += [f"{own}.right_q"]
                at = f"[{128 * block + 127}:{128 * block}]"
                inner += [f"{name}{at}" for name in ("block_q", "wait_block_q", "left_q")]
            inner += ["product"]
            inner = [f"gen_sums.{one}" for one in inner]
        else:
            inner = [f"gen_serial.keys[{i}]" for i in range(2**width)]
            inner += [f"gen_serial.u_multiply.{one}" for one in ("a_q", "b_q")]
        probes = {re.sub(r"\W", "_", path): (path, 128) for path in inner}
        bench.add(
            name,
            M,
            dict(zip(NAMES, shape, strict=True)),
            inputs={
                **{"zeroize": 1, "begin_packet": 1},
                **{"in_valid": 1, "in_first": 1, "in_block": 128 * blocks},
                **{"in_left": power + 1, "in_slot": width, "write_valid": 1},
                **{"write_slot": width, "write_power": power, "write_value": 128},
            },
            outputs={"out_valid": 1, "out_hash": 128},
            probes=probes,
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, MUTANT_SHAPE, mutation)
    for name, mutation in WIDE_MUTATIONS.items():
        add(name, WIDE_SHAPE, mutation)
    for name, mutation in SERIAL_MUTATIONS.items():
        add(name, SERIAL_SHAPE, mutation)
    return bench


class Side:
    """One instance: its subkeys, the packet that goes in, and the hashes that are due."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.serial = one["Ahead"] == 1
        # Cycles from a block to its hash, and to the next block at the earliest.
        self.latency = 128 // one["Digit"] + 1 if self.serial else one["Stages"] + 4
        self.interval = self.latency if self.serial else 1
        self.restart()

    def restart(self) -> None:
        self.keys: dict[int, int] = {}
        self.writes: list[dict[str, int]] = []
        self.left: list[list[int]] = []  # blocks of the beats of the packet that is going in
        self.first = True
        self.slot = 0
        self.hash = 0
        self.due: dict[int, int | None] = {}  # cycle -> hash, of the last block of a packet
        self.next = 0  # the cycle from which on a block may come
        self.began = False
        self.hashes = 0
        self.last_use: dict[int, int] = {}  # slot -> cycle

    def load(self, slot: int) -> None:
        """Write the powers of a new subkey."""
        key = self.draw.getrandbits(128)
        power = key
        self.keys.pop(slot, None)
        self.writes = []
        for number in range(self.one["Ahead"] * self.one["Blocks"]):
            self.writes.append({"write_slot": slot, "write_power": number, "write_value": power})
            power = block_product(power, key)
        self.loading = slot, key

    def offer(self, now: int, share: float) -> dict[str, int]:
        draw, one = self.draw, self.one
        blocks = one["Blocks"]
        values = {"in_block": draw.getrandbits(128), "in_slot": draw.randrange(one["Slots"])}
        values |= {"in_left": draw.randrange(one["Ahead"]), "in_first": draw.getrandbits(1)}
        if not self.writes and (len(self.keys) < one["Slots"] or draw.random() < 0.02):
            slot = draw.randrange(one["Slots"])
            # A subkey changes when no block inside needs it.
            inside = bool(self.left) and slot == self.slot
            if not inside and self.last_use.get(slot, -99) + self.latency < now:
                self.load(slot)
        if self.writes and draw.random() < 0.8:
            values |= {"write_valid": 1, **self.writes.pop(0)}
            if not self.writes:
                # Present in the next cycle.
                slot, key = self.loading
                self.keys[slot] = key
                return values
        if not self.left and self.keys:
            lengths = (*range(1, 41), *([1, 2, 3] * 8), one["Ahead"], one["Ahead"] + 1)
            if self.serial:
                lengths = (1, 1, 2, 3, 5)
            sizes = [
                draw.choice((blocks, blocks, draw.randint(1, blocks)))
                for _ in range(draw.choice(lengths))
            ]
            self.left = [[draw.getrandbits(128) for _ in range(size)] for size in sizes]
            self.slot, self.first, self.hash = draw.choice([*self.keys]), True, 0
            self.began = False
        if self.serial and not self.began:
            # The packet may begin when the hash of the one before has been there for a cycle.
            values["begin_packet"] = int(now >= self.next and bool(self.left))
            self.began = bool(values["begin_packet"])
            return values
        if self.left and now >= self.next and draw.random() < share:
            values |= {
                "in_left": in_left([*map(len, self.left)], one["Ahead"], blocks),
                "in_slot": self.slot,
            }
            beat = self.left.pop(0)
            self.next = now + self.interval
            word = 0
            for number in range(blocks):
                word = word << 128 | (beat[number] if number < len(beat) else 0)
            values |= {"in_valid": 1, "in_block": word, "in_first": int(self.first)}
            for block in beat:
                self.hash = block_product(self.hash ^ block, self.keys[self.slot])
            self.first = False
            self.last_use[self.slot] = now
            self.due[now + self.latency] = None if self.left else self.hash
        return values

    def check(self, faults: Faults, outputs: Any, now: int) -> None:
        got = outputs.of(self.one, "out_valid")
        faults.check(self.one, got, int(now in self.due), f"a hash in cycle {now}")
        due = self.due.pop(now, None)
        if due is not None:
            self.hashes += 1
            got = outputs.of(self.one, "out_hash")
            faults.check(self.one, got, due, f"hash in cycle {now}")


@cocotb.test()
async def hashes_are_right(dut: Any) -> None:
    """Packets of 1 to 40 blocks under several subkeys, with and without gaps; resets in flight."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    sides = [Side(one, 90 + i) for i, one in enumerate(bench.instances)]
    hashes = dict.fromkeys(SHAPES, 0)
    # Memories start at random values, which nothing may use.
    for restart in ("rst", "zeroize", "rst"):
        share = {"rst": 1.0, "zeroize": 0.5}[restart]
        if restart == "rst":
            await driver.cycle({"rst": 1}, {side.one.name: side.offer(0, 1.0) for side in sides})
        else:
            await zeroized(driver, sides, faults)
        for side in sides:
            side.restart()
        for _ in range(700):
            now = driver.number
            own = {side.one.name: side.offer(now, share) for side in sides}
            outputs = await driver.cycle({}, own)
            for side in sides:
                side.check(faults, outputs, now)
        for side in sides:
            if side.one.mutation is None:
                hashes[side.one.name] += side.hashes
    assert min(hashes.values()) > 15, hashes
    bench.judge(faults)


async def zeroized(driver: Driver, sides: list[Side], faults: Faults) -> None:
    """Zeroize each for as long as it needs, whatever blocks come; then it is zero."""
    until = {
        side.one.name: 2 ** slot_bits(side.one) * side.one["Ahead"] * side.one["Blocks"]
        + (1 if side.serial else side.one["Stages"] + 4)
        for side in sides
    }
    for cycle in range(max(until.values()) + 1):
        own = {
            side.one.name: {
                **{"zeroize": 1, "in_block": side.draw.getrandbits(128), "in_valid": 1},
            }
            for side in sides
            if cycle < until[side.one.name]
        }
        outputs = await driver.cycle({}, own, probes=cycle in until.values())
        for side in sides:
            one = side.one
            for port in (*one.probes, "out_hash") if cycle == until[one.name] else ():
                faults.check(one, outputs.of(one, port), 0, f"{port} after zeroization")


@pytest.mark.usefixtures("mutants")
def test_aesforge_ghash(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


@pytest.mark.parametrize("parameters", [{"Ahead": 12}, {"Ahead": 4, "Stages": 3}])
def test_illegal_sets_are_refused(parameters: dict[str, int]) -> None:
    fine, said = elaborate(M, parameters)
    assert not fine
    assert "ahead must be 1 or a power of two, at least stages + 2" in said

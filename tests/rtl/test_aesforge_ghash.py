# SPDX-License-Identifier: Apache-2.0
"""aesforge_ghash: against GHASH as SP 800-38D Sec. 6.4 writes it, one product after the other."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate

from aesforge.reference import block_product

M = "aesforge_ghash"
# Slots, Ahead, Stages
SHAPES = {
    "4, 1": (2, 4, 1),
    "4, 2": (3, 4, 2),
    "8, 3": (2, 8, 3),
    "8, 6": (4, 8, 6),
    "16, 7": (2, 16, 7),
    "16, 10": (5, 16, 10),
}
MUTANT_SHAPE = SHAPES["4, 2"]
MUTATIONS = {
    "the sums of the packet before": Mutation(M, "!in_first && seen_q", "seen_q"),
    "sums of blocks that were not": Mutation(M, "!in_first && seen_q[PowerBits]", "!in_first"),
    "seen too few": Mutation(
        M, "if (in_first) seen_q <= (PowerBits + 1)'(1)", "if (in_first) seen_q <= '0"
    ),
    "no sums": Mutation(M, "(add_q ? sums[sum_q] : '0)", "'0"),
    "the sum of another block": Mutation(M, "sums[sum_q]", "sums[sum_q+1'b1]"),
    "a sum too few": Mutation(M, "sum_q <= sum_q + 1'b1", "sum_q <= sum_q + 2'd2"),
    "the sum of a later block": Mutation(M, ": sum_at_q[Stages]]", ": sum_at_q[Stages-1]]"),
    "the highest power for all": Mutation(M, "is_final ? in_left[PowerBits-1:0] : '1", "'1"),
    "a power too low": Mutation(
        M, "in_left[PowerBits-1:0] : '1", "in_left[PowerBits-1:0] : '1 - 1"
    ),
    "the powers of another slot": Mutation(M, "powers[{slot_q, power_q}]", "powers[{'0, power_q}]"),
    "powers are not written": Mutation(
        M, "if (write_valid || zeroize) begin", "if (zeroize) begin"
    ),
    "gaps count": Mutation(M, "valid_q <= in_valid;", "valid_q <= 1'b1;"),
    "the hash of the packet before": Mutation(M, "(in_first || !some_final_q)", "!some_final_q"),
    "the hash of a packet that went on": Mutation(M, "(in_first || !some_final_q)", "in_first"),
    "each product is a hash of its own": Mutation(M, "start_at_q[Stages] ? '0 : out_hash", "'0"),
    "zeroization keeps powers": Mutation(M, "zeroize ? '0 : write_value", "write_value"),
    "zeroization keeps some powers": Mutation(
        M, "zeroize ? walk_q + 1'b1", "zeroize ? walk_q + 2'd2"
    ),
    "zeroization keeps sums": Mutation(
        M, "if (valid_at_q[Stages] || zeroize) begin", "if (valid_at_q[Stages]) begin"
    ),
    "zeroization keeps the block": Mutation(
        M, "if (zeroize) {block_q, add_q}", "if (zeroize) add_q"
    ),
    "zeroization keeps the hash": Mutation(M, "if (zeroize) out_hash <= '0;", ""),
}


def slot_bits(one: Instance) -> int:
    return (one["Slots"] - 1).bit_length()


def make_bench() -> Bench:
    bench = Bench({"rst": 1})

    def add(name: str, shape: tuple[int, int, int], mutation: Mutation | None = None) -> None:
        slots, ahead, _ = shape
        width, power = (slots - 1).bit_length(), (ahead - 1).bit_length()
        probes = {f"power_{i}": (f"powers[{i}]", 128) for i in range(2**width * ahead)}
        probes |= {f"sum_{i}": (f"sums[{i}]", 128) for i in range(ahead)}
        probes |= {name: (name, 128) for name in ("block_q", "left_q", "right_q", "product")}
        bench.add(
            name,
            M,
            dict(zip(("Slots", "Ahead", "Stages"), shape, strict=True)),
            inputs={
                **{"zeroize": 1, "in_valid": 1, "in_first": 1, "in_block": 128},
                **{"in_left": power + 1, "in_slot": width, "write_valid": 1},
                **{"write_slot": width, "write_power": power, "write_value": 128},
            },
            outputs={"out_hash": 128},
            probes=probes,
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, MUTANT_SHAPE, mutation)
    return bench


class Side:
    """One instance: its subkeys, the packet that goes in, and the hashes that are due."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.restart()

    def restart(self) -> None:
        self.keys: dict[int, int] = {}
        self.writes: list[dict[str, int]] = []
        self.left: list[int] = []  # blocks of the packet that is going in
        self.first = True
        self.slot = 0
        self.hash = 0
        self.due: dict[int, int] = {}  # cycle -> hash
        self.hashes = 0
        self.last_use: dict[int, int] = {}  # slot -> cycle

    def load(self, slot: int) -> None:
        """Write the powers of a new subkey."""
        key = self.draw.getrandbits(128)
        power = key
        self.keys.pop(slot, None)
        self.writes = []
        for number in range(self.one["Ahead"]):
            self.writes.append({"write_slot": slot, "write_power": number, "write_value": power})
            power = block_product(power, key)
        self.loading = slot, key

    def offer(self, now: int, share: float) -> dict[str, int]:
        draw, one = self.draw, self.one
        values = {"in_block": draw.getrandbits(128), "in_slot": draw.randrange(one["Slots"])}
        values |= {"in_left": draw.randrange(one["Ahead"]), "in_first": draw.getrandbits(1)}
        if not self.writes and (len(self.keys) < one["Slots"] or draw.random() < 0.02):
            slot = draw.randrange(one["Slots"])
            # A subkey changes when no block inside needs it.
            inside = bool(self.left) and slot == self.slot
            if not inside and self.last_use.get(slot, -99) + one["Stages"] + 3 < now:
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
            self.left = [draw.getrandbits(128) for _ in range(draw.choice(lengths))]
            self.slot, self.first, self.hash = draw.choice([*self.keys]), True, 0
        if self.left and draw.random() < share:
            block = self.left.pop(0)
            values |= {"in_valid": 1, "in_block": block, "in_first": int(self.first)}
            values |= {"in_left": min(len(self.left), one["Ahead"]), "in_slot": self.slot}
            self.hash = block_product(self.hash ^ block, self.keys[self.slot])
            self.first = False
            self.last_use[self.slot] = now
            if not self.left:
                self.due[now + one["Stages"] + 3] = self.hash
        return values

    def check(self, faults: Faults, outputs: Any, now: int) -> None:
        if now in self.due:
            self.hashes += 1
            got = outputs.of(self.one, "out_hash")
            faults.check(self.one, got, self.due.pop(now), f"hash in cycle {now}")


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
        for _ in range(380):
            now = driver.number
            own = {side.one.name: side.offer(now, share) for side in sides}
            outputs = await driver.cycle({}, own)
            for side in sides:
                side.check(faults, outputs, now)
        for side in sides:
            if side.one.mutation is None:
                hashes[side.one.name] += side.hashes
    assert min(hashes.values()) > 40, hashes
    bench.judge(faults)


async def zeroized(driver: Driver, sides: list[Side], faults: Faults) -> None:
    """Zeroize each for as long as it needs, whatever its inputs hold; then it is zero."""
    until = {
        side.one.name: 2 ** slot_bits(side.one) * side.one["Ahead"] + side.one["Stages"] + 3
        for side in sides
    }
    for cycle in range(max(until.values()) + 1):
        own = {
            side.one.name: {
                **{"zeroize": 1, "in_block": side.draw.getrandbits(128)},
                **{"in_valid": 1, "write_value": side.draw.getrandbits(128)},
            }
            for side in sides
            if cycle < until[side.one.name]
        }
        outputs = await driver.cycle({}, own, probes=cycle in until.values())
        for side in sides:
            one = side.one
            for port in (*one.probes, "out_hash") if cycle == until[one.name] else ():
                faults.check(one, outputs.of(one, port), 0, f"{port} after zeroization")


def test_aesforge_ghash(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


@pytest.mark.parametrize("parameters", [{"Ahead": 12}, {"Ahead": 4, "Stages": 3}])
def test_illegal_sets_are_refused(parameters: dict[str, int]) -> None:
    fine, said = elaborate(M, parameters)
    assert not fine
    assert "ahead must be a power of two, at least stages + 2" in said

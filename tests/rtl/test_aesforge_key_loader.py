# SPDX-License-Identifier: Apache-2.0
"""aesforge_key_loader: which slots hold a key and when, the waiting, and that no copy stays."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from fips197 import round_keys, rounds, step_forward
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs

NAMES = ("KeyBits", "SboxStages", "LinearStages", "Slots", "Latency", "StoreDelay")
SHAPES = (
    *((128, 0, 1, 2, 11, 0), (128, 1, 2, 5, 31, 0), (192, 1, 0, 3, 13, 1), (192, 0, 2, 4, 6, 0)),
    *((256, 1, 1, 16, 29, 1), (256, 0, 1, 2, 15, 0), (128, 1, 2, 3, 31, 1)),
)
LATE = 6  # the last shape
M = "aesforge_key_loader"
LAST = Mutation(M, "if (last_q) begin", "if (expand_valid && expand_round == 4'(Nr)) begin")
VALID = "slot_valid[s] <= 1'b0;"
WAIT = "slot_held ? Wait : Start"
MUTATIONS = {
    "no wait": Mutation(M, WAIT, "Start"),
    "waits a cycle less": Mutation(
        M, "wait_q <= WaitBits'(Latency)", "wait_q <= WaitBits'(Latency - 1)"
    ),
    "waits always": Mutation(M, WAIT, "Wait"),
    "the slot stays valid": Mutation(M, VALID, "slot_valid[s] <= slot_valid[s];"),
    "all slots wait": Mutation(M, f"if (key_slot == SlotBits'(s)) {VALID}", VALID),
    "the key stays": Mutation(M, "if (state_q == Expand) key_q <= '0;", ""),
    "the port overwrites no key": Mutation(
        M, "        key_q <= key;", "        if (key_valid) key_q <= key;"
    ),
    "the expansion is not zeroized": Mutation(M, ".zeroize(state_q == Idle)", ".zeroize(1'b0)"),
    "zeroize forgets no slot": Mutation(M, "if (rst || zeroize) begin", "if (rst) begin"),
    "the slot is valid before its last round key": LAST,
    "a round key is written after zeroize": Mutation(
        M, "expand_valid && state_q != Idle", "expand_valid"
    ),
    "a round key is written after rst": Mutation(M, "state_q != Idle && !rst", "state_q != Idle"),
}
LATE_MUTATIONS = {"the slot is valid before the stage in front of the stores": LAST}


def make_bench() -> Bench:
    inputs = {"rst": 1, "zeroize": 1, "key_valid": 1, "key_slot": 4, "key": 256}
    bench = Bench(inputs)

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        parameters = dict(zip(NAMES, shape, strict=True))
        slots, bits = parameters["Slots"], parameters["KeyBits"]
        slot_bits = (slots - 1).bit_length()
        bench.add(
            name,
            M,
            parameters,
            shared=inputs | {"key_slot": slot_bits, "key": bits},
            outputs={
                **{"key_ready": 1, "write_valid": 1, "write_round": 4, "write_slot": slot_bits},
                **{"write_key": 128, "slot_valid": slots},
            },
            probes={"key_q": ("key_q", bits), "window": ("u_key_expand.window", bits)},
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"{', '.join(NAMES)} = {shape}", shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES[1], mutation)
    for name, mutation in LATE_MUTATIONS.items():
        add(name, SHAPES[LATE], mutation)
    return bench


class Model:
    """Times as the page gives them. A load writes from cycle `start` on, its last before `end`."""

    def __init__(self, one: Instance) -> None:
        self.one = one
        self.stages = one["SboxStages"] + one["LinearStages"]
        self.nr = rounds(one["KeyBits"])
        self.slot = self.key = 0
        self.slots = 2 ** (one["Slots"] - 1).bit_length()
        self.zeroized = 0  # in the cycle before
        self.forget(0)
        self.clean = False  # the load before this one ended, or zeroization did
        self.loads = [0, 0]  # into empty slots, into others

    def forget(self, now: int) -> None:
        self.valid: set[int] = set()
        self.taken: int | None = None
        self.start = self.end = -1
        self.port = 0  # the key at the port in the cycle before
        self.ended = False  # the last load ended, and was not zeroized
        self.since = now

    def cycle(self, now: int, given: dict[str, int], outputs: Outputs, faults: Faults) -> None:
        one, bits, zeroize = self.one, self.one["KeyBits"], given["zeroize"]

        def check(port: str, value: int) -> None:
            faults.check(one, outputs.of(one, port), value, f"{port} in cycle {now}")

        if self.taken is not None and now > self.end:
            self.taken, self.clean, self.since, self.ended = None, True, now, True
            if self.slot < one["Slots"]:
                self.valid.add(self.slot)
        idle = self.taken is None
        check("key_ready", int(idle and not zeroize))
        check("slot_valid", sum(1 << slot for slot in self.valid))
        r, rest = divmod(now - self.start, self.stages)
        writes = not idle and rest == 0 and 0 <= r <= self.nr
        if not zeroize and not self.zeroized:
            check("write_valid", int(writes))
            if writes:
                check("write_round", r)
                check("write_slot", self.slot)
                check("write_key", round_keys(self.key, bits)[r])
        if idle and self.clean:
            # No second copy of the key stays: neither here, where the port is followed, nor in the
            # ring of the expansion, which then holds what follows from zero.
            if now > self.since or self.ended:
                check("key_q", self.port if now > self.since else 0)
            if now - self.since >= 2 * self.stages:
                check("window", step_forward(0, bits, 1)[0])
        self.port = given["key"] % 2**bits
        if given["key_valid"] and idle and not zeroize:
            self.taken, self.slot = now, given["key_slot"] % self.slots
            self.key = self.port
            held = self.slot in self.valid
            self.loads[held] += 1
            self.valid.discard(self.slot)
            begins = now + 1 + held * one["Latency"]
            # From a register here, or from the expansion to one after it.
            self.start = begins + 1 - one["StoreDelay"]
            self.end = begins + self.nr * self.stages + 1
        self.zeroized = zeroize
        if zeroize or given["rst"]:
            self.forget(now + 1)
            # A reset is no zeroization: it may leave the key it interrupted.
            self.clean = bool(zeroize)


@cocotb.test()
async def slots_are_loaded(dut: Any) -> None:
    """Keys as fast as they go, keys with gaps, zeroizes and resets at any time."""
    bench, draw, faults = make_bench(), random.Random(10), Faults()
    driver = Driver(dut, bench)
    models = [Model(one) for one in bench.instances]
    await driver.cycle({"rst": 1})
    for model in models:
        model.forget(driver.number)
    # Share of cycles with a key, with zeroization, with a reset; cycles.
    for share, zeroizes, resets, cycles in (
        *((1.0, 0, 0, 1200), (0.02, 0, 0, 1200), (1.0, 0.01, 0, 900)),
        *((0.2, 0.01, 0, 500), (0.5, 0, 0.05, 900), (1.0, 0, 0, 500)),
    ):
        for _ in range(cycles):
            given = {
                "rst": int(draw.random() < resets),
                "zeroize": int(draw.random() < zeroizes),
                "key_valid": int(draw.random() < share),
                # Mostly slots that all have, so that they are loaded again.
                "key_slot": draw.choice((0, 1, 0, 1, draw.randrange(16))),
                "key": draw.getrandbits(256),
            }
            now = driver.number
            outputs = await driver.cycle(given, probes=True)
            for model in models:
                model.cycle(now, given, outputs, faults)
    bench.judge(faults)
    assert min(min(model.loads) for model in models if model.one.name not in bench.mutants) > 10


@pytest.mark.usefixtures("mutants")
def test_aesforge_key_loader(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

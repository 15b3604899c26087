# SPDX-License-Identifier: Apache-2.0
"""aesforge_slot_key_interlock: when a key may go to the core, and what the next packet finds."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs

M, KEYS = "aesforge_slot_key_interlock", "aesforge_key_interlock"
BITS = 128
SHAPES = {"2 slots": (2, 0), "3 slots, 4 stages": (3, 4), "5 slots": (5, 0)}
MUTATIONS = {
    "a key into an open packet": Mutation(M, "if (!pending || used) drain", "if (!pending) drain"),
    "all slots wait": Mutation(M, "use_valid && use_slot == key_slot", "use_valid"),
    "blocks on their way are forgotten": Mutation(M, "drain_q != '0),", "1'b0),"),
    "a step too few": Mutation(M, "StageBits'(Stages + 1)", "StageBits'(Stages - 1)"),
    "counts cycles, not steps": Mutation(M, "else if (step && drain_q", "else if (drain_q"),
    "a reset keeps the slots": Mutation(KEYS, "if (rst || zeroize)", "if (zeroize)", (M,)),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int], mutation: Mutation | None = None) -> None:
        slots = (shape[0] - 1).bit_length()
        bench.add(
            name,
            M,
            {"KeyBits": BITS, "Slots": shape[0], "Stages": shape[1]},
            inputs={
                **{"s_key_tvalid": 1, "s_key_slot": slots, "s_key_tdata": BITS, "key_ready": 1},
                **{"next_slot": slots, "use_valid": 1, "use_slot": slots, "step": 1},
            },
            outputs={
                **{"s_key_tready": 1, "key_valid": 1, "key_slot": slots, "key": BITS},
                **{"next_stall": 1, "next_unknown": 1},
            },
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["3 slots, 4 stages"], mutation)
    return bench


class Model:
    """One key waits, one is with the loader; a packet comes, blocks walk after it."""

    def __init__(self, one: Instance) -> None:
        self.one = one
        self.width = 2 ** one.inputs["use_slot"][1]
        self.offer: tuple[int, int] | None = None
        self.forwarded = 0
        self.reset()

    def reset(self) -> None:
        self.pending: tuple[int, int] | None = None
        self.loading: int | None = None
        self.busy = 0  # cycles that the loader still takes
        self.known: set[int] = set()
        self.packet: int | None = None
        self.stages: list[int | None] = [None] * self.one["Stages"]
        self.since = 0  # steps since a packet under the waiting key's slot was seen

    def given(self, draw: random.Random) -> dict[str, int]:
        if self.offer is None and draw.random() < 0.3:
            self.offer = draw.randrange(self.width), draw.getrandbits(BITS)
        if self.packet is None or draw.random() < 0.1:
            self.packet = draw.choice([None, *range(self.width)])
            # A packet does not begin while the guard tells it to wait.
            if self.pending and self.packet == self.pending[0]:
                self.packet = None
            if self.busy and self.packet == self.loading:
                self.packet = None
        slot, key = self.offer or (0, 0)
        self.values = {
            "s_key_tvalid": int(self.offer is not None),
            "s_key_slot": slot,
            "s_key_tdata": key,
            "key_ready": int(self.busy == 0),
            "next_slot": draw.randrange(self.width),
            "use_valid": int(self.packet is not None),
            "use_slot": self.packet if self.packet is not None else draw.randrange(self.width),
            "step": int(draw.random() < 0.6),
        }
        return self.values

    def cycle(self, now: int, outputs: Outputs, faults: Faults) -> None:
        one, values = self.one, self.values

        def check(port: str, value: int) -> None:
            faults.check(one, outputs.of(one, port), value, f"{port} in cycle {now}")

        check("s_key_tready", int(self.pending is None))
        slot = values["next_slot"]
        check("next_unknown", int(slot not in self.known))
        waits = bool(self.pending and self.pending[0] == slot)
        waits |= bool(self.busy and self.loading == slot)
        check("next_stall", int(waits and slot in self.known))
        valid = outputs.of(one, "key_valid")
        if self.pending is None:
            check("key_valid", 0)
        else:
            # Safe: nothing under the slot is before the core. Live: not later than the page says.
            used = self.packet == self.pending[0]
            if used or self.pending[0] in self.stages:
                check("key_valid", 0)
            if used:
                self.since = 0
            elif self.since > one["Stages"] + 1:
                check("key_valid", 1)
            if not used and values["step"]:
                self.since += 1
            if valid:
                check("key_slot", self.pending[0])
                check("key", self.pending[1])
        if values["step"] and self.stages:
            self.stages = [self.packet, *self.stages[:-1]]
        if self.busy:
            self.busy -= 1
        if valid and values["key_ready"] and self.pending:
            self.loading, self.busy, self.pending = self.pending[0], 9, None
            self.forwarded += 1
        elif values["s_key_tvalid"] and outputs.of(one, "s_key_tready") and self.pending is None:
            assert self.offer
            self.pending, self.offer, self.since = self.offer, None, 0
            if self.pending[0] < one["Slots"]:
                self.known.add(self.pending[0])


@cocotb.test()
async def keys_and_packets_stay_apart(dut: Any) -> None:
    """Keys and packets at random; then zeroization and a reset."""
    bench, draw, faults = make_bench(), random.Random(5), Faults()
    driver = Driver(dut, bench)
    models = [Model(one) for one in bench.instances]
    for restart in ("rst", "zeroize", "rst"):
        await driver.cycle({restart: 1})
        for model in models:
            model.reset()
        for _ in range(1500):
            own = {model.one.name: model.given(draw) for model in models}
            now = driver.number
            outputs = await driver.cycle({}, own)
            for model in models:
                model.cycle(now, outputs, faults)
    bench.judge(faults)
    assert all(model.forwarded > 50 for model in models if model.one.mutation is None)


def test_aesforge_slot_key_interlock(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

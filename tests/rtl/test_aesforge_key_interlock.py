# SPDX-License-Identifier: Apache-2.0
"""aesforge_key_interlock: the key that waits, the slots that have one, and what holds it back."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs

M = "aesforge_key_interlock"
BITS = 128
SHAPES = {"2 slots": 2, "3 slots": 3, "16 slots": 16}
WAITS = "(pending && next_slot == key_slot) || (!key_ready && next_slot == loading_q)"
MUTATIONS = {
    "accepts a key against the hold": Mutation(M, " && !accept_hold", ""),
    "accepts a second key": Mutation(M, "s_key_tready = !pending && ", "s_key_tready = "),
    "loads a key against the hold": Mutation(M, " && !load_hold", ""),
    "the key changes while it waits": Mutation(M, "if (!pending) begin", "if (1'b1) begin"),
    "no wait for the loader": Mutation(M, WAITS, "(pending && next_slot == key_slot)"),
    "no wait for a key that waits": Mutation(M, WAITS, "(!key_ready && next_slot == loading_q)"),
    "all slots wait for the loader": Mutation(
        M, "(!key_ready && next_slot == loading_q)", "!key_ready"
    ),
    "a slot without a key waits": Mutation(
        M, "next_stall = !next_unknown\n      &&", "next_stall ="
    ),
    "slots that are not there": Mutation(M, "<= 32'(s_key_slot) < Slots", "<= 1'b1"),
    "the key stays": Mutation(M, "if (!pending) begin", "if (!pending && s_key_tvalid) begin"),
    "zeroization keeps the key": Mutation(M, "    if (zeroize) key <= '0;\n", ""),
    "zeroization accepts a key": Mutation(M, " && !zeroize &&", " &&"),
    "zeroization keeps the slots": Mutation(M, "if (rst || zeroize) begin", "if (rst) begin"),
    "a reset keeps the slots": Mutation(M, "if (rst || zeroize) begin", "if (zeroize) begin"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, slots: int, mutation: Mutation | None = None) -> None:
        bits = (slots - 1).bit_length()
        bench.add(
            name,
            M,
            {"KeyBits": BITS, "Slots": slots},
            inputs={
                **{"s_key_tvalid": 1, "s_key_slot": bits, "s_key_tdata": BITS, "accept_hold": 1},
                **{"load_hold": 1, "key_ready": 1, "next_slot": bits},
            },
            outputs={
                **{"s_key_tready": 1, "pending": 1, "key_valid": 1, "key_slot": bits, "key": BITS},
                **{"next_stall": 1, "next_unknown": 1},
            },
            mutation=mutation,
        )

    for name, slots in SHAPES.items():
        add(name, slots)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["3 slots"], mutation)
    return bench


class Model:
    """One key waits, one is with the loader, for a few cycles each."""

    def __init__(self, one: Instance) -> None:
        self.one = one
        self.places = 2 ** one.inputs["next_slot"][1]
        self.loaded = 0
        self.busy = 0  # cycles that the loader still takes
        self.loading: int | None = None
        self.reset(True)

    def reset(self, zeroed: bool) -> None:
        self.waiting: tuple[int, int] | None = None
        self.known: set[int] = set()
        # What the key's register holds when no key waits, if that is known.
        self.follows: int | None = 0 if zeroed else None

    def draw(self, draw: random.Random, zeroize: bool) -> dict[str, int]:
        self.zeroize = zeroize
        self.values = {
            "s_key_tvalid": int(draw.random() < 0.4),
            "s_key_slot": draw.randrange(self.places),
            "s_key_tdata": draw.getrandbits(BITS),
            "accept_hold": int(draw.random() < 0.3),
            "load_hold": int(draw.random() < 0.6),
            "key_ready": int(not self.busy),
            "next_slot": draw.randrange(self.places),
        }
        return self.values

    def cycle(self, now: int, outputs: Outputs, faults: Faults) -> None:
        one, values = self.one, self.values

        def check(port: str, value: int) -> None:
            faults.check(one, outputs.of(one, port), value, f"{port} in cycle {now}")

        ready = self.waiting is None and not values["accept_hold"] and not self.zeroize
        valid = self.waiting is not None and not values["load_hold"]
        slot = values["next_slot"]
        waits = bool(self.waiting and self.waiting[0] == slot)
        waits |= bool(self.busy and self.loading == slot)
        check("s_key_tready", int(ready))
        check("pending", int(self.waiting is not None))
        check("key_valid", int(valid))
        check("next_unknown", int(slot not in self.known))
        check("next_stall", int(waits and slot in self.known))
        if self.waiting is None and self.follows is not None:
            check("key", self.follows)
        if self.waiting:
            check("key_slot", self.waiting[0])
            check("key", self.waiting[1])
        self.busy = max(0, self.busy - 1)
        # It follows the port.
        self.follows = None if self.waiting else values["s_key_tdata"]
        if valid and self.waiting and values["key_ready"]:
            self.loading, self.busy = self.waiting[0], 5
            self.waiting = None
            self.loaded += 1
        elif ready and values["s_key_tvalid"]:
            self.waiting = values["s_key_slot"], values["s_key_tdata"]
            self.known.discard(self.waiting[0])
            if self.waiting[0] < one["Slots"]:
                self.known.add(self.waiting[0])
        if self.zeroize:
            self.reset(True)


@cocotb.test()
async def keys_wait_and_go_on(dut: Any) -> None:
    bench, draw, faults = make_bench(), random.Random(10), Faults()
    driver = Driver(dut, bench)
    models = [Model(one) for one in bench.instances]
    for _ in range(3):
        await driver.cycle({"rst": 1}, {m.one.name: {} for m in models})
        for model in models:
            model.reset(False)
        for _ in range(500):
            zeroize = draw.random() < 0.02
            own = {model.one.name: model.draw(draw, zeroize) for model in models}
            now = driver.number
            outputs = await driver.cycle({"zeroize": int(zeroize)}, own)
            for model in models:
                model.cycle(now, outputs, faults)
    bench.judge(faults)
    for model in models:
        assert model.one.mutation or model.loaded > 60, (model.one.name, model.loaded)


def test_aesforge_key_interlock(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

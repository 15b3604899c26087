# SPDX-License-Identifier: Apache-2.0
"""aesforge_context_key_interlock: when a key goes on, and what contexts find."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs

M = "aesforge_context_key_interlock"
BITS = 40
# Slots, Open, Wait
SHAPES = {"2 slots": (2, 8, 1), "3 slots": (3, 4, 6)}
MUTATIONS = {
    "a key does not wait": Mutation(M, ".load_hold(!waited)", ".load_hold(1'b0)"),
    "a key waits too little": Mutation(
        M, "wait_q == WaitBits'(Wait)", "wait_q == WaitBits'(Wait - 1)"
    ),
    "the second key does not wait": Mutation(M, "if (!pending) wait_q <= '0;\n    else if", "if"),
    "a key goes to a busy core": Mutation(M, "key_valid && key_ready", "key_valid"),
    "a key into an open packet": Mutation(M, "used[s_key_slot] || ", ""),
    "a key for the packet at the head": Mutation(
        M, " || (next_valid && next_slot == s_key_slot)", ""
    ),
    "a packet that has just begun": Mutation(
        M, "(begin_valid && next_slot == SlotBits'(s)) || up_q", "up_q"
    ),
    "a packet that is about to count": Mutation(M, "|| up_q || count_q", "|| count_q"),
    "packets of a slot are not counted": Mutation(M, "CountBits'(up_q)", "CountBits'(used[s])"),
    "the slot of another packet ends": Mutation(M, "<= slots[end_q]", "<= slots[begin_q]"),
    "a reset keeps what ends": Mutation(M, "end_valid_q, ended_q} <= '0", "end_valid_q} <= '0"),
    "a reset keeps the counts": Mutation(
        M, "{up_q, down_q, count_q, used[s]} <= '0", "{up_q, down_q, used[s]} <= '0"
    ),
    "ends do not count": Mutation(M, "end_q + OpenBits'(end_valid_q)", "end_q"),
    "begins do not count": Mutation(M, "begin_q + OpenBits'(begin_valid)", "begin_q"),
    "no context is coming": Mutation(M, "next_valid || begin_q != end_q", "1'b0"),
    "an accepted context is not coming": Mutation(
        M, "next_valid || begin_q != end_q", "next_valid"
    ),
    "a waiting context is not coming": Mutation(
        M, "next_valid || begin_q != end_q", "begin_q != end_q"
    ),
    "a reset keeps the packets": Mutation(
        M, "if (rst || zeroize) {begin_q", "if (zeroize) {begin_q"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int, int], mutation: Mutation | None = None) -> None:
        slot = (shape[0] - 1).bit_length()
        bench.add(
            name,
            M,
            {"KeyBits": BITS, "Slots": shape[0], "Open": shape[1], "Wait": shape[2]},
            inputs={
                **{"s_key_tvalid": 1, "s_key_slot": slot, "s_key_tdata": BITS, "key_ready": 1},
                **{"next_valid": 1, "next_slot": slot, "begin_valid": 1, "end_valid": 1},
            },
            outputs={
                **{"s_key_tready": 1, "key_load": 1, "key_slot": slot, "key": BITS},
                **{"next_stall": 1, "next_unknown": 1, "coming": 1},
            },
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["3 slots"], mutation)
    return bench


class Model:
    """One key waits, one is with the cores; packets begin and end in one order."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.loads = self.ended = 0
        self.reset()

    def reset(self) -> None:
        self.offer: tuple[int, int] | None = None
        self.pending: tuple[int, int] | None = None
        self.waited = 0  # cycles that it has waited
        self.loading, self.busy = 0, 0
        self.known: set[int] = set()
        self.open: deque[int] = deque()  # slots of the packets that have begun
        self.ending = 0  # one ended a cycle ago
        self.ended_slots: list[int | None] = [None] * 3  # and before, not counted yet
        self.head: int | None = None
        self.coming: int | None = None

    def stalls(self, slot: int) -> bool:
        pending = self.pending is not None and self.pending[0] == slot
        return slot in self.known and (pending or bool(self.busy and self.loading == slot))

    def given(self) -> dict[str, int]:
        draw, one = self.draw, self.one
        if self.offer is None and draw.random() < 0.3:
            self.offer = draw.randrange(one["Slots"]), draw.getrandbits(BITS)
        if self.head is None and draw.random() < 0.4:
            self.head = draw.randrange(one["Slots"])
        slot = draw.randrange(one["Slots"]) if self.head is None else self.head
        room = len(self.open) < one["Open"] - 1
        begins = self.head is not None and room and not self.stalls(slot) and draw.random() < 0.6
        offer = self.offer or (draw.randrange(one["Slots"]), 0)
        self.values = {
            **{"s_key_tvalid": int(self.offer is not None), "s_key_slot": offer[0]},
            **{"s_key_tdata": offer[1], "key_ready": int(not self.busy)},
            **{"next_valid": int(self.head is not None), "next_slot": slot},
            "begin_valid": int(begins),
            "end_valid": int(len(self.open) > self.ending and draw.random() < 0.4),
        }
        return self.values

    def after(self, now: int, outputs: Outputs, faults: Faults) -> None:
        one, values = self.one, self.values

        def check(port: str, value: int) -> None:
            faults.check(one, outputs.of(one, port), value, f"{port} in cycle {now}")

        slot, next_slot = values["s_key_slot"], values["next_slot"]
        before = values["next_valid"] and next_slot == slot
        used = slot in self.open or slot in self.ended_slots
        ready = self.pending is None and not used and not before
        loads = bool(self.pending and self.waited >= one["Wait"] and values["key_ready"])
        check("s_key_tready", int(ready))
        check("next_unknown", int(next_slot not in self.known))
        check("next_stall", int(self.stalls(next_slot)))
        check("key_load", int(loads))
        if self.pending:
            check("key_slot", self.pending[0])
            check("key", self.pending[1])
        if self.coming is not None:
            check("coming", self.coming)
        # What this cycle brings.
        self.coming = int(values["next_valid"] or bool(self.open))
        self.busy = max(0, self.busy - 1)
        if loads and self.pending:
            self.loading, self.busy = self.pending[0], self.draw.choice((7, 25))
            self.pending = None
            self.loads += 1
        elif self.pending:
            self.waited += 1
        elif self.offer and ready:
            self.pending, self.offer, self.waited = self.offer, None, 0
            self.known.add(self.pending[0])
        self.ended_slots.pop(0)
        self.ended_slots.append(self.open.popleft() if self.ending else None)
        self.ended += bool(self.ending)
        self.ending = values["end_valid"]
        if values["begin_valid"]:
            self.open.append(next_slot)
            self.head = None


@cocotb.test()
async def keys_and_contexts(dut: Any) -> None:
    """Keys all the time, packets of every slot, restarts with some of them open."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    models = [Model(one, 40 + i) for i, one in enumerate(bench.instances)]
    restarts = ("rst", "zeroize", "rst", *("zeroize", "rst") * 4)
    for number, restart in enumerate(restarts):
        await driver.cycle({restart: 1})
        for model in models:
            model.reset()
        for _ in range(900 if number < 3 else 100):
            own = {model.one.name: model.given() for model in models}
            now = driver.number
            outputs = await driver.cycle({}, own)
            for model in models:
                model.after(now, outputs, faults)
    bench.judge(faults)
    for model in models:
        if model.one.mutation is None:
            assert min(model.loads, model.ended) > 60, (model.one.name, model.loads, model.ended)


def test_aesforge_context_key_interlock(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

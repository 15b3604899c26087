# SPDX-License-Identifier: Apache-2.0
"""aesforge_stream_key_interlock: when a key is taken, and what the packets of all streams find."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs

M, KEYS = "aesforge_stream_key_interlock", "aesforge_key_interlock"
BITS = 128
SHAPES = {"2 slots": (2, 3), "3 slots": (3, 5), "5 slots, one stream": (5, 1)}
MUTATIONS = {
    "a key into an open packet": Mutation(M, "used[s_key_slot] || ", ""),
    "all slots wait": Mutation(M, "used[s_key_slot]", "used != '0"),
    "a key passes a packet": Mutation(M, " || (next_valid && next_slot == s_key_slot)", ""),
    "an end of another slot": Mutation(M, "end_slot == SlotBits'(s)", "next_slot == SlotBits'(s)"),
    "ends do not count": Mutation(M, "CountBits'(end_valid &&", "CountBits'(1'b0 &&"),
    "another stream's slot": Mutation(
        M, "end_slot = slots[end_stream]", "end_slot = slots[begin_stream]"
    ),
    "a key goes on at once": Mutation(M, ".load_hold,", ".load_hold(1'b0),"),
    "zeroization keeps the slots": Mutation(KEYS, "if (rst || zeroize)", "if (rst)", (M,)),
    "a reset keeps the packets": Mutation(M, "if (rst || zeroize) count_q", "if (zeroize) count_q"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int], mutation: Mutation | None = None) -> None:
        slots, streams = (max(1, (count - 1).bit_length()) for count in shape)
        bench.add(
            name,
            M,
            {"KeyBits": BITS, "Slots": shape[0], "Streams": shape[1]},
            inputs={
                **{"s_key_tvalid": 1, "s_key_slot": slots, "s_key_tdata": BITS, "key_ready": 1},
                "load_hold": 1,
                **{"next_valid": 1, "next_slot": slots, "begin_valid": 1, "begin_stream": streams},
                **{"end_valid": 1, "end_stream": streams},
            },
            outputs={
                **{"s_key_tready": 1, "key_valid": 1, "key_slot": slots, "key": BITS},
                "pending": 1,
                **{"next_stall": 1, "next_unknown": 1},
            },
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["3 slots"], mutation)
    return bench


class Model:
    """One key waits, one is with the loader; each stream has a packet or none."""

    def __init__(self, one: Instance) -> None:
        self.one = one
        self.places = 2 ** one.inputs["next_slot"][1]
        self.taken = 0
        self.reset()

    def reset(self) -> None:
        self.offer: tuple[int, int] | None = None
        self.pending: tuple[int, int] | None = None
        self.loading: int | None = None
        self.busy = 0  # cycles that the loader still takes
        self.known: set[int] = set()
        self.packets: dict[int, int] = {}  # stream -> slot
        self.head: int | None = None

    def waits(self, slot: int) -> bool:
        pending = self.pending is not None and self.pending[0] == slot
        return slot in self.known and (pending or bool(self.busy and self.loading == slot))

    def given(self, draw: random.Random) -> dict[str, int]:
        if self.offer is None and draw.random() < 0.3:
            self.offer = draw.randrange(self.places), draw.getrandbits(BITS)
        if self.head is None and draw.random() < 0.5:
            self.head = draw.randrange(self.places)
        slot = self.head if self.head is not None else draw.randrange(self.places)
        free = [stream for stream in range(self.one["Streams"]) if stream not in self.packets]
        begin = (
            self.head is not None
            and slot in self.known
            and not self.waits(slot)
            and bool(free)
            and draw.random() < 0.5
        )
        # A packet under a slot without a key goes by, and nobody counts it.
        self.passes = self.head is not None and slot not in self.known and draw.random() < 0.5
        end = bool(self.packets) and draw.random() < 0.3
        offer = self.offer or (draw.randrange(self.places), 0)
        self.values = {
            "s_key_tvalid": int(self.offer is not None),
            "s_key_slot": offer[0],
            "s_key_tdata": offer[1],
            "key_ready": int(self.busy == 0),
            "load_hold": int(draw.random() < 0.3),
            "next_valid": int(self.head is not None),
            "next_slot": slot,
            "begin_valid": int(begin),
            "begin_stream": draw.choice(free) if free else 0,
            "end_valid": int(end),
            "end_stream": draw.choice([*self.packets])
            if end
            else draw.randrange(self.one["Streams"]),
        }
        return self.values

    def cycle(self, now: int, outputs: Outputs, faults: Faults) -> None:
        one, values = self.one, self.values

        def check(port: str, value: int) -> None:
            faults.check(one, outputs.of(one, port), value, f"{port} in cycle {now}")

        slot, key = values["s_key_slot"], values["s_key_tdata"]
        used = slot in self.packets.values()
        before = values["next_valid"] and values["next_slot"] == slot
        ready = self.pending is None and not used and not before
        check("s_key_tready", int(ready))
        check("next_unknown", int(values["next_slot"] not in self.known))
        check("next_stall", int(self.waits(values["next_slot"])))
        check("pending", int(self.pending is not None))
        check("key_valid", int(self.pending is not None and not values["load_hold"]))
        if self.pending:
            check("key_slot", self.pending[0])
            check("key", self.pending[1])
        # What this cycle brings.
        self.busy = max(0, self.busy - 1)
        if self.pending and values["key_ready"] and not values["load_hold"]:
            self.loading, self.busy = self.pending[0], 7
            self.pending = None
        elif self.pending is None and self.offer and ready:
            self.pending, self.offer = (slot, key), None
            self.taken += 1
            self.known.discard(slot)
            if slot < one["Slots"]:
                self.known.add(slot)
        if values["end_valid"]:
            del self.packets[values["end_stream"]]
        if values["begin_valid"]:
            self.packets[values["begin_stream"]] = values["next_slot"]
        if values["begin_valid"] or self.passes:
            self.head = None


@cocotb.test()
async def keys_and_packets(dut: Any) -> None:
    bench, draw, faults = make_bench(), random.Random(9), Faults()
    driver = Driver(dut, bench)
    models = [Model(one) for one in bench.instances]
    for restart in ("rst", "zeroize", "rst"):
        await driver.cycle({restart: 1}, {m.one.name: {} for m in models})
        for model in models:
            model.reset()
        for _ in range(600):
            own = {model.one.name: model.given(draw) for model in models}
            now = driver.number
            outputs = await driver.cycle({}, own)
            for model in models:
                model.cycle(now, outputs, faults)
    bench.judge(faults)
    for model in models:
        assert model.one.mutation or model.taken > 60, (model.one.name, model.taken)


def test_aesforge_stream_key_interlock(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

# SPDX-License-Identifier: Apache-2.0
"""aesforge_ocb_table: the words of each key, and none of another slot."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs

M = "aesforge_ocb_table"
SHAPES = {"3 slots": (3, 4), "2 slots, 8 words": (2, 3)}
MUTATIONS = {
    "doubles without their polynomial": Mutation(M, "128'h87", "128'h86"),
    "doubles without a carry": Mutation(M, "value_q[127] ?", "1'b0 ?"),
    "the slot of another key": Mutation(M, "zero_slot <= key_slot", "zero_slot <= '0"),
    "a word is missing": Mutation(M, "if (write_q == '1) begin", "if (write_q[2:0] == '1) begin"),
    "the first word is doubled": Mutation(
        M, "value_q <= result", "value_q <= {result[126:0], 1'b0}"
    ),
    "the words move down": Mutation(M, "write_q <= '0;", "write_q <= '1;"),
    "the key is not waited for": Mutation(M, "Expand: if (key_ready)", "Expand: if (1'b1)"),
    "the core is not waited for": Mutation(M, "Ask: if (zero_ready)", "Ask: if (1'b1)"),
    "another result": Mutation(M, "if (result_valid) state_q", "if (1'b1) state_q"),
    "words are read without a step": Mutation(M, "if (step) word_q", "if (1'b1) word_q"),
    "the words of another slot": Mutation(M, "words[{slot, index}]", "words[{slot ^ 1'b1, index}]"),
    "zeroize leaves words": Mutation(M, "zeroize?walk_q", "zeroize?'0"),
    "a reset goes on": Mutation(M, "if (rst || zeroize) state_q", "if (zeroize) state_q"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int], mutation: Mutation | None = None) -> None:
        slot = (shape[0] - 1).bit_length()
        bench.add(
            name,
            M,
            {"Slots": shape[0], "IndexBits": shape[1]},
            inputs={
                **{"key_accept": 1, "key_slot": slot, "key_ready": 1, "zero_ready": 1},
                **{"result_valid": 1, "result": 128, "step": 1, "slot": slot, "index": shape[1]},
            },
            outputs={"busy": 1, "zero_valid": 1, "zero_slot": slot, "word_q": 128},
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["3 slots"], mutation)
    return bench


def double(block: int) -> int:
    return block << 1 & 2**128 - 1 ^ (0x87 if block >> 127 else 0)


class Model:
    """Keys, the core, and words that are read."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.compared = 0
        self.reset(zeros=False)

    def reset(self, *, zeros: bool) -> None:
        # A reset keeps the words; a slot whose key was being loaded is not read before the next.
        if zeros or not hasattr(self, "words"):
            count = 2 ** self.one.inputs["slot"][1]
            self.words: dict[int, list[int] | None] = dict.fromkeys(range(count))
        if zeros:
            size = 2 ** self.one["IndexBits"]
            self.words = {slot: [0] * size for slot in self.words}
        self.state, self.loading, self.wait = "idle", 0, 0
        self.due: int | None = None

    def offer(self) -> dict[str, int]:
        draw = self.draw
        values = {"key_ready": int(draw.random() < 0.3), "zero_ready": int(draw.random() < 0.5)}
        values |= {"result": draw.getrandbits(128), "step": int(draw.random() < 0.7)}
        values |= {
            "slot": draw.randrange(len(self.words)),
            "key_slot": draw.randrange(self.one["Slots"]),
        }
        values["index"] = draw.randrange(2 ** self.one["IndexBits"])
        self.values = values
        if self.state == "idle" and draw.random() < 0.05:
            values["key_accept"] = 1
        if self.state == "wait" and draw.random() < 0.2:
            values["result_valid"] = 1
        return values

    def after(self, now: int, outputs: Outputs, faults: Faults) -> None:
        def check(port: str, value: int) -> None:
            faults.check(self.one, outputs.of(self.one, port), value, f"{port} in cycle {now}")

        values = self.values
        check("busy", int(self.state != "idle"))
        check("zero_valid", int(self.state == "ask"))
        if self.state != "idle":
            check("zero_slot", self.loading)
        if self.due is not None:
            check("word_q", self.due)
            self.compared += 1
        words = self.words[values["slot"]]
        if values["step"]:
            busy = self.state != "idle" and values["slot"] == self.loading
            self.due = None if words is None or busy else words[values["index"]]
        match self.state:
            case "idle" if values.get("key_accept"):
                self.state, self.loading = "expand", values["key_slot"]
            case "expand" if values["key_ready"]:
                self.state = "ask"
            case "ask" if values["zero_ready"]:
                self.state = "wait"
            case "wait" if values.get("result_valid"):
                found = [values["result"]]
                for _ in range(2 ** self.one["IndexBits"] - 1):
                    found.append(double(found[-1]))
                self.words[self.loading] = found
                self.state, self.wait = "write", len(found)
            case "write":
                self.wait -= 1
                if not self.wait:
                    self.state = "idle"


@cocotb.test()
async def words_of_each_key(dut: Any) -> None:
    """Keys for random slots, words read all the time, restarts while a key is loaded."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    models = [Model(one, 70 + i) for i, one in enumerate(bench.instances)]
    await driver.cycle({"rst": 1})
    for restart in ("zeroize", "rst", "zeroize", "rst"):
        for _ in range(66 if restart == "zeroize" else 1):
            await driver.cycle({restart: 1})
        for model in models:
            if model.state != "idle" and restart == "rst":
                model.words[model.loading] = None
            model.reset(zeros=restart == "zeroize")
        for _ in range(1500):
            own = {model.one.name: model.offer() for model in models}
            now = driver.number
            outputs = await driver.cycle({}, own)
            for model in models:
                model.after(now, outputs, faults)
    bench.judge(faults)
    for model in models:
        assert model.one.mutation or model.compared > 2000, (model.one.name, model.compared)


def test_aesforge_ocb_table(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

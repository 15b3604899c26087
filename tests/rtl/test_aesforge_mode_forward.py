# SPDX-License-Identifier: Apache-2.0
"""aesforge_mode_forward: what enters the core and what its result is added to, mode by mode."""

from __future__ import annotations

import random
from collections import deque
from functools import partial
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Mutation, elaborate
from streams import CBC, CFB128, CTR, ECB

M = "aesforge_mode_forward"
SIDE = 9
SHAPES = {
    "all": (15, 0),
    "all, elastic": (15, 1),
    "ecb": (1, 0),
    "ctr": (2, 1),
    "cbc": (4, 0),
    "cfb, elastic": (8, 1),
    "ecb, cbc, elastic": (5, 1),
}
MUTATIONS = {
    "the IV is not taken": ("all", Mutation(M, "beat_first ? beat_iv : previous_q", "previous_q")),
    "always the IV": ("cbc", Mutation(M, "beat_first ? beat_iv : previous_q", "beat_iv")),
    "previous block moves on while it waits": (
        "cfb, elastic",
        Mutation(M, "if (beat_valid && beat_ready) previous_q", "if (beat_valid) previous_q"),
    ),
    "CFB without its data": (
        "cfb, elastic",
        Mutation(M, "beat_xor = ctr || cfb ?", "beat_xor = ctr ?"),
    ),
    "CFB enters its data": ("all", Mutation(M, "block = ctr || cfb ?", "block = ctr ?")),
    "CBC counts": ("all", Mutation(M, "!ctr || beat_first", "beat_first")),
    "CTR starts anew with each block": ("ctr", Mutation(M, "!ctr || beat_first", "1'b1")),
    "never waits": ("ctr", Mutation(M, "!Elastic || !core_valid || core_ready", "1'b1")),
    "always waits": ("ecb, cbc, elastic", Mutation(M, "!core_valid || core_ready", "core_ready")),
    "zeroization keeps the block": (
        "cbc",
        Mutation(M, "if (zeroize) previous_q", "if (1'b0) previous_q"),
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int], mutation: Mutation | None = None) -> None:
        chained = bool(shape[0] & 12)
        bench.add(
            name,
            M,
            {"Modes": shape[0], "SideBits": SIDE, "Elastic": shape[1]},
            inputs={
                **{"beat_valid": 1, "beat_first": 1, "beat_data": 128},
                **{"beat_mode": 2, "beat_iv": 128, "beat_side": SIDE, "core_ready": 1},
            },
            outputs={
                **{"beat_ready": 1, "beat_xor": 128},
                **{"core_valid": 1, "core_block": 128, "core_side": SIDE},
            },
            probes={"previous": ("gen_previous.previous_q", 128)} if chained else {},
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, (shape_name, mutation) in MUTATIONS.items():
        add(name, SHAPES[shape_name], mutation)
    return bench


@cocotb.test()
async def beats_pass(dut: Any) -> None:
    """Packets of random lengths and modes; a core that refuses, where it may."""
    bench, draw, faults = make_bench(), random.Random(4), Faults()
    driver = Driver(dut, bench)
    state: dict[str, dict[str, Any]] = {one.name: {} for one in bench.instances}
    for restart in ("rst", "zeroize", "rst"):
        await driver.cycle({restart: 1})
        for name in state:
            state[name] = {"left": 0, "offer": None, "core": deque(), "previous": 0, "n": 0}
        outputs = await driver.cycle({}, probes=True)
        for one in bench.instances:
            if restart == "zeroize" and one.probes:
                faults.check(one, outputs.of(one, "previous"), 0, "previous after zeroization")
        for _ in range(500):
            now, own = driver.number, {}
            for one in bench.instances:
                s = state[one.name]
                built = [mode for mode in (ECB, CTR, CBC, CFB128) if one["Modes"] >> mode & 1]
                if s["offer"] is None and draw.random() < 0.8:
                    first = s["left"] == 0
                    if first:
                        s["left"] = draw.randrange(1, 6)
                        s["mode"], s["iv"] = draw.choice(built), draw.getrandbits(128)
                        s["iv"] |= draw.choice((0, 2**32 - 1))
                    s["offer"] = {
                        "beat_valid": 1,
                        "beat_first": int(first),
                        "beat_data": draw.getrandbits(128),
                        "beat_mode": s["mode"],
                        "beat_iv": s["iv"],
                        "beat_side": draw.getrandbits(SIDE),
                    }
                elastic = bool(one["Elastic"])
                own[one.name] = {
                    "core_ready": int(not elastic or draw.random() < 0.6),
                    **(s["offer"] or {}),
                }
            outputs = await driver.cycle({}, own)
            for one in bench.instances:
                s, given = state[one.name], own[one.name]
                where = f"in cycle {now}"

                got = partial(outputs.of, one)

                # Ready is the core's, or there is nothing that the core could refuse.
                waits = one["Elastic"] and got("core_valid") and not given["core_ready"]
                faults.check(one, got("beat_ready"), int(not waits), f"beat_ready {where}")
                if s["offer"] and got("beat_ready"):
                    data, mode = given["beat_data"], given["beat_mode"]
                    previous = given["beat_iv"] if given["beat_first"] else s["previous"]
                    if given["beat_first"]:
                        s["n"] = given["beat_iv"]
                    xor = {ECB: 0, CTR: data, CBC: previous, CFB128: data}[mode]
                    faults.check(one, got("beat_xor"), xor, f"beat_xor {where}")
                    block = {ECB: data, CTR: s["n"], CBC: data, CFB128: previous}[mode]
                    s["core"].append((block, given["beat_side"], now))
                    s["n"] = (s["n"] + 1) % 2**128
                    s["previous"] = data
                    s["offer"] = None
                    s["left"] -= 1
                latency = 8 if one["Modes"] & 2 else 0
                due = bool(s["core"]) and s["core"][0][2] + latency <= now
                if not one["Elastic"]:
                    faults.check(one, got("core_valid"), int(due), f"core_valid {where}")
                if got("core_valid") and given["core_ready"]:
                    if not s["core"]:
                        faults.check(one, "a block", "none", where)
                        continue
                    block, side, _ = s["core"].popleft()
                    faults.check(one, got("core_block"), block, f"core_block {where}")
                    faults.check(one, got("core_side"), side, f"core_side {where}")
    for one in bench.instances:
        count = len(state[one.name]["core"])
        faults.check(one, count <= 8, True, "blocks that never came")
        assert faults.compared[one.name] > 1000
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_mode_forward(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_illegal_modes_are_refused() -> None:
    for modes in (0, 16):
        legal, said = elaborate(M, {"Modes": modes})
        assert not legal
        assert "modes must be a sum of 1 (ECB)" in said

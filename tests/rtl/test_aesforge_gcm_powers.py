# SPDX-License-Identifier: Apache-2.0
"""aesforge_gcm_powers: the powers of one subkey after the other, whenever core and mode answer."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation

from aesforge.reference import block_product

M = "aesforge_gcm_powers"
# Slots, Ahead, Digit
SHAPES = {"4, by 8": (2, 4, 8), "8, by 4": (5, 8, 4), "16, by 8": (3, 16, 8), "4, by 1": (2, 4, 1)}
ONE_SHAPES = {"H alone": (3, 1, 8)}
MUTANT_SHAPE = SHAPES["4, by 8"]
SECRETS = {
    "hash_key_q": "gen_powers.hash_key_q",
    "product": "gen_powers.product",
    "a_q": "gen_powers.u_multiply.a_q",
    "b_q": "gen_powers.u_multiply.b_q",
}
MUTATIONS = {
    "another slot": Mutation(M, "slot <= key_slot", "slot <= '0"),
    "does not wait for the expansion": Mutation(
        M, "if (key_ready) state_q <= Ask", "state_q <= Ask"
    ),
    "does not wait for the mode": Mutation(M, "if (zero_ready) state_q <= Wait", "state_q <= Wait"),
    "does not wait for H": Mutation(
        M, "if (hash_valid) state_q <= Ahead > 1 ?", "state_q <= Ahead > 1 ?"
    ),
    "asks while it waits": Mutation(M, "state_q == Ask;", "state_q == Ask || state_q == Wait;"),
    "starts with H": Mutation(M, "first_q ? One", "first_q ? hash_key_q"),
    "the exponent goes on": Mutation(M, "        write_power <= '0;\n", ""),
    "the exponent stays": Mutation(
        M, "write_power <= write_power + 1'b1", "write_power <= write_power"
    ),
    "one power too few": Mutation(M, "write_power == '1;", "write_power + 2'd2 == '0;"),
    "squares": Mutation(M, ".b(hash_key_q)", ".b(first_q ? hash_key_q : product)"),
    "all powers are H": Mutation(M, "first_q ? One : product", "One"),
    "writes what is not done": Mutation(
        M, "write_valid = done", "write_valid = state_q == Multiply"
    ),
    "a second key in the meantime": Mutation(
        M, "assign busy = state_q != Idle", "assign busy = state_q == Expand"
    ),
    "H stays when all is done": Mutation(
        M, "if (zeroize || last) hash_key_q", "if (zeroize) hash_key_q"
    ),
    "the multiplier keeps H when all is done": Mutation(M, ".zeroize(zeroize || last)", ".zeroize"),
    "zeroization keeps H": Mutation(M, "if (zeroize || last) hash_key_q", "if (last) hash_key_q"),
    "zeroization keeps the power": Mutation(M, ".zeroize(zeroize || last)", ".zeroize(last)"),
    "zeroization goes on": Mutation(M, "if (rst || zeroize) state_q", "if (rst) state_q"),
    "a reset goes on": Mutation(M, "if (rst || zeroize) state_q", "if (zeroize) state_q"),
}
ONE_MUTATIONS = {
    "H alone: another value": Mutation(M, "write_value = hash_key;", "write_value = ~hash_key;"),
    "H alone: written all the time": Mutation(M, "write_valid = start;", "write_valid = busy;"),
    "H alone: powers that are none": Mutation(M, "Ahead > 1 ? Multiply : Idle", "Multiply"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int, int], mutation: Mutation | None = None) -> None:
        slots, ahead, _ = shape
        width = (slots - 1).bit_length()
        bench.add(
            name,
            M,
            dict(zip(("Slots", "Ahead", "Digit"), shape, strict=True)),
            inputs={
                **{"key_accept": 1, "key_slot": width, "key_ready": 1, "zero_ready": 1},
                **{"hash_valid": 1, "hash_key": 128},
            },
            outputs={
                **{"busy": 1, "zero_valid": 1, "slot": width, "write_valid": 1},
                **{"write_power": max(1, (ahead - 1).bit_length()), "write_value": 128},
            },
            probes={name: (path, 128) for name, path in SECRETS.items() if ahead > 1},
            mutation=mutation,
        )

    for name, shape in (SHAPES | ONE_SHAPES).items():
        add(name, shape)
    for name, mutation in ONE_MUTATIONS.items():
        add(name, ONE_SHAPES["H alone"], mutation)
    for name, mutation in MUTATIONS.items():
        add(name, MUTANT_SHAPE, mutation)
    return bench


class Side:
    """One instance, and what it must be doing."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.one, self.draw = one, random.Random(seed)
        self.keys = 0
        self.restart("rst")

    def restart(self, by: str) -> None:
        self.state = "idle"
        self.is_zero = by == "zeroize"  # a reset keeps data
        self.pause = 0
        self.slot = 0
        self.powers: list[int] = []
        self.until = -1

    def offer(self) -> dict[str, int]:
        draw, one = self.draw, self.one
        # What nobody waits for may be anything.
        values = {"key_slot": draw.randrange(one["Slots"]), "hash_key": draw.getrandbits(128)}
        values |= {name: int(draw.random() < 0.3) for name in ("key_ready", "zero_ready")}
        # A key is accepted only by a core that is not busy, and H comes only when asked for.
        values["key_accept"] = int(self.state == "idle" and draw.random() < 0.3)
        values["hash_valid"] = int(self.state == "wait" and draw.random() < 0.2)
        self.values = values
        return values

    def check(self, faults: Faults, outputs: Any, now: int) -> None:
        one, values = self.one, self.values

        def check(port: str, value: int) -> None:
            faults.check(one, outputs.of(one, port), value, f"{port} in cycle {now}, {self.state}")

        check("busy", int(self.state != "idle"))
        check("zero_valid", int(self.state == "ask"))
        if self.state != "idle":
            check("slot", self.slot)
        alone = one["Ahead"] == 1
        if alone and values["hash_valid"]:
            # It goes through.
            self.powers, self.until = [values["hash_key"]], now
        writes = now == self.until and (alone or self.state == "multiply")
        check("write_valid", int(writes))
        if writes:
            if not alone:
                check("write_power", one["Ahead"] - len(self.powers))
            check("write_value", self.powers.pop(0))
        match self.state:
            case "idle" if values["key_accept"]:
                self.is_zero = False
                self.state, self.slot = "expand", values["key_slot"]
            case "expand" if values["key_ready"]:
                self.state = "ask"
            case "ask" if values["zero_ready"]:
                self.state = "wait"
            case "wait" if writes:
                self.state = "idle"
                self.keys += 1
            case "wait" if values["hash_valid"]:
                self.state, self.until = "multiply", now + 128 // one["Digit"] + 2
                self.powers = [values["hash_key"]]
                while len(self.powers) < one["Ahead"]:
                    self.powers.append(block_product(self.powers[-1], values["hash_key"]))
            case "multiply" if writes:
                self.until += 128 // one["Digit"] + 2
                if not self.powers:
                    self.state, self.is_zero = "idle", True
                    self.keys += 1


@cocotb.test()
async def powers_are_right(dut: Any) -> None:
    """Keys one after the other; a reset and zeroizations in any state."""
    bench, draw, faults = make_bench(), random.Random(5), Faults()
    driver = Driver(dut, bench)
    sides = [Side(one, 20 + i) for i, one in enumerate(bench.instances)]
    # The last is long enough for the slowest.
    for number, cycles in enumerate((*(draw.randrange(20, 160) for _ in range(24)), 1300)):
        restart = ("rst", "zeroize")[number % 2]
        await driver.cycle({restart: 1}, {side.one.name: side.offer() for side in sides})
        for side in sides:
            side.restart(restart)
        for _ in range(cycles):
            now = driver.number
            own = {side.one.name: side.offer() for side in sides}
            outputs = await driver.cycle({}, own, probes=True)
            for side in sides:
                is_zero = side.state == "idle" and side.is_zero
                side.check(faults, outputs, now)
                # Idle, no register holds a subkey.
                for port in side.one.probes if is_zero else ():
                    faults.check(side.one, outputs.of(side.one, port), 0, f"{port} while idle")
    for side in sides:
        if side.one.mutation is None:
            assert side.keys > 1, (side.one.name, side.keys)
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_gcm_powers(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

# SPDX-License-Identifier: Apache-2.0
"""aesforge_key_round: every step of every key size, forwards, backwards and held."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from fips197 import (
    APPENDIX_A,
    research_step,
    round_keys,
    rounds,
    step_backward,
    step_forward,
    summed,
)
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, stream

KEY_BITS = (128, 192, 256)
# S-box style, S-box stages, linear stages
SHAPES = ((0, 0, 1), (0, 1, 0), (0, 0, 2), (4, 2, 3))
M = "aesforge_key_round"
SUMMED_SHAPES = SHAPES[2:]
SUMS_FOR_NOBODY = Mutation(M, "Summed ? w[3] : w[3] ^ w[2]", "w[3] ^ w[2]")
# Key bits, direction, mutation
MUTATIONS = {
    "a bit of Rcon[9]": (
        *(128, 0),
        Mutation("aesforge_pkg", "4'd9: rcon = 8'h1b;", "4'd9: rcon = 8'h1a;", (M,)),
    ),
    "Rcon a step late": (
        *(192, 2),
        Mutation("aesforge_pkg", "4'd3: rcon_index = 4'd2;", "4'd2: rcon_index = 4'd2;", (M,)),
    ),
    "RotWord in every step": (256, 0, Mutation(M, "KeyBits != 256 || step[0]", "1'b1")),
    "held window stays folded": (
        *(256, 0),
        Mutation(M, "hold_q ? unchanged : stepped", "hold_q ? waiting : stepped"),
    ),
    "backwards, wrong round key": (
        *(192, 1),
        Mutation(M, "late_backward = phase_q == 2'd2", "late_backward = phase_q == 2'd1"),
    ),
}
SCHEMES = ("hu2009", "liu2014")
SCHEME_MUTATIONS = {
    "hu2009 without the XOR before SubWord": ("hu2009", ".x(w_3 ^ w_2)", ".x(w_3)"),
    "hu2009 with the standard's word 1": ("hu2009", "v_1 ^ v_2;", "v_1 ^ n_0;"),
    "hu2009 steps while it holds": ("hu2009", "hold_q ? waiting", "hold_q & rcon_q[0] ? waiting"),
    "a judgement bit beside the right one": ("liu2014", "(n_0[8] ?", "(n_0[9] ?"),
    "liu2014 without Rcon in word 1": (
        *("liu2014", "sub_out_1[31:24]} ^ {rcon_q, 24'h0}", "sub_out_1[31:24]}"),
    ),
    "a judgement rotates to the right": (
        *("liu2014", ": {n_1[23:0], n_1[31:24]}", ": {n_1[7:0], n_1[31:8]}"),
    ),
}


def make_bench() -> Bench:
    bench = Bench({"decrypt": 1, "hold": 1, "step": 4, "window_i": 256})

    def add(
        name: str,
        key_bits: int,
        direction: int,
        shape: tuple[int, int, int],
        mutation: Mutation | None = None,
        summed: int = 0,
    ) -> None:
        names = ("SboxStyle", "SboxStages", "LinearStages")
        bench.add(
            name,
            M,
            {
                "KeyBits": key_bits,
                "Direction": direction,
                "Summed": summed,
                **dict(zip(names, shape, strict=True)),
            },
            # A narrower window is the low bits of the widest.
            shared={"decrypt": 1, "hold": 1, "step": 4, "window_i": key_bits},
            outputs={"round_key_pre": 128, "round_key_post": 128, "window_o": key_bits},
            mutation=mutation,
        )

    for key_bits in KEY_BITS:
        for direction in range(3):
            for shape in SHAPES:
                name = f"{key_bits} bits direction {direction} shape {shape}"
                add(name, key_bits, direction, shape)
    for scheme in SCHEMES:
        for shape in SHAPES:
            name = f"scheme {scheme} shape {shape}"
            add(name, 128, 0, shape, Mutation(M, "", "", scheme=scheme))
    for shape in SUMMED_SHAPES:
        add(f"sums, shape {shape}", 128, 1, shape, summed=1)
    add("sums for nobody", 128, 1, SUMMED_SHAPES[0], SUMS_FOR_NOBODY, summed=1)
    for name, (key_bits, direction, mutation) in MUTATIONS.items():
        # With a stage in SubWord, since only then does a window wait folded.
        add(name, key_bits, direction, SHAPES[1], mutation)
    for name, (scheme, old, new) in SCHEME_MUTATIONS.items():
        add(name, 128, 0, SHAPES[1], Mutation(M, old, new, scheme=scheme))
    return bench


def latency(one: Instance) -> int:
    return one["SboxStages"] + one["LinearStages"]


def backwards(one: Instance, given: dict[str, int]) -> bool:
    return one["Direction"] == 1 or (one["Direction"] == 2 and given["decrypt"] == 1)


def answer(one: Instance, given: dict[str, int]) -> dict[str, int] | None:
    """Window and round key that follow, or None where the step number is not one of this size."""
    bits = one["KeyBits"]
    window = given["window_i"] % 2**bits
    if not 1 <= given["step"] <= rounds(bits):
        return None
    if given["hold"]:
        return {"window_o": window}
    if one["Summed"]:
        moved, round_key = step_backward(summed(window), bits, given["step"])
        moved = summed(moved)
        return {"window_o": moved, "round_key_post": moved, "round_key_pre": round_key}
    if one.scheme in SCHEMES:
        moved, round_key = research_step(window, one.scheme, given["step"])
    else:
        step = step_backward if backwards(one, given) else step_forward
        moved, round_key = step(window, bits, given["step"])
    return {"window_o": moved, "round_key_post": round_key, "round_key_pre": round_key}


@cocotb.test()
async def steps_are_right(dut: Any) -> None:
    """Every step of every direction, held or not, a new one each cycle; any window is legal."""
    bench, draw, faults = make_bench(), random.Random(5), Faults()
    stimulus = [
        {"step": step, "decrypt": decrypt, "hold": hold, "window_i": draw.getrandbits(256)}
        for step in range(1, 15)
        for decrypt in (0, 1)
        for hold in (0, 0, 0, 1)
    ]
    draw.shuffle(stimulus)
    pre: dict[str, dict[int, int]] = {one.name: {} for one in bench.instances}

    def expected(one: Instance, number: int) -> dict[str, int]:
        values = dict(answer(one, stimulus[number]) or {})
        # round_key_pre comes after a latency of its own.
        if "round_key_pre" in values:
            pre[one.name][number] = values.pop("round_key_pre")
        return values

    driver = Driver(dut, bench)
    await stream(driver, stimulus, latency, expected, faults)

    def pre_latency(one: Instance) -> int:
        # Forwards alone, a stage stands before SubWord where there are two.
        entry = 1 if one["Direction"] == 0 and one["LinearStages"] >= 2 else 0
        return one["SboxStages"] + entry + min(one["LinearStages"], 1)

    def expected_pre(one: Instance, number: int) -> dict[str, int]:
        found = pre[one.name].get(number)
        return {} if found is None else {"round_key_pre": found}

    await stream(driver, stimulus, pre_latency, expected_pre, faults)
    assert min(faults.compared.values()) > 100
    bench.judge(faults)


@cocotb.test()
async def keys_of_appendix_a(dut: Any) -> None:
    """The example keys, each window fed back: up to the last round key, and down again."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    true = [
        one
        for one in bench.instances
        if one.name not in bench.mutants and one.scheme not in SCHEMES and not one["Summed"]
    ]
    for bits, (key, last_round_key) in APPENDIX_A.items():
        keys = round_keys(key, bits)
        assert keys[-1] == last_round_key  # the literal of the standard
        ups = [one for one in true if one["KeyBits"] == bits and one["Direction"] != 1]
        downs = [one for one in true if one["KeyBits"] == bits and one["Direction"] != 0]
        window = key
        for step in range(1, rounds(bits) + 1):
            given = {"step": step, "window_i": window, "decrypt": 0}
            window = await feed(driver, ups, given, keys[step], faults)
        for step in range(rounds(bits), 0, -1):
            given = {"step": step, "window_i": window, "decrypt": 1}
            window = await feed(driver, downs, given, keys[step - 1], faults)
        # backward(forward(key)) = key, all through the RTL.
        assert window == key
    assert not faults.first


async def feed(
    driver: Driver, ones: list[Instance], given: dict[str, int], round_key: int, faults: Faults
) -> int:
    """Hold one step at the inputs until all have it; give the window, which must be the same."""
    for _ in range(max(map(latency, ones))):
        await driver.cycle(given)
    outputs = await driver.settle(given)
    windows = {outputs.of(one, "window_o") for one in ones}
    for one in ones:
        faults.check(one, outputs.of(one, "round_key_post"), round_key, f"step {given['step']}")
        faults.check(one, outputs.of(one, "round_key_pre"), round_key, f"step {given['step']}")
    assert len(windows) == 1
    return windows.pop()


@pytest.mark.usefixtures("mutants")
def test_aesforge_key_round(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

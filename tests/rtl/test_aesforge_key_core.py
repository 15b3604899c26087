# SPDX-License-Identifier: Apache-2.0
"""aesforge_key_core, pipelined and looped: round keys, numbers, tags, latency; reset; `zeroize`."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from fips197 import APPENDIX_A, round_keys
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs, Twins, elaborate

from aesforge.design import SBOX_STYLES, Design

TAG_BITS = 5
NAMES = ("KeyBits", "Unroll", "SboxStyle", "SboxStages", "LinearStages")
# The first and the second are the paper's; the third has no register at all.
SHAPES = (
    *((128, 10, 4, 1, 1), (128, 1, 4, 1, 1), (128, 10, 0, 0, 0), (128, 1, 0, 0, 1)),
    *((192, 12, 0, 1, 0), (192, 1, 4, 2, 0), (256, 14, 0, 0, 1), (256, 1, 0, 1, 2)),
)
M = "aesforge_key_core"
MUTATIONS = {
    "zeroization lets keys out": (
        0,
        Mutation(
            M, ".zeroize(zeroize),\n        .in_valid(accept)", ".zeroize(1'b0), .in_valid(accept)"
        ),
    ),
    "ready while zeroizing": (0, Mutation(M, "in_ready = !zeroize", "in_ready = 1'b1")),
    "tags a step late": (0, Mutation(M, ".Depth(Stages)", ".Depth(Stages + 1)")),
    "tag of the newcomer": (1, Mutation(M, "if (accept) tag_q", "if (in_valid) tag_q")),
    "tag a cycle late": (1, Mutation(M, "accept ? in_tag : tag_q", "tag_q")),
}
# Two of each with different keys: what `zeroize` zeroizes is then the same in both.
TWINS = {"pipelined": (128, 10, 0, 1, 1), "looped": (128, 1, 0, 1, 1)}
NEVER_WIPES = Mutation(M, ".zeroize(zeroize),\n        .in_valid,", ".zeroize(1'b0), .in_valid,")


def add(bench: Bench, name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
    parameters = dict(zip(NAMES, shape, strict=True)) | {"TagBits": TAG_BITS}
    looped = parameters["Unroll"] == 1
    count = 1 if looped else parameters["Unroll"] + 1
    # A ring hides its window after in_key while it is free.
    window = {"window": ("gen_loop.u_key_expand.window", parameters["KeyBits"])}
    bench.add(
        name,
        M,
        parameters,
        inputs={"in_key": parameters["KeyBits"]},
        outputs={
            **{"in_ready": 1, "out_valid": count, "out_round": 4},
            **{"out_round_keys": 128 * count, "out_tag": TAG_BITS * count},
        },
        probes=window if looped else {},
        mutation=mutation,
    )


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1, "in_valid": 1, "in_tag": TAG_BITS})
    for shape in SHAPES:
        add(bench, f"{', '.join(NAMES)} = {shape}", shape)
    for name, (index, mutation) in MUTATIONS.items():
        add(bench, name, SHAPES[index], mutation)
    for name, shape in TWINS.items():
        for side in ("left", "right"):
            add(bench, f"{name} {side}", shape)
    for side in ("left", "right"):
        add(bench, f"looped {side}, not quite", TWINS["looped"], NEVER_WIPES)
    return bench


def is_twin(one: Instance) -> bool:
    return one.name.split()[0] in TWINS


def design_of(one: Instance) -> Design:
    """The same core as the Python side knows it."""
    return Design(
        architecture="key_expand",
        key_bits=one["KeyBits"],
        unroll=one["Unroll"],
        sbox=SBOX_STYLES[one["SboxStyle"]],
        sbox_stages=one["SboxStages"],
        linear_stages=one["LinearStages"],
        tag_bits=TAG_BITS,
    )


class Model:
    """What the page says, of keys by the cycle in which they came."""

    def __init__(self, one: Instance) -> None:
        self.one = one
        self.design = design_of(one)
        self.keys: dict[int, tuple[int, int]] = {}
        self.expanded = 0
        self.taken: list[int] = []

    def cycle(
        self, now: int, given: dict[str, int], key: int, outputs: Outputs, faults: Faults
    ) -> None:
        """Compare a cycle's outputs and move on."""
        one, design = self.one, self.design
        looped, step = not design.is_unrolled, design.stages

        def check(port: str, value: int, got: int | None = None) -> None:
            got = outputs.of(one, port) if got is None else got
            faults.check(one, got, value, f"{port} in cycle {now}")

        busy = looped and any(now - then < design.interval for then in self.keys)
        zeroizing = bool(given.get("zeroize"))
        ready = not zeroizing and not busy
        check("in_ready", int(ready))
        if given.get("in_valid") and ready:
            self.keys[now] = (key, given["in_tag"])
            self.taken.append(now)
        leaving = {
            r: self.keys[now - step * r]
            for r in range(design.rounds + 1)
            if now - step * r in self.keys and not (looped and zeroizing)
        }
        if looped:
            check("out_valid", int(bool(leaving)))
        else:
            check("out_valid", sum(1 << r for r in leaving))
        for r, (of, tag) in leaving.items():
            at = 0 if looped else r
            if looped:
                check("out_round", r)
            got = outputs.of(one, "out_round_keys") >> (128 * at) & (2**128 - 1)
            check("out_round_keys", round_keys(of, one["KeyBits"])[r], got)
            check("out_tag", tag, outputs.of(one, "out_tag") >> (TAG_BITS * at) & (2**TAG_BITS - 1))
            self.expanded += r == design.rounds
        if given.get("zeroize") or given.get("rst"):
            self.keys.clear()


@cocotb.test()
async def round_keys_leave_in_time(dut: Any) -> None:
    """Appendix A; keys back-to-back, with gaps, with resets and zeroizes in the middle."""
    bench, draw, faults = make_bench(), random.Random(16), Faults()
    driver = Driver(dut, bench)
    models = [Model(one) for one in bench.instances if not is_twin(one)]
    longest = int(max(model.design.interval for model in models))
    for _ in range(2):
        await driver.cycle({"rst": 1})
    events: list[str] = ["appendix", *[""] * longest, *["in_valid"] * (5 * longest)]
    for _ in range(600):
        rare = draw.choice(("zeroize", "rst")) if draw.random() < 0.03 else ""
        events.append(rare or ("in_valid" if draw.random() < 0.4 else ""))
    for event in events:
        given = {"in_tag": draw.getrandbits(TAG_BITS)}
        if event:
            given["in_valid" if event == "appendix" else event] = 1
        if event == "zeroize":
            given["in_valid"] = draw.randrange(2)
        keys = {}
        for model in models:
            bits = model.one["KeyBits"]
            keys[model] = APPENDIX_A[bits][0] if event == "appendix" else draw.getrandbits(bits)
        now = driver.number
        own = {model.one.name: {"in_key": key} for model, key in keys.items()}
        outputs = await driver.cycle(given, own)
        for model in models:
            model.cycle(now, given, keys[model], outputs, faults)
    bench.judge(faults, [model.one for model in models])
    for model in models:
        if model.one.name not in bench.mutants:
            assert model.expanded > 10
            # The interval that the design computes was used.
            gaps = [b - a for a, b in zip(model.taken, model.taken[1:], strict=False)]
            assert model.design.interval in gaps


@cocotb.test()
async def zeroize_zeroizes_everything(dut: Any) -> None:
    """After zeroize_cycles, two cores that held different keys are the same, and stay so."""
    bench, draw = make_bench(), random.Random(17)
    driver = Driver(dut, bench)
    twins = Twins(bench, TWINS, "out_round_keys")
    await driver.cycle({"rst": 1})
    for _ in range(6):
        for _ in range(draw.randrange(25, 45)):
            own = {one.name: secret for one, secret in twins.secrets(draw, {"in_key": 128})}
            twins.look(await driver.cycle({"in_valid": 1}, own, probes=True), now=-1)
        for step in range(60):
            # Public data from the pulse on.
            public = {one.name: {"in_key": 3 * step} for one in twins.ones}
            outputs = await driver.cycle({"zeroize": int(step == 0)}, public, probes=True)
            twins.look(outputs, step, lambda one: design_of(one).zeroize_cycles)
    twins.judge()


@pytest.mark.usefixtures("mutants")
def test_aesforge_key_core(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


STAGE = "sbox_stages + linear_stages must be at least 1, linear_stages at most 4"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"KeyBits": 160, "Unroll": 11}, "key_bits must be 128, 192 or 256"),
        ({"Unroll": 2}, "unroll of a key expansion must be 1 or the number of rounds"),
        ({"KeyBits": 192, "Unroll": 10}, "unroll of a key expansion must be 1 or"),
        ({"Unroll": 1, "SboxStages": 0, "LinearStages": 0}, STAGE),
        ({"LinearStages": 5}, STAGE),
        ({"TagBits": 0}, "tag_bits must be at least 1"),
        ({"SboxStyle": 4, "SboxStages": 0}, "sbox bram needs sbox_stages of at least 1"),
    ],
    ids=str,
)
def test_illegal_sets_are_refused(parameters: dict[str, int], message: str) -> None:
    legal, said = elaborate(M, {"SboxStyle": 0} | parameters)
    assert not legal
    assert message in said


@pytest.mark.parametrize("unroll", [1, 10])
def test_both_forms_are_legal(unroll: int) -> None:
    legal, said = elaborate(M, {"SboxStyle": 0, "Unroll": unroll})
    assert legal, said

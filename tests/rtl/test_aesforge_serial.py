# SPDX-License-Identifier: Apache-2.0
"""aesforge_serial: traffic, key loads, `zeroize`, and the parameter sets it refuses."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from columns import Core
from fips197 import rounds
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Twins, elaborate, twins_of

from aesforge.design import ALLOWED, Design

TAG_BITS = 11
NAMES = ("KeyBits", "Direction", "SboxStages", "LinearStages", "ShiftStyle", "DelayStyle")
SHAPES = ((128, 2, 0, 1, 0, 1), (256, 0, 1, 0, 1, 0), (192, 1, 0, 0, 0, 1))
M = "aesforge_serial"
MUTATIONS = {
    "columns in reverse": Mutation(M, "{rest_q[63:0], 32'h0}", "{32'h0, rest_q[95:32]}"),
    "a column too many": Mutation(M, "first_out || more_q != '0", "first_out || more_q[1:0] != 0"),
    "tag a cycle late": Mutation(M, ".Depth(Latency)", ".Depth(Latency + 1)"),
}
# Two of each with different secrets: what `zeroize` zeroizes is then the same in both.
TWINS = {
    "registers": (128, 2, 1, 1, 0, 1),
    "addressed": (128, 2, 1, 0, 1, 1),
    "unstaged": (128, 2, 0, 0, 0, 1),
}
ZEROIZE = "(SboxStages + 1 + Stages + (Addressed ? 7 : 5)) + 2"
TWIN_MUTATIONS = {
    "registers": Mutation(M, ZEROIZE, ZEROIZE.replace("SboxStages + ", "")),
    # Its rows never stand still, so that a shorter zeroize leaves nothing in them either.
    "addressed": Mutation(
        "aesforge_serial_cipher", "    if (zeroize) key_q <= '0;\n", "", through=(M,)
    ),
    "unstaged": Mutation(M, ZEROIZE, ZEROIZE.replace("1 + ", "")),
}


def secrets(parameters: dict[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of the internal signals through which every secret goes.

    What is in a round passes its end; what is the same at every end for as long as a block takes
    was the same in the rounds.
    """
    nr = rounds(parameters["KeyBits"])
    found = {
        "round_keys": ("u_cipher.round_keys", 128 * (nr + 1)),
        "key": ("u_cipher.key_q", parameters["KeyBits"]),
        "rest": ("rest_q", 96),
        "column": ("u_cipher.column_q", 32),
        "first_key": ("u_cipher.first_key_q", 32),
    }
    for u in range(nr):
        found[f"round_{u}"] = (f"u_cipher.gen_round[{u}].column_o", 32)
    return found


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(
        name: str,
        shape: tuple[int, ...],
        mutation: Mutation | None = None,
        probed: dict[str, tuple[str, int]] | None = None,
    ) -> None:
        parameters = dict(zip(NAMES, shape, strict=True))
        parameters |= {"TagBits": TAG_BITS, "SboxStyle": 0, "KeySboxStyle": 0, "MixStyle": 2}
        bits = parameters["KeyBits"]
        bench.add(
            name,
            M,
            parameters,
            inputs={
                **{"in_valid": 1, "in_block": 128, "in_key": bits, "in_slot": 1},
                **{"in_decrypt": 1, "in_tag": TAG_BITS},
                **{"key_valid": 1, "key_slot": 1, "key": bits},
            },
            outputs={
                **{"in_ready": 1, "key_ready": 1},
                **{"out_valid": 1, "out_block": 128, "out_tag": TAG_BITS},
            },
            probes=probed,
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"{', '.join(NAMES)} = {shape}", shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES[0], mutation)
    for name, shape in TWINS.items():
        probed = secrets(dict(zip(NAMES, shape, strict=True)))
        for twin, change in twins_of(name, TWIN_MUTATIONS[name]):
            add(twin, shape, change, probed)
    return bench


def design_of(one: Instance) -> Design:
    """The same core as the Python side knows it."""
    return Design(
        key_bits=one["KeyBits"],
        direction=ALLOWED["direction"][one["Direction"]],
        sbox="table",
        sbox_stages=one["SboxStages"],
        linear_stages=one["LinearStages"],
        key_schedule="stored",
        architecture="column_serial",
        shift_rows=ALLOWED["shift_rows"][one["ShiftStyle"]],
    )


@cocotb.test()
async def blocks_and_keys_go_through(dut: Any) -> None:
    """Blocks with tags while keys are loaded; the latency is the one Python gives."""
    bench, draw, faults = make_bench(), random.Random(24), Faults()
    driver = Driver(dut, bench)
    cores = [Core(one) for one in bench.instances if one.name.split()[0] not in TWINS]
    for core in cores:
        assert core.latency == design_of(core.one).latency_cycles
    await driver.cycle({"rst": 1})
    for core in cores:
        core.forget(driver.number - 1)
    for share, keys, cycles in ((1.0, 0.02, 500), (0.3, 0.01, 400), (0.0, 0.0, 120)):
        for _ in range(cycles):
            now = driver.number
            own = {core.one.name: core.offer(draw, share, keys) for core in cores}
            outputs = await driver.cycle({}, own)
            for core in cores:
                core.cycle(now, outputs, faults)
    bench.judge(faults, [core.one for core in cores])
    assert all(core.left > 40 for core in cores if core.one.name not in MUTATIONS)


@cocotb.test()
async def zeroize_zeroizes_everything(dut: Any) -> None:
    """Two cores with different secrets are equal zeroize_cycles after `zeroize`, and stay so."""
    bench, draw = make_bench(), random.Random(25)
    driver = Driver(dut, bench)
    twins = Twins(bench, TWINS, "out_block")
    await driver.cycle({"rst": 1})
    for width, gap in ((1, 250), (3, 150), (1, 250)):
        # Each core has its own data, the control is the same for all.
        for step in range(240):
            control = {
                "in_valid": 1,
                "in_decrypt": draw.randrange(2),
                "in_tag": draw.getrandbits(TAG_BITS),
                "key_valid": int(step == 90),
            }
            data = {"in_block": 128, "in_key": 128, "key": 128}
            own = {one.name: control | secrets for one, secrets in twins.secrets(draw, data)}
            await driver.cycle({}, own)
        first, last = driver.number, driver.number + width - 1
        for step in range(width + gap):
            # Public data from the pulse on.
            public = {"in_tag": step % 7, "in_block": step, "in_key": 3 * step, "key": 5 * step}
            public["in_decrypt"] = draw.randrange(2)
            public["in_valid"] = public["key_valid"] = int(step < width + 20)
            now = driver.number
            everyone = {one.name: public for one in twins.ones}
            outputs = await driver.cycle({"zeroize": int(now <= last)}, everyone, probes=True)
            twins.look(outputs, now - last, lambda one: design_of(one).zeroize_cycles)
            for one in twins.true:
                open_again = last + design_of(one).zeroize_cycles
                # A block may stand at the output when `zeroize` rises; no other leaves.
                may_leave = now >= open_again or now == first
                assert may_leave or not outputs.of(one, "out_valid"), one.name
                if now < open_again:
                    assert not outputs.of(one, "in_ready"), one.name
                    assert not outputs.of(one, "key_ready"), one.name
                if now == open_again:
                    assert outputs.of(one, "key_ready"), one.name
    twins.judge()


@pytest.mark.usefixtures("mutants")
def test_aesforge_serial(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


STAGE = "linear_stages must be at most 4"
COUNTS = "shift_rows must be 0 (registers) or 1 (addressed), tag_bits at least 1"
SMALL = {"SboxStyle": 0, "KeySboxStyle": 0}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"KeyBits": 160}, "key_bits must be 128, 192 or 256"),
        ({"LinearStages": 5}, STAGE),
        ({"ShiftStyle": 2}, COUNTS),
        ({"TagBits": 0}, COUNTS),
        ({"SboxStyle": 4, "SboxStages": 0}, "sbox bram needs sbox_stages of at least 1"),
        ({"KeySboxStyle": 5}, "sbox must be the number of a style"),
        ({"Direction": 3}, "direction must be 0"),
    ],
    ids=str,
)
def test_illegal_sets_are_refused(parameters: dict[str, int], message: str) -> None:
    legal, said = elaborate(M, SMALL | parameters)
    assert not legal
    assert message in said


def test_a_legal_set_is_taken() -> None:
    """What the refused sets differ from, so that nothing else is refused in them."""
    legal, said = elaborate(M, SMALL)
    assert legal, said

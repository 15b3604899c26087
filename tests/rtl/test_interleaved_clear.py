# SPDX-License-Identifier: Apache-2.0
"""What `clear` leaves of an interleaved engine: nothing that was a secret."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from lanes import ALL_MODES, MODULE, NAMES, USER_BITS, add, lane_bits
from rtl_bench import Bench, Driver, Instance, Mutation, Outputs

from aesforge.design import Design

# Two of each with different secrets: what `clear` wipes is then the same in both.
TWINS = {
    "agile": (128, 2, 0, 1, 0, 1, ALL_MODES, 4, 8),
    "stored": (128, 2, 0, 1, 3, 1, ALL_MODES, 3, 4),
}
TWIN_MUTATIONS = {
    "agile": Mutation(
        "aesforge_mode_feedback",
        "if (wipe || next_valid_q) chains",
        "if (next_valid_q) chains",
        (MODULE,),
    ),
    "stored": Mutation(MODULE, "clear_q || (flush_q && !rest_end)", "clear_q"),
}


def secrets(parameters: dict[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of all that holds a secret in an engine, its core apart."""
    window = 2 if parameters["KeySlots"] else parameters["KeyBits"]
    lanes, depth = parameters["Lanes"], parameters["Depth"]
    out = 128 + 16 + lane_bits(lanes) + USER_BITS + 3
    found = {
        "head_data": ("u_shell.head_data_q", 128),
        "beat_data": ("u_shell.beat_data", 128),
        "beat_start": ("u_shell.beat_start", 128),
        "next_context": ("u_shell.u_contexts.m_data", window + 132),
        "spare_context": ("u_shell.u_contexts.spare_q", window + 132),
        "out_data": ("u_shell.out_data_q", 128),
        "queued": ("u_shell.u_queue.m_data", out),
        "chain": ("u_mode.chain_q", 128),
        "core_block": ("u_mode.core_block", 128),
        "back_block": ("u_mode.back_block", 128),
        "wait": ("u_mode.gen_wait.wait_q", 128),
        "waited": ("u_mode.gen_wait.waits_q", 128),
        "in": ("u_mode.gen_in.in_q", 128),
        "next": ("u_mode.next_q", 128),
        "result": ("u_mode.result_data", 128),
    }
    for i in range(lanes):
        found[f"chain_{i}"] = (f"u_mode.chains[{i}]", 128)
        found[f"wait_{i}"] = (f"u_mode.gen_wait.waits[{i}]", 128)
        found[f"in_{i}"] = (f"u_mode.gen_in.ins[{i}]", 128)
    for i in range(depth):
        found[f"queued_{i}"] = (f"u_shell.u_queue.memory[{i}]", out)
    if parameters["Unroll"] < 10:
        width = lane_bits(lanes) + window + 128
        found["turn"] = ("gen_queue.u_queue.m_data", width)
        for i in range(2 ** lane_bits(lanes)):
            found[f"turn_{i}"] = (f"gen_queue.u_queue.memory[{i}]", width)
    if not parameters["KeySlots"]:
        found["beat_context"] = ("u_shell.beat_context", window + 4)
        found["core_window"] = ("u_mode.core_window", window)
        found["window"] = ("u_mode.gen_again.window_q", window)
        found["again_window"] = ("u_mode.gen_again.again_window_q", window)
        for i in range(lanes):
            found[f"context_{i}"] = (f"u_shell.contexts[{i}]", window + 4)
            found[f"window_{i}"] = (f"u_mode.gen_again.windows[{i}]", window)
    else:
        found["key"] = ("gen_guard.u_guard.key", parameters["KeyBits"])
    return found


def make_bench() -> Bench:
    bench = Bench({"clear": 1})
    for name, shape in TWINS.items():
        probed = secrets(dict(zip(NAMES, shape, strict=True)))
        for side in ("left", "right"):
            add(bench, f"{name} {side}", shape, None, probed)
            add(bench, f"{name} {side}, not quite", shape, TWIN_MUTATIONS[name], probed)
    return bench


def clear_cycles(one: Instance) -> int:
    """Cycles of `clear` in the core inside."""
    return Design(
        unroll=one["Unroll"],
        sbox="table",
        sbox_stages=one["SboxStages"],
        linear_stages=one["LinearStages"],
        key_schedule="stored" if one["KeySlots"] else "agile",
        key_slots=one["KeySlots"] or None,
    ).clear_cycles


@cocotb.test()
async def clear_wipes_everything(dut: Any) -> None:
    """Full of different secrets, two engines are the same when `clear` is through, and stay so."""
    bench = make_bench()
    driver = Driver(dut, bench)
    draw = random.Random(14)
    names = {one.name: one for one in bench.instances}
    twins = [one for one in bench.instances if one.name.split()[0] in TWINS]
    await driver.cycle({}, {one.name: {"rst": 1} for one in twins})
    late: dict[str, str] = {}
    differed: dict[str, set[str]] = {name: set() for name in TWINS}
    for _ in range(3):
        for number in range(400):
            # Each has its own data; the control is the same for all.
            go = number > 60
            control = {
                **{"s_key_tvalid": int(number % 20 == 1), "s_key_slot": number // 20 % 3},
                **{"s_ctx_tvalid": int(go), "s_ctx_slot": draw.randrange(3)},
                **{"s_ctx_mode": draw.randrange(2, 8), "s_ctx_decrypt": 0},
                **{"s_axis_tvalid": int(go), "s_axis_tkeep": 0xFFFF},
                **{"s_axis_tlast": int(draw.random() < 0.4), "s_axis_tid": draw.randrange(3)},
                "m_axis_tready": int(draw.random() < 0.5),
            }
            own = {}
            for one in twins:
                data = {"s_key_tdata": 128, "s_ctx_key": 128, "s_ctx_iv": 128, "s_axis_tdata": 128}
                secret = {port: draw.getrandbits(width) for port, width in data.items()}
                own[one.name] = control | {"s_axis_tid": number % one["Lanes"]} | secret
            note_differences(names, await driver.cycle({}, own), differed)
        await driver.cycle({"clear": 1})
        begin = driver.number - 1
        for _ in range(150):
            public = {"s_axis_tdata": driver.number, "s_ctx_iv": 5, "s_ctx_key": 7}
            public["s_key_tdata"] = 9
            now = driver.number
            outputs = await driver.cycle({}, {one.name: public for one in twins})
            for one in twins:
                bound = clear_cycles(one) + max(one["Depth"], 2 ** lane_bits(one["Lanes"])) + 5
                if now >= begin + bound and " left" in one.name:
                    other = names[one.name.replace(" left", " right")]
                    for probe in (*one.probes, "m_axis_tdata"):
                        if outputs.of(one, probe) != outputs.of(other, probe):
                            late.setdefault(one.name, f"{probe} in cycle {now - begin}")
                if now == begin + bound and one.mutation is None:
                    assert outputs.of(one, "s_ctx_tready"), f"{one.name} is not open again"
    for name in TWINS:
        probes = {*names[f"{name} left"].probes, "m_axis_tdata"}
        assert probes == differed[name], probes - differed[name]
    assert set(late) == {f"{name} left, not quite" for name in TWINS}, late


def note_differences(
    names: dict[str, Instance], outputs: Outputs, differed: dict[str, set[str]]
) -> None:
    """Which probes have held a secret so far."""
    for name, found in differed.items():
        left, right = names[f"{name} left"], names[f"{name} right"]
        for probe in (*left.probes, "m_axis_tdata"):
            if outputs.of(left, probe) != outputs.of(right, probe):
                found.add(probe)


def test_interleaved_clear(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

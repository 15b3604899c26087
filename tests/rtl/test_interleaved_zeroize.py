# SPDX-License-Identifier: Apache-2.0
"""What `zeroize` leaves of an interleaved engine: nothing that was a secret."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cocotb
from engine_ports import USER_BITS, zeroize_zeroizes
from interleaved import ALL_MODES, MODULE, NAMES, add, stream_bits
from rtl_bench import Bench, Driver, Instance, Mutation, Twins

from aesforge.design import Design

# Two of each with different secrets: what `zeroize` zeroizes is then the same in both.
TWINS = {
    "agile": (128, 2, 0, 1, 0, 1, ALL_MODES, 4, 8),
    "stored": (128, 2, 0, 1, 3, 1, ALL_MODES, 3, 4),
}
TWIN_MUTATIONS = {
    "agile": Mutation(
        "aesforge_mode_feedback",
        "if (zeroize || next_valid_q) chains",
        "if (next_valid_q) chains",
        (MODULE,),
    ),
    "stored": Mutation(MODULE, "zeroize || (zeroize_q && !rest_end)", "zeroize"),
}


def secrets(parameters: dict[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of all that holds a secret in an engine, its core apart."""
    window = 2 if parameters["KeySlots"] else parameters["KeyBits"]
    payload = 1 if parameters["KeySlots"] else window
    streams, depth = parameters["Streams"], parameters["Depth"]
    out = 128 + 16 + stream_bits(streams) + USER_BITS + 2
    found = {
        "head_data": ("u_shell.head_data_q", 128),
        "beat_data": ("u_shell.beat_data", 128),
        "beat_start": ("u_shell.beat_start", 128),
        "given": ("u_shell.u_contexts.payload_q", 128 + payload),
        **{f"waiting_{i}": (f"u_shell.u_contexts.payloads[{i}]", 128 + payload) for i in range(4)},
        "out_data": ("u_shell.out_data_q", 128),
        "queued_first": ("u_shell.u_queue.u_ram.gen_block.first_q", out),
        "queued_second": ("u_shell.u_queue.second_q", out),
        "queued_spare": ("u_shell.u_queue.u_slice.spare_q", out),
        "chain": ("u_mode.chain_q", 128),
        "core_block": ("u_mode.core_block", 128),
        "back_block": ("u_mode.back_block", 128),
        "wait": ("u_mode.gen_wait.wait_q", 128),
        "waited": ("u_mode.gen_wait.waits_q", 128),
        "in": ("u_mode.gen_in.in_q", 128),
        "next": ("u_mode.next_q", 128),
        "result": ("u_mode.result_data", 128),
    }
    for i in range(streams):
        found[f"chain_{i}"] = (f"u_mode.chains[{i}]", 128)
        found[f"wait_{i}"] = (f"u_mode.gen_wait.waits[{i}]", 128)
        found[f"in_{i}"] = (f"u_mode.gen_in.ins[{i}]", 128)
    for i in range(depth):
        found[f"queued_{i}"] = (f"u_shell.u_queue.u_ram.gen_block.memory[{i}]", out)
    if parameters["Unroll"] < 10:
        width = stream_bits(streams) + window + 128
        found["turn_first"] = ("gen_queue.u_queue.u_ram.gen_block.first_q", width)
        found["turn_second"] = ("gen_queue.u_queue.second_q", width)
        found["turn_spare"] = ("gen_queue.u_queue.u_slice.spare_q", width)
        found["turn"] = ("gen_queue.u_queue.m_data", width)
        for i in range(2 ** stream_bits(streams)):
            found[f"turn_{i}"] = (f"gen_queue.u_queue.u_ram.gen_block.memory[{i}]", width)
    if not parameters["KeySlots"]:
        found["payload"] = ("u_shell.payload_q", window)
        found["core_window"] = ("u_mode.core_window", window)
        found["window"] = ("u_mode.gen_again.window_q", window)
        found["again_window"] = ("u_mode.gen_again.again_window_q", window)
        for i in range(streams):
            found[f"context_{i}"] = (f"u_shell.payloads[{i}]", window)
            found[f"window_{i}"] = (f"u_mode.gen_again.windows[{i}]", window)
    else:
        found["key"] = ("gen_interlock.u_interlock.key", parameters["KeyBits"])
    return found


def make_bench() -> Bench:
    bench = Bench({"zeroize": 1})
    for name, shape in TWINS.items():
        probed = secrets(dict(zip(NAMES, shape, strict=True)))
        for side in ("left", "right"):
            add(bench, f"{name} {side}", shape, None, probed)
            add(bench, f"{name} {side}, not quite", shape, TWIN_MUTATIONS[name], probed)
    return bench


def zeroize_bound(one: Instance) -> int:
    """Cycles from `zeroize` until the engine is zeroized and open again."""
    core = Design(
        unroll=one["Unroll"],
        sbox="table",
        sbox_stages=one["SboxStages"],
        linear_stages=one["LinearStages"],
        key_schedule="stored" if one["KeySlots"] else "agile",
        key_slots=one["KeySlots"] or None,
    )
    return core.zeroize_cycles + max(one["Depth"], 1 << stream_bits(one["Streams"])) + 9


@cocotb.test()
async def zeroize_zeroizes_everything(dut: Any) -> None:
    def own_control(one: Instance, number: int) -> Mapping[str, int]:
        return {"s_axis_tid": number % one["Streams"], "s_ctx_decrypt": 0}

    bench = make_bench()
    await zeroize_zeroizes(
        Driver(dut, bench),
        Twins(bench, TWINS, "m_axis_tdata"),
        modes=range(2, 8),
        cycles=400,
        public_cycles=150,
        bound=zeroize_bound,
        own_control=own_control,
    )


def test_interleaved_zeroize(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

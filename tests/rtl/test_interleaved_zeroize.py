# SPDX-License-Identifier: Apache-2.0
"""What `zeroize` leaves of an interleaved engine: nothing that was a secret."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cocotb
from engine_ports import zeroize_zeroizes
from interleaved import ALL_MODES, MODULE, NAMES, add, shell_secrets, window_bits, zeroize_bound
from rtl_bench import Bench, Driver, Instance, Mutation, Twins, twins_of, zeroizes_the_cores_alone

CORE = "aesforge_stream_core"
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
    "stored": zeroizes_the_cores_alone(CORE, MODULE),
}


def secrets(parameters: dict[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of all that holds a secret in an engine, its core apart."""
    window = window_bits(parameters)
    found = {
        **shell_secrets(parameters, 128, 1 if parameters["KeySlots"] else window),
        "chain": ("u_mode.chain_q", 128),
        "late_chain": ("u_mode.late_chain_q", 128),
        "block": ("u_mode.block_q", 128),
        "core_block": ("u_mode.core_block", 128),
        "back_block": ("u_mode.back_block", 128),
        "wait": ("u_mode.gen_wait.wait_q", 128),
        "waited": ("u_mode.gen_wait.waits_q", 128),
        "in": ("u_mode.gen_in.in_q", 128),
        "next": ("u_mode.next_q", 128),
        "result": ("u_mode.result_data", 128),
    }
    for i in range(parameters["Streams"]):
        found[f"chain_{i}"] = (f"u_mode.chains[{i}]", 128)
        found[f"wait_{i}"] = (f"u_mode.gen_wait.waits[{i}]", 128)
        found[f"in_{i}"] = (f"u_mode.gen_in.ins[{i}]", 128)
    if not parameters["KeySlots"]:
        found["core_window"] = ("u_mode.core_window", window)
        found["window"] = ("u_mode.gen_again.window_q", window)
        found["again_window"] = ("u_mode.gen_again.again_window_q", window)
        found["late_window"] = ("u_mode.gen_again.late_window_q", window)
        for i in range(parameters["Streams"]):
            found[f"window_{i}"] = (f"u_mode.gen_again.windows[{i}]", window)
    return found


def make_bench() -> Bench:
    bench = Bench({"zeroize": 1})
    for name, shape in TWINS.items():
        probed = secrets(dict(zip(NAMES, shape, strict=True)))
        for twin, change in twins_of(name, TWIN_MUTATIONS[name]):
            add(bench, twin, shape, change, probed)
    return bench


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

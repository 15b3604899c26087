# SPDX-License-Identifier: Apache-2.0
"""What `zeroize` leaves of an engine with CCM: nothing that was a secret."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cocotb
from engine_ports import zeroize_zeroizes
from interleaved import shell_secrets, window_bits, zeroize_bound
from rtl_bench import Bench, Driver, Instance, Mutation, Twins, twins_of, zeroizes_the_cores_alone
from test_aesforge_engine_ccm import CORE, MODE, NAMES, M, add

# Two of each with different secrets: what `zeroize` zeroizes is then the same in both.
TWINS = {
    "agile": (128, 2, 0, 1, 0, 1, 4, 8),
    "stored": (128, 2, 0, 1, 3, 1, 3, 4),
}
TWIN_MUTATIONS = {
    "agile": Mutation(MODE, "if (write_beat) waits", "if (write_beat && !zeroize) waits", (M,)),
    "stored": zeroizes_the_cores_alone(CORE, M),
}


def secrets(parameters: dict[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of all that holds a secret in an engine, its core apart."""
    window = window_bits(parameters)
    found = {
        **shell_secrets(parameters, 108, 64 if parameters["KeySlots"] else window + 64),
        "chain": ("u_mode.chain_q", 128),
        "core_block": ("u_mode.core_block", 128),
        "wait": ("u_mode.wait_q", 128),
        "carry": ("u_mode.carry_q", 48),
        "tail": ("u_mode.tail_q", 48),
        "nonce": ("u_mode.nonce_q", 104),
        "back_nonce": ("u_mode.back_nonce", 104),
        "back_block": ("u_mode.back_block", 128),
        "back_wait": ("u_mode.back_wait", 128),
        "back_tail": ("u_mode.back_tail", 48),
        "back_chain": ("u_mode.back_chain", 128),
        "next": ("u_mode.next_q", 128),
        "mac": ("u_mode.mac_q", 128),
        "result": ("u_mode.result_data", 128),
    }
    for i in range(parameters["Streams"]):
        found[f"chain_{i}"] = (f"u_mode.chains[{i}]", 128)
        found[f"wait_{i}"] = (f"u_mode.waits[{i}]", 128)
        found[f"tail_{i}"] = (f"u_mode.tails[{i}]", 48)
        found[f"nonce_{i}"] = (f"u_mode.nonces[{i}]", 104)
    if not parameters["KeySlots"]:
        found["core_window"] = ("u_mode.core_window", window)
        found["window"] = ("u_mode.window_q", window)
        found["again_window"] = ("u_mode.again_window_q", window)
        for i in range(parameters["Streams"]):
            found[f"window_{i}"] = (f"u_mode.windows[{i}]", window)
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
        # The lengths need not be right: beats of a packet with such an error go through the core.
        return {
            **{"s_axis_tid": number % one["Streams"], "s_axis_tuser": number % 7 % 2},
            **{"s_ctx_decrypt": number % 2, "s_ctx_iv_bytes": 13, "s_ctx_tag_bytes": 16},
            **{"s_ctx_aad_bytes": 40, "s_ctx_text_bytes": 33},
        }

    bench = make_bench()
    await zeroize_zeroizes(
        Driver(dut, bench),
        Twins(bench, TWINS, "m_axis_tdata"),
        modes=range(1),
        cycles=400,
        public_cycles=150,
        bound=zeroize_bound,
        own_control=own_control,
    )


def test_ccm_zeroize(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

# SPDX-License-Identifier: Apache-2.0
"""aesforge_shift_rows: both buffers in all directions, states at any distance, zeroization."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from columns import column, inputs, on_state, random_stream
from rtl_bench import Bench, Driver, Faults, Instance, Mutation

from aesforge.reference import inv_shift_rows, shift_rows

M = "aesforge_shift_rows"
LATENCY = {0: 5, 1: 4}
# The deepest register that a column passes.
DEPTH = {0: 5, 1: 7}
BACKWARD = "number_q < 2'(r) ? 3'(r - 1)"
# Direction, style, mutation
MUTATIONS = {
    "the last state's direction": (
        *(2, 0),
        Mutation(M, "next_inverse ? aesforge_pkg::inv", "inverse_o ? aesforge_pkg::inv"),
    ),
    "a state loaded a cycle late": (0, 0, Mutation(M, "load_q <= load_d", "load_q <= complete")),
    "loaded in every cycle": (1, 0, Mutation(M, "if (load_q) out_q", "out_q")),
    "zeroize loads nothing": (0, 0, Mutation(M, "load_d || zeroize", "load_d")),
    "columns counted from power-up": (
        *(0, 1),
        Mutation(M, "next_number = complete ? 2'd0 : number_q", "next_number = number_q"),
    ),
    "backwards one too far": (1, 1, Mutation(M, BACKWARD, BACKWARD.replace("r - 1", "r"))),
    "forwards always": (2, 1, Mutation(M, "inverse_o ? backward : forward", "forward")),
}


def make_bench() -> Bench:
    bench = Bench({"zeroize": 1, "first_i": 1, "inverse_i": 1, "column_i": 32})

    def add(name: str, direction: int, style: int, mutation: Mutation | None = None) -> None:
        outputs = {"first_o": 1, "inverse_o": 1, "column_o": 32}
        outputs |= {"next_number": 2, "next_inverse": 1}
        parameters = {"Direction": direction, "Style": style}
        bench.add(name, M, parameters, outputs=outputs, mutation=mutation)

    for direction in range(3):
        for style in LATENCY:
            add(f"direction {direction} style {style}", direction, style)
    for name, (direction, style, mutation) in MUTATIONS.items():
        add(name, direction, style, mutation)
    return bench


def inverse(one: Instance, decrypt: int) -> bool:
    return one["Direction"] == 1 or (one["Direction"] == 2 and decrypt == 1)


@cocotb.test()
async def rows_are_shifted(dut: Any) -> None:
    """Every state leaves shifted, its columns marked and announced, when the page says."""
    bench, draw, faults = make_bench(), random.Random(21), Faults()
    driver = Driver(dut, bench)
    given = random_stream(draw, 90)
    cycles = inputs(draw, given, 8)
    starts = {one.start: one for one in given}
    for now, values in enumerate(cycles):
        values["inverse_i"] = values.pop("decrypt_i")
        outputs = await driver.cycle(values)
        for one in bench.instances:
            latency = LATENCY[one["Style"]]
            leaves = now - latency
            if leaves >= 0:
                first = outputs.of(one, "first_o")
                faults.check(one, first, int(leaves in starts), f"mark in cycle {now}")
            for number in range(4):
                if leaves - number in starts:
                    state = starts[leaves - number]
                    function = inv_shift_rows if inverse(one, state.decrypt) else shift_rows
                    wanted = column(on_state(function, state.state), number)
                    got = outputs.of(one, "column_o")
                    faults.check(one, got, wanted, f"column {number} in cycle {now}")
                    got = outputs.of(one, "inverse_o")
                    faults.check(one, got, state.decrypt, f"direction in cycle {now}")
                if leaves + 1 - number in starts:
                    got = outputs.of(one, "next_number")
                    faults.check(one, got, number, f"number of the next in cycle {now}")
                    got = outputs.of(one, "next_inverse")
                    wanted = starts[leaves + 1 - number].decrypt
                    faults.check(one, got, wanted, f"direction of the next in cycle {now}")
    # Zeroization: with zeros before it, nothing else is left it, whatever is read.
    for now in range(40):
        zeroize = int(now < 20)
        outputs = await driver.cycle({"zeroize": zeroize})
        for one in bench.instances:
            if now >= DEPTH[one["Style"]]:
                faults.check(
                    one, outputs.of(one, "column_o"), 0, f"{now} cycles into the zeroization"
                )
    bench.judge(faults)
    assert min(faults.compared.values()) > 1000


def test_aesforge_shift_rows(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

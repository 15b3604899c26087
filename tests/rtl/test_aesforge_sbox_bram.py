# SPDX-License-Identifier: Apache-2.0
"""aesforge_sbox_bram: one and two ports, each with bytes and directions of its own."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate, stream
from sbox_stream import DIRECTIONS, inputs, substituted

M = "aesforge_sbox_bram"
# direction, stages, old, new
MUTATIONS = {
    "both ports read the first address": (0, 1, "x[8*p +: 8]", "x[7:0]"),
    "one direction for both ports": (2, 2, "inverse[p], x", "inverse[0], x"),
    "no output register": (1, 2, "y_q <= read_q;", "y_q <= rom[address[AddressBits-1:0]];"),
}


def make_bench() -> Bench:
    bench = Bench({"inverse": 2, "x": 16})

    def add(
        name: str, ports: int, direction: int, stages: int, mutation: Mutation | None = None
    ) -> None:
        parameters = {"Ports": ports, "Direction": direction, "Stages": stages}
        shared = {"inverse": ports, "x": 8 * ports}
        outputs = {"y": 8 * ports}
        bench.add(name, M, parameters, shared=shared, outputs=outputs, mutation=mutation)

    for ports in (1, 2):
        for direction, way in enumerate(DIRECTIONS):
            for stages in (1, 2):
                add(f"{ports} ports {way} {stages}", ports, direction, stages)
    for name, (direction, stages, old, new) in MUTATIONS.items():
        add(name, 2, direction, stages, Mutation(M, old, new))
    return bench


@cocotb.test()
async def bytes_are_substituted(dut: Any) -> None:
    """Each port sees each byte with each direction, in an order of its own."""
    bench, faults, draw = make_bench(), Faults(), random.Random(5)
    ports = [inputs(), draw.sample(inputs(), len(inputs()))]
    given = [
        {"x": a["x"] | b["x"] << 8, "inverse": a["inverse"] | b["inverse"] << 1}
        for a, b in zip(*ports, strict=True)
    ]

    def expected(one: Instance, number: int) -> dict[str, int]:
        chosen = [port[number]["inverse"] for port in ports]
        inverse = (chosen, [0, 0], [1, 1])[(one["Direction"] + 1) % 3]
        return {"y": substituted(given[number]["x"], one["Ports"], inverse)}

    await stream(Driver(dut, bench), given, lambda one: one["Stages"], expected, faults)
    bench.judge(faults)


def test_aesforge_sbox_bram(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_illegal_sets_are_refused() -> None:
    assert not elaborate(M, {"Stages": 0})[0]
    assert not elaborate(M, {"Stages": 3})[0]
    assert not elaborate(M, {"Ports": 3})[0]

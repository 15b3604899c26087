# SPDX-License-Identifier: Apache-2.0
"""aesforge_packet_release: beats leave at once, or as whole packets whose tag is right."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation

M = "aesforge_packet_release"
DATA, SIDE, HOLD = 20, 5, 16
# Each with `HoldBeats` of the instance that it is put into.
MUTATIONS = {
    "withheld text leaves at once": (HOLD, Mutation(M, "HoldBeats == 0", "HoldBeats != 0")),
    "the buffer is not zeroized": (
        HOLD,
        Mutation(M, "zeroize_q <= zeroize && !rst", "zeroize_q <= 1'b0"),
    ),
    "the buffer has half of its places": (HOLD, Mutation(M, "Depth(HoldBeats)", "Depth(8)")),
    "no error flag": (0, Mutation(M, "m_error = s_error", "m_error = 1'b0")),
    "packets do not end": (0, Mutation(M, "m_last = s_last", "m_last = 1'b0")),
    "beats are lost": (0, Mutation(M, "s_ready = m_ready", "s_ready = 1'b1")),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1})

    def add(name: str, hold: int, mutation: Mutation | None = None) -> None:
        beat = {"data": DATA, "side": SIDE, "last": 1, "error": 1}
        bench.add(
            name,
            M,
            {"DataBits": DATA, "SideBits": SIDE, "HoldBeats": hold},
            inputs={
                **{"zeroize": 1, "s_valid": 1, "m_ready": 1},
                **{f"s_{port}": bits for port, bits in beat.items()},
            },
            outputs={
                **{"s_ready": 1, "m_valid": 1},
                **{f"m_{port}": bits for port, bits in beat.items()},
            },
            mutation=mutation,
        )

    add("flagged", 0)
    add("withheld", HOLD)
    for name, (hold, mutation) in MUTATIONS.items():
        add(name, hold, mutation)
    return bench


Beat = tuple[int, int, int, int]  # data, side, last, error


class Packets:
    """The packets that go into one instance, and the beats that must come out."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.draw = random.Random(seed)
        self.hold = one["HoldBeats"]
        self.rest: deque[Beat] = deque()
        self.due: deque[Beat] = deque()
        self.packet: list[Beat] = []

    def next(self) -> Beat:
        """Return the beat to offer: errors may come in any beat, but count in the last one."""
        if not self.rest:
            length = self.draw.randint(1, HOLD - 4)
            for place in range(length):
                data, side = self.draw.getrandbits(DATA) | 1, self.draw.getrandbits(SIDE)
                error = int(self.draw.random() < 0.3)
                self.rest.append((data, side, int(place == length - 1), error))
        return self.rest[0]

    def accept(self) -> None:
        """Note what comes out for the offered beat."""
        beat = self.rest.popleft()
        if not self.hold:
            self.due.append(beat)
            return
        self.packet.append(beat)
        if beat[2]:
            wrong = beat[3]
            self.due.extend(
                [(0, beat[1], 1, 1)] if wrong else [(d, s, e, 0) for d, s, e, _ in self.packet]
            )
            self.packet = []


@cocotb.test()
async def beats_leave_when_they_may(dut: Any) -> None:
    """Random packets and stalls; then zeroization while packets wait."""
    bench, draw, faults = make_bench(), random.Random(2), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    for turn in range(4):
        packets = {one.name: Packets(one, turn) for one in bench.instances}
        for now in range(500):
            own: dict[str, dict[str, int]] = {}
            for one in bench.instances:
                data, side, last, error = packets[one.name].next()
                own[one.name] = {"s_data": data, "s_side": side, "s_last": last, "s_error": error}
                own[one.name] |= {
                    "s_valid": int(draw.random() < 0.8),
                    # At the end of a turn, packets wait.
                    "m_ready": int(draw.random() < 0.7 and now < 450),
                }
            outputs = await driver.cycle({}, own)
            for one in bench.instances:
                state, given = packets[one.name], own[one.name]
                taken = given["s_valid"] and outputs.of(one, "s_ready")
                if not state.hold:
                    # The beat is at the output in the same cycle.
                    faults.check(one, outputs.of(one, "m_valid"), given["s_valid"], "m_valid")
                    faults.check(one, outputs.of(one, "s_ready"), given["m_ready"], "s_ready")
                    if taken:
                        state.accept()
                if outputs.of(one, "m_valid") and given["m_ready"]:
                    ports = ("m_data", "m_side", "m_last", "m_error")
                    shown = tuple(outputs.of(one, port) for port in ports)
                    wanted = state.due.popleft() if state.due else None
                    faults.check(one, shown, wanted, "beat out")
                if state.hold and taken:
                    state.accept()
        for one in bench.instances:
            if one["HoldBeats"]:
                faults.check(one, len(packets[one.name].due) >= 8, True, "beats that wait")
        # Nothing of a withheld packet leaves after the second cycle of zeroization, nor later.
        idle = {one.name: {"s_valid": 0, "m_ready": 1} for one in bench.instances}
        for step in range(HOLD + 5):
            outputs = await driver.cycle({}, {n: v | {"zeroize": 1} for n, v in idle.items()})
            for one in bench.instances:
                if one["HoldBeats"] and step > 1:
                    faults.check(one, outputs.of(one, "m_valid"), 0, "m_valid while zeroizing")
        for _ in range(4):
            outputs = await driver.cycle({}, idle)
            for one in bench.instances:
                faults.check(one, outputs.of(one, "m_valid"), 0, "m_valid after zeroization")
    bench.judge(faults)


def test_aesforge_packet_release(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

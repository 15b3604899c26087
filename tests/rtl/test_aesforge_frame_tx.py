# SPDX-License-Identifier: Apache-2.0
"""aesforge_frame_tx: frames of every length, to a UART that is seldom and often ready."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

from aesforge.board.frames import Frame

M = "aesforge_frame_tx"
MUTATIONS = {
    "an empty payload has a byte": Mutation(M, "length == '0 ? Crc : Payload", "Payload"),
    "a payload ends early": Mutation(M, "index == length - 16'd1", "index == length - 16'd2"),
    "the CRC is over its own bytes": Mutation(M, "accept && state_q != Crc", "accept"),
    "the CRC begins with the kind": Mutation(M, "state_q == Start)", "state_q == Kind)"),
    "three bytes of CRC": Mutation(M, "index == 16'd3", "index == 16'd2"),
    "the index stays": Mutation(M, "      index <= '0;\n", ""),
    "the upper byte of the length is lost": Mutation(
        M, "byte_data = length[15:8]", "byte_data = '0"
    ),
    "steps without ready": Mutation(M, "byte_valid && byte_ready", "byte_valid"),
    "a reset does not end a frame": Mutation(M, "    if (rst) state_q <= Idle;\n", ""),
    "begins with another byte": Mutation(M, "8'ha5", "8'h5a"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "start": 1, "kind": 8, "number": 8, "length": 16, "byte_ready": 1})
    outputs = {"busy": 1, "index": 16, "byte_valid": 1, "byte_data": 8}
    for name, mutation in {"frames": None, **MUTATIONS}.items():
        bench.add(name, M, {}, inputs={"payload": 8}, outputs=outputs, mutation=mutation)
    return bench


@cocotb.test()
async def frames_are_encoded(dut: Any) -> None:
    """As Python encodes them."""
    bench, draw, faults = make_bench(), random.Random(3), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    for number, size in enumerate((0, 1, 2, 3, 30, 300, 0, 5, 5)):
        frame = Frame(draw.randrange(256), draw.randrange(256), draw.randbytes(size))
        given = {"kind": frame.kind, "number": frame.number, "length": size}
        got = {one.name: bytearray() for one in bench.instances}
        index = {one.name: 0 for one in bench.instances}
        await driver.cycle({"start": 1, **given})
        # Longer than the frame takes: a byte too many shows, too.
        cycles = (size + 12) * 6
        since = 9
        reset = cycles // 4 if number == 7 else -1
        for cycle in range(cycles):
            ready = int(since >= 3 and draw.random() < 0.8)
            since = 1 if ready else since + 1
            # The byte of the index that was there a cycle before, as a RAM has it.
            own = {
                name: {"payload": frame.payload[at] if at < size else 0xEE}
                for name, at in index.items()
            }
            rst = int(cycle == reset)
            outputs = await driver.cycle({"rst": rst, "byte_ready": ready, **given}, own)
            for one in bench.instances:
                index[one.name] = outputs.of(one, "index")
                if ready and outputs.of(one, "byte_valid"):
                    got[one.name].append(outputs.of(one, "byte_data"))
                if cycle > reset > 0 or cycle == cycles - 1:
                    faults.check(one, outputs.of(one, "busy"), 0, f"busy after frame {number}")
        for one in bench.instances:
            if reset < 0:
                faults.check(one, bytes(got[one.name]), frame.encoded(), f"frame {number}")
    bench.judge(faults)


def test_aesforge_frame_tx(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

# SPDX-License-Identifier: Apache-2.0
"""CBC encryption and CMAC, in which a block waits for the one before, of one and more streams."""

import random

import numpy as np

from aesforge.design import load_any
from aesforge.design.engine import Engine
from aesforge.design.modes import MODES
from aesforge.simulate.engine import engine_module
from aesforge.simulate.packets import Context, KeyLoad, Packet
from aesforge.simulate.stream import StreamSimulator
from aesforge.simulate.traffic import Traffic

draw = random.Random(1)
# One round, used ten times, compiles fast; `cbc-interleaved` takes a beat every cycle.
engine = load_any("feedback-compact", {"name": "streams", "sbox": "table"})
assert isinstance(engine, Engine)
assert engine.streams is not None

with StreamSimulator(engine_module(engine)) as simulator:
    traffic = Traffic(simulator, engine)
    keys = [KeyLoad(slot, draw.randbytes(16)) for slot in range(4)]
    for mode in ("cbc-encrypt", "cmac"):
        for streams in (1, engine.streams):
            packets = [
                Packet(
                    draw.randbytes(16 * 40),
                    Context(MODES[mode].code, False, draw.randbytes(16), slot=stream % 4),
                    id=stream,
                )
                for stream in range(streams)
            ]
            transfers, due = traffic.transfers([*keys, *packets])
            keys = []
            result = simulator.run(transfers, wanted=len(due), tail_cycles=50)
            for stream in range(streams):
                came, wanted = (rows[rows["m_axis_tid"] == stream] for rows in (result.rows, due))
                assert np.array_equal(came["m_axis_tdata"], wanted["m_axis_tdata"])
            if mode == "cbc-encrypt":
                cycles = int(result.rows["cycle"][-1] - result.rows["cycle"][0])
                pace = cycles / (len(due) - 1)
                print(f"CBC, streams in turn: {streams}, a beat every {pace:g} cycles")
            else:
                print(f"CMAC, streams in turn: {streams}, tags: {len(due)}")

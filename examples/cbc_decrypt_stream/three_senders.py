# SPDX-License-Identifier: Apache-2.0
"""Decrypt CBC packets of three senders back to back, without a cycle lost between them."""

import random

from aesforge.design import load_any
from aesforge.design.engine import Engine
from aesforge.design.modes import MODES
from aesforge.reference import openssl
from aesforge.simulate.engine import engine_module
from aesforge.simulate.packets import Context, Packet
from aesforge.simulate.stream import StreamSimulator
from aesforge.simulate.traffic import Traffic, first_fault

draw = random.Random(1)
# One round, used ten times, compiles fast; `cbc-decrypt-stream` takes a beat every cycle.
engine = load_any("compact", ["modes=cbc-decrypt", "sbox=table"])
assert isinstance(engine, Engine)
packets, plain = [], b""
for number in range(60):
    sender = number % 3
    key, iv, text = bytes([sender]) * 16, draw.randbytes(16), draw.randbytes(16 * (1 + sender))
    plain += text
    context = Context(MODES["cbc-decrypt"].code, True, iv, key)
    packets.append(Packet(openssl.crypt("cbc", key, text, iv), context, id=sender & 1))

with StreamSimulator(engine_module(engine)) as simulator:
    transfers, due = Traffic(simulator, engine).transfers(packets)
    result = simulator.run(transfers, wanted=len(due), tail_cycles=50)
assert first_fault(result.rows, due) is None
assert result.rows["m_axis_tdata"].tobytes() == plain
cycles = int(result.rows["cycle"][-1] - result.rows["cycle"][0])
print(
    f"{len(packets)} packets under 3 keys: a beat every {cycles / (len(due) - 1):g} cycles, as the "
    f"core computes ({engine.core.interval:g})"
)

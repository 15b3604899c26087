# SPDX-License-Identifier: Apache-2.0
"""Load keys into the slots of an engine, and renew one between packets."""

from aesforge.design import load_any
from aesforge.design.engine import Engine
from aesforge.design.modes import MODES
from aesforge.reference import openssl
from aesforge.simulate.engine import engine_module
from aesforge.simulate.packets import Context, KeyLoad, Packet
from aesforge.simulate.stream import StreamSimulator
from aesforge.simulate.traffic import Traffic, first_fault

TEXT = b"sixteen bytes..., and some more, and a few over"
COUNTER = bytes(16)
FIRST, SECOND, THIRD = (bytes([number]) * 16 for number in (1, 2, 3))


def packet(slot: int) -> Packet:
    """Return a packet under a slot's key."""
    return Packet(TEXT, Context(MODES["ctr"].code, decrypt=False, iv=COUNTER, slot=slot))


engine = load_any("compact-stream", ["sbox=table", "key_schedule=stored", "key_slots=2"])
assert isinstance(engine, Engine)
items: list[KeyLoad | Packet] = [KeyLoad(0, FIRST), KeyLoad(1, SECOND), packet(0), packet(1)]
items += [KeyLoad(0, THIRD), packet(1), packet(0)]
with StreamSimulator(engine_module(engine)) as simulator:
    transfers, due = Traffic(simulator, engine).transfers(items)
    result = simulator.run(transfers, wanted=len(due), tail_cycles=50)
assert first_fault(result.rows, due) is None
out = result.rows["m_axis_tdata"].tobytes()
for number, key in enumerate((FIRST, SECOND, SECOND, THIRD)):
    got = out[48 * number :][: len(TEXT)]
    assert got == openssl.crypt("ctr", key, TEXT, COUNTER)
    print(f"packet {number}: {got.hex()[:32]}... under the key {key.hex()[:2]}")

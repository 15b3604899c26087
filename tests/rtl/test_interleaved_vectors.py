# SPDX-License-Identifier: Apache-2.0
"""NIST's published records through an interleaved engine with all its modes, a packet each, spread
over the streams: CBC encryption; CFB128, CFB8 and OFB both ways; CMAC.

Each record of a file goes through in every direction that the engine has, from both sections.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cocotb
import cryptography_vectors
from engine_ports import drain, reset
from interleaved import ALL_MODES, InterleavedEngine, StreamPacket, add
from rtl_bench import Bench, Driver, Instance, Mutation
from streams import BYTES, CBC, CFB128, CFB_BYTES, CMAC128, OFB128, Beat, Context, cut
from test_engine_vectors import FAMILIES, RECORDS, records

# Mode -> start of the files' names, and the directions.
FILES = {
    CBC: ("CBC/CBC", (0,)),
    CFB128: ("CFB/CFB128", (0, 1)),
    CFB_BYTES: ("CFB/CFB8", (0, 1)),
    OFB128: ("OFB/OFB", (0, 1)),
}
SHAPE = (0, 1, 0, 1, ALL_MODES, 24, 32)
SHAPES = {f"{bits} bits": (bits, unroll, *SHAPE) for bits, unroll in ((128, 5), (192, 6), (256, 7))}
MUTANT = "OFB feeds the ciphertext back"
MUTATION = Mutation(
    *("aesforge_mode_feedback", "HasCfb && back_cfb ? (back_decrypt", "1'b1 ? (back_decrypt"),
    through=("aesforge_engine_interleaved",),
)


def macs(bits: int) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Key, message and tag of the CMAC records."""
    found: dict[str, bytes] = {}
    with cryptography_vectors.open_vector_file(f"CMAC/nist-800-38b-aes{bits}.txt", "r") as handle:
        for line in handle:
            name, equals, value = line.strip().partition(" =")
            if equals and name != "COUNT":
                found[name] = bytes.fromhex(value)
            if "OUTPUT" in found:
                yield found["KEY"], found["MESSAGE"], found["OUTPUT"]
                found = {}


def packets(bits: int) -> Iterator[tuple[Context, bytes, bytes]]:
    """Context, what goes in, what must come out."""
    for mode, (start, ways) in FILES.items():
        count = 0
        for family in FAMILIES:
            for record in records(f"{start}{family}{bits}.rsp"):
                count += 1
                for way in ways:
                    sides = record["PLAINTEXT"], record["CIPHERTEXT"]
                    context = Context(mode, way, record["IV"], record["KEY"])
                    yield context, sides[way], sides[1 - way]
        assert count == RECORDS[bits], (mode, count)
    for key, message, tag in macs(bits):
        yield Context(CMAC128, 0, bytes(BYTES), key), message, tag


class Vectors(InterleavedEngine):
    """An engine that is given the records and must give their other side."""

    def __init__(self, one: Instance) -> None:
        super().__init__(one, seed=one["KeyBits"])
        waiting: list[deque[StreamPacket]] = [deque() for _ in range(self.streams)]
        self.count = 0
        for context, given, expected in packets(one["KeyBits"]):
            stream = self.count % self.streams
            due = cut(expected, stream)
            if context.mode == CMAC128:
                due = [Beat(beat.data, 2**BYTES - 1, 1, stream) for beat in due]
            waiting[stream].append(StreamPacket(cut(given, stream), context, due=due))
            self.count += 1
        while any(waiting):
            for stream, its in enumerate(waiting):
                if stream in self.open:
                    self.queue(stream)
                elif its:
                    self.queue(stream, its.popleft())

    def decide(self, packet: StreamPacket) -> None:
        assert packet.context is not None
        packet.digest = packet.context.mode == CMAC128
        self.expect(packet, 0)

    def reset(self) -> None:
        if not hasattr(self, "count"):
            super().reset()


def make_bench() -> Bench:
    bench = Bench({"zeroize": 1})
    for name, shape in SHAPES.items():
        add(bench, name, shape)
    add(bench, MUTANT, SHAPES["128 bits"], MUTATION)
    return bench


@cocotb.test()
async def records_come_out(dut: Any) -> None:
    bench = make_bench()
    driver = Driver(dut, bench)
    engines = [Vectors(one) for one in bench.instances]
    await reset(driver, engines)
    for engine in engines:
        # CMAC has more: 4 records at least for each key size.
        assert engine.count >= 7 * RECORDS[engine.one["KeyBits"]] + 4
        print(engine.one.name, engine.count, "packets")
    await drain(driver, engines, 1.0, 1.0, cycles=100_000)
    for engine in engines:
        fault = engine.board.fault
        if engine.one.mutation:
            assert fault is not None
        else:
            assert fault is None, f"{engine.one.name}: {fault}"
            assert engine.packets == engine.count


def test_interleaved_vectors(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

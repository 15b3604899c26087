# SPDX-License-Identifier: Apache-2.0
"""NIST's and RFC 3686's published records through an engine with all its modes, a packet each.

CTR in both directions; CBC and CFB128 decrypt, from both sections of their files.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cocotb
import cryptography_vectors
from engine_ports import drain, reset
from rtl_bench import Bench, Driver, Instance, Mutation
from streams import CBC, CFB128, CTR, Beat, Context, cut
from test_aesforge_engine import Engine, make_bench_of

FAMILIES = ("GFSbox", "KeySbox", "VarKey", "VarTxt", "MMT")
FILES = {
    CBC: [f"CBC/CBC{family}" for family in FAMILIES],
    CFB128: [f"CFB/CFB128{family}" for family in FAMILIES],
}
# Records of CBC or of CFB128 for each key size, as for ECB.
RECORDS = {128: 588, 192: 720, 256: 830}
SHAPE = (2, 1, 0, 1, 0, 1, 15, 8)
MUTANT = "CFB enters its data"
MUTATION = Mutation(
    *("aesforge_mode_forward", "block = ctr || cfb ?", "block = ctr ?"),
    through=("aesforge_engine",),
)


def records(path: str) -> Iterator[dict[str, bytes]]:
    """The records of a file: key, IV, plaintext and ciphertext."""
    with cryptography_vectors.open_vector_file(f"ciphers/AES/{path}", "r") as handle:
        found: dict[str, bytes] = {}
        for line in handle:
            name, equals, value = line.strip().partition(" = ")
            if not equals:
                continue
            if name == "COUNT":
                found = {}
            else:
                found[name] = bytes.fromhex(value)
            if {"KEY", "IV", "PLAINTEXT", "CIPHERTEXT"} <= set(found):
                yield found
                found = {}


def packets(bits: int) -> Iterator[tuple[Context, bytes, bytes]]:
    """Context, what goes in, what must come out."""
    for mode, names in FILES.items():
        for name in names:
            for record in records(f"{name}{bits}.rsp"):
                context = Context(mode, 1, record["IV"], record["KEY"])
                yield context, record["CIPHERTEXT"], record["PLAINTEXT"]
    for record in records(f"CTR/aes-{bits}-ctr.txt"):
        context = Context(CTR, 0, record["IV"], record["KEY"])
        yield context, record["PLAINTEXT"], record["CIPHERTEXT"]
        yield context, record["CIPHERTEXT"], record["PLAINTEXT"]


class Vectors(Engine):
    """An engine that is given the records and must give their other side."""

    def __init__(self, one: Instance) -> None:
        super().__init__(one, seed=one["KeyBits"])
        self.answers: list[list[Beat]] = []
        for context, given, expected in packets(one["KeyBits"]):
            self.beats.queue.extend(cut(given))
            self.contexts.queue.append(context)
            self.answers.append(cut(expected))
        self.count = len(self.answers)

    def open(self) -> None:
        self.due = self.answers.pop(0)

    def reset(self) -> None:
        if not hasattr(self, "answers"):
            super().reset()


def make_bench() -> Bench:
    shapes = {f"{bits} bits": (bits, *SHAPE) for bits in RECORDS}
    return make_bench_of(shapes, {MUTANT: ("128 bits", MUTATION)})


@cocotb.test()
async def records_come_out(dut: Any) -> None:
    bench = make_bench()
    driver = Driver(dut, bench)
    engines = [Vectors(one) for one in bench.instances]
    await reset(driver, list(engines))
    for engine in engines:
        assert engine.count > 2 * RECORDS[engine.one["KeyBits"]]
    await drain(driver, list(engines), 1.0, 1.0, cycles=100_000)
    for engine in engines:
        fault = engine.board.fault
        if engine.one.mutation:
            assert fault is not None
        else:
            assert fault is None, f"{engine.one.name}: {fault}"
            assert not engine.answers


def test_engine_vectors(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

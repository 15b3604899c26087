# SPDX-License-Identifier: Apache-2.0
"""aesforge_mode_ccm: what enters the core for each beat, what comes of it, and which packets are
errors, straight from SP 800-38C.

The core is any function of block and window here, and answers the streams when it likes.
"""

from __future__ import annotations

import hashlib
import random
from functools import partial
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation

from aesforge.reference.ccm import TAG_BYTES, counter_block, encoded_length, first_block

M = "aesforge_mode_ccm"
WINDOW = 9
SHAPES = {"5 streams": 5, "one stream": 1}
MUTATIONS = {
    "always B0": Mutation(M, "beat_first ? first_block :", "1'b1 ? first_block :"),
    "never associated data": Mutation(M, "beat_aad_bytes != '0,", "1'b0,"),
    "another length of the tag": Mutation(M, "3'(beat_tag_bytes >> 1) - 3'd1", "3'd7"),
    "another length of the nonce": Mutation(M, "4'd14 - beat_nonce_bytes", "4'd1"),
    "a length in 2 bytes": Mutation(M, "beat_long ? {16'hfffe, beat", "1'b0 ? {16'hfffe, beat"),
    "FFFF": Mutation(M, "16'hfffe", "16'hffff"),
    "no length": Mutation(M, "carry_in = !beat_first ?", "carry_in = 1'b1 ?"),
    "another stream's bytes": Mutation(M, "tail_q <= tails[head_stream]", "tail_q <= tails[0]"),
    "another stream's block": Mutation(M, "chain_q <= chains[head_stream]", "chain_q <= chains[0]"),
    "long data are moved by 2 bytes": Mutation(
        M, "carry_out = beat_long ? kept[47:0]", "carry_out = 1'b0 ? kept[47:0]"
    ),
    "counter blocks from 0 on": Mutation(M, "first && !second ? 28'd1", "first && !second ? 28'd0"),
    "the tag counts": Mutation(M, "tag ? 28'd0 : count", "count"),
    "associated data count": Mutation(M, "28'(!second && !aad && !tag)", "28'(!second && !tag)"),
    "both calls count": Mutation(M, "28'(!second && !aad", "28'(!aad"),
    "the count of the packet before": Mutation(M, "first && !second ?", "1'b0 ?"),
    "the second call under another key": Mutation(
        M, "core_window <= again_q ? again_window : beat_window", "core_window <= beat_window"
    ),
    "no wait for the second call": Mutation(M, "beat_hold = back_q && more", "beat_hold = 1'b0"),
    "decryption authenticates the ciphertext": Mutation(M, "(decrypt ? sum :", "(1'b0 ? sum :"),
    "associated data come out moved": Mutation(
        M, "{back_wait[111:0], back_tail[47:32]}", "back_wait"
    ),
    "long associated data come out moved": Mutation(M, "{back_wait[79:0], back_tail}", "back_wait"),
    "the nonce of the packet before": Mutation(
        M, "(zeroize || (core_valid && first_q)) nonces", "(zeroize) nonces"
    ),
    "zeroization keeps the blocks": Mutation(
        M, "if (zeroize || next_valid_q) chains", "if (next_valid_q) chains"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, streams: int, mutation: Mutation | None = None) -> None:
        stream = max(1, (streams - 1).bit_length())
        bench.add(
            name,
            M,
            {"Streams": streams, "WindowBits": WINDOW},
            inputs={
                **{"head_stream": stream, "beat_valid": 1, "beat_stream": stream, "beat_first": 1},
                **{"beat_last": 1, "beat_aad": 1, "beat_keep": 16, "beat_data": 128},
                **{"beat_decrypt": 1, "beat_long": 1, "beat_nonce": 104, "beat_nonce_bytes": 4},
                **{"beat_aad_bytes": 32, "beat_text_bytes": 32, "beat_tag_bytes": 5},
                **{"beat_window": WINDOW},
                **{"out_valid": 1, "out_stream": stream, "out_block": 128},
            },
            outputs={
                **{"beat_hold": 1, "core_valid": 1, "core_stream": stream, "core_window": WINDOW},
                **{"core_block": 128, "result_valid": 1, "result_stream": stream},
                **{"result_data": 128, "result_error": 1},
            },
            probes={"chain_0": ("chains[0]", 128)},
            mutation=mutation,
        )

    for name, streams in SHAPES.items():
        add(name, streams)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["5 streams"], mutation)
    return bench


def core(block: int, window: int) -> int:
    """Any function will do."""
    data = block.to_bytes(16, "big") + window.to_bytes(2, "big")
    return int.from_bytes(hashlib.md5(data).digest(), "big")


def number(data: bytes) -> int:
    """Return up to 16 bytes as a block, the first at the top."""
    return int.from_bytes(data.ljust(16, b"\0"), "big")


class Stream:
    """A stream and its packet, straight from the standard."""

    def __init__(self) -> None:
        self.due: list[tuple[bytes, int, int]] = []  # bytes, mark, last
        self.busy = False
        self.calls: list[tuple[int, int]] = []  # that the beat in work has still to make
        self.result = (0, 0, 0)  # block, its bytes, error

    def begin(self, draw: random.Random) -> None:
        self.window = draw.getrandbits(WINDOW)
        self.nonce = draw.randbytes(draw.randrange(7, 14))
        self.decrypt = draw.randrange(2)
        self.tag_bytes = draw.choice(TAG_BYTES)
        # Of long associated data come only the first beats.
        sizes = (0, 0, 9, 10, 14, 15, 16, 17, 30, 31, 48, 2**16 - 257, 2**16 - 256, 2**20 + 3)
        aad, text = draw.choice(sizes), draw.choice(sizes[:-3])
        self.aad_bytes, self.text_bytes = aad, text
        self.due = []
        for size, mark in ((aad, 1), (text, 0)):
            for at in range(0, min(size, 16 * 5), 16):
                self.due.append((draw.randbytes(min(16, size - at)), mark, 0))
        self.whole = aad <= 16 * 5
        if self.whole:
            self.due.append((draw.randbytes(self.tag_bytes), 0, 1))
        else:
            self.due = [beat for beat in self.due if beat[1]]
        self.first = True
        self.count = 0
        self.wrong = 0
        # What CBC-MAC has still to take: B0, then the start of the associated data.
        self.block = number(first_block(self.nonce, text, aad, self.tag_bytes))
        self.carry = encoded_length(aad)

    def call(self, block: int) -> int:
        self.calls.append((block, self.window))
        return core(block, self.window)

    def beat(self, data: bytes, mark: int, last: int, right: bool) -> None:
        """Work a beat: its calls, and its result."""
        self.busy = True
        x = self.call(self.block)
        self.wrong |= not right
        error = self.wrong
        if mark:
            whole = self.carry + data
            self.block = x ^ number(whole[:16])
            self.carry = whole[16:]
            # Only the last beat of the section may have more than fit.
            if self.carry and not (self.due and self.due[0][1]) and self.whole:
                self.block = self.call(self.block) ^ number(self.carry)
            self.result = (number(data), len(data), error)
            return
        stream = self.call(number(counter_block(self.nonce, 0 if last else self.count + 1)))
        mask = 2**128 - 2 ** (128 - 8 * len(data))
        if last:
            made = (x ^ stream) & mask
            error |= self.decrypt and made != number(data)
            self.result = (0 if self.decrypt else made, len(data), int(error))
            return
        self.count += 1
        out = (number(data) ^ stream) & mask
        self.block = x ^ (out if self.decrypt else number(data))
        self.result = (out, len(data), error)

    def right_tag(self) -> bytes:
        """Return what the tag must be, if this is its turn."""
        made = core(self.block, self.window)
        made ^= core(number(counter_block(self.nonce, 0)), self.window)
        return made.to_bytes(16, "big")[: self.tag_bytes]


async def traffic(
    driver: Driver, faults: Faults, draw: random.Random, bench: Bench, cycles: int
) -> int:
    class State:
        def __init__(self, one: Instance) -> None:
            self.one = one
            self.streams = [Stream() for _ in range(one["Streams"])]
            self.in_core: list[tuple[int, int, int]] = []  # stream, answer, since
            self.head = 0
            self.held = True

    states = {one.name: State(one) for one in bench.instances}
    verified = 0
    for at in range(cycles):
        # At the end only what is under way goes on.
        share = 0.8 if at < cycles - 300 else 0.0
        own: dict[str, dict[str, int]] = {}
        for name, s in states.items():
            if name in faults.first:
                continue
            values = {"beat_stream": s.head}
            stream = s.streams[s.head]
            if not s.held and not stream.busy and draw.random() < share:
                if not stream.due:
                    stream.begin(draw)
                data, mark, last = stream.due.pop(0)
                if last and draw.random() < 0.7:
                    data = stream.right_tag()
                    verified += stream.decrypt
                right = draw.random() < 0.98
                values |= {"beat_valid": 1, "beat_first": int(stream.first), "beat_last": last}
                values |= {"beat_aad": mark, "beat_decrypt": stream.decrypt}
                values |= {"beat_aad_bytes": stream.aad_bytes, "beat_window": stream.window}
                values |= {"beat_long": int(stream.aad_bytes >= 2**16 - 2**8)}
                values |= {"beat_text_bytes": stream.text_bytes}
                values |= {"beat_tag_bytes": stream.tag_bytes}
                nonce = stream.nonce if stream.first else draw.randbytes(13)
                values |= {"beat_nonce": int.from_bytes(nonce.ljust(13, b"\0"), "big")}
                values |= {"beat_nonce_bytes": len(nonce)}
                # A wrong beat has a byte less; its text is worked on all the same.
                right |= len(data) < 2 or bool(mark or last)
                data = data if right else data[:-1]
                values |= {"beat_keep": 2 ** len(data) - 1}
                # What is not kept may hold anything.
                above = draw.getrandbits(128) >> 8 * len(data)
                values |= {"beat_data": number(data) | above}
                stream.beat(data, mark, last, right)
                stream.first = False
            s.head = values["head_stream"] = draw.randrange(len(s.streams))
            ready = [one for one in s.in_core if at > one[2]]
            if ready and draw.random() < 0.6:
                taken = draw.choice(ready)
                s.in_core.remove(taken)
                values |= {"out_valid": 1, "out_stream": taken[0], "out_block": taken[1]}
            own[name] = values
        now = driver.number
        outputs = await driver.cycle({}, own)
        for name, s in states.items():
            if name in faults.first:
                continue
            one = s.one
            got = partial(outputs.of, one)
            # A beat may come next when this cycle did not hold it and its stream was free.
            s.held = bool(got("beat_hold")) or s.streams[s.head].busy
            if got("core_valid"):
                which = min(got("core_stream"), len(s.streams) - 1)
                stream = s.streams[which]
                due = stream.calls.pop(0) if stream.calls else None
                block = (got("core_block"), got("core_window"))
                faults.check(one, block, due, f"block of stream {which} in cycle {now}")
                s.in_core.append((which, core(*block), at))
            if got("result_valid"):
                which = min(got("result_stream"), len(s.streams) - 1)
                stream = s.streams[which]
                value, size, error = stream.result
                shift = 128 - 8 * size
                found = (
                    stream.busy and not stream.calls,
                    0 if error else got("result_data") >> shift,
                    got("result_error"),
                )
                wanted = (True, 0 if error else value >> shift, error)
                faults.check(one, found, wanted, f"result of stream {which}, cycle {now}")
                stream.busy = False
    for name, s in states.items():
        waiting = [which for which, stream in enumerate(s.streams) if stream.busy]
        faults.check(s.one, waiting, [], f"streams of {name} that wait")
    return verified


@cocotb.test()
async def beats_pass(dut: Any) -> None:
    """Packets of random lengths over all streams; the core answers in any order."""
    bench, draw, faults = make_bench(), random.Random(5), Faults()
    driver = Driver(dut, bench)
    verified = 0
    for _ in range(2):
        await driver.cycle({"rst": 1})
        verified += await traffic(driver, faults, draw, bench, 1500)
        for _ in range(12):
            await driver.cycle({"zeroize": 1})
        outputs = await driver.cycle({}, probes=True)
        for one in bench.instances:
            for port in ("chain_0", "core_block", "core_window", "result_data"):
                faults.check(one, outputs.of(one, port), 0, f"{port} after zeroization")
    bench.judge(faults)
    assert verified > 40, verified
    for one in bench.instances:
        assert one.mutation or faults.compared[one.name] > 300, one.name


@pytest.mark.usefixtures("mutants")
def test_aesforge_mode_ccm(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

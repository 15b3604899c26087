# SPDX-License-Identifier: Apache-2.0
"""aesforge_mode_feedback: what enters the core and what comes of it, mode by mode.

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
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate
from streams import CBC, CBC_MAC, CFB128, CFB_BYTES, CMAC128, DIGESTS, OFB128

M = "aesforge_mode_feedback"
WINDOW = 9
SHAPES = {
    "all": (252, 5),
    "cbc": (4, 4),
    "cfb": (8, 3),
    "ofb": (16, 1),
    "cfb8": (32, 3),
    "mac": (64, 2),
    "cmac": (128, 3),
    "cfb and ofb": (24, 4),
}
MUTATIONS = {
    "the IV in every beat": ("cbc", Mutation(M, "= beat_first && !mac ? beat", "= !mac ? beat")),
    "a MAC takes the IV": (
        "mac",
        Mutation(M, "= beat_first && !mac ? beat", "= beat_first ? beat"),
    ),
    "a chain in a first beat": (
        "cfb",
        Mutation(M, "block_chains = !beat_first && !", "block_chains = !"),
    ),
    "no chain beside the core": (
        "cmac",
        Mutation(M, "wait_chains = !beat_first && cmac", "wait_chains = 1'b0"),
    ),
    "a chain in a second call": (
        "all",
        Mutation(M, "block_chains_q <= !again_q && block", "block_chains_q <= block"),
    ),
    "a chain stays in its RAM": (
        "cbc",
        Mutation(M, "late_chain_q <= chain_q", "late_chain_q <= late_chain_q"),
    ),
    "another stream's chain": (
        "cbc",
        Mutation(M, "chain_q <= chains[head_stream]", "chain_q <= chains[0]"),
    ),
    "CFB feeds its result back": (
        "cfb",
        Mutation(M, "back_decrypt ? back_wait : sum", "back_block"),
    ),
    "CFB decrypts as it encrypts": ("cfb", Mutation(M, "back_decrypt ? back_wait : sum", "sum")),
    "OFB gives its result": (
        "cfb and ofb",
        Mutation(M, " || (HasOfb && back_ofb) ? sum", " ? sum"),
    ),
    "OFB feeds its sum back": ("ofb", Mutation(M, "HasCfb && back_cfb ? (back", "1'b1 ? (back")),
    "a byte too few": ("cfb8", Mutation(M, "cfb8 ? bytes : cmac", "cfb8 ? bytes - 4'd1 : cmac")),
    "bytes in reverse": ("cfb8", Mutation(M, "back_place == 4'(i) ||", "i == 0 ||")),
    "CFB8 shifts the plaintext in": (
        "cfb8",
        Mutation(M, "back_decrypt ? plain : sum[127-:8]}", "plain}"),
    ),
    "no wait for the second call": (
        "all",
        Mutation(M, "beat_hold = back_q && back_info_q[7:4] != '0", "beat_hold = 1'b0"),
    ),
    "a beat at the same time": (
        "cmac",
        Mutation(M, "core_valid <= beat_valid || again_q;", "core_valid <= beat_valid;"),
    ),
    "the second call under another key": (
        "cfb8",
        Mutation(M, "core_window = late_again_q ? late_window_q :", "core_window = 0 ? '0 :"),
    ),
    "K2 for every last block": ("cmac", Mutation(M, "subkey = back_full ?", "subkey = 0 ?")),
    "no padding": ("cmac", Mutation(M, "= 8'h80;", "= 8'h00;")),
    "a wrong polynomial": ("cmac", Mutation(M, "128'h87 : 128'h0", "128'h86 : 128'h0")),
    "zeroization keeps the chains": (
        "cbc",
        Mutation(M, "if (zeroize || next_valid_q) chains", "if (next_valid_q) chains"),
    ),
}
MASK = 2**128 - 1


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, int], mutation: Mutation | None = None) -> None:
        stream = max(1, (shape[1] - 1).bit_length())
        bench.add(
            name,
            M,
            {"Modes": shape[0], "Streams": shape[1], "WindowBits": WINDOW},
            inputs={
                **{"head_stream": stream, "beat_valid": 1, "beat_stream": stream, "beat_first": 1},
                **{"beat_last": 1, "beat_keep": 16, "beat_data": 128, "beat_mode": 3},
                **{"beat_decrypt": 1, "beat_iv": 128, "late_window": WINDOW},
                **{"out_valid": 1, "out_stream": stream, "out_block": 128},
            },
            outputs={
                **{"beat_hold": 1, "core_valid": 1, "core_stream": stream, "core_window": WINDOW},
                **{
                    "core_block": 128,
                    "result_valid": 1,
                    "result_stream": stream,
                    "result_data": 128,
                },
            },
            probes={"chain_0": ("chains[0]", 128)},
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, (shape_name, mutation) in MUTATIONS.items():
        add(name, SHAPES[shape_name], mutation)
    return bench


def core(block: int, window: int) -> int:
    """Any function will do."""
    data = block.to_bytes(16, "big") + window.to_bytes(2, "big")
    return int.from_bytes(hashlib.md5(data).digest(), "big")


def double(block: int) -> int:
    """SP 800-38B Sec. 6.1."""
    return (block << 1 & MASK) ^ (0x87 if block >> 127 else 0)


class Stream:
    """A stream and its packet, straight from the standards."""

    def __init__(self) -> None:
        self.open = False
        self.busy = False
        self.calls: list[tuple[int, int]] = []  # that the beat in work has still to make
        self.result = 0

    def begin(self, mode: int, decrypt: int, window: int, iv: int) -> None:
        self.open = True
        self.mode, self.decrypt, self.window, self.iv = mode, decrypt, window, iv
        self.chain = 0 if mode in DIGESTS else iv
        self.first = True

    def beat(self, data: int, size: int, last: bool) -> None:
        """Work a beat: its calls, its result, the chain for the next."""
        mode, window = self.mode, self.window
        if mode == CFB_BYTES:
            out = 0
            for i in range(size):
                byte = data >> (120 - 8 * i) & 0xFF
                answer = self.call(self.chain)
                value = byte ^ answer >> 120
                out |= value << (120 - 8 * i)
                self.chain = (self.chain << 8 & MASK) | (byte if self.decrypt else value)
            self.result = out
        elif mode in (CFB128, OFB128):
            answer = self.call(self.chain)
            self.result = data ^ answer
            cipher = data if self.decrypt else self.result
            self.chain = cipher if mode == CFB128 else answer
        elif mode == CMAC128 and last:
            subkey = double(self.call(0))
            if size < 16:
                subkey = double(subkey)
                data = data >> (128 - 8 * size) << (128 - 8 * size) | 0x80 << (120 - 8 * size)
            self.result = self.call(data ^ self.chain ^ subkey)
        else:
            self.result = self.chain = self.call(data ^ self.chain)
        self.size = size if mode in (CFB_BYTES, CFB128, OFB128) else 16
        self.busy = True
        self.open = not last
        self.first = False
        assert window == self.window

    def call(self, block: int) -> int:
        self.calls.append((block, self.window))
        return core(block, self.window)


async def traffic(
    driver: Driver, faults: Faults, draw: random.Random, bench: Bench, cycles: int
) -> None:
    class State:
        def __init__(self, one: Instance) -> None:
            self.one = one
            self.streams = [Stream() for _ in range(one["Streams"])]
            self.built = [mode for mode in range(2, 8) if one["Modes"] >> mode & 1]
            self.in_core: list[tuple[int, int]] = []  # stream, answer
            self.head = 0
            self.held = True
            self.came = False
            self.window = 0  # of the beat of the cycle before

    states = {one.name: State(one) for one in bench.instances}
    for number in range(cycles):
        # At the end only what is under way goes on.
        share = 0.8 if number < cycles - 300 else 0.0
        own: dict[str, dict[str, int]] = {}
        for name, s in states.items():
            if name in faults.first:
                continue
            values = {"beat_stream": s.head, "late_window": s.window}
            s.window = draw.getrandbits(WINDOW)
            stream = s.streams[s.head]
            s.came = not s.held and not stream.busy and draw.random() < share
            if s.came:
                if not stream.open:
                    stream.begin(
                        draw.choice(s.built),
                        draw.randrange(2),
                        draw.getrandbits(WINDOW),
                        draw.getrandbits(128),
                    )
                    if stream.mode in (CBC, OFB128):
                        stream.decrypt = 0
                last = draw.random() < 0.4
                short = last and stream.mode not in (CBC, CBC_MAC)
                least = 0 if stream.mode == CMAC128 and stream.first else 1
                size = draw.choice((16, draw.randrange(least, 17))) if short else 16
                data = draw.getrandbits(128)
                values |= {"beat_valid": 1, "beat_first": int(stream.first), "beat_last": int(last)}
                values |= {"beat_keep": 2**size - 1, "beat_data": data, "beat_mode": stream.mode}
                values["beat_decrypt"] = stream.decrypt
                s.window = stream.window
                values["beat_iv"] = stream.iv if stream.first else draw.getrandbits(128)
                stream.beat(data, size, last)
            s.head = values["head_stream"] = draw.randrange(len(s.streams))
            if s.in_core and draw.random() < 0.6:
                number, answer = s.in_core.pop(draw.randrange(len(s.in_core)))
                values |= {"out_valid": 1, "out_stream": number, "out_block": answer}
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
                number = got("core_stream")
                stream = s.streams[min(number, len(s.streams) - 1)]
                due = stream.calls.pop(0) if stream.calls else None
                block = (got("core_block"), got("core_window"))
                faults.check(one, block, due, f"block of stream {number} in cycle {now}")
                s.in_core.append((number, core(*block)))
            if got("result_valid"):
                number = got("result_stream")
                stream = s.streams[min(number, len(s.streams) - 1)]
                shift = 128 - 8 * getattr(stream, "size", 16)
                result = (stream.busy and not stream.calls, got("result_data") >> shift)
                faults.check(
                    one, result, (True, stream.result >> shift), f"result of stream {number}, {now}"
                )
                stream.busy = False
    for name, s in states.items():
        waiting = [number for number, stream in enumerate(s.streams) if stream.busy]
        faults.check(s.one, waiting, [], f"streams of {name} that wait")


@cocotb.test()
async def beats_pass(dut: Any) -> None:
    """Packets of random modes and lengths over all streams; the core answers in any order."""
    bench, draw, faults = make_bench(), random.Random(5), Faults()
    driver = Driver(dut, bench)
    for _ in range(2):
        await driver.cycle({"rst": 1})
        await traffic(driver, faults, draw, bench, 900)
        for _ in range(12):
            await driver.cycle({"zeroize": 1})
        outputs = await driver.cycle({}, probes=True)
        for one in bench.instances:
            for port in ("chain_0", "core_block", "core_window", "result_data"):
                faults.check(one, outputs.of(one, port), 0, f"{port} after zeroization")
    bench.judge(faults)
    for one in bench.instances:
        assert one.mutation or faults.compared[one.name] > 300, one.name


@pytest.mark.usefixtures("mutants")
def test_aesforge_mode_feedback(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_illegal_modes_are_refused() -> None:
    for modes in (0, 2, 5, 256):
        legal, said = elaborate(M, {"Modes": modes})
        assert not legal
        assert "modes must be a sum of" in said

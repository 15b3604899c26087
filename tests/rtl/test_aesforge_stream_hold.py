# SPDX-License-Identifier: Apache-2.0
"""aesforge_stream_hold: packets of several streams leave whole, or as one beat of zeros."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate

M = "aesforge_stream_hold"
DATA, SIDE = 24, 6
# Streams and places of each; the mutants have the second.
SHAPES = ((1, 16), (3, 8), (4, 64), (6, 8))
MUTANT_SHAPE = (3, 16)
LATENCY = 6
MUTATIONS = {
    "the error is not seen": Mutation(M, "bad = error_q || long_q", "bad = long_q"),
    "an error in the midst counts": Mutation(M, "s_last && s_error", "s_error"),
    "a long packet passes": Mutation(M, "bad = error_q || long_q", "bad = error_q"),
    "the beats of an error stay": Mutation(M, "bad ? commit_q : write_q", "write_q"),
    "the data of an error stay": Mutation(M, "if (bad) word_q[Width-1-:DataBits] <= '0;", ""),
    "the side of an error is lost": Mutation(
        M, "if (bad) word_q[Width-1-:DataBits] <= '0;", "if (bad) word_q <= '0;"
    ),
    "no error flag": Mutation(M, "commit_q, next, bad}", "commit_q, next, 1'b0}"),
    "a beat is missing at the end": Mutation(M, "commit_q, next, bad}", "commit_q, place, bad}"),
    "every beat ends a packet": Mutation(M, "if (go && last_q) begin", "if (go) begin"),
    "a long packet keeps its places": Mutation(
        M, "state = {commit_q, commit_q, 1'b1}", "state = {next, commit_q, 1'b1}"
    ),
    "a packet is too long too early": Mutation(M, "PlaceBits'(Depth - 5)", "PlaceBits'(Depth - 6)"),
    "a packet is too long too late": Mutation(
        M,
        "long_q || length == PlaceBits'(Depth - 5)",
        "long_q || length == PlaceBits'(Depth - 4)",
    ),
    "the next packet is too long as well": Mutation(
        M, "{next, next, 1'b0}", "{next, next, long_q}"
    ),
    "one stream for all": Mutation(
        M,
        "address_q <= zeroize ? walk_q : {stream_q",
        "address_q <= zeroize ? walk_q : {StreamBits'(0)",
    ),
    "the pointers of the stream before": Mutation(M, "(go && s_stream != stream_q)", "go"),
    "pointers are looked up at the wrong stream": Mutation(
        M, "look = again_q ? stream_q : s_stream", "look = s_stream"
    ),
    "a full stream loses a beat": Mutation(
        M, "put_q   <= take || (put_q && !go)", "put_q   <= take"
    ),
    "a full stream overwrites": Mutation(
        M, "full = used >= PlaceBits'(Depth - 4) || orders_full", "full = orders_full"
    ),
    "stalls too early": Mutation(
        M, "full = used >= PlaceBits'(Depth - 4)", "full = used >= PlaceBits'(Depth - 5)"
    ),
    "a full stream never looks again": Mutation(M, "if (take || again_q) begin", "if (take) begin"),
    "places are never free again": Mutation(M, "walk ? '0 : after;", "'0;"),
    "too many packets wait": Mutation(
        M, "PlaceBits'(Depth - 4) || orders_full", "PlaceBits'(Depth - 4)"
    ),
    "the stream is that of the packet after": Mutation(
        M, "{second_q, second_mark_q}", "{second_q, first_mark_q}"
    ),
    "reads on while the RAM's register waits": Mutation(
        M, "first_take = !first_valid_q || second_take", "first_take = 1'b1"
    ),
    "reads on while the second register waits": Mutation(
        M, "second_take = !second_valid_q || out_ready", "second_take = 1'b1"
    ),
    "a bubble after each beat": Mutation(
        M, "first_take = !first_valid_q || second_take", "first_take = !first_valid_q"
    ),
    "a bubble after each packet": Mutation(M, "(!busy_q || (leave && end_now))", "!busy_q"),
    "a bubble before each beat": Mutation(M, "(!put_q || (go && s_stream != stream_q))", "!put_q"),
    "pointers stay after a reset": Mutation(M, "clean_q <= 1'b0;", "clean_q <= 1'b1;"),
    "the reset skips a stream": Mutation(
        M, "if (walk) walk_q <= walk_q + 1'b1;", "if (walk) walk_q <= walk_q + 2'd3;"
    ),
    "zeroization writes nothing": Mutation(
        M, "(last_q || !long_q)) || zeroize;", "(last_q || !long_q));"
    ),
    "zeroization stays at one place": Mutation(
        M, "address_q <= zeroize ? walk_q", "address_q <= zeroize ? '0"
    ),
    "zeroization keeps the beat that came": Mutation(M, "if (zeroize) {data_q, side_q} <= '0;", ""),
    "zeroization keeps the first register": Mutation(
        M, "first_q <= memory", "if (!zeroize) first_q <= memory"
    ),
    "zeroization keeps the second register": Mutation(
        M, "second_q <= first_q", "if (!zeroize) second_q <= first_q"
    ),
    "zeroization keeps the packet that leaves": Mutation(
        M, "{busy_q, first_valid_q, second_valid_q} <= '0", "{first_valid_q, second_valid_q} <= '0"
    ),
    "zeroization keeps the pointers": Mutation(
        M, "if (walk || go) states", "if (!clean_q || go) states"
    ),
    "zeroization keeps the slice": Mutation(
        M,
        ") u_out (\n      .clk,\n      .rst,\n      .zeroize,",
        ") u_out (\n      .clk,\n      .rst,\n      .zeroize(1'b0),",
    ),
    "zeroization accepts beats": Mutation(M, "s_ready = !walk && ", "s_ready = clean_q && "),
}


def stream_bits(streams: int) -> int:
    return max(1, (streams - 1).bit_length())


def make_bench() -> Bench:
    bench = Bench({"rst": 1})

    def add(name: str, shape: tuple[int, int], mutation: Mutation | None = None) -> None:
        streams, depth = shape
        bits = stream_bits(streams)
        width = DATA + SIDE
        probes = {f"word_{i}": (f"memory[{i}]", width) for i in range(depth << bits)}
        probes |= {"entry": ("data_q", DATA), "word": ("word_q", width)}
        probes |= {"first": ("first_q", width), "second": ("second_q", width)}
        bench.add(
            name,
            M,
            {"DataBits": DATA, "SideBits": SIDE, "Streams": streams, "Depth": depth},
            inputs={
                **{"zeroize": 1, "s_valid": 1, "s_stream": bits, "s_data": DATA},
                **{"s_side": SIDE, "s_last": 1, "s_error": 1, "m_ready": 1},
            },
            outputs={
                **{"s_ready": 1, "m_valid": 1, "m_stream": bits, "m_data": DATA},
                **{"m_side": SIDE, "m_last": 1, "m_error": 1},
            },
            probes=probes,
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"{shape[0]} streams of {shape[1]}", shape)
    for name, mutation in MUTATIONS.items():
        add(name, MUTANT_SHAPE, mutation)
    return bench


@dataclass(frozen=True)
class Beat:
    stream: int
    data: int
    side: int
    last: int
    error: int

    def ports(self, direction: str) -> dict[str, int]:
        """The beat at the ports of one direction."""
        return {f"{direction}_{name}": value for name, value in vars(self).items()}


class Traffic:
    """What one instance is given, and has to show."""

    def __init__(self, one: Instance, seed: int) -> None:
        self.draw = random.Random(seed)
        self.depth = one["Depth"]
        # Those beyond the streams are legal here: their packets are errors elsewhere.
        self.streams = 1 << stream_bits(one["Streams"])
        self.turn = 0
        self.kind = "whole"
        self.open: dict[int, list[Beat]] = {}  # packets, as far as they were accepted
        self.rest: dict[int, list[Beat]] = {}  # their other beats
        self.offered: Beat | None = None
        self.accepted = 0
        self.times: list[int] = []  # when each was
        # First cycle at the output, beats that were accepted before it can be, beat.
        self.due: list[tuple[int, int, Beat]] = []
        self.gone = 0
        self.last_gone = -100

    def _length(self) -> int:
        if self.kind == "whole":
            return self.draw.randint(2, self.depth // 2)
        if self.kind == "short":
            return 1
        near = self.depth - 4 + self.draw.randint(-2, 2)
        few = self.draw.randint(1, self.depth // 2)
        long = 2 * self.depth + self.draw.randint(0, 9)
        return self.draw.choice((1, few, few, near, near, long))

    def next(self) -> Beat:
        """The beat to offer; it stays until it is accepted."""
        if self.offered is not None:
            return self.offered
        # In turn, so that no two of one stream follow each other; or any, often the same again.
        if self.kind == "whole":
            self.turn = (self.turn + 1) % self.streams
        elif self.draw.random() < 0.6:
            self.turn = self.draw.randrange(self.streams)
        stream = self.turn
        if not self.rest.get(stream):
            length = self._length()
            wrong = self.kind == "any" and self.draw.random() < 0.3
            # Before the last beat, the flag means nothing.
            self.rest[stream] = [
                Beat(
                    stream,
                    self.draw.getrandbits(DATA) | 1,
                    self.draw.getrandbits(SIDE) | 1,
                    int(place == length - 1),
                    int(wrong) if place == length - 1 else self.draw.getrandbits(1),
                )
                for place in range(length)
            ]
        self.offered = self.rest[stream][0]
        return self.offered

    def accept(self, now: int) -> None:
        """The offered beat is accepted."""
        beat, self.offered = self.offered, None
        assert beat is not None
        self.rest[beat.stream].pop(0)
        packet = self.open.setdefault(beat.stream, [])
        packet.append(beat)
        self.accepted += 1
        self.times.append(now)
        if beat.last:
            if beat.error or len(packet) > self.depth - 4:
                packet = [Beat(beat.stream, 0, beat.side, 1, 1)]
            out = [Beat(b.stream, b.data, b.side, b.last, int(not b.data)) for b in packet]
            # Whole packets leave, in the order in which they end.
            self.due += [(now + LATENCY, self.accepted, b) for b in out]
            self.open[beat.stream] = []

    def must_show(self, now: int) -> bool:
        """Whether nothing can be in the way of the next beat that is due."""
        start, number, _ = self.due[self.gone]
        # No beat came shortly before the last one of the packet: the latency.
        quiet = number < 2 or self.times[number - 2] < start - LATENCY - 10
        if quiet and self.last_gone < start - 10:
            return True
        # No bubble after another beat. One that was accepted may still wait for its place.
        if not self.gone or self.last_gone != now - 1:
            return False
        inside = len(self.times) > number + 1 and self.times[number + 1] < now - 6
        return inside or not self.due[self.gone - 1][2].last


@cocotb.test()
async def packets_pass_as_a_whole(dut: Any) -> None:
    """Any mix of coming and going, streams, errors and lengths; full rate; zeroizes in between."""
    bench, draw, faults = make_bench(), random.Random(1), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    # Packets, shares of cycles with a beat offered and taken, cycles.
    phases = (
        *(("whole", 1.0, 1.0, 300), ("any", 1.0, 1.0, 500), ("any", 0.6, 0.6, 300)),
        *(("short", 1.0, 0.2, 200), ("any", 1.0, 0.3, 300), ("any", 0.3, 1.0, 300)),
        *(("any", 0.1, 1.0, 300), ("any", 1.0, 0.0, 150), ("any", 1.0, 1.0, 300)),
        ("any", 0.0, 1.0, 200),
    )
    for turn in range(4):
        traffic = {one.name: Traffic(one, 100 * turn + one["Depth"]) for one in bench.instances}
        held: set[str] = set()
        for number, (kind, push, pop, cycles) in enumerate(phases):
            before = {name: state.accepted for name, state in traffic.items()}
            for _ in range(cycles):
                now = driver.number
                own: dict[str, dict[str, int]] = {}
                for one in bench.instances:
                    state = traffic[one.name]
                    state.kind = kind
                    noise = Beat(0, *(draw.getrandbits(bits) for bits in (DATA, SIDE, 1, 1)))
                    valid = int(draw.random() < push)
                    own[one.name] = (state.next() if valid else noise).ports("s")
                    own[one.name] |= {"s_valid": valid, "m_ready": int(draw.random() < pop)}
                outputs = await driver.cycle({}, own)
                for one in bench.instances:
                    state, given = traffic[one.name], own[one.name]
                    valid = outputs.of(one, "m_valid")
                    start, beat = (now + 1, None)
                    if state.gone < len(state.due):
                        start, _, beat = state.due[state.gone]
                    if valid:
                        faults.check(one, now >= start, True, f"m_valid in {now}")
                    else:
                        faults.check(one, one.name in held, False, f"m_valid fell in {now}")
                        must = now >= start and state.must_show(now)
                        faults.check(one, must, False, f"no m_valid in {now}")
                    if valid and beat:
                        for port, value in beat.ports("m").items():
                            faults.check(one, outputs.of(one, port), value, f"{port} in {now}")
                    held.discard(one.name)
                    if valid and given["m_ready"]:
                        state.gone += 1
                        state.last_gone = now
                    elif valid:
                        held.add(one.name)
                    if given["s_valid"] and outputs.of(one, "s_ready"):
                        state.accept(now)
            for one in bench.instances:
                state = traffic[one.name]
                share = (state.accepted - before[one.name]) / cycles
                if number == 0:
                    # Of one stream a beat every other cycle.
                    least = 0.4 if one["Streams"] == 1 else 0.9 if one["Depth"] > 8 else 0.8
                    faults.check(one, share > least, True, f"share of beats accepted, {share}")
                elif push == pop == 1.0:
                    faults.check(one, share > 0.3, True, f"share of beats accepted, {share}")
            if push == 0.0:
                for one in bench.instances:
                    state = traffic[one.name]
                    left = len(state.due) - state.gone
                    faults.check(one, left, 0, f"beats left inside in {driver.number}")
        for one in bench.instances:
            if one.mutation is None:
                assert traffic[one.name].gone > 300, (one.name, traffic[one.name].gone)
        # Some beats inside.
        for _ in range(60):
            own = {}
            for one in bench.instances:
                state = traffic[one.name]
                own[one.name] = state.next().ports("s") | {"s_valid": 1, "m_ready": 0}
            outputs = await driver.cycle({}, own)
            for one in bench.instances:
                if outputs.of(one, "s_ready"):
                    state = traffic[one.name]
                    state.accept(driver.number - 1)
        if turn % 2:
            await driver.cycle({"rst": 1})
            continue

        # Zeroization, as long as is promised to do: nothing leaves, and no beat that was inside
        # can be found.
        def needs(one: Instance) -> int:
            return (one["Depth"] << stream_bits(one["Streams"])) + 5

        longest = max(needs(one) for one in bench.instances)
        for step in range(longest):
            own = {}
            for one in bench.instances:
                high = int(step >= longest - needs(one))
                beat = Beat(0, *(draw.getrandbits(bits) for bits in (DATA, SIDE, 1, 1)))
                own[one.name] = {"zeroize": high, "s_valid": high, "m_ready": step & high}
                own[one.name] |= beat.ports("s")
            outputs = await driver.cycle({}, own)
            for one in bench.instances:
                if step < longest - needs(one):
                    continue
                faults.check(one, outputs.of(one, "s_ready"), 0, "s_ready while zeroizing")
                if step > longest - needs(one):
                    faults.check(one, outputs.of(one, "m_valid"), 0, "m_valid while zeroizing")
        outputs = await driver.cycle({}, probes=True)
        for one in bench.instances:
            faults.check(one, outputs.of(one, "m_data"), 0, "m_data after zeroization")
            for word in one.probes:
                faults.check(one, outputs.of(one, word), 0, f"{word} after zeroization")
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_stream_hold(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Depth": 12}, "depth must be a power of two, at least 8"),
        ({"Depth": 4}, "depth must be a power of two, at least 8"),
        ({"Streams": 300}, "streams must be 1 to 256"),
    ],
    ids=str,
)
def test_illegal_sets_are_refused(parameters: dict[str, int], message: str) -> None:
    legal, said = elaborate(M, parameters)
    assert not legal
    assert message in said


def test_one_stream_is_legal() -> None:
    legal, said = elaborate(M, {"Streams": 1, "Depth": 8})
    assert legal, said

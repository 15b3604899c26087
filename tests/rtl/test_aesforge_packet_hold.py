# SPDX-License-Identifier: Apache-2.0
"""aesforge_packet_hold: whole packets or one beat of zeros, in order, at full rate."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate

M = "aesforge_packet_hold"
DATA, SIDE = 24, 6
DEPTHS = (8, 16, 64)
LATENCY = 6
MUTATIONS = {
    "the error is not seen": Mutation(M, "bad = error_q || long_q", "bad = long_q"),
    "an error in the midst counts": Mutation(M, "s_last && s_error", "s_error"),
    "a long packet passes": Mutation(M, "bad = error_q || long_q", "bad = error_q"),
    "the beats of an error stay": Mutation(M, "bad ? commit_q : write_q", "write_q"),
    "the data of an error stay": Mutation(M, "if (bad) word_q[Width-1-:DataBits] <= '0;", ""),
    "the side of an error is lost": Mutation(
        M, "if (bad) word_q[Width-1-:DataBits]", "if (bad) word_q[Width-1:2]"
    ),
    "no error flag": Mutation(M, "side_q, last_q, bad}", "side_q, last_q, 1'b0}"),
    "beats leave before the last": Mutation(M, "commit_q != after_q", "write_q != after_q"),
    "beats leave before the last after a stall": Mutation(
        M, "commit_q != read_q;", "write_q != read_q;"
    ),
    "every beat ends a packet": Mutation(M, "if (put_q && last_q) begin", "if (put_q) begin"),
    "a long packet keeps its places": Mutation(
        M, "length_q[PlaceBits] ? commit_q : write_next", "write_next"
    ),
    "a packet is too long too early": Mutation(
        M, "length_q <= length_q + 1'b1", "length_q <= length_q + (length_q == 5 ? 2 : 1)"
    ),
    "a packet is too long too late": Mutation(
        M,
        "{write_q, commit_q} <= {next, next};\n      length_q <= (PlaceBits + 1)'(5)",
        "{write_q, commit_q} <= {next, next};\n      length_q <= (PlaceBits + 1)'(4)",
    ),
    "the next packet is too long as well": Mutation(
        M,
        "      long_q <= 1'b0;\n    end else",
        "    end else",
    ),
    "accepts what finds no place": Mutation(M, "s_valid && s_ready", "s_valid"),
    "one beat too many inside": Mutation(
        M, "used_q < PlaceBits'(Depth - 4)", "used_q <= PlaceBits'(Depth - 4)"
    ),
    "stalls too early": Mutation(M, "PlaceBits'(Depth - 4)", "PlaceBits'(Depth - 5)"),
    "reads on while the RAM's register waits": Mutation(
        M, "first_take = !first_valid_q || second_take", "first_take = 1'b1"
    ),
    "reads on while the second register waits": Mutation(
        M, "second_take = !second_valid_q || slice_ready", "second_take = 1'b1"
    ),
    "a bubble after each beat": Mutation(
        M, "first_take = !first_valid_q || second_take", "first_take = !first_valid_q"
    ),
    "zeroization writes nothing": Mutation(M, " || zeroize;", ";"),
    "zeroization stays at one place": Mutation(M, "      write_q <= write_q + 1'b1;\n", ""),
    "zeroization writes what comes": Mutation(
        M, "if (zeroize) {data_q, side_q, last_q, error_q} <= '0;", ""
    ),
    "zeroization keeps the first register": Mutation(
        M, "if (first_take) first_q", "if (first_take && !zeroize) first_q"
    ),
    "zeroization keeps the second register": Mutation(
        M, "if (second_take) second_q", "if (second_take && !zeroize) second_q"
    ),
    "zeroization keeps the read pointer": Mutation(
        M, "valid_q} <= '0;\n        read_q  <= '0;", "valid_q} <= '0;"
    ),
    "zeroization keeps a long packet": Mutation(M, "(5);\n      long_q   <= 1'b0;\n", "(5);\n"),
    "zeroization ends anywhere": Mutation(
        M, "if (rst || (zeroize_q && !zeroize)) write_q", "if (rst) write_q"
    ),
    "zeroization keeps the packets": Mutation(
        M, "{some_q, first_valid_q, second_valid_q} <= '0", "{some_q, first_valid_q} <= '0"
    ),
    "zeroization accepts beats": Mutation(M, "{put_q, s_ready} <= '0", "put_q <= '0"),
}
# Of a RAM in parts.
PARTS = 3
PART_MUTATIONS = {
    "a part has the data of the first": Mutation(M, "word_q[Low+:Bits]", "word_q[0+:Bits]"),
    "a part goes on by itself": Mutation(
        M, "first_valid_q || second_take", "first_valid_q || p == 1"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1})

    def add(name: str, depth: int, mutation: Mutation | None = None, parts: int = 1) -> None:
        width = DATA + SIDE + 2
        probes = {"entry": ("data_q", DATA), "word": ("word_q", width)}
        for part in range(parts):
            path = f"gen_part[{part}]"
            bits = DATA // parts if part else width - DATA // parts * (parts - 1)
            for i in range(depth):
                probes[f"word_{part}_{i}"] = (f"{path}.memory[{i}]", bits)
            probes[f"first_{part}"] = (f"{path}.first_q", bits)
            probes[f"second_{part}"] = (f"{path}.second_q", bits)
        bench.add(
            name,
            M,
            {"DataBits": DATA, "SideBits": SIDE, "Depth": depth, "Parts": parts},
            inputs={
                **{"zeroize": 1, "s_valid": 1, "s_data": DATA, "s_side": SIDE},
                **{"s_last": 1, "s_error": 1, "m_ready": 1},
            },
            outputs={
                **{"s_ready": 1, "m_valid": 1, "m_data": DATA, "m_side": SIDE},
                **{"m_last": 1, "m_error": 1},
            },
            probes=probes,
            mutation=mutation,
        )

    for depth in DEPTHS:
        add(f"depth {depth}", depth)
    for name, mutation in MUTATIONS.items():
        add(name, 16, mutation)
    add("parts", 16, None, PARTS)
    for name, mutation in PART_MUTATIONS.items():
        add(name, 16, mutation, PARTS)
    return bench


@dataclass(frozen=True)
class Beat:
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
        self.whole = True  # only packets that fit twice, and no errors
        self.packet: list[Beat] = []  # open packet, as far as it was accepted
        self.rest: list[Beat] = []  # its other beats
        self.accepted = 0
        self.due: list[tuple[int, Beat]] = []  # first cycle at the output, beat
        self.gone = 0
        self.free = 0  # first cycle in which the next beat can be at the output

    def _length(self) -> int:
        if self.whole:
            return self.draw.choice((1, 1, self.draw.randint(1, self.depth // 2), self.depth // 2))
        near = self.depth - 4 + self.draw.randint(-2, 2)
        few = self.draw.randint(1, self.depth // 2)
        return self.draw.choice((1, few, few, near, near, 2 * self.depth + self.draw.randint(0, 9)))

    def next(self) -> Beat:
        """The beat to offer."""
        if not self.rest:
            length, wrong = self._length(), not self.whole and self.draw.random() < 0.3
            # Before the last beat, the flag means nothing.
            self.rest = [
                Beat(
                    self.draw.getrandbits(DATA) | 1,
                    self.draw.getrandbits(SIDE),
                    int(place == length - 1),
                    int(wrong) if place == length - 1 else self.draw.getrandbits(1),
                )
                for place in range(length)
            ]
        return self.rest[0]

    def accept(self, now: int) -> None:
        """The offered beat is accepted."""
        beat = self.rest.pop(0)
        self.packet.append(beat)
        self.accepted += 1
        if beat.last:
            if beat.error or len(self.packet) > self.depth - 4:
                self.packet = [Beat(0, beat.side, 1, 1)]
            else:
                self.packet = [Beat(b.data, b.side, b.last, 0) for b in self.packet]
            self.due += [(now + LATENCY, b) for b in self.packet]
            self.packet = []

    def shown(self, now: int) -> Beat | None:
        """What has to be at the output."""
        if self.gone == len(self.due):
            return None
        start, beat = self.due[self.gone]
        return beat if now >= max(start, self.free) else None


@cocotb.test()
async def packets_pass_as_a_whole(dut: Any) -> None:
    """Any mix of coming and going, errors and lengths; full rate; zeroizes in between."""
    bench, draw, faults = make_bench(), random.Random(1), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    # Shares of cycles with a beat offered and taken, cycles.
    phases = (
        *((1.0, 1.0, 300), (1.0, 1.0, 600), (0.6, 0.6, 400), (1.0, 0.3, 300)),
        *((0.3, 1.0, 300), (0.15, 0.2, 300), (1.0, 0.0, 100), (1.0, 1.0, 400)),
    )
    for turn in range(6):
        traffic = {one.name: Traffic(one, 100 * turn + one["Depth"]) for one in bench.instances}
        begun = driver.number
        for number, (push, pop, cycles) in enumerate(phases):
            before = {name: state.accepted for name, state in traffic.items()}
            for _ in range(cycles):
                now = driver.number
                own: dict[str, dict[str, int]] = {}
                for one in bench.instances:
                    state = traffic[one.name]
                    state.whole = number == 0
                    noise = Beat(*(draw.getrandbits(bits) for bits in (DATA, SIDE, 1, 1)))
                    valid = int(draw.random() < push)
                    own[one.name] = (state.next() if valid else noise).ports("s")
                    own[one.name] |= {"s_valid": valid, "m_ready": int(draw.random() < pop)}
                outputs = await driver.cycle({}, own)
                for one in bench.instances:
                    state, given = traffic[one.name], own[one.name]
                    shown = state.shown(now)
                    valid = int(shown is not None)
                    faults.check(one, outputs.of(one, "m_valid"), valid, f"m_valid in {now}")
                    if shown:
                        for port, value in shown.ports("m").items():
                            faults.check(one, outputs.of(one, port), value, f"{port} in {now}")
                        if given["m_ready"]:
                            state.gone += 1
                            state.free = now + 1
                    if number == 0 and now > begun + 1 and one["Depth"] >= 16:
                        faults.check(one, outputs.of(one, "s_ready"), 1, f"s_ready in {now}")
                    if given["s_valid"] and outputs.of(one, "s_ready"):
                        state.accept(now)
            if push == pop == 1.0:
                for one in bench.instances:
                    share = (traffic[one.name].accepted - before[one.name]) / cycles
                    faults.check(one, share > 0.5, True, f"share of beats accepted, {share}")
        if turn % 2:
            await driver.cycle({"rst": 1})
            continue
        # Zeroization, as long as is promised to do: nothing leaves, and no beat that was inside
        # can be found.
        longest = max(DEPTHS) + 5
        for step in range(longest):
            own = {}
            for one in bench.instances:
                high = int(step >= longest - one["Depth"] - 5)
                beat = Beat(*(draw.getrandbits(bits) for bits in (DATA, SIDE, 1, 1)))
                own[one.name] = {"zeroize": high, "s_valid": high, "m_ready": step & high}
                own[one.name] |= beat.ports("s")
            outputs = await driver.cycle({}, own)
            for one in bench.instances:
                if step > longest - one["Depth"] - 5:
                    faults.check(one, outputs.of(one, "m_valid"), 0, "m_valid while zeroizing")
                    faults.check(one, outputs.of(one, "s_ready"), 0, "s_ready while zeroizing")
        outputs = await driver.cycle({}, probes=True)
        for one in bench.instances:
            faults.check(one, outputs.of(one, "m_data"), 0, "m_data after zeroization")
            for word in one.probes:
                faults.check(one, outputs.of(one, word), 0, f"{word} after zeroization")
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_packet_hold(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_depth_is_a_power_of_two() -> None:
    for depth in (4, 12):
        legal, said = elaborate(M, {"Depth": depth})
        assert not legal
        assert "depth must be a power of two, at least 8" in said
    assert elaborate(M, {"Depth": 8})[0]


def test_parts_divide_the_data() -> None:
    legal, said = elaborate(M, {"DataBits": 24, "Parts": 5})
    assert not legal
    assert "parts must divide the bits of data" in said

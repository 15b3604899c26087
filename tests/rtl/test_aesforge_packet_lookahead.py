# SPDX-License-Identifier: Apache-2.0
"""aesforge_packet_lookahead: how many beats follow, as soon as it is known, at full rate."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate

M = "aesforge_packet_lookahead"
WIDTH = 24
AHEADS = (4, 8, 16, 32)
LATENCY = 4
MUTATIONS = {
    "the last beat ends no run": Mutation(
        M, "last_q && index_q != '0, index_q}", "index_q != '0, index_q}"
    ),
    "a single beat has another": Mutation(M, "last_q && index_q != '0", "last_q"),
    "a beat too late": Mutation(M, "(last_q || index_q[LeftBits-1])", "last_q"),
    "a beat too early": Mutation(
        M, "last_q || index_q[LeftBits-1]", "last_q || index_q == LeftBits'(Ahead - 1)"
    ),
    "the count goes on after the packet": Mutation(
        M, " || (put_q && last_q)) index_q", ") index_q"
    ),
    "the count wraps": Mutation(
        M, "if (put_q && !index_q[LeftBits-1]) index_q", "if (put_q) index_q"
    ),
    "counts wrongly": Mutation(M, "(~index_q & ", "(index_q & "),
    "sees a run late": Mutation(M, "run_some_q <= run_put || (", "run_some_q <= ("),
    "a run that is not there": Mutation(M, "run_get ? run_write_q != run_after_q : run", "run"),
    "forgets a run": Mutation(M, ": run_write_q != run_read_q", ": 1'b0"),
    "a bubble after each run": Mutation(M, ".m_ready(run_take)", ".m_ready(run_take && !m_valid)"),
    "a run takes the place of another": Mutation(
        M, "run_take = step && !more_q", "run_take = step"
    ),
    "ends a run early": Mutation(M, "m_left != LeftBits'(1)", "m_left > LeftBits'(2)"),
    "the end is marked early": Mutation(M, "m_left == LeftBits'(1)", "m_left <= LeftBits'(2)"),
    "no end after a run": Mutation(M, "m_left == LeftBits'(1)", "1'b0"),
    "no end of a single beat": Mutation(M, "!run_more && !run_left[LeftBits-1];", "1'b0;"),
    "an end of a beat that others follow": Mutation(
        M, "!run_more && !run_left[LeftBits-1];", "!run_more;"
    ),
    "does not count down": Mutation(M, "more_q ? next_left", "more_q ? m_left"),
    "counts down wrongly": Mutation(M, "((m_left & ", "((~m_left & "),
    "moves on while the output waits": Mutation(M, "step = !m_valid || m_ready", "step = 1'b1"),
    "the next beat too early": Mutation(M, "leave = m_valid && m_ready", "leave = m_ready"),
    "a bubble after each beat": Mutation(M, "step = !m_valid || m_ready", "step = !m_valid"),
    "accepts what finds no place": Mutation(M, "s_valid && s_ready", "s_valid"),
    "a credit is lost": Mutation(M, ".give({1'b0, leave})", ".give({1'b0, leave && run_take})"),
    "too few credits for full rate": Mutation(M, ".Latency(2)", ".Latency(3)"),
    "more credits than places": Mutation(M, ".Latency(2)", ".Latency(0)"),
    "zeroization writes nothing": Mutation(
        M, "if (put_q || zeroize) write_q", "if (put_q) write_q"
    ),
    "zeroization writes what comes": Mutation(M, "if (zeroize) data_q <= '0;", ""),
    "zeroization keeps the count": Mutation(M, "if (rst || zeroize || (put_q", "if (rst || (put_q"),
    "zeroization keeps the runs": Mutation(M, "{run_read_q, run_some_q} <= '0", "run_read_q <= '0"),
    "zeroization ends with runs inside": Mutation(
        M, "if (rst || zeroize || zeroize_q) begin", "if (rst || zeroize) begin"
    ),
    "reset keeps the last run": Mutation(M, "{m_valid, more_q} <= '0", "m_valid <= '0"),
    "zeroization keeps the output": Mutation(M, "{m_valid, more_q} <= '0", "more_q <= '0"),
    "zeroization keeps the read pointer": Mutation(M, "{put_q, read_q} <= '0", "put_q <= '0"),
    "starts anywhere after zeroization": Mutation(
        M, "if (rst || (zeroize_q && !zeroize)) write_q <= '0;", "if (rst) write_q <= '0;"
    ),
    "starts with any run after zeroization": Mutation(
        M, "if (rst || (zeroize_q && !zeroize)) run_write_q <= '0;", "if (rst) run_write_q <= '0;"
    ),
}
MUTANT_AHEAD = 8
# Ahead, Blocks
WIDE_SHAPES = {"two blocks": (8, 2), "four blocks": (4, 4), "sixteen beats": (16, 4)}
WIDE_MUTANT = WIDE_SHAPES["two blocks"]
WIDE_MUTATIONS = {
    "beats too far back count": Mutation(
        M, "many ? grown - (SumBits + 1)'(before_q[Ahead-1]) - 1'b1 : grown", "grown"
    ),
    "the packet before counts": Mutation(M, "if (put_q && last_q) recent_q <= '0;", ""),
    "zeroization keeps the sum": Mutation(M, "if (rst || zeroize) recent_q <= '0;", ""),
    "the last run begins with a beat less": Mutation(
        M, "else if (m_left[LeftBits-1]) m_sum <= m_sum - SumBits'(m_size);", ""
    ),
    "beats of one block": Mutation(M, "m_sum - SumBits'(m_size) - 1'b1", "m_sum - 1'b1"),
    "a long run has a block more": Mutation(M, "many ? SumBits'(recent_q - 1'b1) :", ""),
    "the sum of the run before": Mutation(M, "if (!more_q) m_sum <= run_sum;\n        else", ""),
    "the size of the next beat": Mutation(
        M, "sizes[write_q] <= size_q", "sizes[write_q] <= s_size"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1})

    def add(name: str, ahead: int, mutation: Mutation | None = None, blocks: int = 1) -> None:
        probes = {f"word_{i}": (f"memory[{i}]", WIDTH) for i in range(max(16, 2 * ahead))}
        probes["entry"] = ("data_q", WIDTH)
        bench.add(
            name,
            M,
            {"Width": WIDTH, "Ahead": ahead, "Blocks": blocks},
            inputs={
                **{"zeroize": 1, "s_valid": 1, "s_data": WIDTH, "s_last": 1, "m_ready": 1},
                "s_size": max(1, (blocks - 1).bit_length()),
            },
            outputs={
                **{"s_ready": 1, "m_valid": 1, "m_data": WIDTH, "m_last": 1},
                **{"m_left": ahead.bit_length(), "m_sum": (ahead * blocks - 1).bit_length()},
            },
            probes=probes,
            mutation=mutation,
        )

    for ahead in AHEADS:
        add(f"ahead {ahead}", ahead)
    for name, mutation in MUTATIONS.items():
        add(name, MUTANT_AHEAD, mutation)
    for name, (ahead, blocks) in WIDE_SHAPES.items():
        add(name, ahead, blocks=blocks)
    for name, mutation in WIDE_MUTATIONS.items():
        add(name, WIDE_MUTANT[0], mutation, WIDE_MUTANT[1])
    return bench


def lengths(draw: random.Random, ahead: int, count: int) -> list[int]:
    """Beats of packets: all lengths near the limits, long ones, and runs of single beats."""
    found: list[int] = []
    while len(found) < count:
        found += draw.choice(
            (
                [1] * draw.randint(1, 2 * ahead),
                [draw.randint(1, ahead + 3)],
                [draw.choice((ahead - 1, ahead, ahead + 1, ahead + 2))],
                [draw.randint(2 * ahead, 4 * ahead)],
            )
        )
    return found


class Traffic:
    """What one instance was given and has to show."""

    def __init__(self, one: Instance, seed: int) -> None:
        draw = random.Random(seed)
        ahead, blocks = one["Ahead"], one["Blocks"]
        self.size_bits = max(1, (blocks - 1).bit_length())
        # data, last, blocks, left, sum, beat that decides
        self.beats: list[tuple[int, int, int, int, int, int]] = []
        for length in lengths(draw, ahead, 1000):
            sizes = [draw.choice((blocks, blocks, draw.randint(1, blocks))) for _ in range(length)]
            for place in range(length):
                left, last = min(length - 1 - place, ahead), place == length - 1
                now = len(self.beats)
                # Whatever a last beat says, it has one block.
                window = [*sizes[:-1], 1][place : place + ahead]
                size = draw.randint(1, blocks) if last else sizes[place]
                self.beats.append(
                    (draw.getrandbits(WIDTH), int(last), size, left, sum(window) - 1, now + left)
                )
        self.taken: list[int] = []  # cycles in which the beats were accepted
        self.gone = 0
        self.free = 0  # first cycle in which the next beat can be at the output

    def given(self, valid: int, noise: int) -> dict[str, int]:
        """The next beat's ports, or noise if there is none."""
        data, last, size, *_ = self.beats[len(self.taken)]
        if not valid:
            size = noise % 2**self.size_bits
            return {"s_data": noise, "s_last": noise & 1, "s_size": size}
        return {"s_valid": 1, "s_data": data, "s_last": last, "s_size": size - 1}

    def shown(self, now: int) -> bool:
        """Whether a beat has to be at the output."""
        deciding = self.beats[self.gone][-1]
        return deciding < len(self.taken) and now >= max(self.taken[deciding] + LATENCY, self.free)


@cocotb.test()
async def beats_are_counted(dut: Any) -> None:
    """Any mix of coming and going; each beat as soon as it is known; full rate; zeroizes."""
    bench, draw, faults = make_bench(), random.Random(1), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    # Shares of cycles with a beat offered and taken, cycles.
    phases = (
        *((1.0, 1.0, 500), (0.6, 0.6, 400), (1.0, 0.3, 300), (0.3, 1.0, 300)),
        (0.15, 0.2, 400),
        *((1.0, 0.0, 80), (1.0, 1.0, 200)),
    )
    for turn in range(8):
        traffic = {one.name: Traffic(one, 100 * turn + one["Ahead"]) for one in bench.instances}
        begun = driver.number
        for push, pop, cycles in phases:
            for _ in range(cycles):
                now = driver.number
                own: dict[str, dict[str, int]] = {}
                for one in bench.instances:
                    state = traffic[one.name]
                    ready = int(draw.random() < pop)
                    noise = draw.getrandbits(WIDTH)
                    own[one.name] = state.given(int(draw.random() < push), noise)
                    own[one.name]["m_ready"] = ready
                outputs = await driver.cycle({}, own)
                for one in bench.instances:
                    state, given = traffic[one.name], own[one.name]
                    shown = state.shown(now)
                    faults.check(one, outputs.of(one, "m_valid"), int(shown), f"m_valid in {now}")
                    if shown:
                        data, last, _, left, blocks, _ = state.beats[state.gone]
                        due = {"m_data": data, "m_last": last, "m_left": left, "m_sum": blocks}
                        for port, value in due.items():
                            faults.check(one, outputs.of(one, port), value, f"{port} in {now}")
                        if given["m_ready"]:
                            state.gone += 1
                            state.free = now + 1
                    if phases[0] == (push, pop, cycles) and now > begun + 1:
                        faults.check(one, outputs.of(one, "s_ready"), 1, f"s_ready in {now}")
                    if given.get("s_valid") and outputs.of(one, "s_ready"):
                        state.taken.append(now)
        if turn % 2:
            await driver.cycle({"rst": 1})
            continue
        # Zeroization, as long as is promised to do: nothing leaves, and no beat that was inside
        # can be found.
        longest = 2 * max(AHEADS) + 12
        for step in range(longest):
            own = {}
            for one in bench.instances:
                high = int(step >= longest - 2 * one["Ahead"] - 12)
                own[one.name] = {"zeroize": high, "s_valid": high, "m_ready": step & high}
                own[one.name]["s_data"] = draw.getrandbits(WIDTH)
            outputs = await driver.cycle({}, own)
            for one in bench.instances:
                if step > longest - 2 * one["Ahead"] - 12:
                    faults.check(one, outputs.of(one, "m_valid"), 0, "m_valid while zeroizing")
                    faults.check(one, outputs.of(one, "s_ready"), 0, "s_ready while zeroizing")
        outputs = await driver.cycle({}, probes=True)
        for one in bench.instances:
            faults.check(one, outputs.of(one, "m_data"), 0, "m_data after zeroization")
            for word in one.probes:
                faults.check(one, outputs.of(one, word), 0, f"{word} after zeroization")
    bench.judge(faults)


@pytest.mark.usefixtures("mutants")
def test_aesforge_packet_lookahead(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_ahead_is_a_power_of_two() -> None:
    for ahead in (2, 3, 12, 64):
        legal, said = elaborate(M, {"Ahead": ahead})
        assert not legal
        assert "ahead must be a power of two from 4 to 32" in said
    assert elaborate(M, {"Ahead": 4})[0]

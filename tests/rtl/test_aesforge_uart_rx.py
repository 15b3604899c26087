# SPDX-License-Identifier: Apache-2.0
"""aesforge_uart_rx: bytes of a sender whose clock is off, framing errors, noise, a low line."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate

M = "aesforge_uart_rx"
DIVIDERS = (4, 5, 16, 33)
MUTATIONS = {
    "samples at the edge": Mutation(M, "Divider / 2 - 1", "Divider / 8"),
    "a bit is a cycle short": Mutation(M, "CountBits'(Divider - 1)", "CountBits'(Divider - 2)"),
    "a sample too many": Mutation(M, "4'd10;\n    end", "4'd11;\n    end"),
    "highest bit first": Mutation(M, "{line, data[7:1]}", "{data[6:0], line}"),
    "noise is a start bit": Mutation(M, "if (line) left_q <= '0;", "if (1'b0) ;"),
    "a byte without a stop bit": Mutation(M, "valid <= line;", "valid <= 1'b1;"),
    "no framing error": Mutation(M, "error <= !line;", ""),
    "a line held low is bytes": Mutation(M, "line_q[2] && !line", "!line"),
    "a reset does not end a byte": Mutation(M, "      left_q <= '0;\n      valid", "      valid"),
    "a reset keeps the bits": Mutation(M, "      data <= '0;\n", ""),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1})
    inputs, outputs = {"rxd": 1}, {"valid": 1, "data": 8, "error": 1}
    for divider in DIVIDERS:
        bench.add(f"{divider} cycles", M, {"Divider": divider}, inputs=inputs, outputs=outputs)
    for name, mutation in MUTATIONS.items():
        bench.add(name, M, {"Divider": 16}, inputs=inputs, outputs=outputs, mutation=mutation)
    return bench


Event = int | str  # a byte that comes, or "error"


class Sender:
    """The line of one instance, and what it must make of it.

    Args:
        divider: cycles per bit of the receiver.
        drift: by how much longer a bit of the sender is.
    """

    def __init__(self, divider: int, drift: float) -> None:
        self.draw = random.Random(8)
        self.bit = divider * (1 + drift)
        self.due: list[Event] = []
        self.got: list[Event] = []
        self.levels = self._levels()

    def _levels(self) -> Iterator[int]:
        """Yield a level per cycle; a bit's edges lie where the sender's clock puts them."""
        owed = 0.0

        def hold(level: int, bits: float) -> Iterator[int]:
            nonlocal owed
            owed += bits * self.bit
            whole = int(owed)
            owed -= whole
            for _ in range(whole):
                yield level

        yield from hold(1, 3)
        for number in range(40):
            kind = self.draw.choice(("byte", "byte", "byte", "noise", "broken", "low"))
            value = self.draw.choice((0, 255, 0x55, 0xAA, self.draw.randrange(256)))
            if number < 10:
                kind = "byte"
            if kind == "noise":
                # Shorter than half a bit.
                yield from hold(0, 0.3)
                yield from hold(1, 2)
            elif kind == "low":
                self.due.append("error")
                yield from hold(0, 40)
                yield from hold(1, 1)
            else:
                yield from hold(0, 1)
                for index in range(8):
                    yield from hold(value >> index & 1, 1)
                self.due.append(value if kind == "byte" else "error")
                yield from hold(int(kind == "byte"), 1)
            # Back to back, or with a gap; after a broken byte the line must rise.
            yield from hold(1, self.draw.choice((0, 0, 0.5, 4)) + (kind == "broken"))
        yield from hold(1, 12)


async def drive(driver: Driver, drift: float, faults: Faults) -> None:
    """Send to all instances at once, each at its own rate, and compare what each received."""
    senders = {one.name: Sender(one.parameters["Divider"], drift) for one in driver.bench.instances}
    await driver.cycle({"rst": 1}, {name: {"rxd": 1} for name in senders})
    open_ones: list[Instance] = list(driver.bench.instances)
    while open_ones:
        levels = {one.name: next(senders[one.name].levels, None) for one in open_ones}
        own = {name: {"rxd": 1 if level is None else level} for name, level in levels.items()}
        idle = {name: {"rxd": 1} for name in senders}
        outputs = await driver.cycle(None, {**idle, **own})
        for one in open_ones:
            if outputs.of(one, "valid"):
                senders[one.name].got.append(outputs.of(one, "data"))
            if outputs.of(one, "error"):
                senders[one.name].got.append("error")
        open_ones = [one for one in open_ones if levels[one.name] is not None]
    for one in driver.bench.instances:
        faults.check(one, senders[one.name].got, senders[one.name].due, f"with a drift of {drift}")


@cocotb.test()
async def bytes_arrive(dut: Any) -> None:
    """From a sender whose clock is exact, 2 % slow and 2 % fast; and resets."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    for drift in (0, 0.02, -0.02):
        await drive(driver, drift, faults)
    # A reset in the middle of a byte of zeros: no byte comes of it, and none of its bits stays.
    names = [one.name for one in bench.instances]
    for _ in range(16 * 5):
        await driver.cycle(None, {name: {"rxd": 0} for name in names})
    await driver.cycle({"rst": 1}, {name: {"rxd": 1} for name in names})
    for cycle in range(400):
        outputs = await driver.cycle(None, {name: {"rxd": 1} for name in names})
        for one in bench.instances:
            got = [outputs.of(one, port) for port in ("valid", "error", "data")]
            faults.check(one, got, [0, 0, 0], f"{cycle} cycles after a reset")
    bench.judge(faults)


def test_aesforge_uart_rx(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_a_divider_that_is_too_small_is_refused() -> None:
    legal, text = elaborate(M, {"Divider": 3})
    assert not legal
    assert "Divider must be 4 or more" in text

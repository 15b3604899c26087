# SPDX-License-Identifier: Apache-2.0
"""aesforge_frame_rx: whole frames, and frames broken in every way and at every place."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

from aesforge.board.frames import Error, Frame

M = "aesforge_frame_rx"
MOST, TIMEOUT = 8, 12
MUTATIONS = {
    "any byte begins a frame": Mutation(
        M, "listen && byte_valid && byte_data == StartByte", "listen && byte_valid"
    ),
    "always listens": Mutation(M, "listen && byte_valid", "byte_valid"),
    "takes any CRC": Mutation(M, "crc_wrong_q || byte_data != crc_byte) code", "1'b0) code"),
    "looks at the last byte of a CRC only": Mutation(M, "if (crc_wrong_q || ", "if ("),
    "does not look at the last byte of a CRC": Mutation(
        M, "(crc_wrong_q || byte_data != crc_byte) code", "(crc_wrong_q) code"
    ),
    "three bytes of CRC": Mutation(
        M,
        "assign end_good = accept && state_q == Crc && crc_index_q == 2'd3",
        "assign end_good = accept && state_q == Crc && crc_index_q == 2'd2",
    ),
    "a wrong CRC stays": Mutation(M, "        crc_wrong_q <= 1'b0;\n", ""),
    "takes a byte too many": Mutation(
        M, "32'(whole_length) > MostBytes", "32'(whole_length) > MostBytes + 1"
    ),
    "refuses the longest": Mutation(
        M, "32'(whole_length) > MostBytes", "32'(whole_length) >= MostBytes"
    ),
    "an empty payload has a byte": Mutation(M, "whole_length == '0 ? Crc : Payload", "Payload"),
    "a payload ends late": Mutation(M, "length - 16'd1", "length"),
    "the upper byte of a length is ignored": Mutation(
        M, "{byte_data, length[7:0]}", "{8'd0, length[7:0]}"
    ),
    "waits for ever": Mutation(M, "if (in_frame && silent) code = CutOff;\n    else if", "if"),
    "cuts off a cycle early": Mutation(
        M, "CountBits'(TimeoutCycles);", "CountBits'(TimeoutCycles - 1);"
    ),
    "a missing stop bit is ignored": Mutation(M, "in_frame && byte_error", "1'b0"),
    "no drain after an error": Mutation(
        M, "if (end_wrong) state_q <= Drain;", "if (end_wrong) state_q <= Hunt;"
    ),
    "a byte does not end silence": Mutation(
        M,
        "if (byte_valid || byte_error) silence_q <= '0;\n    else if",
        "if (byte_error) silence_q <= '0;\n    else if",
    ),
    "drains for ever": Mutation(M, "if (silent) state_q <= Hunt;", ""),
    "the number of the last frame": Mutation(M, "        number <= '0;\n", ""),
    "a reset does not end a frame": Mutation(
        M, "      state_q <= Drain;\n      silence", "      silence"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "listen": 1, "byte_valid": 1, "byte_error": 1, "byte_data": 8})
    outputs = {
        **{"payload_valid": 1, "payload_index": 3, "done": 1, "error": 3},
        **{"command": 8, "number": 8, "length": 16},
    }
    parameters = {"MostBytes": MOST, "TimeoutCycles": TIMEOUT}
    bench.add("frames", M, parameters, outputs=outputs)
    for name, mutation in MUTATIONS.items():
        bench.add(name, M, parameters, outputs=outputs, mutation=mutation)
    return bench


# What the line does in a cycle: a byte, no stop bit, nothing. What comes of it: bytes of a payload
# with their numbers, and frames: error, command, number and length.
STOP, NOTHING = -1, -2
Event = tuple[int, ...]


class Script:
    """The line, cycle by cycle, and what must come of it."""

    def __init__(self) -> None:
        self.draw = random.Random(12)
        self.line: list[tuple[int, int, int]] = []  # event, listen, rst
        self.due: list[Event] = []

    def put(self, event: int, listen: int = 1, rst: int = 0) -> None:
        self.line.append((event, listen, rst))

    def gap(self, cycles: int) -> None:
        for _ in range(cycles):
            self.put(NOTHING)

    def send(self, text: bytes, listen: int = 1) -> None:
        """Send bytes, with gaps that are shorter than the timeout, or none."""
        most = self.draw.choice((0, 0, 2, TIMEOUT - 1))
        for byte in text:
            self.gap(self.draw.randrange(most + 1))
            self.put(byte, listen)

    def frame(self, size: int | None = None) -> Frame:
        size = self.draw.choice((0, 1, 3, MOST)) if size is None else size
        # Start bytes within a frame must not matter.
        payload = bytes(self.draw.choice((0xA5, self.draw.randrange(256))) for _ in range(size))
        return Frame(self.draw.randrange(256), self.draw.randrange(1, 256), payload)

    def expect(self, frame: Frame, sent: int, error: int) -> None:
        """Expect what comes of the first bytes of a frame."""
        payload = frame.payload[: max(0, sent - 5)]
        self.due += [(index, byte) for index, byte in enumerate(payload)]
        number = frame.number if sent > 2 else 0
        self.due.append((error, frame.kind if sent > 1 else -1, number))

    def good(self) -> None:
        frame = self.frame()
        self.send(frame.encoded())
        self.expect(frame, len(frame.encoded()), 0)

    def recover(self) -> None:
        """Let the receiver find that the line is silent; bytes before that are dropped."""
        for _ in range(self.draw.randrange(3)):
            self.send(self.frame().encoded())
        self.gap(TIMEOUT + 3)


def script() -> Script:
    one = Script()
    one.put(NOTHING, rst=1)
    one.gap(TIMEOUT + 3)
    for _ in range(12):
        one.good()
    # Wrong in one bit of the CRC, or of what it is over: all of the frame but the length.
    for at in range(8 * (5 + 3 + 4)):
        frame = one.frame(3)
        text = bytearray(frame.encoded())
        if at // 8 in (0, 3, 4):
            continue
        text[at // 8] ^= 1 << at % 8
        one.send(bytes(text))
        wrong = Frame(text[1], text[2], bytes(text[5:8]))
        one.expect(wrong, 12, Error.WRONG_CRC)
        one.recover()
        one.good()
    # Too long by one, and by 256.
    for size in (MOST + 1, 256):
        frame = one.frame(size)
        one.send(frame.encoded())
        one.expect(frame, 5, Error.WRONG_LENGTH)
        one.recover()
        one.good()
    # Cut off at every place, and without a stop bit there.
    for cut in range(1, 12):
        frame = one.frame(3)
        one.send(frame.encoded()[:cut])
        one.gap(TIMEOUT + 4)
        one.expect(frame, cut, Error.CUT_OFF)
        one.good()
        frame = one.frame(3)
        one.send(frame.encoded()[:cut])
        one.put(STOP)
        one.expect(frame, cut, Error.NO_STOP_BIT)
        one.recover()
        one.good()
    # Noise before a frame, and frames that nobody listens to.
    for _ in range(6):
        one.send(bytes(byte for byte in one.draw.randbytes(9) if byte != 0xA5))
        one.put(STOP)
        one.good()
        one.send(one.frame().encoded(), listen=0)
        one.gap(2)
        one.good()
    # The longest gap within a frame, and a cycle more.
    for gap, cut in ((TIMEOUT - 1, False), (TIMEOUT, True)):
        frame = one.frame(3)
        one.send(frame.encoded()[:6])
        one.gap(gap)
        if cut:
            one.expect(frame, 6, Error.CUT_OFF)
            one.gap(TIMEOUT + 3)
        else:
            for byte in frame.encoded()[6:]:
                one.put(byte)
            one.expect(frame, 12, 0)
        one.good()
    # A reset in a frame: the rest is dropped, and so is what follows without silence.
    frame = one.frame(3)
    one.send(frame.encoded()[:6])
    one.due.append((0, frame.payload[0]))
    one.put(NOTHING, rst=1)
    one.send(one.frame().encoded())
    one.gap(TIMEOUT + 3)
    one.good()
    one.gap(TIMEOUT + 3)
    return one


@cocotb.test()
async def frames_are_told_from_broken_ones(dut: Any) -> None:
    """Every event in its order, with the fields of its frame."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    one = script()
    got: dict[str, list[Event]] = {instance.name: [] for instance in bench.instances}
    for byte, listen, rst in one.line:
        inputs = {
            "rst": rst,
            "listen": listen,
            "byte_valid": int(byte >= 0),
            "byte_error": int(byte == STOP),
            "byte_data": max(byte, 0),
        }
        outputs = await driver.cycle(inputs)
        for instance in bench.instances:
            events = got[instance.name]
            if outputs.of(instance, "payload_valid"):
                events.append((outputs.of(instance, "payload_index"), byte))
            if outputs.of(instance, "done"):
                values = (outputs.of(instance, port) for port in ("error", "command", "number"))
                events.append(tuple(values))
    for instance in bench.instances:
        events = got[instance.name]
        for at, due in enumerate(one.due):
            event: Event = events[at] if at < len(events) else ()
            # A command that never came may be anything.
            if len(due) == len(event) == 3 and due[1] == -1:
                event = (event[0], -1, event[2])
            faults.check(instance, event, due, f"event {at}")
        faults.check(instance, len(events), len(one.due), "number of events")
    bench.judge(faults)


def test_aesforge_frame_rx(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

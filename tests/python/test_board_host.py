# SPDX-License-Identifier: Apache-2.0
"""The host's side of the UART service: answers, other things that come, and nothing at all."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from aesforge.board.frames import ANSWER, FAILED, Command, Error, Frame, next_frame
from aesforge.board.host import Device, DeviceFailed, open_line
from aesforge.design.modes import MODES
from aesforge.errors import ToolMissing, UsageError

Answers = Callable[[Frame], Iterable[bytes]]


class FakeLine:
    """A line whose other end answers each frame with bytes."""

    def __init__(self, *answers: Answers) -> None:
        self.answers = list(answers)
        self.waiting = bytearray()
        self.asked: list[Frame] = []

    def read(self, size: int = 1) -> bytes:
        part = bytes(self.waiting[:size])
        del self.waiting[:size]
        return part

    def write(self, data: bytes, /) -> int:
        frame = next_frame(bytearray(data), 4096)
        assert frame is not None
        self.asked.append(frame)
        if self.answers:
            for text in self.answers.pop(0)(frame):
                self.waiting += text
        return len(data)

    def reset_input_buffer(self) -> None:
        self.waiting.clear()


def right(payload: bytes = b"") -> Answers:
    return lambda frame: [Frame(frame.kind | ANSWER, frame.number, payload).encoded()]


def wrong(error: int, number: int | None = None) -> Answers:
    return lambda frame: [
        Frame(FAILED, frame.number if number is None else number, bytes([error])).encoded()
    ]


def says(text: bytes) -> Answers:
    return lambda _frame: [text]


@pytest.fixture(autouse=True)
def short_silence(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr("aesforge.board.host.time.sleep", slept.append)
    return slept


def device(line: FakeLine) -> Device:
    return Device(line, baud=3_000_000, timeout_seconds=0.03)


def test_a_command_is_answered() -> None:
    line = FakeLine(right())
    one = device(line)
    one.load_key(b"0123456789abcdef", 2)
    assert line.asked == [Frame(Command.LOAD_KEY, 1, b"\x020123456789abcdef")]
    assert one.repeated == 0


def test_a_packet_has_a_status_and_data() -> None:
    line = FakeLine(right(b"\0out"), right(b"\1out"), right(b""))
    one = device(line)
    mode, iv = MODES["ctr"], bytes(range(16))
    assert one.run(mode, iv, b"in!", decrypt=True) == (b"out", False)
    assert line.asked[0].payload == b"\0\1\1" + iv + b"in!"
    assert one.run(mode, iv, b"in!", decrypt=False) == (b"out", True)
    with pytest.raises(DeviceFailed, match="no status byte"):
        one.run(mode, iv, b"in!", decrypt=False)


def test_noise_and_old_answers_are_skipped() -> None:
    def answer(frame: Frame) -> list[bytes]:
        return [
            b"noise\xa5",
            Frame(frame.kind | ANSWER, frame.number + 9, b"").encoded(),
            Frame(Command.IDENTIFY | ANSWER, frame.number, b"").encoded(),
            Frame(FAILED, frame.number + 9, b"\x07").encoded(),
            Frame(frame.kind | ANSWER, frame.number, b"").encoded(),
        ]

    device(FakeLine(answer)).zeroize()


@pytest.mark.parametrize(
    "first",
    [
        says(b""),
        says(b"garbage"),
        wrong(Error.WRONG_CRC),
        wrong(Error.CUT_OFF, number=0),
        wrong(Error.NO_STOP_BIT),
        wrong(Error.WRONG_LENGTH),
        lambda frame: [right()(frame)[0][:-1] + b"\0"],  # type: ignore[index]
    ],
    ids=["silence", "garbage", "crc", "cut off", "stop bit", "length", "answer's crc"],
)
def test_a_lost_command_is_sent_again(first: Answers, short_silence: list[float]) -> None:
    line = FakeLine(first, first, right())
    one = device(line)
    one.zeroize()
    assert one.repeated == 2
    assert [frame.number for frame in line.asked] == [1, 2, 3]
    # Longer than a device waits for the rest of a frame, and longer each time.
    assert short_silence == [0.25, 0.5]


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (says(b""), "after 4 attempts nothing came; is this its port"),
        (says(b"garbage"), "after 4 attempts 7 bytes came that are no answer; is this its port"),
        (wrong(Error.WRONG_CRC), "after 4 attempts it says: the CRC of the frame is wrong"),
        (wrong(Error.CUT_OFF, number=0), "after 4 attempts it says: the frame is cut off"),
    ],
)
def test_a_device_that_does_not_answer_is_given_up(answer: Answers, what: str) -> None:
    line = FakeLine(*[answer] * 9)
    with pytest.raises(DeviceFailed, match="does not answer zeroize") as failed:
        device(line).zeroize()
    assert what in failed.value.message
    assert "3000000 baud" in failed.value.message
    assert failed.value.exit_code == 2
    assert len(line.asked) == 4


@pytest.mark.parametrize(
    ("code", "what"),
    [
        (Error.UNKNOWN_COMMAND, "the command is unknown"),
        (Error.NO_KEY, "no key was loaded"),
        (Error.ENGINE_STANDS, "its engine does not answer"),
        (99, "error 99"),
    ],
)
def test_a_refusal_is_final(code: int, what: str) -> None:
    line = FakeLine(wrong(code))
    with pytest.raises(DeviceFailed, match=f"refuses zeroize: {what}"):
        device(line).zeroize()
    assert len(line.asked) == 1


def test_numbers_leave_out_zero() -> None:
    line = FakeLine(*[right()] * 300)
    one = device(line)
    for _ in range(300):
        one.zeroize()
    numbers = [frame.number for frame in line.asked]
    assert numbers[:2] == [1, 2]
    assert numbers[254:256] == [255, 1]
    assert 0 not in numbers


# --- Ports


def test_a_port_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file") as failed, open_line(f"{tmp_path}/no"):
        pass
    assert "cannot open the serial port" in failed.value.message


def test_a_port_in_use_is_told() -> None:
    ends = pty.openpty()
    try:
        name = os.ttyname(ends[1])
        with (
            open_line(name),
            pytest.raises(UsageError, match="cannot open the serial port"),
            open_line(name),
        ):
            pass
    finally:
        for end in ends:
            os.close(end)


def test_a_rate_that_a_port_does_not_have_is_told() -> None:
    ends = pty.openpty()
    try:
        with (
            pytest.raises(UsageError, match="at -1 baud"),
            open_line(os.ttyname(ends[1]), -1),
        ):
            pass
    finally:
        for end in ends:
            os.close(end)


def test_a_cable_that_is_pulled_is_told() -> None:
    ends = pty.openpty()
    name = os.ttyname(ends[1])
    os.close(ends[1])

    def pull() -> None:
        with open_line(name) as line:
            os.close(ends[0])
            Device(line, timeout_seconds=0.1).zeroize()

    with pytest.raises(DeviceFailed, match=r"was the cable pulled\?"):
        pull()


def test_pyserial_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "serial", None)
    with pytest.raises(ToolMissing, match=r"pip install .*\[board\]"), open_line("/dev/null"):
        pass

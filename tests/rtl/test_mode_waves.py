# SPDX-License-Identifier: Apache-2.0
"""The timing diagrams of docs/modes are what the engines do, cycle by cycle.

The cores are pipelines without a pipeline stage, so that a block's way is short: L is 1. With
AESFORGE_WRITE_WAVES=1 the diagrams are written anew.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
import interleaved
import test_aesforge_engine as forward
from engine_ports import little
from rtl_bench import Bench, Driver, Instance
from streams import (
    CBC,
    CFB128,
    CFB_BYTES,
    CMAC128,
    CTR,
    DIGESTS,
    ECB,
    OFB128,
    Beat,
    Context,
    cut,
    expected_beats,
)

THREE_AND_ONE = (("a", 48), ("a", 16))
TWO = (("a", 32), ("b", 32))
SIX = tuple((stream, 32) for stream in "abcdef")
MACS = (("a", 20), ("b", 0))
PAGES = Path(__file__).resolve().parents[2] / "docs" / "modes"
# By tests/python/test_gcm_wave.py and test_xts_wave.py.
RECORDED_ELSEWHERE = ("ccm", "gcm", "xts")


@dataclass(frozen=True)
class Diagram:
    """A diagram: engine, title, mode and direction, packets, and when the receiver waits.

    A packet is its stream (a letter) and its length in bytes; beats of several streams go in turn.
    """

    engine: str
    title: str
    mode: int
    decrypt: int
    packets: tuple[tuple[str, int], ...]
    cycles: int
    waits: tuple[int, ...] = ()


DIAGRAMS = {
    "ecb": Diagram("forward", "ECB: three beats, then a packet of one", ECB, 0, THREE_AND_ONE, 25),
    "ctr": Diagram(
        "forward", "CTR: 36 bytes; the receiver waits", CTR, 0, (("a", 36),), 25, (20, 21)
    ),
    "cbc": Diagram("interleaved", "CBC, encrypting: streams a and b", CBC, 0, TWO, 25),
    "cfb": Diagram("interleaved", "CFB, encrypting: six streams", CFB128, 0, SIX, 26),
    "cfb-decrypt": Diagram("forward", "CFB, decrypting: one stream", CFB128, 1, (("a", 64),), 25),
    "cfb8": Diagram("interleaved", "CFB8: a packet of three bytes", CFB_BYTES, 0, (("a", 3),), 25),
    "ofb": Diagram("interleaved", "OFB: one stream alone", OFB128, 0, (("a", 40),), 26),
    "mac": Diagram("interleaved", "CMAC: a packet of 20 bytes, one of none", CMAC128, 0, MACS, 26),
}


def make_bench() -> Bench:
    bench = Bench({"zeroize": 1})
    forward.add(bench, "forward", (128, 0, 10, 0, 0, 0, 1, 11, 32))
    interleaved.add(bench, "interleaved", (128, 10, 0, 0, 0, 1, interleaved.ALL_MODES, 8, 16))
    return bench


def order(packets: list[list[Beat]], contexts: list[int]) -> list[tuple[Beat, int]]:
    """Beats in the order in which they go in, each with its packet's number.

    Packets of one stream follow one another, those of several go in turn.
    """
    left = [(number, list(beats)) for number, beats in zip(contexts, packets, strict=True)]
    out: list[tuple[Beat, int]] = []
    while left:
        seen: set[int] = set()
        for number, beats in list(left):
            if beats[0].id not in seen:
                seen.add(beats[0].id)
                out.append((beats.pop(0), number))
        left = [(number, beats) for number, beats in left if beats]
    return out


class Trace:
    """A signal as WaveJSON has it."""

    def __init__(self, name: str) -> None:
        self.name, self.wave = name, ""
        self.data: list[str] = []
        self.last: object = None

    def level(self, value: int) -> None:
        self.wave += "." if value == self.last else str(value)
        self.last = value

    def value(self, label: str | None, new: bool) -> None:
        if label is None:
            self.wave += "." if self.last == "x" else "x"
            self.last = "x"
        elif new or self.last != label:
            self.wave += "="
            self.data.append(label)
            self.last = label
        else:
            self.wave += "."

    def json(self) -> dict[str, Any]:
        return {"name": self.name, "wave": self.wave} | ({"data": self.data} if self.data else {})


async def record(driver: Driver, one: Instance, diagram: Diagram) -> dict[str, Any]:
    """Play a diagram's packets; what went over the ports, and right."""
    letters = sorted({stream for stream, _ in diagram.packets})
    key, iv = bytes(range(16)), bytes(range(16, 32))
    context = Context(diagram.mode, diagram.decrypt, iv, key)
    packets = [
        cut(bytes((i * 7 + at) % 256 for at in range(length)), letters.index(stream))
        for i, (stream, length) in enumerate(diagram.packets)
    ]
    digest = diagram.mode in DIGESTS
    due = [expected_beats(beats, context, key, digest) for beats in packets]
    beats = order(packets, list(range(len(packets))))
    counts: dict[int, int] = {}
    labels: list[str] = []
    for beat, _ in beats:
        counts[beat.id] = counts.get(beat.id, 0) + 1
        labels.append(f"{letters[beat.id]}{counts[beat.id]}")
    outs: dict[int, list[Beat]] = {}
    for stream in range(len(letters)):
        outs[stream] = [beat for out in due for beat in out if beat.id == stream]
    came: dict[int, int] = {}
    names = [
        *("clk", "s_ctx", "s_axis_tdata", "s_axis_tlast", "s_axis_tready"),
        *("m_axis_tdata", "m_axis_tlast", "m_axis_tready"),
    ]
    trace = {name: Trace(name) for name in names}
    await driver.cycle({}, {one.name: {"rst": 1}})
    await driver.cycle({}, {one.name: {"rst": 1}})
    given = sent = 0
    offered = waiting = False
    for cycle in range(diagram.cycles):
        ready = int(cycle not in diagram.waits)
        values = {"m_axis_tready": ready}
        if given < len(packets):
            values |= {"s_ctx_tvalid": 1, "s_ctx_iv": little(iv)}
            values |= {"s_ctx_key": little(key), "s_ctx_mode": diagram.mode}
            values |= {"s_ctx_decrypt": diagram.decrypt}
        # The first beat comes a cycle after the first context.
        offering = cycle > 0 and sent < len(beats)
        if offering:
            beat, _ = beats[sent]
            values |= {"s_axis_tvalid": 1, "s_axis_tdata": beat.data, "s_axis_tkeep": beat.keep}
            values |= {"s_axis_tlast": beat.last, "s_axis_tid": beat.id}
        outputs = await driver.cycle({}, {one.name: values})
        trace["clk"].wave += "." if trace["clk"].wave else "p"
        contexts = [f"{stream}" for stream, _ in diagram.packets]
        trace["s_ctx"].value(contexts[given] if given < len(packets) else None, new=not offered)
        offered = True
        if given < len(packets) and outputs.of(one, "s_ctx_tready"):
            given, offered = given + 1, False
        taken = outputs.of(one, "s_axis_tready")
        trace["s_axis_tdata"].value(labels[sent] if offering else None, new=False)
        trace["s_axis_tlast"].level(int(offering and beats[sent][0].last))
        trace["s_axis_tready"].level(taken)
        sent += bool(offering and taken)
        valid = outputs.of(one, "m_axis_tvalid")
        label, last = None, 0
        if valid:
            stream = outputs.of(one, "m_axis_tid") if one.name == "interleaved" else 0
            number = came.get(stream, 0)
            want = outs[stream][number]
            got = tuple(outputs.of(one, f"m_axis_t{name}") for name in ("data", "keep", "last"))
            assert got == (want.data, want.keep, want.last), (diagram.title, cycle, got, want)
            label = f"tag {letters[stream]}" if digest else f"{letters[stream].upper()}{number + 1}"
            last = want.last
            came[stream] = number + ready
        trace["m_axis_tdata"].value(label, new=not waiting)
        waiting = bool(valid and not ready)
        trace["m_axis_tlast"].level(last)
        trace["m_axis_tready"].level(ready)
    assert sum(came.values()) == sum(map(len, due)), diagram.title
    return {
        "signal": [line.json() for line in trace.values()],
        "head": {"text": diagram.title},
    }


@cocotb.test()
async def diagrams_are_recorded(dut: Any) -> None:
    bench = make_bench()
    driver = Driver(dut, bench)
    ones = {one.name: one for one in bench.instances}
    for name, diagram in DIAGRAMS.items():
        found = await record(driver, ones[diagram.engine], diagram)
        path = PAGES / f"{name}.json"
        if os.environ.get("AESFORGE_WRITE_WAVES"):
            lines = ",\n".join(f"    {json.dumps(line)}" for line in found["signal"])
            head = json.dumps(found["head"])
            path.write_text(f'{{\n  "signal": [\n{lines}\n  ],\n  "head": {head}\n}}\n')
        assert json.loads(path.read_text(encoding="utf-8")) == found, name


def test_mode_waves(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_every_diagram_is_recorded() -> None:
    assert {path.stem for path in PAGES.glob("*.json")} == {*DIAGRAMS, *RECORDED_ELSEWHERE}


def test_every_diagram_is_in_a_page() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in PAGES.glob("*.md"))
    for name in DIAGRAMS:
        assert f"]({name}.svg)" in text, name
        assert f"]({name}.json)" in text, name

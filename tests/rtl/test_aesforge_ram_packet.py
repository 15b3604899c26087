# SPDX-License-Identifier: Apache-2.0
"""aesforge_ram_packet: packets of every length and section through an engine that waits."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate

M = "aesforge_ram_packet"
BYTES, FIRST = 64, 5
MUTATIONS = {
    "begins a byte late": Mutation(M, "at_q <= first;", "at_q <= first + 1'b1;"),
    "keeps every byte": Mutation(M, "kept_q <= left_q != '0;", "kept_q <= 1'b1;"),
    "bytes after the last are not zeros": Mutation(M, "kept_q ? read_data : 8'd0", "read_data"),
    "every beat is the last": Mutation(
        M, "s_axis_tlast = section_q == End && left_q == '0", "s_axis_tlast = 1'b1"
    ),
    "a section ends the packet": Mutation(
        M, "s_axis_tlast = section_q == End && left_q", "s_axis_tlast = left_q"
    ),
    "associated data are not marked": Mutation(M, "tuser = section_q == Aad", "tuser = 1'b0"),
    "everything is marked": Mutation(M, "tuser = section_q == Aad", "tuser = sending_q"),
    "an empty text after the associated data": Mutation(
        M, "section_q == Aad && text_length != '0) begin", "section_q == Aad) begin"
    ),
    "no text after the associated data": Mutation(
        M, "section_q == Aad && text_length != '0) begin", "1'b0) begin"
    ),
    "an empty section of associated data": Mutation(
        M, "section_q <= aad_length != '0 ? Aad", "section_q <= 1'b1 ? Aad"
    ),
    "begins with the tag": Mutation(
        M, "Aad : text_length != '0 ? Text : End;", "Aad : End;"
    ),
    "the first section has the tag's length": Mutation(
        M, "left_q <= aad_length != '0 ? aad_length :", "left_q <="
    ),
    "the text has the tag's length": Mutation(
        M, "aad_length : text_length != '0 ? text_length : length", "aad_length : length"
    ),
    "associated data come back": Mutation(M, "keep_last : !m_axis_tuser[1]", "keep_last : 1'b1"),
    "a tag comes back always": Mutation(M, "m_axis_tlast ? keep_last :", "m_axis_tlast ? 1'b1 :"),
    "a tag never comes back": Mutation(M, "m_axis_tlast ? keep_last :", "m_axis_tlast ? 1'b0 :"),
    "sends a beat too many": Mutation(
        M, "if (s_axis_tlast) sending_q <= 1'b0;", "if (s_axis_tlast) sending_q <= 1'b1;"
    ),
    "a beat changes while it waits": Mutation(M, "else if (s_axis_tready) begin", "else begin"),
    "offers a beat of fifteen": Mutation(M, "step_q == 5'd17;", "step_q == 5'd16;"),
    "bytes in the wrong order": Mutation(
        M, "s_axis_tdata <= {kept_q ? read_data : 8'd0, s_axis_tdata[127:8]}",
        "s_axis_tdata <= {s_axis_tdata[119:0], kept_q ? read_data : 8'd0}",
    ),
    "takes a beat early": Mutation(M, "out_step_q == 4'd15;", "out_step_q == 4'd14;"),
    "writes bytes that are not kept": Mutation(M, " && m_axis_tkeep[out_step_q]", ""),
    "the error of the last beat only": Mutation(
        M, "result_error || m_axis_tuser[0]", "m_axis_tuser[0]"
    ),
    "an error stays": Mutation(M, "        result_error <= 1'b0;\n", ""),
    "the length goes on": Mutation(M, "        result_length <= '0;\n", ""),
    "ends with the first beat": Mutation(M, "m_axis_tready && m_axis_tlast", "m_axis_tready"),
    "moved is not told": Mutation(M, "|| m_axis_tready;", ";"),
    "zeroize keeps the beat": Mutation(M, "      s_axis_tdata <= '0;\n", ""),
    "zeroize does not end it": Mutation(M, "if (rst || zeroize)", "if (rst)"),
    "a reset does not end it": Mutation(M, "if (rst || zeroize)", "if (zeroize)"),
}  # fmt: skip


def make_bench() -> Bench:
    shared = {"rst": 1, "zeroize": 1, "start": 1, "first": 6, "length": 16}
    bench = Bench({**shared, "aad_length": 16, "text_length": 16, "keep_last": 1})
    inputs = {
        **{"read_data": 8, "s_axis_tready": 1, "m_axis_tvalid": 1, "m_axis_tdata": 128},
        **{"m_axis_tkeep": 16, "m_axis_tlast": 1, "m_axis_tuser": 2},
    }
    outputs = {
        **{"busy": 1, "result_length": 16, "result_error": 1, "moved": 1, "read_index": 6},
        **{"write": 1, "write_index": 6, "write_data": 8, "s_axis_tvalid": 1},
        **{"s_axis_tdata": 128, "s_axis_tkeep": 16, "s_axis_tlast": 1, "s_axis_tuser": 1},
        "m_axis_tready": 1,
    }
    for name, mutation in {"packets": None, **MUTATIONS}.items():
        bench.add(name, M, {"Bytes": BYTES}, inputs=inputs, outputs=outputs, mutation=mutation)
    return bench


# A beat: data, keep, last, AAD mark.
Beat = tuple[int, int, int, int]


@dataclass
class Engine:
    """The RAM and the engine around one instance: each beat comes back, its bits inverted."""

    seed: int
    error_at: int  # number of the beat that comes back with an error
    draw: random.Random = field(init=False)
    ram: bytearray = field(default_factory=lambda: bytearray(BYTES))
    read: int = 0
    taken: list[Beat] = field(default_factory=list)
    back: list[Beat] = field(default_factory=list)
    given: int = 0
    moved: int = 0
    offer: tuple[int, ...] | None = None
    changed: bool = False
    shown: bool = False

    def __post_init__(self) -> None:
        self.draw = random.Random(self.seed)
        self.ram[:] = self.draw.randbytes(BYTES)

    def inputs(self) -> dict[str, int]:
        ports = {"read_data": self.read, "s_axis_tready": int(self.draw.random() < 0.1)}
        # Its latency; then the beat stays until it is accepted.
        self.shown = bool(self.back) and (self.shown or self.draw.random() < 0.05)
        if self.shown:
            data, keep, last, mark = self.back[0]
            ports |= {"m_axis_tvalid": 1, "m_axis_tdata": data, "m_axis_tkeep": keep}
            error = int(self.given == self.error_at)
            ports |= {"m_axis_tlast": last, "m_axis_tuser": 2 * mark + error}
        return ports

    def step(self, one: Instance, inputs: dict[str, int], outputs: Any) -> None:
        """See to what the instance did in a cycle."""
        self.read = self.ram[outputs.of(one, "read_index")]
        if outputs.of(one, "write"):
            self.ram[outputs.of(one, "write_index")] = outputs.of(one, "write_data")
        names = ("s_axis_tdata", "s_axis_tkeep", "s_axis_tlast", "s_axis_tuser")
        offer = None
        if outputs.of(one, "s_axis_tvalid"):
            offer = tuple(outputs.of(one, name) for name in names)
        if self.offer is not None and offer != self.offer:
            self.changed = True
        self.offer = offer
        moved = 0
        if offer is not None and inputs["s_axis_tready"]:
            data, keep, last, mark = offer
            self.taken.append((data, keep, last, mark))
            mask = sum(0xFF << 8 * i for i in range(16) if keep >> i & 1)
            self.back.append((~data & mask, keep, last, mark))
            self.offer = None
            moved = 1
        if inputs.get("m_axis_tvalid") and outputs.of(one, "m_axis_tready"):
            self.back.pop(0)
            self.shown = False
            self.given += 1
            moved = 1
        self.moved += outputs.of(one, "moved") != moved


def beats_of(data: bytes, aad: int = 0, text: int = 0) -> list[Beat]:
    """Return the beats of a packet whose first bytes are associated data, then text."""
    found: list[Beat] = []
    for number, part in enumerate((data[:aad], data[aad : aad + text], data[aad + text :])):
        parts = [part[at : at + 16] for at in range(0, len(part), 16)]
        for one in parts or ([b""] if number == 2 else []):
            value = int.from_bytes(one, "little")
            found.append((value, (1 << len(one)) - 1, 0, int(number == 0)))
    *others, (value, keep, _, mark) = found
    return [*others, (value, keep, 1, mark)]


@cocotb.test()
async def packets_go_and_come(dut: Any) -> None:
    """The beats, the bytes written, and nothing else written."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    await driver.cycle({"rst": 1})
    # Bytes of associated data, of text, and of what is last; and whether that comes back.
    plain = [(0, 0, length, 1) for length in (40, 0, 1, 15, 16, 17, 59, 32, 48)]
    sealed = [
        *((5, 17, 16, 1), (16, 16, 12, 0), (0, 20, 16, 1), (20, 0, 16, 1), (17, 1, 4, 0)),
        *((0, 0, 16, 0), (1, 1, 1, 1), (0, 32, 8, 0)),
    ]
    for number, (aad, text, last, keep) in enumerate(plain + sealed):
        length = aad + text + last
        error_at = {0: 0, 6: 3, 7: 1, 10: 1}.get(number, -1)
        engines = {one.name: Engine(number, error_at) for one in bench.instances}
        before = bytes(next(iter(engines.values())).ram)
        data = before[FIRST : FIRST + length]
        given = {"first": FIRST, "length": last, "keep_last": keep}
        given |= {"aad_length": aad, "text_length": text}
        beats = beats_of(data, aad, text)
        for cycle in range(120 + 150 * len(beats)):
            own = {name: engine.inputs() for name, engine in engines.items()}
            outputs = await driver.cycle({"start": int(cycle == 0), **given}, own)
            for one in bench.instances:
                engines[one.name].step(one, own[one.name], outputs)
        outputs = await driver.settle()
        for one in bench.instances:
            engine = engines[one.name]
            where = f"packet of {aad}, {text} and {last} bytes"
            faults.check(one, engine.taken, beats, f"beats of a {where}")
            result = data[aad : length if keep else aad + text]
            due = bytes(255 - byte for byte in result) + before[len(result) :]
            faults.check(one, bytes(engine.ram), due, f"RAM after a {where}")
            faults.check(one, outputs.of(one, "result_length"), len(result), f"length of a {where}")
            due_error = int(0 <= error_at < len(beats))
            faults.check(one, outputs.of(one, "result_error"), due_error, f"error of a {where}")
            faults.check(one, outputs.of(one, "busy"), 0, f"busy after a {where}")
            faults.check(one, (engine.changed, engine.moved), (False, 0), f"handshakes, {where}")
    # Given up, while a beat waits: by a reset, and by zeroization, which leaves zeros.
    for port in ("rst", "zeroize"):
        own = {one.name: {"read_data": 0xA7} for one in bench.instances}
        for cycle in range(30):
            await driver.cycle({"start": int(cycle == 0), "first": 0, "length": 32}, own)
        outputs = await driver.cycle({port: 1}, own)
        for one in bench.instances:
            faults.check(one, outputs.of(one, "s_axis_tvalid"), 1, f"valid before {port}")
        outputs = await driver.settle(None, own)
        for one in bench.instances:
            got = outputs.of(one, "s_axis_tvalid"), outputs.of(one, "busy")
            faults.check(one, got, (0, 0), f"valid and busy after {port}")
            if port == "zeroize":
                faults.check(one, outputs.of(one, "s_axis_tdata"), 0, "bytes after zeroize")
                faults.check(one, outputs.of(one, "s_axis_tkeep"), 0, "tkeep after zeroize")
    bench.judge(faults)


def test_aesforge_ram_packet(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_a_ram_of_other_sizes_is_refused() -> None:
    for size in (16, 48):
        legal, text = elaborate(M, {"Bytes": size})
        assert not legal
        assert "Bytes must be a power of two from 32 on" in text

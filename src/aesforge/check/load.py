# SPDX-License-Identifier: Apache-2.0
"""Random packets through an AXI4-Stream core under random stalls: lost beats, and cycles per block.

The core is one of our engines, or anyone's: `EngineLoad` and `ForeignLoad` make the packets and
know what must come of them, `run` sends them and compares beat by beat.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from aesforge.check.sealed import (
    DRAWN_AAD_BLOCKS,
    DRAWN_TEXT_BLOCKS,
    any_length,
    mode_with_tag,
    random_packet,
)
from aesforge.design.engine import BLOCK_BYTES, Engine
from aesforge.design.modes import MODES
from aesforge.errors import UsageError, nearest, one_of
from aesforge.reference import openssl
from aesforge.simulate.engine import BEATS, IVS, RESULTS, beat_ports, engine_module
from aesforge.simulate.packets import Context, KeyLoad, Packet, SealedPacket
from aesforge.simulate.stream import Channel, Module, StreamResult, StreamSimulator
from aesforge.simulate.traffic import Traffic, fault_text, first_fault

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aesforge.simulate.build import Optimize

Progress = Callable[[int, int], None]

# Blocks of a packet, at most: 1,504 bytes, about an Ethernet frame.
MOST_BLOCKS = 94
_CHUNK_BLOCKS = 1 << 14


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """What one run gave.

    Args:
        stall: how likely a cycle passed in which a side waited, on both sides.
        blocks: 16 bytes each that were sent.
        packets: they came in.
        beats_in: beats that the core took.
        beats_out: beats that it gave.
        cycles: from the first beat in to the last beat out.
        seconds: of simulation.
        fault: the first beat that was lost, repeated, reordered or wrong, in words; or None.
    """

    stall: float
    blocks: int
    packets: int
    beats_in: int
    beats_out: int
    cycles: int
    seconds: float
    fault: str | None

    @property
    def cycles_per_block(self) -> float:
        """Cycles over blocks, of the whole run."""
        return self.cycles / self.blocks if self.blocks else 0.0


class Source(Protocol):
    """Makes packets for a core."""

    module: Module
    optimize: Optimize
    ordered: bool
    """Whether outputs have the order of the inputs; else only within each `tid`."""

    def in_order(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows in the order in which they can be compared."""

    def start(self, simulator: StreamSimulator) -> None:
        """Do the setup before the packets."""

    def other_fault(self, result: StreamResult, complete: bool) -> str | None:
        """Return the first fault at another output than that of the beats."""

    def packets(
        self, simulator: StreamSimulator, draw: random.Random, blocks: int
    ) -> tuple[dict[str, NDArray[Any]], NDArray[Any], int]:
        """Return words for about so many blocks, the expected outputs, and the packets' number."""


@dataclass
class EngineLoad:
    """Packets for one of our engines: any length that its modes take, a context with each.

    Args:
        engine: the engine.
        optimize: as of the simulator.
    """

    engine: Engine
    optimize: Optimize = "speed"

    def __post_init__(self) -> None:
        self.module = engine_module(self.engine, optimize=self.optimize)
        self.key = bytes(range(self.engine.key_bits // 8))
        self.ordered = not self.engine.is_interleaved

    def other_fault(self, result: StreamResult, complete: bool) -> str | None:
        """Compare the IVs that were made inside, where they are."""
        return self.traffic.iv_fault(result, complete=complete)

    def in_order(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows stream by stream, where there are streams."""
        return self.traffic.streams_in_order(rows)

    def start(self, simulator: StreamSimulator) -> None:
        """Load a key where keys are stored."""
        self.traffic = Traffic(simulator, self.engine)
        if not self.engine.core.is_agile:
            transfers, _ = self.traffic.transfers([KeyLoad(0, self.key)])
            simulator.run(transfers)

    def packets(
        self, simulator: StreamSimulator, draw: random.Random, blocks: int
    ) -> tuple[dict[str, NDArray[Any]], NDArray[Any], int]:
        """Return words for so many blocks."""
        engine = self.engine
        made: list[Packet] = []
        while blocks > 0:
            name = draw.choice(engine.modes)
            mode = MODES[name]
            count = min(blocks, draw.randint(1, MOST_BLOCKS))
            size = BLOCK_BYTES * count - (draw.randrange(BLOCK_BYTES) if mode.partial else 0)
            key = draw.randbytes(len(self.key)) if engine.core.is_agile else b""
            decrypt = draw.choice(engine.ways(name)) == "decrypt"
            context = Context(mode.code, decrypt, draw.randbytes(BLOCK_BYTES), key)
            stream = (
                len(made) % engine.streams if engine.streams else draw.randrange(2**engine.tid_bits)
            )
            data = draw.randbytes(size)
            made.append(Packet(data, context, stream, beat_bytes=engine.beat_bytes))
            blocks -= count
        transfers, due = self.traffic.transfers(made)
        return transfers, due, len(made)


class SealedLoad(EngineLoad):
    """Packets for one of our engines whose mode authenticates, under all of its key slots in turns.

    Where keys are agile each has its own. They have 0 to 20 blocks of text and 0 to 5 of associated
    data; blocks are beats, tags among them. All are legal, and every tag is made or compared.
    """

    def start(self, simulator: StreamSimulator) -> None:
        """Load a key into each slot."""
        self.traffic = Traffic(simulator, self.engine)
        slots = range(self.engine.core.key_slots or 1)
        self.keys = [bytes(byte ^ 16 * slot for byte in self.key) for slot in slots]
        if self.engine.core.is_agile:
            return
        loads = [KeyLoad(slot, key) for slot, key in enumerate(self.keys)]
        # A packet under the last of them has left when all are ready.
        iv = bytes(mode_with_tag(self.engine).iv_bytes)
        last = Context(0, False, iv, slot=len(self.keys) - 1)
        transfers, due = self.traffic.transfers(
            [*loads, SealedPacket(b"", last, beat_bytes=self.engine.beat_bytes)]
        )
        simulator.run(transfers, wanted=len(due))
        self.traffic.ivs.clear()

    def packets(
        self, simulator: StreamSimulator, draw: random.Random, blocks: int
    ) -> tuple[dict[str, NDArray[Any]], NDArray[Any], int]:
        """Return words for so many beats."""
        made: list[Packet] = []
        while blocks > 0:
            slot = draw.randrange(len(self.keys))
            # Tag included.
            text = any_length(draw, min(DRAWN_TEXT_BLOCKS, blocks - 1))
            left = blocks - 1 - -(-text // BLOCK_BYTES)
            aad = any_length(draw, min(DRAWN_AAD_BLOCKS, left))
            made.append(
                random_packet(
                    self.engine, draw, slot, self.keys[slot], text_bytes=text, aad_bytes=aad
                )
            )
            if self.engine.streams:
                made[-1] = dataclasses.replace(made[-1], id=len(made) % self.engine.streams)
            blocks -= made[-1].beats
        transfers, due = self.traffic.transfers(made)
        return transfers, due, len(made)


def engine_load(engine: Engine, optimize: Optimize = "speed") -> EngineLoad:
    """Return what makes packets for an engine."""
    return (SealedLoad if engine.authenticates else EngineLoad)(engine, optimize)


ROLES = ("clock", "reset", "reset_n", "s_axis", "m_axis")
COMPARED = ("ecb", "copy")


@dataclass
class ForeignLoad:
    """Packets for anyone's core: whole blocks, in ECB under one key, or copied as they are.

    Args:
        files: sources in compile order.
        top: the module.
        ports: port by role (`ROLES`, and `s_axis_tdata` and the like where the names are odd);
            `s_axis` and `m_axis` are the prefixes of its stream ports.
        parameters: of the module.
        ties: value by port; `key` stands for the key, byte 0 at the top.
        mode: one of `COMPARED`.
        decrypt: or encrypt.
        key: 16, 24 or 32 bytes.
        big_endian: byte 0 of a beat is at the top of `tdata`, not at the low end.
        optimize: as of the simulator.

    Raises:
        UsageError: a file cannot be read, or a role or a value is unknown.
    """

    files: Sequence[Path]
    top: str
    ports: Mapping[str, str]
    parameters: Mapping[str, int]
    ties: Mapping[str, str]
    mode: str = "ecb"
    decrypt: bool = False
    key: bytes = bytes(range(16))
    big_endian: bool = False
    optimize: Optimize = "speed"
    ordered = True

    def other_fault(self, _result: StreamResult, _complete: bool) -> str | None:
        """Return None: it has no other output."""
        return None

    def in_order(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows as they are."""
        return rows

    def __post_init__(self) -> None:
        for path in self.files:
            try:
                path.read_bytes()
            except OSError as error:
                raise UsageError(f"cannot read '{path}': {error.strerror or error}") from None
        streams = {
            role: f"{self.ports.get(channel, channel)}_{role.rpartition('_')[2]}"
            for channel in (BEATS, RESULTS)
            for role in (f"{channel}_tvalid", f"{channel}_tready", *beat_ports(channel))
        }
        known = (*ROLES, *streams)
        for role in self.ports:
            if role not in known:
                raise UsageError(
                    f"there is no role '{role}' for a port{nearest(role, known)}; allowed are "
                    f"{one_of(ROLES)}, and ports of streams such as s_axis_tdata"
                )
        if {"reset", "reset_n"} <= set(self.ports):
            raise UsageError("roles reset and reset_n exclude each other: name the one there is")
        self.names = streams | {role: p for role, p in self.ports.items() if role in streams}

        def channel(name: str) -> Channel:
            fields = tuple(self.names[port] for port in beat_ports(name))
            valid, ready = self.names[f"{name}_tvalid"], self.names[f"{name}_tready"]
            return Channel(name, valid, ready, fields, fields[1:])

        self.module = Module(
            name=self.top,
            top=self.top,
            sources=(channel(BEATS),),
            sink=channel(RESULTS),
            clock=self.ports.get("clock", "clk"),
            reset=self.ports.get("reset", self.ports.get("reset_n")),
            reset_low="reset_n" in self.ports,
            ties={port: self._value(port, text) for port, text in self.ties.items()},
            parameters=self.parameters,
            files=tuple(self.files),
        )

    def _value(self, port: str, text: str) -> int:
        if text == "key":
            return int.from_bytes(self.key, "big")
        try:
            return int(text, 0)
        except ValueError:
            raise UsageError(
                f"--tie {port}: '{text}' is neither a whole number nor the word key"
            ) from None

    def start(self, simulator: StreamSimulator) -> None:
        """See that the core's words are whole bytes, and as wide at both ends."""
        widths = [simulator.widths[self.names[f"{one}_tdata"]] for one in (BEATS, RESULTS)]
        if widths[0] != widths[1] or widths[0] % 8 or 128 % widths[0]:
            raise UsageError(
                f"tdata of {self.top} is {widths[0]} bits wide going in and {widths[1]} coming "
                "out; both must be 8, 16, 32, 64 or 128"
            )
        self.bytes = widths[0] // 8

    def packets(
        self, simulator: StreamSimulator, draw: random.Random, blocks: int
    ) -> tuple[dict[str, NDArray[Any]], NDArray[Any], int]:
        """Return words for so many blocks."""
        import numpy as np

        counts: list[int] = []
        while sum(counts) < blocks:
            counts.append(min(blocks - sum(counts), draw.randint(1, MOST_BLOCKS)))
        data = draw.randbytes(BLOCK_BYTES * blocks)
        result = data
        if self.mode != "copy":
            result = openssl.crypt(self.mode, self.key, data, decrypt=self.decrypt)
        each = BLOCK_BYTES // self.bytes
        transfers = simulator.transfers(BEATS, each * blocks)
        due = np.zeros(each * blocks, simulator.row_dtype)
        ends = np.cumsum(counts) * each - 1
        for rows, channel, content in ((transfers, BEATS, data), (due, RESULTS, result)):
            beats = np.frombuffer(content, np.uint8).reshape(-1, self.bytes)
            port = self.names[f"{channel}_tdata"]
            field = rows[port].reshape(len(rows), -1).view("u1")
            field[:] = beats[:, ::-1] if self.big_endian else beats
            for name, value in (("tkeep", 2**self.bytes - 1), ("tid", 0), ("tuser", 0)):
                if (port := self.names[f"{channel}_{name}"]) in (rows.dtype.names or ()):
                    rows[port] = value
            if (port := self.names[f"{channel}_tlast"]) in (rows.dtype.names or ()):
                rows[port][ends] = 1
        return {BEATS: transfers}, due, len(counts)


def run(
    source: Source,
    *,
    blocks: int,
    stalls: Sequence[float],
    seed: int = 1,
    progress: Callable[[str], None] | None = None,
) -> list[Load]:
    """Send random packets, once for each share of stalls; a run ends with its first fault.

    Args:
        source: makes the packets.
        blocks: in each run.
        stalls: how likely either side waits in a cycle, one for each run.
        seed: of packets and stalls.
        progress: called with a line at each step.

    Raises:
        ToolMissing: something to simulate with is not installed.
        UsageError: the core's ports are other than said.
        AesforgeError: the core does not compile.
        CheckFailed: the model's process died.
    """
    say = progress or (lambda _text: None)
    return [_run_one(source, blocks, stall, seed, say) for stall in stalls]


def _run_one(
    source: Source, blocks: int, stall: float, seed: int, say: Callable[[str], None]
) -> Load:
    import numpy as np

    draw = random.Random(seed)
    # One process each: every run starts from a reset.
    with StreamSimulator(
        source.module, optimize=source.optimize, seed=seed, progress=say
    ) as simulator:
        say(f"{blocks:,} blocks, each side waiting in {100 * stall:g} % of the cycles")
        source.start(simulator)
        sent = packets = given = 0
        seconds = 0.0
        fault = None
        start: int | None = None
        end = 0
        taken = 0
        waiting: NDArray[Any] | None = None  # expected outputs still missing
        while sent < blocks and fault is None:
            count = min(_CHUNK_BLOCKS, blocks - sent)
            transfers, due, number = source.packets(simulator, draw, count)
            sent += count
            packets += number
            waiting = due if waiting is None else np.concatenate([waiting, due])
            last = sent >= blocks
            result = simulator.run(
                transfers,
                stalls={BEATS: stall, IVS: stall, RESULTS: stall},
                wanted=len(waiting) if last or not source.ordered else None,
                tail_cycles=1000 if last else 0,
            )
            seconds += result.simulation_seconds
            taken += len(result.taken[BEATS])
            if start is None and len(result.taken[BEATS]):
                start = int(result.taken[BEATS][0])
            if len(result.rows):
                end = int(result.rows["cycle"][-1])
            first = given
            given += len(result.rows)
            whole = last or result.stopped or not source.ordered
            got = source.in_order(result.rows)
            fault = first_fault(got, source.in_order(waiting), first, complete=whole)
            fault = source.other_fault(result, whole) or fault or fault_text(result)
            waiting = waiting[len(result.rows) :]
        if fault is not None:
            # Blocks inside may still leave; they are counted, to compare with the inputs.
            rest = simulator.run({}, wanted=len(waiting if waiting is not None else ()))
            given += len(rest.rows)
            end = int(rest.rows["cycle"][-1]) if len(rest.rows) else end
    return Load(
        stall=stall,
        blocks=sent,
        packets=packets,
        beats_in=taken,
        beats_out=given,
        cycles=end - start + 1 if start is not None else 0,
        seconds=round(seconds, 2),
        fault=fault,
    )

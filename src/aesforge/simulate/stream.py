# SPDX-License-Identifier: Apache-2.0
"""Send words through the AXI4-Stream ports of any module, with stalls at random on every port.

    with StreamSimulator(module) as sim:
        words = sim.transfers("s_axis", 100)
        words["s_axis_tdata"] = ...
        result = sim.run({"s_axis": words}, wanted=100)

A *channel* is a valid port, a ready port and the ports that belong to a word. Words and what comes
out are numpy records with a field for each of these ports, as wide as the model stores it; nothing
here works word by word.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aesforge.errors import CheckFailed, UsageError, nearest
from aesforge.simulate.build import STREAM_DRIVER, Model, Optimize, Subject, compile_subject
from aesforge.simulate.process import ModelProcess

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PREFIX = "Vaesforge_stream"
_HELLO = struct.Struct("<2I")
_BATCH = struct.Struct("<IIQQQ")
_FEED = struct.Struct("<QII")
_ANSWER = struct.Struct("<IHHQ")
_DONE = struct.Struct("<3Q")
_MAGIC_HELLO, _MAGIC_BATCH, _MAGIC_ANSWER = (
    int.from_bytes(name, "little") for name in (b"AESS", b"AESB", b"AESA")
)
_PROTOCOL = 2
# Raised when `shim` gives another text for the same module.
_SHIM = 3
_ROWS, _TAKEN, _FAULTS, _FINISHED, _FAILED = 1, 2, 3, 4, 5
_ZEROIZE, _RESET, _DRAIN = 1, 2, 4
# A port in the header of a model: VL_IN8(&name,7,0); VL_OUTW(&name,127,0,4);
_PORT = re.compile(r"VL_(IN|OUT|INOUT)(?:8|16|64|W)?\(&(\w+),(\d+),(\d+)")

VALID_FELL: Final = 1
"""Fault: valid fell before the word was taken."""
WORD_CHANGED: Final = 2
"""Fault: a word that waited to be taken changed."""


@dataclass(frozen=True)
class Channel:
    """A port in the sense of AXI4-Stream.

    Args:
        name: how the caller names it.
        valid: the port that marks a valid word.
        ready: the port that takes it, or None where it is taken always.
        fields: the ports of a word.
        optional: those of them that the module may lack; then the words lack them too.
    """

    name: str
    valid: str
    ready: str | None
    fields: tuple[str, ...]
    optional: tuple[str, ...] = ()


@dataclass(frozen=True)
class Module:
    """A module with AXI4-Stream ports.

    Args:
        name: for messages.
        top: the module.
        sources: channels into the module.
        sink: the channel out of it; of several, the one that tells when a run is over.
        clock: its clock.
        reset: its reset, or None.
        reset_low: whether a low level resets it.
        zeroize: a port that zeroizes it when it is pulsed, or None.
        ties: value by port, of inputs that stay constant. Inputs that are not named are 0.
        parameters: of the module.
        files: sources in compile order, or None for the package's own.
        style: Verilator's options in addition to the common ones.
        more_sinks: other channels out of it.
    """

    name: str
    top: str
    sources: tuple[Channel, ...]
    sink: Channel
    clock: str = "clk"
    reset: str | None = "rst"
    reset_low: bool = False
    zeroize: str | None = None
    ties: Mapping[str, int] = field(default_factory=dict)
    parameters: Mapping[str, int] = field(default_factory=dict)
    files: tuple[Path, ...] | None = None
    style: tuple[str, ...] = ()
    more_sinks: tuple[Channel, ...] = ()

    @property
    def sinks(self) -> tuple[Channel, ...]:
        """All channels out of it."""
        return (self.sink, *self.more_sinks)


@dataclass(frozen=True)
class StreamResult:
    """What one run gave."""

    rows: NDArray[Any]
    """A record for each word that came out: ``cycle``, and a field for each port."""
    more_rows: dict[str, NDArray[Any]]
    """Likewise for each of the other channels out, by its name."""
    taken: dict[str, NDArray[np.uint64]]
    """By channel: the cycles in which its words were taken, in order."""
    faults: list[tuple[int, int, int, str]]
    """Breaches of the handshake at an output: what, cycle, number of the word since the start, name
    of the channel."""
    cycles: int
    """Clock cycles of this run."""
    stopped: bool
    """Whether it was given up because nothing moved any more."""
    simulation_seconds: float
    """Time the model ran."""


def ports_of(header: str) -> dict[str, tuple[str, int]]:
    """Return direction (`IN`, `OUT`, `INOUT`) and width by port name from a model's header."""
    return {name: (way, int(high) - int(low) + 1) for way, name, high, low in _PORT.findall(header)}


def _bits(count: int) -> str:
    return f"{count} bit{'s' if count != 1 else ''}"


def shim(module: Module, header: str) -> str:
    """Return the C++ text that binds a model of a module to the driver.

    Args:
        module: says which port is what.
        header: text of the model's header.

    Raises:
        UsageError: a port is not there, or has the wrong direction or width.
    """
    ports = ports_of(header)

    def pin(name: str, way: str, what: str, bits: int | None = None) -> str:
        if name not in ports:
            raise UsageError(
                f"{module.top} has no port '{name}' ({what}){nearest(name, ports)}\n"
                f"ports: {', '.join(ports)}"
            )
        found, width = ports[name]
        if found != way:
            words = {"IN": "input", "OUT": "output", "INOUT": "inout"}
            raise UsageError(
                f"port '{name}' of {module.top} is an {words[found]}; {what} must be an "
                f"{words[way]}"
            )
        if bits is not None and width != bits:
            raise UsageError(
                f"port '{name}' of {module.top} is {_bits(width)} wide; {what} has {bits}"
            )
        return f"bytes_of(model->{name})"

    def channel(one: Channel, to: str, into: bool) -> list[str]:
        given, taken = ("IN", "OUT") if into else ("OUT", "IN")
        lines = [f"{to}.valid = {pin(one.valid, given, f'valid of {one.name}', 1)};"]
        ready = "&always" if into else "&nothing"
        if one.ready is not None:
            ready = pin(one.ready, taken, f"ready of {one.name}", 1)
        lines.append(f"{to}.ready = {ready};")
        for name in one.fields:
            if name in one.optional and name not in ports:
                lines.append(f"{to}.fields.push_back({{&nothing, 0, 0}});")
                continue
            at = pin(name, given, f"of {one.name}")
            lines.append(
                f"{to}.fields.push_back({{{at}, {ports[name][1]}, sizeof model->{name}}});"
            )
        return lines

    body = [f"ports.clk = {pin(module.clock, 'IN', 'the clock', 1)};"]
    reset, zeroize = "&nothing", "&nothing"
    if module.reset is not None:
        reset = pin(module.reset, "IN", "the reset", 1)
    if module.zeroize is not None:
        zeroize = pin(module.zeroize, "IN", "zeroize", 1)
    body += [
        f"ports.rst = {reset};",
        f"ports.zeroize = {zeroize};",
        f"ports.reset_low = {str(module.reset_low).lower()};",
        f"ports.sources.resize({len(module.sources)});",
    ]
    for number, one in enumerate(module.sources):
        body += channel(one, f"ports.sources[{number}]", into=True)
    body.append(f"ports.sinks.resize({len(module.sinks)});")
    for number, one in enumerate(module.sinks):
        body += channel(one, f"ports.sinks[{number}]", into=False)
    for name, value in module.ties.items():
        at = pin(name, "IN", "tied")
        width = ports[name][1]
        if value < 0 or value >> width:
            raise UsageError(
                f"port '{name}' of {module.top} is {_bits(width)} wide: {value:#x} does not fit"
            )
        data = value.to_bytes(-(-width // 8), "little")
        body += [f"{at}[{i}] = {byte:#x};" for i, byte in enumerate(data) if byte]
    lines = "\n    ".join(body)
    return f"""\
#include "stream.h"

#include "{_PREFIX}.h"

#include "verilated.h"

namespace {{
VerilatedContext* context;
{_PREFIX}* model;
std::uint8_t nothing = 0, always = 1;

template <typename T>
std::uint8_t* bytes_of(T& port) {{
    return reinterpret_cast<std::uint8_t*>(&port);
}}
}}  // namespace

void stream_open(StreamPorts& ports, std::uint64_t seed) {{
    context = new VerilatedContext;
    // Registers start at random, as in a chip: what the reset does not set must not matter.
    context->randReset(2);
    context->randSeed(static_cast<int>(seed & 0x7fffffff));
    model = new {_PREFIX}{{context}};
    {lines}
}}

void stream_eval() {{ model->eval(); }}

bool stream_finished() {{ return context->gotFinish(); }}
"""


def compile_stream(
    module: Module,
    *,
    optimize: Optimize = "speed",
    progress: Callable[[str], None] | None = None,
) -> Model:
    """Return the compiled model of a module, from the cache where it has been compiled before.

    Raises:
        ToolMissing: Verilator or the C++ compiler is not installed.
        UsageError: the module's ports are other than it says.
        AesforgeError: it does not compile, or the cache cannot be written.
    """
    what = (module.sources, module.sinks, module.clock, module.reset, module.reset_low)
    return compile_subject(
        Subject(
            name=module.name,
            top=module.top,
            prefix=_PREFIX,
            parameters=dict(module.parameters),
            driver=STREAM_DRIVER,
            shim=lambda header: shim(module, header),
            key=repr((_SHIM, what, module.zeroize, sorted(module.ties.items()))),
            style=module.style,
        ),
        optimize=optimize,
        rtl=module.files,
        progress=progress,
    )


class StreamSimulator(ModelProcess):
    """A compiled model of a module in a child process; use it in a ``with`` statement.

    The module is reset when the process starts. Its state lives on between calls of :meth:`run`.

    Args:
        module: the simulated module.
        optimize: ``build`` for the fastest compilation, ``middle`` for thousands of blocks,
            ``speed`` for more.
        seed: fixes stalls, the registers' start values and the noise on idle data pins.
        progress: called with a short text when a step of the compilation starts.

    Raises:
        ToolMissing: Verilator or the C++ compiler is not installed.
        UsageError: the module's ports are other than it says.
        AesforgeError: the model does not compile.
    """

    def __init__(
        self,
        module: Module,
        *,
        optimize: Optimize = "speed",
        seed: int = 0,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(module.name)
        self.module = module
        self._optimize: Optimize = optimize
        self._seed = seed
        self._progress = progress
        self.model: Model | None = None
        self.widths: dict[str, int] = {}
        """Bits of each port of a channel that is there."""
        self.moved: dict[str, int] = {one.name: 0 for one in (*module.sources, *module.sinks)}
        """Words that each channel has taken, or given, since the start."""

    # --- Life

    def __enter__(self) -> StreamSimulator:
        self.model = compile_stream(self.module, optimize=self._optimize, progress=self._progress)
        try:
            self._start(self.model.program, self._seed)
            if _HELLO.unpack(self._read(_HELLO.size)) != (_MAGIC_HELLO, _PROTOCOL):
                raise self._refuse_protocol(self.model.program)
            self._dtypes = {one.name: self._dtype_of(one) for one in self.module.sources}
            self._row_dtypes = {
                one.name: self._dtype_of(one, head=[("cycle", "<u8")]) for one in self.module.sinks
            }
            self.row_dtype = self._row_dtypes[self.module.sink.name]
        except BaseException:
            self.close()
            raise
        return self

    def _dtype_of(self, channel: Channel, head: Sequence[Any] | None = None) -> np.dtype[Any]:
        import numpy as np

        fields: list[Any] = list(
            head if head is not None else [("after", "<u4"), ("", "<u4"), ("count", "<u8")]
        )
        for name in channel.fields:
            bits, size = struct.unpack("<2I", self._read(8))
            if not size:
                continue
            self.widths[name] = bits
            fields.append((name, f"<u{size}") if size <= 8 else (name, "u1", (size,)))
        return np.dtype(fields)

    # --- Work

    def transfers(self, channel: str, count: int) -> NDArray[Any]:
        """Return words of a channel, all zeros; fill in the ports.

        A word is not offered before the channel number ``after`` (from 1 on, in the module's order,
        sinks last; 0: none) has moved ``count`` words since the start; see :meth:`after`.
        """
        import numpy as np

        return np.zeros(count, self._dtypes[channel])

    def rows_of(self, channel: str, count: int) -> NDArray[Any]:
        """Return rows of a channel out, all zeros: to compare with what comes out."""
        import numpy as np

        return np.zeros(count, self._row_dtypes[channel])

    def after(self, channel: str) -> int:
        """Return the number of a channel for the field ``after`` of a word."""
        return list(self.moved).index(channel) + 1

    def run(
        self,
        words: Mapping[str, NDArray[Any]],
        *,
        stalls: Mapping[str, float] | None = None,
        wanted: int | None = None,
        tail_cycles: int = 0,
        zeroize: bool = False,
        reset: bool = False,
        watchdog_cycles: int = 20_000,
    ) -> StreamResult:
        """Offer words and return the outputs of that time.

        Args:
            words: by channel; all of them are given, in order.
            stalls: by channel, how likely a cycle passes without a word (source) or without ready
                (sink), 0 to below 1.
            wanted: wait until so many words of this run are out, and none waits at another channel
                out; None: stop when all are in.
            tail_cycles: cycles to run afterwards, to catch spurious outputs.
            zeroize: pulse `zeroize` first; whatever is inside is lost.
            reset: reset first; whatever is inside is lost.
            watchdog_cycles: cycles in which nothing moves after which the run is given up.

        Raises:
            CheckFailed: the model's process died.
        """
        import numpy as np

        sources = [one.name for one in self.module.sources]
        for name in words:
            if name not in sources:
                raise KeyError(f"{self.module.top} has no channel '{name}' into it")

        def block_index(name: str, count: int) -> bytes:
            share = (stalls or {}).get(name, 0.0)
            return _FEED.pack(count, min(2**32 - 1, round(share * 2**32)), 0)

        flags = (_ZEROIZE if zeroize else 0) | (_RESET if reset else 0)
        flags |= 0 if wanted is None else _DRAIN
        given = {name: words.get(name, self.transfers(name, 0)) for name in sources}
        self._write(
            _BATCH.pack(_MAGIC_BATCH, flags, watchdog_cycles, wanted or 0, tail_cycles)
            + b"".join(block_index(name, len(given[name])) for name in sources)
            + b"".join(block_index(one.name, 0) for one in self.module.sinks)
        )
        for name in sources:
            if given[name].dtype != self._dtypes[name]:
                raise TypeError(f"words of {name} must be {self._dtypes[name]}")
            self._write(np.ascontiguousarray(given[name]).view("u1").data)

        sinks = [one.name for one in self.module.sinks]
        rows = {name: bytearray() for name in sinks}
        taken: list[NDArray[np.uint64]] = []
        faults: list[tuple[int, int, int, str]] = []
        while True:
            magic, part, sink, size = _ANSWER.unpack(self._read(_ANSWER.size))
            if magic != _MAGIC_ANSWER:
                raise self._dead("sent an answer that makes no sense")
            data = self._read(size)
            if part == _ROWS:
                rows[sinks[sink]] += data
            elif part == _TAKEN:
                taken.append(np.frombuffer(bytes(data), "<u8"))
            elif part == _FAULTS:
                faults += [
                    (what, cycle, word, sinks[sink])
                    for what, sink, cycle, word in struct.iter_unpack("<2I2Q", data)
                ]
            elif part == _FINISHED:
                break
            else:
                self.close()
                raise CheckFailed(
                    f"simulating '{self.module.name}': {data.decode(errors='replace')}"
                )
        cycles, stopped, nanoseconds = _DONE.unpack(data)
        given_out = {
            name: np.frombuffer(data, self._row_dtypes[name]) for name, data in rows.items()
        }
        for name in sinks:
            self.moved[name] += len(given_out[name])
        result = StreamResult(
            rows=given_out.pop(sinks[0]),
            more_rows=given_out,
            taken=dict(zip(sources, taken, strict=True)),
            faults=faults,
            cycles=cycles,
            stopped=bool(stopped),
            simulation_seconds=nanoseconds * 1e-9,
        )
        for name, cycles_taken in result.taken.items():
            self.moved[name] += len(cycles_taken)
        return result

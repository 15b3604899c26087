# SPDX-License-Identifier: Apache-2.0
"""Run operations through a compiled Verilator model of any design.

    with Simulator(design) as sim:
        ops = sim.new_ops(1000)
        ops["op"] = BLOCK
        ops["key"], ops["block"] = ...
        result = sim.run(ops)

Operations and results are numpy arrays whose bytes go to and from the model's process as they
are; nothing here works block by block.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aesforge.design import Design
from aesforge.errors import CheckFailed
from aesforge.simulate.build import (
    WAVE_VARIABLE,
    Model,
    Optimize,
    blocks_per_transfer,
    compile_model,
)
from aesforge.simulate.process import ModelProcess

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The operations, in the driver's order.
BLOCK: Final = 0
"""Present a block until it is accepted."""
LOAD: Final = 1
"""Present a key until it is accepted; later operations go on while the loader works. With the flag
BESIDE they do not even wait for the key to be accepted."""
IDLE: Final = 2
"""Let ``arg`` cycles pass without valid data."""
ZEROIZE: Final = 3
"""Pulse ``zeroize`` for ``arg`` cycles, at least one."""
WAIT: Final = 4
"""Wait until all keys are loaded and all blocks are out."""
RESET: Final = 5
"""Hold ``rst`` for ``arg`` cycles, at least one."""
SNAPSHOT: Final = 6
"""Put zeros on all data pins and take the model's whole state, without a clock edge."""
CHAIN: Final = 7
"""Send ``arg`` blocks, each the result of the one before it; the first is ``block``."""

BESIDE: Final = 1
"""Flag of LOAD: the key port works in parallel with later operations."""

# Kinds of events.
LOADED: Final = 1
"""A key was accepted for ``slot``."""
ZEROIZED: Final = 2
"""``zeroize`` rose; ``value`` blocks were in flight."""
WAS_RESET: Final = 3
"""``rst`` rose; ``value`` blocks were in flight."""
SPURIOUS: Final = 4
"""``out_valid`` was high although no block was in flight; ``value`` is its tag."""
READY_IN_ZEROIZE: Final = 5
"""``in_ready`` (value 1) or ``key_ready`` (value 2) was high while ``zeroize`` was."""
TOOK_SNAPSHOT: Final = 6
"""A snapshot was taken; ``value`` is its length in bytes."""

ALARM: Final = 7
"""A checked core raised ``alarm``; ``value`` is ``out_valid`` in that cycle."""

_OPS_PER_BATCH = 1 << 16
_HELLO = struct.Struct("<8I")
_BATCH = struct.Struct("<IIQQ")
_ANSWER = struct.Struct("<IIQ")
_DONE = struct.Struct("<5Q")
_MAGIC_HELLO, _MAGIC_BATCH, _MAGIC_ANSWER = (
    int.from_bytes(name, "little") for name in (b"AESH", b"AESB", b"AESA")
)
_PROTOCOL = 1
_ROWS, _EVENTS, _STATE, _FINISHED, _FAILED = 1, 2, 3, 4, 5


def op_dtype(blocks_per_beat: int = 1) -> np.dtype[Any]:
    """Return the record of one operation for a core with that many blocks.

    ``op`` one of the constants of this module; ``decrypt`` 0 or 1; ``slot``; ``flags``; ``arg``;
    ``tag``; ``key`` 32 bytes, of which a shorter key uses the first ones; ``block`` 16 bytes each.
    Byte 0 of a key or block is the standard's byte 0.
    """
    import numpy as np

    return np.dtype(
        [
            ("op", "u1"),
            ("decrypt", "u1"),
            ("slot", "u1"),
            ("flags", "u1"),
            ("arg", "<u4"),
            ("tag", "<u8"),
            ("key", "u1", (32,)),
            ("block", "u1", (16 * blocks_per_beat,)),
        ]
    )


def row_dtype(blocks_per_beat: int = 1) -> np.dtype[Any]:
    """Return the record of one beat that came out.

    ``index`` counts accepted beats from the simulator's start; ``tag`` is the output of the core;
    ``in_cycle`` and ``out_cycle`` are the cycles in which it was accepted and came out.
    """
    import numpy as np

    return np.dtype(
        [
            ("index", "<u8"),
            ("tag", "<u8"),
            ("in_cycle", "<u8"),
            ("out_cycle", "<u8"),
            ("block", "u1", (16 * blocks_per_beat,)),
        ]
    )


def event_dtype() -> np.dtype[Any]:
    """Return the record of one event: ``what`` (a constant of this module), slot, cycle, value."""
    import numpy as np

    return np.dtype([("what", "<u4"), ("slot", "<u4"), ("cycle", "<u8"), ("value", "<u8")])


@dataclass(frozen=True)
class SimResult:
    """What one run gave."""

    rows: NDArray[Any]
    """One record of :func:`row_dtype` per beat that came out, in order of leaving."""
    events: NDArray[Any]
    """Records of :func:`event_dtype`, in order of time."""
    snapshots: tuple[bytes, ...]
    """The model's state at each SNAPSHOT."""
    cycles: int
    """Clock cycles of this run."""
    accepted: int
    """Beats accepted."""
    left: int
    """Beats that came out."""
    dropped: int
    """Beats in flight that a ZEROIZE or RESET zeroized."""
    simulation_seconds: float
    """Time the model ran."""
    wall_seconds: float
    """Time from the call to its return, with the transport."""

    def of(self, what: int) -> NDArray[Any]:
        """Return the events of one kind."""
        events: NDArray[Any] = self.events[self.events["what"] == what]
        return events


class Simulator(ModelProcess):
    """A compiled model of a design in a child process; use it in a ``with`` statement.

    The core is reset when the process starts. Its state lives on between calls of :meth:`run`:
    a block that is in flight at the end of one run leaves in a later one.

    Args:
        design: the core.
        optimize: ``build`` for the fastest compilation, ``middle`` for thousands of blocks,
            ``speed`` for more.
        snapshots: compile the operation SNAPSHOT in.
        wave: a file for the values of all signals, as VCD; a step of its time is an evaluation.
        seed: fixes the registers' start values and the noise on idle data pins.
        watchdog_cycles: cycles without any progress after which a run is given up.
        rtl: source files in compile order instead of the package's own.
        progress: called with a short text when a step of the compilation starts.

    Raises:
        ToolMissing: Verilator or the C++ compiler is not installed.
        AesforgeError: the model does not compile.
    """

    def __init__(
        self,
        design: Design,
        *,
        optimize: Optimize = "speed",
        snapshots: bool = False,
        wave: Path | None = None,
        seed: int = 0,
        watchdog_cycles: int | None = None,
        rtl: Sequence[Path] | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(design.name)
        self.design = design
        self._blocks_per_beat = blocks_per_transfer(design)
        self._options: dict[str, Any] = {
            "optimize": optimize,
            "snapshots": snapshots,
            "wave": wave is not None,
            "rtl": rtl,
            "progress": progress,
        }
        self._seed = seed
        self._environment = {} if wave is None else {WAVE_VARIABLE: str(wave)}
        # Loading a key takes some hundred cycles at most; a block, its latency.
        self._watchdog_cycles = watchdog_cycles or 20_000 + 4 * design.latency_cycles
        self.model: Model | None = None

    # --- Life

    def __enter__(self) -> Simulator:
        self.model = compile_model(self.design, **self._options)
        try:
            self._start(self.model.program, self._seed, **self._environment)
            hello = _HELLO.unpack(self._read(_HELLO.size))
        except BaseException:
            self.close()
            raise
        blocks_per_beat = self._blocks_per_beat
        if hello != (
            _MAGIC_HELLO,
            _PROTOCOL,
            op_dtype(blocks_per_beat).itemsize,
            row_dtype(blocks_per_beat).itemsize,
            event_dtype().itemsize,
            blocks_per_beat,
            self.design.key_bits // 8,
            self.design.tag_bits,
        ):
            raise self._refuse_protocol(self.model.program)
        return self

    # --- Work

    def new_ops(self, count: int) -> NDArray[Any]:
        """Return ``count`` operations, all BLOCK with zeros; fill in what differs."""
        import numpy as np

        return np.zeros(count, op_dtype(self._blocks_per_beat))

    def run(self, ops: NDArray[Any]) -> SimResult:
        """Run operations and return the outputs of that time.

        Any number of operations will do; they are sent in batches, so that the model's process
        holds a bounded part of them. The clock stops at the end of the last one: add WAIT to get
        every block out.

        Raises:
            CheckFailed: the core made no progress, or its process died; the message names the
                operation and the simulator is closed.
        """
        import numpy as np

        started = time.monotonic()
        wanted = op_dtype(self._blocks_per_beat)
        if ops.dtype != wanted or ops.ndim != 1:
            raise TypeError(f"operations must be a 1-D array of {wanted}, not {ops.dtype}")
        ops = np.ascontiguousarray(ops)
        rows = bytearray()
        events = bytearray()
        snapshots: list[bytes] = []
        totals = [0] * 5
        for first in range(0, len(ops), _OPS_PER_BATCH):
            done = self._run_batch(
                ops[first : first + _OPS_PER_BATCH], first, rows, events, snapshots
            )
            totals = [a + b for a, b in zip(totals, done, strict=True)]
        return SimResult(
            rows=np.frombuffer(rows, row_dtype(self._blocks_per_beat)),
            events=np.frombuffer(events, event_dtype()),
            snapshots=tuple(snapshots),
            cycles=totals[0],
            accepted=totals[1],
            left=totals[2],
            dropped=totals[3],
            simulation_seconds=totals[4] * 1e-9,
            wall_seconds=time.monotonic() - started,
        )

    def _run_batch(
        self,
        ops: NDArray[Any],
        first: int,
        rows: bytearray,
        events: bytearray,
        snapshots: list[bytes],
    ) -> tuple[int, ...]:
        header = _BATCH.pack(_MAGIC_BATCH, ops.itemsize, len(ops), self._watchdog_cycles)
        self._write(header)
        self._write(ops.view("u1").data)
        while True:
            magic, part, size = _ANSWER.unpack(self._read(_ANSWER.size))
            if magic != _MAGIC_ANSWER:
                raise self._dead("sent an answer that makes no sense")
            data = self._read(size)
            if part == _ROWS:
                rows += data
            elif part == _EVENTS:
                events += data
            elif part == _STATE:
                snapshots.append(bytes(data))
            elif part == _FINISHED:
                return _DONE.unpack(data)
            else:
                self.close()
                where = f" (operations counted from {first})" if first else ""
                raise CheckFailed(
                    f"simulating '{self.design.name}': {data.decode(errors='replace')}{where}"
                )

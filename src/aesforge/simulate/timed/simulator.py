# SPDX-License-Identifier: Apache-2.0
"""Run a circuit at a clock period: `timed.cpp`, compiled at its first use."""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aesforge.errors import AesforgeError
from aesforge.simulate.timed.circuit import Circuit
from aesforge.simulate.verilator import compiled

if TYPE_CHECKING:
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

_SOURCE = Path(__file__).with_name("timed.cpp")
_OPTIONS = ("-std=c++17", "-O2")


@dataclass(frozen=True)
class Counts:
    """How often things changed in a window of cycles; sources are nodes, then registers.

    Args:
        transitions: of each source. A change that is undone in the same picosecond is none.
        needed: of each source, those that zero delays would leave: changes of its value from the
            end of one cycle to the end of the next.
        writes: of each write port of a memory.
    """

    transitions: NDArray[np.uint32]
    needed: NDArray[np.uint32]
    writes: NDArray[np.uint32]


@dataclass(frozen=True)
class Timed:
    """What a run gave.

    Args:
        values: of the observed registers, after the clock edge of each cycle; cycles x registers.
        latest_ps: from a clock edge to the last change at any register's input that it caused,
            setup time included; at most the period where all came in time.
        latest: the register at which that was; empty when nothing moved.
        events: changes that reached a pin.
        counts: of the window that was asked for.
    """

    values: NDArray[np.uint8]
    latest_ps: int
    latest: str
    events: int
    counts: Counts | None = None


class Simulation:
    """A circuit and its stimulus, to be run at any period; use it in a `with` statement.

    Args:
        circuit: what is simulated.
        stimulus: 0 or 1; cycles x the circuit's stimulus registers.

    Raises:
        ToolMissing: on entry: there is no C++ compiler.
        AesforgeError: on entry: the simulator does not compile, or the cache cannot be written.
    """

    def __init__(self, circuit: Circuit, stimulus: NDArray[np.uint8]) -> None:
        self._circuit = circuit
        self._stimulus = stimulus

    def __enter__(self) -> Simulation:
        import numpy as np

        self._program = compiled(_SOURCE, _OPTIONS)
        self._folder = tempfile.TemporaryDirectory()
        self._circuit.write(Path(self._folder.name, "circuit"))
        count = np.array([len(self._stimulus)], "<u4").tobytes()
        Path(self._folder.name, "stimulus").write_bytes(count + self._stimulus.tobytes())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._folder.cleanup()

    def run(self, period_ps: int, window: range | None = None) -> Timed:
        """Run all cycles from the start.

        Args:
            period_ps: of the clock.
            window: rows of the stimulus whose clock edges are counted, with all that follows from
                each before the next edge; the last row has no next edge. None to count nothing.

        Raises:
            AesforgeError: the program failed.
        """
        import numpy as np

        folder = Path(self._folder.name)
        with tempfile.NamedTemporaryFile(dir=folder) as result:
            command = [
                *(str(self._program), str(folder / "circuit"), str(folder / "stimulus")),
                *(result.name, str(period_ps)),
            ]
            if window is not None:
                command += [f"{result.name}.counts", str(window.start), str(window.stop)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise AesforgeError(f"the timed simulation failed: {done.stderr.strip()[-500:]}")
            values = np.fromfile(result.name, np.uint8)
            counts = None if window is None else self._counts(Path(f"{result.name}.counts"))
        told = json.loads(done.stdout)
        registers = self._circuit.parts.registers
        number = told["latest_register"]
        return Timed(
            values=values.reshape(len(self._stimulus), -1),
            latest_ps=told["latest_ps"],
            latest=registers[number].cell if number >= 0 else "",
            events=told["events"],
            counts=counts,
        )

    def _counts(self, path: Path) -> Counts:
        import numpy as np

        parts = self._circuit.parts
        sources = len(parts.nodes) + len(parts.registers)
        transitions, needed, writes = np.split(np.fromfile(path, "<u4"), [sources, 2 * sources])
        assert len(writes) == len(parts.ports)
        return Counts(transitions, needed, writes)

# SPDX-License-Identifier: Apache-2.0
"""What every check reports, whatever it sent: faults, the way to repeat it, times and speed."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from aesforge.simulate.build import Optimize

Progress = Callable[[int, int], None]

# A failing design gives one message for each kind of fault, not one for each block.
_MAX_FAILURES = 4
# About as many as the published vectors have.
_VECTOR_BLOCKS = 3000


class Simulated(Protocol):
    """What a run of a simulator says of itself."""

    @property
    def cycles(self) -> int:
        """Clock cycles."""

    @property
    def simulation_seconds(self) -> float:
        """Time the model ran."""


@dataclass(kw_only=True)
class Report:
    """What a check found; every field is JSON-able."""

    summary: str
    """The design in one line of text."""
    choices: dict[str, Any]
    """All choices of the design."""
    seed: int
    command: str
    """What repeats the run."""
    passed: bool = True
    failures: list[str] = field(default_factory=list)
    """The first fault of each kind, as text."""
    cycles: int = 0
    """Clock cycles simulated."""
    latency_cycles: int = 0
    """What the design computes."""
    blocks_per_cycle: float = 0.0
    """What the design computes for full load."""
    blocks_per_cycle_seen: float | None = None
    """Measured at full load; None when too few blocks were sent back to back."""
    build_seconds: float = 0.0
    """Time the model's compilation took; 0 when it was found in the cache."""
    simulation_seconds: float = 0.0
    """Time the model ran."""

    def __post_init__(self) -> None:
        self._kinds: set[str] = set()

    def fault(self, kind: str, message: str) -> None:
        """Note that the design is wrong; only the first fault of a kind is kept."""
        self.passed = False
        if kind not in self._kinds and len(self.failures) < _MAX_FAILURES:
            self._kinds.add(kind)
            self.failures.append(message)

    def count(self, result: Simulated) -> None:
        """Add what a run of the simulator took."""
        self.cycles += result.cycles
        self.simulation_seconds += result.simulation_seconds

    @property
    def cycles_per_second(self) -> float:
        """Simulation speed."""
        return self.cycles / self.simulation_seconds if self.simulation_seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {**dataclasses.asdict(self), "cycles_per_second": self.cycles_per_second}

    def lines(self) -> list[str]:
        """Return the lines before the faults."""
        raise NotImplementedError

    def text(self) -> str:
        """Return the report for people, several lines."""
        lines = self.lines()
        for failure in self.failures:
            lines += ["", f"WRONG: {failure}"]
        if self.failures:
            lines += ["", f"repeat it with: {self.command}"]
        else:
            lines.append(f"result      {self.success()}")
        return "\n".join(lines)

    def success(self) -> str:
        """Return the line for a run without faults."""
        return "passed"

    def throughput(self, unit: str) -> str:
        """Return the line about the throughput."""
        rate = self.blocks_per_cycle_seen
        return (
            f"throughput  {'not measured' if rate is None else f'{rate:.4g}'} {unit} per cycle "
            f"(computed: {self.blocks_per_cycle:.4g})"
        )


def chosen_optimize(given: Optimize | None, blocks: int, *, vectors: bool) -> Optimize:
    """Return how a model is compiled for so many blocks, and the published vectors."""
    from aesforge.simulate.build import optimize_for

    return given or optimize_for(blocks + _VECTOR_BLOCKS * vectors)


def chosen_seed(seed: int | None) -> int:
    """Return the seed that was asked for, or draw one."""
    return secrets.randbits(32) if seed is None else seed


def repeat_command(
    command: str, *, seed: int, blocks: int, bubbles: float, random_keys: bool, vectors: bool
) -> str:
    """Return the command that repeats a run.

    Args:
        command: what a user types for a check of the design.
        seed: of the run.
        blocks: as asked for.
        bubbles: as asked for.
        random_keys: as asked for.
        vectors: whether published vectors were sent, or there are none.
    """
    return (
        f"{command} --seed {seed} --blocks {blocks} --bubbles {bubbles:g}"
        f"{'' if random_keys else ' --one-key'}{'' if vectors else ' --no-vectors'}"
    )

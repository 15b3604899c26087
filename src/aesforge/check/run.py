# SPDX-License-Identifier: Apache-2.0
"""What the checks of a cipher and of a key expansion share: report, draws, rate, progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aesforge.check.report import Progress, Report
from aesforge.design import Design

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from aesforge.simulate import Simulator

STANDARD_REFERENCE = "published vectors (NIST) and OpenSSL"
RESEARCH_REFERENCE = (
    "aesforge's own model of scheme {}; not with NIST's vectors or OpenSSL, since this is not AES"
)

# Beats of one call of the simulator: limits the memory.
CHUNK_BEATS = 8192


@dataclass(kw_only=True)
class CheckReport(Report):
    """What a check of a core found."""

    design: str
    """The design's name."""
    vector_blocks: int = 0
    """Blocks of published vectors that were sent."""
    random_blocks: int = 0
    """Random blocks that were sent."""
    wrong_blocks: int = 0
    """Blocks that came out wrong."""
    latency_cycles_seen: tuple[int, int] | None = None
    """The least and the most that a block took."""
    unit: str = "blocks"
    """What is sent: blocks, or keys to be expanded; all figures count these."""
    reference: str = STANDARD_REFERENCE
    """What the blocks were compared with."""
    warning: str | None = None
    """Set when the core is not AES."""

    @property
    def blocks(self) -> int:
        """All blocks that were sent."""
        return self.vector_blocks + self.random_blocks

    @property
    def error_percent(self) -> float:
        """Wrong blocks in percent of all blocks."""
        return 100 * self.wrong_blocks / self.blocks if self.blocks else 0.0

    @property
    def blocks_per_second(self) -> float:
        """Simulation speed."""
        return self.blocks / self.simulation_seconds if self.simulation_seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {
            "design": self.design,
            **super().as_dict(),
            "blocks": self.blocks,
            "error_percent": self.error_percent,
            "blocks_per_second": self.blocks_per_second,
        }

    def lines(self) -> list[str]:
        """Return the lines before the faults."""
        seen = self.latency_cycles_seen
        if seen is None:
            latency = "not measured"
        elif seen[0] == seen[1]:
            latency = f"{seen[0]} cycles"
        else:
            latency = f"{seen[0]} to {seen[1]} cycles"
        lines = [
            f"design      {self.design}: {self.summary}",
            f"compared    with {self.reference}",
            f"{self.unit:<12}{self.blocks:,} ({self.vector_blocks:,} of published vectors, "
            f"{self.random_blocks:,} random) in {self.cycles:,} cycles",
            f"latency     {latency} (computed: {self.latency_cycles})",
            self.throughput(self.unit),
            f"errors      {self.wrong_blocks:,} wrong {self.unit}, {self.error_percent:.4g} %",
            f"simulation  {self.cycles_per_second:,.0f} cycles/s, "
            f"{self.blocks_per_second:,.0f} {self.unit}/s",
            f"seed        {self.seed}",
        ]
        if self.warning is not None:
            lines.append(f"warning     {self.warning}")
        return lines


class CoreRun:
    """One check of a core: makes operations, has them carried out, compares.

    A cipher's is `aesforge.check.cipher`, a key expansion's `aesforge.check.key_expansion`.
    """

    def __init__(
        self, design: Design, simulator: Simulator, report: CheckReport, progress: Progress
    ) -> None:
        import numpy as np

        self.design = design
        self.simulator = simulator
        self.report = report
        self.progress = progress
        self.rng = np.random.default_rng(report.seed)
        self.total_beats = 0
        self.done_beats = 0

    def vector_count(self) -> int:
        """Return the number of beats of :meth:`published_vectors`."""
        raise NotImplementedError

    def published_vectors(self) -> None:
        """Send the published vectors."""
        raise NotImplementedError

    def random_traffic(self, count: int, bubbles: float, random_keys: bool) -> None:
        """Send ``count`` random beats, with pauses at the rate of ``bubbles``."""
        raise NotImplementedError

    def expect(self, beats: int) -> None:
        """Set the number of beats for the progress bar."""
        self.total_beats = beats

    def advance(self, beats: int) -> None:
        """Advance the progress bar by some beats."""
        self.done_beats += beats
        blocks = self.design.blocks_per_beat
        self.progress(self.done_beats * blocks, self.total_beats * blocks)

    def fault(self, kind: str, message: str) -> None:
        """Note that the core is wrong."""
        self.report.fault(kind, message)

    def tags(self, count: int) -> NDArray[np.uint64]:
        """Draw tags (count,)."""
        import numpy as np

        return self.rng.integers(0, 2**64, count, dtype=np.uint64)

    def pauses(self, count: int, bubbles: float) -> NDArray[Any]:
        """Draw how many cycles pass idle before each of ``count`` beats."""
        import numpy as np

        rng = self.rng
        pauses = np.where(rng.random(count) < bubbles, rng.integers(1, 5, count), 0)
        # Now and then long enough for the core to run empty.
        long = rng.integers(1, 2 * self.design.latency_cycles + 2, count)
        return np.where((rng.random(count) < 0.02) & (pauses > 0), long, pauses)

    def random_name(self, at: int) -> str:
        """Return what a message calls the beat of this number among those just sent."""
        number = self.report.random_blocks // self.design.blocks_per_beat + at
        return f"random beat {number} of seed {self.report.seed}"

    def note_latency(self, latency: NDArray[np.int64]) -> None:
        """Widen the range of latencies that were seen."""
        if len(latency):
            low, high = int(latency.min()), int(latency.max())
            seen = self.report.latency_cycles_seen or (low, high)
            self.report.latency_cycles_seen = (min(seen[0], low), max(seen[1], high))

    def measure_rate(self, in_cycle: NDArray[np.int64], places: int) -> None:
        """Compare the rate at full load, over whole turns."""
        design = self.design
        turns = (len(in_cycle) - 1) // places
        if turns < 1:
            return
        cycles = int(in_cycle[turns * places] - in_cycle[0])
        self.report.blocks_per_cycle_seen = turns * places * design.blocks_per_beat / cycles
        wanted = turns * places * design.interval
        if cycles != round(wanted):
            self.fault(
                "rate",
                f"{turns * places} beats back to back took {cycles} cycles to accept; the design "
                f"computes {wanted:.0f}",
            )

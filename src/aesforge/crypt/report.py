# SPDX-License-Identifier: Apache-2.0
"""What was done with a file, by a core or by an engine."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Report:
    """What was done with a file; every field is JSON-able."""

    summary: str
    """The design in one line of text."""
    mode: str
    decrypt: bool
    input_bytes: int
    output_bytes: int
    blocks: int
    """Blocks that were sent."""
    cycles: int
    """From the first block on, filling and draining included."""
    build_seconds: float
    """Time the model's compilation took; 0 when it was found in the cache."""
    simulation_seconds: float
    """Time the model ran."""
    seconds: float
    """Time from the first byte read to the last byte written, without the compilation."""
    iv: str | None = None
    """The IV that the design made, in hexadecimal; None where it made none."""

    @property
    def blocks_per_second(self) -> float:
        """Blocks over :attr:`seconds`."""
        return self.blocks / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return dataclasses.asdict(self)

    def data_line(self) -> str:
        """Return the line about what went in and came out."""
        return (
            f"data        {self.input_bytes:,} bytes in, {self.output_bytes:,} bytes out "
            f"({self.mode.upper()}, {'decrypted' if self.decrypt else 'encrypted'})"
        )

    def speed_line(self) -> str:
        """Return the line about the simulation."""
        return f"simulation  {self.blocks_per_second:,.0f} blocks/s, {self.seconds:.2f} s"

    def text(self) -> str:
        """Return the report for people, several lines."""
        raise NotImplementedError

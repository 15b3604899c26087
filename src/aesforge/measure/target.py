# SPDX-License-Identifier: Apache-2.0
"""What is measured: a design of ours, or a foreign core's files with the ports it has."""

from __future__ import annotations

from dataclasses import dataclass

from aesforge.design import Design


@dataclass(frozen=True)
class Target:
    """A core to measure."""

    name: str
    design: Design | None

    @classmethod
    def of_design(cls, design: Design) -> Target:
        """Give the target that a design is."""
        return cls(design.name, design)

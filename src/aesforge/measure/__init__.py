# SPDX-License-Identifier: Apache-2.0
"""Measure a core: synthesis, placement and routing by open tools, in one common harness."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aesforge.devices import Device
from aesforge.errors import AesforgeError
from aesforge.measure.database import Database
from aesforge.measure.record import Measurement
from aesforge.measure.target import Target

__all__ = ["Database", "DoesNotFit", "Measurement", "Target", "ToolFailed", "estimate", "measure"]

SEEDS = (1, 2, 3)

Say = Callable[[str], None]


class DoesNotFit(AesforgeError):
    """The core needs more than the device has; said before placement."""


class ToolFailed(AesforgeError):
    """Synthesis or placement ended with an error; the message has the end of its log."""


def estimate(
    target: Target,
    device: Device,
    *,
    database: Database | None = None,
    force: bool = False,
    say: Say | None = None,
) -> Measurement:
    """Synthesize only: area and depth, no clock."""
    raise NotImplementedError


def measure(
    target: Target,
    device: Device,
    *,
    seeds: Sequence[int] = SEEDS,
    database: Database | None = None,
    force: bool = False,
    say: Say | None = None,
) -> Measurement:
    """Synthesize, place and route with each seed."""
    raise NotImplementedError

# SPDX-License-Identifier: Apache-2.0
"""Explore many designs on many devices, and find one that meets the constraints."""

from __future__ import annotations

from aesforge.explore.search import Exploration, Interrupted, Point, Progress, explore
from aesforge.explore.space import Space, read_space, shipped

__all__ = [
    "Exploration",
    "Interrupted",
    "Point",
    "Progress",
    "Space",
    "explore",
    "read_space",
    "shipped",
]

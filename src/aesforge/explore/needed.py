# SPDX-License-Identifier: Apache-2.0
"""The clock that a throughput needs, on a device whose clock no open tool tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aesforge.design import Design, argv_of
from aesforge.devices import Cap, Device
from aesforge.explore.suggest import candidates, rough_luts
from aesforge.measure.record import BLOCK_BITS


@dataclass(frozen=True)
class Needed:
    """What cores of one rate need.

    Args:
        blocks_per_cycle: of each of them.
        mhz: the clock at which that is the throughput.
        cap: the limit of the device's clock, or None: not known.
        design: probably the smallest of them, with the fewest levels of logic at that size.
        designs: how many there are.
    """

    blocks_per_cycle: float
    mhz: float
    cap: Cap | None
    design: Design
    designs: int

    @property
    def share(self) -> float | None:
        """Part of the device's limit that the clock takes, or None: not known."""
        return None if self.cap is None else self.mhz / self.cap.mhz

    @property
    def is_legal(self) -> bool:
        """Whether the limit, if there is one, allows that clock."""
        return self.share is None or self.share <= 1

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "blocks_per_cycle": self.blocks_per_cycle,
            "needed_mhz": round(self.mhz, 3),
            "limit_mhz": None if self.cap is None else self.cap.mhz,
            "limit": None if self.cap is None else self.cap.what,
            "is_legal": self.is_legal,
            "design": list(argv_of(self.design)),
            "designs": self.designs,
        }


def needed_clocks(device: Device, throughput_gbps: float, **wanted: Any) -> list[Needed]:
    """Return the clocks that a throughput needs, the lowest first.

    Args:
        device: where.
        throughput_gbps: Gbit/s.
        wanted: further arguments of `candidates`.

    Raises:
        UsageError: the throughput is not a number above 0.
    """
    may_use_ram = wanted.get("block_ram", True)
    by_rate: dict[float, list[Design]] = {}
    for design in candidates(device, throughput_gbps, **wanted).designs().legal:
        if may_use_ram or design.sbox != "bram":
            by_rate.setdefault(design.blocks_per_cycle, []).append(design)
    found = []
    for rate, designs in by_rate.items():
        # Of one size, more stages reach a higher clock.
        best = min(designs, key=lambda one: (rough_luts(one), -one.stages))
        cap = device.cap(block_ram=best.sbox == "bram")
        mhz = 1000 * throughput_gbps / (BLOCK_BITS * rate)
        found.append(Needed(rate, mhz, cap, best, len(designs)))
    return sorted(found, key=lambda one: one.mhz)

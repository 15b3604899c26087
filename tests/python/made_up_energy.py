# SPDX-License-Identifier: Apache-2.0
"""The energy of made-up measurements: it grows with the core. Nothing here is a result."""

from __future__ import annotations

from aesforge.energy.model import Energy, Tally


def energy_of(luts: int, flip_flops: int) -> Energy:
    """Return counts of one block in one cycle: each table changes once, without glitches."""
    moved = Tally(outputs=luts, tiles=4 * luts, pins=3 * luts)
    return Energy(
        keys="each",
        traffic_seed=197,
        blocks=1,
        cycles=1,
        transitions=moved,
        settled=moved,
        writes=0,
        clock=2 * flip_flops,
        nets=luts + flip_flops,
        clock_pins=flip_flops,
    )

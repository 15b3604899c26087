# SPDX-License-Identifier: Apache-2.0
"""A foreign core by every recipe of the family: our default recipe suits our cores.

Wide multiplexers, for one, make S-boxes of logic larger and tables smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aesforge.devices import Device
from aesforge.devices.families import family
from aesforge.errors import DoesNotFit, ToolFailed
from aesforge.measure import Measurement, Target, estimate, measure


def by_every_recipe(
    target: Target, device: Device, *, seeds: Sequence[int] = (), **common: Any
) -> tuple[list[Measurement], dict[str, str]]:
    """Measure a core by each recipe; the best one with all seeds, the others with the first.

    Args:
        target: what to measure.
        device: where.
        seeds: of the placements; none for synthesis only.
        common: further arguments of `estimate` or `measure`.

    Returns:
        The measurements, the best one first: of the highest throughput, or clock where the
        throughput is not known, then of the fewest look-up tables. And why there is none, by
        recipe.

    Raises:
        DoesNotFit: by no recipe.
        ToolFailed: every recipe ended with an error, or the last of them did and none fits.
    """
    found: list[Measurement] = []
    failed: dict[str, str] = {}
    error: DoesNotFit | ToolFailed | None = None
    tried: list[list[str]] = []
    for recipe in family(device.family).recipe:
        if not seeds and recipe.synthesis in tried:
            continue  # it differs in the placement
        tried.append(recipe.synthesis)
        options = common | {"recipe": recipe.name}
        try:
            if seeds:
                found.append(measure(target, device, seeds=seeds[:1], **options))
            else:
                found.append(estimate(target, device, **options))
        except (DoesNotFit, ToolFailed) as one:
            failed[recipe.name] = one.message.partition("\n")[0]
            error = one
    if not found:
        assert error is not None
        raise error
    found.sort(key=_rank)
    if seeds[1:]:
        best = common | {"recipe": found[0].provenance.recipe}
        found[0] = measure(target, device, seeds=seeds, **best)
    return found, failed


def _rank(one: Measurement) -> tuple[float, int]:
    mhz = 0.0 if one.clock is None else one.clock.fmax_mhz
    return -(one.throughput_gbps or mhz), one.area.luts

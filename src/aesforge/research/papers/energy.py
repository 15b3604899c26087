# SPDX-License-Identifier: Apache-2.0
"""What the power figures of Liu et al. (2014), Table 3, say about energy per bit."""

from __future__ import annotations

from dataclasses import dataclass

from aesforge.research.papers.published import published


@dataclass(frozen=True)
class Power:
    """One row of the table.

    Args:
        core: as the paper names it.
        device: the paper's.
        gbps: throughput.
        watt: power, static power included.
        gbps_per_watt: as printed.
    """

    core: str
    device: str
    gbps: float
    watt: float
    gbps_per_watt: float


def liu2014() -> list[Power]:
    """Return the rows of the table in their order."""
    (paper,) = (one for one in published().paper if one.key == "liu2014")
    (table,) = (one for one in paper.table if one.name == "Table 3")
    keys = [column.key for column in table.columns]
    found = []
    for row in table.rows:
        value = dict(zip(keys, row.values, strict=True))
        figures = (value["gbps"], value["watt"], value["gbps_per_watt"])
        found.append(Power(row.name, row.device, *figures))
    return found


def constant_watts(base: Power, other: Power, ratio: float) -> float:
    """Return the constant power that would make the rest of two rows have a ratio per bit.

    Args:
        base: the row that the ratio is to.
        other: a row of the same device.
        ratio: energy per bit of the other over that of the base, without the constant part.
    """
    share = ratio / base.gbps
    return (share * base.watt - other.watt / other.gbps) / (share - 1 / other.gbps)


def ratio_without(constant: float, base: Power, other: Power) -> float:
    """Return the ratio of two rows' energy per bit after a constant power is taken off both."""
    return ((other.watt - constant) / other.gbps) / ((base.watt - constant) / base.gbps)

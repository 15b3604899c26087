# SPDX-License-Identifier: Apache-2.0
"""Tables of energy."""

from __future__ import annotations

from bench_energy import BASE as ENERGY_BASE
from bench_energy import results as energy_results

from aesforge.energy.model import Energy, Ratio, ratio
from aesforge.research.papers import energy as paper_energy
from pages.markdown import Section, table


def energies() -> str:
    """Return the table of what each core spends on a block."""
    found = energy_results().cores
    if not found:
        return "not measured yet"

    def over(spent: Energy) -> str:
        beside = ratio(spent, found[ENERGY_BASE][spent.keys].energy)
        return f"{beside.energy:.2f} ({beside.low:.2f} to {beside.high:.2f})"

    def row(name: str, spent: Energy) -> list[str]:
        return [
            f"`{name}`, {'a key per block' if spent.keys == 'each' else 'one key'}",
            f"{spent.per_block:,.0f}",
            f"{spent.per_bit:,.0f}",
            over(spent) if spent.keys in found.get(ENERGY_BASE, {}) else "-",
            *(f"{spent.shares[part]:.1%}" for part in ("wires", "logic", "clock")),
            f"{spent.glitch_share:.0%}",
            *(f"{count:,.0f}" for count in spent.raw.values()),
        ]

    head = (
        *("core, keys", "per block", "per bit", f"over `{ENERGY_BASE}`", "wires", "logic", "clock"),
        *("glitches", "raw: outputs", "x tiles", "x pins", "clock pins"),
    )
    rows = [row(name, one.energy) for name, both in found.items() for one in both.values()]
    return table(head, rows)


def energy_beside_liu() -> str:
    """Return energy per bit over the original's: the paper's, and ours under a key per block."""
    found = energy_results().cores
    cores = {name: f"liu2014-{name}" for name in ("two-stage", "five-stage", "eight-stage")}
    if not {ENERGY_BASE, cores["two-stage"]} <= found.keys():
        return "not measured yet"
    counted = {name: found[core]["each"].energy for name, core in cores.items() if core in found}
    base = found[ENERGY_BASE]["each"].energy
    two_of_ours = ratio(counted["two-stage"], base)
    power = {(one.core, one.device): one for one in paper_energy.liu2014()}
    rows = []
    for (core, place), deep in power.items():
        if core not in ("five-stage", "eight-stage"):
            continue
        # The eight-stage pipeline is on a larger device than the two that it is set beside.
        there = place if core == "five-stage" else "XC4VLX60"
        first, two = power["original", there], power["two-stage", there]
        constant = paper_energy.constant_watts(first, two, two_of_ours.energy)
        without = paper_energy.ratio_without(constant, first, deep)
        rows.append(
            [
                place if place == there else f"{there}, deep: {place}",
                core,
                f"{first.gbps_per_watt / two.gbps_per_watt:.3f}",
                f"{first.gbps_per_watt / deep.gbps_per_watt:.3f}",
                f"{two.gbps_per_watt / deep.gbps_per_watt:.2f}",
                f"{constant:.2f} W of {first.watt:.2f} W",
                f"{without:.2f}" if place == there else "-",
            ]
        )

    def shown(one: Ratio) -> str:
        return f"{one.energy:.3f} ({one.low:.2f} to {one.high:.2f})"

    for core in ("five-stage", "eight-stage"):
        deep_of_ours = [core, shown(two_of_ours), *["not counted"] * 2, "none", "-"]
        if core in counted:
            over, between = (ratio(counted[core], one) for one in (base, counted["two-stage"]))
            deep_of_ours[2:4] = shown(over), shown(between)
            deep_of_ours[-1] = f"{over.energy:.2f}"
        rows.append([f"ours, {found[ENERGY_BASE]['each'].device}", *deep_of_ours])
    head = (
        *("device", "deep pipeline", "two-stage / original", "deep / original"),
        *("deep / two-stage", "constant power that would give our two-stage ratio"),
        "deep / original without it",
    )
    return table(head, rows)


SECTIONS: tuple[Section, ...] = (
    ("docs/energy.md", "energies", energies),
    ("docs/energy.md", "energy beside liu", energy_beside_liu),
)

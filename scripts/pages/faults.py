# SPDX-License-Identifier: Apache-2.0
"""Tables of fault campaigns."""

from __future__ import annotations

import json
from typing import Any

from bench_bitstream_faults import FILE as BITSTREAM_FAULTS
from bench_cores import FILE as CORES_RESULT
from fault_campaign import FILE as FAULTS_RESULT

from aesforge.measure.bench import Campaign
from pages.markdown import Section, table


def fault_records() -> list[dict[str, Any]]:
    """Return the records of the fault campaigns, in the order of their names."""
    found: dict[str, dict[str, Any]] = json.loads(FAULTS_RESULT.read_bytes())
    return [found[name] for name in sorted(found)]


def seus() -> str:
    """Return the table of what SEUs of registers did, from the campaigns' records."""
    rows = []
    for found in fault_records():
        for one in found["counts"]:
            share = one["coverage_percent"]
            rows.append(
                (
                    f"`{' '.join(found['design'])}`",
                    f"{one['kind']}, {one['population']:,}",
                    f"{one['seus']:,}",
                    f"{one['wrong_block']:,}",
                    f"{one['wrong_control']:,}",
                    f"{one['harmless']:,}",
                    f"**{one['missed']:,}**",
                    "-"
                    if share is None or found["error_detection"] == "none"
                    else f"{share:.1f} %",
                    f"{one['false_alarm']:,}",
                )
            )
    head = (
        *("design", "kind, how many", "SEUs", "wrong block", "wrong valid or tag", "harmless"),
        *("passed without an alarm", "coverage", "false alarms"),
    )
    return table(head, rows)


def check_costs() -> str:
    """Return the table of what a check costs, from the campaigns' records and what was placed."""
    records = fault_records()
    plain = {one["design"][0]: one for one in records if one["error_detection"] == "none"}
    rows = []
    for one in records:
        base = plain[one["design"][0]]

        def with_ratio(key: str, one: dict[str, Any] = one, base: dict[str, Any] = base) -> str:
            ratio = one[key] / base[key]
            return f"{one[key]:,}" + (f" ({ratio:.2f} x)" if one is not base else "")

        rows.append(
            (
                f"`{' '.join(one['design'])}`",
                with_ratio("luts"),
                with_ratio("ff"),
                str(one["latency_cycles"]),
                _clock(one["name"], base["name"]),
            )
        )
    head = ("design", "LUT4", "flip-flops", "latency (cycles)", "clock (MHz)")
    return table(head, rows)


def _clock(name: str, base: str) -> str:
    """Return the Fmax of a core of bench/cores.toml, and what share of another's that is."""
    found = Campaign.read(CORES_RESULT).measurements
    clocks = []
    for one in (name, base):
        if one not in found:
            return "not placed"
        clock = found[one].clock
        assert clock is not None
        clocks.append(clock.fmax_mhz)
    return f"{clocks[0]:.1f}" + (f" ({clocks[0] / clocks[1]:.2f} x)" if name != base else "")


def bitstream_faults() -> str:
    """Return what became of flipped bits of bitstreams, a row for each device."""
    found = json.loads(BITSTREAM_FAULTS.read_bytes())
    rows = [
        (
            f"`{one['design']}`",
            device,
            f"{one['places']:,}, {one['nets']:,}, {one['wires']:,}",
            f"{one['bits']:,}",
            f"{one['found']} of {one['used']}",
            f"{one['named']} of {one['unused']}",
            f"{one['told']} of {one['unknown']}" if one.get("unknown") else "",
        )
        for device, one in sorted(found.items())
    ]
    head = (
        *("core", "device", "places, nets, wires compared", "bits of the device"),
        *(
            "used bits found",
            "other bits named as unused",
            "bits without a name found in used tiles",
        ),
    )
    return table(head, rows)


SECTIONS: tuple[Section, ...] = (
    ("docs/faults.md", "seus", seus),
    ("docs/faults.md", "check costs", check_costs),
    ("docs/proof.md", "bitstream faults", bitstream_faults),
)

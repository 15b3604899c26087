# SPDX-License-Identifier: Apache-2.0
"""Tables of devices: parts, caps, timing."""

from __future__ import annotations

from aesforge.devices import Part, parts
from pages.markdown import Section, table


def _names(part: Part) -> str:
    """Return what `--device` takes for a part, as code."""
    return ", ".join(
        f"`{'-'.join(filter(None, (part.part, grade.name)))}`" for grade in part.grades
    )


def device_parts() -> str:
    """Return the table of the parts with what they have."""
    return table(
        ("`--device`", "vendor, family", "LUTs", "flip-flops", "block RAMs", "flow", "source"),
        (
            (
                _names(part),
                f"{part.vendor}, {part.family}",
                f"{part.capacity.luts:,} LUT{part.lut_inputs}",
                f"{part.capacity.ff:,}",
                f"{part.capacity.block_ram:,}",
                "placed and routed" if part.flow == "place" else "synthesis only",
                part.capacity.source,
            )
            for part in parts()
        ),
    )


def device_caps() -> str:
    """Return the table of the data-sheet limits; parts that share one share a row."""
    rows: dict[tuple[str, str, str, str], list[str]] = {}
    for part in parts():
        for grade in part.grades:
            name = "-".join(filter(None, (part.part, grade.name)))
            for cap in grade.caps:
                key = (cap.what, f"{cap.mhz:g}", "yes" if cap.verified else "**no**", cap.source)
                rows.setdefault(key, []).append(f"`{name}`")
            if not grade.caps:
                rows.setdefault(("none known", "", "", ""), []).append(f"`{name}`")
    return table(
        ("device", "limit", "MHz", "read by us", "source"),
        ([", ".join(names), *key] for key, names in rows.items()),
    )


def device_timing() -> str:
    """Return the table of how far the timing tool can be trusted; equal ones share a row."""
    rows: dict[tuple[str, str], list[str]] = {}
    for part in parts():
        timing = part.timing
        warnings = timing.notes + timing.warnings + timing.block_ram_warnings
        key = (part.timing.source, "; ".join(warnings) or "nothing known against it")
        rows.setdefault(key, []).append(f"`{part.part}`")
    return table(
        ("part", "where the delays come from", "what to bear in mind"),
        ([", ".join(names), *key] for key, names in rows.items()),
    )


SECTIONS: tuple[Section, ...] = (
    ("docs/devices.md", "device parts", device_parts),
    ("docs/devices.md", "device caps", device_caps),
    ("docs/devices.md", "device timing", device_timing),
)

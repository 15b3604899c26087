# SPDX-License-Identifier: Apache-2.0
"""Measurements as a table: one flat row each, and which of them lie on the Pareto front."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from aesforge.design.fields import FIELDS
from aesforge.devices import parts
from aesforge.measure.record import BLOCK_BITS, Measurement

Value = str | int | float | bool | None
Row = dict[str, Value]

_CHOICES = {name: field for name, field in FIELDS.items() if name != "name"}

# The columns of the export, in order, with their meanings.
COLUMNS: dict[str, str] = {
    "key": "content hash of everything that has a bearing on the result",
    "name": "the design's name, or the foreign core's top module",
    "origin": "`aesforge`, `foreign` or `part` (of a cipher); the last two have no choices",
    "subject": "`core`, `engine`, `key expansion` or `part`: only like is compared with like",
    "modes": "of an engine, with `, ` between",
    "summary": "the core in one line of words",
    "kind": "`placed` (with a clock) or `synthesized` (area and depth only)",
    "device": "part and speed grade",
    "family": "of the device",
    **{name: f"choice of the design: {field.help}" for name, field in _CHOICES.items()},
    "stages": "`sbox_stages` + `linear_stages`, the depth of a round in registers",
    "latency_cycles": "from a block in to the same block out",
    "interval_cycles": "from one block accepted to the next, at full load",
    "luts": "look-up tables of the core, of the family's size",
    "lut4": "4-input look-up tables, on families that have these",
    "lut6": "6-input look-up tables, on families that have these",
    "wide_mux": "dedicated multiplexers after look-up tables",
    "ff": "flip-flops",
    "block_ram": "block RAMs",
    "lut_ram": "look-up tables used as memory or shift register, contained in `luts`",
    "depth": "look-up tables in the longest chain between registers",
    "depth_stage": "the register where that chain ends",
    "seeds": "placements that were run",
    "mhz_by_seed": "clock of each run as the tool reported it, as `seed:MHz`",
    "reported_mhz": "the median of the runs",
    "fmax_mhz": "the reported clock, clipped to the device's data-sheet cap",
    "limit": "which of the two limits",
    "cap": "what the cap is of",
    "cap_mhz": "the cap",
    "cap_source": "where it stands",
    "cap_verified": "whether it was read there",
    "throughput_gbps": "128 bits x blocks per cycle x the Fmax",
    "mbps_per_lut": "throughput over look-up tables",
    "bits_per_level": "128 bits x blocks per cycle / `depth`, to compare cores without a clock",
    "energy_per_block": "weighted transitions per block, the median of the runs, where counted",
    "pareto": "no other `subject` in the table, on this device, is as small and faster; by "
    "`bits_per_level` where there is no clock",
    "path_start": "register at which the critical path starts",
    "path_end": "register at which it ends",
    "wire_share": "part of the critical path that is wires, 0 to 1",
    "warnings": "what to bear in mind, with ` | ` between",
    "command": "the line that repeats the measurement",
    "recipe": "the synthesis recipe, with `, floorplan` where the placement had one",
    "tools": "versions, as `name version`, with `; ` between",
    "commit": "of aesforge",
    "date": "UTC, ISO 8601",
    "seconds": "what the measurement took",
    "schedules_per_second": "keys expanded each second at the Fmax, of a key expansion",
}


def rows(measurements: Sequence[Measurement]) -> list[Row]:
    """Return a row for each measurement, with the names of `COLUMNS` in their order."""
    front = pareto(measurements)
    return [_row(one, one.key in front) for one in measurements]


def _row(one: Measurement, on_front: bool) -> Row:
    values: Row = {
        "key": one.key,
        "name": one.subject.name,
        "origin": "part" if _is_part(one) else "foreign",
        "subject": subject(one),
        "summary": one.subject.summary,
        "kind": one.kind,
        "device": one.device,
        "family": one.family,
        "latency_cycles": one.subject.latency_cycles,
        "interval_cycles": one.subject.interval_cycles,
        "luts": one.area.luts,
        "lut4": one.area.lut4,
        "lut6": one.area.lut6,
        "wide_mux": one.area.wide_mux,
        "ff": one.area.ff,
        "block_ram": one.area.block_ram,
        "lut_ram": one.area.lut_ram,
        "throughput_gbps": one.throughput_gbps,
        "mbps_per_lut": one.mbps_per_lut,
        "bits_per_level": bits_per_level(one),
        "schedules_per_second": one.schedules_per_second,
        "energy_per_block": one.energy_per_block,
        "pareto": on_front,
        "warnings": " | ".join(one.warnings),
        "command": one.provenance.command,
        "recipe": one.provenance.recipe,
        "tools": "; ".join(f"{name} {v}" for name, v in sorted(one.provenance.tools.items())),
        "commit": one.provenance.commit,
        "date": one.provenance.date,
        "seconds": one.provenance.seconds,
    }
    if (choices := one.subject.design or one.subject.engine) is not None:
        values["origin"] = "aesforge"
        values |= {name: choices.get(name) for name in _CHOICES}
        values["error_detection"] = choices.get("error_detection") or "none"
        values["modes"] = ", ".join(choices.get("modes", ())) or None
        if {"sbox_stages", "linear_stages"} <= choices.keys():
            values["stages"] = choices["sbox_stages"] + choices["linear_stages"]
    if one.depth:
        deepest = max(one.depth, key=lambda stage: stage.depth)
        values |= {"depth": deepest.depth, "depth_stage": deepest.stage}
    if (clock := one.clock) is not None:
        values |= {
            "seeds": len(clock.runs),
            "mhz_by_seed": " ".join(f"{run.seed}:{run.mhz:g}" for run in clock.runs),
            "reported_mhz": clock.reported_mhz,
            "fmax_mhz": clock.fmax_mhz,
            "limit": clock.limit,
        }
        if (cap := clock.cap) is not None:
            values |= {
                "cap": cap.what,
                "cap_mhz": cap.mhz,
                "cap_source": cap.source,
                "cap_verified": cap.verified,
            }
    if (path := one.critical_path) is not None:
        values |= {
            "path_start": path.start,
            "path_end": path.end,
            "wire_share": path.wire_share,
        }
    return {name: values.get(name) for name in COLUMNS}


def _is_part(one: Measurement) -> bool:
    return "--part" in one.provenance.command.split()


def subject(one: Measurement) -> str:
    """Return what was measured: `core`, `engine`, `key expansion` or `part`."""
    if one.subject.engine is not None:
        return "engine"
    if one.subject.is_key_expansion:
        return "key expansion"
    return "part" if one.subject.design is None and _is_part(one) else "core"


def bits_per_level(one: Measurement) -> float | None:
    """Return bits per cycle over logic depth, or None where one of them is not known.

    It orders cores as their throughput would if every level of look-up tables took the same time.
    """
    if subject(one) == "key expansion" or one.subject.blocks_per_cycle is None:
        return None
    depth = one.logic_depth
    return BLOCK_BITS * one.subject.blocks_per_cycle / depth if depth else None


def rate_of(one: Measurement) -> float | None:
    """Return what is drawn against look-up tables: Gbit/s, or bits per level without a clock."""
    return bits_per_level(one) if one.kind == "synthesized" else one.throughput_gbps


def doubts(one: Measurement) -> list[str]:
    """Return those of a measurement's warnings that mean that a figure may be wrong.

    What its device's file calls a note is none. Older records may end the same note otherwise:
    what counts is the text before the colon.
    """
    notes = {_head(note) for part in parts() for note in part.timing.notes}
    return [warning for warning in one.warnings if _head(warning) not in notes]


def _head(warning: str) -> str:
    return warning.partition(":")[0]


def pareto(measurements: Iterable[Measurement]) -> set[str]:
    """Return the keys of the Pareto fronts: none is as fast and smaller, or as small and faster.

    Each device is judged by itself, and there engines and cores each by themselves, on throughput
    against look-up tables; where there is no clock, on bits per cycle and level. What has neither
    takes no part. The page repeats this rule for what its filters leave (`front` in page.js).
    """
    front = set()
    able = (
        ((one.device, subject(one), one.kind), one.area.luts, -rate, one.key)
        for one in measurements
        if (rate := rate_of(one)) is not None
    )
    for _, group in groupby(sorted(able), key=lambda point: point[0]):
        best: tuple[float, int] = (0.0, 0)
        for _, luts, slow, key in group:
            if -slow > best[0] or (-slow, luts) == best:
                best = (-slow, luts)
                front.add(key)
    return front

# SPDX-License-Identifier: Apache-2.0
"""What of ours can stand beside a published figure, by the names that bench/papers.toml uses."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from aesforge.design import Design
from aesforge.design.kinds import KINDS
from aesforge.design.modes import MODES
from aesforge.explore.figures import FIGURES, values_of
from aesforge.measure.record import BLOCK_BITS, Measurement
from aesforge.netlist.cells import Area
from aesforge.research.papers.mix_gates import merged, separate

# Flip-flops and look-up tables of a slice, by the size of the tables. Slices of two 4-input tables
# and two flip-flops are those of Virtex, Virtex-E, Virtex-4, Spartan-3 and ECP5; slices of four and
# eight those of Virtex-6, Spartan-6 and the 7-series.
_SLICE = {4: (2, 2), 6: (4, 8)}
# Saggese et al., Sec. 5: 256 words of 8 bits with two ports, in slices of two 4-input tables.
SLICES_PER_RAM = 128

Of = Callable[[Measurement], float | None]


@dataclass(frozen=True)
class Quantity:
    """A figure of ours.

    Args:
        label: what it is, where that is more than the published figure's own heading.
        unit: of it.
        of: returns it from a measurement, None where the measurement does not have it.
        rests_on: what was measured for it: figures that rest on the same are one measurement.
    """

    label: str
    unit: str
    of: Of
    rests_on: tuple[str, ...]


def packed_slices(area: Area) -> int:
    """Return how many slices the cells fill when packed perfectly, a lower bound."""
    luts, registers = _SLICE[4 if area.lut4 is not None else 6]
    return max(math.ceil(area.luts / luts), math.ceil(area.ff / registers))


def is_packed(one: Measurement) -> bool:
    """Return whether the slices of a measurement are not counted in its placements."""
    return one.clock is None or any(run.slices is None for run in one.clock.runs)


def slices(one: Measurement) -> float:
    """Return the slices of a core: the median of its placements, or packed perfectly."""
    counted = [] if one.clock is None else [run.slices for run in one.clock.runs]
    known = [number for number in counted if number is not None]
    if not known or len(known) < len(counted):
        return float(packed_slices(one.area))
    return float(statistics.median(known))


def _slices_with_ram(one: Measurement) -> float:
    return slices(one) + SLICES_PER_RAM * one.area.block_ram


def _per(of_slices: Callable[[Measurement], float]) -> Of:
    def per(one: Measurement) -> float | None:
        gbps = one.throughput_gbps
        return None if gbps is None else 1000 * gbps / of_slices(one)

    return per


def at_each_clock(one: Measurement, spread: float) -> list[Measurement]:
    """Return a measurement as each of its placements alone would give it.

    Args:
        one: the measurement.
        spread: by how many times a clock of one placement may be off, up or down.

    Returns:
        One for each placement; two, slowed down and sped up by `spread`, for a single placement;
        the measurement itself where it has no clock.
    """
    clock = one.clock
    if clock is None:
        return [one]
    runs = clock.runs
    if len(runs) == 1:
        (run,) = runs
        clocks = (run.mhz / spread, run.mhz * spread)
        runs = [msgspec.structs.replace(run, mhz=mhz) for mhz in clocks]
    found = []
    for run in runs:
        mhz = run.mhz if clock.cap is None else min(run.mhz, clock.cap.mhz)
        alone = msgspec.structs.replace(clock, runs=[run], reported_mhz=run.mhz, fmax_mhz=mhz)
        path = one.critical_path
        if path is not None:
            path = msgspec.structs.replace(path, ns=path.ns * clock.reported_mhz / run.mhz)
        found.append(msgspec.structs.replace(one, clock=alone, critical_path=path))
    return found


def _figure(name: str) -> Of:
    def figure(one: Measurement) -> float | None:
        return values_of(one).get(name)

    return figure


def _clock(of: Callable[[float, Measurement], float | None]) -> Of:
    def clock(one: Measurement) -> float | None:
        return None if one.clock is None else of(one.clock.fmax_mhz, one)

    return clock


def _rate(mhz: float, one: Measurement) -> float | None:
    blocks = one.subject.blocks_per_cycle
    return None if blocks is None else mhz * blocks


def _depth_linear(one: Measurement) -> float | None:
    """Return the depth of the stage after SubBytes: that of the state's own register."""
    found = [stage.depth for stage in one.depth if stage.stage == "round / state"]
    return float(found[0]) if found else None


def _path_ns(one: Measurement) -> float | None:
    return None if one.critical_path is None else one.critical_path.ns


def _of_figures(name: str, unit: str, measured: str = "") -> Quantity:
    return Quantity(FIGURES[name].label, unit, _figure(name), (measured or name,))


QUANTITIES: dict[str, Quantity] = {
    "lut": _of_figures("lut", "LUTs"),
    # Of two cores that share nothing: worked out, since the second is the first once more.
    "lut_of_two": Quantity(
        "look-up tables of two", "LUTs", lambda one: 2.0 * one.area.luts, ("lut",)
    ),
    "ff": _of_figures("ff", "FF"),
    "block_ram": _of_figures("block_ram", "RAMs"),
    "depth": _of_figures("depth", "LUTs"),
    "mhz": _of_figures("mhz", "MHz", "clock"),
    "throughput_gbps": _of_figures("throughput_gbps", "Gbps", "clock"),
    "slices": Quantity("slices", "slices", slices, ("slices",)),
    "mbps_per_slice": Quantity(
        "throughput per slice", "Mbps/slice", _per(slices), ("clock", "slices")
    ),
    "mbps_per_slice_ram": Quantity(
        f"throughput per slice, a block RAM as {SLICES_PER_RAM}",
        "Mbps/slice",
        _per(_slices_with_ram),
        ("clock", "slices", "block_ram"),
    ),
    "period_ns": Quantity("clock period", "ns", _clock(lambda mhz, _: 1000 / mhz), ("clock",)),
    "clock_gbps": Quantity(
        "128 bits x clock", "Gbps", _clock(lambda mhz, _: BLOCK_BITS * mhz / 1000), ("clock",)
    ),
    "million_per_s": Quantity("key schedules", "million/s", _clock(_rate), ("clock",)),
    "path_ns": Quantity("critical path, from and to the harness", "ns", _path_ns, ("clock",)),
    "depth_linear": Quantity("look-up tables after SubBytes", "LUTs", _depth_linear, ("depth",)),
}

# What follows from the choices of a design: nothing is measured for it.
BY_DESIGN: dict[str, Callable[[Design], int | None]] = {
    "latency_cycles": lambda design: design.latency_cycles,
    "key_expansion_cycles": lambda design: design.key_expansion_cycles,
    "key_load_cycles": lambda design: design.key_load_cycles,
    "key_roms": lambda design: (
        design.key_sbox_count if design.key_sbox_style in ("table", "bram") else 0
    ),
    "interval_cycles": lambda design: round(design.interval),
    # From the first block's entry to the second one's exit, when both come as soon as they can.
    "second_output_cycles": lambda design: design.latency_cycles + round(design.interval),
    "pipeline_stages": lambda design: design.unrolled_rounds * design.stages,
    # From the first column in to the first one out (aesforge_shift_rows.sv).
    "shift_rows_cycles": lambda design: {"shift_register": 5, "addressed": 4}.get(
        design.shift_rows or ""
    ),
    # What a new key costs: an agile core takes one with each block.
    "new_key_cycles": lambda design: 0 if design.is_agile else design.key_load_cycles,
}

# What follows from the modes of operation that our engines build, the sender's and the receiver's.
BY_MODES: dict[str, Callable[[str, str], int]] = {
    "feedback_mode": lambda sender, _: int(KINDS[MODES[sender].kind].loop_cycles is not None),
    # A mode that goes the ways of its core decrypts with the core's inverse cipher.
    "inverse_mode": lambda _, receiver: int(
        MODES[receiver].needs == "decrypt" or MODES[receiver].ways is None
    ),
}

# What follows from a paper's equations alone.
COMPUTED: dict[str, Callable[[], int]] = {
    "xors_separate": lambda: separate().xors,
    "xors_merged": lambda: merged().xors,
    # Of the inverse, the deeper of the two: merged, and by itself.
    "xors_more_in_a_row": lambda: merged().levels[1] - separate().levels[1],
    "xors_merged_at_once": lambda: merged(quadruple_at_once=True).xors,
}


def rests_on(quantity: str) -> tuple[str, ...]:
    """Return what is measured, or follows from a design, for a quantity."""
    return QUANTITIES[quantity].rests_on if quantity in QUANTITIES else (quantity,)

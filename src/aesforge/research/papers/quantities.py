# SPDX-License-Identifier: Apache-2.0
"""What of ours can stand beside a published figure, by the names that bench/papers.toml uses."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from aesforge.design import Design
from aesforge.explore.figures import FIGURES, values_of
from aesforge.measure.record import BLOCK_BITS, Area, Measurement
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
        words: what it is, where that is more than the published figure's own heading.
        unit: of it.
        of: gives it from a measurement, None where the measurement does not have it.
    """

    words: str
    unit: str
    of: Of


def slices(area: Area) -> int:
    """Give how many slices look-up tables and flip-flops fill when they are packed perfectly."""
    luts, registers = _SLICE[4 if area.lut4 is not None else 6]
    return max(math.ceil(area.luts / luts), math.ceil(area.ff / registers))


def _slices_with_ram(area: Area) -> int:
    return slices(area) + SLICES_PER_RAM * area.block_ram


def _per(of_area: Callable[[Area], int]) -> Of:
    def per(one: Measurement) -> float | None:
        gbps = one.throughput_gbps
        return None if gbps is None else 1000 * gbps / of_area(one.area)

    return per


def _figure(name: str) -> Of:
    def figure(one: Measurement) -> float | None:
        return values_of(one).get(name)

    return figure


def _clock(of: Callable[[float, Measurement], float | None]) -> Of:
    def clock(one: Measurement) -> float | None:
        return None if one.clock is None else of(one.clock.legal_mhz, one)

    return clock


def _rate(mhz: float, one: Measurement) -> float | None:
    blocks = one.subject.blocks_per_cycle
    return None if blocks is None else mhz * blocks


def _depth_linear(one: Measurement) -> float | None:
    """Give the depth of the stage behind SubBytes: that of the state's own register."""
    found = [stage.depth for stage in one.depth if stage.stage == "round / state"]
    return float(found[0]) if found else None


def _levels(one: Measurement) -> float | None:
    """Give the depth with wide multiplexers counted as levels, as Liu et al. count.

    Only for a table S-box alone, where they stand in a row behind the look-up tables.
    """
    kinds = {kind for kind in one.area.cells if kind in ("MUXF7", "MUXF8")}
    return values_of(one)["depth"] + len(kinds)


def _path_ns(one: Measurement) -> float | None:
    return None if one.critical_path is None else one.critical_path.ns


def _of_figures(name: str, unit: str) -> Quantity:
    return Quantity(FIGURES[name].words, unit, _figure(name))


QUANTITIES: dict[str, Quantity] = {
    "lut": _of_figures("lut", "LUTs"),
    "ff": _of_figures("ff", "FF"),
    "block_ram": _of_figures("block_ram", "RAMs"),
    "depth": _of_figures("depth", "LUTs"),
    "mhz": _of_figures("mhz", "MHz"),
    "throughput_gbps": _of_figures("throughput_gbps", "Gbps"),
    "slices": Quantity("slices, packed perfectly", "slices", lambda one: slices(one.area)),
    "mbps_per_slice": Quantity("throughput per slice", "Mbps/slice", _per(slices)),
    "mbps_per_slice_ram": Quantity(
        f"throughput per slice, a block RAM as {SLICES_PER_RAM}",
        "Mbps/slice",
        _per(_slices_with_ram),
    ),
    "period_ns": Quantity("clock period", "ns", _clock(lambda mhz, _: 1000 / mhz)),
    "clock_gbps": Quantity(
        "128 bits x clock", "Gbps", _clock(lambda mhz, _: BLOCK_BITS * mhz / 1000)
    ),
    "million_per_s": Quantity("key schedules", "million/s", _clock(_rate)),
    "path_ns": Quantity("critical path, from and to the harness", "ns", _path_ns),
    "depth_linear": Quantity("look-up tables behind SubBytes", "LUTs", _depth_linear),
    "levels": Quantity("look-up tables and wide multiplexers in a row", "levels", _levels),
}

# What follows from the choices of a design: nothing is measured for it.
BY_DESIGN: dict[str, Callable[[Design], int | None]] = {
    "latency_cycles": lambda design: design.latency_cycles,
    "key_expansion_cycles": lambda design: design.key_expansion_cycles,
    "key_load_cycles": lambda design: design.key_load_cycles,
    "key_sboxes": lambda design: design.key_sbox_count,
}

# What follows from a paper's equations alone.
COMPUTED: dict[str, Callable[[], int]] = {
    "xors_separate": lambda: separate().xors,
    "xors_merged": lambda: merged().xors,
    "xors_merged_at_once": lambda: merged(quadruple_at_once=True).xors,
}

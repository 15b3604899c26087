# SPDX-License-Identifier: Apache-2.0
"""Count how many tiles of line-rate fill a device, for each choice of pipeline stages per round.

    python scripts/bench_whole_device.py [--force]

All tiles share one key pipeline. One tile and two tiles are synthesized, and give the area of what
is shared and of a tile. Then as many tiles as fit are synthesized, to check the sum. Results go to
bench/results/whole-device.json; what the database of this machine knows is not measured again. Exit
status 1 when a synthesis failed, or gave another area than the sum.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench_cores import RESULTS, measured

from aesforge.devices import device
from aesforge.measure import Measurement
from aesforge.measure.bench import Campaign, Core

FILE = RESULTS / "whole-device.json"
DEVICE = "LFE5U-85F-8"
GOAL_GBPS = 220
# Of SubBytes, and of the rest of a round.
STAGES = ((7, 2), (6, 2), (5, 2), (4, 2), (3, 2), (4, 1), (3, 1), (2, 1), (1, 1))


@dataclass(frozen=True)
class Area:
    """Look-up tables or flip-flops of cores that differ in the number of tiles.

    Args:
        shared: of the key pipeline and the control, once.
        tile: of each tile.
        capacity: of the device.
    """

    shared: int
    tile: int
    capacity: int

    @classmethod
    def of(cls, one: int, two: int, capacity: int) -> Area:
        """Tell what is shared from what one tile and two tiles need."""
        return cls(shared=2 * one - two, tile=two - one, capacity=capacity)

    def needed(self, tiles: int) -> int:
        """Return what so many tiles need."""
        return self.shared + tiles * self.tile

    @property
    def tiles(self) -> float:
        """How many tiles the device holds, with the part of one that is left over."""
        return (self.capacity - self.shared) / self.tile


@dataclass(frozen=True)
class Filled:
    """A device full of tiles.

    Args:
        stages: of SubBytes, and of the rest of a round.
        depth: the logic depth.
        lut: look-up tables.
        ff: flip-flops.
    """

    stages: tuple[int, int]
    depth: int
    lut: Area
    ff: Area

    @property
    def words(self) -> str:
        """The stages, for a table."""
        return " + ".join(map(str, self.stages))

    @property
    def tiles(self) -> int:
        """The most that fit."""
        return int(min(self.lut.tiles, self.ff.tiles))

    @property
    def binds(self) -> str:
        """What the next tile lacks."""
        return "LUT4" if self.lut.tiles < self.ff.tiles else "FF"

    def agrees(self, tiles: int, one: Measurement) -> bool:
        """Return whether a synthesis of so many tiles has the area that was computed."""
        return (self.lut.needed(tiles), self.ff.needed(tiles)) == (one.area.luts, one.area.ff)


def clock_for(gbps: float, tiles: int) -> float:
    """Return the clock in MHz at which so many tiles have this throughput."""
    return gbps * 1000 / (128 * tiles)


def gbps_at(mhz: float, tiles: int) -> float:
    """Return the throughput of so many tiles at this clock."""
    return mhz * 128 * tiles / 1000


def clock_limit() -> float:
    """Return the data-sheet limit of the clock in MHz, for cores without block RAM."""
    cap = device(DEVICE).cap(block_ram=False)
    assert cap is not None
    return cap.mhz


def core(stages: tuple[int, int], tiles: int) -> Core:
    """Return what is synthesized."""
    sbox, linear = stages
    chosen = (f"sbox_stages={sbox}", f"linear_stages={linear}", f"tiles={tiles}")
    design = ["line-rate", *(word for one in chosen for word in ("--set", one))]
    return Core(name=f"{sbox}+{linear}-{tiles}", design=design, device=DEVICE, seeds=0)


def filled(found: Mapping[str, Measurement], stages: tuple[int, int]) -> Filled:
    """Return how many tiles fit, from what one tile and two tiles need.

    Args:
        found: measurements by the name of the core.
        stages: of SubBytes, and of the rest of a round.
    """
    one, two = (found[core(stages, tiles).name] for tiles in (1, 2))
    capacity = device(DEVICE).part.capacity
    return Filled(
        stages=stages,
        depth=one.logic_depth,
        lut=Area.of(one.area.luts, two.area.luts, capacity.luts),
        ff=Area.of(one.area.ff, two.area.ff, capacity.ff),
    )


def checked(found: Mapping[str, Measurement], stages: tuple[int, int]) -> int:
    """Return the most tiles that were synthesized, see `filled`."""
    return max(tiles for tiles in range(1, 99) if core(stages, tiles).name in found)


def every() -> list[Filled]:
    """Return the recorded results, most stages first."""
    found = Campaign.read(FILE).measurements
    return [filled(found, stages) for stages in STAGES]


def svg(devices: list[Filled]) -> str:
    """Return a drawing of the tiles that fit by look-up tables and by flip-flops.

    Args:
        devices: in their order from left to right.
    """
    import altair as alt
    import vl_convert

    from aesforge.report.plot import COLOURS

    kinds = {"LUT4": "look-up tables", "FF": "flip-flops"}
    limits: list[dict[str, Any]] = []
    tops: list[dict[str, Any]] = []
    for one in devices:
        for kind, area in (("LUT4", one.lut), ("FF", one.ff)):
            limits.append({"stages": one.words, "tiles": area.tiles, "limit": kinds[kind]})
        mhz = f"{clock_for(GOAL_GBPS, one.tiles):.0f} MHz"
        tops.append({"stages": one.words, "tiles": one.tiles, "mhz": mhz})
    x = alt.X(
        "stages:N",
        sort=None,
        title="pipeline stages per round: SubBytes + the rest",
        axis=alt.Axis(labelAngle=0),
    )
    y = alt.Y("tiles:Q", title="tiles", axis=alt.Axis(tickMinStep=1))
    base = alt.Chart({"values": tops}).encode(x=x, y=y)
    bars = base.mark_bar(color="#888888", opacity=0.25)
    clocks = base.mark_text(dy=12, fontSize=10).encode(text="mhz:N")
    lines = (
        alt.Chart({"values": limits})
        .mark_line(point=True)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "limit:N",
                title="limit",
                scale=alt.Scale(domain=list(kinds.values()), range=list(COLOURS[:2])),
            ),
        )
    )
    least = clock_for(GOAL_GBPS, 1) / clock_limit()
    rule = alt.Chart({"values": [{"tiles": least}]}).mark_rule(strokeDash=[4, 4]).encode(y=y)
    drawn = (bars + clocks + lines + rule).properties(
        width=520,
        height=300,
        title=alt.TitleParams(
            f"Tiles of line-rate on a whole {DEVICE}",
            subtitle=[
                f"bars: whole tiles, and their clock for {GOAL_GBPS} Gbps",
                f"dashed: {GOAL_GBPS} Gbps at the limit of the clock, {clock_limit():.0f} MHz",
            ],
            subtitleColor="#808080",
        ),
    )
    spec = drawn.configure(background="white", font="sans-serif").to_dict()
    text: str = vl_convert.vegalite_to_svg(spec)
    return text


def main() -> int:
    """Synthesize, write, compare, and give the exit status."""
    parser = argparse.ArgumentParser(description="Count the tiles that fill a device.")
    parser.add_argument("--force", action="store_true", help="measure again what is known")
    force = parser.parse_args().force
    small = [core(stages, tiles) for stages in STAGES for tiles in (1, 2)]
    if any(result is None for _, result in measured(small, FILE, force=force)):
        return 1
    good = True
    for one in every():
        # The harness needs room too: where the tiles leave none, fewer of them are compared.
        for tiles in range(one.tiles, 2, -1):
            ((_, result),) = measured([core(one.stages, tiles)], FILE, force=force)
            if result is not None:
                break
        agrees = result is not None and one.agrees(tiles, result)
        print(f"  {one.tiles} tiles, {one.binds} binds{'' if agrees else '  DIFFERS'}", flush=True)
        good = good and agrees
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Find a core with a given throughput on a device, and its cost.

The answer is the core with the fewest look-up tables among those that were placed and are fast
enough. Candidates come from a shipped space; what is known answers at once, and what is missing is
synthesized and placed, the smallest that promise enough first, until nothing smaller is left.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aesforge.design import Design, argv_of
from aesforge.devices import Cap, Device
from aesforge.errors import UsageError
from aesforge.explore.figures import Constraint
from aesforge.explore.jobs import FLOW, Flow, Job, Outcome
from aesforge.explore.search import Exploration, Point, Progress, Search, explore
from aesforge.explore.space import Space, has_clock, read_space
from aesforge.jobs import Workers
from aesforge.measure import Database, Target
from aesforge.measure.record import BLOCK_BITS

CANDIDATES = "candidates"
# So many placements at most: a large core takes minutes for each.
LIMIT = 6
# Measurements with other seeds than asked are looked for up to this one.
MOST_SEEDS = 9

# Look-up tables of a whole core for each of its S-boxes, by style; a rough guess that decides only
# which core is synthesized first.
_ROUGH_LUTS = {"tower": 95, "bram": 30, "table": 180, "split4": 280, "split6": 100}


@dataclass
class Suggestion:
    """The answer.

    Args:
        device: where.
        throughput_gbps: the requested throughput.
        exploration: all candidates, and what became of them.
        why_not: when nothing reaches it: how far one can get here, and what limits.
    """

    device: Device
    throughput_gbps: float
    exploration: Exploration
    why_not: str = ""

    @property
    def best(self) -> Point | None:
        """The smallest core that reaches it."""
        ranked = self.ranked()
        return ranked[0] if ranked else None

    def ranked(self) -> list[Point]:
        """Return all cores that reach it, the smallest first."""
        return sorted(self.exploration.feasible(), key=_size)

    def commands(self) -> list[str]:
        """Return the lines that look at the core, build it, and repeat its measurement."""
        if self.best is None:
            return []
        argv = shlex.join(argv_of(self.best.design))
        name = self.best.design.name
        return [
            f"aesforge describe {argv}",
            f"aesforge build {argv} --set name={name} -o {name}",
            self.best.command,
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        ranked = self.ranked()
        return {
            "device": self.device.name,
            "throughput_gbps": self.throughput_gbps,
            "counts": self.exploration.counts(),
            "best": ranked[0].as_dict() if ranked else None,
            "design_file": ranked[0].design.to_toml() if ranked else None,
            "commands": self.commands(),
            "runners_up": [point.as_dict() for point in ranked[1:]],
            "why_not": self.why_not,
        }


def _size(point: Point) -> tuple[float, ...]:
    values = point.values
    return values["lut"], values["block_ram"], values["ff"], -values["throughput_gbps"]


def candidates(
    device: Device,
    throughput_gbps: float,
    *,
    key_bits: int = 128,
    decrypt: bool = False,
    agile: bool = False,
    block_ram: bool = True,
    seeds: tuple[int, ...] | None = None,
) -> Space:
    """Return the space of the cores that may answer.

    Args:
        device: where.
        throughput_gbps: Gbit/s at the Fmax, at least.
        key_bits: 128, 192 or 256.
        decrypt: a core that decrypts; otherwise one that encrypts.
        agile: only cores that take a key with every block.
        block_ram: whether a core may use block RAM.
        seeds: of the placements; None for the space's own.

    Raises:
        UsageError: the throughput is not a number above 0.
    """
    if not (math.isfinite(throughput_gbps) and throughput_gbps > 0):
        raise UsageError(f"--throughput {throughput_gbps:g}: it must be more than 0 Gbit/s")
    shipped = read_space(CANDIDATES)
    blocks = []
    for block in shipped.blocks:
        if agile and "agile" not in block.get("key_schedule", ("agile",)):
            continue
        block = {
            **block,
            "key_bits": (key_bits,),
            "direction": ("decrypt" if decrypt else "encrypt",),
        }
        if agile:
            block["key_schedule"] = ("agile",)
        blocks.append(block)
    return replace(
        shipped,
        name=f"candidates for {throughput_gbps:g} Gbit/s on {device.name}",
        blocks=tuple(blocks),
        devices=(device,),
        seeds=seeds or shipped.seeds,
        constraints=(
            Constraint("throughput_gbps", ">=", throughput_gbps),
            *(() if block_ram else (Constraint("block_ram", "<=", 0),)),
        ),
        objectives=("lut",),
        # Whether keys come with every block or are stored is no matter, unless it was asked for.
        service=(),
    )


def by_size(search: Search, point: Point) -> Sequence[float] | str:
    """Order: the smallest first, those that are probably too slow last.

    A point that is not synthesized yet stands where a rough guess of its size puts it, and is not
    worth synthesizing when that guess is far above the best found.
    """
    if point.estimate is None:
        rough = rough_luts(point.design)
        if _least_luts(point.design) > search.smallest:
            return "it is expected to be larger than the best found"
        if _least_luts(point.design) > point.device.part.capacity.luts:
            return "it is expected to be too large for the device"
        return 0.0, 0.8 * rough
    wanted = search.exploration.space.constraints[0]
    clocks = search.clocks[point.device.name]
    guess = clocks.guess(point.estimate)
    most = search.outlook(point)["mhz"][1]
    mhz = most if guess is None else min(guess, most)
    gbps = BLOCK_BITS * point.design.blocks_per_cycle * mhz / 1000
    if gbps < 0.9 * wanted.bound:
        return 1.0, -gbps
    return 0.0, float(point.estimate.area.luts)


def rough_luts(design: Design) -> float:
    """Return a rough guess of the look-up tables of a core."""
    key_sbox = design.key_sbox_style
    return float(
        design.data_sbox_count * _ROUGH_LUTS[design.sbox]
        + design.key_sbox_count * _ROUGH_LUTS[key_sbox]
    )


def _least_luts(design: Design) -> float:
    """Return a size that a design has at least, by a guess on the safe side."""
    return 0.75 * rough_luts(design)


def suggest(
    device: Device,
    throughput_gbps: float,
    database: Database,
    *,
    key_bits: int = 128,
    decrypt: bool = False,
    agile: bool = False,
    block_ram: bool = True,
    seeds: tuple[int, ...] | None = None,
    measure: bool = True,
    limit: int | None = LIMIT,
    workers: int | None = None,
    cluster: str | None = None,
    say: Callable[[str], None] | None = None,
    progress: Callable[[Progress], None] | None = None,
    flow: Flow = FLOW,
    pool: Workers[Job, Outcome] | None = None,
) -> Suggestion:
    """Return the smallest core that reaches a throughput on a device.

    Args:
        device: where.
        throughput_gbps: Gbit/s at the Fmax, at least.
        database: what is known, and where results go.
        key_bits: 128, 192 or 256.
        decrypt: a core that decrypts; otherwise one that encrypts.
        agile: only cores that take a key with every block.
        block_ram: whether a core may use block RAM.
        seeds: of the placements; None for the shipped ones, and what is known with others counts.
        measure: measure missing points; otherwise answer from the database alone.
        limit: place so many cores at most; None for as many as it takes.
        workers: as for `explore`.
        cluster: as for `explore`.
        say: takes lines for a person.
        progress: takes how far it is.
        flow: how results come about.
        pool: as for `explore`.

    Raises:
        UsageError: the device has no clock, or the throughput makes no sense.
        Interrupted: by Ctrl-C or a signal to end; what is done is in the database.
    """
    if not has_clock(device):
        raise UsageError(
            f"{device.name} is synthesis only: it has no clock and no throughput. "
            "`needed_clocks` says which clock a throughput needs there"
        )
    space = candidates(
        device,
        throughput_gbps,
        key_bits=key_bits,
        decrypt=decrypt,
        agile=agile,
        block_ram=block_ram,
        seeds=seeds,
    )
    exploration = explore(
        space,
        database,
        workers=workers,
        cluster=cluster,
        limit=limit,
        order=by_size,
        only_known=not measure,
        seeds_up_to=MOST_SEEDS if seeds is None else None,
        also=_known_designs(space, database, agile=agile),
        say=say,
        progress=progress,
        flow=flow,
        pool=pool,
    )
    suggestion = Suggestion(device, throughput_gbps, exploration)
    if suggestion.best is None:
        suggestion.why_not = _why_not(suggestion, measured=measure)
    return suggestion


def _known_designs(space: Space, database: Database, *, agile: bool) -> list[Design]:
    """Return the designs in the database, beyond the candidates, that meet the request."""
    device, wanted = space.devices[0], space.blocks[0]
    found = []
    for known in database.all(device=device.name, kind="placed"):
        if known.subject.design is None:
            continue
        try:
            design = Design(**known.subject.design)
        except (TypeError, UsageError):  # measured by an aesforge with other choices
            continue
        asked = (
            (design.key_bits,) == wanted["key_bits"]
            and (design.direction,) == wanted["direction"]
            and (design.is_agile or not agile)
        )
        # An entry of older RTL says nothing of what would be built now.
        if asked and Target.of(design).digest == known.subject.rtl:
            found.append(design)
    return found


def _why_not(suggestion: Suggestion, *, measured: bool) -> str:
    """Return the best result on this device, its limit, and advice."""
    device, exploration = suggestion.device, suggestion.exploration
    asked = f"{suggestion.throughput_gbps:g} Gbit/s"
    points = exploration.points
    lines = [f"no core is known that reaches {asked} on {device.name}"]
    placed = [point for point in points if point.state == "measured"]
    if placed:
        fastest = max(placed, key=lambda point: point.values["throughput_gbps"])
        values = fastest.values
        lines.append(
            f"the fastest measured is {fastest.design.name}: "
            f"{values['throughput_gbps']:.3g} Gbit/s at {values['mhz']:.0f} MHz in "
            f"{values['lut']:,.0f} LUT"
        )
    cap = device.cap(block_ram=False)
    blocks = 0.0
    if cap is not None:
        stream = BLOCK_BITS * cap.mhz / 1000
        blocks = suggestion.throughput_gbps / stream
        unchecked = "" if cap.verified else ", not checked by us"
        lines.append(
            f"the clock may be {cap.mhz:g} MHz at most ({cap.what}: {cap.source}{unchecked}): "
            f"{stream:.3g} Gbit/s with a block every cycle, so {asked} take {blocks:.3g} blocks "
            "per cycle or more"
        )
    lines.extend(_room(suggestion, blocks, cap))
    open_ones = [
        point for point in points if point.state == "not tried" and "expected" not in point.reason
    ]
    failed = [point for point in points if point.state == "failed"]
    if failed:
        lines.append(f"{len(failed)} candidates failed: the first one, {failed[0].reason}")
    if open_ones and not measured:
        lines.append(
            f"{len(open_ones)} candidates are not in the database: leave --no-measure out to "
            "measure them"
        )
    elif open_ones:
        lines.append(
            f"{len(open_ones)} candidates were not tried: a higher --limit tries more of them"
        )
    return "\n".join(lines)


def _room(suggestion: Suggestion, blocks: float, cap: Cap | None) -> list[str]:
    """Return how many of the fast enough designs fit.

    Args:
        suggestion: the candidates, and what became of them.
        blocks: how many a cycle it takes at least.
        cap: the highest Fmax.
    """
    device, points = suggestion.device, suggestion.exploration.points
    room = device.part.capacity.luts
    too_big = [
        point
        for point in points
        if (point.state == "does not fit" or _least_luts(point.design) > room)
        and point.design.blocks_per_cycle >= blocks
    ]
    lines = []
    if too_big:
        smallest = min(too_big, key=lambda point: rough_luts(point.design))
        lines.append(
            f"{len(too_big)} candidates with enough blocks per cycle do not fit, or are too large "
            "by "
            f"far; {smallest.design.name}, one of the smallest of them: {smallest.reason}"
        )
    rates = [
        point.design.blocks_per_cycle
        for point in points
        if point.state != "does not fit" and _least_luts(point.design) <= room
    ]
    most = max(rates, default=0.0)
    if cap is not None and most < blocks:
        lines.append(
            f"of the candidates that may fit, none takes more than {most:.3g} blocks per cycle: "
            f"{BLOCK_BITS * most * cap.mhz / 1000:.3g} Gbit/s at best"
        )
    return lines

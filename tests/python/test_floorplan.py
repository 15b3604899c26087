# SPDX-License-Identifier: Apache-2.0
"""State registers get places in the order in which data flow, and stand there afterwards."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aesforge.cli import main as cli
from aesforge.design import load
from aesforge.devices import device
from aesforge.devices.families import family
from aesforge.errors import UsageError
from aesforge.measure.floorplan import bels, stages
from aesforge.measure.placement import ROUTED, Placement
from aesforge.measure.synthesis import Synthesis
from aesforge.measure.target import Target
from aesforge.netlist.module import Module, read_modules
from mapped import module

PART = device("LFE5U-25F-6").part
BIG = device("LFE5U-85F-8").part
_BEL = re.compile(r"X(\d+)/Y(\d+)/SLICE([A-D])\.FF([01])$")


def netlist(rounds: int, wire: str, kind: str = "TRELLIS_FF", bits_each: int = 1) -> Module:
    """Return a netlist with nothing but the cells that drive each round's wire."""
    cells: dict[str, Any] = {}
    wires: dict[str, Any] = {}
    for number in range(rounds):
        first = 2 + 128 * number
        for cell in range(128 // bits_each):
            net = first + cell * bits_each
            cells[f"u_core.r{number}b{cell}"] = {
                "type": kind,
                "port_directions": {"Q": "output", "CLK": "input"},
                "connections": {"Q": list(range(net, net + bits_each)), "CLK": [1]},
            }
        name = f"u_core.u_cipher.gen_block[0].gen_round[{number}].u_round.{wire}"
        wires[name] = {"bits": list(range(first, first + 128))}
    return module({"cells": cells, "netnames": wires})


def spot(bel: str) -> tuple[int, int, int]:
    """Return column, row, and flip-flop in the tile."""
    found = _BEL.match(bel)
    assert found, bel
    return int(found[1]), int(found[2]), 2 * "ABCD".index(found[3]) + int(found[4])


def test_the_rounds_stand_in_squares_that_neighbour_each_other() -> None:
    places = bels(netlist(10, "state_q"), 14_000, BIG)
    assert len(places) == len(set(places.values())) == 1280
    assert BIG.sites is not None
    centres = []
    for number in range(10):
        spots = [spot(places[f"u_core.r{number}b{bit}"]) for bit in range(128)]
        for x, y, _ in spots:
            assert BIG.sites.columns[0] <= x <= BIG.sites.columns[1]
            assert BIG.sites.rows[0] <= y <= BIG.sites.rows[1]
            assert y not in BIG.sites.without
        # Sixteen tiles of eight: a byte each, the bytes of a column under one another.
        tiles = {(x, y) for x, y, _ in spots}
        assert len(tiles) == 16
        assert len({x for x, _ in tiles}) == len({y for _, y in tiles}) == 4
        assert [bit for _, _, bit in spots] == [bit % 8 for bit in range(128)]
        assert spots[127][:2] == (min(x for x, _ in tiles), min(y for _, y in tiles))  # byte 0
        assert spots[0][:2] == (max(x for x, _ in tiles), max(y for _, y in tiles))  # byte 15
        assert spots[95][0] > spots[127][0]  # byte 4 begins the second column
        centres.append((sum(x for x, _ in tiles) / 16, sum(y for _, y in tiles) / 16))
    steps = [abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in itertools.pairwise(centres)]
    # From round to round never further than one square, be it across or down.
    assert max(steps) < 2 * min(steps)


def test_the_end_of_a_round_is_its_state_register_or_its_s_boxes() -> None:
    assert stages(netlist(2, "substituted"))[1][5] == "u_core.r1b5"
    both = netlist(1, "state_q")
    both.wires.update(netlist(1, "substituted").wires)
    assert stages(both) == stages(netlist(1, "state_q"))
    with pytest.raises(UsageError, match="linear_stages"):
        stages(netlist(2, "mixed"))
    with pytest.raises(UsageError, match="linear_stages"):
        stages(Module())


def test_state_in_block_ram_stands_in_a_row_of_block_rams() -> None:
    places = bels(netlist(1, "substituted", "DP16KD", 16), 800, BIG)
    assert [places[f"u_core.r0b{n}"] for n in range(7, -1, -1)] == BIG.sites.block_rams[1:9]  # type: ignore[union-attr]
    with pytest.raises(UsageError, match=r"takes 80 block RAMs.*10 are known"):
        bels(netlist(10, "substituted", "DP16KD", 16), 800, BIG)
    with pytest.raises(UsageError, match="0 are known"):
        bels(netlist(1, "substituted", "DP16KD", 16), 800, PART)


def test_a_core_without_room_is_refused() -> None:
    bels(netlist(10, "state_q"), 40_000, BIG)
    with pytest.raises(UsageError, match=r"each of 10 rounds has .* LFE5U-25F"):
        bels(netlist(10, "state_q"), 40_000, PART)


def little(floorplan: bool) -> Placement:
    """A small core that is placed freely or laid out, and that two tests share."""
    data = family("ecp5")
    target = Target.of(load("compact", {"name": "little"}))
    synthesis = Synthesis(target, "ecp5", data, data.recipe[0])
    netlist = synthesis.examine().netlist
    where = device("LFE5U-25F-6")
    return Placement(synthesis, netlist, where, data, data.recipe[0], 1, floorplan=floorplan)


def test_registers_stand_where_they_were_put() -> None:
    """A real placement; and the floorplan is part of what tells placements apart."""
    free, laid = (little(floorplan) for floorplan in (False, True))
    assert free.key != laid.key
    assert not free.places
    # The registers, and the look-up tables that nextpnr joins with them.
    assert 128 < len(laid.places) <= 256
    (routed,) = read_modules(Path(laid.routed()) / ROUTED).values()
    where = {name: routed.cells[name].attributes["NEXTPNR_BEL"] for name in laid.places}
    assert where == laid.places


def test_the_same_places_and_wires_are_faster_on_a_faster_grade() -> None:
    """A real timing: nothing is placed or routed again, so the paths are the same ones."""
    laid = replace(little(floorplan=True), keep_routed=True)
    slow = laid.run()
    same = replace(laid, device=device("LFE5U-25F-8"), keep_routed=False, routed_for=laid.device)
    fast = same.run()
    assert 1.15 * slow.mhz < fast.mhz < 1.5 * slow.mhz
    assert "Routing 0 arcs" in (same.folder / "log").read_text(encoding="utf-8")
    assert {fast.path.start, fast.path.end} & {slow.path.start, slow.path.end}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("compact", "--device", "HX8K"), ("LFE5U-25F", "leave --floorplan out")),
        (("compact", "--device", "LFE5U-25F-6", "--synthesis-only"), ("places nothing",)),
        (("--rtl", "x.v", "--top", "x", "--device", "LFE5U-25F-6"), ("our cores only",)),
    ],
)
def test_what_cannot_be_laid_out_is_refused(
    words: tuple[str, ...], told: tuple[str, ...], tmp_path: Path
) -> None:
    database = str(tmp_path / "db.sqlite")
    result = CliRunner().invoke(
        cli.main, ["measure", *words, "--floorplan", "--database", database]
    )
    assert result.exit_code == 2
    assert all(word in result.output for word in told), result.output

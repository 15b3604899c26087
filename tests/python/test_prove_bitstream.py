# SPDX-License-Identifier: Apache-2.0
"""Bitstreams, read back and compared with the routed netlist: what all families share."""

from __future__ import annotations

import json
import re
from pathlib import Path

from click.testing import CliRunner

from aesforge.cli.main import main
from aesforge.prove.bitstream import compare
from aesforge.prove.bitstream.layout import Layout
from aesforge.prove.bitstream.routed import Expected
from bitstream_bench import run


class Wires:
    """A database with two wires; a third is driven by the first while its switch is off."""

    name = "small"
    wires = ("a", "b", "c")
    resting = {2: 0}  # noqa: RUF012

    def erased(self, place: str, setting: str) -> int | str:
        """Return 0."""
        return 0


def test_what_differs_and_what_is_unused() -> None:
    """Each kind of difference once, and beside each what is no difference."""
    expected = Expected(
        cells={"X1": {"table": 6, "mode": "LOGIC"}, "X2": {"row": 0b100}},
        owners={"X1": "lut", "X2": "memory"},
        drivers={0: None, 2: 0},
        nets={0: "n", 2: "n"},
        undefined={("X2", "row"): 0b011},
        tiles={"T1"},
    )

    def found(**more: object) -> tuple[list[str], list[str]]:
        cells = {"X1": {"table": 6, "mode": "LOGIC"}, "X2": {"row": 0b101}}
        layout = Layout(cells=cells)  # type: ignore[arg-type]
        for name, value in more.items():
            setattr(layout, name, value)
        result = compare(Wires(), layout, expected)
        assert result.same == (not result.differences)
        return result.differences, result.unused

    assert found() == ([], [])
    assert found(cells={"X1": {"table": 6, "mode": "CCU2"}, "X2": {"row": 0}})[0] == [
        "cell lut at X1: mode is CCU2, must be LOGIC",
        "cell memory at X2: row is 0x0, must be 0x4",
    ]
    assert found(drivers={2: [1]})[0] == ["net n: wire c is driven by b, must be by a"]
    assert found(drivers={0: [1]})[0] == ["net n: wire a is driven by b, must be by nothing"]
    assert found(drivers={1: [0]})[0] == [
        "net n drives the wire b too, which is not one of its wires"
    ]
    assert found(drivers={1: [1]}) == ([], ["wire b is driven by b"])
    assert found(invalid={0})[0] == ["net n: wire a has a switch with bits that choose nothing"]
    assert found(invalid={1})[1] == ["wire b has a switch with bits that choose nothing"]
    unnamed = [("T1", "bit 3"), ("T2", "bit 4")]
    assert found(unnamed=unnamed) == (
        ["T1: bit 3, of which the database says nothing"],
        ["T2: bit 4, of which the database says nothing"],
    )


def test_families_without_a_reader(tmp_path: Path) -> None:
    for name, family in (("LIFCL-40-7", "nexus"), ("XC7A35T-1", "xc7")):
        result = run(tmp_path / "a.bit", tmp_path / "a.json", name)
        assert result.exit_code == 2
        assert f"reads iCE40, ECP5, Gowin and GateMate; the family of {name[:7]}" in result.output
        assert f"is {family}" in result.output


def test_options() -> None:
    for arguments, word in (
        (["--bitstream", "x"], "name all three"),
        (["--device", "iCE40HX8K", "compact"], "--implement DIR"),
    ):
        result = CliRunner().invoke(main, ["prove", *arguments])
        assert result.exit_code == 2
        assert word in result.output


def test_the_campaigns_were_of_a_clean_tree_and_found_every_bit_that_matters() -> None:
    file = Path(__file__).parents[2] / "bench" / "results" / "bitstream-faults.json"
    for one in json.loads(file.read_bytes()).values():
        assert re.fullmatch("[0-9a-f]{12}", one["commit"]), "flip bits of a clean tree"
        assert one["equal"]
        assert one["found"] == one["used"] >= 200
        assert one["named"] == one["unused"]
        assert one.get("told") == one.get("unknown")
        assert one["wrong"] == []

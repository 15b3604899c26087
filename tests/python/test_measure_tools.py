# SPDX-License-Identifier: Apache-2.0
"""The real tools on small cores: synthesis, placement, and netlists that still encrypt."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from click.testing import CliRunner

from aesforge.bundle import build
from aesforge.check.core import check
from aesforge.cli import main as cli
from aesforge.design import Design, load
from aesforge.devices import FAMILIES, device
from aesforge.devices.families import family
from aesforge.errors import AesforgeError, DoesNotFit, ToolFailed, UsageError
from aesforge.measure import Database, Measurement, Target, estimate, measure
from aesforge.measure.bench import Core
from aesforge.measure.readback import netlist_sources
from aesforge.measure.synthesis import Synthesis

SMALL = load("compact", {"name": "little"})
ROUTED_FOR = ("--device", "LFE5U-85F-8", "--routed-for")


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "db.sqlite")


def test_a_part_of_a_cipher_is_measured_by_itself(database: Database) -> None:
    """An S-box has neither registers nor a whole block; its depth is that of its result."""
    core = Core(
        name="sbox",
        device="iCE40HX8K",
        module="aesforge_sbox",
        parameters={"Style": 1, "Stages": 0, "Direction": 0},
        ports={"clock": "clk", "block": "x", "result": "y"},
        ties={"inverse": 0},
        seeds=0,
    )
    one = core.measure(database)
    assert isinstance(one, Measurement)
    assert [(stage.stage, stage.depth) for stage in one.depth] == [("result", 5)]
    assert (one.area.ff, one.area.block_ram) == (0, 0)
    mix = Core(
        name="mix",
        device="iCE40HX8K",
        module="aesforge_mix_column",
        ports={"clock": "clk", "block": "x", "result": "y"},
        seeds=0,
    )
    assert isinstance(mix.measure(database), Measurement)
    whole = dataclasses.replace(mix.target, is_cipher=True)
    with pytest.raises(AesforgeError, match="a part of the core is missing"):
        estimate(whole, device("iCE40HX8K"))


def test_wide_multiplexers_go_after_the_look_up_tables_of_tables_alone(database: Database) -> None:
    """A table S-box of 256 x 8 bits is 128 tables of four inputs, and what chooses among them."""

    def sbox(style: int, recipe: str) -> Measurement:
        core = Core(
            name="sbox",
            device="LFE5U-25F-6",
            module="aesforge_sbox",
            parameters={"Style": style, "Stages": 0, "Direction": 0},
            ports={"clock": "clk", "block": "x", "result": "y"},
            ties={"inverse": 0},
            seeds=0,
            recipe=recipe,
        )
        one = core.measure(database)
        assert isinstance(one, Measurement)
        return one

    table, before = sbox(0, "wide"), sbox(0, "depth")
    assert 128 <= table.area.luts <= 140 < before.area.luts
    assert table.area.wide_mux > 0 == before.area.wide_mux
    assert table.depth[0].depth < before.depth[0].depth
    tower = sbox(3, "wide")
    assert (tower.area, tower.depth) == (sbox(3, "depth").area, sbox(3, "depth").depth)


def test_a_research_scheme_is_measured_by_itself(database: Database) -> None:
    """The key expansion of Liu et al. has two SubWords a step, and is smaller without."""

    def step(scheme: str) -> Measurement:
        core = Core(
            name="step",
            device="XC7A35T-1",
            module="aesforge_key_round",
            parameters={"SboxStyle": 0, "SboxStages": 0, "LinearStages": 1},
            ports={"clock": "clk", "block": "window_i", "result": "window_o"},
            ties={"decrypt": 0, "hold": 0},
            scheme=scheme,
            seeds=0,
        )
        one = core.measure(database)
        assert isinstance(one, Measurement)
        assert ("research/" in one.provenance.command) == bool(scheme)
        return one

    standard, two = step(""), step("liu2014")
    assert two.area.luts > standard.area.luts + 4 * 32


@pytest.mark.parametrize(("name", "most_luts"), [("iCE40HX8K", 2100), ("LFE5U-25F-6", 2100)])
def test_a_small_core_is_placed_and_routed(name: str, most_luts: int, database: Database) -> None:
    place = device(name)
    result = measure(Target.of(SMALL), place, seeds=(1,), database=database)
    clock, path = result.clock, result.critical_path
    assert clock is not None
    assert path is not None
    # One cycle holds the whole critical path, and little else.
    assert 1000 / clock.reported_mhz == pytest.approx(path.ns, rel=0.05)
    assert clock.fmax_mhz <= min(cap.mhz for cap in place.grade.caps)
    assert 1000 < result.area.luts < most_luts
    assert result.area.block_ram == 0
    # Words of ours, none of the tool's.
    stages = {one.stage for one in result.depth}
    assert {"round / state", "out_block"} <= stages
    assert not any("$" in stage or "genblk" in stage for stage in stages)
    assert path.start.split(" / ")[0] != "harness"
    again = measure(Target.of(SMALL), place, seeds=(1,), database=database)
    assert again == result


@pytest.mark.parametrize("name", FAMILIES)
def test_the_netlist_passes_the_published_vectors(name: str, tmp_path: Path) -> None:
    """What synthesis for a family makes of a core is the same cipher."""
    data = family(name)
    synthesis = Synthesis(Target.of(SMALL), name, data, data.recipe[0])
    sources = netlist_sources(synthesis, tmp_path)
    report = check(SMALL, seed=1, blocks=20, rtl=sources, optimize="build")
    assert report.passed, report.text()
    assert report.vector_blocks > 600


def test_a_foreign_core_is_measured_alike(tmp_path: Path, database: Database) -> None:
    """A bundle of ours, taken for anyone's sources, gives the figures of the design."""
    build(SMALL, tmp_path / "bundle")
    files = (tmp_path / "bundle" / "files.f").read_text().split()
    rtl = tuple(tmp_path / "bundle" / name for name in files)
    roles = {"clock": "clk", "block": "in_block", "key": "in_key", "result": "out_block"}
    foreign = Target.of_rtl(rtl, "little", roles, latency_cycles=11, blocks_per_cycle=0.1)
    place = device("iCE40HX8K")
    ours = estimate(Target.of(SMALL), place, database=database)
    theirs = estimate(foreign, place, database=database)
    assert theirs.area.luts == pytest.approx(ours.area.luts, rel=0.02)
    assert theirs.area.ff == ours.area.ff
    assert theirs.subject.design is None
    wrong = Target.of_rtl(rtl, "little", {**roles, "block": "in_blok"})
    with pytest.raises(UsageError, match=r"no port 'in_blok'.*did you mean 'in_block'"):
        estimate(wrong, place)
    mistaken = Target.of_rtl(rtl, "little", {**roles, "block": "in_tag"})
    with pytest.raises(Exception, match="depends on"):
        estimate(mistaken, place)


def test_a_core_that_forgets_its_key_is_no_record(tmp_path: Path) -> None:
    source = tmp_path / "bad.v"
    source.write_text(
        "module bad (input clk, input [127:0] block, input [127:0] key,"
        " output reg [127:0] result);\n"
        "  always @(posedge clk) result <= block ^ {key[127:8], 8'h00};\nendmodule\n"
    )
    roles = {name: name for name in ("block", "key", "result")} | {"clock": "clk"}
    target = Target.of_rtl((source,), "bad", roles)
    with pytest.raises(Exception, match=r"depends on 1 bits of the block, of a cipher on all 128"):
        estimate(target, device("iCE40HX8K"))


def test_broken_sources_show_what_the_tool_said(tmp_path: Path) -> None:
    source = tmp_path / "broken.v"
    source.write_text("module broken (input clk\n")
    roles = {"clock": "clk", "block": "a", "result": "b"}
    with pytest.raises(ToolFailed, match="syntax error") as caught:
        estimate(Target.of_rtl((source,), "broken", roles), device("iCE40HX8K"))
    log = next(
        line.removeprefix("the whole log: ")
        for line in caught.value.message.splitlines()
        if line.startswith("the whole log: ")
    )
    assert Path(log).is_file()


def test_two_rounds_do_not_fit_on_a_small_device() -> None:
    big = Target.of(Design(name="big", unroll=2, sbox="bram", sbox_stages=1))
    with pytest.raises(DoesNotFit, match=r"block RAMs of 30 \(\d\.\d times\)"):
        measure(big, device("iCE40UP5K"), seeds=(1,))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compact"], ["--device", "LFE5U-85F-8"]),
        (["compact", "--device", "LFE5U-85F-9"], ["no device", "did you mean 'LFE5U-85F-8'"]),
        (["compact", "--device", "lfe5u-85f"], ["several speed grades", "LFE5U-85F-6"]),
        (["compakt", "--device", "HX8K"], ["did you mean 'compact'"]),
        (["--device", "HX8K"], ["name a design D"]),
        (["compact", "--device", "HX8K", "--top", "x"], ["--top is for a foreign core"]),
        (["compact", "--device", "HX8K", "--rtl", "x.v", "--top", "x"], ["not both"]),
        (["--device", "HX8K", "--rtl", "x.v"], ["--top"]),
        (["--device", "HX8K", "--rtl", "no.v", "--top", "x"], ["cannot read", "no.v"]),
        (["compact", "--device", "HX8K", "--seeds", "2", "--seed", "7"], ["exclude each other"]),
        (["compact", "--device", "HX8K", "--seeds", "0"], ["1<=x<=99"]),
        (["compact", "--device", "HX8K", "--synthesis-only", "--seeds", "2"], ["places nothing"]),
        (["compact", "--device", "HX8K", "--recipe", "aera"], ["did you mean 'area'"]),
        (["compact", "--device", "XC7A35T-1"], ["--synthesis-only"]),
        (["compact", *ROUTED_FOR, "LFE5U-85F-8"], ["no other speed grade of LFE5U-85F"]),
        (["compact", *ROUTED_FOR, "LFE5U-25F-6"], ["no other speed grade of LFE5U-85F"]),
        (["compact", *ROUTED_FOR, "LFE5U-85F-9"], ["did you mean 'LFE5U-85F-8'"]),
        (["compact", *ROUTED_FOR, "LFE5U-85F-6", "--synthesis-only"], ["routes nothing to time"]),
        (["compact", *ROUTED_FOR, "LFE5U-85F-6", "--energy"], ["not on the grade"]),
        (["compact", "--device", "HX8K", "--routed-for", "HX8K"], ["on ECP5, not on iCE40HX8K"]),
    ],
)
def test_bad_input_is_refused_with_what_is_allowed(
    arguments: list[str], words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AESFORGE_DATABASE", str(tmp_path / "db.sqlite"))
    done = CliRunner().invoke(cli.main, ["measure", *arguments])
    assert done.exit_code == 2, done.output
    for word in words:
        assert word in done.stderr
    assert done.stdout == ""

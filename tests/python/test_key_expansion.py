# SPDX-License-Identifier: Apache-2.0
"""The key expansion as a design of its own: Kiran's systems, built, checked, measured, refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from aesforge.bundle.ports import core_ports
from aesforge.check.core import check
from aesforge.check.run import CheckReport
from aesforge.cli import main as cli
from aesforge.crypt.core import crypt_file
from aesforge.design import Design, load
from aesforge.design.presets import PRESETS, of_group
from aesforge.devices import device
from aesforge.errors import UsageError
from aesforge.measure import Measurement, Target, estimate
from aesforge.measure.record import Clock, Provenance, Run
from aesforge.measure.show import print_measurement
from aesforge.netlist.cells import Area, StageDepth
from aesforge.reference import vectors
from aesforge.report.collect import collect
from aesforge.report.table import rows
from aesforge.research.demo import decryption_twin
from aesforge.toolchain import rtl
from cores import changed_rtl

LOOPED = Design(name="again", architecture="key_expand", unroll=1, sbox="table")
PIPELINED = Design(name="steps", architecture="key_expand", sbox="table")
CORE = rtl.file_of("aesforge_key_core").read_text(encoding="utf-8")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, list(arguments))


# --- The paper's systems --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "latency", "interval", "sboxes"),
    [
        # Both give all ten keys in 20 cycles (Table I); Table II counts 20 block RAMs and 2.
        ("kiran-pipelined", 20, 1, 40),
        ("kiran-pipelined-192", 24, 1, 32),
        ("kiran-pipelined-256", 28, 1, 52),
        ("kiran-looped", 20, 23, 4),
        ("kiran-looped-192", 24, 27, 4),
        ("kiran-looped-256", 28, 31, 4),
    ],
)
def test_a_system_of_the_paper(name: str, latency: int, interval: int, sboxes: int) -> None:
    design = load(name)
    assert (design.architecture, design.sbox) == ("key_expand", "bram")
    assert design.latency_cycles == latency
    assert design.interval == interval
    assert design.sbox_count == sboxes
    # And so does the RTL: every round key of every published key, each in its cycle.
    report = check(design, seed=1, blocks=60, optimize="build")
    assert report.passed, report.text()
    keys = {record.key for record in vectors.records(design.key_bits)}
    appendix, _ = vectors.KEY_EXPANSIONS[design.key_bits]
    assert report.vector_blocks == len(keys | {appendix})
    assert report.latency_cycles_seen == (latency, latency)
    assert report.blocks_per_cycle_seen == pytest.approx(1 / interval)
    assert f"{report.blocks} (" in report.text()
    assert "keys/s" in report.text()


def test_the_paper_combined() -> None:
    """Sec. VI: the loop's four S-boxes in place of forty; the data path is a pipeline."""
    combined = load("kiran-combined")
    assert (combined.is_unrolled, combined.is_agile, combined.interval) == (True, False, 1)
    assert (combined.key_sbox_count, combined.data_sbox_count) == (4, 160)
    assert combined.key_load_cycles == load("kiran-looped").latency_cycles + 3


def test_the_group_is_whole() -> None:
    names = [design.name for design in of_group("kiran")]
    forms = ("pipelined", "looped")
    assert names == [f"kiran-{f}{b}" for f in forms for b in ("", "-192", "-256")] + [
        "kiran-combined"
    ]


# --- What the check finds -------------------------------------------------------------------------


def quick(design: Design, folder: Path, file: str, old: str, new: str) -> CheckReport:
    """Check changed RTL with few keys."""
    files = changed_rtl(folder, file, old, new)
    return check(design, seed=1, blocks=40, vectors=False, rtl=files, optimize="build")


def test_a_wrong_round_key_is_found(tmp_path: Path) -> None:
    last = "(pass == 4'd9 ? 4'd9 : pass + 4'd1)"
    report = quick(LOOPED, tmp_path, "aesforge_key_expand.sv", "(pass + 4'd1)", last)
    assert not report.passed
    assert report.wrong_blocks == 40
    assert "random beat 0 of seed 1: round key 10 came out wrong" in report.failures[0]
    assert re.search(r"expected  [0-9a-f]{32}\n  got       [0-9a-f]{32}", report.failures[0])


def test_a_round_key_out_of_time_is_found(tmp_path: Path) -> None:
    report = quick(
        *(PIPELINED, tmp_path, "aesforge_key_pipeline.sv", "valid_q[RoundStages*r];"),
        "valid_q[RoundStages*r-(r==4?1:0)];",
    )
    assert not report.passed
    assert "round key 4 took 7 cycles; the design computes 8" in report.failures[0]


def test_a_round_key_that_never_comes_is_found(tmp_path: Path) -> None:
    report = quick(
        *(PIPELINED, tmp_path, "aesforge_key_pipeline.sv", "? in_valid : valid_q[RoundStages*r];"),
        "? in_valid : valid_q[RoundStages*r] && r != 7;",
    )
    assert "round key 7 never came" in report.failures[0]


def test_a_round_key_that_nobody_asked_for_is_found(tmp_path: Path) -> None:
    report = quick(
        *(PIPELINED, tmp_path, "aesforge_key_pipeline.sv", "? in_valid : valid_q[RoundStages*r];"),
        "? in_valid : valid_q[RoundStages*r] || (r == 3 && valid_q[Nr*RoundStages]);",
    )
    assert not report.passed
    assert any("that no key had asked for" in failure for failure in report.failures)


def test_a_wrong_tag_and_a_wrong_rate_are_found(tmp_path: Path) -> None:
    report = quick(
        *(LOOPED, tmp_path, "aesforge_key_core.sv", "if (accept) tag_q <= in_tag;"),
        "if (accept) tag_q <= ~in_tag;",
    )
    assert "came out with the tag" in report.failures[0]

    class Faster(Design):
        @property
        def interval(self) -> float:
            return super().interval - 1

    report = check(Faster(**LOOPED.choices()), seed=1, blocks=40, vectors=False, optimize="build")
    assert "beats back to back took" in report.failures[0]


# --- What is refused ------------------------------------------------------------------------------


def test_crypt_demo_and_explore_take_no_key_expansion(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.write_bytes(bytes(16))
    with pytest.raises(
        UsageError, match="takes no blocks; crypt needs a design with architecture = pipeline"
    ):
        crypt_file(LOOPED, source, tmp_path / "out", mode="ecb", key=bytes(16))
    assert not (tmp_path / "out").exists()
    with pytest.raises(UsageError, match="is a key expansion, which takes no blocks"):
        decryption_twin(LOOPED)
    space = tmp_path / "space.toml"
    space.write_text('devices = ["iCE40HX8K"]\nbase = "kiran-looped"\n[choices]\ntag_bits = [1]\n')
    done = run("explore", str(space))
    assert done.exit_code == 2
    assert "architecture = key_expand: a space holds ciphers" in done.stderr


def test_a_key_expansion_keeps_what_it_has_no_use_for_out() -> None:
    done = run("describe", "kiran-looped", "--set", "tiles=2")
    assert done.exit_code == 2
    assert "tiles = 2 does not apply to architecture = key_expand" in done.stderr


# --- Agreement with the RTL -----------------------------------------------------------------------


def test_parameters_and_ports_are_those_of_the_module() -> None:
    parameters, found = CORE.split(") (\n")[:2]
    names = re.findall(r"^\s*parameter int unsigned (\w+) =", parameters, re.MULTILINE)
    assert names == list(LOOPED.rtl_parameters()) == list(PIPELINED.rtl_parameters())
    heads = re.findall(r"^\s*(input|output)\s+logic\s*(?:\[[^]]*\])?\s*(\w+),?", found, re.M)
    for design in (LOOPED, PIPELINED):
        assert heads == [(port.direction, port.name) for port in core_ports(design)]


# --- Measurement ----------------------------------------------------------------------------------


def made_up(design: Design, mhz: float) -> Measurement:
    """Return a measurement with a clock that nobody measured."""
    return Measurement(
        key=design.name,
        kind="placed",
        subject=Target.of(design).subject(),
        device="LFE5U-25F-6",
        family="ecp5",
        area=Area(lut4=400, lut6=None, wide_mux=0, ff=300, block_ram=2, lut_ram=0, cells={}),
        depth=[StageDepth(stage="post", depth=3, registers=128)],
        clock=Clock(
            runs=[Run(seed=1, mhz=mhz, seconds=1.0)],
            reported_mhz=mhz,
            cap=None,
            fmax_mhz=mhz,
            limit="logic and wires",
        ),
        critical_path=None,
        warnings=[],
        provenance=Provenance(
            command="aesforge measure x",
            tools={"yosys": "0"},
            recipe="none",
            commands=[],
            commit="none",
            date="2026-01-01T00:00:00Z",
            seconds=1.0,
        ),
    )


def test_rates_are_of_schedules_and_the_papers_figure_has_its_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    # The paper's own clocks (Table I): its throughput is 128 times them, its true rates are far
    # apart: a schedule a cycle against one in 23 (the paper leaves its own interval open).
    pipelined = made_up(load("kiran-pipelined"), 403.551)
    looped = made_up(load("kiran-looped"), 162.829)
    assert pipelined.kiran_gbps == pytest.approx(51.65, abs=0.01)
    assert looped.kiran_gbps == pytest.approx(20.84, abs=0.01)
    assert pipelined.schedules_per_second == pytest.approx(403.551e6)
    assert looped.schedules_per_second == pytest.approx(162.829e6 / 23)
    assert looped.round_keys_per_second == pytest.approx(10 * 162.829e6 / 23)
    for one in (pipelined, looped):
        assert one.throughput_gbps is None
        assert one.mbps_per_lut is None
    print_measurement(looped)
    shown = " ".join(capsys.readouterr().out.split())
    assert "7.08 million key schedules per second" in shown
    assert "20.84 Gbps, 128 bits x the reported clock: what Kiran and Kanavi call" in shown
    assert "a key every 23 cycles" in shown
    # What is printed as JSON is read back by the report, and its table has the rate.
    (tmp_path / "one.json").write_text(json.dumps(looped.as_dict()), encoding="utf-8")
    (again,) = collect(results=tmp_path)
    assert again == looped
    (row,) = rows([again])
    assert (row["architecture"], row["throughput_gbps"], row["pareto"]) == (
        "key_expand",
        None,
        False,
    )
    assert row["schedules_per_second"] == pytest.approx(162.829e6 / 23)


def test_a_cipher_has_no_rate_of_schedules() -> None:
    one = made_up(PRESETS["compact"], 100.0)
    assert one.throughput_gbps == pytest.approx(1.28)
    assert one.schedules_per_second is one.round_keys_per_second is one.kiran_gbps is None
    assert "kiran_gbps" not in one.as_dict()
    # A record from before there was a choice of the core is a cipher.
    old = msgspec.to_builtins(one)
    del old["subject"]["design"]["architecture"]
    assert msgspec.convert(old, Measurement).throughput_gbps == pytest.approx(1.28)


@pytest.mark.parametrize(("name", "block_ram"), [("kiran-looped", 2), ("kiran-pipelined", 20)])
def test_a_synthesis_has_the_papers_block_rams(name: str, block_ram: int) -> None:
    """Table II: 20 RAMB16 in the pipelined form, 2 in the loop."""
    design = load(name)
    measured = estimate(Target.of(design), device("LFE5U-25F-6"))
    assert measured.area.block_ram == block_ram
    assert measured.area.ff == pytest.approx(design.flip_flops_about, rel=0.1)
    assert measured.kind == "synthesized"
    assert measured.schedules_per_second is None

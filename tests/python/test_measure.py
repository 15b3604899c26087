# SPDX-License-Identifier: Apache-2.0
"""The pieces of a measurement, on recorded outputs of the tools: no tool is started here."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from aesforge import devices
from aesforge.design import Design, argv_of, load
from aesforge.devices import Cap, Capacity, Device, Grade, Part, Timing
from aesforge.devices.families import family
from aesforge.errors import AesforgeError, DoesNotFit, ToolFailed, ToolMissing, UsageError
from aesforge.measure import Database, Measurement, Target, estimate, measure
from aesforge.measure.harness import check_roles, harness
from aesforge.measure.placement import (
    Placed,
    Placement,
    clock_of,
    critical_path_of,
    slices_of,
)
from aesforge.measure.synthesis import check_whole
from aesforge.measure.target import KEY_STORES
from aesforge.netlist.cells import Netlist
from aesforge.netlist.labels import Labels
from aesforge.netlist.module import Port
from aesforge.toolchain import programs
from mapped import CELLS, PIPELINE, PIPELINE_JSON, WORDS, cell, module

REPORT = Path(__file__).parent / "data" / "nextpnr_report.json"


def foreign(**roles: str) -> Target:
    return Target("t", "", (), "t", {}, roles)


def test_a_core_that_is_whole() -> None:
    whole = Netlist(PIPELINE, CELLS, "", WORDS)
    target = foreign(block="block", key="key", result="result")
    check_whole(target, PIPELINE, whole, whole.area(4), 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"u_core.block": [10, "0"]}, "1 of 2 bits of the block are constant"),
        ({"u_core.result": ["x"]}, "1 of 1 bits of the result are constant"),
        ({"u_core.block": [10, 99]}, "depends on 1 bits of the block, of a cipher on all 2"),
        ({"u_core.key": [98]}, "depends on 0 bits of the key, of a cipher on all 1"),
    ],
)
def test_a_core_of_which_something_is_missing(change: dict[str, Any], message: str) -> None:
    names = {
        **PIPELINE_JSON["netnames"],
        **{name: {"bits": bits, "hide_name": 0} for name, bits in change.items()},
    }
    whole = Netlist(PIPELINE, CELLS, "", WORDS)
    target = foreign(block="block", key="key", result="result")
    changed = module({**PIPELINE_JSON, "netnames": names})
    with pytest.raises(AesforgeError, match=message):
        check_whole(target, changed, whole, whole.area(4), 4)


def test_a_design_without_room_for_its_s_boxes() -> None:
    whole = Netlist(PIPELINE, CELLS, "", WORDS)
    target = Target("t", "", (), "t", {}, {"block": "block", "result": "result"}, design=Design())
    with pytest.raises(AesforgeError, match="room for 0 S-boxes, the design has 200"):
        check_whole(target, PIPELINE, whole, whole.area(4), 4)


# --- Report of the placement ----------------------------------------------------------------------


def test_clock_and_critical_path_of_a_recorded_report() -> None:
    report = json.loads(REPORT.read_text())
    clock = clock_of(report)
    assert clock == pytest.approx(next(iter(report["fmax"].values()))["achieved"])
    path = critical_path_of(report, Labels())
    recorded = report["critical_paths"][0]["path"]
    assert len(path.hops) == len(recorded)
    assert path.ns == pytest.approx(sum(step["delay"] for step in recorded), abs=0.02)
    # One register to another in a cycle: the path is what the clock allows.
    assert 1000 / path.ns == pytest.approx(clock, rel=0.01)
    assert 0.5 < path.wire_share < 0.95
    assert path.hops[0].kind == "clock-to-out"
    assert path.hops[-1].kind == "setup"


def test_a_report_without_its_clock() -> None:
    with pytest.raises(AesforgeError, match="names 0 clocks"):
        clock_of({"fmax": {}})
    with pytest.raises(AesforgeError, match="no path from register to register"):
        critical_path_of({"critical_paths": []}, Labels())


ROUTED = """{
  "modules": {
    "top": {
      "cells": {
        "$PACKER_GND": {
          "attributes": {
            "NEXTPNR_BEL": "X28/Y2/SLICEA.K0"
          },
        },
        "u_core.ff34": {
          "attributes": {
            "NEXTPNR_BEL": "X1/Y2/SLICEA.FF0"
          },
        },
        "u_core.a.lut": {
          "attributes": {
            "NEXTPNR_BEL": "X1/Y2/SLICEA.K1"
          },
        },
        "u_core.b": {
          "attributes": {
            "NEXTPNR_BEL": "X1/Y2/SLICEB.K0"
          },
        },
        "u_core.ram": {
          "attributes": {
            "NEXTPNR_BEL": "X4/Y2/EBR0"
          },
        },
        "shift_q_TRELLIS_FF_Q_9": {
          "attributes": {
            "NEXTPNR_BEL": "X9/Y2/SLICED.FF1"
          },
        }
      }
    }
  }
}
"""


def test_slices_are_those_that_hold_a_cell_of_the_core() -> None:
    lines = ROUTED.splitlines(keepends=True)
    assert slices_of(lines) == 2
    with pytest.raises(AesforgeError, match="no cell of the core in a slice"):
        slices_of(line.replace("u_core.", "harness.") for line in lines)


# --- Harness --------------------------------------------------------------------------------------


def port(direction: Literal["input", "output", "inout"], width: int) -> Port:
    return Port(direction, list(range(width)))


PORTS = {
    "clk": port("input", 1),
    "rst": port("input", 1),
    "in": port("input", 128),
    "k": port("input", 128),
    "busy": port("output", 1),
    "out": port("output", 128),
}
ROLES = {"clock": "clk", "block": "in", "key": "k", "result": "out"}


def test_the_harness_drives_every_input_and_keeps_every_output() -> None:
    text = harness(foreign(**ROLES), PORTS)
    assert "reg [256:0] shift_q;" in text
    assert "reg [256:0] in_q;" in text
    assert "wire [128:0] out;" in text
    for line in (
        r".\clk (clk)",
        r".\rst (in_q[0:0])",
        r".\in (in_q[128:1])",
        r".\k (in_q[256:129])",
        r".\busy (out[0:0])",
        r".\out (out[128:1])",
    ):
        assert line in text
    tied = Target("t", "", (), "t", {}, ROLES, ties={"rst": 1})
    text = harness(tied, PORTS)
    assert r".\rst (1'd1)" in text
    assert "reg [255:0] in_q;" in text


@pytest.mark.parametrize(
    ("roles", "ties", "message"),
    [
        ({**ROLES, "block": "inn"}, {}, "no port 'inn'.*did you mean 'in'"),
        ({**ROLES, "block": "out"}, {}, "'out' of t is an output; the block must be an input"),
        ({**ROLES, "result": "in"}, {}, "'in' of t is an input; the result must be an output"),
        ({**ROLES, "clock": "in"}, {}, "128 bits wide, no clock"),
        ({**ROLES, "result": "busy"}, {}, "1 bits wide: the result needs 8 or more"),
        (ROLES, {"rest": 0}, "no input 'rest' to tie; did you mean 'rst'"),
        (ROLES, {"out": 0}, "no input 'out' to tie"),
        (ROLES, {"in": 0}, "has a role and cannot be tied"),
    ],
)
def test_wrong_ports(roles: dict[str, str], ties: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_roles(Target("t", "", (), "t", {}, roles, ties=ties), PORTS)


def test_a_bidirectional_port_is_refused() -> None:
    with pytest.raises(UsageError, match=r"inout.*wrap the core"):
        check_roles(foreign(**ROLES), {**PORTS, "bus": port("inout", 8)})


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"clock": "clk", "block": "in"}, "which port is the core's result"),
        ({"clock": "clk", "blok": "in"}, "no role 'blok'.*did you mean 'block'"),
    ],
)
def test_wrong_roles(tmp_path: Path, roles: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Target.of_rtl((), "t", roles)
    with pytest.raises(UsageError, match=r"cannot read .*No such file"):
        Target.of_rtl((tmp_path / "absent.v",), "t", ROLES)


def test_the_line_that_repeats_names_the_same_design() -> None:
    for choices in (
        {"unroll": 1, "sbox": "bram", "key_schedule": "stored", "key_slots": 4},
        {"key_bits": 256, "direction": "both", "tiles": 3},
        {},
        # But for one choice, presets of the 32-bit data path are like these.
        {
            "direction": "both",
            "key_schedule": "stored",
            "mix_columns": "shared",
            "linear_stages": 3,
            "sbox_stages": 0,
        },
        {"architecture": "column_serial", "key_schedule": "stored", "shift_rows": "addressed"},
    ):
        design = Design(name="x", **choices)
        words = argv_of(design)
        again = load(words[0], [word for word in words[1:] if word != "--set"])
        assert {**again.choices(), "name": ""} == {**design.choices(), "name": ""}


# --- The flow, with tools that answer from records ------------------------------------------------


class FakeTools:
    """Stands in for `programs.run`: notes each call and writes what the program would leave."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[str]]] = []
        self.fail_at: dict[str, BaseException] = {}

    def __call__(self, program: str, arguments: Sequence[str], folder: Path, log: Path) -> None:
        self.calls.append((program, list(arguments)))
        if program == "yosys":
            word = arguments[0]
        elif "--seed" in arguments:
            word = arguments[arguments.index("--seed") + 1]
        else:
            assert (folder / "netlist.json").read_text() == ROUTED, "a routed netlist is timed"
            word = "-2"
        log.write_text("a log\n")
        if word in self.fail_at:
            raise self.fail_at[word]
        if word == "elaborate.ys":
            ports = {
                "clk": ("input", 1),
                "in_block": ("input", 128),
                "in_key": ("input", 128),
                "out_block": ("output", 128),
            }
            core = {
                "ports": {
                    name: {"direction": direction, "bits": list(range(width))}
                    for name, (direction, width) in ports.items()
                }
            }
            (folder / "ports.json").write_text(json.dumps({"modules": {"core": core}}))
        elif word == "synthesize.ys":
            (folder / "netlist.json").write_text(json.dumps({"modules": {"harness": full()}}))
            (folder / "mapped.il").write_text("module \\core\nend\n")
        else:
            report = json.loads(REPORT.read_text())
            clock = next(iter(report["fmax"]))
            report["fmax"][clock]["achieved"] = 100.0 + 10 * int(word)
            (folder / "report.json").write_text(json.dumps(report))
            if "--write" in arguments:
                (folder / arguments[arguments.index("--write") + 1]).write_text(ROUTED)


def full() -> dict[str, Any]:
    """Make a netlist in which every result bit depends on everything, by one big cell."""
    block, key, result = range(1000, 1128), range(2000, 2128), range(3000, 3128)
    big: dict[str, Any] = {
        "type": "LUT4",
        "parameters": {},
        "port_directions": {"A": "input", "Z": "output"},
        "connections": {"A": [*block, *key], "Z": list(result)},
    }
    luts = {f"u_core.l{n}": cell("LUT4", {"Z": 5000 + n}, A=1000) for n in range(6399)}
    names = {"in_block": block, "in_key": key, "out_block": result}
    return {
        "ports": {},
        "cells": {"u_core.big": big, **luts},
        "netnames": {
            f"u_core.{name}": {"bits": list(nets), "hide_name": 0} for name, nets in names.items()
        },
    }


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeTools:
    fake = FakeTools()
    monkeypatch.setattr(programs, "run", fake)
    monkeypatch.setattr(programs, "version", lambda program: f"{program}-1")
    monkeypatch.setenv("AESFORGE_CACHE", str(tmp_path / "cache"))
    return fake


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "results" / "db.sqlite")


def ecp5(luts: int = 83640, cap: float = 115.0, speed: str = "8") -> Device:
    grades = {
        name: Grade(
            name=name,
            options=["--speed", name],
            caps=[Cap(what="clock tree", mhz=cap, source="a data sheet", verified=False)],
        )
        for name in ("6", "8")
    }
    return Device(
        part=Part(
            part="PART",
            vendor="Vendor",
            family="ecp5",
            lut_inputs=4,
            flow="place",
            options=["--85k"],
            capacity=Capacity(luts=luts, ff=luts, block_ram=10, source="a data sheet"),
            timing=Timing(source="a database", warnings=["a warning"]),
            grades=list(grades.values()),
        ),
        grade=grades[speed],
    )


TARGET = Target.of(load("line-rate"))


def test_golden_command_lines(tools: FakeTools, tmp_path: Path) -> None:
    measure(TARGET, ecp5(), seeds=(5,))
    (yosys, script), (also_yosys, second), (program, arguments) = tools.calls
    assert (yosys, script) == ("yosys", ["elaborate.ys"])
    assert (also_yosys, second) == ("yosys", ["synthesize.ys"])
    assert program == "nextpnr-ecp5"
    (netlist,) = (tmp_path / "cache" / "netlists").glob("*/netlist.json")
    recipe = family("ecp5").recipe[0]
    assert arguments == [
        *(
            "--85k",
            "--speed",
            "8",
            "--json",
            "netlist.json",
            "--seed",
            "5",
            "--report",
            "report.json",
        ),
        *recipe.place,
    ]
    elaborate = (netlist.parent / "elaborate.ys").read_text().splitlines()
    assert elaborate[0].startswith("read_verilog -sv -Irtl rtl/00_aesforge_pkg.sv ")
    assert "-set Unroll 10" in elaborate[1]
    assert elaborate[1].endswith(" aesforge_core")
    assert elaborate[2:5] == ["hierarchy -check -top aesforge_core", "proc", "rename -top core"]
    synthesize = (netlist.parent / "synthesize.ys").read_text()
    assert "setattr -mod -set keep_hierarchy 1 core" in synthesize
    assert "{top}" not in synthesize
    assert synthesize.index("keep_hierarchy 1") < synthesize.index("synth_ecp5")
    assert synthesize.index("synth_ecp5") < synthesize.index("\nflatten\n")


def test_median_cap_and_warnings(tools: FakeTools, database: Database) -> None:
    result = measure(TARGET, ecp5(), seeds=(1, 2, 3), database=database)
    assert result.kind == "placed"
    clock = result.clock
    assert clock is not None
    assert [(run.seed, run.mhz) for run in clock.runs] == [(1, 110.0), (2, 120.0), (3, 130.0)]
    assert (clock.reported_mhz, clock.fmax_mhz, clock.limit) == (120.0, 115.0, "clock tree")
    assert result.throughput_gbps == pytest.approx(128 * 115.0 / 1000)
    assert result.mbps_per_lut == pytest.approx(128 * 115.0 / 6400)
    assert result.warnings[0] == "a warning"
    assert "the cap of 115 MHz (clock tree) is not verified: a data sheet" in result.warnings[1]
    assert result.provenance.command == "aesforge measure line-rate --device PART-8 --seeds 3"
    assert result.provenance.tools == {"yosys": "yosys-1", "nextpnr-ecp5": "nextpnr-ecp5-1"}
    free = measure(TARGET, ecp5(cap=500.0), seeds=(2,))
    assert free.clock is not None
    assert (free.clock.fmax_mhz, free.clock.limit) == (120.0, "logic and wires")
    assert Measurement.from_json(result.to_json()) == result
    assert database.all() == [result]
    assert database.all(device="other") == []


def test_nothing_is_measured_twice(tools: FakeTools, database: Database) -> None:
    first = measure(TARGET, ecp5(), seeds=(1, 2), database=database)
    assert len(tools.calls) == 4
    assert measure(TARGET, ecp5(), seeds=(1, 2), database=database) == first
    assert len(tools.calls) == 4
    # One seed more is one placement more; the netlist is there.
    measure(TARGET, ecp5(), seeds=(1, 2, 3), database=database)
    assert [call[0] for call in tools.calls[4:]] == ["nextpnr-ecp5"]
    measure(TARGET, ecp5(), seeds=(1,), database=database, force=True)
    assert [call[0] for call in tools.calls[5:]] == ["yosys", "yosys", "nextpnr-ecp5"]


def test_slices_are_counted_when_asked_for_and_once(tools: FakeTools, database: Database) -> None:
    def slices(*, count_slices: bool = False) -> list[int | None]:
        result = measure(TARGET, ecp5(), seeds=(1, 2), database=database, count_slices=count_slices)
        assert result.clock is not None
        return [run.slices for run in result.clock.runs]

    assert slices() == [None, None]
    tools.calls.clear()
    assert slices(count_slices=True) == [2, 2]
    assert [call[0] for call in tools.calls] == ["nextpnr-ecp5"] * 2
    assert all("--write" in arguments for _, arguments in tools.calls)
    assert slices(count_slices=True) == slices() == [2, 2]
    assert len(tools.calls) == 2
    (known,) = database.all()
    assert known.clock is not None
    assert known.clock.runs[0].slices == 2


def test_what_is_routed_for_one_grade_is_timed_on_another(
    tools: FakeTools, database: Database
) -> None:
    slower = ecp5(speed="6")
    options: dict[str, Any] = {"seeds": (1,), "database": database, "count_slices": True}
    one = measure(TARGET, slower, routed_for=ecp5(), **options)
    place, time = (arguments for program, arguments in tools.calls if program != "yosys")
    assert place[:3] == ["--85k", "--speed", "8"]
    assert time[:5] == ["--85k", "--speed", "6", "--json", "netlist.json"]
    assert {"--no-pack", "--no-place"} <= set(time)
    # Neither a placer nor a router is chosen: nothing is left to do for them.
    assert "--placer" in place
    assert not {"--placer", "static", "--write", "--seed"} & set(time)
    assert one.clock is not None
    assert [(run.mhz, run.slices) for run in one.clock.runs] == [(80.0, 2)]
    assert one.warnings[0] == "placed and routed for PART-8, and timed here"
    assert one.provenance.command.endswith("--device PART-6 --routed-for PART-8 --seeds 1")
    assert [line.split(" --")[2] for line in one.provenance.commands[-2:]] == ["speed 8", "speed 6"]
    # The placement is known, for the grade that it was made for too; and is another on this grade.
    tools.calls.clear()
    assert measure(TARGET, slower, routed_for=ecp5(), **options) == one
    own = measure(TARGET, ecp5(), **options)
    assert own.clock is not None
    assert (own.clock.runs[0].mhz, tools.calls) == (110.0, [])
    assert measure(TARGET, slower, **options).key != one.key
    assert len(tools.calls) == 1


def test_another_name_is_the_same_core(tools: FakeTools, database: Database) -> None:
    measure(TARGET, ecp5(), seeds=(1,), database=database)
    renamed = Target.of(load("line-rate", {"name": "mine"}))
    result = measure(renamed, ecp5(), seeds=(1,), database=database)
    assert result.subject.name == "mine"
    assert len(tools.calls) == 3


def test_an_interrupt_costs_only_what_was_running(tools: FakeTools, database: Database) -> None:
    tools.fail_at["2"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        measure(TARGET, ecp5(), seeds=(1, 2), database=database, parallel=1)
    assert database.all() == []
    tools.fail_at.clear()
    tools.calls.clear()
    result = measure(TARGET, ecp5(), seeds=(1, 2), database=database, parallel=1)
    assert [call[1][call[1].index("--seed") + 1] for call in tools.calls] == ["2"]
    assert result.clock is not None
    assert len(result.clock.runs) == 2


def test_a_synthesis_that_is_interrupted_leaves_nothing(
    tools: FakeTools, database: Database
) -> None:
    tools.fail_at["synthesize.ys"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        measure(TARGET, ecp5(), seeds=(1,), database=database)
    tools.fail_at.clear()
    tools.calls.clear()
    measure(TARGET, ecp5(), seeds=(1,), database=database)
    assert [call[1][0] for call in tools.calls[:2]] == ["elaborate.ys", "synthesize.ys"]


def test_a_failed_tool_says_where_its_whole_log_is(tools: FakeTools, database: Database) -> None:
    tools.fail_at["1"] = ToolFailed("the end of its log")
    with pytest.raises(ToolFailed, match="the end of its log"):
        measure(TARGET, ecp5(), seeds=(1,), database=database)
    assert database.all() == []


def test_what_does_not_fit_is_said_before_placement(tools: FakeTools, database: Database) -> None:
    message = r"does not fit on PART: it needs 6,400 look-up tables of 3,200 \(2.0 times\)"
    with pytest.raises(DoesNotFit, match=message):
        measure(TARGET, ecp5(luts=3200), seeds=(1,), database=database)
    assert [call[0] for call in tools.calls] == ["yosys", "yosys"]


def test_an_estimate_places_nothing(tools: FakeTools, database: Database) -> None:
    result = estimate(TARGET, ecp5(), database=database)
    assert result.kind == "synthesized"
    assert result.clock is None
    assert result.throughput_gbps is None
    assert result.area.lut4 == 6400
    assert "--synthesis-only" in result.provenance.command
    assert [call[0] for call in tools.calls] == ["yosys", "yosys"]
    # A measurement of the same core needs no second synthesis.
    measure(TARGET, ecp5(), seeds=(1,), database=database)
    assert [call[0] for call in tools.calls[2:]] == ["nextpnr-ecp5"]


def test_wrong_recipe_and_no_seed(tools: FakeTools) -> None:
    with pytest.raises(UsageError, match=r"no recipe 'stok'.*did you mean 'stock'"):
        measure(TARGET, ecp5(), recipe="stok")
    with pytest.raises(UsageError, match="at least one seed"):
        measure(TARGET, ecp5(), seeds=())


def test_a_device_of_synthesis_only() -> None:
    one = next(d for d in devices.devices().values() if d.part.flow == "synthesize")
    with pytest.raises(UsageError, match=r"synthesis only.*--synthesis-only"):
        measure(TARGET, one)


# --- A tool's end ---------------------------------------------------------------------------------


def test_a_tool_that_fails_shows_the_end_of_its_log(tmp_path: Path) -> None:
    script = tmp_path / "bad.ys"
    script.write_text("read_verilog absent.v\n")
    with pytest.raises(ToolFailed) as caught:
        programs.run("yosys", ["bad.ys"], tmp_path, tmp_path / "log")
    assert "exit status" in caught.value.message
    assert "absent.v" in caught.value.message
    assert str(tmp_path / "log") in caught.value.message


def test_a_tool_that_runs_out_of_memory(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("terminating: std::bad_alloc\n")
    assert "out of memory" in programs._why("yosys", [], 1, tmp_path / "log")
    assert "out of memory" in programs._why("yosys", [], -9, tmp_path / "log")
    (tmp_path / "log").write_text("something else\n")
    assert "out of memory" not in programs._why("yosys", [], 1, tmp_path / "log")


def test_a_missing_tool_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(programs.PROGRAMS, "yosys", ("no-such-package", "", ""))
    with pytest.raises(ToolMissing, match="pip install no-such-package"):
        programs.version("yosys")


# --- Database -------------------------------------------------------------------------------------


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    path.write_bytes(b"not a database, and long enough to be looked at as one" * 20)
    with pytest.raises(AesforgeError, match=r"cannot use the database .*--database"):
        Database(path)


def test_a_database_of_another_version(tmp_path: Path) -> None:
    path = tmp_path / "db.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(AesforgeError, match="another version of aesforge"):
        Database(path)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AesforgeError, match="cannot make the folder"):
        Database(tmp_path / "file" / "db.sqlite")


def test_a_record_with_an_unknown_field_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        Measurement.from_json('{"key": "x", "surprise": 1}')


def test_an_interrupt_ends_a_tool_that_is_about_to_start(
    tools: FakeTools, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One placement is interrupted while the other has no process yet that could be ended."""
    begun, killed = threading.Event(), threading.Event()

    class Process:
        def kill(self) -> None:
            killed.set()

    def run(self: Placement, _watch: object) -> Placed:
        if self.seed == 1:
            begun.wait(10)
            raise KeyboardInterrupt
        begun.set()
        time.sleep(0.5)
        process = Process()
        monkeypatch.setattr(programs, "_running", {process})
        if not killed.wait(10):
            raise AssertionError("nobody ended it")
        raise ToolFailed("killed")

    monkeypatch.setattr(Placement, "run", run)
    with pytest.raises(KeyboardInterrupt):
        measure(TARGET, ecp5(), seeds=(1, 2), database=database, parallel=2)
    assert killed.is_set()


def test_what_loads_keys_is_part_of_cores_that_store_them() -> None:
    def names(*words: str) -> set[str]:
        return {path.stem for path in Target.of(load("compact", list(words))).files}

    assert not names() & set(KEY_STORES)
    assert names("key_schedule=stored", "key_slots=2") > set(KEY_STORES)

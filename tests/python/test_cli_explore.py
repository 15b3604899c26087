# SPDX-License-Identifier: Apache-2.0
"""The verbs explore and suggest: what they print, and what they exit with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import explored
from aesforge.cli.main import main
from aesforge.explore import search
from aesforge.explore import suggest as suggest_library
from aesforge.explore.jobs import Job, Outcome

SPACE = """
devices = ["LFE5U-85F-8"]
constraints = ["throughput_gbps >= 1"]
[choices]
unroll = [1, 2]
sbox = ["table", "tower", "bram"]
sbox_stages = [0, 1]
"""


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Results are made up, in this process; everything else is as it is."""
    monkeypatch.setenv("AESFORGE_DATABASE", str(tmp_path / "measurements.sqlite"))
    real_explore, real_suggest = search.explore, suggest_library.suggest

    def explore(*arguments: Any, **options: Any) -> Any:
        assert options.pop("workers") in (None, 3)
        assert options.pop("cluster") is None
        pool = explored.Inline(explored.fake, 2)
        return real_explore(*arguments, **options, pool=pool, flow=explored.FLOW)

    def suggest(*arguments: Any, **options: Any) -> Any:
        options |= {"pool": explored.Inline(explored.fake, 2), "flow": explored.FLOW}
        return real_suggest(*arguments, **options)

    monkeypatch.setattr(search, "explore", explore)
    monkeypatch.setattr(suggest_library, "suggest", suggest)
    # `suggest` explores too, but with the pool that it was given.
    monkeypatch.setattr(suggest_library, "explore", real_explore)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.fixture
def space(tmp_path: Path) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(SPACE)
    return str(path)


def test_explore_shows_the_front_and_the_counts(space: str) -> None:
    shown = run("explore", space, "--workers", "3")
    assert shown.exit_code == 0, shown.stderr
    assert "LFE5U-85F-8: AES-128 encrypt, a key with every block" in shown.stdout
    assert "aesforge measure" in shown.stdout
    assert "10 points:" in shown.stdout
    assert "2 combinations cannot be built" in shown.stdout
    assert "exclude each other" in shown.stdout
    assert "note: made up" in shown.stdout
    again = run("explore", space)
    assert "from the database" in again.stdout
    assert "measured now" not in again.stdout


def test_explore_gives_everything_as_json(space: str) -> None:
    data = json.loads(run("explore", space, "--json").stdout)
    assert data["counts"]["points"] == len(data["points"]) == 10
    assert data["counts"]["illegal"] == sum(data["illegal"].values()) == 2
    (front,) = data["pareto"]
    assert front["device"] == "LFE5U-85F-8"
    assert front["objectives"] == ["throughput_gbps", "lut", "block_ram"]
    for point in front["points"]:
        assert point["figures"]["throughput_gbps"] >= 1
        assert point["measurement"]["clock"]["fmax_mhz"] > 0
        assert point["command"].startswith("aesforge measure ")


def test_no_point_that_meets_the_constraints_is_status_1(tmp_path: Path) -> None:
    path = tmp_path / "hard.toml"
    path.write_text(SPACE.replace(">= 1", ">= 400"))
    shown = run("explore", str(path))
    assert shown.exit_code == 1
    assert "no point meets the constraints: throughput_gbps >= 400" in shown.stdout
    assert "throughput_gbps >= 400 cannot be met" in shown.stdout
    assert run("explore", str(path), "--json").exit_code == 1


def test_failures_are_printed_while_it_runs(space: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(job: Job) -> Outcome:
        return Outcome("failed", message="yosys failed: exit status 1")

    monkeypatch.setattr(explored, "fake", fail)
    shown = run("explore", space)
    assert shown.exit_code == 1
    assert shown.stderr.count("aesforge: failed: ") == 10
    assert "yosys failed: exit status 1" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("explore", "gone.toml"), "there is no space file 'gone.toml'"),
        (("explore", "quikc"), "did you mean 'quick'?"),
        (("explore", "quick", "--workers", "0"), "0 is not in the range"),
        (("explore", "quick", "--workers", "1", "--cluster", "tcp://h:1"), "exclude each other"),
        (("suggest", "--throughput", "40"), "--device"),
        (("suggest", "--device", "LFE5U-85F-8"), "--throughput"),
        (("suggest", "--device", "LFE5U-85F", "--throughput", "4"), "several speed grades"),
        (("suggest", "--device", "LFE5U-85F-8", "--throughput", "-4"), "more than 0"),
        (("suggest", "--device", "XC7A100T-1", "--throughput", "-4"), "more than 0"),
    ],
)
def test_wrong_usage_is_status_2(arguments: tuple[str, ...], words: str) -> None:
    shown = run(*arguments)
    assert shown.exit_code == 2
    assert words in shown.stderr
    assert "Traceback" not in shown.stderr


def test_an_option_given_twice_is_refused() -> None:
    shown = run("suggest", "--device", "a", "--device", "b", "--throughput", "4")
    assert shown.exit_code == 2
    assert "given 2 times" in shown.stderr


def test_suggest_prints_the_design_and_how_to_build_it() -> None:
    shown = run("suggest", "--device", "LFE5U-85F-8", "--throughput", "40")
    assert shown.exit_code == 0, shown.stderr
    assert "aesforge build line-rate" in shown.stdout or "aesforge build" in shown.stdout
    assert 'sbox = "' in shown.stdout
    data = json.loads(
        run("suggest", "--device", "LFE5U-85F-8", "--throughput", "40", "--json").stdout
    )
    assert data["best"]["figures"]["throughput_gbps"] >= 40
    assert data["best"]["figures"]["lut"] <= min(
        [other["figures"]["lut"] for other in data["runners_up"]], default=10**9
    )


def test_suggest_says_why_there_is_none_with_status_1() -> None:
    shown = run("suggest", "--device", "iCE40HX8K", "--throughput", "100")
    assert shown.exit_code == 1
    assert "no core is known that reaches 100 Gbit/s on iCE40HX8K" in shown.stdout
    shown = run("suggest", "--device", "iCE40HX8K", "--throughput", "1", "--no-measure", "--json")
    assert shown.exit_code == 1
    data = json.loads(shown.stdout)
    assert data["best"] is None
    assert "--no-measure" in data["why_not"]

# SPDX-License-Identifier: Apache-2.0
"""Jobs of scripts on a cluster of processes on loopback, some of which are killed."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from aesforge.errors import AesforgeError, UsageError
from aesforge.jobs import Failed, Pool, process, script
from aesforge.jobs.identity import differences, identity
from aesforge.prove.time_limit import time_limit
from clusters import PATIENCE, Cluster, wait_for
from project import REPO

HERE = Path(__file__).resolve().parent
SOURCES = str(REPO / "src")


def square(number: int) -> int:
    """Leave a trace, take a moment, and give the square: the job of these tests."""
    trace = Path(os.environ["AESFORGE_TEST_FOLDER"]) / f"begun-{number}-{os.getpid()}"
    trace.touch()
    time.sleep(0.2)
    return number * number


def fault(number: int) -> float:
    """Fail for zero."""
    return 1 / number


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A scheduler without workers; those that are added find this module."""
    monkeypatch.setenv("AESFORGE_TEST_FOLDER", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), SOURCES]))
    started = Cluster(tmp_path)
    with started.stack:
        yield started


def other_sources(folder: Path) -> str:
    """Return the PYTHONPATH of an aesforge whose sources differ in one line."""
    (folder / "other").mkdir()
    shutil.copytree(SOURCES, folder / "other" / "src")
    for name in ("rtl", "formal"):
        (folder / "other" / name).symlink_to(REPO / name)
    with (folder / "other" / "src" / "aesforge" / "errors.py").open("a") as file:
        file.write("# One line more.\n")
    return os.pathsep.join([str(HERE), str(folder / "other" / "src")])


# --- The pool


def test_two_workers_do_all_jobs_though_one_is_killed(tmp_path: Path, cluster: Cluster) -> None:
    for _ in range(2):
        cluster.add_worker()
    cluster.wait_for_workers(2)
    victim = cluster.workers[0]
    found: dict[int, int | Failed] = {}
    with Pool(square, cluster=cluster.address) as pool:
        for job, result in pool.run(range(20)):
            if not found:
                wait_for(lambda: list(tmp_path.glob(f"begun-*-{victim.pid}")), "job of the victim")
                victim.kill()
            assert job not in found
            found[job] = result
    assert found == {number: number * number for number in range(20)}
    assert victim.poll() is not None
    used = {int(trace.name.rsplit("-", 1)[1]) for trace in tmp_path.glob("begun-*")}
    assert used == {worker.pid for worker in cluster.workers}


def test_a_job_that_raises_has_failed_and_the_others_go_on(
    tmp_path: Path, cluster: Cluster
) -> None:
    cluster.add_worker()
    cluster.wait_for_workers(1)
    with Pool(fault, cluster=cluster.address) as pool:
        found = dict(pool.run([0, 1, 2]))
    assert found == {0: Failed("ZeroDivisionError: division by zero"), 1: 1.0, 2: 0.5}


def test_a_worker_with_other_sources_is_refused(tmp_path: Path, cluster: Cluster) -> None:
    cluster.add_worker(PYTHONPATH=other_sources(tmp_path))
    cluster.wait_for_workers(1)
    with pytest.raises(UsageError) as refused:
        Pool(square, cluster=cluster.address)
    mine = identity()["sources"]
    assert "differs: sources " in refused.value.message
    assert refused.value.message.endswith(f" there, {mine} here; install the same")
    assert not list(tmp_path.glob("begun-*"))


def test_a_worker_that_joins_later_is_refused_too(tmp_path: Path, cluster: Cluster) -> None:
    cluster.add_worker()
    cluster.wait_for_workers(1)
    elsewhere = other_sources(tmp_path)
    with Pool(square, cluster=cluster.address) as pool:
        cluster.add_worker(PYTHONPATH=elsewhere)
        cluster.wait_for_workers(2)
        with pytest.raises(UsageError) as refused:
            dict(pool.run(range(20)))
    assert "a worker that joined the cluster differs (sources " in refused.value.message
    used = {int(trace.name.rsplit("-", 1)[1]) for trace in tmp_path.glob("begun-*")}
    assert used <= {cluster.workers[0].pid}


# --- Identity


def test_differences_are_named() -> None:
    mine = {"aesforge": "1", "yosys": "0.70"}
    assert list(differences(mine, mine)) == []
    assert list(differences({**mine, "icepack": "1"}, mine)) == []
    assert list(differences({"aesforge": "2"}, mine)) == [
        "aesforge 2 there, 1 here",
        "yosys none there, 0.70 here",
    ]


def test_a_copy_of_the_sources_is_the_same_and_a_changed_one_is_not(tmp_path: Path) -> None:
    code = "from aesforge.jobs.identity import identity; print(identity()['sources'])"

    def sources(path: str) -> str:
        env = {**os.environ, "PYTHONPATH": path}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, check=True)
        return done.stdout.decode().strip()

    changed = other_sources(tmp_path)
    assert sources(changed) != identity()["sources"]
    shutil.copy(
        REPO / "src" / "aesforge" / "errors.py",
        tmp_path / "other" / "src" / "aesforge" / "errors.py",
    )
    assert sources(changed) == identity()["sources"]


# --- A process for a job


def own_pid(_: int) -> int:
    """Print, which is no answer, and give the process."""
    print("something")
    return os.getpid()


def late(seconds: int) -> None:
    """Take longer than allowed."""
    with time_limit(0.2):
        time.sleep(seconds)


def refuse(_: int) -> None:
    raise UsageError("not this")


def divide(seconds: int) -> None:
    assert seconds / 0


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_job_has_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), SOURCES]))
    assert process.run(own_pid, 0) != process.run(own_pid, 0)


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (late, "it took more than 0.2 s"),
        (refuse, "not this"),
        (divide, "ZeroDivisionError: division by zero"),
        (die, "its process ended with status -9: "),
    ],
)
def test_a_job_that_fails_in_its_process_says_why(
    work: Callable[[int], None], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), SOURCES]))
    with pytest.raises(AesforgeError) as failed:
        process.run(work, 60)
    assert failed.value.message == message


# --- Scripts


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    script.add_options(parser)
    return parser.parse_args(words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--jobs", "0"), "invalid number of jobs value: '0'"),
        (("--jobs", "x"), "invalid number of jobs value: 'x'"),
        (("--jobs", "1", "--cluster", "tcp://a:1"), "not allowed with argument --jobs"),
    ],
)
def test_bad_options_are_refused(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        options(*words)
    assert refused.value.code == 2
    assert message in capsys.readouterr().err


def test_an_interrupt_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def main() -> int:
        raise KeyboardInterrupt

    assert script.status(main) == 130
    assert "interrupted; the same command continues from here" in capsys.readouterr().err


@contextlib.contextmanager
def started(name: str, output: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Start a script, and end it when a test fails before it does."""
    command = [sys.executable, str(REPO / "scripts" / f"{name}.py"), *words]
    with subprocess.Popen(
        [*command, "--output", str(output)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": SOURCES},
    ) as child:
        try:
            yield child
        finally:
            child.terminate()


@pytest.mark.parametrize("name", ["prove_all", "prove_mutants", "fault_campaign"])
@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("here", "it is no address of a scheduler; write it as tcp://HOST:PORT"),
        ("tcp://127.0.0.1:1", "no scheduler answers there"),
    ],
)
def test_an_address_that_is_no_scheduler_is_refused(
    tmp_path: Path, name: str, address: str, message: str
) -> None:
    words = ("--luts=0", "ShiftRows") if name == "prove_mutants" else ("compact",)
    with started(name, tmp_path / "all.json", *words, "--cluster", address) as child:
        _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == 2
    assert message in said
    assert said.startswith(f"{name}: --cluster ")
    assert len(said.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_proofs_on_a_cluster_are_those_of_one_machine_though_a_worker_is_killed(
    tmp_path: Path, cluster: Cluster
) -> None:
    """Three workers that have nothing but aesforge; one is killed while it proves."""
    for _ in range(3):
        cluster.add_worker(PYTHONPATH=SOURCES)
    cluster.wait_for_workers(3)
    core = "saggese2003-iterative"  # six proofs of two seconds
    victim = psutil.Process(cluster.workers[0].pid)

    def proving() -> list[psutil.Process]:
        children = victim.children(recursive=True)
        return [one for one in children if {"prove", core} <= {*one.cmdline()}]

    on_cluster = (f"{core} AES-", "--cluster", cluster.address)
    with started("prove_all", tmp_path / "cluster.json", *on_cluster) as child:
        wait_for(proving, "proof of the victim")
        begun = proving()
        victim.kill()
        _, said = child.communicate(timeout=4 * PATIENCE)
    assert child.returncode == 0, said
    assert "6 proofs in" in said
    wait_for(lambda: not any(_runs(one) for one in begun), "end of what the victim had begun")
    with started("prove_all", tmp_path / "local.json", f"{core} AES-", "--jobs", "2") as child:
        _, said = child.communicate(timeout=4 * PATIENCE)
    assert child.returncode == 0, said
    found = proofs(tmp_path / "cluster.json")
    assert len(found["proofs"]) == 6
    assert found == proofs(tmp_path / "local.json")
    assert {one["result"] for one in found["proofs"]} == {"proved"}


def _runs(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def proofs(path: Path) -> Any:
    """Return the file without what is of the machine: seconds and memory."""
    found = json.loads(path.read_text(encoding="utf-8"))
    for one in found["proofs"]:
        for name in ("seconds", "cpu_seconds", "megabytes"):
            assert one.pop(name) >= 0
    return found


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fault_campaign", ("compact", "compact-parity", "--samples", "100")),
        ("prove_mutants", ("ShiftRows", "leaves the rows (agile)", "--luts=0")),
    ],
)
def test_campaigns_on_a_cluster_are_those_of_one_machine(
    tmp_path: Path, cluster: Cluster, name: str, words: tuple[str, ...]
) -> None:
    for _ in range(2):
        cluster.add_worker(PYTHONPATH=SOURCES)
    cluster.wait_for_workers(2)
    found = []
    for where in (("--cluster", cluster.address), ("--jobs", "1")):
        output = tmp_path / f"{where[0]}.json"
        with started(name, output, *words, *where) as child:
            _, said = child.communicate(timeout=2 * PATIENCE)
        assert child.returncode == 0, said
        text = output.read_text(encoding="utf-8")
        found.append(re.sub(r'"(seconds|date)": [^\n]*', "", text))
    assert found[0] == found[1]

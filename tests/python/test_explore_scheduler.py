# SPDX-License-Identifier: Apache-2.0
"""Real processes and a real scheduler on loopback, doing made-up jobs; they are killed for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import explored
from aesforge.design import Design
from aesforge.devices import device
from aesforge.errors import UsageError
from aesforge.explore import Space, explore, read_space
from aesforge.explore.jobs import Flow, Job, Outcome
from aesforge.jobs.pool import Pool, _kill_workers, default_workers
from aesforge.measure import Database
from clusters import PATIENCE, Cluster, wait_for

HERE = Path(__file__).resolve().parent
SPACE = """
devices = ["LFE5U-85F-8"]
[choices]
unroll = [1, 2]
sbox = ["table", "tower", "bram", "split4", "split6"]
"""


@pytest.fixture
def space(tmp_path: Path) -> Space:
    path = tmp_path / "space.toml"
    path.write_text(SPACE)
    return read_space(str(path))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for traces; the workers find this one's modules and use it too."""
    monkeypatch.setenv("AESFORGE_TEST_FOLDER", str(tmp_path))
    monkeypatch.setenv("AESFORGE_DATABASE", str(tmp_path / "elsewhere.sqlite"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), str(HERE.parents[1] / "src")]))
    return tmp_path


def alive(group: int) -> bool:
    """Whether a process of a group still runs."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def designs(folder: Path) -> list[Design]:
    database = Database(folder / "measurements.sqlite")
    return sorted(
        (Design(**m.subject.design) for m in database.all(kind="placed") if m.subject.design),
        key=lambda design: design.name,
    )


# --- On this machine ----------------------------------------------------------------------------


def test_two_processes_share_the_work_and_one_that_dies_is_replaced(
    space: Space, folder: Path
) -> None:
    """Every table core kills its worker once, and is measured all the same."""
    database = Database(folder / "measurements.sqlite")
    found = explore(space, database, workers=2, exhaustive=True, flow=explored.FRAGILE)
    assert len(list(folder.glob("died-*"))) == 2
    assert found.counts()["measured"] == len(found.points) == 10
    assert len(designs(folder)) == 10


def test_what_kills_its_workers_again_and_again_has_failed(space: Space, folder: Path) -> None:
    lines: list[str] = []
    database = Database(folder / "measurements.sqlite")
    deadly = replace(explored.FLOW, work=explored.deadly)
    found = explore(space, database, workers=2, exhaustive=True, flow=deadly, say=lines.append)
    failed = [point for point in found.points if point.state == "failed"]
    assert {point.design.sbox for point in failed} == {"table"}
    assert all("worker died" in point.reason for point in failed)
    assert len(lines) == len(failed) == 2
    assert found.counts()["measured"] == 8


def job(space: Space) -> Job:
    return Job("measure", space.designs().legal[0], space.devices[0], (1,), database=None)


def test_a_result_that_dies_with_its_worker_is_made_again(space: Space, folder: Path) -> None:
    """The job was done, its result not yet fetched."""
    with Pool(explored.slow, workers=1) as pool:
        pool.submit(7, job(space))
        wait_for(lambda: pool._running[7].status == "finished", "result")
        assert pool._own is not None
        (nanny,) = pool._own.workers.values()
        os.kill(nanny.pid, signal.SIGKILL)
        wait_for(lambda: pool._running[7].status == "lost", "loss")
        number, outcome = pool.next()
    assert isinstance(outcome, Outcome)
    assert (number, outcome.status) == (7, "done")
    assert len(list(folder.glob("measure-*"))) == 2, "two processes did it"


def test_a_worker_between_two_lives_is_nobody_else() -> None:
    """It has no process number then; in its place this process was killed once."""
    cluster = SimpleNamespace(workers={0: SimpleNamespace(pid=None, auto_restart=True)})
    _kill_workers(cast(Any, cluster))
    assert cluster.workers[0].auto_restart is False


def test_an_exception_in_a_worker_fails_one_point(space: Space, folder: Path) -> None:
    database = Database(folder / "measurements.sqlite")
    found = explore(space, database, workers=1, exhaustive=True, flow=explored.FAULTY)
    reasons = {point.design.sbox: point.reason for point in found.points if point.reason}
    assert reasons == {
        "split4": "placement failed: exit status 1",
        "split6": "ZeroDivisionError: division by zero",
    }
    assert found.counts()["measured"] == 6


PROGRAM = """import signal

# A job in a background shell is started with interrupts ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

import sys
from pathlib import Path
import explored
from aesforge.errors import AesforgeError
from aesforge.explore import explore, read_space
from aesforge.measure import Database

if __name__ == "__main__":
    try:
        found = explore(
            read_space(sys.argv[1]),
            Database(Path(sys.argv[2])),
            workers=2,
            exhaustive=True,
            flow=explored.SLOW,
        )
    except AesforgeError as error:
        print(error.message, file=sys.stderr)
        sys.exit(error.exit_code)
    print(found.counts()["measured"])
"""


def test_ctrl_c_stops_at_once_and_the_same_command_goes_on(space: Space, folder: Path) -> None:
    """As in a terminal: every process of the group gets the interrupt."""
    (folder / "program.py").write_text(PROGRAM)
    command = [
        sys.executable,
        *(str(folder / "program.py"), str(folder / "space.toml")),
        str(folder / "measurements.sqlite"),
    ]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "AESFORGE_TEST_SECONDS": "1"},
    )
    wait_for(lambda: len(list(folder.glob("measure-*"))) >= 4, "measurement")
    kept = len(designs(folder))
    os.killpg(process.pid, signal.SIGINT)
    start = time.monotonic()
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert time.monotonic() - start < 20
    assert out == ""
    assert err.startswith("interrupted: ")
    assert "the same command continues from there" in err
    assert len(err.splitlines()) == 1, "no traceback of a worker either"
    # Nothing of it goes on running; who cleans up after it may take a moment.
    wait_for(lambda: not alive(process.pid), "end of all its processes")
    now = len(designs(folder))
    assert kept <= now < 10
    for trace in folder.glob("measure-*"):
        trace.unlink()
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "AESFORGE_TEST_SECONDS": "0"},
    )
    assert int(done.stdout) == 10 - now == len(list(folder.glob("measure-*")))
    assert len(designs(folder)) == 10


def test_there_is_at_least_one_worker() -> None:
    assert 1 <= default_workers() <= (os.cpu_count() or 1)


# --- On a cluster -------------------------------------------------------------------------------


@pytest.fixture
def cluster(folder: Path) -> Iterator[Cluster]:
    started = Cluster(folder)
    with started.stack:
        yield started


def test_a_cluster_of_two_workers_does_the_work(
    space: Space, folder: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The results come to the client's database; a worker's own database is its own matter."""
    cluster.add_worker()
    cluster.add_worker()
    cluster.wait_for_workers(2)
    database = Database(folder / "measurements.sqlite")
    slow = explored.SLOW
    found = explore(space, database, cluster=cluster.address, exhaustive=True, flow=slow)
    assert found.counts()["measured"] == 10
    assert len(designs(folder)) == 10
    by = {trace.name.rsplit("-", 1)[1] for trace in folder.glob("measure-*")}
    assert by == {str(worker.pid) for worker in cluster.workers}
    # The cluster is left as it was, for the next one.
    assert all(worker.poll() is None for worker in (cluster.scheduler, *cluster.workers))
    again = explore(space, database, cluster=cluster.address, exhaustive=True, flow=slow)
    assert again.counts()["from_database"] == 10


def test_a_killed_worker_of_a_cluster_costs_no_point(
    space: Space, folder: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AESFORGE_TEST_SECONDS", "0.5")
    cluster.add_worker()
    cluster.add_worker()
    cluster.wait_for_workers(2)
    killed: list[int] = []

    def kill_one(_: object) -> None:
        if list(folder.glob(f"measure-*-{cluster.workers[0].pid}")) and not killed:
            killed.append(cluster.workers[0].pid)
            cluster.workers[0].kill()

    found = explore(
        space,
        Database(folder / "measurements.sqlite"),
        cluster=cluster.address,
        exhaustive=True,
        flow=explored.SLOW,
        progress=kill_one,
    )
    assert killed
    assert found.counts()["measured"] == 10


def test_a_cluster_that_cannot_be_used_is_refused(
    space: Space, folder: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(folder / "measurements.sqlite")
    monkeypatch.setattr("aesforge.jobs.pool.CONNECT_SECONDS", 2)

    def refusal(address: str) -> str:
        with pytest.raises(UsageError) as error:
            explore(space, database, cluster=address, flow=explored.FLOW)
        return error.value.message

    assert "no scheduler answers there" in refusal("tcp://127.0.0.1:1")
    assert "such as tcp://" in refusal("nonsense://here")
    assert "has no workers" in refusal(cluster.address)


@pytest.mark.parametrize(
    "address", ["foo", "foo:8786", "tcp://foo", "tcp://foo:99999", "tcp://[::1:8786", "ws://a:1"]
)
def test_what_is_no_address_is_refused_at_once(address: str, folder: Path) -> None:
    """A process of its own: what Dask cannot finish it tells at the end, with a traceback."""
    command = [sys.executable, "-m", "aesforge", "explore", "quick", "--cluster", address]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "AESFORGE_DATABASE": str(folder / "measurements.sqlite")},
    )
    assert done.returncode == 2
    assert done.stderr == (
        f"aesforge: --cluster {address}: it is no address of a scheduler; write it as "
        "tcp://HOST:PORT, such as tcp://10.0.0.5:8786\n"
    )


def test_a_flow_is_plain_functions() -> None:
    """Workers import what they do by its name: nothing else travels."""
    assert isinstance(explored.FLOW, Flow)
    assert device("LFE5U-85F-8").name == "LFE5U-85F-8"

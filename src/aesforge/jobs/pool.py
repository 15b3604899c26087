# SPDX-License-Identifier: Apache-2.0
"""Do jobs in parallel with `dask.distributed`: on this machine's cores, or on a cluster.

There is one scheduler for both, so that both survive a worker's death in the same way: the job is
given to another worker, and only a job that kills several in a row has failed. What a job is, and
what comes of it, is the caller's; both travel between processes and machines.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import re
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from aesforge import __version__
from aesforge.errors import AesforgeError, ToolMissing, UsageError
from aesforge.jobs.identity import differences, identity
from aesforge.toolchain import install, signals

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

Job = TypeVar("Job")
Result = TypeVar("Result")
TakenJob = TypeVar("TakenJob", contravariant=True)
GivenResult = TypeVar("GivenResult", covariant=True)

# A placement of a large core takes about 2 GB.
BYTES_PER_WORKER = 2_500_000_000
# A job whose worker died so often has failed: it may be what kills them.
DEATHS_ALLOWED = 2
CONNECT_SECONDS = 10
# So long without any worker, a cluster is taken for lost.
PATIENCE_SECONDS = 60.0
POLL_SECONDS = 1.0
LOST_SECONDS = 0.1
MOST_PORT = 65535
_ADDRESS = re.compile(r"(tcp|tls)://([^\s:/\[\]]+|\[[0-9a-fA-F:]+\]):(?P<port>\d{1,5})")


@dataclass(frozen=True)
class Failed:
    """What comes of a job that gave no result: its worker died too often, or it raised."""

    message: str


class OtherVersion(Exception):
    """A worker that joined later differs; raised there, before it has done anything."""


def dask_setup(worker: Any) -> None:
    """Let a local worker live through Ctrl-C, which the terminal sends to every process.

    The main process decides what happens then. (Dask calls this in each new worker.)
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def default_workers() -> int:
    """Return the number of cores, or fewer where the memory does not last for them."""
    _need_distributed()
    from dask.system import CPU_COUNT
    from distributed.system import MEMORY_LIMIT

    return int(max(1, min(CPU_COUNT, MEMORY_LIMIT // BYTES_PER_WORKER)))


class Workers(Protocol[TakenJob, GivenResult]):
    """The pool that runs jobs."""

    @property
    def remote(self) -> bool:
        """Whether they are on other machines, with their own databases."""

    @property
    def capacity(self) -> int:
        """How many jobs run at once."""

    def submit(self, number: int, job: TakenJob) -> None:
        """Start a job; its result comes out of `next` under this number."""

    def next(self) -> tuple[int, GivenResult | Failed]:
        """Wait for the next result, whichever job is first."""


class Pool(Generic[Job, Result]):
    """Workers that do jobs.

    Args:
        work: does one job. A function of the package, which the workers import; or of the script
            that runs, which travels with the job.
        workers: how many processes to start here; None for `default_workers`.
        cluster: the address of a running scheduler instead, `tcp://HOST:PORT`.

    Raises:
        ToolMissing: `distributed` is not installed.
        UsageError: the cluster does not answer, or its workers have another aesforge.
    """

    def __init__(
        self,
        work: Callable[[Job], Result],
        *,
        workers: int | None = None,
        cluster: str | None = None,
    ) -> None:
        _need_distributed()
        self._work = work
        self._done: queue.SimpleQueue[tuple[int, Future[Any]]] = queue.SimpleQueue()
        self._running: dict[int, Future[Any]] = {}
        self._own: LocalCluster | None = None
        self._exit = contextlib.ExitStack()
        try:
            if cluster is None:
                with signals.held():  # half a cluster could not be closed
                    self._client = self._start(workers)
            else:
                self._client = self._connect(cluster)
        except BaseException:
            self.close(at_once=True)
            raise
        self._remote = cluster is not None

    def _start(self, workers: int | None) -> Client:
        import dask
        from distributed import Client, LocalCluster

        folder = self._exit.enter_context(
            tempfile.TemporaryDirectory(prefix="aesforge-", ignore_cleanup_errors=True)
        )
        self._exit.enter_context(
            dask.config.set({"distributed.scheduler.allowed-failures": DEATHS_ALLOWED - 1})
        )
        # For good: `silence_logs` ends with the cluster, and connections lost then would be told.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._own = LocalCluster(
            n_workers=workers or default_workers(),
            threads_per_worker=1,
            processes=True,
            # An answering machine for statistics, which cannot be left out: on a free port.
            dashboard_address="127.0.0.1:0",
            local_directory=folder,
            # Killed workers and tools leave their temporary files, which go with the folder.
            env={"TMPDIR": folder},
            # The tools are processes of their own, which Dask's limit would not see.
            memory_limit=None,
            silence_logs=logging.CRITICAL,
            preload=__name__,
        )
        return Client(self._own)

    def _connect(self, cluster: str) -> Client:
        from distributed import Client

        # Dask would find out too late, and its half-made client prints a traceback at the end.
        if not (found := _ADDRESS.fullmatch(cluster)) or int(found["port"]) > MOST_PORT:
            raise UsageError(
                f"--cluster {cluster}: it is no address of a scheduler; write it as "
                "tcp://HOST:PORT, such as tcp://10.0.0.5:8786"
            )
        try:
            client = Client(cluster, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise UsageError(
                f"--cluster {cluster}: no scheduler answers there ({_first_line(error)}); start "
                "one with `dask scheduler`, or leave --cluster out to work on this machine"
            ) from None
        self._exit.callback(client.close, timeout=2)
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise UsageError(
                f"--cluster {cluster}: the scheduler has no workers; start some with "
                f"`dask worker {cluster} --nthreads 1`"
            )
        _refuse_other_versions(client, cluster)
        return client

    @property
    def remote(self) -> bool:
        """Whether the workers are in a cluster, with their own databases."""
        return self._remote

    @property
    def capacity(self) -> int:
        """How many jobs run at once; a cluster's may change."""
        info = self._client.scheduler_info(n_workers=-1)["workers"]
        return max(1, sum(int(worker["nthreads"]) for worker in info.values()))

    def submit(self, number: int, job: Job) -> None:
        """Start a job; its result comes out of `next` under this number."""
        # Workers of a cluster may join at any time; this machine's have the same files.
        expected = identity() if self._remote else None
        future = self._client.submit(_do, self._work, job, expected, pure=False)
        self._running[number] = future
        future.add_done_callback(lambda done: self._done.put((number, done)))

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Result | Failed]]:
        """Do jobs, and yield each with its result, in the order of finishing.

        Raises:
            UsageError: a worker that joined later has another aesforge.
            AesforgeError: the cluster is lost.
        """
        numbers = iter(range(len(jobs)))
        while True:
            # No more than can run: a worker that joins takes what is left.
            while (
                len(self._running) < self.capacity and (number := next(numbers, None)) is not None
            ):
                self.submit(number, jobs[number])
            if not self._running:
                return
            done, result = self.next()
            yield jobs[done], result

    def next(self) -> tuple[int, Result | Failed]:
        """Wait for the next result, whichever job is first.

        Raises:
            UsageError: a worker that joined later has another aesforge.
            AesforgeError: the cluster is lost.
        """
        waited = 0.0
        while True:
            try:
                number, future = self._done.get(timeout=POLL_SECONDS)
            except queue.Empty:
                waited = 0.0 if self._has_workers() else waited + POLL_SECONDS
                if waited >= PATIENCE_SECONDS:
                    raise AesforgeError(
                        "the cluster is lost: it has had no worker for "
                        f"{PATIENCE_SECONDS:.0f} s; what is done is kept"
                    ) from None
                continue
            if future.status == "lost":
                # It went with its worker before it was fetched, and is made again by another.
                time.sleep(LOST_SECONDS)
                self._done.put((number, future))
                continue
            del self._running[number]
            return number, self._result(future)

    def _has_workers(self) -> bool:
        return self._client.status == "running" and bool(
            self._client.scheduler_info(n_workers=-1)["workers"]
        )

    def _result(self, future: Future[Any]) -> Result | Failed:
        from distributed.scheduler import KilledWorker

        try:
            result: Result = future.result()
        except CancelledError:
            raise AesforgeError(
                "the connection to the cluster is lost; what is done is kept"
            ) from None
        except KilledWorker:
            return Failed(
                f"its worker died {DEATHS_ALLOWED} times, perhaps for lack of memory; "
                "with fewer workers each has more"
            )
        except OtherVersion as error:
            raise UsageError(
                f"a worker that joined the cluster differs ({error}); install the same there, or "
                "stop it; what is done is kept"
            ) from None
        except AesforgeError as error:
            return Failed(error.message)
        except Exception as error:
            return Failed(f"{type(error).__name__}: {error}")
        return result

    def close(self, *, at_once: bool = False) -> None:
        """Stop the workers.

        Args:
            at_once: do not wait for jobs that are running.
        """
        with contextlib.suppress(Exception):
            if self._running:
                self._client.cancel(list(self._running.values()))
        if self._own is not None:
            if at_once or self._running:
                _kill_workers(self._own)
            with contextlib.suppress(Exception):
                self._client.close(timeout=2)
            with contextlib.suppress(Exception):
                self._own.close(timeout=10)
        with contextlib.suppress(Exception):
            self._exit.close()

    def __enter__(self) -> Pool[Job, Result]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # A second interrupt must not leave processes.
        with signals.ignored():
            self.close(at_once=error is not None)


def _kill_workers(cluster: LocalCluster) -> None:
    """Kill workers and the tools they run; asked politely, they would finish their job first."""
    import psutil

    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        # None between a worker's death and its successor, which psutil takes for this process.
        if nanny.pid is None:
            continue
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(nanny.pid)
            for child in (*process.children(recursive=True), process):
                with contextlib.suppress(psutil.Error):
                    child.kill()


def _do(work: Callable[[Job], Result], job: Job, expected: Mapping[str, str] | None) -> Result:
    """Do a job, on a worker that has what the client expects."""
    if expected is not None and (found := ", ".join(differences(identity(), expected))):
        raise OtherVersion(found)
    return work(job)


def _refuse_other_versions(client: Client, cluster: str) -> None:
    """Refuse a cluster whose workers would give results of another version."""
    try:
        found = client.run(identity, on_error="return")
    except Exception as error:
        raise UsageError(f"--cluster {cluster}: {_first_line(error)}") from None
    mine = identity()
    for address, theirs in found.items():
        if isinstance(theirs, BaseException):
            raise UsageError(
                f"--cluster {cluster}: the worker {address} cannot use aesforge "
                f"({_first_line(theirs)}); install aesforge {__version__} in its environment"
            )
        if found_there := ", ".join(differences(theirs, mine)):
            raise UsageError(
                f"--cluster {cluster}: the worker {address} differs: {found_there}; "
                "install the same"
            )


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _need_distributed() -> None:
    import importlib.util

    if importlib.util.find_spec("distributed") is None:
        raise ToolMissing(
            "jobs in parallel need the package distributed; install it with "
            f"`{install.extra_command('measure')}`"
        )

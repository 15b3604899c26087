# SPDX-License-Identifier: Apache-2.0
"""Do jobs in parallel with `dask.distributed`: on this machine's cores, or on a cluster.

There is one scheduler for both, so that both survive a worker's death in the same way: the job is
given to another worker, and only a job that kills several in a row has failed.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import re
import signal
import tempfile
import time
from concurrent.futures import CancelledError
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from aesforge import __version__
from aesforge.errors import AesforgeError, ToolMissing, UsageError
from aesforge.explore.jobs import Job, Outcome, Work
from aesforge.toolchain import install, signals

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

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


class Workers(Protocol):
    """The pool that runs jobs."""

    @property
    def remote(self) -> bool:
        """Whether they are on other machines, with their own databases."""

    @property
    def capacity(self) -> int:
        """How many jobs run at once."""

    def submit(self, number: int, job: Job) -> None:
        """Start a job; its outcome comes out of `next` under this number."""

    def next(self) -> tuple[int, Outcome]:
        """Wait for the next outcome, whichever job is first."""


class Pool:
    """Workers that do jobs.

    Args:
        work: does one job; importable on the workers.
        workers: how many processes to start here; None for `default_workers`.
        cluster: the address of a running scheduler instead, `tcp://HOST:PORT`.

    Raises:
        ToolMissing: `distributed` is not installed.
        UsageError: the cluster does not answer, or its workers have another aesforge.
    """

    def __init__(
        self, work: Work, *, workers: int | None = None, cluster: str | None = None
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
        """Start a job; its outcome comes out of `next` under this number."""
        future = self._client.submit(self._work, job, pure=False)
        self._running[number] = future
        future.add_done_callback(lambda done: self._done.put((number, done)))

    def next(self) -> tuple[int, Outcome]:
        """Wait for the next outcome, whichever job is first.

        Raises:
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
                        f"{PATIENCE_SECONDS:.0f} s; what is done is in the database"
                    ) from None
                continue
            if future.status == "lost":
                # It went with its worker before it was fetched, and is made again by another.
                time.sleep(LOST_SECONDS)
                self._done.put((number, future))
                continue
            del self._running[number]
            return number, self._outcome(future)

    def _has_workers(self) -> bool:
        return self._client.status == "running" and bool(
            self._client.scheduler_info(n_workers=-1)["workers"]
        )

    def _outcome(self, future: Future[Any]) -> Outcome:
        from distributed.scheduler import KilledWorker

        try:
            outcome = future.result()
        except CancelledError:
            raise AesforgeError(
                "the connection to the cluster is lost; what is done is in the database"
            ) from None
        except KilledWorker:
            return Outcome(
                "failed",
                message=f"its worker died {DEATHS_ALLOWED} times, perhaps for lack of memory; "
                "with fewer --workers each has more",
            )
        except Exception as error:
            return Outcome("failed", message=f"{type(error).__name__}: {error}")
        if not isinstance(outcome, Outcome):
            raise TypeError(f"a worker gave {outcome!r}")
        return outcome

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

    def __enter__(self) -> Pool:
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


def identity() -> tuple[str, str]:
    """Return what has to be the same on all workers: aesforge's version and a hash of its RTL."""
    from aesforge.toolchain.rtl import hashed, rtl_dir

    return __version__, hashed(sorted(rtl_dir().rglob("*.sv"))).hexdigest()[:12]


def _refuse_other_versions(client: Client, cluster: str) -> None:
    """Refuse a cluster whose workers would measure a different version."""
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
        if tuple(theirs) != mine:
            raise UsageError(
                f"--cluster {cluster}: the worker {address} has aesforge {theirs[0]} with RTL "
                f"{theirs[1]}, and this one is {mine[0]} with RTL {mine[1]}; install the same"
            )


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _need_distributed() -> None:
    import importlib.util

    if importlib.util.find_spec("distributed") is None:
        raise ToolMissing(
            "exploring needs the package distributed; install all that measuring needs with "
            f"`{install.extra_command('measure')}`"
        )

# SPDX-License-Identifier: Apache-2.0
"""A Dask cluster for tests: a scheduler and workers on loopback, each a process."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

PATIENCE = 60.0


def wait_for(found: object, what: str) -> None:
    """Wait until a function gives something true."""
    assert callable(found)
    end = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < end, f"no {what} in {PATIENCE:.0f} s"
        time.sleep(0.05)


class Cluster:
    """A scheduler and workers of their own, each a process, as on several machines."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stack = contextlib.ExitStack()
        self.workers: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        self.scheduler = self._start(
            "dask_scheduler",
            *("--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
            *("--scheduler-file", str(file)),
        )
        # It is there before it is written.
        wait_for(lambda: file.exists() and file.read_text().endswith("}"), "scheduler")
        self.address = str(json.loads(file.read_text())["address"])

    def _start(
        self, module: str, *arguments: str, env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        log = self.stack.enter_context((self.folder / f"{module}.log").open("ab"))
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", *arguments],
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
            env={**os.environ, **(env or {})},
        )
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def add_worker(self, **env: str) -> None:
        """Start a worker without a nanny: when it is killed, it stays dead.

        Args:
            env: what its environment has in addition, such as another PYTHONPATH.
        """
        number = len(self.workers)
        self.workers.append(
            self._start(
                "dask_worker",
                self.address,
                *("--no-nanny", "--nthreads", "1", "--no-dashboard"),
                *("--host", "127.0.0.1", "--local-directory", str(self.folder / f"w{number}")),
                env=env,
            )
        )

    def wait_for_workers(self, count: int) -> None:
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=PATIENCE)

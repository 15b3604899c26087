# SPDX-License-Identifier: Apache-2.0
"""SIGTERM ends a verb as Ctrl-C does: one message, exit status 143, nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aesforge.cli.main import main
from aesforge.crypt import crypt_file
from aesforge.design import load
from aesforge.toolchain import signals

KEY = "000102030405060708090a0b0c0d0e0f"
PATIENCE = 120.0


def wait_for(condition: Callable[[], bool], what: str, process: Any = None) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"no {what} in {PATIENCE:.0f} s"
        assert process is None or process.poll() is None, f"it ended before {what}"
        time.sleep(0.02)


def alive(group: int) -> bool:
    """Whether a process of a group still runs."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


class Verb:
    """A verb in a process group and a folder of its own; its temporary files have a folder too."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.log = folder / "stderr"
        with self.log.open("wb") as handle:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "aesforge", *arguments],
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=handle,
                start_new_session=True,
                env={
                    **os.environ,
                    "TMPDIR": str(self.temporary),
                    "AESFORGE_DATABASE": str(folder / "measurements.sqlite"),
                },
            )

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        wait_for(condition, what, self.process)

    def end(self) -> str:
        """Send SIGTERM to the verb alone, and return the last line it said."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 143, self.said()
        wait_for(lambda: not alive(self.process.pid), "end of all its processes")
        # The tracker of Python's semaphores tells of what is left when all are gone.
        assert "leaked" not in self.said()
        assert "Traceback" not in self.said()
        # Dask makes a folder for its locks, which it keeps.
        left = {path.name for path in self.temporary.iterdir()} - {"dask-scratch-space"}
        assert left == set()
        return self.said().splitlines()[-1]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Verb]]:
    started: list[Verb] = []

    def start(*arguments: str) -> Verb:
        started.append(Verb(tmp_path, *arguments))
        return started[-1]

    yield start
    for verb in started:
        if verb.process.poll() is None:
            os.killpg(verb.process.pid, signal.SIGKILL)
            verb.process.wait()


def test_crypt_leaves_no_plaintext(start: Callable[..., Verb], tmp_path: Path) -> None:
    """The input is a pipe that stays open, so that the output is half written for sure."""
    (tmp_path / "one").write_bytes(bytes(16))
    design = load("compact")
    key = bytes.fromhex(KEY)
    crypt_file(design, tmp_path / "one", tmp_path / "x", mode="ecb", key=key)  # compiles the model
    source = tmp_path / "ciphertext"
    os.mkfifo(source)
    verb = start(
        *("crypt", "compact", "ciphertext", "plaintext", "--mode", "ctr", "--decrypt"),
        *("--key", KEY, "--iv", "00" * 16),
    )
    with source.open("wb") as pipe:
        # The pipe takes less than all of it until the first chunk is through.
        feeder = threading.Thread(target=_write, args=(pipe.fileno(), bytes(5 << 19)), daemon=True)
        feeder.start()

        def half_written() -> bool:
            return any(path.stat().st_size for path in tmp_path.glob(".aesforge-*.part"))

        verb.wait_for(half_written, "output")
        feeder.join(PATIENCE)
        assert verb.end() == "aesforge: terminated"
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"one", "x", "ciphertext", "stderr", "tmp"}


def _write(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def test_measure_ends_its_tools(start: Callable[..., Verb]) -> None:
    verb = start("measure", "compact", "--device", "HX8K", "--seeds", "2", "--jobs", "2", "--force")
    verb.wait_for(lambda: "placement and routing" in verb.said(), "placement")
    assert verb.end() == "aesforge: terminated", verb.said()


@pytest.mark.parametrize("seconds", [0.0, 3.0])
def test_explore_ends_its_workers(start: Callable[..., Verb], seconds: float) -> None:
    """Both while the workers start, and while they work."""
    verb = start("explore", "quick", "--workers", "2")
    verb.wait_for(lambda: any(verb.temporary.iterdir()), "folder of its workers")
    time.sleep(seconds)
    last = verb.end()
    assert re.match(r"aesforge: terminated: \d of 16 points are done", last)
    assert last.endswith("the same command continues from there")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("verb", ["check", "build"])
def test_every_verb_has_one_message(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals, verb: str
) -> None:
    before = signal.signal(number, signal.SIG_DFL)
    cleaned = []

    def work(*_: Any, **__: Any) -> None:
        try:
            os.kill(os.getpid(), number)
            time.sleep(10)
        finally:
            os.kill(os.getpid(), number)  # a second one must not disturb
            cleaned.append(True)

    monkeypatch.setattr("aesforge.check.core.check", work)
    monkeypatch.setattr("aesforge.bundle.build", work)
    arguments = [verb, "compact", *(("-o", "out") if verb == "build" else ())]
    try:
        done = CliRunner().invoke(main, arguments)
        assert signal.getsignal(number) is signal.SIG_DFL, "the handler of before is back"
    finally:
        signal.signal(number, before)
    assert done.exit_code == 128 + number
    assert done.stderr == "aesforge: terminated\n"
    assert cleaned == [True]


def test_what_the_caller_ignores_stays_ignored() -> None:
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals.as_interrupts():
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(0.01)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_held_signal_comes_afterwards() -> None:
    done = []
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def work() -> None:
        with signals.as_interrupts(), signals.held():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.01)
            done.append(True)

    try:
        with pytest.raises(signals.Terminated):
            work()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert done == [True]


def test_a_fork_dies_of_the_signal_and_cleans_up_nothing() -> None:
    program = (
        "import os, signal, time\n"
        "from aesforge.toolchain import signals\n"
        "with signals.as_interrupts():\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        try:\n"
        "            time.sleep(60)\n"
        "        finally:\n"
        "            print('cleaned', flush=True)\n"
        "    time.sleep(0.3)\n"
        "    os.kill(child, signal.SIGTERM)\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{-signal.SIGTERM}\n"

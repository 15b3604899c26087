# SPDX-License-Identifier: Apache-2.0
"""A compiled model in a child process: its start and end, and bytes to and from it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from aesforge.errors import AesforgeError, CheckFailed


class ModelProcess:
    """The process of a model.

    Args:
        name: name of the simulated design, for messages.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._process: subprocess.Popen[bytes] | None = None

    def _start(self, program: Path, seed: int, **environment: str) -> None:
        # Not a pipe: nobody reads it while a batch runs.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [str(program), str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,
            env={**os.environ, **environment},
            # An interrupt from the keyboard is for Python, which then ends this process.
            start_new_session=True,
        )
        self._widen_pipes()

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; whatever is in flight is lost."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.wait()
            self._stderr.close()

    def _widen_pipes(self) -> None:
        """Ask for big pipe buffers: fewer switches between the two processes. A wish only."""
        assert self._process is not None
        try:
            import fcntl

            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 1 << 20)
        except (ImportError, AttributeError, OSError):
            pass

    def _refuse_protocol(self, program: Path) -> AesforgeError:
        """Close the process, and give the error of a model of another version."""
        self.close()
        return AesforgeError(
            f"the compiled model {program} does not speak this version's protocol; "
            "delete that file's folder and try again"
        )

    def _write(self, data: bytes | memoryview) -> None:
        if self._process is None or self._process.stdin is None:
            raise AesforgeError("the simulator is closed: use it inside its `with` statement")
        view = memoryview(data)
        try:
            while len(view):
                view = view[self._process.stdin.write(view) or 0 :]
        except BrokenPipeError:
            raise self._dead("stopped reading") from None

    def _read(self, size: int) -> bytearray:
        assert self._process is not None
        assert self._process.stdout is not None
        data = bytearray(size)
        view = memoryview(data)
        while len(view):
            got = self._process.stdout.readinto(view)  # type: ignore[attr-defined]
            if not got:
                raise self._dead("ended in the middle of a run")
            view = view[got:]
        return data

    def _dead(self, how: str) -> AesforgeError:
        """Close the process, and return the error with the reason of its failure."""
        process = self._process
        assert process is not None
        try:
            code = process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            code = 0
        self._stderr.seek(0)
        text = self._stderr.read().decode(errors="replace").strip().splitlines()
        self.close()
        reason = f", {'signal' if code < 0 else 'exit status'} {abs(code)}" if code else ""
        tail = "".join(f"\n  {line}" for line in text[-8:])
        return CheckFailed(f"the simulation of '{self._name}' {how}{reason}{tail}")

# SPDX-License-Identifier: Apache-2.0
"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from aesforge.errors import UsageError
from aesforge.toolchain.files import (
    new_file,
    require_writable,
    write_all,
    write_folder,
    write_whole,
)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"before")
    target.chmod(0o640)
    with new_file(target) as sink:
        write_all(sink, b"after")
        assert target.read_bytes() == b"before"
    assert target.read_bytes() == b"after"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert names(tmp_path) == {"out"}


@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt()])
def test_an_error_leaves_what_was_there(tmp_path: Path, error: BaseException) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"before")

    def write() -> None:
        with new_file(target) as sink:
            write_all(sink, b"half")
            raise error

    with pytest.raises(type(error)):
        write()
    assert target.read_bytes() == b"before"
    assert names(tmp_path) == {"out"}


def test_short_writes_are_continued(tmp_path: Path) -> None:
    class Slow:
        def __init__(self) -> None:
            self.got = b""

        def write(self, data: memoryview) -> int:
            self.got += data[:3]
            return min(3, len(data))

    slow = Slow()
    write_all(slow, b"eight bytes, and more")  # type: ignore[arg-type]
    assert slow.got == b"eight bytes, and more"


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_whole(tmp_path / "out", "text\n")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "out")}
    assert len(modes) == 1
    assert (tmp_path / "out").read_bytes() == b"text\n"


def test_a_link_stays(tmp_path: Path) -> None:
    (tmp_path / "real").touch()
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", b"content")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"content"


def test_a_pipe_is_written_to() -> None:
    code = (
        "from pathlib import Path; from aesforge.toolchain.files import write_whole; "
        "write_whole(Path('/dev/stdout'), 'through')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env=os.environ
    )
    assert done.stdout == b"through"


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    for path, words in (
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "file", "there is no folder"),
    ):
        with pytest.raises(UsageError, match=words):
            require_writable(path)
    with pytest.raises(UsageError, match=r"cannot write '.*no/file'"):
        write_whole(tmp_path / "no" / "file", "")
    assert names(tmp_path) == set()


def test_a_folder_is_replaced_file_by_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_folder(out, {"a": "1\n", "sub/b": "2\n"})
    (out / "other").write_text("3\n")
    write_folder(out, {"a": "4\n"})
    found = {p.relative_to(out).as_posix(): p.read_text() for p in out.rglob("*") if p.is_file()}
    assert found == {"a": "4\n", "sub/b": "2\n", "other": "3\n"}
    assert names(tmp_path) == {"out"}


def test_a_folder_that_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(OSError, match="exists"):
        write_folder(out, {"a": "1\n", "a/b": "2\n"})
    assert names(tmp_path) == set()

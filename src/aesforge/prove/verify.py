# SPDX-License-Identifier: Apache-2.0
"""Run the proof of a certificate again."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from aesforge.design import load_choices
from aesforge.design.engine import load_engine_choices
from aesforge.errors import CheckFailed, UsageError
from aesforge.prove.certificate import FORMAT, Proof, read
from aesforge.prove.run import prove
from aesforge.prove.steps import Say
from aesforge.prove.streams import prove_stream


def verify(path: Path, *, say: Say = lambda _: None) -> Proof:
    """Run the proof of a certificate again.

    Raises:
        CheckFailed: the core or the specification is not the one of the certificate, or the proof
            does not come out.
        UsageError: the file is no certificate, or does not say that anything was proved.
    """
    old = read(path)
    if old.result != "proved":
        raise UsageError(f"'{path}' does not say that anything was proved: {old.result}")
    choices = {name: value for name, value in old.design.items() if value is not None}
    # From the sources on: a cache that someone else filled proves nothing.
    with tempfile.TemporaryDirectory() as folder, _environment("AESFORGE_CACHE", folder):
        if "modes" in choices:
            engine = load_engine_choices(str(path), choices)
            new = prove_stream(engine, route=old.route, changes=old.changes, say=say)
        else:
            new = prove(
                load_choices(str(path), choices),
                family=old.family,
                recipe=old.recipe,
                route=old.route,
                changes=old.changes,
                say=say,
            )
    for what in sorted({*old.hashes, *new.hashes}):
        if old.hashes.get(what) != new.hashes.get(what):
            raise CheckFailed(
                f"'{path}' is about another {what}: sha256 {old.hashes.get(what)}, here it is "
                f"{new.hashes.get(what)}. What was proved for the one says nothing of the other"
            )
    if new.claim != old.claim:
        raise CheckFailed(f"'{path}' claims something else than this version proves: {old.claim}")
    if old.format == FORMAT:
        for what in ("assumptions", "not_covered"):
            ids = [[one["id"] for one in getattr(proof, what)] for proof in (old, new)]
            if ids[0] != ids[1]:
                raise CheckFailed(
                    f"'{path}' has other {what} than this version: {', '.join(ids[0])}; here they "
                    f"are {', '.join(ids[1])}"
                )
    if new.result != "proved":
        raise CheckFailed(f"the repeated proof has another result: {new.result}, {new.reason}")
    return new


@contextlib.contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before

# SPDX-License-Identifier: Apache-2.0
"""Other open cores: the file of facts, its results, and what is refused before any measurement."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from aesforge.errors import UsageError
from aesforge.measure.target import HANDSHAKE, ROLES
from project import REPO

sys.path.insert(0, str(REPO / "scripts"))
import bench_peers


def test_the_facts_are_whole() -> None:
    bench = bench_peers.bench()
    assert len({peer.name for peer in bench.peer}) == len(bench.peer) >= 5
    for peer in bench.peer:
        assert re.fullmatch(r"[0-9a-f]{40}", peer.commit), peer.name
        assert set(peer.ports) <= {*ROLES, *HANDSHAKE}, peer.name
        assert {"clock", "block", "key", "result"} <= set(peer.ports), peer.name
        assert peer.lacks, peer.name
        assert peer.licence, peer.name


def test_results_are_of_the_commits_that_the_facts_name() -> None:
    peers = {peer.name: peer for peer in bench_peers.bench().peer}
    for name, result in bench_peers.results().items():
        assert result.commit == peers[name].commit
        assert result.blocks == {128: 678, 192: 810, 256: 920}[peers[name].key_bits]
        assert result.best.subject.blocks_per_cycle == pytest.approx(1 / peers[name].interval)


def test_another_commit_is_refused(tmp_path: Path) -> None:
    peer = bench_peers.bench().peer[0]
    with pytest.raises(UsageError, match=rf"{peer.repository} at commit {peer.commit[:12]}"):
        peer.target(tmp_path)
    git = ("git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@x")
    subprocess.run((*git, "init", "-q"), check=True)
    subprocess.run((*git, "commit", "-q", "--allow-empty", "-m", "other"), check=True)
    with pytest.raises(UsageError, match=f"git checkout {peer.commit}"):
        peer.target(tmp_path)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ((), "the following arguments are required: dir"),
        ((".", "no-such"), "no such core: no-such"),
        ((str(REPO / "bench"),), "holds none of tiny_aes, tinyAES"),
        ((str(REPO / "bench"), "tiny_aes"), "holds none of tiny_aes\n"),
    ],
)
def test_bad_arguments(argv: tuple[str, ...], words: str) -> None:
    script = REPO / "scripts" / "bench_peers.py"
    done = subprocess.run([sys.executable, script, *argv], capture_output=True, text=True)
    assert done.returncode == 2
    assert words in done.stderr

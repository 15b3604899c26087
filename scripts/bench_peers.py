# SPDX-License-Identifier: Apache-2.0
"""Measure other open cores: those of bench/peers.toml that are checked out under a folder.

    python scripts/bench_peers.py DIR [NAME ...] [--force]

Each gets the published vectors in simulation first; one that fails is not measured. Then it is
measured by every recipe of the family, and the best is placed with all seeds. Results go to
bench/results/peers.json. Exit status 1 when a core failed.
"""

from __future__ import annotations

import argparse
import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
from bench_cores import BENCH, RESULTS

from aesforge.devices import Record, device
from aesforge.errors import AesforgeError, UsageError
from aesforge.measure import SEEDS, Database, Measurement, Target
from aesforge.measure.recipes import by_every_recipe
from aesforge.measure.vectors import check_vectors
from aesforge.toolchain.files import write_whole

FILE = RESULTS / "peers.json"
DEVICE = "LFE5U-85F-8"


class Peer(Record, frozen=True, kw_only=True):
    """A core of somebody else.

    Args:
        name: of its folder and its result.
        repository: where it is from.
        commit: that is measured.
        licence: what its sources say.
        files: of it, in the order in which they must be read.
        top: the module.
        ports: port by role, as `aesforge measure --ports` takes them.
        drive: inputs of the simulated core, as `--drive`.
        key_bits: of the vectors.
        latency: cycles.
        interval: cycles from block to block under one key.
        keys: what it does: keys and directions.
        lacks: what a user of ours would miss.
    """

    name: str
    repository: str
    commit: str
    licence: str
    files: list[str]
    top: str
    ports: dict[str, str]
    drive: dict[str, int] = msgspec.field(default_factory=dict)
    key_bits: int
    latency: int
    interval: float
    keys: str
    lacks: str

    def target(self, folder: Path) -> Target:
        """Return what is measured.

        Args:
            folder: that the core is checked out in.

        Raises:
            UsageError: it is not there, or another commit.
        """
        done = subprocess.run(
            ["git", "-C", str(folder), "rev-parse", "HEAD"], capture_output=True, text=True
        )
        if done.returncode or done.stdout.strip() != self.commit:
            raise UsageError(
                f"'{folder}' must hold {self.repository} at commit {self.commit[:12]}: "
                f"git checkout {self.commit}"
            )
        named = tuple(Path(self.name) / name for name in self.files)
        target = Target.of_rtl(
            tuple(folder / name for name in self.files),
            self.top,
            self.ports,
            latency_cycles=self.latency,
            blocks_per_cycle=1 / self.interval,
        )
        words = [word for path in named for word in ("--rtl", str(path))]
        at = target.command.index("--top")
        return dataclasses.replace(target, name=self.name, command=(*words, *target.command[at:]))


class Unmeasured(Record, frozen=True, kw_only=True):
    """A core that is not measured, and why."""

    repository: str
    why: str


class Bench(Record, frozen=True, kw_only=True):
    """The file bench/peers.toml."""

    ours: list[str]
    peer: list[Peer]
    unmeasured: list[Unmeasured]


class Result(Record, frozen=True, kw_only=True):
    """What came of a core.

    Args:
        commit: of the core.
        blocks: of the published vectors that it had right, which is all that there are.
        best: the measurement by its best recipe, of all seeds.
        others: by the other recipes, of the first seed.
        failed: recipe to why there is no measurement.
    """

    commit: str
    blocks: int
    best: Measurement
    others: list[Measurement]
    failed: dict[str, str]


def bench() -> Bench:
    """Read what is to be measured."""
    return msgspec.toml.decode((BENCH / "peers.toml").read_bytes(), type=Bench)


def results() -> dict[str, Result]:
    """Read what was measured."""
    if not FILE.exists():
        return {}
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, Result])


def measure(peer: Peer, folder: Path, **common: Any) -> Result:
    """Check and measure a core.

    Raises:
        AesforgeError: it is not there, a vector is wrong, or no recipe comes to an end.
    """
    target, where = peer.target(folder), device(DEVICE)
    checked = check_vectors(target, where, peer.key_bits, peer.drive)
    print(f"  {checked.blocks:,} blocks of the published vectors are right", flush=True)
    (best, *others), failed = by_every_recipe(target, where, seeds=SEEDS, **common)
    return Result(
        commit=peer.commit, blocks=checked.blocks, best=best, others=others, failed=failed
    )


def main() -> int:
    """Measure, write, and give the exit status."""
    peers = {peer.name: peer for peer in bench().peer}
    parser = argparse.ArgumentParser(description="Measure the cores of bench/peers.toml.")
    parser.add_argument("dir", type=Path, help="where they are checked out, each by its name")
    parser.add_argument("names", nargs="*", help="only these")
    parser.add_argument("--force", action="store_true", help="measure again what is known")
    given = parser.parse_args()
    if missing := set(given.names) - peers.keys():
        parser.error(f"no such core: {', '.join(sorted(missing))}")
    here = [name for name in given.names or peers if (given.dir / name).is_dir()]
    if not here:
        parser.error(f"'{given.dir}' holds none of {', '.join(given.names or peers)}")
    good = True
    for name in here:
        print(f"{name} on {DEVICE}", flush=True)
        try:
            result = measure(
                peers[name],
                given.dir / name,
                database=Database(),
                force=given.force,
                say=lambda text: print(f"  {text}", file=sys.stderr, flush=True),
            )
        except AesforgeError as error:
            print(f"  FAILED: {error.message}", flush=True)
            good = False
            continue
        known = results() | {name: result}
        data = msgspec.json.encode(dict(sorted(known.items())))
        write_whole(FILE, msgspec.json.format(data, indent=1) + b"\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Proofs and mutants of a campaign, one by one: run, printed, and recorded in one JSON file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aesforge.errors import AesforgeError
from aesforge.toolchain import programs
from aesforge.toolchain.files import write_whole

RESULTS = Path(__file__).resolve().parent.parent / "bench" / "results" / "proof"
Record = dict[str, Any]


@dataclass(frozen=True)
class Campaign:
    """What is proved and what is refuted.

    Args:
        description: for `--help`.
        output: the file of the records.
        key: of the name in the record of a proof; in that of a mutant it is `mutant`.
        proofs: names, in the order of the records.
        mutants: names, likewise.
        prove: proves one and returns its record.
        refute: refutes one and returns its record.
        sources: of a kind, `proofs` or `mutants`, and a name: the hash that a record of it has.
        about: what a mutant's name is searched with, besides itself.
    """

    description: str
    output: Path
    key: str
    proofs: tuple[str, ...]
    mutants: tuple[str, ...]
    prove: Callable[[str], Record]
    refute: Callable[[str], Record]
    sources: Callable[[str, str], str]
    about: Callable[[str], str] = lambda _: ""

    def write(self, kind: str, name: str, record: Record) -> None:
        """Record a result in place of an earlier one of the same name."""
        said = recorded(self.output)
        key, order = ("mutant", self.mutants) if kind == "mutants" else (self.key, self.proofs)
        kept = {one[key]: one for one in said[kind]} | {name: record}
        said[kind] = [kept[name] for name in order if name in kept]
        said["versions"] = {name: programs.version(name) for name in ("yosys", "abc")}
        write_whole(self.output, json.dumps(said, indent=1) + "\n")

    def is_recorded(self, kind: str, name: str) -> bool:
        """Return whether there is a record of these very sources."""
        key = "mutant" if kind == "mutants" else self.key
        there = (one for one in recorded(self.output)[kind] if one[key] == name)
        return any(one["sources"] == self.sources(kind, name) for one in there)

    def main(self) -> int:
        """Prove and refute; return the exit status."""
        parser = argparse.ArgumentParser(description=self.description)
        parser.add_argument(
            "words", nargs="*", metavar="WORD", help="only names that have all of them"
        )
        parser.add_argument("--only", choices=("proofs", "mutants"), help="leave the others out")
        parser.add_argument("--write", action="store_true", help=f"record it in {self.output.name}")
        parser.add_argument(
            "--changed", action="store_true", help="only what has no record of today's sources"
        )
        given = parser.parse_args()
        wrong = 0
        for kind, names, run, wanted in (
            ("proofs", self.proofs, self.prove, "proved"),
            ("mutants", self.mutants, self.refute, "refuted"),
        ):
            for name in names:
                about = f"{name} {self.about(name)}"
                if given.only not in (None, kind) or not all(word in about for word in given.words):
                    continue
                if given.changed and self.is_recorded(kind, name):
                    continue
                try:
                    record = run(name)
                except AesforgeError as error:
                    wrong += 1
                    print(f"{name}: {error.message}", flush=True)
                    continue
                wrong += record["result"] != wanted
                what = record.get("violated") or record.get("reason") or ""
                seconds = record["seconds"] if "seconds" in record else record["cpu_seconds"]
                print(f"{name}: {record['result']} ({seconds} s) {what}".strip(), flush=True)
                if given.write:
                    self.write(kind, name, record)
        return int(wrong > 0)


def recorded(output: Path) -> Record:
    """Return the records of earlier runs."""
    if output.exists():
        found: Record = json.loads(output.read_text(encoding="utf-8"))
        return found
    return {"proofs": [], "mutants": []}

# SPDX-License-Identifier: Apache-2.0
"""Prove every preset with every key size: its RTL, its ECP5 netlist, and some of other families.

    python scripts/prove_all.py [--jobs N | --cluster tcp://HOST:PORT] [--timeout S]
                                [--route abc] [--output FILE] [WORD ...]

Each proof runs in a process of its own, here or on a Dask cluster; its result is written at once,
so that an interrupted run goes on where it stopped. A recorded proof is run again only when the
elaborated circuit, the specification, the family's data or the claims have changed: comments,
unused code and names of nets do not count. With WORDs, only the proofs whose `design AES-bits
family` holds all of them. Failures are kept in the file, and are tried again with `--again`. A run
that had all of them to do says how long it took in run.json beside the file. `--route abc` proves
some cores once more by ABC alone, into the same file, and fails where the two routes disagree.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from aesforge import __version__
from aesforge.crypt.keys import KEY_BITS
from aesforge.design import Design, load
from aesforge.design.presets import SUMMARIES
from aesforge.devices import families
from aesforge.errors import UsageError
from aesforge.jobs import Failed, script
from aesforge.prove.certificate import ABC, RECOGNIZE, ROUTES
from aesforge.prove.circuit import SPECIFICATION, formal_dir, structure_of
from aesforge.toolchain import programs, rtl
from aesforge.toolchain.files import write_whole

REPO = Path(__file__).resolve().parent.parent
OUTPUT = REPO / "bench" / "results" / "proof" / "all.json"

# `python -m aesforge` that ends with the worker that started it, however that dies.
PROVE = """
from aesforge.toolchain.programs import end_with_parent
end_with_parent()
from aesforge.__main__ import main
main(prog_name="aesforge")
"""

# Raised when `prove` claims more: 2 since *idle*, *ready* and the keys of other slots. A record
# without it is of version 1.
CLAIMS = 2

# What becomes of a preset that cannot have keys of a size.
NO_CORE = "no such core"

# In other families than ECP5, with 128-bit keys.
ELSEWHERE = {
    "ice40": ("compact", "compact-bram"),
    "nexus": ("compact", "compact-bram", "balanced"),
    "gowin": ("compact", "compact-bram", "balanced"),
    "gatemate": ("compact", "compact-bram", "balanced"),
    "xc7": ("compact", "compact-bram", "balanced", "line-rate", "liu2014-two-stage"),
}

# By ABC alone, with 128-bit keys: cores that end within minutes.
BY_ABC: dict[str | None, tuple[str, ...]] = {
    None: (
        "compact",
        "line-rate",
        "saggese2003-iterative",
        "saggese2003-unrolled-five-stage",
        "kiran-looped",
        "kiran-combined",
        "saggese2003-iterative-stored",
        "compact-bram",
        "rahman2010-composite",
        "liu2014-two-stage-decrypt",
    ),
    "ecp5": ("compact", "kiran-looped", "saggese2003-iterative", "line-rate"),
    "ice40": ("compact",),
}


@dataclass(frozen=True)
class Task:
    """One proof."""

    preset: str
    key_bits: int
    family: str | None
    route: str = RECOGNIZE

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        alone = " by ABC" if self.route == ABC else ""
        return f"{self.preset} AES-{self.key_bits} {self.family or 'RTL'}{alone}"

    def design(self) -> Design:
        """Return the design.

        Raises:
            UsageError: there is no such core.
        """
        return load(self.preset, self.overrides())

    def overrides(self) -> dict[str, Any]:
        """Return what differs from the preset; one that is changed needs a name of its own."""
        preset = load(self.preset)
        if preset.key_bits == self.key_bits:
            return {}
        return {"key_bits": self.key_bits, "name": f"aes-{self.key_bits}"}

    def sources(self) -> str:
        """Return a hash of what is proved: RTL, parameters, specification, synthesis. No comments.

        Raises:
            UsageError: there is no such core.
        """
        design = self.design()
        files = rtl.needed_by(design.top, scheme=design.research_scheme)
        digest = rtl.hashed_code([*files, formal_dir() / SPECIFICATION])
        digest.update(json.dumps(design.rtl_parameters()).encode())
        return self._with_synthesis(digest)

    def circuit(self) -> str:
        """Return a hash of the elaborated RTL, the specification and the synthesis.

        It stays the same where `sources` changes with code that this core does not hold.

        Raises:
            UsageError: there is no such core.
        """
        digest = rtl.hashed_code([formal_dir() / SPECIFICATION])
        digest.update(structure_of(self.design()).encode())
        return self._with_synthesis(digest)

    def _with_synthesis(self, digest: hashlib._Hash) -> str:
        if self.family is not None:
            data = families.family(self.family)
            recipe = data.recipe_named(None)
            inputs = (recipe.synthesis, recipe.alone, data.read_back, data.models)
            digest.update(json.dumps(inputs).encode())
            digest.update(rtl.hashed(families.MODELS / name for name in data.models).digest())
        return digest.hexdigest()

    def is_done(self, entry: dict[str, Any] | None, results: Collection[str] | None) -> bool:
        """Whether an entry of the file is about these very sources and claims.

        Args:
            entry: of the file; None where there is none.
            results: one of which it has; None for any.
        """
        if entry is None or "sources" not in entry:
            return False
        if entry["result"] == "proved" and claims_of(entry) != CLAIMS:
            return False
        try:
            same = entry["sources"] == self.sources()
        except UsageError:
            return False
        return same and (results is None or entry["result"] in results)


def refreshed(task: Task, entry: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the hash of today's sources if the circuit is still the one recorded."""
    try:
        if "circuit" in entry and entry["circuit"] == task.circuit():
            return {**entry, "sources": task.sources()}
    except UsageError:  # no such core any more
        pass
    return entry


def tasks(route: str = RECOGNIZE) -> list[Task]:
    """Return all proofs of a route: the quick ones first, RTL before netlists."""
    if route == ABC:
        return [Task(name, 128, family, ABC) for family in BY_ABC for name in BY_ABC[family]]
    own_size = [name for name in SUMMARIES if name.endswith(("-192", "-256"))]
    found = []
    for family in (None, "ecp5"):
        for bits in KEY_BITS:
            # A preset that stands for another with longer keys adds nothing of its own.
            found += [Task(name, bits, family) for name in SUMMARIES if name not in own_size]
    elsewhere = [Task(name, 128, family) for family in ELSEWHERE for name in ELSEWHERE[family]]
    standard = len(found) // 6
    return found[:standard] + elsewhere + found[standard:]


def about(task: Task) -> dict[str, Any]:
    """Return what says which proof an entry of the file is about."""
    return {
        "design": task.preset,
        "key_bits": task.key_bits,
        "family": task.family,
        "route": task.route,
    }


def run(task: Task, timeout: float) -> dict[str, Any]:
    """Run one proof in a process of its own, and give what is kept of it."""
    started = time.monotonic()
    kept = about(task)
    try:
        kept |= {"sources": task.sources(), "circuit": task.circuit()}
        kept |= {"summary": task.design().summary()}
    except UsageError as error:
        return {**kept, "result": NO_CORE, "reason": error.message.split("\n")[-1]}
    command = [sys.executable, "-c", PROVE, "prove", task.preset]
    command += ["--json", "--timeout", f"{timeout:g}", "--route", task.route]
    for name, value in task.overrides().items():
        command += ["--set", f"{name}={value}"]
    command += ["--family", task.family] if task.family else []
    stdout, stderr, cpu_seconds = _run(command)
    kept["seconds"] = round(time.monotonic() - started, 1)
    kept["cpu_seconds"] = round(cpu_seconds, 1)
    try:
        proof = json.loads(stdout)
    except ValueError:
        lines = [line for line in stderr.splitlines() if line.startswith("aesforge: ")]
        if not lines:
            return {**kept, "result": "not finished", "reason": f"it broke off: {stderr[-300:]}"}
        return {**kept, "result": "refused", "reason": lines[-1].removeprefix("aesforge: ")}
    steps = proof["steps"]
    return {
        **kept,
        "claims": CLAIMS,
        "result": proof["result"],
        "reason": proof["reason"].split("\n")[0],
        "cases": sum(step["cases"] for step in steps),
        "proofs": sum(step["proofs"] for step in steps),
        "sat_calls": sum(step["sat_calls"] for step in steps),
        "megabytes": round(max((step["megabytes"] for step in steps), default=0.0)),
        "hashes": proof["hashes"],
    }


def _run(command: list[str]) -> tuple[str, str, float]:
    """Run a command: its output, its messages, and the CPU seconds that it and its children took.

    These say more than the time on the clock, where other work runs beside it.
    """
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as messages:
        # Not `with`: only wait4() says what one child took, and it is also the one that waits.
        child = subprocess.Popen(command, stdout=output, stderr=messages)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        messages.seek(0)
        return output.read(), messages.read(), usage.ru_utime + usage.ru_stime


def main() -> int:
    """Run what is asked for and not there yet; 1 when something was neither proved nor refused."""
    parser = argparse.ArgumentParser(description="Prove every preset with every key size.")
    parser.add_argument("words", nargs="*", metavar="WORD")
    script.add_options(parser)
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds for one proof")
    parser.add_argument("--route", choices=ROUTES, default=RECOGNIZE)
    parser.add_argument("--again", action="store_true", help="try again what was not proved")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    arguments = parser.parse_args()
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    known: dict[str, dict[str, Any]] = {}
    if arguments.output.is_file():
        said = json.loads(arguments.output.read_text(encoding="utf-8"))
        known = {name_of(entry): entry for entry in said["proofs"]}
    every = [task for route in ROUTES for task in tasks(route)]
    of_route = tasks(arguments.route)
    wanted = [task for task in of_route if all(word in task.name for word in arguments.words)]
    unchanged = 0
    for task in wanted:
        if task.name in known and not task.is_done(known[task.name], None):
            entry = refreshed(task, known[task.name])
            unchanged += entry != known[task.name]
            known[task.name] = entry
    if unchanged:
        write(arguments.output, [known[t.name] for t in every if t.name in known])
        print(f"{unchanged} proofs stand: other sources, the same circuit", file=sys.stderr)
    settled = {"proved", "refused"} if arguments.again else None
    todo = [task for task in wanted if not task.is_done(known.get(task.name), settled)]
    began = time.monotonic()
    processors = 0
    if todo:
        with script.pool(partial(run, timeout=arguments.timeout), arguments) as pool:
            for task, result in pool.run(todo):
                processors = max(processors, pool.capacity)
                if isinstance(result, Failed):
                    # Without `sources`, so that the next run tries again.
                    entry = {**about(task), "seconds": 0.0, "cpu_seconds": 0.0}
                    entry |= {"result": "not finished", "reason": result.message}
                else:
                    entry = result
                known[task.name] = entry
                write(arguments.output, [known[t.name] for t in every if t.name in known])
                seconds = f"{entry.get('seconds', 0):7.1f} s"
                print(f"{entry['result']:12} {seconds} {task.name}", file=sys.stderr, flush=True)
    minutes = round((time.monotonic() - began) / 60)
    tried = sum(known[task.name]["result"] != NO_CORE for task in todo)
    print(f"{tried} proofs in {minutes} min", file=sys.stderr)
    if arguments.route == RECOGNIZE and len(todo) == len(of_route):
        took = {"proofs": tried, "minutes": minutes, "processors": processors}
        run_of(arguments.output).write_text(json.dumps(took, indent=1) + "\n", encoding="utf-8")
    failed = [
        task.name
        for task in of_route
        if task.name in known and known[task.name]["result"] in ("not proved", "not finished")
    ]
    for name in failed:
        print(f"{known[name]['result']}: {name}: {known[name]['reason']}", file=sys.stderr)
    apart = disagreements(list(known.values()))
    for name in apart:
        print(f"the routes disagree: {name}", file=sys.stderr)
    return 1 if failed or apart else 0


def claims_of(entry: dict[str, Any]) -> int:
    """Return the version of the claims that an entry of the file is about."""
    return int(entry.get("claims", 1))


def disagreements(proofs: list[dict[str, Any]]) -> list[str]:
    """Return the cores that one route proves and the other refutes.

    Both from the same sources and with the same claims.
    """
    found: dict[tuple[Any, ...], set[str]] = {}
    for entry in proofs:
        said = entry.get("sources"), claims_of(entry)
        core = entry["design"], entry["key_bits"], entry["family"], *said
        found.setdefault(core, set()).add(entry["result"])
    return [
        Task(*core[:3]).name
        for core, results in found.items()
        if {"proved", "not proved"} <= results
    ]


def run_of(output: Path) -> Path:
    """Return the file beside the proofs that records the time of a run of all of them."""
    return output.with_name("run.json")


def name_of(entry: dict[str, Any]) -> str:
    """Return the name of the proof that an entry of the file is about."""
    route = entry.get("route", RECOGNIZE)
    return Task(entry["design"], entry["key_bits"], entry["family"], route).name


def write(path: Path, proofs: list[dict[str, Any]]) -> None:
    """Write the file, whole or not at all."""
    versions = {
        "aesforge": __version__,
        "yosys": programs.version("yosys"),
        "abc": programs.version("abc"),
    }
    write_whole(path, json.dumps({"versions": versions, "proofs": proofs}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(script.status(main))

# SPDX-License-Identifier: Apache-2.0
"""Prove the modes of engines, and show that these proofs can fail.

    python scripts/prove_engines.py [--write] [--only proofs | mutants] [WORD ...]

Each engine that `aesforge prove` covers is proved. Then mutants of a small one are refuted: a
violation at its ports, from a reset on. --write records what was found in
bench/results/proof/engines.json, in place of the records of the same names. With WORDs, only what
has all of them in its name. Exit status 1 when an engine is not proved or a mutant is not refuted.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from aesforge.design import Engine, load_any
from aesforge.errors import AesforgeError
from aesforge.prove import streams
from aesforge.prove.mutation import Change
from aesforge.toolchain import programs, rtl
from aesforge.toolchain.files import write_whole

OUTPUT = Path(__file__).resolve().parent.parent / "bench" / "results" / "proof" / "engines.json"
ENGINES = (
    *("ctr-stream", "ecb-stream", "cfb-decrypt-stream", "cbc-decrypt-stream", "modes-stream"),
)
# An engine like the preset, with a short core and few places: what is searched comes early.
SMALL = ("depth=8", "sbox_stages=0", "linear_stages=0", "context_timeout=3")
# Cycles that are searched: the latency, the wait for a context, and some beats.
CYCLES = 32
# The longest that a mutant may take; the small engine itself is not through after ten minutes.
SECONDS = 900.0


def small(preset: str = "ctr-stream") -> Engine:
    """Return the small engine of a preset."""
    engine = load_any(preset, SMALL)
    assert isinstance(engine, Engine)
    return engine


def _change(module: str, old: str, new: str) -> Change:
    return {"file": f"{module}.sv", "old": old, "new": new}


ENGINE, MODE, COUNTER = "aesforge_engine", "aesforge_mode_forward", "aesforge_mode_counter"
SHELL, CONTEXTS, CHECK = "aesforge_axis_shell", "aesforge_context_fifo", "aesforge_packet_check"
QUEUE, SLICE, RAM = "aesforge_axis_queue", "aesforge_axis_slice", "aesforge_queue_ram"
MUTANTS: dict[str, Change] = {
    # Of the mode
    "the counter does not count": _change(COUNTER, "load[i] ? value : stepped", "value"),
    "the counter wraps at 2^32": _change(
        COUNTER, "assign carry[i+1] = carry_q", "assign carry[i+1] = carry_q && i != 1"
    ),
    "the counter wraps at 2^64": _change(
        COUNTER, "assign carry[i+1] = carry_q", "assign carry[i+1] = carry_q && i != 3"
    ),
    "the counter of the packet before goes on": _change(
        MODE, ".in_load(!ctr || beat_first)", ".in_load(!ctr)"
    ),
    "every beat has the first counter block": _change(
        MODE, ".in_load(!ctr || beat_first)", ".in_load(1'b1)"
    ),
    "a word of the counter is a stage late": _change(
        COUNTER,
        "out_value[Bits*i+:Bits] = late_q[Stages-1-i]",
        "out_value[Bits*i+:Bits] = late_q[Stages-1-i+(i==7)]",
    ),
    "a stale IV": _change(
        SHELL, "beat_payload <= payload", "if (!first_q) beat_payload <= payload"
    ),
    "the IV is not in byte order": _change(
        ENGINE, "128'(aesforge_pkg::byte_swap(256'(s_ctx_iv), 16))", "s_ctx_iv"
    ),
    "the key is not in byte order": _change(
        ENGINE,
        "swapped_key = KeyBits'(aesforge_pkg::byte_swap(256'(s_ctx_key), KeyBits / 8))",
        "swapped_key = s_ctx_key",
    ),
    "a bit of the key is dropped": _change(
        ENGINE, "{swapped_key, ctx_iv}", "{swapped_key & ~KeyBits'(1), ctx_iv}"
    ),
    "the text is not added": _change(MODE, "ctr || cfb ? beat_data : cbc", "cbc"),
    "a mode that is built in is an error": _change(
        ENGINE, "next_unbuilt = !HasCtr", "next_unbuilt = 1'b1"
    ),
    "a mode that is not built in is none": _change(
        ENGINE, "next_error(next_unknown || next_unbuilt)", "next_error(next_unknown)"
    ),
    # Of the shell: contexts
    "a context is taken twice": _change(
        CONTEXTS, "if (m_ready && m_valid) m_place", "if (0) m_place"
    ),
    "another packet's context": _change(
        CONTEXTS, "payload = payloads[place]", "payload = payloads[~place]"
    ),
    "a packet without a context is no error": _change(
        SHELL, "context_error_q <= !next_valid || next_error", "context_error_q <= next_error"
    ),
    "a packet does not wait for its context": _change(
        SHELL, ": inside_q || next_valid || missing)", ": inside_q || next_valid || 1'b1)"
    ),
    # tkeep and errors
    "a hole in tkeep is ignored": _change(CHECK, "beat_hole || (", "("),
    "a byte of tkeep is ignored": _change(
        SHELL,
        "<= side_block && side_keep[i] ? data",
        "<= side_block && (side_keep[i] || i == 5) ? data",
    ),
    "bytes that are not kept go on": _change(
        SHELL, "<= side_block && side_keep[i] ? data", "<= side_block ? data"
    ),
    "a beat that is not full may be any": _change(CHECK, "!last || (", "("),
    "no error flag": _change(SHELL, "<= {side_error, side_last,", "<= {1'b0, side_last,"),
    "an error ends with its beat": _change(SHELL, "head_error && !last_q", "1'b0"),
    # Order and stalls
    "a result takes the next beat's sidebands": _change(
        SHELL, ".read_place(read_q)", ".read_place(read_q + 1'b1)"
    ),
    "a beat is taken twice": _change(SHELL, "head_q <= accept;", "head_q <= accept || head_q;"),
    "the output moves on": _change(SHELL, ".m_ready(m_axis_tready)", ".m_ready(1'b1)"),
    "the spare word is overwritten": _change(SLICE, "if (!stall_q) spare_q", "spare_q"),
    "the queue reads what is not there": _change(
        QUEUE, "leave ? write_q != after_q : write_q != read_q", "write_q != read_q"
    ),
    "no credits": _change(SHELL, "ready_q <= credit &&", "ready_q <="),
    "two places of the RAM are one": _change(
        RAM, "if (write) memory[write_place] <=", "if (write) memory[write_place & ~1] <="
    ),
}


@cache
def sources(kind: str) -> str:
    """Return the SHA-256 of the code that is read, but for the cores.

    Args:
        kind: `proofs`, or `mutants`, before the change.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if kind == "mutants":
            files = streams.files_of(folder, steps=False)
        else:
            files = [*streams.files_of(folder), *streams.ram_files_of(folder)]
        return rtl.hashed_code(files).hexdigest()


def prove(name: str) -> dict[str, Any]:
    """Prove an engine and return the record."""
    engine = load_any(name)
    assert isinstance(engine, Engine)
    before = programs.ended_cpu_seconds()
    proof = streams.prove_stream(engine)
    return {
        "engine": name,
        "result": proof.result,
        "reason": proof.reason,
        "assertions": proof.steps[-1].cases,
        "core_latency": engine.core.latency_cycles,
        "seconds": round(proof.seconds, 1),
        "cpu_seconds": round(programs.ended_cpu_seconds() - before, 1),
        "sources": sources("proofs"),
    }


def refute(name: str) -> dict[str, Any]:
    """Search for a violation of a mutant and return the record."""
    started = time.monotonic()
    change = MUTANTS[name]
    found = streams.refute(small(), [change], cycles=CYCLES, seconds=SECONDS)
    return {
        "mutant": name,
        **change,
        "result": "refuted" if found else "not refuted",
        "violated": found.claim if found else "",
        "cycle": found.cycle if found else 0,
        "seconds": round(time.monotonic() - started, 1),
        "sources": sources("mutants"),
    }


def recorded() -> dict[str, Any]:
    """Return the records of earlier runs."""
    if OUTPUT.exists():
        found: dict[str, Any] = json.loads(OUTPUT.read_text(encoding="utf-8"))
        return found
    return {"proofs": [], "mutants": []}


def write(kind: str, name: str, record: dict[str, Any]) -> None:
    """Record a result in place of an earlier one of the same name."""
    said = recorded()
    key = "engine" if kind == "proofs" else "mutant"
    kept = {one[key]: one for one in said[kind]} | {name: record}
    order = ENGINES if kind == "proofs" else tuple(MUTANTS)
    said[kind] = [kept[name] for name in order if name in kept]
    said["versions"] = {name: programs.version(name) for name in ("yosys", "abc")}
    write_whole(OUTPUT, json.dumps(said, indent=1) + "\n")


def main() -> int:
    """Prove and refute; return the exit status."""
    parser = argparse.ArgumentParser(description="Prove the modes of engines, and break them.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="only names that have all of them")
    parser.add_argument("--only", choices=("proofs", "mutants"), help="leave the others out")
    parser.add_argument("--write", action="store_true", help=f"record it in {OUTPUT.name}")
    given = parser.parse_args()
    wrong = 0
    kinds: dict[str, tuple[tuple[str, ...], Callable[[str], dict[str, Any]], str]] = {
        "proofs": (ENGINES, prove, "proved"),
        "mutants": (tuple(MUTANTS), refute, "refuted"),
    }
    for kind, (names, run, wanted) in kinds.items():
        for name in names:
            if given.only not in (None, kind) or not all(word in name for word in given.words):
                continue
            try:
                record = run(name)
            except AesforgeError as error:
                wrong += 1
                print(f"{name}: {error.message}", flush=True)
                continue
            wrong += record["result"] != wanted
            what = record.get("violated") or record.get("reason") or ""
            print(f"{name}: {record['result']} ({record['seconds']} s) {what}".strip(), flush=True)
            if given.write:
                write(kind, name, record)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Prove what the claims about parts of GCM, OCB and XTS engines assume, and see that it can fail.

    python scripts/prove_neighbours.py [--write] [--changed] [--only proofs | mutants] [WORD ...]

The presets below are proved (`aesforge.prove.neighbours`). In small engines, with `--set` of the
choices below, a changed connection violates an assumption. --write records what was found in
bench/results/proof/neighbours.json, in place of the records of the same names. With WORDs, only
what has all of them in its name; with --changed, only what has no record of today's sources. Exit
status 1 when a preset is not proved or a mutant is not refuted.
"""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from proof_records import RESULTS, Campaign

from aesforge.design import Engine, load_any
from aesforge.prove import neighbours
from aesforge.prove.mutation import Change
from aesforge.toolchain import programs, rtl

OUTPUT = RESULTS / "neighbours.json"
PROVED = ("xts-stream", "xts-dual", "ocb-stream", "gcm-stream", "gcm-dual", "gcm-compact")
# Cycles after a reset in which a mutant's fault is searched. A packet without an error comes later
# in GCM and OCB, whose keys take long: what is assumed of it is broken in simulation.
CYCLES = 40
# Of the engines that are broken: as few stages as there can be.
SMALL = ("sbox=table", "sbox_stages=0", "linear_stages=1", "key_sbox=same")
OF_MODE = {
    "xts": ("xts-stream", ()),
    "ocb": ("ocb-stream", ()),
    "gcm": ("gcm-stream", ("multiply_stages=2",)),
    "serial": ("gcm-compact", ()),
}


def _mutant(mode: str, module: str, old: str, new: str) -> tuple[str, Change]:
    return mode, {"file": f"aesforge_{module}.sv", "old": old, "new": new}


MUTANTS: dict[str, tuple[str, Change]] = {
    "every beat of XTS is the first": _mutant(
        "xts",
        "engine_xts",
        ".beat_first,\n      .beat_block,\n      .beat_st",
        ".beat_first(1'b1),\n      .beat_block,\n      .beat_st",
    ),
    "every beat of XTS steals": _mutant(
        "xts", "engine_xts", ".beat_steals(beat_user[UserBits])", ".beat_steals(1'b1)"
    ),
    "a beat of XTS has the direction of the next packet": _mutant(
        "xts", "engine_xts", ".beat_decrypt(beat_header[1])", ".beat_decrypt(next_header[1])"
    ),
    "a beat of XTS has the slot of the next packet": _mutant(
        "xts",
        "engine_xts",
        ".beat_side(beat_header[HeaderBits-1:1])",
        ".beat_side(next_header[HeaderBits-1:1])",
    ),
    "the shell does not wait for the mode": _mutant(
        "xts", "axis_shell", "assign step = !beat_valid || beat_ready;", "assign step = 1'b1;"
    ),
    "a key that is not ready stalls no context of XTS": _mutant(
        "xts", "xts_tweak", ".s_stall(next_stall)", ".s_stall(next_stall ^ core_ready)"
    ),
    "a key comes while the table L is written": _mutant(
        "ocb", "engine_ocb", ".key_accept(key_load &&", ".key_accept(cores_ready &&"
    ),
    "blocks of the table L count as nonces": _mutant(
        "ocb", "engine_ocb", ".out_valid(small_result && !small_tag)", ".out_valid(small_result)"
    ),
    "H is what comes for no block of zeros": _mutant(
        "gcm", "engine_gcm", ".hash_valid(zero_q[Latency-1])", ".hash_valid(result_q[Latency-1])"
    ),
    "a key comes while powers of H are written": _mutant(
        "gcm",
        "engine_gcm",
        "assign key_ready   = core_key_ready && !powers_busy;",
        "assign key_ready   = core_key_ready;",
    ),
    "counters begin at the tag alone": _mutant(
        "gcm", "gcm_counter", "load = beat_first || beat_tag", "load = beat_tag"
    ),
    "a beat of GCM has the slot of the next packet": _mutant(
        "gcm", "engine_gcm", ".beat_note({beat_slot,", ".beat_note({next_slot,"
    ),
    "a beat of GCM has the direction of the next packet": _mutant(
        "gcm",
        "engine_gcm",
        "beat_decrypt, beat_kind == IvPacket})",
        "next_decrypt, beat_kind == IvPacket})",
    ),
    "blocks come before the hash is ready": _mutant(
        "serial", "engine_gcm", "assign paced = pace_q == '0;", "assign paced = 1'b1;"
    ),
    "no packet begins at the hash": _mutant(
        "serial", "gcm_tag", ".begin_packet(", ".begin_packet(1'b0 && "
    ),
}


def engine_of(kind: str, name: str) -> Engine:
    """Return the engine that is proved, or the one that a mutant changes.

    Args:
        kind: `proofs` or `mutants`.
        name: of a preset or of a mutant.
    """
    if kind == "proofs":
        found = load_any(name)
    else:
        preset, choices = OF_MODE[MUTANTS[name][0]]
        found = load_any(preset, (*SMALL, *choices))
    assert isinstance(found, Engine)
    return found


@cache
def sources(engine: Engine) -> str:
    """Return the SHA-256 of the code of an engine, of the claims in it and of the models."""
    with tempfile.TemporaryDirectory() as name:
        files = neighbours.with_claims(neighbours.looked_at(engine), Path(name))
        return rtl.hashed_code(files).hexdigest()


def sources_of(kind: str, name: str) -> str:
    """Return the SHA-256 of the code that a proof or a search reads, before a mutant's change."""
    return sources(engine_of(kind, name))


def prove(name: str) -> dict[str, Any]:
    """Prove a preset and return the record."""
    before = programs.ended_cpu_seconds()
    found = neighbours.prove(engine_of("proofs", name))
    return {
        "engine": name,
        "result": "proved" if found.holds else "not proved",
        "reason": found.violated() or found.undecided(),
        "assumptions": len(found.assumptions),
        "cpu_seconds": round(programs.ended_cpu_seconds() - before, 1),
        "sources": sources_of("proofs", name),
    }


def refute(name: str) -> dict[str, Any]:
    """Search for a violation of a mutant and return the record."""
    mode, change = MUTANTS[name]
    before = programs.ended_cpu_seconds()
    found = neighbours.refute(engine_of("mutants", name), [change], cycles=CYCLES)
    return {
        "mutant": name,
        "engine": OF_MODE[mode][0],
        **change,
        "result": "refuted" if found else "not refuted",
        "violated": found.claim if found else "",
        "cycle": found.cycle if found else 0,
        "cpu_seconds": round(programs.ended_cpu_seconds() - before, 1),
        "sources": sources_of("mutants", name),
    }


CAMPAIGN = Campaign(
    "Prove what the claims about parts of engines assume, and break it.",
    OUTPUT,
    "engine",
    PROVED,
    tuple(MUTANTS),
    prove,
    refute,
    sources_of,
)


if __name__ == "__main__":
    sys.exit(CAMPAIGN.main())

# SPDX-License-Identifier: Apache-2.0
"""Prove the parts of GCM, OCB and XTS engines, and show that these proofs can fail.

    python scripts/prove_modes.py [--write] [--only proofs | mutants] [WORD ...]

The parts below are proved (formal/modes), what each cover asks for is reached, and mutants of small
ones are refuted: a violation at their ports, from a reset on. --write records what was found in
bench/results/proof/modes.json, in place of the records of the same names. With WORDs, only what has
all of them in its name. Exit status 1 when a part is not proved or a mutant is not refuted.
"""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from proof_records import RESULTS, Campaign

from aesforge.prove import parts, streams
from aesforge.prove.mutation import Change
from aesforge.prove.parts import Part
from aesforge.toolchain import programs, rtl

OUTPUT = RESULTS / "modes.json"
# Stages of the multipliers of the presets, and blocks of a beat of `gcm-stream` and `gcm-dual`.
STAGES, FEW_STAGES, BLOCKS = 6, 2, (1, 2)
# Cycles after a reset in which a cover and the fault of a mutant are searched; for powers more,
# which take 18 cycles each. And for how long.
CYCLES, POWER_CYCLES, SECONDS = 40, 100, 900.0


def proved_parts() -> dict[str, Part]:
    """Return the parts that are proved, by name: those of the presets."""
    found = {}
    for blocks in BLOCKS:
        words = f"{blocks} block{'s' if blocks > 1 else ''} in a beat"
        for part in parts.of_gcm(STAGES, blocks):
            # That of a wide beat takes too long for every day: a shorter multiplier stands for it.
            if blocks == 1 or "ghash" not in part.top:
                found[f"{part.name}, {words}"] = part
        for part in parts.of_gcm(FEW_STAGES, blocks):
            if blocks > 1 and "ghash" in part.top:
                found[f"{part.name}, {words}, {FEW_STAGES} stages"] = part
    found = {name: part for name, part in found.items() if not name.startswith("counter of")}
    # Beats of several blocks have shorter counters.
    for blocks in BLOCKS:
        found |= {
            part.name: part
            for part in parts.of_gcm(STAGES, blocks)
            if part.name.startswith("counter of")
        }
    return found | {
        "OCB": parts.ocb(decrypts=True),
        "OCB that encrypts": parts.ocb(decrypts=False),
        "XTS": parts.xts(stealing=True),
        "XTS without ciphertext stealing": parts.xts(stealing=False),
    }


# Small ones: fewer stages, and a counter that soon has counted too much text.
SMALL = {
    part.top: part
    for part in [
        *parts.of_gcm(FEW_STAGES, 1, 4),
        parts.ocb(decrypts=True),
        parts.xts(stealing=True),
    ]
}


def _mutant(top: str, module: str, old: str, new: str) -> tuple[str, Change]:
    return top, {"file": f"{module}.sv", "old": old, "new": new}


def _ghash(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_ghash", "aesforge_ghash", old, new)


def _lookahead(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_packet_lookahead", "aesforge_packet_lookahead", old, new)


def _powers(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_gcm_powers", "aesforge_gcm_powers", old, new)


def _counter(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_gcm_counter", "aesforge_gcm_counter", old, new)


def _tag(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_gcm_tag", "aesforge_gcm_tag", old, new)


def _count(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_staged_counter", "aesforge_staged_counter", old, new)


def _ocb(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_mode_ocb", "aesforge_mode_ocb", old, new)


def _xts(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_mode_xts", "aesforge_mode_xts", old, new)


MUTANTS: dict[str, tuple[str, Change]] = {
    "a beat counts that does not follow": _lookahead(
        "last_q && index_q != '0, index_q}",
        "last_q && index_q != '0, index_q | (LeftBits'(last_q) << 1)}",
    ),
    "a packet goes on in the next": _lookahead(
        "if (rst || zeroize || (put_q && last_q)) index_q", "if (rst || zeroize) index_q"
    ),
    "a beat that others follow is the last": _lookahead(
        "!run_more && !run_left[LeftBits-1]", "!run_more"
    ),
    "a power of H too high": _ghash(
        "? in_left[PowerBits-1:0] - PowerBits'(b)", "? in_left[PowerBits-1:0] + 1'b1"
    ),
    "sums of the packet before are added": _ghash(
        "!in_first && seen_q[SumBits]", "seen_q[SumBits]"
    ),
    "the hash of the packet before goes on": _ghash(
        "product ^ (start_at_q[Stages] ? '0 : out_hash)", "product ^ out_hash"
    ),
    "of the last products one is the hash": _ghash(
        "product ^ (start_at_q[Stages] ? '0 : out_hash)", "product"
    ),
    "powers of another slot": _ghash("{slot_q, power_q[b]}", "{~slot_q, power_q[b]}"),
    "a sum of another beat": _ghash("sums[wait_sum_q]", "sums[wait_sum_q - 1'b1]"),
    "a power is stored in another's place": _ghash(
        ": {write_slot, write_power}", ": {write_slot, ~write_power}"
    ),
    "under one hash subkey alone the last sum is the hash": _ghash(
        "product ^ (start_at_q[Stages] ? '0 : out_hash)",
        "product ^ (start_at_q[Stages] || gen_block[0].right_q == 128'h1234 ? '0 : out_hash)",
    ),
    "a sum is an OR": _mutant(
        "prove_ghash_sum",
        "aesforge_ghash",
        "^ (wait_add_q ? sums[wait_sum_q] : '0)",
        "| (wait_add_q ? sums[wait_sum_q] : '0)",
    ),
    "every power is H": _powers("first_q <= start;", "first_q <= 1'b1;"),
    "one power too few": _powers("write_power == '1;", "write_power == '1 - 1'b1;"),
    "the powers of another slot are written": _powers("slot <= key_slot", "slot <= ~key_slot"),
    "text starts at J0": _counter("assign add = text;", "assign add = text && text_q;"),
    "the tag has the counter of text": _counter("beat_first || beat_tag", "beat_first"),
    "J0 without its 1": _counter("{beat_iv, 32'd1}", "{beat_iv, 32'd0}"),
    "a hashed IV is not used": _counter("beat_hashed ? hashed_iv : ", ""),
    "a tag compared in 127 bits": _tag(
        "sum[DataBits-128+8*i+:8] != '0",
        "(sum[DataBits-128+8*i+:8] & (i > 0 ? 8'hff : 8'hfe)) != '0",
    ),
    "a tag compared in bytes that it does not have": _tag(
        "in_keep[15:0] & {16{in_tag && !in_iv}}", "{16{in_tag && !in_iv}}"
    ),
    "decryption hashes no ciphertext": _tag(
        "(in_aad || in_decrypt) && !in_tag", "in_aad && !in_tag"
    ),
    "lengths in the other order": _tag("{aad_length, text_length}", "{text_length, aad_length}"),
    "bytes of a last beat are not counted": _tag(
        "hash_aad && !hash_full ? hash_bytes : aad_bytes", "aad_bytes"
    ),
    "an IV of 12 bytes is hashed": _tag("bare_q || (zeros_q && twelve_q)", "bare_q"),
    "a carry is lost": _count("carry_q <= sum[Size]", "carry_q <= 1'b0"),
    "a word starts too early": _count("load[i] ? early[i]", "load[i] ? early[0]"),
    "the checksum lacks part of a block": _ocb(
        "(decrypt && full ? offset : padded)", "(decrypt && full ? offset : full ? padded : '0)"
    ),
    "the padding of OCB has no bit": _ocb("-:8] = 8'h80;", "-:8] = 8'h00;"),
    "an offset goes on from associated data to text": _ocb(
        "(beat_start ? (beat_aad ? '0 : beat_offset) : offset_q)", "offset_q"
    ),
    "the tag lacks associated data": _ocb("ready_block ^ sum_q", "ready_block"),
    "alpha with another polynomial": _xts("8'h87", "8'h86"),
    "the tweak of the data unit before goes on": _xts("beat_first ? beat_tweak : next_q", "next_q"),
    "stealing that decrypts has the first tweak twice": _xts(
        "first = beat_decrypt ? tweak : before_q", "first = before_q"
    ),
    "stealing that encrypts has the first tweak twice": _xts(
        "second = beat_decrypt ? before_q : tweak", "second = before_q"
    ),
    "a bit of tkeep is ignored": _xts("kept[i] ? 8'h00", "kept[i|1] ? 8'h00"),
    "a result waits a cycle less": _xts("Wait = Latency + 3", "Wait = Latency + 2"),
}


@cache
def sources(top: str) -> str:
    """Return the SHA-256 of the code of a part, whatever its parameters, of claim and models."""
    with tempfile.TemporaryDirectory() as name:
        return rtl.hashed_code(streams.part_files_of(SMALL[top], Path(name))).hexdigest()


def sources_of(kind: str, name: str) -> str:
    """Return the SHA-256 of the code that a proof or the search for a mutant reads.

    Args:
        kind: `proofs`, or `mutants`, before the change.
        name: of a part or of a mutant.
    """
    return sources(proved_parts()[name].top if kind == "proofs" else MUTANTS[name][0])


def prove(name: str) -> dict[str, Any]:
    """Prove a part, reach its cover in the small one, and return the record."""
    part = proved_parts()[name]
    before = programs.ended_cpu_seconds()
    step, reason, *_ = streams.prove_part(part)
    if step.result == "proved" and not covered(part.top):
        step.result, reason = "not proved", "the cover is never reached"
    return {
        "part": name,
        "module": part.module,
        "parameters": dict(part.parameters),
        "result": step.result,
        "reason": reason,
        "assertions": step.cases,
        "cycles": part.cycles,
        "cpu_seconds": round(programs.ended_cpu_seconds() - before, 1),
        "sources": sources_of("proofs", name),
    }


def search(top: str, *changes: Change, cover: bool = False) -> streams.Violation | None:
    """Search for a violation in a small part, or for what must be reachable."""
    cycles = POWER_CYCLES if top == "prove_gcm_powers" else CYCLES
    return streams.refute_part(SMALL[top], changes, cycles=cycles, cover=cover, seconds=SECONDS)


@cache
def covered(top: str) -> bool:
    """Return whether the cover of a small part is reached."""
    return search(top, cover=True) is not None


def refute(name: str) -> dict[str, Any]:
    """Search for a violation of a mutant and return the record."""
    top, change = MUTANTS[name]
    before = programs.ended_cpu_seconds()
    found = search(top, change)
    return {
        "mutant": name,
        "part": SMALL[top].name,
        **change,
        "result": "refuted" if found else "not refuted",
        "violated": found.claim if found else "",
        "cycle": found.cycle if found else 0,
        "cpu_seconds": round(programs.ended_cpu_seconds() - before, 1),
        "sources": sources_of("mutants", name),
    }


CAMPAIGN = Campaign(
    "Prove the parts of GCM, OCB and XTS, and break them.",
    OUTPUT,
    "part",
    tuple(proved_parts()),
    tuple(MUTANTS),
    prove,
    refute,
)


if __name__ == "__main__":
    sys.exit(CAMPAIGN.main())

# SPDX-License-Identifier: Apache-2.0
"""In simulated engines the proofs' assumptions about neighbours hold, and would not go unseen."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

import engines
from aesforge.check.engine import check_engine
from aesforge.check.run_engine import StreamReport
from aesforge.prove.mutation import changed_files
from part_environment import with_assumptions

GCM = ("gcm_powers", "gcm_tag", "staged_counter")
OCB = ("mode_ocb", "ocb_table", "context_cipher")
XTS = ("mode_xts", "context_cipher")
ENGINES = {
    "SEALED": GCM,
    "SEALED_WIDE": GCM,
    "SEALED_RING": GCM,
    "SEALED_SERIAL": (*GCM, "ghash_serial"),
    "COUNTED": GCM,
    "OFFSETS": OCB,
    "SEALING_OFFSETS": OCB,
    "UNITS": XTS,
    "WHOLE_UNITS": XTS,
    "WIDE_UNITS": XTS,
    "CCM": ("mode_ccm",),
    "CCM_RING": ("mode_ccm",),
}
# A claim; an engine, a file of it, and a change that breaks what the claim assumes.
MUTANTS = {
    "gcm_tag": ("SEALED", "engine_gcm", ".in_keep(post_keep)", ".in_keep(~post_keep)"),
    "gcm_powers": ("SEALED", "engine_gcm", ".hash_valid(zero_q", ".hash_valid(!zero_q"),
    "staged_counter": ("SEALED", "gcm_counter", "load = beat_first || beat_tag", "load = beat_tag"),
    "ghash_serial": ("SEALED_SERIAL", "gcm_tag", ".begin_packet(", ".begin_packet(1'b0 && "),
    "mode_ocb": ("OFFSETS", "engine_ocb", ".beat_aad(beat_user[0])", ".beat_aad(!beat_user[0])"),
    "ocb_table": ("OFFSETS", "engine_ocb", ".key_accept(key_load", ".key_accept(cores_ready"),
    "context_cipher": (
        *("OFFSETS", "ocb_nonce"),
        *(".s_stall(next_stall)", ".s_stall(next_stall ^ core_ready)"),
    ),
    "mode_xts": (
        *("UNITS", "engine_xts"),
        *(
            ".beat_first,\n      .beat_block,\n      .beat_st",
            ".beat_block,\n      .beat_st",
        ),
    ),
    "mode_ccm": (
        *("CCM", "engine_ccm"),
        *(".beat_first,\n      .beat_last,\n      .beat_aad(", ".beat_last,\n      .beat_aad("),
    ),
}


def checked(name: str, claims: Sequence[str], folder: Path, *change: str) -> StreamReport:
    """Check an engine with two key slots, with the assumptions of some claims in it.

    Args:
        name: of the engine.
        claims: whose assumptions are looked at.
        folder: takes the sources.
        change: a file, a text that it holds once, and what stands there instead; or nothing.
    """
    engine = getattr(engines, name)
    if engine.core.key_slots:
        core = dataclasses.replace(engine.core, key_slots=2)
        engine = dataclasses.replace(engine, name=f"{engine.name}-assumed", core=core)
    if engine.streams is not None:
        # The claim follows the first of them.
        engine = dataclasses.replace(engine, name=f"{engine.name}-assumed", streams=2)
    sources = with_assumptions(engine, folder, claims)
    if change:
        file, old, new = change
        one = {"file": f"aesforge_{file}.sv", "old": old, "new": new}
        sources = changed_files(folder, sources, [one])
    return check_engine(engine, seed=4, blocks=400, vectors=False, rtl=sources, optimize="build")


@pytest.mark.parametrize("name", ENGINES)
def test_what_proofs_of_parts_assume_holds_in_the_engine(name: str, tmp_path: Path) -> None:
    report = checked(name, ENGINES[name], tmp_path)
    assert report.passed, report.text()


@pytest.mark.parametrize("claim", MUTANTS)
def test_an_assumption_that_does_not_hold_is_seen(claim: str, tmp_path: Path) -> None:
    name, *change = MUTANTS[claim]
    report = checked(name, (claim,), tmp_path, *change)
    said = f"{claim.removesuffix('_serial')} assumes"
    assert any(said in failure for failure in report.failures), report.failures

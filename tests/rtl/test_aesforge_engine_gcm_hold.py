# SPDX-License-Identifier: Apache-2.0
"""aesforge_engine_gcm_hold: whole packets leave, or one beat of zeros; mutants of it are found.

The traffic is that of `aesforge check`, with every kind of error and packets that are too long.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from aesforge.check.engine import check_engine
from cores import changed_rtl
from engines import HELD

FILE = "aesforge_engine_gcm_hold.sv"
MUTANTS = {
    "an error is not told": (".s_error(held_user[0])", ".s_error(1'b0)"),
    "the error flag is lost": ("{user, error}", "{user, 1'b0}"),
    "tkeep and tid change places": (
        "{m_axis_tkeep, m_axis_tid, user}",
        "{m_axis_tid, m_axis_tkeep, user}",
    ),
    "the buffer is not zeroized": (".zeroize(zeroize || zeroize_q)", ".zeroize(1'b0)"),
}


def test_engine_gcm_hold() -> None:
    report = check_engine(HELD, seed=3, blocks=4000, vectors=False, optimize="build")
    assert report.passed, report.text()
    assert report.error_packets > 100


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_found(name: str, tmp_path: Path) -> None:
    old, new = MUTANTS[name]
    rtl = changed_rtl(tmp_path, FILE, old, new)
    report = check_engine(HELD, seed=3, blocks=2000, vectors=False, rtl=rtl, optimize="build")
    assert not report.passed

# SPDX-License-Identifier: Apache-2.0
"""The first fault in what came out of an engine is named."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from aesforge.simulate.engine import BEATS, engine_module
from aesforge.simulate.packets import Context, Packet
from aesforge.simulate.stream import StreamSimulator
from aesforge.simulate.traffic import Traffic, fault_text, first_fault
from engines import SMALL

KEY = bytes(range(16))
IV = b"\xff" * 15 + b"\xfa"


def rows_of(simulator: StreamSimulator, values: list[int]) -> Any:
    rows = np.zeros(len(values), simulator.row_dtype)
    rows["m_axis_tid"] = values
    return rows


def test_the_first_fault_is_named() -> None:
    with StreamSimulator(engine_module(SMALL, optimize="build"), optimize="build") as simulator:
        traffic = Traffic(simulator, SMALL)
        packets = [Packet(os.urandom(40), Context(1, False, IV, KEY)) for _ in range(4)]
        transfers, due = traffic.transfers(packets)
        result = simulator.run(transfers, wanted=len(due), tail_cycles=10)
        got = result.rows
        assert first_fault(got, due) is None
        assert fault_text(result) is None
        lost = first_fault(np.delete(got, 5), due, first=100)
        assert lost is not None
        assert "beat 105 is lost or late: beat 106 comes in its place" in lost
        again = first_fault(np.insert(got, 5, got[4]), due)
        assert again is not None
        assert "beat 4 is repeated in place of beat 5" in again
        assert "never came" in (first_fault(got[:-1], due) or "")
        assert "too many" in (first_fault(np.append(got, got[-1:]), due) or "")
        wrong = got.copy()
        wrong["m_axis_tdata"][3, 0] ^= 1
        assert "beat 3 is wrong" in (first_fault(wrong, due) or "")
        # Words can be taken back into a run of their own: nothing is left over.
        assert simulator.moved[BEATS] == len(due)

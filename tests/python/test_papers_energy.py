# SPDX-License-Identifier: Apache-2.0
"""Energy per bit of Liu et al. (2014), Table 3, with and without a constant power."""

from __future__ import annotations

import pytest

from aesforge.research.papers.energy import Power, constant_watts, liu2014, ratio_without


def test_the_rows_are_those_of_the_table() -> None:
    rows = liu2014()
    assert len(rows) == 12
    assert rows[0] == Power("original", "XC7VX690T", 3.44, 1.04, 3.30)
    assert rows[-1] == Power("eight-stage", "XC4VLX160", 58.18, 26.3, 2.21)
    # The printed Gbps per watt is the quotient of the two before it, to its last digit.
    assert all(one.gbps / one.watt == pytest.approx(one.gbps_per_watt, abs=0.02) for one in rows)


def test_a_constant_power_by_hand() -> None:
    """1 W at 1 Gbps, and 5 W at 10 Gbps: of 0.5 W off both, 0.5 and 0.45 W per Gbps are left."""
    base = Power("base", "X", 1.0, 1.0, 1.0)
    other = Power("other", "X", 10.0, 5.0, 2.0)
    assert ratio_without(0.0, base, other) == 0.5
    assert ratio_without(0.5, base, other) == pytest.approx(0.9)
    assert constant_watts(base, other, 0.9) == pytest.approx(0.5)
    assert constant_watts(base, other, 0.5) == pytest.approx(0.0)

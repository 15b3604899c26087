# SPDX-License-Identifier: Apache-2.0
"""How deep the S-boxes of ``rtl/sbox`` can be pipelined: facts the design and the tests share."""

from __future__ import annotations

TOWER_LEVELS = {"encrypt": 7, "decrypt": 7, "both": 10}
"""Direction -> LUT levels of the tower S-box, the most register ranks that fall inside it."""

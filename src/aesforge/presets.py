# SPDX-License-Identifier: Apache-2.0
"""The ready-made designs, from the fastest to the smallest."""

from __future__ import annotations

from aesforge.design import Design

# A design and, in one line, whom it is for.
_ENTRIES: tuple[tuple[Design, str], ...] = (
    (
        Design(
            name="line-rate",
            sbox="tower",
            sbox_stages=7,
            linear_stages=2,
            delay_line="register",
        ),
        "a block every cycle at the highest clock: unrolled, nine register ranks a round",
    ),
    (
        # Both ranks in the S-box, with five and four levels between them; a state register before
        # it would leave seven and two.
        Design(name="balanced", sbox="tower", sbox_stages=2, linear_stages=0),
        "a block every cycle with fewer registers: unrolled, two register ranks a round",
    ),
    (
        Design(name="compact", unroll=1, sbox="tower", sbox_stages=0, linear_stages=1),
        "a block every ten cycles in little logic: one round, used ten times",
    ),
    (
        Design(name="compact-bram", unroll=1, sbox="bram", sbox_stages=1, linear_stages=0),
        "a block every ten cycles with the S-boxes in block RAM: fewest LUTs",
    ),
)

PRESETS: dict[str, Design] = {design.name: design for design, _ in _ENTRIES}
SUMMARIES: dict[str, str] = {design.name: summary for design, summary in _ENTRIES}

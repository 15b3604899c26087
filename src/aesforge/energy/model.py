# SPDX-License-Identifier: Apache-2.0
"""The energy model: what a transition weighs, and the records of what was counted.

Energy here is relative: a number of weighted transitions, to be set beside another core's on the
same device. No watts follow from it, since no weight has a vendor's coefficient for its source.
Records hold raw counts, so that other weights can be applied to them.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from aesforge.devices import Record

BLOCK_BITS = 128

# One transition of each weighs one. A ratio of two of these capacitances would need a source, and
# for ECP5 there is none; a weight of one is at least no choice of ours. `ratio` says how far a
# comparison depends on it: whatever the weights, it lies between two bounds.
TILE = 1.0  # a wire, for each tile that it spans
PIN = 1.0  # an input that the net drives
OUTPUT = 1.0  # an output of a cell: what changes inside a LUT, flip-flop or RAM
CLOCK = 1.0  # the clock input of a flip-flop or of a RAM's write port

# Whose cells and delays the simulation knows.
FAMILIES = ("ecp5",)

Keys = Literal["each", "one"]


class Tally(Record, frozen=True, kw_only=True):
    """Transitions of many nets.

    Args:
        outputs: of the cells' outputs, one each.
        tiles: each times the tiles that the net's wires span.
        pins: each times the inputs that the net drives.
    """

    outputs: int
    tiles: int
    pins: int


class Energy(Record, frozen=True, kw_only=True):
    """What a routed core spends on its blocks, in raw counts; the traffic is random.

    Args:
        keys: `each` block has a key of its own, or all have `one`.
        traffic_seed: of the blocks and keys.
        blocks: in the counted cycles.
        cycles: that were counted.
        transitions: of all nets that the core's cells drive.
        settled: the same without glitches: a net's value at the end of a cycle against that at the
            end of the cycle before.
        writes: into memories of look-up tables.
        clock: transitions at clock pins, two in each cycle at each.
        nets: that were counted.
        clock_pins: of the core's flip-flops and write ports.
    """

    keys: Keys
    traffic_seed: int
    blocks: int
    cycles: int
    transitions: Tally
    settled: Tally
    writes: int
    clock: int
    nets: int
    clock_pins: int

    @property
    def parts(self) -> dict[str, float]:
        """Weighted transitions per block by share: `wires`, `logic` and `clock`."""
        whole = self._weighted(self.transitions)
        return {name: value / self.blocks for name, value in whole.items()}

    def _weighted(self, tally: Tally) -> dict[str, float]:
        return {
            "wires": TILE * tally.tiles + PIN * tally.pins,
            "logic": OUTPUT * (tally.outputs + self.writes),
            "clock": CLOCK * self.clock,
        }

    @property
    def per_block(self) -> float:
        """Weighted transitions per block."""
        return sum(self._weighted(self.transitions).values()) / self.blocks

    @property
    def per_bit(self) -> float:
        """Weighted transitions per bit of a block."""
        return self.per_block / BLOCK_BITS

    @property
    def shares(self) -> dict[str, float]:
        """The part of the energy that each of `parts` has, 0 to 1; all 0 when nothing is spent."""
        whole = self.per_block
        return {name: part / whole if whole else 0.0 for name, part in self.parts.items()}

    @property
    def glitches(self) -> int:
        """Transitions of outputs that delays bring about."""
        return self.transitions.outputs - self.settled.outputs

    @property
    def glitch_share(self) -> float:
        """The part of the energy that glitches take, 0 to 1."""
        whole = sum(self._weighted(self.transitions).values())
        return 1 - sum(self._weighted(self.settled).values()) / whole if whole else 0.0

    @property
    def raw(self) -> dict[str, float]:
        """What the weights apply to, per block: `outputs`, `tiles`, `pins` and `clock`."""
        counted = {
            "outputs": self.transitions.outputs + self.writes,
            "tiles": self.transitions.tiles,
            "pins": self.transitions.pins,
            "clock": self.clock,
        }
        return {name: count / self.blocks for name, count in counted.items()}

    def as_dict(self) -> dict[str, Any]:
        """Return plain data: the record, and the figures that follow from it."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        data["per_block"] = self.per_block
        data["per_bit"] = self.per_bit
        data["shares"] = self.shares
        data["glitch_share"] = self.glitch_share
        return data


class Ratio(Record, frozen=True, kw_only=True):
    """The energy of one core over another's.

    Args:
        energy: by the weights of this module.
        low: no weights give less: the least ratio of any of the four raw counts.
        high: no weights give more.
    """

    energy: float
    low: float
    high: float


def ratio(one: Energy, other: Energy) -> Ratio:
    """Return the energy per block of one core over another's; inf where the other has none."""

    def over(a: float, b: float) -> float:
        return a / b if b else float("inf")

    # A sum of non-negative parts over another lies between the least and greatest part's ratio.
    every = [over(one.raw[name], count) for name, count in other.raw.items() if one.raw[name]]
    return Ratio(energy=over(one.per_block, other.per_block), low=min(every), high=max(every))

# SPDX-License-Identifier: Apache-2.0
"""What is known when a block may be accepted, for one key slot."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache

from aesforge.netlist.aig import Builder
from aesforge.prove.analysis.rings import Compare
from aesforge.prove.analysis.unroll import Known, Unrolling
from aesforge.prove.properties.core import Core
from aesforge.prove.properties.key_kept import WhileKept
from aesforge.prove.properties.key_load import KeyLoad, load_key

LOAD = "load "
"""Suffix that separates the cycles of a key load from those of the block."""


class _Shared:
    """What the graphs of one block's cases are built of: most of it is in all of them.

    Args:
        builder: takes the gates.
        carried: what a register starts with if it holds a part of the loaded key.
    """

    def __init__(self, builder: Builder, carried: Callable[[int], int | None]) -> None:
        self.builder = builder
        self.carried = carried
        # The same object for the same graph: what is worked out of it is not worked out again.
        self.graph = lru_cache(maxsize=None)(builder.finish)


class Setting:
    """What is known when a block may be accepted, for one key slot.

    Args:
        core: the core.
        slot: of the stored key; 0 where keys are agile.
        compare: decides what has to be proved of the load.
    """

    def __init__(self, core: Core, slot: int, compare: Compare) -> None:
        self.core = core
        self.number = slot
        agile = core.design.is_agile
        self.slot = {} if agile else core.constant("in_slot", slot)
        self.load = KeyLoad(core.invariant) if agile else load_key(core, slot, compare)
        self.invariant, self.kept = self.load.invariant, self.load.kept
        # Cycles between the state that the proof starts from and the block. In a data path of
        # columns the block before takes four, of which only the count of its columns knows.
        self.cycles_before = 4 if core.design.is_serial else 0
        # Graphs are large: those of tags and of one block at a time.
        self.shared = lru_cache(maxsize=2)(self._shared)

    def first(self, direction: int) -> dict[int, bool]:
        """Return the inputs known in the cycle in which the block is accepted."""
        # With several slots, keys may come for others, and for this one once the block is in:
        # `key_load.changed` asks what keeps its value.
        first = {**self.core.in_flight, **self.slot, **self.core.constant("in_valid", 1)}
        if self.core.design.direction == "both":
            first |= self.core.constant("in_decrypt", direction)
        return first

    def cycles(self, before: tuple[Known, ...], direction: int) -> list[Known]:
        """Return the inputs known from a state on until the block is out.

        Args:
            before: those of the cycles between the state and the block.
            direction: 0 for a block to be encrypted, 1 for one to be decrypted.
        """
        later = [self.core.in_flight] * self.core.design.latency_cycles
        return [*before, self.first(direction), *later]

    @cached_property
    def while_kept(self) -> WhileKept | None:
        """What else is known while the slot's key stays; None without several slots."""
        return WhileKept(self.core, self.load) if self.core.has_slots else None

    def inputs(self, block_index: int | None) -> list[str]:
        """Name the inputs that the specification takes: key and block, or the tag alone."""
        at = self.cycles_before
        if block_index is None:
            return [f"{name}@{at}" for name in self.core.names("in_tag")]
        key = (
            [f"{name}@{at}" for name in self.core.names("in_key")]
            if self.core.design.is_agile
            else [f"{name}@{LOAD}{self.load.taken}" for name in self.core.names("key")]
        )
        block = self.core.names("in_block")[128 * block_index : 128 * block_index + 128]
        return key + [f"{name}@{at}" for name in block]

    def _shared(self, block_index: int | None) -> _Shared:
        """Return what the graphs of one block's cases, or of tags, are built of."""
        builder = Builder(self.inputs(block_index))
        return _Shared(builder, self._carried(builder))

    def _carried(self, builder: Builder) -> Callable[[int], int | None]:
        """Return what a register starts with if it holds a part of the loaded key, in a builder."""
        if not self.kept:
            return lambda _: None
        core, cycles = self.core, [*self.load.cycles, self.core.quiet]
        load = Unrolling(core.aig, cycles, core.after_reset, builder, when=LOAD, can=self.load.can)
        return lambda v: load.value(len(self.load.cycles), 2 * v) if v in self.kept else None

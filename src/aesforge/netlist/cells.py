# SPDX-License-Identifier: Apache-2.0
"""Read a mapped netlist: count its cells, find its depth, see that nothing of the core is missing.

The netlist is one flat module; cells of the core carry the prefix of its instance.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from aesforge.devices import Record
from aesforge.devices.families import Cells
from aesforge.netlist.labels import Labels
from aesforge.netlist.module import REMARK, Module, Net, nets_of

# A register of so many bits holds data; a narrower one counts as its module's control.
DATA_BITS = 32


class Area(Record, frozen=True, kw_only=True):
    """Cells of the core alone, after synthesis; the harness around it is not counted.

    Args:
        lut4: 4-input look-up tables, None on a family of others.
        lut6: 6-input look-up tables (smaller ones count as one), None on a family of others.
        wide_mux: dedicated multiplexers after look-up tables (MUXF7, L6MUX21, ...).
        ff: flip-flops.
        block_ram: block RAMs.
        lut_ram: look-up tables used as memory or shift register, contained in `lut4` or `lut6`.
        cells: every kind of cell by its name in the netlist.
    """

    lut4: int | None
    lut6: int | None
    wide_mux: int
    ff: int
    block_ram: int
    lut_ram: int
    cells: dict[str, int]

    @property
    def luts(self) -> int:
        """Look-up tables of whatever size the family has."""
        return (self.lut4 or 0) + (self.lut6 or 0)


class StageDepth(Record, frozen=True, kw_only=True):
    """The longest chain of look-up tables that ends in one register, or in a module's control.

    Args:
        stage: a register of at least `DATA_BITS` bits as labels (`round / state`); all others of
            its module together (`sequencer / control`).
        depth: look-up tables in the chain.
        registers: how many flip-flops the stage has.
    """

    stage: str
    depth: int
    registers: int


def by_stage(registers: Iterable[StageDepth]) -> list[StageDepth]:
    """Return the stages of a core, deepest first: narrow registers go to their module's control.

    Args:
        registers: one entry a register, by its place as labels.
    """
    found: dict[str, StageDepth] = {}
    for one in registers:
        module = one.stage.rpartition(" / ")[0]
        control = f"{module} / control" if module else "control"
        name = one.stage if one.registers >= DATA_BITS else control
        there = found.get(name, StageDepth(stage=name, depth=0, registers=0))
        found[name] = StageDepth(
            stage=name,
            depth=max(there.depth, one.depth),
            registers=there.registers + one.registers,
        )
    return sorted(found.values(), key=lambda one: (-one.depth, one.stage))


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with the nets at its ports."""

    name: str
    kind: str
    inputs: tuple[tuple[str, Net], ...]
    outputs: tuple[Net, ...]


class Netlist:
    """The cells of one module.

    Args:
        module: the flat module.
        cells: how the family's cells count.
        prefix: only cells whose names begin with it are read.
        labels: gives registers names.
    """

    def __init__(self, module: Module, cells: Cells, prefix: str, labels: Labels) -> None:
        self._kinds = cells
        self._labels = labels
        self.cells: list[Cell] = []
        for name, cell in module.cells.items():
            if not name.startswith(prefix) or cell.kind == REMARK:
                continue
            inputs: list[tuple[str, Net]] = []
            outputs: list[Net] = []
            for port, bits in cell.connections.items():
                if cell.directions[port] == "input":
                    inputs += [(port, net) for net in nets_of(bits)]
                else:
                    outputs += nets_of(bits)
            self.cells.append(Cell(name, cell.kind, tuple(inputs), tuple(outputs)))

    # --- Cells

    @cached_property
    def _is_ff(self) -> Callable[[str], bool]:
        exact = {kind for kind in self._kinds.ff if not kind.endswith("*")}
        starts = tuple(kind[:-1] for kind in self._kinds.ff if kind.endswith("*"))
        return lambda kind: kind in exact or (bool(starts) and kind.startswith(starts))

    def area(self, lut_inputs: int) -> Area:
        """Count the cells.

        Args:
            lut_inputs: 4 or 6, the size of the family's look-up tables.
        """
        counts = collections.Counter(cell.kind for cell in self.cells)
        kinds = self._kinds
        ram = sum(counts[kind] * luts for kind, luts in kinds.lut_ram.items())
        luts = sum(counts[kind] * size for kind, size in kinds.lut.items()) + ram
        return Area(
            lut4=luts if lut_inputs == 4 else None,
            lut6=luts if lut_inputs == 6 else None,
            wide_mux=sum(counts[kind] for kind in kinds.wide_mux),
            ff=sum(number for kind, number in counts.items() if self._is_ff(kind)),
            block_ram=sum(counts[kind] for kind in kinds.block_ram),
            lut_ram=ram,
            cells=dict(sorted(counts.items())),
        )

    # --- Depth

    def depth(self) -> list[StageDepth]:
        """Return the depth of each stage in look-up tables, deepest first.

        A wide multiplexer adds nothing, a carry chain one; a memory of look-up tables reads in
        one.
        """
        level = self._levels()
        deepest: dict[str, int] = {}
        size: collections.Counter[str] = collections.Counter()
        for cell in self.cells:
            if not self._is_sequential(cell.kind):
                continue
            stage = self._labels.place(cell.name, numbers=False)
            nets = (net for port, net in cell.inputs if not self._is_read(cell.kind, port))
            here = max((level.get(net, 0) for net in nets), default=0)
            deepest[stage] = max(deepest.get(stage, 0), here)
            size[stage] += max(1, len(cell.outputs)) if self._is_ff(cell.kind) else 0
        stages = [
            StageDepth(stage=stage, depth=depth, registers=size[stage])
            for stage, depth in deepest.items()
        ]
        return sorted(stages, key=lambda one: (-one.depth, one.stage))

    def depth_of(self, nets: Sequence[Net]) -> int:
        """Return the look-up tables in the longest chain that ends in one of these nets."""
        level = self._levels()
        return max((level.get(net, 0) for net in nets), default=0)

    def _is_sequential(self, kind: str) -> bool:
        kinds = self._kinds
        return self._is_ff(kind) or kind in kinds.block_ram or kind in kinds.lut_ram

    def _is_read(self, kind: str, port: str) -> bool:
        return kind in self._kinds.lut_ram and port.startswith(tuple(self._kinds.lut_ram_read))

    def _levels(self) -> dict[Net, int]:
        """Return the number of look-up tables in front of each net that logic drives."""
        kinds = self._kinds
        weight = {
            **dict.fromkeys(kinds.lut, 1),
            **dict.fromkeys(kinds.carry, 1),
            **dict.fromkeys(kinds.wide_mux, 0),
            **dict.fromkeys(kinds.lut_ram, 1),
        }
        users: dict[Net, list[int]] = collections.defaultdict(list)
        waiting = [0] * len(self.cells)
        level: dict[Net, int] = {}
        logic = [cell.kind in weight for cell in self.cells]
        driven = {
            net
            for cell, used in zip(self.cells, logic, strict=True)
            if used
            for net in cell.outputs
        }
        for number, cell in enumerate(self.cells):
            if not logic[number]:
                continue
            for port, net in cell.inputs:
                if cell.kind in kinds.lut_ram and not self._is_read(cell.kind, port):
                    continue
                if net in driven:
                    users[net].append(number)
                    waiting[number] += 1
        ready = [n for n in range(len(self.cells)) if logic[n] and not waiting[n]]
        while ready:
            number = ready.pop()
            cell = self.cells[number]
            nets = (
                net
                for port, net in cell.inputs
                if cell.kind not in kinds.lut_ram or self._is_read(cell.kind, port)
            )
            here = max((level.get(net, 0) for net in nets), default=0) + weight[cell.kind]
            for net in cell.outputs:
                level[net] = here
                for user in users[net]:
                    waiting[user] -= 1
                    if not waiting[user]:
                        ready.append(user)
        return level

    # --- Wholeness

    def sources(self, results: Sequence[Net], origins: Sequence[Net]) -> list[int]:
        """Count, for each result net, how many of the origin nets it depends on.

        Through registers and memories too: this is about wires, not about time.
        """
        mask = {net: 1 << position for position, net in enumerate(origins)}
        reach: dict[Net, int] = dict(mask)
        users: dict[Net, list[int]] = collections.defaultdict(list)
        for number, cell in enumerate(self.cells):
            for _, net in cell.inputs:
                users[net].append(number)
        seen = [0] * len(self.cells)
        queue = collections.deque(dict.fromkeys(n for net in origins for n in users[net]))
        queued = set(queue)
        while queue:
            number = queue.popleft()
            queued.discard(number)
            cell = self.cells[number]
            here = seen[number]
            for _, net in cell.inputs:
                here |= reach.get(net, 0)
            if here == seen[number]:
                continue
            seen[number] = here
            for net in cell.outputs:
                if reach.get(net, 0) | here != reach.get(net, 0):
                    reach[net] = reach.get(net, 0) | here
                    for user in users[net]:
                        if user not in queued:
                            queued.add(user)
                            queue.append(user)
        return [reach.get(net, 0).bit_count() for net in results]

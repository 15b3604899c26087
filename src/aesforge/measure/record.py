# SPDX-License-Identifier: Apache-2.0
"""What a measurement says: one core on one device, with everything that is needed to repeat it.

The records are immutable and go to JSON and back unchanged (`Measurement.to_json`, `from_json`).
Frequencies are in MHz, times in ns, throughput in Gbit/s, 128 bits per block.
"""

from __future__ import annotations

import statistics
from typing import Any, Literal

import msgspec

from aesforge.devices import Cap, Record
from aesforge.energy.model import Energy
from aesforge.netlist.cells import Area, StageDepth

BLOCK_BITS = 128


class Subject(Record, frozen=True, kw_only=True):
    """What was measured.

    Args:
        name: the design's name, or the foreign core's top module.
        summary: the core in one line of words.
        design: all choices of the design (`Design.choices`), or None for a foreign core.
        rtl: hash of all sources and parameters.
        latency_cycles: cycles from a block in to the same block out, or from a key to its last
            round key; None when not known.
        blocks_per_cycle: at full load, keys in a key expansion; None when not known.
        engine: all choices of an engine (`Engine.choices`), which has no `design`; else None.
    """

    name: str
    summary: str
    design: dict[str, Any] | None
    rtl: str
    latency_cycles: int | None
    blocks_per_cycle: float | None
    engine: dict[str, Any] | None = None

    @property
    def interval_cycles(self) -> float | None:
        """Cycles between blocks accepted, or keys, on average, at full load."""
        return None if not self.blocks_per_cycle else 1 / self.blocks_per_cycle

    @property
    def is_key_expansion(self) -> bool:
        """Whether it expands keys and takes no blocks."""
        return self.design is not None and self.design.get("architecture") == "key_expand"


class Run(Record, frozen=True, kw_only=True):
    """One placement and routing.

    Args:
        seed: of the placement.
        mhz: the clock as the tool reported it.
        seconds: what it took.
        slices: that the core's cells lie in, shared ones included; None where not counted.
        energy: what the routed core spends on its blocks; None where not asked for.
    """

    seed: int
    mhz: float
    seconds: float
    slices: int | None = None
    energy: Energy | None = None


class Clock(Record, frozen=True, kw_only=True):
    """How fast it runs, as reported and as allowed.

    Args:
        runs: one each seed, in the order of the seeds.
        reported_mhz: the median of the runs.
        cap: the lowest limit that applies to this core, None when none is known.
        fmax_mhz: the lower of the two.
        limit: what limits: `logic and wires`, or the cap's `what`.
    """

    runs: list[Run]
    reported_mhz: float
    cap: Cap | None
    fmax_mhz: float
    limit: str


class Hop(Record, frozen=True, kw_only=True):
    """One step of the critical path.

    Args:
        kind: `clock-to-out`, `logic`, `wire` or `setup`.
        where: the module as labels (`round 7 / MixColumns`).
        ns: its delay.
    """

    kind: Literal["clock-to-out", "logic", "wire", "setup"]
    where: str
    ns: float


class CriticalPath(Record, frozen=True, kw_only=True):
    """The path that limits the clock, of the run whose clock is the median.

    Args:
        start: the register it starts at, as labels.
        end: the register it ends at.
        ns: the sum of its hops.
        wire_share: the part of it that is wires, 0 to 1.
        hops: in order.
    """

    start: str
    end: str
    ns: float
    wire_share: float
    hops: list[Hop]


class Provenance(Record, frozen=True, kw_only=True):
    """What is needed to repeat it.

    Args:
        command: the line for the `aesforge` command that does it again.
        tools: name to version.
        recipe: name of the synthesis recipe.
        commands: the lines that were run, in order; files by their names only.
        commit: of the aesforge checkout (`+` after it: with changes), or its version.
        date: UTC, ISO 8601.
        seconds: of everything, synthesis included.
    """

    command: str
    tools: dict[str, str]
    recipe: str
    commands: list[str]
    commit: str
    date: str
    seconds: float


class Measurement(Record, frozen=True, kw_only=True):
    """One core on one device.

    Args:
        key: content hash of everything that has a bearing on the result.
        kind: `placed` (placement and routing, a clock) or `synthesized` (area and depth only).
        subject: what was measured.
        device: part and speed grade, as `--device` takes it.
        family: `ecp5`, `ice40`, `nexus`, `gowin`, `gatemate` or `xc7`.
        area: cells of the core.
        depth: of each stage, deepest first.
        clock: None when only synthesized.
        critical_path: None when only synthesized.
        warnings: what to bear in mind beside the numbers.
        provenance: how to repeat it.
    """

    key: str
    kind: Literal["placed", "synthesized"]
    subject: Subject
    device: str
    family: str
    area: Area
    depth: list[StageDepth]
    clock: Clock | None
    critical_path: CriticalPath | None
    warnings: list[str]
    provenance: Provenance

    @property
    def logic_depth(self) -> int:
        """Look-up tables in the longest chain; 0 when there is none or it is not known."""
        return max((stage.depth for stage in self.depth), default=0)

    @property
    def throughput_gbps(self) -> float | None:
        """128 bits x blocks per cycle x the Fmax; None when one of them is not known.

        None for a key expansion too: round keys are no data. See `schedules_per_second`.
        """
        if self.subject.is_key_expansion:
            return None
        if self.clock is None or self.subject.blocks_per_cycle is None:
            return None
        return BLOCK_BITS * self.subject.blocks_per_cycle * self.clock.fmax_mhz / 1000

    @property
    def schedules_per_second(self) -> float | None:
        """Keys expanded each second at the Fmax; None but for a key expansion with one."""
        rate = self.subject.blocks_per_cycle
        if not self.subject.is_key_expansion or self.clock is None or rate is None:
            return None
        return rate * self.clock.fmax_mhz * 1e6

    @property
    def round_keys_per_second(self) -> float | None:
        """Round keys computed each second; round key 0, which is the key itself, does not count."""
        schedules = self.schedules_per_second
        if schedules is None or self.subject.design is None:
            return None
        rounds: int = self.subject.design["key_bits"] // 32 + 6
        return schedules * rounds

    @property
    def kiran_gbps(self) -> float | None:
        """128 bits x the clock as reported: what Kiran and Kanavi (Sec. V) call throughput.

        It counts a round key a cycle as data, whatever the circuit makes; None but for a key
        expansion with a clock.
        """
        if not self.subject.is_key_expansion or self.clock is None:
            return None
        return BLOCK_BITS * self.clock.reported_mhz / 1000

    @property
    def mbps_per_lut(self) -> float | None:
        """Throughput over look-up tables."""
        gbps = self.throughput_gbps
        return None if gbps is None or not self.area.luts else gbps * 1000 / self.area.luts

    @property
    def energy_per_block(self) -> float | None:
        """Weighted transitions per block, the median of the runs; None when one lacks it."""
        runs = [] if self.clock is None else self.clock.runs
        spent = [run.energy.per_block for run in runs if run.energy is not None]
        return statistics.median(spent) if spent and len(spent) == len(runs) else None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data: the record, and the figures that follow from it."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        data["interval_cycles"] = self.subject.interval_cycles
        data["throughput_gbps"] = self.throughput_gbps
        data["mbps_per_lut"] = self.mbps_per_lut
        data["energy_per_block"] = self.energy_per_block
        if self.subject.is_key_expansion:
            data["schedules_per_second"] = self.schedules_per_second
            data["round_keys_per_second"] = self.round_keys_per_second
            data["kiran_gbps"] = self.kiran_gbps
        return data

    def to_json(self) -> bytes:
        """Return the record as JSON, one line."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, text: bytes | str) -> Measurement:
        """Read what `to_json` gave.

        Raises:
            msgspec.ValidationError: it is not such a record.
        """
        return msgspec.json.decode(text, type=cls)

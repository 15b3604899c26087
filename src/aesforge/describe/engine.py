# SPDX-License-Identifier: Apache-2.0
"""The description of an engine: every choice, and the derived times and sizes."""

from __future__ import annotations

import dataclasses
from typing import Any

from aesforge.describe.core import CoreDescription, describe_core
from aesforge.describe.tables import CHOICES, NUMBERS, Description, Table
from aesforge.design.engine import FIELDS, Engine
from aesforge.design.fields import text_of
from aesforge.design.kinds import second_core
from aesforge.design.modes import MODES


@dataclasses.dataclass(frozen=True)
class EngineDescription(Description):
    """An engine in numbers.

    Args:
        engine: the engine itself.
        core: its core.
    """

    engine: Engine
    core: CoreDescription

    @property
    def name(self) -> str:
        """The engine's name."""
        return self.engine.name

    @property
    def warning(self) -> str | None:
        """Why the engine must protect nothing; None if it is AES."""
        return self.engine.warning

    def tables(self) -> list[Table]:
        """Return the tables of choices, of modes and of numbers."""
        rows = self.choice_rows()
        own = sum(name in FIELDS for name in self.engine.choices())
        columns = ("mode", "s_ctx_mode", "", "last beat", "source")
        return [
            Table(self.name, CHOICES, (rows[:own], rows[own:])),
            Table("modes", columns, (self.mode_rows(),)),
            Table(*NUMBERS, (self.number_rows(),)),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON; numbers carry their units in their names."""
        engine = self.engine
        return {
            "name": engine.name,
            "summary": engine.summary(),
            "engine": engine.kind.name,
            "module": engine.top,
            "choices": engine.choices(),
            "modes": [
                {
                    "name": name,
                    "ways": list(engine.ways(name)),
                    "s_ctx_mode": MODES[name].code if engine.kind.mode_bits else None,
                    "partial_last_beat": engine.ends_in_part(name),
                    "iv": MODES[name].takes_iv,
                    "source": MODES[name].source,
                }
                for name in engine.modes
            ],
            "latency_cycles": engine.latency_cycles,
            "interval_cycles": 1 / engine.beats_per_cycle,
            "beat_bytes": engine.beat_bytes,
            "tag_bytes": list(engine.tag_bytes),
            "blocks_per_cycle": engine.blocks_per_cycle,
            "bits_per_cycle": 128 * engine.blocks_per_cycle,
            "full_rate_depth": engine.full_rate_depth,
            "hold_places": engine.hold_places,
            "zeroize_cycles": engine.zeroize_cycles,
            "core": self.core.as_dict(),
        }

    def choice_rows(self) -> list[tuple[str, str, str]]:
        """Return (choice, value, meaning), the engine's own first."""
        engine = self.engine
        wait = engine.context_timeout
        way = "AXI4-Lite, in the wrapper" if engine.has_csr else "s_ctx, and s_key if stored"
        way += ", with the result of each context" * engine.has_results
        words = {
            "modes": f"{engine.kind.name} engine: {engine.kind.label}",
            "depth": self._depth_text(),
            "id_bits": "width of tid",
            "user_bits": "width of tuser; the error flag comes on top",
            "context_timeout": (
                "cycles that a packet waits for its context" if wait else "waits for ever"
            ),
            "streams": self._streams_text(),
            "multiply_stages": "pipeline stages of the multiplier in GHASH",
            "multiply_digit": "bits per cycle of the digit-serial multiplier in GHASH",
            "short_tags": "tags may have 4 or 8 bytes" if engine.short_tags else "none below 12",
            "release": (
                "of a packet with an error, one beat of zeros leaves"
                if engine.withholds
                else "text leaves before its tag is known"
            ),
            "hold_beats": self._hold_text(),
            "iv": (
                "of packets that encrypt: counted inside, they are in the results"
                if engine.counts_ivs and engine.has_csr
                else "of packets that encrypt: counted inside, they leave on m_iv"
                if engine.counts_ivs
                else "in the context of each packet"
            ),
            "stealing": (
                "packets may end in part of a block"
                if engine.stealing
                else "packets of whole blocks"
            ),
            "queue_ram": "memory of the queues",
            "contexts": way,
        }
        own = {name: value for name, value in engine.choices().items() if name in FIELDS}
        own["modes"] = ", ".join(engine.modes)
        rows = [(name, text_of(value), words[name]) for name, value in own.items()]
        core = {field: row for field, *row in self.core.choice_rows()}
        return rows + [
            (name, core[name][0], core[name][1]) for name in engine.choices() if name in core
        ]

    def _hold_text(self) -> str:
        engine = self.engine
        of = ""
        if engine.is_interleaved:
            of = f" of each of {1 << engine.tid_bits} streams, {engine.hold_places:,} in all"
        return f"places{of}; packets of up to {engine.most_beats} beats pass"

    def _depth_text(self) -> str:
        engine = self.engine
        if (engine.depth or 0) < engine.full_rate_depth:
            return f"beats inside; full rate needs {engine.full_rate_depth}"
        return "beats inside, enough for full rate"

    def _streams_text(self) -> str:
        engine = self.engine
        if engine.streams is not None and engine.streams < engine.full_rate_streams:
            return f"streams at a time (tid); full rate needs {engine.full_rate_streams}"
        return "streams at a time (tid), enough for full rate"

    def mode_rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return (mode, s_ctx_mode, effect, last beat, source)."""
        engine = self.engine
        return [
            (
                name,
                str(MODES[name].code) if engine.kind.mode_bits else "-",
                " and ".join(engine.ways(name)),
                "any length" if engine.ends_in_part(name) else "whole",
                MODES[name].source,
            )
            for name in engine.modes
        ]

    def number_rows(self) -> list[tuple[str, str, str]]:
        """Return (name, number, explanation) of times and sizes."""
        engine = self.engine
        extra = engine.latency_cycles - engine.core.latency_cycles
        return [
            (
                "latency",
                f"{engine.latency_cycles} cycles",
                f"beat in to beat out: {engine.core.latency_cycles} of the core + {extra}",
            ),
            (
                "interval",
                f"{1 / engine.beats_per_cycle:.4g} cycles",
                f"from beat to beat; of one stream alone, {engine.loop_cycles}"
                if engine.is_interleaved
                else "from beat to beat",
            ),
            (
                "throughput",
                f"{engine.blocks_per_cycle:.4g} blocks/cycle",
                f"{128 * engine.blocks_per_cycle:.4g} bits per cycle when both sides keep up",
            ),
            ("zeroize", f"{engine.zeroize_cycles} cycles", "at most, until it takes beats again"),
            self._sbox_row(),
            (
                "flip-flops of the core",
                f"about {self.core.design.flip_flops_about:,}",
                "`aesforge measure` counts those of the engine",
            ),
        ]

    def _sbox_row(self) -> tuple[str, str, str]:
        core = self.engine.core
        text = f"{core.data_sbox_count} SubBytes + {core.key_sbox_count} SubWord"
        more = 0
        if self.engine.kind.second_core:
            more = second_core(self.engine).sbox_count
            text += f", and {more} of the second core"
        return ("S-boxes", str(core.sbox_count + more), text)


def describe_engine(engine: Engine) -> EngineDescription:
    """Return an engine in numbers."""
    return EngineDescription(engine, describe_core(engine.core))

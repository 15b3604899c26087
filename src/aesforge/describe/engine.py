# SPDX-License-Identifier: Apache-2.0
"""Say what an engine is: every choice, the times and sizes that follow, and a block diagram."""

from __future__ import annotations

import dataclasses
from typing import Any

from aesforge.describe import diagram
from aesforge.describe.core import Description, describe
from aesforge.describe.diagram import Drawing
from aesforge.design.engine import FIELDS, Engine
from aesforge.design.modes import MODES


@dataclasses.dataclass(frozen=True)
class EngineDescription:
    """An engine in numbers; all of it follows from the engine alone, no tool is run.

    Args:
        engine: the engine itself.
        core: its core.
    """

    engine: Engine
    core: Description

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
                    "s_ctx_mode": MODES[name].code,
                    "partial_last_beat": MODES[name].partial,
                    "iv": MODES[name].takes_iv,
                    "source": MODES[name].source,
                }
                for name in engine.modes
            ],
            "latency_cycles": engine.latency_cycles,
            "interval_cycles": 1 / engine.beats_per_cycle,
            "beat_bytes": engine.beat_bytes,
            "blocks_per_cycle": engine.blocks_per_cycle,
            "bits_per_cycle": 128 * engine.blocks_per_cycle,
            "full_rate_depth": engine.full_rate_depth,
            "zeroize_cycles": engine.zeroize_cycles,
            "core": self.core.as_dict(),
        }

    def choice_rows(self) -> list[tuple[str, str, str]]:
        """Return (choice, value, what it means here), the engine's own first."""
        engine = self.engine
        wait = engine.context_timeout
        way = "AXI4-Lite, in the wrapper" if engine.has_csr else "s_ctx, and s_key if stored"
        words = {
            "modes": f"{engine.kind.name} engine: {engine.kind.label}",
            "depth": self._depth_text(),
            "id_bits": "width of tid",
            "user_bits": "width of tuser; the error flag comes on top",
            "context_timeout": (
                "cycles that a packet waits for its context" if wait else "waits for ever"
            ),
            "streams": self._streams_text(),
            "contexts": way,
        }
        own = {name: value for name, value in engine.choices().items() if name in FIELDS}
        own["modes"] = ", ".join(engine.modes)
        rows = [(name, str(value), words[name]) for name, value in own.items()]
        core = {field: row for field, *row in self.core.choice_rows()}
        return rows + [
            (name, core[name][0], core[name][1]) for name in engine.choices() if name in core
        ]

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
        """Return (mode, s_ctx_mode, what it does, last beat, source)."""
        engine = self.engine
        return [
            (
                name,
                str(MODES[name].code),
                " and ".join(engine.ways(name)),
                "any length" if MODES[name].partial else "whole",
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
            (
                "S-boxes",
                str(engine.core.sbox_count),
                f"{engine.core.data_sbox_count} SubBytes + {engine.core.key_sbox_count} SubWord",
            ),
            (
                "flip-flops of the core",
                f"about {self.core.design.flip_flops_about:,}",
                "`aesforge measure` counts those of the engine",
            ),
        ]


def describe_engine(engine: Engine) -> EngineDescription:
    """Return an engine in numbers."""
    return EngineDescription(engine, describe(engine.core))


def draw(engine: Engine) -> Drawing:
    """Lay an engine out: the way of a beat, and what joins it."""
    core = engine.core
    drawing = Drawing()
    stored = not core.is_agile
    row = 5
    shape = "unrolled" if core.is_unrolled else f"{core.unrolled_rounds} of {core.rounds} rounds"
    context = "slot, " if stored else "key, "
    context += "IV, mode" if engine.takes_iv else "mode"
    contexts = drawing.box(10, 0, ["contexts", context], "key")
    drawing.label(0, 1, "s_ctx")
    drawing.line((6, 1), (contexts.x - 1, 1))
    beats = drawing.box(10, row, ["beat", "credits"], "wait")
    drawing.label(0, row + 1, "s_axis")
    drawing.line((7, row + 1), (beats.x - 1, row + 1))
    drawing.line((beats.middle, contexts.bottom), (beats.middle, beats.y - 1))
    mode = drawing.box(beats.right + 4, row, [", ".join(engine.modes), engine.kind.name], "data")
    drawing.line((beats.right, row + 1), (mode.x - 1, row + 1))
    inner = drawing.box(
        mode.right + 4,
        row,
        [f"AES-{core.key_bits} {core.direction}", f"{shape}, {core.latency_cycles} cycles"],
        "data",
    )
    drawing.line((mode.right, row + 1), (inner.x - 1, row + 1))
    queues = drawing.box(inner.right + 4, row, ["queues", f"{engine.depth} beats"], "wait")
    drawing.line((inner.right, row + 1), (queues.x - 1, row + 1))
    out = queues.right + 3
    drawing.line((queues.right, row + 1), (out, row + 1))
    drawing.label(out + 2, row + 1, "m_axis")
    # What the results are added to, and what travels beside them.
    side = row + 5
    drawing.line(
        *((beats.middle, beats.bottom), (beats.middle, side), (queues.middle, side)),
        (queues.middle, queues.bottom + 1),
    )
    drawing.label(mode.x, side + 1, "tkeep, tlast, tid, tuser, error, what the result is added to")
    if stored:
        at = max(mode.x, contexts.right + 12)
        keys = drawing.box(at, 0, ["key-update interlock", f"{core.key_slots} slots"], "key")
        drawing.label(at - 10, 1, "s_key")
        drawing.line((at - 4, 1), (at - 1, 1))
        down = max(inner.middle, keys.right + 2)
        drawing.line((keys.right, 1), (down, 1), (down, row - 1))
    return drawing


def diagram_text(engine: Engine) -> str:
    """Return a block diagram of an engine in Unicode characters, lines ended by newlines."""
    return diagram.text(draw(engine))


def diagram_svg(engine: Engine) -> str:
    """Return a block diagram of an engine as the text of an SVG file."""
    return diagram.svg(draw(engine), f"{engine.name}: {engine.summary()}")


def print_tables(description: EngineDescription) -> None:
    """Print a description as tables on standard output."""
    from aesforge.report.terminal import console, table

    choices = table(description.engine.name, "choice", "value", "")
    own = sum(name in FIELDS for name in description.engine.choices())
    for number, row in enumerate(description.choice_rows()):
        if number == own:
            choices.add_section()
        choices.add_row(*row)
    modes = table("modes", "mode", "s_ctx_mode", "", "last beat", "source")
    for mode in description.mode_rows():
        modes.add_row(*mode)
    times = table("times and sizes", "what", "number", "")
    for row in description.number_rows():
        times.add_row(*row)
    out = console()
    for i, one in enumerate((choices, modes, times)):
        if i:
            out.print()
        out.print(one)

# SPDX-License-Identifier: Apache-2.0
"""Tables of designs: presets, choices, engines, and the simulators that their benches pass."""

from __future__ import annotations

import dataclasses

from aesforge.bundle.simulators import recorded
from aesforge.design import ALLOWED, Design, sbox_stage_range, text_of
from aesforge.design.engine import FIELDS as ENGINE_FIELDS
from aesforge.design.engine import Engine
from aesforge.design.fields import DEFAULTS, FIELDS, Field
from aesforge.design.presets import ENGINE_SUMMARIES, ENGINES, SUMMARIES, of_group
from aesforge.report.table import COLUMNS
from pages.markdown import Section, one_of, table


def presets() -> str:
    """Return the table of the ready-made designs."""

    def row(design: Design) -> list[str]:
        cycles = design.interval / design.blocks_per_beat
        return [
            f"`{design.name}`",
            SUMMARIES[design.name],
            design.sbox,
            f"{design.sbox_stages} + {design.linear_stages}",
            str(design.latency_cycles),
            f"{cycles:g}",
            f"{128 / cycles:g}",
            str(design.blocks_in_flight),
            str(design.sbox_count),
        ]

    head = (
        "preset",
        "what it is",
        "S-box",
        "pipeline stages per round, S-box + rest",
        "latency (cycles)",
        "cycles per block",
        "bits per cycle",
        "blocks in flight",
        "S-boxes",
    )
    return table(head, map(row, of_group("general")))


def choices() -> str:
    """Return the table of what a design chooses."""
    stages = ", ".join(
        f"{style} {low} to {high}"
        for style in ALLOWED["sbox"]
        for low, high in [sbox_stage_range(style, "encrypt")]
    )

    def row(name: str, field: Field) -> tuple[str, ...]:
        values = f"by style: {stages}" if name == "sbox_stages" else field.values_text()
        default = DEFAULTS[name] if field.filled_in is None else field.filled_in
        return (
            f"`{name}`",
            values,
            f"`{text_of(default)}`",
            f"{field.help} {field.link}".replace("](docs/", "](").rstrip(),
        )

    return table(
        ("choice", "values", "default", "what it decides"),
        (row(name, field) for name, field in FIELDS.items() if name != "name"),
    )


def columns() -> str:
    """Return the table of the columns that the report exports."""
    return table(
        ("column", "what it says"), ((f"`{name}`", says) for name, says in COLUMNS.items())
    )


def engines() -> str:
    """Return the table of the ready-made engines."""

    def row(engine: Engine) -> list[str]:
        keys = "with each context" if engine.core.is_agile else f"{engine.core.key_slots} slots"
        return [
            f"`{engine.name}`",
            ENGINE_SUMMARIES[engine.name],
            ", ".join(engine.modes),
            keys,
            f"{1 / engine.blocks_per_cycle:g}",
            str(engine.latency_cycles),
            str(engine.depth),
        ]

    head = ("engine", "what it is", "modes", "keys", "cycles per beat", "latency", "beats inside")
    return table(head, map(row, ENGINES.values()))


def engine_choices() -> str:
    """Return the table of what an engine chooses besides its core."""
    defaults = {field.name: field.default for field in dataclasses.fields(Engine)}

    def row(name: str, field: Field) -> tuple[str, ...]:
        default = defaults[name] if field.filled_in is None else field.filled_in
        if isinstance(field.filled_in, str):
            shown = field.filled_in
        elif default in (None, dataclasses.MISSING):
            shown = "-"
        else:
            shown = f"`{text_of(default)}`"
        return f"`{name}`", field.values_text(), shown, field.help

    base = ("`base`", "a preset of a core", "-", "what the core's choices start from, in a file")
    return table(
        ("choice", "values", "default", "what it decides"),
        [*(row(name, field) for name, field in ENGINE_FIELDS.items()), base],
    )


def simulator_runs() -> str:
    """Return the simulators that ran the benches of bundles."""
    rows = []
    for run in recorded():
        failed = [name for name, said in run.said.items() if not said.startswith("PASS")]
        rest = f"; not {one_of(failed)}" if failed else ""
        files = "sources" if run.files == "files.f" else run.files
        passed = f"{run.passed} of {len(run.said)}{rest}"
        rows.append((f"{run.tool} {run.version}", files, passed, f"{run.date}, `{run.commit}`"))
    return table(("simulator", "reads", "presets whose bench passes", "when, commit"), rows)


SECTIONS: tuple[Section, ...] = (
    ("docs/bundles.md", "simulators", simulator_runs),
    ("docs/designs.md", "presets", presets),
    ("docs/designs.md", "choices", choices),
    ("docs/designs.md", "engines", engines),
    ("docs/streams.md", "engine choices", engine_choices),
    ("docs/report.md", "columns", columns),
)

# SPDX-License-Identifier: Apache-2.0
"""The files of a core's bundle, a cipher's or a key expansion's."""

from __future__ import annotations

from typing import Any

from aesforge.bundle.files import fill
from aesforge.bundle.parameters import parameter_rows
from aesforge.bundle.ports import core_ports
from aesforge.bundle.vectors import beats, expansions
from aesforge.design import Design
from aesforge.devices.families import shift_register_cycles


def render(design: Design, *, single_file: bool = False) -> dict[str, str]:
    """Return the bundle's files: path inside the bundle to text."""
    context: dict[str, Any] = {
        "design": design,
        "title": _title(design),
        "parameters": parameter_rows(design, design.rtl_parameters()),
        "shift_register_cycles": shift_register_cycles(),
    }
    if design.is_key_expansion:
        templates = "wrapper.sv.j2", "tb_key.sv.j2", "README_key.md.j2"
        context["expansions"] = expansions(design)
    else:
        templates = "wrapper.sv.j2", "tb.sv.j2", "README.md.j2"
        beat_list = beats(design)
        context |= {
            "beats": beat_list,
            "first": beat_list[0],
            # Of several slots each has its key throughout; one slot gets each beat's in turn.
            "keys": list({beat.slot: beat for beat in beat_list}.values()),
            "has_slots": design.key_slots is not None and design.key_slots > 1,
            "beat_cycles": int(design.interval) + 1,
        }
    return fill(design, design.top, core_ports(design), templates, context, single_file=single_file)


def _title(design: Design) -> str:
    """Return what a catalogue says of the core."""
    rate = design.blocks_per_cycle
    if design.is_key_expansion:
        every = "cycle" if design.interval == 1 else f"{design.interval:g} cycles"
        return (
            f"Key expansion of AES-{design.key_bits}, all round keys in {design.latency_cycles} "
            f"cycles, a key every {every}"
        )
    return (
        f"{design.cipher_name} {design.direction}, latency {design.latency_cycles} cycles, "
        f"{rate:g} blocks per cycle"
    )

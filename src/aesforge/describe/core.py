# SPDX-License-Identifier: Apache-2.0
"""The description of a core: every choice, and the derived times and sizes."""

from __future__ import annotations

import dataclasses
from typing import Any

from aesforge.describe.tables import CHOICES, NUMBERS, Description, Table
from aesforge.design import Design, text_of
from aesforge.devices.families import shift_register_cycles


@dataclasses.dataclass(frozen=True)
class CoreDescription(Description):
    """A core in numbers.

    Args:
        design: the core itself.
    """

    design: Design

    @property
    def name(self) -> str:
        """The core's name."""
        return self.design.name

    @property
    def warning(self) -> str | None:
        """Why the core must protect nothing; None if it is AES."""
        return self.design.warning

    def tables(self) -> list[Table]:
        """Return the tables of choices and of numbers."""
        choices = Table(self.name, CHOICES, (self.choice_rows(),))
        return [choices, Table(*NUMBERS, (self.number_rows(),))]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON; numbers carry their units in their names."""
        design = self.design
        if design.is_key_expansion:
            return self._key_expansion_as_dict()
        return {
            "name": design.name,
            "summary": design.summary(),
            "warning": design.warning,
            "choices": {k: v for k, v in design.choices().items() if k != "name"},
            "rounds": design.rounds,
            "passes": design.passes,
            "stages_per_round": design.stages,
            "blocks_per_beat": design.blocks_per_beat,
            "latency_cycles": design.latency_cycles,
            "interval_cycles": design.interval,
            "blocks_per_cycle": design.blocks_per_cycle,
            "bits_per_cycle": 128 * design.blocks_per_cycle,
            "blocks_in_flight": design.blocks_in_flight,
            "key_load_cycles": design.key_load_cycles,
            "key_expansion_cycles": design.key_expansion_cycles,
            "zeroize_cycles": design.zeroize_cycles,
            "zeroize_cycles_7_series": design.zeroize_cycles + shift_register_cycles(),
            "sboxes": {
                "sub_bytes": design.data_sbox_count,
                "sub_word": design.key_sbox_count,
                "total": design.sbox_count,
            },
            "flip_flops_about": design.flip_flops_about,
        }

    def _key_expansion_as_dict(self) -> dict[str, Any]:
        design = self.design
        return {
            "name": design.name,
            "summary": design.summary(),
            "choices": {k: v for k, v in design.choices().items() if k != "name"},
            "rounds": design.rounds,
            "round_keys": design.rounds + 1,
            "stages_per_round": design.stages,
            "latency_cycles": design.latency_cycles,
            "round_key_latency_cycles": [r * design.stages for r in range(design.rounds + 1)],
            "interval_cycles": design.interval,
            "schedules_per_cycle": design.blocks_per_cycle,
            "round_keys_per_cycle": design.rounds * design.blocks_per_cycle,
            "keys_in_flight": design.blocks_in_flight,
            "zeroize_cycles": design.zeroize_cycles,
            "zeroize_cycles_7_series": design.zeroize_cycles + shift_register_cycles(),
            "sboxes": {"sub_bytes": 0, "sub_word": design.sbox_count, "total": design.sbox_count},
            "flip_flops_about": design.flip_flops_about,
        }

    def choice_rows(self) -> list[tuple[str, str, str]]:
        """Return (field, value, meaning) of every choice."""
        meanings = self.design.meanings()
        return [
            (field, "-" if value is None else text_of(value), meanings[field])
            for field, value in self.design.choices().items()
            if field != "name"
        ]

    def number_rows(self) -> list[tuple[str, str, str]]:
        """Return (name, number, explanation) of times and sizes."""
        design = self.design
        if design.is_key_expansion:
            return self._key_expansion_rows()
        beat = "beat of all blocks" if design.blocks_per_beat > 1 else "block"
        key_load = (
            [
                (
                    "key load",
                    f"{design.key_load_cycles} cycles",
                    self._key_load_text(),
                )
            ]
            if design.key_load_cycles
            else []
        )
        return [
            (
                "latency",
                f"{design.latency_cycles} cycles",
                design.latency_sum,
            ),
            ("interval", f"{design.interval:.4g} cycles", f"from one accepted {beat} to the next"),
            (
                "throughput",
                f"{design.blocks_per_cycle:.4g} blocks/cycle",
                f"{128 * design.blocks_per_cycle:.4g} bits a cycle at full load",
            ),
            ("in flight", f"{design.blocks_in_flight} blocks", "at full load"),
            *key_load,
            _zeroize_row(design),
            (
                "S-boxes",
                str(design.sbox_count),
                f"{design.data_sbox_count} SubBytes + {design.key_sbox_count} SubWord",
            ),
            _flip_flops_row(design),
        ]

    def _key_load_text(self) -> str:
        """Return a note on the time of a key load."""
        design = self.design
        if not design.is_serial:
            return f"{design.latency_cycles} more into a slot that holds a key"
        waits = "accepted when no block is in the core"
        if design.direction == "both":
            return f"{waits}; {design.rounds + 1} before the first block to decrypt"
        return waits

    def _key_expansion_rows(self) -> list[tuple[str, str, str]]:
        design = self.design
        rate, flight = design.blocks_per_cycle, design.blocks_in_flight
        return [
            (
                "latency",
                f"{design.latency_cycles} cycles",
                f"to round key {design.rounds}; {design.stages} from one round key to the next",
            ),
            ("interval", f"{design.interval:.4g} cycles", "from one accepted key to the next"),
            (
                "throughput",
                f"{rate:.4g} schedules/cycle",
                f"{design.rounds * rate:.4g} round keys per cycle besides the key itself",
            ),
            ("in flight", f"{flight} key{'s' if flight != 1 else ''}", "at full load"),
            _zeroize_row(design),
            ("S-boxes", str(design.sbox_count), "SubWord"),
            _flip_flops_row(design),
        ]


def _zeroize_row(design: Design) -> tuple[str, str, str]:
    return (
        "zeroize",
        f"{design.zeroize_cycles} cycles",
        f"at most, until nothing secret is left; {shift_register_cycles()} more on 7-series",
    )


def _flip_flops_row(design: Design) -> tuple[str, str, str]:
    about = f"about {design.flip_flops_about:,}"
    return "flip-flops", about, "of stages, S-boxes, delays; `aesforge measure` counts them"


def describe_core(design: Design) -> CoreDescription:
    """Return a core in numbers."""
    return CoreDescription(design)

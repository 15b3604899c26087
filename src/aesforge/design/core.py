# SPDX-License-Identifier: Apache-2.0
"""A design: the small set of independent choices that defines a core, and derived figures.

`Design` is the one source of truth for parameters: the command line's options, the tables of the
documentation and the generated SystemVerilog wrappers derive from it. It refuses, with a message
that names the choices at odds and what is allowed, every set that the RTL does not build. What
follows from the choices, its architecture says (`aesforge.design.arch`).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from aesforge.design.arch import ARCHITECTURES
from aesforge.design.arch.base import Architecture
from aesforge.design.fields import FIELD_NAMES, FULL, Choices, text_of
from aesforge.design.protection import PROTECTIONS
from aesforge.design.rules import why_illegal
from aesforge.errors import UsageError


@dataclasses.dataclass(frozen=True, kw_only=True)
class Design(Choices):
    """One set of choices; immutable, hashable, and legal by construction.

    The choices are the fields of `Choices`.

    Raises:
        UsageError: a value is out of range, or two choices exclude each other.
    """

    def __post_init__(self) -> None:
        if why := why_illegal(self.choices()):
            raise UsageError(why)
        # Two spellings of one design must be equal.
        if self.unroll == self.rounds:
            object.__setattr__(self, "unroll", FULL)
        for field, value in ARCHITECTURES[self.architecture].filled_in(self).items():
            if getattr(self, field) is None:
                object.__setattr__(self, field, value)

    def choices(self) -> dict[str, Any]:
        """Return all fields by name, in their order."""
        return {field: getattr(self, field) for field in FIELD_NAMES}

    def to_toml(self) -> str:
        """Return the text of a design file that loads as this very design."""
        lines = []
        for field, value in self.choices().items():
            if value is not None:
                text = f'"{value}"' if isinstance(value, str) else text_of(value)
                lines.append(f"{field} = {text}")
        return "\n".join(lines) + "\n"

    @functools.cached_property
    def built(self) -> Architecture:
        """The architecture under these choices, with error detection where it is chosen."""
        plain = ARCHITECTURES[self.architecture]
        return PROTECTIONS.get(self.error_detection, plain)(self)

    @property
    def keys(self) -> int:
        """How many keys of `key_bits` bits make one, as an engine has it."""
        return 1

    @property
    def core(self) -> Design:
        """The core, as of an engine: the design itself."""
        return self

    def summary(self) -> str:
        """Return the design in one line of words."""
        return self.built.summary()

    def meanings(self) -> dict[str, str]:
        """Return what each choice means in this design, by name."""
        return self.built.meanings()

    # --- RTL

    @property
    def top(self) -> str:
        """The module of the RTL that the design is, once its parameters are set."""
        return self.built.top

    @property
    def roles(self) -> Mapping[str, str]:
        """The module's ports for clock, key, block and result; a key expansion has no block."""
        return self.built.roles

    def rtl_parameters(self) -> dict[str, int]:
        """Return the parameters of the design's module, by name, in the module's order."""
        return self.built.rtl_parameters()

    # --- Shape

    @property
    def key_runs_ahead(self) -> bool:
        """Whether the key schedule runs forward to its end before the block starts."""
        return self.built.key_runs_ahead

    @property
    def blocks_per_beat(self) -> int:
        """Blocks side by side on the data ports: the tiles of an unrolled core, otherwise 1."""
        return self.built.blocks_per_beat

    @property
    def shift_rows_latency(self) -> int:
        """Cycles that a column takes through ShiftRows: 0 where a whole state comes at once."""
        return self.built.shift_rows_latency

    # --- Time

    @property
    def latency_cycles(self) -> int:
        """Cycles from the one in which a block is accepted to the one in which it leaves.

        Of a key expansion: to the one in which the last round key leaves. Its round key r comes
        out r x `stages` cycles after the key.
        """
        return self.built.latency_cycles

    @property
    def latency_sum(self) -> str:
        """The sum for the latency: rounds x pipeline stages of a round + the rest."""
        return self.built.latency_sum

    @property
    def interval(self) -> float:
        """Cycles from one accepted beat (`blocks` blocks) to the next, on average, at full load."""
        return self.built.interval

    @property
    def blocks_per_cycle(self) -> float:
        """Blocks, or keys to be expanded, accepted each cycle, on average, at full load."""
        return self.blocks_per_beat / self.interval

    @property
    def blocks_in_flight(self) -> int:
        """Blocks, or keys in progress, that the core holds at once at full load."""
        return self.built.blocks_in_flight

    @property
    def zeroize_cycles(self) -> int:
        """The most cycles from a `zeroize` pulse until no register depends on a secret any more."""
        return self.built.zeroize_cycles

    @property
    def key_load_cycles(self) -> int | None:
        """Cycles from accepting a stored key to accepting the first block under it.

        That is for an empty slot. One that holds a key is filled `latency_cycles` later, when no
        block under the old key is left. None where keys are agile. A column-serial core does not
        accept a key before that, and encrypts its first blocks while it is being expanded.
        """
        return self.built.key_load_cycles

    @property
    def key_expansion_cycles(self) -> int | None:
        """Cycles until all round keys are stored, including the one in which the key is accepted.

        None where keys are agile.
        """
        return self.built.key_expansion_cycles

    # --- Size

    @property
    def data_sbox_count(self) -> int:
        """S-boxes of the data path, one for each byte of a round's data path."""
        return self.built.data_sbox_count

    @property
    def key_sbox_count(self) -> int:
        """S-boxes of the key schedule: 4 for each step in hardware that has a SubWord."""
        return self.built.key_sbox_count

    @property
    def sbox_count(self) -> int:
        """S-boxes of the whole core."""
        return self.data_sbox_count + self.key_sbox_count

    @property
    def flip_flops_about(self) -> int:
        """Flip-flops of stages, S-boxes and delays: a closed form, right to about a quarter."""
        return self.built.flip_flops_about


def load_choices(source: str, choices: Mapping[str, Any]) -> Design:
    """Return the design of some choices by name; missing choices have their defaults.

    Args:
        source: where they come from, for messages.
        choices: field name to value.

    Raises:
        UsageError: a field is unknown, a value is out of range, or two choices exclude each other.
    """
    if why := why_illegal(choices):
        raise UsageError(f"{source}: {why}")
    return Design(**choices)

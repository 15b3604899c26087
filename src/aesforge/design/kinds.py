# SPDX-License-Identifier: Apache-2.0
"""The kinds of engines, one entry for each module that runs modes of operation."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from aesforge.design.core import Design


@dataclasses.dataclass(frozen=True)
class Kind:
    """A module that runs modes.

    Args:
        name: as `Mode.kind` has it.
        top: the module.
        csr_top: the module with AXI4-Lite CSRs around it.
        label: short text for a summary.
        choices: of an engine that it has, in addition to `modes` and those of every kind.
        mode_bits: width of `s_ctx_mode`.
        extra_cycles: of a core and modes: cycles of a beat on top of the core's latency.
        unused_places: of the queues, because the credit counter is late.
        credit_cycles: cycles, on top of the latency, until a beat's place is free again.
        zeroize_cycles: cycles of `zeroize` on top of those of the core and of the queues.
        loop_cycles: of a core: cycles, on top of that latency, from a beat of a packet to the next
            one's at the earliest; None where they do not wait for each other.
    """

    name: str
    top: str
    csr_top: str
    label: str
    choices: tuple[str, ...]
    mode_bits: int
    extra_cycles: Callable[[Design, Sequence[str]], int]
    unused_places: int
    credit_cycles: int
    zeroize_cycles: int
    loop_cycles: Callable[[Design], int] | None


def _forward_extra_cycles(core: Design, modes: Sequence[str]) -> int:
    # The shell's nine, and where there is a counter its eight for every beat, nine for several
    # blocks.
    return 9 + (8 + (core.blocks_per_beat > 1)) * ("ctr" in modes)


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            name="forward",
            top="aesforge_engine",
            csr_top="aesforge_engine_axi",
            label="no block waits for another's result",
            choices=("id_bits", "contexts"),
            mode_bits=2,
            extra_cycles=_forward_extra_cycles,
            unused_places=4,
            credit_cycles=1,
            zeroize_cycles=11,
            loop_cycles=None,
        ),
        Kind(
            name="interleaved",
            top="aesforge_engine_interleaved",
            csr_top="aesforge_engine_axi",
            label="blocks wait for results of their packet, so packets of several streams (tid) "
            "take "
            "turns",
            choices=("streams", "contexts"),
            mode_bits=3,
            # A ring waits for a free place, after a queue.
            extra_cycles=lambda core, _: 10 if core.is_unrolled else 14,
            unused_places=3,
            credit_cycles=-3,
            zeroize_cycles=9,
            loop_cycles=lambda core: 5 if core.is_unrolled else 9,
        ),
    )
}

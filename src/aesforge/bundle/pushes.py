# SPDX-License-Identifier: Apache-2.0
"""What a test bench writes for the context of each packet, and the result that it must read.

Of engines whose CSRs keep results: `docs/csr.md` has the fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aesforge.bundle.packets import BenchPacket
from aesforge.design.engine import BLOCK_BYTES, Engine
from aesforge.simulate.packets import IV_PACKET, full_keep

# Bits of `push` and of `result`.
_DECRYPT, _TAG_GIVEN, _SLOT, _IV_BYTES, _TAG_BYTES = 4, 5, 8, 12, 16
_ERROR, _AUTHENTIC, _IV_MADE, _ID = 0, 1, 2, 8


@dataclasses.dataclass(frozen=True)
class Push:
    """Registers of a context and of its result; numbers but for what is in hex as on the bus.

    Args:
        push: the word that hands the context over.
        tag: the expected tag, in hex.
        aad: bytes of associated data.
        text: bytes of text.
        more: data units that follow.
        result: what `result` must be.
        result_tag: likewise, in hex.
        result_iv: likewise, in hex.
    """

    push: int
    tag: str
    aad: int
    text: int
    more: int
    result: int
    result_tag: str
    result_iv: str


def with_pushes(engine: Engine, packets: Sequence[BenchPacket]) -> list[tuple[BenchPacket, Push]]:
    """Return packets as the bench sends them, each with its registers.

    Every other packet has its tag in the registers; its last beat is then a placeholder.
    """
    found = []
    first = 0
    for number, packet in enumerate(packets):
        context, tags = packet.context, engine.authenticates
        data, keep, mark = packet.beats[-1]
        fits = keep == full_keep(context.tag_bytes) and not mark
        given = bool(tags and number % 2 and fits)
        fields = context.ports()
        push = (
            context.iv_kind
            | context.decrypt << _DECRYPT
            | given << _TAG_GIVEN
            | context.slot << _SLOT
            | (int(fields["iv_bytes"]) & 15) << _IV_BYTES
            | context.tag_bytes << _TAG_BYTES
        )
        made, _, error, beat = packet.due[-1]
        authentic = tags and context.decrypt and not error and context.iv_kind != IV_PACKET
        iv, none = packet.iv_out or ("", 1)
        ident = (first + beat) & ((1 << min(engine.tid_bits, 8)) - 1)
        ident = 0 if engine.is_interleaved else ident
        result = error << _ERROR | authentic << _AUTHENTIC | (not none) << _IV_MADE | ident << _ID
        first += len(packet.beats)
        sent = packet
        if given:
            # A byte of it is enough, and none of it counts.
            beats = (*packet.beats[:-1], ("5a" * BLOCK_BYTES, 1, 0))
            sent = dataclasses.replace(packet, beats=beats)
        one = Push(
            push,
            data if given else "00" * BLOCK_BYTES,
            int(fields["aad_bytes"]),
            int(fields["text_bytes"]),
            int(fields["more"]),
            result,
            made if tags else "00" * BLOCK_BYTES,
            "00" * 12 if none else iv,
        )
        found.append((sent, one))
    return found

# SPDX-License-Identifier: Apache-2.0
"""An engine as the simulator sees it: its channels, and the words on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aesforge.design.engine import COUNT_BYTES, Engine
from aesforge.simulate.build import Optimize, style
from aesforge.simulate.stream import Channel, Module

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

# Names of the engine's channels; the last where IVs are made inside.
KEYS, CONTEXTS, BEATS, RESULTS, IVS = "s_key", "s_ctx", "s_axis", "m_axis", "m_iv"


def counted_iv(fixed: bytes, count: int) -> bytes:
    """Return the IV that an engine makes of a slot's fixed field and its count."""
    return fixed + count.to_bytes(COUNT_BYTES, "big")


def fixed_fields(engine: Engine) -> dict[int, bytes]:
    """Return the fixed field of each slot that a simulation has: all bytes are different."""
    return {
        slot: bytes((0xC0 + slot, 0x10 * slot + 1, 0x5A ^ slot, 0x80 | slot))
        for slot in range(engine.core.key_slots or 0)
    }


def engine_module(
    engine: Engine, *, optimize: Optimize = "speed", files: Sequence[Path] | None = None
) -> Module:
    """Return an engine as the simulator sees it.

    Args:
        engine: the engine.
        optimize: as the simulator is asked for.
        files: source files in compile order instead of the package's own.
    """
    stored = not engine.core.is_agile
    # Inputs that are not named stay 0; what an engine does not use must not matter, though.
    context = tuple(f"{CONTEXTS}_{name}" for name in engine.kind.context)
    # It counts when a context is accepted.
    context += ("iv_fixed",) if engine.counts_ivs else ()
    sources = [
        Channel(CONTEXTS, "s_ctx_tvalid", "s_ctx_tready", context),
        Channel(BEATS, "s_axis_tvalid", "s_axis_tready", beat_ports("s_axis")),
    ]
    if stored:
        sources.insert(
            0, Channel(KEYS, "s_key_tvalid", "s_key_tready", ("s_key_slot", "s_key_tdata"))
        )
    return Module(
        name=engine.name,
        top=engine.top,
        sources=tuple(sources),
        sink=Channel(RESULTS, "m_axis_tvalid", "m_axis_tready", beat_ports("m_axis")),
        zeroize="zeroize",
        parameters=engine.rtl_parameters(),
        files=None if files is None else tuple(files),
        style=style(engine.core, optimize),
        more_sinks=(_IV_CHANNEL,) if engine.counts_ivs else (),
    )


_IV_CHANNEL = Channel(IVS, "m_iv_tvalid", "m_iv_tready", ("m_iv_tdata", "m_iv_tuser"))


def beat_ports(channel: str) -> tuple[str, ...]:
    """Return the ports of a beat of an AXI4-Stream channel, as the standard spells them."""
    return tuple(f"{channel}_{name}" for name in ("tdata", "tkeep", "tlast", "tid", "tuser"))


def put(words: NDArray[Any], name: str, values: Any) -> None:
    """Write numbers to a port of words, whatever its width."""
    import numpy as np

    if words.dtype[name].shape:
        size = words.dtype[name].shape[0]
        rows = b"".join(int(value).to_bytes(size, "little") for value in values)
        words[name] = np.frombuffer(rows, np.uint8).reshape(-1, size)
    else:
        words[name] = np.asarray(values).astype(words.dtype[name])


def put_bytes(word: Any, name: str, data: bytes) -> None:
    """Write bytes to a wide port of a word, byte 0 in bits 7 to 0."""
    import numpy as np

    word[name][: len(data)] = np.frombuffer(data, np.uint8)

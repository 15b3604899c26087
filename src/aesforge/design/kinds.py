# SPDX-License-Identifier: Apache-2.0
"""The kinds of engines, one entry for each module that runs modes of operation."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from aesforge.design.core import Design

if TYPE_CHECKING:
    from aesforge.design.engine import Engine


@dataclasses.dataclass(frozen=True)
class Kind:
    """A module that runs modes.

    Args:
        name: as `Mode.kind` has it.
        top: the module.
        csr_top: the module with AXI4-Lite CSRs around it; None: not built.
        keeps_results: whether those CSRs keep a result of each context. Then a packet waits for its
            context without a limit.
        counted_top: the module that makes the IVs; None: not built.
        label: short text for a summary.
        choices: of an engine that it has, in addition to `modes` and those of every kind.
        context: the ports of a context, `s_ctx_` left out.
        mode_bits: width of `s_ctx_mode`; 0 where it has one mode.
        parameters_left_out: of a core and of an engine, that the module has not.
        extra_cycles: of an engine: cycles of a beat on top of the core's latency, at full rate.
        ahead_cycles: of these, cycles before a beat takes a place in the queues.
        unused_places: of the queues, because the credit counter is late.
        credit_cycles: cycles, on top of the latency, until a beat's place is free again.
        zeroize_cycles: of an engine: cycles of `zeroize` on top of those of the core.
        interval_cycles: of an engine: the fewest cycles from beat to beat, whatever the core.
        loop_cycles: of a core: cycles, on top of that latency, from a beat of a packet to the next
            one's at the earliest; None where they do not wait for each other.
        calls: of the core for a beat, in the modes that a rate is computed for.
        why_one_block: why a beat is one block; None where it has one for each tile.
        tiles: blocks that a beat may have, with an unrolled core; None: any number of them.
        why_forward: why the cipher goes forwards only; None where a mode decides.
        why_stored: why keys are stored; None where they may be agile.
        why_unrolled: why the rounds are unrolled; None where they may be looped.
        second_core: whether a looped core encrypts a block of each context before its packet
            comes. Then a packet has the key that its slot holds when its context is accepted;
            otherwise, when its first beat is looked at.
        accepts_early: whether beats are accepted before their packet takes its key.
        context_after: channel that tells when a packet without a context is inside.
        hold_beats: places for beats that wait for their tag, where a design does not say.
    """

    name: str
    top: str
    csr_top: str | None
    label: str
    choices: tuple[str, ...]
    context: tuple[str, ...]
    mode_bits: int
    parameters_left_out: frozenset[str]
    extra_cycles: Callable[[Engine], int]
    unused_places: int
    credit_cycles: int
    zeroize_cycles: Callable[[Engine], int]
    ahead_cycles: Callable[[Engine], int] = lambda _: 0
    interval_cycles: Callable[[Engine], int] = lambda _: 1
    loop_cycles: Callable[[Design], int] | None = None
    calls: int = 1
    keeps_results: bool = False
    counted_top: str | None = None
    why_one_block: str | None = None
    tiles: tuple[int, ...] | None = None
    why_forward: str | None = None
    why_stored: str | None = None
    why_unrolled: str | None = None
    second_core: bool = False
    accepts_early: bool = False
    context_after: str = "s_axis"
    hold_beats: int = 512


_CONTEXT = ("key", "slot", "iv", "mode", "decrypt")


def _depth(engine: Engine) -> int:
    assert engine.depth is not None
    return engine.depth


def _forward_extra_cycles(engine: Engine) -> int:
    # The shell's nine, and where there is a counter its eight for every beat, ten for several
    # blocks.
    return 9 + (8 + 2 * (engine.blocks_per_beat > 1)) * ("ctr" in engine.modes)


def _multiply_cycles(engine: Engine) -> int:
    """Return the cycles of a digit-serial multiplication; 0: the multiplier is pipelined."""
    return 128 // engine.multiply_digit if engine.multiply_digit else 0


def beats_ahead(engine: Engine) -> int:
    """Return how many beats ahead the end of a packet is known: enough for the multiplier.

    The blocks of so many beats are also the powers of H that are kept for each key. A digit-serial
    multiplier needs neither: 0.
    """
    stages = engine.multiply_stages
    return 0 if stages is None else 4 if stages <= 2 else 8 if stages <= 6 else 16


def _tag_cycles(engine: Engine) -> int:
    stages = engine.multiply_stages
    return _multiply_cycles(engine) + 4 if stages is None else stages + 13


def _authenticated_ahead_cycles(engine: Engine) -> int:
    # Five on top of the beats that are waited for.
    return 0 if engine.multiply_digit else 5 + beats_ahead(engine)


def _authenticated_extra_cycles(engine: Engine) -> int:
    # The shell's nine, and those of the counter.
    beside = 9 + (2 if engine.multiply_digit else 7)
    return beside + _tag_cycles(engine) + _authenticated_ahead_cycles(engine)


def _authenticated_zeroize_cycles(engine: Engine) -> int:
    slots = 1 << engine.core.slot_bits
    queues = _depth(engine) + _tag_cycles(engine) + 7
    blocks = max(1, beats_ahead(engine) * engine.blocks_per_beat)
    powers = slots * blocks + (engine.multiply_stages or 0) + 8
    return max(queues, powers, _hold_rest(engine)) + 4


def _hold_rest(engine: Engine) -> int:
    """Return the cycles that zeroize the buffer of packets that wait for their tag."""
    return engine.hold_places + 5 if engine.hold_places else 0


def _unit_extra_cycles(engine: Engine) -> int:
    # The shell's nine, the mode's two and three to see the next beat; the second time through the
    # core of the block before part of one.
    return 14 + (engine.core.latency_cycles + 3) * bool(engine.stealing)


def second_core(engine: Engine) -> Design:
    """Return the core that serves the contexts: of two rounds if a beat has several blocks."""
    core = engine.core
    rounds = 2 if core.tiles > 1 else 1
    return dataclasses.replace(
        core, direction="encrypt", unroll=rounds, tiles=1, sbox=core.key_sbox_style
    )


def _second_core_zeroize_cycles(engine: Engine, after: int, least: int) -> int:
    """Return cycles of `zeroize`.

    Args:
        engine: with a second core.
        after: cycles, after the queues of the shell, of what is around the core.
        least: of other memories.
    """
    queues = _depth(engine) + 6 + engine.blocks_per_beat + after
    waits = (1 << (engine.core.latency_cycles + 1).bit_length()) + 4
    # That core has more places for round keys than the other has stages.
    more = max(0, second_core(engine).zeroize_cycles - engine.core.zeroize_cycles)
    return max(queues, waits, least) + 4 + more


def _unit_zeroize_cycles(engine: Engine) -> int:
    latency = engine.core.latency_cycles
    # The masks of results wait for twice the latency.
    masks = (1 << (2 * latency + 1).bit_length()) + 4
    return _second_core_zeroize_cycles(engine, latency + 7 if engine.stealing else 5, masks)


def _verifies(engine: Engine) -> bool:
    return engine.core.direction == "both"


def _offset_extra_cycles(engine: Engine) -> int:
    # The shell's nine, the mode's one, one to index the table and two to compare; the tag that is
    # compared enters the core after the text.
    return 13 + (engine.core.latency_cycles + 2) * _verifies(engine)


def _offset_zeroize_cycles(engine: Engine) -> int:
    table = (16 << engine.core.slot_bits) + 2
    least = max(table, _hold_rest(engine))
    after = engine.core.latency_cycles + 6 if _verifies(engine) else 4
    return _second_core_zeroize_cycles(engine, after, least)


def _ring_cycles(core: Design) -> int:
    """Return what the queues before a ring cost two calls."""
    return 0 if core.is_unrolled else 8


def _interleaved_zeroize_cycles(engine: Engine) -> int:
    return max(_depth(engine) + 6, (1 << engine.tid_bits) + 6, _hold_rest(engine)) + 3


_ONE_BLOCK = "with feedback a beat is one block, as the next one waits for its result"

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            name="forward",
            top="aesforge_engine",
            csr_top="aesforge_engine_axi",
            label="no block waits for another's result",
            choices=("id_bits", "queue_ram", "contexts"),
            context=_CONTEXT,
            mode_bits=2,
            parameters_left_out=frozenset({"TagBits", "ShortTags", "Stealing", "Streams"}),
            extra_cycles=_forward_extra_cycles,
            unused_places=4,
            credit_cycles=1,
            zeroize_cycles=lambda engine: _depth(engine) + 11,
        ),
        Kind(
            name="interleaved",
            top="aesforge_engine_interleaved",
            csr_top="aesforge_engine_axi",
            label="blocks wait for results of their packet, so packets of several streams (tid) "
            "take "
            "turns",
            choices=("streams", "contexts"),
            context=_CONTEXT,
            mode_bits=3,
            # The cipher goes forwards in every mode with feedback, and tid is the stream.
            parameters_left_out=frozenset(
                {"TagBits", "ShortTags", "Stealing", "Direction", "IdBits", "QueueStyle"}
            ),
            # A ring waits for a free place, after a queue.
            extra_cycles=lambda engine: 11 if engine.core.is_unrolled else 15,
            unused_places=3,
            credit_cycles=-3,
            zeroize_cycles=_interleaved_zeroize_cycles,
            loop_cycles=lambda core: 5 if core.is_unrolled else 9,
            accepts_early=True,
            why_one_block=_ONE_BLOCK,
            why_forward="with feedback the cipher goes forwards only, in both ways",
        ),
        Kind(
            name="authenticated",
            top="aesforge_engine_gcm",
            csr_top="aesforge_engine_gcm_axi",
            keeps_results=True,
            label="packets of associated data, text and a tag, which is made or compared inside",
            choices=(
                *("id_bits", "multiply_stages", "multiply_digit", "short_tags", "release"),
                *("hold_beats", "iv", "queue_ram", "contexts"),
            ),
            counted_top="aesforge_engine_gcm_counted",
            context=("slot", "iv", "iv_kind", "decrypt", "tag_bytes"),
            mode_bits=0,
            parameters_left_out=frozenset({"TagBits", "Direction", "Modes", "Stealing", "Streams"}),
            extra_cycles=_authenticated_extra_cycles,
            ahead_cycles=_authenticated_ahead_cycles,
            interval_cycles=lambda engine: (
                _multiply_cycles(engine) + 2 if engine.multiply_digit else 1
            ),
            unused_places=4,
            credit_cycles=1,
            zeroize_cycles=_authenticated_zeroize_cycles,
            tiles=(1, 2, 4),
            why_forward="GCM encrypts counter blocks in both ways",
            why_stored="the powers of the hash subkey are made once for each key, and kept with it",
            accepts_early=True,
            context_after="m_axis",
        ),
        Kind(
            name="data-unit",
            top="aesforge_engine_xts",
            csr_top="aesforge_engine_xts_axi",
            keeps_results=True,
            label="a packet is a data unit; its tweak comes from a second core, of one or two "
            "rounds",
            choices=("id_bits", "stealing", "queue_ram", "contexts"),
            context=("slot", "iv", "more", "decrypt"),
            mode_bits=0,
            parameters_left_out=frozenset({"TagBits", "Unroll", "Modes", "ShortTags", "Streams"}),
            extra_cycles=_unit_extra_cycles,
            ahead_cycles=lambda _: 3,
            unused_places=4,
            credit_cycles=1,
            zeroize_cycles=_unit_zeroize_cycles,
            tiles=(1, 2, 4),
            why_stored="a data unit needs its tweak before its first block",
            why_unrolled="a block that gives bytes to the last one goes through the core a second "
            "time, a fixed number of cycles after the first",
            accepts_early=True,
            second_core=True,
            context_after="m_axis",
        ),
        Kind(
            name="offset",
            top="aesforge_engine_ocb",
            csr_top="aesforge_engine_ocb_axi",
            keeps_results=True,
            label="packets of associated data, text and a tag; the offset of each comes from a "
            "second core, of one round",
            choices=("id_bits", "release", "hold_beats", "queue_ram", "contexts"),
            context=("slot", "iv", "iv_bytes", "decrypt", "tag_bytes"),
            mode_bits=0,
            parameters_left_out=frozenset(
                {"TagBits", "Tiles", "Unroll", "Modes", "ShortTags", "Stealing", "Streams"}
            ),
            extra_cycles=_offset_extra_cycles,
            ahead_cycles=lambda _: 1,
            unused_places=4,
            credit_cycles=1,
            zeroize_cycles=_offset_zeroize_cycles,
            why_one_block="an engine with several blocks in a beat has no offsets yet",
            why_stored="the table of a key is made once, and kept with it",
            why_unrolled="a tag to compare goes through the core a fixed number of cycles after "
            "the text",
            accepts_early=True,
            second_core=True,
            context_after="m_axis",
        ),
        Kind(
            name="ccm",
            top="aesforge_engine_ccm",
            csr_top="aesforge_engine_ccm_axi",
            keeps_results=True,
            label="packets of associated data, text and a tag, as long as their contexts say; "
            "those of several streams (tid) take turns",
            choices=("streams", "release", "hold_beats", "contexts"),
            context=(
                *("key", "slot", "iv", "iv_bytes", "decrypt", "tag_bytes", "aad_bytes"),
                "text_bytes",
            ),
            mode_bits=0,
            parameters_left_out=frozenset(
                {
                    *("TagBits", "ShortTags", "Stealing", "Direction", "IdBits"),
                    *("QueueStyle", "Modes"),
                }
            ),
            # The core a second time, and three around it. Each call of a ring waits as above.
            extra_cycles=lambda engine: 14 + engine.core.latency_cycles + _ring_cycles(engine.core),
            unused_places=3,
            credit_cycles=-3,
            zeroize_cycles=_interleaved_zeroize_cycles,
            loop_cycles=lambda core: 8 + core.latency_cycles + _ring_cycles(core),
            calls=2,
            accepts_early=True,
            # A place of every stream is paid for: an Ethernet frame fits.
            hold_beats=128,
            why_one_block=_ONE_BLOCK,
            why_forward="CCM encrypts in both ways: counter blocks and the blocks of the MAC",
        ),
    )
}

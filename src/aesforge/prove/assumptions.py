# SPDX-License-Identifier: Apache-2.0
"""What a proof assumes and what it does not cover, for the certificate and docs/proof.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aesforge.design import Design
from aesforge.prove.certificate import ABC, RECOGNIZE

Applies = Callable[[Design, str | None, str], bool]
"""Whether a statement is about a proof: its design, its family (None for RTL) and its route."""


@dataclass(frozen=True)
class Statement:
    """One thing that a proof assumes, or does not cover."""

    id: str
    """A short name that programs can rely on; it stays when the text gets clearer."""
    text: str
    about: str = "all proofs"
    """Which proofs it is about, for people."""
    applies: Applies = lambda *_: True


def _netlist(_design: Design, family: str | None, _route: str) -> bool:
    return family is not None


def _stored(design: Design, _family: str | None, _route: str) -> bool:
    return not design.is_agile


ASSUMPTIONS = (
    Statement(
        "yosys",
        "Yosys reads SystemVerilog correctly. A value that Yosys leaves undefined is a free input "
        "here, a new one in each cycle; but Yosys may itself choose a value for what the RTL "
        "leaves open.",
    ),
    Statement(
        "cell-models",
        "The models of a family's cells match the cells. They are those of Yosys, which also made "
        "the netlist, by other steps than it reads it back. Those of block RAM are ours "
        "(`families/models`, from the vendors' manuals): Yosys has none that can be read back. "
        "They cover read-only memories, as S-boxes are. A netlist that writes to one is refused, "
        "by name.",
        "netlists",
        _netlist,
    ),
    Statement(
        "aesforge-recognize",
        "`aesforge.prove` is correct where it joins modules, expands read-only memories, finds "
        "S-boxes, tells cases apart, unrolls, builds graphs and computes normal forms.",
        "route `recognize`",
        lambda _design, _family, route: route == RECOGNIZE,
    ),
    Statement(
        "aesforge-abc",
        "`aesforge.prove` is correct where it joins modules, expands read-only memories, tells "
        "cases apart, unrolls and builds graphs.",
        "route `abc`",
        lambda _design, _family, route: route == ABC,
    ),
    Statement("abc", "ABC's answer is correct."),
    Statement(
        "clock",
        "There is one clock, and registers change on its rising edge only (others are refused). "
        "An asynchronous reset in a cell model is taken as synchronous.",
    ),
)

NOT_COVERED = (
    Statement(
        "flattening",
        "A netlist is read while the modules that were mapped alone, mostly S-boxes, are still "
        "modules. Yosys flattens them before placement.",
        "netlists",
        _netlist,
    ),
    Statement("placement", "Placement, routing, bitstream and board."),
    Statement("physical", "Glitches, SEUs, and side channels other than the cycle of an event."),
    Statement(
        "secrets-before-reset",
        "Secrets from before the last reset, or with it: `rst` does not zeroize.",
    ),
    Statement(
        "second-key",
        "A second key for a slot, beyond that it waits for blocks under the first one.",
        "stored keys",
        _stored,
    ),
    Statement(
        "early-block",
        "Blocks under a slot before its key load is over.",
        "stored keys",
        _stored,
    ),
)

# Of engines, beside those of their cores; some only of interleaved ones, or of the others.
_INTERLEAVED, _OTHERS = "interleaved engines", "engines but interleaved ones"
_STREAMS = Statement(
    "aesforge-streams",
    "`aesforge.prove` is correct where it puts an engine's proof together and builds the graph "
    "of a step from one cycle to the next; Kissat, inside ABC, answers correctly.",
    "engines",
)
_ZEROIZE = Statement("engine-zeroize", "Packets before, during and after `zeroize`.", "engines")
_NETLIST = Statement(
    "engine-netlist", "The engine's netlist, and the AXI4-Lite CSRs around an engine.", "engines"
)
ENGINE_ASSUMPTIONS = (
    _STREAMS,
    Statement(
        "senders-wait",
        "What is at `s_axis` or `s_ctx` with `tvalid` high stays until it is accepted or reset, as "
        "AXI4-Stream demands; only `tvalid` matters for the proof.",
        "engines",
    ),
    Statement(
        "queue-width",
        "`aesforge_queue_ram` treats each bit of a word alike and on its own: it is proved with "
        "words of one bit.",
        _OTHERS,
    ),
    Statement(
        "core-model",
        "A core as its own proof says does nothing that its model in `formal/engines` does not. "
        "That is an argument of this page, not of a tool.",
        "engines",
    ),
    Statement(
        "each-stream",
        "What the proof shows of the stream that is followed, up to a cycle, holds of every stream "
        "up to that cycle, since any stream may be the one. And a packet's result is AES of what "
        "its calls of the core are shown to be. Both are arguments of this page, not of a tool.",
        _INTERLEAVED,
    ),
    Statement(
        "later-keys",
        "The core's own proof is about the first key that it accepts after a reset, with "
        "`key_valid` low while it expands that key. Every later key load, for the same slot or "
        "another, is assumed to store its key as that one does, and `key_valid` without "
        "`key_ready` to change nothing.",
        "engines with stored keys",
        _stored,
    ),
)

ENGINE_NOT_COVERED = (
    Statement(
        "engine-progress",
        "That a beat or a key is accepted, or a beat comes out, within some time. `make prove` "
        "shows it of the shell, with small parameters.",
        "engines",
    ),
    _ZEROIZE,
    _NETLIST,
)

# Of engines of which parts are proved, beside those of their cores.
_PARTS, OCB_AND_XTS = "engines of GCM, OCB, XTS and CCM", "engines of OCB and XTS"
ONLY_GCM, ONLY_CCM = "engines of GCM", "engines of CCM"
PART_ASSUMPTIONS = (
    _STREAMS,
    Statement(
        "gcm-neighbours",
        "Of what the claims in `formal/modes` assume of the parts' neighbours, no proof shows that "
        "the powers of a subkey are written before its packets come; that, with several blocks in "
        "a beat, these are counted right before they come to GHASH; that bytes that are not kept "
        "are zero, and so is the core's result for a beat that bypasses it; and that no packet has "
        "2^60 bytes. Simulation asserts the third.",
        ONLY_GCM,
    ),
    Statement(
        "gcm-order",
        "Beats leave the shell's RAM of sidebands in the order in which they enter the modes: what "
        "the claim about the tag assumes is proved where they enter. The engines above show it of "
        "the same shell.",
        ONLY_GCM,
    ),
    Statement(
        "gcm-stages",
        "What parts assume is proved in the engine with a core of one stage in a round: the engine "
        "around it treats its latency, which is only the length of delays, alike.",
        ONLY_GCM,
    ),
    Statement(
        "ccm-neighbours",
        "The neighbours of the mode do what its claim in `formal/modes` assumes: a stream has one "
        "beat in work, and its next one two cycles after that has left; all of a packet has its "
        "context. Simulation asserts it.",
        ONLY_CCM,
    ),
    Statement(
        "part-models",
        "What is proved of multipliers, counters, delays and GHASH carries over to the models that "
        "stand for them, and what `make prove` shows of a queue to the model of it; two key slots "
        "stand for all, two streams of CCM for any number, eight contexts for sixteen, beats of "
        "one bit in the lookahead, and words of two in delays, for wider ones, and exponents of H "
        "count modulo 2^8. The hash of a packet is the sum of the hashes of its blocks, each "
        "alone: by induction, as the hash of a sum is the sum of the hashes. These are arguments "
        "of this page, not of a tool.",
        _PARTS,
    ),
    Statement(
        "part-latency",
        "The modes of OCB and XTS treat the latency of their core, which is only the length of "
        "delays, alike whatever it is: they are proved with 4 cycles.",
        OCB_AND_XTS,
    ),
)
PART_NOT_COVERED = (
    Statement(
        "part-connections",
        "That the engine connects its parts as the mode has them, beyond what their claims assume "
        "of their neighbours.",
        _PARTS,
    ),
    Statement(
        "part-others",
        "The engine's other parts. `make prove` proves, with small parameters, the handshakes of "
        "the shell, the key-update interlocks, that XTS refuses two equal keys, and that `release` "
        "withholds a packet until its end.",
        _PARTS,
    ),
    _ZEROIZE,
    _NETLIST,
)


def of_proof(
    statements: tuple[Statement, ...], design: Design, family: str | None, route: str
) -> list[dict[str, str]]:
    """Return those of some statements that are about one proof: `id` and `text` of each.

    Args:
        statements: :data:`ASSUMPTIONS` or :data:`NOT_COVERED`, or those of engines.
        design: the core, also that of an engine.
        family: of the netlist; None for the RTL.
        route: one of `aesforge.prove.certificate.ROUTES`.
    """
    return [
        {"id": one.id, "text": one.text} for one in statements if one.applies(design, family, route)
    ]


def of_engine(
    statements: tuple[Statement, ...], core: Design, route: str, *, interleaved: bool
) -> list[dict[str, str]]:
    """Return those of some statements about engines that are about the proof of one.

    Args:
        statements: :data:`ENGINE_ASSUMPTIONS` or :data:`ENGINE_NOT_COVERED`.
        core: of the engine.
        route: of the core's proof, one of `aesforge.prove.certificate.ROUTES`.
        interleaved: whether packets of several streams take turns in it.
    """
    other = _OTHERS if interleaved else _INTERLEAVED
    kept = tuple(one for one in statements if one.about != other)
    return of_proof(kept, core, None, route)

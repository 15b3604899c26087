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
        "here, a new one in each cycle. But Yosys may itself choose a value where the RTL leaves "
        "one open.",
    ),
    Statement(
        "cell-models",
        "The simulation models of a family's cells match the silicon. They are Yosys's, which "
        "also made the netlist, though in other passes than those that read it back. The models "
        "of block RAM are ours (`families/models`, from the vendors' manuals), since Yosys has "
        "none that can be read back. They cover read-only memories, such as S-boxes; a netlist "
        "that writes to a block RAM is refused, by name.",
        "netlists",
        _netlist,
    ),
    Statement(
        "aesforge-recognize",
        "`aesforge.prove` is correct where it flattens the hierarchy, expands read-only memories, "
        "finds S-boxes, splits cases, unrolls, builds graphs and computes normal forms.",
        "route `recognize`",
        lambda _design, _family, route: route == RECOGNIZE,
    ),
    Statement(
        "aesforge-abc",
        "`aesforge.prove` is correct where it flattens the hierarchy, expands read-only memories, "
        "splits cases, unrolls and builds graphs.",
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
        "The netlist is read before modules that were mapped separately, mostly S-boxes, are "
        "flattened. Yosys flattens them before placement.",
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
        "A second key for a slot, except that it waits for blocks under the first one.",
        "stored keys",
        _stored,
    ),
    Statement(
        "early-block",
        "Blocks for a slot whose key is still being loaded.",
        "stored keys",
        _stored,
    ),
)

# Of engines, beside those of their cores; some only of interleaved ones, or of the others.
_INTERLEAVED, _OTHERS = "interleaved engines", "engines other than interleaved ones"
_STREAMS = Statement(
    "aesforge-streams",
    "`aesforge.prove` is correct where it assembles an engine's proof and builds the graph of one "
    "clock cycle; Kissat, inside ABC, answers correctly.",
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
        "Senders follow AXI4-Stream: once `tvalid` is high at `s_axis` or `s_ctx`, the transfer "
        "stays until it is accepted or reset. The proof uses this of `tvalid` only.",
        "engines",
    ),
    Statement(
        "queue-width",
        "`aesforge_queue_ram` treats the bits of a word alike and independently: it is proved for "
        "words of one bit.",
        _OTHERS,
    ),
    Statement(
        "core-model",
        "The core, as its own proof describes it, does nothing that its model in `formal/engines` "
        "does not. This is argued on this page, not checked by a tool.",
        "engines",
    ),
    Statement(
        "each-stream",
        "The proof follows one arbitrary stream. What it shows of that stream up to a cycle holds "
        "for every stream up to that cycle. And a packet's result is AES of the calls of the core "
        "that it is shown to make. Both are argued on this page, not checked by a tool.",
        _INTERLEAVED,
    ),
    Statement(
        "later-keys",
        "The core's own proof covers the first key that it accepts after a reset, with "
        "`key_valid` low while that key is expanded. Every later key load, for the same slot or "
        "another, is assumed to store its key in the same way, and `key_valid` without "
        "`key_ready` to change nothing.",
        "engines with stored keys",
        _stored,
    ),
)

ENGINE_NOT_COVERED = (
    Statement(
        "engine-progress",
        "Liveness: that a beat or a key is accepted, or a beat comes out, within some time. `make "
        "prove` shows it for the shell, with small parameters.",
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
        "Four assumptions of the claims in `formal/modes` about neighbouring modules are not "
        "proved: the powers of a hash subkey are written before its first packet; with several "
        "blocks in a beat, GHASH is told the right number of blocks that follow; bytes that are "
        "not kept are zero, as is the core's result for a beat that bypasses it; no packet has "
        "2^60 bytes. Simulation asserts the third.",
        ONLY_GCM,
    ),
    Statement(
        "gcm-order",
        "Beats leave the shell's sideband RAM in the order in which they entered the modes. What "
        "the claim about the tag assumes is proved at the entry. The proofs of the other engines "
        "show this order for the same shell.",
        ONLY_GCM,
    ),
    Statement(
        "gcm-stages",
        "What modules assume is proved in an engine whose core has one pipeline stage per round. "
        "The logic around the core depends on the core's latency only through the length of its "
        "delays.",
        ONLY_GCM,
    ),
    Statement(
        "ccm-neighbours",
        "The neighbours of the mode do what its claim in `formal/modes` assumes: a stream has one "
        "beat in flight, and its next one at least two cycles after that has left; all beats of a "
        "packet have the same context. Simulation asserts it.",
        ONLY_CCM,
    ),
    Statement(
        "part-models",
        "The models that stand for multipliers, counters, delays, GHASH and queues behave as the "
        "modules that they replace were proved to. The proofs use small sizes: two key slots "
        "stand for any number, two streams of CCM for any number, eight contexts for sixteen, one "
        "bit per beat in the lookahead and two per word in delays for any width, and exponents of "
        "H count modulo 2^8. The hash of a packet is the sum of the hashes of its blocks, each "
        "alone, by induction from the proved fact that the hash of a sum is the sum of the "
        "hashes. This is argued on this page, not checked by a tool.",
        _PARTS,
    ),
    Statement(
        "part-latency",
        "The modes of OCB and XTS depend on the latency of their core only through the length of "
        "their delays: they are proved with a latency of 4 cycles.",
        OCB_AND_XTS,
    ),
)
PART_NOT_COVERED = (
    Statement(
        "part-connections",
        "That the engine connects its modules as the mode requires, beyond what their claims "
        "assume of each other.",
        _PARTS,
    ),
    Statement(
        "part-others",
        "The engine's other modules. `make prove` proves, with small parameters, the handshakes "
        "of the shell, the key-update interlocks, that XTS refuses two equal keys, and that "
        "`release` withholds a packet until its end.",
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

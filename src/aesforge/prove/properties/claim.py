# SPDX-License-Identifier: Apache-2.0
"""What is claimed of a core, and the graphs in which it must show.

The claim: whenever a core after a reset accepts a block, and neither `rst` nor `zeroize` comes
before it is out, then at the computed cycle `out_valid` is up, `out_tag` is the block's tag and
`out_block` what FIPS 197 says of the block and its key, whatever else has come before, comes beside
it or comes after it.

It is shown for a core in any state whatever, but for what a reset fixes for ever:

- registers that keep one value after a reset, whatever comes in;
- counters that run by themselves after a reset: each of their states is a case;
- what must hold for the core to say `in_ready`: each way to meet it is a case;
- of several rings side by side, what each can hold in its account: see
  :mod:`aesforge.prove.analysis.rings`.

Registers that hold keys and blocks, and the account of other blocks in the ring, may hold anything.
With stored keys, a key is loaded first, as soon as the core takes one after a reset; what its slot
then holds is carried over into the state in which a block meets it. Keys for other slots may come
at any time after that, and one for the same slot with the block or later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aesforge.design import Design
from aesforge.errors import UsageError
from aesforge.netlist.aig import Aig
from aesforge.prove.analysis.rings import Compare
from aesforge.prove.engines.equal import compare
from aesforge.prove.properties import handshake
from aesforge.prove.properties.blocks import block_cases
from aesforge.prove.properties.case import Case
from aesforge.prove.properties.core import Core
from aesforge.prove.properties.key_expansion import round_key_cases
from aesforge.prove.properties.key_load import ready_after


def require_supported(design: Design) -> None:
    """See that there is a claim for a design.

    Raises:
        UsageError: there is none, with the reason.
    """
    if not design.is_standard:
        raise UsageError(
            f"there is nothing to prove of {design.name}: {design.warning}. FIPS 197 does not say "
            "what it should compute; `aesforge check` compares it with our model of the scheme"
        )


def core_of(circuit: Aig, design: Design) -> Core:
    """Return the core that a circuit is.

    Raises:
        UsageError: the claim does not cover designs of this kind.
    """
    require_supported(design)
    return Core(circuit, design)


def cases(
    core: Core, say: Callable[[str], None] = lambda _: None, compare: Compare = compare
) -> Iterator[Case]:
    """Return every case of the claim, one after the other.

    Args:
        core: the core.
        say: called with each intermediate result.
        compare: decides what has to be proved of control first.

    Raises:
        CheckFailed: it does not hold.
        UsageError: there are too many cases.
    """
    of_kind = round_key_cases if core.design.is_key_expansion else block_cases
    return of_kind(core, say, compare)


def claim_text(design: Design) -> str:
    """Return the claim for a design, as the certificate states it."""
    waits = (
        f" key_ready is low from t + 1 to t + {design.latency_cycles - 1}."
        if design.is_serial
        else ""
    )
    return f"{_outputs_text(design)}{waits} {handshake.text(design)}"


def _outputs_text(design: Design) -> str:
    if design.is_key_expansion:
        return (
            "After a reset, whenever in_valid and in_ready are up in a cycle t, and neither rst "
            f"nor zeroize is up from t to t + {design.latency_cycles}: for each r from 0 to "
            f"{design.rounds}, at t + {design.stages} r, out_valid of "
            f"{handshake.round_key_output(design)} is up, out_tag is the in_tag of t, and the "
            f"round key is w[4r..4r+3] of KEYEXPANSION(in_key) of FIPS 197 with "
            f"{design.key_bits}-bit keys, for every key and tag and whatever else comes in at any "
            "time."
            + (
                ""
                if design.is_unrolled
                else " In no other cycle up to "
                f"t + {design.latency_cycles + design.stages} is out_valid up."
            )
        )
    function = {
        "encrypt": "CIPHER(block, key)",
        "decrypt": "INVCIPHER(block, key)",
        "both": "INVCIPHER(block, key) if in_decrypt came with it, else CIPHER(block, key)",
    }[design.direction]
    key = "key = in_key" if design.is_agile else _key_text(design)
    each = " in each block" if design.blocks_per_beat > 1 else ""
    return (
        "After a reset, whenever in_valid and in_ready are up in a cycle t, with block = in_block "
        f"and {key}, and neither rst nor zeroize is high from t to t + {design.latency_cycles}: at "
        "t + "
        f"{design.latency_cycles} out_valid is up, out_tag is the in_tag of t, and "
        f"out_block{each} is {function} of FIPS 197 with {design.key_bits}-bit keys, for every "
        "block, key and tag and whatever else comes in at any time."
    )


def _key_text(design: Design) -> str:
    """Return which stored key is that of a block, as the certificate states it."""
    first = "accepted as soon as key_ready is up after the reset"
    rest = f"at least {ready_after(design)} cycles before t"
    if design.is_serial:
        return f"key = the one {first}, {rest}, and no zeroize and no other key since"
    return (
        f"key = the one for the block's slot {first}, {rest}, with key_valid low in the "
        f"{ready_after(design) - 1} cycles after it, and no zeroize and no other key for this slot "
        "before t (keys for other slots come at any time, and for this slot from t on)"
    )

# SPDX-License-Identifier: Apache-2.0
"""Where words lie in aesforge_axis_queue, and in the output queue of a stream shell."""

from __future__ import annotations

Probes = dict[str, tuple[str, int]]


def of_queue(name: str, path: str, bits: int, places: int) -> Probes:
    """Return a probe for each register of a queue in block RAM that holds a word.

    Args:
        name: what the names of the probes begin with.
        path: of the queue.
        bits: of a word.
        places: in its RAM.
    """
    return {
        f"{name}_first": (f"{path}.u_ram.gen_block.first_q", bits),
        f"{name}_second": (f"{path}.second_q", bits),
        f"{name}_spare": (f"{path}.u_slice.spare_q", bits),
        **{
            f"{name}_at_{place}": (f"{path}.u_ram.gen_block.memory[{place}]", bits)
            for place in range(places)
        },
    }


def of_output_queue(shell: str, word: int, depth: int, *, blocks: int = 1) -> Probes:
    """Return the same of the output queue of a shell.

    Args:
        shell: path of the shell.
        word: bits of a word.
        depth: places.
        blocks: of a beat; those after the first have a queue each.
    """
    found = of_queue("word", f"{shell}.u_queue", word - 128 * (blocks - 1), depth)
    for block in range(1, blocks):
        found |= of_queue(f"word_{block}", f"{shell}.gen_apart[{block}].u_queue", 128, depth)
    return found

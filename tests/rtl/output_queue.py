# SPDX-License-Identifier: Apache-2.0
"""Where words lie in the output queue of a stream shell."""

from __future__ import annotations


def probes(shell: str, word: int, depth: int, *, blocks: int = 1) -> dict[str, tuple[str, int]]:
    """Return a probe for each register of the queue that holds data: its path, and its bits.

    Args:
        shell: path of the shell.
        word: bits of a word.
        depth: places.
        blocks: of a beat; those after the first have a queue each.
    """
    queues = {"word": (f"{shell}.u_queue", word - 128 * (blocks - 1))}
    for block in range(1, blocks):
        queues[f"word_{block}"] = (f"{shell}.gen_apart[{block}].u_queue", 128)
    found = {}
    for name, (path, bits) in queues.items():
        found[f"{name}_first"] = (f"{path}.u_ram.gen_block.first_q", bits)
        found[f"{name}_second"] = (f"{path}.second_q", bits)
        found[f"{name}_spare"] = (f"{path}.u_slice.spare_q", bits)
        for place in range(depth):
            found[f"{name}_at_{place}"] = (f"{path}.u_ram.gen_block.memory[{place}]", bits)
    return found

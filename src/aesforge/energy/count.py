# SPDX-License-Identifier: Apache-2.0
"""Count the transitions of a routed core while random blocks go through it.

spent = spend(bench_of(load("compact"), device("LFE5U-85F-8"), seed=1))
spent.per_block, spent.shares
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING

from aesforge.energy.model import Energy, Keys, Tally
from aesforge.errors import CheckFailed, UsageError
from aesforge.measure.harness import INSTANCE
from aesforge.netlist.module import Bit
from aesforge.simulate.timed.bench import Bench, corrupt, enters_in, places_in, traffic
from aesforge.simulate.timed.circuit import Circuit, Node, Register
from aesforge.simulate.timed.routing import Net
from aesforge.simulate.timed.simulator import Simulation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What is counted where nothing else is asked for. The spread over seeds of the traffic is below one
# percent then.
BLOCKS = 200
SEED = 197


def spend(bench: Bench, *, blocks: int = BLOCKS, keys: Keys = "each", seed: int = SEED) -> Energy:
    """Count the transitions of a routed core while random blocks go through at its full rate.

    Counting begins when the core is full and ends when the last counted block's successor is
    taken, so that exactly so many blocks' work is done in between.

    Args:
        bench: the core.
        blocks: to count; of a ring, rounded up to whole fillings.
        keys: whether `each` block has a key of its own or all have `one`.
        seed: of the random blocks and keys.

    Raises:
        UsageError: there is no block to count.
        CheckFailed: a block differs from OpenSSL's.
    """
    if blocks < 1:
        raise UsageError("energy per block needs at least one block")
    first, count = _window(bench, blocks)
    places = places_in(bench.design)
    data, key = _random(first + count + places, seed, bench.design.key_bits // 8)
    sent = traffic(bench, data, key if keys == "each" else key[:1])
    counted = range(int(sent.enters[first]), int(sent.enters[first + count]))
    # Twice the static bound: everything has settled at every edge.
    with Simulation(bench.circuit, sent.stimulus) as simulation:
        timed = simulation.run(2 * bench.circuit.static_ps(), counted)
    if wrong := int(corrupt(bench, sent, timed.values).sum()):
        raise CheckFailed(
            f"{bench.design.name}: {wrong} of {len(data)} blocks differ from OpenSSL's: the "
            "netlist, or the timed simulation of it, is wrong"
        )
    assert timed.counts is not None
    return Energy(
        keys=keys,
        traffic_seed=seed,
        blocks=count,
        cycles=len(counted),
        transitions=tally(bench.circuit, bench.nets, timed.counts.transitions),
        settled=tally(bench.circuit, bench.nets, timed.counts.needed),
        writes=int(timed.counts.writes.sum()),
        clock=2 * len(counted) * bench.clock_pins,
        nets=len(_ours(bench.circuit)),
        clock_pins=bench.clock_pins,
    )


def tally(circuit: Circuit, nets: Mapping[Bit, Net], transitions: NDArray[np.uint32]) -> Tally:
    """Return the transitions of the nets that cells of the core drive, plain and weighted.

    Args:
        circuit: with the core and the registers around it.
        nets: of the routed netlist, by number.
        transitions: of each source of the circuit.
    """
    every = [(int(transitions[n]), nets[net]) for n, net in _ours(circuit)]
    return Tally(
        outputs=sum(count for count, _ in every),
        tiles=sum(count * net.tiles for count, net in every),
        pins=sum(count * net.pins for count, net in every),
    )


def _ours(circuit: Circuit) -> list[tuple[int, Bit]]:
    """Return the number and the net of each source that is a cell of the core."""
    sources: list[Node | Register] = [*circuit.parts.nodes, *circuit.parts.registers]
    return [
        (n, source.net)
        for n, source in enumerate(sources)
        if source.cell.startswith(f"{INSTANCE}.")
    ]


def _window(bench: Bench, blocks: int) -> tuple[int, int]:
    """Return the first block that is counted, and how many are: whole fillings of a ring."""
    places = places_in(bench.design)
    count = -(-blocks // places) * places
    full = bench.design.latency_cycles + 1
    first = 0
    while enters_in(bench.design, first + 1)[-1] < full:
        first += places
    return first, count


def _random(count: int, seed: int, key_bytes: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return blocks and keys, always the same for a seed; count x 16 and count x key bytes."""
    import numpy as np

    data = np.frombuffer(random.Random(seed).randbytes(48 * count), np.uint8).reshape(count, 48)
    return data[:, :16].copy(), data[:, 16 : 16 + key_bytes].copy()

# SPDX-License-Identifier: Apache-2.0
"""The AESAVS Monte Carlo test, 100 x 1,000 chained blocks, through a core of one round: three key
sizes, two directions, beside OpenSSL."""

from __future__ import annotations

import functools
import random

import pytest

from aesforge.design import Design
from aesforge.reference import openssl, vectors
from aesforge.simulate import CHAIN, WAIT, Simulator


def chain_through(
    simulator: Simulator, decrypt: bool, key: bytes, block: bytes, count: int
) -> tuple[bytes, bytes]:
    """Return the last two of ``count`` chained results of the core."""
    ops = simulator.new_ops(2)
    ops["op"] = CHAIN, WAIT
    ops["decrypt"] = decrypt
    ops["arg"][0] = count
    ops["key"][0, : len(key)] = list(key)
    ops["block"][0] = list(block)
    result = simulator.run(ops)
    assert len(result.rows) == count
    return result.rows["block"][-2].tobytes(), result.rows["block"][-1].tobytes()


@pytest.mark.parametrize("key_bits", vectors.KEY_BITS)
def test_hundred_thousand_chained_blocks_each_way(key_bits: int) -> None:
    # The decrypting half of a core that does both is the costly one; one model serves both.
    design = Design(
        key_bits=key_bits, direction="both", unroll=1, sbox="table", sbox_stages=0, linear_stages=1
    )
    rng = random.Random(key_bits)
    with Simulator(design) as simulator:
        for decrypt in (False, True):
            key, block = rng.randbytes(key_bits // 8), rng.randbytes(16)
            core = functools.partial(chain_through, simulator, decrypt)
            ours = list(vectors.monte_carlo(key, block, core))
            theirs = list(vectors.monte_carlo(key, block, openssl.ecb_chain(decrypt)))
            assert len(ours) == 100
            assert ours == theirs

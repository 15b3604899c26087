# SPDX-License-Identifier: Apache-2.0
"""Prove that a core, as RTL or as a netlist, computes FIPS 197, and an engine its mode.

    proof = prove(load("compact"), family="ecp5")
    assert proof.result == "proved"

The claim is in :mod:`aesforge.prove.properties.claim`, the argument in docs/proof.md.
"""

from aesforge.prove.certificate import Proof
from aesforge.prove.run import prove, prove_circuit
from aesforge.prove.streams import prove_stream
from aesforge.prove.synthesis import synthesis_of
from aesforge.prove.verify import verify

__all__ = ["Proof", "prove", "prove_circuit", "prove_stream", "synthesis_of", "verify"]

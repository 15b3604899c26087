# SPDX-License-Identifier: Apache-2.0
"""Prove that a core, as RTL or as the netlist for a device family, computes FIPS 197.

    proof = prove(load("compact"), family="ecp5")
    assert proof.result == "proved"

The claim is in :mod:`aesforge.prove.properties.claim`, the argument in docs/proof.md.
"""

from aesforge.prove.certificate import Proof
from aesforge.prove.run import prove, prove_circuit, verify
from aesforge.prove.synthesis import synthesis_of

__all__ = ["Proof", "prove", "prove_circuit", "synthesis_of", "verify"]

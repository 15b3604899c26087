# SPDX-License-Identifier: Apache-2.0
"""From the core that is proved to the netlist that nextpnr routed.

    chain = follow(None, Path("routed.json"), device("iCE40HX8K"), design=load("compact"))
    assert chain.result == "equal"

For iCE40, ECP5 and Gowin. What each link claims, and what is relied on, is in docs/proof.md.
"""

from aesforge.prove.implementation.chain import Chain, follow
from aesforge.prove.implementation.contents import Contradiction
from aesforge.prove.implementation.make import Files, make

__all__ = ["Chain", "Contradiction", "Files", "follow", "make"]

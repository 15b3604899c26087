# SPDX-License-Identifier: Apache-2.0
"""Read a bitstream back, and compare it with the routed netlist that it was made of.

    found = compare_files(Path("core.bin"), Path("routed.json"), device("iCE40HX8K"))
    assert found.same

For iCE40, ECP5, Gowin and GateMate: a package for each has its database, what a bitstream
configures, and what a routed netlist needs. What is compared and what is relied on is in
docs/proof.md.
"""

from aesforge.prove.bitstream.compare import Comparison, compare, compare_files

__all__ = ["Comparison", "compare", "compare_files"]

# SPDX-License-Identifier: Apache-2.0
"""Send one block through simulated RTL: the vector of FIPS 197, Appendix B."""

from aesforge.design import load
from aesforge.simulate import BLOCK, WAIT, Simulator

design = load("compact")
with Simulator(design, optimize="build") as simulator:
    ops = simulator.new_ops(2)
    ops["op"] = BLOCK, WAIT
    ops[0]["key"][:16] = list(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"))
    ops[0]["block"][:] = list(bytes.fromhex("3243f6a8885a308d313198a2e0370734"))
    (row,) = simulator.run(ops).rows

print(design.summary())
print(f"{bytes(row['block']).hex()} after {row['out_cycle'] - row['in_cycle']} cycles")

# SPDX-License-Identifier: Apache-2.0
"""What a routed core spends on a block: transitions of its nets, glitches included, weighted.

`model` holds the weights and the records, `count` the simulation, `run` what the verb does.
"""

# SPDX-License-Identifier: Apache-2.0
"""Analysis of a circuit without a proof engine: reachable counters, tables, S-boxes, unrolling."""

# SPDX-License-Identifier: Apache-2.0
"""What a circuit tells without a proof engine: reachable counters, tables, S-boxes, unrolling."""

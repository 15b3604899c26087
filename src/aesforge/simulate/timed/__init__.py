# SPDX-License-Identifier: Apache-2.0
"""A routed core, simulated with the delays that nextpnr writes: for its margin and its energy."""

# SPDX-License-Identifier: Apache-2.0
"""A design in tables and a block diagram."""

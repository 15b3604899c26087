# SPDX-License-Identifier: Apache-2.0
"""Netlists: cells, gates, and what is read from them."""

# SPDX-License-Identifier: Apache-2.0
"""Verbs of the command line that have modules of their own."""

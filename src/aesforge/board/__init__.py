# SPDX-License-Identifier: Apache-2.0
"""A board on the desk: what runs on it, and the host's side of it."""

# SPDX-License-Identifier: Apache-2.0
"""How two functions are shown to be equal."""

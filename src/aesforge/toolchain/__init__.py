# SPDX-License-Identifier: Apache-2.0
"""Programs from wheels, the cache, the RTL sources, and missing tools."""

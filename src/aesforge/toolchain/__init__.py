# SPDX-License-Identifier: Apache-2.0
"""What lies around the work: programs from wheels, the cache, the RTL sources, what is missing."""

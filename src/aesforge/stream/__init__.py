# SPDX-License-Identifier: Apache-2.0
"""What the commands do with engines: packets, their check, files through them, bundles."""

# SPDX-License-Identifier: Apache-2.0
"""What is claimed of a core, as miters."""

# SPDX-License-Identifier: Apache-2.0
"""Files and packets through a simulated core or engine."""

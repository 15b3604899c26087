# SPDX-License-Identifier: Apache-2.0
"""Do many jobs in parallel: in processes of this machine, or on a Dask cluster."""

from __future__ import annotations

from aesforge.jobs.pool import Failed, Pool, Workers

__all__ = ["Failed", "Pool", "Workers"]

# SPDX-License-Identifier: Apache-2.0
"""A design as the files that an engineer puts into a project: of a core, and of an engine."""

# SPDX-License-Identifier: Apache-2.0
"""The generated sections of the documentation, a module for each kind of page."""

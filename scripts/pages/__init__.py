# SPDX-License-Identifier: Apache-2.0
"""The generated parts of the documentation, a module for each kind of page.

`SECTIONS` of a module: file, marker and content of each section that it writes.
"""

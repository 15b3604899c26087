# SPDX-License-Identifier: Apache-2.0
"""aesforge: compose an AES core from a design, check it, and run data through it.

The package is the library; `aesforge.cli.main` is a thin command line over it. Nothing is imported
here, so that `aesforge --help` starts at once: import the module you need, for example
`from aesforge.design import load`.
"""

__version__ = "0.1.0"

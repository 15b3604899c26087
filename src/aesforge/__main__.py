# SPDX-License-Identifier: Apache-2.0
"""`python -m aesforge`: the same as the `aesforge` command."""

from aesforge.cli.main import main

if __name__ == "__main__":
    main(prog_name="aesforge")

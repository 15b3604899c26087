# SPDX-License-Identifier: Apache-2.0
"""A board on the desk: its bitstream, at the highest clock that is met, and the host's side of it.

`data` reads the boards' files, `pll` knows what clocks a PLL makes, `applications` what runs on a
board, `signature` what its self-test has to find, `files` writes the folder and `build` calls the
tools. `frames`, `host` and `run` are the host's side of `uart_service`. No board was at hand: what
is here ran in simulation only.
"""

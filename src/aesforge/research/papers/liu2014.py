# SPDX-License-Identifier: Apache-2.0
"""The logic depth of AES's operations by Liu et al., Sec. 3.1, equations (1) to (3).

A level is a look-up table or a multiplexer between two registers, as the paper counts. What comes
out after synthesis stands beside it in `aesforge papers liu2014`.
"""

from __future__ import annotations


def sub_bytes_depth(lut_inputs: int) -> int:
    """Return L_sb, equation (1): a level of look-up tables, and 8 - K of multiplexers.

    Args:
        lut_inputs: K, 1 to 8.
    """
    return 8 - lut_inputs + 1


def mix_columns_depth(lut_inputs: int) -> int:
    """Return L_mc, equation (2): a sum of four products, and a sum of three.

    AddRoundKey, which the paper counts as one level more, needs none after synthesis: no bit of
    MixColumns has more than seven inputs, and the bit of the key is the eighth.

    Args:
        lut_inputs: K, 1 or more.
    """
    return -(-4 // lut_inputs) + -(-3 // lut_inputs)


def second_stage_depth(lut_inputs: int) -> int:
    """Return the depth of the second stage of Fig. 5a: MixColumns, and a level for AddRoundKey."""
    return mix_columns_depth(lut_inputs) + 1


def sub_bytes_is_deepest(lut_inputs: int) -> bool:
    """Say whether equation (3) holds: L_sb >= L_mc >= 2."""
    return sub_bytes_depth(lut_inputs) >= mix_columns_depth(lut_inputs) >= 2

# SPDX-License-Identifier: Apache-2.0
"""The reference model: FIPS 197 function by function, in the standard's words.

It is written to be read beside the standard and does nothing for speed. ``cipher``,
``inv_cipher`` and ``eq_inv_cipher`` take a block of 16 bytes and a key of 16, 24 or 32 bytes and
give 16 bytes. Key schemes other than the standard's, which make another cipher, stand apart in
``key_schedule`` and are used only when they are named.
"""

from aesforge.reference.cipher import Trace, cipher, eq_inv_cipher, inv_cipher
from aesforge.reference.field import Word, inverse, multiply, xtimes
from aesforge.reference.gf128 import block_product
from aesforge.reference.key_schedule import (
    RESEARCH_SCHEMES,
    hu2009_round_key,
    judgement,
    key_expansion,
    key_expansion_eic,
    key_parameters,
    liu2014_round_key,
    rcon,
    rot_word,
    round_function,
    sub_word,
    xor_words,
)
from aesforge.reference.sbox import INV_SBOX, SBOX, affine, sbox
from aesforge.reference.transformations import (
    State,
    add_round_key,
    block_of,
    inv_mix_columns,
    inv_shift_rows,
    inv_sub_bytes,
    mix_columns,
    shift_rows,
    state_of,
    sub_bytes,
    words_of,
)

__all__ = [
    "INV_SBOX",
    "RESEARCH_SCHEMES",
    "SBOX",
    "State",
    "Trace",
    "Word",
    "add_round_key",
    "affine",
    "block_of",
    "block_product",
    "cipher",
    "eq_inv_cipher",
    "hu2009_round_key",
    "inv_cipher",
    "inv_mix_columns",
    "inv_shift_rows",
    "inv_sub_bytes",
    "inverse",
    "judgement",
    "key_expansion",
    "key_expansion_eic",
    "key_parameters",
    "liu2014_round_key",
    "mix_columns",
    "multiply",
    "rcon",
    "rot_word",
    "round_function",
    "sbox",
    "shift_rows",
    "state_of",
    "sub_bytes",
    "sub_word",
    "words_of",
    "xor_words",
    "xtimes",
]

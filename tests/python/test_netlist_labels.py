# SPDX-License-Identifier: Apache-2.0
"""Places of cells in our words, and the names of registers."""

from __future__ import annotations

import pytest

from aesforge.netlist.labels import Labels, register_names
from mapped import cell, module


@pytest.mark.parametrize(
    ("name", "numbered", "plain"),
    [
        ("gen_tile[0].u_tile.u_cipher.gen_block[0].gen_round[6].u_round.u_state.q[3]",
         "round 7 / state", "round / state"),
        ("gen_tile[0].u_tile.u_cipher.gen_block[2].gen_round[0].u_round.u_state.q[3]",
         "block 3 / round 1 / state", "round / state"),
        ("gen_tile[0].u_tile.u_cipher.gen_block[0].gen_round[0].u_round.gen_sub_bytes[1]"
         ".u_sub_word.gen_byte.gen_sbox[2].u_sbox.gen_tower.u_sbox.gen_forward.cut3_q[4]",
         "round 1 / SubBytes / level 3", "round / SubBytes / level 3"),
        ("gen_tile[0].u_tile.u_cipher.gen_agile.gen_key_round[9].u_key_round.u_post.q[7]",
         "key round 10 / post", "key round / post"),
        ("out_valid", "out_valid", "out_valid"),
    ],
)  # fmt: skip
def test_registers_in_our_words(name: str, numbered: str, plain: str) -> None:
    words = Labels({"core": {"ff7": name}}, {"u_core": "core"})
    assert words.place("u_core.ff7") == numbered
    assert words.place("u_core.ff7", numbers=False) == plain
    # What xilinx_srl makes of a chain of registers that is longer than one shift register.
    assert words.place("u_core.ff7.genblk2.genblk1.fpga_srl_0") == numbered


def test_registers_of_a_module_that_was_mapped_alone() -> None:
    words = Labels(
        {"core": {}, "sbox": {"ff1": "gen_forward.cut2_q[0]"}},
        {
            "u_core": "core",
            "u_core.gen_round[3].u_round.gen_sub_bytes[0].u_sub_word.u_sbox": "sbox",
        },
    )
    cell = "u_core.gen_round[3].u_round.gen_sub_bytes[0].u_sub_word.u_sbox.ff1"
    assert words.place(cell) == "round 4 / SubBytes / level 2"


def test_logic_and_harness_in_our_words() -> None:
    words = Labels()
    assert words.place("u_core.gen_round[1].u_round.state_o_LUT4_Z_3") == "round 2"
    assert words.place("u_core.x_LUT4_Z") == "core"
    assert words.place("in_q_FF_Q") == "harness"
    assert words.place("u_core.alu.sum_LUT4_Z") == "alu"


def test_the_most_telling_name_of_a_register() -> None:
    wire = {"bits": [5], "hide_name": 0}
    numbered = {
        "cells": {
            "ff3": cell("$_DFF_P_", {"Q": 5}, D=4),
            "ff4": cell("$_DFF_P_", {"Q": 6}, D=4),
            "other": cell("$_DFF_P_", {"Q": 7}, D=4),
        },
        "netnames": {
            "u_round.gen_sub_bytes[0].u_sub_word.x": wire,
            "u_round.state_q": wire,
            "u_round.u_state.q": wire,
            "$auto$1": {"bits": [6], "hide_name": 1},
        },
    }
    assert register_names(module(numbered)) == {"ff3": "u_round.u_state.q"}

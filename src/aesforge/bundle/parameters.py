# SPDX-License-Identifier: Apache-2.0
"""The parameters of a wrapped module, as a wrapper writes them and with what they mean there."""

from __future__ import annotations

from collections.abc import Mapping

from aesforge.design import FIELDS, Design


def parameter_rows(
    design: Design, values: Mapping[str, int], more: Mapping[str, str] | None = None
) -> list[tuple[str, str, str]]:
    """Return parameters as (name, SystemVerilog text, meaning).

    Args:
        design: the core that they are about.
        values: by name.
        more: meanings of parameters that are not a core's.
    """
    named = {
        field.parameter: list(field.constants.values())
        for field in FIELDS.values()
        if field.constants
    }
    passes = "pass" if design.passes == 1 else "passes"
    if design.is_key_expansion:
        unroll = "steps in hardware"
    else:
        unroll = f"rounds in hardware; a block makes {design.passes} {passes}"
    meanings = {
        "KeyBits": f"{design.key_bits}-bit keys: Nk = {design.key_words}, Nr = {design.rounds}",
        "Direction": "encrypt, decrypt, or both block by block",
        "Unroll": unroll,
        "SboxStyle": f"how {'SubWord' if design.is_key_expansion else 'SubBytes'} is built",
        "KeySboxStyle": "how SubWord in the key schedule is built",
        "SboxStages": f"pipeline stages in {'SubWord' if design.is_key_expansion else 'SubBytes'}",
        "LinearStages": "pipeline stages in the rest of a step"
        if design.is_key_expansion
        else "pipeline stages in ShiftRows, MixColumns and AddRoundKey",
        "MixStyle": "how MixColumns is built",
        "ShiftStyle": "what gathers the columns for ShiftRows",
        "KeySlots": "a key with every block" if design.is_agile else "keys kept in the core",
        "Tiles": "whole pipelines side by side",
        "TagBits": "width of the tag",
        "DelayStyle": "how long delays are built",
        "KeyScheme": "key expansion of FIPS 197" if design.is_standard else "NOT AES, for research",
        **(more or {}),
    }
    return [
        (
            name,
            f"aesforge_pkg::{named[name][value]}" if name in named else str(value),
            meanings[name],
        )
        for name, value in values.items()
    ]

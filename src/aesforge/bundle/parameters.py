# SPDX-License-Identifier: Apache-2.0
"""The parameters of a wrapped module: the wrapper's text, and their meaning."""

from __future__ import annotations

from collections.abc import Mapping

from aesforge.design import FIELDS, Design
from aesforge.design.engine import FIELDS as ENGINE_FIELDS


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
        for field in (*FIELDS.values(), *ENGINE_FIELDS.values())
        if field.constants
    }
    meanings = {
        FIELDS[name].parameter: meaning for name, meaning in design.meanings().items()
    } | dict(more or {})
    return [
        (
            name,
            f"aesforge_pkg::{named[name][value]}" if name in named else str(value),
            meanings[name],
        )
        for name, value in values.items()
    ]

# SPDX-License-Identifier: Apache-2.0
"""Designs and engines: the choices that fix them, the rules between these, presets, loading.

`fields` declares each choice once; `rules` says which sets the RTL builds; `arch` has a class for
each architecture and `protection` error detection, which say what follows; `core` holds `Design`
and `engine` holds `Engine`; `loader` turns a name or a file into either.
"""

from __future__ import annotations

from aesforge.design.core import Design, load_choices
from aesforge.design.engine import Engine
from aesforge.design.fields import (
    ALLOWED,
    CHOICES,
    FIELD_NAMES,
    FIELDS,
    FULL,
    RANGES,
    STANDARD_SCHEME,
    text_of,
)
from aesforge.design.loader import argv_of, load, load_any
from aesforge.design.rules import divisors, why_illegal
from aesforge.design.sbox import SBOX_STYLES, sbox_stage_range

__all__ = [
    "ALLOWED",
    "CHOICES",
    "FIELDS",
    "FIELD_NAMES",
    "FULL",
    "RANGES",
    "SBOX_STYLES",
    "STANDARD_SCHEME",
    "Design",
    "Engine",
    "argv_of",
    "divisors",
    "load",
    "load_any",
    "load_choices",
    "sbox_stage_range",
    "text_of",
    "why_illegal",
]

# SPDX-License-Identifier: Apache-2.0
"""The architectures: each a class with the choices that it takes, its times, sizes and module."""

from __future__ import annotations

from aesforge.design.arch.base import Architecture
from aesforge.design.arch.column_serial import ColumnSerial
from aesforge.design.arch.key_expand import KeyExpand
from aesforge.design.arch.pipeline import Pipeline
from aesforge.design.rules import add_architectures

ARCHITECTURES: dict[str, type[Architecture]] = {
    "pipeline": Pipeline,
    "column_serial": ColumnSerial,
    "key_expand": KeyExpand,
}
add_architectures({name: one.takes for name, one in ARCHITECTURES.items()})

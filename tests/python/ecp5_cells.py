# SPDX-License-Identifier: Apache-2.0
"""Cells of a routed ECP5 netlist, written by hand."""

from __future__ import annotations

from typing import Any


def comb(parameters: dict[str, str], **nets: int) -> dict[str, Any]:
    return {
        "type": "TRELLIS_COMB",
        "parameters": parameters,
        "connections": {port: [net] for port, net in nets.items()},
    }


def flip_flop(**nets: int) -> dict[str, Any]:
    return {
        "type": "TRELLIS_FF",
        "parameters": {"SD": "1 "},
        "connections": {port: [net] for port, net in nets.items()},
    }

# SPDX-License-Identifier: Apache-2.0
"""Cells of a routed ECP5 netlist, written by hand."""

from __future__ import annotations

from aesforge.netlist.module import Bit, Cell

INPUTS = ("A", "B", "C", "D", "M", "DI", "CE", "LSR", "CLK", "WCK", "F1", "FCI", "FXA", "FXB")


def cell(kind: str, parameters: dict[str, str], nets: dict[str, int]) -> Cell:
    connections: dict[str, list[Bit]] = {port: [net] for port, net in nets.items()}
    directions = {port: "input" if port in INPUTS else "output" for port in nets}
    return Cell(kind, connections, directions, parameters)


def comb(parameters: dict[str, str], **nets: int) -> Cell:
    return cell("TRELLIS_COMB", parameters, nets)


def flip_flop(**nets: int) -> Cell:
    return cell("TRELLIS_FF", {"SD": "1 "}, nets)

# SPDX-License-Identifier: Apache-2.0
"""The parameters and ports of an RTL module, with the comments next to them.

A comment belongs to the parameter or port on its line, or to the next one. A parameter's comment
begins with its legal values in brackets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from aesforge.errors import AesforgeError

_PARAMETER = re.compile(r"\s*parameter (?:int unsigned|bit(?: \[[^\]]+\])?) (\w+) = ([\w:']+),?\s*")
_PORT = re.compile(r"\s*(input|output) +logic *(?:\[ *([^\]]+):0\])? *(\w+),?\s*")
_CONSTANT = re.compile(r"localparam int unsigned (\w+) = (\d+);")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a module.

    Args:
        name: of it.
        default: its text: a number, or a constant of the package.
        legal: the legal values.
        meaning: what it means.
    """

    name: str
    default: str
    legal: str
    meaning: str


@dataclass(frozen=True)
class Port:
    """A port of a module.

    Args:
        name: of it.
        direction: `input` or `output`.
        width: bits, as an expression of the parameters.
        meaning: what it means.
    """

    name: str
    direction: str
    width: str
    meaning: str


@dataclass(frozen=True)
class Header:
    """What a module shows outside.

    Args:
        parameters: in order.
        ports: in order.
    """

    parameters: tuple[Parameter, ...]
    ports: tuple[Port, ...]


def read(path: Path) -> Header:
    """Return the header of the module that has the name of its file.

    Raises:
        AesforgeError: there is no such module in it.
    """
    text = path.read_text(encoding="utf-8")
    found = re.search(rf"^module {path.stem}\b.*?^\);", text, re.M | re.S)
    if found is None:
        raise AesforgeError(f"{path} has no module {path.stem}")
    parameters, ports = [], []
    comment: list[str] = []
    for line in found[0].splitlines():
        code, slashes, trailing = line.partition("//")
        if slashes:
            comment.append(trailing.strip())
            if not code.strip():
                continue
        joined = " ".join(comment)
        if parameter := _PARAMETER.fullmatch(code):
            legal, meaning = _legal_and_meaning(joined)
            parameters.append(Parameter(parameter[1], parameter[2], legal, meaning))
        elif port := _PORT.fullmatch(code):
            ports.append(Port(port[3], port[1], _width(port[2]), joined))
        comment = []
    return Header(tuple(parameters), tuple(ports))


def constants(package: Path) -> dict[str, int]:
    """Return the numbers that a package names."""
    return {name: int(value) for name, value in _CONSTANT.findall(package.read_text("utf-8"))}


def _legal_and_meaning(comment: str) -> tuple[str, str]:
    found = re.match(r"\[([^\]]*)\] *(.*)", comment)
    return (found[1], found[2]) if found else ("", comment)


def _width(high: str | None) -> str:
    """Return the width of `[high:0]`, as short as it can be written."""
    if high is None:
        return "1"
    high = high.replace(" ", "")
    if high.isdigit():
        return str(int(high) + 1)
    return high.removesuffix("-1") if high.endswith("-1") else f"{high}+1"

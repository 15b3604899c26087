# SPDX-License-Identifier: Apache-2.0
"""Prove that a routed netlist is the netlist that nextpnr was given.

Each flip-flop and each block RAM of the one has its counterpart in the other, which is found by the
name of a net that it drives. The name is only a proposal: with the outputs of counterparts as the
same free values, all their settings must be equal, and each of their inputs, and each output pin,
the same function. Then both do the same in every cycle, by induction over the cycles.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator
from dataclasses import dataclass

from aesforge.errors import UsageError
from aesforge.netlist.aig import Builder
from aesforge.netlist.module import Net
from aesforge.prove.implementation.checks import Checks
from aesforge.prove.implementation.contents import OPEN, Contents, Element, Logic


@dataclass
class Pairs:
    """The elements of two netlists, by twos.

    Args:
        pairs: an element of the netlist, and its counterpart in the routed one.
        missing: elements of the netlist without a counterpart.
        extra: elements of the routed netlist without one.
    """

    pairs: list[tuple[Element, Element]]
    missing: list[Element]
    extra: list[Element]


@dataclass
class Correspondence:
    """What a comparison of a netlist with a routed one found.

    Args:
        elements: how many pairs there are of each kind.
        pins: how many pins.
        cells: how many cells the netlist and the routed netlist have.
        checks: the functions that were compared, and the differences.
    """

    elements: dict[str, int]
    pins: int
    cells: tuple[int, int]
    checks: Checks


def compare(given: Contents, routed: Contents, suffixes: tuple[str, ...]) -> Correspondence:
    """Compare a netlist with the routed one; the functions that differ at sight are left open.

    Args:
        given: what nextpnr was given.
        routed: what it made of it.
        suffixes: what nextpnr adds to the names of nets.

    Raises:
        UsageError: nothing of the one corresponds to anything of the other.
        Contradiction: one is no netlist.
    """
    found = pair(given, routed, suffixes)
    if not found.pairs and (given.elements or routed.elements):
        raise UsageError(
            f"the routed netlist is of another design: none of its {len(routed.elements)} "
            f"flip-flops and memories has the name of one of the {len(given.elements)} of the "
            "netlist"
        )
    checks = Checks(Builder([]))
    logic, routed_logic = logic_of(given, routed, found, checks.builder)
    counts = collections.Counter(one.kind for one, _ in found.pairs)
    checks.differences += routed.faults
    checks.differences += [
        f"{one.kind} {one.name} of the netlist is missing in the routed netlist"
        for one in found.missing
    ]
    checks.differences += [
        f"{one.kind} {one.name} of the routed netlist is none of the netlist" for one in found.extra
    ]
    for one, other in found.pairs:
        checks.differences += _settings(one, other)
        if one.kind != other.kind:
            continue
        assert one.inputs.keys() == other.inputs.keys()
        for name in one.inputs:
            if one.inputs[name] == OPEN and "clock" not in name:
                checks.open_inputs += 1
                continue
            must, got = logic.function(one.inputs[name]), routed_logic.function(other.inputs[name])
            checks.require(f"{one.kind} {one.name}: {name}", must, got)
    checks.differences += [
        f"pin {name} is only in {'the netlist' if name in given.inputs else 'the routed netlist'}"
        for name in sorted(given.inputs.keys() ^ routed.inputs.keys())
    ]
    checks.differences += [
        f"pin {name} is only in {'the netlist' if name in given.outputs else 'the routed netlist'}"
        for name in sorted(given.outputs.keys() ^ routed.outputs.keys())
    ]
    for name in sorted(given.outputs.keys() & routed.outputs.keys()):
        checks.require(
            f"pin {name}", logic.bit(given.outputs[name]), routed_logic.bit(routed.outputs[name])
        )
    return Correspondence(
        elements=dict(sorted(counts.items())),
        pins=len(given.inputs) + len(given.outputs),
        cells=(given.cells, routed.cells),
        checks=checks,
    )


def pair(given: Contents, routed: Contents, suffixes: tuple[str, ...]) -> Pairs:
    """Pair the elements of two netlists by the names of the nets that they drive.

    Args:
        given: what nextpnr was given, with all names of each net.
        routed: what it made of it.
        suffixes: what nextpnr adds to the names of nets.
    """
    drivers = {net: element for element in given.elements.values() for net in element.named_by}
    names: dict[Net, list[str]] = collections.defaultdict(list)
    for name, net in routed.names.items():
        names[net].append(name)

    def proposed(element: Element) -> Iterator[Element]:
        for net in element.named_by:
            for name in names[net]:
                for suffix in ("", *suffixes):
                    known = given.names.get(name.removesuffix(suffix))
                    if known in drivers:
                        yield drivers[known]

    found = Pairs([], [], [])
    left = dict(given.elements)
    for element in routed.elements.values():
        for candidate in proposed(element):
            if left.pop(candidate.name, None) is not None:
                found.pairs.append((candidate, element))
                break
        else:
            found.extra.append(element)
    found.missing = list(left.values())
    return found


def logic_of(
    given: Contents, routed: Contents, found: Pairs, builder: Builder
) -> tuple[Logic, Logic]:
    """Return the functions of two netlists over the same free values."""
    leaves: dict[Net, int] = {}
    routed_leaves: dict[Net, int] = {}

    def free(of: dict[Net, int], element: Element, owner: str) -> None:
        for port, net in element.outputs.items():
            of[net] = builder.input_named(f"{owner}.{port}")

    for one, other in found.pairs:
        free(leaves, one, one.name)
        free(routed_leaves, other, one.name)
    for one in found.missing:
        free(leaves, one, one.name)
    for one in found.extra:
        free(routed_leaves, one, f"routed netlist: {one.name}")
    for name, net in given.inputs.items():
        leaves[net] = builder.input_named(f"pin {name}")
    for name, net in routed.inputs.items():
        routed_leaves[net] = builder.input_named(f"pin {name}")
    return Logic(given, builder, leaves), Logic(routed, builder, routed_leaves, whole=True)


def _settings(one: Element, other: Element) -> Iterator[str]:
    if one.kind != other.kind:
        yield f"{one.kind} {one.name} of the netlist is a {other.kind} in the routed netlist"
        return
    for name in sorted(one.settings.keys() | other.settings.keys()):
        must, got = one.settings.get(name, ""), other.settings.get(name, "")
        if not _agrees(must, got):
            yield (
                f"{one.kind} {one.name}: {name} is {got or 'missing'}, must be {must or 'missing'}"
            )


def _agrees(must: str, got: str) -> bool:
    """Return whether a setting is as it must be, where the netlist does not leave a digit open."""
    return must == got or (
        len(must) == len(got)
        and set(must) <= {"0", "1", "x"}
        and all(a in ("x", b) for a, b in zip(must, got, strict=True))
    )

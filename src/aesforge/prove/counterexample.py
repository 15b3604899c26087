# SPDX-License-Identifier: Apache-2.0
"""Counterexamples: an input for which a core is not as claimed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aesforge.netlist.aig import Aig, value_of
from aesforge.prove.certificate import CounterExample
from aesforge.prove.engines.equal import outputs_at
from aesforge.prove.properties.case import Case, Sample


def find_mismatch(case: Case, sample: Sample, specification: Aig) -> CounterExample | None:
    """Return one of some random blocks with a wrong result, if there is one."""
    import numpy as np

    keys = len(case.inputs) - 128
    names = [f"key[{bit}]" for bit in range(keys)] + [f"block[{bit}]" for bit in range(128)]
    rows = dict(zip(names, sample.inputs, strict=True))
    values = specification.simulate(np.array([rows[name] for name in specification.inputs]))
    wanted = value_of(values, specification.bits_out("result"))
    wrong = np.bitwise_or.reduce(sample.outputs ^ wanted, axis=0) | ~sample.valid
    wrong &= sample.reached
    if not wrong.any():
        return None
    word = int(np.flatnonzero(wrong)[0])
    place = int(wrong[word]).bit_length() - 1

    def hexed(bits: Any) -> str:
        number = sum((int(bit) >> place & 1) << n for n, bit in enumerate(bits))
        return number.to_bytes(len(bits) // 8, "big").hex()

    return CounterExample(
        case=case.label,
        decrypt=case.inverse,
        out_valid=bool(int(sample.valid[word]) >> place & 1),
        key=hexed(sample.inputs[:keys, word]),
        block=hexed(sample.inputs[keys:, word]),
        slot=case.slot,
        got=hexed(sample.outputs[:, word]),
        wanted=hexed(wanted[:, word]),
    )


def counterexample(
    case: Case, wanted: Aig, inputs: dict[str, bool], key_bytes: int
) -> CounterExample:
    """Return an input in which a case goes wrong, in words and hex strings."""

    def number(bits: Sequence[bool]) -> int:
        return sum(int(bit) << place for place, bit in enumerate(bits))

    got, right = outputs_at(case.graph, inputs), outputs_at(wanted, inputs)
    given = [inputs[name] for name in case.inputs]
    example = CounterExample(
        case=case.label,
        decrypt=case.inverse,
        out_valid=got["valid"],
        slot=case.slot,
        others={name: inputs[name] for name in sorted(case.foreign)},
    )
    if case.has_block:
        example.key = number(given[:-128]).to_bytes(key_bytes, "big").hex()
        example.block = number(given[-128:]).to_bytes(16, "big").hex()
        for what, outputs in (("got", got), ("wanted", right)):
            value = number([outputs[f"block[{bit}]"] for bit in range(128)])
            setattr(example, what, value.to_bytes(16, "big").hex())
    elif case.has_round_keys:
        example.key = number(given).to_bytes(key_bytes, "big").hex()
        width = sum(name.startswith("words[") for name in right)
        for what, outputs in (("got", got), ("wanted", right)):
            value = number([outputs[f"words[{bit}]"] for bit in range(width)])
            setattr(example, what, value.to_bytes(width // 8, "big").hex())
    else:
        # Any key and block will show it.
        example.key, example.block = "00" * key_bytes, "00" * 16
        example.tag = f"{number(given):x}"
        names = [name for name in right if name != "valid"]
        for what, outputs in (("got", got), ("wanted", right)):
            setattr(example, what, f"{number([outputs[name] for name in names]):x}")
    return example

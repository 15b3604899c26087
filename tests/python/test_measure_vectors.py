# SPDX-License-Identifier: Apache-2.0
"""Published vectors through foreign cores: our own stand for them, under every way to drive one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from aesforge.design import Design, load
from aesforge.devices import device
from aesforge.errors import AesforgeError, CheckFailed, UsageError
from aesforge.measure import Target
from aesforge.measure.vectors import Checked, check_vectors
from aesforge.toolchain.rtl import needed_by

DEVICE = device("LFE5U-85F-8")
BLOCKS = {128: 678, 192: 810, 256: 920}
PIPE = Design(sbox="table", sbox_stages=0, linear_stages=1)
PORTS = {"clock": "clk", "reset": "rst", "block": "in_block", "result": "out_block"}
FREE = PORTS | {"key": "in_key"}
ONE_BY_ONE = {"start": "in_valid", "done": "out_valid"}


def foreign(design: Design, roles: Mapping[str, str], **changes: Any) -> Target:
    """Return a core of ours as one of somebody else."""
    given: dict[str, Any] = {"parameters": design.rtl_parameters(), "latency_cycles": None}
    return Target.of_rtl(tuple(needed_by(design.top)), design.top, roles, **given | changes)


def test_a_pipeline_by_its_latency() -> None:
    target = foreign(PIPE, FREE, latency_cycles=PIPE.latency_cycles, blocks_per_cycle=1.0)
    assert check_vectors(target, DEVICE, 128, {"in_valid": 1}) == Checked(BLOCKS[128], False)
    late = foreign(PIPE, FREE, latency_cycles=PIPE.latency_cycles + 1, blocks_per_cycle=1.0)
    with pytest.raises(CheckFailed, match=r"aesforge_core is not AES-128 .* of 678 blocks differ"):
        check_vectors(late, DEVICE, 128, {"in_valid": 1})
    # The slower, the longer a block stays at the input.
    slow = foreign(PIPE, FREE, latency_cycles=PIPE.latency_cycles, blocks_per_cycle=1 / 3)
    assert check_vectors(slow, DEVICE, 128, {"in_valid": 1}).blocks == BLOCKS[128]


def test_a_loop_by_its_handshake() -> None:
    design = load("compact", {"key_bits": 256})
    checked = check_vectors(foreign(design, FREE | ONE_BY_ONE), DEVICE, 256)
    assert checked == Checked(BLOCKS[256], False)


def test_a_key_that_is_loaded_first() -> None:
    design = load("compact", {"key_schedule": "stored", "key_bits": 192})
    roles = PORTS | ONE_BY_ONE | {"key": "key", "load": "key_valid", "ready": "key_ready"}
    assert check_vectors(foreign(design, roles), DEVICE, 192).blocks == BLOCKS[192]


def test_what_does_not_encrypt_is_told() -> None:
    decrypts = Design(sbox="table", sbox_stages=0, linear_stages=1, direction="decrypt")
    target = foreign(decrypts, FREE, latency_cycles=decrypts.latency_cycles)
    with pytest.raises(CheckFailed, match="is not AES-128 encryption as it is driven here"):
        check_vectors(target, DEVICE, 128, {"in_valid": 1})
    silent = foreign(load("compact"), FREE | {"start": "in_decrypt", "done": "out_valid"})
    with pytest.raises(CheckFailed, match="of 678 results only 0 came"):
        check_vectors(silent, DEVICE, 128)


@pytest.mark.parametrize(
    ("roles", "bits", "drive", "words"),
    [
        (FREE, 128, {}, "--latency CYCLES"),
        (PORTS, 128, {}, "key=PORT"),
        (FREE | {"start": "in_valid"}, 128, {}, "start and done go together"),
        (FREE | ONE_BY_ONE | {"load": "key_valid"}, 128, {}, "load and ready go together"),
        (FREE | {"load": "key_valid", "ready": "key_ready"}, 128, {}, "start and done, too"),
        (FREE | {"start": "out_valid", "done": "out_valid"}, 128, {}, "no input 'out_valid'"),
        (FREE | {"start": "in_valid", "done": "finished"}, 128, {}, "no output 'finished'"),
        (FREE | ONE_BY_ONE, 192, {}, "too few for a key of 192"),
        (FREE | ONE_BY_ONE, 64, {}, "keys of 128, 192 or 256 bits, not 64"),
        (FREE | ONE_BY_ONE | {"block": "in_key", "key": "in_block"}, 128, {"x": 1}, "input 'x'"),
        (FREE | ONE_BY_ONE, 128, {"in_decrypt": 2}, "in_decrypt = 2: the port has 1 bits"),
        (FREE | ONE_BY_ONE | {"block": "in_tag"}, 128, {}, "a block of 128 bits; this one has 8"),
        (FREE | {"halt": "in_valid"}, 128, {}, "no role 'halt'"),
    ],
    ids=lambda one: str(one)[-40:],
)
def test_bad_requests(
    roles: Mapping[str, str], bits: int, drive: Mapping[str, int], words: str
) -> None:
    with pytest.raises(AesforgeError) as caught:
        check_vectors(foreign(load("compact"), roles), DEVICE, bits, drive)
    assert isinstance(caught.value, UsageError)
    assert words in caught.value.message

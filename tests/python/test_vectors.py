# SPDX-License-Identifier: Apache-2.0
"""The published records, the Monte Carlo loop, and OpenSSL as oracle."""

from __future__ import annotations

import sys

import pytest

from aesforge import reference
from aesforge.errors import ToolMissing
from aesforge.reference import openssl, vectors


def test_all_records_are_there() -> None:
    records = vectors.records()
    assert len(records) == 2138
    counts = {
        (bits, family): sum(r.family == family and len(r.key) * 8 == bits for r in records)
        for bits in vectors.KEY_BITS
        for family in vectors.FAMILIES
    }
    assert all(count >= 10 for count in counts.values())
    # AESAVS Sec. 6: a bit at a time through the block, and through the key; both directions.
    assert {counts[bits, "VarTxt"] for bits in vectors.KEY_BITS} == {2 * 128}
    assert [counts[bits, "VarKey"] for bits in vectors.KEY_BITS] == [256, 384, 512]
    assert {r.section for r in records} == {"ENCRYPT", "DECRYPT"}


def test_the_model_agrees_with_the_records() -> None:
    for record in vectors.records()[::23]:
        assert reference.cipher(record.plaintext[:16], record.key) == record.ciphertext[:16]


def test_records_block_by_block() -> None:
    chosen = [r for r in vectors.records(192) if r.family == "MMT"][:3]
    keys, plain, cipher, names = vectors.blocks_of(chosen)
    assert [len(r.plaintext) for r in chosen] == [16, 32, 48]
    assert keys.shape == (6, 32)
    assert plain.shape == cipher.shape == (6, 16)
    assert [name.split("=")[1] for name in names] == ["0", "1", "1", "2", "2", "2"]
    assert plain[3:].tobytes() == chosen[2].plaintext
    assert keys[5].tobytes() == chosen[2].key + bytes(8)


@pytest.mark.parametrize("size", [16, 24, 32])
def test_monte_carlo_rule(size: int) -> None:
    """The key update of AESAVS, spelled out once more with integers."""
    key, block = bytes(range(size)), bytes(range(100, 116))
    found = list(vectors.monte_carlo(key, block, openssl.ecb_chain(), outer=3, inner=5))
    for record in found:
        assert (record.key, record.block) == (key, block)
        outputs = [block]
        for _ in range(5):
            outputs.append(openssl.ecb(key, outputs[-1]))
        assert record.result == outputs[-1]
        # The last output bits, as many as the key has: older ones stand first.
        both = int.from_bytes(outputs[-2] + outputs[-1], "big") % (1 << 8 * size)
        key = (int.from_bytes(key, "big") ^ both).to_bytes(size, "big")
        block = outputs[-1]


def test_missing_package_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography_vectors", None)
    vectors.mode_records.cache_clear()
    with pytest.raises(ToolMissing, match="pip install cryptography-vectors"):
        vectors.records(128)
    vectors.mode_records.cache_clear()

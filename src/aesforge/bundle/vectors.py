# SPDX-License-Identifier: Apache-2.0
"""The known answers that a core's test bench sends: few, published, and readable in a waveform."""

from __future__ import annotations

import dataclasses

from aesforge.design import Design

# (source, key, plaintext, ciphertext), all in hex. FIPS 197 Appendices B and C; SP 800-38A
# Sec. F.1 (ECB). Two keys for each key size, so that a wrong key order or slot shows.
_SP800_38A = (
    "6bc1bee22e409f96e93d7e117393172a",
    "ae2d8a571e03ac9c9eb76fac45af8e51",
    "30c81c46a35ce411e5fbc1191a0a52ef",
    "f69f2445df4f9b17ad2b417be66c3710",
)
_COUNTING_BLOCK = "00112233445566778899aabbccddeeff"


@dataclasses.dataclass(frozen=True)
class Vector:
    """One known answer; key and blocks as hex text, first byte first."""

    source: str
    key: str
    plaintext: str
    ciphertext: str


def _counting_key(key_bits: int) -> str:
    return bytes(range(key_bits // 8)).hex()


def _ecb(key_bits: int, key: str, ciphertexts: tuple[str, ...]) -> tuple[Vector, ...]:
    section = {128: "F.1.1", 192: "F.1.3", 256: "F.1.5"}[key_bits]
    return tuple(
        Vector(f"SP 800-38A {section}, block {i + 1}", key, plaintext, ciphertext)
        for i, (plaintext, ciphertext) in enumerate(zip(_SP800_38A, ciphertexts, strict=True))
    )


VECTORS: dict[int, tuple[Vector, ...]] = {
    128: (
        Vector(
            "FIPS 197 Appendix C.1",
            _counting_key(128),
            _COUNTING_BLOCK,
            "69c4e0d86a7b0430d8cdb78070b4c55a",
        ),
        Vector(
            "FIPS 197 Appendix B",
            "2b7e151628aed2a6abf7158809cf4f3c",
            "3243f6a8885a308d313198a2e0370734",
            "3925841d02dc09fbdc118597196a0b32",
        ),
        *_ecb(
            128,
            "2b7e151628aed2a6abf7158809cf4f3c",
            (
                "3ad77bb40d7a3660a89ecaf32466ef97",
                "f5d3d58503b9699de785895a96fdbaaf",
                "43b1cd7f598ece23881b00e3ed030688",
                "7b0c785e27e8ad3f8223207104725dd4",
            ),
        ),
    ),
    192: (
        Vector(
            "FIPS 197 Appendix C.2",
            _counting_key(192),
            _COUNTING_BLOCK,
            "dda97ca4864cdfe06eaf70a0ec0d7191",
        ),
        *_ecb(
            192,
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            (
                "bd334f1d6e45f25ff712a214571fa5cc",
                "974104846d0ad3ad7734ecb3ecee4eef",
                "ef7afd2270e2e60adce0ba2face6444e",
                "9a4b41ba738d6c72fb16691603c18e0e",
            ),
        ),
    ),
    256: (
        Vector(
            "FIPS 197 Appendix C.3",
            _counting_key(256),
            _COUNTING_BLOCK,
            "8ea2b7ca516745bfeafc49904b496089",
        ),
        *_ecb(
            256,
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            (
                "f3eed1bdb5d2a03c064b5a7e3db181f8",
                "591ccb10d410ed26dc5ba74a31362870",
                "b6ed21b99ca6f4f9f153e7b1beafed1d",
                "23304b7a39f9f3ff067d8d8f9e24ecc7",
            ),
        ),
    ),
}


@dataclasses.dataclass(frozen=True)
class Beat:
    """What the test bench sends in one cycle: one key and direction, a block for every block."""

    source: str
    key: str
    slot: int
    decrypt: bool
    blocks_in: tuple[str, ...]
    blocks_out: tuple[str, ...]


def known_answers(design: Design) -> tuple[Vector, ...]:
    """Return the known answers of a design: published ones, or our model's if it is not AES."""
    if design.is_standard:
        return VECTORS[design.key_bits]
    from aesforge.reference import cipher

    return tuple(
        dataclasses.replace(
            vector,
            source=f"model of scheme {design.scheme}, inputs of {vector.source}",
            ciphertext=cipher(
                bytes.fromhex(vector.plaintext), bytes.fromhex(vector.key), scheme=design.scheme
            ).hex(),
        )
        for vector in VECTORS[design.key_bits]
    )


def beats(design: Design) -> list[Beat]:
    """Return the beats of the test bench: every vector in block 0, its neighbours in the others."""
    vectors = known_answers(design)
    keys = list(dict.fromkeys(vector.key for vector in vectors))
    # The first key in the first slot, the second in the last: a short slot field would show. With
    # one slot they take turns in it.
    slots = (0, (design.key_slots or 1) - 1)
    ways = {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}[design.direction]
    result = []
    for vector in vectors:
        same_key = [v for v in vectors if v.key == vector.key]
        start = same_key.index(vector)
        blocks_per_beat = [
            same_key[(start + block_index) % len(same_key)]
            for block_index in range(design.blocks_per_beat)
        ]
        plain = tuple(v.plaintext for v in blocks_per_beat)
        cipher = tuple(v.ciphertext for v in blocks_per_beat)
        for decrypt in ways:
            result.append(
                Beat(
                    source=vector.source + (", inverse" if decrypt else ""),
                    key=vector.key,
                    slot=slots[keys.index(vector.key)],
                    decrypt=decrypt,
                    blocks_in=cipher if decrypt else plain,
                    blocks_out=plain if decrypt else cipher,
                )
            )
    return result


@dataclasses.dataclass(frozen=True)
class Expansion:
    """What the test bench of a key expansion sends: a key, and the round keys it must give."""

    source: str
    key: str
    round_keys: tuple[str, ...]


def expansions(design: Design) -> list[Expansion]:
    """Return the keys of the test bench: the standard's two, then one of all different bytes."""
    from aesforge.reference import key_expansion
    from aesforge.reference.vectors import KEY_EXPANSIONS

    keys = {vector.key: vector.source for vector in VECTORS[design.key_bits]}
    appendix = KEY_EXPANSIONS[design.key_bits][0].hex()
    keys[appendix] = f"FIPS 197 Appendix A.{design.key_bits // 64 - 1}"
    keys[bytes(255 - 5 * i for i in range(design.key_bits // 8)).hex()] = "a key of our own"
    result = []
    for key, source in keys.items():
        words = key_expansion(bytes.fromhex(key))
        round_keys = tuple(b"".join(words[i : i + 4]).hex() for i in range(0, len(words), 4))
        result.append(Expansion(source, key, round_keys))
    # Appendix A first: the standard prints its words.
    return sorted(result, key=lambda one: one.key != appendix)

# SPDX-License-Identifier: Apache-2.0
"""The reference model against the example vectors printed in FIPS 197, and against a library."""

from __future__ import annotations

import random

import pytest

from aesforge import reference

KEY_BYTES = (16, 24, 32)
PLAIN_C = bytes.fromhex("00112233445566778899aabbccddeeff")


def key_c(length: int) -> bytes:
    """The key of FIPS 197 Appendix C: 00 01 02 ..."""
    return bytes(range(length))


# Sec. 4 -------------------------------------------------------------------------------------


def test_field_examples_of_section_4() -> None:
    assert reference.multiply(0x57, 0x83) == 0xC1
    assert reference.multiply(0x57, 0x13) == 0xFE
    powers = [0x57]
    for _ in range(4):
        powers.append(reference.xtimes(powers[-1]))
    assert powers == [0x57, 0xAE, 0x47, 0x8E, 0x07]


def test_inverse_is_the_inverse() -> None:
    assert reference.inverse(0) == 0
    for b in range(1, 256):
        assert reference.multiply(b, reference.inverse(b)) == 1


def test_sbox_examples_and_bijection() -> None:
    assert reference.SBOX[0x53] == 0xED  # Sec. 5.1.1
    assert reference.SBOX[:4].hex() == "637c777b"
    assert reference.SBOX[-4:].hex() == "b054bb16"
    assert reference.INV_SBOX[:4].hex() == "52096ad5"
    assert sorted(reference.SBOX) == list(range(256))
    assert all(reference.INV_SBOX[reference.SBOX[b]] == b for b in range(256))


# Appendix A ---------------------------------------------------------------------------------

APPENDIX_A1 = """
2b7e1516 28aed2a6 abf71588 09cf4f3c a0fafe17 88542cb1 23a33939 2a6c7605
f2c295f2 7a96b943 5935807a 7359f67f 3d80477d 4716fe3e 1e237e44 6d7a883b
ef44a541 a8525b7f b671253b db0bad00 d4d1c6f8 7c839d87 caf2b8bc 11f915bc
6d88a37a 110b3efd dbf98641 ca0093fd 4e54f70e 5f5fc9f3 84a64fb2 4ea6dc4f
ead27321 b58dbad2 312bf560 7f8d292f ac7766f3 19fadc21 28d12941 575c006e
d014f9a8 c9ee2589 e13f0cc8 b6630ca6
"""


def test_appendix_a1_every_word() -> None:
    words = reference.key_expansion(bytes.fromhex("".join(APPENDIX_A1.split()[:4])))
    assert [w.hex() for w in words] == APPENDIX_A1.split()


@pytest.mark.parametrize(
    ("key", "count", "first", "last"),
    [
        (
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",  # A.2
            52,
            "fe0c91f7 2402f5a5 ec12068e 6c827f6b",
            "e98ba06f 448c773c 8ecc7204 01002202",
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",  # A.3
            60,
            "9ba35411 8e6925af a51a8b5f 2067fcde",
            "fe4890d1 e6188d0b 046df344 706c631e",
        ),
    ],
)
def test_appendix_a2_and_a3(key: str, count: int, first: str, last: str) -> None:
    words = [w.hex() for w in reference.key_expansion(bytes.fromhex(key))]
    nk = len(key) // 8
    assert len(words) == count
    assert words[nk : nk + 4] == first.split()
    assert words[-4:] == last.split()


def test_rcon_words() -> None:
    expected = ["01", "02", "04", "08", "10", "20", "40", "80", "1b", "36"]
    assert [reference.rcon(j).hex() for j in range(1, 11)] == [e + "000000" for e in expected]


def test_rot_word_and_sub_word() -> None:
    word = bytes.fromhex("09cf4f3c")
    assert reference.rot_word(word).hex() == "cf4f3c09"
    assert reference.sub_word(reference.rot_word(word)).hex() == "8a84eb01"


# Appendix B ---------------------------------------------------------------------------------


def test_appendix_b() -> None:
    seen: dict[str, str] = {}
    out = reference.cipher(
        bytes.fromhex("3243f6a8885a308d313198a2e0370734"),
        bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"),
        lambda name, value: seen.update({name: value.hex()}),
    )
    assert out.hex() == "3925841d02dc09fbdc118597196a0b32"
    assert seen["round[ 1].start"] == "193de3bea0f4e22b9ac68d2ae9f84808"
    assert seen["round[ 1].s_box"] == "d42711aee0bf98f1b8b45de51e415230"
    assert seen["round[ 1].s_row"] == "d4bf5d30e0b452aeb84111f11e2798e5"
    assert seen["round[ 1].m_col"] == "046681e5e0cb199a48f8d37a2806264c"
    assert seen["round[ 2].start"] == "a49c7ff2689f352b6b5bea43026a5049"
    assert seen["round[10].start"] == "eb40f21e592e38848ba113e71bc342d2"


# Appendix C ---------------------------------------------------------------------------------

APPENDIX_C = {
    16: "69c4e0d86a7b0430d8cdb78070b4c55a",
    24: "dda97ca4864cdfe06eaf70a0ec0d7191",
    32: "8ea2b7ca516745bfeafc49904b496089",
}


@pytest.mark.parametrize("length", KEY_BYTES)
def test_appendix_c_both_directions(length: int) -> None:
    cipher_text = bytes.fromhex(APPENDIX_C[length])
    assert reference.cipher(PLAIN_C, key_c(length)) == cipher_text
    assert reference.inv_cipher(cipher_text, key_c(length)) == PLAIN_C
    assert reference.eq_inv_cipher(cipher_text, key_c(length)) == PLAIN_C


def test_appendix_c1_steps() -> None:
    seen: dict[str, str] = {}
    note = lambda name, value: seen.update({name: value.hex()})  # noqa: E731 - one line says it
    reference.cipher(PLAIN_C, key_c(16), note)
    assert seen["round[ 1].start"] == "00102030405060708090a0b0c0d0e0f0"
    assert seen["round[ 1].s_box"] == "63cab7040953d051cd60e0e7ba70e18c"
    assert seen["round[ 1].s_row"] == "6353e08c0960e104cd70b751bacad0e7"
    assert seen["round[ 1].m_col"] == "5f72641557f5bc92f7be3b291db9f91a"
    assert seen["round[ 1].k_sch"] == "d6aa74fdd2af72fadaa678f1d6ab76fe"
    assert seen["round[10].k_sch"] == "13111d7fe3944a17f307a78b4d2b30c5"
    reference.inv_cipher(bytes.fromhex(APPENDIX_C[16]), key_c(16), note)
    assert seen["round[ 1].istart"] == "7ad5fda789ef4e272bca100b3d9ff59f"
    assert seen["round[ 1].is_row"] == "7a9f102789d5f50b2beffd9f3dca4ea7"
    assert seen["round[ 1].is_box"] == "bd6e7c3df2b5779e0b61216e8b10b689"
    assert seen["round[ 1].ik_add"] == "e9f74eec023020f61bf2ccf2353c21c7"
    assert seen["round[10].ioutput"] == PLAIN_C.hex()
    reference.eq_inv_cipher(bytes.fromhex(APPENDIX_C[16]), key_c(16), note)
    assert seen["round[ 1].ik_sch"] == "13aa29be9c8faff6f770f58000f7bf03"
    assert seen["round[ 1].im_col"] == "4773b91ff72f354361cb018ea1e6cf2c"


# Properties and the oracle ------------------------------------------------------------------


def test_transformations_invert() -> None:
    rng = random.Random(3)
    state = reference.state_of(rng.randbytes(16))
    assert reference.inv_sub_bytes(reference.sub_bytes(state)) == state
    assert reference.inv_shift_rows(reference.shift_rows(state)) == state
    assert reference.inv_mix_columns(reference.mix_columns(state)) == state
    assert reference.state_of(reference.block_of(state)) == state
    assert b"".join(reference.words_of(state)) == reference.block_of(state)


@pytest.mark.parametrize("length", KEY_BYTES)
def test_against_openssl(length: int) -> None:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    rng = random.Random(length)
    for _ in range(50):
        key, block = rng.randbytes(length), rng.randbytes(16)
        oracle = Cipher(algorithms.AES(key), modes.ECB())
        expected = oracle.encryptor().update(block)
        assert reference.cipher(block, key) == expected
        assert reference.inv_cipher(expected, key) == block
        assert reference.eq_inv_cipher(expected, key) == block


@pytest.mark.parametrize("bad", [b"", bytes(15), bytes(17), bytes(64)])
def test_refuses_wrong_lengths(bad: bytes) -> None:
    with pytest.raises(ValueError, match="AES key has 16, 24 or 32 bytes"):
        reference.cipher(bytes(16), bad)
    with pytest.raises(ValueError, match="AES block has 16 bytes"):
        reference.cipher(bad, bytes(16))

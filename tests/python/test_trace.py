# SPDX-License-Identifier: Apache-2.0
"""`aesforge trace`: each value of a round is the core's own, and the first wrong one is named."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from vcd.reader import TokenKind, tokenize

from aesforge.bundle.vectors import VECTORS
from aesforge.cli.main import main
from aesforge.design import Design
from aesforge.errors import AesforgeError, UsageError
from aesforge.reference.cipher import cipher, inv_cipher
from aesforge.trace import Trace, trace_block
from aesforge.trace.wave import read_wave
from cores import changed_rtl

RING = Design(name="ring", sbox="table", sbox_stages=0, linear_stages=1, unroll=1)
BOTH = Design(
    name="two-rounds", sbox="table", sbox_stages=1, linear_stages=3, unroll=2, direction="both"
)
STORED = Design(
    name="stored",
    key_bits=192,
    direction="both",
    unroll=1,
    sbox="bram",
    sbox_stages=2,
    linear_stages=4,
    key_schedule="stored",
    key_slots=3,
    tiles=2,
)
# Without a pipeline stage: all in one cycle.
STRAIGHT = Design(
    name="straight", key_bits=256, sbox="table", sbox_stages=0, linear_stages=0, unroll="full"
)
BESIDE = Design(
    name="two-blocks", sbox="table", sbox_stages=0, linear_stages=1, unroll="full", tiles=2
)


def example_key(key_bits: int) -> bytes:
    """Return the key of FIPS 197 Appendix C of that size."""
    return bytes.fromhex(VECTORS[key_bits][0].key)


def example_block(key_bits: int, *, decrypt: bool = False) -> bytes:
    """Return the input of FIPS 197 Appendix C for that key size and direction."""
    vector = VECTORS[key_bits][0]
    return bytes.fromhex(vector.ciphertext if decrypt else vector.plaintext)


def traced(design: Design, *, decrypt: bool = False, **options: object) -> Trace:
    key = example_key(design.key_bits)
    block = example_block(design.key_bits, decrypt=decrypt)
    return trace_block(design, key, block, decrypt=decrypt, **options)  # type: ignore[arg-type]


def appendix(design: Design, *, decrypt: bool) -> list[tuple[int, str]]:
    """Return the values of FIPS 197 Appendix C but InvShiftRows, which comes later in our cores."""
    found: list[str] = []
    (inv_cipher if decrypt else cipher)(
        example_block(design.key_bits, decrypt=decrypt),
        example_key(design.key_bits),
        lambda place, _value: found.append(place),
    )
    names = [place.removeprefix("round[").split("].") for place in found]
    return [(int(round_), name) for round_, name in names if name != "is_row"]


@pytest.mark.parametrize(
    ("design", "decrypt"),
    [
        *((RING, False), (BOTH, False), (BOTH, True), (STORED, False), (STORED, True)),
        *((STRAIGHT, False), (BESIDE, False)),
    ],
    ids=lambda value: getattr(value, "name", "decrypt" if value else "encrypt"),
)
def test_every_value_of_the_appendix_is_in_the_core(design: Design, decrypt: bool) -> None:
    found = traced(design, decrypt=decrypt)
    assert [(value.round, value.name) for value in found.values] == appendix(
        design, decrypt=decrypt
    )
    assert found.first_wrong is None
    assert found.values[-1].cycle == design.latency_cycles
    # What the appendix ends with.
    end = bytes(range(0, 256, 17)) if decrypt else example_block(design.key_bits, decrypt=True)
    assert found.values[-1].core == end


# What is broken, the file, the text, what stands there then; round and name of the first wrong
# value.
BROKEN = {
    "SubBytes": ("aesforge_sbox_table.sv", "y_d = Sbox[", "y_d = ~Sbox[", (1, "s_box")),
    "ShiftRows": (
        *("aesforge_round.sv", "shifted_d = aesforge_pkg::shift_rows(substituted);"),
        *("shifted_d = substituted;", (1, "s_row")),
    ),
    "MixColumns in the last round": (
        *("aesforge_round.sv", ".bypass(control_mix[0])", ".bypass(1'b0)", (10, "output")),
    ),
    "no AddRoundKey": (
        *(
            "aesforge_round.sv",
            "assign state_o = mixed ^ round_key_post;",
            "assign state_o = mixed;",
        ),
        (2, "start"),
    ),
    "the round key of another round": (
        *("aesforge_cipher.sv", ".step(decrypt ? 4'(Nr + 1) - round : round)", ".step(4'd1)"),
        (2, "k_sch"),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_first_difference_is_named(name: str, tmp_path: Path) -> None:
    file, old, new, wrong = BROKEN[name]
    found = traced(RING, rtl=changed_rtl(tmp_path, file, old, new))
    assert found.first_wrong is not None
    assert (found.first_wrong.round, found.first_wrong.name) == wrong


def test_the_waveform_has_a_group_for_each_round(tmp_path: Path) -> None:
    file = tmp_path / "block.vcd"
    found = traced(RING, wave=file)
    scopes = [
        token.scope.ident
        for token in tokenize(io.BytesIO(file.read_bytes()))
        if token.kind is TokenKind.SCOPE
    ]
    assert scopes == ["ports", *(f"round_{number:02d}" for number in range(11))]
    # In the cycle of a value, and known in no other.
    for value in found.values:
        cycles = known(file, f"round_{value.round:02d}", value.name)
        assert cycles == {value.cycle: int.from_bytes(value.core, "big")}, value
    assert known(file, "ports", "out_valid")[RING.latency_cycles] == 1


def known(file: Path, group: str, name: str) -> dict[int, int]:
    """Return the known values of a signal of a waveform, by cycle."""
    scope, code, cycle = "", None, 0
    value: int | None = None
    found: dict[int, int] = {}
    end = 0
    changes: list[tuple[int, int | None]] = []
    for token in tokenize(io.BytesIO(file.read_bytes())):
        if token.kind is TokenKind.SCOPE:
            scope = token.scope.ident
        elif token.kind is TokenKind.VAR and (scope, token.var.reference) == (group, name):
            code = token.var.id_code
        elif token.kind is TokenKind.CHANGE_TIME:
            cycle = end = token.time_change // 10
        elif token.kind is TokenKind.CHANGE_VECTOR and token.vector_change.id_code == code:
            new = token.vector_change.value
            changes.append((cycle, new if isinstance(new, int) else None))
        elif token.kind is TokenKind.CHANGE_SCALAR and token.scalar_change.id_code == code:
            changes.append((cycle, int(token.scalar_change.value)))
    for at in range(end + 1):
        value = next((new for when, new in reversed(changes) if when <= at), None)
        if value is not None:
            found[at] = value
    return found


def test_a_signal_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = tmp_path / "block.vcd"
    file.write_text(
        "$scope module TOP $end $scope module core $end $var wire 1 ! clk $end\n"
        "$upscope $end $upscope $end $enddefinitions $end\n#0\n0!\n#1\n1!\n"
    )
    with pytest.raises(AesforgeError, match=r"no signal core\.nowhere$"):
        read_wave(file, "core.clk", ["core.nowhere"])
    with pytest.raises(AesforgeError, match=r"no signal core\.clock"):
        read_wave(file, "core.clock", [])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key": bytes(24)}, "key_bits = 128: not 24 bytes"),
        ({"block": bytes(15)}, "a block has 16 bytes, not 15"),
        ({"decrypt": True}, "direction = encrypt, so it does not decrypt"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(changes: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"key": bytes(16), "block": bytes(16), "decrypt": False} | changes
    key, block, decrypt = given["key"], given["block"], given["decrypt"]
    assert isinstance(key, bytes)
    assert isinstance(block, bytes)
    with pytest.raises(UsageError, match=re.escape(message)):
        trace_block(RING, key, block, decrypt=bool(decrypt))


# --- The verb -------------------------------------------------------------------------------------


def test_the_verb(tmp_path: Path) -> None:
    file, key = tmp_path / "block.vcd", tmp_path / "key"
    key.write_text("2b7e151628aed2a6abf7158809cf4f3c")
    # FIPS 197 Appendix B.
    given = [
        "trace",
        "compact",
        "--key-file",
        str(key),
        "--block",
        "3243f6a8885a308d313198a2e0370734",
    ]
    done = CliRunner().invoke(main, [*given, "--vcd", str(file)])
    assert done.exit_code == 0, done.output
    assert "    1  s_row        1  d4bf5d30e0b452aeb84111f11e2798e5  the same" in done.output
    assert done.output.rstrip().endswith("all values are those of FIPS 197")
    assert file.exists()
    assert key.read_text() not in done.stderr
    told = json.loads(CliRunner().invoke(main, [*given, "--json"]).stdout)
    assert told["first_wrong"] is None
    assert told["values"][-1]["core"] == "3925841d02dc09fbdc118597196a0b32"


def test_the_verb_ends_with_1_when_the_core_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    right = traced(RING)
    wrong = right.values[7].__class__(2, "s_box", 2, bytes(16), right.values[7].reference)
    changed = Trace(right.design, False, (*right.values[:7], wrong, *right.values[8:]))
    monkeypatch.setattr("aesforge.trace.trace_block", lambda *_args, **_options: changed)
    done = CliRunner().invoke(main, ["trace", "compact"])
    assert done.exit_code == 1
    assert "the first difference: round 2, s_box, cycle 2" in done.output
    assert done.output.count("<- differs") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rahman2010-rom",), "architecture = column_serial"),
        (("kiran-looped",), "architecture = key_expand"),
        (("balanced", "--set", "error_detection=parity"), "--set error_detection=none"),
        (("ctr-stream",), "`aesforge trace`"),
        (("compact", "--key", "00"), "the key has 2 hexadecimal digits"),
        (("compact", "--block", "0g"), "the block"),
        (("compact", "--block", "00" * 15), "the block has 30 hexadecimal digits; it takes 32"),
        (("compact", "--key", "00" * 16, "--key-file", "x"), "exclude each other"),
        (("compact", "--decrypt"), "--set direction=decrypt"),
        (("compact", "--vcd", "/nowhere/x.vcd"), "/nowhere"),
    ],
    ids=str,
)
def test_bad_input_of_the_verb(arguments: tuple[str, ...], message: str) -> None:
    done = CliRunner().invoke(main, ["trace", *arguments])
    assert done.exit_code == 2, done.output
    assert message in done.output

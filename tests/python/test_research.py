# SPDX-License-Identifier: Apache-2.0
"""The key schemes that are not AES: refused unless meant, labelled wherever they show, and built as
the model has them, which a second implementation checks."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import second_cipher
from aesforge import reference
from aesforge.bundle import render
from aesforge.bundle.vectors import known_answers
from aesforge.check.core import check
from aesforge.check.run import CheckReport
from aesforge.cli.main import main
from aesforge.crypt.core import crypt_file
from aesforge.describe import describe, diagram_text
from aesforge.design import Design, argv_of, load
from aesforge.design.presets import PRESETS, SUMMARIES
from aesforge.devices import device
from aesforge.errors import AesforgeError, UsageError
from aesforge.measure import _Job
from aesforge.measure.target import Target
from aesforge.report.page import render as render_page
from aesforge.report.table import rows
from aesforge.research.demo import decryption_twin
from aesforge.toolchain import rtl
from report_records import DEVICES, record

SCHEMES = ("hu2009", "liu2014")
TABLE: dict[str, object] = {"sbox": "table", "sbox_stages": 0, "linear_stages": 1, "research": True}


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


# --- The model ------------------------------------------------------------------------------------


def test_the_second_implementation_is_aes_where_the_scheme_is() -> None:
    # FIPS 197 Appendix B.
    key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    plain = bytes.fromhex("3243f6a8885a308d313198a2e0370734")
    cipher = bytes.fromhex("3925841d02dc09fbdc118597196a0b32")
    assert second_cipher.encrypt(plain, key, "fips197") == cipher
    assert second_cipher.decrypt(cipher, key, "fips197") == plain


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_model_agrees_with_the_second_implementation(scheme: str) -> None:
    draw = random.Random(scheme)
    for _ in range(50):
        key, block = draw.randbytes(16), draw.randbytes(16)
        words = [int.from_bytes(word, "big") for word in reference.key_expansion(key, scheme)]
        assert words == [word for four in second_cipher.expand(key, scheme) for word in four]
        wanted = second_cipher.encrypt(block, key, scheme)
        assert reference.cipher(block, key, scheme=scheme) == wanted
        assert reference.inv_cipher(wanted, key, scheme=scheme) == block
        assert second_cipher.decrypt(wanted, key, scheme) == block
        assert wanted != reference.cipher(block, key)


def test_equations_4_and_5_of_the_paper() -> None:
    w = reference.key_expansion(bytes(range(16)), "hu2009")
    for i in range(4, 44, 4):
        assert w[i + 2] == reference.xor_words(w[i], w[i + 1])
        assert w[i + 3] == w[i]


def test_both_judgements_take_both_ways() -> None:
    draw = random.Random(1)
    ways = set()
    for _ in range(40):
        n = reference.liu2014_round_key([draw.randbytes(4) for _ in range(4)], 1)
        one = n[2] == reference.xor_words(n[0], n[1][2:] + n[1][:2])
        two = n[3] == reference.xor_words(n[1], n[2][2:] + n[2][:2])
        assert one == bool(n[0][3] & 1)
        assert two == bool(n[0][2] & 1)
        ways.add((one, two))
    assert len(ways) == 4


@pytest.mark.parametrize("length", [24, 32])
def test_the_model_takes_128_bit_keys_only(length: int) -> None:
    with pytest.raises(ValueError, match="liu2014 takes a key of 16 bytes"):
        reference.key_expansion(bytes(length), "liu2014")


# --- What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({}, ("research = false", "exclude each other", "not AES", "--set research=true")),
        ({"research": True, "key_bits": 192}, ("key_bits = 192", "128-bit keys only")),
        ({"research": True, "key_bits": 256}, ("key_bits = 256", "set key_bits = 128")),
        (
            {"research": True, "direction": "decrypt"},
            ("direction = decrypt", "run backwards", "set key_schedule = stored"),
        ),
        (
            {"research": True, "direction": "both"},
            ("direction = both", "key_schedule = agile", "set key_schedule = stored"),
        ),
    ],
)
def test_refusals(scheme: str, choices: dict[str, object], words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as error:
        Design(scheme=scheme, **choices)  # type: ignore[arg-type]
    for word in (
        f"scheme = {scheme}",
        "fips197" if "key_schedule" not in words[-1] else "",
        *words,
    ):
        assert word in error.value.message


def test_research_is_a_truth_value_on_the_command_line() -> None:
    sets = ("--set", "scheme=liu2014")
    assert run("describe", "compact", *sets).exit_code == 2
    assert run("describe", "compact", *sets, "--set", "research=false").exit_code == 2
    assert run("describe", "compact", *sets, "--set", "research=true").exit_code == 0
    wrong = run("describe", "compact", *sets, "--set", "research=yes")
    assert wrong.exit_code == 2
    assert "research = 'yes': allowed are false or true" in wrong.output
    assert load("compact", ["research=true"]).research is True
    assert load("compact", {"research": "true"}).research is True


def test_toml_has_truth_values(tmp_path: Path) -> None:
    path = tmp_path / "d.toml"
    path.write_text(PRESETS["liu2014-two-stage-liu2014"].to_toml(), encoding="utf-8")
    assert "research = true\n" in path.read_text(encoding="utf-8")
    assert load(path) == PRESETS["liu2014-two-stage-liu2014"]
    path.write_text("research = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="research = 1: allowed are false or true"):
        load(path)


def test_the_demo_refuses_what_openssl_does_not_know() -> None:
    with pytest.raises(UsageError, match="not AES"):
        decryption_twin(PRESETS["liu2014-two-stage-hu2009"])


# --- What it is called ----------------------------------------------------------------------------

RESEARCH = [design for design in PRESETS.values() if not design.is_standard]


def test_there_are_presets_of_both_schemes_in_both_directions() -> None:
    kinds = {(design.scheme, design.direction, design.key_schedule) for design in RESEARCH}
    assert kinds == {
        (scheme, *way)
        for scheme in SCHEMES
        for way in (("encrypt", "agile"), ("decrypt", "stored"))
    }
    # Sec. 5.3: beside the two-stage pipeline, with its latency.
    assert {design.latency_cycles for design in RESEARCH} == {21}
    for design in RESEARCH:
        assert SUMMARIES[design.name].startswith("NOT AES")


@pytest.mark.parametrize("design", RESEARCH, ids=lambda design: design.name)
def test_a_research_design_says_what_it_is(design: Design) -> None:
    assert "AES-128" not in design.summary()
    assert design.summary().startswith(f"NON-STANDARD cipher (key scheme {design.scheme}, not AES)")
    assert design.warning is not None
    assert "not AES" in design.warning
    assert f"NOT AES: key expansion {design.scheme}" in diagram_text(design)
    assert describe(design).as_dict()["warning"] == design.warning
    assert design.warning in " ".join(run("describe", design.name).stdout.split())
    assert f"{design.name}: NOT AES" in run("presets").stdout
    files = render(design)
    module = design.name.replace("-", "_")
    assert files["README.md"].index("Not AES.") < files["README.md"].index("## Use it")
    head = files[f"rtl/{module}.sv"].split("module ")[0]
    assert "not AES" in head
    assert "FIPS 197" not in head
    key_round = files["rtl/aesforge_key_round.sv"]
    assert key_round.splitlines()[1].startswith("// NOT AES")
    assert key_round == rtl.needed_by("aesforge_key_round", scheme=design.scheme)[-1].read_text()
    assert "not AES" in files[f"tb/tb_{module}.sv"].split("module ")[0]
    assert "not AES" in files[f"{module}.core"]
    for vector in known_answers(design):
        assert vector.source.startswith("model of scheme")
        plain, key = bytes.fromhex(vector.plaintext), bytes.fromhex(vector.key)
        assert second_cipher.encrypt(plain, key, design.scheme).hex() == vector.ciphertext


def test_standard_designs_carry_no_warning() -> None:
    assert Design().warning is None
    assert Design(research=True).warning is None
    assert "NON-STANDARD" not in Design().summary()


def test_a_design_is_named_from_presets_of_its_kind() -> None:
    stored = Design(sbox="table", direction="decrypt", key_schedule="stored")
    assert argv_of(stored)[0] == "liu2014-two-stage-decrypt"
    words = argv_of(PRESETS["liu2014-two-stage-hu2009-decrypt"])
    assert words == ("liu2014-two-stage-hu2009-decrypt",)
    weak = load("liu2014-two-stage-hu2009", ["unroll=1"])
    assert load(words_of(argv_of(weak))[0], words_of(argv_of(weak))[1]) == weak


def words_of(words: tuple[str, ...]) -> tuple[str, list[str]]:
    """The design's name, and its overrides with the name it had."""
    sets = [word for word in words[1:] if word != "--set"]
    return words[0], [*sets, f"name={words[0]}-custom"]


# --- The RTL --------------------------------------------------------------------------------------

CORES: dict[str, dict[str, object]] = {
    "unrolled": {},
    "looped": {"unroll": 1},
    "two rounds": {"unroll": 2, "sbox": "tower", "sbox_stages": 2, "linear_stages": 3},
    "looped, stored": {"unroll": 1, "key_schedule": "stored", "key_slots": 3},
    "looped, stored, decrypt": {
        "unroll": 2,
        "key_schedule": "stored",
        "direction": "decrypt",
        "sbox": "bram",
        "sbox_stages": 1,
    },
    "looped, stored, both": {"unroll": 1, "key_schedule": "stored", "direction": "both"},
    "unrolled, stored, decrypt": {"key_schedule": "stored", "direction": "decrypt"},
}


def checked(design: Design, **more: object) -> CheckReport:
    """Check quickly: the model takes a few milliseconds a block."""
    options = {"seed": 1, "blocks": 5 * design.blocks_in_flight, "optimize": "build", **more}
    return check(design, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("shape", CORES)
def test_the_core_agrees_with_the_model(shape: str, scheme: str) -> None:
    design = Design(name="research", scheme=scheme, **{**TABLE, **CORES[shape]})  # type: ignore[arg-type]
    report = checked(design)
    assert report.passed, report.text()
    assert report.vector_blocks == 0
    assert report.random_blocks >= 5 * design.blocks_in_flight
    assert report.latency_cycles_seen == (design.latency_cycles,) * 2
    # No slower than AES.
    standard = Design(**{**design.choices(), "scheme": "fips197"})
    assert design.latency_cycles == standard.latency_cycles
    assert design.key_load_cycles == standard.key_load_cycles
    for word in (f"own model of scheme {scheme}", "not with NIST's vectors or OpenSSL", "not AES"):
        assert word in report.text()


def test_a_core_with_another_scheme_is_found() -> None:
    design = Design(name="little-liu", unroll=1, scheme="liu2014", **TABLE)  # type: ignore[arg-type]
    for scheme in (None, "hu2009"):
        report = checked(design, rtl=rtl.filelist(scheme))
        assert not report.passed
        assert "expected" in report.failures[0]


def test_the_list_of_files_is_of_the_standard() -> None:
    assert not any("research" in path.parts for path in rtl.filelist())
    with pytest.raises(AesforgeError, match="ding2000"):
        rtl.needed_by("aesforge_core", scheme="ding2000")


def test_a_file_goes_through_and_the_user_is_told(tmp_path: Path) -> None:
    text, cipher = tmp_path / "text", tmp_path / "cipher"
    text.write_bytes(bytes(range(48)))
    key = "000102030405060708090a0b0c0d0e0f"
    sets = ["unroll=1", "sbox_stages=0"]
    words = [word for one in sets for word in ("--set", one)]
    done = run(
        *("crypt", "liu2014-two-stage-liu2014", str(text), str(cipher), *words),
        *("--mode", "ecb", "--no-pad", "--key", key),
    )
    assert done.exit_code == 0, done.output
    assert "this is not AES" in done.stderr
    data = b"".join(
        second_cipher.encrypt(bytes(range(i, i + 16)), bytes.fromhex(key), "liu2014")
        for i in (0, 16, 32)
    )
    assert cipher.read_bytes() == data
    back = tmp_path / "back"
    design = load("liu2014-two-stage-liu2014-decrypt", ["unroll=1", "sbox_stages=0"])
    report = crypt_file(
        *(design, cipher, back),
        mode="ecb",
        key=bytes.fromhex(key),
        decrypt=True,
        pad=False,
        optimize="build",
    )
    assert back.read_bytes() == text.read_bytes()
    assert report.warning == design.warning


# --- What is measured -----------------------------------------------------------------------------


def test_a_measurement_and_its_row_say_what_was_measured() -> None:
    weak = PRESETS["liu2014-two-stage-liu2014"]
    one = record(random.Random(1), weak, *DEVICES[0])
    (row,) = rows([one])
    assert row["scheme"] == "liu2014"
    assert row["research"] is True
    assert "not AES" in str(row["summary"])
    badge = "not AES: liu2014 key expansion"
    assert badge in render_page([one])
    assert badge not in render_page([record(random.Random(1), Design(), *DEVICES[0])])


def test_measuring_warns_of_what_is_not_aes() -> None:
    for design in (*RESEARCH, Design()):
        job = _Job(Target.of(design), device("LFE5U-85F-8"), None, None, False, None)
        warnings = job._warnings(None, block_ram=False)
        assert warnings == ([] if design.is_standard else [design.warning])

# SPDX-License-Identifier: Apache-2.0
"""The demo on a small crop of its picture: right blocks count as right, wrong ones as wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from aesforge.cli.main import main
from aesforge.design import Design
from aesforge.errors import UsageError
from aesforge.reference import openssl
from aesforge.research import demo, pictures

REPO = Path(__file__).resolve().parents[2]
LAKE = REPO / "examples" / "picture" / "lake.png"

# One round with memories for S-boxes: the model that compiles fastest.
TINY = Design(name="tiny", unroll=1, direction="both", sbox="bram")


@pytest.fixture
def crop(tmp_path: Path) -> Path:
    path = tmp_path / "crop.png"
    with Image.open(LAKE) as lake:
        lake.crop((160, 60, 224, 109)).save(path)
    return path


def test_every_block_is_right_and_every_file_written(crop: Path, tmp_path: Path) -> None:
    said: list[str] = []
    out = tmp_path / "out"
    report = demo.demo(TINY, crop, out, say=said.append)

    assert report.wrong == 0
    assert report.error_rate_percent == 0.0
    assert report.blocks == 4 * 64 * 49 * 3 // 16
    ecb, ctr = (path.read_bytes() for path in report.ciphertexts)
    assert len(ecb) == len(ctr) == 64 * 49 * 3
    assert (out / "tiny" / "files.f").is_file()
    with Image.open(report.sheet) as sheet:
        assert sheet.mode == "RGB"
        assert sheet.width > 2 * 64
    text = report.text()
    for word in (
        "design",
        "blocks",
        "cycles",
        "latency",
        "0.0 %",
        "sheet.png",
        "crop.ecb.bin",
        "refuses it",
    ):
        assert word in text
    assert any("differ from OpenSSL" in line for line in said)
    assert report.refused


def test_an_engine_that_takes_any_ciphertext_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def takes_all(_engine: object, source: Path, target: Path, **_options: object) -> None:
        target.write_bytes(source.read_bytes())

    raw = tmp_path / "raw"
    raw.write_bytes(bytes(64))
    monkeypatch.setattr("aesforge.crypt.sealed.crypt_sealed_file", takes_all)
    said: list[str] = []
    assert not demo.refuses_a_changed_bit(raw, bytes(16), said.append)
    assert "DOES NOT refuse" in said[0]


def test_a_wrong_block_is_counted_and_ends_with_status_1(
    crop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = openssl.crypt

    def lying(
        mode: str, key: bytes, data: bytes, iv: bytes = b"", *, decrypt: bool = False
    ) -> bytes:
        answer = bytearray(honest(mode, key, data, iv, decrypt=decrypt))
        if mode == "ctr" and not decrypt:
            answer[16 * 7 + 3] ^= 0x10
        return bytes(answer)

    monkeypatch.setattr(openssl, "crypt", lying)
    toml = tmp_path / "tiny.toml"
    toml.write_text(TINY.to_toml())
    arguments = ["demo", str(toml), "--picture", str(crop)]
    done = CliRunner().invoke(main, [*arguments, "-o", str(tmp_path / "out")])
    assert done.exit_code == 1
    assert "1 of 2,352 blocks" in done.stdout
    assert "CTR encryption: block 7 is" in done.stderr


def test_the_picture_keeps_its_structure_in_ecb_and_loses_it_in_ctr() -> None:
    with Image.open(LAKE) as lake:
        data = lake.convert("RGB").tobytes()
    assert len(data) % 16 == 0
    ecb, ctr = (
        openssl.crypt(mode, pictures.EXAMPLE_KEY[:16], data, pictures.FIRST_COUNTER)
        for mode in ("ecb", "ctr")
    )
    blocks = len(data) // 16
    assert len({ecb[i : i + 16] for i in range(0, len(ecb), 16)}) < blocks / 5
    assert len({ctr[i : i + 16] for i in range(0, len(ctr), 16)}) == blocks


def test_the_picture_is_what_its_script_draws(tmp_path: Path) -> None:
    import subprocess
    import sys

    drawn = tmp_path / "lake.png"
    subprocess.run([sys.executable, LAKE.with_name("render.py"), drawn], check=True)
    with Image.open(drawn) as now, Image.open(LAKE) as shipped:
        # Another numpy may round a pixel's edge differently, not more.
        apart = np.abs(np.asarray(now, np.int16) - np.asarray(shipped, np.int16))
    assert apart.max() <= 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--picture", "none.png"], "does not exist"),
        (["--picture", __file__], "cannot be read as a picture"),
        (["line-rat"], "line-rate"),
        (["ctr-stream"], "`aesforge demo`"),
    ],
)
def test_bad_input_gets_a_clear_message(arguments: list[str], words: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = CliRunner().invoke(main, ["demo", *arguments, "-o", str(out)])
    assert done.exit_code == 2
    assert words in done.stderr
    assert not out.exists()


def test_a_design_that_cannot_encrypt_is_refused() -> None:
    with pytest.raises(UsageError, match="direction"):
        demo.decryption_twin(Design(name="back", direction="decrypt"))
    assert demo.decryption_twin(TINY) is TINY

# SPDX-License-Identifier: Apache-2.0
"""Send a picture through simulated cores and compare every block with OpenSSL.

The encryption core takes the picture in ECB and in CTR; the decryption core takes the ECB
ciphertext back, and the encryption core the CTR ciphertext, as that mode has it. What comes out
is written as one sheet of four pictures, with the ciphertext and the cores' RTL bundles. In the end
a GCM engine is given its own ciphertext of the picture with one bit changed, and has to refuse it.
"""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from aesforge.design import Design
from aesforge.errors import NotAuthentic, UsageError
from aesforge.reference import openssl
from aesforge.research.pictures import (
    EXAMPLE_KEY,
    FIRST_COUNTER,
    as_picture,
    draw_sheet,
    read_picture,
)

if TYPE_CHECKING:
    from aesforge.crypt.core import CryptReport, Mode

# A small engine for the last step: its model compiles in a few seconds.
GCM_ENGINE = "gcm-compact"
GCM_IV = bytes.fromhex("cafebabefacedbaddecaf888")


@dataclasses.dataclass(frozen=True)
class Passage:
    """One trip of the whole picture through a core."""

    name: str
    blocks: int
    wrong: int
    """Blocks that differ from OpenSSL's."""
    first_wrong: str
    """What was wrong first, for a message; empty when nothing was."""
    run: CryptReport
    """How it went."""


@dataclasses.dataclass(frozen=True)
class Report:
    """What a demo did."""

    encryption: Design
    decryption: Design
    passages: tuple[Passage, ...]
    sheet: Path
    ciphertexts: tuple[Path, ...]
    bundles: tuple[Path, ...]
    refused: bool
    """Whether the GCM engine took its ciphertext back, and refused it with one bit changed."""

    @property
    def blocks(self) -> int:
        """Blocks sent, over all passages."""
        return sum(passage.blocks for passage in self.passages)

    @property
    def wrong(self) -> int:
        """Corrupt blocks, over all passages."""
        return sum(passage.wrong for passage in self.passages)

    @property
    def error_rate_percent(self) -> float:
        """Corrupt blocks over blocks, in percent."""
        return 100.0 * self.wrong / self.blocks

    def text(self) -> str:
        """Return the report in lines for a terminal."""
        cycles = sum(passage.run.cycles for passage in self.passages)
        seconds = sum(passage.run.seconds for passage in self.passages)
        designs = list(dict.fromkeys((self.encryption, self.decryption)))
        rows = [
            *(("design" if i == 0 else "", _one_line(design)) for i, design in enumerate(designs)),
            ("key", "the published example key of FIPS 197, Appendix C"),
            (
                "blocks",
                f"{self.blocks:,}, {self.passages[0].blocks:,} in each of "
                + ", ".join(passage.name for passage in self.passages),
            ),
            ("cycles", f"{cycles:,}"),
            (
                "latency",
                f"{self.encryption.latency_cycles} cycles encrypting, "
                f"{self.decryption.latency_cycles} cycles decrypting",
            ),
            ("throughput", f"{self.blocks / cycles:.3f} blocks per cycle, filling included"),
            (
                "error rate",
                f"{self.error_rate_percent:.1f} % ({self.wrong:,} of {self.blocks:,} blocks differ "
                "from OpenSSL)",
            ),
            (
                "authenticity",
                f"one bit of the picture's GCM ciphertext is flipped: {GCM_ENGINE} "
                + ("refuses it" if self.refused else "DOES NOT refuse it"),
            ),
            ("simulation", f"{self.blocks / seconds:,.0f} blocks/s"),
            ("RTL bundle", "  ".join(map(str, self.bundles))),
            ("ciphertext", "  ".join(map(str, self.ciphertexts))),
            ("sheet", str(self.sheet)),
        ]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:{width}}  {value}" for name, value in rows)


def _one_line(design: Design) -> str:
    return f"{design.name}: {design.summary()}"


def decryption_twin(design: Design) -> Design:
    """Return the core that takes a design's ciphertext back: itself if it does both.

    Raises:
        UsageError: the design cannot encrypt, has no decrypting twin, or is not AES.
    """
    if design.warning is not None:
        raise UsageError(
            "the demo compares every block with OpenSSL, and cannot with the design "
            f"'{design.name}': {design.warning}; choose one with scheme = fips197"
        )
    if design.is_key_expansion:
        raise UsageError(
            f"the demo sends pictures, and the design '{design.name}' is a key expansion, which "
            "takes no blocks; choose a design with architecture = pipeline"
        )
    if design.direction == "decrypt":
        raise UsageError(
            f"the demo encrypts first, and the design '{design.name}' has direction = decrypt; "
            "choose one with direction = encrypt or both"
        )
    if design.direction == "both":
        return design
    return dataclasses.replace(design, name=f"{design.name}-decrypt", direction="decrypt")


# --- Blocks --------------------------------------------------------------------------------------


def judge(name: str, report: CryptReport, got: bytes, want: bytes) -> Passage:
    """Compare what a passage gave with what OpenSSL gives, block by block.

    Args:
        name: of the passage.
        report: how it went.
        got: output of the core; may be shorter than ``want``.
        want: what OpenSSL gives, whole blocks.
    """
    wrong = [at for at in range(0, len(want), 16) if got[at : at + 16] != want[at : at + 16]]
    first = ""
    if wrong:
        at = wrong[0]
        first = (
            f"{name}: block {at // 16} is {got[at : at + 16].hex() or 'missing'}, "
            f"OpenSSL has {want[at : at + 16].hex()}"
        )
    return Passage(name, len(want) // 16, len(wrong), first, report)


# --- The demo ------------------------------------------------------------------------------------


def demo(
    design: Design,
    picture: Path,
    out_dir: Path,
    *,
    say: Callable[[str], None] = lambda _: None,
) -> Report:
    """Run the demo and write its files.

    Args:
        design: a core that encrypts; its decrypting twin is derived from it.
        picture: a picture that Pillow reads; it is sent as RGB, 8 bits a channel.
        out_dir: where the files go; made when it does not exist.
        say: called with a line for people when a step begins or ends.

    Returns:
        What was done. Corrupt blocks are counted, not raised.

    Raises:
        AesforgeError: a tool is missing, or a file cannot be read or written.
    """
    from aesforge.bundle import build
    from aesforge.crypt.core import crypt_file

    original = read_picture(picture)
    twin = decryption_twin(design)
    key = EXAMPLE_KEY[: design.key_bits // 8]
    pixels = original.tobytes()
    plain = pixels + bytes(-len(pixels) % 16)
    say(
        f"{picture}: {original.width} x {original.height} pixels, RGB, "
        f"{len(plain) // 16:,} blocks of 16 bytes"
    )
    cores = list(dict.fromkeys((design, twin)))
    for core in cores:
        _compile(core, say)

    passages: list[Passage] = []

    def run(name: str, core: Design, mode: Mode, source: Path, target: Path) -> bytes:
        """Send a file through a core in a mode, compare, and return the output."""
        decrypt = name.endswith("decryption")
        report = crypt_file(
            core,
            source,
            target,
            mode=mode,
            key=key,
            iv=FIRST_COUNTER if mode == "ctr" else None,
            decrypt=decrypt,
            pad=mode == "ctr",  # it has no padding to leave out; in ECB the blocks are whole
        )
        got = target.read_bytes()
        want = openssl.crypt(mode, key, source.read_bytes(), FIRST_COUNTER, decrypt=decrypt)
        passage = judge(name, report, got, want)
        say(
            f"{name}: {passage.blocks:,} blocks through {core.name} in {report.seconds:.1f} s, "
            f"{passage.wrong:,} differ from OpenSSL"
        )
        passages.append(passage)
        return got

    try:
        out_dir.mkdir(parents=True, exist_ok=True)
        ecb_file, ctr_file = (out_dir / f"{picture.stem}.{mode}.bin" for mode in ("ecb", "ctr"))
        with tempfile.TemporaryDirectory() as temporary:
            raw, back = Path(temporary, "raw"), Path(temporary, "back")
            raw.write_bytes(plain)
            ecb = run("ECB encryption", design, "ecb", raw, ecb_file)
            ctr = run("CTR encryption", design, "ctr", raw, ctr_file)
            ecb_back = run("ECB decryption", twin, "ecb", ecb_file, back)
            ctr_back = run("CTR decryption", design, "ctr", ctr_file, back)
            refused = refuses_a_changed_bit(raw, key, say)

        bundles = tuple(out_dir / core.name for core in cores)
        for core, folder in zip(cores, bundles, strict=True):
            build(core, folder, force=True)

        wrong = sum(passage.wrong for passage in passages)
        same = wrong == 0 and ecb_back == ctr_back == plain
        captions = (
            ("Original", f"{len(plain) // 16:,} blocks of 16 bytes"),
            ("ECB", "Equal blocks stay equal: the scene shows through"),
            ("CTR", "A counter goes into every block: nothing shows"),
            ("Decrypted", f"Back through the core: {'identical' if same else 'NOT identical'}"),
        )
        images = [as_picture(data, original.size) for data in (plain, ecb, ctr, ecb_back)]
        foot = f"{len(plain) // 4:,} blocks compared with OpenSSL, {wrong:,} differ"
        sheet = out_dir / "sheet.png"
        draw_sheet(images, captions, _one_line(design), foot).save(sheet, optimize=True)
    except OSError as error:
        raise UsageError(f"cannot write into '{out_dir}': {error.strerror or error}") from None
    return Report(design, twin, tuple(passages), sheet, (ecb_file, ctr_file), bundles, refused)


def refuses_a_changed_bit(raw: Path, key: bytes, say: Callable[[str], None]) -> bool:
    """Tell whether a GCM engine takes its own ciphertext back, and not with one bit changed.

    Args:
        raw: the plaintext.
        key: any key; the engine takes its first 16 bytes.
        say: called with a line for people when it is done.
    """
    from aesforge.crypt.sealed import crypt_sealed_file
    from aesforge.design import Engine, load_any

    engine = load_any(GCM_ENGINE, ())
    assert isinstance(engine, Engine)
    key = key[: engine.key_bits // 8]
    with tempfile.TemporaryDirectory() as temporary:
        sealed, back = Path(temporary, "sealed"), Path(temporary, "back")

        def crypt(source: Path, target: Path, *, decrypt: bool) -> None:
            crypt_sealed_file(
                engine,
                source,
                target,
                cipher="gcm",
                key=key,
                iv=GCM_IV,
                decrypt=decrypt,
                optimize="build",
            )

        crypt(raw, sealed, decrypt=False)
        crypt(sealed, back, decrypt=True)
        right = back.read_bytes() == raw.read_bytes()
        back.unlink()
        data = bytearray(sealed.read_bytes())
        data[len(data) // 2] ^= 1
        sealed.write_bytes(data)
        try:
            crypt(sealed, back, decrypt=True)
            refused = False
        except NotAuthentic:
            refused = not back.exists()
    say(
        f"GCM: {engine.name} takes its ciphertext back{'' if right else ' WRONG'}, and "
        f"{'refuses' if refused else 'DOES NOT refuse'} it with one bit flipped"
    )
    return right and refused


def _compile(core: Design, say: Callable[[str], None]) -> None:
    """Have a core's simulation model ready; say so when it has to be compiled first."""
    from rich.console import Console
    from rich.status import Status

    from aesforge.simulate.build import compile_model

    started = time.monotonic()
    announced = False
    # A turning wheel where someone watches, nothing elsewhere.
    status = Status("", console=Console(stderr=True))

    def progress(step: str) -> None:
        nonlocal announced
        if not announced:
            say(f"{core.name}: building its simulation model, once; about a minute, then cached")
            announced = True
        status.start()
        status.update(f"  {step}")

    try:
        compile_model(core, progress=progress)
    finally:
        status.stop()
    if announced:
        say(f"{core.name}: built in {time.monotonic() - started:.0f} s")


# --- Command line --------------------------------------------------------------------------------

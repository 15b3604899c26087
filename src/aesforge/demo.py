# SPDX-License-Identifier: Apache-2.0
"""Send a picture through simulated cores and compare every block with OpenSSL.

    python -m aesforge.demo [--design D] [--picture FILE] [-o DIR]

The encryption core takes the picture in ECB and in CTR; the decryption core takes the ECB
ciphertext back, and the encryption core the CTR ciphertext, as that mode has it. What comes out
is written as one sheet of four pictures, with the ciphertext and the cores' RTL bundles.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesforge.design import Design
from aesforge.errors import AesforgeError, ToolMissing, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

    from aesforge.simulate import Simulator

    Bytes = NDArray[np.uint8]

PICTURE = Path("examples/picture/lake.png")
OUT_DIR = Path("build/demo")

# Published values, so that a demo can be repeated and compared: the example key of FIPS 197,
# Appendix C, cut to the key's length, and the first counter block of SP 800-38A, F.5.
EXAMPLE_KEY = bytes(range(32))
FIRST_COUNTER = bytes(range(0xF0, 0x100))

_BEATS_PER_RUN = 4096  # keeps the progress report moving; the core never runs dry between two


@dataclasses.dataclass(frozen=True)
class Passage:
    """One trip of the whole picture through a core."""

    name: str
    blocks: int
    wrong: int
    """Blocks that differ from OpenSSL's, did not come out, or came out of order."""
    first_wrong: str
    """What was wrong first, for a message; empty when nothing was."""
    cycles: int
    """From the first block accepted to the last one out."""
    latencies: tuple[int, ...]
    """All latencies that were measured, in cycles; one value for a sound core."""
    simulation_seconds: float


@dataclasses.dataclass(frozen=True)
class Report:
    """What a demo did."""

    encryption: Design
    decryption: Design
    passages: tuple[Passage, ...]
    sheet: Path
    ciphertexts: tuple[Path, ...]
    bundles: tuple[Path, ...]

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
        """Give the report in lines for a terminal."""
        cycles = sum(passage.cycles for passage in self.passages)
        seconds = sum(passage.simulation_seconds for passage in self.passages)
        designs = list(dict.fromkeys((self.encryption, self.decryption)))
        latencies = [
            f"{design.latency_cycles} cycles {'decrypting' if i else 'encrypting'}"
            for i, design in enumerate((self.encryption, self.decryption))
        ]
        expected = {self.encryption.latency_cycles, self.decryption.latency_cycles}
        measured = {value for passage in self.passages for value in passage.latencies}
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
                ", ".join(latencies)
                + (
                    "; measured the same on every block"
                    if measured == expected
                    else f"; MEASURED {sorted(measured)}"
                ),
            ),
            ("throughput", f"{self.blocks / cycles:.3f} blocks per cycle, filling included"),
            (
                "error rate",
                f"{self.error_rate_percent:.1f} % ({self.wrong:,} of {self.blocks:,} blocks differ "
                "from OpenSSL)",
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
    """Give the core that takes a design's ciphertext back: itself if it does both.

    Raises:
        UsageError: the design cannot encrypt, or has no decrypting twin.
    """
    if design.direction == "decrypt":
        raise UsageError(
            f"the demo encrypts first, and the design '{design.name}' has direction = decrypt; "
            "choose one with direction = encrypt or both"
        )
    if design.direction == "both":
        return design
    return dataclasses.replace(design, name=f"{design.name}-decrypt", direction="decrypt")


# --- Blocks --------------------------------------------------------------------------------------


def send(
    simulator: Simulator,
    key: bytes,
    blocks: Bytes,
    *,
    decrypt: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[NDArray[Any], float]:
    """Send blocks through a core back to back.

    Args:
        simulator: a running simulation.
        key: 16, 24 or 32 bytes; goes with every block, or into slot 0 of a stored schedule.
        blocks: (n, 16) bytes; n is filled up with zeros to whole beats of the core's lanes.
        decrypt: for a core that does both.
        progress: called with blocks sent and blocks in all.

    Returns:
        The simulator's rows, a beat each, and the seconds that the model ran.
    """
    import numpy as np

    from aesforge.simulate import BLOCK, LOAD, WAIT

    design = simulator.design
    beats = -(-len(blocks) // design.lanes)
    padded = np.zeros((beats * design.lanes, 16), np.uint8)
    padded[: len(blocks)] = blocks
    ops = simulator.new_ops(beats)
    ops["op"] = BLOCK
    ops["decrypt"] = decrypt
    ops["tag"] = np.arange(beats) & ((1 << design.tag_bits) - 1)
    ops["block"] = padded.reshape(beats, 16 * design.lanes)
    if design.is_agile:
        ops["key"][:, : len(key)] = np.frombuffer(key, np.uint8)
    else:
        load = simulator.new_ops(2)
        load["op"] = (LOAD, WAIT)
        load["key"][:, : len(key)] = np.frombuffer(key, np.uint8)
        simulator.run(load)

    parts: list[NDArray[Any]] = []
    seconds = 0.0
    for start in range(0, beats, _BEATS_PER_RUN):
        result = simulator.run(ops[start : start + _BEATS_PER_RUN])
        parts.append(result.rows)
        seconds += result.simulation_seconds
        if progress:
            progress(min((start + _BEATS_PER_RUN) * design.lanes, len(blocks)), len(blocks))
    wait = simulator.new_ops(1)
    wait["op"] = WAIT
    result = simulator.run(wait)
    return np.concatenate([*parts, result.rows]), seconds + result.simulation_seconds


def judge(
    name: str, design: Design, rows: NDArray[Any], seconds: float, got: Bytes, want: Bytes
) -> Passage:
    """Compare what a passage gave with what OpenSSL gives, block by block.

    Args:
        name: of the passage.
        design: the core.
        rows: the simulator's, in order of leaving.
        seconds: that the model ran.
        got: (m, 16) bytes; m may be less than n when blocks were lost.
        want: (n, 16) bytes.
    """
    import numpy as np

    count = min(len(got), len(want))
    bad = np.ones(len(want), bool)
    bad[:count] = (got[:count] != want[:count]).any(axis=1)
    tags = np.arange(len(rows)) & ((1 << design.tag_bits) - 1)
    out_of_order = np.repeat(rows["tag"] != tags, design.lanes)[: len(want)]
    bad[: len(out_of_order)] |= out_of_order
    first = ""
    if bad.any():
        at = int(bad.argmax())
        what = got[at].tobytes().hex() if at < len(got) else "nothing"
        first = f"{name}: block {at} is {what}, OpenSSL has {want[at].tobytes().hex()}"
    cycles = int(rows["out_cycle"][-1] - rows["in_cycle"][0]) + 1 if len(rows) else 0
    latencies = np.unique(rows["out_cycle"] - rows["in_cycle"])
    return Passage(
        name, len(want), int(bad.sum()), first, cycles, tuple(map(int, latencies)), seconds
    )


def _openssl(key: bytes, data: bytes, *, mode: str, decrypt: bool) -> Bytes:
    """Give OpenSSL's answer as (n, 16) bytes."""
    import numpy as np
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    cipher = Cipher(algorithms.AES(key), modes.ECB() if mode == "ecb" else modes.CTR(FIRST_COUNTER))
    context = cipher.decryptor() if decrypt else cipher.encryptor()
    return np.frombuffer(context.update(data) + context.finalize(), np.uint8).reshape(-1, 16)


def _counters(count: int) -> Bytes:
    """Give the counter blocks of CTR (SP 800-38A Sec. 6.5, B.1), (count, 16) bytes."""
    import numpy as np

    first = int.from_bytes(FIRST_COUNTER, "big")
    text = b"".join(((first + i) % (1 << 128)).to_bytes(16, "big") for i in range(count))
    return np.frombuffer(text, np.uint8).reshape(count, 16)


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
    import numpy as np

    from aesforge.bundle import build
    from aesforge.simulate import Simulator

    original = _read_picture(picture)
    twin = decryption_twin(design)
    key = EXAMPLE_KEY[: design.key_bits // 8]
    pixels = original.tobytes()
    data = pixels + bytes(-len(pixels) % 16)
    plain = np.frombuffer(data, np.uint8).reshape(-1, 16)
    counters = _counters(len(plain))
    say(
        f"{picture}: {original.width} x {original.height} pixels, RGB, "
        f"{len(plain):,} blocks of 16 bytes"
    )

    passages: list[Passage] = []
    with ExitStack() as stack:
        cores: dict[Design, Simulator] = {}
        for core in dict.fromkeys((design, twin)):
            cores[core] = _start(stack, Simulator, core, say)

        def run(name: str, core: Design, mode: str, blocks: Bytes, *, decrypt: bool) -> Bytes:
            """Send blocks through a core in a mode, compare, and give what came out."""
            rows, seconds = send(
                cores[core],
                key,
                counters if mode == "ctr" else blocks,
                decrypt=decrypt and mode == "ecb",
            )
            got = rows["block"].reshape(-1, 16)[: len(blocks)]
            if mode == "ctr":
                got = got ^ blocks[: len(got)]
            want = _openssl(key, blocks.tobytes(), mode=mode, decrypt=decrypt)
            passage = judge(name, core, rows, seconds, got, want)
            say(
                f"{name}: {passage.blocks:,} blocks through {core.name} in {seconds:.1f} s, "
                f"{passage.wrong:,} differ from OpenSSL"
            )
            passages.append(passage)
            full = np.zeros_like(blocks)
            full[: len(got)] = got
            return full

        ecb = run("ECB encryption", design, "ecb", plain, decrypt=False)
        ctr = run("CTR encryption", design, "ctr", plain, decrypt=False)
        ecb_back = run("ECB decryption", twin, "ecb", ecb, decrypt=True)
        ctr_back = run("CTR decryption", design, "ctr", ctr, decrypt=True)

    # Decrypted right, but not what was sent: only possible when an encryption was wrong as well.
    same = bool((ecb_back == plain).all() and (ctr_back == plain).all())

    try:
        out_dir.mkdir(parents=True, exist_ok=True)
        ciphertexts = []
        for mode, blocks in (("ecb", ecb), ("ctr", ctr)):
            path = out_dir / f"{picture.stem}.{mode}.bin"
            path.write_bytes(blocks.tobytes())
            ciphertexts.append(path)
        bundles = []
        for core in cores:
            bundles.append(out_dir / core.name)
            build(core, bundles[-1], force=True)
        sheet = out_dir / "sheet.png"
        wrong = sum(passage.wrong for passage in passages)
        total = sum(passage.blocks for passage in passages)
        verdict = "identical" if same and not wrong else "NOT identical"
        captions = (
            ("Original", f"{len(plain):,} blocks of 16 bytes"),
            ("ECB", "Equal blocks stay equal: the scene shows through"),
            ("CTR", "A counter goes into every block: nothing shows"),
            ("Decrypted", f"Back through the decryption core: {verdict}"),
        )
        images = [original] + [
            _as_picture(blocks, original.size, len(pixels)) for blocks in (ecb, ctr, ecb_back)
        ]
        foot = f"{total:,} blocks compared with OpenSSL, {wrong:,} differ"
        draw_sheet(images, captions, _one_line(design), foot).save(sheet, optimize=True)
    except OSError as error:
        raise UsageError(f"cannot write into '{out_dir}': {error.strerror or error}") from None
    return Report(design, twin, tuple(passages), sheet, tuple(ciphertexts), tuple(bundles))


def _start(
    stack: ExitStack, simulator: type[Simulator], core: Design, say: Callable[[str], None]
) -> Simulator:
    """Start a core's simulation, and say so when its model has to be compiled first."""
    started = time.monotonic()
    told = False

    def progress(step: str) -> None:
        nonlocal told
        if not told:
            say(f"{core.name}: building its simulation model, once; about a minute, then cached")
            told = True
        say(f"  {time.monotonic() - started:3.0f} s  {step}")

    running = stack.enter_context(simulator(core, progress=progress))
    if told:
        say(f"  {time.monotonic() - started:3.0f} s  ready")
    return running


# --- Pictures ------------------------------------------------------------------------------------


def _pillow() -> None:
    """Refuse in words when Pillow, which only the demo needs, is missing."""
    try:
        import PIL.Image  # noqa: F401 (only asked whether it is there)
    except ImportError:
        raise ToolMissing(
            "the demo draws with Pillow, which is not installed: "
            f"{sys.executable} -m pip install pillow"
        ) from None


def _read_picture(path: Path) -> Image:
    """Give a picture as RGB.

    Raises:
        UsageError: there is no such file, or it is no picture.
        ToolMissing: Pillow is not installed.
    """
    _pillow()
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except FileNotFoundError:
        raise UsageError(
            f"the picture '{path}' does not exist; run the demo at the top of a checkout, or name "
            "a picture with --picture"
        ) from None
    except (UnidentifiedImageError, OSError) as error:
        raise UsageError(f"'{path}' cannot be read as a picture: {error}") from None


def _as_picture(blocks: Bytes, size: tuple[int, int], length: int) -> Image:
    from PIL import Image

    return Image.frombytes("RGB", size, blocks.tobytes()[:length])


_PAPER, _INK, _SOFT, _LINE = "#f6f4ef", "#171c33", "#666a7d", "#d9d5cb"
_MARGIN, _GUTTER = 44, 32  # pixels, as all sizes here
_CAPTION = 76  # a caption's height, with the space under it
_MIN_CELL = 440  # narrow pictures still need room for their captions
_SUPERSAMPLE = 4  # text is drawn so much larger and scaled down, for even spacing


def draw_sheet(
    images: Sequence[Image], captions: Sequence[tuple[str, str]], title: str, foot: str
) -> Image:
    """Lay four pictures of one size out on a sheet, two by two, each over its caption.

    Args:
        images: of one size; their pixels are not scaled.
        captions: a name and a line of explanation for each.
        title: what stands under the project's name; long titles are broken into lines.
        foot: the line at the bottom.
    """
    from PIL import Image, ImageDraw

    wide, high = images[0].size
    cell = max(wide, _MIN_CELL)
    width = 2 * _MARGIN + 2 * cell + _GUTTER
    lines = _wrap(title, 17, width - 2 * _MARGIN)
    top = _MARGIN + 46 + 24 * len(lines) + 20
    bottom = top + 2 * (high + _CAPTION) + _GUTTER // 2
    sheet = Image.new("RGB", (width, bottom + 56), _PAPER)

    _text(sheet, (_MARGIN, _MARGIN - 8), "aesforge", 34, _INK)
    for i, line in enumerate(lines):
        _text(sheet, (_MARGIN, _MARGIN + 38 + 24 * i), line, 17, _SOFT)
    for i, (image, (name, words)) in enumerate(zip(images, captions, strict=True)):
        x = _MARGIN + (i % 2) * (cell + _GUTTER)
        y = top + (i // 2) * (high + _CAPTION + _GUTTER // 2)
        sheet.paste(image, (x, y))
        _text(sheet, (x, y + high + 12), name, 22, _INK)
        _text(sheet, (x, y + high + 41), words, 16, _SOFT)
    draw = ImageDraw.Draw(sheet)
    draw.line((_MARGIN, bottom, width - _MARGIN, bottom), fill=_LINE)
    _text(sheet, (_MARGIN, bottom + 14), foot, 15, _SOFT)
    return sheet


def _font(size: int) -> FreeTypeFont:
    from PIL import ImageFont

    font = ImageFont.load_default(size * _SUPERSAMPLE)
    assert isinstance(font, ImageFont.FreeTypeFont)  # a size was asked for
    return font


def _wrap(text: str, size: int, width: int) -> list[str]:
    """Break a text into lines of at most so many pixels, and where it has a semicolon."""
    font = _font(size)
    lines = [""]
    for word in text.replace("; ", " \n ").split(" "):
        if word == "\n":
            lines.append("")
            continue
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > width * _SUPERSAMPLE:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _text(sheet: Image, at: tuple[int, int], text: str, size: int, colour: str) -> None:
    """Write a line of text on the sheet, its top left corner at ``at``."""
    from PIL import Image, ImageDraw

    font = _font(size)
    width = -(-int(font.getlength(text)) // _SUPERSAMPLE) + 2
    height = size * 3 // 2
    mask = Image.new("L", (width * _SUPERSAMPLE, height * _SUPERSAMPLE))
    ImageDraw.Draw(mask).text((0, 0), text, fill=255, font=font)
    mask = mask.resize((width, height), Image.Resampling.BOX)
    sheet.paste(Image.new("RGB", mask.size, colour), at, mask)


# --- Command line --------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo from the command line and give the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m aesforge.demo",
        description="Send a picture through simulated cores; compare every block with OpenSSL.",
    )
    parser.add_argument("--design", default="line-rate", metavar="D", help="preset or TOML file")
    parser.add_argument("--picture", type=Path, default=PICTURE, metavar="FILE")
    parser.add_argument("-o", "--out", type=Path, default=OUT_DIR, metavar="DIR")
    chosen = parser.parse_args(arguments)

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    try:
        from aesforge.design import load

        report = demo(load(chosen.design, ()), chosen.picture, chosen.out, say=say)
    except AesforgeError as error:
        say(f"aesforge: {error.message}")
        return error.exit_code
    except KeyboardInterrupt:
        say("aesforge: interrupted")
        return 130
    say("")
    print(report.text())
    for passage in report.passages:
        if passage.first_wrong:
            say(f"aesforge: {passage.first_wrong}")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Pictures as blocks of data, and the results on one sheet; this needs Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aesforge.errors import ToolMissing, UsageError
from aesforge.toolchain import install

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

# Published values, so that a demo can be repeated and compared: the example key of FIPS 197,
# Appendix C, cut to the key's length, and the first counter block of SP 800-38A, F.5.
EXAMPLE_KEY = bytes(range(32))
FIRST_COUNTER = bytes(range(0xF0, 0x100))


def _pillow() -> None:
    """Refuse in words when Pillow, which only pictures need, is missing."""
    try:
        import PIL.Image  # noqa: F401 (only asked whether it is there)
    except ImportError:
        raise ToolMissing(
            "pictures need the package Pillow, which is not installed; install it with "
            f"`{install.extra_command('pictures')}`"
        ) from None


def read_picture(path: Path) -> Image:
    """Return a picture as RGB.

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


def as_picture(data: bytes, size: tuple[int, int]) -> Image:
    """Show bytes as pixels; missing bytes at the end are black, extra bytes are dropped."""
    from PIL import Image

    length = 3 * size[0] * size[1]
    return Image.frombytes("RGB", size, data[:length].ljust(length, b"\0"))


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
        title: text under the project's name; long titles are broken into lines.
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

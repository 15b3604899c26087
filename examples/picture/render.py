# SPDX-License-Identifier: Apache-2.0
"""Render the demo's picture: a mountain lake at sunrise, in the manner of a screen print.

Our own work, made of nothing but the numbers below. The same numpy gives the same bytes.

    python examples/picture/render.py [OUT.png]

Why this manner: ECB maps equal blocks to equal blocks, so what survives it is whatever repeats.
Each area here has one colour, or one colour per band of rows, and the width is a multiple of 16
pixels (48 bytes, three blocks): areas that look even to the eye also repeat as blocks.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

WIDTH, HEIGHT = 512, 384  # pixels; width x height x 3 bytes = 36,864 blocks
SHORE = 268  # the row where the water begins
OVERSAMPLE = 4  # sub-pixels per pixel and axis, for smooth edges
SEED = 17
SUN = (352, 150)  # column, row

Array = npt.NDArray[np.float64]  # pictures are (rows, columns, 3), lines (columns,) of rows
Mask = npt.NDArray[np.bool_]  # (rows, columns), both times OVERSAMPLE

SKY = (
    "#1b2a55",
    "#2c3d6d",
    "#455184",
    "#6a6696",
    "#9a7a9d",
    "#c98d97",
    "#eba58d",
    "#fbc18d",
    "#ffdca2",
)
SKY_FIRST_BAND = 46  # rows; the others share what is left above the shore


def rgb(text: str) -> Array:
    """Return the colour ``#rrggbb`` as three numbers from 0 to 1."""
    return np.array([int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def paint(picture: Array, colour: Array | str, where: Mask, strength: float = 1.0) -> Array:
    """Lay a colour, or a column of colours (rows, 1, 3), over the picture with smooth edges."""
    rows, columns = where.shape[0] // OVERSAMPLE, where.shape[1] // OVERSAMPLE
    cells = where.reshape(rows, OVERSAMPLE, columns, OVERSAMPLE)
    share = cells.mean(axis=(1, 3))[:, :, None] * strength
    layer = rgb(colour) if isinstance(colour, str) else colour
    mixed: Array = picture * (1 - share) + layer * share
    return mixed


def ridge(rng: np.random.Generator, knots: Sequence[tuple[float, float]], rough: float) -> Array:
    """Return a mountain line through ``knots`` (column, row), rough by midpoint displacement."""
    columns = np.linspace(0, WIDTH, WIDTH * OVERSAMPLE)
    noise = np.zeros(2)
    amplitude = rough
    while noise.size < columns.size:
        joined = np.empty(2 * noise.size - 1)
        joined[0::2] = noise
        joined[1::2] = (noise[:-1] + noise[1:]) / 2 + rng.uniform(-1, 1, noise.size - 1) * amplitude
        noise = joined
        amplitude *= 0.6
    at, rows = zip(*knots, strict=True)
    place = np.interp(columns, at, np.arange(len(at)))
    step = np.floor(place)
    # Between a straight line and an S-curve from knot to knot.
    eased = step + 0.75 * (place - step) + 0.25 * (0.5 - 0.5 * np.cos(np.pi * (place - step)))
    shape: Array = np.interp(eased, np.arange(len(at)), rows)
    shape += np.interp(columns, np.linspace(0, WIDTH, noise.size), noise)
    return shape


def pine(x: Array, y: Array, foot: float, at: float, tall: float) -> Mask:
    """Return where a pine stands: tiers of drooping branches around a trunk."""
    down = (y - (foot - tall)) / tall  # 0 at the tip, 1 at the foot
    phase = (down * 9) % 1.0
    reach = tall * 0.2 * (0.03 + down) * (0.5 + 0.5 * phase)
    crown = (np.abs(x - at) < np.maximum(reach, 0.5)) & (down > 0) & (down < 0.93)
    trunk = (np.abs(x - at) < max(tall * 0.018, 0.4)) & (down > 0.8) & (down < 1.02)
    return np.asarray(crown | trunk)


def render() -> npt.NDArray[np.uint8]:
    """Return the picture, (384, 512, 3) bytes."""
    rng = np.random.default_rng(SEED)
    y = (np.arange(HEIGHT * OVERSAMPLE) + 0.5)[:, None] / OVERSAMPLE
    x = (np.arange(WIDTH * OVERSAMPLE) + 0.5)[None, :] / OVERSAMPLE

    band = 1 + (np.arange(HEIGHT) - SKY_FIRST_BAND) * (len(SKY) - 1) // (SHORE - SKY_FIRST_BAND)
    colours = np.array([rgb(colour) for colour in SKY])
    sky = colours[np.clip(band, 0, len(SKY) - 1)]
    picture = np.repeat(sky[:, None, :], WIDTH, axis=1)

    # The sun in three rings of even brightness.
    distance = np.hypot(x - SUN[0], y - SUN[1])
    for radius, strength in ((96, 0.10), (66, 0.16)):
        picture = paint(picture, "#ffe9b8", distance < radius, strength)
    picture = paint(picture, "#fff4d2", distance < 38)

    # The great peak: a lit face towards the sun, a shaded one, and snow.
    peak = (196, 74)
    line = ridge(
        rng,
        [(0, 232), (70, 196), (128, 150), peak, (262, 152), (330, 206), (420, 214), (512, 190)],
        13,
    )
    mountain = y > line[None, :]
    edge = ridge(rng, [(0, 0), (512, 0)], 30)  # where light meets shade, as a function of the row
    middle = (
        peak[0]
        + np.interp(y[:, 0], (peak[1], SHORE), (0, 26))
        + np.interp(y[:, 0], np.linspace(0, HEIGHT, edge.size), edge)
    )
    picture = paint(picture, "#74679a", mountain)
    picture = paint(picture, "#a58bab", mountain & (x > middle[:, None]))
    snow = ridge(rng, [(0, 128), (512, 128)], 16) + 9 * np.sin(
        np.linspace(0, 75, WIDTH * OVERSAMPLE)
    )
    picture = paint(picture, "#b9b3d6", mountain & (y < snow[None, :]))
    picture = paint(picture, "#ffe6cf", mountain & (y < snow[None, :]) & (x > middle[:, None]))

    # Three nearer ranges, each darker.
    for knots, rough, colour in (
        (
            [
                (0, 188),
                (60, 214),
                (140, 230),
                (250, 212),
                (330, 228),
                (424, 178),
                (470, 196),
                (512, 184),
            ],
            13,
            "#5d5589",
        ),
        (
            [(0, 226), (80, 206), (170, 242), (222, 234), (300, 246), (390, 236), (512, 216)],
            12,
            "#444377",
        ),
        ([(0, 244), (120, 252), (230, 240), (360, 256), (512, 244)], 7, "#2f3463"),
    ):
        picture = paint(picture, colour, y > ridge(rng, knots, rough)[None, :])

    # A wooded shore.
    wood = y > ridge(rng, [(0, 262), (256, 265), (512, 261)], 2)[None, :]
    for _ in range(120):
        at = rng.uniform(0, WIDTH)
        wood |= pine(x, y, 268, at, 8 + rng.uniform(0, 22) * abs(at - SUN[0]) / SUN[0])
    picture = paint(picture, "#1c2249", wood)

    # The lake mirrors all that, darker with every band of water.
    depth = np.arange(HEIGHT - SHORE)
    mirrored = np.clip(SHORE - 2 - depth * 1.75, 0, SHORE - 1).astype(int)
    shade = (0.16 + 0.14 * (depth // 24))[:, None, None]
    picture[SHORE:] = picture[mirrored] * (1 - shade) + rgb("#1b2653") * shade
    picture[SHORE : SHORE + 2] = rgb("#e9b99d")
    for row, left, right in (
        (292, 318, 392),
        (300, 296, 350),
        (308, 338, 404),
        (318, 322, 372),
        (330, 342, 388),
    ):
        glint = np.abs(y - row) < 1.3 * np.sqrt(
            np.clip(1 - ((x - (left + right) / 2) / ((right - left) / 2)) ** 2, 0, 1)
        )
        picture = paint(picture, "#ffe3b0", glint)

    # Our side: a dark bank with tall pines that frame the view.
    bank = 374 - 26 * np.exp(-(((x - 20) / 140) ** 2)) - 14 * np.exp(-(((x - 505) / 70) ** 2))
    near = y > bank + np.sin(x * 0.11) * 1.2 + np.sin(x * 0.37) * 0.7
    pines = ((24, 262), (66, 186), (99, 120), (-10, 214), (490, 172), (461, 104), (522, 226))
    for at, tall in pines:
        foot = float(bank[0, int(np.clip(at, 0, WIDTH - 1)) * OVERSAMPLE]) + 4
        near |= pine(x, y, foot, at, tall)
    picture = paint(picture, "#0d1330", near)
    return np.round(picture * 255).astype(np.uint8)


def main() -> None:
    """Write the picture to the path given, or beside this script."""
    from PIL import Image

    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("lake.png")
    Image.fromarray(render()).save(out, optimize=True)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""A drawing on a grid of characters, as Unicode text and as SVG."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from xml.sax.saxutils import escape

STAGE = "▮"


@dataclasses.dataclass(frozen=True)
class Box:
    """A block: its upper left corner and size on the grid, lines of text, and what it is."""

    x: int
    y: int
    width: int
    height: int
    lines: tuple[str, ...]
    kind: str

    @property
    def right(self) -> int:
        """The column of the right border."""
        return self.x + self.width - 1

    @property
    def bottom(self) -> int:
        """The row of the lower border."""
        return self.y + self.height - 1

    @property
    def middle(self) -> int:
        """The column in the middle."""
        return self.x + self.width // 2


@dataclasses.dataclass(frozen=True)
class Line:
    """A line through points of the grid, with an arrow head at its end or without."""

    points: tuple[tuple[int, int], ...]
    head: bool = True


@dataclasses.dataclass(frozen=True)
class Label:
    """Text on the grid."""

    x: int
    y: int
    text: str


@dataclasses.dataclass
class Drawing:
    """What is to be drawn."""

    boxes: list[Box] = dataclasses.field(default_factory=list)
    lines: list[Line] = dataclasses.field(default_factory=list)
    labels: list[Label] = dataclasses.field(default_factory=list)

    def box(self, x: int, y: int, lines: Sequence[str], kind: str, height: int = 0) -> Box:
        """Add a box that fits its lines, or of a given height."""
        width = max(map(len, lines)) + 4
        new = Box(x, y, width, height or len(lines) + 2, tuple(lines), kind)
        self.boxes.append(new)
        return new

    def line(self, *points: tuple[int, int], head: bool = True) -> None:
        """Add a line."""
        self.lines.append(Line(points, head))

    def label(self, x: int, y: int, text: str) -> None:
        """Add text."""
        self.labels.append(Label(x, y, text))


# --- Text ---------------------------------------------------------------------------------------

_NORTH, _EAST, _SOUTH, _WEST = 1, 2, 4, 8
_GLYPHS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_HEADS = {(1, 0): "▶", (-1, 0): "◀", (0, 1): "▼", (0, -1): "▲"}


def text(drawing: Drawing) -> str:
    """Return a drawing as lines of Unicode text."""
    arms: dict[tuple[int, int], int] = {}
    chars: dict[tuple[int, int], str] = {}

    def arm(x: int, y: int, way: int) -> None:
        arms[x, y] = arms.get((x, y), 0) | way

    def segment(x1: int, y1: int, x2: int, y2: int) -> None:
        dx, dy = _sign(x2 - x1), _sign(y2 - y1)
        there = {(1, 0): _EAST, (-1, 0): _WEST, (0, 1): _SOUTH, (0, -1): _NORTH}[dx, dy]
        back = {_EAST: _WEST, _WEST: _EAST, _SOUTH: _NORTH, _NORTH: _SOUTH}[there]
        while (x1, y1) != (x2, y2):
            arm(x1, y1, there)
            x1, y1 = x1 + dx, y1 + dy
            arm(x1, y1, back)

    for box in drawing.boxes:
        corners = [(box.x, box.y), (box.right, box.y), (box.right, box.bottom), (box.x, box.bottom)]
        for start, end in zip(corners, corners[1:] + corners[:1], strict=True):
            segment(*start, *end)
        for row, words in enumerate(box.lines):
            for column, char in enumerate(words):
                chars[box.x + 2 + column, box.y + 1 + row] = char
    for line in drawing.lines:
        for start, end in zip(line.points, line.points[1:], strict=False):
            segment(*start, *end)
        if line.head:
            (x1, y1), (x2, y2) = line.points[-2:]
            chars[x2, y2] = _HEADS[_sign(x2 - x1), _sign(y2 - y1)]
    for label in drawing.labels:
        for column, char in enumerate(label.text):
            chars[label.x + column, label.y] = char
    cells = {spot: _GLYPHS[ways] for spot, ways in arms.items()} | chars
    rows = []
    for y in range(max(y for _, y in cells) + 1):
        columns = [x for x, row in cells if row == y]
        rows.append("".join(cells.get((x, y), " ") for x in range(max(columns, default=-1) + 1)))
    return "\n".join(row.rstrip() for row in rows) + "\n"


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


# --- SVG ----------------------------------------------------------------------------------------

_CELL_WIDTH, _CELL_HEIGHT, _MARGIN = 9, 20, 16
_FILLS = {
    "key": ("#fff3d1", "#a86a12"),
    "data": ("#e2eefc", "#2860a4"),
    "wait": ("#efefef", "#6b6b6b"),
}
_STAGE_COLOUR, _INK = "#c0322b", "#222222"


def svg(drawing: Drawing, title: str) -> str:
    """Return a drawing as an SVG picture that needs no font of a certain width."""
    spots = [(box.right, box.bottom) for box in drawing.boxes]
    spots += [(label.x + len(label.text), label.y) for label in drawing.labels]
    spots += [point for line in drawing.lines for point in line.points]
    width = 2 * _MARGIN + _CELL_WIDTH * (max(x for x, _ in spots) + 1)
    height = 2 * _MARGIN + _CELL_HEIGHT * (max(y for _, y in spots) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="ui-monospace, DejaVu Sans Mono, Menlo, '
        f'Consolas, monospace" font-size="14" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for line in drawing.lines:
        parts.extend(_svg_line(line))
    for box in drawing.boxes:
        fill, stroke = _FILLS[box.kind]
        parts.append(
            f'<rect x="{_left(box.x)}" y="{_top(box.y)}" width="{(box.width - 1) * _CELL_WIDTH}" '
            f'height="{(box.height - 1) * _CELL_HEIGHT}" rx="4" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="1.5"/>'
        )
        for row, text_line in enumerate(box.lines):
            weight = ' font-weight="bold"' if row == 0 and len(box.lines) > 1 else ""
            parts.extend(_svg_text(box.x + 2, box.y + 1 + row, text_line, weight))
    for label in drawing.labels:
        parts.extend(_svg_text(label.x, label.y, label.text, ""))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _left(x: float) -> float:
    """Return the middle of a column."""
    return _MARGIN + _CELL_WIDTH * (x + 0.5)


def _top(y: float) -> float:
    """Return the middle of a row."""
    return _MARGIN + _CELL_HEIGHT * (y + 0.5)


def _svg_line(line: Line) -> list[str]:
    points = [(_left(x), _top(y)) for x, y in line.points]
    head = []
    if line.head:
        (x1, y1), (x2, y2) = line.points[-2:]
        dx, dy = _sign(x2 - x1), _sign(y2 - y1)
        # The arrow's tip touches the box after the last point.
        tip = (points[-1][0] + dx * _CELL_WIDTH, points[-1][1] + dy * _CELL_HEIGHT)
        base = (tip[0] - 8 * dx, tip[1] - 8 * dy)
        points[-1] = base
        side = 4
        head = [
            f'<polygon points="{tip[0]:g},{tip[1]:g} {base[0] + side * dy:g},'
            f"{base[1] + side * dx:g} {base[0] - side * dy:g},{base[1] - side * dx:g}"
            f'" fill="{_INK}"/>'
        ]
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    return [f'<polyline points="{path}" fill="none" stroke="{_INK}" stroke-width="1.3"/>', *head]


def _svg_text(x: int, y: int, content: str, weight: str) -> list[str]:
    parts = []
    for column, char in enumerate(content):
        if char == STAGE:
            left, top = _left(x + column) - 2.5, _top(y) - 7
            parts.append(
                f'<rect x="{left:g}" y="{top:g}" width="5" height="14" fill="{_STAGE_COLOUR}"/>'
            )
    words = content.replace(STAGE, " ")
    start = len(words) - len(words.lstrip())
    for word_start, word in _words(words[start:]):
        left = _left(x + start + word_start) - _CELL_WIDTH / 2
        # The given length keeps the grid, whatever font is there.
        length = f' textLength="{_CELL_WIDTH * len(word)}"' if len(word) > 1 else ""
        parts.append(
            f'<text x="{left:g}" y="{_top(y) + 5:g}"{length} fill="{_INK}"{weight}>'
            f"{escape(word)}</text>"
        )
    return parts


def _words(content: str) -> list[tuple[int, str]]:
    """Split at runs of two or more blanks: each piece with its column."""
    pieces = []
    column = 0
    for piece in content.split("  "):
        stripped = piece.strip()
        if stripped:
            pieces.append((column + len(piece) - len(piece.lstrip()), stripped))
        column += len(piece) + 2
    return pieces

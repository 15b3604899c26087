# SPDX-License-Identifier: Apache-2.0
"""Draw a design as a block diagram: one layout on a grid of characters, as text and as SVG.

The key schedule stands above, the rounds below; each bar is a pipeline stage, in the place where
the RTL has it (see rtl/round/aesforge_round.sv and rtl/key/aesforge_key_round.sv).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from xml.sax.saxutils import escape

from aesforge.design import Design

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


# --- What stands in the boxes -------------------------------------------------------------------


def _stages(count: int) -> str:
    return " " + STAGE * count if count else ""


def _round_lines(design: Design, *, last: bool) -> list[str]:
    """Return a round's transforms in the order of the RTL, each with the stages inside or after."""
    linear = design.linear_stages
    shift = 1 if linear >= 4 else 0
    mix = max(linear - 1 - shift, 0)
    sub, rows, columns = "SubBytes", "ShiftRows", "MixColumns"
    if design.direction == "decrypt":
        sub, rows, columns = "InvSubBytes", "InvShiftRows", "InvMixColumns"
    elif design.direction == "both":
        sub, rows, columns = "(Inv)SubBytes", "(Inv)ShiftRows", "(Inv)MixColumns"
    lines = [STAGE] if linear else []
    lines.append(f"{sub}{_stages(design.sbox_stages)}")
    inverse = design.direction == "decrypt"
    if design.shift_rows is not None:
        buffer = "addressed" if design.shift_rows == "addressed" else "shift reg."
        lines.append(f"{rows}: {buffer}{'' if inverse else _stages(shift)}")
    else:
        lines.append(rows if inverse else f"{rows}{_stages(shift)}")
    if inverse:
        lines.append(f"AddRoundKey{_stages(shift)}")
    # The last round has no MixColumns; its stages stay.
    name = columns if not (last and design.is_unrolled) else "(state)"
    if name == columns or mix:
        lines.append(f"{name}{_stages(mix)}")
    if not inverse:
        lines.append("AddRoundKey")
    return lines


def _key_round_lines(design: Design) -> list[str]:
    if design.is_serial:
        bram = design.key_sbox_style == "bram"
        return [f"SubWord{_stages(int(bram))}", f"XOR{_stages(int(not bram))}"]
    words = "SubWord" if design.sub_words_per_step == 1 else "SubWord x 2"
    return [f"{words}{_stages(design.sbox_stages)}", f"XOR{_stages(design.linear_stages)}"]


def _padded(first: list[str], second: list[str]) -> tuple[list[str], list[str]]:
    """Make two boxes' lines equally many and equally wide."""
    rows = max(len(first), len(second))
    columns = max(map(len, first + second))
    return (
        [line.ljust(columns) for line in first + [""] * (rows - len(first))],
        [line.ljust(columns) for line in second + [""] * (rows - len(second))],
    )


# --- Layout -------------------------------------------------------------------------------------


def draw(design: Design) -> Drawing:
    """Lay a design out."""
    if design.is_key_expansion:
        return _draw_key_expansion(design)
    drawing = Drawing()
    looped = not design.is_unrolled
    several = design.unrolled_rounds > 1
    top = 2 if looped and design.is_agile else 0

    number = design.unrolled_rounds
    first_title = "round 1" if several else "round"
    last_title = f"round {number}"
    key_titles = ("key " + first_title, "key " + last_title)
    if not design.is_agile and not design.is_serial:
        slots = f"{design.key_slots} slots"
        if looped:
            slots += f" x {design.passes} keys"
        key_lines = [slots]
        key_titles = (
            f"keys of {first_title}" if several else "round keys",
            f"keys of {last_title}",
        )
    else:
        key_lines = _key_round_lines(design)
    keys_1, keys_n = _padded([key_titles[0], *key_lines], [key_titles[1], *key_lines])
    data_1, data_n = _padded(
        [first_title, *_round_lines(design, last=not several)],
        [last_title, *_round_lines(design, last=True)],
    )
    widest = max(len(keys_1[0]), len(data_1[0]))
    keys_1, keys_n, data_1, data_n = (
        [line.ljust(widest) for line in lines] for lines in (keys_1, keys_n, data_1, data_n)
    )

    key_row = top
    key_height = len(keys_1) + 2
    data_row = key_row + key_height + 2
    key_wire, data_wire = key_row + 1, data_row + 1

    # Left of the rounds: what feeds the keys, and the first AddRoundKey.
    key_port = "in_key" if design.is_agile else "key"
    drawing.label(0, key_wire, key_port)
    drawing.label(0, data_wire, "in_block")
    x = 9
    key_from, data_from = len(key_port) + 1, 9
    stages = design.rounds * design.stages
    if design.key_runs_ahead:
        ahead = ["key schedule", "to its end", f"{stages} {STAGE}"]
        wait = ["block waits", "", f"{stages} {STAGE}"]
        ahead, wait = _padded(ahead, wait)
        run = drawing.box(x + 2, key_row, ahead, "key", key_height)
        held = drawing.box(x + 2, data_row, wait, "wait")
        drawing.line((key_from, key_wire), (run.x - 1, key_wire))
        drawing.line((data_from, data_wire), (held.x - 1, data_wire))
        key_from, data_from = run.right, held.right
        x = run.right
    elif design.is_serial:
        held = drawing.box(x + 2, key_row, [f"key {STAGE}"], "key", key_height)
        columns = drawing.box(x + 2, data_row, [f"columns {STAGE}"], "wait")
        drawing.line((key_from, key_wire), (held.x - 1, key_wire))
        drawing.line((data_from, data_wire), (columns.x - 1, data_wire))
        key_from, data_from, x = held.right, columns.right, columns.right
    elif not design.is_agile:
        loader_lines = ["key loader", f"{design.key_sbox_count} S-boxes"]
        loader = drawing.box(x + 2, key_row, loader_lines, "key", key_height)
        drawing.line((key_from, key_wire), (loader.x - 1, key_wire))
        key_from, x = loader.right, loader.right
    entry_lines = ["⊕" if not looped else "⊕ or ring"]
    entry = drawing.box(x + 4, data_row, entry_lines, "data")
    drawing.line((data_from, data_wire), (entry.x - 1, data_wire))
    rounds_x = entry.right + 3

    # Keys above, rounds below.
    key_1 = drawing.box(rounds_x, key_row, keys_1, "key")
    round_1 = drawing.box(rounds_x, data_row, data_1, "data")
    drawing.line((key_from, key_wire), (key_1.x - 1, key_wire))
    drawing.line((entry.middle, key_wire), (entry.middle, entry.y - 1))
    drawing.line((entry.right, data_wire), (round_1.x - 1, data_wire))
    drawing.line((key_1.middle, key_1.bottom), (key_1.middle, round_1.y - 1))
    key_end, data_end = key_1, round_1
    if several:
        key_n = drawing.box(key_1.right + 8, key_row, keys_n, "key")
        round_n = drawing.box(round_1.right + 8, data_row, data_n, "data")
        for start, end, row in ((key_1, key_n, key_wire), (round_1, round_n, data_wire)):
            if number > 2:
                drawing.line((start.right, row), (start.right + 2, row), head=False)
                drawing.label(start.right + 3, row, "···")
                drawing.line((start.right + 6, row), (end.x - 1, row))
            else:
                drawing.line((start.right, row), (end.x - 1, row))
        drawing.line((key_n.middle, key_n.bottom), (key_n.middle, round_n.y - 1))
        key_end, data_end = key_n, round_n

    # Output, and the way back of a ring.
    out = data_end.right
    drawing.line((out, data_wire), (out + 5, data_wire))
    drawing.label(out + 7, data_wire, f"{STAGE} out_block")
    if looped:
        below = round_1.bottom + 2
        turn = out + 3
        drawing.line(
            (turn, data_wire),
            (turn, below),
            (entry.middle, below),
            (entry.middle, entry.bottom + 1),
        )
        drawing.label(round_1.x, below + 1, f"{design.passes} passes")
        if design.is_agile:
            above = key_row - 2
            turn = key_end.right + 3
            back = key_1.x - 2
            drawing.line(
                (key_end.right, key_wire),
                (turn, key_wire),
                (turn, above),
                (back, above),
                (back, key_wire),
                head=False,
            )
    bottom = max(data_end.bottom, round_1.bottom) + (5 if looped else 2)

    # What does not fit in boxes.
    notes = []
    if design.tiles > 1:
        what = (
            "blocks in lock step under one key schedule"
            if design.is_unrolled
            else ("such tiles, fed in turn")
        )
        notes.append(f"{design.tiles} {what}")
    if design.is_serial:
        notes.append(
            "a column per cycle; the key's stages keep the round keys, and ShiftRows "
            f"takes {design.shift_rows_latency} cycles"
        )
    notes.append(
        f"{STAGE} a pipeline stage; latency {design.latency_sum} = {design.latency_cycles} cycles"
    )
    if design.error_detection == "parity":
        notes.append(
            "every byte with a parity bit, compared after each round; alarm with out_block"
        )
    if design.error_detection == "inverse":
        notes.append(
            "drawn: the first core; a second takes each result back before it leaves with its alarm"
        )
    if not design.is_standard:
        notes.append(f"NOT AES: key expansion {design.scheme}, for research only")
    for i, note in enumerate(notes):
        drawing.label(0, bottom + i, note)
    return drawing


def _draw_key_expansion(design: Design) -> Drawing:
    """Lay a key expansion out: its steps in a row, round keys below; or its one step in a ring."""
    drawing = Drawing()
    lines = _key_round_lines(design)
    top = 0 if design.is_unrolled else 2
    wire = top + 1
    drawing.label(0, wire, "in_key")
    if design.is_unrolled:
        one = drawing.box(13, top, ["step 1", *lines], "key")
        last = drawing.box(one.right + 11, top, [f"step {design.rounds}", *lines], "key")
        drawing.line((7, wire), (one.x - 1, wire))
        drawing.line((one.right, wire), (one.right + 3, wire), head=False)
        drawing.label(one.right + 4, wire, "···")
        drawing.line((one.right + 7, wire), (last.x - 1, wire))
        keys = ((10, wire, 0), (one.right + 2, wire, 1), (last.right + 2, wire, design.rounds))
        drawing.line((last.right, wire), (last.right + 2, wire), head=False)
        below = one.bottom + 2
        for x, y, number in keys:
            drawing.line((x, y), (x, below))
            drawing.label(x, below + 1, str(number))
        drawing.label(0, below + 1, "round key")
        bottom = below + 3
    else:
        entry = drawing.box(11, top, ["key or ring"], "key")
        step = drawing.box(entry.right + 5, top, ["step", *lines], "key")
        drawing.line((7, wire), (entry.x - 1, wire))
        drawing.line((entry.right, wire), (step.x - 1, wire))
        turn = step.right + 3
        drawing.line(
            (step.right, wire), (turn, wire), (turn, 0), (entry.middle, 0), (entry.middle, top - 1)
        )
        tap, below = entry.right + 2, step.bottom + 2
        drawing.line((tap, wire), (tap, below))
        drawing.label(max(tap - 12, 0), below + 1, f"round keys 0 to {design.rounds}, in turn")
        bottom = below + 3
    drawing.label(
        0,
        bottom,
        f"{STAGE} a pipeline stage; latency {design.rounds} x ({design.sbox_stages} + "
        f"{design.linear_stages}) = {design.latency_cycles} cycles",
    )
    return drawing


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

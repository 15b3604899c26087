# SPDX-License-Identifier: Apache-2.0
"""Lay designs out as block diagrams.

In a core the key schedule stands above, the rounds below; each bar is a pipeline stage, in the
place where the RTL has it (see rtl/round/aesforge_round.sv and rtl/key/aesforge_key_round.sv).
"""

from __future__ import annotations

from aesforge.describe.drawing import STAGE, Drawing
from aesforge.design import Design, Engine

# --- Text in the boxes --------------------------------------------------------------------------


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


def draw_core(design: Design) -> Drawing:
    """Lay a core out."""
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


def draw_engine(engine: Engine) -> Drawing:
    """Lay an engine out: the way of a beat, and what joins it."""
    core = engine.core
    drawing = Drawing()
    stored = not core.is_agile
    counted = engine.counts_ivs
    left, row = (13, 6) if counted else (10, 5)
    shape = "unrolled" if core.is_unrolled else f"{core.unrolled_rounds} of {core.rounds} rounds"
    context = "slot, " if stored else "key, "
    words = {"iv": "IV" if engine.takes_iv else "", "mode": "mode", "tag_bytes": "tag length"}
    words["text_bytes"] = "lengths"
    if engine.keys > 1:
        words["iv"] = "number"
    context += ", ".join(
        text for port, text in words.items() if text and port in engine.kind.context
    )
    made = ["to encrypt: field, count"] if counted else []
    contexts = drawing.box(left, 0, ["contexts", context, *made], "key")
    drawing.label(0, 1, "s_ctx")
    drawing.line((6, 1), (contexts.x - 1, 1))
    if counted:
        drawing.label(0, 2, "iv_fixed")
        drawing.line((9, 2), (contexts.x - 1, 2))
        drawing.label(0, 3, "m_iv")
        drawing.line((contexts.x, 3), (5, 3))
    beats = drawing.box(left, row, ["beat", "credits"], "wait")
    drawing.label(0, row + 1, "s_axis")
    drawing.line((7, row + 1), (beats.x - 1, row + 1))
    drawing.line((beats.middle, contexts.bottom), (beats.middle, beats.y - 1))
    modes, beside = ", ".join(engine.modes), engine.kind.name
    if beside == modes:
        beside = f"{engine.streams} streams"
    mode = drawing.box(beats.right + 4, row, [modes, beside], "data")
    drawing.line((beats.right, row + 1), (mode.x - 1, row + 1))
    inner = drawing.box(
        mode.right + 4,
        row,
        [f"AES-{core.key_bits} {core.direction}", f"{shape}, {core.latency_cycles} cycles"],
        "data",
    )
    drawing.line((mode.right, row + 1), (inner.x - 1, row + 1))
    queues = drawing.box(inner.right + 4, row, ["queues", f"{engine.depth} beats"], "wait")
    drawing.line((inner.right, row + 1), (queues.x - 1, row + 1))
    out = queues.right + 3
    drawing.line((queues.right, row + 1), (out, row + 1))
    drawing.label(out + 2, row + 1, "m_axis")
    # The data that results are added to, and the side data.
    side = row + 5
    drawing.line(
        *((beats.middle, beats.bottom), (beats.middle, side), (queues.middle, side)),
        (queues.middle, queues.bottom + 1),
    )
    drawing.label(mode.x, side + 1, "tkeep, tlast, tid, tuser, error, what the result is added to")
    if stored:
        at = max(mode.x, contexts.right + 12)
        keys = drawing.box(at, 0, ["key-update interlock", f"{core.key_slots} slots"], "key")
        drawing.label(at - 10, 1, "s_key")
        drawing.line((at - 4, 1), (at - 1, 1))
        down = max(inner.middle, keys.right + 2)
        drawing.line((keys.right, 1), (down, 1), (down, row - 1))
    return drawing

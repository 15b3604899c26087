# SPDX-License-Identifier: Apache-2.0
"""aesforge_axis_shell: beats in and out, whatever either side and what stands between them do.

What lies between beat and result is played here: it waits when it likes, and answers in order after
as long as it likes.
"""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
import pytest
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Outputs
from sections import LENGTHS, Rules, packet
from streams import BYTES, Beat, Scoreboard, Source, cut

M = "aesforge_axis_shell"
FIFO, CREDITS = "aesforge_context_fifo", "aesforge_credit_counter"
HEADER, CARRIED, ID, USER, NOTE = 3, 7, 3, 2, 4
CONTEXT = HEADER + CARRIED
WORD = 128 + BYTES + 1 + ID + USER + 1
# Depth, ContextTimeout, Sections, Marked, LateStall
SHAPES = {
    "depth 32": (32, 12, 0, 0, 0),
    "depth 16": (16, 12, 0, 0, 0),
    "depth 8": (8, 40, 0, 0, 0),
    "a stage of 7 cycles": (16, 12, 0, 0, 0),
    "sections, a stage of 3 cycles": (16, 12, 1, 0, 0),
    "marks": (16, 12, 0, 1, 0),
    "a late stall": (16, 12, 0, 0, 1),
}
# Cycles from `post` to `done`.
STAGES = {"a stage of 7 cycles": 7, "sections, a stage of 3 cycles": 3}
MUTATIONS = {
    "no credits": Mutation(M, "rst || zeroize || !credit", "rst || zeroize"),
    "a credit never comes back": Mutation(M, "{1'b0, leave}", "2'b00"),
    "credits too many come back": Mutation(
        CREDITS, "2'(take) - give", "2'(take && give == '0) - give", (M,)
    ),
    "credits are counted too late": Mutation(M, "(CreditLatency)", "(0)"),
    "the beat that waits is overwritten": Mutation(
        M, "step = !beat_valid || beat_ready", "step = 1'b1"
    ),
    "the output moves on": Mutation(
        M,
        ".m_ready(m_axis_tready),\n      .m_data(word[First",
        ".m_ready(1'b1),\n      .m_data(word[First",
    ),
    "a result takes the next beat's side": Mutation(
        M, "if (result_valid) read_q", "if (result_first_valid_q) read_q"
    ),
    "an error of one packet reaches the next": Mutation(M, "head_error && !last_q", "head_error"),
    "an error of one beat only": Mutation(
        M, "broken_q <= head_error && !last_q", "broken_q <= 1'b0"
    ),
    "any tkeep passes": Mutation(M, " || bad_keep;", ";"),
    "the last beat is another one": Mutation(
        M, ".last(last_q),\n        .partial", ".last(s_axis_tlast),\n        .partial"
    ),
    "partial blocks everywhere": Mutation(M, ".partial(partial_q)", ".partial(1'b1)"),
    "bytes that are not kept": Mutation(
        M, "side_kept[Bytes-1-i] ? data", "side_kept[Bytes-1] ? data"
    ),
    "data of a wrong beat": Mutation(M, "beat_block && beat_keep[", "beat_keep["),
    "byte order out": Mutation(
        M, "byte_swap(result_second_q ^ side_xor)", "result_second_q ^ side_xor"
    ),
    "byte order in": Mutation(M, "data_q <= byte_swap(s_axis_tdata)", "data_q <= s_axis_tdata"),
    "packets without a context wait": Mutation(
        M, ": inside_q || next_valid || missing)", ": inside_q || next_valid)"
    ),
    "a context on its way is missing": Mutation(M, " || ctx_coming)", ")"),
    "no packet waits for its context": Mutation(
        M, ": inside_q || next_valid || missing)", ": 1'b1)"
    ),
    "no packet waits for its key": Mutation(M, "|| !next_stall;", "|| 1'b1;"),
    "a context is used twice": Mutation(
        M, "next_ready = s_axis_tvalid && fresh_q", "next_ready = 1'b0"
    ),
    "a context for each beat": Mutation(
        M, "next_ready = s_axis_tvalid && fresh_q", "next_ready = s_axis_tvalid && ready_q"
    ),
    "a bad context": Mutation(M, "!next_valid || next_error", "!next_valid"),
    "no context": Mutation(M, "!next_valid || next_error", "next_error"),
    "a packet that has ended is forgotten at once": Mutation(M, "inside_q || head_q", "inside_q"),
    "a reset keeps the packet open": Mutation(
        M, "    if (rst || zeroize_front_q) inside_q <= 1'b0;\n", ""
    ),
    "a reset keeps the error": Mutation(M, "{head_q, broken_q} <= '0", "head_q <= 1'b0"),
    "contexts lose their places": Mutation(
        FIFO, "payloads[write_delayed_q]", "payloads[write_q]", (M,)
    ),
    "the next packet's context": Mutation(M, ".place(place_q)", ".place(next_place)"),
    "zeroization parts contexts": Mutation(
        FIFO, "m_place <= write_q + 1'b1", "m_place <= write_q", (M,)
    ),
    "zeroization takes a beat": Mutation(M, "rst || zeroize || !credit", "rst || !credit"),
    "zeroization reaches the first beat": Mutation(
        M, "{Groups{zeroize_back_q}}", "{Groups{zeroize_back_q || zeroize_data_q[0]}}"
    ),
    "the note of another beat": Mutation(M, "post_note <= side_note", "post_note <= beat_note"),
    "a stage sees bytes that are not kept": Mutation(
        M, "side_kept[i] ? side_xor", "side_kept[Bytes-1] ? side_xor"
    ),
    "a stage sees bytes of an error": Mutation(
        M, "side_kept[i] ? side_xor", "side_keep[Bytes-1-i] ? side_xor"
    ),
    "the end of another beat": Mutation(
        M,
        "{beat_error_q, beat_last, beat_keep} <= {head_error, last_q,",
        "{beat_error_q, beat_last, beat_keep} <= {head_error, s_axis_tlast,",
    ),
    "`tuser` of another beat": Mutation(M, "<= {id_q, user_q}", "<= {id_q, s_axis_tuser}"),
}
SHAPED_MUTATIONS = {
    "beats leave before the stage": (
        "a stage of 7 cycles",
        Mutation(
            M,
            ".s_valid(done_valid),\n      .s_data(done_word[First",
            ".s_valid(out_valid_q),\n      .s_data(done_word[First",
        ),
    ),
    "what leaves has not passed the stage": (
        "a stage of 7 cycles",
        Mutation(M, ".s_data(done_word[FirstBits-1", ".s_data(post_word[FirstBits-1"),
    ),
    "sections are not checked": (
        "sections, a stage of 3 cycles",
        Mutation(M, "if (Sections) begin", "if (1'b0) begin"),
    ),
    "no packet waits for a late stall": (
        "a late stall",
        Mutation(M, "next_ready || next_stall", "next_ready"),
    ),
    "a context that comes is no context": (
        "a late stall",
        Mutation(M, "none_q  <= !s_ctx_tvalid &&", "none_q  <="),
    ),
    "a context that waits is no context": (
        "a late stall",
        Mutation(M, "s_ctx_tready && !(next_valid && (inside_q || !accept))", "s_ctx_tready"),
    ),
    "the context of an open packet is that of the next": (
        "a late stall",
        Mutation(M, "none_q  <= !s_ctx_tvalid && s_ctx_tready && !(", "none_q  <= !("),
    ),
    "a packet begins before a late stall is known": (
        "a late stall",
        Mutation(M, "stall_q <= !next_valid || ", "stall_q <= "),
    ),
    "marks of errors are not seen": ("marks", Mutation(M, "(Marked && user_q[UserBits-1]) ||", "")),
    "an error mark of another beat": (
        "marks",
        Mutation(M, "(Marked && user_q[UserBits-1])", "(Marked && s_axis_tuser[UserBits-1])"),
    ),
    "`tkeep` of another beat": (
        "marks",
        Mutation(
            M,
            "{beat_error_q, beat_last, beat_keep} <= {head_error, last_q, keep_q}",
            "{beat_error_q, beat_last, beat_keep} <= {head_error, last_q, s_axis_tkeep}",
        ),
    ),
    "the mark of another beat": (
        "sections, a stage of 3 cycles",
        Mutation(M, ".aad(user_q[0])", ".aad(s_axis_tuser[0])"),
    ),
    "another packet's tag": (
        "sections, a stage of 3 cycles",
        Mutation(M, ".s_first(!inside_q)", ".s_first(1'b1)"),
    ),
    "the end of another section": (
        "sections, a stage of 3 cycles",
        Mutation(M, ".last(last_q),\n        .error", ".last(s_axis_tlast),\n        .error"),
    ),
    "a reset keeps the section": (
        "sections, a stage of 3 cycles",
        Mutation(M, ".rst(rst || zeroize_front_q)", ".rst(1'b0)"),
    ),
    "a beat counts twice": (
        "sections, a stage of 3 cycles",
        Mutation(M, ".valid(step && head_q)", ".valid(head_q)"),
    ),
}


def make_bench() -> Bench:
    bench = Bench({"zeroize": 1, "rst": 1})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            {
                **{"HeaderBits": HEADER, "PayloadBits": CARRIED, "IdBits": ID, "UserBits": USER},
                **{"Depth": shape[0], "ContextTimeout": shape[1], "Sections": shape[2]},
                **{"Marked": shape[3], "LateStall": shape[4], "NoteBits": NOTE},
            },
            inputs={
                **{"s_axis_tvalid": 1, "s_axis_tdata": 128, "s_axis_tkeep": 16, "s_axis_tlast": 1},
                **{"s_axis_tid": ID, "s_axis_tuser": USER},
                **{"s_ctx_tvalid": 1, "s_ctx_header": HEADER, "s_ctx_payload": CARRIED},
                "ctx_coming": 1,
                **{"next_stall": 1, "next_error": 1, "next_partial": 1, "next_tag_length": 7},
                **{"beat_ready": 1, "beat_xor": 128, "result_valid": 1, "result_data": 128},
                **{"beat_note": NOTE, "done_valid": 1, "done_word": WORD, "m_axis_tready": 1},
            },
            outputs={
                **{"s_axis_tready": 1, "s_ctx_tready": 1, "next_header": HEADER, "open": 1},
                **{"beat_valid": 1, "beat_first": 1, "beat_block": 1, "beat_data": 128},
                **{
                    "beat_last": 1,
                    "beat_keep": 16,
                    "beat_user": USER,
                    "post_valid": 1,
                    "post_word": WORD,
                },
                **{"post_xor": 128, "post_note": NOTE},
                **{"open_header": HEADER, "beat_header": HEADER, "beat_payload": CARRIED},
                **{"m_axis_tvalid": 1, "m_axis_tdata": 128, "m_axis_tkeep": 16, "m_axis_tlast": 1},
                **{"m_axis_tid": ID, "m_axis_tuser": USER + 1},
            },
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["depth 16"], mutation)
    for name, (shape_name, mutation) in SHAPED_MUTATIONS.items():
        add(name, SHAPES[shape_name], mutation)
    return bench


def stage_of(name: str) -> int:
    """Cycles from `post` to `done` around an instance."""
    return STAGES.get(SHAPED_MUTATIONS[name][0] if name in SHAPED_MUTATIONS else name, 0)


def byte_swap(data: int) -> int:
    return int.from_bytes(data.to_bytes(BYTES, "little"), "big")


def note_of(data: int) -> int:
    """Return bits that go beside a beat, byte 0 at the top."""
    return data * 7 % (1 << NOTE)


def tag_bytes(context: int) -> int:
    """Return the bytes of the tag of a packet (`Sections`)."""
    return 12 if context & 1 else 16


def answer(data: int, context: int) -> int:
    """What the played core makes of a beat, byte 0 at the top."""
    return (data * 5 + (context << 64) + 3) % 2**128


class Side:
    """A shell, what stands at its ports, and what stands between beat and result, and between
    `post` and `done`: a stage that inverts the data.

    A context's bits 0 to 2 say: may end in a partial beat (with `Sections`: has a short tag), is
    wrong, makes its packet wait.
    """

    def __init__(self, one: Instance, seed: int) -> None:
        self.one = one
        self.draw = random.Random(seed)
        self.beats, self.contexts = Source(), Source()
        self.board = Scoreboard()
        self.faults: str | None = None
        self.errors = self.missing = 0
        self.reset()

    def reset(self) -> None:
        self.beats.drop()
        self.contexts.drop()
        self.board.drop()
        self.plan: deque[tuple[list[Beat], int | None]] = deque()
        self.open: list[Beat] = []
        self.context: int | None = None
        self.broken = False
        self.first = True
        self.inside = False
        self.given = False  # the next packet's context has gone in
        self.results: deque[int] = deque()
        self.entered: deque[tuple[int, int, bool, Beat]] = deque()
        self.posts: deque[tuple[int, int, int]] = deque()
        self.stage: deque[dict[str, int]] = deque([{}] * stage_of(self.one.name))
        self.rules = Rules()
        self.waited = 0
        self.coming = 0  # cycles until the next packet's context comes

    def fill(self) -> None:
        draw = self.draw
        while len(self.beats.queue) < 6:
            length = draw.choice((0, 1, 15, 16, 16, 17, 32, 33, 48))
            context: int | None = draw.getrandbits(CONTEXT)
            if draw.random() < 0.9:
                context &= ~2  # type: ignore[operator]
            if draw.random() < 0.8:
                context &= ~4  # type: ignore[operator]
            id_, user = draw.randrange(2**ID), draw.randrange(2**USER)
            beats = cut(draw.randbytes(length), id_, user)
            if self.one["Marked"] and draw.random() < 0.8:
                marked = 1 << USER - 1
                beats = [Beat(b.data, b.keep, b.last, b.id, b.user & ~marked) for b in beats]
            if self.one["Sections"]:
                beats = [
                    Beat(draw.getrandbits(128), keep, last, id_, user & ~1 | mark)
                    for keep, mark, last in packet(draw, tag_bytes(context or 0))
                ]
            if draw.random() < 0.15:
                at = draw.randrange(len(beats))
                beat = beats[at]
                keep = draw.choice((draw.getrandbits(16), 2 ** draw.randrange(16) - 1))
                beats[at] = Beat(beat.data, keep, beat.last, beat.id, beat.user)
            if draw.random() < 0.05:
                context = None
            self.plan.append((beats, context))
            self.beats.queue.extend(beats)

    def offer(self, share: float, ready: float, quick: float) -> dict[str, int]:
        draw = self.draw
        # One context at a time, so that a packet without one finds none.
        due = self.plan[0][1] if self.plan else None
        self.coming = max(0, self.coming - 1)
        if due is not None and not self.contexts.queue and not self.given and not self.coming:
            # Now and then one is on its way for longer than a packet waits for one.
            if draw.random() < 0.1:
                self.coming = draw.randrange(2 * self.one["ContextTimeout"])
            else:
                self.contexts.queue.append(due)
        self.ready = int(draw.random() < ready)
        values = {"m_axis_tready": self.ready, "ctx_coming": int(self.coming > 0)}
        if self.beats.offer(draw, share):
            beat = self.beats.queue[0]
            assert isinstance(beat, Beat)
            values |= {"s_axis_tvalid": 1, "s_axis_tdata": beat.data, "s_axis_tkeep": beat.keep}
            values |= {"s_axis_tlast": beat.last, "s_axis_tid": beat.id, "s_axis_tuser": beat.user}
        if self.contexts.offer(draw, max(share, 0.6)):
            context = self.contexts.queue[0]
            assert isinstance(context, int)
            values |= {"s_ctx_tvalid": 1, "s_ctx_header": context % 2**HEADER}
            values |= {"s_ctx_payload": context >> HEADER}
        values["beat_ready"] = int(draw.random() < quick)
        if self.results and draw.random() < quick:
            values |= {"result_valid": 1, "result_data": self.results.popleft()}
        self.values = values
        return values

    def combinational(self, outputs: Outputs) -> dict[str, int]:
        """What answers to outputs in the same cycle."""
        one = self.one
        header = outputs.of(one, "next_header")
        self.values |= {
            "next_partial": header & 1,
            "next_error": header >> 1 & 1,
            "next_stall": int(bool(header >> 2 & 1) and self.waited < 5),
            "next_tag_length": 1 << LENGTHS.index(tag_bytes(header)),
            "beat_xor": outputs.of(one, "beat_data") ^ 2**127,
            "beat_note": note_of(outputs.of(one, "beat_data")),
        }
        post = {"done_valid": outputs.of(one, "post_valid")}
        post["done_word"] = outputs.of(one, "post_word") ^ (2**128 - 1) << WORD - 128
        self.stage.append(post)
        self.values |= self.stage.popleft()
        return self.values

    def note(self, fault: str) -> None:
        if self.faults is None:
            self.faults = fault

    def after(self, now: int, outputs: Outputs) -> None:
        one = self.one

        def got(port: str) -> int:
            return outputs.of(one, port)

        user = got("m_axis_tuser")
        self.board.cycle(
            now,
            got("m_axis_tvalid"),
            self.ready,
            Beat(
                *(got("m_axis_tdata") ^ 2**128 - 1, got("m_axis_tkeep"), got("m_axis_tlast")),
                *(got("m_axis_tid"), user >> 1, user & 1),
            ),
        )
        # A packet with a context that says so waits for some cycles.
        self.waited = self.waited + 1 if self.values["next_stall"] else self.waited
        if self.contexts.after(got("s_ctx_tready")) is not None:
            self.given = True
        if self.inside and not got("open"):
            self.note(f"no packet is open in cycle {now}")
        header = None if self.context is None else self.context % 2**HEADER
        if self.inside and header not in (None, got("open_header")):
            self.note(f"the context of the open packet is wrong in cycle {now}")
        taken = self.beats.after(got("s_axis_tready"))
        if taken is not None:
            assert isinstance(taken, Beat)
            if not self.open:
                beats, self.context = self.plan.popleft()
                self.open = list(beats)
                stall = self.values["next_stall"]
                if self.one["LateStall"]:
                    # Its end counts in the next cycle.
                    stall = self.context is not None and self.context & 4 and self.waited < 5
                if self.context is not None and stall:
                    self.note(f"a packet did not wait for its key in cycle {now}")
                if self.context is not None and not self.given:
                    self.note(f"a packet did not wait for its context in cycle {now}")
                self.given, self.waited, self.broken, self.first = False, 0, False, True
            self.open.pop(0)
            self.accepted(taken)
        # A beat that came a cycle ago, or is to come, keeps its packet open.
        self.inside = taken is not None or bool(self.open)
        if got("beat_valid") and self.values["beat_ready"]:
            self.leave(now, got)
        if got("post_valid"):
            found = (got("post_word"), got("post_xor"), got("post_note"))
            if not self.posts or found != self.posts.popleft():
                self.note(f"what is between post and done in cycle {now} is wrong")

    def accepted(self, beat: Beat) -> None:
        full = beat.keep == 0xFFFF
        partial = self.context is not None and self.context & 1
        bad = self.context is None or bool(self.context & 2)
        if self.one["Sections"]:
            sections = (beat.keep, beat.user & 1, beat.last)
            bad |= self.rules.is_wrong(sections, tag_bytes(self.context or 0))
            self.rules.passes(sections)
        else:
            bad |= bool(beat.keep & (beat.keep + 1)) or (not full and not beat.last)
            bad |= bool(not full and beat.keep and not partial)
        bad |= bool(self.one["Marked"] and beat.user >> USER - 1)
        self.broken |= bad
        block = bool(beat.keep) and not self.broken
        data = byte_swap(beat.data)
        out = given = 0
        if block:
            assert self.context is not None
            kept = sum(0xFF << 8 * i for i in range(16) if beat.keep >> i & 1)
            out = byte_swap(answer(data, self.context) ^ data ^ 2**127) & kept
            given = (data ^ 2**127) & byte_swap(kept)
        error = int(self.broken)
        self.board.accepted(Beat(out, beat.keep, beat.last, beat.id, beat.user, error))
        word = ((out << BYTES | beat.keep) << 1 | beat.last) << ID | beat.id
        self.posts.append(((word << USER | beat.user) << 1 | error, given, note_of(data)))
        self.errors += self.broken
        self.missing += self.context is None
        context = self.context if block and self.context is not None else -1
        self.entered.append((data, context, self.first, beat))
        self.first = False

    def leave(self, now: int, got: Any) -> None:
        if not self.entered:
            self.note(f"a beat too many for the core in cycle {now}")
            return
        data, context, first, beat = self.entered.popleft()
        expected = (data, int(context >= 0), int(first), beat.last, beat.keep, beat.user)
        names = ("data", "block", "first", "last", "keep", "user")
        if tuple(got(f"beat_{name}") for name in names) != expected:
            self.note(f"the beat for the core in cycle {now} is wrong")
        carries = got("beat_payload") << HEADER | got("beat_header")
        if context >= 0 and carries != context:
            self.note(f"the context of the beat in cycle {now} is wrong")
        self.results.append(answer(got("beat_data"), carries))

    @property
    def fault(self) -> str | None:
        """What it did wrong."""
        return self.board.fault or self.faults

    @property
    def idle(self) -> bool:
        return not self.beats.queue and not self.board.expected


@cocotb.test()
async def beats_go_through(dut: Any) -> None:
    """Idle x back-pressure x a slow core x reset and zeroize in flight."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    sides = [Side(one, 200 + i) for i, one in enumerate(bench.instances)]

    async def step(share: float, ready: float, quick: float, *, fill: bool = True) -> None:
        # What has gone wrong is not driven on.
        working = [side for side in sides if not side.fault]
        for side in working if fill else ():
            side.fill()
        own = {side.one.name: side.offer(share, ready, quick) for side in working}
        now = driver.number
        # beat_xor and the judgement of a context answer within the cycle.
        outputs = await driver.settle({}, own)
        own = {side.one.name: side.combinational(outputs) for side in working}
        outputs = await driver.cycle({}, own)
        for side in working:
            side.after(now, outputs)

    for number, (share, ready, quick) in enumerate(
        (share, ready, quick)
        for share in (1.0, 0.5)
        for ready in (1.0, 0.5, 0.1)
        for quick in (1.0, 0.3)
    ):
        # Zeroization lasts until all words of the queues have been overwritten, and takes nothing.
        offered = {side.one.name: {"s_axis_tvalid": 1, "s_ctx_tvalid": 1} for side in sides}
        for cycle in range(40 if number % 2 else 1):
            if number % 2:
                outputs = await driver.cycle({"zeroize": 1}, offered)
            else:
                await driver.cycle({"rst": 1})
            for side in sides if cycle > 1 else ():
                if outputs.of(side.one, "s_axis_tready") or outputs.of(side.one, "s_ctx_tready"):
                    side.note("zeroization takes a beat or a context")
        await driver.cycle({})
        for side in sides:
            side.reset()
        # Resets in quick succession find packets of every kind open.
        for _ in range(5 if number % 2 == 0 else 0):
            for _ in range(25):
                await step(share, 1.0, 1.0)
            await driver.cycle({"rst": 1})
            for side in sides:
                side.reset()
        for _ in range(250):
            await step(share, ready, quick)
        for _ in range(600):
            await step(share, ready, quick, fill=False)
            if all(side.idle or side.fault for side in sides):
                break
        for side in sides:
            side.board.end(len(side.beats.queue))
            if side.fault:
                faults.first.setdefault(side.one.name, side.fault)
        # Half the time, the next round begins with packets inside.
        if number % 3:
            for _ in range(30):
                await step(1.0, 0.1, 0.3)
    bench.judge(faults)
    for side in sides:
        if side.one.mutation is None:
            assert side.board.left > 400, (side.one.name, side.board.left)
            assert min(side.errors, side.missing) > 20, side.one.name


@cocotb.test()
async def a_late_stall_is_of_its_own_context(dut: Any) -> None:
    """A packet of one beat leaves the output to the next context, which stalls: no beat of it."""
    bench = make_bench()
    driver = Driver(dut, bench)
    (one,) = (one for one in bench.instances if one.name == "a late stall")
    taken: list[int] = []
    for header in (0, 4):
        del taken[:]
        await driver.cycle({"rst": 1})
        contexts = [0, header]
        for cycle in range(30):
            stall = int(cycle < 20)
            given = {
                **{"s_axis_tvalid": 1, "s_axis_tlast": 1, "s_axis_tkeep": 0xFFFF},
                **{"s_ctx_tvalid": int(bool(contexts)), "beat_ready": 1, "m_axis_tready": 1},
                "s_ctx_header": contexts[0] if contexts else 0,
            }
            outputs = await driver.settle({}, {one.name: given})
            mine = outputs.of(one, "next_header") >> 2 & 1
            given["next_stall"] = stall & mine
            outputs = await driver.cycle({}, {one.name: given})
            if contexts and outputs.of(one, "s_ctx_tready"):
                contexts.pop(0)
            if outputs.of(one, "s_axis_tready"):
                taken.append(cycle)
        # The second waits for one cycle at least, and as long as it is stalled. A third has no
        # context.
        assert taken[1] == (21 if header else taken[0] + 2), (header, taken)


@pytest.mark.usefixtures("mutants")
def test_aesforge_axis_shell(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

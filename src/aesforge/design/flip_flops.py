# SPDX-License-Identifier: Apache-2.0
"""Count a design's registers from its structure, block by block, without running a tool.

What is counted is what synthesis keeps: equal registers once, constant or unread ones not at all
(the last round of an unrolled core has no MixColumns; the last steps of a long key's schedule feed
nothing). Bits that lie in a RAM are counted apart. Tests compare the sums with what Yosys keeps:
state, S-boxes, linear part and keys agree exactly, control within a few bits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from aesforge.design.core import COMPARE_CYCLES, Design
from aesforge.design.key_steps import unrolled_key_steps
from aesforge.design.sbox import sbox_register_bits

BLOCK_BITS = 128
_RAM_DELAY_FROM = 8  # aesforge_delay: shallower delays are registers whatever the style


@dataclasses.dataclass(frozen=True)
class FlipFlops:
    """The registers of one block of a core: bits in flip-flops, and bits in RAM."""

    block: str
    flip_flop_bits: int
    ram_bits: int = 0


def flip_flops(design: Design) -> list[FlipFlops]:
    """Return the registers of a design, block by block; blocks without any are left out."""
    if design.is_serial:
        return _serial_registers(design)
    if design.error_detection == "inverse":
        return _inverse_registers(design)
    counter = _Counter(design)
    if design.is_key_expansion:
        blocks = [
            counter.key_schedule(),
            counter.sub_word(),
            counter.key_expansion_tags(),
            counter.key_expansion_control(),
        ]
        return [block for block in blocks if block.flip_flop_bits or block.ram_bits]
    blocks = [
        counter.state(),
        counter.sub_bytes(),
        counter.linear(),
        counter.key_schedule(),
        counter.key_run(),
        counter.sub_word(),
        counter.waiting_blocks(),
        counter.key_store(),
        counter.key_loader(),
        counter.tag(),
        counter.output(),
        counter.control(),
        *(counter.parity() if design.error_detection == "parity" else []),
    ]
    return [block for block in blocks if block.flip_flop_bits or block.ram_bits]


# --- Counting -----------------------------------------------------------------------------------


class _Counter:
    """Counts one design; the methods are its blocks."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.places = design.unrolled_rounds * design.stages
        self.rings = 1 if design.is_unrolled else design.tiles
        # Depths of RAM delays: lines of one depth share their address counter.
        self.ram_depths: set[int] = set()
        self.first_stage = min(design.linear_stages, 1)
        self.shift_stage = 1 if design.linear_stages >= 4 else 0
        inner = max(design.linear_stages - 1 - self.shift_stage, 0)
        self.mix_stages = min(inner, 1 if design.direction == "encrypt" else 2)
        self.mixed_stages = inner - self.mix_stages

    # --- Data

    def state(self) -> FlipFlops:
        design = self.design
        stages = self.first_stage * design.unrolled_rounds * design.tiles
        return FlipFlops("state before SubBytes", BLOCK_BITS * stages)

    def sub_bytes(self) -> FlipFlops:
        design = self.design
        bits, ram = sbox_register_bits(design.sbox, design.sbox_stages, design.direction)
        count = design.data_sbox_count
        return FlipFlops("S-boxes of SubBytes", bits * count, ram * count)

    def linear(self) -> FlipFlops:
        design = self.design
        rounds = design.unrolled_rounds * design.tiles
        bits = BLOCK_BITS * (self.shift_stage + self.mixed_stages) * rounds
        # The last round of a pipeline has no MixColumns, so that its stages hold the state alone.
        plain = design.tiles if design.is_unrolled else 0
        mix = _mix_stage_bits(design.mix_columns, design.direction)[: self.mix_stages]
        bits += sum(mix) * (rounds - plain) + BLOCK_BITS * self.mix_stages * plain
        return FlipFlops("ShiftRows, MixColumns", bits)

    def waiting_blocks(self) -> FlipFlops:
        if not self.design.key_runs_ahead:
            return FlipFlops("blocks that wait for the key", 0)
        width = BLOCK_BITS * self.design.blocks_per_beat + self.design.tag_bits
        return self._delay("blocks that wait for the key", width)

    def tag(self) -> FlipFlops:
        return self._delay("tags", self.design.tag_bits)

    def output(self) -> FlipFlops:
        design = self.design
        return FlipFlops("output", BLOCK_BITS * design.tiles + (design.tag_bits + 1) * self.rings)

    # --- Keys

    def key_schedule(self) -> FlipFlops:
        design = self.design
        if not design.is_agile:
            return FlipFlops("key schedule", 0)
        bits = self._window_bits(design.direction, round_keys=True)
        return FlipFlops("key schedule", bits)

    def key_run(self) -> FlipFlops:
        if not self.design.key_runs_ahead:
            return FlipFlops("key schedule's run to its end", 0)
        bits = self._window_bits("encrypt", round_keys=False)
        return FlipFlops("key schedule's run to its end", bits)

    def _window_bits(self, direction: str, *, round_keys: bool) -> int:
        design = self.design
        entry = _key_entry_stages(design, direction)
        more = design.linear_stages - self.first_stage - entry
        if not design.is_standard:
            return _research_window_bits(design, design.unrolled_rounds) * self.rings
        if not design.is_unrolled:
            return design.key_bits * design.stages * design.unrolled_rounds * self.rings
        steps = unrolled_key_steps(design.key_bits, direction, round_keys=round_keys)
        return 32 * sum(
            step.entry * entry
            + step.waiting * design.sbox_stages
            + step.pre * self.first_stage
            + step.post * more
            for step in steps
        )

    def sub_word(self) -> FlipFlops:
        design = self.design
        style = design.key_sbox_style
        bits, ram = sbox_register_bits(style, design.sbox_stages, "encrypt")
        count = design.key_sbox_count
        return FlipFlops("S-boxes of SubWord", bits * count, ram * count)

    def key_store(self) -> FlipFlops:
        design = self.design
        if design.key_slots is None:
            return FlipFlops("round keys", 0)
        ways = 2 if design.direction == "both" else 1
        pass_bits = (design.passes - 1).bit_length()
        words = 2 ** (design.slot_bits + pass_bits)
        stores = design.unrolled_rounds * self.rings * ways
        # The first AddRoundKey's keys lie in registers; equal ones of several tiles are one.
        first = BLOCK_BITS * design.key_slots * ways
        return FlipFlops("round keys", first + BLOCK_BITS * stores, BLOCK_BITS * words * stores)

    def key_loader(self) -> FlipFlops:
        design = self.design
        if design.key_slots is None:
            return FlipFlops("key loader", 0)
        bits = design.key_bits
        if design.is_standard:
            bits += design.key_bits * design.stages
        else:
            bits += _research_window_bits(design, 1)
        bits += 2 + (design.rounds * design.stages + 1).bit_length()
        bits += design.slot_bits + design.key_slots
        return FlipFlops("key loader", bits + self._key_ring_control_bits())

    def _key_ring_control_bits(self) -> int:
        """Count the control of `aesforge_key_expand`."""
        design = self.design
        bits = 1 + 6 * design.stages  # busy; valid, round and side bit of each place
        steps = range(1, design.rounds + 1)
        return bits + _step_control_bits(design, "encrypt", [[(step, False) for step in steps]])

    def key_expansion_tags(self) -> FlipFlops:
        design = self.design
        stages = self.places if design.is_unrolled else 1
        return FlipFlops("tags", design.tag_bits * stages)

    def key_expansion_control(self) -> FlipFlops:
        design = self.design
        if design.is_unrolled:
            return FlipFlops("control", self.places)  # a valid bit per stage
        return FlipFlops("control", self._key_ring_control_bits())

    # --- Parity

    def parity(self) -> list[FlipFlops]:
        """Count the parity bits of aesforge_parity_core, and what watches its control."""
        design = self.design
        rounds, sub, linear = design.unrolled_rounds, design.sbox_stages, design.linear_stages
        early = min(sub, 1)
        late = sub + linear - self.first_stage - early
        state = rounds * (16 * (self.first_stage + late) + 32 * early)
        # The last round of a pipeline has no MixColumns to know of.
        state -= 16 * early if design.is_unrolled else 0
        mark = 0 if design.is_unrolled else self.first_stage + early
        entry = _key_entry_stages(design, "encrypt")
        if design.is_unrolled:
            steps = unrolled_key_steps(design.key_bits, "encrypt")
            after = [(4 * design.key_words, 4)] * (rounds - 1) + [(4 * steps[-1].post, 4)]
            waits = [4 * design.key_words] * (rounds - 1) + [4 * steps[-1].waiting]
            kinds = 0
        else:
            after = [(4 * design.key_words, 4)] * rounds
            waits = [4 * design.key_words] * rounds
            kinds = self._parity_kind_bits(entry + sub) + (
                linear - entry if design.key_bits == 192 else 0
            )
        keys = kinds
        for wait, (bits, sub_word) in zip(waits, after, strict=True):
            keys += 4 * design.key_words * entry + (wait + sub_word) * sub
            keys += bits * (linear - entry)
        alarm = self.places + 1
        expected = design.rounds * design.stages + 1
        return [
            FlipFlops("parity of states", (state + 16) * design.blocks_per_beat + mark),
            FlipFlops("parity of keys", keys),
            FlipFlops("parity of tags", self.places + 1),
            FlipFlops("alarm, expected blocks", alarm + expected),
        ]

    def _parity_kind_bits(self, stages: int) -> int:
        """Count what waits beside the parity of a key step that is used again: its kind."""
        design = self.design
        bits = 0
        for u in range(design.unrolled_rounds):
            steps = [step for step, _ in _steps_of(design, u, "encrypt")]
            columns = [[_rcon(design.key_bits, step).bit_count() & 1 for step in steps]]
            if design.key_bits == 256:
                columns.append([step & 1 for step in steps])
            if design.key_bits == 192:
                columns += [[(step - 1) % 3 >> bit & 1 for step in steps] for bit in (0, 1)]
            bits += len({tuple(column) for column in columns if len(set(column)) > 1})
        return bits * stages

    # --- Control

    def control(self) -> FlipFlops:
        design = self.design
        pass_bits = (design.passes - 1).bit_length()
        direction_bits = 1 if design.direction == "both" else 0
        ring = self.places * (1 + pass_bits + direction_bits)
        if design.key_slots is not None:
            ring += design.slot_bits * self._slot_places()
        # What empties a pipeline: a wave through its rounds, and what holds the output meanwhile.
        wave = 2 * design.rounds - 1 if design.is_unrolled and design.stages > 1 else 0
        ring += wave
        if not design.is_unrolled:
            # Whether this is a block's last round, beside the state.
            ring += self.first_stage + design.sbox_stages + self.shift_stage
            ring += self._last_round_in_mix()
        rounds = range(design.unrolled_rounds)
        if design.is_agile:
            ring += _step_control_bits(
                design,
                design.direction,
                [list(_steps_of(design, u, design.direction)) for u in rounds],
            )
        if design.key_runs_ahead:
            ring += self.places * (1 + pass_bits + direction_bits) + wave
            ring += _step_control_bits(
                design,
                "encrypt",
                [list(_steps_of(design, u, "encrypt")) for u in rounds],
                late=False,
            )
            if design.direction == "both":
                hold_stages = _key_entry_stages(design, "encrypt") + design.sbox_stages
                ring += hold_stages * design.unrolled_rounds
        store_words = 0
        if design.key_slots is not None:
            store_words = 2 ** (design.slot_bits + pass_bits)
        # The counter of `zeroize`, and three bits that watch it.
        zeroize = max(8, (max(self.places, store_words) + 2).bit_length()) + 3
        if design.error_detection == "parity":
            zeroize = (self.places + 2).bit_length() + 1
        counters = sum((depth - 2).bit_length() for depth in self.ram_depths)
        return FlipFlops("control", ring * self.rings + zeroize + counters)

    def _slot_places(self) -> int:
        """Places that a block's slot travels: to the last store's address."""
        design = self.design
        if not design.is_unrolled:
            return self.places
        delays = []
        if design.direction != "decrypt":
            delays.append(design.stages - 1)
        if design.direction != "encrypt":
            delays.append(design.sbox_stages - (0 if design.linear_stages else 1))
        return design.stages * (design.unrolled_rounds - 1) + max(delays)

    def _last_round_in_mix(self) -> int:
        if self.design.mix_columns == "xtime":
            return self.mix_stages
        if self.design.mix_columns == "shared":
            return min(self.mix_stages, 1)
        return 0

    def _delay(self, block: str, width: int) -> FlipFlops:
        depth = self.places
        if self.design.delay_line == "ram" and depth >= _RAM_DELAY_FROM:
            self.ram_depths.add(depth)
            return FlipFlops(block, width * self.rings, width * (depth - 1) * self.rings)
        return FlipFlops(block, width * depth * self.rings)


def _inverse_registers(design: Design) -> list[FlipFlops]:
    """Count aesforge_inverse_core: two cores, and the delays beside them."""
    there, back = design.checked_by_inverse
    depths: set[int] = set()

    def delay(width: int, depth: int) -> tuple[int, int]:
        if design.delay_line == "ram" and depth >= _RAM_DELAY_FROM:
            depths.add(depth)
            return width, width * (depth - 1)
        return width * depth, 0

    first, second = there.latency_cycles, back.latency_cycles
    result_depth = second + COMPARE_CYCLES
    data = BLOCK_BITS * design.blocks_per_beat
    key = delay(design.key_bits, first)
    block = delay(data, first + second)
    tag = delay(design.tag_bits, design.latency_cycles)
    result = delay(data + data // 8, result_depth)
    counters = sum((depth - 2).bit_length() for depth in depths)
    if result_depth in depths:
        # Result and parity have two counters each, and what remembers.
        counters += 3 * (result_depth - 2).bit_length() + 2
    control = design.latency_cycles + COMPARE_CYCLES + counters
    control += first if design.direction == "both" else 0
    compare = data // 8 + 1 + COMPARE_CYCLES * design.tag_bits
    blocks = [
        *(dataclasses.replace(one, block=f"there: {one.block}") for one in flip_flops(there)),
        *(dataclasses.replace(one, block=f"back: {one.block}") for one in flip_flops(back)),
        FlipFlops("delayed keys", *key),
        FlipFlops("delayed blocks", *block),
        FlipFlops("delayed tags", *tag),
        FlipFlops("delayed results", *result),
        FlipFlops("comparison", compare),
        FlipFlops("expected blocks, counters", control),
    ]
    return [block for block in blocks if block.flip_flop_bits or block.ram_bits]


def _serial_registers(design: Design) -> list[FlipFlops]:
    """Count a 32-bit data path: rtl/serial/."""
    column, rounds, linear = 32, design.rounds, design.linear_stages
    both = 1 if design.direction == "both" else 0
    state_stage, shift_stage = min(linear, 1), 1 if linear >= 4 else 0
    inner = max(linear - 1 - shift_stage, 0)
    mix_stages = min(inner, 1 if design.direction == "encrypt" else 2)
    after = shift_stage + inner

    sub_bits, sub_ram = sbox_register_bits(design.sbox, design.sbox_stages, design.direction)
    style = design.key_sbox_style
    # A step of the key expansion has one stage: after SubWord in a block RAM, else at its end.
    key_bits, key_ram = sbox_register_bits(style, 1 if style == "bram" else 0, "encrypt")
    steps = unrolled_key_steps(design.key_bits, "encrypt")
    windows = column * sum(step.waiting if style == "bram" else step.pre for step in steps)

    mix = sum(_mix_stage_bits(design.mix_columns, design.direction)[:mix_stages]) // 4
    linear_bits = column * (shift_stage + inner - mix_stages) * rounds
    linear_bits += mix * (rounds - 1) + column * mix_stages

    if design.shift_rows == "shift_register":
        # Two states, and the bit that loads the second.
        buffer = 2 * BLOCK_BITS + 1
    else:
        # The rows' depths in bytes.
        buffer = 8 * (4 + 7 + 6 + 7 if both else 4 + 7 + 6 + 5)
    key_columns = column * (2 if both else 1)

    # Marks of first columns and directions, and the number of the column that leaves ShiftRows,
    # which chooses the round key's columns up to AddRoundKey.
    marks = (1 + both) * design.round_latency + 2
    if design.direction != "decrypt":
        marks += 2 * max(after - 1, 0)
    # No round after the last one wants its direction.
    unread = both * (1 if design.shift_rows == "shift_register" or after else 0)
    control = rounds * marks - unread + 1 + both
    busy = rounds * design.round_latency + 4
    control += 2 + busy.bit_length() + 2  # columns of a block, key's wait, key held, blocks dropped
    control += 3 if design.direction == "encrypt" else rounds  # key expansion's progress
    zeroize = (design.zeroize_cycles - 1).bit_length() + 1
    tag = _Counter(design)
    tag.places = design.latency_cycles
    tags = tag.tag()
    control += zeroize + 2 + 4  # columns in, columns out
    control += sum((depth - 2).bit_length() for depth in tag.ram_depths)

    blocks = [
        FlipFlops("columns in", 3 * column + column),
        FlipFlops("state before SubBytes", column * state_stage * rounds),
        FlipFlops(
            "S-boxes of SubBytes",
            sub_bits * design.data_sbox_count,
            sub_ram * design.data_sbox_count,
        ),
        FlipFlops("ShiftRows", buffer * rounds),
        FlipFlops("MixColumns", linear_bits),
        FlipFlops("round keys", design.key_bits + windows),
        FlipFlops("columns of round keys", column + key_columns * rounds),
        FlipFlops(
            "S-boxes of SubWord",
            key_bits * design.key_sbox_count,
            key_ram * design.key_sbox_count,
        ),
        tags,
        FlipFlops("output", BLOCK_BITS),
        FlipFlops("control", control),
    ]
    return [block for block in blocks if block.flip_flop_bits or block.ram_bits]


def _research_window_bits(design: Design, steps: int) -> int:
    """Count the windows of key steps of a scheme that is not AES, which only go forwards.

    In hu2009, words 0 and 3 of a window are equal and kept once, but for the key itself; SubWord
    takes words 2 and 3, and word 2 is added to word 1. In liu2014, words 2 and 3 go to
    SubWord only.
    """
    entry = _key_entry_stages(design, "encrypt")
    waiting, next_words = {"hu2009": (3, 3), "liu2014": (2, 4)}[design.scheme]
    # Where a window follows another straight on, it is what that one's registers keep.
    entered = 4 + next_words * (steps - 1)
    after = design.linear_stages - entry
    return 32 * (entered * entry + steps * (waiting * design.sbox_stages + next_words * after))


def _key_entry_stages(design: Design, direction: str) -> int:
    """Return the stages before SubWord in a key step that runs in a direction."""
    return 1 if direction == "encrypt" and design.linear_stages >= 2 else 0


def _mix_stage_bits(style: str, direction: str) -> tuple[int, ...]:
    """Return the bits of the first and second stage inside MixColumns of a whole state."""
    forward = direction == "encrypt"
    if style == "xtime":
        # Column, pair sums and their doubles, of which five bits per byte are bits of the sums.
        sums = 4 * (32 + 32 + 12)
        return (sums,) if forward else (BLOCK_BITS, sums)
    if style == "table":
        # Products: a forward row uses the unchanged byte twice.
        return (4 * 96,) if forward else (4 * 128, 4 * 64)
    # Forward: the column, and three sums a byte.
    return (4 * 44,) if forward else (4 * 80, 4 * 48)


def _steps_of(design: Design, u: int, direction: str) -> Iterable[tuple[int, bool]]:
    """Return the (step, backwards) that round u of the ring makes in its passes."""
    for one_pass in range(design.passes):
        round_number = design.unrolled_rounds * one_pass + u + 1
        if direction != "decrypt":
            yield round_number, False
        if direction != "encrypt":
            yield design.rounds + 1 - round_number, True


def _step_control_bits(
    design: Design, direction: str, rounds: list[list[tuple[int, bool]]], *, late: bool = True
) -> int:
    """Count what waits beside SubWord about the step: Rcon, phase, whether to rotate."""
    bits = 0
    entry = _key_entry_stages(design, direction)
    for steps in rounds:
        columns = set()
        for position in range(8):
            columns.add(tuple(_rcon(design.key_bits, step) >> position & 1 for step, _ in steps))
        if design.key_bits == 256:
            columns.add(tuple(step & 1 for step, _ in steps))
        if design.key_bits == 192:
            columns.add(tuple((step - 1) % 3 == 1 for step, _ in steps))
            columns.add(tuple((step - 1) % 3 == 2 for step, _ in steps))
        varying = [column for column in columns if len(set(column)) > 1]
        bits += len(varying) * (entry + design.sbox_stages)
        if design.key_bits == 192 and late and len({step for step, _ in steps}) > 1:
            bits += (
                min(design.linear_stages, 1)
                if design.direction == "decrypt"
                else design.linear_stages - entry
            )
    return bits


def _rcon(key_bits: int, step: int) -> int:
    """Return the top byte of the Rcon that a step adds, 0 for none."""
    table = (0, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1B, 0x36)
    if key_bits == 128:
        return table[step]
    if key_bits == 256:
        return table[step // 2 + 1] if step % 2 else 0
    return table[{1: 1, 3: 2, 4: 3, 6: 4, 7: 5, 9: 6, 10: 7, 12: 8}.get(step, 0)]

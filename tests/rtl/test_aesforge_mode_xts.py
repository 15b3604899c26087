# SPDX-License-Identifier: Apache-2.0
"""aesforge_mode_xts: data units around a core that is only a delay, and what comes of each beat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
import pytest
from mode_ports import FULL, ModePorts, joined, mask, traffic
from rtl_bench import Bench, Driver, Instance, Mutation

M = "aesforge_mode_xts"
SIDE = 3
# Stealing, Latency, Style, Blocks
SHAPES = {
    "latency 4": (1, 4, 0, 1),
    "latency 21": (1, 21, 1, 1),
    "whole blocks": (0, 11, 0, 1),
    "two blocks": (1, 5, 1, 2),
    "four blocks": (1, 9, 0, 4),
    "two whole blocks": (0, 4, 0, 2),
}
MUTATIONS = {
    "alpha without its polynomial": Mutation(M, "8'h87", "8'h86"),
    "the order of bytes in alpha": Mutation(
        M, "block[i==0?0 : 135-8*i]", "block[i==0?0 : 120-8*i]"
    ),
    "the tweak stands still": Mutation(
        M, "next_q <= gen_block[Blocks-1].next", "next_q <= gen_block[Blocks-1].own"
    ),
    "a tweak moves without a beat": Mutation(
        M, "if (take) begin\n      next_q", "if (beat_valid) begin\n      next_q"
    ),
    "the first tweak for all blocks": Mutation(M, "beat_first ? beat_tweak : next_q", "beat_tweak"),
    "the tweak of the unit before": Mutation(M, "beat_first ? beat_tweak : next_q", "next_q"),
    "the tweaks of encryption": Mutation(M, "steals && !decrypt_q", "1'b0"),
    "the first tweak of decryption": Mutation(
        M, "decrypt_q ? tweak_q : previous_tweak", "previous_tweak"
    ),
    "the second tweak of decryption": Mutation(
        M, "decrypt_q ? previous_tweak : tweak_q", "tweak_q"
    ),
    "all of the first result": Mutation(M, "kept[16*b+i] ? 8'h00 : out_block", "out_block"),
    "none of the first result": Mutation(M, "rest ^ stolen", "rest"),
    "the part is not in the second block": Mutation(
        M, "keep_q[16*Part+i] ? data_q", "1'b0 ? data_q"
    ),
    "a beat in the cycle of a second time": Mutation(
        M, "beat_ready = !soon_q", "beat_ready = 1'b1"
    ),
    "the side of another beat": Mutation(
        M, "again_side_q <= rest_side", "again_side_q <= core_side"
    ),
    "results wait too little": Mutation(M, "Wait = Latency + 3", "Wait = Latency + 2"),
    "what is added comes too early": Mutation(M, "2 * Latency + 3 :", "2 * Latency + 2 :"),
    "what is added goes on": Mutation(
        M,
        "{data_q, tweak_q, keep_q, side_q} <=",
        "end\n    if (beat_valid) begin\n      {data_q, tweak_q, keep_q, side_q} <=",
    ),
    "two results of a beat": Mutation(M, "result_q <= valid_q && !steals_q", "result_q <= valid_q"),
    "the block before the last enters at once": Mutation(M, "(block_q && !steals_q)", "block_q"),
    "beats without a block enter": Mutation(M, "(block_q && !steals_q)", "!steals_q"),
    "the last beat enters": Mutation(M, ": part_q[b] ? previous", ": 1'b0 ? previous"),
    "a reset keeps the beat that waits": Mutation(
        M, "if (rst || zeroize) wait_q <= 1'b0", "if (zeroize) wait_q <= 1'b0"
    ),
    "a reset keeps results": Mutation(
        M, "if (rst || zeroize) waits_q <= '0", "if (zeroize) waits_q <= '0"
    ),
    "a reset keeps a second time": Mutation(
        M, "{results_q, parts_q, soon_q, again_valid_q} <= '0", "{results_q} <= '0"
    ),
}
WHOLE_MUTATIONS = {
    "no tweak after the core": Mutation(M, "result = out_block ^ xors", "result = out_block"),
    "no tweak before the core": Mutation(
        M, "data_q ^ tweak_q;\n      core_side  <=", "data_q;\n      core_side  <="
    ),
    "a result too early": Mutation(
        M,
        "result_valid = results_q[Latency-1];\n    assign result = out",
        "result_valid = results_q[Latency-2];\n    assign result = out",
    ),
}


# Of beats of several blocks.
WIDE_MUTATIONS = {
    "the first tweak for all blocks of a beat": Mutation(
        M, "own = gen_block[b-1].next", "own = gen_block[b-1].own"
    ),
    "part of a block in a beat is a block": Mutation(
        M, "beat_block && beat_keep[16*b] && !beat_keep[16*b+15]", "1'b0"
    ),
    "no bytes are part of a block": Mutation(
        M, "beat_block && beat_keep[16*b] && !beat", "beat_block && !beat"
    ),
    "part of a block in a beat with an error": Mutation(
        M, "beat_block && beat_keep[16*b] &&", "beat_keep[16*b] &&"
    ),
    "the tweaks of encryption, in a beat": Mutation(
        M, "assign steals = part_q[b+1]", "assign steals = 1'b0"
    ),
    "the beat before is forgotten": Mutation(M, "part_q[0] ? early_q : bytes", "bytes"),
    "the beat before takes bytes": Mutation(
        M, "part_q[0] ? '1 : keep_q[16*Part+:16]", "keep_q[16*Part+:16]"
    ),
    "the beat before is the last one": Mutation(
        M, "part_q[0] ? early_q", "part_q[0] ? data_q[To-:128] ^ tweak_q[To-:128]"
    ),
    "the beat before has the tweak of another block": Mutation(
        M,
        "early_q <= data_q[To-:128] ^ tweak_q[To-:128]",
        "early_q <= data_q[To-:128] ^ tweak_q[127:0]",
    ),
    "the first result of a block in its beat": Mutation(
        M, "own = again_q ? out_q : waited[Top-:128]", "own = waited[Top-:128]"
    ),
    "the second result of another block": Mutation(
        M, "again_q <= again[b+1]", "again_q <= again[0]"
    ),
    "a beat that waited has one result": Mutation(
        M, "again[0] ? out_block[Top-:128] : own", "b == 1 && again[0] ? out_block[Top-:128] : own"
    ),
    "bytes of the wrong block": Mutation(
        M, "8'h00 : out_block[From-8*i-:8]", "8'h00 : out_block[To-8*i-:8]"
    ),
    "the block of the wrong beat": Mutation(
        M, "previous = Bits'({last_q, data_q} >> 128)", "previous = {(Blocks){last_q}}"
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            {
                **{"Stealing": shape[0], "SideBits": SIDE, "Latency": shape[1]},
                **{"Style": shape[2], "Blocks": shape[3]},
            },
            inputs={
                **{"beat_valid": 1, "beat_first": 1, "beat_block": 1, "beat_steals": 1},
                **{"beat_keep": 16 * shape[3], "beat_data": 128 * shape[3], "beat_decrypt": 1},
                **{"beat_tweak": 128, "beat_side": SIDE, "out_block": 128 * shape[3]},
            },
            outputs={
                **{"beat_ready": 1, "core_valid": 1},
                **{"core_block": 128 * shape[3], "core_side": SIDE, "result_valid": 1},
                "result": 128 * shape[3],
            },
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["latency 4"], mutation)
    for name, mutation in WHOLE_MUTATIONS.items():
        add(name, SHAPES["whole blocks"], mutation)
    for name, mutation in WIDE_MUTATIONS.items():
        add(name, SHAPES["two blocks"], mutation)
    return bench


def turn(block: int, side: int, _decrypt: int = 0) -> int:
    """What stands for the cipher under a key: bytes change places, and their values too."""
    data = block.to_bytes(16, "big")
    moved = bytes(
        (3 * byte + 17 * i + side + 1) % 256 for i, byte in enumerate(data[5:] + data[:5])
    )
    return int.from_bytes(moved, "big")


def times_alpha(tweak: int) -> int:
    """IEEE Std 1619 Sec. 5.2; byte 0 at the top."""
    number = int.from_bytes(tweak.to_bytes(16, "big"), "little") << 1
    if number >> 128:
        number ^= 1 << 128 | 0x87
    return int.from_bytes(number.to_bytes(16, "little"), "big")


def unit_results(blocks: list[int], keep: int, tweak: int, decrypt: int, side: int) -> list[int]:
    """IEEE Std 1619 Sec. 5.3 and 5.4, with `turn` in place of the cipher."""
    tweaks = [tweak]
    for _ in blocks:
        tweaks.append(times_alpha(tweaks[-1]))

    def one(block: int, number: int) -> int:
        return turn(block ^ tweaks[number], side) ^ tweaks[number]

    if keep == FULL:
        return [one(block, i) for i, block in enumerate(blocks)]
    m = len(blocks) - 2
    first, second = (m + 1, m) if decrypt else (m, m + 1)
    whole = one(blocks[m], first)
    last = (blocks[m + 1] & mask(keep)) | (whole & ~mask(keep))
    results = [one(block, i) for i, block in enumerate(blocks[:m])]
    return [*results, one(last, second), whole & mask(keep)]


class Model(ModePorts):
    """A mode, and what each beat must come out as."""

    def __init__(self, one: Instance, seed: int) -> None:
        super().__init__(one, seed, turn)
        self.stolen = 0

    def packet(self) -> None:
        draw = self.draw
        count, side = draw.choice((1, 2, 2, 3, 4, 5, 9)), draw.randrange(2**SIDE)
        part = bool(self.one["Stealing"]) and count > 1 and draw.random() < 0.5
        keep = 2 ** draw.randrange(1, 16) - 1 if part else FULL
        blocks = [draw.getrandbits(128) for _ in range(count)]
        tweak, way = draw.getrandbits(128), draw.randrange(2)
        # From some beat on it may be an error: what comes of those does not matter.
        bad = draw.randrange(count) if draw.random() < 0.2 else count
        results: list[int | None] = list(unit_results(blocks, keep, tweak, way, side))
        if bad < count:
            whole = unit_results(blocks, FULL, tweak, way, side)
            results = [*whole[:bad], *[None] * (count - bad)]
            part, keep = False, FULL
        size = self.beat_blocks
        for at in range(0, count, size):
            own = blocks[at : at + size]
            beat_keep = sum(
                (keep if at + i == count - 1 else FULL) << 16 * i for i in range(len(own))
            )
            # What is not kept may be anything.
            own += [draw.getrandbits(128) for _ in range(size - len(own))]
            good = at + size <= bad or bad == count
            if not good:
                beat_keep = draw.getrandbits(16 * size)
            self.queue.append(
                {
                    **{"beat_valid": 1, "beat_first": int(at == 0), "beat_block": int(good)},
                    **{"beat_steals": int(part and at + size == count - 1)},
                    **{"beat_data": joined(own), "beat_keep": beat_keep, "beat_decrypt": way},
                    **{"beat_tweak": tweak, "beat_side": side},
                }
            )
            due = [result or 0 for result in results[at : at + size]]
            due += [0] * (size - len(due))
            self.expected.append(joined(due) if good else None)
        self.stolen += part

    def blocks_of(self, beat: dict[str, int]) -> int:
        # A part in the beat of the block before it: that one goes through the core again.
        kept = beat["beat_keep"].bit_count()
        return beat["beat_block"] * (1 + (kept > 16 and kept % 16 > 0))


@cocotb.test()
async def units_go_through(dut: Any) -> None:
    """Idle x a restart with blocks inside x units of every kind."""
    bench = make_bench()
    models = [Model(one, 90 + i) for i, one in enumerate(bench.instances)]
    await traffic(Driver(dut, bench), bench, models)
    for model in models:
        if model.one.mutation is None:
            assert model.stolen > 200 or not model.one["Stealing"], model.one.name


@pytest.mark.usefixtures("mutants")
def test_aesforge_mode_xts(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

# SPDX-License-Identifier: Apache-2.0
"""aesforge_mode_xts: data units around a core that is only a delay, and what comes of each beat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
import pytest
from mode_ports import FULL, ModePorts, mask, traffic
from rtl_bench import Bench, Driver, Instance, Mutation

M = "aesforge_mode_xts"
SIDE = 3
# Stealing, Latency, Style
SHAPES = {"latency 4": (1, 4, 0), "latency 21": (1, 21, 1), "whole blocks": (0, 11, 0)}
MUTATIONS = {
    "alpha without its polynomial": Mutation(M, "8'h87", "8'h86"),
    "the order of bytes in alpha": Mutation(
        M, "block[i==0?0 : 135-8*i]", "block[i==0?0 : 120-8*i]"
    ),
    "the tweak stands still": Mutation(M, "next_q <= after", "next_q <= tweak"),
    "a tweak moves without a beat": Mutation(M, "if (take) next_q", "if (beat_valid) next_q"),
    "the first tweak for all blocks": Mutation(M, "beat_first ? beat_tweak : next_q", "beat_tweak"),
    "the tweak of the unit before": Mutation(M, "beat_first ? beat_tweak : next_q", "next_q"),
    "the tweaks of encryption": Mutation(M, "beat_steals && !beat_decrypt", "1'b0"),
    "the first tweak of decryption": Mutation(M, "beat_decrypt ? tweak : before_q", "before_q"),
    "the second tweak of decryption": Mutation(M, "beat_decrypt ? before_q : tweak", "tweak"),
    "all of the first result": Mutation(M, "kept[i] ? 8'h00 : out_block", "out_block"),
    "none of the first result": Mutation(M, "rest ^ stolen", "rest"),
    "the part is not in the second block": Mutation(
        M, "beat_keep[i] ? beat_data", "1'b0 ? beat_data"
    ),
    "a beat in the cycle of a second time": Mutation(
        M, "beat_ready = !again_valid_q", "beat_ready = 1'b1"
    ),
    "the side of another beat": Mutation(
        M, "again_side_q <= rest_side", "again_side_q <= core_side"
    ),
    "results wait too little": Mutation(M, "Wait = Latency + 3", "Wait = Latency + 2"),
    "two results of a beat": Mutation(M, "result_q <= take && !beat_steals", "result_q <= take"),
    "the block before the last enters at once": Mutation(
        M, "(beat_block && !beat_steals)", "beat_block"
    ),
    "beats without a block enter": Mutation(M, "(beat_block && !beat_steals)", "!beat_steals"),
    "the last beat enters": Mutation(M, "wait_q ? block_q ^ first", "1'b0 ? block_q ^ first"),
    "a reset keeps the beat that waits": Mutation(
        M, "if (rst || zeroize) wait_q <= 1'b0", "if (zeroize) wait_q <= 1'b0"
    ),
    "a reset keeps results": Mutation(
        M, "if (rst || zeroize) waits_q <= '0", "if (zeroize) waits_q <= '0"
    ),
    "a reset keeps a second time": Mutation(
        M, "{results_q, steals_q, agains_q, again_valid_q} <= '0", "{results_q, agains_q} <= '0"
    ),
}
WHOLE_MUTATIONS = {
    "no tweak after the core": Mutation(M, "assign beat_xor   = tweak", "assign beat_xor   = '0"),
    "no tweak before the core": Mutation(
        M, "beat_data ^ tweak;\n      core_side  <=", "beat_data;\n      core_side  <="
    ),
    "a result too early": Mutation(
        M,
        "result_valid = results_q[Latency-1];\n    assign result = out",
        "result_valid = results_q[Latency-2];\n    assign result = out",
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            {"Stealing": shape[0], "SideBits": SIDE, "Latency": shape[1], "Style": shape[2]},
            inputs={
                **{"beat_valid": 1, "beat_first": 1, "beat_block": 1, "beat_steals": 1},
                **{"beat_keep": 16, "beat_data": 128, "beat_decrypt": 1, "beat_tweak": 128},
                **{"beat_side": SIDE, "out_block": 128},
            },
            outputs={
                **{"beat_ready": 1, "beat_xor": 128, "core_valid": 1, "core_block": 128},
                **{"core_side": SIDE, "result_valid": 1, "result": 128},
            },
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["latency 4"], mutation)
    for name, mutation in WHOLE_MUTATIONS.items():
        add(name, SHAPES["whole blocks"], mutation)
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
        count, side = draw.choice((1, 2, 2, 3, 5, 9)), draw.randrange(2**SIDE)
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
        for i, block in enumerate(blocks):
            last = i == count - 1
            self.queue.append(
                {
                    **{"beat_valid": 1, "beat_first": int(i == 0), "beat_block": int(i < bad)},
                    **{"beat_steals": int(part and i == count - 2), "beat_data": block},
                    **{"beat_keep": keep if last else FULL, "beat_decrypt": way},
                    **{"beat_tweak": tweak, "beat_side": side},
                }
            )
            self.expected.append(results[i])
        self.stolen += part


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

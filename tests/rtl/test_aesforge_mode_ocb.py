# SPDX-License-Identifier: Apache-2.0
"""aesforge_mode_ocb: packets around a core that is a permutation and a delay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
import pytest
from mode_ports import FULL, ModePorts, mask, traffic
from rtl_bench import Bench, Driver, Instance, Mutation

M = "aesforge_mode_ocb"
SIDE = 3
MASK = 2**128 - 1
# Decrypts, Latency, Style
SHAPES = {"latency 4": (1, 4, 0), "latency 21": (1, 21, 1), "encrypts": (0, 11, 0)}
MUTATIONS = {
    "associated data have the offset of text": Mutation(
        M, "(beat_aad ? '0 : beat_offset)", "beat_offset"
    ),
    "no section begins": Mutation(
        M, "(beat_start ? (beat_aad ? '0 : beat_offset) : offset_q)", "offset_q"
    ),
    "an offset moves without a beat": Mutation(
        M, "if (take) begin\n      offset_q", "if (beat_valid) begin\n      offset_q"
    ),
    "no one after part of a block": Mutation(M, "8'h80", "8'h00"),
    "what is not kept counts": Mutation(
        M, "beat_keep[i] ? beat_data[127-8*i-:8] : 8'h00", "beat_data[127-8*i-:8]"
    ),
    "the checksum of the packet before": Mutation(
        M, "if (beat_last) checksum_q <= '0;\n      else if", "if"
    ),
    "associated data in the checksum": Mutation(M, "else if (text) checksum_q", "else checksum_q"),
    "the checksum of the ciphertext": Mutation(
        M, "checksum_q ^ (decrypt && full ? offset : padded)", "checksum_q ^ padded"
    ),
    "the padding is left out when decrypting": Mutation(
        M, "(decrypt && full ? offset : padded)", "(decrypt ? offset : padded)"
    ),
    "part of a block is decrypted": Mutation(
        M, "decrypt && text && full;\n    core_block", "decrypt && text;\n    core_block"
    ),
    "associated data are decrypted": Mutation(
        M, "decrypt && text && full;\n    core_block", "decrypt && full;\n    core_block"
    ),
    "the tag is decrypted": Mutation(M, "core_decrypt <= !again_valid_q &&", "core_decrypt <="),
    "all of the last result": Mutation(
        M, "keep[i] ? out_block[127-8*i-:8] : 8'h00", "out_block[127-8*i-:8]"
    ),
    "the results of the packet before": Mutation(
        M, "if (results_q[Latency-1] && tags_q[Latency-1]) text_sum_q <= '0;\n      else if", "if"
    ),
    "associated data are text": Mutation(
        M, "text_q  <= take && text;", "text_q  <= take && !beat_last;"
    ),
    "a beat in the cycle of a tag": Mutation(M, "beat_ready = !again_valid_q", "beat_ready = 1'b1"),
    "the side of another packet": Mutation(
        M, "again_side_q  <= side", "again_side_q  <= core_side"
    ),
    "results wait too little": Mutation(M, "Wait = Latency + 2", "Wait = Latency + 1"),
    "associated data are not in the tag": Mutation(M, "ready_block ^ sum_q", "ready_block"),
    "the sum of the packet before": Mutation(
        M, "if (ready_valid && ready_tag) sum_q <= '0;\n    else if", "if"
    ),
    "text is in the sum": Mutation(M, "(ready_valid && ready_aad) sum_q", "(ready_valid) sum_q"),
    "associated data are encrypted": Mutation(M, "result = ready_aad ? '0 :", "result ="),
    "a placeholder is part of the tag": Mutation(
        M, "beat_xor = decrypt ? beat_data : '0", "beat_xor = beat_data"
    ),
    "a tag is not compared": Mutation(M, "beat_xor = decrypt ? beat_data : '0", "beat_xor = '0"),
    "the tag enters before the text is known": Mutation(
        M, "beat_block && !(decrypt && beat_last)", "beat_block"
    ),
    "errors enter": Mutation(M, "beat_valid && beat_block && !(", "beat_valid && !("),
    "a reset keeps the checksum": Mutation(
        M, "if (rst || zeroize) checksum_q", "if (zeroize) checksum_q"
    ),
    "a reset keeps the sum": Mutation(M, "if (rst || zeroize) sum_q", "if (zeroize) sum_q"),
    "a reset keeps results": Mutation(M, "if (rst || zeroize) valids_q", "if (zeroize) valids_q"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(name: str, shape: tuple[int, ...], mutation: Mutation | None = None) -> None:
        bench.add(
            name,
            M,
            {"Decrypts": shape[0], "SideBits": SIDE, "Latency": shape[1], "Style": shape[2]},
            inputs={
                **{"beat_valid": 1, "beat_block": 1, "beat_aad": 1, "beat_last": 1},
                **{"beat_start": 1, "beat_keep": 16, "beat_data": 128, "beat_decrypt": 1},
                **{"beat_offset": 128, "beat_word": 128, "beat_side": SIDE, "out_block": 128},
            },
            outputs={
                **{"beat_ready": 1, "beat_xor": 128, "core_valid": 1, "core_decrypt": 1},
                **{"core_block": 128, "core_side": SIDE, "result_valid": 1, "result": 128},
            },
            mutation=mutation,
        )

    for name, shape in SHAPES.items():
        add(name, shape)
    for name, mutation in MUTATIONS.items():
        add(name, SHAPES["latency 4"], mutation)
    return bench


FACTOR = 0x9E3779B97F4A7C15F39CC0605CEDC835
INVERSE = pow(FACTOR, -1, 2**128)


def turn(block: int, side: int, decrypt: int = 0) -> int:
    """What stands for the cipher under a key: a permutation."""
    if decrypt:
        block = (block - side) * INVERSE & MASK
        return block ^ block >> 64
    return ((block ^ block >> 64) * FACTOR + side) & MASK


def padded(block: int, keep: int) -> int:
    size = keep.bit_count()
    return block & mask(keep) | (0x80 << 8 * (15 - size) if size < 16 else 0)


class Model(ModePorts):
    """A mode, and what each beat must come out as."""

    def __init__(self, one: Instance, seed: int) -> None:
        super().__init__(one, seed, turn)
        self.verified = 0

    def packet(self) -> None:
        """Queue a random packet, with what its beats must come out as."""
        draw = self.draw
        side, base = draw.randrange(2**SIDE), draw.getrandbits(128)
        decrypt = draw.randrange(2) if self.one["Decrypts"] else 0
        tag_word = draw.getrandbits(128)
        bad = draw.random() < 0.15
        total = checksum = 0
        beats: list[dict[str, int]] = []
        results: list[int | None] = []

        def beat(aad: int, last: int, start: int, keep: int, word: int) -> int:
            data = draw.getrandbits(128)
            beats.append(
                {
                    **{"beat_valid": 1, "beat_block": int(not bad), "beat_aad": aad},
                    **{"beat_last": last, "beat_start": start, "beat_keep": keep},
                    **{"beat_data": data, "beat_decrypt": decrypt, "beat_offset": base},
                    **{"beat_word": word, "beat_side": side},
                }
            )
            return data

        offset = base
        for aad, most in ((1, 3), (0, 6)):
            count = draw.randrange(most)
            offset = 0 if aad else base
            for number in range(count):
                word = draw.getrandbits(128)
                part = number == count - 1 and draw.random() < 0.5
                keep = 2 ** draw.randrange(1, 16) - 1 if part else FULL
                data = beat(aad, 0, int(number == 0), keep, word)
                offset ^= word
                if aad:
                    total ^= turn(padded(data, keep) ^ offset, side)
                    results.append(data & mask(keep))
                    continue
                if keep != FULL:
                    found = (data ^ turn(offset, side)) & mask(keep)
                else:
                    found = turn(data ^ offset, side, decrypt) ^ offset
                checksum ^= padded(found if decrypt else data, keep)
                results.append(found)
        texts = [one for one in beats if not one["beat_aad"]]
        tag_keep = 2 ** draw.choice((8, 12, 16)) - 1
        offset = (offset if texts else base) ^ tag_word
        data = beat(0, 1, int(not texts), tag_keep, tag_word)
        tag = turn(checksum ^ offset, side) ^ total
        if decrypt and draw.random() < 0.5:
            # The difference to the right tag is zero.
            beats[-1]["beat_data"] = data = tag & mask(tag_keep)
            self.verified += 1
        results.append(((tag ^ data) if decrypt else tag) & mask(tag_keep))
        self.queue.extend(beats)
        self.expected.extend(None if bad else one for one in results)

    def blocks_of(self, beat: dict[str, int]) -> int:
        # The tag of an error enters all the same, when it is compared.
        return 1 if beat["beat_last"] and beat["beat_decrypt"] else beat["beat_block"]


@cocotb.test()
async def packets_go_through(dut: Any) -> None:
    """Idle x a restart with blocks inside x packets of every kind."""
    bench = make_bench()
    models = [Model(one, 90 + i) for i, one in enumerate(bench.instances)]
    await traffic(Driver(dut, bench), bench, models)
    for model in models:
        if model.one.mutation is None:
            assert model.verified > 50 or not model.one["Decrypts"], model.one.name


@pytest.mark.usefixtures("mutants")
def test_aesforge_mode_ocb(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

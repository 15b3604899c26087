# SPDX-License-Identifier: Apache-2.0
"""aesforge_gcm_iv: no IV twice, each with its context and on `m_iv`, whatever either side does."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation

M = "aesforge_gcm_iv"
NONE = 3
# Slots, bits of the counter.
SHAPES = {
    "64 bits": (2, 64),
    "3 slots, 9 bits": (3, 9),
    "16 slots, 6 bits": (16, 6),
    "1 bit": (2, 1),
}
SHORT = "16 slots, 6 bits"
MUTATIONS = {
    "does not count": (SHORT, Mutation(M, "count_q + 1'b1}", "count_q}")),
    "counts by two": (SHORT, Mutation(M, "count_q + 1'b1}", "count_q + 2'd2}")),
    "starts at its old value": (SHORT, Mutation(M, "{spent_q, count_q} <= '0", "spent_q <= '0")),
    "is spent for ever": (SHORT, Mutation(M, "{spent_q, count_q} <= '0", "count_q <= '0")),
    "wraps": (SHORT, Mutation(M, "refused = spent_q ||", "refused =")),
    "ends a count early": (SHORT, Mutation(M, "<= {&count_q,", "<= {&(count_q | 1'b1),")),
    "zeroize restarts the count": (
        SHORT,
        Mutation(M, "if (rst) {spent_q, count_q}", "if (rst || zeroize) {spent_q, count_q}"),
    ),
    "decryptions count": (SHORT, Mutation(M, "accept && encrypts &&", "accept &&")),
    "a refused context counts": (
        SHORT,
        Mutation(M, "accept && encrypts && !refused", "accept && encrypts"),
    ),
    "counts when the context leaves": (
        SHORT,
        Mutation(M, "if (accept && encrypts", "if (m_ctx_tready && encrypts"),
    ),
    "an IV that zeroize drops comes again": (
        SHORT,
        Mutation(M, "if (accept && encrypts", "if (!zeroize && accept && encrypts"),
    ),
    "a slot of its neighbour": (SHORT, Mutation(M, "{s_ctx_slot, 5'd0}", "{m_ctx_slot, 5'd0}")),
    "one fixed field for all": (SHORT, Mutation(M, "fields[field_at+:32]", "fields[31:0]")),
    "the counter's bytes turned round": (
        SHORT,
        Mutation(M, "64'(aesforge_pkg::byte_swap(256'(count_q), 8))", "64'(count_q)"),
    ),
    "an IV that is given is used": (
        SHORT,
        Mutation(M, "encrypts ? {32'b0, iv} : s_ctx_iv", "s_ctx_iv"),
    ),
    "the IV to decrypt is replaced": (
        SHORT,
        Mutation(M, "encrypts ? {32'b0, iv} : s_ctx_iv", "{32'b0, iv}"),
    ),
    "a kind of IV to encrypt passes": (SHORT, Mutation(M, " || s_ctx_iv_kind != IvGiven", "")),
    "a refused context goes on": (SHORT, Mutation(M, "refused ? IvNone : IvGiven", "IvGiven")),
    "refuses to decrypt": (SHORT, Mutation(M, "!encrypts ? s_ctx_iv_kind : refused", "refused")),
    "the IV out is the next": (
        SHORT,
        Mutation(M, "refused ? '0 : iv;", "refused ? '0 : {iv[95:89], ~iv[88], iv[87:0]};"),
    ),
    "a refused context gives an IV out": (SHORT, Mutation(M, "refused ? '0 : iv", "iv")),
    "no error at m_iv": (SHORT, Mutation(M, "m_iv_tuser <= refused", "m_iv_tuser <= 1'b0")),
    "an IV for a decryption": (
        SHORT,
        Mutation(M, "m_iv_tvalid <= encrypts", "m_iv_tvalid <= 1'b1"),
    ),
    "an IV is lost": (
        SHORT,
        Mutation(M, "s_ctx_tready = !m_ctx_tvalid && !m_iv_tvalid", "s_ctx_tready = !m_ctx_tvalid"),
    ),
    "a context is lost": (
        SHORT,
        Mutation(M, "s_ctx_tready = !m_ctx_tvalid && !m_iv_tvalid", "s_ctx_tready = !m_iv_tvalid"),
    ),
    "an IV does not wait": (SHORT, Mutation(M, "if (m_iv_tready) m_iv", "if (m_ctx_tready) m_iv")),
    "a context does not wait": (
        SHORT,
        Mutation(M, "if (m_ctx_tready) m_ctx", "if (m_iv_tready) m_ctx"),
    ),
    "zeroize keeps the context": (
        SHORT,
        Mutation(M, "(rst || zeroize) {m_ctx_tvalid, m_iv", "(rst || zeroize) {m_iv"),
    ),
    "zeroize keeps the IV": (
        SHORT,
        Mutation(
            M,
            "if (rst || zeroize) {m_ctx_tvalid, m_iv_tvalid}",
            "if (rst || zeroize) {m_ctx_tvalid}",
        ),
    ),
    "zeroize leaves the data": (
        SHORT,
        Mutation(M, "    if (zeroize) {m_ctx_iv, m_iv_tdata} <= '0;\n", ""),
    ),
    "the length of no tag": (
        SHORT,
        Mutation(M, "m_ctx_tag_bytes <= s_ctx_tag_bytes", "m_ctx_tag_bytes <= '1"),
    ),
    "decrypts always": (
        SHORT,
        Mutation(M, "m_ctx_decrypt <= s_ctx_decrypt", "m_ctx_decrypt <= 1'b1"),
    ),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})
    shapes = {name: (name, None) for name in SHAPES} | MUTATIONS
    for name, (shape, mutation) in shapes.items():
        slots, bits = SHAPES[shape]
        slot_bits = (slots - 1).bit_length()
        context = {"slot": slot_bits, "iv": 128, "iv_kind": 2, "decrypt": 1, "tag_bytes": 5}
        bench.add(
            name,
            M,
            {"KeySlots": slots, "CountBits": bits},
            inputs={
                **{"iv_fixed": 32 * slots, "s_ctx_tvalid": 1, "m_ctx_tready": 1, "m_iv_tready": 1},
                **{f"s_ctx_{port}": width for port, width in context.items()},
            },
            outputs={
                **{"s_ctx_tready": 1, "m_ctx_tvalid": 1, "m_iv_tvalid": 1},
                **{f"m_ctx_{port}": width for port, width in context.items()},
                **{"m_iv_tdata": 96, "m_iv_tuser": 1},
            },
            mutation=mutation,
        )
    return bench


@dataclass
class Model:
    """What an instance has to do; what waits at its two outputs."""

    one: Instance
    count: int = 0
    offered: dict[str, int] | None = None
    context: dict[str, int] | None = None
    iv: dict[str, int] | None = None
    used: set[int] = field(default_factory=set)
    refused: int = 0

    def offer(self, draw: random.Random, encrypt: float) -> dict[str, int]:
        """Return a random context; most of those that encrypt have no kind of IV."""
        decrypt = int(draw.random() >= encrypt)
        kind = draw.randrange(4) if decrypt or draw.random() < 0.1 else 0
        slot_bits = self.one.inputs["s_ctx_slot"][1]
        return {
            **{"slot": draw.getrandbits(slot_bits), "iv": draw.getrandbits(128)},
            **{"iv_kind": kind, "decrypt": decrypt, "tag_bytes": draw.getrandbits(5)},
        }

    def accept(self, given: dict[str, int], fixed: int) -> None:
        """Note what must come of a context."""
        if given["decrypt"]:
            self.context = given
            return
        field_of_slot = fixed >> 32 * given["slot"] & 0xFFFFFFFF
        if self.count >> self.one["CountBits"] or given["iv_kind"]:
            self.refused += 1
            # Its IV means nothing then.
            self.context = {**given, "iv_kind": NONE}
            del self.context["iv"]
            self.iv = {"tdata": 0, "tuser": 1}
            return
        iv = field_of_slot.to_bytes(4, "little") + self.count.to_bytes(8, "big")
        value = int.from_bytes(iv, "little")
        self.context = {**given, "iv": value, "iv_kind": 0}
        self.iv = {"tdata": value, "tuser": 0}
        self.used.add(self.count)
        self.count += 1


@cocotb.test()
async def no_iv_twice(dut: Any) -> None:
    """Random contexts at any rates, up to the end of the counters and after it."""
    bench, draw, faults = make_bench(), random.Random(25), Faults()
    driver = Driver(dut, bench)
    models = {one.name: Model(one) for one in bench.instances}

    async def restart() -> None:
        await driver.cycle({"rst": 1})
        for one in bench.instances:
            models[one.name] = Model(one)

    async def run(cycles: int, offer: float, take: float, take_iv: float, encrypt: float) -> None:
        for _ in range(cycles):
            zeroize = int(draw.random() < 0.02)
            own: dict[str, dict[str, int]] = {}
            for name, model in models.items():
                if model.offered is None and draw.random() < offer:
                    model.offered = model.offer(draw, encrypt)
                noise = model.offered or model.offer(draw, encrypt)
                own[name] = {
                    # It may change at any time: the counter alone makes an IV new.
                    "iv_fixed": draw.getrandbits(32 * model.one["KeySlots"]),
                    "s_ctx_tvalid": int(model.offered is not None),
                    **{f"s_ctx_{port}": value for port, value in noise.items()},
                    "m_ctx_tready": int(draw.random() < take),
                    "m_iv_tready": int(draw.random() < take_iv),
                }
            outputs = await driver.cycle({"zeroize": zeroize}, own)
            for name, model in models.items():
                one, given, now = model.one, own[name], f"in {driver.number}"
                ready = model.context is None and model.iv is None
                faults.check(one, outputs.of(one, "s_ctx_tready"), int(ready), f"ready {now}")
                for side, word in (("m_ctx", model.context), ("m_iv", model.iv)):
                    valid = outputs.of(one, f"{side}_tvalid")
                    faults.check(one, valid, int(word is not None), f"{side}_tvalid {now}")
                    for port, value in (word or {}).items():
                        got = outputs.of(one, f"{side}_{port}")
                        faults.check(one, got, value, f"{side}_{port} {now}")
                if given["m_ctx_tready"]:
                    model.context = None
                if given["m_iv_tready"]:
                    model.iv = None
                if ready and model.offered is not None:
                    model.accept(model.offered, given["iv_fixed"])
                    model.offered = None
                if zeroize:
                    model.context = model.iv = None
            if zeroize:
                # What waited is gone, its bits too.
                outputs = await driver.settle({})
                for one in bench.instances:
                    for port in ("m_ctx_iv", "m_iv_tdata"):
                        faults.check(one, outputs.of(one, port), 0, f"{port} after zeroize")

    for _ in range(3):
        await restart()
        await run(200, 0.9, 0.9, 0.9, 0.3)
        await run(300, 1.0, 1.0, 1.0, 1.0)
        await run(200, 0.9, 0.4, 0.2, 0.5)
        await run(200, 0.5, 0.2, 0.9, 0.5)
        for name in (SHORT, "1 bit"):
            bits = models[name].one["CountBits"]
            assert len(models[name].used) == 2**bits, "the counter did not come to its end"
            assert models[name].refused > 50
    bench.judge(faults)


def test_aesforge_gcm_iv(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

# SPDX-License-Identifier: Apache-2.0
"""aesforge_context_fifo: headers in order, each with its payload, and none after zeroization."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Mutation

M = "aesforge_context_fifo"
HEADER, PAYLOAD = 5, 131
MUTATIONS = {
    "a payload in the next one's place": Mutation(
        M, "payloads[write_delayed_q] <=", "payloads[write_q] <="
    ),
    "a context that is not taken has a place": Mutation(M, "(s_valid && s_ready)", "s_valid"),
    "a place without a context": Mutation(M, "m_ready && m_valid", "m_ready"),
    "all contexts in one place": Mutation(M, "m_place <= m_place + 1'b1", "m_place <= m_place"),
    "a place of another payload": Mutation(M, "payloads[place]", "payloads[m_place]"),
    "a reset parts headers and payloads": Mutation(
        M, "if (rst) {write_q, m_place, zeroize_q} <= '0", "if (rst) {write_q, zeroize_q} <= '0"
    ),
    "zeroization parts them": Mutation(M, "m_place <= write_q + 1'b1", "m_place <= write_q"),
    "zeroization keeps a payload": Mutation(M, "if (zeroize_q[i/32]) payload_q[i] <= 1'b0", ";"),
    "zeroization keeps the end of a payload": Mutation(
        M, "Groups'({zeroize_q, 1'b1})", "Groups'(1)"
    ),
    "zeroization leaves places out": Mutation(M, " || zeroize) write_q", ") write_q"),
    "zeroization keeps the headers": Mutation(M, "      .zeroize,", "      .zeroize(1'b0),"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1, "s_header": HEADER, "s_payload": PAYLOAD})
    for name, mutation in {"true": None, **MUTATIONS}.items():
        bench.add(
            name,
            M,
            {"HeaderBits": HEADER, "PayloadBits": PAYLOAD},
            inputs={"s_valid": 1, "m_ready": 1, "place": 2},
            outputs={
                **{"s_ready": 1, "m_valid": 1, "m_header": HEADER, "m_place": 2},
                "payload": PAYLOAD,
            },
            probes={
                "register": ("payload_q", PAYLOAD),
                **{f"place_{i}": (f"payloads[{i}]", PAYLOAD) for i in range(4)},
            },
            mutation=mutation,
        )
    return bench


@cocotb.test()
async def contexts_pass(dut: Any) -> None:
    """A payload is read at its place until the next context leaves, at any rates."""
    bench, draw, faults = make_bench(), random.Random(4), Faults()
    driver = Driver(dut, bench)
    waiting: dict[str, deque[tuple[int, int]]] = {one.name: deque() for one in bench.instances}
    # The context that left last: its place and payload.
    in_use: dict[str, tuple[int, int] | None] = {}

    async def run(push: float, pop: float, cycles: int) -> None:
        for _ in range(cycles):
            header, payload = draw.getrandbits(HEADER), draw.getrandbits(PAYLOAD)
            own = {}
            for one in bench.instances:
                used = in_use[one.name]
                own[one.name] = {
                    "s_valid": int(draw.random() < push),
                    "m_ready": int(draw.random() < pop),
                    "place": used[0] if used else 0,
                }
            now = f"in {driver.number}"
            outputs = await driver.cycle({"s_header": header, "s_payload": payload}, own)
            for one in bench.instances:
                queue, given, used = waiting[one.name], own[one.name], in_use[one.name]
                ready = len(queue) < 2
                faults.check(one, outputs.of(one, "s_ready"), int(ready), f"s_ready {now}")
                faults.check(one, outputs.of(one, "m_valid"), int(bool(queue)), f"m_valid {now}")
                if queue:
                    faults.check(one, outputs.of(one, "m_header"), queue[0][0], f"header {now}")
                if used:
                    faults.check(one, outputs.of(one, "payload"), used[1], f"payload {now}")
                if queue and given["m_ready"]:
                    in_use[one.name] = outputs.of(one, "m_place"), queue.popleft()[1]
                if given["s_valid"] and ready:
                    queue.append((header, payload))

    def forget() -> None:
        for one in bench.instances:
            waiting[one.name].clear()
            in_use[one.name] = None

    for cleared in ("rst", "zeroize"):
        for push, pop in ((1.0, 1.0), (0.5, 0.5), (1.0, 0.3), (0.3, 1.0)):
            forget()
            await driver.cycle({"rst": 1})
            await run(push, pop, 150)
            if cleared == "rst":
                continue
            # A context may be taken in the first cycle of zeroization; it is gone, as others are.
            full = {one.name: {"s_valid": 1} for one in bench.instances}
            for _ in range(5 + -(-PAYLOAD // 32)):
                data = {"s_header": 2**HEADER - 1, "s_payload": 2**PAYLOAD - 1}
                await driver.cycle({"zeroize": 1, **data}, full)
            outputs = await driver.cycle(data, full, probes=True)
            for one in bench.instances:
                faults.check(one, outputs.of(one, "s_ready"), 0, "s_ready after zeroization")
                for port in ("m_valid", "m_header", *one.probes):
                    faults.check(one, outputs.of(one, port), 0, f"{port} after zeroization")
            forget()
            await run(push, pop, 50)
    bench.judge(faults)


def test_aesforge_context_fifo(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)

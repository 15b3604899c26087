# SPDX-License-Identifier: Apache-2.0
"""aesforge_self_test between two cores that are OpenSSL: every block, key, count and signature."""

from __future__ import annotations

from collections import deque
from itertools import islice
from pathlib import Path
from typing import Any

import cocotb
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, elaborate

from aesforge.board.signature import pairs, times_alpha
from aesforge.reference.openssl import ecb

M = "aesforge_self_test"
PASS_BITS, PASSES, SECOND = 3, 6, 50
MUTATIONS = {
    "never at rest": Mutation(M, "running_q <= sent_passes_q != 24'(Passes - 1);", ""),
    "the sequence is not repeated": Mutation(
        M,
        "rst || (encrypt_accept && encrypt_last)),\n      .step(encrypt_accept),\n"
        "      .value(plaintext)",
        "rst),\n      .step(encrypt_accept),\n      .value(plaintext)",
    ),
    "a fault is for ever": Mutation(M, "if (ciphertext_valid) fault_q <= 1'b0;", ""),
    "a fault does not come": Mutation(M, "if (fault) fault_q <= 1'b1;", ""),
    "the signature goes on": Mutation(
        M, "        signature_q <= '0;\n        pass_end_q", "        pass_end_q"
    ),
    "the signature takes no block": Mutation(M, "\n      ^ cipher_q;", ";"),
    "no mismatch": Mutation(M, "pass_end_q && |differs_q", "1'b0"),
    "a lost block does not count": Mutation(M, "|wrong_q || lost_q", "|wrong_q"),
    "a wrong byte does not count": Mutation(M, "error_q <= |wrong_q", "error_q <= |wrong_q[7:1]"),
    "a block is not held": Mutation(
        M, "if (decrypt_ready) decrypt_valid <= 1'b0;", "decrypt_valid <= 1'b0;"
    ),
    "the expected block does not move": Mutation(M, ".step(decrypted_valid)", ".step(1'b0)"),
    "keys of the decryption do not restart": Mutation(
        M, "rst || (decrypt_valid && decrypt_ready && sample_last)", "rst"
    ),
    "the rate goes on": Mutation(
        M, "rate_q  <= 32'(cipher_valid_q);\n    end\n    if", "end\n    if"
    ),
    "failed does not stay": Mutation(
        M, "if (error_q || mismatch_q) failed <= 1'b1;", "failed <= error_q;"
    ),
    "done too early": Mutation(M, "passes == 24'(Passes)", "passes == 24'(Passes - 1)"),
}


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "fault": 1})
    shapes = {
        "128 bits": {"KeyBits": 128, "SampleBits": 0},
        "192 bits": {"KeyBits": 192, "SampleBits": 0},
        "256 bits, one of four": {"KeyBits": 256, "SampleBits": 2},
    }
    rows: list[tuple[str, dict[str, int], Mutation | None]]
    rows = [(name, shape, None) for name, shape in shapes.items()]
    rows += [(name, shapes["128 bits"], mutation) for name, mutation in MUTATIONS.items()]
    for name, shape, mutation in rows:
        key = shape["KeyBits"]
        bench.add(
            name,
            M,
            {**shape, "PassBits": PASS_BITS, "Passes": PASSES, "SecondCycles": SECOND},
            inputs={
                **{"encrypt_ready": 1, "ciphertext_valid": 1, "ciphertext": 128},
                **{"decrypt_ready": 1, "decrypted_valid": 1, "decrypted": 128},
            },
            outputs={
                **{"encrypt_valid": 1, "plaintext": 128, "encrypt_key": key},
                **{"decrypt_valid": 1, "decrypt_block": 128, "decrypt_key": key, "second": 1},
                **{"blocks": 40, "rate": 32, "errors": 64, "passes": 24, "mismatches": 24},
                **{"failed": 1, "done": 1},
            },
            probes={"signature": ("signature_q", 128)},
            mutation=mutation,
        )
    return bench


class Core:
    """A core that is OpenSSL: takes a block when it likes, gives it back in its order."""

    def __init__(self, *, decrypt: bool, latency: int, interval: int) -> None:
        self.decrypt, self.latency, self.interval = decrypt, latency, interval
        self.inside: deque[tuple[int, int]] = deque()
        self.free = 0

    def outputs(self, now: int) -> tuple[int, int, int]:
        """Return ready, valid and block of this cycle."""
        # Not in every cycle: a block has to wait.
        ready = int(now >= self.free and now % 3 == 1)
        if self.inside and self.inside[0][0] == now:
            return ready, 1, self.inside.popleft()[1]
        return ready, 0, 0

    def take(self, now: int, block: int, key: int, key_bits: int) -> None:
        """Accept a block."""
        result = ecb(
            key.to_bytes(key_bits // 8, "big"), block.to_bytes(16, "big"), decrypt=self.decrypt
        )
        self.inside.append((now + self.latency, int.from_bytes(result, "big")))
        self.free = now + self.interval


def cores_of(one: Instance) -> tuple[Core, Core]:
    slower = 4 ** (one["SampleBits"] > 0)
    return (
        Core(decrypt=False, latency=5, interval=3),
        Core(decrypt=True, latency=9, interval=3 * slower),
    )


async def run(
    driver: Driver, bench: Bench, faults: Faults, fault_at: set[int], *, blind: bool = False
) -> None:
    """Run all instances from a reset until all passes must be done.

    Args:
        driver: of the bench.
        bench: with the instances.
        faults: notes what is wrong.
        fault_at: cycles of a pulse of `fault`; then eight results are wrong too, each in a word.
        blind: the decryption cores take nothing for 20 cycles.
    """
    cycles = 3 * (PASSES << PASS_BITS) + 60
    await driver.cycle({"rst": 1})
    start = driver.number
    cores = {one.name: cores_of(one) for one in bench.instances}
    known = {bits: list(islice(pairs(bits), 1 << PASS_BITS)) for bits in (128, 192, 256)}
    sent = {one.name: 0 for one in bench.instances}
    rates = {one.name: 0 for one in bench.instances}
    signatures = {one.name: [0, 0] for one in bench.instances}  # due now, and in the next cycle
    seen = {one.name: 0 for one in bench.instances}
    results = {one.name: 0 for one in bench.instances}
    for cycle in range(cycles):
        now = driver.number - start
        given: dict[str, dict[str, int]] = {}
        for one in bench.instances:
            encrypt, decrypt = (core.outputs(now) for core in cores[one.name])
            names = ("encrypt_ready", "ciphertext_valid", "ciphertext")
            given[one.name] = dict(zip(names, encrypt, strict=True))
            names = ("decrypt_ready", "decrypted_valid", "decrypted")
            given[one.name] |= dict(zip(names, decrypt, strict=True))
            if blind and 60 <= cycle < 80:
                given[one.name]["decrypt_ready"] = 0
            if decrypt[1]:
                if fault_at and results[one.name] < 8:
                    given[one.name]["decrypted"] ^= 1 << 16 * results[one.name] + 5
                results[one.name] += 1
        fault = int(cycle in fault_at)
        outputs = await driver.cycle({"fault": fault}, given, probes=True)
        for one in bench.instances:
            name, bits = one.name, one["KeyBits"]
            mine = given[name]
            if outputs.of(one, "encrypt_valid") and mine["encrypt_ready"]:
                block, key = outputs.of(one, "plaintext"), outputs.of(one, "encrypt_key")
                due = known[bits][sent[name] % (1 << PASS_BITS)]
                due_numbers = tuple(int.from_bytes(part, "big") for part in due)
                faults.check(one, (key, block), due_numbers, f"key and block {sent[name]}")
                cores[name][0].take(now, block, key, bits)
                sent[name] += 1
            if outputs.of(one, "decrypt_valid") and mine["decrypt_ready"]:
                block, key = outputs.of(one, "decrypt_block"), outputs.of(one, "decrypt_key")
                cores[name][1].take(now, block, key, bits)
            if outputs.of(one, "done"):
                faults.check(one, outputs.of(one, "passes"), PASSES, f"done in cycle {cycle}")
            if blind and cycle == 86 and one["SampleBits"] == 0:
                # No result has come since, so these are lost blocks.
                faults.check(one, outputs.of(one, "errors") > 4, True, "lost blocks")
            if outputs.of(one, "second"):
                rates[name] += outputs.of(one, "rate")
                blocks = outputs.of(one, "blocks")
                faults.check(one, blocks - rates[name] in (0, 1), True, f"rate in cycle {cycle}")
            # A ciphertext is in the signature two cycles after it came. Faults change it.
            if not fault_at:
                faults.check(
                    *(one, outputs.of(one, "signature"), signatures[name][0]),
                    f"signature in cycle {cycle}",
                )
            value = signatures[name][1]
            if mine["ciphertext_valid"]:
                seen[name] += 1
                value = times_alpha(value, 128) ^ mine["ciphertext"]
                if seen[name] % (1 << PASS_BITS) == 0:
                    value = 0
            signatures[name] = [signatures[name][1], value]
    total = PASSES << PASS_BITS
    last = await driver.cycle({}, {one.name: {} for one in bench.instances})
    for one in bench.instances:
        faults.check(one, last.of(one, "blocks"), total, "blocks")
        faults.check(one, last.of(one, "passes"), PASSES, "passes")
        # Signature is 0 here, which is none's: every pass is a mismatch.
        faults.check(one, last.of(one, "mismatches"), PASSES, "mismatches")
        faults.check(one, last.of(one, "done"), 1, "done")
        faults.check(one, last.of(one, "failed"), 1, "failed")
        errors = last.of(one, "errors")
        if blind:
            faults.check(one, errors > 0, True, "errors after lost blocks")
        elif one["SampleBits"] == 0:
            faults.check(one, errors, len(fault_at) + (8 if fault_at else 0), "errors")
        else:  # some of the faults were in blocks that are not decrypted
            least, most = (8, 8 + len(fault_at)) if fault_at else (0, 0)
            faults.check(one, least <= errors <= most, True, "errors")


@cocotb.test()
async def every_block_and_count(dut: Any) -> None:
    """No fault, faults and wrong results, and blocks that get lost; all passes each time."""
    bench, faults = make_bench(), Faults()
    driver = Driver(dut, bench)
    await run(driver, bench, faults, set())
    await run(driver, bench, faults, {60, 110, 130})
    await run(driver, bench, faults, set(), blind=True)
    bench.judge(faults)


def test_aesforge_self_test(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


def test_illegal_sizes_are_refused() -> None:
    legal, text = elaborate(M, {"PassBits": 1})
    assert not legal
    assert "PassBits must be 2 to 18" in text
    legal, text = elaborate(M, {"Passes": 0})
    assert not legal
    assert "Passes must be 1" in text

# SPDX-License-Identifier: Apache-2.0
"""aesforge_core: traffic, key loads, `zeroize`, and the parameter sets it refuses."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from fips197 import rounds
from rtl_bench import Bench, Driver, Faults, Instance, Mutation, Twins, elaborate, twins_of
from traffic import TAG_BITS, Traffic, passes, slot_bits, stored

from aesforge.design import Design

NAMES = ("KeyBits", "Direction", "Unroll", "SboxStages", "LinearStages", "KeySlots", "Tiles")
# Rings but for one: they compile fast, and the demo and the pairwise tests run pipelines all the
# time. That with stored keys is as short as can be: its round keys have no cycle to spare.
SHAPES = (
    *((128, 0, 2, 0, 1, 0, 3), (192, 2, 1, 1, 1, 0, 1), (128, 2, 1, 0, 1, 3, 2)),
    *((256, 0, 1, 1, 0, 2, 1), (128, 2, 10, 0, 1, 3, 1)),
)
PIPELINE = SHAPES[-1]
M = "aesforge_core"
# Two of each with different secrets: what `zeroize` zeroizes is then the same in both.
TWINS = {
    "agile": (128, 2, 1, 1, 3, 0, 1),
    "stored": (128, 2, 1, 0, 1, 3, 1),
    "pipeline": (128, 2, 10, 0, 1, 16, 1),
    # Its zeroization counts a multiple of 16 cycles.
    "sixteen": (128, 2, 10, 1, 2, 0, 1),
}
MUTATIONS = {
    "a tile takes all": (
        0,
        Mutation(M, "slot_ready && !zeroize && ring_ready[i-1:0] == '0", "slot_ready"),
    ),
    "a slot is ready before its last round key": (
        4,
        Mutation(
            "aesforge_key_loader",
            "if (last_q) begin",
            "if (expand_valid && expand_round == 4'(Nr)) begin",
            through=(M,),
        ),
    ),
    "blocks for a slot without a key": (
        2,
        Mutation(M, "assign in_ready = slot_ready &&", "assign in_ready ="),
    ),
}
TWIN_MUTATIONS = {
    "agile": Mutation(
        *("aesforge_cipher", "if (Passes > 1 && zeroize) out_block", "if (rst) out_block"),
        through=("aesforge_tile", M),
    ),
    "stored": Mutation(M, ") + 2;", ") - 4;"),
    # Zeroization ends before the last store is zeroized.
    "pipeline": Mutation(M, "RingPlaces + StoreWords + 3", "RingPlaces + 2"),
    "sixteen": Mutation(M, ") + 2;", ") - 6;"),
}


def blocks_per_beat(parameters: Any) -> int:
    return parameters["Tiles"] if parameters["Unroll"] == rounds(parameters["KeyBits"]) else 1


CIPHER = "gen_tile[0].u_tile.u_cipher"


def store_zeroize(name: str) -> dict[str, tuple[str, int]]:
    """Path and width of the signals that zeroize the stores, the last where they take turns."""
    if name == "pipeline":
        stored = f"{CIPHER}.gen_stored"
        return {
            "zeroize": (f"{stored}.gen_chain.all_q", 10),
            "address": (f"{stored}.store_slot[9]", 4),
        }
    return {"zeroize": (f"{CIPHER}.zeroize", 1), "address": (f"{CIPHER}.zeroize_address", 8)}


def secrets(name: str, parameters: dict[str, int]) -> dict[str, tuple[str, int]]:
    """Path and width of the internal signals through which every secret goes, the stores apart.

    What is in a ring passes its end within as many cycles as it has stages, so that an end that is
    the same in two cores for so long shows two rings that were the same. The stores are zeroized,
    as test_aesforge_key_store.py shows, when each of their addresses is named during the
    zeroization.
    """
    bits = parameters["KeyBits"]
    found = {"state": (f"{CIPHER}.gen_block[0].state_end", 128)}
    if not parameters["KeySlots"]:
        found["window"] = (f"{CIPHER}.gen_agile.window_end", bits)
        # After the forward run of the key, where the block waits.
        found["last_window"] = ("gen_tile[0].u_tile.cipher_window", bits)
        found["waiting"] = ("gen_tile[0].u_tile.cipher_block", 128)
    else:
        loader = "gen_stored.u_key_loader"
        found["key"] = (f"{loader}.key_q", bits)
        found["expand"] = (f"{loader}.u_key_expand.window", bits)
        if name == "pipeline":
            # The last on the way of the round keys.
            found["write"] = (f"{CIPHER}.gen_stored.store_key[9]", 128)
            return found
        found["write"] = (f"{loader}.write_key", 128)
        for slot in range(parameters["KeySlots"]):
            for way in ("forward", "backward"):
                path = f"{CIPHER}.gen_stored.gen_first_registers.first_{way}[{slot}]"
                found[f"first_{way}_{slot}"] = (path, 128)
    return found


def make_bench() -> Bench:
    bench = Bench({"rst": 1, "zeroize": 1})

    def add(
        name: str,
        shape: tuple[int, ...],
        mutation: Mutation | None = None,
        probed: dict[str, tuple[str, int]] | None = None,
    ) -> None:
        parameters = dict(zip(NAMES, shape, strict=True))
        parameters |= {"TagBits": TAG_BITS, "SboxStyle": 0, "KeySboxStyle": 0}
        slots, width, bits = (
            slot_bits(parameters),
            128 * blocks_per_beat(parameters),
            parameters["KeyBits"],
        )
        bench.add(
            name,
            M,
            parameters,
            inputs={
                **{"in_valid": 1, "in_block": width, "in_key": bits, "in_slot": slots},
                **{"in_decrypt": 1, "in_tag": TAG_BITS},
                **{"key_valid": 1, "key_slot": slots, "key": bits},
            },
            outputs={
                **{"in_ready": 1, "key_ready": 1},
                **{"out_valid": 1, "out_block": width, "out_tag": TAG_BITS},
            },
            probes=probed,
            mutation=mutation,
        )

    for shape in SHAPES:
        add(f"{', '.join(NAMES)} = {shape}", shape)
    for name, (index, mutation) in MUTATIONS.items():
        add(name, SHAPES[index], mutation)
    for name, shape in TWINS.items():
        probed = store_zeroize(name) | secrets(name, dict(zip(NAMES, shape, strict=True)))
        for twin, change in twins_of(name, TWIN_MUTATIONS[name]):
            add(twin, shape, change, probed)
    return bench


def design_of(one: Instance) -> Design:
    """The same core as the Python side knows it."""
    return Design(
        key_bits=one["KeyBits"],
        direction=("encrypt", "decrypt", "both")[one["Direction"]],
        unroll=one["Unroll"],
        sbox="table",
        sbox_stages=one["SboxStages"],
        linear_stages=one["LinearStages"],
        key_schedule="stored" if stored(one) else "agile",
        key_slots=one["KeySlots"] or None,
        tiles=one["Tiles"],
    )


class Loads:
    """Keys into one core, a slot at a time; a slot has its new key when the page says."""

    def __init__(self, traffic: Traffic) -> None:
        self.traffic = traffic
        one = traffic.one
        load_cycles = design_of(one).key_load_cycles
        assert load_cycles is not None
        self.work = load_cycles
        self.offered = (0, 0)
        self.pending: tuple[int, int, int] | None = None  # ready in cycle, slot, key

    def before(self, now: int, draw: random.Random) -> dict[str, int]:
        if self.pending and now >= self.pending[0]:
            _, slot, key = self.pending
            if slot < self.traffic.one["KeySlots"]:
                self.traffic.keys[slot] = key
            self.pending = None
        bits = self.traffic.bits
        slot = draw.randrange(2 ** slot_bits(self.traffic.one.parameters))
        self.offered = (slot, draw.getrandbits(bits))
        valid = int(draw.random() < 0.1)
        return {"key_valid": valid, "key_slot": self.offered[0], "key": self.offered[1]}

    def after(self, now: int, valid: int, accepted: bool) -> None:
        if valid and accepted:
            slot, key = self.offered
            wait = self.traffic.latency if slot in self.traffic.keys else 0
            self.traffic.keys.pop(slot, None)
            self.pending = (now + self.work + wait, slot, key)


@cocotb.test()
async def blocks_and_keys_go_through(dut: Any) -> None:
    """Blocks with bubbles and tags while keys are loaded; the latency is the one Python gives."""
    bench, draw, faults = make_bench(), random.Random(13), Faults()
    driver = Driver(dut, bench)
    traffics = []
    for one in bench.instances:
        if one.name.split()[0] not in TWINS:
            rings = 1 if one["Unroll"] == rounds(one["KeyBits"]) else one["Tiles"]
            latency = design_of(one).latency_cycles
            traffics.append(Traffic(one, latency, blocks_per_beat(one.parameters), rings))
    loads = {t.one.name: Loads(t) for t in traffics if stored(t.one)}
    await driver.cycle({"rst": 1})
    for share, cycles in ((1.0, 170), (0.6, 120), (1.0, 90), (0.0, 60)):
        for _ in range(cycles):
            now = driver.number
            own = {}
            keys = {name: load.before(now, draw) for name, load in loads.items()}
            for traffic in traffics:
                name = traffic.one.name
                own[name] = traffic.offer(draw, share) | keys.get(name, {})
            outputs = await driver.cycle({}, own)
            for traffic in traffics:
                one = traffic.one
                traffic.cycle(now, outputs, faults)
                ready = outputs.of(one, "key_ready")
                # One key at a time; right after the last round key the loader takes the next.
                pending = stored(one) and loads[one.name].pending is not None
                faults.check(one, ready, int(stored(one) and not pending), f"key_ready in {now}")
                if stored(one):
                    loads[one.name].after(now, keys[one.name]["key_valid"], bool(ready))
    bench.judge(faults, [t.one for t in traffics])
    assert all(t.left > 10 for t in traffics if t.one.name not in MUTATIONS)


@cocotb.test()
async def zeroize_zeroizes_everything(dut: Any) -> None:
    """Two cores with different secrets are equal zeroize_cycles after `zeroize`, and stay so."""
    bench, draw = make_bench(), random.Random(14)
    driver = Driver(dut, bench)
    twins = Twins(bench, TWINS, "out_block", public=store_zeroize("agile"))
    await driver.cycle({"rst": 1})
    # The last key is expanded when `zeroize` comes, or still waits for blocks under the old one.
    for width, gap, last_key in ((1, 200, 156), (3, 60, 168), (1, 140, 156)):
        # Keys first, then blocks; each core has its own data, the control is the same for all.
        for step in range(170):
            control = {
                "in_valid": int(step > 60),
                "in_slot": draw.randrange(2),
                "in_decrypt": draw.randrange(2),
                "in_tag": draw.getrandbits(TAG_BITS),
                # Each is loaded before the next comes; the last is on its way at the end.
                "key_valid": int(step % 26 == 0 if step < 156 else step == last_key),
                "key_slot": step // 26 % 3,
            }
            data = {"in_block": 128, "in_key": 128, "key": 128}
            own = {one.name: control | secrets for one, secrets in twins.secrets(draw, data)}
            await driver.cycle({}, own)
        first, last = driver.number, driver.number + width - 1
        zeroized: dict[str, set[int]] = {one.name: set() for one in twins.ones}
        for step in range(width + gap):
            # Public data from the pulse on.
            public = {"in_tag": step % 7, "in_block": step, "in_key": 3 * step, "key": 5 * step}
            # The slot that is zeroized last among those that have a key.
            public["in_slot"] = 2
            public["in_valid"] = public["key_valid"] = int(step < width + 20)
            now = driver.number
            everyone = {one.name: public for one in twins.ones}
            outputs = await driver.cycle({"zeroize": int(now <= last)}, everyone, probes=True)
            twins.look(outputs, now - last, lambda one: design_of(one).zeroize_cycles)
            for one in twins.ones:
                zeroize_cycles = design_of(one).zeroize_cycles
                # Of the last store, in the top bit.
                if outputs.of(one, "zeroize") >> one.probes["zeroize"][1] - 1:
                    zeroized[one.name].add(outputs.of(one, "address"))
                # Whoever can load a key again finds the stores zeroized.
                if stored(one) and now > last and outputs.of(one, "key_ready"):
                    words = 2 ** (slot_bits(one.parameters) + (passes(one) - 1).bit_length())
                    left = set(range(words)) - {address % words for address in zeroized[one.name]}
                    if left:
                        twins.late.setdefault(one.name, f"{len(left)} words of the stores")
                if one.mutation is None:
                    # A block may stand at the output when `zeroize` rises; no other leaves.
                    over = now >= last + zeroize_cycles
                    assert over or now == first or not outputs.of(one, "out_valid"), one.name
                    if now <= last:
                        assert not outputs.of(one, "in_ready"), one.name
                        assert not outputs.of(one, "key_ready"), one.name
                    if now == last + zeroize_cycles:
                        opened = "key_ready" if stored(one) else "in_ready"
                        assert outputs.of(one, opened), one.name
    twins.judge()


@pytest.mark.usefixtures("mutants")
def test_aesforge_core(tmp_path: Path) -> None:
    make_bench().run(__file__, tmp_path)


KEY_BITS = "key_bits must be 128, 192 or 256"
UNROLL = "unroll must divide the number of rounds"
STAGE = "sbox_stages + linear_stages must be at least 1, linear_stages at most 4"
COUNTS = "key_slots must be 2 to 16 (0 for agile keys), tiles and tag_bits at least 1"
SMALL = {"SboxStyle": 0, "KeySboxStyle": 0, "Unroll": 1}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"KeyBits": 160}, KEY_BITS),
        ({"Unroll": 3}, UNROLL),
        ({"KeyBits": 192, "Unroll": 5}, UNROLL),
        ({"SboxStages": 0, "LinearStages": 0}, STAGE),
        ({"SboxStages": 0, "LinearStages": 0, "Unroll": 10, "KeySlots": 2}, STAGE),
        ({"LinearStages": 5}, STAGE),
        ({"KeySlots": 1}, COUNTS),
        ({"KeySlots": 17}, COUNTS),
        ({"Tiles": 0}, COUNTS),
        ({"TagBits": 0}, COUNTS),
        ({"SboxStyle": 4, "SboxStages": 0}, "sbox bram needs sbox_stages of at least 1"),
        ({"SboxStyle": 5}, "sbox must be the number of a style"),
        ({"KeySboxStyle": 5}, "sbox must be the number of a style"),
        ({"Direction": 3}, "direction must be 0"),
    ],
    ids=str,
)
def test_illegal_sets_are_refused(parameters: dict[str, int], message: str) -> None:
    legal, said = elaborate(M, SMALL | parameters)
    assert not legal
    assert message in said


def test_small_ring_is_legal() -> None:
    """What the refused sets differ from, so that nothing else is refused in them."""
    legal, said = elaborate(M, SMALL)
    assert legal, said


@pytest.mark.parametrize("direction", [0, 1, 2])
def test_a_pipeline_of_agile_keys_may_do_without_stages(direction: int) -> None:
    straight = {"Unroll": 10, "Direction": direction, "SboxStages": 0, "LinearStages": 0}
    legal, said = elaborate(M, SMALL | straight)
    assert legal, said

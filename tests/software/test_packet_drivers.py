# SPDX-License-Identifier: Apache-2.0
"""Both drivers of engines whose CSRs keep results drive simulated engines, and refuse bad input.

The driver in Python also drives every bench of such engines (tests/rtl/packet_axi.py).
"""

from __future__ import annotations

import dataclasses
import os
import random
import re
import shutil
from pathlib import Path
from typing import Any

import cocotb
import packet_axi
import pytest
from c_driver import FOLDER, STATUSES
from cocotb.task import bridge, resume
from cocotb.triggers import with_timeout
from named_ports import NamedBench
from packet_axi import GCM, XTS, PacketConfig, PacketRig, Python, Result, begin_bench, traffic
from packet_c_driver import PacketCDriver, compile_packet_driver
from test_aesforge_engine_gcm_axi import SHAPES
from test_c_driver import ADVISORY, misra

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs a C compiler, gcc")
POLLS = 200
INSTANCES = [shape.named(name) for name, shape in SHAPES.items()]
# Part of the driver in C and what stands in its place; each must fail.
MUTANTS = {
    "bytes of a word turned": ("<< (8u * k);", "<< (24u - (8u * k));"),
    "no direction": ("(context->decrypt ? 1u : 0u)", "0u"),
    "no tag length": ("| (context->tag_bytes <<", "| (0u <<"),
    "the tag is in the packet": ("(in_packet ? 0u : 1u)", "0u"),
    "no slot": ("| (context->slot <<", "| (0u <<"),
    "no fixed field": ("OFFSET(iv_fixed), iv_fixed)", "OFFSET(iv_fixed), 0u)"),
    "a result twice": ("put(engine, OFFSET(pop),", "put(engine, OFFSET(result),"),
    "errors are fine": ("result->error ? AESFORGE_PACKET_ERROR : AESFORGE_OK", "AESFORGE_OK"),
    "any tag length": (
        "&& (((config->tag_lengths >> context->tag_bytes) & 1u) != 0u)",
        "&& true",
    ),
    "an IV to count": (
        "legal = known && (context->iv == NULL) && (context->iv_bytes == 0u);",
        "legal = known;",
    ),
}


class Bridged:
    """The driver in C, whose code runs in a thread that waits for the bus."""

    def __init__(self, rig: PacketRig, library: Path) -> None:
        async def read_word(offset: int) -> int:
            return int(await rig.bus.read_dword(offset))

        async def write_word(offset: int, value: int) -> None:
            await rig.bus.write_dword(offset, value)

        read, write = resume(read_word), resume(write_word)
        self.driver = PacketCDriver(
            library, lambda offset: read(offset), lambda offset, value: write(offset, value)
        )
        self.config = dataclasses.astuple(rig.config)

    async def open(self) -> str:
        return str(await bridge(self.driver.init)(self.config, POLLS))

    async def load_key(self, slot: int, key: bytes, iv_fixed: bytes) -> str:
        return str(await bridge(self.driver.load_key)(slot, key, iv_fixed))

    async def begin(self, **context: Any) -> str:
        return str(await bridge(self.driver.begin)(**context))

    async def finish(self) -> tuple[str, Result | None]:
        status, got = await bridge(self.driver.finish)()
        if status == "TIMEOUT":
            return status, None
        iv = bytes(got.iv) if got.iv_made else None
        return status, Result(got.error, got.authentic, iv, got.id, bytes(got.tag))

    async def take_errors(self) -> int:
        return int(await bridge(self.driver.take_errors)())

    async def zeroize(self) -> str:
        return str(await bridge(self.driver.zeroize)())


# What no engine of GCM takes, with stored keys and given IVs: arguments and the status.
GOOD = {"iv": bytes(12), "tag_bytes": 16}
BAD = (
    ({"iv": b""}, "BAD_IV"),
    ({"iv": bytes(13)}, "BAD_IV"),
    ({"iv_kind": 1}, "BAD_IV"),
    ({"iv": b"", "iv_kind": 3}, "BAD_IV"),
    ({"key": bytes(16)}, "BAD_KEY"),
    ({"slot": 2}, "BAD_SLOT"),
    ({"slot": 2**32 - 1}, "BAD_SLOT"),
    ({"tag_bytes": 0}, "BAD_TAG"),
    ({"tag_bytes": 5}, "BAD_TAG"),
    ({"tag_bytes": 17}, "BAD_TAG"),
    ({"tag": bytes(16)}, "BAD_TAG"),
    ({"iv": b"", "iv_kind": 1, "decrypt": True, "tag": bytes(16)}, "BAD_TAG"),
    ({"aad_bytes": 1}, "BAD_LENGTH"),
    ({"text_bytes": 1}, "BAD_LENGTH"),
    ({"more": 1}, "BAD_LENGTH"),
)


async def refuses(rig: PacketRig, driver: Any) -> None:
    """Bad input is refused, and nothing is written."""
    if rig.config.counted:
        rig.same("an IV to count", await driver.begin(**GOOD), "BAD_IV")
        kind = {**GOOD, "iv": b"", "iv_kind": 1}
        rig.same("a kind to count", await driver.begin(**kind), "BAD_IV")
        return
    for change, due in BAD:
        rig.same(f"{change}", await driver.begin(**{**GOOD, **change}), due)
    rig.same("a long key", await driver.load_key(0, bytes(32), bytes(4)), "BAD_KEY")
    rig.same("a third slot", await driver.load_key(2, bytes(16), bytes(4)), "BAD_SLOT")
    rig.same("no packet", (await driver.finish())[0], "TIMEOUT")
    # Three wait: two in the engine, one in the registers.
    for _ in range(3):
        rig.same("begin", await driver.begin(**GOOD), "OK")
    rig.same("a fourth", await driver.begin(**GOOD), "BUSY")
    rig.same("errors", await driver.take_errors(), 0)
    rig.same("zeroize", await driver.zeroize(), "OK")
    rig.same("begin", await driver.begin(**GOOD), "OK")
    await rig.send(1, [(bytes(16), 0), (b"t", 0)])
    rig.same("no key", (await rig.receive(1))[1], 1)
    status, result = await driver.finish()
    rig.same("no key", (status, result and result.tag), ("PACKET_ERROR", bytes(16)))
    rig.same("errors", await driver.take_errors(), 1)
    rig.same("errors, taken", await driver.take_errors(), 0)


async def run(dut: Any, name: str, make: Any, count: int) -> list[str]:
    """Run one engine with one driver from a reset on, and return what is wrong."""
    (one,) = (one for one in INSTANCES if one.name == name)
    await begin_bench(dut, INSTANCES)
    rig = PacketRig(dut, one, SHAPES[name], random.Random(9))
    driver = make(rig)
    rig.same("open", await driver.open(), "OK")
    await refuses(rig, driver)
    try:
        await with_timeout(traffic(rig, driver, count), 150, "us")
    except TimeoutError:
        rig.faults.append("it hangs")
    return rig.faults


@cocotb.test()
async def both_drivers(dut: Any) -> None:
    library = compile_packet_driver(Path(os.environ["AESFORGE_C_DRIVERS"]))
    for name in SHAPES:
        assert await run(dut, name, lambda rig: Bridged(rig, library), 6) == [], name
        assert await run(dut, name, lambda rig: Python(rig.bus, rig.config), 1) == [], name


@cocotb.test()
async def every_mutant_fails(dut: Any) -> None:
    for number, mutant in enumerate(MUTANTS.values()):
        folder = Path(os.environ["AESFORGE_C_DRIVERS"]) / str(number)
        folder.mkdir()
        library = compile_packet_driver(folder, mutant)
        faults: list[str] = []
        for name in SHAPES:
            if not faults:
                faults = await run(dut, name, lambda rig, at=library: Bridged(rig, at), 4)
        assert faults, mutant


@needs_gcc
def test_packet_drivers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drivers = tmp_path / "drivers"
    drivers.mkdir()
    monkeypatch.setenv("AESFORGE_C_DRIVERS", str(drivers))
    NamedBench(INSTANCES).run(__file__, tmp_path)


@needs_gcc
def test_configurations_that_no_engine_has(tmp_path: Path) -> None:
    words = {0: int.from_bytes(b"AESP", "big")}
    driver = PacketCDriver(
        compile_packet_driver(tmp_path), lambda at: words.get(at, 0), lambda _at, _value: None
    )
    good = (GCM, 16, 2, 1 << 16, True, True, False)
    assert driver.init(good, 3) == "OK"
    assert driver.init((XTS, 64, 2, 0, True, False, False), 3) == "OK"
    for at, value in ((0, 4), (1, 20), (2, 1), (2, 17), (3, 0), (0, XTS)):
        bad = [*good]
        bad[at] = value
        assert driver.init(bad, 3) == "BAD_CONFIG", bad
    assert driver.init((GCM, 16, 2, 1 << 16, False, False, False), 3) == "BAD_CONFIG"
    words[0] = int.from_bytes(b"AESF", "big")
    assert driver.init(good, 3) == "NO_ENGINE"


def test_the_driver_keeps_the_rules_of_misra_c() -> None:
    assert misra(FOLDER / "aesforge_packet_engine.c") <= {*ADVISORY}


def test_both_drivers_have_the_same_offsets_and_modes() -> None:
    import aesforge_packet_engine as driver

    header = (FOLDER / "aesforge_packet_engine.h").read_text(encoding="utf-8")
    for name, code in re.findall(r"#define AESFORGE_PACKET_(\w+) (\d)u", header):
        assert getattr(driver, name) == int(code)
    for name, code in re.findall(r"#define AESFORGE_(IV_\w+) (\d)u", header):
        assert getattr(driver, name) == int(code)
    page = (packet_axi.REPO / "docs" / "csr.md").read_text(encoding="utf-8").split("\n## ")[2]
    found = re.findall(r"^\| `(0x\w+)`[^|]*\| \*\*`(\w+)", page, re.M)
    offsets = {name: int(offset, 16) for offset, name in found}
    names = {"packets_in_error": None, "beats": None}
    for name, offset in offsets.items():
        if name not in names:
            assert getattr(driver, f"_{name.upper()}") == offset, name
    assert [field.name for field in dataclasses.fields(PacketConfig)] == [
        *("mode", "key_bytes", "key_slots", "tag_lengths", "encrypts", "decrypts", "counted")
    ]
    assert len(STATUSES) == len({*STATUSES})

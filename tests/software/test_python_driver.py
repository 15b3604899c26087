# SPDX-License-Identifier: Apache-2.0
"""The Python driver drives simulated engines in a bench, and a file in place of a UIO device."""

from __future__ import annotations

import ast
import asyncio
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import cocotb
import pytest
import scenarios
from named_ports import NamedBench
from rig import CONFIGS, INSTANCES, Rig, open_bench, reset

REPO = Path(__file__).resolve().parents[2]
SOURCE = REPO / "software" / "python" / "aesforge_engine.py"
# Part of the driver and what stands in its place; each must fail in some scenario.
MUTANTS = {
    "bytes of a word turned": ('data[at : at + 4], "little"', 'data[at : at + 4], "big"'),
    "no direction": ("mode | decrypt << 4 |", "mode |"),
    "pushes while another waits": ("await self._until_low(_CONTEXT_WAITS, Status.BUSY)", "pass"),
    "does not wait for the key": ("await self._until_low(_KEY_WAITS, Status.TIMEOUT)", "pass"),
    "finishes at once": ("return not 0 < lacking", "return not 1 < lacking"),
    "takes no flag back": ("await self._bus.write(_ERRORS, flags)", "pass"),
    "no packet leaves during zeroization": ("self._due == before", "self._due == 0"),
    "no IV is fine": ("_want(len(iv) in lengths, Status.BAD_IV)", "pass"),
}


def load(mutant: tuple[str, str] | None = None) -> Any:
    """Return the driver's module."""
    text = SOURCE.read_text(encoding="utf-8")
    if mutant:
        assert text.count(mutant[0]) == 1, mutant
        text = text.replace(*mutant)
    module = ModuleType("aesforge_engine")
    sys.modules["aesforge_engine"] = module  # where dataclasses look
    exec(compile(text, str(SOURCE), "exec"), module.__dict__)
    return module


class Named:
    """The driver, as the scenarios call it: an exception is the name of its status."""

    def __init__(self, rig: Rig, driver: Any) -> None:
        self.rig, self.driver = rig, driver

    async def _name(self, done: Awaitable[None]) -> str:
        try:
            await done
        except self.driver.EngineError as error:
            return str(error.status.name)
        return "OK"

    async def init(self, config: tuple[int, ...], polls: int, offset: int = 0) -> str:
        bus = self.driver.MasterBus(self.rig.bus, offset)
        self.engine = self.driver.Engine(bus, self.driver.Config(*config), polls)
        return await self._name(self.engine.open())

    async def load_key(self, slot: int, key: bytes) -> str:
        return await self._name(self.engine.load_key(slot, key))

    async def begin(
        self, mode: int, *, decrypt: bool = False, iv: bytes = b"", key: bytes = b"", slot: int = 0
    ) -> str:
        done = self.engine.begin(mode, decrypt=decrypt, iv=iv, key=key, slot=slot)
        return await self._name(done)

    async def finish(self) -> str:
        return await self._name(self.engine.finish())

    async def take_errors(self) -> int:
        return int(await self.engine.take_errors())

    async def zeroize(self) -> str:
        return await self._name(self.engine.zeroize())


@cocotb.test()
async def every_scenario(dut: Any) -> None:
    driver, rigs = load(), open_bench(dut)
    for scenario, names in scenarios.ALL:
        for name in names:
            await reset(rigs[name])
            assert await scenario(rigs[name], Named(rigs[name], driver)) == []


@cocotb.test()
async def every_mutant_fails(dut: Any) -> None:
    rigs = open_bench(dut)
    for mutant in MUTANTS.values():
        driver = load(mutant)
        notes: list[str] = []
        for scenario, names in scenarios.ALL:
            if not notes and "stored" in names:
                await reset(rigs["stored"])
                notes += await scenario(rigs["stored"], Named(rigs["stored"], driver))
        assert notes, mutant


def test_python_driver(tmp_path: Path) -> None:
    NamedBench(INSTANCES).run(__file__, tmp_path)


# --- UIO ------------------------------------------------------------------------------------------


def on_a_file(
    path: Path, words: dict[int, int], use: Callable[[Any, Any], Awaitable[None]]
) -> dict[int, int]:
    """Run a coroutine on a file with these words, and return the file's words by offset."""
    data = bytearray(4096)
    for offset, value in words.items():
        data[offset : offset + 4] = value.to_bytes(4, "little")
    path.write_bytes(data)
    driver = load()

    async def main() -> None:
        with driver.UioBus(path) as bus:
            await use(driver, driver.Engine(bus, driver.Config(*CONFIGS["stored"]), 3))

    asyncio.run(main())
    data = bytearray(path.read_bytes())
    return {i: int.from_bytes(data[i : i + 4], "little") for i in range(0, 0x60, 4)}


def test_a_mapped_file(tmp_path: Path) -> None:
    key, iv = bytes(range(16)), bytes(range(64, 80))

    async def use(driver: Any, engine: Any) -> None:
        await engine.open()
        await engine.load_key(2, key)
        await engine.begin(driver.CTR, decrypt=True, iv=iv, slot=2)
        with pytest.raises(driver.EngineError, match="not done in time") as caught:
            await engine.finish()
        assert caught.value.status is driver.Status.TIMEOUT
        assert await engine.take_errors() == 5

    words = on_a_file(tmp_path / "uio0", {0: 0x41455346, 0x0C: 5, 0x10: 2**32 - 1}, use)
    assert b"".join(words[i].to_bytes(4, "little") for i in range(0x20, 0x30, 4)) == key
    assert b"".join(words[i].to_bytes(4, "little") for i in range(0x40, 0x50, 4)) == iv
    assert (words[0x50], words[0x54]) == (2, 1 | 1 << 4 | 2 << 8)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ({}, "NO_ENGINE"),
        # The count of packets passes 2^32: one is missing, then none.
        ({0: 0x41455346, 0x10: 2**32 - 1}, "TIMEOUT"),
        ({0: 0x41455346, 8: 3}, "BUSY"),
    ],
)
def test_a_mapped_file_is_no_engine_that_answers(
    tmp_path: Path, words: dict[int, int], status: str
) -> None:
    async def use(driver: Any, engine: Any) -> None:
        async def packet() -> None:
            await engine.open()
            await engine.begin(driver.ECB)
            await engine.finish()

        with pytest.raises(driver.EngineError) as caught:
            await packet()
        assert caught.value.status.name == status

    on_a_file(tmp_path / "uio0", words, use)


def test_a_device_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load().UioBus(tmp_path / "uio0")
    (tmp_path / "empty").touch()
    with pytest.raises(ValueError, match=r"empty file|length"):
        load().UioBus(tmp_path / "empty")


# --- Beside the C driver --------------------------------------------------------------------------


def test_both_drivers_have_the_same_offsets_statuses_and_modes() -> None:
    driver = load()
    header = (REPO / "software" / "c" / "aesforge_engine.h").read_text(encoding="utf-8")
    statuses = re.findall(r"^    AESFORGE_(\w+)", header.partition("typedef enum {")[2], re.M)
    assert [one.name for one in driver.Status] == statuses[1:]
    for name, code in re.findall(r"#define AESFORGE_(\w+) (\d)u", header):
        assert getattr(driver, name) == int(code)
    # The first of the two sections: the other has the registers with results.
    page = (REPO / "docs" / "csr.md").read_text(encoding="utf-8").split("\n## ")[1]
    found = re.findall(r"^\| `(0x\w+)`[^|]*\| \*\*`(\w+)", page, re.M)
    offsets = {name: int(offset, 16) for offset, name in found}
    names = {"in_error": "packets_in_error"}
    for name in ("id", "control", "status", "errors", "packets", "in_error", "key", "iv"):
        assert getattr(driver, f"_{name.upper()}") == offsets[names.get(name, name)], name
    assert [offsets[name] for name in ("load", "push")] == [driver._LOAD, driver._PUSH]


def test_the_driver_needs_nothing_but_python() -> None:
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    imported = [
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    ]
    assert {name.partition(".")[0] for name in imported} <= set(sys.stdlib_module_names)

# SPDX-License-Identifier: Apache-2.0
"""The bare-metal driver, compiled with the strictest warnings, drives simulated engines.

Its two register functions are callbacks: each of its accesses is a transfer of cocotbext-axi's
AXI4-Lite master at the ports of the RTL.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import cocotb
import pytest
import scenarios
from c_driver import FOLDER, STATUSES, STRICT, CDriver, compile_driver, gcc
from cocotb.task import bridge, resume
from named_ports import NamedBench
from rig import CONFIGS, INSTANCES, Rig, open_bench, reset

REPO = FOLDER.parents[1]
sys.path.insert(0, str(REPO / "scripts"))
from make_csr import read as read_csrs  # noqa: E402

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="needs a C compiler, gcc")
# Part of the driver and what stands in its place; each must fail in some scenario.
_WAITS = "falls(engine, AESFORGE_CSR__STATUS__KEY_WAITS_bm)"
MUTANTS = {
    "bytes of a word turned": (
        "(uint32_t)bytes[i] | ((uint32_t)bytes[i + 1u] << 8)",
        "(uint32_t)bytes[i + 1u] | ((uint32_t)bytes[i] << 8)",
    ),
    "no direction": ("(context->decrypt ? 1u : 0u)", "0u"),
    "pushes while another waits": (
        "(status == AESFORGE_OK) && !falls(",
        "(status != AESFORGE_OK) && !falls(",
    ),
    "does not wait for the key": (f"{_WAITS} ? AESFORGE_OK : AESFORGE_TIMEOUT", "AESFORGE_OK"),
    "finishes at once": ("(due - count) != 0u)", "(due - count) == 0xffffffffu)"),
    "tells an error for ever": ("engine->in_error = in_error;", ""),
    "takes no flag back": ("put(engine, OFFSET(errors), flags);", ""),
    "no packet leaves during zeroization": ("engine->due = count;", "engine->due = 0u;"),
    "no IV is fine": ("&& (context->iv == NULL)", "&& false"),
}


class Bridged:
    """The driver, as the scenarios call it: C code runs in a thread that waits for the bus."""

    def __init__(self, rig: Rig, library: Path) -> None:
        self.rig, self.library = rig, library
        self.offset = 0
        read, write = resume(rig.read), resume(rig.write)
        self.driver = CDriver(
            library,
            lambda offset: read(offset + self.offset),
            lambda offset, value: write(offset + self.offset, value),
        )

    async def init(self, config: tuple[int, ...], polls: int, offset: int = 0) -> str:
        self.offset = offset
        return str(await bridge(self.driver.init)(config, polls))

    async def load_key(self, slot: int, key: bytes) -> str:
        return str(await bridge(self.driver.load_key)(slot, key))

    async def begin(
        self, mode: int, *, decrypt: bool = False, iv: bytes = b"", key: bytes = b"", slot: int = 0
    ) -> str:
        return str(await bridge(self.driver.begin)(mode, decrypt, iv, key, slot))

    async def finish(self) -> str:
        return str(await bridge(self.driver.finish)())

    async def take_errors(self) -> int:
        return int(await bridge(self.driver.take_errors)())

    async def zeroize(self) -> str:
        return str(await bridge(self.driver.zeroize)())


@cocotb.test()
async def every_scenario(dut: Any) -> None:
    library = compile_driver(Path(os.environ["AESFORGE_C_DRIVERS"]))
    rigs = open_bench(dut)
    for scenario, names in scenarios.ALL:
        for name in names:
            await reset(rigs[name])
            assert await scenario(rigs[name], Bridged(rigs[name], library)) == []


@cocotb.test()
async def every_mutant_fails(dut: Any) -> None:
    rigs = open_bench(dut)
    for number, mutant in enumerate(MUTANTS.values()):
        folder = Path(os.environ["AESFORGE_C_DRIVERS"]) / str(number)
        folder.mkdir()
        library = compile_driver(folder, mutant)
        notes: list[str] = []
        for scenario, names in scenarios.ALL:
            if not notes and "stored" in names:
                await reset(rigs["stored"])
                notes += await scenario(rigs["stored"], Bridged(rigs["stored"], library))
        assert notes, mutant


def test_c_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drivers = tmp_path / "drivers"
    drivers.mkdir()
    monkeypatch.setenv("AESFORGE_C_DRIVERS", str(drivers))
    NamedBench(INSTANCES).run(__file__, tmp_path)


class Words:
    """CSRs that are plain memory."""

    def __init__(self) -> None:
        self.words = [0] * 32
        self.words[0] = 0x41455346

    def read(self, offset: int) -> int:
        return self.words[offset // 4]

    def write(self, offset: int, value: int) -> None:
        self.words[offset // 4] = value


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_driver(tmp_path_factory.mktemp("driver"))


def test_counters_may_wrap(library: Path) -> None:
    csr = Words()
    csr.words[4] = csr.words[5] = 2**32 - 1
    driver = CDriver(library, csr.read, csr.write)
    assert driver.init(CONFIGS["stored"], 3) == "OK"
    assert driver.finish() == "OK"
    for _ in range(2):
        assert driver.begin(0, False, b"", b"", 0) == "OK"
    for count, due in ((2**32 - 1, "TIMEOUT"), (0, "TIMEOUT"), (1, "OK"), (2, "OK")):
        csr.words[4] = count
        assert driver.finish() == due
    csr.words[5] = 0
    assert driver.finish() == "PACKET_ERROR"
    assert driver.finish() == "OK"


def test_csrs_in_memory(library: Path) -> None:
    words = (ctypes.c_uint32 * 32)()
    driver = CDriver(library, lambda _: 0, lambda _offset, _value: None)
    assert driver.init_in_memory(words, CONFIGS["agile"]) == "NO_ENGINE"
    words[0] = 0x41455346
    assert driver.init_in_memory(words, CONFIGS["agile"]) == "OK"
    key, iv = bytes(range(32)), bytes(range(64, 80))
    assert driver.begin(1, True, iv, key, 0) == "OK"
    found = b"".join(word.to_bytes(4, "little") for word in words)
    assert found[0x20:0x50] == key + iv
    assert words[0x54 // 4] == 0x11


def test_every_status_has_a_text(library: Path) -> None:
    driver = CDriver(library, lambda _: 0, lambda _offset, _value: None)
    texts = [driver.text(number) for number in range(len(STATUSES))]
    assert len({*texts, driver.text(99)}) == len(STATUSES) + 1
    header = (FOLDER / "aesforge_engine.h").read_text(encoding="utf-8")
    named = header.partition("typedef enum {")[2].partition("}")[0]
    assert re.findall(r"^    AESFORGE_(\w+)", named, re.M) == [*STATUSES]


def test_the_offsets_are_those_of_the_description(tmp_path: Path) -> None:
    """PeakRDL's header against SystemRDL's own compiler."""
    _, registers = read_csrs()
    lines = []
    for one in registers:
        lines.append(f"offsetof(aesforge_csr_t, {one.name}) == {one.address}")
        for field in one.fields:
            name = f"AESFORGE_CSR__{one.name}__{field.name}".upper()
            lines.append(f"{name}_bm == {((1 << field.bits) - 1) << field.low}u")
            lines.append(f"{name}_bp == {field.low}")
    lines.append("sizeof(aesforge_csr_t) == 88")
    for wrong in (False, True):
        text = "".join(f"typedef char row{i}[({line}) ? 1 : -1];\n" for i, line in enumerate(lines))
        source = tmp_path / "offsets.c"
        source.write_text(
            '#include "aesforge_csr.h"\n#include <stddef.h>\n'
            + (text.replace("== 88", "== 84") if wrong else text)
        )
        command = (*STRICT, "-fsyntax-only", "-I", FOLDER, source)
        if wrong:
            with pytest.raises(AssertionError, match="size of array"):
                gcc(*command)
        else:
            gcc(*command)


def test_cpp_takes_the_header(tmp_path: Path) -> None:
    source = tmp_path / "user.cpp"
    source.write_text('#include "aesforge_engine.h"\nint main() { return AESFORGE_OK; }\n')
    gcc("-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", FOLDER, source)


# --- MISRA C:2012 ---------------------------------------------------------------------------------

# Advisory rules that the driver does not keep, and why.
ADVISORY = {
    "2.5": "the generated header has a macro for each field, used or not",
    "8.7": "functions of the interface have no caller here",
    "11.5": "the bus is handed its context as a pointer to void",
}


def misra(*sources: Path) -> set[str]:
    """Return the rules that Cppcheck's addon finds broken."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "cppcheck", "--std=c99", "--addon=misra", "--enable=style"),
            *("--check-level=exhaustive", "-D__attribute__(x)=", "--template={id} {line}"),
            # The layout of the packed struct, for offsetof(), is unknown to it.
            *("--suppress=misra-config", "--suppress=missingIncludeSystem"),
            *("-I", str(FOLDER), *map(str, sources)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "rror" not in said, said
    return set(re.findall(r"^misra-c2012-([\d.]+) ", said, re.M))


def test_the_driver_keeps_the_rules_of_misra_c() -> None:
    assert misra(FOLDER / "aesforge_engine.c") == {*ADVISORY}


def test_the_checker_finds_a_broken_rule(tmp_path: Path) -> None:
    source = tmp_path / "broken.c"
    text = (FOLDER / "aesforge_engine.c").read_text(encoding="utf-8")
    source.write_text(text + "static int r(int a) { return (a > 0) ? r(a - 1) : 0; }\n")
    assert "17.2" in misra(source)

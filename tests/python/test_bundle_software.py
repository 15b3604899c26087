# SPDX-License-Identifier: Apache-2.0
"""The drivers in the bundle of an engine with CSRs: they are whole, and know how it was built."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aesforge.bundle import build, render
from aesforge.bundle.software import config, packet_config
from aesforge.design import load_any
from aesforge.design.engine import Engine
from engines import SMALL
from test_bundle_engine import BROAD_REGISTERS, LANE_REGISTERS, REGISTERS, WITH_RESULTS

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs a C compiler, gcc")
WITH_CSRS = (REGISTERS, LANE_REGISTERS, BROAD_REGISTERS)
WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")


def compile_c(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Compile a program against a bundle's driver, and run it."""
    (folder / "main.c").write_text(text, encoding="utf-8")
    sources = ["main.c", "software/c/aesforge_engine.c"]
    command = ["gcc", *WARNINGS, *options, "-Isoftware/c", *sources, "-o", "main"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return subprocess.run([folder / "main"], capture_output=True, text=True, check=False)


def test_only_engines_with_csrs_have_drivers() -> None:
    assert not [path for path in render(SMALL) if path.startswith("software/")]
    assert "## Drivers" not in render(SMALL)["README.md"]
    files = render(REGISTERS)
    assert {"software/c/registers_config.h", "software/c/aesforge_csr.h"} <= set(files)
    assert "## Drivers" in files["README.md"]


@needs_gcc
@pytest.mark.parametrize("engine", WITH_CSRS, ids=lambda one: one.name)
def test_the_configuration_is_the_engines(engine: Engine, tmp_path: Path) -> None:
    build(engine, tmp_path / "out")
    module = engine.name.replace("-", "_")
    done = compile_c(
        tmp_path / "out",
        f'#include "{module}_config.h"\n#include <inttypes.h>\n#include <stdio.h>\n'
        f"int main(void) {{ const aesforge_config c = {module.upper()}_CONFIG;\n"
        '  return printf("%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32,\n'
        "    c.key_bytes, c.key_slots, c.encrypt_modes, c.decrypt_modes) < 0; }\n",
    )
    assert [int(word) for word in done.stdout.split()] == [*config(engine).values()]
    parameters = engine.rtl_parameters()
    given = config(engine)
    assert given["key_bytes"] == parameters["KeyBits"] // 8
    assert given["key_slots"] == parameters.get("KeySlots", 0)
    assert given["encrypt_modes"] | given["decrypt_modes"] == parameters["Modes"]


def test_a_mode_decrypts_where_it_can() -> None:
    every = dataclasses.replace(
        REGISTERS,
        core=dataclasses.replace(REGISTERS.core, direction="both"),
        modes=("ecb", "ctr", "cbc-decrypt", "cfb-decrypt"),
    )
    assert (config(every)["encrypt_modes"], config(every)["decrypt_modes"]) == (0b0011, 0b1111)
    modes = ("cbc-encrypt", "cfb", "ofb", "cfb8", "cbc-mac", "cmac")
    every = dataclasses.replace(LANE_REGISTERS, modes=modes)
    assert (config(every)["encrypt_modes"], config(every)["decrypt_modes"]) == (0xFC, 0x38)


@needs_gcc
@pytest.mark.parametrize("preset", ["ctr-stream", "cbc-interleaved"])
def test_the_readmes_program_compiles(preset: str, tmp_path: Path) -> None:
    engine = load_any(preset, ["contexts=csr", "name=mine"])
    assert isinstance(engine, Engine)
    build(engine, tmp_path / "out")
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```c\n(.*?)```", readme, re.S)
    assert shown
    done = compile_c(
        tmp_path / "out",
        '#include "mine_config.h"\n'
        "static uint32_t csrs[32] = {0x41455346u};\n"
        f"static const uint8_t key[{engine.key_bits // 8}], iv[16];\n"
        "int main(void) {\n" + shown[1].replace("(void *)0x40000000", "csrs") + "return 0; }\n",
        "-Wno-unused-const-variable",
        "-Wno-unused-variable",
    )
    assert done.returncode == 0


def test_the_python_driver_takes_the_configuration(tmp_path: Path) -> None:
    build(BROAD_REGISTERS, tmp_path / "out")
    code = "import dataclasses, broad_registers_config as c; print(*dataclasses.astuple(c.CONFIG))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "out" / "software" / "python",
        capture_output=True,
        text=True,
        check=True,
    )
    assert [int(word) for word in done.stdout.split()] == [*config(BROAD_REGISTERS).values()]


# --- With results ---------------------------------------------------------------------------------


@needs_gcc
@pytest.mark.parametrize("engine", WITH_RESULTS, ids=lambda one: one.name)
def test_the_readme_of_an_engine_with_results(engine: Engine, tmp_path: Path) -> None:
    """Its program compiles, finds its engine, and hands a context over; no result comes."""
    build(engine, tmp_path / "out")
    module = engine.name.replace("-", "_")
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```c\n(.*?)```", readme, re.S)
    assert shown
    sizes = {"gcm": 12, "ocb": 12, "ccm": 12, "xts": 16}
    (tmp_path / "out" / "main.c").write_text(
        f'#include "{module}_config.h"\n'
        "static uint32_t csrs[64] = {0x41455350u};\n"
        f"static const uint8_t key[{engine.key_bits // 8}], iv[{sizes[engine.modes[0]]}];\n"
        "int main(void) {\n"
        + shown[1].replace("(void *)0x40000000", "csrs")
        + "return csrs[0x94 / 4] == 0u || aesforge_packet_finish(&engine, &result) != "
        "AESFORGE_TIMEOUT; }\n",
        encoding="utf-8",
    )
    sources = [f"software/c/{name}.c" for name in ("aesforge_packet_engine", "aesforge_engine")]
    warnings = (*WARNINGS, "-Wno-unused-const-variable", "-Wno-unused-variable")
    command = ["gcc", *warnings, "-Isoftware/c", "main.c", *sources, "-o", "main"]
    done = subprocess.run(
        command, cwd=tmp_path / "out", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "out" / "main"], check=False).returncode == 0


@pytest.mark.parametrize("engine", WITH_RESULTS, ids=lambda one: one.name)
def test_the_python_driver_takes_the_configuration_of_results(
    engine: Engine, tmp_path: Path
) -> None:
    build(engine, tmp_path / "out")
    module = engine.name.replace("-", "_")
    code = (
        f"import dataclasses, {module}_config as c; print(*map(int, dataclasses.astuple(c.CONFIG)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "out" / "software" / "python",
        capture_output=True,
        text=True,
        check=True,
    )
    given = packet_config(engine)
    assert [int(word) for word in done.stdout.split()] == [*given.values()]
    assert given["key_bytes"] == engine.wrapped_parameters()["KeyBits"] * engine.keys // 8
    assert [size for size in range(17) if given["tag_lengths"] >> size & 1] == [*engine.tag_bytes]

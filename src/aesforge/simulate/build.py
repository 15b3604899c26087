# SPDX-License-Identifier: Apache-2.0
"""Compile a simulation model once, and find it again by its content.

Verilator turns the RTL into C++, the compiler turns that into one program per model. Verilator's
run-time library and the driver are the same for all models: they are compiled once.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from aesforge.design import Design
from aesforge.errors import AesforgeError
from aesforge.simulate import verilator as toolchain
from aesforge.simulate.verilator import Toolchain
from aesforge.toolchain import cache

Optimize = Literal["build", "middle", "speed"]

_HERE = Path(__file__).resolve().parent
_RUNTIME_SOURCES = ("verilated.cpp", "verilated_threads.cpp", "verilated_save.cpp")
_WAVE_SOURCE = "verilated_vcd_c.cpp"
# How the driver reaches a model's pins, by the top module; and the prefix of the model's classes
# that it names.
_SHIMS = {
    "aesforge_core": "shim.cpp",
    "aesforge_serial": "shim.cpp",
    "aesforge_parity_core": "shim.cpp",
    "aesforge_inverse_core": "shim.cpp",
    "aesforge_key_core": "shim_key.cpp",
}
_PREFIXES = {"shim.cpp": "Vaesforge_core", "shim_key.cpp": "Vaesforge_key_core"}
# A driver and its header.
CORE_DRIVER = ("driver.cpp", "ports.h")
STREAM_DRIVER = ("stream.cpp", "stream.h")

# What saves the compiler a fifth of its time for a model: no tables for exceptions, which no model
# throws, and memory that is not searched for garbage until 2 GB are in use.
CXX_MODEL = (
    *("-w", "-fno-exceptions", "-fno-asynchronous-unwind-tables"),
    *("--param=ggc-min-expand=400", "--param=ggc-min-heapsize=2000000"),
)
_CXX = ("-std=c++17", "-DVL_TIME_CONTEXT", "-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0")
# Names the file of a model that is compiled to write its signals.
WAVE_VARIABLE = "AESFORGE_WAVE"
# Raised when what this module does with the same inputs changes.
_RECIPE = "3"

# Verilator as a rule writes each instance of a module out for its place. That is fastest for small
# cores and for tables. Hundreds of S-boxes made of logic compile in half the time, and run as
# fast within a tenth, when their functions are shared, which these options bring about.
_SHARED = ("-fno-dfg", "-fno-gate", "--inline-mult", "1")
_MANY_SBOXES = 100
# Above so many blocks a longer compilation takes less time than it saves.
_MIDDLE_BLOCKS, _SPEED_BLOCKS = 2_000, 100_000
# For fewer than the last: less code, of whatever speed.
_LEAST_CODE = (*_SHARED, "-fno-expand", "-fno-table")
# Optimisation of the C++ that runs each cycle; what runs once is not worth any. -Og compiles a
# third longer than -O0 and runs in a tenth of its time. -O2 compiles half as long again as -O1 for
# the same speed.
_CXX_FAST: dict[Optimize, str] = {"build": "-O0", "middle": "-Og", "speed": "-O1"}
_CXX_SLOW = "-O0"
# Calls of the compiler for one model: one for each processor, since every call pays for the headers
# once more; but none for less than the first, and none for more than the second, for its memory:
# 0.4 GB for most of 9 MB.
PROCESSORS = os.cpu_count() or 1
_LEAST_BYTES, _MOST_BYTES = 1_000_000, 10_000_000
_CXX_RUNTIME = "-O1"
_VERILATOR = (
    *("--cc", "--no-timing", "-O3"),
    # Registers without a reset start at random: see shim.cpp.
    *("--x-initial", "unique", "--x-assign", "fast"),
    # Lint is a separate job; here only errors matter.
    *("-Wno-fatal", "-Wno-lint", "-Wno-style"),
    *("--output-split", "60000", "--output-split-cfuncs", "20000"),
)


def optimize_for(blocks: int | None) -> Optimize:
    """Return what takes the least time, compilation and run together.

    Args:
        blocks: that are simulated; None: it is not known.
    """
    if blocks is None or blocks > _SPEED_BLOCKS:
        return "speed"
    return "middle" if blocks > _MIDDLE_BLOCKS else "build"


def blocks_per_transfer(design: Design) -> int:
    """Return how many blocks of 16 bytes the driver moves for a design at a time.

    A beat of a cipher has one for each block. What comes of a key that is expanded is its Nr + 1
    round keys, and a block with the cycle in which each of them left (see `shim_key.cpp`).
    """
    return design.rounds + 2 if design.is_key_expansion else design.blocks_per_beat


@dataclass(frozen=True)
class Subject:
    """The inputs of a model, in addition to the RTL.

    Args:
        name: for messages.
        top: the module.
        prefix: of the model's classes.
        parameters: of the module.
        driver: the driver in this folder that the model is linked to, and its header.
        shim: gives the text that binds the model to the driver, from the text of the model's
            header, which lists its ports.
        key: inputs of the shim's text, in addition to that header.
        defines: macros of the shim.
        style: Verilator's options in addition to the common ones.
        scheme: the research key scheme, if any.
    """

    name: str
    top: str
    prefix: str
    parameters: Mapping[str, int]
    driver: tuple[str, str]
    shim: Callable[[str], str]
    key: str | bytes
    defines: Mapping[str, int] = field(default_factory=dict)
    style: tuple[str, ...] = ()
    scheme: str | None = None


@dataclass(frozen=True)
class Model:
    """A compiled model: a program that speaks the protocol of its driver."""

    program: Path
    build_seconds: float
    """Time its compilation took, 0.0 when it was found in the cache."""
    cached: bool


def compile_model(
    design: Design,
    *,
    optimize: Optimize = "speed",
    snapshots: bool = False,
    wave: bool = False,
    rtl: Sequence[Path] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Model:
    """Return the compiled model of a design, from the cache where it has been compiled before.

    Args:
        design: the core; only its parameters count, not its name.
        optimize: ``build`` for the fastest compilation, ``middle`` for thousands of blocks,
            ``speed`` for more.
        snapshots: add the operation SNAPSHOT, which costs some compile time.
        wave: write all signals to the file that the environment variable `WAVE_VARIABLE` names.
        rtl: source files in compile order instead of the package's own, to test changed RTL.
        progress: called with a short text when a step starts.

    Raises:
        ToolMissing: Verilator or the C++ compiler is not installed.
        AesforgeError: the RTL does not compile, or the cache cannot be written.
    """
    return compile_subject(
        _of_design(design, optimize),
        optimize=optimize,
        snapshots=snapshots,
        wave=wave,
        rtl=rtl,
        progress=progress,
    )


def compile_subject(
    subject: Subject,
    *,
    optimize: Optimize = "speed",
    snapshots: bool = False,
    wave: bool = False,
    rtl: Sequence[Path] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Model:
    """Return the compiled model of any module; arguments as of `compile_model`.

    Raises:
        ToolMissing: Verilator or the C++ compiler is not installed.
        UsageError: the shim found the module's ports to be other than its maker says.
        AesforgeError: the RTL does not compile, or the cache cannot be written.
    """
    tools = toolchain.find()
    if rtl is None:
        from aesforge.toolchain.rtl import needed_by

        rtl = needed_by(subject.top, scheme=subject.scheme)
    rtl = [path.resolve() for path in rtl]
    say = progress or (lambda _text: None)
    inputs = _model_inputs(subject, optimize, snapshots, wave, rtl)
    folder = cache.cache_dir() / "models" / _digest(inputs)
    started = time.monotonic()

    def build(part: Path) -> None:
        runtime = _compile_runtime(tools, subject.driver, say)
        _compile_into(part, tools, subject, optimize, snapshots, wave, rtl, runtime, say)

    built = cache.publish_once(folder, build)
    if built:
        cache.discard_unused(folder.parent)
    else:
        cache.mark_used(folder)
    seconds = time.monotonic() - started if built else 0.0
    return Model(folder / "model", seconds, not built)


def _of_design(design: Design, optimize: Optimize) -> Subject:
    text = (_HERE / _SHIMS[design.top]).read_bytes()
    return Subject(
        name=design.name,
        top=design.top,
        prefix=_PREFIXES[_SHIMS[design.top]],
        parameters=design.rtl_parameters(),
        driver=CORE_DRIVER,
        shim=lambda _header: text.decode(),
        key=text,
        defines={
            "BLOCKS_PER_BEAT": blocks_per_transfer(design),
            "UNROLLED": int(design.is_unrolled),
            "KEY_BITS": design.key_bits,
            "TAG_BITS": design.tag_bits,
            "SLOT_BITS": design.slot_bits,
            "KEY_SLOTS": design.key_slots or 0,
            "CHECKED": int(design.is_checked),
        },
        style=style(design, optimize),
        scheme=design.research_scheme,
    )


# --- What a model depends on ---------------------------------------------------------------------


def _digest(inputs: Iterable[str | bytes]) -> str:
    """Hash texts and bytes so that no two lists of them give one stream."""
    digest = hashlib.sha256()
    for item in inputs:
        data = item.encode() if isinstance(item, str) else item
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:32]


def _runtime_inputs(driver: tuple[str, str]) -> list[str | bytes]:
    tools = toolchain.find()
    return [
        *(_RECIPE, tools.verilator_version, str(tools.verilator_root)),
        *(tools.cxx, tools.cxx_version, repr((_CXX, _CXX_RUNTIME))),
        *((_HERE / name).read_bytes() for name in reversed(driver)),
    ]


def _model_inputs(
    subject: Subject, optimize: Optimize, snapshots: bool, wave: bool, rtl: Sequence[Path]
) -> list[str | bytes]:
    inputs = [*_runtime_inputs(subject.driver), subject.key]
    inputs += [repr((_VERILATOR, subject.style, snapshots)), *(["wave"] if wave else [])]
    inputs += [repr((CXX_MODEL, _CXX_FAST[optimize], _CXX_SLOW))]
    inputs += [json.dumps([subject.top, subject.parameters])]
    for path in rtl:
        inputs += [path.name, path.read_bytes()]
    return inputs


def style(design: Design, optimize: Optimize) -> tuple[str, ...]:
    """Return Verilator's options that suit a design."""
    if optimize != "speed":
        return _LEAST_CODE
    logic = design.sbox in ("tower", "split4", "split6")
    return _SHARED if logic and design.sbox_count >= _MANY_SBOXES else ()


# --- Steps ---------------------------------------------------------------------------------------


def _cxx(tools: Toolchain) -> list[str]:
    """Return the start of every call of the C++ compiler."""
    include = tools.verilator_root / "include"
    return [tools.cxx, *_CXX, "-I", str(include), "-I", str(include / "vltstd")]


def _compile_runtime(tools: Toolchain, driver: tuple[str, str], say: Callable[[str], None]) -> Path:
    """Return the folder with the objects that all models share: run-time library and driver."""
    folder = cache.cache_dir() / "runtime" / _digest(_runtime_inputs(driver))

    def build(part: Path) -> None:
        say("compiling the simulator's run-time library (once)")
        sources = [tools.verilator_root / "include" / name for name in _RUNTIME_SOURCES]
        sources.append(_HERE / driver[0])
        commands = [
            [*_cxx(tools), _CXX_RUNTIME, "-c", str(source), "-o", f"{source.stem}.o"]
            for source in sources
        ]
        _run_all(commands, part, tools, "the simulator's run-time library")

    cache.publish_once(folder, build)
    cache.mark_used(folder)
    return folder


def _compile_header(tools: Toolchain, flag: str) -> Path:
    """Return Verilator's header, parsed beforehand, for compilations with an optimisation level.

    It saves each of them 0.4 s, of about 1.2 s for a small core. It holds for just the options it
    was made with.
    """
    inputs = [_RECIPE, tools.verilator_version, str(tools.verilator_root)]
    inputs += [tools.cxx, tools.cxx_version, repr((_CXX, CXX_MODEL, flag))]
    folder = cache.cache_dir() / "headers" / _digest(inputs)

    def build(part: Path) -> None:
        (part / "header.h").write_text('#include "verilated.h"\n')
        command = [*_cxx(tools), *CXX_MODEL, flag, "-x", "c++-header", "header.h"]
        _run_all([command], part, tools, "the simulator's header")

    if cache.publish_once(folder, build):
        cache.discard_unused(folder.parent)
    else:
        cache.mark_used(folder)
    return folder / "header.h"


def _compile_into(
    part: Path,
    tools: Toolchain,
    subject: Subject,
    optimize: Optimize,
    snapshots: bool,
    wave: bool,
    rtl: Sequence[Path],
    runtime: Path,
    say: Callable[[str], None],
) -> None:
    """Fill the folder ``part`` with the program ``model``."""
    what = f"the model of '{subject.name}'"
    say("translating the RTL (Verilator)")
    work = part / "work"
    work.mkdir()
    prefix = subject.prefix
    command = [
        *(str(tools.verilator), *_VERILATOR, *subject.style),
        *("--Mdir", "work", "--prefix", prefix, "--top-module", subject.top),
        *(["--savable"] if snapshots else []),
        *(["--trace-vcd"] if wave else []),
        *(f"-G{name}={value}" for name, value in subject.parameters.items()),
        *(str(path) for path in rtl),
    ]
    _run_all([command], part, tools, what)

    say("compiling the model (C++)")
    defines = [f"-DAESFORGE_{name}={value}" for name, value in subject.defines.items()]
    if snapshots:
        defines.append("-DAESFORGE_SNAPSHOT")
    if wave:
        defines.append(f'-DAESFORGE_WAVE="{WAVE_VARIABLE}"')
    shim = work / "shim.cpp"
    header = (work / f"{prefix}.h").read_text(encoding="utf-8")
    shim.write_text(subject.shim(header), encoding="utf-8", newline="")

    sources = [*sorted(work.glob(f"{prefix}*.cpp")), shim]
    fast = [path for path in sources if "Slow" not in path.name]
    slow = [path for path in sources if "Slow" in path.name]
    kinds = [("fast", fast, _CXX_FAST[optimize]), ("slow", slow, _CXX_SLOW)]
    small = sum(path.stat().st_size for path in sources) < _LEAST_BYTES
    if small or _CXX_FAST[optimize] == _CXX_SLOW:
        kinds = [("all", sources, _CXX_FAST[optimize])]
    if wave:
        # By itself: it instantiates templates that others specialize.
        kinds.append(
            ("wave", [tools.verilator_root / "include" / _WAVE_SOURCE], _CXX_FAST[optimize])
        )
    commands: list[list[str]] = []
    objects: list[str] = []
    for kind, files, flag in kinds:
        for number, group in enumerate(_groups(files)):
            name = f"{kind}{number}"
            (work / f"{name}.cpp").write_text("".join(f'#include "{p.name}"\n' for p in group))
            objects.append(f"{name}.o")
            commands.append(
                [
                    *(*_cxx(tools), *CXX_MODEL, flag, *defines, "-I", "work", "-I", str(_HERE)),
                    *("-include", str(_compile_header(tools, flag))),
                    *("-c", f"work/{name}.cpp", "-o", f"{name}.o"),
                ]
            )
    _run_all(commands, part, tools, what)
    shared = [str(p) for p in sorted(runtime.glob("*.o"))]
    _run_all([[tools.cxx, "-o", "model", *objects, *shared, "-pthread"]], part, tools, what)
    for name in objects:
        (part / name).unlink()
    shutil.rmtree(work)


def _groups(files: Sequence[Path]) -> list[list[Path]]:
    """Deal files into few groups of like size, each compiled in one go."""
    sized = sorted(((path.stat().st_size, path.name, path) for path in files), reverse=True)
    total = sum(size for size, _, _ in sized)
    wanted = max(min(PROCESSORS, -(-total // _LEAST_BYTES)), -(-total // _MOST_BYTES))
    count = max(1, min(len(files), wanted))
    groups: list[list[Path]] = [[] for _ in range(count)]
    sizes = [0] * count
    for size, _, path in sized:
        smallest = sizes.index(min(sizes))
        groups[smallest].append(path)
        sizes[smallest] += size
    return groups


def _run_all(commands: Sequence[list[str]], folder: Path, tools: Toolchain, what: str) -> None:
    """Run commands in ``folder``, as many at a time as there are processors.

    Raises:
        AesforgeError: one failed; the others are stopped.
    """
    waiting = list(reversed(commands))
    running: list[tuple[subprocess.Popen[bytes], Path, list[str]]] = []
    environment = tools.environment()
    try:
        while waiting or running:
            while waiting and len(running) < PROCESSORS:
                command = waiting.pop()
                log = folder / f"log{len(waiting)}.txt"
                with log.open("wb") as handle:
                    process = subprocess.Popen(
                        command,
                        cwd=folder,
                        env=environment,
                        stdin=subprocess.DEVNULL,
                        stdout=handle,
                        stderr=subprocess.STDOUT,
                    )
                running.append((process, log, command))
            finished = next((r for r in running if r[0].poll() is not None), None)
            if finished is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    running[0][0].wait(timeout=0.01)
                continue
            running.remove(finished)
            process, log, command = finished
            if process.returncode != 0:
                raise _failure(process.returncode, log, command, what)
            log.unlink()
    finally:
        for process, _, _ in running:
            process.terminate()  # not killed: the compiler deletes its temporary files
        for process, _, _ in running:
            process.wait()


def _failure(code: int, log: Path, command: list[str], what: str) -> AesforgeError:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    errors = [line for line in lines if "rror" in line or "No space" in line]
    tail = "\n  ".join((errors or lines)[:12])
    reason = f"signal {-code} (out of memory?)" if code < 0 else f"exit status {code}"
    return AesforgeError(
        f"compiling {what} failed: {Path(command[0]).name} ended with {reason}:\n  {tail}"
    )

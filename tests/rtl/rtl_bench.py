# SPDX-License-Identifier: Apache-2.0
"""Many instances of a module side by side in one Verilator model, driven by cocotb.

A test file makes a :class:`Bench`: instances with their parameters, among them mutants, which are
copies of the RTL with one line changed. pytest compiles it once (:meth:`Bench.run`) and runs the
file's cocotb tests on it; there :class:`Driver` gives each instance its inputs and takes its
outputs. A check collects what each instance did wrong; :meth:`Bench.judge` then wants no fault of
any true instance and at least one of every mutant, so each check shows that it can fail.

A bench that takes long uses the fixture `mutants`: `make test` runs its true instances, and
`make test-all` the whole bench.

cocotb's own build step compiles Verilator's library anew for every model and makes every signal
public; this one compiles the library once and keeps models by content, as `aesforge.simulate` does.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from aesforge.simulate import verilator as toolchain
from aesforge.simulate.build import CXX_MODEL
from aesforge.toolchain import cache, rtl

# Raised when what this module does with the same inputs changes.
_RECIPE = "2"
# In the environment of pytest and of the simulation that it starts: benches leave mutants out.
WITHOUT_MUTANTS = "AESFORGE_WITHOUT_MUTANTS"
# Without VL_TIME_CONTEXT: the time is what cocotb's main() says in sc_time_stamp().
_CXX = (
    *("-std=c++17", "-DVERILATOR=1"),
    *("-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0"),
    *CXX_MODEL,
)
_RUNTIME = ("verilated.cpp", "verilated_vpi.cpp", "verilated_threads.cpp")
# Of the C++ that runs each cycle, in models larger than this, which then run up to five times as
# fast; and of all other. For smaller ones it takes as long again as it saves.
_CXX_FAST, _FAST_BYTES = "-Og", 15_000_000
_CXX_SLOW = "-O0"
_VERILATOR = (
    *("--cc", "--vpi", "--no-timing", "--timescale", "1ns/1ps", "--prefix", "Vtop"),
    # Instances share their module's functions, and wide vectors stay whole: less C++, and these
    # models run for thousands of cycles only. Tables made of `case` take two fifths of Verilator's
    # time for serial cores, and save nothing.
    *("-O3", "--inline-mult", "1", "-fno-expand", "-fno-table"),
    # Registers without a reset start at random values.
    *("--x-initial", "unique", "--x-assign", "fast", "-Wno-fatal", "-Wno-lint", "-Wno-style"),
)


@dataclass(frozen=True)
class Mutation:
    """One line of the RTL changed, or a research key scheme put in, or both.

    ``old`` must occur exactly once in ``module``; equal to ``new``, nothing is changed. ``through``
    names the modules on the way from the instance down to ``module``: they are copied too, so that
    they use the changed one.
    """

    module: str
    old: str
    new: str
    through: tuple[str, ...] = ()
    scheme: str | None = None

    @property
    def is_wrong(self) -> bool:
        """Whether a line was changed."""
        return self.old != self.new

    def files(self) -> tuple[str, Callable[[str], str]]:
        """Text of the copies, and how a module is called in them."""
        changed = (self.module, *self.through)
        what = (self.module, self.old, self.new, self.scheme)
        digest = hashlib.sha256(repr(what).encode()).hexdigest()[:8]
        pattern = re.compile(rf"\b({'|'.join(changed)})\b")

        def rename(text: str) -> str:
            return pattern.sub(rf"\1_{digest}", text)

        parts = []
        # In the order of the file list: a package stands before those who use it.
        for path in rtl.filelist(self.scheme):
            if path.stem in changed:
                text = path.read_text()
                if path.stem == self.module and self.is_wrong:
                    assert text.count(self.old) == 1, f"{self.old!r} is not one place of {path}"
                    text = text.replace(self.old, self.new)
                parts.append(rename(text))
        return "".join(parts), rename


def zeroizes_the_cores_alone(*through: str) -> Mutation:
    """Return a mutant whose `zeroize` ends with the cores, whatever is around them.

    Args:
        through: as of `Mutation`.
    """
    held = "zeroize || (zeroizing && (core_zeroize || !end_q))"
    return Mutation("aesforge_zeroize_sequence", held, "zeroize", through)


@dataclass(frozen=True)
class Instance:
    """One instance: its name for messages, parameters, and where its ports lie in the vectors."""

    name: str
    module: str
    parameters: Mapping[str, int]
    inputs: Mapping[str, tuple[int, int]]  # port -> (low bit of d, width)
    outputs: Mapping[str, tuple[int, int]]  # port -> (low bit of q, width)
    probes: Mapping[str, tuple[int, int]]  # probe -> (low bit of p, width)
    paths: Mapping[str, str]  # probe -> its path within the instance
    mutation: Mutation | None

    def __getitem__(self, parameter: str) -> int:
        return self.parameters[parameter]

    @property
    def scheme(self) -> str:
        """The key scheme."""
        return (self.mutation and self.mutation.scheme) or "fips197"


def is_left_out(mutation: Mutation | None) -> bool:
    """Return whether benches leave a mutant out, as they do in `make test`."""
    return mutation is not None and mutation.is_wrong and WITHOUT_MUTANTS in os.environ


@dataclass
class Bench:
    """The instances of one model. ``shared``: width of each input that all instances see."""

    shared: Mapping[str, int] = field(default_factory=dict)
    clocked: bool = True
    instances: list[Instance] = field(default_factory=list)
    input_bits: int = 0
    output_bits: int = 0
    probe_bits: int = 0

    def __post_init__(self) -> None:
        self._shared = {}
        for port, width in self.shared.items():
            self._shared[port] = (self.input_bits, width)
            self.input_bits += width

    def add(
        self,
        name: str,
        module: str,
        parameters: Mapping[str, int],
        *,
        inputs: Mapping[str, int] | None = None,
        outputs: Mapping[str, int],
        shared: Mapping[str, int] | None = None,
        probes: Mapping[str, tuple[str, int]] | None = None,
        mutation: Mutation | None = None,
    ) -> None:
        """Add an instance.

        Args:
            name: unique, for messages.
            module: the module's name.
            parameters: parameter to value.
            inputs: width of each input port that this instance has for itself.
            outputs: width of each output port.
            shared: shared inputs it takes, and with how many of the low bits; all when left out.
            probes: name to path and width of an internal signal.
            mutation: makes this instance a mutant.
        """
        assert name not in {one.name for one in self.instances}, name
        if is_left_out(mutation):
            return
        taken = {}
        for port, width in (shared if shared is not None else self.shared).items():
            taken[port] = (self._shared[port][0], width)
            assert width <= self.shared[port]
        for port, width in (inputs or {}).items():
            taken[port] = (self.input_bits, width)
            self.input_bits += width
        given = {}
        for port, width in outputs.items():
            given[port] = (self.output_bits, width)
            self.output_bits += width
        probed, paths = {}, {}
        for probe, (path, width) in (probes or {}).items():
            paths[probe] = path
            probed[probe] = (self.probe_bits, width)
            self.probe_bits += width
        self.instances.append(
            Instance(name, module, dict(parameters), taken, given, probed, paths, mutation)
        )

    @property
    def mutants(self) -> set[str]:
        """Names of the mutants."""
        return {one.name for one in self.instances if one.mutation and one.mutation.is_wrong}

    # --- The model

    def text(self) -> str:
        """SystemVerilog of the bench and of the mutants it uses."""
        copies: dict[Mutation, tuple[str, Callable[[str], str]]] = {}
        lines = [
            "module bench (",
            "  input logic clk /*verilator public_flat_rw*/,",
            f"  input logic [{max(self.input_bits, 1) - 1}:0] d /*verilator public_flat_rw*/,",
            f"  output logic [{self.output_bits - 1}:0] q /*verilator public_flat_rd*/,",
            f"  output logic [{max(self.probe_bits, 1) - 1}:0] p /*verilator public_flat_rd*/",
            ");",
        ]
        for index, one in enumerate(self.instances):
            module = one.module
            if one.mutation:
                if one.mutation not in copies:
                    copies[one.mutation] = one.mutation.files()
                module = copies[one.mutation][1](module)
            parameters = ", ".join(f".{name}({value})" for name, value in one.parameters.items())
            ports = [".clk(clk)"] if self.clocked else []
            ports += [f".{name}(d[{low}+:{width}])" for name, (low, width) in one.inputs.items()]
            ports += [f".{name}(q[{low}+:{width}])" for name, (low, width) in one.outputs.items()]
            for name, (low, width) in one.probes.items():
                lines.append(f"  assign p[{low}+:{width}] = u_{index}.{one.paths[name]};")
            lines.append(f"  {module} #({parameters}) u_{index} ({', '.join(ports)});")
        lines += ["endmodule", ""]
        return "".join(text for text, _ in copies.values()) + "\n".join(lines)

    def run(self, file: str, folder: Path, only: str | None = None) -> None:
        """Compile the model and run the cocotb tests of a Python file on it.

        Args:
            file: the file, beside this one.
            folder: an empty folder for results.
            only: name of the one cocotb test to run; None for all.
        """
        run_on(self.text(), file, folder, only)

    def judge(self, faults: Faults, ones: Iterable[Instance] | None = None) -> None:
        """Want no fault of a true instance, and one of every mutant at least.

        Args:
            faults: of the instances.
            ones: who took part; all instances when left out.
        """
        mutants = self.mutants
        true = {name: first for name, first in faults.first.items() if name not in mutants}
        assert not true, f"{len(true)} instances went wrong: {true}"
        parts = mutants.intersection(one.name for one in ones) if ones is not None else mutants
        survivors = parts - set(faults.first)
        assert not survivors, f"mutants that no check caught: {survivors}"


class Faults:
    """What each instance did wrong first, and how many comparisons each took part in."""

    def __init__(self) -> None:
        self.first: dict[str, str] = {}
        self.compared: dict[str, int] = {}

    def check(self, one: Instance, got: object, expected: object, where: str) -> None:
        """Compare and note."""
        self.compared[one.name] = self.compared.get(one.name, 0) + 1
        if got != expected and one.name not in self.first:
            text = [f"{v:#x}" if isinstance(v, int) else str(v) for v in (got, expected)]
            self.first[one.name] = f"{where}: {text[0]}, expected {text[1]}"


Inputs = Mapping[str, Mapping[str, int]]


class Driver:
    """Drives a bench cycle by cycle: inputs change after the rising edge, outputs are read before
    the next one, so that a value given in cycle t and a value read in cycle t belong together.

    Args:
        dut: the model.
        bench: in it.
    """

    def __init__(self, dut: Any, bench: Bench) -> None:
        self.dut = dut
        self.bench = bench
        self.number = 0

    async def settle(
        self,
        shared: Mapping[str, int] | None = None,
        own: Inputs | None = None,
        *,
        probes: bool = False,
    ) -> Outputs:
        """Return inputs and read what follows from them, without a clock edge.

        Args:
            shared: values of shared inputs; 0 where left out.
            own: instance name -> port -> value.
            probes: whether probes are read too: there may be so many that they cost more than all
                else.
        """
        from cocotb.triggers import Timer

        word = 0
        for port, value in (shared or {}).items():
            word |= value << self.bench._shared[port][0]
        if own:
            for one in self.bench.instances:
                for port, value in own.get(one.name, {}).items():
                    word |= value << one.inputs[port][0]
        self.dut.clk.value = 0
        self.dut.d.value = word
        await Timer(1, "ns")
        probed = int(self.dut.p.value) if probes else None
        return Outputs(int(self.dut.q.value), probed)

    async def edge(self) -> None:
        """Return the rising edge that ends the cycle."""
        from cocotb.triggers import Timer

        self.dut.clk.value = 1
        await Timer(1, "ns")
        self.number += 1

    async def cycle(
        self,
        shared: Mapping[str, int] | None = None,
        own: Inputs | None = None,
        *,
        probes: bool = False,
    ) -> Outputs:
        """One cycle: inputs, outputs, edge. Takes what :meth:`settle` takes."""
        outputs = await self.settle(shared, own, probes=probes)
        await self.edge()
        return outputs


async def stream(
    driver: Driver,
    stimulus: Sequence[Mapping[str, int]],
    latency: Callable[[Instance], int],
    expected: Callable[[Instance, int], Mapping[str, int]],
    faults: Faults,
) -> None:
    """Return an input a cycle to all instances; compare what they answer, each after its latency.

    Args:
        driver: of the bench.
        stimulus: values of the shared inputs, cycle by cycle.
        latency: cycles from an input to its answer.
        expected: outputs that answer stimulus number i, or none where nothing is promised.
        faults: notes what is wrong.
    """
    depth = max(latency(one) for one in driver.bench.instances)
    for cycle in range(len(stimulus) + depth):
        outputs = await driver.cycle(stimulus[min(cycle, len(stimulus) - 1)])
        for one in driver.bench.instances:
            number = cycle - latency(one)
            if 0 <= number < len(stimulus):
                for port, value in expected(one, number).items():
                    faults.check(one, outputs.of(one, port), value, f"{port} of input {number}")


def twins_of(name: str, mutation: Mutation) -> Iterator[tuple[str, Mutation | None]]:
    """Yield what `Twins` compares under a name: a true pair and one of a mutant."""
    for side in ("left", "right"):
        yield f"{name} {side}", None
        yield f"{name} {side}, not quite", mutation


class Twins:
    """Pairs of instances, "NAME left" and "NAME right", that are given different secrets and are
    alike in all else: a port in which they differ holds a secret. A mutant's pair is "NAME left,
    not quite" and "NAME right, not quite".

    Args:
        bench: with the pairs.
        names: of the pairs.
        port: the output port that shows secrets, as the probes do.
        public: probes that never hold one.
    """

    def __init__(
        self, bench: Bench, names: Iterable[str], port: str, public: Iterable[str] = ()
    ) -> None:
        self.names = {*names}
        by_name = {one.name: one for one in bench.instances}
        self.ones = [one for one in bench.instances if one.name.split()[0] in self.names]
        self.true = [one for one in self.ones if one.mutation is None]
        self.pairs = [
            (one, by_name[one.name.replace(" left", " right")])
            for one in self.ones
            if " left" in one.name
        ]
        self.public = {*public}
        self.ports = {
            one.name: [probe for probe in (*one.probes, port) if probe not in self.public]
            for one in self.ones
        }
        self.held: dict[str, set[str]] = {name: set() for name in self.names}
        self.late: dict[str, str] = {}  # who held a secret for too long, and what was first of it

    def secrets(
        self, draw: random.Random, widths: Mapping[str, int]
    ) -> Iterator[tuple[Instance, dict[str, int]]]:
        """Each instance, with random values of its own for these ports (name -> width)."""
        for one in self.ones:
            yield one, {port: draw.getrandbits(width) for port, width in widths.items()}

    def look(
        self, outputs: Outputs, now: int, bound: Callable[[Instance], float] = lambda one: inf
    ) -> None:
        """Note which ports hold a secret in this cycle; from ``bound`` on, none may."""
        for left, right in self.pairs:
            over = now >= bound(left)
            for port in self.ports[left.name]:
                if outputs.of(left, port) != outputs.of(right, port):
                    if left.mutation is None:
                        self.held[left.name.split()[0]].add(port)
                    if over:
                        self.late.setdefault(left.name, f"{port} in cycle {now}")

    def judge(self) -> None:
        """Every port must have held a secret; for too long, each mutant's pair and no other."""
        for one in self.true:
            name = one.name.split()[0]
            assert set(self.ports[one.name]) == self.held[name], (
                name,
                set(self.ports[one.name]) ^ self.held[name],
            )
        mutants = [one.name for one in self.ones if one.mutation]
        assert mutants or WITHOUT_MUTANTS in os.environ, "no mutant among the twins"
        assert {*self.late} <= {*mutants}, self.late
        survivors = {name.split()[0] for name in mutants} - {name.split()[0] for name in self.late}
        assert not survivors, f"mutants that zeroized in time: {survivors}"


@dataclass(frozen=True)
class Outputs:
    """All outputs of one cycle."""

    word: int
    probed: int | None

    def of(self, one: Instance, port: str) -> int:
        """Value of one instance's output or probe."""
        if port in one.outputs:
            low, width = one.outputs[port]
            return (self.word >> low) & ((1 << width) - 1)
        low, width = one.probes[port]
        assert self.probed is not None, "no probes were read in this cycle"
        return (self.probed >> low) & ((1 << width) - 1)


def run_on(text: str, file: str, folder: Path, only: str | None = None) -> None:
    """Compile a module `bench` and run the cocotb tests of a Python file on it.

    Args:
        text: of the module, and of whatever it uses that is not in the RTL's file list.
        file: the file, beside this one.
        folder: an empty folder for results.
        only: name of the one cocotb test to run; None for all.
    """
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    program = compile_bench(text)
    results = folder / "results.xml"
    # The runner ends the process when a test fails; what went wrong stands in its output.
    with contextlib.suppress(SystemExit):
        get_runner("verilator").test(
            hdl_toplevel=program.name,
            hdl_toplevel_lang="verilog",
            test_module=Path(file).stem,
            test_filter=only and rf"\.{only}$",
            build_dir=program.parent,
            test_dir=folder,
            results_xml=str(results),
            seed=197,
            test_args=["+verilator+rand+reset+2", "+verilator+seed+197"],
            extra_env={"COCOTB_LOG_LEVEL": "WARNING", "GPI_LOG_LEVEL": "WARNING"},
        )
    count, failed = get_results(results)
    assert count > 0, "no cocotb test ran"
    assert failed == 0, "a cocotb test failed: see the captured output"


# --- Compilation ----------------------------------------------------------------------------------


def _digest(items: Iterable[str | bytes]) -> str:
    digest = hashlib.sha256()
    for item in items:
        data = item.encode() if isinstance(item, str) else item
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:32]


def _run(command: Sequence[str], folder: Path) -> None:
    environment = toolchain.find().environment()
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{(done.stdout + done.stderr)[-4000:]}"


def _tools() -> list[str | bytes]:
    import cocotb_tools.config

    tools = toolchain.find()
    return [
        _RECIPE,
        repr((_CXX, _RUNTIME, _CXX_FAST, _FAST_BYTES, _CXX_SLOW, _VERILATOR)),
        tools.verilator_version,
        str(tools.verilator_root),
        tools.cxx,
        tools.cxx_version,
        str(cocotb_tools.config.libs_dir),
    ]


def _options() -> list[str]:
    include = toolchain.find().verilator_root / "include"
    return [*_CXX, "-I", str(include), "-I", str(include / "vltstd")]


def _compile_runtime() -> Path:
    """Folder with Verilator's library for cocotb and its parsed headers, made once."""
    folder = cache.cache_dir() / "bench-runtime" / _digest(_tools())

    def build(part: Path) -> None:
        tools = toolchain.find()
        include = tools.verilator_root / "include"
        # g++ takes a precompiled header only under the very options it was made with.
        for flag in (_CXX_FAST, _CXX_SLOW):
            header = f"header{flag}.h"
            (part / header).write_text('#include "verilated.h"\n#include "verilated_vpi.h"\n')
            _run([tools.cxx, "-x", "c++-header", *_options(), flag, header], part)
        for name in _RUNTIME:
            command = [tools.cxx, "-c", *_options(), _CXX_SLOW, str(include / name)]
            _run([*command, "-o", f"{Path(name).stem}.o"], part)

    cache.publish_once(folder, build)
    return folder


def compile_bench(text: str) -> Path:
    """Program of a bench, from the cache where it has been compiled before."""
    import cocotb_tools.config

    modules = {path.stem for path in rtl.filelist()}
    sources = rtl.needed_by(*sorted(rtl.names_in(text) & modules))
    inputs = [*_tools(), text, *(path.read_bytes() for path in sources)]
    folder = cache.cache_dir() / "benches" / _digest(inputs)
    libraries = Path(cocotb_tools.config.libs_dir)
    main = Path(cocotb_tools.config.share_dir) / "lib" / "verilator" / "verilator.cpp"

    def build(part: Path) -> None:
        tools = toolchain.find()
        runtime = _compile_runtime()
        (part / "bench.sv").write_text(text)
        command = [str(tools.verilator), *_VERILATOR, "--Mdir", "work", "--top-module", "bench"]
        _run([*command, *map(str, sources), "bench.sv"], part)
        work = part / "work"
        files = sorted(work.glob("Vtop*.cpp"))
        fast = [path for path in files if "Slow" not in path.name]
        calls = {_CXX_SLOW: [*files, main]}
        if sum(path.stat().st_size for path in fast) >= _FAST_BYTES:
            slow = [path for path in files if "Slow" in path.name]
            calls = {_CXX_FAST: fast, _CXX_SLOW: [*slow, main]}
        for flag, group in calls.items():
            includes = "".join(f'#include "{path}"\n' for path in group)
            (work / f"all{flag}.cpp").write_text(includes)
            header = ["-include", str(runtime / f"header{flag}.h")]
            command = [tools.cxx, "-c", *_options(), flag, "-I.", *header, f"all{flag}.cpp"]
            _run([*command, "-o", f"all{flag}.o"], work)
        objects = [f"work/all{flag}.o" for flag in calls]
        link = [f"-Wl,-rpath,{libraries}", f"-L{libraries}", "-lcocotbvpi_verilator", "-pthread"]
        shared = [str(path) for path in sorted(runtime.glob("*.o"))]
        _run([tools.cxx, "-o", "bench", *objects, *shared, *link], part)
        for path in sorted(work.iterdir()):
            path.unlink()
        work.rmdir()

    if cache.publish_once(folder, build):
        cache.discard_unused(folder.parent)
    else:
        cache.mark_used(folder)
    return folder / "bench"


def elaborate(top: str, parameters: Mapping[str, int]) -> tuple[bool, str]:
    """Whether Verilator elaborates a module with these parameters, and what it says."""
    tools = toolchain.find()
    command = [str(tools.verilator), "--lint-only", "-Wno-lint", "-Wno-style", "--top-module", top]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    done = subprocess.run(
        [*command, *map(str, rtl.needed_by(top))],
        env=tools.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode == 0, done.stderr

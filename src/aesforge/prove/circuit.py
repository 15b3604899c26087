# SPDX-License-Identifier: Apache-2.0
"""Circuits as graphs: the RTL, the netlist that would be placed, and the specification.

Yosys reads them and makes gates of each module; :mod:`aesforge.netlist.elaborate` puts the modules
together. What is left undefined becomes a free input, a new value each cycle; registers that any
clock but the core's drives are refused.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from aesforge.design import Design
from aesforge.devices.families import MODELS
from aesforge.errors import AesforgeError, ToolFailed
from aesforge.measure.harness import CORE
from aesforge.measure.synthesis import MAPPED, Synthesis, read_mapped
from aesforge.netlist import aig, elaborate
from aesforge.netlist.aig import Aig
from aesforge.netlist.elaborate import NoGraph, StandIn, StandIns
from aesforge.netlist.module import read_modules
from aesforge.netlist.structure import structure
from aesforge.prove.analysis import sboxes, tables, unroll
from aesforge.prove.analysis.sboxes import Sbox
from aesforge.toolchain import cache, programs, rtl

SPECIFICATION = "fips197.sv"
_GRAPH = "circuit.aig"
_GATES = "circuit.json"
# The same circuit with other S-boxes, and which those are.
_CUT = "cut.aig"
_FOUND = "sboxes.json"
# The S-box modules of the specification, by direction as aesforge_sbox counts it.
SBOXES = ("fips197_sbox", "fips197_inv_sbox")
# Stands for the first of them in the key expansion.
KEY_SBOX = "key_sbox"
# Stands for S-boxes where a form of the RTL is wrong: a table of the values that the definition
# gives, by direction as aesforge_sbox counts it.
_TABLE = "specified_table"
_CHOICES = {
    sboxes.SBOX: "forward",
    sboxes.INVSBOX: "backward",
    sboxes.EITHER: "inverse ? backward : forward",
}

# From a design whose processes are gone to gates, and what must hold on the way. A module is
# mapped before its copies are made, but for what would make many cells of one.
_MAP = [
    "opt_expr",
    "opt_clean",
    "memory -nomap -nordff",
    # A memory that is only read is left to `elaborate`, which knows which of its places are.
    "memory_map t:$mem_v2 r:WR_PORTS>0 %i",
    "opt_expr",
    "opt_clean",
    "async2sync",
    "dffunmap",
    "setundef -anyseq",
    "techmap",
    "simplemap",
    "opt_expr",
    "opt_clean",
    "aigmap",
    "opt_clean",
]


@dataclass(frozen=True)
class Circuit:
    """A graph, and how it was made."""

    aig: Aig
    script: tuple[str, ...]
    """The commands of Yosys, files by their names only."""
    digest: str
    """SHA-256 of the sources."""
    cut: Aig | None = None
    """The graph with one form for each module and memory that was found to be an S-box."""
    sboxes: tuple[Sbox, ...] = ()
    """Those modules."""
    wrong: tuple[str, ...] = ()
    """Of each module named as an S-box that is none, a byte for which it is wrong."""


def formal_dir() -> Path:
    """Return the folder of the specification: inside an installed package, or of a checkout.

    Raises:
        AesforgeError: neither exists; the installation is broken.
    """
    package = Path(__file__).resolve().parent.parent
    for candidate in (package / "_formal", package.parent.parent / "formal"):
        if (candidate / SPECIFICATION).is_file():
            return candidate
    raise AesforgeError(
        f"the specification, {SPECIFICATION}, is missing; install aesforge again, or run it from "
        "a full checkout"
    )


def digest_of(files: Sequence[Path]) -> str:
    """Return the SHA-256 of some files' contents, one after the other, with their names."""
    return rtl.hashed(files).hexdigest()


def of_module(
    top: str,
    parameters: dict[str, int],
    files: Sequence[Path] | None = None,
    kinds: AbstractSet[str] = frozenset(),
) -> Circuit:
    """Read a module of the RTL.

    Args:
        top: its name.
        parameters: those that differ from the defaults.
        files: sources in compile order instead of the package's own.
        kinds: of S-boxes, to be replaced in :attr:`Circuit.cut`.

    Raises:
        ToolMissing: Yosys is not installed.
        ToolFailed: it does not understand the sources.
    """
    sources = list(files) if files is not None else rtl.needed_by(top)
    return _made([*_read(top, parameters, sources), *_MAP], sources, kinds)


def _read(top: str, parameters: dict[str, int], sources: Sequence[Path]) -> list[str]:
    """Return the commands that elaborate a module."""
    sets = [f"-set {name} {value}" for name, value in parameters.items()]
    return [
        f"read_verilog -sv {' '.join(path.name for path in sources)}",
        *([f"chparam {' '.join(sets)} {top}"] if sets else []),
        f"hierarchy -check -top {top}",
        "proc",
    ]


def of_design(
    design: Design,
    files: Sequence[Path] | None = None,
    kinds: AbstractSet[str] = sboxes.KINDS,
) -> Circuit:
    """Read the RTL of a design; see :func:`of_module`."""
    if files is None:
        files = rtl.needed_by(design.top, scheme=design.research_scheme)
    return of_module(design.top, design.rtl_parameters(), files, kinds)


def structure_of(design: Design) -> str:
    """Return a hash of a design's elaborated RTL that changes only with the circuit.

    A fraction of a second: what was proved of an unchanged circuit need not be proved again.
    """
    sources = rtl.needed_by(design.top, scheme=design.research_scheme)
    script = [*_read(design.top, design.rtl_parameters(), sources), "opt_clean"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in sources:
            (folder / path.name).write_bytes(path.read_bytes())
        lines = [*script, f"rename -top {CORE}", f"write_json {_GATES}"]
        (folder / "elaborate.ys").write_text("\n".join(lines) + "\n", encoding="utf-8")
        programs.run("yosys", ["elaborate.ys"], folder, folder / "elaborate.log")
        return structure(read_modules(folder / _GATES), CORE)


def of_netlist(
    synthesis: Synthesis,
    mapped: Path | None = None,
    kinds: AbstractSet[str] = sboxes.KINDS,
) -> Circuit:
    """Read a mapped core back through the family's models of its cells.

    Args:
        synthesis: of the core; made when it is not there yet.
        mapped: another netlist in place of its own.
        kinds: of S-boxes, to be replaced in :attr:`Circuit.cut`.

    Raises:
        ToolFailed: Yosys has no model of a cell, or not of how it is used.
    """
    synthesis.run()
    models, source = models_of(synthesis), mapped or synthesis.folder / MAPPED
    # A memory is small where its addresses are known: those are taken out of their modules first.
    rams = " ".join(f"*{name}*" for name in (*synthesis.family.cells.block_ram, "aesforge_rom"))
    script = [
        *read_back(synthesis, source),
        "setattr -mod -set keep_hierarchy 1 *",
        f"setattr -mod -unset keep_hierarchy {rams}",
        "flatten",
        "setattr -mod -unset keep_hierarchy *",
        *_MAP,
    ]
    return _made(script, [*models, source], kinds)


def models_of(synthesis: Synthesis) -> list[Path]:
    """Return the files with models of a family's cells that Yosys lacks."""
    return [MODELS / name for name in synthesis.family.models]


def read_back(synthesis: Synthesis, source: Path) -> list[str]:
    """Return the commands that make one module of a netlist and the models of its cells."""
    models = models_of(synthesis)
    return [
        # Only what the netlist holds is worked out: iCE40's big memories alone take 27 s. And what
        # stands for a cell need not cover the cell's default parameters.
        f"read_verilog -sv -overwrite -defer {' '.join(synthesis.family.read_back)}",
        *(f"read_verilog -sv -overwrite -defer {model.name}" for model in models),
        *read_mapped(Path(source.name)),
        f"hierarchy -check -top {CORE}",
        "proc",
        # Where nothing is written, `proc` leaves the address open: any will do, so the one of the
        # model. Else places that no address reaches seem to hold what was written somewhere.
        "opt_clean",
        "opt_expr -mux_undef t:$memwr_v2 %ci1:+[ADDR] %ci1:+$mux[Y] t:$mux %i",
        # A model once, not once for each of its cells. An input on which a look-up table does not
        # depend must not be seen in it: on Nexus it is left open.
        "simplemap",
        *(["opt_expr -mux_bool", "opt_merge"] * 4),
        "opt_clean",
    ]


# Parts of the specification: the module, and the parameters that it is given.
PARTS = {
    "CIPHER": ("fips197", "-chparam KeyBits {key_bits} -chparam Inverse 0"),
    "INVCIPHER": ("fips197", "-chparam KeyBits {key_bits} -chparam Inverse 1"),
    "KEYEXPANSION": ("fips197_key_expansion", "-chparam KeyBits {key_bits}"),
    # The same with the words of the expanded key as an input.
    "CIPHER of words": ("fips197_cipher", "-chparam Nr {rounds}"),
    "INVCIPHER of words": ("fips197_inv_cipher", "-chparam Nr {rounds}"),
    "SUBBYTES": ("fips197_sub_bytes", "-chparam Inverse 0"),
    "INVSUBBYTES": ("fips197_sub_bytes", "-chparam Inverse 1"),
    # Its first row, as Sec. 5.1.3 and 5.3.3 give it.
    "MIXCOLUMNS": ("fips197_mix_columns", f"-chparam A {0x02010103}"),
    "INVMIXCOLUMNS": ("fips197_mix_columns", f"-chparam A {0x0E090D0B}"),
}


@dataclass(frozen=True)
class Forms:
    """The forms of `aesforge_sbox`, by number, that stand for the specification's S-boxes.

    The nearer they are to those of the core, the faster is the proof.
    """

    data: int
    key: int
    both: bool = False
    """Whether the form for both directions stands in the data path, of which one is used."""

    @property
    def text(self) -> str:
        """The Verilog text of modules that stand for them."""
        both = 2 if self.both else None
        return "".join(
            f"module {name} (input logic [7:0] b, output logic [7:0] result);\n"
            f"  aesforge_sbox #(.Style({style}), .Stages(0), .Direction({direction}))\n"
            f"    u_sbox (.clk(1'b0), .inverse(1'b{inverse}), .x(b), .y(result));\nendmodule\n"
            for name, style, direction, inverse in (
                (SBOXES[0], self.data, both or 0, 0),
                (SBOXES[1], self.data, both or 1, 1),
                (KEY_SBOX, self.key, 0, 0),
            )
        )


def specification(part: str, key_bits: int, forms: Forms) -> Circuit:
    """Read the specification, with S-boxes that hold less logic than the definition.

    The S-box modules are replaced by forms of `aesforge_sbox`, which are compared with those of
    the specification for every byte first: the function stays the same. Where a form differs, the
    RTL's S-box is broken, and tables of the definition's values stand in.

    Args:
        part: one of :data:`PARTS`.
        key_bits: 128, 192 or 256.
        forms: what stands for its S-boxes.

    Raises:
        AesforgeError: an S-box in place of another is not the same function.
    """
    own = [formal_dir() / SPECIFICATION]
    module, parameters = PARTS[part]
    with tempfile.TemporaryDirectory() as folder:
        parts = [
            path for path in rtl.filelist() if path.parent.name in ("sbox", rtl.rtl_dir().name)
        ]
        stand_in = Path(folder) / "sbox_stand_in.sv"
        stand_in.write_text(forms.text, encoding="utf-8")
        wrong = _wrong_stand_in([*parts, stand_in])
        if wrong:
            parts = []
            stand_in.write_text(_own_stand_ins(), encoding="utf-8")
            wrong = _wrong_stand_in([stand_in])
        if wrong:
            raise AesforgeError(f"what stands for {wrong} is another function: no proof with it")
        read = f"read_verilog -sv {' '.join(path.name for path in (*parts, stand_in))}"
        script = [
            read,
            f"hierarchy -check -top {KEY_SBOX}",
            "proc",
            "flatten",
            f"design -stash {KEY_SBOX}",
            f"read_verilog -sv {SPECIFICATION}",
            f"delete {' '.join(SBOXES)}",
            read,
            f"hierarchy -check -top {module} "
            + parameters.format(key_bits=key_bits, rounds=key_bits // 32 + 6),
            "proc",
            f"design -import {KEY_SBOX} {KEY_SBOX}",
            f"chtype -set {KEY_SBOX} *fips197_key_expansion*/t:{SBOXES[0]}",
            *_MAP,
        ]
        return Circuit(_made(script, [*own, *parts, stand_in]).aig, tuple(script), digest_of(own))


def _wrong_stand_in(files: Sequence[Path]) -> str:
    """Return which module in place of a specified S-box is another function; empty for none."""
    forward, backward = specified_tables()
    read = f"read_verilog -sv {' '.join(path.name for path in files)}"
    tables = {SBOXES[0]: forward, SBOXES[1]: backward, KEY_SBOX: forward}
    for name, table in tables.items():
        found = _made([read, f"hierarchy -check -top {name}", "proc", *_MAP], files)
        if table_of(found.aig) != table:
            return name
    return ""


def _table_text(name: str, direction: int, ports: str, x: str, y: str) -> str:
    """Return the Verilog text of an S-box as a table of the values that the definition gives."""
    forward, backward = (f"2048'h{bytes(reversed(table)).hex()}" for table in specified_tables())
    return (
        f"module {name} ({ports});\n"
        f"  localparam logic [2047:0] Sbox = {forward};\n"
        f"  localparam logic [2047:0] InvSbox = {backward};\n"
        "  logic [7:0] forward, backward;\n"
        f"  assign forward = Sbox[{{{x}, 3'b000}}+:8];\n"
        f"  assign backward = InvSbox[{{{x}, 3'b000}}+:8];\n"
        f"  assign {y} = {_CHOICES[direction]};\n"
        "endmodule\n"
    )


def _own_stand_ins() -> str:
    """Return the Verilog text of tables in place of the specification's S-boxes."""
    ports = "input logic [7:0] b, output logic [7:0] result"
    of_each = (*enumerate(SBOXES), (sboxes.SBOX, KEY_SBOX))
    return "".join(_table_text(name, of, ports, "b", "result") for of, name in of_each)


def specified_sbox(name: str) -> Circuit:
    """Read an S-box of the specification, one of :data:`SBOXES`, as the standard defines it."""
    script = [
        f"read_verilog -sv {SPECIFICATION}",
        f"hierarchy -check -top {name}",
        "proc",
        *_MAP,
    ]
    return _made(script, [formal_dir() / SPECIFICATION])


def table_of(circuit: Aig) -> bytes:
    """Return the value of a graph with one input byte and one output byte for each of 256 bytes.

    Raises:
        AesforgeError: it has others, or registers.
    """
    import numpy as np

    one, other = (("b", "result"), ("x", "y"))
    names = one if circuit.bits_in(one[0]) else other
    bits_in, bits_out = circuit.bits_in(names[0]), circuit.bits_out(names[1])
    if circuit.registers or len(bits_in) != 8 or len(bits_out) != 8:
        raise AesforgeError("this is no S-box: it is not a byte of a byte")
    leaves = np.zeros((len(circuit.inputs), 4), dtype=np.uint64)
    for bit, literal in enumerate(bits_in):
        ones = [i for i in range(256) if i >> bit & 1]
        for i in ones:
            leaves[(literal >> 1) - 1, i // 64] |= np.uint64(1 << (i % 64))
    rows = aig.value_of(circuit.simulate(leaves), bits_out)
    return bytes(
        sum((int(rows[bit, i // 64]) >> (i % 64) & 1) << bit for bit in range(8))
        for i in range(256)
    )


def specified_tables() -> tuple[bytes, ...]:
    """Return the values of SBOX() and INVSBOX() as the standard defines them."""
    return tuple(table_of(specified_sbox(name).aig) for name in SBOXES)


def _table(function: int) -> Aig:
    """Return an S-box as a table of the definition's values, with the ports of `aesforge_sbox`."""
    ports = "input logic clk, inverse, input logic [7:0] x, output logic [7:0] y"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"{_TABLE}.sv"
        source.write_text(_table_text(_TABLE, function, ports, "x", "y"), encoding="utf-8")
        read = f"read_verilog -sv {source.name}"
        return _made([read, f"hierarchy -check -top {_TABLE}", "proc", *_MAP], [source]).aig


class _StandIns(StandIns):
    """What is put in place of S-boxes.

    Args:
        kinds: of those that are replaced.
    """

    def __init__(self, kinds: AbstractSet[str]) -> None:
        self._kinds = kinds
        self._forms: dict[int, Aig] = {}
        self.found: list[Sbox] = []
        self.wrong: list[str] = []

    @cached_property
    def _tables(self) -> tuple[bytes, ...]:
        return specified_tables()

    @cached_property
    def _columns(self) -> dict[str, tuple[int, int]]:
        return sboxes.columns(self._tables)

    def _form(self, function: int) -> Aig:
        """Return what stands for every S-box that does the same: the form of least logic.

        That is the tower form of the RTL; a table, if that is broken.

        Raises:
            AesforgeError: neither is what the specification says.
        """
        if function not in self._forms:
            right = Sbox("", function, 0)
            found = of_module("aesforge_sbox_tower", {"Stages": 0, "Direction": function}).aig
            if sboxes.recognized(found, self._tables, "") != right:
                found = _table(function)
            if sboxes.recognized(found, self._tables, "") != right:
                raise AesforgeError("what stands for the S-boxes is none: no proof with it")
            self._forms[function] = found
        return self._forms[function]

    def for_module(self, name: str, graph: Callable[[], Aig]) -> StandIn | None:
        kind = sboxes.kind_of(name)
        if kind not in self._kinds:
            return None
        try:
            found = graph()
        except NoGraph:
            return None
        sbox = sboxes.recognized(found, self._tables, kind)
        if sbox is None:
            difference = sboxes.difference(found, self._tables)
            if difference:
                self.wrong.append(f"aesforge_sbox_{kind}: {difference}")
            return None
        self.found.append(sbox)
        return StandIn(self._form(sbox.function), sbox.stages)

    def for_memory(self, contents: str) -> tuple[Aig, str] | None:
        found = self._columns.get(contents) if "bram" in self._kinds else None
        if found is None:
            return None
        function, bit = found
        sbox = Sbox("bram", function, 0)
        if sbox not in self.found:
            self.found.append(sbox)
        return self._form(function), f"y[{bit}]"


def _made(
    script: list[str], sources: Sequence[Path], kinds: AbstractSet[str] = frozenset()
) -> Circuit:
    lines = [*script, f"write_json {_GATES}"]
    digest = digest_of(sources)
    # What puts the modules together has a say in the graph as well.
    ours = digest_of([Path(str(of.__file__)) for of in (elaborate, aig, sboxes, tables, unroll)])
    key = cache.key_of(lines, digest, ours, sorted(kinds), programs.version("yosys"))
    folder = cache.cache_dir() / "circuits" / key

    def make(part: Path) -> None:
        for path in sources:
            (part / path.name).write_bytes(path.read_bytes())
        (part / "circuit.ys").write_text("\n".join(lines) + "\n", encoding="utf-8")
        log = part / "circuit.log"
        try:
            programs.run("yosys", ["circuit.ys"], part, log)
        except ToolFailed as error:
            # The folder goes away with the error: keep the log where the message can point to.
            kept = cache.cache_dir() / "logs" / f"{folder.name}-circuit.log"
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(log, kept)
            raise ToolFailed(error.message.replace(str(log), str(kept))) from None
        modules = read_modules(part / _GATES)
        elaborate.elaborate(modules).write(part / _GRAPH)
        stand_ins = _StandIns(kinds)
        if kinds:
            cut = elaborate.elaborate(modules, stand_ins)
            if stand_ins.found:
                cut.write(part / _CUT)
        found = [dataclasses.asdict(sbox) for sbox in stand_ins.found]
        said = {"sboxes": found, "wrong": sorted({*stand_ins.wrong})}
        (part / _FOUND).write_text(json.dumps(said), encoding="utf-8")
        (part / _GATES).unlink()

    if cache.publish_once(folder, make):
        cache.discard_unused(folder.parent)
    else:
        cache.mark_used(folder)
    said = json.loads((folder / _FOUND).read_bytes())
    found = tuple(Sbox(**sbox) for sbox in said["sboxes"])
    cut = aig.read(folder / _CUT) if found else None
    graph = aig.read(folder / _GRAPH)
    return Circuit(graph, tuple(lines), digest, cut, found, tuple(said["wrong"]))

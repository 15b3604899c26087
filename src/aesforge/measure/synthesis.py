# SPDX-License-Identifier: Apache-2.0
"""Synthesize a core inside the harness with Yosys, and see that all of it is there.

The core stays a module of its own until it is mapped, so that its cells can be told from the
harness's and neither is optimized with knowledge of the other. What is placed, proved and simulated
is the one netlist that this leaves after.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec

from aesforge.devices import Record
from aesforge.devices.families import Family, Recipe
from aesforge.errors import AesforgeError, ToolFailed
from aesforge.measure.harness import CORE, HARNESS_VERSION, INSTANCE, TOP, check_roles, harness
from aesforge.measure.target import HEADERS, Target
from aesforge.netlist.cells import Area, Netlist, StageDepth, by_stage
from aesforge.netlist.labels import Labels, register_names, scopes_of
from aesforge.netlist.module import Module, Port, nets_of, read_module, read_modules
from aesforge.toolchain import cache, programs

NETLIST = "netlist.json"
MAPPED = "mapped.il"
PORTS = "ports.json"
_REGISTERS = "registers.json"
# Stands in a recipe where registers are single bits, and their wires have all their names.
NAME_REGISTERS = "name registers"

# No S-box of 8 bits in, 8 out fits in fewer; a port of a block RAM holds one.
_LEAST_LUTS = {4: 32, 6: 8, 8: 8}
_SBOXES_PER_RAM = 2
_ROUND_KEY_BITS = 128
_TABLES = "*aesforge_sbox_table*"
_REMARK = re.compile(r"^(#| *attribute ).*\n", re.M)


def read_mapped(mapped: Path) -> list[str]:
    """Return the commands that read a mapped core; modules mapped alone stay modules."""
    # Where a module was before it was dissolved is for names in reports.
    return [f"read_rtlil {mapped}", "delete t:$scopeinfo"]


def without_remarks(netlist: Path) -> None:
    """Take out of a file what says where its parts come from: a comment more changes nothing."""
    text = netlist.read_text(encoding="utf-8")
    netlist.write_text(_REMARK.sub("", text), encoding="utf-8")


class Synthesized(Record, frozen=True, kw_only=True):
    """What a synthesis gave, apart from the netlist itself.

    Args:
        area: of the core.
        harness_luts: look-up tables around it.
        harness_ff: flip-flops around it.
        depth: of each stage of the core.
        netlist: hash of the netlist, without the names of source files.
        seconds: what it took.
    """

    area: Area
    harness_luts: int
    harness_ff: int
    depth: list[StageDepth]
    netlist: str
    seconds: float


@dataclass(frozen=True)
class Synthesis:
    """One core, one family, one recipe: where its files lie and how they are made."""

    target: Target
    family_name: str
    family: Family
    recipe: Recipe

    @cached_property
    def key(self) -> str:
        """Return a hash of all that has a bearing on the netlist."""
        return cache.key_of(
            HARNESS_VERSION,
            self.target.digest,
            self.elaborate_script(),
            self.synthesis_script(),
            msgspec.to_builtins(self.family.cells),
            programs.version("yosys"),
        )

    @property
    def folder(self) -> Path:
        """Where the netlist lies, with the scripts and logs that made it."""
        return cache.cache_dir() / "netlists" / self.key

    @property
    def netlist(self) -> Path:
        """The mapped netlist, harness included, flat."""
        return self.folder / NETLIST

    def sources(self) -> list[tuple[Path, str]]:
        """Return each source with the name it has in the folder."""
        return [
            (path, f"rtl/{number:02}_{path.name}") for number, path in enumerate(self.target.files)
        ]

    def elaborate_script(self) -> list[str]:
        """Return the commands that read the core and report its ports."""
        names = [name for _, name in self.sources() if not name.endswith(HEADERS)]
        top = self.target.top
        sets = [f"-set {name} {value}" for name, value in self.target.parameters.items()]
        return [
            f"read_verilog -sv -Irtl {' '.join(names)}",
            *([f"chparam {' '.join(sets)} {top}"] if sets else []),
            f"hierarchy -check -top {top}",
            "proc",
            f"rename -top {CORE}",
            "write_rtlil core.il",
            f"write_json {PORTS}",
        ]

    def synthesis_script(self) -> list[str]:
        """Return the commands that map core and harness, and join them."""
        naming = [
            f"select t:$_*FF* {TOP}/* %d",
            "rename -enumerate -pattern ff%",
            f"select * {TOP} %d",
            f"write_json -selected {_REGISTERS}",
            "select -clear",
        ]
        recipe: list[str] = []
        for command in self.recipe.synthesis:
            recipe += naming if command == NAME_REGISTERS else [command.format(top=TOP)]
        alone = " ".join(self._alone())
        return [
            "read_rtlil core.il",
            f"setattr -mod -set keep_hierarchy 1 {CORE}",
            "read_verilog harness.v",
            *([f"setattr -mod -set keep_hierarchy 1 {alone}"] if alone else []),
            *recipe,
            f"select {CORE} {alone}".rstrip(),
            f"write_rtlil -selected {MAPPED}",
            "select -clear",
            *([f"setattr -mod -unset keep_hierarchy {alone}", "flatten"] if alone else []),
            "autoname",
            f"setattr -mod -unset keep_hierarchy {CORE}",
            "flatten",
            "clean",
            # GateMate's placement takes a cell with a hierarchical name for a module.
            "setattr -unset hdlname t:*",
            f"write_json {NETLIST}",
        ]

    def _alone(self) -> list[str]:
        """Return the patterns of the modules that are mapped on their own."""
        design = self.target.design
        # What is beside an S-box without a stage between is better mapped with it.
        if design is None or not self.recipe.alone or (design.stages and not design.sbox_stages):
            return []
        # A cone of all rounds keeps ABC busy for very long when it is mapped as one piece; and
        # tables between stages are mapped twenty times as fast alone, to as many look-up tables.
        return [*self.recipe.alone, _TABLES]

    def commands(self) -> list[str]:
        """Return what was run, a line each, files by their names only."""
        return [f"yosys: {line}" for line in self.elaborate_script() + self.synthesis_script()]

    def run(self) -> None:
        """Make the netlist unless it is there.

        Raises:
            ToolFailed: Yosys ended with an error.
            UsageError: the ports are not as the target says.
            AesforgeError: the cache cannot be written.
        """
        if cache.publish_once(self.folder, self._build):
            cache.discard_unused(self.folder.parent)
        else:
            cache.mark_used(self.folder)

    def discard(self) -> None:
        """Forget the netlist, so that it is made anew."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def ports(self) -> Mapping[str, Port]:
        """Return the core's ports by name, without a synthesis.

        Raises:
            ToolFailed: Yosys ended with an error.
            UsageError: the ports are not as the target says.
        """
        with tempfile.TemporaryDirectory() as folder:
            return self._elaborate(Path(folder))

    def _elaborate(self, part: Path) -> Mapping[str, Port]:
        (part / "rtl").mkdir()
        for path, name in self.sources():
            (part / name).write_bytes(path.read_bytes())
            # What is included, is so by its own name.
            (part / "rtl" / path.name).write_bytes(path.read_bytes())
        self._yosys(part, "elaborate", self.elaborate_script())
        ports = read_module(part / PORTS, CORE).ports
        check_roles(self.target, ports)
        return ports

    def _build(self, part: Path) -> None:
        ports = self._elaborate(part)
        (part / "harness.v").write_text(harness(self.target, ports), encoding="utf-8")
        self._yosys(part, "synthesize", self.synthesis_script())
        without_remarks(part / MAPPED)
        registers = part / _REGISTERS
        if registers.is_file():
            modules = read_modules(registers, unfinished=True)
            names = {name: register_names(module) for name, module in modules.items()}
            scopes = scopes_of(read_module(part / NETLIST, TOP))
            registers.write_text(json.dumps([names, scopes]), encoding="utf-8")

    @cached_property
    def labels(self) -> Labels:
        """Names for the places in the netlist, which must be there."""
        registers = self.folder / _REGISTERS
        return Labels(*json.loads(registers.read_bytes())) if registers.is_file() else Labels()

    def _yosys(self, part: Path, name: str, script: list[str]) -> None:
        (part / f"{name}.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
        log = part / f"{name}.log"
        try:
            programs.run("yosys", [f"{name}.ys"], part, log)
        except ToolFailed as error:
            # The folder goes away with the error: keep the log where the message can point to.
            kept = cache.cache_dir() / "logs" / f"{self.key}-{name}.log"
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(log, kept)
            raise ToolFailed(error.message.replace(str(log), str(kept))) from None

    def examine(self) -> Synthesized:
        """Read the netlist, count and check it.

        Raises:
            AesforgeError: something of the core is missing from it.
        """
        started = time.monotonic()
        self.run()
        seconds = time.monotonic() - started
        module = read_module(self.netlist, TOP)
        core = Netlist(module, self.family.cells, f"{INSTANCE}.", self.labels)
        whole = Netlist(module, self.family.cells, "", self.labels)
        lut_inputs = self.family.lut_inputs
        area, total = core.area(lut_inputs), whole.area(lut_inputs)
        check_whole(self.target, module, whole, area, lut_inputs)
        depth = by_stage(core.depth())
        if not depth:  # a core without registers ends in its result
            result = module.wires[f"{INSTANCE}.{self.target.roles['result']}"].bits
            deepest = core.depth_of(nets_of(result))
            depth = [StageDepth(stage="result", depth=deepest, registers=0)]
        return Synthesized(
            area=area,
            harness_luts=total.luts - area.luts,
            harness_ff=total.ff - area.ff,
            depth=depth,
            netlist=module.digest(),
            seconds=seconds,
        )


def check_whole(
    target: Target, module: Module, whole: Netlist, area: Area, lut_inputs: int
) -> None:
    """See that neither synthesis nor the harness has removed a part of the core.

    Every bit of a cipher's result must depend on a whole block and on the whole key, and in a key
    expansion every bit of the last round key on the whole key; and one of our designs must have
    room for all its S-boxes.

    Raises:
        AesforgeError: something is missing, with what.
    """
    data = {role: f"{INSTANCE}.{name}" for role, name in target.roles.items() if role != "clock"}
    nets = {role: nets_of(module.wires[name].bits) for role, name in data.items()}
    widths = {role: len(module.wires[name].bits) for role, name in data.items()}
    for role in data:
        if len(nets[role]) < widths[role]:
            raise AesforgeError(
                f"{target.name}: {widths[role] - len(nets[role])} of {widths[role]} bits of the "
                f"{role} are constant in the netlist: the core has been folded away"
            )
    # A key expansion that gives all round keys at once has the last one at the top of the result.
    mixed = nets["result"]
    if target.design is not None and target.design.is_key_expansion:
        mixed = mixed[-_ROUND_KEY_BITS:]
    for role in ("block", "key"):
        if role not in nets or not target.is_cipher:
            continue
        wanted = min(128, widths[role]) if role == "block" else widths[role]
        found = min(whole.sources(mixed, nets[role]), default=0)
        if found < wanted:
            raise AesforgeError(
                f"{target.name}: in the netlist a bit of the result depends on {found} bits of "
                f"the {role}, of a cipher on all {wanted}: a part of the core is missing, or "
                f"'{target.roles[role]}' is not the {role}"
            )
    if target.design is not None:
        room = area.luts // _LEAST_LUTS[lut_inputs] + _SBOXES_PER_RAM * area.block_ram
        if room < target.design.sbox_count:
            raise AesforgeError(
                f"{target.name}: the netlist has room for {room} S-boxes, the design has "
                f"{target.design.sbox_count}: a part of the core is missing"
            )

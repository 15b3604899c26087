# SPDX-License-Identifier: Apache-2.0
"""Prove of an engine what the claims about its parts assume of their neighbours.

A claim of :mod:`aesforge.prove.parts` has assumptions about what comes to its part. Here the claim
stands in the engine, beside the part, with its assumptions as assertions and nothing else. The core
and the queues' RAM may give anything (`formal/modes/any_core.sv`, `any_queue_ram.sv`). ABC's `pdr`
looks for an inductive invariant that no assertion is violated, from a reset on, over any number of
cycles.

What comes out of the shell's queue RAM is looked at where it enters: beats leave in order.
"""

from __future__ import annotations

import dataclasses
import json
import re
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aesforge.design import Engine
from aesforge.prove import parts
from aesforge.prove.circuit import digest_of, formal_dir
from aesforge.prove.engines import induction
from aesforge.prove.mutation import Change, changed_files
from aesforge.prove.stream_circuit import CHECK_OF_MEMORIES, read, script_from, without_folders
from aesforge.prove.stream_refute import Violation, statement_at
from aesforge.toolchain import header, rtl

MODELS = {"aesforge_core": "any_core.sv", "aesforge_queue_ram": "any_queue_ram.sv"}
_RESET = "after_reset"
# Claims are about two key slots. In an engine of GCM the core has one stage in a round: that what
# comes out of it is due takes an invariant for each two stages.
_SLOTS = 2
_ONE_STAGE = {"sbox": "table", "sbox_stages": 0, "linear_stages": 1, "key_sbox": "same"}
_BEGUN = "    assume (begun || rst);\n"
_FREE = re.compile(r"\(\* any(?:const|seq) \*\) logic(?: \[[^;]*?\])? ([\w, \n]+);")
_ASSERTED = re.compile(r"assert \(!begun \|\| (\(.*\))\);")
_PLACED = re.compile(r"(assumed_\w+\.sv):(\d+)")
_SHELL = "aesforge_axis_shell"
ZERO = "'0"


@dataclass(frozen=True)
class Place:
    """Where an engine is looked at, with the assumptions of one claim.

    Args:
        claim: `prove_CLAIM.sv` of `formal/modes`.
        path: instances from the engine to the part, with a dot after each.
        outputs: those of the part on which the assumptions depend.
        module: in which the claim stands, if it is not the part's.
        ports: of the claim in another module, and the nets there; others are 0.
        parameters: likewise.
        only: a name that the assumptions looked at here have in them; none: any.
        without: names that they do not have.
    """

    claim: str
    path: str = ""
    outputs: tuple[str, ...] = ()
    module: str = ""
    ports: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    only: str = ""
    without: tuple[str, ...] = ()

    @property
    def source(self) -> Path:
        """The file of the claim."""
        return formal_dir() / "modes" / f"prove_{self.claim}.sv"

    @property
    def part(self) -> str:
        """The module that the claim is about."""
        return f"aesforge_{module_of(self.claim)}"

    @property
    def name(self) -> str:
        """The module that has the claim's assumptions."""
        return f"assumed_{self.claim}_at_entry" if self.module else f"assumed_{self.claim}"


# At the entry of the modes: what the queue's RAM of the shell takes, and gives in the same order.
_ENTRY = {
    "rst": "rst || zeroize_front_q",
    "in_valid": "take",
    "in_aad": "beat_user[0]",
    "in_tag": "beat_last",
    "in_error": "beat_error_q",
    "in_slot": "beat_note[NoteBits-1:2]",
    "in_decrypt": "beat_note[1] || beat_note[0]",
    "in_iv": "beat_note[0]",
    "in_keep": "beat_keep",
}
_TAG = Place(
    "gcm_tag",
    module=_SHELL,
    ports=_ENTRY,
    parameters={"Blocks": "Bytes / 16"},
    without=("in_valid", "in_data", "aads_d"),
)
_CONTEXT = ("s_ready", "core_valid")
PLACES = {
    parts.XTS: (
        Place("mode_xts", "u_mode.", ("beat_ready",)),
        Place("context_cipher", "u_tweak.u_cipher.", _CONTEXT),
    ),
    parts.OCB: (
        Place("mode_ocb", "u_mode.", ("beat_ready",)),
        Place("ocb_table", "u_table.", ("busy",)),
        Place("context_cipher", "u_nonce.u_cipher.", _CONTEXT),
    ),
}
_GCM = (
    Place("gcm_powers", "u_powers.", ("busy", "zero_valid")),
    Place("staged_counter"),
    _TAG,
)
SERIAL_GCM = (*_GCM, Place("gcm_tag", only="in_valid"), Place("ghash_serial"))


def places_of(engine: Engine) -> tuple[Place, ...]:
    """Return where an engine is looked at: nowhere in one of CCM."""
    if engine.top in (parts.GCM, parts.COUNTED):
        own = _GCM if engine.rtl_parameters()["MultiplyStages"] else SERIAL_GCM
        # One that counts IVs has the other inside.
        around = "" if engine.top == parts.GCM else "u_engine."
        return tuple(dataclasses.replace(one, path=around + one.path) for one in own)
    return PLACES.get(engine.top, ())


def looked_at(engine: Engine) -> Engine:
    """Return the engine with two key slots; one of GCM with a core of one stage in a round."""
    changed: dict[str, Any] = {}
    if engine.top in (parts.GCM, parts.COUNTED):
        changed |= _ONE_STAGE
    if engine.core.key_slots:
        changed["key_slots"] = _SLOTS
    return dataclasses.replace(engine, core=dataclasses.replace(engine.core, **changed))


def module_of(claim: str) -> str:
    """Return the part that a claim is about, both without what comes before their names."""
    text = (formal_dir() / "modes" / f"prove_{claim}.sv").read_text(encoding="utf-8")
    found = re.search(r"^ *aesforge_(\w+) #\(", text, re.M)
    assert found is not None
    return found[1]


def each_assumption(text: str, statement: Callable[[str], str]) -> str:
    """Return a claim with another statement for each assumption but that of a reset.

    Args:
        text: of the claim.
        statement: given the condition, in parentheses.
    """
    if text.count(_BEGUN) != 1:
        raise ValueError("no assumption of a reset where it is looked for")
    return _each(text.replace(_BEGUN, ""), "assume", statement)


def _each(text: str, word: str, statement: Callable[[str], str]) -> str:
    done = ""
    while (at := text.find(f"{word} (")) >= 0:
        start = end = at + len(word) + 1
        depth = 1
        while depth:
            end += 1
            depth += {"(": 1, ")": -1}.get(text[end], 0)
        done += text[:at] + statement(text[start : end + 1])
        text = text[end + 1 :].removeprefix(";")
    return done + text


def asserted(place: Place) -> str:
    """Return a claim with its assumptions as assertions, and no others.

    What is said of the claim's own free nets is no assumption about neighbours. Of the part there
    are the outputs alone.
    """
    text = place.source.read_text(encoding="utf-8")
    free = {name for names in _FREE.findall(text) for name in re.findall(r"\w+", names)}

    def statement(condition: str) -> str:
        names = set(re.findall(r"\w+", condition))
        if names & (free | set(place.without)) or (place.only and place.only not in names):
            return ";"
        return f"assert (!begun || {condition});"

    text = each_assumption(_each(text, "assert", lambda _: ";"), statement)
    # Registers of the part, which only other assertions read.
    text = text.replace("(* keep *)", "(* anyseq *)")
    text = text.replace(place.source.stem, place.name)
    return text.replace(f"{place.part} #", f"{_outputs_of(place)} #")


def _outputs_of(place: Place) -> str:
    return f"outputs_of_{place.name.removeprefix('assumed_')}"


def _outputs(place: Place) -> str:
    """Return a module with the ports of a part. Its outputs are free.

    Those on which assumptions depend have no driver: the script connects them to the part's own.
    """
    (path,) = (one for one in rtl.filelist() if one.stem == place.part)
    text = path.read_text(encoding="utf-8")
    found = re.search(rf"^module {place.part} .*?^\);", text, re.M | re.S)
    assert found is not None
    head = found[0].replace(place.part, _outputs_of(place), 1)
    lines = ["`default_nettype none", head]
    for port in header.read(path).ports:
        if port.direction == "output" and port.name not in place.outputs:
            width = f"[{port.width}:0] " if port.width else ""
            lines.append(f"  (* anyseq *) logic {width}any_{port.name};")
            lines.append(f"  assign {port.name} = any_{port.name};")
    return "\n".join([*lines, "endmodule", "`default_nettype wire", ""])


def instance(place: Place, inside: Path) -> str:
    """Return the instance of a claim's assumptions in a module.

    Args:
        place: the place.
        inside: the file of the module.
    """
    own, claimed = header.read(inside), header.read(place.source)
    parameters, ports = dict(place.parameters), dict(place.ports)
    if not place.module:
        names = {one.name for one in own.parameters} & {one.name for one in claimed.parameters}
        parameters = {name: name for name in sorted(names)}
        ports = {one.name: one.name for one in own.ports}
        ports["rst"] = "rst || zeroize" if "zeroize" in ports else "rst"
    values = ["Steps(1'b0)", *(f"{name}({value})" for name, value in parameters.items())]
    nets = ["clk(clk)"]
    for port in claimed.ports:
        if port.name != "clk":
            nets.append(f"{port.name}({ports.get(port.name, ZERO)})")
    return (
        f"  {place.name} #({', '.join(f'.{one}' for one in values)}) u_{place.name} ("
        f"{', '.join(f'.{one}' for one in nets)});\n"
    )


def with_claims(engine: Engine, folder: Path, changes: Sequence[Change] = ()) -> list[Path]:
    """Write the sources of an engine with the assumptions in it, in compile order.

    Args:
        engine: the engine, with two key slots if it has any.
        folder: takes the sources.
        changes: to be made to the RTL first; those of other files are left out.

    Raises:
        UsageError: a change does not fit.
    """
    formal = formal_dir() / "modes"
    inside: dict[str, list[Place]] = {}
    for place in places_of(engine):
        inside.setdefault(place.module or place.part, []).append(place)
    files = rtl.needed_by(engine.top, without=MODELS)
    own = [one for one in changes if one["file"] in {path.name for path in files}]
    # The package stands before all others.
    package, *others = changed_files(folder, files, own)
    written = [package, *(formal / model for model in MODELS.values()), formal / f"{_RESET}.sv"]
    for path in others:
        added = "".join(instance(place, path) for place in inside.get(path.stem, []))
        if path.stem == engine.top:
            added += f"  {_RESET} u_{_RESET} (.clk, .rst, .zeroize);\n"
        for place in inside.get(path.stem, []):
            for name, text in (
                (place.name, asserted(place)),
                (_outputs_of(place), _outputs(place)),
            ):
                written.append(folder / f"{name}.sv")
                written[-1].write_text(text, encoding="utf-8")
        if added:
            text = path.read_text(encoding="utf-8")
            at = text.rindex("endmodule")
            path = folder / f"with_{path.name}"
            path.write_text(text[:at] + added + text[at:], encoding="utf-8")
        written.append(path)
    return written


def script_of(engine: Engine, files: Sequence[Path]) -> list[str]:
    """Return the commands of Yosys that write the assertions in an engine as an AIGER file."""
    nets = {}
    for place in places_of(engine):
        text = place.source.read_text(encoding="utf-8")
        found = re.search(rf"{place.part} #\(.*?^  \) (\w+) \(", text, re.M | re.S)
        assert found is not None
        for output in place.outputs:
            nets[f"{place.path}u_{place.name}.{found[1]}.{output}"] = f"{place.path}{output}"
    return script_from(engine.top, engine.rtl_parameters(), nets, files, check=CHECK_OF_MEMORIES)


def _texts(folder: Path) -> list[str]:
    """Return each assertion of a circuit as the assumption that it was."""
    names = json.loads((folder / "claim.json").read_text(encoding="utf-8"))["asserts"]
    found = []
    for (name,) in names:
        place = _PLACED.search(name)
        assert place is not None
        lines = (folder / place[1]).read_text(encoding="utf-8").splitlines()
        text = statement_at(lines, int(place[2]) - 1)
        claim = place[1].removeprefix("assumed_").removesuffix(".sv")
        found.append(f"{claim}: " + _ASSERTED.sub(r"assume \1;", text))
    return found


@dataclass(frozen=True)
class Found:
    """What was found of an engine.

    Args:
        assumptions: each, and whether it holds; one of several instances stands here several times.
        digest: SHA-256 of the sources.
        commands: of Yosys.
        seconds: what it took.
        megabytes: the most memory.
    """

    assumptions: Sequence[tuple[str, induction.Always]]
    digest: str
    commands: Sequence[str]
    seconds: float
    megabytes: float

    @property
    def holds(self) -> bool:
        """All hold in every cycle."""
        return all(one.holds for _, one in self.assumptions)

    def violated(self) -> str:
        """Return one that does not hold, as a sentence; nothing if there is none."""
        for text, one in self.assumptions:
            if one.cycle is not None:
                return Violation(text, one.cycle).text()
        return ""

    def undecided(self) -> str:
        """Return one that was neither proved nor violated; nothing if there is none."""
        undecided = (text for text, one in self.assumptions if not one.holds and one.cycle is None)
        return next(undecided, "")


def _circuit(engine: Engine, folder: Path, changes: Sequence[Change]) -> tuple[str, list[str]]:
    """Write the assertions in an engine as `claim.aig`; return the sources' hash and the script."""
    engine = looked_at(engine)
    files = with_claims(engine, folder, changes)
    script = script_of(engine, files)
    read(folder, script)
    return digest_of(files), without_folders(folder, script)


def refute(
    engine: Engine,
    changes: Sequence[Change],
    *,
    cycles: int,
    seconds: float = 600.0,
    megabytes: int = 8000,
) -> Violation | None:
    """Search for a violated assumption, from a reset on.

    Args:
        engine: the engine; :func:`looked_at` of it is searched.
        changes: to be made to the RTL first.
        cycles: how far to search.
        seconds: the longest that the search may take.
        megabytes: the most memory that it may address.

    Returns:
        The violation; None where there is none in these cycles.

    Raises:
        UsageError: a change does not fit.
        ToolMissing: a tool is not installed.
        ToolFailed: the RTL could not be read, or the search came to no end.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _circuit(engine, folder, changes)
        path = folder / "claim.aig"
        found = induction.violation(path, cycles, seconds=seconds, megabytes=megabytes)
        return None if found is None else Violation(_texts(folder)[found[0]], found[1])


def prove(
    engine: Engine,
    changes: Sequence[Change] = (),
    *,
    seconds: float = 600.0,
    megabytes: int = 8000,
) -> Found:
    """Prove in an engine what the claims about its parts assume.

    Args:
        engine: the engine; :func:`looked_at` of it is proved.
        changes: to be made to the RTL first.
        seconds: the longest that one assumption may take.
        megabytes: the most memory that the search may address.

    Raises:
        UsageError: a change does not fit.
        ToolMissing: a tool is not installed.
        ToolFailed: the RTL could not be read, or memory ran out.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        digest, commands = _circuit(engine, folder, changes)
        found, most = induction.always(folder / "claim.aig", seconds=seconds, megabytes=megabytes)
        assumptions = list(zip(_texts(folder), found, strict=True))
    return Found(assumptions, digest, commands, time.monotonic() - started, most)

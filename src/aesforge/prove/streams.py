# SPDX-License-Identifier: Apache-2.0
"""Prove that an engine computes its mode, for packets of any length.

`formal/engines/prove_engine.sv` states the claim around `aesforge_engine`, `prove_interleaved.sv`
that around `aesforge_engine_interleaved` (:mod:`aesforge.prove.interleaved`). One beat is followed,
any beat, from the input to the output. Three proofs make the whole:

- the core's own proof: it is CIPHER() or INVCIPHER() of FIPS 197, with its latency;
- `aesforge_queue_ram` does nothing that its model does not; an interleaved engine keeps the RAM;
- the engine with models in place of the core and of the queues' RAM: the model of the core is any
  function of block, key and direction, with the core's latency; a looped one may be full at any
  time, and a key load may take any time. The assertions hold in a cycle if
  they held in the one before: one question to a SAT solver, from any state whatever.

Of engines of GCM, OCB, XTS and CCM, parts are proved in place of the last two
(:mod:`aesforge.prove.parts`).

The assertions are about registers of the engine, so one that does not follow from the cycle before
refutes nothing. Only a violation at the ports, from a reset on, does (:func:`refute`).
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aesforge.design import Engine
from aesforge.design.engine import FIELDS as ENGINE_FIELDS
from aesforge.errors import ToolFailed
from aesforge.prove import interleaved, multiplier, parts, run
from aesforge.prove.assumptions import (
    ASSUMPTIONS,
    ENGINE_ASSUMPTIONS,
    ENGINE_NOT_COVERED,
    NOT_COVERED,
    OCB_AND_XTS,
    PART_ASSUMPTIONS,
    PART_NOT_COVERED,
    Statement,
    of_engine,
    of_proof,
)
from aesforge.prove.certificate import RECOGNIZE, Proof, Step
from aesforge.prove.circuit import digest_of, formal_dir
from aesforge.prove.engines import induction, random_search
from aesforge.prove.multiplier import Multiplier
from aesforge.prove.mutation import Change, changed_files
from aesforge.prove.parts import Part
from aesforge.prove.properties import claim
from aesforge.prove.shells import places, shell_nets, without_a_context
from aesforge.prove.steps import Say
from aesforge.prove.time_limit import OutOfTime, time_limit
from aesforge.toolchain import programs, rtl

TOP, ENGINE = "prove_engine", "aesforge_engine"
RAM_TOP, RAM = "prove_queue_ram", "aesforge_queue_ram"
CORE_MODEL, RAM_MODEL = "core_model.sv", "queue_ram_model.sv"
PARAMETERS = (
    *("KeyBits", "Direction", "Unroll", "SboxStages", "LinearStages", "Modes", "IdBits"),
    *("UserBits", "KeySlots", "Tiles", "Depth", "ContextTimeout", "QueueStyle"),
)
QUEUE_STYLES = tuple(ENGINE_FIELDS["queue_ram"].allowed)
# Words of distributed RAM in a bank of aesforge_queue_ram.
_BANK = 16
# Cycles after the latency in which a violation is searched where the proof fails.
_SEARCHED = 6
# Latencies for which random inputs are tried first.
_TRIED_CYCLES = 12


def claim_text(engine: Engine) -> str:
    """Return the claim for an engine."""
    if interleaved.covers(engine):
        return interleaved.claim_text(engine)
    if parts.covers(engine):
        return parts.claim_text(engine)
    late = without_a_context(engine)
    key = (
        ""
        if engine.core.is_agile
        else "The key of a packet is the last one accepted at s_key for its slot in a cycle before "
        "its first beat was, whatever is loaded later; it is an error if there is none. "
    )
    return (
        "Since the last reset, if zeroize was low and senders held tvalid until accepted: the "
        f"beats of {engine.beat_bytes} bytes at m_axis are those accepted at s_axis, in order, "
        "none lost, repeated or invented, "
        "each with its tkeep, tlast, tid and tuser. The "
        f"kept bytes of a beat without error are {engine.mode_label} of SP 800-38A of its packet, "
        f"under the packet's key and IV, with AES-{engine.core.key_bits} of FIPS 197; all other "
        "bytes are 0. A packet has the first context that was accepted before its first beat and "
        f"that no other packet has; {late} is one accepted without a context. {key}The error flag "
        "is high from the beat in which an error of the packet is known to its last one, and low "
        "otherwise. What is at m_axis stays until it is accepted. All this for every key, IV and "
        "text, packets of any length, any tkeep, any stalls at s_ctx, s_axis and m_axis"
        f"{'' if engine.core.is_agile else ', and any keys at s_key'}, over any number of cycles."
    )


# --- The sources and the scripts


def _files(
    top: str,
    models: Mapping[str, str],
    claim: str,
    folder: Path,
    changes: Sequence[Change],
    kind: str = "engines",
) -> list[Path]:
    """Return sources in compile order: a module with what it needs, models, and what is claimed.

    Raises:
        UsageError: a change does not fit.
    """
    own = formal_dir() / kind
    return [
        *changed_files(folder, rtl.needed_by(top, without=models), changes),
        *(own / model for model in models.values()),
        own / f"{claim}.sv",
    ]


def files_of(
    folder: Path, changes: Sequence[Change] = (), *, steps: bool = True, top: str = ENGINE
) -> list[Path]:
    """Return the sources of the claim in compile order: the engine, the models and the claim.

    Args:
        folder: takes the changed files.
        changes: to be made to the RTL.
        steps: with a model of the queues' RAM, in place of the RAM; an interleaved engine has none.
        top: the engine's module.

    Raises:
        UsageError: a change does not fit.
    """
    if top in parts.TOPS:
        return changed_files(folder, rtl.needed_by(top, without={"aesforge_core"}), changes)
    if top == interleaved.ENGINE:
        models = {"aesforge_core": interleaved.CORE_MODEL}
        return _files(top, models, interleaved.TOP, folder, changes)
    if not steps:
        return _files(ENGINE, {"aesforge_core": CORE_MODEL}, TOP, folder, changes)
    models = {"aesforge_core": CORE_MODEL, RAM: RAM_MODEL}
    # Where the model stands, a change of the RAM is none.
    others = [one for one in changes if one["file"] != f"{RAM}.sv"]
    return _files(ENGINE, models, TOP, folder, others)


def ram_files_of(folder: Path, changes: Sequence[Change] = ()) -> list[Path]:
    """Return the sources of the claim about the queues' RAM; other changes are left out."""
    return _files(RAM, {}, RAM_TOP, folder, [one for one in changes if one["file"] == f"{RAM}.sv"])


def part_files_of(part: Part, folder: Path, changes: Sequence[Change] = ()) -> list[Path]:
    """Return the sources of the claim about a part in compile order; other changes are left out.

    Args:
        part: the part.
        folder: takes the changed files.
        changes: to be made to the RTL.
    """
    there = {path.name for path in rtl.needed_by(part.module, without=part.models)}
    own = [one for one in changes if one["file"] in there]
    return _files(part.module, part.models, part.top, folder, own, "modes")


def _connections(design: Engine, steps: bool) -> dict[str, str]:
    """Return nets of the claim, and the nets of the engine that they are connected to.

    Args:
        design: the engine.
        steps: with the assertions about registers.
    """
    modes, tiles = design.rtl_parameters()["Modes"], design.core.blocks_per_beat
    engine, shell = "u_engine.", "u_engine.u_shell."
    found = {
        **{
            name: f"{engine}u_core.{name}"
            for name in (
                *("some_block", "some_result", "some_key"),
                *("some_decrypt", "some_index", "some_slot"),
            )
        },
    }
    if not steps:
        return found
    queue = f"{shell}u_queue."
    inside = {
        **{name: engine + name for name in ("zeroizing", "zeroizing_q", "core_zeroize")},
        **{name: engine + name for name in ("skip_q", "skip_rst_q")},
        **{
            name: shell + name
            for name in (
                *("zeroize_front_q", "zeroize_back_q", "zeroize_data_q"),
                *("head_q", "first_q", "last_q"),
                *("head_error", "broken_q", "context_error_q", "partial_q", "inside_q"),
                *("ready_q", "fresh_q", "credit", "missing", "data_q", "keep_q", "id_q", "user_q"),
                *("step", "beat_ready", "beat_valid"),
                *("beat_first", "beat_block", "beat_last", "beat_error_q"),
                *("beat_data", "beat_xor", "beat_keep", "beat_id_q", "beat_user"),
                *("open_header", "beat_header", "beat_payload"),
                *("result_first_valid_q", "result_second_valid_q", "out_valid_q"),
                *("result_first_q", "result_second_q", "out_data_q", "out_keep_q"),
                *("out_error_q", "out_last_q", "out_id_q", "out_user_q"),
                *("side_second_q", "place_q"),
            )
        },
        "side_place": f"{shell}u_sides.some_place",
        "out_place": f"{shell}u_queue.u_ram.some_place",
        "side_write_q": f"{shell}write_q",
        "side_read_q": f"{shell}read_q",
        "side_word_q": f"{shell}u_sides.word_q",
        "side_first_q": f"{shell}u_sides.first_q",
        **shell_nets(shell, design),
        "queue_zeroize_q": f"{queue}zeroize_q",
        "queue_leave": f"{queue}leave",
        "queue_write_q": f"{queue}write_q",
        "queue_read_q": f"{queue}read_q",
        "queue_after_q": f"{queue}after_q",
        "some_q": f"{queue}some_q",
        "queue_first_valid_q": f"{queue}first_valid_q",
        "queue_second_valid_q": f"{queue}second_valid_q",
        "stall_q": f"{queue}u_slice.stall_q",
        "queue_word_q": f"{queue}u_ram.word_q",
        "queue_first_q": f"{queue}u_ram.first_q",
        "queue_second_q": f"{queue}second_q",
        "spare_q": f"{queue}u_slice.spare_q",
        "core_valid_q": f"{engine}u_core.valid_q",
        "core_same_q": f"{engine}u_core.same_q",
    }
    if modes >= 4:
        inside["gen_previous.previous_q"] = f"{engine}u_mode.gen_previous.previous_q"
    if modes & 2:
        counter = f"{engine}u_mode.gen_counter.u_counter."
        words = [f"{counter}gen_word[{word}]." for word in reversed(range(8))]
        inside |= {
            "gen_counter.valid_q": f"{counter}valid_q",
            "gen_counter.take_q": f"{counter}take_q",
            "gen_counter.pass_q": places(f"{counter}side_q", 10 if tiles > 1 else 8),
            "gen_counter.late_q": ",".join(places(f"{word}late_q", 8) for word in words),
            "gen_counter.early_q": ",".join(places(f"{word}early_q", 8) for word in words),
            "gen_counter.carry_q": ",".join(f"{word}carry_q" for word in words),
            "gen_counter.count_load_q": ",".join(f"{word}load_q" for word in words),
        }
    if not design.core.is_agile:
        interlock, slots = f"{engine}gen_interlock.u_interlock.", f"{engine}u_core.gen_slots."
        inside |= {
            "gen_keys.drain_q": f"{interlock}drain_q",
            "gen_keys.pending": f"{interlock}u_key.pending",
            "gen_keys.waiting_slot": f"{interlock}u_key.key_slot",
            "gen_keys.waiting_key": f"{interlock}u_key.key",
            **{f"gen_keys.{name}": f"{interlock}u_key.{name}" for name in ("loading_q", "known_q")},
            **{
                f"gen_keys.{name}": slots + name
                for name in (
                    *("busy_q", "load_slot_q", "load_same_q"),
                    *("slot_valid_q", "slot_same_q"),
                )
            },
        }
    if modes & 2 and tiles > 1:
        inside |= _of_blocks(f"{engine}u_mode.gen_counter.u_counter.", tiles)
    return found | {f"gen_steps.{name}": register for name, register in inside.items()}


def _of_blocks(counter: str, tiles: int) -> dict[str, str]:
    """Return nets of the claim about the counter blocks of a beat, and what they are connected to.

    Args:
        counter: the counter.
        tiles: blocks of a beat.
    """
    own, sums, base, over, more = [], [], [], [], []
    for block in reversed(range(tiles)):
        for word in reversed(range(8)):
            inside = f"{counter}gen_word[{word}].gen_blocks.gen_block[{block}]."
            # Word i waits i stages before its base, and 7 - i after its sum.
            own += [*_nothing(7 - word), places(f"{inside}own_q", word + 1)]
            sums += [*_nothing(word), places(f"{inside}sum_q", 8 - word)]
            base.append(f"{inside}base_q")
            over.append(f"{inside}over_q")
        more.append(f"{counter}gen_word[0].gen_blocks.gen_block[{block}].gen_sum.more_q")
    blocks = "gen_counter.gen_blocks."
    return {
        f"{blocks}own_q": ",".join(own),
        f"{blocks}sum_q": ",".join(sums),
        f"{blocks}base_q": ",".join(base),
        f"{blocks}over_q": ",".join(over),
        f"{blocks}more_q": ",".join(more),
        f"{blocks}count_q": f"{counter}count_q",
    }


def _nothing(registers: int) -> list[str]:
    """Return so many registers of 16 bits that do not exist, as zeros."""
    return [f"{16 * registers}'b{'0' * 16 * registers}"] if registers else []


# No net may be without a driver, before what is left open becomes a free input.
_CHECK = "check -assert"
# The same, in a file, where memories of other sizes than powers of two leave nets of their own.
_CHECKED, _CHECK_OF_MEMORIES = "check.txt", "tee -q -o check.txt check"
_UNDRIVEN = re.compile(r"Wire \S+?\.(\S+) .*is used but has no driver")

# What Yosys makes of a circuit with assertions.
TO_AIGER = (
    *("opt_clean", _CHECK, "opt_expr", "opt_clean", "async2sync", "dffunmap"),
    *("formalff -clk2ff -ff2anyinit", "setundef -undriven -anyseq", "opt -keepdc -fast"),
    *("delete -output", "select -assert-min 1 t:$assert t:$check", "chformal -lower"),
    *("simplemap", "techmap", "opt_expr", "aigmap", "clean"),
    "write_aiger -I -B -zinit -no-startoffset -ywmap claim.json claim.aig",
)


def _script(
    top: str,
    parameters: Mapping[str, int],
    connections: Mapping[str, str],
    files: Sequence[Path],
    *,
    check: str = _CHECK,
) -> list[str]:
    """Return the commands of Yosys that write a claim as an AIGER file, `claim.aig`."""
    return [
        f"read_verilog -formal -sv {' '.join(map(str, files))}",
        f"chparam {' '.join(f'-set {name} {v}' for name, v in parameters.items())} {top}",
        f"hierarchy -check -top {top}",
        *("proc", "flatten", "memory_collect", "memory_map"),
        # Before any optimization, which may give a net without a driver another's name.
        *(f"connect -nounset -set {net} {register}" for net, register in connections.items()),
        *(check if line == _CHECK else line for line in TO_AIGER),
    ]


def script_of(
    engine: Engine, files: Sequence[Path], *, steps: bool = True, cover: bool = False
) -> list[str]:
    """Return the commands of Yosys that write the claim of an engine as an AIGER file.

    Args:
        engine: the engine.
        files: the sources, in compile order.
        steps: with the assertions about registers.
        cover: with one assertion in place of all: that what must be reachable is not.
    """
    values, woven = engine.rtl_parameters(), interleaved.covers(engine)
    names = interleaved.PARAMETERS if woven else PARAMETERS
    parameters = {name: values[name] for name in names if name in values}
    parameters["CoreLatency"] = engine.core.latency_cycles
    parameters |= {"Steps": int(steps), "Cover": int(cover)}
    if not woven:
        return _script(TOP, parameters, _connections(engine, steps), files)
    nets = interleaved.connections(engine, steps)
    return _script(interleaved.TOP, parameters, nets, files, check=_CHECK_OF_MEMORIES)


def part_script_of(
    part: Part, files: Sequence[Path], *, steps: bool = True, cover: bool = False
) -> list[str]:
    """Return the commands of Yosys that write the claim about a part as an AIGER file.

    Args:
        part: the part.
        files: the sources, in compile order.
        steps: with the assertions about registers.
        cover: with one assertion in place of all: that what must be reachable is not.
    """
    parameters = {**part.parameters, "Steps": int(steps), "Cover": int(cover)}
    return _script(part.top, parameters, part.nets, files, check=_CHECK_OF_MEMORIES)


def ram_script_of(width: int, depth: int, style: int, files: Sequence[Path]) -> list[str]:
    """Return the commands of Yosys that write the claim of a queue's RAM as an AIGER file.

    Args:
        width: bits of a word.
        depth: words.
        style: of the RAM, as `aesforge_queue_ram` counts it.
        files: the sources, in compile order.
    """
    if style == QUEUE_STYLES.index("block") or depth <= _BANK:
        ram = "u_ram.gen_block."
        inside = {"memory": places(f"{ram}memory", depth), "first_q": f"{ram}first_q"}
    else:
        ram = "u_ram.gen_banks."
        banks = reversed(range(depth // _BANK))
        memory = ",".join(places(f"{ram}gen_bank[{bank}].memory", _BANK) for bank in banks)
        inside = {"memory": memory, "first_q": f"{ram}word"}
    return _script(RAM_TOP, {"Width": width, "Depth": depth, "Style": style}, inside, files)


def read(folder: Path, script: list[str]) -> None:
    """Run Yosys: `claim.aig` and `claim.json`, the names of the assertions.

    Raises:
        ToolFailed: it does not understand the sources.
    """
    (folder / "claim.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
    programs.run("yosys", ["claim.ys"], folder, folder / "yosys.log")
    if _CHECK_OF_MEMORIES in script:
        said = (folder / _CHECKED).read_text(encoding="utf-8")
        if nets := {one for one in _UNDRIVEN.findall(said) if not one.startswith("$memory")}:
            raise ToolFailed(f"nets without a driver: {', '.join(sorted(nets))}")


# --- The proof


def prove_stream(
    engine: Engine,
    *,
    route: str = RECOGNIZE,
    changes: Sequence[Change] = (),
    seconds: float = 3600.0,
    timeout: float | None = None,
    megabytes: int = 8000,
    say: Say = lambda _: None,
) -> Proof:
    """Prove that an engine's RTL computes its mode, around its core, which is proved too.

    Args:
        engine: the engine.
        route: of the core's proof, one of `aesforge.prove.certificate.ROUTES`.
        changes: to be made to the RTL first, but not to the core's, to see that the proof fails.
        seconds: the longest that one call of a solver may take.
        timeout: the longest that all may take, in seconds; only heeded in the main thread.
        megabytes: the most memory that one call may address.
        say: called with each step.

    Raises:
        UsageError: a change does not fit.
        ToolMissing: a tool is not installed.
        ToolFailed: the RTL could not be read, or not in time.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = files_of(folder, changes, top=engine.top)
        proof = _begun(engine, route, files)
        proof.changes = list(changes)
        limits = (seconds, megabytes, say)
        try:
            with time_limit(timeout):
                done = _core(proof, engine, *limits) and (
                    _parts(proof, engine, changes, *limits)
                    if parts.covers(engine)
                    else (interleaved.covers(engine) or _queue_ram(proof, engine, changes, *limits))
                    and _mode(proof, engine, folder, files, *limits)
                )
        except OutOfTime as error:
            last = next((one.name for one in proof.steps if one.result == "not finished"), "")
            proof.reason = f"{last or 'reading the RTL'}: {error.message}"
        except ToolFailed as error:
            proof.reason = error.message
        else:
            if done:
                proof.result = "proved"
                if parts.covers(engine):
                    proof.reason = "parts of the engine, each by itself"
            elif any(one.result == "not proved" for one in proof.steps):
                proof.result = "not proved"
    proof.seconds = time.monotonic() - started
    return proof


def assumed(engine: Engine, route: str) -> list[dict[str, str]]:
    """Return what the proof of an engine assumes: `id` and `text` of each.

    Args:
        engine: the engine.
        route: of the core's proof, one of `aesforge.prove.certificate.ROUTES`.
    """
    return _statements(engine, route, ASSUMPTIONS, ENGINE_ASSUMPTIONS, PART_ASSUMPTIONS)


def not_covered(engine: Engine, route: str) -> list[dict[str, str]]:
    """Return what the proof of an engine does not cover: `id` and `text` of each.

    Args:
        engine: the engine.
        route: of the core's proof, one of `aesforge.prove.certificate.ROUTES`.
    """
    return _statements(engine, route, NOT_COVERED, ENGINE_NOT_COVERED, PART_NOT_COVERED)


def _statements(
    engine: Engine,
    route: str,
    of_cores: tuple[Statement, ...],
    of_engines: tuple[Statement, ...],
    of_parts: tuple[Statement, ...],
) -> list[dict[str, str]]:
    """Return what is to be said of the core, and of an engine or of its parts."""
    said = of_proof(of_cores, engine.core, None, route)
    if parts.covers(engine):
        others = () if engine.top in (parts.OCB, parts.XTS) else (OCB_AND_XTS,)
        own = tuple(one for one in of_parts if one.about not in others)
        return [*said, *of_proof(own, engine.core, None, route)]
    woven = interleaved.covers(engine)
    return [*said, *of_engine(of_engines, engine.core, route, interleaved=woven)]


def _begun(engine: Engine, route: str, files: Sequence[Path]) -> Proof:
    """Return a proof in which nothing is proved yet."""
    core = engine.core
    return Proof(
        design={"name": engine.name, **engine.choices()},
        summary=engine.summary(),
        family=None,
        recipe=None,
        route=route,
        assumptions=assumed(engine, route),
        not_covered=not_covered(engine, route),
        claim=f"{claim_text(engine)} The core inside: {claim.claim_text(core)}",
        hashes={"engine": digest_of(files)},
        commands={},
        versions=run.versions(),
    )


def _step(proof: Proof, name: str, say: Say) -> Step:
    say(name)
    step = Step(name=name)
    proof.steps.append(step)
    return step


def _core(proof: Proof, engine: Engine, seconds: float, megabytes: int, say: Say) -> bool:
    """Prove the core inside, step by step; return whether it is proved."""
    found = run.prove(engine.core, route=proof.route, seconds=seconds, megabytes=megabytes, say=say)
    for step in found.steps:
        proof.steps.append(replace(step, name=f"core, {step.name}"))
    proof.hashes |= found.hashes
    proof.commands |= found.commands
    if found.result != "proved":
        proof.reason = f"core: {found.reason}"
    return found.result == "proved"


def _parts(
    proof: Proof,
    engine: Engine,
    changes: Sequence[Change],
    seconds: float,
    megabytes: int,
    say: Say,
) -> bool:
    """Prove the parts of an engine, one by one."""
    limits = (seconds, megabytes, say)
    return all(
        _multiplier(proof, one, changes, say) for one in parts.multipliers_of(engine)
    ) and all(_part(proof, one, changes, *limits) for one in parts.parts_of(engine))


def _multiplier(proof: Proof, one: Multiplier, changes: Sequence[Change], say: Say) -> bool:
    """Prove that a multiplier gives the product, by algebra."""
    step = _step(proof, f"{one.module}: the product of all factors", say)
    with tempfile.TemporaryDirectory() as name:
        own = [change for change in changes if change["file"] == f"{one.module}.sv"]
        files = changed_files(Path(name), rtl.needed_by(one.module), own)
        found = multiplier.prove(one, files=files)
        proof.hashes[one.module] = digest_of(files)
    step.result, step.seconds, step.sat_calls = found.result, found.seconds, found.sat_calls
    step.cases = step.proofs = 1
    proof.reason = found.reason
    return found.result == "proved"


def _part(
    proof: Proof,
    part: Part,
    changes: Sequence[Change],
    seconds: float,
    megabytes: int,
    say: Say,
) -> bool:
    """Prove a part as a step of an engine's proof."""
    say(part.name)
    step, proof.reason, proof.hashes[part.name], proof.commands[part.name] = prove_part(
        part, changes, seconds=seconds, megabytes=megabytes
    )
    proof.steps.append(step)
    return step.result == "proved"


def prove_part(
    part: Part, changes: Sequence[Change] = (), *, seconds: float = 3600.0, megabytes: int = 8000
) -> tuple[Step, str, str, list[str]]:
    """Prove a part by induction over some cycles, and search the first ones after a reset.

    Args:
        part: the part.
        changes: to be made to the RTL first.
        seconds: the longest that one call of a solver may take.
        megabytes: the most memory that it may address.

    Returns:
        The step of the proof, why it is not proved, SHA-256 of the sources, and Yosys' commands.

    Raises:
        UsageError: a change does not fit.
        ToolMissing: a tool is not installed.
        ToolFailed: the RTL could not be read, or a search came to no end.
    """
    step, reason = Step(name=part.name), ""
    started = time.monotonic()
    limits = (seconds, megabytes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = part_files_of(part, folder, changes)
        script = part_script_of(part, files)
        digest, commands = digest_of(files), _without(folder, script)
        holds = _inductive(step, folder, script, *limits, part.cycles)
        if holds and part.cycles > 1:
            step.sat_calls += 1
            first = induction.violation(
                folder / "claim.aig", part.cycles, seconds=seconds, megabytes=megabytes
            )
            if first is not None:
                reason = _violation(folder, files[-1], *first).text()
    if not holds:
        reason = "an assertion about registers does not follow from the cycles before"
        cycles = part.cycles + _SEARCHED
        found = refute_part(part, changes, cycles=cycles, seconds=seconds, megabytes=megabytes)
        if found is None:
            reason += f"; the ports show no fault in the first {cycles} cycles"
        else:
            step.result, reason = "not proved", found.text()
    elif reason:
        step.result = "not proved"
    else:
        step.result = "proved"
    step.seconds = time.monotonic() - started
    return step, reason, digest, commands


def _queue_ram(
    proof: Proof,
    engine: Engine,
    changes: Sequence[Change],
    seconds: float,
    megabytes: int,
    say: Say,
) -> bool:
    """Prove that the queues' RAM does nothing that its model does not."""
    step = _step(proof, "queue RAM: a read returns the last word of its place", say)
    started = time.monotonic()
    values = engine.rtl_parameters()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = ram_files_of(folder, changes)
        style = values.get("QueueStyle", QUEUE_STYLES.index("block"))
        # Each bit of a word is on its own: 148 bits take a hundred times as long.
        script = ram_script_of(1, values["Depth"], style, files)
        proof.hashes["queue RAM"] = digest_of(files)
        proof.commands["queue RAM"] = _without(folder, script)
        holds = _inductive(step, folder, script, seconds, megabytes)
        step.result = "proved" if holds else "not proved"
    if not holds:
        proof.reason = "a read of the queues' RAM may give something else than was written"
    step.seconds = time.monotonic() - started
    return holds


def _mode(
    proof: Proof,
    engine: Engine,
    folder: Path,
    files: Sequence[Path],
    seconds: float,
    megabytes: int,
    say: Say,
) -> bool:
    """Prove the engine around models of its core and its RAM."""
    step = _step(proof, "mode: every beat and its sidebands, from each cycle to the next", say)
    started = time.monotonic()
    script = script_of(engine, files)
    proof.commands["engine"] = _without(folder, script)
    proof.commands["abc"] = [*proof.commands.get("abc", []), induction.STEP.text]
    holds = _inductive(step, folder, script, seconds, megabytes)
    step.result = "proved" if holds else "not finished"
    step.seconds = time.monotonic() - started
    if not holds:
        proof.reason = "an assertion about registers does not follow from the cycle before"
        cycles = engine.latency_cycles + _SEARCHED
        say(f"{proof.reason}; searching {cycles} cycles after a reset")
        found = refute(engine, proof.changes, cycles=cycles, seconds=seconds, megabytes=megabytes)
        step.seconds = time.monotonic() - started
        if found is None:
            proof.reason += f"; the ports show no fault in the first {cycles} cycles"
        else:
            step.result = "not proved"
            proof.reason = found.text()
    return holds


def _inductive(
    step: Step, folder: Path, script: list[str], seconds: float, megabytes: int, cycles: int = 1
) -> bool:
    """Return whether the assertions of a script hold after each cycle, or some, that they hold."""
    read(folder, script)
    claimed = induction.read(folder / "claim.aig")
    found = induction.is_inductive(
        claimed, folder, seconds=seconds, megabytes=megabytes, cycles=cycles
    )
    step.cases += claimed.assertions
    step.proofs += 1
    step.sat_calls += 1
    step.megabytes = max(step.megabytes, found.megabytes)
    return found.holds


def _without(folder: Path, script: Sequence[str]) -> list[str]:
    """Return commands with files by their names only."""
    for own in (folder, formal_dir() / "engines", formal_dir() / "modes"):
        script = [line.replace(f"{own}/", "") for line in script]
    return list(script)


@dataclass(frozen=True)
class Violation:
    """What the outside of an engine sees that must not be.

    Args:
        claim: the statement of `prove_engine.sv`, or of another claim, that is violated.
        cycle: cycles after the reset.
    """

    claim: str
    cycle: int

    def text(self) -> str:
        """Return it as a sentence."""
        return f"violated {self.cycle} cycles after a reset: {self.claim}"


def refute(
    engine: Engine,
    changes: Sequence[Change] = (),
    *,
    cycles: int,
    cover: bool = False,
    seconds: float = 600.0,
    megabytes: int = 8000,
) -> Violation | None:
    """Search for a violation, from a reset on, of what the outside of an engine sees.

    The RAM of the queues is the engine's own here; the core is any function with its latency, in an
    interleaved engine a certain one.

    Args:
        engine: the engine.
        changes: to be made to the RTL first.
        cycles: how far to search.
        cover: search for what must be reachable instead: a block, an error and the last beat of a
            longer packet at the output.
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
        files = files_of(folder, changes, steps=False, top=engine.top)
        read(folder, script_of(engine, files, steps=False, cover=cover))
        found = None
        if interleaved.covers(engine):
            # Most are found so, in seconds.
            claimed = induction.read(folder / "claim.aig")
            tried = _TRIED_CYCLES * engine.latency_cycles
            inputs = interleaved.drawn(engine)
            found = random_search.search(claimed, folder / "claim.json", tried, inputs)
        found = found or induction.violation(
            folder / "claim.aig", cycles, seconds=seconds, megabytes=megabytes
        )
        if found is None:
            return None
        return _violation(folder, files[-1], *found)


def refute_part(
    part: Part,
    changes: Sequence[Change] = (),
    *,
    cycles: int,
    cover: bool = False,
    seconds: float = 600.0,
    megabytes: int = 8000,
) -> Violation | None:
    """Search for a violation, from a reset on, of what the outside of a part sees.

    Args:
        part: the part.
        changes: to be made to the RTL first.
        cycles: how far to search.
        cover: search for what must be reachable instead.
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
        files = part_files_of(part, folder, changes)
        read(folder, part_script_of(part, files, steps=False, cover=cover))
        found = induction.violation(
            folder / "claim.aig", cycles, seconds=seconds, megabytes=megabytes
        )
        return None if found is None else _violation(folder, files[-1], *found)


def _violation(folder: Path, claim_file: Path, number: int, cycle: int) -> Violation:
    """Return the violation of an assertion, with its statement."""
    names = json.loads((folder / "claim.json").read_text(encoding="utf-8"))["asserts"]
    place = re.search(rf"{claim_file.name}:(\d+)", names[number][0])
    assert place is not None
    lines = claim_file.read_text(encoding="utf-8").splitlines()
    return Violation(_statement(lines, int(place[1]) - 1), cycle)


def _statement(lines: Sequence[str], first: int) -> str:
    """Return a statement that begins in a line."""
    text = lines[first].strip()
    while not text.endswith(";"):
        first += 1
        text += " " + lines[first].strip()
    return text

# SPDX-License-Identifier: Apache-2.0
"""The sources of a claim about an engine or a part of it, and the circuit that Yosys makes of them.

`_connections` names registers of the engine: rename one in the RTL, then here too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from aesforge.design import Engine
from aesforge.design.engine import FIELDS as ENGINE_FIELDS
from aesforge.errors import ToolFailed
from aesforge.prove import interleaved, parts
from aesforge.prove.circuit import formal_dir
from aesforge.prove.mutation import Change, changed_files
from aesforge.prove.parts import Part
from aesforge.prove.shells import places, shell_nets
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
    apart = [f"{shell}gen_apart[{block}].u_queue." for block in reversed(range(1, tiles))]

    def word_of_all(net: str) -> str:
        """Return a word of the output queue: that of the first block is at the low end."""
        return ",".join(one + net for one in (*apart, queue))

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
        "queue_word_q": word_of_all("u_ram.word_q"),
        "queue_first_q": word_of_all("u_ram.first_q"),
        "queue_second_q": word_of_all("second_q"),
        "spare_q": word_of_all("u_slice.spare_q"),
        "core_valid_q": f"{engine}u_core.valid_q",
        "core_same_q": f"{engine}u_core.same_q",
    }
    if apart:
        state = (
            *("zeroize_q", "leave", "write_q", "read_q", "after_q", "some_q"),
            *("first_valid_q", "second_valid_q", "u_slice.stall_q", "m_valid"),
        )
        inside["gen_apart.states"] = ",".join(one + net for one in apart for net in state)
        inside["gen_apart.out_places"] = ",".join(f"{one}u_ram.some_place" for one in apart)
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
_CHECKED, CHECK_OF_MEMORIES = "check.txt", "tee -q -o check.txt check"
_UNDRIVEN = re.compile(r"Wire \S+?\.(\S+) .*is used but has no driver")
# What Yosys makes of a circuit with assertions.
TO_AIGER = (
    *("opt_clean", _CHECK, "opt_expr", "opt_clean", "async2sync", "dffunmap"),
    *("formalff -clk2ff -ff2anyinit", "setundef -undriven -anyseq", "opt -keepdc -fast"),
    *("delete -output", "select -assert-min 1 t:$assert t:$check", "chformal -lower"),
    *("simplemap", "techmap", "opt_expr", "aigmap", "clean"),
    "write_aiger -I -B -zinit -no-startoffset -ywmap claim.json claim.aig",
)


def script_from(
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
        return script_from(TOP, parameters, _connections(engine, steps), files)
    nets = interleaved.connections(engine, steps)
    return script_from(interleaved.TOP, parameters, nets, files, check=CHECK_OF_MEMORIES)


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
    return script_from(part.top, parameters, part.nets, files, check=CHECK_OF_MEMORIES)


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
    return script_from(RAM_TOP, {"Width": width, "Depth": depth, "Style": style}, inside, files)


def read(folder: Path, script: list[str]) -> None:
    """Run Yosys: `claim.aig` and `claim.json`, the names of the assertions.

    Raises:
        ToolFailed: it does not understand the sources.
    """
    (folder / "claim.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
    programs.run("yosys", ["claim.ys"], folder, folder / "yosys.log")
    if CHECK_OF_MEMORIES in script:
        said = (folder / _CHECKED).read_text(encoding="utf-8")
        if nets := {one for one in _UNDRIVEN.findall(said) if not one.startswith("$memory")}:
            raise ToolFailed(f"nets without a driver: {', '.join(sorted(nets))}")


def without_folders(folder: Path, script: Sequence[str]) -> list[str]:
    """Return commands with files by their names only."""
    for own in (folder, formal_dir() / "engines", formal_dir() / "modes"):
        script = [line.replace(f"{own}/", "") for line in script]
    return list(script)

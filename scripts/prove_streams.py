# SPDX-License-Identifier: Apache-2.0
"""Prove the handshakes of the stream shells (formal/handshake) with SymbiYosys.

    python scripts/prove_streams.py [--write] [NAME ...]

Each proof is a module of assumptions, assertions and one cover around a module of the RTL, and a
`.sby` file. ABC's property directed reachability proves the assertions in all reachable states; or
Yosys proves the step of a k-induction as a SAT problem, and ABC its first cycles. ABC must also
reach the cover, and find a counterexample in each mutant.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from aesforge.toolchain import rtl

FORMAL = Path(__file__).resolve().parents[1] / "formal" / "handshake"


@dataclass(frozen=True)
class Mutant:
    """One place of a module changed; ``old`` occurs once."""

    module: str
    old: str
    new: str


@dataclass(frozen=True)
class Proof:
    """A proof: the module that states it, and what must break it."""

    top: str
    mutants: dict[str, Mutant] = field(default_factory=dict)
    # Nets of the proof, and the registers of what it is about that they are connected to.
    inside: dict[str, str] = field(default_factory=dict)
    # The assertions hold in a cycle if they held in so many before; 0: nothing is known of that.
    induction: int = 0
    # Cycles after a reset in which the cover and the fault of a mutant are looked for.
    frames: int = 30
    # Parameters of the module.
    parameters: dict[str, int] = field(default_factory=dict)


SLICE, QUEUE, SHELL = "aesforge_axis_slice", "aesforge_axis_queue", "aesforge_axis_shell"
CONTEXTS, CREDITS = "aesforge_context_fifo", "aesforge_credit_counter"
STREAMS, INTERLOCK = "aesforge_stream_shell", "aesforge_stream_key_interlock"
KEYS, SLOTS = "aesforge_key_interlock", "aesforge_slot_key_interlock"
UNIT_KEYS, PAIRS = "aesforge_context_key_interlock", "aesforge_key_pair_check"
HOLD = "aesforge_packet_hold"


def _places(*rams: tuple[str, str, int], around: str = "u_shell") -> dict[str, str]:
    """Return nets of RAMs: of each its places, the last one first."""
    return {
        name: ",".join(f"{around}.{path}[{place}]" for place in reversed(range(places)))
        for name, path, places in rams
    }


# Registers that the proofs of both shells speak of: of the queue, the contexts and the credits.
_SHARED = {
    **{f"queue_{name}": f"u_shell.u_queue.{name}" for name in ("write_q", "read_q", "after_q")},
    "queue_first_q": "u_shell.u_queue.first_valid_q",
    "queue_second_q": "u_shell.u_queue.second_valid_q",
    "some_q": "u_shell.u_queue.some_q",
    "spare_q": "u_shell.u_queue.u_slice.stall_q",
    "context_q": "u_shell.u_contexts.m_valid",
    "context_spare_q": "u_shell.u_contexts.u_slice.stall_q",
    "queue_first": "u_shell.u_queue.u_ram.gen_block.first_q",
    "queue_second": "u_shell.u_queue.second_q",
    "queue_spare": "u_shell.u_queue.u_slice.spare_q",
    "context_spare": "u_shell.u_contexts.u_slice.spare_q",
    "ctx_write_delayed_q": "u_shell.u_contexts.write_delayed_q",
    "ctx_write_q": "u_shell.u_contexts.write_q",
    "ctx_read_q": "u_shell.u_contexts.m_place",
    "payload_q": "u_shell.u_contexts.payload_q",
    "place_q": "u_shell.place_q",
    "used_q": "u_shell.u_credits.used_q",
    "delta_q": "u_shell.u_credits.delta_q",
}
# Those of the shell,
_INSIDE = {
    **{
        name: f"u_shell.{name}"
        for name in (
            *("write_q", "read_q", "credit", "ready_q"),
            *("fresh_q", "inside_q", "head_q"),
            *("data_q", "keep_q", "last_q", "id_q", "user_q", "head_error", "broken_q"),
            *("context_error_q", "partial_q", "beat_error_q", "beat_id_q"),
            *("side_second_q", "out_data_q"),
            *("out_keep_q", "out_error_q", "out_last_q", "out_id_q", "out_user_q"),
        )
    },
    "side_first_q": "u_shell.u_sides.gen_block.first_q",
    "first_beat_q": "u_shell.first_q",
    "first_q": "u_shell.result_first_valid_q",
    "second_q": "u_shell.result_second_valid_q",
    "out_q": "u_shell.out_valid_q",
    "result_first": "u_shell.result_first_q",
    "result_second": "u_shell.result_second_q",
    **_SHARED,
    **_places(
        ("sides", "u_sides.gen_block.memory", 8),
        ("memory", "u_queue.u_ram.gen_block.memory", 8),
        ("payloads", "u_contexts.payloads", 4),
    ),
}
# and those of the shell of several streams.
_STREAM_INSIDE = {
    **{
        name: f"u_shell.{name}"
        for name in (
            *("head_q", "free_q", "credit", "beat_q", "skip_q", "skip_spare_q", "skip_stream_q"),
            *("skip_spare_stream_q", "busy_q", "inside_q", "digest_q"),
            *("out_q", "out_stream_q", "out_side_q", "out_data_q"),
            *("done_q", "done_stream_q", "done_side_q", "done_data_q", "end_q"),
            *("head_first_q", "head_last_q", "head_keep_q"),
            *("head_user_q", "head_data_q", "beat_user_q", "known_q", "partial_q"),
            *("beat_error", "beat_block"),
        )
    },
    "head_full_q": "u_shell.gen_packets.u_check.full_q",
    "head_hole_q": "u_shell.gen_packets.u_check.hole_q",
    **_SHARED,
    "queue_zeroize_q": "u_shell.u_queue.zeroize_q",
    **_places(("states", "states", 2), ("sides", "sides", 2), ("ends", "ends", 2)),
    **_places(
        ("memory", "u_queue.u_ram.gen_block.memory", 4), ("payloads", "u_contexts.payloads", 4)
    ),
}


def _of_hold(parts: int) -> dict[str, str]:
    """Return those of the hold. The first part is at the low end of a word."""
    first, *others = [f"u_hold.gen_part[{part}]." for part in range(parts)]
    state = ("read_q", "after_q", "some_q", "first_valid_q", "second_valid_q", "u_slice.stall_q")

    def whole(net: str) -> str:
        return ",".join(part + net for part in (*reversed(others), first))

    return {
        **{
            name: f"u_hold.{name}"
            for name in (
                *("put_q", "last_q", "error_q", "data_q", "side_q", "long_q", "store_q"),
                *("zeroize_q", "write_q", "commit_q", "used_q", "place_q", "length_q", "word_q"),
            )
        },
        **{net.rpartition(".")[2]: first + net for net in state},
        "first_q": whole("first_q"),
        "second_q": whole("second_q"),
        "spare_q": whole("u_slice.spare_q"),
        "memory": ",".join(whole(f"memory[{place}]") for place in reversed(range(8))),
        "states": ",".join(
            part + net for part in (*others, first) for net in (*state, "out_valid")
        ),
    }


PROOFS = {
    "slice": Proof(
        "prove_axis_slice",
        mutants={
            "takes a third word": Mutant(SLICE, "s_ready = !stall_q", "s_ready = 1'b1"),
            "the spare word is overwritten": Mutant(SLICE, "if (!stall_q) spare_q", "spare_q"),
            "the output moves on": Mutant(
                SLICE, "if (!m_valid || m_ready) begin", "if (1'b1) begin"
            ),
        },
    ),
    "queue": Proof(
        "prove_axis_queue",
        mutants={
            "reads on while the RAM's register waits": Mutant(
                QUEUE, "first_take = !first_valid_q || second_take", "first_take = 1'b1"
            ),
            "reads on while the second register waits": Mutant(
                QUEUE, "second_take = !second_valid_q || slice_ready", "second_take = 1'b1"
            ),
            "reads what is not there": Mutant(
                QUEUE, "leave ? write_q != after_q : write_q != read_q", "write_q != read_q"
            ),
            "sticks": Mutant(QUEUE, "some_q <= s_valid || (", "some_q <= s_valid && ("),
        },
    ),
    "hold": Proof(
        "prove_packet_hold",
        inside=_of_hold(1),
        induction=2,
        mutants={
            "the error is not seen": Mutant(HOLD, "bad = error_q || long_q", "bad = long_q"),
            "a long packet passes": Mutant(HOLD, "bad = error_q || long_q", "bad = error_q"),
            "beats leave before the last": Mutant(
                HOLD, "commit_q != after_q", "write_q != after_q"
            ),
            "the beats of an error stay": Mutant(HOLD, "bad ? commit_q : write_q", "write_q"),
            "the data of an error stay": Mutant(HOLD, "word_q[Width-1-:DataBits] <= '0", ""),
            "a long packet keeps its places": Mutant(
                HOLD, "? commit_q : write_next", "? write_next : write_next"
            ),
            "accepts what finds no place": Mutant(HOLD, "s_valid && s_ready", "s_valid"),
            "the output moves on": Mutant(HOLD, "!second_valid_q || slice_ready", "1'b1"),
        },
    ),
    "hold-parts": Proof(
        "prove_packet_hold",
        inside=_of_hold(2),
        induction=2,
        parameters={"Parts": 2},
        mutants={
            "a part gives what another has": Mutant(
                HOLD, "word_q[Low+:Bits]", "word_q[(p == 0 ? 0 : Low - 1)+:Bits]"
            ),
            "a part reads on while the others wait": Mutant(
                HOLD,
                "first_take = !first_valid_q || second_take",
                "first_take = p == 1 || second_take",
            ),
            "a part of the data is inverted": Mutant(
                HOLD, "m_data[PartBits*p+:PartBits] = out", "m_data[PartBits*p+:PartBits] = ~out"
            ),
        },
    ),
    "shell": Proof(
        "prove_axis_shell",
        inside=_INSIDE,
        induction=11,
        mutants={
            "no credits": Mutant(SHELL, "rst || zeroize || !credit", "rst || zeroize"),
            "a credit is lost": Mutant(SHELL, "{1'b0, leave}", "{1'b0, leave && out_last_q}"),
            "a credit too many": Mutant(CREDITS, "2'(take) - give", "2'(take && !give[0]) - give"),
            "the output moves on": Mutant(
                SHELL,
                ".m_ready(m_axis_tready),\n      .m_data(word[First",
                ".m_ready(1'b1),\n      .m_data(word[First",
            ),
            "waits for ever for a context": Mutant(
                SHELL, ": inside_q || next_valid || missing)", ": inside_q || next_valid)"
            ),
            "a result takes the next beat's side": Mutant(
                SHELL, ".read_place(read_q)", ".read_place(read_q + 1'b1)"
            ),
            "a context for each beat": Mutant(
                SHELL,
                "next_ready = s_axis_tvalid && fresh_q",
                "next_ready = s_axis_tvalid && (fresh_q || ready_q)",
            ),
            "no packet waits for its key": Mutant(
                SHELL, "free = !next_valid || !next_stall", "free = 1'b1"
            ),
            "another packet's context": Mutant(
                CONTEXTS, "payload = payloads[place]", "payload = payloads[~place]"
            ),
            "a context in another's place": Mutant(
                CONTEXTS,
                "payloads[write_delayed_q] <= payload_q",
                "payloads[~write_delayed_q] <= payload_q",
            ),
            "a context's header is lost": Mutant(
                SHELL, "beat_header <= open_header", "beat_header <= '0"
            ),
            "no error": Mutant(SHELL, "<= {side_error, side_last,", "<= {1'b0, side_last,"),
            "a note of another beat": Mutant(SHELL, "post_note <= side_note", "post_note <= '0"),
            "bytes that are not kept go on": Mutant(
                SHELL, "<= side_kept[i] ? side_xor", "<= 1'b1 ? side_xor"
            ),
        },
    ),
    # Whether a packet may begin is known a cycle ahead, as GCM has it.
    "late": Proof(
        "prove_axis_shell",
        inside={
            **_INSIDE,
            **{
                f"gen_late.{name}": f"u_shell.gen_late_stall.{name}"
                for name in ("stall_q", "none_q")
            },
        },
        induction=11,
        parameters={"LateStall": 1},
        mutants={
            "no packet waits for a late stall": Mutant(
                SHELL, "next_ready || next_stall;", "next_ready;"
            ),
            "a packet begins before a late stall is known": Mutant(
                SHELL, "stall_q <= !next_valid || next_ready", "stall_q <= next_ready"
            ),
            "a packet of one beat takes the next one with it": Mutant(
                SHELL, "stall_q <= !next_valid || next_ready ||", "stall_q <= !next_valid ||"
            ),
            "a context that comes is no context": Mutant(
                SHELL, "none_q  <= !s_ctx_tvalid &&", "none_q  <="
            ),
            "a packet without a context waits for ever": Mutant(
                SHELL, "free = none_q || !stall_q", "free = !stall_q"
            ),
        },
    ),
    "streams": Proof(
        "prove_stream_shell",
        inside=_STREAM_INSIDE,
        induction=8,
        frames=33,
        mutants={
            "no credits": Mutant(STREAMS, " && credit &&", " &&"),
            "a credit is lost": Mutant(STREAMS, " + 2'(swallow)", ""),
            "a stream takes a second beat": Mutant(STREAMS, "go = head_q && free_q", "go = head_q"),
            "a stream takes one while the last sets out": Mutant(
                STREAMS, " && !(beat_q && beat_stream == s_axis_tid)", ""
            ),
            "a stream is never free again": Mutant(
                STREAMS,
                "end else if (done && done_stream == head_stream) begin",
                "end else if (0) begin",
            ),
            "a beat that passes the modes by is lost": Mutant(
                STREAMS, "skip || skip_spare_q || (skip_q && result_valid)", "skip || skip_spare_q"
            ),
            "a result takes another stream's side": Mutant(
                STREAMS, "done_side_q <= sides[done_stream]", "done_side_q <= sides[beat_stream]"
            ),
            "the output moves on": Mutant(STREAMS, ".m_ready(m_axis_tready)", ".m_ready(1'b1)"),
            "a context for each beat": Mutant(
                STREAMS, "assign begin_valid = go && head_first_q", "assign begin_valid = go"
            ),
            "waits for ever for a context": Mutant(
                STREAMS, "? !next_stall : missing", "&& !next_stall"
            ),
            "the late payload is that of the packet before": Mutant(
                STREAMS, "late_payload = late_first_q ? late_new_q :", "late_payload ="
            ),
            "a packet's end is that of another stream": Mutant(
                STREAMS, "end_q <= ends[done_stream]", "end_q <= ends[beat_stream]"
            ),
        },
    ),
    "keys": Proof(
        "prove_stream_key_interlock",
        mutants={
            "a key in the midst of a packet": Mutant(INTERLOCK, "used[s_key_slot] || ", ""),
            "a key passes a packet": Mutant(
                INTERLOCK, " || (next_valid && next_slot == s_key_slot)", ""
            ),
            "a packet passes per key": Mutant(KEYS, "(pending && next_slot == key_slot) ||", ""),
            "an end does not count": Mutant(
                INTERLOCK, "end_valid && end_slot == SlotBits'(s)", "1'b0"
            ),
            "a key is lost": Mutant(KEYS, "if (!pending) begin", "if (1'b1) begin"),
        },
    ),
    "contexts": Proof(
        "prove_context_key_interlock",
        mutants={
            "a key in the midst of a packet": Mutant(UNIT_KEYS, "used[s_key_slot] || ", ""),
            "a key passes a packet": Mutant(
                UNIT_KEYS, " || (next_valid && next_slot == s_key_slot)", ""
            ),
            "a key passes a packet that has just begun": Mutant(
                UNIT_KEYS, "(begin_valid && next_slot == SlotBits'(s)) || up_q", "up_q"
            ),
            "a key does not wait": Mutant(UNIT_KEYS, ".load_hold(!waited)", ".load_hold(1'b0)"),
            "an end counts for the newest packet": Mutant(
                UNIT_KEYS, "<= slots[end_q]", "<= slots[begin_q - 1'b1]"
            ),
            "an end does not count": Mutant(UNIT_KEYS, "CountBits'(down_q)", "CountBits'(0)"),
            "a packet that begins is not coming": Mutant(
                UNIT_KEYS, "next_valid || begin_q != end_q", "next_valid"
            ),
            "a part of the keys is compared": Mutant(PAIRS, "&equal_q", "equal_q[0]"),
            "keys are compared too early": Mutant(PAIRS, "<= compare_q", "<= accept"),
            "a pair is judged for another slot": Mutant(
                PAIRS, "refused_q[key_slot]", "refused_q[slot]"
            ),
            "equal keys once, equal always": Mutant(
                PAIRS, "<= &equal_q", "<= refused_q[key_slot] || &equal_q"
            ),
        },
    ),
    "slots": Proof(
        "prove_slot_key_interlock",
        mutants={
            "a key in the midst of a packet": Mutant(
                SLOTS, "used = use_valid && use_slot == key_slot", "used = 1'b0"
            ),
            "a key passes the last block": Mutant(
                SLOTS, "StageBits'(Stages + 1);", "StageBits'(Stages);"
            ),
            "a stage that waits counts": Mutant(
                SLOTS, "else if (step && drain_q", "else if (drain_q"
            ),
            "a packet of another slot holds a key": Mutant(SLOTS, " && use_slot == key_slot", ""),
            "a packet passes its key": Mutant(KEYS, "(pending && next_slot == key_slot) ||", ""),
            "a key is not ready yet": Mutant(
                KEYS, " || (!key_ready && next_slot == loading_q)", ""
            ),
            "a key is lost": Mutant(KEYS, "if (!pending) begin", "if (1'b1) begin"),
        },
    ),
    "slots-late": Proof("prove_slot_key_interlock", parameters={"Late": 1}),
}


def modules() -> list[Path]:
    """Return the files of the stream modules, and the package that they use."""
    return [
        path
        for path in rtl.filelist()
        if path.stem == "aesforge_pkg"
        or (path.parent.name == "stream" and "_engine" not in path.stem)
    ]


def elaboration(proof: Proof, task: str) -> list[str]:
    """Return the commands of Yosys that make one module of a task, once it is read."""
    # What a mutant violates must be seen from outside.
    outside = bool(proof.inside) and task != "prove"
    step = proof.induction if task == "prove" else 0
    # Before any optimization, which may give a net without a driver another's name. -nounset: to
    # unset a driver would leave nets without one that are equal to this net.
    connected = (
        ["opt_clean"]
        if outside
        else [
            *(f"connect -nounset -set {net} {reg}" for net, reg in proof.inside.items()),
            *("opt_clean", "check -assert"),
        ]
    )
    return [
        f"chparam -set Cover {int(task == 'cover')} {proof.top}",
        *(f"chparam -set {name} {value} {proof.top}" for name, value in proof.parameters.items()),
        *([f"chparam -set Steps 0 {proof.top}"] if outside else []),
        f"hierarchy -check -top {proof.top}",
        *("proc", "flatten", "memory_collect"),
        # The places of a RAM are nets from here on.
        "memory_map",
        *connected,
        "opt -full",
        "select -assert-min 1 t:$assert t:$check",
        *(_induction(step) if step else ()),
    ]


def _induction(cycles: int) -> list[str]:
    """Return the commands of Yosys that fail unless the assertions hold after so many cycles."""
    return [
        "design -push-copy",
        *("async2sync", "chformal -lower", "dffunmap", "opt -full"),
        "sat -verify -tempinduct -tempinduct-inductonly -prove-asserts -set-assumes -seq 0 "
        f"-tempinduct-skip {cycles - 1} -maxsteps {cycles + 1}",
        "design -pop",
    ]


def tasks(proof: Proof) -> dict[str, list[str]]:
    """Return the options of each task of SymbiYosys, the last of which names its engine."""
    # A trace would take an SMT solver more.
    violated = [
        "mode bmc",
        "expect fail",
        "aigsmt none",
        f"depth {proof.frames}",
        "abc orpos; bmc3",
    ]
    if proof.induction:
        # The first cycles, more than the step of the induction in elaboration() assumes.
        first = proof.induction + 2
        proved = ["mode bmc", "aigsmt none", f"depth {first}", "abc orpos; bmc3"]
    else:
        proved = ["mode prove", "aigsmt none", "abc orpos; pdr"]
    return {
        "prove": proved,
        # The cover is an assertion that must be violated.
        "cover": violated,
        "mutant": violated,
    }


def sby(proof: Proof, mutant: Path | None = None) -> str:
    """Return a proof and its cover as tasks of SymbiYosys, or what a mutant must violate.

    Args:
        proof: what is stated.
        mutant: a file that takes the place of the module of its name.
    """
    asked = {
        name: options
        for name, options in tasks(proof).items()
        if (name == "mutant") == (mutant is not None)
    }
    paths = [*modules(), FORMAL / f"{proof.top}.sv"]
    if mutant is None:
        files = [os.path.relpath(path, FORMAL) for path in paths]
    else:
        files = [str(mutant if path.name == mutant.name else path) for path in paths]
    lines = [
        "# Written by scripts/prove_streams.py --write; run it in this folder.",
        "[tasks]",
        *asked,
        "",
        "[options]",
        *(f"{name}: {option}" for name, options in asked.items() for option in options[:-1]),
        "",
        "[engines]",
        *(f"{name}: {options[-1]}" for name, options in asked.items()),
        "",
        "[script]",
        f"read_verilog -formal -sv {' '.join(path.name for path in paths)}",
        *(f"{task}: {line}" for task in asked for line in elaboration(proof, task)),
        "",
        "[files]",
        *files,
    ]
    return "\n".join(lines) + "\n"


def answers(file: Path, folder: Path, *only: str) -> dict[str, str]:
    """Run the tasks of a file; return how each one ended: PASS or FAIL.

    Args:
        file: a `.sby` file.
        folder: where the work is done.
        only: the tasks to run, all if none is named.

    Raises:
        RuntimeError: a task came to no end.
    """
    yosys = folder / "yosys"
    if not yosys.exists():
        # SymbiYosys calls `yosys -ql LOG SCRIPT`.
        call = shlex.join([sys.executable, "-m", "aesforge.toolchain.programs", "yosys"])
        yosys.write_text(f'#!/bin/sh\nexec {call} "$3" > "$2"\n')
        yosys.chmod(0o755)
    abc = shlex.join([sys.executable, "-m", "aesforge.toolchain.programs", "abc"])
    # SymbiYosys lies beside the interpreter.
    tools = Path(sys.executable).parent
    path = f"{tools}{os.pathsep}{os.environ.get('PATH', '')}"
    work = Path(tempfile.mkdtemp(dir=folder))
    done = subprocess.run(
        [
            str(tools / "yowasp-sby"),
            *("--yosys", str(yosys), "--abc", abc),
            "--sequential",
            *("--prefix", str(work / "task"), str(file), *only),
        ],
        cwd=file.parent,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    found = {
        path.parent.name.removeprefix("task_"): path.read_text().split()[0]
        for path in work.glob("task_*/status")
    }
    if not found or not set(found.values()) <= {"PASS", "FAIL"}:
        output = (done.stdout + done.stderr).splitlines()
        raise RuntimeError(
            "\n".join(line for line in output if "ERROR" in line or "DONE" in line) or done.stderr
        )
    return found


def prove(name: str, proof: Proof) -> list[str]:
    """Run all tasks of a proof and its mutants; return what went wrong."""
    wrong = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        said = answers(FORMAL / f"{name}.sby", folder)
        if said["prove"] != "PASS":
            wrong.append(f"{name}: an assertion can be violated")
        if said["cover"] != "FAIL":
            wrong.append(f"{name}: the cover is never reached")
        for what, mutant in proof.mutants.items():
            path = rtl.file_of(mutant.module)
            text = path.read_text(encoding="utf-8")
            assert text.count(mutant.old) == 1, f"{mutant.old!r} is not one place of {path}"
            changed = folder / path.name
            changed.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
            file = folder / "mutant.sby"
            file.write_text(sby(proof, changed), encoding="utf-8")
            if answers(file, folder)["mutant"] != "FAIL":
                wrong.append(f"{name}: the mutant '{what}' passes")
    return wrong


def main() -> int:
    """Prove and give the exit status."""
    parser = argparse.ArgumentParser(description="Prove the handshakes of the stream shell.")
    parser.add_argument("names", nargs="*", choices=[*PROOFS, []], metavar="NAME")
    parser.add_argument("--write", action="store_true", help="write the .sby files instead")
    arguments = parser.parse_args()
    wrong = []
    for name in arguments.names or PROOFS:
        if arguments.write:
            (FORMAL / f"{name}.sby").write_text(sby(PROOFS[name]), encoding="utf-8")
            continue
        start = time.monotonic()
        found = prove(name, PROOFS[name])
        wrong += found
        mutants = len(PROOFS[name].mutants)
        state = "; ".join(found) or f"proved, covered, {mutants} mutants caught"
        print(f"{name}: {state} ({time.monotonic() - start:.0f} s)", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

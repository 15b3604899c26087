# SPDX-License-Identifier: Apache-2.0
"""Prove the modes of engines, and show that these proofs can fail.

    python scripts/prove_engines.py [--write] [--changed] [--only proofs | mutants] [WORD ...]

Each engine below is proved. Then mutants of small ones are refuted: a violation at their ports,
from a reset on. --write records what was found in bench/results/proof/engines.json, in place of the
records of the same names. With WORDs, only what has all of them in its name, or a mutant in that of
its engine; with --changed, only what has no record of today's sources. Exit status 1 when an engine
is not proved or a mutant is not refuted.
"""

from __future__ import annotations

import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

from proof_records import RESULTS, Campaign

from aesforge.design import Engine, load_any
from aesforge.prove import interleaved, stream_circuit, stream_refute, streams
from aesforge.prove.mutation import Change
from aesforge.toolchain import programs, rtl

OUTPUT = RESULTS / "engines.json"
# As `aesforge prove` takes them.
ENGINES = (
    *("ctr-stream", "ecb-stream", "cfb-decrypt-stream", "cbc-decrypt-stream", "modes-stream"),
    *("ctr-stream --set tiles=2", "ctr-stream --set tiles=4", "modes-stream --set tiles=2"),
    *("stored-stream", "stored-stream --set tiles=2"),
    *("compact-stream", "compact-stream --set key_schedule=stored"),
    # A packet without a context waits for ever.
    "compact-stream --set context_timeout=0",
    # With feedback: packets of several streams
    "cbc-interleaved --set modes=cbc-encrypt,cfb,ofb,cfb8,cbc-mac,cmac --set streams=3 "
    "--set depth=8 --set sbox_stages=0 --set linear_stages=0",
)
# An engine like a preset, with a short core and few places: what is searched comes early.
SMALL = ("depth=8", "sbox_stages=0", "linear_stages=0", "context_timeout=3")
# An interleaved one also has few streams, of a number that is no power of two.
SMALL_INTERLEAVED = (*SMALL, "streams=3")
# Cycles that are searched beyond the latency: the wait for a context, a key load, and some beats.
CYCLES = 14
# The longest that a mutant may take; the small engine itself is not through after ten minutes.
SECONDS = 900.0


def engine_of(name: str, more: tuple[str, ...] = ()) -> Engine:
    """Return an engine.

    Args:
        name: as `aesforge prove` takes it: a preset, and choices.
        more: other choices, which those of the name override.
    """
    preset, *words = name.split()
    choices = (*more, *(word for word in words if word != "--set"))
    last = {choice.split("=")[0]: choice for choice in choices}
    engine = load_any(preset, tuple(last.values()))
    assert isinstance(engine, Engine)
    return engine


def small(name: str = "ctr-stream") -> Engine:
    """Return the small engine of a preset."""
    woven = interleaved.covers(engine_of(name))
    return engine_of(name, SMALL_INTERLEAVED if woven else SMALL)


def _change(module: str, old: str, new: str) -> Change:
    return {"file": f"{module}.sv", "old": old, "new": new}


ENGINE, MODE, COUNTER = "aesforge_engine", "aesforge_mode_forward", "aesforge_mode_counter"
SHELL, CONTEXTS, CHECK = "aesforge_axis_shell", "aesforge_context_fifo", "aesforge_packet_check"
QUEUE, SLICE, RAM = "aesforge_axis_queue", "aesforge_axis_slice", "aesforge_queue_ram"
INTERLOCK, HOLD = "aesforge_key_interlock", "aesforge_slot_key_interlock"
FEEDBACK, STREAMS = "aesforge_mode_feedback", "aesforge_stream_shell"
MUTANTS: dict[str, Change] = {
    # Of the mode
    "the counter does not count": _change(COUNTER, "load[i] ? value : stepped", "value"),
    "the counter wraps at 2^32": _change(
        COUNTER, "assign carry[i+1] = carry_q", "assign carry[i+1] = carry_q && i != 1"
    ),
    "the counter wraps at 2^64": _change(
        COUNTER, "assign carry[i+1] = carry_q", "assign carry[i+1] = carry_q && i != 3"
    ),
    "the counter of the packet before goes on": _change(
        MODE, ".in_load(!ctr || beat_first)", ".in_load(!ctr)"
    ),
    "every beat has the first counter block": _change(
        MODE, ".in_load(!ctr || beat_first)", ".in_load(1'b1)"
    ),
    "a word of the counter is a stage late": _change(
        COUNTER,
        "out_value[Bits*i+:Bits] = late_q[Stages-1-i]",
        "out_value[Bits*i+:Bits] = late_q[Stages-1-i+(i==7)]",
    ),
    "a stale IV": _change(
        SHELL, "beat_payload <= payload", "if (!first_q) beat_payload <= payload"
    ),
    "the IV is not in byte order": _change(
        ENGINE, "128'(aesforge_pkg::byte_swap(256'(s_ctx_iv), 16))", "s_ctx_iv"
    ),
    "the key is not in byte order": _change(
        ENGINE,
        "swapped_key = KeyBits'(aesforge_pkg::byte_swap(256'(s_ctx_key), KeyBits / 8))",
        "swapped_key = s_ctx_key",
    ),
    "a bit of the key is dropped": _change(
        ENGINE, "{swapped_key, ctx_iv}", "{swapped_key & ~KeyBits'(1), ctx_iv}"
    ),
    "the text is not added": _change(MODE, "ctr || cfb ? beat_data : cbc", "cbc"),
    "a mode that is built in is an error": _change(
        ENGINE, "next_unbuilt = !HasCtr", "next_unbuilt = 1'b1"
    ),
    "a mode that is not built in is none": _change(
        ENGINE, "next_error(next_unknown || next_unbuilt)", "next_error(next_unknown)"
    ),
    # Of the shell: contexts
    "a context is taken twice": _change(
        CONTEXTS, "if (m_ready && m_valid) m_place", "if (0) m_place"
    ),
    "another packet's context": _change(
        CONTEXTS, "payload = payloads[place]", "payload = payloads[~place]"
    ),
    "a packet without a context is no error": _change(
        SHELL, "context_error_q <= !next_valid || next_error", "context_error_q <= next_error"
    ),
    "a packet does not wait for its context": _change(
        SHELL, ": inside_q || next_valid || missing)", ": inside_q || next_valid || 1'b1)"
    ),
    # tkeep and errors
    "a hole in tkeep is ignored": _change(CHECK, "beat_hole || (", "("),
    "a byte of tkeep is ignored": _change(
        SHELL,
        "<= side_kept[Bytes-1-i] ? data",
        "<= side_kept[Bytes-1-i] || (i == 5 && side_kept[Bytes-1]) ? data",
    ),
    "bytes that are not kept go on": _change(
        SHELL, "beat_block && beat_keep[Bytes-1-i]", "beat_block"
    ),
    "a beat that is not full may be any": _change(CHECK, "!last || (", "("),
    "no error flag": _change(SHELL, "<= {side_error, side_last,", "<= {1'b0, side_last,"),
    "an error ends with its beat": _change(SHELL, "head_error && !last_q", "1'b0"),
    # Order and stalls
    "a result takes the next beat's sidebands": _change(
        SHELL, ".read_place(read_q)", ".read_place(read_q + 1'b1)"
    ),
    "a beat is taken twice": _change(SHELL, "head_q <= accept;", "head_q <= accept || head_q;"),
    "the output moves on": _change(
        SHELL,
        ".m_ready(m_axis_tready),\n      .m_data(word[First",
        ".m_ready(1'b1),\n      .m_data(word[First",
    ),
    "the spare word is overwritten": _change(SLICE, "if (!stall_q) spare_q", "spare_q"),
    "the queue reads what is not there": _change(
        QUEUE, "leave ? write_q != after_q : write_q != read_q", "write_q != read_q"
    ),
    "no credits": _change(SHELL, "rst || zeroize || !credit", "rst || zeroize"),
    "two places of the RAM are one": _change(
        RAM, "if (write) memory[write_place] <=", "if (write) memory[write_place & ~1] <="
    ),
}
# Those of other engines, by the engine whose small form they break.
OTHERS: dict[str, dict[str, Change]] = {
    # Beats of several blocks
    "ctr-stream --set tiles=2": {
        "the blocks of a beat have one counter block": _change(
            COUNTER, "count_q[i] ? 4'(b) : 4'd0", "4'd0"
        ),
        "a carry within a beat stops at 2^16": _change(
            COUNTER, "over[i+1][b] = over_q", "over[i+1][b] = 1'b0"
        ),
        "the counter counts beats": _change(COUNTER, "4'(Blocks)", "4'd1"),
        "the blocks of a beat are swapped": _change(
            COUNTER, "out_value[128*(Blocks-1-b)+Bits*i+:Bits]", "out_value[128*b+Bits*i+:Bits]"
        ),
    },
    "modes-stream --set tiles=2": {
        "every mode counts on within a beat": _change(MODE, ".in_count(ctr)", ".in_count(1'b1)"),
        "a block takes the one before of another beat": _change(
            MODE, "previous_q <= beat_data[127:0]", "previous_q <= beat_data[128*Blocks-1-:128]"
        ),
        "part of a block is none": _change(CHECK, "part = 1'b1", "part = 1'b0"),
    },
    # Stored keys: such a core has a stage in each round
    "stored-stream --set linear_stages=1": {
        "a key replaces one in use": _change(HOLD, "load_hold(drain_q != '0)", "load_hold(1'b0)"),
        "a key does not wait for blocks on their way": _change(
            HOLD, "StageBits'(Stages + 1)", "StageBits'(0)"
        ),
        "a packet passes the key that waits": _change(
            INTERLOCK, "(pending && next_slot == key_slot)", "(1'b0)"
        ),
    },
    "ecb-stream --set key_schedule=stored --set linear_stages=1": {
        "an open packet does not hold its key": _change(
            HOLD, "used = use_valid && use_slot == key_slot", "used = 1'b0"
        ),
        "a packet begins while its key is expanded": _change(
            INTERLOCK, "(!key_ready && next_slot == loading_q)", "(1'b0)"
        ),
        "the slot that is loaded is forgotten": _change(
            INTERLOCK, "loading_q <= key_slot", "loading_q <= loading_q"
        ),
        "a slot without a key is no error": _change(
            INTERLOCK, "next_unknown = !known_q[next_slot]", "next_unknown = 1'b0"
        ),
        "a key that waits is overwritten": _change(
            INTERLOCK, "if (!pending) begin", "if (1'b1) begin"
        ),
        "a key goes to another slot": _change(
            INTERLOCK, "key_slot <= s_key_slot;", "key_slot <= ~s_key_slot;"
        ),
        "a packet uses another slot": _change(
            ENGINE,
            "beat_window = beat_header[HeaderBits-1:3]",
            "beat_window = ~beat_header[HeaderBits-1:3]",
        ),
        "a stored key is not in byte order": _change(
            ENGINE,
            "swapped_key = KeyBits'(aesforge_pkg::byte_swap(256'(s_key_tdata), KeyBits / 8))",
            "swapped_key = s_key_tdata",
        ),
    },
    "ecb-stream --set key_schedule=stored --set key_slots=3 --set linear_stages=1": {
        "a slot that does not exist is known": _change(
            INTERLOCK, "<= 32'(s_key_slot) < Slots", "<= 1'b1"
        ),
    },
    # Looped cores: so has one of these
    "compact-stream --set linear_stages=1": {
        "a block that the core does not take is lost": _change(
            MODE, "ready = !Elastic || !core_valid || core_ready", "ready = 1'b1"
        ),
        "the counter moves on alone": _change(MODE, ".step(ready)", ".step(1'b1)"),
        "a held beat is stored again": _change(
            SHELL, "take = beat_valid && beat_ready", "take = beat_valid"
        ),
    },
    "ecb-stream --set unroll=1 --set linear_stages=1": {
        "the head moves on alone": _change(
            SHELL, "step = !beat_valid || beat_ready", "step = 1'b1"
        ),
    },
    "cfb-decrypt-stream --set unroll=1 --set linear_stages=1": {
        "a held beat is its own block before": _change(
            MODE, "if (beat_valid && beat_ready) previous_q", "if (beat_valid) previous_q"
        ),
    },
    "ecb-stream --set unroll=1 --set key_schedule=stored --set linear_stages=1": {
        "a key does not wait for held blocks": _change(ENGINE, ".step(beat_ready)", ".step(1'b1)"),
    },
}
# Of interleaved engines.
OTHERS |= {
    "cbc-interleaved": {
        # What a block leaves for the next
        "a block leaves nothing for the next": _change(
            FEEDBACK, "if (zeroize || next_valid_q) chains", "if (zeroize) chains"
        ),
        "an IV is added to every block": _change(
            FEEDBACK, "= beat_first && !mac ? beat_iv", "= !mac ? beat_iv"
        ),
        "a packet goes on from the one before it": _change(
            FEEDBACK, "block_chains = !beat_first && !", "block_chains = !"
        ),
        "the IV of another packet": _change(
            STREAMS, "place_q <= next_place;", "place_q <= next_place - 1'b1;"
        ),
        "the text is not added to the block before": _change(
            FEEDBACK, "(cbc || mac ? beat_data : '0) ^ start", "start"
        ),
        "a block goes on from that of another stream": _change(
            FEEDBACK, "chain_q <= chains[head_stream]", "chain_q <= chains[beat_stream]"
        ),
        # Streams
        "a stream does not wait for its result": _change(
            STREAMS, " && !(beat_q && beat_stream == s_axis_tid);", ";"
        ),
        "a result goes to another stream": _change(
            FEEDBACK, "result_stream = next_stream_q", "result_stream = back_stream_q"
        ),
        "every stream's packet has the key of the last": _change(
            STREAMS, "late_first_q ? late_new_q : late_old_q", "late_new_q"
        ),
        "a stream that does not exist is none": _change(
            STREAMS, "if (head_beyond_q) {known_q", "if (1'b0) {known_q"
        ),
    },
    "cbc-interleaved --set modes=cfb": {
        "CFB feeds the plaintext back": _change(
            FEEDBACK, "(back_decrypt ? back_wait : sum)", "back_wait"
        ),
    },
    "cbc-interleaved --set modes=ofb": {
        "OFB feeds the ciphertext back": _change(
            FEEDBACK, ": HasCfb && back_cfb ?", ": back_ofb ?"
        ),
    },
    "cmac-interleaved": {
        "the last block of CMAC has the other subkey": _change(
            FEEDBACK, "subkey = back_full ?", "subkey = !back_full ?"
        ),
        "the padding of CMAC has no bit": _change(FEEDBACK, "-:8] = 8'h80;", "-:8] = 8'h00;"),
    },
}
ENGINE_OF = dict.fromkeys(MUTANTS, "ctr-stream") | {
    name: engine for engine, found in OTHERS.items() for name in found
}
MUTANTS |= {name: change for found in OTHERS.values() for name, change in found.items()}


def engine_of_mutant(name: str) -> Engine:
    """Return the small engine that a mutant breaks."""
    return small(ENGINE_OF[name])


def search(
    engine: Engine, changes: list[Change], cover: bool = False
) -> stream_refute.Violation | None:
    """Search for a violation in a small engine, or for what must be reachable."""
    cycles = engine.latency_cycles + CYCLES
    return stream_refute.refute(engine, changes, cycles=cycles, cover=cover, seconds=SECONDS)


@cache
def sources(kind: str, name: str) -> str:
    """Return the SHA-256 of the code that is read, but for the cores.

    Args:
        kind: `proofs`, or `mutants`, before the change.
        name: of an engine.
    """
    return _sources(kind, engine_of(name).top)


@cache
def _sources(kind: str, top: str) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if kind == "mutants":
            # A search reads no assertion about registers.
            *files, claim = stream_circuit.files_of(folder, steps=False, top=top)
            ports, *_ = claim.read_text(encoding="utf-8").partition("  if (Steps) begin :")
            files.append(folder / claim.name)
            files[-1].write_text(ports, encoding="utf-8")
        else:
            files = stream_circuit.files_of(folder, top=top)
            if top == stream_circuit.ENGINE:
                files += stream_circuit.ram_files_of(folder)
        return rtl.hashed_code(files).hexdigest()


def prove(name: str) -> dict[str, Any]:
    """Prove an engine and return the record."""
    engine = engine_of(name)
    before = programs.ended_cpu_seconds()
    proof = streams.prove_stream(engine)
    return {
        "engine": name,
        "result": proof.result,
        "reason": proof.reason,
        "assertions": proof.steps[-1].cases,
        "core_latency": engine.core.latency_cycles,
        "seconds": round(proof.seconds, 1),
        "cpu_seconds": round(programs.ended_cpu_seconds() - before, 1),
        "sources": sources("proofs", name),
    }


def refute(name: str) -> dict[str, Any]:
    """Search for a violation of a mutant and return the record."""
    started = time.monotonic()
    change = MUTANTS[name]
    found = search(engine_of_mutant(name), [change])
    return {
        "mutant": name,
        "engine": ENGINE_OF[name],
        **change,
        "result": "refuted" if found else "not refuted",
        "violated": found.claim if found else "",
        "cycle": found.cycle if found else 0,
        "seconds": round(time.monotonic() - started, 1),
        "sources": sources("mutants", ENGINE_OF[name]),
    }


CAMPAIGN = Campaign(
    "Prove the modes of engines, and break them.",
    OUTPUT,
    "engine",
    ENGINES,
    tuple(MUTANTS),
    prove,
    refute,
    lambda kind, name: sources(kind, ENGINE_OF.get(name, name)),
    lambda name: ENGINE_OF.get(name, ""),
)


if __name__ == "__main__":
    sys.exit(CAMPAIGN.main())

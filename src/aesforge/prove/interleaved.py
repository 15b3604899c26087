# SPDX-License-Identifier: Apache-2.0
"""The claim about an interleaved engine, `formal/engines/prove_interleaved.sv`: its nets.

:mod:`aesforge.prove.streams` proves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from aesforge.design import Engine
from aesforge.prove.engines.random_search import Drawn
from aesforge.prove.shells import places, shell_nets, without_a_context

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

TOP, ENGINE = "prove_interleaved", "aesforge_engine_interleaved"
CORE_MODEL = "stream_core_model.sv"
PARAMETERS = (
    *("KeyBits", "Unroll", "SboxStages", "LinearStages", "KeySlots", "Tiles", "Modes"),
    *("Streams", "UserBits", "Depth", "ContextTimeout"),
)
_CFB, _OFB, _CFB8, _CMAC = 8, 16, 32, 128


def covers(engine: Engine) -> bool:
    """Return whether the claim is about an engine."""
    return engine.top == ENGINE


def claim_text(engine: Engine) -> str:
    """Return the claim for an engine."""
    late = without_a_context(engine)
    key = (
        ""
        if engine.core.is_agile
        else "The key of a packet is the last one accepted at s_key for its slot in a cycle before "
        "its first beat went on, whatever is offered later; it is an error if there is none. "
    )
    macs = (
        "Of a packet of CBC-MAC or CMAC one beat comes out, with the tlast and tuser of its last "
        "one and all of tkeep: the MAC. "
        if {"cbc-mac", "cmac"} & set(engine.modes)
        else ""
    )
    return (
        "Since the last reset, if zeroize was low and senders held tvalid until accepted: the "
        f"beats of each stream (tid, {engine.streams} of them) at m_axis are those accepted at "
        "s_axis, in order within the stream, none lost, repeated or invented, each with its tkeep, "
        f"tlast and tuser. {macs}The kept bytes of a beat without error are {engine.mode_label} "
        "of SP 800-38A and SP 800-38B of its packet, under the packet's key and IV, with "
        f"AES-{engine.core.key_bits} of FIPS 197; all other bytes are 0. A beat goes on when the "
        "next one may be accepted; with a first beat goes the first context that was accepted "
        f"before and that no other packet has; {late} does one go on without a context. {key}The "
        "error flag is high from the beat in which an error of the packet is known to its last "
        "one, and low otherwise. What is at m_axis stays until it is accepted. All this for every "
        "key, IV and text, any packets of any length in any streams at once, any tkeep, any "
        "stalls at s_ctx, s_axis and m_axis"
        f"{'' if engine.core.is_agile else ', and any keys at s_key'}, over any number of cycles."
    )


def connections(design: Engine, steps: bool) -> dict[str, str]:
    """Return nets of the claim, and the nets of the engine that they are connected to.

    Args:
        design: the engine.
        steps: with the assertions about registers.
    """
    model = "u_engine.u_core.u_core."
    if not steps:
        return {f"{model}computes": "1'b1"}
    shell, mode, core = "u_engine.u_shell.", "u_engine.u_mode.", "u_engine.u_core."
    queue = f"{shell}u_queue."
    values = design.rtl_parameters()
    modes, streams = values["Modes"], values["Streams"]
    ids, depth = 1 << design.tid_bits, values["Depth"]
    inside = {
        "zeroizing": "u_engine.zeroizing",
        "core_zeroize": f"{core}core_zeroize",
        **{
            name: shell + name
            for name in (
                *("head_q", "head_first_q", "head_last_q", "head_beyond_q", "head_stream"),
                *("head_data_q", "head_keep_q", "head_user_q", "free_q", "missing", "credit"),
                *("inside_q", "busy_q", "beat_q", "beat_first", "beat_last", "beat_beyond_q"),
                *("beat_error", "beat_block", "beat_stream", "beat_keep", "beat_data"),
                *("beat_user_q", "known_q", "partial_q", "digest_q", "empty_q", "beat_header"),
                *("done", "done_stream", "skip_q", "skip_spare_q", "skip_stream_q"),
                *("skip_spare_stream_q", "result_valid", "out_q", "out_wrong_q", "out_stream_q"),
                *("out_data_q", "out_side_q", "place_q", "late_store_q", "late_stream_q"),
                *("late_new_q", "done_q", "end_q", "done_wrong_q", "done_stream_q"),
                *("done_data_q", "done_side_q"),
            )
        },
        **{name: f"{shell}gen_packets.u_check.{name}" for name in ("hole_q", "full_q")},
        **{name: f"{shell}gen_packets.u_check.{name}" for name in ("beat_hole", "beat_full")},
        "rest_q": f"{shell}payload_q",
        "rests": places(f"{shell}payloads", streams),
        "headers": places(f"{shell}headers", streams),
        "states": places(f"{shell}states", streams),
        "sides": places(f"{shell}sides", ids),
        "ends": places(f"{shell}ends", ids),
        **shell_nets(shell, design),
        **_queue(queue, "queue_", depth),
        "memory": places(f"{queue}u_ram.gen_block.memory", depth),
        **{
            name: mode + name
            for name in (
                *("core_valid", "core_stream", "core_window", "core_block", "core_info"),
                *("back_q", "back_stream_q", "back_info_q", "back_block"),
                *("next_valid_q", "next_stream_q", "next_q", "result_data", "chain_q", "again_q"),
                "late_chain_q",
            )
        },
        "chains": places(f"{mode}chains", streams),
        "infos": places(f"{mode}infos", streams),
        **{name: model + name for name in ("valid_q", "tags_q")},
        "call_valid": f"{model}in_valid",
        "call_ready": f"{model}in_ready",
        "call_tag": f"{model}in_tag",
        "call_key": f"{model}block_key",
        "call_block": f"{model}in_block",
        "out_block": f"{model}out_block",
    }
    if modes & (_CFB | _OFB | _CFB8 | _CMAC):
        for name in ("wait_q", "waits_q", "wait_chains_q"):
            inside[f"gen_wait.{name}"] = f"{mode}gen_wait.{name}"
        inside["gen_wait.waits"] = places(f"{mode}gen_wait.waits", streams)
    if modes & _CFB8:
        inside["gen_in.in_q"] = f"{mode}gen_in.in_q"
        inside["gen_in.ins"] = places(f"{mode}gen_in.ins", streams)
    if modes & (_CFB8 | _CMAC):
        for name in ("window_q", "again_window_q", "again_info_q"):
            inside[f"gen_again.{name}"] = f"{mode}gen_again.{name}"
        inside["gen_again.windows"] = places(f"{mode}gen_again.windows", streams)
    if not design.core.is_unrolled:
        waiting = f"{core}gen_queue.u_queue."
        inside |= {
            f"gen_queue.in_{name.removeprefix('queue_')}": net
            for name, net in _queue(waiting, "", ids).items()
        }
        inside |= {
            "gen_queue.in_valid": f"{waiting}m_valid",
            "gen_queue.in_word": f"{waiting}m_data",
            "gen_queue.in_memory_words": places(f"{waiting}u_ram.gen_block.memory", ids),
            "gen_queue.core_ready": f"{model}in_ready",
        }
    if not design.core.is_agile:
        interlock = f"{core}gen_interlock.u_interlock."
        slots = 1 << ((design.core.key_slots or 1) - 1).bit_length()
        counts = ",".join(f"{interlock}gen_slot[{n}].count_q" for n in reversed(range(slots)))
        key, stored = f"{interlock}u_key.", f"{model}gen_slots."
        inside |= {
            "gen_keys.pending": f"{key}pending",
            "gen_keys.waiting_slot": f"{key}key_slot",
            "gen_keys.waiting_key": f"{key}key",
            "gen_keys.loading_q": f"{key}loading_q",
            "gen_keys.known_slots": f"{key}known_q",
            **{
                f"gen_keys.{name}": interlock + name
                for name in ("begin_valid", "begin_stream", "end_valid", "end_stream", "next_slot")
            },
            "gen_keys.slots": places(f"{interlock}slots", streams),
            "gen_keys.run_counts": counts,
            "gen_keys.load_busy_q": f"{stored}busy_q",
            "gen_keys.slot_keys": places(f"{stored}slot_keys", slots),
            **{
                f"gen_keys.{name}": stored + name
                for name in ("load_slot_q", "load_key_q", "slot_valid_q")
            },
        }
    return {f"{model}computes": "1'b0"} | {
        f"gen_steps.{name}": register for name, register in inside.items()
    }


def _queue(queue: str, prefix: str, depth: int) -> dict[str, str]:
    """Return nets of the claim about a queue, and what they are connected to.

    Args:
        queue: the instance.
        prefix: of the names of its pointers.
        depth: its places.
    """
    return {
        f"{prefix}zeroize_q": f"{queue}zeroize_q",
        f"{prefix}leave": f"{queue}leave",
        f"{prefix}write_q": f"{queue}write_q",
        f"{prefix}read_q": f"{queue}read_q",
        f"{prefix}after_q": f"{queue}after_q",
        "some_q": f"{queue}some_q",
        "first_valid_q": f"{queue}first_valid_q",
        "second_valid_q": f"{queue}second_valid_q",
        "stall_q": f"{queue}u_slice.stall_q",
        f"{prefix}first_q": f"{queue}u_ram.gen_block.first_q",
        f"{prefix}second_q": f"{queue}second_q",
        "spare_q": f"{queue}u_slice.spare_q",
    }


# --- Random inputs, for a search from a reset on


def drawn(engine: Engine) -> dict[str, Drawn]:
    """Return how to draw the inputs of the claim, so that most packets have no error."""
    modes = [mode for mode in range(8) if engine.rtl_parameters()["Modes"] >> mode & 1]
    likely = {
        **{"rst": 0.004, "s_axis_tvalid": 0.9, "s_ctx_tvalid": 0.8},
        **{"mark": 0.7, "s_key_tvalid": 0.3, "s_axis_tlast": 0.35, "s_ctx_decrypt": 0.3},
    }
    return {name: partial(_bits, chance) for name, chance in likely.items()} | {
        "m_axis_tready": _ready,
        "s_axis_tkeep": _keep,
        "s_ctx_mode": partial(_one_of, modes),
        "some_number": partial(_one_of, range(8)),
    }


def _bits(share: float, chance: Generator, width: int, runs: int) -> NDArray[np.bool_]:
    """Return bits of which a share is 1."""
    found: NDArray[np.bool_] = chance.random((width, runs)) < share
    return found


def _ready(chance: Generator, width: int, runs: int) -> NDArray[np.bool_]:
    """Return bits that are mostly 1 in one half of the runs, and seldom in the other."""
    often = _bits(0.8, chance, width, runs)
    seldom = _bits(0.08, chance, width, runs)
    often[:, runs // 2 :] = seldom[:, runs // 2 :]
    return often


def _one_of(values: Sequence[int], chance: Generator, width: int, runs: int) -> NDArray[np.bool_]:
    """Return one of some values in each run, mostly, or else any."""
    import numpy as np

    some = chance.choice(np.array(values), runs)
    every = chance.integers(0, 1 << width, runs)
    got = np.where(chance.random(runs) < 0.95, some, every)
    return (got[None, :] >> np.arange(width)[:, None] & 1).astype(np.bool_)


def _keep(chance: Generator, width: int, runs: int) -> NDArray[np.bool_]:
    """Return `tkeep`: all bytes, mostly, or the first ones, or any."""
    import numpy as np

    kind = chance.random(runs)
    length = np.where(kind < 0.7, width, chance.integers(0, width + 1, runs))
    first: NDArray[np.bool_] = np.arange(width)[:, None] < length[None, :]
    return np.where(kind[None, :] < 0.98, first, _bits(0.5, chance, width, runs))

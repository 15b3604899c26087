# SPDX-License-Identifier: Apache-2.0
"""Tables of engines under load: modes, packets, keys."""

from __future__ import annotations

import functools
import json
from typing import Any

from bench_modes import FILE as MODES_RESULT
from bench_modes import cores as mode_cores
from bench_packets import RESULT as PACKETS_RESULT
from bench_streams import OTHERS as STREAMS_OTHERS
from bench_streams import RESULT as STREAMS_RESULT

from aesforge.measure.bench import Campaign
from pages.markdown import Section, table


def mode_costs() -> str:
    """Return the table of what each mode costs over the bare core, as synthesis gave it."""
    found = Campaign.read(MODES_RESULT).measurements
    rows = []
    for core in mode_cores():
        if not core.bare or not {core.name, core.bare} <= found.keys():
            continue
        one, bare = found[core.name], found[core.bare]
        assert one.subject.engine is not None
        area, less = one.area, bare.area
        rows.append(
            (
                ", ".join(one.subject.engine["modes"]),
                _bare_core(one.subject.engine),
                f"{less.luts:,} / {less.ff:,}",
                f"{area.luts:,} / {area.ff:,}",
                f"**{area.luts - less.luts:+,} / {area.ff - less.ff:+,}**",
                f"{area.lut_ram - less.lut_ram:,}",
            )
        )
    if not rows:
        return "not measured yet"
    made = sorted(
        {f"{one.device}, yosys {one.provenance.tools['yosys']}" for one in found.values()}
    )
    lut = "LUT4 / FF"
    head = (
        *("modes", "core", f"{lut}, core alone", f"{lut}, engine", f"{lut}, on top"),
        "of these LUT4, RAM of the queues",
    )
    return f"{'; '.join(made)}.\n\n{table(head, rows)}"


GCM_SMALL = ("gcm", "gcm-digit-8", "gcm-digit-4")


def gcm_small() -> str:
    """Return the table of small engines with GCM, as synthesis gave them."""
    found = Campaign.read(MODES_RESULT).measurements
    rows = []
    for name in GCM_SMALL:
        if name not in found:
            continue
        one = found[name]
        assert one.subject.engine is not None
        engine = one.subject.engine
        cycles = one.subject.interval_cycles or 0
        rows.append(
            (
                str(engine["multiply_digit"]),
                engine["sbox"],
                f"{cycles:.0f}",
                f"{one.area.luts:,}",
                f"{one.area.lut_ram:,}",
                f"{one.area.ff:,}",
                str(one.area.block_ram),
            )
        )
    if not rows:
        return "Not measured yet."
    head = (
        "`multiply_digit`",
        "`sbox`",
        "cycles per block",
        "LUT4",
        "of these RAM",
        "FF",
        "block RAM",
    )
    return table(head, rows)


def _bare_core(engine: dict[str, Any]) -> str:
    """Return the core of an engine and the engine's scalable parts as a short label."""
    # Choices that do not apply are left out of it.
    keys = f"{engine['key_slots']} slots, " if engine.get("key_slots") else ""
    streams = f"{engine['streams']} streams, " if engine.get("streams") else ""
    tiles = f"unrolled, {engine['tiles']} blocks per beat, " if engine["tiles"] > 1 else ""
    digit = engine.get("multiply_digit")
    small = f"{engine['sbox']} S-box, {digit} bits per cycle in GHASH, " if digit else ""
    return f"{engine['direction']}; {tiles}{keys}{streams}{small}depth {engine['depth']}"


def streams_result() -> dict[str, Any] | None:
    """Return what the harness under load found last, or None."""
    if not STREAMS_RESULT.exists():
        return None
    found: dict[str, Any] = json.loads(STREAMS_RESULT.read_text(encoding="utf-8"))
    return found


def streams_load() -> str:
    """Return the table of the run under load."""
    found = streams_result()
    return "not measured yet" if found is None else load_table(found)


def load_table(found: dict[str, Any], reference: str = "OpenSSL") -> str:
    """Return the table of a run under load, compared with a reference."""
    whole = found["whole"]
    rows = []
    for one in (whole, *found["rates"]):
        stall, beats, fault = _load_cells(one)
        packets = f"{one['blocks']:,} in {one['packets']:,}"
        rows.append((stall, packets, beats, fault, f"{one['cycles'] / one['blocks']:.3f}"))
    head = (
        *("each side waits in", "blocks in packets", "beats in / out"),
        *("lost, repeated, reordered or wrong", "cycles per block"),
    )
    return (
        f"`{found['engine']}`, {found['date'][:10]}, seed {found['seed']}, verilator "
        f"{found['tools']['verilator']}, compared with {reference}: `{found['command']}`\n\n"
        f"{table(head, rows)}"
    )


# Where OpenSSL's interface does not have all that an engine has.
OUR_MODEL = "our model of the mode over OpenSSL's block cipher"


def engine_load(engine: str, packets: str, reference: str = "OpenSSL") -> str:
    """Return the table of an engine's run under load.

    Args:
        engine: a preset.
        packets: what it is sent, in words.
        reference: what it is compared with.
    """
    path = STREAMS_RESULT.with_name(f"streams-{engine}.json")
    if not path.exists():
        return "Not measured yet."
    return f"`make bench` sends {packets}. " + load_table(
        json.loads(path.read_text(encoding="utf-8")), reference
    )


SEALED = (
    "random packets of 0 to 20 blocks of text and 0 to 5 of AAD, in both directions, {}. Blocks "
    "are beats here, tags among them"
)
SLOTS = SEALED.format("under all key slots in random order")
GCM_LOAD = functools.partial(engine_load, "gcm-stream", SLOTS)
GCM_DUAL_LOAD = functools.partial(engine_load, "gcm-dual", SLOTS)
GCM_WIDE_LOAD = functools.partial(engine_load, "gcm-wide", SLOTS)
OCB_LOAD = functools.partial(engine_load, "ocb-stream", SLOTS, OUR_MODEL)
CCM_LOAD = functools.partial(
    engine_load, "ccm-interleaved", SEALED.format("on all streams in turn"), OUR_MODEL
)
UNITS = "random data units of 1 to 94 blocks, most of which end in part of one, in both directions"
XTS_LOAD = functools.partial(engine_load, "xts-stream", UNITS)
XTS_DUAL_LOAD = functools.partial(engine_load, "xts-dual", UNITS)
_PACKET_HEAD = ("engine, bytes of a beat", "bytes of text + AAD")


def _packet_cells(engine: str, result: dict[str, Any], one: dict[str, Any]) -> tuple[str, str]:
    """Return the engine and the size of packets whose cycles were measured."""
    return f"`{engine}`, {result['beat_bytes']}", f"{one['text_bytes']:,} + {one['aad_bytes']}"


def gcm_packets() -> str:
    """Return what packets of Ethernet's sizes take, and the clocks that its rates need."""
    if not PACKETS_RESULT.exists():
        return "Not measured yet."
    found = json.loads(PACKETS_RESULT.read_text(encoding="utf-8"))
    gigabits = (10, 25, 40, 100)
    rows = []
    for engine, result in found.items():
        for one in result["rates"]:
            # On the wire, 20 bytes of preamble and gap are between frames.
            clocks = (1e3 * g / 8 / (one["text_bytes"] + 20) * one["cycles"] for g in gigabits)
            rows.append(
                (
                    *_packet_cells(engine, result, one),
                    str(one["beats"]),
                    f"{one['cycles']:.3f}",
                    f"{one['cycles'] - one['beats']:.3f}",
                    f"{1e6 / one['cycles']:,.0f}",
                    *(f"{clock:,.0f}" for clock in clocks),
                )
            )
    head = (
        *(*_PACKET_HEAD, "beats", "cycles", "bubbles"),
        *("packets per second and MHz", *(f"{g} Gbit/s" for g in gigabits)),
    )
    return (
        "Packets of the sizes of Ethernet frames, under all key slots in random order, and the "
        "clock in MHz that each rate of Ethernet needs if every frame is one packet: "
        "`python scripts/bench_packets.py`\n\n" + table(head, rows)
    )


def gcm_keys() -> str:
    """Return what packets take that each have a new key."""
    found = json.loads(PACKETS_RESULT.read_text(encoding="utf-8"))
    rows = [
        (
            *_packet_cells(engine, result, one),
            f"{one['cycles']:.1f}",
            f"{1e6 / one['cycles']:,.0f}",
            f"{0.8 * one['text_bytes'] / one['cycles']:.2f}",
        )
        for engine, result in found.items()
        for one in result["new_keys"]
    ]
    head = (
        *(*_PACKET_HEAD, "cycles per packet"),
        *("packets per second and MHz", "Gbit/s of text at 100 MHz"),
    )
    return table(head, rows)


def _load_cells(one: dict[str, Any]) -> tuple[str, str, str]:
    """Return stalls, beats, and the first fault of a run."""
    return (
        f"{100 * one['stall']:g} %",
        f"{one['beats_in']:,} / {one['beats_out']:,}",
        "none" if one["fault"] is None else one["fault"],
    )


def streams_others() -> str:
    """Return the table of other cores in the same harness."""
    if not STREAMS_OTHERS.exists():
        return "None was tried yet."
    parts = []
    for name, found in json.loads(STREAMS_OTHERS.read_text(encoding="utf-8")).items():
        rows = [_load_cells(one) for one in found["rates"]]
        head = ("each side waits in", "beats in / out", "first lost, repeated, reordered or wrong")
        parts.append(
            f"**{name}**: {found['source']}; {found['date'][:10]}, seed {found['seed']}, verilator "
            f"{found['tools']['verilator']}: `{found['options']}`\n\n{table(head, rows)}"
        )
    return "\n\n".join(parts)


def streams_line() -> str:
    """Return the one sentence of the README about the run under load."""
    found = streams_result()
    if found is None:
        return "Random packets under random stalls: not measured yet."
    whole = found["whole"]
    lost = "none was lost, repeated, reordered or wrong"
    if whole["fault"] is not None:
        lost = f"wrong: {whole['fault']}"
    return (
        f"{whole['blocks']:,} blocks in {whole['packets']:,} random packets went through "
        f"`{found['engine']}` with both sides waiting in {100 * whole['stall']:g} % of the cycles: "
        f"{lost} ([figures](docs/streams.md#under-load))."
    )


SECTIONS: tuple[Section, ...] = (
    ("README.md", "streams", streams_line),
    ("docs/streams.md", "mode costs", mode_costs),
    ("docs/streams.md", "load", streams_load),
    ("docs/streams.md", "other cores", streams_others),
    ("docs/modes/gcm.md", "gcm packets", gcm_packets),
    ("docs/modes/gcm.md", "gcm keys", gcm_keys),
    ("docs/modes/gcm.md", "gcm load", GCM_LOAD),
    ("docs/modes/gcm.md", "gcm dual load", GCM_DUAL_LOAD),
    ("docs/modes/gcm.md", "gcm wide load", GCM_WIDE_LOAD),
    ("docs/modes/ccm.md", "ccm load", CCM_LOAD),
    ("docs/modes/ocb.md", "ocb load", OCB_LOAD),
    ("docs/modes/xts.md", "xts load", XTS_LOAD),
    ("docs/modes/xts.md", "xts dual load", XTS_DUAL_LOAD),
    ("docs/modes/gcm.md", "gcm small", gcm_small),
)

# SPDX-License-Identifier: Apache-2.0
"""Write the generated parts of the documentation, each between two marker comments.

    python scripts/docs.py [--check]

`--check` writes nothing and fails when a part is out of date; the tests ask for that.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import api_page
import bench_peers
import bench_whole_device as whole
import msgspec
from bench import RESULT as TOOL_RESULT
from bench_bitstream_faults import FILE as BITSTREAM_FAULTS
from bench_cores import FILE as CORES_RESULT
from bench_cores import cores
from bench_energy import BASE as ENERGY_BASE
from bench_energy import results as energy_results
from bench_explore import RESULT as PRUNING_RESULT
from bench_modes import FILE as MODES_RESULT
from bench_modes import cores as mode_cores
from bench_packets import RESULT as PACKETS_RESULT
from bench_papers import FILE as BESIDE_PAPERS
from bench_streams import OTHERS as STREAMS_OTHERS
from bench_streams import RESULT as STREAMS_RESULT
from bench_whole_device import FILE as WHOLE_DEVICE
from bench_whole_device import Filled
from fault_campaign import FILE as FAULTS_RESULT
from proof_records import recorded as recorded_proofs
from prove_all import NO_CORE, Task, run_of
from prove_all import OUTPUT as PROOFS
from prove_engines import ENGINE_OF
from prove_engines import ENGINES as ENGINES_TO_PROVE
from prove_engines import OUTPUT as ENGINE_PROOFS
from prove_engines import sources as engine_sources
from prove_modes import OUTPUT as MODE_PROOFS
from prove_modes import proved_parts
from prove_modes import sources_of as mode_sources
from prove_mutants import OUTPUT as MUTANTS
from prove_mutants import rtl_hash as rtl_of_mutants
from waves import svg

from aesforge.board.data import boards
from aesforge.bundle.simulators import recorded
from aesforge.design import ALLOWED, Design, load_any, sbox_stage_range, text_of
from aesforge.design.engine import FIELDS as ENGINE_FIELDS
from aesforge.design.engine import Engine
from aesforge.design.fields import DEFAULTS, FIELDS, Field
from aesforge.design.presets import ENGINE_SUMMARIES, ENGINES, SUMMARIES, of_group
from aesforge.devices import Part, device, parts
from aesforge.devices.families import family
from aesforge.energy.model import Energy, Ratio, ratio
from aesforge.measure.bench import Campaign, Core
from aesforge.measure.record import Clock, Measurement
from aesforge.prove.assumptions import (
    ASSUMPTIONS,
    ENGINE_ASSUMPTIONS,
    ENGINE_NOT_COVERED,
    NOT_COVERED,
    PART_ASSUMPTIONS,
    PART_NOT_COVERED,
)
from aesforge.prove.certificate import ABC, RECOGNIZE
from aesforge.reference import cipher
from aesforge.report import ratios
from aesforge.report.table import COLUMNS
from aesforge.research.papers import energy as paper_energy
from aesforge.research.papers import show
from aesforge.research.papers.compare import (
    Closeness,
    Comparison,
    best_way,
    closeness,
    compare,
    counts,
    known_results,
    placement_spread,
)
from aesforge.research.papers.published import Paper, published
from aesforge.research.papers.quantities import rests_on
from aesforge.research.security import Evaluation
from aesforge.research.security.show import rows as security_rows
from aesforge.toolchain import header, rtl

REPO = Path(__file__).resolve().parent.parent

# FIPS 197 Appendix B: unlike counting bytes, no order but the right one gives its ciphertext.
KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
# What the README's first table shows, of bench/cores.toml: an engine of each family, then cores.
README_CORES = (
    "ctr-stream",
    "gcm-dual",
    "ctr-stream-lifcl-40",
    "ctr-gw2a-18",
    "ecb-hx8k",
    "cbc-interleaved",
    "line-rate",
    "line-rate-five-tiles",
    "balanced-lifcl-40",
    "compact",
    "compact-hx8k",
)
PLAINTEXT = bytes.fromhex("3243f6a8885a308d313198a2e0370734")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def one_of(values: Iterable[object]) -> str:
    """Return values as code, with commas."""
    return ", ".join(f"`{value}`" for value in values)


# --- The parts -----------------------------------------------------------------------------------


def presets() -> str:
    """Return the table of the ready-made designs."""

    def row(design: Design) -> list[str]:
        cycles = design.interval / design.blocks_per_beat
        return [
            f"`{design.name}`",
            SUMMARIES[design.name],
            design.sbox,
            f"{design.sbox_stages} + {design.linear_stages}",
            str(design.latency_cycles),
            f"{cycles:g}",
            f"{128 / cycles:g}",
            str(design.blocks_in_flight),
            str(design.sbox_count),
        ]

    head = (
        "preset",
        "what it is",
        "S-box",
        "pipeline stages per round, S-box + rest",
        "latency (cycles)",
        "cycles per block",
        "bits per cycle",
        "blocks in flight",
        "S-boxes",
    )
    return table(head, map(row, of_group("general")))


def choices() -> str:
    """Return the table of what a design chooses."""
    stages = ", ".join(
        f"{style} {low} to {high}"
        for style in ALLOWED["sbox"]
        for low, high in [sbox_stage_range(style, "encrypt")]
    )

    def row(name: str, field: Field) -> tuple[str, ...]:
        values = f"by style: {stages}" if name == "sbox_stages" else field.values_text()
        default = DEFAULTS[name] if field.filled_in is None else field.filled_in
        return (
            f"`{name}`",
            values,
            f"`{text_of(default)}`",
            f"{field.help} {field.link}".replace("](docs/", "](").rstrip(),
        )

    return table(
        ("choice", "values", "default", "what it decides"),
        (row(name, field) for name, field in FIELDS.items() if name != "name"),
    )


def columns() -> str:
    """Return the table of the columns that the report exports."""
    return table(
        ("column", "what it says"), ((f"`{name}`", says) for name, says in COLUMNS.items())
    )


def engines() -> str:
    """Return the table of the ready-made engines."""

    def row(engine: Engine) -> list[str]:
        keys = "with each context" if engine.core.is_agile else f"{engine.core.key_slots} slots"
        return [
            f"`{engine.name}`",
            ENGINE_SUMMARIES[engine.name],
            ", ".join(engine.modes),
            keys,
            f"{1 / engine.blocks_per_cycle:g}",
            str(engine.latency_cycles),
            str(engine.depth),
        ]

    head = ("engine", "what it is", "modes", "keys", "cycles per beat", "latency", "beats inside")
    return table(head, map(row, ENGINES.values()))


def engine_choices() -> str:
    """Return the table of what an engine chooses besides its core."""
    defaults = {field.name: field.default for field in dataclasses.fields(Engine)}

    def row(name: str, field: Field) -> tuple[str, ...]:
        default = f"`{text_of(defaults[name])}`"
        if field.filled_in is not None:
            default = (
                field.filled_in if isinstance(field.filled_in, str) else f"`{field.filled_in}`"
            )
        return f"`{name}`", field.values_text(), "-" if name == "modes" else default, field.help

    base = ("`base`", "a preset of a core", "-", "what the core's choices start from, in a file")
    return table(
        ("choice", "values", "default", "what it decides"),
        [*(row(name, field) for name, field in ENGINE_FIELDS.items()), base],
    )


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


def vector() -> str:
    """Return the worked vector: every byte of it, and where it stands on the ports."""
    ciphertext = cipher(PLAINTEXT, KEY)
    rows = [
        (
            str(i),
            f"row {i % 4}, column {i // 4}",
            f"`[{127 - 8 * i}:{120 - 8 * i}]`",
            f"`{PLAINTEXT[i]:02x}`",
            f"`{KEY[i]:02x}`",
            f"`{ciphertext[i]:02x}`",
        )
        for i in range(16)
    ]
    return table(("byte", "state", "bits", "`in_block`", "`in_key`", "`out_block`"), rows)


def _bytes_reversed(data: bytes) -> bytes:
    return data[::-1]


def _words_reversed(data: bytes) -> bytes:
    return b"".join(data[i : i + 4] for i in range(len(data) - 4, -1, -4))


def _bytes_reversed_in_words(data: bytes) -> bytes:
    return b"".join(data[i : i + 4][::-1] for i in range(0, len(data), 4))


def _bits_reversed(data: bytes) -> bytes:
    return int(f"{int.from_bytes(data, 'big'):0{8 * len(data)}b}"[::-1], 2).to_bytes(
        len(data), "big"
    )


def _rows_first(data: bytes) -> bytes:
    return bytes(data[4 * (i % 4) + i // 4] for i in range(16))


MISTAKES: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("byte 0 at the low end (`[7:0]`), as AXI4-Stream has it", _bytes_reversed),
    ("32-bit words in reversed order, each right in itself", _words_reversed),
    ("words in order, the bytes of each reversed (a little-endian bus)", _bytes_reversed_in_words),
    ("all 128 bits reversed (`[0:127]` wired to `[127:0]`)", _bits_reversed),
    ("the state filled row by row instead of column by column", _rows_first),
)


def mistakes() -> str:
    """Return the table of `out_block` for block and key, or the block only, in a wrong order."""
    rows = []
    for words, twist in MISTAKES:
        raw = cipher(twist(PLAINTEXT), twist(KEY))
        rows.append((words, f"`{raw.hex()}`", f"`{cipher(twist(PLAINTEXT), KEY).hex()}`"))
    return table(
        ("order of the input", "`out_block`, block and key swapped", "`out_block`, block swapped"),
        rows,
    )


def _measured_as(core: Core, one: Measurement) -> str:
    """Return the arguments of `aesforge measure` that give a design and its recipe."""
    recipe = one.provenance.recipe.split(", ")[0]
    usual = family(one.family).recipe[0].name
    return " ".join([*core.design, *(["--recipe", recipe] if recipe != usual else [])])


def measured() -> str:
    """Return the table of what the bench measured on devices."""
    rows = []
    found = Campaign.read(CORES_RESULT).measurements
    for core in cores():
        if core.name not in found:
            continue
        one = found[core.name]
        area, clock = one.area, one.clock
        luts = f"{area.luts:,} LUT{4 if area.lut4 is not None else 6}"
        rows.append(
            (
                f"`{_measured_as(core, one)}`{', floorplan' if core.floorplan else ''}",
                one.device,
                "-" if one.throughput_gbps is None else f"{one.throughput_gbps:.2f}",
                "-" if clock is None else f"{clock.fmax_mhz:.1f}",
                "synthesis only" if clock is None else _limit(clock),
                luts + (f" + {area.wide_mux:,} wide muxes" if area.wide_mux else ""),
                f"{area.ff:,}",
                str(area.block_ram or "-"),
                "-" if one.mbps_per_lut is None else f"{one.mbps_per_lut:.2f}",
                str(max(stage.depth for stage in one.depth)),
            )
        )
    head = (
        "design",
        "device",
        "Gbps",
        "Fmax, MHz",
        "limited by; as reported each seed",
        "area",
        "FF",
        "block RAM",
        "Mbps per LUT",
        "logic depth",
    )
    return table(head, rows)


def measured_in_short() -> str:
    """Return the README's table: what a buyer asks of the engines and the bare cores."""
    known = {core.name: core for core in cores()}
    found = Campaign.read(CORES_RESULT).measurements
    rows = []
    for name in README_CORES:
        core, one = known[name], found[name]
        assert one.throughput_gbps is not None
        assert one.clock is not None
        rows.append(
            (
                f"`{_measured_as(core, one)}`",
                "core" if one.subject.engine is None else "engine",
                one.device,
                f"{one.throughput_gbps:.2f}",
                f"{one.clock.fmax_mhz:.0f}",
                str(len(one.clock.runs)),
                f"{one.area.luts:,}",
                f"{one.area.ff:,}",
                str(one.area.block_ram or "-"),
            )
        )
    head = ("design", "what", "device", "Gbps", "Fmax", "placements", "LUT4", "FF", "block RAM")
    return table(head, rows)


def placed_tiles(cores: Iterable[Measurement], one: Filled) -> list[tuple[int, float]]:
    """Return those of some cores that have these stages and were placed: tiles, Fmax in MHz."""
    known = []
    for found in cores:
        design, clock = found.subject.design, found.clock
        if design is None or clock is None or found.device != whole.DEVICE or "tiles" not in design:
            continue
        chosen = whole.core(one.stages, design["tiles"]).target.subject().design
        assert chosen is not None
        # Older records lack the newer choices.
        if {**chosen, **design, "name": ""} == {**chosen, "name": ""}:
            known.append((design["tiles"], clock.fmax_mhz))
    return sorted(known)


def whole_device() -> str:
    """Return how many tiles fill a device, what binds, and the clock that they need."""
    found = Campaign.read(WHOLE_DEVICE).measurements
    every, limit = whole.every(), whole.clock_limit()
    cores = Campaign.read(CORES_RESULT).measurements.values()
    placed = [placed_tiles(cores, one) for one in every]
    rows = []
    for one, of_stages in zip(every, placed, strict=True):
        used = (area.needed(one.tiles) / area.capacity for area in (one.lut, one.ff))
        mhz = whole.clock_for(whole.GOAL_GBPS, one.tiles)
        rows.append(
            (
                one.words,
                str(one.depth),
                f"{one.lut.shared:,} + {one.lut.tile:,}",
                f"{one.ff.shared:,} + {one.ff.tile:,}",
                str(one.tiles),
                one.binds,
                ", ".join(f"{share:.0%}" for share in used),
                str(whole.checked(found, one.stages)),
                f"{whole.gbps_at(limit, one.tiles):.0f}",
                f"{mhz:.0f}{'' if mhz <= limit else ', above the limit'}",
                "; ".join(
                    f"{tiles}: {fmax:.0f} MHz, {whole.gbps_at(fmax, tiles):.0f} Gbps"
                    for tiles, fmax in of_stages
                )
                or "-",
            )
        )
    head = (
        "stages per round",
        "logic depth",
        "LUT4, shared + each tile",
        "FF, shared + each tile",
        "tiles",
        "binds",
        "LUT4, FF used",
        "sum checked with tiles",
        f"Gbps at {limit:.0f} MHz",
        f"MHz for {whole.GOAL_GBPS} Gbps",
        "placed, by tiles",
    )
    within = next(one for one in every if whole.clock_for(whole.GOAL_GBPS, one.tiles) <= limit)
    gbps, tiles, fmax, words = max(
        (whole.gbps_at(fmax, tiles), tiles, fmax, one.words)
        for one, of_stages in zip(every, placed, strict=True)
        for tiles, fmax in of_stages
    )
    return (
        f"{table(head, rows)}\n\n"
        f"Up to {limit:.0f} MHz, {whole.GOAL_GBPS} Gbps takes {within.tiles} tiles at least, which "
        f"fit with {within.words} stages per round or fewer. The fastest placed so far: {tiles} "
        f"tiles with {words} stages, {fmax:.0f} MHz, {gbps:.0f} Gbps."
    )


def peers() -> str:
    """Return the table of other people's cores, the fastest first, with some of ours."""
    bench, known = bench_peers.bench(), bench_peers.results()
    found = Campaign.read(CORES_RESULT).measurements
    rows = [
        (known[peer.name].best, peer.name, peer.keys, peer.lacks, str(known[peer.name].blocks))
        for peer in bench.peer
        if peer.name in known
    ]
    rows += [(found[name], f"**`{name}`**, ours", "", "", "proved") for name in bench.ours]
    rows.sort(key=lambda row: -(row[0].throughput_gbps or 0))

    def line(one: Measurement, name: str, keys: str, lacks: str, vectors: str) -> tuple[str, ...]:
        assert one.clock is not None
        clocks = ", ".join(f"{run.mhz:.1f}" for run in one.clock.runs)
        muxes = f" + {one.area.wide_mux:,} wide muxes" if one.area.wide_mux else ""
        return (
            name,
            f"{one.throughput_gbps:.2f}",
            f"{one.clock.fmax_mhz:.1f} ({clocks})",
            f"{one.area.luts:,}{muxes}",
            f"{one.area.ff:,}",
            str(one.area.block_ram or "-"),
            f"{one.mbps_per_lut:.2f}",
            f"{one.subject.interval_cycles:g}",
            one.provenance.recipe,
            vectors,
            keys,
            lacks,
        )

    head = (
        *("core", "Gbps", "Fmax, MHz (as reported)", "LUT4", "FF", "block RAM", "Mbps per LUT"),
        *("interval", "recipe", "blocks right", "does", "lacks"),
    )
    return table(head, [line(*row) for row in rows])


def unmeasured_peers() -> str:
    """Return the table of cores that are not measured, and why."""
    rows = [(one.repository, one.why) for one in bench_peers.bench().unmeasured]
    return table(("core", "why"), rows)


def papers_run() -> str:
    """Return how long the last whole measurement for the comparison with the papers took."""
    run = Campaign.read(BESIDE_PAPERS).run
    assert run is not None
    return (
        f"The last run from an empty cache: {run['cores']} cores in {run['minutes']} minutes, "
        f"{run['processors']} at a time."
    )


def tool_speed() -> str:
    """Return the table of how fast the tool itself is, as `make bench` last found it."""
    if not TOOL_RESULT.exists():
        return "not measured yet"
    result = json.loads(TOOL_RESULT.read_text(encoding="utf-8"))
    machine = result["machine"]

    def row(figure: dict[str, Any]) -> tuple[str, str, str]:
        unit = figure["unit"]
        digits = 2 if unit == "s" and figure["value"] < 10 else 0
        bound = "at most" if unit == "s" else "at least"
        promised = figure["promised"]
        return (
            figure["what"],
            f"{figure['value']:,.{digits}f} {unit}",
            "-" if promised is None else f"{bound} {promised:,g} {unit}",
        )

    on = f"on {machine['processors']} processors, Python {machine['python']}"
    return table((on, "measured", "promised"), map(row, result["figures"]))


def _limit(clock: Clock) -> str:
    doubt = "" if clock.cap is None or clock.cap.verified else " (cap not verified)"
    runs = ", ".join(f"{run.mhz:.1f}" for run in clock.runs)
    return f"{clock.limit}{doubt if clock.limit != 'logic and wires' else ''}; {runs}"


def _names(part: Part) -> str:
    """Return what `--device` takes for a part, as code."""
    return ", ".join(
        f"`{'-'.join(filter(None, (part.part, grade.name)))}`" for grade in part.grades
    )


def device_parts() -> str:
    """Return the table of the parts with what they have."""
    return table(
        ("`--device`", "vendor, family", "LUTs", "flip-flops", "block RAMs", "flow", "source"),
        (
            (
                _names(part),
                f"{part.vendor}, {part.family}",
                f"{part.capacity.luts:,} LUT{part.lut_inputs}",
                f"{part.capacity.ff:,}",
                f"{part.capacity.block_ram:,}",
                "placed and routed" if part.flow == "place" else "synthesis only",
                part.capacity.source,
            )
            for part in parts()
        ),
    )


def device_caps() -> str:
    """Return the table of the data-sheet limits; parts that share one share a row."""
    rows: dict[tuple[str, str, str, str], list[str]] = {}
    for part in parts():
        for grade in part.grades:
            name = "-".join(filter(None, (part.part, grade.name)))
            for cap in grade.caps:
                key = (cap.what, f"{cap.mhz:g}", "yes" if cap.verified else "**no**", cap.source)
                rows.setdefault(key, []).append(f"`{name}`")
            if not grade.caps:
                rows.setdefault(("none known", "", "", ""), []).append(f"`{name}`")
    return table(
        ("device", "limit", "MHz", "read by us", "source"),
        ([", ".join(names), *key] for key, names in rows.items()),
    )


def device_timing() -> str:
    """Return the table of how far the timing tool can be trusted; equal ones share a row."""
    rows: dict[tuple[str, str], list[str]] = {}
    for part in parts():
        timing = part.timing
        warnings = timing.notes + timing.warnings + timing.block_ram_warnings
        key = (part.timing.source, "; ".join(warnings) or "nothing known against it")
        rows.setdefault(key, []).append(f"`{part.part}`")
    return table(
        ("part", "where the delays come from", "what to bear in mind"),
        ([", ".join(names), *key] for key, names in rows.items()),
    )


def liu2014_security() -> str:
    """Return the table of what the attacks on the research key schemes measured."""
    path = REPO / "bench" / "results" / "liu2014-security.json"
    if not path.exists():
        return "not measured yet"
    evaluation = msgspec.json.decode(path.read_bytes(), type=Evaluation)
    made = f"Measured on {evaluation.date[:10]}, one core of {evaluation.processor}: "
    return f"{made}`{evaluation.command}`\n\n" + table(
        ("experiment", "said or expected", "measured"), security_rows(evaluation)
    )


# --- The papers ----------------------------------------------------------------------------------


@functools.cache
def comparisons() -> list[Comparison]:
    """Set the papers beside the results in bench/results/papers.json, and nothing else."""
    return compare(known_beside_papers())


@functools.cache
def known_beside_papers() -> dict[str, Measurement]:
    """Return what bench/results/papers.json holds of the bench as it is today."""
    return known_results(BESIDE_PAPERS, own=False)


def of_paper(paper: Paper) -> list[Comparison]:
    """Return a paper's figures."""
    return [one for one in comparisons() if one.paper == paper.key]


def comparison(paper: Paper) -> str:
    """Return a paper's claims, its tables with ours beneath each line, and the verdicts."""
    titles = {one.name: one.title for one in paper.table}
    parts = ["\n".join(f"- {line.capitalize()}." for line in show.summary_lines(of_paper(paper)))]
    claims = show.claims_of(of_paper(paper))
    if claims:
        parts += ["### What it claims", table(show.CLAIM_HEAD, map(show.claim_row, claims))]
    for name, rows in show.groups(of_paper(paper)):
        head = ("", "device", *(f"{one.column} ({one.unit})" for one in rows[0]))
        lines = []
        for row in rows:
            lines.append((row[0].row, row[0].device, *map(show.published_text, row)))
            for on, cells in show.by_device(row):
                ours = (f"**{show.ours_text(one)}**" if one in cells else "" for one in row)
                lines.append(("**ours**", f"**{on}**" if on else "", *ours))
        verdicts = show.verdicts([one for row in rows for one in row])
        parts += [f"### {name}: {titles[name]}", table(head, lines)]
        parts.append("\n".join(f"- {said} ({which})" for said, which in verdicts))
    parts += [*bounds(paper), *on_devices(paper), *measured_for(paper)]
    return "\n\n".join(filter(None, parts))


def bounds(paper: Paper) -> list[str]:
    """Return the table of what the clock tree allows where we only synthesize, beside the paper."""
    known = known_beside_papers()
    lines = {}
    for data in paper.table:
        clocks = [column for column in data.columns if column.quantity == "mhz"]
        for row in data.rows:
            for name in row.cores:
                one = known.get(name)
                if not clocks or one is None or one.clock is not None:
                    continue
                # Only where the paper has our very part.
                where = device(one.device)
                theirs = data.published(row, clocks[0])
                cap = where.cap(block_ram=one.area.block_ram > 0)
                if row.device != where.part.part or theirs is None or cap is None:
                    continue
                levels = max((stage.depth for stage in one.depth), default=0)
                mark = "" if cap.verified else ", not verified"
                lines[row.name] = (
                    *(row.name, one.device, str(levels), f"{theirs:.2f}"),
                    f"{cap.mhz:g} ({cap.what}{mark})",
                    f"{100 * theirs / cap.mhz:.0f} %",
                )
    if not lines:
        return []
    head = ("", "device", "logic depth", "the paper's clock (MHz)", "upper bound (MHz)", "share")
    return [
        "### Upper bound of the clock, without logic and wires; no clock of ours, and not judged",
        table(head, lines.values()),
        "No source that we could read gives the delays of the family's look-up tables and "
        "flip-flops, so the logic depth adds no bound of its own. The speed grade is our choice: "
        "the paper names none.",
    ]


def on_devices(paper: Paper) -> list[str]:
    """Return the table of clocks and their ratios on each of our devices, where there are several.

    What changes from device to device is the device's; what stays is the circuit's.
    """
    known = known_beside_papers()
    found: dict[tuple[str, str], dict[str, str]] = {}
    for data in paper.table:
        if not any("clock" in rests_on(column.quantity) for column in data.columns):
            continue
        for row in data.rows:
            base = data.base_of(row)
            clocks = clocks_of(known, row.cores)
            below = {} if base is None else clocks_of(known, base.cores)
            if len(clocks) > 1 and not row.conjecture:
                found.setdefault(
                    (row.name, row.over.partition(",")[0]),
                    {
                        on: f"{mhz:.1f}" + (show.times(mhz / below[on]) if on in below else "")
                        for on, mhz in clocks.items()
                    },
                )
    if not found:
        return []
    names = list(dict.fromkeys(on for cells in found.values() for on in cells))
    lines = [
        (f"{row} over {over}" if over else row, *(cells.get(on, "") for on in names))
        for (row, over), cells in found.items()
    ]
    return [
        "### What the device accounts for: our clocks in MHz, and the ratios",
        table(("", *names), lines),
    ]


def clocks_of(known: Mapping[str, Measurement], names: Iterable[str]) -> dict[str, float]:
    """Return the clocks of some cores by their device, each built in its best way."""
    found: dict[str, float] = {}
    for name in names:
        if name in known:
            one = known[best_way(known, name)]
            if one.clock is not None:
                found.setdefault(one.device, one.clock.fmax_mhz)
    return found


def measured_for(paper: Paper) -> list[str]:
    """Return the table of what was measured for a paper, each core in every way it was built."""
    known = known_beside_papers()
    every = published()
    names = [name for data in paper.table for row in data.rows for name in row.cores]
    lines = []
    for name in dict.fromkeys(names):
        if name not in known:
            continue
        best = best_way(known, name)
        ways = [name, *(other for other in every.ways(name) if other in known)]
        for way in ways:
            one = known[way]
            runs = [] if one.clock is None else sorted(run.mhz for run in one.clock.runs)
            clock = "" if one.clock is None else f"{one.clock.fmax_mhz:.1f}"
            if len(runs) > 1:
                clock += f" ({runs[0]:.1f} to {runs[-1]:.1f})"
            asked = every.cores()[way].seeds
            lines.append(
                (
                    f"**{way}**" if way == best and len(ways) > 1 else way,
                    one.device,
                    one.provenance.recipe,
                    f"{len(runs)} of {asked}" if len(runs) < asked else str(len(runs)),
                    clock,
                    f"{one.area.luts:,}",
                    str(max((stage.depth for stage in one.depth), default=0)),
                )
            )
    head = ("core", "device", "recipe", "placements", "clock (MHz)", "LUTs", "logic depth")
    return (
        [
            "### What was measured; of several ways to build a core, the best in bold",
            table(head, lines),
        ]
        if lines
        else []
    )


def papers_headlines() -> str:
    """Return what the papers are known for with our verdicts, and how close our ratios come."""
    shown = []
    for paper in published().paper:
        wanted = {
            (data.name, row.name, row.device, column.label)
            for data in paper.table
            for row in data.rows
            for column in data.columns
            if row.headline and column.key in data.headline
        }
        link = f"[{paper.key}]({paper.key}.md)"
        for one in show.figures_of(of_paper(paper)):
            if (one.table, one.row, one.device, one.column) in wanted:
                what = f"{one.row} over {one.over}: {one.column} ({one.table})"
                reach = show.claim_ours(one)
                shown.append((link, what, show.times(one.published_ratio).strip(" ()"), reach, one))
        claims = {claim.says for claim in paper.claim if claim.headline}
        for one in show.claims_of(of_paper(paper)):
            if one.row in claims:
                what = f"{one.row} ({one.table})"
                shown.append((link, what, show.claim_theirs(one), show.claim_ours(one), one))
    figures = table(
        ("paper", "what it says", "theirs", "ours", "verdict"),
        ((link, what, theirs, ours, verdict(one)) for link, what, theirs, ours, one in shown),
    )
    close = [(paper, closeness(of_paper(paper))) for paper in published().paper]
    near = table(
        ("ratios of", "there are", "within 10 %", "within 25 %", "within 2 times", "median"),
        (
            (paper.key, *map(str, (one.ratios, one.tenth, one.quarter, one.twice)), times(one))
            for paper, one in close
        ),
    )
    return f"{figures}\n\n{near}"


def papers_totals() -> str:
    """Return the README's table: how many claims and figures of each paper have which verdict."""
    kinds = show.WORDS
    return table(
        ("", *kinds.values()),
        (
            (
                f"[{paper.key}](docs/papers/{paper.key}.md), {name}",
                *(str(counts(of(of_paper(paper)))[kind]) for kind in kinds),
            )
            for paper in published().paper
            for name, of in (("claims", show.claims_of), ("figures", show.figures_of))
            if of(of_paper(paper))
        ),
    )


def spread() -> str:
    """Return by how much a single placement may be off, for the rules."""
    return f"The spread is {placement_spread():.2f} times."


def verdict(one: Comparison) -> str:
    """Return the verdict of the README: commands are in the paper's page."""
    return show.WORDS[one.verdict] if one.verdict == "not measured" else one.said


def times(one: Closeness) -> str:
    """Return the median, in times."""
    return "-" if one.median is None else f"{one.median:.2f} times"


def key_changes() -> str:
    """Return the table of what a new key costs with a key per block and with stored keys."""
    found = json.loads((REPO / "bench" / "results" / "key-change.json").read_bytes())
    clocks = Campaign.read(BESIDE_PAPERS).measurements
    sizes = list(next(iter(found.values()))["cycles_per_packet"])
    rows = []
    for name, one in found.items():
        preset, kind = name.split()
        core = f"{preset}-stored-ecp5" if kind == "stored" else f"{preset}-ecp5"
        clock = clocks[core].clock if core in clocks else None
        mhz = clock.fmax_mhz if clock else None
        cells = []
        for size in sizes:
            cycles = one["cycles_per_packet"][size]
            gbps = f", {128 * int(size) * mhz / cycles / 1000:.2f} Gbps" if mhz else ""
            cells.append(f"{cycles:g}{gbps}")
        keys = f"stored, {one['slots']} slots" if kind == "stored" else "with every block"
        rows.append((f"`{preset}`", keys, f"{mhz:.1f}" if mhz else "not placed", *cells))
    heads = ("1 block" if size == "1" else f"{size} blocks" for size in sizes)
    return table(("core", "keys", "MHz", *heads), rows)


# The modes of Fig. 2 of Saggese et al., the preset of an engine for each, and what differs from it.
FIG_2: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("ECB", "ecb-stream", {}),
    ("CBC encryption", "cbc-interleaved", {}),
    ("CBC decryption", "cbc-decrypt-stream", {}),
    ("CBC-MAC", "cbc-interleaved", {"modes": ["cbc-mac"]}),
    ("CFB encryption", "cbc-interleaved", {"modes": ["cfb"]}),
    ("CFB decryption", "cfb-decrypt-stream", {}),
    ("OFB", "cbc-interleaved", {"modes": ["ofb"]}),
    ("OCB", "ocb-stream", {}),
    ("CTR", "ctr-stream", {}),
)


def engine_rates() -> str:
    """Return what an engine reaches in each mode of Fig. 2, with one stream and with many."""
    measured = Campaign.read(CORES_RESULT).measurements
    rows = []
    for mode, preset, changes in FIG_2:
        engine = load_any(preset, changes)
        assert isinstance(engine, Engine)
        streams = engine.full_rate_streams if engine.is_interleaved else 1
        alone = 1 / engine.loop_cycles if engine.is_interleaved else engine.blocks_per_cycle
        clock = measured[preset].clock if preset in measured and not changes else None
        cells = [
            f"1 in {round(1 / alone)} cycles" if alone < 1 else f"{alone:g} per cycle",
            f"{engine.blocks_per_cycle:g} per cycle, {streams} streams"
            if streams > 1
            else "the same",
        ]
        for rate in (alone, engine.blocks_per_cycle):
            cells.append(f"{128 * rate * clock.fmax_mhz / 1000:.2f}" if clock else "not placed")
        setting = "".join(f" --set {name}={value[0]}" for name, value in changes.items())
        rows.append((mode, f"`{preset}{setting}`", *cells))
    head = (
        "mode",
        "engine",
        "blocks, one stream",
        "blocks, many streams",
        "Gbps, one",
        "Gbps, many",
    )
    return table(head, rows)


def margins() -> str:
    """Return the table of what `aesforge margin` found, from its records."""
    rows = []
    for path in sorted((REPO / "bench" / "results").glob("margin-*.json")):
        found = json.loads(path.read_bytes())
        share = {
            percent: next(
                (f"{p['mhz']:.1f}" for p in found["curve"] if p["error_percent"] >= percent), ""
            )
            for percent in (1, 10, 50, 100)
        }
        rows.append(
            (
                f"`{found['name']}`, `{found['device']}`",
                found["traffic"],
                f"{found['reported_mhz']:.2f}",
                f"{found['highest_mhz']:.3f} ({round(found['margin_percent'], 1) + 0.0:+.1f} %)",
                f"{found['failing_mhz']:.3f}",
                *share.values(),
            )
        )
    shares = ("1 %", "10 %", "50 %", "all")
    return table(
        (
            *("core, device", "traffic", "reported MHz", "highest without error", "first error"),
            *(f"{share} corrupt" for share in shares),
        ),
        rows,
    )


def energies() -> str:
    """Return the table of what each core spends on a block."""
    found = energy_results().cores
    if not found:
        return "not measured yet"

    def over(spent: Energy) -> str:
        beside = ratio(spent, found[ENERGY_BASE][spent.keys].energy)
        return f"{beside.energy:.2f} ({beside.low:.2f} to {beside.high:.2f})"

    def row(name: str, spent: Energy) -> list[str]:
        return [
            f"`{name}`, {'a key per block' if spent.keys == 'each' else 'one key'}",
            f"{spent.per_block:,.0f}",
            f"{spent.per_bit:,.0f}",
            over(spent) if spent.keys in found.get(ENERGY_BASE, {}) else "-",
            *(f"{spent.shares[part]:.1%}" for part in ("wires", "logic", "clock")),
            f"{spent.glitch_share:.0%}",
            *(f"{count:,.0f}" for count in spent.raw.values()),
        ]

    head = (
        *("core, keys", "per block", "per bit", f"over `{ENERGY_BASE}`", "wires", "logic", "clock"),
        *("glitches", "raw: outputs", "x tiles", "x pins", "clock pins"),
    )
    rows = [row(name, one.energy) for name, both in found.items() for one in both.values()]
    return table(head, rows)


def energy_beside_liu() -> str:
    """Return energy per bit over the original's: the paper's, and ours under a key per block."""
    found = energy_results().cores
    cores = {name: f"liu2014-{name}" for name in ("two-stage", "five-stage", "eight-stage")}
    if not {ENERGY_BASE, cores["two-stage"]} <= found.keys():
        return "not measured yet"
    counted = {name: found[core]["each"].energy for name, core in cores.items() if core in found}
    base = found[ENERGY_BASE]["each"].energy
    two_of_ours = ratio(counted["two-stage"], base)
    power = {(one.core, one.device): one for one in paper_energy.liu2014()}
    rows = []
    for (core, place), deep in power.items():
        if core not in ("five-stage", "eight-stage"):
            continue
        # The eight-stage pipeline is on a larger device than the two that it is set beside.
        there = place if core == "five-stage" else "XC4VLX60"
        first, two = power["original", there], power["two-stage", there]
        constant = paper_energy.constant_watts(first, two, two_of_ours.energy)
        without = paper_energy.ratio_without(constant, first, deep)
        rows.append(
            [
                place if place == there else f"{there}, deep: {place}",
                core,
                f"{first.gbps_per_watt / two.gbps_per_watt:.3f}",
                f"{first.gbps_per_watt / deep.gbps_per_watt:.3f}",
                f"{two.gbps_per_watt / deep.gbps_per_watt:.2f}",
                f"{constant:.2f} W of {first.watt:.2f} W",
                f"{without:.2f}" if place == there else "-",
            ]
        )

    def shown(one: Ratio) -> str:
        return f"{one.energy:.3f} ({one.low:.2f} to {one.high:.2f})"

    for core in ("five-stage", "eight-stage"):
        deep_of_ours = [core, shown(two_of_ours), *["not counted"] * 2, "none", "-"]
        if core in counted:
            over, between = (ratio(counted[core], one) for one in (base, counted["two-stage"]))
            deep_of_ours[2:4] = shown(over), shown(between)
            deep_of_ours[-1] = f"{over.energy:.2f}"
        rows.append([f"ours, {found[ENERGY_BASE]['each'].device}", *deep_of_ours])
    head = (
        *("device", "deep pipeline", "two-stage / original", "deep / original"),
        *("deep / two-stage", "constant power that would give our two-stage ratio"),
        "deep / original without it",
    )
    return table(head, rows)


def pruning() -> str:
    """Return the table of spaces that `make bench` explored with and without pruning."""
    if not PRUNING_RESULT.exists():
        return "not measured yet"
    rows = [
        (
            f"`{row['space']}`",
            *(str(row[name]) for name in ("points", "measured", "pruned", "front")),
            str(len(row["lost"])),
        )
        for row in json.loads(PRUNING_RESULT.read_text(encoding="utf-8"))
    ]
    head = ("space", "points", "measured", "pruned", "on the fronts", "of these lost by pruning")
    return table(head, rows)


def floorplans() -> str:
    """Return the table of cores that the benches measured with and without a floorplan."""

    def runs(clock: Clock) -> str:
        clocks = [f"{run.mhz:.1f}" for run in clock.runs]
        of = f" ({', '.join(clocks)})" if len(clocks) > 1 else ""
        return f"{clock.reported_mhz:.1f}{of}"

    found = {
        **Campaign.read(BESIDE_PAPERS).measurements,
        **Campaign.read(CORES_RESULT).measurements,
    }
    listed = [*cores(), *published().core]
    rows = []
    for core in listed:
        if not core.floorplan or core.name not in found:
            continue
        free_core = next(
            one
            for one in listed
            if not one.floorplan
            and (one.design, one.device, one.recipe) == (core.design, core.device, core.recipe)
        )
        free, laid = found[free_core.name], found[core.name]
        assert free.clock is not None
        assert laid.clock is not None
        change = laid.clock.reported_mhz / free.clock.reported_mhz - 1
        rows.append(
            (
                f"`{_measured_as(core, laid)}`, `{core.device}`",
                *(
                    f"{one.area.luts:,} / {one.area.ff:,} / {one.area.block_ram}"
                    for one in (free, laid)
                ),
                runs(free.clock),
                runs(laid.clock),
                f"{100 * change:+.1f} %",
            )
        )
    area = "LUT4 / FF / block RAM"
    return table(
        (
            *("core, device", f"{area}, free", f"{area}, laid out"),
            *("MHz, free: median (seeds)", "MHz, laid out", "clock"),
        ),
        rows,
    )


def fault_records() -> list[dict[str, Any]]:
    """Return the records of the fault campaigns, in the order of their names."""
    found: dict[str, dict[str, Any]] = json.loads(FAULTS_RESULT.read_bytes())
    return [found[name] for name in sorted(found)]


def seus() -> str:
    """Return the table of what SEUs of registers did, from the campaigns' records."""
    rows = []
    for found in fault_records():
        for one in found["counts"]:
            share = one["coverage_percent"]
            rows.append(
                (
                    f"`{' '.join(found['design'])}`",
                    f"{one['kind']}, {one['population']:,}",
                    f"{one['seus']:,}",
                    f"{one['wrong_block']:,}",
                    f"{one['wrong_control']:,}",
                    f"{one['harmless']:,}",
                    f"**{one['missed']:,}**",
                    "-"
                    if share is None or found["error_detection"] == "none"
                    else f"{share:.1f} %",
                    f"{one['false_alarm']:,}",
                )
            )
    head = (
        *("design", "kind, how many", "SEUs", "wrong block", "wrong valid or tag", "harmless"),
        *("passed without an alarm", "coverage", "false alarms"),
    )
    return table(head, rows)


def check_costs() -> str:
    """Return the table of what a check costs, from the campaigns' records and what was placed."""
    records = fault_records()
    plain = {one["design"][0]: one for one in records if one["error_detection"] == "none"}
    rows = []
    for one in records:
        base = plain[one["design"][0]]

        def with_ratio(key: str, one: dict[str, Any] = one, base: dict[str, Any] = base) -> str:
            ratio = one[key] / base[key]
            return f"{one[key]:,}" + (f" ({ratio:.2f} x)" if one is not base else "")

        rows.append(
            (
                f"`{' '.join(one['design'])}`",
                with_ratio("luts"),
                with_ratio("ff"),
                str(one["latency_cycles"]),
                _clock(one["name"], base["name"]),
            )
        )
    head = ("design", "LUT4", "flip-flops", "latency (cycles)", "clock (MHz)")
    return table(head, rows)


def _clock(name: str, base: str) -> str:
    """Return the Fmax of a core of bench/cores.toml, and what share of another's that is."""
    found = Campaign.read(CORES_RESULT).measurements
    clocks = []
    for one in (name, base):
        if one not in found:
            return "not placed"
        clock = found[one].clock
        assert clock is not None
        clocks.append(clock.fmax_mhz)
    return f"{clocks[0]:.1f}" + (f" ({clocks[0] / clocks[1]:.2f} x)" if name != base else "")


# --- Proofs --------------------------------------------------------------------------------------


def _proofs(route: str = RECOGNIZE) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(PROOFS.read_text(encoding="utf-8"))["proofs"]
    return [
        entry
        for entry in found
        if entry["result"] != NO_CORE and entry.get("route", RECOGNIZE) == route
    ]


def _is_current(entry: dict[str, Any]) -> bool:
    """Whether a proof is of the RTL, specification, families' data and claims as they are now."""
    task = Task(entry["design"], entry["key_bits"], entry["family"])
    return task.is_done(entry, None)


def proofs() -> str:
    """Return what became of each proof, a row for each preset, a column for each core."""
    entries = {(e["design"], e["key_bits"], e["family"]): e for e in _proofs()}
    wanted = [(bits, family) for family in (None, "ecp5") for bits in (128, 192, 256)]
    # Those that nothing was tried of are left out.
    columns = [c for c in wanted if any(key[1:] == c for key in entries)]

    def cell(entry: dict[str, Any] | None) -> str:
        if entry is None:
            return ""
        if entry["result"] == "proved":
            seconds = f"{entry['cpu_seconds']:.0f} s"
            return seconds if _is_current(entry) else f"({seconds})"
        return "refused" if entry["result"] == "refused" else f"**{entry['result']}**"

    names = dict.fromkeys(name for name, _, _ in entries)
    rows = [
        [f"`{name}`", *(cell(entries.get((name, bits, family))) for bits, family in columns)]
        for name in names
    ]
    head = ["preset", *(f"{bits}, {family or 'RTL'}" for bits, family in columns)]
    elsewhere = [
        (name, family, entry)
        for (name, bits, family), entry in entries.items()
        if (bits, family) not in columns
    ]
    other = [[f"`{name}`", str(family), cell(entry)] for name, family, entry in elsewhere]
    parts = [table(head, rows)]
    if other:
        parts.append(table(("preset", "family", "AES-128"), other))
    if run_of(PROOFS).exists():
        run = json.loads(run_of(PROOFS).read_text(encoding="utf-8"))
        parts.append(
            f"The last run that had all of them to do: {run['proofs']} proofs in "
            f"{run['minutes']} minutes, {run['processors']} at a time."
        )
    if not all(map(_is_current, entries.values())):
        parts.append(
            "In brackets: proved for earlier RTL or synthesis, or before *Idle*, *Ready* and loads "
            "of other keys were claimed; `make prove-all` proves it again."
        )
    reasons: dict[str, list[str]] = {}
    for e in entries.values():
        if e["result"] != "proved":
            of = f"{e['key_bits']}-bit keys, {e['family'] or 'RTL'}"
            reasons.setdefault(f"`{e['design']}`: {e['reason']}", []).append(of)
    if reasons:
        lines = (f"- {reason} ({'; '.join(of)})" for reason, of in reasons.items())
        parts.append("What is not proved, and why:\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def routes() -> str:
    """Return the cores that were proved by ABC alone too, with the seconds of both routes."""
    usual = {(e["design"], e["key_bits"], e["family"]): e for e in _proofs()}

    def cell(entry: dict[str, Any] | None) -> str:
        if entry is None:
            return ""
        seconds = f"{entry['cpu_seconds']:.0f} s"
        result = seconds if entry["result"] == "proved" else f"**{entry['result']}** ({seconds})"
        return result if _is_current(entry) else f"({result})"

    rows = [
        [
            f"`{e['design']}`",
            e["family"] or "RTL",
            cell(usual.get((e["design"], e["key_bits"], e["family"]))),
            cell(e),
            f"{e.get('sat_calls', 0):,}",
        ]
        for e in _proofs(ABC)
    ]
    return table(("preset, AES-128", "core", "`recognize`", "`abc`", "SAT calls of `abc`"), rows)


def assumptions() -> str:
    """Return what proofs assume and what they do not cover, as certificates have it."""
    parts = []
    for title, statements in (
        ("Assumed:", (*ASSUMPTIONS, *ENGINE_ASSUMPTIONS, *PART_ASSUMPTIONS)),
        ("Not covered:", (*NOT_COVERED, *ENGINE_NOT_COVERED, *PART_NOT_COVERED)),
    ):
        # Some are of engines and of parts of engines.
        once = dict.fromkeys(statements)
        lines = (f"- `{one.id}` ({one.about}): {one.text}" for one in once)
        parts.append(f"{title}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def proof_counts() -> str:
    """Return how many proofs succeeded, in one sentence."""
    found = _proofs()
    proved = [e for e in found if e["result"] == "proved"]
    families = sorted({str(e["family"]) for e in proved if e["family"]})
    of_families = f" ({', '.join(families)})" if families else ""
    hours = sum(e["cpu_seconds"] for e in found) / 3600
    before = sum(not _is_current(e) for e in proved)
    of_before = f"; {before} are of earlier RTL or fewer claims" if before else ""
    # What nobody can prove of a research key schedule is told from what we could not prove.
    research = sum("this is not AES" in e["reason"] for e in found)
    named = [
        f"`{e['design']}` on {e['family'] or 'RTL'}"
        for e in found
        if e["result"] != "proved" and "this is not AES" not in e["reason"]
    ]
    others = [f"{research} research key schedules, which are not AES", *named]
    rest = f" The others: {'; '.join(others)}."
    return (
        f"{len(proved)} of {len(found)} proofs succeeded: "
        f"{sum(e['family'] is None for e in proved)} of RTL, "
        f"{sum(e['family'] is not None for e in proved)} of netlists{of_families}, "
        f"in {hours:.1f} hours of CPU time{of_before}.{rest} "
        "[All of them, and why](docs/proof.md#results)."
    )


def bitstream_faults() -> str:
    """Return what became of flipped bits of bitstreams, a row for each device."""
    found = json.loads(BITSTREAM_FAULTS.read_bytes())
    rows = [
        (
            f"`{one['design']}`",
            device,
            f"{one['places']:,}, {one['nets']:,}, {one['wires']:,}",
            f"{one['bits']:,}",
            f"{one['found']} of {one['used']}",
            f"{one['named']} of {one['unused']}",
            f"{one['told']} of {one['unknown']}" if one.get("unknown") else "",
        )
        for device, one in sorted(found.items())
    ]
    head = (
        *("core", "device", "places, nets, wires compared", "bits of the device"),
        *(
            "used bits found",
            "other bits named as unused",
            "bits without a name found in used tiles",
        ),
    )
    return table(head, rows)


def mutants() -> str:
    """Return what became of the mutants, a row for each kind, and whether of today's RTL."""
    said = json.loads(MUTANTS.read_text(encoding="utf-8"))
    found = said["mutants"]
    kinds = dict.fromkeys(one["kind"] for one in found)

    def row(kind: str) -> list[str]:
        of_kind = [one for one in found if one["kind"] == kind]
        results = [one["result"] for one in of_kind]
        tried = [one for one in of_kind if one["replayed"] != "not tried"]
        wrong = sum(one["replayed"].startswith("wrong") for one in tried)
        others = len(results) - results.count("refuted") - results.count("proved")
        return [
            kind,
            str(len(results)),
            str(results.count("refuted")),
            str(sum(one["example"] for one in of_kind)),
            str(results.count("proved")),
            str(others),
            f"{wrong} of {len(tried)}",
        ]

    head = (
        "kind",
        "tried",
        "refuted",
        "with a counterexample",
        "proved equal",
        "undecided",
        "repeated in simulation",
    )
    rows = table(head, [row(kind) for kind in kinds])
    rows += equal_luts([one for one in found if "differences" in one])
    if said["rtl"] == rtl_of_mutants():
        return rows
    return rows + (
        "\n\nThese results are of earlier RTL; `python scripts/prove_mutants.py --simulate` "
        "tries all of them again."
    )


def engine_proofs() -> str:
    """Return the proofs of engines and what refuted their mutants, and whether of today's RTL."""
    said = recorded_proofs(ENGINE_PROOFS)
    proofs = table(
        ("engine", "result", "stages of the core", "assertions", "CPU seconds"),
        (
            [
                f"`{one['engine']}`",
                one["result"],
                str(one["core_latency"]),
                f"{one['assertions']:,}",
                f"{one['cpu_seconds']:.0f}",
            ]
            for one in said["proofs"]
        ),
    )
    mutants_table = table(
        ("mutant", "small engine like", "result", "cycles after a reset"),
        (
            [one["mutant"], f"`{ENGINE_OF[one['mutant']]}`", one["result"], str(one["cycle"])]
            for one in said["mutants"]
        ),
    )
    old = any(
        one["sources"] != engine_sources(kind, one["engine"])
        for kind in ("proofs", "mutants")
        for one in said[kind]
    )
    done = {one["engine"] for one in said["proofs"]}
    missing = [name for name in ENGINES_TO_PROVE if name not in done]
    return campaign_page(said, proofs, missing, mutants_table, "prove_engines.py" if old else "")


def campaign_page(
    said: dict[str, Any], proofs: str, missing: list[str], mutants_table: str, again: str
) -> str:
    """Return what a campaign of proofs and mutants found.

    Args:
        said: its records.
        proofs: the table of its proofs.
        missing: names of proofs that were not run.
        mutants_table: the table of its mutants.
        again: the script that runs it again, if some are of earlier RTL.
    """
    found = said["mutants"]
    refuted = sum(one["result"] == "refuted" for one in found)
    lines = [proofs]
    if missing:
        lines.append(f"Not run yet: {one_of(missing)}.")
    lines += [f"Mutants refuted: {refuted} of {len(found)}.", mutants_table]
    if again:
        lines.append(f"Some are of earlier RTL; `python scripts/{again} --write` runs all again.")
    return "\n\n".join(lines)


def mode_proofs() -> str:
    """Return the proofs of parts of engines, their mutants, and whether they are of today's RTL."""
    said = recorded_proofs(MODE_PROOFS)
    proofs = table(
        ("part", "module", "result", "assertions", "cycles", "CPU seconds"),
        (
            [
                one["part"],
                f"`{one['module']}`",
                one["result"],
                str(one["assertions"]),
                str(one["cycles"]),
                f"{one['cpu_seconds']:.0f}",
            ]
            for one in said["proofs"]
        ),
    )
    mutants_table = table(
        ("mutant", "module", "result", "cycles after a reset"),
        (
            [
                one["mutant"],
                f"`{one['file'].removesuffix('.sv')}`",
                one["result"],
                str(one["cycle"]),
            ]
            for one in said["mutants"]
        ),
    )
    old = any(
        one["sources"] != mode_sources(kind, one[key])
        for kind, key in (("proofs", "part"), ("mutants", "mutant"))
        for one in said[kind]
    )
    done = {one["part"] for one in said["proofs"]}
    missing = [name for name in proved_parts() if name not in done]
    return campaign_page(said, proofs, missing, mutants_table, "prove_modes.py" if old else "")


def equal_luts(found: list[dict[str, Any]]) -> str:
    """Return why flipped bits of look-up tables were proved equal, in a paragraph.

    Args:
        found: records of `prove_mutants.py` that say it.
    """
    if not found:
        return ""
    tied = sum(bool(one["tied"]) for one in found)
    same = sum(not one["differences"] for one in found)
    blocks = min(one["blocks"] for one in found)
    return (
        f"\n\nOf the {len(found)} LUT bits that were proved equal, {tied} are in a table with an "
        "input tied to a constant with which nothing reads the bit. The campaign also sent at "
        f"least {blocks:,} random blocks through both netlists in simulation: {same} of "
        f"{len(found)} gave the same outputs in every cycle."
    )


def board_results() -> str:
    """Return the table of boards: pins, and what `make boards` found, where it has run."""
    found = json.loads((REPO / "bench" / "results" / "boards.json").read_bytes())["boards"]
    rows = []
    for name, one in boards().items():
        built = found.get(name)
        figures: tuple[str, ...] = ("-",) * 6
        if built is not None:
            cores = f"`{built['design']}`"
            if built["reference"] == "itself":
                cores += ", one core for both"
            elif built["reference"] != built["design"]:
                cores += f", decrypted by `{built['reference']}`"
            if built["sampled"] > 1:
                cores += f", one block of {built['sampled']}"
            figures = (cores, *board_figures(built))
        rows.append((f"`{name}`", one.title, *figures))
    titles = ("name", "board", "self-test", "clock", "Fmax", "LUTs", "FFs", "seconds")
    return table(titles, rows)


def board_figures(built: dict[str, Any]) -> tuple[str, ...]:
    """Return the figures of a bitstream, or dashes where there is none."""
    if "failed" in built:
        return ("-",) * 5
    return (
        f"{built['clock_mhz']:.2f}",
        f"{built['fmax_mhz']:.2f}",
        f"{built['luts']:,}",
        f"{built['ff']:,}",
        f"{built['seconds']:.0f}",
    )


def fresh_clone() -> str:
    """Return how long a bitstream takes from a fresh clone."""
    found = json.loads((REPO / "bench" / "results" / "boards.json").read_bytes())
    if (one := found.get("fresh_clone")) is None:
        return "Not measured yet: `python scripts/fresh_clone.py` does it."
    return (
        f"From a fresh clone, `{one['command']}` sets up the environment and builds the bitstream "
        f"in {one['cpu_seconds']} seconds of one processor. The measurement took "
        f"{one['seconds']} seconds, on {one['processors']} processors with a load average of "
        f"{one['load']} ({one['date']}, `{one['commit']}`). `python scripts/fresh_clone.py` "
        "repeats it."
    )


def board_services() -> str:
    """Return the table of the UART service on the boards, and why a board has none."""
    found = json.loads((REPO / "bench" / "results" / "boards.json").read_bytes())["boards"]
    rows, failed = [], []
    for name, one in boards().items():
        built = found.get(f"{name}-uart", {"design": one.service.text, "failed": "not built yet"})
        ram = str(built["block_ram"]) if "block_ram" in built else "-"
        *figures, seconds = board_figures(built)
        rows.append((f"`{name}`", f"`{built['design']}`", *figures, ram, seconds))
        if "failed" in built:
            failed.append(f"- `{name}`: {built['failed'].splitlines()[0]}.")
    titles = ("board", "engine", "clock", "Fmax", "LUTs", "FFs", "block RAM", "seconds")
    return "\n".join([table(titles, rows), *(["", "No bitstream:", "", *failed] if failed else [])])


def board_pins() -> str:
    """Return the table of the boards' pins."""
    rows = []
    for name, one in boards().items():
        uart = f"{one.uart.txd.site}, {one.uart.rxd.site}; {one.uart.where}" if one.uart else "-"
        leds = ", ".join(f"{led.name} {led.pin.site}" for led in one.leds) or "-"
        button = f"{one.button.name} {one.button.pin.site}" if one.button else "-"
        clock = f"{one.clock.pin.site}, {one.clock.mhz:g} MHz"
        rows.append((f"`{name}`", f"{one.device}, {one.package}", clock, uart, leds, button))
    return table(("name", "part", "clock", "UART: txd, rxd", "LEDs", "button"), rows)


def board_sources() -> str:
    """Return where the boards' pins were read."""
    return "\n".join(
        f"- `{name}`: {'; '.join(sorted(set(one.sources.values())))}."
        + (f" To know: {'; '.join(one.notes)}." if one.notes else "")
        for name, one in boards().items()
    )


def simulator_runs() -> str:
    """Return the simulators that ran the benches of bundles."""
    rows = []
    for run in recorded():
        failed = [name for name, said in run.said.items() if not said.startswith("PASS")]
        rest = f"; not {one_of(failed)}" if failed else ""
        files = "sources" if run.files == "files.f" else run.files
        passed = f"{run.passed} of {len(run.said)}{rest}"
        rows.append((f"{run.tool} {run.version}", files, passed, f"{run.date}, `{run.commit}`"))
    return table(("simulator", "reads", "presets whose bench passes", "when, commit"), rows)


PARTS: tuple[tuple[str, str, Callable[[], str]], ...] = (
    ("docs/bundles.md", "simulators", simulator_runs),
    ("docs/designs.md", "presets", presets),
    ("docs/designs.md", "choices", choices),
    ("docs/designs.md", "engines", engines),
    ("README.md", "streams", streams_line),
    ("docs/streams.md", "engine choices", engine_choices),
    ("docs/report.md", "columns", columns),
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
    ("README.md", "measured", measured_in_short),
    ("docs/results.md", "all measured", measured),
    ("docs/whole-device.md", "whole device", whole_device),
    ("docs/peers.md", "peers", peers),
    ("docs/peers.md", "unmeasured peers", unmeasured_peers),
    ("README.md", "papers", papers_totals),
    ("docs/papers/verdicts.md", "headlines", papers_headlines),
    *(
        (f"docs/papers/{paper.key}.md", "comparison", functools.partial(comparison, paper))
        for paper in published().paper
    ),
    ("docs/papers/saggese2003.md", "key changes", key_changes),
    ("docs/papers/saggese2003.md", "engine rates", engine_rates),
    ("docs/papers/verdicts.md", "spread", spread),
    ("docs/measuring.md", "papers run", papers_run),
    ("docs/measuring.md", "tool speed", tool_speed),
    ("docs/byte-order.md", "vector", vector),
    ("docs/byte-order.md", "mistakes", mistakes),
    ("docs/devices.md", "device parts", device_parts),
    ("docs/devices.md", "device caps", device_caps),
    ("docs/devices.md", "device timing", device_timing),
    ("docs/papers/liu2014-security.md", "liu2014 security", liu2014_security),
    ("docs/margin.md", "margins", margins),
    ("docs/energy.md", "energies", energies),
    ("docs/energy.md", "energy beside liu", energy_beside_liu),
    ("docs/faults.md", "seus", seus),
    ("docs/faults.md", "check costs", check_costs),
    ("docs/measuring.md", "floorplans", floorplans),
    ("docs/exploring.md", "pruning", pruning),
    ("docs/proof.md", "routes", routes),
    ("docs/proof.md", "assumptions", assumptions),
    ("docs/proof.md", "proofs", proofs),
    ("docs/proof.md", "mutants", mutants),
    ("docs/proof.md", "engine proofs", engine_proofs),
    ("docs/proof.md", "mode proofs", mode_proofs),
    ("docs/proof.md", "bitstream faults", bitstream_faults),
    ("README.md", "proof counts", proof_counts),
    ("docs/boards/building.md", "boards", board_results),
    ("docs/boards/building.md", "fresh clone", fresh_clone),
    ("docs/boards/uart.md", "services", board_services),
    ("docs/boards/building.md", "pins", board_pins),
    ("docs/boards/building.md", "sources", board_sources),
)


def updated(text: str, marker: str, content: str) -> str:
    """Return a page with new content between the markers.

    Raises:
        ValueError: the page lacks the markers.
    """
    start, end = f"<!-- {marker}: written by scripts/docs.py -->", f"<!-- end of {marker} -->"
    if text.count(start) != 1 or text.count(end) != 1:
        raise ValueError(f"the markers '{start}' and '{end}' must stand in the page once")
    before, rest = text.split(start)
    return f"{before}{start}\n{content}\n{end}{rest.split(end)[1]}"


@functools.cache
def _package_constants() -> dict[str, int]:
    return header.constants(rtl.file_of("aesforge_pkg"))


def module_page(path: Path, text: str) -> str:
    """Return a page of `docs/cores` with the tables of its module's parameters and ports.

    They follow from the comments in the module's header. A generated module has none, and its page
    keeps its tables.

    Args:
        path: of the module.
        text: of its page.

    Raises:
        ValueError: the page lacks a section.
    """
    interface = header.read(path)
    if not all(port.meaning for port in interface.ports):
        return text
    known = _package_constants()
    chosen = {name: value for one in FIELDS.values() for value, name in one.constants.items()}

    def default(text: str) -> str:
        name = text.removeprefix("aesforge_pkg::")
        if name == text:
            return text.removeprefix("1'b").removeprefix("'")
        return f"{known[name]} ({chosen[name]})" if name in chosen else str(known[name])

    def linked(text: str) -> str:
        return re.sub(
            r"\baesforge_\w+",
            lambda found: (
                f"`{found[0]}`"
                if found[0] in (path.stem, "aesforge_pkg")
                else f"[`{found[0]}`]({found[0]}.md)"
            ),
            text,
        )

    def width(text: str) -> str:
        return text if text.isdigit() else "`" + re.sub(r"([*+])", r" \1 ", text) + "`"

    tables = {
        "Parameters": table(
            ("parameter", "default", "legal", "meaning"),
            (
                (f"`{one.name}`", default(one.default), linked(one.legal), linked(one.meaning))
                for one in interface.parameters
            ),
        ),
        "Ports": table(
            ("port", "direction", "width", "meaning"),
            (
                (
                    f"`{one.name}`",
                    one.direction.removesuffix("put"),
                    width(one.width),
                    linked(one.meaning),
                )
                for one in interface.ports
            ),
        ),
    }
    for section, content in tables.items():
        if section == "Parameters" and not interface.parameters:
            continue
        parts = re.split(rf"(?<=^## {section}\n\n)(?:(?:\|[^\n]*\n)+\n)?", text, flags=re.M)
        if len(parts) != 2:
            raise ValueError(f"the page of {path.stem} has no section of {section.lower()}")
        text = f"{parts[0]}{content}\n\n{parts[1]}"
    return text


def main(check: bool) -> int:
    """Write all parts, or only compare them, and give the exit status."""
    stale: list[str] = []

    def keep(file: Path, new: str, marker: str = "") -> None:
        """Write a file, or only say that it is out of date."""
        if file.exists() and file.read_text(encoding="utf-8") == new:
            return
        stale.append(f"{file.relative_to(REPO)}{marker}")
        if not check:
            file.write_text(new, encoding="utf-8")

    for name, marker, content in PARTS:
        page = REPO / name
        keep(page, updated(page.read_text(encoding="utf-8"), marker, content()), f" ({marker})")
    sources = rtl.filelist()
    lines = "".join(f"{path.relative_to(rtl.rtl_dir()).as_posix()}\n" for path in sources)
    keep(REPO / "rtl" / "filelist.f", lines)
    for path in sources:
        page = REPO / "docs" / "cores" / f"{path.stem}.md"
        if page.exists():
            keep(page, module_page(path, page.read_text(encoding="utf-8")))
    keep(REPO / "docs" / "api.md", api_page.page())
    # The papers' ratios against ours.
    keep(REPO / "docs" / "papers" / "ratios.svg", ratios.svg(comparisons()))
    keep(REPO / "docs" / "images" / "whole-device.svg", whole.svg(whole.every()))
    # The timing diagrams, beside the records that they are drawn from.
    for source in sorted((REPO / "docs" / "modes").glob("*.json")):
        keep(source.with_suffix(".svg"), svg(json.loads(source.read_bytes())))
    if stale:
        print(("out of date: " if check else "wrote ") + ", ".join(stale), file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""Made-up measurements for the tests of the report. NONE of these numbers was measured.

They have the shape of real ones: our designs with their true choices and times, areas and clocks
drawn at random around what is plausible. Every name, summary and warning says that it is test data.
"""

from __future__ import annotations

import hashlib
import random

import msgspec

from aesforge.design import Design
from aesforge.design.presets import ENGINES
from aesforge.devices import Cap
from aesforge.measure.record import (
    Clock,
    CriticalPath,
    Hop,
    Measurement,
    Provenance,
    Run,
    Subject,
)
from aesforge.netlist.cells import Area, StageDepth
from made_up_energy import energy_of

WARNING = "test data: made up, not measured"
# Name, family, factor on the clock, cap of the clock tree, whether the cap was read.
DEVICES = (
    ("LFE5U-85F-8", "ecp5", 1.0, 370.0, True),
    ("LFE5U-25F-6", "ecp5", 0.7, 300.0, True),
    ("iCE40HX8K", "ice40", 0.45, 275.0, False),
    ("LIFCL-40-9", "nexus", 1.0, 311.0, False),
    ("CCGM1A1", "gatemate", 0.5, None, False),
    ("XC7A100T-2", "xc7", 1.0, None, False),
)
HOSTILE = "</script><script>window.hurt = 1</script>\"'&<b>"


def designs() -> list[Design]:
    """Return designs of all kinds."""
    found = []
    for sbox, stages in (("tower", (4, 2)), ("tower", (1, 1)), ("table", (1, 1)), ("bram", (2, 1))):
        for unroll in ("full", 1):
            sub, linear = stages
            base = Design(sbox=sbox, unroll=unroll, sbox_stages=sub, linear_stages=linear)
            for more in ({}, {"key_schedule": "stored"}, {"direction": "both"}, {"key_bits": 256}):
                word = "-".join(map(str, more.values())) or "plain"
                name = f"test-{sbox}-{sub}{linear}-{unroll}-{word}"
                found.append(Design(**{**base.choices(), "name": name, **more}))
    found.append(Design(name="test-columns", key_schedule="stored", architecture="column_serial"))
    return found


def records() -> list[Measurement]:
    """Return some eighty measurements; the same at every call."""
    chance = random.Random(3)
    found = [
        record(chance, design, *device)
        for number, device in enumerate(DEVICES)
        for index, design in enumerate(designs())
        # Small devices take small cores only; the large ones take every other design.
        if (index % 2 == number % 2 or number == 0)
        and (device[1] != "ice40" or not design.is_unrolled)
    ]
    found.append(record(chance, None, *DEVICES[0]))
    found.append(record(chance, None, *DEVICES[3], blocks_per_cycle=None))
    found.append(record(chance, None, *DEVICES[1], name=HOSTILE))
    return found


def as_engine(core: Measurement) -> Measurement:
    """Return the record of an engine that is somewhat larger than a core, and as fast."""
    return msgspec.structs.replace(
        core,
        key=f"engine-{core.key}",
        area=msgspec.structs.replace(core.area, lut4=core.area.luts + 1000),
        subject=msgspec.structs.replace(
            core.subject, design=None, engine=ENGINES["ctr-stream"].choices()
        ),
    )


def record(
    chance: random.Random,
    design: Design | None,
    device: str,
    family: str,
    speed: float,
    cap_mhz: float | None,
    cap_read: bool,
    *,
    name: str = "test_foreign_aes",
    blocks_per_cycle: float | None = 0.1,
) -> Measurement:
    """Make one up."""
    sboxes = design.sbox_count if design else 40
    style = design.sbox if design else "table"
    stages = design.stages if design else 1
    each = {"tower": 75, "table": 110, "bram": 9}[style]
    luts = int(sboxes * each * chance.uniform(0.9, 1.15)) + 180
    six = family == "xc7"
    area = Area(
        lut4=None if six else luts,
        lut6=luts * 2 // 3 if six else None,
        wide_mux=luts // 9,
        ff=128 * stages * (design.unrolled_rounds if design else 1) * 2 + 140,
        block_ram=sboxes // 2 if style == "bram" else 0,
        lut_ram=luts // 30,
        cells={"LUT4": luts, "TRELLIS_FF": luts, "L6MUX21": luts // 9},
    )
    depth = [
        StageDepth(stage="round / SubBytes stage 1", depth=7 - stages, registers=1280),
        StageDepth(stage="key schedule / SubWord stage 1", depth=1, registers=320),
    ]
    clock, path = None, None
    if not six:
        energy = energy_of(area.luts, area.ff) if family == "ecp5" and design else None
        runs = [
            Run(
                seed=s,
                mhz=55 * speed * (stages + 1) * chance.uniform(0.9, 1.1),
                seconds=90.0 + s,
                energy=energy,
            )
            for s in (1, 2, 3)
        ]
        reported = sorted(run.mhz for run in runs)[1]
        cap = (
            None
            if cap_mhz is None
            else Cap(
                what="clock tree",
                mhz=cap_mhz,
                source="test data sheet, Table 3.14 (made up)",
                verified=cap_read,
            )
        )
        capped = cap is not None and cap.mhz < reported
        clock = Clock(
            runs=runs,
            reported_mhz=reported,
            cap=cap,
            fmax_mhz=cap.mhz if cap is not None and capped else reported,
            limit="clock tree" if capped else "logic and wires",
        )
        hops = [
            Hop(kind="clock-to-out", where="round 7 / SubBytes stage 4", ns=0.52),
            Hop(kind="wire", where="round 7 / ShiftRows", ns=1.41),
            Hop(kind="logic", where="round 7 / MixColumns", ns=0.24),
            Hop(kind="wire", where="round 7 / MixColumns", ns=0.63),
            Hop(kind="setup", where="round 7 / state", ns=0.0),
        ]
        path = CriticalPath(
            start="round 7 / SubBytes stage 4",
            end="round 7 / state",
            ns=2.8,
            wire_share=0.73,
            hops=hops,
        )
    shown = design.name if design else name
    summary = f"{design.summary()} (test data)" if design else "a foreign core (test data)"
    key = hashlib.sha256(f"{shown} {device} {blocks_per_cycle}".encode()).hexdigest()
    warnings = [WARNING]
    if cap_mhz is not None and not cap_read:
        warnings.append("the clock's cap was not read in its source")
    return Measurement(
        key=key,
        kind="synthesized" if six else "placed",
        subject=Subject(
            name=shown,
            summary=summary,
            design=design.choices() if design else None,
            rtl=hashlib.sha256(shown.encode()).hexdigest(),
            latency_cycles=design.latency_cycles if design else None,
            blocks_per_cycle=design.blocks_per_cycle if design else blocks_per_cycle,
        ),
        device=device,
        family=family,
        area=area,
        depth=depth,
        clock=clock,
        critical_path=path,
        warnings=warnings,
        provenance=Provenance(
            command=f"aesforge measure {shown}.toml --device {device} --seeds 3",
            tools={"yosys": "test", "nextpnr": "test"},
            recipe="test-recipe",
            commands=["read_verilog -sv core.sv", "synth_ecp5 -noabc9 -nowidelut", "nextpnr " * 30],
            commit="0123456789ab+",
            date="2026-01-01T00:00:00Z",
            seconds=321.5,
        ),
    )

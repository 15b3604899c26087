# SPDX-License-Identifier: Apache-2.0
"""Engines that several tests share: small, and quick to compile."""

from __future__ import annotations

import dataclasses

from aesforge.design import Design
from aesforge.design.engine import Engine

RING = Design(unroll=1, sbox="table", sbox_stages=0, linear_stages=1)
SMALL = Engine(name="little-ctr", core=RING, modes=("ctr",), depth=16)
# Every mode of its kind, stored keys, wide tid and tuser.
WIDE = Engine(
    name="little-modes",
    core=Design(
        unroll=1,
        sbox="table",
        sbox_stages=0,
        linear_stages=1,
        direction="both",
        key_schedule="stored",
        key_slots=3,
    ),
    modes=("ecb", "ctr", "cbc-decrypt", "cfb-decrypt"),
    id_bits=3,
    user_bits=70,
)
# Several blocks per beat, of a number that is no power of two.
BROAD = Engine(
    name="little-broad",
    core=Design(unroll="full", tiles=3, sbox="table", sbox_stages=0, linear_stages=1),
    modes=("ctr", "cfb-decrypt"),
    user_bits=2,
)
# Modes with feedback, agile keys.
FEEDBACK = Engine(
    name="little-feedback",
    core=RING,
    modes=("cbc-encrypt", "cfb", "ofb", "cfb8", "cbc-mac", "cmac"),
    user_bits=4,
)
# Packets of associated data, text and a tag; the fewest stages of the multiplier.
SEALED = Engine(
    name="little-gcm",
    core=Design(sbox="table", sbox_stages=0, linear_stages=1, key_schedule="stored", key_slots=3),
    modes=("gcm",),
    multiply_stages=2,
    short_tags=True,
    release="flagged",
    id_bits=3,
    user_bits=5,
)
# Beats of several blocks.
SEALED_WIDE, SEALED_WIDEST = (
    dataclasses.replace(
        SEALED,
        name=f"little-gcm-{tiles}-blocks",
        core=dataclasses.replace(SEALED.core, tiles=tiles),
    )
    for tiles in (2, 4)
)
SEALED_RING = Engine(
    name="little-gcm-ring",
    core=Design(
        unroll=1, sbox="table", sbox_stages=0, linear_stages=1, key_schedule="stored", key_slots=2
    ),
    modes=("gcm",),
    multiply_stages=3,
    release="flagged",
    queue_ram="distributed",
)
# The same, of several streams, as long as their contexts say; agile keys, and stored ones.
CCM = Engine(
    name="little-ccm",
    core=Design(sbox="table", sbox_stages=0, linear_stages=1),
    modes=("ccm",),
    release="flagged",
    user_bits=3,
)
CCM_RING = Engine(
    name="little-ccm-ring",
    core=Design(
        unroll=2, sbox="table", sbox_stages=0, linear_stages=1, key_schedule="stored", key_slots=3
    ),
    modes=("ccm",),
    release="flagged",
    streams=3,
)
HELD_STREAMS = dataclasses.replace(
    CCM_RING, name="little-ccm-held", release="withheld", hold_beats=16
)
# One product after the other: blocks wait for the multiplier, not for the ring.
SEALED_SERIAL = dataclasses.replace(
    SEALED_RING,
    name="little-gcm-serial",
    multiply_stages=None,
    multiply_digit=8,
    short_tags=True,
    depth=None,
)
HELD = dataclasses.replace(
    SEALED, name="little-gcm-held", release="withheld", hold_beats=16, short_tags=False
)
# IVs of packets that encrypt are made inside; slots of a number that is no power of two.
COUNTED = dataclasses.replace(HELD, name="little-gcm-counted", iv="counted", hold_beats=32)
COUNTED_SERIAL = dataclasses.replace(
    SEALED_SERIAL, name="little-gcm-counted-serial", iv="counted", release="withheld", hold_beats=32
)
# Data units, both directions.
UNITS = Engine(
    name="little-xts",
    core=Design(
        sbox="table",
        sbox_stages=0,
        linear_stages=1,
        direction="both",
        key_schedule="stored",
        key_slots=3,
    ),
    modes=("xts",),
    id_bits=3,
    user_bits=5,
)
WHOLE_UNITS = Engine(
    name="little-xts-whole",
    core=Design(sbox="table", sbox_stages=0, linear_stages=1, key_schedule="stored", key_slots=2),
    modes=("xts",),
    stealing=False,
    queue_ram="distributed",
)
WIDE_UNITS, WHOLE_WIDE_UNITS = (
    dataclasses.replace(
        one, name=f"{one.name}-{tiles}-blocks", core=dataclasses.replace(one.core, tiles=tiles)
    )
    for one, tiles in ((UNITS, 2), (WHOLE_UNITS, 4))
)
# Offsets: OCB in both directions, and encryption alone.
OFFSETS = Engine(
    name="little-ocb",
    core=Design(
        sbox="table",
        sbox_stages=0,
        linear_stages=1,
        direction="both",
        key_schedule="stored",
        key_slots=3,
    ),
    modes=("ocb",),
    release="flagged",
    id_bits=3,
    user_bits=5,
)
HELD_OFFSETS = dataclasses.replace(
    OFFSETS, name="little-ocb-held", release="withheld", hold_beats=64
)
SEALING_OFFSETS = Engine(
    name="little-ocb-seal",
    core=Design(sbox="table", sbox_stages=0, linear_stages=1, key_schedule="stored", key_slots=2),
    modes=("ocb",),
    queue_ram="distributed",
)

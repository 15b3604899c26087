# SPDX-License-Identifier: Apache-2.0
"""An engine: a core under modes of operation, with AXI4-Stream interfaces.

A design file or preset with the choice `modes` is an engine; all other choices are those of its
core (`aesforge.design.fields`) and the few that `Engine` declares. What an engine can do stands in
two tables: `modes.MODES`, one line for each mode of operation, and `kinds.KINDS`, one for each
module that runs them. Everything else follows from these: what a set of modes needs of the core,
what the test benches send and expect, what `crypt --mode` can ask for.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

from aesforge.design.core import Design
from aesforge.design.fields import DEFAULTS, FIELD_NAMES, Field, choice, text_of
from aesforge.design.kinds import KINDS, Kind
from aesforge.design.modes import MODES, Mode, direction_for, why_modes_illegal
from aesforge.design.rules import why_a_string, why_illegal, why_name_illegal
from aesforge.errors import UsageError, nearest, one_of

BLOCK_BYTES = 16
FULL_RATE = "enough for full rate"


# --- Choices ------------------------------------------------------------------------------------

# Keys and contexts come in through dedicated ports, or through AXI4-Lite CSRs.
CONTEXTS = ("ports", "csr")
# Cycles that a packet waits for its context, by default.
CONTEXT_TIMEOUT = 1024
# What leaves of a packet before its tag is known: nothing, or its text.
RELEASES = ("withheld", "flagged")
# Who makes the IVs of packets that encrypt: the user, or a counter inside.
IVS = ("given", "counted")
# Bytes of the fixed field and of the invocation counter of a counted IV (SP 800-38D Sec. 8.2.1).
FIXED_BYTES, COUNT_BYTES = 4, 8
# Choices of a core that say nothing about one inside an engine, and why.
NOT_IN_AN_ENGINE = {
    "tag_bits": "a beat carries tid and tuser instead (id_bits, user_bits)",
    "architecture": "an engine's core is a pipeline",
    "shift_rows": "an engine's core is a pipeline",
    "scheme": "an engine is AES",
    "research": "an engine is AES",
    "error_detection": "an engine's core is built without one",
}
CORE_FIELDS = tuple(name for name in FIELD_NAMES if name != "name" and name not in NOT_IN_AN_ENGINE)


def why_engine_illegal(choices: Mapping[str, Any]) -> str | None:
    """Return why a set of choices of an engine cannot be built, or None if it can.

    Args:
        choices: field name to value, those of the core among them.
    """
    known = ("name", *FIELDS, *CORE_FIELDS)
    for name in choices:
        if name in NOT_IN_AN_ENGINE:
            return f"{name} is no choice of an engine: {NOT_IN_AN_ENGINE[name]}; leave it out"
        if name not in known:
            return f"there is no choice named '{name}'{nearest(name, known)} ({one_of(known)})"
    if "name" in choices and (why := why_name_illegal(choices["name"])):
        return why
    if why := why_modes_illegal(choices.get("modes")):
        return why
    for name, (low, high) in RANGES.items():
        value = choices.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int):
            return why_a_string(name, value) or f"{name} = {value!r}: it must be a whole number"
        if not low <= value <= high:
            return f"{name} = {value} is out of range: allowed are {low} to {high}"
    for name in ("short_tags", "stealing"):
        if not isinstance(choices.get(name, False), bool):
            value = choices[name]
            return why_a_string(name, value) or f"{name} = {value!r}: it is true or false"
    for name in ("contexts", "queue_ram", "release", "iv"):
        allowed = FIELDS[name].allowed
        # One that is left out is filled in.
        if (value := choices.get(name)) is not None and value not in allowed:
            hint = nearest(value, allowed) if isinstance(value, str) else ""
            return f"{name} = {value!r}: allowed are {one_of(allowed)}{hint}"
    kind = KINDS[MODES[choices["modes"][0]].kind]
    for name in FIELDS:
        others = [other.name for other in KINDS.values() if name in other.choices]
        if not others or name in kind.choices:
            continue
        if choices.get(name) not in (None, _DEFAULTS.get(name)):
            which = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
            return (
                f"{name} is a choice of {which} engines; {kind.name} ones, which "
                f"these modes are of, have {one_of(kind.choices)}"
            )
    if choices.get("contexts") == "csr" and kind.keeps_results:
        if (wait := choices.get("context_timeout")) not in (None, 0, CONTEXT_TIMEOUT):
            return (
                f"contexts = csr and context_timeout = {wait} exclude each other: with registers "
                "these packets wait for their context without a limit; leave context_timeout out"
            )
    elif choices.get("contexts") == "csr" and choices.get("queue_ram") == "distributed":
        return (
            "contexts = csr and queue_ram = distributed exclude each other: the engine with "
            "registers has block RAM; leave one of them out"
        )
    for name in ("depth", "hold_beats", "multiply_digit"):
        places = choices.get(name)
        if places is not None and places & (places - 1):
            below = 1 << (places.bit_length() - 1)
            return (
                f"{name} = {places}: it must be a power of two, for example {below} or "
                f"{min(2 * below, RANGES[name][1])}"
            )
    if choices.get("multiply_digit") is not None and choices.get("multiply_stages") is not None:
        return (
            f"multiply_digit = {choices['multiply_digit']} and multiply_stages = "
            f"{choices['multiply_stages']} exclude each other: a digit-serial multiplier has no "
            "pipeline; leave one of them out"
        )
    if choices.get("hold_beats") is not None and choices.get("release") == "flagged":
        return (
            f"hold_beats = {choices['hold_beats']} and release = flagged exclude each other: "
            "nothing is held; set release = withheld, or leave hold_beats out"
        )
    if choices.get("iv") == "counted" and choices.get("release") == "flagged":
        return (
            "iv = counted and release = flagged exclude each other: a text sent as a packet to "
            "decrypt leaves encrypted, under an IV that is not counted, before its tag is found "
            "wrong; set release = withheld, or iv = given"
        )
    core = {name: choices[name] for name in CORE_FIELDS if name in choices}
    if why := why_illegal(core):
        return why
    if kind.tiles is not None and (why := _why_tiles(kind.tiles, choices, Design(**core))):
        return why
    return _why_modes_and_core(choices["modes"], core)


def _why_tiles(legal: tuple[int, ...], choices: Mapping[str, Any], core: Design) -> str | None:
    """Return why an engine cannot have as many blocks in a beat; None if it can.

    Args:
        legal: how many it may have.
        choices: of the engine.
        core: of these choices.
    """
    if core.tiles == 1:
        return None
    what = f"modes = {choices['modes'][0]}, tiles = {core.tiles}"
    if not core.is_unrolled:
        other, why = f"unroll = {core.unroll}", "blocks of a looped core come one at a time"
    elif choices.get("multiply_digit") is not None:
        other = f"multiply_digit = {choices['multiply_digit']}"
        why = "a digit-serial multiplier takes one block at a time"
    elif choices.get("contexts") == "csr":
        other, why = "contexts = csr", "the engine with registers has beats of one block"
    elif core.tiles not in legal:
        return f"{what}: a beat has {one_of(map(str, legal))} blocks"
    else:
        return None
    return f"{what} and {other} exclude each other: {why}; set tiles = 1, or leave {other} out"


def _why_modes_and_core(modes: Iterable[str], core: Mapping[str, Any]) -> str | None:
    design = Design(**core)
    for name in modes:
        needed = MODES[name].needs
        if needed is not None and design.direction not in (needed, "both"):
            cipher = "forward" if needed == "encrypt" else "inverse"
            return (
                f"modes = {name} and direction = {design.direction} exclude each other: it needs "
                f"the {cipher} cipher; set direction = {needed} or both, or leave direction out"
            )
        kind = KINDS[MODES[name].kind]
        if design.direction != "encrypt" and kind.why_forward:
            return (
                f"modes = {name} and direction = {design.direction} exclude each other: "
                f"{kind.why_forward}; leave direction out"
            )
        if design.key_bits not in MODES[name].key_bits:
            return (
                f"modes = {name} and key_bits = {design.key_bits} exclude each other: "
                f"{MODES[name].label} has keys of {one_of(MODES[name].key_bits)} bits"
            )
        if kind.why_unrolled and not design.is_unrolled:
            return (
                f"modes = {name} and unroll = {design.unroll} exclude each other: "
                f"{kind.why_unrolled}; set unroll = full, or leave it out"
            )
        if kind.why_stored and design.is_agile:
            return (
                f"modes = {name} and key_schedule = agile exclude each other: {kind.why_stored}; "
                "set key_schedule = stored, or leave it out"
            )
        rings = "Tiles" not in kind.parameters_left_out and not design.is_unrolled
        if design.tiles > 1 and kind.why_one_block and not rings:
            unrolled = f", tiles = {design.tiles} and unroll = full"
            what = unrolled if design.is_unrolled else f" and tiles = {design.tiles}"
            return (
                f"modes = {name}{what} exclude each other: {kind.why_one_block}; set tiles = 1, or "
                "build several engines side by side"
            )
    return None


# --- The engine ---------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, kw_only=True)
class Engine:
    """A core with modes and AXI4-Stream interfaces; immutable, hashable, legal by construction.

    Args:
        name: small letters, digits and '-'; names the bundle's wrapper module.
        core: the core inside; its name and tag do not count.

    The other fields are the choices of an engine.

    Raises:
        UsageError: a value is out of range, or two choices exclude each other.
    """

    name: str = "custom"
    core: Design
    modes: tuple[str, ...] = choice(
        dataclasses.MISSING,
        "modes built in, a list; all of one kind of engine",
        allowed=tuple(MODES),
    )
    depth: int | None = choice(
        None,
        "beats that may be inside",
        span=(8, 4096),
        values="a power of two, 8 to 4096",
        filled_in=FULL_RATE,
    )
    id_bits: int = choice(1, "width of `tid`", span=(1, 64))
    user_bits: int = choice(
        1, "width of `tuser`; at the output the error flag comes on top", span=(1, 128)
    )
    context_timeout: int = choice(
        CONTEXT_TIMEOUT, "cycles that a packet waits for its context; 0: for ever", span=(0, 2**20)
    )
    streams: int | None = choice(
        None,
        "interleaved engines and ccm: streams that may have a packet open at a time",
        span=(1, 256),
        filled_in=FULL_RATE,
    )
    multiply_stages: int | None = choice(
        None,
        "authenticated engines: pipeline stages of the multiplier in GHASH",
        span=(1, 10),
        filled_in=6,
    )
    multiply_digit: int | None = choice(
        None,
        "authenticated engines: bits that a digit-serial multiplier in GHASH takes per cycle, in "
        "place of a pipelined one; at most one beat every 128 / `multiply_digit` + 2 cycles",
        span=(1, 32),
        values="a power of two, 1 to 32",
    )
    short_tags: bool = choice(
        False,
        "authenticated engines: packets may have tags of 4 and 8 bytes, beside 12 to 16",
        allowed=(False, True),
    )
    release: str | None = choice(
        None,
        "authenticated, offset and ccm engines: `withheld`, no byte leaves of a packet with an "
        "error, or `flagged`, text leaves before its tag is known",
        allowed=RELEASES,
        filled_in="`withheld` where the engine decrypts",
    )
    hold_beats: int | None = choice(
        None,
        "`release = withheld`: places for beats that wait, in ccm engines of each stream; packets "
        "of up to 4 less pass",
        span=(8, 65536),
        values="a power of two, 8 to 65536",
        filled_in="`512`, in ccm engines `128`",
    )
    iv: str = choice(
        IVS[0],
        "authenticated engines: `given`, the context of a packet brings its IV, or `counted`, "
        "those of packets that encrypt are made inside (SP 800-38D Sec. 8.2.1) and leave on "
        "`m_iv`; needs `release = withheld`",
        allowed=IVS,
    )
    stealing: bool = choice(
        True,
        "data-unit engines: packets may end in part of a block (ciphertext stealing)",
        allowed=(False, True),
    )
    queue_ram: str = choice(
        "block",
        "memory of the queues: block RAM, or LUTs, which limit the clock less",
        parameter="QueueStyle",
        constants={"block": "QueueBlock", "distributed": "QueueDistributed"},
    )
    contexts: str = choice(
        CONTEXTS[0],
        "how keys and contexts come in",
        allowed=CONTEXTS,
    )

    def __post_init__(self) -> None:
        # Two spellings of one engine must be equal.
        object.__setattr__(self, "modes", tuple(name for name in MODES if name in self.modes))
        object.__setattr__(self, "core", dataclasses.replace(self.core, name="core", tag_bits=1))
        if self.has_results and self.context_timeout == CONTEXT_TIMEOUT:
            object.__setattr__(self, "context_timeout", 0)
        if self.is_interleaved and self.streams is None:
            object.__setattr__(self, "streams", self.full_rate_streams)
        stages_apply = "multiply_stages" in self.kind.choices and self.multiply_digit is None
        if stages_apply and self.multiply_stages is None:
            object.__setattr__(self, "multiply_stages", FIELDS["multiply_stages"].filled_in)
        if "release" in self.kind.choices and self.release is None:
            withheld, flagged = RELEASES
            waits = self.decrypts or self.hold_beats is not None
            object.__setattr__(self, "release", withheld if waits else flagged)
        if self.withholds and self.hold_beats is None:
            object.__setattr__(self, "hold_beats", self.kind.hold_beats)
        if self.depth is None:
            object.__setattr__(self, "depth", self.full_rate_depth)
        if why := why_engine_illegal({"name": self.name, **self.choices()}):
            raise UsageError(why)

    def choices(self) -> dict[str, Any]:
        """Return all choices by name, the engine's first, then the core's.

        Those of the engine that do not apply are left out.
        """
        others = {name for kind in KINDS.values() for name in kind.choices} - set(self.kind.choices)
        own = {
            name: value
            for name in FIELDS
            if name not in others and (value := getattr(self, name)) is not None
        }
        own["modes"] = list(self.modes)
        # One that is not of this kind is shown where it is set all the same: to be refused.
        own |= {
            name: value
            for name in others
            if (value := getattr(self, name)) not in (None, _DEFAULTS.get(name))
        }
        core = {name: getattr(self.core, name) for name in CORE_FIELDS}
        odd = {
            name: value
            for name in NOT_IN_AN_ENGINE
            if name != "tag_bits" and (value := getattr(self.core, name)) != DEFAULTS[name]
        }
        return own | core | odd

    def to_toml(self) -> str:
        """Return the text of a design file that loads as this very engine."""
        lines = [f'name = "{self.name}"']
        for field, value in self.choices().items():
            if isinstance(value, list):
                words = ", ".join(f'"{one}"' for one in value)
                lines.append(f"{field} = [{words}]")
            elif value is not None:
                text = f'"{value}"' if isinstance(value, str) else text_of(value)
                lines.append(f"{field} = {text}")
        return "\n".join(lines) + "\n"

    def summary(self) -> str:
        """Return the engine in one line of words."""
        core = self.core
        shape = (
            "unrolled" if core.is_unrolled else f"looped, {core.unrolled_rounds} of {core.rounds}"
        )
        keys = "a key with every packet" if core.is_agile else f"keys in {core.key_slots} slots"
        keys += f", tags of {one_of(self.tag_bytes)} bytes" if self.tag_bytes else ""
        cycles = 1 / self.beats_per_cycle
        every = "every cycle" if cycles == 1 else f"every {cycles:.4g} cycles"
        keys += ", IVs counted inside" if self.counts_ivs else ""
        turns = f" from {self.streams} streams in turn" if self.streams is not None else ""
        return (
            f"AES-{core.key_bits} {self.mode_label} with AXI4-Stream interfaces, {shape} rounds, "
            f"{core.sbox} S-box, {keys}; a beat of {self.beat_bytes} bytes {every}{turns}, latency "
            f"{self.latency_cycles} cycles, up to {self.depth} beats inside"
        )

    # --- What it is

    @property
    def warning(self) -> str | None:
        """A warning for the user, as `Design.warning`; None, since an engine is AES."""
        return None

    @property
    def key_bits(self) -> int:
        """Width of a key; of all of them together, where a mode has several."""
        return self.core.key_bits * self.keys

    @property
    def keys(self) -> int:
        """How many keys of the cipher make one of the engine's."""
        return MODES[self.modes[0]].keys

    @property
    def kind(self) -> Kind:
        """The module of the engine, and its properties."""
        return KINDS[MODES[self.modes[0]].kind]

    @property
    def top(self) -> str:
        """The module of the RTL that the engine is, once its parameters are set.

        CSRs are around it: `check` and `measure` use the engine inside.
        """
        return self.kind.counted_top if self.counts_ivs and self.kind.counted_top else self.kind.top

    @property
    def wrapped(self) -> str:
        """The module that a bundle's wrapper holds: with registers where they are chosen."""
        return self.kind.csr_top if self.has_csr and self.kind.csr_top else self.top

    @property
    def is_interleaved(self) -> bool:
        """Whether packets of several streams take turns."""
        return self.kind.loop_cycles is not None

    @property
    def authenticates(self) -> bool:
        """Whether packets have associated data, text and a tag."""
        return MODES[self.modes[0]].authenticates

    @property
    def withholds(self) -> bool:
        """Whether no byte leaves of a packet with an error."""
        return self.release == "withheld"

    @property
    def counts_ivs(self) -> bool:
        """Whether the IVs of packets that encrypt are made inside."""
        return self.iv == "counted"

    @property
    def most_beats(self) -> int | None:
        """The most beats of a packet, or None where there is no limit but the mode's."""
        return None if self.hold_beats is None else self.hold_beats - 4

    @property
    def hold_places(self) -> int:
        """Places, of one beat each, of the buffer of packets that wait for their tag."""
        streams = 1 << self.tid_bits if self.is_interleaved else 1
        return (self.hold_beats or 0) * streams

    @property
    def tag_bytes(self) -> tuple[int, ...]:
        """The legal lengths of a tag; none where packets have none."""
        return (*((4, 8) if self.short_tags else ()), *MODES[self.modes[0]].tag_bytes)

    @property
    def tid_bits(self) -> int:
        """Width of `tid`."""
        return self.id_bits if self.streams is None else max(1, (self.streams - 1).bit_length())

    @property
    def blocks_per_beat(self) -> int:
        """Blocks of a beat: one for each block of the core's beat."""
        return self.core.blocks_per_beat

    @property
    def beat_bytes(self) -> int:
        """Bytes of a beat, which `tdata` is wide."""
        return BLOCK_BYTES * self.blocks_per_beat

    @property
    def has_csr(self) -> bool:
        """Whether keys and contexts come in through AXI4-Lite CSRs."""
        return self.contexts == "csr"

    @property
    def has_results(self) -> bool:
        """Whether these CSRs keep a result of each context: its tag, and whether it is right."""
        return self.has_csr and self.kind.keeps_results

    @property
    def iv_leaves(self) -> bool:
        """Whether the wrapper has a stream of the IVs that are made inside; CSRs have them else."""
        return self.counts_ivs and not self.has_csr

    @property
    def mode_label(self) -> str:
        """The modes as people write them."""
        return ", ".join(MODES[name].label for name in self.modes)

    @property
    def takes_iv(self) -> bool:
        """Whether a context of some mode brings an IV."""
        return any(MODES[name].takes_iv for name in self.modes)

    def ways(self, name: str) -> tuple[str, ...]:
        """Return what a mode does here: `encrypt`, `decrypt` or both."""
        ways = MODES[name].ways
        if ways is not None:
            return ways
        return ("encrypt", "decrypt") if self.core.direction == "both" else (self.core.direction,)

    @property
    def decrypts(self) -> bool:
        """Whether a packet of some mode may be decrypted."""
        return any("decrypt" in self.ways(name) for name in self.modes)

    def ends_in_part(self, name: str) -> bool:
        """Return whether the last beat of a packet in a mode may end in part of a block."""
        return MODES[name].partial and self.stealing

    @property
    def constant_decrypt(self) -> bool | None:
        """What `s_ctx_decrypt` always is, or None where a packet chooses.

        Not every mode looks at it.
        """
        ways = {way for name in self.modes if MODES[name].looks for way in self.ways(name)}
        ways |= {
            self.ways(name)[0]
            for name in self.modes
            if len(self.ways(name)) == 1 and not MODES[name].digest
        }
        return None if len(ways) > 1 else ways == {"decrypt"}

    def mode_for(self, cipher: str, decrypt: bool) -> Mode:
        """Return the mode for a request.

        Args:
            cipher: one of `CIPHERS`.
            decrypt: or encrypt.

        Raises:
            UsageError: this engine has none; the message lists its modes.
        """
        way = "decrypt" if decrypt else "encrypt"
        for name in self.modes:
            if MODES[name].cipher == cipher and way in self.ways(name):
                return MODES[name]
        has = [f"{MODES[name].cipher} ({' and '.join(self.ways(name))})" for name in self.modes]
        raise UsageError(
            f"'{self.name}' does not {way} {cipher}: it has {one_of(has)}"
            + self._who_else(cipher, way)
        )

    def _who_else(self, cipher: str, way: str) -> str:
        """Name a mode that would do, if any is built at all."""
        for mode in MODES.values():
            if mode.cipher == cipher and way in (mode.ways or (way,)):
                if mode.ways is None and mode.name in self.modes:
                    return f"; use --set direction={way} or --set direction=both"
                return f"; an engine with modes = {mode.name} does"
        return ""

    # --- Time and size

    @property
    def latency_cycles(self) -> int:
        """Cycles from the one in which a beat is taken to the one in which it leaves.

        Where the end of a packet must be known ahead: at full rate, far from that end. Where
        packets are held: from the last beat of a packet in to its first one out.
        """
        return self.core.latency_cycles + self.kind.extra_cycles(self) + self._hold_cycles

    @property
    def _hold_cycles(self) -> int:
        return 6 if self.withholds else 0

    @property
    def full_rate_depth(self) -> int:
        """The fewest beats, a power of two, that must fit inside for the core to be kept busy."""
        # A ring accepts blocks in turn; a block may just miss two free places.
        missed = 0 if self.core.is_unrolled else 2 + self.is_interleaved
        inside = math.ceil(self.credit_cycles * self._core_rate + missed)
        return max(RANGES["depth"][0], 1 << (inside + self.kind.unused_places - 1).bit_length())

    @property
    def credit_cycles(self) -> int:
        """Cycles from the one in which a beat takes a place until that place can be given again."""
        outside = self.kind.ahead_cycles(self) + self._hold_cycles
        return self.latency_cycles - outside + self.kind.credit_cycles

    @property
    def loop_cycles(self) -> int:
        """Cycles from a beat of a packet to its next one at the earliest; 1 without feedback."""
        loop = self.kind.loop_cycles
        return 1 if loop is None else self.core.latency_cycles + loop(self.core)

    @property
    def full_rate_streams(self) -> int:
        """The fewest streams that keep the core busy, if the engine can have as many."""
        low, high = RANGES["streams"]
        calls = self.kind.calls
        # One more where second calls come between the first ones of others.
        wanted = math.ceil(self.loop_cycles * self.core.blocks_per_cycle / calls) + calls - 1
        return min(high, max(low, wanted if self.core.is_unrolled else wanted + 2))

    @property
    def _core_rate(self) -> float:
        """Beats that the core takes each cycle."""
        apart = self.kind.interval_cycles(self)
        if apart == 1 or self.core.is_unrolled:
            rate = self.core.blocks_per_cycle / self.blocks_per_beat
            return rate / apart / self.kind.calls
        # A ring has a place for a block in turn: which ones are free decides when a beat enters.
        places = self.core.unrolled_rounds * self.core.stages
        free_from, entries, cycle = [0] * places, list[int](), 0
        while len(entries) < 64 * places:
            while free_from[cycle % places] > cycle:
                cycle += 1
            entries.append(cycle)
            free_from[cycle % places] = cycle + self.core.rounds * self.core.stages
            cycle += apart
        half = len(entries) // 2
        return half / (entries[-1] - entries[-1 - half])

    @property
    def beats_per_cycle(self) -> float:
        """Beats taken each cycle, on average, when both sides keep up, and all streams have beats.

        Of modes that call the cipher as often as `Kind.calls` says: once, in CCM twice for text.
        """
        assert self.depth is not None
        places = self.depth - self.kind.unused_places
        rate = min(self._core_rate, places / self.credit_cycles)
        return rate if self.streams is None else min(rate, self.streams / self.loop_cycles)

    @property
    def blocks_per_cycle(self) -> float:
        """Blocks taken each cycle, where :attr:`beats_per_cycle` beats are."""
        return self.beats_per_cycle * self.blocks_per_beat

    @property
    def zeroize_cycles(self) -> int:
        """The most cycles from a `zeroize` pulse until it is zeroized and takes beats again."""
        return self.core.zeroize_cycles + self.kind.zeroize_cycles(self)

    # --- RTL

    @property
    def roles(self) -> Mapping[str, str]:
        """The ports for clock, key, block and result, as of a design.

        The block is what enters the cipher: the data, but where the IV alone makes a stream. Where
        there is a tag, which is over all data, it is they: the IV is shorter than a block.
        """
        alone = ("counter", "keystream")
        counts = all(MODES[name].chain in alone for name in self.modes)
        return {
            "clock": "clk",
            "block": "s_ctx_iv" if counts else "s_axis_tdata",
            "key": "s_ctx_key" if self.core.is_agile else "s_key_tdata",
            "result": "m_axis_tdata",
        }

    def _number(self, name: str) -> int:
        """Return the number of a value that the RTL knows by a constant."""
        return list(FIELDS[name].constants).index(getattr(self, name))

    def rtl_parameters(self) -> dict[str, int]:
        """Return the parameters of the engine's module, by name, in the module's order."""
        assert self.depth is not None
        values = self.core.rtl_parameters() | {
            "Modes": sum(1 << MODES[name].code for name in self.modes),
            "MultiplyStages": 0 if self.multiply_digit else self.multiply_stages,
            "MultiplyDigit": self.multiply_digit,
            "ShortTags": int(self.short_tags),
            "Stealing": int(self.stealing),
            "Streams": self.streams,
            "IdBits": self.id_bits,
            "UserBits": self.user_bits,
            "Depth": self.depth,
            "ContextTimeout": self.context_timeout,
            # Some engines with registers have none to choose.
            "QueueStyle": None
            if self.has_csr and not self.has_results
            else self._number("queue_ram"),
            "HoldBeats": self.hold_beats or (0 if "release" in self.kind.choices else None),
        }
        left_out = self.kind.parameters_left_out
        return {
            name: value
            for name, value in values.items()
            if name not in left_out and value is not None
        }

    def wrapped_parameters(self) -> dict[str, int]:
        """Return the parameters of `wrapped`, by name, in the module's order."""
        values = self.rtl_parameters()
        if self.has_results:
            del values["ContextTimeout"]
            if self.kind.tiles is not None:
                # With registers a beat has one block.
                del values["Tiles"]
            if self.kind.counted_top:
                values["Counted"] = int(self.counts_ivs)
        return values


FIELDS: Mapping[str, Field] = {
    field.name: field.metadata["choice"]
    for field in dataclasses.fields(Engine)
    if "choice" in field.metadata
}
RANGES = {name: field.span for name, field in FIELDS.items() if field.span}
_DEFAULTS = {field.name: field.default for field in dataclasses.fields(Engine)}


def load_engine_choices(source: str, choices: Mapping[str, Any]) -> Engine:
    """Return the engine of some choices by name; missing choices have their defaults.

    Args:
        source: where they come from, for messages.
        choices: field name to value.

    Raises:
        UsageError: a field is unknown, a value is out of range, or two choices exclude each other.
    """
    choices = dict(choices)
    if "modes" in choices and not why_modes_illegal(choices["modes"]):
        choices.setdefault("direction", direction_for(choices["modes"]))
        if KINDS[MODES[choices["modes"][0]].kind].why_stored:
            choices.setdefault("key_schedule", "stored")
    if why := why_engine_illegal(choices):
        raise UsageError(f"{source}: {why}")
    own = {name: choices[name] for name in ("name", *FIELDS) if name in choices and name != "modes"}
    core = {name: choices[name] for name in CORE_FIELDS if name in choices}
    return Engine(core=Design(**core), modes=tuple(choices["modes"]), **own)

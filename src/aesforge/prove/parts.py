# SPDX-License-Identifier: Apache-2.0
"""The claims about parts of GCM, OCB, XTS and CCM engines, in `formal/modes`, each by itself.

:mod:`aesforge.prove.streams` proves them, :mod:`aesforge.prove.neighbours` what they assume of each
other. No claim says that the parts are connected as the mode has them: tests do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aesforge.design import Engine
from aesforge.prove.multiplier import PIPELINED, SERIAL, Multiplier
from aesforge.prove.shells import places

GCM, COUNTED = "aesforge_engine_gcm", "aesforge_engine_gcm_counted"
OCB, XTS, CCM = "aesforge_engine_ocb", "aesforge_engine_xts", "aesforge_engine_ccm"
TOPS = (GCM, COUNTED, OCB, XTS, CCM)
CONTEXT_CIPHER = "aesforge_context_cipher"
LONG_DELAY = "aesforge_long_delay"
COUNT_MODEL = {"aesforge_staged_counter": "count_model.sv"}
# Stages of the counters of an engine of GCM, and of the lengths in its tag.
_COUNT_STAGES = 6
# Bits of the counter of text blocks (SP 800-38D Sec. 6.2).
_COUNT_BITS = 32
# Of the digit-serial multiplier that makes the powers of H.
_POWER_DIGIT = 8
# A data unit of XTS has at most 2^20 blocks (IEEE Std 1619 Sec. 5.1).
_UNIT_BITS = 20
# Of the table L of OCB, and of the number of a block.
_INDEX_BITS, _BLOCK_BITS = 4, 14
# Of contexts that may be inside; engines have 16.
_CONTEXTS = 8
# Of the mode of CCM.
_STREAMS = 2
# Latency of the core around which the modes of OCB and XTS are proved, whatever that of the engine.
LATENCY = 4


@dataclass(frozen=True)
class Part:
    """A claim about one module.

    Args:
        name: what is claimed, a few words.
        claim: the same as sentences.
        top: the module that states it, in `formal/modes`.
        module: the module that it is about.
        parameters: of the claim.
        nets: of the claim, and those of the module that they are connected to.
        cycles: the assertions hold in a cycle if they held in so many before.
        models: what stands for a module, by its name.
    """

    name: str
    claim: str
    top: str
    module: str
    parameters: Mapping[str, int]
    nets: Mapping[str, str]
    cycles: int
    models: Mapping[str, str] = field(default_factory=dict)


def covers(engine: Engine) -> bool:
    """Return whether parts of an engine are what is proved of it."""
    return engine.top in TOPS


def parts_of(engine: Engine) -> list[Part]:
    """Return the claims about parts of an engine."""
    values = engine.rtl_parameters()
    if engine.top == XTS:
        return of_xts(
            stealing=bool(values["Stealing"]),
            blocks=values["Tiles"],
            latency=engine.core.latency_cycles,
        )
    if engine.top == OCB:
        return of_ocb(decrypts=values["Direction"] != 0)
    if engine.top == CCM:
        return [ccm()]
    if values["MultiplyStages"]:
        stalls = not engine.core.is_unrolled
        own = of_gcm(values["MultiplyStages"], values["Tiles"], stalls=stalls)
    else:
        own = of_serial_gcm(values["MultiplyDigit"])
    return [*own, counted_iv()] if engine.top == COUNTED else own


def multipliers_of(engine: Engine) -> list[Multiplier]:
    """Return the multipliers in GF(2^128) of an engine."""
    if engine.top not in (GCM, COUNTED):
        return []
    values = engine.rtl_parameters()
    if not values["MultiplyStages"]:
        return [Multiplier(SERIAL, values["MultiplyDigit"])]
    return [Multiplier(PIPELINED, values["MultiplyStages"]), Multiplier(SERIAL, _POWER_DIGIT)]


def claim_text(engine: Engine) -> str:
    """Return the claim for an engine."""
    own = [part.claim for part in parts_of(engine)]
    if multipliers_of(engine):
        own.insert(0, "The multipliers give the product of SP 800-38D Sec. 6.3 for all factors.")
    return " ".join(
        [
            f"Parts of an engine of {engine.mode_label}, each by itself, for packets of any length "
            "under what its neighbours are to do.",
            *own,
            *_of_neighbours(engine),
            "That the engine connects its parts as the mode has them is tested, not proved.",
        ]
    )


def _of_neighbours(engine: Engine) -> list[str]:
    """Return what is claimed of the neighbours of an engine's parts."""
    if engine.top == CCM:
        return []
    all_of_it = "All" if engine.top in (OCB, XTS) else "Most"
    return [f"{all_of_it} that these claims assume of the parts' neighbours holds in the engine."]


def of_gcm(
    stages: int, blocks: int, count_bits: int = _COUNT_BITS, *, stalls: bool = False
) -> list[Part]:
    """Return the claims about an engine of GCM.

    Args:
        stages: of its multipliers.
        blocks: of a beat.
        count_bits: of the counter of text blocks.
        stalls: whether the core may stall, which the claim about counter blocks leaves out.
    """
    ahead = 4 if stages <= 2 else 8 if stages <= 6 else 16
    return [
        _lookahead(ahead, blocks),
        _ghash(ahead, stages, blocks),
        _ghash_sum(ahead, stages, blocks),
        _powers(ahead * blocks),
        _counter_blocks(blocks, stalls=stalls),
        _section_check(blocks),
        _tag(ahead, stages, blocks, count_bits),
        *_counts(blocks, count_bits),
    ]


def of_serial_gcm(digit: int, count_bits: int = _COUNT_BITS) -> list[Part]:
    """Return the claims about an engine of GCM that hashes a block at a time.

    Args:
        digit: of its multiplier.
        count_bits: of the counter of text blocks.
    """
    return [
        _ghash_serial(digit),
        _powers(1),
        _counter_blocks(1, stages=1),
        _section_check(1),
        _tag(1, 0, 1, count_bits, digit),
        *_counts(1, count_bits, stages=1),
    ]


def _lookahead(ahead: int, blocks: int) -> Part:
    inside = "u_lookahead."
    places_inside = max(16, 2 * ahead)
    own = ("put_q", "last_q", "data_q", "more_q", "index_q", "write_q", "read_q", "zeroize_q")
    runs = ("some_q", "valid", "write_q", "read_q", "after_q")
    sums = {name: f"{inside}gen_sum.{name}" for name in ("size_q", "m_size", "recent_q")}
    sums["befores"] = places(f"{inside}gen_sum.before_q", ahead)
    sums["size_memory"] = places(f"{inside}gen_sum.sizes", places_inside)
    return Part(
        "beats that follow in a packet",
        "Each beat comes to GHASH with the number of those that follow it in its packet, or "
        f"{ahead} if these are more, and of their blocks, in order and unchanged, under any "
        "stalls.",
        "prove_packet_lookahead",
        "aesforge_packet_lookahead",
        {"Ahead": ahead, "Blocks": blocks},
        {
            **{name: inside + name for name in own},
            **(sums if blocks > 1 else {}),
            **{f"run_{name}": f"{inside}run_{name}" for name in runs},
            "spare_valid_q": f"{inside}u_runs.stall_q",
            "run_first": f"{inside}u_runs.m_data",
            "run_spare": f"{inside}u_runs.spare_q",
            **{name: f"{inside}u_credits.{name}" for name in ("used_q", "delta_q")},
            "memory": places(f"{inside}memory", places_inside),
            "runs": places(f"{inside}runs", places_inside),
        },
        1,
    )


def _ghash(ahead: int, stages: int, blocks: int) -> Part:
    sums = "u_ghash.gen_sums."
    return Part(
        "GHASH: the power of each block",
        "GHASH: if one block of a packet is not zero, the hash of the packet is that block times "
        "the power of the hash subkey that it has by SP 800-38D Sec. 6.4.",
        "prove_ghash",
        "aesforge_ghash",
        {"Ahead": ahead, "Stages": stages, "Blocks": blocks},
        {
            **{name: sums + name for name in ("sum_q", "seen_q", "some_final_q")},
            "product_now": f"{sums}product",
            "sums": places(f"{sums}sums", ahead),
            "memory": _memories([sums], ahead, blocks),
            "masks": ",".join(f"{sums}gen_block[{b}].u_multiply.mask" for b in range(blocks)),
        },
        max(2 * stages + 3, stages + 7),
        {PIPELINED: "exponent_multiply.sv"},
    )


def _ghash_sum(ahead: int, stages: int, blocks: int) -> Part:
    copies = [f"gen_copy[{copy}].u_ghash.gen_sums." for copy in (2, 1, 0)]
    return Part(
        "GHASH: the hash of a sum",
        "GHASH: the hash of the sum of two packets, block by block, is the sum of their hashes; "
        "that of a packet of zeros is zero, whatever came before it.",
        "prove_ghash_sum",
        "aesforge_ghash",
        {"Ahead": ahead, "Stages": stages, "Blocks": blocks},
        {
            "sum_qs": ",".join(f"{copy}sum_q" for copy in copies),
            "seen_qs": ",".join(f"{copy}seen_q" for copy in copies),
            "some_final_q": ",".join(f"{copy}some_final_q" for copy in copies),
            "left_q": ",".join(f"{copy}left_q" for copy in copies),
            "right_q": ",".join(
                f"{copy}gen_block[{block}].right_q" for copy in copies for block in range(blocks)
            ),
            "product": ",".join(
                f"{copy}gen_block[{block}].u_multiply.product"
                for copy in copies
                for block in range(blocks)
            ),
            "sums": ",".join(places(f"{copy}sums", ahead) for copy in copies),
            "memory": _memories(copies, ahead, blocks),
        },
        stages + 5,
        {PIPELINED: "linear_multiply.sv"},
    )


def _memories(copies: list[str], ahead: int, blocks: int) -> str:
    """Return the places of the powers of some modules, for two slots, the last one first."""
    return ",".join(
        places(f"{copy}gen_block[{block}].u_powers.gen_block.memory", 2 * ahead * blocks)
        for copy in copies
        for block in reversed(range(blocks))
    )


def _ghash_serial(digit: int) -> Part:
    multiply = "u_ghash.gen_serial.u_multiply."
    return Part(
        "GHASH: Horner's rule",
        "GHASH: each block is added to the hash of those before it, and multiplied by the hash "
        "subkey of its slot (SP 800-38D Sec. 6.4).",
        "prove_ghash_serial",
        "aesforge_ghash",
        {"Digit": digit},
        {
            "keys": places("u_ghash.gen_serial.keys", 2),
            "multiply_busy": f"{multiply}busy",
            **{name: multiply + name for name in ("a_q", "b_q", "count_q")},
        },
        1,
        {SERIAL: "any_serial.sv"},
    )


def _powers(powers: int) -> Part:
    inside = "u_powers.gen_powers."
    multiply = f"{inside}u_multiply."
    if powers == 1:
        return Part(
            "the hash subkey",
            "After each key the cipher of a block of zeros is written as the hash subkey, and the "
            "key is not ready before.",
            "prove_gcm_powers",
            "aesforge_gcm_powers",
            {"Ahead": 1},
            {"state_q": "u_powers.state_q"},
            1,
        )
    return Part(
        "powers of the hash subkey",
        f"After each key the cipher of a block of zeros, H, is written as H^1 to H^{powers}, and "
        "the key is not ready before.",
        "prove_gcm_powers",
        "aesforge_gcm_powers",
        {"Ahead": powers, "Digit": _POWER_DIGIT},
        {
            "state_q": "u_powers.state_q",
            **{name: inside + name for name in ("start_q", "first_q", "final_q", "hash_key_q")},
            "mask": f"{multiply}mask",
            "multiply_busy": f"{multiply}busy",
            **{name: multiply + name for name in ("done", "shown_q", "count_q", "result_q")},
        },
        1,
        {SERIAL: "exponent_serial.sv"},
    )


def _counter_blocks(blocks: int, stages: int = _COUNT_STAGES, *, stalls: bool = False) -> Part:
    waits = {
        "iv_q": "u_counter.iv_q[0]",
        "side_q": "u_counter.side_q[0]",
        "value_q": "u_counter.counter[0]",
        "valid_q": "u_counter.counter_valid",
    }
    counts = (f"u_counter.gen_counter[{b}].u_counter.count_q" for b in reversed(range(blocks)))
    return Part(
        "counter blocks",
        "Text meets the cipher of J0 + 1, J0 + 2, ... in 32 bits, and the tag that of J0, which is "
        "the IV of 96 bits and 1, or the hash of another IV (SP 800-38D Sec. 7.1)"
        f"{', while the core does not stall' if stalls else ''}.",
        "prove_gcm_counter",
        "aesforge_gcm_counter",
        {"Blocks": blocks, "Stages": stages},
        {
            "text_q": "u_counter.text_q",
            "counts": ",".join(counts),
            **(waits if stages == 1 else {}),
        },
        stages + 3,
        COUNT_MODEL,
    )


def _tag(ahead: int, stages: int, blocks: int, count_bits: int, digit: int = _POWER_DIGIT) -> Part:
    tag, ghash = "u_tag.", "u_tag.u_ghash."
    # Without beats ahead the next one waits until the hash of the one before is known.
    one = {"hash_begin": f"{ghash}begin_packet"}
    many = {"place_q": f"{tag}gen_wait.u_beat.genblk1.gen_ram.place_q"}
    return Part(
        "the blocks that are hashed, and the tag",
        "The blocks that are hashed are associated data, ciphertext and both lengths (SP 800-38D "
        "Sec. 7.1 step 5). The tag is their hash and the cipher of J0, or it is compared with that "
        "in all bytes that it has; a difference, too much text, or a packet that is no IV raises "
        "the error flag.",
        "prove_gcm_tag",
        "aesforge_gcm_tag",
        {
            **{"Ahead": ahead, "Stages": stages, "Blocks": blocks, "CountBits": count_bits},
            **({"Digit": digit} if ahead == 1 else {}),
        },
        {
            "hash_block": f"{ghash}in_block",
            **{f"hash_{name}": f"{ghash}in_{name}" for name in ("first", "left", "slot", "valid")},
            "hash_now": f"{tag}hash",
            "aad_count": f"{tag}u_aad.count_q",
            "text_count": f"{tag}u_text.count_q",
            **{
                name: tag + name
                for name in ("aad_bytes_q", "text_bytes_q", "some_aad_q", "over_q", "first_q")
            },
            **(one if ahead == 1 else many),
        },
        128 // digit + 6 if ahead == 1 else stages + 15,
        {"aesforge_ghash": "hash_model.sv", **COUNT_MODEL},
    )


def counted_iv(count_bits: int = 64) -> Part:
    """Return the claim about IVs that an engine of GCM makes.

    Args:
        count_bits: of the number in an IV.
    """
    return Part(
        "IVs that are counted",
        "Each packet that is encrypted has the fixed field of its slot and a number of its own in "
        "its IV (SP 800-38D Sec. 8.2.1): none comes twice after a reset, zeroized or not.",
        "prove_gcm_iv",
        "aesforge_gcm_iv",
        {"CountBits": count_bits},
        {name: f"u_iv.{name}" for name in ("spent_q", "count_q")},
        1,
    )


def _counts(blocks: int, count_bits: int, stages: int = _COUNT_STAGES) -> list[Part]:
    """Return the claims about the counters of an engine of GCM, one for each width."""
    low, beat_bits = blocks.bit_length() - 1, 4 + blocks.bit_length() - 1
    counters = {
        count_bits - low: "of text blocks",
        61 - beat_bits: "of associated data",
        count_bits + 4 - beat_bits: "of text beats",
    }
    return [_count(bits, what, stages) for bits, what in counters.items()]


def _count(bits: int, what: str, stages: int) -> Part:
    word = -(-bits // stages)
    words = []
    for stage in reversed(range(stages)):
        size = min(word, max(0, bits - word * stage))
        if size < word:
            words.append(f"{word - size}'b{'0' * (word - size)}")
        if size:
            words.append(f"u_counter.gen_word[{stage}].gen_count.late_q[0]")
    return Part(
        f"counter {what}, {bits} bits",
        f"The counter {what} counts as one of {bits} bits does.",
        "prove_staged_counter",
        "aesforge_staged_counter",
        {"Bits": bits, "Stages": stages},
        {"words": ",".join(words)},
        stages + 2,
    )


def of_xts(
    *, stealing: bool, blocks: int = 1, latency: int = LATENCY, unit_bits: int = _UNIT_BITS
) -> list[Part]:
    """Return the claims about an engine of XTS.

    Args:
        stealing: with ciphertext stealing.
        blocks: of a beat.
        latency: of the core; the mode is proved with `LATENCY`.
        unit_bits: a data unit has at most 2^unit_bits blocks.
    """
    own = [xts(stealing=stealing, blocks=blocks), _unit_lookahead(stealing, unit_bits, blocks)]
    delays = (latency, latency + 3, 2 * latency + 3) if stealing else (latency,)
    return [*own, _tweak(), _contexts(), *map(_long_delay, delays)]


def of_ocb(
    *, decrypts: bool, index_bits: int = _INDEX_BITS, count_bits: int = _BLOCK_BITS
) -> list[Part]:
    """Return the claims about an engine of OCB.

    Args:
        decrypts: packets may be decrypted.
        index_bits: the table L has 2^index_bits words.
        count_bits: a section has at most 2^count_bits - 1 blocks.
    """
    own = [ocb(decrypts=decrypts), _index(index_bits, count_bits), _table(index_bits), _nonce()]
    return [*own, _contexts(), _section_check(1), _tag_compare()]


def xts(*, stealing: bool, blocks: int = 1) -> Part:
    """Return the claim about the mode of XTS.

    Args:
        stealing: with ciphertext stealing.
        blocks: of a beat.
    """
    own = ("next_q", "data_q", "tweak_q", "steals_q", "decrypt_q", "side_q", "part_q", "xor_q")
    nets = {name: f"u_mode.{name}" for name in own}
    nets["wait_q"] = "u_mode.gen_block[0].gen_first.wait_q"
    also = ", and ciphertext stealing where a data unit ends in part of a block" if stealing else ""
    return Part(
        "XTS of each beat",
        "What leaves for each beat is XTS (IEEE Std 1619 Sec. 5.3 and 5.4) of its data unit, in "
        f"either direction: the tweak of its first block times powers of alpha{also}. The core is "
        f"any function, with a latency of {LATENCY} cycles in place of its own.",
        "prove_mode_xts",
        "aesforge_mode_xts",
        {"Latency": LATENCY, "Stealing": int(stealing), "Blocks": blocks},
        nets,
        2 * LATENCY + 7,
        {LONG_DELAY: "delay_model.sv"},
    )


def ocb(*, decrypts: bool) -> Part:
    """Return the claim about the mode of OCB.

    Args:
        decrypts: packets may be decrypted.
    """
    part = "u_mode.gen_decrypts."
    inside = {"text_sum_q": f"{part}text_sum_q"}
    inside |= _pointers(part, known="u_known", result="u_results")
    both = "encrypted and decrypted packets" if decrypts else "encrypted packets"
    return Part(
        "OCB of each beat",
        "What the core is given for each beat and what leaves for it is OCB (RFC 7253 Sec. 4) of "
        f"its packet, for {both}: offsets from the words of the table L that come with the beats, "
        "the checksum, the sum over associated data, and the tag. The core gives any results, with "
        f"a latency of {LATENCY} cycles in place of its own.",
        "prove_mode_ocb",
        "aesforge_mode_ocb",
        {"Latency": LATENCY, "Decrypts": int(decrypts)},
        {
            **{name: f"u_mode.{name}" for name in ("offset_q", "checksum_q", "sum_q")},
            **(inside if decrypts else {}),
        },
        2 * LATENCY + 5,
    )


def ccm() -> Part:
    """Return the claim about the mode of CCM."""
    memories = ("chains", "waits", "infos", "windows", "tails", "nonces", "counts")
    lengths = ("states", "verdicts")
    return Part(
        "CCM of each beat",
        "What the core is given for each beat and what leaves for it is CCM (SP 800-38C) of its "
        "packet, encrypted or decrypted: B0, associated data, the counter blocks and the tag, made "
        "or compared in all bytes that it has. A packet that is not as long as its context says, "
        "or another tag, raises the error flag. The core gives any results, each after any time, "
        f"and beats of another stream come in between; {_STREAMS} streams.",
        "prove_mode_ccm",
        "aesforge_mode_ccm",
        {"Streams": _STREAMS},
        {
            **{name: places(f"u_mode.{name}", _STREAMS) for name in memories},
            **{name: places(f"u_mode.u_lengths.{name}", _STREAMS) for name in lengths},
        },
        8,
    )


def _unit_lookahead(stealing: bool, unit_bits: int, blocks: int) -> Part:
    inside = "u_lookahead."
    return Part(
        "beats of a data unit",
        "Beats of data units come to XTS in order and unchanged, the last whole block with the "
        "news that part of a block follows. Less than a block, and a block too many, raise the "
        "error flag.",
        "prove_unit_lookahead",
        "aesforge_unit_lookahead",
        {"UnitBits": unit_bits, "Blocks": blocks, "Stealing": int(stealing)},
        {
            **{name: inside + name for name in ("held_q", "first_q", "count_q")},
            "stall_q": f"{inside}u_slice.stall_q",
            "slice_valid": f"{inside}next_valid",
            "slice_word": f"{inside}u_slice.m_data",
            "spare_word": f"{inside}u_slice.spare_q",
        },
        1,
    )


def _long_delay(depth: int) -> Part:
    inside = "u_delay."
    return Part(
        f"a delay of {depth} cycles",
        f"A word that enters the delay of {depth} cycles leaves it so much later.",
        "prove_long_delay",
        LONG_DELAY,
        {"Depth": depth},
        {
            **{name: inside + name for name in ("write_q", "read_q")},
            "first_q": f"{inside}u_ram.gen_block.first_q",
            "words": places(f"{inside}u_ram.gen_block.memory", 1 << (depth - 2).bit_length()),
        },
        1,
    )


def _cipher(part: str, *names: str) -> dict[str, str]:
    """Return nets of a claim that stand at the ports of `aesforge_context_cipher`."""
    return {
        f"{'given' if name[0] == 's' else 'got'}_{name[2:]}": f"{part}u_cipher.{name}"
        for name in names
    }


def _contexts() -> Part:
    inside = "u_cipher."
    nets = {
        **{name: inside + name for name in ("held_q", "go_q", "credit")},
        "error_here": f"{inside}error_q",
        **{"held_block": f"{inside}core_block", "held_header": f"{inside}core_header"},
        **{name: f"{inside}u_credits.{name}" for name in ("used_q", "delta_q")},
    }
    for queue, instance in {"header": "u_headers", "block": "u_blocks"}.items():
        nets |= {
            f"{queue}_{net.removesuffix('_q')}": f"{inside}{instance}.{net}"
            for net in ("words", "first_q", "count_q", "shown_q")
        }
    return Part(
        "a block for each context",
        "Contexts leave in order, each with the cipher of its own block.",
        "prove_context_cipher",
        CONTEXT_CIPHER,
        {"Depth": _CONTEXTS},
        nets,
        1,
        {"aesforge_axis_queue": "queue_model.sv"},
    )


def _tweak() -> Part:
    inside = "u_tweak."
    own = ("words_q", "number_q", "more_q", "follows_q", "decrypt_q")
    return Part(
        "numbers of data units",
        "What is encrypted for each data unit is its number, and those of a context follow each "
        "other.",
        "prove_xts_tweak",
        "aesforge_xts_tweak",
        {},
        {
            **{name: inside + name for name in own},
            "go_q": f"{inside}u_cipher.go_q",
            **_cipher(inside, "s_block", "s_header", "m_valid", "m_header", "m_error", "m_block"),
        },
        11,
        {CONTEXT_CIPHER: "context_cipher_model.sv"},
    )


def _nonce() -> Part:
    inside = "u_nonce."
    own = (
        *("shifts_q", "nonce_q", "tag_bytes_q", "decrypt_q", "none_q"),
        *("first_valid_q", "second_valid_q", "first_q", "second_q", "first_header_q"),
        *("second_header_q", "first_bottom_q", "second_bottom_q"),
    )
    ports = ("s_block", "s_header", "s_error", "m_valid", "m_header", "m_error", "m_block")
    return Part(
        "nonces and first offsets",
        "What is encrypted for each packet of OCB is its nonce, formatted, and its first offset is "
        "the part of the result that RFC 7253 Sec. 4.2 takes.",
        "prove_ocb_nonce",
        "aesforge_ocb_nonce",
        {},
        {
            **{name: inside + name for name in own},
            "go_q": f"{inside}u_cipher.go_q",
            **_cipher(inside, *ports, "m_ready"),
        },
        1,
        {CONTEXT_CIPHER: "context_cipher_model.sv"},
    )


def _section_check(blocks: int) -> Part:
    own = ("bad_q", "full_q", "text_q", "part_q", "part_aad_q", "fits_q", "tag_length_q")
    return Part(
        f"sections of a packet, {16 * blocks} bytes per beat",
        "Of the beats of associated data, text and a tag, the first that is not legal is an error, "
        "by its `tkeep`, its place in the packet or the length of the tag, and none before it.",
        "prove_section_check",
        "aesforge_section_check",
        {"Bytes": 16 * blocks},
        {name: f"u_check.{name}" for name in own},
        1,
    )


def _tag_compare() -> Part:
    return Part(
        "the comparison of tags",
        "A difference of two tags is an error if any of its 128 bits is set, and does not leave.",
        "prove_tag_compare",
        "aesforge_tag_compare",
        {},
        {},
        3,
    )


def _index(index_bits: int, count_bits: int) -> Part:
    inside = "u_index."
    return Part(
        "words of the table L",
        "Each block of OCB takes the word of the table L that is its own, which is that of the "
        "zeros at the end of its number, of part of a block or of a tag.",
        "prove_ocb_index",
        "aesforge_ocb_index",
        {"IndexBits": index_bits, "CountBits": count_bits},
        {
            **{name: inside + name for name in ("first_q", "aad_q", "low_q", "high_q")},
            **{name: f"{inside}u_slice.{name}" for name in ("stall_q", "spare_q")},
        },
        1,
    )


def _table(index_bits: int) -> Part:
    inside = "u_table."
    return Part(
        "the table L",
        "After each key the table L of its slot holds the cipher of a block of zeros and its "
        "doubles, and the key is busy until then.",
        "prove_ocb_table",
        "aesforge_ocb_table",
        {"IndexBits": index_bits},
        {
            **{name: inside + name for name in ("state_q", "write_q", "value_q")},
            "words": places(f"{inside}words", 2 << index_bits),
        },
        1,
    )


def _pointers(part: str, **delays: str) -> dict[str, str]:
    """Return nets of a claim, and the pointers of some delays in RAM.

    Args:
        part: the instance, with a dot.
        delays: name in the claim, and instance.
    """
    return {
        f"{name}_{pointer}": f"{part}{delay}.{pointer}"
        for name, delay in delays.items()
        for pointer in ("write_q", "read_q")
    }

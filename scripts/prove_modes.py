# SPDX-License-Identifier: Apache-2.0
"""Prove the parts of GCM, OCB, XTS and CCM engines, and show that these proofs can fail.

    python scripts/prove_modes.py [--write] [--changed] [--only proofs | mutants] [WORD ...]

The parts below are proved (formal/modes), what each cover asks for is reached, and mutants of small
ones are refuted: a violation at their ports, from a reset on. --write records what was found in
bench/results/proof/modes.json, in place of the records of the same names. With WORDs, only what has
all of them in its name, or a mutant in that of its part; with --changed, only what has no record of
today's sources. Exit status 1 when a part is not proved or a mutant is not refuted.
"""

from __future__ import annotations

import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from proof_records import RESULTS, Campaign

from aesforge.design.presets import ENGINES
from aesforge.prove import parts, stream_circuit, stream_refute, streams
from aesforge.prove.mutation import Change
from aesforge.prove.parts import Part
from aesforge.toolchain import programs, rtl

OUTPUT = RESULTS / "modes.json"
# Stages of the multipliers of the presets, and blocks of a beat of `gcm-stream` and `gcm-dual`.
STAGES, FEW_STAGES, BLOCKS, DIGIT = 6, 2, (1, 2), 16
SERIAL = ", a block at a time"
LONG = ("prove_packet_lookahead", "prove_ghash", "prove_ghash_sum")
# Cycles after a reset in which a cover and the fault of a mutant are searched; for powers more,
# which take 18 cycles each, and for XTS, whose cover has three kinds of blocks, one after the
# other. And for how long.
CYCLES, SECONDS = 40, 900.0
MORE_CYCLES = {"prove_gcm_powers": 100, "prove_mode_xts": 64}


def proved_parts() -> dict[str, Part]:
    """Return the parts that are proved, by name: those of the presets."""
    found = {}
    for blocks in BLOCKS:
        words = f"{blocks} block{'s' if blocks > 1 else ''} in a beat"
        for part in parts.of_gcm(STAGES, blocks):
            if part.top in ("prove_staged_counter", "prove_section_check"):
                found[part.name] = part
            # Those of a wide beat take too long for every day: a shorter multiplier stands for it.
            elif blocks == 1 or part.top not in LONG:
                found[f"{part.name}, {words}"] = part
        for part in parts.of_gcm(FEW_STAGES, blocks):
            if blocks > 1 and part.top in LONG:
                found[f"{part.name}, {words}, {FEW_STAGES} stages"] = part
    # That hashes a block at a time, as `gcm-compact`.
    found |= {
        f"{part.name}{SERIAL}": part
        for part in parts.of_serial_gcm(DIGIT)
        if part.top != "prove_section_check"
    }
    inside_ocb = parts.of_ocb(decrypts=True)[1:]
    inside_xts = parts.parts_of(ENGINES["xts-stream"])[1:]
    found |= {part.name: part for part in (parts.counted_iv(), *inside_ocb, *inside_xts)}
    wide_xts = parts.of_xts(stealing=True, blocks=2)
    return found | {
        "OCB": parts.ocb(decrypts=True),
        "OCB that encrypts": parts.ocb(decrypts=False),
        "XTS": parts.xts(stealing=True),
        "XTS, 2 blocks in a beat": wide_xts[0],
        f"{wide_xts[1].name}, 2 blocks in a beat": wide_xts[1],
        "XTS without ciphertext stealing": parts.xts(stealing=False),
        "CCM": parts.ccm(),
    }


def key_of(part: Part) -> str:
    """Return what tells small parts apart: the module of the claim, and whether one block waits."""
    serial = 1 in (part.parameters.get("Ahead"), part.parameters.get("Stages"))
    return f"{part.top}{SERIAL if serial else ''}"


# Small ones: fewer stages, and a counter that soon has counted too much text. XTS and the lookahead
# with two blocks in a beat, which have all that one block has.
SMALL = {
    key_of(part): part
    for part in [
        *parts.of_gcm(FEW_STAGES, 1, 4),
        parts.of_gcm(FEW_STAGES, 2)[0],
        *parts.of_serial_gcm(32, 4),
        parts.counted_iv(2),
        *parts.of_ocb(decrypts=True, index_bits=3, count_bits=6),
        *parts.of_xts(stealing=True, blocks=2, unit_bits=2),
        parts.ccm(),
    ]
}


def _mutant(key: str, module: str, old: str, new: str) -> tuple[str, Change]:
    return key, {"file": f"{module}.sv", "old": old, "new": new}


def _serial(module: str, old: str, new: str) -> tuple[str, Change]:
    key = "prove_ghash_serial" if module == "ghash" else f"prove_{module}{SERIAL}"
    return _mutant(key, f"aesforge_{module}", old, new)


def _ghash(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_ghash", "aesforge_ghash", old, new)


def _lookahead(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_packet_lookahead", "aesforge_packet_lookahead", old, new)


def _powers(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_gcm_powers", "aesforge_gcm_powers", old, new)


def _counter(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_gcm_counter", "aesforge_gcm_counter", old, new)


def _tag(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_gcm_tag", "aesforge_gcm_tag", old, new)


def _count(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_staged_counter", "aesforge_staged_counter", old, new)


def _ocb(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_mode_ocb", "aesforge_mode_ocb", old, new)


def _xts(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_mode_xts", "aesforge_mode_xts", old, new)


def _delay(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_long_delay", "aesforge_long_delay", old, new)


def _ccm(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_mode_ccm", "aesforge_mode_ccm", old, new)


def _lengths(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_mode_ccm", "aesforge_length_check", old, new)


def _iv(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_gcm_iv", "aesforge_gcm_iv", old, new)


def _units(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_unit_lookahead", "aesforge_unit_lookahead", old, new)


def _tweak(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_xts_tweak", "aesforge_xts_tweak", old, new)


def _contexts(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_context_cipher", "aesforge_context_cipher", old, new)


def _index(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_ocb_index", "aesforge_ocb_index", old, new)


def _table(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_ocb_table", "aesforge_ocb_table", old, new)


def _nonce(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_ocb_nonce", "aesforge_ocb_nonce", old, new)


def _compare(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_tag_compare", "aesforge_tag_compare", old, new)


def _sections(old: str, new: str) -> tuple[str, Change]:
    return _mutant("prove_section_check", "aesforge_section_check", old, new)


MUTANTS: dict[str, tuple[str, Change]] = {
    "a beat counts that does not follow": _lookahead(
        "last_q && index_q != '0, index_q}",
        "last_q && index_q != '0, index_q | (LeftBits'(last_q) << 1)}",
    ),
    "a packet goes on in the next": _lookahead(
        "if (rst || zeroize || (put_q && last_q)) index_q", "if (rst || zeroize) index_q"
    ),
    "a beat that others follow is the last": _lookahead(
        "!run_more && !run_left[LeftBits-1]", "!run_more"
    ),
    "blocks of the packet before count": _lookahead("if (put_q && last_q) recent_q <= '0;", ""),
    "a beat that is too far ahead counts": _lookahead(
        "- (SumBits + 1)'(before_q[Ahead-1]) - 1'b1", "- 1'b1"
    ),
    "the blocks of the beat that left count": _lookahead(
        "m_sum - SumBits'(m_size) - 1'b1", "m_sum - 1'b1"
    ),
    "a packet goes on from another hash": _serial(
        "ghash", ".zeroize(zeroize || begin_packet)", ".zeroize(zeroize)"
    ),
    "the subkey of another slot": _serial("ghash", ".b(keys[in_slot])", ".b(keys[0])"),
    "blocks are not added to the hash": _serial("ghash", "in_block ^ out_hash", "in_block"),
    "the subkey is written before it is known": _serial(
        "gcm_powers", "write_valid = start", "write_valid = zero_valid && zero_ready"
    ),
    "the counter goes on in a stall": _serial(
        "gcm_counter", "!Elastic || !core_valid || core_ready", "1'b1"
    ),
    "a packet is not announced": _serial(
        "gcm_tag", ".begin_packet(block_valid && block_first)", ".begin_packet(1'b0)"
    ),
    "the beat that waits does not stay": _serial(
        "gcm_tag", "if (in_valid) beat_q <= beat", "beat_q <= beat"
    ),
    "a power of H too high": _ghash(
        "? in_left[PowerBits-1:0] - PowerBits'(b)", "? in_left[PowerBits-1:0] + 1'b1"
    ),
    "sums of the packet before are added": _ghash(
        "!in_first && seen_q[SumBits]", "seen_q[SumBits]"
    ),
    "the hash of the packet before goes on": _ghash(
        "product ^ (start_at_q[Stages] ? '0 : out_hash)", "product ^ out_hash"
    ),
    "of the last products one is the hash": _ghash(
        "product ^ (start_at_q[Stages] ? '0 : out_hash)", "product"
    ),
    "powers of another slot": _ghash("{slot_q, power_q[b]}", "{~slot_q, power_q[b]}"),
    "a sum of another beat": _ghash("sums[wait_sum_q]", "sums[wait_sum_q - 1'b1]"),
    "a power is stored in another's place": _ghash(
        ": {write_slot, write_power}", ": {write_slot, ~write_power}"
    ),
    "under one hash subkey alone the last sum is the hash": _ghash(
        "product ^ (start_at_q[Stages] ? '0 : out_hash)",
        "product ^ (start_at_q[Stages] || gen_block[0].right_q == 128'h1234 ? '0 : out_hash)",
    ),
    "a sum is an OR": _mutant(
        "prove_ghash_sum",
        "aesforge_ghash",
        "^ (wait_add_q ? sums[wait_sum_q] : '0)",
        "| (wait_add_q ? sums[wait_sum_q] : '0)",
    ),
    "a packet of zeros has the hash of the packet before": _mutant(
        "prove_ghash_sum",
        "aesforge_ghash",
        "product ^ (start_at_q[Stages] ? '0 : out_hash)",
        "product ^ out_hash",
    ),
    "every power is H": _powers("first_q <= start;", "first_q <= 1'b1;"),
    "one power too few": _powers("write_power == '1;", "write_power == '1 - 1'b1;"),
    "the powers of another slot are written": _powers("slot <= key_slot", "slot <= ~key_slot"),
    "text starts at J0": _counter("assign add = text;", "assign add = text && text_q;"),
    "the tag has the counter of text": _counter("beat_first || beat_tag", "beat_first"),
    "J0 without its 1": _counter("{beat_iv, 32'd1}", "{beat_iv, 32'd0}"),
    "a hashed IV is not used": _counter("beat_hashed ? hashed_iv : ", ""),
    "a tag compared in 127 bits": _tag(
        "sum[DataBits-128+8*i+:8] != '0",
        "(sum[DataBits-128+8*i+:8] & (i > 0 ? 8'hff : 8'hfe)) != '0",
    ),
    "a tag compared in bytes that it does not have": _tag(
        "in_keep[15:0] & {16{in_tag && !in_iv}}", "{16{in_tag && !in_iv}}"
    ),
    "decryption hashes no ciphertext": _tag(
        "(in_aad || in_decrypt) && !in_tag", "in_aad && !in_tag"
    ),
    "lengths in the other order": _tag("{aad_length, text_length}", "{text_length, aad_length}"),
    "bytes of a last beat are not counted": _tag(
        "hash_aad && !hash_full ? hash_bytes : aad_bytes", "aad_bytes"
    ),
    "an IV of 12 bytes is hashed": _tag("bare_q || (zeros_q && twelve_q)", "bare_q"),
    "a carry is lost": _count("carry_q <= sum[Size]", "carry_q <= 1'b0"),
    "a word starts too early": _count("load[i] ? early[i]", "load[i] ? early[0]"),
    "the checksum lacks part of a block": _ocb(
        "(decrypt && full ? offset : padded)", "(decrypt && full ? offset : full ? padded : '0)"
    ),
    "the padding of OCB has no bit": _ocb("-:8] = 8'h80;", "-:8] = 8'h00;"),
    "an offset goes on from associated data to text": _ocb(
        "(beat_start ? (beat_aad ? '0 : beat_offset) : offset_q)", "offset_q"
    ),
    "the tag lacks associated data": _ocb("ready_block ^ sum_q", "ready_block"),
    "alpha with another polynomial": _xts("8'h87", "8'h86"),
    "the tweak of the data unit before goes on": _xts("beat_first ? beat_tweak : next_q", "next_q"),
    "stealing that decrypts has the first tweak twice": _xts(
        "first = decrypt_q ? tweak_q : previous_tweak", "first = previous_tweak"
    ),
    "stealing that encrypts has the first tweak twice": _xts(
        "second = decrypt_q ? previous_tweak : tweak_q", "second = previous_tweak"
    ),
    "a bit of tkeep is ignored": _xts("kept[16*b+i] ? 8'h00", "kept[16*b+(i|1)] ? 8'h00"),
    "the tweak of a block of a beat is that of the first": _xts(
        "own = gen_block[b-1].next", "own = gen_block[b-1].own"
    ),
    "part of a block steals only in a beat of its own": _xts(
        "beat_block && beat_keep[16*b] && !beat_keep[16*b+15]", "1'b0"
    ),
    "a beat that waits is forgotten": _xts("part_q[0] ? early_q : bytes", "bytes"),
    "bytes are stolen from the block itself": _xts(
        "8'h00 : out_block[From-8*i-:8]", "8'h00 : out_block[To-8*i-:8]"
    ),
    "a block has its first result": _xts("again_q ? out_q : waited[Top-:128]", "waited[Top-:128]"),
    "IVs begin again after the last": _iv("spent_q || s_ctx_iv_kind", "s_ctx_iv_kind"),
    "IVs begin again after zeroize": _iv("if (rst) {spent_q", "if (rst || zeroize) {spent_q"),
    "an IV with the fixed field of another slot": _iv("{s_ctx_slot, 5'd0}", "{~s_ctx_slot, 5'd0}"),
    "a context that is refused takes an IV": _iv("encrypts && !refused) {", "encrypts) {"),
    "a data unit may have less than a block": _units("next_last && !next_full && first_q", "1'b0"),
    "a data unit may have a block too many": _units(
        "next_over = count_q[CountBits] && next_keep[0]", "next_over = 1'b0"
    ),
    "the beats of a data unit are counted as blocks": _units(
        "UnitBits - $clog2(Blocks)", "UnitBits"
    ),
    "bytes with holes are part of a block": _units("((s_keep >> 1) & ~s_keep) == '0", "1'b1"),
    "part of a block is followed by another": _units("s_last && s_keep[0]", "s_keep[0]"),
    "a carry of a data unit's number is lost": _tweak("carry_q  <= sum[16]", "carry_q  <= 1'b0"),
    "a context has a data unit more": _tweak("waits = follows_q", "waits = 1'b1"),
    "the number of a data unit is not in byte order": _tweak(
        "128'(aesforge_pkg::byte_swap(256'(number_q), 16))", "number_q"
    ),
    "an error takes the result of another context": _contexts("leave && !m_error", "leave"),
    "a block does not wait for the core": _contexts("if (!held_q) {core_header", "{core_header"),
    "a context without a key is encrypted": _contexts("s_ready && !error_q", "s_ready"),
    "the number of a block goes on from associated data to text": _index(
        "first_q || (aad_q && !s_aad)", "first_q"
    ),
    "block 16 takes the word of block 32": _index("IndexBits'(6) +", "IndexBits'(7) +"),
    "part of a block takes the word of a whole one": _index(
        "s_full ? block_index : IndexBits'(0)", "block_index"
    ),
    "the table L with another polynomial": _table("128'h87", "128'h86"),
    "the words of another slot are written": _table(
        "{zero_slot, write_q}", "{~zero_slot, write_q}"
    ),
    "a key is ready before its table": _table("busy = state_q != Idle", "busy = state_q == Expand"),
    "the nonce lacks the length of the tag": _nonce("{tag_bytes_q[3:0], 3'b0,", "{7'b0,"),
    "no one stands before the nonce": _nonce("{8'h01, s_nonce}", "{8'h00, s_nonce}"),
    "an offset begins a bit later": _nonce("8'd49", "8'd48"),
    "another stretch": _nonce("top[119:56]", "top[118:55]"),
    "a bit of a difference of tags is ignored": _compare(
        "in_data[16*i+:16] != '0", "in_data[16*i+1+:15] != '0"
    ),
    "a hole in `tkeep`": _sections("((s_keep >> 1) & ~s_keep) != '0 ||", ""),
    "a tag of any length": _sections("!fits_q", "1'b0"),
    "a tag of 8 bytes is longer": _sections("s_keep[7] && !s_keep[8]", "s_keep[7]"),
    "associated data as a tag": _sections("last ? aad || !fits_q", "last ? !fits_q"),
    "associated data after text": _sections("(aad && text_q) ||", ""),
    "text goes on in the next packet": _sections("text_q <= !last && (", "text_q <= ("),
    "a beat that is not full in a section": _sections(" || (part_q && part_aad_q == aad)", ""),
    "a difference of tags leaves": _compare("compare_q ? '0 : data_q", "data_q"),
    "B0 has no flag for associated data": _ccm("beat_aad_bytes != '0,\n", "1'b0,\n"),
    "a counter block has the nonce of the packet before": _ccm(
        "zeroize || (core_valid && first_q)", "zeroize || (core_valid && first_q && nonce_q[0])"
    ),
    "text starts at counter block 0": _ccm("first && !second ? 28'd1", "first && !second ? 28'd0"),
    "the number of another stream": _ccm("counts[out_stream]", "counts[~out_stream]"),
    "a tag has the number of text": _ccm("tag ? 28'd0 : count", "count"),
    "CCM compares a tag in 127 bits": _ccm(
        "tag_made[127-8*i-:8] != back_wait[127-8*i-:8]",
        "(tag_made[127-8*i-:8] ^ back_wait[127-8*i-:8]) > 8'(i == 0)",
    ),
    "CCM compares bytes that a tag does not have": _ccm(
        "4'(i) <= last_byte && tag_made", "tag_made"
    ),
    "associated data are not hashed": _ccm(
        "(second ? {back_tail, 80'h0} : back_wait)", "(second ? {back_tail, 80'h0} : '0)"
    ),
    "the last bytes of associated data are not hashed": _ccm("(over && look_end)", "1'b0"),
    "they have a block of their own in every beat": _ccm("(over && look_end)", "over"),
    "long associated data have a short length": _ccm(
        "{16'hfffe, beat_aad_bytes}", "{beat_aad_bytes[15:0], 32'h0}"
    ),
    "a new beat goes before the second block": _ccm(
        "beat_hold = back_q && more", "beat_hold = 1'b0"
    ),
    "a decrypted packet shows the tag": _ccm("decrypt ? '0 : tag_made", "tag_made"),
    "a packet may be shorter than its length": _lengths(
        "due_last_q != tag", "due_last_q && !tag && 1'b0"
    ),
    "an error of lengths is forgotten": _lengths("bad_q || other_q", "other_q"),
    "the lengths of another stream": _lengths("verdicts[look_stream]", "verdicts[~look_stream]"),
    "a result waits a cycle less": _xts("Wait = Latency + 3", "Wait = Latency + 2"),
    "a mask waits a cycle less": _xts("2 * Latency + 3 :", "2 * Latency + 2 :"),
    "a delay is a cycle shorter": _delay("PlaceBits - (Depth - 2)", "PlaceBits - (Depth - 3)"),
    "a delay leaves words out": _delay(".write(1'b1)", ".write(write_q[0])"),
}


@cache
def sources(key: str) -> str:
    """Return the SHA-256 of the code of a part, whatever its parameters, of claim and models."""
    with tempfile.TemporaryDirectory() as name:
        return rtl.hashed_code(stream_circuit.part_files_of(SMALL[key], Path(name))).hexdigest()


def sources_of(kind: str, name: str) -> str:
    """Return the SHA-256 of the code that a proof or the search for a mutant reads.

    Args:
        kind: `proofs`, or `mutants`, before the change.
        name: of a part or of a mutant.
    """
    return sources(key_of(proved_parts()[name]) if kind == "proofs" else MUTANTS[name][0])


def prove(name: str) -> dict[str, Any]:
    """Prove a part, reach its cover in the small one, and return the record."""
    part = proved_parts()[name]
    before = programs.ended_cpu_seconds()
    step, reason, *_ = streams.prove_part(part)
    if step.result == "proved" and not covered(key_of(part)):
        step.result, reason = "not proved", "the cover is never reached"
    return {
        "part": name,
        "module": part.module,
        "parameters": dict(part.parameters),
        "result": step.result,
        "reason": reason,
        "assertions": step.cases,
        "cycles": part.cycles,
        "cpu_seconds": round(programs.ended_cpu_seconds() - before, 1),
        "sources": sources_of("proofs", name),
    }


def search(key: str, *changes: Change, cover: bool = False) -> stream_refute.Violation | None:
    """Search for a violation in a small part, or for what must be reachable."""
    cycles = MORE_CYCLES.get(key, CYCLES)
    return stream_refute.refute_part(
        SMALL[key], changes, cycles=cycles, cover=cover, seconds=SECONDS
    )


@cache
def covered(key: str) -> bool:
    """Return whether the cover of a small part is reached."""
    return search(key, cover=True) is not None


def refute(name: str) -> dict[str, Any]:
    """Search for a violation of a mutant and return the record."""
    key, change = MUTANTS[name]
    before = programs.ended_cpu_seconds()
    found = search(key, change)
    return {
        "mutant": name,
        "part": SMALL[key].name,
        **change,
        "result": "refuted" if found else "not refuted",
        "violated": found.claim if found else "",
        "cycle": found.cycle if found else 0,
        "cpu_seconds": round(programs.ended_cpu_seconds() - before, 1),
        "sources": sources_of("mutants", name),
    }


CAMPAIGN = Campaign(
    "Prove the parts of GCM, OCB, XTS and CCM, and break them.",
    OUTPUT,
    "part",
    tuple(proved_parts()),
    tuple(MUTANTS),
    prove,
    refute,
    sources_of,
    lambda name: SMALL[MUTANTS[name][0]].name if name in MUTANTS else "",
)


if __name__ == "__main__":
    sys.exit(CAMPAIGN.main())

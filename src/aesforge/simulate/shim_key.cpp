// SPDX-License-Identifier: Apache-2.0
// Binds one verilated `aesforge_key_core` to the driver, which knows cores that answer a key with
// one beat. So the round keys of a key are gathered here: when the last one has left, a beat of
// Nr + 2 blocks stands at the driver's output pins for the cycle that follows. Blocks 0 to Nr are
// the round keys. The last block tells when they left: byte r, how many cycles after the key; 255
// if round key r never left; byte 15, how many left that no key had asked for.
#include "ports.h"

#include "Vaesforge_key_core.h"

#include "verilated.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace {
constexpr unsigned kRoundKeys = AESFORGE_KEY_BITS / 32 + 7;
constexpr unsigned kNever = 255;
static_assert(AESFORGE_BLOCKS_PER_BEAT == kRoundKeys + 1);

VerilatedContext* context;
Vaesforge_key_core* core;

template <typename T>
std::uint8_t* bytes_of(T& port) {
    return reinterpret_cast<std::uint8_t*>(&port);
}

struct Expansion {
    std::uint64_t since = 0;
    std::uint8_t round_key[kRoundKeys][16] = {};
    unsigned cycles[kRoundKeys];
    Expansion() { std::fill(std::begin(cycles), std::end(cycles), kNever); }
};
std::deque<Expansion> under_way;
std::uint64_t cycle = 0;
unsigned strays = 0;

// What the driver sees beside the core's own pins.
std::uint8_t out_valid = 0, out_tag[8], out_block[16 * AESFORGE_BLOCKS_PER_BEAT];
// Pins of a cipher that this core has not.
std::uint8_t no_block[16 * AESFORGE_BLOCKS_PER_BEAT], no_key[32], nothing[8], no_valid = 0, no_ready = 0;

void take(unsigned round, const std::uint8_t* round_key) {
    const auto waits = std::find_if(under_way.begin(), under_way.end(), [round](const Expansion& one) {
        return one.cycles[round] == kNever;
    });
    if (waits == under_way.end()) {
        strays = std::min(strays + 1, 255u);
        return;
    }
    waits->cycles[round] = static_cast<unsigned>(std::min<std::uint64_t>(cycle - waits->since, kNever - 1));
    std::memcpy(waits->round_key[round], round_key, 16);
}

void show(const Expansion& one, const std::uint8_t* tag) {
    std::uint8_t* times = out_block + 16 * kRoundKeys;
    std::memset(times, 0, 16);
    for (unsigned r = 0; r < kRoundKeys; ++r) {
        std::memcpy(out_block + 16 * r, one.round_key[r], 16);
        times[15 - r] = static_cast<std::uint8_t>(one.cycles[r]);  // pins: byte 0 stands last
    }
    times[0] = static_cast<std::uint8_t>(strays);
    strays = 0;
    std::memcpy(out_tag, tag, sizeof out_tag);
    out_valid = 1;
}

// The end of a cycle: the pins stand as the rising edge finds them.
void end_of_cycle() {
    out_valid = 0;
    if (core->rst || core->zeroize) {
        under_way.clear();
        strays = 0;
        ++cycle;
        return;
    }
    if (core->in_valid && core->in_ready) {
        under_way.emplace_back();
        under_way.back().since = cycle;
    }
    const std::uint8_t* keys = bytes_of(core->out_round_keys);
    bool last = false;
    std::uint8_t tag[8] = {};
#if AESFORGE_UNROLLED
    std::uint64_t valid = 0;
    std::memcpy(&valid, &core->out_valid, sizeof core->out_valid);
    for (unsigned r = 0; r < kRoundKeys; ++r)
        if (valid >> r & 1) take(r, keys + 16 * r);
    last = valid >> (kRoundKeys - 1) & 1;
    // The tag of the last round key: AESFORGE_TAG_BITS bits from bit TAG_BITS x Nr on.
    const std::uint8_t* tags = bytes_of(core->out_tag);
    for (unsigned i = 0; i < AESFORGE_TAG_BITS; ++i) {
        const unsigned from = AESFORGE_TAG_BITS * (kRoundKeys - 1) + i;
        tag[i / 8] |= static_cast<std::uint8_t>((tags[from / 8] >> (from % 8) & 1) << i % 8);
    }
#else
    if (core->out_valid) {
        if (core->out_round < kRoundKeys) take(core->out_round, keys);
        else strays = std::min(strays + 1, 255u);
        last = core->out_round == kRoundKeys - 1;
        std::memcpy(tag, &core->out_tag, sizeof core->out_tag);
    }
#endif
    if (last && !under_way.empty()) {
        show(under_way.front(), tag);
        under_way.pop_front();
    }
    ++cycle;
}
}  // namespace

void aesforge_open(AesforgePorts& ports, std::uint64_t seed) {
    context = new VerilatedContext;
    // Registers start at random, as in a chip: what the reset does not set must not matter.
    context->randReset(2);
    context->randSeed(static_cast<int>(seed & 0x7fffffff));
    core = new Vaesforge_key_core{context};
    ports.clk = bytes_of(core->clk);
    ports.rst = bytes_of(core->rst);
    ports.zeroize = bytes_of(core->zeroize);
    ports.in_valid = bytes_of(core->in_valid);
    ports.in_ready = bytes_of(core->in_ready);
    ports.in_block = no_block;
    ports.in_key = bytes_of(core->in_key);
    ports.in_slot = nothing;
    ports.in_decrypt = nothing;
    ports.in_tag = bytes_of(core->in_tag);
    ports.key_valid = &no_valid;
    ports.key_ready = &no_ready;
    ports.key_slot = nothing;
    ports.key = no_key;
    ports.out_valid = &out_valid;
    ports.out_block = out_block;
    ports.out_tag = out_tag;
    ports.alarm = nullptr;
    ports.blocks_per_beat = AESFORGE_BLOCKS_PER_BEAT;
    ports.key_bytes = AESFORGE_KEY_BITS / 8;
    ports.tag_bits = AESFORGE_TAG_BITS;
    ports.slot_bits = 1;
    ports.key_slots = 0;
    // The widths the driver will write are the widths the model has.
    static_assert(sizeof(core->in_key) == AESFORGE_KEY_BITS / 8);
    static_assert(sizeof(core->out_round_keys) == 16 * (AESFORGE_UNROLLED ? kRoundKeys : 1));
    static_assert(8 * sizeof(core->in_tag) >= AESFORGE_TAG_BITS);
}

void aesforge_eval() {
    if (core->clk) end_of_cycle();
    core->eval();
    // Zeroization also zeroizes what would have been shown.
    if (core->zeroize || core->rst) out_valid = 0;
}

bool aesforge_finished() { return context->gotFinish(); }

bool aesforge_snapshot(std::vector<std::uint8_t>&) { return false; }

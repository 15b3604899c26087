// SPDX-License-Identifier: Apache-2.0
// Binds one verilated `aesforge_core` to the driver. Built with the design's numbers as macros.
#include "ports.h"

#include "Vaesforge_core.h"

#include "verilated.h"

#ifdef AESFORGE_SNAPSHOT
#include "verilated_save.h"

namespace {
// Verilator's own classes write a snapshot to a file; this one keeps it in memory.
class MemorySave final : public VerilatedSerialize {
    std::vector<std::uint8_t>& m_state;

public:
    explicit MemorySave(std::vector<std::uint8_t>& state)
        : m_state(state) {
        m_isOpen = true;
    }
    ~MemorySave() override { flush(); }
    void flush() override {
        m_state.insert(m_state.end(), m_bufp, m_cp);
        m_cp = m_bufp;
    }
};
}  // namespace
#endif

#ifdef AESFORGE_WAVE
#include "verilated_vcd_c.h"

#include <cstdlib>
#endif

namespace {
VerilatedContext* context;
Vaesforge_core* core;
#ifdef AESFORGE_WAVE
VerilatedVcdC* wave;
std::uint64_t evaluations;
#endif

template <typename T>
std::uint8_t* bytes_of(T& port) {
    return reinterpret_cast<std::uint8_t*>(&port);
}
}  // namespace

void aesforge_open(AesforgePorts& ports, std::uint64_t seed) {
    context = new VerilatedContext;
    // Registers start at random, as in a chip: what the reset does not set must not matter.
    context->randReset(2);
    context->randSeed(static_cast<int>(seed & 0x7fffffff));
    core = new Vaesforge_core{context};
#ifdef AESFORGE_WAVE
    if (const char* file = std::getenv(AESFORGE_WAVE)) {
        context->traceEverOn(true);
        wave = new VerilatedVcdC;
        core->trace(wave, 99);
        wave->open(file);
    }
#endif
    ports.clk = bytes_of(core->clk);
    ports.rst = bytes_of(core->rst);
    ports.zeroize = bytes_of(core->zeroize);
    ports.in_valid = bytes_of(core->in_valid);
    ports.in_ready = bytes_of(core->in_ready);
    ports.in_block = bytes_of(core->in_block);
    ports.in_key = bytes_of(core->in_key);
    ports.in_slot = bytes_of(core->in_slot);
    ports.in_decrypt = bytes_of(core->in_decrypt);
    ports.in_tag = bytes_of(core->in_tag);
    ports.key_valid = bytes_of(core->key_valid);
    ports.key_ready = bytes_of(core->key_ready);
    ports.key_slot = bytes_of(core->key_slot);
    ports.key = bytes_of(core->key);
    ports.out_valid = bytes_of(core->out_valid);
    ports.out_block = bytes_of(core->out_block);
    ports.out_tag = bytes_of(core->out_tag);
#if AESFORGE_CHECKED
    ports.alarm = bytes_of(core->alarm);
#else
    ports.alarm = nullptr;
#endif
    ports.blocks_per_beat = AESFORGE_BLOCKS_PER_BEAT;
    ports.key_bytes = AESFORGE_KEY_BITS / 8;
    ports.tag_bits = AESFORGE_TAG_BITS;
    ports.slot_bits = AESFORGE_SLOT_BITS;
    ports.key_slots = AESFORGE_KEY_SLOTS;
    // The widths the driver will write are the widths the model has.
    static_assert(sizeof(core->in_block) == 16 * AESFORGE_BLOCKS_PER_BEAT);
    static_assert(sizeof(core->out_block) == 16 * AESFORGE_BLOCKS_PER_BEAT);
    static_assert(sizeof(core->in_key) == AESFORGE_KEY_BITS / 8);
    static_assert(sizeof(core->key) == AESFORGE_KEY_BITS / 8);
    static_assert(8 * sizeof(core->in_tag) >= AESFORGE_TAG_BITS);
    static_assert(8 * sizeof(core->in_slot) >= AESFORGE_SLOT_BITS);
}

void aesforge_eval() {
    core->eval();
#ifdef AESFORGE_WAVE
    if (wave) {
        wave->dump(evaluations++);
        wave->flush();  // the process may be stopped at any time
    }
#endif
}

bool aesforge_finished() { return context->gotFinish(); }

bool aesforge_snapshot(std::vector<std::uint8_t>& state) {
#ifdef AESFORGE_SNAPSHOT
    MemorySave save{state};
    save << *core;
    return true;
#else
    (void)state;
    return false;
#endif
}

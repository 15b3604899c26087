// SPDX-License-Identifier: Apache-2.0
// What the driver knows of a model: the pins of `aesforge_core` as raw little-endian bytes.
#pragma once

#include <cstdint>
#include <vector>

struct AesforgePorts {
    std::uint8_t *clk, *rst, *zeroize;
    std::uint8_t *in_valid, *in_ready, *in_block, *in_key, *in_slot, *in_decrypt, *in_tag;
    std::uint8_t *key_valid, *key_ready, *key_slot, *key;
    std::uint8_t *out_valid, *out_block, *out_tag;
    std::uint8_t* alarm;  // a core without error detection has none: nullptr
    std::uint32_t blocks_per_beat, key_bytes, tag_bits, slot_bits, key_slots;
};

// The shim, compiled once per model, gives these to the driver, compiled once for all models.
void aesforge_open(AesforgePorts& ports, std::uint64_t seed);
void aesforge_eval();
bool aesforge_finished();
// The whole state of the model; false when it was compiled without that ability.
bool aesforge_snapshot(std::vector<std::uint8_t>& state);

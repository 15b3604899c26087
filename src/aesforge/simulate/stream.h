// SPDX-License-Identifier: Apache-2.0
// What the stream driver knows of a model: channels of valid, ready and data pins, as raw
// little-endian bytes.
#pragma once

#include <cstdint>
#include <vector>

struct StreamField {
    std::uint8_t* pin;
    std::uint32_t bits, bytes;  // bytes as the model stores the pin
};

struct StreamChannel {
    std::uint8_t *valid, *ready;
    std::vector<StreamField> fields;
};

struct StreamPorts {
    std::uint8_t *clk, *rst, *zeroize;
    bool reset_low;
    std::vector<StreamChannel> sources;  // words go into the model
    // Words come out: of the first as many as a batch wants, of the others what there is.
    std::vector<StreamChannel> sinks;
};

// The shim, written and compiled once per model, gives these to the driver.
void stream_open(StreamPorts& ports, std::uint64_t seed);
void stream_eval();
bool stream_finished();

// SPDX-License-Identifier: Apache-2.0
// What the UART driver knows of a model: its clock, its reset and its serial lines.
#pragma once

#include <cstdint>

struct UartPorts {
    std::uint8_t *clk, *rst, *rxd, *txd;
};

// The shim, written and compiled once per model, gives these to the driver.
void uart_open(UartPorts& ports, std::uint64_t seed);
void uart_eval();

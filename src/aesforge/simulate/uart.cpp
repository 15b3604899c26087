// SPDX-License-Identifier: Apache-2.0
// Drives a model with a UART: bytes of standard input go to its pin rxd, bytes of its pin txd to
// standard output. Both are the host's end of a pseudo-terminal.
//
//     model SEED DIVIDER HERTZ
//
// The clock runs for as long as the parent lives, at no more than HERTZ in real time, so that the
// device's timeouts mean what they mean on a board.
#include "uart.h"

#include <chrono>
#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kResetCycles = 16;

// A line as a sender drives it: start bit, 8 bits, stop bit.
class Sender {
public:
    explicit Sender(int divider) : divider_(divider) {}
    bool idle() const { return left_ == 0; }
    void send(std::uint8_t byte) { bits_ = 0x200u | byte << 1, left_ = 10, count_ = 0; }
    int step() {
        if (!left_) return 1;
        const int level = bits_ & 1;
        if (++count_ == divider_) count_ = 0, bits_ >>= 1, --left_;
        return level;
    }

private:
    int divider_, left_ = 0, count_ = 0;
    unsigned bits_ = 0;
};

// Samples a line in the middle of each bit.
class Receiver {
public:
    explicit Receiver(int divider) : divider_(divider) {}
    bool step(int level, std::uint8_t& byte) {
        if (!left_) {
            if (!level) left_ = 10, count_ = divider_ / 2;
            return false;
        }
        if (--count_) return false;
        count_ = divider_;
        bits_ = bits_ >> 1 | static_cast<unsigned>(level) << 9;
        if (--left_) return false;
        byte = static_cast<std::uint8_t>(bits_ >> 1);
        return bits_ >> 9;
    }

private:
    int divider_, left_ = 0, count_ = 0;
    unsigned bits_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const int divider = std::atoi(argv[2]);
    const double hertz = std::atof(argv[3]);
    UartPorts ports{};
    uart_open(ports, std::strtoull(argv[1], nullptr, 10));
    Sender sender(divider);
    Receiver receiver(divider);
    const pid_t parent = ::getppid();
    auto start = Clock::now();
    std::uint64_t paced = 0;  // cycles since `start`
    for (std::uint64_t cycle = 0;; ++cycle, ++paced) {
        std::uint8_t byte;
        if (cycle >= kResetCycles && sender.idle() && cycle % static_cast<unsigned>(divider) == 0
            && ::read(STDIN_FILENO, &byte, 1) == 1)
            sender.send(byte);
        *ports.rxd = static_cast<std::uint8_t>(sender.step());
        *ports.rst = cycle < kResetCycles;
        *ports.clk = 0;
        uart_eval();
        *ports.clk = 1;
        uart_eval();
        // As on a real line, a byte is lost that nobody has room for.
        if (cycle >= kResetCycles && receiver.step(*ports.txd & 1, byte)
            && ::write(STDOUT_FILENO, &byte, 1) != 1)
            continue;
        if (cycle % 256) continue;
        if (::getppid() != parent) return 0;
        const auto due = start + std::chrono::duration<double>(static_cast<double>(paced) / hertz);
        const auto now = Clock::now();
        if (due > now) std::this_thread::sleep_until(due);
        // Time that was lost is not made up for.
        else start = now, paced = 0;
    }
}

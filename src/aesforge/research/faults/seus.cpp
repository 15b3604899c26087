// SPDX-License-Identifier: Apache-2.0
// Runs a graph of AND gates and registers 1,024 times at once, each run with an SEU of its own.
//
//   seus CIRCUIT STIMULUS RESULT
//
// All numbers are little-endian. CIRCUIT: five uint32 (inputs, registers, gates, observed, 0); the
// uint32 literals of each gate, of what each register takes, and of what is observed. STIMULUS:
// uint32 cycles, uint32 seus; a byte for each register's start value; for each cycle a byte for
// each input; for each SEU, in the order of their cycles, uint32 cycle, register, run. RESULT: for
// each cycle and observed literal 128 bytes, bit r of which is its value in run r.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {
struct Runs {
    std::uint64_t word[16];
};

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::exit(1);
}

std::vector<std::uint8_t> bytes_of(const char* path) {
    std::FILE* file = std::fopen(path, "rb");
    if (!file) fail(path);
    std::fseek(file, 0, SEEK_END);
    std::vector<std::uint8_t> data(static_cast<std::size_t>(std::ftell(file)));
    std::rewind(file);
    if (std::fread(data.data(), 1, data.size(), file) != data.size()) fail("a short file");
    std::fclose(file);
    return data;
}

class Reader {
    std::vector<std::uint8_t> m_data;
    std::size_t m_at = 0;

public:
    explicit Reader(const char* path)
        : m_data(bytes_of(path)) {}
    const std::uint8_t* take(std::size_t size) {
        if (m_at + size > m_data.size()) fail("a file ends early");
        m_at += size;
        return m_data.data() + m_at - size;
    }
    std::vector<std::uint32_t> numbers(std::size_t count) {
        std::vector<std::uint32_t> found(count);
        std::memcpy(found.data(), take(4 * count), 4 * count);
        return found;
    }
};

void fill(Runs& runs, bool value) {
    for (auto& word : runs.word) word = value ? ~std::uint64_t{0} : 0;
}
}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) fail("usage: seus CIRCUIT STIMULUS RESULT");
    Reader circuit(argv[1]), stimulus(argv[2]);
    const auto sizes = circuit.numbers(5);
    const std::uint32_t inputs = sizes[0], registers = sizes[1], gates = sizes[2];
    const auto gate = circuit.numbers(2 * std::size_t{gates});
    const auto next = circuit.numbers(registers);
    const auto observed = circuit.numbers(sizes[3]);
    const auto counts = stimulus.numbers(2);
    const std::uint8_t* start = stimulus.take(registers);
    const std::uint8_t* given = stimulus.take(std::size_t{counts[0]} * inputs);
    const auto seus = stimulus.numbers(3 * std::size_t{counts[1]});

    // Variables stand in the order of the AIGER format: constant, inputs, registers, gates.
    const std::size_t first_register = 1 + inputs, first_gate = first_register + registers;
    std::vector<Runs> value(first_gate + gates), state(registers);
    fill(value[0], false);
    for (std::uint32_t i = 0; i < registers; ++i) fill(value[first_register + i], start[i]);
    std::FILE* result = std::fopen(argv[3], "wb");
    if (!result) fail(argv[3]);
    std::size_t seu = 0;
    for (std::uint32_t cycle = 0; cycle < counts[0]; ++cycle) {
        for (; seu < counts[1] && seus[3 * seu] == cycle; ++seu) {
            const std::uint32_t run = seus[3 * seu + 2];
            value[first_register + seus[3 * seu + 1]].word[run / 64] ^= std::uint64_t{1} << run % 64;
        }
        for (std::uint32_t i = 0; i < inputs; ++i)
            fill(value[1 + i], given[std::size_t{cycle} * inputs + i]);
        for (std::uint32_t i = 0; i < gates; ++i) {
            const std::uint32_t a = gate[2 * i], b = gate[2 * i + 1];
            const Runs &x = value[a >> 1], &y = value[b >> 1];
            const std::uint64_t flip_x = -std::uint64_t{a & 1}, flip_y = -std::uint64_t{b & 1};
            Runs& z = value[first_gate + i];
            for (int w = 0; w < 16; ++w) z.word[w] = (x.word[w] ^ flip_x) & (y.word[w] ^ flip_y);
        }
        const auto literal = [&](std::uint32_t of, Runs& to) {
            const std::uint64_t flip = -std::uint64_t{of & 1};
            for (int w = 0; w < 16; ++w) to.word[w] = value[of >> 1].word[w] ^ flip;
        };
        for (const std::uint32_t of : observed) {
            Runs seen;
            literal(of, seen);
            if (std::fwrite(&seen, sizeof seen, 1, result) != 1) fail("the result cannot be written");
        }
        for (std::uint32_t i = 0; i < registers; ++i) literal(next[i], state[i]);
        std::memcpy(&value[first_register], state.data(), registers * sizeof(Runs));
    }
    if (std::fclose(result)) fail("the result cannot be written");
    return 0;
}

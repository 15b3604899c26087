// SPDX-License-Identifier: Apache-2.0
// Simulates a routed netlist with its delays at one clock period, all times in picoseconds.
//
//   timed CIRCUIT STIMULUS RESULT PERIOD [COUNTS FIRST END]
//
// Counts are of the clock edges of the rows FIRST to END - 1, with all that follows from them before
// the next edge: transitions of each source, those of its values at the end of a cycle, and writes
// of each write port. A change that is undone in the same picosecond is no transition.
//
// A node is a function of up to six pins. A change of a source, node or register, reaches each pin
// it drives after that connection's delay: the wire, with the time from clock to output before it
// and the setup time of a register's pin after it. Wires carry every pulse, however short. The
// output of a node follows a pin after that pin's delay, and a pulse shorter than that is lost, as
// simulators of SDF have it. What has not reached a register by the clock edge came too late: the
// register takes what was there before.
//
// Both files begin with their numbers of entries; `simulator.py` writes and reads them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <string>
#include <vector>

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Pins of a register, and of the write port of a memory.
enum : u8 { DATA = 1, ENABLE = 2, RESET = 4 };
enum : u8 { HAS_ENABLE = 1, HAS_RESET = 2, RESET_VALUE = 4, NOT_ENABLE = 8, NOT_RESET = 16 };
enum : u8 { WRITE_DATA = 1, WRITE_ENABLE = 2, WRITE_ADDRESS_SHIFT = 2 };
// In place of a pin: a node's output changes; what a write port has taken reaches the memory.
constexpr u32 OUTPUT = 7;
constexpr u64 NEVER = ~u64{0};
constexpr u32 NONE = ~u32{0};

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::exit(1);
}

class Reader {
public:
    explicit Reader(const char* path) : file_(path, std::ios::binary) {
        if (!file_) fail(std::string("cannot read ") + path);
    }
    u32 number() { return take<u32>(1)[0]; }
    template <typename T>
    std::vector<T> take(std::size_t count) {
        std::vector<T> values(count);
        file_.read(reinterpret_cast<char*>(values.data()),
                   static_cast<std::streamsize>(count * sizeof(T)));
        if (!file_) fail("the file ends too early");
        return values;
    }

private:
    std::ifstream file_;
};

struct Circuit {
    u32 nodes, registers, ports, connections, stimulated, observed;
    std::vector<u64> table;       // of a node: bit i is the output for the pins i
    std::vector<u32> through;     // of a node: from each of eight pins to the output
    std::vector<u8> pins;         // of every sink: nodes, registers, write ports
    std::vector<u8> value;        // of every source: nodes, registers
    std::vector<u8> flags;        // of a register
    std::vector<u32> memory;      // of a write port: the node it writes
    std::vector<u32> store_delay; // of a write port: from the clock edge to the memory's output
    std::vector<u32> first;       // of a source: its connections, up to the next one's
    std::vector<u32> target;      // of a connection: 8 x sink + pin
    std::vector<u32> delay;       // of a connection
    std::vector<u32> stimulus;    // registers that take the stimulus
    std::vector<u32> observe;     // registers to report

    explicit Circuit(const char* path) {
        Reader file(path);
        nodes = file.number();
        registers = file.number();
        ports = file.number();
        connections = file.number();
        stimulated = file.number();
        observed = file.number();
        table = file.take<u64>(nodes);
        through = file.take<u32>(8 * std::size_t{nodes});
        pins = file.take<u8>(nodes + registers + ports);
        value = file.take<u8>(nodes + registers);
        flags = file.take<u8>(registers);
        memory = file.take<u32>(ports);
        store_delay = file.take<u32>(ports);
        first = file.take<u32>(nodes + registers + 1);
        target = file.take<u32>(connections);
        delay = file.take<u32>(connections);
        stimulus = file.take<u32>(stimulated);
        observe = file.take<u32>(observed);
    }
};

class Simulation {
public:
    Simulation(Circuit& circuit, u64 period) : c_(circuit), period_(period) {
        u32 longest = 1;
        for (u32 d : c_.delay) longest = std::max(longest, d);
        for (u32 d : c_.through) longest = std::max(longest, d);
        for (u32 d : c_.store_delay) longest = std::max(longest, d);
        u64 size = 1;
        while (size <= longest) size *= 2;
        wheel_.resize(size);
        mask_ = size - 1;
        slowest_.assign(c_.nodes, 0);
        change_.assign(c_.nodes, NEVER);
        pending_.resize(c_.ports);
        row_of_.assign(c_.registers, NONE);
        for (u32 i = 0; i < c_.stimulated; i++) row_of_[c_.stimulus[i]] = i;
        settle();
        odd_.assign(c_.nodes, 0);
        settled_.assign(c_.value.begin(), c_.value.begin() + c_.nodes);
        transitions.assign(c_.nodes + c_.registers, 0);
        needed.assign(c_.nodes + c_.registers, 0);
        writes.assign(c_.ports, 0);
    }

    // Carry out one cycle: let time run up to the clock edge, then let every register sample.
    void cycle(const u8* stimulus, u8* observed, bool counted) {
        for (u64 end = edge_ + period_; time_ <= end; time_++) advance();
        edge_ += period_;
        for (u32 node = 0; node < c_.nodes; node++) {
            if (counting_ && settled_[node] != c_.value[node]) needed[node]++;
            settled_[node] = c_.value[node];
        }
        counting_ = counted;
        clock(stimulus);
        for (u32 i = 0; i < c_.observed; i++) {
            observed[i] = c_.value[c_.nodes + c_.observe[i]];
        }
    }

    u64 events = 0;
    u64 latest = 0;             // from a clock edge to the last change at a register's pin
    u32 latest_register = NONE; // whose pin that was
    std::vector<u32> transitions, needed, writes;

private:
    // Before the first edge everything has had time to settle.
    void settle() {
        std::vector<u32> waiting;
        for (u32 i = 0; i < c_.nodes; i++) waiting.push_back(i);
        auto drive = [&](u32 source) {
            for (u32 k = c_.first[source]; k < c_.first[source + 1]; k++) {
                u32 sink = c_.target[k] >> 3;
                c_.pins[sink] ^= static_cast<u8>(1u << (c_.target[k] & 7));
                if (sink < c_.nodes) waiting.push_back(sink);
            }
        };
        for (u32 i = 0; i < c_.registers; i++) {
            if (c_.value[c_.nodes + i]) drive(c_.nodes + i);
        }
        while (!waiting.empty()) {
            u32 node = waiting.back();
            waiting.pop_back();
            if (function(node) != c_.value[node]) {
                c_.value[node] ^= 1;
                drive(node);
            }
        }
    }

    void send(u32 source) {
        for (u32 k = c_.first[source]; k < c_.first[source + 1]; k++) {
            wheel_[(time_ + c_.delay[k]) & mask_].push_back(c_.target[k]);
        }
    }

    void advance() {
        while (!wheel_[time_ & mask_].empty()) step();  // again where a connection takes no time
        for (u32 node : changed_) {
            if (odd_[node] && counting_) transitions[node]++;
            odd_[node] = 0;
        }
        changed_.clear();
    }

    // Apply all changes of this picosecond, then evaluate what they touched.
    void step() {
        now_.clear();
        now_.swap(wheel_[time_ & mask_]);
        touched_.clear();
        for (u32 target : now_) {
            u32 sink = target >> 3, pin = target & 7;
            if (sink < c_.nodes) {
                if (pin == OUTPUT) {
                    change(sink);
                } else {
                    c_.pins[sink] ^= static_cast<u8>(1u << pin);
                    touch(sink, c_.through[8 * std::size_t{sink} + pin]);
                }
            } else if (pin == OUTPUT) {
                store(sink - c_.nodes - c_.registers);
            } else {
                c_.pins[sink] ^= static_cast<u8>(1u << pin);
                if (sink < c_.nodes + c_.registers && time_ - edge_ > latest) {
                    latest = time_ - edge_;
                    latest_register = sink - c_.nodes;
                }
            }
        }
        events += now_.size();
        for (u32 node : touched_) {
            u32 delay = slowest_[node] - 1;
            slowest_[node] = 0;
            if (function(node) == c_.value[node]) {
                change_[node] = NEVER;  // the pulse was too short
            } else if (change_[node] == NEVER) {
                change_[node] = time_ + delay;
                wheel_[change_[node] & mask_].push_back(8 * node + OUTPUT);
            }
        }
    }

    u8 function(u32 node) const {
        return static_cast<u8>(c_.table[node] >> c_.pins[node] & 1);
    }

    // Of pins that change together, the slowest counts.
    void touch(u32 node, u32 delay) {
        if (!slowest_[node]) touched_.push_back(node);
        slowest_[node] = std::max(slowest_[node], delay + 1);
    }

    void change(u32 node) {
        if (change_[node] != time_) return;  // called off since
        change_[node] = NEVER;
        c_.value[node] ^= 1;
        odd_[node] ^= 1;
        changed_.push_back(node);
        send(node);
    }

    void store(u32 port) {
        u8 pins = pending_[port].front();
        pending_[port].pop_front();
        u32 node = c_.memory[port];
        u64 bit = u64{1} << (pins >> WRITE_ADDRESS_SHIFT & 15);
        c_.table[node] = (pins & WRITE_DATA) ? c_.table[node] | bit : c_.table[node] & ~bit;
        touch(node, 0);
    }

    // The edge stands between two picoseconds: what it launches starts at `edge_`.
    void clock(const u8* stimulus) {
        time_ = edge_;
        for (u32 i = 0; i < c_.registers; i++) {
            u32 source = c_.nodes + i;
            u8 next = row_of_[i] == NONE ? sample(i) : stimulus[row_of_[i]];
            if (next != c_.value[source]) {
                c_.value[source] = next;
                transitions[source] += counting_;
                needed[source] += counting_;
                send(source);
            }
        }
        for (u32 i = 0; i < c_.ports; i++) {
            u32 sink = c_.nodes + c_.registers + i;
            if (c_.pins[sink] & WRITE_ENABLE) {
                writes[i] += counting_;
                pending_[i].push_back(c_.pins[sink]);
                wheel_[(time_ + c_.store_delay[i]) & mask_].push_back(8 * sink + OUTPUT);
            }
        }
        time_ = edge_ + 1;
    }

    u8 sample(u32 index) const {
        u8 flags = c_.flags[index], pins = c_.pins[c_.nodes + index];
        if ((flags & HAS_RESET) && bool(pins & RESET) != bool(flags & NOT_RESET)) {
            return (flags & RESET_VALUE) != 0;
        }
        if ((flags & HAS_ENABLE) && bool(pins & ENABLE) == bool(flags & NOT_ENABLE)) {
            return c_.value[c_.nodes + index];
        }
        return pins & DATA;
    }

    Circuit& c_;
    u64 period_;
    u64 edge_ = 0;
    u64 time_ = 1;
    u64 mask_ = 0;
    std::vector<std::vector<u32>> wheel_;
    std::vector<u32> slowest_;  // of a touched node: its delay, plus one
    std::vector<u64> change_;   // of a node: when its output will change
    std::vector<u32> now_;
    std::vector<u32> touched_;
    bool counting_ = false;
    std::vector<u32> changed_;  // nodes, in this picosecond
    std::vector<u8> odd_;       // of a node: whether it changed an odd number of times
    std::vector<u8> settled_;   // of a node: its value at the end of the cycle before
    std::vector<std::deque<u8>> pending_;
    std::vector<u32> row_of_;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 5 && count != 8) {
        fail("usage: timed CIRCUIT STIMULUS RESULT PERIOD [COUNTS FIRST END]");
    }
    Circuit circuit(arguments[1]);
    Reader file(arguments[2]);
    u32 cycles = file.number();
    std::vector<u8> stimulus = file.take<u8>(std::size_t{cycles} * circuit.stimulated);
    std::vector<u8> result(std::size_t{cycles} * circuit.observed);
    Simulation simulation(circuit, std::strtoull(arguments[4], nullptr, 10));
    u64 first = count == 8 ? std::strtoull(arguments[6], nullptr, 10) : 0;
    u64 end = count == 8 ? std::strtoull(arguments[7], nullptr, 10) : 0;
    for (std::size_t i = 0; i < cycles; i++) {
        simulation.cycle(&stimulus[i * circuit.stimulated], &result[i * circuit.observed],
                         first <= i && i < end);
    }
    std::ofstream out(arguments[3], std::ios::binary);
    out.write(reinterpret_cast<char*>(result.data()), static_cast<std::streamsize>(result.size()));
    if (!out) fail("cannot write the result");
    if (count == 8) {
        std::ofstream counts(arguments[5], std::ios::binary);
        for (const auto* one : {&simulation.transitions, &simulation.needed, &simulation.writes}) {
            counts.write(reinterpret_cast<const char*>(one->data()),
                         static_cast<std::streamsize>(one->size() * sizeof(u32)));
        }
        if (!counts) fail("cannot write the counts");
    }
    std::printf("{\"events\": %llu, \"latest_ps\": %llu, \"latest_register\": %lld}\n",
                static_cast<unsigned long long>(simulation.events),
                static_cast<unsigned long long>(simulation.latest),
                simulation.latest_register == NONE
                    ? -1LL
                    : static_cast<long long>(simulation.latest_register));
    return 0;
}

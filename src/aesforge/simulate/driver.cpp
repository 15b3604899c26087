// SPDX-License-Identifier: Apache-2.0
// Drives any `aesforge_core`: reads batches of operations on standard input, writes what came
// out on standard output. `__init__.py` beside this file holds the same records as numpy types.
//
// A batch is read whole before the clock moves, and its answer ends with DONE or ERROR, so neither
// side ever waits for the other while its own pipe is full.
#include "ports.h"

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <set>
#include <string>
#include <unistd.h>

namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMagicHello = 0x48534541;   // "AESH"
constexpr std::uint32_t kMagicBatch = 0x42534541;   // "AESB"
constexpr std::uint32_t kMagicAnswer = 0x41534541;  // "AESA"

enum class Kind : std::uint8_t { Block, Load, Idle, Clear, Wait, Reset, Snapshot, Chain };
const char* const kKindName[] = {"BLOCK", "LOAD", "IDLE", "ZEROIZE", "WAIT", "RESET", "SNAPSHOT", "CHAIN"};
enum class Part : std::uint32_t { Rows = 1, Events, State, Done, Error };
enum class What : std::uint32_t { Loaded = 1, Clear, Reset, Spurious, Ready, Snapshot, Alarm };

struct Hello {
    std::uint32_t magic, version, op_bytes, row_bytes, event_bytes, blocks_per_beat, key_bytes, tag_bits;
};
struct Batch {
    std::uint32_t magic, op_bytes;
    std::uint64_t count, watchdog_cycles;
};
struct Answer {
    std::uint32_t magic, part;
    std::uint64_t bytes;
};
struct Op {  // the blocks of the beat, 16 bytes each, follow
    std::uint8_t kind, decrypt, slot, flags;
    std::uint32_t arg;
    std::uint64_t tag;
    std::uint8_t key[32];
};
struct Row {  // the blocks of the beat, 16 bytes each, follow
    std::uint64_t index, tag, in_cycle, out_cycle;
};
struct Event {
    std::uint32_t what, slot;
    std::uint64_t cycle, value;
};
struct Done {
    std::uint64_t cycles, accepted, left, dropped, nanoseconds;
};
static_assert(sizeof(Op) == 48 && sizeof(Row) == 32 && sizeof(Event) == 24);

constexpr std::uint64_t kSpuriousKept = 1000;  // events of a core gone wild that are worth keeping
constexpr std::uint8_t kFlagBeside = 1;        // LOAD: later operations do not wait for the key port

// ---- pipes ----------------------------------------------------------------------------------

bool read_all(void* to, std::size_t size) {
    auto* cursor = static_cast<char*>(to);
    while (size) {
        const ssize_t got = ::read(STDIN_FILENO, cursor, size);
        if (got <= 0) return false;
        cursor += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

void write_all(const void* from, std::size_t size) {
    auto* cursor = static_cast<const char*>(from);
    while (size) {
        const ssize_t put = ::write(STDOUT_FILENO, cursor, size);
        if (put <= 0) std::_Exit(1);  // nobody listens any more
        cursor += put;
        size -= static_cast<std::size_t>(put);
    }
}

void answer(Part part, const void* data, std::size_t size) {
    const Answer head{kMagicAnswer, static_cast<std::uint32_t>(part), size};
    write_all(&head, sizeof head);
    write_all(data, size);
}

[[noreturn, gnu::format(printf, 1, 2)]] void fail(const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    answer(Part::Error, text, std::strlen(text));
    std::_Exit(3);
}

// ---- the core -------------------------------------------------------------------------------

class Bench {
    AesforgePorts m_pin;
    std::uint64_t m_cycle = 0;
    std::uint64_t m_accepted = 0, m_left = 0, m_dropped = 0;
    std::uint64_t m_noise;

    struct InFlight {
        std::uint64_t index, in_cycle;
    };
    std::deque<InFlight> m_in_flight;
    std::set<unsigned> m_loading;  // slots whose load was accepted, and that have not been ready yet

    bool m_key_pending = false;
    Op m_key{};

    std::vector<std::uint8_t> m_rows;
    std::vector<Event> m_events;

    // The last block out, for CHAIN.
    bool m_came_out = false;
    std::vector<std::uint8_t> m_last_block;

    // What a cycle showed, seen just before its rising edge.
    bool m_in_taken = false, m_key_taken = false, m_in_ready = false, m_key_ready = false;
    std::uint64_t m_spurious = 0, m_alarms = 0;

    std::size_t block_bytes() const { return 16 * m_pin.blocks_per_beat; }

    // Byte 0 of a block or key is its most significant byte; pins hold the least significant first.
    static void reverse(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
        for (std::size_t i = 0; i < size; i += 8) {
            std::uint64_t word;
            std::memcpy(&word, from + i, 8);
            word = __builtin_bswap64(word);
            std::memcpy(to + size - 8 - i, &word, 8);
        }
    }
    static void put_small(std::uint8_t* to, std::uint64_t value, unsigned bits) {
        if (bits < 64) value &= (std::uint64_t{1} << bits) - 1;
        const std::size_t size = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
        std::memcpy(to, &value, size);
    }
    std::uint64_t get_tag() const {
        const unsigned bits = m_pin.tag_bits;
        std::uint64_t value = 0;
        std::memcpy(&value, m_pin.out_tag, bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8);
        return value;
    }

    std::uint64_t noise() {  // xorshift64*; never a function of the data
        m_noise ^= m_noise >> 12;
        m_noise ^= m_noise << 25;
        m_noise ^= m_noise >> 27;
        return m_noise * 0x2545f4914f6cdd1dULL;
    }
    void noise_to(std::uint8_t* to, std::size_t size) {
        for (std::size_t i = 0; i < size; i += 8) {
            const std::uint64_t word = noise();
            std::memcpy(to + i, &word, 8);
        }
    }

    void event(What what, unsigned slot, std::uint64_t value) {
        m_events.push_back({static_cast<std::uint32_t>(what), slot, m_cycle, value});
    }

    // Data pins without valid carry noise: a core that looks at them is found out.
    void drive_no_block() {
        *m_pin.in_valid = 0;
        noise_to(m_pin.in_block, block_bytes());
        noise_to(m_pin.in_key, m_pin.key_bytes);
        put_small(m_pin.in_slot, noise(), m_pin.slot_bits);
        put_small(m_pin.in_tag, noise(), m_pin.tag_bits);
        *m_pin.in_decrypt = noise() & 1;
    }
    void drive_block(const Op& op, const std::uint8_t* block, std::uint64_t tag) {
        *m_pin.in_valid = 1;
        for (unsigned block_index = 0; block_index < m_pin.blocks_per_beat; ++block_index)
            reverse(m_pin.in_block + 16 * block_index, block + 16 * block_index, 16);
        reverse(m_pin.in_key, op.key, m_pin.key_bytes);
        put_small(m_pin.in_slot, op.slot, m_pin.slot_bits);
        put_small(m_pin.in_tag, tag, m_pin.tag_bits);
        *m_pin.in_decrypt = op.decrypt & 1;
    }
    void drive_key_port() {
        if (m_key_pending) {
            *m_pin.key_valid = 1;
            reverse(m_pin.key, m_key.key, m_pin.key_bytes);
            put_small(m_pin.key_slot, m_key.slot, m_pin.slot_bits);
        } else if (*m_pin.key_valid) {
            *m_pin.key_valid = 0;
            noise_to(m_pin.key, m_pin.key_bytes);
            put_small(m_pin.key_slot, noise(), m_pin.slot_bits);
        }
    }

    // One clock cycle under the inputs as they stand.
    void cycle() {
        *m_pin.clk = 0;
        aesforge_eval();
        const bool in_reset = *m_pin.rst;
        m_in_ready = *m_pin.in_ready && !in_reset;
        m_in_taken = *m_pin.in_valid && m_in_ready;
        m_key_ready = *m_pin.key_ready && !in_reset;
        m_key_taken = *m_pin.key_valid && m_key_ready;
        m_came_out = false;
        if (*m_pin.out_valid && !in_reset) take_out();
        if (m_pin.alarm && *m_pin.alarm && !in_reset && m_alarms++ < kSpuriousKept)
            event(What::Alarm, 0, *m_pin.out_valid);
        *m_pin.clk = 1;
        aesforge_eval();
        if (m_key_taken) {
            event(What::Loaded, m_key.slot, 0);
            m_loading.insert(m_key.slot);
            m_key_pending = false;
        }
        ++m_cycle;
    }

    void take_out() {
        if (m_in_flight.empty()) {
            if (m_spurious++ < kSpuriousKept) event(What::Spurious, 0, get_tag());
            return;
        }
        const InFlight block = m_in_flight.front();
        m_in_flight.pop_front();
        const Row row{block.index, get_tag(), block.in_cycle, m_cycle};
        const std::size_t at = m_rows.size();
        m_rows.resize(at + sizeof row + block_bytes());
        std::memcpy(&m_rows[at], &row, sizeof row);
        std::uint8_t* to = &m_rows[at + sizeof row];
        for (unsigned block_index = 0; block_index < m_pin.blocks_per_beat; ++block_index)
            reverse(to + 16 * block_index, m_pin.out_block + 16 * block_index, 16);
        ++m_left;
        m_came_out = true;
        std::memcpy(m_last_block.data(), to, block_bytes());
        if (m_rows.size() > (1u << 20)) flush_rows();
    }

    void accept() {
        m_in_flight.push_back({m_accepted, m_cycle - 1});
        ++m_accepted;
    }

    void flush_rows() {
        if (!m_rows.empty()) answer(Part::Rows, m_rows.data(), m_rows.size());
        m_rows.clear();
    }

    void forget() {
        m_dropped += m_in_flight.size();
        m_in_flight.clear();
        m_loading.clear();
        m_key_pending = false;
    }

    void reset(std::uint32_t cycles) {
        forget();
        *m_pin.rst = 1;
        for (std::uint32_t i = 0; i < cycles; ++i) {
            drive_no_block();
            drive_key_port();
            cycle();
        }
        *m_pin.rst = 0;
    }

    void snapshot() {
        drive_key_port();
        *m_pin.in_valid = 0;
        std::memset(m_pin.in_block, 0, block_bytes());
        std::memset(m_pin.in_key, 0, m_pin.key_bytes);
        std::memset(m_pin.key, 0, m_pin.key_bytes);
        put_small(m_pin.in_tag, 0, m_pin.tag_bits);
        put_small(m_pin.in_slot, 0, m_pin.slot_bits);
        put_small(m_pin.key_slot, 0, m_pin.slot_bits);
        *m_pin.in_decrypt = 0;
        *m_pin.clk = 0;
        aesforge_eval();
        std::vector<std::uint8_t> state;
        if (!aesforge_snapshot(state)) fail("this model was compiled without snapshots");
        event(What::Snapshot, 0, state.size());
        answer(Part::State, state.data(), state.size());
    }

public:
    explicit Bench(std::uint64_t seed)
        : m_noise(seed * 2 + 1) {
        aesforge_open(m_pin, seed);
        m_last_block.resize(block_bytes());
        *m_pin.zeroize = 0;
        *m_pin.key_valid = 1;  // so that drive_key_port() lays noise on the key pins
        drive_no_block();
        reset(4);
        m_cycle = 0;
        const Hello hello{kMagicHello, kVersion, static_cast<std::uint32_t>(sizeof(Op) + block_bytes()),
                          static_cast<std::uint32_t>(sizeof(Row) + block_bytes()), sizeof(Event),
                          m_pin.blocks_per_beat, m_pin.key_bytes, m_pin.tag_bits};
        write_all(&hello, sizeof hello);
    }

    std::size_t op_bytes() const { return sizeof(Op) + block_bytes(); }

    void run(const std::vector<std::uint8_t>& ops, std::uint64_t watchdog_cycles) {
        const auto started = std::chrono::steady_clock::now();
        const std::uint64_t first_cycle = m_cycle, first_accepted = m_accepted, first_left = m_left,
                            first_dropped = m_dropped;
        const std::size_t count = ops.size() / op_bytes();
        std::size_t at = 0;
        std::uint64_t quiet = 0;   // cycles in which nothing went in or came out
        std::uint32_t spent = 0;   // cycles, or chained blocks, of the current operation
        bool chained = false;      // CHAIN: its block is in the core
        std::vector<std::uint8_t> chain_block;
        Op op{};
        const std::uint8_t* block = nullptr;

        while (at < count) {
            std::memcpy(&op, &ops[at * op_bytes()], sizeof op);
            block = &ops[at * op_bytes() + sizeof op];
            const auto kind = static_cast<Kind>(op.kind);
            bool over = false;  // the operation ends with this cycle
            switch (kind) {
            case Kind::Block:
                drive_block(op, block, op.tag);
                drive_key_port();
                cycle();
                if ((over = m_in_taken)) accept();
                break;
            case Kind::Load:
                if (!m_key_pending && spent == 0) {
                    if (!m_pin.key_slots) fail("operation %zu loads a key, but this core has no key slots", at);
                    m_key = op;
                    m_key_pending = true;
                    if (op.flags & kFlagBeside) {
                        ++at;
                        continue;
                    }
                    spent = 1;
                }
                drive_no_block();
                drive_key_port();
                cycle();
                over = spent == 1 && !m_key_pending;
                break;
            case Kind::Idle:
                if (spent < op.arg) {
                    drive_no_block();
                    drive_key_port();
                    cycle();
                    ++spent;
                    quiet = 0;
                }
                over = spent >= op.arg;
                break;
            case Kind::Clear:
                if (spent == 0) {
                    event(What::Clear, 0, m_in_flight.size());
                    forget();
                    *m_pin.zeroize = 1;
                }
                drive_no_block();
                drive_key_port();
                cycle();
                if (m_in_ready || m_key_ready) event(What::Ready, 0, m_in_ready ? 1 : 2);
                over = ++spent >= op.arg;
                if (over) *m_pin.zeroize = 0;
                break;
            case Kind::Wait:
                if (m_in_flight.empty() && m_loading.empty() && !m_key_pending) {
                    over = true;
                    break;
                }
                drive_no_block();
                if (!m_loading.empty()) put_small(m_pin.in_slot, *m_loading.begin(), m_pin.slot_bits);
                drive_key_port();
                {
                    // The slot on the pins, not one whose load is accepted in this very cycle.
                    const bool asked = !m_loading.empty();
                    const unsigned slot = asked ? *m_loading.begin() : 0;
                    cycle();
                    if (asked && m_in_ready && !(m_key_taken && m_key.slot == slot)) {
                        m_loading.erase(slot);
                        quiet = 0;
                    }
                }
                break;
            case Kind::Reset:
                event(What::Reset, 0, m_in_flight.size());
                reset(op.arg ? op.arg : 1);
                over = true;
                break;
            case Kind::Snapshot:
                flush_rows();
                snapshot();
                over = true;
                break;
            case Kind::Chain:
                if (spent == 0 && !chained) chain_block.assign(block, block + block_bytes());
                if (!chained) {
                    if (spent >= op.arg) {
                        over = true;
                        break;
                    }
                    drive_block(op, chain_block.data(), op.tag + spent);
                    drive_key_port();
                    cycle();
                    if (m_in_taken) {
                        accept();
                        chained = true;
                    }
                } else {
                    drive_no_block();
                    drive_key_port();
                    cycle();
                }
                // Blocks that were in flight before the chain come out first.
                if (chained && m_came_out && m_in_flight.empty()) {
                    chain_block = m_last_block;
                    chained = false;
                    over = ++spent >= op.arg;
                }
                break;
            default:
                fail("operation %zu has the unknown kind %u", at, op.kind);
            }

            if (over || m_in_taken || m_key_taken || m_came_out) quiet = 0;
            else if (++quiet > watchdog_cycles) {
                fail("deadlock: operation %zu (%s, slot %u) made no progress for %llu cycles; in_ready=%d "
                     "key_ready=%d, %zu blocks in flight, cycle %llu",
                     at, kKindName[op.kind], op.slot, static_cast<unsigned long long>(watchdog_cycles),
                     m_in_ready, m_key_ready, m_in_flight.size(),
                     static_cast<unsigned long long>(m_cycle));
            }
            if (over) {
                ++at;
                spent = 0;
                chained = false;
            }
        }
        if (aesforge_finished()) fail("the model stopped by itself ($finish)");

        flush_rows();
        if (!m_events.empty()) answer(Part::Events, m_events.data(), m_events.size() * sizeof(Event));
        m_events.clear();
        const auto spent_time = std::chrono::steady_clock::now() - started;
        const Done done{m_cycle - first_cycle, m_accepted - first_accepted, m_left - first_left,
                        m_dropped - first_dropped,
                        static_cast<std::uint64_t>(
                            std::chrono::duration_cast<std::chrono::nanoseconds>(spent_time).count())};
        answer(Part::Done, &done, sizeof done);
    }
};

}  // namespace

int main(int argc, char** argv) {
    Bench bench{argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0};
    std::vector<std::uint8_t> ops;
    Batch batch;
    while (read_all(&batch, sizeof batch)) {
        if (batch.magic != kMagicBatch || batch.op_bytes != bench.op_bytes())
            fail("the batch's header does not fit this driver");
        ops.resize(batch.count * bench.op_bytes());
        if (!read_all(ops.data(), ops.size())) return 1;
        bench.run(ops, batch.watchdog_cycles);
    }
    // Nothing outlives the process; running the destructors of a big model would only take time.
    std::_Exit(0);
}

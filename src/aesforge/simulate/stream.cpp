// SPDX-License-Identifier: Apache-2.0
// Drives any module with AXI4-Stream ports: reads batches of words for its inputs on standard
// input, lets them wait and its outputs stall at random, and writes what came out and when on
// standard output. `stream.py` beside this file holds the same records as numpy types.
//
// A batch is read whole before the clock moves, and its answer ends with DONE or ERROR, so neither
// side ever waits for the other while its own pipe is full.
#include "stream.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace {

constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kMagicHello = 0x53534541;   // "AESS"
constexpr std::uint32_t kMagicBatch = 0x42534541;   // "AESB"
constexpr std::uint32_t kMagicAnswer = 0x41534541;  // "AESA"

enum class Part : std::uint16_t { Rows = 1, Taken, Faults, Done, Error };
enum class Fault : std::uint32_t { ValidFell = 1, WordChanged };
constexpr std::uint32_t kZeroize = 1, kReset = 2, kDrain = 4;

struct Batch {  // then for each source, and each sink, a Feed; then the transfers
    std::uint32_t magic, flags;
    std::uint64_t watchdog_cycles, wanted, tail_cycles;
};
struct Feed {
    std::uint64_t count;
    std::uint32_t stall;  // chance of a cycle without a word, or without ready, in 2^-32
    std::uint32_t spare;
};
struct Head {  // of a word: it is not offered before that channel (from 1 on) has moved so many
    std::uint32_t channel, spare;
    std::uint64_t count;
};
struct Answer {  // the rows of a sink come with its number, from 0 on
    std::uint32_t magic;
    std::uint16_t part, sink;
    std::uint64_t bytes;
};
struct FaultRow {
    std::uint32_t what, sink;
    std::uint64_t cycle, word;
};
struct Done {
    std::uint64_t cycles, quiet, nanoseconds;
};

constexpr std::size_t kFaultsKept = 100;

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

void answer(Part part, const void* data, std::size_t size, std::size_t sink = 0) {
    const Answer head{kMagicAnswer, static_cast<std::uint16_t>(part), static_cast<std::uint16_t>(sink), size};
    write_all(&head, sizeof head);
    write_all(data, size);
}

[[noreturn]] void fail(const std::string& text) {
    answer(Part::Error, text.data(), text.size());
    std::_Exit(3);
}

class Bench {
    struct Source {
        StreamChannel pins;
        std::size_t word_bytes = 0;
        std::vector<std::uint8_t> words;
        std::size_t count = 0, at = 0;
        std::uint64_t moved = 0;  // since the start
        std::uint32_t stall = 0;
        bool offered = false;
        std::vector<std::uint64_t> taken;  // cycles
    };

    struct Sink {
        StreamChannel pins;
        std::size_t word_bytes = 0;
        std::uint64_t moved = 0;  // since the start
        std::uint64_t left = 0;   // words that came out in this batch
        std::uint32_t stall = 0;
        bool ready = false;
        bool waiting = false;  // a word stands at the output and has not been taken
        std::vector<std::uint8_t> waiting_word;
        std::vector<std::uint8_t> rows;
    };

    StreamPorts m_ports;
    std::vector<Source> m_sources;
    std::vector<Sink> m_sinks;
    std::uint64_t m_cycle = 0, m_noise;
    std::vector<FaultRow> m_faults;
    bool m_moved = false;  // something moved in the last cycle

    std::uint64_t noise() {  // xorshift64*; never a function of the data
        m_noise ^= m_noise >> 12;
        m_noise ^= m_noise << 25;
        m_noise ^= m_noise >> 27;
        return m_noise * 0x2545f4914f6cdd1dULL;
    }
    bool stalls(std::uint32_t threshold) { return threshold && (noise() >> 32) < threshold; }

    static std::size_t size_of(const StreamChannel& channel) {
        std::size_t size = 0;
        for (const StreamField& field : channel.fields) size += field.bytes;
        return size;
    }

    // Data pins without valid carry noise: a module that looks at them is found out.
    void noise_to(const StreamChannel& channel) {
        for (const StreamField& field : channel.fields) {
            for (std::uint32_t at = 0; at < field.bytes; at += 8) {
                const std::uint64_t word = noise();
                std::memcpy(field.pin + at, &word, std::min<std::uint32_t>(8, field.bytes - at));
            }
            // No bit above the width may stand.
            for (std::uint32_t at = 0; at < field.bytes; ++at) {
                const std::uint32_t low = 8 * at;
                if (low >= field.bits) field.pin[at] = 0;
                else if (field.bits - low < 8) field.pin[at] &= static_cast<std::uint8_t>((1u << (field.bits - low)) - 1);
            }
        }
    }

    std::uint64_t moved_on(std::uint32_t channel) const {
        return channel == 0                  ? ~std::uint64_t{0}
               : channel <= m_sources.size() ? m_sources[channel - 1].moved
                                             : m_sinks[channel - 1 - m_sources.size()].moved;
    }

    void offer(Source& source) {
        if (source.offered) return;
        bool now = source.at < source.count;
        if (now) {
            Head head;
            std::memcpy(&head, &source.words[source.at * source.word_bytes], sizeof head);
            now = moved_on(head.channel) >= head.count && !stalls(source.stall);
        }
        source.offered = now;
        *source.pins.valid = now;
        if (now) {
            const std::uint8_t* from = &source.words[source.at * source.word_bytes] + sizeof(Head);
            for (const StreamField& field : source.pins.fields) {
                std::memcpy(field.pin, from, field.bytes);
                from += field.bytes;
            }
        } else {
            noise_to(source.pins);
        }
    }

    std::uint32_t number_of(const Sink& sink) const {
        return static_cast<std::uint32_t>(&sink - m_sinks.data());
    }

    void fault(Fault what, const Sink& sink) {
        if (m_faults.size() < kFaultsKept)
            m_faults.push_back({static_cast<std::uint32_t>(what), number_of(sink), m_cycle, sink.moved});
    }

    void look_at(Sink& sink) {
        const bool valid = *sink.pins.valid;
        if (sink.waiting && !valid) fault(Fault::ValidFell, sink);
        if (valid) {
            const std::size_t at = sink.rows.size();
            sink.rows.resize(at + 8 + sink.word_bytes);
            std::memcpy(&sink.rows[at], &m_cycle, 8);
            std::uint8_t* to = &sink.rows[at + 8];
            for (const StreamField& field : sink.pins.fields) {
                std::memcpy(to, field.pin, field.bytes);
                to += field.bytes;
            }
            const std::uint8_t* word = &sink.rows[at + 8];
            if (sink.waiting && std::memcmp(word, sink.waiting_word.data(), sink.word_bytes) != 0)
                fault(Fault::WordChanged, sink);
            if (sink.ready) {
                ++sink.moved;
                ++sink.left;
                m_moved = true;
                if (sink.rows.size() > (1u << 20)) flush_rows(sink);
            } else {
                sink.waiting_word.assign(word, word + sink.word_bytes);
                sink.rows.resize(at);
            }
        }
        sink.waiting = valid && !sink.ready;
    }

    void flush_rows(Sink& sink) {
        if (!sink.rows.empty()) answer(Part::Rows, sink.rows.data(), sink.rows.size(), number_of(sink));
        sink.rows.clear();
    }

    // One clock cycle; without traffic no source offers a word, and no sink is ready.
    void cycle(bool traffic) {
        for (Sink& sink : m_sinks) {
            sink.ready = traffic && !stalls(sink.stall);
            *sink.pins.ready = sink.ready;
        }
        for (Source& source : m_sources) {
            if (traffic) {
                offer(source);
            } else {
                source.offered = false;
                *source.pins.valid = 0;
                noise_to(source.pins);
            }
        }
        *m_ports.clk = 0;
        stream_eval();
        m_moved = false;
        if (traffic)
            for (Sink& sink : m_sinks) look_at(sink);
        for (Source& source : m_sources) {
            if (source.offered && *source.pins.ready) {
                source.offered = false;
                source.taken.push_back(m_cycle);
                ++source.at;
                ++source.moved;
                m_moved = true;
            }
        }
        *m_ports.clk = 1;
        stream_eval();
        ++m_cycle;
    }

    void reset() {
        *m_ports.rst = !m_ports.reset_low;
        for (int i = 0; i < 4; ++i) cycle(false);
        *m_ports.rst = m_ports.reset_low;
        for (Sink& sink : m_sinks) sink.waiting = false;
    }

    // What leaves while it is zeroized is lost on purpose.
    void clear() {
        *m_ports.zeroize = 1;
        cycle(false);
        *m_ports.zeroize = 0;
        for (int i = 0; i < 3; ++i) cycle(false);
        for (Sink& sink : m_sinks) sink.waiting = false;
    }

public:
    explicit Bench(std::uint64_t seed)
        : m_noise(seed * 2 + 1) {
        stream_open(m_ports, seed);
        for (const StreamChannel& channel : m_ports.sources) {
            Source source;
            source.pins = channel;
            source.word_bytes = sizeof(Head) + size_of(channel);
            m_sources.push_back(source);
        }
        for (const StreamChannel& channel : m_ports.sinks) {
            Sink sink;
            sink.pins = channel;
            sink.word_bytes = size_of(channel);
            m_sinks.push_back(sink);
        }
        *m_ports.zeroize = 0;
        reset();
        m_cycle = 0;
        std::vector<std::uint32_t> hello{kMagicHello, kVersion};
        auto tell = [&hello](const StreamChannel& channel) {
            for (const StreamField& field : channel.fields) {
                hello.push_back(field.bits);
                hello.push_back(field.bytes);
            }
        };
        for (const StreamChannel& channel : m_ports.sources) tell(channel);
        for (const StreamChannel& channel : m_ports.sinks) tell(channel);
        write_all(hello.data(), 4 * hello.size());
    }

    void run(const Batch& batch) {
        std::vector<Feed> feeds(m_sources.size() + m_sinks.size());
        if (!read_all(feeds.data(), feeds.size() * sizeof(Feed))) std::_Exit(1);
        for (std::size_t i = 0; i < m_sources.size(); ++i) {
            Source& source = m_sources[i];
            // A batch without an end leaves nothing after, so these are all new.
            source.count = feeds[i].count;
            source.at = 0;
            source.stall = feeds[i].stall;
            source.taken.clear();
            source.words.resize(source.count * source.word_bytes);
            if (!read_all(source.words.data(), source.words.size())) std::_Exit(1);
        }
        for (std::size_t i = 0; i < m_sinks.size(); ++i) {
            m_sinks[i].stall = feeds[m_sources.size() + i].stall;
            m_sinks[i].left = 0;
        }

        const auto started = std::chrono::steady_clock::now();
        const std::uint64_t first_cycle = m_cycle;
        std::uint64_t quiet = 0, tail = 0;
        if (batch.flags & kReset) reset();
        if (batch.flags & kZeroize) clear();
        const bool drain = batch.flags & kDrain;
        for (;;) {
            const bool given = std::all_of(m_sources.begin(), m_sources.end(),
                                           [](const Source& source) { return source.at == source.count; });
            // What a word waits for at another output than the first, nobody counts.
            const bool taken = std::none_of(m_sinks.begin() + 1, m_sinks.end(),
                                            [](const Sink& sink) { return *sink.pins.valid || sink.waiting; });
            if (given && (!drain || (m_sinks[0].left >= batch.wanted && taken))) {
                if (!drain || tail >= batch.tail_cycles) break;
                ++tail;
            }
            cycle(true);
            if (m_moved) quiet = 0;
            else if (++quiet > batch.watchdog_cycles) break;
        }
        for (Source& source : m_sources) {  // what was not taken is withdrawn
            if (source.offered) *source.pins.valid = 0;
            source.offered = false;
        }
        if (stream_finished()) fail("the model stopped by itself ($finish)");

        for (Sink& sink : m_sinks) flush_rows(sink);
        for (const Source& source : m_sources)
            answer(Part::Taken, source.taken.data(), 8 * source.taken.size());
        answer(Part::Faults, m_faults.data(), m_faults.size() * sizeof(FaultRow));
        m_faults.clear();
        const auto spent = std::chrono::steady_clock::now() - started;
        const Done done{m_cycle - first_cycle, quiet > batch.watchdog_cycles,
                        static_cast<std::uint64_t>(
                            std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count())};
        answer(Part::Done, &done, sizeof done);
    }
};

}  // namespace

int main(int argc, char** argv) {
    Bench bench{argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0};
    Batch batch;
    while (read_all(&batch, sizeof batch)) {
        if (batch.magic != kMagicBatch) fail("the batch's header does not fit this driver");
        bench.run(batch);
    }
    // Nothing outlives the process; running the destructors of a big model would only take time.
    std::_Exit(0);
}

// SPDX-License-Identifier: Apache-2.0
// The attacks on the key schemes of Liu, Xu and Yuan (2014), and the cipher they run on: AES-128
// whose cells have E bits, 8 as in FIPS 197, or 3 or 4 to make a search small enough to run in full
// (a word then has 4 E bits, key and block 16 E bits). For E = 8 it is the real cipher.
//
// The program sees what an attacker sees: plaintexts, ciphertexts, a leaked round key; never a key,
// but in `encrypt`, which makes them. Numbers are hexadecimal, states of 16 cells row by row within
// columns, as FIPS 197 orders bytes. One JSON object on standard output.
//
//   attack encrypt E SCHEME KEY BLOCK
//   attack search  E SCHEME FIRST COUNT P C P2 C2
//   attack recover ROUND ROUND_KEY P C P2 C2
//   attack predecessors ROUND WORD0 WORD1
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

enum Scheme { kFips197, kHu2009, kLiu2014 };
constexpr int kRounds = 10;

[[noreturn]] void refuse(const char *why) {
  std::fprintf(stderr, "attack: %s\n", why);
  std::exit(2);
}

// Four words, word 0 first; cell 0 of a word is its top one.
struct Block {
  std::array<uint32_t, 4> w;
  bool operator==(const Block &other) const { return w == other.w; }
  Block operator^(const Block &other) const {
    return {{w[0] ^ other.w[0], w[1] ^ other.w[1], w[2] ^ other.w[2], w[3] ^ other.w[3]}};
  }
};

template <int E>
struct Cipher {
  static constexpr uint32_t kCells = 1u << E;
  static constexpr uint32_t kMask = kCells - 1;
  static constexpr uint32_t kWordMask = E == 8 ? 0xffffffffu : (1u << (4 * E)) - 1;
  // x^8+x^4+x^3+x+1 (FIPS 197 Sec. 4.2), x^4+x+1, x^3+x+1.
  static constexpr uint32_t kModulus = E == 8 ? 0x11b : E == 4 ? 0x13 : 0xb;
  // Whole words, and blocks as one number, fit tables where cells are small.
  static constexpr bool kSmall = E <= 4;

  std::array<uint32_t, kCells> sub, unsub;
  // A cell of row r times InvMixColumns: alone, and after the inverse S-box.
  std::array<std::array<uint32_t, kCells>, 4> unmix, unround;
  std::array<std::array<uint32_t, kCells>, 4> mix;
  std::vector<uint16_t> word_f, word_unmix;
  // For each pair of cells of a block, what an inverted round makes of it, and the first round.
  std::array<std::vector<uint64_t>, 8> pair_unround, pair_unsub;
  std::array<uint32_t, kRounds + 1> rcon;

  static uint32_t times(uint32_t a, uint32_t b) {
    uint32_t product = 0;
    for (; b; b >>= 1) {
      if (b & 1) product ^= a;
      a <<= 1;
      if (a & kCells) a ^= kModulus;
    }
    return product;
  }
  static uint32_t cell(uint32_t word, int i) { return word >> (E * (3 - i)) & kMask; }
  static uint32_t place(uint32_t value, int i) { return value << (E * (3 - i)); }
  // To the left, by whole cells.
  static uint32_t rotate(uint32_t word, int cells) {
    return (word << (E * cells) | word >> (E * (4 - cells))) & kWordMask;
  }

  Cipher() {
    // Inversion, then an affine map: FIPS 197 Sec. 5.1.1, and for small cells one of its kind.
    constexpr int kTerms = E == 8 ? 5 : E == 4 ? 3 : 1;
    for (uint32_t x = 0; x < kCells; x++) {
      uint32_t inverse = 0;
      for (uint32_t y = 1; y < kCells; y++) {
        if (times(x, y) == 1) inverse = y;
      }
      uint32_t image = 0x63 & kMask;
      for (int i = 0; i < kTerms; i++) image ^= (inverse << i | inverse >> (E - i)) & kMask;
      sub[x] = image;
    }
    for (uint32_t x = 0; x < kCells; x++) unsub[sub[x]] = x;
    const std::array<uint32_t, 4> forward = {2, 1, 1, 3};
    const std::array<uint32_t, 4> backward = inverse_circulant(forward);
    for (uint32_t x = 0; x < kCells; x++) {
      for (int r = 0; r < 4; r++) {
        mix[r][x] = unmix[r][x] = 0;
        for (int i = 0; i < 4; i++) {
          mix[r][x] |= place(times(x, forward[(i - r + 4) % 4]), i);
          unmix[r][x] |= place(times(x, backward[(i - r + 4) % 4]), i);
        }
      }
    }
    for (uint32_t x = 0; x < kCells; x++) {
      for (int r = 0; r < 4; r++) unround[r][x] = unmix[r][unsub[x]];
    }
    rcon[0] = 0;
    for (int j = 1; j <= kRounds; j++) {
      rcon[j] = j == 1 ? 1 : times(rcon[j - 1], 2);
    }
    if constexpr (kSmall) make_tables();
  }

  void make_tables() {
    for (uint32_t word = 0; word <= kWordMask; word++) {
      word_f.push_back(static_cast<uint16_t>(slow_f(word)));
      word_unmix.push_back(static_cast<uint16_t>(slow_unmix(word)));
    }
    for (int i = 0; i < 8; i++) {
      for (uint32_t pair = 0; pair < kCells * kCells; pair++) {
        // Cells 2 i and 2 i + 1: rows r and r + 1 of a column, which go to the columns after it.
        Block round{}, last{};
        for (int k = 0; k < 2; k++) {
          const uint32_t value = pair >> (E * (1 - k)) & kMask;
          const int r = (2 * i + k) % 4, c = (i / 2 + r) % 4;
          round.w[c] ^= unround[r][value];
          last.w[c] ^= place(unsub[value], r);
        }
        pair_unround[i].push_back(number(round));
        pair_unsub[i].push_back(number(last));
      }
    }
  }

  // A block as one number, and back.
  static uint64_t number(const Block &b) {
    constexpr int kBits = kSmall ? 4 * E : 0;
    uint64_t all = 0;
    for (int c = 0; c < 4; c++) all = all << kBits | b.w[c];
    return all;
  }
  static Block block(uint64_t all) {
    constexpr int kBits = kSmall ? 4 * E : 0;
    Block b{};
    for (int c = 3; c >= 0; c--, all >>= kBits) b.w[c] = static_cast<uint32_t>(all) & kWordMask;
    return b;
  }
  static uint64_t looked_up(const std::array<std::vector<uint64_t>, 8> &tables, uint64_t all) {
    uint64_t sum = 0;
    for (int i = 0; i < 8; i++) sum ^= tables[i][all >> (2 * E * (7 - i)) & (kCells * kCells - 1)];
    return sum;
  }

  // The inverse in the ring of polynomials modulo y^4 + 1: for a(1) = 1, the cube of a.
  static std::array<uint32_t, 4> inverse_circulant(const std::array<uint32_t, 4> &a) {
    auto product = [](const std::array<uint32_t, 4> &one, const std::array<uint32_t, 4> &other) {
      std::array<uint32_t, 4> result{};
      for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) result[(i + j) % 4] ^= times(one[i], other[j]);
      }
      return result;
    };
    return product(product(a, a), a);
  }

  uint32_t slow_f(uint32_t word) const {
    uint32_t result = 0;
    for (int i = 0; i < 4; i++) result |= place(sub[cell(word, (i + 1) % 4)], i);
    return result;
  }
  uint32_t slow_unmix(uint32_t word) const {
    return unmix[0][cell(word, 0)] ^ unmix[1][cell(word, 1)] ^ unmix[2][cell(word, 2)] ^
           unmix[3][cell(word, 3)];
  }
  // SubWord of RotWord, and Rcon.
  uint32_t f(uint32_t word, int j) const {
    return (kSmall ? word_f[word] : slow_f(word)) ^ place(rcon[j], 0);
  }
  uint32_t inv_mix_column(uint32_t word) const {
    return kSmall ? word_unmix[word] : slow_unmix(word);
  }

  // Words 2 and 3 of a round key after the first, as liu2014 and hu2009 have them.
  static Block completed(Scheme scheme, uint32_t w0, uint32_t w1) {
    if (scheme == kHu2009) return {{w0, w1, w0 ^ w1, w0}};
    const uint32_t w2 = w0 ^ rotate(w1, w0 & 1 ? 2 : 1);
    const uint32_t w3 = w1 ^ rotate(w2, w0 >> E & 1 ? 2 : 1);
    return {{w0, w1, w2, w3}};
  }
  // Words 0 and 1 of round key j, from round key j - 1: all there is to a research scheme.
  void state(Scheme scheme, const Block &k, int j, uint32_t &w0, uint32_t &w1) const {
    if (scheme == kHu2009) {
      w0 = k.w[0] ^ f(k.w[2] ^ k.w[3], j);
      w1 = k.w[1] ^ k.w[2];
    } else {
      w0 = k.w[0] ^ f(k.w[3], j);
      w1 = k.w[1] ^ f(k.w[2], j);
    }
  }
  Block next_key(Scheme scheme, const Block &k, int j) const {
    if (scheme == kFips197) {
      const uint32_t w0 = k.w[0] ^ f(k.w[3], j), w1 = k.w[1] ^ w0, w2 = k.w[2] ^ w1;
      return {{w0, w1, w2, k.w[3] ^ w2}};
    }
    uint32_t w0, w1;
    state(scheme, k, j, w0, w1);
    return completed(scheme, w0, w1);
  }

  Block encrypt(Scheme scheme, const Block &key, const Block &plain) const {
    Block k = key, x = plain ^ key;
    for (int j = 1; j <= kRounds; j++) {
      k = next_key(scheme, k, j);
      Block y{};
      for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
          const uint32_t s = sub[cell(x.w[(c + r) % 4], r)];
          y.w[c] ^= j < kRounds ? mix[r][s] : place(s, r);
        }
      }
      x = y ^ k;
    }
    return x;
  }

  // Rounds 10 to 1 inverted, by the round keys 1 to 10 that follow from round key 1: what the
  // plaintext plus round key 0 was.
  Block back_to_whitening(Scheme scheme, const Block &first, const Block &cipher) const {
    std::array<Block, kRounds + 1> keys;
    keys[1] = first;
    for (int j = 2; j <= kRounds; j++) keys[j] = next_key(scheme, keys[j - 1], j);
    Block x = cipher ^ keys[kRounds];
    for (int j = kRounds - 1; j >= 1; j--) {
      Block y;
      for (int c = 0; c < 4; c++) {
        y.w[c] = unround[0][cell(x.w[c], 0)] ^ unround[1][cell(x.w[(c + 3) % 4], 1)] ^
                 unround[2][cell(x.w[(c + 2) % 4], 2)] ^ unround[3][cell(x.w[(c + 1) % 4], 3)] ^
                 inv_mix_column(keys[j].w[c]);
      }
      x = y;
    }
    Block y;
    for (int c = 0; c < 4; c++) {
      y.w[c] = 0;
      for (int r = 0; r < 4; r++) y.w[c] |= place(unsub[cell(x.w[(c + 4 - r) % 4], r)], r);
    }
    return y;
  }

  // The same for several round keys at a time, whose look-ups need not wait for each other.
  template <size_t N>
  std::array<Block, N> several_back(Scheme scheme, const std::array<Block, N> &first,
                                    const Block &cipher) const {
    std::array<Block, N> result;
    if constexpr (kSmall) {
      std::array<Block, N> key = first;
      std::array<std::array<uint64_t, N>, kRounds> unmixed;
      std::array<uint64_t, N> all;
      for (int j = 1; j < kRounds; j++) {
        for (size_t i = 0; i < N; i++) {
          Block unmixed_key;
          for (int c = 0; c < 4; c++) unmixed_key.w[c] = word_unmix[key[i].w[c]];
          unmixed[j][i] = number(unmixed_key);
          key[i] = next_key(scheme, key[i], j + 1);
        }
      }
      for (size_t i = 0; i < N; i++) all[i] = number(cipher ^ key[i]);
      for (int j = kRounds - 1; j >= 1; j--) {
        for (size_t i = 0; i < N; i++) all[i] = looked_up(pair_unround, all[i]) ^ unmixed[j][i];
      }
      for (size_t i = 0; i < N; i++) result[i] = block(looked_up(pair_unsub, all[i]));
    } else {
      for (size_t i = 0; i < N; i++) result[i] = back_to_whitening(scheme, first[i], cipher);
    }
    return result;
  }

  Block parse(const char *text) const {
    // E bits a cell: whole hexadecimal digits for 4 and 8; for 3, 16 octal digits.
    const int digits = 16 * (E == 8 ? 2 : 1);
    if (static_cast<int>(std::strlen(text)) != digits) refuse("a block has another length");
    Block block{};
    for (int i = 0; i < 16; i++) {
      const std::string part(text + i * digits / 16, static_cast<size_t>(digits / 16));
      block.w[i / 4] |= place(static_cast<uint32_t>(std::stoul(part, nullptr, 16)) & kMask, i % 4);
    }
    return block;
  }
  std::string show(const Block &block) const {
    std::string text;
    for (int i = 0; i < 16; i++) {
      char digits[8];
      std::snprintf(digits, sizeof digits, E == 8 ? "%02x" : "%x", cell(block.w[i / 4], i % 4));
      text += digits;
    }
    return text;
  }
};

struct Pairs {
  Block plain, cipher, plain_2, cipher_2;
};

double seconds_since(std::chrono::steady_clock::time_point started) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

// Try `count` values of the words 0 and 1 of round key 1, from `first` on.
template <int E>
void search(Scheme scheme, uint64_t first, uint64_t count, const char *const *texts) {
  const Cipher<E> cipher;
  const Pairs pairs = {cipher.parse(texts[0]), cipher.parse(texts[1]), cipher.parse(texts[2]),
                       cipher.parse(texts[3])};
  std::vector<std::string> found;
  uint64_t passed = 0;
  const auto started = std::chrono::steady_clock::now();
  constexpr size_t kBlocks = 8;
  if (count % kBlocks != 0) refuse("the count must be a multiple of 8");
  for (uint64_t number = first; number < first + count; number += kBlocks) {
    std::array<Block, kBlocks> one;
    for (size_t i = 0; i < kBlocks; i++) {
      const auto w0 = static_cast<uint32_t>((number + i) >> (4 * E)) & Cipher<E>::kWordMask;
      const auto w1 = static_cast<uint32_t>(number + i) & Cipher<E>::kWordMask;
      one[i] = Cipher<E>::completed(scheme, w0, w1);
    }
    const auto before = cipher.template several_back<kBlocks>(scheme, one, pairs.cipher);
    for (size_t i = 0; i < kBlocks; i++) {
      // The whitening key that turns the plaintext into what the ciphertext comes from must lead to
      // this round key, and encrypt the other pair.
      const Block key = before[i] ^ pairs.plain;
      if (!(cipher.next_key(scheme, key, 1) == one[i])) continue;
      passed++;
      if (cipher.encrypt(scheme, key, pairs.plain_2) == pairs.cipher_2) {
        found.push_back(cipher.show(key));
      }
    }
  }
  std::printf("{\"trials\": %llu, \"passed\": %llu, \"seconds\": %.6f, \"keys\": [",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(passed),
              seconds_since(started));
  for (size_t i = 0; i < found.size(); i++) {
    std::printf("%s\"%s\"", i ? ", " : "", found[i].c_str());
  }
  std::printf("]}\n");
}

// --- One leaked round key (liu2014, E = 8) ------------------------------------------------------

// An equation: three S-box look-ups, five sums, a comparison; one more for the guess.
constexpr uint64_t kEquationOperations = 10;
// Round keys 1 to 10, rounds 10 to 1: 8 look-ups and at most 24 sums a key, 16 and 16 a round, and
// in nine of them, for data and key alike, 4 products and 3 sums for each of 16 bytes.
constexpr uint64_t kTrialOperations = 10 * (8 + 24) + 10 * (16 + 16) + 9 * 2 * 16 * 7;

struct State {
  uint32_t w0, w1;
};

// All states of round j - 1 that lead to a state of round j. With x the word 1 that is looked for,
// word 2 follows from it byte by byte (it stands alone in the new word 1), so do word 0 and word 3
// for each value of the judgement bits, and the new word 0 gives an equation for each byte i:
//   new0[i] + Rcon = IS(a[i-1]) + x[i+p] + S(x[i+1] + IS(a[i+q])),  a = x + new1 + Rcon
// p and q being 1 or 2 by the judgement bits. Two bytes of x give the other two, and two equations
// are left to test: 2^16 guesses for each of the four cases.
void predecessors(const Cipher<8> &cipher, const State &target, int j, std::vector<State> &found,
                  uint64_t &operations) {
  const uint32_t t0 = target.w0 ^ Cipher<8>::place(cipher.rcon[j], 0);
  const uint32_t t1 = target.w1 ^ Cipher<8>::place(cipher.rcon[j], 0);
  uint32_t u0[4], u1[4];
  for (int i = 0; i < 4; i++) {
    u0[i] = Cipher<8>::cell(t0, i);
    u1[i] = Cipher<8>::cell(t1, i);
  }
  uint64_t equations = 0;
  for (int p = 1; p <= 2; p++) {
    for (int q = 1; q <= 2; q++) {
      uint32_t x[4];
      // What IS(a[i-1]) must be, by equation i.
      auto right = [&](int i) {
        const int next = (i + 1) % 4, other = (i + q) % 4;
        return u0[i] ^ x[(i + p) % 4] ^ cipher.sub[x[next] ^ cipher.unsub[x[other] ^ u1[other]]];
      };
      for (uint32_t guess = 0; guess < 0x10000; guess++) {
        x[1] = guess >> 8;
        x[2] = guess & 0xff;
        x[3] = cipher.sub[right(0)] ^ u1[3];
        x[0] = cipher.sub[right(1)] ^ u1[0];
        equations += 3;
        if (cipher.unsub[x[1] ^ u1[1]] != right(2)) continue;
        equations++;
        if (cipher.unsub[x[2] ^ u1[2]] != right(3)) continue;
        uint32_t w1 = 0, w2 = 0;
        for (int i = 0; i < 4; i++) {
          w1 |= Cipher<8>::place(x[i], i);
          w2 |= Cipher<8>::place(cipher.unsub[x[(i + 3) % 4] ^ u1[(i + 3) % 4]], i);
        }
        const uint32_t w0 = w2 ^ Cipher<8>::rotate(w1, p);
        // The judgement bits must be those of the case.
        if ((w0 & 1) != static_cast<uint32_t>(p - 1)) continue;
        if ((w0 >> 8 & 1) != static_cast<uint32_t>(q - 1)) continue;
        found.push_back({w0, w1});
      }
    }
  }
  operations += equations * kEquationOperations;
}

void recover(int round, const char *leaked, const char *const *texts) {
  if (round < 1 || round > kRounds) refuse("the round is 1 to 10");
  const Cipher<8> cipher;
  const Pairs pairs = {cipher.parse(texts[0]), cipher.parse(texts[1]), cipher.parse(texts[2]),
                       cipher.parse(texts[3])};
  const Block key = cipher.parse(leaked);
  uint64_t operations = 0;
  std::vector<std::string> found;
  std::vector<size_t> candidates;
  const auto started = std::chrono::steady_clock::now();
  std::vector<State> states = {{key.w[0], key.w[1]}};
  for (int j = round; j >= 2; j--) {
    std::vector<State> earlier;
    for (const State &one : states) predecessors(cipher, one, j, earlier, operations);
    states.swap(earlier);
    candidates.push_back(states.size());
  }
  for (const State &one : states) {
    const Block first = Cipher<8>::completed(kLiu2014, one.w0, one.w1);
    const Block seed = cipher.back_to_whitening(kLiu2014, first, pairs.cipher) ^ pairs.plain;
    operations += kTrialOperations;
    if (!(cipher.next_key(kLiu2014, seed, 1) == first)) continue;
    operations += kTrialOperations;
    if (cipher.encrypt(kLiu2014, seed, pairs.plain_2) == pairs.cipher_2) {
      found.push_back(cipher.show(seed));
    }
  }
  std::printf("{\"operations\": %llu, \"seconds\": %.6f, \"candidates\": [",
              static_cast<unsigned long long>(operations), seconds_since(started));
  for (size_t i = 0; i < candidates.size(); i++) {
    std::printf("%s%zu", i ? ", " : "", candidates[i]);
  }
  std::printf("], \"keys\": [");
  for (size_t i = 0; i < found.size(); i++) {
    std::printf("%s\"%s\"", i ? ", " : "", found[i].c_str());
  }
  std::printf("]}\n");
}

// --- Command line -------------------------------------------------------------------------------

Scheme scheme_named(const std::string &name) {
  if (name == "fips197") return kFips197;
  if (name == "hu2009") return kHu2009;
  if (name == "liu2014") return kLiu2014;
  refuse("the scheme is fips197, hu2009 or liu2014");
}

template <int E>
void run(const std::string &verb, Scheme scheme, char **rest, int count) {
  if (verb == "encrypt" && count == 2) {
    const Cipher<E> cipher;
    const Block done = cipher.encrypt(scheme, cipher.parse(rest[0]), cipher.parse(rest[1]));
    std::printf("{\"block\": \"%s\"}\n", cipher.show(done).c_str());
  } else if (verb == "search" && count == 6) {
    search<E>(scheme, std::stoull(rest[0], nullptr, 16), std::stoull(rest[1], nullptr, 16),
              rest + 2);
  } else {
    refuse("wrong words");
  }
}

}  // namespace

int main(int argc, char **argv) {
#ifdef __linux__
  // An interrupt may come to who started us before it knows our number: do not outlive it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "recover" && argc == 8) {
    recover(std::atoi(argv[2]), argv[3], argv + 4);
  } else if (verb == "predecessors" && argc == 5) {
    const Cipher<8> cipher;
    std::vector<State> found;
    uint64_t operations = 0;
    const State target = {static_cast<uint32_t>(std::stoul(argv[3], nullptr, 16)),
                          static_cast<uint32_t>(std::stoul(argv[4], nullptr, 16))};
    predecessors(cipher, target, std::atoi(argv[2]), found, operations);
    std::printf("{\"states\": [");
    for (size_t i = 0; i < found.size(); i++) {
      std::printf("%s\"%08x%08x\"", i ? ", " : "", found[i].w0, found[i].w1);
    }
    std::printf("]}\n");
  } else if (argc > 4) {
    const Scheme scheme = scheme_named(argv[3]);
    const int cell_bits = std::atoi(argv[2]);
    if (cell_bits == 3) {
      run<3>(verb, scheme, argv + 4, argc - 4);
    } else if (cell_bits == 4) {
      run<4>(verb, scheme, argv + 4, argc - 4);
    } else if (cell_bits == 8) {
      run<8>(verb, scheme, argv + 4, argc - 4);
    } else {
      refuse("cells have 3, 4 or 8 bits");
    }
  } else {
    refuse("wrong words");
  }
}

// SPDX-License-Identifier: Apache-2.0
// Improve a circuit of LUTs of up to four inputs by simulated annealing: helper of tower_sbox.py.
//
//   tower_anneal IN OUT SEED MOVES DEPTH
//
// A move takes one LUT, works out on the complete truth table for which inputs its value can be
// seen at an output (or at a wire of the norm, which stays what it is), and looks through all sets
// of up to four other wires, and some new LUTs over them, for sets from which the value can be
// computed. The cheapest of a dozen such sets is taken or not by the rule of Metropolis. LUTs that
// nobody reads any more disappear: that is how the count falls. Same arguments, same result.
//
// Compile with -DWORDS=4 for 8 inputs (256 values) and -DWORDS=8 for 9.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#ifndef WORDS
#define WORDS 4
#endif

static const int kChecked = 64;       // candidate sets kept of all that pass the quick test
static const int kTried = 12;         // of these, those worked out in full
static const int kNewLuts = 24;       // new LUTs offered in a third of the moves
static const double kHot = 0.45, kCold = 0.12;  // temperatures, in LUTs
static const double kRegisterCost = 0.02;       // of a register at full depth, in LUTs
static const double kLevelCost = 3.0, kLateCost = 0.3;

struct Table {
  uint64_t w[WORDS];
  bool bit(int i) const { return w[i >> 6] >> (i & 63) & 1; }
};

struct Lut {
  int k = 0;  // fan-ins
  int fanin[4] = {0, 0, 0, 0};
  uint16_t table = 0;
  Table value;
  int level = 0;
};

struct Circuit {
  int inputs = 0;
  std::vector<Lut> wire;  // inputs first, then LUTs, each after its fan-ins
  std::vector<int> outputs, norm;
  int luts() const { return (int)wire.size() - inputs; }
  std::vector<int> roots() const {
    std::vector<int> all = outputs;
    all.insert(all.end(), norm.begin(), norm.end());
    return all;
  }
  bool is_root(int i) const {
    for (int r : roots())
      if (r == i) return true;
    return false;
  }
};

static std::mt19937_64 random_bits;
static int below(int n) { return (int)(random_bits() % n); }
static double unit() { return (random_bits() >> 11) * (1.0 / 9007199254740992.0); }

static Table evaluate(const Circuit& c, const Lut& lut) {
  Table result;
  for (int w = 0; w < WORDS; w++) {
    uint64_t sum = 0;
    for (int m = 0; m < 1 << lut.k; m++) {
      if (!(lut.table >> m & 1)) continue;
      uint64_t term = ~0ull;
      for (int i = 0; i < lut.k; i++) {
        uint64_t v = c.wire[lut.fanin[i]].value.w[w];
        term &= m >> i & 1 ? v : ~v;
      }
      sum |= term;
    }
    result.w[w] = sum;
  }
  return result;
}

// Drops LUTs without a reader, puts the rest in order and sets the levels.
static void tidy(Circuit& c) {
  std::vector<int> state(c.wire.size(), 0), order, stack;
  for (int i = 0; i < c.inputs; i++) {
    state[i] = 2;
    order.push_back(i);
  }
  for (int root : c.roots()) {
    if (state[root]) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      int i = stack.back();
      if (state[i] == 0) {
        state[i] = 1;
        for (int j = 0; j < c.wire[i].k; j++)
          if (!state[c.wire[i].fanin[j]]) stack.push_back(c.wire[i].fanin[j]);
        continue;
      }
      stack.pop_back();
      if (state[i] == 1) {
        state[i] = 2;
        order.push_back(i);
      }
    }
  }
  std::vector<int> place(c.wire.size(), -1);
  for (size_t i = 0; i < order.size(); i++) place[order[i]] = (int)i;
  std::vector<Lut> sorted;
  for (int i : order) {
    Lut lut = c.wire[i];
    lut.level = 0;
    for (int j = 0; j < lut.k; j++) {
      lut.fanin[j] = place[lut.fanin[j]];
      lut.level = std::max(lut.level, sorted[lut.fanin[j]].level + 1);
    }
    sorted.push_back(lut);
  }
  c.wire = sorted;
  for (int& i : c.outputs) i = place[i];
  for (int& i : c.norm) i = place[i];
}

static int depth(const Circuit& c) {
  int deepest = 0;
  for (int i : c.outputs) deepest = std::max(deepest, c.wire[i].level);
  return deepest;
}

// Levels between each wire and the outputs.
static std::vector<int> heights(const Circuit& c) {
  std::vector<int> height(c.wire.size(), 0);
  for (int i = (int)c.wire.size() - 1; i >= c.inputs; i--)
    for (int j = 0; j < c.wire[i].k; j++) {
      int& h = height[c.wire[i].fanin[j]];
      h = std::max(h, height[i] + 1);
    }
  return height;
}

static double cost(const Circuit& c, int allowed) {
  int deepest = depth(c), registers = 0;
  std::vector<int> last(c.wire.size(), 0);
  for (const Lut& lut : c.wire)
    for (int j = 0; j < lut.k; j++) last[lut.fanin[j]] = std::max(last[lut.fanin[j]], lut.level);
  for (int i : c.outputs) last[i] = deepest + 1;
  for (size_t i = 0; i < c.wire.size(); i++)
    registers += std::max(0, last[i] - std::max(1, c.wire[i].level));
  double total = c.luts() + kRegisterCost * registers;
  if (deepest > allowed) {
    std::vector<int> height = heights(c);
    int late = 0;
    for (size_t i = c.inputs; i < c.wire.size(); i++)
      late += c.wire[i].level + height[i] > allowed;
    total += kLevelCost * (deepest - allowed) + kLateCost * late;
  }
  return total;
}

// A truth table over the given values that is 1 on `on` and 0 on `off`, if there is one.
static bool fit(const std::vector<const Table*>& v, const Table& on, const Table& off,
                uint16_t& table) {
  table = 0;
  for (int m = 0; m < 1 << v.size(); m++) {
    uint64_t ones = 0, zeros = 0;
    for (int w = 0; w < WORDS; w++) {
      uint64_t term = ~0ull;
      for (size_t i = 0; i < v.size(); i++) term &= m >> i & 1 ? v[i]->w[w] : ~v[i]->w[w];
      ones |= term & on.w[w];
      zeros |= term & off.w[w];
    }
    if (ones && zeros) return false;
    if (ones || (!zeros && (random_bits() & 1))) table |= 1 << m;
  }
  return true;
}

// Makes the readers of wire x read wire s (or its complement) instead.
static void bypass(Circuit& c, int x, int s, bool complement) {
  for (Lut& lut : c.wire)
    for (int i = 0; i < lut.k; i++) {
      if (lut.fanin[i] != x) continue;
      lut.fanin[i] = s;
      if (!complement) continue;
      uint16_t old = lut.table;
      lut.table = 0;
      for (int m = 0; m < 1 << lut.k; m++)
        if (old >> (m ^ 1 << i) & 1) lut.table |= 1 << m;
    }
  if (complement) return;
  for (int& i : c.outputs)
    if (i == x) i = s;
  for (int& i : c.norm)
    if (i == x) i = s;
}

static void drop_repeated_fanins(Lut& lut) {
  for (int i = 0; i < lut.k; i++)
    for (int j = i + 1; j < lut.k; j++) {
      if (lut.fanin[i] != lut.fanin[j]) continue;
      uint16_t table = 0;
      for (int m = 0; m < 1 << (lut.k - 1); m++) {
        int full = (m & ((1 << j) - 1)) | (m >> j) << (j + 1) | (m >> i & 1) << j;
        if (lut.table >> full & 1) table |= 1 << m;
      }
      lut.table = table;
      for (int n = j; n < lut.k - 1; n++) lut.fanin[n] = lut.fanin[n + 1];
      lut.k--;
      j--;
    }
}

static Lut random_lut(const Circuit& c, const std::vector<int>& choice) {
  Lut lut;
  lut.k = 2 + below(3);
  for (int i = 0; i < lut.k; i++) {
    lut.fanin[i] = choice[below((int)choice.size())];
    lut.level = std::max(lut.level, c.wire[lut.fanin[i]].level + 1);
    for (int j = 0; j < i; j++)
      if (lut.fanin[j] == lut.fanin[i]) lut.k = 0;
    if (!lut.k) return lut;
  }
  int kind = below(4);
  for (int m = 0; m < 1 << lut.k; m++) {
    bool one;
    if (kind < 2 || (kind == 2 && lut.k == 2))
      one = __builtin_popcount(m) & 1;
    else if (kind == 2)  // a b + c d, or a b + c
      one = ((m & 3) == 3) ^ (lut.k == 4 ? m >> 2 == 3 : m >> 2);
    else
      one = random_bits() & 1;
    if (one) lut.table |= 1 << m;
  }
  lut.value = evaluate(c, lut);
  return lut;
}

// The inputs for which wire x matters. Restores the values it changes.
static Table care_set(Circuit& c, int x, const std::vector<char>& after) {
  Table care;
  memset(&care, 255, sizeof care);
  if (c.is_root(x)) return care;
  std::vector<Lut> saved = c.wire;
  for (int w = 0; w < WORDS; w++) c.wire[x].value.w[w] = ~c.wire[x].value.w[w];
  for (size_t i = x + 1; i < c.wire.size(); i++)
    if (after[i]) c.wire[i].value = evaluate(c, c.wire[i]);
  memset(&care, 0, sizeof care);
  for (int root : c.roots())
    for (int w = 0; w < WORDS; w++)
      care.w[w] |= c.wire[root].value.w[w] ^ saved[root].value.w[w];
  c.wire = saved;
  return care;
}

static void move(Circuit& c, double temperature, double& current, int allowed) {
  const int size = (int)c.wire.size();
  const int x = c.inputs + below(c.luts());
  std::vector<char> after(size, 0);
  after[x] = 1;
  for (int i = x + 1; i < size; i++)
    for (int j = 0; j < c.wire[i].k; j++) after[i] |= after[c.wire[i].fanin[j]];
  const bool root = c.is_root(x);
  const Table care = care_set(c, x, after);
  Table on, off;
  for (int w = 0; w < WORDS; w++) {
    on.w[w] = c.wire[x].value.w[w] & care.w[w];
    off.w[w] = ~c.wire[x].value.w[w] & care.w[w];
  }
  std::vector<int> ones, zeros;
  for (int i = 0; i < 64 * WORDS; i++) {
    if (on.bit(i)) ones.push_back(i);
    if (off.bit(i)) zeros.push_back(i);
  }
  if (ones.empty() || zeros.empty()) return;

  // Wires on offer, then new LUTs over them.
  const int limit = std::max(allowed, depth(c)) - heights(c)[x] - 1;
  std::vector<int> offer;
  for (int i = 0; i < size; i++)
    if (!after[i] && c.wire[i].level <= limit) offer.push_back(i);
  const int offered = (int)offer.size();
  std::vector<Lut> fresh;
  if (below(3) == 0 && offered > 4)
    for (int t = 0; t < kNewLuts; t++) {
      Lut lut = random_lut(c, offer);
      if (lut.k && lut.level <= limit) fresh.push_back(lut);
    }
  std::vector<const Table*> value;
  for (int i : offer) value.push_back(&c.wire[i].value);
  for (const Lut& lut : fresh) value.push_back(&lut.value);
  const int total = (int)value.size();

  // Quick test: 64 pairs of inputs, one with value 1 and one with 0; bit p of tells[i] is set when
  // wire i tells pair p apart. A usable set of wires tells all pairs apart. Every second pair is of
  // near inputs, which fewer wires tell apart.
  std::vector<uint64_t> tells(total, 0);
  for (int p = 0; p < 64; p++) {
    int a = ones[below((int)ones.size())], b = zeros[below((int)zeros.size())];
    for (int t = 0; p % 2 && t < 12; t++) {
      int other = zeros[below((int)zeros.size())];
      if (__builtin_popcount(other ^ a) < __builtin_popcount(b ^ a)) b = other;
    }
    for (int i = 0; i < total; i++)
      if (value[i]->bit(a) != value[i]->bit(b)) tells[i] |= 1ull << p;
  }
  struct Set {
    int k, member[4];
  };
  std::vector<Set> sets;
  long seen = 0;
  auto keep = [&](int k, int a, int b, int d, int e) {
    seen++;
    Set set = {k, {a, b, d, e}};
    if ((int)sets.size() < kChecked) {
      sets.push_back(set);
    } else {
      long r = (long)(random_bits() % seen);
      if (r < kChecked) sets[r] = set;
    }
  };
  for (int a = 0; a < offered; a++)
    for (int b = a + 1; b < offered; b++) {
      const uint64_t two = tells[a] | tells[b];
      for (int d = b + 1; d < offered; d++) {
        const uint64_t need = ~(two | tells[d]);
        if (!need) {
          keep(3, a, b, d, -1);
          continue;
        }
        for (int e = d + 1; e < total; e++)
          if ((tells[e] & need) == need) keep(4, a, b, d, e);
      }
    }
  std::shuffle(sets.begin(), sets.end(), random_bits);

  Circuit best;
  double best_cost = 0;
  int tried = 0;
  for (const Set& set : sets) {
    std::vector<const Table*> v;
    std::vector<int> id;
    for (int i = 0; i < set.k; i++) {
      id.push_back(set.member[i]);
      v.push_back(value[set.member[i]]);
    }
    uint16_t table;
    if (!fit(v, on, off, table)) continue;
    for (size_t i = 0; i < v.size() && v.size() > 1;) {  // drop what is not needed
      std::vector<const Table*> fewer;
      for (size_t j = 0; j < v.size(); j++)
        if (j != i) fewer.push_back(v[j]);
      uint16_t smaller;
      if (fit(fewer, on, off, smaller)) {
        v = fewer;
        table = smaller;
        id.erase(id.begin() + i);
      } else {
        i++;
      }
    }
    Circuit next = c;
    Lut lut = c.wire[x];
    lut.k = (int)id.size();
    lut.table = table;
    for (int i = 0; i < lut.k; i++) {
      if (id[i] < offered) {
        lut.fanin[i] = offer[id[i]];
      } else {
        next.wire.push_back(fresh[id[i] - offered]);
        lut.fanin[i] = (int)next.wire.size() - 1;
      }
    }
    std::vector<int> before(c.wire[x].fanin, c.wire[x].fanin + c.wire[x].k);
    std::vector<int> now(lut.fanin, lut.fanin + lut.k);
    std::sort(before.begin(), before.end());
    std::sort(now.begin(), now.end());
    if (before == now) continue;
    next.wire[x] = lut;
    if (lut.k == 1) {
      bool complement = (table & 3) == 1;
      if (!complement || !root) bypass(next, x, lut.fanin[0], complement);
    }
    tidy(next);
    for (Lut& one : next.wire) drop_repeated_fanins(one);
    double next_cost = cost(next, allowed);
    tried++;
    if (tried == 1 || next_cost < best_cost || (next_cost == best_cost && below(tried) == 0)) {
      best = next;
      best_cost = next_cost;
    }
    if (tried == kTried) break;
  }
  if (!tried || (best_cost > current && unit() >= exp((current - best_cost) / temperature))) return;
  for (int i = best.inputs; i < (int)best.wire.size(); i++)
    best.wire[i].value = evaluate(best, best.wire[i]);
  for (size_t i = 0; i < c.roots().size(); i++)
    if (memcmp(&best.wire[best.roots()[i]].value, &c.wire[c.roots()[i]].value, sizeof(Table))) {
      fprintf(stderr, "tower_anneal: a move changed an output\n");
      exit(3);
    }
  c = best;
  current = best_cost;
}

static Circuit load(const char* name) {
  FILE* file = fopen(name, "r");
  Circuit c;
  int luts = 0, outputs = 0, norm = 0;
  bool good = file && fscanf(file, "%d %d %d %d", &c.inputs, &luts, &outputs, &norm) == 4;
  good = good && 1 << c.inputs == 64 * WORDS;
  c.wire.resize(good ? c.inputs + luts : 0);
  for (int i = 0; good && i < c.inputs; i++) {
    memset(&c.wire[i].value, 0, sizeof(Table));
    for (int b = 0; b < 64 * WORDS; b++)
      if (b >> i & 1) c.wire[i].value.w[b >> 6] |= 1ull << (b & 63);
  }
  for (int i = 0; good && i < luts; i++) {
    Lut& lut = c.wire[c.inputs + i];
    unsigned table = 0;
    good = fscanf(file, "%d", &lut.k) == 1 && lut.k >= 0 && lut.k <= 4;
    for (int j = 0; good && j < lut.k; j++) good = fscanf(file, "%d", &lut.fanin[j]) == 1;
    good = good && fscanf(file, "%x", &table) == 1;
    lut.table = (uint16_t)table;
  }
  c.outputs.resize(good ? outputs : 0);
  c.norm.resize(good ? norm : 0);
  for (int& i : c.outputs) good = good && fscanf(file, "%d", &i) == 1;
  for (int& i : c.norm) good = good && fscanf(file, "%d", &i) == 1;
  if (!good) {
    fprintf(stderr, "tower_anneal: cannot read %s\n", name);
    exit(2);
  }
  fclose(file);
  tidy(c);
  for (int i = c.inputs; i < (int)c.wire.size(); i++) c.wire[i].value = evaluate(c, c.wire[i]);
  return c;
}

static void save(const char* name, const Circuit& c) {
  FILE* file = fopen(name, "w");
  if (!file) exit(2);
  fprintf(file, "%d %d %zu %zu\n", c.inputs, c.luts(), c.outputs.size(), c.norm.size());
  for (size_t i = c.inputs; i < c.wire.size(); i++) {
    fprintf(file, "%d", c.wire[i].k);
    for (int j = 0; j < c.wire[i].k; j++) fprintf(file, " %d", c.wire[i].fanin[j]);
    fprintf(file, " %x\n", c.wire[i].table);
  }
  for (int i : c.outputs) fprintf(file, "%d ", i);
  fprintf(file, "\n");
  for (int i : c.norm) fprintf(file, "%d ", i);
  fprintf(file, "\n");
  fclose(file);
}

int main(int count, char** argument) {
  if (count != 6) {
    fprintf(stderr, "usage: tower_anneal IN OUT SEED MOVES DEPTH\n");
    return 2;
  }
  Circuit c = load(argument[1]);
  random_bits.seed(atol(argument[3]));
  const long moves = atol(argument[4]);
  const int allowed = atoi(argument[5]);
  double current = cost(c, allowed), best_cost = current;
  Circuit best = c;
  for (long m = 0; m < moves; m++) {
    move(c, kHot * pow(kCold / kHot, (double)m / moves), current, allowed);
    if (current < best_cost - 1e-9) {
      best_cost = current;
      best = c;
    }
  }
  save(argument[2], best);
  return 0;
}

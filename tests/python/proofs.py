# SPDX-License-Identifier: Apache-2.0
"""What the tests of proofs share: small cores, the specification, and mutants."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from aesforge.design import SBOX_STYLES, Design, load
from aesforge.measure.synthesis import MAPPED
from aesforge.netlist.aig import Aig, value_of
from aesforge.prove import circuit
from aesforge.toolchain import programs, rtl
from project import REPO

sys.path.insert(0, str(REPO / "scripts"))

import prove_mutants

LITTLE = load("compact", {"name": "little"})
STORED = load("compact", {"name": "stored", "key_schedule": "stored"})
# Without the counter of a delay line in RAM, each state of which is a case.
SERIAL = load("rahman2010-composite", {"direction": "decrypt", "delay_line": "register"})
# The smallest that has steps: all of them in one round's hardware.
EXPANSION = Design(
    name="steps", architecture="key_expand", unroll=1, sbox="tower", sbox_stages=0, linear_stages=1
)
READY = "assign in_ready = slot_ready && !zeroize && ring_ready != '0"


def change(file: str, old: str, new: str) -> dict[str, str]:
    return {"file": file, "old": old, "new": new}


TOWER = circuit.Forms(SBOX_STYLES.index("tower"), SBOX_STYLES.index("tower"))


def specified(key_bits: int, inverse: bool) -> Aig:
    part = "INVCIPHER" if inverse else "CIPHER"
    return circuit.specification(part, key_bits, TOWER).aig


def bits_of(data: np.ndarray) -> np.ndarray:
    """(n, bytes) -> (8 bytes, words of 64 cases), the port's lowest bit first."""
    bits = np.unpackbits(data, axis=1)[:, ::-1]
    cases = np.zeros((-len(bits) % 64 + len(bits), bits.shape[1]), np.uint8)
    cases[: len(bits)] = bits
    packed = np.packbits(cases, axis=0, bitorder="little")
    return np.ascontiguousarray(packed.T).view(np.uint64)


def run(graph: Aig, keys: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """Evaluate the specification; (n, bytes of the key) and (n, 16) give (n, 16)."""
    rows = {}
    for port, data in (("key", keys), ("block", blocks)):
        for bit, row in enumerate(bits_of(data)):
            rows[f"{port}[{bit}]"] = row
    values = graph.simulate(np.array([rows[name] for name in graph.inputs]))
    out = value_of(values, graph.bits_out("result"))
    bits = np.unpackbits(out.view(np.uint8), axis=1, bitorder="little")[:, : len(keys)]
    return np.packbits(bits.T[:, ::-1], axis=1)


# As `measure` maps it: to a ROM of 256 bytes with its register.
SYNTHESIS = {
    "ecp5": "synth_ecp5",
    "nexus": "synth_nexus -noiopad",
    "gowin": "synth_gowin -noiopads",
    "gatemate": "synth_gatemate -noiopad -noclkbuf",
    "xc7": "synth_xilinx -family xc7 -noiopad -noclkbuf",
    "ice40": "synth_ice40",
}


def mapped_rom(folder: Path, name: str) -> Path:
    """Map an S-box to a family's block RAM and give the netlist."""
    parameters = {"Ports": 2, "Stages": 1, "Direction": 0}
    sets = " ".join(f"-set {key} {value}" for key, value in parameters.items())
    lines = [
        f"read_verilog -sv {' '.join(map(str, rtl.filelist()))}",
        f"chparam {sets} aesforge_sbox_bram",
        "hierarchy -top aesforge_sbox_bram",
        "proc",
        "rename -top core",
        f"{SYNTHESIS[name]} -top core -flatten"
        if name == "xc7"
        else f"{SYNTHESIS[name]} -top core",
    ]
    return mapped_by(folder, lines)


def mapped_by(folder: Path, lines: list[str]) -> Path:
    """Run Yosys and give the netlist that it is left with."""
    (folder / "map.ys").write_text(
        "\n".join([*lines, "select core", f"write_rtlil -selected {MAPPED}\n"])
    )
    programs.run("yosys", ["map.ys"], folder, folder / "map.log")
    return folder / MAPPED


def mutant(kind: str, core: str) -> prove_mutants.Mutant:
    return next(m for m in prove_mutants.rtl_mutants() if (m.kind, m.core) == (kind, core))

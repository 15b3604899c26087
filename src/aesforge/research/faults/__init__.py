# SPDX-License-Identifier: Apache-2.0
"""SEUs in single registers of a core, many at a time, and their effect on its outputs.

    circuit = of_netlist(synthesis)
    found = campaign(load("compact"), circuit.aig, samples=10_000, seed=1)

The core runs at full load with a key, block and tag of their own in each cycle. A register is
flipped at the start of a cycle, once; from then on everything that leaves is compared with
OpenSSL's answer for what the core took. Each bit of a word of 64 is a run with an SEU of its own;
the first run of each batch has none, and must be right.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from aesforge.design import Design
from aesforge.devices import Record
from aesforge.errors import AesforgeError, CheckFailed, UsageError
from aesforge.reference.openssl import ecb
from aesforge.simulate.verilator import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from aesforge.netlist.aig import Aig

# What an SEU led to, as bits of a byte.
WRONG_BLOCK, WRONG_CONTROL, MISSED, ALARM, REFUSED = 1, 2, 4, 8, 16

_RESET_CYCLES = 4
# SEUs fall into so many cycles, after the first block that leaves.
_WINDOW = 128
# A batch has so many words of 64 runs (`seus.cpp`).
_WORDS = 16
_SOURCE = Path(__file__).with_name("seus.cpp")
_OPTIONS = ("-std=c++17", "-O3")
_OUTPUTS = ("in_ready", "out_valid", "out_block", "out_tag", "alarm")
# How many cycles of ten bring a block, if the core takes it.
_BUSY = 0.9
_MEMORY = ".mem["


class Counts(Record, frozen=True, kw_only=True):
    """What the SEUs of one kind of register did; each is counted under one of the first three.

    Args:
        kind: `flip-flop`, or `memory`: a bit of a RAM.
        population: how many registers of the kind the core has.
        seus: how many SEUs were tried.
        wrong_block: a block left that was not the right one.
        wrong_control: no such, but a block was lost, one left that was never sent, or a tag was
            wrong.
        harmless: all that left was right.
        missed_block: of `wrong_block`, those in which something wrong left, or was lost, without an
            alarm.
        missed_control: of `wrong_control`, likewise.
        false_alarm: of `harmless`, those with an alarm.
        refused: of `harmless` without an alarm, those in which the core took a block later.
    """

    kind: str
    population: int
    seus: int
    wrong_block: int
    wrong_control: int
    harmless: int
    missed_block: int
    missed_control: int
    false_alarm: int
    refused: int

    @property
    def effective(self) -> int:
        """SEUs that made anything wrong."""
        return self.wrong_block + self.wrong_control

    @property
    def missed(self) -> int:
        """Those of them that the core let pass without an alarm."""
        return self.missed_block + self.missed_control

    @property
    def coverage_percent(self) -> float | None:
        """The share of the effective SEUs that raised an alarm whenever something was wrong."""
        return 100.0 * (1 - self.missed / self.effective) if self.effective else None


@dataclass(frozen=True)
class Seu:
    """One seu: the register's number in the graph, and the cycle at whose start it flips."""

    register: int
    cycle: int


@dataclass(frozen=True)
class Traffic:
    """The inputs of each cycle, and the expected outputs.

    Args:
        ports: value of each port, by cycle.
        expected: the result of the block of each cycle, should the core take it.
    """

    ports: dict[str, list[int]]
    expected: list[int]

    @property
    def cycles(self) -> int:
        """How many cycles there are."""
        return len(self.expected)


def campaign(
    design: Design,
    aig: Aig,
    *,
    samples: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[Counts]:
    """Try a random sample of SEUs of each kind of register.

    Args:
        design: the core.
        aig: its netlist, or its RTL; a register in it is a flip-flop, or a bit of a RAM.
        samples: SEUs of each kind.
        seed: fixes registers, cycles, traffic and start values.
        progress: called with SEUs done and in all.

    Raises:
        UsageError: the core is of a kind whose traffic this module does not make.
        CheckFailed: the run without an SEU was not right.
    """
    rng = random.Random(seed)
    memory = [n for n, name in enumerate(aig.registers) if _MEMORY in name]
    held = set(memory)
    kinds = {"flip-flop": [n for n in range(len(aig.registers)) if n not in held]}
    if memory:
        kinds["memory"] = memory
    sent = traffic(design, seed)
    first = _RESET_CYCLES + design.latency_cycles
    counts = []
    for done, (kind, registers) in enumerate(kinds.items()):
        seus = [Seu(rng.choice(registers), first + rng.randrange(_WINDOW)) for _ in range(samples)]

        def say(n: int, done: int = done) -> None:
            if progress is not None:
                progress(done * samples + n, len(kinds) * samples)

        counts.append(count(kind, len(registers), run(design, aig, sent, seus, seed, say)))
    return counts


def count(kind: str, population: int, effects: NDArray[np.uint8]) -> Counts:
    """Sort the effects of SEUs, as :func:`run` gives them, into classes."""

    def number(condition: Any) -> int:
        return int(condition.sum())

    has = {bit: effects & bit != 0 for bit in (WRONG_BLOCK, WRONG_CONTROL, MISSED, ALARM, REFUSED)}
    block = has[WRONG_BLOCK]
    control = has[WRONG_CONTROL] & ~block
    harmless = ~block & ~control
    return Counts(
        kind=kind,
        population=population,
        seus=len(effects),
        wrong_block=number(block),
        wrong_control=number(control),
        harmless=number(harmless),
        missed_block=number(block & has[MISSED]),
        missed_control=number(control & has[MISSED]),
        false_alarm=number(harmless & has[ALARM]),
        refused=number(harmless & has[REFUSED] & ~has[ALARM]),
    )


def traffic(design: Design, seed: int) -> Traffic:
    """Return random traffic for a core with agile keys: another key, block and tag each cycle.

    Raises:
        UsageError: it has stored keys, a 32-bit data path, is no cipher, or not AES.
    """
    if not design.is_agile or design.is_serial or design.is_key_expansion or not design.is_standard:
        raise UsageError(
            "seus are tried on ciphers with agile keys and the 128-bit data path; "
            f"'{design.name}' is: {design.summary()}"
        )
    rng = random.Random(f"{seed} traffic")
    # The last SEU has time to show.
    cycles = _RESET_CYCLES + 3 * design.latency_cycles + _WINDOW + 2 * int(design.interval) + 4
    ports: dict[str, list[int]] = {
        name: []
        for name in ("rst", "zeroize", "in_valid", "in_block", "in_key", "in_decrypt", "in_tag")
    }
    expected = []
    for cycle in range(cycles):
        key = rng.randbytes(design.key_bits // 8)
        block = rng.randbytes(16 * design.blocks_per_beat)
        decrypt = {"encrypt": 0, "decrypt": 1, "both": rng.getrandbits(1)}[design.direction]
        values = {
            "rst": cycle < _RESET_CYCLES,
            "zeroize": 0,
            "in_valid": cycle >= _RESET_CYCLES and rng.random() < _BUSY,
            "in_key": int.from_bytes(key, "big"),
            "in_block": _beat(block),
            "in_decrypt": decrypt if design.direction == "both" else rng.getrandbits(1),
            "in_tag": rng.getrandbits(design.tag_bits),
        }
        for name, value in values.items():
            ports[name].append(int(value))
        expected.append(_beat(ecb(key, block, decrypt=bool(decrypt))))
    return Traffic(ports, expected)


def run(
    design: Design,
    aig: Aig,
    sent: Traffic,
    seus: Sequence[Seu],
    seed: int,
    progress: Callable[[int], None] | None = None,
) -> NDArray[np.uint8]:
    """Try SEUs, each in a separate run, and return the outcome of each.

    Returns:
        For each a byte: `WRONG_BLOCK` and `WRONG_CONTROL`; `MISSED` if either came without an alarm
        in its cycle; `ALARM`; `REFUSED` if the core was not ready when without the SEU it is.

    Raises:
        CheckFailed: the run without an SEU was not right.
    """
    import numpy as np

    runs = 64 * _WORDS - 1
    parts = []
    with tempfile.TemporaryDirectory() as folder:
        circuit = Path(folder, "circuit")
        _write_circuit(aig, circuit)
        for start in range(0, len(seus), runs):
            batch = seus[start : start + runs]
            seen = _simulated(aig, circuit, sent, batch, seed)
            parts.append(_judged(design, sent, seen)[: len(batch)])
            if progress is not None:
                progress(start + len(batch))
    return np.concatenate(parts) if parts else np.zeros(0, np.uint8)


def _observed(aig: Aig) -> dict[str, list[int]]:
    """Return the literals of the observed ports; without error detection there is no alarm."""
    return {port: aig.bits_out(port) for port in _OUTPUTS if aig.bits_out(port)}


def _write_circuit(aig: Aig, path: Path) -> None:
    """Write the file that `seus.cpp` reads."""
    import numpy as np

    observed = [literal for literals in _observed(aig).values() for literal in literals]
    sizes = (len(aig.inputs), len(aig.registers), len(aig.gates), len(observed), 0)
    parts = (sizes, np.array(aig.gates).reshape(-1), aig.next_state, observed)
    path.write_bytes(b"".join(np.asarray(part, "<u4").tobytes() for part in parts))


def _simulated(
    aig: Aig, circuit: Path, sent: Traffic, seus: Sequence[Seu], seed: int
) -> dict[str, NDArray[np.uint64]]:
    """Run a batch: for each port that is looked at, cycles x bits x words of 64 runs.

    Raises:
        AesforgeError: the program failed.
    """
    import numpy as np

    # Registers and what Yosys leaves undefined: anything, but the same in all runs.
    anything = np.random.default_rng(seed)
    given = anything.integers(0, 2, (sent.cycles, len(aig.inputs)), np.uint8)
    start = anything.integers(0, 2, len(aig.registers), np.uint8)
    for port, values in sent.ports.items():
        for bit, literal in enumerate(aig.bits_in(port)):
            given[:, (literal >> 1) - 1] = [value >> bit & 1 for value in values]
    in_order = sorted((seu.cycle, seu.register, run) for run, seu in enumerate(seus, start=1))
    stimulus = circuit.with_name("stimulus")
    stimulus.write_bytes(
        np.array([sent.cycles, len(seus)], "<u4").tobytes()
        + start.tobytes()
        + given.tobytes()
        + np.array(in_order, "<u4").tobytes()
    )
    result = circuit.with_name("result")
    command = [str(compiled(_SOURCE, _OPTIONS)), str(circuit), str(stimulus), str(result)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AesforgeError(f"the simulation of SEUs failed: {done.stderr.strip()[-500:]}")
    words = np.fromfile(result, "<u8").reshape(sent.cycles, -1, _WORDS)
    seen, at = {}, 0
    for port, literals in _observed(aig).items():
        seen[port] = words[:, at : at + len(literals)]
        at += len(literals)
    return seen


def _judged(
    design: Design, sent: Traffic, seen: dict[str, NDArray[np.uint64]]
) -> NDArray[np.uint8]:
    """Say what each run of a batch, from its second on, led to; see :func:`run`."""
    import numpy as np

    nothing = np.zeros(_WORDS, np.uint64)
    effects = dict.fromkeys((WRONG_BLOCK, WRONG_CONTROL, MISSED, ALARM, REFUSED), nothing)
    ready = seen["in_ready"][:, 0]
    for cycle in range(_RESET_CYCLES, sent.cycles):
        back = cycle - design.latency_cycles
        asked = back >= _RESET_CYCLES and sent.ports["in_valid"][back]
        wanted = ready[back] if asked else nothing
        valid = seen["out_valid"][cycle, 0]
        alarm = seen["alarm"][cycle, 0] if "alarm" in seen else nothing
        block = seen["out_block"][cycle] ^ _masks(sent.expected[back], 128 * design.blocks_per_beat)
        tag = seen["out_tag"][cycle] ^ _masks(sent.ports["in_tag"][back], design.tag_bits)
        both = valid & wanted
        wrong_block = both & np.bitwise_or.reduce(block, axis=0)
        wrong_control = (valid ^ wanted) | (both & np.bitwise_or.reduce(tag, axis=0))
        usual = _masks(int(ready[cycle, 0] & np.uint64(1)), 1)[0]
        for bit, runs in (
            (WRONG_BLOCK, wrong_block),
            (WRONG_CONTROL, wrong_control),
            (MISSED, (wrong_block | wrong_control) & ~alarm),
            (ALARM, alarm),
            (REFUSED, usual & ~ready[cycle]),
        ):
            effects[bit] = effects[bit] | runs
    result = np.zeros(64 * _WORDS, np.uint8)
    for bit, runs in effects.items():
        spread = np.unpackbits(runs.astype("<u8").view(np.uint8), bitorder="little")
        result |= (spread * bit).astype(np.uint8)
    if result[0]:
        raise CheckFailed(f"'{design.name}' is wrong without an SEU: effects {result[0]}")
    return result[1:]


def _masks(value: int, bits: int) -> NDArray[np.uint64]:
    """Return a row of words for each bit of a value, lowest first: all ones or none."""
    import numpy as np

    data = np.frombuffer(value.to_bytes(bits // 8 + 1, "little"), np.uint8)
    spread = np.unpackbits(data, bitorder="little")[:bits].astype(np.uint64)
    return np.repeat((~spread + np.uint64(1))[:, None], _WORDS, axis=1)


def _beat(data: bytes) -> int:
    """Return the blocks of all blocks as the port's value: block 0 is at the low end."""
    blocks_per_beat = [int.from_bytes(data[i : i + 16], "big") for i in range(0, len(data), 16)]
    return sum(block << 128 * block_index for block_index, block in enumerate(blocks_per_beat))


def as_dict(counts: Sequence[Counts]) -> list[dict[str, Any]]:
    """Return counts as plain data, with the figures derived from them."""
    return [
        msgspec.to_builtins(one) | {"missed": one.missed, "coverage_percent": one.coverage_percent}
        for one in counts
    ]

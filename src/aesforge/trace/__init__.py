# SPDX-License-Identifier: Apache-2.0
"""What a core does to one block, round by round, beside FIPS 197.

The core is simulated with all its signals. A block's way through it follows from the design alone:
round r begins (r - 1) x stages cycles after the block was accepted. The values are named as in the
appendices of FIPS 197, which the reference model follows.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aesforge.design import Design
from aesforge.errors import CheckFailed, UsageError
from aesforge.reference.cipher import cipher, inv_cipher
from aesforge.reference.openssl import BLOCK_BYTES
from aesforge.reference.transformations import block_of, inv_shift_rows, state_of
from aesforge.trace.wave import Cycle, Signal, read_wave, write_wave

_CORE = "aesforge_core"
_CIPHER = f"{_CORE}.gen_tile[0].u_tile.u_cipher"
_PORTS = {"in_valid": 1, "in_ready": 1, "in_block": 128, "out_valid": 1, "out_block": 128}


@dataclass(frozen=True)
class Value:
    """A block of 16 bytes at one point of the cipher.

    Args:
        round: 0 for the first AddRoundKey, up to Nr.
        name: as in FIPS 197 Appendix C: `start`, `s_box`, `s_row`, `m_col`, `k_sch`, ...
        cycle: in which the core has it, 0 for that in which the block was accepted.
        core: what the simulated core has.
        reference: what FIPS 197 has.
    """

    round: int
    name: str
    cycle: int
    core: bytes
    reference: bytes

    @property
    def is_right(self) -> bool:
        """Whether the core has what FIPS 197 has."""
        return self.core == self.reference


@dataclass(frozen=True)
class Trace:
    """The values of one block, in the order of FIPS 197.

    Args:
        design: name of the core.
        decrypt: whether the block was decrypted.
        values: from the input to the output.
    """

    design: str
    decrypt: bool
    values: tuple[Value, ...]

    @property
    def first_wrong(self) -> Value | None:
        """The first value that differs from FIPS 197."""
        return next((value for value in self.values if not value.is_right), None)

    def as_dict(self) -> dict[str, object]:
        """Return plain data for JSON."""
        wrong = self.first_wrong
        return {
            "design": self.design,
            "decrypt": self.decrypt,
            "first_wrong": None if wrong is None else {"round": wrong.round, "name": wrong.name},
            "values": [
                dataclasses.asdict(value)
                | {"core": value.core.hex(), "reference": value.reference.hex()}
                for value in self.values
            ],
        }


@dataclass(frozen=True)
class _Point:
    """Where and when the core has a value: path of the signal, cycles after the acceptance."""

    round: int
    name: str
    signal: str
    cycle: int
    # The core's step before ShiftRows, which is wires: its bytes are moved to where FIPS 197 has
    # them.
    rows_shifted: bool = False


def require_traceable(design: Design) -> None:
    """Refuse a design whose signals are not where this module looks for them.

    Raises:
        UsageError: it is one; the message says what to change.
    """
    if design.top != _CORE:
        if design.is_checked:
            raise UsageError(
                f"'{design.name}' has error_detection = {design.error_detection}: trace the core "
                "inside it, with --set error_detection=none"
            )
        raise UsageError(
            f"trace shows cores with architecture = pipeline: '{design.name}' has architecture = "
            f"{design.architecture}"
        )


def trace_block(
    design: Design,
    key: bytes,
    block: bytes,
    *,
    decrypt: bool = False,
    wave: Path | None = None,
    rtl: Sequence[Path] | None = None,
) -> Trace:
    """Send one block through a simulated core and return its values in every round.

    Args:
        design: the core.
        key: of `key_bits`.
        block: 16 bytes.
        decrypt: whether to decrypt it.
        wave: a file for the same as a waveform (VCD), signals grouped by round.
        rtl: source files in compile order instead of the package's own.

    Raises:
        UsageError: the core has not got this direction, the key or block another length, or it is
            a design that is not traced.
        CheckFailed: the core does not answer.
        ToolMissing: Verilator or the C++ compiler is not installed.
    """
    require_traceable(design)
    if len(key) * 8 != design.key_bits:
        raise UsageError(f"'{design.name}' has key_bits = {design.key_bits}: not {len(key)} bytes")
    if len(block) != BLOCK_BYTES:
        raise UsageError(f"a block has {BLOCK_BYTES} bytes, not {len(block)}")
    if design.direction not in ("both", "decrypt" if decrypt else "encrypt"):
        wanted = "decrypt" if decrypt else "encrypt"
        raise UsageError(
            f"'{design.name}' has direction = {design.direction}, so it does not {wanted}: "
            f"--set direction={wanted}"
        )
    points = _points(design, decrypt)
    cycles = _simulated(design, key, block, decrypt, points, rtl)
    accepted = next(
        (at for at, now in enumerate(cycles) if now[_port("in_valid")] and now[_port("in_ready")]),
        None,
    )
    if accepted is None or accepted + design.latency_cycles >= len(cycles):
        raise CheckFailed(
            f"'{design.name}' did not answer: no block was accepted, or none came out"
        )
    reference = _reference(design, key, block, decrypt)
    values = tuple(
        Value(
            point.round,
            point.name,
            point.cycle,
            _value(cycles[accepted + point.cycle][point.signal], point),
            reference[point.round, point.name],
        )
        for point in points
    )
    found = Trace(design.name, decrypt, values)
    if wave is not None:
        write_wave(wave, _signals(values, cycles[accepted : accepted + design.latency_cycles + 2]))
    return found


def _simulated(
    design: Design,
    key: bytes,
    block: bytes,
    decrypt: bool,
    points: Sequence[_Point],
    rtl: Sequence[Path] | None,
) -> list[Cycle]:
    """Return the values of the ports and of the points' signals, cycle by cycle."""
    import numpy as np

    from aesforge.simulate import BLOCK, IDLE, LOAD, WAIT, Simulator

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "wave.vcd"
        with Simulator(design, optimize="build", wave=file, rtl=rtl) as simulator:
            kinds = [BLOCK, IDLE] if design.is_agile else [LOAD, WAIT, BLOCK, IDLE]
            ops = simulator.new_ops(len(kinds))
            ops["op"] = kinds
            ops["decrypt"] = decrypt
            ops["key"][:, : len(key)] = np.frombuffer(key, "u1")
            ops["block"][:, :BLOCK_BYTES] = np.frombuffer(block, "u1")
            ops["arg"][-1] = design.latency_cycles + 2
            simulator.run(ops)
        paths = {_port(port) for port in _PORTS} | {point.signal for point in points}
        return read_wave(file, _port("clk"), paths)


def _port(name: str) -> str:
    """Return the path of a port."""
    return f"{_CORE}.{name}"


def _points(design: Design, decrypt: bool) -> list[_Point]:
    """Return where the values are, in the order of FIPS 197 Appendix C."""
    linear, sbox = design.linear_stages, design.sbox_stages
    # Key and block of a decrypting core with agile keys wait for the last round key.
    entry = design.latency_cycles - 1 - design.rounds * design.stages
    prefix = "i" if decrypt else ""
    found = [
        _Point(0, f"{prefix}input", f"{_CIPHER}.in_block", entry),
        _Point(0, f"{prefix}k_sch", f"{_CIPHER}.first_key", entry),
    ]
    for round_ in range(1, design.rounds + 1):
        begin = entry + (round_ - 1) * design.stages
        substituted = begin + min(linear, 1) + sbox
        end = begin + design.stages
        hardware = (round_ - 1) % design.unrolled_rounds
        place = f"{_CIPHER}.gen_block[0].gen_round[{hardware}].u_round."
        found.append(_Point(round_, f"{prefix}start", f"{place}state_i", begin))
        if decrypt:
            found += [
                _Point(round_, "is_box", f"{place}substituted", substituted, rows_shifted=True),
                _Point(round_, "ik_sch", f"{place}round_key_pre", substituted),
            ]
            if round_ < design.rounds:
                found.append(_Point(round_, "ik_add", f"{place}shifted_d", substituted))
            continue
        found += [
            _Point(round_, "s_box", f"{place}substituted", substituted),
            _Point(round_, "s_row", f"{place}shifted_d", substituted),
        ]
        if round_ < design.rounds:
            found.append(_Point(round_, "m_col", f"{place}mixed", end))
        found.append(_Point(round_, "k_sch", f"{place}round_key_post", end))
    output = _Point(design.rounds, f"{prefix}output", _port("out_block"), design.latency_cycles)
    found.append(output)
    return found


def _value(number: int, point: _Point) -> bytes:
    """Return the bytes of a signal; of several blocks side by side, those of the first."""
    data = (number % 2**128).to_bytes(BLOCK_BYTES, "big")
    if point.rows_shifted:
        return block_of(inv_shift_rows(state_of(data)))
    return data


def _reference(
    design: Design, key: bytes, block: bytes, decrypt: bool
) -> Mapping[tuple[int, str], bytes]:
    """Return the values of FIPS 197, by round and name."""
    found: dict[tuple[int, str], bytes] = {}

    def note(place: str, value: bytes) -> None:
        round_, name = place.removeprefix("round[").split("].")
        found[int(round_), name] = value

    (inv_cipher if decrypt else cipher)(block, key, note, scheme=design.scheme)
    return found


def _signals(values: Sequence[Value], cycles: Sequence[Cycle]) -> list[Signal]:
    """Return the waveform: the ports, and a group for each round, its values in their cycles."""
    found = [
        # Of several blocks side by side, the first.
        Signal(
            "ports", name, bits, {at: now[_port(name)] % 2**bits for at, now in enumerate(cycles)}
        )
        for name, bits in _PORTS.items()
    ]
    for value in values:
        number = int.from_bytes(value.core, "big")
        found.append(Signal(f"round_{value.round:02d}", value.name, 128, {value.cycle: number}))
    return found

# SPDX-License-Identifier: Apache-2.0
"""NIST's published vectors through a foreign core in simulation, before it is measured.

A figure must not stand for a core that computes something else. A wrapper gives the core a block
and a key and collects its result, by its latency or by its handshake.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aesforge.devices import Device
from aesforge.devices.families import family
from aesforge.errors import CheckFailed, UsageError, one_of
from aesforge.measure.synthesis import Synthesis
from aesforge.measure.target import HEADERS, Target
from aesforge.reference.vectors import KEY_BITS, blocks_of, records

if TYPE_CHECKING:
    from aesforge.netlist.module import Port

TOP = "foreign_blocks"
BLOCK_BITS = 128
# Cycles without a result after which a core is given up.
WATCHDOG_CYCLES = 2000


@dataclass(frozen=True)
class Checked:
    """What the simulation showed.

    Args:
        blocks: number of blocks that were right, which is all of them.
        byte_0_low: whether byte 0 is in bits 7 to 0 of block, key and result.
    """

    blocks: int
    byte_0_low: bool


def check_vectors(
    target: Target, device: Device, key_bits: int, drive: Mapping[str, int] | None = None
) -> Checked:
    """Send all published ECB vectors for a key size through a core that encrypts.

    Args:
        target: the foreign core.
        device: for whose family the core's ports are read.
        key_bits: 128, 192 or 256. A wider key port has the key at its top.
        drive: value by port, of other inputs; those that are not named are 0.

    Raises:
        UsageError: the ports, the latency or the key size do not allow it.
        CheckFailed: a block is wrong or never came, in either byte order.
        ToolMissing: Verilator or the C++ compiler is not installed.
        AesforgeError: the core does not compile.
    """
    of_family = family(device.family)
    ports = Synthesis(target, device.family, of_family, of_family.recipe[0]).ports()
    _require_usable(target, ports, key_bits)
    with tempfile.TemporaryDirectory() as folder:
        wrapper = Path(folder) / f"{TOP}.sv"
        values = dict(target.ties) | dict(drive or {})
        wrapper.write_text(wrapper_text(target, ports, key_bits, values), encoding="utf-8")
        return _compare(target, wrapper, key_bits)


def _require_usable(target: Target, ports: Mapping[str, Port], key_bits: int) -> None:
    if key_bits not in KEY_BITS:
        raise UsageError(f"there are vectors for keys of {one_of(KEY_BITS)} bits, not {key_bits}")
    if "key" not in target.roles:
        raise UsageError("the vectors need the core's key port: add key=PORT to --ports")
    for role, bits in (("block", BLOCK_BITS), ("result", BLOCK_BITS)):
        if (width := ports[target.roles[role]].width) != bits:
            raise UsageError(f"the vectors need a {role} of {bits} bits; this one has {width}")
    if (width := ports[target.roles["key"]].width) < key_bits:
        raise UsageError(f"the key port has {width} bits: too few for a key of {key_bits}")
    named = target.handshake
    for role, name in named.items():
        wanted = "output" if role in ("ready", "done") else "input"
        if name not in ports or ports[name].direction != wanted:
            raise UsageError(f"{target.top} has no {wanted} '{name}', which --ports names {role}")
    if ("start" in named) != ("done" in named):
        raise UsageError("roles start and done go together: name both in --ports, or neither")
    if ("load" in named) != ("ready" in named):
        raise UsageError("roles load and ready go together: name both in --ports, or neither")
    if "load" in named and "start" not in named:
        raise UsageError("a core with load needs start and done, too: name them in --ports")
    if "done" not in named and target.latency_cycles is None:
        raise UsageError(
            "when is a result there? Say so with --latency CYCLES, or with start=PORT,done=PORT in "
            "--ports"
        )


def wrapper_text(
    target: Target, ports: Mapping[str, Port], key_bits: int, drive: Mapping[str, int]
) -> str:
    """Return the module that gives a core one block after another, and marks its results."""
    named = target.handshake
    key_pad = ports[target.roles["key"]].width - key_bits
    wires = {
        target.roles["clock"]: "clk",
        target.roles["block"]: "block",
        target.roles["key"]: "key" if not key_pad else f"{{key, {key_pad}'d0}}",
        target.roles["result"]: "m_result",
    }
    signals = {"reset": "rst", "reset_n": "!rst"}
    wires |= {name: signals.get(role, role) for role, name in named.items()}
    for name, port in ports.items():
        if port.direction == "input" and name not in wires:
            value = drive.get(name, 0)
            if value < 0 or value >> port.width:
                raise UsageError(f"{name} = {value}: the port has {port.width} bits")
            wires[name] = f"{port.width}'d{value}"
    for name in drive:
        if name not in ports or ports[name].direction != "input":
            raise UsageError(f"{target.top} has no input '{name}' to drive")
    parameters = ", ".join(f".{name}({value})" for name, value in target.parameters.items())
    connections = ",\n      ".join(f".{name}({wire})" for name, wire in wires.items())
    body = _HANDSHAKE if "done" in named else _LATENCY
    text = body.format(
        key_bits=key_bits,
        latency=target.latency_cycles,
        interval=max(1, round(1 / (target.blocks_per_cycle or 1))),
        first="Load" if "load" in named else "Start",
    )
    return _MODULE.format(
        top=TOP,
        key_bits=key_bits,
        body=text,
        core=f"{target.top} #({parameters})" if parameters else target.top,
        connections=connections,
    )


_MODULE = """\
module {top} (
    input  logic clk,
    input  logic rst,
    input  logic s_valid,
    output logic s_ready,
    input  logic [127:0] s_block,
    input  logic [{key_bits}-1:0] s_key,
    output logic m_valid,
    output logic [127:0] m_result
);
  logic [127:0] block;
  logic [{key_bits}-1:0] key;
{body}
  {core} u_core (
      {connections}
  );
endmodule
"""
# A block enters every `interval` cycles, and stays until the next; its result is there `latency`
# cycles after it came.
_LATENCY = """\
  localparam int unsigned Interval = {interval};
  logic [{latency}:0] valid, valid_q;
  logic [127:0] block_q;
  logic [{key_bits}-1:0] key_q;
  int unsigned pace_q;
  assign s_ready = pace_q == 0;
  assign valid = (valid_q << 1) | ({latency} + 1)'(s_valid && s_ready);
  assign block = s_ready ? s_block : block_q;
  assign key = s_ready ? s_key : key_q;
  assign m_valid = valid[{latency}];
  always_ff @(posedge clk) begin
    valid_q <= valid;
    if (s_valid && s_ready) begin
      {{block_q, key_q}} <= {{s_block, s_key}};
      pace_q <= Interval - 1;
    end else if (pace_q != 0) pace_q <= pace_q - 1;
    if (rst) begin
      valid_q <= '0;
      pace_q <= 0;
    end
  end
"""
# One block at a time: load the key and wait for ready, where the core has these; start; done.
_HANDSHAKE = """\
  typedef enum logic [2:0] {{Idle, Load, Loading, Waiting, Start, Run}} state_e;
  state_e state_q;
  logic load, ready, start, done;
  assign s_ready = state_q == Idle;
  assign load = state_q == Load;
  assign start = state_q == Start;
  assign m_valid = state_q == Run && done;
  always_ff @(posedge clk) begin
    case (state_q)
      Idle: if (s_valid) begin
        {{block, key}} <= {{s_block, s_key}};
        state_q <= {first};
      end
      Load: state_q <= Loading;
      Loading: state_q <= Waiting;
      Waiting: if (ready) state_q <= Start;
      Start: state_q <= Run;
      default: if (done) state_q <= Idle;
    endcase
    if (rst) state_q <= Idle;
  end
"""


def _compare(target: Target, wrapper: Path, key_bits: int) -> Checked:
    import numpy as np

    from aesforge.simulate.stream import Channel, Module, StreamSimulator

    # Some sources include a header by its name.
    folders = {str(path.parent) for path in target.files}
    module = Module(
        name=target.name,
        top=TOP,
        sources=(Channel("s", "s_valid", "s_ready", ("s_block", "s_key")),),
        sink=Channel("m", "m_valid", None, ("m_result",)),
        files=(*(path for path in target.files if not path.name.endswith(HEADERS)), wrapper),
        style=tuple(f"-I{folder}" for folder in sorted(folders)),
    )
    keys, plain, cipher, names = blocks_of(records(key_bits))
    keys = keys[:, : key_bits // 8]
    fault = ""
    with StreamSimulator(module, optimize="build") as simulator:
        for byte_0_low in (False, True):
            # The simulator's words have byte 0 in bits 7 to 0.
            order = slice(None, None, 1 if byte_0_low else -1)
            words = simulator.transfers("s", len(plain))
            words["s_block"], words["s_key"] = plain[:, order], keys[:, order]
            result = simulator.run(
                {"s": words}, wanted=len(plain), watchdog_cycles=WATCHDOG_CYCLES, reset=True
            )
            got = result.rows["m_result"][:, order]
            if len(got) == len(cipher) and np.array_equal(got, cipher):
                return Checked(len(plain), byte_0_low)
            fault = fault or _first_fault(got, cipher, names)
    raise CheckFailed(
        f"{target.name} is not AES-{key_bits} encryption as it is driven here: {fault}"
    )


def _first_fault(got: object, cipher: object, names: list[str]) -> str:
    import numpy as np

    left, right = np.asarray(got), np.asarray(cipher)
    both = min(len(left), len(right))
    wrong = np.flatnonzero((left[:both] != right[:both]).any(axis=1))
    if not len(wrong):
        return f"of {len(right)} results only {len(left)} came"
    at = int(wrong[0])
    return (
        f"{names[at]} gives {left[at].tobytes().hex()}, not {right[at].tobytes().hex()} "
        f"({len(wrong)} of {both} blocks differ)"
    )

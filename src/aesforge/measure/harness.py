# SPDX-License-Identifier: Apache-2.0
"""The harness in which every core is measured, ours and anyone else's.

All inputs of the core come from a shift register by way of a register, all outputs go through a
register into another shift register, which adds them up: three pins do for any core, neither they
nor the way to the core limit the clock, and no input is constant, so that nothing of the core can
be optimized away. Each bit of the first is the sum of two before it: as a plain shift register, it
would be merged with the register after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aesforge.errors import UsageError, nearest
from aesforge.measure.target import Target

HARNESS_VERSION = 3  # to be raised with every change of the text that `harness` gives
TOP = "harness"
CORE = "core"
INSTANCE = "u_core"


@dataclass(frozen=True)
class Port:
    """A port of the core, as synthesis reports it."""

    name: str
    direction: str
    width: int


def ports_of(module: Mapping[str, object]) -> list[Port]:
    """Return the ports of a module of a Yosys JSON netlist, in the order of the source."""
    ports = module["ports"]
    assert isinstance(ports, dict)
    return [Port(name, port["direction"], len(port["bits"])) for name, port in ports.items()]


def check_roles(target: Target, ports: Sequence[Port]) -> None:
    """See that the ports a target names exist and are of the right kind.

    Raises:
        UsageError: one is not there (with the nearest), has the wrong direction, is too narrow for
            a cipher, or has no definite direction.
    """
    known = {port.name: port for port in ports}
    for role, name in target.roles.items():
        wanted = "output" if role == "result" else "input"
        if name not in known:
            raise UsageError(
                f"{target.top} has no port '{name}' ({role}){nearest(name, known)}\n"
                f"ports: {', '.join(known)}"
            )
        port = known[name]
        if port.direction != wanted:
            raise UsageError(
                f"port '{name}' of {target.top} is an {port.direction}; the {role} must be an "
                f"{wanted}"
            )
        if role == "clock" and port.width != 1:
            raise UsageError(f"port '{name}' of {target.top} is {port.width} bits wide, no clock")
        if role in ("block", "result") and port.width < 8:
            raise UsageError(
                f"port '{name}' of {target.top} is {port.width} bits wide: the {role} needs 8 or "
                "more"
            )
    for name in target.ties:
        if name not in known or known[name].direction != "input":
            raise UsageError(f"{target.top} has no input '{name}' to tie{nearest(name, known)}")
        if name in target.roles.values():
            raise UsageError(f"input '{name}' has a role and cannot be tied as well")
    for port in ports:
        if port.direction not in ("input", "output"):
            raise UsageError(
                f"port '{port.name}' of {target.top} is an {port.direction}: the harness drives "
                "inputs and outputs only; wrap the core"
            )


def harness(target: Target, ports: Sequence[Port]) -> str:
    """Return the harness's Verilog text for a core named `CORE` with these ports."""
    clock = target.roles["clock"]
    inputs = [
        port
        for port in ports
        if port.direction == "input" and port.name != clock and port.name not in target.ties
    ]
    outputs = [port for port in ports if port.direction == "output"]
    width_in = sum(port.width for port in inputs)
    width_out = sum(port.width for port in outputs)
    connections = [f".\\{clock} (clk)"]
    connections += [
        f".\\{port.name} ({port.width}'d{target.ties[port.name]})"
        for port in ports
        if port.name in target.ties
    ]
    for signal, group in (("in_q", inputs), ("out", outputs)):
        low = 0
        for port in group:
            connections.append(f".\\{port.name} ({signal}[{low + port.width - 1}:{low}])")
            low += port.width
    joined = ",\n    ".join(connections)
    return f"""\
module {TOP} (input clk, input din, output dout);
  reg [{width_in - 1}:0] shift_q;
  reg [{width_in - 1}:0] in_q;
  wire [{width_out - 1}:0] out;
  reg [{width_out - 1}:0] out_q;
  reg [{width_out - 1}:0] fold_q;
  always @(posedge clk) begin
    shift_q <= {{shift_q, din}} ^ {{shift_q, din, 1'b0}};
    in_q <= shift_q;
    out_q <= out;
    fold_q <= (fold_q << 1) ^ out_q;
  end
  assign dout = fold_q[{width_out - 1}];
  {CORE} {INSTANCE} (
    {joined}
  );
endmodule
"""

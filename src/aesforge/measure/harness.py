# SPDX-License-Identifier: Apache-2.0
"""The harness in which every core is measured, ours and anyone else's.

All inputs of the core come from a shift register by way of a register, all outputs go through a
register into another shift register, which adds them up: three pins do for any core, neither they
nor the way to the core limit the clock, and no input is constant, so that nothing of the core can
be optimized away. Each bit of the first is the sum of two before it: as a plain shift register, it
would be merged with the register after it.
"""

from __future__ import annotations

from collections.abc import Mapping

from aesforge.errors import UsageError, nearest
from aesforge.measure.target import Target
from aesforge.netlist.module import Port

HARNESS_VERSION = 3  # to be raised with every change of the text that `harness` gives
TOP = "harness"
CORE = "core"
INSTANCE = "u_core"


def check_roles(target: Target, ports: Mapping[str, Port]) -> None:
    """See that the ports a target names exist and are of the right kind.

    Raises:
        UsageError: one is not there (with the nearest), has the wrong direction, is too narrow for
            a cipher, or has no definite direction.
    """
    for role, name in target.roles.items():
        wanted = "output" if role == "result" else "input"
        if name not in ports:
            raise UsageError(
                f"{target.top} has no port '{name}' ({role}){nearest(name, ports)}\n"
                f"ports: {', '.join(ports)}"
            )
        port = ports[name]
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
        if name not in ports or ports[name].direction != "input":
            raise UsageError(f"{target.top} has no input '{name}' to tie{nearest(name, ports)}")
        if name in target.roles.values():
            raise UsageError(f"input '{name}' has a role and cannot be tied as well")
    for name, port in ports.items():
        if port.direction not in ("input", "output"):
            raise UsageError(
                f"port '{name}' of {target.top} is an {port.direction}: the harness drives "
                "inputs and outputs only; wrap the core"
            )


def shifted_in(target: Target, ports: Mapping[str, Port]) -> dict[str, int]:
    """Return the width of each input that the first shift register drives, from its low end on."""
    return {
        name: port.width
        for name, port in ports.items()
        if port.direction == "input" and name != target.roles["clock"] and name not in target.ties
    }


def shifted_out(ports: Mapping[str, Port]) -> dict[str, int]:
    """Return the width of each output that the second one takes, from its low end on."""
    return {name: port.width for name, port in ports.items() if port.direction == "output"}


def harness(target: Target, ports: Mapping[str, Port]) -> str:
    """Return the harness's Verilog text for a core named `CORE` with these ports."""
    clock = target.roles["clock"]
    inputs, outputs = shifted_in(target, ports), shifted_out(ports)
    width_in, width_out = sum(inputs.values()), sum(outputs.values())
    connections = [f".\\{clock} (clk)"]
    connections += [
        f".\\{name} ({port.width}'d{target.ties[name]})"
        for name, port in ports.items()
        if name in target.ties
    ]
    for signal, group in (("in_q", inputs), ("out", outputs)):
        low = 0
        for name, width in group.items():
            connections.append(f".\\{name} ({signal}[{low + width - 1}:{low}])")
            low += width
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

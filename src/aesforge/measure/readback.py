# SPDX-License-Identifier: Apache-2.0
"""Turn a mapped netlist back into Verilog that any simulator reads.

The family's cells are replaced by the models that Yosys ships, and the core gets the module name
and parameters of the RTL, so that whatever takes our sources takes the netlist in their place.
"""

from __future__ import annotations

from pathlib import Path

from aesforge.measure.harness import CORE
from aesforge.measure.synthesis import MAPPED, PORTS, Synthesis, read_mapped
from aesforge.netlist.module import read_module
from aesforge.toolchain import programs


def netlist_sources(synthesis: Synthesis, folder: Path) -> list[Path]:
    """Write the netlist of a core as Verilog sources that stand for its RTL.

    Args:
        synthesis: of the core; made when it is not there yet.
        folder: an empty one.

    Returns:
        The sources, in the order in which they must be read.

    Raises:
        ToolFailed: Yosys has no model of a cell.
    """
    synthesis.run()
    script = [
        # Only what the netlist holds is worked out: iCE40's big memories alone take 27 s.
        f"read_verilog -sv -overwrite -defer {' '.join(synthesis.family.read_back)}",
        *read_mapped(synthesis.folder / MAPPED),
        f"hierarchy -check -top {CORE}",
        "proc",
        "flatten",
        # Short names, and none for what has another: it is read in a fraction of the time.
        "opt_clean -purge",
        "rename -hide",
        f"rename -top netlist_{CORE}",
        "write_verilog -noattr netlist.v",
    ]
    (folder / "readback.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
    programs.run("yosys", ["readback.ys"], folder, folder / "readback.log")
    ports = read_module(synthesis.folder / PORTS, CORE).ports
    parameters = ", ".join(f"parameter {name} = 0" for name in synthesis.target.parameters)
    declared = ",\n  ".join(
        f"{port.direction} [{port.width - 1}:0] {name}"
        if port.width > 1
        else f"{port.direction} {name}"
        for name, port in ports.items()
    )
    connected = ", ".join(f".{name}({name})" for name in ports)
    (folder / "wrapper.v").write_text(
        f"module {synthesis.target.top} #({parameters}) (\n  {declared}\n);\n"
        f"  netlist_{CORE} u_netlist ({connected});\nendmodule\n",
        encoding="utf-8",
    )
    return [folder / "netlist.v", folder / "wrapper.v"]

# SPDX-License-Identifier: Apache-2.0
"""What the proof of a part assumes of its neighbours, as assertions in a simulated engine.

The claim about a part, `formal/modes/prove_PART.sv`, is put beside the part, at the same inputs.
There its assumptions are asserted in each cycle, and what it claims is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from aesforge.design.engine import Engine
from aesforge.prove.neighbours import Place, each_assumption, instance, module_of
from aesforge.toolchain import rtl

_BEGUN = "always_comb begin\n    assume (begun || rst);\n"
_CLOCKED = "always @(posedge clk) begin\n    assume (begun || rst);\n"
# Where the text goes: standard error, as standard output is the simulator's.
_STDERR = "32'h8000_0002"
_FREE = re.compile(r"\(\* (?:anyconst|anyseq|keep) \*\) logic((?: \[[^;]*?\])?) ([\w, \n]+);")


def _claim_without_its_proof(part: str, text: str) -> str:
    """Return a claim with its assumptions as assertions, around a copy of the part.

    Inputs may change at any time, so they are looked at when the clock rises. What the proof leaves
    open, and registers that its script connects, are constants here.
    """
    text = _FREE.sub(lambda m: f"logic{m[1]} {', '.join(_zeros(m[2]))};", text)
    text = re.sub(r"\bassert\b", "cover", text.replace(_BEGUN, _CLOCKED))

    def statement(condition: str) -> str:
        said = f"{part} assumes {' '.join(condition.split())}".replace("%", "%%")
        return (
            f'begin if (!rst && !{condition}) begin $fdisplay({_STDERR}, "{said}"); $fatal; end end'
        )

    text = each_assumption(text, statement)
    return text.replace(f"aesforge_{part} #", f"copy_of_{part} #")


def _zeros(names: str) -> list[str]:
    return [f"{name.strip()} = '0" for name in names.split(",")]


def with_assumptions(engine: Engine, folder: Path, claims: Sequence[str]) -> list[Path]:
    """Write an engine's sources with the assumptions of some claims in them, in compile order.

    Args:
        engine: the engine, with two key slots if it has any: the claims are about two.
        folder: takes the sources.
        claims: `prove_PART`, without `prove_`; of several about one part, one.
    """
    about = {module_of(claim): claim for claim in claims}
    written = []
    for path in rtl.needed_by(engine.top):
        text = path.read_text(encoding="utf-8")
        name = path.stem.removeprefix("aesforge_")
        if name in about:
            place = Place(about[name])
            copy = text.replace(f"module {path.stem} ", f"module copy_of_{name} ")
            shadow = _claim_without_its_proof(name, place.source.read_text(encoding="utf-8"))
            shadow = shadow.replace(place.source.stem, place.name)
            for file, content in ((f"copy_of_{name}", copy), (place.name, shadow)):
                written.append(folder / f"{file}.sv")
                written[-1].write_text(content, encoding="utf-8")
            text = text.replace("endmodule", f"{instance(place, path)}endmodule")
        written.append(folder / path.name)
        written[-1].write_text(text, encoding="utf-8")
    return written

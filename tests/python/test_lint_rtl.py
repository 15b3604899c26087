# SPDX-License-Identifier: Apache-2.0
"""`make lint` reads RTL with Verilator and with slang."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from aesforge.bundle import build
from engines import SMALL
from project import REPO

sys.path.insert(0, str(REPO / "scripts"))
import lint_rtl


def test_each_tool_finds_what_the_other_does_not(tmp_path: Path) -> None:
    build(SMALL, tmp_path)
    job = lint_rtl.Job("a bundle", "little_ctr", bundle=tmp_path)
    assert lint_rtl.lint(job) == []

    wrapper = tmp_path / "rtl" / "little_ctr.sv"
    text = wrapper.read_text(encoding="utf-8")
    inside = "logic late;\n  assign early = late;\n  logic early;\n  assign late = clk;\nendmodule"
    wrapper.write_text(re.sub(r"endmodule", inside, text), encoding="utf-8")
    found = lint_rtl.lint(job)
    assert {file for _, file, _ in found} == {"little_ctr.sv"}
    # slang alone.
    assert any("'early' used before its declaration" in text for _, _, text in found)
    # Verilator alone.
    assert any(rule == "UNUSEDSIGNAL" for rule, _, _ in found)

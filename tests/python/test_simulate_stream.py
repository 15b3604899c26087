# SPDX-License-Identifier: Apache-2.0
"""What the simulator of streams refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aesforge.errors import UsageError
from aesforge.simulate.stream import Channel, Module, StreamSimulator


def test_ports_that_are_not_there_are_named(tmp_path: Path) -> None:
    source = tmp_path / "thing.sv"
    source.write_text(
        "module thing (input clk, input a_valid, output a_ready, output b_valid, input b_ready,"
        " output [7:0] b_data);\nassign a_ready = b_ready; assign b_valid = a_valid;"
        " assign b_data = {8{clk}};\nendmodule\n",
        encoding="utf-8",
    )

    def thing(**changes: Any) -> Module:
        options: dict[str, Any] = {
            "sources": (Channel("a", "a_valid", "a_ready", ()),),
            "sink": Channel("b", "b_valid", "b_ready", ("b_data",)),
            "reset": None,
            "files": (source,),
            **changes,
        }
        return Module(name="thing", top="thing", **options)

    for changes, words in (
        ({"reset": "rst"}, "thing has no port 'rst'"),
        ({"clock": "b_data"}, "port 'b_data' of thing is an output"),
        ({"sources": (Channel("a", "a_vlid", None, ()),)}, "did you mean 'a_valid'"),
        ({"ties": {"b_ready": 2}}, "is 1 bit wide: 0x2 does not fit"),
    ):
        with pytest.raises(UsageError) as caught, StreamSimulator(thing(**changes)):
            pass
        assert words in caught.value.message

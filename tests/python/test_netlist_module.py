# SPDX-License-Identifier: Apache-2.0
"""Netlists from files: what is read, and in what words a bad one is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aesforge.errors import AesforgeError
from aesforge.netlist.module import nets_of, read_module, read_modules, with_attribute
from mapped import PIPELINE, PIPELINE_JSON, cell, module


def written(folder: Path, modules: dict[str, Any]) -> Path:
    """Return a file with some modules."""
    path = folder / "netlist.json"
    path.write_text(json.dumps({"creator": "Yosys", "modules": modules}), encoding="utf-8")
    return path


def test_a_file_gives_its_modules(tmp_path: Path) -> None:
    top = {
        "attributes": {"top": "0001", "src": "top.v:1"},
        "ports": {"q": {"direction": "output", "bits": [2, "0", "x", 3]}},
        "cells": {"u": cell("sub", {"Q": 2}, D=3) | {"hide_name": 0}},
        "netnames": {"q": {"hide_name": 1, "bits": [2, "0", "x", 3], "offset": 8}},
    }
    top["cells"]["u"]["parameters"] = {"WIDTH": "0101"}  # type: ignore[index]
    path = written(tmp_path, {"pipeline": PIPELINE_JSON, "top": top})
    assert read_modules(path)["pipeline"] == read_module(path, "pipeline") == PIPELINE
    found = read_module(path, "top")
    assert found.attributes["top"] == "0001"
    assert (found.ports["q"].direction, found.ports["q"].width) == ("output", 4)
    assert nets_of(found.ports["q"].bits) == [2, 3]
    assert (found.wires["q"].hidden, found.wires["q"].offset) == (1, 8)
    assert found.cells["u"].kind == "sub"
    assert list(found.cells["u"].outputs()) == [2]
    assert found.cells["u"].parameters == {"WIDTH": "0101"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ERROR: no such module", "malformed"),
        ('{"modules": {"top": {"cells": {}', "truncated"),
        ("[]", "Expected `object`"),
        ("{}", "`modules`"),
        ('{"modules": {"top": {"cells": {"u": {"type": "LUT4"}}}}}', "`connections`"),
        (
            '{"modules": {"top": {"cells": {"u": {"type": "LUT4", "connections": {"Z": [2]}}}}}}',
            "a cell of the kind LUT4 has no direction for Z",
        ),
        ('{"modules": {"top": {"netnames": {"q": {"bits": ["2"]}}}}}', r"Invalid enum value '2'"),
    ],
)
def test_a_file_that_is_no_netlist_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "netlist.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(AesforgeError, match=rf"netlist\.json is no netlist in JSON: .*{words}"):
        read_module(path, "top")
    with pytest.raises(AesforgeError, match=words):
        read_modules(path)


def test_a_file_in_another_coding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "netlist.json"
    path.write_bytes(b'{"modules": {"\xff": {}}}')
    with pytest.raises(AesforgeError, match="no netlist in JSON"):
        read_modules(path)


def test_a_module_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    path = written(tmp_path, {"core": {}, "harness": {}})
    with pytest.raises(AesforgeError, match=r"no module 'top'; its modules: core, harness"):
        read_module(path, "top")
    with pytest.raises(AesforgeError, match="its modules: none"):
        read_module(written(tmp_path, {}), "top")


def test_the_digest_is_of_cells_and_nets_alone() -> None:
    cells = PIPELINE_JSON["cells"]
    scope = {"u_core": cell("$scopeinfo", {})}
    remarked = {name: one | {"attributes": {"src": "a.v:1"}} for name, one in cells.items()}
    same = module({**PIPELINE_JSON, "cells": remarked | scope, "netnames": {}})
    # Recorded measurements name netlists by it: it must stay what it is.
    assert PIPELINE.digest() == same.digest() == "80ac17eedcbd5fd8de5fd407d8f7e911"
    for change in (
        {"cells": cells | {"u_core.c": cell("LUT4", {"Z": 31}, A=32)}},
        {"cells": cells | {"u_core.c": cell("LUT5", {"Z": 31}, A=30)}},
        {"ports": {"clk": {"direction": "input", "bits": [1]}}},
    ):
        assert module({**PIPELINE_JSON, **change}).digest() != PIPELINE.digest()


def test_cells_get_an_attribute_more(tmp_path: Path) -> None:
    path = written(tmp_path, {"top": {"cells": {"a": {"attributes": {"src": "x"}}, "b": {}}}})
    places = {"a": "X2/Y2/SLICEA.FF0", "b": "X2/Y2/SLICEA.FF1"}
    data = json.loads(with_attribute(path, "top", "BEL", places))
    assert data["creator"] == "Yosys"
    cells: dict[str, Any] = data["modules"]["top"]["cells"]
    assert cells["a"]["attributes"] == {"src": "x", "BEL": "X2/Y2/SLICEA.FF0"}
    assert cells["b"]["attributes"] == {"BEL": "X2/Y2/SLICEA.FF1"}


def test_cells_that_are_not_mapped_yet_are_left_out_where_asked(tmp_path: Path) -> None:
    """Yosys gives no directions to `$__ICE40_CARRY_WRAPPER` until it is mapped."""
    path = tmp_path / "registers.json"
    known = {"type": "LUT4", "connections": {"Z": [2]}, "port_directions": {"Z": "output"}}
    wrapper = {"type": "$__ICE40_CARRY_WRAPPER", "connections": {"A": [3]}}
    cells = {"lut": known, "carry": wrapper}
    path.write_text(json.dumps({"modules": {"core": {"cells": cells}}}), encoding="utf-8")
    assert list(read_modules(path, unfinished=True)["core"].cells) == ["lut"]
    with pytest.raises(AesforgeError, match="no direction for A"):
        read_modules(path)

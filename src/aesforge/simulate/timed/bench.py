# SPDX-License-Identifier: Apache-2.0
"""A core in its harness, routed, and the traffic that goes through it cycle by cycle.

The netlist is the one that `aesforge measure` places, harness included. Of the harness, the
registers at the core's inputs take the stimulus and those at its outputs are read; the shift
registers around them are left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aesforge.design import Design
from aesforge.devices import Device
from aesforge.devices.families import family
from aesforge.errors import UsageError
from aesforge.measure.harness import INSTANCE, TOP
from aesforge.measure.placement import DELAYS, REPORT, ROUTED, Placement, clock_of
from aesforge.measure.synthesis import Synthesis
from aesforge.measure.target import Target
from aesforge.netlist.module import Bit, Module, read_module, read_modules
from aesforge.reference.openssl import ecb
from aesforge.simulate.timed import ecp5
from aesforge.simulate.timed.circuit import Circuit, connect
from aesforge.simulate.timed.delays import read_delays
from aesforge.simulate.timed.routing import Net, clock_pins_of, nets_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_INPUTS = ("rst", "zeroize", "in_valid", "in_block", "in_key", "in_decrypt", "in_tag")
_OUTPUTS = ("out_valid", "out_block", "out_tag")
_RESET_CYCLES = 4
# After the last block: the registers of the harness, and one cycle to see that nothing follows.
_TAIL_CYCLES = 4
# From a value that the stimulus puts into a register to what it causes in a register after the
# core, one cycle later than in the core's own count.
_OUTPUT_REGISTER = 1


@dataclass(frozen=True)
class Bench:
    """A routed core that can be simulated with its delays.

    Args:
        design: the core.
        placement: how it was made.
        reported_mhz: the clock that nextpnr reports.
        circuit: the core with the registers around it.
        inputs: for each input port the stimulus register of each bit, None where it has none.
        outputs: for each output port the place of each bit among the observed registers.
        nets: of the whole netlist, by number.
        clock_pins: of the core's flip-flops and of its memories' write ports.
    """

    design: Design
    placement: Placement
    reported_mhz: float
    circuit: Circuit
    inputs: dict[str, list[int | None]]
    outputs: dict[str, list[int]]
    nets: dict[Bit, Net]
    clock_pins: int


def require_supported(design: Design, device: Device) -> None:
    """Refuse what no timed simulation can be made of, before anything is placed.

    Raises:
        UsageError: the device's cells are not known, or the core takes its keys in another way.
    """
    if device.family != "ecp5":
        raise UsageError(
            f"the timed simulation knows the cells of ECP5 only, and {device.name} is of the "
            f"family {device.family}; choose an LFE5U device"
        )
    if (
        design.architecture != "pipeline"
        or not design.is_agile
        or design.blocks_per_beat > 1
        or design.tiles > 1
    ):
        raise UsageError(
            "the timed simulation drives one pipeline with a key beside each block; choose a "
            "design with architecture = pipeline, key_schedule = agile and tiles = 1"
        )
    if design.research_scheme is not None:
        raise UsageError(
            "the timed simulation compares each block with OpenSSL's, and a core with a research "
            "scheme is not AES; choose a design with scheme = fips197"
        )


def bench_of(design: Design, device: Device, seed: int, recipe: str | None = None) -> Bench:
    """Synthesize, place and route a core, unless that is done, and read the result.

    Raises:
        UsageError: the design, the device or a cell is not one that can be simulated.
        ToolFailed: synthesis or placement ended with an error.
    """
    require_supported(design, device)
    fam = family(device.family)
    chosen = fam.recipe_named(recipe)
    synthesis = Synthesis(Target.of(design), device.family, fam, chosen)
    examined = synthesis.examine()
    if examined.area.block_ram:
        raise ecp5.no_block_ram()
    return bench_at(design, Placement(synthesis, examined.netlist, device, fam, chosen, seed))


def bench_at(design: Design, placement: Placement) -> Bench:
    """Read a core that is routed, or route it first.

    Raises:
        UsageError: a cell is not one that can be simulated.
        ToolFailed: placement ended with an error.
    """
    folder, synthesis = placement.routed(), placement.synthesis
    inputs, outputs = _registers_around(read_module(synthesis.netlist, TOP))
    stimulus = list(dict.fromkeys(name for names in inputs.values() for name in names if name))
    observed = list(dict.fromkeys(name for names in outputs.values() for name in names))
    delays = read_delays(folder / DELAYS)
    (module,) = read_modules(folder / ROUTED).values()
    parts = ecp5.parts_of(module.cells, delays)
    place = {name: n for n, name in enumerate(stimulus)}
    row = {name: n for n, name in enumerate(observed)}
    return Bench(
        design=design,
        placement=placement,
        reported_mhz=clock_of(json.loads((folder / REPORT).read_bytes())),
        circuit=connect(parts, module.cells, delays, stimulus, observed),
        inputs={port: [place[n] if n else None for n in names] for port, names in inputs.items()},
        outputs={port: [row[name] for name in names] for port, names in outputs.items()},
        nets=nets_of(module),
        clock_pins=clock_pins_of(module.cells, f"{INSTANCE}."),
    )


def _registers_around(
    module: Module,
) -> tuple[dict[str, list[str | None]], dict[str, list[str]]]:
    """Give, for each of the core's ports, the harness's register at each bit, lowest first.

    Args:
        module: the synthesized harness, flat.
    """
    driver: dict[Bit, str] = {}
    taker: dict[Bit, str] = {}
    for name, cell in module.cells.items():
        if cell.kind == "TRELLIS_FF" and not name.startswith(f"{INSTANCE}."):
            driver[cell.connections["Q"][0]] = name
            for port in ("DI", "M"):
                for bit in cell.connections.get(port, ()):
                    taker[bit] = name
    ports = {
        port: module.wires[f"{INSTANCE}.{port}"].bits
        for port in (*_INPUTS, *_OUTPUTS)
        if f"{INSTANCE}.{port}" in module.wires  # a port that the core does not use has no wire
    }
    inputs = {port: [driver.get(bit) for bit in ports.get(port, ())] for port in _INPUTS}
    outputs = {port: [taker[bit] for bit in ports[port]] for port in _OUTPUTS}
    return inputs, outputs


@dataclass(frozen=True)
class Traffic:
    """Blocks on their way through a core, at its full rate.

    Args:
        stimulus: cycles x the circuit's stimulus registers.
        enters: for each block the row in which it is taken.
        leaves: for each block the row in which it is read.
        blocks: what goes in; blocks x 16 bytes.
        expected: what OpenSSL says comes out; blocks x 16 bytes.
    """

    stimulus: NDArray[np.uint8]
    enters: NDArray[np.int64]
    leaves: NDArray[np.int64]
    blocks: NDArray[np.uint8]
    expected: NDArray[np.uint8]


def places_in(design: Design) -> int:
    """Return how many blocks enter one after the other before a ring is full."""
    return max(1, design.unrolled_rounds * design.stages)


def enters_in(design: Design, count: int) -> NDArray[np.int64]:
    """Return the cycle in which each block is accepted, from the first on, when one always waits.

    A ring takes a block in each of its places, then none until the first comes round for the last
    time.
    """
    import numpy as np

    places = places_in(design)
    block = np.arange(count)
    return block // places * places * design.passes + block % places


def traffic(bench: Bench, blocks: NDArray[np.uint8], keys: NDArray[np.uint8]) -> Traffic:
    """Lay out what goes into the core in each cycle.

    Args:
        bench: the core.
        blocks: count x 16 bytes.
        keys: one for all, or one each; 1 or count x key bytes.
    """
    import numpy as np

    design = bench.design
    enters = enters_in(design, len(blocks)) + _RESET_CYCLES
    leaves = enters + design.latency_cycles + _OUTPUT_REGISTER
    cycles = int(leaves[-1]) + _TAIL_CYCLES
    every = np.broadcast_to(keys, (len(blocks), keys.shape[1]))
    stimulus = np.zeros((cycles, len(bench.circuit.stimulus)), np.uint8)

    def drive(port: str, rows: Any, bits: NDArray[np.uint8]) -> None:
        for position, column in enumerate(bench.inputs[port]):
            if column is not None:
                stimulus[rows, column] = bits[:, position]

    def bits_of(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
        # Byte 0 is the port's highest byte; its bit 0 the last bit.
        return np.unpackbits(data, axis=1)[:, ::-1]

    # A block is there from the cycle in which the one before it was taken.
    held = np.searchsorted(enters, np.arange(cycles))
    waiting = held < len(blocks)
    rows = np.flatnonzero(waiting & (np.arange(cycles) >= _RESET_CYCLES))
    held = held[rows]
    one = np.ones((len(rows), 1), np.uint8)
    drive("rst", np.arange(_RESET_CYCLES), np.ones((_RESET_CYCLES, 1), np.uint8))
    drive("in_valid", rows, one)
    drive("in_block", rows, bits_of(blocks[held]))
    drive("in_key", rows, bits_of(every[held]))
    drive("in_tag", rows, _tags(design, held))
    drive("in_decrypt", rows, one * (design.direction == "decrypt"))
    return Traffic(stimulus, enters, leaves, blocks, _expected(blocks, keys, design))


def _tags(design: Design, numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the tags of blocks, by their numbers, as bits, lowest first."""
    import numpy as np

    bits: NDArray[np.uint8] = (numbers[:, None] >> np.arange(design.tag_bits) & 1).astype(np.uint8)
    return bits


def _expected(
    blocks: NDArray[np.uint8], keys: NDArray[np.uint8], design: Design
) -> NDArray[np.uint8]:
    import numpy as np

    out = np.empty_like(blocks)
    per_key = len(blocks) if len(keys) == 1 else 1
    for number, key in enumerate(keys):
        part = slice(number * per_key, (number + 1) * per_key)
        data = ecb(key.tobytes(), blocks[part].tobytes(), decrypt=design.direction == "decrypt")
        out[part] = np.frombuffer(data, np.uint8).reshape(-1, 16)
    return out


def read(bench: Bench, port: str, values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return an output port's bits in each row, lowest first; rows x width."""
    return values[:, bench.outputs[port]]


def corrupt(bench: Bench, sent: Traffic, values: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Say for each block whether it came out wrong, without its tag, or not marked as valid."""
    import numpy as np

    valid = read(bench, "out_valid", values)[sent.leaves, 0] == 1
    tags = _tags(bench.design, np.arange(len(sent.blocks)))
    right = (read(bench, "out_tag", values)[sent.leaves] == tags).all(axis=1)
    same = (blocks_out(bench, sent, values) == sent.expected).all(axis=1)
    wrong: NDArray[np.bool_] = ~(valid & right & same)
    return wrong


def blocks_out(bench: Bench, sent: Traffic, values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return what stood at the output in the cycle of each block; blocks x 16 bytes."""
    import numpy as np

    return np.packbits(read(bench, "out_block", values)[sent.leaves, ::-1], axis=1)

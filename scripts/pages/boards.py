# SPDX-License-Identifier: Apache-2.0
"""Tables of boards."""

from __future__ import annotations

import json
from typing import Any

from build_boards import FILE as BOARDS_RESULT

from aesforge.board.data import boards
from pages.markdown import Section, table


def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(BOARDS_RESULT.read_bytes())
    return found


def board_results() -> str:
    """Return the table of boards: pins, and what `make boards` found, where it has run."""
    found = _recorded()["boards"]
    rows = []
    for name, one in boards().items():
        built = found.get(name)
        figures: tuple[str, ...] = ("-",) * 6
        if built is not None:
            cores = f"`{built['design']}`"
            if built["reference"] == "itself":
                cores += ", one core for both"
            elif built["reference"] != built["design"]:
                cores += f", decrypted by `{built['reference']}`"
            if built["sampled"] > 1:
                cores += f", one block of {built['sampled']}"
            figures = (cores, *board_figures(built))
        rows.append((f"`{name}`", one.title, *figures))
    titles = ("name", "board", "self-test", "clock", "Fmax", "LUTs", "FFs", "seconds")
    return table(titles, rows)


def board_figures(built: dict[str, Any]) -> tuple[str, ...]:
    """Return the figures of a bitstream, or dashes where there is none."""
    if "failed" in built:
        return ("-",) * 5
    return (
        f"{built['clock_mhz']:.2f}",
        f"{built['fmax_mhz']:.2f}",
        f"{built['luts']:,}",
        f"{built['ff']:,}",
        f"{built['seconds']:.0f}",
    )


def fresh_clone() -> str:
    """Return how long a bitstream takes from a fresh clone."""
    found = _recorded()
    if (one := found.get("fresh_clone")) is None:
        return "Not measured yet: `python scripts/fresh_clone.py` does it."
    return (
        f"From a fresh clone, `{one['command']}` sets up the environment and builds the bitstream "
        f"in {one['cpu_seconds']} seconds of one processor. The measurement took "
        f"{one['seconds']} seconds, on {one['processors']} processors with a load average of "
        f"{one['load']} ({one['date']}, `{one['commit']}`). `python scripts/fresh_clone.py` "
        "repeats it."
    )


def board_services() -> str:
    """Return the table of the UART service on the boards, and why a board has none."""
    found = _recorded()["boards"]
    rows, failed = [], []
    for name, one in boards().items():
        built = found.get(f"{name}-uart", {"design": one.service.text, "failed": "not built yet"})
        ram = str(built["block_ram"]) if "block_ram" in built else "-"
        *figures, seconds = board_figures(built)
        rows.append((f"`{name}`", f"`{built['design']}`", *figures, ram, seconds))
        if "failed" in built:
            failed.append(f"- `{name}`: {built['failed'].splitlines()[0]}.")
    titles = ("board", "engine", "clock", "Fmax", "LUTs", "FFs", "block RAM", "seconds")
    return "\n".join([table(titles, rows), *(["", "No bitstream:", "", *failed] if failed else [])])


def board_pins() -> str:
    """Return the table of the boards' pins."""
    rows = []
    for name, one in boards().items():
        uart = f"{one.uart.txd.site}, {one.uart.rxd.site}; {one.uart.where}" if one.uart else "-"
        leds = ", ".join(f"{led.name} {led.pin.site}" for led in one.leds) or "-"
        button = f"{one.button.name} {one.button.pin.site}" if one.button else "-"
        clock = f"{one.clock.pin.site}, {one.clock.mhz:g} MHz"
        rows.append((f"`{name}`", f"{one.device}, {one.package}", clock, uart, leds, button))
    return table(("name", "part", "clock", "UART: txd, rxd", "LEDs", "button"), rows)


def board_sources() -> str:
    """Return where the boards' pins were read."""
    return "\n".join(
        f"- `{name}`: {'; '.join(sorted(set(one.sources.values())))}."
        + (f" To know: {'; '.join(one.notes)}." if one.notes else "")
        for name, one in boards().items()
    )


SECTIONS: tuple[Section, ...] = (
    ("docs/boards/building.md", "boards", board_results),
    ("docs/boards/building.md", "fresh clone", fresh_clone),
    ("docs/boards/uart.md", "services", board_services),
    ("docs/boards/building.md", "pins", board_pins),
    ("docs/boards/building.md", "sources", board_sources),
)

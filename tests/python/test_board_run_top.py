# SPDX-License-Identifier: Apache-2.0
"""`board run` on whole boards in simulation: reset, PLL, pads, UART, service and engine."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import board_bench
from aesforge.board.applications import Sizes
from aesforge.board.build import default_design, project
from aesforge.board.data import board
from aesforge.board.files import Project
from aesforge.design.engine import Engine
from aesforge.reference import openssl
from aesforge.simulate.uart import UartModule, UartSimulator
from test_cli import run
from uart_device import DIVIDER, HERTZ

KEY, IV = bytes(range(16)), bytes(range(0x30, 0x40))


# A netlist is simulated so much slower.
NETLIST_HERTZ = 20_000.0


def small(name: str, hertz: float) -> Project:
    """Return a board's UART service, its timeouts in cycles of a slow clock."""
    one = board(name)
    chosen = default_design(one, "uart")
    mhz = project(one, chosen, "uart").setting.mhz
    sizes = Sizes(second=hertz / (mhz * 1e6), baud=round(mhz * 1e6 / DIVIDER))
    return project(one, chosen, "uart", sizes=sizes)


def sources(one: Project, folder: Path) -> list[str]:
    """Write a board's files, and return its sources, the PLL's portable twin among them.

    The clock that the simulation drives is the one after the PLL.
    """
    for path, text in one.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    listed = one.files["files.f"].split()
    return ["sim/pll.sv" if path == "rtl/pll.v" else path for path in listed]


def require_files(one: Project, files: list[Path], folder: Path, hertz: float, size: int) -> None:
    """Want a file of several packets to go through a simulated board, and back if it can."""
    engine = one.cores.encrypt
    assert isinstance(engine, Engine)
    (mode,) = engine.modes
    module = UartModule("a board", "top", files, DIVIDER, clock="clk_in", reset=None)
    text = random.Random(5).randbytes(size // 16 * 16 if mode == "ecb" else size)
    (folder / "in").write_bytes(text)
    options = ["--mode", mode, "--key", KEY.hex(), "--timeout", "30"]
    options += ["--no-pad"] if mode == "ecb" else ["--iv", IV.hex()]
    options += ["--packet", str(size // 2 // 16 * 16)]
    with UartSimulator(module, hertz=hertz) as simulated:
        done = run(
            *("board", "run", simulated.port, str(folder / "in"), str(folder / "out"), *options)
        )
        assert done.exit_code == 0, done.stderr
        if mode != "ecb":
            # CTR decrypts with the same cipher; an engine with ECB has one direction.
            paths = [str(folder / name) for name in ("out", "back")]
            done = run("board", "run", simulated.port, *paths, *options, "--decrypt")
            assert done.exit_code == 0, done.stderr
            assert (folder / "back").read_bytes() == text
    iv = b"" if mode == "ecb" else IV
    assert (folder / "out").read_bytes() == openssl.crypt(mode, KEY, text, iv)


@pytest.mark.parametrize("name", ["ulx3s", "icebreaker", "hx8k", "tangnano9k", "gatemate"])
def test_a_board_serves_the_host(name: str, tmp_path: Path) -> None:
    one = small(name, HERTZ)
    files = [tmp_path / path for path in sources(one, tmp_path)]
    require_files(one, files, tmp_path, HERTZ, 1300)


@pytest.mark.parametrize("name", ["ulx3s", "hx8k"])
def test_the_mapped_netlist_of_a_board_serves_the_host(name: str, tmp_path: Path) -> None:
    """Synthesized as for the bitstream, with Yosys's models of the cells; the PLL is its twin."""
    one = small(name, NETLIST_HERTZ)
    files = board_bench.mapped(one, tmp_path, twin=True)
    require_files(one, [tmp_path / path for path in files], tmp_path, NETLIST_HERTZ, 75)

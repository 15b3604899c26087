# SPDX-License-Identifier: Apache-2.0
"""The boards: a data file each, with the source of every pin."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from aesforge.devices import Device, Record, device
from aesforge.errors import AesforgeError, UsageError, nearest


class Pin(Record, frozen=True, kw_only=True):
    """A pin of the part.

    Args:
        site: its name in the part's package.
        options: the rest of its constraint, in the words of the family's constraints file.
        low: whether it is active low.
        source: the key of `Board.sources` under which it was read.
    """

    site: str
    options: str = ""
    low: bool = False
    source: str


class Named(Record, frozen=True, kw_only=True):
    """An LED or a button: what the board calls it, and its pin."""

    name: str
    pin: Pin


class Clock(Record, frozen=True, kw_only=True):
    """The oscillator: its frequency in MHz, and the pin that it comes in by."""

    mhz: float
    pin: Pin


class Pll(Record, frozen=True, kw_only=True):
    """The PLL of the part, with its limits in MHz, lowest and highest.

    Args:
        cell: the vendor's primitive.
        reference_mhz: at the phase detector.
        vco_mhz: of the oscillator.
        output_mhz: of the clock.
        device: what Gowin's primitive calls the part.
        source: the key of `Board.sources` for the limits.
    """

    cell: str
    reference_mhz: tuple[float, float]
    vco_mhz: tuple[float, float]
    output_mhz: tuple[float, float]
    device: str = ""
    source: str


class Uart(Record, frozen=True, kw_only=True):
    """The serial line, seen from the FPGA.

    Args:
        txd: what the FPGA sends.
        rxd: what it receives.
        where: how a computer gets at it.
    """

    txd: Pin
    rxd: Pin
    where: str


class Choice(Record, frozen=True, kw_only=True):
    """What an application has on a board, unless it is asked for another design or clock.

    Args:
        design: a preset, or the path of a design file.
        overrides: choices of it, as `--set` takes them.
        start_mhz: the clock with which the search begins; None for the board's.
    """

    design: str
    overrides: list[str] = msgspec.field(default_factory=list)
    start_mhz: float | None = None

    @property
    def text(self) -> str:
        """The design as the command line takes it."""
        return " --set ".join((self.design, *self.overrides))


class Board(Record, frozen=True, kw_only=True):
    """One data file.

    Args:
        name: of the file, without its ending.
        title: maker, board and part.
        device: part and speed grade, as in `aesforge.devices`.
        package: of the part.
        place: the placement tool's options for part, grade and package.
        design: the encryption core of the self-test, unless another one is asked for.
        overrides: choices of it, as `--set` takes them.
        reference: the core that decrypts beside it, where it is not the same design.
        start_mhz: the clock with which the search begins.
        service: the engine of the UART service.
        load: openFPGALoader's options.
        notes: what its owner should know.
        sources: where pins and limits were read, by a short key.
        clock, pll, uart, leds, button: what is on the board; `leds` in the order good, failed,
            done, heartbeat.
    """

    name: str
    title: str
    device: str
    package: str
    place: list[str]
    design: str
    overrides: list[str] = msgspec.field(default_factory=list)
    reference: str | None = None
    start_mhz: float
    service: Choice = Choice(design="compact-stream")
    load: list[str]
    notes: list[str] = msgspec.field(default_factory=list)
    sources: dict[str, str]
    clock: Clock
    pll: Pll
    uart: Uart | None = None
    leds: list[Named] = msgspec.field(default_factory=list)
    button: Named | None = None

    @property
    def on(self) -> Device:
        """The device."""
        return device(self.device)

    @property
    def self_test(self) -> Choice:
        """The encryption core of the self-test."""
        return Choice(design=self.design, overrides=self.overrides, start_mhz=self.start_mhz)

    @property
    def pins(self) -> dict[str, Pin]:
        """Every pin in use, by the port of the top that it leads to."""
        found = {"clk_in": self.clock.pin}
        if self.uart:
            found |= {"txd": self.uart.txd, "rxd": self.uart.rxd}
        if self.button:
            found["button"] = self.button.pin
        return found | {f"led[{number}]": led.pin for number, led in enumerate(self.leds)}


def boards_dir() -> Path:
    """Return the folder of the boards' files: inside an installed package, or of a checkout.

    Raises:
        AesforgeError: neither exists; the installation is broken.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_boards", package.parent.parent / "boards"):
        if folder.is_dir():
            return folder
    raise AesforgeError(
        "the boards' files are missing; install aesforge again, or run it from a full checkout"
    )


@cache
def boards() -> dict[str, Board]:
    """Read all data files, by name.

    Raises:
        msgspec.ValidationError: a file has a field too many, too few, or of the wrong type.
    """
    return {path.stem: read_board(path) for path in sorted(boards_dir().glob("*.toml"))}


def read_board(path: Path) -> Board:
    """Read one data file.

    Raises:
        msgspec.ValidationError: it has a field too many, too few, or of the wrong type.
        UsageError: its device is unknown, or a pin's source is not among its sources.
    """
    data = msgspec.toml.decode(path.read_bytes())
    found = msgspec.convert({"name": path.stem, **data}, Board)
    device(found.device)
    used = {found.pll.source, *(pin.source for pin in found.pins.values())}
    if unknown := sorted(used - found.sources.keys()):
        raise UsageError(f"{path.name}: no source is called {', '.join(unknown)}")
    return found


def board(name: str) -> Board:
    """Find a board by its name, in any case, or read the data file of another one.

    Args:
        name: of a board, or the path of a `.toml` file.

    Raises:
        UsageError: there is none of this name, and the message gives the nearest; or something in
            the file is not allowed.
    """
    if name.endswith(".toml"):
        try:
            return read_board(Path(name))
        except OSError as error:
            raise UsageError(f"cannot read '{name}': {error.strerror}") from None
        except (msgspec.DecodeError, ValueError) as error:
            raise UsageError(f"{name}: {error}") from None
    known = boards()
    if name.lower() not in known:
        raise UsageError(
            f"there is no board '{name}'{nearest(name, known)}\nboards: {', '.join(known)}; "
            "a .toml file like theirs is one more"
        )
    return known[name.lower()]

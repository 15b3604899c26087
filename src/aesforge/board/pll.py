# SPDX-License-Identifier: Apache-2.0
"""The clocks that a board's PLL makes of its oscillator.

All four families multiply the oscillator by a feedback divider and divide it by a reference
divider; which divider the oscillator of the PLL stands before differs. The limits are in the
boards' files.
"""

from __future__ import annotations

from dataclasses import dataclass

from aesforge.board.data import Board
from aesforge.errors import UsageError

# A PLL that computes its own dividers is asked for multiples of this.
_GATEMATE_STEP_MHZ = 1.25
# ODIV_SEL of rPLL takes these and no other divider.
_GOWIN_OUTPUT = (2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128)


@dataclass(frozen=True)
class Setting:
    """A clock, and the parameters of the primitive that make it.

    Args:
        mhz: of the clock.
        values: parameter to value, as its template names them.
    """

    mhz: float
    values: dict[str, int | str]


def settings(board: Board) -> list[Setting]:
    """Return the clocks that the board's PLL makes, slowest first.

    Clocks of equal frequency appear once, with the fastest phase detector.
    """
    makers = {"ecp5": _ecp5, "ice40": _ice40, "gowin": _gowin, "gatemate": _gatemate}
    found: dict[int, Setting] = {}
    for one in makers[board.on.family](board):
        found.setdefault(round(one.mhz * 1e6), one)
    return [found[hertz] for hertz in sorted(found)]


def setting_below(board: Board, mhz: float) -> Setting:
    """Return the fastest clock that is not above a limit.

    Raises:
        UsageError: even the slowest clock is above it.
    """
    every = settings(board)
    below = [one for one in every if one.mhz <= mhz + 1e-6]
    if not below:
        raise UsageError(
            f"the PLL of {board.title} makes no clock as slow as {mhz:g} MHz: the slowest is "
            f"{every[0].mhz:g} MHz"
        )
    return below[-1]


def _within(limits: tuple[float, float], mhz: float) -> bool:
    return limits[0] <= mhz <= limits[1]


def _ecp5(board: Board) -> list[Setting]:
    """CLKOP is the feedback: output = reference * CLKFB_DIV, oscillator = output * CLKOP_DIV."""
    pll, found = board.pll, []
    for reference in range(1, 129):
        detector = board.clock.mhz / reference
        for feedback in range(1, 81):
            mhz = detector * feedback
            # The middle of what the oscillator can do.
            middle = sum(pll.vco_mhz) / 2
            output = max(1, round(middle / mhz))
            if (
                _within(pll.reference_mhz, detector)
                and _within(pll.output_mhz, mhz)
                and _within(pll.vco_mhz, mhz * output)
                and output <= 128
            ):
                values = {"reference": reference, "feedback": feedback, "output": output}
                found.append(Setting(mhz, {**values}))
    return found


def _ice40(board: Board) -> list[Setting]:
    """Feedback SIMPLE: VCO = reference * (DIVF + 1), output = VCO / 2^DIVQ."""
    pll, found = board.pll, []
    for reference in range(1, 17):
        detector = board.clock.mhz / reference
        steps = (17.0, 26.0, 44.0, 66.0, 101.0)
        # FILTER_RANGE follows from the phase detector.
        band = 1 + sum(detector >= step for step in steps)
        for feedback in range(1, 129):
            vco = detector * feedback
            for shift in range(1, 7):
                mhz = vco / 2**shift
                if (
                    _within(pll.reference_mhz, detector)
                    and _within(pll.vco_mhz, vco)
                    and _within(pll.output_mhz, mhz)
                ):
                    values = {"divr": reference - 1, "divf": feedback - 1, "divq": shift}
                    found.append(Setting(mhz, {**values, "filter": band}))
    return found


def _gowin(board: Board) -> list[Setting]:
    """Output = oscillator in * (FBDIV_SEL + 1) / (IDIV_SEL + 1); VCO = output * ODIV_SEL."""
    pll, found = board.pll, []
    for reference in range(1, 65):
        detector = board.clock.mhz / reference
        for feedback in range(1, 65):
            mhz = detector * feedback
            divider = next((d for d in _GOWIN_OUTPUT if _within(pll.vco_mhz, mhz * d)), None)
            if (
                divider is not None
                and _within(pll.reference_mhz, detector)
                and _within(pll.output_mhz, mhz)
            ):
                values: dict[str, int | str] = {"idiv": reference - 1, "fbdiv": feedback - 1}
                found.append(
                    Setting(mhz, {**values, "odiv": divider, "fclkin": f"{board.clock.mhz:g}"})
                )
    return found


def _gatemate(board: Board) -> list[Setting]:
    """CC_PLL takes both frequencies as text, and the placement tool finds the dividers."""
    low, high = board.pll.output_mhz
    first, last = int(low / _GATEMATE_STEP_MHZ), int(high / _GATEMATE_STEP_MHZ)
    return [
        Setting(
            step * _GATEMATE_STEP_MHZ,
            {"reference": f"{board.clock.mhz:.1f}", "output": f"{step * _GATEMATE_STEP_MHZ:.2f}"},
        )
        for step in range(max(first, 1), last + 1)
        if step * _GATEMATE_STEP_MHZ >= low
    ]

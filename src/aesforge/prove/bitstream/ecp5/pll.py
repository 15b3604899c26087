# SPDX-License-Identifier: Apache-2.0
"""What a PLL of a routed netlist for ECP5 configures."""

from __future__ import annotations

from aesforge.netlist.module import Cell
from aesforge.prove.bitstream.layout import Settings

_OUTPUTS = ("CLKOP", "CLKOS", "CLKOS2", "CLKOS3")
# Settings that are a parameter of the cell, as a text, with what it is by default.
_TEXTS = {
    **{f"{output}_ENABLE": "ENABLED" for output in _OUTPUTS},
    **{"FEEDBK_PATH": "CLKOP", "CLKOP_TRIM_POL": "RISING", "CLKOS_TRIM_POL": "RISING"},
    **{"STDBY_ENABLE": "DISABLED", "REFIN_RESET": "DISABLED", "SYNC_ENABLE": "DISABLED"},
    **{"INT_LOCK_STICKY": "ENABLED", "DPHASE_SOURCE": "DISABLED", "PLLRST_ENA": "DISABLED"},
    "INTFB_WAKE": "DISABLED",
}
# Those that are an attribute of the cell, as a number; 0 by default.
_NUMBERS = (
    *("KVCO", "LPF_CAPACITOR", "LPF_RESISTOR", "ICP_CURRENT", "FREQ_LOCK_ACCURACY"),
    *("MFG_GMC_GAIN", "MFG_GMC_TEST", "MFG1_TEST", "MFG2_TEST", "MFG_FORCE_VFILTER"),
    *("MFG_ICP_TEST", "MFG_EN_UP", "MFG_FLOAT_ICP", "MFG_GMC_PRESET", "MFG_LF_PRESET"),
    *("MFG_GMC_RESET", "MFG_LF_RESET", "MFG_LF_RESGRND", "MFG_GMCREF_SEL"),
    "MFG_ENABLE_FILTEROPAMP",
)
# A setting of each of the two tiles of a PLL.
TILES = ("CLKI_DIV", "CLKOP_DIV")


def pins(cell: Cell) -> dict[str, str]:
    """Return the wire at each port of a PLL."""
    own = {"CLKI", "CLKFB", "CLKINTFB"}
    return {port: f"{'' if port in own else 'J'}{port}_PLL" for port in cell.connections}


def settings(cell: Cell) -> Settings:
    """Return all settings of a PLL."""
    found: Settings = {"MODE": "EHXPLLL"}

    def number(name: str, default: int) -> int:
        text = cell.parameters.get(name)
        return default if text is None else integer(text)

    for name in ("CLKI_DIV", "CLKFB_DIV"):
        found[name] = number(name, 1) - 1
    for output in _OUTPUTS:
        found[f"{output}_DIV"] = number(f"{output}_DIV", 8) - 1
        found[f"{output}_CPHASE"] = number(f"{output}_CPHASE", 0)
        found[f"{output}_FPHASE"] = number(f"{output}_FPHASE", 0)
    for name, default in _TEXTS.items():
        found[name] = cell.parameters.get(name, default).strip()
    for name in ("CLKOP_TRIM_DELAY", "CLKOS_TRIM_DELAY"):
        found[name] = str(number(name, 0))
    for letter in "ABCD":
        default = f"DIV{letter}" if cell.connections.get("CLKOP") else "REFCLK"
        name = f"OUTDIVIDER_MUX{letter}"
        found[name] = cell.parameters.get(name, default).strip()
    found["PLL_LOCK_MODE"] = number("PLL_LOCK_MODE", 0)
    for name in _NUMBERS:
        text = cell.attributes.get(name, "14 " if name == "MFG_GMC_TEST" else "0")
        found[name] = integer(text)
    return found


def integer(text: str) -> int:
    """Return a number of a netlist: binary digits, or a text with a decimal number.

    nextpnr adds a space to a text that could be taken for binary digits.
    """
    return int(text, 2) if text and set(text) <= {"0", "1"} else int(text)

# SPDX-License-Identifier: Apache-2.0
"""A wrapper has the ports that its design uses, and ties off the others."""

from __future__ import annotations

from aesforge.bundle import render
from aesforge.bundle.ports import core_ports, engine_ports
from aesforge.design import Design
from aesforge.design.engine import Engine
from engines import SMALL, WIDE
from test_bundle_engine import COUNTED_REGISTERS, NARROW, REGISTERS


def test_a_wrapper_has_only_the_ports_that_its_design_uses() -> None:
    def names(design: Design) -> set[str]:
        return {port.name for port in core_ports(design) if port.used}

    common = {"clk", "rst", "zeroize", "in_valid", "in_ready", "in_block", "in_tag"}
    common |= {"out_valid", "out_block", "out_tag"}
    keys = {"in_slot", "key_valid", "key_ready", "key_slot", "key"}
    assert names(Design()) == common | {"in_key"}
    assert names(Design(direction="both")) == common | {"in_key", "in_decrypt"}
    assert names(Design(key_schedule="stored")) == common | keys
    one_key = Design(key_schedule="stored", architecture="column_serial")
    assert names(one_key) == common | keys - {"in_slot", "key_slot"}
    wrapper = render(Design(name="mine", key_schedule="stored"))["rtl/mine.sv"]
    assert "in_key," not in wrapper.split(");")[0]
    assert ".in_key('0)" in wrapper
    keys = {"clk", "rst", "zeroize", "in_valid", "in_ready", "in_key", "in_tag", "out_valid"}
    keys |= {"out_round_keys", "out_tag"}
    assert names(Design(architecture="key_expand")) == keys
    assert names(Design(architecture="key_expand", unroll=1)) == keys | {"out_round"}


def test_a_wrapper_has_only_the_ports_that_its_engine_uses() -> None:
    def names(engine: Engine) -> set[str]:
        return {port.name for port in engine_ports(engine) if port.used}

    beat = ("tvalid", "tready", "tdata", "tkeep", "tlast", "tid", "tuser")
    beats = {f"{channel}_{port}" for channel in ("s_axis", "m_axis") for port in beat}
    common = beats | {"clk", "rst", "zeroize", "s_ctx_tvalid", "s_ctx_tready"}
    assert names(SMALL) == common | {"s_ctx_key", "s_ctx_iv"}
    keys = {"s_key_tvalid", "s_key_tready", "s_key_slot", "s_key_tdata", "s_ctx_slot"}
    assert names(WIDE) == common | keys | {"s_ctx_iv", "s_ctx_mode", "s_ctx_decrypt"}
    assert names(NARROW) == common | {"s_ctx_key", "s_ctx_iv"}
    text = render(NARROW)["rtl/cbc.sv"]
    assert ".s_ctx_decrypt(1'b1)" in text
    assert ".s_ctx_mode(2'd2)" in text
    assert max(map(len, text.splitlines())) <= 100
    assert not names(REGISTERS) & {"zeroize", "s_ctx_tvalid", "s_key_tvalid"}
    assert {"s_axil_awaddr", "s_axil_rdata"} < names(REGISTERS)
    files = render(REGISTERS)
    assert "aesforge_engine_axi #(" in files["rtl/registers.sv"]
    assert "rtl/aesforge_csr.sv" in files
    assert "| `0x54` | **`push`** |" in files["README.md"]
    # Those with results have more, and neither a port for fixed fields nor a stream of IVs.
    results = names(COUNTED_REGISTERS)
    assert results == names(REGISTERS)
    assert not results & {"iv_fixed", "m_iv_tdata"}
    files = render(COUNTED_REGISTERS)
    assert "aesforge_engine_gcm_axi #(" in files["rtl/counted_registers.sv"]
    assert "| `0x94` | **`push`** |" in files["README.md"]
    assert "| `0x54` |" not in files["README.md"]

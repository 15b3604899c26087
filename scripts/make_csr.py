# SPDX-License-Identifier: Apache-2.0
"""Write the CSR modules, their pages and C headers from the descriptions in rtl/csr (SystemRDL).

    python scripts/make_csr.py [--check]

The modules keep to the subset of SystemVerilog that every tool here reads (docs/adr/0011): ports
are flat, one for each field that hardware sees. What is made of a description: fields that
software writes or reads, `singlepulse`, `swmod`, `hwset` with `woclr`, `hwclr`, and counters;
anything else in it is refused. PeakRDL writes the C header. `--check` writes nothing and fails when
a file is out of date.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from systemrdl.compiler import RDLCompiler
from systemrdl.node import FieldNode, RegNode
from systemrdl.rdltypes.builtin_enums import OnWriteType, PrecedenceType

REPO = Path(__file__).resolve().parent.parent
PAGE = REPO / "docs" / "csr.md"
WIDTH = 32


@dataclass(frozen=True)
class Bank:
    """The files of one description.

    Args:
        source: of the description, in rtl/csr.
        module: the module that is made.
        users: the modules that hold it.
        title: of its section in the page of the registers.
    """

    source: str
    module: str
    users: tuple[str, ...]
    title: str

    @property
    def path(self) -> Path:
        """The description."""
        return REPO / "rtl" / "csr" / self.source

    @property
    def rtl(self) -> Path:
        """The module's file."""
        return self.path.with_name(f"{self.module}.sv")

    @property
    def page(self) -> Path:
        """The module's page."""
        return REPO / "docs" / "cores" / f"{self.module}.md"

    @property
    def header(self) -> Path:
        """The C header."""
        return REPO / "software" / "c" / f"{self.module}.h"


BANKS = (
    Bank(
        "aesforge_engine.rdl",
        "aesforge_csr",
        ("aesforge_engine_axi",),
        "Engines of ECB, CTR, CBC, CFB, OFB, CBC-MAC and CMAC",
    ),
    Bank(
        "aesforge_packet_engine.rdl",
        "aesforge_packet_csr",
        ("aesforge_packet_registers",),
        "Engines of GCM, OCB, CCM and XTS",
    ),
)


@dataclass(frozen=True)
class Field:
    """A field of a register, or of all registers of an array."""

    reg: str
    name: str
    low: int
    bits: int
    count: int  # registers of the array
    reset: int
    node: FieldNode

    def has(self, name: str) -> bool:
        """Return whether it has a property."""
        return bool(self.node.get_property(name))

    @property
    def port(self) -> str:
        """What its ports are named after."""
        return f"{self.reg}_{self.name}"

    @property
    def is_stored(self) -> bool:
        """Whether it is a register, not a constant or a wire from hardware."""
        return self.node.implements_storage

    @property
    def from_hardware(self) -> bool:
        """Whether hardware gives its value."""
        return not self.is_stored and self.node.is_hw_writable

    @property
    def incr_width(self) -> int:
        """Bits of what hardware adds at a time; 0 where it is always 1."""
        return _number(self.node.get_property("incrwidth"))

    @property
    def width(self) -> int:
        """Bits of the whole array."""
        return self.bits * self.count


@dataclass(frozen=True)
class Register:
    """A register, or an array of them."""

    name: str
    title: str
    address: int
    count: int
    fields: tuple[Field, ...]


def _number(value: Any) -> int:
    return int(value or 0)


def read(bank: Bank = BANKS[0]) -> tuple[Any, list[Register]]:
    """Read a description.

    Raises:
        SystemExit: it has what no module is made of.
    """
    compiler = RDLCompiler()
    compiler.compile_file(str(bank.path))
    top = compiler.elaborate().top
    registers = []
    for node in top.children(unroll=False):
        assert isinstance(node, RegNode)
        count = node.array_dimensions[0] if node.is_array and node.array_dimensions else 1
        fields = tuple(
            Field(
                node.inst_name,
                field.inst_name,
                field.low,
                field.width,
                count,
                _number(field.get_property("reset")),
                field,
            )
            for field in node.fields()
        )
        for field in fields:
            both = field.has("hwset") or field.has("hwclr")
            if both and field.node.get_property("precedence") != PrecedenceType.hw:
                raise SystemExit(f"{field.port}: hardware must win over software")
            onwrite = field.node.get_property("onwrite")
            if onwrite not in (None, OnWriteType.woclr) or field.node.get_property("onread"):
                raise SystemExit(f"{field.port}: {onwrite} is not made")
        registers.append(
            Register(
                node.inst_name,
                node.get_property("name"),
                node.raw_address_offset,
                count,
                fields,
            )
        )
    return top, registers


# --- RTL ------------------------------------------------------------------------------------------


def field_ports(field: Field) -> Iterator[tuple[str, int, str]]:
    """Return (direction, bits, name) of what hardware sees of a field."""
    if field.has("counter"):
        yield "input", 1, f"{field.port}_incr"
    if field.incr_width:
        yield "input", field.incr_width, f"{field.port}_incrvalue"
    if field.has("hwset"):
        yield "input", 1, f"{field.port}_hwset"
    if field.has("hwclr"):
        yield "input", 1, f"{field.port}_hwclr"
    if field.from_hardware:
        yield "input", field.width, field.port
    if field.is_stored and field.node.is_hw_readable:
        yield "output", field.width, field.port
    if field.has("swmod"):
        yield "output", 1, f"{field.port}_swmod"


def ports(registers: list[Register]) -> list[tuple[str, str, int, str]]:
    """Return (group, direction, bits, name) of every port."""
    address = address_bits(registers)
    bus = "AXI4-Lite"
    rows = [
        *(("clock, synchronous reset", "input", 1, name) for name in ("clk", "rst")),
        (bus, "input", 1, "s_axil_awvalid"),
        (bus, "output", 1, "s_axil_awready"),
        (bus, "input", address, "s_axil_awaddr"),
        (bus, "input", 3, "s_axil_awprot"),
        (bus, "input", 1, "s_axil_wvalid"),
        (bus, "output", 1, "s_axil_wready"),
        (bus, "input", WIDTH, "s_axil_wdata"),
        (bus, "input", WIDTH // 8, "s_axil_wstrb"),
        (bus, "output", 1, "s_axil_bvalid"),
        (bus, "input", 1, "s_axil_bready"),
        (bus, "output", 2, "s_axil_bresp"),
        (bus, "input", 1, "s_axil_arvalid"),
        (bus, "output", 1, "s_axil_arready"),
        (bus, "input", address, "s_axil_araddr"),
        (bus, "input", 3, "s_axil_arprot"),
        (bus, "output", 1, "s_axil_rvalid"),
        (bus, "input", 1, "s_axil_rready"),
        (bus, "output", WIDTH, "s_axil_rdata"),
        (bus, "output", 2, "s_axil_rresp"),
    ]
    for register in registers:
        rows += [
            (register.name, way, bits, name)
            for field in register.fields
            for way, bits, name in field_ports(field)
        ]
    return rows


def address_bits(registers: list[Register]) -> int:
    """Return the width of an address."""
    last = max(one.address + 4 * one.count for one in registers)
    return (last - 1).bit_length()


def span(bits: int) -> str:
    """Return a packed range; nothing for one bit."""
    return f"[{bits - 1}:0]" if bits > 1 else ""


def rtl(bank: Bank, registers: list[Register]) -> str:
    """Return the module's text."""
    address = address_bits(registers)
    rows = ports(registers)
    wide = max(len(span(bits)) for _, _, bits, _ in rows)
    lines = []
    group = None
    for number, (where, way, bits, name) in enumerate(rows):
        if where != group:
            group = where
            lines.append(f"    // {where}")
        comma = "" if number == len(rows) - 1 else ","
        lines.append(f"    {way:6} logic {span(bits):>{wide}} {name}{comma}")
    port_text = "\n".join(lines)

    declared, assigned, state, reads = [], [], [], []
    for register in registers:
        for field in register.fields:
            state += field_state(register, field, address)
            if field.is_stored and not field.node.is_hw_readable:
                declared.append(f"  logic {span(field.width)} {field.port};".replace("  ;", ";"))
            if field.has("swmod"):
                hit = written(register, field, address)
                assigned.append(f"  assign {field.port}_swmod = {hit};")
        if any(field.node.is_sw_readable for field in register.fields):
            reads += read_case(register, address)
    text = "\n".join(line.replace("logic  ", "logic ") for line in declared)
    return f"""\
// SPDX-License-Identifier: Apache-2.0
// The registers of {" and ".join(bank.users)} on AXI4-Lite. scripts/make_csr.py writes this file
// from {bank.source}. A write and a read every two cycles.
`default_nettype none

module {bank.module} (
{port_text}
);
{text}

  // Writes: address and data are taken together, when no answer waits.
  logic write;
  logic [31:0] mask;
  assign write = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
  assign s_axil_awready = write;
  assign s_axil_wready = write;
  assign s_axil_bresp = 2'b00;
  always_comb for (int i = 0; i < 4; i++) mask[8*i+:8] = {{8{{s_axil_wstrb[i]}}}};
  always_ff @(posedge clk) begin
    s_axil_bvalid <= write || (s_axil_bvalid && !s_axil_bready);
    if (rst) s_axil_bvalid <= 1'b0;
  end

  // Reads: what only takes writes reads as 0.
  logic [31:0] value;
  assign s_axil_arready = !s_axil_rvalid;
  assign s_axil_rresp = 2'b00;
  always_comb begin
    value = '0;
    case (s_axil_araddr[{address - 1}:2])
{chr(10).join(reads)}
      default: value = '0;
    endcase
  end
  always_ff @(posedge clk) begin
    if (s_axil_arready) s_axil_rdata <= value;
    s_axil_rvalid <= s_axil_arready ? s_axil_arvalid : !s_axil_rready;
    if (rst) s_axil_rvalid <= 1'b0;
  end

  // Fields. What happens in the engine wins over a write in the same cycle.
{chr(10).join(assigned)}
  always_ff @(posedge clk) begin
{chr(10).join(state)}
  end

  logic unused_ok;
  assign unused_ok = &{{
    1'b0, s_axil_awprot, s_axil_arprot, s_axil_awaddr[1:0], s_axil_araddr[1:0], mask
  }};
endmodule

`default_nettype wire
"""


def place(register: Register, number: int) -> str:
    """Return the address of one register of an array, in words."""
    return f"{register.address // 4 + number}"


def selected(register: Register, number: int, address: int) -> str:
    """Return the condition under which software writes a register of an array.

    Args:
        register: the array.
        number: of the register.
        address: bits of an address.
    """
    return f"write && s_axil_awaddr[{address - 1}:2] == {address - 2}'d{place(register, number)}"


def written(register: Register, field: Field, address: int) -> str:
    """Return the condition under which software writes a field."""
    return f"{selected(register, 0, address)} && mask{field_slice(field)} != '0"


def field_slice(field: Field) -> str:
    """Return the bits of a bus word that are a field's."""
    if field.bits == WIDTH:
        return ""
    if field.bits == 1:
        return f"[{field.low}]"
    return f"[{field.low + field.bits - 1}:{field.low}]"


def target(field: Field, number: int) -> str:
    """Return one register's part of a field's signal."""
    if field.count == 1:
        return field.port
    return f"{field.port}[{field.bits * number}+:{field.bits}]"


def field_state(register: Register, field: Field, address: int) -> list[str]:
    """Return the lines that a clock edge means for a field."""
    if not field.is_stored:
        return []
    lines = []
    here = field_slice(field)
    for number in range(field.count):
        name = target(field, number)
        hit = selected(register, number, address)
        new = f"(s_axil_wdata{here} & mask{here})"
        if field.has("singlepulse"):
            lines.append(f"    {name} <= {hit} && s_axil_wdata{here} && mask{here};")
        elif field.node.get_property("onwrite") == OnWriteType.woclr:
            lines += [f"    if ({hit}) begin", f"      {name} <= {name} & ~{new};", "    end"]
        elif field.node.is_sw_writable:
            kept = f"({name} & ~mask{here})"
            lines += [f"    if ({hit}) begin", f"      {name} <= {kept} | {new};", "    end"]
    if field.has("counter"):
        # What is counted in the cycle of zeroization counts from 0.
        base = f"({field.port}_hwclr ? '0 : {field.port})" if field.has("hwclr") else field.port
        more = f"{field.width}'({field.port}_incr)"
        if field.incr_width:
            more = f"({field.port}_incr ? {field.width}'({field.port}_incrvalue) : '0)"
        lines += [f"    {field.port} <= {base}", f"        + {more};"]
        return [*lines, f"    if (rst) {field.port} <= '0;"]
    if field.has("hwset"):
        # The zeroization comes after it: with both at once nothing is left.
        lines.append(f"    if ({field.port}_hwset) {field.port} <= '1;")
    zeroize = f"rst || {field.port}_hwclr" if field.has("hwclr") else "rst"
    reset = "'0" if field.reset == 0 else f"{field.width}'h{field.reset:x}"
    lines.append(f"    if ({zeroize}) {field.port} <= {reset};")
    return lines


def read_case(register: Register, address: int) -> list[str]:
    """Return the lines of the read multiplexer for a register."""
    lines = []
    for number in range(register.count):
        parts = []
        for field in register.fields:
            if not field.node.is_sw_readable:
                continue
            value = target(field, number)
            if not field.is_stored and not field.from_hardware:
                value = f"{field.bits}'h{field.reset:x}"
            parts.append(f"value{field_slice(field)} = {value};")
        label = f"      {address - 2}'d{place(register, number)}:"
        if len(parts) == 1:
            lines.append(f"{label} {parts[0]}")
        else:
            lines += [f"{label} begin", *(f"        {part}" for part in parts), "      end"]
    return lines


# --- Page -----------------------------------------------------------------------------------------


def page(found: list[tuple[Bank, Any, list[Register]]]) -> str:
    """Return the page of all registers."""
    sources = " and ".join(f"`rtl/csr/{bank.source}`" for bank in BANKS)
    lines = [
        "# Registers",
        "",
        "The AXI4-Lite CSRs of engines (`contexts = csr`). Written by `scripts/make_csr.py` from",
        f"{sources}; do not edit.",
        "The [drivers](integration.md#bare-metal) have C headers of them.",
    ]
    for bank, top, registers in found:
        lines += section(bank, top, registers)
    return "\n".join(lines) + "\n"


def section(bank: Bank, top: Any, registers: list[Register]) -> list[str]:
    """Return the lines of one module's registers."""
    users = " and ".join(f"[`{user}`](cores/{user}.md)" for user in bank.users)
    lines = [
        "",
        f"## {bank.title}",
        "",
        f"In {users}.",
        "",
        top.get_property("desc"),
        "",
        "| address | name | bits | access | after reset | meaning |",
        "|---|---|---|---|---|---|",
    ]
    for register in registers:
        where = f"`0x{register.address:02x}`"
        if register.count > 1:
            where += f" to `0x{register.address + 4 * (register.count - 1):02x}`"
        name = register.name + (f"[0] to [{register.count - 1}]" if register.count > 1 else "")
        lines.append(f"| {where} | **`{name}`** | | | | {register.title} |")
        for field in register.fields:
            bits = f"{field.low + field.bits - 1}:{field.low}" if field.bits > 1 else f"{field.low}"
            reset = f"{field.reset:#x}" if field.is_stored or not field.from_hardware else "-"
            words = field.node.get_property("desc", default="") or ""
            lines.append(f"| | `{field.name}` | {bits} | {access(field)} | {reset} | {words} |")
    return lines


_BUS_WORDS = {
    "clk": "clock",
    "rst": "synchronous reset",
    "aw": "AXI4-Lite, address of a write",
    "w": "AXI4-Lite, data of a write",
    "b": "AXI4-Lite, answer to a write",
    "ar": "AXI4-Lite, address of a read",
    "r": "AXI4-Lite, data of a read",
}
_FIELD_WORDS = {
    "incr": "counts",
    "incrvalue": "by so many",
    "hwset": "sets the flag",
    "hwclr": "takes it back to 0",
    "swmod": "software writes it in this cycle",
}


def module_page(bank: Bank, registers: list[Register]) -> str:
    """Return the page of the module."""
    rows = []
    for where, way, bits, name in ports(registers):
        if name.startswith("s_axil_"):
            signal = re.sub("(valid|ready|addr|prot|data|strb|resp)$", "", name[len("s_axil_") :])
            words = _BUS_WORDS[signal]
        else:
            words = _BUS_WORDS.get(name) or next(
                (said for end, said in _FIELD_WORDS.items() if name.endswith(f"_{end}")),
                f"value of a field of `{where}`",
            )
        rows.append(f"| `{name}` | {way.removesuffix('put')} | {bits} | {words} |")
    table = "\n".join(rows)
    users = " and ".join(f"[`{user}`]({user}.md)" for user in bank.users)
    return f"""\
# `{bank.module}`

The CSR module of {users} on AXI4-Lite: what each
register means stands in [registers](../csr.md). `scripts/make_csr.py` writes the module
and this page.

## Parameters

None: the bank is the same for every engine.

## Ports

| port | direction | width | meaning |
|---|---|---|---|
{table}

## Architecture

A field that hardware sees has ports named after register and field. What happens in the engine wins
over a write in the same cycle. Accesses that name no register are answered too: they read 0 and
write nothing.

## Timing

Address and data of a write are taken together, and answered in the next cycle; so is a read. A
field is new in the cycle after the write, `_swmod` is high in the cycle of it.

## Cost

A flip-flop for each bit that is stored, 32 for the word that was read, and the multiplexer before
it.
"""


def c_header(bank: Bank, top: Any) -> str:
    """Return the C header: offsets as a struct, and a mask and a position for each field."""
    from peakrdl_cheader.c_standards import CStandard
    from peakrdl_cheader.exporter import CHeaderExporter

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / bank.header.name
        # C99 has no static_assert, which later standards would get.
        CHeaderExporter().export(top, str(path), std=CStandard.gnu99)
        text = path.read_text(encoding="utf-8")
    return f"""\
// SPDX-License-Identifier: Apache-2.0
// The CSRs of {" and ".join(bank.users)}. scripts/make_csr.py writes this file from {bank.source}.
{text.rstrip()}
"""


def access(field: Field) -> str:
    """Return the software access of a field."""
    if field.node.get_property("onwrite") == OnWriteType.woclr:
        return "read, write 1 to clear"
    if field.has("singlepulse"):
        return "write 1"
    readable, writable = field.node.is_sw_readable, field.node.is_sw_writable
    return "read, write" if readable and writable else "write" if writable else "read"


def main(check: bool) -> int:
    """Write the files, or only compare them, and give the exit status."""
    found = [(bank, *read(bank)) for bank in BANKS]
    stale = []
    files = {PAGE: page(found)}
    for bank, top, registers in found:
        files |= {
            bank.rtl: rtl(bank, registers),
            bank.page: module_page(bank, registers),
            bank.header: c_header(bank, top),
        }
    for path, text in files.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if stale:
        print(("out of date: " if check else "wrote ") + ", ".join(stale), file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""The UART service around an engine: which engines it serves, its parameters, its module."""

from __future__ import annotations

from pathlib import Path

from aesforge.board.frames import PACKETS
from aesforge.board.parameters import Parameter, number, uart_divider
from aesforge.bundle.files import module_name
from aesforge.bundle.ports import engine_ports
from aesforge.design import Design
from aesforge.design.engine import BLOCK_BYTES, Engine
from aesforge.design.modes import CIPHERS
from aesforge.errors import UsageError
from aesforge.toolchain import templates

TEMPLATE = "uart_service.sv.j2"
MODULE = "aesforge_uart_service"
BUFFER_BYTES = 1024
# Silence that ends a broken frame; the host waits for longer (`aesforge.board.host`).
TIMEOUT_SECONDS = 0.1
_NAME_CHARACTERS = 32
# The beats of the longest packet: those of the buffer, and one more for each end of a section.
_MOST_BEATS = BUFFER_BYTES // BLOCK_BYTES + 3


def require_engine(chosen: Design | Engine) -> Engine:
    """Return the engine if the service can run packets through it.

    Raises:
        UsageError: it cannot.
    """
    why = None
    if not isinstance(chosen, Engine):
        why = "a core; give it modes, for example --set modes=ctr"
    elif chosen.has_csr:
        why = "an engine with CSRs; take contexts=ports"
    elif not chosen.stealing:
        why = "an engine without ciphertext stealing; take stealing=true"
    elif chosen.counts_ivs:
        why = "an engine that makes the IVs; take iv=given"
    elif chosen.most_beats is not None and chosen.most_beats < _MOST_BEATS:
        beats = chosen.most_beats
        why = f"an engine that holds packets of up to {beats} beats; take hold_beats=128"
    elif chosen.beat_bytes != BLOCK_BYTES:
        why = f"an engine with beats of {chosen.beat_bytes} bytes; take tiles=1"
    if why is not None or not isinstance(chosen, Engine):
        raise UsageError(f"the UART service cannot use '{chosen.name}': it is {why}")
    return chosen


def parameters(engine: Engine, mhz: float, baud: int, timeout_cycles: int = 0) -> list[Parameter]:
    """Return the parameters of the service's module.

    Args:
        engine: that it serves.
        mhz: the clock.
        baud: bits per second of the UART.
        timeout_cycles: silence that ends a broken frame; 0: `TIMEOUT_SECONDS`.

    Raises:
        UsageError: the service cannot serve it.
    """
    require_engine(engine)
    core = engine.core
    cycles = timeout_cycles or round(mhz * 1e6 * TIMEOUT_SECONDS)
    slots = core.key_slots or 0
    tags = sum(1 << (size - 1) for size in engine.tag_bytes)
    name = f'"{engine.name[:_NAME_CHARACTERS]}"'
    return [
        uart_divider(mhz, baud),
        number("TimeoutCycles", cycles, "silence that ends a broken frame"),
        number("BufferBytes", BUFFER_BYTES, "most bytes of a payload"),
        number("KeyBits", engine.key_bits, "of a key"),
        number("KeySlots", slots, "of the engine; 0: agile keys"),
        number("EncryptModes", _codes(engine, decrypt=False), "a bit for each mode it encrypts"),
        number("DecryptModes", _codes(engine, decrypt=True), "a bit for each mode it decrypts"),
        number("Packets", PACKETS[engine.kind.name], "0 data, 1 GCM, 2 CCM, 3 OCB, 4 data units"),
        number("TagLengths", tags, "a bit for each length of a tag"),
        number("ZeroizeCycles", engine.zeroize_cycles, "of the engine"),
        Parameter("bit [255:0]", "Name", name, "of the design"),
    ]


def _codes(engine: Engine, *, decrypt: bool) -> int:
    """Return a bit for each code of a mode that an engine has in one direction."""
    bits = 0
    for cipher in CIPHERS:
        try:
            bits |= 1 << engine.mode_for(cipher, decrypt).code
        except UsageError:
            continue
    return bits


def application(engine: Engine, service: list[Parameter]) -> str:
    """Return the module `application`: the service, and the engine's wrapper that a bundle has.

    Args:
        engine: that it serves.
        service: its parameters.
    """
    filled = templates.environment(Path(__file__).parent / "templates")
    return filled.get_template(TEMPLATE).render(
        module=module_name(engine),
        ports=[port for port in engine_ports(engine) if port.used],
        parameters=service,
        stored=not engine.core.is_agile,
        slot_bits=engine.core.slot_bits,
        key_bits=engine.key_bits,
    )

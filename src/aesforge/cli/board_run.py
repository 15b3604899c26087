# SPDX-License-Identifier: Apache-2.0
"""The verb `board run`: a thin call of `aesforge.board.run`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from aesforge.board.host import BAUD, TIMEOUT_SECONDS
from aesforge.cli.common import (
    Number,
    json_option,
    message_arguments,
    once,
    packet_option,
    progress_bar,
    show_report,
    tag_options,
    unit_options,
    work_on,
)
from aesforge.design.modes import CIPHERS, SEALED


@click.command()
@click.argument("port", metavar="PORT")
@message_arguments(
    ciphers=CIPHERS,
    modes="all but ecb and xts need --iv. The device does what its engine has.",
    iv="The IV in hex, 16 bytes; for xts, --sector will do; for ctr, the first counter block; "
    "for gcm, 12 bytes, or any other number up to 128; for ccm, 7 to 13 bytes; for ocb, 1 to 15. "
    "Of these three never used before under this key.",
)
@tag_options
@unit_options
@packet_option("Bytes of a packet, whole blocks.  [default: as many as the device takes]")
@once(
    "--baud",
    type=click.IntRange(min=50, max=12_000_000),
    metavar="N",
    default=BAUD,
    help="Bits per second of the line, as the bitstream was built.",
)
@once(
    "--timeout",
    type=Number(0.01, 3600),
    metavar="SECONDS",
    default=TIMEOUT_SECONDS,
    help="How long the device may take for an answer, beside the time on the line.",
)
@json_option
def run(
    port: str,
    source: Path,
    target: Path,
    mode: str,
    key: str | None,
    key_file: str | None,
    iv: str | None,
    decrypt: bool,
    no_pad: bool,
    aad: Path | None,
    tag_bits: int | None,
    sector_size: int | None,
    sector: int | None,
    packet: int | None,
    baud: int,
    timeout: float,
    as_json: bool,
) -> None:
    """Encrypt or decrypt a file through a board with the UART service.

    PORT is the serial port of the board, for example /dev/ttyUSB0. IN goes to the device packet by
    packet, and each result must equal OpenSSL's; OUT appears whole or not at all. gcm, ccm and ocb
    send the message as one packet, which the device's buffer must hold; with a wrong tag nothing is
    written, and the exit status is 1. Files are those of `aesforge crypt`. At the end the device
    zeroizes its key. The key and all data cross the line in clear: this shows that a core
    works, and protects nothing.
    """
    from aesforge.board.host import Device, open_line
    from aesforge.board.run import run_file
    from aesforge.board.run_sealed import run_sealed_file
    from aesforge.crypt import refuse_mode_options
    from aesforge.crypt.keys import choose_key, parse_iv

    tags = {"--aad": aad, "--tag-bits": tag_bits}
    units = {"--sector-size": sector_size, "--sector": sector}
    refuse_mode_options(mode, tags, units)
    iv_bytes = parse_iv(iv, any_length=mode in SEALED) if iv is not None else None
    options: dict[str, Any] = {"iv": iv_bytes, "decrypt": decrypt, "pad": not no_pad}
    options |= {"packet_bytes": packet}
    send: Any = run_file
    if mode in SEALED:
        send = run_sealed_file
        options |= {"aad": aad, "tag_bits": tag_bits}
    else:
        options |= {"sector_size": sector_size, "sector": sector}
    with open_line(port, baud) as line:
        device = Device(line, baud=baud, timeout_seconds=timeout)
        identity = device.identify()
        # Before a key is asked for.
        identity.mode_for(mode, decrypt)
        keys = identity.keys
        key_bytes = choose_key(key, key_file, identity.key_bits // keys, keys=keys)
        with progress_bar(work_on(source, decrypt), "bytes", before="ask the device") as progress:
            report = send(
                *(device, identity, source, target),
                cipher=mode,
                key=key_bytes,
                progress=progress,
                **options,
            )
    show_report(report, as_json)

# SPDX-License-Identifier: Apache-2.0
"""The verb `board run`: a thin call of `aesforge.board.run`."""

from __future__ import annotations

from pathlib import Path

import click

from aesforge.board.frames import CIPHERS
from aesforge.board.host import BAUD, TIMEOUT_SECONDS
from aesforge.cli.common import (
    Number,
    json_option,
    message_arguments,
    once,
    packet_option,
    progress_bar,
    show_report,
    work_on,
)


@click.command()
@click.argument("port", metavar="PORT")
@message_arguments(
    ciphers=CIPHERS,
    modes="all but ecb need --iv. The device does what its engine has.",
    iv="The IV in hex, 16 bytes; for ctr, the first counter block.",
)
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
    packet: int | None,
    baud: int,
    timeout: float,
    as_json: bool,
) -> None:
    """Encrypt or decrypt a file through a board with the UART service.

    PORT is the serial port of the board, for example /dev/ttyUSB0. IN goes to the device packet by
    packet, and each result must equal OpenSSL's; OUT appears whole or not at all. At the end the
    device zeroizes its key. The key and all data cross the line in clear: this shows that a core
    works, and protects nothing.
    """
    from aesforge.board.host import Device, open_line
    from aesforge.board.run import run_file
    from aesforge.crypt.keys import choose_key, parse_iv

    iv_bytes = parse_iv(iv) if iv is not None else None
    with open_line(port, baud) as line:
        device = Device(line, baud=baud, timeout_seconds=timeout)
        identity = device.identify()
        # Before a key is asked for.
        identity.mode_for(mode, decrypt)
        key_bytes = choose_key(key, key_file, identity.key_bits)
        with progress_bar(work_on(source, decrypt), "bytes", before="ask the device") as progress:
            report = run_file(
                device,
                identity,
                source,
                target,
                cipher=mode,
                key=key_bytes,
                iv=iv_bytes,
                decrypt=decrypt,
                pad=not no_pad,
                packet_bytes=packet,
                progress=progress,
            )
    show_report(report, as_json)

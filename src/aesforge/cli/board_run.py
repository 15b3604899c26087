# SPDX-License-Identifier: Apache-2.0
"""The verb `board run`: a thin call of `aesforge.board.run`."""

from __future__ import annotations

from pathlib import Path

import click

from aesforge.board.frames import CIPHERS
from aesforge.board.host import BAUD, TIMEOUT_SECONDS
from aesforge.cli.common import Number, json_option, key_options, once, print_json, progress_bar


@click.command()
@click.argument("port", metavar="PORT")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@once(
    "--mode",
    type=click.Choice(CIPHERS),
    required=True,
    help="ecb and cbc pad with PKCS#7 (see --no-pad), the others take any length; all but ecb need "
    "--iv. The device does what its engine has.",
)
@key_options
@once("--iv", metavar="HEX", help="The IV in hex, 16 bytes; for ctr, the first counter block.")
@click.option("--decrypt", is_flag=True, help="Decrypt IN; otherwise encrypt it.")
@click.option("--no-pad", is_flag=True, help="ecb, cbc: neither add nor remove padding.")
@once(
    "--packet",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="Bytes of a packet, whole blocks.  [default: as many as the device takes]",
)
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
    label = f"{'decrypt' if decrypt else 'encrypt'} {source.name}"
    with open_line(port, baud) as line:
        device = Device(line, baud=baud, timeout_seconds=timeout)
        identity = device.identify()
        # Before a key is asked for.
        identity.mode_for(mode, decrypt)
        key_bytes = choose_key(key, key_file, identity.key_bits)
        with progress_bar(label, "bytes", before="ask the device") as progress:
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
    if as_json:
        print_json(report.as_dict())
    else:
        click.echo(report.text(), err=True)

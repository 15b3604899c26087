# SPDX-License-Identifier: Apache-2.0
"""The verb `crypt`: a thin call of `aesforge.crypt`."""

from __future__ import annotations

from pathlib import Path

import click

from aesforge.cli.common import (
    Number,
    design_argument,
    json_option,
    load_any,
    message_arguments,
    once,
    packet_option,
    progress_bar,
    show_report,
    tag_options,
    unit_options,
    warn,
    work_on,
)
from aesforge.design.modes import CIPHERS, SEALED


@click.command()
@design_argument
@message_arguments(
    ciphers=CIPHERS,
    modes="all but ecb and xts need --iv. A core does ecb and ctr, an engine what it has.",
    iv="The IV in hex, 16 bytes; for xts, --sector will do; for ctr, the first counter block; "
    "for gcm, 12 bytes, or any other number; for ccm, 7 to 13 bytes; for ocb, 1 to 15. Of these "
    "three never used before under this key. Not to encrypt with an engine that makes the IV.",
)
@once(
    "--iv-fixed",
    metavar="HEX",
    help="Engines with iv = counted, to encrypt: first 4 bytes of the IV, 8 digits, never used "
    "before under this key.  [default: drawn; then use a key for one file]",
)
@tag_options
@unit_options
@packet_option("Engines: bytes of a packet, whole beats.  [default: 4096, or as near below]")
@once(
    "--stall",
    type=Number(0, 1, max_open=True),
    metavar="P",
    help="Engines: how often either side waits, 0 to below 1.  [default: 0]",
)
@once("--seed", type=click.IntRange(min=0), metavar="N", help="Engines: of --stall.  [default: 1]")
@json_option
def crypt(
    design: str,
    overrides: tuple[str, ...],
    source: Path,
    target: Path,
    mode: str,
    key: str | None,
    key_file: str | None,
    iv: str | None,
    iv_fixed: str | None,
    decrypt: bool,
    no_pad: bool,
    aad: Path | None,
    tag_bits: int | None,
    sector_size: int | None,
    sector: int | None,
    packet: int | None,
    stall: float | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Encrypt or decrypt a file through the simulated core or engine.

    IN is streamed in large batches, whatever its size; OUT appears whole or not at all. An engine
    gets one message as packets over its simulated bus, and its output must equal OpenSSL's. ctr
    uses the forward cipher in both directions. gcm, ccm and ocb hold the message in memory and
    write the ciphertext, then the tag; with a wrong tag nothing is written, and the exit status is
    1. An engine with iv = counted makes the IV of what it encrypts: it is printed on standard
    output, and --iv takes it to decrypt. xts takes two keys, that of the data first, and encrypts
    each data unit by itself. This command demonstrates a core on real data: for secrecy use a
    reviewed program, and never ecb.
    """
    from aesforge.crypt import crypt_file, refuse_bad_options
    from aesforge.crypt.keys import choose_key, parse_fixed_field, parse_iv

    chosen = load_any(design, overrides)
    warn(chosen)
    packet_options = {"--packet": packet, "--stall": stall, "--seed": seed}
    tags = {"--aad": aad, "--tag-bits": tag_bits}
    units = {"--sector-size": sector_size, "--sector": sector}
    # Before a key is asked for.
    iv_options = {"--iv": iv, "--iv-fixed": iv_fixed}
    given = (packet_options, tags, units, iv_options)
    refuse_bad_options(chosen, mode, decrypt, *given)
    key_bits = chosen.key_bits // chosen.keys
    key_bytes = choose_key(key, key_file, key_bits, keys=chosen.keys)
    with progress_bar(work_on(source, decrypt), "bytes") as progress:
        report = crypt_file(
            chosen,
            source,
            target,
            mode=mode,
            key=key_bytes,
            iv=parse_iv(iv, any_length=mode in SEALED) if iv is not None else None,
            iv_fixed=None if iv_fixed is None else parse_fixed_field(iv_fixed),
            decrypt=decrypt,
            pad=not no_pad,
            packet_bytes=packet,
            aad=aad,
            tag_bits=tag_bits,
            sector_size=sector_size,
            sector=sector,
            stall=stall,
            seed=seed,
            progress=progress,
        )
    show_report(report, as_json)
    if report.iv is not None and not as_json:
        click.echo(report.iv)

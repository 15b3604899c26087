# SPDX-License-Identifier: Apache-2.0
"""Files through a simulated core, block by block, or through an engine, as packets."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aesforge.crypt.message import Progress
from aesforge.crypt.report import Report
from aesforge.design import Design, Engine
from aesforge.design.modes import SEALED, UNITS
from aesforge.errors import UsageError, one_of


@functools.singledispatch
def refuse_bad_options(
    design: Design | Engine,
    mode: str,
    decrypt: bool,
    packet_options: Mapping[str, object],
    tag_options: Mapping[str, object],
    unit_options: Mapping[str, object],
    iv_options: Mapping[str, object],
) -> None:
    """Refuse what a design cannot do whatever the key is, before one is asked for.

    Args:
        design: the core or the engine.
        mode: the mode of operation.
        decrypt: or encrypt.
        packet_options: the user's packet options by name; None if not set.
        tag_options: likewise, those of modes with a tag.
        unit_options: likewise, those of modes of data units.
        iv_options: likewise, `--iv` and `--iv-fixed`.

    Raises:
        UsageError: the engine has no such mode, a core is asked to send packets, a mode is given
            what only one with a tag, or of data units, takes, or an IV is given that an engine
            makes.
    """
    raise TypeError(f"neither a core nor an engine: {design!r}")


@refuse_bad_options.register
def _(
    design: Design,
    mode: str,
    _decrypt: bool,
    packet_options: Mapping[str, object],
    tag_options: Mapping[str, object],
    unit_options: Mapping[str, object],
    iv_options: Mapping[str, object],
) -> None:
    refuse_mode_options(mode, tag_options, unit_options)
    _refuse_iv_options(design.name, False, False, iv_options)
    for option, value in packet_options.items():
        if value is not None:
            raise UsageError(
                f"{option} is for engines, which send packets: '{design.name}' is a core; give it "
                "modes, for example --set modes=ctr"
            )


@refuse_bad_options.register
def _(
    engine: Engine,
    mode: str,
    decrypt: bool,
    _packet_options: Mapping[str, object],
    tag_options: Mapping[str, object],
    unit_options: Mapping[str, object],
    iv_options: Mapping[str, object],
) -> None:
    refuse_mode_options(mode, tag_options, unit_options)
    engine.mode_for(mode, decrypt)
    _refuse_iv_options(engine.name, engine.counts_ivs, decrypt, iv_options)


def _refuse_iv_options(
    name: str, counts_ivs: bool, decrypt: bool, iv_options: Mapping[str, object]
) -> None:
    if counts_ivs and not decrypt:
        if iv_options.get("--iv") is not None:
            raise UsageError(
                f"--iv and iv = counted exclude each other: '{name}' makes the IV of what it "
                "encrypts; leave --iv out, and keep the IV that is printed"
            )
    elif iv_options.get("--iv-fixed") is not None:
        why = "to decrypt, give --iv" if counts_ivs else f"'{name}' is given IVs"
        raise UsageError(f"--iv-fixed is for encryption with iv = counted: {why}")


def refuse_mode_options(
    mode: str, tag_options: Mapping[str, object], unit_options: Mapping[str, object]
) -> None:
    """Refuse options that a mode does not have.

    Args:
        mode: the mode of operation.
        tag_options: the user's options of modes with a tag by name; None if not set.
        unit_options: likewise, those of modes of data units.

    Raises:
        UsageError: one is set, and the mode has no such thing.
    """
    for options, modes, what in (
        (tag_options, SEALED, "modes with a tag"),
        (unit_options, UNITS, "modes of data units"),
    ):
        for option, value in options.items():
            if value is not None and mode not in modes:
                raise UsageError(
                    f"{option} is for {what} ({one_of(sorted(modes))}): mode = {mode} has none"
                )


@functools.singledispatch
def crypt_file(
    design: Design | Engine,
    src: Path,
    dst: Path,
    *,
    mode: str,
    key: bytes,
    iv: bytes | None = None,
    iv_fixed: bytes | None = None,
    decrypt: bool = False,
    pad: bool = True,
    packet_bytes: int | None = None,
    aad: Path | None = None,
    tag_bits: int | None = None,
    sector_size: int | None = None,
    sector: int | None = None,
    stall: float | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Send a file through a core or an engine and write the output.

    The output appears under its name only when it is complete.

    Args:
        design: see `aesforge.crypt.core.crypt_file`,
            `aesforge.crypt.engine.crypt_file_as_packets` and
            `aesforge.crypt.sealed.crypt_sealed_file`.
        src: the input, of any size; it is read once, from start to end.
        dst: the output.
        mode: the mode of operation.
        key: as many bytes as the design's key has.
        iv: where the mode takes one: 16 bytes, 12 for GCM, 7 to 13 for CCM.
        iv_fixed: engines that make the IVs: its first 4 bytes; None: drawn.
        decrypt: undo the encryption.
        pad: PKCS#7 padding where the mode takes whole blocks.
        packet_bytes: engines: length of a packet; None: as near to 4096 as beats allow.
        aad: modes with a tag: a file of additional authenticated data.
        tag_bits: modes with a tag: its length; None: 128.
        sector_size: modes of data units: bytes of each but the last; None: 4096.
        sector: modes of data units: number of the first, in place of an IV.
        stall: engines: how likely either side waits in a cycle; None: never.
        seed: engines: of these waits; None: 1.
        progress: called with bytes done and bytes in all.

    Raises:
        UsageError: the request cannot be carried out; nothing was written.
        ToolMissing: something to simulate with is not installed.
        NotAuthentic: the tag is wrong; nothing was written.
        CheckFailed: the design gave a wrong answer; nothing was written.
        AesforgeError: the model does not compile, or the output cannot be written.
    """
    raise TypeError(f"neither a core nor an engine: {design!r}")


@crypt_file.register
def _(
    design: Design,
    src: Path,
    dst: Path,
    *,
    mode: str,
    packet_bytes: int | None = None,
    aad: Path | None = None,
    tag_bits: int | None = None,
    sector_size: int | None = None,
    sector: int | None = None,
    stall: float | None = None,
    seed: int | None = None,
    iv_fixed: bytes | None = None,
    **options: Any,
) -> Report:
    from aesforge.crypt import core

    packet_options = {"packet_bytes": packet_bytes, "stall": stall, "seed": seed}
    tag_options = {"aad": aad, "tag_bits": tag_bits}
    unit_options = {"sector_size": sector_size, "sector": sector}
    iv_options = {"--iv-fixed": iv_fixed}
    given = (packet_options, tag_options, unit_options, iv_options)
    refuse_bad_options(design, mode, False, *given)
    return core.crypt_file(design, src, dst, mode=mode, **options)


@crypt_file.register
def _(
    engine: Engine,
    src: Path,
    dst: Path,
    *,
    mode: str,
    aad: Path | None = None,
    tag_bits: int | None = None,
    sector_size: int | None = None,
    sector: int | None = None,
    stall: float | None = None,
    seed: int | None = None,
    iv_fixed: bytes | None = None,
    **options: Any,
) -> Report:
    from aesforge.crypt.engine import crypt_file_as_packets
    from aesforge.crypt.sealed import crypt_sealed_file

    tag_options: dict[str, Any] = {"aad": aad, "tag_bits": tag_bits}
    unit_options: dict[str, Any] = {"sector_size": sector_size, "sector": sector}
    decrypt = bool(options.get("decrypt"))
    iv_options = {"--iv": options.get("iv"), "--iv-fixed": iv_fixed}
    refuse_bad_options(engine, mode, decrypt, {}, tag_options, unit_options, iv_options)
    options |= {"cipher": mode, "stall": stall or 0.0, "seed": 1 if seed is None else seed}
    if mode in SEALED:
        return crypt_sealed_file(engine, src, dst, iv_fixed=iv_fixed, **options, **tag_options)
    return crypt_file_as_packets(engine, src, dst, **options, **unit_options)

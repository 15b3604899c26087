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
from aesforge.errors import UsageError


@functools.singledispatch
def refuse_bad_options(
    design: Design | Engine, mode: str, decrypt: bool, packet_options: Mapping[str, object]
) -> None:
    """Refuse what a design cannot do whatever the key is, before one is asked for.

    Args:
        design: the core or the engine.
        mode: the mode of operation.
        decrypt: or encrypt.
        packet_options: the user's packet options by name; None if not set.

    Raises:
        UsageError: the engine has no such mode, or a core is asked to send packets.
    """
    raise TypeError(f"neither a core nor an engine: {design!r}")


@refuse_bad_options.register
def _(design: Design, _mode: str, _decrypt: bool, packet_options: Mapping[str, object]) -> None:
    for option, value in packet_options.items():
        if value is not None:
            raise UsageError(
                f"{option} is for engines, which send packets: '{design.name}' is a core; give it "
                "modes, for example --set modes=ctr"
            )


@refuse_bad_options.register
def _(engine: Engine, mode: str, decrypt: bool, _packet_options: Mapping[str, object]) -> None:
    engine.mode_for(mode, decrypt)


@functools.singledispatch
def crypt_file(
    design: Design | Engine,
    src: Path,
    dst: Path,
    *,
    mode: str,
    key: bytes,
    iv: bytes | None = None,
    decrypt: bool = False,
    pad: bool = True,
    packet_bytes: int | None = None,
    stall: float | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Send a file through a core or an engine and write the output.

    The output appears under its name only when it is complete.

    Args:
        design: see `aesforge.crypt.core.crypt_file` and
            `aesforge.crypt.engine.crypt_file_as_packets`.
        src: the input, of any size; it is read once, from start to end.
        dst: the output.
        mode: the mode of operation.
        key: as many bytes as the design's key has.
        iv: 16 bytes, where the mode takes one.
        decrypt: undo the encryption.
        pad: PKCS#7 padding where the mode takes whole blocks.
        packet_bytes: engines: length of a packet; None: as near to 4096 as beats allow.
        stall: engines: how likely either side waits in a cycle; None: never.
        seed: engines: of these waits; None: 1.
        progress: called with bytes done and bytes in all.

    Raises:
        UsageError: the request cannot be carried out; nothing was written.
        ToolMissing: something to simulate with is not installed.
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
    stall: float | None = None,
    seed: int | None = None,
    **options: Any,
) -> Report:
    from aesforge.crypt import core

    packet_options = {"packet_bytes": packet_bytes, "stall": stall, "seed": seed}
    refuse_bad_options(design, mode, False, packet_options)
    return core.crypt_file(design, src, dst, mode=mode, **options)


@crypt_file.register
def _(
    engine: Engine,
    src: Path,
    dst: Path,
    *,
    mode: str,
    stall: float | None = None,
    seed: int | None = None,
    **options: Any,
) -> Report:
    from aesforge.crypt.engine import crypt_file_as_packets

    stall, seed = stall or 0.0, 1 if seed is None else seed
    return crypt_file_as_packets(engine, src, dst, cipher=mode, stall=stall, seed=seed, **options)

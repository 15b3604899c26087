# SPDX-License-Identifier: Apache-2.0
"""The software in the bundle of an engine with CSRs: drivers, and how this engine was built."""

from __future__ import annotations

from aesforge.bundle.files import environment, module_name
from aesforge.design.engine import Engine
from aesforge.design.modes import MODES
from aesforge.toolchain.rtl import software_text

# The same in every bundle.
_DRIVERS = (
    *("c/aesforge_csr.h", "c/aesforge_engine.h", "c/aesforge_engine.c"),
    "python/aesforge_engine.py",
)
# Beside them where the CSRs keep results; they use the buses of the others.
_PACKET_DRIVERS = (
    *("c/aesforge_packet_csr.h", "c/aesforge_packet_engine.h", "c/aesforge_packet_engine.c"),
    "python/aesforge_packet_engine.py",
)
# The drivers' number of each mode with results.
PACKET_MODES = {"gcm": 0, "ocb": 1, "ccm": 2, "xts": 3}


def software_files(engine: Engine) -> dict[str, str]:
    """Return the files: path inside the bundle to text."""
    module = module_name(engine)
    context = {
        "engine": engine,
        "design": engine.core,
        "module": module,
        "modes": [MODES[name] for name in engine.modes],
        "config": packet_config(engine) if engine.has_results else config(engine),
    }
    filled = environment()
    drivers = (*_DRIVERS, *_PACKET_DRIVERS) if engine.has_results else _DRIVERS
    files = {f"software/{name}": software_text(name) for name in drivers}
    kind = "packet_" * engine.has_results
    for path, template in (
        (f"c/{module}_config.h", f"{kind}config.h.j2"),
        (f"python/{module}_config.py", f"{kind}config.py.j2"),
        (f"linux/{module}_uio.c", f"{kind}uio.c.j2"),
    ):
        files[f"software/{path}"] = filled.get_template(template).render(context)
    return files


def config(engine: Engine) -> dict[str, int]:
    """Return how an engine was built, as the drivers are told it.

    `key_bytes`; `key_slots`, 0 for a key with each context; and for each direction the modes, bit m
    for the mode with code m. A mode that makes a digest encrypts.
    """
    masks = {
        f"{way}_modes": sum(
            1 << MODES[name].code for name in engine.modes if way in engine.ways(name)
        )
        for way in ("encrypt", "decrypt")
    }
    return {"key_bytes": engine.key_bits // 8, "key_slots": engine.core.key_slots or 0, **masks}


def packet_config(engine: Engine) -> dict[str, int]:
    """Return how an engine whose CSRs keep results was built, in the order of the drivers.

    `mode`, of `PACKET_MODES`; `key_bytes`, of all keys of the mode; `key_slots`; `tag_lengths`, bit
    n for tags of n bytes; and 0 or 1: `encrypts`, `decrypts`, `counted`.
    """
    (mode,) = engine.modes
    ways = engine.ways(mode)
    return {
        "mode": PACKET_MODES[mode],
        "key_bytes": engine.key_bits // 8,
        "key_slots": engine.core.key_slots or 0,
        "tag_lengths": sum(1 << size for size in engine.tag_bytes),
        "encrypts": int("encrypt" in ways),
        "decrypts": int("decrypt" in ways),
        "counted": int(engine.counts_ivs),
    }

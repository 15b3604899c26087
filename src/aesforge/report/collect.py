# SPDX-License-Identifier: Apache-2.0
"""Gather the measurements to report, from a database and from folders of JSON files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from aesforge.errors import AesforgeError, UsageError, nearest
from aesforge.measure.database import Database, default_path
from aesforge.measure.record import Measurement

# What an export adds to a record; all of it follows from the record, or from its company.
_DERIVED = (
    *("interval_cycles", "throughput_gbps", "mbps_per_lut", "energy_per_block", "pareto"),
    *("schedules_per_second", "round_keys_per_second", "kiran_gbps"),
)

_HOW_TO_MEASURE = (
    "measure a core first, for example `aesforge measure compact --device LFE5U-25F-6`, or a whole "
    "space with `aesforge explore`; --database and --results name other places to look in"
)


def collect(
    database: Path | None = None, results: Path | None = None, devices: Sequence[str] = ()
) -> list[Measurement]:
    """Return all measurements, each once, in an order that depends on nothing but themselves.

    Left out is what another one says better: of several answers to one command line, from before
    and after a change of RTL, recipe or tools, the newest counts; and what was synthesized only
    gives way to a placement of the same core on the same device by the same recipe, since an
    exploration estimates first, and the placed record has the same area and depth.

    Args:
        database: the file; None for the user's own, which is left out when `results` is given.
        results: a folder with `*.json` files, each one record, a list of them, or an object with
            such a list as `measurements` (what `aesforge report --json` writes, and the files of
            `bench/results`). Files that hold other things are passed over.
        devices: only these, in any case; empty for all.

    Raises:
        AesforgeError: a file cannot be read, holds a broken record, or there is nothing to show.
        UsageError: nothing was measured on a device that is asked for.
    """
    places = []
    found: dict[str, Measurement] = {}
    if database is not None or results is None:
        path = database or default_path()
        places.append(f"the database '{path}'")
        if path.exists():  # `Database` would make it
            found.update((one.key, one) for one in _from_database(path))
        elif database is not None:
            raise UsageError(f"there is no database '{path}'\n{_HOW_TO_MEASURE}")
    if results is not None:
        places.append(f"'{results}'")
        for one in _from_files(results):
            found.setdefault(one.key, one)
    if not found:
        raise AesforgeError(f"no measurements in {' and '.join(places)}\n{_HOW_TO_MEASURE}")
    chosen = set(_known(devices, {one.device for one in found.values()}))
    newest: dict[tuple[str, str], Measurement] = {}
    for one in sorted(found.values(), key=lambda one: (one.provenance.date, one.key)):
        newest[one.provenance.command, one.device] = one
    placed = {_core(one) for one in newest.values() if one.kind == "placed"}
    every = (
        one
        for one in newest.values()
        if (not chosen or one.device in chosen)
        and (one.kind == "placed" or _core(one) not in placed)
    )
    return sorted(every, key=_order)


def _core(one: Measurement) -> tuple[str, str, str]:
    return one.subject.rtl, one.device, one.provenance.recipe


def _order(one: Measurement) -> tuple[str, float, int, str, str]:
    return one.device, -(one.throughput_gbps or 0.0), one.area.luts, one.subject.name, one.key


def _known(asked: Iterable[str], measured: set[str]) -> Iterator[str]:
    """Return the devices as they are spelled, or say which there are."""
    folded = {name.lower(): name for name in measured}
    for name in asked:
        if name.lower() not in folded:
            raise UsageError(
                f"nothing was measured on a device '{name}'{nearest(name, measured)}\n"
                f"measured: {', '.join(sorted(measured))}"
            )
        yield folded[name.lower()]


def _from_database(path: Path) -> list[Measurement]:
    if path.is_dir():
        raise UsageError(f"'{path}' is a folder, not a database; a folder goes with --results")
    try:
        return Database(path).all()
    except msgspec.ValidationError as error:
        raise AesforgeError(
            f"the database '{path}' holds a measurement that this version of aesforge cannot read: "
            f"{error}\nmeasure again into a new file, named with --database"
        ) from None


def _from_files(files: Path) -> Iterator[Measurement]:
    if not files.exists():
        raise UsageError(f"--results: there is no file or folder '{files}'")
    for path in [files] if files.is_file() else sorted(files.glob("*.json")):
        try:
            yield from map(_record, _candidates(msgspec.json.decode(path.read_bytes())))
        except OSError as error:
            raise AesforgeError(f"cannot read '{path}': {error.strerror or error}") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise AesforgeError(
                f"'{path}' is not a JSON file of measurements: {error}\nrepair it, or move it out "
                "of the folder"
            ) from None


def _candidates(data: Any) -> Iterator[dict[str, Any]]:
    """Return everything that looks like a record; other data are ignored."""
    if isinstance(data, dict):
        data = data.get("measurements", [data])
    if isinstance(data, dict):  # a bench names them
        data = list(data.values())
    for item in data if isinstance(data, list) else ():
        if isinstance(item, dict) and {"subject", "provenance"} & item.keys():
            yield item


def _record(item: dict[str, Any]) -> Measurement:
    return msgspec.convert(
        {name: value for name, value in item.items() if name not in _DERIVED}, Measurement
    )

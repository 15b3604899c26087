# SPDX-License-Identifier: Apache-2.0
"""Tables of proofs and of the faults that they refute."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from proof_records import recorded as recorded_proofs
from prove_all import NO_CORE, Task, run_of
from prove_all import OUTPUT as PROOFS
from prove_engines import ENGINE_OF
from prove_engines import ENGINES as ENGINES_TO_PROVE
from prove_engines import OUTPUT as ENGINE_PROOFS
from prove_engines import sources as engine_sources
from prove_modes import OUTPUT as MODE_PROOFS
from prove_modes import proved_parts
from prove_modes import sources_of as mode_sources
from prove_mutants import OUTPUT as MUTANTS
from prove_mutants import rtl_hash as rtl_of_mutants
from prove_neighbours import OUTPUT as NEIGHBOUR_PROOFS
from prove_neighbours import PROVED as WITH_NEIGHBOURS
from prove_neighbours import sources_of as neighbour_sources

from aesforge.prove.assumptions import (
    ASSUMPTIONS,
    ENGINE_ASSUMPTIONS,
    ENGINE_NOT_COVERED,
    NOT_COVERED,
    PART_ASSUMPTIONS,
    PART_NOT_COVERED,
)
from aesforge.prove.certificate import ABC, RECOGNIZE
from pages.markdown import Section, one_of, table


def _proofs(route: str = RECOGNIZE) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(PROOFS.read_text(encoding="utf-8"))["proofs"]
    return [
        entry
        for entry in found
        if entry["result"] != NO_CORE and entry.get("route", RECOGNIZE) == route
    ]


def _is_current(entry: dict[str, Any]) -> bool:
    """Whether a proof is of the RTL, specification, families' data and claims as they are now."""
    task = Task(entry["design"], entry["key_bits"], entry["family"])
    return task.is_done(entry, None)


def proofs() -> str:
    """Return what became of each proof, a row for each preset, a column for each core."""
    entries = {(e["design"], e["key_bits"], e["family"]): e for e in _proofs()}
    wanted = [(bits, family) for family in (None, "ecp5") for bits in (128, 192, 256)]
    # Those that nothing was tried of are left out.
    columns = [c for c in wanted if any(key[1:] == c for key in entries)]

    def cell(entry: dict[str, Any] | None) -> str:
        if entry is None:
            return ""
        if entry["result"] == "proved":
            seconds = f"{entry['cpu_seconds']:.0f} s"
            return seconds if _is_current(entry) else f"({seconds})"
        return "refused" if entry["result"] == "refused" else f"**{entry['result']}**"

    names = dict.fromkeys(name for name, _, _ in entries)
    rows = [
        [f"`{name}`", *(cell(entries.get((name, bits, family))) for bits, family in columns)]
        for name in names
    ]
    head = ["preset", *(f"{bits}, {family or 'RTL'}" for bits, family in columns)]
    elsewhere = [
        (name, family, entry)
        for (name, bits, family), entry in entries.items()
        if (bits, family) not in columns
    ]
    other = [[f"`{name}`", str(family), cell(entry)] for name, family, entry in elsewhere]
    parts = [table(head, rows)]
    if other:
        parts.append(table(("preset", "family", "AES-128"), other))
    if run_of(PROOFS).exists():
        run = json.loads(run_of(PROOFS).read_text(encoding="utf-8"))
        parts.append(
            f"The last run that had all of them to do: {run['proofs']} proofs in "
            f"{run['minutes']} minutes, {run['processors']} at a time."
        )
    if not all(map(_is_current, entries.values())):
        parts.append(
            "In brackets: proved for earlier RTL or synthesis, or before *Idle*, *Ready* and loads "
            "of other keys were claimed; `make prove-all` proves it again."
        )
    reasons: dict[str, list[str]] = {}
    for e in entries.values():
        if e["result"] != "proved":
            of = f"{e['key_bits']}-bit keys, {e['family'] or 'RTL'}"
            reasons.setdefault(f"`{e['design']}`: {e['reason']}", []).append(of)
    if reasons:
        lines = (f"- {reason} ({'; '.join(of)})" for reason, of in reasons.items())
        parts.append("What is not proved, and why:\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def routes() -> str:
    """Return the cores that were proved by ABC alone too, with the seconds of both routes."""
    usual = {(e["design"], e["key_bits"], e["family"]): e for e in _proofs()}

    def cell(entry: dict[str, Any] | None) -> str:
        if entry is None:
            return ""
        seconds = f"{entry['cpu_seconds']:.0f} s"
        result = seconds if entry["result"] == "proved" else f"**{entry['result']}** ({seconds})"
        return result if _is_current(entry) else f"({result})"

    rows = [
        [
            f"`{e['design']}`",
            e["family"] or "RTL",
            cell(usual.get((e["design"], e["key_bits"], e["family"]))),
            cell(e),
            f"{e.get('sat_calls', 0):,}",
        ]
        for e in _proofs(ABC)
    ]
    return table(("preset, AES-128", "core", "`recognize`", "`abc`", "SAT calls of `abc`"), rows)


def assumptions() -> str:
    """Return what proofs assume and what they do not cover, as certificates have it."""
    parts = []
    for title, statements in (
        ("Assumed:", (*ASSUMPTIONS, *ENGINE_ASSUMPTIONS, *PART_ASSUMPTIONS)),
        ("Not covered:", (*NOT_COVERED, *ENGINE_NOT_COVERED, *PART_NOT_COVERED)),
    ):
        # Some are of engines and of parts of engines.
        once = dict.fromkeys(statements)
        lines = (f"- `{one.id}` ({one.about}): {one.text}" for one in once)
        parts.append(f"{title}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def proof_counts() -> str:
    """Return how many proofs succeeded, in one sentence."""
    found = _proofs()
    proved = [e for e in found if e["result"] == "proved"]
    families = sorted({str(e["family"]) for e in proved if e["family"]})
    of_families = f" ({', '.join(families)})" if families else ""
    hours = sum(e["cpu_seconds"] for e in found) / 3600
    before = sum(not _is_current(e) for e in proved)
    of_before = f"; {before} are of earlier RTL or fewer claims" if before else ""
    # What nobody can prove of a research key schedule is told from what we could not prove.
    research = sum("this is not AES" in e["reason"] for e in found)
    named = [
        f"`{e['design']}` on {e['family'] or 'RTL'}"
        for e in found
        if e["result"] != "proved" and "this is not AES" not in e["reason"]
    ]
    others = [f"{research} research key schedules, which are not AES", *named]
    rest = f" The others: {'; '.join(others)}."
    return (
        f"{len(proved)} of {len(found)} proofs succeeded: "
        f"{sum(e['family'] is None for e in proved)} of RTL, "
        f"{sum(e['family'] is not None for e in proved)} of netlists{of_families}, "
        f"in {hours:.1f} hours of CPU time{of_before}.{rest} "
        "[All of them, and why](docs/proof.md#results)."
    )


def mutants() -> str:
    """Return what became of the mutants, a row for each kind, and whether of today's RTL."""
    said = json.loads(MUTANTS.read_text(encoding="utf-8"))
    found = said["mutants"]
    kinds = dict.fromkeys(one["kind"] for one in found)

    def row(kind: str) -> list[str]:
        of_kind = [one for one in found if one["kind"] == kind]
        results = [one["result"] for one in of_kind]
        tried = [one for one in of_kind if one["replayed"] != "not tried"]
        wrong = sum(one["replayed"].startswith("wrong") for one in tried)
        others = len(results) - results.count("refuted") - results.count("proved")
        return [
            kind,
            str(len(results)),
            str(results.count("refuted")),
            str(sum(one["example"] for one in of_kind)),
            str(results.count("proved")),
            str(others),
            f"{wrong} of {len(tried)}",
        ]

    head = (
        "kind",
        "tried",
        "refuted",
        "with a counterexample",
        "proved equal",
        "undecided",
        "repeated in simulation",
    )
    rows = table(head, [row(kind) for kind in kinds])
    rows += equal_luts([one for one in found if "differences" in one])
    if said["rtl"] == rtl_of_mutants():
        return rows
    return rows + (
        "\n\nThese results are of earlier RTL; `python scripts/prove_mutants.py --simulate` "
        "tries all of them again."
    )


def engine_proofs() -> str:
    """Return the proofs of engines and what refuted their mutants, and whether of today's RTL."""
    said = recorded_proofs(ENGINE_PROOFS)
    proofs = table(
        ("engine", "result", "stages of the core", "assertions", "CPU seconds"),
        (
            [
                f"`{one['engine']}`",
                one["result"],
                str(one["core_latency"]),
                f"{one['assertions']:,}",
                f"{one['cpu_seconds']:.0f}",
            ]
            for one in said["proofs"]
        ),
    )
    mutants_table = table(
        ("mutant", "small engine like", "result", "cycles after a reset"),
        (
            [one["mutant"], f"`{ENGINE_OF[one['mutant']]}`", one["result"], str(one["cycle"])]
            for one in said["mutants"]
        ),
    )
    keys = {"proofs": "engine", "mutants": "engine"}
    old = of_earlier_rtl(said, keys, engine_sources)
    missing = not_run(said, "engine", ENGINES_TO_PROVE)
    return campaign_page(said, proofs, missing, mutants_table, "prove_engines.py" if old else "")


def of_earlier_rtl(
    said: dict[str, Any], keys: dict[str, str], sources: Callable[[str, str], str]
) -> bool:
    """Return whether some records are not of today's sources.

    Args:
        said: the records of a campaign.
        keys: by kind, `proofs` and `mutants`, the key of the name that the sources are asked for.
        sources: of a kind and such a name.
    """
    return any(
        one["sources"] != sources(kind, one[key])
        for kind, key in keys.items()
        for one in said[kind]
    )


def not_run(said: dict[str, Any], key: str, names: Iterable[str]) -> list[str]:
    """Return the names that no proof of a campaign has under a key."""
    done = {one[key] for one in said["proofs"]}
    return [name for name in names if name not in done]


def campaign_page(
    said: dict[str, Any], proofs: str, missing: list[str], mutants_table: str, again: str
) -> str:
    """Return what a campaign of proofs and mutants found.

    Args:
        said: its records.
        proofs: the table of its proofs.
        missing: names of proofs that were not run.
        mutants_table: the table of its mutants.
        again: the script that runs it again, if some are of earlier RTL.
    """
    found = said["mutants"]
    refuted = sum(one["result"] == "refuted" for one in found)
    lines = [proofs]
    if missing:
        lines.append(f"Not run yet: {one_of(missing)}.")
    lines += [f"Mutants refuted: {refuted} of {len(found)}.", mutants_table]
    if again:
        command = f"python scripts/{again} --write --changed"
        lines.append(f"Some are of earlier RTL; `{command}` runs these again.")
    return "\n\n".join(lines)


def mode_proofs() -> str:
    """Return the proofs of parts of engines, their mutants, and whether they are of today's RTL."""
    said = recorded_proofs(MODE_PROOFS)
    proofs = table(
        ("part", "module", "result", "assertions", "cycles", "CPU seconds"),
        (
            [
                one["part"],
                f"`{one['module']}`",
                one["result"],
                str(one["assertions"]),
                str(one["cycles"]),
                f"{one['cpu_seconds']:.0f}",
            ]
            for one in said["proofs"]
        ),
    )
    mutants_table = table(
        ("mutant", "module", "result", "cycles after a reset"),
        (
            [
                one["mutant"],
                f"`{one['file'].removesuffix('.sv')}`",
                one["result"],
                str(one["cycle"]),
            ]
            for one in said["mutants"]
        ),
    )
    old = of_earlier_rtl(said, {"proofs": "part", "mutants": "mutant"}, mode_sources)
    missing = not_run(said, "part", proved_parts())
    return campaign_page(said, proofs, missing, mutants_table, "prove_modes.py" if old else "")


def neighbour_proofs() -> str:
    """Return what was proved of the assumptions about neighbours, and the mutants."""
    said = recorded_proofs(NEIGHBOUR_PROOFS)
    proofs = table(
        ("engine", "result", "assertions", "CPU seconds"),
        (
            [
                f"`{one['engine']}`",
                one["result"],
                str(one["assumptions"]),
                f"{one['cpu_seconds']:.0f}",
            ]
            for one in said["proofs"]
        ),
    )
    mutants_table = table(
        ("mutant", "engine, smaller", "result", "cycles after a reset"),
        (
            [one["mutant"], f"`{one['engine']}`", one["result"], str(one["cycle"])]
            for one in said["mutants"]
        ),
    )
    old = of_earlier_rtl(said, {"proofs": "engine", "mutants": "mutant"}, neighbour_sources)
    missing = not_run(said, "engine", WITH_NEIGHBOURS)
    return campaign_page(said, proofs, missing, mutants_table, "prove_neighbours.py" if old else "")


def equal_luts(found: list[dict[str, Any]]) -> str:
    """Return why flipped bits of look-up tables were proved equal, in a paragraph.

    Args:
        found: records of `prove_mutants.py` that say it.
    """
    if not found:
        return ""
    tied = sum(bool(one["tied"]) for one in found)
    same = sum(not one["differences"] for one in found)
    blocks = min(one["blocks"] for one in found)
    return (
        f"\n\nOf the {len(found)} LUT bits that were proved equal, {tied} are in a table with an "
        "input tied to a constant with which nothing reads the bit. The campaign also sent at "
        f"least {blocks:,} random blocks through both netlists in simulation: {same} of "
        f"{len(found)} gave the same outputs in every cycle."
    )


SECTIONS: tuple[Section, ...] = (
    ("docs/proof.md", "routes", routes),
    ("docs/proof.md", "assumptions", assumptions),
    ("docs/proof.md", "proofs", proofs),
    ("docs/proof.md", "mutants", mutants),
    ("docs/proof.md", "engine proofs", engine_proofs),
    ("docs/proof.md", "mode proofs", mode_proofs),
    ("docs/proof.md", "neighbour proofs", neighbour_proofs),
    ("README.md", "proof counts", proof_counts),
)

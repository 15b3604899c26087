# SPDX-License-Identifier: Apache-2.0
"""The words that the glossary replaced do not come back; each of its terms is defined once."""

from __future__ import annotations

import re
from functools import cache

import pytest

import project
from project import REPO

GLOSSARY = REPO / "docs" / "glossary.md"
FOLDERS = ("src/", "rtl/", "software/", "formal/", "scripts/", "docs/", "examples/")
PAGES = ("README.md", "CONTRIBUTING.md")
# Drawings and generated waves hold no prose; names of CSS classes are no terms.
SUFFIXES = {".c", ".cpp", ".h", ".j2", ".md", ".py", ".rdl", ".sby", ".sh", ".sv", ".toml", ".v"}

_UNITS = "bits|bytes|blocks?|beats?|cycles|steps?|stages|columns?|keys|flip-flops|LUTs"
_PER = "block|cycle|beat|round|second|key|step|stage|column"
_LATER = "later|earlier|before|after|ago|too|ahead|late|early|is|in|at|that|which"

# What the term is now, and how the word it replaced looks like.
REPLACED = {
    "blocks_per_beat, or stream": r"(?i)(?<![a-z])lanes?(?![a-z])|[a-z]Lanes?\b|\bLane[A-Z]",
    "CSR": r"AXI4-Lite registers|contexts *= *\"?registers|aesforge_registers|\brtl/regs\b",
    "shift_register": r"shift_rows *[=:]+ *\"?registers|\bShiftRegisters\b",
    "flip_flops": r"\bclass Registers\b|\blist\[Registers\]|has_registers",
    "scheduler": r"explore\.engine|explore/engine\.py",
    "error_detection": r"\bcheck *= *\"?(?:none|parity|inverse)\b|\brtl/check\b|`check` adds",
    "argv, label, text": (
        r"\b(?:design|engine|rtl|recipe|fault|claim_in|beat|mode)_words\b|in our words"
        r"|\bwords_of_|--set` words"
    ),
    "zeroize": (
        r"(?i)\bwip(?:e|es|ed|ing)(?![a-z])|(?<!\w)flush(?:ed|es)?(?!\w|=True|\(\))"
        r"|\bflush_(?!rows)|_flush\b|[`.]clear\b(?!\(\))|clear_(?:cycles|q\b|low|high)|_clear\b(?!\()"
        r"|\bclear is |'clear'|\"clear\""
    ),
    "pipeline stage": r"register ranks?|\branks?\b(?! all)|[a-z]Ranks?\b|gen_rank|_ranks?_|rank_q",
    "header, payload": (
        r"[a-z]_judged\b|(?:ctx|next|beat|open|given)_carried\b|JudgedBits|CarriedBits"
        r"|\bjudgeds\b|\bcarrieds\b"
    ),
    "stall, timeout": r"\bnext_wait\b|\bshut_q\b|context_wait\b|ContextWait",
    "credit counter": r"account of (?:credits|places)",
    "key-update interlock": r"(?:slot|lane|stream)[ _]guard|\bu_guard\b|gen_guard",
    "SEU, detected": r"(?i)\bupsets?\b|(?:un)?noticed?\b|\bnotices\b|turned over|turns over",
    "inverse check": r"taken back|takes back",
    "tainted": r"\bholders?\b|\bspread_of\b",
    "reachable states": r"\borbits?\b",
    "invariant": r"\bsettled\(|settled_state",
    "algebraic normal form": r"engines[./]forms\b",
    "--inverse-of": r"--undone-by|undone_by|\bundone\(",
    "as_reference": r"(?<![\w.])like\(",
    "find_mismatch": r"\bwrong_in\b",
    "require_supported": r"see_that_",
    "Fmax": r"legal_mhz|[Ll]egal MHz|[Ll]egal clocks?\b",
    "logic depth": r"LUTs in a row|tables in a row",
    "per": rf"\b(?:{_UNITS}) a (?:{_PER})\b(?! (?:{_LATER})\b)",
    "targets, folders": r"\bthe (?:one )?doors?\b|to every room",
    "after": r"(?i)(?<![\w-])behind\b",
    "Return": r'"""Gives? |^ +Give the ',
    "valid": r"(?:key|beat|context|block|blocks|ports|in_tag) (?:is|are) meant\b",
    "does not finish": r"\b(?:come|comes|came) to no end on\b",
    "the user, the writer": r"(?i)\bwhoever (?:does|sees|writes|uses|zeroizes|takes|goes)\b",
    "bypass; a sender that rotates": r"\bwho goes round\b|\bpasses? the core by\b",
}
# Where such a word is right: (file, or the start of its path; what stands there).
RIGHT = (
    ("docs/adr/0015-", ""),
    ("src/aesforge/simulate/shim.cpp", "flush()"),
    ("docs/proof.md", "`clear`"),
    # The vendor's name of a port.
    ("src/aesforge/prove/bitstream/gowin/routed.py", '"C": "CLEAR"'),
)


@cache
def texts() -> list[tuple[str, str]]:
    """Return (path, content) of every file in which the words are looked for."""
    found = []
    for path in project.files():
        name = path.relative_to(REPO).as_posix()
        wanted = name in PAGES or (name.startswith(FOLDERS) and path.suffix in SUFFIXES)
        if wanted and path != GLOSSARY:
            found.append((name, path.read_text(encoding="utf-8")))
    return found


def found_in(name: str, text: str, pattern: str) -> list[str]:
    """Return `path:line: text` of every line in which a replaced word stands."""
    # Most files have none: the whole of them is searched faster than their lines.
    if not re.search(pattern, text, re.MULTILINE):
        return []
    return [
        f"{name}:{number}: {line.strip()[:100]}"
        for number, line in enumerate(text.splitlines(), start=1)
        if re.search(pattern, line)
        and not any(name.startswith(at) and part in line for at, part in RIGHT)
    ]


@pytest.mark.parametrize("term", REPLACED)
def test_a_replaced_word_does_not_come_back(term: str) -> None:
    pattern = REPLACED[term]
    found = [line for name, text in texts() for line in found_in(name, text, pattern)]
    assert not found, f"write '{term}':\n" + "\n".join(found[:40])


def test_texts_are_looked_at() -> None:
    names = {name for name, _ in texts()}
    assert {"README.md", "rtl/core/pipeline/aesforge_core.sv", "docs/streams.md"} <= names
    assert len(names) > 300


BROKEN = (
    ("zeroize", "    input  logic clear,  // wipes all keys"),
    ("pipeline stage", "two register ranks behind the S-box"),
    ("blocks_per_beat, or stream", "localparam int unsigned LaneBits = 4;"),
    ("per", "128 bits x blocks a cycle x clock"),
    ("Return", '    """Give the sum."""'),
    ("valid", '("input", "in_valid", 1, "a key is meant"),'),
    ("does not finish", "those come to no end on it"),
    ("the user, the writer", "Whoever uses it directly"),
    ("bypass; a sender that rotates", "a beat without bytes passes the core by"),
    ("after", "the register behind the S-box"),
)


@pytest.mark.parametrize(("term", "line"), BROKEN, ids=lambda text: text[:20])
def test_a_replaced_word_is_found(term: str, line: str) -> None:
    assert found_in("x.py", line, REPLACED[term])


def test_the_glossary_has_each_term_once_with_its_source() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in GLOSSARY.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and not line.startswith("| term")
    ]
    assert len(rows) > 50
    assert all(len(row) == 3 and all(row) for row in rows)
    terms = [row[0] for row in rows]
    assert len(terms) == len(set(terms))

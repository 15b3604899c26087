# SPDX-License-Identifier: Apache-2.0
"""What the documentation says is so: tables are current, numbers right, links and commands real."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import project
from aesforge.bundle.ports import core_ports
from aesforge.cli.main import main
from aesforge.design import load, load_any
from aesforge.reference import cipher, state_of
from project import REPO

PAGES = [path for path in project.files() if path.suffix == ".md"]
BYTE_ORDER = (REPO / "docs" / "byte-order.md").read_text(encoding="utf-8")
README = (REPO / "README.md").read_text(encoding="utf-8")
RESULTS = (REPO / "docs" / "results.md").read_text(encoding="utf-8")


def openssl(key: bytes, block: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)


def test_generated_parts_are_current() -> None:
    done = subprocess.run(
        [sys.executable, REPO / "scripts" / "docs.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stderr}run `make docs`"


# --- Byte order ----------------------------------------------------------------------------------


def worked_vector() -> dict[str, bytes]:
    found = dict(re.findall(r"^(plaintext|key|ciphertext) +([0-9a-f]{32})$", BYTE_ORDER, re.M))
    assert set(found) == {"plaintext", "key", "ciphertext"}
    return {name: bytes.fromhex(text) for name, text in found.items()}


def test_the_worked_vector_is_right_and_not_symmetric() -> None:
    vector = worked_vector()
    assert openssl(vector["key"], vector["plaintext"]) == vector["ciphertext"]
    assert cipher(vector["plaintext"], vector["key"]) == vector["ciphertext"]
    for value in vector.values():
        assert value != value[::-1]


def test_literals_read_as_the_hex_strings() -> None:
    vector = worked_vector()
    literals = dict(re.findall(r"^(\w+) += 128'h([0-9a-f]{32});", BYTE_ORDER, re.M))
    assert literals == {
        "in_block": vector["plaintext"].hex(),
        "in_key": vector["key"].hex(),
        "out_block": vector["ciphertext"].hex(),
    }


def test_every_byte_stands_where_the_table_says() -> None:
    vector = worked_vector()
    state = state_of(vector["plaintext"])
    rows = re.findall(
        r"^\| (\d+) \| row (\d), column (\d) \| `\[(\d+):(\d+)\]` "
        r"\| `(\w\w)` \| `(\w\w)` \| `(\w\w)` \|$",
        BYTE_ORDER,
        re.M,
    )
    assert len(rows) == 16
    for number, row, column, high, low, *values in rows:
        shown = bytes.fromhex("".join(values))
        for byte, value in zip(shown, vector.values(), strict=True):
            as_port = int.from_bytes(value, "big")
            assert int(high) - int(low) == 7
            assert as_port >> int(low) & 0xFF == byte == value[int(number)]
        assert state[int(row)][int(column)] == shown[0]


def test_every_mistake_gives_what_the_table_says() -> None:
    vector = worked_vector()

    def rows_first(data: bytes) -> bytes:
        return bytes(data[row + 4 * column] for row in range(4) for column in range(4))

    # In the table's order, each in other words than the script that writes it.
    twists: list[Callable[[bytes], bytes]] = [
        lambda data: int.from_bytes(data, "little").to_bytes(16, "big"),
        lambda data: data[12:] + data[8:12] + data[4:8] + data[:4],
        lambda data: bytes(data[i ^ 3] for i in range(16)),
        lambda data: bytes(int(f"{byte:08b}"[::-1], 2) for byte in data[::-1]),
        rows_first,
    ]
    rows = re.findall(r"^\| ([^|]+) \| `([0-9a-f]{32})` \| `([0-9a-f]{32})` \|$", BYTE_ORDER, re.M)
    assert len(rows) == len(twists)
    for (_, both, block_only), twist in zip(rows, twists, strict=True):
        block, key = twist(vector["plaintext"]), twist(vector["key"])
        assert openssl(key, block).hex() == both
        assert openssl(vector["key"], block).hex() == block_only


# --- Links, commands, ports ----------------------------------------------------------------------


def links() -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if not re.match(r"[a-z]+:", target):
                yield page, target


@pytest.mark.parametrize(
    ("page", "target"), [pytest.param(p, t, id=f"{p.name}-{t}") for p, t in links()]
)
def test_every_link_leads_somewhere(page: Path, target: str) -> None:
    path, _, _ = target.partition("#")
    assert (page.parent / path).exists()


def commands() -> list[str]:
    """Return every `aesforge ...` line that stands in a shell block of a page."""
    found = []
    for page in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                if words and Path(words[0]).name == "aesforge":
                    found.append(shlex.join(words[1:]))
    return sorted(set(found))


@pytest.mark.parametrize("command", commands())
def test_every_command_in_a_page_is_understood(command: str) -> None:
    import click

    words = shlex.split(command)
    with main.make_context("aesforge", list(words)) as context:
        verb, found, rest = main.resolve_command(context, words)
        assert verb
        assert found
        parsed = found.make_context(verb, rest, parent=context)
    assert isinstance(parsed, click.Context)
    design = parsed.params.get("design")
    # A file of the reader's own, or the style that CONTRIBUTING adds, cannot be loaded here.
    if design and not design.endswith(".toml") and "sbox=power" not in words:
        load_any(design, parsed.params["overrides"])


def test_the_readmes_instance_connects_real_ports() -> None:
    build = next(command for command in commands() if command.startswith("build compact"))
    overrides = [word for word in shlex.split(build) if re.fullmatch(r"\w+=\w+", word)]
    design = load("compact", overrides)
    used = [port for port in core_ports(design) if port.used]
    instance = re.search(rf"{design.name} u_\w+ \((.*?)\);", README, re.S)
    assert instance
    connected = re.findall(r"\.(\w+)\(", instance[1])
    assert connected == [port.name for port in used if port.name in connected]
    inputs = {port.name for port in used if port.direction == "input"}
    assert inputs <= set(connected)


def test_the_sbox_sizes_are_those_that_were_measured() -> None:
    page = (REPO / "docs" / "cores" / "aesforge_sbox_tower.md").read_text(encoding="utf-8")
    words = re.search(
        r"takes (\d+) four-input LUTs forward,\s+(\d+)\s+inverse\s+and\s+(\d+)\s+for\s+both",
        RESULTS,
    )
    assert words
    for direction, said in zip(("forward", "inverse", "both"), words.groups(), strict=True):
        deepest = re.findall(rf"^\| {direction} \| \d+ \| (\d+) \|", page, re.M)[-1]
        assert said == deepest


def test_every_decision_is_in_the_index() -> None:
    folder = REPO / "docs" / "adr"
    index = (folder / "README.md").read_text(encoding="utf-8")
    pages = sorted(folder.glob("[0-9]*.md"))
    assert re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", index) == [page.name for page in pages]
    for page in pages:
        lines = page.read_text(encoding="utf-8").splitlines()
        assert 10 <= len(lines) <= 30
        assert lines[0].startswith(f"# {int(page.name[:4])}. ")


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 140

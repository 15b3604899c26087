# SPDX-License-Identifier: Apache-2.0
"""The attacks on the research key schemes work, count honestly, and fail against FIPS 197."""

from __future__ import annotations

import json
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import second_cipher
from aesforge import reference
from aesforge.cli.main import main
from aesforge.errors import AesforgeError, CheckFailed, ToolMissing, UsageError
from aesforge.research.security import Evaluation, evaluate, experiments, helper
from aesforge.research.security.experiments import (
    collision_experiment,
    completed,
    leak_experiment,
    seed_key_of,
    state_experiment,
)
from aesforge.research.security.show import conclusion, rows
from project import REPO

SCHEMES = ("hu2009", "liu2014")

COMMAND = ("papers", "liu2014", "--security")


@pytest.fixture(scope="module")
def small() -> Evaluation:
    """All experiments, small: one key of the smallest cipher, 16 bits of the real one's state."""
    return evaluate(
        seed=3, keys=4, trials=100_000, searches={3: 1}, unknown_bits=16, command="aesforge again"
    )


# --- The compiled part ----------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["fips197", *SCHEMES])
def test_the_compiled_cipher_is_the_models(scheme: str) -> None:
    draw = random.Random(scheme)
    for _ in range(20):
        key, block = draw.randbytes(16), draw.randbytes(16)
        answer = helper.call("encrypt", "8", scheme, key.hex(), block.hex())
        assert answer["block"] == reference.cipher(block, key, scheme=scheme).hex()


def small_sbox(cell_bits: int, modulus: int, terms: int) -> list[int]:
    """The S-box of small cells, written anew: inversion, then a sum of rotations and a constant."""

    def product(a: int, b: int) -> int:
        total = 0
        for i in range(cell_bits):
            if b >> i & 1:
                total ^= a << i
        for i in range(2 * cell_bits - 2, cell_bits - 1, -1):
            if total >> i & 1:
                total ^= modulus << (i - cell_bits)
        return total

    size = 2**cell_bits
    box = []
    for x in range(size):
        inverse = next((y for y in range(size) if product(x, y) == 1), 0)
        image = 0x63 % size
        for i in range(terms):
            image ^= (inverse << i | inverse >> (cell_bits - i)) % size
        box.append(image)
    return box


@pytest.mark.parametrize(("cell_bits", "modulus", "terms"), [(3, 0b1011, 1), (4, 0b10011, 3)])
def test_a_small_search_finds_the_key_where_the_key_says(
    cell_bits: int, modulus: int, terms: int
) -> None:
    """The state of round key 1 by hand: the search finds the key in the slice that holds it, and
    not in the next."""
    box = small_sbox(cell_bits, modulus, terms)
    assert sorted(box) == list(range(2**cell_bits))
    target = experiments._Target("liu2014", cell_bits, random.Random(cell_bits))
    cells = [int(digit, 16) for digit in target.key]
    w = [cells[i : i + 4] for i in range(0, 16, 4)]
    state = 0
    for old, taken in ((w[0], w[3]), (w[1], w[2])):
        for i in range(4):
            rcon = 1 if i == 0 else 0
            state = state << cell_bits | (old[i] ^ box[taken[(i + 1) % 4]] ^ rcon)
    first = state >> 12 << 12
    words = ["search", str(cell_bits), "liu2014"]
    there = helper.call(*words, f"{first:x}", "1000", *target.pairs)
    assert (there["keys"], there["trials"]) == ([target.key], 4096)
    beside = helper.call(*words, f"{first ^ 4096:x}", "1000", *target.pairs)
    assert beside["keys"] == []


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("encrypt", "8", "aes", "00" * 16, "00" * 16),
        ("encrypt", "8", "liu2014", "00" * 15, "00" * 16),
        ("encrypt", "5", "liu2014", "00" * 16, "00" * 16),
        ("search", "3", "liu2014", "0", "7", *["0" * 16] * 4),
        ("recover", "11", *["00" * 16] * 5),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(AesforgeError, match="attack: "):
        helper.call(*words)


def test_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolMissing, match="no-such-compiler"):
        helper.call("encrypt")


# --- (a) ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
def test_round_keys_follow_from_64_bits_by_the_second_implementation_too(scheme: str) -> None:
    draw = random.Random(scheme)
    for _ in range(50):
        key = draw.randbytes(16)
        keys = second_cipher.expand(key, scheme)
        for w in keys[1:]:
            words = [word.to_bytes(4, "big") for word in w]
            assert completed(scheme, words[0], words[1]) == words
        state = [word.to_bytes(4, "big") for word in keys[1][:2]]
        other = seed_key_of(scheme, state, draw.randbytes(4), draw.randbytes(4))
        assert other != key
        assert second_cipher.expand(other, scheme)[1:] == keys[1:]
        # The words 2 and 3 of the key lead back to it: one seed key for each pair of words.
        assert seed_key_of(scheme, state, key[8:12], key[12:16]) == key


def test_a_wrong_construction_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "seed_key_of", lambda *_: bytes(16))
    with pytest.raises(CheckFailed, match="do not share their round keys"):
        state_experiment("liu2014", 1, 1)


# --- (b) ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("round_number", [1, 2, 5, 10])
def test_any_round_key_gives_the_seed_key(round_number: int) -> None:
    leak = leak_experiment(2, 5, round_number, states=1)
    assert leak.recovered == leak.keys == 2
    # A few seconds of one core at most, and nothing near the claim.
    assert leak.most_operations_log2 < 36
    assert leak.claimed_log2 == 361


def test_predecessors_lead_to_their_state_and_none_is_missed() -> None:
    draw = random.Random(2)
    for _ in range(20):
        before = [draw.randbytes(4) for _ in range(2)]
        w = completed("liu2014", before[0], before[1])
        after = reference.liu2014_round_key(w, 7)
        words = [word.hex() for word in after[:2]]
        states = helper.call("predecessors", "7", *words)["states"]
        assert (before[0] + before[1]).hex() in states
        for state in map(bytes.fromhex, states):
            found = completed("liu2014", state[:4], state[4:])
            assert reference.liu2014_round_key(found, 7)[:2] == after[:2]


def test_a_wrong_round_key_gives_nothing() -> None:
    key = bytes(range(16))
    pairs = []
    for block in (bytes(16), bytes(range(16))):
        pairs += [block.hex(), reference.cipher(block, key, scheme="liu2014").hex()]
    answer = helper.call("recover", "10", "01" * 16, *pairs)
    assert answer["keys"] == []


# --- (c) ------------------------------------------------------------------------------------------


def test_related_keys_collide_as_predicted(small: Evaluation) -> None:
    collision = small.collision
    assert collision.trials == 100_000
    assert abs(collision.measured_log2 + 6) < 0.1
    assert collision.ciphers_checked == 50
    again = collision_experiment(20_000, 1)
    assert again == collision_experiment(20_000, 1)
    assert again != collision_experiment(20_000, 2)


# --- (d), and all of it ---------------------------------------------------------------------------


def test_the_search_breaks_the_scheme_and_not_the_standard(small: Evaluation) -> None:
    weak, standard, real = small.search
    assert (weak.scheme, weak.state_bits, weak.trials, weak.found) == ("liu2014", 24, 2**24, 1)
    assert (standard.scheme, standard.trials, standard.found) == ("fips197", 2**24, 0)
    assert (real.cell_bits, real.searched_bits, real.found) == (8, 16, 1)
    assert weak.passed >= 1
    whole = small.extrapolation
    assert whole.trials_per_second == real.trials_per_second
    assert whole.core_years == round(2**64 / whole.trials_per_second / (365.25 * 86_400))


def test_the_evaluation_passes_and_can_be_shown(small: Evaluation) -> None:
    assert small.passed
    assert [state.follow for state in small.state] == [40, 40]
    assert [state.follow_fips197 for state in small.state] == [0, 0]
    shown = list(rows(small))
    assert len(shown) == 2 * 2 + 2 + 1 + 3 + 1
    text = " ".join(" ".join(row) for row in shown)
    for word in ("2^361", "4 of 4 keys", "2^-6", "core-years"):
        assert word in text
    assert "Do not use" in conclusion(small)
    broken = msgspec.structs.replace(small, leak=msgspec.structs.replace(small.leak, recovered=3))
    assert not broken.passed
    assert "did not give the expected result" in conclusion(broken)


def test_counts_repeat(small: Evaluation) -> None:
    """All but times, speeds and the date follow from the seed."""

    def counts(one: Evaluation) -> object:
        data = msgspec.to_builtins(one)
        for part in ("date", "extrapolation"):
            del data[part]
        del data["leak"]["seconds"]
        for search in data["search"]:
            del search["seconds"], search["trials_per_second"]
        return data

    options = {"keys": 3, "trials": 1000, "searches": {}, "unknown_bits": 10}
    one, again = (evaluate(seed=3, **options) for _ in range(2))  # type: ignore[arg-type]
    assert counts(one) == counts(again)
    other = evaluate(seed=4, **options)  # type: ignore[arg-type]
    assert counts(one) != counts(other)


@pytest.mark.parametrize("options", [{"keys": 0}, {"trials": 0}, {"unknown_bits": 2}])
def test_too_few(options: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="at least one"):
        evaluate(searches={}, **options)  # type: ignore[arg-type]


# --- The command ----------------------------------------------------------------------------------


def test_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, small: Evaluation) -> None:
    seen: dict[str, object] = {}

    def instead(**options: object) -> Evaluation:
        seen.update(options)
        return small

    monkeypatch.setattr("aesforge.research.security.evaluate", instead)
    out = tmp_path / "result.json"
    done = CliRunner().invoke(main, [*COMMAND, "--quick", "--seed", "3", "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "Do not use these schemes" in done.stdout
    assert msgspec.json.decode(out.read_bytes(), type=Evaluation) == small
    assert seen["command"] == f"aesforge {shlex.join(COMMAND)} --seed 3 --quick -o {out}"
    done = CliRunner().invoke(main, [*COMMAND, "--json"])
    assert json.loads(done.stdout)["leak"]["claimed_log2"] == 361
    assert seen["searches"] == experiments.SEARCHES
    away = CliRunner().invoke(main, [*COMMAND, "-o", str(tmp_path / "no" / "file.json")])
    assert away.exit_code == 2
    assert "there is no folder" in away.output
    broken = msgspec.structs.replace(small, leak=msgspec.structs.replace(small.leak, recovered=0))
    monkeypatch.setattr("aesforge.research.security.evaluate", lambda **_: broken)
    assert CliRunner().invoke(main, [*COMMAND]).exit_code == 1


def test_an_interrupt_ends_all_of_it(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    # A shell without job control would start it deaf to SIGINT.
    process = subprocess.Popen(
        [
            *(sys.executable, "-c"),
            "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
            "from aesforge.cli.main import main; main(sys.argv[1:])",
            *(*COMMAND, "-o", str(out)),
        ],
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not (searching := children(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert searching, "no search was started"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.decode().strip() == "aesforge: interrupted"
    deadline = time.monotonic() + 5
    while any(map(runs, searching)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(runs, searching))
    assert not out.exists()


def runs(process: int) -> bool:
    """Whether a process runs; one that has ended may stay listed until its number is taken."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return not status.rsplit(")", 1)[1].split()[0].startswith("Z")


def children(parent: int) -> list[int]:
    """Process numbers of the searches that a process runs."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = status.read_text().rsplit(")", 1)
        except OSError:
            continue  # it has ended
        if "(attack" in name and int(rest.split()[1]) == parent:
            found.append(int(status.parent.name))
    return found


# --- What is committed ----------------------------------------------------------------------------


def test_the_committed_result_is_a_whole_run() -> None:
    data = (REPO / "bench" / "results" / "liu2014-security.json").read_bytes()
    result = msgspec.json.decode(data, type=Evaluation)
    assert result.passed
    assert result.command.startswith(f"aesforge {shlex.join(COMMAND)} --seed ")
    assert "--quick" not in result.command
    assert not result.commit.endswith("+")
    assert result.collision.trials >= 100_000
    states = {(one.scheme, one.state_bits) for one in result.search if one.searched_bits >= 24}
    assert {(s, b) for s in ("liu2014", "fips197") for b in (24, 32)} < states


def test_the_page_has_the_committed_figures() -> None:
    """Each figure of docs/papers/liu2014-security.md is one of the result's."""
    done = subprocess.run(
        [sys.executable, str(REPO / "scripts" / "docs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    page = (REPO / "docs" / "papers" / "liu2014-security.md").read_text(encoding="utf-8")
    assert "Do not use" in page

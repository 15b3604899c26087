# SPDX-License-Identifier: Apache-2.0
"""The four experiments on the research key schemes, and their results.

Words of the paper: the seed key is the key, 128 bits; RoundKey N is made from RoundKey N - 1. Here
a state is words 0 and 1 of a round key after the first, 64 bits, from which its words 2 and 3 and
all later round keys follow.
"""

from __future__ import annotations

import contextlib
import datetime
import math
import platform
import random
import statistics
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from aesforge import reference
from aesforge.devices import Record
from aesforge.errors import CheckFailed, UsageError
from aesforge.measure import commit_or_version
from aesforge.reference.field import Word
from aesforge.reference.key_schedule import RESEARCH_SCHEMES, judgement, round_function
from aesforge.research.security import helper
from aesforge.simulate.verilator import find_cxx

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

Progress = Callable[[int, int], None]

ROUNDS = 10
# Equation 6 with N = 10: 2^64 times 2^(33 (N - 1)).
CLAIMED_LOG2 = 64 + 33 * (ROUNDS - 1)
PREDICTED_COLLISION_LOG2 = -6
# Bits of a cell to seed keys: 24 and 32 bits of state, each searched whole.
SEARCHES: Mapping[int, int] = {3: 5, 4: 1}
# With 8-bit cells all but so many bits of the state are given, to measure the speed.
UNKNOWN_BITS = 24
# Trials of one process; a multiple of the program's batch size.
_SLICE = 1 << 24
_SECONDS_A_YEAR = 365.25 * 86_400


class StateExperiment(Record, frozen=True, kw_only=True):
    """(a) After round key 0, the state is 64 bits.

    Args:
        scheme: whose.
        keys: random seed keys.
        round_keys: round keys 1 to 10 of all of them.
        follow: those whose words 2 and 3 follow from words 0 and 1.
        follow_fips197: as many of the standard's, by the same rule.
        colliding_keys: other seed keys, constructed from any two words, that give the same round
            keys 1 to 10; every one was checked.
        keys_per_state_log2: so many seed keys share a state: any two of four words.
    """

    scheme: str
    keys: int
    round_keys: int
    follow: int
    follow_fips197: int
    colliding_keys: int
    keys_per_state_log2: int


class LeakExperiment(Record, frozen=True, kw_only=True):
    """(b) One leaked round key and two known pairs give the seed key; scheme liu2014.

    Args:
        keys: random seed keys.
        round: which round key leaked.
        recovered: seed keys found, each compared with the true one.
        operations_log2: byte operations a key, median.
        most_operations_log2: of the worst key.
        seconds: a key, median.
        candidates: states held at once, the most of all keys.
        claimed_log2: what equation 6 says.
        no_predecessor: share of random states that no state leads to, 0 to 1.
        states: random states tried for that.
    """

    keys: int
    round: int
    recovered: int
    operations_log2: float
    most_operations_log2: float
    seconds: float
    candidates: int
    claimed_log2: int
    no_predecessor: float
    states: int


class CollisionExperiment(Record, frozen=True, kw_only=True):
    """(c) Related keys whose round keys 1 to 10 are the same; scheme liu2014.

    Args:
        trials: random seed keys.
        difference: of the two seed keys, 16 bytes in hex.
        collisions: pairs with the same state.
        measured_log2: of their share.
        predicted_log2: of the share that the S-box's differences give.
        ciphers_checked: collisions for which E_K'(P + difference) = E_K(P) was seen in the model.
    """

    trials: int
    difference: str
    collisions: int
    measured_log2: float
    predicted_log2: int
    ciphers_checked: int


class SearchExperiment(Record, frozen=True, kw_only=True):
    """(d) The search through all states, for one scheme and size of cells.

    Args:
        scheme: of the cipher attacked.
        cell_bits: 8 as in AES, or less.
        state_bits: of a whole search, 8 times as many.
        searched_bits: of the states that were searched; the rest was given.
        keys: random seed keys, of 16 cells.
        found: seed keys found, each compared with the true one.
        trials: states tried, over all keys.
        passed: those that passed the first pair, over all keys.
        seconds: of computation, over all keys and processes.
        trials_per_second: of one process.
    """

    scheme: str
    cell_bits: int
    state_bits: int
    searched_bits: int
    keys: int
    found: int
    trials: int
    passed: int
    seconds: float
    trials_per_second: float


class Extrapolation(Record, frozen=True, kw_only=True):
    """What the whole search of the real size takes, at the measured speed.

    Args:
        states_log2: to try at most; half of that on average.
        trials_per_second: of one process, measured with 8-bit cells.
        core_years: at most.
        fips197_keys_log2: keys that the same search must try against the standard.
    """

    states_log2: int
    trials_per_second: float
    core_years: float
    fips197_keys_log2: int


class Evaluation(Record, frozen=True, kw_only=True):
    """All experiments.

    Args:
        command: what repeats it.
        seed: of every random choice.
        state: (a), a scheme each.
        leak: (b).
        collision: (c).
        search: (d), a scheme and size each.
        extrapolation: of (d).
        processor: on which the times were taken.
        compiler: of the compiled part.
        commit: of the aesforge checkout (`+` after it: with changes), or its version.
        date: UTC, ISO 8601.
    """

    command: str
    seed: int
    state: list[StateExperiment]
    leak: LeakExperiment
    collision: CollisionExperiment
    search: list[SearchExperiment]
    extrapolation: Extrapolation
    processor: str
    compiler: str
    commit: str
    date: str

    @property
    def passed(self) -> bool:
        """Whether every attack worked as claimed, and failed against the standard."""
        return (
            all(one.follow == one.round_keys and not one.follow_fips197 for one in self.state)
            and self.leak.recovered == self.leak.keys
            and abs(self.collision.measured_log2 - self.collision.predicted_log2) < 0.1
            and all(
                one.found == (0 if one.scheme == "fips197" else one.keys) for one in self.search
            )
        )


def evaluate(
    *,
    seed: int = 1,
    keys: int = 100,
    trials: int = 1_000_000,
    searches: Mapping[int, int] = SEARCHES,
    unknown_bits: int = UNKNOWN_BITS,
    processes: int = 1,
    progress: Progress | None = None,
    command: str = "",
) -> Evaluation:
    """Carry out all experiments.

    Args:
        seed: of every random choice.
        keys: seed keys of the experiments (a) and (b).
        trials: of the collision (c).
        searches: bits of a cell (3 or 4) to seed keys that are searched for, each in all states.
        unknown_bits: bits that are searched with 8-bit cells, 3 to 64.
        processes: searches at a time.
        progress: called with states tried and states in all of (d), which takes nearly all time.
        command: what repeats it, for the result.

    Raises:
        UsageError: a number is too small.
        ToolMissing: there is no C++ compiler.
        CheckFailed: a constructed key does not have the property it was built for.
    """
    if min(keys, trials, processes, *searches.values()) < 1 or unknown_bits < 3:
        raise UsageError("a security evaluation needs at least one key, trial and process")
    search, extrapolation = _search(seed, searches, unknown_bits, processes, progress)
    return Evaluation(
        command=command,
        seed=seed,
        state=[state_experiment(scheme, keys, seed) for scheme in RESEARCH_SCHEMES],
        leak=leak_experiment(keys, seed),
        collision=collision_experiment(trials, seed),
        search=search,
        extrapolation=extrapolation,
        processor=_processor(),
        compiler=find_cxx()[1],
        commit=commit_or_version(),
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )


def _processor() -> str:
    """Return the processor's name, or its kind where the system does not say."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _draw(seed: int, what: str) -> random.Random:
    """Return an independent random generator for each experiment."""
    return random.Random(f"{seed} {what}")


def _insist(condition: bool, what: str) -> None:
    if not condition:
        raise CheckFailed(f"the security evaluation is wrong, or the model: {what}")


# --- (a) The state is 64 bits ---------------------------------------------------------------------


def completed(scheme: str, w0: Word, w1: Word) -> list[Word]:
    """Return a round key after the first from its words 0 and 1 alone."""
    if scheme == "hu2009":
        return [w0, w1, reference.xor_words(w0, w1), w0]
    w2 = judgement(w0[3] & 1, w0, w1)
    return [w0, w1, w2, judgement(w0[2] & 1, w1, w2)]


def seed_key_of(scheme: str, state: list[Word], w2: Word, w3: Word) -> bytes:
    """Construct the one seed key with these words 2 and 3 that leads to a state of round key 1."""
    if scheme == "hu2009":
        w0 = reference.xor_words(state[0], round_function(reference.xor_words(w2, w3), 1))
        w1 = reference.xor_words(state[1], w2)
    else:
        w0 = reference.xor_words(state[0], round_function(w3, 1))
        w1 = reference.xor_words(state[1], round_function(w2, 1))
    return w0 + w1 + w2 + w3


def state_experiment(scheme: str, keys: int, seed: int) -> StateExperiment:
    """Show that round keys 1 to 10 are functions of 64 bits, which 2^64 seed keys share.

    Raises:
        CheckFailed: a constructed seed key gives other round keys.
    """
    draw = _draw(seed, f"state {scheme}")
    follow = {scheme: 0, "fips197": 0}
    collide = 0
    for _ in range(keys):
        key = draw.randbytes(16)
        for which in follow:
            w = reference.key_expansion(key, which)
            follow[which] += sum(
                w[i : i + 4] == completed(scheme, w[i], w[i + 1]) for i in range(4, len(w), 4)
            )
        w = reference.key_expansion(key, scheme)
        other = seed_key_of(scheme, w[4:6], draw.randbytes(4), draw.randbytes(4))
        _insist(
            other != key and reference.key_expansion(other, scheme)[4:] == w[4:],
            f"seed keys {key.hex()} and {other.hex()} do not share their round keys",
        )
        collide += 1
    return StateExperiment(
        scheme=scheme,
        keys=keys,
        round_keys=keys * ROUNDS,
        follow=follow[scheme],
        follow_fips197=follow["fips197"],
        colliding_keys=collide,
        keys_per_state_log2=64,
    )


# --- (b) A leaked round key -----------------------------------------------------------------------


def leak_experiment(
    keys: int, seed: int, round_number: int = ROUNDS, states: int = 200
) -> LeakExperiment:
    """Take random seed keys back from one of their round keys.

    Args:
        keys: how many.
        seed: of the keys and blocks.
        round_number: of the round key that leaks, 1 to 10; 10 is the farthest.
        states: random states whose predecessors are counted.
    """
    draw = _draw(seed, "leak")
    operations, seconds, recovered, most = [], [], 0, 1
    for _ in range(keys):
        key = draw.randbytes(16)
        w = reference.key_expansion(key, "liu2014")
        leaked = b"".join(w[4 * round_number : 4 * round_number + 4])
        pairs = []
        for _ in range(2):
            block = draw.randbytes(16)
            pairs += [block.hex(), reference.cipher(block, key, scheme="liu2014").hex()]
        answer = helper.call("recover", str(round_number), leaked.hex(), *pairs)
        recovered += answer["keys"] == [key.hex()]
        operations.append(answer["operations"])
        seconds.append(answer["seconds"])
        most = max(most, *answer["candidates"], 1)
    alone = 0
    for _ in range(states):
        words = [draw.randbytes(4).hex() for _ in range(2)]
        alone += not helper.call("predecessors", str(ROUNDS), *words)["states"]
    return LeakExperiment(
        keys=keys,
        round=round_number,
        recovered=recovered,
        operations_log2=round(math.log2(statistics.median(operations)), 2),
        most_operations_log2=round(math.log2(max(operations)), 2),
        seconds=round(statistics.median(seconds), 4),
        candidates=most,
        claimed_log2=CLAIMED_LOG2,
        no_predecessor=alone / states,
        states=states,
    )


# --- (c) Related keys -----------------------------------------------------------------------------


def collision_experiment(trials: int, seed: int, checked: int = 50) -> CollisionExperiment:
    """Count how often a difference of two seed keys vanishes in round key 1.

    Byte 1 of word 3 differs by d: after SubWord that makes a difference e in byte 0 of the new
    word 0, for one e with probability 4/256. Byte 0 of word 0 differs by that e.

    Args:
        trials: random seed keys.
        seed: of the keys.
        checked: collisions, at most, that are tried on the model's cipher.

    Raises:
        CheckFailed: a collision does not show in the ciphertext.
    """
    import numpy as np

    sbox = np.frombuffer(bytes(reference.SBOX), np.uint8)
    d = 1
    e = int(np.bincount(sbox ^ sbox[np.arange(256) ^ d]).argmax())
    difference = np.zeros(16, np.uint8)
    difference[13], difference[0] = d, e

    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 256, (trials, 16), np.uint8)

    def state(key: Bytes) -> Bytes:
        """Words 0 and 1 of round key 1; Rcon is in both keys the same and left out."""
        w0 = key[:, 0:4] ^ sbox[key[:, [13, 14, 15, 12]]]
        w1 = key[:, 4:8] ^ sbox[key[:, [9, 10, 11, 8]]]
        return np.concatenate([w0, w1], axis=1)

    hits = np.flatnonzero((state(keys) == state(keys ^ difference)).all(axis=1))
    for at in hits[:checked]:
        block = rng.integers(0, 256, 16, np.uint8)
        one = reference.cipher(block.tobytes(), keys[at].tobytes(), scheme="liu2014")
        related = (keys[at] ^ difference).tobytes()
        other = reference.cipher((block ^ difference).tobytes(), related, scheme="liu2014")
        _insist(one == other, f"seed keys {keys[at].tobytes().hex()} and related do not collide")
    return CollisionExperiment(
        trials=trials,
        difference=difference.tobytes().hex(),
        collisions=len(hits),
        measured_log2=round(math.log2(len(hits) / trials), 3) if len(hits) else -math.inf,
        predicted_log2=PREDICTED_COLLISION_LOG2,
        ciphers_checked=min(checked, len(hits)),
    )


# --- (d) The whole search -------------------------------------------------------------------------


class _Target:
    """A random seed key of a cipher with cells of some size, and two pairs under it."""

    def __init__(self, scheme: str, cell_bits: int, draw: random.Random) -> None:
        self.scheme, self.cell_bits, self.draw = scheme, cell_bits, draw
        self.key = self._block()
        self.pairs: list[str] = []
        for _ in range(2):
            block = self._block()
            answer = helper.call("encrypt", str(cell_bits), scheme, self.key, block)
            self.pairs += [block, answer["block"]]

    def _block(self) -> str:
        """Return 16 random cells as the program reads them."""
        digits = "02x" if self.cell_bits == 8 else "x"
        return "".join(f"{self.draw.randrange(2**self.cell_bits):{digits}}" for _ in range(16))

    def calls(self, first: int, count: int) -> list[list[str]]:
        """Return the calls that search ``count`` states from ``first`` on."""
        words = ["search", str(self.cell_bits), self.scheme]
        return [
            [*words, f"{start:x}", f"{min(_SLICE, first + count - start):x}", *self.pairs]
            for start in range(first, first + count, _SLICE)
        ]


def _search(
    seed: int,
    searches: Mapping[int, int],
    unknown_bits: int,
    processes: int,
    progress: Progress | None,
) -> tuple[list[SearchExperiment], Extrapolation]:
    """Search whole small ciphers, and a part of the real one."""
    jobs: list[tuple[list[_Target], list[list[str]], int]] = []
    for cell_bits, keys in searches.items():
        for scheme in ("liu2014", "fips197"):
            draw = _draw(seed, f"search {scheme} {cell_bits}")
            targets = [_Target(scheme, cell_bits, draw) for _ in range(keys)]
            states = 2 ** (8 * cell_bits)
            calls = [call for one in targets for call in one.calls(0, states)]
            jobs.append((targets, calls, 8 * cell_bits))
    real = _Target("liu2014", 8, _draw(seed, "search 8"))
    # The upper bits of the state are given.
    w = reference.key_expansion(bytes.fromhex(real.key), "liu2014")
    first = int.from_bytes(w[4] + w[5], "big") >> unknown_bits << unknown_bits
    jobs.append(([real], real.calls(first, 2**unknown_bits), unknown_bits))

    total = sum(len(targets) * 2**bits for targets, _, bits in jobs)
    tried = 0
    results = []
    for targets, calls, bits in jobs:
        each = len(targets) * 2**bits // len(calls)

        def done(each: int = each) -> None:
            nonlocal tried
            tried += each
            if progress is not None:
                progress(tried, total)

        answers = helper.call_all(calls, processes, done)
        per_target = len(calls) // len(targets)
        found = 0
        for number, target in enumerate(targets):
            mine = answers[number * per_target : (number + 1) * per_target]
            keys_found = [key for answer in mine for key in answer["keys"]]
            found += keys_found == [target.key]
            _insist(
                keys_found in ([], [target.key]), f"a search found {keys_found}, not {target.key}"
            )
        trials = sum(answer["trials"] for answer in answers)
        seconds = sum(answer["seconds"] for answer in answers)
        results.append(
            SearchExperiment(
                scheme=targets[0].scheme,
                cell_bits=targets[0].cell_bits,
                state_bits=8 * targets[0].cell_bits,
                searched_bits=bits,
                keys=len(targets),
                found=found,
                trials=trials,
                passed=sum(answer["passed"] for answer in answers),
                seconds=round(seconds, 2),
                trials_per_second=round(trials / seconds),
            )
        )
    speed = results[-1].trials_per_second
    return results, Extrapolation(
        states_log2=64,
        trials_per_second=speed,
        core_years=round(2**64 / speed / _SECONDS_A_YEAR),
        fips197_keys_log2=128,
    )

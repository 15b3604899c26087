# SPDX-License-Identifier: Apache-2.0
"""Packets for an engine, what must come of them, and where the beats that came differ.

The reference is OpenSSL. `Traffic` turns packets and keys into words for the simulator's channels
(`aesforge.simulate.stream`), `first_fault` names the first beat that was lost, repeated or wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aesforge.engine import BLOCK_BYTES, MODES, Engine, Mode
from aesforge.simulate.build import Optimize, style
from aesforge.simulate.stream import VALID_FELL, Channel, Module, StreamResult, StreamSimulator

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FULL_KEEP = (1 << BLOCK_BYTES) - 1

# Names of the engine's channels.
KEYS, CONTEXTS, BEATS, RESULTS = "s_key", "s_ctx", "s_axis", "m_axis"


def engine_module(
    engine: Engine, *, optimize: Optimize = "speed", files: Sequence[Path] | None = None
) -> Module:
    """Give an engine as the simulator sees it.

    Args:
        engine: the engine.
        optimize: as the simulator is asked for.
        files: source files in compile order instead of the package's own.
    """
    stored = not engine.core.is_agile
    # Inputs that are not named stay 0; what an engine does not use must not matter, though.
    context = ("s_ctx_key", "s_ctx_slot", "s_ctx_iv", "s_ctx_mode", "s_ctx_decrypt")
    sources = [
        Channel(CONTEXTS, "s_ctx_tvalid", "s_ctx_tready", context),
        Channel(BEATS, "s_axis_tvalid", "s_axis_tready", beat_ports("s_axis")),
    ]
    if stored:
        sources.insert(
            0, Channel(KEYS, "s_key_tvalid", "s_key_tready", ("s_key_slot", "s_key_tdata"))
        )
    return Module(
        name=engine.name,
        top=engine.top,
        sources=tuple(sources),
        sink=Channel(RESULTS, "m_axis_tvalid", "m_axis_tready", beat_ports("m_axis")),
        clear="clear",
        parameters=engine.rtl_parameters(),
        files=None if files is None else tuple(files),
        style=style(engine.core, optimize),
    )


def beat_ports(channel: str) -> tuple[str, ...]:
    """Give the ports of a beat of an AXI4-Stream channel, as the standard spells them."""
    return tuple(f"{channel}_{name}" for name in ("tdata", "tkeep", "tlast", "tid", "tuser"))


# --- What goes in ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Context:
    """What a packet runs under: as the ports `s_ctx_*` have it, bytes first byte first."""

    code: int
    decrypt: bool
    iv: bytes = bytes(BLOCK_BYTES)
    key: bytes = b""
    slot: int = 0


@dataclass(frozen=True)
class Packet:
    """A packet.

    Args:
        data: its bytes; none at all is a beat without bytes.
        context: None where the packet comes without one.
        id: `tid` of its beats.
        user: `tuser` of its beats.
        keeps: `tkeep` by number of the beat, where it is not what the data say.
    """

    data: bytes | memoryview
    context: Context | None
    id: int = 0
    user: int = 0
    keeps: Mapping[int, int] = field(default_factory=dict)

    @property
    def beats(self) -> int:
        """How many beats it has."""
        return max(1, -(-len(self.data) // BLOCK_BYTES))


@dataclass(frozen=True)
class KeyLoad:
    """A key for a slot; packets that follow run under it, those before it do not."""

    slot: int
    key: bytes


def mode_of(engine: Engine, context: Context) -> Mode | None:
    """Give the mode that a context asks for, or None where this engine has not built it."""
    way = "decrypt" if context.decrypt else "encrypt"
    for name in engine.modes:
        if MODES[name].code == context.code and way in engine.ways(name):
            return MODES[name]
    return None


def openssl(cipher: str, decrypt: bool, key: bytes, iv: bytes) -> Any:
    """Give OpenSSL's context of a mode: what `update` of it gives for bytes is the reference.

    Args:
        cipher: one of `aesforge.engine.CIPHERS`.
        decrypt: or encrypt.
        key: 16, 24 or 32 bytes.
        iv: 16 bytes; not looked at where the mode takes none.
    """
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    try:
        from cryptography.hazmat.decrepit.ciphers.modes import CFB
    except ImportError:  # before version 46
        from cryptography.hazmat.primitives.ciphers.modes import CFB

    rules: dict[str, Any] = {"ecb": lambda _iv: modes.ECB(), "ctr": modes.CTR, "cbc": modes.CBC}
    rules |= {"cfb": CFB}
    worker: Any = Cipher(algorithms.AES(key), rules[cipher](iv))
    return worker.decryptor() if decrypt else worker.encryptor()


# Ways to carry a message on for which the packet before must be through.
AFTER_RESULT = ("output", "keystream")


def next_iv(mode: Mode, iv: bytes, data: bytes, result: bytes) -> bytes:
    """Give the IV of the packet that carries a message on.

    Args:
        mode: says what carries it (`Mode.chain`).
        iv: of the packet before.
        data: of the packet before, whole blocks.
        result: what came of it; not looked at unless the mode is one of `AFTER_RESULT`.
    """
    if mode.chain == "counter":
        number = int.from_bytes(iv, "big") + len(data) // BLOCK_BYTES
        return (number % (1 << 8 * BLOCK_BYTES)).to_bytes(BLOCK_BYTES, "big")
    if mode.chain == "none":
        return iv
    # Shifted in, so that packets shorter than a block do too.
    shifted: dict[str, bytes] = {
        "input": data,
        "output": result,
        "keystream": bytes(a ^ b for a, b in zip(data, result, strict=False)),
    }
    whole: bytes = iv + shifted[mode.chain]
    return whole[-BLOCK_BYTES:]


def first_bad_beat(packet: Packet, mode: Mode) -> int:
    """Give the number of the first beat that is an error in itself; that of all if none is."""
    keeps = dict(packet.keeps)
    last = packet.beats - 1
    if last not in keeps:
        keeps[last] = (1 << len(packet.data) - BLOCK_BYTES * last) - 1
    for number in sorted(keeps):
        keep = keeps[number]
        holes = keep & (keep + 1) != 0
        short = keep != FULL_KEEP and (number < last or (keep != 0 and not mode.partial))
        if holes or short:
            return number
    return packet.beats


class Traffic:
    """Packets and keys in their order, as words for the simulator, and the beats due.

    Args:
        simulator: of the engine, running.
        engine: the engine.
    """

    def __init__(self, simulator: StreamSimulator, engine: Engine) -> None:
        self.simulator = simulator
        self.engine = engine
        self.slots: dict[int, bytes] = {}
        """The key that each slot holds."""

    def words(
        self, items: Sequence[Packet | KeyLoad]
    ) -> tuple[dict[str, NDArray[Any]], NDArray[Any]]:
        """Give the words of each channel, and the rows that must come out (`cycle` is 0).

        A key waits until the packets before it are in, and packets until the keys before them are;
        the context behind a packet without one waits for that packet.
        """
        import numpy as np

        sim = self.simulator
        packets = [item for item in items if isinstance(item, Packet)]
        loads = [item for item in items if isinstance(item, KeyLoad)]
        counts = np.array([packet.beats for packet in packets], np.int64)
        starts = np.cumsum(counts) - counts
        total = int(counts.sum())

        # Beats, all at once.
        beats = sim.words(BEATS, total)
        buffer = b"".join(
            bytes(packet.data).ljust(BLOCK_BYTES * packet.beats, b"\0") for packet in packets
        )
        beats["s_axis_tdata"] = np.frombuffer(buffer, np.uint8).reshape(total, BLOCK_BYTES)
        beats["s_axis_tkeep"] = FULL_KEEP
        if total:
            ends = starts + counts - 1
            sizes = np.array([len(packet.data) for packet in packets]) - BLOCK_BYTES * (counts - 1)
            beats["s_axis_tlast"][ends] = 1
            beats["s_axis_tkeep"][ends] = (1 << sizes) - 1
            put(beats, "s_axis_tid", np.repeat([packet.id for packet in packets], counts))
            put(beats, "s_axis_tuser", np.repeat([packet.user for packet in packets], counts))

        contexts = sim.words(CONTEXTS, sum(packet.context is not None for packet in packets))
        keys = sim.words(KEYS, len(loads)) if loads else None
        due = np.zeros(total, sim.row_dtype)
        moved = dict(sim.moved)
        beat = context = load = 0
        wait_for = 0  # beats that must be in before the next context
        for item in items:
            if isinstance(item, KeyLoad):
                assert keys is not None
                keys["after"][load], keys["count"][load] = sim.after(BEATS), moved[BEATS] + beat
                put(keys[load : load + 1], "s_key_slot", [item.slot])
                put_bytes(keys[load], "s_key_tdata", item.key)
                self.slots[item.slot] = item.key
                load += 1
                continue
            part = slice(beat, beat + item.beats)
            for number, keep in item.keeps.items():
                beats["s_axis_tkeep"][beat + number] = keep
            if load and beat < total:
                beats["after"][beat], beats["count"][beat] = sim.after(KEYS), moved[KEYS] + load
            if item.context is None:
                wait_for = moved[BEATS] + beat + 1
            else:
                self._put_context(contexts[context], item.context, wait_for)
                context += 1
            due["m_axis_tkeep"][part] = beats["s_axis_tkeep"][part]
            due["m_axis_tlast"][part] = beats["s_axis_tlast"][part]
            self._put_due(due[part], item)
            beat += item.beats
        put(due, "m_axis_tid", np.repeat([packet.id for packet in packets], counts))
        words = {BEATS: beats, CONTEXTS: contexts}
        return (words | {KEYS: keys} if keys is not None else words), due

    def _put_context(self, word: Any, context: Context, wait_for: int) -> None:
        sim = self.simulator
        if wait_for:
            word["after"], word["count"] = sim.after(BEATS), wait_for
        put_bytes(word, "s_ctx_key", context.key)
        put_bytes(word, "s_ctx_iv", context.iv)
        word["s_ctx_slot"] = context.slot
        word["s_ctx_mode"] = context.code
        word["s_ctx_decrypt"] = context.decrypt

    def _put_due(self, due: NDArray[Any], packet: Packet) -> None:
        import numpy as np

        engine, context = self.engine, packet.context
        mode = None if context is None else mode_of(engine, context)
        good = 0
        if context is not None and mode is not None:
            key = context.key if engine.core.is_agile else self.slots.get(context.slot)
            if key is not None:
                good = first_bad_beat(packet, mode)
        if good:
            assert context is not None
            assert mode is not None
            assert key is not None
            data = bytes(packet.data[: BLOCK_BYTES * good])
            result: bytes = openssl(mode.cipher, context.decrypt, key, context.iv).update(data)
            result = result.ljust(BLOCK_BYTES * good, b"\0")
            due["m_axis_tdata"][:good] = np.frombuffer(result, np.uint8).reshape(good, BLOCK_BYTES)
        # Bit 0 of tuser is the error flag.
        error = (np.arange(len(due)) >= good).astype(object)
        put(due, "m_axis_tuser", error | packet.user << 1)


def put(words: NDArray[Any], name: str, values: Any) -> None:
    """Write numbers to a port of words, whatever its width."""
    import numpy as np

    if words.dtype[name].shape:
        size = words.dtype[name].shape[0]
        rows = b"".join(int(value).to_bytes(size, "little") for value in values)
        words[name] = np.frombuffer(rows, np.uint8).reshape(-1, size)
    else:
        words[name] = np.asarray(values).astype(words.dtype[name])


def put_bytes(word: Any, name: str, data: bytes) -> None:
    """Write bytes to a wide port of a word, byte 0 in bits 7 to 0."""
    import numpy as np

    word[name][: len(data)] = np.frombuffer(data, np.uint8)


# --- What comes out -------------------------------------------------------------------------------


def beat_words(row: Any) -> str:
    """Give a beat in words."""
    parts = []
    for name in row.dtype.names:
        if name == "cycle":
            continue
        value = row[name]
        size = row.dtype[name].itemsize
        text = value[::-1].tobytes().hex() if row.dtype[name].shape else f"{int(value):x}"
        short = name.rsplit("_", 1)[-1]
        parts.append(f"{short} {text if size <= 2 else text.rjust(2 * size, '0')}")
    return ", ".join(parts)


def first_fault(
    got: NDArray[Any], due: NDArray[Any], first: int = 0, *, complete: bool = True
) -> str | None:
    """Say what is wrong with the first beat that is not as it must be, or give None.

    Args:
        got: rows that came out, in order.
        due: rows that must, of the same record but for the cycle.
        first: number of the first of them since the start.
        complete: whether all that are due must have come.
    """
    import numpy as np

    names = [name for name in due.dtype.names or () if name != "cycle"]
    both = min(len(got), len(due))
    wrong = np.zeros(both, bool)
    for name in names:
        differs = got[name][:both] != due[name][:both]
        wrong |= differs.any(axis=1) if differs.ndim > 1 else differs
    found = np.flatnonzero(wrong)
    if not len(found):
        if len(got) < len(due) and complete:
            return f"beat {first + both} never came: {beat_words(due[both])}"
        if len(got) > len(due):
            return f"a beat too many after beat {first + both - 1}: {beat_words(got[both])}"
        return None
    at = int(found[0])

    def same(left: Any, right: Any) -> bool:
        return all(np.array_equal(left[name], right[name]) for name in names)

    where = f"cycle {int(got['cycle'][at])}"
    # The same bytes may be due more than once; what is not due at all tells nothing of order.
    if at and same(got[at], due[at - 1]):
        return f"{where}: beat {first + at - 1} is repeated in place of beat {first + at}"
    for other in range(at + 1, min(len(due), at + 4096)):
        if same(got[at], due[other]):
            return (
                f"{where}: beat {first + at} is lost or late: beat {first + other} comes in its "
                "place"
            )
    return (
        f"{where}: beat {first + at} is wrong\n"
        f"  expected  {beat_words(due[at])}\n  got       {beat_words(got[at])}"
    )


def fault_words(result: StreamResult) -> str | None:
    """Say what was wrong with the handshake at the output, or give None."""
    for what, cycle, word in result.faults:
        if what == VALID_FELL:
            return f"cycle {cycle}: tvalid fell before beat {word} was taken"
        return f"cycle {cycle}: beat {word} changed while it waited to be taken"
    return None

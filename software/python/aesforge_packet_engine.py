# SPDX-License-Identifier: Apache-2.0
"""Driver of an engine of GCM, OCB, CCM or XTS with AXI4-Lite CSRs: for cocotb, and for Linux.

It loads keys, gives each packet its context, and reads the result of each: the tag that was made,
or whether the received one is right. The packets go through the AXI4-Stream ports, which a bench's
bus models or a DMA controller serve. Never use an IV twice under one key. The buses are those of
`aesforge_engine`. In a cocotb bench::

    engine = PacketEngine(MasterBus(axil_master), CONFIG)
    await engine.open()
    await engine.load_key(0, key)
    await engine.begin(iv=iv, tag_bytes=16)
    ...                                        # send the packet; its last beat is a placeholder
    tag = (await engine.finish()).tag
"""

from __future__ import annotations

from dataclasses import dataclass

from aesforge_engine import Bus, Csrs, EngineError, Status

GCM, OCB, CCM, XTS = range(4)
IV_GIVEN, IV_PACKET, IV_HASHED = range(3)
TAG_BYTES = 16

# Offsets in bytes; docs/csr.md, or the README of a bundle, has the fields.
_ID, _CONTROL, _STATUS, _ERRORS, _PACKETS = 0x00, 0x04, 0x08, 0x0C, 0x10
_KEY, _IV, _TAG, _AAD, _TEXT, _MORE = 0x20, 0x60, 0x70, 0x80, 0x84, 0x88
_IV_FIXED, _LOAD, _PUSH = 0x8C, 0x90, 0x94
_RESULT, _POP, _RESULT_TAG, _RESULT_IV = 0xA0, 0xA4, 0xB0, 0xC0
_LETTERS = int.from_bytes(b"AESP", "big")
_CONTEXT_WAITS, _KEY_WAITS, _RESULT_WAITS = 1, 2, 4
_MOST_SLOTS = 16
# Legal bytes of an IV, by mode.
_IV_BYTES = {GCM: (12,), OCB: range(1, 16), CCM: range(7, 14), XTS: (16,)}


@dataclass(frozen=True)
class PacketConfig:
    """How the engine was built; a bundle has the values.

    Args:
        mode: `GCM` to `XTS`.
        key_bytes: 16, 24 or 32; XTS: of both keys, 32 or 64.
        key_slots: stored keys, 2 to 16; 0: a key with each context.
        tag_lengths: bit n: tags of n bytes; 0: without tags.
        encrypts: whether it encrypts.
        decrypts: whether it decrypts.
        counted: whether it makes the IVs of packets that encrypt.
    """

    mode: int
    key_bytes: int
    key_slots: int
    tag_lengths: int
    encrypts: bool
    decrypts: bool
    counted: bool


@dataclass(frozen=True)
class Result:
    """What became of a packet.

    Args:
        error: the error flag: its data are not to be used.
        authentic: it was decrypted, and its tag is right.
        iv: 12 bytes that were made inside: send them with the packet; else None.
        id: `tid` of its last beat, lowest 8 bits.
        tag: 16 bytes, of which the first `tag_bytes` are the tag that was made; else zeros.
    """

    error: bool
    authentic: bool
    iv: bytes | None
    id: int
    tag: bytes


class PacketEngine(Csrs):
    """An engine; calls for one engine must not overlap. Every method may raise `EngineError`.

    Args:
        bus: its CSRs.
        config: how it was built.
        polls: most reads of a register in one call, which bounds every wait.
    """

    def __init__(self, bus: Bus, config: PacketConfig, polls: int = 1000) -> None:
        super().__init__(bus, polls)
        self._config = config

    async def open(self) -> None:
        """Find the engine. Results of an earlier program may still wait; `zeroize` drops them.

        Raises:
            EngineError: `NO_ENGINE` or `BAD_CONFIG`.
        """
        config = self._config
        keys = (32, 64) if config.mode == XTS else (16, 24, 32)
        slots = config.key_slots != 1 and 0 <= config.key_slots <= _MOST_SLOTS
        tags = bool(config.tag_lengths) == (config.mode != XTS)
        good = config.key_bytes in keys and slots and tags and config.mode in _IV_BYTES
        _want(good and (config.encrypts or config.decrypts), Status.BAD_CONFIG)
        _want(await self._bus.read(_ID) == _LETTERS, Status.NO_ENGINE)

    async def load_key(self, slot: int, key: bytes, iv_fixed: bytes = bytes(4)) -> None:
        """Load a stored key, or both of XTS; packets that are begun after it use it.

        Args:
            slot: of the key.
            key: of the engine's length; XTS: that of the data first.
            iv_fixed: 4 bytes; with counted IVs, the fixed field of this slot's IVs, never used
                before with this key.

        Raises:
            EngineError: `BAD_SLOT`, `BAD_KEY`, `BAD_IV`, `BUSY` or `TIMEOUT`.
        """
        _want(0 <= slot < self._config.key_slots, Status.BAD_SLOT)
        _want(len(key) == self._config.key_bytes, Status.BAD_KEY)
        _want(len(iv_fixed) == 4, Status.BAD_IV)
        await self._until_low(_KEY_WAITS, Status.BUSY)
        await self._write_bytes(_KEY, key)
        await self._write_bytes(_IV_FIXED, iv_fixed)
        await self._bus.write(_LOAD, slot)
        # A context that overtook the key would run under the old one.
        await self._until_low(_KEY_WAITS, Status.TIMEOUT)

    async def begin(
        self,
        *,
        decrypt: bool = False,
        slot: int = 0,
        key: bytes = b"",
        iv: bytes = b"",
        iv_kind: int = IV_GIVEN,
        tag_bytes: int = 0,
        tag: bytes = b"",
        aad_bytes: int = 0,
        text_bytes: int = 0,
        more: int = 0,
    ) -> None:
        """Begin a packet: hand its context over. Three contexts may wait.

        Its last beat is a place for the tag, of any number of bytes; only where it decrypts without
        `tag` that beat has the tag itself. 16 contexts may be inside or have a result that waits.

        Args:
            decrypt: or encrypt.
            slot: of the key; 0 without stored keys.
            key: of the engine's length; none with stored keys.
            iv: IV, nonce or number; none where the engine makes it or a packet brings it.
            iv_kind: `IV_GIVEN`; of GCM also the others.
            tag_bytes: of the tag; 0 in XTS.
            tag: that is expected; none: it is in the last beat.
            aad_bytes: of associated data, in CCM.
            text_bytes: of text, in CCM.
            more: data units that follow, in XTS.

        Raises:
            EngineError: `BAD_DIRECTION`, `BAD_IV`, `BAD_KEY`, `BAD_SLOT`, `BAD_TAG`, `BAD_LENGTH`
                or `BUSY`.
        """
        config = self._config
        _want(config.decrypts if decrypt else config.encrypts, Status.BAD_DIRECTION)
        _want(self._is_iv_legal(decrypt, iv, iv_kind), Status.BAD_IV)
        _want(len(key) == (0 if config.key_slots else config.key_bytes), Status.BAD_KEY)
        _want(0 <= slot < max(config.key_slots, 1), Status.BAD_SLOT)
        compares = decrypt and iv_kind != IV_PACKET
        if config.mode == XTS:
            legal = tag_bytes == len(tag) == 0
        else:
            known = 0 <= tag_bytes <= TAG_BYTES and config.tag_lengths >> tag_bytes & 1
            legal = bool(known) and len(tag) in ((0, tag_bytes) if compares else (0,))
        _want(legal, Status.BAD_TAG)
        # SP 800-38C Sec. A.1: the length of the text has the bytes that the nonce leaves.
        most = (1 << 8 * min(4, 15 - len(iv))) - 1 if config.mode == CCM else 0
        _want(0 <= text_bytes <= most, Status.BAD_LENGTH)
        _want(0 <= aad_bytes <= (0xFFFFFFFF if config.mode == CCM else 0), Status.BAD_LENGTH)
        _want(0 <= more <= (0xFFFF if config.mode == XTS else 0), Status.BAD_LENGTH)
        await self._until_low(_CONTEXT_WAITS, Status.BUSY)
        await self._write_bytes(_IV, iv)
        await self._write_bytes(_TAG, tag)
        await self._write_bytes(_KEY, key)
        for offset, value in ((_AAD, aad_bytes), (_TEXT, text_bytes), (_MORE, more)):
            await self._bus.write(offset, value)
        given = bool(tag) or not compares
        word = iv_kind | decrypt << 4 | given << 5 | slot << 8
        await self._bus.write(_PUSH, word | (len(iv) & 15) << 12 | tag_bytes << 16)

    def _is_iv_legal(self, decrypt: bool, iv: bytes, iv_kind: int) -> bool:
        config = self._config
        made = config.counted and not decrypt
        if iv_kind == IV_GIVEN and not made:
            return len(iv) in _IV_BYTES[config.mode]
        brought = config.mode == GCM and iv_kind in (IV_PACKET, IV_HASHED)
        return not iv and (iv_kind == IV_GIVEN if made else brought)

    async def finish(self) -> Result:
        """Wait for the oldest result, and take it.

        They come in the order in which packets were begun; of several streams (CCM) in that in
        which they end, and `id` is the stream.

        Its `error` may be set: a wrong tag, or another error of the packet.

        Raises:
            EngineError: `TIMEOUT`: there is none yet, and nothing was taken.
        """

        async def result_waits() -> bool:
            return bool(await self._bus.read(_STATUS) & _RESULT_WAITS)

        await self._until(result_waits, Status.TIMEOUT)
        word = await self._bus.read(_RESULT)
        tag = await self._read_bytes(_RESULT_TAG, TAG_BYTES)
        iv = await self._read_bytes(_RESULT_IV, 12)
        await self._bus.write(_POP, 1)
        return Result(
            error=bool(word & 1),
            authentic=bool(word & 2),
            iv=iv if word & 4 else None,
            id=word >> 8 & 255,
            tag=tag,
        )

    async def take_errors(self) -> int:
        """Return the flags of the register `errors`, and take them back."""
        flags = await self._bus.read(_ERRORS)
        await self._bus.write(_ERRORS, flags)
        return flags

    async def zeroize(self) -> None:
        """Zeroize keys, contexts, results and data, and drop all packets.

        The engine takes no context and no beat until it is done.

        Raises:
            EngineError: `TIMEOUT`: packets still leave.
        """
        count = 0

        async def is_done() -> bool:
            # A packet that is leaving may still be counted: wait until the count is the same twice.
            nonlocal count
            waits = await self._bus.read(_STATUS) & (_CONTEXT_WAITS | _KEY_WAITS | _RESULT_WAITS)
            before, count = count, await self._bus.read(_PACKETS)
            return not waits and count == before

        await self._bus.write(_CONTROL, 1)
        count = await self._bus.read(_PACKETS)
        await self._until(is_done, Status.TIMEOUT)

    async def _read_bytes(self, offset: int, size: int) -> bytes:
        words = [await self._bus.read(offset + at) for at in range(0, size, 4)]
        return b"".join(word.to_bytes(4, "little") for word in words)


def _want(condition: bool, otherwise: Status) -> None:
    if not condition:
        raise EngineError(otherwise)

# SPDX-License-Identifier: Apache-2.0
"""Keys through a key expansion: each round key compared with the model's, and with its cycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from aesforge.check.run import CHUNK_BEATS, CoreRun

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class KeyExpansionRun(CoreRun):
    """The check of a key expansion: keys in, their round keys out, each in its cycle."""

    # Byte of a row's last block that counts round keys that no key had asked for.
    _STRAYS = 15
    _NEVER = 255

    def vector_count(self) -> int:
        """Return the number of keys of :meth:`published_vectors`."""
        return len(self._published())

    def _published(self) -> list[tuple[str, bytes]]:
        """Return names and keys: Appendix A's, then each that the published records use."""
        from aesforge.reference.vectors import KEY_EXPANSIONS, records

        bits = self.design.key_bits
        keys = {KEY_EXPANSIONS[bits][0]: "the key of FIPS 197 Appendix A"}
        for record in records(bits):
            keys.setdefault(record.key, f"the key of the published vector {record.name}")
        return [(name, key) for key, name in keys.items()]

    def published_vectors(self) -> None:
        """Send every published key."""
        from aesforge.reference.vectors import KEY_EXPANSIONS

        published = self._published()
        keys = [key for _, key in published]
        wanted = self._round_keys(keys)
        # The one expansion that the standard prints ends as it says, whatever our model is.
        wanted[0, -1] = list(KEY_EXPANSIONS[self.design.key_bits][1])
        self._send(keys, wanted, 0.0, [name for name, _ in published].__getitem__)
        self.report.vector_blocks += len(keys)
        self.advance(len(keys))

    def random_traffic(self, count: int, bubbles: float, random_keys: bool) -> None:
        """Send ``count`` random keys, or one again and again, with pauses."""
        size = self.design.key_bits // 8
        for start in range(0, count, CHUNK_BEATS):
            number = min(CHUNK_BEATS, count - start)
            keys = [self.rng.bytes(size) for _ in range(number if random_keys else 1)]
            keys = keys if random_keys else keys * number
            self._send(keys, self._round_keys(keys), bubbles, self.random_name)
            self.report.random_blocks += number
            self.advance(number)

    def _round_keys(self, keys: Sequence[bytes]) -> NDArray[np.uint8]:
        """Return the model's round keys (n, Nr + 1, 16) of each key."""
        import numpy as np

        from aesforge.reference import key_expansion

        known = {key: b"".join(key_expansion(key)) for key in set(keys)}
        data = b"".join(known[key] for key in keys)
        return np.frombuffer(data, np.uint8).reshape(len(keys), -1, 16).copy()

    def _send(
        self,
        keys: Sequence[bytes],
        wanted: NDArray[np.uint8],
        bubbles: float,
        name: Callable[[int], str],
    ) -> None:
        import numpy as np

        from aesforge.simulate import BLOCK, IDLE, SPURIOUS, WAIT

        report, design = self.report, self.design
        pauses = self.pauses(len(keys), bubbles)
        key_at = np.arange(len(keys)) + np.cumsum(pauses > 0)
        tags = self.tags(len(keys))
        ops = self.simulator.new_ops(int(key_at[-1]) + 2)
        ops["op"][key_at] = BLOCK
        ops["key"][key_at, : design.key_bits // 8] = np.frombuffer(
            b"".join(keys), np.uint8
        ).reshape(len(keys), -1)
        ops["tag"][key_at] = tags
        idle_at = key_at[pauses > 0] - 1
        ops["op"][idle_at] = IDLE
        ops["arg"][idle_at] = pauses[pauses > 0]
        ops["op"][-1] = WAIT
        result = self.simulator.run(ops)

        rows = result.rows
        report.count(result)
        if len(rows) != len(keys):
            report.wrong_blocks += abs(len(keys) - len(rows))
            self.fault("count", f"{len(keys)} keys went in, {len(rows)} last round keys came out")
            return
        last = rows["block"].reshape(len(rows), -1, 16)[:, -1].astype(np.int64)
        strays = int(last[:, self._STRAYS].sum()) + len(result.of(SPURIOUS))
        if strays:
            self.fault("spurious", f"{strays} round keys came out that no key had asked for")
        self._compare_cycles(last[:, : design.rounds + 1], name)
        mask = np.uint64(2**design.tag_bits - 1)
        for at in np.flatnonzero(rows["tag"] != tags & mask)[:1]:
            self.fault(
                "tag",
                f"{name(at)}: the last round key came out with the tag {int(rows['tag'][at]):#x}; "
                f"the key went in with {int(tags[at] & mask):#x} (order or tag is wrong)",
            )
        got = rows["block"].reshape(len(rows), -1, 16)[:, :-1]
        wrong = (got != wanted).any(axis=2)
        report.wrong_blocks += int(wrong.any(axis=1).sum())
        for at, r in np.argwhere(wrong)[:1]:
            lines = (
                f"{name(int(at))}: round key {r} came out wrong",
                # Test keys, published or drawn here: nobody's secret.
                f"key       {keys[at].hex()}",
                f"expected  {wanted[at, r].tobytes().hex()}",
                f"got       {got[at, r].tobytes().hex()}",
            )
            self.fault("block", "\n  ".join(lines))
        if bubbles == 0:
            self.measure_rate(rows["in_cycle"].astype(np.int64), 1)

    def _compare_cycles(self, cycles: NDArray[np.int64], name: Callable[[int], str]) -> None:
        """Compare how many cycles after its key each round key (n, Nr + 1) left."""
        import numpy as np

        design = self.design
        self.note_latency(cycles[:, -1])
        expected = design.stages * np.arange(design.rounds + 1)
        for at, r in np.argwhere(cycles != expected)[:1]:
            took = "never came" if cycles[at, r] == self._NEVER else f"took {cycles[at, r]} cycles"
            self.fault(
                "latency",
                f"{name(int(at))}: round key {r} {took}; the design computes {expected[r]}",
            )

# SPDX-License-Identifier: Apache-2.0
"""Traffic through a core with an alarm: silent without a fault, and never wrong without it."""

from __future__ import annotations

from rtl_bench import Bench, Faults, Instance, Mutation, Outputs
from traffic import TAG_BITS, Traffic


class CheckedTraffic(Traffic):
    """What a checked core is given and must give back.

    A mutant stands for a faulty core: what it gives may be wrong, but not without an alarm.
    """

    def __init__(
        self, one: Instance, latency: int, blocks_per_beat: int = 1, rings: int = 1
    ) -> None:
        super().__init__(one, latency, blocks_per_beat, rings)
        self.silent: list[str] = []

    def decrypts(self) -> bool:
        direction = self.one.parameters.get("Direction", 0)
        return direction == 1 or (direction == 2 and self.given["in_decrypt"] == 1)

    def cycle(self, now: int, outputs: Outputs, faults: Faults, *, zeroize: bool = False) -> None:
        """Compare a cycle's outputs; zeroization is zeroization of which only one cycle shows."""
        one = self.one
        wanted = self.under_way.get(now)
        valid, alarm = outputs.of(one, "out_valid"), outputs.of(one, "alarm")
        faults.check(one, alarm, 0, f"alarm in cycle {now}")
        given = (outputs.of(one, "out_block"), outputs.of(one, "out_tag")) if valid else None
        if given != wanted and not alarm:
            self.silent.append(f"cycle {now}: {given}, wanted {wanted}")
        super().cycle(now, outputs, faults, zeroize=zeroize)


def add_checked(
    bench: Bench,
    module: str,
    name: str,
    parameters: dict[str, int],
    blocks_per_beat: int,
    mutation: Mutation | None,
) -> None:
    """Add a checked core to a bench; its keys are agile."""
    bench.add(
        name,
        module,
        parameters | {"TagBits": TAG_BITS},
        inputs={
            **{"in_valid": 1, "in_decrypt": 1, "in_tag": TAG_BITS, "in_slot": 1},
            **{"in_key": parameters["KeyBits"], "in_block": 128 * blocks_per_beat},
            **{"key_valid": 1, "key_slot": 1, "key": parameters["KeyBits"]},
        },
        outputs={
            **{"in_ready": 1, "out_valid": 1, "out_block": 128 * blocks_per_beat},
            **{"out_tag": TAG_BITS, "alarm": 1},
        },
        mutation=mutation,
    )


def judge(bench: Bench, traffics: list[CheckedTraffic], faults: Faults) -> None:
    """Want silence of true cores, and of faulty ones an alarm with all that is wrong."""
    bench.judge(faults)
    for traffic in traffics:
        assert not traffic.silent, f"{traffic.one.name}: {traffic.silent[0]}"
        if traffic.one.name not in bench.mutants:
            assert traffic.left > 10, f"{traffic.one.name} gave {traffic.left} blocks"

# SPDX-License-Identifier: Apache-2.0
"""Simulate a core against the published vectors and against OpenSSL, and time it.

A core that is not AES (`Design.scheme`) is compared with our own model instead, which the report
says.

Everything that comes out is compared: the block, its tag, and the cycle in which it came. Every
random choice follows from the seed, so that a run can be repeated exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aesforge.check.cipher import CipherRun
from aesforge.check.key_expansion import KeyExpansionRun
from aesforge.check.report import Progress, chosen_optimize, chosen_seed, repeat_command
from aesforge.check.run import RESEARCH_REFERENCE, STANDARD_REFERENCE, CheckReport, CoreRun
from aesforge.design import Design
from aesforge.errors import CheckFailed, UsageError
from aesforge.toolchain.files import require_writable

if TYPE_CHECKING:
    from aesforge.simulate.build import Optimize


def check(
    design: Design,
    *,
    seed: int | None = None,
    blocks: int = 1000,
    bubbles: float = 0.2,
    random_keys: bool = True,
    vectors: bool = True,
    progress: Progress | None = None,
    wave: Path | None = None,
    optimize: Optimize | None = None,
    rtl: Sequence[Path] | None = None,
    command: str | None = None,
) -> CheckReport:
    """Simulate a core and compare every block.

    The published vectors come first, all those of the design's key size, in each direction the
    core has. Then come random blocks: half of them back to back, where the rate is measured too,
    half with pauses (all back to back when ``bubbles`` is 0). A stored core gets new keys in the
    middle of this traffic. A beat of several blocks counts as that many. Last come a few blocks
    that `zeroize` or `rst` discards: none of them may leave.

    A key expansion gets keys in place of blocks: those of the standard's Appendix A and of the
    published vectors, then random ones. All their round keys are compared with the model's, and
    each with the cycle in which it has to leave.

    Args:
        design: the core.
        seed: fixes every random choice; drawn and reported when left out.
        blocks: how many random blocks, or keys, to send, rounded up to whole beats.
        bubbles: how likely a pause follows a block, 0 to below 1.
        random_keys: a new random key (stored: slot) with every beat, or one for all.
        vectors: send the published vectors; there are none for a core that is not AES.
        progress: called with blocks done and blocks in all.
        wave: a file for the values of all signals, as VCD: about 10 MB for a thousand cycles of a
            small core.
        optimize: see :class:`aesforge.simulate.Simulator`; None: by the blocks.
        rtl: source files in compile order instead of the package's own, to test changed RTL.
        command: what a user types for a check of this design, to be extended to the report's
            ``command``.

    Raises:
        UsageError: a waveform is asked for of a key expansion, or cannot be written.
        ToolMissing: something to simulate with is not installed.
        AesforgeError: the model does not compile.
    """
    from aesforge.simulate import Simulator

    if wave is not None:
        if design.is_key_expansion:
            raise UsageError(
                f"waveforms are of ciphers, and '{design.name}' is a key expansion: its bundle's "
                "bench writes one with +wave"
            )
        require_writable(wave)
    seed = chosen_seed(seed)
    vectors = vectors and design.is_standard
    report = CheckReport(
        design=design.name,
        summary=design.summary(),
        unit="keys" if design.is_key_expansion else "blocks",
        choices=design.choices(),
        seed=seed,
        command=repeat_command(
            command or f"aesforge check {design.name}",
            seed=seed,
            blocks=blocks,
            bubbles=bubbles,
            random_keys=random_keys,
            vectors=vectors or not design.is_standard,
        ),
        reference=(
            STANDARD_REFERENCE if design.is_standard else RESEARCH_REFERENCE.format(design.scheme)
        ),
        warning=design.warning,
        latency_cycles=design.latency_cycles,
        blocks_per_cycle=design.blocks_per_cycle,
    )
    optimize = chosen_optimize(optimize, blocks, vectors=vectors)
    with Simulator(design, optimize=optimize, wave=wave, seed=seed, rtl=rtl) as simulator:
        assert simulator.model is not None
        report.build_seconds = simulator.model.build_seconds
        kind: type[CoreRun] = KeyExpansionRun if design.is_key_expansion else CipherRun
        run = kind(design, simulator, report, progress or (lambda _done, _total: None))
        beats = -(-blocks // design.blocks_per_beat)
        run.expect(beats + (run.vector_count() if vectors else 0))
        try:
            if vectors:
                run.published_vectors()
            paused = beats // 2 if bubbles > 0 else 0
            run.random_traffic(beats - paused, 0.0, random_keys)
            run.random_traffic(paused, bubbles, random_keys)
            if isinstance(run, CipherRun):
                run.discarded_traffic()
        except CheckFailed as error:
            report.fault("simulation", error.message)
    return report

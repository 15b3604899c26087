# SPDX-License-Identifier: Apache-2.0
"""What is measured: a core or an engine of ours, or a foreign core's files with its ports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from aesforge.design import Design, argv_of
from aesforge.design.engine import Engine
from aesforge.errors import UsageError, nearest, one_of
from aesforge.measure.record import Subject
from aesforge.toolchain.rtl import hashed, needed_by

ROLES = ("clock", "block", "key", "result")
# Of a foreign core, for its simulation only.
HANDSHAKE = ("reset", "reset_n", "load", "ready", "start", "done")
HEADERS = (".vh", ".svh", ".h")
# What loads and keeps keys is no part of a core that gets a key with each block: when it changes,
# what was measured of such a core still holds.
KEY_STORES = ("aesforge_key_loader", "aesforge_key_store")


@dataclass(frozen=True)
class Target:
    """A core to measure.

    Args:
        name: the design's name, or the foreign core's top module.
        summary: the core in one line of words.
        files: SystemVerilog or Verilog sources, in the order in which they must be read.
        top: the module.
        parameters: of the top module.
        roles: port by role (`ROLES`); a core that keeps its keys has no `key`, a key expansion no
            `block`.
        ties: value by port, of inputs that stay constant in the harness.
        design: None for a foreign core; of an engine, its core.
        engine: None for a core.
        latency_cycles: None when not known.
        blocks_per_cycle: None when not known.
        command: the `aesforge measure` line's words up to the device.
        is_cipher: whether each bit of the result depends on a whole block; not so a part of one.
        handshake: port by role (`HANDSHAKE`), of a foreign core that is simulated.
    """

    name: str
    summary: str
    files: tuple[Path, ...]
    top: str
    parameters: Mapping[str, int]
    roles: Mapping[str, str]
    ties: Mapping[str, int] = field(default_factory=dict)
    design: Design | None = None
    latency_cycles: int | None = None
    blocks_per_cycle: float | None = None
    command: tuple[str, ...] = ()
    is_cipher: bool = True
    engine: Engine | None = None
    handshake: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, chosen: Design | Engine, command: tuple[str, ...] | None = None) -> Target:
        """Return the target that a core or an engine is.

        Args:
            chosen: what to measure.
            command: how the user named it; made from the choices when None.
        """
        return cls(
            name=chosen.name,
            summary=chosen.summary(),
            files=tuple(
                needed_by(
                    chosen.top,
                    scheme=chosen.core.research_scheme,
                    without=KEY_STORES if chosen.core.is_agile else (),
                )
            ),
            top=chosen.top,
            parameters=chosen.rtl_parameters(),
            roles=chosen.roles,
            design=chosen.core,
            engine=chosen if isinstance(chosen, Engine) else None,
            latency_cycles=chosen.latency_cycles,
            blocks_per_cycle=chosen.blocks_per_cycle,
            command=command if command is not None else argv_of(chosen),
        )

    @classmethod
    def of_rtl(
        cls,
        files: tuple[Path, ...],
        top: str,
        roles: Mapping[str, str],
        *,
        parameters: Mapping[str, int] | None = None,
        ties: Mapping[str, int] | None = None,
        latency_cycles: int | None = None,
        blocks_per_cycle: float | None = None,
        command: tuple[str, ...] | None = None,
        is_cipher: bool = True,
    ) -> Target:
        """Return the target that a foreign core is.

        Args:
            files: as of the target, like what follows.
            top: the module.
            roles: port by role, those of its handshake among them.
            parameters: of the module.
            ties: value by port.
            latency_cycles: None when not known.
            blocks_per_cycle: None when not known.
            command: how the user named it; made from all this when None.
            is_cipher: false for a part of one.

        Raises:
            UsageError: a file cannot be read, a role is unknown, or one is missing.
        """
        for path in files:
            try:
                path.read_bytes()
            except OSError as error:
                raise UsageError(f"cannot read '{path}': {error.strerror or error}") from error
        for role in roles:
            if role not in (*ROLES, *HANDSHAKE):
                raise UsageError(
                    f"there is no role '{role}' for a port{nearest(role, (*ROLES, *HANDSHAKE))}; "
                    f"allowed are {one_of(ROLES)}, and for --vectors {one_of(HANDSHAKE)}"
                )
        for role in ("clock", "block", "result"):
            if role not in roles:
                raise UsageError(
                    f"which port is the core's {role}? Say so with --ports, as in "
                    "--ports clock=clk,block=state,key=key,result=out"
                )
        return cls(
            name=top,
            summary=f"foreign core {top}, {len(files)} file{'s' if len(files) != 1 else ''}",
            files=tuple(path.absolute() for path in files),
            top=top,
            parameters=dict(parameters or {}),
            roles={role: port for role, port in roles.items() if role in ROLES},
            handshake={role: port for role, port in roles.items() if role in HANDSHAKE},
            ties=dict(ties or {}),
            latency_cycles=latency_cycles,
            blocks_per_cycle=blocks_per_cycle,
            command=command
            if command is not None
            else rtl_argv(
                files,
                top,
                roles,
                parameters=parameters,
                ties=ties,
                latency_cycles=latency_cycles,
                blocks_per_cycle=blocks_per_cycle,
                is_cipher=is_cipher,
            ),
            is_cipher=is_cipher,
        )

    @cached_property
    def digest(self) -> str:
        """Return a hash of all that makes the netlist: sources, parameters, roles and ties."""
        digest = hashed(self.files)
        rest = (self.top, dict(self.parameters), dict(self.roles), dict(self.ties))
        digest.update(json.dumps(rest, sort_keys=True).encode())
        return digest.hexdigest()[:32]

    def subject(self) -> Subject:
        """Return what a measurement says about the core."""
        return Subject(
            name=self.name,
            summary=self.summary,
            design=(
                None if self.design is None or self.engine is not None else self.design.choices()
            ),
            engine=None if self.engine is None else self.engine.choices(),
            rtl=self.digest,
            latency_cycles=self.latency_cycles,
            blocks_per_cycle=self.blocks_per_cycle,
        )


def rtl_argv(
    files: tuple[Path, ...],
    top: str,
    roles: Mapping[str, str],
    *,
    parameters: Mapping[str, int] | None = None,
    ties: Mapping[str, int] | None = None,
    latency_cycles: int | None = None,
    blocks_per_cycle: float | None = None,
    is_cipher: bool = True,
) -> tuple[str, ...]:
    """Return words for the command line that name a core by its files; arguments as of `of_rtl`."""
    argv = [argument for path in files for argument in ("--rtl", str(path))] + ["--top", top]
    argv += ["--ports", ",".join(f"{role}={port}" for role, port in roles.items())]
    for name, value in (parameters or {}).items():
        argv += ["--parameter", f"{name}={value}"]
    for name, value in (ties or {}).items():
        argv += ["--tie", f"{name}={value}"]
    if latency_cycles is not None:
        argv += ["--latency", str(latency_cycles)]
    if blocks_per_cycle is not None:
        argv += ["--interval", f"{1 / blocks_per_cycle:g}"]
    return tuple(argv if is_cipher else [*argv, "--part"])

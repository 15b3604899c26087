# SPDX-License-Identifier: Apache-2.0
"""The `aesforge` command: thin verbs over the library's public functions.

Data go to standard output, words for people to standard error. Exit status: 0 right, 1 the check
failed, 2 wrong usage or a missing tool, 130 interrupted, 143 terminated. Imports of anything heavy
stand inside the verbs, so that `--help` is instant.
"""

from __future__ import annotations

import errno
import os
from typing import Any

import click

from aesforge import __version__
from aesforge.cli import completion
from aesforge.cli.board import board
from aesforge.cli.build import build
from aesforge.cli.check import check
from aesforge.cli.crypt import crypt
from aesforge.cli.demo import demo
from aesforge.cli.describe import describe
from aesforge.cli.devices import devices
from aesforge.cli.doctor import doctor
from aesforge.cli.energy import energy
from aesforge.cli.explore import explore
from aesforge.cli.margin import margin
from aesforge.cli.measure import measure
from aesforge.cli.papers import papers
from aesforge.cli.presets import presets
from aesforge.cli.prove import prove
from aesforge.cli.report import report
from aesforge.cli.suggest import suggest
from aesforge.cli.trace import trace
from aesforge.errors import AesforgeError, nearest
from aesforge.toolchain import signals

TRACEBACK_VARIABLE = "AESFORGE_TRACEBACK"
COMPLETE_VARIABLE = "_AESFORGE_COMPLETE"


class Failure(click.ClickException):
    """An error shown as one message, without a traceback."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code: int = exit_code  # type: ignore[misc]

    def show(self, file: Any = None) -> None:
        """Print the message to standard error."""
        click.echo(f"aesforge: {self.message}", err=True)


class Verbs(click.Group):
    """A group that suggests the nearest verb and turns every error into one clear message."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that the first argument names."""
        verb = args[0]
        if self.get_command(ctx, verb) is None and not verb.startswith("-"):
            verbs = self.list_commands(ctx)
            raise click.UsageError(
                f"there is no command '{verb}'{nearest(verb, verbs)}\ncommands: {', '.join(verbs)}",
                ctx,
            )
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order in which one meets them."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb."""
        try:
            with signals.as_interrupts():
                return super().invoke(ctx)
        except AesforgeError as error:
            raise Failure(error.message, error.exit_code) from None
        except KeyboardInterrupt as interrupt:
            status = signals.exit_status(interrupt)
            raise Failure(signals.what_happened(interrupt), status) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of our output has gone: click ends quietly
                raise
            where = f": '{error.filename}'" if error.filename else ""
            raise Failure(f"{error.strerror or error}{where}", 2) from None
        except Exception as error:
            if os.environ.get(TRACEBACK_VARIABLE):
                raise
            raise Failure(
                f"internal error, {type(error).__name__}: {error}\nThis is a fault of aesforge: "
                f"please report it with what {TRACEBACK_VARIABLE}=1 makes the same command print",
                70,
            ) from None


if COMPLETE_VARIABLE in os.environ:  # a shell asks what it can complete
    completion.repair_bash()


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="aesforge", message="%(prog)s %(version)s")
def main() -> None:
    """Compose AES cores and stream engines in SystemVerilog, check them, send data through them.

    D is a design: the name of a preset (see `aesforge presets`) or a TOML file whose keys are the
    choices that `aesforge describe` lists. One with `modes` is an engine: a core with modes of
    operation with AXI4-Stream interfaces; any core becomes one with --set modes=ctr.
    """


for _verb in (
    *(presets, describe, build, check, trace, crypt, demo, doctor, prove, devices, measure, margin),
    *(energy, explore, suggest, report, papers, board),
):
    main.add_command(_verb)

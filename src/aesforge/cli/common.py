# SPDX-License-Identifier: Apache-2.0
"""Options and output that several verbs share. Heavy imports are inside the functions."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from aesforge.cli import completion

if TYPE_CHECKING:
    from aesforge.design import Design
    from aesforge.design.engine import Engine

Progress = Callable[[int, int], None]


class FileReport(Protocol):
    """What was done with a file."""

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""

    def text(self) -> str:
        """Return it for people."""


class Once(click.Option):
    """An option with one value that is refused when it is given twice."""

    def __init__(self, *args: Any, default: Any = None, **kwargs: Any) -> None:
        if default is not None:
            kwargs["help"] = f"{kwargs['help']}  [default: {default}]"
        kwargs["multiple"] = True
        super().__init__(*args, **kwargs)
        self._value_when_absent = default

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the one value, or the default."""
        values = super().process_value(ctx, value)
        if len(values) > 1:
            raise click.BadParameter(f"given {len(values)} times; give it once", ctx, self)
        return values[0] if values else self._value_when_absent


class Number(click.FloatRange):
    """A number in a range; not infinite, and not NaN, which is in every range for click."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        import math

        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


# At a million blocks per second, the fastest there is, 10^10 blocks take three hours.
MOST_BLOCKS = 10**10
# As many seconds as a year has, and a thousand terabytes: what timers and system calls take.
MOST_SECONDS = 365 * 24 * 3600
MOST_MEGABYTES = 10**9
# What nextpnr takes.
MOST_SEED = 2**31 - 1


def once(*names: str, **kwargs: Any) -> Callable[[Any], Any]:
    """Add an option that is refused when it is given twice; arguments are those of click."""
    return click.option(*names, cls=Once, **kwargs)


overrides_option = click.option(
    "--set",
    "overrides",
    metavar="KEY=VALUE",
    multiple=True,
    shell_complete=completion.overrides,
    help="Change a choice of the design, for example key_bits=256. May be repeated.",
)


def design_argument(function: Any) -> Any:
    """Add the argument D and its overrides to a verb."""
    argument = click.argument("design", metavar="D", shell_complete=completion.designs)
    return argument(overrides_option(function))


def key_options(function: Any) -> Any:
    """Add the options that bring a key, which `aesforge.crypt.keys.choose_key` reads."""
    function = once(
        "--key-file",
        metavar="FILE",
        help="Read the key, in hex, from FILE; - is standard input.",
    )(function)
    return once(
        "--key",
        metavar="HEX",
        help="The key in hex. Others may see it in the shell's history: prefer --key-file.",
    )(function)


def message_arguments(*, ciphers: Sequence[str], modes: str, iv: str) -> Callable[[Any], Any]:
    """Add the arguments IN and OUT, and the options that say what is done with a message.

    Args:
        ciphers: what `--mode` takes.
        modes: further help of `--mode`.
        iv: help of `--iv`.
    """

    def add(function: Any) -> Any:
        path = click.Path(path_type=Path)
        for option in (
            click.option(
                "--no-pad", is_flag=True, help="ecb, cbc: neither add nor remove padding."
            ),
            click.option("--decrypt", is_flag=True, help="Decrypt IN; otherwise encrypt it."),
            once("--iv", metavar="HEX", help=iv),
            key_options,
            once(
                "--mode",
                type=click.Choice(ciphers),
                required=True,
                help="ecb and cbc pad with PKCS#7 (see --no-pad), the others take any length; "
                + modes,
            ),
            click.argument("target", metavar="OUT", type=path),
            click.argument("source", metavar="IN", type=path),
        ):
            function = option(function)
        return function

    return add


def tag_options(function: Any) -> Any:
    """Add the options of modes with a tag."""
    function = once(
        "--tag-bits",
        type=click.IntRange(min=0),
        metavar="N",
        help="gcm, ccm, ocb: length of the tag, which ends the encrypted file.  [default: 128]",
    )(function)
    return once(
        "--aad",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="gcm, ccm, ocb: additional data that the tag is over, too.",
    )(function)


def unit_options(function: Any) -> Any:
    """Add the options of modes of data units."""
    function = once(
        "--sector",
        type=click.IntRange(min=0, max=2**128 - 1),
        metavar="N",
        help="xts: number of the first data unit; the others follow.  [default: 0]",
    )(function)
    return once(
        "--sector-size",
        type=click.IntRange(min=1),
        metavar="BYTES",
        help="xts: bytes of a data unit; the last may have fewer, 16 at least.  [default: 4096]",
    )(function)


def packet_option(text: str) -> Callable[[Any], Any]:
    """Add the option that sizes packets.

    Args:
        text: its help.
    """
    return once("--packet", type=click.IntRange(min=1), metavar="BYTES", help=text)


def work_on(source: Path, decrypt: bool) -> str:
    """Return the label of a progress bar for a file."""
    return f"{'decrypt' if decrypt else 'encrypt'} {source.name}"


def show_report(report: FileReport, as_json: bool) -> None:
    """Print what was done with a file: JSON on standard output, or text on standard error."""
    if as_json:
        print_json(report.as_dict())
    else:
        click.echo(report.text(), err=True)


def folder_options(function: Any) -> Any:
    """Add the options that name a folder to write, and let it hold other things."""
    function = click.option(
        "--force",
        is_flag=True,
        help="Write into DIR even when it holds other things, over files of the same names.",
    )(function)
    return once(
        *("-o", "--output"),
        metavar="DIR",
        required=True,
        type=click.Path(path_type=Path),
        help="The folder to write; made when it does not exist.",
    )(function)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def load_any(design: str, overrides: tuple[str, ...]) -> Design | Engine:
    """Return the core or the engine that an argument D and its overrides mean."""
    from aesforge.design import load_any

    return load_any(design, overrides)


def load_core(design: str, overrides: tuple[str, ...], verb: str) -> Design:
    """Return the core that an argument D and its overrides mean.

    Raises:
        UsageError: it is an engine, which this verb does not support.
    """
    from aesforge.design import load

    return load(design, overrides, f"`aesforge {verb}`")


def warn(design: Design | Engine) -> None:
    """Warn on standard error when a design is not AES."""
    if design.warning is not None:
        click.echo(f"aesforge: warning: {design.name}: {design.warning}", err=True)


def print_json(data: Any) -> None:
    """Print plain data on standard output."""
    import json

    click.echo(json.dumps(data, indent=2))


@contextlib.contextmanager
def progress_bar(
    label: str, unit: str, *, before: str = "prepare the model"
) -> Iterator[Progress | None]:
    """Return a function of work done and work in all that draws a bar, where someone can see it.

    Args:
        label: of the work.
        unit: of its amount.
        before: what is done before its first report: a model may be compiled, once per design.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Amount(ProgressColumn):
        def render(self, task: Task) -> Text:
            if task.total is None:
                return Text("")
            return Text(f"{task.completed:,.0f} of {task.total:,.0f} {unit}")

    columns = (TextColumn("{task.description}"), BarColumn(), Amount(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(before, total=None)

        def update(done: int, total: int) -> None:
            bar.update(task, description=label, completed=done, total=total)

        yield update


def database_option(function: Any) -> Any:
    """Add the option that names another database."""
    return once(
        "--database",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Keep results in FILE instead of the user's data folder.",
    )(function)


def key_value_pairs(name: str, texts: tuple[str, ...], *, numbers: bool) -> dict[str, Any]:
    """Read options of the form KEY=VALUE, several per option with commas."""
    from aesforge.errors import UsageError

    found: dict[str, Any] = {}
    for text in (part.strip() for whole in texts for part in whole.split(",")):
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            raise UsageError(f"{name} takes KEY=VALUE, not '{text}'")
        if key in found:
            raise UsageError(f"{name} names '{key}' twice")
        if numbers:
            try:
                found[key] = int(value, 0)
            except ValueError:
                raise UsageError(f"{name} {key}: '{value}' is not a whole number") from None
        else:
            found[key] = value
    return found

# SPDX-License-Identifier: Apache-2.0
"""The `aesforge` command: thin verbs over the library's public functions.

Data go to standard output, words for people to standard error. Exit status: 0 right, 1 the check
failed, 2 wrong usage or a missing tool, 130 interrupted. Imports of anything heavy stand inside
the verbs, so that `--help` is instant.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aesforge import __version__
from aesforge.errors import AesforgeError, nearest

if TYPE_CHECKING:
    from aesforge.design import Design

Progress = Callable[[int, int], None]

TRACEBACK_VARIABLE = "AESFORGE_TRACEBACK"


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
        """Give the verbs in the order in which one meets them."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb."""
        try:
            return super().invoke(ctx)
        except AesforgeError as error:
            raise Failure(error.message, error.exit_code) from None
        except KeyboardInterrupt:
            raise Failure("interrupted", 130) from None
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


class Once(click.Option):
    """An option with one value that is refused when it is given twice."""

    def __init__(self, *args: Any, default: Any = None, **kwargs: Any) -> None:
        if default is not None:
            kwargs["help"] = f"{kwargs['help']}  [default: {default}]"
        kwargs["multiple"] = True
        super().__init__(*args, **kwargs)
        self._value_when_absent = default

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Give the one value, or the default."""
        values = super().process_value(ctx, value)
        if len(values) > 1:
            raise click.BadParameter(f"it is given {len(values)} times; give it once", ctx, self)
        return values[0] if values else self._value_when_absent


def _once(*names: str, **kwargs: Any) -> Callable[[Any], Any]:
    return click.option(*names, cls=Once, **kwargs)


def _design_argument(function: Any) -> Any:
    """Add the argument D and its overrides to a verb."""
    function = click.option(
        "--set",
        "overrides",
        metavar="KEY=VALUE",
        multiple=True,
        help="Change a choice of the design, for example key_bits=256. May be repeated.",
    )(function)
    return click.argument("design", metavar="D")(function)


_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _load(design: str, overrides: tuple[str, ...]) -> Design:
    from aesforge.design import load

    return load(design, overrides)


def _print_json(data: Any) -> None:
    import json

    click.echo(json.dumps(data, indent=2))


@contextlib.contextmanager
def _progress(label: str, unit: str) -> Iterator[Progress | None]:
    """Give a function of work done and work in all that draws a bar, where someone can see it."""
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
        # Until the first report a model may be compiled, once for each design.
        task = bar.add_task("prepare the model", total=None)

        def update(done: int, total: int) -> None:
            bar.update(task, description=label, completed=done, total=total)

        yield update


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="aesforge", message="%(prog)s %(version)s")
def main() -> None:
    """Compose AES cores in SystemVerilog, check them, and send data through them.

    D is a design: the name of a preset (see `aesforge presets`) or a TOML file whose keys are the
    choices that `aesforge describe` lists.
    """


@main.command()
@_json_option
def presets(as_json: bool) -> None:
    """List the ready-made designs."""
    from aesforge.presets import PRESETS, SUMMARIES

    if as_json:
        from aesforge.describe import describe

        _print_json([describe(design).as_dict() for design in PRESETS.values()])
        return
    width = max(map(len, PRESETS))
    for name, design in PRESETS.items():
        click.echo(f"{name:{width}}  {SUMMARIES[name]}")
        click.echo(f"{'':{width}}  {design.summary()}")


@main.command()
@_design_argument
@_json_option
@click.option("--diagram/--no-diagram", default=True, help="Draw the core under the table.")
@_once("--svg", metavar="FILE", type=click.Path(path_type=Path), help="Draw the core to FILE.")
def describe(
    design: str, overrides: tuple[str, ...], as_json: bool, diagram: bool, svg: Path | None
) -> None:
    """Show a design's choices, times, sizes and a block diagram.

    Latency is counted from the cycle in which a block is accepted to the one in which it comes
    out; registers are counted bit by bit from the structure, before any tool optimises them.
    """
    from aesforge.describe import describe, diagram_svg, diagram_text, print_tables

    chosen = _load(design, overrides)
    description = describe(chosen)
    if svg is not None:
        svg.write_text(diagram_svg(chosen), encoding="utf-8", newline="\n")
        click.echo(f"wrote {svg}", err=True)
    if as_json:
        _print_json(description.as_dict())
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # an old terminal may lack the box characters
    print_tables(description)
    if diagram:
        click.echo()
        click.echo(diagram_text(chosen), nl=False)


@main.command()
@_design_argument
@_once(
    "-o",
    "--output",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder to write; made when it does not exist.",
)
@click.option("--force", is_flag=True, help="Replace DIR even when it holds other things.")
@_json_option
def build(
    design: str, overrides: tuple[str, ...], output: Path, force: bool, as_json: bool
) -> None:
    """Write a core as a bundle that drops into a project.

    The bundle holds the RTL with its file list in order, a wrapper with the design's parameters
    fixed, a self-checking test bench, a README with the ports and a worked vector, a FuseSoC
    .core file, and scripts for Yosys and Vivado.
    """
    from aesforge.bundle import build

    chosen = _load(design, overrides)
    paths = build(chosen, output, force=force)
    if as_json:
        _print_json(
            {"design": chosen.name, "directory": str(output), "files": list(map(str, paths))}
        )
        return
    click.echo(f"{chosen.name}: {chosen.summary()}", err=True)
    click.echo(f"wrote {len(paths)} files; start with {output / 'README.md'}", err=True)
    click.echo(str(output))


@main.command()
@_design_argument
@_once("--seed", type=click.IntRange(min=0), metavar="N", help="Replay the run of this seed.")
@_once(
    "--blocks",
    type=click.IntRange(min=0),
    default=1000,
    metavar="N",
    help="How many random blocks to send.",
)
@_once(
    "--bubbles",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.2,
    metavar="P",
    help="How often the input pauses, 0 (back to back) to below 1.",
)
@click.option(
    "--random-keys/--one-key",
    default=True,
    show_default=True,
    help="A new key with every block (a new slot, if keys are stored), or one for all.",
)
@click.option(
    "--vectors/--no-vectors",
    default=True,
    show_default=True,
    help="Send the published known-answer vectors too.",
)
@_json_option
def check(
    design: str,
    overrides: tuple[str, ...],
    seed: int | None,
    blocks: int,
    bubbles: float,
    random_keys: bool,
    vectors: bool,
    as_json: bool,
) -> None:
    """Simulate a core against the published vectors and OpenSSL.

    Every block that comes out is compared, and so is its latency. The seed is printed; --seed
    replays a run exactly. Exit status 1 when a block is wrong.
    """
    import shlex

    from aesforge.check import check

    chosen = _load(design, overrides)
    sets = (word for override in overrides for word in ("--set", override))
    command = shlex.join(["aesforge", "check", design, *sets])
    with _progress(f"check {chosen.name}", "blocks") as progress:
        report = check(
            chosen,
            seed=seed,
            blocks=blocks,
            bubbles=bubbles,
            random_keys=random_keys,
            vectors=vectors,
            progress=progress,
            command=command,
        )
    if as_json:
        _print_json(report.as_dict())
    else:
        click.echo(report.text())
    if not report.passed:
        sys.exit(1)


@main.command()
@_design_argument
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@_once(
    "--mode",
    type=click.Choice(["ecb", "ctr"]),
    required=True,
    help="ecb pads with PKCS#7 (see --no-pad); ctr takes any length and needs --iv.",
)
@_once(
    "--key",
    metavar="HEX",
    help="The key in hex. Others may see it in the shell's history: prefer --key-file.",
)
@_once("--key-file", metavar="FILE", help="Read the key, in hex, from FILE; - is standard input.")
@_once("--iv", metavar="HEX", help="The first counter block in hex, 16 bytes (ctr only).")
@click.option("--decrypt", is_flag=True, help="Decrypt IN; otherwise encrypt it.")
@click.option("--no-pad", is_flag=True, help="ecb: neither add nor remove padding.")
@_json_option
def crypt(
    design: str,
    overrides: tuple[str, ...],
    source: Path,
    target: Path,
    mode: str,
    key: str | None,
    key_file: str | None,
    iv: str | None,
    decrypt: bool,
    no_pad: bool,
    as_json: bool,
) -> None:
    """Encrypt or decrypt a file through the simulated core.

    IN is streamed in large batches, whatever its size; OUT appears whole or not at all. ctr uses
    the cipher's forward direction both ways. This shows a core at work on real data: for secrecy
    use a reviewed program, and never ecb.
    """
    from aesforge.crypt import crypt_file
    from aesforge.keys import choose_key, parse_iv

    chosen = _load(design, overrides)
    key_bytes = choose_key(key, key_file, chosen.key_bits)
    iv_bytes = parse_iv(iv) if iv is not None else None
    with _progress(f"{'decrypt' if decrypt else 'encrypt'} {source.name}", "bytes") as progress:
        report = crypt_file(
            chosen,
            source,
            target,
            mode="ctr" if mode == "ctr" else "ecb",
            key=key_bytes,
            iv=iv_bytes,
            decrypt=decrypt,
            pad=not no_pad,
            progress=progress,
        )
    if as_json:
        _print_json(report.as_dict())
    else:
        click.echo(report.text(), err=True)


def _database_option(function: Any) -> Any:
    return _once(
        "--database",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Keep results in FILE instead of the user's data folder.",
    )(function)


def _pairs(name: str, texts: tuple[str, ...], *, numbers: bool) -> dict[str, Any]:
    """Read options of the form KEY=VALUE, of which several may stand in one, with commas."""
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


@main.command()
@click.argument("design", metavar="[D]", required=False)
@click.option(
    "--set",
    "overrides",
    metavar="KEY=VALUE",
    multiple=True,
    help="Change a choice of the design, for example key_bits=256. May be repeated.",
)
@_once("--device", metavar="DEV", help="Part and speed grade; `aesforge devices` lists them.")
@_once(
    "--seeds",
    type=click.IntRange(1, 99),
    metavar="N",
    help="Place with the seeds 1 to N; the clock is the median.  [default: 3]",
)
@click.option(
    "--seed",
    "chosen_seeds",
    type=click.IntRange(min=0),
    multiple=True,
    help="Place with this seed.",
)
@_once("--recipe", metavar="NAME", help="A synthesis recipe of the family.")
@click.option("--synthesis-only", is_flag=True, help="Area and depth only; no clock.")
@_once("--jobs", type=click.IntRange(min=1), metavar="N", help="Placements at a time.")
@click.option("--force", is_flag=True, help="Measure again what is known.")
@_database_option
@click.option(
    "--rtl",
    metavar="FILE",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Measure a foreign core instead: a source, in order; may be repeated.",
)
@_once("--top", metavar="MODULE", help="The foreign core's module.")
@click.option(
    "--ports",
    metavar="ROLE=PORT,...",
    multiple=True,
    help="The foreign core's ports: clock, block, key and result.",
)
@click.option("--tie", "ties", metavar="PORT=VALUE", multiple=True, help="Keep an input constant.")
@click.option(
    "--parameter", "parameters", metavar="NAME=VALUE", multiple=True, help="Of the foreign core."
)
@_once(
    "--latency", type=click.IntRange(min=0), metavar="CYCLES", help="The foreign core's latency."
)
@_once(
    "--interval",
    type=click.FloatRange(0, min_open=True),
    metavar="CYCLES",
    help="Cycles from block to block in the foreign core.",
)
@_json_option
def measure(
    design: str | None,
    overrides: tuple[str, ...],
    device: str | None,
    seeds: int | None,
    chosen_seeds: tuple[int, ...],
    recipe: str | None,
    synthesis_only: bool,
    jobs: int | None,
    force: bool,
    database: Path | None,
    rtl: tuple[Path, ...],
    top: str | None,
    ports: tuple[str, ...],
    ties: tuple[str, ...],
    parameters: tuple[str, ...],
    latency: int | None,
    interval: float | None,
    as_json: bool,
) -> None:
    """Place and route a core on a device: LUTs, flip-flops, legal clock, throughput.

    The core sits in a harness of shift registers, so that pins limit nothing. The clock is given as
    the tool reports it and clipped to what the data sheet allows. Results are kept: what is known
    is not measured again, and an interrupted run goes on where it stopped.

    A foreign core is measured alike: --rtl core.v --top core --ports
    clock=clk,block=state,key=key,result=out
    """
    from aesforge import devices
    from aesforge.errors import UsageError
    from aesforge.measure import SEEDS, Database, Target, estimate
    from aesforge.measure import measure as place_and_route

    if device is None:
        raise UsageError(
            f"on which device? Say so with --device\ndevices: {', '.join(devices.devices())}"
        )
    part = devices.device(device)
    foreign_only = {
        "--top": top,
        "--ports": ports,
        "--tie": ties,
        "--parameter": parameters,
        "--latency": latency,
        "--interval": interval,
    }
    if rtl:
        if design is not None or overrides:
            raise UsageError("name a design D or a foreign core with --rtl, not both")
        if top is None:
            raise UsageError("which module is the foreign core? Say so with --top")
        words = [word for path in rtl for word in ("--rtl", str(path))] + ["--top", top]
        for option, texts in (("--ports", ports), ("--parameter", parameters), ("--tie", ties)):
            words += [word for text in texts for word in (option, text)]
        if latency is not None:
            words += ["--latency", str(latency)]
        if interval is not None:
            words += ["--interval", f"{interval:g}"]
        target = Target.of_rtl(
            rtl,
            top,
            _pairs("--ports", ports, numbers=False),
            parameters=_pairs("--parameter", parameters, numbers=True),
            ties=_pairs("--tie", ties, numbers=True),
            latency_cycles=latency,
            blocks_per_cycle=None if interval is None else 1 / interval,
            command=tuple(words),
        )
    else:
        for option, value in foreign_only.items():
            if value:
                raise UsageError(f"{option} is for a foreign core: it goes with --rtl")
        if design is None:
            raise UsageError("name a design D (see `aesforge presets`), or a foreign core: --rtl")
        target = Target.of_design(_load(design, overrides))
    if seeds is not None and chosen_seeds:
        raise UsageError("--seeds N and --seed S exclude each other: how many, or which")
    if synthesis_only and (seeds is not None or chosen_seeds):
        raise UsageError("--synthesis-only places nothing: leave --seeds and --seed out")
    numbers = chosen_seeds or (tuple(range(1, seeds + 1)) if seeds else SEEDS)

    def say(text: str) -> None:
        click.echo(text, err=True)

    common: dict[str, Any] = {
        "recipe": recipe,
        "database": Database(database),
        "force": force,
        "say": say,
    }
    if synthesis_only:
        result = estimate(target, part, **common)
    else:
        result = place_and_route(target, part, seeds=numbers, parallel=jobs, **common)
    if as_json:
        _print_json(result.as_dict())
        return
    from aesforge.measure.show import print_measurement

    print_measurement(result)


@main.command("devices")
@_json_option
def list_devices(as_json: bool) -> None:
    """List the devices a core can be measured on, with their legal clocks."""
    import msgspec

    from aesforge.devices import devices

    if as_json:
        _print_json([{"name": name, **msgspec.to_builtins(d)} for name, d in devices().items()])
        return
    width = max(map(len, devices()))
    for name, one in devices().items():
        room = one.part.capacity
        caps = ", ".join(
            f"{cap.what} {cap.mhz:g} MHz{'' if cap.verified else ' (not verified)'}"
            for cap in one.grade.caps
        )
        flow = "" if one.part.flow == "place" else "synthesis only; "
        click.echo(
            f"{name:{width}}  {one.part.vendor}; {flow}{room.luts:,} LUT{one.part.lut_inputs}, "
            f"{room.block_ram:,} block RAM; {caps or 'no legal cap known'}"
        )


@main.command()
@_json_option
def doctor(as_json: bool) -> None:
    """Say what is installed, what is missing, and how to get it.

    Exit status 2 when something is missing that the main job needs.
    """
    import dataclasses

    from aesforge.doctor import doctor

    findings = doctor()
    if as_json:
        _print_json([dataclasses.asdict(finding) for finding in findings])
    else:
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            mark = "ok" if finding.ok else "MISSING" if not finding.optional else "absent"
            click.echo(f"{mark:8}{finding.name:{width}}  {finding.found}")
            if not finding.ok:
                optional = " (optional)" if finding.optional else ""
                click.echo(f"{'':{width + 10}}needed{optional}: {finding.needed}")
                click.echo(f"{'':{width + 10}}get it: {finding.how_to_get}")
    if any(not finding.ok and not finding.optional for finding in findings):
        sys.exit(2)


def _register() -> None:
    """Add the verbs that have modules of their own."""
    from aesforge.report.command import report

    main.add_command(report)


_register()

# SPDX-License-Identifier: Apache-2.0
"""The `aesforge` command: thin verbs over the library's public functions.

Data go to standard output, words for people to standard error. Exit status: 0 right, 1 the check
failed, 2 wrong usage or a missing tool, 130 interrupted. Imports of anything heavy stand inside
the verbs, so that `--help` is instant.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aesforge import __version__
from aesforge.cli.common import (
    design_argument,
    json_option,
    load_any,
    once,
    overrides_option,
    print_json,
    progress_bar,
    warn,
)
from aesforge.design.modes import CIPHERS
from aesforge.errors import AesforgeError, nearest
from aesforge.toolchain.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aesforge.design import Design
    from aesforge.design.engine import Engine

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
        """Return the verbs in the order in which one meets them."""
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


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="aesforge", message="%(prog)s %(version)s")
def main() -> None:
    """Compose AES cores and stream engines in SystemVerilog, check them, send data through them.

    D is a design: the name of a preset (see `aesforge presets`) or a TOML file whose keys are the
    choices that `aesforge describe` lists. One with `modes` is an engine: a core with modes of
    operation with AXI4-Stream interfaces; any core becomes one with --set modes=ctr.
    """


@main.command()
@json_option
def presets(as_json: bool) -> None:
    """List the ready-made designs: our own, engines, then the systems of each paper."""
    from aesforge.design.presets import (
        ENGINE_SUMMARIES,
        ENGINES,
        GROUP_OF,
        GROUPS,
        PRESETS,
        SUMMARIES,
    )

    if as_json:
        from aesforge.describe import describe

        every: list[Design | Engine] = [*PRESETS.values(), *ENGINES.values()]
        print_json([describe(one).as_dict() for one in every])
        return

    def show(title: str, found: Mapping[str, Design | Engine], words: Mapping[str, str]) -> None:
        click.echo(f"{title}:")
        for name, one in found.items():
            click.echo(f"  {name}: {words[name]}")
            click.echo(f"    {one.summary()}")

    for group in GROUPS:
        cores = {name: one for name, one in PRESETS.items() if GROUP_OF[name] == group}
        show(group, cores, SUMMARIES)
        if group == GROUPS[0]:
            show(
                "engines, cores with modes of operation with AXI4-Stream interfaces",
                ENGINES,
                ENGINE_SUMMARIES,
            )


@main.command()
@design_argument
@json_option
@click.option("--diagram/--no-diagram", default=True, help="Draw the core under the table.")
@once("--svg", metavar="FILE", type=click.Path(path_type=Path), help="Draw the core to FILE.")
def describe(
    design: str, overrides: tuple[str, ...], as_json: bool, diagram: bool, svg: Path | None
) -> None:
    """Show a design's choices, times, sizes and a block diagram.

    Of an engine too; its core by itself shows more. Latency is counted from the cycle in which a
    block, or a beat, is accepted to the one in which it comes out; registers are counted bit by
    bit from the structure, before any tool optimises them.
    """
    from aesforge.describe import describe, diagram_svg, diagram_text

    chosen = load_any(design, overrides)
    description = describe(chosen)
    if svg is not None:
        write_whole(svg, diagram_svg(chosen))
        click.echo(f"wrote {svg}", err=True)
    if as_json:
        print_json(description.as_dict())
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # an old terminal may lack the box characters
    description.print_tables()
    if diagram:
        click.echo()
        click.echo(diagram_text(chosen), nl=False)


@main.command()
@design_argument
@once(
    "-o",
    "--output",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder to write; made when it does not exist.",
)
@click.option("--force", is_flag=True, help="Replace DIR even when it holds other things.")
@json_option
def build(
    design: str, overrides: tuple[str, ...], output: Path, force: bool, as_json: bool
) -> None:
    """Write a core or an engine as a bundle that drops into a project.

    The bundle holds the RTL with its file list in order, a wrapper with the design's parameters
    fixed, a self-checking test bench, a README with the ports and a worked vector, a FuseSoC
    .core file, and scripts for Yosys and Vivado. The wrapper of an engine has AXI4-Stream ports.
    """
    from aesforge.bundle import build

    chosen = load_any(design, overrides)
    paths = build(chosen, output, force=force)
    warn(chosen)
    if as_json:
        print_json(
            {"design": chosen.name, "directory": str(output), "files": list(map(str, paths))}
        )
        return
    click.echo(f"{chosen.name}: {chosen.summary()}", err=True)
    click.echo(f"wrote {len(paths)} files; start with {output / 'README.md'}", err=True)
    click.echo(str(output))


@main.command()
@click.argument("design", metavar="[D]", required=False)
@overrides_option
@once("--seed", type=click.IntRange(min=0), metavar="N", help="Replay the run of this seed.")
@once(
    "--replay",
    metavar="CERT",
    type=click.Path(path_type=Path),
    help="Repeat the counterexample that `prove -o CERT` wrote, on the core that it is about.",
)
@once(
    "--blocks",
    type=click.IntRange(min=0),
    default=1000,
    metavar="N",
    help="How many random blocks to send.",
)
@once(
    "--bubbles",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.2,
    metavar="P",
    help="How often the input pauses, 0 (back to back) to below 1; both sides of an engine.",
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
@json_option
def check(
    design: str | None,
    overrides: tuple[str, ...],
    seed: int | None,
    replay: Path | None,
    blocks: int,
    bubbles: float,
    random_keys: bool,
    vectors: bool,
    as_json: bool,
) -> None:
    """Simulate a core or an engine against the published vectors and OpenSSL.

    An engine gets packets, some of them wrong in each way that it has to flag. A core that is not
    AES (a research scheme) is compared with aesforge's own model instead. Every block that comes
    out is compared, and so is its latency. The seed is printed; --seed replays a run exactly. Exit
    status 1 when a block is wrong, with --replay when the counterexample's is.
    """
    import shlex

    from aesforge.errors import UsageError

    if replay is not None:
        if design or overrides:
            raise UsageError("--replay CERT takes the design from the certificate: name no other")
        from aesforge.prove.replay import replay_file

        found = replay_file(replay)
        if as_json:
            print_json(found.as_dict())
        else:
            click.echo(found.text())
        if found.reproduced:
            sys.exit(1)
        return
    if design is None:
        raise UsageError("name a design D (see `aesforge presets`), or --replay CERT")

    from aesforge.check import check

    chosen = load_any(design, overrides)
    sets = (word for override in overrides for word in ("--set", override))
    with progress_bar(f"check {chosen.name}", "blocks") as progress:
        report = check(
            chosen,
            seed=seed,
            blocks=blocks,
            bubbles=bubbles,
            random_keys=random_keys,
            vectors=vectors,
            progress=progress,
            command=shlex.join(["aesforge", "check", design, *sets]),
        )
    if as_json:
        print_json(report.as_dict())
    else:
        click.echo(report.text())
    if not report.passed:
        sys.exit(1)


@main.command()
@design_argument
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@once(
    "--mode",
    type=click.Choice(CIPHERS),
    required=True,
    help="ecb and cbc pad with PKCS#7 (see --no-pad), the others take any length; all but ecb need "
    "--iv. A core does ecb and ctr, an engine what it has.",
)
@once(
    "--key",
    metavar="HEX",
    help="The key in hex. Others may see it in the shell's history: prefer --key-file.",
)
@once("--key-file", metavar="FILE", help="Read the key, in hex, from FILE; - is standard input.")
@once("--iv", metavar="HEX", help="The IV in hex, 16 bytes; for ctr, the first counter block.")
@click.option("--decrypt", is_flag=True, help="Decrypt IN; otherwise encrypt it.")
@click.option("--no-pad", is_flag=True, help="ecb, cbc: neither add nor remove padding.")
@once(
    "--packet",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="Engines: bytes of a packet, whole beats.  [default: 4096, or as near below]",
)
@once(
    "--stall",
    type=click.FloatRange(0, 1, max_open=True),
    metavar="P",
    help="Engines: how often either side waits, 0 to below 1.  [default: 0]",
)
@once("--seed", type=click.IntRange(min=0), metavar="N", help="Engines: of --stall.  [default: 1]")
@json_option
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
    packet: int | None,
    stall: float | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Encrypt or decrypt a file through the simulated core or engine.

    IN is streamed in large batches, whatever its size; OUT appears whole or not at all. An engine
    gets it as packets over its simulated bus, which carry one message on, and what comes out must
    equal OpenSSL's. ctr uses the cipher's forward direction both ways. This shows a core at work
    on real data: for secrecy use a reviewed program, and never ecb.
    """
    from aesforge.crypt import crypt_file, refuse_bad_options
    from aesforge.crypt.keys import choose_key, parse_iv

    chosen = load_any(design, overrides)
    warn(chosen)
    packet_options = {"--packet": packet, "--stall": stall, "--seed": seed}
    refuse_bad_options(chosen, mode, decrypt, packet_options)  # before a key is asked for
    key_bytes = choose_key(key, key_file, chosen.key_bits)
    with progress_bar(f"{'decrypt' if decrypt else 'encrypt'} {source.name}", "bytes") as progress:
        report = crypt_file(
            chosen,
            source,
            target,
            mode=mode,
            key=key_bytes,
            iv=parse_iv(iv) if iv is not None else None,
            decrypt=decrypt,
            pad=not no_pad,
            packet_bytes=packet,
            stall=stall,
            seed=seed,
            progress=progress,
        )
    if as_json:
        print_json(report.as_dict())
    else:
        click.echo(report.text(), err=True)


@main.command()
@json_option
def doctor(as_json: bool) -> None:
    """Say what is installed, what is missing, and how to get it.

    Exit status 2 when something is missing that the main job needs.
    """
    import dataclasses

    from aesforge.toolchain.doctor import doctor

    findings = doctor()
    if as_json:
        print_json([dataclasses.asdict(finding) for finding in findings])
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
    from aesforge.cli.explore import explore, suggest
    from aesforge.cli.margin import margin
    from aesforge.cli.measure import list_devices, measure
    from aesforge.cli.papers import papers
    from aesforge.cli.prove import prove
    from aesforge.cli.report import report

    for verb in (prove, list_devices, measure, margin, explore, suggest, report, papers):
        main.add_command(verb)


_register()

# SPDX-License-Identifier: Apache-2.0
"""Write docs/cli.md, the reference of the command line, from `--help`.

    python scripts/cli_reference.py [--check]

`--check` writes nothing and fails when the page is out of date; the tests ask for that.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from aesforge.cli.main import main

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"

# One use of each command that works as it stands.
EXAMPLES = {
    "presets": "aesforge presets",
    "describe": "aesforge describe line-rate --set key_bits=256 --svg line-rate.svg",
    "build": "aesforge build compact -o build/compact",
    "check": "aesforge check balanced --set direction=decrypt --blocks 10000 --seed 1",
    "trace": "aesforge trace compact --key 2b7e151628aed2a6abf7158809cf4f3c "
    "--block 3243f6a8885a308d313198a2e0370734 --vcd block.vcd",
    "crypt": "aesforge crypt balanced letter.txt letter.aes --mode ctr --key-file - "
    "--iv 000102030405060708090a0b0c0d0e0f",
    "demo": "aesforge demo --picture photo.jpg -o build/photo",
    "doctor": "aesforge doctor",
    "prove": "aesforge prove compact --family ecp5 -o compact-ecp5.json",
    "devices": "aesforge devices",
    "measure": "aesforge measure compact --device HX8K --seeds 3",
    "margin": "aesforge margin compact --device LFE5U-25F-6 --blocks 640 -o build/margin",
    "energy": "aesforge energy compact --device LFE5U-85F-8 --against liu2014-original",
    "explore": "aesforge explore spaces/quick.toml",
    "suggest": "aesforge suggest --device LFE5U-85F-8 --throughput 40",
    "report": "aesforge report -o report.html --csv table.csv --plots figures",
    "papers": "aesforge papers saggese2003",
    "board": "aesforge board ulx3s -o build/ulx3s",
    "board list": "aesforge board list",
    "board build": "aesforge board build icebreaker --design compact -o build/icebreaker",
    "board run": "aesforge board run /dev/ttyUSB0 letter.txt letter.aes --mode ctr "
    "--key-file key.hex --iv 000102030405060708090a0b0c0d0e0f",
}

INTRODUCTION = """\
<!-- Written by scripts/cli_reference.py from --help: change the help texts, not this page. -->
# Command line

Data go to standard output, words for people to standard error; `--json` gives data for programs.

| exit status | meaning |
|---|---|
| 0 | right |
| 1 | the check ran, and the core is wrong, or not proved; or no core meets the constraints |
| 2 | wrong usage, or a tool is missing; nothing was written |
| 130 | interrupted; nothing half-written is left |
| 143, 129 | ended by SIGTERM or SIGHUP, in the same way |

A design `D` is a preset's name or a TOML file whose keys are the choices, for example:

```toml
name = "mine"
key_bits = 256
unroll = 2
key_schedule = "stored"
```

## Shell completion

The shell completes verbs, options, presets, `--set` choices and their values, devices, families,
recipes, spaces and papers, once one of these lines is in its start-up file. The command `aesforge`
must be on PATH.

```text
eval "$(_AESFORGE_COMPLETE=bash_source aesforge)"    # bash 4.4 or newer: ~/.bashrc
eval "$(_AESFORGE_COMPLETE=zsh_source aesforge)"     # zsh: ~/.zshrc, after compinit
_AESFORGE_COMPLETE=fish_source aesforge | source     # fish: ~/.config/fish/config.fish
```
"""


def help_text(command: click.Command, *names: str) -> str:
    """Return what `--help` prints, 88 columns wide on every terminal."""
    settings = {"terminal_width": 88, "max_content_width": 88, **main.context_settings}
    context: click.Context | None = None
    for name in names[:-1]:
        context = click.Context(main, info_name=name, parent=context)
    with click.Context(command, info_name=names[-1], parent=context, **settings) as inner:
        return command.get_help(inner)


def _commands(group: click.Group) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield each command with its names, those within a group after it."""
    for name, command in group.commands.items():
        yield (name,), command
        if isinstance(command, click.Group):
            yield from (((name, *names), inner) for names, inner in _commands(command))


def page() -> str:
    """Return the whole page."""
    parts = [INTRODUCTION, f"## aesforge\n\n```text\n{help_text(main, 'aesforge')}\n```\n"]
    for names, command in _commands(main):
        name = " ".join(names)
        # A group alone does nothing.
        group = isinstance(command, click.Group) and name not in EXAMPLES
        example = "" if group else f"```sh\n{EXAMPLES[name]}\n```\n\n"
        parts.append(
            f"## aesforge {name}\n\n{example}"
            f"```text\n{help_text(command, 'aesforge', *names)}\n```\n"
        )
    return "\n".join(parts)


def run(check: bool) -> int:
    """Write the page, or only compare it, and give the exit status."""
    new = page()
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == new:
        return 0
    if check:
        print("docs/cli.md is out of date: run `make docs`", file=sys.stderr)
        return 1
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(new, encoding="utf-8")
    print("wrote docs/cli.md", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(run("--check" in sys.argv[1:]))

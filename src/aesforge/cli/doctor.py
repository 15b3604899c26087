# SPDX-License-Identifier: Apache-2.0
"""The verb `doctor`: a thin call of `aesforge.toolchain.doctor`."""

from __future__ import annotations

import sys

import click

from aesforge.cli.common import json_option, print_json


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """List what is installed, what is missing, and how to get it.

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

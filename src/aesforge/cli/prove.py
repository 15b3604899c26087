# SPDX-License-Identifier: Apache-2.0
"""The verb `prove`."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aesforge.cli import completion
from aesforge.cli.common import (
    MOST_MEGABYTES,
    MOST_SECONDS,
    Number,
    json_option,
    load_core,
    once,
    overrides_option,
    print_json,
)
from aesforge.toolchain.files import require_writable

if TYPE_CHECKING:
    from aesforge.design import Design, Engine


@click.command()
@click.argument("design", metavar="[D]", required=False, shell_complete=completion.cores)
@overrides_option
@once(
    "--family",
    metavar="FAMILY",
    shell_complete=completion.families,
    help="Prove the netlist for this family instead of the RTL.",
)
@once(
    "--recipe",
    metavar="NAME",
    shell_complete=completion.recipes,
    help="The synthesis recipe of the netlist.",
)
@once(
    "--route",
    metavar="ROUTE",
    help="recognize (default): S-boxes are recognized, then algebra, then ABC; "
    "abc: ABC alone, on the core as it is.",
)
@once(
    "--inverse-of",
    metavar="D",
    shell_complete=completion.cores,
    help="Prove that this core inverts the other: decrypt(encrypt(x, k), k) = x.",
)
@once(
    "-o",
    "--output",
    metavar="CERT",
    type=click.Path(path_type=Path),
    help="Write a certificate, a JSON file.",
)
@once(
    "--evidence",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write what formal/check_evidence.py checks; needs -o.",
)
@once(
    "--verify",
    metavar="CERT",
    type=click.Path(path_type=Path),
    help="Run the proof of a certificate again.",
)
@once(
    "--bitstream",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Read an iCE40, ECP5, Gowin or GateMate bitstream back, and compare it with --routed.",
)
@once(
    "--routed",
    metavar="JSON",
    type=click.Path(path_type=Path),
    help="The routed netlist that nextpnr wrote with --write.",
)
@once(
    "--netlist",
    metavar="JSON",
    type=click.Path(path_type=Path),
    help="The netlist that nextpnr was given with --json; with D, that of D is taken.",
)
@once(
    "--implement",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Place, route and pack D for --device; write the files to DIR, and check them.",
)
@once(
    "--device",
    metavar="DEV",
    shell_complete=completion.devices,
    help="The device of --routed and --implement.",
)
@once(
    "--timeout",
    type=Number(0, MOST_SECONDS, min_open=True),
    default=3600.0,
    metavar="S",
    help="Time limit, in seconds.",
)
@once(
    "--megabytes",
    type=click.IntRange(100, MOST_MEGABYTES),
    default=8000,
    metavar="MB",
    help="Memory limit for one call of the checker.",
)
@json_option
def prove(
    design: str | None,
    overrides: tuple[str, ...],
    family: str | None,
    recipe: str | None,
    route: str | None,
    inverse_of: str | None,
    output: Path | None,
    evidence: Path | None,
    verify: Path | None,
    bitstream: Path | None,
    routed: Path | None,
    netlist: Path | None,
    implement: Path | None,
    device: str | None,
    timeout: float,
    megabytes: int,
    as_json: bool,
) -> None:
    """Prove that a core computes FIPS 197, for every key and every block; or an engine its mode.

    The RTL, or the netlist that `measure` would place, is compared with the standard, written as
    a circuit. A research scheme is not AES and is refused. Exit status 1: not proved; a wrong
    block comes with a counterexample that a simulation from a reset repeats. 2: undecided.
    docs/proof.md states the exact claim and the assumptions.

    D may be an engine of ecb, ctr, cbc-decrypt and cfb-decrypt, or an interleaved one of
    cbc-encrypt, cfb, ofb, cfb8, cbc-mac and cmac: then its core is proved, and its mode around
    it, for packets of any length and any stalls. Of one of ccm, gcm, ocb
    or xts the core and some modules of the mode are proved, not how they are connected.

    --bitstream FILE --routed JSON --device DEV, without a design, compares a bitstream with the
    routed netlist that it was made of, cell by cell and wire by wire. Exit status 1: they differ.

    --routed JSON --netlist JSON --device DEV proves that the routed netlist equals the netlist
    that nextpnr was given. With D, the netlist must be the harness of `measure` around the core
    that `prove D --family` proves, which is proved too. --bitstream FILE may be added to both.
    D --implement DIR --device DEV makes all three files first.
    """
    from aesforge import prove as proofs
    from aesforge.design import load_any
    from aesforge.devices import FAMILIES
    from aesforge.errors import UsageError, nearest, one_of
    from aesforge.prove.certificate import RECOGNIZE
    from aesforge.prove.run import require_route

    def say(text: str) -> None:
        click.echo(text, err=True)

    if any(one is not None for one in (bitstream, routed, netlist, implement, device)):
        if family or inverse_of or output or evidence or verify:
            raise UsageError(
                "--bitstream, --routed, --netlist and --implement go with --device: --family is "
                "the device's, and there is no -o, --evidence, --verify or --inverse-of"
            )
        if design is None:
            if implement is not None:
                raise UsageError("--implement DIR goes with a design D")
            if overrides or recipe or route:
                raise UsageError("--set, --recipe and --route go with a design D")
            if netlist is None:
                _compare_bitstream(bitstream, routed, device, as_json)
                return
        if implement is not None and (bitstream or routed or netlist):
            raise UsageError(
                "--implement DIR makes what --bitstream, --routed and --netlist name: leave these "
                "out"
            )
        if device is None or (routed is None and implement is None):
            raise UsageError(
                "name --device DEV, and --routed JSON, which nextpnr writes with --write; with a "
                "design, --implement DIR makes it"
            )
        _follow_chain(
            None if design is None else load_core(design, overrides, "prove --routed"),
            device,
            implement,
            as_json,
            netlist=netlist,
            routed=routed,
            bitstream=bitstream,
            recipe=recipe,
            route=route or RECOGNIZE,
            seconds=timeout,
            megabytes=megabytes,
            say=say,
        )
        return
    if verify is not None:
        if design or overrides or family or recipe or route or output or evidence or inverse_of:
            raise UsageError("--verify CERT takes everything from the certificate: name no more")
        proof = proofs.verify(verify, say=say)
    else:
        if design is None:
            raise UsageError("name a design D (see `aesforge presets`), or --verify CERT")
        if family is not None and family not in FAMILIES:
            raise UsageError(
                f"there is no family '{family}'{nearest(family, FAMILIES)} ({one_of(FAMILIES)})"
            )
        if output is not None:
            require_writable(output)
        if recipe is not None and family is None:
            raise UsageError("--recipe goes with --family: RTL has no recipe")

        chosen_route = route or RECOGNIZE
        require_route(chosen_route)
        for option, given in (("--evidence", evidence), ("--inverse-of", inverse_of)):
            if given is not None and chosen_route != RECOGNIZE:
                raise UsageError(
                    f"{option} takes --route {RECOGNIZE} only: it is about recognized S-boxes and "
                    "algebra"
                )

        def proved(one: Design | Engine) -> proofs.Proof:
            return proofs.prove_any(
                one,
                family=family,
                recipe=recipe,
                route=chosen_route,
                seconds=timeout,
                timeout=timeout,
                megabytes=megabytes,
                say=say,
            )

        if evidence is not None:
            from aesforge.prove.evidence import require_covered

            if output is None or inverse_of is not None:
                raise UsageError("--evidence DIR goes with -o CERT, and is for one core")
            core = load_core(design, overrides, "prove --evidence")
            require_covered(core)
        if inverse_of is not None:
            from aesforge.prove.properties.inverse import prove_inverse

            if output is not None:
                raise UsageError(
                    "a certificate is for one core: -o does not combine with --inverse-of"
                )
            chosen = load_core(design, overrides, "prove --inverse-of")
            other = chosen if inverse_of == design else load_core(inverse_of, overrides, "prove")
            chain = prove_inverse(chosen, other, proved, seconds=timeout, megabytes=megabytes)
            if as_json:
                print_json(chain.as_dict())
            else:
                click.echo(chain.text())
            if chain.result != "proved":
                sys.exit(1 if chain.result == "not proved" else 2)
            return
        proof = proved(load_any(design, overrides))
    if output is not None:
        proof.write(output)
    if evidence is not None and proof.result == "proved":
        from aesforge.prove.evidence import write

        say("writing the evidence")
        write(core, evidence, family=family, recipe=recipe)
    if as_json:
        print_json(proof.as_dict())
    else:
        click.echo(proof.text())
    if proof.result != "proved":
        sys.exit(1 if proof.result == "not proved" else 2)


def _compare_bitstream(
    bitstream: Path | None, routed: Path | None, device: str | None, as_json: bool
) -> None:
    from aesforge import devices
    from aesforge.errors import UsageError
    from aesforge.prove.bitstream import compare_files

    if bitstream is None or routed is None or device is None:
        raise UsageError(
            "name all three: --bitstream FILE, --routed JSON (which nextpnr writes with --write) "
            "and --device DEV"
        )
    found = compare_files(bitstream, routed, devices.device(device))
    if as_json:
        print_json(found.as_dict())
    else:
        click.echo(found.text())
    if not found.same:
        sys.exit(1)


def _follow_chain(
    design: Design | None, device: str, folder: Path | None, as_json: bool, **options: Any
) -> None:
    from aesforge import devices
    from aesforge.prove.implementation import follow, make
    from aesforge.prove.run import require_route

    require_route(options["route"])
    chosen = devices.device(device)
    if folder is not None:
        assert design is not None  # refused before
        made = make(design, chosen, folder, recipe=options["recipe"], say=options["say"])
        options |= dataclasses.asdict(made)
    found = follow(device=chosen, design=design, **options)
    if as_json:
        print_json(found.as_dict())
    else:
        click.echo(found.text())
    if found.result != "equal":
        sys.exit(1 if found.result == "different" else 2)

# SPDX-License-Identifier: Apache-2.0
"""The page of the Python API, made of signatures and docstrings; `scripts/docs.py` writes it."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from typing import Any

INTRODUCTION = """\
<!-- Written by scripts/docs.py from the docstrings: change these, not this page. -->
# Python API

What the verbs of the command line call: arguments, results and errors. Another small program is in
[`examples/from_python`](../examples/from_python/README.md). Errors that are meant for users derive
from [`AesforgeError`](#aesforgeerror); all other exceptions are faults of aesforge.

```python
from aesforge.bundle import build
from aesforge.check import check
from aesforge.design import load_any

design = load_any("compact", {"key_bits": 256, "name": "aes256"})
assert check(design, seed=1).passed
build(design, "aes256")
```
"""

# Heading, what it is for, module, and the names that it has, in the order of reading.
SECTIONS: tuple[tuple[str, str, tuple[tuple[str, tuple[str, ...]], ...]], ...] = (
    (
        "Designs",
        "A design is a set of choices, an engine a design with modes. Both refuse what cannot be "
        "built when they are made.",
        (
            ("aesforge.design", ("load_any", "load", "Design", "Engine", "why_illegal", "argv_of")),
            ("aesforge.describe", ("describe", "diagram_text", "diagram_svg")),
            ("aesforge.bundle", ("build", "render")),
        ),
    ),
    (
        "Simulation",
        "Designs are compiled by Verilator at their first use, and kept.",
        (
            ("aesforge.check", ("check",)),
            ("aesforge.check.report", ("Report",)),
            ("aesforge.trace", ("trace_block", "Trace", "Value")),
            ("aesforge.crypt", ("crypt_file",)),
            ("aesforge.simulate", ("Simulator", "SimResult", "op_dtype", "row_dtype")),
            ("aesforge.simulate.stream", ("StreamSimulator",)),
            ("aesforge.simulate.uart", ("UartSimulator", "UartModule")),
        ),
    ),
    (
        "Reference model",
        "FIPS 197 function by function.",
        (("aesforge.reference", ("cipher", "inv_cipher", "eq_inv_cipher", "key_expansion")),),
    ),
    (
        "Measurements",
        "Synthesis, placement and routing by open tools.",
        (
            ("aesforge.devices", ("device", "devices", "Device", "Part", "Capacity", "Cap")),
            ("aesforge.measure", ("Target", "measure", "estimate", "Database")),
            ("aesforge.measure.record", ("Measurement", "Subject", "Clock", "Provenance")),
            ("aesforge.energy.run", ("energy",)),
            ("aesforge.report.collect", ("collect",)),
            ("aesforge.report.page", ("render",)),
            ("aesforge.report.export", ("as_csv", "as_json")),
        ),
    ),
    (
        "Boards",
        "[Bitstreams](boards/building.md), and the [UART service](boards/uart.md) from the host.",
        (
            ("aesforge.board.data", ("boards", "board", "Board")),
            ("aesforge.board.build", ("project", "build", "Built")),
            ("aesforge.board.host", ("open_line", "Device")),
            ("aesforge.board.frames", ("Identity",)),
            ("aesforge.board.run", ("run_file", "BoardReport")),
        ),
    ),
    (
        "Exploration",
        "Many designs on many devices.",
        (
            ("aesforge.explore", ("read_space", "Space", "explore", "Exploration", "Point")),
            ("aesforge.explore.suggest", ("suggest", "Suggestion")),
        ),
    ),
    (
        "Proof",
        "[What is proved, and what is assumed](proof.md).",
        (
            ("aesforge.prove", ("prove", "verify", "Proof")),
            ("aesforge.prove.properties.inverse", ("prove_inverse",)),
        ),
    ),
    (
        "Errors",
        "Each has a message for people, and an exit status for programs.",
        (
            (
                "aesforge.errors",
                (
                    *("AesforgeError", "UsageError", "ToolMissing", "ToolFailed", "DoesNotFit"),
                    *("CheckFailed", "NotAuthentic"),
                ),
            ),
        ),
    ),
)


def page() -> str:
    """Return the whole page."""
    parts = [INTRODUCTION]
    for heading, says, modules in SECTIONS:
        parts.append(f"## {heading}\n\n{says}\n")
        for name, members in modules:
            module = importlib.import_module(name)
            parts += [_entry(name, member, getattr(module, member)) for member in members]
    return "\n".join(parts)


def _entry(module: str, name: str, member: Any) -> str:
    lines = [f"### {name}", "", "```python", f"from {module} import {name}", ""]
    lines += [_signature(name, member), "```", "", *_prose(member)]
    if inspect.isclass(member):
        rows = [f"- `{call}`: {says}" for call, says in _attributes(member)]
        if rows:
            lines += ["Methods and properties:", "", *rows, ""]
    return "\n".join(lines)


def _signature(name: str, member: Any) -> str:
    """Return a call with the types of its arguments, an argument on each line where it is long."""
    if inspect.isclass(member) and issubclass(member, BaseException):
        return f"class {name}({member.__mro__[1].__name__})"
    signature = inspect.signature(member)
    result = signature.return_annotation
    arguments = [
        one.replace(default=_Shown(one.default)) if one.default is not one.empty else one
        for one in signature.parameters.values()
    ]
    start = f"class {name}" if inspect.isclass(member) else f"def {name}"
    end = "" if inspect.isclass(member) or result is signature.empty else f" -> {_type(result)}"
    texts = []
    star = False
    for one in arguments:
        if one.kind is one.KEYWORD_ONLY and not star:
            star = True
            texts.append("*")
        kind = f": {_type(one.annotation)}" if one.annotation is not one.empty else ""
        default = "" if one.default is one.empty else f" = {one.default!r}"
        texts.append(f"{one.name}{kind}{default}")
    line = f"{start}({', '.join(texts)}){end}"
    if len(line) <= 88:
        return line
    return "\n".join([f"{start}(", *(f"    {text}," for text in texts), f"){end}"])


class _Shown:
    """A default as the source has it, as far as that can be told: no address in memory."""

    def __init__(self, value: Any) -> None:
        text = repr(value)
        self.text = "..." if re.search(r" at 0x|<factory>", text) or len(text) > 40 else text

    def __repr__(self) -> str:
        return self.text


def _type(annotation: Any) -> str:
    if isinstance(annotation, str):
        return annotation
    return getattr(annotation, "__name__", None) or str(annotation)


def _prose(member: Any) -> Iterator[str]:
    """Yield a docstring as Markdown: text, then a list for each of its sections."""
    text = inspect.cleandoc(member.__doc__ or "")
    parts = re.split(r"^(Args|Returns|Raises|Yields):\n", text, flags=re.M)
    yield _inline(parts[0].strip())
    yield ""
    for head, body in zip(parts[1::2], parts[2::2], strict=True):
        # What follows a section without being indented is text again.
        inside, _, rest = re.sub(r"\n+(?=\S)", "\0", body, count=1).partition("\0")
        items = textwrap.dedent(inside).strip()
        yield f"{head}:"
        yield ""
        if head == "Returns":
            yield f"- {_inline(' '.join(items.split()))}"
        else:
            for item in re.split(r"\n(?=\S)", items):
                name, _, says = item.partition(":")
                yield f"- `{name}`: {_inline(' '.join(says.split()))}"
        yield ""
        if rest:
            yield _inline(rest.strip())
            yield ""


def _inline(text: str) -> str:
    """Return text with code as Markdown has it."""
    text = re.sub(r":\w+:`(?:~?[\w.]*\.)?(\w+)`", r"`\1`", text)
    text = text.replace("``", "`")
    # Indented examples become blocks.
    return re.sub(
        r"\n\n((?:    [^\n]*\n?|\n(?=    ))+)",
        lambda found: f"\n\n```python\n{textwrap.dedent(found[1]).rstrip()}\n```\n",
        text,
    )


def _attributes(member: type) -> Iterator[tuple[str, str]]:
    """Yield the public methods and properties of a class, and the first sentence of each."""
    # Those of a data class' bases belong to it, too; not those of other packages.
    bases = [one for one in member.__mro__ if one.__module__.startswith("aesforge.")]
    seen = set()
    for base in bases:
        for name, value in vars(base).items():
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            function = getattr(value, "__func__", value)
            if isinstance(value, property | cached_property):
                call = name
                doc = value.__doc__
            elif inspect.isfunction(function):
                kind = f"{member.__name__}." if isinstance(value, classmethod) else ""
                call = f"{kind}{name}({', '.join(_names(function))})"
                doc = function.__doc__
            else:
                continue
            first = inspect.cleandoc(doc or "").partition("\n\n")[0]
            yield call, _inline(" ".join(first.split()))


def _names(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]

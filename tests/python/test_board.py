# SPDX-License-Identifier: Apache-2.0
"""The boards' data, what is written from it, and what is refused; no tool is called."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from aesforge.board import build as board_build
from aesforge.board.applications import APPLICATIONS, Sizes
from aesforge.board.data import Board, board, boards, boards_dir, read_board
from aesforge.board.files import Project
from aesforge.board.parameters import uart_divider
from aesforge.board.pll import Setting, setting_below, settings
from aesforge.board.signature import KEY_SEED, PLAINTEXT_SEED, pairs, signature, times_alpha
from aesforge.cli.main import main
from aesforge.design import Design, load, load_any
from aesforge.design.engine import Engine
from aesforge.errors import AesforgeError, DoesNotFit, ToolFailed, UsageError
from aesforge.netlist.cells import Netlist
from aesforge.toolchain import programs

SMALL = Sizes(pass_bits=2, passes=3)


def project_on(name: str, design: str | None = None, **more: Any) -> Project:
    """Return the self-test of a board, with a short pass."""
    one = board(name)
    more = {"sizes": SMALL, "reference": one.reference, **more}
    chosen = load_any(design, ()) if design else board_build.default_design(one)
    return board_build.project(one, chosen, **more)


# --- Data


@pytest.mark.parametrize("name", boards())
def test_every_pin_has_a_source(name: str) -> None:
    one = boards()[name]
    sites = [pin.site for pin in one.pins.values()]
    assert len(set(sites)) == len(sites), "two ports on one pin"
    assert {"clk_in"} <= one.pins.keys()
    for port, pin in one.pins.items():
        assert pin.source in one.sources, port
    assert one.pll.source in one.sources
    for text in one.sources.values():
        # A repository, a file and its commit, or a document with its number.
        assert re.search(r"commit [0-9a-f]{8,40}|wheel|data sheet|DS\d|UG\d", text), text
    used = {one.pll.source, *(pin.source for pin in one.pins.values())}
    assert used <= one.sources.keys() <= used | {"boards", "note"}
    assert one.load[0] in ("-b", "-c")
    assert "boards" in one.sources, "the loader's options have a source, too"


@pytest.mark.parametrize("name", boards())
def test_a_board_has_its_device_and_package(name: str) -> None:
    one = boards()[name]
    assert one.on.part.flow == "place"
    # Part and grade as in the device; the package is the board's.
    package = [*one.on.options]
    if "--package" in package:
        package[package.index("--package") + 1] = one.package
    if one.on.family == "gowin":
        # nextpnr has GW2A-18 and the revision C of it.
        assert one.place[-1].removesuffix("C") == package[-1].removesuffix("C")
        assert one.package in one.place[1]
    else:
        assert one.place == package


def test_a_board_is_one_file(tmp_path: Path) -> None:
    text = (boards_dir() / "ulx3s.toml").read_text(encoding="utf-8")
    mine = tmp_path / "mine.toml"
    mine.write_text(text.replace('"G2"', '"H4"'), encoding="utf-8")
    one = board(str(mine))
    assert (one.name, one.clock.pin.site) == ("mine", "H4")
    mine.write_text(text.replace('source = "ecppll"', 'source = "hearsay"'), encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine\.toml: no source is called hearsay"):
        board(str(mine))
    mine.write_text(text.replace("LFE5U-85F-6", "LFE5U-85F-9"), encoding="utf-8")
    with pytest.raises(UsageError, match="there is no device"):
        board(str(mine))
    mine.write_text(text + "colour = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="colour"):
        board(str(mine))
    with pytest.raises(UsageError, match="cannot read"):
        board(str(tmp_path / "not.toml"))


def test_an_unknown_board_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no board 'ulx4s'; did you mean 'ulx3s'\?\nboards: "):
        board("ulx4s")
    assert board("ULX3S").name == "ulx3s"


# --- PLL


@pytest.mark.parametrize("name", boards())
def test_clocks_of_a_pll_are_within_its_limits(name: str) -> None:
    one = boards()[name]
    every = settings(one)
    assert [s.mhz for s in every] == sorted({s.mhz for s in every})
    low, high = one.pll.output_mhz
    assert low <= every[0].mhz <= every[-1].mhz <= high
    assert setting_below(one, one.start_mhz).mhz == pytest.approx(one.start_mhz, rel=0.05)
    for setting in every:
        mhz, vco, reference = by_parameters(one, setting)
        assert mhz == pytest.approx(setting.mhz, rel=1e-9)
        if vco:
            assert one.pll.vco_mhz[0] <= vco <= one.pll.vco_mhz[1], setting
        assert one.pll.reference_mhz[0] <= reference <= one.pll.reference_mhz[1], setting
    with pytest.raises(UsageError, match=r"makes no clock as slow as 0\.5 MHz: the slowest is"):
        setting_below(one, 0.5)


def by_parameters(one: Board, setting: Setting) -> tuple[float, float, float]:
    """Return clock, VCO (0: the tool's affair) and phase detector by the primitive's parameters."""
    into, v = one.clock.mhz, setting.values
    if one.pll.cell == "EHXPLLL":
        reference = into / int(v["reference"])
        mhz = reference * int(v["feedback"])
        return mhz, mhz * int(v["output"]), reference
    if one.pll.cell.startswith("SB_PLL40"):
        reference = into / (int(v["divr"]) + 1)
        vco = reference * (int(v["divf"]) + 1)
        return vco / 2 ** int(v["divq"]), vco, reference
    if one.pll.cell == "rPLL":
        reference = into / (int(v["idiv"]) + 1)
        mhz = reference * (int(v["fbdiv"]) + 1)
        return mhz, mhz * int(v["odiv"]), reference
    return float(v["output"]), 0.0, into


# --- What an application has on a board


def test_an_application_has_a_design_and_a_clock_of_its_own() -> None:
    one = board("hx8k")
    assert isinstance(board_build.default_design(one), Design)
    service = board_build.default_design(one, "uart")
    assert isinstance(service, Engine)
    assert service.modes == ("ecb",)
    assert board_build.project(one, service, "uart").setting.mhz == pytest.approx(48.0)
    assert project_on("hx8k").setting.mhz == pytest.approx(56.25)
    more = board_build.default_design(one, "uart", ["depth=16"])
    assert isinstance(more, Engine)
    assert more.depth == 16, "what is asked for comes after the board's choices"


def test_a_board_without_a_service_of_its_own_has_the_common_one() -> None:
    one = board("ulx3s")
    assert one.service.text == "compact-stream"
    service = board_build.default_design(one, "uart")
    # The clock is the board's.
    assert board_build.project(one, service, "uart").setting.mhz == pytest.approx(66.6667, rel=1e-4)


@pytest.mark.parametrize(
    ("mhz", "baud", "value"), [(25.0, 115200, 217), (66.6667, 115200, 579), (1.0, 1_000_000, 4)]
)
def test_the_divider_of_a_uart(mhz: float, baud: int, value: int) -> None:
    assert uart_divider(mhz, baud)[:3] == ("int unsigned", "Divider", str(value))


# --- What the self-test has to find


def test_the_first_block_is_fips_197s() -> None:
    from aesforge.reference.openssl import ecb

    for bits, text in (
        (128, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        (192, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (256, "8ea2b7ca516745bfeafc49904b496089"),
    ):
        key, block = next(pairs(bits))
        assert (key, int.from_bytes(block, "big")) == (KEY_SEED[: bits // 8], PLAINTEXT_SEED)
        assert ecb(key, block).hex() == text, "FIPS 197 Appendix C"


def test_keys_and_blocks_of_a_pass_differ() -> None:
    for bits in (128, 256):
        found = list(islice(pairs(bits), 1 << 10))
        assert len({key for key, _ in found}) == len({block for _, block in found}) == 1 << 10


def test_the_signature_depends_on_every_block_and_on_their_order() -> None:
    from aesforge.reference.openssl import ecb

    blocks = [int.from_bytes(ecb(key, block), "big") for key, block in islice(pairs(128), 4)]

    def fold(numbers: list[int]) -> int:
        found = 0
        for number in numbers:
            found = times_alpha(found, 128) ^ number
        return found

    assert signature(128, 2) == fold(blocks)
    assert fold(blocks[::-1]) != fold(blocks)
    assert all(
        fold([*blocks[:i], blocks[i] ^ 1, *blocks[i + 1 :]]) != fold(blocks) for i in range(4)
    )


# --- Files


@pytest.mark.parametrize("name", boards())
def test_constraints_name_the_tops_ports(name: str) -> None:
    files = project_on(name).files
    one = boards()[name]
    header = files["rtl/top.sv"].partition(");\n")[0]
    ports: set[str] = set()
    for width, port in re.findall(r"(?:input|output)\s+logic (?:\[(\d+):0\] )?(\w+)", header):
        ports |= {f"{port}[{i}]" for i in range(int(width) + 1)} if width else {port}
    (constraints,) = [text for path, text in files.items() if path.startswith("constraints.")]
    patterns = {
        "ecp5": r'LOCATE COMP "([^"]+)" SITE "(\w+)";',
        "ice40": r"set_io (?:-\w+ \w+ )*([\w\[\]]+) (\w+)",
        "gowin": r'IO_LOC "([^"]+)" (\w+);',
        "gatemate": r'Net "([^"]+)" Loc = "(\w+)"',
    }
    found = dict(re.findall(patterns[one.on.family], constraints))
    assert found.keys() == ports
    assert found == {port: one.pins[port].site for port in ports}


@pytest.mark.parametrize("name", boards())
def test_a_folder_is_whole_and_the_same_each_time(name: str) -> None:
    files = project_on(name).files
    assert files == project_on(name).files
    for path in files["files.f"].split():
        assert path in files
    script = files["build.sh"]
    assert "--timing-allow-fail" not in script, "the script fails where the clock is not met"
    for path in re.findall(r"constraints\.\w+|clock\.sdc|yosys\.ys", script):
        assert path in files
    manifest = dict(line.split("  ")[::-1] for line in files["MANIFEST"].splitlines())
    assert manifest.keys() == files.keys() - {"MANIFEST"}
    for path, digest in manifest.items():
        assert hashlib.sha256(files[path].encode()).hexdigest() == digest
    assert "Nothing here ran on silicon" in files["README.md"]
    assert (
        files["sim/pll.sv"].count("module pll (") == files["rtl/pll.v"].count("module pll (") == 1
    )


def test_active_low_pins_are_inverted() -> None:
    one = board("ulx3s")
    assert one.button is not None
    low = msgspec.structs.replace(one.leds[1].pin, low=True)
    changed = msgspec.structs.replace(
        one,
        leds=[one.leds[0], msgspec.structs.replace(one.leds[1], pin=low)],
        button=msgspec.structs.replace(one.button, pin=low),
    )
    top = dataclasses.replace(project_on("ulx3s"), board=changed).files["rtl/top.sv"]
    assert "assign led = lit[1:0] ^ 2'b10;" in top
    assert ".button(!button)" in top
    assert ".button(button)" in project_on("ulx3s").files["rtl/top.sv"]


def test_a_core_of_both_directions_needs_no_other() -> None:
    one = project_on("icebreaker")
    assert [core.name for core in one.cores.all] == ["self-test-both"]
    assert ".in_decrypt(decrypt_valid)" in one.files["rtl/application.sv"]
    with pytest.raises(UsageError, match="is of direction both and decrypts itself"):
        project_on("icebreaker", reference="compact")


def test_a_slower_reference_takes_a_part_of_the_blocks() -> None:
    found = project_on("ulx3s", "balanced", small=True).cores
    assert (found.decrypt is not None, found.sample_bits) == (True, 4)  # 10 cycles a block
    assert project_on("ulx3s", "balanced").cores.sample_bits == 0
    assert project_on("ulx3s", "compact", reference="balanced").cores.sample_bits == 0
    assert (
        ".SampleBits(4)" in project_on("ulx3s", "balanced", small=True).files["rtl/application.sv"]
    )


# --- Refusals


@pytest.mark.parametrize(
    ("design", "why"),
    [
        ("ctr-stream", "an engine; name its core"),
        ("kiran-looped", "no AES cipher"),
        ("liu2014-two-stage-liu2014", "no AES cipher"),
        ("liu2014-two-stage-decrypt", "of direction decrypt"),
        ("saggese2003-unrolled-stored", "a core with stored keys"),
        ("liu2014-two-pipelines", "a core that takes 2 blocks at once"),
    ],
)
def test_what_the_self_test_cannot_drive_is_refused(design: str, why: str) -> None:
    with pytest.raises(UsageError, match=f"the self-test cannot use {design}: it is {why}"):
        project_on("ulx3s", design)


def test_a_board_without_a_pin_is_refused() -> None:
    one = msgspec.structs.replace(board("ulx3s"), uart=None)
    with pytest.raises(UsageError, match=r"lacks what the application selftest needs: txd \(its"):
        board_build.project(one, load("compact"), sizes=SMALL)


def test_an_unknown_application_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no application 'selftst'; did you mean 'selftest'\?"):
        project_on("ulx3s", application="selftst")
    assert "selftest" in APPLICATIONS


def test_a_clock_is_read_from_the_report_of_a_placement() -> None:
    report = {"fmax": {"a": {"achieved": 90.5, "constraint": 80.0},
                       "b": {"achieved": 300.0, "constraint": 25.0}}}  # fmt: skip
    assert board_build.clock_of(report, 80.0) == 90.5
    with pytest.raises(AesforgeError, match="has no clock of 50 MHz: a 80 MHz, b 25 MHz"):
        board_build.clock_of(report, 50.0)


LOG = """\
Info: Device utilisation:
Info: \t         ICESTORM_LC:    6153/   5280   116%
Info: \t        ICESTORM_RAM:      30/     30   100%
Info: \t               SB_IO:       8/     96     8%
ERROR: Unable to place cell 'u_top', no BELs remaining to implement cell type 'ICESTORM_LC'
"""


def test_a_part_that_placement_fills_over_is_too_small(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The look-up tables fit, and so do the flip-flops; the cells with one of each do not."""
    assert board_build.over_full(LOG) == ["6,153 ICESTORM_LC of 5,280 (1.2 times)"]
    assert board_build.over_full(LOG.replace("6153", "5280")) == []

    def failing(log: str) -> Any:
        def call(program: str, arguments: list[str], folder: Path, path: Path) -> None:
            path.write_text(log, encoding="utf-8")
            if program.startswith("nextpnr"):
                raise ToolFailed(f"{program} failed")

        return call

    monkeypatch.setattr("aesforge.board.build.read_module", lambda *_: None)
    monkeypatch.setattr(Netlist, "__init__", lambda *_: None)
    area: Any = type("Area", (), {"luts": 1, "ff": 2, "block_ram": 3})
    monkeypatch.setattr(Netlist, "area", lambda *_: area)
    one = board("icebreaker")
    first = board_build.project(one, load_any("compact-stream", ()), "uart")
    why = r"compact-stream does not fit on .*iCEBreaker.* it needs 6,153 ICESTORM_LC of 5,280 \("
    monkeypatch.setattr(programs, "run", failing(LOG))
    with pytest.raises(DoesNotFit, match=why):
        board_build.build(first, tmp_path / "out")
    monkeypatch.setattr(programs, "run", failing("ERROR: no such option\n"))
    with pytest.raises(ToolFailed, match="nextpnr-ice40 failed"):
        board_build.build(first, tmp_path / "other")


class FakeTools:
    """Placements that reach clocks given beforehand; nothing is called."""

    def __init__(self, reached: list[float]) -> None:
        self.reached, self.asked = iter(reached), []  # type: ignore[var-annotated]

    def place(self, work: Any, one: Project) -> Any:
        work.count += 1
        self.asked.append(one.setting.mhz)
        area: Any = type("Area", (), {"luts": 1, "ff": 2, "block_ram": 3})
        if not (reached := next(self.reached)):
            raise ToolFailed("nextpnr-ecp5 failed: exit status 1\nthe log")
        return board_build._Placed(one, reached, area, Path())


@pytest.mark.parametrize(
    ("reached", "asked", "best"),
    [
        # Met at once, and the next clock is not worth another placement.
        ([67.9], [66.6667], 66.6667),
        # Not met: the next one below what was reached.
        ([60.0, 61.0], [66.6667, 60.0], 60.0),
        # Could be faster, and is.
        ([90.0, 90.5], [66.6667, 90.0], 90.0),
        # Could be faster, and is not: it falls back to a clock between.
        ([90.0, 80.0, 80.1], [66.6667, 90.0, 80.0], 80.0),
        # What is faster is never met.
        ([70.0, 60.0], [66.6667, 70.0], 66.6667),
        # A tool fails (0) at a higher clock.
        ([90.0, 0], [66.6667, 90.0], 66.6667),
    ],
)  # fmt: skip
def test_the_search_for_the_highest_clock(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reached: list[float], asked: list[float],
    best: float,
) -> None:  # fmt: skip
    fake = FakeTools(reached)
    monkeypatch.setattr(board_build._Work, "place", lambda self, one: fake.place(self, one))
    monkeypatch.setattr(board_build._Work, "pack", lambda self, placed: b"bits")
    built = board_build.build(project_on("ulx3s"), tmp_path / "out")
    assert fake.asked == pytest.approx(asked, rel=1e-4)
    assert built.project.setting.mhz == pytest.approx(best, rel=1e-4)
    assert (tmp_path / "out" / "build" / "ulx3s.bit").read_bytes() == b"bits"
    top = (tmp_path / "out" / "rtl" / "top.sv").read_text(encoding="utf-8")
    assert f"Its clock is {built.project.setting.mhz:g} MHz" in top


def test_a_tool_that_fails_before_a_clock_is_met_ends_the_build(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = FakeTools([60.0, 0])
    monkeypatch.setattr(board_build._Work, "place", lambda self, one: fake.place(self, one))
    with pytest.raises(ToolFailed, match="nextpnr-ecp5 failed"):
        board_build.build(project_on("ulx3s"), tmp_path / "out")


# --- The command line


def run(*arguments: object) -> Any:
    return CliRunner().invoke(main, ["board", *map(str, arguments)])


def test_boards_are_listed() -> None:
    done = run()
    assert done.exit_code == 0
    assert all(name in done.output for name in boards())
    assert run("list").output == done.output
    listed = msgspec.json.decode(run("list", "--json").output)
    assert [one["name"] for one in listed] == list(boards())


def test_sources_are_written_without_a_tool(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for arguments in (("ulx3s",), ("build", "ulx3s")):
        done = run(*arguments, "--sources-only", "-o", out)
        assert done.exit_code == 0, done.output
    assert (out / "rtl" / "top.sv").is_file()
    assert not (out / "build").exists()


def test_other_things_in_the_folder_stay(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    done = run("ulx3s", "--sources-only", "-o", tmp_path)
    assert done.exit_code == 2
    assert "is not empty and holds no earlier bundle" in done.output
    assert run("ulx3s", "--sources-only", "--force", "-o", tmp_path).exit_code == 0
    assert (tmp_path / "thesis.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("ulx3", "-o", "x"), "there is no board 'ulx3'; did you mean 'ulx3s'?"),
        (("ulx3s",), "Missing option '-o'"),
        (("ulx3s", "-o", "x", "--mhz", "nan"), "is not a number"),
        (("ulx3s", "-o", "x", "--mhz", "1"), "makes no clock as slow as 1 MHz"),
        (("ulx3s", "-o", "x", "--app", "pong"), "there is no application 'pong'"),
        (("ulx3s", "-o", "x", "--design", "compakt"), "did you mean 'compact'?"),
    ],
)
def test_bad_arguments_are_refused(
    arguments: tuple[str, ...], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    assert text in done.output
    assert not list(tmp_path.iterdir())


def test_a_missed_clock_is_exit_status_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeTools([60.0])
    monkeypatch.setattr(board_build._Work, "place", lambda self, one: fake.place(self, one))
    done = run("ulx3s", "--mhz", 80, "-o", tmp_path / "out")
    assert done.exit_code == 1
    assert "the clock of 80 MHz is not met; placement reaches 60.00 MHz" in done.output


def test_what_does_not_fit_takes_the_smaller_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeTools([67.0])

    def place(work: Any, one: Project) -> Any:
        if not one.cores.sample_bits:
            raise DoesNotFit("both do not fit: 40,000 look-up tables of 24,288 (1.6 times)")
        return fake.place(work, one)

    monkeypatch.setattr(board_build._Work, "place", place)
    monkeypatch.setattr(board_build._Work, "pack", lambda self, placed: b"bits")
    done = run("ulx3s", "--design", "balanced", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "(1.6 times)\nso the smaller reference is taken" in done.output
    done = run("ulx3s", "--design", "balanced", "--reference", "balanced", "-o", tmp_path / "two")
    assert done.exit_code == 2, "a reference that was asked for is not replaced"


def test_read_board_wants_every_field(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('title = "x"\n', encoding="utf-8")
    with pytest.raises(msgspec.ValidationError):
        read_board(path)

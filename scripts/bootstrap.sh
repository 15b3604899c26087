#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the virtual environment that every `make` target runs in: checks the few system tools, installs
# what is missing where it may (root on Debian or Ubuntu), then the pinned packages and aesforge itself.
#
#   sh scripts/bootstrap.sh [VENV]      VENV is a directory, ".venv" when not given
#
# PYTHON names another interpreter; pip's own settings (mirrors, proxies, wheel directories) are honoured.
set -eu

venv=${1:-.venv}
cd "$(dirname "$0")/.."
min_python="3.11"

say() { printf '%s\n' "$*" >&2; }
die() { say "setup: $*"; exit 2; }
have() { command -v "$1" >/dev/null 2>&1; }

can_apt() { have apt-get && [ "$(id -u)" = 0 ]; }

# apt_install PACKAGE...: quiet on success; the log is shown when it fails.
apt_updated=no
apt_install() {
  say "setup: installing $* with apt-get"
  log=$(mktemp)
  if [ "$apt_updated" = no ]; then
    apt-get update >"$log" 2>&1 || { tail -n 5 "$log" >&2; say "setup: 'apt-get update' failed, going on"; }
    apt_updated=yes
  fi
  if DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >"$log" 2>&1; then
    rm -f "$log"
  else
    tail -n 15 "$log" >&2
    rm -f "$log"
    return 1
  fi
}

# need COMMAND DEBIAN_PACKAGE WHAT_FOR FEDORA_PACKAGE: the command exists when this returns.
need() {
  have "$1" && return
  if can_apt && apt_install "$2" && have "$1"; then return; fi
  die "'$1' is missing ($3). Install it, then run the same command again:
  Debian, Ubuntu:  sudo apt-get install $2
  Fedora:          sudo dnf install $4
  macOS:           xcode-select --install"
}

# want COMMAND DEBIAN_PACKAGE WHAT_FOR: the command is installed where that is possible, else left out.
want() {
  have "$1" && return
  can_apt && apt_install "$2" && return
  say "setup: '$1' is missing ($3); going on without it"
}

# find_python: prints an interpreter that is new enough, or nothing.
find_python() {
  for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14 python}; do
    if "$candidate" -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null; then
      printf '%s\n' "$candidate"
      return
    fi
  done
}

need g++ g++ "Verilator compiles its models with it" gcc-c++
need make make "Verilator's models are built with it" make
need perl perl "Verilator's front end is a Perl program" perl
need git git "the tests ask it which files belong to the project" git
want iverilog iverilog "the tests run benches of bundles in it, and skip that otherwise"
want ghdl ghdl "the tests analyse VHDL of bundles with it, and skip that otherwise"
want chromium chromium "the tests look at the report in it, and skip that otherwise"

python=$(find_python)
if [ -z "$python" ] && [ -z "${PYTHON:-}" ] && can_apt; then
  # The distribution's own python3 may be too old; some carry a newer one beside it.
  apt_install python3 python3-venv || true
  python=$(find_python)
  for version in 3.13 3.12 3.11; do
    [ -n "$python" ] && break
    if [ -n "$(apt-cache madison "python$version-venv" 2>/dev/null)" ]; then
      apt_install "python$version" "python$version-venv" || true
      python=$(find_python)
    fi
  done
fi
if [ -z "$python" ]; then
  found=$( (${PYTHON:-python3} --version 2>&1 || true) | head -n 1)
  die "Python $min_python or newer is needed, found: ${found:-none}. Get one, then run the same command again:
  Debian 12, Ubuntu 24.04 or newer:  sudo apt-get install python3 python3-venv
  Ubuntu 22.04:                      sudo apt-get install python3.11 python3.11-venv
  Fedora:                            sudo dnf install python3
  macOS:                             brew install python3
An interpreter elsewhere is named with PYTHON, as in: make demo PYTHON=/opt/python3.12/bin/python3"
fi

# A virtual environment dies when its interpreter moves or is upgraded away: make it anew then.
if ! "$venv/bin/python" -c "import sys, pip; sys.exit(sys.version_info < (3, 11))" 2>/dev/null; then
  if ! "$python" -c "import venv, ensurepip" 2>/dev/null; then
    version=$("$python" -c "import sys; print('%d.%d' % sys.version_info[:2])")
    package=python3-venv
    # Debian splits ensurepip off, for the exact version of the interpreter.
    can_apt && { apt_install "python$version-venv" || apt_install python3-venv || true; }
    "$python" -c "import venv, ensurepip" 2>/dev/null ||
      die "Python's venv and ensurepip modules are missing. Install them, then run the same command again:
  Debian, Ubuntu:  sudo apt-get install $package    (or python$version-venv)"
  fi
  say "setup: making $venv with $("$python" --version)"
  rm -rf "$venv"
  "$python" -m venv "$venv"
fi

run_pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }

# One line per package that is fetched; pip's own report is three times as long, its quiet mode says nothing
# for minutes. The exit status goes through a file because a pipe shows only that of its last command.
packages=$(grep -c '==' requirements.lock)
say "setup: installing $packages pinned packages into $venv (the first time 1 to 3 minutes, 1.6 GB on disk)"
status=$(mktemp)
{
  code=0
  # No --upgrade: what is there in the pinned version already is left alone.
  run_pip install --progress-bar off --requirement requirements.lock || code=$?
  echo "$code" >"$status"
} | awk '
  /^Collecting /            { n += 1; name = $2; sub(/==/, " ", name); sub(/ *\(.*/, "", name); printf "  %2d  %s\n", n, name; fflush() }
  /^Installing collected/   { print "      unpacking"; fflush() }
' >&2
code=$(cat "$status")
rm -f "$status"
[ "$code" = 0 ] || die "pip could not install the pinned packages, see above.
If this machine reaches packages through a mirror or a proxy, set it as for any use of pip (pip config, PIP_*
variables); then run the same command again."
run_pip install --quiet --no-deps --no-build-isolation --editable . ||
  die "pip could not install aesforge itself, see above."
date >"$venv/.aesforge-ready"
say "setup: ready"

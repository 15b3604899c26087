#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes requirements.lock: the newest versions that satisfy pyproject.toml and requirements.in, found
# by installing them into an empty environment. Run the tests before you commit the result.
#
#   sh scripts/lock.sh [PYTHON]     pins what that environment's interpreter has instead
set -eu
cd "$(dirname "$0")/.."
mkdir -p build

if [ $# -gt 0 ]; then
  python=$1
else
  rm -rf build/lock-venv
  "${PYTHON:-python3}" -m venv build/lock-venv
  python=build/lock-venv/bin/python
  "$python" -m pip --disable-pip-version-check install --requirement requirements.in --editable '.[measure,pictures,board]'
fi

{
  cat <<'HEADER'
# SPDX-License-Identifier: Apache-2.0
# The versions that aesforge is tested with: what `make setup` installs, transitive packages included.
# To renew: change pyproject.toml or requirements.in if need be, `make lock`, `make test`, commit.
HEADER
  # aesforge itself is left out: it is installed from the checkout. So are pip and setuptools, by freeze.
  "$python" -m pip --disable-pip-version-check freeze --exclude-editable --exclude aesforge | grep '=='
} >build/requirements.lock
mv build/requirements.lock requirements.lock
rm -rf build/lock-venv
printf 'lock: wrote requirements.lock, %s packages\n' "$(grep -c '==' requirements.lock)" >&2

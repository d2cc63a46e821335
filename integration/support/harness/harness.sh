# shellcheck shell=bash
# Sourced first by every suite. A suite defines functions, passes each to `check`, and ends with `finish`.

set -euo pipefail

SUPPORT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ROOT=$(cd "$SUPPORT/../.." && pwd)
SUITE=$(basename "$0")

if [[ ! -x ${PREFIX:-}/bin/llavero ]]; then
  echo "$SUITE: PREFIX is no installed prefix; try: integration/install --prefix DIR && PREFIX=DIR $0" >&2
  exit 64
fi
PREFIX=$(cd "$PREFIX" && pwd)
BUILD=${BUILD:-$ROOT/.build/release}
export PREFIX BUILD ROOT SUPPORT

# However this suite ends, neither its folder nor any process that it started is left.
if [[ ${SUPERVISED:-} != "$SUITE" ]]; then
  export SUPERVISED=$SUITE
  exec "$SUPPORT/harness/supervise.py" "$SUITE" "$0" "$@"
fi
SUITE_TMP=$LLAVERO_TEST_FOLDER
export TMPDIR=$SUITE_TMP/tmp
mkdir "$TMPDIR"

# The python3 of Debian, which the suites require; that of a version manager is often a script that takes a tenth of a
# second for each call.
if [[ -x /usr/bin/python3 && $(type -P python3) != /usr/bin/python3 ]]; then
  mkdir "$SUITE_TMP/debian"
  ln -s /usr/bin/python3 "$SUITE_TMP/debian/python3"
  PATH=$SUITE_TMP/debian:$PATH
fi

source "$SUPPORT/harness/processes.sh"
source "$SUPPORT/harness/sandbox.sh"
source "$SUPPORT/harness/cases.sh"
source "$SUPPORT/harness/helper.sh"
source "$SUPPORT/harness/messages.sh"
source "$SUPPORT/harness/expectations.sh"
source "$SUPPORT/harness/vaults.sh"

requires age file git jq python3 python3-venv util-linux

trap 'end_processes' EXIT
trap 'exit 130' INT TERM

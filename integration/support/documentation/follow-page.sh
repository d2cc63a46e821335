#!/usr/bin/env bash
# follow-page.sh [OPTION...] NAME <PAGE: on a machine of transcripts.sh, starts the keyring if the page's session needs
# one, and types what the page says; the options are those of transcripts.py.

set -euo pipefail

SUPPORT=$(cd "$(dirname "$0")/.." && pwd)
ROOT=/nonexistent
CASE=$XDG_RUNTIME_DIR
source "$SUPPORT/harness/processes.sh"
source "$SUPPORT/harness/sandbox.sh"
source "$SUPPORT/secret-service/secret-service.sh"
trap 'end_processes' EXIT

fail() {
  printf '%s\n' "$@"
  exit 1
}

export LC_ALL=C.UTF-8
# What llavero waits for may take long on a machine that is busy.
export LLAVERO_PROBE_TIMEOUT=60 LLAVERO_CALL_TIMEOUT=60 LLAVERO_LOCK_TIMEOUT=120 LLAVERO_NETWORK_TIMEOUT=120
page=$(cat && echo .)
page=${page%.}
transcripts=$SUPPORT/documentation/transcripts.py
world=$("$transcripts" --world "${@: -1}" <<<"$page") || fail "$world"
if [[ $world == keyring ]]; then
  KEYRING_PASSWORD=rosebud
  start_bus
  start_keyring
  rm "$CASE/keyring-password"
fi
cd /home/alice
"$transcripts" "$@" <<<"$page"

#!/usr/bin/env bash
# follow-page.sh [OPTION...] NAME <PAGE: on a machine of transcripts.sh, starts what the page's session needs, and types
# what the page says; the options are those of transcripts.py.

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

# starts_hosts: all names of /etc/hosts are one server
start_hosts() {
  mkdir /run/repositories
  background python3 "$SUPPORT/git-and-sign-in/git-http-server.py" --root /run/repositories --users /opt/shared/users \
    --log /run/hosts.log --port 443 --tls /opt/shared/host --every-path /opt/shared/repositories/any.git >/run/hosts.port
  wait_for 60 test -s /run/hosts.port || fail "the hosts don't start"
}

export LC_ALL=C.UTF-8
# What llavero waits for may take long on a machine that is busy.
export LLAVERO_PROBE_TIMEOUT=60 LLAVERO_CALL_TIMEOUT=60 LLAVERO_LOCK_TIMEOUT=120 LLAVERO_NETWORK_TIMEOUT=120
page=$(cat && echo .)
page=${page%.}
transcripts=$SUPPORT/documentation/transcripts.py
world=$("$transcripts" --world "${@: -1}" <<<"$page") || fail "$world"
if [[ -n $("$transcripts" --hosts <<<"$page") ]]; then start_hosts; fi
if [[ $world == keyring ]]; then
  KEYRING_PASSWORD=rosebud
  start_bus
  start_keyring
  rm "$CASE/keyring-password"
fi
cd /home/alice
# The port of the hosts is bound; from here on, alice may do no more than anybody.
setpriv --ambient-caps=-all --inh-caps=-all "$transcripts" "$@" <<<"$page"

#!/usr/bin/env bash
# with-hosts.sh NAME... -- COMMAND...: on a machine of transcripts.sh, starts the hosts of these names, if there are
# any, then runs the command without the right to be such a server. All of it ends with the machine.

set -euo pipefail

SUPPORT=$(cd "$(dirname "$0")/.." && pwd)
source "$SUPPORT/harness/processes.sh"

if [[ $1 != -- ]]; then
  # All names are one server.
  mkdir /run/repositories
  python3 "$SUPPORT/git-and-sign-in/git-http-server.py" --root /run/repositories --users /opt/shared/users \
    --log /run/hosts.log --port 443 --tls /opt/shared/host --every-path /opt/shared/repositories/any.git \
    >/run/hosts.port </dev/null &
  wait_for 60 test -s /run/hosts.port || {
    echo "the hosts don't start"
    exit 1
  }
fi
while [[ $1 != -- ]]; do shift; done
shift
exec setpriv --ambient-caps=-all --inh-caps=-all "$@"

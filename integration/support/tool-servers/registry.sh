# shellcheck shell=bash
# A registry on loopback with one user.

requires apache2-utils curl docker-registry

source "$SUPPORT/harness/ports.sh"

# start_registry [USER]: alice, or another user, and $SECRET; sets $registry to its address, and writes its requests to
# $CASE/registry.log
start_registry() {
  local port
  printf '%s' "$SECRET" | htpasswd -iBn "${1:-alice}" >"$CASE/htpasswd"
  for _ in 1 2 3; do
    port=$(free_ports)
    registry=127.0.0.1:$port
    cat >"$CASE/registry.yml" <<YAML
version: 0.1
log: {accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: $CASE/registry}}
http: {addr: $registry}
auth: {htpasswd: {realm: llavero, path: $CASE/htpasswd}}
YAML
    background docker-registry serve "$CASE/registry.yml" >"$CASE/registry.log" 2>&1
    # Another program may have taken the port meanwhile; the registry exits then.
    if wait_for 20 registry_answers; then return; fi
  done
  fail "the registry did not start" "$(cat "$CASE/registry.log")"
}

registry_answers() {
  [[ $(curl -s -o /dev/null -w '%{http_code}' "http://$registry/v2/") == 401 ]]
}

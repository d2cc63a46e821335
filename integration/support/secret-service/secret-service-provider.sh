# shellcheck shell=bash
# The Secret Service under test, on a bus of its own: `llavero serve`, or with PROVIDER=gnome-keyring that one, by which
# the suites themselves are checked. After secret-service.sh.

readonly PROVIDER=${PROVIDER:-llavero}

# with_provider COMMAND...: runs it beside the service
with_provider() {
  start_provider
  "$@"
}

# start_provider: starts a bus, and on it the service with an empty keychain that is unlocked
start_provider() {
  start_bus
  serve
}

# serve [OPTION...]: starts the service on the bus that is there, and waits until it can be used
serve() {
  case $PROVIDER in
  llavero)
    background llavero serve "$@" 2>>"$CASE/provider.log" </dev/null
    provider=$!
    wait_for 20 provider_answers || fail "llavero serve doesn't start:" "$(cat "$CASE/provider.log")"
    ;;
  gnome-keyring)
    start_keyring
    provider=$keyring
    ;;
  *) fail "no such provider: $PROVIDER" ;;
  esac
}

# A service that has ended is noticed at once.
provider_answers() {
  kill -0 "$provider" 2>/dev/null || fail "llavero serve has ended:" "$(cat "$CASE/provider.log")"
  has_service
}

# restart_provider: ends the service as asked, and starts another on the same bus and with the same files
restart_provider() {
  stop_provider
  serve
}

stop_provider() {
  kill "$provider"
  wait "$provider" 2>/dev/null || true
  wait_for 10 has_no_service || fail "the name still has an owner"
}

is_llavero() {
  [[ $PROVIDER == llavero ]]
}

# demands [OPTION...] GROUP...: the service meets these demands of secret-service-demands.py
demands() {
  local result=0
  "$LLAVERO_TEST_PYTHON" "$SUPPORT/secret-service/secret-service-demands.py" --provider "$PROVIDER" "$@" \
    >"$CASE/demands" || result=$?
  cat "$CASE/demands" >>"$TOLD"
  # What fails comes last, where it is read.
  grep -v '^not ok ' "$CASE/demands" || true
  kill -0 "$provider" 2>/dev/null || fail "the service has ended"
  if ((result != 0)); then fail "$(grep '^not ok ' "$CASE/demands" || echo "status $result")"; fi
}

# shellcheck shell=bash
# Running cases, counting them, and saying why one failed.

passed=0
failed=0
readonly SKIPPED=77

# check NAME FUNCTION [ARGUMENT...]: one case, in a home and a shell of its own. What it writes into the file $TOLD
# is shown also where it succeeds.
check() {
  local name=$1 log=$SUITE_TMP/log result
  shift
  if [[ -n ${ONLY:-} && $name != *"$ONLY"* ]]; then return 0; fi
  TOLD=$SUITE_TMP/told
  : >"$TOLD"
  # Not `if ( ... )`: there `set -e` would be without effect.
  set +e
  (
    set -e
    # shellcheck disable=SC2034 # processes.sh reads it
    processes=()
    trap 'end_processes' EXIT
    fresh_home
    "$@"
  ) >"$log" 2>&1 </dev/null
  result=$?
  set -e
  if ((result == SKIPPED)) && [[ -z ${CI:-} ]]; then
    echo "skipped - $name: $(tail -n 1 "$log")"
  elif ((result == 0)); then
    passed=$((passed + 1))
    echo "ok - $name"
    sed 's/^/   /' "$TOLD"
  else
    failed=$((failed + 1))
    echo "not ok - $name (status $result)"
    tail -n 40 "$log" | LC_ALL=C tr -c '[:print:]\n\t' '?' | cut -c 1-400 | sed 's/^/    /'
  fi
  chmod -R u+rwX "$SUITE_TMP"/case.* 2>/dev/null || true
  rm -rf "$SUITE_TMP"/case.*
}

fail() {
  printf '%s\n' "$@"
  exit 1
}

# skip REASON: this machine can't run the case; where CI is set that is a failure
skip() {
  printf '%s\n' "$*"
  exit "$SKIPPED"
}

finish() {
  echo "$passed passed, $failed failed"
  ((failed == 0))
}

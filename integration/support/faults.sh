# shellcheck shell=bash
# Runs the programs in integration/faults: bounded, or at full length if LLAVERO_TEST_LONG is set.

requires strace

# shellcheck disable=SC2034 # the suites go through them
operations=(first-store store erase rotate store-after-rotate rotate-after-rotate compact)

# faults PROGRAM [ARGUMENT...]: runs it, and shows its counts
faults() {
  CASE=$CASE /usr/bin/python3 "$ROOT/integration/faults/$1.py" "${@:2}" | tee -a "$TOLD"
}

# faults_whole PROGRAM OPTION [ARGUMENT...]: passes the option only if it may take long
faults_whole() {
  if is_long; then faults "$@"; else faults "$1" "${@:3}"; fi
}

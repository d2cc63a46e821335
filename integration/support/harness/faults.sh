# shellcheck shell=bash
# Runs the programs in integration/faults: bounded, or at full length if LLAVERO_TEST_LONG is set.

requires strace

# shellcheck disable=SC2034 # the suites go through them
operations=(first-store store erase rotate store-after-rotate rotate-after-rotate compact)

# memory_folder: sets folder to one of the suite's own in memory, where nothing waits for a disk; if there is none, to
# the suite's own
memory_folder() {
  folder=$SUITE_TMP
  if [[ -w /dev/shm ]]; then
    folder=/dev/shm/${SUITE_TMP##*/}
    mkdir -p -m 700 "$folder"
  fi
}

# faults PROGRAM [ARGUMENT...]: runs it, and shows its counts
faults() {
  CASE=$CASE /usr/bin/python3 "$ROOT/integration/faults/$1.py" "${@:2}" | tee -a "$TOLD"
}

# faults_whole PROGRAM OPTION [ARGUMENT...]: runs it in memory, and passes the option only if it may take long
faults_whole() {
  local folder
  memory_folder
  if is_long; then CASE=$folder faults "$@"; else CASE=$folder faults "$1" "${@:3}"; fi
}

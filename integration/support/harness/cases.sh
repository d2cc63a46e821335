# shellcheck shell=bash
# Runs cases, counts them, and reports why one failed.

passed=0
failed=0
readonly SKIPPED=77

# check NAME FUNCTION [ARGUMENT...]: runs a case, in a home and a shell of its own, if its name contains the glob $ONLY.
# Whatever it writes to the file $TOLD is shown even if it succeeds.
check() {
  local name=$1 log=$SUITE_TMP/log result start used_before
  shift
  # shellcheck disable=SC2053 # a glob
  if [[ -n ${ONLY:-} && $name != *$ONLY* ]]; then return 0; fi
  TOLD=$SUITE_TMP/told
  : >"$TOLD"
  start=${EPOCHREALTIME//[!0-9]/}
  used_before=$(processor_time)
  # Not `if ( ... )`, because `set -e` would have no effect there.
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
  ended_cleanly >>"$log" || result=1
  case_took "$start" "$used_before" "$name"
  if ((result == SKIPPED)) && [[ -z ${CI:-} ]]; then
    echo "skipped - $name: $(tail -n 1 "$log")"
  elif ((result == 0)); then
    passed=$((passed + 1))
    echo "ok - $name ($took s)"
    sed 's/^/   /' "$TOLD"
  else
    failed=$((failed + 1))
    echo "not ok - $name (status $result, $took s)"
    tail -n 40 "$log" | LC_ALL=C tr -c '[:print:]\n\t' '?' | cut -c 1-400 | sed 's/^/    /'
  fi
  chmod -R u+rwX "$SUITE_TMP"/case.* 2>/dev/null || true
  rm -rf "$SUITE_TMP"/case.*
}

# check_long NAME FUNCTION [ARGUMENT...]: a case that runs with LLAVERO_TEST_LONG=1 only
check_long() {
  # shellcheck disable=SC2053 # a glob
  if is_long; then
    check "$@"
  elif [[ -z ${ONLY:-} || $1 == *$ONLY* ]]; then
    echo "skipped - $1: only with LLAVERO_TEST_LONG=1"
  fi
}

# check_when VALUE ALWAYS NAME FUNCTION [ARGUMENT...]: a case that runs always if both are equal, and otherwise with
# LLAVERO_TEST_LONG=1 only
check_when() {
  if [[ $1 == "$2" ]]; then check "${@:3}"; else check_long "${@:3}"; fi
}

# case_took START USED_BEFORE NAME: sets $took to the seconds, and records them, and those of the processors, if integration/test
# asks for them
case_took() {
  local used
  took=$(((${EPOCHREALTIME//[!0-9]/} - $1) / 100000))
  took=$((took / 10)).$((took % 10))
  if [[ -n ${LLAVERO_TEST_TIMES:-} ]]; then
    used=$(($(processor_time) - $2))
    printf '%5d.%d s %5d.%02d s  %s: %s\n' "${took%.*}" "${took#*.}" $((used / 100)) $((used % 100)) "$SUITE" "$3" \
      >>"$LLAVERO_TEST_TIMES"
  fi
}

# processor_time: prints hundredths of a second, of this shell, its ended children, and what the supervisor, which is its
# parent, has waited for in its place
processor_time() {
  local shell supervisor
  read -ra shell <"/proc/$$/stat"
  read -ra supervisor <"/proc/$PPID/stat"
  # Of the names of both, neither has a blank.
  echo $((shell[13] + shell[14] + shell[15] + shell[16] + supervisor[15] + supervisor[16]))
}

# ended_cleanly: no process that the case started is still running, and no temporary file and no key is left; otherwise
# they are listed, and the processes ended
ended_cleanly() {
  local result=0 process left told=' ' tries=500
  if ! wait_for 10 no_process_of_case; then
    result=1
    # The children of one that is ended become the supervisor's a moment later.
    while ! no_process_of_case && ((tries-- > 0)); do
      for process in $(processes_of_case); do
        if [[ $told != *" $process "* ]]; then
          echo "left behind: process $process, $(tr '\0' ' ' <"/proc/$process/cmdline")"
          told+="$process "
        fi
        kill -KILL "$process"
      done
      sleep 0.02
    done
  fi 2>/dev/null
  left=$(find "$SUITE_TMP/tmp" -mindepth 1 -maxdepth 1)
  if [[ -n $left ]]; then
    result=1
    echo "left behind: $left"
    chmod -R u+rwX "$SUITE_TMP/tmp"
    rm -rf "$SUITE_TMP"/tmp/{*,.[!.]*}
  fi
  return "$result"
}

# processes_of_case: orphans become children of the supervisor, which is this shell's parent
processes_of_case() {
  local children
  children=" $(<"/proc/$PPID/task/$PPID/children") "
  echo "${children/ $$ / }"
}

no_process_of_case() {
  [[ -z $(processes_of_case | tr -d ' ') ]]
}

fail() {
  printf '%s\n' "$@"
  exit 1
}

# skip REASON: this machine can't run the case; if CI is set, that is a failure
skip() {
  printf '%s\n' "$*"
  exit "$SKIPPED"
}

# tool NAME: skips the case if it isn't installed
tool() {
  command -v "$1" >/dev/null || skip "there is no $1"
}

is_long() {
  [[ -n ${LLAVERO_TEST_LONG:-} ]]
}

finish() {
  echo "$passed passed, $failed failed"
  ((failed == 0))
}

# shellcheck shell=bash
# Calls the git helper, and compares its output. Each call sets $status, $CASE/stdout, $CASE/stderr.

# run COMMAND...: runs it for at most ten minutes, which is a hang on any machine, or a function for as long as it takes
run() {
  local limit=(timeout 600)
  if declare -F "$1" >/dev/null; then limit=(); fi
  status=0
  ${limit[@]+"${limit[@]}"} "$@" >"$CASE/stdout" 2>"$CASE/stderr" || status=$?
}

# helper OPERATION [OPTION...] <REQUEST
helper() {
  if [[ -n ${PASSPHRASE_FILE:-} ]]; then
    run git-credential-llavero --passphrase-fd 3 "${@:2}" "$1" 3<"$PASSPHRASE_FILE"
  else
    run git-credential-llavero "${@:2}" "$1"
  fi
}

# get, store, erase ATTRIBUTE=VALUE...: the array `options` contains options for the helper
options=()

get() {
  helper get ${options[@]+"${options[@]}"} < <(printf '%s\n' "$@")
}

store() {
  helper store ${options[@]+"${options[@]}"} < <(printf '%s\n' "$@")
  done_silently
}

erase() {
  helper erase ${options[@]+"${options[@]}"} < <(printf '%s\n' "$@")
  done_silently
}

# at_once COUNT URL: so many processes ask for it at once; each has an answer, unless `none` is the third word
at_once() {
  local number asking=()
  for ((number = 1; number <= $1; number++)); do
    git-credential-llavero get <<<"url=$2" >"$CASE/answer-$number" 2>"$CASE/said-$number" &
    asking+=($!)
  done
  wait "${asking[@]}"
  number=$(cat "$CASE"/answer-* | grep -c '^password=' || true)
  ((number == ($1 * ($# == 2)))) || fail "$number of $1 have a password" "$(cat "$CASE"/answer-* "$CASE"/said-*)"
}

# eight_writers FUNCTION WORD...: eight processes at once run it with their number and these words; each writes how many
# turns it has made to $CASE/turns.NUMBER. Sets $written to all of them.
eight_writers() {
  local number ids=()
  for number in {1..8}; do
    "$1" "$number" "${@:2}" >"$CASE/writer$number.log" 2>&1 &
    ids+=("$!")
  done
  for number in {1..8}; do
    wait "${ids[number - 1]}" || fail "writer $number failed:" "$(cat "$CASE/writer$number.log")"
  done
  written=$(awk '{ sum += $1 } END { print sum }' "$CASE"/turns.*)
}

# kept SECRET ARGUMENT...: adds an item
kept() {
  printf '%s' "$1" | llavero add "${@:2}" 2>/dev/null
}

# program NAME <LINES: makes a shell script of this name in $CASE
program() {
  local path=$CASE/$1
  mkdir -p "${path%/*}"
  {
    echo '#!/bin/sh'
    cat
  } >"$path"
  chmod +x "$path"
}

# store_for_a_moment ATTRIBUTE=VALUE...: stores an item that expires soon, and sets expiry. Tries longer times on a slow
# machine, where the item could expire before it is stored, and is then not stored.
store_for_a_moment() {
  local seconds
  for seconds in 2 4 8 16 32; do
    expiry=$(($(date +%s) + seconds))
    store "$@" password_expiry_utc="$expiry"
    helper get < <(printf '%s\n' "$@" | grep -v '^password=')
    if grep -q '^password=' "$CASE/stdout"; then return; fi
  done
  fail "it can't be stored before it expires" "$(said)"
}

# moment_over: waits until that item has expired
moment_over() {
  while (($(date +%s) <= expiry)); do sleep 0.1; done
}

said() {
  printf 'status %s\nstdout:\n' "$status"
  cat "$CASE/stdout"
  printf 'stderr:\n'
  head -c 2000 "$CASE/stderr"
}

done_silently() {
  if ((status != 0)) || [[ -s $CASE/stdout ]]; then fail "expected status 0 and an empty stdout" "$(said)"; fi
}

# answers LINE...: the answer is exactly these lines in this order, with status 0 and nothing on stderr
answers() {
  printf '%s\n' "$@" >"$CASE/expected"
  if ((status != 0)) || [[ -s $CASE/stderr ]] || ! cmp -s "$CASE/expected" "$CASE/stdout"; then
    fail "expected this answer:" "$(cat "$CASE/expected")" "$(said)"
  fi
}

# answers_set LINE...: the answer is these lines in any order, but capabilities before all others
answers_set() {
  if ! awk '/^capability\[\]=/ { if (others) exit 1; next } { others = 1 }' "$CASE/stdout"; then
    fail "a capability comes after other lines" "$(said)"
  fi
  printf '%s\n' "$@" | LC_ALL=C sort >"$CASE/expected"
  if ((status != 0)) || [[ -s $CASE/stderr ]] || ! LC_ALL=C sort "$CASE/stdout" | cmp -s "$CASE/expected" -; then
    fail "expected these lines:" "$(cat "$CASE/expected")" "$(said)"
  fi
}

# answers_nothing: status 0 and no output
answers_nothing() {
  if ((status != 0)) || [[ -s $CASE/stdout || -s $CASE/stderr ]]; then
    fail "expected no answer, no message and status 0" "$(said)"
  fi
}

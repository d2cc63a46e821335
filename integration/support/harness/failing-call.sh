# shellcheck shell=bash
# Makes one system call of a command fail, or holds the command before it.

requires strace

# failing FAULT TEXT COMMAND...: as run does, with FAULT (strace's form: openat:error=EIO) at the first such call that has
# TEXT in its trace, and with + after it at all later ones, too. It gets what is on standard input.
failing() {
  local fault=${1%+} on="" number
  [[ $1 != *+ ]] || on=+
  cat >"$CASE/input"
  find_call "${fault%%:*}" "${@:2}"
  run strace -f -qq -o /dev/null -e "inject=$fault:when=$number$on" "${@:3}" <"$CASE/input"
}

# holding CALL TEXT COMMAND...: starts it, and waits until it stands before the first such call that has TEXT in its
# trace, or with nth=2 before the second. It gets what is on standard input.
holding() {
  local number
  cat >"$CASE/input"
  find_call "$@"
  # With -D the command is the child, and what traces it is nobody's.
  strace -D -f -qq -o /dev/null -e "trace=$1" -e "inject=$1:delay_enter=100s:when=$number" "${@:3}" \
    <"$CASE/input" >"$CASE/held-stdout" 2>"$CASE/held-stderr" &
  held=$!
  wait_for 20 stands_still "$held" || fail "it doesn't come to $1" "$(cat "/proc/$held/status")"
}

# let_go [STATUS [TEXT]]: what is held goes on, to its end, with this status, and tells the text; status and output are
# where run has them
let_go() {
  status=0
  kill -KILL "$(sed -n 's/^TracerPid:\t//p' "/proc/$held/status")"
  wait "$held" || status=$?
  mv "$CASE/held-stdout" "$CASE/stdout"
  mv "$CASE/held-stderr" "$CASE/stderr"
  ((status == ${1:-status})) || fail "expected status $1 in the end" "$(said)"
  tells "${@:2}"
}

# find_call CALL TEXT COMMAND...: sets number to which call of that name in its process is the first, or nth, with TEXT in
# its trace, by a run after which data and state, and what is in the array sources, are as before; it gets the file input
find_call() {
  local path changed=("$XDG_DATA_HOME" "$XDG_STATE_HOME" ${sources[@]+"${sources[@]}"})
  for path in "${changed[@]}"; do
    cp -a "$path" "$path.before"
  done
  strace -f -qq -o "$CASE/log" -e "trace=$1" -e signal=none "${@:3}" <"$CASE/input" >/dev/null 2>&1 || true
  # A line begins with the process, which counts its own calls.
  number=$(text=$2 nth=${nth:-1} awk '/<\.\.\. .* resumed>/ { next } { count[$1]++ }
    ENVIRON["text"] != "" && !index($0, ENVIRON["text"]) { next }
    ++found == ENVIRON["nth"] { print count[$1]; exit }' "$CASE/log")
  for path in "${changed[@]}"; do
    rm -rf "$path"
    mv "$path.before" "$path"
  done
  [[ -n $number ]] || fail "no call has $2" "$(tail -n 20 "$CASE/log")"
}

# stands_still PROCESS: a tracer holds it, and has done so for a while
stands_still() {
  local before
  before=$(grep -E '^(State:.t|.*_switches)' "/proc/$1/status")
  [[ $before == State* ]] || return
  sleep 0.2
  [[ $(grep -E '^(State:.t|.*_switches)' "/proc/$1/status") == "$before" ]]
}

# shellcheck shell=bash
# What most suites expect of a command. A suite that means something else by one of these names defines it anew.

# succeeds COMMAND..., fails STATUS COMMAND...
succeeds() {
  run "$@"
  ((status == 0)) || fail "failed: $*" "$(said)"
}

fails() {
  run "${@:2}"
  ((status == $1)) || fail "expected status $1 from: ${*:2}" "$(said)"
}

# prints TEXT COMMAND...: it succeeds, and standard output is this text
prints() {
  succeeds "${@:2}"
  [[ $(<"$CASE/stdout") == "$1" ]] || fail "expected '$1' from: ${*:2}" "$(said)"
}

# fails_saying STATUS TEXT COMMAND..., refuses STATUS TEXT COMMAND...: it fails, or is refused as messages.sh has it, and says
# the text
fails_saying() {
  fails "$1" "${@:3}"
  says "$2"
}

refuses() {
  refused "$1" "${@:3}"
  says "$2"
}

# shows TEXT..., tells TEXT..., says TEXT...: standard output, standard error, or either of them contains each text
shows() {
  local streams=("$CASE/stdout")
  contains "$@"
}

tells() {
  local streams=("$CASE/stderr")
  contains "$@"
}

says() {
  local streams=("$CASE/stdout" "$CASE/stderr")
  contains "$@"
}

contains() {
  local text
  for text in "$@"; do
    grep -qF -- "$text" "${streams[@]}" || fail "${streams[*]##*/} doesn't say '$text':" "$(said)"
  done
}

# on_terminal STEP... -- COMMAND...: see support/people/on-terminal.py; the steps are gone through
on_terminal() {
  run "$SUPPORT/people/on-terminal.py" "$@"
  ((status == 0)) || fail "the steps were not gone through" "$(said)"
}

# ends HOW STEP... -- COMMAND...: the same, the command ends so, and the terminal echoes in the end
ends() {
  on_terminal "${@:2}"
  [[ $(tail -n 2 "$CASE/stdout") == $'echo on\n'"$1" ]] || fail "expected an echo that is on, and the end: $1" "$(said)"
}

# holds FILTER [OPTION...]: what jq makes of the JSON on standard output by this filter is true
holds() {
  jq -e "${@:2}" "$1" "$CASE/stdout" >/dev/null || fail "it isn't so: $1" "$(said)"
}

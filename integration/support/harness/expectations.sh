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

# prints TEXT COMMAND...: it succeeds, and standard output is this text; secret_is TEXT ARGUMENT...: `get` does so
prints() {
  succeeds "${@:2}"
  [[ $(<"$CASE/stdout") == "$1" ]] || fail "expected '$1' from: ${*:2}" "$(said)"
}

secret_is() {
  prints "$1" llavero get "${@:2}"
}

# succeeds_showing TEXT COMMAND..., succeeds_telling TEXT COMMAND..., succeeds_saying TEXT COMMAND...: it succeeds, and
# shows, tells or says the text, as those have it below
succeeds_showing() {
  succeeds "${@:2}"
  shows "$1"
}

succeeds_telling() {
  succeeds "${@:2}"
  tells "$1"
}

succeeds_saying() {
  succeeds "${@:2}"
  says "$1"
}

# fails_telling STATUS TEXT COMMAND..., fails_saying STATUS TEXT COMMAND..., refuses STATUS TEXT COMMAND...: it fails,
# or is refused as messages.sh has it, and tells or says the text
fails_telling() {
  fails "$1" "${@:3}"
  tells "$2"
}

fails_saying() {
  fails "$1" "${@:3}"
  says "$2"
}

refuses() {
  refused "$1" "${@:3}"
  says "$2"
}

# prints_nothing STATUS COMMAND...: it ends with this status, and standard output is empty
prints_nothing() {
  run "${@:2}"
  ((status == $1)) && [[ ! -s $CASE/stdout ]] || fail "expected status $1 and no output: ${*:2}" "$(said)"
}

# misunderstands SCRIPT WORDS...: it says that each of these texts of words is no way to call it, and says with --help what is
misunderstands() {
  local words
  for words in "${@:2}"; do
    # shellcheck disable=SC2086 # several words
    prints_nothing 64 "$1" $words
    grep -q "^${1##*/}: " "$CASE/stderr" || fail "it isn't said what is wrong with: $words" "$(said)"
  done
  succeeds_showing 'usage: ' "$1" --help
}

# fails_to COMMAND..., fails_with TEXT COMMAND...: it fails with any status; where nobody can be asked, or telling the text
fails_to() {
  run "$@" </dev/null
  ((status != 0)) || fail "succeeded: $*" "$(said)"
}

fails_with() {
  run "${@:2}"
  ((status != 0)) || fail "succeeded: ${*:2}" "$(said)"
  tells "$1"
}

# shows TEXT..., tells TEXT..., says TEXT...: standard output, standard error, or either of them contains each text, perhaps
# with ~ for the home folder
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

# shows_not TEXT: standard output doesn't contain it
shows_not() {
  if grep -qF -- "$1" "$CASE/stdout"; then fail "shown: $1" "$(said)"; fi
}

# git_gets URL LINE: git asks llavero, and perhaps others, for the URL, and gets this line
git_gets() {
  printf 'url=%s\n\n' "$1" >"$CASE/request"
  succeeds git credential fill <"$CASE/request"
  grep -qxF -- "$2" "$CASE/stdout" || fail "git gets something else for $1" "$(said)"
}

contains() {
  local text
  for text in "$@"; do
    grep -qF -e "$text" -e "${text//"$HOME/"/"~/"}" "${streams[@]}" || fail "${streams[*]##*/} doesn't say '$text':" "$(said)"
  done
}

# requested LINE: a server has noted this request
requested() {
  grep -qxF -- "$1" "$CASE/requests" || fail "not requested: $1" "$(cat "$CASE/requests")" "$(said)"
}

# on_terminal STEP... -- COMMAND...: see support/people/on-terminal.py; the steps are gone through
on_terminal() {
  run "$SUPPORT/people/on-terminal.py" "$@"
  ((status == 0)) || fail "the steps were not gone through" "$(said)"
}

# ends HOW STEP... -- COMMAND...: the same, and it has ended so. ended HOW: the command ended so, and the terminal
# echoes
ends() {
  on_terminal "${@:2}"
  ended "$1"
}

ended() {
  [[ $(tail -n 2 "$CASE/stdout") == $'echo on\n'"$1" ]] || fail "expected an echo that is on, and the end: $1" "$(said)"
}

# holds FILTER [OPTION...]: what jq makes of the JSON on standard output by this filter is true
holds() {
  jq -e "${@:2}" "$1" "$CASE/stdout" >/dev/null || fail "it isn't so: $1" "$(said)"
}

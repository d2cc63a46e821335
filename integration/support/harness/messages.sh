# shellcheck shell=bash
# Checks refusals: one line, perhaps a hint, the right status, and nothing else.

# shellcheck disable=SC2034 # the suites store it
readonly SECRET='correct-horse-battery-staple'

# one_message: stderr contains `llavero: ...` and at most one `llavero: hint: ...` after it
one_message() {
  local lines first second
  lines=$(wc -l <"$CASE/stderr")
  first=$(sed -n 1p "$CASE/stderr")
  second=$(sed -n 2p "$CASE/stderr")
  if [[ $first != 'llavero: '[!A-Z]* || $first == 'llavero: hint: '* || $first == *. ]]; then
    fail "the first line is no error message" "$(said)"
  fi
  if ((lines != 1)) && ! { ((lines == 2)) && [[ $second == 'llavero: hint: '[!A-Z]* && $second != *. ]]; }; then
    fail "expected one line, perhaps followed by one hint" "$(said)"
  fi
  if LC_ALL=C grep -qP '[^\x20-\x7e\n]' "$CASE/stderr" || (($(wc -c <"$CASE/stderr") > 1000)); then
    fail "the message is too long or holds control characters" "$(said)"
  fi
}

# refused STATUS[|STATUS] COMMAND... <INPUT: also checks that nothing on disk changed and no secret was shown
refused() {
  local expected=$1 before after
  shift
  before=$(snapshot)
  run "$@"
  after=$(snapshot)
  if [[ "|$expected|" != *"|$status|"* ]]; then fail "expected status $expected from: $*" "$(said)"; fi
  if [[ -s $CASE/stdout ]]; then fail "stdout isn't empty after: $*" "$(said)"; fi
  one_message
  if grep -qF "$SECRET" "$CASE/stderr"; then fail "the message tells a secret" "$(said)"; fi
  if [[ $before != "$after" ]]; then fail "something changed on disk:" "$(diff <(echo "$before") <(echo "$after"))"; fi
}

# shellcheck shell=bash
# Many git helpers that store at once.

# store_at_once COUNT [HOST]: stores for new000.example.com and so on, or all of them for this host, all started before
# the first is waited for
store_at_once() {
  local number stores=() failures=0
  mkdir -p "$CASE/errors"
  for ((number = 0; number < $1; number++)); do
    printf 'protocol=https\nhost=%s\nusername=alice\npassword=new-%d\n' \
      "${2:-$(printf 'new%03d.example.com' "$number")}" "$number" >"$CASE/request$number"
  done
  for ((number = 0; number < $1; number++)); do
    git-credential-llavero store <"$CASE/request$number" >"$CASE/errors/$number.out" 2>"$CASE/errors/$number" &
    stores+=($!)
  done
  for number in "${!stores[@]}"; do
    wait "${stores[number]}" || {
      failures=$((failures + 1))
      head -n 2 "$CASE/errors/$number"
    }
  done
  ((failures == 0)) || fail "$failures of $1 stores failed"
  if [[ -n $(find "$CASE/errors" -name '*.out' -size +0) ]]; then fail "a store wrote to stdout"; fi
}

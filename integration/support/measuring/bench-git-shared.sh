# shellcheck shell=bash
# bench's rows about keychains that are shared through git. Sourced by bench-shared.sh.

# One changed item of ten thousand, sent by one member and received by another; beside git alone, which sends and receives a
# file of that size in a clone.
sync_rows() {
  local turn what
  fresh_place sync git
  served_repository ann:pa55
  team_of_many 10000
  bare_clones
  for ((turn = 0; turn < 11; turn++)); do
    at bob
    echo "secret$turn" | alone add --keychain team "https://new$turn.example" --account me 2>"$CASE/log" ||
      fail "it isn't added" "$(cat "$CASE/log")"
    milliseconds in_step
    grep -qF '1 record went' "$CASE/stdout" "$CASE/stderr" || fail "it isn't sent" "$(said)"
    echo "$took" >>"$CASE/sent"
    at ann
    milliseconds in_step
    grep -qF '1 item came' "$CASE/stdout" "$CASE/stderr" || fail "it doesn't come" "$(said)"
    echo "$took" >>"$CASE/received"
    change_by_git "$turn"
  done
  for what in sent received; do
    count "one changed item of 10,000 is $what through git (ms)" 2000 "$(median <"$CASE/$what")" \
      "git alone, one file: $(median <"$CASE/git-$what")"
  done
  leave_place
}

# bare_clones: two clones of a copy of that repository, which llavero has nothing to do with
bare_clones() {
  local clone
  cp -r "$CASE/repositories/team.git" "$CASE/repositories/plain.git"
  for clone in sending receiving; do git clone --quiet "${REMOTE%/*}/plain.git" "$CASE/$clone"; done
}

# change_by_git TURN: does with git alone what llavero has just done
change_by_git() {
  mkdir -p "$CASE/sending/changes"
  head -c 400 /dev/urandom >"$CASE/sending/changes/by-git-$1.age"
  milliseconds commit_and_push
  echo "$took" >>"$CASE/git-sent"
  milliseconds git -C "$CASE/receiving" pull --quiet
  echo "$took" >>"$CASE/git-received"
}

commit_and_push() {
  git -C "$CASE/sending" add .
  git -C "$CASE/sending" commit --quiet -m Change
  git -C "$CASE/sending" push --quiet
}

git_writers_row() {
  local end= person lost=0
  fresh_place git-writers git
  served_repository ann:pa55
  git_writers for_a_minute
  for person in ann writer{1..8}; do
    has_logins "$person"
    lost=$((lost + written - logins))
  done
  count 'updates lost in a minute of 8 writers through git' 0 "$lost" "of $written"
  leave_place
}

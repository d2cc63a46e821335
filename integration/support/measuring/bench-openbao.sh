# shellcheck shell=bash disable=SC2046
# bench's rows about keychains in OpenBao. Sourced by bench-shared.sh.

alice=(protocol=https host=git.example.com username=alice)

# asks_for HOST [ACCOUNT]: prints git's question
asks_for() {
  printf 'protocol=https\nhost=%s\n' "$1"
  if [[ -n ${2:-} ]]; then echo "username=$2"; fi
}

openbao_rows() {
  local answer
  fresh_place openbao openbao
  with_copies
  asks_for git.example.com alice >"$CASE/request"
  answer=$(printf 'username=alice\npassword=first')
  LLAVERO_KEYCHAIN='file' store "${alice[@]}" password=first
  store "${alice[@]}" password=first
  expect "$answer" "$ours" get <"$CASE/request"
  compare '`get` from a copy of an item in OpenBao' 'its own from the file' 1.15 \
    $(of_home fleet) --stdin "$CASE/request" -- "$ours" get ';' \
    $(of_home file) --stdin "$CASE/request" -- "$ours" get
  store protocol=https host=shared.example username=alice password=first
  asks_for shared.example alice >"$CASE/shared"
  expect "$answer" env LLAVERO_KEYCHAIN= "$ours" get <"$CASE/shared"
  compare '`get` from a copy, after the file in the list' 'its own from the file' 1.5 \
    $(of_home '') --stdin "$CASE/shared" -- "$ours" get ';' \
    $(of_home file) --stdin "$CASE/request" -- "$ours" get

  quiet_requests_of get protocol=https host=nowhere.example
  count 'requests of a `get` that OpenBao has to be asked for, in vain' 2 "$made"
  miss_row
  bao kv put -mount=llavero https/other.example/443/-/me/-/- secret=other >/dev/null
  quiet_requests_of get protocol=https host=other.example
  grep -qx password=other "$CASE/stdout" || fail "no answer" "$(said)"
  count 'requests of a `get` that OpenBao has to be asked for, with an answer' 2 "$made"
  quiet_requests_of store protocol=https host=new.example username=me password=new
  count 'requests of a `store`, a new item' 2 "$made"
  quiet_requests_of store "${alice[@]}" password=second
  count 'requests of a `store`, an item that is there' 2 "$made"
  leave_place
}

# What nobody has, beside a client of the server that asks the very same questions on one connection. That there is nothing
# is known for a while, so each question is about a host of its own.
miss_row() {
  tail -n "$((2 * made))" "$CASE/audit.log" |
    jq -r 'select(.type == "request") | .request.operation + " " + .request.path' | asked_by_curl >"$CASE/curl"
  asks_for miss@ROUND@.example >"$CASE/miss"
  more '`get` that OpenBao has to be asked for, in vain' 'curl, asking the same' 15 \
    $(of_home fleet) --stdin "$CASE/miss" -- "$ours" get ';' --stdin "$CASE/curl" -- /usr/bin/curl -K -
}

# asked_by_curl <OPERATIONS-AND-PATHS: prints its configuration for the same requests, about a host of each round
asked_by_curl() {
  local operation path next=
  while read -r operation path; do
    case $operation in
    list | scan) operation=${operation^^} ;;
    read) operation=GET ;;
    *) fail "a miss makes a request to $operation" ;;
    esac
    printf '%s' "$next"
    printf '%s\n' silent "cacert = $CASE/authority.crt" "header = \"X-Vault-Token: $root_token\"" "request = $operation" \
      "url = \"$bao/v1/${path//nowhere.example/none@ROUND@.example}\"" 'output = /dev/null'
    next=$'next\n'
  done
}

openbao_writers_row() {
  local end=
  fresh_place openbao-writers openbao
  with_copies
  eight_writers fleet_writer for_a_minute
  lost_updates
  count 'updates lost in a minute of 8 writers to OpenBao' 0 "$lost" "of $((2 * written))"
  leave_place
}

# --- a fleet of clients

# fleet_row LOGIN WHAT: a thousand clients of a fleet, which all begin within a minute, each on a machine of its own
fleet_row() {
  local told middle most longest
  fresh_place "clients-$1" openbao
  use_home "$CASE/client"
  "fleet_by_$1"
  bao kv put -mount=llavero https/git.example.com/443/-/ci/-/- secret=deploy >/dev/null
  asks_for git.example.com >"$CASE/client/request"
  printf 'username=ci\npassword=deploy\n' >"$CASE/client/answer"
  "$SUPPORT/measuring/many-clients.py" "$CASE/client" 1000 60 "$ours" get >"$CASE/clients"
  IFS=$'\t' read -r told middle most longest <"$CASE/clients"
  count "1,000 clients that start within a minute, $2: without an answer" 0 "$((1000 - told))"
  count "the same: within how many ms 99 of 100 have it" 250 "$most" "half within $middle, all within $longest"
  leave_place
}

fleet_by_token() {
  with_copies
}

fleet_by_role() {
  local role
  start_bao
  policy all "$everything"
  app_role token_policies=all
  add_plain_fleet mount=llavero "ca=$CASE/authority.crt" login=approle "role=$role"
}

# --- a cluster whose leader is killed

failover_rows() {
  local leader killed reader new resumed number changes=0 versions=0
  fresh_place cluster openbao
  start_cluster
  add_plain_fleet mount=llavero "ca=$CASE/authority.crt" fresh=0 "address=${nodes[1]},${nodes[2]}"
  by_variable
  git config --global credential.helper llavero
  store "${alice[@]}" password=before
  asks_for git.example.com alice >"$CASE/request"
  : >"$CASE/answered"
  : >"$CASE/refused"
  unending_reader &
  reader=$!
  processes+=("$reader")
  wait_for 60 test -s "$CASE/answered" || fail "git gets no answer" "$(cat "$CASE/refused")"
  outlive_the_leader
  wait "$reader"
  resumed=$(sort -k 3 -n "$CASE/stored" | awk -v new="$new" '$3 > new { printf "%d", ($3 - new) * 1000; exit }')
  for number in 1 2 3 4; do
    changes=$((changes + $(grep -c "^$number " "$CASE/stored")))
    versions=$((versions + $(versions_of "w$number")))
  done
  touch "$CASE/failures"
  count "a leader is killed: questions of git, for what has a copy, without an answer" 0 "$(wc -l <"$CASE/refused")" \
    "of $(cat "$CASE/answered" "$CASE/refused" | wc -l)"
  count 'the same: from a new leader to the next change (ms)' 10000 "$resumed"
  count 'the same: changes that failed' 0 "$(wc -l <"$CASE/failures")" "of $changes"
  count 'the same: changes that were lost or made twice' 0 "$((changes > versions ? changes - versions : versions - changes))" \
    "of $changes"
  leave_place
}

# unending_reader: has git ask for an item that has a copy, as long as the writers write
unending_reader() {
  until [[ -e $CASE/enough ]]; do
    if git credential fill <"$CASE/request" >"$CASE/filled" 2>"$CASE/errors" && grep -qx password=before "$CASE/filled"; then
      echo "$EPOCHREALTIME" >>"$CASE/answered"
    else
      tr '\n' ' ' <"$CASE/errors" >>"$CASE/refused"
      echo >>"$CASE/refused"
    fi
  done
}

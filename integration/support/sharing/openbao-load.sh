# shellcheck shell=bash
# Many who write to one keychain in OpenBao at once, also while its leader is killed. Sourced after openbao.sh and helper.sh.

# fleet_writer NUMBER COMMAND...: as long as the command succeeds, with the number of the turn, changes an item that all
# writers change, and adds one
fleet_writer() {
  local turn=0
  while "${@:2}" "$turn"; do
    turn=$((turn + 1))
    printf '%s\n' protocol=https host=git.example.com username=shared "password=$1-$turn" '' |
      git-credential-llavero store || return
    printf '%s\n' protocol=https host=git.example.com "username=w$1-$turn" "password=$1-$turn" '' |
      git-credential-llavero store || return
  done
  echo "$turn" >"$CASE/turns.$1"
}

# fleet_writers COMMAND...: eight at once; sets $written to how many turns they have made
fleet_writers() {
  local number ids=()
  for number in {1..8}; do
    fleet_writer "$number" "$@" 2>>"$CASE/writers" &
    ids+=("$!")
  done
  for number in "${ids[@]}"; do wait "$number" || fail "a writer failed" "$(cat "$CASE/writers")"; done
  written=$(awk '{ sum += $1 } END { print sum }' "$CASE"/turns.*)
}

# lost_updates: sets $lost to how many of the changes that they were told of are not there, or are there twice
lost_updates() {
  local versions added number
  versions=$(bao kv metadata get -mount=llavero -format=json https/git.example.com/443/-/shared/-/- | jq .data.current_version)
  for number in {1..8}; do seq -f "w$number-%.0f" "$(<"$CASE/turns.$number")"; done | sort >"$CASE/told"
  run llavero list
  grep -o 'w[1-8]-[0-9]*' "$CASE/stdout" | sort >"$CASE/there"
  added=$(comm -3 "$CASE/told" "$CASE/there" | wc -l)
  lost=$((written - versions))
  lost=$((${lost#-} + added))
}

# leader_by ADDRESS: prints the address of the leader that this node knows
leader_by() {
  curl -s --max-time 2 --cacert "$CASE/authority.crt" "$1/v1/sys/leader" | jq -r .leader_address
}

# kill_node ADDRESS
kill_node() {
  local number
  for number in 0 1 2; do
    if [[ ${nodes[number]} == "$1" ]]; then
      # The shell says nothing of its end.
      disown "${node_processes[number]}"
      kill -9 "${node_processes[number]}"
    fi
  done
}

# start_writers COUNT: each changes an item of its own until they are ended; the file `stored` has a line for each change,
# `failures` one for each that failed
start_writers() {
  local number
  writers=()
  : >"$CASE/stored"
  for ((number = 1; number <= $1; number++)); do
    unending_writer "$number" &
    writers+=("$!")
    processes+=("$!")
  done
}

unending_writer() {
  local count=0
  until [[ -e $CASE/enough ]]; do
    count=$((count + 1))
    if printf '%s\n' protocol=https host=git.example.com "username=w$1" "password=$1-$count" '' |
      git-credential-llavero store 2>>"$CASE/writers"; then
      echo "$1 $count $EPOCHREALTIME" >>"$CASE/stored"
    else
      echo "$1 $count failed" >>"$CASE/failures"
    fi
  done
  echo "$count" >"$CASE/last.$1"
}

# end_writers: waits for them; $CASE/last.NUMBER has how many changes each has made
end_writers() {
  local process
  touch "$CASE/enough"
  for process in "${writers[@]}"; do wait "$process"; done
}

# stored_since COUNT MORE: so many more changes were made than this count
stored_since() { (($(wc -l <"$CASE/stored") >= $1 + $2)); }

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

# lost_updates: sets $lost to how many of the changes that they were told of are not there, or are there twice
lost_updates() {
  local versions added number
  versions=$(versions_of shared)
  for number in {1..8}; do seq -f "w$number-%.0f" "$(<"$CASE/turns.$number")"; done | sort >"$CASE/told"
  run llavero list
  grep -o 'w[1-8]-[0-9]*' "$CASE/stdout" | sort >"$CASE/there"
  added=$(comm -3 "$CASE/told" "$CASE/there" | wc -l)
  lost=$((written - versions))
  lost=$((${lost#-} + added))
}

# versions_of ACCOUNT: prints how many there are of what writers have stored for it
versions_of() {
  bao kv metadata get -mount=llavero -format=json "https/git.example.com/443/-/$1/-/-" | jq .data.current_version
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

# has_new_leader FORMER: one of the nodes that are left names another one
has_new_leader() {
  local node named
  for node in "${nodes[@]}"; do
    if [[ $node == "$1" ]]; then continue; fi
    named=$(leader_by "$node") || continue
    if [[ $named == https* && $named != "$1" ]]; then return 0; fi
  done
  return 1
}

# outlive_the_leader: four writers make forty changes, and after the leader is killed forty more; sets leader to its
# address, killed to the moment of its end, new to that when there was another one, and bao to a node that is left
# shellcheck disable=SC2034 # for the suites
outlive_the_leader() {
  local before node
  start_writers 4
  wait_for 60 stored_since 0 40 || fail "the writers write nothing" "$(cat "$CASE/writers")"
  leader=$(leader_by "${nodes[0]}")
  kill_node "$leader"
  killed=$EPOCHREALTIME
  before=$(wc -l <"$CASE/stored")
  wait_for 60 has_new_leader "$leader" || fail "there is no new leader"
  new=$EPOCHREALTIME
  wait_for 60 stored_since "$before" 40 || fail "nothing is written after the leader is gone" "$(tail "$CASE/writers")"
  end_writers
  for node in "${nodes[@]}"; do [[ $node == "$leader" ]] || bao=$node; done
}

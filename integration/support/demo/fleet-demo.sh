# shellcheck shell=bash
# The second half of `integration/demo --team`, sourced by team-demo.sh: the same logins in a cluster of OpenBao, whose
# leader is killed.

LLAVERO_TEST_PYTHON=$root/.build/venv/bin/python
source "$SUPPORT/harness/certificate.sh"
source "$SUPPORT/sharing/openbao.sh"

# operator: what is shown from now on is what the operator of the cluster types, who may do everything
operator() {
  person=operator
  cd "$CASE" || fail "demo: there is no folder"
}

# by_hand COMMAND: works, with the original client as the person has it, and not as the operator
by_hand() {
  local as_operator
  as_operator=$(declare -f bao)
  unset -f bao
  works "$1"
  eval "$as_operator"
}

# has_fleet PERSON [SETTING=VALUE...]: adds the keychain, which the person opens with a password of their own
has_fleet() {
  local name=$1 own=own_of_$1 options='' setting
  at "$name"
  shift
  typed "${!own}" "llavero add $bao --domain openbao --account userpass/$name --keychain file"
  for setting in "login=userpass" "user=$name" "mount=llavero" "ca=$CASE/authority.crt" \
    "address=${nodes[1]},${nodes[2]}" "$@"; do
    options+=" --set $setting"
  done
  works "llavero keychain add fleet openbao $bao$options"
}

# leader: prints the address of the node that leads, as the others say
leader() {
  local node
  for node in "${nodes[@]}"; do
    curl -s --cacert "$CASE/authority.crt" "$node/v1/sys/leader" | jq -re '.leader_address | select(. != "")' && return
  done
}

# another_leads: one of the nodes that are left
another_leads() {
  local now
  now=$(leader) && [[ $now != "$killed" && $(health "$now") == 200 ]]
}

operator
title 'Three nodes of OpenBao'
say 'On this machine, with TLS. It takes half a minute until all three vote.'
start_cluster
new_secret own_of_dan
policy team "$everything"
for name in ann bob dan; do
  own=own_of_$name
  user "$name" "${!own}" team >/dev/null
done
works 'bao operator raft list-peers'
works 'bao policy read team'
works 'bao list auth/userpass/users'

title 'Ann moves the logins there'
has_fleet ann
works 'llavero migrate --from team --to fleet'
expect '3 added'
works 'llavero keychain remove team'
works 'llavero keychain list'

title 'The original client shows them'
export BAO_ADDR=$bao BAO_CACERT=$CASE/authority.crt
item=http/127.0.0.1/${project##*:}/-/deploy/-/-
say 'As Ann, with her own password:'
by_hand 'bao login -method=userpass -no-print username=ann password=-' < <(printf %s "$own_of_ann")
by_hand "bao kv get -mount=llavero $item"
expect "$git_second"
rm "$HOME/.vault-token"
unset BAO_ADDR BAO_CACERT

title 'Bob and Dan use them'
say 'Bob keeps no copies here, so each of his logins is asked of the nodes.'
has_fleet bob max-age=0
works 'llavero keychain remove team'
all_log_in
say 'Dan has copies, as usual.'
has_fleet dan
works "llavero get $project"
expect "$git_second"
good 'and Dan has looked one up'

title 'The leader is killed'
# goes_on NAME COMMAND: Bob does it again and again, and when each began and ended is written down
goes_on() {
  local start
  until [[ -e $CASE/enough ]]; do
    start=$EPOCHREALTIME
    if timeout 120 bash -c "$2" >"$CASE/$1.said" 2>&1 </dev/null; then
      echo "$start $EPOCHREALTIME" >>"$CASE/$1.done"
    else
      { echo "$1 failed:" && cat "$CASE/$1.said"; } >>"$CASE/failures"
    fi
  done
}

# times NAME [SINCE]: how often it was done, from a moment on
times() {
  awk -v since="${2:-0}" '$1 > since { count++ } END { print count + 0 }' "$CASE/$1.done"
}

# all_done COUNT [SINCE]: each of the three was done so often, or one has failed
all_done() {
  local name
  [[ -e $CASE/failures ]] && return
  for name in git docker pip; do (($(times "$name" "${2:-0}") >= $1)) || return; done
}

none_failed() {
  [[ ! -e $CASE/failures ]] || fail 'demo: a login failed:' "$(<"$CASE/failures")"
}

at bob
say 'In the background, Bob does these again and again; each is a login:'
touch "$CASE"/{git,docker,pip}.done
before=("$(pushed)" "$(inspected)" "$(installed)")
loops=()
for name in git docker pip; do
  case $name in
  git) command=$push ;;
  docker) command=$inspect ;;
  pip) command=$install ;;
  esac
  printf '%s$ %s\n' "$person" "$command"
  background goes_on "$name" "$command"
  loops+=("$!")
done
wait_for 120 all_done 3 || fail 'demo: nothing goes on'
none_failed
operator
killed=$(leader)
for number in 0 1 2; do
  if [[ ${nodes[number]} == "$killed" ]]; then victim=$number; fi
done
say "node$victim leads, at $killed."
victim=${node_processes[victim]}
works "kill -9 $victim"
wait "$victim" 2>/dev/null || true
moment=$EPOCHREALTIME
new_secret next
at ann
say 'At that moment, Ann adds one more:'
typed "$next" "llavero add https://deploy.example --account deploy --keychain fleet"
good "$(awk -v from="$moment" -v to="$EPOCHREALTIME" \
  'BEGIN { printf "it is stored, %.1f s after the leader was killed", to - from }')"
operator
wait_for 120 another_leads || fail 'demo: nobody leads'
for node in "${nodes[@]}"; do if [[ $node != "$killed" ]]; then bao=$node; fi; done
say "$(leader) leads now."
[[ $(bao kv get -mount=llavero -field=secret https/deploy.example/443/-/deploy/-/-) == "$next" ]] ||
  fail 'demo: what was added is not there'
elected=$EPOCHREALTIME
wait_for 120 all_done 3 "$elected" || fail 'demo: nothing goes on'
touch "$CASE/enough"
for process in "${loops[@]}"; do wait "$process" || fail 'demo: a loop failed'; done
none_failed
for name in git docker pip; do
  awk -v name="$name" -v killed="$moment" -v elected="$elected" '
    $2 < killed { before++ } $2 >= killed && $1 <= elected { meanwhile++ } $1 > elected { after++ }
    END { printf "%-8s%3d times before, %3d meanwhile, %3d after\n", name, before, meanwhile, after }' \
    "$CASE/$name.done"
done
if (($(pushed) - before[0] != $(times git) || $(inspected) - before[1] < $(times docker) ||
  $(installed) - before[2] != $(times pip))); then
  fail 'demo: the servers have counted something else'
fi
if [[ -s $CASE/bob/asked ]]; then fail 'demo: git asked Bob'; fi
good 'no login failed, and nobody was asked'

title 'Dan leaves'
operator
works 'bao delete auth/userpass/users/dan'
works 'bao lease revoke -prefix auth/userpass/login/dan'
say 'The audit log says what he has read, which is what has to be changed:'
works "jq -r 'select(.type == \"response\" and .auth.display_name == \"userpass-dan\") |
  .request | select(.operation == \"read\").path' audit.log | sort -u"
expect "llavero/data/$item"
if [[ $said == *deploy.example* ]]; then fail 'demo: the log has what Dan has never read'; fi
at dan
say 'What was added after he had looked:'
refused 'llavero get https://deploy.example'
say 'And what he had looked up: his copy went at the first contact after that.'
refused "llavero get $project"
at bob
say 'Bob has it:'
works 'llavero get https://deploy.example'
expect "$next"
all_log_in
nothing_in_clear
if grep -qF -e "$next" -e "$git_second" "$CASE/audit.log" "$CASE"/node?.log; then fail 'demo: a log has a secret'; fi
good 'and no secret is in the clear in any home, or in the logs of the nodes'

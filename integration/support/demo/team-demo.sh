# shellcheck shell=bash
# What `integration/demo --team` shows: the logins of a team, in a git repository and then in a cluster of OpenBao.

source "$SUPPORT/demo/team.sh"

# The people are one user of this machine, who has one agent: what one has unlocked, the others would find.
export LLAVERO_UNLOCK_CACHE=none
unset LLAVERO_KEYCHAIN
export PIP_CONFIG_FILE=/dev/null PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
secrets=()
person=
# where each has their key, below the home
mine=.local/state/llavero/keychains/team/member.txt
mkdir programs
for name in bao pip; do ln -s "$root/.build/venv/bin/$name" "programs/$name"; done

title 'Ann, Bob and Eve are a team'
git config --global user.name Nobody
git config --global user.email nobody@example.com
start_services
say_what_tools_do
for name in ann bob eve; do new_secret "own_of_$name"; done
git init --quiet --bare --initial-branch=main repositories/logins.git
printf '/logins.git %s\n' "ann:$own_of_ann" "bob:$own_of_bob" "eve:$own_of_eve" >logins.users
start_server logins
logins=http://127.0.0.1:$port
say "Each has a home, and a login of their own to the empty repository $logins/logins.git."
say 'The team has logins, too, which all use: of the account deploy, at three servers on this machine.'
say "  $project/project.git  a git project"
say "  https://$registry             a registry, for docker"
say "  $index/simple/      a package index, for pip"

title 'Ann makes the keychain'
at ann
typed "$own_of_ann" "llavero add $logins --account ann"
works "llavero keychain add team git $logins/logins.git"
typed "$git_first" "llavero add $project --account deploy --keychain team"
typed "$docker_first" "llavero add https://$registry --account deploy --keychain team"
typed "$pip_first" "llavero add $index --account deploy --keychain team"
works 'llavero sync team'
works 'llavero list'
good 'what all use is in the repository, encrypted; what is hers is in her own keychain'

# joins PERSON: becomes a member
joins() {
  local own=own_of_$1 recipient
  at "$1"
  typed "${!own}" "llavero add $logins --account $1"
  works "llavero keychain add team git $logins/logins.git"
  expect 'llavero keychain member add team age1'
  recipient=$(grep -o 'age1[a-z0-9]*' <<<"$said" | tail -n 1)
  refused "llavero get $project --keychain team"
  at ann
  works "llavero keychain member add team $recipient"
  works 'llavero sync team'
  at "$1"
  works 'llavero sync team'
  works 'llavero list --keychain team'
  (($(grep -c deploy <<<"$said") == 3)) || fail "demo: $1 doesn't see three logins"
}

title 'Bob joins, and then Eve'
say 'Each has a key of their own, so there is no passphrase to pass on. A member lets them in.'
joins bob
joins eve
works 'llavero keychain member list team'

title 'Git, docker and pip log in'
say 'With what Ann has added. There is no docker engine here, so docker reads the image from the registry by itself.'
at bob
works 'git config --global credential.helper; jq .credsStore ~/.docker/config.json; readlink ~/.local/bin/keyring'
all_log_in
good 'nobody was asked'
shown "llavero get $project --keychain file"
((status == 1)) || fail "demo: expected status 1, not $status"
good "and nothing of it went into Bob's own keychain"
at eve
say 'Eve looks one up:'
works "llavero get $project"
expect "$git_first"

title 'Eve leaves'
at ann
works 'llavero keychain member list team'
eve=$(age-keygen -y "$CASE/eve/home/$mine")
left=$(llavero keychain member list team --json | jq -r --arg eve "$eve" '.[] | select(.recipient == $eve) | .id')
works "llavero keychain member remove team $left --yes"
for place in "$project" "https://$registry" "$index"; do expect "$place"; done
good 'all that Eve could read is listed'
say 'Ann changes the three at their servers, and here.'
new_secret git_second
new_secret docker_second
new_secret pip_second
echo "/project.git deploy:$git_second" >"$CASE/project.users"
printf %s "$docker_second" | htpasswd -iBn deploy >"$CASE/htpasswd"
echo "$pip_second" >"$CASE/index/password"
typed "$git_second" "llavero update $project --account deploy --secret --keychain team"
typed "$docker_second" "llavero update https://$registry --account deploy --secret --keychain team"
typed "$pip_second" "llavero update $index --account deploy --secret --keychain team"
works 'llavero sync team'

title 'What Eve has now'
say 'She can still read the repository: nobody has taken her login to it away yet.'
at eve
refused 'llavero sync team'
refused "llavero get $project"
say 'Not with age alone, either. Each slot of the repository, with her key:'
works "git clone -q $logins/logins.git"
opened=0
for slot in logins/slots/*; do
  shown "age -d -i $mine $slot"
  if ((status == 0)); then opened=$((opened + 1)); fi
  expect 'no identity matched'
done
((opened == 0)) || fail "demo: Eve opens a slot"
say 'In an older commit her slot is there still, and has the former key. It opens nothing of what is there now:'
works "commit=\$(git -C logins log -1 --diff-filter=D --format=%h -- slots/$left.age) &&
  git -C logins show \$commit~:slots/$left.age | age -d -i $mine >former"
files=(logins/vault.age logins/changes/*.age)
shown "for file in ${files[*]}; do age -d -i former \$file; done 2>&1 | grep -v report"
if (($(grep -c 'no identity matched' <<<"$said") != ${#files[@]} || $(wc -l <<<"$said") != ${#files[@]})); then
  fail 'demo: the former key opens something'
fi
rm former
say 'And the password that she has seen is an old one:'
shown "git -c credential.helper= ls-remote http://deploy:$git_first@${project#http://}/project.git"
((status != 0)) || fail "demo: the server lets in the old password"
say 'What is in older commits, and was in her copy, stays readable to her; that is why the three were changed.'
good 'she is out'

title 'Ann and Bob go on'
at bob
works 'llavero sync team'
expect 'it has a new key'
all_log_in
at ann
all_log_in
good 'with the new ones, and nobody was asked'

title 'Stock age opens the keychain'
at bob
say "Bob's key opens a slot, what is in the slot opens the rest, and llavero is not needed."
works "git clone -q $logins/logins.git"
works "for slot in logins/slots/*; do age -d -i $mine \$slot >key 2>/dev/null && break; done"
works "for file in logins/vault.age logins/changes/*.age; do age -d -i key \$file; done |
  jq -sr 'map(select(.port == ${project##*:})) | max_by(.modified) | .server, .port, .account, .secret'"
expect "$git_second"
rm key
at ann
if [[ -s $ASKED ]]; then fail "demo: git asked Ann"; fi
nothing_in_clear
good 'and no file in any of the homes, and none of the repository, has one of the passwords as it is'

source "$SUPPORT/demo/fleet-demo.sh"

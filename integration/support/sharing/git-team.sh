# shellcheck shell=bash
# People who share the keychain `team` through a git repository, each in a home of their own. Sourced after git-server.sh and
# helper.sh.

requires age git jq

# at PERSON: the following commands run in this person's home
at() {
  use_home "$CASE/$1"
  SHARED=$XDG_DATA_HOME/llavero/keychains/team
  STATE=$XDG_STATE_HOME/llavero/keychains/team
  export SHARED STATE
  : >>"$ASKED"
  if [[ ! -e $VAULT ]]; then
    git config --global user.name "$1"
    git config --global user.email "$1@example.com"
    git config --global credential.helper llavero
    llavero init >"$CASE/log" 2>&1
    if [[ -n ${REMOTE_LOGIN:-} ]]; then echo "${REMOTE_LOGIN#*:}" | llavero add "${REMOTE%/*}" --account "${REMOTE_LOGIN%%:*}" >"$CASE/log" 2>&1; fi
  fi
}

repository() {
  git init --quiet --bare --initial-branch=main "$CASE/team.git"
  REMOTE=${1:-$CASE/team.git}
}

# served_repository USER:PASSWORD: the same over http; this login is in everybody's own keychain from then on
served_repository() {
  REMOTE_LOGIN=$1
  mkdir "$CASE/repositories"
  ln -s repositories/team.git "$CASE/team.git"
  git init --quiet --bare --initial-branch=main "$CASE/repositories/team.git"
  echo "$REMOTE_LOGIN" >"$CASE/main.users"
  start_server main
  REMOTE=http://127.0.0.1:$port/team.git
}

# add HOST SECRET: puts a login into the shared keychain
add() {
  printf '%s\n' "$2" >"$CASE/secret"
  succeeds llavero add --keychain team "https://$1" --account me <"$CASE/secret"
}

in_step() { succeeds llavero sync team; }

# shares HOST SECRET: puts a login into the shared keychain, and sends it
shares() {
  add "$@"
  in_step
}

# hook NAME COMMAND: the repository runs it
hook() { program "team.git/hooks/$1" <<<"$2"; }

# commits: how many the repository has
commits() { env -i PATH="$PATH" git --git-dir "$CASE/team.git" rev-list --count main; }

# goes HOST PASSWORD: adds it, and it is in the repository, by this exchange or by the one behind the change
goes() {
  local before
  before=$(commits)
  add "$@"
  in_step
  (($(commits) > before)) || fail "it isn't in the repository" "$(said)"
}

# joins PERSON...: each becomes a member of the keychain of the one who is there now
joins() {
  local first=$HOME person recipient
  for person in "$@"; do
    at "$person"
    succeeds llavero keychain add team git "$REMOTE"
    recipient=$(grep -o 'age1[a-z0-9]*$' "$STATE/member.txt")
    at "$(basename "$(dirname "$first")")"
    succeeds llavero keychain member add team "$recipient"
    at "$person"
    in_step
  done
  at "$(basename "$(dirname "$first")")"
}

# team PERSON...: a repository, and a keychain that they share; the first one is there
team() {
  [[ -n ${REMOTE:-} ]] || repository
  at "$1"
  succeeds llavero keychain add team git "$REMOTE"
  joins "${@:2}"
}

# netrc COUNT: so many logins
netrc() {
  local number
  for ((number = 0; number < $1; number++)); do
    echo "machine host$number.example login user$number password secret$RANDOM$RANDOM$RANDOM$RANDOM-$number"
  done >"$CASE/netrc"
}

# team_of_many COUNT: ann and bob share so many items, and bob is there
team_of_many() {
  team ann bob
  netrc "$1"
  succeeds llavero import netrc "$CASE/netrc" --keychain team
  in_step
  at bob
  in_step
  grep -qF "$1 items came" "$CASE/stdout" "$CASE/stderr" || fail "the items don't come" "$(said)"
}

# milliseconds COMMAND...: sets $took
milliseconds() {
  local start=${EPOCHREALTIME//[!0-9]/}
  "$@"
  took=$(((${EPOCHREALTIME//[!0-9]/} - start) / 1000))
}

# alone ARGUMENT...: llavero without the program beside it that sends changes in the background
alone() {
  [[ -e $CASE/alone/llv ]] || install -D "$PREFIX/bin/llavero" "$CASE/alone/llv"
  "$CASE/alone/llv" "$@"
}

# raw ARGUMENT...: llavero with a list of its own, where the copy is a file like any other. So a program changes it that
# knows nothing of sharing.
raw() {
  if [[ ! -e $CASE/raw ]]; then
    XDG_STATE_HOME=$CASE/raw llavero keychain add raw file "$SHARED" --identity "$STATE/member.txt" || return
  fi
  XDG_STATE_HOME=$CASE/raw llavero "$@" --keychain raw
}

# git_writer NUMBER COMMAND...: as long as the command succeeds, with the number of the turn, stores a login and exchanges
git_writer() {
  local turn=0
  at "writer$1"
  while "${@:2}" "$turn"; do
    echo "secret $1 $turn" | timeout 100 llavero add --keychain team "https://w$1-$turn.example" --account me || return
    turn=$((turn + 1))
    timeout 200 llavero sync team || return
  done
  echo "$turn" >"$CASE/turns.$1"
}

# git_writers COMMAND...: eight at once; sets $written to how many logins they have stored
git_writers() {
  local number
  team ann
  age-keygen -o "$CASE/key.txt" 2>/dev/null
  succeeds llavero keychain member add team "$(age-keygen -y "$CASE/key.txt")"
  for number in {1..8}; do
    at "writer$number"
    succeeds llavero keychain add team git "$REMOTE" --identity "$CASE/key.txt"
  done
  eight_writers git_writer "$@"
}

# has_logins PERSON: sets $logins to how many the shared keychain has there
has_logins() {
  at "$1"
  in_step
  succeeds llavero list --keychain team --json
  logins=$(jq length "$CASE/stdout")
}

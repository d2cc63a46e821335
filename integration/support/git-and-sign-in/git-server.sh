# shellcheck shell=bash
# Private repositories on loopback, and git configured to ask llavero for the logins.

# make_repository NAME: makes a bare repository with one commit on main, below $CASE/repositories
make_repository() {
  local bare=$CASE/repositories/$1 work
  work=$(mktemp -d "$CASE/work.XXXXXX")
  git init --quiet --bare --initial-branch=main "$bare"
  git -C "$work" init --quiet --initial-branch=main
  echo "This is $1." >"$work/README"
  git -C "$work" add README
  git -C "$work" commit --quiet -m 'Say what this is'
  git -C "$work" push --quiet "$bare" main
  rm -rf "$work"
}

# start_server NAME [OPTION...]: serves $CASE/repositories to the users in $CASE/NAME.users; sets port and
# writes $CASE/NAME.log
start_server() {
  background python3 "$SUPPORT/git-and-sign-in/git-http-server.py" --root "$CASE/repositories" \
    --users "$CASE/$1.users" --log "$CASE/$1.log" "${@:2}" >"$CASE/$1.port"
  wait_for 10 test -s "$CASE/$1.port" || fail "the git server doesn't start"
  # shellcheck disable=SC2034 # for the caller
  port=$(<"$CASE/$1.port")
}

set_up_git() {
  git config --global user.name 'Test Person'
  git config --global user.email 'person@example.com'
  git config --global init.defaultBranch main
  git config --global advice.detachedHead false
  git config --global credential.helper llavero
}

# log_in USER PASSWORD COMMAND...: runs the command with a person at hand who types this login
log_in() {
  PERSON_USER=$1 PERSON_PASSWORD=$2 GIT_ASKPASS=$SUPPORT/people/askpass-person "${@:3}"
}

# asked_times COUNT: the number of times git had to ask somebody since the case began
asked_times() {
  local times
  times=$(wc -l <"$ASKED")
  ((times == $1)) || fail "asked $times times instead of $1:" "$(cat "$ASKED")"
}

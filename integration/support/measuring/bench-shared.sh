# shellcheck shell=bash
# bench's rows about keychains that several people share. Sourced by integration/bench; the long ones take some minutes.

source "$SUPPORT/harness/helper.sh"
source "$SUPPORT/harness/certificate.sh"
source "$SUPPORT/sharing/openbao.sh"
source "$SUPPORT/sharing/openbao-load.sh"
source "$SUPPORT/git-and-sign-in/git-server.sh"
source "$SUPPORT/sharing/git-team.sh"
source "$SUPPORT/measuring/bench-openbao.sh"
source "$SUPPORT/measuring/bench-git-shared.sh"

shared_rows() {
  LLAVERO_TEST_PYTHON=$root/.build/venv/bin/python
  cp "$PREFIX/libexec/llavero/llavero-network" "$temporary/programs/"
  # All persons are one user, who has one agent.
  export LLAVERO_UNLOCK_CACHE=none
  openbao_rows
  sync_rows
  if [[ -n $long ]]; then
    openbao_writers_row
    git_writers_row
    fleet_row token 'a token in the environment'
    fleet_row role 'signing in by AppRole'
    failover_rows
  fi
  unset LLAVERO_UNLOCK_CACHE
}

# fresh_place NAME KEYCHAIN: an empty home below a folder of its own, and the name for the rows' keychain
fresh_place() {
  CASE=$temporary/$1
  keychain=$2
  mkdir "$CASE"
  use_home "$CASE"
  unset LLAVERO_KEYCHAIN BAO_TOKEN REMOTE REMOTE_LOGIN
  : >"$ASKED"
}

# leave_place: ends the servers, when what the programs do behind themselves is done
leave_place() {
  wait_for 60 nothing_behind || fail "something goes on behind the programs: $(behind)"
  end_processes
}

# behind: prints the processes of homes of this place, but for the servers
behind() {
  local process
  for process in $(env -i PATH="$PATH" grep -lsz "^HOME=$CASE/" /proc/[0-9]*/environ | grep -oE '[0-9]+'); do
    [[ " ${processes[*]} " == *" $process "* || ! -e /proc/$process/exe ]] || tr '\0' ' ' <"/proc/$process/cmdline"
  done
}

nothing_behind() { [[ -z $(behind) ]]; }

# quiet_requests_of COMMAND...: as requests_of, with what the command does behind itself
quiet_requests_of() {
  requests_of quietly "$@"
}

quietly() {
  "$@"
  wait_for 60 nothing_behind || fail "something goes on behind $*: $(behind)"
}

# of_home KEYCHAIN: options of pairs for commands that run in the present home, with this value of LLAVERO_KEYCHAIN
of_home() {
  local name
  for name in HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR; do echo "--env $name=${!name}"; done
  echo "--env LLAVERO_KEYCHAIN=$1"
}

# for_a_minute TURN: the time of those who write isn't over, which begins with the first question
for_a_minute() {
  if [[ -z ${end:-} ]]; then end=$((SECONDS + 60)); fi
  ((SECONDS < end))
}

# median <NUMBERS
median() {
  sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

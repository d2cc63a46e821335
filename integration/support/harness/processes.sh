# shellcheck shell=bash
# Background processes, each ended by its own id when the shell that started it exits.

processes=()

# background COMMAND...: starts it, and sets $! to its id
background() {
  "$@" &
  processes+=("$!")
}

# served COMMAND...: starts a server that writes its port to standard output, or to $CASE/port itself; sets port and host
served() {
  background "$@" >"$CASE/port"
  wait_for 20 test -s "$CASE/port" || fail "it doesn't start: $*"
  port=$(<"$CASE/port") host=127.0.0.1:$port
}

end_processes() {
  local process
  for process in ${processes[@]+"${processes[@]}"}; do
    if is_child "$process"; then kill "$process" 2>/dev/null || true; fi
    wait "$process" 2>/dev/null || true
  done
  processes=()
}

# is_child PROCESS: it is one of this shell's, and not another one that has got its id since it ended
is_child() {
  local status
  { read -r status <"/proc/$1/stat"; } 2>/dev/null || return 1
  # NAME) STATE PARENT ...
  status=${status##*) }
  status=${status#* }
  ((${status%% *} == BASHPID))
}

# listens PATH: whether a server listens on the socket. Its file is there a moment sooner, and who connects then is
# refused: gnome-keyring goes on without a bus in that case, and never looks for it again.
listens() {
  local flags path
  while read -r _ _ _ flags _ _ _ path; do
    if [[ $flags == 00010000 && $path == "$1" ]]; then return 0; fi
  done </proc/net/unix
  return 1
}

# wait_for SECONDS COMMAND...: waits until the command succeeds
wait_for() {
  local tries=$(($1 * 50))
  shift
  until "$@"; do
    ((tries-- > 0)) || return 1
    sleep 0.02
  done
}

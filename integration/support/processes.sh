# shellcheck shell=bash
# Background processes, each ended by its own id when the shell that started it exits.

processes=()

# background COMMAND...: starts it, and sets $! to its id
background() {
  "$@" &
  processes+=("$!")
}

end_processes() {
  local process
  for process in ${processes[@]+"${processes[@]}"}; do
    kill "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  done
  processes=()
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

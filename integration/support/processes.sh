# shellcheck shell=bash
# Background processes, each ended by its own id when the shell that started it leaves.

processes=()

# background COMMAND...: starts it, and leaves its id in $!
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

# wait_for SECONDS COMMAND...: until the command succeeds
wait_for() {
  local tries=$(($1 * 50))
  shift
  until "$@"; do
    ((tries-- > 0)) || return 1
    sleep 0.02
  done
}

# shellcheck shell=bash
# Makes one system call of a command fail.

requires strace

# failing FAULT TEXT COMMAND...: as run does, with FAULT (strace's form: openat:error=EIO) at the first such call that has
# TEXT in its trace, and with + after it at all later ones, too. Which one it is, a run before it shows, after which data
# and state are as before. Both get what is on standard input.
failing() {
  local fault=${1%+} on="" text=$2 folder number
  [[ $1 != *+ ]] || on=+
  cat >"$CASE/input"
  for folder in "$XDG_DATA_HOME" "$XDG_STATE_HOME"; do
    cp -a "$folder" "$folder.before"
  done
  strace -f -qq -o "$CASE/log" -e "trace=${fault%%:*}" "${@:3}" <"$CASE/input" >/dev/null 2>&1 || true
  number=$(grep -nF -- "$text" "$CASE/log" | head -n 1 | cut -d: -f1)
  for folder in "$XDG_DATA_HOME" "$XDG_STATE_HOME"; do
    rm -rf "$folder"
    mv "$folder.before" "$folder"
  done
  [[ -n $number ]] || fail "no call has $text" "$(tail -n 20 "$CASE/log")"
  run strace -f -qq -o /dev/null -e "inject=$fault:when=$number$on" "${@:3}" <"$CASE/input"
}

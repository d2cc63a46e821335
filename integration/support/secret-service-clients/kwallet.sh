# shellcheck shell=bash
# KWallet as the Secret Service of the private bus, with its dialogs on a display that nobody sees.

requires libkf5wallet-bin libqca-qt5-2-plugins xdotool xvfb

readonly WALLET_PASSWORD=open-sesame WALLET=$SERVICE_PATH/collection/kdewallet
# That of Plasma 5, else that of Plasma 6.
KWALLET=kwalletd5
if ! command -v kwalletd5 >/dev/null; then KWALLET=ksecretd; fi

# start_kwallet: starts it on a bus of its own; it has no wallet unless `make_wallet` came first
start_kwallet() {
  start_bus
  mkfifo "$CASE/display"
  background run_display
  read -r DISPLAY <"$CASE/display"
  export DISPLAY=:$DISPLAY
  install -d "$HOME/.config"
  printf '%s\n' '[Wallet]' 'First Use=false' 'Enabled=true' '[org.freedesktop.secrets]' 'apiEnabled=true' \
    >"$HOME/.config/kwalletrc"
  start_kwalletd
}

run_display() {
  exec Xvfb -displayfd 5 -screen 0 800x600x24 -noreset 5>"$CASE/display" >"$CASE/xvfb.log" 2>&1
}

start_kwalletd() {
  background run_kwalletd
  kwalletd=$!
  wait_for 20 has_service || fail "KWallet doesn't start:" "$(cat "$CASE/kwallet.log")"
}

run_kwalletd() {
  unset XDG_CONFIG_HOME XDG_DATA_HOME
  exec env QT_QPA_PLATFORM=xcb "$KWALLET" "$@" >>"$CASE/kwallet.log" 2>&1
}

# make_wallet: makes a wallet, as PAM does when somebody logs in, and starts KWallet anew, so that it is locked
make_wallet() {
  stop_kwalletd
  (unset XDG_CONFIG_HOME XDG_DATA_HOME && PAM_KWALLET5_LOGIN=1 QT_QPA_PLATFORM=xcb \
    python3 - "$KWALLET" "$WALLET_PASSWORD" "$HOME/.local/share/kwalletd" >>"$CASE/kwallet.log" 2>&1) <<'PYTHON' ||
import hashlib, os, socket, subprocess, sys, time
program, password, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
salt = os.urandom(56)
with open(folder + "/kdewallet.salt", "wb") as file:
    file.write(salt)
key = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, 50000, 56)
# The key comes through a pipe, and then an environment through a socket.
reading, writing = os.pipe()
with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as environment:
    listening.bind("\0" + folder)
    listening.listen()
    daemon = subprocess.Popen(
        [program, "--pam-login", str(reading), str(listening.fileno())], pass_fds=(reading, listening.fileno()))
    os.write(writing, key)
    environment.connect("\0" + folder)
wallet, end = folder + "/kdewallet.kwl", time.monotonic() + 20
while not (os.path.exists(wallet) and os.path.getsize(wallet)) and time.monotonic() < end:
    time.sleep(0.05)
daemon.terminate()
daemon.wait()
PYTHON
    fail "no wallet can be made:" "$(cat "$CASE/kwallet.log")"
  [[ -s $HOME/.local/share/kwalletd/kdewallet.kwl ]] || fail "no wallet was made:" "$(cat "$CASE/kwallet.log")"
  start_kwalletd
  wait_for 10 wallet_is true || fail "there is no locked wallet"
}

stop_kwalletd() {
  kill "$kwalletd"
  wait "$kwalletd" 2>/dev/null || true
}

wallet_is() { # LOCKED
  [[ $(call "$WALLET" org.freedesktop.DBus.Properties.Get org.freedesktop.Secret.Collection Locked 2>&1) == "(<$1>,)" ]]
}

# answering KEYS STATUS COMMAND...: types into the dialog that appears while the command runs, which ends with this
# status; after THINKING seconds
answering() {
  type_into_dialog "$1" &
  local typing=$!
  run "${@:3}"
  wait "$typing" || fail "there was no dialog" "$(said)"
  ((status == $2)) || fail "expected status $2 from: ${*:3}" "$(said)"
}

type_into_dialog() { # KEYS
  local window
  wait_for 20 has_dialog || return 1
  window=$(dialog)
  sleep "${THINKING:-0}"
  if [[ $1 == Escape ]]; then
    xdotool windowfocus --sync "$window" key Escape
  else
    xdotool windowfocus --sync "$window" type "$1"
    xdotool key Return
  fi
  wait_for 10 has_no_dialog
}

dialog() {
  xdotool search --onlyvisible --class "$KWALLET" 2>/dev/null | tail -n 1
}

has_dialog() {
  [[ -n $(dialog) ]]
}

has_no_dialog() {
  [[ -z $(dialog) ]]
}

# shellcheck shell=bash
# KWallet as the Secret Service of the private bus, with its dialogs on a display that nobody sees.

requires libkf5wallet-bin libqca-qt5-2-plugins xdotool xvfb

readonly WALLET_PASSWORD=open-sesame WALLET=$SERVICE_PATH/collection/kdewallet

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
  exec env QT_QPA_PLATFORM=xcb kwalletd5 >>"$CASE/kwallet.log" 2>&1
}

# make_wallet: makes a wallet, as PAM does when somebody logs in, and starts KWallet anew, so that it is locked
make_wallet() {
  python3 - "$WALLET_PASSWORD" "$HOME/.local/share/kwalletd" <<'PYTHON' || fail "no wallet can be made"
import hashlib, os, subprocess, sys
password, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
salt = os.urandom(56)
with open(folder + "/kdewallet.salt", "wb") as file:
    file.write(salt)
key = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, 50000, 56)
subprocess.run(
    ["gdbus", "call", "--session", "-d", "org.kde.kwalletd5", "-o", "/modules/kwalletd5", "-m",
     "org.kde.KWallet.pamOpen", "kdewallet", "[byte %s]" % ",".join(map(str, key)), "0"],
    check=True, stdout=subprocess.DEVNULL)
PYTHON
  wait_for 10 test -s "$HOME/.local/share/kwalletd/kdewallet.kwl"
  kill "$kwalletd"
  wait "$kwalletd" 2>/dev/null || true
  start_kwalletd
  wait_for 10 wallet_is true || fail "there is no locked wallet"
}

wallet_is() { # LOCKED
  [[ $(call "$WALLET" org.freedesktop.DBus.Properties.Get org.freedesktop.Secret.Collection Locked 2>&1) == "(<$1>,)" ]]
}

# answering KEYS STATUS COMMAND...: types into the dialog that appears while the command runs, which ends with this
# status
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
  if [[ $1 == Escape ]]; then
    xdotool windowfocus --sync "$window" key Escape
  else
    xdotool windowfocus --sync "$window" type "$1"
    xdotool key Return
  fi
  wait_for 10 has_no_dialog
}

dialog() {
  xdotool search --onlyvisible --class kwalletd5 2>/dev/null | tail -n 1
}

has_dialog() {
  [[ -n $(dialog) ]]
}

has_no_dialog() {
  [[ -z $(dialog) ]]
}

# shellcheck shell=bash
# A separate session bus for each case, and a Secret Service on it: gnome-keyring, or one that misbehaves.

requires dbus gnome-keyring libglib2.0-bin
requires_python jeepney secretstorage

readonly SERVICE_NAME=org.freedesktop.secrets SERVICE_PATH=/org/freedesktop/secrets
readonly LOGIN=$SERVICE_PATH/collection/login
KEYRING_PASSWORD='password of the login keyring'
export LLAVERO_TEST_PYTHON=${LLAVERO_TEST_PYTHON:-$ROOT/.build/venv/bin/python}

# --- the bus

# start_bus_with_services FOLDER: starts a bus that can start the services in the folder's .service files
start_bus_with_services() {
  start_bus "<servicedir>$1</servicedir>"
}

# start_bus_that_starts COMMAND: starts a bus that starts the service with this command
start_bus_that_starts() {
  install -d "$CASE/services"
  service_file "$1" >"$CASE/services/$SERVICE_NAME.service"
  start_bus_with_services "$CASE/services"
}

# service_file COMMAND: what the bus reads for that
service_file() {
  printf '[D-BUS Service]\nName=%s\nExec=%s\n' "$SERVICE_NAME" "$1"
}

# bus_configuration SETTING ADDRESS...: prints what dbus-daemon reads
bus_configuration() {
  cat <<XML
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  $(printf '<listen>%s</listen>' "${@:2}")
  <auth>EXTERNAL</auth>
  $1
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
XML
}

# start_bus [SETTING]: starts a bus, which without a setting starts no services by itself
start_bus() {
  unset DISPLAY WAYLAND_DISPLAY
  bus_configuration "${1:-}" "unix:path=$CASE/bus" "unix:abstract=$CASE/bus" >"$CASE/session-bus.conf"
  background dbus-daemon --config-file="$CASE/session-bus.conf" --nofork --nopidfile 2>>"$CASE/session-bus.log"
  export DBUS_SESSION_BUS_ADDRESS=unix:path=$CASE/bus
  wait_for 10 listens "$CASE/bus" || fail "dbus-daemon doesn't start:" "$(cat "$CASE/session-bus.log")"
}

# call PATH INTERFACE.METHOD [ARGUMENT...]: calls the Secret Service, and prints the answer
call() {
  gdbus call --session --timeout 60 -d "$SERVICE_NAME" -o "$1" -m "$2" "${@:3}"
}

has_owner() { # NAME
  [[ $(gdbus call --session -d org.freedesktop.DBus -o / -m org.freedesktop.DBus.NameHasOwner "$1") == '(true,)' ]]
}

has_service() {
  has_owner "$SERVICE_NAME"
}

has_no_service() {
  ! has_service
}

# --- gnome-keyring

# start_keyring: unlocks the login keyring with $KEYRING_PASSWORD, or makes it; with a wrong password it stays locked
start_keyring() {
  printf %s "$KEYRING_PASSWORD" >"$CASE/keyring-password"
  background run_keyring --unlock
  keyring=$!
  wait_for 120 has_default_collection || fail "the keyring doesn't start:" "$(cat "$CASE/keyring.log")"
}

# with_keyring COMMAND...: in a session of its own with an unlocked keyring
with_keyring() {
  start_bus
  start_keyring
  patiently "$@"
}

# patiently COMMAND...: for cases that aren't about time, so that they don't fail on a busy machine
patiently() {
  export LLAVERO_PROBE_TIMEOUT=20 LLAVERO_CALL_TIMEOUT=20
  "$@"
}

# start_keyring_without_collection: like a daemon in a home where nobody has ever logged in
start_keyring_without_collection() {
  : >"$CASE/keyring-password"
  background run_keyring
  keyring=$!
  wait_for 10 has_service || fail "the keyring doesn't start:" "$(cat "$CASE/keyring.log")"
}

# A background job has no stdin unless it opens one.
run_keyring() {
  exec gnome-keyring-daemon --foreground --components=secrets "$@" \
    <"$CASE/keyring-password" >>"$CASE/keyring.log" 2>&1
}

# ReadAlias comes first: OpenSession as the first message can end gnome-keyring.
has_default_collection() {
  [[ $(call "$SERVICE_PATH" org.freedesktop.Secret.Service.ReadAlias default 2>/dev/null) == *"'$LOGIN'"* ]] &&
    call "$LOGIN" org.freedesktop.DBus.Properties.Get org.freedesktop.Secret.Collection Items >/dev/null 2>&1
}

stop_keyring() {
  kill "$keyring"
  wait "$keyring" 2>/dev/null || true
}

restart_keyring() {
  stop_keyring
  start_keyring
}

# keyring_pid: the process that owns the name
keyring_pid() {
  gdbus call --session -d org.freedesktop.DBus -o / -m org.freedesktop.DBus.GetConnectionUnixProcessID \
    "$SERVICE_NAME" | tr -dc '0-9 ' | awk '{ print $NF }'
}

lock_keyring() {
  call "$SERVICE_PATH" org.freedesktop.Secret.Service.Lock "['$LOGIN']" >/dev/null
  [[ $(keyring_locked) == true ]] || fail "the keyring can't be locked"
}

# keyring_locked: true or false
keyring_locked() {
  call "$LOGIN" org.freedesktop.DBus.Properties.Get org.freedesktop.Secret.Collection Locked | grep -oE 'true|false'
}

# freeze_keyring: stops it until the case ends, because otherwise nothing could end it
freeze_keyring() {
  trap 'kill -CONT "$keyring" 2>/dev/null || true; end_processes' EXIT
  kill -STOP "$keyring"
}

# start_filled_keyring COUNT: writes an unencrypted keyring, with items for host000000.example.com and so on, whose
# passwords are password-0 and so on, and starts it on a bus of its own. The daemon accepts any password for it, and
# encrypts it with that password at the first change.
start_filled_keyring() {
  install -d -m 700 "$XDG_DATA_HOME" "$XDG_DATA_HOME/keyrings"
  printf login >"$XDG_DATA_HOME/keyrings/default"
  awk -v count="$1" '
    function attribute(name, value) {
      printf "[%d:attribute%d]\nname=%s\ntype=string\nvalue=%s\n\n", item, attributes++, name, value
    }
    BEGIN {
      print "[keyring]\ndisplay-name=Login\nctime=1700000000\nmtime=1700000000"
      print "lock-on-idle=false\nlock-after=false\n"
      for (number = 0; number < count; number++) {
        item = number + 1
        host = sprintf("host%06d.example.com", number)
        printf "[%d]\nitem-type=1\ndisplay-name=https://%s (user)\nsecret=password-%d\n", item, host, number
        print "mtime=1700000000\nctime=1700000000\n"
        attributes = 0
        attribute("protocol", "https")
        attribute("server", host)
        attribute("user", "user")
        attribute("xdg:schema", "org.gnome.keyring.NetworkPassword")
      }
    }' >"$XDG_DATA_HOME/keyrings/login.keyring"
  chmod 600 "$XDG_DATA_HOME"/keyrings/*
  start_bus
  start_keyring
}

# --- a Secret Service in memory

# start_service [OPTION...]: the options are those of silent-service.py; sets $service to its process
start_service() {
  background "$LLAVERO_TEST_PYTHON" "$SUPPORT/secret-service/silent-service.py" "$@" 2>>"$CASE/service.log"
  # shellcheck disable=SC2034 # for the caller
  service=$!
  wait_for 10 has_service || fail "the service doesn't start:" "$(cat "$CASE/service.log")"
}

# --- items

# items_on_bus: a line for each item of each collection, with tabs between PATH, LABEL and each NAME=VALUE
items_on_bus() {
  on_bus list
}

item_count() {
  on_bus count
}

# item_path: the path of the only item
item_path() {
  local items
  items=$(items_on_bus)
  [[ -n $items && $items != *$'\n'* ]] || fail "expected one item:" "$items" >&2
  printf '%s\n' "${items%%$'\t'*}"
}

# item_secret PATH: the bytes of the secret
item_secret() {
  on_bus secret "$1"
}

# create_item LABEL NAME=VALUE... <SECRET: prints its path
create_item() {
  on_bus create "$@"
}

on_bus() {
  "$LLAVERO_TEST_PYTHON" "$SUPPORT/secret-service/bus-items.py" "$@"
}

# one_item NAME=VALUE...: the bus has a single item, and it has these attributes
one_item() {
  local items attribute
  items=$(items_on_bus)
  [[ -n $items && $items != *$'\n'* ]] || fail "expected one item:" "$items"
  for attribute in "$@"; do
    [[ $items$'\t' == *$'\t'"$attribute"$'\t'* ]] || fail "expected $attribute in:" "$items"
  done
}

# one_secret LINE...: the bus has a single item, whose secret is these lines, without a newline at the end
one_secret() {
  local expected
  expected=$(printf '%s\n' "$@" && echo .)
  item_secret "$(item_path)" >"$CASE/secret"
  printf %s "${expected%$'\n'.}" | cmp -s - "$CASE/secret" || fail "another secret:" "$(cat "$CASE/secret")"
}

# second_is_over SECOND: what is stored now gets a later date than what was stored in that second of the clock
second_is_over() {
  ((EPOCHSECONDS > $1))
}

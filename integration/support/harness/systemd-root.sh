# shellcheck shell=bash
# A Debian with systemd in a folder, which systemd-nspawn boots for one unit. Sourced after debian-root.sh.

requires systemd-container

# keep_systemd: keeps its archive. Its systemd is 257, which knows ImportCredential=.
keep_systemd() {
  keep_root systemd trixie make_systemd systemd systemd-sysv dbus git
}

make_systemd() { # FOLDER ARCHIVE PACKAGE...
  chroot "$1" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${@:3}"
  rm -f "$1"/var/cache/apt/archives/*.deb
  tar -C "$1" --numeric-owner -cf "$2.new" .
  mv "$2.new" "$2"
}

# fresh_systemd: unpacks it as $CASE/systemd
fresh_systemd() {
  is_kept
  mkdir "$CASE/systemd"
  tar -C "$CASE/systemd" --numeric-owner -xf "$KEPT"
}

# boots UNIT [OPTION...]: boots it with this machine's network, for as long as the service runs, and sets $status to the
# service's own; what its programs print is in $CASE/unit
boots() {
  local unit=$1
  shift
  mkdir -p "$CASE/systemd/etc/systemd/system/$unit.service.d"
  # The machine ends with the service, and with its status.
  cat >"$CASE/systemd/etc/systemd/system/$unit.service.d/test.conf" <<'TEXT'
[Service]
StandardOutput=file:/said
StandardError=append:/said
ExecStopPost=+/bin/sh -c 'exec systemctl --no-block exit "${EXIT_STATUS:-99}"'
TEXT
  status=0
  # shellcheck disable=SC2034 # for the caller
  rm -f "$CASE/systemd/said"
  timeout 300 systemd-nspawn --quiet --directory "$CASE/systemd" --register=no --keep-unit --boot "$@" \
    "systemd.unit=$unit.service" >"$CASE/boot.log" 2>&1 </dev/null || status=$?
  # Without rights or inotify instances that are left, which all containers here share.
  if grep -q 'Exiting PID 1' "$CASE/boot.log" || [[ ! -s $CASE/boot.log && $status != 0 ]]; then
    skip "systemd doesn't boot in a container here: $(grep -aoE 'Failed to (allocate|mount|create control)[^[:cntrl:]]*' "$CASE/boot.log" | head -n 1)"
  fi
  cp "$CASE/systemd/said" "$CASE/unit" 2>/dev/null || fail "the unit was not started" "$(tail -n 30 "$CASE/boot.log")"
}
